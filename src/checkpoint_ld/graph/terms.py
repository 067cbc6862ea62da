"""The terms of a JSON-LD context, seen from both sides: key to IRI and IRI to key.

Expansion itself is PyLD's work. This room answers what PyLD cannot be asked: which keys hold JSON literals, which ones
hold sets or maps, and how an IRI is spelled as a key when a graph is written as JSON again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph import contexts
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Term:
    """One term definition (JSON-LD 1.1 §4.2.1); `scope` holds the terms at the objects that are its values."""

    key: str
    iri: str
    coercion: str | None = None
    container: str | None = None
    scope: Terms | None = None


class Terms:
    """The terms that are active at an object."""

    def __init__(self, own: Mapping[str, Term], around: Mapping[str, Term]) -> None:
        self._own = own
        self._around = around

    @cached_property
    def by_key(self) -> dict[str, Term]:
        """The terms by their keys: those of a scoped context before those around it, which it may define anew."""
        return {**self._own, **self._around, **self._own}

    @cached_property
    def by_iri(self) -> dict[str, Term]:
        """The terms by what they mean; of two keys for one IRI the first one is written."""
        by_iri: dict[str, Term] = {}
        for term in self.by_key.values():
            by_iri.setdefault(term.iri, term)
        return by_iri

    def key_of(self, iri: str) -> str:
        """Spell `iri` as a key of a checkpoint."""
        term = self.by_iri.get(iri)
        if term is not None:
            return term.key
        if iri.startswith(SCHEMA):
            local = iri[len(SCHEMA) :]
            if ":" not in local and not local.startswith("@") and local not in self.by_key:
                return local
        if iri.startswith(KARENINA):
            return f"karenina:{iri[len(KARENINA) :]}"
        return iri


class TermTable:
    """All terms of a checkpoint's context: those of every object, and those of objects of one type."""

    def __init__(self, context: Mapping[str, Any], prefixes: Mapping[str, str] | None = None) -> None:
        self.prefixes = prefixes or {}
        everywhere: dict[str, Term] = {}
        self.base = Terms(everywhere, {})
        # A scope has the terms around it, those with scopes too: it is put together when the table is complete.
        everywhere.update({key: _term(key, one, everywhere) for key, one in context.items() if not key.startswith("@")})
        self._by_type = {key: term.scope for key, term in self.base.by_key.items() if _is_type_scope(context[key])}

    def at(self, via: Term | None, kind: object) -> Terms:
        """Return the terms at an object of the JSON-LD type (or types) `kind` that is a value of `via`."""
        kinds = kind if isinstance(kind, list) else [kind]
        typed = next((self._by_type[one] for one in kinds if isinstance(one, str) and one in self._by_type), None)
        return typed or (via.scope if via is not None and via.scope is not None else self.base)

    def full(self, name: str) -> str:
        """Return the full IRI of a name that is written with a prefix of the document's own."""
        prefix, colon, local = name.partition(":")
        return self.prefixes[prefix] + local if colon and prefix in self.prefixes and local[:2] != "//" else name


def _is_type_scope(definition: object) -> bool:
    return isinstance(definition, dict) and "@context" in definition


def _term(key: str, definition: Any, outer: Mapping[str, Term]) -> Term:
    if not isinstance(definition, dict):
        return Term(key, expand_name(str(definition)))
    inner = definition.get("@context")
    scope = None
    if isinstance(inner, dict):
        scoped = {name: _term(name, value, outer) for name, value in inner.items() if not name.startswith("@")}
        scope = Terms(scoped, outer)
    iri = expand_name(str(definition.get("@id", key)))
    return Term(key, iri, definition.get("@type"), definition.get("@container"), scope)


def is_property_value(kind: object, via: Term | None) -> bool:
    """Tell whether an object of the type or types `kind`, a value of `via`, is a property whose `value` is any JSON."""
    is_typed = "PropertyValue" in kind if isinstance(kind, list) else kind == "PropertyValue"
    return is_typed or (via is not None and via.key == "additionalProperty")


def expand_name(name: str) -> str:
    """Return the IRI of a name that is written as in our context: `name`, `karenina:Name` or a full IRI."""
    if name.startswith("karenina:"):
        return KARENINA + name[len("karenina:") :]
    return name if ":" in name else SCHEMA + name


@cache
def karenina() -> TermTable:
    """Return the terms of our own context."""
    return TermTable(contexts.improved())


@cache
def json_keys() -> frozenset[str]:
    """Return the keys whose values are JSON literals, at whatever object our own context says so."""
    found: set[str] = set()
    waiting, seen = [karenina().base], set()
    while waiting:
        terms = waiting.pop()
        if id(terms) in seen:
            continue
        seen.add(id(terms))
        for key, term in terms.by_key.items():
            if term.coercion == "@json":
                found.add(key)
            if term.scope is not None:
                waiting.append(term.scope)
    return frozenset(found)


def table(own_context: object) -> TermTable:
    """Return the terms of our own context and, after them, the foreign ones of a document's own context."""
    foreign = contexts.foreign_terms(own_context)
    if not foreign:
        return karenina()
    defined = contexts.definitions({**contexts.improved(), **foreign})
    resolved = {}
    for key, definition in foreign.items():
        resolved[key] = {"@id": defined[key].iri, "@type": defined[key].coercion}
        if isinstance(definition, dict) and "@container" in definition:
            resolved[key]["@container"] = definition["@container"]
    prefixes = {key: defined[key].iri for key in foreign if defined[key].is_prefix}
    return TermTable({**contexts.improved(), **resolved}, prefixes)
