"""Elements that are passed by are without fault: the general way has no doubt about any node of theirs."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import event, example, given, settings
from rdflib import Literal, URIRef
from rdflib.term import Node

from checkpoint_ld import examples as shipped
from checkpoint_ld import profiles, rules, validation
from checkpoint_ld.derivation import derived
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.naming import iri_of
from checkpoint_ld.graph.store import Index, put, terms_of
from checkpoint_ld.reading import Reading, examine_bytes
from checkpoint_ld.validation import elements as elements_room
from checkpoint_ld.validation.doubt import part_in_doubt
from checkpoint_ld.validation.elements import Settled, settled
from checkpoint_ld.validation.graph import Layers
from checkpoint_ld.validation.results import shapes_of
from checkpoint_ld.validation.screen import Screen
from checkpoint_ld.vocabulary import SCHEMA, SHACL
from tests.documents import setting
from tests.validation.feeds import damaged, damaged_alike, feed, objects, sound_feed
from tests.validation.test_mutations import DIALECTS, valid

SCREENS = {name: Screen(shapes_of(profiles.profile(name))) for name in ("karenina", "strict")}
SCREEN = SCREENS["karenina"]
FOLDERS = ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0", "flat", "tricky")
NONE: dict[Node, set[Node]] = {}
ELEMENTS = URIRef(SCHEMA + "dataFeedElement")


def read(tree: Any) -> Reading:
    return examine_bytes(json.dumps(tree).encode(), checked=False)


def in_doubt(source: Any, screen: Screen, but: Node | None = None, suspects: Any = NONE) -> dict[Node, set[Node]]:
    """Return what the general way has doubts about."""
    found = derived(source)
    doubtful = screen.doubtful(Layers(source.index, found), (source.index, found), suspects, but) or {}
    return {shape: set(nodes) for shape, nodes in doubtful.items()}


def below(index: Index, start: Node) -> set[Node]:
    """Return a node and all nodes that hang on it."""
    found, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        if node in index and node not in found:
            found.add(node)
            waiting += [term for held in index[node].values() for term in terms_of(held)]
    return found


def passed_by(source: Reading, screen: Screen = SCREEN) -> int:
    """Return how many elements are passed by; hold each of their nodes against the general way."""
    found = settled(source.tree, screen)
    with patch.object(elements_room, "TOGETHER", 1):
        assert settled(source.tree, screen) == found
    assert "graph" not in vars(source)
    graph = source.graph
    elements = terms_of(graph.index[graph.root].get(ELEMENTS))
    nodes = {node for at in found.elements for node in below(graph.index, elements[at])}
    named = {str(node) for node in nodes if "#/" not in str(node)}
    identifiers = Counter(iri_of(one["@id"]) for one in objects(source.tree) if isinstance(one.get("@id"), str))
    shared = {one for one, count in identifiers.items() if count > 1}
    assert named - shared == found.names - shared
    doubtful = in_doubt(graph, screen)
    assert nodes.isdisjoint(node for these in doubtful.values() for node in these)
    said = derived(graph)
    assert not any(screen.leaves(of_node(said, node), ()) for node in nodes)
    part = part_in_doubt(source, screen)
    assert doubtful == ({} if part is None else in_doubt(part, screen, part.stand_in))
    if part is not None:
        assert doubtful == in_doubt(part, screen, part.stand_in, part.suspects)
    if part is None:
        assert screen.doubtful(Layers(graph.index, said), (graph.index, said)) is None
    return len(found.elements)


def of_node(found: Any, node: Any) -> list[Any]:
    held = found.get(node, {}).get(URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), [])
    return held if isinstance(held, list) else [held]


@settings(max_examples=300, deadline=None)
@given(damaged())
@example(feed())
def test_nothing_is_in_doubt_about_an_element_that_is_passed_by(tree: Any) -> None:
    try:
        source = read(tree)
        assert source.graph
        del vars(source)["graph"]
    except ReadError:
        return

    event(f"{passed_by(source)} passed by")


@settings(max_examples=300, deadline=None)
@given(damaged(sound_feed) | damaged_alike())
@example(sound_feed())
def test_nothing_is_in_doubt_about_a_feed_of_which_nothing_is_left(tree: Any) -> None:
    for screen in SCREENS.values():
        try:
            source = read(tree)
            assert source.graph
            del vars(source)["graph"]
        except ReadError:
            return
        passed_by(source, screen)
        event("nothing left" if part_in_doubt(source, screen) is None else "something left")


@pytest.mark.parametrize("odd", [5, None, ["urn:a"]])
@pytest.mark.parametrize("other", ["karenina:GlobalRegexTrait", "urn:karenina:vocab:GlobalRegexTrait"])
def test_what_is_odd_about_one_element_hides_nothing_about_another(odd: Any, other: str) -> None:
    tree = sound_feed()
    one, two, *_ = tree["dataFeedElement"]
    one["@id"], two["@id"] = odd, other
    doubtful = set(range(4)) - set(settled(tree, SCREEN).elements)

    assert doubtful >= {0, 1}


def test_nothing_is_left_of_a_sound_feed_and_no_graph_is_made() -> None:
    source = read(sound_feed())

    assert part_in_doubt(source, SCREEN) is None
    assert validation.check_reading(source, profiles.profile()).findings == ()
    assert "graph" not in vars(source)
    assert passed_by(source) == 4


@pytest.mark.parametrize("creator", ["Karenina Benchmarking System", {"@type": "Person", "name": "Ada"}])
def test_a_creator_may_be_told_by_name_or_as_a_person(creator: Any) -> None:
    tree = {**sound_feed(), "creator": creator}
    source = read(tree)

    assert part_in_doubt(source, SCREEN) is None
    assert passed_by(source) == 4


def with_shared_traits(identifier: str = "urn:uuid:rating-names-a-metal") -> Any:
    """Return a sound feed in which all questions have the same trait, as Karenina's GUI writes them."""
    tree = sound_feed()
    trait = tree["dataFeedElement"][0]["item"]["rating"][0]
    for element in tree["dataFeedElement"]:
        element["item"]["rating"] = [{**copy.deepcopy(trait), "@id": identifier}]
    return tree


