"""Real documents as a whole: copies, differences and exports of each."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from checkpoint_ld import Benchmark
from checkpoint_ld.benchmark.difference import semantic_diff
from tests.corpus import DIALECTS, Json, expectations, lines, loaded

each_dialect = pytest.mark.parametrize("dialect", DIALECTS)


@pytest.mark.slow
@each_dialect
def test_a_copy_and_a_trip_through_statements_are_equal(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        benchmark = loaded(corpus / case["file"])
        back = Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")
        assert benchmark.clone() == benchmark == back, case["file"]
        assert semantic_diff(benchmark, back, dates=True, order=True).is_empty, case["file"]


@pytest.mark.slow
@each_dialect
def test_tables_have_a_row_for_each_question(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        benchmark = loaded(corpus / case["file"])
        records = benchmark.to_records()
        rows = list(csv.DictReader(io.StringIO(benchmark.to_csv(), newline="")))
        found = [(one["question_id"], one["question"], one["raw_answer"]) for one in records]
        assert [(row["Question ID"], row["Question"], row["Raw Answer"]) for row in rows] == found, case["file"]
        assert [row["Finished"] == "Yes" for row in rows] == [one["finished"] for one in records]
        assert json.loads(json.dumps(benchmark.to_dict())) == benchmark.to_dict()
        headings = [one for one in MarkdownIt().parse(benchmark.to_markdown()) if one.type == "heading_open"]
        assert sum(one.tag == "h3" for one in headings) == len(records), case["file"]


def test_the_summary_is_what_karenina_shows(corpus: Path) -> None:
    checked = 0
    for row in lines(corpus, "tables/projections.jsonl.gz"):
        shown: Json = row.get("projection")
        if shown is None or row["marks"] or row["ours"] != "accept":
            continue
        found = loaded(corpus / row["file"]).get_summary()
        names = ("name", "version", "created_at", "modified_at", "question_count", "finished_count", "is_complete")
        assert {name: found[name] for name in names} == {name: shown[name] for name in names}, row["file"]
        assert found["progress_percentage"] == shown["progress"]
        assert found["has_template_count"] == sum(one["has_template"] for one in shown["questions"])
        checked += 1
    assert checked > 10
