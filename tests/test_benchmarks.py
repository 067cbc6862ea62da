"""The benchmarks run, on documents that are what they say, and everybody does the same job."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld.entities import Question
from tests.conftest import REPOSITORY
from tests.parsed_once import parsed_once

Json = Any

FOLDER = REPOSITORY / "benchmarks"
NUMBER = re.compile(r"\d+(\.\d+)?(E\d+)?")


@pytest.fixture(scope="module")
def part() -> Iterator[Callable[[str], Any]]:
    """What imports a module of the benchmarks, which are scripts and no package."""
    sys.path.insert(0, str(FOLDER))
    yield import_module
    sys.path.remove(str(FOLDER))
    for file in FOLDER.glob("*.py"):
        if file.stem != "__main__":  # which is that of the tests
            sys.modules.pop(file.stem, None)


@pytest.fixture(scope="module")
def documents(part: Callable[[str], Any]) -> Any:
    return part("documents")


@pytest.fixture(scope="module")
def path(documents: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("benchmarks") / "40.jsonld"
    path.write_bytes(documents.document(40))
    return path


# --- the documents


def test_a_document_is_the_same_every_time_and_another_for_another_seed(documents: Any) -> None:
    assert documents.document(5) == documents.document(5)
    assert documents.document(5, seed=2) != documents.document(5)


def test_a_question_is_the_same_in_documents_of_every_size(documents: Any) -> None:
    short, long = (json.loads(documents.document(size))["dataFeedElement"] for size in (3, 6))
    assert long[:3] == short


def test_nothing_is_wrong_with_a_document(documents: Any) -> None:
    assert checkpoint_ld.validate(documents.document(60)).findings == ()
    assert checkpoint_ld.load(documents.document(60)).findings == ()


def test_a_rich_document_is_loaded_and_one_question_of_ten_has_a_fault(part: Callable[[str], Any]) -> None:
    rich = part("rich_documents")
    data = rich.document(300, 1)
    assert data == rich.document(300, 1)
    assert len(checkpoint_ld.load(data).questions) == 300
    codes = Counter(found.code for found in checkpoint_ld.validate(data).findings)
    assert min(codes["KR038"], codes["KQ009"], codes["KQ010"]) > 30, "stored code, missing dates"
    faults = {"KN001", "KN003", "KN004", "KQ007", "KQ011", "KQ012", "KQ016", "KT008"}
    assert len(faults & codes.keys()) >= 6
    assert 15 <= sum(codes[code] for code in faults) <= 60


def test_rich_documents_differ_in_their_layout_and_in_how_they_spell_types(part: Callable[[str], Any]) -> None:
    texts = [part("rich_documents").document(10, seed).decode() for seed in (1, 2, 3)]
    assert len({text[:3] for text in texts}) > 1
    for kind, text in zip(('"karenina:Q', '"urn:karenina:vocab:Q', '"Q'), texts, strict=True):
        assert f'"additionalType":{kind}' in text.replace(": ", ":")


def test_a_document_is_laid_out_as_karenina_does_it(documents: Any) -> None:
    data = documents.document(20)
    assert data == json.dumps(json.loads(data), indent=2, ensure_ascii=False).encode() + b"\n"
    assert 2_500 < len(documents.document(300)) / 300 < 4_500


def test_documents_have_all_that_questions_may_have(documents: Any) -> None:
    benchmark = checkpoint_ld.load(documents.document(200))
    held: Counter[str] = Counter()
    for question in benchmark.questions:
        held.update(name for name in type(question).model_fields if getattr(question, name))
        held.update(name for name, traits in (question.question_rubric or {}).items() if traits)
    assert not ({*Question.model_fields} - held.keys()) - {"workspace_path"}
    lists = {"llm_traits", "regex_traits", "metric_traits", "agentic_traits"}
    assert lists <= held.keys()


# --- the ways


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
def test_the_ways_to_a_graph_agree_about_what_is_in_it(part: Callable[[str], Any], path: Path) -> None:
    ours, peers = part("ours"), part("peers")
    texts = {question.question for question in checkpoint_ld.load(path).questions}
    assert len(texts) == 40
    text = peers.SCHEMA_ORG.text
    for graph in (ours.graph_of(path), peers.expanded_graph(path), peers.parsed_graph(path)):
        assert texts <= {str(one) for one in graph.objects(None, text)}
    stored = {quad.object.value for quad in peers.loaded_store(path) if quad.predicate.value == str(text)}
    assert texts <= stored
    assert {item.item.text for item in peers.models_of(path).data_feed_element} == texts
    assert {item.item.text for item in peers.mapped(peers.expanded_graph(path))} == texts


def test_all_stores_give_the_same_answers(part: Callable[[str], Any], path: Path) -> None:
    ours, peers = part("ours"), part("peers")

    for query in ours.QUERIES.values():
        stored = peers.answers(query, peers.store_of(path))
        assert stored
        expected = rows_of([one.value for one in row] for row in stored)
        assert rows_of(ours.answers((ours.graph_of(path), query))) == expected
        assert rows_of(peers.answers(query, peers.rdflib_graph(path))) == expected


def rows_of(rows: Iterable[Iterable[object]]) -> set[tuple[str | float, ...]]:
    """Return rows so that numbers are equal however they are written: Oxigraph's store rewrites them."""
    return {tuple(float(text) if NUMBER.fullmatch(text) else text for text in map(str, row)) for row in rows}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::checkpoint_ld.errors.FindingsWarning")
