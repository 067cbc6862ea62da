"""Rubric traits and the ratings that hold them.

A rating's range and kind are read from what the file says: the range of a score trait is worst to best, and a trait is
boolean only where nothing speaks for a score.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from checkpoint_ld.dialects.ratings import GUI_MATRIX, MATRIX, as_plain, is_number, llm_kind, trait_type
from checkpoint_ld.dialects.traits import SETTINGS
from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    AnyTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
)
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.properties import ABSENT, as_list, from_text, property_value, values

Json = dict[str, Any]

FAMILIES: dict[str, type[AnyTrait]] = {
    "llm": LLMRubricTrait,
    "regex": RegexRubricTrait,
    "callable": CallableRubricTrait,
    "metric": MetricRubricTrait,
    "agentic": AgenticRubricTrait,
}
"""The five kinds of traits, by the names that dynamic traits and legacy properties have for them."""

SUFFIXES = {
    "RubricTrait": "llm",
    "LLMRubricTrait": "llm",
    "RegexTrait": "regex",
    "CallableTrait": "callable",
    "MetricRubricTrait": "metric",
    "AgenticRubricTrait": "agentic",
}
DYNAMIC = "DynamicRubricTrait"

_AGENTIC = ("kind", "higher_is_better", "context_mode", "materialize_trace", "persist_trace", "max_turns")
_ORDERS: dict[str, tuple[str, ...]] = {
    **{family: order for family, order in SETTINGS.items() if family != "llm"},
    "llm": (*tuple(name for name in SETTINGS["llm"] if name != "include_ground_truth"), "include_ground_truth"),
    "agentic": (*_AGENTIC, "timeout_seconds", "classes", "model_override", "summary", "min_score", "max_score"),
}
_LISTS = ("metrics", "tp_instructions", "tn_instructions")
_NULLABLE = "higher_is_better"


def scope_of(rating: Json) -> str | None:
    """Return Global or QuestionSpecific, or None for a rating that is no trait."""
    known = trait_type(rating.get("additionalType"))
    return known[0] if known else None


def is_dynamic(rating: Json) -> bool:
    """Tell whether a rating holds a trait of a dynamic rubric."""
    known = trait_type(rating.get("additionalType"))
    return known is not None and known[1] == DYNAMIC


def trait_of(rating: Json) -> AnyTrait | None:
    """Return the trait that a rating holds, or None for a rating that is no trait.

    Raises ReadError for a trait that breaks a rule which no file may break.
    """
    known = trait_type(rating.get("additionalType"))
    settings = {name: _decoded(name, value) for name, value in values(rating.get("additionalProperty")).items()}
    family = (
        settings.pop("dynamic_trait_type", None)
        if known and known[1] == DYNAMIC
        else SUFFIXES.get(known[1])
        if known
        else None
    )
    if not isinstance(family, str) or family not in FAMILIES:
        return None
    return trait_of_members(family, {**_members(family, rating, settings), **_described(rating)})


def trait_of_members(family: str, members: Json) -> AnyTrait:
    """Build the trait of a kind from its members, as leniently as a file needs."""
    model = FAMILIES[family]
    known = {name: value for name, value in members.items() if name in model.model_fields}
    try:
        return model.model_validate(known, context=LENIENT)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
        msg = f"the trait {members.get('name')!r} cannot be read: {faults}"
        raise ReadError(msg) from None


def _described(rating: Json) -> Json:
    return {name: rating[name] for name in ("name", "description") if rating.get(name) is not None}


def _decoded(name: str, value: Any) -> Any:
    if name in _LISTS:
        return as_list(from_text(value))
    return from_text(value) if name in ("classes", "kind", "model_override") else value


def _members(family: str, rating: Json, settings: Json) -> Json:
    told = {name: value for name, value in settings.items() if value is not None or name == _NULLABLE}
    deep = {name: value for name, value in rating.items() if name.startswith("deep_judgment_")}
    lowest, highest = (as_plain(_number(rating.get(name))) for name in ("worstRating", "bestRating"))
    if family == "llm":
        told["kind"] = kind = llm_kind(rating, settings)
        if kind == "binary":
            told["kind"] = "boolean"
        bounds = {"min_score": lowest, "max_score": highest} if kind == "score" else {}
        return {**deep, **told, **{name: bound for name, bound in bounds.items() if bound is not None}}
    if family == "metric":
        mode = {"evaluation_mode": MATRIX} if told.get("evaluation_mode") == GUI_MATRIX else {}
        return {_NULLABLE: None, **told, **mode}
    if family in ("callable", "agentic"):
        told.setdefault("kind", "boolean")
        if told["kind"] == "score":
            bounds = {"min_score": lowest, "max_score": highest}
            return {**told, **{name: bound for name, bound in bounds.items() if bound is not None}}
    if family in ("callable", "regex"):
        return {"callable_code" if family == "callable" else "pattern": None, **told}
    return told


def _number(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value if is_number(value) else None


def rating_of(trait: AnyTrait, scope: str, *, dynamic: bool = False) -> Json:
    """Return the rating that holds `trait` in `scope` (Global or QuestionSpecific), as Karenina writes it."""
    family = family_of(trait)
    described = {
        name: value for name, value in (("name", trait.name), ("description", trait.description)) if value is not None
    }
    best, worst = _range(trait, family)
    settings = _settings(trait, family)
    if dynamic:
        settings += [property_value("dynamic_trait_type", family)]
        settings += [property_value("summary", trait.summary)] if trait.summary is not None else []
    return {
        "@type": "Rating",
        **described,
        "bestRating": float(best),
        "worstRating": float(worst),
        "additionalType": f"karenina:{scope}{DYNAMIC if dynamic else _suffix(trait, family)}",
        "additionalProperty": settings,
    }


def family_of(trait: AnyTrait) -> str:
    """Return the name of a trait's kind."""
    return next(family for family, model in FAMILIES.items() if isinstance(trait, model))


def _suffix(trait: AnyTrait, family: str) -> str:
    if family == "llm":
        return "RubricTrait" if getattr(trait, "kind", None) in ("boolean", "score") else "LLMRubricTrait"
    return next(suffix for suffix, named in SUFFIXES.items() if named == family)


def _range(trait: AnyTrait, family: str) -> tuple[float, float]:
    if isinstance(trait, (RegexRubricTrait, MetricRubricTrait)) or trait.kind == "boolean":
        return 1, 0
    if isinstance(trait.kind, dict):
        return 0, 0
    if family == "callable" and trait.min_score is None and trait.max_score is None:
        return 5, 1
    lowest = 0 if trait.min_score is None else trait.min_score
    return 5 if trait.max_score is None else trait.max_score, lowest


def _settings(trait: AnyTrait, family: str) -> list[Json]:
    """Return the properties of a trait in Karenina's order: what is null is left out, but for the direction."""
    dumped = BaseModel.model_dump(trait, mode="json")
    entries = []
    for name in _ORDERS[family]:
        value = dumped.get(name)
        if name == _NULLABLE and value is None:
            entries.append(property_value(name, ABSENT))
        elif value not in (None, []) and not (name == "include_ground_truth" and value is False):
            entries.append(property_value(name, value))
    return entries
