"""A baseline: the known findings of a project, in a file of its repository, so that only new ones count."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.documents.files import recorded
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.validation.reports.programs import identity
from checkpoint_ld.validation.reports.text import TOOL, name_of, what

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.validation.results import Checked, Report
    from checkpoint_ld.validation.selection import Selection

VERSION = 1
"""Version of the file."""
_REMEDY = "--write-baseline writes it, with --force over another file"


class Compared(NamedTuple):
    """A report with only the new findings, the number of known ones, and how many known findings are gone."""

    report: Report
    gone: int


def may_replace(file: Path) -> bool:
    """Return whether a baseline may be written to `file`: the file is a baseline, possibly broken, or it is empty."""
    try:
        text = file.read_bytes()
    except OSError:
        return True
    return not text or f'"tool": "{TOOL}"'.encode() in text


def text_of(report: Report, file: Path, selection: Selection) -> str:
    """Return the text of a baseline at `file` with all findings of a report, in an order that gives small diffs.

    Findings of other files in the existing baseline stay, as long as these files exist, and so do those of rules that
    are not in `selection`, and a `note` that somebody wrote into an entry.

    Raises ReadError for findings in a file whose name is no UTF-8.
    """
    files = _left(file, {_name(one, file): one.source for one in report.checked}, selection)
    notes = _notes(report, file)
    for checked in report.checked:
        counts = Counter(map(identity, checked.findings))
        found = {identity(one): one for one in reversed(checked.findings)}
        own = notes.get(_name(checked, file), {})
        new = (_entry(one, key, counts[key]) | own.get(key, {}) for key, one in found.items())
        entries = [*files.pop(_name(checked, file), ()), *new]
        if entries:
            files[recorded(_name(checked, file))] = sorted(
                entries, key=lambda one: (one["code"], one["message"], one["identity"])
            )
    tree = {"tool": TOOL, "version": VERSION, "files": dict(sorted(files.items()))}
    return json.dumps(tree, ensure_ascii=False, indent=2) + "\n"


def size(file: Path) -> int:
    """Return the number of findings in the baseline at `file`."""
    return sum(number for _, entries in _read(file) for _, number, _ in entries)


def compared(report: Report, file: Path, selection: Selection) -> Compared:
    """Return the new findings in a report, compared with the baseline at `file`.

    A finding is known if the baseline has one of the same file and rule about the same node or place, as often. A file
    that was renamed is that file of the baseline that is no longer there, and half of whose findings it has. Only
    findings of rules in `selection`, in files of the report, count as gone. Raises SettingsError for a file that is
    absent or no baseline.
    """
    known = dict(_read(file))
    renamed = _renamed(report, file, {name: {key for key, _, _ in entries} for name, entries in known.items()})
    left, count, gone = [], 0, 0
    for checked in report.checked:
        name = _name(checked, file)
        entries = known.get(renamed.get(name, name), [])
        allowed = Counter({key: number for key, number, _ in entries})
        new = []
        for one in checked.findings:
            key = identity(one)
            if allowed[key] > 0:
                allowed[key] -= 1
                count += 1
            else:
                new.append(one)
        left.append(replace(checked, findings=tuple(new)))
        gone += sum(allowed[key] for key, _, rule in entries if selection.allows(rule, checked.source))
    return Compared(replace(report, checked=tuple(left), known=count), gone)


def _renamed(report: Report, file: Path, known: Mapping[str, set[str]]) -> dict[str, str]:
    """Return the former names in a baseline of files that were renamed, by their names."""
    own = {_name(checked, file): {identity(one) for one in checked.findings} for checked in report.checked}
    gone = {
        name: keys for name, keys in known.items() if keys and name not in own and not (file.parent / name).exists()
    }
    found: dict[str, str] = {}
    for name, keys in own.items():
        if gone and name not in known:
            former = max(gone, key=lambda one: len(gone[one] & keys) / len(gone[one] | keys))
            if 2 * len(gone[former] & keys) >= len(gone[former]):
                found[name] = former
                del gone[former]
    return found


def _notes(report: Report, file: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what others wrote into the entries of a baseline, by name of the file and identity of the finding."""
    try:
        files = json.loads(file.read_text(encoding="utf-8"))["files"]
        notes = {
            name: {one["identity"]: {"note": one["note"]} for one in held if "note" in one}
            for name, held in files.items()
        }
        keys = {name: {str(one["identity"]) for one in held} for name, held in files.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
    return notes | {name: notes[former] for name, former in _renamed(report, file, keys).items()}


def _entry(found: Finding, key: str, count: int) -> dict[str, Any]:
    return {"code": found.code, "rule": found.rule, "message": what(found), "identity": key, "count": count}


def _name(checked: Checked, file: Path) -> str:
    """Return the path of a source relative to the folder of the baseline, so that it is the same everywhere."""
    if checked.source is None or not os.path.exists(checked.source):  # noqa: PTH110 - pathlib raises for a long name
        return name_of(checked)
    source = Path(os.path.abspath(checked.source))  # noqa: PTH100 - pathlib's keeps ".."
    try:
        for folder in source.parents:  # a symbolic link may give the folder of the baseline two paths
            if folder.samefile(file.parent):
                return source.relative_to(folder).as_posix()
        return Path(os.path.relpath(source, file.parent)).as_posix()
    except (OSError, ValueError):  # no such folder; on another drive of Windows
        return source.as_posix()


def _left(file: Path, sources: Mapping[str, str | None], selection: Selection) -> dict[str, list[dict[str, Any]]]:
    """Return the findings of a baseline that a report of `sources` does not state again."""
    try:
        tree = json.loads(file.read_text(encoding="utf-8"))
        known = tree["files"].items() if tree["version"] == VERSION else ()
        others = {name: held for name, held in known if name not in sources and (file.parent / name).exists()}
        own = {
            name: [one for one in held if not selection.allows(one["code"], sources[name])]
            for name, held in known
            if name in sources
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
    return others | own


def _read(file: Path) -> Iterator[tuple[str, list[tuple[str, int, str]]]]:
    """Yield each file of a baseline, with identity, number and code of its findings."""
    try:
        tree = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or error
        raise SettingsError(f"{file}: the baseline cannot be read: {reason}; {_REMEDY}") from error
    except ValueError as error:
        reason = f"line {error.lineno} is no JSON" if isinstance(error, json.JSONDecodeError) else "it is not UTF-8"
        raise SettingsError(f"{file}: this is no baseline: {reason}; {_REMEDY}") from error
    version = tree.get("version", VERSION) if isinstance(tree, dict) else VERSION
    if isinstance(version, int) and version != VERSION:
        raise SettingsError(f"{file}: the baseline has version {version}, not {VERSION}; {_REMEDY}")
    try:
        for name, entries in tree["files"].items():
            yield name, [(str(one["identity"]), int(one["count"]), str(one["code"])) for one in entries]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise SettingsError(f"{file}: this is no baseline: a member is missing or wrong; {_REMEDY}") from error
