"""Edits of a graph give what a fresh graph of the edited document holds."""

import copy
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rdflib import URIRef
from rdflib.term import Node

from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from checkpoint_ld.vocabulary import SCHEMA
from tests.documents import Json, item, rating, rich, setting, without_contexts
from tests.test_graph import JSON, documents
from tests.trials import examples

VALUES = st.one_of(
    JSON.filter(lambda value: value is not None),
    st.just(item()["item"]),
    st.just([rating(), rating("depth")]),
    st.just([setting("finished", value=True), setting("classes", {"b": "1", "a": "2"})]),
    st.just({"@type": "Person", "@id": "https://orcid.org/0000-0002-1825-0097", "name": "Ada"}),
)
KEYS = (
    "rating",
    "additionalProperty",
    "name",
    "creator",
    "text",
    "keywords",
    "unknown",
    "two words",
    "hasPart",
    "item",
)
EDITS = st.tuples(st.integers(0, 40), st.sampled_from(KEYS), VALUES)
TAKEN_AWAY = st.tuples(st.integers(0, 40), st.sampled_from(KEYS), st.none())


def holders(graph: CheckpointGraph, tree: Json, node: Node) -> list[tuple[Node, Json]]:
    """Return objects of a document with their nodes: the root, and what can be reached by the usual members."""
    found = [(node, tree)]
    for key in ("dataFeedElement", "item", "rating", "additionalProperty", "acceptedAnswer", "creator"):
        value = tree.get(key)
        objects = value if isinstance(value, list) else [value]
        nodes = graph.member(node, key)
        are_plain = all(isinstance(one, dict) and not one.keys() & {"@value", "@context"} for one in objects)
        for below, part in zip(nodes, objects, strict=True) if are_plain and len(nodes) == len(objects) else ():
            if below in graph.index:
                found += holders(graph, part, below)
    return found


def equal(graph: CheckpointGraph, tree: Json) -> bool:
    return same(without_contexts(graph.tree()), without_contexts(tree))


@pytest.mark.slow
@settings(max_examples=examples(200), deadline=None)
@given(tree=documents(), edits=st.lists(EDITS | TAKEN_AWAY, max_size=4))
def test_replacing_members_and_taking_them_away_is_editing_the_document(
    tree: Json, edits: list[tuple[int, str, Json]]
) -> None:
    tree = copy.deepcopy(tree)
    graph = CheckpointGraph.of_tree(tree)
    for at, key, value in edits:
        places = holders(graph, tree, graph.root)
        node, part = places[at % len(places)]
        if value is None:
            assume(len(part.keys() - {key}) > 0)
            part.pop(key, None)
        else:
            part[key] = copy.deepcopy(value)
        graph.replace(node, key, value)
        assert equal(graph, tree)


@pytest.mark.slow
@settings(max_examples=examples(200), deadline=None)
@given(tree=documents(), edits=st.lists(EDITS, max_size=3))
def test_writing_an_object_that_was_read_is_editing_the_document(
    tree: Json, edits: list[tuple[int, str, Json]]
) -> None:
    tree = copy.deepcopy(tree)
    graph = CheckpointGraph.of_tree(tree)
    places = holders(graph, tree, graph.root)
    node, part = places[len(edits) % len(places)]
    read = graph.read(node)
    assert same(without_contexts(read), without_contexts(part))
    for at, key, value in edits:
        if at % 3 == 0:
            part.pop(key, None)
            read.pop(key, None)
        elif at % 3 == 1 and isinstance(read.get(key), list):
            part[key] = [*part[key], copy.deepcopy(value)]
            read[key].append(copy.deepcopy(value))
        else:
            part[key] = copy.deepcopy(value)
            read[key] = copy.deepcopy(value)
    assume(len(part) > 1)
    graph.write(node, read)
    assert equal(graph, tree)
    graph.write(node, graph.read(node))
    assert equal(graph, tree)


def test_an_object_may_become_an_array_of_one() -> None:
    person = {"@type": "Person", "name": "Ada"}
    graph = CheckpointGraph.of_tree({**rich(), "creator": person})
    graph.write(graph.root, {**graph.read(graph.root), "creator": [{**person, "name": "Bob"}]})
    assert equal(graph, {**rich(), "creator": [{**person, "name": "Bob"}]})


@pytest.mark.parametrize("value", [[None, {}], [{}], {"x": [[], {}]}])
@pytest.mark.parametrize("identifier", [{}, {"@id": "urn:x"}, {"@id": "urn:x#y"}])
def test_an_empty_object_may_be_written_into_a_nested_one(identifier: Json, value: object) -> None:
    graph = CheckpointGraph.of_tree({**rich(), **identifier, "creator": {"@type": "Person", "name": "Ada"}})
    edited = graph.tree()
    edited["creator"]["unknown"] = value
    graph.write(graph.root, edited)
    assert equal(graph, edited)


def test_members_that_are_left_out_stay() -> None:
    tree = rich()
    graph = CheckpointGraph.of_tree(tree)
    head = graph.read(graph.root, without=("dataFeedElement",))
    graph.write(graph.root, {**head, "name": "Other"}, without=("dataFeedElement",))
    assert equal(graph, {**tree, "name": "Other"})


