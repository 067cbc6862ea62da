"""Validation: a checkpoint held against the rules of a profile.

Reading tells what is wrong with the text, SHACL what is wrong with the graph; both give findings with places.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld import dialects, profiles, rules
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.errors import CheckpointLdError, ReadError, SettingsError, SourceMissingError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.reading import Reading, examine_bytes, examine_document
from checkpoint_ld.report import Checked, Report
from checkpoint_ld.rules import finding
from checkpoint_ld.suggestion import unknown
from checkpoint_ld.validation.results import applied, compiled, data_of, report_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from checkpoint_ld.profiles import Profile
    from checkpoint_ld.shacl import DataGraph, Result, Shapes

__all__ = ["COMPILED", "ENGINES", "PYSHACL", "check", "check_reading", "looked_at", "report_of", "unread", "validate"]


COMPILED, PYSHACL = ENGINES = ("compiled", "pyshacl")
"""What holds a graph against shapes: our engine, which leaves only what is not SHACL Core to pySHACL; or pySHACL alone.
Both find the same."""


def validate(
    *sources: Any,
    profile: str = profiles.DEFAULT,
    shapes: Sequence[str | Path] = (),
    syntax: str | None = None,
    engine: str = COMPILED,
) -> Report:
    """Hold checkpoints against the rules of `profile` and of the user's own `shapes` (files or folders of Turtle).

    Each source is a path, an open binary file or bytes; `engine` is one of `ENGINES`. What cannot be read is a finding
    too. Raises SettingsError for a profile or an engine that does not exist or shapes that are none, SourceMissingError
    for a file that is not there.
    """
    chosen = profiles.profile(profile, shapes)
    check_engine(engine)
    return report_of((check(source, chosen, syntax=syntax, engine=engine) for source in sources), chosen)


def check_engine(engine: str) -> None:
    """Raise SettingsError for what is none of `ENGINES`."""
    if engine not in ENGINES:
        raise SettingsError(unknown("engine", engine, ENGINES))


def report_of(checked: Iterable[Checked], profile: Profile) -> Report:
    """Return the report on sources that were held against `profile`."""
    return Report(profile.name, tuple(checked), profile.rules)


def check(source: Any, profile: Profile, *, syntax: str | None = None, engine: str = COMPILED) -> Checked:
    """Hold one checkpoint against the rules of `profile`: a path, an open binary file or bytes.

    `engine` is one of `ENGINES`.

    Raises SourceMissingError for a file that is not there, SettingsError for the user's shapes when they cannot be
    applied.
    """

    def look(data: bytes, name: str | None) -> Checked:
        return check_reading(examine_bytes(data, name, syntax=syntax), profile, engine=engine)

    return looked_at(source, profile, look)


def looked_at(source: Any, profile: Profile, look: Callable[[bytes, str | None], Checked]) -> Checked:
    """Return what `look` makes of the bytes of a source and its name; what cannot be read is a finding.

    Such findings have the severities of `profile`. Raises SourceMissingError for a file that is not there.
    """
    try:
        data, name = read_bytes(source)
    except SourceMissingError:
        raise
    except ReadError as error:
        return unread(error, next((one.place.file for one in error.findings), None), profile)
    try:
        return look(data, name)
    except ReadError as error:
        return unread(error, name, profile, _text(data))


def unread(error: CheckpointLdError, name: str | None, profile: Profile, text: str | None = None) -> Checked:
    """Return what was found in a source called `name` that cannot be read."""
    found = getattr(error, "findings", ()) or (finding("no-checkpoint", str(error)),)
    return Checked(name, tuple(sorted(_weighed(found, profile), key=_by_place)), text=text)


def check_reading(reading: Reading, profile: Profile, *, engine: str = COMPILED) -> Checked:
    """Hold a checkpoint that was read (with or without the checks of reading) against the rules of `profile`.

    `engine` is one of `ENGINES`. Raises ReadError for what no graph can be made of, SettingsError for the user's shapes
    when they cannot be applied.
    """
    if profile.dialect and reading.document is not None and reading.dialect.startswith(profile.dialect):
        # The description of that dialect does not know what our writer keeps there beyond its words.
        reading = examine_document(reading.document, restored=False)
    reading = reading.without_types()  # that a text is one does not depend on its language
    with uncollected():
        found, data, shapes = _applied(reading, profile, engine)
    findings = list(_weighed((*reading.of_form, *_of_dialect(reading, profile)), profile))
    if found:
        from checkpoint_ld.validation.telling import told  # noqa: PLC0415 - of a clean file nothing is told

        findings += told(found, shapes.index, data, reading, profile)
    findings.sort(key=_by_place)
    text = _text(reading.document.data) if findings and reading.document is not None else None
    report = report_on(found, shapes.index)
    return Checked(reading.source, tuple(findings), dialect=reading.dialect, text=text, results=report)


def _applied(reading: Reading, profile: Profile, engine: str) -> tuple[list[Result], DataGraph, Shapes]:
    """Return the validation results, the statements that they speak of, and the shapes.

    Says of the user's shapes, not of ours, that they cannot be applied.
    """
    data = data_of(reading.graph)
    with profile.applying() if profile.own_shapes else nullcontext():
        shapes = compiled(profile)
        return applied(data, shapes, by_pyshacl=engine == PYSHACL), data, shapes


def _of_dialect(reading: Reading, profile: Profile) -> Iterator[Finding]:
    """Say that the source is of a dialect that the profile is not about, or in a form that Karenina does not load."""
    if profile.dialect and not reading.dialect.startswith(profile.dialect):
        message = f"the dialect is {reading.dialect}, not one of those that the profile {profile.name} is about"
        yield _of_source("dataset-dialect", message, reading)
    elif not profile.dialect and not dialects.dialect(reading.dialect).is_loaded_by_karenina:
        yield _of_source("dialect-not-loaded", f"Karenina does not load the dialect {reading.dialect}", reading)
    elif not profile.dialect and reading.document is not None and isinstance(reading.document.value, dict):
        address = reading.document.value.get("@context")
        if isinstance(address, str) and not any(one.rule == "context" for one in reading.of_form):
            yield _of_source("context-address", f'the context is the address "{address}"', reading, "/@context")


def _of_source(slug: str, message: str, reading: Reading, pointer: str = "") -> Finding:
    place = Place(reading.source) if reading.document is None else reading.document.place(pointer)
    return replace(rules.finding(slug, message, dialect=reading.dialect), place=place)


def _weighed(findings: Iterable[Finding], profile: Profile) -> Iterator[Finding]:
    """Give findings the severities of a profile."""
    for found in findings:
        rule = profile.rule(found.rule)
        yield found if rule is None else replace(found, severity=rule.severity)


def _by_place(found: Finding) -> tuple[int, int, str, str, str]:
    return found.place.line or 0, found.place.column or 0, found.node or "", found.code, found.message


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
