"""What has no violation can be used: it loads, and its entities, exports and differences raise nothing."""

import copy
import json
import sys
from pathlib import Path

import pyshacl
import pytest
import shifty
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph

from checkpoint_ld import Benchmark, data, families, rules, shacl, validate
from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.cli import main
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity
from checkpoint_ld.rules import Example, example
from checkpoint_ld.shacl.shapes import Validation
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.inference import with_inferred
from checkpoint_ld.vocabulary import SETTINGS, SHACL
from tests.documents import Json, canonical, scenario, setting
from tests.trials import some
from tests.validation.engines import core_shapes, plain_graph, plain_run, verdicts
from tests.validation.feeds import FOLDERS, feed, readings

Steps = tuple[str | int, ...]

CLASSES = {"low": "little of it", "high": "much of it"}
METRIC = {"metrics": ["recall"], "tp_instructions": ["says mercury"]}
TRAITS: dict[str, tuple[str, Json]] = {
    "llm": ("RubricTrait", {"higher_is_better": True}),
    "llm-score": ("RubricTrait", {"kind": "score"}),
    "llm-literal": ("LLMRubricTrait", {"kind": "literal", "classes": CLASSES}),
    "llm-template": ("LLMRubricTrait", {"kind": {"type": "template", "schema": {}}}),
    "regex": ("RegexTrait", {"pattern": "x"}),
    "callable": ("CallableTrait", {"callable_code": "YQ==", "kind": "boolean"}),
    "callable-literal": ("CallableTrait", {"callable_code": "YQ==", "kind": "literal", "classes": CLASSES}),
    "metric": ("MetricRubricTrait", METRIC),
    "agentic": ("AgenticRubricTrait", {"kind": "boolean"}),
    "agentic-score": ("AgenticRubricTrait", {"kind": "score"}),
    "dynamic-llm": ("DynamicRubricTrait", {"dynamic_trait_type": "llm", "summary": "s"}),
    "dynamic-metric": ("DynamicRubricTrait", {"dynamic_trait_type": "metric", "summary": "s", **METRIC}),
}
DEEP = ("deep_judgment_enabled", "deep_judgment_max_excerpts", "deep_judgment_fuzzy_match_threshold")
MEMBERS = ("name", "description", "bestRating", "worstRating", "ratingValue", "ratingExplanation", "@id", *DEEP)
VALUES: list[Json] = [
    *(None, True, False, 0, -1, 5, 1.5, 0.5, -0.0, 1e300, 10**400),
    *("", " ", "x", "5", "1.5", "true", "nan", "(", "score"),
    *([], {}, ["x"], [1], [None], [[]], [{}]),
    *({"a": "b"}, {"a": 1, "b": None}, {"": ""}, {"@id": "urn:x"}, {"@value": 1}),
    *("[]", "{}", '["x"]', '{"a": "b", "c": "d"}', {"type": "template", "schema": {"properties": [1]}}, CLASSES),
]
OTHER = Benchmark.load(json.dumps(canonical()).encode())


def rated(label: str, settings: Json, members: Json, *, in_question: bool = False) -> Json:
    """Return a benchmark with one trait of a kind that has other settings and members."""
    kind, usual = TRAITS[label]
    held = [setting(name, value) for name, value in {**usual, **settings}.items()]
    rating = {"@type": "Rating", "name": "t", "description": "d", "bestRating": 1.0, "worstRating": 0.0, **members}
    rating |= {"additionalType": f"karenina:{'QuestionSpecific' if in_question else 'Global'}{kind}"}
    tree = canonical()
    holder = tree["dataFeedElement"][0]["item"] if in_question else tree
    holder["rating"] = [{**rating, "additionalProperty": held}]
    return tree


