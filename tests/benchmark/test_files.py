"""Exports to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark, SettingsError, WriteError
from tests.benchmark.samples import benchmark


@pytest.mark.parametrize("name", ["a.json", "a", "A.JSON", "a-1.0"])
def test_what_has_no_extension_of_its_own_is_json(tmp_path: Path, name: str) -> None:
    made = benchmark()
    made.export_to_file(tmp_path / name)
    assert json.loads((tmp_path / name).read_bytes()) == json.loads(json.dumps(made.to_dict()))


def test_the_extension_tells_the_format(tmp_path: Path) -> None:
    made = benchmark()
    for name in ("a.csv", "a.md", "a.Markdown", "a.jsonld"):
        made.export_to_file(tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes().decode() == made.to_csv()
    assert (tmp_path / "a.md").read_text("utf-8") == (tmp_path / "a.Markdown").read_text("utf-8") == made.to_markdown()
    assert Benchmark.load(tmp_path / "a.jsonld") == made


def test_a_format_counts_more_than_the_extension(tmp_path: Path) -> None:
    benchmark().export_to_file(str(tmp_path / "a.json"), format="csv")
    assert (tmp_path / "a.json").read_text("utf-8").startswith("Question ID,")
    for name in ("markdown", "md"):
        benchmark().export_to_file(tmp_path / "a.json", name)
        assert (tmp_path / "a.json").read_text("utf-8").startswith("# Metals")


def test_another_format_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="json, csv, markdown, jsonld"):
        benchmark().export_to_file(tmp_path / "a.json", format="yaml")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        benchmark().export_to_file(tmp_path / "no such folder" / "a.json")
    assert list(tmp_path.iterdir()) == []
