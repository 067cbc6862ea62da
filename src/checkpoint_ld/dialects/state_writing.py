"""The GUI's internal state, version 2.0, written from a canonical document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.datafeed import (
    CREATOR_DETAILS,
    REPOSITORY,
    SPELLED,
    clean,
    gui_template_name,
    template_name,
)
from checkpoint_ld.dialects.dialect import Downgrade, Trail, step
from checkpoint_ld.dialects.leftovers import PARKED, are_usual, beyond, loss, losses_of, parked_in, says_nothing
from checkpoint_ld.dialects.properties import as_text, decoded, plain_values, values
from checkpoint_ld.dialects.ratings import GLOBAL, GUI_MATRIX, MATRIX, QUESTION
from checkpoint_ld.dialects.state import (
    CUSTOM,
    DEFAULT_NAME,
    ITEM,
    PUBLISHING,
    SIMPLE_METADATA,
    Places,
    element_of,
    root_of,
)
from checkpoint_ld.dialects.traits import rubric_of
from checkpoint_ld.identifiers import gui_answer_id, gui_element_id, gui_key, gui_question_id, gui_template_id
from checkpoint_ld.vocabulary import (
    BY_TYPE,
    CONVERSION_PROPERTY,
    FORMAT_VERSION,
    FORMAT_VERSION_PROPERTY,
    GUI_FORMAT_VERSION_PROPERTY,
)

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding


GUI_ROOT_ID = re.compile(r"urn:uuid:karenina-checkpoint-\d+")
"""The identifier that the GUI gives to a root, anew at every export."""
RESERVED = {
    *(FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY, CONVERSION_PROPERTY, "benchmark_type", CREATOR_DETAILS),
    *(f"global_{kind}rubric_traits" for kind in ("", "regex_", "callable_", "metric_", "manual_")),
}
"""Root properties that are not the user's own."""

_NOTE = {"originalVersion", "convertedAt", "totalQuestions", "totalRatings"}
"""What a note about a conversion says; every writer makes one anew."""
_APART = {"@context", "@type", "dataFeedElement", "rating"}
"""Members of the root that are written on their own, or not at all."""


def downgrade(tree: dict[str, Any], *, now: str | None = None) -> Downgrade:
    """Return a canonical document as the GUI's state.

    `now` (ISO 8601) stands for dates of questions that are missing, if the root has none; None leaves them out. What
    the state has no place for goes under the member x_karenina of the question, trait or root, which the GUI ignores
    and our reader of the state does not, and is named in the findings.
    """
    feed = clean(tree)
    settings = values(feed.get("additionalProperty"))
    matrix = MATRIX if settings.keys().isdisjoint({GUI_FORMAT_VERSION_PROPERTY, CONVERSION_PROPERTY}) else GUI_MATRIX
    rubric = rubric_of(feed, GLOBAL, matrix, "")
    value: dict[str, Any] = {"version": "2.0", "global_rubric": rubric.written}
    metadata = _metadata(feed, settings)
    if metadata not in ({}, {"name": DEFAULT_NAME}):
        value["dataset_metadata"] = metadata
    date = feed.get("dateModified") or feed.get("dateCreated") or now if now is not None else None
    writer = QuestionWriter(tree, matrix, date)
    elements = feed.get("dataFeedElement")
    for index, element in enumerate(elements if isinstance(elements, list) else ()):
        writer.add(element, index)
    value["checkpoint"] = writer.checkpoint
    _add_unknown(value, feed)
    left = beyond(root_of(value, Places(""), Trail("v2.0")), _needed(feed), is_made_anew) | rubric.left
    if left:
        value["x_karenina"] = left
    findings = [*losses_of(left, tree, "", "v2.0"), *rubric.findings, *writer.findings]
    return Downgrade(value, tuple(findings))


