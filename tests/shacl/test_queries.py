"""Constraints by queries: pre-bound variables, messages, limits; what pySHACL and rdflib get wrong is right."""

from typing import Any

import pyoxigraph
import pytest
import rdflib
from rdflib import SH, Graph, Literal

from checkpoint_ld import shacl
from checkpoint_ld.errors import ShapesError
from checkpoint_ld.shacl import process
from checkpoint_ld.shacl.data import index_of

PREFIXES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def results(data: str, shapes: str, **options: Any) -> list[shacl.Result]:
    compiled = shacl.compile_shapes(Graph().parse(data=PREFIXES + shapes), **options)
    return shacl.results(shacl.DataGraph(index_of(graph(data))), compiled)


def graph(data: str) -> Graph:
    with_spellings = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        return Graph().parse(data=PREFIXES + data)
    finally:
        rdflib.NORMALIZE_LITERALS = with_spellings


def values(data: str, query: str, more: str = "") -> list[str]:
    """Return the values of the results of a query about the subjects of ex:p."""
    shapes = f"ex:S sh:targetSubjectsOf ex:p ; sh:sparql [ sh:select '''{query}''' {more} ] ."
    return sorted(str(one.value) for one in results(data, shapes))


P = "<http://example.org/p>"


def test_texts_are_not_greater_than_numbers() -> None:
    data = "ex:a ex:p 5, 2000, 'text', '9999', 'de'@de ."

    assert values(data, f"SELECT $this ?value {{ $this {P} ?value FILTER (?value > 1000) }}") == ["2000"]


def test_a_value_is_spelled_as_in_the_data() -> None:
    data = "ex:a ex:p '1.50'^^xsd:decimal, '007'^^xsd:integer, '5.0E0'^^xsd:double ."

    assert values(data, f"SELECT $this ?value {{ $this {P} ?value }}") == ["007", "1.50", "5.0E0"]


@pytest.mark.parametrize("focus", ["ex:a", "[]"])
@pytest.mark.parametrize(
    "pattern",
    [
        "FILTER (BOUND($this))",
        "BIND ($this AS ?that) FILTER (?that = $this)",
        "BIND ($this AS ?that) FILTER (isBlank(?that) || isIRI(?that))",
        "{ } UNION { FILTER (false) } FILTER (sameTerm($this, $this))",
        f"FILTER EXISTS {{ $this {P} 1 }}",
        f"{{ SELECT $this (COUNT(?one) AS ?many) {{ $this {P} ?one }} GROUP BY $this }} FILTER (?many = 2)",
        f"OPTIONAL {{ ?x {P} 1 FILTER (?x = $this) }} FILTER (BOUND(?x))",
    ],
)
def test_this_is_bound_everywhere(focus: str, pattern: str) -> None:
    assert len(values(f"{focus} ex:p 1, 2 . ex:b ex:q 3 .", f"SELECT $this {{ {pattern} }}")) == 1


@pytest.mark.parametrize(
    "query",
    [
        "SELECT $this { $this ?p ?o MINUS { $this ?p 1 } }",
        "SELECT $this { VALUES ?o { 1 } $this ?p ?o }",
        "SELECT $this { $this ?p ?o } VALUES ?o { 1 }",
        "SELECT $this { BIND (1 AS ?this) }",
        "SELECT (1 AS ?this) { }",
        "SELECT $this { { SELECT ?o { ?s ?p ?o } } }",
        "SELECT $this { { SELECT * { $this ?p ?o } } }",
        "CONSTRUCT { $this ?p ?o } WHERE { $this ?p ?o }",
    ],
)
def test_what_pre_binding_forbids_is_refused(query: str) -> None:
    with pytest.raises(ShapesError):
        values("ex:a ex:p 1 .", query)


def test_backslashes_in_the_data_are_kept_in_messages() -> None:
    data = r"ex:a ex:p '\\d+ \\1 {?value}' ."
    shapes = f"""ex:S sh:targetSubjectsOf ex:p ; sh:sparql [ sh:message "no {{?value}} at {{$this}}" ;
      sh:select "SELECT $this ?value {{ $this {P} ?value }}" ] ."""
    [found] = results(data, shapes)

    assert found.messages == (Literal(r"no \d+ \1 {?value} at http://example.org/a"),)


def test_core_constraints_do_not_leave_the_engine_with_a_query() -> None:
    data = "ex:a ex:p (ex:m0 ex:m1 'bad') ."
    shapes = f"""ex:S sh:targetSubjectsOf ex:p ; sh:property [ sh:path ex:p ; sh:node ex:L ] ;
        sh:sparql [ sh:select "SELECT $this {{ $this {P} 0 }}" ] .
      ex:L sh:or ( [ sh:in ( rdf:nil ) ] [ sh:property [ sh:path rdf:first ; sh:nodeKind sh:IRI ] ;
        sh:property [ sh:path rdf:rest ; sh:node ex:L ] ] ) ."""

    assert [one.component for one in results(data, shapes)] == [SH.NodeConstraintComponent]


