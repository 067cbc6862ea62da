"""Questions, changed one member at a time, and taken away."""

import json
from collections.abc import Callable

import pytest

from checkpoint_ld import Benchmark, WriteError
from checkpoint_ld.entities import AgenticRubricTrait, DynamicRubric, LLMRubricTrait, RegexRubricTrait, Rubric
from checkpoint_ld.entities.template_spec import TemplateSpec
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.mapping.questions import default_template
from tests.benchmark.editing import EDITED, METAL, Json, assert_says, load, plain_item, strange
from tests.documents import item, setting

LEVEL = setting("custom_level", ["easy", 1.0, None])
COMPUTED = "urn:uuid:question-what-is-2+2-936dbc87"
TEXT = "What is 2+2?"
BRIEF = RegexRubricTrait(name="brief", pattern="x")
DEEP = AgenticRubricTrait(
    name="deep", kind="boolean", description="d", summary="s", model_override={"a": json.loads("[" * 192 + "]" * 192)}
)
"""A trait that a benchmark holds only without the levels of a file around it."""


def dated(tree: Json) -> Json:
    """Return the first question of a tree, whose item an edit has dated."""
    tree["dataFeedElement"][0]["dateModified"] = EDITED
    return tree["dataFeedElement"][0]["item"]


# --- members


def test_texts_are_changed_where_they_stand() -> None:
    tree = strange(item(), item("Other?", "urn:uuid:2"))
    benchmark = load(tree)
    benchmark.update_question_metadata(METAL, question="Which one?", raw_answer="", answer_template="class A: ...")
    wanted = dated(tree)
    wanted["text"], wanted["acceptedAnswer"]["text"] = "Which one?", ""
    wanted["hasPart"] |= {"text": "class A: ...", "name": "Which one?... Answer Template"}
    assert_says(benchmark, tree)
    assert benchmark.get_question_ids() == [METAL, "urn:uuid:2"]


def test_keywords_are_replaced_wherever_they_stand() -> None:
    tree = strange()
    tree["dataFeedElement"][0]["keywords"] = ["old place"]
    benchmark = load(tree)
    benchmark.update_question_metadata(METAL, keywords=["b", "a", "b"])
    wanted = dated(tree)
    wanted["keywords"] = ["b", "a", "b"]
    del tree["dataFeedElement"][0]["keywords"]
    assert_says(benchmark, tree)
    benchmark.update_question_metadata(METAL, keywords=None)
    del wanted["keywords"]
    assert_says(benchmark, tree)


def test_notes_and_examples_are_set_and_taken_away() -> None:
    tree = strange()
    benchmark = load(tree)
    examples = [{"question": "q", "answer": "ä"}]
    benchmark.update_question_metadata(METAL, answer_notes="n", workspace_path="w", few_shot_examples=examples)
    wanted = dated(tree)
    wanted["additionalProperty"] += [setting("answer_notes", "n"), setting("workspace_path", "w")]
    wanted["additionalProperty"] += [setting("few_shot_examples", json.dumps(examples))]
    assert_says(benchmark, tree)
    benchmark.update_question_metadata(METAL, answer_notes="", workspace_path=None, few_shot_examples=[])
    del wanted["additionalProperty"][-3:]
    assert_says(benchmark, tree)


def test_authors_and_sources_are_set_and_taken_away() -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"].append({**setting("author", {"name": "A"}), "ex:x": 1})
    benchmark = load(tree)
    benchmark.set_question_author(METAL, {"@type": "Person", "name": "B"})
    benchmark.set_question_sources(METAL, [{"url": "u", "pages": (1, None)}])
    wanted = dated(tree)
    wanted["additionalProperty"][-1]["value"] = '{"@type": "Person", "name": "B"}'
    wanted["additionalProperty"].append(setting("sources", '[{"url": "u", "pages": [1, null]}]'))
    assert_says(benchmark, tree)
    assert benchmark.get_question_author(METAL) == {"@type": "Person", "name": "B"}
    assert benchmark.get_question_sources(METAL) == [{"url": "u", "pages": [1, None]}]
    benchmark.set_question_author(METAL, None)
    benchmark.set_question_sources(METAL, [])
    del wanted["additionalProperty"][-2:]
    assert_says(benchmark, tree)


