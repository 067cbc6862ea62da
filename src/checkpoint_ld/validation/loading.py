"""Rules at load: what a benchmark has to satisfy to be used, those of the profile `load`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld import profiles
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.reading import examine
from checkpoint_ld.validation.results import applied, compiled, is_broken

if TYPE_CHECKING:
    from checkpoint_ld.reading import Reading


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

    return reading.with_findings(told(found, shapes.index, data, plain, profile))
