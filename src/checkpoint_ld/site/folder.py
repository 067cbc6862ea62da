"""A folder of generated files, charts among them: it appears whole, and replaces none but those generated before."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections import Counter
from importlib.util import find_spec
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from checkpoint_ld import plots
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import SettingsError, TargetExistsError, TargetUnwritableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.figure import Figure

    from checkpoint_ld.site.contents import Collection

LIST = ".checkpoint-ld-site.json"
"""The file that lists what was generated, so that the next site can take away what it has no more."""


@contextlib.contextmanager
def replaced(folder: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """Give an empty folder whose files are those of `folder` at the end, unless an exception comes in between.

    Raises TargetExistsError for a folder that is not empty if `overwrite` is false, TargetUnwritableError.
    """
    target = Path(os.path.realpath(folder))
    try:
        is_new = not target.exists() or (target.is_dir() and not any(target.iterdir()))
        if not is_new and not overwrite:
            remedy = "choose another folder, or replace the site in it with --force (in Python with overwrite=True)"
            raise TargetExistsError(f"{os.fspath(folder)}: exists already, and is not empty; {remedy}")
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".site-", dir=target.parent))
        try:
            yield made
            files = sorted(one.relative_to(made).as_posix() for one in made.rglob("*") if one.is_file())
            (made / LIST).write_text(json.dumps(files, indent=0), encoding="utf-8")
            if is_new:
                made.chmod(0o777 & ~_umask())
                made.replace(target)
            else:
                _merge(made, target, files)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        if isinstance(error, TargetExistsError | TargetUnwritableError):
            raise
        reason = error.strerror or str(error)
        raise TargetUnwritableError(
            f"{os.fspath(folder)}: cannot be written: {reason}; choose another folder"
        ) from error


def _merge(made: Path, target: Path, files: list[str]) -> None:
    """Move files into a folder that is there, each whole; take away what an older site had there and this one has not.

    The overview comes last: who follows its links finds the pages.
    """
    old = _listed(target)
    for name in sorted(files, key=lambda one: one == "index.html"):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).replace(target / name)
    gone = [target / name for name in old - set(files)]
    for one in gone:
        one.unlink(missing_ok=True)
    above = {folder for one in gone for folder in one.parents if target in folder.parents}
    for folder in sorted(above, key=lambda one: -len(one.parts)):
        with contextlib.suppress(OSError):  # others have files there
            folder.rmdir()
    replace_file(target / LIST, (made / LIST).read_bytes())


def _listed(target: Path) -> set[str]:
    """Return the files of an older site, without those that somebody listed and that are elsewhere."""
    try:
        names = json.loads((target / LIST).read_bytes())
    except (OSError, ValueError):
        return set()
    texts = [one for one in names if isinstance(one, str) and one] if isinstance(names, list) else []
    inside = (one for one in texts if not PurePosixPath(one).is_absolute() and "\\" not in one and ":" not in one)
    return {one for one in inside if (target / one).parent.resolve().is_relative_to(target) and ".." not in one}


def _umask() -> int:
    os.umask(mask := os.umask(0))
    return mask


_FOLDER = "charts"


def drawn(one: Collection, folder: Path) -> Iterator[tuple[str, str]]:
    """Write the charts that there is something to draw in; yield the file and the title of each.

    Without Matplotlib there are none.
    """
    if find_spec("matplotlib") is None:
        return
    for name, draw in _charts(one):
        try:
            figure = draw()
        except SettingsError:  # nothing to draw, such as no keywords
            continue
        file = folder / _FOLDER / f"{name}.svg"
        file.parent.mkdir(exist_ok=True)
        file.write_text(plots.svg(figure), encoding="utf-8")
        yield f"{_FOLDER}/{file.name}", figure.get_suptitle()


def _charts(one: Collection) -> Iterator[tuple[str, Callable[[], Figure]]]:
    benchmark = one.newest.benchmark
    yield "readiness", lambda: plots.readiness(benchmark)
    yield "traits", lambda: plots.trait_coverage(benchmark)
    yield "keywords", lambda: plots.keywords(benchmark)
    yield "lengths", lambda: plots.lengths(benchmark)
    found = [*chain.from_iterable(one.answers.values())]
    if found:
        models = Counter(each.answer.model_name for each in found if each.answer.model_name)
        yield "models", lambda: plots.pass_rates(found)
        yield "questions", lambda: plots.pass_rates(found, by="question")
        if len(models) > 1:
            (first, _), (second, _) = models.most_common(2)
            runs = [[each for each in found if each.answer.model_name == model] for model in (first, second)]
            yield "comparison", lambda: plots.comparison(*runs, names=(first, second))
