"""A compiled context gives exactly the statements that JSON-LD's own algorithm gives."""

import copy
import json
import runpy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.reading.literal_form import Normalization, PlainNames, UnusualObjects, is_literal
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import building, contexts
from checkpoint_ld.graph.building import Walk
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from checkpoint_ld.graph.plans import NotCoveredError
from tests.corpus import DIALECTS, expectations
from tests.documents import Json, canonical, item, rating, rich, scenario, setting
from tests.test_graph import JSON, documents, objects_of
from tests.trials import examples

MEMBERS = st.sampled_from(
    [
        *("name", "text", "description", "keywords", "rating", "additionalProperty", "value", "item", "hasPart"),
        *("acceptedAnswer", "additionalType", "dateCreated", "bestRating", "creator", "unknown", "nodes", "edges"),
    ]
)
VALUES: st.SearchStrategy[Json] = st.one_of(
    JSON,
    st.lists(st.sampled_from(["b", "a", "c"]), max_size=3),
    st.sampled_from([[], None, 1, 1.0, -0.0, True, "GlobalRegexTrait", "karenina:GlobalRegexTrait", "a b", 10**400]),
    st.sampled_from([{"@id": "urn:x"}, {"@id": "urn:x", "name": "x"}, {"@value": "x"}, {"name": "x"}, {}, [{}, {}]]),
    st.sampled_from(["2026-01-01T00:00:00", "2026-02-30T00:00:00", {"@type": "Person", "name": "A"}]),
)


def agrees(tree: Json) -> bool:
    """Return whether the compiled way covers a tree, after comparing it with the other way."""
    found = building.index_of(copy.deepcopy(tree))
    exact = building.by_algorithm(copy.deepcopy(tree))
    assert found in (None, exact)
    return found is not None


@st.composite
def damaged(draw: st.DrawFn) -> Json:
    tree = canonical() if draw(st.booleans()) else rich()
    objects = objects_of(tree) if draw(st.booleans()) else [tree, *tree["dataFeedElement"]]
    for _ in range(draw(st.integers(1, 4))):
        one = draw(st.sampled_from(objects))
        if draw(st.booleans()):
            one[draw(MEMBERS)] = draw(VALUES)
        else:
            one.pop(draw(MEMBERS), None)
    return tree


@pytest.mark.slow
@settings(max_examples=examples(700), deadline=None)
@given(documents() | damaged())
def test_unusual_and_damaged_documents_give_the_same_statements_either_way(tree: Json) -> None:
    try:
        building.by_algorithm(copy.deepcopy(tree))
    except ReadError:
        assert building.index_of(tree) is None
        return
    agrees(tree)


@pytest.mark.parametrize("context", [contexts.plain(), contexts.improved(), None, {"@vocab": "https://schema.org/"}])
def test_documents_as_karenina_and_we_write_them_are_covered(context: Json) -> None:
    for tree in (canonical(item(), item("Another?", None)), rich(), scenario()):
        unshared = json.loads(json.dumps(tree))
        assert agrees({**unshared, "@context": context})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("note", one) for one in ({}, [{}, {"@id": "urn:x"}], {"@value": "x", "@language": "en"}, [[1], {"a": {}}])),
        *(("note", {"@id": "https://example.org/#a", "name": {"name": "b"}}), ("see", {"@id": "urn:x"})),
        *(("ex:note", "x"), ("two words", 1), ("@type", ["Question", "Thing"]), ("@id", 5)),
        ("keywords", {"@list": []}),
    ],
)
def test_what_is_not_covered_is_left_to_pyld_alone(key: str, value: Json) -> None:
    tree = json.loads(json.dumps({**rich(), "@context": {**contexts.plain(), "ex": "https://example.org/"}}))
    tree["dataFeedElement"][0]["item"][key] = value

    agrees(tree)
    index, root = building.built(copy.deepcopy(tree))
    assert CheckpointGraph(index, root).tree() == CheckpointGraph(*building.built(tree, "pyld")).tree()


@pytest.mark.parametrize("levels", [20, 80])
def test_what_is_nested_deeply_is_left_to_the_algorithm_as_a_whole(levels: int) -> None:
    tree = json.loads(json.dumps(canonical(item())))
    part = tree["dataFeedElement"][0]["item"]
    for _ in range(levels):
        part["part"] = part = {"name": "a", "two words": 1}

    assert agrees(tree) is False


def test_terms_of_a_documents_own_are_covered() -> None:
    tree = {**canonical(), "reviewed": "2026-01-01", "@context": {**contexts.plain(), "reviewed": "urn:x:reviewed"}}
    assert agrees(tree)


@pytest.mark.slow
def test_every_file_gives_the_same_statements_either_way(corpus: Path) -> None:
    files = [corpus / case["file"] for dialect in DIALECTS for case in expectations(corpus, dialect)]
    covered = [agrees(reading.examine(path).tree) for path in files]
    assert sum(covered) > len(covered) * 0.97


# --- objects that are taken together say what each of them says alone

