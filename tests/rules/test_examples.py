"""Every rule of benchmarks by example: one document keeps it, one breaks it, with the finding at its exact place."""

import json
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest
from rdflib import Graph
from rdflib.compare import to_isomorphic

import checkpoint_ld
from checkpoint_ld import Severity, data, families, rules
from checkpoint_ld.findings import Finding
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.store import Index
from checkpoint_ld.rules import Example, Rule, example
from checkpoint_ld.validation import profiles
from tests.documents import canonical, item, rating
from tests.rules.broken import Json

NEVER_BROKEN_BY_A_FILE = frozenset(
    {
        "answers-given-twice",
        "conflicts-undecided",
        "callable-code-encoded",
        "loss",
        "recorded-differs",
        "recorded-unknown",
        "size",
    }
)
"""Rules about writing, and about limits that no example can be large enough for."""

RULES = [
    rule
    for rule in rules.catalogue().values()
    if rule.slug not in NEVER_BROKEN_BY_A_FILE and not rule.code.startswith("A")
]


def findings(text: bytes, expected: Example) -> tuple[Finding, ...]:
    syntax = "turtle" if expected.file.endswith(".ttl") else "json"
    return families.check(text, profiles.profile(expected.profile), syntax=syntax).findings


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.code}-{rule.slug}")
def test_a_document_that_breaks_the_rule_has_one_finding_more_than_one_that_keeps_it(rule: Rule) -> None:
    made = example(rule.code)
    assert made is not None, f"{rule.code} {rule.slug} has no example"
    kept = findings(made.valid, made)
    assert [str(one) for one in kept if one.code == rule.code or one.severity > Severity.WARNING] == []
    before = {one.code for one in kept}
    own = before | ({"KN005"} - {rule.code})  # some rules are about members that Karenina drops
    [found] = [one for one in findings(made.invalid, made) if one.code not in own]

    assert (found.code, found.rule, found.condition) == (rule.code, rule.slug, rule.condition)
    assert found.severity is profiles.profile(made.profile).rules.get(rule.code, rule).severity
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
    if found.rule in ("member-misspelt", "member-misplaced", "member-unknown"):
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


# --- What was parsed beforehand is what the files of shapes say.


SCRIPT = Path(__file__).parents[2] / "docs" / "parsed_shapes.py"
FOLDER = data.folder(rules.FOLDER)
FILES = sorted(FOLDER.rglob("*.ttl"))


def graph_of(index: Index) -> Graph:
    graph = Graph()
    for subject, predicates in index.items():
        for predicate, held in predicates.items():
            for term in held if isinstance(held, list) else [held]:
                graph.add((subject, predicate, term))
    return graph


def test_what_was_parsed_beforehand_is_what_would_be_parsed_today() -> None:
    contents = runpy.run_path(str(SCRIPT))["contents"]()
    written = {file: file.read_bytes() for file in (FOLDER / rules.PARSED).rglob("*.json")}
    assert written == contents, "run python docs/parsed_shapes.py"


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_of_our_files_makes_the_same_statements_without_being_parsed(file: Path) -> None:
    stated = rules.parsed_beforehand(file)
    assert stated is not None
    beforehand, today = graph_of(emission.index_of(stated)), graph_of(emission.parse(file.read_bytes(), "turtle"))
    assert len(today) > 0
    assert to_isomorphic(beforehand) == to_isomorphic(today)
    assert [*stated] == [*rules.parsed(file)], "the order is that of the file"


def test_a_file_that_was_changed_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(FOLDER, tmp_path / "shapes")
    monkeypatch.setattr(data, "folder", lambda name: tmp_path / name)
    file = tmp_path / "shapes" / "karenina" / "names.ttl"
    assert rules.parsed_beforehand(file) is not None
    text = file.read_text(encoding="utf-8")
    title = next(rules.rules_of(file)).title
    file.write_text(text.replace(title, "a changed title"), encoding="utf-8")
    assert rules.parsed_beforehand(file) is None
    assert next(rules.rules_of(file)).title == "a changed title"
    (tmp_path / "shapes" / "karenina" / "new.ttl").write_text("<urn:x> a <urn:y> .", encoding="utf-8")
    assert rules.parsed_beforehand(tmp_path / "shapes" / "karenina" / "new.ttl") is None


def test_files_of_others_are_parsed(tmp_path: Path) -> None:
    file = tmp_path / "own.ttl"
    file.write_text('<urn:x> <urn:p> "a", "b"@en, 1, [ <urn:q> <urn:x> ] .', encoding="utf-8")
    assert rules.parsed_beforehand(file) is None
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    found = rules.statements_in(file)
    (blank,) = found.keys() - {"urn:x"}
    values = [["a", None, None], ["b", None, "en"], ["1", integer, None], blank]
    assert blank.startswith("_:own-")
    assert found == {"urn:x": {"urn:p": values}, blank: {"urn:q": ["urn:x"]}}


# --- Rules about the text and the form of a document: old names, contexts, and the Dataset dialect's own rules.


OLD = {"trait-prefix", "vocabulary-http"}


def with_old_names() -> Json:
    """Return a document of today's dialect with the names of before March 2026."""
    tree = canonical(item("Welches Metall ist flüssig?"), item("Which metal rusts?", "urn:uuid:question-metal-2"))
    tree["@context"] = {"@version": 1.1, "@vocab": "http://schema.org/", "karenina": "urn:karenina:vocab:"}
    for one in (tree, *(element["item"] for element in tree["dataFeedElement"])):
        for trait in one["rating"]:
            trait["additionalType"] = trait["additionalType"].removeprefix("karenina:")
    return tree


