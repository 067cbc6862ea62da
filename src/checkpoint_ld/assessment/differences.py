"""Differences: where what was recorded about an answer is not what our templates and traits say of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from checkpoint_ld.identifiers import NO_TEMPLATE, template_id
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.assessment.answers import Recorded, RecordedAnswer
    from checkpoint_ld.assessment.assessing import AskedQuestion, TraitResult
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.templates.verification import VerificationResult

DIFFERS = "recorded-differs"
UNKNOWN = "recorded-unknown"
"""The rules about what was recorded, by their names."""
_CLOSE = 1e-6
_WORDS = {True: "passed", False: "failed"}


def differences(
    answer: RecordedAnswer,
    question: AskedQuestion,
    traits: tuple[TraitResult, ...],
    result: VerificationResult | None,
) -> tuple[Finding, ...]:
    """Return findings about what was recorded and differs from what came out, or is about nothing that is known."""
    told = answer.recorded
    if told is None:
        return ()
    said = [(DIFFERS, one) for one in _differing(answer, told, question, result)]
    for one in traits:
        if one.scope == "recorded":
            said.append(
                (UNKNOWN, f"the question has no trait {one.name.partition('.')[0]!r}, for which values are recorded")
            )
        elif one.status.value == "evaluated" and one.recorded is not None and one.recorded != one.value:
            said.append(
                (
                    DIFFERS,
                    f"{_shown(one.recorded)} is recorded for the trait {one.name!r}, which gives {_shown(one.value)}",
                )
            )
    said += [(UNKNOWN, f"the member {name!r} of results is not known, and kept as it is") for name in told.unknown]
    found = (finding(rule, message, subject=question.identifier) for rule, message in dict.fromkeys(said))
    return tuple(replace(one, place=answer.place) for one in found)


def _differing(
    answer: RecordedAnswer, told: Recorded, question: AskedQuestion, result: VerificationResult | None
) -> Iterator[str]:
    asked = answer.question_text
    if asked is not None and asked.strip() != question.text.strip():
        yield f"the question was asked as {shown(asked)}, and reads {shown(question.text)} now"
    if result is None:
        return
    why = " and ".join((*(f"{one} overrode the template" for one in told.overrides), *_changed(told, question)))
    if told.passed is not None and result.passed is not None and told.passed is not result.passed:
        words = f"{_WORDS[told.passed]} is recorded, and the template says {_WORDS[result.passed]}"
        yield f"{words}{why and f' ({why})'}{result.reason and f': {result.reason}'}"
    else:
        scores = [one for one in (result.karenina_granular_score, result.granular_score) if one is not None]
        if told.score is not None and scores and all(abs(told.score - one) > _CLOSE for one in scores):
            yield f"the score {told.score:g} is recorded, and the template gives {scores[0]:g}{why and f' ({why})'}"
    ours = {one.name: one.passed for one in result.fields}
    for name, passed in told.fields.items():
        if isinstance(passed, bool) and ours.get(name) is not None and ours[name] is not passed:
            yield f"{_WORDS[passed]} is recorded for the field {name!r}, and the template says {_WORDS[not passed]}"


def _changed(told: Recorded, question: AskedQuestion) -> Iterator[str]:
    if told.template_id not in {None, NO_TEMPLATE, template_id(question.source)}:
        yield "by another template"


def _shown(value: object) -> str:
    return shown(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