def _metadata(feed: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    names = ("name", *SIMPLE_METADATA, *PUBLISHING)
    metadata = {name: feed[name] for name in names if feed.get(name) is not None}
    metadata |= {name: as_text(metadata[name]) for name in SIMPLE_METADATA if name in metadata}
    creator = feed.get("creator")
    if isinstance(creator, str) or (isinstance(creator, dict) and isinstance(creator.get("name"), str)):
        details = settings.get(CREATOR_DETAILS)
        whole = isinstance(details, dict) and details.get("name") == creator
        person = {"@type": "Person", "name": creator} if isinstance(creator, str) else creator
        metadata["creator"] = details if whole else person
    custom = {name: value for name, value in settings.items() if name not in RESERVED}
    return {**metadata, "custom_properties": custom} if custom else metadata


def _add_unknown(value: dict[str, Any], feed: dict[str, Any]) -> None:
    """Add the members of the root that Karenina does not know, and those that were parked there."""
    taken = {*BY_TYPE["DataFeed"], *PUBLISHING, "x_karenina", PARKED, "dataset_metadata", *value}
    value.update((name, content) for name, content in feed.items() if name not in taken)
    for name, content in parked_in(feed).items():
        held = value.get(name)
        if name not in value:
            value[name] = content
        elif isinstance(held, dict) and isinstance(content, dict):
            value[name] = {**content, **held}


def is_made_anew(name: str, value: Any) -> bool:
    """Tell whether a property of the root says what every writer says anew: its format, or a note on a conversion."""
    if name == CONVERSION_PROPERTY:
        note = decoded(value)
        return isinstance(note, dict) and note.keys() <= _NOTE
    return name in (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY) and value == FORMAT_VERSION


def _needed(feed: dict[str, Any]) -> dict[str, Any]:
    """Return the root without what is read from elsewhere and what every writer makes anew."""
    needed = {name: content for name, content in feed.items() if name not in _APART}
    identifier = needed.get("@id")
    if isinstance(identifier, str) and GUI_ROOT_ID.fullmatch(identifier):
        del needed["@id"]
    creator = needed.get("creator")
    if isinstance(creator, dict) and isinstance(creator.get("name"), str):
        del needed["creator"]  # the state holds agents of every kind, though it may be read as a name with details
    return needed


_ELSEWHERE = {"x_karenina", PARKED, *BY_TYPE["DataFeedItem"], *ITEM}
_ORIGINAL = "original_answer_template"
_WORDS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
"""Texts that Karenina takes for a boolean."""


class QuestionWriter:
    """Turns elements into questions of the state, each under a key of its own."""

    def __init__(self, original: dict[str, Any], matrix: str, date: Any) -> None:
        self.checkpoint: dict[str, Any] = {}
        self.findings: list[Finding] = []
        self._originals = original.get("dataFeedElement")
        self._matrix = matrix
        self._date = date

    def add(self, element: Any, index: int) -> None:
        """Add the element at `index`, which is in canonical form."""
        members = element if isinstance(element, dict) else {}
        identifier = members.get("@id")
        key = self._free_key(gui_key(identifier if isinstance(identifier, str) else None, index))
        if not isinstance(element, dict):
            self.checkpoint[key] = element
            return
        question = element.get("item")
        pointer = step("/dataFeedElement", index)
        question = question if isinstance(question, dict) else {}
        rubric = rubric_of(question, QUESTION, self._matrix, step(pointer, "item"))
        entries = question.get("additionalProperty", [])
        plain = plain_values(entries)
        item = _item(element, question, values(entries) if plain is None else plain, rubric.written, self._date)
        left = _left_of(element, question, plain, item, key)
        if rubric.left:
            left["item"] = {**left.get("item", {}), **rubric.left}
        if left:
            item["x_karenina"] = left
        self.checkpoint[key] = item
        original = self._originals[index] if isinstance(self._originals, list) else None
        self.findings += [*losses_of(left, original, pointer, "v2.0"), *rubric.findings]
        self._note_name(question, step(pointer, "item", "hasPart", "name"))

    def _free_key(self, key: str) -> str:
        free, suffix = key, 0
        while free in self.checkpoint:
            suffix += 1
            free = f"{key}-{suffix}"
        return free

    def _note_name(self, question: dict[str, Any], pointer: str) -> None:
        template = question.get("hasPart")
        name = template.get("name") if isinstance(template, dict) else None
        text = question.get("text")
        if name is not None and name != template_name(text) and name != gui_template_name(text):
            message = f'v2.0 has no place for the name "{name}" of a template; it is made anew from the question'
            self.findings.append(loss(message, pointer, "v2.0"))


def _item(
    element: dict[str, Any],
    question: dict[str, Any],
    settings: dict[str, Any],
    rubric: dict[str, Any] | None,
    date: Any,
) -> dict[str, Any]:
    """Return an element as a question of the state; `date` stands for one that is missing."""
    answer, template = (question.get(member) for member in ("acceptedAnswer", "hasPart"))
    modified = as_text(element.get("dateModified") or element.get("dateCreated") or date)
    found = {
        "question": question.get("text"),
        "raw_answer": answer.get("text") if isinstance(answer, dict) else None,
        _ORIGINAL: settings.get(_ORIGINAL) or "",
        "answer_template": (template.get("text") if isinstance(template, dict) else None) or "",
        "date_created": as_text(element.get("dateCreated")) or modified,
        "last_modified": modified,
        "finished": _as_boolean(settings.get("finished")),
        "question_rubric": rubric,
        "custom_metadata": {
            name.removeprefix(CUSTOM): content for name, content in settings.items() if name.startswith(CUSTOM)
        }
        or None,
        **{name: value for name in SPELLED if (value := decoded(settings.get(name))) not in _EMPTY},
        "keywords": question.get("keywords"),
    }
    item = {name: content for name, content in found.items() if content is not None}
    item.update((name, content) for name, content in element.items() if name not in _ELSEWHERE)
    item.update((name, content) for name, content in parked_in(element).items() if name not in item)
    return item


def _as_boolean(finished: Any) -> Any:
    """Return the state of a question as Karenina understands it; unfinished if there is none."""
    if isinstance(finished, str):
        return _WORDS.get(finished.strip().lower(), finished)
    if isinstance(finished, int | float) and finished in (0, 1):
        return bool(finished)
    return False if finished is None else finished


_EMPTY: tuple[Any, ...] = (None, "", [], {})


def _left_of(
    element: dict[str, Any],
    question: dict[str, Any],
    settings: dict[str, Any] | None,
    item: dict[str, Any],
    key: str,
) -> dict[str, Any]:
    """Return what an element says beyond `item`, which was written of it under `key`; its ratings are left aside.

    `settings` are the properties of its question, None if one of them has more than a name and a value. Of a usual
    element only properties may have no place. Any other one is compared with what is read from `item`.
    """
    if settings is not None and are_usual(element) and _is_said(element, question, item, key):
        apart = {name for name, value in settings.items() if not _has_place(name, value, item)}
        kept = [entry for entry in question["additionalProperty"] if entry["name"] in apart] if apart else []
        return {"item": {"additionalProperty": kept}} if kept else {}
    unrated = {name: content for name, content in item.items() if name != "question_rubric"}
    read = element_of(key, unrated, "", Places(""), Trail("v2.0"))
    return beyond(read, _needed_element(element, key), _is_silent)


def _is_said(element: dict[str, Any], question: dict[str, Any], item: dict[str, Any], key: str) -> bool:
    """Tell whether `item` says all of a usual element but for its properties."""
    answer, template = question.get("acceptedAnswer"), question.get("hasPart", {})
    made = {
        "@id": gui_element_id(key),
        "dateCreated": item.get("date_created"),
        "dateModified": item.get("last_modified"),
    }
    text = question.get("text")
    return (
        all(name not in element or element[name] == value for name, value in made.items())
        and ("@id" not in question or (isinstance(text, str) and question["@id"] == gui_question_id(text)))
        and (answer is None or ("text" in answer and answer.get("@id") in (None, gui_answer_id(key))))
        and isinstance(template.get("text", ""), str)
        and template.get("@id") in (None, gui_template_id(key))
        and template.get("codeRepository", REPOSITORY) == REPOSITORY
        and template.get("programmingLanguage", "Python") == "Python"
    )


def _has_place(name: str, value: Any, item: dict[str, Any]) -> bool:
    """Tell whether reading `item` gives the property of a question again, or whether the property says nothing."""
    if name == "finished":
        return value is None or item["finished"] is value
    if name == _ORIGINAL:
        return value is None or isinstance(value, str)
    return name in SPELLED or name.startswith(CUSTOM)


def _needed_element(element: dict[str, Any], key: str) -> dict[str, Any]:
    """Return an element without its ratings and without what the GUI makes anew whenever it writes."""
    needed = dict(element)
    if not isinstance(needed.get("item"), dict):
        return needed
    question = {name: content for name, content in needed["item"].items() if name != "rating"}
    answer, template = question.get("acceptedAnswer"), question.get("hasPart")
    if "@id" in question:
        text = question.get("text")
        _drop(question, "@id", gui_question_id(text) if isinstance(text, str) else None)
    if isinstance(answer, dict) and "@id" in answer:
        question["acceptedAnswer"] = _drop(dict(answer), "@id", gui_answer_id(key))
    if isinstance(template, dict):
        template = {name: content for name, content in template.items() if name != "name"}
        _drop(template, "codeRepository", REPOSITORY)
        question["hasPart"] = _drop(template, "@id", gui_template_id(key)) if "@id" in template else template
    return {**needed, "item": question}


def _drop(members: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    if name in members and members[name] == value:
        del members[name]
    return members


def _is_silent(name: str, value: Any) -> bool:
    """Tell whether the property `name` of a question says nothing with this value."""
    if name in SPELLED:
        return decoded(value) in _EMPTY
    return value in (None, "") if name == _ORIGINAL else says_nothing(name, value)
