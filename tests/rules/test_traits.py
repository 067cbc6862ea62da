"""Rules about traits, beyond one example each: which values are wrong, which are only odd, and which are fine."""

import pytest

from checkpoint_ld import Severity
from checkpoint_ld.rules import document
from tests.documents import setting
from tests.rules.broken import QUESTION, Json, added, findings, located, removed, replaced

BOOLEAN, SCORE, LITERAL, REGEX, AGENTIC = (f"/rating/{at}" for at in range(5))
METRIC, MATRIX, DYNAMIC = (f"{QUESTION}/rating/{at}" for at in range(3))

PLACES = {
    "min_score": f"{SCORE}/additionalProperty/4/value",
    "classes": f"{LITERAL}/additionalProperty/5/value",
    "pattern": f"{REGEX}/additionalProperty/0/value",
    "case_sensitive": f"{REGEX}/additionalProperty/1/value",
    "kind": f"{AGENTIC}/additionalProperty/0/value",
    "context_mode": f"{AGENTIC}/additionalProperty/2/value",
    "max_turns": f"{AGENTIC}/additionalProperty/5/value",
    "metrics": f"{METRIC}/additionalProperty/0/value",
    "evaluation_mode": f"{METRIC}/additionalProperty/2/value",
    "tp_instructions": f"{METRIC}/additionalProperty/3/value",
    "tn_instructions": f"{MATRIX}/additionalProperty/4/value",
    "dynamic_trait_type": f"{DYNAMIC}/additionalProperty/4/value",
    "summary": f"{DYNAMIC}/additionalProperty/5/value",
}


def located_traits(*operations: Json) -> list[tuple[str, str | None]]:
    """Return the rules that are broken, in words, and where."""
    return [(one.rule, one.place.pointer) for one in findings(*operations)]


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("min_score", "1", "trait-number-text"),
        ("min_score", "one", "trait-number"),
        ("min_score", [1], "trait-number"),
        ("classes", ["Dry", "Warm"], "class-map"),
        ("classes", "Dry, Warm", "class-map"),
        ("classes", {"STRASSE": "in capitals", "straße": "in small letters"}, "class-case"),
        ("classes", {"Dry": "no adjectives", " ": "friendly words"}, "class-blank"),
        ("classes", {"Dry": "no adjectives", "Warm": 5}, "class-description"),
        ("pattern", "", "pattern-missing"),
        ("pattern", {}, "pattern-text"),
        ("pattern", "a(?i)b", "pattern-compiles"),
        ("case_sensitive", 1, "trait-flag-text"),
        ("case_sensitive", "Off", "trait-flag-text"),
        ("case_sensitive", 2, "trait-flag"),
        ("case_sensitive", [True], "trait-flag"),
        ("kind", 5, "agentic-kind"),
        ("kind", ["boolean"], "agentic-kind"),
        ("kind", "Boolean", "agentic-kind"),
        ("context_mode", ["trace_only"], "agentic-context"),
        ("max_turns", True, "trait-number-boolean"),
        ("max_turns", 1.5, "trait-fraction"),
        ("max_turns", -1, "agentic-limits"),
        ("metrics", "precision", "metric-names"),
        ("metrics", ["precision", 5], "metric-names"),
        ("metrics", ["Precision"], "metric-unknown"),
        ("metrics", ["specificity"], "metric-mode-mismatch"),
        ("evaluation_mode", 5, "metric-mode"),
        ("evaluation_mode", ["tp_only"], "metric-mode"),
        ("tp_instructions", [], "metric-instructions"),
        ("tp_instructions", "names mercury", "metric-instructions"),
        ("tn_instructions", [], "metric-full-matrix"),
        ("tn_instructions", [None], "metric-negative-instructions"),
    ],
)
def test_a_wrong_setting_is_one_finding_at_its_value(name: str, value: Json, rule: str) -> None:
    assert located_traits(replaced(PLACES[name], value)) == [(rule, PLACES[name])]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_score", 1.0),
        ("pattern", "(?i)\\bmercury\\b"),
        ("context_mode", "workspace_only"),
        ("max_turns", 7.0),
        ("max_turns", 10**30),
        ("metrics", ["recall", "recall"]),
    ],
)
def test_what_a_setting_may_be_is_not_reported(name: str, value: Json) -> None:
    assert located_traits(replaced(PLACES[name], value)) == []


