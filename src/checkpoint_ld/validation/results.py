"""Results of SHACL validation as findings, with places in the source and messages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from rdflib import BNode, Literal, URIRef

from checkpoint_ld import shacl
from checkpoint_ld.documents.text import pointer, steps_of
from checkpoint_ld.errors import FindingsError
from checkpoint_ld.findings import Finding, Place, Severity, counts_of
from checkpoint_ld.frames import columns_of, data_frame
from checkpoint_ld.graph.annotation import Pointers
from checkpoint_ld.graph.literals import is_minted, text_of
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import called, shown
from checkpoint_ld.rules import SEVERITIES, Rule
from checkpoint_ld.secrets import secret
from checkpoint_ld.shacl.shape import VIOLATION, listed, sh_values
from checkpoint_ld.shacl.shapes import compile_statements
from checkpoint_ld.validation.constraints import components, forms
from checkpoint_ld.validation.constraints.forms import FORMS, key_of, value_of
from checkpoint_ld.validation.inference import infer, predicate_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, ID_BASE, KARENINA, RDF, SCHEMA, SETTINGS, SHACL, TRAIT_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib import Graph
    from rdflib.term import Node

    from checkpoint_ld.dialects.reading import Reading
    from checkpoint_ld.frames import FrameLibrary
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl import DataGraph, Shapes
    from checkpoint_ld.validation.inference import InferenceSource
    from checkpoint_ld.validation.profiles import Profile


FINDING_COLUMNS = (*("severity", "code", "rule", "file", "line", "column", "pointer", "subject", "message", "remedy"),)
"""The columns of a data frame of findings."""


@dataclass(frozen=True)
class Checked:
    """One source that was validated.

    `source` is its name as given, None if it has none; `dialect` is None if it is not known. `text` is the JSON text
    that places point into, None if there are no findings, for RDF syntaxes and for data that is no text. `results` is
    the SHACL validation report (SHACL 1.0 §3.6), None if no graph could be made. `unmatched` are the user's shapes
    whose targets match nothing in it, None if there are no shapes of the user, or no graph.
    """

    source: str | None
    findings: tuple[Finding, ...]
    dialect: str | None = None
    text: str | None = field(default=None, repr=False)
    results: Graph | None = field(default=None, repr=False)
    unmatched: frozenset[str] | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """The result of validation: the sources in the given order, and the findings of each in the order of their places.

    `profile` names the rules that were applied, `rules` holds them by code. `known` is the number of findings that were
    left out because a baseline has them.
    """

    profile: str
    checked: tuple[Checked, ...]
    rules: Mapping[str, Rule] = field(repr=False)
    known: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Report, (self.profile, self.checked, dict(self.rules), self.known)  # the rules may be a read-only view

    def __repr__(self) -> str:
        return f"<Report of {len(self.checked)} sources: {self._line()}>"

    def _line(self) -> str:
        counts = ", ".join(f"{number} {severity.label}s" for severity, number in self.counts.items())
        return f"{counts} (profile {self.profile})"

    def _card(self) -> Card:
        name = "valid" if self.conforms else "not valid"
        return Card("Report", name, self._line(), {"sources": len(self.checked)}, [self.table()])

    def table(self) -> Rows:
        """Return the findings as a table for a notebook."""
        rows = (
            (
                one.severity.label,
                f"{one.code} {one.rule}",
                str(one.place),
                f"{one.subject}: {one.message}" if one.subject else one.message,
                one.remedy,
            )
            for one in self.findings
        )
        return Rows("Findings", ("severity", "rule", "place", "finding", "remedy"), rows, len(self.findings))

    def to_dataframe(self, *, library: FrameLibrary = "pandas") -> Any:
        """Return the findings as a data frame of pandas or polars, a row for each.

        Raises SettingsError for another library, and where the library is not installed.
        """
        rows = [
            {
                "severity": one.severity.label,
                "code": one.code,
                "rule": one.rule,
                "file": one.place.file,
                "line": one.place.line,
                "column": one.place.column,
                "pointer": one.place.pointer,
                "subject": one.subject,
                "message": one.message,
                "remedy": one.remedy,
            }
            for one in self.findings
        ]
        return data_frame(columns_of(rows, FINDING_COLUMNS), library)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of all sources."""
        return tuple(found for one in self.checked for found in one.findings)

    @property
    def counts(self) -> dict[Severity, int]:
        """The number of findings of each severity, the highest first, also where it is 0."""
        return counts_of(self.findings)

    @property
    def conforms(self) -> bool:
        """Whether there is no violation."""
        return not self.at_least(Severity.VIOLATION)

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of the severity `severity` or a higher one."""
        return tuple(found for found in self.findings if found.severity >= severity)

    def raise_for_findings(self, severity: Severity = Severity.VIOLATION) -> Report:
        """Return this report. Raises FindingsError if a finding has the severity `severity` or a higher one."""
        found = self.at_least(severity)
        if found:
            raise FindingsError.of(found)
        return self


@dataclass(frozen=True, slots=True)
class FindingResult:
    """A validation result (SHACL 1.0 §3.6.2) for a finding.

    `shape` is its source shape, or the named one around it; `paths` are the properties that its path may be.
    """

    focus: Node
    shape: Node
    component: Node
    severity: Severity
    paths: tuple[Node, ...]
    value: Node | None
    messages: tuple[str, ...]


@lru_cache(maxsize=8)
def compiled(profile: Profile) -> Shapes:
    """Return the shapes of a profile, compiled. Raises ShapesError if the user's shapes are ill-formed."""
    ours, is_shipped = profile.own_patterns(), not profile.has_queries
    return compile_statements(
        profile.shapes(),
        components.COMPONENTS,
        own_patterns=ours,
        are_ours=is_shipped,
        with_doubts=bool(profile.own_shapes),
    )


