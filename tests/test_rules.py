"""The catalogue of rules: complete, and speaking for every finding that is built from it."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest
from rdflib import Graph

import checkpoint_ld
from checkpoint_ld import rules
from checkpoint_ld.batch.configuration import Configuration, find, of_file
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.rules import Rule, catalogue, finding
from checkpoint_ld.validation.results import Checked
from checkpoint_ld.validation.selection import Selection, codes_of, selection

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


# --- Selection: which findings count, and what a project has set about it.


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
        assert codes_of([rule.code], known) == codes_of([rule.slug], known) == {rule.code}
        assert not rule.condition or rule.code in codes_of([rule.condition], known)


def checked(*codes: str, source: str | None = "data/old/a.json", is_read: bool = True) -> Checked:
    findings = tuple(Finding(code, Severity.WARNING, "wrong") for code in codes)
    return Checked(source, findings, "v2.0", results=Graph() if is_read else None)


def kept(chosen: Selection, one: Checked) -> list[str]:
    return [found.code for found in chosen.applied(one).findings]


def test_selected_and_ignored_rules() -> None:
    assert kept(selection(RULES), checked("KQ001", "KQ003", "KR016")) == ["KQ001", "KQ003", "KR016"]
    chosen = selection(RULES, select=["KQ"], ignore=["KQ001"])
    assert kept(chosen, checked("KQ001", "KQ003", "KR016", "KQ003")) == ["KQ003", "KQ003"]
    assert [code for code in RULES if chosen.allows(code)] == ["KQ003"]


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
        assert kept(chosen, checked("KQ003", "KR016", source=str(tmp_path / source))) == codes
        assert chosen.allows("KQ003", source) is ("KQ003" in codes)


# --- what a project has set

EVERYTHING = """
profile = "strict"
shapes = ["own/shapes", "/abs/shapes.ttl"]
select = ["KQ", "KR"]
ignore = ["KR038"]
fail-on = "warning"
max-per-rule = 3
exclude = ["drafts/**"]
[per-file-ignores]
"old/*.json" = ["KQ003", "W-RANGE"]
"""


def test_every_setting_is_read(tmp_path: Path) -> None:
    file = tmp_path / ".checkpoint-ld.toml"
    file.write_text(EVERYTHING, encoding="utf-8")
    assert asdict(find(tmp_path)) == asdict(
        Configuration(
            file=file,
            profile="strict",
            shapes=(str(tmp_path / "own/shapes"), "/abs/shapes.ttl"),
            select=("KQ", "KR"),
            ignore=("KR038",),
            fail_on="warning",
            max_per_rule=3,
            exclude=("drafts/**",),
            per_file_ignores={"old/*.json": ("KQ003", "W-RANGE")},
        )
    )


def test_the_nearest_file_with_our_table_counts_and_the_own_one_before_that_of_the_project(tmp_path: Path) -> None:
    inner, project = tmp_path / "a" / "b", tmp_path / "pyproject.toml"
    inner.mkdir(parents=True)
    project.write_text('[tool.checkpoint-ld]\nprofile = "strict"\n')
    (inner / "pyproject.toml").write_text('[tool.other]\nprofile = "legacy-dataset"\n')
    assert asdict(find(inner)) == asdict(Configuration(file=project, profile="strict"))
    (tmp_path / "a" / ".checkpoint-ld.toml").write_text("")
    assert asdict(find(inner)) == asdict(Configuration(file=tmp_path / "a" / ".checkpoint-ld.toml"))
    (tmp_path / ".checkpoint-ld.toml").write_text('profile = "karenina"\n')
    assert (find(tmp_path).profile, of_file(project).profile) == ("karenina", "strict")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail_on = 'info'", 'there is no setting "fail_on"; did you mean fail-on?'),
        ("per-file-ignore = {}", 'there is no setting "per-file-ignore"; did you mean per-file-ignores?'),
        ("zzz = 1", "use one of profile, shapes, select, ignore, fail-on, max-per-rule, exclude, per-file-ignores"),
        ("file = 'x'", 'there is no setting "file"'),
        ("fail-on = 'warnings'", 'fail-on: there is no severity "warnings"; did you mean warning?'),
        ("fail-on = 1", "fail-on is 1; write a text"),
        ("max-per-rule = true", "max-per-rule is True; write a whole number"),
        ("max-per-rule = -1", "max-per-rule is -1; write a whole number"),
        ("select = 'KQ'", 'select is "KQ"; write an array of texts'),
        ("exclude = [1]", "exclude is [1]; write an array of texts"),
        ("per-file-ignores = ['KQ']", "per-file-ignores is ['KQ']; write a table"),
        ("[per-file-ignores]\n'*' = 'KQ'", 'per-file-ignores.* is "KQ"; write an array of texts'),
        ("profile = [", "this is no TOML"),
        ("# \udce9", "this is no TOML: it is not UTF-8; save it in this encoding"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_name_of_the_file(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / ".checkpoint-ld.toml"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(SettingsError) as caught:
        find(tmp_path)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)


def test_a_table_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool]\ncheckpoint-ld = "strict"\n')
    with pytest.raises(SettingsError, match=r"tool\.checkpoint-ld is no table: write \[tool\.checkpoint-ld\] above"):
        find(tmp_path)


def test_a_file_that_is_requested_must_be_there_and_be_ours(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"x\.toml: cannot be read: No such file"):
        of_file(tmp_path / "x.toml")
    (tmp_path / "pyproject.toml").write_text("[tool]\n")
    with pytest.raises(SettingsError, match=r"no table \[tool\.checkpoint-ld\]"):
        of_file(tmp_path / "pyproject.toml")
