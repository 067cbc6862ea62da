"""Compiled contexts: what each key of each kind of object means, asked of PyLD once and then known.

All resolution of names is PyLD's. What is remembered here is its answer about one key at objects of one type: the
predicate, and how a plain value becomes a term.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph import contexts, naming, terms
from checkpoint_ld.graph.annotation import is_reference
from checkpoint_ld.graph.compaction import POSITION, Compaction
from checkpoint_ld.graph.expansion import expand, named
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, json_text
from checkpoint_ld.graph.resolved import Resolved, resolved
from checkpoint_ld.graph.terms import Term, is_property_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib import URIRef

    from checkpoint_ld.graph.terms import Terms

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_PROBE = "urn:x:probe"
_KEYWORDS = frozenset({"@id", "@type"})
_MOST = 4096
"""Layouts of objects of one type that are remembered; objects that are all different fill no memory with them."""


class NotCoveredError(Exception):
    """A document holds something that only the whole algorithm of JSON-LD can read."""


class Reading(Enum):
    """How a plain value becomes a term."""

    PLAIN = auto()
    DATE = auto()
    DOUBLE = auto()
    NAME = auto()
    """An IRI by its name in the vocabulary."""
    NODE = auto()
    """An object; a text would be the IRI of one."""
    JSON = auto()
    """One literal, whatever JSON value it is."""
    PROPERTY = auto()
    """A literal: native for scalars, JSON for what is none."""


_READINGS = {None: Reading.PLAIN, DATETIME: Reading.DATE, DOUBLE: Reading.DOUBLE, "@vocab": Reading.NAME}
_READINGS |= {"@id": Reading.NODE, "@json": Reading.JSON}


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """What one key means: its predicate, how its values are read, what its arrays and maps are."""

    key: str
    predicate: URIRef
    reading: Reading
    container: str | None
    term: Term | None
    token: str = ""
    """The key as a token of a name by place."""
    is_set: bool = False
    """Whether an array stays one that has one member."""
    is_text: bool = False
    """Whether a text under this key is simply a literal."""
    has_objects: bool = False

    @classmethod
    def of(cls, key: str, predicate: str, reading: Reading, container: str | None, term: Term | None) -> KeyPlan:
        """Make the plan for `key`, with all that follows from the rest."""
        return cls(
            key,
            named(predicate),
            reading,
            container,
            term,
            naming.below("", key)[1:],
            container == "@set",
            reading is Reading.PLAIN and container is None,
            reading in (Reading.PLAIN, Reading.NODE),
        )


class Plan:
    """What the keys of objects of one type mean, at one place."""

    def __init__(self, plans: Plans, kind: str | None, via: Term | None, around: Plan | None) -> None:
        self._plans = plans
        self._kind = kind
        self._via = via
        self._around = around if via is not None and via.scope is not None else None
        self._terms: Terms = plans.table.at(via, kind)
        self._is_property = is_property_value(kind, via)
        self.place = kind, via.key if via is not None and _tells(via) else None
        self._known = plans.resolved.place(*self.place)
        self._keys: dict[str, KeyPlan] = {}
        self._layouts: dict[tuple[str, ...], tuple[KeyPlan | None, ...]] = {}
        self.type: URIRef | None = None if kind is None else self._type(kind)

    def term(self, key: str) -> Term | None:
        """Return the term that stands behind a key, None where the vocabulary alone tells."""
        return self._terms.by_key.get(key)

    def known_keys(self) -> Iterable[str]:
        """Return the keys that have a term."""
        return self._terms.by_key

    def _type(self, kind: str) -> URIRef:
        if self._known.type is not None:
            return named(self._known.type)
        found = self.expanded({}).get("@type", [])
        if len(found) != 1 or not naming.is_iri(found[0]) or Compaction.type_name(found[0]) != kind:
            raise NotCoveredError
        return named(found[0])

    def members(self, keys: tuple[str, ...]) -> tuple[KeyPlan | None, ...]:
        """Return what the keys of an object mean, None for what says which object it is.

        Raises NotCoveredError if one is not simply a predicate, or two of them are the same one.
        """
        known = self._layouts.get(keys)
        if known is None:
            self._learn([self._term(key) for key in keys if key not in _KEYWORDS and key not in self._keys])
            known = tuple(None if key in _KEYWORDS else self._keys[key] for key in keys)
            predicates = [one.predicate for one in known if one is not None]
            if len({*predicates, self.type}) <= len(predicates):
                raise NotCoveredError
            if len(self._layouts) >= _MOST:
                self._layouts.clear()
            self._layouts[keys] = known
        return known

    def _term(self, key: str) -> Term:
        term = self._terms.by_key.get(key)
        if term is None:
            if not _KEY.fullmatch(key):
                raise NotCoveredError
            term = Term(key, terms.expand_name(key))
        is_simple = term.coercion in _READINGS and term.container in (None, "@set", "@index")
        if not is_simple or term.iri == str(POSITION) or self._terms.key_of(term.iri) != key:
            raise NotCoveredError
        return term

    def _learn(self, new: list[Term]) -> None:
        """Plan what keys mean that PyLD reads as our table of terms says; raise NotCoveredError for others.

        It is asked for all of them together: for each it would go through the whole context. A key that no context
        defines is a name in the vocabulary (JSON-LD 1.1 API §5.2.2, step 7), which takes no question.
        """
        defined, told = self._terms.by_key, self._known.keys
        asked = {one.key: _probe_of(one) for one in new if one.key in defined and one.key not in told}
        read = self.expanded(asked) if asked else {}
        if any(one.key in asked and not _agrees(one, read.get(one.iri)) for one in new):
            raise NotCoveredError
        for one in new:
            key, is_value = one.key, self._is_property and one.key == "value"
            reading = Reading.PROPERTY if is_value else _READINGS[one.coercion]
            known = one if key in self._terms.by_key else None
            self._keys[key] = KeyPlan.of(key, one.iri, reading, one.container, known)

    def expanded(self, members: dict[str, Any]) -> dict[str, Any]:
        """Return what PyLD makes of an object with `members` that stands where this plan is for."""
        probe = members if self._kind is None else {"@type": self._kind, **members}
        if self._around is None or self._via is None:
            found = expand(probe, self._plans.context)
        else:
            found = self._around.expanded({self._via.key: probe}).get(self._via.iri, [])
        return found[0] if len(found) == 1 else {}


def _probe_of(term: Term) -> Any:
    return {"a": {"@id": _PROBE}} if term.container == "@index" else _PROBE


def _agrees(term: Term, values: Any) -> bool:
    """Tell whether PyLD read a text under a key, as `values`, as our table of terms says."""
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
        self.table = terms.table(own_context)
        self.context = contexts.merged(own_context)
        self._plans: dict[tuple[str | None, str | None], Plan] = {}
        self._names: dict[str, tuple[URIRef, bool]] = {}

    def at(self, kind: str | None, via: Term | None, around: Plan | None) -> Plan:
        """Return what keys mean at an object of the type `kind` that is a value of `via` at an object of `around`."""
        place = kind, via.key if via is not None and _tells(via) else None
        plan = self._plans.get(place)
        if plan is None:
            plan = self._plans[place] = Plan(self, kind, via, around)
        return plan

    def name(self, text: str) -> tuple[URIRef, bool]:
        """Return the IRI of a name in the vocabulary, and whether it is written back as `text`."""
        known = self._names.get(text)
        if known is None:
            iri = self.resolved.names.get(text) or self._expanded_name(text)
            if not is_reference(text, "@vocab"):
                raise NotCoveredError
            known = self._names[text] = named(iri), Compaction.type_name(iri) == text
        return known

    def _expanded_name(self, text: str) -> str:
        nodes = expand({"@type": text}, self.context)
        found = nodes[0].get("@type", []) if len(nodes) == 1 else []
        if len(found) != 1 or not naming.is_iri(found[0]):
            raise NotCoveredError
        iri: str = found[0]
        return iri


def _tells(via: Term) -> bool:
    """Tell whether it matters to the keys of objects that they are values of `via`."""
    return via.scope is not None or via.key == "additionalProperty"


def compiled(own_context: object) -> Plans:
    """Return the compiled context of a document. Raises NotCoveredError if it has prefixes of its own."""
    is_another = isinstance(own_context, dict) and own_context != contexts.plain()
    plans = _compiled(json_text(own_context) if is_another else "null")
    if plans is None:
        raise NotCoveredError
    return plans


@lru_cache(maxsize=16)
def _compiled(own_context: str) -> Plans | None:
    context = json.loads(own_context)
    if own_context != "null" and not contexts.foreign_terms(context):
        return _compiled("null")
    plans = Plans(context, resolved() if context is None else Resolved())
    return None if plans.table.prefixes else plans
