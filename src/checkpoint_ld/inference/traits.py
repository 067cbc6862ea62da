"""Traits and other holders of settings: which kind of trait a rating is, and its settings as predicates."""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, TypeGuard

from rdflib import Literal, URIRef

from checkpoint_ld.checks.readings import number, numeric_text
from checkpoint_ld.checks.traits import DYNAMIC, Trait
from checkpoint_ld.graph.compaction import RESIDUE
from checkpoint_ld.graph.expansion import named
from checkpoint_ld.graph.literals import RDF_JSON, json_of, literal_of
from checkpoint_ld.graph.store import put
from checkpoint_ld.inference.statements import predicate_of
from checkpoint_ld.members import SETTINGS
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCOPES, TRAIT_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.inference.statements import Statements

BOUNDS = ("bestRating", "worstRating")

TELLING = frozenset(
    ("dynamic_trait_type", "kind", "min_score", "max_score", "classes", "context_mode", "evaluation_mode")
)
"""The settings that tell the classes of a trait, beside its type and its bounds."""

REPEATABLE = frozenset({"summary"})
"""The settings that a dynamic trait may have more than once."""

_NULL = literal_of(None, "@json")
_NAME, _VALUE = named(SCHEMA + "name"), named(SCHEMA + "value")
_NONE: frozenset[str] = frozenset()
_BOUNDS = tuple(named(SCHEMA + bound) for bound in BOUNDS)
_PREDICATES: Mapping[str, Mapping[str, Node]] = {
    role: {name: predicate_of(name) for name in names} for role, names in SETTINGS.items()
}

_FAMILIES = {"llm": "LLM", "regex": "Regex", "callable": "Callable", "metric": "Metric", "agentic": "Agentic"}


def say_rubrics(said: Statements, holders: Sequence[Node], role: str) -> None:
    """Say what follows about the traits of a benchmark or of questions; `role` is their class for their place."""
    rubrics = said.parts_of(holders, SCHEMA + "contentRating", "Trait", role)
    ratings = [rating for rubric in rubrics for rating in rubric]
    suffixes = [suffix_of(said.terms(rating, SCHEMA + "additionalType")) for rating in ratings]
    repeatable = [REPEATABLE if suffix == DYNAMIC else _NONE for suffix in suffixes]
    classes: dict[tuple[object, ...], list[str]] = {}
    for rating, suffix, values in zip(ratings, suffixes, say_settings(said, ratings, "Trait", repeatable), strict=True):
        if suffix is not None:
            bounds = _bounds(said, rating)
            telling = [(name, values[name]) for name in TELLING & values.keys()]
            # The terms of the graph and the bounds stay what they are meanwhile.
            key = suffix, id(bounds), *((name, id(value)) for name, value in telling)
            if key not in classes:
                classes[key] = classes_of(suffix, bounds, {name: json_value(value) for name, value in telling})
            said.are([rating], *classes[key])
    for rubric in rubrics:
        if len(rubric) > 1:
            said.repeated((rating, rubric_name(said, rating)) for rating in rubric)


def rubric_name(said: Statements, rating: Node) -> tuple[str, bool] | None:
    """Return the name of a trait, and whether it is one of a dynamic rubric, which has names of its own."""
    name = said.plain(rating, SCHEMA + "name")
    if not isinstance(name, str) or not name:
        return None
    return name, suffix_of(said.terms(rating, SCHEMA + "additionalType")) == DYNAMIC


def _bounds(said: Statements, rating: Node) -> Mapping[str, object]:
    """Return the JSON values of the bounds of a trait; those of traits that say alike are read once."""
    held = said.index.get(rating, {})
    terms = *map(held.get, _BOUNDS), held.get(RESIDUE)
    is_plain = all(one is None or isinstance(one, Literal) for one in terms)
    key = terms if is_plain else (rating,)
    found = said.bounds.get(key)
    if found is None:
        found = said.bounds[key] = said.members(rating, *BOUNDS)
    return found


def classes_of(suffix: str, bounds: Mapping[str, object], values: Mapping[str, object]) -> list[str]:
    """Return the classes of a trait whose type, without its scope, is `suffix`.

    `bounds` are the JSON values of its members `BOUNDS`, `values` those of its settings.
    """
    return [f"{role}Trait" for role in _roles(Trait(suffix, bounds, values))]


