"""Both engines find the same: ours, and pySHACL alone, whatever is wrong with a document."""

import copy
import json
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from rdflib import URIRef

from checkpoint_ld import Benchmark, families, secrets
from checkpoint_ld.dialects.dialect import container
from checkpoint_ld.dialects.reading import Reading, examine_bytes
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Finding
from checkpoint_ld.graph import annotation as room
from checkpoint_ld.graph.annotation import Pointers, annotate
from checkpoint_ld.graph.contexts import table
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.rules import document
from checkpoint_ld.secrets import secret
from checkpoint_ld.templates import template
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.constraints import components, forms
from checkpoint_ld.validation.constraints.forms import FORMS, contained, value_of
from tests.documents import setting
from tests.trials import examples
from tests.validation.feeds import FOLDERS, damaged, feed, readings, sound_feed
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
        lambda tree: tree["dataFeedElement"][0].update({"@type": ["DataFeedItem", *map("urn:x:{}".format, range(9))]}),
    ],
    ids=[
        *("a trait twice", "a clash", "a setting twice", "a scenario", "a company", "two creators", "no date"),
        *("a text", "a misspelt setting", "ten types"),
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


# --- What names tell of the places of nodes is what annotation tells.


def places(reading: Reading) -> dict[str, str | None]:
    """Return where the nodes of a tree stand, by their names."""
    pointers = Pointers(reading.tree, reading.graph.index)
    names = annotate(reading.tree, table(reading.tree.get("@context"))).names.values()
    return {name: pointers.get(name) for name in names}


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(damaged() | mutated())
@example(feed())
@example(document("interview"))
def test_places_are_those_of_annotation(tree: Any) -> None:
    try:
        reading = examine_bytes(json.dumps(tree).encode())
    except ReadError:
        return

    assert places(reading) == Pointers(reading.tree).by_annotation


@pytest.mark.parametrize("folder", FOLDERS)
def test_places_in_the_corpus_are_those_of_annotation(corpus: Path, folder: str) -> None:
    for path, reading in readings(corpus, folder, 12):
        assert places(reading) == Pointers(reading.tree).by_annotation, path


@pytest.mark.parametrize("context", ["plain", "improved"])
@pytest.mark.parametrize("name", ["metals", "interview"])
def test_usual_documents_are_not_annotated_for_it(name: str, context: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Benchmark.load(json.dumps(document(name)).encode()).to_jsonld(context=context)
    reading = examine_bytes(json.dumps(tree).encode())
    monkeypatch.setattr(room, "annotate", None)
    pointers = Pointers(reading.tree)

    assert None not in {pointers.get(str(one)) for one in reading.graph.subjects()}


# --- Forms and relations judge any value at all without raising.


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
@given(value=JSON)
def test_a_form_states_what_is_wrong_with_any_value_or_nothing(name: str, value: Any) -> None:
    fault = FORMS[name](value)

    assert fault is None or (isinstance(fault, str) and fault)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_judges_nodes_too(name: str) -> None:
    fault = FORMS[name](value_of(URIRef("urn:example:node")))

    assert fault is None or fault


@given(JSON, JSON)
def test_relations_hold_or_not_for_any_two_values(one: Any, other: Any) -> None:
    for relation in (components.is_before, components.is_below, components.is_same_number, components.is_identifier_of):
        assert relation(one, other) in (True, False)


@given(JSON.filter(lambda value: value is not None))
def test_a_literal_stands_for_the_value_that_it_was_made_of(value: Any) -> None:
    coercion = "@json" if isinstance(value, (list, dict)) else None

    assert value_of(literal_of(value, coercion)) == value


@pytest.mark.parametrize(
    ("name", "meant"),
    [("acceptedAnser", "acceptedAnswer"), ("Keywords", "keywords"), ("licence", None), ("x" * 1000, None)],
)
def test_the_nearest_name_is_suggested_only_where_it_is_near(name: str, meant: str | None) -> None:
    assert forms.nearest(name, ("text", "acceptedAnswer", "keywords")) == meant


OFFSETS = ("", "Z", "+02:00", "-11:30", "+00:00")
DATES = st.datetimes().map(datetime.isoformat) | st.dates().map(date.isoformat) | st.just("2026-02-30T10:00:00")
DATED = st.tuples(DATES, st.sampled_from(OFFSETS)).map("".join)


@given(DATED, DATED)
def test_a_date_is_before_another_as_their_moments_are(one: str, other: str) -> None:
    def moment(text: str) -> datetime | None:
        return datetime.fromisoformat(text) if is_iso_8601(text) else None

    first, second = moment(one), moment(other)
    if first is None or second is None:
        assert not components.is_before(one, other)
    elif (first.tzinfo is None) == (second.tzinfo is None):
        assert components.is_before(one, other) == (first < second)


@settings(max_examples=examples(500))
@given(st.text(r"ab\\[](){}*+?|^$.dsbBwWD-/ ", max_size=8))
@example(r"\bgolds?\b\s*\[\d+\]")
@example("[[")
@pytest.mark.filterwarnings("ignore:Possible (nested set|set):FutureWarning")
def test_a_pattern_that_is_known_to_compile_does(pattern: str) -> None:
    if template._SIMPLE_PATTERN.fullmatch(pattern):  # noqa: SLF001 - what it lets pass is not compiled
        re.compile(pattern)
    assert (template.pattern_fault(pattern) is None) == compiles(pattern)


def compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


@given(st.from_regex(secrets._SECRET_VALUE), st.text())  # noqa: SLF001 - what the quick look has to agree with
def test_every_telling_value_is_reported(value: str, around: str) -> None:
    assume(not secrets._PLACEHOLDER.fullmatch(value))  # noqa: SLF001 - as above
    assert secret(value) is not None
    assert (secret(around) is None) == (secrets._SECRET_VALUE.search(around) is None)  # noqa: SLF001 - as above


SECRETS = st.sampled_from(["sk-" + "a" * 20, "Bearer " + "x" * 20, "a risk-free token", "-----", "", "gold"])
OPENED = SECRETS | st.dictionaries(st.sampled_from(["api_key", "name"]), SECRETS) | st.lists(SECRETS) | JSON


@given(st.lists(OPENED, max_size=4))
def test_what_is_harmless_together_is_so_by_itself(values: list[Any]) -> None:
    assert not (secrets.are_harmless(values) and any(map(secret, values)))
    assert secrets.are_harmless(["gold", 5, None, {"name": "x"}])


@given(JSON, st.sampled_from([None, 1]), st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
def test_json_in_a_text_is_what_it_is_to_the_standard_library(
    value: Any, indent: int | None, separators: tuple[str, str]
) -> None:
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=False)

    assert repr(contained(text)) == repr(container(text))


@pytest.mark.parametrize(
    "text",
    [
        *('{"a":1,"a":2}', '{"a" :1,"a":2}', '{"a":"b\\":c","a":2}', '{"a":{"b":1},"a":"x"}', '[{"a":1},{"a":2}]'),
        *('{"a":NaN}', '{"a":1e999}', '{"a":18446744073709551616}', '{"a":-0}', '{"a":1.0}', '"text"', "", "{", "[1,]"),
        *('{"a":"\\ud800"}', '{"":"x:y"}', " {} ", "[" * 900 + "]" * 900, "[" * 5000 + "]" * 5000, '{"a":"\ud800"}'),
        *('{"a":"1","a":"\\"\\u003a"}', "[  100000000000000000000000]"),
    ],
)
def test_json_in_an_unusual_text_is_what_it_is_to_the_standard_library(text: str) -> None:
    assert repr(contained(text)) == repr(container(text))


@pytest.mark.parametrize("value", ["sk-" + "a" * 20, "Bearer " + "x" * 20, "gold", "", "x" * 30, 5, True, None, 0.5])
def test_a_secret_is_one_wherever_it_stands(value: Any) -> None:
    assert (secret(value) is None) == (secret([value]) is None)
