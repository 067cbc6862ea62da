"""The GUI's internal state, version 2.0, written from a canonical document."""

from __future__ import annotations

import re
from typing import Any

from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS, clean
from checkpoint_ld.dialects.dialect import Downgrade, Trail
from checkpoint_ld.dialects.leftovers import PARKED, beyond, parked_in
from checkpoint_ld.dialects.losses import losses_of
from checkpoint_ld.dialects.properties import as_text, decoded, values
from checkpoint_ld.dialects.ratings import GLOBAL, GUI_MATRIX, MATRIX
from checkpoint_ld.dialects.state import DEFAULT_NAME, PUBLISHING, SIMPLE_METADATA, Places, root_of
from checkpoint_ld.dialects.state_questions import QuestionWriter
from checkpoint_ld.dialects.traits import rubric_of
from checkpoint_ld.members import BY_TYPE
from checkpoint_ld.vocabulary import (
    CONVERSION_PROPERTY,
    FORMAT_VERSION,
    FORMAT_VERSION_PROPERTY,
    GUI_FORMAT_VERSION_PROPERTY,
)

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
