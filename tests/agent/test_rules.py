"""Every rule of agent checkpoints by example, and what is said about bad input."""

from __future__ import annotations

import json
from typing import Any

import pytest

from checkpoint_ld import data
from checkpoint_ld.agent import rules
from checkpoint_ld.agent.collection import KnownBenchmark, check_collection
from checkpoint_ld.agent.reading import examine
from checkpoint_ld.agent.values import released
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.rules import Example, Rule, catalogue, example
from checkpoint_ld.validation import profiles
from tests.agent.rule_documents import CALL, THOUGHT, Json, added, findings, removed, replaced, text, told, tree

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
BENCHMARKS = {"urn:uuid:benchmark-elements": KnownBenchmark({"urn:uuid:question-1", "urn:uuid:question-2"}, "ab" * 32)}

by_rule = pytest.mark.parametrize("rule", SINGLE, ids=lambda rule: f"{rule.code}-{rule.slug}")
by_collected = pytest.mark.parametrize("rule", COLLECTED, ids=lambda rule: f"{rule.code}-{rule.slug}")


def the_example(rule: Rule) -> Example:
    found = example(rule.code)
    assert found is not None, f"{rule.code} {rule.slug} has no example"
    return found


def found_in(source: bytes, rule: Rule) -> tuple[Finding, ...]:
    if rule.slug in ONLY_IN_MEMORY:
        return rules.validate_checkpoint(json.loads(source)).findings
    try:
        return rules.check_reading(examine(source)).findings
    except ReadError as error:
        return error.findings


@pytest.mark.slow
@by_rule
def test_a_checkpoint_that_keeps_a_rule_has_no_finding_at_all(rule: Rule) -> None:
    assert [str(one) for one in found_in(the_example(rule).valid, rule)] == []


@pytest.mark.slow
@by_rule
def test_a_checkpoint_that_breaks_a_rule_has_one_finding_at_its_exact_place(rule: Rule) -> None:
    shown = the_example(rule)
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
def test_checkpoints_that_keep_a_rule_agree_with_each_other(rule: Rule) -> None:
    assert list(check_collection(json.loads(the_example(rule).valid), BENCHMARKS)) == []


@by_collected
def test_checkpoints_that_break_a_rule_have_one_finding_at_its_place_in_one_of_them(rule: Rule) -> None:
    shown = the_example(rule)
    trees = json.loads(shown.invalid)
    [found] = check_collection(trees, BENCHMARKS)
    [at] = [number for number in range(2) if shown.pointer.startswith(f"/{number}/")]
    assert (found.code, found.rule, found.severity) == (rule.code, rule.slug, rule.severity)
    assert found.place.pointer == shown.pointer.removeprefix(f"/{at}")
    assert found.subject == f'checkpoint "{trees[at]["id"]}"'
    assert "{?" not in found.message


def test_every_example_is_of_a_rule_and_every_rule_has_one() -> None:
    told = {path.stem for path in (data.folder("shapes") / "examples").glob("A*.json")}
    assert told == {rule.code for rule in RULES}


def test_the_versions_that_the_rules_accept_are_the_released_ones() -> None:
    assert [one for one in released() if rules.validate_checkpoint(tree(replaced("/version", one))).findings] == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (replaced("/timestamp", 1738790400000.0), "agent-timestamp"),
        (replaced("/timestamp", "1738790400000"), "agent-timestamp"),
        (replaced("/timestamp", True), "agent-timestamp"),
        (replaced("/timestamp", -1), "agent-timestamp"),
        (replaced("/timestamp", 10**15), "agent-timestamp"),
        (replaced("/id", ""), "agent-id"),
        (replaced("/id", 7), "agent-id"),
        (replaced("/id", "x" * 1025), "agent-id"),
        (replaced("/agent_id", "é" * 1025), "agent-agent"),
        (replaced("/execution_id", ""), "agent-execution"),
        (replaced(f"{THOUGHT}/confidence", -0.1), "thought-confidence"),
        (replaced(f"{THOUGHT}/confidence", 1.01), "thought-confidence"),
        (replaced(f"{THOUGHT}/confidence", "0.8"), "thought-confidence"),
        (replaced(f"{THOUGHT}/confidence", True), "thought-confidence"),
        (replaced(f"{THOUGHT}/metadata", []), "thought-metadata"),
        (replaced("/snapshot/tool_state/calls", {}), "call-object"),
        (replaced("/parent", []), "agent-parent"),
        (replaced("/about", {}), "about-nothing"),
        (replaced("/metadata/step_number", 2**53), "metadata-step"),
        (replaced("/metadata/duration_ms", True), "metadata-duration"),
        (replaced(f"{CALL}/duration_ms", None), "agent-null"),
        (replaced("/snapshot/context/memory", [None]), "memory-object"),
    ],
)
def test_a_value_that_cannot_be_is_one_finding_at_the_value(change: Json, expected: str) -> None:
    found = [one for one in findings(change) if one.place.pointer and one.place.pointer.startswith(change["path"])]
    assert [one.rule for one in found] == [expected]