@pytest.mark.slow
@settings(max_examples=examples(100), deadline=None)
@given(tree=documents(), at=st.integers(0, 40), which=st.integers(0, 9))
def test_discarding_an_object_is_editing_the_document(tree: Json, at: int, which: int) -> None:
    tree = copy.deepcopy(tree)
    graph = CheckpointGraph.of_tree(tree)
    arrays = [
        (node, part, key)
        for node, part in holders(graph, tree, graph.root)
        for key in ("dataFeedElement", "rating", "additionalProperty")
        if isinstance(part.get(key), list)
        and part[key]
        and len(graph.member(node, key)) == len(part[key])
        and all(one in graph.index for one in graph.member(node, key))
    ]
    assume(arrays)
    node, part, key = arrays[at % len(arrays)]
    which %= len(part[key])
    graph.discard(node, key, graph.member(node, key)[which])
    del part[key][which]
    assert equal(graph, tree)


@pytest.mark.parametrize(
    ("held", "at"),
    [
        ([rating()], 0),
        ([rating(), rating("depth")], 0),
        (["x", rating(), rating("depth")], 1),
        ([rating(), "x", rating("depth")], 2),
        ([rating(), "x"], 0),
        ([rating(), None], 0),
    ],
)
def test_what_is_left_of_an_array_when_an_object_is_discarded(held: list[Json], at: int) -> None:
    tree = {**rich(), "rating": copy.deepcopy(held)}
    graph = CheckpointGraph.of_tree(tree)
    objects = [where for where, one in enumerate(held) if isinstance(one, dict)]
    graph.discard(graph.root, "rating", graph.member(graph.root, "rating")[objects.index(at)])
    assert equal(graph, {**tree, "rating": [*held[:at], *held[at + 1 :]]})


@pytest.mark.parametrize(
    "edit",
    [
        lambda graph: graph.append(graph.root, "rating", rating("added")),
        lambda graph: graph.replace(graph.root, "name", "Other"),
        lambda graph: graph.discard(graph.root, "rating", graph.member(graph.root, "rating")[0]),
        lambda graph: graph.write(graph.root, {**graph.read(graph.root), "name": "Other"}),
    ],
    ids=["append", "replace", "discard", "write"],
)
def test_an_edit_is_seen_by_those_who_look_for_a_property(edit: Callable[[CheckpointGraph], object]) -> None:
    graph = CheckpointGraph.of_tree({**rich(), "rating": [rating(), rating("depth")]})
    name = URIRef(SCHEMA + "name")
    before = set(graph.subject_objects(name))
    edit(graph)
    assert before != set(graph.subject_objects(name)) == {(one, held) for one, key, held in graph if key == name}
    assert len(graph) == len(set(graph))


def test_a_replaced_member_leaves_nothing_behind() -> None:
    tree = rich()
    graph = CheckpointGraph.of_tree(tree)
    (element,) = graph.member(graph.root, "dataFeedElement")[:1]
    edited = copy.deepcopy(tree)
    edited["dataFeedElement"][0]["item"] = item("What else?", "urn:uuid:other")["item"]
    graph.replace(element, "item", edited["dataFeedElement"][0]["item"])
    assert set(graph) == set(CheckpointGraph.of_tree(edited))


def test_added_objects_have_the_names_that_a_fresh_reading_gives_them() -> None:
    tree = rich()
    graph = CheckpointGraph.of_tree(tree)
    (element,) = graph.member(graph.root, "dataFeedElement")[:1]
    (question,) = graph.member(element, "item")
    graph.append(question, "rating", rating("added"))
    tree["dataFeedElement"][0]["item"].setdefault("rating", []).append(rating("added"))
    assert set(graph) == set(CheckpointGraph.of_tree(tree))


def test_what_stands_elsewhere_too_stays() -> None:
    graph = CheckpointGraph.of_tree(rich())
    elements = graph.member(graph.root, "dataFeedElement")
    shared = {"@id": "urn:x:ada", "@type": "Person", "name": "Ada"}
    graph.replace(elements[0], "author", shared)
    graph.replace(graph.root, "creator", {"@id": "urn:x:ada"})
    graph.replace(elements[0], "author", None)
    assert graph.tree()["creator"] == {"@id": "urn:x:ada"}


def test_nodes_that_hold_one_another_are_read_in_a_graph_of_any_size() -> None:
    for count in (1, 400):
        items = [item(identifier=f"urn:uuid:{number}") for number in range(count)]
        graph = CheckpointGraph.of_tree({"@type": "DataFeed", "name": "m", "dataFeedElement": items})
        one, other, about = URIRef("urn:x:1"), URIRef("urn:x:2"), URIRef(SCHEMA + "about")
        (first, *_) = graph.member(graph.root, "dataFeedElement")
        graph.add((first, about, one))
        graph.add((one, about, other))
        graph.add((other, about, one))
        made = graph.tree()["dataFeedElement"][0]["about"]
        assert made == {"@id": "urn:x:1", "about": {"@id": "urn:x:2", "about": {"@id": "urn:x:1"}}}
