"""Rules at load: what keeps a benchmark from being used, and what loading reports."""

import base64
import copy
import gzip
import json
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, families, validate
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.rules import Rule, example
from checkpoint_ld.validation import profiles
from tests.documents import Json, canonical, item, rating, rich, scenario, setting

ITEM, RATING, PART = "/dataFeedElement/0", "/rating/0", "/hasPart/0"
QUESTION = f"{ITEM}/item"
CODE = {"@type": "SoftwareSourceCode", "name": "t", "text": "x = 1", "programmingLanguage": "Python"}
CLASSES = {"low": "little of it", "high": "much of it"}
METRIC = {"metrics": ["recall"], "tp_instructions": ["says mercury"]}
RULES = [rule for rule in profiles.profile(profiles.LOAD).rules.values() if example(rule.code)]


def examined(tree: Json) -> tuple[Finding, ...]:
    """Return what loading a document reports, be it that it is refused."""
    return families.examine(json.dumps(tree).encode(), checked=True).findings


def found(tree: Json) -> set[tuple[str, str | None]]:
    """Return the codes and the places of what loading reports, but for the form of JSON-LD."""
    return {(one.code, one.place.pointer) for one in examined(tree) if one.rule != "json-ld-form"}


def _with(base: Json, members: Json) -> Json:
    return {name: value for name, value in {**base, **members}.items() if value is not None}


def root(**members: Json) -> Json:
    """Return a faultless benchmark with other root members; None takes one away."""
    return _with(canonical(), members)


def holding(**members: Json) -> Json:
    """Return a faultless benchmark whose only question has other members."""
    element = item()
    element["item"] = _with(element["item"], members)
    return canonical(element)


def fed(**members: Json) -> Json:
    """Return a faultless benchmark whose only element has other members."""
    return canonical(_with(item(), members))


def with_settings(**settings: Json) -> Json:
    """Return a faultless benchmark whose only question has other settings."""
    return holding(additionalProperty=[setting(name, value) for name, value in settings.items()])


def rated(kind: str = "RubricTrait", /, settings: Json = None, **members: Json) -> Json:
    """Return a faultless benchmark with one global trait of another kind, from 1 to 0 where nothing else is given."""
    base = {
        "@type": "Rating",
        "name": "tone",
        "description": "Which tone?",
        "bestRating": 1.0,
        "worstRating": 0.0,
        "additionalType": f"karenina:Global{kind}",
        "additionalProperty": [setting(name, value) for name, value in (settings or {}).items()],
    }
    return root(rating=[_with(base, members)])


def played(*path: str | int, to: Json) -> Json:
    """Return the sample scenario with the value at `path` replaced; None takes it away."""
    tree = copy.deepcopy(scenario())
    holder = tree["hasPart"][0]
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = to
    if to is None:
        del holder[path[-1]]
    return tree


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.code}-{rule.slug}")
def test_what_breaks_a_rule_is_refused_or_reported_as_the_rule_weighs(rule: Rule) -> None:
    made = example(rule.code)
    assert made is not None
    syntax = "turtle" if made.file.endswith(".ttl") else "json"

    if rule.severity is Severity.VIOLATION:
        with pytest.raises(ReadError, match=rule.code):
            Benchmark.load(made.invalid, syntax=syntax)
    else:
        assert rule.code in {one.code for one in Benchmark.load(made.invalid, syntax=syntax).findings}
        with pytest.raises(ReadError, match=rule.code):
            Benchmark.load(made.invalid, syntax=syntax, strict=True)


