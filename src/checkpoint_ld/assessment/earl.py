"""Assessments as RDF: EARL, the Evaluation and Report Language 1.0 Schema (W3C Note, 2 February 2017).

An assertion states the result of a recorded answer (`earl:subject`) for a question of the checkpoint (`earl:test`).
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

from checkpoint_ld.agents import schema
from checkpoint_ld.assessment.assessing import OF_VERDICT, Assessment, Status, TraitStatus
from checkpoint_ld.documents.files import extension_of
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph.literals import double_text, escaped, is_datetime, is_iri
from checkpoint_ld.phrases import encodable
from checkpoint_ld.sparql.result import to_rdflib
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
"""The base of the IRIs of recorded answers, unless the user gives another."""
ASSERTOR = NamedNode("urn:checkpoint-ld:verify")

SYNTAXES = {".ttl": RdfFormat.TURTLE, ".nt": RdfFormat.N_TRIPLES, ".nq": RdfFormat.N_QUADS, ".trig": RdfFormat.TRIG}
"""The syntaxes by the extension of a file."""

_OUTCOMES = {
    status: NamedNode(EARL + name)
    for status, name in zip(Status, ("passed", "failed", "cantTell", "untested"), strict=True)
}
_OF_JUDGES = (TraitStatus.JUDGED, TraitStatus.ERROR)
"""The statuses under which a value is the judge's; other recorded values stand beside ours."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """How results are written as RDF.

    `base` is the IRI that the IRIs of recorded answers and of their results begin with. It names the graph as well,
    where the syntax has named graphs. `date` is the time of results that have none of their own, in ISO 8601. Raises
    SettingsError for a `base` that is no IRI and a `date` that is no date.
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
        """Return the form for results in `file`, by its extension, of the answers in the file `answers`.

        Raises SettingsError for another extension, and as `Form` does.
        """
        syntax = SYNTAXES.get(extension_of(file))
        if syntax is None:
            raise SettingsError(f"{file}: cannot be written as RDF: give it an extension, {', '.join(SYNTAXES)}")
        return cls(syntax, base_of(answers) if base is None else base, date)


def write(assessments: Iterable[Assessment], file: BinaryIO, form: Form) -> None:
    """Write assessments to `file` as they come.

    Those without a known question are left out, since an assertion has a test (EARL §2.1).
    """
    graph = NamedNode(form.base.removesuffix("#"))
    triples = statements(assessments, base=form.base, date=form.date)
    if form.syntax in (RdfFormat.N_QUADS, RdfFormat.TRIG):
        quads = (Quad(triple.subject, triple.predicate, triple.object, graph) for triple in triples)
        pyoxigraph.serialize(quads, file, form.syntax, prefixes=PREFIXES)
    else:
        pyoxigraph.serialize(triples, file, form.syntax, prefixes=PREFIXES)


def statements(assessments: Iterable[Assessment], *, base: str, date: str | None = None) -> Iterator[Triple]:
    """Yield the statements about assessments, those about one node together; parameters are as in `Form`."""
    yield from _assertor(ASSERTOR, "checkpoint-ld verify")
    known = set[NamedNode]()
    used = set[int]()  # hashes of names, because there may be millions of answers
    for number, assessment in enumerate(assessments, start=1):
        if assessment.question is not None:
            place = assessment.answer.place
            where = place.pointer.strip("/").replace("/", "-") if place.pointer else f"line-{place.line or number}"
            name = f"{base}{where}"
            if hash(name) in used:  # answers of several files
                name = f"{base}record-{number}"
            subject = _subject(assessment.answer, name, base)
            if hash(subject.value) in used:  # two answers of one identifier are two
                subject = NamedNode(f"{name}-answer")
            used |= {hash(name), hash(subject.value)}
            yield from _verified(assessment, assessment.question.node, name, subject, date)
            yield from _recorded(assessment, assessment.question.node, name, subject, base, known)


def base_of(answers: str | None) -> str:
    """Return the base of the IRIs of the recorded answers in a file `answers`."""
    return f"{BASE}{_name(Path(answers).name if answers is not None else 'recorded')}#"


def _check_base(base: str) -> None:
    if not is_iri(base):
        raise SettingsError(f"{base!r} is no IRI for names to begin with: give one such as {BASE}run-1#")


def joined(benchmark: CheckpointGraph, assessments: Iterable[Assessment], *, base: str) -> CheckpointGraph:
    """Return the graph of a benchmark together with the statements about assessments of its answers.

    So a query goes from a question to the results of every model. The benchmark is not changed. `base` is the base of
    the IRIs of answers, such as `base_of` gives. Raises SettingsError for a base that is no IRI.
    """
    _check_base(base)
    graph = benchmark.copy()
    for statement in statements(assessments, base=base):
        graph.add((to_rdflib(statement.subject), to_rdflib(statement.predicate), to_rdflib(statement.object)))
    return graph


