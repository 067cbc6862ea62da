"""Questions and the elements around them in JSON-LD documents, brought to canonical form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import Listing, step
from checkpoint_ld.dialects.leftovers import laid_over
from checkpoint_ld.dialects.properties import encoded, name_of
from checkpoint_ld.dialects.ratings import QUESTION, in_order
from checkpoint_ld.dialects.traits import Rubric

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.dialects.dialect import Trail

SPELLED = ("author", "sources", "few_shot_examples")
"""Properties whose value is an object or array written out as text, in the order in which they are written."""
RUBRIC_MEMBERS = ("globalRubric", "rubric")
"""Members that hold a whole rubric object where only ratings should be."""


def clean_element(
    element: Any, pointer: str, trail: Trail, take: Callable[[Any, str, Listing], bool] | None = None
) -> Any:
    """Return a DataFeedItem, which will be at `pointer`, in canonical form: keywords belong to its question.

    `take` is asked for every rating of the question, with its place and the properties of the question so far, whether
    it takes the rating away.
    """
    if not isinstance(element, dict) or not isinstance(element.get("item"), dict):
        return element
    clean = dict(element)
    place = step(pointer, "item")
    question = _clean_question(dict(clean["item"]), place, trail, take)
    if "keywords" in clean:
        keywords = clean.pop("keywords")
        source = step(trail.source(pointer), "keywords")
        if "keywords" in question:
            keywords = _united(question["keywords"], keywords, source, trail)
        else:
            trail.moved(step(place, "keywords"), source)
        question["keywords"] = keywords
    clean["item"] = in_order(question, "Question")
    return in_order(laid_over(clean, pointer, trail), "DataFeedItem")


def _clean_question(
    question: dict[str, Any], pointer: str, trail: Trail, take: Callable[[Any, str, Listing], bool] | None
) -> dict[str, Any]:
    source = trail.source(pointer)
    if not has_lists(question):
        return question
    properties = Listing(f"{pointer}/additionalProperty", trail)
    properties.extend([*map(_clean_entry, question.get("additionalProperty") or ())], source, "additionalProperty")
    rubric = Rubric(pointer, QUESTION, trail)
    for index, rating in enumerate(question.get("rating") or ()):
        if take is None or not take(rating, step(source, "rating", index), properties):
            rubric.add_rating(rating, source, "rating", index)
    add_rubric_members(question, source, rubric, properties)
    return {**question, **listed(question, rubric, properties)}


def has_lists(members: dict[str, Any]) -> bool:
    """Tell whether ratings and properties, where there are any, stand in arrays; otherwise they are left alone."""
    return all(isinstance(members.get(name), list | None) for name in ("rating", "additionalProperty"))


def listed(members: dict[str, Any], rubric: Rubric, properties: Listing) -> dict[str, Any]:
    """Return the members that hold ratings and properties, if `members` has them or there is something to hold."""
    held = {"rating": rubric.ratings, "additionalProperty": properties.entries}
    return {member: entries for member, entries in held.items() if entries or members.get(member) is not None}


def add_rubric_members(members: dict[str, Any], source: str, rubric: Rubric, properties: Listing) -> None:
    """Move rubric objects out of `members`, which stand at `source`, into `rubric` and `properties`.

    They are reported, except in the flat dialect, where they belong.
    """
    for member in RUBRIC_MEMBERS:
        if not isinstance(members.get(member), dict):
            continue
        place = step(source, member)
        for name, content in rubric.add_object(members.pop(member), place, known=True).items():
            properties.add_property(f"rubric_{name}", content, place, name)
        if properties.trail.dialect != "flat":
            message = f"the traits in the member {member} are read as if they stood in rating"
            properties.trail.report("traits-in-old-place", message, place)


def _clean_entry(entry: Any) -> Any:
    if name_of(entry) in SPELLED and "value" in entry:
        return {**entry, "value": encoded(entry["value"])}
    return entry


def _united(first: Any, second: Any, source: str, trail: Trail) -> Any:
    """Return the keywords of a question and those of its element together, each once more only if it was twice."""
    own, added = ([value] if isinstance(value, str) else value for value in (first, second))
    if own == added or not isinstance(added, list):
        return own
    trail.report(
        "keywords-differ",
        f"the keywords {added} of the element are not those of its question, {own}; all count",
        source,
    )
    return [*own, *(keyword for keyword in added if keyword not in own)] if isinstance(own, list) else own
