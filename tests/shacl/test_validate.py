"""`checkpoint_ld.shacl.validate`: any rdflib graph held against anybody's shapes."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyshacl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, RDFS, SH, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.collection import Collection

from checkpoint_ld import shacl
from checkpoint_ld.errors import SettingsError, ShapesError, ShapesWarning
from checkpoint_ld.graph.store import SubjectIndexStore
from tests.w3c.test_shacl import entries

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix ex: <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
PERSONS = "ex:ann a ex:Person ; ex:name 'Ann' ; ex:knows ex:bob . ex:bob a ex:Person ; ex:age 7 ."
NAMED = (
    "ex:Named sh:targetClass ex:Person ; sh:property ex:Named-name . ex:Named-name sh:path ex:name ; sh:minCount 1 ."
)


def graph(turtle: str) -> Graph:
    return Graph().parse(data=PREFIXES + turtle, format="turtle")


def found(data: str | Graph, shapes: str, **options: Any) -> list[tuple[Any, Any]]:
    """Return the focus node and the component of each result, without their namespaces."""
    source = graph(data) if isinstance(data, str) else data
    _, report, _ = shacl.validate(source, graph(shapes), **options)
    names = (
        (report.value(one, SH.focusNode), report.value(one, SH.sourceConstraintComponent))
        for one in report.objects(None, SH.result)
    )
    return sorted(
        (str(focus).rpartition("/")[2], str(name).rpartition("#")[2].rpartition("/")[2]) for focus, name in names
    )


@pytest.mark.parametrize("kind", ["rdfs:Class", "owl:Class"])
def test_a_shape_that_is_a_class_targets_its_instances(kind: str) -> None:
    shapes = f"ex:Person a {kind}, sh:NodeShape ; sh:property [ sh:path ex:name ; sh:minCount 1 ] ."

    assert found(PERSONS, shapes) == [("bob", "MinCountConstraintComponent")]


def test_a_report_is_like_that_of_pyshacl() -> None:
    conforms, report, text = shacl.validate(graph(PERSONS), graph(NAMED))

    assert not conforms
    ((result,),) = ([*report.objects(None, SH.result)],)
    assert dict(report.predicate_objects(result)) == {
        RDF.type: SH.ValidationResult,
        SH.focusNode: EX.bob,
        SH.resultPath: EX.name,
        SH.sourceShape: EX["Named-name"],
        SH.sourceConstraintComponent: SH.MinCountConstraintComponent,
        SH.resultSeverity: SH.Violation,
        SH.resultMessage: Literal("Less than 1 values on <http://example.org/bob>-><http://example.org/name>"),
    }
    assert text.startswith(
        "Validation Report\nConforms: False\nResults (1):\nConstraint Violation in MinCountConstraint"
    )
    assert "\tFocus Node: <http://example.org/bob>\n" in text


def test_what_conforms_states_so() -> None:
    conforms, report, text = shacl.validate(graph("ex:ann a ex:Person ; ex:name 'Ann' ."), graph(NAMED))

    assert conforms
    assert report.value(None, SH.conforms, Literal(True)) is not None
    assert text == "Validation Report\nConforms: True\n"


def test_a_node_constraint_holds_the_results_that_it_follows_from() -> None:
    shapes = "ex:S sh:targetNode ex:ann ; sh:property [ sh:path ex:knows ; sh:node ex:Named ] ." + NAMED.replace(
        "sh:targetClass ex:Person ;", ""
    )
    _, report, text = shacl.validate(graph(PERSONS), graph(shapes))

    ((outer,),) = ([*report.objects(None, SH.result)],)
    ((inner,),) = ([*report.objects(outer, SH.detail)],)
    assert report.value(outer, SH.value) == report.value(inner, SH.focusNode) == EX.bob
    assert report.value(inner, SH.sourceShape) == EX["Named-name"]
    assert "\tDetails:\n\t\tConstraint Violation in MinCountConstraintComponent" in text


def test_a_path_stands_in_the_report_as_in_the_shapes() -> None:
    _, report, _ = shacl.validate(
        graph(PERSONS), graph("ex:S sh:targetNode ex:ann ; sh:path ( ex:knows ex:name ) ; sh:minCount 1 .")
    )

    ((_, path),) = report.subject_objects(SH.resultPath)
    assert list(report.items(path)) == [EX.knows, EX.name]


def test_what_has_no_name_is_described() -> None:
    shapes = """ex:S sh:targetNode ex:ann ; sh:or ( [ sh:class ex:B ] [ sh:not [ sh:nodeKind sh:IRI ] ] ) ;
      sh:property [ sh:path ( ex:knows [ sh:zeroOrMorePath ex:knows ] ) ; sh:maxCount 0 ] ."""
    _, report, text = shacl.validate(graph(PERSONS), graph(shapes))

    path = "( <http://example.org/knows> [ sh:zeroOrMorePath <http://example.org/knows> ] )"
    assert f"\tResult Path: {path}\n" in text
    assert f"\tSource Shape: [ sh:maxCount 0 ; sh:path {path} ]\n" in text
    either = "[ sh:class <http://example.org/B> ], [ sh:not [ sh:nodeKind sh:IRI ] ]"
    assert set(map(str, report.objects(None, SH.resultMessage))) == {
        f"More than 0 values on <http://example.org/ann>->{path}",
        f"Node <http://example.org/ann> must conform to one or more shapes in {either}",
    }


def test_messages_and_severities_are_those_of_the_shape() -> None:
    shapes = NAMED.replace("sh:minCount 1", "sh:minCount 1 ; sh:message 'Nimi?'@fi, 'Name?' ; sh:severity sh:Warning")
    conforms, report, _ = shacl.validate(graph(PERSONS), graph(shapes), allow_warnings=True)

    assert conforms
    assert set(report.objects(None, SH.resultMessage)) == {Literal("Nimi?", lang="fi"), Literal("Name?")}
    assert not shacl.validate(graph(PERSONS), graph(shapes), allow_infos=True)[0]


def test_only_chosen_focus_nodes_are_judged() -> None:
    assert found(PERSONS, NAMED, focus_nodes=["http://example.org/ann"]) == []
    assert found(PERSONS, NAMED, focus_nodes=["http://example.org/bob"]) == [("bob", "MinCountConstraintComponent")]


def test_an_ontology_counts_as_data() -> None:
    data = "ex:kim a ex:Pupil ."

    assert found(data, NAMED) == []
    assert found(data, NAMED, ont_graph=graph("ex:Pupil rdfs:subClassOf ex:Person .")) == [
        ("kim", "MinCountConstraintComponent")
    ]


def test_the_graphs_of_a_dataset_count_together() -> None:
    dataset = Dataset()
    dataset.graph(EX.one).add((EX.bob, RDF.type, EX.Person))
    dataset.graph(EX.two).add((EX.ann, RDF.type, EX.Person))
    dataset.graph(EX.two).add((EX.bob, EX.name, Literal("Bob")))

    assert found(dataset, NAMED) == [("ann", "MinCountConstraintComponent")]


@pytest.mark.parametrize("store", ["default", "Oxigraph"])
def test_of_a_store_of_others_what_the_shapes_look_at_is_read(store: str) -> None:
    shapes = (
        NAMED
        + """ex:Q sh:targetClass ex:Person ; sh:property [ sh:path ex:name ; sh:in ( "Ann" ) ] ;
      sh:sparql [ sh:select "SELECT $this ?value { $this <http://example.org/age> ?value FILTER (?value < 9) }" ] ,
        [ sh:select "SELECT $this ?value { $this ?value ?any FILTER (isLiteral(?any) && ?any = 'Ann') }" ] ."""
    )
    data = Graph(store)
    for triple in graph(PERSONS):
        data.add(triple)
    names = [
        ("ann", "SPARQLConstraintComponent"),
        ("bob", "MinCountConstraintComponent"),
        ("bob", "SPARQLConstraintComponent"),
    ]

    assert found(data, shapes) == names


def test_a_graph_over_a_subject_index_is_judged_as_any_other() -> None:
    store = SubjectIndexStore()
    held = Graph(store)
    for triple in graph(PERSONS):
        held.add(triple)

    assert entries(shacl.validate(held, graph(NAMED))[1]) == entries(shacl.validate(graph(PERSONS), graph(NAMED))[1])


def test_shapes_may_stand_among_the_data_and_be_compiled_once() -> None:
    assert not shacl.validate(graph(PERSONS + NAMED))[0]

    shapes = shacl.compile_shapes(graph(NAMED))
    assert [shacl.validate(graph(data), shapes)[0] for data in (PERSONS, "", "ex:bob a ex:Person .")] == [
        False,
        True,
        False,
    ]


RECURSIVE = "ex:S sh:targetClass ex:Person ; sh:property ex:S-knows . ex:S-knows sh:path ex:knows ; sh:node ex:S ."

BAD = " ex:S sh:property [ sh:path ex:bad ; sh:maxCount 0 ] ."


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ("ex:a a ex:Person ; ex:knows ex:b . ex:b a ex:Person ; ex:knows ex:a .", []),
        ("ex:a a ex:Person ; ex:knows ex:b . ex:b ex:knows ex:c . ex:c ex:bad 1 .", ["a"]),
        ("ex:a a ex:Person ; ex:knows ex:b . ex:b a ex:Person ; ex:knows ex:a ; ex:bad 1 .", ["a", "b", "b"]),
    ],
)
def test_shapes_that_refer_to_themselves_come_to_an_end(data: str, names: list[str]) -> None:
    assert [name for name, _ in found(data, RECURSIVE + BAD)] == names


def test_the_terms_of_a_shape_without_a_name_that_refers_to_itself() -> None:
    shapes = "ex:S sh:targetNode ex:a ; sh:property _:p . _:p sh:path ex:knows ; sh:node [ sh:property _:p ] ."

    assert shacl.compile_shapes(graph(shapes)).terms == {EX.a, EX.knows}


@pytest.mark.slow
def test_a_long_chain_is_gone_to_its_end() -> None:
    chain = " ".join(f"ex:n{at} ex:knows ex:n{at + 1} ." for at in range(1500))

    assert found("ex:n0 a ex:Person ." + chain, RECURSIVE) == []
    _, report, text = shacl.validate(graph("ex:n0 a ex:Person . ex:n1500 ex:bad 1 ." + chain), graph(RECURSIVE + BAD))
    assert [str(one)[-2:] for one in report.objects(next(report.objects(None, SH.result)), SH.focusNode)] == ["n0"]
    assert len(text) < 2_000_000


def test_each_detail_is_stated_once() -> None:
    chain = " ".join(f"ex:n{at} a ex:Person ; ex:knows ex:n{at + 1} ." for at in range(100))
    _, report, text = shacl.validate(graph(chain + "ex:n100 ex:bad 1 ."), graph(RECURSIVE + BAD))

    assert len(set(report.objects(None, SH.result))) == 100
    assert len(report) < 2_500
    assert len(text) < 200_000


def test_shapes_that_contradict_themselves_are_an_error_of_ours() -> None:
    with pytest.raises(ShapesError, match="negation"):
        found("ex:a a ex:Person .", "ex:S sh:targetClass ex:Person ; sh:not ex:S .")


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ("ex:S sh:targetNode ex:a ; sh:path ex:p, ex:q .", "2 values of sh:path"),
        ("ex:S a sh:PropertyShape ; sh:targetNode ex:a .", "has no sh:path"),
        ("ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:path ex:p .", "make it a property shape"),
        ("ex:S sh:targetNode ex:a ; sh:path 'p' .", "no property path"),
        ("ex:S sh:targetNode ex:a ; sh:path ( ex:p ) .", "fewer members than two"),
        ("ex:S sh:targetNode ex:a ; sh:path [ sh:inversePath _:p ] . _:p sh:inversePath _:p .", "no property path"),
        ("ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:minCount 'one' .", "write a whole number"),
        ("ex:S sh:targetNode ex:a ; sh:datatype 'text' .", "the IRI of a datatype"),
        ("ex:S sh:targetNode ex:a ; sh:nodeKind sh:Thing .", "one of the six"),
        ("ex:S sh:targetNode ex:a ; sh:minInclusive ex:b .", "write a literal"),
        ("ex:S sh:targetNode ex:a ; sh:in ex:b .", "is no list"),
        ("ex:S sh:targetNode ex:a ; sh:in _:l . _:l rdf:first 1 ; rdf:rest _:l .", "is no list"),
        ("ex:S sh:targetNode ex:a ; sh:or () .", "an empty list"),
        ("ex:S sh:targetNode ex:a ; sh:property [ sh:minCount 1 ] .", r"is \[ sh:minCount 1 \], which has no sh:path"),
        (
            "ex:S sh:targetNode ex:a ; sh:not [ sh:path ex:p ; sh:minCount 'a' ] .",
            r"of \[ sh:minCount \"a\" ; sh:path <",
        ),
        ("ex:S sh:targetNode ex:a ; sh:node [ sh:path ex:p ] .", "write a node shape"),
        ("ex:S sh:targetNode ex:a ; sh:closed 'yes' .", "write true or false"),
        ("ex:S sh:targetNode ex:a ; sh:severity 'high' .", "write one IRI"),
        ("ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:lessThan 'q' .", "the IRI of a property"),
        ("ex:S sh:targetNode ex:a ; sh:qualifiedValueShape [] ; sh:qualifiedMinCount 1 .", "only property shapes"),
        ("ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:qualifiedValueShape [] .", "without a number"),
        ("ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:qualifiedMaxCount 1 .", "without sh:qualifiedValueShape"),
        ("ex:S sh:targetClass 'ex:Person' ; sh:class ex:B .", "sh:targetClass of .* write an IRI"),
        ("ex:S sh:targetSubjectsOf [] ; sh:class ex:B .", "sh:targetSubjectsOf of .* write an IRI"),
        ("ex:S sh:targetNode ex:a ; sh:class 'B' .", "the IRI of a class"),
        ("ex:S sh:targetNode ex:a ; sh:or ( 'B' ex:B ) .", 'refers to "B" as to a shape'),
        ("ex:S sh:targetNode ex:a ; sh:languageIn ( ex:en ) .", "write texts"),
        ("<> sh:entailment <http://www.w3.org/ns/entailment/RDFS> .", "regime .*RDFS> is not applied: infer"),
        ("<> sh:entailment sh:Rules .", "regime sh:Rules is not applied: .* or give advanced"),
    ],
)
def test_ill_formed_shapes_are_refused_with_a_remedy(shapes: str, words: str) -> None:
    with pytest.raises(ShapesError, match=words) as raised:
        shacl.validate(graph("ex:a ex:p ex:b ."), graph(shapes))

    assert isinstance(raised.value, SettingsError)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("minCount", "1"), ("maxCount", "1"), ("uniqueLang", "true"), ("lessThan", "ex:q"), ("lessThanOrEquals", "ex:q")],
)
def test_a_node_shape_may_not_have_what_is_for_property_shapes(parameter: str, value: str) -> None:
    with pytest.raises(ShapesError, match=f"the node shape .*S> has sh:{parameter}:"):
        found("ex:a ex:p ex:b .", f"ex:S sh:targetNode ex:a ; sh:{parameter} {value} .")


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        ("datatype", "xsd:string, xsd:integer"),
        ("nodeKind", "sh:IRI, sh:Literal"),
        ("minCount", "1, 2"),
        ("minExclusive", "1, 2"),
        ("maxLength", "1, 2"),
        ("languageIn", "( 'de' ), ( 'fi' )"),
        ("in", "( 1 ), ( 2 )"),
        ("uniqueLang", "true, false"),
        ("closed", "true, false"),
    ],
)
def test_a_parameter_of_one_value_may_not_have_two(parameter: str, values: str) -> None:
    with pytest.raises(ShapesError, match=f"has 2 values of sh:{parameter}:"):
        found("ex:a ex:p ex:b .", f"ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:{parameter} {values} .")


COMPONENT = """
ex:Multiple a sh:ConstraintComponent ; sh:parameter [ sh:path ex:multipleOf ] ;
  sh:propertyValidator [ a sh:SPARQLSelectValidator ;
    sh:message "{?value} of {$this} is no multiple of {$multipleOf}" ; sh:select
    "SELECT $this ?value { $this $PATH ?value . FILTER (?value - $multipleOf * FLOOR(?value / $multipleOf) != 0) }" ] .
