"""Checks on ratings, the rubric traits of a benchmark or of a question: name, type, scope and range."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from checkpoint_ld.checks.properties import read_properties
from checkpoint_ld.checks.readings import given, local_name, number, numeric_text, shown
from checkpoint_ld.checks.settings import PlacedTrait, check_settings, unquoted
from checkpoint_ld.checks.traits import DYNAMIC
from checkpoint_ld.vocabulary import SCOPES, TRAIT_TYPES

if TYPE_CHECKING:
    from checkpoint_ld.checks.spot import Spot

GLOBAL_SCOPE, QUESTION_SCOPE = SCOPES

_RULES = {"bestRating": "trait-best", "worstRating": "trait-worst"}

_LONGEST_TYPE = 80
"""difflib is quadratic, and longer texts resemble no type name anyway."""


def check_rubric(spot: Spot, ratings: object, scope: str) -> None:
    """Check the ratings of the root (`scope` Global) or of a question (`scope` QuestionSpecific)."""
    static_names: set[str] = set()
    dynamic_names: set[str] = set()
    for place, rating in spot.entries(ratings):
        if not isinstance(rating, dict):
            place.report("trait-object", f"the rating is {shown(rating)}", "write the rating as an object")
            continue
        name, said_type = rating.get("name"), rating.get("additionalType")
        trait_type = _known_type(said_type)
        about = place.about("trait", name)
        # Dynamic traits make up a rubric of their own.
        names = dynamic_names if trait_type is not None and trait_type.endswith(DYNAMIC) else static_names
        _check_name(about, name, names)
        _check_scope(about, said_type, trait_type, scope)
        properties = read_properties(about.at("additionalProperty"), rating.get("additionalProperty"))
        properties.repeated.pop("summary", None)  # Karenina writes the summary of a dynamic trait twice
        properties.report_repeated(about)
        if trait_type is not None:
            suffix = trait_type.removeprefix(GLOBAL_SCOPE).removeprefix(QUESTION_SCOPE)
            trait = PlacedTrait(suffix, rating, unquoted(properties.values, about), about)
            _check_range(trait)
            check_settings(trait)


def _known_type(additional_type: object) -> str | None:
    name = local_name(additional_type)
    return name if isinstance(name, str) and name in TRAIT_TYPES else None


def _check_name(spot: Spot, name: object, seen: set[str]) -> None:
    if not isinstance(name, str) or not name:
        spot.at("name").report("trait-name", f"the name of the trait is {given(name)}", "give the trait a name")
        return
    if "." in name:
        spot.at("name").report("trait-name-dot", f"the trait name {shown(name)} has a dot")
    if name in seen:
        spot.at("name").report("trait-name-duplicate", f"the rubric has another trait {shown(name)}")
    seen.add(name)


def _check_scope(spot: Spot, additional_type: object, known: str | None, scope: str) -> None:
    if known is not None and known.startswith(scope):
        return
    spot = spot.at("additionalType")
    if known is None:
        fault = "no type" if additional_type is None else f"unknown type {shown(additional_type)}"
        spot.report("trait-type", fault, _nearest_type(additional_type, scope))
    elif scope == GLOBAL_SCOPE:
        spot.report("trait-scope-root", f"the type {shown(additional_type)} stands at the root")
    else:
        spot.report("trait-scope-question", f"the type {shown(additional_type)} stands inside a question")


def _nearest_type(additional_type: object, scope: str) -> str:
    name = local_name(additional_type)
    if isinstance(name, str) and len(name) <= _LONGEST_TYPE:
        near = difflib.get_close_matches(name, TRAIT_TYPES, n=1)
        if near:
            return f"did you mean karenina:{near[0]}?"
    return f"use one of {', '.join(f'karenina:{known}' for known in TRAIT_TYPES if known.startswith(scope))}"


def _check_range(trait: PlacedTrait) -> None:
    best, worst = _bound(trait, "bestRating"), _bound(trait, "worstRating")
    if best is None or worst is None or trait.kind in {"literal", "template"}:
        return
    if worst >= best:
        trait.spot.report("rating-range", f"worstRating {shown(worst)} is not below bestRating {shown(best)}")
        return
    low, high = number(trait.settings.get("min_score")), number(trait.settings.get("max_score"))
    if low in {None, worst} and high in {None, best}:
        return
    if trait.kind == "score" or trait.claims_a_score:
        message = (
            f"worstRating and bestRating say {shown(worst)} to {shown(best)}, "
            f"min_score and max_score {shown(low)} to {shown(high)}"
        )
        trait.spot.report("rating-min-score" if low not in {None, worst} else "rating-max-score", message)


def _bound(trait: PlacedTrait, member: str) -> int | float | None:
    value = trait.members.get(member)
    if (plain := number(value)) is not None:
        return plain
    spot = trait.spot.at(member)
    if (parsed := numeric_text(value)) is not None:
        spot.report("trait-bound-text", f"{member} is the text {shown(value)}", "write it as a number")
        return parsed
    if value is None and trait.implies_range:
        spot.report(
            f"{_RULES[member]}-implied", f"{member} is missing; it follows from the kind of trait", f"add {member}"
        )
    else:
        spot.report(
            "trait-bound" if value is not None else _RULES[member],
            f"{member} is {given(value)}",
            f"write {member} as a number",
        )
    return None
