"""Traits: sorted by what tells their kind, so that the shapes are asked once about all that are alike in this."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.checks.traits import DYNAMIC
from checkpoint_ld.derivation.settings import predicate_of
from checkpoint_ld.derivation.traits import BOUNDS, REPEATABLE, TELLING, classes_of, suffix_of
from checkpoint_ld.graph.alike import grouped
from checkpoint_ld.graph.expansion import named
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.validation.holders import derived, holders
from checkpoint_ld.validation.kinds import TRAIT_SETTING
from checkpoint_ld.validation.looking import Same
from checkpoint_ld.validation.usual import AS_THEY_STAND, CONTAINERS
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan, Plans
    from checkpoint_ld.graph.plans import Plan as Meaning
    from checkpoint_ld.validation.looking import Look
    from checkpoint_ld.validation.sorts import Sort

Name = tuple[str, bool]
"""The name of a trait, and whether it is one of a dynamic rubric, which has names of its own."""

Entry = tuple[str, type, object]
"""The name, the type and the value of what tells the kind of a trait; of an object or array only that it is one."""


class TraitKind(NamedTuple):
    """What tells the kind of a trait: its type, its bounds and some of its settings."""

    type: str | None
    bounds: tuple[Entry, ...]
    settings: tuple[Entry, ...]


_TYPE = "additionalType"
_PREDICATES = {one: named(SCHEMA + one) for one in (_TYPE, *BOUNDS)} | {one: predicate_of(one) for one in TELLING}


def traits(look: Look, sorts: Sequence[Sort], plans: Plans) -> Iterator[tuple[int, Name]]:
    """Look at traits and at their settings; yield the owner and the name of each that has one."""
    for held, told in holders(look, sorts, TRAIT_SETTING):
        for alike, kind in _alike(held):
            suffix = None if kind.type is None else _suffix(kind.type, plans)
            if told.repeated and not (suffix == DYNAMIC and told.repeated <= REPEATABLE):
                look.doubtful.update(alike.owners)
            else:
                classes, same = _classes_of(suffix, kind)
                look.at(alike, alike.pattern.plan(derived(told, "Trait"), classes), Same(same, kind))
            if "name" in alike:
                names = ((one, suffix == DYNAMIC) for one in alike.column("name"))
                yield from zip(alike.owners, names, strict=True)


def _alike(sort: Sort) -> Iterator[tuple[Sort, TraitKind]]:
    """Yield traits sorted by what tells their kind."""
    bounds = [(one, sort.column(one)) for one in BOUNDS if one in sort]
    settings = [(one, sort.derived(one)) for one in sort.at if one in TELLING]
    types: Sequence[Any] = sort.column(_TYPE) if _TYPE in sort else [None] * len(sort.objects)
    told = (_told_by(values) for _, values in (*bounds, *settings))
    for _, rows in grouped(list(zip(types, *told, strict=True))):
        first = rows[0]
        entries = (tuple([_entry(name, values[first]) for name, values in part]) for part in (bounds, settings))
        yield sort.narrowed(rows), TraitKind(types[first], *entries)


def _told_by(values: Sequence[Any]) -> Sequence[Any]:
    """Return what tells values apart, with their types; of an object or array it only matters that it is one."""
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds.isdisjoint(CONTAINERS):
        return values
    return [(type(one), None if type(one) in CONTAINERS else one) for one in values]


def _entry(name: str, value: Any) -> Entry:
    kind = type(value)
    return name, kind, None if kind in CONTAINERS else value


@lru_cache(maxsize=1024)
def _suffix(kind: str, plans: Plans) -> str | None:
    """Return the trait type that a name stands for. Raises NotCoveredError for what JSON-LD alone can tell."""
    return suffix_of([plans.name(kind)[0]])


@lru_cache(maxsize=1024)
def _classes_of(suffix: str | None, told_by: TraitKind) -> tuple[tuple[str, ...], frozenset[Node]]:
    """Return the classes of traits, and the properties for which all that are alike have the same value."""
    told = [
        {name: kind() if kind in CONTAINERS else value for name, kind, value in part}
        for part in (told_by.bounds, told_by.settings)
    ]
    various = {name for name, kind, _ in told_by.settings if kind in CONTAINERS}
    same = frozenset(predicate for name, predicate in _PREDICATES.items() if name not in various)
    return () if suffix is None else tuple(classes_of(suffix, *told)), same


def global_names(ratings: object, via: KeyPlan | None, around: Meaning, plans: Plans) -> set[Name] | None:
    """Return the names of global traits, be they sound or not; None where it is not certain what they are."""
    if via is None:
        return set()
    found: set[Name] = set()
    for rating in ratings if isinstance(ratings, list) else [None]:
        if not isinstance(rating, dict):
            return None
        kind = rating.get("@type")
        if not isinstance(kind, str) or not isinstance(rating.get(_TYPE, ""), str):
            return None
        try:
            plans.at(kind, via.term, around).members(tuple(rating))
            suffix = _suffix(rating[_TYPE], plans) if _TYPE in rating else None
        except NotCoveredError:
            return None
        name = rating.get("name")
        if type(name) not in AS_THEY_STAND[Reading.PLAIN] and name is not None:
            return None
        if isinstance(name, str):
            found.add((name, suffix == DYNAMIC))
    return found
