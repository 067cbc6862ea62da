"""The graph of an agent checkpoint: nothing is lost on the way there and back, in any syntax."""

import json
import pickle
import re
from contextlib import suppress
from copy import deepcopy
from time import process_time
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import PROV, BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.namespace import RDFS

from checkpoint_ld import data, shacl
from checkpoint_ld.agents import schema
from checkpoint_ld.agents.graph import AgentGraph, moment
from checkpoint_ld.agents.schema import caf, iri, jsonld_of, without_context
from checkpoint_ld.agents.serialization import examine
from checkpoint_ld.agents.values import bytes_of, sha256_of
from checkpoint_ld.errors import LookupFailedError, ReadError, WriteError
from checkpoint_ld.graph import emission, literals
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.emission import ntriples_of, turtle_of
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import same
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.validation import profiles
from checkpoint_ld.validation.results import compiled
from checkpoint_ld.vocabulary import CAF, CAF_DERIVED
from tests.agents.documents import second
from tests.agents.graphs import FULL, JSON_VALUES, TREES, Tree, as_plain_json_ld, by_oxigraph, by_pyld
from tests.agents.runs import call, thought, tree
from tests.trials import examples

AGAIN = tree(thoughts=[thought(1), thought(2), thought(1, content="again")], calls=[call(1)])
"""Two thoughts have one id."""


def objects(graph: Graph, subject: URIRef, predicate: URIRef) -> set[str]:
    return {str(one) for one in graph.objects(subject, predicate)}


def test_a_document_comes_back_as_it_was_with_its_known_members_in_their_order() -> None:
    assert same(AgentGraph.of_tree(FULL).tree(), FULL)
    shuffled = {key: FULL[key] for key in reversed(FULL)}
    assert bytes_of(AgentGraph.of_tree(shuffled).tree()).decode() == bytes_of(FULL).decode()
    assert list(AgentGraph.of_tree({"zz": 1, "b": 2, **shuffled}).tree()) == [*FULL, "b", "zz"]


@given(TREES)
def test_any_tree_comes_back_also_from_text_with_the_provenance_layer_even_if_it_breaks_rules(document: Tree) -> None:
    assert same(AgentGraph.of_tree(document).tree(), document)
    graph = AgentGraph.of_tree(document, prov=True)
    assert same(AgentGraph.of_index(emission.parse(ntriples_of(graph), "nt")).tree(), document)


@pytest.mark.parametrize("syntax", ["turtle", "nt", "xml"])
def test_rdflib_reads_what_we_write_and_writes_what_we_read(syntax: str) -> None:
    document = tree(thoughts=[thought(1, confidence=0.5, children=[])], calls=[call(1)], results={"c1": [1.0, None]})
    written = Graph().parse(data=turtle_of(AgentGraph.of_tree(document, prov=True)), format="turtle")
    read = Graph().parse(data=written.serialize(format=syntax), format=syntax)
    assert bytes_of(AgentGraph.of_graph(read).tree()).decode() == bytes_of(document).decode()


def test_every_object_is_a_node_with_its_class_and_a_name_by_its_id_or_place() -> None:
    graph = AgentGraph.of_tree(FULL)
    root = iri("checkpoint", "ckpt 1/a")
    assert {(str(subject), str(kind).removeprefix("urn:caf:vocab:")) for subject, kind in graph[:RDF_TYPE]} == {
        (root, "Checkpoint"),
        (f"{root}#/snapshot", "Snapshot"),
        (f"{root}#/snapshot/context", "Context"),
        (f"{root}#/snapshot/tool_state", "ToolState"),
        (f"{root}#/snapshot/progress", "Progress"),
        (f"{root}#/metadata", "Metadata"),
        (f"{root}#/parent", "Parent"),
        (f"{root}#/about", "About"),
        *((iri("thought", one["id"]), "Thought") for one in FULL["snapshot"]["thought_chain"]),
        *((iri("tool-call", one["id"]), "ToolCall") for one in FULL["snapshot"]["tool_state"]["calls"]),
    }
    assert [str(graph.value(URIRef(iri("thought", one)), POSITION)) for one in ("t1", "t2")] == ["0", "1"]
    assert not [one for triple in graph for one in triple if not isinstance(one, (URIRef, Literal))]


