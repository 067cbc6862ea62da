"""The GUI's internal state, version 2.0, read as a canonical document.

It has its questions under keys, its traits in rubric objects with a list for each kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS, SPELLED, listed, template_of
from checkpoint_ld.dialects.dialect import Listing, Trail, step
from checkpoint_ld.dialects.leftovers import PARKED, has_keywords, park, restored
from checkpoint_ld.dialects.properties import encoded
from checkpoint_ld.dialects.ratings import GLOBAL, QUESTION, in_order
from checkpoint_ld.dialects.traits import LISTS, Rubric, as_gui_reads
from checkpoint_ld.identifiers import gui_element_id
from checkpoint_ld.vocabulary import BY_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping


DEFAULT_NAME = "Karenina LLM Benchmark Checkpoint"
DEFAULT_VERSION = "0.1.0"
DEFAULT_CREATOR = "Karenina Benchmarking System"
"""What a benchmark has that does not say otherwise."""
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
    """Read the GUI's state, be its rubrics of a list for each kind of trait or of the one list `traits`."""
    tree = root_of(value, Places(""), trail)
    tree["dataFeedElement"] = [
        element_of(key, item, f"/dataFeedElement/{index}", Places(step("/checkpoint", key)), trail)
        for index, (key, item) in enumerate(value["checkpoint"].items())
    ]
    extra = value.get("x_karenina")
    tree = restored(tree, extra) if isinstance(extra, dict) else tree
    return in_order(tree, "DataFeed")


@dataclass(frozen=True)
class Places:
    """Where the members of an object stand: at `source`, except those that are `elsewhere`."""

    source: str
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """Return the pointer of the member `name`."""
        return self.elsewhere.get(name) or f"{self.source}/{name}"


def root_of(value: dict[str, Any], places: Places, trail: Trail) -> dict[str, Any]:
    """Return the root of the canonical document, without its elements."""
    trail.moved("/dataFeedElement", places.of("checkpoint"))
    trail.moved("/rating", places.of("global_rubric"))
    given = value.get("dataset_metadata")
    metadata = _filled(given) if isinstance(given, dict) else {}
    tree: dict[str, Any] = {"@type": "DataFeed", "name": metadata.get("name") or DEFAULT_NAME}
    tree |= {name: metadata[name] for name in (*SIMPLE_METADATA, *PUBLISHING) if name in metadata}
    for name in ("name", "creator", *SIMPLE_METADATA, *PUBLISHING):
        trail.moved(step("", name), step("/dataset_metadata", name))
    rubric = Rubric("", GLOBAL, trail)
    properties = Listing("/additionalProperty", trail)
    _add_creator(tree, metadata.get("creator"), properties)
    custom = metadata.get("custom_properties")
    for name, content in custom.items() if isinstance(custom, dict) else ():
        properties.add_property(name, content, "/dataset_metadata/custom_properties", name)
    _add_rubric(value.get("global_rubric"), places.of("global_rubric"), rubric, properties)
    tree |= listed(tree, rubric, properties)
    _keep(tree, _unknown(value, _ROOT), _park_metadata(tree, given, value), {*BY_TYPE["DataFeed"], *PUBLISHING})
    return in_order(tree, "DataFeed")


def element_of(key: str, item: Any, pointer: str, places: Places, trail: Trail) -> Any:
    """Return one question of the state, the one under `key`, as the element that will be at `pointer`."""
    trail.moved(pointer, places.source)
    if not isinstance(item, dict):
        return item
    _note_members(pointer, places, trail)
    given = _filled(item)
    element: dict[str, Any] = {"@type": "DataFeedItem", "@id": gui_element_id(key)}
    for member, name in (("dateCreated", "date_created"), ("dateModified", "last_modified")):
        found = name if name in given else "last_modified"
        if found in given:
            element[member] = given[found]
            trail.moved(f"{pointer}/{member}", places.of(found))
    question: dict[str, Any] = {"@type": "Question"}
    if "question" in given:
        question["text"] = given["question"]
    if "raw_answer" in given:
        question["acceptedAnswer"] = {"@type": "Answer", "text": given["raw_answer"]}
    if "answer_template" in given:
        question["hasPart"] = template_of(given.get("question"), given["answer_template"])
    rubric = Rubric(f"{pointer}/item", QUESTION, trail)
    properties = Listing(f"{pointer}/item/additionalProperty", trail)
    _add_properties(given, places, properties)
    _add_rubric(given.get("question_rubric"), places.of("question_rubric"), rubric, properties)
    question |= listed(question, rubric, properties)
    if "keywords" in given:
        question["keywords"] = given["keywords"]
    element["item"] = question
    custom = given.get("custom_metadata")
    parked = {} if isinstance(custom, dict | None) else {"custom_metadata": custom}
    _keep(element, _unknown(item, ITEM), parked, set(BY_TYPE["DataFeedItem"]))
    extra = item.get("x_karenina")
    return restored(element, extra) if isinstance(extra, dict) else element


