"""Questions and the feed items that hold them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.entities import LENIENT, LLMRubricTrait, Question, RegexRubricTrait, Rubric
from checkpoint_ld.mapping.questions import (
    default_template,
    has_source,
    has_template,
    is_finished,
    item_of,
    keywords_of,
    members_of,
    question_of,
    registry_entry_of,
)
from tests.documents import canonical, item, rating, setting
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


def asked(**members: Json) -> Json:
    """Return a feed item whose question has these members."""
    whole = item()
    whole["item"].update(members)
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
    assert list(written) == ["@type", "@id", "dateCreated", "dateModified", "item"]
    assert (written["dateCreated"], written["dateModified"]) == ("2026-01-01", "2026-01-02T00:00:00Z")
    ratings = written["item"].pop("rating")
    assert [one["additionalType"] for one in ratings] == [
        "karenina:QuestionSpecificRubricTrait",
        "karenina:QuestionSpecificRegexTrait",
    ]
    assert list(written["item"].items()) == [
        ("@type", "Question"),
        ("text", "Which metal is liquid at room temperature?"),
        ("acceptedAnswer", {"@type": "Answer", "text": "Mercury"}),
        (
            "hasPart",
            {
                "@type": "SoftwareSourceCode",
                "name": "Which metal is liquid at room ... Answer Template",
                "text": "class Answer: ...",
                "programmingLanguage": "Python",
                "codeRepository": "karenina-benchmarks",
            },
        ),
        (
            "additionalProperty",
            [
                setting("finished", True),
                setting("author", '{"name": "Zo\\u00eb"}'),
                setting("sources", '[{"url": "u"}]'),
                setting("custom_level", 1),
                {"@type": "PropertyValue", "name": "custom_custom_x"},
                setting("few_shot_examples", '[{"question": "q", "answer": "a"}]'),
                setting("answer_notes", "n"),
                setting("workspace_path", "w"),
            ],
        ),
        ("keywords", ["chemistry"]),
    ]


def test_a_question_without_template_has_none() -> None:
    text = "Which metal is liquid at twenty degrees, and which one is not?"
    written = item_of(Question(question=text, raw_answer="Mercury"), None)
    assert "hasPart" not in written["item"]
    assert f"Answer template for: {text[:50]}..." in default_template(text)
    assert not has_template(written)
    assert not has_source(written)
    assert not is_finished(written)
    assert "@id" not in written


@pytest.mark.parametrize(("source", "own"), [("class Answer: ...", True), ("", False), ("  \n", False), (None, False)])
def test_only_text_makes_a_template(source: Json, own: bool) -> None:
    assert has_template(asked(hasPart={"text": source})) is own
    assert has_source(asked(hasPart={"text": source})) is own


def test_a_question_without_any_template_has_none() -> None:
    whole = item()
    del whole["item"]["hasPart"]
    assert not has_template(whole)
    assert not has_source(whole)
    assert question_of(whole).answer_template is None


@pytest.mark.parametrize(
    ("value", "finished"), [(True, True), (False, False), ("Yes", True), ("no", False), (1, True), (0, False)]
)
def test_finished_may_be_told_in_words(value: Json, finished: bool) -> None:
    whole = asked(additionalProperty=[setting("finished", "banana"), setting("finished", value)])
    assert is_finished(whole) is finished
    assert registry_entry_of(whole).finished is finished


def test_what_nobody_marked_is_not_finished() -> None:
    assert not is_finished(asked(additionalProperty=[]))


@pytest.mark.parametrize("text", [{"name": "A"}, '{"name": "A"}'])
def test_an_author_may_be_an_object_or_the_text_of_one(text: Json) -> None:
    assert question_of(asked(additionalProperty=[setting("author", text)])).author == {"name": "A"}


@pytest.mark.parametrize("text", ["A. Smith", "123", '{"name": '])
def test_a_plain_text_names_the_author(text: str) -> None:
    assert question_of(asked(additionalProperty=[setting("author", text)])).author == {"name": text}


def test_a_cleared_author_is_none() -> None:
    cleared = {"@type": "PropertyValue", "name": "author"}
    assert question_of(asked(additionalProperty=[cleared])).author is None


def test_lists_may_be_lists_or_the_text_of_one() -> None:
    examples, sources = [{"question": "q", "answer": "a"}], [{"url": "u"}]
    for form in (json.dumps, lambda value: value):
        whole = asked(
            additionalProperty=[setting("few_shot_examples", form(examples)), setting("sources", form(sources))]
        )
        assert question_of(whole).few_shot_examples == examples
        assert question_of(whole).sources == sources


def test_only_the_first_prefix_is_taken_off_a_custom_name() -> None:
    whole = asked(
        additionalProperty=[setting("custom_my_custom_note", [1]), setting("custom_", 2), setting("other", 3)]
    )
    assert question_of(whole).custom_metadata == {"my_custom_note": [1], "": 2}


def test_the_keywords_of_both_places_count() -> None:
    whole = asked(keywords=["new", "both", "new"])
    whole["keywords"] = ["both", "old"]
    assert keywords_of(whole) == ["new", "both", "new", "old"]
    del whole["item"]["keywords"]
    assert keywords_of(whole) == ["both", "old"]


def test_a_bare_question_object_is_read_like_one_in_an_item() -> None:
    bare = item()["item"]
    assert question_of(bare).question == bare["text"]
    assert question_of(bare).keywords == ["chemistry"]
    assert question_of(bare).date_created == ""


def test_members_say_nothing_in_one_way() -> None:
    whole = asked(keywords=[], rating=[], additionalProperty=[])
    told = members_of(whole)
    silent = ("keywords", "author", "sources", "custom_metadata", "few_shot_examples", "answer_notes", "workspace_path")
    assert [told[name] for name in (*silent, "question_rubric", "question_dynamic_rubric")] == [None] * 9
    assert "id" not in told


def test_rubrics_among_the_members_are_lists_of_traits() -> None:
    told = members_of(item())
    assert list(told["question_rubric"]) == [
        *("llm_traits", "regex_traits", "callable_traits", "metric_traits", "agentic_traits")
    ]
    (trait,) = told["question_rubric"]["regex_traits"]
    assert trait.name == "cites"


@pytest.mark.parametrize("default", [float("inf"), 1e300, "é\ud83d", {"a": [None, True, {"b": 1.5}]}, [[]], None])
def test_a_rubric_in_a_question_is_what_a_check_of_the_question_would_leave(default: Json) -> None:
    asked = item()["item"]
    form = {"type": "template", "schema": {"type": "object", "properties": {"a": {"default": default}}}}
    traits = [
        {**rating("form", kind=form), "additionalType": "karenina:QuestionSpecificLLMRubricTrait"},
        rating("dynamic", dynamic_trait_type="regex", pattern="x", summary="s"),
    ]
    traits[1]["additionalType"] = "karenina:QuestionSpecificDynamicRubricTrait"
    found = question_of({**item(), "item": {**asked, "rating": traits}})
    checked = Question.model_validate(found.model_dump(exclude={"id"}), context=LENIENT)
    assert found.question_rubric is not None
    assert found.question_dynamic_rubric is not None
    assert (found, found.model_fields_set) == (checked, checked.model_fields_set)
