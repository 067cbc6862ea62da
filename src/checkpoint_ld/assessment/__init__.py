"""Recorded answers held against a benchmark: templates and rubrics applied to what a model once said."""

from checkpoint_ld.assessment.assessing import assess
from checkpoint_ld.assessment.assessment import Assessment, Status, TraitResult, TraitStatus
from checkpoint_ld.assessment.json_lines import read_answers
from checkpoint_ld.assessment.recorded_answer import RecordedAnswer
from checkpoint_ld.assessment.tally import Tally

__all__ = [
    "Assessment",
    "RecordedAnswer",
    "Status",
    "Tally",
    "TraitResult",
    "TraitStatus",
    "assess",
    "read_answers",
]
