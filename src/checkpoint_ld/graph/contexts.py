"""JSON-LD contexts, resolved by PyLD, and expansion under them (JSON-LD 1.1 API §5.1).

Contexts come from the folder `contexts/` only: nothing is fetched.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from rdflib import BNode, Literal, URIRef

from checkpoint_ld import data
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.literals import escaped, iri_of, is_iri, literal_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.host import without_warnings
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, RDF, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyld import FrozenDocumentLoader
    from rdflib.term import Node

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph.store import Index

FILE = "resolved.json"
CONTEXTS = ("karenina-plain.jsonld", "karenina.jsonld")
"""The contexts whose definitions are known."""


@dataclass(frozen=True, slots=True)
class KeyMeanings:
    """The known meaning of keys at objects of one type at one place.

    It has the IRI of the type, and the keys that are used as usual.
    """

    type: str | None = None
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Resolved:
    """The recorded answers of PyLD: definitions by context file, objects by place, IRIs by names of the vocabulary."""

    definitions: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    places: dict[str, KeyMeanings] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def place(self, kind: str | None, via: str | None) -> KeyMeanings:
        """Return what is recorded about objects of the type `kind`, values of the member `via`."""
        return self.places.get(label(kind, via), _UNKNOWN)


_UNKNOWN = KeyMeanings()


def label(kind: str | None, via: str | None) -> str:
    """Return the key of a place in the file."""
    return f"{via or ''}/{kind or ''}"


@cache
def resolved() -> Resolved:
    """Return all recorded answers."""
    held = orjson.loads(data.text("contexts", FILE))
    places = {name: KeyMeanings(one["type"], frozenset(one["keys"])) for name, one in held["places"].items()}
    return Resolved(held["definitions"], places, held["names"])


Context = dict[str, Any]

ROOT_TYPE = "DataFeed"


@cache
def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that a call into PyLD may raise."""
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
"""The addresses by which checkpoints name a context; the last one is a file path that the Karenina GUI once wrote."""


def _shipped(file: str) -> Context:
    context: Context = orjson.loads(data.text("contexts", file))["@context"]
    return context


@cache
def improved() -> Context:
    """Return the context of what we write: Karenina's keys, which every JSON-LD 1.1 processor reads alike."""
    return _shipped("karenina.jsonld")


@cache
def plain() -> Context:
    """Return the context that Karenina writes into every checkpoint."""
    return _shipped("karenina-plain.jsonld")


@cache
def loader() -> FrozenDocumentLoader:
    """Return the document loader that answers known addresses from the shipped files and refuses all others."""
    from pyld import FrozenDocumentLoader  # noqa: PLC0415 - as above

    schema_org = {"@context": _shipped("schema-org.jsonld")}
    addresses = [address if ":" in address else ID_BASE + address for address in KNOWN_ADDRESSES]
    return FrozenDocumentLoader(documents=dict.fromkeys(addresses, schema_org))


def options() -> dict[str, Any]:
    """Return the options of every call into PyLD: no network, and a base that does not depend on the machine."""
    return {"documentLoader": loader(), "base": ID_BASE, "processingMode": "json-ld-1.1"}


@contextmanager
def quiet() -> Iterator[None]:
    """Keep PyLD from warning about terms that look like keywords; JSON-LD ignores them."""
    with without_warnings(SyntaxWarning):
        yield


@dataclass(frozen=True, slots=True)
class Definition:
    """What a context defines for one key: the IRI or keyword that it stands for, and the type of its values."""

    iri: str
    coercion: str | None
    is_prefix: bool


def definitions(context: object) -> dict[str, Definition]:
    """Return the term definitions of a context, by PyLD's context processing; none for an invalid context."""
    for file, ours in (("karenina-plain.jsonld", plain()), ("karenina.jsonld", improved())):
        known = resolved().definitions.get(file)
        if known is not None and context == ours:
            return {key: Definition(*parts) for key, parts in known.items()}
    return resolve(context)


