"""What a benchmark says about itself, its custom properties, and which questions are finished: read and changed."""

import gc
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef
from rdflib.term import Node

from checkpoint_ld import Benchmark, CheckpointGraph, LookupFailedError, WriteError
from checkpoint_ld.entities import Organization, Person
from checkpoint_ld.errors import ReadError
from checkpoint_ld.vocabulary import SCHEMA
from tests.benchmark.editing import EDITED, METAL, Json, assert_says, load, plain_item, strange
from tests.documents import canonical, item, rating, setting
from tests.mapping import json_values, texts


def test_every_member_may_be_set_and_nothing_else_changes() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.set_metadata(name="Alloys", description="d", version="2", creator="B", created_at="2020-01-01T00:00:00")
    tree |= {"name": "Alloys", "description": "d", "version": "2", "creator": "B", "dateCreated": "2020-01-01T00:00:00"}
    assert_says(benchmark, tree)
    benchmark.set_metadata(description=None, version="", creator=None)
    for key in ("description", "version", "creator"):
        del tree[key]
    assert_says(benchmark, tree)


@pytest.mark.parametrize("value", ["water", ["water"], ["water", "rivers"]])
@pytest.mark.parametrize("name", ["license", "citation", "funder", "keywords", "identifier"])
def test_members_about_the_publication_are_read_again_as_they_are(name: str, value: Json) -> None:
    benchmark = Benchmark("Rivers")
    benchmark.set_metadata(**{name: value})
    stated = getattr(benchmark, name)
    assert ([stated] if isinstance(stated, str) else stated) == ([value] if isinstance(value, str) else value)
    for again in (load(benchmark.to_jsonld()), load(benchmark.to_jsonld("plain")), load_turtle(benchmark)):
        assert getattr(again, name) == stated


def load_turtle(benchmark: Benchmark) -> Benchmark:
    return Benchmark.load(benchmark.to_turtle().encode(), syntax="turtle")


def test_a_date_that_is_given_stays() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.modified_at = "2026-05-05T00:00:00"
    benchmark.set_metadata(version="2", modified_at="2026-05-05T00:00:00")
    assert_says(benchmark, tree | {"version": "2", "dateModified": "2026-05-05T00:00:00"}, edited=False)
    benchmark.created_at = "1999-01-01"
    assert (benchmark.created_at, benchmark.modified_at != "2026-05-05T00:00:00") == ("1999-01-01", True)


def test_an_identifier_names_the_graph_and_what_has_none_of_its_own() -> None:
    tree = strange(item(), item("No id?", None))
    benchmark = load(tree)
    ids = benchmark.get_question_ids()
    benchmark.id = "urn:x:metals"
    assert benchmark.id == "urn:x:metals"
    assert benchmark.graph.root == URIRef("urn:x:metals")
    assert benchmark.get_question_ids() == ids
    assert_says(benchmark, tree | {"@id": "urn:x:metals"})
    assert not any("karenina-checkpoint" in str(term) for triple in benchmark.graph for term in triple)
    assert set(benchmark.graph) == set(load(benchmark.to_jsonld("plain")).graph)
    benchmark.mark_unfinished(METAL)
    assert benchmark.finished_count == 1


def test_a_new_identifier_keeps_what_stands_beside_the_benchmark() -> None:
    benchmark = load(strange())
    graph, about = benchmark.graph, URIRef("urn:x:review")
    graph.bind("dcterms", "http://purl.org/dc/terms/")
    graph.add((about, URIRef("urn:x:of"), graph.root))
    graph.add((about, URIRef("urn:x:by"), Literal("B. Jones")))
    benchmark.id = "urn:x:metals"
    assert set(benchmark.graph.triples((about, None, None))) == {
        (about, URIRef("urn:x:of"), URIRef("urn:x:metals")),
        (about, URIRef("urn:x:by"), Literal("B. Jones")),
    }
    assert dict(benchmark.graph.namespaces())["dcterms"] == URIRef("http://purl.org/dc/terms/")
    assert graph.root != benchmark.graph.root


PERSON = {"@type": "Person", "name": "A", "affiliation": {"@type": "Organization", "name": "B"}}
ACME = {"@type": "Organization", "name": "ACME", "url": "https://acme.example"}


