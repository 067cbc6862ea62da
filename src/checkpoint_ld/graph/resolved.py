"""What PyLD says about our own contexts, found out beforehand: a usual document is read without importing it.

PyLD takes 80 ms to import, half of what reading a small document takes. `contexts/resolved.json` holds nothing but its
answers, for documents as Karenina writes them; `python docs/resolved_contexts.py` asks for them again, and a test
holds each of them against PyLD. What does not stand there is asked of PyLD as before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson

from checkpoint_ld import data

FILE = "resolved.json"
CONTEXTS = ("karenina-plain.jsonld", "karenina.jsonld")
"""The contexts whose definitions are known."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is known about objects of one type at one place: the IRI of the type, and keys that mean what they seem."""

    type: str | None = None
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Resolved:
    """What is known: definitions by the file of a context, objects by their place, IRIs by names in the vocabulary."""

    definitions: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def place(self, kind: str | None, via: str | None) -> Place:
        """Return what is known about objects of the type `kind`, `via` the member that decides what their keys mean."""
        return self.places.get(label(kind, via), _UNKNOWN)


_UNKNOWN = Place()


def label(kind: str | None, via: str | None) -> str:
    """Return how a place is called in the file."""
    return f"{via or ''}/{kind or ''}"


@cache
def resolved() -> Resolved:
    """Return all that is known."""
    held = orjson.loads(data.text("contexts", FILE))
    places = {name: Place(one["type"], frozenset(one["keys"])) for name, one in held["places"].items()}
    return Resolved(held["definitions"], places, held["names"])
