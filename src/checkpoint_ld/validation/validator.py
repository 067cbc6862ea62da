"""Validation of a checkpoint by the rules of a profile.

Reading finds the faults of the text, SHACL those of the graph. Both give findings with places.
"""

from __future__ import annotations

import re
import warnings
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from checkpoint_ld import dialects
from checkpoint_ld.dialects.datafeed import RUBRIC_MEMBERS
from checkpoint_ld.dialects.ratings import other_ranges
from checkpoint_ld.dialects.reading import CANONICAL, Reading, examine, examine_document
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.errors import CheckpointLdError, FindingsWarning, SettingsError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.host import uncollected
from checkpoint_ld.phrases import unknown
from checkpoint_ld.rules import finding
from checkpoint_ld.shacl.shape import report_graph
from checkpoint_ld.validation import profiles
from checkpoint_ld.validation.own_shapes import unmatched
from checkpoint_ld.validation.results import (
    Checked,
    Report,
    applied,
    breaks,
    compiled,
    data_of,
    is_broken,
    located,
    without_secrets,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checkpoint_ld import shacl
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl import DataGraph
    from checkpoint_ld.validation.profiles import Profile


COMPILED, PYSHACL = ENGINES = ("compiled", "pyshacl")
"""What holds a graph against shapes: our engine, which leaves only what is not SHACL Core to pySHACL; or pySHACL alone.
Both find the same."""


def check_engine(engine: str) -> None:
    """Raise SettingsError for a name that is not in `ENGINES`."""
    if engine not in ENGINES:
        raise SettingsError(unknown("engine", engine, ENGINES))


def report_of(checked: Iterable[Checked], profile: Profile) -> Report:
    """Return the report on sources that were validated with `profile`."""
    return Report(profile.name, tuple(checked), profile.rules)


def profile_for(validate: str) -> Profile | None:
    """Return the profile by which a benchmark is validated that is loaded with `validate`, None for "off".

    Raises SettingsError for an unknown value.
    """
    return None if validate == "off" else profiles.profile(profile_at_load(validate, profiles.DEFAULT))


_VALIDATE = ("off", "warn", "strict")


def profile_at_load(validate: str, default: str) -> str:
    """Return the name of the profile by which a source is validated that is loaded with `validate`, but not "off".

    Raises SettingsError for an unknown value.
    """
    if validate not in _VALIDATE:
        raise SettingsError(unknown("value of validate", validate, _VALIDATE))
    return "strict" if validate == "strict" else default


def raise_or_warn(report: Report, validate: str, noun: str, *, stacklevel: int) -> None:
    """Raise FindingsError for the findings about a source that is loaded, or give a FindingsWarning.

    `validate` is "strict" or "warn". `noun` stands for a source without a name.
    """
    if validate == "strict":
        report.raise_for_findings()
    elif report.findings:
        counts = ", ".join(f"{count} {severity.label}" for severity, count in report.counts.items() if count)
        message = f"{report.checked[0].source or noun} has findings: {counts}"
        warnings.warn(message, FindingsWarning, stacklevel=stacklevel + 1)


def unread(error: CheckpointLdError, name: str | None, profile: Profile, data: bytes | None = None) -> Checked:
    """Return the findings about a source called `name` with the bytes `data` that cannot be read."""
    found = getattr(error, "findings", ()) or (finding("no-checkpoint", str(error)),)
    return Checked(
        name, tuple(sorted(_weighed(found, profile), key=by_place)), text=None if data is None else _text(data)
    )


class Judged(Protocol):
    """A checkpoint of either family, for validation."""

    @property
    def source(self) -> str | None:
        """The name of the source."""

    @property
    def dialect(self) -> str:
        """The dialect of the source."""

    @property
    def document(self) -> Document | None:
        """The JSON document that places point into, None for an RDF syntax."""

    def statements(self) -> DataGraph:
        """Return the statements of the checkpoint together with the inferred ones."""

    def findings(
        self, found: Sequence[shacl.Result], shapes: Index, profile: Profile
    ) -> tuple[list[Finding], Sequence[shacl.Result]]:
        """Return results as findings, and the results as they appear in the validation report."""

    def of_form(self, findings: Sequence[Finding], profile: Profile) -> Iterable[Finding]:
        """Return the findings about the form of the source, given the findings about its statements."""


def judge(checkpoint: Judged, profile: Profile, *, engine: str = COMPILED) -> Checked:
    """Validate a checkpoint of either family by the rules of `profile`; `engine` is one of `ENGINES`.

    Raises ReadError if no graph can be made, and SettingsError for an unknown engine and if the user's shapes cannot be
    applied.
    """
    check_engine(engine)
    with uncollected():
        # A fault of the user's shapes is reported to the user; a fault of ours is not theirs.
        with profile.applying() if profile.own_shapes else nullcontext():
            shapes, data = compiled(profile), checkpoint.statements()
            found = applied(data, shapes, by_pyshacl=engine == PYSHACL)
            nowhere = unmatched(shapes, data, profile) if profile.own_shapes else None
        of_graph, reported = checkpoint.findings(found, shapes.index, profile)
        of_form = _weighed(checkpoint.of_form(of_graph, profile), profile)
        findings = sorted((*of_form, *of_graph), key=by_place)
    text = _text(checkpoint.document.data) if findings and checkpoint.document is not None else None
    report = report_graph(reported, is_conforming=not reported, sources=(shapes.index,))
    return Checked(checkpoint.source, tuple(findings), checkpoint.dialect, text, report, nowhere)


def check_reading(reading: Reading, profile: Profile, *, engine: str = COMPILED) -> Checked:
    """Validate a benchmark that was read (with or without the rules at load) by the rules of `profile`, as `judge`."""
    if profile.dialect and reading.document is not None and reading.dialect.startswith(profile.dialect):
        # The description of that dialect does not know the members in which our writer keeps leftovers.
        reading = examine_document(reading.document, restored=False)
    plain = reading.without_types()  # a text with a language is a text too
    verdict = profile, engine
    if verdict not in plain.kept:
        plain.kept[verdict] = judge(_Benchmark(plain), profile, engine=engine)
    checked: Checked = plain.kept[verdict]
    return checked


def _statements(plain: Reading) -> DataGraph:
    """Return the statements of a benchmark together with the inferred ones."""
    if _INFERRED not in plain.kept:
        plain.kept[_INFERRED] = data_of(plain.graph)
    data: DataGraph = plain.kept[_INFERRED]
    return data


_INFERRED, _RESULTS = "inferred", "results"
"""Keys in `Reading.kept`; the results are those of a profile."""


class _Benchmark:
    """A benchmark, as `Judged` describes it."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.source, self.dialect, self.document = reading.source, reading.dialect, reading.document

    def statements(self) -> DataGraph:
        self.data = _statements(self.reading)
        return self.data

    def findings(
        self, found: Sequence[shacl.Result], shapes: Index, profile: Profile
    ) -> tuple[list[Finding], Sequence[shacl.Result]]:
        self.reading.kept[_RESULTS, profile] = found
        if not found:
            return [], ()
        placed = [one for _, one in located(found, shapes, self.data, self.reading, profile)]
        if self.dialect.startswith(_DATASET):  # its questions stand in another member
            placed = [_about_parts(one) if one.rule == "benchmark-feed" else one for one in placed]
        if profile.describes:
            placed = [*map(_as_passed_over, placed)]
        return placed, without_secrets(found)

    def of_form(self, findings: Sequence[Finding], profile: Profile) -> Iterable[Finding]:  # noqa: ARG002 - agents need them
        beside = (*_of_dialect(self.reading, profile), *(() if profile.dialect else _read_otherwise(self.reading)))
        return *self.reading.of_form, *beside


def form_findings(reading: Reading, profile: Profile) -> Iterator[Finding]:
    """Yield the findings about the form of a source and about its dialect, as severe as in a profile."""
    return _weighed((*reading.of_form, *_of_dialect(reading, profile)), profile)


_DATASET = "dataset"


def _about_parts(found: Finding) -> Finding:
    message, remedy = (text.replace("dataFeedElement", "hasPart") for text in (found.message, found.remedy))
    return replace(found, message=message, remedy=remedy)


def _as_passed_over(found: Finding) -> Finding:
    """Return a finding as a warning if it is about a member of older documents that Karenina passes over."""
    is_inside = any(step in RUBRIC_MEMBERS for step in (found.place.pointer or "").split("/"))
    return replace(found, severity=min(found.severity, Severity.WARNING)) if is_inside else found


def _of_dialect(reading: Reading, profile: Profile) -> Iterator[Finding]:
    """Yield findings that the profile is not about the source's dialect, or that Karenina does not load its form."""
    if profile.dialect and not reading.dialect.startswith(profile.dialect):
        message = f"the dialect is {reading.dialect}, not one of those that the profile {profile.name} is about"
        yield _of_source("dataset-dialect", message, reading)
    elif not profile.dialect and not dialects.dialect(reading.dialect).is_loaded_by_karenina:
        yield _of_source("dialect-not-loaded", f"Karenina does not load the dialect {reading.dialect}", reading)
    elif not profile.dialect and reading.document is not None and isinstance(reading.document.value, dict):
        context = reading.document.value.get("@context")
        if any(one.rule in ("context", "context-not-object") for one in reading.of_form):
            return
        if isinstance(context, str):
            yield _of_source("context-address", f'the context is the address "{context}"', reading, "/@context")
        elif isinstance(context, list):
            yield _of_source("context-not-object", "the @context is an array, not an object", reading, "/@context")


_OTHERWISE = {
    "member-dropped": "{} is null, which Karenina drops",
    "trait-range-read": "Karenina takes other bounds than {} for this trait: min_score and max_score, or 1 to 5",
}


def _read_otherwise(reading: Reading) -> Iterator[Finding]:
    """Yield findings about what Karenina reads otherwise than the upgrade of an older document, which it loads."""
    document = reading.document
    if reading.dialect == CANONICAL or document is None or not dialects.dialect(reading.dialect).is_loaded_by_karenina:
        return
    if isinstance(document.value, dict):
        for slug, pointer in other_ranges(document.value):
            yield _of_source(slug, _OTHERWISE[slug].format(pointer.rpartition("/")[2]), reading, pointer)


def _of_source(slug: str, message: str, reading: Reading, pointer: str = "") -> Finding:
    place = Place(reading.source) if reading.document is None else reading.document.place(pointer)
    return replace(finding(slug, message, dialect=reading.dialect), place=place)


def _weighed(findings: Iterable[Finding], profile: Profile) -> Iterator[Finding]:
    """Give findings the severities of a profile."""
    for found in findings:
        rule = profile.rule(found.rule)
        yield found if rule is None else replace(found, severity=rule.severity)


def by_place(found: Finding) -> tuple[int, int, str, str, str, str]:
    """Return the key that sorts the findings of a source by their places."""
    place = found.place
    return place.line or 0, place.column or 0, place.pointer or "", found.node or "", found.code, found.message


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def read(source: Any, *, syntax: str | None = None, strict: bool = False, limits: Limits = DEFAULT_LIMITS) -> Reading:
    """Read a benchmark from a path, an open binary file or bytes. Raises as `examine` does, and as `refusing`."""
    return refusing(examine(source, syntax=syntax, limits=limits), strict=strict)


def refusing(reading: Reading, *, strict: bool = False, profile: Profile | None = None) -> Reading:
    """Return a reading.

    If it is also validated by the rules of `profile`, that is done first, so that one verdict serves both. Raises
    ReadError if it breaks rules of the profile `load`; with `strict`, warnings count too.
    """
    if not (strict or reading.is_checked):
        plain, load = reading.without_types(), profiles.profile(profiles.LOAD)
        with uncollected():
            if profile is None:
                is_refused = is_broken(plain.graph, load)
            else:
                check_reading(reading, profile)
                is_refused = breaks(load, _statements(plain), plain.kept[_RESULTS, profile], profile)
        if not is_refused:
            return reading.refusing()
    return checked_at_load(reading).refusing(strict=strict)


def checked_at_load(reading: Reading) -> Reading:
    """Return a reading with the findings of the rules at load."""
    if reading.is_checked:
        return reading
    profile = profiles.profile(profiles.LOAD)
    plain = reading.without_types()
    shapes = compiled(profile)
    with uncollected():
        data = _statements(plain)
        found = applied(data, shapes)
    if not found:
        return reading.with_findings(())
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
"""Conditions and rules about several members together, whichever of them the shape names."""


def _holder(found: Finding, pointer: str | None) -> str | None:
    """Return the place of a finding at load: the trait or the properties that hold the value."""
    if pointer is None:
        return None
    if holder := _HOLDERS.match(pointer):
        return holder[0]
    return pointer.rpartition("/")[0] if _OF_SEVERAL & {found.condition, found.rule} else pointer


def _is_unreported(found: Finding, pointer: str) -> bool:
    """Return whether a finding is left to `validate` and not reported at load.

    A node of a scenario may have an empty template. Code inside the JSON text of an old property has no place.
    """
    is_old_code = found.condition == "W-CODE" and (found.place.pointer or "").startswith("/additionalProperty/")
    return is_old_code or (found.rule == "template-text-missing" and pointer.startswith("/hasPart/"))