def test_a_component_by_ask_judges_value_nodes() -> None:
    shapes = """ex:C a sh:ConstraintComponent ; sh:parameter [ sh:path ex:most ],
        [ sh:path ex:least ; sh:optional true ] ;
        sh:validator [ a sh:SPARQLAskValidator ; sh:message "{$value} is beyond {$most}" ;
          sh:ask "ASK { FILTER ($value <= $most && (!BOUND($least) || $value >= $least)) }" ] .
      ex:S sh:targetSubjectsOf ex:p ; sh:property [ sh:path ex:p ; ex:most 3 ; ex:least 1 ] ."""
    found = results("ex:a ex:p 0, 2, 4 .", shapes)

    assert sorted(str(one.messages[0]) for one in found) == ["0 is beyond 3", "4 is beyond 3"]
    assert len(results("ex:a ex:p 0, 2, 4 .", shapes.replace("; ex:least 1 ]", "]"))) == 1


def test_the_path_and_the_shapes_are_known_to_queries() -> None:
    shapes = """ex:S sh:targetNode ex:a ; sh:property [ sh:path ( ex:p [ sh:inversePath ex:q ] ) ; sh:sparql [
        sh:select "SELECT $this ?value { $this $PATH ?value . GRAPH $shapesGraph { $currentShape ?p ?o } }" ] ] ."""
    found = results("ex:a ex:p ex:b . ex:c ex:q ex:b .", shapes)

    assert [str(one.value) for one in found] == ["http://example.org/c"]


def test_a_query_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS", 0.5)
    data = "ex:a ex:p 1 ." + "".join(f"ex:n{one} ex:q ex:n{two} ." for one in range(40) for two in range(40))
    pattern = " . ".join(f"?a{at} <http://example.org/q> ?a{at + 1}" for at in range(12))
    with pytest.raises(ShapesError, match=r"longer than 0\.5 s"):
        values(data, f"SELECT $this (COUNT(*) AS ?n) {{ $this {P} 1 . {pattern} }} GROUP BY $this")


def test_nothing_is_lost_among_several_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - this test alone

    query = f"SELECT $this ?value {{ $this {P} ?value FILTER (?value > 1) }}"
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda at: values(f"ex:a ex:p 1, {at} .", query), range(2, 12)))
    assert found == [[str(at)] for at in range(2, 12)]


@pytest.mark.parametrize(
    "pattern",
    [
        "$this ex:p ?x . ?x ex:q ?value",
        "$this ex:p ?x OPTIONAL { ?x ex:q ?value } FILTER (BOUND(?value))",
        "$this ex:p ?x OPTIONAL { ?x ex:q ?y OPTIONAL { ?y ex:r ?value } } FILTER (BOUND(?value))",
        "OPTIONAL { $this ex:none ?x } ?x ex:q ?value",
        "{ $this ex:p ?x } UNION { ?x ex:q ?value } FILTER (BOUND(?value))",
        "$this ex:p ?x FILTER EXISTS { ?x ex:q ?y . ?y ex:r ?z } BIND (?x AS ?value)",
        "$this ex:p ?value FILTER EXISTS { ?value ex:q ?y ; ex:s ?z . ?y ex:r ?w }",
        "$this ex:p ?value FILTER NOT EXISTS { ?value ex:q ?y ; ex:s ?z FILTER NOT EXISTS { ?y ex:q ?w ; ex:t ?v } }",
        "$this ex:p ?value FILTER EXISTS { ?value ex:q/ex:r ?z }",
        "$this ex:p ?value FILTER EXISTS { ?value (ex:q|ex:s) ?z }",
        "?value ex:p $this",
        "$this ex:p/ex:q ?value",
        "BIND (ex:b AS ?x) ?x ex:q ?value",
        "ex:b ex:q ?value",
    ],
)
def test_a_query_reads_all_that_it_reaches(pattern: str) -> None:
    """The process gets the statements that the patterns reach, or all with their predicates."""
    data = (
        "ex:a ex:p ex:b . ex:b ex:q ex:c ; ex:s ex:d . ex:c ex:r ex:d . ex:e ex:p ex:a ; ex:q ex:f . ex:z ex:p ex:y ."
    )
    query = f"PREFIX ex: <http://example.org/> SELECT $this ?value {{ {pattern} }}"
    ours = {str(one.value) for one in results(data, f"ex:S sh:targetNode ex:a ; sh:sparql [ sh:select '{query}' ] .")}
    store = pyoxigraph.Store()
    store.load((PREFIXES + data).encode(), format=pyoxigraph.RdfFormat.TURTLE)
    found: Any = store.query(query.replace("$this ?value {", "?value {", 1).replace("$this", "ex:a"))

    assert ours == {one["value"].value for one in found}
