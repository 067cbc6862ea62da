"""SHACL Advanced Features: rules, targets by queries, node expressions and functions, held against pySHACL."""

from typing import Any

import pyshacl
import pytest
from rdflib import SH, Graph, URIRef

from checkpoint_ld import shacl
from checkpoint_ld.errors import ShapesError

PREFIXES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex: a owl:Ontology ; sh:declare [ sh:prefix "ex" ; sh:namespace "http://example.org/"^^xsd:anyURI ] .
"""
DATA = """ex:ann a ex:Person ; ex:age 7 ; ex:knows ex:bob . ex:bob a ex:Person ; ex:age 40 .
ex:one a ex:Rectangle ; ex:w 3 ; ex:h 4 . ex:two a ex:Rectangle ; ex:w 5 ; ex:h 5 ."""
FUNCTIONS = """
ex:multiply a sh:SPARQLFunction ; sh:prefixes ex: ; sh:returnType xsd:integer ;
  sh:parameter [ sh:path ex:second ; sh:order 2 ] , [ sh:path ex:first ; sh:order 1 ] ;
  sh:select "SELECT ($first * $second AS ?product) { }" .
ex:isBig a sh:SPARQLFunction ; sh:prefixes ex: ; sh:parameter [ sh:path ex:number ] ;
  sh:returnType xsd:boolean ; sh:ask "ASK { FILTER ($number > 20) }" .