def test_what_no_statement_can_state_is_the_residue_of_its_object() -> None:
    document = tree(thoughts=[thought(1, confidence=None, children=["b", "a"]), thought(2, children=["a", "b"])])
    held = {str(subject): json.loads(str(term)) for subject, term in AgentGraph.of_tree(document)[:RESIDUE]}
    assert held == {
        "urn:caf:thought/t1": {"confidence": None, "children": ["b", "a"]},
        "urn:caf:checkpoint/k1#/snapshot/tool_state": {"calls": []},
    }


@pytest.mark.parametrize(
    ("document", "subject", "predicate", "terms"),
    [
        (
            tree(variables={"b": 9007199254740993, "a": [1.0, 1, None, -0.0]}),
            *("urn:caf:checkpoint/k1#/snapshot/context", caf("variables")),
            {'{"b":9007199254740993,"a":[1.0,1,null,-0.0]}'},
        ),
        (tree(thoughts=[thought(1, name="n")]), "urn:caf:thought/t1", "urn:caf:ext:name", {"n"}),
        (tree(thoughts=[thought(1, note={"@id": "x"})]), "urn:caf:thought/t1", "urn:caf:ext:note", {'{"@id":"x"}'}),
        (tree(custom=1.0), "urn:caf:checkpoint/k1", "urn:caf:ext:custom", {"1.0E0"}),
        (AGAIN, "urn:caf:thought/t1", POSITION, {"0", "2"}),
        (AGAIN, "urn:caf:checkpoint/k1#/snapshot/thought_chain/2", PROV.value, {"again"}),
    ],
)
def test_json_parts_are_one_literal_and_what_has_no_predicate_or_name_gets_one(
    document: Tree, subject: str, predicate: URIRef | str, terms: set[str]
) -> None:
    graph = AgentGraph.of_tree(document)
    assert objects(graph, URIRef(subject), URIRef(predicate)) == terms
    assert graph.tree() == document


def test_a_value_of_a_wrong_type_stays_a_literal_of_the_type_that_it_has() -> None:
    document = {**tree(thoughts=["no thought", thought(1, confidence="0.8")]), "agent_id": 5, "metadata": [1]}  # type: ignore[list-item]
    graph = AgentGraph.of_tree(document)
    root = URIRef("urn:caf:checkpoint/k1")
    assert graph.value(root, PROV.wasAttributedTo) == Literal(5)
    assert graph.value(URIRef("urn:caf:thought/t1"), caf("confidence")) == Literal("0.8")
    assert objects(graph, root, caf("metadata")) == {"[1]"}
    assert objects(graph, root + "#/snapshot", caf("thought")) == {"no thought", "urn:caf:thought/t1"}
    assert graph.tree() == document


def test_where_somebody_changed_the_statements_these_count_and_not_the_residue() -> None:
    document = tree(thoughts=[thought(1, confidence=None, children=["b", "a"])])
    graph = AgentGraph.of_tree(document)
    node = URIRef(iri("thought", "t1"))
    graph.add((node, caf("confidence"), Literal("0.25", datatype="http://www.w3.org/2001/XMLSchema#decimal")))
    graph.add((node, caf("childThought"), URIRef(iri("thought", "c"))))
    made = graph.tree()["snapshot"]["thought_chain"][0]
    assert (made["confidence"], made["children"]) == (0.25, ["a", "b", "c"])


def test_a_graph_from_elsewhere_is_read_by_its_snapshot_and_ordered_by_time() -> None:
    text = """
    @prefix caf: <urn:caf:vocab:> . @prefix prov: <http://www.w3.org/ns/prov#> .
    <urn:caf:checkpoint/k> caf:timestampMs 5 ; prov:wasAttributedTo <https://example.org/bot> ; caf:snapshot [
      caf:thought <urn:caf:thought/b>, <urn:caf:thought/a> , [ prov:value "no name" ; caf:createdAtMs 1 ] ] .
    <urn:caf:thought/b> prov:value "first" ; caf:createdAtMs 2 .
    <urn:caf:thought/a> prov:value "second" ; caf:createdAtMs 3 ; <urn:x> "unknown" .
    """
    first, second = (
        {"id": "b", "content": "first", "created_at": 2},
        {"id": "a", "content": "second", "created_at": 3},
    )
    assert AgentGraph.of_index(emission.parse(text.encode(), "turtle")).tree() == {
        "id": "k",
        "timestamp": 5,
        "agent_id": "https://example.org/bot",
        "snapshot": {"thought_chain": [{"content": "no name", "created_at": 1}, first, second]},
    }


