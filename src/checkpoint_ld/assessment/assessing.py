"""Assessments of recorded answers: verdict, score, results of traits, and where these differ from recorded ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from checkpoint_ld.assessment.answer_tables import values_of
from checkpoint_ld.assessment.answers import RecordedAnswer, finite
from checkpoint_ld.benchmark.content import QuestionNames
from checkpoint_ld.entities import CallableRubricTrait, MetricRubricTrait, RegexRubricTrait
from checkpoint_ld.entities.rubric import TRAIT_LISTS, merge_rubrics_with_provenance, outcome_of
from checkpoint_ld.entities.traits import ERROR_SCORE
from checkpoint_ld.errors import EvaluationError, LookupFailedError
from checkpoint_ld.findings import Place
from checkpoint_ld.identifiers import NO_TEMPLATE, template_id
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import encodable, shown
from checkpoint_ld.rules import finding
from checkpoint_ld.templates import read_template
from checkpoint_ld.templates.specification import spec_of
from checkpoint_ld.templates.verification import Evidence, verified

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib.term import Node

    from checkpoint_ld.assessment.answers import Json, Recorded, RecordedTrait
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.entities import AnyTrait, DynamicRubric, Rubric
    from checkpoint_ld.entities.rubric import Provenance, TraitCollection
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.templates import Template
    from checkpoint_ld.templates.verification import VerificationResult
    from checkpoint_ld.workers.trusted import Trust


class Status(StrEnum):
    """The status of an answer, from the least serious to the most serious obstacle."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """The template cannot decide, such as one that has code of its own."""
    ERROR = "error"
    """The answer was not verified: no such question, no usable record, or code that failed."""


class TraitStatus(StrEnum):
    """The status of a trait."""

    EVALUATED = "evaluated"
    NOT_RUN = "not_run"
    """There is no trace, or the code of the trait is not trusted."""
    JUDGED = "judged"
    """The value of a judge was recorded."""
    NEEDS_JUDGE = "needs_judge"
    """Only a language model can decide."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class TraitResult:
    """The result of one trait of the rubric for an answer.

    `kind` is llm, regex, callable, metric or agentic. `value` is a truth value, a score or the index of a class, None
    unless the trait was evaluated or judged. `recorded` is the value that was recorded elsewhere. `judge` is the model
    that gave it, where one is named. A trait with several values, metrics or the fields of a form, has a result for
    each, called `trait.metric`. `node` is the IRI of the trait in the checkpoint's graph.
    """

    name: str
    kind: str
    scope: Provenance | Literal["recorded"]
    status: TraitStatus
    value: bool | float | str | None = None
    reason: str = ""
    node: str | None = None
    recorded: Json = None
    judge: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Return the members that the trait has in a line of results."""
        names = ("name", "kind", "scope", "status", "value", "reason")
        optional = {name: value for name in ("recorded", "judge") if (value := getattr(self, name)) is not None}
        return {name: getattr(self, name) for name in names} | optional


COLUMNS = (
    *("question_id", "question", "model", "replicate", "answer_id", "date", "status", "reason", "score", "recorded"),
    *("answer", "file", "line"),
)
"""The columns that an assessment has as a row of a table."""


class Assessment(Shown, Mapping[str, Any]):
    """The assessment of one recorded answer.

    `question` is None where there is no such question, `result` where the template was not applied. No trait changes
    `status`. `answer.recorded` is the result of a verification elsewhere. `differences` are the findings about recorded
    values that differ from the values of this assessment, and about unknown members.

    As a mapping it is a row of a table with `COLUMNS`, so that data frames, and `csv.DictWriter`, take assessments.
    """

    __slots__ = ("answer", "differences", "question", "reason", "result", "status", "traits")

    def __init__(  # noqa: PLR0913, PLR0917 - its members
        self,
        answer: RecordedAnswer,
        status: Status,
        reason: str = "",
        question: AssessedQuestion | None = None,
        result: VerificationResult | None = None,
        traits: tuple[TraitResult, ...] = (),
        differences: tuple[Finding, ...] = (),
    ) -> None:
        self.answer, self.status, self.reason, self.question = answer, status, reason, question
        self.result, self.traits, self.differences = result, traits, differences

    def _members(self) -> tuple[object, ...]:
        return self.answer, self.status, self.reason, self.question, self.result, self.traits, self.differences

    def __repr__(self) -> str:
        names = ("answer", "status", "reason", "question", "result", "traits", "differences")
        return f"Assessment({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def __eq__(self, other: object) -> bool:
        return self._members() == other._members() if isinstance(other, Assessment) else NotImplemented

    __hash__ = None  # type: ignore[assignment] # its answer has a mapping

    def __iter__(self) -> Iterator[str]:
        return iter(COLUMNS)

    def __len__(self) -> int:
        return len(COLUMNS)

    def __getitem__(self, name: str) -> Any:
        answer, question = self.answer, self.question
        match name:
            case "question_id":
                return answer.question_id if question is None else question.identifier
            case "question":
                return answer.question_text if question is None else question.text
            case "model":
                return answer.model_name
            case "status":
                return self.status.value
            case "recorded":
                return None if self.recorded is None else self.recorded.value
            case "answer":
                if answer.text is not None or not answer.values:
                    return answer.trace if answer.text is None else answer.text
                return json.dumps(dict(answer.values), ensure_ascii=False, default=str)
        if name not in COLUMNS:
            raise KeyError(name)
        holder = answer.place if name in ("file", "line") else self if name in ("reason", "score") else answer
        return getattr(holder, name)

    @property
    def recorded(self) -> Status | None:
        """The verdict that was recorded elsewhere, None where there is none, or where the record cannot be used."""
        record = self.answer.recorded
        return None if record is None or record.passed is None or self.answer.fault else OF_VERDICT[record.passed]

    @property
    def differs(self) -> bool:
        """Whether a value that was recorded elsewhere differs from the value of this assessment."""
        return any(difference.rule == DIFFERS for difference in self.differences)

    def _card(self) -> Card:
        text = None if self.question is None else self.question.text
        facts = {"question": text, "model": self.answer.model_name, "score": self.score, "answer": self.answer.trace}
        facts["recorded"] = None if self.recorded is None else self.recorded.value
        facts["differences"] = "; ".join(difference.message for difference in self.differences) or None
        columns = "trait", "kind", "status", "value", "recorded", "reason"
        rows = (
            (trait.name, trait.kind, trait.status.value, trait.value, trait.recorded, trait.reason)
            for trait in self.traits
        )
        tables = [] if self.result is None else [self.result.table()]
        return Card("Assessment", self.status.value, self.reason, facts, [*tables, Rows("Traits", columns, rows)])

    @property
    def score(self) -> float | None:
        """The granular score from 0 to 1, honouring the whole strategy; None where there is none."""
        return None if self.result is None else self.result.granular_score

    def as_json(self) -> dict[str, Json]:
        """Return the line of results: the names of the answer, then its assessment."""
        answer, record, verdict = self.answer, self.answer.recorded, self.recorded
        beside: dict[str, Json] = {}
        if record is not None:
            status = None if verdict is None else verdict.value
            members = {
                "status": status,
                "score": record.score,
                "fields": dict(record.fields),
                "failure": record.failure,
            }
            members_of_differences = [
                {"code": difference.code, "message": difference.message, "remedy": difference.remedy}
                for difference in self.differences
            ]
            beside = {"recorded": members, "differences": members_of_differences}
        named = {name: getattr(answer, name) for name in ("answer_id", "model", "replicate", "date")}
        return {
            "file": answer.place.file,
            "line": answer.place.line,
            "question_id": answer.question_id,
            "question": None if self.question is None else self.question.identifier,
            **{key: value for key, value in named.items() if value is not None},
            "status": self.status.value,
            "reason": self.reason,
            "score": self.score,
            "verification": None if self.result is None else self.result.as_json(),
            "traits": [trait.as_json() for trait in self.traits],
            **beside,
            "extra": dict(answer.extra),
        }


@dataclass(frozen=True, slots=True)
class AssessedTrait:
    """A trait that applies to the answers to a question; `node` is its IRI in the checkpoint's graph.

    `obstacle` is the reason why it is not evaluated, such as a trait of the same name in the other rubric.
    """

    trait: AnyTrait
    scope: Provenance
    node: str | None = None
    is_dynamic: bool = False
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class AssessedQuestion:
    """A question of a benchmark, with the template and the traits that its answers are assessed by.

    `node` is the IRI of its `schema:Question` in the checkpoint's graph. `source` is the text of the template,
    `template` is that text, read without running it. `has_code` is whether a part of it cannot be read.
    """

    identifier: str
    text: str
    node: str
    source: str
    template: Template
    has_code: bool
    traits: tuple[AssessedTrait, ...]


def line_of(assessment: Assessment) -> bytes:
    """Return the line of results for an assessment, with its line end."""
    return encodable(json.dumps(assessment.as_json(), ensure_ascii=False)).encode() + b"\n"


class AssessedQuestions:
    """The questions of a benchmark by the names that records use for them.

    Each question is read once and kept, so the benchmark must not be edited while this is used.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._names = QuestionNames(benchmark.graph)
        self._read: dict[str, AssessedQuestion] = {}

    def question(self, name: str, text: str | None = None) -> AssessedQuestion:
        """Return the question that `QuestionNames.identifier` finds. Raises as that does."""
        identifier = self._names.identifier(name, text)
        if identifier not in self._read:
            self._read[identifier] = self._question(identifier)
        return self._read[identifier]

    def _question(self, identifier: str) -> AssessedQuestion:
        question = self._benchmark.get_question(identifier)
        source = question["answer_template"] or ""
        template = read_template(source)
        node = self._names.node(identifier)
        return AssessedQuestion(
            identifier=identifier,
            text=question["question"],
            node=str(node),
            source=source,
            template=template,
            has_code=bool(template.custom_code) or spec_of(template) is None,
            traits=tuple(self._traits(identifier, node)),
        )

    def _traits(self, identifier: str, question: Node) -> Iterator[AssessedTrait]:
        own = self._benchmark.get_question_rubric(identifier)
        rubric, dynamic, ratings = self._of_the_whole
        nodes = {"global": ratings, "question_specific": self._named_ratings(question)}
        try:
            merged, scopes = merge_rubrics_with_provenance(rubric, own)
        except ValueError as error:
            for scope, trait in _scoped(rubric, own):
                yield AssessedTrait(trait, scope, obstacle=str(error))
        else:
            for trait in merged.traits() if merged else ():
                scope = (scopes or {})[trait.name]
                yield AssessedTrait(trait, scope, nodes[scope].get(trait.name))
        for scope, trait in _scoped(dynamic, self._benchmark.get_question_dynamic_rubric(identifier)):
            yield AssessedTrait(trait, scope, nodes[scope].get(trait.name), is_dynamic=True)

    @cached_property
    def _of_the_whole(self) -> tuple[Rubric | None, DynamicRubric | None, dict[str, str]]:
        benchmark = self._benchmark
        ratings = self._named_ratings(benchmark.graph.root)
        return benchmark.global_rubric, benchmark.get_global_dynamic_rubric(), ratings

    def _named_ratings(self, owner: Node) -> dict[str, str]:
        graph = self._benchmark.graph
        return {str(graph.plain(node, "name")): str(node) for node in reversed(graph.member(owner, "rating"))}