ex:S sh:targetSubjectsOf ex:age ; sh:path ex:age ; ex:multipleOf 2 .
"""


def multiple(
    column: shacl.ValueNodes, parameters: Mapping[str, Any], _data: shacl.DataGraph
) -> Iterator[tuple[int, Any]]:
    yield from column.rows_with([one for one in column.distinct if one.value % parameters["multipleOf"].value])  # type: ignore[attr-defined]  # ages are literals


def test_a_registered_function_stands_for_a_component() -> None:
    ages = "ex:ann ex:age 10 . ex:bob ex:age 7 . ex:kim ex:age 8 ."
    functions = {str(EX.Multiple): multiple}

    assert found(ages, COMPONENT) == [("bob", "Multiple")]
    assert found(ages, COMPONENT, components=functions) == [("bob", "Multiple")]
    # Each value of the parameter is a constraint of its own.
    assert [
        name for name, _ in found(ages, COMPONENT.replace("multipleOf 2 .", "multipleOf 2, 5 ."), components=functions)
    ] == ["bob", "bob", "kim"]


def test_the_message_of_a_component_has_its_values() -> None:
    for functions in ({}, {str(EX.Multiple): multiple}):
        _, report, _ = shacl.validate(graph("ex:kim ex:age 7 ."), graph(COMPONENT), components=functions)

        assert [str(one) for one in report.objects(None, SH.resultMessage)] == [
            "7 of http://example.org/kim is no multiple of 2"
        ]


SPARQL = """
ex:Adult sh:targetClass ex:Person ; sh:sparql [
  sh:select "SELECT $this ?value { $this <http://example.org/age> ?value . FILTER (?value < 18) }" ] .
