"""Assessments as RDF: EARL, the Evaluation and Report Language 1.0 Schema (W3C Note, 2 February 2017).

An assertion says of a recorded answer (`earl:subject`) how it did at a question of the checkpoint (`earl:test`).
Every node has an IRI, and the same answers always give the same statements.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

import pyoxigraph
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple

from checkpoint_ld.assessment.assessment import Status
from checkpoint_ld.characters import encodable
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph.literals import double_text, is_datetime
from checkpoint_ld.graph.naming import escaped, is_iri
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.assessment.assessment import Assessment, TraitResult
    from checkpoint_ld.templates.verdicts import FieldResult

EARL = "http://www.w3.org/ns/earl#"
TERMS = "http://purl.org/dc/terms/"
PREFIXES = {"earl": EARL, "dct": TERMS, "schema": SCHEMA, "karenina": KARENINA, "rdf": RDF, "xsd": XSD}

BASE = "urn:karenina:answers:"
"""What names of recorded answers begin with, unless the user gives something else."""
ASSERTOR = NamedNode("urn:checkpoint-ld:verify")

SYNTAXES = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".trig": RdfFormat.TRIG,
}
"""The syntaxes by the extension of a file."""

_OUTCOMES = {
    Status.PASSED: NamedNode(EARL + "passed"),
    Status.FAILED: NamedNode(EARL + "failed"),
    Status.UNDECIDED: NamedNode(EARL + "cantTell"),
    Status.ERROR: NamedNode(EARL + "untested"),
}
_OF_VERDICT = {True: Status.PASSED, False: Status.FAILED, None: Status.UNDECIDED}
_TYPE = NamedNode(RDF + "type")
_NAME = NamedNode(SCHEMA + "name")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """How results are written as RDF.

    `base` is what names of recorded answers and of their results begin with, an IRI; it names the graph as well, where
    the syntax has named graphs. `date` is the time of results that have none of their own, in ISO 8601. Raises
    SettingsError if they are none.
    """

    syntax: RdfFormat
    base: str
    date: str | None = None

    def __post_init__(self) -> None:
        if not is_iri(self.base):
            raise SettingsError(f"{self.base!r} is no IRI for names to begin with: give one such as {BASE}run-1#")
        if self.date is not None and not is_iso_8601(self.date):
            raise SettingsError(f"{self.date!r} is no date in ISO 8601: give one such as 2026-01-31")

    @classmethod
    def of_file(cls, file: str, *, answers: str | None, base: str | None = None, date: str | None = None) -> Self:
        """Return the form for results in `file`, whose extension tells the syntax, of the answers in a file `answers`.

        Raises SettingsError for another extension, and as `Form` does.
        """
        syntax = SYNTAXES.get(Path(file).suffix.lower())
        if syntax is None:
            raise SettingsError(f"{file}: cannot be written as RDF: give it an extension, {', '.join(SYNTAXES)}")
        named = Path(answers).name if answers is not None else "recorded"
        return cls(syntax, f"{BASE}{escaped(encodable(named))}#" if base is None else base, date)


def write(assessments: Iterable[Assessment], file: BinaryIO, form: Form) -> None:
    """Write assessments to `file` as they come.

    Those of no known question are left out, since an assertion has a test (EARL §2.1).
    """
    graph = NamedNode(form.base.removesuffix("#"))
    triples = statements(assessments, base=form.base, date=form.date)
    if form.syntax in (RdfFormat.N_QUADS, RdfFormat.TRIG):
        quads = (Quad(one.subject, one.predicate, one.object, graph) for one in triples)
        pyoxigraph.serialize(quads, file, form.syntax, prefixes=PREFIXES)
    else:
        pyoxigraph.serialize(triples, file, form.syntax, prefixes=PREFIXES)


def statements(assessments: Iterable[Assessment], *, base: str, date: str | None = None) -> Iterator[Triple]:
    """Yield the statements about assessments, those about one node together; parameters are as in `Form`."""
    yield Triple(ASSERTOR, _TYPE, _earl("Assertor"))
    yield Triple(ASSERTOR, _TYPE, _earl("Software"))
    yield Triple(ASSERTOR, _terms("title"), Literal("checkpoint-ld verify"))
    for number, assessment in enumerate(assessments, start=1):
        if assessment.question is not None:
            yield from _Writer(assessment, assessment.question.node, base, number).triples(date)


class _Writer:
    """Writes about one assessment, the one at `number`; what is minted for it has the number of its line."""

    def __init__(self, assessment: Assessment, test: str, base: str, number: int) -> None:
        self.assessment = assessment
        self.answer = assessment.answer
        self.test = NamedNode(test)
        self.name = f"{base}line-{self.answer.place.line or number}"
        identifier = self.answer.answer_id
        is_name = isinstance(identifier, str | int) and not isinstance(identifier, bool)
        own = f"{base}answer-{escaped(encodable(str(identifier)))}"
        self.subject = NamedNode(own) if is_name else self._node("answer")
        self.result = self._node("result")

    def _node(self, part: str) -> NamedNode:
        return NamedNode(f"{self.name}-{part}")

    def triples(self, date: str | None) -> Iterator[Triple]:
        """Yield all statements."""
        assertion = NamedNode(self.name)
        yield Triple(assertion, _TYPE, _earl("Assertion"))
        yield Triple(assertion, _earl("assertedBy"), ASSERTOR)
        yield Triple(assertion, _earl("subject"), self.subject)
        yield Triple(assertion, _earl("test"), self.test)
        yield Triple(assertion, _earl("mode"), _earl("automatic"))
        yield Triple(assertion, _earl("result"), self.result)
        yield from self._about_subject()
        yield from self._about_result(self.answer.date or date)

    def _about_subject(self) -> Iterator[Triple]:
        answer = self.answer
        yield Triple(self.subject, _TYPE, _earl("TestSubject"))
        yield Triple(self.subject, _TYPE, _ours("RecordedAnswer"))
        told = {"answerId": answer.answer_id, "modelName": answer.model_name, "replicate": answer.replicate}
        for term, value in told.items():
            if isinstance(value, str | int | float):
                yield Triple(self.subject, _ours(term), _literal(value))

    def _about_result(self, date: str | None) -> Iterator[Triple]:
        verified = self.assessment.result
        judged = () if verified is None else verified.fields
        fields = {self._node(f"field-{escaped(encodable(one.name))}"): one for one in judged}
        traits = {self._node(f"trait-{at}"): one for at, one in enumerate(self.assessment.traits, start=1)}
        yield Triple(self.result, _TYPE, _earl("TestResult"))
        yield Triple(self.result, _earl("outcome"), _OUTCOMES[self.assessment.status])
        yield from _described(self.result, self.assessment.reason)
        if date is not None:
            yield Triple(self.result, _terms("date"), _date(date))
        if verified is not None and verified.granular_score is not None:
            yield Triple(self.result, _ours("granularScore"), _literal(float(verified.granular_score)))
        if verified is not None and verified.karenina_granular_score is not None:
            yield Triple(self.result, _ours("kareninaGranularScore"), _literal(float(verified.karenina_granular_score)))
        yield from (Triple(self.result, _ours("fieldResult"), node) for node in fields)
        yield from (Triple(self.result, _ours("traitResult"), node) for node in traits)
        for node, field in fields.items():
            yield from _about_field(field, node)
        for node, trait in traits.items():
            yield from _about_trait(trait, node)


def _about_field(result: FieldResult, node: NamedNode) -> Iterator[Triple]:
    yield Triple(node, _TYPE, _ours("FieldResult"))
    yield Triple(node, _NAME, _literal(result.name))
    yield Triple(node, _earl("outcome"), _OUTCOMES[_OF_VERDICT[result.passed]])
    yield Triple(node, _ours("resultWeight"), _literal(float(result.weight)))
    if result.score is not None:
        yield Triple(node, _ours("resultScore"), _literal(float(result.score)))
    yield from _described(node, result.reason)


def _about_trait(result: TraitResult, node: NamedNode) -> Iterator[Triple]:
    yield Triple(node, _TYPE, _ours("TraitResult"))
    yield Triple(node, _NAME, _literal(result.name))
    if result.node is not None:
        yield Triple(node, _ours("resultTrait"), NamedNode(result.node))
    yield Triple(node, _ours("resultStatus"), _literal(result.status.value))
    if result.value is not None:
        yield Triple(node, _ours("resultValue"), _literal(result.value))
    yield from _described(node, result.reason)


def _described(node: NamedNode, reason: str) -> Iterator[Triple]:
    if reason:
        yield Triple(node, _terms("description"), _literal(reason))


def _literal(value: str | float) -> Literal:
    if isinstance(value, str):
        return Literal(encodable(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return Literal(str(value), datatype=NamedNode(XSD + "integer"))  # of any size
    if isinstance(value, float) and math.isfinite(value):
        return Literal(double_text(value), datatype=NamedNode(XSD + "double"))
    return Literal(value)


def _date(text: str) -> Literal:
    """Return a date or a time as what it is; a text that is neither stays a text."""
    if is_datetime(text):
        return Literal(text, datatype=NamedNode(XSD + "dateTime"))
    if _DATE.fullmatch(text) and is_iso_8601(text):
        return Literal(text, datatype=NamedNode(XSD + "date"))
    return _literal(text)


@cache
def _earl(name: str) -> NamedNode:
    return NamedNode(EARL + name)


@cache
def _terms(name: str) -> NamedNode:
    return NamedNode(TERMS + name)


@cache
def _ours(name: str) -> NamedNode:
    return NamedNode(KARENINA + name)