def _scoped(whole: TraitCollection | None, own: TraitCollection | None) -> Iterator[tuple[Provenance, AnyTrait]]:
    rubrics: dict[Provenance, TraitCollection | None] = {"global": whole, "question_specific": own}
    return ((scope, trait) for scope, rubric in rubrics.items() if rubric is not None for trait in rubric.traits())


_KINDS = {cls: name.removesuffix("_traits") for name, cls in TRAIT_LISTS.items()}


_JUDGED = frozenset(("llm", "metric", "agentic"))
"""The kinds of traits whose values only a judge can give."""


def _trait_results(question: AssessedQuestion, answer: RecordedAnswer, trust: Trust | None) -> Iterator[TraitResult]:
    """Yield the results of the traits of a question, then the values recorded for traits that it does not have."""
    recorded: dict[str, list[RecordedTrait]] = {}
    names = {applied.trait.name for applied in question.traits}
    for trait in answer.recorded.traits if answer.recorded is not None else ():
        name = trait.name if trait.name in names else trait.name.partition(".")[0]
        recorded.setdefault(name, []).append(trait)
    for applied in question.traits:
        given = recorded.pop(applied.trait.name, [])
        if given and (applied.is_dynamic or _KINDS[type(applied.trait)] in _JUDGED) and not applied.obstacle:
            yield from (_judged(applied, record) for record in given)
        else:
            result = _evaluated(applied, answer.trace, trust)
            yield from (replace(result, recorded=record.value) for record in given)
            if not given:
                yield result
    for record in (record for several in recorded.values() for record in several):
        value = _scalar(record.value)
        about = value, record.reason, None, record.value, record.judge
        yield TraitResult(record.name, record.kind, "recorded", TraitStatus.JUDGED, *about)


