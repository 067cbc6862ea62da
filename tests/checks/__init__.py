"""Tests of the checks on canonical trees, one file per subject."""

from __future__ import annotations

from typing import Any

from checkpoint_ld.checks import check
from tests.documents import canonical, item, rating, setting

Json = Any
ITEM = "/dataFeedElement/0"
QUESTION = f"{ITEM}/item"
RATING = "/rating/0"


def found(tree: Json, dialect: str = "datafeed-ns-v3") -> list[tuple[str, str | None]]:
    """Return code and pointer of every finding, in order."""
    return [(finding.condition, finding.place.pointer) for finding in check(tree, dialect)]


def root(**members: Json) -> Json:
    """Return a faultless benchmark with other root members; None takes one away."""
    return _with(canonical(), members)


def asked(**members: Json) -> Json:
    """Return a faultless benchmark whose only question has other members."""
    element = item()
    element["item"] = _with(element["item"], members)
    return canonical(element)


def fed(**members: Json) -> Json:
    """Return a faultless benchmark whose only element has other members."""
    return canonical(_with(item(), members))


def rated(kind: str = "RubricTrait", /, settings: Json = None, **members: Json) -> Json:
    """Return a faultless benchmark with one global trait of another kind, from 1 to 0 where not said otherwise."""
    base = {
        "@type": "Rating",
        "name": "tone",
        "description": "Which tone?",
        "bestRating": 1.0,
        "worstRating": 0.0,
        "additionalType": f"karenina:Global{kind}",
        "additionalProperty": [setting(name, value) for name, value in (settings or {}).items()],
    }
    return root(rating=[_with(base, members)])


def _with(base: Json, members: Json) -> Json:
    return {name: value for name, value in {**base, **members}.items() if value is not None}


__all__ = ["ITEM", "QUESTION", "RATING", "asked", "fed", "found", "rated", "rating", "root", "setting"]
