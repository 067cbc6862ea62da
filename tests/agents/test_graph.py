"""The graph of an agent checkpoint: nothing is lost on the way there and back, in any syntax."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import PROV, Graph, Literal, URIRef

from checkpoint_ld.agents import schema
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.schema import caf, iri
from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.errors import LookupFailedError, ReadError, WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.compaction import POSITION, RESIDUE
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.emission import nquads_of, ntriples_of, trig_of, turtle_of
from checkpoint_ld.graph.literals import same
from tests.agents.graphs import FULL, JSON_VALUES, TREES, Tree
from tests.agents.runs import call, thought, tree

WRITERS: dict[str, Any] = {"nt": ntriples_of, "nq": nquads_of, "turtle": turtle_of, "trig": trig_of}

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


@pytest.mark.slow
@pytest.mark.parametrize("prov", [False, True])
def test_a_fresh_process_writes_the_same_bytes_again_from_every_syntax(tmp_path: Path, prov: bool) -> None:
    graph = AgentGraph.of_tree(FULL, prov=prov)
    for syntax, writer in WRITERS.items():
        (tmp_path / syntax).write_bytes(writer(graph))
    program = f"""
import pathlib, sys
from checkpoint_ld.graph import emission
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.values import bytes_of
for syntax in {list(WRITERS)}:
    index = emission.parse(pathlib.Path(sys.argv[1], syntax).read_bytes(), syntax)
    pathlib.Path(sys.argv[1], syntax + ".json").write_bytes(bytes_of(AgentGraph.of_index(index).tree()))
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    written = {syntax: (tmp_path / f"{syntax}.json").read_bytes() for syntax in WRITERS}
    assert written == dict.fromkeys(WRITERS, bytes_of(FULL))


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


def test_the_statements_of_no_checkpoint_or_of_two_are_refused() -> None:
    with pytest.raises(ReadError, match="no agent checkpoint"):
        AgentGraph.of_index({})
    two = {**AgentGraph.of_tree(tree("a")).index, **AgentGraph.of_tree(tree("b")).index}
    with pytest.raises(ReadError, match="2 agent checkpoints: urn:caf:checkpoint/a, urn:caf:checkpoint/b"):
        AgentGraph.of_index(two)


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
