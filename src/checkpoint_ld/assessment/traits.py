"""Traits of a rubric applied to the trace of an answer, as far as that needs no judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.assessment.assessment import TraitResult, TraitStatus
from checkpoint_ld.entities import CallableRubricTrait, RegexRubricTrait
from checkpoint_ld.entities.rubric import TRAIT_LISTS
from checkpoint_ld.entities.rubric_evaluation import outcome_of

if TYPE_CHECKING:
    from checkpoint_ld.assessment.questions import AskedTrait
    from checkpoint_ld.workers.trusted import Trust

_KINDS = {cls: name.removesuffix("_traits") for name, cls in TRAIT_LISTS.items()}


def trait_result(asked: AskedTrait, trace: str | None, trust: Trust | None) -> TraitResult:
    """Return what a trait says about the raw response `trace`; nothing is raised.

    Stored code runs only with `trust`, in a process of its own.
    """
    status, value, reason = _evaluated(asked, trace, trust)
    return TraitResult(asked.trait.name, _KINDS[type(asked.trait)], asked.scope, status, value, reason, asked.node)


def _evaluated(
    asked: AskedTrait, trace: str | None, trust: Trust | None
) -> tuple[TraitStatus, bool | float | None, str]:
    if asked.obstacle:
        return TraitStatus.ERROR, None, asked.obstacle
    if asked.is_dynamic:
        return TraitStatus.NEEDS_JUDGE, None, "whether its concept occurs in the answer is for a judge to tell"
    if trace is None and isinstance(asked.trait, RegexRubricTrait | CallableRubricTrait):
        return TraitStatus.NOT_RUN, None, "the answer has no trace"
    found = outcome_of(asked.trait, trace or "", trust=trust)
    return TraitStatus(found.status.value), found.score, found.reason