def resolve(context: object) -> dict[str, Definition]:
    """Return the same as `definitions`, always by PyLD."""
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

    They define members that Karenina does not know: an IRI for a key, perhaps a type for its values. Terms that only
    repeat schema.org's vocabulary add nothing. Keys are read literally: of a term that would change this (an alias of a
    keyword, a map, a list), only the IRI counts.
    """
    if not isinstance(own, dict):
        return {}
    ours = improved()
    simple = {
        key: _simple(value) for key, value in own.items() if key not in ours and _differs_from_vocabulary(key, value)
    }
    defined = definitions({**ours, **simple}) if simple else {}
    return {key: value for key, value in simple.items() if key in defined and is_iri(defined[key].iri)}


_SCHEMES = frozenset(("urn", "http", "https"))
"""A prefix of one of these names would change the names of the objects themselves."""


def _differs_from_vocabulary(key: str, definition: Any) -> bool:
    if key.startswith("@") or key == ROOT_TYPE or key in _SCHEMES:
        return False
    if isinstance(definition, dict):
        if definition.get("@type") not in (None, "@id"):
            return True
        definition = definition.get("@id", key)
    return definition not in (key, SCHEMA + key, SCHEMA_HTTP + key, f"schema:{key}")


def _simple(definition: Any) -> Any:
    """Return the parts of a term definition that do not change the form of values."""
    if not isinstance(definition, dict):
        return definition
    kept = {key: value for key, value in definition.items() if key in ("@id", "@type")}
    return {**kept, "@container": "@set"} if definition.get("@container") == "@set" else kept


def merged(own: object) -> Context:
    """Return our context, followed by the foreign terms of a document's own context."""
    return {**improved(), **foreign_terms(own)}


def remembered(own: object) -> Context | None:
    """Return the part of a document's own context that the graph keeps: nothing of ours or Karenina's.

    A context that we wrote is recognised, and only its foreign terms are kept. Any other one is kept whole.
    """
    if isinstance(own, dict) and isinstance(own.get(ROOT_TYPE), dict) and own[ROOT_TYPE].get("@id") == ROOT_TYPE:
        own = {key: value for key, value in own.items() if key != ROOT_TYPE}  # what `with_root_terms` adds
    if not isinstance(own, dict) or own == plain():
        return None
    if is_ours(own):
        foreign = foreign_terms(own)
        return {**plain(), **foreign} if foreign else None
    return own


def is_ours(own: object) -> bool:
    """Return whether a context has all terms of ours."""
    return isinstance(own, dict) and improved().keys() <= own.keys()


def is_literal(own: object) -> bool:
    """Return whether a context gives plain keys their usual meaning, that of schema.org's vocabulary."""
    vocabulary = own.get("@vocab") if isinstance(own, dict) else None
    return vocabulary in (SCHEMA, SCHEMA_HTTP)


def with_root_terms(context: Context, local: Context) -> Context:
    """Return `context` with the definitions in `local` for the root object only.

    They are scoped to the root's type, because Karenina expects one object as context, whose terms apply everywhere.
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
        """The base of relative identifiers, if a scoped context has one."""

    @cached_property
    def by_key(self) -> dict[str, Term]:
        """The terms by key; those of a scoped context override those around it."""
        return {**self._own, **self._around, **self._own}

    @cached_property
    def by_iri(self) -> dict[str, Term]:
        """The terms by IRI; of two keys for one IRI, the first one is written."""
        by_iri: dict[str, Term] = {}
        for term in self.by_key.values():
            by_iri.setdefault(term.iri, term)
        return by_iri

    def key_of(self, iri: str) -> str:
        """Return the key for `iri` in a checkpoint."""
        term = self.by_iri.get(iri)
        if term is not None:
            return term.key
        if iri.startswith(SCHEMA):
            local = iri[len(SCHEMA) :]
            if ":" not in local[1:] and not local.startswith("@") and local not in self.by_key:
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
        # A scope includes the terms around it, also those with scopes. So it is made after the table is complete.
        everywhere.update({key: _term(key, one, everywhere) for key, one in context.items() if not key.startswith("@")})
        self._by_type = {
            key: term.scope
            for key, term in self.base.by_key.items()
            if isinstance(context[key], dict) and "@context" in context[key]
        }

    def at(self, via: Term | None, kind: object) -> Terms:
        """Return the terms at an object of the JSON-LD type (or types) `kind` that is a value of `via`."""
        kinds = kind if isinstance(kind, list) else [kind]
        typed = next((self._by_type[one] for one in kinds if isinstance(one, str) and one in self._by_type), None)
        return typed or (via.scope if via is not None and via.scope is not None else self.base)

    def full(self, name: str) -> str:
        """Return the full IRI of a name that has a prefix of the document's own context."""
        prefix, colon, local = name.partition(":")
        return self.prefixes[prefix] + local if colon and prefix in self.prefixes and local[:2] != "//" else name


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
    """Return whether an object of the types `kind`, a value of `via`, is a property whose `value` is any JSON."""
    is_typed = "PropertyValue" in kind if isinstance(kind, list) else kind == "PropertyValue"
    return is_typed or (via is not None and via.key == "additionalProperty")