def dumped(tree: Json) -> bytes:
    return json.dumps(tree, indent=2, ensure_ascii=False).encode()


def located(tree: Json) -> list[tuple[str, str | None]]:
    found = families.check(dumped(tree), profiles.profile()).findings
    return [(one.rule, one.place.pointer) for one in found if one.rule in OLD]


def test_the_old_vocabulary_is_reported_once_and_the_old_name_of_a_type_at_every_rating() -> None:
    assert located(with_old_names()) == [
        ("vocabulary-http", "/@context"),
        ("trait-prefix", "/rating/0/additionalType"),
        ("trait-prefix", "/dataFeedElement/0/item/rating/0/additionalType"),
        ("trait-prefix", "/dataFeedElement/1/item/rating/0/additionalType"),
    ]


def test_an_old_name_is_reported_with_its_subject_and_the_new_one() -> None:
    found = families.check(dumped(with_old_names()), profiles.profile()).findings
    [one] = [one for one in found if one.place.pointer == "/dataFeedElement/0/item/rating/0/additionalType"]

    assert one.severity is Severity.INFO
    assert one.message == 'the type of the trait is "QuestionSpecificRegexTrait", without the prefix karenina:'
    assert one.remedy == "write karenina:QuestionSpecificRegexTrait"
    assert one.subject == 'question "Welches Metall ist flüssig?", trait "cites"'
    assert (
        dumped(with_old_names())
        .decode()
        .splitlines()[(one.place.line or 0) - 1]
        .endswith('"QuestionSpecificRegexTrait",')
    )


def test_a_file_with_old_names_is_loaded_without_a_word_even_strictly() -> None:
    assert checkpoint_ld.load(dumped(with_old_names())).findings == ()
    assert checkpoint_ld.load(dumped(with_old_names()), strict=True).dialect == "datafeed-ns-v3"


def test_the_profile_strict_warns_of_old_names() -> None:
    found = families.check(dumped(with_old_names()), profiles.profile("strict")).findings

    assert {one.severity for one in found if one.rule in OLD} == {Severity.WARNING}


@pytest.mark.parametrize("vocabulary", ["http://schema.org", "http://schema.org/"])
def test_the_old_vocabulary_is_found_with_a_slash_and_without(vocabulary: str) -> None:
    context = {"@vocab": vocabulary, "karenina": "urn:karenina:vocab:"}
    assert located({**canonical(), "@context": context}) == [("vocabulary-http", "/@context")]


@pytest.mark.parametrize(
    "tree",
    [
        canonical(),
        {**with_old_names(), "@context": {"@vocab": "http://schema.org/"}},
        {"version": "2.0", "checkpoint": {}},
        [canonical()],
    ],
    ids=["today", "before March 2026", "a state", "in an array"],
)
def test_names_that_are_new_or_belong_to_their_dialect_are_not_reported(tree: Json) -> None:
    assert located(tree) == []


@pytest.mark.parametrize("ratings", [None, "cites", [None, "cites", 5, {"additionalType": ["GlobalRegexTrait"]}]])
def test_what_is_no_rating_has_no_old_name(ratings: Json) -> None:
    assert located({**canonical(), "rating": ratings}) == []


def test_a_type_that_nobody_knows_is_a_fault_and_no_old_name() -> None:
    trait = {**rating("tone", "Global"), "additionalType": "GlobalRegxTrait"}
    found = families.check(dumped({**canonical(), "rating": [trait]}), profiles.profile()).findings

    assert [one.rule for one in found if one.place.pointer == "/rating/0/additionalType"] == ["trait-type"]


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (7, "the @context is 7, not an object; keys are read as they are"),
        (None, "the @context is null, not an object; keys are read as they are"),
        ({}, "the @vocab of the @context is missing, not schema.org's; keys are read as they are"),
        ({"@vocab": "https://example.org/"}, 'the @vocab of the @context is "https://example.org/", not schema.org\'s'),
    ],
)
def test_a_context_that_means_something_else_is_named(context: Json, message: str) -> None:
    found = checkpoint_ld.load(dumped({**canonical(), "@context": context})).findings
    [one] = [one for one in found if one.rule in ("context", "context-not-object")]

    assert one.message.startswith(message)
    assert one.place.pointer == "/@context"


@pytest.mark.parametrize("version", ["3.0.0-jsonld", "jsonld"])
def test_the_dataset_dialect_wants_a_version_that_names_the_format(version: str) -> None:
    shown = example("KL002")
    assert shown is not None
    tree = {**json.loads(shown.valid), "version": version}
    found = families.check(dumped(tree), profiles.profile("legacy-dataset")).findings

    assert [one for one in found if one.severity > Severity.INFO] == []


def test_what_only_the_dataset_dialect_requires_is_no_concern_of_today() -> None:
    shown = example("KL003")
    assert shown is not None
    found = families.check(shown.invalid, profiles.profile()).findings

    assert [one.code for one in found if one.code.startswith("KL")] == []


@pytest.mark.parametrize("identifier", [{"@id": [1]}, [1], 5, None, {}])
@pytest.mark.parametrize("profile", ["karenina", "strict"])
def test_an_identifier_that_is_no_text_stops_nothing(identifier: Json, profile: str) -> None:
    tree = canonical(item("Which metal?"))
    tree["dataFeedElement"][0]["@id"] = identifier

    report = checkpoint_ld.validate(dumped(tree), dumped(canonical()), profile=profile)

    assert len(report.checked) == 2
    assert report.checked[0].findings