def _judged(applied: AssessedTrait, recorded: RecordedTrait) -> TraitResult:
    """Return the value that a judge gave for a trait, or an error for a value that the trait cannot have."""
    trait, value, status, reason = applied.trait, recorded.value, TraitStatus.JUDGED, recorded.reason
    classes = list(getattr(trait, "classes", None) or ())
    if isinstance(value, str) and value in classes:
        value = classes.index(value)
    part = recorded.name.removeprefix(trait.name)[1:]  # a metric, or a field of a form
    if isinstance(trait, MetricRubricTrait):
        fits = True
    elif value == ERROR_SCORE and getattr(trait, "kind", None) == "literal":
        fits = False  # the judge named none of the classes
    else:
        fits = part in getattr(trait, "template_fields", ()) if part else trait.validate_score(value)
    if not fits:
        status, value = TraitStatus.ERROR, None
        member = f"{shown(part)}: " if part else ""
        reason = f"{member}{shown(recorded.value)} was recorded, which is no result of this trait"
    kind, value = _KINDS[type(trait)], _scalar(value)
    return TraitResult(
        recorded.name, kind, applied.scope, status, value, reason, applied.node, recorded.value, recorded.judge
    )


def _scalar(value: Json) -> bool | float | str | None:
    is_plain = isinstance(value, bool | str | None) or finite(value) is not None
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _evaluated(applied: AssessedTrait, trace: str | None, trust: Trust | None) -> TraitResult:
    value: bool | float | None = None
    if applied.obstacle:
        status, reason = TraitStatus.ERROR, applied.obstacle
    elif applied.is_dynamic:
        status, reason = TraitStatus.NEEDS_JUDGE, "whether its concept occurs in the answer is for a judge to tell"
    elif trace is None and isinstance(applied.trait, RegexRubricTrait | CallableRubricTrait):
        status, reason = TraitStatus.NOT_RUN, "the answer has no trace"
    else:
        outcome = outcome_of(applied.trait, trace or "", trust=trust)
        status, value, reason = TraitStatus(outcome.status.value), outcome.score, outcome.reason
    return TraitResult(
        applied.trait.name, _KINDS[type(applied.trait)], applied.scope, status, value, reason, applied.node
    )


