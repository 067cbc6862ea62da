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
import rdflib
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple
from rdflib import URIRef

from checkpoint_ld.agent import schema
from checkpoint_ld.arguments import checked
from checkpoint_ld.assessment.assessing import OF_VERDICT, Assessment, Status, TraitStatus
from checkpoint_ld.documents.files import extension_of
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph.literals import double_text, escaped, is_datetime, is_iri
from checkpoint_ld.phrases import encodable
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.assessment.answers import RecordedAnswer
    from checkpoint_ld.assessment.assessing import TraitResult
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

EARL = "http://www.w3.org/ns/earl#"
TERMS = "http://purl.org/dc/terms/"
PREFIXES = {
    "earl": EARL,
    "dct": TERMS,
    "prov": schema.PROV,
    "schema": SCHEMA,
    "karenina": KARENINA,
    "rdf": RDF,
    "xsd": XSD,
}

BASE = "urn:karenina:answers:"
"""What names of recorded answers begin with, unless the user gives something else."""
ASSERTOR = NamedNode("urn:checkpoint-ld:verify")

SYNTAXES = {".ttl": RdfFormat.TURTLE, ".nt": RdfFormat.N_TRIPLES, ".nq": RdfFormat.N_QUADS, ".trig": RdfFormat.TRIG}
"""The syntaxes by the extension of a file."""

_OUTCOMES = {
    Status.PASSED: NamedNode(EARL + "passed"),
    Status.FAILED: NamedNode(EARL + "failed"),
    Status.UNDECIDED: NamedNode(EARL + "cantTell"),
    Status.ERROR: NamedNode(EARL + "untested"),
}
_OF_JUDGES = (TraitStatus.JUDGED, TraitStatus.ERROR)
"""What may become of a value that a judge gave; a value of any other trait stands beside ours."""
_TYPE = NamedNode(RDF + "type")
_NAME = NamedNode(SCHEMA + "name")
_GENERATED = NamedNode(schema.PROV + "wasGeneratedBy")
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
        _check_base(self.base)
        if self.date is not None and not is_iso_8601(self.date):
            raise SettingsError(f"{self.date!r} is no date in ISO 8601: give one such as 2026-01-31")

    @classmethod
    def of_file(cls, file: str, *, answers: str | None, base: str | None = None, date: str | None = None) -> Self:
        """Return the form for results in `file`, whose extension tells the syntax, of the answers in a file `answers`.

        Raises SettingsError for another extension, and as `Form` does.
        """
        syntax = SYNTAXES.get(extension_of(file))
        if syntax is None:
            raise SettingsError(f"{file}: cannot be written as RDF: give it an extension, {', '.join(SYNTAXES)}")
        return cls(syntax, base_of(answers) if base is None else base, date)


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
    known = set[NamedNode]()
    for number, assessment in enumerate(assessments, start=1):
        if assessment.question is not None:
            place = assessment.answer.place
            where = place.pointer.strip("/").replace("/", "-") if place.pointer else f"line-{place.line or number}"
            yield from _about(assessment, assessment.question.node, f"{base}{where}", base, date)
            yield from _recorded(assessment, f"{base}{where}", base, known)


def base_of(answers: str | None) -> str:
    """Return what names of recorded answers begin with that are in a file `answers`."""
    return f"{BASE}{escaped(encodable(Path(answers).name if answers is not None else 'recorded'))}#"


def _check_base(base: str) -> None:
    if not is_iri(base):
        raise SettingsError(f"{base!r} is no IRI for names to begin with: give one such as {BASE}run-1#")


@checked
def joined(benchmark: CheckpointGraph, assessments: Iterable[Assessment], *, base: str) -> CheckpointGraph:
    """Return the graph of a benchmark together with the statements about assessments of its answers.

    So a query goes from a question to what every model did at it. The benchmark stays as it is; `base` is what names
    of answers begin with, such as `base_of` gives. Raises SettingsError for a base that is no IRI.
    """
    _check_base(base)
    graph = benchmark.copy()
    for one in statements(assessments, base=base):
        graph.add((_term(one.subject), _term(one.predicate), _term(one.object)))
    return graph


def _term(term: object) -> URIRef | rdflib.Literal:
    if isinstance(term, Literal):
        plain = term.datatype.value == f"{XSD}string"
        return rdflib.Literal(term.value, datatype=None if plain else term.datatype.value)
    return URIRef(str(getattr(term, "value", term)))


