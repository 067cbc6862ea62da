"""Results as EARL: what is asserted, that it joins with the checkpoint's graph, and that it is always the same."""

import io
from collections.abc import Iterable
from typing import Any

import pyoxigraph
import pytest
import rdflib
from rdflib import RDF, Literal, URIRef
from rdflib.query import ResultRow

from checkpoint_ld.assessment import Assessment, assess, earl
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import SettingsError
from tests.documents import canonical, item

QUESTION = "urn:uuid:question-metal-1"
TEMPLATE = """class Answer(BaseAnswer):
    metal: str = VerifiedField(description="the metal", ground_truth="mercury", verify_with=ExactMatch())
    celsius: float = VerifiedField(
        description="when", ground_truth=-39, weight=3.0, verify_with=NumericTolerance(tolerance=1, mode="absolute")
    )
"""
BASE = "urn:karenina:answers:a.jsonl#"
EARL = rdflib.Namespace(earl.EARL)
OURS = rdflib.Namespace("urn:karenina:vocab:")
DCT = rdflib.Namespace(earl.TERMS)


def benchmark() -> Benchmark:
    one = item()
    one["item"]["hasPart"]["text"] = TEMPLATE
    return Benchmark.load(dump_json(canonical(one)))


def record(**members: Any) -> dict[str, Any]:
    return {
        "question_id": QUESTION,
        "answer": {"metal": "mercury", "celsius": -38.8},
        "trace": "Mercury [1]",
        **members,
    }


def found(*records: Any) -> list[Assessment]:
    return list(assess(benchmark(), records))


def written(assessments: Iterable[Assessment], syntax: pyoxigraph.RdfFormat, **options: Any) -> bytes:
    file = io.BytesIO()
    earl.write(assessments, file, earl.Form(syntax, **{"base": BASE, **options}))
    return file.getvalue()


def graph(*records: Any, **options: Any) -> rdflib.Graph:
    read = rdflib.Graph()
    read.parse(data=written(found(*records), pyoxigraph.RdfFormat.TURTLE, **options), format="turtle")
    return read


def double(text: str) -> Literal:
    return Literal(text, datatype=rdflib.XSD.double)


def iri(name: str) -> URIRef:
    return URIRef(BASE + name)


def test_an_assertion_has_its_four_parts() -> None:
    held = graph(record())
    parts = dict(held.predicate_objects(iri("line-1")))
    assert (parts.pop(EARL.test), RDF.type, URIRef("https://schema.org/Question")) in benchmark().graph
    assert parts == {
        RDF.type: EARL.Assertion,
        EARL.assertedBy: URIRef("urn:checkpoint-ld:verify"),
        EARL.subject: iri("line-1-answer"),
        EARL.result: iri("line-1-result"),
        EARL.mode: EARL.automatic,
    }


@pytest.mark.parametrize(
    ("given", "outcome"),
    [(record(), "passed"), (record(answer={"metal": "tin", "celsius": -39}), "failed"), (record(trace=1), "untested")],
)
def test_the_outcome_is_that_of_earl(given: Any, outcome: str) -> None:
    assert graph(given).value(iri("line-1-result"), EARL.outcome) == EARL[outcome]


def test_what_cannot_be_decided_cannot_be_decided() -> None:
    one = item()  # its template does not say how its field is verified
    held = list(assess(Benchmark.load(dump_json(canonical(one))), [record()]))
    assert b"earl:outcome earl:cantTell" in written(held, pyoxigraph.RdfFormat.TURTLE)


def test_fields_have_their_own_results() -> None:
    held = graph(record(answer={"metal": "mercury", "celsius": 10}))
    result, metal, celsius = iri("line-1-result"), iri("line-1-field-metal"), iri("line-1-field-celsius")
    assert set(held.objects(result, OURS.fieldResult)) == {metal, celsius}
    assert held.value(result, OURS.granularScore) == double("2.5E-1")
    assert (held.value(metal, EARL.outcome), held.value(celsius, EARL.outcome)) == (EARL.passed, EARL.failed)
    numbers = ((metal, OURS.resultScore), (celsius, OURS.resultScore), (celsius, OURS.resultWeight))
    assert [held.value(*one) for one in numbers] == [double("1.0E0"), double("0.0E0"), double("3.0E0")]


def test_traits_are_reported_with_their_nodes() -> None:
    made, stated = benchmark(), graph(record())
    results = list(stated.objects(iri("line-1-result"), OURS.traitResult))
    traits = {str(stated.value(one, URIRef("https://schema.org/name"))): one for one in results}
    assert set(traits) == {"tone", "cites"}
    assert stated.value(traits["cites"], OURS.resultValue) == Literal(True)
    assert stated.value(traits["tone"], OURS.resultValue) == Literal(True)
    for name, one in traits.items():
        node = stated.value(one, OURS.resultTrait)
        assert (node, URIRef("https://schema.org/name"), Literal(name)) in made.graph


