"""Rules at load: what a benchmark has to satisfy to be used, those of the profile `load`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld import profiles
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.reading import examine
from checkpoint_ld.validation.results import applied, compiled, data_of, is_broken

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding
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
        data = data_of(plain.graph)
        found = applied(data, shapes)
    if not found:
        return reading.with_findings(())
    from checkpoint_ld.validation.telling import located  # noqa: PLC0415 - of a clean file nothing is told

    kept: dict[object, Finding] = {}
    for pointer, one in located(found, shapes.index, data, plain, profile):
        at = _holder(one, pointer)
        shown = one if at is None or at == pointer else replace(one, place=plain.place(at))
        if not _is_unreported(one, pointer or ""):
            kept.setdefault(("range", at) if one.condition == "W-RANGE" else len(kept), shown)
    return reading.with_findings(kept.values())


_MEMBER = r"/additionalProperty/(?:\d+/)?[^\d]"
_HOLDERS = re.compile(rf".*?(?:/rating/\d+(?={_MEMBER})|(?={_MEMBER})/additionalProperty)")
_OF_SEVERAL = frozenset({"W-RANGE", "keywords-differ"})
"""Conditions and rules that are about several members together, whichever of them the shape names."""


def _holder(found: Finding, pointer: str | None) -> str | None:
    """Return where a finding at load points: to the trait or the properties that hold the value."""
    if pointer is None:
        return None
    if holder := _HOLDERS.match(pointer):
        return holder[0]
    return pointer.rpartition("/")[0] if _OF_SEVERAL & {found.condition, found.rule} else pointer


def _is_unreported(found: Finding, pointer: str) -> bool:
    """Whether loading leaves a finding to `validate`.

    A node of a scenario may have an empty template. Code inside the JSON text of an old property has no place.
    """
    is_old_code = found.condition == "W-CODE" and (found.place.pointer or "").startswith("/additionalProperty/")
    return is_old_code or (found.rule == "template-text-missing" and pointer.startswith("/hasPart/"))