@pytest.mark.parametrize(
    "identifier", ["../../etc/passwd", "a/b", "CON", "x\u0000", "x" * 900, "é" * 1024, "a b", "<x>", "_:b0", "%2F"]
)
def test_any_other_text_is_an_id(identifier: str) -> None:
    changes = [replaced("/id", identifier), replaced("/execution_id", identifier), replaced("/agent_id", identifier)]
    assert told(*changes, replaced("/metadata/agent_id", identifier)) == []


def test_what_is_no_thought_is_told_and_all_others_are_still_looked_at() -> None:
    odd: list[Json] = [None, 7, "It boils.", []]
    changes = [added("/snapshot/thought_chain/3", one) for one in odd]
    expected = [("thought-object", f"/snapshot/thought_chain/{at}") for at in range(3, 7)]
    assert told(*changes, removed(f"{THOUGHT}/content"), replaced("/snapshot/progress/total_thoughts", 7)) == [
        ("thought-content", f"{THOUGHT}/content"),
        *expected,
    ]


def test_a_chain_that_is_null_is_missing_and_the_rest_is_still_looked_at() -> None:
    changes = [replaced("/snapshot/thought_chain", None), removed("/snapshot/current_step_id"), replaced("/name", 7)]
    assert told(*changes) == [("thought-chain", "/snapshot/thought_chain"), ("agent-name", "/name")]


@pytest.mark.parametrize("value", [{}, {"a": 1}, "x", 0, False])
def test_what_stands_in_place_of_an_array_of_objects_is_said(value: Json) -> None:
    for pointer, noun in (("/snapshot/thought_chain", "thought"), ("/snapshot/tool_state/calls", "call")):
        [found] = [one for one in findings(replaced(pointer, value)) if one.place.pointer == pointer]
        assert found.message.startswith(f"in place of a {noun} there is ")
        assert "not an object" not in found.message
        assert found.remedy.startswith("write an array of objects: [{")


def test_85_is_taken_for_percent() -> None:
    [found] = findings(replaced(f"{THOUGHT}/confidence", 85))
    assert found.message == "the confidence is 85, not a number from 0 to 1"
    assert found.remedy == "did you mean 0.85?"
    assert found.subject == 'thought "thought_2"'


def test_each_of_three_thoughts_with_one_id_is_looked_at() -> None:
    again = {**tree()["snapshot"]["thought_chain"][2]}
    changes = [added("/snapshot/thought_chain/-", {**again, "content": 7}), added("/snapshot/thought_chain/-", again)]
    assert told(*changes, replaced("/snapshot/progress/total_thoughts", 5)) == [
        ("thought-repeated", "/snapshot/thought_chain/3/id"),
        ("thought-content", "/snapshot/thought_chain/3/content"),
    ]


def test_a_cycle_is_told_once_and_only_to_those_who_are_in_it() -> None:
    chain = [
        {
            "id": one,
            "type": "reasoning",
            "content": "",
            "confidence": 1,
            "created_at": 1767225601000,
            "parent_id": parent,
        }
        for one, parent in (("a", "b"), ("b", "c"), ("c", "b"), ("d", "d"))
    ]
    changes = [replaced("/snapshot/thought_chain", chain), removed("/snapshot/current_step_id")]
    assert told(*changes, replaced("/snapshot/progress/total_thoughts", 4)) == [
        ("thought-cycle", "/snapshot/thought_chain/1/parent_id"),
        ("thought-cycle", "/snapshot/thought_chain/3/parent_id"),
    ]


