"""The graph that shapes are held against writes names as rdflib does."""

from __future__ import annotations

import pytest
from rdflib import Graph, URIRef

from checkpoint_ld.shacl.rest import ValidationGraph
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SHACL


@pytest.mark.parametrize(
    "name",
    [
        *(f"{SHACL}Violation", f"{SHACL}path", SHACL, f"{SHACL}a/b", f"{SCHEMA}name", f"{KARENINA}repeats", "urn:a"),
        *("urn:uuid:question-metal#/item/rating/0", "http://example.org/", "mailto:a@example.org"),
    ],
)
def test_names_are_written_as_rdflib_writes_them_where_only_shacl_has_a_prefix(name: str) -> None:
    plain = Graph(bind_namespaces="none")
    ours = ValidationGraph({}, "urn:a")
    for graph in (plain, ours):
        graph.bind("sh", SHACL)

    assert URIRef(name).n3(ours.namespace_manager) == URIRef(name).n3(plain.namespace_manager)
