"""Contexts: those that are shipped, what a document's own says beyond them, and the terms of both.

Context processing is PyLD's. What it says about our own contexts stands in `contexts/resolved.json`, so that a usual
document is read without importing it, which takes 80 ms; `python docs/resolved_contexts.py` asks for it again, and a
test holds it against PyLD. Terms are seen from both sides, key to IRI and IRI to key: which keys hold JSON literals,
sets or maps, and how an IRI is spelled as a key when a graph is written as JSON again.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld import data
from checkpoint_ld.graph.naming import is_iri
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyld import FrozenDocumentLoader


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


Context = dict[str, Any]

ROOT_TYPE = "DataFeed"


@cache
def failures() -> tuple[type[Exception], ...]:
    """Return what a call into PyLD may raise."""
    from pyld import jsonld  # noqa: PLC0415 - usual documents are read without it

    # PyLD meets some malformed documents with a bare exception of Python's.
    bare = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError)
    return jsonld.JsonLdError, *bare


KNOWN_ADDRESSES = (
    "https://schema.org",
    "https://schema.org/",
    "http://schema.org",
    "http://schema.org/",
    "https://schema.org/docs/jsonldcontext.jsonld",
    "https://schema.org/docs/jsonldcontext.json",
    "src/contexts/schema-org.jsonld",
)
"""Addresses under which checkpoints name a context; the last one is the file path that the Karenina GUI once wrote."""


def _shipped(file: str) -> Context:
    context: Context = orjson.loads(data.text("contexts", file))["@context"]
    return context


@cache
def improved() -> Context:
    """Return the context under which we write: Karenina's keys, read alike by every JSON-LD 1.1 processor."""
    return _shipped("karenina.jsonld")


@cache
def plain() -> Context:
    """Return the context that Karenina itself writes into every checkpoint."""
    return _shipped("karenina-plain.jsonld")


@cache
def loader() -> FrozenDocumentLoader:
    """Return the document loader that answers known addresses from the shipped files and refuses all others."""
    from pyld import FrozenDocumentLoader  # noqa: PLC0415 - as above

    schema_org = {"@context": _shipped("schema-org.jsonld")}
    return FrozenDocumentLoader(documents=dict.fromkeys(_absolute(KNOWN_ADDRESSES), schema_org))


def _absolute(addresses: tuple[str, ...]) -> list[str]:
    return [address if ":" in address else ID_BASE + address for address in addresses]


def options() -> dict[str, Any]:
    """Return the options of every call into PyLD: no network, and a base that does not depend on the machine."""
    return {"documentLoader": loader(), "base": ID_BASE, "processingMode": "json-ld-1.1"}


@contextmanager
def quiet() -> Iterator[None]:
    """Keep PyLD from warning about terms that look like keywords; JSON-LD ignores them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        yield


@dataclass(frozen=True, slots=True)
class Definition:
    """What a context says about one key: the IRI or keyword that it stands for, and the type of its values."""

    iri: str
    coercion: str | None
    is_prefix: bool


def definitions(context: object) -> dict[str, Definition]:
    """Return what a context defines, by PyLD's context processing; nothing for a context that is not valid."""
    for file, ours in (("karenina-plain.jsonld", plain()), ("karenina.jsonld", improved())):
        known = resolved().definitions.get(file)
        if known is not None and context == ours:
            return {key: Definition(*told) for key, told in known.items()}
    return resolve(context)


def resolve(context: object) -> dict[str, Definition]:
    """Return what `definitions` does, of every context by asking PyLD."""
    from pyld import jsonld  # noqa: PLC0415 - as above

    processor = jsonld.JsonLdProcessor()
    try:
        with quiet():
            active = processor.process_context(processor.process_context(None, None, options()), context, options())
    except failures():
        return {}
    return {
        key: Definition(mapping["@id"], mapping.get("@type"), mapping["_prefix"])
        for key, mapping in active["mappings"].items()
        if mapping is not None and isinstance(mapping["@id"], str)
    }


