"""How dialects are distinguished."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkpoint_ld import validate
from checkpoint_ld.dialects import DIALECTS, detect, dialect
from checkpoint_ld.errors import LookupFailedError
from tests.dialects import (
    HTTPS,
    Json,
    dataset,
    element,
    expectations,
    feed,
    prop,
    question,
    rating,
    state,
)

BARE = {"@type": "Question", "name": "Which?", "answerTemplate": "class Answer: ..."}
GUI = [prop("checkpoint_format_version", "3.0.0-jsonld")]


def name_of(document: Json) -> str | None:
    found = detect(document)
    return found.name if found else None


def without(document: dict[str, Json], *names: str) -> dict[str, Json]:
    return {name: value for name, value in document.items() if name not in names}


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (state(), "v2.0"),
        (state(global_rubric={"llm_traits": []}), "v2.0"),
        (state(global_rubric={"traits": []}), "v2.0-traits-key"),
        (state({"question_rubric": {"traits": []}}), "v2.0-traits-key"),
        ({"version": "2.0", "questions": [], "templates": {}}, "v2.0-other"),
        (feed(), "datafeed-legacy"),
        (feed(**{"@context": "https://schema.org"}), "datafeed-legacy"),
        (feed(**{"@context": HTTPS}), "datafeed-ns-v3"),
        (feed(**{"@context": {"@vocab": "https://schema.org/"}}), "datafeed-ns-v3"),
        (feed(**{"@context": ["x", {"karenina": "urn:karenina:vocab:"}]}), "datafeed-ns-v3"),
        (feed(rating=[rating(kind="karenina:GlobalRubricTrait")]), "datafeed-ns-v3"),
        (feed(hasPart=[{"@type": "karenina:Scenario"}]), "datafeed-ns-v3"),
        (feed(additionalProperty=GUI), "gui-datafeed"),
        (feed(additionalProperty=[prop("conversion_metadata", "{}")]), "gui-datafeed"),
        (feed(rating=[rating(deep_judgment_enabled=True)]), "gui-datafeed"),
        (feed(**{"@context": HTTPS}, additionalProperty=GUI), "datafeed-ns-v3"),
        (feed(dataFeedElement=[BARE]), "flat"),
        (feed(**{"@context": HTTPS}, dataFeedElement=[BARE]), "flat"),
        (feed(dataFeedElement=[BARE, element()]), "datafeed-legacy"),
        (dataset(), "dataset-1"),
        (dataset(additionalProperty=[prop("global_rubric_traits", "[]")]), "dataset-0"),
        (dataset(hasPart=[element(item=question(rating=[rating()]))]), "dataset-0"),
        (dataset(rating=[rating()]), "dataset-1"),
        (dataset(hasPart=[], dataFeedElement=[element()]), "dataset-1"),
    ],
)
def test_a_document_is_known_by_its_signs(document: dict[str, Json], name: str) -> None:
    assert name_of(document) == name


def test_a_rating_without_a_type_is_a_sign_of_the_first_dataset() -> None:
    untyped = without(rating("tone"), "additionalType")

    assert name_of(dataset(hasPart=[element(item=question(rating=[untyped]))])) == "dataset-0"
    assert (
        name_of(dataset(hasPart=[element(item=question(rating=[rating(kind="QuestionSpecificRubricTrait")]))]))
        == "dataset-1"
    )


def test_a_datafeed_may_leave_out_its_type_and_context_but_not_its_elements() -> None:
    assert name_of(without(feed(), "@type")) == "datafeed-legacy"
    assert name_of(without(feed(), "@type", "@context")) == "datafeed-legacy"
    assert name_of(without(feed(), "@type", "@context", "dataFeedElement")) is None
    assert name_of(without(feed(), "dataFeedElement")) == "datafeed-legacy"


@pytest.mark.parametrize(
    "kind", ["https://schema.org/DataFeed", "http://schema.org/DataFeed", "schema:DataFeed", ["DataFeed"]]
)
def test_a_type_may_be_written_out(kind: Json) -> None:
    assert name_of(feed(**{"@type": kind})) == "datafeed-legacy"


def test_a_benchmark_in_its_version_2_0_is_not_taken_for_the_state() -> None:
    assert name_of(feed(version="2.0")) == "datafeed-legacy"
    assert name_of({**state(), "@type": "Thing"}) is None
    assert name_of({**state(), "@context": HTTPS}) is None


@pytest.mark.parametrize(
    "document",
    [
        *(None, 1, "text", [], {}, [feed()], {"@type": "Thing"}, {"name": "x"}),
        *(state(checkpoint=None), state(version="3.0"), {"version": "2.0"}),
    ],
)
def test_anything_else_is_of_no_dialect(document: Json) -> None:
    assert detect(document) is None


def test_the_order_of_detection_goes_from_the_special_to_the_general() -> None:
    names = [one.name for one in DIALECTS]

    assert names[:3] == ["v2.0-other", "v2.0-traits-key", "v2.0"]
    assert names[3:7] == ["flat", "datafeed-ns-v3", "gui-datafeed", "datafeed-legacy"]
    assert names[7:] == ["dataset-0", "dataset-1"]


def test_a_dialect_is_found_by_name() -> None:
    assert dialect("flat") in DIALECTS
    with pytest.raises(LookupFailedError, match=r"no dialect is called 'v3': choose one of v2.0-other, .*, dataset-1"):
        dialect("v3")


def test_every_dialect_states_what_it_is_and_what_gives_it_away() -> None:
    assert len({one.title for one in DIALECTS} | {one.signs for one in DIALECTS}) == 2 * len(DIALECTS)


def test_the_writable_dialects() -> None:
    writable = {one.name for one in DIALECTS if one.downgrade}

    assert writable == {"v2.0", "gui-datafeed", "dataset-1", "datafeed-ns-v3"}


def test_real_documents_are_distinguished(corpus: Path) -> None:
    wrong = [
        (case["file"], name)
        for case in expectations(corpus)
        if (name := name_of(json.loads((corpus / case["file"]).read_text(encoding="utf-8-sig")))) != case["dialect"]
    ]

    assert not wrong


@pytest.mark.parametrize(
    ("document", "is_loaded"),
    [
        (feed(), True),
        (feed(additionalProperty=[prop("checkpoint_format_version", "3.0.0-jsonld")]), True),
        (dataset(), False),
        (state(), False),
    ],
    ids=["datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0"],
)
def test_a_dialect_that_karenina_does_not_load_is_a_finding(document: dict[str, Json], is_loaded: bool) -> None:
    codes = {one.code for one in validate(json.dumps(document).encode()).findings}

    assert ("KD021" not in codes) == is_loaded
