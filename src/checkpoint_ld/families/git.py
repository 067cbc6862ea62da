"""git: our diff and merge drivers (gitattributes(5)), with their setup and removal.

The diff driver (`outline_of`) gives git a checkpoint as lines of text: its content for authors, without dates. The
merge driver (`merge_file`) and `resolve` use `merging`.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld import families
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.files import is_packed, read_bytes, replace_file
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import CheckpointLdError, SettingsError
from checkpoint_ld.families import merging
from checkpoint_ld.phrases import harmless, shown
from checkpoint_ld.secrets import WITHHELD, secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.families.merging import Decide, Merge

_PASSED = frozenset(("@type", "@context", "dateCreated", "dateModified"))
_FLAT = frozenset(("item", "snapshot", "tool_state"))
"""Objects whose members are shown on the level of the object."""
_TEXTS = {"acceptedAnswer": "answer", "hasPart": "template"}
"""Objects of a question of which only the text is shown."""
_ENTRIES = {
    "dataFeedElement": ("question", "@id"),
    "rating": ("trait", "name"),
    "hasPart": ("scenario", "name"),
    "thought_chain": ("thought", "id"),
    "calls": ("call", "id"),
}
_STRUCTURE = frozenset(("additionalProperty", *_FLAT, *_TEXTS, *_ENTRIES))


def outline_of(source: Checkpoint) -> str:
    """Return a checkpoint as lines of text. Values that look like secrets are withheld."""
    lines = _members(source.tree, 0)
    return "".join(f"{harmless(line)}\n" for line in lines)


def _members(holder: dict[str, Any], depth: int, *, is_question: bool = False) -> Iterator[str]:
    for key, value in holder.items():
        held = [item for item in as_list(value) if isinstance(item, dict)]
        if key in _PASSED:
            continue
        if len(held) < len(as_list(value)) or key not in _STRUCTURE:
            yield from _value(key, value, depth)
        for item in held if len(held) == len(as_list(value)) else ():
            if key in _FLAT:
                yield from _members(item, depth, is_question=key == "item")
            elif key == "additionalProperty":
                yield from _value(str(item.get("name")), item.get("value"), depth)
            elif is_question and key in _TEXTS:
                yield from _value(_TEXTS[key], item.get("text"), depth)
            elif key in _ENTRIES:
                word, name = _ENTRIES[key]
                yield f"{'  ' * depth}{word} {item.get(name, '')}"
                yield from _members({k: v for k, v in item.items() if k != name}, depth + 1)


def _value(key: str, value: Any, depth: int) -> Iterator[str]:
    margin = "  " * depth
    if secret({key: value}):
        yield f"{margin}{key}: {WITHHELD}"
    elif isinstance(value, dict) and value:
        yield f"{margin}{key}:"
        for name, member in value.items():
            yield from _value(name, member, depth + 1)
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        yield f"{margin}{key}:"
        for item in value:
            yield from _value("-", item, depth + 1)
    elif isinstance(value, str) and "\n" in value:
        yield f"{margin}{key}:"
        yield from (f"{margin}  {line}" for line in value.splitlines())
    else:
        yield f"{margin}{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


PATTERNS = ("*.jsonld",)
_NAME = "checkpoint-ld"
_HERE = Path()
_BEGIN, _END = "# begin of checkpoint-ld", "# end of checkpoint-ld"
_SECTIONS = (f"diff.{_NAME}", f"merge.{_NAME}")
_MOST = 127
"""The greatest exit code of a merge driver that git does not treat as a crash."""


def install(patterns: Sequence[str] = PATTERNS, *, everywhere: bool = False) -> Path:
    """Set up our drivers for files of these patterns, in this clone or `everywhere`.

    Returns the file of attributes. Raises SettingsError where git is missing or refuses.
    """
    for pattern in patterns:
        if not pattern or pattern.split() != [pattern] or pattern.startswith(("#", "!", '"')):
            raise SettingsError(
                f"{pattern!r} is no pattern for git's attributes: give one without spaces, such as *.jsonld"
            )
    file = _attributes(everywhere=everywhere)
    scope = _scope(everywhere=everywhere)
    own = Path(sys.executable).with_name(_NAME)
    command = shlex.quote(own.as_posix()) if own.is_file() else _NAME
    _git("config", scope, f"{_SECTIONS[0]}.textconv", f"{command} git textconv --")
    _git("config", scope, f"{_SECTIONS[1]}.name", "checkpoints merged in the terms of their authors")
    _git("config", scope, f"{_SECTIONS[1]}.driver", f"{command} git merge-file -- %O %A %B %L %P")
    lines = [_BEGIN, *(f"{pattern} diff={_NAME} merge={_NAME}" for pattern in patterns), _END]
    _write(file, [*_others(file), *lines])
    return file


def uninstall(*, everywhere: bool = False) -> bool:
    """Remove the setup of `install`; return whether there was any."""
    file = _attributes(everywhere=everywhere)
    scope = _scope(everywhere=everywhere)
    # Unlike --list, --get-regexp takes a configuration that does not exist for an empty one.
    found = [section for section in _SECTIONS if _run("config", scope, "--get-regexp", rf"^{section}\.").stdout]
    for section in found:
        _git("config", scope, "--remove-section", section)
    others = _others(file)
    is_there = file.is_file() and others != _lines(file)
    if is_there and others:
        _write(file, others)
    elif is_there:
        file.unlink()
    return bool(found) or is_there


def merge_file(base: str, ours: str, theirs: str, size: str, path: str) -> tuple[int, str]:
    """Merge three temporary files of git into `ours`; `path` is the file in the work tree.

    Returns the exit code for git, and a message for the user. Files that are no checkpoints are merged line by line.
    """
    try:
        old = read_bytes(base)[0]
        mine, other = (
            _source(name, read_bytes(version)[0], path) for name, version in (("OURS", ours), ("THEIRS", theirs))
        )
        # The base is empty if both sides have added the file.
        merged = merging.merge_sources(_source("BASE", old, path) if old.strip() else None, mine, other)
        data = merged.content()
    except CheckpointLdError as error:
        labels = [part for name in ("ours", "base", "theirs") for part in ("-L", name)]
        done = _run("merge-file", f"--marker-size={size}", *labels, ours, base, theirs)
        return min(done.returncode, _MOST), f"{path}: merged line by line, since this is no merge for us: {error}"
    listed = conflicts_of(path)
    replace_file(ours, data, pack=is_packed(path))
    if merged.is_clean:
        listed.unlink(missing_ok=True)
        return 0, ""
    listed.parent.mkdir(parents=True, exist_ok=True)
    replace_file(listed, dump_json(merged.as_json()) + b"\n")
    return 1, (
        f"{merged}\n{path}: it has OURS where both sides changed something; the list is {listed}. Decide with "
        f"`checkpoint-ld git resolve {shlex.quote(path)}`, or edit the file, and add it"
    )


def resolve(path: str, *, prefer: str | None = None, decide: Decide | None = None) -> Merge:
    """Merge the versions of a file in git's index, and write the file; `prefer` or `decide` settle conflicts.

    A file with a conflict that is not settled stays as it is: somebody may have edited it. Raises SettingsError for a
    file without a conflict.
    """
    file = os.path.realpath(path)
    top = Path(_git("rev-parse", "--show-toplevel", folder=Path(file).parent).strip())
    name = os.path.relpath(file, os.path.realpath(top)).replace(os.sep, "/")
    old, mine, other = (_run("show", f":{stage}:{name}", folder=top) for stage in (1, 2, 3))
    if mine.returncode or other.returncode:
        raise SettingsError(f"{path}: git has no two sides of it; only what a merge left contested can be resolved")
    merged = merging.merge_sources(
        None if old.returncode else _source("BASE", old.stdout, path),
        _source("OURS", mine.stdout, path),
        _source("THEIRS", other.stdout, path),
        prefer=prefer,
        decide=decide,
    )
    if merged.is_clean:
        replace_file(path, merged.content(), pack=is_packed(path))
        conflicts_of(name, top).unlink(missing_ok=True)
    return merged


def conflicts_of(path: str, top: Path = _HERE) -> Path:
    """Return the path, in git's folder, of the list of conflicts in a file of the work tree at `top`."""
    return top / _git("rev-parse", "--git-path", f"{_NAME}/{path}.conflicts.json", folder=top).strip()


