"""The graph contract: what any exit may rely on, and that nothing of a document is lost on the way."""

from __future__ import annotations

import copy
import json
import warnings
from typing import Any

import pyoxigraph
import pytest
import rdflib
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import BNode, Literal, URIRef

from checkpoint_ld.dialects.reading import json_ld as forms
from checkpoint_ld.graph import contexts, emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from tests.documents import SCHEMA, canonical, item
from tests.processors import PROCESSORS, statements_of, statements_of_graph
from tests.trials import examples

Json = Any

KEYS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(
        [
            *("@list", "@value", "@id", "@type", "@graph", "@set", "@foo", "@included", "", "a b", "schema:x"),
            *("http://x.example/y", "https://schema.org/foo", "urn:karenina:vocab:residue", "karenina:z", "karenina"),
            *("contentRating", "Question", "position", "name", "text", "rating", "keywords", "nodes", "dateCreated"),
            *("bestRating", "additionalType", "hasPart", "item", "value"),
        ]
    ),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1.0, 1, -0.0, 0.0, 0.1 + 0.2, 1e21, 1e-7, 12345678901234567890, 10**400]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["2026-01-01T00:00:00", "karenina:GlobalRegexTrait", "urn:x:y", "rq001", "1.0", "\u2028\u0085\x00\r\n\t", "a b"]
    ),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)
IDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=15),
    st.builds(lambda tail: "urn:uuid:question-" + tail, st.text(st.characters(exclude_categories=["Cs"]), max_size=10)),
    st.sampled_from(
        [
            *("rq001", "urn:x:1", "urn:x:1#/item", "urn:karenina:sha256:x", "checkpoint://id/x", "_:b0", "a/../b"),
            *("http://x.example/a#b", 'urn:uuid:"<>#%\\\n😀\u202e', "#", ""),
        ]
    ),
)


def without_contexts(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: without_contexts(one) for key, one in value.items() if key != "@context"}
    return [without_contexts(one) for one in value] if isinstance(value, list) else value


def from_syntax(data: bytes, syntax: str) -> Json:
    """Read statements the way a fresh process does: from the text alone."""
    plain = forms.of_index(emission.parse(data, syntax), syntax, as_found=False)
    assert plain is not None
    return plain.tree


def objects_of(tree: Json) -> list[dict[str, Json]]:
    element = tree["dataFeedElement"][0]
    question = element["item"]
    trait = question["rating"][0]
    parts = question["acceptedAnswer"], question["hasPart"], trait, trait["additionalProperty"][0]
    return [tree, element, question, *parts]