ODD_SCALARS = st.sampled_from([True, 1, 1.0, False, 0, 0.0, -0.0, "1", "", "é\n", "true", 2**70, 0.1, 1e300, None])
NESTED = st.sampled_from([[], {}, [1, 1.0, True], {"a": [None]}, {"@type": "Person", "name": "A"}, ["b", "a"]])
ODD_VALUES = st.one_of(ODD_SCALARS, NESTED)
IDENTIFIERS = st.sampled_from(["urn:x:1", "urn:x:2", "http://example.org/é", "a b", "urn:x:3#/a"])


@st.composite
def properties(draw: st.DrawFn) -> Json:
    """Return a setting, usual or odd in one way or another."""
    one: Json = setting(draw(st.sampled_from(["a", "b", "", "name"])), draw(ODD_VALUES))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        key = draw(st.sampled_from(["@type", "name", "value", "@id", "position", "description", "keywords", "item"]))
        if draw(st.booleans()):
            one.pop(key, None)
        elif key == "@type":
            one[key] = draw(st.sampled_from(["PropertyValue", "Rating", "Thing", None, ["PropertyValue"], 1]))
        elif key == "@id":
            one[key] = draw(IDENTIFIERS)
        else:
            one[key] = draw(st.one_of(ODD_VALUES, st.just({"@type": "Person", "name": "A"})))
    return {key: one[key] for key in draw(st.permutations(list(one)))} if draw(st.booleans()) else one


@st.composite
def trees(draw: st.DrawFn) -> Json:
    """Return a checkpoint with usual and odd objects side by side, now and then one of them twice."""
    listed = st.lists(st.one_of(properties(), st.builds(setting, st.just("a"), ODD_SCALARS)), max_size=6)
    items = [
        item(text, identifier)
        for text, identifier in draw(
            st.lists(st.tuples(st.sampled_from(["A?", "B?"]), st.one_of(st.none(), IDENTIFIERS)), max_size=4)
        )
    ]
    tree = canonical(*items)
    for one in tree["dataFeedElement"]:
        question = one["item"]
        question["additionalProperty"] = draw(listed)
        question["rating"] = [
            {**rating(), "additionalProperty": draw(listed), "bestRating": draw(ODD_SCALARS)}
            for _ in range(draw(st.integers(0, 2)))
        ]
        question["keywords"] = draw(st.lists(st.sampled_from(["b", "a", "c", 1, True, None, ""]), max_size=4))
        if draw(st.integers(0, 9)) == 0:
            question["additionalProperty"] *= 2
    return tree


def agrees_together(tree: Json) -> bool:
    """Tell whether a tree is covered, having held all ways to its statements against one another."""
    try:
        exact = building.by_algorithm(copy.deepcopy(tree))
    except ReadError:
        assert building.index_of(tree) is None
        return False
    before = copy.deepcopy(tree)
    found = building.index_of(tree)
    assert tree == before
    if found is None:
        return False
    assert found == exact
    return True


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(trees())
def test_objects_of_all_kinds_side_by_side(tree: Json) -> None:
    agrees_together(tree)


@settings(max_examples=examples(100), deadline=None)
@given(trees(), st.integers(1, 3))
def test_it_does_not_matter_how_many_are_taken_together(tree: Json, most: int) -> None:
    whole = building.index_of(tree)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "TOGETHER", most)
        parts = building.index_of(tree)
    assert parts == whole


def test_usual_and_unusual_settings_are_covered_together() -> None:
    tree = canonical(item(), item("Another?", "urn:x:2"))
    question = tree["dataFeedElement"][1]["item"]
    question["additionalProperty"] = [
        *(setting("a", value) for value in (True, 1, 1.0, 0.0, -0.0, None, {"b": [1]})),
        {"value": 1, "@type": "PropertyValue", "name": "a"},
        {"@type": "PropertyValue", "name": "a"},
        {"@type": "PropertyValue", "@id": "urn:x:own", "name": "a", "value": "x"},
        {"name": "a", "value": 5},
    ]
    assert agrees_together(tree)


@pytest.mark.parametrize("place", ["later element", "earlier element", "same element", "both", "other keys"])
def test_of_objects_with_one_name_the_first_of_the_document_has_it(place: str) -> None:
    tree = canonical(item("A?", "urn:x:1"), item("B?", "urn:x:2"), item("C?", "urn:x:3"))
    one, other, _ = (element["item"] for element in tree["dataFeedElement"])
    if place == "later element":
        tree["dataFeedElement"][2]["@id"] = "urn:x:1"
    if place in ("earlier element", "both"):
        one["acceptedAnswer"]["@id"] = "urn:x:2"
    if place in ("same element", "both"):
        other["hasPart"]["@id"] = other["acceptedAnswer"]["@id"] = "urn:x:2"
    if place == "other keys":
        del tree["dataFeedElement"][0]["dateModified"]
        tree["dataFeedElement"][1]["@id"] = "urn:x:1"
    assert agrees_together(tree)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["karenina:GlobalRubricTrait", "urn:karenina:vocab:GlobalRubricTrait"])
