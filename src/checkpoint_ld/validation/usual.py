"""What is usual: values that a tree and its graph tell alike, in objects with the same keys at one kind of place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.graph.plans import Reading
from checkpoint_ld.roles import ARRAYS, KEYS

if TYPE_CHECKING:
    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.plans import Plan as Meaning
    from checkpoint_ld.validation.kinds import Place

TEXTS = frozenset({str})
LISTS = frozenset({list})
OBJECTS = frozenset({dict})
CONTAINERS = frozenset((list, dict))
_NOTHING: frozenset[type] = frozenset()

AS_THEY_STAND: dict[Reading, frozenset[type]] = {
    Reading.PLAIN: frozenset((str, int, float, bool)),
    Reading.DATE: TEXTS,
    Reading.DOUBLE: frozenset({float}),
    Reading.NAME: TEXTS,
    Reading.PROPERTY: frozenset((str, int, float, bool, type(None), list, dict)),
}
"""The types of values that are read as they stand."""


class Member(NamedTuple):
    """A member: its key, what that means, and the types of its values that are read as they stand.

    `known` is None for the type and the identifier. `is_texts` says that the values are arrays of texts.
    """

    key: str
    known: KeyPlan | None
    types: frozenset[type]
    is_texts: bool = False


class Usual(NamedTuple):
    """The members of objects with the same `keys`; `arrays` are the keys of those that hold several values."""

    keys: tuple[str, ...]
    members: tuple[Member, ...]
    arrays: tuple[str, ...]
    has_identifier: bool


def usual(place: Place, meaning: Meaning, keys: tuple[str, ...]) -> Usual | None:
    """Return what is usual for objects at a place where keys have this meaning; None if they have no type.

    Raises NotCoveredError for keys that only JSON-LD as a whole can read.
    """
    if "@type" not in keys:
        return None
    members = tuple(
        _member(key, known, place) for key, known in zip(keys, meaning.members(keys), strict=True) if key != "@type"
    )
    arrays = tuple(one.key for one in members if one.known is not None and one.known.is_set)
    return Usual(keys, members, arrays, "@id" in keys)


def _member(key: str, known: KeyPlan | None, place: Place) -> Member:
    if known is None:
        return Member(key, None, TEXTS)
    is_part = known.predicate in place.by_predicate
    if known.is_set:
        is_usual = key in ARRAYS and key in KEYS.get(place.role, ()) and (is_part or known.reading is Reading.PLAIN)
        return Member(key, known, LISTS if is_usual else _NOTHING, is_texts=not is_part)
    if known.container is not None or (is_part and not known.has_objects):
        return Member(key, known, _NOTHING)
    return Member(key, known, OBJECTS if is_part else AS_THEY_STAND.get(known.reading, _NOTHING))
