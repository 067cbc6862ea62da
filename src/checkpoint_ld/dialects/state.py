"""The GUI's internal state, version 2.0, read as a canonical document and written from one.

The state is JSON without JSON-LD: an object `checkpoint` of questions by key, a `global_rubric` and
`dataset_metadata`. `read` builds the canonical tree, `downgrade` writes the state; `question_list` reads its earliest
form. Rubrics are converted by `traits`; what the state has no place for is kept by `leftovers`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.datafeed import (
    CREATOR_DETAILS,
    ENCODED,
    REPOSITORY,
    clean,
    gui_template_name,
    listed,
    template_name,
    template_of,
)
from checkpoint_ld.dialects.dialect import (
    Downgrade,
    Listing,
    Trail,
    as_text,
    decoded,
    encoded,
    step,
    values,
)
from checkpoint_ld.dialects.leftovers import (
    KEPT,
    PARKED,
    has_keywords,
    is_meaningless,
    loss,
    losses_of,
    missing_from,
    park,
    parked_in,
    report_foreign,
    restored,
    take_foreign,
)
from checkpoint_ld.dialects.ratings import GLOBAL, GUI_MATRIX, MATRIX, QUESTION, in_order
from checkpoint_ld.dialects.traits import LISTS, RubricRatings, as_gui_reads, rubric_of
from checkpoint_ld.identifiers import gui_answer_id, gui_element_id, gui_key, gui_question_id, gui_template_id
from checkpoint_ld.phrases import BOOLEAN_WORDS
from checkpoint_ld.vocabulary import (
    BY_TYPE,
    CONVERSION_PROPERTY,
    FORMAT_VERSION,
    FORMAT_VERSION_PROPERTY,
    GUI_FORMAT_VERSION_PROPERTY,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.findings import Finding

DEFAULT_NAME = "Karenina LLM Benchmark Checkpoint"
DEFAULT_VERSION = "0.1.0"
DEFAULT_CREATOR = "Karenina Benchmarking System"
"""The values of a benchmark that states no others."""
CUSTOM = "custom_"

SIMPLE_METADATA = ("description", "version", "dateCreated", "dateModified")
PUBLISHING = ("license", "keywords", "publisher", "datePublished")
"""Members of dataset_metadata that keep their names in JSON-LD, though Karenina does not know them there."""

_ROOT = {"version", "global_rubric", "dataset_metadata", "checkpoint"}
_METADATA = {"name", "creator", "custom_properties", *SIMPLE_METADATA, *PUBLISHING}
_TEXTS = ("question", "raw_answer", "original_answer_template", "answer_template")
_OTHERS = ("date_created", "last_modified", "finished", "question_rubric", "few_shot_examples", "custom_metadata")
ITEM = {*_TEXTS, *_OTHERS, "author", "sources", "keywords"}
"""The members of a question in the state."""


def read(value: dict[str, Any], trail: Trail) -> dict[str, Any]:
    """Read the GUI's state, whose rubrics have a list for each kind of trait or the single list `traits`."""
    tree = root_of(value, MemberPlaces(""), trail)
    tree["dataFeedElement"] = [
        element_of(key, item, f"/dataFeedElement/{index}", MemberPlaces(step("/checkpoint", key)), trail)
        for index, (key, item) in enumerate(value["checkpoint"].items())
    ]
    extra = value.get(KEPT)
    tree = restored(tree, extra, "", step("", KEPT), trail) if isinstance(extra, dict) else tree
    return in_order(tree, "DataFeed")


@dataclass(frozen=True)
class MemberPlaces:
    """The pointers of the members of an object: at `source`, except those that are `elsewhere`."""

    source: str
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """Return the pointer of the member `name`."""
        return self.elsewhere.get(name) or f"{self.source}/{name}"


