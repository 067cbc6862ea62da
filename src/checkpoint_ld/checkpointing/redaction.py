"""Redaction: what must not be kept is taken out of a checkpoint before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.runtime.frozen_json import thawed
from checkpoint_ld.stores.protocol import amended

if TYPE_CHECKING:
    from collections.abc import Iterable

REDACTED: Final = "[redacted]"
"""What stands where something was taken out."""

Redaction = Sequence[str] | Callable[[dict[str, Any]], dict[str, Any]]
"""JSON Pointers (RFC 6901) in which `*` stands for every member, or a function from JSON to JSON."""
Redactor = Callable[[AgentCheckpoint], AgentCheckpoint]

_IDENTITY: Final = ("id", "execution_id", "agent_id")


def redactor(redact: Redaction | None) -> Redactor:
    """Return what redacts a checkpoint; where nothing fits, it gives back the same.

    What it makes of a checkpoint may break rules: it raises InvalidCheckpoint then, and SettingsError where the
    checkpoint's identity does not stay. Raises SettingsError for what is no JSON Pointer.
    """
    if redact is None:
        return _nothing
    if callable(redact):
        return lambda checkpoint: _checked(checkpoint, redact(thawed(checkpoint.tree())))
    paths = [_steps(pointer) for pointer in redact]

    def by_pointers(checkpoint: AgentCheckpoint) -> AgentCheckpoint:
        tree = before = checkpoint.tree()
        for path in paths:
            tree = _masked(tree, path)
        return checkpoint if tree is before else _checked(checkpoint, tree)

    return by_pointers


def redacted_changes(checkpoint: AgentCheckpoint, changes: Mapping[str, Any], redacted: Redactor) -> dict[str, Any]:
    """Return the `changes` that `update_metadata` is to make, with nothing in them that must not be kept.

    Raises InvalidCheckpoint for values that a checkpoint may not have there.
    """
    after = redacted(amended(checkpoint, **changes)).tree()
    became = {name: after.get(name) for name, value in changes.items() if value is not ABSENT and value is not None}
    if "metadata" in became:
        given = changes["metadata"]
        became["metadata"] = {key: None if given[key] is None else after["metadata"].get(key) for key in given}
    return {**changes, **became}


def _nothing(checkpoint: AgentCheckpoint) -> AgentCheckpoint:
    return checkpoint


def _checked(before: AgentCheckpoint, tree: object) -> AgentCheckpoint:
    if not isinstance(tree, dict):
        raise SettingsError(f"the function that redacts returned {type(tree).__name__}: it has to return the object")
    for name in _IDENTITY:
        if tree.get(name) != getattr(before, name):
            raise SettingsError(f"redaction changed {name}, which checkpoints are found by: leave it out")
    return AgentCheckpoint.of_tree(tree)


def _steps(pointer: str) -> list[str]:
    if not pointer.startswith("/"):
        raise SettingsError(f"{pointer!r} is no JSON Pointer to a part of a checkpoint: it begins with '/'")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def _masked(value: Any, path: Sequence[str]) -> Any:
    """Return `value` with what the path leads to replaced; only what is on the way is copied."""
    if not path:
        return value if value == REDACTED else REDACTED
    step, rest = path[0], path[1:]
    inner = {key: value[key] for key in _fitting(value, step)}
    masked = {key: _masked(one, rest) for key, one in inner.items()}
    changed = {key: one for key, one in masked.items() if one is not inner[key]}
    if not changed:
        return value
    copy = dict(value) if isinstance(value, dict) else list(value)
    for key, one in changed.items():
        copy[key] = one
    return copy


def _fitting(value: Any, step: str) -> Iterable[Any]:
    if isinstance(value, dict):
        return value if step == "*" else [step] if step in value else []
    if isinstance(value, list):
        places = range(len(value))
        return places if step == "*" else [place for place in places if str(place) == step]
    return []