def _about(assessment: Assessment, test: str, name: str, base: str, date: str | None) -> Iterator[Triple]:
    """Yield the statements about one assessment; what is minted for it begins with `name`."""
    answer, verified = assessment.answer, assessment.result
    result, subject = NamedNode(f"{name}-result"), _subject(answer, name, base)
    yield from _assertion(name, ASSERTOR, subject, test)
    named = {"answerId": answer.answer_id, "modelName": answer.model_name, "replicate": answer.replicate}
    scalars = {term: value for term, value in named.items() if isinstance(value, str | int | float)}
    run = answer.extra.get("execution_id")
    generated = [(_GENERATED, NamedNode(schema.iri("execution", run)))] if isinstance(run, str) and run else []
    yield from _node(subject, _earl("TestSubject"), (_TYPE, _ours("RecordedAnswer")), *_stated(scalars), *generated)
    fields = (
        {} if verified is None else {f"{name}-field-{escaped(encodable(one.name))}": one for one in verified.fields}
    )
    ours = [one for one in assessment.traits if one.recorded is None or one.status not in _OF_JUDGES]
    traits = {f"{name}-trait-{at}": one for at, one in enumerate(ours, start=1)}
    moment = answer.date or date
    scores = {
        "granularScore": None if verified is None else _double(verified.granular_score),
        "kareninaGranularScore": None if verified is None else _double(verified.karenina_granular_score),
    }
    yield from _node(
        result,
        _earl("TestResult"),
        (_earl("outcome"), _OUTCOMES[assessment.status]),
        *_described(assessment.reason),
        *([] if moment is None else [(_terms("date"), _date(moment))]),
        *_stated(scores),
        *((_ours("fieldResult"), NamedNode(node)) for node in fields),
        *((_ours("traitResult"), NamedNode(node)) for node in traits),
    )
    for node, field in fields.items():
        yield from _node(
            NamedNode(node),
            _ours("FieldResult"),
            (_NAME, _literal(field.name)),
            (_earl("outcome"), _OUTCOMES[OF_VERDICT[field.passed]]),
            *_stated({"resultWeight": float(field.weight), "resultScore": _double(field.score)}),
            *_described(field.reason),
        )
    for node, trait in traits.items():
        yield from _trait(node, trait, trait.status.value, trait.value)


def _assertion(name: str, assertor: NamedNode, subject: NamedNode, test: str) -> Iterator[Triple]:
    return _node(
        NamedNode(name),
        _earl("Assertion"),
        (_earl("assertedBy"), assertor),
        (_earl("subject"), subject),
        (_earl("test"), NamedNode(test)),
        (_earl("mode"), _earl("automatic")),
        (_earl("result"), NamedNode(f"{name}-result")),
    )


def _subject(answer: RecordedAnswer, name: str, base: str) -> NamedNode:
    identifier = answer.answer_id
    is_name = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    return NamedNode(f"{base}answer-{escaped(encodable(str(identifier)))}" if is_name else f"{name}-answer")


def _recorded(assessment: Assessment, name: str, base: str, known: set[NamedNode]) -> Iterator[Triple]:
    """Yield the assertions of those who verified the answer elsewhere, and of those who judged traits of it.

    `known` are those who were described already; whoever says nothing of the template has not tested by it.
    """
    told, question = assessment.answer.recorded, assessment.question
    if told is None or question is None:
        return
    subject = _subject(assessment.answer, name, base)
    traits = [one for one in assessment.traits if one.recorded is not None]
    judges = {f"judge-{one}": one for one in dict.fromkeys(one.judge for one in traits) if one is not None}
    by = f"Karenina {told.by}" if told.by else "whoever recorded the answer"
    for who, called in {"recorded": by, **judges}.items():
        said = [one for one in traits if one.judge == judges.get(who)]
        verdict, score = (None, None) if who in judges else (assessment.recorded, told.score)
        if not said and verdict is None:
            continue
        assertor, about = NamedNode(f"{base}{escaped(encodable(who))}"), f"{name}-{escaped(encodable(who))}"
        if assertor not in known:
            known.add(assertor)
            title = (_terms("title"), _literal(called))
            yield from _node(assertor, _earl("Assertor"), (_TYPE, _earl("Software")), title)
        yield from _assertion(about, assertor, subject, question.node)
        nodes = {f"{about}-trait-{at}": one for at, one in enumerate(said, start=1)}
        yield from _node(
            NamedNode(f"{about}-result"),
            _earl("TestResult"),
            (_earl("outcome"), _OUTCOMES[verdict or Status.ERROR]),
            *([(_terms("date"), _date(assessment.answer.date))] if assessment.answer.date else []),
            *_stated({"kareninaGranularScore": _double(score)}),
            *((_ours("traitResult"), NamedNode(node)) for node in nodes),
        )
        for node, trait in nodes.items():
            is_ours = trait.status not in _OF_JUDGES
            value = trait.recorded if is_ours and isinstance(trait.recorded, str | int | float) else trait.value
            yield from _trait(node, trait, (TraitStatus.JUDGED if is_ours else trait.status).value, value)


def _trait(node: str, trait: TraitResult, status: str, value: str | float | None) -> Iterator[Triple]:
    yield from _node(
        NamedNode(node),
        _ours("TraitResult"),
        (_NAME, _literal(trait.name)),
        *([] if trait.node is None else [(_ours("resultTrait"), NamedNode(trait.node))]),
        *_stated({"resultStatus": status, "resultValue": value}),
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


def _double(score: float | None) -> float | None:
    return None if score is None else float(score)


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
