"""The JSON Schema of the checkpoint document, held against real documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from checkpoint_ld.entities.json_schemas import json_schema
from tests.corpus import Json, expectations

CHECKPOINT = Draft202012Validator(json_schema("checkpoint"))

NOT_ABOUT_VALUES = {"E-JSON", "E-ENCODING", "E-DUPKEY", "E-NUMBER", "E-SURROGATE"}
"""What no schema can see: it is gone, or stands in the way, once a text has become values."""


def document(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8-sig"))


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["datafeed-ns-v3", "datafeed-legacy"])
def test_documents_of_karenina_pass(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        errors = [(error.json_path, error.message) for error in CHECKPOINT.iter_errors(document(corpus / case["file"]))]
        assert errors == [], case["file"]


@pytest.mark.slow
def test_unusual_documents_that_are_read_pass_if_their_keys_are_plain(corpus: Path) -> None:
    cases = json.loads((corpus / "tricky/index.json").read_text(encoding="utf-8"))
    passed = 0
    for case in cases:
        value = document(corpus / case["file"])
        if isinstance(value, dict) and "name" in value:
            errors = [(error.json_path, error.message) for error in CHECKPOINT.iter_errors(value)]
            assert errors == [], case["file"]
            passed += 1
    assert passed > len(cases) * 3 / 4


def test_documents_that_are_refused_for_their_values_fail(corpus: Path) -> None:
    cases = json.loads((corpus / "rejected/index.json").read_text(encoding="utf-8"))
    about_values = [case for case in cases if NOT_ABOUT_VALUES.isdisjoint(code for code, _ in case["errors"])]
    assert about_values
    for case in about_values:
        assert not CHECKPOINT.is_valid(document(corpus / case["file"])), case["file"]
