"""Preparation: from the bytes of a file to what is loaded; all that can be wrong with it is found here, in memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import RdfFormat

from checkpoint_ld import emission, families
from checkpoint_ld.collection import lexical_forms
from checkpoint_ld.collection.entry import MANIFEST, Entry, FileState
from checkpoint_ld.collection.holdings import Load, digest
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.errors import FindingsError, ReadError
from checkpoint_ld.families import checking
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from checkpoint_ld.families import Source
    from checkpoint_ld.families.checking import Profiles
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.profiles import Profile


@dataclass(frozen=True)
class Checks:
    """Which findings keep a checkpoint out: those that weigh `fail_on` or more (None: none of them).

    Unless it is None, what reading refuses is kept out, too.

    With a `profile` the checkpoint is held against its rules; without one, findings are those of reading it, which is
    many times quicker.
    """

    profile: Profile | Profiles | None = None
    fail_on: Severity | None = Severity.VIOLATION


@cache
def software() -> str:
    """Return the version of this package: another one may make other statements of the same file."""
    return version("checkpoint-ld")


def read_file(path: Path) -> tuple[bytes, FileState]:
    """Return the bytes of a file and its state; raise SourceMissingError or ReadError for what cannot be read."""
    modified = path.stat().st_mtime_ns if path.exists() else 0
    data, _ = read_bytes(path)
    return data, FileState(sha256(data).hexdigest(), len(data), modified)


def prepare(data: bytes, file: FileState, path: Path, source: str, checks: Checks) -> Load:
    """Return what is to be loaded for the checkpoint in `data`, the bytes of the file at `path`.

    Raises ReadError for what is no checkpoint, FindingsError for one that `checks` keep out.
    """
    read = families.examine_bytes(data, str(path), checked=checks.profile is None or checks.fail_on is not None)
    findings = _findings(read, checks)
    graph = families.graph_of(read)
    root = str(graph.root)
    if root == MANIFEST.value:
        raise ReadError(f"{path}: the name {root} is that of a collection's own graph; give the checkpoint another @id")
    parsed = pyoxigraph.parse(emission.ntriples_of(graph), format=RdfFormat.N_TRIPLES)
    written = [quad.triple for quad in parsed]
    held = lexical_forms.rewritten(written)
    entry = Entry(
        graph=root,
        root=root,
        name=families.name_of(read),
        source=source,
        sha256=digest(written),
        triples=len(held),
        family=families.family_of(read),
        dialect=families.dialect_of(read),
        file=file,
        loaded=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        software=software(),
        findings=Counter(one.severity for one in findings),
    )
    return Load(entry, tuple(held), lexical_forms.kept(held))


def named(load: Load, graph: str) -> Load:
    """Return what is to be loaded under another name of its graph."""
    return replace(load, entry=replace(load.entry, graph=graph))


def _findings(read: Source, checks: Checks) -> Sequence[Finding]:
    findings = read.findings if checks.profile is None else checking.check_source(read, checks.profile).findings
    if checks.fail_on is not None:
        heavy = [one for one in findings if one.severity >= checks.fail_on]
        if heavy:
            raise FindingsError.of(heavy)
        families.refusing(read)
    return findings
