"""The provenance layer: what PROV-O says of a checkpoint, and that it is only stated, never read."""

from __future__ import annotations

import pytest
from rdflib import Graph, Literal, URIRef

from checkpoint_ld.agents import schema
from checkpoint_ld.agents.graph import AgentGraph, moment
from checkpoint_ld.agents.values import sha256_of
from tests.agents.graphs import Tree
from tests.agents.runs import call, thought, tree

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
    base = {_told(triple) for triple in AgentGraph.of_tree(document)}
    return {_told(triple) for triple in AgentGraph.of_tree(document, prov=True)} - base


def _told(triple: tuple[object, ...]) -> tuple[str, str, str]:
    subject, predicate, term = (one.n3() for one in triple)  # type: ignore[attr-defined]
    return subject, predicate, term


def test_the_layer_states_who_made_what_of_what_and_when() -> None:
    expected = Graph().parse(data=EXPECTED.replace("SHA256", sha256_of(RUN)), format="turtle")
    assert layer(RUN) == {_told(triple) for triple in expected}


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
