"""Compiled contexts: the meaning of each key at each kind of object, resolved by PyLD once and then remembered.

PyLD resolves all names. Its answer about a key at objects of one type is remembered: the predicate, and the term that a
plain value becomes.
"""

from __future__ import annotations

import json
import re
from enum import Enum, auto
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import URIRef

from checkpoint_ld.graph import contexts, literals
from checkpoint_ld.graph.annotation import is_reference
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.contexts import (
    IDENTIFIER,
    RDF_TYPE,
    Resolved,
    Term,
    expand,
    is_property_value,
    named,
    resolved,
)
from checkpoint_ld.graph.key_order import KEY_ORDER
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, json_text
from checkpoint_ld.vocabulary import KEYS, SCHEMA

if TYPE_CHECKING:
    from checkpoint_ld.graph.contexts import Terms

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_PROBE = "urn:x:probe"
_KEYWORDS = frozenset({"@id", "@type"})
_USUAL = frozenset(chain.from_iterable(KEYS.values()))
"""The keys whose predicates are shared terms."""
_RESERVED = frozenset(map(str, (RDF_TYPE, POSITION, IDENTIFIER, KEY_ORDER)))
"""Predicates that are no members."""
_MOST = 4096
"""So many layouts and keys of objects of one type are remembered, so that documents without repetition fill no memory.
"""


class NotCoveredError(Exception):
    """A document contains something that only PyLD can read."""


class PlainTerm(Enum):
    """The kind of term that a plain value becomes."""

    PLAIN = auto()
    DATE = auto()
    DOUBLE = auto()
    NAME = auto()
    """The IRI of a name of the vocabulary."""
    NODE = auto()
    """An object; a text would be the IRI of one."""
    JSON = auto()
    """One literal, whatever the JSON value."""
    PROPERTY = auto()
    """A literal: native for a scalar, JSON for any other value."""
    SCALAR = auto()
    """The same as a property, but null gives no statement."""
    REFERENCE = auto()
    """The IRI of an identifier, resolved against its base."""


_READINGS = {None: PlainTerm.PLAIN, DATETIME: PlainTerm.DATE, DOUBLE: PlainTerm.DOUBLE, "@vocab": PlainTerm.NAME}
_READINGS |= {"@id": PlainTerm.NODE, "@json": PlainTerm.JSON}


class KeyPlan(NamedTuple):
    """The meaning of one key: its predicate, the way to read its values, and its arrays and maps."""

    key: str
    predicate: URIRef
    reading: PlainTerm
    container: str | None
    term: Term | None
    token: str
    """The key as a token of a minted name."""
    is_set: bool = False
    """Whether an array with one member stays an array."""
    is_text: bool = True
    """Whether a text under this key becomes a plain literal."""
    has_objects: bool = True
    holds: frozenset[type] = frozenset((dict, list))
    """How objects stand under this key: one by itself, several in an array, or either."""

    @classmethod
    def of(cls, term: Term, reading: PlainTerm) -> KeyPlan:
        """Make the plan for the key of a term."""
        key, container = term.key, term.container
        token, is_plain = literals.below("", key)[1:], reading is PlainTerm.PLAIN
        is_text, has_objects = is_plain and container is None, is_plain or reading is PlainTerm.NODE
        return cls(key, named(term.iri), reading, container, term, token, container == "@set", is_text, has_objects)


