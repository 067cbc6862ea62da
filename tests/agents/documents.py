"""Agent checkpoints of our own making: small ones in both shapes, and hypothesis strategies for all others."""

from typing import Any

from hypothesis import strategies as st

Json = Any

MOMENT = 1_738_790_400_000


def thought(identifier: str = "t1", **members: Json) -> Json:
    return {"id": identifier, "type": "reasoning", "content": "look first", "created_at": MOMENT - 900, **members}


def call(identifier: str = "c1", **members: Json) -> Json:
    usual = {"tool_id": "grep", "args": {"q": "x"}, "success": True, "started_at": MOMENT - 800}
    return {"id": identifier, **usual, **members}


def checkpoint(thoughts: Json = None, calls: Json = None, results: Json = None, **members: Json) -> Json:
    thoughts = [thought(confidence=0.8)] if thoughts is None else thoughts
    calls = [call()] if calls is None else calls
    return {
        "version": "0.0.1",
        "id": "ckpt_1",
        "timestamp": MOMENT,
        "execution_id": "exec_1",
        "agent_id": "agent_1",
        "snapshot": {
            "thought_chain": thoughts,
            "context": {"variables": {"task": "sort"}, "state": {}, "history": []},
            "tool_state": {"calls": calls, "results": {"c1": ["a"]} if results is None else results},
            "progress": {"step_number": 1, "total_thoughts": len(thoughts), "total_tool_calls": len(calls)},
        },
        "metadata": {"step_number": 1, "tokens_used": 10, "duration_ms": 20, "checkpoint_reason": "thought_completed"},
        **members,
    }


def second(**members: Json) -> Json:
    """Return a checkpoint in the second shape, as its program writes it."""
    step = {"id": "t1", "type": "planning", "content": "look first", "confidence": 0.9, "children": []}
    done = {"id": "c1", "tool_id": "grep", "arguments": {"q": "x"}, "status": "completed", "result": ["a"]}
    failed = {"id": "c2", "tool_id": "bash", "arguments": {}, "status": "failed", "error": "boom"}
    counts = {"tokens_used": 10, "duration_ms": 20}
    return {
        **checkpoint(),
        "snapshot": {
            "thought_chain": {"current_step_id": "t1", "steps": [{**step, "timestamp": MOMENT - 900}]},
            "context": {"messages": [{"role": "user", "content": "hi"}], "variables": {"task": "sort"}},
            "tool_state": {
                "pending": ["c3"],
                "running": [],
                "completed": [{**done, "timestamp": MOMENT - 800}],
                "failed": [{**failed, "timestamp": MOMENT - 700}],
            },
            "progress": {"step_number": 1, "iterations_completed": 1, **counts},
        },
        "metadata": {"step_number": 1, **counts, "checkpoint_reason": "step_complete", "agent_id": "agent_1"},
        **members,
    }


# Ids and keys that break what takes them for IRIs, pointers, paths or patterns.
_HOSTILE = ("a b", '<x>"\\', "_:b0", "../x", "/x", "a~1b", "~0", "@id", "CON", "é", "\x00", "id", "0", "-")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
ids = st.sampled_from(_HOSTILE) | texts.filter(bool)
_numbers = st.one_of(
    st.integers(-3, 3),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1.0, 0.0, -0.0, 2**53 + 1, 12345678901234567890123, 1e21]),
)
values = st.recursive(
    st.none() | st.booleans() | _numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts | ids, inner, max_size=3),
    max_leaves=6,
)
_objects = st.dictionaries(texts | ids, values, max_size=3)
_moments = st.integers(0, MOMENT)
_counts = st.integers(0, 2**53 - 1)
_amounts = _counts | st.floats(0, 1e6)
_units = st.sampled_from([0, 1, 0.0, 1.0, 0.5])

# The names that the second shape has for something else are names that nobody knows in the canonical one.
_UNKNOWN = (
    *("note", "timestamp", "arguments", "args", "result", "created_at", "steps", "zz", "@id"),
    "thought_chain_extra",
)


def _object(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Json]:
    """Return objects with some of the optional members, null now and then, and with some that nobody knows."""
    maybe = {name: one | st.none() for name, one in optional.items()}
    known = st.fixed_dictionaries(required, optional=maybe)
    free = [name for name in _UNKNOWN if name not in required and name not in optional]
    unknown = st.dictionaries(st.sampled_from(free), values, max_size=2)
    return st.builds(lambda one, other: {**other, **one}, known, unknown)


def _chain(found: list[str]) -> st.SearchStrategy[list[Json]]:
    kinds = st.sampled_from(["planning", "observation", "action", "musing"])
    optional = {
        "confidence": _units,
        "parent_id": st.sampled_from([*found, "elsewhere"]),
        "reasoning": texts,
        "alternatives": st.lists(values, max_size=2),
        "children": st.lists(ids, max_size=2),
        "metadata": _objects,
    }
    return st.tuples(
        *(
            _object({"id": st.just(one), "type": kinds, "content": texts, "created_at": _moments}, optional)
            for one in found
        )
    ).map(list)


def _call(identifier: str) -> st.SearchStrategy[Json]:
    held = {"tool_id": ids, "args": _objects, "started_at": _moments}
    optional = {"error": texts, "completed_at": _moments, "duration_ms": _amounts}
    ended = _object(
        {"id": st.just(identifier), "success": st.booleans(), **held},
        {**optional, "status": st.sampled_from(["completed", "failed", "cancelled"])},
    )
    in_flight = _object({"id": st.just(identifier)}, {**held, "status": st.sampled_from(["pending", "running", "odd"])})
    return ended | in_flight


def _snapshot(thought_ids: list[str], call_ids: list[str]) -> st.SearchStrategy[Json]:
    results = st.dictionaries(st.sampled_from(call_ids) | ids if call_ids else ids, values, max_size=4)
    return _object(
        {
            "thought_chain": _chain(thought_ids),
            "context": _object(
                {"variables": _objects, "state": _objects, "history": st.lists(values, max_size=2)},
                {"memory": st.lists(values, max_size=2)},
            ),
            "tool_state": _object(
                {"calls": st.tuples(*map(_call, call_ids)).map(list), "results": results}, {"last_tool_call_id": ids}
            ),
            "progress": _object(
                {"step_number": _counts, "total_thoughts": _counts, "total_tool_calls": _counts},
                {"iterations_completed": _counts, "tokens_used": _counts, "duration_ms": _amounts},
            ),
        },
        {"current_step_id": ids},
    )


_some_ids = st.lists(ids, max_size=4, unique=True)
_metadata = _object(
    {
        "step_number": _counts,
        "tokens_used": _counts,
        "duration_ms": _amounts,
        "checkpoint_reason": st.sampled_from(["paused", "execution_failed", "decision", "step_complete", "why not"]),
    },
    {"agent_name": texts, "agent_id": ids},
)
checkpoints = _object(
    {
        "version": st.just("0.0.1"),
        "id": ids,
        "timestamp": _moments,
        "execution_id": ids,
        "agent_id": ids,
        "snapshot": st.tuples(_some_ids, _some_ids).flatmap(lambda found: _snapshot(*found)),
        "metadata": _metadata,
    },
    {
        "parent": _object({"checkpoint_id": ids}, {"is_branch": st.booleans(), "branch_reason": texts}),
        "name": texts,
        "about": _object({"question": texts}, {"replicate": _counts}),
        "diff": _objects,
        "canonical_patch": values,
    },
)
"""Canonical trees, valid in the types of their members, with all that is hard to keep."""
