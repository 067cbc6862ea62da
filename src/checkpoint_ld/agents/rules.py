"""Validation of agent checkpoints by their rules (`shapes/caf/`): trees, readings, and whole collections."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rdflib import Literal, URIRef

from checkpoint_ld import shacl
from checkpoint_ld.agents.inference import Note, Part, Parts
from checkpoint_ld.agents.serialization import AgentReading
from checkpoint_ld.agents.values import NEWEST, sha256_of
from checkpoint_ld.documents.text import steps_of
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.phrases import called, given, shown
from checkpoint_ld.rules import SEVERITIES, Rule, by_slug, catalogue, finding
from checkpoint_ld.secrets import secret
from checkpoint_ld.shacl.shape import listed, sh, sh_values
from checkpoint_ld.validation import profiles
from checkpoint_ld.validation.constraints import forms
from checkpoint_ld.validation.constraints.forms import value_of
from checkpoint_ld.validation.results import Checked, Report, results
from checkpoint_ld.validation.validator import COMPILED, judge, report_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.agents.values import Tree
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.validation.profiles import Profile

_OF_SECOND_SHAPE = frozenset({"agent-second-member", "agent-second-value"})
_ABOUT_KEYS = frozenset({"agent-key-misspelt", "agent-key-unknown"})
_IRIS = {severity: URIRef(iri) for iri, severity in SEVERITIES.items()}
_MEMBER = URIRef(CHECKPOINT_SHACL + "member")
_MANY = sh("MaxCountConstraintComponent")
_PLACEHOLDER = re.compile(r"\{[?$](\w+)\}")
_UNIT = re.compile(r"not a number from 0 to 1\Z")


class PlacedResult(NamedTuple):
    """A validation result with its place: the JSON Pointer of the value at fault in the tree.

    `detail` adds to the message what the value does not show; for a shape without a rule it is the result's message.
    """

    result: shacl.Result
    severity: Severity
    part: Part
    value: Node | None
    place: str
    detail: str


def check_reading(reading: AgentReading, profile: Profile | str = "agent", *, engine: str = COMPILED) -> Checked:
    """Validate a reading by the rules of a profile, as `validation.judge`.

    `profile` may be a short name, such as `strict`. Raises SettingsError for an unknown profile, and for one of
    benchmarks.
    """
    if isinstance(profile, str):
        profile = profiles.profile(profiles.of_family(profile, profiles.AGENT))
    if profile.family != profiles.AGENT:
        raise SettingsError(f"the profile {profile.name} is for benchmarks: use {profiles.AGENT}")
    verdict = profile, engine
    if verdict not in reading.kept:
        reading.kept[verdict] = judge(_Agent(reading), profile, engine=engine)
    checked: Checked = reading.kept[verdict]
    return checked


def report_on(checkpoint: AgentReading | Tree, profile: str = "agent") -> Report:
    """Return the report on a reading, or on a canonical tree. Raises SettingsError as `check_reading`."""
    chosen = profiles.profile(profiles.of_family(profile, profiles.AGENT))
    if isinstance(checkpoint, dict):
        checkpoint = AgentReading(checkpoint, "canonical", NEWEST, None)
    return report_of([check_reading(checkpoint, chosen)], chosen)


class _Agent:
    """An agent checkpoint that was read, as `validation.Judged` describes it."""

    def __init__(self, reading: AgentReading) -> None:
        self.reading, self.tree = reading, reading.tree
        self.source, self.dialect, self.document = reading.source, reading.dialect, reading.document

    def statements(self) -> shacl.DataGraph:
        if Parts not in self.reading.kept:
            self.reading.kept[Parts] = Parts(self.tree)
        self.parts: Parts = self.reading.kept[Parts]
        return shacl.DataGraph(self.parts.index, self.parts.inferred)

    def findings(
        self, found: Sequence[shacl.Result], shapes: Index, profile: Profile
    ) -> tuple[list[Finding], Sequence[shacl.Result]]:
        kept = [*_heaviest([*_placed(found, self.parts, shapes)])]
        findings = [self._finding(judged, profile, shapes) for judged in kept]
        return findings, [*map(_reported, kept, findings)]

    def of_form(self, findings: Sequence[Finding], profile: Profile) -> Iterator[Finding]:  # noqa: ARG002 - benchmarks need it
        """Yield the findings of the reading, but for faults of the second shape that a rule reports as well."""
        reported = {(found.place.pointer, found.severity) for found in findings}
        for found in self.reading.findings:
            as_severe = ((found.place.pointer, one) for one in Severity if one >= found.severity)
            if found.rule not in _OF_SECOND_SHAPE or reported.isdisjoint(as_severe):
                yield found

    def _finding(self, judged: PlacedResult, profile: Profile, shapes: Index) -> Finding:
        shape = judged.result.shape
        rule = profile.of_shape(str(shape)) or Rule("shape", "shape", "a shape of your own", judged.severity)
        value, key = value_at(self.tree, judged.place), _key(judged.place)
        is_withheld = _is_secret(key, value)
        words = {"value": "what looks like a secret" if is_withheld else given(value), "key": given(key)}
        message = _PLACEHOLDER.sub(lambda match: words.get(match[1], judged.detail), rule.message or "{?detail}")
        place = (self.reading.key_place if rule.slug in _ABOUT_KEYS else self.reading.place)(judged.place)
        is_shown = value is not None and not isinstance(value, (dict, list)) and not is_withheld
        written = _key(place.pointer or "")
        if written != key and written.isidentifier() and key.isidentifier():  # the second shape has another key
            message = re.sub(rf"\b{key}\b", written, message, count=1)
        return Finding(
            code=rule.code,
            severity=rule.severity,
            message=message,
            remedy=_remedy_of(rule, shape, value, shapes),
            place=place,
            subject=_subject_of(self.tree, judged.place),
            rule=rule.slug,
            condition=rule.condition,
            node=str(judged.part.node),
            value=str(Literal(value)) if is_shown else None,
        )


def _reported(judged: PlacedResult, finding: Finding) -> shacl.Result:
    """Return a result for the validation report, with the message of its finding and without secrets."""
    is_withheld = judged.value is not None and _is_secret(_key(judged.place), value_of(judged.value))
    return replace(
        judged.result,
        focus=judged.part.node,
        severity=_IRIS[finding.severity],
        messages=(Literal(finding.message),),
        value=None if is_withheld else judged.result.value,
    )


def _placed(found: Sequence[shacl.Result], parts: Parts, shapes: Index) -> Iterator[PlacedResult]:
    """Yield each result once for every place that it may be about."""
    known: dict[tuple[str, tuple[Node, ...]], list[Note]] = {}
    for one, of in zip(found, results(found, shapes), strict=True):
        result, message = replace(one, shape=of.shape), " ".join(of.messages)
        part = parts.by_node.get(one.focus)
        if part is None:  # a user's shape about an execution, an agent or a tool, which has no place of its own
            yield PlacedResult(result, of.severity, parts.root, None, "", message)
            continue
        if (at := (part.pointer, of.paths)) not in known:
            known[at] = [note for path in of.paths for note in parts.located(part, path)]
        is_many = one.component == _MANY
        notes = known[at][1:2] if is_many else [note for note in known[at] if note.term == one.value]
        for note in notes:
            value = None if is_many else note.term
            yield PlacedResult(result, of.severity, part, value, note.place, note.detail or message)
        if not notes:
            member = next((f"/{name}" for name in terms_of(shapes.get(of.shape, {}).get(_MEMBER))), "")
            yield PlacedResult(result, of.severity, part, None, part.pointer + member, message)


def _heaviest(found: list[PlacedResult]) -> Iterable[PlacedResult]:
    """Return only the most severe results at each place, each rule once, and all results of the user's own shapes."""
    weights = _weights()
    heaviest: dict[str, Severity] = {}
    for judged in found:
        weight = weights.get(str(judged.result.shape), Severity.INFO)
        heaviest[judged.place] = max(heaviest.get(judged.place, Severity.INFO), weight)
    ours = {
        (judged.result.shape, judged.place): judged
        for judged in found
        if weights.get(str(judged.result.shape)) == heaviest[judged.place]
    }
    return *ours.values(), *(judged for judged in found if str(judged.result.shape) not in weights)


