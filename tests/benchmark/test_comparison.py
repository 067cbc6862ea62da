"""Copies of benchmarks, and when two are equal."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from tests.benchmark.samples import load, tree
from tests.documents import canonical, item, rich, scenario
from tests.trials import examples


def shuffled(value: Any) -> Any:
    """Return a JSON value with the members of all objects in reverse order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("document", [tree(), rich(), scenario(), canonical(item("No id?", None))])
def test_a_clone_is_equal_until_one_of_the_two_changes(document: Any) -> None:
    made = load(document)
    copied = made.clone()
    assert copied == made
    assert copied.to_jsonld() == made.to_jsonld()
    before = made.to_nquads()
    copied.set_metadata(description="another one")
    assert copied != made
    assert made.to_nquads() == before
    assert copied.dialect == made.dialect


def test_edits_of_the_original_do_not_reach_the_clone() -> None:
    made = load(tree())
    copied = made.clone()
    made.add_question("One more?", "Yes")
    assert (made.question_count, copied.question_count) == (4, 3)
    copied.add_question("Another?", "No")
    assert made.get_question_ids()[-1] != copied.get_question_ids()[-1]
    assert type(copied) is type(made)


def test_a_clone_saves_as_the_original_does(tmp_path: Path) -> None:
    source = json.dumps(tree(), indent=1).encode()
    Benchmark.load(source).clone().save(tmp_path / "a.jsonld")
    assert (tmp_path / "a.jsonld").read_bytes() == source


@pytest.mark.parametrize("document", [tree(), rich(), scenario()])
@pytest.mark.parametrize("name", ["a.jsonld", "a.ttl", "a.nt", "a.nq", "a.trig"])
def test_saving_and_loading_gives_an_equal_benchmark(tmp_path: Path, document: Any, name: str) -> None:
    made = load(document)
    made.save(tmp_path / name)
    assert Benchmark.load(tmp_path / name) == made


def test_so_it_does_after_edits(tmp_path: Path) -> None:
    made = load(tree())
    made.remove_question(made.get_question_ids()[0])
    made.add_question("One more?", "Yes", keywords=["b", "a"])
    made.save(tmp_path / "a.jsonld")
    made.save(tmp_path / "a.nt")
    assert Benchmark.load(tmp_path / "a.jsonld") == made == Benchmark.load(tmp_path / "a.nt")


def test_the_way_of_writing_does_not_count() -> None:
    made = load(rich())
    assert load(shuffled(rich())) == made
    assert Benchmark.load(json.dumps(made.to_jsonld("improved")).encode()) == made
    assert Benchmark.load(made.graph) == made
    without = rich()
    without["additionalProperty"] = []
    assert load(without) == made  # the version of the format says how a file is written


def test_an_own_context_counts_by_what_it_states() -> None:
    plain, renamed, other = canonical(), canonical(), canonical()
    plain["https://example.org/colour"] = "red"
    for document, iri in ((renamed, "https://example.org/colour"), (other, "https://example.org/taste")):
        document["@context"]["colour"] = iri
        document["colour"] = "red"
    assert load(plain) == load(renamed)
    assert load(plain) != load(other)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("name",), "Other"),
        (("dateModified",), "2026-01-03T00:00:00"),
        (("@id",), "urn:uuid:other"),
        (("license",), "MIT"),
        (("dataFeedElement", 0, "item", "text"), "Other?"),
        (("dataFeedElement", 0, "dateModified"), "2026-01-03T00:00:00"),
        (("dataFeedElement", 0, "item", "keywords"), ["liquids", "metals"]),
        (("rating", 0, "bestRating"), 2.0),
        (("additionalProperty", 0), {"@type": "PropertyValue", "name": "other", "value": 1}),
    ],
)
def test_everything_that_is_stated_counts(path: tuple[Any, ...], value: Any) -> None:
    changed = deepcopy(tree())
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert load(changed) != load(tree())


def test_true_is_not_one_and_one_is_not_a_double() -> None:
    made = []
    values: list[dict[str, Any]] = [{"value": one} for one in (True, 1, 1.0, [1], [], None)]
    for found in (*values, {}):
        document = canonical()
        document["additionalProperty"].append({"@type": "PropertyValue", "name": "x", **found})
        made.append(load(document))
    for at, one in enumerate(made):
        assert [other == one for other in made] == [to == at for to in range(len(made))]


def test_the_order_of_questions_counts() -> None:
    document = tree()
    document["dataFeedElement"].reverse()
    assert load(document) != load(tree())


def test_a_benchmark_is_no_key_and_equals_nothing_else() -> None:
    made = load(tree())
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)
    assert made != "Metals"
    assert made != None  # noqa: E711 - that is what is queried


@settings(max_examples=examples(40))
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), max_size=4))
def test_benchmarks_of_the_same_questions_are_equal_through_every_syntax(texts: list[str]) -> None:
    made = Benchmark("Any")
    for text in texts:
        made.add_question(text, "answer", keywords=[text])
    assert made.clone() == made
    assert Benchmark.load(made.to_nquads().encode(), syntax="nq") == made
    assert Benchmark.load(json.dumps(made.to_jsonld("plain")).encode()) == made