def test_an_object_that_is_called_what_a_member_names_is_left_to_the_other_way(name: str) -> None:
    tree = canonical(item("A?", "urn:x:1"), item("B?", name))
    tree["rating"] = [{**rating(), "additionalType": "karenina:GlobalRubricTrait"}]
    assert not agrees_together(tree)
    assert CheckpointGraph.of_tree(tree).tree() == {key: value for key, value in tree.items() if key != "@context"}


def test_an_empty_type_is_left_to_the_other_way() -> None:
    tree = canonical(item())
    tree["dataFeedElement"][0]["item"]["acceptedAnswer"]["@type"] = ""
    assert not agrees_together(tree)


def test_an_object_that_stands_at_two_places_is_left_to_the_other_way() -> None:
    one = setting("a", 1)
    tree = canonical(item(), item("Another?", None))
    for element in tree["dataFeedElement"]:
        element["item"]["additionalProperty"] = [one]
    with pytest.raises(NotCoveredError):
        Walk(contexts.plain()).root(tree)


@pytest.mark.slow
def test_many_objects_grow_no_slower_when_they_are_all_different() -> None:
    tree = canonical()
    tree["additionalProperty"] = [{**setting("a", at), f"key{at}": at} for at in range(2000)]
    assert agrees_together(tree)


# --- What is known about our contexts is what PyLD says about them.


SCRIPT = Path(__file__).parents[1] / "docs" / "resolved_contexts.py"
FILE = SCRIPT.parents[1] / "contexts" / contexts.FILE


def test_what_is_known_is_what_pyld_states_today() -> None:
    assert runpy.run_path(str(SCRIPT))["content"]() == FILE.read_bytes(), "run python docs/resolved_contexts.py"


def test_definitions_are_the_same_whether_they_are_known_or_requested() -> None:
    for context in (contexts.plain(), contexts.improved()):
        assert contexts.definitions(context) == contexts.resolve(context) != {}


# --- What is called usual would not be changed by the longer way.


def is_usual(tree: Json) -> bool:
    """Whether a document is usual, after what is found of its elements was held against the longer way."""
    table, names = contexts.table(tree.get("@context")), PlainNames.of_context(tree.get("@context"))
    marked = UnusualObjects(table, names).find(tree)
    if marked is None:
        return False
    assert is_literal(tree, table, names, marked) == is_literal(tree, table, names)
    if is_literal(tree, table, names):
        longer, shorter = Normalization(table), Normalization(table, marked)
        assert same(longer.root(tree), shorter.root(tree) if marked else tree)
        assert (longer.forms, longer.changed) == (shorter.forms, shorter.changed)
    return not marked


@pytest.mark.slow
@settings(max_examples=examples(1000), deadline=None)
@given(documents() | damaged() | trees())
def test_unusual_and_damaged_documents_and_unusual_objects_beside_usual_ones(tree: Json) -> None:
    is_usual(tree)


def test_one_unusual_object_among_many_is_enough() -> None:
    tree = canonical(*(item(f"{at}?", f"urn:x:{at}") for at in range(20)))
    assert is_usual(tree)
    for unusual in ({"@type": "schema:PropertyValue", "name": "a"}, {"@id": "urn:x"}, {"schema:name": "a"}, "text"):
        changed = copy.deepcopy(tree)
        changed["dataFeedElement"][-1]["item"]["additionalProperty"].append(unusual)
        assert not is_usual(changed)


@pytest.mark.parametrize("tree", [canonical(), canonical(item(), item("Another?", None))])
def test_documents_as_karenina_writes_them_are_usual(tree: Json) -> None:
    assert is_usual({**tree, "@context": contexts.plain()})


@pytest.mark.parametrize(
    ("key", "value"),
    [("@type", ["DataFeed"]), ("rating", {"@type": "Rating"}), ("keywords", "metals"), ("schema:name", "x")],
)
def test_departures_are_not_usual(key: str, value: Json) -> None:
    assert not is_usual({**canonical(), key: value})


def test_most_files_are_usual(corpus: Path) -> None:
    files = [corpus / case["file"] for case in expectations(corpus, "datafeed-ns-v3")]
    usual = [is_usual(json.loads(path.read_bytes())) for path in files]
    assert sum(usual) > len(usual) * 0.6


@pytest.mark.parametrize("key", ["x_karenina", "rubric", "globalRubric", "note"])
def test_json_literals_in_members_that_nobody_knows_are_usual(key: str) -> None:
    literal = {"@type": "@json", "@value": {"rating": [{"@list": [None]}], "llm_traits": {}}}
    tree = canonical(item())
    tree["dataFeedElement"][0][key] = tree["dataFeedElement"][0]["item"][key] = literal

    assert is_usual(tree)
    assert not is_usual({**tree, key: {**literal, "@id": "urn:x"}})
    assert not is_usual({**tree, "text": literal})