def say_settings(
    said: Statements, holders: Sequence[Node], role: str, may_repeat: Iterable[frozenset[str]] = repeat(_NONE)
) -> Iterator[Mapping[str, Node | None]]:
    """Say the settings of objects as predicates; yield them by name, of repeated ones the last.

    `may_repeat` are the names that each object may have more than once.
    """
    index, known = said.index, _PREDICATES[role]
    settings = said.parts_of(holders, SCHEMA + "additionalProperty", "Setting", f"{role}Setting")
    for holder, nodes, repeatable in zip(holders, settings, may_repeat, strict=False):
        names = _named(said, nodes)
        if len({name for _, name in names}) < len(names):
            names = _named(said, said.reader.in_order(nodes))
            said.repeated((node, name if name not in repeatable else None) for node, name in names)
        values: dict[str, Node | None] = {}
        for node, name in names:
            if isinstance(name, str):
                told = index[node].get(_VALUE)
                values[name] = told[0] if isinstance(told, list) else told
                if told is None and not may_lack_value(name, role):
                    said.is_a(node, "ValuelessSetting")
        for name, value in values.items():
            if name in known and is_told(value):
                put(said.found, holder, known[name], value)
        yield values


def _named(said: Statements, nodes: Iterable[Node]) -> list[tuple[Node, object]]:
    """Return the names of settings."""
    found: list[tuple[Node, object]] = []
    for node in nodes:
        name = said.index[node].get(_NAME)
        is_text = type(name) is Literal and name._datatype is None and name._language is None  # noqa: SLF001 - this is asked of every setting, and the properties take longer
        found.append((node, str(name) if is_text else said.plain(node, SCHEMA + "name")))
    return found


def may_lack_value(name: str, role: str) -> bool:
    """Tell whether a setting is usual without a value: Karenina leaves null out where a trait has no direction."""
    return role == "Trait" and name == "higher_is_better"


def is_told(value: Node | None) -> TypeGuard[Node]:
    """Tell whether a setting says anything; null counts as absent."""
    return value is not None and not (isinstance(value, Literal) and len(value) == 4 and value == _NULL)


def json_value(term: Node | None) -> object:
    """Return the JSON value of a setting, None for one that has no value or an object."""
    if not isinstance(term, Literal):
        return None
    return json_of(term, "@json" if term.datatype == RDF_JSON else None)


def _roles(trait: Trait) -> Iterator[str]:
    """Yield the classes that a trait belongs to, without the word Trait."""
    yield "Known"
    if trait.suffix == DYNAMIC:
        yield "Dynamic"
    if trait.family is not None:
        yield _FAMILIES[trait.family]
    if trait.kind is not None:
        yield trait.kind.capitalize()
    if trait.family in ("llm", "agentic", "callable") and "classes" in trait.settings and trait.kind != "literal":
        yield "Classed"
    yield "Implied" if trait.implies_range else "Unimplied"
    best, worst = (_bound(trait.members.get(member)) for member in ("bestRating", "worstRating"))
    if trait.kind not in {"literal", "template"} and best is not None and worst is not None:
        yield "Ranged"
        if worst < best and (trait.kind == "score" or trait.claims_a_score):
            yield "Bounded"
    if trait.family == "agentic" and trait.settings.get("context_mode") == "workspace_only":
        yield "WorkspaceOnly"
    mode = trait.settings.get("evaluation_mode")
    if trait.family == "metric" and mode in (None, "tp_only", "full_matrix"):
        yield "FullMatrix" if mode == "full_matrix" else "TpOnly"


def _bound(value: object) -> float | None:
    return number(value) if number(value) is not None else numeric_text(value)


def suffix_of(types: Iterable[Node]) -> str | None:
    """Return the trait type among `types` without its scope."""
    return next((suffix for one in types if (suffix := _suffix(one, isinstance(one, URIRef))) is not None), None)


@lru_cache(maxsize=256)
def _suffix(one: Node, is_name: bool) -> str | None:
    name = str(one).removeprefix(KARENINA)
    found = (name.removeprefix(scope) for scope in SCOPES if is_name and name.startswith(scope))
    return next((suffix for suffix in found if suffix in TRAIT_SUFFIXES), None)