@pytest.mark.parametrize(
    ("operation", "rule", "pointer"),
    [
        (replaced(f"{SCORE}/name", 5), "trait-name", f"{SCORE}/name"),
        (replaced(f"{SCORE}/name", {"en": "depth"}), "trait-name", f"{SCORE}/name"),
        (replaced(f"{SCORE}/name", None), "trait-name", f"{SCORE}/name"),
        (replaced(f"{SCORE}/bestRating", None), "trait-best", f"{SCORE}/bestRating"),
        (replaced(f"{SCORE}/bestRating", True), "trait-bound-boolean", f"{SCORE}/bestRating"),
        (replaced(f"{SCORE}/bestRating", "nan"), "trait-bound", f"{SCORE}/bestRating"),
        (replaced(f"{SCORE}/bestRating", 1.0), "rating-range", f"{SCORE}/worstRating"),
        (replaced(f"{REGEX}/bestRating", None), "trait-best-implied", f"{REGEX}/bestRating"),
        (removed(f"{REGEX}/additionalType"), "trait-type", f"{REGEX}/additionalType"),
        (replaced(f"{REGEX}/additionalType", 5), "trait-type", f"{REGEX}/additionalType"),
        (replaced(f"{REGEX}/additionalType", "https://example.org/A"), "trait-type", f"{REGEX}/additionalType"),
        (removed(f"{REGEX}/additionalProperty"), "pattern-missing", REGEX),
        (removed(f"{AGENTIC}/description"), "agentic-description", f"{AGENTIC}/description"),
        (replaced(f"{AGENTIC}/description", 5), "trait-description", f"{AGENTIC}/description"),
        (replaced(f"{SCORE}/description", ["How", "deep?"]), "trait-description", f"{SCORE}/description"),
        (added("/rating/-", 5), "trait-object", "/rating/5"),
    ],
)
def test_a_wrong_member_is_one_finding_at_its_place(operation: Json, rule: str, pointer: str) -> None:
    assert located_traits(operation) == [(rule, pointer)]


@pytest.mark.parametrize(
    "operation",
    [
        removed(f"{SCORE}/description"),
        replaced(f"{SCORE}/name", "Tiefe: ¿qué?"),
        replaced(f"{DYNAMIC}/name", "depth"),
        removed(f"{DYNAMIC}/additionalProperty/5"),
        removed(f"{DYNAMIC}/description"),
        added(f"{METRIC}/additionalProperty/-", setting("tn_instructions", [])),
    ],
    ids=lambda operation: operation["path"],
)
def test_what_a_trait_may_do_without_or_have_besides_is_not_reported(operation: Json) -> None:
    assert located_traits(operation) == []


GLOBAL = "/rating/5"


def with_global(**changed: Json) -> Json:
    """Return the operation that adds a dynamic trait of the whole benchmark, with other settings."""
    settings = {"higher_is_better": True, "dynamic_trait_type": "llm", "summary": "certainty"} | changed
    entries = [setting(name, value) for name, value in settings.items()]
    trait = {"@type": "Rating", "name": "doubt", "bestRating": 1.0, "worstRating": 0.0, "additionalProperty": entries}
    return added("/rating/-", trait | {"additionalType": "karenina:GlobalDynamicRubricTrait"})


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("dynamic_trait_type", "LLM", "dynamic-kind"),
        ("summary", 5, "trait-summary"),
        ("summary", "", "dynamic-concept"),
    ],
)
def test_a_setting_of_a_dynamic_trait_counts_at_the_root_where_karenina_reads_it(
    name: str, value: Json, rule: str
) -> None:
    assert [rule_found for rule_found, _ in located_traits(with_global(**{name: value}))] == [rule]
    assert located_traits(replaced(PLACES[name], value)) == []


@pytest.mark.parametrize("name", ["pattern", "case_sensitive", "context_mode", "max_turns", "metrics"])
def test_karenina_refuses_a_setting_without_a_value(name: str) -> None:
    found = findings(replaced(PLACES[name], None))

    assert any(one.rule.endswith("-unset") and one.severity is Severity.VIOLATION for one in found)


@pytest.mark.parametrize(
    "operation",
    [
        replaced(PLACES["classes"], {"Dry": "no adjectives", "Drier": "no words", "Warm": "friendly words"}),
        replaced(PLACES["kind"], "score"),
        replaced(f"{REGEX}/bestRating", 5.0),
    ],
    ids=lambda operation: operation["path"],
)
def test_bounds_that_karenina_takes_otherwise_are_pointed_at(operation: Json) -> None:
    [(rule, pointer)] = located_traits(operation)

    assert rule == "trait-range-read"
    assert pointer is not None
    assert pointer.endswith("/bestRating")


