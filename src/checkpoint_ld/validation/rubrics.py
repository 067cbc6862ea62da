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


class TraitKind(NamedTuple):
    """What tells the kind of a trait: its bounds and some of its settings, by name, and `told`, its type before these.

    `types` are those of their values. They are None where the traits of a sort differ in this; then each value stands
    with its type in `told`. Of an object or array it only counts that it is one: None stands for it.
    """

    bounds: tuple[str, ...]
    settings: tuple[str, ...]
    types: tuple[type | None, ...]
    told: tuple[Any, ...]


_TYPE = "additionalType"
_PREDICATES = {one: named(SCHEMA + one) for one in (_TYPE, *BOUNDS)} | {one: predicate_of(one) for one in TELLING}


def traits(look: Look, sorts: Sequence[Sort], plans: Plans) -> Iterator[tuple[int, Name]]:
    """Look at traits and at their settings; yield the owner and the name of each that has one."""
    for held, told in holders(look, sorts, TRAIT_SETTING):
        for alike, kind in _alike(held):
            suffix = None if kind.told[0] is None else _suffix(kind.told[0], plans)
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
    bounds = tuple([one for one in BOUNDS if one in sort.by_key])
    settings = tuple([one for one in sort.at if one in TELLING])
    columns = [*map(sort.column, bounds), *map(sort.derived, settings)]
    kinds: Sequence[Any] = sort.column(_TYPE) if _TYPE in sort else [None] * len(sort.objects)
    types, told = zip((None, kinds), *map(_told_by, columns), strict=True)
    for key, rows in grouped(list(zip(*told, strict=True))):
        yield sort.narrowed(rows), TraitKind(bounds, settings, types[1:], key)


def _told_by(values: Sequence[Any]) -> tuple[type | None, Sequence[Any]]:
    """Return the type of values and what tells these apart; None and both of each where there are several types."""
    kinds = set(map(type, values))
    if len(kinds) > 1:
        return None, [(type(one), None if type(one) in CONTAINERS else one) for one in values]
    [kind] = kinds
    return kind, [None] * len(values) if kind in CONTAINERS else values


@lru_cache(maxsize=1024)
def _suffix(kind: str, plans: Plans) -> str | None:
    """Return the trait type that a name stands for. Raises NotCoveredError for what JSON-LD alone can tell."""
    return suffix_of([plans.name(kind)[0]])


@lru_cache(maxsize=1024)
def _classes_of(suffix: str | None, kind: TraitKind) -> tuple[tuple[str, ...], frozenset[Node]]:
    """Return the classes of traits, and the properties for which all that are alike have the same value."""
    names = (*kind.bounds, *kind.settings)
    typed = [told if one is None else (one, told) for one, told in zip(kind.types, kind.told[1:], strict=True)]
    told = {name: one() if one in CONTAINERS else value for name, (one, value) in zip(names, typed, strict=True)}
    various = {name for name, (one, _) in zip(names, typed, strict=True) if one in CONTAINERS}
    same = frozenset(predicate for name, predicate in _PREDICATES.items() if name not in various)
    if suffix is None:
        return (), same
    bounds, settings = ({name: told[name] for name in part} for part in (kind.bounds, kind.settings))
    return tuple(classes_of(suffix, bounds, settings)), same


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
