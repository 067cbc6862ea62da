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
    from collections.abc import Callable, Iterable, Iterator

    from checkpoint_ld import shacl
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.profiles import Profile
    from checkpoint_ld.reading import Reading
    from checkpoint_ld.shacl import DataGraph
    from checkpoint_ld.validation.results import Result


def told(  # noqa: PLR0913 - a source, what was found in it, and by what
    found: Iterable[shacl.Result],
    shapes: Index,
    data: DataGraph,
    reading: Reading,
    profile: Profile,
    *,
    place: Callable[[Rule, str], str | None] = lambda _, pointer: pointer,
) -> list[Finding]:
    """Return what validation results say of a source whose statements are `data`, in no particular order.

    `place` returns where the finding of a rule points, from where its value stands; None for one that is left out.
    """
    findings = _Findings(reading, profile, data, place)
    kept = [one for one in results(found, shapes) if not findings.is_excused(one)]
    listed = (findings.of(one) for result in kept for one in by_path(result, data))
    return list(_distinct(one for one in listed if one is not None))


class _Findings:
    """Turns results of SHACL validation into findings with places in one source."""

    def __init__(
        self, reading: Reading, profile: Profile, data: DataGraph, place: Callable[[Rule, str], str | None]
    ) -> None:
        self.reading = reading
        self.profile = profile
        self.data = data
        self.map = Map(reading.tree)
        self.place = place

    def is_excused(self, result: Result) -> bool:
        """Tell whether the dialect of the source has no place for what the rule asks for."""
        rule = self.profile.of_shape(str(result.shape))
        return rule is not None and any(self.reading.dialect.startswith(one) for one in rule.excused)

    def of(self, result: Result) -> Finding | None:
        """Return the finding of one result, None for one that is left out."""
        rule = self.profile.of_shape(str(result.shape)) or _foreign(result)
        pointer = self.map.pointer(result.focus, result.paths, result.value, rule.member)
        at = None if pointer is None else self.place(rule, pointer)
        if pointer is not None and at is None:
            return None
        return Finding(
            code=rule.code,
            severity=result.severity,
            message=message_of(rule, result, self.data) if rule.message else " ".join(result.messages),
            remedy=remedy_of(rule, result),
            place=self._place(at, is_key=rule.slug in _ABOUT_KEYS),
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


def _distinct(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Keep one finding of each rule at each place: several constraints of one shape may fail for one reason."""
    seen = set()
    for found in sorted(findings, key=lambda one: one.message):
        key = found.code, found.node, found.place.pointer if found.place.pointer is not None else found.value
        if key not in seen:
            seen.add(key)
            yield found
