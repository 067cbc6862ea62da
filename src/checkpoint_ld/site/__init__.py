"""A site: benchmarks and runs of agents as static pages that need no server and fetch nothing.

`write_site` reads the sources into `contents.Contents`, and writes the pages that `pages.Pages` renders from them.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.documents.files import no_path, replace_file, temporary_folder
from checkpoint_ld.errors import SettingsError, TargetExistsError, TargetUnwritableError
from checkpoint_ld.graph.literals import is_iri
from checkpoint_ld.site.contents import Contents
from checkpoint_ld.site.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.benchmark import Benchmark


class Site(NamedTuple):
    """A site that was written: the numbers of its parts, and remarks for its author, a sentence each."""

    folder: str
    benchmarks: int
    questions: int
    runs: int
    pages: int
    remarks: tuple[str, ...] = ()


def write_site(  # noqa: PLR0913 - all but the first two are named
    sources: Iterable[str | os.PathLike[str] | bytes | Benchmark | AgentCheckpoint],
    folder: str | os.PathLike[str],
    *,
    answers: Iterable[str | os.PathLike[str]] = (),
    title: str = "Benchmarks",
    url: str | None = None,
    syntax: str | None = None,
    overwrite: bool = False,
) -> Site:
    """Write pages about benchmarks and runs of agents into a folder, for a browser to open from there.

    Benchmarks with one identifier are versions of one: their differences are its history, the newest has the pages.
    `answers` are files of recorded answers, which are assessed as by `assess`. With `url`, the future address of the
    site, pages name their own address, and there is a `sitemap.xml`. `syntax` is that of `load`. Pages hold their
    content as schema.org JSON-LD too. Values that look like secrets are withheld, and so are the files that would hold
    them.

    The folder appears whole or not at all. With `overwrite`, files of an older site are replaced one by one, obsolete
    ones are removed, and others stay. Raises SettingsError where there is nothing to show, where answers are
    about other questions, and without the extra `site`; TargetExistsError for a folder with something in it;
    TargetUnwritableError; and what `load` raises.
    """
    if url is not None and not (url.startswith(("https://", "http://")) and is_iri(url)):
        raise SettingsError(f"{url!r} is no address of a site: give one such as https://bench.example.org/")
    pages = Pages(title, url)
    contents = Contents(sources, syntax)
    if not contents.collections and not contents.runs:
        raise SettingsError("there is nothing to show on a site: give at least one checkpoint")
    for file in answers:
        contents.hold(file)
    with _replaced(folder, overwrite=overwrite) as target:
        pages.write(contents, target)
    questions = sum(len(collection.newest.content.questions) for collection in contents.collections)
    return Site(
        os.fspath(folder), len(contents.collections), questions, len(contents.runs), pages.count, contents.remarks
    )


LIST = ".checkpoint-ld-site.json"
"""The file that lists the generated files, so that the next site can remove obsolete ones."""


@contextlib.contextmanager
def _replaced(folder: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """Give an empty folder whose files replace those of `folder` at the end, unless there is an exception.

    Raises TargetExistsError for a folder that is not empty if `overwrite` is false, TargetUnwritableError, and
    SettingsError for a text that is no path.
    """
    try:
        target = Path(os.path.realpath(folder))
    except ValueError:  # U+0000, or half a surrogate pair
        raise no_path(os.fspath(folder), "folder") from None
    try:
        is_new = not target.exists() or (target.is_dir() and not any(target.iterdir()))
        if not is_new and not overwrite:
            remedy = "choose another folder, or replace the site in it with --force (in Python with overwrite=True)"
            raise TargetExistsError(f"{os.fspath(folder)}: exists already, and is not empty; {remedy}")
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder(target) as made:
            yield made
            files = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
            (made / LIST).write_text(json.dumps(files, indent=0), encoding="utf-8")
            if is_new:
                made.replace(target)
            else:
                _merge(made, target, files)
    except OSError as error:
        if isinstance(error, TargetExistsError | TargetUnwritableError):
            raise
        message = f"{os.fspath(folder)}: cannot be written: {error.strerror or error}; choose another folder"
        raise TargetUnwritableError.of(message, error) from error


def _merge(made: Path, target: Path, files: list[str]) -> None:
    """Move files into an existing folder, each whole, and remove the obsolete files of an older site.

    The overview comes last, so that its links lead to pages that exist.
    """
    old = _listed(target)
    for name in sorted(files, key=lambda file: file == "index.html"):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).replace(target / name)
    gone = [target / name for name in old - set(files)]
    for path in gone:
        path.unlink(missing_ok=True)
    above = {folder for path in gone for folder in path.parents if target in folder.parents}
    for folder in sorted(above, key=lambda path: -len(path.parts)):
        with contextlib.suppress(OSError):  # others have files there
            folder.rmdir()
    replace_file(target / LIST, (made / LIST).read_bytes())


def _listed(target: Path) -> set[str]:
    """Return the files of an older site, without listed paths that lead out of the folder."""
    try:
        names = json.loads((target / LIST).read_bytes())
    except (OSError, ValueError):
        return set()
    texts = [name for name in names if isinstance(name, str) and name] if isinstance(names, list) else []
    inside = (text for text in texts if not PurePosixPath(text).is_absolute() and "\\" not in text and ":" not in text)
    return {text for text in inside if (target / text).parent.resolve().is_relative_to(target) and ".." not in text}
