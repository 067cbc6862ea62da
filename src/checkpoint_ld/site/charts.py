"""The charts of a benchmark's page, as files beside it."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING

from checkpoint_ld import plots
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from matplotlib.figure import Figure

    from checkpoint_ld.site.contents import Collection

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