def root_of(value: dict[str, Any], places: MemberPlaces, trail: Trail) -> dict[str, Any]:
    """Return the root of the canonical document, without its elements."""
    trail.moved("/dataFeedElement", places.of("checkpoint"))
    trail.moved("/rating", places.of("global_rubric"))
    given = value.get("dataset_metadata")
    metadata = {**_filled(given)} if isinstance(given, dict) else {}
    texts = ("description", *PUBLISHING, *(() if _is_named(metadata.get("creator")) else ("creator",)))
    foreign = take_foreign(metadata, texts)
    rules = {"description": "benchmark-description", "creator": "creator-name"}
    report_foreign(foreign, rules, "/dataset_metadata", trail)
    tree: dict[str, Any] = {"@type": "DataFeed", "name": metadata.get("name") or DEFAULT_NAME}
    tree |= {name: metadata[name] for name in (*SIMPLE_METADATA, *PUBLISHING) if name in metadata}
    for name in ("name", "creator", *SIMPLE_METADATA, *PUBLISHING):
        trail.moved(step("", name), step("/dataset_metadata", name))
    rubric = RubricRatings("", GLOBAL, trail)
    properties = Listing("/additionalProperty", trail)
    _add_creator(tree, metadata.get("creator"), properties)
    custom = metadata.get("custom_properties")
    for name, content in custom.items() if isinstance(custom, dict) else ():
        properties.add_property(name, content, "/dataset_metadata/custom_properties", name)
    _add_rubric(value.get("global_rubric"), places.of("global_rubric"), rubric, properties)
    tree |= listed(tree, rubric, properties)
    parked = _park_metadata(tree, given, foreign, value)
    left = _placed(tree, _unknown(value, _ROOT), {*BY_TYPE["DataFeed"], *PUBLISHING})
    park(tree, {**parked, **left})
    return in_order(tree, "DataFeed")


def element_of(key: str, item: Any, pointer: str, places: MemberPlaces, trail: Trail) -> Any:
    """Return the question under `key` as the element that will be at `pointer`."""
    trail.moved(pointer, places.source)
    if not isinstance(item, dict):
        return item
    _record_places(pointer, places, trail)
    given = _filled(item)
    parked = _parked(given, places, trail)
    element: dict[str, Any] = {"@type": "DataFeedItem", "@id": gui_element_id(key)}
    for member, name in (("dateCreated", "date_created"), ("dateModified", "last_modified")):
        found = name if name in given else "last_modified"
        if found in given:
            element[member] = given[found]
            if trail.kept:
                trail.moved(f"{pointer}/{member}", places.of(found))
    question: dict[str, Any] = {"@type": "Question"}
    if "question" in given:
        question["text"] = given["question"]
    if "raw_answer" in given:
        question["acceptedAnswer"] = {"@type": "Answer", "text": given["raw_answer"]}
    if "answer_template" in given:
        question["hasPart"] = template_of(given.get("question"), given["answer_template"])
    rubric = RubricRatings(f"{pointer}/item", QUESTION, trail)
    properties = Listing(f"{pointer}/item/additionalProperty", trail)
    _add_properties(given, places, properties)
    _add_rubric(given.get("question_rubric"), places.of("question_rubric"), rubric, properties)
    question |= listed(question, rubric, properties)
    if "keywords" in given and "keywords" not in parked:
        question["keywords"] = given["keywords"]
    element["item"] = question
    if parked or not ITEM.issuperset(item):
        park(element, {**parked, **_placed(element, _unknown(item, ITEM), set(BY_TYPE["DataFeedItem"]))})
    extra = item.get(KEPT)
    return restored(element, extra, pointer, places.of(KEPT), trail) if isinstance(extra, dict) else element


def _parked(given: dict[str, Any], places: MemberPlaces, trail: Trail) -> dict[str, Any]:
    """Return the members of a question whose values have no place on an element."""
    custom = given.get("custom_metadata")
    parked = {} if isinstance(custom, dict | None) else {"custom_metadata": custom}
    if has_keywords(given.get("keywords")):
        parked["keywords"] = given["keywords"]
        report_foreign({"keywords": given["keywords"]}, {"keywords": "keyword-text"}, places.source, trail)
    return parked


