"""Checking: a source of any family held against the rules of its family."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from checkpoint_ld import profiles, validation
from checkpoint_ld.arguments import checked
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.errors import ReadError, SettingsError, SourceMissingError
from checkpoint_ld.families import AGENT, BENCHMARK, examine_bytes
from checkpoint_ld.phrases import unknown
from checkpoint_ld.reading import Reading
from checkpoint_ld.report import Checked, Report

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from checkpoint_ld.families import Source
    from checkpoint_ld.profiles import Profile

_CALLED = {BENCHMARK: profiles.DEFAULT, AGENT: profiles.AGENT}
"""What `profiles.FAMILIES` calls the families."""


@dataclass(frozen=True)
class Profiles:
    """The profiles that one name means, one for each family, with the user's own `shapes` (files or folders).

    Raises SettingsError for a name that means nothing in any family, and for shapes that cannot be read.
    """

    name: str = profiles.DEFAULT
    shapes: Sequence[str | Path] = ()
    _held: dict[str, Profile] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self._has(BENCHMARK) and not self._has(AGENT):
            short = dict.fromkeys(one.removeprefix(f"{profiles.AGENT}-") for one in profiles.names())
            raise SettingsError(unknown("profile", self.name, short))
        self.first  # noqa: B018 - says now what is wrong with the shapes

    @property
    def first(self) -> Profile:
        """The profile for what shows no family: that for benchmarks, if there is one."""
        return self.of(BENCHMARK if self._has(BENCHMARK) else AGENT)

    def _has(self, family: str) -> bool:
        try:
            profiles.of_family(self.name, _CALLED[family])
        except SettingsError:
            return False
        return True

    def of(self, family: str) -> Profile:
        """Return the profile for a family. Raises SettingsError if the name means nothing there."""
        found = self._held.get(family)
        if found is None:
            name = profiles.of_family(self.name, _CALLED[family])
            found = self._held[family] = profiles.profile(name, self.shapes)
        return found


@checked
def validate(
    *sources: str | os.PathLike[str] | BinaryIO | bytes,
    profile: str = profiles.DEFAULT,
    shapes: Sequence[str | Path] = (),
    syntax: str | None = None,
    engine: str = validation.COMPILED,
) -> Report:
    """Hold checkpoints, each against the rules of its family that `profile` means, and of the user's own `shapes`.

    Each source is a path, an open binary file or bytes; `shapes` are files or folders of Turtle, `engine` is one of
    `validation.ENGINES`. What cannot be read is a finding too. Raises SettingsError for a profile or an engine that
    does not exist or shapes that are none, SourceMissingError for a file that is not there.
    """
    chosen = Profiles(profile, tuple(shapes))
    validation.check_engine(engine)
    return report_of((check(source, chosen, syntax=syntax, engine=engine) for source in sources), chosen)


def check(
    source: Any, chosen: Profiles | Profile, *, syntax: str | None = None, engine: str = validation.COMPILED
) -> Checked:
    """Hold a checkpoint against the rules of its family: a path, an open binary file or bytes.

    What cannot be read is a finding, with the severity that the profile gives it. Raises SourceMissingError for a file
    that is not there, SettingsError for a profile that is not for its family, and for the user's shapes when they
    cannot be applied.
    """
    first = chosen.first if isinstance(chosen, Profiles) else chosen
    try:
        data, name = read_bytes(source)
    except SourceMissingError:
        raise
    except ReadError as error:
        return validation.unread(error, next((one.place.file for one in error.findings), None), first)
    try:
        return check_source(examine_bytes(data, name, syntax=syntax, checked=False), chosen, engine=engine)
    except ReadError as error:
        return validation.unread(error, name, first, data)


def check_source(source: Source, chosen: Profiles | Profile, *, engine: str = validation.COMPILED) -> Checked:
    """Hold a checkpoint that was read against the rules of its family.

    A single profile stands for that of the same name, or of the default, where it is for another family. Raises
    SettingsError as `check`.
    """
    if isinstance(source, Reading):
        return validation.check_reading(source, _profile(chosen, BENCHMARK), engine=engine)
    from checkpoint_ld.agent.rules import check_reading  # noqa: PLC0415 - benchmarks need none of it

    return check_reading(source, _profile(chosen, AGENT), engine=engine)


def _profile(chosen: Profiles | Profile, family: str) -> Profile:
    if isinstance(chosen, Profiles):
        return chosen.of(family)
    return chosen if chosen.family == _CALLED[family] else Profiles(chosen.name, chosen.own_shapes).of(family)


def report_of(checked: Iterable[Checked], chosen: Profiles) -> Report:
    """Return the report on sources that were held against the profiles of a name."""
    found = tuple(checked)
    families = {AGENT if one.dialect.startswith(AGENT) else BENCHMARK for one in found if one.dialect is not None}
    used = [chosen.of(one) for one in sorted(families)] or [chosen.first]
    rules = {code: rule for one in used for code, rule in one.rules.items()}
    return Report(", ".join(one.name for one in used), found, MappingProxyType(rules))
