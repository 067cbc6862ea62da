"""Rules about additional properties, beyond one example of each."""

import json

import pytest

import checkpoint_ld
from checkpoint_ld import Severity, families
from checkpoint_ld.validation import profiles
from tests.documents import setting
from tests.rules.broken import FIRST, QUESTION, Json, added, findings, located, messages, removed, replaced, text

PROPERTIES = f"{QUESTION}/additionalProperty"
FINISHED, AUTHOR, SOURCES, LEVEL, EXAMPLES, NOTES = (f"{PROPERTIES}/{at}/value" for at in range(6))
NEW = f"{PROPERTIES}/6"


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        (FINISHED, "", "KP005"),
        (FINISHED, 7, "KP005"),
        (FINISHED, [], "KP005"),
        (FINISHED, {"done": True}, "KP005"),
        (FINISHED, 1, "KP006"),
        (FINISHED, "True", "KP006"),
        (AUTHOR, "{broken", "KP007"),
        (AUTHOR, [{"name": "Ada Smith"}], "KP007"),
        (AUTHOR, 7, "KP007"),
        (SOURCES, {"name": "Handbook of metals"}, "KP008"),
        (SOURCES, '{"name": "Handbook of metals"}', "KP008"),
        (SOURCES, '[{"name": "a", "name": "b"}]', "KP008"),
        (SOURCES, [{"name": "Handbook of metals"}, 7], "KP011"),
        (EXAMPLES, "[]]", "KP009"),
        (EXAMPLES, ["Which metal rusts?"], "KP012"),
        (EXAMPLES, [{"question": "Which metal rusts?", "answer": None}], "KP012"),
        (NOTES, ["Hg"], "KP010"),
        (LEVEL, "sk-" + "a1" * 12, "KP014"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_one_finding(pointer: str, value: Json, code: str) -> None:
    assert located(replaced(pointer, value)) == [(code, pointer)]


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        (AUTHOR, {"name": "Ada Smith"}),
        (AUTHOR, "{}"),
        (SOURCES, []),
        (SOURCES, [{"name": "Handbook of metals"}]),
        (EXAMPLES, "[]"),
        (EXAMPLES, [{"question": "Which metal rusts?", "answer": "Iron"}]),
        (NOTES, ""),
        (LEVEL, {"api_key": "$OPENAI_API_KEY"}),
        (LEVEL, {"@id": "easy", "@value": 1}),
        (LEVEL, [[1], [2]]),
    ],
)
def test_either_encoding_of_a_setting_will_do(pointer: str, value: Json) -> None:
    assert located(replaced(pointer, value)) == []


@pytest.mark.parametrize("pointer", [AUTHOR, SOURCES, EXAMPLES, NOTES, LEVEL])
def test_karenina_drops_a_null(pointer: str) -> None:
    assert located(replaced(pointer, None)) == [("KP016", pointer)]


@pytest.mark.parametrize("change", [replaced(FINISHED, None), removed(FINISHED)])
def test_karenina_refuses_a_question_that_is_finished_without_a_value(change: Json) -> None:
    found = findings(change)

    assert ("KP017", Severity.VIOLATION) in [(one.code, one.severity) for one in found]


@pytest.mark.parametrize("at", range(1, 6))
def test_a_property_has_a_value(at: int) -> None:
    assert located(removed(f"{PROPERTIES}/{at}/value")) == [("KP015", f"{PROPERTIES}/{at}/value")]


@pytest.mark.parametrize("at", range(6))
def test_a_property_has_a_type(at: int) -> None:
    assert located(removed(f"{PROPERTIES}/{at}/@type")) == [("KN004", f"{PROPERTIES}/{at}/@type")]


@pytest.mark.parametrize("holder", ["", QUESTION, "/rating/1"])
@pytest.mark.parametrize("entry", ["custom_level", 7, {}])
def test_an_entry_that_is_no_object_is_reported_wherever_it_stands(holder: str, entry: Json) -> None:
    [(code, pointer)] = located(added(f"{holder}/additionalProperty/0", entry))

    assert (code, pointer) == ("KP001", f"{holder}/additionalProperty/0")


