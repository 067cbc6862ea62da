"""`checkpoint_ld.shacl.Validator`: after any change it finds what a fresh validation finds."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from checkpoint_ld import shacl
from checkpoint_ld.errors import ReadError, ShapesError
from tests.shacl.test_published_shapes import FOLDER, engines, needs_published_shapes
from tests.shacl.test_validate import PREFIXES, graph
from tests.trials import examples
from tests.w3c.conftest import w3c
from tests.w3c.test_shacl import graphs, listed

__all__ = ["engines", "w3c"]
EX = Namespace("http://example.org/")
SHAPES = """
ex:ByClass sh:targetClass ex:A ; sh:property [ sh:path ex:p ; sh:minCount 1 ; sh:maxCount 2 ; sh:class ex:B ] .
ex:BySubject sh:targetSubjectsOf ex:q ; sh:property [ sh:path ( ex:q ex:r ) ; sh:nodeKind sh:Literal ; sh:minCount 1 ] .
ex:ByObject sh:targetObjectsOf ex:p ; sh:property [ sh:path [ sh:inversePath ex:p ] ; sh:maxCount 1 ] .
ex:ByNode sh:targetNode ex:n0, ex:n1 ; sh:closed true ; sh:ignoredProperties ( rdf:type ex:p ex:q ) .
ex:Repeated sh:targetClass ex:B ; sh:property [ sh:path [ sh:oneOrMorePath ex:p ] ; sh:maxCount 2 ; sh:node ex:Inner ] .
ex:Inner sh:property [ sh:path [ sh:alternativePath ( ex:q ex:r ) ] ; sh:maxCount 1 ] .
ex:Zero sh:targetSubjectsOf ex:r ;
    sh:property [ sh:path ( [ sh:zeroOrMorePath ex:q ] [ sh:zeroOrOnePath ex:p ] ) ; sh:class ex:A ] .
ex:Logic sh:targetClass ex:A ; sh:or ( ex:Inner [ sh:not ex:HasR ] ) ; sh:xone ( ex:HasR ex:HasQ ) .
ex:HasR sh:property [ sh:path ex:r ; sh:minCount 1 ] .
ex:HasQ sh:property [ sh:path ex:q ; sh:minCount 1 ; sh:property [ sh:path ex:p ; sh:maxCount 1 ] ] .
ex:Pairs sh:targetSubjectsOf ex:p ; sh:property [ sh:path ex:p ; sh:disjoint ex:q ; sh:equals ex:s ] ;
    sh:property [ sh:path ex:r ; sh:lessThan ex:s ; sh:hasValue 1 ] .
ex:Qualified sh:targetClass ex:A ; sh:property [ sh:path ex:p ; sh:qualifiedMinCount 1 ;
    sh:qualifiedValueShape ex:HasR ; sh:qualifiedValueShapesDisjoint true ] ;
    sh:property [ sh:path ex:p ; sh:qualifiedMaxCount 1 ; sh:qualifiedValueShape ex:HasQ ] .
