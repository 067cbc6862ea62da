"""Elements that are passed by are without fault: the general way has no doubt about any node of theirs."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, example, given, settings
from rdflib import Literal, URIRef

from checkpoint_ld import profiles, validation
from checkpoint_ld.derivation import derived
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import XSD_INTEGER, typed
from checkpoint_ld.graph.store import Index, put
from checkpoint_ld.reading import examine_bytes
from checkpoint_ld.validation.doubt import part_in_doubt
from checkpoint_ld.validation.elements import Elements
from checkpoint_ld.validation.graph import Layers
from checkpoint_ld.validation.results import shapes_of
from checkpoint_ld.validation.screen import Screen
from checkpoint_ld.vocabulary import SCHEMA, SHACL
from tests.documents import setting
from tests.validation.feeds import damaged, feed, sound_feed

SCREENS = {name: Screen(shapes_of(profiles.profile(name))) for name in ("karenina", "strict")}
FOLDERS = ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0", "flat", "tricky")


def graph_of(tree: Any) -> CheckpointGraph:
    return examine_bytes(json.dumps(tree).encode(), checked=False).graph


def passed_by(graph: CheckpointGraph, screen: Screen = SCREENS["karenina"]) -> int:
    """Return how many elements are passed by; hold each of their nodes against the general way."""
    settled = Elements(graph, screen).settled()
    nodes = {node for parts in settled.values() for node in parts}
    found = derived(graph)
    doubtful = screen.doubtful(Layers(graph.index, found), (graph.index, found)) or {}
    assert nodes.isdisjoint({node for these in doubtful.values() for node in these})
    assert not any(screen.leaves(of_node(found, node), ()) for node in nodes)
    return len(settled)


def of_node(found: Any, node: Any) -> list[Any]:
    held = found.get(node, {}).get(URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), [])
    return held if isinstance(held, list) else [held]


@settings(max_examples=400, deadline=None)
@given(damaged())
@example(feed())
def test_nothing_is_in_doubt_about_an_element_that_is_passed_by(tree: Any) -> None:
    try:
        graph = graph_of(tree)
    except ReadError:
        return

    event(f"{passed_by(graph)} passed by")


@settings(max_examples=400, deadline=None)
@given(damaged(sound_feed))
@example(sound_feed())
def test_nothing_is_in_doubt_about_a_feed_of_which_nothing_is_left(tree: Any) -> None:
    for screen in SCREENS.values():
        try:
            graph = graph_of(tree)
        except ReadError:
            return
        if not part_in_doubt(graph, screen).index:
            event("nothing left")
            found = derived(graph)
            assert screen.doubtful(Layers(graph.index, found), (graph.index, found)) is None


def test_nothing_is_left_of_a_sound_feed() -> None:
    graph = graph_of(sound_feed())

    assert part_in_doubt(graph, SCREENS["karenina"]).index == {}
    assert validation.check(json.dumps(sound_feed()).encode(), profiles.profile()).findings == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["rating"].append(copy.deepcopy(tree["rating"][0])),
        lambda tree: tree["dataFeedElement"][0]["item"]["rating"][0].update(name=tree["rating"][0]["name"]),
        lambda tree: tree["additionalProperty"].append(tree["additionalProperty"][0]),
        lambda tree: tree.update(hasPart=[{"@type": "karenina:Scenario", "name": "none"}]),
        lambda tree: tree.update(creator={"@type": "Organization", "name": "A company"}),
        lambda tree: tree.update(creator=[tree["creator"], {**tree["creator"], "name": "Other"}]),
        lambda tree: tree.pop("dateModified"),
        lambda tree: tree.update(dataFeedElement=[*tree["dataFeedElement"], "text"]),
    ],
    ids=["a trait twice", "a clash", "a setting twice", "a scenario", "a company", "two creators", "no date", "a text"],
)
def test_all_that_is_wrong_beside_the_elements_is_found(change: Any) -> None:
    tree = sound_feed()
    change(tree)
    data = json.dumps(tree).encode()
    found = validation.check(data, profiles.profile()).findings

    assert found
    assert found == validation.check(data, profiles.profile(), engine=validation.PYSHACL).findings


def test_statements_that_hang_nowhere_are_left() -> None:
    graph = graph_of(sound_feed())
    put(graph.index, URIRef("urn:x:stray"), URIRef(SCHEMA + "name"), Literal("stray"))

    assert URIRef("urn:x:stray") in part_in_doubt(graph, SCREENS["karenina"]).index


def test_a_node_that_stands_in_a_feed_and_beside_it_leaves_nothing_out() -> None:
    graph = graph_of(sound_feed())
    question = graph.member(graph.member(graph.root, "dataFeedElement")[0], "item")[0]
    shared = graph.member(question, "additionalProperty")[0]
    put(graph.index, graph.root, URIRef(SCHEMA + "additionalProperty"), shared)

    assert part_in_doubt(graph, SCREENS["karenina"]).index is graph.index


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_in_doubt_about_an_element_of_the_corpus_that_is_passed_by(corpus: Path, folder: str) -> None:
    passed = 0
    for path in sorted((corpus / folder).iterdir())[:12]:
        if path.name != "index.json":
            try:
                graph = examine_bytes(path.read_bytes(), checked=False).graph
            except ReadError:
                continue
            passed += passed_by(graph, SCREENS["strict"]) + passed_by(graph)
    assert passed or folder in {"tricky", "flat", "v2.0", "dataset-1"}


def test_usual_elements_are_passed_by() -> None:
    tree = feed()
    assert passed_by(graph_of(tree)) == 4 - COMPLETE


def dynamic_trait() -> Any:
    """Return a dynamic trait as Karenina writes it: with the summary of the trait, and with that of the concept."""
    summaries = [setting("summary", text) for text in ("Names a metal", "metals")]
    settings = [setting("dynamic_trait_type", "regex"), setting("pattern", "gold"), *summaries]
    return {
        "@type": "Rating",
        "name": "concept",
        "additionalType": "karenina:QuestionSpecificDynamicRubricTrait",
        "description": "metals",
        "bestRating": 1.0,
        "worstRating": 0.0,
        "additionalProperty": settings,
    }


COMPLETE = 2
"""Questions of the feed whose templates verify nothing."""


@pytest.mark.parametrize(
    "change",
    [
        lambda question: question.update(keywords=["metals", "chemistry", "metals"]),
        lambda question: question.update(rating=[]),
        lambda question: question["additionalProperty"].append(setting("custom_note", {"a": [1]})),
        lambda question: question["additionalProperty"].append(setting("custom_list", ["b", "a"])),
        lambda question: question.update(sameAs="https://example.org/"),
        lambda question: question["rating"][0]["additionalProperty"].append(
            {"@type": "PropertyValue", "name": "higher_is_better"}
        ),
        lambda question: question["rating"].append(dynamic_trait()),
    ],
    ids=[
        *("unordered keywords", "no traits", "an object", "an array", "a key of one's own", "a setting without value"),
        "a summary twice",
    ],
)
def test_what_people_usually_write_is_passed_by(change: Any) -> None:
    tree = feed()
    change(tree["dataFeedElement"][0]["item"])
    graph = graph_of(tree)

    assert graph.member(graph.root, "dataFeedElement")[0] in Elements(graph, SCREENS["karenina"]).settled()
    passed_by(graph)


def test_elements_that_share_an_identifier_or_a_text_are_not_passed_by() -> None:
    tree = feed()
    del tree["dataFeedElement"][1]
    tree["dataFeedElement"].append(copy.deepcopy(tree["dataFeedElement"][0]))
    tree["dataFeedElement"][-1]["@id"] = "urn:uuid:question-other"

    assert passed_by(graph_of(tree)) == 0


def test_an_element_that_something_else_refers_to_leaves_nothing_out() -> None:
    graph = graph_of(feed())
    element = graph.member(graph.root, "dataFeedElement")[0]
    assert len(part_in_doubt(graph, SCREENS["karenina"]).index) < len(graph.index)
    put(graph.index, graph.root, URIRef(SCHEMA + "about"), element)

    assert part_in_doubt(graph, SCREENS["karenina"]).index is graph.index


def test_a_node_without_statements_where_a_text_is_asked_for_is_in_doubt() -> None:
    graph = graph_of(feed())
    before = Elements(graph, SCREENS["karenina"]).settled()
    answer = graph.member(graph.member(graph.member(graph.root, "dataFeedElement")[0], "item")[0], "acceptedAnswer")[0]
    graph.set((answer, URIRef(SCHEMA + "text"), URIRef("urn:x:text")))

    assert before.keys() - Elements(graph, SCREENS["karenina"]).settled().keys() == set(list(before)[:1])


def test_a_large_clean_feed_is_told_by_its_elements_alone() -> None:
    tree = feed()
    first = tree["dataFeedElement"][0]
    tree["dataFeedElement"] = []
    for number in range(30):
        element = copy.deepcopy(first)
        element["@id"] = f"urn:uuid:question-{number}"
        element["item"]["text"] += str(number)
        tree["dataFeedElement"].append(element)
    graph = graph_of(tree)
    part = part_in_doubt(graph, SCREENS["karenina"])

    assert len(part.index) * 10 < len(graph.index)
    checked = validation.check(json.dumps(tree).encode(), profiles.profile())
    plain = validation.check(json.dumps(tree).encode(), profiles.profile(), engine=validation.PYSHACL)
    assert checked.findings == plain.findings


def test_a_literal_of_the_same_text_is_not_taken_for_another() -> None:
    graph = graph_of(feed())
    elements = graph.member(graph.root, "dataFeedElement")
    answers = [graph.member(graph.member(one, "item")[0], "acceptedAnswer")[0] for one in elements]
    graph.set((answers[0], URIRef(SCHEMA + "text"), Literal("Mercury", lang="en")))
    graph.set((answers[1], URIRef(SCHEMA + "text"), Literal("Mercury")))

    assert elements[0] not in Elements(graph, SCREENS["karenina"]).settled()
    passed_by(graph)


def test_two_literals_of_one_value_where_one_is_usual_are_in_doubt() -> None:
    graph = graph_of(feed())
    element = graph.member(graph.root, "dataFeedElement")[0]
    template = graph.member(graph.member(element, "item")[0], "hasPart")[0]
    for text in ("1", "01"):
        graph.add((template, URIRef(SCHEMA + "codeRepository"), typed(text, XSD_INTEGER)))

    assert element not in Elements(graph, SCREENS["karenina"]).settled()
    passed_by(graph)


def test_an_element_whose_shape_is_not_understood_is_in_doubt() -> None:
    graph = graph_of(feed())

    assert Elements(graph, SCREENS["karenina"]).settled()
    assert not Elements(graph, Screen(limited(SCREENS["karenina"].shapes))).settled()


def limited(shapes: Index) -> Index:
    """Return shapes with a bound that no screen understands."""
    shape = URIRef("urn:karenina:shape:answer-blank")
    return {**shapes, shape: {**shapes[shape], URIRef(SHACL + "maxLength"): Literal(50)}}
