"""The catalogue of rules: each possible fault of a checkpoint, with a stable code.

The rules are nodes with a `ck:code` in the shipped Turtle files (`catalogue`, `finding`), which are parsed at build
time. Each rule has an example (`example`): a document that conforms, one that does not, and the place of the fault.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
import zlib
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pyoxigraph

from checkpoint_ld import data
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.vocabulary import AGENT_SHAPES, CHECKPOINT_SHACL, RDF, SHACL, SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FOLDER = "shapes"
PARSED = "parsed"
"""The folder in it with the parsed statements."""
BLANK = "_:"
"""The start of the names of blank nodes, which contain the name of the file."""

Term = str | list[str | None]
"""An IRI, the name of a blank node, or the text, datatype and language of a literal (None without)."""
Statements = dict[str, dict[str, list[Term]]]
"""The values of each subject by predicate, each once, in the order of the file."""
Properties = dict[str, list[Term]]

SEVERITIES = {
    SHACL + "Violation": Severity.VIOLATION,
    SHACL + "Warning": Severity.WARNING,
    SHACL + "Info": Severity.INFO,
}
"""Severities by their IRI (SHACL 1.0 §2.1.4)."""
FIXED = frozenset(
    (
        *("byte-order-mark", "json-ld-form", "vocabulary-http", "trait-prefix", "format-version-missing"),
        *("benchmark-version", "trait-bound-text", "finished-text", "trait-kind-binary"),
    )
)
"""The rules with automatic fixes, by slug."""


_NOTHING: list[Term] = [""]
_MEMBERS = {
    **{one: CHECKPOINT_SHACL + one for one in ("code", "remedy", "condition", "member")},
    "title": SHACL + "name",
    "why": SHACL + "description",
    "message": SHACL + "message",
    "form": CHECKPOINT_SHACL + "wellFormed",
}
"""The properties of a shape that say what is in the members of its rule."""
_SEVERITY, _SUGGEST, _EXCUSED = SHACL + "severity", CHECKPOINT_SHACL + "suggest", CHECKPOINT_SHACL + "excusedIn"
_TYPE = RDF + "type"
_SHAPES = frozenset((SHACL + "NodeShape", SHACL + "PropertyShape"))
_TITLE = "http://purl.org/dc/terms/title"
_SEE_ALSO = "http://www.w3.org/2000/01/rdf-schema#seeAlso"


class Rule(NamedTuple):
    """One rule: the fault (`title`), the reason why it is one, and the remedy.

    `code` is stable, such as `KQ003`. `slug` is its name, such as `question-text`. `condition` is the name of the fault
    in the format's description, such as `E-TEXT`, if it has one. `message` is the text of a finding with placeholders
    such as `{?value}`. `shape` is the IRI of the rule. `family` is the title of its file, `see` the page of the
    documentation about it.

    `member` is the key of the member that a finding points to, if it does not follow from the shape's path. `form` is
    the required form of values. With `suggests`, the most similar known name is the remedy. `excused` are prefixes of
    the names of dialects that have no place for the required value.
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


_ABOUT_SHAPES = ("validate.md#shapes-of-your-own", "Shapes of your own")
"""The page about the rules below, and their family."""
ABOUT_SHAPES: Mapping[str, Rule] = MappingProxyType(
    {
        code: Rule(code, slug, title, severity, why, remedy=remedy, see=_ABOUT_SHAPES[0], family=_ABOUT_SHAPES[1])
        for code, slug, title, severity, why, remedy in (
            (
                *("SH001", "shape-term", "a term of SHACL's namespace without effect", Severity.WARNING),
                "SHACL ignores what it does not know, so that a misspelt constraint constrains nothing.",
                "spell the term as SHACL does",
            ),
            (
                *("SH002", "shape-pattern", "a shape that is left out because of its pattern", Severity.VIOLATION),
                "A pattern that is no regular expression of XPath, or cannot be applied exactly, would judge wrongly.",
                "write a pattern of XPath without that part",
            ),
            (
                *("SH003", "shape-target", "a shape whose targets match nothing in any of the files", Severity.WARNING),
                "A shape without focus nodes finds nothing, whatever the files hold.",
                "name a class, a property or a node that the graphs have",
            ),
            (
                *("SH004", "shape-namespace", "a target in http://schema.org/", Severity.WARNING),
                "The graphs of checkpoints have the terms of schema.org in https.",
                "write https://schema.org/",
            ),
        )
    }
)
"""The rules about the shapes of a user themselves, by code; they have neither shapes nor examples."""


