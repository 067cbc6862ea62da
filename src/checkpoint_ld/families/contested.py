"""Lists of conflicts that a merge left undecided: beside its result, or in git's folder.

As long as a list is there, the result has the values of OURS where both sides changed something, and nobody has said
that this is right. `finding_of` is the violation that `validate` reports; `git.settle` and `git.abandon` end it.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.documents.files import replace_file, repository_of
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.families import git_program
from checkpoint_ld.findings import Place
from checkpoint_ld.phrases import counted
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.families.merging import Merge
    from checkpoint_ld.findings import Finding

EXTENSION = ".conflicts.json"
FOLDER = "checkpoint-ld"
"""The folder of lists in git's own folder."""
UNDECIDED = "conflicts-undecided"


class ConflictList(NamedTuple):
    """A list of conflicts, the file that it is about, and its content."""

    path: Path
    file: Path
    content: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The number of conflicts."""
        return len(self.content.get("conflicts") or ())

    @property
    def is_untouched(self) -> bool:
        """Whether the file is as the merge left it."""
        return self.content.get("merged") == digest_of(self.file.read_bytes()) if self.file.is_file() else False


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file that a merge wrote."""
    return hashlib.sha256(data).hexdigest()


def keep(path: Path, merged: Merge, data: bytes, **about: Any) -> None:
    """Write the list of a merge that wrote `data`, or remove that of an earlier merge if nothing is undecided."""
    if merged.is_clean:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, dump_json({**merged.as_json(), "merged": digest_of(data), **about}) + b"\n")


def git_folder(top: Path) -> Path | None:
    """Return git's folder of a work tree, None where it has none."""
    folder = top / ".git"
    if folder.is_file():  # of a linked work tree (gitrepository-layout(5))
        named = folder.read_text(encoding="utf-8", errors="surrogateescape").removeprefix("gitdir:").strip()
        return top / named
    return folder if folder.is_dir() else None


def lists_of(file: Path) -> list[ConflictList]:
    """Return the lists about a file: beside it, and in the folder of its repository."""
    top = repository_of(file.parent)
    paths = [file.with_name(f"{file.name}{EXTENSION}")]
    folder = git_folder(top)
    if folder is not None:
        name = os.path.relpath(os.path.realpath(file), os.path.realpath(top))
        paths.append(folder / FOLDER / f"{name}{EXTENSION}")
    return [found for path in paths if (found := _read(path, file)) is not None]


def lists_in(top: Path) -> Iterator[ConflictList]:
    """Yield the lists in the folder of a repository."""
    folder = git_folder(top)
    held = folder / FOLDER if folder is not None else None
    for path in sorted(held.rglob(f"*{EXTENSION}")) if held is not None else ():
        found = _read(path, top / str(path.relative_to(held)).removesuffix(EXTENSION)) if held is not None else None
        if found is not None:
            yield found


def _read(path: Path, file: Path) -> ConflictList | None:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    is_list = isinstance(content, dict) and content.get("is_clean") is False
    return ConflictList(path, file, content) if is_list and file.is_file() else None


def undecided(file: str | os.PathLike[str]) -> ConflictList | None:
    """Return the list about a file that is not decided, None if there is none."""
    path = Path(file)
    for found in lists_of(path):
        is_beside = found.path.parent == path.parent
        if is_beside or is_pending(found, repository_of(path.parent)):
            return found
    return None


def is_pending(found: ConflictList, top: Path) -> bool:
    """Return whether a list in git's folder still counts: its merge is under way, or was committed as it was left.

    After `git merge --abort` it does not: the commit that would have been merged is no ancestor.
    """
    folder = git_folder(top)
    if folder is None or any((folder / name).exists() for name in _UNDER_WAY):
        return True
    commits = [str(commit) for commit in found.content.get("theirs") or ()]
    if not commits:
        return found.is_untouched
    return any(
        git_program.run("merge-base", "--is-ancestor", commit, "HEAD", folder=top).returncode == 0 for commit in commits
    )


_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def finding_of(file: str | os.PathLike[str]) -> Finding | None:
    """Return the violation for a file with an undecided list, None for any other."""
    try:
        found = undecided(file)
    except (OSError, ValueError):  # no path of a file system, such as one with U+0000
        return None
    if found is None:
        return None
    verb = "is" if found.size == 1 else "are"
    words = f"{counted(found.size, 'conflict')} of a merge {verb} undecided: it has OURS there; see {found.path}"
    return replace(finding(UNDECIDED, words), place=Place(os.fspath(file), line=1, column=1))
