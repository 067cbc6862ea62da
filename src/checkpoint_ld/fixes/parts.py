"""The parts of a checkpoint that fixes look at: the objects of a DataFeed as they stand in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.vocabulary import SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.documents.text import Path

_MEMBERS = {
    "root": ("creator", "rating", "dataFeedElement", "additionalProperty"),
    "dataFeedElement": ("item", "additionalProperty"),
    "item": ("acceptedAnswer", "hasPart", "rating", "additionalProperty"),
    "rating": ("additionalProperty",),
}
"""What is looked into, by the member that an object stands in. Scenarios are not: Karenina compares their keys."""


@dataclass(frozen=True, slots=True)
class Part:
    """One object of a checkpoint: `member` is the one that it stands in, `root` for the root; `owner` holds it.

    `contexts` are those of the objects around it and its own, the outermost first.
    """

    path: Path
    member: str
    value: dict[str, Any]
    owner: str = ""
    contexts: tuple[Any, ...] = ()


def parts(tree: dict[str, Any]) -> Iterator[Part]:
    """Yield the objects of a DataFeed in the order of the file, whether their keys are plain or full IRIs."""
    yield from _below(Part((), "root", tree, contexts=_contexts((), tree)))


def _below(part: Part) -> Iterator[Part]:
    yield part
    for key, value in part.value.items():
        member = key.removeprefix(SCHEMA).removeprefix(SCHEMA_HTTP)
        if member not in _MEMBERS.get(part.member, ()):
            continue
        path = (*part.path, key)
        entries = [(path, value)] if isinstance(value, dict) else []
        if isinstance(value, list):
            entries = [((*path, at), entry) for at, entry in enumerate(value)]
        for at, entry in entries:
            if isinstance(entry, dict):
                yield from _below(Part(at, member, entry, part.member, _contexts(part.contexts, entry)))


def _contexts(around: tuple[Any, ...], value: dict[str, Any]) -> tuple[Any, ...]:
    own = value.get("@context", [])
    return (*around, *(own if isinstance(own, list) else [own]))