# Faults that are at the object that holds the value, or that tests of single rules do not try.
BROKEN = [
    (root(name=""), "KB001", "/name"),
    (root(version=["1.0"]), "KF001", "/version"),
    (root(dateCreated="2026-01-31 12:00:00"), "KB009", "/dateCreated"),
    (root(dateCreated="2026-01-31T12:00:00Z[UTC]"), "KB009", "/dateCreated"),
    (root(additionalProperty=[setting("checkpoint_format_version", 3)]), "KB005", "/additionalProperty"),
    (root(additionalProperty=[setting("global_regex_rubric_traits", "[{")]), "KB018", "/additionalProperty"),
    (root(additionalProperty=[setting("level", 1), setting("level", 2)]), "KP003", "/additionalProperty"),
    (root(additionalProperty=["text"]), "KP001", "/additionalProperty/0"),
    (root(additionalProperty=5), "KP001", "/additionalProperty"),
    (root(additionalProperty={"level": "easy"}), "KP002", "/additionalProperty"),
    (fed(keywords=["old"]), "KQ018", f"{ITEM}/keywords"),
    (holding(text=["Which?"]), "KF001", f"{QUESTION}/text"),
    (holding(hasPart=[CODE, CODE]), "KT002", f"{QUESTION}/hasPart"),
    (with_settings(finished="banana"), "KP005", f"{QUESTION}/additionalProperty"),
    (with_settings(finished=1.0), "KP006", f"{QUESTION}/additionalProperty"),
    (with_settings(author='["A. Smith"]'), "KP007", f"{QUESTION}/additionalProperty"),
    (with_settings(sources="[" * 100_000), "KP008", f"{QUESTION}/additionalProperty"),
    (with_settings(few_shot_examples={"question": "q"}), "KP009", f"{QUESTION}/additionalProperty"),
    (root(rating="tone"), "KR001", "/rating/0"),
    (rated(additionalType="x" * 100_000), "KR007", f"{RATING}/additionalType"),
    (rated(bestRating=3, worstRating=3), "KR016", RATING),
    (rated(settings={"max_score": 10}, bestRating=5.0, worstRating=1.0), "KR018", RATING),
    (rated("RegexTrait", {"pattern": "a{99999999999999999999}"}), "KR034", RATING),
    (rated("RegexTrait", {"pattern": "(" * 5_000 + ")" * 5_000}), "KR034", RATING),
    (rated(settings={"kind": {"type": "template"}}), "KR071", RATING),
    (rated(settings={"kind": "literal"}), "KR027", RATING),
    (rated("CallableTrait", {"callable_code": ""}), "KR036", RATING),
    (rated("MetricRubricTrait", {"metrics": ["recall"]}), "KR045", RATING),
    (rated("DynamicRubricTrait", {}), "KR053", RATING),
    (played("nodes", "again", "question", to=5), "KS008", f"{PART}/nodes/again/question"),
    (played("nodes", "again", "question", "text", to=""), "KQ003", f"{PART}/nodes/again/question/text"),
    (played("nodes", "a/b~c", to={"nodeId": "a/b~c"}), "KF004", f"{PART}/nodes/a~1b~0c/@type"),
    (played("nodes", "again", to=[scenario()["hasPart"][0]["nodes"]["again"]]), "KS003", f"{PART}/nodes"),
    ({**scenario(), "hasPart": ["x"]}, "KB015", PART),
]


@pytest.mark.parametrize(("tree", "code", "pointer"), BROKEN, ids=[f"{at}-{one[1]}" for at, one in enumerate(BROKEN)])
def test_a_fault_is_reported_at_its_place(tree: Json, code: str, pointer: str) -> None:
    assert (code, pointer) in found(tree)


FAULTLESS = [
    canonical(),
    root(description=None, version=None, creator=None, rating=None, additionalProperty=None),
    root(creator=["A. Smith", {"@type": "Person", "name": "B. Jones"}]),
    root(license="MIT", **{"nobody knows this": {"@weird": [None]}}),
    root(dataFeedElement=[]),
    *(root(dateCreated=one) for one in ("2026-01-31", "20260131T120000Z", "2026-01-31T12:00:00.123456789+02:00")),
    root(additionalProperty=[setting("checkpoint_format_version", "3.1.0-jsonld"), {"name": "no value"}]),
    canonical(item("same", "urn:x"), item("same", "urn:y")),
    holding(acceptedAnswer={"text": ""}),
    holding(hasPart=[CODE], keywords="a single one"),
    holding(rating=None, additionalProperty=None, keywords=None),
    holding(hasPart={**CODE, "text": 'x = "\\d"\n'}),
    with_settings(author='{"name": "A. Smith"}', sources="[]", custom_level=[None, {"@id": 1}], finished=None),
    {**holding(rating=[rating("same")]), "rating": [rating("same", "Global")]},
    *(rated(additionalType=f"{prefix}GlobalRubricTrait") for prefix in ("", "karenina:", "urn:karenina:vocab:")),
    rated(settings={"min_score": 0, "max_score": 1}),
    rated(settings={"min_score": -1, "max_score": 0}, bestRating=0.0, worstRating=-1.0),
    rated("LLMRubricTrait", {"kind": "literal", "classes": CLASSES}, bestRating=0.0),
    rated("LLMRubricTrait", {"kind": {"type": "template", "schema": {"type": "object"}}}, bestRating=0.0),
    rated("RegexTrait", {"pattern": "[[a]--b]", "case_sensitive": False}),
    rated("MetricRubricTrait", {**METRIC, "evaluation_mode": "tp_only", "tn_instructions": []}),
    rated("AgenticRubricTrait", {"kind": "boolean", "context_mode": "trace_only", "max_turns": 3}),
    rated("DynamicRubricTrait", {"dynamic_trait_type": "llm", "a custom setting": {}}),
]


