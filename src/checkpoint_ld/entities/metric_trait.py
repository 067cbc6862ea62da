"""Traits that are computed from a count of what an answer has and lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from checkpoint_ld.entities.trait import Trait

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding

EvaluationMode: TypeAlias = Literal["tp_only", "full_matrix"]
Bucket: TypeAlias = Literal["tp", "tn", "fp", "fn"]

BUCKETS: dict[EvaluationMode, frozenset[Bucket]] = {
    "tp_only": frozenset({"tp", "fp", "fn"}),
    "full_matrix": frozenset({"tp", "tn", "fp", "fn"}),
}
"""The cells of the confusion matrix that each mode fills."""

METRICS: dict[str, frozenset[Bucket]] = {
    "precision": frozenset({"tp", "fp"}),
    "recall": frozenset({"tp", "fn"}),
    "specificity": frozenset({"tn", "fp"}),
    "accuracy": frozenset({"tp", "tn", "fp", "fn"}),
    "f1": frozenset({"tp", "fp", "fn"}),
}
"""The cells that each metric is computed from."""


class MetricRubricTrait(Trait):
    """A trait measured by metrics such as recall over statements that an answer should and should not hold.

    `tp_only` counts what is found, missing and beyond the instructions; `full_matrix` also needs `tn_instructions`,
    which say what should be absent.
    """

    evaluation_mode: EvaluationMode = Field(
        default="tp_only", description="Whether what should be absent is counted too"
    )
    metrics: list[str] = Field(min_length=1, description=f"Of {', '.join(METRICS)}")
    tp_instructions: list[str] = Field(default_factory=list, description="What a right answer holds")
    tn_instructions: list[str] = Field(default_factory=list, description="What a right answer does not hold")
    repeated_extraction: bool = Field(default=True, description="Count an excerpt once, whatever its case")
    higher_is_better: bool | None = Field(default=None, description="null: the trait has no direction")

    def get_required_buckets(self) -> set[Bucket]:
        """Return the cells of the confusion matrix that the mode fills, whichever of them the metrics use."""
        return set(BUCKETS[self.evaluation_mode])

    def problems(self) -> tuple[Finding, ...]:
        """Report unknown metrics, metrics that the mode cannot measure, and missing instructions for the mode."""
        cells = BUCKETS[self.evaluation_mode]
        names = ", ".join(metric for metric in METRICS if METRICS[metric] <= cells)
        found = [
            self.problem(
                "metric-mode-mismatch", f"mode {self.evaluation_mode} has no metric {metric!r}", f"use some of {names}"
            )
            for metric in self.metrics
            if metric not in METRICS or not METRICS[metric] <= cells
        ]
        if self.evaluation_mode == "full_matrix" and not self.tn_instructions:
            remedy = "say what a right answer does not hold"
            found.append(self.problem("metric-full-matrix", "mode full_matrix without tn_instructions", remedy))
        return tuple(found)

    @model_validator(mode="after")
    def _has_instructions(self) -> Self:
        if not self.tp_instructions:
            raise ValueError("no tp_instructions: say what a right answer holds")
        return self
