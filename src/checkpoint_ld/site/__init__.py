"""A site: benchmarks and runs of agents as static pages that need no server and fetch nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.arguments import checked
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph.literals import is_iri
from checkpoint_ld.site.contents import Contents
from checkpoint_ld.site.folder import replaced
from checkpoint_ld.site.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.benchmark import Benchmark


class Site(NamedTuple):
    """A site that was written: how many there are of each, and what its author should know, a sentence each."""

    folder: str
    benchmarks: int
    questions: int
    runs: int
    pages: int
    remarks: tuple[str, ...] = ()


@checked
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
    `answers` are files of recorded answers, which `assess` holds against the questions. With `url`, where the site will
    be, pages name their own address, and there is a `sitemap.xml`. `syntax` is that of `load`. Pages carry what they
    show as schema.org JSON-LD too. What looks like a secret is withheld, and so are the files that would hold it.

    The folder appears whole or not at all. With `overwrite`, files of an older site are replaced one by one, those that
    are no longer needed go, and others stay. Raises SettingsError where there is nothing to show, where answers are
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
    with replaced(folder, overwrite=overwrite) as target:
        pages.write(contents, target)
    questions = sum(len(one.newest.content.questions) for one in contents.collections)
    return Site(
        os.fspath(folder), len(contents.collections), questions, len(contents.runs), pages.count, contents.remarks
    )