@cache
def editions() -> Mapping[str, frozenset[str]]:
    """Return the codes of the rules that each edition added, by its name, oldest first; the last edition is open."""
    listed = tomllib.loads(data.text(FOLDER, "editions.toml"))["edition"]
    return MappingProxyType({edition["name"]: frozenset(edition.get("rules", ())) for edition in listed})


def since(code: str) -> str:
    """Return the name of the edition that added a rule."""
    return next((name for name, codes in editions().items() if code in codes), [*editions()][-1])


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
    rules = {rule.code: rule for file in files for rule in shipped_in(file)}
    return MappingProxyType(dict(sorted(rules.items())))


@cache
def by_slug() -> Mapping[str, Rule]:
    """Return all rules that are shipped, by slug."""
    return MappingProxyType({rule.slug: rule for rule in catalogue().values()})


@cache
def shipped_in(file: Path) -> tuple[Rule, ...]:
    """Return the rules in one of our files, which is read once for the catalogue and all profiles."""
    return tuple(rules_of(file))


def rules_of(file: Path, *, named: bool = False) -> Iterator[Rule]:
    """Yield the rules in a Turtle file: the nodes with a `ck:code`.

    With `named`, the slug is the end of their name, and named shapes without a code are rules too, with it as the code.
    """
    nodes = statements_in(file)
    about = next((node for node in nodes.values() if _TITLE in node), {})
    for iri, properties in nodes.items():
        name = local_name(iri)
        if CHECKPOINT_SHACL + "code" in properties:
            rule = _rule(iri.removeprefix(BLANK), properties, about)
            yield rule._replace(slug="" if iri.startswith(BLANK) else name) if named else rule
        elif named and not iri.startswith(BLANK) and not _SHAPES.isdisjoint(map(text_of, properties.get(_TYPE, ()))):
            yield _rule(iri, properties, about)._replace(code=name, slug=name)


def local_name(iri: str) -> str:
    """Return the end of an IRI, after the last `#`, `/` or `:`."""
    return re.split(r"[#/:]", iri)[-1] or iri


def _rule(iri: str, properties: Properties, about: Properties) -> Rule:
    held = {name: text_of(properties[one][0]) if one in properties else "" for name, one in _MEMBERS.items()}
    return Rule(
        **held,
        slug=iri.removeprefix(SHAPES).removeprefix(AGENT_SHAPES),
        severity=SEVERITIES.get(text_of(properties.get(_SEVERITY, _NOTHING)[0]), Severity.VIOLATION),
        see=text_of((properties.get(_SEE_ALSO) or about.get(_SEE_ALSO, _NOTHING))[0]),
        shape=iri,
        family=text_of(about.get(_TITLE, _NOTHING)[0]),
        suggests=text_of(properties.get(_SUGGEST, _NOTHING)[0]) == "true",
        excused=tuple(map(text_of, properties.get(_EXCUSED, ()))),
    )


def statements_in(file: Path) -> Statements:
    """Return the statements of a Turtle file. Raises SyntaxError for invalid Turtle, and OSError."""
    beforehand = parsed_beforehand(file)
    return parsed(file) if beforehand is None else beforehand


def parsed_beforehand(file: Path) -> Statements | None:
    """Return the parsed statements of one of our files, None for any other or changed file."""
    folder = data.folder(FOLDER)
    if not file.is_relative_to(folder) or not (beforehand := parsed_file(folder, file)).is_file():
        return None
    kept = orjson.loads(beforehand.read_bytes())
    statements: Statements | None = kept["statements"] if kept["checksum"] == checksum(file) else None
    return statements


def parsed_file(folder: Path, file: Path) -> Path:
    """Return the path of the parsed statements of `file` in `folder`."""
    return (folder / PARSED / file.relative_to(folder)).with_suffix(".json")