def _park_metadata(
    tree: dict[str, Any], metadata: Any, foreign: dict[str, Any], value: dict[str, Any]
) -> dict[str, Any]:
    """Put the unknown members of dataset_metadata on the root; return those without place there, with the `foreign`."""
    if not isinstance(metadata, dict):
        return {} if metadata is None else {"dataset_metadata": metadata}
    unknown = {name: content for name, content in metadata.items() if name not in _METADATA}
    left = _placed(tree, unknown, {*BY_TYPE["DataFeed"], *value, KEPT}) | foreign
    if not isinstance(metadata.get("custom_properties"), dict | None):
        left["custom_properties"] = metadata["custom_properties"]
    return {"dataset_metadata": left} if left else {}


def _filled(members: dict[str, Any]) -> dict[str, Any]:
    """Return `members` without nulls, which stand for absent members in the state."""
    if None not in members.values():
        return members
    return {name: content for name, content in members.items() if content is not None}


def _unknown(members: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the members that are neither known nor leftovers of ours."""
    return {
        name: content
        for name, content in members.items()
        if name not in known and not (name == KEPT and isinstance(content, dict))
    }


def _placed(target: dict[str, Any], unknown: dict[str, Any], taken: set[str]) -> dict[str, Any]:
    """Put unknown members on `target`; return those whose names are taken or have a meaning in JSON-LD."""
    left = {
        name: value for name, value in unknown.items() if name in taken or name == PARKED or has_keywords({name: value})
    }
    target.update((name, content) for name, content in unknown.items() if name not in left)
    return left


def _is_named(agent: Any) -> bool:
    """Return whether an agent is an object with a name."""
    return isinstance(agent, dict) and isinstance(agent.get("name"), str)


def _add_creator(tree: dict[str, Any], creator: Any, properties: Listing) -> None:
    """Add the creator: a bare name as text, a person as an object, any other agent by its name and as a property."""
    name = creator.get("name") if isinstance(creator, dict) else None
    if creator is None or not isinstance(name, str):
        tree |= {} if creator is None else {"creator": creator}
    elif creator == {"@type": "Person", "name": name}:
        tree["creator"] = name
    elif creator.get("@type") == "Person" and not has_keywords(creator):
        tree["creator"] = creator
    else:
        tree["creator"] = name
        properties.add_property(CREATOR_DETAILS, creator, "/dataset_metadata/creator")


def _add_rubric(rubric: Any, source: str, gathered: RubricRatings, properties: Listing) -> None:
    """Add the traits of a rubric object; its other members become properties."""
    if isinstance(rubric, dict):
        stated = {
            member: [as_gui_reads(LISTS[member], trait) if isinstance(trait, dict) else trait for trait in content]
            if member in LISTS and isinstance(content, list)
            else content
            for member, content in rubric.items()
        }
        for name, content in gathered.add_object(stated, source).items():
            properties.add_property(f"rubric_{name}", content, source, name)
    elif rubric is not None:
        gathered.add_trait("llm", rubric, source)


def _record_places(pointer: str, places: MemberPlaces, trail: Trail) -> None:
    if not trail.kept:
        return
    sources = {
        "dateCreated": "date_created",
        "dateModified": "last_modified",
        "item/text": "question",
        "item/acceptedAnswer": "raw_answer",
        "item/acceptedAnswer/text": "raw_answer",
        "item/hasPart": "answer_template",
        "item/hasPart/text": "answer_template",
        "item/rating": "question_rubric",
        "item/keywords": "keywords",
    }
    for place in ("@id", "item", "item/additionalProperty"):
        trail.moved(f"{pointer}/{place}", places.source)
    for place, name in sources.items():
        trail.moved(f"{pointer}/{place}", places.of(name))


def _add_properties(given: dict[str, Any], places: MemberPlaces, properties: Listing) -> None:
    """Add the other properties of a question, in the order in which Karenina writes them."""
    custom = given.get("custom_metadata")
    is_followed = properties.trail.kept
    for name in ("finished", "original_answer_template", "author", "sources", CUSTOM, "few_shot_examples"):
        if name == CUSTOM:
            source = places.of("custom_metadata") if is_followed else ""
            for key, content in custom.items() if isinstance(custom, dict) else ():
                properties.add_property(CUSTOM + key, content, source, key)
        elif name in given and (name == "finished" or given[name] not in ("", [], {})):
            content = encoded(given[name]) if name in ENCODED else given[name]
            properties.add_property(name, content, places.of(name) if is_followed else "")


GUI_ROOT_ID = re.compile(r"urn:uuid:karenina-checkpoint-\d+")
"""The identifier of a root, which the GUI generates at every export."""
RESERVED = {
    *(FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY, CONVERSION_PROPERTY, "benchmark_type", CREATOR_DETAILS),
    *(f"global_{kind}rubric_traits" for kind in ("", "regex_", "callable_", "metric_", "manual_")),
}
"""Root properties that are not the user's own."""

_NOTE = {"originalVersion", "convertedAt", "totalQuestions", "totalRatings"}
"""The members of a note about a conversion, which every writer regenerates."""
_APART = {"@context", "@type", "dataFeedElement", "rating"}
"""Members of the root that are written separately, or not at all."""


def downgrade(tree: dict[str, Any], *, now: str | None = None) -> Downgrade:
    """Return a canonical document as the GUI's state.

    `now` (ISO 8601) replaces missing dates of questions, if the root has none; None leaves them out. Leftovers go under
    the member x_karenina of the question, trait or root, which the GUI ignores and `read` restores. The findings name
    them.
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
    elements = feed.get("dataFeedElement")
    every = elements if isinstance(elements, list) else []
    value["checkpoint"], lost = _questions_of(every, tree.get("dataFeedElement"), matrix, date)
    _add_unknown(value, feed)
    left = missing_from(root_of(value, MemberPlaces(""), Trail("v2.0")), _needed(feed), is_regenerated) | rubric.left
    if left:
        value[KEPT] = left
    findings = [*losses_of(left, tree, "", "v2.0"), *rubric.findings, *lost]
    return Downgrade(value, tuple(findings))


def _metadata(feed: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    names = ("name", *SIMPLE_METADATA, *PUBLISHING)
    metadata = {name: feed[name] for name in names if feed.get(name) is not None}
    metadata |= {name: as_text(metadata[name]) for name in SIMPLE_METADATA if name in metadata}
    creator = feed.get("creator")
    if isinstance(creator, str) or _is_named(creator):
        details = settings.get(CREATOR_DETAILS)
        is_detailed = isinstance(details, dict) and details.get("name") == creator
        person = {"@type": "Person", "name": creator} if isinstance(creator, str) else creator
        metadata["creator"] = details if is_detailed else person
    custom = {name: value for name, value in settings.items() if name not in RESERVED}
    return {**metadata, "custom_properties": custom} if custom else metadata


def _add_unknown(value: dict[str, Any], feed: dict[str, Any]) -> None:
    """Add the members of the root that Karenina does not know, and those that were parked there."""
    taken = {*BY_TYPE["DataFeed"], *PUBLISHING, KEPT, PARKED, "dataset_metadata", *value}
    value.update((name, content) for name, content in feed.items() if name not in taken)
    for name, content in parked_in(feed).items():
        held = value.get(name)
        if name not in value:
            value[name] = content
        elif isinstance(held, dict) and isinstance(content, dict):
            value[name] = {**content, **held}


def is_regenerated(name: str, value: Any) -> bool:
    """Return whether every writer regenerates a property of the root: the format, or the note about a conversion."""
    if name == CONVERSION_PROPERTY:
        note = decoded(value)
        return isinstance(note, dict) and note.keys() <= _NOTE
    return name in (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY) and value == FORMAT_VERSION


def _needed(feed: dict[str, Any]) -> dict[str, Any]:
    """Return the root without members that are read separately or that every writer regenerates."""
    needed = {name: content for name, content in feed.items() if name not in _APART}
    identifier = needed.get("@id")
    if isinstance(identifier, str) and GUI_ROOT_ID.fullmatch(identifier):
        del needed["@id"]
    if _is_named(needed.get("creator")):
        del needed["creator"]  # the state holds agents of every kind, and is read as a name with details
    return needed


_ELSEWHERE = {KEPT, PARKED, *BY_TYPE["DataFeedItem"], *ITEM}
_ORIGINAL = "original_answer_template"


def _questions_of(elements: list[Any], originals: Any, matrix: str, date: Any) -> tuple[dict[str, Any], list[Finding]]:
    """Return elements in canonical form as questions of the state, each under a distinct key, and the losses."""
    checkpoint: dict[str, Any] = {}
    findings: list[Finding] = []
    for at, (key, element) in enumerate(zip(_distinct_keys(elements), elements, strict=True)):
        checkpoint[key] = element
        if not isinstance(element, dict):
            continue
        pointer = f"/dataFeedElement/{at}"
        question = item if isinstance(item := element.get("item"), dict) else {}
        rubric = rubric_of(question, QUESTION, matrix, f"{pointer}/item")
        checkpoint[key] = item = _item(element, question, rubric.written, date)
        left = _leftovers_of(element, item, key)
        if rubric.left:
            left["item"] = {**left.get("item", {}), **rubric.left}
        if left:
            item[KEPT] = left
            findings += losses_of(left, originals[at] if isinstance(originals, list) else None, pointer, "v2.0")
        findings += rubric.findings
        findings += _name_losses(question, f"{pointer}/item/hasPart/name")
        if not element.get("@id"):
            message = f'the question has no @id; in v2.0 it has the key "{key}", which is its @id from then on'
            findings.append(loss(message, f"{pointer}/@id", "v2.0"))
    return checkpoint, findings


def _distinct_keys(elements: list[Any]) -> list[str]:
    """Return the keys of elements in the state."""
    keys: dict[str, None] = {}
    for index, element in enumerate(elements):
        identifier = element.get("@id") if isinstance(element, dict) else None
        own = key = gui_key(identifier if isinstance(identifier, str) else None, index)
        suffix = 0
        while key in keys:
            suffix += 1
            key = f"{own}-{suffix}"
        keys[key] = None
    return [*keys]


def _name_losses(question: dict[str, Any], pointer: str) -> Iterator[Finding]:
    """Yield the loss of the name of a template that is not the usual one."""
    template = question.get("hasPart")
    name = template.get("name") if isinstance(template, dict) else None
    text = question.get("text")
    if name is not None and name != template_name(text) and name != gui_template_name(text):
        message = f'v2.0 has no place for the name "{name}" of a template; it is made anew from the question'
        yield loss(message, pointer, "v2.0")


def _item(
    element: dict[str, Any], question: dict[str, Any], rubric: dict[str, Any] | None, date: Any
) -> dict[str, Any]:
    """Return an element as a question of the state; `date` replaces a missing date."""
    settings = values(question.get("additionalProperty", []))
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
        **{name: value for name in ENCODED if (value := decoded(settings.get(name))) not in _EMPTY},
        "keywords": question.get("keywords"),
    }
    item = {name: content for name, content in found.items() if content is not None}
    if not _ELSEWHERE.issuperset(element):
        item.update((name, content) for name, content in element.items() if name not in _ELSEWHERE)
    if PARKED in element:
        item.update((name, content) for name, content in parked_in(element).items() if name not in item)
    return item


def _as_boolean(finished: Any) -> Any:
    """Return the progress of a question as Karenina reads it; a missing value means unfinished."""
    if isinstance(finished, str):
        return BOOLEAN_WORDS.get(finished.strip().lower(), finished)
    if isinstance(finished, int | float) and finished in (0, 1):
        return bool(finished)
    return False if finished is None else finished


_EMPTY: tuple[Any, ...] = (None, "", [], {})


def _leftovers_of(element: dict[str, Any], item: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the leftovers of an element, apart from its ratings, when `item` is written for it under `key`."""
    unrated = {name: content for name, content in item.items() if name != "question_rubric"}
    read = element_of(key, unrated, "", MemberPlaces(""), Trail("v2.0"))
    return missing_from(read, _needed_element(element, key), _is_ignored)


def _needed_element(element: dict[str, Any], key: str) -> dict[str, Any]:
    """Return an element without its ratings and without members that the GUI regenerates."""
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


def _is_ignored(name: str, value: Any) -> bool:
    """Return whether the property `name` of a question is meaningless with this value."""
    if name in ENCODED:
        return decoded(value) in _EMPTY
    return value in (None, "") if name == _ORIGINAL else is_meaningless(name, value)