OF_VERDICT = {True: Status.PASSED, False: Status.FAILED, None: Status.UNDECIDED}
"""The status of an answer or of a field, by whether it passed."""


def assess(
    benchmark: Benchmark, answers: Iterable[RecordedAnswer | Json], *, trust: Trust | None = None
) -> Iterator[Assessment]:
    """Yield the assessment of each answer, in the order of `answers`.

    An answer is a `RecordedAnswer`, or an object as in a line of a file of answers. The assessment of a faulty answer
    has its fault; nothing is raised, and the others are assessed. Templates and rubrics are read once for each
    question; nothing else is kept. Stored code runs only with `trust`, in a process of its own for each answer.
    """
    questions = AssessedQuestions(benchmark)
    for number, answer in enumerate(answers, start=1):
        record = answer if isinstance(answer, RecordedAnswer) else RecordedAnswer.of(answer, Place(line=number))
        yield assessed(record, questions, trust)


def assessed(answer: RecordedAnswer, questions: AssessedQuestions, trust: Trust | None) -> Assessment:
    """Return the assessment of one answer; see `assess`."""
    question = None
    if answer.question_id is not None:
        try:
            question = questions.question(answer.question_id, answer.question_text)
        except LookupFailedError as error:
            return Assessment(answer, Status.ERROR, answer.fault or str(error))
    if question is None or answer.fault:
        return Assessment(answer, Status.ERROR, answer.fault, question)
    traits = tuple(_trait_results(question, answer, trust))
    differing = partial(differences, answer, question, traits)
    if answer.recorded is not None and not answer.values and answer.trace is None:
        reason = "nothing was recorded but verdicts on traits"
        return Assessment(answer, Status.UNDECIDED, reason, question, traits=traits, differences=differing(None))
    template = question.source if question.has_code and trust is not None else question.template
    values = answer.values
    if values is None and answer.text is not None:
        values = values_of(answer.text, question.template)
    try:
        result = verified(template, Evidence(values, answer.trace, answer.context), trust)
    except EvaluationError as error:
        return Assessment(answer, Status.ERROR, str(error), question, traits=traits, differences=differing(None))
    return Assessment(answer, OF_VERDICT[result.passed], result.reason, question, result, traits, differing(result))


