"""The contexts for agent checkpoints: other processors of JSON-LD read our statements from the plain files."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import BNode, Graph, URIRef
from rdflib.compare import isomorphic
from rdflib.namespace import RDFS

from checkpoint_ld import data
from checkpoint_ld.agents import schema
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.schema import jsonld_of, without_context
from checkpoint_ld.agents.serialization import examine
from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.graph.emission import ntriples_of
from tests.agents.graphs import FULL, Tree, as_plain_json_ld, by_oxigraph, by_pyld
from tests.agents.runs import call, thought, tree

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

SECOND: Tree = {
    **{key: PLAIN[key] for key in ("version", "id", "timestamp", "execution_id", "agent_id", "metadata")},
    "snapshot": {
        "thought_chain": {
            "current_step_id": "s1",
            "steps": [{"id": "s1", "type": "planning", "content": "plan", "confidence": 0.9, "timestamp": 1}],
        },
        "context": {"messages": [{"role": "user", "content": "hi"}], "variables": {"task": "t"}, "memory": []},
        "tool_state": {
            "pending": ["c9"],
            "completed": [{"id": "c1", "tool_id": "grep", "arguments": {"q": "x"}, "result": ["a"], "timestamp": 2}],
            "failed": [{"id": "c2", "tool_id": "bash", "arguments": {}, "error": "boom", "timestamp": 3}],
        },
        "progress": {"step_number": 3, "iterations_completed": 1, "tokens_used": 10, "duration_ms": 20},
    },
}


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
    read = by_pyld(under("caf-second-shape.jsonld", SECOND))
    assert isomorphic(read, by_oxigraph(under("caf-second-shape.jsonld", SECOND)))
    thought_node, failed = URIRef("urn:caf:thought/s1"), URIRef("urn:caf:tool-call/c2")
    assert str(read.value(thought_node, schema.caf("thoughtType"))) == "planning"
    assert read.value(failed, schema.caf("tool")) == URIRef("urn:caf:tool/bash")
    assert read.value(predicate=schema.caf("pendingCall"), object=URIRef("urn:caf:tool-call/c9")) is not None


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
    in_contexts = {f"{schema.CAF}{one}" for text in texts for one in re.findall(f'"{schema.CAF}(\\w+)"', text)}
    graph = AgentGraph.of_tree(PLAIN, prov=True)
    written = {str(one) for triple in graph for one in triple if str(one).startswith((schema.CAF, schema.CAF_DERIVED))}
    assert declared == in_contexts | written
    assert all(vocabulary.value(URIRef(one), RDFS.comment) for one in declared)


@pytest.mark.parametrize("form", ["expanded", "flattened", "by rdflib"])
def test_json_ld_in_other_forms_is_read_from_its_statements(form: str) -> None:
    graph = AgentGraph.of_tree(FULL, prov=True)
    by_rdflib = json.loads(Graph().parse(data=ntriples_of(graph), format="nt").serialize(format="json-ld"))
    documents = {"by rdflib": by_rdflib, "expanded": jsonld.expand(by_rdflib), "flattened": jsonld.flatten(by_rdflib)}
    assert bytes_of(examine(json.dumps(documents[form]).encode()).tree).decode() == bytes_of(FULL).decode()


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
