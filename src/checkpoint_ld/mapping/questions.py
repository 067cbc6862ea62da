"""Questions and the feed items that hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from checkpoint_ld.dialects import datafeed
from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.dialects.dialect import ABSENT, as_list, property_value, text_of, values
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.entities import LENIENT, Creator, Organization, Person, Question, QuestionRegistryEntry, Scenario
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.mapping.traits import (
    CUSTOM,
    PROPERTY,
    RATING,
    by_kind,
    custom_of,
    dumped,
    dynamic_traits_of,
    faults_of,
    from_text,
    is_placeholder,
    rating_of,
    traits_of,
)
from checkpoint_ld.phrases import BOOLEAN_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.entities import DynamicRubric, Rubric
    from checkpoint_ld.graph.compaction import Frame


Json = dict[str, Any]

default_template = datafeed.default_template

PROPERTIES = ("author", "sources", "few_shot_examples", "answer_notes", "workspace_path")
"""The members of a question that are written as properties of the same name; custom metadata follows the first two."""

_WRITTEN_AS_TEXT = PROPERTIES[:3]
_OF_JSON = ("author", "sources", "custom_metadata", "question_rubric", "question_dynamic_rubric")


def frame(**members: Frame | None) -> Frame:
    """Return the frame of feed items for some members of their questions."""
    return {**members, "item": members}


def named(*names: str) -> Frame:
    """Return the frame of the additional properties with some names."""
    return {"name": frozenset(names), "value": None}


STATES = frame(additionalProperty=named("finished"))
"""The frame that `is_finished` needs."""
TRAITS = frame(rating=RATING, additionalProperty=named(*LEGACY_PROPERTIES), globalRubric=None)
"""The frame that `traits_of` needs."""
TEXT: Frame = {"text": None}
TYPE: Frame = {"additionalType": None}
"""The frames of objects of which only the type matters: an answer, a template, a rating."""
TEMPLATES = frame(hasPart=TEXT)
"""The frame that `source_of` needs."""
_MEMBERS: dict[str, Frame | None] = {
    **dict.fromkeys(("text", "dateCreated", "dateModified", "keywords", "globalRubric")),
    **dict.fromkeys(("acceptedAnswer", "hasPart"), TEXT),
    "additionalProperty": PROPERTY,
    "rating": RATING,
}
MEMBERS = frame(**_MEMBERS)
"""The frames that `question_of` and `members_of` need."""
_PLACES = {
    "question": "text",
    "raw_answer": "acceptedAnswer",
    "keywords": "keywords",
    "answer_template": "hasPart",
    "date_created": "dateCreated",
    "date_modified": "dateModified",
    **dict.fromkeys((*PROPERTIES, "custom_metadata", "finished"), "additionalProperty"),
}
"""The members of a question object, or of its feed item, that give the fields of a `Question`."""


def frame_for(members: Iterable[str]) -> Frame | None:
    """Return the frame of feed items for members of a `Question`, and `finished`; None for all of them."""
    wanted = {*members}
    places = {_PLACES.get(one) for one in wanted}
    if None in places:
        return None
    framed = {place: _MEMBERS[place] for place in filter(None, places)}
    if "additionalProperty" in framed and "custom_metadata" not in wanted:
        framed["additionalProperty"] = named(*wanted)
    return frame(**framed)


def question_of(item: Json) -> Question:
    """Return the question of a feed item (or of a bare question object); faulty members are read as far as possible.

    It shares nothing with `item` that can be changed.
    """
    node_object = question_object(item)
    rubrics = {"question_rubric": traits_of(node_object), "question_dynamic_rubric": dynamic_traits_of(node_object)}
    return _question({**stated_by(item), **{name: dumped(traits) for name, traits in rubrics.items()}})


def untraited_question_of(item: Json) -> Question:
    """Return the question of a feed item without its rubrics, which take longer to read than everything else."""
    return _question(stated_by(item))


def _question(members: Json) -> Question:
    try:
        question = Question.model_validate({**members, **dict.fromkeys(_OF_JSON)}, context=LENIENT)
    except ValidationError as error:
        raise ReadError(f"the question {members['question']!r} cannot be read: {faults_of(error)}") from None
    # These are JSON already. pydantic would check them once more, value by value.
    question.__dict__.update({name: members[name] for name in _OF_JSON})
    return question


def members_of(item: Json) -> Json:
    """Return the question of a feed item as JSON: the fields of `Question`, rubrics as maps, and `finished`.

    `keywords` is None if there are none, as in Karenina.
    """
    node_object = question_object(item)
    rubrics = {"question_rubric": traits_of(node_object), "question_dynamic_rubric": dynamic_traits_of(node_object)}
    return {**untraited_members_of(item), **{name: by_kind(traits) for name, traits in rubrics.items()}}


def untraited_members_of(item: Json) -> Json:
    """Return the same as `members_of`, without rubrics."""
    members = stated_by(item)
    return {**members, "keywords": members["keywords"] or None, "finished": is_finished(item)}


def stated_by(item: Json) -> Json:
    """Return the fields of a `Question` that a feed item states, without rubrics.

    The result shares nothing with `item`.
    """
    node_object = question_object(item)
    properties = values(node_object.get("additionalProperty"))
    return {
        "question": text_of(node_object.get("text")),
        "raw_answer": text_of(_single(node_object.get("acceptedAnswer")).get("text")),
        "keywords": keywords_of(item),
        "few_shot_examples": _examples(from_text(properties.get("few_shot_examples"))),
        "date_created": text_of(item.get("dateCreated")),
        "date_modified": text_of(item.get("dateModified")),
        "answer_template": source_of(item),
        "answer_notes": text_of(properties.get("answer_notes")) or None,
        "author": _object(from_text(properties.get("author"))),
        "sources": _objects(from_text(properties.get("sources"))),
        "custom_metadata": custom_of(properties) or None,
        "question_rubric": None,
        "question_dynamic_rubric": None,
        "workspace_path": text_of(properties.get("workspace_path")) or None,
    }


def registry_entry_of(item: Json) -> QuestionRegistryEntry:
    """Return the progress of an item's question."""
    dates = {"date_added": text_of(item.get("dateCreated")), "date_modified": text_of(item.get("dateModified"))}
    return QuestionRegistryEntry.model_validate({"finished": is_finished(item), **dates}, context=LENIENT)