@pytest.mark.parametrize("document", [FULL, AGAIN])
def test_each_object_is_read_by_its_node_and_written_again_as_it_was(document: Tree) -> None:
    graph = AgentGraph.of_tree(document, prov=True)
    before = ntriples_of(AgentGraph.of_tree(document)).splitlines()
    for node in [one for one, kind in graph[:RDF_TYPE] if str(kind) in schema.plans()]:
        graph.write(node, graph.read(node))
    assert graph.tree() == document
    assert {*before} <= {*ntriples_of(graph).splitlines()}


@given(TREES, st.lists(st.dictionaries(st.sampled_from(["content", "children", "parent_id", "note"]), JSON_VALUES)))
def test_a_node_that_is_written_states_what_the_whole_document_would(document: Tree, changes: list[Tree]) -> None:
    graph = AgentGraph.of_tree({**document, "id": "k"})  # without one the name of a whole document follows from it
    for node, change in zip([*graph[: RDF_TYPE : schema.caf("Thought")]], changes, strict=False):
        changed = {**graph.read(node), **change}
        graph.write(node, changed)
        assert same(graph.read(node), changed)
    assert {*graph} == {*AgentGraph.of_tree(graph.tree())}


def test_a_node_gets_no_other_id_and_what_is_no_object_is_not_read() -> None:
    graph = AgentGraph.of_tree(FULL)
    with pytest.raises(WriteError, match="cannot get the id 'x'"):
        graph.write(URIRef(iri("thought", "t1")), {"id": "x"})
    with pytest.raises(LookupFailedError, match="no object of the checkpoint"):
        graph.read(URIRef("urn:x"))
    assert graph.tree() == FULL


def test_copies_are_equal_and_independent() -> None:
    graph = AgentGraph.of_tree(FULL, prov=True)
    for copied in (graph.copy(), deepcopy(graph), pickle.loads(pickle.dumps(graph)), AgentGraph.of_graph(graph)):
        assert ntriples_of(copied) == ntriples_of(graph)
        copied.remove((None, caf("timestampMs"), None))
    assert graph.tree() == FULL


@pytest.mark.slow
def test_the_time_grows_with_the_number_of_thoughts_and_no_faster() -> None:
    def seconds(count: int) -> float:
        document = tree(thoughts=[thought(at, confidence=at / count, parent_id=f"t{at - 1}") for at in range(count)])
        start = process_time()
        AgentGraph.of_tree(document, prov=True).tree()
        return process_time() - start

    seconds(100)
    few, many = min(seconds(500) for _ in range(3)), min(seconds(5000) for _ in range(2))
    assert many < 30 * few


def test_a_query_in_sparql_finds_what_the_checkpoint_states_and_an_update_changes_that_and_nothing_else() -> None:
    graph = AgentGraph.of_tree(FULL)
    unsure = "?thought a caf:Thought ; caf:confidence ?low ; prov:value ?text FILTER (?low < 0.9)"
    found = graph.query(f"SELECT ?text {{ {unsure} }}")
    assert [str(one) for row in found if isinstance(row, tuple) for one in row] == ["thought 1"]
    less = "?thought caf:confidence 0.1 ; prov:value 'sure'"
    graph.update(f"DELETE {{ ?thought caf:confidence ?low }} INSERT {{ {less} }} WHERE {{ {unsure} }}")
    changed = deepcopy(FULL)
    changed["snapshot"]["thought_chain"][0] |= {"confidence": 0.1, "content": ["sure", "thought 1"]}
    assert graph.tree() == changed


# --- Names of the parts of agent checkpoints: an IRI for any id, and the id again.


