"""Every rule of agent checkpoints by example, and what is stated about bad input."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from rdflib import SH, URIRef

from checkpoint_ld import Benchmark, data, validate
from checkpoint_ld.agents import rules
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.rules import KnownBenchmark, check_collection
from checkpoint_ld.agents.serialization import AgentReading, examine
from checkpoint_ld.agents.values import released
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.graph import emission
from checkpoint_ld.rules import Example, Rule, catalogue, example
from checkpoint_ld.validation import profiles
from tests.agents.documents import MOMENT, checkpoint, checkpoints, thought
from tests.agents.rule_documents import (
    CALL,
    THOUGHT,
    Json,
    added,
    findings,
    mutilated,
    places,
    reading_of,
    removed,
    replaced,
    text,
    tree,
)
from tests.trials import examples, some

ONLY_IN_MEMORY = frozenset({"agent-version-text", "agent-snapshot"})
"""Rules that a file does not get to: reading stops before."""
NEVER_BROKEN_BY_TEXT = frozenset({"agent-gzip", "agent-value"})
OF_COLLECTIONS = "Collections of agent checkpoints"
RULES = [
    rule
    for rule in catalogue().values()
    if rule.code.startswith("A") and rule.slug not in NEVER_BROKEN_BY_TEXT and rule.family != "Agent stores"
]
SINGLE = [rule for rule in RULES if rule.family != OF_COLLECTIONS]
COLLECTED = [rule for rule in RULES if rule.family == OF_COLLECTIONS]
N = "/snapshot/context/variables/n"
BENCHMARKS = {
    "urn:uuid:benchmark-elements": KnownBenchmark({"urn:uuid:question-1", "urn:uuid:question-2"}, "ab" * 32),
}

by_rule = pytest.mark.parametrize("rule", SINGLE, ids=lambda rule: f"{rule.code}-{rule.slug}")
by_collected = pytest.mark.parametrize("rule", COLLECTED, ids=lambda rule: f"{rule.code}-{rule.slug}")


def the_example(rule: Rule) -> Example:
    found = example(rule.code)
    assert found is not None, f"{rule.code} {rule.slug} has no example"
    return found


def found_in(source: bytes, rule: Rule) -> tuple[Finding, ...]:
    if rule.slug in ONLY_IN_MEMORY:
        return rules.report_on(json.loads(source)).findings
    try:
        return rules.check_reading(examine(source)).findings
    except ReadError as error:
        return error.findings


@pytest.mark.slow
@by_rule
def test_a_checkpoint_that_keeps_a_rule_has_no_finding_and_one_that_breaks_it_one_at_its_place(
    rule: Rule,
) -> None:
    shown = the_example(rule)
    assert [str(one) for one in found_in(shown.valid, rule)] == []
    [found] = found_in(shown.invalid, rule)
    assert (found.code, found.rule, found.severity) == (rule.code, rule.slug, rule.severity)
    assert (found.place.pointer or "") == shown.pointer
    assert "{?" not in found.message
    if found.place.line is not None and rule.slug != "agent-line-ends":
        assert points_at(shown, found)


def points_at(shown: Example, found: Finding) -> bool:
    """Tell whether line and column are those of the value, or of the nearest object that is there."""
    assert found.place.line is not None
    assert found.place.column is not None
    lines = shown.invalid.decode().splitlines(keepends=True)
    rest = lines[found.place.line - 1][found.place.column - 1 :] + "".join(lines[found.place.line :])
    value, key = json.loads(shown.invalid), ""
    for token in shown.pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError):
            break
    if found.rule in ("agent-key-unknown", "agent-key-misspelt"):
        return rest.startswith(json.dumps(key))
    return bool(json.JSONDecoder().raw_decode(rest)[0] == value)


@by_collected
def test_checkpoints_that_keep_a_rule_agree_and_those_that_break_it_have_one_finding_in_one_of_them(rule: Rule) -> None:
    shown = the_example(rule)
    assert list(check_collection(map(reading_of, json.loads(shown.valid)), BENCHMARKS)) == []
    trees = json.loads(shown.invalid)
    [found] = check_collection(map(reading_of, trees), BENCHMARKS)
    [at] = [number for number in range(2) if shown.pointer.startswith(f"/{number}/")]
    assert (found.code, found.rule, found.severity) == (rule.code, rule.slug, rule.severity)
    assert found.place.pointer == shown.pointer.removeprefix(f"/{at}")
    assert found.subject == f'checkpoint "{trees[at]["id"]}"'
    assert "{?" not in found.message


def test_every_example_is_of_a_rule_and_every_rule_has_one() -> None:
    places = {path.stem for path in (data.folder("shapes") / "examples").glob("A*.json")}
    assert places == {rule.code for rule in RULES}


@pytest.mark.parametrize(
    ("pointer", "values", "expected"),
    [
        ("/timestamp", [1738790400000.0, "1738790400000", True, -1, 10**15], "agent-timestamp"),
        ("/id", ["", 7, "x" * 1025], "agent-id"),
        ("/agent_id", ["é" * 1025], "agent-agent"),
        ("/execution_id", [""], "agent-execution"),
        (f"{THOUGHT}/confidence", [-0.1, 1.01, "0.8", True], "thought-confidence"),
        (f"{THOUGHT}/metadata", [[]], "thought-metadata"),
        ("/snapshot/tool_state/calls", [{}], "call-object"),
        ("/parent", [[]], "agent-parent"),
        ("/about", [{}], "about-nothing"),
        ("/metadata/step_number", [2**53], "metadata-step"),
        ("/metadata/duration_ms", [True], "metadata-duration"),
        (f"{CALL}/duration_ms", [None], "agent-null"),
        ("/snapshot/context/memory", [[None]], "memory-object"),
    ],
)
def test_a_value_that_cannot_be_is_one_finding_at_the_value(pointer: str, values: list[Json], expected: str) -> None:
    for value in values:
        found = [one for one in findings(added(pointer, value)) if (one.place.pointer or "").startswith(pointer)]
        assert [one.rule for one in found] == [expected], value


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        *(
            (
                [replaced(pointer, unusual) for pointer in ("/id", "/execution_id", "/agent_id", "/metadata/agent_id")],
                [],
            )
            for unusual in ("../../etc/passwd", "CON", "x\u0000", "x" * 900, "é" * 1024, "a b", "<x>", "_:b0", "%2F")
        ),
        *(([replaced("/version", one)], []) for one in released()),
        *(([added(N, [value])], []) for value in (2**53, -(2**53), 12, 0.1, "12345678901234567890")),
        *(
            ([added(N, [1, value])], [("agent-large-integer", f"{N}/1")])
            for value in (2**53 + 1, -(2**63), 2**64, 10**400)
        ),
        ([replaced(f"{CALL}/success", False), replaced(f"{CALL}/status", "cancelled")], []),  # needs no error
        ([replaced("/snapshot/tool_state/calls/2", {"id": "call_3"})], []),  # in flight it needs nothing else
        (
            [replaced("/snapshot/thought_chain", None), removed("/snapshot/current_step_id"), replaced("/name", 7)],
            [("thought-chain", "/snapshot/thought_chain"), ("agent-name", "/name")],
        ),
    ],
)
def test_what_may_be_is_not_reported_and_the_rest_is_examined(changes: list[Json], expected: list[Json]) -> None:
    assert places(*changes) == expected


def test_a_remedy_names_what_was_meant() -> None:
    [found] = findings(replaced(f"{THOUGHT}/confidence", 85))
    assert found.message == "the confidence is 85, not a number from 0 to 1"
    assert (found.remedy, found.subject) == ("did you mean 0.85?", 'thought "thought_2"')
    [found] = findings(replaced("/metadata/checkpoint_reason", "execution_complete"))
    assert found.remedy == 'did you mean "execution_completed"?'


@pytest.mark.parametrize("value", [{}, {"a": 1}, "x", 0, False])
def test_what_stands_in_place_of_an_array_of_objects_is_reported(value: Json) -> None:
    for pointer, noun in (("/snapshot/thought_chain", "thought"), ("/snapshot/tool_state/calls", "call")):
        [found] = [one for one in findings(replaced(pointer, value)) if one.place.pointer == pointer]
        assert found.message.startswith(f"in place of a {noun} there is ")
        assert "not an object" not in found.message
        assert found.remedy.startswith("write an array of objects: [{")


def test_each_of_three_thoughts_with_one_id_is_examined() -> None:
    again = {**tree()["snapshot"]["thought_chain"][2]}
    changes = [added("/snapshot/thought_chain/-", {**again, "content": 7}), added("/snapshot/thought_chain/-", again)]
    assert places(*changes, replaced("/snapshot/progress/total_thoughts", 5)) == [
        ("thought-repeated", "/snapshot/thought_chain/3/id"),
        ("thought-content", "/snapshot/thought_chain/3/content"),
    ]


def test_a_cycle_is_reported_once_and_only_to_those_who_are_in_it() -> None:
    usual = {"type": "reasoning", "content": "", "confidence": 1, "created_at": 1767225601000}
    chain = [{"id": one, **usual, "parent_id": above} for one, above in ("ab", "bc", "cb", "dd")]
    changes = [replaced("/snapshot/thought_chain", chain), removed("/snapshot/current_step_id")]
    assert places(*changes, replaced("/snapshot/progress/total_thoughts", 4)) == [
        ("thought-cycle", "/snapshot/thought_chain/1/parent_id"),
        ("thought-cycle", "/snapshot/thought_chain/3/parent_id"),
    ]


def test_findings_about_the_second_shape_point_into_the_file_as_it_is() -> None:
    steps, done = "/snapshot/thought_chain/steps/0", "/snapshot/tool_state/completed/0"
    changes = [replaced(f"{steps}/timestamp", "early"), replaced(f"{done}/arguments", 7)]
    source = text(tree(*changes, start="agent-second"))
    lines = source.decode().splitlines()
    found = [
        (one.rule, one.place.pointer, one.message, lines[(one.place.line or 0) - 1][(one.place.column or 0) - 1 :])
        for one in rules.check_reading(examine(source)).findings
    ]
    early = 'timestamp is "early", not milliseconds as a whole number'
    assert found == [
        ("thought-created", f"{steps}/timestamp", early, '"early"'),
        ("call-args", f"{done}/arguments", "the arguments are 7, not an object", "7,"),
    ]
    assert places(added("/snapshot/thought_chain/length", 1), start="agent-second") == [
        ("agent-key-unknown", "/snapshot/thought_chain/length")
    ]
    message = "/snapshot/context/messages/0"  # a warning about the same value hides no violation
    assert {*places(replaced("/snapshot/context/messages", [2**60]), start="agent-second")} == {
        ("agent-second-member", message),
        ("agent-large-integer", message),
    }


def test_a_secret_is_reported_and_not_repeated_nor_by_other_rules() -> None:
    key, header, reason = "k-58aQx8f2e91", "Bearer abcdefghijklmnopqrstuvwxyz", "sk-abcdefghijklmnopqrstuvwxyz"
    found = findings(
        added("/snapshot/context/variables/service", {"Password": key}),
        replaced(f"{CALL}/args", {"headers": ["Accept: */*", header]}),
        added("/snapshot/context/variables/tokens", 12),
        added("/snapshot/context/variables/api_key", "${API_KEY}"),
        replaced("/metadata/checkpoint_reason", reason),
    )
    assert {(one.rule, one.place.pointer) for one in found} == {
        ("agent-secret", "/snapshot/context/variables/service/Password"),
        ("agent-secret", f"{CALL}/args/headers/1"),
        ("agent-secret", "/metadata/checkpoint_reason"),
        ("reason-unknown", "/metadata/checkpoint_reason"),
    }
    assert [one for one in (key, header, reason) if one in str(found)] == []
    service = added("/snapshot/context/variables/service", {"token": [key]})
    assert places(service) == [("agent-secret", "/snapshot/context/variables/service/token/0")]


def test_short_names_of_profiles_mean_those_of_agents() -> None:
    def found(profile: str) -> list[tuple[str, Severity]]:
        return [(one.rule, one.severity) for one in findings(replaced(f"{THOUGHT}/type", "musing"), profile=profile)]

    assert found("strict") == [("thought-type-unknown", Severity.VIOLATION)]
    assert found("structure") == []
    assert [rule for rule, _ in found("consistency")] == ["thought-type-unknown"]
    for profile in ("legacy-dataset", profiles.profile("strict")):
        with pytest.raises(SettingsError, match="is for benchmarks"):
            findings(profile=profile)
    reading = examine(b"\xef\xbb\xbf" + text(tree()))
    assert [one.severity for one in rules.check_reading(reading).findings] == [Severity.WARNING]
    assert [one.severity for one in rules.check_reading(reading, "strict").findings] == [Severity.VIOLATION]


def test_profiles_of_benchmarks_have_no_rules_of_agents_but_those_about_text() -> None:
    for name in profiles.names():
        assert not any(code.startswith("A") for code in profiles.profile(name).rules)
    shared = {rule.family for rule in profiles.profile("agent").rules.values() if rule.code.startswith("K")}
    assert shared == {"Documents"}


def test_a_report_on_a_checkpoint_in_memory_points_into_its_tree() -> None:
    report = rules.report_on(tree(removed("/name"), replaced("/metadata/tokens_used", -1)))
    assert not report.conforms
    assert [(one.rule, one.place.pointer, one.place.line) for one in report.findings] == [
        ("metadata-tokens", "/metadata/tokens_used", None)
    ]


PREFIXES = "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix caf: <urn:caf:vocab:> . @prefix ex: <urn:example#> ."
SURE = """ex:sure a sh:PropertyShape ; sh:targetClass caf:Thought ; sh:path caf:confidence ; sh:minInclusive 0.85 ;
  sh:severity sh:Warning ; sh:message "we want to be surer" ."""
# What has no object in the file, and parts without a name and with severities of their own.
TOOL = (
    'ex:tool a sh:NodeShape ; sh:targetObjectsOf caf:tool ; sh:pattern "handbook$" ; sh:message "only the handbook" .'
)
PARTS = """ex:thought a sh:NodeShape ; sh:targetClass caf:Thought ; sh:property [ sh:path caf:confidence ;
      sh:maxInclusive 0.5 ; sh:severity ex:Grave ; sh:message "too sure" ] ;
      sh:sparql [ a sh:SPARQLConstraint ; sh:message "no look" ;
        sh:select "SELECT $this ?value { $this <urn:caf:vocab:thoughtType> ?value FILTER(?value = 'planning') }" ] ."""
CHAIN = "/snapshot/thought_chain"


@pytest.mark.parametrize(
    ("shape", "change", "expected"),
    [
        (TOOL, None, {("tool", "only the handbook", Severity.VIOLATION, "")}),
        (
            PARTS,
            replaced(f"{THOUGHT}/type", "planning"),
            {
                *(("thought", "too sure", Severity.VIOLATION, f"{CHAIN}/{at}/confidence") for at in range(3)),
                *(("thought", "no look", Severity.VIOLATION, f"{CHAIN}/{at}") for at in range(2)),
            },
        ),
        (
            SURE,
            removed(f"{CHAIN}/0/confidence"),
            {
                ("confidence-unknown", "the confidence is missing", Severity.INFO, f"{CHAIN}/0/confidence"),
                ("sure", "we want to be surer", Severity.WARNING, f"{THOUGHT}/confidence"),
            },
        ),
    ],
)
def test_shapes_of_ones_own_are_held_against_the_graph(
    tmp_path: Path, shape: str, change: Json, expected: set[Json]
) -> None:
    (tmp_path / "own.ttl").write_text(PREFIXES + shape)
    found = findings(*filter(None, [change]), profile=profiles.profile("agent", [tmp_path]))
    assert {(one.rule, one.message, one.severity, one.place.pointer) for one in found} == expected


def test_shapes_of_ones_own_that_cannot_be_applied_are_named(tmp_path: Path) -> None:
    (tmp_path / "own.ttl").write_text(PREFIXES + SURE.replace("sh:minInclusive 0.85", "sh:minCount 'x'"))
    with pytest.raises(SettingsError, match=r"(?s)your shapes cannot be applied.*own\.ttl"):
        findings(profile=profiles.profile("agent", [tmp_path]))


@pytest.mark.parametrize("depth", [50, 300])
def test_deep_values_are_examined_as_well(depth: int) -> None:
    value: Json = {"token": "k-58aQx8f2e91"}
    for _ in range(depth):
        value = [value]
    [found] = rules.report_on(tree(added("/snapshot/context/variables/deep", value))).findings
    assert found.rule == "agent-secret"


# --- What agent checkpoints say against each other, beyond one example of each rule.


BENCHMARK = "urn:uuid:benchmark"
ABOUT = {"benchmark": BENCHMARK, "question": "urn:uuid:question-1"}


def step(number: int, parent: int | None = None, execution: str = "exec_1", **members: Json) -> Json:
    """Return the checkpoint `ckpt_<number>` of an execution that takes a step each second."""
    thoughts = [thought(f"t{at}", content=f"thought {at}") for at in range(number)]
    found = checkpoint(thoughts, [], {}, id=f"ckpt_{number}", timestamp=MOMENT + 1000 * number, execution_id=execution)
    found["metadata"]["step_number"] = found["snapshot"]["progress"]["step_number"] = number
    found["metadata"]["tokens_used"] = 10 * number
    if parent is not None:
        found["parent"] = {"checkpoint_id": f"ckpt_{parent}"}
    return {**found, **members}


def places_in(*trees: Json, benchmarks: Mapping[str, KnownBenchmark] = {}) -> list[tuple[str, str, str | None]]:
    found = check_collection(map(reading_of, trees), benchmarks)
    return [(one.rule, one.subject.split('"')[1], one.place.pointer) for one in found]


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        ([step(number, number - 1 or None) for number in range(1, 9)], []),
        ([step(1), step(1)], []),
        ([step(5), step(1, execution="exec_2", agent_id="agent_2", timestamp=MOMENT + 9000)], []),
        ([step(1), step(4), step(2, parent=1, id="ckpt_branch", timestamp=MOMENT + 9000)], []),
        ([step(2, parent=1), step(3, parent=2)], [("agent-parent-absent", "ckpt_2", "/parent/checkpoint_id")]),
        ([step(1, about=ABOUT)], []),
    ],
    ids=["goes on", "twice", "two executions", "a branch is held against its parent", "no parent", "no benchmark"],
)
def test_executions_are_held_against_what_came_before_in_their_line(trees: list[Json], expected: list[Json]) -> None:
    assert places_in(*trees) == expected


def test_without_links_each_is_held_against_the_one_before() -> None:
    slower = step(3)
    slower["timestamp"] = MOMENT + 9000
    slower["metadata"]["tokens_used"] = 1
    assert places_in(step(1), step(4), slower) == [
        ("agent-step-falls", "ckpt_3", "/metadata/step_number"),
        ("agent-tokens-fall", "ckpt_3", "/metadata/tokens_used"),
        ("agent-thought-gone", "ckpt_3", "/snapshot/thought_chain"),
    ]


def test_a_parent_that_comes_later_is_found_and_is_younger_than_its_child() -> None:
    child = step(3, parent=4)
    parent = step(4, execution="exec_2")
    assert places_in(child, parent) == [
        ("agent-step-falls", "ckpt_3", "/metadata/step_number"),
        ("agent-tokens-fall", "ckpt_3", "/metadata/tokens_used"),
        ("agent-older-than-parent", "ckpt_3", "/timestamp"),
    ]


def test_questions_are_looked_up_once_for_each_execution() -> None:
    known = {BENCHMARK: KnownBenchmark({"urn:uuid:question-2"}, "ff")}
    about = {**ABOUT, "benchmark_sha256": "00"}
    steps = [step(number, about=about) for number in range(1, 4)]
    assert places_in(*steps, benchmarks=known) == [
        ("agent-question-unknown", "ckpt_1", "/about/question"),
        ("agent-benchmark-changed", "ckpt_1", "/about/benchmark_sha256"),
    ]


def test_findings_state_what_was_before_and_point_into_the_files_that_were_read(tmp_path: Path) -> None:
    shorter = step(3)
    del shorter["snapshot"]["thought_chain"][1]
    [found] = check_collection(map(reading_of, [step(2), shorter]), {})
    assert found.message == 'the thought "t1", in checkpoint "ckpt_2", is not in the chain any more'
    for name, document in (("1.json", step(1)), ("2.json", step(2, agent_id="agent_2"))):
        (tmp_path / name).write_bytes(text(document))
    [found] = check_collection(map(examine, sorted(tmp_path.iterdir())), {})
    assert found.message == 'the agent_id is "agent_2", before it was "agent_1"'
    assert (found.place.file, found.place.line, found.place.column) == (str(tmp_path / "2.json"), 6, 15)


def test_checkpoints_are_taken_one_at_a_time() -> None:
    passed = []

    def readings() -> Iterator[AgentReading]:
        for number in (1, 2, 3):
            passed.append(number)
            yield reading_of(step(number, agent_id=f"agent_{number}"))

    found = check_collection(readings(), {})
    assert next(found).rule == "agent-changes"
    assert passed == [1, 2]


def test_files_that_are_validated_together_are_held_against_each_other(tmp_path: Path) -> None:
    trees = {"b.json": step(1), "a.json": step(2, agent_id="agent_2"), "c.json": step(3, 9, agent_id="agent_2")}
    for name, document in trees.items():
        (tmp_path / name).write_bytes(text(document))
    paths = sorted(tmp_path.iterdir())

    def rules(*sources: Path | bytes, profile: str) -> list[tuple[str | None, str]]:
        found = validate(*sources, profile=profile)
        return [(one.place.file, one.rule) for one in found.findings if one.code.startswith("AE")]

    assert rules(*paths, profile="agent") == []
    assert rules(*paths, profile="collection") == [
        (str(tmp_path / "a.json"), "agent-changes"),
        (str(tmp_path / "c.json"), "agent-parent-absent"),
    ]
    [changed, absent] = rules(*(path.read_bytes() for path in paths), profile="strict")
    assert changed == (None, "agent-changes")
    assert absent == (None, "agent-parent-absent")
    assert rules(paths[0], profile="collection") == []


def test_a_benchmark_beside_them_states_which_questions_there_are(tmp_path: Path) -> None:
    benchmark = Benchmark.create("Metals")
    known = benchmark.add_question("Which metal is liquid?", "Mercury")
    benchmark.save(tmp_path / "metals.jsonld")
    root = benchmark.to_jsonld()["@id"]
    for number, question in enumerate((known, "urn:uuid:nobody"), 1):
        about = {"benchmark": root, "question": question}
        (tmp_path / f"{number}.json").write_bytes(text(step(number, execution=f"exec_{number}", about=about)))
    found = validate(*sorted(tmp_path.iterdir()), profile="strict")
    [unknown] = [one for one in found.findings if one.code.startswith("AE")]
    assert (unknown.rule, unknown.place.pointer) == ("agent-question-unknown", "/about/question")
    assert unknown.severity is Severity.VIOLATION
    assert found.checked[1].text is not None


# --- The SHACL engine and pySHACL find the same about agent checkpoints.


def found(source: bytes, engine: str) -> list[Any]:
    try:
        checked = rules.check_reading(examine(source), "agent", engine=engine)
    except ReadError as error:
        return list(error.findings)
    return [
        (one.code, one.severity, one.place, one.message, one.remedy, one.subject, one.node, one.value)
        for one in checked.findings
    ]


def assert_alike(source: bytes) -> None:
    assert found(source, "compiled") == found(source, "pyshacl")


@pytest.mark.slow
@pytest.mark.parametrize("rule", some(SINGLE, 3), ids=lambda rule: rule.code)
def test_both_engines_find_the_same_in_every_example_and_so_do_its_statements(rule: Rule) -> None:
    shown = the_example(rule).invalid
    assert_alike(shown)
    assert_alike_as_statements(shown)


@pytest.mark.slow
@pytest.mark.parametrize("part", some(range(8), 3))
def test_both_engines_find_the_same_in_mutilated_checkpoints_and_so_do_their_statements(part: int) -> None:
    for seed in range(part * 10, part * 10 + 10):
        assert_alike(text(mutilated(seed)))
        assert_alike_as_statements(text(mutilated(seed + 100)))


@pytest.mark.slow
@settings(max_examples=examples(30), deadline=None)
@given(checkpoints)
def test_both_engines_find_the_same_in_any_checkpoint(document: Json) -> None:
    assert_alike(json.dumps(document).encode())


def assert_alike_as_statements(source: bytes) -> None:
    try:
        tree = examine(source).tree
        statements = examine(emission.ntriples_of(AgentGraph.of_tree(tree)), syntax="nt")
    except ReadError:
        return  # no checkpoint of which there are statements
    held = rules.check_reading(statements).findings
    assert [*map(what, held)] == [*map(what, rules.report_on(tree).findings)]


def what(found: Finding) -> Any:
    return found.code, found.severity, found.message, found.remedy, found.node, found.place.pointer, found.value


def test_the_report_holds_what_was_found_as_results_and_no_secret() -> None:
    key = "sk-abcdefghijklmnopqrstuvwxyz"
    found, secret, either = (
        rules.check_reading(examine(text(tree(change)))).results
        for change in (
            replaced("/metadata/tokens_used", -1),
            replaced("/metadata/checkpoint_reason", key),
            replaced("/about", {"replicate": 1}),
        )
    )
    assert found and secret and either  # noqa: PT018 - for the types
    [result] = found.objects(None, SH.result)
    assert found.value(result, SH.sourceShape) == URIRef("urn:caf:shape:metadata-tokens")
    assert found.value(result, SH.focusNode) == URIRef("urn:caf:checkpoint/ckpt_2#/metadata")
    assert str(found.value(result, SH.value)) == "-1"
    assert len(set(secret.objects(None, SH.result))) == 2
    assert key not in secret.serialize()
    [path] = either.objects(None, SH.resultPath)
    [members] = either.objects(path, SH.alternativePath)
    assert len([*either.items(members)]) == 2


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingsError, match="did you mean pyshacl"):
        found(text(tree()), "pyshakl")
