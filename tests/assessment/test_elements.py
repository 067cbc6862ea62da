"""The 200 recorded answers of the documentation, against a table that was filled in by hand."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat

from checkpoint_ld.assessment import Assessment, RecordedAnswer, Status, Tally, assess, earl, read_answers
from checkpoint_ld.assessment.assessing import line_of
from checkpoint_ld.benchmark import Benchmark

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TABLE = Path(__file__).with_name("elements.tsv")


@cache
def expected() -> list[dict[str, str]]:
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def answers() -> tuple[RecordedAnswer, ...]:
    return tuple(read_answers(EXAMPLES / "answers.jsonl"))


@cache
def benchmark() -> Benchmark:
    return Benchmark.load(EXAMPLES / "elements.jsonld")


@cache
def assessed() -> tuple[Assessment, ...]:
    return tuple(assess(benchmark(), answers()))


def test_the_table_is_about_the_answers() -> None:
    assert len(expected()) == len(answers()) == 200
    for row, answer in zip(expected(), answers(), strict=True):
        stated: Mapping[str, Any] | str | None = answer.values or answer.trace
        assert stated == (row["answer"] if isinstance(stated, str) else json.loads(row["answer"]))
        held = (str(answer.place.line), answer.model, str(answer.replicate))
        assert held == (row["line"], row["model"], row["replicate"])


def test_each_answer_has_the_status_and_the_score_of_the_table_and_cites_as_it_states() -> None:
    stated = {True: "yes", False: "no", None: "-"}
    for row, one in zip(expected(), assessed(), strict=True):
        (cites,) = (stated[trait.value] for trait in one.traits if trait.name == "cites")  # type: ignore[index]
        held = (str(one.answer.place.line), one.status.value, cites)
        assert held == (row["line"], row["status"], row["cites"])
        assert one.score == (pytest.approx(float(row["score"])) if row["score"] else None), row


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(
    ("symbol", "number", "celsius", "gases", "state", "day", "year", "metal", "id", "regex", "verify")
)
members = {
    "question_id": st.sampled_from([one.question_id for one in answers()]) | values,
    "answer": st.dictionaries(names, values) | values,
    "trace": st.text(max_size=30) | values,
    "context": values,
    "answer_id": values,
    "model": values,
    "date": values,
}


@given(st.lists(st.fixed_dictionaries({}, optional=members) | values, max_size=5))
def test_whatever_is_recorded_gets_a_row_in_every_report(records: list[Any]) -> None:
    tally, file = Tally(), io.BytesIO()
    found = list(assess(benchmark(), records))
    for each in found:
        tally.add(each)
        assert json.loads(line_of(each))["status"] == each.status
        assert each.reason or each.status is Status.PASSED
    earl.write(found, file, earl.Form(RdfFormat.N_TRIPLES, "urn:x:"))
    assert tally.total.answers == len(records)
    assert sum(b"earl#outcome" in line for line in file.getvalue().splitlines()) >= len(tally.questions)


def test_the_tally_counts_what_the_table_has() -> None:
    tally = Tally()
    for one in assessed():
        tally.add(one)
    for status in ("passed", "failed", "undecided", "error"):
        assert tally.as_json()["total"][status] == sum(row["status"] == status for row in expected())
    for model in ("aurum-1", "borealis-2"):
        rows = [row for row in expected() if row["model"] == model]
        scores = [float(row["score"]) for row in rows if row["score"]]
        assert tally.models[model].answers == 100
        assert tally.models[model].as_json()["passed"] == sum(row["status"] == "passed" for row in rows)
        assert tally.models[model].mean_score == pytest.approx(sum(scores) / len(scores))
