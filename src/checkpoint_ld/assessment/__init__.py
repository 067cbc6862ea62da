"""Recorded answers held against a benchmark: templates and rubrics applied to what a model once said."""

from checkpoint_ld.assessment.answers import Recorded, RecordedAnswer, RecordedTrait, read_answers
from checkpoint_ld.assessment.assessing import Assessment, Status, Tally, TraitResult, TraitStatus, assess

__all__ = [
    "Assessment",
    "Recorded",
    "RecordedAnswer",
    "RecordedTrait",
    "Status",
    "Tally",
    "TraitResult",
    "TraitStatus",
    "assess",
    "read_answers",
]
