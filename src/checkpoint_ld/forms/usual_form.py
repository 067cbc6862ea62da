"""The usual form: most documents have nothing in them that has to be put right, which one quick walk can tell.

Keys and types of values say most of it, and few objects have any that were not seen before: that they are found out
once takes a third of the time off.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.forms.plain import MEMBERS, STRUCTURE
from checkpoint_ld.graph.terms import is_property_value
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from checkpoint_ld.forms.plain import Tree
    from checkpoint_ld.forms.spelling import Spelling
    from checkpoint_ld.graph.terms import Term, TermTable

_SCALARS = frozenset((str, int, float, bool, type(None)))


class _Holds(Enum):
    """What a member may hold for its object to be a usual one."""

    ANYTHING = auto()
    PLAIN_VALUES = auto()
    OBJECTS = auto()
    A_KIND = auto()


class _Key(NamedTuple):
    holds: _Holds
    is_set: bool
    term: Term | None


class Usual:
    """Tells whether a document stays as it is; where it is in doubt it says no, and the longer way decides."""

    def __init__(self, table: TermTable, spelling: Spelling) -> None:
        self._table = table
        self._spelling = spelling
        self._unsettled: dict[tuple[object, ...], list[tuple[str, _Key]]] = {}

    def is_usual(self, tree: Tree) -> bool:
        """Tell whether `literal_form` would find a document literal and change nothing in it."""
        context = tree.get("@context")
        return not isinstance(context, list) and self._object(
            {key: value for key, value in tree.items() if key != "@context"}, None
        )

    def _object(self, tree: Tree, via: Term | None) -> bool:
        kind = tree.get("@type")
        if not isinstance(kind, str | None):
            return False
        shape = id(via), kind, *tree, *map(type, tree.values())
        members = self._unsettled.get(shape)
        if members is None:
            members = self._members(tree, kind, via)
            if members is None:
                return False
            self._unsettled[shape] = members
        for key, known in members:  # noqa: SIM110 - a generator would take as long as what it yields
            if not self._fits(tree[key], known):
                return False
        return True

    def _members(self, tree: Tree, kind: str | None, via: Term | None) -> list[tuple[str, _Key]] | None:
        """Return the members that have to be looked at in each object of these keys and types, None if one is odd."""
        if not self._spelling.is_plain_type(kind) or (kind or "").startswith("karenina:Scenario"):
            return None
        members = []
        for key, value in tree.items():
            known = self._key(key, kind, via)
            if known is None:
                return None
            if known.holds is _Holds.A_KIND or (known.holds is not _Holds.ANYTHING and type(value) in (list, dict)):
                members.append((key, known))
            elif known.holds is not _Holds.ANYTHING and not self._fits(value, known):
                return None
        return members

    def _fits(self, value: Any, known: _Key) -> bool:
        kind = type(value)
        if known.holds is _Holds.A_KIND:
            return kind is str and not value.startswith(KARENINA) and self._spelling.is_plain_type(value)
        if kind is list:
            if not known.is_set:
                return False
            if known.holds is not _Holds.OBJECTS:
                return _SCALARS.issuperset(map(type, value))
            for one in value:  # noqa: SIM110 - as above
                if type(one) is not dict or not self._fits_object(one, known):
                    return False
            return True
        if kind is dict:
            return known.holds is _Holds.OBJECTS and not known.is_set and self._fits_object(value, known)
        return kind in _SCALARS and not (known.is_set and kind is str)

    def _fits_object(self, value: Tree, known: _Key) -> bool:
        is_reference = len(value) == 1 and "@id" in value
        return not is_reference and self._object(value, known.term)

    def _key(self, key: str, kind: str | None, via: Term | None) -> _Key | None:
        """Return what `key` may hold at an object of the type `kind`, None if that has to be looked at closely."""
        term = self._table.at(via, kind).by_key.get(key)
        if key in ("@id", "@type"):
            return _Key(_Holds.ANYTHING, is_set=False, term=None)
        if key.startswith("@") or not self._spelling.is_plain_key(key) or (term and term.container == "@index"):
            return None
        if key == "additionalType":
            return _Key(_Holds.A_KIND, is_set=False, term=term)
        is_literal = (is_property_value(kind, via) and key == "value") or (term and term.coercion == "@json")
        if is_literal and (key == "value" or key not in MEMBERS):
            return _Key(_Holds.ANYTHING, is_set=False, term=term)
        holds = _Holds.OBJECTS if key in STRUCTURE else _Holds.PLAIN_VALUES
        return _Key(holds, is_set=term is not None and term.container == "@set", term=term)