def test_findings_about_the_second_shape_point_into_the_file_as_it_is() -> None:
    source = text(
        tree(
            replaced("/snapshot/thought_chain/steps/0/timestamp", "early"),
            replaced("/snapshot/tool_state/completed/0/arguments", 7),
            start="agent-second",
        )
    )
    found = rules.check_reading(examine(source)).findings
    lines = source.decode().splitlines()
    assert [(one.rule, one.place.pointer) for one in found] == [
        ("thought-created", "/snapshot/thought_chain/steps/0/timestamp"),
        ("call-args", "/snapshot/tool_state/completed/0/arguments"),
    ]
    assert [one.message for one in found] == [
        'timestamp is "early", not milliseconds as a whole number',
        "the arguments are 7, not an object",
    ]
    for one, value in zip(found, ('"early"', "7"), strict=True):
        assert one.place.line is not None
        assert one.place.column is not None
        assert lines[one.place.line - 1][one.place.column - 1 :].startswith(value)


def test_keys_that_nobody_knows_beside_the_steps_of_the_second_shape_are_pointed_at() -> None:
    assert told(added("/snapshot/thought_chain/length", 1), start="agent-second") == [
        ("agent-key-unknown", "/snapshot/thought_chain/length")
    ]


def test_a_secret_is_told_and_not_repeated() -> None:
    key, header = "k-58aQx8f2e91", "Bearer abcdefghijklmnopqrstuvwxyz"
    found = findings(
        added("/snapshot/context/variables/service", {"Password": key}),
        replaced(f"{CALL}/args", {"headers": ["Accept: */*", header]}),
        added("/snapshot/context/variables/tokens", 12),
        added("/snapshot/context/variables/api_key", "${API_KEY}"),
    )
    assert [(one.rule, one.place.pointer) for one in found] == [
        ("agent-secret", "/snapshot/context/variables/service/Password"),
        ("agent-secret", f"{CALL}/args/headers/1"),
    ]
    assert key not in str(found)
    assert header not in str(found)


def test_a_value_that_may_be_a_secret_is_not_repeated_by_other_rules() -> None:
    key = "sk-abcdefghijklmnopqrstuvwxyz"
    found = findings(replaced("/metadata/checkpoint_reason", key))
    assert {one.rule for one in found} == {"agent-secret", "reason-unknown"}
    assert key not in str(found)


def test_a_misspelt_reason_is_told_with_the_one_that_was_meant() -> None:
    [found] = findings(replaced("/metadata/checkpoint_reason", "execution_complete"))
    assert found.remedy == 'did you mean "execution_completed"?'


@pytest.mark.parametrize("value", [2**53, -(2**53), 12, 0.1, "12345678901234567890"])
def test_numbers_that_every_program_keeps_are_not_reported(value: Json) -> None:
    assert told(added("/snapshot/context/variables/n", [value])) == []


@pytest.mark.parametrize("value", [2**53 + 1, -(2**63), 2**64, 10**400])
def test_integers_that_some_programs_change_are_pointed_at(value: int) -> None:
    assert told(added("/snapshot/context/variables/n", [1, value])) == [
        ("agent-large-integer", "/snapshot/context/variables/n/1")
    ]


def test_a_call_that_was_cancelled_needs_no_error() -> None:
    assert told(replaced(f"{CALL}/success", False), replaced(f"{CALL}/status", "cancelled")) == []


def test_a_call_in_flight_needs_nothing_but_its_id() -> None:
    assert told(replaced("/snapshot/tool_state/calls/2", {"id": "call_3"})) == []


def test_short_names_of_profiles_mean_those_of_agents() -> None:
    assert [one.severity for one in findings(replaced(f"{THOUGHT}/type", "musing"), profile="strict")] == [
        Severity.VIOLATION
    ]
    assert findings(replaced(f"{THOUGHT}/type", "musing"), profile="structure") == []
    assert [one.rule for one in findings(replaced(f"{THOUGHT}/type", "musing"), profile="consistency")] == [
        "thought-type-unknown"
    ]
    with pytest.raises(SettingsError, match="is for benchmarks"):
        findings(profile="legacy-dataset")


def test_a_profile_of_benchmarks_is_refused() -> None:
    with pytest.raises(SettingsError, match="the profile strict is for benchmarks"):
        findings(profile=profiles.profile("strict"))


def test_profiles_of_benchmarks_have_no_rules_of_agents_but_those_about_text() -> None:
    for name in profiles.names():
        assert not any(code.startswith("A") for code in profiles.profile(name).rules)
    shared = {rule.family for rule in profiles.profile("agent").rules.values() if rule.code.startswith("K")}
    assert shared == {"Documents"}


