"""Random shapes over random data: the engine finds what pySHACL finds.

The strategies leave out what pySHACL does otherwise than the standard; `docs/shapes.md` lists that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pyshacl
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, RDFS, SH, XSD, BNode, Graph, Literal, Namespace, URIRef
from rdflib.collection import Collection

from checkpoint_ld import shacl
from tests.w3c.test_shacl import entries

logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)  # one literal is ill-typed on purpose

EX = Namespace("http://example.org/")
CLASSES = [EX.A, EX.B, EX.C]
PREDICATES = [EX.p, EX.q, EX.r]
NODES = [EX.a, EX.b, EX.c, BNode("one"), BNode("two")]
NUMBERS = [Literal(1), Literal(2), Literal("2.5", datatype=XSD.decimal), Literal(3.5)]
LITERALS = [
    *NUMBERS,
    *(
        Literal("x"),
        Literal("longer"),
        Literal("hei", lang="en"),
        Literal("hallo", lang="de"),
        Literal("ho", lang="en"),
    ),
    Literal("one", datatype=XSD.integer),
]
Shape = URIRef

data = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(NODES), st.sampled_from(PREDICATES), st.sampled_from([*NODES, *LITERALS])),
        st.tuples(st.sampled_from(NODES), st.just(RDF.type), st.sampled_from(CLASSES)),
        st.tuples(st.just(EX.B), st.just(RDFS.subClassOf), st.just(EX.A)),
    ),
    max_size=18,
)


@st.composite
def paths(draw: Any, graph: Graph, depth: int = 0) -> Any:
    kind = draw(st.sampled_from(["", "", "", "inverse", "list", "alternative", "more", "many", "maybe"]))
    if not kind or depth > 2:
        return draw(st.sampled_from(PREDICATES))
    node = BNode()
    if kind in ("list", "alternative"):
        members = [draw(paths(graph, depth + 1)) for _ in range(2)]
        Collection(graph, node, members)
        if kind == "list":
            return node
        outer = BNode()
        graph.add((outer, SH.alternativePath, node))
        return outer
    if kind == "inverse":  # pySHACL does not turn the order of a sequence around
        graph.add((node, SH.inversePath, draw(st.sampled_from(PREDICATES))))
        return node
    name = {"more": SH.zeroOrMorePath, "many": SH.oneOrMorePath, "maybe": SH.zeroOrOnePath}[kind]
    graph.add((node, name, draw(paths(graph, depth + 1))))
    return node


def members(graph: Graph, values: list[Any]) -> BNode:
    node = BNode()
    Collection(graph, node, values)
    return node


def constraint(draw: Any, graph: Graph, shape: Shape, others: list[Shape], *, is_property: bool) -> None:
    def say(name: str, value: Any) -> object:
        if (shape, SH[name], None) not in graph:
            graph.add((shape, SH[name], value))
        return None

    some: Callable[[list[Any]], Any] = lambda values: draw(st.sampled_from(values))  # noqa: E731 - short for what follows
    kinds: dict[str, Callable[[], object]] = {
        "class": lambda: say("class", some(CLASSES)),
        "datatype": lambda: say("datatype", some([XSD.string, XSD.integer, RDF.langString, XSD.date])),
        "nodeKind": lambda: say(
            "nodeKind", some([SH.IRI, SH.Literal, SH.BlankNode, SH.IRIOrLiteral, SH.BlankNodeOrIRI])
        ),
        "length": lambda: say(some(["minLength", "maxLength"]), some([Literal(1), Literal(3)])),
        "pattern": lambda: say("pattern", some([Literal("^h"), Literal("l+"), Literal("o$")])),
        "range": lambda: say(some(["minInclusive", "maxInclusive", "minExclusive", "maxExclusive"]), some(NUMBERS)),
        "languageIn": lambda: say("languageIn", members(graph, [Literal("en")])),
        "in": lambda: say("in", members(graph, [some(NODES[:3]), some(LITERALS)])),
        "hasValue": lambda: say("hasValue", some([*NODES[:3], *LITERALS[:6]])),
        "pair": lambda: say(some(["equals", "disjoint"]), some(PREDICATES)),
        "closed": lambda: (say("closed", Literal(True)), say("ignoredProperties", members(graph, [RDF.type, EX.r]))),
    }
    if is_property:
        kinds["minCount"] = lambda: say("minCount", some([Literal(one) for one in range(3)]))
        kinds["maxCount"] = lambda: say("maxCount", some([Literal(one) for one in range(3)]))
        kinds["uniqueLang"] = lambda: say("uniqueLang", Literal(True))
    nested = [one for one in others if (one, SH.path, None) in graph]
    plain = [one for one in others if (one, SH.path, None) not in graph]
    if others:
        kinds["not"] = lambda: say("not", some(others))
        for name in ("and", "or", "xone"):
            kinds[name] = lambda name=name: say(name, members(graph, [some(others), some(others)]))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
        if is_property:
            kinds["qualified"] = lambda: (
                say("qualifiedValueShape", some(others)),
                say(some(["qualifiedMinCount", "qualifiedMaxCount"]), some([Literal(0), Literal(1)])),
                say("qualifiedValueShapesDisjoint", Literal(some([True, False]))),
            )
    if nested:
        kinds["property"] = lambda: graph.add((shape, SH.property, some(nested)))
    if plain:
        kinds["node"] = lambda: say("node", some(plain))
    kinds[some(list(kinds))]()


@st.composite
def shapes(draw: Any) -> Graph:
    graph = Graph()
    known: list[Shape] = []
    for at in range(draw(st.integers(1, 5))):
        shape = EX[f"shape{at}"]
        is_property = draw(st.booleans())
        graph.add((shape, RDF.type, SH.PropertyShape if is_property else SH.NodeShape))
        if is_property:
            graph.add((shape, SH.path, draw(paths(graph))))
        for _ in range(draw(st.integers(1, 3))):
            constraint(draw, graph, shape, known, is_property=is_property)
        if draw(st.booleans()):
            graph.add((shape, SH.severity, draw(st.sampled_from([SH.Warning, SH.Info]))))
        if draw(st.integers(0, 9)) == 0:
            graph.add((shape, SH.deactivated, Literal(True)))
        for _ in range(draw(st.integers(0, 2))):
            target, values = draw(
                st.sampled_from(
                    [
                        (SH.targetNode, [*NODES[:3], Literal("x")]),
                        (SH.targetClass, CLASSES),
                        (SH.targetSubjectsOf, PREDICATES),
                        (SH.targetObjectsOf, PREDICATES),
                    ]
                )
            )
            graph.add((shape, target, draw(st.sampled_from(values))))
        known.append(shape)
    return graph


@given(data, shapes())
def test_the_engine_finds_what_pyshacl_finds(statements: list[Any], shapes_graph: Graph) -> None:
    graph = Graph()
    for statement in statements:
        graph.add(statement)

    conforms, report, _ = shacl.validate(graph, shapes_graph)
    theirs, expected, text = pyshacl.validate(graph, shacl_graph=shapes_graph)

    assert set(entries(report)) == set(entries(expected)), text
    assert conforms == theirs
