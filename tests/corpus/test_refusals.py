"""Documents under validation: which are read all the same, which are refused, and what is said about them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from checkpoint_ld import Benchmark, Finding, ReadError, Severity
from checkpoint_ld.entities.json_schemas import json_schema
from checkpoint_ld.families import checking
from checkpoint_ld.validation import profiles
from tests.corpus import DIALECTS, Json, expectations, lines

CHECKPOINT = Draft202012Validator(json_schema("checkpoint"))
FOLDERS = (*DIALECTS, "tricky", "rejected")
NOT_ABOUT_VALUES = {"E-JSON", "E-ENCODING", "E-DUPKEY", "E-NUMBER", "E-SURROGATE"}
"""What no schema can see: it is gone, or stands in the way, once a text has become values."""


def cases(corpus: Path, folder: str) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = json.loads((corpus / folder / "index.json").read_text(encoding="utf-8"))
    assert found
    return found


def errors(path: Path) -> list[tuple[str, str]]:
    value = json.loads(path.read_text(encoding="utf-8-sig"))
    return [(error.json_path, error.message) for error in CHECKPOINT.iter_errors(value)]


def meets(findings: tuple[Finding, ...], wanted: list[list[str]]) -> bool:
    """Tell whether the findings are those that are wanted; a pointer that is wanted empty leaves the place open."""
    found = sorted((one.condition, one.place.pointer or "") for one in findings)
    asked = sorted((code, pointer) for code, pointer in wanted)
    return len(found) == len(asked) and all(
        code == asked_code and (pointer == asked_pointer or not asked_pointer)
        for (code, pointer), (asked_code, asked_pointer) in zip(found, asked, strict=True)
    )


def test_an_odd_document_is_read_with_warnings_and_refused_if_the_reader_is_strict(corpus: Path) -> None:
    for case in cases(corpus, "tricky"):
        benchmark = Benchmark.load(corpus / case["file"])
        assert meets(benchmark.findings, case.get("warnings", [])), (case["file"], benchmark.findings)
        assert benchmark.name, case["file"]
        if case.get("warnings"):
            with pytest.raises(ReadError) as refused:
                Benchmark.load(corpus / case["file"], strict=True)
            assert meets(refused.value.findings, case["warnings"]), case["file"]
        else:
            assert Benchmark.load(corpus / case["file"], strict=True).findings == (), case["file"]


def test_a_broken_document_is_refused_with_all_that_is_wrong_by_file_line_code_and_remedy(corpus: Path) -> None:
    for case in cases(corpus, "rejected"):
        with pytest.raises(ReadError) as refused:
            Benchmark.load(corpus / case["file"])
        wrong = refused.value.findings
        assert {one.severity for one in wrong} == {Severity.VIOLATION}, case["file"]
        assert meets(wrong, case["errors"]), (case["file"], str(refused.value))
        for one in wrong:
            line = str(one)
            assert line.startswith(f"{corpus / case['file']}:"), line
            assert one.place.line is not None or one.condition == "E-ENCODING", line
            assert one.message, line
            assert one.remedy, line
            assert all(said in line for said in (one.condition, one.remedy)), line
        assert str(refused.value).splitlines() == list(map(str, wrong)), case["file"]


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


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_karenina_refuses_is_reported_and_what_it_loads_is_no_violation(corpus: Path, folder: str) -> None:
    rows = [row for row in lines(corpus, "tables/projections.jsonl.gz") if row["file"].startswith(f"{folder}/")]
    assert rows
    for row in rows:
        checked = checking.check(corpus / row["file"], profiles.profile())
        worst = max((one.severity for one in checked.findings), default=None)
        found = [str(one) for one in checked.findings if one.severity is Severity.VIOLATION]
        if row["ours"] == "reject":
            assert found, row["file"]
        elif "error" in row:
            assert worst is not None, row
            assert worst >= Severity.WARNING, row
        else:
            assert found == [], row["file"]


@pytest.mark.slow
@pytest.mark.parametrize("folder", [one for one in FOLDERS if one != "rejected"])
def test_every_finding_of_a_json_document_has_its_place(corpus: Path, folder: str) -> None:
    for path in sorted((corpus / folder).iterdir()):
        for found in checking.check(path.read_bytes(), profiles.profile()).findings if path.stem != "index" else ():
            assert found.place.pointer is not None, found
            assert found.place.line is not None, found
            assert found.message
            assert "{?" not in found.message


@pytest.mark.slow
def test_documents_of_karenina_and_odd_ones_that_are_read_pass_the_schema(corpus: Path) -> None:
    for dialect in ("datafeed-ns-v3", "datafeed-legacy"):
        for case in expectations(corpus, dialect):
            assert errors(corpus / case["file"]) == [], case["file"]
    odd = [corpus / case["file"] for case in cases(corpus, "tricky")]
    values = {path: json.loads(path.read_text(encoding="utf-8-sig")) for path in odd}
    plain = [path for path, value in values.items() if isinstance(value, dict) and "name" in value]
    assert {path.name: found for path in plain if (found := errors(path))} == {}
    assert len(plain) > len(odd) * 3 / 4


def test_documents_that_are_refused_for_their_values_fail_the_schema(corpus: Path) -> None:
    found = cases(corpus, "rejected")
    about_values = [case for case in found if NOT_ABOUT_VALUES.isdisjoint(code for code, _ in case["errors"])]
    assert about_values
    for case in about_values:
        assert errors(corpus / case["file"]), case["file"]