@pytest.mark.parametrize("name", [7, None, {"en": "level"}, ["level", "grade"]])
def test_a_name_is_one_text(name: Json) -> None:
    assert located(replaced(f"{PROPERTIES}/3/name", name)) == [("KP002", f"{PROPERTIES}/3/name")]


def test_all_but_the_first_of_a_repeated_property_are_reported() -> None:
    again = [added(f"{PROPERTIES}/-", setting("custom_level", value)) for value in ("easy", "hard")]

    assert located(*again) == [("KP003", f"{PROPERTIES}/{at}/name") for at in (6, 7)]


def test_of_a_repeated_setting_the_last_one_counts() -> None:
    found = located(added(f"{PROPERTIES}/-", setting("finished", "banana")))

    assert found == [("KP003", f"{NEW}/name"), ("KP005", f"{NEW}/value")]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("finnished", "finished"),
        ("Finished", "finished"),
        ("fewShotExamples", "few_shot_examples"),
        ("answer_note", "answer_notes"),
        ("workspacepath", "workspace_path"),
    ],
)
def test_a_misspelt_setting_is_reported_with_the_one_that_was_meant(name: str, meant: str) -> None:
    change = added(f"{PROPERTIES}/-", setting(name, "a"))

    assert located(change) == [("KP004", f"{NEW}/name")]
    assert messages(change) == [f'no tool knows the property "{name}": did you mean {meant}?']


@pytest.mark.parametrize("name", ["custom_finnished", "level", "DOI", "ontology_term", "", "x" * 5000])
def test_a_name_of_ones_own_is_left_alone(name: str) -> None:
    assert located(added(f"{PROPERTIES}/-", setting(name, "a"))) == []


@pytest.mark.parametrize(
    "path", ["/srv/metals", "../metals", "data/../../metals", "C:\\metals", "~/metals", "\\\\host\\x"]
)
def test_a_workspace_stands_below_the_folder_of_its_benchmark(path: str) -> None:
    assert located(added(f"{PROPERTIES}/-", setting("workspace_path", path))) == [("KP013", f"{NEW}/value")]


@pytest.mark.parametrize("path", ["data", "data/metals..v2", "./données/métaux", "..data", ""])
def test_a_path_below_the_folder_is_not_reported(path: str) -> None:
    assert located(added(f"{PROPERTIES}/-", setting("workspace_path", path))) == []


@pytest.mark.parametrize("holder", ["", QUESTION])
def test_a_secret_is_found_and_not_repeated(holder: str) -> None:
    secret = "hf_" + "Q7" * 15
    [found] = findings(added(f"{holder}/additionalProperty/-", setting("custom_access", {"keys": [secret]})))

    assert found.code == "KP014"
    assert 'property "custom_access"' in found.message
    assert secret not in str(found)
    assert found.value is None


@pytest.mark.parametrize("text", ["benchmark-of-something-longer", "What is risk-stratification-score?"])
def test_the_end_of_a_word_begins_no_secret(text: str) -> None:
    assert not findings(added("/additionalProperty/-", setting("custom_topic", text)))


def test_a_large_setting_is_shown_by_its_size() -> None:
    assert messages(replaced(SOURCES, {str(at): at for at in range(1000)})) == [
        "sources is an object with 1000 members, not an array; it is kept as it is"
    ]


