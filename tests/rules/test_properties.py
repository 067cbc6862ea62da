"""Rules about additional properties, beyond one example of each."""

from __future__ import annotations

import pytest

from tests.documents import setting
from tests.rules.broken import QUESTION, Json, added, findings, located, messages, removed, replaced

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
        (FINISHED, None),
        (AUTHOR, None),
        (AUTHOR, {"name": "Ada Smith"}),
        (AUTHOR, "{}"),
        (SOURCES, None),
        (SOURCES, []),
        (SOURCES, [{"name": "Handbook of metals"}]),
        (EXAMPLES, None),
        (EXAMPLES, "[]"),
        (EXAMPLES, [{"question": "Which metal rusts?", "answer": "Iron"}]),
        (NOTES, None),
        (NOTES, ""),
        (LEVEL, {"api_key": "$OPENAI_API_KEY"}),
        (LEVEL, {"@id": "easy", "@value": 1}),
        (LEVEL, [[1], [2]]),
    ],
)
def test_either_encoding_of_a_setting_will_do_and_null_states_nothing(pointer: str, value: Json) -> None:
    assert located(replaced(pointer, value)) == []


@pytest.mark.parametrize("at", range(6))
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
