"""The custom properties of a benchmark, read and changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, WriteError
from tests.benchmark.editing import Json, assert_says, load, strange
from tests.documents import setting
from tests.mapping import json_values, texts

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


def test_what_else_is_said_about_a_property_stays() -> None:
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
    with pytest.raises(WriteError, match=f"{name} tells the version of the file format and cannot be removed"):
        benchmark.remove_custom_property(name)
    with pytest.raises(WriteError, match=f"{name} tells the version of the file format and cannot be changed"):
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
        ({5: 1}, r"properties is of type dict with int: give Mapping\[str, Any\]"),
    ],
)
def test_what_cannot_be_a_property_changes_nothing(properties: Json, fault: str) -> None:
    tree = strange()
    benchmark = load(tree)
    with pytest.raises(WriteError, match=fault):
        benchmark.set_multiple_custom_properties(properties)
    assert_says(benchmark, tree, edited=False)


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
