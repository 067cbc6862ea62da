"""Assessments: what came out when a recorded answer was held against its question."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from checkpoint_ld.assessment.answers import RecordedAnswer
from checkpoint_ld.benchmark.content import elements_of
from checkpoint_ld.entities import CallableRubricTrait, RegexRubricTrait
from checkpoint_ld.entities.rubric import TRAIT_LISTS, merge_rubrics_with_provenance, outcome_of
from checkpoint_ld.errors import EvaluationError, LookupFailedError
from checkpoint_ld.findings import Place
from checkpoint_ld.identifiers import question_object_id
from checkpoint_ld.phrases import encodable, shown
from checkpoint_ld.templates import read_template
from checkpoint_ld.templates.specification import spec_of
from checkpoint_ld.templates.verification import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.assessment.answers import Json
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.entities import AnyTrait, DynamicRubric, Rubric
    from checkpoint_ld.entities.rubric import Provenance, TraitCollection
    from checkpoint_ld.templates import Template
    from checkpoint_ld.templates.verification import VerificationResult
    from checkpoint_ld.workers.trusted import Trust


class Status(StrEnum):
    """What became of an answer; each is a more serious obstacle than the one before it."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """The template cannot decide, such as one that has code of its own."""
    ERROR = "error"
    """The answer was not held against anything: no such question, no usable record, code that failed."""


class TraitStatus(StrEnum):
    """What became of a trait."""

    EVALUATED = "evaluated"
    NOT_RUN = "not_run"
    """There is no trace, or code that nobody trusted."""
    NEEDS_JUDGE = "needs_judge"
    """Only a language model can tell."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class TraitResult:
    """What one trait of the rubric says about an answer.

    `kind` is llm, regex, callable, metric or agentic. `value` is a truth value, a score or the index of a class, None
    unless the trait was evaluated. `node` is the IRI of the trait in the checkpoint's graph.
    """

    name: str
    kind: str
    scope: Provenance
    status: TraitStatus
    value: bool | float | None = None
    reason: str = ""
    node: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Return the members that the trait has in a line of results."""
        names = ("name", "kind", "scope", "status", "value", "reason")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Assessment:
    """What came out for one recorded answer.

    `question` is None where there is no such question, `result` where the template was not applied. Traits stand
    beside the verdict: none of them changes `status`.
    """

    answer: RecordedAnswer
    status: Status
    reason: str = ""
    question: AskedQuestion | None = None
    result: VerificationResult | None = None
    traits: tuple[TraitResult, ...] = ()

    @property
    def score(self) -> float | None:
        """The granular score from 0 to 1, honouring the whole strategy; None where there is none."""
        return None if self.result is None else self.result.granular_score

    def as_json(self) -> dict[str, Json]:
        """Return the line of results: what names the answer, then what came out."""
        answer = self.answer
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
            "extra": dict(answer.extra),
        }


@dataclass(frozen=True, slots=True)
class AskedTrait:
    """A trait that judges the answers to a question; `node` is its IRI in the checkpoint's graph.

    `obstacle` says why it is not even tried, such as a namesake in the other rubric.
    """

    trait: AnyTrait
    scope: Provenance
    node: str | None = None
    is_dynamic: bool = False
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of a benchmark, with what its answers are held against.

    `node` is the IRI of its `schema:Question` in the checkpoint's graph. `source` is the text of the template,
    `template` what reading it without running it gives; `has_code` tells that not all of it can be read.
    """

    identifier: str
    text: str
    node: str
    source: str
    template: Template
    has_code: bool
    traits: tuple[AskedTrait, ...]


def line_of(assessment: Assessment) -> bytes:
    """Return the line of results for an assessment, with its line end."""
    return encodable(json.dumps(assessment.as_json(), ensure_ascii=False)).encode() + b"\n"


