"""The usual form: most documents have nothing in them that has to be put right, which one quick walk can tell."""

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

_SCALARS = (str, int, float, bool, type(None))
_REFERENCE = frozenset({"@id"})


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
        self._keys: dict[tuple[str | None, str | None], dict[str, _Key]] = {}

    def is_usual(self, tree: Tree) -> bool:
        """Tell whether `literal_form` would find a document literal and change nothing in it."""
        context = tree.get("@context")
        return not isinstance(context, list) and self._object(
            {key: value for key, value in tree.items() if key != "@context"}, None
        )

    def _object(self, tree: Tree, via: Term | None) -> bool:
        kind = tree.get("@type")
        if not isinstance(kind, str | None) or "@context" in tree:
            return False
        place = kind, None if via is None else via.key
        keys = self._keys.get(place)
        if keys is None:
            keys = self._keys[place] = {}
            if not self._spelling.is_plain_type(kind) or (kind or "").startswith("karenina:Scenario"):
                return False
        elif not keys:
            return False
        for key, value in tree.items():
            known = keys.get(key)
            if known is None:
                known = self._key(key, kind, via)
                if known is None:
                    return False
                keys[key] = known
            if known.holds is not _Holds.ANYTHING and not self._fits(value, known):
                return False
        return True

    def _fits(self, value: Any, known: _Key) -> bool:
        kind = type(value)
        if known.holds is _Holds.A_KIND:
            return kind is str and not value.startswith(KARENINA) and self._spelling.is_plain_type(value)
        if kind is list:
            if known.holds is _Holds.OBJECTS and known.is_set:
                return all(type(one) is dict and self._fits_object(one, known) for one in value)
            return known.is_set and all(type(one) in _SCALARS for one in value)
        if kind is dict:
            return known.holds is _Holds.OBJECTS and not known.is_set and self._fits_object(value, known)
        return kind in _SCALARS and not (known.is_set and kind is str)

    def _fits_object(self, value: Tree, known: _Key) -> bool:
        return value.keys() != _REFERENCE and self._object(value, known.term)

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
