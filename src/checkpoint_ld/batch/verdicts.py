"""Verdicts kept by content: an unchanged file is hashed instead of validated.

An entry is a file of its own, named by the hash of the bytes, in a folder named by the hash of all that a verdict
depends on beside them: our version and code, the profile, the shapes, the syntax and the engine. It is written
atomically, so that several processes may share the cache. What is not exactly an entry of ours is ignored.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.data import PACKAGE
from checkpoint_ld.data import folder as data_folder
from checkpoint_ld.documents.files import read_bytes, replace_file, unpacked
from checkpoint_ld.documents.values import DEFAULT_LIMITS
from checkpoint_ld.errors import CheckpointLdError, SettingsError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.rules import FOLDER as FOLDER_OF_SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.families import Noted
    from checkpoint_ld.validation.results import Checked

FOLDER = ".checkpoint_ld_cache"
"""The name of the cache, in the folder of the configuration or else in the current one."""
_TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55"
"""What marks a folder as a cache for programs that make backups (bford.info/cachedir)."""
_IGNORE = ".gitignore"
_SOURCES = frozenset((".py", ".ttl", ".jsonld", ".json"))
_MEMBERS = frozenset(("dialect", "findings", "noted", "has_text", "has_graph", "unmatched"))


def _code() -> str:
    """Return what changes with our code and data, also in a checkout."""
    files = (file for folder in (PACKAGE, data_folder(FOLDER_OF_SHAPES)) for file in folder.rglob("*.*"))
    stats = ((file.name, file.stat()) for file in files if file.suffix in _SOURCES)
    return repr(sorted((name, one.st_mtime_ns, one.st_size) for name, one in stats))


class VerdictCache:
    """The verdicts in a cache for one choice of rules.

    `settings` are what a verdict depends on beside the bytes of a source, `files` those whose content it depends on.
    """

    def __init__(self, folder: Path, settings: Iterable[object], files: Iterable[Path] = ()) -> None:
        shapes = [sha256(file.read_bytes()).hexdigest() for file in files]
        key = sha256(repr((_code(), [*map(str, settings)], shapes)).encode()).hexdigest()
        self._root = folder
        self._folder = folder / key[:2] / key[2:34]
        self._hashes: dict[str, str] = {}
        self.fault = ""
        """Why nothing can be kept; empty while all is well."""

    def of_file(self, file: str) -> tuple[Checked, Noted | None] | None:
        """Return the verdict on a file, and what is compared with other files; None if it is not kept."""
        try:
            data, _ = read_bytes(file)
        except CheckpointLdError:  # whoever validates it tells what is wrong
            return None
        self._hashes[file] = _hash(_extensions(file), data)
        return self._read(self._hashes[file], file, data)

    def keep_file(self, file: str, checked: Checked, noted: Noted | None, *, has_graph: bool) -> None:
        """Keep the verdict on a file, unless that has changed since `of_file` or its name is part of the verdict."""
        known = self._hashes.pop(file, None)
        texts = (f"{found.message}{found.remedy}{found.subject}" for found in checked.findings)
        if known is None or any(file in text for text in texts):
            return
        try:
            is_same = known == _hash(_extensions(file), read_bytes(file)[0])
        except CheckpointLdError:
            return
        if is_same:
            self._write(known, _encoded(checked, file, noted, has_graph=has_graph))

    def get(self, name: str, data: bytes) -> tuple[Checked, Noted | None] | None:
        """Return the verdict on the bytes of a source called `name`; None if it is not kept."""
        return self._read(_hash(name, data), name, data)

    def put(self, name: str, data: bytes, checked: Checked) -> None:
        """Keep the verdict on the bytes of a source called `name`."""
        has_graph = checked.results is not None
        self._write(_hash(name, data), _encoded(checked, name, None, has_graph=has_graph))

    def _read(self, key: str, name: str, data: bytes) -> tuple[Checked, Noted | None] | None:
        try:
            text = (self._folder / key).read_text(encoding="utf-8")
            check, _, content = text.partition("\n")
            if check != sha256(content.encode()).hexdigest():
                return None
            return _decoded(json.loads(content), name, data)
        except (OSError, ValueError, TypeError, KeyError, CheckpointLdError):  # it is no entry, or of another version
            return None

    def _write(self, key: str, held: dict[str, Any] | None) -> None:
        if held is None or self.fault:
            return
        content = json.dumps(held)
        try:
            self._prepare()
            replace_file(self._folder / key, f"{sha256(content.encode()).hexdigest()}\n{content}".encode())
        except (OSError, CheckpointLdError) as error:
            self.fault = f"nothing is kept in the cache {self._root}: {error}; give --cache-dir, or --no-cache"

    def _prepare(self) -> None:
        """Make the folder, with what keeps it out of backups and repositories first."""
        if not self._folder.is_dir():
            self._root.mkdir(parents=True, exist_ok=True)
            for name, text in ((_IGNORE, "# Made by checkpoint-ld.\n*\n"), (_TAG, f"{_SIGNATURE}\n")):
                if not (self._root / name).exists():
                    replace_file(self._root / name, text.encode())
            self._folder.mkdir(parents=True, exist_ok=True)


def clean(folder: Path) -> bool:
    """Remove a cache; return whether there was one. Raises SettingsError for a folder that is none of ours."""
    if not folder.exists():
        return False
    tag = folder / _TAG
    is_ours = not folder.is_symlink() and tag.is_file() and tag.read_bytes().startswith(_SIGNATURE.encode())
    if not is_ours:
        raise SettingsError(f"{folder} is no cache of checkpoint-ld, so nothing is removed: name the folder of a cache")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise SettingsError(f"the cache {folder} cannot be removed: {error}") from error
    return True


def _extensions(file: str) -> str:
    """Return the extensions of a file, which tell its syntax."""
    return "".join(Path(file).suffixes[-2:]).lower()


def _hash(name: str, data: bytes) -> str:
    return sha256(name.encode("utf-8", "surrogatepass") + b"\0" + data).hexdigest()


def _encoded(checked: Checked, file: str, noted: Noted | None, *, has_graph: bool) -> dict[str, Any] | None:
    """Return a verdict as JSON, None if it has other names than that of its source."""
    findings = []
    for found in checked.findings:
        members = asdict(replace(found, place=replace(found.place, file=None)))
        if found.place.file not in (None, file):
            return None
        findings.append({**members, "severity": found.severity.name, "is_placed": found.place.file is not None})
    if checked.source not in (None, file):
        return None
    if noted is not None and len(noted) == 3:
        noted = (noted[0], sorted(noted[1]), noted[2])  # type: ignore[assignment]  # JSON has no sets
    return {
        "dialect": checked.dialect,
        "findings": findings,
        "noted": noted,
        "has_text": checked.text is not None,
        "has_graph": has_graph,
        "unmatched": None if checked.unmatched is None else sorted(checked.unmatched),
    }


def _decoded(held: dict[str, Any], file: str, data: bytes) -> tuple[Checked, Noted | None]:
    from rdflib import Graph  # noqa: PLC0415 - it takes long to import

    from checkpoint_ld.validation.results import Checked  # noqa: PLC0415 - as above

    if held.keys() != _MEMBERS:
        raise KeyError(*held)
    findings = []
    for members in held["findings"]:
        is_placed = members.pop("is_placed")
        place = Place(**{**members.pop("place"), "file": file if is_placed else None})
        findings.append(Finding(**{**members, "severity": Severity[members["severity"]], "place": place}))
    noted = held["noted"]
    if noted is not None:
        noted = (noted[0], frozenset(noted[1]), noted[2]) if len(noted) == 3 else tuple(noted)
    text = unpacked(data, file, DEFAULT_LIMITS).decode("utf-8-sig") if held["has_text"] else None
    unmatched = None if held["unmatched"] is None else frozenset(held["unmatched"])
    graph = Graph() if held["has_graph"] else None
    return Checked(file, tuple(findings), held["dialect"], text, graph, unmatched), noted
