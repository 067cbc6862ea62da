"""The DataFeed dialects: the canonical one, its predecessor, the GUI's, and the flat one of bare questions.

`clean_feed` and `clean_element` bring roots and elements to canonical form; `dataset` uses them as well.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import Listing, Trail, decoded, encoded, is_plain, name_of, step, values
from checkpoint_ld.dialects.leftovers import has_keywords, with_leftovers
from checkpoint_ld.dialects.ratings import CANONICAL, GLOBAL, QUESTION, in_order, is_clean
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES, RubricRatings
from checkpoint_ld.vocabulary import FORMAT_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable


CREATOR_DETAILS = "creator_details"
"""Root property with the whole creator where the member `creator` can only hold its name."""
VERSION = "benchmark_version"
"""Root property with the version of a benchmark, in a Dataset whose member `version` names the format."""


def read(value: dict[str, Any], trail: Trail) -> dict[str, Any]:
    """Read a DataFeed of the Karenina GUI, or one from before Karenina's types had a namespace."""
    return clean_feed(value, value.get("dataFeedElement"), trail, clean_element)


def clean(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the usual form of a canonical document, from which all writers start."""
    return read(tree, Trail(CANONICAL))


def clean_feed(
    root: dict[str, Any],
    elements: Any,
    trail: Trail,
    convert: Callable[[Any, str, Trail], Any],
    rubric: RubricRatings | None = None,
) -> dict[str, Any]:
    """Return the canonical tree of a DataFeed with the members of `root` and the converted `elements`.

    `rubric` gathers the traits of the root; it is given when `convert` adds to it.
    """
    tree = dict(root)
    rubric = rubric or RubricRatings("", GLOBAL, trail)
    properties = Listing("/additionalProperty", trail)
    sound = has_lists(root)
    if sound:
        for index, rating in enumerate(tree.get("rating") or ()):
            rubric.add_rating(rating, "/rating", index)
        for index, entry in enumerate(tree.get("additionalProperty") or ()):
            source = step("/additionalProperty", index)
            if not (_move_traits(entry, source, rubric, properties) or _restore(entry, tree, source, trail)):
                properties.add(entry, source)
        add_rubric_members(tree, "", rubric, properties)
    if isinstance(elements, list):
        elements = [convert(element, f"/dataFeedElement/{index}", trail) for index, element in enumerate(elements)]
    if elements is not None or "dataFeedElement" in root:
        tree["dataFeedElement"] = elements
    if sound:
        tree.update(listed(root, rubric, properties))
    return in_order(with_leftovers(tree, "", trail), "DataFeed")


def _traits_in(entry: Any) -> list[Any] | None:
    """Return the traits that a property holds, None for any other property."""
    traits = decoded(entry.get("value")) if name_of(entry) in LEGACY_PROPERTIES else None
    return traits if isinstance(traits, list) else None


def _move_traits(entry: Any, source: str, rubric: RubricRatings, properties: Listing) -> bool:
    """Move the traits that a property holds into `rubric`; return False for a property that stays.

    Its other members, and traits that differ from the rating of their name, become a property.
    """
    traits = _traits_in(entry)
    if traits is None:
        return False
    family = LEGACY_PROPERTIES[entry["name"]]
    is_encoded = isinstance(entry["value"], str)
    place = step(source, "value")
    known = rubric.names()
    others = []
    for index, trait in enumerate(traits):
        if rubric.leaves_out(trait):
            others.append(trait)
        elif not isinstance(trait, dict) or trait.get("name") not in known:
            rubric.add_trait(family, trait, place if is_encoded else step(place, index), is_encoded=is_encoded)
        elif not rubric.has_all_of(family, trait):
            others.append(trait)
    if others or not is_plain(entry):
        kept = {name: content for name, content in entry.items() if name != "value" or others}
        properties.add({**kept, "name": f"rubric_{entry['name']}", **({"value": others} if others else {})}, source)
    return True


def _restore(entry: Any, tree: dict[str, Any], source: str, trail: Trail) -> bool:
    """Restore the creator or the version that `entry` holds; return False if it holds neither."""
    name, value = name_of(entry), entry.get("value") if isinstance(entry, dict) else None
    if name == CREATOR_DETAILS:
        member = "creator"
        is_restored = (
            isinstance(value, dict) and value.get("@type") == "Person" and value.get("name") == tree.get(member)
        )
    else:
        member = "version"
        is_restored = name == VERSION and tree.get(member) == FORMAT_VERSION and trail.dialect.startswith("dataset-")
    if not is_restored or not trail.restored or not is_plain(entry) or has_keywords(value):
        return False
    tree[member] = value
    trail.moved(step("", member), step(source, "value"))
    return True


NAME_LENGTH = 30
REPOSITORY = "karenina-benchmarks"
"""The codeRepository that Karenina and the GUI give to every template."""
_SHOWN_OF_QUESTION = 50
_PLACEHOLDER_HEAD = 'class Answer(BaseAnswer):\n    """Answer template for: '
_PLACEHOLDER_TAIL = (
    '..."""\n\n    response: str = Field(description="The answer response")\n\n'
    "    def verify(self) -> bool:\n"
    "        # Default template: returns False to indicate custom verification needed\n"
    "        return False\n"
)


def template_name(question: object) -> str:
    """Return the name that Karenina gives to the template of a question."""
    return f"{question[:NAME_LENGTH] if isinstance(question, str) else ''}... Answer Template"


def gui_template_name(question: object) -> str:
    """Return the name that the GUI gives to the template of a question, whose length it counts in UTF-16 code units.

    A character that would be cut in two is left out, because half of it cannot be written.
    """
    if not isinstance(question, str):
        return template_name(question)
    units = question.encode("utf-16-le", "surrogatepass")[: 2 * NAME_LENGTH]
    return f"{units.decode('utf-16-le', 'ignore')}... Answer Template"


def template_of(question: object, source: Any) -> dict[str, Any]:
    """Return the SoftwareSourceCode with the text `source` for a question with the text `question`."""
    name = template_name(question)
    return {"@type": "SoftwareSourceCode", "name": name, "text": source, "programmingLanguage": "Python"}


def new_template_of(question: object, source: Any) -> dict[str, Any]:
    """Return the SoftwareSourceCode for a new template, as Karenina makes it."""
    return {**template_of(question, source), "codeRepository": REPOSITORY}


def default_template(question: str) -> str:
    """Return the placeholder by whose exact text Karenina recognises that a question has no template."""
    return f"{_PLACEHOLDER_HEAD}{question[:_SHOWN_OF_QUESTION]}{_PLACEHOLDER_TAIL}"


def is_default_template(source: str) -> bool:
    """Return whether a text is the placeholder of some question: not all of them are Python."""
    text = f"{source.strip()}\n"
    return text == default_template(text[len(_PLACEHOLDER_HEAD) : -len(_PLACEHOLDER_TAIL)])


ENCODED = ("author", "sources", "few_shot_examples")
"""Properties whose value is an object or array as JSON text, in the order in which they are written."""
RUBRIC_MEMBERS = ("globalRubric", "rubric")
"""Members that hold a rubric object where only ratings should be."""


def clean_element(
    element: Any, pointer: str, trail: Trail, take: Callable[[Any, str, Listing], bool] | None = None
) -> Any:
    """Return the canonical form of a DataFeedItem, which will be at `pointer`: keywords belong to its question.

    `take` is called for every rating of the question, with its place and the properties of the question so far. It
    returns whether it moved the rating elsewhere.
    """
    if not isinstance(element, dict) or not isinstance(element.get("item"), dict):
        return element
    place = f"{pointer}/item"
    question = _clean_question(element["item"], place, trail, take)
    if question is element["item"] and "keywords" not in element and trail.dialect == CANONICAL:
        return element
    clean = dict(element)
    if "keywords" in clean:
        question = dict(question)
        keywords = clean.pop("keywords")
        source = f"{trail.source(pointer)}/keywords"
        if "keywords" in question:
            keywords = _united(question["keywords"], keywords, source, trail)
        else:
            trail.moved(f"{place}/keywords", source)
        question["keywords"] = keywords
    clean["item"] = in_order(question, "Question")
    return in_order(with_leftovers(clean, pointer, trail), "DataFeedItem")


def _clean_question(
    question: dict[str, Any], pointer: str, trail: Trail, take: Callable[[Any, str, Listing], bool] | None
) -> dict[str, Any]:
    if not has_lists(question):
        return question
    entries, ratings = question.get("additionalProperty") or [], question.get("rating") or []
    is_plain_feed = trail.dialect == CANONICAL and question.keys().isdisjoint(RUBRIC_MEMBERS)
    held = {index: entry for index, entry in enumerate(entries) if _traits_in(entry) is not None}
    if is_plain_feed and not held and all(_clean_entry(one) is one for one in entries) and all(map(is_clean, ratings)):
        return question
    source = trail.source(pointer)
    properties = Listing(f"{pointer}/additionalProperty", trail)
    if held:
        for index, entry in enumerate(entries):
            if index not in held:
                properties.add(_clean_entry(entry), source, "additionalProperty", index)
    else:
        properties.extend([*map(_clean_entry, entries)], source, "additionalProperty")
    rubric = RubricRatings(pointer, QUESTION, trail)
    for index, rating in enumerate(ratings):
        if take is None or not take(rating, step(source, "rating", index), properties):
            rubric.add_rating(rating, source, "rating", index)
    for index, entry in held.items():
        _move_traits(entry, step(source, "additionalProperty", index), rubric, properties)
    question = dict(question)
    add_rubric_members(question, source, rubric, properties)
    return {**question, **listed(question, rubric, properties)}


def has_lists(members: dict[str, Any]) -> bool:
    """Return whether ratings and properties, if there are any, are arrays; otherwise they are left as they are."""
    rating, entries = members.get("rating"), members.get("additionalProperty")
    return (rating is None or isinstance(rating, list)) and (entries is None or isinstance(entries, list))


def listed(members: dict[str, Any], rubric: RubricRatings, properties: Listing) -> dict[str, Any]:
    """Return the members `rating` and `additionalProperty`, unless they are empty and absent from `members`."""
    held = {"rating": rubric.ratings, "additionalProperty": properties.entries}
    return {member: entries for member, entries in held.items() if entries or members.get(member) is not None}


def add_rubric_members(members: dict[str, Any], source: str, rubric: RubricRatings, properties: Listing) -> None:
    """Move rubric objects out of `members`, which stand at `source`, into `rubric` and `properties`.

    They are reported, except in the flat dialect, where they belong.
    """
    for member in RUBRIC_MEMBERS:
        if not isinstance(members.get(member), dict):
            continue
        place = step(source, member)
        held, left = rubric.parted(members.pop(member))
        others = rubric.add_object(held, place, known=True)
        others |= {name: [*others.get(name, []), *entries] for name, entries in left.items()}
        for name, content in others.items():
            properties.add_property(f"rubric_{name}", content, place, name)
        if properties.trail.dialect != "flat":
            message = f"the traits in the member {member} are read as if they stood in rating"
            properties.trail.report("traits-in-old-place", message, place)


def _clean_entry(entry: Any) -> Any:
    if not isinstance(entry, dict) or entry.get("name") not in ENCODED or "value" not in entry:
        return entry
    value = encoded(entry["value"])
    return entry if value == entry["value"] else {**entry, "value": value}


def _united(first: Any, second: Any, source: str, trail: Trail) -> Any:
    """Return the keywords of a question, followed by those of its element that it lacks."""
    own, added = ([value] if isinstance(value, str) else value for value in (first, second))
    if own == added or not isinstance(added, list):
        return own
    trail.report(
        "keywords-differ",
        f"the keywords {added} of the element are not those of its question, {own}; all count",
        source,
    )
    return [*own, *(keyword for keyword in added if keyword not in own)] if isinstance(own, list) else own


def read_flat(value: dict[str, Any], trail: Trail) -> dict[str, Any]:
    """Read a DataFeed of bare questions; its elements take their dates from the root."""
    convert = partial(_flat_element, date=value.get("dateModified"))
    return clean_feed(value, value.get("dataFeedElement"), trail, convert)


def _flat_element(bare: dict[str, Any], pointer: str, trail: Trail, *, date: Any) -> dict[str, Any]:
    """Return a bare question as an element."""
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
    """Turn the rubric, scenario and progress of a bare question into ratings and properties."""
    source = trail.source(place)
    if not has_lists(question):
        return
    entries, ratings = question.get("additionalProperty") or [], question.get("rating") or []
    properties = Listing(step(place, "additionalProperty"), trail)
    rubric = RubricRatings(place, QUESTION, trail)
    if "finished" not in values(entries):
        properties.add_property("finished", value=False, source=source)
    properties.extend(entries, source, "additionalProperty")
    for index, rating in enumerate(ratings):
        rubric.add_rating(rating, source, "rating", index)
    if isinstance(question.get("scenario"), str):
        properties.add_property("custom_scenario", question.pop("scenario"), source, "scenario")
    add_rubric_members(question, source, rubric, properties)
    question.update(listed(question, rubric, properties))
