"""JSON Patch (RFC 6902): the operations that turn one document into another, and their application.

Arrays of objects that have identifiers are matched by these, all others by place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.text import pointer, steps_of
from checkpoint_ld.documents.values import ABSENT, changes, copied, same
from checkpoint_ld.errors import ReadError
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Operation = dict[str, Any]
"""One operation, as it stands in a patch."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)


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
    root = [copied(document)]
    for operation in operations:
        if operation["op"] in ("remove", "replace", "move"):
            path = operation.get("from", operation["path"])
            yield {"op": "test", "path": path, "value": copied(_value(root, _steps({"path": path}, "path")))}
        yield operation
        _apply(root, operation)


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
    root = [copied(document)]
    for operation in operations:
        _apply(root, operation)
    return root[0]


def _identified(values: list[Any]) -> dict[str, Any] | None:
    """Return the objects of an array by their identifiers; None if one has none, or two have the same."""
    found = {value["id"]: value for value in values if isinstance(value, dict) and isinstance(value.get("id"), str)}
    return found if len(found) == len(values) else None


def _apply(root: list[Any], operation: Any) -> None:
    """Carry out one operation on the document, which is the one element of `root`."""
    if not isinstance(operation, dict):
        raise ReadError("an operation of the patch is no object")
    kind, path = operation.get("op"), _steps(operation, "path")
    if kind in ("move", "copy"):
        source = _steps(operation, "from")
        if kind == "move" and path[: len(source)] == source and path != source:
            raise ReadError(f"the patch moves {shown(operation['from'])} into itself")
        value = _value(root, source)
        if kind == "move":
            _remove(root, source)
        _add(root, path, copied(value))
    elif kind == "remove":
        _remove(root, path)
    elif kind not in ("add", "replace", "test") or "value" not in operation:
        raise ReadError(f"{shown(str(kind))} is no operation of a patch, or has no value")
    elif kind == "add":
        _add(root, path, copied(operation["value"]))
    elif kind == "test":
        if not same(_value(root, path), operation["value"]):
            raise ReadError(f"the test of {shown(operation['path'])} in the patch fails")
    else:
        holder, key = _holder(root, path)
        _member(holder, key)
        holder[key] = copied(operation["value"])


def _steps(operation: dict[str, Any], name: str) -> list[str]:
    text = operation.get(name)
    if not isinstance(text, str) or not (text == "" or text.startswith("/")):
        raise ReadError(f"the {name} of an operation of the patch is no JSON Pointer")
    # The document is the only element of an array, so that its root has a place like any value.
    return ["0", *steps_of(text)]


def _holder(root: list[Any], path: list[str]) -> tuple[Any, Any]:
    """Return the container of the last step of a path, and that step as a key or an index, which may not exist yet."""
    holder: Any = root
    for number, step in enumerate(path):
        key: Any = step
        if isinstance(holder, list) and (step == "-" or _INDEX.fullmatch(step)):
            key = len(holder) if step == "-" else int(step)
        elif not isinstance(holder, dict):
            raise _nowhere(step)
        if number < len(path) - 1:
            holder = _member(holder, key)
    return holder, key


def _member(holder: Any, key: Any) -> Any:
    if key in holder if isinstance(holder, dict) else key < len(holder):
        return holder[key]
    raise _nowhere(key)


def _nowhere(step: Any) -> ReadError:
    return ReadError(f"the patch leads nowhere at {shown(str(step))}")


def _value(root: list[Any], path: list[str]) -> Any:
    return _member(*_holder(root, path))


def _remove(root: list[Any], path: list[str]) -> None:
    holder, key = _holder(root, path)
    _member(holder, key)
    if holder is root:
        root[0] = None
    else:
        del holder[key]


def _add(root: list[Any], path: list[str], value: Any) -> None:
    holder, key = _holder(root, path)
    if isinstance(holder, dict) or holder is root:
        holder[key] = value
    elif key > len(holder):
        raise _nowhere(key)
    else:
        holder.insert(key, value)