@lru_cache(maxsize=8)
def violations(profile: Profile) -> Shapes:
    """Return the shapes of a profile whose results are violations, compiled."""
    shapes = compiled(profile)
    return replace(shapes, by_node={node: one for node, one in shapes.by_node.items() if one.severity == VIOLATION})


def is_broken(source: InferenceSource, profile: Profile) -> bool:
    """Return whether a checkpoint breaks a rule of a profile that is a violation; other rules are not applied."""
    shapes = violations(profile)
    return bool(shacl.results(shacl.DataGraph(source.held, infer(source, shapes.terms)), shapes))


@lru_cache(maxsize=8)
def _beyond(profile: Profile, load: Profile) -> Shapes:
    """Return the shapes of `load` whose results are violations and which `profile` does not apply to the same nodes."""
    known, wanted = compiled(profile).by_node, violations(load)
    left = {
        node: one
        for node, one in wanted.by_node.items()
        if not one.targets or node not in known or known[node].targets != one.targets
    }
    return replace(wanted, by_node=left)


def breaks(load: Profile, data: DataGraph, found: Iterable[shacl.Result], profile: Profile) -> bool:
    """Return whether statements break a rule of `load` that is a violation; `found` are their results by `profile`."""
    wanted = violations(load).by_node
    return any(one.shape in wanted for one in found) or bool(shacl.results(data, _beyond(profile, load)))


def data_of(source: InferenceSource) -> DataGraph:
    """Return the statements of a checkpoint together with the inferred ones."""
    return shacl.DataGraph(source.held, infer(source))


def applied(data: DataGraph, shapes: Shapes, *, by_pyshacl: bool = False) -> list[shacl.Result]:
    """Return the results of shapes for statements. Raises ShapesError for shapes that cannot be applied."""
    if by_pyshacl:
        shapes = shapes.for_pyshacl(f"{components.__name__}:{components.register.__name__}")
    return shacl.results(data, shapes)


def without_secrets(found: Sequence[shacl.Result]) -> list[shacl.Result]:
    """Return results without values that look like secrets, because a report is read by more people than the file."""
    secrets = {id(one) for one in found if one.value is not None and secret(value_of(one.value))}
    return [replace(one, value=None, messages=()) if id(one) in secrets else one for one in found]


def results(found: Iterable[shacl.Result], shapes: Index) -> Iterator[FindingResult]:
    """Yield results in the form for findings."""
    around: dict[Node, Node] = {}
    paths: dict[Node, tuple[Node, ...]] = {}
    for one in found:
        if isinstance(one.shape, BNode) and not around:
            around = {term: subject for subject, _, term in triples_of(shapes) if isinstance(term, BNode)}
        if one.shape not in paths:
            paths[one.shape] = tuple(_alternatives(shapes, one.shape))
        shape = _named(one.shape, around, shapes)
        yield FindingResult(
            focus=one.focus,
            shape=shape,
            component=one.component,
            severity=SEVERITIES.get(str(one.severity), Severity.VIOLATION),
            paths=(one.path,) if isinstance(one.path, URIRef) else paths[one.shape],
            value=one.value,
            messages=_read_messages(one.messages) or (f"it does not conform to the shape {shape.n3()}",),
        )