def test_traits_may_share_an_identifier() -> None:
    tree = with_shared_traits()

    assert part_in_doubt(read(tree), SCREEN) is None
    assert passed_by(read(tree)) == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["dataFeedElement"][2]["item"]["rating"][0].update(name=""),
        lambda tree: tree["dataFeedElement"][3].update({"@id": "urn:uuid:rating-names-a-metal"}),
        lambda tree: tree["dataFeedElement"][3]["item"]["hasPart"].update({"@id": "urn:uuid:rating-names-a-metal"}),
        lambda tree: tree["dataFeedElement"][1]["item"]["rating"].append(
            tree["dataFeedElement"][1]["item"]["rating"][0]
        ),
    ],
    ids=["an empty name", "an element with the identifier", "a template with it", "a trait twice"],
)
def test_what_is_wrong_beside_a_shared_identifier_is_found(change: Any) -> None:
    tree = with_shared_traits()
    change(tree)
    part = part_in_doubt(read(tree), SCREEN)

    assert part is not None
    assert len(part.suspects) == 0
    passed_by(read(tree))


def test_a_shared_identifier_that_is_no_iri_is_told() -> None:
    tree = with_shared_traits("names a metal")
    data = json.dumps(tree).encode()
    found = validation.check(data, profiles.profile()).findings

    assert {one.rule for one in found} == {"identifier-form"}
    assert found == validation.check(data, profiles.profile(), engine=validation.PYSHACL).findings
    assert passed_by(read(tree)) == 0


def test_an_element_that_breaks_a_rule_is_held_against_what_it_may_break_alone() -> None:
    tree = sound_feed()
    first, second, *_ = tree["dataFeedElement"]
    first["item"]["text"] = " "
    second["dateModified"] = "2020-01-01T00:00:00"
    source = read(tree)
    part = part_in_doubt(source, SCREEN)
    assert part is not None
    suspected = {str(shape).rpartition(":")[2] for shapes in part.suspects.values() for shape in shapes}

    assert {str(node).partition("#")[0] for node in part.suspects} == {first["@id"], second["@id"]}
    assert suspected >= {"question-text-blank", "item-date-order"}
    assert len(suspected) < 10
    assert passed_by(read(tree)) == 2


def test_an_element_that_shares_its_text_is_held_against_all_shapes() -> None:
    tree = sound_feed()
    first, second, *_ = tree["dataFeedElement"]
    first["item"]["text"] = second["item"]["text"] = "Which?"
    first["dateModified"] = "2020-01-01T00:00:00"
    part = part_in_doubt(read(tree), SCREEN)

    assert part is not None
    assert not part.suspects