# --- Rules about the benchmark as a whole, beyond one example of each.


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("name", 7, "KB001"),
        ("name", None, "KB001"),
        ("name", {"en": "Metals"}, "KB001"),
        ("name", ["Metals", "Metalle"], "KB001"),
        ("name", "\n", "KB020"),
        ("description", {"en": "About metals"}, "KB002"),
        ("version", True, "KB003"),
        ("version", ["1.0", "2.0"], "KB004"),
        ("version", None, "KB023"),
        ("dateCreated", 20260301, "KB027"),
        ("dateCreated", "2026-13-01", "KB009"),
        ("dateCreated", "", "KB009"),
        ("dateCreated", None, "KB007"),
        ("creator", True, "KB011"),
        ("creator", {"@type": "Person", "name": 7}, "KB012"),
        ("dataFeedElement", 7, "KB013"),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_finding(member: str, value: Json, code: str) -> None:
    pointer = "/creator/name" if code == "KB012" else f"/{member}"

    assert located(replaced(f"/{member}", value)) == [(code, pointer)]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("creator", "Foundry"),
        ("dateCreated", "2026-03-01"),
        ("dateCreated", "2026-03-01T09:00:00.123456"),
        ("hasPart", []),
        ("globalRubric", None),
    ],
)
def test_what_the_format_allows_is_not_reported(member: str, value: Json) -> None:
    assert located(added(f"/{member}", value)) == []


def test_of_several_creators_the_one_that_is_nobody_is_pointed_at() -> None:
    assert located(replaced("/creator", ["Ada Smith", 7])) == [("KB021", "/creator"), ("KB011", "/creator/1")]


def test_a_feed_that_is_missing_is_not_empty_too() -> None:
    assert located(removed("/dataFeedElement")) == [("KB013", "/dataFeedElement")]


def test_scenarios_alone_are_no_empty_benchmark() -> None:
    assert located(removed("/dataFeedElement"), start="interview") == []


@pytest.mark.parametrize("version", ["3.0.0-jsonld", "3.1"])
@pytest.mark.parametrize("name", ["benchmark_format_version", "checkpoint_format_version"])
def test_either_name_of_the_format_version_will_do(name: str, version: str) -> None:
    assert located(replaced("/additionalProperty/0", setting(name, version))) == []


def test_the_foreign_one_of_two_format_versions_is_named() -> None:
    [found] = findings(added("/additionalProperty/-", setting("checkpoint_format_version", "4.0.0")))

    assert found.place.pointer == "/additionalProperty/1/value"
    assert found.message == 'checkpoint_format_version is "4.0.0", not 3.0.0-jsonld'


@pytest.mark.parametrize("value", ["[]", [], " [ ] "])
def test_an_empty_list_of_abandoned_traits_is_no_loss(value: Json) -> None:
    assert located(added("/additionalProperty/-", setting("global_manual_rubric_traits", value))) == []


LEFT_OUT = "holds a trait that is left out of the rubric"


@pytest.mark.parametrize("holder", ["", QUESTION])
@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("metric", '[{"name": "cut off"', '"[{\\"name\\": \\"cut off\\"" is no trait'),
        ("metric", "[" * 100_000, '"[[[[…'),
        ("regex", {"name": "alone"}, '"{\\"name\\": \\"alone\\"}" is no trait'),
        ("regex", '[{"name": "good", "pattern": "x"}, 5]', "5 is no trait"),
        ("callable", [{"name": "odd", "kind": "odd"}], "the trait 'odd' cannot be read: kind: …"),
        ("llm", '[{"kind": "boolean"}]', "the trait None cannot be read: name: …"),
        ("metric", '[{"name": "\\ud83d"}]', "the trait '\\ud83d' cannot be read: …"),
    ],
)
def test_what_is_no_trait_in_an_old_property_is_named(holder: str, name: str, value: Json, fault: str) -> None:
    change = added(f"{holder}/additionalProperty/-", setting(f"question_{name}_rubric_traits", value))
    [message] = messages(change)

    assert message.startswith(f'"question_{name}_rubric_traits" {LEFT_OUT}: {fault.removesuffix("…")}')


