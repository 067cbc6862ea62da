"""The report as SHACL validation reports, read back by rdflib and held against SHACL 1.0 §3.6."""

from __future__ import annotations

import pyshacl
import pytest
from rdflib import RDF, SDO, SH, BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.term import Node

from checkpoint_ld.findings import Severity
from checkpoint_ld.validation.reports import render
from checkpoint_ld.validation.results import Checked, Report
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, SHAPES
from tests.reports.samples import CLEAN, GRAPH, QUESTION, found, hostile, metals, report

SHAPES_GRAPH = """
@prefix schema: <https://schema.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<urn:karenina:shape:Question> a sh:NodeShape ; sh:targetClass schema:Question ;
  sh:property <urn:karenina:shape:question-text>, [ sh:path [ sh:inversePath schema:item ] ; sh:minCount 1 ] .
<urn:karenina:shape:question-text> sh:path schema:text ; sh:datatype xsd:string ; sh:message "the text is no text" .
"""
DATA = """
@prefix schema: <https://schema.org/> .
<urn:uuid:question-1> a schema:Question ; schema:text "3.14159265358979"^^<http://www.w3.org/2001/XMLSchema#double> .
<urn:uuid:question-2> a schema:Question ; schema:text true .
"""
YES, NO = Literal(True), Literal(False)
ONE = (URIRef(SH.resultSeverity), URIRef(SH.focusNode), URIRef(SH.sourceConstraintComponent))


def parsed(case: Report) -> Graph:
    graph = Graph().parse(data=render(case, "turtle"), format="turtle")
    results = set(graph.subjects(RDF.type, SH.ValidationResult))
    assert results == set(graph.objects(None, SH.result))
    for result in results:
        assert [len(list(graph.objects(result, predicate))) for predicate in ONE] == [1, 1, 1]
    for one in graph.subjects(RDF.type, SH.ValidationReport):
        assert list(graph.objects(one, SH.conforms)) == [Literal((one, SH.result, None) not in graph)]
    return graph


def report_on(graph: Graph, source: str) -> Node:
    """Return the validation report about the source of that name."""
    (named,) = graph.subjects(SDO.name, Literal(source))
    (one,) = graph.subjects(SDO.about, named)
    return one


def validated() -> Graph:
    """Return the report of pySHACL on `DATA`."""
    data = Graph().parse(data=DATA, format="turtle")
    _, results, _ = pyshacl.validate(data, shacl_graph=Graph().parse(data=SHAPES_GRAPH, format="turtle"))
    assert isinstance(results, Graph)
    return results


def test_each_source_has_one_report() -> None:
    graph = parsed(report(metals(), CLEAN, GRAPH, hostile()))

    assert len(list(graph.subjects(RDF.type, SH.ValidationReport))) == 4
    assert graph.value(report_on(graph, "clean.json"), SH.conforms) == YES
    assert graph.value(report_on(graph, "metals.json"), SH.conforms) == NO
    assert len(list(graph.objects(report_on(graph, "metals.json"), SH.result))) == 3


def test_a_finding_is_a_result() -> None:
    graph = parsed(report(GRAPH))
    (result,) = graph.objects(None, SH.result)

    assert dict(graph.predicate_objects(result)) == {
        RDF.type: SH.ValidationResult,
        SH.focusNode: URIRef(QUESTION),
        SH.resultSeverity: SH.Violation,
        SH.resultMessage: Literal("the text is empty"),
        SH.sourceShape: URIRef(SHAPES + "question-text"),
        SH.sourceConstraintComponent: URIRef(CHECKPOINT_SHACL + "RuleConstraintComponent"),
    }


@pytest.mark.parametrize("node", [None, "", "not an IRI", "_:b"])
def test_what_is_about_no_node_is_about_the_source(node: str | None) -> None:
    graph = parsed(report(Checked("a.json", (found("KX001", "not JSON", node=node),))))

    (result,) = graph.objects(report_on(graph, "a.json"), SH.result)
    assert graph.value(result, SH.focusNode) == graph.value(None, SDO.name, Literal("a.json"))


def test_severities_are_those_of_shacl() -> None:
    graph = parsed(report(metals()))

    assert set(graph.objects(None, SH.resultSeverity)) == {SH.Violation, SH.Warning, SH.Info}


def test_what_pyshacl_reported_stands_as_it_is_and_its_findings_are_not_reported_twice() -> None:
    results = validated()

    graph = parsed(report(Checked("a.json", (found(node=QUESTION),), results=results)))

    graph.remove((None, SDO.about, None))
    graph.remove((None, SDO.name, None))
    assert isomorphic(graph, results)


def test_what_was_found_without_a_shape_is_added() -> None:
    findings = (found(node=QUESTION), found("KX001", "a key twice", severity=Severity.WARNING))

    graph = parsed(report(Checked("a.json", findings, results=validated())))

    (added,) = graph.subjects(SH.resultMessage, Literal("a key twice"))
    assert graph.value(added, SH.resultSeverity) == SH.Warning
    assert len(list(graph.objects(report_on(graph, "a.json"), SH.result))) == 5


def test_a_finding_without_a_shape_makes_a_report_that_conformed_not_conform() -> None:
    data, shapes = Graph(), Graph().parse(data=SHAPES_GRAPH, format="turtle")
    conforms, results, _ = pyshacl.validate(data, shacl_graph=shapes)
    assert conforms
    assert isinstance(results, Graph)

    graph = parsed(report(Checked("a.json", (found("KX001", "a key twice"),), results=results)))

    assert [str(one) for one in graph.objects(None, SH.conforms)] == ["false"]


def test_numbers_keep_all_their_digits() -> None:
    assert "3.14159265358979" in render(report(Checked("a.json", (), results=validated())), "turtle")


def test_the_same_report_is_the_same_text_whatever_its_blank_nodes_are_called() -> None:
    lines = validated().serialize(format="nt")

    graphs = [Graph().parse(data=lines, format="nt") for _ in range(2)]

    assert not set(graphs[0].subjects(RDF.type, SH.ValidationReport)) & set(graphs[1].subjects())
    first, second = (render(report(Checked("a.json", (), results=graph)), "turtle") for graph in graphs)
    assert first == second


def test_reports_of_several_sources_share_no_blank_node() -> None:
    graph = parsed(report(*(Checked(f"{name}.json", (), results=validated()) for name in "ab")))

    def reached(start: Node) -> set[Node]:
        return {term for term in graph.transitive_objects(start, None) if isinstance(term, BNode)}

    one, other = (reached(report_on(graph, name)) for name in ("a.json", "b.json"))
    assert one
    assert not one & other
