"""A solver and a scorer for tasks of Inspect: the solver requests fields, the scorer verifies answers by templates.

See https://inspect.aisi.org.uk/solvers.html and https://inspect.aisi.org.uk/scorers.html. The module imports
`inspect_ai`, which the extra `inspect` installs.
"""

from __future__ import annotations

import contextlib
import json
import math
import warnings
from typing import TYPE_CHECKING, Any

from checkpoint_ld.assessment import Status
from checkpoint_ld.assessment.answers import RecordedAnswer
from checkpoint_ld.assessment.assessing import AssessedQuestions, assessed
from checkpoint_ld.assessment.inspect_logs import values_in
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.benchmark.editing import published_members
from checkpoint_ld.data import library
from checkpoint_ld.errors import LookupFailedError, StoredCodeWarning
from checkpoint_ld.host import without_warnings
from checkpoint_ld.templates import PlainField, Template, TemplateField
from checkpoint_ld.templates.specification import spec_of
from checkpoint_ld.templates.verification import judge_schema
from checkpoint_ld.workers.trusted import Trust

library("inspect_ai", extra="inspect")  # raises SettingsError, with the extra to install, where it is absent

from inspect_ai.model import ModelOutput  # noqa: E402 - after that check
from inspect_ai.scorer import Score, accuracy, mean, scorer, stderr  # noqa: E402 - as above
from inspect_ai.solver import solver  # noqa: E402 - as above

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer, Target
    from inspect_ai.solver import Generate, Solver, TaskState

INSTRUCTION = (
    "\n\nYou may explain your answer. End it with one JSON object that fits this JSON Schema, and write nothing after "
    "it:\n\n"
)
"""The text between a question and the JSON Schema of its template's fields."""
_JSON_TYPES = {"bool": "boolean", "str": "string", "int": "integer", "float": "number", "list_str": "array"}


def requested_fields(template: Template, *, trusted: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of the object that a model is to give, without ground truths; {} where there is none.

    Fields that only code of the template verifies are included if that code is `trusted`.
    """
    spec = spec_of(template)
    schema: dict[str, Any] = judge_schema(spec) if spec else {"type": "object", "properties": {}, "required": []}
    fields: tuple[TemplateField | PlainField, ...] = (*template.fields, *template.plain_fields)
    for field in fields if trusted else ():
        if field.name not in schema["properties"] and not (isinstance(field, TemplateField) and field.is_trace):
            about = {"type": _JSON_TYPES.get(field.type), "description": field.description}
            schema["properties"][field.name] = {name: value for name, value in about.items() if value}
            schema["required"].append(field.name)
    return schema if schema["properties"] else {}


def about_benchmark(checkpoint: str) -> dict[str, Any]:
    """Return the metadata of the benchmark in a file, for the metadata of a task and so of its logs.

    It has the member `benchmark`, with name, version, creators, licence, citation and the like under the names of
    `Benchmark.set_metadata`. Raises as `Benchmark.load` does.
    """
    return {"benchmark": published_members(Benchmark.load(checkpoint))}


@solver
def ask_for_fields(checkpoint: str, trust_stored_code: bool = False) -> Solver:
    """Make the solver that requests the fields of a question's template, as from a judge.

    The JSON Schema has no ground truth. A question whose template has no fields is left as it is. Fields that only
    stored code verifies are requested with `trust_stored_code`. `checkpoint` is the path of the file. Raises what
    `Benchmark.load` raises.
    """
    questions = AssessedQuestions(Benchmark.load(checkpoint))

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        try:
            template = questions.question(str(state.sample_id)).template
        except LookupFailedError:  # the scorer reports it
            return state
        schema = requested_fields(template, trusted=trust_stored_code)
        if schema:
            state.user_prompt.text += INSTRUCTION + json.dumps(schema, ensure_ascii=False)
        return state

    return solve


@solver
def answer_with_references(checkpoint: str) -> Solver:
    """Make the solver that answers with the reference answers of a checkpoint, without a model.

    It shows offline that a task runs and that its templates accept their own ground truths. Raises what
    `Benchmark.load` raises.
    """
    benchmark = Benchmark.load(checkpoint)
    questions = AssessedQuestions(benchmark)

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        text = state.target.text
        with contextlib.suppress(LookupFailedError):  # the scorer reports it
            fields = questions.question(str(state.sample_id)).template.fields
            values = {field.name: field.ground_truth for field in fields if not field.is_trace}
            text += "\n\n" + json.dumps(values, ensure_ascii=False) if values else ""
        state.output = ModelOutput.from_content(model="reference", content=text)
        state.messages.append(state.output.message)
        return state

    return solve


@scorer(metrics={"passed": [accuracy(), stderr()], "score": [mean(), stderr()]})
def template_scorer(checkpoint: str, trust_stored_code: bool = False) -> Scorer:
    """Make the scorer that verifies answers by the templates of a checkpoint, as `assess` does, without a model.

    `passed` is 1 or 0, `score` the granular score from 0 to 1. The metadata hold the whole verification, with the
    results of regular expressions and traits. An undecided answer is unscored and does not count.
    Stored code runs only with `trust_stored_code`, in processes of its own, with a StoredCodeWarning.
    """
    questions = AssessedQuestions(Benchmark.load(checkpoint))
    trust = Trust() if trust_stored_code else None
    if trust:
        message = f"the code in {checkpoint} runs, as trust_stored_code asks for"
        warnings.warn(message, StoredCodeWarning, stacklevel=2)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        completion = state.output.completion
        values = values_in(completion)
        answer = RecordedAnswer(str(state.sample_id), values, trace=completion, replicate=state.epoch)
        with without_warnings(StoredCodeWarning):  # warned once above, for all answers
            assessment = assessed(answer, questions, trust)
        about: dict[str, Any] = {
            "answer": json.dumps(values, ensure_ascii=False) if values else None,
            "explanation": assessment.reason,
            "metadata": {
                "status": assessment.status.value,
                "verification": None if assessment.result is None else assessment.result.as_json(),
                "traits": [trait.as_json() for trait in assessment.traits],
            },
        }
        if assessment.status in (Status.PASSED, Status.FAILED):
            graded = math.nan if assessment.score is None else assessment.score
            has_fields = assessment.question is not None and requested_fields(
                assessment.question.template, trusted=trust is not None
            )
            reason = "invalid_response_format" if has_fields and not values else None
            return Score(
                value={"passed": float(assessment.status is Status.PASSED), "score": graded}, reason=reason, **about
            )
        return Score.unscored(reason="scoring_failed", **about)

    return score
