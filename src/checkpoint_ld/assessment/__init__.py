"""Assessment of recorded answers: the templates and rubrics of a benchmark are applied to the responses of a model.

`answers` reads them, with `karenina_results` and `inspect_logs` for files of other programs; `assessing` assesses them;
`earl` writes the assessments as RDF.
"""

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
