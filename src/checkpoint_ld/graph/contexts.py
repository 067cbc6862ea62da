"""JSON-LD contexts: those that we ship, and the sealed loader that answers for every remote one.

Nothing is ever fetched. A document that names a context by address gets the bundled copy, or a clear refusal.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld import data
from checkpoint_ld.graph.naming import is_iri
from checkpoint_ld.graph.resolved import resolved
from checkpoint_ld.vocabulary import ID_BASE, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyld import FrozenDocumentLoader

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