@pytest.mark.parametrize(
    ("creator", "shown", "member"),
    [
        ("A", "A", "A"),
        (Person(name="A", email="a@example.org"), Person(name="A", email="a@example.org"), None),
        (PERSON, Person.model_validate(PERSON), PERSON),
        ({"name": "A"}, "A", "A"),
        (Organization(name="ACME"), Organization(name="ACME"), "ACME"),
        (ACME, Organization.model_validate(ACME), "ACME"),
        (["A", ACME], ["A", Organization.model_validate(ACME)], "A, ACME"),
        ([Person(name="A"), Person(name="C", url="u")], [Person(name="A"), Person(name="C", url="u")], "A, C"),
        (["A"], "A", "A"),
        ([], None, None),
        (None, None, None),
    ],
)
def test_creators_of_every_kind_are_kept(creator: Json, shown: Json, member: Json) -> None:
    benchmark = load(strange())
    benchmark.creator = creator
    for one in (benchmark, load(benchmark.to_jsonld()), load(benchmark.to_jsonld("plain"))):
        assert one.creator == shown
        assert member is None or one.to_jsonld("plain")["creator"] == member


def test_a_creator_leaves_nothing_of_the_one_before() -> None:
    tree = strange()
    benchmark = load(tree)
    creators: list[Json] = [PERSON, ACME, ["A", ACME], "C"]
    for creator in creators:
        benchmark.creator = creator
    assert_says(benchmark, tree | {"creator": "C"})
    assert set(benchmark.graph) == set(load(benchmark.to_jsonld("plain")).graph)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"licence": "MIT"}, "'licence' cannot be set: choose from id, creator, name"),
        ({"id": ""}, "needs a text as id"),
        ({"id": 5}, "the id 5 is no text"),
        ({"created_at": None}, "needs a text as created_at"),
        ({"name": ""}, "needs a text as name"),
        ({"name": None}, "needs a text as name"),
        ({"version": 1.0}, "the version 1.0 is no text"),
        ({"name": "\ud800"}, "surrogate"),
        ({"creator": 5}, "5 is no creator"),
        ({"creator": {"@type": "Team", "name": "x"}}, "this is no creator: @type: "),
        ({"creator": ["A", {"@type": "Person"}]}, "this is no creator: name: Field required"),
        ({"creator": ["A", ""]}, "'' is no creator"),
        ({"creator": {"name": "A", "age": float("nan")}}, "nan is not a JSON number"),
    ],
)
def test_what_cannot_be_set_changes_nothing(fields: Json, fault: str) -> None:
    tree = strange()
    benchmark = load(tree)
    with pytest.raises(WriteError, match=fault):
        benchmark.set_metadata(**{"version": "9", **fields})
    assert_says(benchmark, tree, edited=False)


def test_a_file_is_named_anew_and_saved(tmp_path: object) -> None:
    benchmark = Benchmark("Metals")
    benchmark.add_question("Q?", "a")
    benchmark.id = "no iri at all"
    path = f"{tmp_path}/metals.jsonld"
    benchmark.save(path)
    assert (Benchmark.load(path).id, Benchmark.load(path).question_count) == ("no iri at all", 1)


VERSION = "benchmark_format_version"


def test_a_property_is_set_changed_and_removed() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.set_custom_property("level", {"@id": [1, 1.0, None]})
    tree["additionalProperty"].append(setting("level", {"@id": [1, 1.0, None]}))
    assert_says(benchmark, tree)
    assert benchmark.get_custom_property("level") == {"@id": [1, 1.0, None]}
    benchmark.set_custom_property("level", "high")
    tree["additionalProperty"][-1]["value"] = "high"
    assert_says(benchmark, tree)
    assert benchmark.remove_custom_property("level") is True
    del tree["additionalProperty"][-1]
    assert_says(benchmark, tree)
    assert benchmark.get_custom_property("level") is None


def test_what_else_is_stated_about_a_property_stays() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.set_custom_property("licence", None)
    del tree["additionalProperty"][1]["value"]
    assert tree["additionalProperty"][1] == {"@type": "PropertyValue", "name": "licence", "ex:since": 2020}
    assert_says(benchmark, tree)
    assert benchmark.get_all_custom_properties() == {VERSION: "3.0.0-jsonld", "licence": None}


def test_a_property_that_is_there_several_times_is_removed_wholly() -> None:
    tree = strange()
    tree["additionalProperty"] += [setting("licence", 1), setting("other", 2)]
    benchmark = load(tree)
    assert benchmark.get_custom_property("licence") == 1
    assert benchmark.remove_custom_property("licence")
    tree["additionalProperty"] = [tree["additionalProperty"][0], setting("other", 2)]
    assert_says(benchmark, tree)


