"""Objects that hold settings: the benchmark, questions and traits, sorted by the names of their settings.

Two thirds of the objects of a checkpoint are settings. What follows from their names is found out once for all holders
that have the same ones; their values are then looked at name by name.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.derivation.settings import SETTINGS, predicate_of
from checkpoint_ld.graph.alike import grouped
from checkpoint_ld.validation.sorts import SETTINGS_KEY
from checkpoint_ld.validation.usual import TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.looking import Look
    from checkpoint_ld.validation.sorts import Sort


class Told(NamedTuple):
    """What follows from the names of settings: where those stand that count, and which ones stand there repeatedly.

    Of settings of one name the last one counts. One without a value says nothing.
    """

    at: tuple[tuple[str, int], ...]
    repeated: frozenset[str]


def holders(look: Look, sorts: Sequence[Sort], of_settings: Place) -> Iterator[tuple[Sort, Told]]:
    """Look at the settings of objects; yield these sorted by what follows from the names of their settings.

    What holds settings that are not as they should be is in doubt and left out.
    """
    has_gaps = _settings(look, sorts, of_settings)
    role = of_settings.name.removesuffix("Setting")
    for sort in sorts:
        if SETTINGS_KEY not in sort:
            yield sort, Told((), frozenset())
            continue
        usual = sort
        if not look.doubtful.isdisjoint(sort.owners):
            usual = sort.narrowed([row for row, owner in enumerate(sort.owners) if owner not in look.doubtful])
        lists = usual.column(SETTINGS_KEY)
        names = [tuple([one["name"] for one in settings]) for settings in lists]
        gaps: list[tuple[bool, ...]] = []
        if has_gaps:
            gaps = [tuple([one.get("value") is None for one in settings]) for settings in lists]
        by_told: dict[Told, list[int]] = {}
        for key, rows in grouped(list(zip(names, gaps, strict=True)) if gaps else names):
            by_told.setdefault(_told(*(key if gaps else (key, ())), role), []).extend(rows)
        for told, rows in by_told.items():
            yield usual.narrowed(rows, dict(told.at)), told


def _settings(look: Look, sorts: Sequence[Sort], of_settings: Place) -> bool:
    """Look at the settings of objects by themselves; tell whether any of them has no value."""
    found = list(look.parts(sorts, SETTINGS_KEY, of_settings))
    look.simple(found)
    for settings in found:
        names = settings.column("name") if "name" in settings else [None] * len(settings.owners)
        if not TEXTS.issuperset(map(type, names)):
            told = zip(names, settings.owners, strict=True)
            look.doubtful.update(owner for name, owner in told if type(name) is not str)
    return any("value" not in one or None in one.column("value") for one in found)


@lru_cache(maxsize=1024)
def _told(names: tuple[str, ...], gaps: tuple[bool, ...], role: str) -> Told:
    """Return what follows from the names of settings; `gaps` tell which have no value, if there are any without."""
    known = predicates(role)
    last = {name: at for at, name in enumerate(names)}
    counted = tuple((name, at) for name, at in last.items() if name in known and not (gaps and gaps[at]))
    return Told(counted, frozenset(name for at, name in enumerate(names) if last[name] != at))


@cache
def predicates(role: str) -> Mapping[str, Node]:
    """Return the properties that are derived from the settings of objects in a role, by the names of these."""
    return {name: predicate_of(name) for name in SETTINGS[role]}


@lru_cache(maxsize=1024)
def derived(told: Told, role: str) -> Mapping[str, Node]:
    """Return the properties that follow from settings, by the names of these."""
    known = predicates(role)
    return {name: known[name] for name, _ in told.at}
