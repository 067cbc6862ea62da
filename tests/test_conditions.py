"""The catalogue of conditions: complete, and speaking for every finding that is built from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import checkpoint_ld.conditions
from checkpoint_ld.conditions import CONDITIONS, Condition, finding
from checkpoint_ld.findings import Place, Severity

SOURCES = Path(checkpoint_ld.conditions.__file__).parent
CODE = re.compile(r"""["'`]([EW]-[A-Z]+(?:-[A-Z]+)*)["'`]""")


def codes_in_use() -> set[str]:
    files = (path for path in SOURCES.rglob("*.py") if path.name != "conditions.py")
    return {code for path in files for code in CODE.findall(path.read_text(encoding="utf-8"))}


def test_every_code_in_the_sources_is_in_the_catalogue() -> None:
    in_use = codes_in_use()

    assert "E-TRAIT-TYPE" in in_use, "the search for codes finds none"
    assert in_use <= CONDITIONS.keys()


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=lambda condition: condition.code)
def test_a_condition_says_what_is_wrong_why_it_matters_and_what_to_do(condition: Condition) -> None:
    assert CODE.fullmatch(f'"{condition.code}"')
    assert condition.title
    assert condition.why.endswith(".")
    assert condition.remedy
    assert not condition.remedy.endswith(".")


def test_the_first_letter_of_a_code_is_its_severity() -> None:
    assert CONDITIONS["E-NAME"].severity is Severity.VIOLATION
    assert CONDITIONS["W-VALUE"].severity is Severity.WARNING


def test_a_finding_takes_severity_and_remedy_from_the_catalogue() -> None:
    found = finding("E-NAME", "the name is missing", pointer="/name")

    assert found.severity is Severity.VIOLATION
    assert found.remedy == CONDITIONS["E-NAME"].remedy
    assert found.place == Place(pointer="/name")


def test_a_finding_keeps_what_it_is_given() -> None:
    found = finding("W-VALUE", "odd", subject='trait "x"', remedy="do this", dialect="flat")

    assert str(found) == 'W-VALUE trait "x": odd; do this (dialect flat)'
    assert found.place.pointer is None


def test_an_empty_remedy_stays_empty() -> None:
    assert finding("W-VALUE", "odd", remedy="").remedy == ""


def test_a_code_that_is_not_in_the_catalogue_is_refused() -> None:
    with pytest.raises(KeyError, match="E-NONSENSE"):
        finding("E-NONSENSE", "nothing")