@pytest.mark.parametrize("value", ["[]", [], "", '[{"name": "a", "pattern": "x"}]', [{"name": "a", "pattern": "x"}]])
def test_an_old_property_of_traits_that_are_read_is_no_fault(value: Json) -> None:
    entry = setting("question_regex_rubric_traits", value)

    assert located(added(f"{QUESTION}/additionalProperty/-", entry)) == []
    assert located(added("/additionalProperty/-", {**entry, "name": "global_regex_rubric_traits"})) == []


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([{"name": "a", "kind": "boolean"}, 5], "5 is no trait"),
        (["depth"], '"depth" is no trait'),
        ("depth", '"depth" is no trait'),
        ([{"kind": "boolean"}], "the trait None cannot be read: name: …"),
        ([{"name": "a", "kind": "boolean"}], None),
        (None, None),
    ],
)
def test_what_is_no_trait_in_a_plain_global_rubric_is_named(entries: Json, fault: str | None) -> None:
    plain, *rest = sorted(messages(added("/globalRubric", {"llm_traits": entries})), key=len)

    assert plain == "the root has a plain globalRubric, which Karenina drops"
    assert len(rest) == (fault is not None)
    assert fault is None or rest[0].startswith(f"globalRubric {LEFT_OUT}: {fault.removesuffix('…')}")


def test_what_karenina_passes_over_is_no_violation() -> None:
    trait = {"name": "cites", "kind": "boolean", "callable_code": "x = 1\ndef f(text): 5"}
    earlier = {
        "@context": {"@version": 1.1, "@vocab": "http://schema.org/"},
        "@type": "DataFeed",
        "name": "Metals",
        "dataFeedElement": [],
        "globalRubric": {"callable_traits": [trait]},
    }
    found = families.check(json.dumps(earlier).encode(), profiles.profile(), syntax="json").findings

    assert {one.severity for one in found if one.rule == "callable-code-refused"} == {Severity.WARNING}


def test_abandoned_traits_of_a_question_are_named() -> None:
    change = added(f"{QUESTION}/additionalProperty/-", setting("question_manual_rubric_traits", '[{"name": "m"}]'))

    assert messages(change) == [
        "question_manual_rubric_traits holds traits of a kind that no longer exists; they are kept as they are"
    ]


def test_the_date_that_is_wrong_is_named() -> None:
    assert messages(replaced("/dateModified", "yesterday")) == [
        'dateModified is "yesterday", which is no date in ISO 8601'
    ]


def test_dates_of_which_one_has_no_offset_are_not_compared_closely() -> None:
    assert located(replaced("/dateModified", "2026-02-28T20:00:00")) == []
    assert located(replaced("/dateModified", "2026-02-20T20:00:00")) == [("KB010", "/dateModified")]


def test_a_part_that_is_no_scenario_is_not_called_one() -> None:
    [found] = findings(added("/hasPart", [{"@type": "CreativeWork", "name": "Appendix"}]))

    assert found.subject == 'part "Appendix"'


# --- Rules about elements, questions, answers and identifiers, beyond one example of each.


TEXT = "Which metal is liquid at 20 °C?"
ANSWER = {"@type": "Answer", "text": "Mercury"}


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        (FIRST, 7, "KQ001"),
        (FIRST, {}, "KQ001"),
        (QUESTION, "Which metal?", "KQ002"),
        (QUESTION, {}, "KQ002"),
        (QUESTION, None, "KQ002"),
        (f"{QUESTION}/text", 7, "KQ003"),
        (f"{QUESTION}/text", {"en": TEXT}, "KQ003"),
        (f"{QUESTION}/text", "\n", "KQ004"),
        (f"{QUESTION}/text", "\u00a0\t", "KQ004"),
        (f"{QUESTION}/acceptedAnswer", "Mercury", "KQ005"),
        (f"{QUESTION}/acceptedAnswer", [ANSWER, ANSWER], "KQ005"),
        (f"{QUESTION}/acceptedAnswer", [], "KQ005"),
        (f"{QUESTION}/acceptedAnswer/text", 80, "KQ006"),
        (f"{QUESTION}/acceptedAnswer/text", " \n", "KQ007"),
        (f"{FIRST}/dateCreated", 7, "KQ021"),
        (f"{FIRST}/@id", "", "KQ013"),
        (f"{FIRST}/@id", "http://example.org/a b", "KQ015"),
        (f"{FIRST}/@id", "d41d8cd98f00b204e9800998ecf8427e", "KQ016"),
    ],
)
def test_a_member_of_a_question_of_the_wrong_kind_is_one_finding(pointer: str, value: Json, code: str) -> None:
    assert located(replaced(pointer, value)) == [(code, pointer)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Which metal?", '"Which metal?"'),
        ("https://example.org/questions/1", "<https://example.org/questions/1>"),
        ({}, "an empty object"),
        (7, "7"),
        (None, "missing"),
    ],
)
def test_a_message_shows_what_stands_in_place_of_a_question(value: Json, shown: str) -> None:
    assert messages(replaced(QUESTION, value)) == [f"the question of this element is {shown}"]