def foreign_terms(own: object) -> Context:
    """Return the terms of a document's own context that ours does not have.

    They say what the members mean that Karenina does not know: an IRI for a key, perhaps a type for its values. Terms
    that only repeat schema.org's vocabulary say nothing new. Keys are read literally, so that terms which would make
    something else of them (other names for keywords, maps, lists) count for no more than the IRI that they name.
    """
    if not isinstance(own, dict):
        return {}
    ours = improved()
    simple = {key: _simple(value) for key, value in own.items() if key not in ours and _tells(key, value)}
    defined = definitions({**ours, **simple}) if simple else {}
    return {key: value for key, value in simple.items() if key in defined and is_iri(defined[key].iri)}


_SCHEMES = frozenset(("urn", "http", "https"))
"""A prefix of such a name would change the names of the objects themselves."""


def _tells(key: str, definition: Any) -> bool:
    if key.startswith("@") or key == ROOT_TYPE or key in _SCHEMES:
        return False
    if isinstance(definition, dict):
        if definition.get("@type") not in (None, "@id"):
            return True
        definition = definition.get("@id", key)
    return definition not in (key, SCHEMA + key, SCHEMA_HTTP + key, f"schema:{key}")


def _simple(definition: Any) -> Any:
    """Return the parts of a term definition that leave the shape of values alone."""
    if not isinstance(definition, dict):
        return definition
    kept = {key: value for key, value in definition.items() if key in ("@id", "@type")}
    return {**kept, "@container": "@set"} if definition.get("@container") == "@set" else kept


def merged(own: object) -> Context:
    """Return our context with the foreign terms of a document's own context after ours."""
    return {**improved(), **foreign_terms(own)}


def remembered(own: object) -> Context | None:
    """Return what a graph has to remember of a document's own context: nothing of ours, nothing of Karenina's.

    A context that we wrote is told by the terms that it has beyond ours; any other one is remembered whole.
    """
    if isinstance(own, dict) and isinstance(own.get(ROOT_TYPE), dict) and own[ROOT_TYPE].get("@id") == ROOT_TYPE:
        own = {key: value for key, value in own.items() if key != ROOT_TYPE}  # what `with_root_terms` adds
    if not isinstance(own, dict) or own == plain():
        return None
    if all(key in own for key in improved()):
        foreign = foreign_terms(own)
        return {**plain(), **foreign} if foreign else None
    return own


def is_literal(own: object) -> bool:
    """Tell whether a context lets plain keys mean what they mean in a checkpoint: schema.org's vocabulary."""
    vocabulary = own.get("@vocab") if isinstance(own, dict) else None
    return vocabulary in (SCHEMA, SCHEMA_HTTP)


def with_root_terms(context: Context, local: Context) -> Context:
    """Return `context` so that the definitions in `local` hold at the root object only.

    They are scoped to the root's type, since Karenina wants one object as context and its terms reach everywhere.
    """
    definitions = {key: value for key, value in local.items() if key != "@propagate"}
    return {**context, ROOT_TYPE: {"@id": ROOT_TYPE, "@context": definitions}} if definitions else context


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

    def __init__(self, own: Mapping[str, Term], around: Mapping[str, Term], base: str = "") -> None:
        self._own = own
        self._around = around
        self.base = base
        """What relative identifiers are resolved against, where a scoped context says so."""

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
        self.base = Terms(everywhere, {}, context.get("@base", ""))
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
    if isinstance(inner, list):  # of null and a context: no term around it means anything at these objects
        inner, outer = inner[-1], {}
    if isinstance(inner, dict):
        scoped = {name: _term(name, value, outer) for name, value in inner.items() if not name.startswith("@")}
        scope = Terms(scoped, outer, inner.get("@base", ""))
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
    return TermTable(improved())


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
    foreign = foreign_terms(own_context)
    if not foreign:
        return karenina()
    defined = definitions({**improved(), **foreign})
    resolved = {}
    for key, definition in foreign.items():
        resolved[key] = {"@id": defined[key].iri, "@type": defined[key].coercion}
        if isinstance(definition, dict) and "@container" in definition:
            resolved[key]["@container"] = definition["@container"]
    prefixes = {key: defined[key].iri for key in foreign if defined[key].is_prefix}
    return TermTable({**improved(), **resolved}, prefixes)
