"""From the results of fields to the verdict and the scores, where some results may not be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.entities.template_spec import AnyOf, AtLeastN, evaluate_strategy, granular_score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.entities.template_spec import StrategyNode
    from checkpoint_ld.verification.result import FieldResult


def verdict_of(node: StrategyNode | None, fields: Sequence[FieldResult]) -> bool | None:
    """Return whether the fields pass: all of them, or those that the tree asks for; None if unknown results decide.

    Raises `LookupFailedError` if the tree names a field without a result.
    """
    worst, best = (_verdict(node, _results(fields, unknown=unknown)) for unknown in (False, True))
    return best if best is worst else None


def scores_of(node: StrategyNode | None, fields: Sequence[FieldResult]) -> tuple[float | None, float | None]:
    """Return the granular score and the one that Karenina computes; None for one that depends on unknown results."""
    weights = {field.name: field.weight for field in fields}
    pairs = []
    for unknown in (False, True):
        results = _results(fields, unknown=unknown)
        scores = {field.name: float(unknown) if field.score is None else field.score for field in fields}
        pairs.append((granular_score(node, results, scores, weights), karenina_score(node, scores, weights)))
    (worst, karenina_worst), (best, karenina_best) = pairs
    return (best if best == worst else None), (karenina_best if karenina_best == karenina_worst else None)


def karenina_score(node: StrategyNode | None, scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the granular score as Karenina computes it, from the credit and the weight of each field by name.

    Only the root of the tree counts, and the weight of all fields, be they in the tree or not: the best credit for
    AnyOf, the `n` largest for AtLeastN, the sum for all else, each times its weight and divided by that of all. It
    may therefore be below 1.0 for an answer that is right, and outside of 0.0 to 1.0 for negative weights.
    """
    total = sum(weights.values())
    if not total:
        return 0.0
    earned = sorted((scores[name] * weight for name, weight in weights.items()), reverse=True)
    if isinstance(node, AnyOf):
        return max(earned, default=0.0) / total
    if isinstance(node, AtLeastN):
        return sum(earned[: node.n]) / total
    return sum(earned) / total


def _verdict(node: StrategyNode | None, results: Mapping[str, bool]) -> bool:
    return all(results.values()) if node is None else evaluate_strategy(node, results)


def _results(fields: Sequence[FieldResult], *, unknown: bool) -> dict[str, bool]:
    return {field.name: unknown if field.passed is None else field.passed for field in fields}
