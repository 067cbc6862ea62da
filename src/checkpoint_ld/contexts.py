"""JSON-LD contexts: those that we ship, and the sealed loader that answers for every remote one.

Nothing is ever fetched. A document that names a context by address gets the bundled copy, or a clear refusal.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
from pyld import FrozenDocumentLoader, jsonld

from checkpoint_ld import data
from checkpoint_ld.vocabulary import ID_BASE, SCHEMA

Context = dict[str, Any]

ROOT_TYPE = "DataFeed"

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
    schema_org = {"@context": _shipped("schema-org.jsonld")}
    return FrozenDocumentLoader(documents=dict.fromkeys(_absolute(KNOWN_ADDRESSES), schema_org))


def _absolute(addresses: tuple[str, ...]) -> list[str]:
    return [address if ":" in address else ID_BASE + address for address in addresses]


def options() -> dict[str, Any]:
    """Return the options of every call into PyLD: no network, and a base that does not depend on the machine."""
    return {"documentLoader": loader(), "base": ID_BASE, "processingMode": "json-ld-1.1"}


def foreign_terms(own: object) -> Context:
    """Return the terms of a document's own context that ours does not have.

    They say what the members mean that Karenina does not know. Terms that only repeat schema.org's vocabulary say
    nothing new, and a definition that no JSON-LD processor accepts says nothing at all: both are left out.
    """
    if not isinstance(own, dict):
        return {}
    ours = improved()
    terms = {key: value for key, value in own.items() if key not in ours and _tells(key, value)}
    return terms if not terms or _is_valid({**ours, **terms}) else {}


def _tells(key: str, definition: Any) -> bool:
    if key.startswith("@") or key == ROOT_TYPE:
        return False
    if isinstance(definition, dict):
        if set(definition) - {"@id", "@type", "@container"} or definition.get("@type") not in (None, "@id"):
            return True
        definition = definition.get("@id", key)
    return definition not in (key, SCHEMA + key, "http://schema.org/" + key, f"schema:{key}")


def _is_valid(context: Context) -> bool:
    try:
        jsonld.expand({"@context": context, "name": ""}, options())
    except jsonld.JsonLdError:
        return False
    return True


def merged(own: object) -> Context:
    """Return our context with the foreign terms of a document's own context after ours."""
    return {**improved(), **foreign_terms(own)}


def remembered(own: object) -> Context | None:
    """Return what a graph has to remember of a document's own context: nothing of ours, nothing of Karenina's.

    A context that we wrote is told by the terms that it has beyond ours; any other one is remembered whole.
    """
    if not isinstance(own, dict) or own == plain():
        return None
    if all(key in own for key in improved()):
        foreign = foreign_terms(own)
        return {**plain(), **foreign} if foreign else None
    return own


def is_literal(own: object) -> bool:
    """Tell whether a context lets plain keys mean what they mean in a checkpoint: schema.org's vocabulary."""
    vocabulary = own.get("@vocab") if isinstance(own, dict) else None
    return vocabulary in (SCHEMA, SCHEMA.replace("https:", "http:"))


def with_root_terms(context: Context, local: Context) -> Context:
    """Return `context` so that the definitions in `local` hold at the root object only.

    They are scoped to the root's type, since Karenina wants one object as context and its terms reach everywhere.
    """
    definitions = {key: value for key, value in local.items() if key != "@propagate"}
    return {**context, ROOT_TYPE: {"@id": ROOT_TYPE, "@context": definitions}} if definitions else context
