"""Documents that are odd on purpose: which are read all the same, which are refused, and what is stated about them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark, Finding, ReadError, Severity
from tests.corpus import Json, lines


def cases(corpus: Path, folder: str) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = json.loads((corpus / folder / "index.json").read_text(encoding="utf-8"))
    assert found
    return found


def meets(findings: tuple[Finding, ...], wanted: list[list[str]]) -> bool:
    """Tell whether the findings are those that are wanted; a pointer that is wanted empty leaves the place open."""
    found = sorted((one.condition, one.place.pointer or "") for one in findings)
    given = sorted((code, pointer) for code, pointer in wanted)
    return len(found) == len(given) and all(
        code == asked_code and (pointer == asked_pointer or not asked_pointer)
        for (code, pointer), (asked_code, asked_pointer) in zip(found, given, strict=True)
    )


def test_an_unusual_document_is_read_with_warnings(corpus: Path) -> None:
    for case in cases(corpus, "tricky"):
        benchmark = Benchmark.load(corpus / case["file"])
        assert meets(benchmark.findings, case.get("warnings", [])), (case["file"], benchmark.findings)
        assert benchmark.name, case["file"]


def test_an_unusual_document_is_refused_if_the_reader_is_strict(corpus: Path) -> None:
    for case in cases(corpus, "tricky"):
        if case.get("warnings"):
            with pytest.raises(ReadError) as refused:
                Benchmark.load(corpus / case["file"], strict=True)
            assert meets(refused.value.findings, case["warnings"]), case["file"]
        else:
            assert Benchmark.load(corpus / case["file"], strict=True).findings == (), case["file"]


def test_a_broken_document_is_refused_with_all_that_is_wrong(corpus: Path) -> None:
    for case in cases(corpus, "rejected"):
        with pytest.raises(ReadError) as refused:
            Benchmark.load(corpus / case["file"])
        wrong = tuple(one for one in refused.value.findings if one.severity is Severity.VIOLATION)
        assert wrong == refused.value.findings, case["file"]
        assert meets(wrong, case["errors"]), (case["file"], str(refused.value))


def test_a_refusal_names_file_line_code_and_remedy(corpus: Path) -> None:
    for case in cases(corpus, "rejected"):
        with pytest.raises(ReadError) as refused:
            Benchmark.load(corpus / case["file"])
        for one in refused.value.findings:
            line = str(one)
            assert line.startswith(f"{corpus / case['file']}:"), line
            assert one.place.line is not None or one.condition == "E-ENCODING", line
            assert one.condition in line, line
            assert one.message, line
            assert one.remedy in line, line
            assert one.remedy, line
        assert str(refused.value).splitlines() == list(map(str, refused.value.findings)), case["file"]


def test_no_code_of_a_document_is_run(corpus: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = dict(os.environ)
    monkeypatch.chdir(tmp_path)
    for case in cases(corpus, "tricky"):
        benchmark = Benchmark.load(corpus / case["file"])
        assert isinstance(benchmark.scenarios, list)
        benchmark.get_all_questions()
        benchmark.save(tmp_path / "copy.json")
    assert dict(os.environ) == before


def test_what_karenina_takes_and_we_refuse_is_refused_for_a_reason(corpus: Path) -> None:
    refused = [row for row in lines(corpus, "tables/projections.jsonl.gz") if row["ours"] == "reject"]
    assert any("projection" in row for row in refused)
    for row in refused:
        with pytest.raises(ReadError, match="E-"):
            Benchmark.load(corpus / row["file"])