def test_an_answer_is_named_by_its_own_identifier() -> None:
    held = graph(record(answer_id="run 1/7", model="m", replicate=2))
    answer = held.value(iri("line-1"), EARL.subject)
    assert answer == iri("answer-run%201%2F7")
    assert held.value(answer, OURS.answerId) == Literal("run 1/7")
    assert held.value(answer, OURS.modelName) == Literal("m")
    assert held.value(answer, OURS.replicate) == Literal(2)


def test_answers_of_one_identifier_or_one_line_are_two() -> None:
    records = [record(answer_id=1, model=model) for model in "ab"]
    answers = [one for given in (records, [record(model="c")]) for one in assess(benchmark(), given)]
    held = rdflib.Graph().parse(data=written(answers, pyoxigraph.RdfFormat.TURTLE), format="turtle")
    models = {str(one): str(held.value(answer, OURS.modelName)) for one, answer in held.subject_objects(EARL.subject)}
    assert models == {f"{BASE}line-1": "a", f"{BASE}line-2": "b", f"{BASE}record-3": "c"}


@pytest.mark.parametrize(
    ("date", "datatype"), [("2026-04-01", "date"), ("2026-04-01T09:00:00Z", "dateTime"), ("in spring", "string")]
)
def test_a_date_is_reported_only_if_the_record_has_one(date: str, datatype: str) -> None:
    assert not list(graph(record()).objects(None, DCT.date))
    held = graph(record(date=date)).value(iri("line-1-result"), DCT.date)
    assert str(held) == date
    assert (getattr(held, "datatype", None) or rdflib.XSD.string) == rdflib.XSD[datatype]
    both = graph(record(date=date), record(), date="2026-04-01")
    assert [str(both.value(iri(f"line-{line}-result"), DCT.date)) for line in (1, 2)] == [date, "2026-04-01"]


def test_an_answer_to_no_known_question_is_left_out() -> None:
    held = graph(record(question_id="nowhere"), {"answer": {}}, record())
    assert set(held.subjects(RDF.type, EARL.Assertion)) == {iri("line-3")}


@pytest.mark.parametrize("syntax", earl.SYNTAXES.values(), ids=list(earl.SYNTAXES))
def test_every_syntax_states_the_same_and_states_it_again(syntax: pyoxigraph.RdfFormat) -> None:
    answers = found(record(answer_id="ä\n"), record(replicate=10**30, answer={"metal": "tin", "ten\u2028": 1}))
    data = written(answers, syntax)
    assert data == written(answers, syntax)
    quads = list(pyoxigraph.parse(data, format=syntax))
    plain = list(
        pyoxigraph.parse(written(answers, pyoxigraph.RdfFormat.N_TRIPLES), format=pyoxigraph.RdfFormat.N_TRIPLES)
    )
    assert {quad.triple for quad in quads} == {quad.triple for quad in plain}
    nodes = [node for quad in quads for node in (quad.subject, quad.object)]
    assert not any(isinstance(node, pyoxigraph.BlankNode) for node in nodes)
    is_named = syntax in (pyoxigraph.RdfFormat.N_QUADS, pyoxigraph.RdfFormat.TRIG)
    name = pyoxigraph.NamedNode(BASE.removesuffix("#")) if is_named else pyoxigraph.DefaultGraph()
    assert {quad.graph_name for quad in quads} == {name}


def test_half_a_surrogate_pair_has_no_place_in_rdf_and_stops_nothing() -> None:
    held = graph(record(answer_id="\ud800", model="\udfff"))
    assert held.value(held.value(iri("line-1"), EARL.subject), OURS.answerId) == Literal("\\ud800")


def test_results_and_checkpoint_can_be_queried_together() -> None:
    together = graph(record(model="m"), record(model="n", answer={"metal": "tin", "celsius": -39}))
    for triple in benchmark().graph:
        together.add(triple)
    rows = together.query(
        """
        PREFIX earl: <http://www.w3.org/ns/earl#>
        PREFIX schema: <https://schema.org/>
        PREFIX karenina: <urn:karenina:vocab:>
        SELECT ?keyword ?model WHERE {
            ?assertion earl:test/schema:keywords ?keyword ; earl:subject/karenina:modelName ?model ;
                earl:result/earl:outcome earl:passed }"""
    )
    assert [tuple(map(str, row)) for row in rows if isinstance(row, ResultRow)] == [("chemistry", "m")]


@pytest.mark.parametrize(("options", "message"), [({"base": "no iri"}, "is no IRI"), ({"date": "today"}, "is no date")])
def test_what_cannot_be_written_is_refused_at_once(options: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        written([], pyoxigraph.RdfFormat.TURTLE, **options)


@pytest.mark.parametrize(
    ("given", "names"),
    [("exec 1", ["urn:caf:execution/exec%201"]), ("\ud800", ["urn:caf:execution/%ED%A0%80"]), (5, []), ("", [])],
)
def test_an_answer_leads_to_the_execution_of_an_agent_that_gave_it(given: object, names: list[str]) -> None:
    held = graph(record(execution_id=given))
    generated = URIRef("http://www.w3.org/ns/prov#wasGeneratedBy")
    assert [str(one) for one in held.objects(iri("line-1-answer"), generated)] == names