def test_the_last_property_leaves_no_empty_list() -> None:
    tree = strange()
    del tree["additionalProperty"]
    benchmark = load(tree)
    benchmark.set_custom_property("level", 1)
    assert benchmark.remove_custom_property("level")
    assert_says(benchmark, tree)


def test_removing_what_is_not_there_is_no_change() -> None:
    tree = strange()
    benchmark = load(tree)
    assert benchmark.remove_custom_property("nothing") is False
    benchmark.set_multiple_custom_properties({})
    assert_says(benchmark, tree, edited=False)


@pytest.mark.parametrize("name", [VERSION, "checkpoint_format_version"])
def test_the_version_of_the_format_is_protected(name: str) -> None:
    tree = strange()
    tree["additionalProperty"][0]["name"] = name
    benchmark = load(tree)
    with pytest.raises(WriteError, match=f"{name} is the version of the file format and cannot be removed"):
        benchmark.remove_custom_property(name)
    with pytest.raises(WriteError, match=f"{name} is the version of the file format and cannot be changed"):
        benchmark.set_multiple_custom_properties({"a": 1, name: "2.0"})
    assert_says(benchmark, tree, edited=False)


def test_all_properties_of_one_benchmark_may_be_given_to_another() -> None:
    source, target = load(strange()), Benchmark("Copy")
    target.set_multiple_custom_properties(source.get_all_custom_properties())
    assert target.get_all_custom_properties() == source.get_all_custom_properties()


@pytest.mark.parametrize(
    ("properties", "fault"),
    [
        ({"a": 1, "b": float("nan")}, "nan is not a JSON number"),
        ({"a": {1, 2}}, "set is not a JSON type"),
        ({"a": "\ud800"}, "surrogate"),
        ({"\ud800": 1}, "surrogate"),
        ({"": 1}, "name '' of a property is no text"),
        ({5: 1}, "the name 5 of a property is no text"),
    ],
)
def test_what_cannot_be_a_property_changes_nothing(properties: Json, fault: str) -> None:
    tree = strange()
    benchmark = load(tree)
    with pytest.raises(WriteError, match=fault):
        benchmark.set_multiple_custom_properties(properties)
    assert_says(benchmark, tree, edited=False)


@pytest.mark.slow
@given(st.dictionaries(texts.filter(bool), json_values, max_size=3))
def test_any_values_come_back(properties: Json) -> None:
    benchmark = load(strange())
    benchmark.set_multiple_custom_properties(properties)
    again = Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")
    for one in (benchmark, again):
        assert {name: one.get_custom_property(name) for name in properties} == properties


def test_what_was_given_is_not_shared() -> None:
    value = {"a": [1]}
    benchmark = Benchmark("Sums")
    benchmark.set_custom_property("x", value)
    value["a"].append(2)
    benchmark.get_custom_property("x")["a"].append(3)
    assert benchmark.get_custom_property("x") == {"a": [1]}


def test_marking_a_question_changes_one_value_and_two_dates() -> None:
    tree = strange(item(), item("Other?", "urn:uuid:2"))
    benchmark = load(tree)
    benchmark.mark_unfinished(METAL)
    element = tree["dataFeedElement"][0]
    element["dateModified"] = EDITED
    element["item"]["additionalProperty"][0]["value"] = False
    assert_says(benchmark, tree)
    assert (benchmark.finished_count, benchmark.get_finished_questions(ids_only=True)) == (1, ["urn:uuid:2"])
    benchmark.mark_finished(METAL)
    element["item"]["additionalProperty"][0]["value"] = True
    assert_says(benchmark, tree)
    assert benchmark.is_complete


@pytest.mark.parametrize("value", [True, "true", "Yes", 1, 1.0])
def test_a_question_that_is_finished_already_is_not_changed(value: Json) -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"][0]["value"] = value
    benchmark = load(tree)
    benchmark.mark_finished(METAL)
    assert_says(benchmark, tree, edited=False)
    benchmark.mark_unfinished(METAL)
    assert not benchmark.get_question(METAL)["finished"]


@pytest.mark.parametrize("properties", [[], None])
def test_a_question_that_states_nothing_is_marked(properties: Json) -> None:
    tree = strange()
    question_object = tree["dataFeedElement"][0]["item"]
    question_object["additionalProperty"] = properties
    if properties is None:
        del question_object["additionalProperty"]
    benchmark = load(tree)
    assert benchmark.finished_count == 0
    benchmark.mark_finished(METAL)
    question_object["additionalProperty"] = [setting("finished", True)]
    tree["dataFeedElement"][0]["dateModified"] = EDITED
    assert_says(benchmark, tree)


