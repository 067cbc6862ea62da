"""What Karenina was seen to do with each primitive, row by row, where ours does not do better on purpose."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.entities import TracePrimitive, VerificationPrimitive, primitive_of
from checkpoint_ld.errors import EvaluationError

Sets = list[dict[str, Any]]

NOT_BUILT = {("ExactMatch", "error-at-use"), ("RegexMatch", "error-at-use"), ("SetContainment", "error-at-use")}


@pytest.fixture(scope="module")
def table(corpus: Path) -> Sets:
    text = gzip.decompress((corpus / "tables" / "primitives.jsonl.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def outcome(primitive: VerificationPrimitive, extracted: Any, expected: Any) -> tuple[Any, Any]:
    try:
        if isinstance(primitive, TracePrimitive) and expected is None:
            return primitive.check_trace(extracted), None
        return primitive.check(extracted, expected), primitive.score(extracted, expected)
    except EvaluationError:
        return "refused", "refused"


def wanted(result: Any) -> Any:
    return "refused" if isinstance(result, dict) else result


def sound(mark: str | None, name: str) -> bool:
    return (name, mark) not in NOT_BUILT and mark != "unknown-flag-ignored"


@pytest.mark.slow
def test_unmarked_rows_are_reproduced(table: Sets) -> None:
    compared = 0
    for one in table[:-1]:
        rows = [row for row in one["rows"] if row[4] is None]
        if not rows or not all(sound(row[4], one["primitive"]["type"]) for row in one["rows"]):
            continue
        primitive = primitive_of(one["primitive"])
        for extracted, expected, check, score, _, _ in rows:
            passed, credit = outcome(primitive, extracted, expected)
            assert (passed, type(passed)) == (wanted(check), type(wanted(check))), (
                one["primitive"],
                extracted,
                expected,
            )
            if score is not None and credit is not None:
                assert credit == pytest.approx(wanted(score)), (one["primitive"], extracted, expected)
            compared += 1
    assert compared > 4000


def test_marked_rows_have_our_result(table: Sets) -> None:
    compared = 0
    for one in table[:-1]:
        rows = [
            row
            for row in one["rows"]
            if row[4] is not None and row[5] is not None and sound(row[4], one["primitive"]["type"])
        ]
        for extracted, expected, _, _, mark, ours in rows:
            passed, _ = outcome(primitive_of(one["primitive"]), extracted, expected)
            assert passed == wanted(ours), (one["primitive"], extracted, expected, mark)
            compared += 1
    assert compared > 200


def test_what_fails_at_every_use_is_refused_when_built(table: Sets) -> None:
    refused = {
        json.dumps(one["primitive"])
        for one in table[:-1]
        for row in one["rows"]
        if not sound(row[4], one["primitive"]["type"])
    }
    assert len(refused) == 4
    for text in refused:
        with pytest.raises(ValueError, match="validation error"):
            primitive_of(json.loads(text))


def test_parameters_that_make_no_sense_are_refused_when_built(table: Sets) -> None:
    for parameters, _ in table[-1]["construct_errors"]:
        with pytest.raises(ValueError, match=r"validation error|there is no primitive"):
            primitive_of(parameters)
