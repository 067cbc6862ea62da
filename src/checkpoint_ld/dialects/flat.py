"""The flat dialect of the GUI's test files of January 2026: a DataFeed of bare questions."""

from __future__ import annotations

from typing import Any

from checkpoint_ld.dialects.datafeed import clean_feed
from checkpoint_ld.dialects.dialect import Listing, Trail, step
from checkpoint_ld.dialects.properties import values
from checkpoint_ld.dialects.questions import add_rubric_members, has_lists, listed
from checkpoint_ld.dialects.ratings import QUESTION, in_order
from checkpoint_ld.dialects.template import template_of
from checkpoint_ld.dialects.traits import Rubric


def read_flat(value: dict[str, Any], trail: Trail) -> dict[str, Any]:
    """Read a DataFeed of bare questions; its elements take their dates from the root."""

    def convert(element: Any, pointer: str, trail: Trail) -> Any:
        return _flat_element(element, pointer, trail, value.get("dateModified"))

    return clean_feed(value, value.get("dataFeedElement"), trail, convert)


def _flat_element(bare: dict[str, Any], pointer: str, trail: Trail, date: Any) -> dict[str, Any]:
    """Return a bare question, which is always an object, as an element."""
    question = dict(bare)
    element: dict[str, Any] = {"@type": "DataFeedItem"}
    place = step(pointer, "item")
    trail.moved(place, pointer)
    if "@id" not in question and isinstance(question.get("identifier"), str):
        element["@id"] = question.pop("identifier")
        trail.moved(step(pointer, "@id"), step(pointer, "identifier"))
    elif "@id" in question:
        element["@id"] = question.pop("@id")
    for member in ("dateCreated", "dateModified"):
        if date is not None:
            element[member] = date
            trail.moved(step(pointer, member), "/dateModified")
    trail.moved(step(place, "text"), step(pointer, "text" if "text" in question else "name"))
    if "text" not in question and "name" in question:
        question["text"] = question.pop("name")
    for pointed in (step(place, "hasPart"), step(place, "hasPart", "text")):
        trail.moved(pointed, step(pointer, "answerTemplate"))
    if "hasPart" not in question and isinstance(question.get("answerTemplate"), str):
        question["hasPart"] = template_of(question.get("text"), question.pop("answerTemplate"))
    _move_extras(question, place, trail)
    return {**element, "item": in_order(question, "Question")}


def _move_extras(question: dict[str, Any], place: str, trail: Trail) -> None:
    """Bring rubric, scenario and progress of a bare question to their places."""
    source = trail.source(place)
    if not has_lists(question):
        return
    entries, ratings = question.get("additionalProperty") or [], question.get("rating") or []
    properties = Listing(step(place, "additionalProperty"), trail)
    rubric = Rubric(place, QUESTION, trail)
    if "finished" not in values(entries):
        properties.add_property("finished", value=False, source=source)
    properties.extend(entries, source, "additionalProperty")
    for index, rating in enumerate(ratings):
        rubric.add_rating(rating, source, "rating", index)
    if isinstance(question.get("scenario"), str):
        properties.add_property("custom_scenario", question.pop("scenario"), source, "scenario")
    add_rubric_members(question, source, rubric, properties)
    question.update(listed(question, rubric, properties))
