"""What the results of SHACL validation say about a source: findings, with places in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.constraints.forms import value_of
from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.rules import Rule
from checkpoint_ld.validation.places import Map
from checkpoint_ld.validation.results import by_path, results
from checkpoint_ld.validation.wording import message_of, remedy_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld import shacl
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.profiles import Profile
    from checkpoint_ld.reading import Reading
    from checkpoint_ld.shacl import DataGraph
    from checkpoint_ld.validation.results import Result


def told(
    found: Iterable[shacl.Result], shapes: Index, data: DataGraph, reading: Reading, profile: Profile
) -> list[Finding]:
    """Return what validation results say of a source whose statements are `data`, in no particular order."""
    return [one for _, one in located(found, shapes, data, reading, profile)]


def located(
    found: Iterable[shacl.Result], shapes: Index, data: DataGraph, reading: Reading, profile: Profile
) -> Iterator[tuple[str | None, Finding]]:
    """Yield the same findings as `told`, each after the JSON Pointer of its value in the canonical tree."""
    findings = _Findings(reading, profile, data)
    kept = [one for one in results(found, shapes) if not findings.is_excused(one)]
    return _distinct(findings.of(one) for result in kept for one in by_path(result, data))


class _Findings:
    """Turns results of SHACL validation into findings with places in one source."""

    def __init__(self, reading: Reading, profile: Profile, data: DataGraph) -> None:
        self.reading = reading
        self.profile = profile
        self.data = data
        self.map = Map(reading.tree)

    def is_excused(self, result: Result) -> bool:
        """Tell whether the dialect of the source has no place for what the rule asks for."""
        rule = self.profile.of_shape(str(result.shape))
        return rule is not None and any(self.reading.dialect.startswith(one) for one in rule.excused)

    def of(self, result: Result) -> tuple[str | None, Finding]:
        """Return where the value of a result stands in the canonical tree, and the finding of it."""
        rule = self.profile.of_shape(str(result.shape)) or _foreign(result)
        pointer = self.map.pointer(result.focus, result.paths, result.value, rule.member)
        return pointer, Finding(
            code=rule.code,
            severity=result.severity,
            message=message_of(rule, result, self.data) if rule.message else " ".join(result.messages),
            remedy=remedy_of(rule, result),
            place=self._place(pointer, is_key=rule.slug in _ABOUT_KEYS),
            subject=self.map.subject(pointer) if pointer is not None else "",
            dialect=self.reading.dialect,
            rule=rule.slug,
            condition=rule.condition,
            node=str(result.focus),
            value=None if result.value is None or secret(value_of(result.value)) else str(result.value),
        )

    def _place(self, pointer: str | None, *, is_key: bool) -> Place:
        if pointer is None or self.reading.document is None:
            return Place(self.reading.source)
        return self.reading.key_place(pointer) if is_key else self.reading.place(pointer)


_ABOUT_KEYS = frozenset({"member-misspelt", "member-misplaced"})


def _foreign(result: Result) -> Rule:
    """Describe the rule behind a shape of the user's that has no name."""
    return Rule("shape", "shape", "a shape of your own", result.severity)


def _distinct(findings: Iterable[tuple[str | None, Finding]]) -> Iterator[tuple[str | None, Finding]]:
    """Keep one finding of each rule at each place: several constraints of one shape may fail for one reason."""
    seen = set()
    for pointer, found in sorted(findings, key=lambda one: one[1].message):
        key = found.code, found.node, found.place.pointer if found.place.pointer is not None else found.value
        if key not in seen:
            seen.add(key)
            yield pointer, found
