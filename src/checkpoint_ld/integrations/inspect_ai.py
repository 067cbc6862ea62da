"""What a task of Inspect needs to verify answers by templates: a solver that asks for fields, and a scorer.

See https://inspect.aisi.org.uk/solvers.html and https://inspect.aisi.org.uk/scorers.html. The module imports
`inspect_ai`, which the extra `inspect` installs.
"""

from __future__ import annotations

import json
import math
import warnings
from typing import TYPE_CHECKING, Any

from checkpoint_ld.assessment import Status
from checkpoint_ld.assessment.answers import RecordedAnswer
from checkpoint_ld.assessment.assessing import AskedQuestions, assessed
from checkpoint_ld.assessment.inspect_logs import values_in
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.benchmark.editing import published_members
from checkpoint_ld.data import library
from checkpoint_ld.errors import LookupFailedError, StoredCodeWarning
from checkpoint_ld.templates import PlainField, Template, TemplateField
from checkpoint_ld.templates.specification import spec_of
from checkpoint_ld.templates.verification import judge_schema
from checkpoint_ld.workers.trusted import Trust

library("inspect_ai", extra="inspect")  # says what to install where it is absent

from inspect_ai.scorer import Score, accuracy, mean, scorer, stderr  # noqa: E402 - after the sentence above
from inspect_ai.solver import solver  # noqa: E402 - as above

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer, Target
    from inspect_ai.solver import Generate, Solver, TaskState

INSTRUCTION = (
    "\n\nYou may explain your answer. End it with one JSON object that fits this JSON Schema, and write nothing after "
    "it:\n\n"
)
"""What stands between a question and the JSON Schema of the fields that its template asks for."""
_JSON_TYPES = {"bool": "boolean", "str": "string", "int": "integer", "float": "number", "list_str": "array"}


def fields_asked_for(template: Template, *, trusted: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of the object that a model is asked for, without ground truths; {} where there is none.

    Fields that only code of the template verifies are asked for if that is `trusted`.
    """
    spec = spec_of(template)
    schema: dict[str, Any] = judge_schema(spec) if spec else {"type": "object", "properties": {}, "required": []}
    fields: tuple[TemplateField | PlainField, ...] = (*template.fields, *template.plain_fields)
    for field in fields if trusted else ():
        if field.name not in schema["properties"] and not (isinstance(field, TemplateField) and field.is_trace):
            about = {"type": _JSON_TYPES.get(field.type), "description": field.description}
            schema["properties"][field.name] = {name: one for name, one in about.items() if one}
            schema["required"].append(field.name)
    return schema if schema["properties"] else {}


def about_benchmark(checkpoint: str) -> dict[str, Any]:
    """Return what the metadata of a task, and so each of its logs, says of the benchmark in a file.

    It is one member, `benchmark`, with name, version, makers, licence, citation and the like under the terms of
    `Benchmark.set_metadata`. Raises what `Benchmark.load` raises.
    """
    return {"benchmark": published_members(Benchmark.load(checkpoint))}


@solver
def ask_for_fields(checkpoint: str, trust_stored_code: bool = False) -> Solver:
    """Make the solver that asks for the fields of a question's template, as a judge would be asked for them.

    The JSON Schema tells no ground truth. A question whose template asks for nothing is left as it is; fields that
    only stored code verifies are asked for with `trust_stored_code`. `checkpoint` is the path of the file; raises what
    `Benchmark.load` raises.
    """
    questions = AskedQuestions(Benchmark.load(checkpoint))

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        try:
            template = questions.question(str(state.sample_id)).template
        except LookupFailedError:  # the scorer says so
            return state
        schema = fields_asked_for(template, trusted=trust_stored_code)
        if schema:
            state.user_prompt.text += INSTRUCTION + json.dumps(schema, ensure_ascii=False)
        return state

    return solve


@scorer(metrics={"passed": [accuracy(), stderr()], "score": [mean(), stderr()]})
def template_scorer(checkpoint: str, trust_stored_code: bool = False) -> Scorer:
    """Make the scorer that verifies answers by the templates of a checkpoint, as `assess` does; it asks no model.

    `passed` is 1 or 0, `score` the granular score from 0 to 1; the metadata have all that verifying gave, the results
    of regular expressions and other traits as well. What cannot be decided is unscored and counts for nothing.
    Stored code runs only with `trust_stored_code`, in processes of its own, and a StoredCodeWarning says so.
    """
    questions = AskedQuestions(Benchmark.load(checkpoint))
    trust = Trust() if trust_stored_code else None
    if trust:
        message = f"the code in {checkpoint} runs, as trust_stored_code asks for"
        warnings.warn(message, StoredCodeWarning, stacklevel=2)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        said = state.output.completion
        values = values_in(said)
        answer = RecordedAnswer(str(state.sample_id), values, trace=said, replicate=state.epoch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StoredCodeWarning)  # it has been said, once for all answers
            found = assessed(answer, questions, trust)
        about: dict[str, Any] = {
            "answer": json.dumps(values, ensure_ascii=False) if values else None,
            "explanation": found.reason,
            "metadata": {
                "status": found.status.value,
                "verification": None if found.result is None else found.result.as_json(),
                "traits": [one.as_json() for one in found.traits],
            },
        }
        if found.status in (Status.PASSED, Status.FAILED):
            graded = math.nan if found.score is None else found.score
            is_asked = found.question is not None and fields_asked_for(
                found.question.template, trusted=trust is not None
            )
            reason = "invalid_response_format" if is_asked and not values else None
            return Score(
                value={"passed": float(found.status is Status.PASSED), "score": graded}, reason=reason, **about
            )
        return Score.unscored(reason="scoring_failed", **about)

    return score
