"""Telling agent checkpoints from other documents, and the two shapes from each other.

Both shapes call themselves version 0.0.1, so that the structure tells: the canonical shape has its thoughts in an
array, the second one, which an existing TypeScript program writes, in an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.arguments import checked
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.errors import ShapeError
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agent.values import Shape
    from checkpoint_ld.findings import Finding

CALL_LISTS: Final = ("pending", "running", "completed", "failed")
"""Where the second shape has the calls of tools, by what became of them."""

_SHOWN = 8
_BENCHMARK = frozenset(("dataFeedElement", "@graph", "hasPart", "questions", "checkpoint"))
_Path = tuple[str, ...]


def is_agent(value: Any) -> bool:
    """Tell whether a JSON value is an agent checkpoint, be it a broken one, and not a benchmark or something else."""
    return isinstance(value, dict) and "snapshot" in value and "execution_id" in value


@checked
def detect_shape(data: Any) -> Shape:
    """Tell the shape of an agent checkpoint by its structure.

    Raises ShapeError, with the members seen, where nothing tells, where both shapes are mixed, and for what is no
    agent checkpoint.
    """
    if not is_agent(data):
        raise ShapeError.of([_no_agent(data)])
    second, canonical = list(_signs_of_second(data)), list(_signs_of_canonical(data))
    if second and canonical:
        message = (
            f"members of both shapes are mixed: {_listed(canonical)} of the canonical one, {_listed(second)} of the "
            "second one"
        )
        raise ShapeError.of([finding("agent-shape", message, pointer=pointer(second[0]))])
    if second:
        return "second"
    if canonical:
        return "canonical"
    raise ShapeError.of([_untold(data)])


def _signs_of_second(data: Mapping[str, Any]) -> Iterator[_Path]:
    snapshot = _inside(data, "snapshot")
    if "steps" in _inside(snapshot, "thought_chain"):
        yield "snapshot", "thought_chain", "steps"
    if "messages" in _inside(snapshot, "context"):
        yield "snapshot", "context", "messages"
    for name in CALL_LISTS:
        if name in _inside(snapshot, "tool_state"):
            yield "snapshot", "tool_state", name


def _signs_of_canonical(data: Mapping[str, Any]) -> Iterator[_Path]:
    """Yield what only the canonical shape has.

    An array of thoughts is the sign. The others stand in for it where the thoughts are something else by mistake, and
    keep two members that mean the same from being read as one.
    """
    snapshot = _inside(data, "snapshot")
    if isinstance(snapshot.get("thought_chain"), list):
        yield "snapshot", "thought_chain"
    if "history" in _inside(snapshot, "context"):
        yield "snapshot", "context", "history"
    for name in ("calls", "results"):
        if name in _inside(snapshot, "tool_state"):
            yield "snapshot", "tool_state", name


def _inside(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _untold(data: Mapping[str, Any]) -> Finding:
    snapshot = data["snapshot"]
    if not isinstance(snapshot, dict):
        seen = "it is no object"
    else:
        seen = f"it has the members {_names(snapshot)}" if snapshot else "it is empty"
    return finding("agent-shape", f"nothing tells the shape of the snapshot: {seen}", pointer="/snapshot")


def _no_agent(data: Any) -> Finding:
    names = data.keys() if isinstance(data, dict) else ()
    if not _BENCHMARK.isdisjoint(names):
        message = f"this is a benchmark, not an agent checkpoint: it has the members {_names(data)}"
        return finding("agent-family", message, pointer="")
    seen = f"an object with the members {_names(data)}" if names else "an object without members"
    if not isinstance(data, dict):
        seen = "an array" if isinstance(data, list) else "no object"
    message = f"this is no agent checkpoint but {seen}: it needs snapshot and execution_id"
    return finding("agent-shape", message, pointer="")


def _names(value: Mapping[str, Any]) -> str:
    names = [shown(str(name)) for name in list(value)[:_SHOWN]]
    return ", ".join(names) + (f" and {len(value) - _SHOWN} more" if len(value) > _SHOWN else "")


def _listed(paths: list[_Path]) -> str:
    return ", ".join(pointer(path) for path in paths)
