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

from checkpoint_ld.assessment.assessing import Status
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph.literals import double_text, is_datetime
from checkpoint_ld.graph.naming import escaped, is_iri
from checkpoint_ld.phrases import encodable
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.assessment.assessing import Assessment

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
    title = (_terms("title"), Literal("checkpoint-ld verify"))
    yield from _node(ASSERTOR, _earl("Assertor"), (_TYPE, _earl("Software")), title)
    for number, assessment in enumerate(assessments, start=1):
        if assessment.question is not None:
            name = f"{base}line-{assessment.answer.place.line or number}"
            yield from _about(assessment, assessment.question.node, name, base, date)


def _about(assessment: Assessment, test: str, name: str, base: str, date: str | None) -> Iterator[Triple]:
    """Yield the statements about one assessment; what is minted for it begins with `name`."""
    answer, verified = assessment.answer, assessment.result
    assertion, result = NamedNode(name), NamedNode(f"{name}-result")
    identifier = answer.answer_id
    is_name = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    subject = NamedNode(f"{base}answer-{escaped(encodable(str(identifier)))}" if is_name else f"{name}-answer")
    yield from _node(
        assertion,
        _earl("Assertion"),
        (_earl("assertedBy"), ASSERTOR),
        (_earl("subject"), subject),
        (_earl("test"), NamedNode(test)),
        (_earl("mode"), _earl("automatic")),
        (_earl("result"), result),
    )
    named = {"answerId": answer.answer_id, "modelName": answer.model_name, "replicate": answer.replicate}
    scalars = {term: value for term, value in named.items() if isinstance(value, str | int | float)}
    yield from _node(subject, _earl("TestSubject"), (_TYPE, _ours("RecordedAnswer")), *_stated(scalars))
    fields = (
        {} if verified is None else {f"{name}-field-{escaped(encodable(one.name))}": one for one in verified.fields}
    )
    traits = {f"{name}-trait-{at}": one for at, one in enumerate(assessment.traits, start=1)}
    moment = answer.date or date
    scores = {
        "granularScore": None if verified is None else verified.granular_score,
        "kareninaGranularScore": None if verified is None else verified.karenina_granular_score,
    }
    yield from _node(
        result,
        _earl("TestResult"),
        (_earl("outcome"), _OUTCOMES[assessment.status]),
        *_described(assessment.reason),
        *([] if moment is None else [(_terms("date"), _date(moment))]),
        *_stated({term: None if score is None else float(score) for term, score in scores.items()}),
        *((_ours("fieldResult"), NamedNode(node)) for node in fields),
        *((_ours("traitResult"), NamedNode(node)) for node in traits),
    )
    for node, field in fields.items():
        yield from _node(
            NamedNode(node),
            _ours("FieldResult"),
            (_NAME, _literal(field.name)),
            (_earl("outcome"), _OUTCOMES[_OF_VERDICT[field.passed]]),
            *_stated(
                {
                    "resultWeight": float(field.weight),
                    "resultScore": None if field.score is None else float(field.score),
                }
            ),
            *_described(field.reason),
        )
    for node, trait in traits.items():
        yield from _node(
            NamedNode(node),
            _ours("TraitResult"),
            (_NAME, _literal(trait.name)),
            *([] if trait.node is None else [(_ours("resultTrait"), NamedNode(trait.node))]),
            *_stated({"resultStatus": trait.status.value, "resultValue": trait.value}),
            *_described(trait.reason),
        )


def _node(node: NamedNode, kind: NamedNode, *said: tuple[NamedNode, NamedNode | Literal]) -> Iterator[Triple]:
    yield Triple(node, _TYPE, kind)
    yield from (Triple(node, predicate, value) for predicate, value in said)


def _stated(members: Mapping[str, str | float | None]) -> Iterator[tuple[NamedNode, Literal]]:
    return ((_ours(term), _literal(value)) for term, value in members.items() if value is not None)


def _described(reason: str) -> list[tuple[NamedNode, Literal]]:
    return [(_terms("description"), _literal(reason))] if reason else []


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
