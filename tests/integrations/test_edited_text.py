"""The verdict on an edited text is that on the text as a whole."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.documents import canonical, item, rating
from tests.trials import examples

from checkpoint_ld import families
from checkpoint_ld.integrations.edited_text import EditedText

PROFILES = families.Profiles()
TEXTS = (
    '"', "}", "{", ",", "\n", "x", "é", "😀", '"@id": "urn:x"', "yesterday", "[]", '{"@id": "urn:uuid:question-1"}',
    "What is 1?", "null", "1e400", "\\", "urn:uuid:question-1",
)  # fmt: skip
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(TEXTS)), min_size=1, max_size=6)


def document(indent: int | None = 2) -> str:
    items: list[Any] = [item(f"What is {number}?", f"urn:uuid:question-{number}") for number in range(5)]
    items[1]["dateCreated"] = "yesterday"
    items[3]["item"]["rating"].append({**rating("other"), "bestRating": "high"})
    items[4]["item"]["acceptedAnser"] = "misspelt"
    return json.dumps({**canonical(*items), "dateModified": "tomorrow"}, indent=indent, ensure_ascii=False)


def plain(checked: Any) -> Any:
    return sorted(map(repr, checked.findings)), checked.dialect, checked.text


def assert_as_whole(edited: EditedText, text: str) -> None:
    expected = families.check(text.encode("utf-8", "surrogatepass"), PROFILES)
    assert plain(edited.check(text, PROFILES)) == plain(expected)


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from([2, None, 0]), EDITS)
def test_after_each_edit_the_findings_are_those_of_the_whole(
    indent: int | None, edits: list[tuple[float, int, str]]
) -> None:
    text = document(indent)
    edited = EditedText()
    assert_as_whole(edited, text)
    for where, removed, put in edits:
        at = int(where * len(text))
        text = text[:at] + put + text[at + removed :]
        assert_as_whole(edited, text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Mercury"', '"Gold"'),
        ('"yesterday"', '"2026-01-01T00:00:00"'),
        ("acceptedAnser", "accepted"),
        ('"What is 2?"', '"What is\\n 9?"'),
        ('"keywords": [', '"keywords": [\n\n"new",'),
    ],
)
def test_an_edit_in_one_question_reads_that_question_alone(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    edited, text = EditedText(), document()
    edited.check(text, PROFILES)
    sizes: list[int] = []
    check = families.check

    def counted(data: Any, *arguments: Any, **options: Any) -> Any:
        sizes.append(len(data))
        return check(data, *arguments, **options)

    monkeypatch.setattr(families, "check", counted)
    changed = text.replace(old, new, 1)
    edited.check(changed, PROFILES)
    assert sizes
    assert max(sizes) < len(text) / 2
    monkeypatch.undo()
    assert_as_whole(edited, changed)


@pytest.mark.parametrize(
    ("old", "new"), [("What is 2?", "What is 3?"), ("question-2", "question-3"), ('"version"', '"versoin"')]
)
def test_an_edit_that_concerns_others_is_read_with_them(old: str, new: str) -> None:
    edited, text = EditedText(), document()
    edited.check(text, PROFILES)
    for one in (text.replace(old, new, 1), text, text.replace(old, new, 1)):
        assert_as_whole(edited, one)
