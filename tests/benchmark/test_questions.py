"""Questions, looked at one side at a time."""

from __future__ import annotations

import json

import pytest
from rdflib.term import Node

from checkpoint_ld import CheckpointGraph, LookupFailedError
from tests.benchmark.editing import METAL, Json, load, strange
from tests.documents import item, setting


@pytest.mark.parametrize(
    ("author", "shown"),
    [
        (json.dumps({"name": "A"}), {"name": "A"}),
        ({"name": "A"}, {"name": "A"}),
        ("A. Smith", {"name": "A. Smith"}),
        (None, None),
        ("{}", None),
    ],
)
def test_an_author_is_shown_however_a_file_has_it(author: Json, shown: Json) -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"].append(setting("author", author))
    assert load(tree).get_question_author(METAL) == shown


def test_sources_are_shown_in_both_encodings() -> None:
    tree = strange(item(), item("Other?", "urn:uuid:2"))
    for element, told in zip(tree["dataFeedElement"], ([{"url": "u"}], json.dumps([{"url": "u"}])), strict=True):
        element["item"]["additionalProperty"].append(setting("sources", told))
    benchmark = load(tree)
    assert [benchmark.get_question_sources(one) for one in benchmark.get_question_ids()] == [[{"url": "u"}]] * 2


def test_custom_values_lose_one_prefix_only() -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"].append(setting("custom_my_custom_k", 1))
    benchmark = load(tree)
    assert benchmark.get_question(METAL)["custom_metadata"] == {"level": ["easy", 1.0, None], "my_custom_k": 1}
    assert benchmark.get_question_custom_property(METAL, "my_custom_k") == 1
    assert benchmark.get_question_custom_property(METAL, "finished") is None


def test_what_is_not_there_is_a_failed_lookup() -> None:
    benchmark = load(strange())
    for ask in (benchmark.get_question_author, benchmark.get_question_sources, benchmark.toggle_finished):
        with pytest.raises(LookupFailedError, match="there is no question 'nothing'"):
            ask("nothing")


def test_a_question_that_is_asked_for_is_the_only_one_that_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
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
