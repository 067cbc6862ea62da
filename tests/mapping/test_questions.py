"""Questions and the feed items that hold them, scenarios, creators, and the template that stands for none."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.entities import LENIENT, LLMRubricTrait, Person, Question, RegexRubricTrait, Rubric
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.questions import (
    creator_of,
    default_template,
    has_source,
    has_template,
    is_finished,
    is_scenario,
    item_of,
    keywords_of,
    members_of,
    question_of,
    registry_entry_of,
    scenario_object,
    scenario_of,
)
from checkpoint_ld.mapping.traits import is_placeholder
from checkpoint_ld.templates import Level, read_template
from tests.documents import canonical, item, rating, scenario, setting
from tests.mapping import Json, json_values, texts, through_a_graph
from tests.trials import examples

objects = st.dictionaries(texts, json_values, min_size=1, max_size=3)
questions = st.builds(
    Question,
    question=texts.filter(bool),
    raw_answer=texts.filter(bool),
    keywords=st.lists(texts, max_size=3),
    few_shot_examples=st.none() | st.lists(st.dictionaries(texts, texts, max_size=2), min_size=1, max_size=2),
    answer_template=texts.filter(bool),
    answer_notes=st.none() | texts.filter(bool),
    author=st.none() | objects,
    sources=st.none() | st.lists(objects, min_size=1, max_size=2),
    custom_metadata=st.none() | objects,
    workspace_path=st.none() | texts.filter(bool),
)


def feed_item(*properties: Json, **members: Json) -> Json:
    """Return a feed item whose question has these members."""
    whole = item()
    whole["item"].update({**members, **({"additionalProperty": list(properties)} if properties else {})})
    return whole


@settings(deadline=None, max_examples=examples(60))
@given(question=questions, finished=st.booleans())
def test_every_question_comes_back_from_a_graph_as_it_was(question: Question, finished: bool) -> None:
    written = item_of(question, "urn:uuid:q", finished=finished)
    benchmark = through_a_graph(canonical(written))
    assert benchmark["urn:uuid:q"] == question
    assert benchmark.get_question("urn:uuid:q")["finished"] is finished


def test_an_item_is_written_as_karenina_writes_it() -> None:
    rubric = Rubric(
        llm_traits=[LLMRubricTrait(name="b", kind="boolean")], regex_traits=[RegexRubricTrait(name="r", pattern="x")]
    )
    question = Question(
        question="Which metal is liquid at room temperature?",
        raw_answer="Mercury",
        keywords=["chemistry"],
        author={"name": "Zoë"},
        sources=[{"url": "u"}],
        custom_metadata={"level": 1, "custom_x": None},
        few_shot_examples=[{"question": "q", "answer": "a"}],
        answer_notes="n",
        workspace_path="w",
        answer_template="class Answer: ...",
        date_created="2026-01-01",
        date_modified="2026-01-02T00:00:00Z",
    )
    written = item_of(question, "urn:uuid:q", rubric)
    ratings = written["item"].pop("rating")
    types = [one["additionalType"] for one in ratings]
    assert types == ["karenina:QuestionSpecificRubricTrait", "karenina:QuestionSpecificRegexTrait"]
    code = {
        "@type": "SoftwareSourceCode",
        "name": "Which metal is liquid at room ... Answer Template",
        "text": "class Answer: ...",
        "programmingLanguage": "Python",
        "codeRepository": "karenina-benchmarks",
    }
    properties = [
        setting("finished", True),
        setting("author", '{"name": "Zo\\u00eb"}'),
        setting("sources", '[{"url": "u"}]'),
        setting("custom_level", 1),
        {"@type": "PropertyValue", "name": "custom_custom_x"},
        setting("few_shot_examples", '[{"question": "q", "answer": "a"}]'),
        setting("answer_notes", "n"),
        setting("workspace_path", "w"),
    ]
    whole = {
        "@type": "Question",
        "text": "Which metal is liquid at room temperature?",
        "acceptedAnswer": {"@type": "Answer", "text": "Mercury"},
        "hasPart": code,
        "additionalProperty": properties,
        "keywords": ["chemistry"],
    }
    dates = {"dateCreated": "2026-01-01", "dateModified": "2026-01-02T00:00:00Z"}
    assert json.dumps(written) == json.dumps({"@type": "DataFeedItem", "@id": "urn:uuid:q", **dates, "item": whole})


def test_a_question_without_template_has_none() -> None:
    text = "Which metal is liquid at twenty degrees, and which one is not?"
    written = item_of(Question(question=text, raw_answer="Mercury"), None)
    assert f"Answer template for: {text[:50]}..." in default_template(text)
    assert ("hasPart" in written["item"], "@id" in written, is_finished(written)) == (False, False, False)
    assert (has_template(written), has_source(written)) == (False, False)
    assert question_of(written).answer_template is None


@pytest.mark.parametrize(("source", "own"), [("class Answer: ...", True), ("", False), ("  \n", False), (None, False)])
def test_only_text_makes_a_template(source: Json, own: bool) -> None:
    whole = feed_item(hasPart={"text": source})
    assert (has_template(whole), has_source(whole)) == (own, own)


@pytest.mark.parametrize(
    ("value", "finished"), [(True, True), (False, False), ("Yes", True), ("no", False), (1, True), (0, False)]
)
def test_finished_may_be_given_in_words(value: Json, finished: bool) -> None:
    whole = feed_item(setting("finished", "banana"), setting("finished", value))
    assert (is_finished(whole), registry_entry_of(whole).finished) == (finished, finished)
    assert not is_finished(feed_item(additionalProperty=[]))


def test_the_keywords_of_both_places_count() -> None:
    whole = {**feed_item(keywords=["new", "both", "new"]), "keywords": ["both", "old"]}
    assert keywords_of(whole) == ["new", "both", "new", "old"]
    del whole["item"]["keywords"]
    assert keywords_of(whole) == ["both", "old"]


def test_a_bare_question_object_is_read_like_one_in_an_item() -> None:
    found = question_of(item()["item"])
    assert (found.question, found.keywords, found.date_created) == (item()["item"]["text"], ["chemistry"], "")


def test_members_state_nothing_in_one_way() -> None:
    held = members_of(feed_item(keywords=[], rating=[], additionalProperty=[]))
    silent = ("keywords", "author", "sources", "custom_metadata", "few_shot_examples", "answer_notes", "workspace_path")
    assert [held[name] for name in (*silent, "question_rubric", "question_dynamic_rubric")] == [None] * 9
    assert "id" not in held


def test_a_text_with_too_many_brackets_is_a_text() -> None:
    brackets = "[" * 100_000
    held = members_of(feed_item(setting("author", brackets), setting("sources", brackets)))
    assert (held["author"], held["sources"]) == ({"name": brackets}, [{"name": brackets}])


def test_rubrics_among_the_members_are_lists_of_traits() -> None:
    rubric = members_of(item())["question_rubric"]
    assert list(rubric) == ["llm_traits", "regex_traits", "callable_traits", "metric_traits", "agentic_traits"]
    assert [trait.name for trait in rubric["regex_traits"]] == ["cites"]


@pytest.mark.parametrize("default", [float("inf"), 1e300, "é\ud83d", {"a": [None, True, {"b": 1.5}]}, [[]], None])
def test_a_rubric_in_a_question_is_what_a_check_of_the_question_would_leave(default: Json) -> None:
    form = {"type": "template", "schema": {"type": "object", "properties": {"a": {"default": default}}}}
    dynamic = rating("dynamic", dynamic_trait_type="regex", pattern="x", summary="s")
    traits = [rating("form", kind=form) | {"additionalType": "karenina:QuestionSpecificLLMRubricTrait"}]
    traits.append(dynamic | {"additionalType": "karenina:QuestionSpecificDynamicRubricTrait"})
    found = question_of(feed_item(rating=traits))
    checked = Question.model_validate(found.model_dump(exclude={"id"}), context=LENIENT)
    assert found.question_rubric is not None
    assert found.question_dynamic_rubric is not None
    assert (found, found.model_fields_set) == (checked, checked.model_fields_set)


# Scenarios


def part(**members: Json) -> Json:
    return scenario()["hasPart"][0] | members


def test_a_scenario_comes_back_from_a_graph_as_it_was() -> None:
    (read,) = through_a_graph(scenario()).scenarios
    assert scenario_object(read) == part()
    assert (read, list(read.nodes)) == (scenario_of(part()), ["start here", "again"])
    sources = (read.nodes["start here"].state_update_source, read.edges[1].condition_source)
    assert sources == ("lambda state: state", "lambda s: True")


def test_the_key_of_a_node_counts() -> None:
    whole = part()
    whole["nodes"]["again"]["nodeId"] = "other"
    del whole["nodes"]["start here"]["nodeId"]
    assert [node.node_id for node in scenario_of(whole).nodes.values()] == ["start here", "again"]
    assert whole["nodes"]["again"]["nodeId"] == "other"


def test_a_scenario_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ReadError, match=r"scenario 'retry' cannot be read: edges: "):
        scenario_of(part(edges=5))


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ({"@type": "karenina:Scenario"}, True),
        ({"@type": "Scenario"}, True),
        ({"nodes": {}}, True),
        ({"@type": "CreativeWork", "nodes": {}}, False),
        ({"name": "x"}, False),
        ("x", False),
    ],
)
def test_a_scenario_is_recognised_by_its_type_or_its_nodes(value: Json, verdict: bool) -> None:
    assert is_scenario(value) is verdict


# Creators


@pytest.mark.parametrize(
    ("root", "shown"),
    [
        ({"creator": {"name": "ACME"}}, Person(name="ACME")),
        ({"creator": {"@type": "Team"}}, ""),
        ({"creator": None}, None),
    ],
)
def test_whatever_a_file_has_as_creator_is_shown(root: Json, shown: Json) -> None:
    assert creator_of(root) == shown


@given(texts.filter(lambda text: '"' not in text and "\\" not in text and "\0" not in text))
def test_the_placeholder_of_any_question_is_one_as_the_reader_of_templates_sees_it(question: str) -> None:
    source = default_template(question)
    assert (is_placeholder(source), read_template(source).level) == (True, Level.PLACEHOLDER)