def is_finished(item: Json) -> bool:
    """Return whether an item's question is marked as finished."""
    return means_true(values(as_list(question_object(item).get("additionalProperty"))).get("finished", False))


def means_true(value: Any) -> bool:
    """Return whether a value of the property `finished` means true; texts and numbers may mean it too."""
    word = str(value).strip().lower()
    return value is True or (not isinstance(value, bool) and BOOLEAN_WORDS.get(word, word == "1.0"))


def keywords_of(item: Json) -> list[str]:
    """Return the keywords of an item's question, followed by those of the item, which is their older place."""
    own, older = (
        as_list(question_object(item).get("keywords")),
        as_list(item.get("keywords") if "item" in item else None),
    )
    found = [text_of(one) for one in own]
    added = [text_of(one) for one in older]
    return added if not found else [*found, *(one for one in added if one not in found)]


def item_of(
    question: Question,
    identifier: str | None,
    rubric: Rubric | None = None,
    dynamic: DynamicRubric | None = None,
    *,
    finished: bool | None = None,
) -> Json:
    """Return the feed item that holds a question, as Karenina writes it.

    If `finished` is None, the question is finished if it has a template of its own.
    """
    ratings = [rating_of(trait, "QuestionSpecific") for trait in (rubric.traits() if rubric else ())]
    ratings += [rating_of(trait, "QuestionSpecific", dynamic=True) for trait in (dynamic.traits() if dynamic else ())]
    source = question.answer_template
    if finished is None:
        finished = is_own(source)
    node_object = {
        "@type": "Question",
        "text": question.question,
        "acceptedAnswer": {"@type": "Answer", "text": question.raw_answer},
        **({"hasPart": datafeed.new_template_of(question.question, source)} if source else {}),
        **({"rating": ratings} if ratings else {}),
        "additionalProperty": _properties(question, finished=finished),
        **({"keywords": list(question.keywords)} if question.keywords else {}),
    }
    named = {"@id": identifier} if identifier is not None else {}
    dates = {"dateCreated": question.date_created, "dateModified": question.date_modified}
    return {"@type": "DataFeedItem", **named, **dates, "item": node_object}


def has_source(item: Json) -> bool:
    """Return whether an item's question has the text of a template, even if it is the placeholder."""
    return bool((source_of(item) or "").strip())


def has_template(item: Json) -> bool:
    """Return whether an item's question has a template of its own."""
    return is_own(source_of(item))


def is_own(source: str | None) -> bool:
    """Return whether a source is a template of its own: neither absent, blank, nor the placeholder."""
    return source is not None and source.strip() != "" and not is_placeholder(source)


def source_of(item: Json) -> str | None:
    """Return the source of the template of an item's question, None if it has none."""
    source = _single(question_object(item).get("hasPart")).get("text")
    return source if isinstance(source, str) else None


def _properties(question: Question, *, finished: bool) -> list[Json]:
    stated = {name: property_of(question, name) for name in PROPERTIES}
    customs = {f"{CUSTOM}{name}": value for name, value in (question.custom_metadata or {}).items()}
    entries = [property_value("finished", finished)]
    entries += [property_value(name, stated[name]) for name in PROPERTIES[:2] if stated[name] is not None]
    entries += [property_value(name, ABSENT if value is None else value) for name, value in customs.items()]
    return entries + [property_value(name, stated[name]) for name in PROPERTIES[2:] if stated[name] is not None]