@dataclass
class Count:
    """The number of answers with each status, and their mean granular score."""

    name: str
    text: str = ""
    by_status: Counter[Status] = field(default_factory=Counter)
    scored: int = 0
    recorded: Counter[Status] = field(default_factory=Counter)
    """The number of answers with each verdict that was recorded elsewhere."""
    differing: int = 0
    """The number of answers with a recorded value that differs."""
    _sum: float = 0.0

    @property
    def answers(self) -> int:
        """How many answers were counted."""
        return self.by_status.total()

    @property
    def mean_score(self) -> float | None:
        """The mean of the granular scores from 0 to 1, None where no answer has one."""
        return self._sum / self.scored if self.scored else None

    def add(self, assessment: Assessment) -> None:
        """Count an assessment."""
        self.by_status[assessment.status] += 1
        if assessment.recorded is not None:
            self.recorded[assessment.recorded] += 1
        self.differing += assessment.differs
        if assessment.score is not None:
            self.scored += 1
            self._sum += assessment.score

    def as_json(self) -> dict[str, Json]:
        """Return the counts, all of them, also those that are 0."""
        counts = {status.value: self.by_status[status] for status in Status}
        recorded = {status.value: self.recorded[status] for status in (Status.PASSED, Status.FAILED)}
        beside = {"recorded": recorded, "differing": self.differing} if self.recorded or self.differing else {}
        return {"answers": self.answers, **counts, "mean_score": self.mean_score, **beside}


@dataclass
class TraitCount:
    """The number of results of a trait with each status, and the mean of its values; of the answers of `model`."""

    name: str
    kind: str
    by_status: Counter[TraitStatus] = field(default_factory=Counter)
    model: str | None = None
    _valued: int = 0
    _sum: float = 0.0

    @property
    def mean_value(self) -> float | None:
        """The mean of the values that were evaluated or judged (true is 1, false 0); None where there are none."""
        return self._sum / self._valued if self._valued else None

    def add(self, result: TraitResult) -> None:
        """Count the result of the trait for one answer."""
        self.by_status[result.status] += 1
        if isinstance(result.value, bool | int | float):
            self._valued += 1
            self._sum += result.value

    def as_json(self) -> dict[str, Json]:
        """Return the counts, all of them, also those that are 0."""
        counts = {status.value: self.by_status[status] for status in TraitStatus}
        named = {"name": self.name, "kind": self.kind, **({} if self.model is None else {"model": self.model})}
        return {**named, **counts, "mean_value": self.mean_value}


