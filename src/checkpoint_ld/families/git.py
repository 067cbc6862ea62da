"""git: our diff and merge drivers (gitattributes(5)), with their setup and removal.

The diff driver (`outline_of`) gives git a checkpoint as lines of text: its content for authors, without dates. The
merge driver (`merge_file`) uses `merging`; `settle` and `abandon` end what it left undecided.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld import families
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.files import is_packed, read_bytes, replace_file, repository_of
from checkpoint_ld.errors import CheckpointLdError, SettingsError
from checkpoint_ld.families import contested, git_program, merging
from checkpoint_ld.phrases import counted, harmless, shown
from checkpoint_ld.secrets import WITHHELD, secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
_SECTIONS = (f"diff.{_NAME}", f"merge.{_NAME}", _NAME)
_UNPACKED = f"{_NAME}.unpacked"
_MOST = 127
"""The greatest exit code of a merge driver that git does not treat as a crash."""


def install(
    patterns: Sequence[str] = PATTERNS, *, everywhere: bool = False, unpacked: Mapping[str, str] | None = None
) -> Path:
    """Set up our drivers for files of these patterns, in this clone or `everywhere`.

    `unpacked` are folders by the benchmarks that are unpacked in them: the hook refuses a commit where the two differ.
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
    git_program.output_of("config", scope, f"{_SECTIONS[0]}.textconv", f"{command} git textconv --")
    git_program.output_of("config", scope, f"{_SECTIONS[1]}.name", "checkpoints merged in the terms of their authors")
    git_program.output_of("config", scope, f"{_SECTIONS[1]}.driver", f"{command} git merge-file -- %O %A %B %L %P")
    lines = [_BEGIN, *(f"{pattern} diff={_NAME} merge={_NAME}" for pattern in patterns), _END]
    _write(file, [*_others(file), *lines])
    if not everywhere:
        _install_hooks(command)
        for pair in (f"{benchmark}={folder}" for benchmark, folder in (unpacked or {}).items()):
            git_program.output_of("config", scope, "--replace-all", _UNPACKED, pair, f"^{re.escape(pair)}$")
    return file


def unpacked_pairs(top: Path) -> dict[str, str]:
    """Return the folders, by benchmark, that are to agree in a repository; paths as seen from its top."""
    lines = git_program.run("config", "--local", "--get-all", _UNPACKED, folder=top).stdout.decode("utf-8", "replace")
    pairs = (line.partition("=") for line in lines.splitlines())
    return {str(top / benchmark): str(top / folder) for benchmark, sign, folder in pairs if sign}


_HOOKS = {
    "pre-commit": "exec {command} git check",
    # git rebase --continue leaves pre-commit out, and asks this hook.
    "prepare-commit-msg": (
        'if [ -d "$(git rev-parse --git-path rebase-merge)" ] && '
        f'[ -d "$(git rev-parse --git-path {contested.FOLDER})" ]; then exec {{command}} git check; fi'
    ),
}
"""The hooks that look for undecided conflicts before a commit."""


def _hook(name: str = "pre-commit") -> Path:
    return Path(git_program.output_of("rev-parse", "--git-path", f"hooks/{name}").strip())


def _install_hooks(command: str) -> None:
    """Have git check before each commit that no conflict is undecided, unless there is a hook of somebody else."""
    for name, line in _HOOKS.items():
        hook = _hook(name)
        if hook.is_file() and _BEGIN not in _lines(hook):
            continue
        hook.parent.mkdir(parents=True, exist_ok=True)
        _write(hook, ["#!/bin/sh", _BEGIN, line.format(command=command), _END])
        hook.chmod(0o755)


def is_hooked() -> bool:
    """Return whether git checks before commits that no conflict is undecided."""
    hook = _hook()
    return hook.is_file() and "git check" in hook.read_text(encoding="utf-8", errors="replace")


def uninstall(*, everywhere: bool = False) -> bool:
    """Remove the setup of `install`; return whether there was any."""
    file = _attributes(everywhere=everywhere)
    scope = _scope(everywhere=everywhere)
    for hook in () if everywhere else map(_hook, _HOOKS):
        if hook.is_file() and _BEGIN in _lines(hook):
            hook.unlink()
    # Unlike --list, --get-regexp takes a configuration that does not exist for an empty one.
    found = [
        section for section in _SECTIONS if git_program.run("config", scope, "--get-regexp", rf"^{section}\.").stdout
    ]
    for section in found:
        git_program.output_of("config", scope, "--remove-section", section)
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
        done = git_program.run("merge-file", f"--marker-size={size}", *labels, ours, base, theirs)
        return min(done.returncode, _MOST), f"{path}: merged line by line, since this is no merge for us: {error}"
    listed = conflicts_of(path)
    replace_file(ours, data, pack=is_packed(path))
    contested.keep(listed, merged, Path(ours).read_bytes(), ours=_head(), theirs=_merged_commits())
    if merged.is_clean:
        return 0, ""
    quoted = shlex.quote(path)
    return 1, (
        f"{merged}\n{path}: it has OURS where both sides changed something; the list is {listed}. Decide with "
        f"`checkpoint-ld merge --continue {quoted}` and --ours, --theirs or --interactive, or edit the file and "
        f"say so by `checkpoint-ld merge --continue {quoted}`; `checkpoint-ld merge --abort` takes the merge back"
    )


def _head() -> str | None:
    done = git_program.run("rev-parse", "--verify", "--quiet", "HEAD")
    return done.stdout.decode("ascii", "replace").strip() or None