def property_of(question: Question, member: str) -> str | None:
    """Return the value of the property that holds one of `PROPERTIES`, None if it is absent."""
    value = getattr(question, member)
    return json.dumps(value) if value and member in _WRITTEN_AS_TEXT else value or None


def question_object(item: Json) -> Json:
    """Return the question object of a feed item; a bare question object is returned itself."""
    return _single(item["item"]) if "item" in item else item


def _single(value: Any) -> Json:
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    return one if isinstance(one, dict) else {}


def _object(value: Any) -> Json | None:
    if value is None or isinstance(value, dict):
        return value or None
    return {"name": text_of(value)}


def _objects(value: Any) -> list[Json] | None:
    return [found for one in as_list(value) if (found := _object(one)) is not None] or None


def _examples(value: Any) -> list[dict[str, str]] | None:
    pairs = [
        {str(name): text_of(text) for name, text in one.items()} for one in as_list(value) if isinstance(one, dict)
    ]
    return pairs or None


SCENARIO_TYPE = "karenina:Scenario"


def is_scenario(part: object) -> bool:
    """Return whether an object among the parts of a root is a scenario."""
    if not isinstance(part, dict):
        return False
    return "nodes" in part if part.get("@type") is None else part["@type"] in (SCENARIO_TYPE, "Scenario")


def scenario_of(part: Json) -> Scenario:
    """Return the scenario of an object. Raises ReadError if it breaks a rule of the profile `load`."""
    nodes = part.get("nodes")
    if isinstance(nodes, dict):
        # The key in the map counts, not the identifier in the node.
        named = {key: {**node, "nodeId": key} if isinstance(node, dict) else node for key, node in nodes.items()}
        part = {**part, "nodes": named}
    try:
        return Scenario.model_validate(part, context=LENIENT)
    except ValidationError as error:
        raise ReadError(f"the scenario {part.get('name')!r} cannot be read: {faults_of(error)}") from None


def scenario_object(scenario: Scenario) -> Json:
    """Return the object of a scenario as Karenina writes it. Raises WriteError if it could not be read again."""
    members: Json = scenario.model_dump(mode="json", by_alias=True, exclude_none=True)
    try:
        scenario_of(members)
    except ReadError as error:
        raise WriteError(f"the scenario is refused: {error}") from None
    return members


def creator_of(root: Json) -> Creator | list[Creator] | None:
    """Return the creator of the benchmark with this root object."""
    stated, details = root.get("creator"), values(root.get("additionalProperty")).get(CREATOR_DETAILS)
    if details is not None and stated == name_of_creator(details):
        stated = details
    found = [_creator(one) for one in as_list(stated)]
    return found if len(found) > 1 else found[0] if found else None


def name_of_creator(value: Any) -> str:
    """Return the name of a creator, or the names of several, as one text."""
    if isinstance(value, list):
        return ", ".join(name for one in value if (name := name_of_creator(one)))
    stated = value.get("name") if isinstance(value, dict) else value
    return stated if isinstance(stated, str) else ""


def creator_members(value: Creator | Any) -> tuple[Any, list[Json]]:
    """Return the member `creator` that Karenina reads, and the properties for what it would not read.

    `value` is a creator, a file's member, or a list of those. A Person with only a name becomes a text.
    """
    value = _plain(value)
    if isinstance(value, list):
        value = [_plain(one) for one in value]
        value = value[0] if len(value) == 1 else value
    if isinstance(value, str):
        return value, []
    name = name_of_creator(value)
    if isinstance(value, dict) and value.get("@type") == "Person" and name:
        return (value if value.keys() - {"@type", "name"} else name), []
    return name, [property_value(CREATOR_DETAILS, value)]


def checked_creator(value: Any) -> Any:
    """Return a creator, or a list of several, as a user gives it, with mappings as a Person or an Organization.

    Raises WriteError for a value that is neither a text nor one of the two, and for one without a name.
    """
    if isinstance(value, list | tuple):
        return [checked_creator(one) for one in value]
    if isinstance(value, Mapping):
        try:
            return _model(value).model_validate(value)
        except ValidationError as error:
            raise WriteError(f"this is no creator: {faults_of(error)}") from None
    if not isinstance(value, (str, Person, Organization)) or not value:
        raise WriteError(f"{value!r} is no creator: give a name, a Person or an Organization")
    return value


def _model(value: Mapping[str, Any]) -> type[Person | Organization]:
    return Organization if value.get("@type") == "Organization" else Person


def _plain(value: Any) -> Any:
    is_entity = isinstance(value, (Person, Organization))
    return value.model_dump(by_alias=True, exclude_none=True) if is_entity else value


def _creator(value: Any) -> Creator:
    if not isinstance(value, dict):
        return str(value)
    try:
        return _model(value).model_validate(value)
    except ValidationError:
        return name_of_creator(value)