def _read_messages(messages: Sequence[Literal]) -> tuple[str, ...]:
    """Return the messages without a language and in English, all if there are none of these."""
    chosen = [one for one in messages if (one.language or "en").partition("-")[0] == "en"]
    return tuple(sorted(map(str, chosen or messages)))


def _by_path(result: FindingResult, data: DataGraph) -> Iterator[FindingResult]:
    """Yield a result once for each of its paths that has the value, because SHACL reports values, not places."""
    held_paths = [path for path in result.paths if result.value in data.values(result.focus, path)]
    if len(held_paths) < 2:
        yield result
    else:
        yield from (replace(result, paths=(path,)) for path in held_paths)


_CODE = URIRef(CHECKPOINT_SHACL + "code")


def _named(shape: Node, around: dict[Node, Node], shapes: Index) -> Node:
    """Return a shape with a name or a code: `shape` itself, or the one around it."""
    seen = set()
    while isinstance(shape, BNode) and shape in around and shape not in seen and _CODE not in shapes.get(shape, {}):
        seen.add(shape)
        shape = around[shape]
    return shape


def _alternatives(shapes: Index, shape: Node) -> Iterator[Node]:
    for path in sh_values(shapes, shape, "path"):
        for alternatives in sh_values(shapes, path, "alternativePath") if isinstance(path, BNode) else ():
            yield from (one for one in listed(shapes, alternatives) if isinstance(one, URIRef))


_SETTINGS: dict[Node, str] = {predicate_of(name): name for forms in SETTINGS.values() for name in forms}

_NAMED_BY_VALUE = frozenset(
    URIRef(KARENINA + name) for name in ("unknownKey", "malformedMember", "arrayOf", "nestedIn", "nullIn", "nullMember")
)
"""Inferred properties whose value is the key of the member that they are about."""

Tree = dict[str, Any]


class TreePlaces(Protocol):
    """The places of the objects of a tree."""

    def get(self, iri: str, /) -> str | None:
        """Return the JSON Pointer of the object that `iri` names, None if it names none."""


class Map:
    """The canonical tree of a checkpoint, and the places of the nodes in it.

    What was looked up is kept, because most findings are about members of the same few objects.
    """

    def __init__(self, tree: Tree, nodes: TreePlaces) -> None:
        self.tree, self.nodes = tree, nodes
        self._places: dict[str, str | None] = {}
        self._values: dict[str, tuple[Any, str]] = {"": (tree, "")}

    def _place_of(self, node: Node) -> str | None:
        """Return the JSON Pointer of the object that a node is, None for a node that is not in the tree."""
        iri = str(node)
        if iri not in self._places:
            self._places[iri] = self.nodes.get(iri)
        return self._places[iri]

    def at(self, place: str) -> Any:
        """Return the value at a JSON Pointer (RFC 6901), None if there is none."""
        return self._at(place)[0]

    def subject(self, place: str) -> str:
        """Return the question, trait, scenario or node that the value at a JSON Pointer belongs to, in words."""
        return self._at(place)[1]

    def _at(self, place: str) -> tuple[Any, str]:
        """Return the value at a JSON Pointer, None if there is none, and what it belongs to."""
        if place not in self._values:
            above, _, step = place.rpartition("/")
            holder, subject = self._at(above)
            if isinstance(holder, list):
                value = holder[int(step)] if step.isdecimal() and int(step) < len(holder) else None
            else:
                value = holder.get(*steps_of("/" + step)) if isinstance(holder, dict) else None
            if isinstance(value, dict) and (name := _called(steps_of(place), value)):
                subject = f"{subject}, {name}" if subject else name
            self._values[place] = value, subject
        return self._values[place]

    def pointer(self, focus: Node, paths: Iterable[Node], value: Node | None, member: str = "") -> str | None:
        """Return the place of a node's fault, None for a node that is not in the tree."""
        base = self._place_of(focus)
        if base is None:
            return None
        is_object = isinstance(value, URIRef) and _OF_TYPES.isdisjoint(paths)
        there = self._place_of(value) if value is not None and is_object else None
        if there is not None:
            return there
        if member:
            return self._within(base, member, value)
        if not _NAMED_BY_VALUE.isdisjoint(paths):
            return base + pointer((str(value),))
        found = [self._place(base, path, value) for path in paths]
        return next((place for place, is_held in found if is_held), found[0][0] if found else base)

    def _place(self, base: str, path: Node, value: Node | None) -> tuple[str, bool]:
        """Return the place of a property of the object at `base`, and whether it has `value` there."""
        holder = self.at(base)
        key = key_of(path)
        key = key if key in holder else key.removeprefix("karenina:")
        setting = _SETTINGS.get(path)
        at = None if setting is None else _index_of(holder.get("additionalProperty"), setting)
        if at is not None:
            entry = f"{base}/additionalProperty" + (f"/{at}" if isinstance(holder["additionalProperty"], list) else "")
            return entry + "/value", value is None or _stands_for(self.at(entry).get("value"), value)
        if setting is not None and key not in holder:
            return base, False
        return self._within(base, key, value), key in holder and (value is None or _stands_for(holder[key], value))

    def _within(self, base: str, key: str, value: Node | None) -> str:
        place = base + pointer((key,))
        held = self.at(base).get(key)
        if value is None or (not isinstance(held, list) and _stands_for(held, value)):
            return place
        parts = enumerate(held) if isinstance(held, list) else held.items() if isinstance(held, dict) else ()
        return next((place + pointer((at,)) for at, one in parts if _stands_for(one, value)), place)


