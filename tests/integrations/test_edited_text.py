"""The verdict on an edited text is that on the text as a whole."""

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.documents import canonical, item, rating
from tests.trials import examples

from checkpoint_ld import families
from checkpoint_ld.documents.text import Spans
from checkpoint_ld.graph import contexts
from checkpoint_ld.integrations.edited_text import EditedText
from checkpoint_ld.integrations.feed_items import FeedItems

PROFILES = families.Profiles()
TEXTS = (
    '"', "}", "{", ",", "\n", "x", "é", "😀", '"@id": "urn:x"', "yesterday", "[]", '{"@id": "urn:uuid:question-1"}',
    "What is 1?", "null", "1e400", "\\", "urn:uuid:question-1", "\u2028", "\r\n",
)  # fmt: skip
SPLICES = st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(TEXTS))
STEPS = st.sampled_from(["question", "no question", "moved", "context", "repaired", "spaces"])
EDITS = st.lists(st.one_of(SPLICES, st.tuples(st.floats(0, 1), STEPS)), min_size=1, max_size=6)


def texts_of(edits: list[Any], indent: int | None) -> Iterator[str]:
    """Yield a text, and the text after each edit; one that broke it may be followed by a whole one."""
    text = valid = document(indent)
    yield text
    for where, *edit in edits:
        if len(edit) == 2:
            removed, put = edit
            at = int(where * len(text))
            text = text[:at] + put + text[at + removed :]
        else:
            text = _stepped(valid, where, edit[0], indent)
        with contextlib.suppress(ValueError):
            if isinstance(json.loads(text), dict):
                valid = text
        yield text


def _stepped(valid: str, where: float, step: str, indent: int | None) -> str:
    value = json.loads(valid)
    items = value.get("dataFeedElement")
    at = int(where * 5)
    if not isinstance(items, list) or step == "repaired":
        return document(indent)
    if step == "spaces":
        places = [one.start() for one in re.finditer(r"(?<=[}\]]),", valid)]
        place = places[int(where * len(places)) - 1]
        return f"{valid[:place]} \n {valid[place:]}"
    if step == "question":
        items.insert(at, item(f"What is new {at}?", f"urn:uuid:new-{at}"))
    elif step == "no question":
        del items[at : at + 1]
    elif step == "moved":
        items[:] = items[at:] + items[:at]
    else:
        value["@context"] = {**contexts.plain(), "own": f"urn:own:{at}:"} if at % 2 else contexts.plain()
    return json.dumps(value, indent=indent, ensure_ascii=False)


def document(indent: int | None = 2) -> str:
    items: list[Any] = [item(f"What is {number}?", f"urn:uuid:question-{number}") for number in range(5)]
    items[1]["dateCreated"] = "yesterday"
    items[3]["item"]["rating"].append({**rating("other"), "bestRating": "high"})
    items[4]["item"]["acceptedAnser"] = "misspelt"
    del items[4]["@id"]
    return json.dumps({**canonical(*items), "dateModified": "tomorrow"}, indent=indent, ensure_ascii=False)


def plain(checked: Any) -> Any:
    return sorted(map(repr, checked.findings)), checked.dialect, checked.text


def assert_as_whole(edited: EditedText, text: str) -> None:
    expected = families.check(text.encode("utf-8", "surrogatepass"), PROFILES)
    assert plain(edited.check(text, PROFILES)) == plain(expected)


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from([2, None, 0]), EDITS)
def test_after_each_edit_the_findings_are_those_of_the_whole(indent: int | None, edits: list[Any]) -> None:
    edited = EditedText()
    for text in texts_of(edits, indent):
        assert_as_whole(edited, text)


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from([2, None, 0]), EDITS)
def test_feed_items_after_each_edit_are_those_of_the_whole(indent: int | None, edits: list[Any]) -> None:
    known: FeedItems | None = None
    for text in texts_of(edits, indent):
        expected = FeedItems.of(text)
        found = None if known is None else known.edited(text)
        if found is not None:
            assert expected is not None
            assert found.tree == expected.tree
            assert found.spans == expected.spans
            assert found.span(()) == Spans(text).value(())
        known = found or expected or known


@pytest.mark.parametrize("edit", ["text", "question", "no question", "spaces"])
def test_feed_items_that_do_not_change_stay(edit: str) -> None:
    text = document()
    before = FeedItems.of(text)
    assert before is not None
    changed = text.replace("What is 2?", "What is that?") if edit == "text" else _stepped(text, 0.5, edit, 2)
    after = before.edited(changed)
    assert after is not None
    kept = [one for one in after.values if any(one is other for other in before.values)]
    assert len(kept) >= 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Mercury"', '"Gold"'),
        ('"yesterday"', '"2026-01-01T00:00:00"'),
        ("acceptedAnser", "accepted"),
        ('"What is 2?"', '"What is\\n 9?"'),
        ('"What is 4?"', '"What is 9?"'),
        ('"keywords": [', '"keywords": [\n\n"new",'),
    ],
)
def test_an_edit_in_one_question_reads_that_question_alone(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    edited, text = EditedText(), document()
    edited.check(text, PROFILES)
    edited.check(text.replace('"What is 2?"', '"What is', 1), PROFILES)  # no JSON for a moment
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