def _merged_commits() -> list[str]:
    """Return the commits that git merges, as it names them to its merge drivers; none in a rebase."""
    own = _head()
    named = (name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_"))
    return [commit for commit in named if commit != own]


def _resolved(
    path: str, versions: tuple[bytes | None, bytes, bytes], listed: Path, prefer: str | None, decide: Decide | None
) -> Merge:
    """Merge three versions of a file, and write it if all conflicts are decided."""
    base, mine, other = versions
    merged = merging.merge_sources(
        None if base is None else _source("BASE", base, path),
        _source("OURS", mine, path),
        _source("THEIRS", other, path),
        prefer=prefer,
        decide=decide,
    )
    if merged.is_clean:
        replace_file(path, merged.content(), pack=is_packed(path))
        listed.unlink(missing_ok=True)
    return merged


def settle(found: contested.ConflictList, *, prefer: str | None = None, decide: Decide | None = None) -> Merge | None:
    """End the conflicts of a list, by a decision or, without one, as the file was edited; return a merge that was made.

    Raises SettingsError for a file that nobody has edited since the merge, ReadError for one that cannot be read, and
    SettingsError where the versions to decide between are gone.
    """
    path = str(found.file)
    if prefer is None and decide is None:
        if found.is_untouched:
            raise SettingsError(
                f"{path} still has OURS in {counted(found.size, 'conflict')}: decide by --ours, --theirs or "
                "--interactive, or edit the file first"
            )
        families.refusing(families.examine_bytes(*read_bytes(path)))
        found.path.unlink()
        return None
    if prefer == "ours":  # of the conflicts; what was merged without one stays
        families.refusing(families.examine_bytes(*read_bytes(path)))
        found.path.unlink()
        return None
    return _resolved(path, _versions(found), found.path, prefer, decide)


def _versions(found: contested.ConflictList) -> tuple[bytes | None, bytes, bytes]:
    """Return BASE, OURS and THEIRS of a contested file: the files of a merge, git's index, or the merged commits."""
    files = found.content.get("files")
    if isinstance(files, list) and len(files) == 3:
        base, mine, other = (read_bytes(str(file))[0] for file in files)
        return base, mine, other
    top = repository_of(found.file.parent)
    name = os.path.relpath(os.path.realpath(found.file), os.path.realpath(top)).replace(os.sep, "/")
    names = [f":{stage}:{name}" for stage in (1, 2, 3)]
    commits = [str(commit) for commit in (found.content.get("ours"), *(found.content.get("theirs") or ())) if commit]
    if git_program.run("cat-file", "-e", names[2], folder=top).returncode and len(commits) == 2:
        start = git_program.run("merge-base", *commits, folder=top).stdout.decode("ascii", "replace").strip()
        names = [f"{commit}:{name}" for commit in (start, *commits)]
    shown_by_git = [git_program.run("show", each, folder=top) for each in names]
    if shown_by_git[1].returncode or shown_by_git[2].returncode:
        raise SettingsError(f"{found.file}: git has no two sides of it any more: edit the file, and continue with that")
    old, *sides = (None if done.returncode else done.stdout for done in shown_by_git)
    return old, sides[0] or b"", sides[1] or b""


_STATES = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}


def abandon(top: Path) -> str:
    """Take back the merge that is under way in a repository, with its lists; return git's word for it.

    Raises SettingsError where none is.
    """
    folder = contested.git_folder(top)
    word = next((word for name, word in _STATES.items() if folder is not None and (folder / name).exists()), None)
    if word is None:
        raise SettingsError("no merge, rebase or cherry-pick is under way here, so there is nothing to take back")
    lists = [*contested.lists_in(top)]
    git_program.output_of(word, "--abort", folder=top)
    for found in lists:
        found.path.unlink(missing_ok=True)
    return word


def conflicts_of(path: str, top: Path = _HERE) -> Path:
    """Return the path, in git's folder, of the list of conflicts in a file of the work tree at `top`."""
    name = f"{contested.FOLDER}/{path}{contested.EXTENSION}"
    return top / git_program.output_of("rev-parse", "--git-path", name, folder=top).strip()


def _source(name: str, data: bytes, path: str) -> merging.Side:
    return merging.of_source(name, families.refusing(families.examine_bytes(data, path)))


def _scope(*, everywhere: bool) -> str:
    return "--global" if everywhere else "--local"


def _attributes(*, everywhere: bool) -> Path:
    if not everywhere:
        return Path(git_program.output_of("rev-parse", "--git-path", "info/attributes").strip())
    done = git_program.run("config", "--global", "--includes", "--type=path", "--get", "core.attributesFile")
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
        commit = git_program.output_of(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}"
        ).strip()
    except SettingsError:
        root = git_program.run("rev-parse", "--show-toplevel")
        if root.returncode:
            raise SettingsError("--changed-since needs a repository of git: there is none here") from None
        remedy = "check its name, or fetch it first (a shallow clone has few commits)"
        raise SettingsError(f"{shown(reference)} is no commit, branch or tag of this repository: {remedy}") from None
    top = Path(git_program.output_of("rev-parse", "--show-toplevel").removesuffix("\n"))
    base = git_program.run("merge-base", commit, "HEAD")
    since = base.stdout.decode().strip() if base.returncode == 0 else commit
    plain = ("--no-ext-diff", "--no-textconv", "--name-only", "-z", "--diff-filter=d")
    differing = git_program.output_of(*_PASSIVE, "diff", *plain, since, "--", folder=top)
    untracked = git_program.output_of(*_PASSIVE, "ls-files", "--others", "--exclude-standard", "-z", folder=top)
    names = filter(None, (*differing.split("\0"), *untracked.split("\0")))
    return frozenset(os.path.realpath(top / name) for name in names)


_PASSIVE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
"""Options of git without which the configuration of a repository may name programs to run."""
