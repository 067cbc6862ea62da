"""Scenarios, added to a benchmark and taken away."""

from __future__ import annotations

import copy

import pytest

from checkpoint_ld import Benchmark, LookupFailedError, ReadError, WriteError
from checkpoint_ld.entities import Question, Scenario, ScenarioNode
from tests.benchmark.editing import Json, assert_says, load, strange
from tests.documents import scenario, setting

TYPE = setting("benchmark_type", "scenario")


def named(name: str) -> Scenario:
    """Return a scenario of one turn."""
    node = ScenarioNode.asking("ask", Question(question="Which?", raw_answer="this", custom_metadata={"k": None}))
    return Scenario(name=name, entry_node="ask", nodes={"ask": node}, edges=[])


def test_scenarios_are_added_in_their_order() -> None:
    benchmark = Benchmark("Turns")
    benchmark.add_scenario(named("one"))
    benchmark.add_scenario(named("two"))
    assert benchmark.get_custom_property("benchmark_type") == "scenario"
    for one in (benchmark, load(benchmark.to_jsonld("plain")), load(benchmark.to_jsonld())):
        assert one.get_scenarios() == [named_like(one, "one"), named_like(one, "two")]
        assert (one.scenario_count, one.is_scenario_benchmark, len(one)) == (2, True, 2)
        assert one.get_scenario("two").nodes["ask"].question.custom_metadata == {"k": None}


def named_like(benchmark: Benchmark, name: str) -> Scenario:
    """Return the scenario `name` as it was added: the dates of its question are those of its making."""
    made, held = named(name), benchmark.get_scenario(name)
    made.nodes["ask"].question_data = held.nodes["ask"].question_data
    return made


def test_a_scenario_joins_those_of_a_file() -> None:
    tree = scenario()
    tree["hasPart"][0]["ex"] = {"unknown": [1, None]}
    benchmark = load(tree)
    other = Scenario.model_validate({**tree["hasPart"][0], "name": "other"})
    benchmark.add_scenario(other)
    tree["hasPart"].append({**copy.deepcopy(tree["hasPart"][0]), "name": "other"})
    tree["additionalProperty"].append(TYPE)
    assert_says(benchmark, tree)
    assert benchmark.get_scenario("other").model_extra == {"ex": {"unknown": [1, None]}}


def test_a_scenario_is_removed_with_all_that_belongs_to_it() -> None:
    tree = scenario()
    tree["hasPart"].append({**copy.deepcopy(tree["hasPart"][0]), "name": "other"})
    tree["additionalProperty"].append(TYPE)
    benchmark = load(tree)
    benchmark.remove_scenario("retry")
    del tree["hasPart"][0]
    assert_says(benchmark, tree)
    assert not any("retry" in str(term) for triple in benchmark.graph for term in triple)
    benchmark.remove_scenario("other")
    del tree["hasPart"]
    tree["additionalProperty"].remove(TYPE)
    assert_says(benchmark, tree)
    assert benchmark.add_question("Q?", "a", question_id="urn:x") == "urn:x"


def test_other_parts_stay() -> None:
    tree = scenario()
    tree["hasPart"].insert(0, {"@type": "CreativeWork", "name": "retry"})
    benchmark = load(tree)
    benchmark.remove_scenario("retry")
    del tree["hasPart"][1]
    assert_says(benchmark, tree)
    assert not benchmark.is_scenario_benchmark


def test_a_name_is_taken_once() -> None:
    tree = scenario()
    benchmark = load(tree)
    with pytest.raises(WriteError, match="the name 'retry' of the scenario is taken"):
        benchmark.add_scenario(named("retry"))
    with pytest.raises(WriteError, match="the name '' of the scenario is empty"):
        benchmark.add_scenario(named(""))
    assert_says(benchmark, tree, edited=False)


@pytest.mark.parametrize("given", [{"name": "x"}, None, "x"])
def test_only_scenarios_are_added(given: Json) -> None:
    with pytest.raises(WriteError, match=r"scenario is .*: give Scenario"):
        Benchmark("Turns").add_scenario(given)


def test_a_value_that_json_cannot_hold_adds_nothing() -> None:
    tree = scenario()
    benchmark = load(tree)
    hostile = named("other")
    hostile.metadata = {"x": float("nan")}
    with pytest.raises(WriteError, match="nan is not a JSON number"):
        benchmark.add_scenario(hostile)
    assert_says(benchmark, tree, edited=False)


def test_a_benchmark_holds_questions_or_scenarios() -> None:
    tree = strange()
    benchmark = load(tree)
    with pytest.raises(WriteError, match="a benchmark of questions holds no scenarios"):
        benchmark.add_scenario(named("one"))
    assert_says(benchmark, tree, edited=False)


def test_a_scenario_that_is_not_there_is_a_failed_lookup() -> None:
    tree = scenario()
    benchmark = load(tree)
    for ask in (benchmark.get_scenario, benchmark.remove_scenario):
        with pytest.raises(LookupFailedError, match="there is no scenario 'nothing'") as failed:
            ask("nothing")
        assert isinstance(failed.value, KeyError)
    assert_says(benchmark, tree, edited=False)


def test_what_cannot_be_read_is_reported_without_the_inner_names_of_pydantic() -> None:
    tree = scenario()
    tree["hasPart"][0]["edges"][0]["condition"] = 5
    benchmark = load(tree)
    with pytest.raises(ReadError) as refused:
        benchmark.get_scenario("retry")

    found = "edges.0.condition: Input should be a valid dictionary or Input should be a valid list"
    assert str(refused.value) == f"the scenario 'retry' cannot be read: {found}"
