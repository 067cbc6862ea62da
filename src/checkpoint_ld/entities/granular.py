"""How right an answer is, from 0.0 to 1.0, where a verdict knows only right and wrong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from checkpoint_ld.entities.composition import AnyOf, AtLeastN, FieldCheck, evaluate_strategy, fields_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.entities.composition import StrategyNode

MOST_WEIGHT: Final = 1e300
"""Heavier fields count as this heavy, so that sums of weights stay numbers."""

_BELOW_ONE: Final = math.nextafter(1.0, 0.0)


def granular_score(
    node: StrategyNode | None,
    results: Mapping[str, bool | None],
    scores: Mapping[str, float | None],
    weights: Mapping[str, float],
) -> float:
    """Return how right an answer is: results, credit from 0.0 to 1.0 and weight of each field by name.

    Without a tree it is the mean of the credit, weighted. In a tree, a field is worth its credit; AllOf the mean of
    its parts, each weighted by the fields below it; AnyOf its best part; AtLeastN the mean of its `n` best parts, all
    if `n` is 0. A tree that does not pass is worth less than 1.0, and nothing if none of its fields earns anything.
    Null earns nothing, and a weight that is no positive number counts as 0.

    Raises what `checkpoint_ld.entities.composition.evaluate_strategy` raises.
    """
    credit = {name: score or 0.0 for name, score in scores.items()}
    shares = {name: min(weight, MOST_WEIGHT) if weight > 0 else 0.0 for name, weight in weights.items()}
    if node is None:
        return _mean([(credit[name], shares[name]) for name in credit]) if any(shares.values()) else 0.0
    passes = evaluate_strategy(node, results)
    value, _ = _worth(node, credit, shares)
    if passes:
        return value
    return min(value, _BELOW_ONE) if any(credit[name] for name in fields_of(node)) else 0.0


def _worth(node: StrategyNode, credit: Mapping[str, float], shares: Mapping[str, float]) -> tuple[float, float]:
    """Return what a tree is worth, and the weight of the fields below it."""
    if isinstance(node, FieldCheck):
        return credit[node.field], shares[node.field]
    parts = [_worth(condition, credit, shares) for condition in node.conditions]
    weight = min(sum(share for _, share in parts), MOST_WEIGHT)
    best = sorted((value for value, _ in parts), reverse=True)
    if isinstance(node, AnyOf):
        return (best[0] if best else 0.0), weight
    if isinstance(node, AtLeastN):
        return (sum(best[: node.n]) / node.n if node.n else 1.0), weight
    return _mean(parts), weight


def _mean(parts: Sequence[tuple[float, float]]) -> float:
    """Return the weighted mean; without any weight all parts count alike, and no parts are worth all."""
    total = sum(share for _, share in parts)
    if not total:
        return sum(value for value, _ in parts) / len(parts) if parts else 1.0
    return min(sum(value * share for value, share in parts) / total, 1.0)