@pytest.mark.parametrize(
    "identifier",
    [
        "urn:uuid:question-which-metal-is-liquid-at-20-°c-687325bc-2",
        "urn:uuid:3e1a6f3e-6d0c-4c27-8a3f-0d4c1b1f9a10",
        "https://example.org/questions/1",
        "urn:uuid:question-1",
    ],
)
def test_an_identifier_that_may_stand_for_the_question_is_not_reported(identifier: str) -> None:
    assert located(replaced(f"{FIRST}/@id", identifier)) == []


def test_an_identifier_that_was_copied_with_its_element_is_one_finding() -> None:
    copied = replaced("/dataFeedElement/1/@id", "urn:uuid:question-which-metal-is-liquid-at-20-°c-687325bc")

    assert located(copied) == [("KQ014", "/dataFeedElement/1/@id")]


def test_each_copy_of_an_identifier_is_reported_but_not_the_first() -> None:
    changes = [replaced(f"/dataFeedElement/{at}/@id", "urn:uuid:one") for at in (0, 1)]

    assert located(*changes) == [("KQ014", "/dataFeedElement/1/@id")]


@pytest.mark.parametrize(
    ("keywords", "at"),
    [([7], "/0"), (["physics", None, 7], None), (["physics", 7], "/1"), (["physics", {"name": "optics"}], "/1")],
)
def test_the_keyword_that_is_not_text_is_pointed_at(keywords: Json, at: str | None) -> None:
    found = located(replaced(f"{QUESTION}/keywords", keywords))

    assert [code for code, _ in found if code[:2] == "KQ"] == ["KQ017"]
    assert at is None or found == [("KQ017", f"{QUESTION}/keywords{at}")]


@pytest.mark.parametrize("keywords", [[], ["metals", "Metals"], ["80"]])
def test_usual_keywords_are_not_reported(keywords: Json) -> None:
    assert located(replaced(f"{QUESTION}/keywords", keywords)) == []


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        (["a"], ["b"], ["/0"]),
        (["a", "b"], ["a"], ["/1"]),
        (["a", "b"], ["c"], ["/0", "/1"]),
        (["b", "a"], ["a", "b", "c"], ["/1"]),
        (["a"], [], []),
        ([], ["a"], []),
        (["b", "a"], ["a", "b"], []),
    ],
)
def test_keywords_in_two_places_are_compared_as_sets(old: list[str], new: list[str], places: list[str]) -> None:
    found = located(added(f"{FIRST}/keywords", old), replaced(f"{QUESTION}/keywords", new))

    assert found == [("KQ018", f"{FIRST}/keywords{place}") for place in places]


def test_a_keyword_that_is_not_text_does_not_also_differ() -> None:
    assert located(added(f"{FIRST}/keywords", [7, "chemistry"])) == [("KQ017", f"{FIRST}/keywords/0")]


def test_a_finding_without_a_usable_text_names_the_question_by_its_identifier() -> None:
    [found] = findings(replaced(f"{QUESTION}/text", 7))

    assert found.subject == 'question "urn:uuid:question-which-metal-is-liquid-at-20-°c-687325bc"'


@pytest.mark.parametrize("place", ["", QUESTION, f"{QUESTION}/acceptedAnswer", f"{QUESTION}/hasPart", "/rating/0"])
@pytest.mark.parametrize("identifier", ["rq 1", "urn:uuid:a b"])
def test_an_identifier_that_is_no_iri_is_reported_wherever_it_stands(place: str, identifier: str) -> None:
    assert located(added(f"{place}/@id", identifier)) == [("KQ019", f"{place}/@id")]


