"""Names: every object is an IRI node, and the text of an id survives its escape."""

from __future__ import annotations

import copy

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.graph import emission, literals
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.vocabulary import ID_BASE
from tests.documents import canonical

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
AWKWARD = st.text(
    st.sampled_from(" \t\n\"'<>#%{}|\\^`/.?~:@[]é漢\u200e\u202e\u2028\u00a0\ue000\U000e0001"), max_size=12
)
IDENTIFIERS = st.one_of(
    ANY_TEXT, AWKWARD, AWKWARD.map("urn:uuid:question-".__add__), AWKWARD.map("http://example.org/".__add__)
)


@given(IDENTIFIERS)
def test_every_identifier_becomes_an_iri_for_all_and_its_text_comes_back(identifier: str) -> None:
    iri = literals.iri_of(identifier)
    assert literals.is_iri(iri)
    assert not literals.is_minted(iri)
    assert iri == identifier or literals.text_of(iri) == identifier
    assert pyoxigraph.NamedNode(iri).value == iri
    assert rdflib.URIRef(iri).n3() == f"<{iri}>"
    for syntax in ("nt", "turtle"):
        graph = rdflib.Graph().parse(data=f"<{iri}> <urn:p> <urn:o> .", format=syntax)
        assert [str(one) for one in graph.subjects()] == [iri]


@given(st.lists(ANY_TEXT.filter(lambda text: ":" not in text), min_size=2, max_size=2, unique=True))
def test_two_relative_identifiers_never_share_an_iri(pair: list[str]) -> None:
    assert literals.iri_of(pair[0]) != literals.iri_of(pair[1])


@pytest.mark.parametrize(
    ("identifier", "iri"),
    [
        *((same, same) for same in ("urn:uuid:question-what-cb0b4aaf", "https://example.org/a#b", "urn:uuid:20-°c")),
        ("karenina:thing", "urn:karenina:vocab:thing"),
        ("0123456789abcdef", ID_BASE + "0123456789abcdef"),
        ('urn:uuid:question-say-"a b"', "urn:uuid:question-say-%22a%20b%22"),
        ("urn:uuid:a<b>%#c", "urn:uuid:a%3Cb%3E%25%23c"),
        ("urn:uuid:line\nbreak", "urn:uuid:line%0Abreak"),
        ("http://example.org/a#/item", "http://example.org/a%23/item"),
        ("../up", ID_BASE + "..%2Fup"),
        ("_:b0", ID_BASE + "_%3Ab0"),
        ("", ID_BASE),
    ],
)
def test_an_iri_stands_for_itself_and_anything_else_is_escaped(identifier: str, iri: str) -> None:
    assert literals.iri_of(identifier) == iri


@given(st.lists(st.one_of(ANY_TEXT, st.integers(0, 10**6)), min_size=1, max_size=4), IDENTIFIERS)
def test_a_name_by_place_is_an_iri_that_shows_its_place(tokens: list[str | int], identifier: str) -> None:
    name = literals.child_of(literals.iri_of(identifier), *tokens)
    assert (literals.is_iri(name), literals.is_minted(name)) == (True, True)
    assert literals.last_token(name) == str(tokens[-1])


@given(st.lists(st.lists(ANY_TEXT, max_size=3).map(tuple), min_size=2, max_size=2, unique=True))
def test_two_places_below_one_object_have_two_names(places: list[tuple[str, ...]]) -> None:
    assert literals.child_of("urn:x", *places[0]) != literals.child_of("urn:x", *places[1])


def test_a_name_by_place_is_the_json_pointer_from_the_nearest_id() -> None:
    assert literals.child_of("urn:x", "item", "rating", 0) == "urn:x#/item/rating/0"
    assert literals.child_of("urn:x", "a/b", "c~d", "e f") == "urn:x#/a~1b/c~0d/e%20f"


def reversed_keys(value: object) -> object:
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(list(value))}
    return [reversed_keys(one) for one in value] if isinstance(value, list) else value


def test_a_root_without_id_is_named_by_its_content_whatever_the_order_of_its_keys() -> None:
    tree = canonical()
    del tree["@id"]
    name = literals.root_of(tree)
    assert (literals.is_iri(name), literals.is_minted(name)) == (True, True)
    shuffled = reversed_keys(tree)
    assert isinstance(shuffled, dict)
    assert literals.root_of(shuffled) == name
    other = copy.deepcopy(tree)
    other["dataFeedElement"][0]["item"]["acceptedAnswer"]["text"] = "Gallium"
    assert literals.root_of(other) != name


def test_two_ids_whose_places_look_alike_stay_two_objects() -> None:
    tree = canonical()
    tree["creator"] = [
        {"@type": "Organization", "@id": "http://example.org/a#b", "member": {"@type": "Person", "name": "A"}},
        {"@type": "Organization", "@id": "http://example.org/a%23b", "member": {"@type": "Person", "name": "B"}},
    ]
    graph = CheckpointGraph.of_tree(tree)
    assert graph.tree()["creator"] == tree["creator"]
    assert len({triple[0] for triple in graph if str(triple[2]) in ("A", "B")}) == 2


def test_an_own_id_that_looks_minted_is_written_back() -> None:
    tree = canonical()
    tree["@id"] = literals.ROOT_PREFIX + "0" * 64
    tree["dataFeedElement"][0]["@id"] = "http://example.org/a#/item"
    graph = CheckpointGraph.of_tree(tree)
    assert graph.tree() == {key: value for key, value in tree.items() if key != "@context"}
    written = emission.jsonld_of(graph)
    assert (written["@id"], written["dataFeedElement"][0]["@id"]) == (tree["@id"], "http://example.org/a#/item")
