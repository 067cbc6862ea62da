"""Lists and objects of traits that a file has as JSON text: read as what they spell, with a warning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark, ReadError, validate
from tests.documents import canonical, rating

Json = Any

METRIC = {
    "metrics": ["recall", "accuracy"],
    "evaluation_mode": "full_matrix",
    "tp_instructions": ["says mercury"],
    "tn_instructions": ["says gold"],
}
LITERAL = {"kind": "literal", "classes": {"Very dry": "no adjectives", "warm": "friendly"}}
QUOTED = ("metrics", "tp_instructions", "tn_instructions", "classes")


def trait(name: str, kind: str, settings: Json, *, is_quoted: bool) -> Json:
    held = {key: json.dumps(value) if is_quoted and key in QUOTED else value for key, value in settings.items()}
    return {**rating(name, **held), "additionalType": f"karenina:Global{kind}"}


def feed(*, is_quoted: bool, is_old: bool = False) -> Json:
    ratings = [
        trait("m", "MetricRubricTrait", METRIC, is_quoted=is_quoted),
        trait("l", "LLMRubricTrait", LITERAL, is_quoted=is_quoted),
    ]
    if not is_old:
        return canonical() | {"rating": ratings}
    for one in ratings:
        one["additionalType"] = one["additionalType"].removeprefix("karenina:")
    context = {"@vocab": "http://schema.org/"}
    return canonical() | {"@context": context, "rating": ratings, "dataFeedElement": []}


def loaded(tree: Json) -> Benchmark:
    return Benchmark.load(json.dumps(tree).encode())


@pytest.mark.parametrize("is_old", [False, True], ids=["canonical", "legacy"])
def test_json_text_is_read_as_what_it_spells_with_a_warning(is_old: bool) -> None:
    quoted = loaded(feed(is_quoted=True, is_old=is_old))
    assert quoted.dialect == ("datafeed-legacy" if is_old else "datafeed-ns-v3")
    assert quoted.global_rubric == loaded(feed(is_quoted=False)).global_rubric
    warned = [(one.rule, one.condition, one.place.pointer) for one in quoted.findings]
    assert warned == [("trait-json-text", "W-VALUE", "/rating/0")] * 3 + [("trait-json-text", "W-VALUE", "/rating/1")]
    assert {one.message.split()[0] for one in quoted.findings} == set(QUOTED)
    with pytest.raises(ReadError, match="KR058"):
        Benchmark.load(json.dumps(feed(is_quoted=True, is_old=is_old)).encode(), strict=True)


def test_all_engines_find_json_text_and_nothing_else() -> None:
    text = json.dumps(feed(is_quoted=True)).encode()
    checked = validate(text)
    plain = {(one.rule, one.place.pointer) for one in validate(json.dumps(feed(is_quoted=False)).encode()).findings}
    found = {(one.rule, one.place.pointer) for one in checked.findings} - plain
    places = [f"/rating/0/additionalProperty/{at}/value" for at in (0, 2, 3)] + ["/rating/1/additionalProperty/1/value"]
    assert found == {("trait-json-text", place) for place in places}
    assert checked.findings == validate(text, engine="pyshacl").findings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("metrics", "recall", "metric-names"),
        ("metrics", "[]", "metric-names"),
        ("metrics", '["beauty"]', "metric-unknown"),
        ("tp_instructions", "[1]", "metric-instructions"),
        ("tn_instructions", '"says gold"', "metric-negative-instructions"),
        ("tn_instructions", "[]", "metric-full-matrix"),
    ],
)
def test_what_json_text_spells_is_judged_as_if_it_stood_there(name: str, text: str, rule: str) -> None:
    tree = feed(is_quoted=False)
    entry = next(one for one in tree["rating"][0]["additionalProperty"] if one["name"] == name)
    entry["value"] = text
    found = [one.rule for one in validate(json.dumps(tree).encode()).findings]
    assert rule in found
    assert ("trait-json-text" in found) == text.startswith("[")
    assert found == [one.rule for one in validate(json.dumps(tree).encode(), engine="pyshacl").findings]


def test_json_text_stays_until_the_file_is_edited_and_then_becomes_what_karenina_reads(tmp_path: Path) -> None:
    text = json.dumps(feed(is_quoted=True)).encode()
    benchmark = Benchmark.load(text)
    benchmark.save(tmp_path / "same.jsonld")
    assert (tmp_path / "same.jsonld").read_bytes() == text
    benchmark.name = "other"
    benchmark.save(tmp_path / "edited.jsonld")
    ratings = json.loads((tmp_path / "edited.jsonld").read_bytes())["rating"]
    assert ratings == feed(is_quoted=False)["rating"]
