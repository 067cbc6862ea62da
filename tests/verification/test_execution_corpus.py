"""Real templates, run: those of real checkpoints find their own ground truth right, and nothing else."""

import json
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.templates.execution import run_template
from checkpoint_ld.workers.trusted import Trust

ENOUGH = 8

pytestmark = [
    pytest.mark.filterwarnings("ignore::checkpoint_ld.errors.StoredCodeWarning"),
    pytest.mark.usefixtures("in_this_process"),
]


@pytest.mark.slow
def test_observed_templates_find_what_was_observed(corpus: Path) -> None:
    for table in json.loads((corpus / "tables/templates.json").read_text(encoding="utf-8")):
        for row in table["rows"][:2]:
            sample = dict(zip(table["columns"], row, strict=True))
            found = run_template(table["code"], sample["fields"], None, None, Trust())
            assert found.passed is sample["verify"]
            assert {field.name: field.passed for field in found.fields} == sample["field_results"]
            assert {field.name: field.score for field in found.fields} == pytest.approx(sample["field_scores"])
            if table["granular_is_reference"]:
                assert found.granular_score == pytest.approx(sample["granular"])


@pytest.mark.slow
def test_classic_templates_find_their_own_ground_truth_right(corpus: Path) -> None:
    tried = 0
    for source, truth in _classic(corpus):
        found = run_template(source, truth, None, None, Trust())
        assert (found.passed, found.level) == (True, Level.CLASSIC), found.reason
        other = {name: _other(value) for name, value in truth.items()}
        assert run_template(source, other, None, None, Trust()).passed is False
        tried += 1
    assert tried == ENOUGH


def _classic(corpus: Path) -> list[tuple[str, dict[str, object]]]:
    """Return classic templates, no two alike, with the ground truth of all of their fields."""
    found: dict[str, dict[str, object]] = {}
    for file in sorted((corpus / "datafeed-ns-v3").glob("*.json*")):
        for question in Benchmark.load(file).questions:
            template = read_template(question.answer_template)
            names = {field.name for field in template.plain_fields}
            if template.level is Level.CLASSIC and template.ground_truth and names <= template.ground_truth.keys():
                found.setdefault(question.answer_template or "", dict(template.ground_truth))
        if len(found) >= ENOUGH:
            break
    return list(found.items())[:ENOUGH]


def _other(value: object) -> object:
    if isinstance(value, bool):
        return not value
    return value + 1000 if isinstance(value, int | float) else ["other"] if isinstance(value, list) else "other"