@cache
def _weights() -> dict[str, Severity]:
    return {rule.shape: rule.severity for rule in catalogue().values()}


def _remedy_of(rule: Rule, shape: Node, value: Any, shapes: Index) -> str:
    """Return the remedy for a result: the name that was most likely meant, or else the remedy of the rule."""
    if rule.suggests and isinstance(value, str):
        known = tuple(str(one) for at in sh_values(shapes, shape, "in") for one in listed(shapes, at))
        near = forms.nearest(value, known)
        return f'did you mean "{near}"?' if near else rule.remedy
    if _UNIT.search(rule.message) and is_number(value) and 1 < value <= 100:
        return f"did you mean {value / 100:g}?"
    return rule.remedy


def _is_secret(key: str, value: Any) -> bool:
    return isinstance(value, (str, dict, list)) and secret({key: value}) is not None


def _subject_of(tree: Any, place: str) -> str:
    """Return a phrase for the thought or call that the value at a JSON Pointer belongs to."""
    match place.split("/")[1:]:
        case ["snapshot", "thought_chain", at, *_]:
            return called("thought", value_at(tree, f"/snapshot/thought_chain/{at}/id"))
        case ["snapshot", "tool_state", "calls", at, *_]:
            return called("call", value_at(tree, f"/snapshot/tool_state/calls/{at}/id"))
    return ""


