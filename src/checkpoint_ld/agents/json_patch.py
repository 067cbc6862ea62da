"""JSON Patch (RFC 6902): the operations that turn one document into another, and their application.

Arrays of objects that have identifiers are matched by these, all others by place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonpatch
import jsonpointer

from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import ABSENT, changes, copied
from checkpoint_ld.errors import ReadError
from checkpoint_ld.phrases import head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Operation = dict[str, Any]
"""One operation, as it stands in a patch."""

_SHOWN = 200
"""The characters of the reason for a refusal, which may repeat the document."""


def patch(before: Any, after: Any) -> list[Operation]:
    """Return the operations that turn `before` into `after`, exactly: 1 and 1.0 are different.

    The order of the members of objects is left as it comes. Values of operations are those of `after`, not copies.
    """
    operations: list[Operation] = []
    for change in changes(before, after, identify=_identified, exact=True):
        path = pointer(change.path)
        if change.source is not None:
            operations.append({"op": "move", "from": pointer(change.source), "path": path})
        elif change.after is ABSENT:
            operations.append({"op": "remove", "path": path})
        else:
            operations.append(
                {"op": "add" if change.before is ABSENT else "replace", "path": path, "value": change.after}
            )
    return operations


def guarded(document: Any, operations: Iterable[Operation]) -> Iterator[Operation]:
    """Yield the operations of a patch for `document`, with a test before each that removes or replaces a value."""
    current = copied(document)
    for number, operation in enumerate(operations, 1):
        if operation["op"] in ("remove", "replace", "move"):
            path = str(operation.get("from", operation["path"]))
            yield {"op": "test", "path": path, "value": copied(jsonpointer.resolve_pointer(current, path))}
        yield operation
        current = _changed(current, operation, number)


def reordered(before: Sequence[str], after: Mapping[str, Any], where: str) -> list[Operation]:
    """Return operations that bring the members of the object at `where` into the order of `after`.

    `before` holds the same names in their order there. The operations remove members and add them again at the end:
    programs keep members in the order in which they were added.
    """
    places = {name: place for place, name in enumerate(before)}
    names, last, kept = list(after), -1, 0
    while kept < len(names) and places[names[kept]] > last:
        last = places[names[kept]]
        kept += 1
    found: list[Operation] = []
    for name in names[kept:]:
        path = where + pointer([name])
        found += [{"op": "remove", "path": path}, {"op": "add", "path": path, "value": after[name]}]
    return found


def applied(document: Any, operations: Iterable[Any]) -> Any:
    """Return a document with the operations of a patch applied; `document` is not changed.

    Raises ReadError for what is no operation, for a path that leads nowhere, and for a test that fails.
    """
    document = copied(document)
    for number, operation in enumerate(operations, 1):
        document = _changed(document, operation, number)
    return document


def _changed(document: Any, operation: Any, number: int) -> Any:
    """Apply one operation in place; return the document, which may be another one."""
    try:
        return jsonpatch.JsonPatch([copied(operation)]).apply(document, in_place=True)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else head(str(error), _SHOWN)
        raise ReadError(f"operation {number} of the patch cannot be applied: {reason}") from error


def _identified(values: list[Any]) -> dict[str, Any] | None:
    """Return the objects of an array by their identifiers; None if one has none, or two have the same."""
    found = {value["id"]: value for value in values if isinstance(value, dict) and isinstance(value.get("id"), str)}
    return found if len(found) == len(values) else None
