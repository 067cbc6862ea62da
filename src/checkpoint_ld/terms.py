"""The terms of a JSON-LD context, seen from both sides: key to IRI and IRI to key.

Expansion itself is PyLD's work. This room answers what PyLD cannot be asked: which keys hold JSON literals, which ones
hold sets or maps, and how an IRI is spelled as a key when a graph is written as JSON again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld import contexts
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

    def __init__(self, by_key: Mapping[str, Term]) -> None:
        self.by_key = by_key
        self.by_iri: dict[str, Term] = {}
        for term in by_key.values():
            self.by_iri.setdefault(term.iri, term)

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

    def __init__(self, context: Mapping[str, Any]) -> None:
        plain = {key: _term(key, value, {}) for key, value in context.items() if not key.startswith("@")}
        self.base = Terms({key: _term(key, context[key], plain) for key in plain})
        self._by_type = {key: term.scope for key, term in self.base.by_key.items() if _is_type_scope(context[key])}

    def at(self, via: Term | None, kind: object) -> Terms:
        """Return the terms at an object of the JSON-LD type `kind` that is a value of `via`."""
        typed = self._by_type.get(kind) if isinstance(kind, str) else None
        return typed or (via.scope if via is not None and via.scope is not None else self.base)


def _is_type_scope(definition: object) -> bool:
    return isinstance(definition, dict) and "@context" in definition


def _term(key: str, definition: Any, outer: Mapping[str, Term]) -> Term:
    if not isinstance(definition, dict):
        return Term(key, expand_name(str(definition)))
    inner = definition.get("@context")
    scope = None
    if isinstance(inner, dict):
        scoped = {name: _term(name, value, outer) for name, value in inner.items() if not name.startswith("@")}
        scope = Terms({**scoped, **{name: term for name, term in outer.items() if name not in scoped}})
    iri = expand_name(str(definition.get("@id", key)))
    return Term(key, iri, definition.get("@type"), definition.get("@container"), scope)


def expand_name(name: str) -> str:
    """Return the IRI of a name that is written as in our context: `name`, `karenina:Name` or a full IRI."""
    if name.startswith("karenina:"):
        return KARENINA + name[len("karenina:") :]
    return name if ":" in name else SCHEMA + name


@cache
def karenina() -> TermTable:
    """Return the terms of our own context."""
    return TermTable(contexts.improved())


def table(own_context: object) -> TermTable:
    """Return the terms of our own context and, after them, the foreign ones of a document's own context."""
    foreign = contexts.foreign_terms(own_context)
    if not foreign:
        return karenina()
    resolved = {key: iri for key, value in foreign.items() if (iri := _resolved(value, foreign)) is not None}
    return TermTable({**contexts.improved(), **resolved})


def _resolved(definition: Any, foreign: Mapping[str, Any]) -> str | None:
    """Return the IRI of a foreign term that does nothing but name one."""
    name = definition.get("@id") if isinstance(definition, dict) and definition.keys() == {"@id"} else definition
    if not isinstance(name, str):
        return None
    prefix, colon, local = name.partition(":")
    namespace = foreign.get(prefix) if colon else None
    return namespace + local if isinstance(namespace, str) else name
