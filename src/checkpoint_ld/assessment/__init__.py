"""Recorded answers assessed by a benchmark: its templates and rubrics are applied to the responses of a model."""

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
