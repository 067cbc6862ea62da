"""Configuration of a project's validation, from .checkpoint-ld.toml or pyproject.toml."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity
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


@dataclass(frozen=True, eq=False)
class Configuration:
    """The settings of a project; missing settings are None or empty.

    `file` is its file, None without a file. Globs of `exclude` and `per_file_ignores` are relative to the folder of
    that file; `shapes` and `baseline` are paths relative to the current folder. `rules_url` is the address of the page
    of a rule, with `{code}` in it. `git_patterns` are the files that git merges with our driver, in addition to
    `*.jsonld`. `severities` are severities of rules that differ from ours, by names of rules.
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
    severities: Mapping[str, str] = field(default_factory=dict)
    required_version: str | None = None

    @property
    def folder(self) -> Path:
        """The base folder of globs."""
        return self.file.parent if self.file is not None else Path()

    def excludes(self, file: str) -> bool:
        """Return whether a pattern of `exclude` matches a file."""
        from checkpoint_ld.validation.selection import matches  # noqa: PLC0415 - it takes long to import

        path = os.path.relpath(Path(file).absolute(), self.folder)
        return any(matches(pattern, path) for pattern in self.exclude)


def find(start: Path = Path()) -> Configuration:
    """Return the nearest configuration, in `start` or a folder above it; .checkpoint-ld.toml comes first in a folder.

    A pyproject.toml without our table is ignored. Raises SettingsError for an invalid configuration.
    """
    start = start.absolute()  # links stay, since patterns are compared with the paths of files as they are named
    found = (in_folder(folder) for folder in (start, *start.parents))
    return next((one for one in found if one is not None), None) or Configuration()


def in_folder(folder: Path) -> Configuration | None:
    """Return the configuration in a folder itself, None if there is none. Raises as `find`."""
    for name in (OWN_FILE, PROJECT_FILE):
        file = folder / name
        table = _table(file) if os.path.isfile(file) else None  # noqa: PTH113 - Path raises where a folder may not be entered
        if table is not None:
            return _whole(file, table)
    return None


def of_file(file: Path) -> Configuration:
    """Return the configuration in `file`. Raises SettingsError if there is none, or if it is invalid."""
    table = _table(file)
    if table is None:
        raise SettingsError(f"{file}: there is no table [tool.{TABLE}]; add it, or name another file")
    return _whole(file, table)


@contextmanager
def _naming(file: Path | None) -> Iterator[None]:
    """Put the name of a configuration before what is wrong with its settings."""
    try:
        yield
    except SettingsError as error:
        raise error if file is None else SettingsError(f"{file}: {error}") from error


def profiles(
    chosen: Configuration, profile: str | None = None, shapes: Iterable[str] = (), *, is_trusted: bool = False
) -> Profiles:
    """Return the profiles that `profile` and `shapes`, or else the configuration, name.

    A configuration that was only found, in a folder of anybody, may name shapes that declare. Shapes with queries run
    what their author wrote, so they need a configuration that the user trusts.

    Raises SettingsError for an unknown profile, for shapes that cannot be used, and for shapes with queries that are
    not trusted.
    """
    from checkpoint_ld.families import Profiles  # noqa: PLC0415 - it takes long to import
    from checkpoint_ld.validation.profiles import DEFAULT  # noqa: PLC0415 - as above

    with _naming(chosen.file if profile is None and chosen.profile is not None else None):
        found = Profiles(profile or chosen.profile or DEFAULT, tuple(shapes) or chosen.shapes)
    own = found.first
    if found.shapes is chosen.shapes and not is_trusted and own.has_queries:
        raise SettingsError(
            f"{chosen.file}: the shapes that it names have queries ({', '.join(map(str, own.own_shapes))}), which run "
            "only if you trust them: give --trust-config, or name the configuration by --config"
        )
    return found


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
    is_named = bool(select or ignore or chosen.per_file_ignores or chosen.severities)
    known = {**catalogue(), **rules} if is_named else {}
    per_file, folder = chosen.per_file_ignores, chosen.folder
    with _naming(chosen.file if select is chosen.select and ignore is chosen.ignore else None):
        counted = selections.selection(known, select=select, ignore=ignore, per_file=per_file, folder=folder)
        severities = {
            code: Severity[name.upper()]
            for rule, name in chosen.severities.items()
            for code in selections.codes_of([rule], known)
        }
    return replace(counted, accepted=frozenset(chosen.accepted_code), severities=severities)


