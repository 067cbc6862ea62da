"""Cases about the operations of a store: put, get, list, update, delete, and concurrent use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import combinations
from threading import Event
from typing import TYPE_CHECKING, Any, Final

import pytest

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, InvalidCheckpoint
from checkpoint_ld.stores.protocol import Filter, header_of
from tests.conformance.suite import Subject, variants
from tests.conformance.suite.documents import DOCUMENTS, HOSTILE_IDS, START, call, checkpoint, line, thought

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.stores.protocol import CheckpointStore, Key


class Put(Subject):
    """Checkpoints are kept."""

    @variants(**{name: (name,) for name in DOCUMENTS})
    def what_is_put_comes_back(self, name: str) -> None:
        given = AgentCheckpoint.of_tree(DOCUMENTS[name])
        with self.open() as store:
            assert store.put(given).created
            assert store.get(given.id).content() == given.content()
        with self.open() as store:
            found = store.get(given.id)
        assert found.content() == given.content()
        assert found.sha256 == given.sha256

    def equal_again_is_done_already(self) -> None:
        with self.holding(checkpoint()).open() as store:
            assert not store.put(checkpoint()).created
            assert len(list(store.headers())) == 1

    def other_content_is_refused(self) -> None:
        first, second = checkpoint(), checkpoint(name="another")
        with self.holding(first).open() as store:
            with pytest.raises(CheckpointExists) as refused:
                store.put(second)
            assert first.sha256 in str(refused.value)
            assert second.sha256 in str(refused.value)
            assert store.get(first.id).content() == first.content()

    @variants(**{f"{number}": (name,) for number, name in enumerate(HOSTILE_IDS)})
    def any_id_is_kept_apart(self, name: str) -> None:
        given, other = checkpoint(name, name="given"), checkpoint("other", name="other")
        with self.holding(other, given).open() as store:
            assert store.get(name).content() == given.content()
            assert store.get("other").content() == other.content()
            assert {header.id for header in store.headers()} == {name, "other"}


class Get(Subject):
    """Checkpoints come back."""

    def nothing_is_there_at_first(self) -> None:
        with self.open() as store, pytest.raises(CheckpointNotFound):
            store.get("ckpt_1")

    @variants(empty=("",), space=(" ",), path=("../ckpt_1",), case=("CKPT_1",), start=("ckpt",), long=("x" * 2000,))
    def only_the_whole_id_finds_one(self, name: str) -> None:
        with self.holding(checkpoint("ckpt_1")).open() as store, pytest.raises(CheckpointNotFound):
            store.get(name)

    def a_missing_one_is_named_with_similar_ones(self) -> None:
        self.holding(checkpoint("before-the-storm"), checkpoint("after"))
        with self.open() as store, pytest.raises(CheckpointNotFound, match="before-the-storm"):
            store.get("before-the-strom")

    def executions_and_agents_are_kept_apart(self) -> None:
        saved = checkpoint(
            "one", thoughts=[thought(0, content="one")], calls=[call(0, tool_id="ls")], results={"call_0": 1}
        )
        other = checkpoint(
            "other",
            thoughts=[thought(0, content="other")],
            calls=[call(0, tool_id="cat")],
            results={"call_0": 2},
            execution_id="exec_2",
            agent_id="agent_2",
        )
        with self.holding(saved, other).open() as store:
            assert store.get("one").content() == saved.content()
            assert store.get("other").content() == other.content()

    def a_thought_may_stand_in_many_checkpoints(self) -> None:
        made = [
            checkpoint(f"ckpt_{step}", step=step, thoughts=[thought(0, confidence=step / 10)]) for step in range(1, 6)
        ]
        with self.holding(*made).open() as store:
            for saved in made:
                assert store.get(saved.id).content() == saved.content()

    def a_line_comes_back_in_its_order(self) -> None:
        made = line(5)
        with self.holding(*reversed(made)).open() as store:
            assert [step.id for step in store.get("ckpt_5").snapshot.thought_chain] == [
                f"thought_{n}" for n in range(5)
            ]
            assert all(store.get(saved.id).content() == saved.content() for saved in made)


FILTERS: Final[dict[str, Any]] = {
    "execution_id": "exec_1",
    "agent_id": "agent_2",
    "reason": "tool_error",
    "since": START + 62_000,
    "until": START + 64_000,
    "name": "named",
    "tool": "bash",
    "failed": True,
    "confidence_below": 0.5,
    "question": 'urn:question-"1"',
    "benchmark": "urn:benchmark",
    "branch_of": "ckpt_1",
}
_BRANCH = {"checkpoint_id": "ckpt_1", "is_branch": True}


def _held() -> list[AgentCheckpoint]:
    failed = {"thoughts": [thought(0, confidence=0.4)], "calls": [call(0, tool_id="bash", success=False, error="e")]}
    about = {"benchmark": "urn:benchmark", "question": 'urn:question-"1"'}
    return [
        *line(4),
        checkpoint("failed", step=2, metadata={"checkpoint_reason": "tool_error"}, name="named", **failed),
        checkpoint("other", step=3, execution_id="exec_2", agent_id="agent_2", about=about, **failed),
        checkpoint("branch", step=3, execution_id="exec_3", agent_id="agent_2", parent=_BRANCH, name="named"),
        checkpoint("unsure", step=4, thoughts=[thought(0, confidence=0.49)], about={"benchmark": "urn:benchmark"}),
        checkpoint("sure", step=4, thoughts=[thought(0, confidence=0.5)], calls=[call(0, tool_id="bash")]),
    ]


def _ids(store: CheckpointStore, wanted: Filter) -> list[str]:
    return [header.id for header in store.headers(wanted)]


def _expected(held: list[AgentCheckpoint], wanted: Filter) -> list[str]:
    return [header.id for header in wanted.arranged(header_of(saved) for saved in held if wanted.matches(saved))]


class List(Subject):
    """Headers come in order, those that fit."""

    def an_empty_store_lists_nothing(self) -> None:
        with self.open() as store:
            assert _ids(store, Filter()) == []
            assert _ids(store, Filter(execution_id="exec_1", limit=3)) == []

    @variants(**{name: (name,) for name in FILTERS})
    def a_filter_finds_what_fits(self, name: str) -> None:
        held, wanted = _held(), Filter(**{name: FILTERS[name]})
        expected = _expected(held, wanted)
        assert 0 < len(expected) < len(held)
        with self.holding(*held).open() as store:
            assert _ids(store, wanted) == expected

    def two_filters_have_to_fit_both(self) -> None:
        held = _held()
        with self.holding(*held).open() as store:
            for saved, other in combinations(FILTERS, 2):
                for order in ("newest", "oldest"):
                    wanted = Filter(**{saved: FILTERS[saved], other: FILTERS[other]}, order=order)
                    assert _ids(store, wanted) == _expected(held, wanted), (saved, other, order)

    def none_failed_is_a_filter_too(self) -> None:
        held, wanted = _held(), Filter(failed=False)
        with self.holding(*held).open() as store:
            assert _ids(store, wanted) == _expected(held, wanted)

    @variants(newest=("newest",), oldest=("oldest",))
    def ties_are_broken_by_step_and_id(self, order: Any) -> None:
        moment = {"timestamp": START + 99_000}
        names = ["b", "a", "B", "é", "z", "🜚", "\uffee", "a b"]
        held = [checkpoint(name, step=2, **moment) for name in names] + [checkpoint("first", step=1, **moment)]
        with self.holding(*held).open() as store:
            found = _ids(store, Filter(order=order))
        expected = ["first", *sorted(names)]
        assert found == (expected if order == "oldest" else expected[::-1])

    @variants(none=(0,), one=(1,), some=(3,), all=(9,), more=(50,))
    def a_limit_cuts(self, limit: int) -> None:
        held = _held()
        with self.holding(*held).open() as store:
            assert _ids(store, Filter(limit=limit)) == _expected(held, Filter())[:limit]

    @variants(newest=("newest",), oldest=("oldest",))
    def a_cursor_goes_on(self, order: Any) -> None:
        held = _held()
        with self.holding(*held).open() as store:
            found: list[str] = []
            cursor: Key | None = None
            while page := list(store.headers(Filter(limit=2, cursor=cursor, order=order))):
                assert not {header.id for header in page} & {*found}, "a page begins after its cursor"
                found += [header.id for header in page]
                cursor = page[-1].key
                store.put(
                    checkpoint(f"new_{len(found)}", step=1, timestamp=START + (90_000 if order == "newest" else 1))
                )
            assert found == _expected(held, Filter(order=order))

    def headers_say_what_the_checkpoint_says(self) -> None:
        held = {saved.id: saved for saved in _held()}
        with self.holding(*held.values()).open() as store:
            for header in store.headers():
                expected = header_of(held[header.id])
                members = {name: getattr(header, name) for name in header.__slots__ if name != "sha256"}
                assert members == {name: getattr(expected, name) for name in members}
                assert header.sha256 in (None, expected.sha256)

    def filters_take_any_text(self) -> None:
        hostile = ["%", "_", "' OR 1=1 --", '"', "\\", "*", "a\u0000", "> ?x"]
        held = [checkpoint(f"ckpt_{number}", name=text) for number, text in enumerate(hostile)]
        with self.holding(*held).open() as store:
            for number, text in enumerate(hostile):
                assert _ids(store, Filter(name=text)) == [f"ckpt_{number}"]
                assert _ids(store, Filter(tool=text, execution_id=text)) == []


class Update(Subject):
    """Name, description and metadata change."""

    @variants(
        name=({"name": "new"},),
        description=({"description": "new"},),
        metadata=({"metadata": {"tokens_used": 77, "zeta": None, "eta": [1]}},),
        together=({"name": "new", "description": None, "metadata": {"agent_name": "new"}},),
    )
    def only_given_members_change(self, changes: dict[str, Any]) -> None:
        before = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
        other = checkpoint("other", name="other")
        with self.holding(before, other).open() as store:
            returned = store.update_metadata(before.id, **changes)
        with self.open() as store:
            after = store.get(before.id)
            assert after.content() == returned.content()
            assert after.snapshot == before.snapshot
            assert _rest(after) == _rest(before)
            assert after.sha256 != before.sha256
            if changes.get("name"):
                assert [header.id for header in store.headers(Filter(name="new"))] == [before.id]
                assert list(store.headers(Filter(name="a name"))) == []
            assert store.get("other").content() == other.content()
            assert list(store.verify()) == []

    def a_member_can_be_taken_away(self) -> None:
        with self.holding(checkpoint(name="named", description="described")).open() as store:
            store.update_metadata("ckpt_1", name=None)
            found = store.get("ckpt_1")
            assert "name" not in found.tree()
            assert found.description == "described"

    def what_breaks_a_rule_is_refused(self) -> None:
        given = checkpoint()
        with self.holding(given).open() as store:
            with pytest.raises(InvalidCheckpoint):
                store.update_metadata("ckpt_1", metadata={"tokens_used": -1})
            assert store.get("ckpt_1").content() == given.content()

    def an_unknown_one_cannot_be_changed(self) -> None:
        with self.open() as store, pytest.raises(CheckpointNotFound):
            store.update_metadata("ckpt_1", name="new")


def _rest(of: AgentCheckpoint) -> dict[str, Any]:
    return {key: value for key, value in of.tree().items() if key not in ("name", "description", "metadata")}


class Delete(Subject):
    """Checkpoints go."""

    def what_is_deleted_is_gone(self) -> None:
        with self.holding(checkpoint("gone"), checkpoint("there")).open() as store:
            assert store.delete("gone")
            with pytest.raises(CheckpointNotFound):
                store.get("gone")
        with self.open() as store:
            assert [header.id for header in store.headers()] == ["there"]

    def deleting_twice_does_nothing(self) -> None:
        with self.holding(checkpoint()).open() as store:
            assert store.delete("ckpt_1")
            assert not store.delete("ckpt_1")
            assert not store.delete("never there")

    def no_query_finds_what_is_deleted(self) -> None:
        given = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
        with self.holding(given).open() as store:
            store.delete(given.id)
            for name, value in FILTERS.items():
                assert list(store.headers(Filter(**{name: value}))) == []
            assert list(store.verify()) == []

    def others_are_not_touched(self) -> None:
        made = line(4)
        with self.holding(*made).open() as store:
            assert store.delete("ckpt_2")
            for saved in (made[0], made[2], made[3]):
                assert store.get(saved.id).content() == saved.content()
            assert list(store.verify()) == []

    def what_was_deleted_can_be_put_again(self) -> None:
        with self.holding(checkpoint()).open() as store:
            store.delete("ckpt_1")
            assert store.put(checkpoint(name="another")).created
            assert store.get("ckpt_1").name == "another"

    def any_id_can_be_deleted(self) -> None:
        left = set(HOSTILE_IDS)
        with self.holding(*map(checkpoint, HOSTILE_IDS)).open() as store:
            for name in HOSTILE_IDS:
                assert store.get(name).id == name
                assert store.delete(name)
                left.remove(name)
                assert {header.id for header in store.headers()} == left


WRITERS = 4
EACH = 12


def _at_once(subject: Subject, *works: Callable[[CheckpointStore], Any]) -> list[Any]:
    """Run functions at the same time, each with the store opened for itself; return their results."""

    def done(work: Callable[[CheckpointStore], Any]) -> Any:
        with subject.open() as store:
            return work(store)

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(done, works))


class Concurrency(Subject):
    """Several use a store at once."""

    def nothing_of_many_writers_is_lost(self) -> None:
        def writer(number: int) -> Callable[[CheckpointStore], Any]:
            made = line(EACH, execution=f"exec_{number}", prefix=f"writer_{number}")
            return lambda store: [store.put(saved) for saved in made]

        _at_once(self, *map(writer, range(WRITERS)))
        with self.open() as store:
            assert len(list(store.headers())) == WRITERS * EACH
            for number in range(WRITERS):
                assert len(list(store.headers(Filter(execution_id=f"exec_{number}")))) == EACH
            assert list(store.verify()) == []

    def one_of_two_writers_wins(self) -> None:
        def writer(number: int) -> Callable[[CheckpointStore], bool]:
            def write(store: CheckpointStore) -> bool:
                try:
                    return store.put(checkpoint(name=f"by {number}")).created
                except CheckpointExists:
                    return False

            return write

        for _ in range(3):
            assert _at_once(self, *map(writer, range(WRITERS))).count(True) == 1
            with self.open() as store:
                assert list(store.verify()) == []
                store.delete("ckpt_1")

    def equal_writers_all_succeed(self) -> None:
        works = [lambda store: store.put(checkpoint()).created] * WRITERS
        assert _at_once(self, *works).count(True) == 1

    def readers_see_whole_checkpoints(self) -> None:
        thoughts = [thought(number) for number in range(80)]
        made = [checkpoint(f"ckpt_{step}", step=step, thoughts=thoughts) for step in range(1, EACH + 1)]
        written = Event()

        def write(store: CheckpointStore) -> None:
            try:
                for saved in made:
                    store.put(saved)
            finally:
                written.set()

        def read(store: CheckpointStore) -> None:
            for saved in made * EACH:
                if written.is_set():
                    return
                with suppress(CheckpointNotFound):
                    assert store.get(saved.id).content() == saved.content()

        _at_once(self, write, read, read)
        with self.open() as store:
            assert len(list(store.headers())) == len(made)

    def a_page_is_right_while_others_write_and_delete(self) -> None:
        made = line(EACH)
        self.holding(*made)

        def disturb(store: CheckpointStore) -> None:
            for number in range(EACH):
                store.put(checkpoint(f"new_{number}", step=EACH + number + 1, execution_id="exec_2"))
                store.delete(f"new_{number}")

        def page(store: CheckpointStore) -> list[str]:
            found: list[str] = []
            cursor = None
            while headers := list(store.headers(Filter(limit=3, cursor=cursor, execution_id="exec_1"))):
                assert not {header.id for header in headers} & {*found}, "a page begins after its cursor"
                found += [header.id for header in headers]
                cursor = headers[-1].key
            return found

        _, *pages = _at_once(self, disturb, page, page)
        assert all(page == [header.id for header in reversed(made)] for page in pages)

    def a_change_is_seen_whole(self) -> None:
        self.holding(checkpoint(name="start"))

        def change(store: CheckpointStore) -> None:
            for number in range(EACH):
                store.update_metadata("ckpt_1", name=f"name {number}", description=f"name {number}")

        def read(store: CheckpointStore) -> list[AgentCheckpoint]:
            return [store.get("ckpt_1") for _ in range(EACH)]

        _, *seen = _at_once(self, change, read, read)
        for saved in (found for part in seen for found in part):
            assert saved.description in (None, saved.name)
        with self.open() as store:
            assert store.get("ckpt_1").name == f"name {EACH - 1}"
            assert list(store.verify()) == []
