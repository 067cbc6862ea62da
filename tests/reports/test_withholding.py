"""Secrets: a report that says that there is one does not say which."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from checkpoint_ld.findings import Severity
from checkpoint_ld.rules import Rule
from checkpoint_ld.validation.reports import FORMATS, Settings, render
from checkpoint_ld.validation.results import Checked, Report
from checkpoint_ld.vocabulary import SHAPES
from tests.reports.samples import RULES, found, report

SECRET = "sk-abcdefghijklmnopqrstuvwxyz"
MODEL: Any = {"model": "x", "api_key": SECRET}
SHAPE = SHAPES + "model-secret"
RULE = Rule("KR052", "model-secret", "something like a secret", Severity.WARNING, shape=SHAPE, form="no-secret")


def checked(indent: int | None) -> Checked:
    """Return a source with a secret, a finding of it, and a finding of another rule at the secret itself."""
    text = json.dumps({"name": "", "model": MODEL, "text": ""}, indent=indent)
    findings = (
        replace(found("KR052", "there is something like a secret"), place=at(text, '{"m', "{\n")),
        replace(found("KT010", "a second finding"), place=at(text, f'"{SECRET}')),
        replace(found("KQ003", "a third finding"), place=at(text, '""}', '""\n')),
    )
    return Checked("a.json", findings, None, text)


def at(text: str, *beginnings: str) -> Any:
    """Return the place of the last occurrence of what the text has of `beginnings`."""
    offset = max(text.rfind(beginning) for beginning in beginnings)
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return found(line=line, column=column).place


def with_secret(indent: int | None) -> Report:
    return report(checked(indent), rules={**RULES, "KR052": RULE})


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("indent", [None, 1])
def test_no_format_repeats_a_secret(name: str, indent: int | None) -> None:
    text = render(with_secret(indent), name, Settings(width=400))

    assert SECRET not in text
    assert "something like a secret" in text


def test_without_the_rule_for_secrets_there_would_be_one_to_repeat() -> None:
    assert SECRET in render(report(checked(1)), "text")


def test_other_lines_are_shown() -> None:
    text = render(with_secret(1), "text")

    assert '    7 | "text": ""\n' in text
    assert text.count(" | ") == 2
