"""The catalogue of rules: everything that can be wrong or odd about a checkpoint, each under one stable code.

The rules stand in `shapes/`. Most are SHACL shapes; those that are broken before there is a graph (text that is not
JSON, a form of JSON-LD that Karenina refuses) are described there in the same words.
"""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld import data, shape_files
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.shape_files import FOLDER, text_of
from checkpoint_ld.vocabulary import AGENT_SHAPES, CHECKPOINT_SHACL, RDF, SHACL, SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SEVERITIES = {
    SHACL + "Violation": Severity.VIOLATION,
    SHACL + "Warning": Severity.WARNING,
    SHACL + "Info": Severity.INFO,
}
"""Severities by their IRI (SHACL 1.0 §2.1.4)."""


class Rule(NamedTuple):
    """One rule: what must not be so (`title`), why it matters, what to do about it.

    `code` is stable, such as `KQ003`; `slug` says it in words, such as `question-text`; `condition` is what the
    format's description calls the fault, such as `E-TEXT`, where it has a name there. `message` is the text of a
    finding with placeholders such as `{?value}`. `shape` is the IRI of the rule. `family` is the title of the file
    that the rule stands in, `see` the page of the documentation about it.

    `member` is the key of the member that a finding points to, where the shape's path does not tell; `form` is the
    form that values must have; `suggests` says that the nearest known name is the remedy; `excused` are the
    beginnings of the names of dialects that have no place for what the rule asks for.
    """

    code: str
    slug: str
    title: str
    severity: Severity
    why: str = ""
    message: str = ""
    remedy: str = ""
    condition: str = ""
    see: str = ""
    shape: str = ""
    family: str = ""
    member: str = ""
    form: str = ""
    suggests: bool = False
    excused: tuple[str, ...] = ()


def finding(  # noqa: PLR0913 - all but the first two are named, and each is a part of a Finding
    slug: str,
    message: str,
    *,
    pointer: str | None = None,
    subject: str = "",
    remedy: str | None = None,
    dialect: str = "",
) -> Finding:
    """Build a finding of the rule `slug`, with the catalogue's severity and, unless given, its remedy.

    `message` names the offending value, `pointer` (RFC 6901) its place. Raises KeyError for a rule that is not in the
    catalogue.
    """
    rule = by_slug()[slug]
    return Finding(
        code=rule.code,
        severity=rule.severity,
        message=message,
        remedy=rule.remedy if remedy is None else remedy,
        place=Place(pointer=pointer),
        subject=subject,
        dialect=dialect,
        rule=rule.slug,
        condition=rule.condition,
    )


@cache
def catalogue() -> Mapping[str, Rule]:
    """Return all rules that are shipped, by code, in the order of their codes."""
    files = sorted(data.folder(FOLDER).rglob("*.ttl"))
    found = {rule.code: rule for file in files for rule in shipped_in(file)}
    return MappingProxyType(dict(sorted(found.items())))


@cache
def by_slug() -> Mapping[str, Rule]:
    """Return all rules that are shipped, by slug."""
    return MappingProxyType({rule.slug: rule for rule in catalogue().values()})


@cache
def shipped_in(file: Path) -> tuple[Rule, ...]:
    """Return the rules in one of our files, which is parsed once: the catalogue and each profile ask for them."""
    return tuple(rules_of(file))


def rules_of(file: Path, *, named: bool = False) -> Iterator[Rule]:
    """Yield the rules in a Turtle file: what has a `ck:code` there.

    With `named`, also those of named shapes without a code of their own: the end of their name serves as one.
    """
    said = {iri: one for iri, one in shape_files.said_in(file).items() if not iri.startswith(shape_files.BLANK)}
    about = next((one for one in said.values() if _TITLE in one), {})
    for iri, properties in said.items():
        if CHECKPOINT_SHACL + "code" in properties:
            yield _rule(iri, properties, about)
        elif named and not _SHAPES.isdisjoint(map(text_of, properties.get(_TYPE, ()))):
            yield _rule(iri, properties, about)._replace(code=local_name(iri), slug=local_name(iri))


def local_name(iri: str) -> str:
    """Return the end of an IRI, after the last `#`, `/` or `:`."""
    return re.split(r"[#/:]", iri)[-1] or iri


Properties = dict[str, list[shape_files.Term]]

_NOTHING: list[shape_files.Term] = [""]
_TYPE = RDF + "type"
_SHAPES = frozenset((SHACL + "NodeShape", SHACL + "PropertyShape"))
_TITLE = "http://purl.org/dc/terms/title"
_SEE_ALSO = "http://www.w3.org/2000/01/rdf-schema#seeAlso"


def _rule(iri: str, properties: Properties, about: Properties) -> Rule:
    def ours(name: str) -> str:
        return text_of(properties.get(CHECKPOINT_SHACL + name, _NOTHING)[0])

    def shacl(name: str) -> str:
        return text_of(properties.get(SHACL + name, _NOTHING)[0])

    return Rule(
        code=ours("code"),
        slug=iri.removeprefix(SHAPES).removeprefix(AGENT_SHAPES),
        title=shacl("name"),
        severity=SEVERITIES.get(shacl("severity"), Severity.VIOLATION),
        why=shacl("description"),
        message=shacl("message"),
        remedy=ours("remedy"),
        condition=ours("condition"),
        see=text_of(about.get(_SEE_ALSO, _NOTHING)[0]),
        shape=iri,
        family=text_of(about.get(_TITLE, _NOTHING)[0]),
        member=ours("member"),
        form=ours("wellFormed"),
        suggests=ours("suggest") == "true",
        excused=tuple(map(text_of, properties.get(CHECKPOINT_SHACL + "excusedIn", ()))),
    )