def test_custom_metadata_is_replaced_as_a_whole_and_stays_replaced() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.update_question_metadata(METAL, custom_metadata={"my_custom_k": {"@id": 1}, "none": None})
    wanted = dated(tree)
    wanted["additionalProperty"].remove(LEVEL)
    wanted["additionalProperty"] += [setting("custom_my_custom_k", {"@id": 1})]
    wanted["additionalProperty"] += [{"@type": "PropertyValue", "name": "custom_none"}]
    assert_says(benchmark, tree)
    assert load(benchmark.to_jsonld()).get_question(METAL)["custom_metadata"] == {
        "my_custom_k": {"@id": 1},
        "none": None,
    }
    benchmark.update_question_metadata(METAL, custom_metadata=None)
    del wanted["additionalProperty"][-2:]
    assert_says(benchmark, tree)


def test_dates_and_state_are_members_too() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.update_question_metadata(METAL, date_created="2020-01-01", date_modified="2020-01-02", finished=False)
    element = tree["dataFeedElement"][0]
    element |= {"dateCreated": "2020-01-01", "dateModified": "2020-01-02"}
    element["item"]["additionalProperty"][0]["value"] = False
    assert_says(benchmark, tree)


def test_rubrics_are_members_too() -> None:
    rubric = Rubric(regex_traits=[RegexRubricTrait(name="r", pattern="x")])
    dynamic = DynamicRubric(llm_traits=[LLMRubricTrait(name="d", kind="boolean", summary="s")])
    benchmark = load(strange())
    benchmark.update_question_metadata(
        METAL, question_rubric=rubric, question_dynamic_rubric=dynamic.model_dump(), answer_notes="n"
    )
    again = load(benchmark.to_jsonld("plain"))
    assert (again.get_question_rubric(METAL), again.get_question_dynamic_rubric(METAL)) == (rubric, dynamic)
    benchmark.update_question_metadata(METAL, question_rubric=None)
    assert benchmark.get_question_rubric(METAL) is None
    benchmark.update_question_metadata(METAL, question_rubric=[*rubric.traits()])
    assert benchmark.get_question_rubric(METAL) == rubric
    assert benchmark.get_question_dynamic_rubric(METAL) == dynamic


def test_a_question_may_be_given_what_another_one_has() -> None:
    benchmark = load(strange(item(), plain_item("Other?", "urn:uuid:2")))
    shown = benchmark.get_question(METAL)
    found = {name: value for name, value in shown.items() if name not in ("id", "date_modified")}
    benchmark.update_question_metadata("urn:uuid:2", **found)
    again = load(benchmark.to_jsonld()).get_question("urn:uuid:2")
    assert {name: again[name] for name in found} == found


# --- templates


def test_the_placeholder_for_a_template_goes_with_the_text() -> None:
    benchmark = Benchmark("Sums")
    added = benchmark.add_question(TEXT, "4", default_template(TEXT))
    benchmark.update_question_metadata(added, question="What is 2+3?")
    assert benchmark[added].answer_template == default_template("What is 2+3?")
    assert not benchmark.has_template(added)
    benchmark.update_question_metadata(added, answer_template="class A: ...")
    assert benchmark.has_template(added)
    benchmark.update_question_metadata(added, answer_template=None, question=TEXT)
    assert benchmark[added].answer_template is None


def test_a_template_of_another_name_and_text_stays_when_the_question_changes() -> None:
    tree = strange()
    template = tree["dataFeedElement"][0]["item"]["hasPart"]
    template["name"] = "mine"
    benchmark = load(tree)
    benchmark.update_question_metadata(METAL, question=TEXT)
    dated(tree)["text"] = TEXT
    assert_says(benchmark, tree)