def test_of_two_statements_the_last_counts_and_is_changed() -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"].append(setting("finished", False))
    benchmark = load(tree)
    assert benchmark.finished_count == 0
    benchmark.mark_finished(METAL)
    assert benchmark.finished_count == 1
    assert [one["value"] for one in _finished(benchmark.to_jsonld())] == [True, True]


def _finished(document: Json) -> list[Json]:
    return [one for one in document["dataFeedElement"][0]["item"]["additionalProperty"] if one["name"] == "finished"]


def test_a_state_is_turned_over() -> None:
    benchmark = load(strange())
    assert benchmark.toggle_finished(METAL) is False
    assert benchmark.finished_count == 0
    assert benchmark.toggle_finished(METAL) is True
    assert benchmark.finished_count == 1


def test_several_questions_are_marked_at_once() -> None:
    benchmark = load(strange(*(plain_item(f"{at}?", f"urn:uuid:{at}") for at in range(4))))
    benchmark.mark_finished_batch(["urn:uuid:1", "urn:uuid:3", "nothing", "urn:uuid:1"])
    assert benchmark.get_finished_questions(ids_only=True) == ["urn:uuid:1", "urn:uuid:3"]
    assert benchmark.get_unfinished_questions(ids_only=True) == ["urn:uuid:0", "urn:uuid:2"]
    assert benchmark.get_progress() == 50.0
    assert benchmark.get_question("urn:uuid:0")["date_modified"] == "2026-01-02T00:00:00.123456"
    benchmark.mark_unfinished_batch(benchmark.get_question_ids())
    assert benchmark.get_progress() == 0.0


def test_an_unknown_question_is_passed_over_but_not_turned_over() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.mark_finished("nothing")
    benchmark.mark_unfinished("nothing")
    benchmark.mark_finished_batch([])
    with pytest.raises(LookupFailedError, match="there is no question 'nothing'"):
        benchmark.toggle_finished("nothing")
    assert_says(benchmark, tree, edited=False)


@pytest.mark.parametrize(
    ("author", "shown"),
    [
        (json.dumps({"name": "A"}), {"name": "A"}),
        ({"name": "A"}, {"name": "A"}),
        *((text, {"name": text}) for text in ("A. Smith", "123", '{"name": ')),
        (None, None),
        ("{}", None),
    ],
)
def test_an_author_is_shown_however_a_file_has_it(author: Json, shown: Json) -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"].append(setting("author", author))
    assert load(tree).get_question_author(METAL) == shown


def test_sources_and_examples_are_shown_in_both_encodings() -> None:
    tree = strange(item(), item("Other?", "urn:uuid:2"))
    examples, sources = [{"question": "q", "answer": "a"}], [{"url": "u"}]
    forms: list[Callable[[Json], Json]] = [list, json.dumps]
    for element, form in zip(tree["dataFeedElement"], forms, strict=True):
        properties = [setting("few_shot_examples", form(examples)), setting("sources", form(sources))]
        element["item"]["additionalProperty"] += properties
    benchmark = load(tree)
    assert [benchmark.get_question_sources(one) for one in benchmark.get_question_ids()] == [sources] * 2
    assert [one.few_shot_examples for one in benchmark.questions] == [examples] * 2


def test_custom_values_lose_one_prefix_only() -> None:
    tree = strange()
    properties = [setting("custom_my_custom_k", 1), setting("custom_", 2), setting("other", 3)]
    tree["dataFeedElement"][0]["item"]["additionalProperty"] += properties
    benchmark = load(tree)
    assert benchmark.get_question(METAL)["custom_metadata"] == {
        "level": ["easy", 1.0, None],
        "my_custom_k": 1,
        "": 2,
    }
    assert benchmark.get_question_custom_property(METAL, "my_custom_k") == 1
    assert benchmark.get_question_custom_property(METAL, "finished") is None


def test_a_question_that_is_requested_is_the_only_one_that_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = load(strange(*(item(f"Metal {number}?", f"urn:uuid:{number}") for number in range(20))))
    built = []
    read = CheckpointGraph.read

    def counted(graph: CheckpointGraph, node: Node) -> Json:
        built.append(str(node))
        return read(graph, node)

    monkeypatch.setattr(CheckpointGraph, "read", counted)
    assert benchmark.questions[7].question == "Metal 7?"
    assert [benchmark.questions[at].question for at in (-2, -1)] == ["Metal 18?", "Metal 19?"]
    assert built == ["urn:uuid:7", "urn:uuid:18", "urn:uuid:19"]