def value_at(tree: Any, place: str) -> Any:
    """Return the value at a JSON Pointer of a tree, None where there is none."""
    value = tree
    for key in steps_of(place):
        if isinstance(value, list):
            value = value[int(key)] if key.isdecimal() and int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _key(place: str) -> str:
    return next(reversed(steps_of(place)), "")


_FALLING: Final = {
    "/metadata/step_number": "agent-step-falls",
    "/metadata/tokens_used": "agent-tokens-fall",
    "/timestamp": "agent-older-than-parent",
}
"""The numbers that never fall in an execution."""
_PARENT: Final = "/parent/checkpoint_id"
_ABOUT: Final = ("/about/benchmark", "/about/question", "/about/benchmark_sha256")


@dataclass(frozen=True)
class KnownBenchmark:
    """A known benchmark: the `@id`s of its questions, and the hash of its file."""

    questions: Container[str]
    sha256: str


@dataclass(frozen=True, slots=True)
class _Seen:
    """The hash of an earlier checkpoint, and some of its values by their places in the tree."""

    sha256: str
    values: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.values["/id"])

    @property
    def key(self) -> tuple[float, float, str]:
        """The order of checkpoints: timestamp, step_number, id."""
        timestamp, step = (self.values[at] for at in ("/timestamp", "/metadata/step_number"))
        return timestamp if is_number(timestamp) else 0, step if is_number(step) else 0, self.id

    def finding(self, slug: str, at: str, place: Place, detail: str = "") -> Finding:
        message = by_slug()[slug].message.replace("{?value}", given(self.values.get(at))).replace("{?detail}", detail)
        return replace(finding(slug, message, subject=called("checkpoint", self.id)), place=place)

    def below(self, earlier: _Seen) -> Iterator[_Fault]:
        """Yield the numbers that are below those of an earlier checkpoint."""
        for at, slug in _FALLING.items():
            one, other = self.values[at], earlier.values[at]
            if is_number(one) and is_number(other) and one < other:
                yield slug, at, shown(other)


_Fault = tuple[str, str, str]
"""The name of a rule, the place in the tree, and a detail for the message."""
_REMEMBERED: Final = (*_FALLING, _PARENT, *_ABOUT, "/id", "/agent_id", "/execution_id")