def expand_name(name: str) -> str:
    """Return the IRI of a name as our context writes it: `name`, `karenina:Name` or a full IRI."""
    if name.startswith("karenina:"):
        return KARENINA + name[len("karenina:") :]
    return name if ":" in name[1:] else SCHEMA + name  # a colon at the start separates no prefix


@cache
def karenina() -> TermTable:
    """Return the terms of our own context."""
    return TermTable(improved())


@cache
def json_keys() -> frozenset[str]:
    """Return the keys of our context whose values are JSON literals, at any object."""
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


@lru_cache(maxsize=4096)
def named(iri: str) -> URIRef:
    """Return the term for a name of the vocabulary, always the same object, so that it is compared by identity."""
    return URIRef(iri)


RDF_TYPE = named(RDF + "type")
FIRST, REST, NIL = (named(RDF + name) for name in ("first", "rest", "nil"))
"""The vocabulary of lists (RDF 1.1 Schema §5.2)."""
IDENTIFIER = named(KARENINA + "identifier")
"""The predicate for the text of an `@id` that is not the IRI of its node: it is no IRI, or an earlier object has it."""

ESCAPED = "urn:karenina:escaped:"
"""The prefix of names for keys and types that are no IRIs, in a faithful reading; the rest is percent-encoded."""

VERBATIM = named(ESCAPED + "json")
"""The datatype of a JSON value that a faithful reading returns unchanged."""

OWN_LABEL = "own-"
"""The beginning of the label of a blank node that has one in its document; we make the others."""

_PARTS = frozenset(
    URIRef(namespace + name)
    for namespace in (SCHEMA, SCHEMA_HTTP)
    for name in ("DataFeedItem", "Question", "Answer", "SoftwareSourceCode", "Rating", "PropertyValue")
)

Expanded = list[dict[str, Any]]


def expand(document: Any, context: dict[str, Any], dropped: Callable[[Any], object] = bool) -> Expanded:
    """Expand a JSON-LD document, under `context` if it has none of its own.

    `dropped` is called with each key that has no meaning, with None for one that a context sets to null. Raises
    ReadError if the document is no JSON-LD or names a context that is not shipped.
    """
    from pyld import jsonld  # noqa: PLC0415 - usual documents are read without it

    try:
        with quiet():
            with_context = {**options(), "expandContext": context}
            expanded: Expanded = jsonld.expand(document, with_context, on_property_dropped=dropped)
    except RecursionError:
        raise
    except failures() as error:
        raise ReadError.of([_refusal(error)]) from error
    return expanded


def _refusal(error: BaseException) -> Finding:
    from pyld import jsonld  # noqa: PLC0415 - as above

    cause: Any = error
    while isinstance(inner := getattr(cause, "cause", None) or cause.__cause__, jsonld.JsonLdError):
        cause = inner
    details = getattr(cause, "details", None) or {}
    address = details.get("url")
    if address:
        message = f"the document names the remote context {address!r}, which is not shipped and is never fetched"
        return finding("json-ld", message, pointer="", remedy="put the context itself into the document")
    return finding("json-ld", f"the document is no JSON-LD: {cause.args[0] if cause.args else cause}", pointer="")


def statements(expanded: Expanded, *, distinct: bool = True) -> Index:
    """Return the statements of expanded nodes as a subject index.

    Blank nodes stay blank, an identifier that is no IRI is escaped, a key or type that is no IRI is skipped. With
    `distinct` false, the result is no graph but a faithful reading: repeated values are kept, two objects that share an
    identifier stay two, and keys and types that are no IRI are kept under `ESCAPED`.
    """
    index: Index = {}
    walk = _ContextWalk(index, distinct)
    for node in expanded:
        walk.node(node)
    return index


