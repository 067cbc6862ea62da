"""Configuration of a project's validation, from .checkpoint-ld.toml or pyproject.toml."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import shown, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from checkpoint_ld.families import Profiles
    from checkpoint_ld.rules import Rule
    from checkpoint_ld.validation.selection import Selection

OWN_FILE = ".checkpoint-ld.toml"
PROJECT_FILE = "pyproject.toml"
TABLE = "checkpoint-ld"
"""Name of the table in pyproject.toml, below `tool`."""
FAIL_ON = ("violation", "warning", "info", "never")
"""The least severities at which a finding makes a run fail."""


@dataclass(frozen=True)
class Configuration:
    """The settings of a project; missing settings are None or empty.

    `file` is its file, None without a file. Globs of `exclude` and `per_file_ignores` are relative to the folder of
    that file; `shapes` and `baseline` are paths relative to the current folder. `rules_url` is the address of the page
    of a rule, with `{code}` in it. `git_patterns` are the files that git merges with our driver, in addition to
    `*.jsonld`.
    """

    file: Path | None = None
    profile: str | None = None
    shapes: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str | None = None
    max_per_rule: int | None = None
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    accepted_code: tuple[str, ...] = ()
    baseline: str | None = None
    rules_url: str | None = None
    git_patterns: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The base folder of globs."""
        return self.file.parent if self.file is not None else Path()


def find(start: Path) -> Configuration:
    """Return the nearest configuration, in `start` or a folder above it; .checkpoint-ld.toml comes first in a folder.

    A pyproject.toml without our table is ignored. Raises SettingsError for an invalid configuration.
    """
    start = start.absolute()  # links stay, since patterns are compared with the paths of files as they are named
    for folder in (start, *start.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            file = folder / name
            table = _table(file) if os.path.isfile(file) else None  # noqa: PTH113 - Path raises where a folder may not be entered
            if table is not None:
                return _configuration(file, table)
    return Configuration()


def of_file(file: Path) -> Configuration:
    """Return the configuration in `file`. Raises SettingsError if there is none, or if it is invalid."""
    table = _table(file)
    if table is None:
        raise SettingsError(f"{file}: there is no table [tool.{TABLE}]; add it, or name another file")
    return _configuration(file, table)


@contextmanager
def _naming(file: Path | None) -> Iterator[None]:
    """Put the name of a configuration before what is wrong with its settings."""
    try:
        yield
    except SettingsError as error:
        raise error if file is None else SettingsError(f"{file}: {error}") from error


def profiles(chosen: Configuration, profile: str | None = None, shapes: Iterable[str] = ()) -> Profiles:
    """Return the profiles that `profile` and `shapes`, or else the configuration, name.

    Raises SettingsError for an unknown profile and for shapes that cannot be used.
    """
    from checkpoint_ld.families import Profiles  # noqa: PLC0415 - it takes long to import
    from checkpoint_ld.validation.profiles import DEFAULT  # noqa: PLC0415 - as above

    with _naming(chosen.file if profile is None and chosen.profile is not None else None):
        return Profiles(profile or chosen.profile or DEFAULT, tuple(shapes) or chosen.shapes)


def selection(
    chosen: Configuration, rules: Mapping[str, Rule], *, select: Iterable[str] = (), ignore: Iterable[str] = ()
) -> Selection:
    """Return the selection of findings, of the rules of all profiles and of `rules`.

    `select` and `ignore` override the configuration.

    Raises SettingsError for an unknown name.
    """
    from checkpoint_ld.rules import catalogue  # noqa: PLC0415 - as above
    from checkpoint_ld.validation import selection as selections  # noqa: PLC0415 - it takes long to import

    select, ignore = tuple(select) or chosen.select, tuple(ignore) or chosen.ignore
    is_named = bool(select or ignore or chosen.per_file_ignores)
    known = {**catalogue(), **rules} if is_named else {}
    per_file, folder = chosen.per_file_ignores, chosen.folder
    with _naming(chosen.file if select is chosen.select and ignore is chosen.ignore else None):
        counted = selections.selection(known, select=select, ignore=ignore, per_file=per_file, folder=folder)
    return replace(counted, accepted=frozenset(chosen.accepted_code))


def _table(file: Path) -> dict[str, Any] | None:
    try:
        import tomllib  # noqa: PLC0415 - most runs find no configuration

        document = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file}: this is no TOML: it is not UTF-8; save it in this encoding") from error
    except ValueError as error:
        raise SettingsError(f"{file}: this is no TOML: {error}") from error
    except RecursionError as error:
        raise SettingsError(f"{file}: its arrays or tables are nested too deeply; nest them less") from error
    if file.name != PROJECT_FILE:
        return document
    tools = document.get("tool")
    table = tools.get(TABLE) if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{file}: tool.{TABLE} is no table: write [tool.{TABLE}] above its settings")
    return table


def _configuration(file: Path, table: dict[str, Any]) -> Configuration:
    known = {name.replace("_", "-"): name for name in Configuration.__dataclass_fields__ if name != "file"}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f"{file}: {unknown('setting', key, known)}")
        values[known[key]] = _checked(file, key, value)
    if "baseline" in values:
        values["baseline"] = str(file.parent / Path(values["baseline"]).expanduser())
    if "shapes" in values:
        values["shapes"] = tuple(str(file.parent / Path(path).expanduser()) for path in values["shapes"])
    return Configuration(file=file, **values)


_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_HASHES = "sha256: and 64 hexadecimal digits, as findings about code show them"
_ADDRESS = re.compile(r"https?://\S*\{code\}\S*")
_ADDRESSES = "an address with {code} in it, such as https://example.org/rules/{code}/"
_WANTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "profile": (lambda value: isinstance(value, str), "a text"),
    "fail-on": (lambda value: isinstance(value, str), "a text"),
    "baseline": (lambda value: isinstance(value, str), "a text"),
    "rules-url": (lambda value: isinstance(value, str) and bool(_ADDRESS.match(value)), _ADDRESSES),
    "max-per-rule": (lambda value: type(value) is int and value >= 0, "a whole number, 0 for all"),
    "per-file-ignores": (lambda value: isinstance(value, dict), "a table of patterns with arrays of rules"),
}
"""Checks of the settings that are no arrays of texts."""


def _checked(file: Path, key: str, value: Any) -> Any:
    if key not in _WANTED:
        texts = _texts(file, key, value)
        unfit = [text for text in texts if not _HASH.fullmatch(text)] if key == "accepted-code" else []
        if unfit:
            raise _misfit(file, key, _HASHES, unfit[0])
        return texts
    is_fit, wanted = _WANTED[key]
    if not is_fit(value):
        raise _misfit(file, key, wanted, value)
    if key == "fail-on" and value not in FAIL_ON:
        raise SettingsError(f"{file}: {key}: {unknown('severity', value, FAIL_ON)}")
    if key == "per-file-ignores":
        return {glob: _texts(file, f"{key}.{glob}", rules) for glob, rules in value.items()}
    return value


def _texts(file: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _misfit(file, key, "an array of texts", value)
    return tuple(value)


def _misfit(file: Path, key: str, wanted: str, value: Any) -> SettingsError:
    given = shown(value) if isinstance(value, str) else str(value)
    return SettingsError(f"{file}: {key} is {given}; write {wanted}")