def _source(name: str, data: bytes, path: str) -> merging.Side:
    return merging.of_source(name, families.refusing(families.examine_bytes(data, path)))


def _scope(*, everywhere: bool) -> str:
    return "--global" if everywhere else "--local"


def _attributes(*, everywhere: bool) -> Path:
    if not everywhere:
        return Path(_git("rev-parse", "--git-path", "info/attributes").strip())
    done = _run("config", "--global", "--includes", "--type=path", "--get", "core.attributesFile")
    own = done.stdout.decode("utf-8", "replace").strip()
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(own) if own else Path(folder).expanduser() / "git" / "attributes"


def _others(file: Path) -> list[str]:
    """Return the lines of a file of attributes without our section."""
    kept, is_ours = [], False
    for line in _lines(file):
        is_ours = line == _BEGIN or (is_ours and line != _END)
        if not is_ours and line != _END:
            kept.append(line)
    return kept


def _lines(file: Path) -> list[str]:
    """Return the lines of a file of attributes in any encoding, none if there is no file."""
    return file.read_bytes().decode("utf-8", "surrogateescape").splitlines() if file.is_file() else []


def _write(file: Path, lines: Iterable[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))


def changed_since(reference: str) -> frozenset[str]:
    """Return the real paths of the files that differ from where the branch left `reference`, and of untracked ones.

    Where there is no common commit, the files that differ from `reference` itself. No program of the repository's
    configuration is run. Raises SettingsError outside of a repository and for a reference that it does not have.
    """
    try:
        commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}").strip()
    except SettingsError:
        root = _run("rev-parse", "--show-toplevel")
        if root.returncode:
            raise SettingsError("--changed-since needs a repository of git: there is none here") from None
        remedy = "check its name, or fetch it first (a shallow clone has few commits)"
        raise SettingsError(f"{shown(reference)} is no commit, branch or tag of this repository: {remedy}") from None
    top = Path(_git("rev-parse", "--show-toplevel").removesuffix("\n"))
    base = _run("merge-base", commit, "HEAD")
    since = base.stdout.decode().strip() if base.returncode == 0 else commit
    plain = ("--no-ext-diff", "--no-textconv", "--name-only", "-z", "--diff-filter=d")
    differing = _git(*_PASSIVE, "diff", *plain, since, "--", folder=top)
    untracked = _git(*_PASSIVE, "ls-files", "--others", "--exclude-standard", "-z", folder=top)
    names = filter(None, (*differing.split("\0"), *untracked.split("\0")))
    return frozenset(os.path.realpath(top / name) for name in names)


_PASSIVE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
"""Options of git without which the configuration of a repository may name programs to run."""


def _git(*arguments: str, folder: Path = _HERE) -> str:
    done = _run(*arguments, folder=folder)
    if done.returncode:
        raise SettingsError(f"git {arguments[0]}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")


def _run(*arguments: str, folder: Path = _HERE) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)  # noqa: S603, S607 - the git of the user, with arguments of ours
    except OSError as error:
        raise SettingsError(
            f"git cannot be run: {error.strerror or error}; install it, or put it on the path"
        ) from None
