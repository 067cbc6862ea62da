"""Assessing: recorded answers held against the templates and rubrics of a benchmark, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.assessment.assessment import Assessment, Status
from checkpoint_ld.assessment.questions import AskedQuestions
from checkpoint_ld.assessment.recorded_answer import Json, RecordedAnswer
from checkpoint_ld.assessment.traits import trait_result
from checkpoint_ld.errors import EvaluationError, LookupFailedError
from checkpoint_ld.findings import Place
from checkpoint_ld.templates.verification import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.workers.trusted import Trust

_STATUS = {True: Status.PASSED, False: Status.FAILED, None: Status.UNDECIDED}


def assess(
    benchmark: Benchmark, answers: Iterable[RecordedAnswer | Mapping[str, Json]], *, trust: Trust | None = None
) -> Iterator[Assessment]:
    """Yield what comes out for each of `answers`, in their order, as they come.

    An answer is a `RecordedAnswer`, or an object as a line of answers holds it. What is wrong with one is said in its
    assessment and hides nothing about the others; nothing is raised. Templates and rubrics are read once for each
    question, and nothing else is kept. Stored code runs only with `trust`, in a process of its own for each answer.
    """
    questions = AskedQuestions(benchmark)
    for number, one in enumerate(answers, start=1):
        answer = one if isinstance(one, RecordedAnswer) else RecordedAnswer.of(one, Place(line=number))
        yield _assessed(answer, questions, trust)


def _assessed(answer: RecordedAnswer, questions: AskedQuestions, trust: Trust | None) -> Assessment:
    question = None
    if answer.question_id is not None:
        try:
            question = questions.question(answer.question_id)
        except LookupFailedError as error:
            return Assessment(answer, Status.ERROR, answer.fault or str(error))
    if question is None or answer.fault:
        return Assessment(answer, Status.ERROR, answer.fault, question)
    traits = tuple(trait_result(asked, answer.trace, trust) for asked in question.traits)
    template = question.source if question.has_code and trust is not None else question.template
    try:
        result = verify(template, answer.values, answer.trace, context=answer.context, trust=trust)
    except EvaluationError as error:
        return Assessment(answer, Status.ERROR, str(error), question, traits=traits)
    return Assessment(answer, _STATUS[result.passed], result.reason, question, result, traits)