def test_of_several_traits_of_one_name_all_but_the_first_are_reported() -> None:
    operations = [replaced(f"{one}/name", "safe") for one in (SCORE, REGEX)]

    assert located_traits(*operations) == [
        ("trait-name-duplicate", f"{SCORE}/name"),
        ("trait-name-duplicate", f"{REGEX}/name"),
    ]


def test_a_template_trait_has_neither_direction_nor_deep_judgment() -> None:
    kind = {"type": "template", "schema": {"type": "object"}}
    judged = [
        replaced(PLACES["kind"], kind),
        added(f"{AGENTIC}/additionalProperty/-", setting("deep_judgment_enabled", True)),
    ]

    judged += [replaced(f"{AGENTIC}/bestRating", 0.0)]

    assert located_traits(*judged) == [
        ("template-trait-direction", f"{AGENTIC}/additionalProperty/1/value"),
        ("template-trait-judgment", f"{AGENTIC}/additionalProperty/7/value"),
    ]
    assert located_traits(judged[0], judged[-1], removed(f"{AGENTIC}/additionalProperty/1/value")) == []


def test_a_trace_is_only_missed_where_somebody_requires_it() -> None:
    hidden = replaced(PLACES["context_mode"], "workspace_only")
    asked_for = replaced(f"{AGENTIC}/additionalProperty/3/value", True)

    assert located_traits(hidden) == located_traits(asked_for) == []
    assert located_traits(hidden, asked_for) == [("agentic-trace", asked_for["path"])]


JUDGE = {"id": "judge", "model_name": "judge"}


@pytest.mark.parametrize(
    ("model", "rules"),
    [
        ({"interface": "langchain_deep_agents", **JUDGE}, []),
        ({"interface": "langchain_deep_agents", "model_name": "judge"}, ["agentic-model"]),
        ({**JUDGE}, ["agentic-model"]),
        ({"interface": "claude_agent_sdk", **JUDGE, "temperature": "warm"}, ["agentic-model"]),
        ({"interface": "claude_agent_sdk", **JUDGE, "anthropic_api_key": "${JUDGE_KEY}"}, []),
        ({"interface": "claude_agent_sdk", **JUDGE, "anthropic_api_key": "only-an-example"}, ["model-secret"]),
        ({"interface": "manual"}, ["agentic-model"]),
        ("judge", ["agentic-model"]),
    ],
)
def test_the_model_of_an_agent_can_act_and_keeps_its_secrets(model: Json, rules: list[str]) -> None:
    found = findings(added(f"{AGENTIC}/additionalProperty/-", setting("model_override", model)))

    assert [one.rule for one in found] == rules
    assert "only-an-example" not in "".join(f"{one} {one.value}" for one in found)


@pytest.mark.parametrize(
    ("expected", "meant"),
    [
        ("karenina:GlobalRegexTriat", "GlobalRegexTrait"),
        ("GlobalCalableTrait", "GlobalCallableTrait"),
        ("https://schema.org/GlobalRegexTraits", "GlobalRegexTrait"),
        ("karenina:GlobalRegexRubricTrait", "GlobalRegexTrait"),
        ("GlobalCallableRubricTrait", "GlobalCallableTrait"),
        ("QuestionSpecificManualRubricTrait", "QuestionSpecificRegexTrait"),
    ],
)
def test_the_nearest_type_is_the_remedy(expected: str, meant: str) -> None:
    [found] = findings(replaced(f"{REGEX}/additionalType", expected))

    assert found.remedy == f"did you mean karenina:{meant}?"


def test_a_misspelt_metric_is_recognised() -> None:
    [found] = findings(replaced(PLACES["metrics"], ["precision", "recal"]))

    assert found.message == 'unknown metric "recal"; did you mean recall?'


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (removed(f"{METRIC}/additionalProperty/3"), "tp_instructions is missing"),
        (removed(f"{LITERAL}/additionalProperty/5"), "classes is missing"),
        (replaced(PLACES["max_turns"], 7.5), "max_turns is 7.5, not a whole number"),
        (replaced(f"{REGEX}/bestRating", "1"), 'bestRating is the text "1", not a number'),
        (replaced(PLACES["min_score"], 2), "min_score is 2, but worstRating is 1.0"),
    ],
)
def test_a_message_names_the_setting_and_its_value(operation: Json, message: str) -> None:
    [found] = findings(operation)

    assert found.message == message


def test_of_a_setting_that_stands_twice_the_last_counts_and_is_pointed_at() -> None:
    twice = added(f"{REGEX}/additionalProperty/-", setting("case_sensitive", "never"))

    assert ("trait-flag", f"{REGEX}/additionalProperty/4/value") in located_traits(twice)


