"""The commands `diff`, `merge` and `git`: checkpoints compared and merged in the terms of their authors."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Abort, Exit

from checkpoint_ld.cli import options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command, Group
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.phrases import counted

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.families.contested import ConflictList
    from checkpoint_ld.families.merging import Conflict

_EXTENSIONS = {".txt": "text", ".json": "json", ".md": "markdown", ".markdown": "markdown"}
_FORMATS = (*_EXTENSIONS.values(), "changelog")


@click.command(cls=Command)
def diff(
    *,
    before: str = options.argument("A", "The older checkpoint; - for standard input."),
    after: str = options.argument("B", "The newer checkpoint; - for standard input."),
    kind: str | None = options.choice(
        "--format",
        values=dict.fromkeys(_FORMATS),
        help="How to write them; by default as the extension of --output says, else text. changelog: for readers.",
    ),
    output: Output = options.output(),
    dates: bool = options.flag("--dates", help="Also compare dates of creation and change."),
    order: bool = options.flag("--order", help="Also compare the order of questions, keywords and traits."),
    syntax: str | None = options.SYNTAX,
    quiet: bool = options.flag("-q", "--quiet", help="Print nothing; use the exit code."),
) -> None:
    """Show the differences between two checkpoints, whatever their dialects; exit with 1 if there are any."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.benchmark.changelog import changelog
    from checkpoint_ld.benchmark.difference import semantic_diff
    from checkpoint_ld.documents.text import dump_json

    if before == after == streams.STANDARD:
        raise SettingsError("both checkpoints cannot come from standard input: give a file for one of them")
    output.check(before, after)
    kind = kind or kind_of(output.file, _EXTENSIONS, "text")
    both = [streams.read_benchmark(path, syntax=syntax) for path in (before, after)]
    difference = semantic_diff(*both, dates=dates, order=order)
    is_silent = quiet and output.is_standard
    if not is_silent and kind == "json":
        output.write(dump_json(difference.as_json()) + b"\n")
    elif not is_silent and kind == "changelog":
        output.write_report(changelog(*both))
    elif not is_silent:
        output.write_report(f"{difference.to_markdown() if kind == 'markdown' else difference}\n")
    if difference:
        raise Exit(EXIT_FOUND)


def _decision(*, ours: bool, theirs: bool, interactive: bool) -> dict[str, Any]:
    if ours + theirs + interactive > 1:
        raise SettingsError("--ours, --theirs and --interactive exclude one another: give one of them")
    return {"prefer": "ours" if ours else "theirs" if theirs else None, "decide": _choose if interactive else None}


_DECISION: Any = options.CombinedOptions(
    _decision,
    ours=options.flag("--ours", help="In conflicts, take OURS."),
    theirs=options.flag("--theirs", help="In conflicts, take THEIRS."),
    interactive=options.flag("-i", "--interactive", help="Ask about each conflict: ours, theirs, or edit."),
)
"""The options for the decision of conflicts."""


@click.command(cls=Command)
def merge(
    *,
    files: tuple[str, ...] = options.argument(
        "[FILE]…",
        "BASE, the version that both sides started from, OURS, whose layout is kept, and THEIRS; one may be -, for "
        "standard input. With --continue and --abort: contested files, or none for all in the repository.",
        nargs=-1,
    ),
    output: Output = options.output(
        "The file to write; - for standard output. Conflicts are listed beside it, in FILE.conflicts.json."
    ),
    decision: dict[str, Any] = _DECISION,
    continues: bool = options.flag(
        "--continue", help="End undecided conflicts: by --ours, --theirs or --interactive, or as the files were edited."
    ),
    aborts: bool = options.flag("--abort", help="Take back the merge that left conflicts."),
    as_json: bool = options.JSON,
    syntax: str | None = options.SYNTAX,
    quiet: bool = options.QUIET,
) -> None:
    """Merge two edits of a checkpoint, in the terms of its authors; exit with 1 if they contradict."""
    if continues and aborts:
        raise SettingsError("--continue and --abort exclude one another: give one of them")
    if aborts:
        _abort(files, quiet=quiet)
    elif continues:
        _continue(files, decision, quiet=quiet)
    elif len(files) != 3:
        raise click.UsageError(f"Name BASE, OURS and THEIRS: three files, not {len(files)}.")
    else:
        _merge(files, output, decision, syntax, as_json=as_json, quiet=quiet)


