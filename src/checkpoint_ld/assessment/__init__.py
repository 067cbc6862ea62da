"""Assessment of recorded answers: the templates and rubrics of a benchmark are applied to the responses of a model.

`answers` reads them, with `answer_tables` for tables, and `karenina_results` and `inspect_logs` for files of other
programs; `assessing` assesses them; `assessment_tables` and `earl` write the assessments as tables and as RDF.
"""

from checkpoint_ld.assessment.answers import Recorded, RecordedAnswer, RecordedTrait, read_answers
from checkpoint_ld.assessment.assessing import Assessment, Status, Tally, TraitResult, TraitStatus, assess
from checkpoint_ld.assessment.assessment_tables import to_dataframe

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
    "to_dataframe",
]