def test_every_way_can_be_taken(part: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, ways, measuring = part("ours"), part("ways"), part("measuring")
    monkeypatch.setattr(ours, "ADDED", 3)
    taken = set()
    with parsed_once():
        for way in ways.ways():
            small = measuring.written(tmp_path, 1, is_rich=way.is_rich)
            if isinstance(way, ways.Way):
                assert way.work(way.prepare(small)) is not None, way
            else:
                assert subprocess.run(way.arguments(small), capture_output=True, check=False).returncode == 0, way
            taken.add(way.job)
    assert len(taken) > 15
    assert ours.verdict(ours.examined(measuring.written(tmp_path, 1, is_rich=False))) is True


# --- measuring and telling


@pytest.mark.slow
def test_one_command_prints_a_table(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    options = ["--turns", "1", "--turn", "0", "--only", "json", "--record", str(record)]
    command = [sys.executable, str(FOLDER), "10", *options]
    wide = {**os.environ, "COLUMNS": "160"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=wide)
    assert "10 questions" in done.stdout
    assert "json + pydantic" in done.stdout
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 3
    assert all(line["size"] == 10 and min(line["cpu"]) > 0 for line in lines)


def test_a_row_holds_medians_and_ratios(part: Callable[[str], Any]) -> None:
    report, measuring = part("report"), part("measuring")

    found = [
        measuring.Taken("nothing", report.FLOOR, 10, [0.001, 0.003, 0.002], [0.002], 1_000_000),
        measuring.Taken("a", report.OURS, 10, [0.004], [0.004], 2_000_000),
        measuring.Taken("a", report.OURS, 10, [0.006], [0.004], 3_000_000),
        measuring.Taken("a", "other", 10, [2.0], [2.0], 0),
        measuring.Taken("nothing", report.JSON, 10, [0.001], [0.001], 0),
        measuring.Taken("nothing, rich", report.JSON, 10, [0.002], [0.002], 0),
        measuring.Taken("a, rich", report.OURS, 10, [0.006], [0.006], 0),
        measuring.LeftOut("b", "other", 10, "would take more than 1 s"),
    ]
    rows = report.rows_of(found)
    assert [row for row in report.cells(rows, 10) if row[2] != "1 ms" and row[0] != "nothing, rich"][1:] == [
        ("a", report.OURS, "5 ms", "4 ms", "5x", "2.5x", "", "± 20%", "3 MB"),
        ("", "other", "2 s", "2 s", "2,000x", "1,000x", "400x", "", "0 MB"),
        ("a, rich", report.OURS, "6 ms", "6 ms", "3x", "", "", "", "0 MB"),
    ]
    assert report.left_out(found) == ["b, other: would take more than 1 s, 10 questions"]


def test_the_chart_shows_each_way_with_a_point_for_each_size(part: Callable[[str], Any]) -> None:
    chart, report = part("chart"), part("report")

    rows = [
        report.Row(job, name, size, cost * size, 1.0, None, 1)
        for job in (*chart.PANELS, "something else")
        for name, cost in ((report.OURS, 1e-4), ("a < b", 1e-2))
        for size in (10, 1_000, 100_000)
    ]
    root = ET.fromstring(chart.svg(rows, report.FLOOR))
    names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert names.count(report.OURS) == names.count("a < b") == len(chart.PANELS)
    assert "something else" not in names
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == len(chart.PANELS) * 2 * 3


def test_what_was_measured_is_brought_into_the_page(
    part: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, report = part("page"), part("report")
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "CHART", tmp_path / "images" / "growth.svg")
    page.PAGE.write_text(f"Before.\n{page.BEGIN}old figures\n{page.END}After.\n", encoding="utf-8")
    taken = {"job": page.EVERYTHING, "name": report.OURS, "wall": [1], "peak": 5_000_000}
    lines = [json.dumps({**taken, "size": size, "cpu": [size / 8_000]}) for size in (1_000, 100_000)]
    (tmp_path / "record.jsonl").write_text("\n".join(lines), encoding="utf-8")

    page.main([str(tmp_path / "record.jsonl")])

    text = page.PAGE.read_text(encoding="utf-8")
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert "old figures" not in text
    assert "| file → graph, verdict and entities, 1,000 questions | below 200 ms | 125 ms |" in text
    assert "100,000 questions to 1,000 | 110x at most | 100x |" in text
    assert "### 100,000 questions" in text
    assert "<svg" in page.CHART.read_text(encoding="utf-8")


def test_the_page_has_a_place_for_figures_and_its_chart(part: Callable[[str], Any]) -> None:
    page = part("page")
    text = page.PAGE.read_text(encoding="utf-8")
    assert text.count(page.BEGIN) == text.count(page.END) == 1
    assert str(page.CHART.relative_to(page.DOCS)) in text
    ET.fromstring(page.CHART.read_text(encoding="utf-8"))
