"""Checking: agent checkpoints held against the rules of a profile."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld import profiles
from checkpoint_ld.agent.rules import engines
from checkpoint_ld.agent.rules.parts import Parts
from checkpoint_ld.agent.rules.shapes import Shapes
from checkpoint_ld.agent.rules.wording import in_words_of, message_of, remedy_of, subject_of, text_of, value_at
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.report import Checked, Report
from checkpoint_ld.rules import Rule, catalogue
from checkpoint_ld.suggestion import unknown
from checkpoint_ld.validation import results as shacl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.reading import AgentReading
    from checkpoint_ld.agent.rules.shapes import Result
    from checkpoint_ld.profiles import Profile

Tree = dict[str, Any]

COMPILED, PYSHACL = ENGINES = ("compiled", "pyshacl")
"""What holds a checkpoint against shapes: shapes that are compiled, with no graph; or pySHACL, on its graph."""
_OF_SECOND_SHAPE = frozenset({"agent-second-member", "agent-second-value"})
_ABOUT_KEYS = frozenset({"agent-key-misspelt", "agent-key-unknown"})


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
        parts = Parts(reading.tree)
        results = _results(parts, chosen, engine)
        found = _Findings(parts, chosen)
        told = [found.of(one, reading.place, reading.key_place) for one in results]
    findings = sorted((*_of_form(reading, told, chosen), *told), key=_by_place)
    report = engines.report_of((one, found.severity, found.message) for one, found in zip(results, told, strict=True))
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
        parts = Parts(tree)
        found = _Findings(parts, chosen)
        told = [found.of(one, _in_tree, _in_tree) for one in _results(parts, chosen, COMPILED)]
    checked = Checked(None, tuple(sorted(told, key=_by_place)), "agent-canonical")
    return Report(chosen.name, (checked,), chosen.rules)


def _profile(profile: Profile | str) -> Profile:
    if isinstance(profile, str):
        return profiles.profile(profiles.of_family(profile, profiles.AGENT))
    if profile.family != profiles.AGENT:
        raise SettingsError(f"the profile {profile.name} is for benchmarks: use {profiles.AGENT}")
    return profile


def _results(parts: Parts, profile: Profile, engine: str) -> list[Result]:
    """Return what does not satisfy the shapes; of what stands at one place only the heaviest, each rule once."""
    shapes = _shapes(profile.name)
    found = engines.by_pyshacl(parts, shapes.index) if engine == PYSHACL else list(engines.compiled(parts, shapes))
    kept = _heaviest(found) if found else ()
    return [*kept, *(_by_own_shapes(parts, profile) if profile.own_shapes else ())]


def _heaviest(results: list[Result]) -> Iterable[Result]:
    weights = {one.shape: one.severity for one in catalogue().values()}
    heaviest: dict[str, Severity] = {}
    for one in results:
        heaviest[one.place] = max(heaviest.get(one.place, Severity.INFO), weights[str(one.shape)])
    kept = {(one.shape, one.place): one for one in results if weights[str(one.shape)] == heaviest[one.place]}
    return kept.values()


def _by_own_shapes(parts: Parts, profile: Profile) -> list[Result]:
    """Hold a checkpoint against the shapes of the user, say of these that they cannot be applied."""
    with profile.applying():
        return engines.by_pyshacl(parts, shacl.shapes_of(replace(profile, files=())))


class _Findings:
    """Turns results into findings."""

    def __init__(self, parts: Parts, profile: Profile) -> None:
        self.tree = parts.tree
        self.profile = profile
        self.index = _shapes(profile.name).index

    def of(self, result: Result, place: Callable[[str], Place], key_place: Callable[[str], Place]) -> Finding:
        """Return the finding of one result."""
        rule = self.profile.of_shape(str(result.shape)) or _foreign(result)
        value = value_at(self.tree, result.place)
        at = (key_place if rule.slug in _ABOUT_KEYS else place)(result.place)
        message = message_of(rule, result, value) if rule.message else result.detail
        return Finding(
            code=rule.code,
            severity=result.severity or rule.severity,
            message=in_words_of(message, result, at),
            remedy=remedy_of(rule, result, value, self.index),
            place=at,
            subject=subject_of(self.tree, result.place),
            rule=rule.slug,
            condition=rule.condition,
            node=result.part.name,
            value=text_of(result, value),
        )


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


@lru_cache(maxsize=8)
def _shapes(name: str) -> Shapes:
    return Shapes(shacl.shapes_of(profiles.profile(name)))
