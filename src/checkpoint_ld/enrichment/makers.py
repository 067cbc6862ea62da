"""Makers and sources: persons, organisations and works as nodes, out of names and JSON texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.dialects.properties import decoded
from checkpoint_ld.enrichment.objects import object_of
from checkpoint_ld.graph import naming
from checkpoint_ld.mapping.creators import creator_of
from checkpoint_ld.mapping.properties import as_list, text_of
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.enrichment.additions import Additions

AUTHOR, CITATION = SCHEMA + "author", SCHEMA + "citation"

_MEMBERS = {
    AUTHOR: {"name": "name", "email": "email", "url": "url", "orcid": "identifier", "affiliation": "affiliation"},
    CITATION: {
        "name": "name",
        "title": "name",
        "url": "url",
        "doi": "identifier",
        "identifier": "identifier",
        "author": "author",
        "datePublished": "datePublished",
        "year": "datePublished",
        "publisher": "publisher",
    },
}
"""Members of the objects, by the names that people use, and the properties of schema.org that they are."""

_REGISTRIES = {
    "orcid": (re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?"), "https://orcid.org/"),
    "doi": (re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)", re.IGNORECASE), "https://doi.org/"),
}
"""Identifiers that registries give out, and the addresses that they make."""

_NAMING = ("orcid", "doi", "@id", "identifier", "url")

Json = dict[str, Any]


def creators_of(root: Node, additions: Additions) -> None:
    """Link a benchmark to those who made it, whether it has them as names or as objects."""
    for one in additions.graph.member(root, "creator"):
        if one in additions.index:
            additions.link(root, AUTHOR, one)
    members = object_of(root, additions.reader)
    named = [one for one in as_list(members.get("creator")) if isinstance(one, str)]
    makers = creator_of({**members, "creator": named if len(named) > 1 else named[0]}) if named else None
    for at, maker in enumerate(as_list(makers)):
        said = {"name": maker} if isinstance(maker, str) else maker.model_dump(by_alias=True, exclude_none=True)
        _maker(root, at, said, additions)


def authors_of(question: Node, value: Any, additions: Additions) -> None:
    """Link a question to its authors: an object or several, also as JSON text, or a name."""
    for at, one in enumerate(as_list(decoded(value))):
        _maker(question, at, one if isinstance(one, dict) else {"name": text_of(one)}, additions)


def sources_of(question: Node, value: Any, additions: Additions) -> None:
    """Link a question to its sources: objects, also as JSON text, addresses or titles."""
    for at, one in enumerate(as_list(decoded(value))):
        said = one if isinstance(one, dict) else {"url" if naming.is_iri(text_of(one)) else "name": text_of(one)}
        _described(question, at, said, "CreativeWork", additions)


def _maker(node: Node, at: int, said: Json, additions: Additions) -> None:
    _described(node, at, said, "Organization" if said.get("@type") == "Organization" else "Person", additions)


def _described(node: Node, at: int, said: Json, kind: str, additions: Additions) -> None:
    """Link a node to one for an object, named by what the object says of itself or else by its place."""
    link = CITATION if kind == "CreativeWork" else AUTHOR
    texts = {member: text for member in _MEMBERS[link] if (text := _text(said.get(member)))}
    if not texts:
        return
    name = _name(said) or naming.part_of(str(node), f"schema:{link.removeprefix(SCHEMA)}", at)
    part = additions.part(node, link, name, SCHEMA + kind)
    if part is not None:
        for member, text in texts.items():
            additions.say(part, SCHEMA + _MEMBERS[link][member], text)


def _text(value: Any) -> str:
    """Return the text of a member; of objects there, such as an affiliation, their names."""
    named = [one.get("name") if isinstance(one, dict) else one for one in as_list(value)]
    texts = (text_of(one).strip() for one in named if isinstance(one, (str, int, float)))
    return ", ".join(filter(None, texts))


def _name(said: Json) -> str | None:
    """Return the IRI that an object has for itself, None if it has none that may stand for it."""
    for member in _NAMING:
        text = _text(said.get(member))
        if member in _REGISTRIES:
            form, address = _REGISTRIES[member]
            found = form.fullmatch(text)
            text = address + found[1] if found else ""
        if naming.is_iri(text) and not naming.is_minted(text) and secret(text) is None:
            return text
    return None