def _park_metadata(tree: dict[str, Any], metadata: Any, value: dict[str, Any]) -> dict[str, Any]:
    """Put what is unknown in dataset_metadata on the root; return what finds no place there, to be parked."""
    if not isinstance(metadata, dict):
        return {} if metadata is None else {"dataset_metadata": metadata}
    unknown = {name: content for name, content in metadata.items() if name not in _METADATA}
    left = _placed(tree, unknown, {*BY_TYPE["DataFeed"], *value, "x_karenina"})
    if not isinstance(metadata.get("custom_properties"), dict | None):
        left["custom_properties"] = metadata["custom_properties"]
    return {"dataset_metadata": left} if left else {}


def _filled(members: dict[str, Any]) -> dict[str, Any]:
    """Return `members` without those that are null, which is the state's way to say absent."""
    return {name: content for name, content in members.items() if content is not None}


def _unknown(members: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the members that are neither known nor leftovers of ours."""
    return {
        name: content
        for name, content in members.items()
        if name not in known and not (name == "x_karenina" and isinstance(content, dict))
    }


def _keep(target: dict[str, Any], unknown: dict[str, Any], parked: dict[str, Any], taken: set[str]) -> None:
    """Put unknown members on `target`; park those whose names are taken there."""
    park(target, {**parked, **_placed(target, unknown, taken)})


def _placed(target: dict[str, Any], unknown: dict[str, Any], taken: set[str]) -> dict[str, Any]:
    """Put unknown members on `target`; return those whose names are taken, or that JSON-LD would read otherwise."""
    left = {name: one for name, one in unknown.items() if name in taken or name == PARKED or has_keywords({name: one})}
    target.update((name, content) for name, content in unknown.items() if name not in left)
    return left


def _add_creator(tree: dict[str, Any], creator: Any, properties: Listing) -> None:
    """Add the creator: a mere name as text, a person as such, of any other agent the name and, beside it, the whole."""
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


def _add_rubric(rubric: Any, source: str, gathered: Rubric, properties: Listing) -> None:
    """Add the traits of a rubric object; its other members become properties."""
    if isinstance(rubric, dict):
        stated = {
            member: [as_gui_reads(LISTS[member], one) if isinstance(one, dict) else one for one in content]
            if member in LISTS and isinstance(content, list)
            else content
            for member, content in rubric.items()
        }
        for name, content in gathered.add_object(stated, source).items():
            properties.add_property(f"rubric_{name}", content, source, name)
    elif rubric is not None:
        gathered.add_trait("llm", rubric, source)


def _note_members(pointer: str, places: Places, trail: Trail) -> None:
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


def _add_properties(given: dict[str, Any], places: Places, properties: Listing) -> None:
    """Add what a question has beside text, answer and template, in the order in which Karenina writes it."""
    custom = given.get("custom_metadata")
    for name in ("finished", "original_answer_template", "author", "sources", CUSTOM, "few_shot_examples"):
        if name == CUSTOM:
            for key, content in custom.items() if isinstance(custom, dict) else ():
                properties.add_property(CUSTOM + key, content, places.of("custom_metadata"), key)
        elif name in given and (name == "finished" or given[name] not in ("", [], {})):
            content = encoded(given[name]) if name in SPELLED else given[name]
            properties.add_property(name, content, places.of(name))


_NAMES = {"isFinished": "finished", "rubric": "question_rubric"}
_CUSTOM_OF_LIST = ("category", "hasGeneratedTemplate")
_DROPPED = {"questions", "templates", "globalRubric", "progress"}
"""Members of the root that are read as something else, or can be computed."""


def read_list(value: dict[str, Any], trail: Trail) -> dict[str, Any]:
    """Read an array of questions; their answers, which it does not have, become empty."""
    templates = value.get("templates")
    unused = dict(templates) if isinstance(templates, dict) else {}
    root = {name: content for name, content in value.items() if name not in _DROPPED}
    if "globalRubric" in value:
        root["globalRubric" if "global_rubric" in value else "global_rubric"] = value["globalRubric"]
    places = Places("", {"global_rubric": "/globalRubric", "checkpoint": "/questions"})
    tree = root_of(root, places, trail)
    tree["dataFeedElement"] = [
        _listed_element(question, index, unused, trail) for index, question in enumerate(value["questions"])
    ]
    left = unused if isinstance(templates, dict) else templates
    park(tree, {"templates": left} if left else {})
    progress = _uncounted(value)
    park(tree, {} if progress in (None, {}) else {"progress": progress})
    return in_order(tree, "DataFeed")


def _uncounted(value: dict[str, Any]) -> Any:
    """Return what `progress` says that does not follow from the questions."""
    progress, questions = value.get("progress"), [one for one in value["questions"] if isinstance(one, dict)]
    counts = {"finished": sum(one.get("isFinished") is True for one in questions), "total": len(value["questions"])}
    if not isinstance(progress, dict):
        return progress
    return {name: content for name, content in progress.items() if name not in counts or content != counts[name]}


def _listed_element(question: Any, index: int, templates: dict[str, Any], trail: Trail) -> Any:
    """Return an entry of the array as an element, with its template, which is taken out of `templates`."""
    pointer, source = step("/dataFeedElement", index), step("/questions", index)
    if not isinstance(question, dict):
        trail.moved(pointer, source)
        return question
    key = question.get("id")
    names = {name: new for name, new in _NAMES.items() if new not in question}
    others = question.get("custom_metadata")
    taken = others.keys() if isinstance(others, dict) else () if others is None else _CUSTOM_OF_LIST
    custom = {name: question[name] for name in _CUSTOM_OF_LIST if question.get(name) is not None and name not in taken}
    stated = (
        (name, content) for name, content in question.items() if content is not None or name not in _CUSTOM_OF_LIST
    )
    item = {names.get(name, name): content for name, content in stated if name not in custom}
    if isinstance(key, str):
        del item["id"]
    if custom:
        item["custom_metadata"] = {**custom, **(others or {})}
    elsewhere = {new: step(source, old) for old, new in names.items()} | {"custom_metadata": source}
    rest: dict[str, Any] = {}
    if isinstance(key, str) and key in templates and item.get("answer_template") is None:
        elsewhere["answer_template"], item["answer_template"], rest = _template(key, templates)
    if item.get("raw_answer") is None:
        item["raw_answer"] = ""
        elsewhere["raw_answer"] = source
        trail.report("answer-missing", "the question has no answer; it is taken as empty", source, f"question {key!r}")
    element = element_of(key if isinstance(key, str) else "", item, pointer, Places(source, elsewhere), trail)
    trail.moved(step(pointer, "@id"), step(source, "id"))
    if not isinstance(key, str):
        element.pop("@id", None)
    template = element["item"].get("hasPart") if rest and isinstance(element.get("item"), dict) else None
    return restored(element, {"item": {"hasPart": {**rest, **template}}}) if isinstance(template, dict) else element


def _template(key: str, templates: dict[str, Any]) -> tuple[str, Any, dict[str, Any]]:
    """Take the template under `key`; return its place, its text, and the other members that a template can have."""
    entry, place = templates.pop(key), step("/templates", key)
    if not isinstance(entry, dict) or entry.get("template") is None:
        return place, entry, {}
    rest = {name: one for name, one in entry.items() if name != "template"}
    taken = {name for name, one in rest.items() if name in BY_TYPE["SoftwareSourceCode"] or has_keywords({name: one})}
    left = {name: rest.pop(name) for name in taken}
    if left:
        templates[key] = left
    return step(place, "template"), entry["template"], rest