def test_an_element_that_is_named_in_one_that_breaks_a_rule_is_kept_beside_it() -> None:
    tree = sound_feed()
    first, second, *_ = tree["dataFeedElement"]
    first["item"]["text"] = " "
    first["item"]["additionalProperty"] = [setting("custom_like", second["@id"])]
    source = read(tree)
    part = part_in_doubt(source, SCREEN)

    assert part is not None
    assert [shapes for node, shapes in part.suspects.items() if str(node) == second["@id"]] == [set()]
    assert passed_by(read(tree)) == 2


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


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_in_doubt_about_an_element_of_the_corpus_that_is_passed_by(corpus: Path, folder: str) -> None:
    passed = 0
    for path in sorted((corpus / folder).iterdir())[:12]:
        if path.name != "index.json":
            for screen in SCREENS.values():
                try:
                    passed += passed_by(examine_bytes(path.read_bytes(), checked=False), screen)
                except ReadError:
                    continue
    assert passed or folder in {"tricky", "flat", "v2.0", "dataset-1"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_is_in_doubt_about_an_element_of_a_dialect_that_is_passed_by(dialect: str) -> None:
    assert passed_by(examine_bytes(valid(dialect).encode(), checked=False)) or dialect in {"v2.0-other", "flat"}


@pytest.mark.parametrize("code", list(rules.catalogue()))
def test_nothing_is_in_doubt_about_an_element_of_an_example_that_is_passed_by(code: str) -> None:
    told = shipped.example(code)
    for text in () if told is None else (told.valid, told.invalid):
        try:
            source = examine_bytes(text, checked=False)
            assert source.graph
            del vars(source)["graph"]
        except ReadError:
            continue
        passed_by(source)


def test_usual_elements_are_passed_by() -> None:
    assert passed_by(read(feed())) == 4 - COMPLETE


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
    source = read(tree)

    assert passed_by(source)
    assert 0 in settled(source.tree, SCREEN).elements


@pytest.mark.parametrize(
    "change",
    [
        lambda element, _: element["item"]["rating"][0].update(bestRating=5),
        lambda element, _: element["item"].update({"@type": ["Question", "CreativeWork"]}),
        lambda element, _: element["item"].update(sameAs=None),
        lambda element, _: element["item"].update(url=["b", "a"]),
        lambda element, _: element["item"]["acceptedAnswer"].update(author={"@type": "Person", "name": "Ada"}),
        lambda element, _: element["item"]["acceptedAnswer"].update({"two words": "x"}),
        lambda element, _: element["item"]["hasPart"].update(position=3),
        lambda element, _: element["item"].update(rating=[[]]),
        lambda element, _: element["item"]["additionalProperty"][0].update(name=["finished"]),
        lambda element, _: element["item"]["hasPart"].update({"@id": "karenina:Answer"}),
        lambda element, other: element["item"].update(text=other["item"]["text"]),
        lambda element, other: element.update({"@id": other["@id"]}),
        lambda element, other: element["item"].update({"@id": other["@id"]}),
        lambda element, other: element["item"]["acceptedAnswer"].update(about={"@id": other["@id"]}),
    ],
    ids=[
        *("an integer for a double", "two types", "null", "an array", "an object", "no key", "a position"),
        *("arrays in arrays", "an array for a name", "a name of ours"),
        *("the same text", "the same identifier", "the identifier of another", "a reference"),
    ],
)
def test_what_the_tree_does_not_tell_for_certain_is_in_doubt(change: Any) -> None:
    tree = sound_feed()
    element, other = tree["dataFeedElement"][0], tree["dataFeedElement"][2]
    before = settled(read(tree).tree, SCREEN).elements
    change(element, other)
    source = read(tree)
    after = settled(source.tree, SCREEN).elements

    assert {0, 2} <= set(before)
    assert 0 not in after
    assert (2 in after) == (
        element["item"]["text"] != other["item"]["text"] and other["@id"] not in json.dumps(element)
    )
    passed_by(source)


@pytest.mark.parametrize("identifier", ['urn:uuid:with "quotes"', "urn:uuid:a#b", "urn:uuid:a%23b", "http://x.org/#é"])
def test_identifiers_that_are_no_names_are_passed_by(identifier: str) -> None:
    tree = sound_feed()
    first, _, third, fourth = tree["dataFeedElement"]
    first["@id"] = identifier
    third["item"]["rating"][0]["@id"] = "http://x.org/#trait"
    fourth["item"]["@id"] = "urn:x:question"
    source = read(tree)

    assert passed_by(source)
    assert {0, 2, 3} <= set(settled(source.tree, SCREEN).elements)


def test_identifiers_that_look_alike_by_place_are_in_doubt() -> None:
    tree = feed()
    tree["dataFeedElement"][2]["@id"], tree["dataFeedElement"][3]["@id"] = "urn:x:a#b", "urn:x:a%23b"

    assert not {2, 3} & set(settled(read(tree).tree, SCREEN).elements)


@pytest.mark.parametrize(
    ("keywords", "is_settled"), [(["chemistry", "metals"], True), (["physics"], False), ([], True)]
)
def test_keywords_of_an_element_have_to_be_those_of_its_question(keywords: list[str], is_settled: bool) -> None:
    tree = sound_feed()
    tree["dataFeedElement"][2]["keywords"] = keywords
    source = read(tree)

    assert (2 in settled(source.tree, SCREEN).elements) == is_settled
    passed_by(source)


def test_an_element_with_the_identifier_of_the_benchmark_is_in_doubt() -> None:
    tree = sound_feed()
    tree["dataFeedElement"][0]["@id"] = tree["@id"]
    tree["name"] = ["odd", 5]

    assert passed_by(read(tree)) == 3


def test_elements_that_share_an_identifier_or_a_text_are_not_passed_by() -> None:
    tree = feed()
    del tree["dataFeedElement"][1]
    tree["dataFeedElement"].append(copy.deepcopy(tree["dataFeedElement"][0]))
    tree["dataFeedElement"][-1]["@id"] = "urn:uuid:question-other"

    assert passed_by(read(tree)) == 0


def test_an_element_that_is_named_in_what_is_in_doubt_is_in_doubt() -> None:
    tree = feed()
    tree["about"] = {"@id": tree["dataFeedElement"][0]["@id"]}

    assert passed_by(read(tree)) == 4 - COMPLETE - 1


@pytest.mark.parametrize("about", ["the element", "a part of it"])
def test_an_element_that_something_else_refers_to_leaves_nothing_out(about: str) -> None:
    source = read(feed())
    graph = source.graph
    element = graph.member(graph.root, "dataFeedElement")[0]
    part = part_in_doubt(source, SCREEN)
    assert part is not None
    assert len(part.index) < len(graph.index)
    put(
        graph.index,
        graph.root,
        URIRef(SCHEMA + "about"),
        element if about == "the element" else graph.member(element, "item")[0],
    )
    part = part_in_doubt(source, SCREEN)

    assert part is not None
    assert part.index is graph.index


def test_a_large_clean_feed_is_told_by_its_elements_alone() -> None:
    tree = feed()
    first = tree["dataFeedElement"][0]
    tree["dataFeedElement"] = []
    for number in range(30):
        element = copy.deepcopy(first)
        element["@id"] = f"urn:uuid:question-{number}"
        element["item"]["text"] += str(number)
        tree["dataFeedElement"].append(element)
    tree["name"] = ""
    source = read(tree)
    part = part_in_doubt(source, SCREEN)

    assert part is not None
    assert len(part.index) * 10 < len(source.graph.index)
    checked = validation.check(json.dumps(tree).encode(), profiles.profile())
    plain = validation.check(json.dumps(tree).encode(), profiles.profile(), engine=validation.PYSHACL)
    assert checked.findings == plain.findings


def test_an_element_whose_shape_is_not_understood_is_in_doubt() -> None:
    tree = read(feed()).tree

    assert settled(tree, SCREEN).elements
    assert not settled(tree, Screen(limited(SCREEN.shapes))).elements


def test_a_tree_that_is_not_as_usual_is_looked_at_in_its_graph() -> None:
    tree = sound_feed()
    tree["@context"]["ex"] = "https://example.org/"
    tree["ex:note"] = "mine"
    source = read(tree)

    assert settled(source.tree, SCREEN) == Settled((), frozenset(), {}, is_rest_settled=False)
    assert passed_by(source) == 0


def limited(shapes: Index) -> Index:
    """Return shapes with a bound that no screen understands."""
    shape = URIRef("urn:karenina:shape:answer-blank")
    return {**shapes, shape: {**shapes[shape], URIRef(SHACL + "maxLength"): Literal(50)}}