ex:Recursive sh:targetObjectsOf ex:s ; sh:property [ sh:path ex:p ; sh:node ex:Recursive ; sh:maxCount 1 ] .
"""
NODES: list[Node] = [*(EX[f"n{number}"] for number in range(6)), BNode("b")]
KINDS = [EX.A, EX.B, EX.C]
TRIPLES = st.one_of(
    st.tuples(st.sampled_from(NODES), st.sampled_from([EX.p, EX.q, EX.s]), st.sampled_from(NODES)),
    st.tuples(st.sampled_from(NODES), st.sampled_from([EX.r, EX.s]), st.integers(0, 2).map(Literal)),
    st.tuples(st.sampled_from(NODES), st.just(RDF.type), st.sampled_from(KINDS)),
    st.tuples(st.sampled_from(KINDS), st.just(RDFS.subClassOf), st.sampled_from(KINDS)),
)
STORES: dict[str, Callable[[], Graph]] = {
    "noted": lambda: Graph(shacl.SubjectIndexStore()),
    "memory": Graph,
    "dataset": lambda: Dataset(default_union=True),
}


def found(results: list[shacl.Result]) -> list[str]:
    """Return results in one order; the details of nested shapes count too."""

    def text(one: shacl.Result) -> str:
        parts = (one.focus, one.path, one.value, one.shape, one.component, one.severity, sorted(one.messages))
        return repr((*parts, sorted(map(text, one.detail))))

    return sorted(map(text, results))


def fresh(data: Graph, shapes: shacl.Shapes) -> list[str]:
    index: Any = shacl.data.index_of(data)
    return found(shacl.results(shacl.DataGraph(index), shapes))


@pytest.mark.parametrize("store", STORES)
@settings(max_examples=examples(60), deadline=None)
@given(st.lists(TRIPLES, max_size=25), st.lists(st.lists(TRIPLES, min_size=1, max_size=4), max_size=5))
def test_after_each_change_the_results_are_those_of_a_fresh_validation(
    store: str, first: list[Any], changes: list[list[Any]]
) -> None:
    shapes = shacl.compile_shapes(graph(SHAPES))
    data = STORES[store]()
    edited = data.default_graph if isinstance(data, Dataset) else data
    for triple in first:
        edited.add(triple)
    validator = shacl.Validator(shapes, data)
    assert found(validator.results()) == fresh(data, shapes)
    for triples in changes:
        for triple in triples:
            if triple in edited:
                edited.remove(triple)
            else:
                edited.add(triple)
        assert found(validator.results()) == fresh(data, shapes)
        some = [str(one) for one in NODES[:3]]
        chosen = shacl.results(shacl.DataGraph(shacl.data.index_of(data)), shapes, focus_nodes=some)
        assert found(validator.results(focus_nodes=some)) == found(chosen)


def copied(source: Graph) -> Graph:
    data = Graph(shacl.SubjectIndexStore())
    for triple in source:
        data.add(triple)
    return data


def change_and_compare(data: Graph, shapes: shacl.Shapes, triples: list[Any]) -> None:
    validator = shacl.Validator(shapes, data)
    validator.results()
    for triple in triples:
        for change in (data.remove, data.add):
            change(triple)
            assert found(validator.results()) == fresh(data, shapes)


# Shapes of others have terms that SHACL does not define, which is not the point here.
misspelt = pytest.mark.filterwarnings("ignore::checkpoint_ld.errors.ShapesWarning")


@pytest.mark.slow
@misspelt
def test_each_statement_of_the_suite_of_w3c_may_go_and_come(w3c: Path) -> None:
    for _, source, test in listed(w3c / "data-shapes" / "tests" / "core"):
        data, stated = graphs(source, test)
        with contextlib.suppress(ShapesError):
            change_and_compare(copied(data), shacl.compile_shapes(stated), list(data)[:40])


@pytest.mark.slow
@misspelt
@needs_published_shapes
@pytest.mark.parametrize("name", ["ro-crate/1.2", "brick/1.3"])
def test_each_statement_under_published_shapes_may_go_and_come(engines: ModuleType, name: str) -> None:
    whole, [data] = engines.material(FOLDER, name, (4,))
    triples = sorted(data, key=str)
    change_and_compare(copied(data), shacl.compile_shapes(engines.core_of(whole)), triples[:: len(triples) // 40 + 1])


def test_shapes_that_change_are_compiled_again() -> None:
    shapes = graph("ex:A sh:targetNode ex:n ; sh:property [ sh:path ex:p ; sh:minCount 1 ] .")
    data = graph("ex:n ex:q 1 .")
    validator = shacl.Validator(shapes, data)
    assert len(validator.results()) == 1
    shapes.parse(data=PREFIXES + "ex:B sh:targetNode ex:n ; sh:property [ sh:path ex:r ; sh:minCount 1 ] .")
    assert len(validator.results()) == 2
    conforms, report, text = validator.validate()
    assert not conforms
    assert "Results (2)" in text
    assert len(report) > 10


def test_a_component_that_says_nothing_is_evaluated_for_all_nodes() -> None:
    shapes = """
        ex:Odd a sh:ConstraintComponent ; sh:parameter [ sh:path ex:odd ] .
        ex:S sh:targetClass ex:A ; ex:odd true .
    """

    def odd(column: shacl.ValueNodes, _parameters: Any, data: shacl.DataGraph) -> Any:
        return ((at, None) for at in range(len(column.nodes)) if len(data.subjects_of(EX.p)) % 2)

    data = Graph(shacl.SubjectIndexStore())
    data.add((EX.n, RDF.type, EX.A))
    validator = shacl.Validator(graph(shapes), data, components={str(EX.Odd): odd})
    assert validator.results() == []
    data.add((EX.other, EX.p, EX.n))
    assert len(validator.results()) == 1


def test_shapes_with_queries_are_applied_each_time() -> None:
    shapes = """
        ex:S sh:targetClass ex:A ; sh:property [ sh:path ex:p ; sh:minCount 1 ] ; sh:sparql [ sh:message "no" ;
            sh:select "SELECT $this { $this <http://example.org/q> ?any }" ] .
    """
    data = Graph(shacl.SubjectIndexStore())
    data.add((EX.n, RDF.type, EX.A))
    validator = shacl.Validator(graph(shapes), data)
    assert len(validator.results()) == 1
    data.add((EX.n, EX.q, EX.n))
    assert len(validator.results()) == 2


def test_a_store_that_fails_is_named() -> None:
    class Closed(Graph):
        def triples(self, *_: Any, **__: Any) -> Any:
            raise OSError("the store is closed")

    with pytest.raises(ReadError, match="the store is closed"):
        shacl.Validator(graph(SHAPES), Closed()).results()


def test_a_store_that_was_closed_is_named(tmp_path: Path) -> None:
    data = Graph("Oxigraph")
    data.open(str(tmp_path))
    data.add((EX.n, RDF.type, EX.A))
    validator = shacl.Validator(graph(SHAPES), data)
    assert validator.results()
    data.close()
    with pytest.raises(ReadError, match="open it"):
        validator.results()


@pytest.mark.parametrize("edited", [*STORES, "shapes"])
def test_edits_in_other_threads_are_never_missed(edited: str) -> None:
    data = STORES.get(edited, STORES["noted"])()
    shapes = graph(SHAPES)
    default = data.default_graph if isinstance(data, Dataset) else data
    for number in range(300):
        default.add((EX[f"n{number}"], RDF.type, EX.A))
    validator = shacl.Validator(shapes, data)
    is_done = threading.Event()

    def edit() -> None:
        for number in range(300):
            default.add((EX[f"n{number}"], EX.p, EX[f"n{number + 1}"]))
            default.remove((EX[f"n{number}"], RDF.type, EX.A))
            default.add((EX[f"n{number}"], EX.r, Literal(1)))
            if edited == "shapes" and number % 50 == 0:
                shapes.add((EX.ByNode, shacl.shape.sh("targetNode"), EX[f"n{number}"]))
        is_done.set()

    thread = threading.Thread(target=edit)
    thread.start()
    while not is_done.is_set():
        with contextlib.suppress(ReadError):  # refused, as the graph changes
            validator.results()
    thread.join()
    assert found(validator.results()) == fresh(data, shacl.compile_shapes(shapes))


def test_a_node_may_be_chosen_by_its_name() -> None:
    data = graph("ex:a a ex:A . ex:b a ex:A .")
    shapes = graph("ex:S sh:targetClass ex:A ; sh:property [ sh:path ex:p ; sh:minCount 1 ] .")
    [result] = shacl.Validator(shapes, data).results(focus_nodes=["http://example.org/a"])
    assert result.focus == URIRef("http://example.org/a")
