"""Checking: agent checkpoints held against the rules of a profile."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rdflib import Graph, Literal, URIRef

from checkpoint_ld import profiles, shacl
from checkpoint_ld.agent.rules import results
from checkpoint_ld.agent.rules.wording import (
    in_words_of,
    is_withheld,
    message_of,
    remedy_of,
    subject_of,
    text_of,
    value_at,
)
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.report import Checked, Report
from checkpoint_ld.rules import SEVERITIES, Rule, catalogue
from checkpoint_ld.shacl.report import report_graph
from checkpoint_ld.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.reading import AgentReading
    from checkpoint_ld.agent.rules.results import Result
    from checkpoint_ld.profiles import Profile

Tree = dict[str, Any]

COMPILED, PYSHACL = ENGINES = ("compiled", "pyshacl")
"""What holds a checkpoint against shapes: the engine of `checkpoint_ld.shacl`, or pySHACL."""
_OF_SECOND_SHAPE = frozenset({"agent-second-member", "agent-second-value"})
_ABOUT_KEYS = frozenset({"agent-key-misspelt", "agent-key-unknown"})
_IRIS = {severity: URIRef(iri) for iri, severity in SEVERITIES.items()}


def check_reading(reading: AgentReading, profile: Profile | str = "agent", *, engine: str = COMPILED) -> Checked:
    """Hold an agent checkpoint that was read against the rules of a profile.

    `profile` may be a short name, such as `strict`; `engine` is one of `ENGINES`. What was odd about the form of the
    source is among the findings. Raises SettingsError for a profile or an engine that there is not, and for shapes of
    the user's that cannot be applied.
    """
    chosen = _profile(profile)
    if engine not in ENGINES:
        raise SettingsError(unknown("engine", engine, ENGINES))
    with uncollected():
        found = _results(reading.tree, chosen, engine)
        told = _findings(found, reading.tree, chosen, (reading.place, reading.key_place))
    findings = sorted((*_of_form(reading, told, chosen), *told), key=_by_place)
    report = _report(found, told, results.compiled(chosen))
    return Checked(reading.source, tuple(findings), f"agent-{reading.shape}", _text(reading), report)


def report_on(reading: AgentReading, profile: Profile | str = "agent", *, engine: str = COMPILED) -> Report:
    """Return the report on an agent checkpoint that was read. Raises SettingsError as `check_reading`."""
    chosen = _profile(profile)
    return Report(chosen.name, (check_reading(reading, chosen, engine=engine),), chosen.rules)


def validate_checkpoint(checkpoint: AgentCheckpoint | Tree, profile: Profile | str = "agent") -> Report:
    """Hold an agent checkpoint, or its canonical tree, against the rules of a profile; findings point into the tree.

    Raises SettingsError as `check_reading`.
    """
    tree = checkpoint if isinstance(checkpoint, dict) else checkpoint.tree()
    chosen = _profile(profile)
    with uncollected():
        found = _results(tree, chosen, COMPILED)
        told = _findings(found, tree, chosen, (_in_tree, _in_tree))
    checked = Checked(None, tuple(sorted(told, key=_by_place)), "agent-canonical")
    return Report(chosen.name, (checked,), chosen.rules)


def is_broken(tree: Tree) -> bool:
    """Return whether a canonical tree breaks a rule that is a violation: all others are left aside."""
    with uncollected():
        return any(True for _ in results.Validation(tree).results(results.violations()))


def _profile(profile: Profile | str) -> Profile:
    if isinstance(profile, str):
        return profiles.profile(profiles.of_family(profile, profiles.AGENT))
    if profile.family != profiles.AGENT:
        raise SettingsError(f"the profile {profile.name} is for benchmarks: use {profiles.AGENT}")
    return profile


def _results(tree: Tree, profile: Profile, engine: str) -> list[Result]:
    """Return what does not satisfy the shapes; of what stands at one place only the heaviest, each rule once."""
    validation = results.Validation(tree)
    shapes = results.compiled(profile)
    found = list(validation.results(shapes.for_pyshacl() if engine == PYSHACL else shapes))
    kept = [*_heaviest(found)]
    if profile.own_shapes:
        with profile.applying():
            kept += validation.results(results.compiled_own(profile))
    return kept


def _heaviest(found: list[Result]) -> Iterable[Result]:
    weights = _weights()
    heaviest: dict[str, Severity] = {}
    for one in found:
        heaviest[one.place] = max(heaviest.get(one.place, Severity.INFO), weights[str(one.of.shape)])
    kept = {(one.of.shape, one.place): one for one in found if weights[str(one.of.shape)] == heaviest[one.place]}
    return kept.values()


@cache
def _weights() -> dict[str, Severity]:
    return {one.shape: one.severity for one in catalogue().values()}


def _findings(
    found: Iterable[Result],
    tree: Tree,
    profile: Profile,
    places: tuple[Callable[[str], Place], Callable[[str], Place]],
) -> list[Finding]:
    """Return the findings of results; `places` tell where a value stands, and where the key of a member does."""
    index = results.compiled(profile).index
    told = []
    for one in found:
        rule = profile.of_shape(str(one.of.shape)) or _foreign(one)
        value = value_at(tree, one.place)
        at = places[rule.slug in _ABOUT_KEYS](one.place)
        message = message_of(rule, one, value) if rule.message else one.detail
        told.append(
            Finding(
                code=rule.code,
                severity=rule.severity if profile.of_shape(str(one.of.shape)) else one.severity,
                message=in_words_of(message, one, at),
                remedy=remedy_of(rule, one, value, index),
                place=at,
                subject=subject_of(tree, one.place),
                rule=rule.slug,
                condition=rule.condition,
                node=str(one.part.node),
                value=text_of(one, value),
            )
        )
    return told


def _report(found: Iterable[Result], told: Iterable[Finding], shapes: shacl.Shapes) -> Graph:
    """Return the validation report (SHACL 1.0 §3.6), with the severities and messages of findings, without secrets."""
    said = [
        replace(
            one.of,
            focus=one.part.node,
            severity=_IRIS[finding.severity],
            messages=(Literal(finding.message),),
            value=None if is_withheld(one) else one.of.value,
        )
        for one, finding in zip(found, told, strict=True)
    ]
    return report_graph(said, is_conforming=not said, sources=(shapes.index,))


def _foreign(result: Result) -> Rule:
    """Describe the rule behind a shape of the user's that has no name."""
    return Rule("shape", "shape", "a shape of your own", result.severity or Severity.VIOLATION)


def _of_form(reading: AgentReading, told: Iterable[Finding], profile: Profile) -> Iterator[Finding]:
    """Yield what reading found, weighed by the profile; what the second shape asks for not where a rule says it."""
    places = {found.place.pointer for found in told}
    for found in reading.findings:
        if found.rule not in _OF_SECOND_SHAPE or found.place.pointer not in places:
            rule = profile.rule(found.rule)
            yield found if rule is None else replace(found, severity=rule.severity)


def _in_tree(pointer: str) -> Place:
    return Place(pointer=pointer)


def _by_place(found: Finding) -> tuple[int, int, str, str, str]:
    return found.place.line or 0, found.place.column or 0, found.place.pointer or "", found.code, found.message


def _text(reading: AgentReading) -> str | None:
    return None if reading.document is None else reading.document.data.decode("utf-8-sig")