def shown_settings(chosen: Configuration) -> dict[str, Any]:
    """Return the settings as JSON, with the names that a file has for them; those without a value are left out."""
    held = {name.replace("_", "-"): getattr(chosen, name) for name in Configuration.__dataclass_fields__}
    stated = {name: value for name, value in held.items() if value not in (None, (), {})}
    return {name: str(value) if isinstance(value, Path) else value for name, value in stated.items()}


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


_EXTEND = "extend"
"""The setting that names a file whose settings count where this one has none."""


def _whole(file: Path, table: dict[str, Any], below: tuple[Path, ...] = ()) -> Configuration:
    """Return the settings of a file, and those of the file that it extends where it has none."""
    own = _configuration(file, {key: value for key, value in table.items() if key != _EXTEND})
    if _EXTEND not in table:
        return own
    name = table[_EXTEND]
    if not isinstance(name, str):
        raise _misfit(file, _EXTEND, "the path of a file", name)
    extended = Path(os.path.normpath(file.parent / Path(name).expanduser()))
    chain = (*below, file)
    if any(os.path.realpath(extended) == os.path.realpath(one) for one in chain):
        raise SettingsError(f"{file}: extend leads back to {extended}: take it out of one of these files")
    held = _table(extended)
    if held is None:
        raise SettingsError(f"{file}: extend names {extended}, which has no table [tool.{TABLE}]; name another file")
    base = _whole(extended, held, chain)
    missing = {name for name in Configuration.__dataclass_fields__ if name.replace("_", "-") not in table}
    taken = {name: getattr(base, name) for name in missing - {"file"}}
    if "exclude" in taken:
        taken["exclude"] = tuple(_moved(pattern, base.folder, own.folder) for pattern in taken["exclude"])
    if "per_file_ignores" in taken:
        moved = {_moved(glob, base.folder, own.folder): rules for glob, rules in taken["per_file_ignores"].items()}
        taken["per_file_ignores"] = moved
    return replace(own, **taken)


def _moved(pattern: str, folder: Path, to: Path) -> str:
    """Return a pattern of a folder as one of another folder; a pattern of names alone is the same everywhere."""
    if "/" not in pattern.removeprefix("./").rstrip("/"):
        return pattern
    moved = os.path.relpath(folder / pattern, to)
    return Path(moved).as_posix()


def _check_version(file: Path, wanted: str) -> None:
    """Refuse settings that are for other versions of this package (PEP 440)."""
    from importlib.metadata import version  # noqa: PLC0415 - few configurations have it

    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - as above

    try:
        allowed = SpecifierSet(wanted if wanted[:1] in "<>=!~" else f"=={wanted}")
    except InvalidSpecifier as error:
        raise _misfit(file, "required-version", "a version such as 0.2.0, or >=0.2,<0.3", wanted) from error
    own = version("checkpoint-ld")
    if not allowed.contains(own, prereleases=True):
        raise SettingsError(
            f"{file}: required-version is {wanted}, and this is checkpoint-ld {own}; install another one"
        )


def _configuration(file: Path, table: dict[str, Any]) -> Configuration:
    known = {name.replace("_", "-"): name for name in Configuration.__dataclass_fields__ if name != "file"}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f"{file}: {unknown('setting', key, known)}")
        values[known[key]] = _checked(file, key, value)
    if "required_version" in values:
        _check_version(file, values["required_version"])
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
    "required-version": (lambda value: isinstance(value, str) and bool(value.strip()), "a text such as >=0.2"),
    "severities": (
        lambda value: isinstance(value, dict) and all(one in FAIL_ON[:-1] for one in value.values()),
        "a table of rules with violation, warning or info",
    ),
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