# --- Rules about answer templates, beyond one example of each.


TEMPLATE = f"{QUESTION}/hasPart"
GOOD = document("metals")["dataFeedElement"][0]["item"]["hasPart"]["text"]


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        ("", None, "KT001"),
        ("", [], "KT001"),
        ("", "class Answer(BaseAnswer): ...", "KT002"),
        ("", 7, "KT002"),
        ("", {}, "KT002"),
        ("/programmingLanguage", "", "KT004"),
        ("/programmingLanguage", 7, "KT004"),
        ("/programmingLanguage", {"@type": "ComputerLanguage", "name": "Python"}, "KT004"),
        ("/programmingLanguage", "PYTHON", "KT005"),
        ("/text", 7, "KT006"),
        ("/text", {"source": "°"}, "KT006"),
        ("/text", None, "KT015"),
        ("/text", "", "KT007"),
        ("/text", " \n", "KT007"),
        ("/text", "x = 1\n", "KT009"),
        ("/name", 7, "KT013"),
        ("/name", None, "KT013"),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_finding(pointer: str, value: Json, code: str) -> None:
    assert located(replaced(TEMPLATE + pointer, value)) == [(code, TEMPLATE + pointer)]


@pytest.mark.parametrize(("member", "code"), [("programmingLanguage", "KT014"), ("@type", "KN004")])
def test_a_member_that_goes_without_saying_is_missed(member: str, code: str) -> None:
    assert located(removed(f"{TEMPLATE}/{member}")) == [(code, f"{TEMPLATE}/{member}")]


def test_a_language_that_is_null_is_not_given() -> None:
    place = f"{TEMPLATE}/programmingLanguage"

    assert located(replaced(place, None)) == [("KF006", place), ("KT014", place)]


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        (GOOD.replace("):", ")", 1), "KT008", "line 1: expected ':'"),
        (GOOD.replace("BaseAnswer", "BaseModel"), "KT009", "there is Answer"),
        (GOOD + "\n\n" + GOOD.replace("Answer(", "Other("), "KT009", "Answer, Other"),
        (GOOD.replace("lowercase", "lower"), "KT011", "'lower'"),
        (GOOD.replace("ExactMatch(", "ExcatMatch("), "KT011", "ExcatMatch"),
        (GOOD.replace('        ground_truth="mercury",\n', ""), "KT011", "lacks ground_truth"),
    ],
)
def test_what_is_wrong_with_a_template_is_reported_with_its_line(source: str, code: str, words: str) -> None:
    [found] = findings(replaced(f"{TEMPLATE}/text", source))

    assert (found.code, found.place.pointer) == (code, f"{TEMPLATE}/text")
    assert words in found.message


@pytest.mark.parametrize(
    "source",
    [
        "class Answer(BaseAnswer):\n    metal: str\n\n    def verify(self) -> bool:\n        return True\n",
        GOOD.replace("mercury", "ртуть 🜍"),
        GOOD.replace("\n", "\r\n"),
    ],
)
def test_a_template_that_works_is_not_reported(source: str) -> None:
    assert located(replaced(f"{TEMPLATE}/text", source)) == []


def test_nothing_in_a_template_is_run() -> None:
    assert located(replaced(f"{TEMPLATE}/text", f"{GOOD}\nraise SystemExit\n")) == []


def test_a_template_of_a_scenario_is_pointed_at_in_the_scenario() -> None:
    template = "/hasPart/0/nodes/again/question/hasPart"
    [found] = findings(replaced(f"{template}/programmingLanguage", "R"), start="interview")

    assert (found.code, found.place.pointer) == ("KT004", f"{template}/programmingLanguage")
    assert found.subject == 'scenario "second chance", node "again"'


def test_the_same_fault_in_two_templates_is_found_twice() -> None:
    places = [f"/dataFeedElement/{at}/item/hasPart/text" for at in (0, 1)]

    assert located(*(replaced(place, "x =") for place in places)) == [("KT008", place) for place in places]


def test_a_type_beside_the_right_one_is_pointed_at() -> None:
    found = located(replaced(f"{TEMPLATE}/@type", ["SoftwareSourceCode", "CreativeWork"]))

    assert ("KT003", f"{TEMPLATE}/@type/1") in found


def test_a_member_of_ones_own_is_dropped_by_karenina() -> None:
    assert located(added(f"{TEMPLATE}/license", "CC0")) == [("KN005", f"{TEMPLATE}/license")]
    assert located_traits(added(f"{SCORE}/x_note", "ours")) == [("member-unknown", f"{SCORE}/x_note")]