class AskedQuestions:
    """The questions of a benchmark by what records call them.

    The benchmark must not be edited meanwhile: what was read once is kept.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._elements = elements_of(benchmark.graph)
        self._read: dict[str, AskedQuestion] = {}

    def question(self, name: str) -> AskedQuestion:
        """Return the question with the identifier `name`, or else the one whose text has the MD5 hash `name`.

        The hash is what Karenina's `Question` objects and results carry as their id. Raises LookupFailedError if there
        is no such question, or more than one of that text.
        """
        identifier = name if name in self._elements else self._by_hash(name)
        if identifier not in self._read:
            self._read[identifier] = self._asked(identifier)
        return self._read[identifier]

    def _by_hash(self, name: str) -> str:
        match self._hashes.get(name, []):
            case [identifier]:
                return identifier
            case [_, *_] as found:
                raise LookupFailedError(
                    f"{len(found)} questions have a text with the hash {name}: give one of their identifiers, "
                    f"{' or '.join(map(shown, found))}"
                )
        where = "the benchmark has scenarios, whose turns have no answers of their own"
        if self._elements:
            where = "give the identifier of a question of this benchmark, or the MD5 hash of its text"
        raise LookupFailedError(f"there is no question {shown(name)}: {where}")

    @cached_property
    def _hashes(self) -> dict[str, list[str]]:
        graph, hashes = self._benchmark.graph, dict[str, list[str]]()
        for identifier, element in self._elements.items():
            text = graph.plain(self._node(element), "text")
            with suppress(UnicodeEncodeError):  # half a surrogate pair has no bytes, and so the text no hash
                hashes.setdefault(question_object_id(text if isinstance(text, str) else ""), []).append(identifier)
        return hashes

    def _node(self, element: Node) -> Node:
        return next(iter(self._benchmark.graph.member(element, "item")), element)

    def _asked(self, identifier: str) -> AskedQuestion:
        question = self._benchmark.get_question(identifier)
        source = question["answer_template"] or ""
        template = read_template(source)
        node = self._node(self._elements[identifier])
        return AskedQuestion(
            identifier=identifier,
            text=question["question"],
            node=str(node),
            source=source,
            template=template,
            has_code=bool(template.custom_code) or spec_of(template) is None,
            traits=tuple(self._traits(identifier, node)),
        )

    def _traits(self, identifier: str, question: Node) -> Iterator[AskedTrait]:
        own = self._benchmark.get_question_rubric(identifier)
        nodes = {"global": self._global_nodes, "question_specific": self._named_ratings(question)}
        rubrics: dict[Provenance, Rubric | None] = {"global": self._global_rubric, "question_specific": own}
        try:
            merged, scopes = merge_rubrics_with_provenance(self._global_rubric, own)
        except ValueError as error:
            for scope, trait in _scoped(rubrics):
                yield AskedTrait(trait, scope, obstacle=str(error))
        else:
            for trait in merged.traits() if merged else ():
                scope = (scopes or {})[trait.name]
                yield AskedTrait(trait, scope, nodes[scope].get(trait.name))
        dynamic: dict[Provenance, DynamicRubric | None] = {
            "global": self._global_dynamic_rubric,
            "question_specific": self._benchmark.get_question_dynamic_rubric(identifier),
        }
        for scope, trait in _scoped(dynamic):
            yield AskedTrait(trait, scope, nodes[scope].get(trait.name), is_dynamic=True)

    @cached_property
    def _global_rubric(self) -> Rubric | None:
        return self._benchmark.global_rubric

    @cached_property
    def _global_dynamic_rubric(self) -> DynamicRubric | None:
        return self._benchmark.get_global_dynamic_rubric()

    @cached_property
    def _global_nodes(self) -> dict[str, str]:
        return self._named_ratings(self._benchmark.graph.root)

    def _named_ratings(self, owner: Node) -> dict[str, str]:
        graph = self._benchmark.graph
        return {str(graph.plain(node, "name")): str(node) for node in reversed(graph.member(owner, "rating"))}


def _scoped(rubrics: Mapping[Provenance, TraitCollection | None]) -> Iterator[tuple[Provenance, AnyTrait]]:
    return ((scope, trait) for scope, rubric in rubrics.items() if rubric is not None for trait in rubric.traits())


_KINDS = {cls: name.removesuffix("_traits") for name, cls in TRAIT_LISTS.items()}


def _trait_result(asked: AskedTrait, trace: str | None, trust: Trust | None) -> TraitResult:
    value: bool | float | None = None
    if asked.obstacle:
        status, reason = TraitStatus.ERROR, asked.obstacle
    elif asked.is_dynamic:
        status, reason = TraitStatus.NEEDS_JUDGE, "whether its concept occurs in the answer is for a judge to tell"
    elif trace is None and isinstance(asked.trait, RegexRubricTrait | CallableRubricTrait):
        status, reason = TraitStatus.NOT_RUN, "the answer has no trace"
    else:
        found = outcome_of(asked.trait, trace or "", trust=trust)
        status, value, reason = TraitStatus(found.status.value), found.score, found.reason
    return TraitResult(asked.trait.name, _KINDS[type(asked.trait)], asked.scope, status, value, reason, asked.node)


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
    traits = tuple(_trait_result(asked, answer.trace, trust) for asked in question.traits)
    template = question.source if question.has_code and trust is not None else question.template
    try:
        result = verify(template, answer.values, answer.trace, context=answer.context, trust=trust)
    except EvaluationError as error:
        return Assessment(answer, Status.ERROR, str(error), question, traits=traits)
    return Assessment(answer, _STATUS[result.passed], result.reason, question, result, traits)


@dataclass
class Count:
    """How many answers had which status, and their mean granular score."""

    name: str
    text: str = ""
    by_status: Counter[Status] = field(default_factory=Counter)
    scored: int = 0
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
        if assessment.score is not None:
            self.scored += 1
            self._sum += assessment.score

    def as_json(self) -> dict[str, Json]:
        """Return the counts, all of them, also those that are 0."""
        counts = {status.value: self.by_status[status] for status in Status}
        return {"answers": self.answers, **counts, "mean_score": self.mean_score}


@dataclass
class TraitCount:
    """How often a trait had which status, and the mean of its values."""

    name: str
    kind: str
    by_status: Counter[TraitStatus] = field(default_factory=Counter)
    _sum: float = 0.0

    @property
    def mean_value(self) -> float | None:
        """The mean of what was evaluated, in which true is 1 and false is 0; None where nothing was."""
        evaluated = self.by_status[TraitStatus.EVALUATED]
        return self._sum / evaluated if evaluated else None

    def add(self, result: TraitResult) -> None:
        """Count the result of the trait for one answer."""
        self.by_status[result.status] += 1
        self._sum += result.value or 0

    def as_json(self) -> dict[str, Json]:
        """Return the counts, all of them, also those that are 0."""
        counts = {status.value: self.by_status[status] for status in TraitStatus}
        return {"name": self.name, "kind": self.kind, **counts, "mean_value": self.mean_value}


class Tally:
    """Counts of assessments: of all (`total`), and by question, model and trait in the order of their appearance.

    It takes no more room than there are questions, models and traits. Answers to no known question are counted in
    `total` and for their model only.
    """

    def __init__(self) -> None:
        self.total = Count("total")
        self.questions: dict[str, Count] = {}
        self.models: dict[str, Count] = {}
        self.traits: dict[tuple[str, str], TraitCount] = {}

    def add(self, assessment: Assessment) -> None:
        """Count an assessment."""
        self.total.add(assessment)
        question, model = assessment.question, assessment.answer.model_name
        if question is not None:
            self.questions.setdefault(question.identifier, Count(question.identifier, question.text)).add(assessment)
        if model is not None:
            self.models.setdefault(model, Count(model)).add(assessment)
        for result in assessment.traits:
            self.traits.setdefault((result.name, result.kind), TraitCount(result.name, result.kind)).add(result)

    def at_least(self, status: Status) -> int:
        """Return how many answers have this status or one that is a more serious obstacle."""
        serious = list(Status)[list(Status).index(status) :]
        return sum(self.total.by_status[one] for one in serious)

    def as_json(self) -> dict[str, Json]:
        """Return all counts as a JSON object."""
        return {
            "total": self.total.as_json(),
            "questions": [{"question": one.name, "text": one.text, **one.as_json()} for one in self.questions.values()],
            "models": [{"model": one.name, **one.as_json()} for one in self.models.values()],
            "traits": [one.as_json() for one in self.traits.values()],
        }