def check_collection(readings: Iterable[AgentReading], benchmarks: Mapping[str, KnownBenchmark]) -> Iterator[Finding]:
    """Yield findings about contradictions between agent checkpoints, in the order in which they are found.

    Give them oldest first: each is compared with its parent or, where that is unknown, with the one before it in its
    execution. The thoughts of the newest one of each execution are kept, of all others a few numbers. Absent parents
    are reported at the end. `benchmarks` are known by their `@id`; there are no findings about others.
    """
    by_id: dict[str, _Seen] = {}
    newest: dict[str, tuple[_Seen, Mapping[str, bytes]]] = {}  # by executions, with the hashes of its thoughts
    orphans: dict[str, list[tuple[_Seen, Mapping[str, Place]]]] = {}  # by their parents, which are still missing
    looked_up: set[tuple[Any, ...]] = set()
    for reading in readings:
        tree, place = reading.tree, reading.place
        values = {at: value_at(tree, at) for at in _REMEMBERED}
        execution, parent = values["/execution_id"], values[_PARENT]
        if not isinstance(values["/id"], str) or not isinstance(execution, str):
            continue
        seen = _Seen(sha256_of(tree), values)
        if seen.id in by_id:
            if by_id[seen.id].sha256 != seen.sha256:
                yield seen.finding("agent-id-twice", "/id", place("/id"))
            continue
        by_id[seen.id] = seen
        above = by_id.get(parent) if isinstance(parent, str) else None
        before, thoughts = newest.get(execution, (None, {}))
        faults = [*_within(seen, tree, above, before, thoughts)]
        if before is None or before.key <= seen.key:
            newest[execution] = seen, {identifier: digest for _, identifier, digest in _thoughts(tree)}
        about = tuple(values[at] for at in _ABOUT)
        if (execution, *about) not in looked_up:
            looked_up.add((execution, *about))
            faults += _unknown(benchmarks, *about)
        yield from (seen.finding(slug, at, place(at), detail) for slug, at, detail in faults)
        for orphan, places in orphans.pop(seen.id, ()):
            yield from (orphan.finding(slug, at, places[at], detail) for slug, at, detail in orphan.below(seen))
        if isinstance(parent, str) and parent not in by_id:
            orphans.setdefault(parent, []).append((seen, {at: place(at) for at in (*_FALLING, _PARENT)}))
    for those in orphans.values():
        yield from (one.finding("agent-parent-absent", _PARENT, places[_PARENT]) for one, places in those)


def _within(
    seen: _Seen, tree: Tree, parent: _Seen | None, before: _Seen | None, thoughts: Mapping[str, bytes]
) -> Iterator[_Fault]:
    """Compare a checkpoint with its parent, and with the one before it in its execution, including thoughts."""
    earlier = parent or before
    if earlier is not None and (parent is not None or earlier.key <= seen.key):
        yield from seen.below(earlier)
    if before is None:
        return
    if seen.values["/agent_id"] != before.values["/agent_id"]:
        yield "agent-changes", "/agent_id", shown(before.values["/agent_id"])
    if any(seen.values[at] != before.values[at] for at in _ABOUT[:2]):
        yield "agent-about-changes", "/about", ""
    if earlier is before:
        name, left = called("checkpoint", before.id), dict(thoughts)
        for at, identifier, digest in _thoughts(tree):
            if left.pop(identifier, digest) != digest:
                yield "agent-thought-changed", f"/snapshot/thought_chain/{at}/content", name
        if left:
            yield "agent-thought-gone", "/snapshot/thought_chain", f"{shown(next(iter(left)))}, in {name},"


def _unknown(benchmarks: Mapping[str, KnownBenchmark], benchmark: Any, question: Any, sha256: Any) -> Iterator[_Fault]:
    """Yield contradictions between a checkpoint's `about` and the benchmark."""
    known = benchmarks.get(benchmark) if isinstance(benchmark, str) else None
    if known is not None and isinstance(question, str) and question not in known.questions:
        yield "agent-question-unknown", "/about/question", ""
    if known is not None and isinstance(sha256, str) and known.sha256 != sha256:
        yield "agent-benchmark-changed", "/about/benchmark_sha256", shown(known.sha256)


def _thoughts(tree: Tree) -> Iterator[tuple[int, str, bytes]]:
    chain = value_at(tree, "/snapshot/thought_chain")
    for at, thought in enumerate(chain if isinstance(chain, list) else ()):
        identifier = thought.get("id") if isinstance(thought, dict) else None
        content = thought.get("content") if isinstance(thought, dict) else None
        if isinstance(identifier, str) and isinstance(content, str):
            yield at, identifier, blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()