class Plan:
    """The meaning of the keys of objects of one type at one place."""

    def __init__(self, plans: Plans, kind: str | None, via: Term | None, around: Plan | None) -> None:
        self._plans = plans
        self._kind = kind
        self._via = via
        self._around = around if via is not None and via.scope is not None else None
        self.terms: Terms = plans.table.at(via, kind)
        self._is_property = is_property_value(kind, via)
        self.place = kind, via.key if via is not None and _changes_terms(via) else None
        self._known = plans.resolved.place(*self.place)
        self._keys: dict[str, KeyPlan] = {}
        self._layouts: dict[tuple[str, ...], tuple[KeyPlan | None, ...]] = {}
        self.type: URIRef | None = None if kind is None else self._type(kind)
        self.pattern: dict[Any, Any] = {} if self.type is None else {RDF_TYPE: self.type}
        """The statements of each object before its members."""

    def _type(self, kind: str) -> URIRef:
        if self._known.type is not None:
            return named(self._known.type)
        found = self.expanded({}).get("@type", [])
        if len(found) != 1 or not literals.is_iri(found[0]) or Compaction.type_name(found[0]) != kind:
            raise NotCoveredError
        return named(found[0])

    def members(self, keys: tuple[str, ...]) -> tuple[KeyPlan | None, ...]:
        """Return the meaning of the keys of an object, None for the keywords that identify it.

        Raises NotCoveredError if a key is not simply a predicate, or if two keys share one.
        """
        known = self._layouts.get(keys)
        if known is None:
            plans = self._keys
            self._learn([key for key in keys if key not in _KEYWORDS and key not in plans])
            known = tuple(None if key in _KEYWORDS else plans[key] for key in keys)
            predicates = [one.predicate for one in known if one is not None]
            if len({*predicates, self.type}) <= len(predicates):
                raise NotCoveredError
            if len(self._layouts) >= _MOST or len(plans) >= _MOST:
                self._layouts, self._keys = {}, {}
            self._layouts[keys] = known
        return known

    def _learn(self, new: list[str]) -> None:
        """Find the meaning of keys.

        All keys are expanded together, because PyLD processes the whole context each time. A key that no context
        defines is a name of the vocabulary (JSON-LD 1.1 API §5.2.2, step 7), and needs no expansion. Raises
        NotCoveredError for a key that PyLD reads in another way than our table of terms.
        """
        defined, iris = self.terms.by_key, self.terms.by_iri
        with_term = [defined[key] for key in new if key in defined]
        probes: dict[str, Any] = {
            one.key: {"a": {"@id": _PROBE}} if one.container == "@index" else _PROBE
            for one in with_term
            if one.key not in self._known.keys
        }
        read = self.expanded(probes) if probes else {}
        learnt: dict[str, KeyPlan] = {}
        for one in with_term:
            is_simple = one.coercion in _READINGS and one.container in (None, "@set", "@index")
            if not is_simple or one.iri in _RESERVED or self.terms.key_of(one.iri) != one.key:
                raise NotCoveredError
            if one.key in probes and not _agrees(one, read.get(one.iri)):
                raise NotCoveredError
            learnt[one.key] = KeyPlan.of(one, _READINGS[one.coercion])
        for key in new:
            if key not in defined:
                iri = SCHEMA + key
                if not _KEY.fullmatch(key) or iri in _RESERVED or iri in iris:
                    raise NotCoveredError
                # As `URIRef(iri)` makes it: such a key has nothing in it that an IRI may not have.
                predicate = named(iri) if key in _USUAL else str.__new__(URIRef, iri)
                learnt[key] = KeyPlan(key, predicate, PlainTerm.PLAIN, None, None, key)
        if self._is_property and "value" in new:
            value = learnt["value"]
            learnt["value"] = value._replace(reading=PlainTerm.PROPERTY, is_text=False, has_objects=False)
        self._keys |= learnt

    def expanded(self, members: dict[str, Any]) -> dict[str, Any]:
        """Return PyLD's expansion of an object with `members` at the place of this plan."""
        probe = members if self._kind is None else {"@type": self._kind, **members}
        if self._around is None or self._via is None:
            found = expand(probe, self._plans.context)
        else:
            found = self._around.expanded({self._via.key: probe}).get(self._via.iri, [])
        return found[0] if len(found) == 1 else {}


def _agrees(term: Term, values: Any) -> bool:
    """Return whether PyLD's expansion of a text under a key, `values`, agrees with our table of terms."""
    if term.container == "@index":
        return values is not None
    if term.coercion in ("@id", "@vocab"):
        return bool(values == [{"@id": _PROBE}])
    typed = {} if term.coercion is None else {"@type": term.coercion}
    return bool(values == [{"@value": _PROBE, **typed}])


class Plans:
    """A compiled context."""

    def __init__(self, own_context: object, known: Resolved) -> None:
        self.resolved = known
        self.table = contexts.table(own_context)
        self.context = contexts.merged(own_context)
        self._plans: dict[tuple[str | None, str | None], Plan] = {}
        self._names: dict[str, tuple[URIRef, bool]] = {}

    def at(self, kind: str | None, via: Term | None, around: Plan | None) -> Plan:
        """Return the meaning of keys at an object of the type `kind`.

        It is a value of `via` at an object of the plan `around`.
        """
        place = kind, via.key if via is not None and _changes_terms(via) else None
        plan = self._plans.get(place)
        if plan is None:
            plan = self._plans[place] = Plan(self, kind, via, around)
        return plan

    def name(self, text: str) -> tuple[URIRef, bool]:
        """Return the IRI of a name of the vocabulary, and whether it is written back as `text`."""
        known = self._names.get(text)
        if known is None:
            iri = self.resolved.names.get(text)
            if iri is None:
                nodes = expand({"@type": text}, self.context)
                found = nodes[0].get("@type", []) if len(nodes) == 1 else []
                iri = found[0] if len(found) == 1 and literals.is_iri(found[0]) else None
            if iri is None or not is_reference(text, "@vocab"):
                raise NotCoveredError
            is_same = Compaction.type_name(iri) == text and not literals.is_minted(iri)
            known = self._names[text] = named(iri), is_same
        return known


def _changes_terms(via: Term) -> bool:
    """Return whether the keys of objects have another meaning because the objects are values of `via`."""
    return via.scope is not None or via.key == "additionalProperty"


def compiled(own_context: object) -> Plans:
    """Return the compiled context of a document."""
    is_another = isinstance(own_context, dict) and own_context != contexts.plain()
    return _compiled(json_text(own_context) if is_another else "null")


@lru_cache(maxsize=16)
def _compiled(own_context: str) -> Plans:
    context = json.loads(own_context)
    if own_context != "null" and not contexts.foreign_terms(context):
        return _compiled("null")
    return Plans(context, resolved() if context is None else Resolved())