def _verified(assessment: Assessment, test: str, name: str, subject: NamedNode, date: str | None) -> Iterator[Triple]:
    answer, result = assessment.answer, assessment.result
    yield from _assertion(name, ASSERTOR, subject, test)
    run = answer.extra.get("execution_id")
    named = {"answerId": answer.answer_id, "modelName": answer.model_name, "replicate": answer.replicate}
    scalars = ((f"karenina:{term}", value) for term, value in named.items() if isinstance(value, str | int | float))
    generated = NamedNode(schema.iri("execution", run)) if isinstance(run, str) and run else None
    kind = ("rdf:type", _iri("karenina:RecordedAnswer"))
    yield from _node(subject, "earl:TestSubject", kind, *scalars, ("prov:wasGeneratedBy", generated))
    fields = (
        {} if result is None else {NamedNode(f"{name}-field-{_name(field.name)}"): field for field in result.fields}
    )
    ours = [trait for trait in assessment.traits if trait.recorded is None or trait.status not in _OF_JUDGES]
    traits = {NamedNode(f"{name}-trait-{number}"): trait for number, trait in enumerate(ours, start=1)}
    yield from _node(
        NamedNode(f"{name}-result"),
        "earl:TestResult",
        ("earl:outcome", _OUTCOMES[assessment.status]),
        ("dct:description", assessment.reason or None),
        ("dct:date", _date(answer.date or date)),
        ("karenina:granularScore", None if result is None else _double(result.granular_score)),
        ("karenina:kareninaGranularScore", None if result is None else _double(result.karenina_granular_score)),
        *(("karenina:fieldResult", node) for node in fields),
        *(("karenina:traitResult", node) for node in traits),
    )
    for node, field in fields.items():
        yield from _node(
            node,
            "karenina:FieldResult",
            ("schema:name", field.name),
            ("earl:outcome", _OUTCOMES[OF_VERDICT[field.passed]]),
            ("karenina:resultWeight", float(field.weight)),
            ("karenina:resultScore", _double(field.score)),
            ("dct:description", field.reason or None),
        )
    for node, trait in traits.items():
        yield from _trait(node, trait, trait.status.value, trait.value)


def _recorded(  # noqa: PLR0913, PLR0917 - as _verified, and what names the assertors
    assessment: Assessment, test: str, name: str, subject: NamedNode, base: str, known: set[NamedNode]
) -> Iterator[Triple]:
    """Yield the assertions of the program that verified the answer elsewhere, and of the judges of its traits.

    `known` are the assertors that have been described. A record without a verdict makes no assertion by the template.
    """
    answer, recorded = assessment.answer, assessment.answer.recorded
    if recorded is None:
        return
    traits = [trait for trait in assessment.traits if trait.recorded is not None]
    judges = {f"judge-{judge}": judge for judge in dict.fromkeys(trait.judge for trait in traits) if judge is not None}
    by = f"Karenina {recorded.by}" if recorded.by else "whoever recorded the answer"
    for who, title in {"recorded": by, **judges}.items():
        judged = [trait for trait in traits if trait.judge == judges.get(who)]
        verdict, score = (None, None) if who in judges else (assessment.recorded, recorded.score)
        if not judged and verdict is None:
            continue
        assertor, about = NamedNode(f"{base}{_name(who)}"), f"{name}-{_name(who)}"
        if assertor not in known:
            known.add(assertor)
            yield from _assertor(assertor, title)
        yield from _assertion(about, assertor, subject, test)
        nodes = {NamedNode(f"{about}-trait-{number}"): trait for number, trait in enumerate(judged, start=1)}
        yield from _node(
            NamedNode(f"{about}-result"),
            "earl:TestResult",
            ("earl:outcome", _OUTCOMES[verdict or Status.ERROR]),
            ("dct:date", _date(answer.date)),
            ("karenina:kareninaGranularScore", _double(score)),
            *(("karenina:traitResult", node) for node in nodes),
        )
        for node, trait in nodes.items():
            is_ours = trait.status not in _OF_JUDGES
            value = trait.recorded if is_ours and isinstance(trait.recorded, str | int | float) else trait.value
            yield from _trait(node, trait, (TraitStatus.JUDGED if is_ours else trait.status).value, value)


def _assertor(node: NamedNode, title: str) -> Iterator[Triple]:
    return _node(node, "earl:Assertor", ("rdf:type", _iri("earl:Software")), ("dct:title", title))


def _assertion(name: str, assertor: NamedNode, subject: NamedNode, test: str) -> Iterator[Triple]:
    return _node(
        NamedNode(name),
        "earl:Assertion",
        ("earl:assertedBy", assertor),
        ("earl:subject", subject),
        ("earl:test", NamedNode(test)),
        ("earl:mode", _iri("earl:automatic")),
        ("earl:result", NamedNode(f"{name}-result")),
    )


def _trait(node: NamedNode, trait: TraitResult, status: str, value: str | float | None) -> Iterator[Triple]:
    return _node(
        node,
        "karenina:TraitResult",
        ("schema:name", trait.name),
        ("karenina:resultTrait", None if trait.node is None else NamedNode(trait.node)),
        ("karenina:resultStatus", status),
        ("karenina:resultValue", value),
        ("dct:description", trait.reason or None),
    )


def _subject(answer: RecordedAnswer, name: str, base: str) -> NamedNode:
    identifier = answer.answer_id
    is_name = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    return NamedNode(f"{base}answer-{_name(str(identifier))}" if is_name else f"{name}-answer")


def _node(
    node: NamedNode, kind: str, *members: tuple[str, NamedNode | Literal | str | float | None]
) -> Iterator[Triple]:
    """Yield the statements about a node, by prefixed names; a member that is None gives none."""
    yield Triple(node, _iri("rdf:type"), _iri(kind))
    for name, value in members:
        if value is not None:
            yield Triple(node, _iri(name), value if isinstance(value, NamedNode | Literal) else _literal(value))


@cache
def _iri(name: str) -> NamedNode:
    prefix, _, local = name.partition(":")
    return NamedNode(PREFIXES[prefix] + local)


def _name(text: str) -> str:
    return escaped(encodable(text))


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


def _date(text: str | None) -> Literal | None:
    """Return a date or a time as a typed literal; any other text stays a text."""
    if not text:
        return None
    if is_datetime(text):
        return Literal(text, datatype=NamedNode(XSD + "dateTime"))
    if _DATE.fullmatch(text) and is_iso_8601(text):
        return Literal(text, datatype=NamedNode(XSD + "date"))
    return _literal(text)
