"""Every rule of benchmarks by example: one document keeps it, one breaks it, with the finding at its exact place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from checkpoint_ld import data, families, rules
from checkpoint_ld.findings import Finding
from checkpoint_ld.rules import Example, Rule, example
from checkpoint_ld.validation import profiles

NEVER_BROKEN_BY_A_FILE = frozenset({"callable-code-encoded", "loss", "recorded-differs", "recorded-unknown", "size"})
"""Rules about writing, and about limits that no example can be large enough for."""

RULES = [
    rule
    for rule in rules.catalogue().values()
    if rule.slug not in NEVER_BROKEN_BY_A_FILE and not rule.code.startswith("A")
]


def findings(text: bytes, expected: Example) -> tuple[Finding, ...]:
    syntax = "turtle" if expected.file.endswith(".ttl") else "json"
    return families.check(text, profiles.profile(expected.profile), syntax=syntax).findings


def the_example(rule: Rule) -> Example:
    made = example(rule.code)
    assert made is not None, f"{rule.code} {rule.slug} has no example"
    return made


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.code}-{rule.slug}")
def test_a_document_that_keeps_the_rule_has_no_finding_of_it_and_no_violation(rule: Rule) -> None:
    made = the_example(rule)

    assert [str(one) for one in findings(made.valid, made) if one.code == rule.code or one.severity > 2] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.code}-{rule.slug}")
def test_a_document_that_breaks_the_rule_has_one_finding_more_and_it_is_this_one(rule: Rule) -> None:
    made = the_example(rule)
    before = {one.code for one in findings(made.valid, made)}
    [found] = [one for one in findings(made.invalid, made) if one.code not in before]

    assert (found.code, found.rule, found.condition) == (rule.code, rule.slug, rule.condition)
    assert found.severity is rule.severity or made.profile != "karenina"
    assert "{?" not in found.message
    if found.place.pointer is not None:
        assert found.place.pointer == made.pointer
    if found.place.line is not None and rule.family != "Documents":
        assert_points_at(made, found)


def assert_points_at(expected: Example, found: Finding) -> None:
    """Hold line and column against the text: there starts the value, or the nearest object that is there."""
    assert found.place.line is not None
    assert found.place.column is not None
    lines = expected.invalid.decode().splitlines(keepends=True)
    rest = lines[found.place.line - 1][found.place.column - 1 :] + "".join(lines[found.place.line :])
    value, is_member, key = resolved(json.loads(expected.invalid), expected.pointer)
    if found.rule in ("member-misspelt", "member-misplaced"):
        assert rest.startswith(json.dumps(key, ensure_ascii=False))
        return
    read, _ = json.JSONDecoder().raw_decode(rest)
    assert read == value, is_member


def resolved(tree: Any, pointer: str) -> tuple[Any, bool, str]:
    """Return the value at `pointer` or the nearest one above it, whether it is there, and its key."""
    value, key = tree, ""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError, TypeError):
            return value, False, key
    return value, True, key


def test_every_example_is_of_a_rule() -> None:
    held = {path.stem for path in (data.folder("shapes") / "examples").glob("K*.json")}

    assert held == {rule.code for rule in RULES}
