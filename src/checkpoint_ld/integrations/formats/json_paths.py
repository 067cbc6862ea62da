"""JSONPath (RFC 9535), of which names, indexes and all members are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from checkpoint_ld.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STEP = re.compile(r"\.([^.\[\]*'\"()?@\s]+)|\.?\[\s*(?:'([^']*)'|\"([^\"]*)\"|(\d+)|(\*))\s*\]|\.(\*)")
"""A step of a JSONPath (RFC 9535): a name, an index or all members."""
ALL: Final = None
"""The step to all members of an array or an object; names and indexes are texts and numbers."""
Path: TypeAlias = tuple[str | int | None, ...]
"""The steps of a path."""


def parsed(path: str, place: str) -> Path:
    """Return the steps of a JSONPath. Raises ReadError for one that selects in another way than by names and places."""
    start, steps = len(path) - len(path.removeprefix("$")), list[str | int | None]()
    while start < len(path):
        step = _STEP.match(path, start)
        if step is None:
            raise ReadError(f"{place}: of the path {path!r}, {path[start:]!r} is not read; names, [n] and [*] are")
        name, single, double, index, *wild = step.groups()
        names = [text for text in (name, single, double) if text is not None]
        steps.append(ALL if any(wild) else int(index) if index else names[0])
        start = step.end()
    return tuple(steps)


def level(path: Path) -> Path:
    """Return the part of a path up to its last step to all members: the place of the records."""
    return path[: max((number for number, step in enumerate(path, 1) if step is ALL), default=0)]


def common(paths: Sequence[Path]) -> Path:
    """Return the steps with which all paths begin."""
    first = paths[0]
    most = next(
        (number for number in range(len(first)) if any(path[: number + 1] != first[: number + 1] for path in paths)),
        len(first),
    )
    return first[:most]


def find(value: Any, steps: Path) -> Iterator[Any]:
    """Yield the values to which steps lead, in their order."""
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if step is ALL:
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from find(item, rest)
    elif isinstance(value, dict) and step in value:
        yield from find(value[str(step)], rest)
    elif isinstance(value, list) and isinstance(step, int) and step < len(value):
        yield from find(value[step], rest)