# --- what is refused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"colour": "red", "tags": []}, "no question has colour, tags: choose from question, raw_answer, keywords"),
        ({"id": "urn:x"}, "no question has id"),
        ({"question": " "}, "a question needs a text"),
        ({"question": None}, "needs a text: it is missing"),
        ({"raw_answer": None}, "needs a reference answer"),
        ({"date_created": None}, "date_created: "),
        ({"keywords": "k"}, "keywords: "),
        ({"author": "A. Smith"}, "author: "),
        ({"sources": [5]}, "sources.0: "),
        ({"custom_metadata": {"x": float("nan")}}, "nan is not a JSON number"),
        ({"custom_metadata": {"\ud800": 1}}, "surrogate"),
        ({"author": {"x": float("inf")}}, "inf is not a JSON number"),
        ({"answer_template": 5}, "the template is 5: give Python text, a TemplateSpec or a class"),
        ({"answer_template": TemplateSpec(fields=[])}, "this is no template"),
        ({"finished": "yes"}, "finished is 'yes'"),
        ({"question_rubric": {"regex_traits": [{"name": "r"}]}}, "rubric of the question"),
        (
            {
                "question_rubric": Rubric(regex_traits=[RegexRubricTrait(name="r", pattern="x")]),
                "question_dynamic_rubric": {"llm_traits": [{"name": "a.b", "kind": "boolean", "summary": "s"}]},
            },
            "dot",
        ),
        ({"finished": True, "question_rubric": [BRIEF], "question_dynamic_rubric": [DEEP]}, "nested deeper"),
    ],
)
def test_what_cannot_be_decided_changes_nothing(fields: Json, fault: str) -> None:
    tree = strange()
    benchmark = load(tree)
    with pytest.raises(WriteError, match=fault):
        benchmark.update_question_metadata(METAL, **{"answer_notes": "n", **fields})
    assert_says(benchmark, tree, edited=False)


# --- single custom values


def test_one_custom_value_is_set_and_removed() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.set_question_custom_property(METAL, "level", {"a": [1, 1.0]})
    benchmark.set_question_custom_property(METAL, "none", None)
    wanted = dated(tree)
    wanted["additionalProperty"][1]["value"] = {"a": [1, 1.0]}
    wanted["additionalProperty"].append({"@type": "PropertyValue", "name": "custom_none"})
    assert_says(benchmark, tree)
    assert benchmark.remove_question_custom_property(METAL, "level") is True
    del wanted["additionalProperty"][1]
    assert_says(benchmark, tree)
    assert benchmark.get_question_custom_property(METAL, "level") is None


def test_a_question_without_custom_metadata_has_no_value_and_loses_none() -> None:
    tree = strange()
    del tree["dataFeedElement"][0]["item"]["additionalProperty"]
    benchmark = load(tree)
    assert benchmark.get_question_custom_property(METAL, "level") is None
    assert benchmark.remove_question_custom_property(METAL, "level") is False
    with pytest.raises(WriteError, match="nan is not a JSON number"):
        benchmark.set_question_custom_property(METAL, "level", float("nan"))
    assert_says(benchmark, tree, edited=False)


# --- taking away


def test_a_question_is_removed_with_all_that_belongs_to_it() -> None:
    tree = strange(item(), item("Other?", "urn:uuid:2"), item("Third?", "urn:uuid:3"))
    benchmark = load(tree)
    assert benchmark.remove_question("urn:uuid:2") is True
    del tree["dataFeedElement"][1]
    assert_says(benchmark, tree)
    assert benchmark.get_question_ids() == [METAL, "urn:uuid:3"]
    assert not any("urn:uuid:2" in str(term) for triple in benchmark.graph for term in triple)
    assert benchmark.remove_question("urn:uuid:2") is False
    assert benchmark.remove_question(METAL)
    assert benchmark.remove_question("urn:uuid:3")
    assert_says(benchmark, tree | {"dataFeedElement": []})
    assert benchmark.is_empty
    assert benchmark.add_question(TEXT, "4", question_id=METAL) == METAL
    assert benchmark.get_question_ids() == [METAL]


def test_removing_what_is_not_there_is_no_change() -> None:
    tree = strange()
    benchmark = load(tree)
    assert benchmark.remove_question("nothing") is False
    assert_says(benchmark, tree, edited=False)
    assert Benchmark("empty").clear_questions() == 0


def test_all_questions_are_removed() -> None:
    tree = strange(item(), item("No id?", None), item())
    benchmark = load(tree)
    assert benchmark.clear_questions() == 3
    assert_says(benchmark, tree | {"dataFeedElement": []})
    assert benchmark.get_question_ids() == []
    assert benchmark.add_question(TEXT, "4") == COMPUTED


