"""Checkpoints are loaded if they break no rule; the rules forbid what the types of entities do."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.agents import rules
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import InvalidCheckpoint
from checkpoint_ld.findings import Severity
from checkpoint_ld.validation.results import Report
from tests.agents.documents import MOMENT, Json, call, checkpoint, thought

_USUAL = st.sampled_from(
    [None, 5, -1, 85, 1.0, 1.5, True, "", "x", "t1", "c1", "ckpt_1", "completed", "failed", "pending", "x" * 1025]
)
_ODD = _USUAL | st.sampled_from([2**60, 10**15, MOMENT, [], {}, [None], ["a"], [{}], {"a": 1}])


def whole() -> Json:
    """Return a sound checkpoint with all members that there are."""
    more = {"alternatives": [{"option": "a", "reason_rejected": "b", "confidence": 0.5}], "metadata": {}}
    about = {"benchmark": "b", "question": "q", "benchmark_version": "1", "benchmark_sha256": "0" * 64, "replicate": 1}
    tree = checkpoint(
        [thought("t1", confidence=0.5, children=["t2"], reasoning="why", **more), thought("t2", parent_id="t1")],
        [
            call("c1", completed_at=MOMENT - 10, status="completed", duration_ms=5),
            call("c2", success=False, status="cancelled", error="no"),
            {"id": "c3", "status": "running"},
        ],
        parent={"checkpoint_id": "ckpt_0", "is_branch": True, "branch_reason": "try"},
        name="n",
        description="d",
        about=about,
        diff={"from_checkpoint_id": "ckpt_0", "changes": {"/a": {"before": 1}}, "summary": "s"},
    )
    snapshot = tree["snapshot"]
    snapshot["current_step_id"] = "t1"
    snapshot["context"]["memory"] = [{"key": "k", "value": 1, "importance": 0.5, "timestamp": MOMENT}]
    snapshot["tool_state"]["last_tool_call_id"] = "c1"
    snapshot["progress"] |= {"total_steps_estimate": 3, "iterations_completed": 1, "tokens_used": 1, "duration_ms": 2}
    tree["metadata"] |= {"total_steps_estimate": 3, "agent_name": "x", "agent_id": "agent_1"}
    return tree


def paths(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inner:
        yield (*path, step)
        yield from paths(one, (*path, step))


# Without these there is no agent checkpoint, or none of a version that is known.
_PATHS = [path for path in paths(whole()) if path not in (("version",), ("snapshot",), ("execution_id",))]


def broken(tree: Json, path: tuple[str | int, ...], value: Json, *, is_absent: bool) -> Json:
    holder = tree
    for step in path[:-1]:
        holder = holder[step]
    if is_absent:
        del holder[path[-1]]
    else:
        holder[path[-1]] = copy.deepcopy(value)
    return tree


def test_a_checkpoint_with_all_members_breaks_no_rule() -> None:
    assert AgentCheckpoint.of_tree(whole()).tree() == whole()


@given(st.sampled_from(_PATHS), _ODD, st.booleans())
def test_what_is_loaded_breaks_no_rule_and_what_is_refused_does(
    path: tuple[str | int, ...], value: Json, is_absent: bool
) -> None:
    tree = broken(whole(), path, value, is_absent=is_absent)
    violations = rules.report_on(tree).at_least(Severity.VIOLATION)
    try:
        AgentCheckpoint.model_validate(tree)
    except ValidationError:
        assert violations
    if violations:
        with pytest.raises(InvalidCheckpoint) as refused:
            AgentCheckpoint.of_tree(tree)
        assert refused.value.findings == violations
    else:
        AgentCheckpoint.of_tree(tree)


def test_integers_that_no_float_holds_are_numbers() -> None:
    tree = broken(whole(), ("snapshot", "context", "memory", 0, "importance"), 10**400, is_absent=False)
    assert AgentCheckpoint.of_tree(tree).tree() == tree
    tree = broken(whole(), ("snapshot", "thought_chain", 0, "alternatives", 0, "confidence"), 10**400, is_absent=False)
    with pytest.raises(InvalidCheckpoint, match="/alternatives/0/confidence"):
        AgentCheckpoint.of_tree(tree)


def test_a_value_of_the_wrong_type_is_refused_even_if_no_rule_minds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "report_on", lambda *_: Report("agent", (), {}))
    with pytest.raises(
        InvalidCheckpoint, match=r"/snapshot/thought_chain/1/confidence AD011 .*; found float"
    ) as refused:
        AgentCheckpoint.of_tree(broken(whole(), ("snapshot", "thought_chain", 1, "confidence"), 1.5, is_absent=False))
    assert {found.rule for found in refused.value.findings} == {"agent-value"}