KINDS = st.sampled_from(schema.KINDS)
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("kind", "identifier", "expected"),
    [
        ("checkpoint", "ckpt_abc-1.2~3", "urn:caf:checkpoint/ckpt_abc-1.2~3"),
        ("thought", 'th 3 "x" <y>', "urn:caf:thought/th%203%20%22x%22%20%3Cy%3E"),
        ("tool-call", "_:b0", "urn:caf:tool-call/_%3Ab0"),
        ("tool-call", "../x", "urn:caf:tool-call/..%2Fx"),
        ("tool", "/x", "urn:caf:tool/%2Fx"),
        ("agent", "naïve", "urn:caf:agent/na%C3%AFve"),
        ("execution", "a%20b#/c", "urn:caf:execution/a%2520b%23%2Fc"),
        ("thought", "", "urn:caf:thought/"),
    ],
)
def test_an_id_is_percent_encoded_in_the_namespace_of_its_kind(
    kind: schema.Kind, identifier: str, expected: str
) -> None:
    assert schema.iri(kind, identifier) == expected
    assert schema.identifier(expected) == (kind, identifier)


@given(KINDS, ANY_TEXT)
def test_every_id_comes_back_from_its_iri_which_every_library_accepts(kind: schema.Kind, identifier: str) -> None:
    iri = schema.iri(kind, identifier)
    assert schema.identifier(iri) == (kind, identifier)
    assert literals.is_iri(iri)
    assert not literals.is_minted(iri)
    assert pyoxigraph.NamedNode(iri).value == iri


@given(KINDS, ANY_TEXT, KINDS, ANY_TEXT)
def test_two_ids_never_share_a_name(kind: schema.Kind, one: str, other_kind: schema.Kind, other: str) -> None:
    assert (schema.iri(kind, one) == schema.iri(other_kind, other)) == ((kind, one) == (other_kind, other))


@pytest.mark.parametrize(
    "iri",
    [
        "https://example.org/agent",
        "urn:caf:thoughts/a",
        "urn:caf:thought",
        "urn:caf:checkpoint/a#/snapshot",
        "urn:caf:agent/%FF",
    ],
)
def test_other_iris_have_no_id(iri: str) -> None:
    assert schema.identifier(iri) is None


@given(ANY_TEXT)
def test_every_unknown_key_comes_back_from_its_predicate_and_from_no_other(key: str) -> None:
    predicate = schema.extension_iri(key)
    assert schema.extension_key(predicate) == key
    assert literals.is_iri(predicate)
    others = ("urn:caf:vocab:thought", "urn:caf:ext:%FF", "https://schema.org/name")
    assert [*map(schema.extension_key, others)] == [None] * 3


# --- The provenance layer: what PROV-O says of a checkpoint, and that it is only stated, never read.


RUN = tree(
    "ckpt_2",
    thoughts=[thought(1), thought(2, parent_id="t1"), thought(3, parent_id="elsewhere")],
    calls=[call(1), call(2, success=False, error="exit 1"), {"id": "c3", "status": "pending"}],
    results={"c1": {"b": 1, "a": 2}, "c2": None},
    parent={"checkpoint_id": "ckpt_1"},
    about={"benchmark": "urn:uuid:b", "question": 'urn:uuid:is-1"<2'},
)

