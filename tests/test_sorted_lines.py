"""The lines of alike nodes are those that each node has, in the order of their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef

from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission import syntaxes
from checkpoint_ld.graph.emission.syntaxes import TermTexts, iri
from checkpoint_ld.graph.store import put, triples_of
from tests.trials import examples

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index

ROOT = URIRef("urn:x:root")
SUBJECTS = st.sampled_from([ROOT, *(URIRef(f"urn:x:{end}") for end in ("a", "a/b", "a#/1", "a#/10", "é"))])
NODES = st.one_of(SUBJECTS, st.sampled_from([BNode("b1"), BNode("b2")]))
PREDICATES = st.sampled_from([URIRef(f"urn:p:{end}") for end in ("a", "a/b", "a%20b", "ab")])
LITERALS: st.SearchStrategy[Node] = st.one_of(
    st.builds(Literal, st.sampled_from(["a", "a%s", "%", 'a"b\\u00', "\x00\n\r\x7f", "\ufffe", "é", "\u2028"])),
    st.sampled_from([Literal("a", lang="en"), Literal("a", datatype=URIRef("urn:t:%20d")), Literal(5), Literal(True)]),
)


@st.composite
def indexes(draw: st.DrawFn) -> Index:
    index: Index = {}
    triples = st.tuples(NODES, PREDICATES, st.one_of(LITERALS, NODES))
    for subject, predicate, term in draw(st.lists(triples, min_size=1, max_size=40)):
        put(index, subject, predicate, term)
    return index


def line_by_line(index: Index, end: str) -> bytes:
    texts = TermTexts()
    lines = {f"{texts.text(one)} {texts.text(by)} {texts.text(term)}{end}" for one, by, term in triples_of(index)}
    return "".join(sorted(lines)).encode()


@settings(max_examples=examples(300), deadline=None)
@given(indexes(), st.integers(1, 3))
def test_any_statements(index: Index, most: int) -> None:
    graph = CheckpointGraph(index, ROOT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syntaxes, "TOGETHER", most)
        assert emission.ntriples_of(graph) == line_by_line(index, " .\n")
        assert emission.nquads_of(graph) == line_by_line(index, f" {iri(str(ROOT))} .\n")


def test_of_nothing_there_are_no_lines() -> None:
    assert emission.ntriples_of(CheckpointGraph({ROOT: {}}, ROOT)) == b""