@pytest.mark.parametrize("tree", FAULTLESS, ids=range(len(FAULTLESS)))
def test_lawful_forms_are_taken_and_leak_no_warning(tree: Json) -> None:
    before = copy.deepcopy(tree)
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        assert found(tree) == set()

    assert leaked == []
    assert tree == before


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("class Answer(:\n", "line 1"),
        ("x = 1\ny = = 2\n", "line 2"),
        ("-" * 150_000 + "1", "too deeply"),
        ("(" * 5_000, "nested"),
        ("x = 1\n" * 50_000, "300000 characters"),
    ],
    ids=["line 1", "line 2", "minus", "brackets", "long"],
)
def test_a_template_that_is_no_python_is_reported_with_the_reason(source: str, named: str) -> None:
    [one] = examined(holding(hasPart={**CODE, "text": source}))

    assert (one.rule, one.place.pointer) == ("template-syntax", f"{QUESTION}/hasPart/text")
    assert named in one.message


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('a document was unpickled')",)


@pytest.mark.parametrize(
    ("code", "form"),
    [
        (base64.b64encode(pickle.dumps(Bomb())).decode(), "a pickled function in base64"),
        (base64.b64encode(b"def f(text):\n    return True\n").decode(), "source text in base64"),
        ("AAAA", "bytes in base64"),
        ("%%%", "source text"),
    ],
)
def test_stored_code_is_reported_by_its_form(code: str, form: str) -> None:
    [one] = examined(rated("CallableTrait", {"callable_code": code}))

    assert one.message.startswith(f"callable_code holds {form}")


def test_no_code_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHECKPOINT_LD_WAS_RUN", raising=False)
    code = "__import__('os').environ.__setitem__('CHECKPOINT_LD_WAS_RUN', '1')"

    assert found(holding(hasPart={**CODE, "text": code})) == set()
    assert ("KS024", f"{PART}/edges/0/conditionSource") in found(played("edges", 0, "conditionSource", to=code))
    assert "CHECKPOINT_LD_WAS_RUN" not in os.environ


def test_a_finding_states_what_it_is_about_and_what_to_do() -> None:
    [one] = examined(holding(text="Which metal\nis " + "very " * 100 + "liquid?", hasPart=None))
    [typed] = examined(
        holding(rating=[rating() | {"name": "certainty", "additionalType": "karenina:QuestionSpecificRegxTrait"}])
    )

    assert one.subject.startswith('question "Which metal is very very')
    assert len(one.subject) < 80
    assert typed.message == 'the type of the trait is "karenina:QuestionSpecificRegxTrait"'
    assert typed.remedy == "did you mean karenina:QuestionSpecificRegexTrait?"
    assert typed.subject == 'question "Which metal is liquid at 20 °C?", trait "certainty"'


def test_findings_are_those_of_the_source_whatever_becomes_of_the_benchmark() -> None:
    benchmark = Benchmark.load(json.dumps(root(description=5)).encode())
    benchmark.description = "one that is text"

    assert [one.rule for one in benchmark.findings] == ["benchmark-description"]