def test_a_byte_order_mark_is_a_violation_to_the_strict_profile() -> None:
    reading = examine(b"\xef\xbb\xbf" + text(tree()))
    assert [one.severity for one in rules.check_reading(reading).findings] == [Severity.WARNING]
    assert [one.severity for one in rules.check_reading(reading, "strict").findings] == [Severity.VIOLATION]


def test_a_report_on_a_checkpoint_in_memory_points_into_its_tree() -> None:
    report = rules.validate_checkpoint(tree(removed("/name"), replaced("/metadata/tokens_used", -1)))
    assert not report.conforms
    assert [(one.rule, one.place.pointer, one.place.line) for one in report.findings] == [
        ("metadata-tokens", "/metadata/tokens_used", None)
    ]


OWN = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix caf: <urn:caf:vocab:> . @prefix ex: <urn:example#> .
ex:sure a sh:PropertyShape ; sh:targetClass caf:Thought ; sh:path caf:confidence ; sh:minInclusive 0.85 ;
  sh:severity sh:Warning ; sh:message "we want to be surer" .
"""


def test_shapes_of_ones_own_may_be_about_what_has_no_object_in_the_file(tmp_path: Any) -> None:
    shape = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix caf: <urn:caf:vocab:> . @prefix ex: <urn:example#> .
    ex:tool a sh:NodeShape ; sh:targetObjectsOf caf:tool ; sh:pattern "handbook$" ; sh:message "only the handbook" ."""
    (tmp_path / "own.ttl").write_text(shape)
    found = findings(profile=profiles.profile("agent", [tmp_path]))
    assert [(one.message, one.place.pointer) for one in found] == [("only the handbook", "")]


def test_shapes_of_ones_own_may_have_parts_without_a_name_and_severities_of_their_own(tmp_path: Any) -> None:
    shape = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix caf: <urn:caf:vocab:> . @prefix ex: <urn:example#> .
    ex:thought a sh:NodeShape ; sh:targetClass caf:Thought ; sh:property [ sh:path caf:confidence ;
      sh:maxInclusive 0.5 ; sh:severity ex:Grave ; sh:message "too sure" ] ;
      sh:sparql [ a sh:SPARQLConstraint ; sh:message "no look" ;
        sh:select "SELECT $this ?value { $this <urn:caf:vocab:thoughtType> ?value FILTER(?value = 'planning') }" ] ."""
    (tmp_path / "own.ttl").write_text(shape)
    found = findings(replaced(f"{THOUGHT}/type", "planning"), profile=profiles.profile("agent", [tmp_path]))
    assert {(one.rule, one.message, one.severity) for one in found} == {
        ("thought", "too sure", Severity.VIOLATION),
        ("thought", "no look", Severity.VIOLATION),
    }


def test_shapes_of_ones_own_that_cannot_be_applied_are_named(tmp_path: Any) -> None:
    (tmp_path / "own.ttl").write_text(OWN.replace("sh:minInclusive 0.85", "sh:minCount 'x'"))
    with pytest.raises(SettingsError, match=r"(?s)your shapes cannot be applied.*own\.ttl"):
        findings(profile=profiles.profile("agent", [tmp_path]))


@pytest.mark.parametrize("depth", [50, 300])
def test_deep_values_are_looked_at_as_well(depth: int) -> None:
    value: Json = {"token": "k-58aQx8f2e91"}
    for _ in range(depth):
        value = [value]

    [found] = rules.validate_checkpoint(tree(added("/snapshot/context/variables/deep", value))).findings
    assert found.rule == "agent-secret"


def test_shapes_of_ones_own_are_held_against_the_graph(tmp_path: Any) -> None:
    (tmp_path / "own.ttl").write_text(OWN)
    chosen = profiles.profile("agent", [tmp_path])
    found = findings(removed("/snapshot/thought_chain/0/confidence"), profile=chosen)
    assert [(one.rule, one.severity, one.message, one.place.pointer) for one in found] == [
        ("confidence-unknown", Severity.INFO, "the confidence is missing", "/snapshot/thought_chain/0/confidence"),
        ("sure", Severity.WARNING, "we want to be surer", f"{THOUGHT}/confidence"),
    ]