@pytest.mark.parametrize("order", [[0, 0, 0, 0, 0, 0], [2, 0, 2, 1, 0, 0], [5, 4, 3, 2, 1, 0], [4, 1, 0, 1]])
def test_the_questions_that_stay_keep_their_identifiers(order: list[int]) -> None:
    alike = [item("One?"), item("Two?"), item("Four?", f"{METAL}-2"), item("Three?")]
    benchmark = load(strange(*alike, item(TEXT, None), item(TEXT, None)))
    names = [METAL, f"{METAL}-1", f"{METAL}-2", f"{METAL}-3", COMPUTED, f"{COMPUTED}-1"]
    assert benchmark.get_question_ids() == names
    for at in order:
        assert benchmark.remove_question(names.pop(at))
        assert benchmark.get_question_ids() == names
        assert load(benchmark.to_jsonld()).get_question_ids() == names


def test_a_question_keeps_its_computed_identifier_when_its_text_changes() -> None:
    benchmark = load(strange(item(TEXT, None), item(TEXT, None), item("Other?", None)))
    names = benchmark.get_question_ids()
    benchmark.update_question_metadata(COMPUTED, question="Other?")
    for one in (benchmark, load(benchmark.to_jsonld())):
        assert one.get_question_ids() == names
        assert [question.question for question in one.questions] == ["Other?", TEXT, "Other?"]
    benchmark.update_question_metadata(names[2], question=TEXT)
    assert load(benchmark.to_jsonld()).get_question_ids() == names


@pytest.mark.parametrize("identifier", [5, True, 0, [1, None], {"a": True}])
def test_an_identifier_that_is_no_text_counts_as_none(identifier: Json) -> None:
    benchmark = load(strange(item(TEXT, identifier)))
    assert benchmark.get_question_ids() == [COMPUTED]
    benchmark.update_question_metadata(COMPUTED, question="Other?")
    for one in (benchmark, load(benchmark.to_jsonld())):
        assert one.get_question_ids() == [COMPUTED]


def rewritten(graph: CheckpointGraph, elements: list[Json]) -> None:
    graph.write(graph.root, {**graph.tree(), "dataFeedElement": elements})


@pytest.mark.parametrize(
    "edit",
    [
        lambda graph, _: graph.replace(graph.member(graph.root, "dataFeedElement")[0], "@id", "urn:uuid:other"),
        lambda graph, elements: rewritten(graph, [{**elements[0], "@id": "urn:uuid:other"}, *elements[1:]]),
        lambda graph, elements: rewritten(graph, elements[::-1]),
        lambda graph, elements: graph.replace(graph.root, "dataFeedElement", elements[::-1]),
    ],
)
def test_identifiers_that_an_edit_of_the_graph_changes_are_read_anew(
    edit: Callable[[CheckpointGraph, list[Json]], None],
) -> None:
    benchmark = load(strange(item("One?", "urn:uuid:1"), item("Two?", "urn:uuid:2")))
    before = benchmark.get_question_ids()
    edit(benchmark.graph, benchmark.graph.tree()["dataFeedElement"])
    fresh = load(benchmark.to_jsonld())

    assert benchmark.get_question_ids() == fresh.get_question_ids() != before
    assert benchmark.questions == fresh.questions


# --- cost


def reads_of_edits(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many objects are read while one question of so many is edited in every way."""
    benchmark = load(strange(*(item(f"{at}?", f"urn:uuid:{at}") for at in range(count))))
    benchmark.update_question_metadata("urn:uuid:0", keywords=[])  # what is made once for a graph is made here
    assert benchmark.question_count == count
    read: list[Json] = []
    objects = Compaction.objects

    def noted(reader: Compaction, subjects: Json, *given: Json, **named: Json) -> Json:
        nodes = list(subjects)
        read.extend(nodes)
        return objects(reader, nodes, *given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Compaction, "objects", noted)
        benchmark.update_question_metadata("urn:uuid:1", question="Q?", keywords=["k"], author={"name": "A"})
        benchmark.set_question_custom_property("urn:uuid:1", "level", [1])
        benchmark.toggle_finished("urn:uuid:1")
        benchmark.set_metadata(name="Other", creator="B")
        benchmark.set_custom_property("licence", 1)
        benchmark.add_question("Another?", "a")
        benchmark.remove_question("urn:uuid:2")
    return len(read)


def test_an_edit_costs_the_same_among_few_questions_and_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < reads_of_edits(5, monkeypatch) == reads_of_edits(60, monkeypatch)