def _merge(
    files: tuple[str, ...],
    output: Output,
    decision: dict[str, Any],
    syntax: str | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    from checkpoint_ld.families import contested, merging

    if files.count(streams.STANDARD) > 1:
        raise SettingsError("only one checkpoint can come from standard input: give files for the others")
    if as_json and output.is_standard:
        raise SettingsError("the checkpoint and the JSON cannot both go to standard output: name a file with --output")
    listed = None if output.is_standard else f"{output.file}{contested.EXTENSION}"
    streams.check_outputs(files, output.file, listed, force=output.force)
    names = "BASE", "OURS", "THEIRS"
    named = zip(names, files, strict=True)
    read = [merging.of_source(name, streams.read(file, syntax=syntax)) for name, file in named]
    merged = merging.merge_sources(*read, **decision)
    output.write(merged.content(None if output.is_standard else output.file))
    if listed is not None:
        versions = [str(Path(file).absolute()) for file in files if file != streams.STANDARD]
        contested.keep(Path(listed), merged, Path(output.file).read_bytes(), files=versions)
    if as_json:
        streams.show_json(merged.as_json())
    elif not quiet:
        streams.note_first([*map(str, merged.conflicts)], "more; --json lists them all")
        if not merged.is_clean:
            beside = f"; {listed} lists what is contested" if listed else ""
            streams.note(f"{counted(len(merged.conflicts), 'conflict')}: the result has OURS there{beside}")
    if not merged.is_clean:
        raise Exit(EXIT_FOUND)


def _contested(files: tuple[str, ...]) -> list[ConflictList]:
    """Return the lists of conflicts of files, or of all in the repository. Raises SettingsError if there are none."""
    from checkpoint_ld.documents.files import repository_of
    from checkpoint_ld.families import contested

    if not files:
        conflicts = [*contested.lists_in(repository_of(Path()))]
        if not conflicts:
            raise SettingsError(
                "no file of this repository is contested: name a file with a list of conflicts beside it"
            )
        return conflicts
    by_file = {file: contested.lists_of(Path(file)) for file in files}
    for file, lists in by_file.items():
        if not lists:
            raise SettingsError(f"{file}: no conflicts are undecided in it")
    return [each for lists in by_file.values() for each in lists]


def _continue(files: tuple[str, ...], decision: dict[str, Any], *, quiet: bool) -> None:
    from checkpoint_ld.families import git as setup

    for listed in _contested(files):
        merged = setup.settle(listed, **decision)
        if merged is not None and not merged.is_clean:
            raise SettingsError(f"{listed.file}: conflicts stay undecided")
        if not quiet:
            how = "decided" if decision["prefer"] or decision["decide"] else "taken as edited"
            streams.note(f"{listed.file}: {counted(listed.size, 'conflict')} {how}")


def _abort(files: tuple[str, ...], *, quiet: bool) -> None:
    from checkpoint_ld.documents.files import repository_of
    from checkpoint_ld.families import git as setup

    beside = [each for each in _contested(files) if each.path.parent == each.file.parent] if files else []
    for listed in beside:
        if not listed.is_untouched:
            raise SettingsError(f"{listed.file} was edited since the merge: remove it, and {listed.path}, yourself")
        listed.file.unlink()
        listed.path.unlink()
        if not quiet:
            streams.note(f"{listed.file} is removed, with the list of its conflicts")
    if not beside:
        word = setup.abandon(repository_of(Path(files[0]).parent if files else Path()))
        if not quiet:
            streams.note(f"the {word} is taken back")


_ANSWERS = ("ours", "o", "theirs", "t", "edit", "e")


def _choose(conflict: Conflict) -> Any:
    streams.note(str(conflict))
    while True:
        try:
            answer = click.prompt("which one stands", type=click.Choice(_ANSWERS), err=True)[0]
        except Abort:
            raise SettingsError("no decision about a conflict was made: nothing is written") from None
        if answer != "e":
            return conflict.ours if answer == "o" else conflict.theirs
        choice = _edited(conflict)
        if choice is not None:
            return choice[0]


def _edited(conflict: Conflict) -> tuple[Any] | None:
    """Return the edited value; None if it was not saved, is no JSON, or the editor fails."""
    from checkpoint_ld.documents.document import read_json
    from checkpoint_ld.documents.text import dump_json
    from checkpoint_ld.documents.values import ABSENT

    value = conflict.theirs if conflict.ours is ABSENT else conflict.ours
    try:
        if isinstance(value, str):
            text = click.edit(value, extension=".py" if "\n" in value else ".txt")
            return text if text is None else (text if value.endswith("\n") else text.removesuffix("\n"),)
        text = click.edit(dump_json(value).decode(), extension=".json")
        return None if text is None else (read_json(text.encode()).value,)
    except (click.ClickException, UnicodeError) as error:
        streams.note(f"the editor did not work: {error}; set VISUAL or EDITOR, or choose a side")
    except ReadError as error:
        streams.note(str(error))
    return None


_EVERYWHERE = options.flag("--global", help="For all repositories of this user, not for this clone alone.")


@click.group(cls=Group, no_args_is_help=True)
def git() -> None:
    """Set up git to compare and merge checkpoints in the terms of their authors."""


@git.command
def install(
    *,
    everywhere: bool = _EVERYWHERE,
    patterns: tuple[str, ...] = options.value(
        "--pattern", multiple=True, help="Files that are checkpoints, beside *.jsonld; may be repeated."
    ),
    unpacked: tuple[str, ...] = options.value(
        "--unpacked",
        multiple=True,
        metavar="FILE=DIR",
        help="A benchmark and the folder it is unpacked in: a commit is refused where they differ; may be repeated.",
    ),
) -> None:
    """Have git use checkpoint-ld for *.jsonld, the git-patterns of the configuration, and each pattern."""
    from checkpoint_ld.batch import configuration
    from checkpoint_ld.families import git as setup

    # The configuration of a project is for its own repository.
    own = () if everywhere else configuration.find(Path()).git_patterns
    pairs = dict(_pair(given) for given in unpacked)
    if pairs and everywhere:
        raise SettingsError("--unpacked is about the files of one clone: leave out --global")
    named = tuple(dict.fromkeys((*setup.PATTERNS, *own, *patterns)))
    file = setup.install(named, everywhere=everywhere, unpacked=pairs)
    streams.note(f"git compares and merges checkpoints by checkpoint-ld now; {file} says for which files")
    if not everywhere and not setup.is_hooked():
        streams.note(
            "your hook pre-commit stays as it is: let it call `checkpoint-ld git check`, which finds lost edits"
        )


def _pair(given: str) -> tuple[str, str]:
    """Return a file and its folder, as seen from the top of the repository."""
    from checkpoint_ld.documents.files import repository_of

    file, sign, folder = given.partition("=")
    if not sign or not file or not folder:
        raise SettingsError(f"--unpacked {given}: write FILE=DIR, such as metals.jsonld=metals")
    top = repository_of(Path())
    relative = (Path(os.path.relpath(Path(path).absolute(), top)).as_posix() for path in (file, folder))
    return next(relative), next(relative)


@git.command
def uninstall(*, everywhere: bool = _EVERYWHERE) -> None:
    """Remove only what install set up."""
    from checkpoint_ld.families import git as setup

    is_gone = setup.uninstall(everywhere=everywhere)
    streams.note("git compares and merges checkpoints line by line again" if is_gone else "nothing was installed")


@git.command
def check() -> None:
    """Look for undecided conflicts, and for benchmarks that differ from their folders; exit with 1 if there are any.

    The hook pre-commit calls this.
    """
    from checkpoint_ld.documents.files import repository_of
    from checkpoint_ld.families import contested
    from checkpoint_ld.families import git as setup

    top = repository_of(Path())
    findings = filter(None, (contested.finding_of(each.file) for each in contested.lists_in(top)))
    lines = [f"{each.place}: {each.severity.label}: {each.code} {each.message}; {each.remedy}" for each in findings]
    pairs = setup.unpacked_pairs(top)
    if pairs:
        from checkpoint_ld.families.benchmark_folder import require_pairs

        lines += require_pairs(pairs)
    for line in lines:
        streams.note(line)
    raise Exit(EXIT_FOUND if lines else 0)


@git.command(hidden=True)
def textconv(*, file: str = options.argument("FILE", "The file to show.")) -> None:
    """Print a checkpoint as lines that git compares; what is no checkpoint, as it is."""
    from checkpoint_ld import families
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.families.git import outline_of

    data, name = read_bytes(file)
    try:
        text = outline_of(families.examine_bytes(data, name)).encode()
    except ReadError:
        text = data
    sys.stdout.buffer.write(text)


@git.command("merge-file", hidden=True)
def merge_file(
    *,
    files: Any = click.Argument(["files"], nargs=3),
    size: Any = click.Argument(["size"]),
    path: Any = click.Argument(["path"]),
) -> None:
    """Merge three files for git, into the second one."""
    from checkpoint_ld.families import git as setup

    base, ours, theirs = files
    code, message = setup.merge_file(base, ours, theirs, size, path)
    if message:
        streams.note(message)
    raise Exit(code)