def paths(value: Json, steps: Steps = ()) -> list[Steps]:
    """Return the ways to all values below the root, but for what decides what is read at all: contexts, its type."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [((*steps, key), one) for key, one in inner if key != "@context" and (steps or key != "@type")]
    return [path for step, one in below for path in (step, *paths(one, step))]


def changed(tree: Json, path: Steps, value: Json) -> Json:
    """Return a document with another value at a place."""
    whole = copy.deepcopy(tree)
    holder = whole
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return whole


SCENARIOS = canonical() | {"dataFeedElement": [], "hasPart": [scenario()]}
BASE = canonical() | {"description": "d", "version": "1", "creator": "Ada", "url": "https://example.org/"}

damaged = st.one_of(
    st.builds(
        lambda label, name, value, inside: rated(label, {name: value}, {}, in_question=inside),
        st.sampled_from(sorted(TRAITS)),
        st.sampled_from(SETTINGS["Trait"]),
        st.sampled_from(VALUES),
        st.booleans(),
    ),
    st.builds(
        lambda label, name, value: rated(label, {}, {name: value}),
        st.sampled_from(sorted(TRAITS)),
        st.sampled_from(MEMBERS),
        st.sampled_from(VALUES),
    ),
    st.builds(
        lambda name, value: changed(BASE, ("dataFeedElement", 0, "item", "additionalProperty"), [setting(name, value)]),
        st.sampled_from((*SETTINGS["Question"], "custom_x", "other")),
        st.sampled_from(VALUES),
    ),
    st.builds(
        lambda name, value: changed(BASE, ("additionalProperty",), [setting(name, value)]),
        st.sampled_from((*SETTINGS["Benchmark"], "creator_details", "mine")),
        st.sampled_from(VALUES),
    ),
    st.builds(changed, st.just(BASE), st.sampled_from(paths(BASE)), st.sampled_from(VALUES)),
    st.builds(changed, st.just(SCENARIOS), st.sampled_from(paths(SCENARIOS)), st.sampled_from(VALUES)),
)


def use(benchmark: Benchmark) -> None:
    """Make every entity, export and view of a benchmark, and differences from and to another one."""
    for one in benchmark.get_question_ids():
        benchmark[one].model_dump(mode="json")
        benchmark.get_question(one)
        benchmark.get_question_metadata(one)
        benchmark.get_registry_entry(one)
        for rubric in (benchmark.get_question_rubric(one), benchmark.get_question_dynamic_rubric(one)):
            if rubric is not None:
                rubric.model_dump(mode="json")
    for part in benchmark.scenarios:
        part.model_dump(by_alias=True)
    json.dumps([benchmark.to_dict(), benchmark.to_records(), benchmark.fields_records(), benchmark.traits_records()])
    assert benchmark.to_csv()
    assert benchmark.to_markdown()
    json.dumps([benchmark.get_statistics(), benchmark.get_health_report(), benchmark.get_rubric_statistics()])
    assert repr(benchmark)
    benchmark.validate_rubrics()
    benchmark.validate_templates()
    semantic_diff(OTHER, benchmark)
    semantic_diff(benchmark, OTHER)
    with_inferred(benchmark.graph)


@pytest.mark.slow
@given(damaged)
def test_what_has_no_violation_gives_entities_exports_and_differences(tree: Json) -> None:
    text = json.dumps(tree).encode()
    if validate(text).conforms:
        use(Benchmark.load(text))


@pytest.mark.parametrize("label", ["llm", "llm-score", "callable", "agentic", "dynamic-llm", "llm-template"])
@pytest.mark.parametrize("classes", [[], "", "x", 5, True, "[1]"])
def test_classes_that_are_no_object_are_a_violation(label: str, classes: Json) -> None:
    found = validate(json.dumps(rated(label, {"classes": classes}, {})).encode())
    assert "class-object" in {one.rule for one in found.at_least(Severity.VIOLATION)}


@pytest.mark.slow
@pytest.mark.parametrize("in_question", [False, True])
@pytest.mark.parametrize(
    ("label", "settings", "rule"),
    [
        ("agentic", {"max_turns": 1.5}, "trait-fraction"),
        ("agentic", {"timeout_seconds": 0.5}, "trait-fraction"),
        ("agentic", {"timeout_seconds": "1.5"}, "trait-number-text"),
        ("agentic-score", {"max_turns": 1e300}, None),
        ("agentic", {"model_override": "x"}, "agentic-model"),
        ("llm", {"deep_judgment_max_excerpts": 1.5}, "trait-fraction"),
        ("llm", {"deep_judgment_excerpt_retry_attempts": "0.5"}, "trait-number-text"),
        ("llm", {"deep_judgment_fuzzy_match_threshold": 10**400}, "trait-deep-judgment"),
        ("regex", {"classes": []}, None),
        ("agentic", {"classes": "{}"}, None),
    ],
)
def test_an_unusual_setting_is_found_and_can_be_read(
    label: str, settings: Json, rule: str | None, in_question: bool
) -> None:
    text = json.dumps(rated(label, settings, {}, in_question=in_question)).encode()
    found = validate(text)
    assert validate(text, profile="load").conforms
    assert rule is None or rule in {one.rule for one in found.findings}
    benchmark = Benchmark.load(text)
    use(benchmark)
    rubric = benchmark.get_question_rubric(benchmark.get_question_ids()[0]) if in_question else benchmark.global_rubric
    assert rubric is not None
    assert rubric.get_trait_names() == ["t"]


def test_a_description_that_is_an_object_stands_in_no_way() -> None:
    text = json.dumps(rated("regex", {}, {"description": {"a": "b"}})).encode()
    assert [one.rule for one in validate(text).at_least(Severity.VIOLATION)] == ["trait-description"]
    use(Benchmark.load(text))


def test_members_of_a_rating_that_no_rule_is_about_are_settings_only_where_they_can_be() -> None:
    unusual = {
        "deep_judgment_enabled": "maybe",
        "deep_judgment_max_excerpts": ["x"],
        "deep_judgment_search_enabled": True,
    }
    benchmark = Benchmark.load(json.dumps(rated("llm", {}, unusual)).encode())
    assert benchmark.global_rubric is not None
    (trait,) = benchmark.global_rubric.llm_traits
    assert (trait.deep_judgment_enabled, trait.deep_judgment_max_excerpts) == (False, None)
    assert trait.deep_judgment_search_enabled


# --- The findings are those of SHACL: of a plain run of pySHACL, and, where its words are enough, of a second engine.


EXAMPLES = [
    stated
    for code in rules.catalogue()
    if (stated := example(code)) is not None and stated.file.endswith("jsonld") and not code.startswith("KD")
]
SHAPES = sorted(data.folder("shapes").rglob("*.ttl"))


CORE_GRAPH = core_shapes()
CORE = shacl.compile_shapes(CORE_GRAPH)


def our_run(text: bytes, profile: str) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    """Return our findings and the results that they were made from, as verdicts."""
    checked = families.check(text, profiles.profile(profile))
    iris = {severity: iri for iri, severity in rules.SEVERITIES.items()}
    held = {
        (str(one.node), f"urn:karenina:shape:{one.rule}", iris[one.severity]) for one in checked.findings if one.node
    }
    assert checked.results is not None
    return held, verdicts(checked.results)


@pytest.mark.slow
@pytest.mark.parametrize("expected", some(EXAMPLES, 12), ids=lambda expected: expected.code)
def test_findings_are_those_of_a_plain_run_of_pyshacl(expected: Example) -> None:
    chosen = profiles.profile(expected.profile)
    findings, results = our_run(expected.invalid, expected.profile)
    plain = plain_run(expected.invalid, chosen)

    assert results == plain
    assert findings <= plain
    excused = {rule.shape for rule in chosen.rules.values() if rule.excused}
    assert {shape for _, shape, _ in plain - findings} <= excused


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_findings_of_the_corpus_are_those_of_a_plain_run(corpus: Path, folder: str) -> None:
    found = [path for path, _ in readings(corpus, folder, 6)]
    assert found
    for path in some(found, 3):
        text = path.read_bytes()
        checked = families.check(text, profiles.profile())
        assert checked.results is not None
        assert verdicts(checked.results) == plain_run(text, profiles.profile()), path


@pytest.mark.slow
@pytest.mark.parametrize("expected", some(EXAMPLES, 8), ids=lambda expected: expected.code)
def test_a_second_engine_gives_the_same_verdicts_where_core_shacl_is_enough(expected: Example) -> None:
    graph = plain_graph(expected.invalid)
    _, ours, _ = shacl.validate(graph, CORE)
    _, theirs, _ = shifty.validate(graph, shacl_graph=CORE_GRAPH, infer=False)

    assert verdicts(theirs) == verdicts(ours)


def test_every_file_of_shapes_is_valid_shacl() -> None:
    of_w3c = shacl.compile_shapes(Graph().parse(Path(pyshacl.__file__).parent / "assets" / "shacl-shacl.ttl"))
    broken = Graph().parse(data=f"<urn:x> a <{SHACL}NodeShape> ; <{SHACL}minCount> 'many' .", format="turtle")

    assert not shacl.validate(broken, of_w3c)[0]
    for path in SHAPES:
        assert shacl.validate(Graph().parse(path), of_w3c)[0], path


@pytest.mark.slow
@pytest.mark.parametrize("code", ["KB001", "KQ014", "KQ018", "KR016", "KR054", "KN001", "KS009"])
def test_pyshacl_alone_finds_the_same(code: str) -> None:
    made = example(code)
    assert made is not None
    alone = families.validate(made.invalid, profile=made.profile, engine="pyshacl")

    assert alone.findings == families.validate(made.invalid, profile=made.profile).findings
    assert code in {one.code for one in alone.findings}


def test_pyshacl_alone_is_queried_about_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    made = example("KQ003")
    assert made is not None
    monkeypatch.setattr(Validation, "results_for", None)

    assert families.validate(made.valid, engine="pyshacl").conforms
    with pytest.raises(TypeError):
        families.validate(made.valid)


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingsError, match=r'there is no engine "pyshackl"; did you mean pyshacl\?'):
        families.validate(b"{}", engine="pyshackl")


def test_own_shapes_see_all_elements(tmp_path: Path) -> None:
    shapes = tmp_path / "own.ttl"
    shapes.write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .\n"
        "<urn:own:few> a sh:PropertyShape ; sh:targetClass schema:DataFeed ; sh:path schema:dataFeedElement ;\n"
        '  sh:maxCount 3 ; sh:message "too many" .\n'
    )
    found = families.validate(json.dumps(feed()).encode(), shapes=[shapes]).findings

    assert "too many" in {one.message for one in found}


def test_the_command_takes_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = example("KQ003")
    assert made is not None
    file = tmp_path / "broken.jsonld"
    file.write_bytes(made.invalid)
    printed = []
    for engine in validator.ENGINES:
        arguments = ["checkpoint-ld", "validate", str(file), "--engine", engine, "--no-config"]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 1
        printed.append(capsys.readouterr().out)

    assert "KQ003 question-text" in printed[0]
    assert printed[0] == printed[1]