class Tally:
    """Counts of assessments: of all (`total`), and by question, model and trait in the order of their appearance.

    `judged` counts the values of judges, by trait and by the model that they judged.

    Its size depends on the number of questions, models and traits, not of answers. Answers to no known question are
    counted in `total` and for their model only.
    """

    def __init__(self) -> None:
        self.total = Count("total")
        self.questions: dict[str, Count] = {}
        self.models: dict[str, Count] = {}
        self.traits: dict[tuple[str, str], TraitCount] = {}
        self.judged: dict[tuple[str, str, str], TraitCount] = {}

    def add(self, assessment: Assessment) -> None:
        """Count an assessment."""
        self.total.add(assessment)
        question, model = assessment.question, assessment.answer.model_name
        if question is not None:
            self.questions.setdefault(question.identifier, Count(question.identifier, question.text)).add(assessment)
        if model is not None:
            self.models.setdefault(model, Count(model)).add(assessment)
        for result in assessment.traits:
            key = (result.name, result.kind)
            self.traits.setdefault(key, TraitCount(*key)).add(result)
            if model is not None and result.status is TraitStatus.JUDGED:
                self.judged.setdefault((*key, model), TraitCount(*key, model=model)).add(result)

    def at_least(self, status: Status) -> int:
        """Return how many answers have this status or one that is a more serious obstacle."""
        serious = list(Status)[list(Status).index(status) :]
        return sum(self.total.by_status[grade] for grade in serious)

    def as_json(self) -> dict[str, Json]:
        """Return all counts as a JSON object."""
        return {
            "total": self.total.as_json(),
            "questions": [
                {"question": count.name, "text": count.text, **count.as_json()} for count in self.questions.values()
            ],
            "models": [{"model": model.name, **model.as_json()} for model in self.models.values()],
            "traits": [trait.as_json() for trait in self.traits.values()],
            **({"judged": [count.as_json() for count in self.judged.values()]} if self.judged else {}),
        }


DIFFERS = "recorded-differs"
UNKNOWN = "recorded-unknown"
"""The rules about recorded values and members, by name."""
_CLOSE = 1e-6
_WORDS = {True: "passed", False: "failed"}


def differences(
    answer: RecordedAnswer,
    question: AssessedQuestion,
    traits: tuple[TraitResult, ...],
    result: VerificationResult | None,
) -> tuple[Finding, ...]:
    """Return findings about recorded values that differ from the results, and about unknown recorded names."""
    recorded = answer.recorded
    if recorded is None:
        return ()
    messages = [(DIFFERS, message) for message in _differing(answer, recorded, question, result)]
    for trait in traits:
        if trait.scope == "recorded":
            name = trait.name.partition(".")[0]
            messages.append((UNKNOWN, f"the question has no trait {name!r}, for which values are recorded"))
        elif trait.status.value == "evaluated" and trait.recorded is not None and trait.recorded != trait.value:
            values = shown(trait.recorded), shown(trait.value)
            messages.append((DIFFERS, f"{values[0]} is recorded for the trait {trait.name!r}, which gives {values[1]}"))
    messages += [
        (UNKNOWN, f"the member {name!r} of results is not known, and kept as it is") for name in recorded.unknown
    ]
    return tuple(
        replace(finding(rule, message, subject=question.identifier), place=answer.place)
        for rule, message in dict.fromkeys(messages)
    )


def _differing(
    answer: RecordedAnswer, recorded: Recorded, question: AssessedQuestion, result: VerificationResult | None
) -> Iterator[str]:
    recorded_text = answer.question_text
    if recorded_text is not None and recorded_text.strip() != question.text.strip():
        yield f"the question was recorded as {shown(recorded_text)}, and reads {shown(question.text)} now"
    if result is None:
        return
    reasons = [f"{override} overrode the template" for override in recorded.overrides]
    if recorded.template_id not in {None, NO_TEMPLATE, template_id(question.source)}:
        reasons.append("by another template")
    why = " and ".join(reasons)
    if recorded.passed is not None and result.passed is not None and recorded.passed is not result.passed:
        words = f"{_WORDS[recorded.passed]} is recorded, and the template says {_WORDS[result.passed]}"
        yield f"{words}{why and f' ({why})'}{result.reason and f': {result.reason}'}"
    else:
        scores = [score for score in (result.karenina_granular_score, result.granular_score) if score is not None]
        if recorded.score is not None and scores and all(abs(recorded.score - score) > _CLOSE for score in scores):
            yield f"the score {recorded.score:g} is recorded, and the template gives {scores[0]:g}{why and f' ({why})'}"
    here = {field.name: field.passed for field in result.fields}
    for name, passed in recorded.fields.items():
        if isinstance(passed, bool) and here.get(name) is (not passed):
            yield f"{_WORDS[passed]} is recorded for the field {name!r}, and the template says {_WORDS[not passed]}"