"""


def test_shapes_with_queries_stay_in_the_engine() -> None:
    both = found(PERSONS, SPARQL + NAMED)

    assert both == [("bob", "MinCountConstraintComponent"), ("bob", "SPARQLConstraintComponent")]


def test_a_shape_may_refer_to_one_with_a_query() -> None:
    shapes = SPARQL.replace("sh:targetClass ex:Person ; ", "") + "ex:S sh:targetNode ex:bob ; sh:node ex:Adult ."

    assert found(PERSONS, shapes) == [("bob", "NodeConstraintComponent")]


@pytest.mark.parametrize(
    "query", ["SELECT $this { this is no query", "SELECT $this FROM <http://example.org/> { $this ?p ?o }"]
)
def test_a_query_that_cannot_be_applied_is_an_error_of_ours(query: str) -> None:
    with pytest.raises(SettingsError):
        found(PERSONS, f"ex:S sh:targetClass ex:Person ; sh:sparql [ sh:select '{query}' ] .")


def test_advanced_features_count_on_request() -> None:
    target = """ex:T a sh:NodeShape ; sh:target [ a sh:SPARQLTarget ;
        sh:select 'SELECT ?this { ?this <http://example.org/age> ?age }' ] ; """
    rule = """ex:R sh:targetClass ex:Person ; sh:rule [ a sh:TripleRule ; sh:subject sh:this ;
        sh:predicate ex:name ; sh:object 'somebody' ] ."""

    with pytest.warns(ShapesWarning, match="which are not applied"):
        assert found(PERSONS, target + "sh:nodeKind sh:Literal .") == []
    assert found(PERSONS, target + "sh:nodeKind sh:Literal .", advanced=True) == [
        ("bob", "NodeKindConstraintComponent")
    ]
    assert found(PERSONS, NAMED + rule, advanced=True) == []
    assert found(PERSONS, NAMED + rule + "<> sh:entailment sh:Rules .", advanced=True) == []


def test_no_graph_is_changed() -> None:
    data, shapes = graph(PERSONS), graph(NAMED + SPARQL)
    before = set(data), set(shapes)
    shacl.validate(data, shapes, ont_graph=graph("ex:Pupil rdfs:subClassOf ex:Person ."))

    assert (set(data), set(shapes)) == before


def test_a_term_is_the_same_with_and_without_the_datatype_of_texts() -> None:
    data = Graph().add((EX.a, EX.p, Literal("x", datatype=URIRef("http://www.w3.org/2001/XMLSchema#string"))))
    shapes = "ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:in ( 'x' ) ; sh:hasValue 'x' ; sh:equals ex:q ."

    assert found(data, shapes.replace("sh:equals ex:q ", "")) == []
    assert found(data.add((EX.a, EX.q, Literal("x"))), shapes) == []


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("sh:pattern '('", "no regular expression"),
        ("sh:pattern 'a' ; sh:flags 'u'", "the flags are u"),
    ],
)
def test_a_pattern_that_cannot_be_applied_stops_its_shape_alone(shape: str, words: str) -> None:
    shapes = f"ex:P sh:targetNode ex:a ; {shape} ." + NAMED
    with pytest.warns(ShapesWarning, match=f"the shape <http://example.org/P> is not applied, because .*{words}"):
        assert found(PERSONS, shapes) == [("bob", "MinCountConstraintComponent")]


@pytest.mark.parametrize(
    ("term", "remedy"),
    [
        ("sh:minCuont 1", "SHACL does not define: did you mean sh:minCount?"),
        ("sh:mincount 1", "SHACL does not define: did you mean sh:minCount?"),
        ("sh:memberShape ex:b", "SHACL 1.2 defines: it has no effect here"),
        ("sh:wxyz 1", "SHACL does not define: it has no effect; take it out"),
        ("sh:js [ ]", "JavaScript Extensions, which are not applied: write a query"),
        ("sh:rule [ ]", "Advanced Features, which are not applied: apply them by advanced=True"),
    ],
)
def test_a_term_without_effect_is_a_warning(term: str, remedy: str) -> None:
    with pytest.warns(ShapesWarning, match=re.escape(remedy)):
        compiled = shacl.compile_shapes(graph(f"ex:S sh:targetNode ex:a ; {term} ."))
    assert [one.node for one in compiled.problems] == [EX.S]


def test_what_cannot_be_compared_is_not_below() -> None:
    data = "ex:a ex:p 1, 'one', true, ex:b ; ex:q 2 ."

    assert (
        found(data, "ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:lessThan ex:q .")
        == [("a", "LessThanConstraintComponent")] * 3
    )


def test_a_decimal_and_a_double_are_compared_as_doubles() -> None:
    data = "ex:a ex:p 1e-1, 0.1 ; ex:q 0.1, 1e-1 ."
    shapes = "ex:S sh:targetNode ex:a ; sh:path ex:p ; sh:minInclusive {0} ; sh:maxInclusive {0} ; {1} ."

    for bound in ("0.1", "1e-1"):
        assert found(data, shapes.format(bound, "sh:lessThanOrEquals ex:q")) == []
    assert len(found(data, shapes.format("0.1", "sh:lessThan ex:q"))) == 4


def test_a_sequence_is_gone_backwards_from_its_end() -> None:
    data = "ex:a ex:p ex:b . ex:b ex:q ex:c ."
    shapes = "ex:S sh:targetNode ex:c ; sh:path [ sh:inversePath ( ex:p ex:q ) ] ; sh:minCount 1 ; sh:in ( ex:a ) ."

    assert found(data, shapes) == []


# --- Random shapes over random data: the engine finds what pySHACL finds.


logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)  # one literal is ill-typed on purpose

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
