"""Selection: which findings count."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.rules import Rule, catalogue
from checkpoint_ld.validation.report import Checked
from checkpoint_ld.validation.selection import Selection, codes_of, selection

RULES = {
    code: Rule(code, slug, slug, Severity.WARNING, condition=condition)
    for code, slug, condition in (
        ("KQ001", "item-object", "E-TEXT"),
        ("KQ003", "question-text", "E-TEXT"),
        ("KR016", "rating-range", "W-RANGE"),
        ("KD001", "json", "E-JSON"),
        ("MY1", "own", ""),
    )
}


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (["KQ003"], {"KQ003"}),
        (["kq003", " KR016 "], {"KQ003", "KR016"}),
        (["KQ"], {"KQ001", "KQ003"}),
        (["KQ,W-RANGE", "own,"], {"KQ001", "KQ003", "KR016", "MY1"}),
        (["question-text"], {"KQ003"}),
        (["E-TEXT"], {"KQ001", "KQ003"}),
        (["K"], {"KQ001", "KQ003", "KR016", "KD001"}),
        (["", ","], set()),
    ],
)
def test_names_mean_codes(names: list[str], codes: set[str]) -> None:
    assert codes_of(names, RULES) == codes


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("KQ004", "did you mean KQ003"),
        ("question-txt", "did you mean question-text?"),
        ("w-rang", "did you mean W-RANGE?"),
        ("xyz", "`checkpoint-ld rules` lists all of them"),
        ("x" * 100_000, "lists all of them"),
    ],
)
def test_a_name_that_means_nothing_is_refused_with_what_is_like_it(name: str, advice: str) -> None:
    with pytest.raises(SettingsError, match="there is no rule") as caught:
        codes_of([f"KQ003,{name}"], RULES)
    assert advice in str(caught.value)
    assert len(str(caught.value)) < 200


def test_every_shipped_rule_is_found_by_code_slug_and_condition() -> None:
    known = catalogue()
    for rule in known.values():
        assert codes_of([rule.code], known) == {rule.code}
        assert codes_of([rule.slug], known) == {rule.code}
        assert not rule.condition or rule.code in codes_of([rule.condition], known)


def checked(*codes: str, source: str | None = "data/old/a.json", is_read: bool = True) -> Checked:
    findings = tuple(Finding(code, Severity.WARNING, "wrong") for code in codes)
    return Checked(source, findings, "v2.0", results=Graph() if is_read else None)


def kept(chosen: Selection, one: Checked) -> list[str]:
    return [found.code for found in chosen.applied(one).findings]


def test_nothing_is_left_out_unless_asked_for() -> None:
    assert kept(selection(RULES), checked("KQ001", "KQ003", "KR016")) == ["KQ001", "KQ003", "KR016"]


def test_selected_and_ignored_rules() -> None:
    chosen = selection(RULES, select=["KQ"], ignore=["KQ001"])
    assert kept(chosen, checked("KQ001", "KQ003", "KR016", "KQ003")) == ["KQ003", "KQ003"]
    assert chosen.allows("KQ003")
    assert not chosen.allows("KQ001")
    assert not chosen.allows("KR016")


def test_what_keeps_a_file_from_being_read_is_only_left_out_by_name() -> None:
    one = checked("KD001", is_read=False)
    assert kept(selection(RULES, select=["KQ"]), one) == ["KD001"]
    assert kept(selection(RULES, ignore=["E-JSON"]), one) == []


@pytest.mark.parametrize(
    ("glob", "source", "codes"),
    [
        ("data/old/*", "data/old/a.json", ["KR016"]),
        ("a.json", "data/old/a.json", ["KR016"]),
        ("data", "data/old/a.json", ["KR016"]),
        ("old/*", "data/old/a.json", ["KQ003", "KR016"]),
        ("data/old/*", None, ["KQ003", "KR016"]),
    ],
)
def test_rules_are_ignored_in_files_that_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, glob: str, source: str | None, codes: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = selection(RULES, per_file={glob: ["E-TEXT"]}, folder=tmp_path)
    assert kept(chosen, checked("KQ003", "KR016", source=source)) == codes
    if source is not None:
        absolute = checked("KQ003", "KR016", source=str(tmp_path / source))
        assert kept(chosen, absolute) == codes
        assert chosen.allows("KQ003", source) is ("KQ003" in codes)