def _called(steps: list[str], value: Tree) -> str:
    """Return the question, trait, scenario or node that an object is, in words; "" for anything else."""
    match steps:
        case ["dataFeedElement", _]:
            question = value.get("item")
            text = question.get("text") if isinstance(question, dict) else None
            return called("question", text if isinstance(text, str) and text.strip() else value.get("@id"))
        case [*_, "rating", _]:
            return called("trait", value.get("name"))
        case ["hasPart", _]:
            return called("scenario" if "nodes" in value else "part", value.get("name"))
        case ["hasPart", _, "nodes", key]:
            return called("node", key)
    return ""


def _index_of(entries: Any, name: str) -> int | None:
    """Return the index of the last property called `name`, because of several the last one counts."""
    listed = entries if isinstance(entries, list) else [entries]
    found = [at for at, one in enumerate(listed) if isinstance(one, dict) and one.get("name") == name]
    return found[-1] if found else None


def _stands_for(held: Any, value: Node) -> bool:
    if isinstance(held, list) and not (isinstance(value, Literal) and str(value).startswith("[")):
        return any(_stands_for(one, value) for one in held)
    if not isinstance(value, Literal):
        return isinstance(held, str) and (str(value).endswith(held) or key_of(value) == held)
    wanted = value_of(value)
    return bool(held == wanted) and isinstance(held, bool) == isinstance(wanted, bool)


_PLACEHOLDER = re.compile(r"\{[?$](\w+)\}")
_SUFFIX_OF_CLASS = {
    "RegexRubricTrait": "RegexTrait",
    "CallableRubricTrait": "CallableTrait",
    "ManualRubricTrait": "RegexTrait",
}
"""The trait type of each class of Karenina, also of an abandoned one, whose name is another."""
_RDF_TYPE = URIRef(RDF + "type")
_UNEXPECTED_TYPE = URIRef(KARENINA + "unexpectedType")
_OF_TYPES = frozenset((_RDF_TYPE, _UNEXPECTED_TYPE))
"""Properties whose values are types, also where an object has the same name."""


def _message_of(rule: Rule, result: FindingResult, data: DataGraph) -> str:
    """Return the message of `rule` for one result; `data` is what was validated."""

    def filled(match: re.Match[str]) -> str:
        match match[1]:
            case "value":
                return _value(result, data)
            case "detail":
                return _detail(rule, result, data)
            case "setting":
                return _setting(result, data)
            case name:
                return _property(result, name, data)

    return _PLACEHOLDER.sub(filled, rule.message).removesuffix(": ")


def _remedy_of(rule: Rule, result: FindingResult) -> str:
    """Return the remedy for a result: the nearest known name, if there is one, or else that of the rule."""
    if rule.suggests and result.value is not None:
        name = str(result.value).removeprefix(KARENINA).removeprefix(SCHEMA)
        for trait_class, suffix in _SUFFIX_OF_CLASS.items():
            name = name.replace(trait_class, suffix)
        near = forms.nearest(name, TRAIT_TYPES)
        if near:
            return f"did you mean karenina:{near}?"
    return rule.remedy


def _shown_term(term: Any, data: DataGraph, *, is_type: bool = False) -> str:
    """Return a term for a message; a type is shown by its name, even if an object has the same one."""
    if isinstance(term, Literal):
        value = value_of(term)
        if isinstance(value, str) and secret(value):
            return "what looks like a secret"
        return shown(value) + (f"@{term.language}" if term.language else "")
    text = str(term)
    if not is_type and data.describes(term):
        return "an object"
    if not is_type and is_minted(text):
        return "an empty object"
    if text.startswith(ID_BASE):
        return shown(text_of(text))
    if text.startswith(KARENINA):
        return f'"karenina:{text.removeprefix(KARENINA)}"'
    key = key_of(term)
    return f"<{text}>" if key == text else f'"{key}"'


