"""Trees and graphs of agent checkpoints, made for tests of graphs."""

import json
from typing import Any

import pyoxigraph
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.term import Node

from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.graph import literals
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import RDF_JSON
from checkpoint_ld.graph.residue import RESIDUE
from tests.agents.runs import call, thought, tree

Tree = dict[str, Any]

FULL = tree(
    "ckpt 1/a",
    thoughts=[
        thought(1, confidence=0.85, reasoning="because", children=["t2"], metadata={"k": [1, None]}),
        thought(2, confidence=1, parent_id="t1", alternatives=[{"option": "b", "reason_rejected": "slow"}]),
        {**thought(3), "id": 'th 3 "x" <y>', "content": "naïve 漢字\n\t\u0000", "parent_id": "t2"},
    ],
    calls=[
        call(1),
        call(2, success=False, error="exit 1", duration_ms=3.5),
        {"id": "_:b0", "tool_id": "a:b", "args": {}, "status": "running"},
    ],
    results={"c1": {"name": "x", "a": 1.0}, "c2": None},
    variables={"task": "review", "deep": [1, 2.5, None, {"@id": "x"}], "big": 9007199254740993, "one": ["a"]},
    step=3,
    parent={"checkpoint_id": "ckpt 0", "is_branch": True, "branch_reason": "try"},
    name="before the fix",
    description="",
    about={"benchmark": "urn:uuid:b1", "question": 'urn:uuid:question-is-1"<2', "replicate": 2},
    diff={"from_checkpoint_id": "ckpt 0", "changes": {}, "summary": "s"},
)
"""A document with every known key of the root, and ids that are no IRIs."""

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**53, 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
IDS = st.text(max_size=6) | st.sampled_from(
    ["t1", "t2", "../x", "/x", "a:b", "_:b0", "<x>", 'a"b', "a b", "@id", "#/x"]
)
KEYS = st.text(max_size=5) | st.sampled_from(["@context", "@id", "@node", "@raw", "id", "name", "type", "a:b", "note"])


def _objects(known: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Tree]:
    """Objects with any of the known members, each of the right type most of the time, and with unknown ones."""
    values = {key: value | JSON_VALUES for key, value in known.items()}
    return st.builds(
        lambda found, unknown: {**unknown, **found},
        st.fixed_dictionaries({}, optional=values),
        st.dictionaries(KEYS, JSON_VALUES, max_size=2),
    )


_MOMENTS = st.integers(0, 253_402_300_799_999)
_NUMBERS = st.integers(0, 100) | st.floats(0, 1)
_THOUGHTS = _objects(
    {"id": IDS, "content": st.text(), "confidence": _NUMBERS, "parent_id": IDS, "children": st.lists(IDS, max_size=3)}
    | {"created_at": _MOMENTS, "metadata": JSON_VALUES}
)
_CALLS = _objects({"id": IDS, "tool_id": IDS, "args": JSON_VALUES, "success": st.booleans(), "started_at": _MOMENTS})
_SNAPSHOTS = _objects(
    {
        "thought_chain": st.lists(_THOUGHTS | JSON_VALUES, max_size=4),
        "context": _objects({"variables": JSON_VALUES, "history": st.lists(JSON_VALUES, max_size=2)}),
        "tool_state": _objects({"calls": st.lists(_CALLS, max_size=3), "results": st.dictionaries(IDS, JSON_VALUES)}),
        "progress": _objects({"step_number": st.integers(0, 9), "duration_ms": _NUMBERS}),
        "current_step_id": IDS,
    }
)
TREES = _objects(
    {"version": st.just("0.0.1"), "id": IDS, "timestamp": _MOMENTS, "execution_id": IDS, "agent_id": IDS}
    | {"snapshot": _SNAPSHOTS, "metadata": _objects({"agent_id": IDS, "tokens_used": st.integers(0, 9)})}
    | {"parent": _objects({"checkpoint_id": IDS, "is_branch": st.booleans()}), "diff": JSON_VALUES}
    | {"about": _objects({"question": IDS, "benchmark": IDS}), "name": st.text(max_size=5)}
)
"""Canonical trees, most of which break rules."""


def as_plain_json_ld(graph: AgentGraph) -> Graph:
    """Return what a processor reads from the plain file: no classes, no positions, no residue, no names by place."""
    plain = Graph()
    for subject, predicate, term in graph:
        if predicate not in (RDF_TYPE, POSITION, RESIDUE):
            plain.add((_unnamed(subject), predicate, _canonical(_unnamed(term))))
    return plain


def by_pyld(document: Tree) -> Graph:
    return _graph(jsonld.to_rdf(document, {"format": "application/n-quads"}))


def by_oxigraph(document: Tree) -> Graph:
    quads = pyoxigraph.parse(json.dumps(document), format=pyoxigraph.RdfFormat.JSON_LD)
    text = pyoxigraph.serialize((one.triple for one in quads), format=pyoxigraph.RdfFormat.N_TRIPLES) or b""
    return _graph(text.decode())


def _graph(text: str) -> Graph:
    read = Graph()
    for subject, predicate, term in Graph().parse(data=text, format="nt"):
        read.add((subject, predicate, _canonical(term)))
    return read


def _unnamed(node: Node) -> Node:
    return BNode(literals.escaped(str(node))) if isinstance(node, URIRef) and literals.is_minted(str(node)) else node


def _canonical(term: Node) -> Node:
    """Return JSON literals in one form: processors sort their keys."""
    if isinstance(term, Literal) and term.datatype == RDF_JSON:
        return Literal(json.dumps(json.loads(str(term)), sort_keys=True), datatype=RDF_JSON, normalize=False)
    return term
