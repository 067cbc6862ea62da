"""Real documents under validation: no false violation, and nothing that Karenina refuses goes without a finding."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import families
from checkpoint_ld.findings import Severity
from checkpoint_ld.validation import profiles

FOLDERS = (
    *("v2.0-other", "v2.0-traits-key", "v2.0", "flat", "dataset-0", "dataset-1", "gui-datafeed", "datafeed-legacy"),
    *("datafeed-ns-v3", "tricky", "rejected"),
)


def observed(corpus: Path, folder: str) -> list[dict[str, Any]]:
    """Return what was seen of Karenina for the documents of a folder."""
    with gzip.open(corpus / "tables" / "projections.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["file"].startswith(f"{folder}/")]


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_karenina_refuses_is_reported_and_what_it_loads_is_no_violation(corpus: Path, folder: str) -> None:
    rows = observed(corpus, folder)
    assert rows
    for row in rows:
        checked = families.check(corpus / row["file"], profiles.profile())
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
        if path.name == "index.json":
            continue
        data = path.read_bytes()
        for found in families.check(data, profiles.profile()).findings:
            assert found.place.pointer is not None, found
            assert found.place.line is not None, found
            assert found.message
            assert "{?" not in found.message