EXPECTED = """
@prefix cafd: <urn:caf:derived:> . @prefix caf: <urn:caf:vocab:> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix schema: <https://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
<urn:caf:checkpoint/ckpt_2> a prov:Entity ; prov:generatedAtTime "2025-02-05T21:20:10.000Z"^^xsd:dateTime ;
  prov:wasDerivedFrom <urn:caf:checkpoint/ckpt_1> ; schema:about <urn:uuid:is-1%22%3C2> ; cafd:sha256 "SHA256" ;
  cafd:hasThought <urn:caf:thought/t1> , <urn:caf:thought/t2> , <urn:caf:thought/t3> ;
  cafd:hasToolCall <urn:caf:tool-call/c1> , <urn:caf:tool-call/c2> , <urn:caf:tool-call/c3> .
<urn:caf:execution/exec_1> a caf:Execution , prov:Activity ; prov:wasAssociatedWith <urn:caf:agent/reader> ;
  prov:used <urn:uuid:is-1%22%3C2> , <urn:uuid:b> .
<urn:caf:agent/reader> a caf:Agent , prov:SoftwareAgent .
<urn:caf:thought/t1> a prov:Entity ; prov:generatedAtTime "2025-02-05T21:20:01.000Z"^^xsd:dateTime ;
  prov:wasGeneratedBy <urn:caf:execution/exec_1> .
<urn:caf:thought/t2> a prov:Entity ; prov:generatedAtTime "2025-02-05T21:20:02.000Z"^^xsd:dateTime ;
  prov:wasGeneratedBy <urn:caf:execution/exec_1> ; prov:wasDerivedFrom <urn:caf:thought/t1> .
<urn:caf:thought/t3> a prov:Entity ; prov:generatedAtTime "2025-02-05T21:20:03.000Z"^^xsd:dateTime ;
  prov:wasGeneratedBy <urn:caf:execution/exec_1> ; prov:wasDerivedFrom <urn:caf:thought/elsewhere> .
<urn:caf:tool-call/c1> a prov:Activity ; prov:wasAssociatedWith <urn:caf:agent/reader> ;
  prov:startedAtTime "2025-02-05T21:20:01.000Z"^^xsd:dateTime ;
  prov:endedAtTime "2025-02-05T21:20:01.500Z"^^xsd:dateTime ;
  cafd:result '{"b":1,"a":2}'^^rdf:JSON .
<urn:caf:tool-call/c2> a prov:Activity ; prov:wasAssociatedWith <urn:caf:agent/reader> ;
  prov:startedAtTime "2025-02-05T21:20:02.000Z"^^xsd:dateTime ;
  prov:endedAtTime "2025-02-05T21:20:02.500Z"^^xsd:dateTime ;
  cafd:result "null"^^rdf:JSON .
<urn:caf:tool-call/c3> a prov:Activity ; prov:wasAssociatedWith <urn:caf:agent/reader> .
"""


def layer(document: Tree) -> set[tuple[str, str, str]]:
    """Return the statements that the layer adds."""
    base = {_texts(triple) for triple in AgentGraph.of_tree(document)}
    return {_texts(triple) for triple in AgentGraph.of_tree(document, prov=True)} - base


def _texts(triple: tuple[object, ...]) -> tuple[str, str, str]:
    subject, predicate, term = (one.n3() for one in triple)  # type: ignore[attr-defined]
    return subject, predicate, term


def test_the_layer_states_who_made_what_of_what_and_when() -> None:
    expected = Graph().parse(data=EXPECTED.replace("SHA256", sha256_of(RUN)), format="turtle")
    assert layer(RUN) == {_texts(triple) for triple in expected}


@pytest.mark.parametrize(
    ("document", "known", "hashes"), [(RUN, "0" * 64, [Literal("0" * 64)]), (tree("k", name="\ud800"), None, [])]
)
def test_a_hash_that_is_known_is_taken_and_what_has_no_text_has_none(
    document: Tree, known: str | None, hashes: list[Literal]
) -> None:
    graph = AgentGraph.of_tree(document, prov=True, sha256=known)
    assert list(graph.objects(None, schema.derived("sha256"))) == hashes
    assert graph.tree() == document


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_738_790_400_007, "2025-02-05T21:20:00.007Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_moments_have_milliseconds_and_z(milliseconds: int, expected: str) -> None:
    assert str(moment(milliseconds)) == expected


@pytest.mark.parametrize("timestamp", ["2025", True, -1, 253_402_300_800_000, 1.0, None])
def test_what_is_no_moment_has_no_time(timestamp: object) -> None:
    found = layer({**tree("k"), "timestamp": timestamp})
    assert not [one for one in found if one[1].endswith("generatedAtTime>")]