@st.composite
def documents(draw: st.DrawFn) -> Json:
    """Canonical documents with odd members at every level, odd ids, and values of every kind."""
    tree = canonical()
    for one in objects_of(tree):
        for key, value in draw(st.dictionaries(KEYS, JSON, max_size=2)).items():
            if key not in ("@context", "@type", "@id") and key not in one:
                one[key] = value
        if draw(st.booleans()):
            one["@id"] = draw(IDS)
    objects_of(tree)[6]["value"] = draw(JSON)
    objects_of(tree)[2]["keywords"] = draw(st.lists(st.sampled_from(["b", "a", "c", "a b", ""]), max_size=4))
    if draw(st.booleans()):
        tree["dataFeedElement"].append(copy.deepcopy(tree["dataFeedElement"][0]))
    return tree


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(documents())
def test_every_document_comes_back_equal_from_the_graph_alone(tree: Json) -> None:
    original = copy.deepcopy(tree)
    graph = CheckpointGraph.of_tree(tree)
    assert same(tree, original), "building a graph changes no document"
    assert same(without_contexts(graph.tree()), without_contexts(original))
    assert not any(isinstance(term, BNode) for triple in graph for term in triple)
    for data, syntax in ((emission.ntriples_of(graph), "nt"), (emission.turtle_of(graph), "turtle")):
        assert same(without_contexts(from_syntax(data, syntax)), without_contexts(original))


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(documents())
def test_every_syntax_is_read_alike_by_rdflib_and_pyoxigraph(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    syntaxes = {
        "nt": (emission.ntriples_of, pyoxigraph.RdfFormat.N_TRIPLES),
        "turtle": (emission.turtle_of, pyoxigraph.RdfFormat.TURTLE),
        "nquads": (emission.nquads_of, pyoxigraph.RdfFormat.N_QUADS),
        "trig": (emission.trig_of, pyoxigraph.RdfFormat.TRIG),
    }
    found = []
    for syntax, (write, parser) in syntaxes.items():
        text = write(graph)
        found.append({one.triple for one in pyoxigraph.parse(text, format=parser)})
        assert read_by_rdflib(text, syntax) == set(graph)
    assert all(one == found[0] for one in found)
    assert len(found[0]) == len(graph)


def read_by_rdflib(text: bytes, syntax: str) -> set[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's parsers of quads use its own old classes
        dataset = rdflib.Dataset()
        dataset.parse(data=text.decode(), format=syntax)
        return {quad[:3] for quad in dataset.quads()}


PLAIN_KEYS = st.one_of(
    st.sampled_from(["note", "extra", "license", "karenina:z", "http://x.example/y", "a b"]), st.text("abc", min_size=1)
)
PLAIN_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(-1e6, 1e6),
    st.text("aé😀 \n", max_size=5),
    st.sampled_from([1e21, 10**21, -(10**40), 0.0]),
)
PLAIN_JSON = st.recursive(
    PLAIN_SCALARS,
    lambda inner: st.one_of(
        st.lists(st.one_of(st.integers(0, 9), st.text("ab", max_size=2), st.sampled_from([1.0, 0.5])), max_size=3),
        st.lists(st.sampled_from([1, 2.0, True, None, 10**21]), max_size=3),
        st.lists(st.floats(-9, 9), max_size=3),
        st.dictionaries(PLAIN_KEYS, inner, max_size=3),
        st.lists(st.dictionaries(PLAIN_KEYS, inner, max_size=2), max_size=2),
    ),
    max_leaves=6,
)


AWKWARD_VALUES = [
    *({"@value": 1, "Very good": [1, 1.5, []]}, {"@id": "x"}, [["nested"], []], {"@list": [1]}, [None], {}, 1.0, 2**53)
]


@st.composite
def ordinary_documents(draw: st.DrawFn) -> Json:
    """Canonical documents with unknown members such as people write, and any JSON as a property's value."""
    tree = canonical()
    for one in objects_of(tree):
        for key, value in draw(st.dictionaries(PLAIN_KEYS, PLAIN_JSON, max_size=2)).items():
            if key not in one:
                one[key] = value
    objects_of(tree)[6]["value"] = draw(st.one_of(PLAIN_JSON, st.sampled_from(AWKWARD_VALUES)))
    dates = ["2026-01-02T00:00:00", "yesterday", "2026-02-30T00:00:00", "2026-01-02", 0.0, [1.0, "x"], 10**21]
    types = ["GlobalRegexTrait", "karenina:GlobalRegexTrait", "a b", 5]
    tree["dateModified"] = draw(st.sampled_from(dates))
    trait = objects_of(tree)[5]
    trait["bestRating"] = draw(st.sampled_from([1.0, 1, "5", 0.3]))
    trait["additionalType"] = draw(st.sampled_from(types))
    return tree


@pytest.mark.slow
@pytest.mark.parametrize("processor", PROCESSORS)
@settings(max_examples=examples(150), deadline=None)
@given(tree=ordinary_documents())
def test_any_jsonld_processor_reads_our_jsonld_as_we_do(processor: str, tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    document = emission.jsonld_of(graph)
    if processor == "rdflib":  # it passes over contexts that are not propagated, and cannot write what is no IRI
        assume("@propagate" not in json.dumps({**document, "@context": None}))
        assume(objects_of(tree)[5]["additionalType"] != "a b")
    assert statements_of(processor, document) == statements_of_graph(graph)
    assert same(without_contexts(document), without_contexts(tree))
    again = forms.plain(document)
    assert not again.forms, "what we wrote is in plain keys"
    assert set(CheckpointGraph.of_tree(again.tree)) == set(graph)


def test_a_change_of_the_graph_is_not_hidden_by_the_residue() -> None:
    tree = canonical()
    tree["dataFeedElement"][0]["item"]["keywords"] = ["b", "a"]
    graph = CheckpointGraph.of_tree(tree)
    [node] = graph.subjects(URIRef(SCHEMA + "keywords"), Literal("b"))
    added = node, URIRef(SCHEMA + "keywords"), Literal("c")
    for change, expected in ((graph.add, ["a", "b", "c"]), (graph.remove, ["b", "a"])):
        change(added)
        assert graph.tree()["dataFeedElement"][0]["item"]["keywords"] == expected


def test_a_value_that_is_added_where_the_document_had_null_counts() -> None:
    graph = CheckpointGraph.of_tree({**canonical(), "description": None})
    graph.add((graph.root, URIRef(SCHEMA + "description"), Literal("now there is one")))
    assert graph.tree()["description"] == "now there is one"


@pytest.mark.parametrize(("key", "value"), [("about", {"@id": "urn:x:b"}), ("item", "urn:x:b")])
def test_a_name_that_is_added_is_an_object_unless_the_context_states_that_names_stand_there(
    key: str, value: Json
) -> None:
    graph = CheckpointGraph.of_tree(canonical())
    graph.add((graph.root, URIRef(SCHEMA + key), URIRef("urn:x:b")))
    assert graph.tree()[key] == value


def test_positions_count_more_than_the_names_by_place() -> None:
    graph = CheckpointGraph.of_tree({**canonical(), "rating": [{"@type": "Rating", "name": name} for name in "ab"]})
    for node, position in zip(graph.member(graph.root, "rating"), (1, 0), strict=True):
        graph.add((node, URIRef(SCHEMA + "position"), Literal(position)))
    assert [one["name"] for one in graph.tree()["rating"]] == ["b", "a"]


def test_a_sparql_update_changes_the_document() -> None:
    graph = CheckpointGraph.of_tree(canonical())
    graph.update(
        "PREFIX schema: <https://schema.org/> "
        'DELETE { ?root schema:name ?name } INSERT { ?root schema:name "Alloys" } '
        "WHERE { ?root a schema:DataFeed ; schema:name ?name }"
    )
    assert graph.tree()["name"] == "Alloys"
    assert len(graph) == len(CheckpointGraph.of_tree({**canonical(), "name": "Alloys"}))


@pytest.mark.parametrize("identifier", ["urn:uuid:question-metal-1", "rq001"])
def test_a_document_compacted_under_our_context_keeps_its_identifiers(identifier: str) -> None:
    tree = canonical(item(identifier=identifier))
    graph = CheckpointGraph.of_tree(tree)
    document = emission.jsonld_of(graph)
    flattened = jsonld.flatten(document, document["@context"], contexts.options())
    read = CheckpointGraph.of_tree(forms.plain(flattened).tree)
    assert set(read.objects(None, URIRef(SCHEMA + "item"))) == set(graph.objects(None, URIRef(SCHEMA + "item")))


def test_a_member_that_is_set_apart_is_not_hidden_by_another_key_of_the_same_meaning() -> None:
    tree = canonical()
    question = tree["dataFeedElement"][0]["item"]
    question["rating"][0]["@"] = None
    question["contentRating"] = False
    assert same(without_contexts(CheckpointGraph.of_tree(tree).tree()), without_contexts(tree))
