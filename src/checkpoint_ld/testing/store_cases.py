"""Cases about what a store does by itself: put, get, list, update, delete, and several who use it at once."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import pytest

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, InvalidCheckpoint
from checkpoint_ld.stores.protocol import Filter, header_of
from checkpoint_ld.testing import case
from checkpoint_ld.testing.documents import DOCUMENTS, HOSTILE_IDS, START, call, checkpoint, line, thought

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from checkpoint_ld.stores.protocol import CheckpointStore, Key
    from checkpoint_ld.testing import Subject


@case("put", **{name: (name,) for name in DOCUMENTS})
def what_is_put_comes_back(subject: Subject, name: str) -> None:
    """Every byte of the text form is the same, also when the store is opened again."""
    given = AgentCheckpoint.of_tree(DOCUMENTS[name])
    with subject.open() as store:
        assert store.put(given).created
        assert store.get(given.id).content() == given.content()
    with subject.open() as store:
        found = store.get(given.id)
    assert found.content() == given.content()
    assert found.sha256 == given.sha256


@case("put")
def equal_again_is_done_already(subject: Subject) -> None:
    """Putting equal content is a success that does nothing."""
    with subject.holding(checkpoint()).open() as store:
        assert not store.put(checkpoint()).created
        assert len(list(store.headers())) == 1


@case("put")
def other_content_is_refused(subject: Subject) -> None:
    """An id is never given to other content; both hashes are named, and nothing changes."""
    first, second = checkpoint(), checkpoint(name="another")
    with subject.holding(first).open() as store:
        with pytest.raises(CheckpointExists) as refused:
            store.put(second)
        assert first.sha256 in str(refused.value)
        assert second.sha256 in str(refused.value)
        assert store.get(first.id).content() == first.content()


@case("put", **{f"{number}": (name,) for number, name in enumerate(HOSTILE_IDS)})
def any_id_is_kept_apart(subject: Subject, name: str) -> None:
    """An identifier may be any text."""
    given, other = checkpoint(name, name="given"), checkpoint("other", name="other")
    with subject.holding(other, given).open() as store:
        assert store.get(name).content() == given.content()
        assert store.get("other").content() == other.content()
        assert {header.id for header in store.headers()} == {name, "other"}


@case("put")
def ids_that_differ_in_case_are_two(subject: Subject) -> None:
    """What a file system may take for one name are two checkpoints."""
    with subject.holding(*(checkpoint(name) for name in HOSTILE_IDS)).open() as store:
        for name in HOSTILE_IDS:
            assert store.get(name).id == name
        assert len(list(store.headers())) == len(HOSTILE_IDS)


@case("get")
def nothing_is_there_at_first(subject: Subject) -> None:
    """An empty store has no checkpoint of any id."""
    with subject.open() as store, pytest.raises(CheckpointNotFound):
        store.get("ckpt_1")


@case("get", empty=("",), space=(" ",), path=("../ckpt_1",), case=("CKPT_1",), start=("ckpt",), long=("x" * 2000,))
def only_the_whole_id_finds_one(subject: Subject, name: str) -> None:
    """What is no id of a checkpoint finds none, whatever it looks like."""
    with subject.holding(checkpoint("ckpt_1")).open() as store, pytest.raises(CheckpointNotFound):
        store.get(name)


@case("get")
def a_missing_one_is_told_with_near_ones(subject: Subject) -> None:
    """The message names ids that are near."""
    subject.holding(checkpoint("before-the-storm"), checkpoint("after"))
    with subject.open() as store, pytest.raises(CheckpointNotFound, match="before-the-storm"):
        store.get("before-the-strom")


@case("get")
def executions_and_agents_are_kept_apart(subject: Subject) -> None:
    """Thoughts and calls of one id in two executions stay what they are in each."""
    one = checkpoint("one", thoughts=[thought(0, content="one")], calls=[call(0, tool_id="ls")], results={"call_0": 1})
    other = checkpoint(
        "other",
        thoughts=[thought(0, content="other")],
        calls=[call(0, tool_id="cat")],
        results={"call_0": 2},
        execution_id="exec_2",
        agent_id="agent_2",
    )
    with subject.holding(one, other).open() as store:
        assert store.get("one").content() == one.content()
        assert store.get("other").content() == other.content()


@case("get")
def a_thought_may_stand_in_many_checkpoints(subject: Subject) -> None:
    """Each checkpoint has the thought as it was then."""
    made = [checkpoint(f"ckpt_{step}", step=step, thoughts=[thought(0, confidence=step / 10)]) for step in range(1, 6)]
    with subject.holding(*made).open() as store:
        for one in made:
            assert store.get(one.id).content() == one.content()


@case("get")
def what_was_got_belongs_to_the_reader(subject: Subject) -> None:
    """Whatever is done to a value that was got, the store still has what was put."""
    given = checkpoint(variables={"list": [1]})
    with subject.holding(given).open() as store:
        found = store.get(given.id)
        copy.deepcopy(found.snapshot.context.variables)["list"].append(2)
        assert store.get(given.id).content() == given.content()


@case("get")
def a_line_comes_back_in_its_order(subject: Subject) -> None:
    """Thoughts stand in the order in which they were."""
    made = line(5)
    with subject.holding(*reversed(made)).open() as store:
        assert [one.id for one in store.get("ckpt_5").snapshot.thought_chain] == [f"thought_{n}" for n in range(5)]
        assert all(store.get(one.id).content() == one.content() for one in made)


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
    return [header.id for header in wanted.arranged(header_of(one) for one in held if wanted.matches(one))]


@case("list")
def an_empty_store_lists_nothing(subject: Subject) -> None:
    """There is nothing to list at first, whatever is asked for."""
    with subject.open() as store:
        assert _ids(store, Filter()) == []
        assert _ids(store, Filter(execution_id="exec_1", limit=3)) == []


@case("list", **{name: (name,) for name in FILTERS})
def a_filter_finds_what_fits(subject: Subject, name: str) -> None:
    """Each filter alone finds something, not everything, and what plain Python finds."""
    held, wanted = _held(), Filter(**{name: FILTERS[name]})
    expected = _expected(held, wanted)
    assert 0 < len(expected) < len(held)
    with subject.holding(*held).open() as store:
        assert _ids(store, wanted) == expected


@case("list")
def two_filters_have_to_fit_both(subject: Subject) -> None:
    """Every pair of filters finds what plain Python finds, in either order."""
    held = _held()
    with subject.holding(*held).open() as store:
        for one, other in combinations(FILTERS, 2):
            for order in ("newest", "oldest"):
                wanted = Filter(**{one: FILTERS[one], other: FILTERS[other]}, order=order)
                assert _ids(store, wanted) == _expected(held, wanted), (one, other, order)


@case("list")
def none_failed_is_a_filter_too(subject: Subject) -> None:
    """`failed` asks for a failed call, or for none."""
    held, wanted = _held(), Filter(failed=False)
    with subject.holding(*held).open() as store:
        assert _ids(store, wanted) == _expected(held, wanted)


@case("list", newest=("newest",), oldest=("oldest",))
def ties_are_broken_by_step_and_id(subject: Subject, order: Any) -> None:
    """Checkpoints of one moment come by step, then by id; code points decide."""
    moment = {"timestamp": START + 99_000}
    names = ["b", "a", "B", "é", "z", "🜚", "\uffee", "a b"]
    held = [checkpoint(name, step=2, **moment) for name in names] + [checkpoint("first", step=1, **moment)]
    with subject.holding(*held).open() as store:
        found = _ids(store, Filter(order=order))
    expected = ["first", *sorted(names)]
    assert found == (expected if order == "oldest" else expected[::-1])


@case("list", none=(0,), one=(1,), some=(3,), all=(9,), more=(50,))
def a_limit_cuts(subject: Subject, limit: int) -> None:
    """No more are listed than asked for; 0 lists none."""
    held = _held()
    with subject.holding(*held).open() as store:
        assert _ids(store, Filter(limit=limit)) == _expected(held, Filter())[:limit]


@case("list", newest=("newest",), oldest=("oldest",))
def a_cursor_goes_on(subject: Subject, order: Any) -> None:
    """Page after page, every checkpoint comes once, also while others are written."""
    held = _held()
    with subject.holding(*held).open() as store:
        found: list[str] = []
        cursor: Key | None = None
        while page := list(store.headers(Filter(limit=2, cursor=cursor, order=order))):
            found += [header.id for header in page]
            cursor = page[-1].key
            store.put(checkpoint(f"new_{len(found)}", step=1, timestamp=START + (90_000 if order == "newest" else 1)))
        assert found == _expected(held, Filter(order=order))


@case("list")
def headers_say_what_the_checkpoint_says(subject: Subject) -> None:
    """A header has the members of its checkpoint; its hash is right where it has one."""
    held = {one.id: one for one in _held()}
    with subject.holding(*held.values()).open() as store:
        for header in store.headers():
            expected = header_of(held[header.id])
            told = {name: getattr(header, name) for name in header.__slots__ if name != "sha256"}
            assert told == {name: getattr(expected, name) for name in told}
            assert header.sha256 in (None, expected.sha256)


@case("list")
def filters_take_any_text(subject: Subject) -> None:
    """A text in a filter is compared whole, and is never a pattern or a part of a query."""
    hostile = ["%", "_", "' OR 1=1 --", '"', "\\", "*", "a\u0000", "> ?x"]
    held = [checkpoint(f"ckpt_{number}", name=text) for number, text in enumerate(hostile)]
    with subject.holding(*held).open() as store:
        for number, text in enumerate(hostile):
            assert _ids(store, Filter(name=text)) == [f"ckpt_{number}"]
            assert _ids(store, Filter(tool=text, execution_id=text)) == []


@case(
    "update",
    name=({"name": "new"},),
    description=({"description": "new"},),
    metadata=({"metadata": {"tokens_used": 77, "zeta": None, "eta": [1]}},),
    together=({"name": "new", "description": None, "metadata": {"agent_name": "new"}},),
)
def only_what_is_told_changes(subject: Subject, changes: dict[str, Any]) -> None:
    """The snapshot and everything else stay as they were; the change is there after reopening, and found."""
    before = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
    other = checkpoint("other", name="other")
    with subject.holding(before, other).open() as store:
        returned = store.update_metadata(before.id, **changes)
    with subject.open() as store:
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


def _rest(of: AgentCheckpoint) -> dict[str, Any]:
    return {key: value for key, value in of.tree().items() if key not in ("name", "description", "metadata")}


@case("update")
def a_member_can_be_taken_away(subject: Subject) -> None:
    """None takes a name away; what is not mentioned stays."""
    with subject.holding(checkpoint(name="named", description="told")).open() as store:
        store.update_metadata("ckpt_1", name=None)
        found = store.get("ckpt_1")
        assert "name" not in found.tree()
        assert found.description == "told"


@case("update")
def what_breaks_a_rule_is_refused(subject: Subject) -> None:
    """Nothing changes where the checkpoint would break a rule."""
    given = checkpoint()
    with subject.holding(given).open() as store:
        with pytest.raises(InvalidCheckpoint):
            store.update_metadata("ckpt_1", metadata={"tokens_used": -1})
        assert store.get("ckpt_1").content() == given.content()


@case("update")
def an_unknown_one_cannot_be_changed(subject: Subject) -> None:
    """There is nothing to change."""
    with subject.open() as store, pytest.raises(CheckpointNotFound):
        store.update_metadata("ckpt_1", name="new")


@case("delete")
def what_is_deleted_is_gone(subject: Subject) -> None:
    """It is neither got nor listed any more, also when the store is opened again."""
    with subject.holding(checkpoint("gone"), checkpoint("there")).open() as store:
        assert store.delete("gone")
        with pytest.raises(CheckpointNotFound):
            store.get("gone")
    with subject.open() as store:
        assert [header.id for header in store.headers()] == ["there"]


@case("delete")
def deleting_twice_does_nothing(subject: Subject) -> None:
    """The second time there is nothing to delete, which is no error."""
    with subject.holding(checkpoint()).open() as store:
        assert store.delete("ckpt_1")
        assert not store.delete("ckpt_1")
        assert not store.delete("never there")


@case("delete")
def no_query_finds_what_is_deleted(subject: Subject) -> None:
    """No filter finds anything of it: no thought, call, name or question is left behind."""
    given = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
    with subject.holding(given).open() as store:
        store.delete(given.id)
        for name, value in FILTERS.items():
            assert list(store.headers(Filter(**{name: value}))) == []
        assert list(store.verify()) == []


@case("delete")
def others_are_not_touched(subject: Subject) -> None:
    """A parent may go, and a checkpoint with the same thoughts: the others keep all that they had."""
    made = line(4)
    with subject.holding(*made).open() as store:
        assert store.delete("ckpt_2")
        for one in (made[0], made[2], made[3]):
            assert store.get(one.id).content() == one.content()
        assert list(store.verify()) == []


@case("delete")
def what_was_deleted_can_be_put_again(subject: Subject) -> None:
    """The id is free, also for other content."""
    with subject.holding(checkpoint()).open() as store:
        store.delete("ckpt_1")
        assert store.put(checkpoint(name="another")).created
        assert store.get("ckpt_1").name == "another"


@case("delete")
def any_id_can_be_deleted(subject: Subject) -> None:
    """Nothing but the checkpoint of that id goes, whatever the id looks like."""
    left = set(HOSTILE_IDS)
    with subject.holding(*map(checkpoint, HOSTILE_IDS)).open() as store:
        for name in HOSTILE_IDS:
            assert store.delete(name)
            left.remove(name)
            assert {header.id for header in store.headers()} == left


WRITERS = 4
EACH = 12


def _together(works: Sequence[Callable[[], Any]]) -> list[Any]:
    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result() for future in [pool.submit(work) for work in works]]


@case("concurrency")
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


@case("concurrency")
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


@case("concurrency")
def equal_writers_all_succeed(subject: Subject) -> None:
    """Who puts equal content under one id at once succeeds; one of them has created it."""

    def work() -> bool:
        with subject.open() as store:
            return store.put(checkpoint()).created

    assert _together([work] * WRITERS).count(True) == 1


@case("concurrency")
def readers_see_whole_checkpoints(subject: Subject) -> None:
    """Whoever reads beside a writer sees a checkpoint wholly or not at all."""
    made = [
        checkpoint(f"ckpt_{step}", step=step, thoughts=[thought(number) for number in range(80)])
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


@case("concurrency")
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


@case("concurrency")
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