"""
PRODUCT = "[ ex:multiply ( [ sh:path ex:w ] [ sh:path ex:h ] ) ]"
AREA = "ex:Area sh:targetSubjectsOf ex:area ; sh:property [ sh:path ex:area ; sh:maxInclusive 20 ] ."


def graph(turtle: str) -> Graph:
    return Graph().parse(data=PREFIXES + turtle)


def entries(report: Graph) -> list[tuple[str, ...]]:
    names = (SH.focusNode, SH.sourceConstraintComponent, SH.value)
    return sorted(tuple(str(report.value(one, name)) for name in names) for one in report.objects(None, SH.result))


def found(shapes: str, data: str = DATA, **options: Any) -> list[tuple[str, ...]]:
    """Return the results of our engine: the ends of the names of focus nodes, components and values."""
    _, report, _ = shacl.validate(graph(data), graph(shapes), advanced=True, **options)
    return [tuple(one.rpartition("/")[2].rpartition("#")[2] for one in entry) for entry in entries(report)]


def rule(text: str, target: str = "ex:Rectangle") -> str:
    return f"ex:R a sh:NodeShape ; sh:targetClass {target} ; sh:rule [ {text} ] ."


QUERY = "a sh:SPARQLRule ; sh:prefixes ex: ; sh:construct "
TRIPLE = "a sh:TripleRule ; sh:subject sh:this ; sh:predicate "
SQUARE = f"{TRIPLE} rdf:type ; sh:object ex:Square ; sh:condition [ sh:property [ sh:path ex:w ; sh:equals ex:h ] ]"
NO_SQUARE = "ex:Q a sh:NodeShape ; sh:targetClass ex:Square ; sh:nodeKind sh:Literal ."
NO_ADULT = "ex:Q a sh:NodeShape ; sh:targetObjectsOf ex:elder ; sh:nodeKind sh:Literal ."


@pytest.mark.parametrize(
    ("shapes", "names"),
    [
        (rule(SQUARE) + NO_SQUARE, ["two"]),
        (rule(SQUARE + "; sh:deactivated true") + NO_SQUARE, []),
        (rule(QUERY + '"CONSTRUCT { $this ex:area ?a } { $this ex:h ?h BIND (?h * 5 AS ?a) }"') + AREA, ["two"]),
        (rule(QUERY + '"CONSTRUCT { $this ex:area ?a } { $this ex:w ?a MINUS { $this ex:w 5 } }"') + AREA, []),
        (rule(QUERY + '"CONSTRUCT { $this ex:area ?a } { VALUES ?a { 30 } $this ex:w 3 }"') + AREA, ["one"]),
        (rule(QUERY + '"CONSTRUCT { $this ex:area 21 } WHERE { }"') + AREA, ["one", "two"]),
        (rule(QUERY + '"CONSTRUCT { ?n ex:area ?n } WHERE { { SELECT (MAX(?w) AS ?n) { ?s ex:w ?w } } }"') + AREA, []),
        (FUNCTIONS + rule(f"{TRIPLE} ex:area ; sh:object {PRODUCT}") + AREA, ["two"]),
        (
            FUNCTIONS + """ex:Q a sh:NodeShape ; sh:targetClass ex:Rectangle ; sh:expression
              [ ex:isBig ( [ ex:multiply ( [ sh:path ex:w ] [ sh:path ex:h ] ) ] ) ; sh:message "too small" ] .""",
            ["one"],
        ),
        (
            FUNCTIONS + """ex:Q a sh:NodeShape ; sh:targetClass ex:Rectangle ; sh:sparql [ sh:prefixes ex: ;
              sh:select "SELECT $this ?value { $this ex:w ?value FILTER (ex:multiply(?value, 2) > 8) }" ] .""",
            ["two"],
        ),
        (
            """ex:Q a sh:NodeShape ; sh:nodeKind sh:Literal ; sh:target [ a sh:SPARQLTarget ; sh:prefixes ex: ;
              sh:select "SELECT ?this { ?this ex:age ?age FILTER (?age < 18) }" ] .""",
            ["ann"],
        ),
        (
            """ex:Below a sh:SPARQLTargetType ; rdfs:subClassOf sh:Target ; sh:parameter [ sh:path ex:limit ] ;
              sh:prefixes ex: ; sh:select "SELECT ?this { ?this ex:age ?age FILTER (?age < $limit) }" .
              ex:Q a sh:NodeShape ; sh:target [ a ex:Below ; ex:limit 20 ] ; sh:nodeKind sh:Literal .""",
            ["ann"],
        ),
        (
            rule(f"{TRIPLE} ex:all ; sh:object [ sh:union ( [ sh:path ex:knows ] [ sh:path ex:age ] ) ]", "ex:Person")
            + "ex:Q a sh:NodeShape ; sh:targetClass ex:Person ; sh:property [ sh:path ex:all ; sh:maxCount 1 ] .",
            ["ann"],
        ),
        (
            rule(f"{TRIPLE} ex:area ; sh:object [ sh:intersection ( [ sh:path ex:w ] [ sh:path ex:h ] ) ]")
            + AREA.replace("20", "4"),
            ["two"],
        ),
    ],
)  # fmt: skip
def test_the_results_are_those_of_pyshacl(shapes: str, names: list[str]) -> None:
    _, expected, _ = pyshacl.validate(graph(DATA), shacl_graph=graph(shapes), advanced=True)
    _, report, _ = shacl.validate(graph(DATA), graph(shapes), advanced=True)

    assert entries(report) == entries(expected)
    assert [name for name, *_ in found(shapes)] == names


def test_what_a_shape_filters_leads_on() -> None:
    elder = (
        """[ sh:filterShape [ sh:property [ sh:path ex:age ; sh:minInclusive 18 ] ] ; sh:nodes [ sh:path ex:knows ] ]"""
    )

    assert found(rule(f"{TRIPLE} ex:elder ; sh:object {elder}", "ex:Person") + NO_ADULT) == [
        ("bob", "NodeKindConstraintComponent", "bob")
    ]


def test_rules_see_what_those_before_them_stated_in_their_order() -> None:
    first = f"{QUERY} 'CONSTRUCT {{ $this ex:first true }} {{ $this ex:w 3 }}' ; sh:order 1"
    second = f"{QUERY} 'CONSTRUCT {{ $this ex:second true }} {{ $this ex:first true }}' ; sh:order 2.5"
    shapes = "ex:R a sh:NodeShape ; sh:targetClass ex:Rectangle ; sh:rule [ {} ] , [ {} ] ."
    guard = "ex:Q a sh:NodeShape ; sh:targetSubjectsOf ex:second ; sh:nodeKind sh:Literal ."

    assert len(found(shapes.format(second, first) + guard)) == 1
    assert found(shapes.format(second, first.replace("order 1", "order 3")) + guard) == []


def test_rules_are_repeated_on_request() -> None:
    chain = "ex:a ex:p ex:b . ex:b ex:p ex:c . ex:c ex:p ex:d . ex:d ex:p ex:e ."
    shapes = f"""ex:R a sh:NodeShape ; sh:targetSubjectsOf ex:p ; sh:property [ sh:path ex:p ; sh:maxCount 3 ] ;
      sh:rule [ {QUERY} "CONSTRUCT {{ $this ex:p ?c }} {{ $this ex:p/ex:p ?c }}" ] ."""

    assert found(shapes, chain) == []
    assert [name for name, *_ in found(shapes, chain, iterate_rules=True)] == ["a"]


def test_rules_without_an_end_are_ended() -> None:
    shapes = rule(f'{QUERY} "CONSTRUCT {{ $this ex:more [] }} {{ }}"')

    assert found(shapes) == []
    with pytest.raises(ShapesError, match="come to an end"):
        found(shapes, iterate_rules=True)


def test_each_solution_has_blank_nodes_of_its_own() -> None:
    data = "ex:a ex:p 1, 2 ."
    shapes = rule(f'{QUERY} "CONSTRUCT {{ $this ex:q [ ex:r ?v ] }} {{ $this ex:p ?v }}"').replace(
        "targetClass ex:Rectangle", "targetSubjectsOf ex:p"
    )

    assert len(found(shapes + "ex:Q sh:targetSubjectsOf ex:q ; sh:property [ sh:path ex:q ; sh:in () ] .", data)) == 2


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (rule("a sh:TripleRule ; sh:subject sh:this ; sh:predicate ex:p"), "one value each"),
        (rule("sh:order 1"), "neither a triple rule nor a query"),
        (rule(f"{TRIPLE} ex:p ; sh:object [ ex:q 1 ]"), "no node expression"),
        (rule(f"{TRIPLE} ex:p ; sh:object [ sh:filterShape ex:S ]"), "without sh:nodes"),
        (rule(f"{TRIPLE} ex:p ; sh:object 1 ; sh:order 'first'"), "write one number"),
        (rule(f'{QUERY} "SELECT $this {{ }}"'), "no CONSTRUCT"),
        (rule(f'{QUERY} "CONSTRUCT {{ $this ex:p 1 }} {{ SERVICE <http://example.org/> {{ ?s ?p ?o }} }}"'), "SERVICE"),
        (rule(f'{QUERY} "CONSTRUCT {{ $this ex:p ?o }} {{ {{ SELECT ?o {{ $this ex:w ?o }} }} }}"'), "does not select"),
        ("ex:Q a sh:NodeShape ; sh:target [ a ex:Unknown ] .", "neither a query nor of a type"),
    ],
)
def test_ill_formed_rules_and_targets_are_refused_with_a_remedy(shapes: str, words: str) -> None:
    with pytest.raises(ShapesError, match=words):
        found(shapes)


def test_a_validator_applies_rules_to_what_changed() -> None:
    data = graph(DATA)
    validator = shacl.Validator(graph(rule(SQUARE) + NO_SQUARE), data, advanced=True)
    assert len(validator.results()) == 1

    data.remove((URIRef("http://example.org/two"), None, None))
    assert validator.results() == []
