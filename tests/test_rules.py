"""The catalogue of rules: complete, and speaking for every finding that is built from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import checkpoint_ld
from checkpoint_ld import rules
from checkpoint_ld.findings import Place, Severity
from checkpoint_ld.rules import Rule, finding

SOURCES = Path(checkpoint_ld.__file__).parent
IN_USE = re.compile(r'(?:finding|report|problem)\(\s*"([a-z-]+)"')
CONDITIONS = frozenset(
    (
        *("E-JSON", "E-ENCODING", "E-DUPKEY", "E-NUMBER", "E-DEPTH", "E-SURROGATE", "E-SIZE", "E-RDF", "E-JSONLD"),
        *("E-ROOT", "E-NAME", "E-VALUE", "E-MIXED", "E-PROPERTY", "E-TEXT", "E-ANSWER", "E-TEMPLATE", "E-TRAIT"),
        *("E-TRAIT-TYPE", "E-SCOPE-ROOT", "E-RATING", "E-SCENARIO", "W-BOM", "W-FORM", "W-CONTEXT"),
        *("W-TYPE-MISSING", "W-LOSS", "W-LEGACY-PROPERTY", "W-DATE-MISSING", "W-DATE-FORMAT", "W-VERSION-TYPE"),
        *("W-FORMAT-VERSION", "W-VALUE", "W-ANSWER-MISSING", "W-TEMPLATE-MISSING", "W-TEMPLATE-SYNTAX"),
        *("W-DUP-ID", "W-ID-GENERATED", "W-SCOPE", "W-RANGE", "W-FRACTION", "W-TRAIT-DEFAULT", "W-CODE"),
        *("W-DUP-TRAIT", "W-TRAIT-NAME", "W-SCENARIO-REF", "W-PART"),
    )
)


def test_every_rule_that_the_sources_name_is_in_the_catalogue() -> None:
    files = SOURCES.rglob("*.py")
    in_use = {slug for path in files for slug in IN_USE.findall(path.read_text(encoding="utf-8"))}

    assert "no-checkpoint" in in_use, "the search for rules finds none"
    assert in_use <= rules.by_slug().keys()


def test_every_condition_of_the_format_is_some_rule() -> None:
    assert {rule.condition for rule in rules.catalogue().values()} - {""} == CONDITIONS


@pytest.mark.parametrize("rule", rules.catalogue().values(), ids=lambda rule: rule.slug)
def test_a_rule_states_what_is_wrong_why_it_matters_and_what_to_do(rule: Rule) -> None:
    assert re.fullmatch(r"[AK][A-Z]\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", rule.slug)
    assert rule.title
    assert rule.family
    assert rule.why.endswith(".")
    assert rule.remedy
    assert not rule.remedy.endswith(".")


@pytest.mark.parametrize("rule", rules.catalogue().values(), ids=lambda rule: rule.slug)
def test_the_first_letter_of_a_condition_is_its_severity(rule: Rule) -> None:
    expected = {"E": Severity.VIOLATION, "W": Severity.WARNING}

    assert rule.severity is expected.get(rule.condition[:1], rule.severity)


def test_codes_and_slugs_are_given_once() -> None:
    catalogue = rules.catalogue()

    assert len({rule.slug for rule in catalogue.values()}) == len(catalogue)
    assert list(catalogue) == sorted(catalogue)
    assert all(code == rule.code for code, rule in catalogue.items())


def test_a_finding_takes_severity_and_remedy_from_its_rule() -> None:
    found = finding("byte-order-mark", "there is one", pointer="/a", subject="question", dialect="flat")

    assert (found.code, found.rule, found.condition) == ("KD008", "byte-order-mark", "W-BOM")
    assert found.severity is Severity.WARNING
    assert found.remedy == rules.by_slug()["byte-order-mark"].remedy
    assert (found.place, found.subject, found.dialect) == (Place(pointer="/a"), "question", "flat")


def test_a_remedy_of_its_own_replaces_that_of_the_rule() -> None:
    assert finding("byte-order-mark", "there is one", remedy="take it away").remedy == "take it away"


def test_a_rule_that_nobody_knows_is_refused() -> None:
    with pytest.raises(KeyError):
        finding("no-such-rule", "message")
