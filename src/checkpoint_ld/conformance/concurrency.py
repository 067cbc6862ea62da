"""Cases about several who use one store at once: threads, each with the store opened for itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from checkpoint_ld.conformance.documents import checkpoint, line, thought
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound
from checkpoint_ld.stores.filters import Filter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.conformance.subject import Subject

WRITERS = 4
EACH = 12


def _together(works: Sequence[Callable[[], Any]]) -> list[Any]:
    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result() for future in [pool.submit(work) for work in works]]


def nothing_of_many_writers_is_lost(subject: Subject) -> None:
    """All that several writers save at once is there, and the store is sound."""

    def write(number: int) -> Callable[[], None]:
        def work() -> None:
            with subject.open() as store:
                for one in line(EACH, execution=f"exec_{number}", prefix=f"writer_{number}"):
                    store.put(one)

        return work

    _together([write(number) for number in range(WRITERS)])
    with subject.open() as store:
        assert len(list(store.headers())) == WRITERS * EACH
        for number in range(WRITERS):
            assert len(list(store.headers(Filter(execution_id=f"exec_{number}")))) == EACH
        assert list(store.verify()) == []


def one_of_two_writers_wins(subject: Subject) -> None:
    """Of several who put other content under one id, one succeeds; the others are told."""

    def write(number: int) -> Callable[[], bool]:
        def work() -> bool:
            with subject.open() as store:
                try:
                    return store.put(checkpoint(name=f"by {number}")).created
                except CheckpointExists:
                    return False

        return work

    for _ in range(3):
        assert _together([write(number) for number in range(WRITERS)]).count(True) == 1
        with subject.open() as store:
            assert list(store.verify()) == []
            store.delete("ckpt_1")


def equal_writers_all_succeed(subject: Subject) -> None:
    """Who puts equal content under one id at once succeeds; one of them has created it."""

    def work() -> bool:
        with subject.open() as store:
            return store.put(checkpoint()).created

    assert _together([work] * WRITERS).count(True) == 1


def readers_see_whole_checkpoints(subject: Subject) -> None:
    """Whoever reads beside a writer sees a checkpoint wholly or not at all."""
    made = [
        checkpoint(f"ckpt_{step}", step=step, thoughts=[thought(number) for number in range(200)])
        for step in range(1, EACH + 1)
    ]

    def write() -> None:
        with subject.open() as store:
            for one in made:
                store.put(one)

    def read() -> None:
        with subject.open() as store:
            for _ in range(EACH):
                for one in made:
                    try:
                        assert store.get(one.id).content() == one.content()
                    except CheckpointNotFound:
                        continue

    _together([write, read, read])
    with subject.open() as store:
        assert len(list(store.headers())) == len(made)


def a_page_is_right_while_others_write_and_delete(subject: Subject) -> None:
    """Who goes through the pages meets each checkpoint that was there all the time, once."""
    made = line(EACH)
    subject.holding(*made)

    def disturb() -> None:
        with subject.open() as store:
            for number in range(EACH):
                store.put(checkpoint(f"new_{number}", step=EACH + number + 1, execution_id="exec_2"))
                store.delete(f"new_{number}")

    def page() -> list[str]:
        found: list[str] = []
        cursor = None
        with subject.open() as store:
            while headers := list(store.headers(Filter(limit=3, cursor=cursor, execution_id="exec_1"))):
                found += [header.id for header in headers]
                cursor = headers[-1].key
        return found

    _, *pages = _together([disturb, page, page])
    assert all(one == [header.id for header in reversed(made)] for one in pages)


def a_change_is_seen_whole(subject: Subject) -> None:
    """While a checkpoint is changed again and again, readers see one of its states, and its hash fits."""
    subject.holding(checkpoint(name="start"))

    def change() -> None:
        with subject.open() as store:
            for number in range(EACH):
                store.update_metadata("ckpt_1", name=f"name {number}", description=f"name {number}")

    def read() -> list[AgentCheckpoint]:
        with subject.open() as store:
            return [store.get("ckpt_1") for _ in range(EACH)]

    _, *seen = _together([change, read, read])
    for one in (found for part in seen for found in part):
        assert one.description in (None, one.name)
    with subject.open() as store:
        assert store.get("ckpt_1").name == f"name {EACH - 1}"
        assert list(store.verify()) == []


CHECKS = (
    nothing_of_many_writers_is_lost,
    one_of_two_writers_wins,
    equal_writers_all_succeed,
    readers_see_whole_checkpoints,
    a_page_is_right_while_others_write_and_delete,
    a_change_is_seen_whole,
)
