"""Both engines find the same: ours, and pySHACL alone, whatever is wrong with a document."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given, settings

from checkpoint_ld import families
from checkpoint_ld.findings import Finding
from checkpoint_ld.validation import profiles, validator
from tests.documents import setting
from tests.trials import examples
from tests.validation.feeds import damaged, feed, sound_feed
from tests.validation.test_mutations import mutated


def found(tree: Any, profile: str = "karenina") -> tuple[Finding, ...]:
    """Return the findings of our engine, after comparing them with those of pySHACL."""
    data = json.dumps(tree).encode()
    ours, theirs = (
        families.check(data, profiles.profile(profile), engine=engine).findings for engine in validator.ENGINES
    )
    assert ours == theirs
    return ours


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(mutated() | damaged() | damaged(sound_feed))
@example(feed())
def test_both_engines_find_the_same_in_damaged_documents(tree: Any) -> None:
    found(tree)


def test_nothing_is_wrong_with_a_sound_feed() -> None:
    assert found(sound_feed()) == ()


def with_shared_traits(identifier: str = "urn:uuid:rating-names-a-metal") -> Any:
    """Return a sound feed in which all questions have the same trait, as Karenina's GUI writes them."""
    tree = sound_feed()
    trait = tree["dataFeedElement"][0]["item"]["rating"][0]
    for element in tree["dataFeedElement"]:
        element["item"]["rating"] = [{**copy.deepcopy(trait), "@id": identifier}]
    return tree


def test_traits_may_share_an_identifier() -> None:
    assert found(with_shared_traits()) == ()
    assert {one.rule for one in found(with_shared_traits("names a metal"))} == {"identifier-form"}


def test_texts_that_stand_twice_and_dates_out_of_order_are_found_at_each_question() -> None:
    tree = sound_feed()
    first, second, *_ = tree["dataFeedElement"]
    first["item"]["text"] = second["item"]["text"] = "Which?"
    first["dateModified"] = "2020-01-01T00:00:00"

    assert {one.rule for one in found(tree)} >= {"question-repeated", "item-date-order"}


@pytest.mark.slow
def test_keywords_that_differ_are_reported_once_where_one_list_holds_the_other() -> None:
    for outer, inner, values in (
        (["a", "b"], ["a", "b", "c"], {"a"}),
        (["a", "b", "c"], ["a", "b"], {"c"}),
        (["a", "x", "y"], ["a", "b"], {"x", "y"}),
        (["b", "a"], ["a", "b"], set()),
        (["a"], [], set()),
    ):
        tree = sound_feed()
        tree["dataFeedElement"][0]["keywords"] = outer
        tree["dataFeedElement"][0]["item"]["keywords"] = inner

        assert {one.value for one in found(tree) if one.rule == "keywords-differ"} == values


@pytest.mark.slow
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
        lambda tree: tree["dataFeedElement"][0]["item"].update(
            additionalProperty=[setting("custom_like", tree["dataFeedElement"][1]["@id"]), setting("finishd", True)]
        ),
        lambda tree: tree["dataFeedElement"][0].update({"@type": ["DataFeedItem", *map("urn:x:{}".format, range(99))]}),
    ],
    ids=[
        *("a trait twice", "a clash", "a setting twice", "a scenario", "a company", "two creators", "no date"),
        *("a text", "a misspelt setting", "a hundred types"),
    ],
)
def test_what_is_wrong_is_found_alike(change: Any) -> None:
    tree = sound_feed()
    change(tree)

    assert found(tree)


def test_what_is_wrong_in_scenarios_is_found_alike() -> None:
    tree = feed()
    nodes = {
        name: {
            "@type": "karenina:ScenarioNode",
            "question": {**copy.deepcopy(tree["dataFeedElement"][0]["item"])},
        }
        for name in ("start", "middle", "end", "island")
    }
    edges = [{"source": "start", "target": "middle"}, {"source": "middle", "target": "end"}]
    scenario = {"@type": "karenina:Scenario", "name": "talk", "nodes": nodes, "edges": edges, "entryNode": "start"}
    clear = found({**tree, "hasPart": [scenario]})
    broken = found({**tree, "hasPart": [{**scenario, "edges": [*edges, {"source": "middle", "target": "nowhere"}]}]})

    assert [one.rule for one in clear].count("node-reachable") == 1
    assert "node-reachable" not in {one.rule for one in broken}