COUNT = 40
TEXT = URIRef(SCHEMA + "text")


@pytest.fixture
def benchmark() -> Benchmark:
    items = [item(f"Metal {number}?", f"urn:uuid:{number}") for number in range(COUNT)]
    return Benchmark.load(json.dumps(canonical(*items)).encode())


def question_texts(benchmark: Benchmark) -> list[str]:
    return [one.question for one in benchmark.questions]


def question_object(benchmark: Benchmark, number: int) -> Any:
    return benchmark.graph.member(URIRef(f"urn:uuid:{number}"), "item")[0]


def test_the_questions_of_two_calls_are_equal_until_one_changes(benchmark: Benchmark) -> None:
    other = benchmark.clone()
    assert benchmark.questions == benchmark.questions == other.questions
    assert benchmark.questions[:3] == other.questions[:3] != other.questions[1:4]
    assert benchmark.questions != list(benchmark.questions)
    other.update_question_metadata("urn:uuid:7", raw_answer="Another")
    assert benchmark.questions != other.questions
    other.remove_question("urn:uuid:7")
    assert benchmark.questions != other.questions


CHANGES: dict[str, Callable[[Benchmark, int], object]] = {
    "by the benchmark": lambda benchmark, at: benchmark.set_question_author(f"urn:uuid:{at}", {"name": "New"}),
    "by the graph": lambda benchmark, at: benchmark.graph.replace(question_object(benchmark, at), "keywords", "New"),
    "by rdflib": lambda benchmark, at: benchmark.graph.add(
        (question_object(benchmark, at), URIRef(SCHEMA + "keywords"), Literal("New"))
    ),
    "by SPARQL": lambda benchmark, at: benchmark.graph.update(
        f'INSERT DATA {{ <{question_object(benchmark, at)}> schema:keywords "New" }}'
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("every", [1, 7])
def test_a_change_shows_in_the_questions_that_come_after_it(
    benchmark: Benchmark, change: Callable[[Benchmark, int], object], every: int
) -> None:
    seen = 0
    for at, question in enumerate(benchmark.questions):
        assert question.question == f"Metal {at}?"
        is_changed = at > 0 and at % every == 0
        assert (question.author == {"name": "New"} or "New" in question.keywords) is is_changed
        if (at + 1) % every == 0 and at + 1 < COUNT:
            change(benchmark, at + 1)
        seen += 1
    assert seen == COUNT


def test_a_question_that_is_taken_away_meanwhile_is_missed_when_its_turn_comes(benchmark: Benchmark) -> None:
    coming = iter(benchmark.questions)
    for _ in range(10):
        next(coming)
    benchmark.remove_question("urn:uuid:12")
    assert [next(coming).question for _ in range(2)] == ["Metal 10?", "Metal 11?"]
    with pytest.raises(LookupFailedError):
        next(coming)


def test_a_question_that_cannot_be_read_fails_when_its_turn_comes(benchmark: Benchmark) -> None:
    benchmark.graph.replace(question_object(benchmark, 20), "rating", [rating(pattern="(")])
    coming = iter(benchmark.questions)
    assert [next(coming).question for _ in range(20)] == [f"Metal {number}?" for number in range(20)]
    with pytest.raises(ReadError, match="cannot be read"):
        next(coming)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_garbage_collector_is_as_it_was_between_them(
    benchmark: Benchmark, collector: Callable[[bool], None], is_enabled: bool
) -> None:
    collector(is_enabled)
    assert {gc.isenabled() for _ in benchmark.questions} == {is_enabled}


@pytest.fixture
def collector() -> Iterator[Callable[[bool], None]]:
    was_enabled = gc.isenabled()
    yield lambda is_enabled: gc.enable() if is_enabled else gc.disable()
    if was_enabled:
        gc.enable()


def test_a_misspelt_member_gives_a_warning_but_not_in_a_class_of_the_user() -> None:
    class Own(Benchmark):
        """A benchmark with an attribute that is not saved."""

    benchmark = Benchmark("Rivers")
    with pytest.warns(UserWarning, match='no member "licence"; did you mean license') as found:
        benchmark.licence = "MIT"  # type: ignore[attr-defined]  # this is the fault
    assert found[0].filename == __file__
    Own("Rivers").licence = "MIT"  # type: ignore[attr-defined]  # as above
