"""JSON values that have a structure of their own: sources and examples of questions, question data, state checks."""

from __future__ import annotations

import re
from typing import Any

from checkpoint_ld.checks.readings import given, shown
from checkpoint_ld.constraints.names import nearest
from checkpoint_ld.constraints.values import contained

QUESTION_DATA = (
    *("question", "raw_answer", "keywords", "tags", "few_shot_examples", "date_created", "date_modified"),
    *("answer_template", "answer_notes", "author", "sources", "custom_metadata", "question_rubric"),
    *("question_dynamic_rubric", "workspace_path", "id"),
)
"""The members that Karenina takes; any other makes it refuse the file."""

_STATE_CHECK = "state_check"

_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:")


def objects(value: Any) -> str | None:
    """Say which entry of an array, or of JSON text of one, is no object."""
    for at, entry in enumerate(_entries(value)):
        if not isinstance(entry, dict):
            return f"entry {at} is {shown(entry)}"
    return None


def text_objects(value: Any) -> str | None:
    """Say which entry of an array, or of JSON text of one, is no object whose values are texts."""
    for at, entry in enumerate(_entries(value)):
        if not isinstance(entry, dict):
            return f"entry {at} is {shown(entry)}"
        odd = next((key for key, one in entry.items() if not isinstance(one, str)), None)
        if odd is not None:
            return f"{shown(odd)} of entry {at} is {shown(entry[odd])}"
    return None


def relative_path(value: Any) -> str | None:
    """Say why a text is no path to a place below a folder, on any system."""
    if not isinstance(value, str):
        return None
    if _ABSOLUTE.match(value):
        return "it does not start in the folder"
    return "it leaves the folder" if ".." in re.split(r"[/\\]", value) else None


def _entries(value: Any) -> list[Any]:
    found = contained(value) if isinstance(value, str) else value
    return found if isinstance(found, list) else []


def question_data(value: Any) -> str | None:
    """Say what keeps Karenina from reading `questionData`."""
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    for member in ("question", "raw_answer"):
        if not isinstance(value.get(member), str) or not value[member]:
            return f"{member} is {given(value.get(member))}"
    odd = next((member for member in value if member not in QUESTION_DATA), None)
    if odd is None:
        return None
    near = nearest(odd, QUESTION_DATA)
    return f"Karenina knows no member {shown(odd)}" + (f"; did you mean {near}?" if near else "")


def state_check(value: Any) -> str | None:
    """Say what is wrong with the condition of an edge, a state check or an array of them; null says there is none."""
    for check in value if isinstance(value, list) else [] if value is None else [value]:
        if not isinstance(check, dict):
            return f"it is {shown(check)}, not an object"
        if check.get("type", _STATE_CHECK) != _STATE_CHECK:
            return f"its type is {shown(check.get('type'))}, not {_STATE_CHECK}"
        if not isinstance(check.get("field"), str) or not check["field"]:
            return f"its field is {given(check.get('field'))}"
        if "expected" not in check:
            return "it does not say what is expected"
        how = check.get("verify_with")
        if how is not None and not (isinstance(how, dict) and isinstance(how.get("type"), str)):
            return "verify_with names no primitive"
    return None