class _ContextWalk:
    def __init__(self, index: Index, distinct: bool) -> None:
        self.index = index
        self.distinct = distinct
        self.iris: dict[str, URIRef | None] = {}
        self.nested: set[Node] = set()
        """Nodes that are described inside another object."""
        self.made = 0

    def blank(self) -> BNode:
        """Make a blank node; random names would give a document other keys at each reading."""
        self.made += 1
        return BNode(f"made-{self.made}")

    def iri(self, text: str) -> URIRef | None:
        try:
            return self.iris[text]
        except KeyError:
            self.iris[text] = iri = URIRef(text) if is_iri(text) else None
            return iri

    def name(self, text: str) -> URIRef | None:
        """Return the IRI of a key or a type."""
        iri = self.iri(text)
        return iri if iri is not None or self.distinct else URIRef(ESCAPED + escaped(text))

    def type(self, text: str) -> Node | None:
        """Return the name of a type, which may be the label of a blank node."""
        return self.subject(text) if text.startswith("_:") else self.name(text)

    def subject(self, identifier: str | None) -> Node:
        if identifier is None:
            return self.blank()
        if identifier.startswith("_:"):
            return BNode(OWN_LABEL + identifier[2:])
        subject = self.iri(identifier)
        if subject is not None:
            return subject
        relative = identifier.removeprefix(ID_BASE)
        subject = URIRef(iri_of(relative))
        self.index.setdefault(subject, {})[IDENTIFIER] = Literal(relative)
        return subject

    def node(self, node: dict[str, Any], *, is_nested: bool = False) -> Node:
        subject = self.subject(node.get("@id"))
        predicates: dict[Node, list[Node]] = {}
        for key, values in node.items():
            if key == "@type":
                types = [iri for iri in map(self.type, values) if iri is not None]
                predicates.setdefault(RDF_TYPE, []).extend(types)
            elif key in ("@included", "@graph"):
                for one in values:
                    if isinstance(one, dict):  # PyLD lets other values pass
                        self.node(one)
            elif not key.startswith("@"):
                predicate = self.name(key)
                if predicate is not None:
                    predicates.setdefault(predicate, []).extend(map(self.term, values))
        if not self.distinct:
            subject = self.apart(subject, predicates, is_nested=is_nested)
        self.hold(subject, predicates)
        self.reverse(subject, node.get("@reverse", {}))
        return subject

    def reverse(self, subject: Node, reversed_: dict[str, list[Any]]) -> None:
        for key, values in reversed_.items():
            predicate = self.name(key)
            if predicate is not None:
                for other in map(self.term, values):
                    self.hold(other, {predicate: [subject]})

    def apart(self, subject: Node, predicates: dict[Node, list[Node]], *, is_nested: bool) -> Node:
        """Return the subject for one more object with an identifier.

        It is a new one if both objects have a predicate in common, or if both are described inside other objects, as
        objects of a checkpoint may be whose identifiers are used twice. Of other types, one identifier is one node.
        """
        stated = self.index.get(subject, {}).keys() - {RDF_TYPE, IDENTIFIER}
        is_second = is_nested and not predicates.keys() <= {RDF_TYPE}
        kinds = {*predicates.get(RDF_TYPE, ()), *terms_of(self.index.get(subject, {}).get(RDF_TYPE))}
        is_foreign = bool(kinds) and kinds.isdisjoint(_PARTS)
        if (
            isinstance(subject, BNode)
            or is_foreign
            or (stated.isdisjoint(predicates) and not (is_second and subject in self.nested))
        ):
            self.nested |= {subject} if is_second else set()
            return subject
        twin = self.blank()
        self.index[twin] = {
            IDENTIFIER: self.index[subject].get(IDENTIFIER, Literal(str(subject).removeprefix(ID_BASE)))
        }
        return twin

    def term(self, value: dict[str, Any]) -> Node:
        if "@value" in value:
            return literal_of(value["@value"], value.get("@type"), value.get("@language"))
        if "@list" in value:
            rest: Node = NIL
            for term in reversed([*map(self.term, value["@list"])]):
                cell = self.blank()
                self.index[cell] = {FIRST: term, REST: rest}
                rest = cell
            return rest
        if value.keys() == {"@id"}:
            return self.subject(value["@id"])
        return self.node(value, is_nested=True)

    def hold(self, subject: Node, predicates: dict[Node, list[Node]]) -> None:
        held = self.index.setdefault(subject, {}) if predicates else {}
        for predicate, terms in predicates.items():
            known = held.get(predicate)
            joined = [*(known if isinstance(known, list) else [] if known is None else [known]), *terms]
            kept = list(dict.fromkeys(joined)) if self.distinct else joined
            if kept:
                held[predicate] = kept if len(kept) > 1 else kept[0]
        if predicates and not held:
            del self.index[subject]