def _value(result: FindingResult, data: DataGraph) -> str:
    if result.value is not None:
        return _shown_term(result.value, data, is_type=not _OF_TYPES.isdisjoint(result.paths))
    if str(result.component) == SHACL + "MaxCountConstraintComponent":
        held = [term for path in result.paths for term in data.values(result.focus, path)]
        return f"given {len(held)} times" if len(held) > 1 else _shown_term(held[0], data) if held else "given"
    return "missing"


def _detail(rule: Rule, result: FindingResult, data: DataGraph) -> str:
    if rule.form and result.value is not None:
        return FORMS[rule.form](value_of(result.value)) or ""
    roles = data.values(result.focus, _RDF_TYPE)
    return next(filter(None, (_name_in_message(result, str(role).removeprefix(KARENINA)) for role in roles)), "")


def _name_in_message(result: FindingResult, role: str) -> str | None:
    """Return what a key or a type of an object in this role probably means, in words."""
    if result.value is None:
        return None
    if _UNEXPECTED_TYPE in result.paths:
        expected = forms.expected_type(result.value, role)
        return f"this place requires {expected}" if expected else None
    near = forms.misspelt(result.value, role)
    if near:
        return f"did you mean {near}?"
    owner = forms.misplaced(result.value, role)
    return f"it belongs to {owner}" if owner else None


def _setting(result: FindingResult, data: DataGraph) -> str:
    """Return the name of the setting that a result is about: of several paths, the one that has the value."""
    paths = [path for path in result.paths if result.value in data.values(result.focus, path)] or list(result.paths)
    return (_SETTINGS.get(paths[0]) or key_of(paths[0])) if paths else ""


def _property(result: FindingResult, name: str, data: DataGraph) -> str:
    for namespace in (SCHEMA, KARENINA):
        terms = data.values(result.focus, URIRef(namespace + name))
        if terms:
            return _shown_term(terms[0], data)
    return "missing"


def located(  # noqa: PLR0913 - what findings are made of
    found: Iterable[shacl.Result],
    shapes: Index,
    data: DataGraph,
    reading: Reading,
    profile: Profile,
    *,
    nodes: Map | None = None,
) -> Iterator[tuple[str | None, Finding]]:
    """Yield the findings for validation results about a source with the statements `data`, in any order.

    Each comes after the JSON Pointer of its value in the canonical tree; `nodes` has other places than those of its
    graph. Several results of one rule at one place are
    one finding, because several constraints of a shape may fail for one reason.
    """
    if nodes is None:
        nodes = Map(reading.tree, Pointers(reading.tree, reading.graph.held))
    findings = []
    for result in results(found, shapes):
        rule = profile.of_shape(str(result.shape)) or Rule("shape", "shape", "a shape of your own", result.severity)
        # The dialect of the source may have no member for what the rule requires.
        if not any(reading.dialect.startswith(one) for one in rule.excused):
            for one in _by_path(result, data):
                at = nodes.pointer(one.focus, one.paths, one.value, rule.member)
                findings.append((at, _finding(one, rule, data, nodes=nodes, at=at, reading=reading)))
    seen = set()
    for at, finding in sorted(findings, key=lambda pair: pair[1].message):
        pointer = finding.place.pointer
        key = finding.code, finding.node, finding.value if pointer is None else pointer
        if key not in seen:
            seen.add(key)
            yield at, finding


def _finding(  # noqa: PLR0913 - what a finding is made of
    result: FindingResult, rule: Rule, data: DataGraph, *, nodes: Map, at: str | None, reading: Reading
) -> Finding:
    if at is None or reading.document is None:
        place = Place(reading.source)
    else:
        place = reading.place(at, of_key=rule.slug in _ABOUT_KEYS)
    return Finding(
        code=rule.code,
        severity=result.severity,
        message=_message_of(rule, result, data) if rule.message else " ".join(result.messages),
        remedy=_remedy_of(rule, result),
        place=place,
        subject=nodes.subject(at) if at is not None else "",
        dialect=reading.dialect,
        rule=rule.slug,
        condition=rule.condition,
        node=str(result.focus),
        value=None if result.value is None or secret(value_of(result.value)) else str(result.value),
    )


_ABOUT_KEYS = frozenset({"member-misspelt", "member-misplaced", "member-unknown"})
