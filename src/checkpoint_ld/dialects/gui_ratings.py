"""Ratings as the Karenina GUI writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.dialects.leftovers import KEPT, says_nothing
from checkpoint_ld.dialects.losses import loss
from checkpoint_ld.dialects.properties import ABSENT, name_of, property_value, stated, typed, values
from checkpoint_ld.dialects.ratings import (
    DEEP_DEFAULTS,
    DEEP_JUDGMENT,
    GUI_MATRIX,
    IDLE_RANGE,
    LLM_SUFFIXES,
    MATRIX,
    as_plain,
    is_template,
    llm_kind,
    trait_type,
)
from checkpoint_ld.identifiers import gui_rating_id

if TYPE_CHECKING:
    from checkpoint_ld.dialects.leftovers import Silent
    from checkpoint_ld.findings import Finding

_NOT_READ = ("AgenticRubricTrait", "DynamicRubricTrait")
_SETTINGS: dict[str, dict[str, Any]] = {
    "RegexTrait": {"pattern": ABSENT, "case_sensitive": True, "invert_result": False, "higher_is_better": ABSENT},
    "CallableTrait": {
        "callable_code": ABSENT,
        "kind": "boolean",
        "invert_result": False,
        **dict.fromkeys(("higher_is_better", "min_score", "max_score"), ABSENT),
    },
    "MetricRubricTrait": {
        **dict.fromkeys(("evaluation_mode", "metrics", "tp_instructions"), ABSENT),
        "tn_instructions": [],
        "repeated_extraction": True,
    },
}
"""The properties of each type in the GUI's order, with what a missing setting means to Karenina."""


def gui_ratings(ratings: Any, scope: str, pointer: str, findings: list[Finding]) -> Any:
    """Return the canonical `ratings` of `scope` in the GUI's form; add to `findings` what the GUI does not read.

    `pointer` is the place of the ratings.
    """
    if not isinstance(ratings, list):
        return ratings
    return [_written(rating, scope, step(pointer, index), findings) for index, rating in enumerate(ratings)]


def is_idle_in(rating: dict[str, Any]) -> Silent:
    """Return how to tell which settings of a canonical rating the GUI's form does without, as they say nothing."""
    known, entries = trait_type(rating.get("additionalType")), rating.get("additionalProperty")
    if known is None or not isinstance(entries, list):
        return says_nothing
    idle = _settings(rating, known[1], entries).idle
    return lambda name, _: name in idle


def _written(rating: Any, scope: str, pointer: str, findings: list[Finding]) -> Any:
    if not isinstance(rating, dict):
        return rating
    known = trait_type(rating.get("additionalType"))
    suffix = known[1] if known else ""
    name = rating.get("name")
    members: dict[str, Any] = {"@type": "Rating"}
    if isinstance(name, str):
        members["@id"] = gui_rating_id(name)
    members |= {member: rating[member] for member in ("@id", "name", "description") if member in stated(rating)}
    members["additionalType"] = scope + suffix if known else rating.get("additionalType", ABSENT)
    members |= {bound: as_plain(rating[bound]) for bound in ("bestRating", "worstRating") if bound in rating}
    entries = rating.get("additionalProperty") or []
    if known and isinstance(entries, list):
        settings = _settings(rating, suffix, entries)
        members |= {"additionalProperty": settings.written or ABSENT, **settings.deep}
        if suffix in _NOT_READ or is_template(values(entries).get("kind")):
            message = f'the GUI does not read the trait "{name}", a {suffix}; it is kept'
            findings.append(loss(message, pointer, "gui-datafeed"))
        elif settings.unread:
            message = f'the GUI does not read {", ".join(settings.unread)} of the trait "{name}"; it is kept'
            findings.append(loss(message, pointer, "gui-datafeed"))
    members |= {member: content for member, content in rating.items() if member not in members and member != KEPT}
    return {member: content for member, content in members.items() if content is not ABSENT}


class _Settings(NamedTuple):
    """The settings of a rating in the GUI's form.

    `written` are its properties, `deep` what the GUI keeps in members of the rating, `idle` the names of settings that
    say nothing, `unread` the names of properties that the GUI does not know.
    """

    written: list[Any]
    deep: dict[str, Any]
    idle: set[str]
    unread: list[str]


def _settings(rating: dict[str, Any], suffix: str, entries: list[Any]) -> _Settings:
    told = values(entries)
    deep: dict[str, Any] = {}
    idle: set[str] = set()
    if suffix in LLM_SUFFIXES:
        asked, idle = _llm_settings(rating, told)
        if told.get("deep_judgment_enabled") is True:
            deep = {name: told[name] for name in DEEP_JUDGMENT if told.get(name) is not None}
        idle |= {name for name in DEEP_JUDGMENT if name in deep or told.get(name) == DEEP_DEFAULTS[name]}
    else:
        asked = _SETTINGS.get(suffix, {})
    if told.get("evaluation_mode") == MATRIX:
        told["evaluation_mode"] = GUI_MATRIX
    if told.get("higher_is_better", ABSENT) is None and (
        suffix == "MetricRubricTrait" or is_template(told.get("kind"))
    ):
        idle.add("higher_is_better")
    properties = [_property(name, told.get(name, default)) for name, default in asked.items() if name not in idle]
    rest = [typed(entry) for entry in entries if name_of(entry) not in {*asked, *idle}]
    unread = [name for entry in rest if (name := name_of(entry)) is not None]
    return _Settings([*filter(None, properties), *rest], deep, idle, unread)


def _property(name: str, value: Any) -> dict[str, Any] | None:
    """Return a property, without a value for null; none at all for what is absent."""
    return None if value is ABSENT else property_value(name, ABSENT if value is None else value)


def _llm_settings(rating: dict[str, Any], told: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """Return which properties an LLM trait has, with their defaults, and which say nothing beyond its range."""
    kind = llm_kind(rating, told)
    asked: dict[str, Any] = {"higher_is_better": ABSENT if is_template(kind) else True}
    if kind not in ("boolean", "score"):
        return {**asked, "kind": ABSENT, "classes": ABSENT}, _idle_range(told, IDLE_RANGE)
    bounds = {"min_score": as_plain(rating.get("worstRating")), "max_score": as_plain(rating.get("bestRating"))}
    idle = _idle_range(told, bounds if kind == "score" else IDLE_RANGE)
    if llm_kind(rating, {}) == kind:
        return asked, idle | {"kind"}
    return ({**asked, "kind": kind, **bounds}, set()) if kind == "score" else ({**asked, "kind": kind}, idle)


def _idle_range(told: dict[str, Any], bounds: dict[str, Any]) -> set[str]:
    return set(bounds) if all(told.get(name) == bound for name, bound in bounds.items()) else set()