def parsed(file: Path) -> Statements:
    """Parse a Turtle file. Raises as `statements_in`."""
    statements: Statements = {}
    names: dict[str, str] = {}
    is_ours = file.is_relative_to(data.folder(FOLDER))
    label = file.stem if is_ours else f"{file.stem}-{zlib.crc32(str(file.absolute()).encode('utf-8', 'replace')):x}"

    def term(node: Any) -> Term:
        if isinstance(node, pyoxigraph.NamedNode):
            return str(node.value)
        if isinstance(node, pyoxigraph.BlankNode):
            return names.setdefault(node.value, f"{BLANK}{label}-{len(names)}")
        datatype = None if node.datatype.value.endswith(("#string", "#langString")) else node.datatype.value
        return [node.value, datatype, node.language]

    for quad in pyoxigraph.parse(path=file, format=pyoxigraph.RdfFormat.TURTLE, base_iri=SHAPES):
        if not isinstance(quad.object, pyoxigraph.Triple):
            values = statements.setdefault(str(term(quad.subject)), {}).setdefault(quad.predicate.value, [])
            if (value := term(quad.object)) not in values:
                values.append(value)
    return statements


def text_of(term: Term) -> str:
    """Return the text of a term: that of a literal, or the name of a node."""
    return term if isinstance(term, str) else str(term[0])


def checksum(file: Path) -> int:
    """Return a checksum of a file, which detects changes."""
    return zlib.crc32(file.read_bytes())


_FOLDER = "examples"
_LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class Example:
    """The example of one rule.

    `valid` and `invalid` are the texts of two documents that differ in the value of the rule. `pointer` is the place of
    the finding (RFC 6901). `profile` is the profile of the rule. `good` and `bad` are the relevant parts of the two.
    """

    code: str
    valid: bytes
    invalid: bytes
    pointer: str
    good: str
    bad: str
    profile: str = "karenina"
    file: str = "example.jsonld"


@cache
def example(code: str) -> Example | None:
    """Return the example of the rule `code`, None for a rule that is not ours."""
    path = data.folder(FOLDER) / _FOLDER / f"{code}.json"
    if not path.is_file():
        return None
    stated = json.loads(path.read_text(encoding="utf-8"))
    file, profile = stated.get("file", "example.jsonld"), stated.get("profile", "karenina")
    if "invalid" in stated:
        valid, invalid = stated["valid"], stated["invalid"]
        encoded = valid.encode(), invalid.encode(stated.get("encoding", "utf-8"))
        return Example(code, *encoded, stated["pointer"], valid.strip(), invalid.strip(), profile, file)
    valid = document(stated["document"])
    patch(valid, stated.get("prepare", []))
    broken = copy.deepcopy(valid)
    patch(broken, stated["change"])
    shown = stated.get("shown", stated["pointer"])
    return Example(
        code,
        _text(valid),
        _text(broken),
        stated["pointer"],
        _part(valid, broken, shown),
        _part(broken, valid, shown),
        profile,
        file,
    )


def document(name: str) -> Any:
    """Return the valid document `name`, on which examples are based."""
    return json.loads(data.text(FOLDER, f"{_FOLDER}/{name}.jsonld"))


def patch(tree: Any, operations: list[dict[str, Any]]) -> None:
    """Apply the operations of a JSON Patch (RFC 6902) to `tree`, in place."""
    import jsonpatch  # noqa: PLC0415 - those who validate need no examples

    jsonpatch.JsonPatch(copy.deepcopy(operations)).apply(tree, in_place=True)


def _part(tree: Any, other: Any, pointer: str) -> str:
    """Return the object nearest to `pointer` as JSON text, with … for parts that equal those of `other`."""
    from jsonpointer import JsonPointer  # noqa: PLC0415 - as above

    steps = JsonPointer(pointer).parts
    above = (JsonPointer.from_parts(steps[:length]) for length in range(len(steps), -1, -1))
    nearest = next(place for place in above if isinstance(place.resolve(tree, None), dict))
    abridged = _abridged(nearest.resolve(tree), nearest.resolve(other, None))
    return json.dumps(abridged, indent=2, ensure_ascii=False).replace(f'"{_LEFT_OUT}"', _LEFT_OUT)


def _abridged(value: Any, other: Any) -> Any:
    if isinstance(value, dict):
        members = other if isinstance(other, dict) else {}
        return {key: _short(member, members.get(key)) for key, member in value.items() if key != "@context"}
    if isinstance(value, list):
        items = other if isinstance(other, list) else []
        return [_short(*pair) for pair in zip_longest(value, items[: len(value)])]
    return value


def _short(member: Any, other: Any) -> Any:
    is_same = isinstance(member, (dict, list)) and member == other
    return _LEFT_OUT if is_same and member else _abridged(member, other)


def _text(tree: Any) -> bytes:
    return (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode()