UNSEEN = (
    "W-FORM",
    "W-CONTEXT",
    "W-TYPE-MISSING",
    "W-BOM",
    "E-JSON",
    "E-ENCODING",
    "E-DUPKEY",
    "E-NUMBER",
    "E-SURROGATE",
)
"""Conditions of which the statements of a checkpoint show nothing."""
SOMEWHERE = "/dataFeedElement/0/item/rating/0"
"""Where the one mutation stands that the corpus reports for the document as a whole."""


def judgements(corpus: Path) -> dict[str, set[tuple[str, str]]]:
    """Return what is expected of each canonical document of the corpus."""
    expected = {}
    with gzip.open(corpus / "expected.jsonl.gz", "rt", encoding="utf-8") as lines:
        for entry in map(json.loads, lines):
            if entry["dialect"] == "datafeed-ns-v3":
                expected[entry["file"]] = entry["warnings"]
    for folder in ("tricky", "rejected"):
        for entry in json.loads((corpus / folder / "index.json").read_text(encoding="utf-8")):
            expected[entry["file"]] = entry.get("errors", []) + entry.get("warnings", [])
    return {
        file: {(code, pointer or SOMEWHERE) for code, pointer in pairs if code not in UNSEEN}
        for file, pairs in expected.items()
    }


@pytest.mark.slow
def test_the_documents_of_the_corpus_are_judged_as_expected(corpus: Path) -> None:
    seen = 0
    for file, expected in judgements(corpus).items():
        try:
            findings = families.examine(corpus / file, checked=True).findings
        except ReadError:
            continue
        seen += 1
        held = {(one.condition, one.place.pointer or "") for one in findings if one.condition not in ("", *UNSEEN)}
        assert {code for code, _ in expected} <= {code for code, _ in held}, file
        more = {code for code, _ in held} - {code for code, _ in expected}
        assert more <= {"W-TEMPLATE-MISSING"}, file  # an empty text counts as none
    assert seen > 75


NAMES = st.sampled_from(
    (
        *("@id", "@type", "name", "text", "value", "version", "creator", "dateCreated", "rating", "dataFeedElement"),
        *("item", "hasPart", "acceptedAnswer", "keywords", "additionalProperty", "additionalType", "bestRating"),
        *("worstRating", "nodes", "edges", "entryNode", "source", "outcomeCriteria", "question", "schema", "x/~y"),
    )
)
TEXTS = ("5", "1e999", "[a", "class X(:", "karenina:Scenario", "karenina:GlobalRubricTrait", "{")
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(TEXTS),
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6), max_leaves=20
)


def places(value: Json) -> list[tuple[Json, Any]]:
    """Return every member and element inside `value`, as its holder and its key or index."""
    pairs: list[Any] = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    inside = [one for _, inner in pairs if isinstance(inner, dict | list) for one in places(inner)]
    return [(value, step) for step, _ in pairs] + inside


@pytest.mark.slow
@given(st.sampled_from((rich(), scenario(), canonical())), st.integers(0, 10_000), ANYTHING)
def test_what_is_refused_is_what_has_a_violation(base: Json, at: int, value: Any) -> None:
    """Load looks only for violations, and infers only what these look at."""
    tree = copy.deepcopy(base)
    holder, step = places(tree)[at % len(places(tree))]
    holder[step] = value
    data = json.dumps(tree).encode()
    try:
        findings = families.examine(data, checked=True).findings
    except ReadError:
        return

    if all(one.severity < Severity.VIOLATION for one in findings):
        assert Benchmark.load(data).findings == findings
    else:
        with pytest.raises(ReadError):
            Benchmark.load(data)


def test_what_is_nested_beyond_the_stack_is_reported_or_refused() -> None:
    deep: Json = "[" * sys.getrecursionlimit() * 3 + "]" * sys.getrecursionlimit() * 3
    text = json.dumps(root(version="DEEP")).replace('"DEEP"', deep)

    with pytest.raises(ReadError):
        Benchmark.load(text.encode())


@pytest.mark.parametrize("name", [[1, 2.0], {"@value": "x", "@type": "@json"}, {"a": 1}, None])
def test_a_name_of_a_setting_that_is_no_text_is_found(name: object) -> None:
    tree = json.loads(json.dumps(rich()))
    tree["dataFeedElement"][0]["item"]["rating"][0]["additionalProperty"][0]["name"] = name

    assert "KP002" in {one.code for one in validate(json.dumps(tree).encode()).findings}
