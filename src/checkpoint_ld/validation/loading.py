"""Rules at load: what a benchmark has to satisfy to be used, those of the profile `load`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from checkpoint_ld import profiles
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.reading import examine
from checkpoint_ld.validation.results import applied, compiled, is_broken

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.reading import Reading
    from checkpoint_ld.rules import Rule


def read(source: Any, *, syntax: str | None = None, strict: bool = False, limits: Limits = DEFAULT_LIMITS) -> Reading:
    """Read a benchmark from a path, an open binary file or bytes. Raises as `examine` does, and as `refusing`."""
    return refusing(examine(source, syntax=syntax, limits=limits), strict=strict)


def refusing(reading: Reading, *, strict: bool = False) -> Reading:
    """Return a reading; raise ReadError for what breaks rules at load: for violations, if `strict` for warnings too."""
    if not (strict or reading.is_checked):
        with uncollected():
            if not is_broken(reading.without_types().graph, profiles.profile(profiles.LOAD)):
                return reading.refusing()
    return checked(reading).refusing(strict=strict)


def checked(reading: Reading) -> Reading:
    """Return a reading with what the rules at load find in it."""
    if reading.is_checked:
        return reading
    profile = profiles.profile(profiles.LOAD)
    plain = reading.without_types()
    shapes = compiled(profile)
    with uncollected():
        found, data = applied(plain.graph, shapes)
    if not found:
        return reading.with_findings(())
    from checkpoint_ld.validation.telling import told  # noqa: PLC0415 - of a clean file nothing is told

    findings = told(found, shapes.index, data, plain, profile, place=_holder)
    # One fault of a trait or of the properties of an object is one finding, whatever other rules find in it too.
    by_place = {(one.condition or one.code, one.place.pointer or one.node, one.severity): one for one in findings}
    return reading.with_findings(one for one in by_place.values() if not _is_older_code(one))


def _is_older_code(found: Finding) -> bool:
    """Whether a finding is about code inside the JSON text of an old property, which has no place of its own."""
    return found.condition == "W-CODE" and (found.place.pointer or "").startswith("/additionalProperty/")


_HOLDERS = re.compile(r".*?/(?:rating/\d+(?=/additionalProperty)|additionalProperty|keywords)(?=/|$)")


def _holder(rule: Rule, pointer: str) -> str | None:
    """Return where a finding at load points: to the trait, the properties or the keywords that hold the value.

    None stands for what loading does not report: an empty template in a scenario, which may have none.
    """
    if rule.slug == "template-text-missing" and pointer.startswith("/hasPart/"):
        return None
    found = _HOLDERS.match(pointer)
    if found:
        return found[0]
    return pointer.rpartition("/")[0] if rule.condition == "W-RANGE" else pointer  # a range is that of two members