def test_a_checkpoint_without_members_has_a_layer_as_well() -> None:
    root, *rest = AgentGraph.of_tree({}, prov=True).subjects(URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"))
    assert set(rest) == {root}
    assert str(root).startswith("urn:karenina:sha256:")


# --- The contexts for agent checkpoints: other processors of JSON-LD read our statements from the plain files.


PLAIN = tree(
    "ckpt_1",
    thoughts=[
        thought(1, confidence=0.85, reasoning="because", children=["t2", "t3"], metadata={"z": [1], "a": None}),
        thought(2, confidence=1, parent_id="t1", alternatives=[{"option": "b"}], note="unknown", name="a name"),
    ],
    calls=[call(1), {"id": "c2", "tool_id": "bash", "args": {}, "status": "running"}],
    results={"c1": {"@id": "not an IRI"}, "c2": None},
    variables={"task": "x", "one": ["a"], "deep": {"@type": "y"}},
    parent={"checkpoint_id": "ckpt_0", "is_branch": False},
    about={"question": "urn:uuid:q", "benchmark": "urn:uuid:b"},
    diff={"summary": ""},
    name="named",
    custom=True,
)
"""A document with ids that are safe in IRIs, and without what no context can say."""


def under(file: str, document: Tree) -> Tree:
    return {**json.loads(data.text("contexts", file)), **document}


@pytest.mark.parametrize("processor", [by_pyld, by_oxigraph])
def test_a_processor_reads_our_statements_from_the_plain_file_under_our_context(processor: Any) -> None:
    read = processor(under("caf.jsonld", PLAIN))
    assert len(read) > 50
    assert isomorphic(read, as_plain_json_ld(AgentGraph.of_tree(PLAIN)))


@pytest.mark.parametrize("processor", [by_pyld, by_oxigraph])
def test_ids_that_are_no_iris_are_read_alike_once_they_are_encoded(processor: Any) -> None:
    hostile = ("a b", "<x>", 'a"b', "a\\b", "a:b", "../x", "/x", "_:b0", "@foo", "naïve")
    iris = [schema.iri("thought", one) for one in hostile]
    document, encoded = (
        tree(thoughts=[{**thought(1), "id": one, "parent_id": one} for one in ids]) for ids in (hostile, iris)
    )
    assert isomorphic(processor(under("caf.jsonld", encoded)), as_plain_json_ld(AgentGraph.of_tree(document)))


def test_our_json_ld_is_the_file_with_the_context_as_its_first_member_and_is_compacted_to_it() -> None:
    document = jsonld_of(PLAIN)
    assert next(iter(document)) == "@context"
    assert without_context(document) == PLAIN
    assert isomorphic(by_pyld(document), as_plain_json_ld(AgentGraph.of_tree(PLAIN)))
    compacted = jsonld.compact(jsonld.expand(document), {"@context": document["@context"]})
    assert {key: value for key, value in compacted.items() if key != "@context"} == PLAIN


def test_the_terms_of_the_second_shape_are_those_of_the_first() -> None:
    first, second = (json.dumps(json.loads(data.text("contexts", f"caf{one}.jsonld"))) for one in ("", "-second-shape"))
    shared = ("thought", "toolCall", "currentThought", "arguments", "history", "createdAtMs", "parentCheckpoint")
    assert [name for name in shared if f'"urn:caf:vocab:{name}"' not in first] == []
    assert [name for name in shared if f'"urn:caf:vocab:{name}"' not in second] == ["toolCall"]


def test_a_raw_file_in_the_second_shape_is_read_alike_by_processors_under_its_context() -> None:
    read = by_pyld(under("caf-second-shape.jsonld", second()))
    assert isomorphic(read, by_oxigraph(under("caf-second-shape.jsonld", second())))
    thought_node, failed = URIRef("urn:caf:thought/t1"), URIRef("urn:caf:tool-call/c2")
    assert str(read.value(thought_node, schema.caf("thoughtType"))) == "planning"
    assert read.value(failed, schema.caf("tool")) == URIRef("urn:caf:tool/bash")
    assert read.value(predicate=schema.caf("pendingCall"), object=URIRef("urn:caf:tool-call/c3")) is not None


def test_a_context_of_another_kind_is_an_unknown_member() -> None:
    document = {"@context": {"a": "urn:a"}, **PLAIN}
    assert without_context(document) == document
    assert AgentGraph.of_tree(document).tree() == {**PLAIN, "@context": {"a": "urn:a"}}
    with pytest.raises(WriteError, match="has a member @context of its own"):
        jsonld_of(document)


def test_a_graph_that_another_processor_made_is_read_as_what_it_states() -> None:
    made = Graph()
    for triple in by_pyld(under("caf.jsonld", PLAIN)):
        made.add(triple)
    assert any(isinstance(one, BNode) for one in made.subjects())
    assert AgentGraph.of_graph(made).tree() == PLAIN


def test_the_vocabulary_declares_every_term_that_is_written_and_no_other() -> None:
    vocabulary = Graph().parse(data=data.text("contexts", "caf-vocabulary.ttl"), format="turtle")
    declared = {str(one) for one in vocabulary.subjects(RDFS.label)}
    texts = [data.text("contexts", one) for one in ("caf.jsonld", "caf-second-shape.jsonld")]
    in_contexts = {f"{CAF}{one}" for text in texts for one in re.findall(f'"{CAF}(\\w+)"', text)}
    graph = AgentGraph.of_tree(PLAIN, prov=True)
    written = {str(one) for triple in graph for one in triple if str(one).startswith((CAF, CAF_DERIVED))}
    assert declared == in_contexts | written
    assert all(vocabulary.value(URIRef(one), RDFS.comment) for one in declared)


def test_a_context_that_would_have_to_be_fetched_is_refused() -> None:
    with pytest.raises(ReadError, match="never fetched"):
        examine(b'{"@context": "https://example.org/caf.jsonld", "@id": "urn:x", "urn:caf:vocab:timestampMs": 1}')


# Of an id that is the key `id`, processors make the keyword that this key stands for (JSON-LD 1.1 API §5.2, step 4).
SAFE_IDS = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._~-]{0,5}", fullmatch=True).filter(lambda one: one != "id")
WORDS = st.text("abcé漢 \"\\'<>{}:/", max_size=6)
NUMBERS = st.integers(0, 1000) | st.sampled_from([0.5, 0.85, 12.25])
PARTS = st.dictionaries(WORDS, st.lists(WORDS | NUMBERS | st.none(), max_size=2), max_size=2)
WELL_FORMED_THOUGHTS = st.lists(
    st.fixed_dictionaries(
        {"id": SAFE_IDS, "type": WORDS, "content": WORDS, "created_at": st.integers(0, 2**40)},
        optional={
            "confidence": NUMBERS,
            "parent_id": SAFE_IDS,
            "children": st.lists(SAFE_IDS, min_size=1, max_size=3),
            "alternatives": st.lists(PARTS, max_size=2),
            "metadata": PARTS,
            "note": WORDS,
        },
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda one: one["id"],
)


@pytest.mark.slow
@given(SAFE_IDS, WELL_FORMED_THOUGHTS, PARTS, SAFE_IDS)
def test_every_well_formed_checkpoint_is_read_alike_by_other_processors(
    key: str, thoughts: list[Tree], variables: Tree, tool: str
) -> None:
    document = tree(key, thoughts=thoughts, calls=[call(1, tool_id=tool, args=variables)], variables=variables)
    ours = as_plain_json_ld(AgentGraph.of_tree(document))
    assert isomorphic(by_pyld(under("caf.jsonld", document)), ours)
    assert isomorphic(by_oxigraph(under("caf.jsonld", document)), ours)


@settings(max_examples=examples(30), deadline=None)
@given(TREES, st.lists(st.tuples(st.integers(0, 99), st.sampled_from(["write", "remove", "undo"])), max_size=5))
def test_a_validator_follows_the_edits_of_a_graph(document: Tree, edits: list[tuple[int, str]]) -> None:
    graph, shapes = AgentGraph.of_tree(document), compiled(profiles.profile("agent"))
    validator = shacl.Validator(shapes, graph)
    for at, edit in ((0, ""), *edits):
        triples = sorted(graph, key=str)
        triple = triples[at % len(triples)]
        if edit == "write":
            with suppress(LookupFailedError, WriteError):
                graph.write(triple[0], {**graph.read(triple[0]), "content": at, "zz": [at]})
        elif edit:
            graph.remove(triple)
            validator.results()
        if edit == "undo":
            graph.add(triple)
        fresh = shacl.results(shacl.DataGraph(graph.held), shapes)
        assert sorted(map(repr, validator.results())) == sorted(map(repr, fresh))
