"""What is at odds about calls of tools: times, status, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.agent.rules.moments import is_before, late
from checkpoint_ld.agent.rules.parts import CALL, METADATA
from checkpoint_ld.checks.readings import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agent.rules.parts import Part, Parts
    from checkpoint_ld.agent.rules.values import Told

_EXPECTED = {True: ("completed",), False: ("failed", "cancelled"), None: ("pending", "running")}
_KNOWN = frozenset(status for expected in _EXPECTED.values() for status in expected)
_SAID = {True: "success is true", False: "success is false", None: "there is no success, as long as it is in flight"}


def odd(parts: Parts) -> Iterator[tuple[Part, Told]]:
    """Yield what is at odds about the calls of a checkpoint."""
    metadata = parts.one(METADATA)
    is_complete = metadata is not None and metadata.tree.get("checkpoint_reason") == "execution_completed"
    for part in parts.of(CALL):
        call = part.tree
        for key in ("started_at", "completed_at"):
            if late(parts, part, key):
                yield part, ("afterCheckpoint", key, "/" + key, shown(parts.tree["timestamp"]))
        if is_before(call.get("completed_at"), call.get("started_at")):
            yield part, ("completedEarly", call["completed_at"], "/completed_at", shown(call["started_at"]))
        success = call.get("success")
        if success is None and is_complete:
            yield part, ("inFlightAtEnd", True, "", "")
        if success is None or isinstance(success, bool):
            yield from _end(part, success)


def _end(part: Part, success: bool | None) -> Iterator[tuple[Part, Told]]:
    """Look at how a call ended, or that it did not."""
    status, error = part.tree.get("status"), part.tree.get("error")
    if isinstance(status, str) and status in _KNOWN and status not in _EXPECTED[success]:
        yield part, ("statusAgainstSuccess", status, "/status", _SAID[success])
    if success is True and isinstance(error, str) and error:
        yield part, ("errorOfSuccess", error, "/error", "")
    if success is False and status != "cancelled" and (error is None or error == ""):
        yield part, ("failedWithoutError", True, "/error", "")