def test_a_question_of_a_scenario_keeps_the_same_rules() -> None:
    question = "/hasPart/0/nodes/ask/question"

    assert located(removed(f"{question}/acceptedAnswer"), start="interview") == [
        ("KQ005", f"{question}/acceptedAnswer")
    ]


# --- Rules about keys and types, beyond one example of each.


PLACES = {
    "root": "",
    "trait": "/rating/0",
    "setting": "/rating/0/additionalProperty/0",
    "element": FIRST,
    "question": QUESTION,
    "answer": f"{QUESTION}/acceptedAnswer",
    "template": f"{QUESTION}/hasPart",
}


@pytest.mark.parametrize(
    ("place", "key", "meant"),
    [
        ("root", "descripton", "description"),
        ("root", "dataFeedElements", "dataFeedElement"),
        ("root", "Name", "name"),
        ("trait", "bestrating", "bestRating"),
        ("trait", "additional_type", "additionalType"),
        ("question", "acceptedAnswr", "acceptedAnswer"),
        ("question", "hasParts", "hasPart"),
        ("setting", "vlaue", "value"),
        ("template", "programingLanguage", "programmingLanguage"),
    ],
)
def test_a_misspelt_key_is_reported_with_the_one_that_was_meant(place: str, key: str, meant: str) -> None:
    change = added(f"{PLACES[place]}/{key}", "x")

    assert located(change) == [("KN001", f"{PLACES[place]}/{key}")]
    assert messages(change) == [f'no tool knows the key "{key}" here: did you mean {meant}?']


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("key", ["license", "karenina:note", "два слова", "inLanguage", "url", "x" * 5000])
def test_a_key_of_ones_own_is_dropped_by_karenina(place: str, key: str) -> None:
    change = added(f"{place}/{key}", "x")
    [found] = findings(change)
    assert (found.code, found.severity, found.place.pointer) == ("KN005", Severity.WARNING, f"{place}/{key}")
    assert [one.severity for one in families.check(text(change), profiles.profile("strict")).findings] == [
        Severity.INFO
    ]
    assert checkpoint_ld.load(text(change)).findings == ()


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("root", "item"),
        ("root", "text"),
        ("trait", "acceptedAnswer"),
        ("setting", "text"),
        ("element", "acceptedAnswer"),
        ("question", "programmingLanguage"),
        ("question", "bestRating"),
        ("answer", "item"),
    ],
)
def test_a_key_in_the_wrong_object_is_pointed_at(place: str, key: str) -> None:
    assert located(added(f"{PLACES[place]}/{key}", "x")) == [("KN002", f"{PLACES[place]}/{key}")]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("trait", "Rating"),
        ("setting", "PropertyValue"),
        ("element", "DataFeedItem"),
        ("question", "Question"),
        ("answer", "Answer"),
    ],
)
@pytest.mark.parametrize("kind", ["CreativeWork", "karenina:Thing"])
def test_an_unexpected_type_is_reported_with_the_one_that_is_requested(place: str, expected: str, kind: str) -> None:
    change = replaced(f"{PLACES[place]}/@type", kind)

    assert located(change) == [("KN003", f"{PLACES[place]}/@type")]
    assert messages(change) == [f'the type is "{kind}": this place requires {expected}']


def test_a_type_that_is_no_text_is_unexpected() -> None:
    change = replaced("/dataFeedElement/0/@type", 7)

    assert located(change) == [("KD012", ""), ("KN003", "/dataFeedElement/0/@type")]
    assert messages(change)[1:] == ['the type is "7": this place requires DataFeedItem']


def test_a_misspelt_key_of_a_node_is_found_in_its_scenario() -> None:
    [found] = findings(added("/hasPart/0/nodes/ask/toolFliter", []), start="interview")

    assert (found.code, found.subject) == ("KN001", 'scenario "second chance", node "ask"')
