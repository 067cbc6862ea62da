"""Objects that hold settings: the benchmark, questions and traits, sorted by the names of their settings.

Two thirds of the objects of a checkpoint are settings. What follows from their names is found out once for all holders
that have the same ones; their values are then looked at name by name.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.derivation.settings import SETTINGS, predicate_of
from checkpoint_ld.validation.sorts import SETTINGS_KEY, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.looking import Look
    from checkpoint_ld.validation.sorts import Sort

Names = tuple[tuple[str, ...], tuple[bool, ...]]
"""The names of the settings of an object, and of each whether it has no value, if there is any without."""


class Told(NamedTuple):
    """What follows from the names of settings: where those stand that count, and which ones stand there repeatedly.

    Of settings of one name the last one counts. One without a value says nothing.
    """

    at: tuple[tuple[str, int], ...]
    repeated: frozenset[str]


def holders(look: Look, sort: Sort, of_settings: Place) -> Iterator[tuple[Sort, Told]]:
    """Look at the settings of objects; yield these sorted by what follows from the names of their settings.

    What holds settings that are not as they should be is in doubt and left out.
    """
    if SETTINGS_KEY not in sort:
        yield sort, Told((), frozenset())
        return
    has_gaps = _settings(look, sort, of_settings)
    if not look.doubtful.isdisjoint(sort.owners):
        sort = sort.narrowed([row for row, owner in enumerate(sort.owners) if owner not in look.doubtful])
    lists = sort.column(SETTINGS_KEY)
    names = [tuple([one["name"] for one in settings]) for settings in lists]
    gaps: Sequence[tuple[bool, ...]] = [()] * len(names)
    if has_gaps:
        gaps = [tuple([one.get("value") is None for one in settings]) for settings in lists]
    role = of_settings.name.removesuffix("Setting")
    by_told: dict[Told, list[int]] = {}
    for key, rows in grouped(zip(names, gaps, strict=True)).items():
        by_told.setdefault(_told(key, role), []).extend(rows)
    for told, rows in by_told.items():
        yield sort.narrowed(rows, dict(told.at)), told


def _settings(look: Look, sort: Sort, of_settings: Place) -> bool:
    """Look at the settings of objects by themselves; tell whether any of them has no value."""
    has_gaps = False
    for settings in look.parts(sort, SETTINGS_KEY, of_settings):
        look.simple(settings)
        if "name" not in settings or set(map(type, settings.column("name"))) != {str}:
            look.doubtful.update(settings.owners)
        has_gaps = has_gaps or "value" not in settings or None in settings.column("value")
    return has_gaps


def _told(names: Names, role: str) -> Told:
    known = predicates(role)
    is_empty = names[1] or (False,) * len(names[0])
    last = {name: at for at, name in enumerate(names[0])}
    counted = tuple((name, at) for name, at in last.items() if name in known and not is_empty[at])
    repeated = [name for at, name in enumerate(names[0]) if last[name] != at]
    return Told(counted, frozenset(repeated))


@cache
def predicates(role: str) -> Mapping[str, Node]:
    """Return the properties that are derived from the settings of objects in a role, by the names of these."""
    return {name: predicate_of(name) for name in SETTINGS[role]}


def derived(told: Told, role: str) -> dict[str, Node]:
    """Return the properties that follow from settings, by the names of these."""
    known = predicates(role)
    return {name: known[name] for name, _ in told.at}
