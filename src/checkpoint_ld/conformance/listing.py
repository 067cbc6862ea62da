"""Cases about listing: filters, order, pages."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.conformance.documents import START, call, checkpoint, line, thought
from checkpoint_ld.conformance.suite import variants
from checkpoint_ld.stores.filters import Filter
from checkpoint_ld.stores.header import header_of

if TYPE_CHECKING:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.conformance.subject import Subject
    from checkpoint_ld.stores.header import Key
    from checkpoint_ld.stores.protocol import CheckpointStore

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


def an_empty_store_lists_nothing(subject: Subject) -> None:
    """There is nothing to list at first, whatever is asked for."""
    with subject.open() as store:
        assert _ids(store, Filter()) == []
        assert _ids(store, Filter(execution_id="exec_1", limit=3)) == []


@variants(**{name: (name,) for name in FILTERS})
def a_filter_finds_what_fits(subject: Subject, name: str) -> None:
    """Each filter alone finds something, not everything, and what plain Python finds."""
    held, wanted = _held(), Filter(**{name: FILTERS[name]})
    expected = _expected(held, wanted)
    assert 0 < len(expected) < len(held)
    with subject.holding(*held).open() as store:
        assert _ids(store, wanted) == expected


def two_filters_have_to_fit_both(subject: Subject) -> None:
    """Every pair of filters finds what plain Python finds, in either order."""
    held = _held()
    with subject.holding(*held).open() as store:
        for one, other in combinations(FILTERS, 2):
            for order in ("newest", "oldest"):
                wanted = Filter(**{one: FILTERS[one], other: FILTERS[other]}, order=order)
                assert _ids(store, wanted) == _expected(held, wanted), (one, other, order)


def none_failed_is_a_filter_too(subject: Subject) -> None:
    """`failed` asks for a failed call, or for none."""
    held, wanted = _held(), Filter(failed=False)
    with subject.holding(*held).open() as store:
        assert _ids(store, wanted) == _expected(held, wanted)


@variants(newest=("newest",), oldest=("oldest",))
def ties_are_broken_by_step_and_id(subject: Subject, order: Any) -> None:
    """Checkpoints of one moment come by step, then by id; code points decide."""
    moment = {"timestamp": START + 99_000}
    names = ["b", "a", "B", "é", "z", "🜚", "\uffee", "a b"]
    held = [checkpoint(name, step=2, **moment) for name in names] + [checkpoint("first", step=1, **moment)]
    with subject.holding(*held).open() as store:
        found = _ids(store, Filter(order=order))
    expected = ["first", *sorted(names)]
    assert found == (expected if order == "oldest" else expected[::-1])


@variants(none=(0,), one=(1,), some=(3,), all=(9,), more=(50,))
def a_limit_cuts(subject: Subject, limit: int) -> None:
    """No more are listed than asked for; 0 lists none."""
    held = _held()
    with subject.holding(*held).open() as store:
        assert _ids(store, Filter(limit=limit)) == _expected(held, Filter())[:limit]


@variants(newest=("newest",), oldest=("oldest",))
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


def headers_say_what_the_checkpoint_says(subject: Subject) -> None:
    """A header has the members of its checkpoint; its hash is right where it has one."""
    held = {one.id: one for one in _held()}
    with subject.holding(*held.values()).open() as store:
        for header in store.headers():
            expected = header_of(held[header.id])
            told = {name: getattr(header, name) for name in header.__slots__ if name != "sha256"}
            assert told == {name: getattr(expected, name) for name in told}
            assert header.sha256 in (None, expected.sha256)


def filters_take_any_text(subject: Subject) -> None:
    """A text in a filter is compared whole, and is never a pattern or a part of a query."""
    hostile = ["%", "_", "' OR 1=1 --", '"', "\\", "*", "a\u0000", "> ?x"]
    held = [checkpoint(f"ckpt_{number}", name=text) for number, text in enumerate(hostile)]
    with subject.holding(*held).open() as store:
        for number, text in enumerate(hostile):
            assert _ids(store, Filter(name=text)) == [f"ckpt_{number}"]
            assert _ids(store, Filter(tool=text, execution_id=text)) == []


CHECKS = (
    an_empty_store_lists_nothing,
    a_filter_finds_what_fits,
    two_filters_have_to_fit_both,
    none_failed_is_a_filter_too,
    ties_are_broken_by_step_and_id,
    a_limit_cuts,
    a_cursor_goes_on,
    headers_say_what_the_checkpoint_says,
    filters_take_any_text,
)
