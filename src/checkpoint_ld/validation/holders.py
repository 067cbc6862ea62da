"""Objects that hold settings: the benchmark, questions and traits, sorted by the names of their settings.

Two thirds of the objects of a checkpoint are settings. What follows from their names is found out once for all holders
that have the same ones; their values are then looked at name by name.
"""

from __future__ import annotations

from functools import cache, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.derivation.settings import SETTINGS, predicate_of
from checkpoint_ld.derivation.traits import may_lack_value
from checkpoint_ld.graph.alike import grouped
from checkpoint_ld.validation.sorts import SETTINGS_KEY
from checkpoint_ld.validation.usual import TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from rdflib.term import Node

    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.looking import Look
    from checkpoint_ld.validation.sorts import Sort


_Names = tuple[str, ...]
_Gaps = tuple[bool, ...]
_NAME = itemgetter("name")


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
    gapped = _settings(look, sorts, of_settings)
    role = of_settings.name.removesuffix("Setting")
    for sort in sorts:
        if SETTINGS_KEY not in sort:
            yield sort, Told((), frozenset())
            continue
        usual = sort
        if not look.doubtful.isdisjoint(sort.owners):
            usual = sort.narrowed([row for row, owner in enumerate(sort.owners) if owner not in look.doubtful])
        by_told: dict[Told, list[int]] = {}
        for (names, gaps), rows in _by_names(usual, gapped):
            by_told.setdefault(_told(names, gaps, role), []).extend(rows)
        for told, rows in by_told.items():
            yield usual.narrowed(rows, dict(told.at)), told


def _by_names(sort: Sort, gapped: AbstractSet[int]) -> Iterable[tuple[tuple[_Names, _Gaps], Sequence[int]]]:
    """Return the names of the settings of objects, and which of these have no value, each with the rows that hold it.

    Owners that are not `gapped` have no settings without a value, and need not be asked.
    """
    lists = sort.column(SETTINGS_KEY)
    names = [tuple(map(_NAME, settings)) for settings in lists]
    if gapped.isdisjoint(sort.owners):
        return [((key, ()), rows) for key, rows in grouped(names)]
    told = zip(sort.owners, lists, strict=True)
    gaps = [
        tuple([one.get("value") is None for one in settings]) if owner in gapped else () for owner, settings in told
    ]
    return grouped(list(zip(names, gaps, strict=True)))


def _settings(look: Look, sorts: Sequence[Sort], of_settings: Place) -> set[int]:
    """Look at the settings of objects by themselves; return the owners of those that have no value."""
    role = of_settings.name.removesuffix("Setting")
    found = list(look.parts(sorts, SETTINGS_KEY, of_settings))
    look.simple(found)
    gapped: set[int] = set()
    for settings in found:
        names = settings.column("name") if "name" in settings else [None] * len(settings.owners)
        if not TEXTS.issuperset(map(type, names)):
            told = zip(names, settings.owners, strict=True)
            look.doubtful.update(owner for name, owner in told if type(name) is not str)
        if "value" not in settings:
            gapped.update(settings.owners)
            told = zip(names, settings.owners, strict=True)
            look.doubtful.update(owner for name, owner in told if not may_lack_value(name, role))
        elif None in settings.column("value"):
            told = zip(settings.column("value"), settings.owners, strict=True)
            gapped.update(owner for value, owner in told if value is None)
    return gapped


@lru_cache(maxsize=1024)
def _told(names: _Names, gaps: _Gaps, role: str) -> Told:
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
