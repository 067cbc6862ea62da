"""The earliest form of the GUI's state 2.0: an array of questions, beside their templates by the question's id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.dialects.leftovers import has_keywords, park, restored
from checkpoint_ld.dialects.ratings import in_order
from checkpoint_ld.dialects.state import MemberPlaces, element_of, root_of
from checkpoint_ld.phrases import called
from checkpoint_ld.vocabulary import BY_TYPE

if TYPE_CHECKING:
    from checkpoint_ld.dialects.dialect import Trail

_NAMES = {"isFinished": "finished", "rubric": "question_rubric"}
_CUSTOM = ("category", "hasGeneratedTemplate")
_DROPPED = {"questions", "templates", "globalRubric", "progress"}
"""Members of the root that are read under other names, or can be computed."""


def read(value: dict[str, Any], trail: Trail) -> dict[str, Any]:
    """Read the array of questions; their answers, which it does not have, become empty."""
    templates = value.get("templates")
    unused = dict(templates) if isinstance(templates, dict) else {}
    root = {name: content for name, content in value.items() if name not in _DROPPED}
    if "globalRubric" in value:
        root["globalRubric" if "global_rubric" in value else "global_rubric"] = value["globalRubric"]
    places = MemberPlaces("", {"global_rubric": "/globalRubric", "checkpoint": "/questions"})
    tree = root_of(root, places, trail)
    tree["dataFeedElement"] = [
        _element(question, index, unused, trail) for index, question in enumerate(value["questions"])
    ]
    left = unused if isinstance(templates, dict) else templates
    park(tree, {"templates": left} if left else {})
    progress = _uncounted(value)
    park(tree, {} if progress in (None, {}) else {"progress": progress})
    return in_order(tree, "DataFeed")


def _uncounted(value: dict[str, Any]) -> Any:
    """Return the members of `progress` that do not follow from the questions."""
    progress, questions = value.get("progress"), value["questions"]
    if not isinstance(progress, dict):
        return progress
    finished = sum(isinstance(question, dict) and question.get("isFinished") is True for question in questions)
    counts = {"finished": finished, "total": len(questions)}
    return {name: content for name, content in progress.items() if name not in counts or content != counts[name]}


def _element(question: Any, index: int, templates: dict[str, Any], trail: Trail) -> Any:
    """Return an entry of the array as an element; its template is removed from `templates`."""
    pointer, source = step("/dataFeedElement", index), step("/questions", index)
    if not isinstance(question, dict):
        trail.moved(pointer, source)
        return question
    key = question.get("id")
    names = {name: new for name, new in _NAMES.items() if new not in question}
    others = question.get("custom_metadata")
    taken = others.keys() if isinstance(others, dict) else () if others is None else _CUSTOM
    custom = {name: question[name] for name in _CUSTOM if question.get(name) is not None and name not in taken}
    stated = ((name, content) for name, content in question.items() if content is not None or name not in _CUSTOM)
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
        text = item.get("question")
        subject = called("question", text if isinstance(text, str) and text.strip() else key)
        trail.report("answer-missing", "the question has no answer; it is taken as empty", source, subject)
    element = element_of(key if isinstance(key, str) else "", item, pointer, MemberPlaces(source, elsewhere), trail)
    trail.moved(step(pointer, "@id"), step(source, "id"))
    if not isinstance(key, str):
        element.pop("@id", None)
    template = element["item"].get("hasPart") if rest and isinstance(element.get("item"), dict) else None
    return restored(element, {"item": {"hasPart": {**rest, **template}}}) if isinstance(template, dict) else element


def _template(key: str, templates: dict[str, Any]) -> tuple[str, Any, dict[str, Any]]:
    """Remove the template under `key`; return its place, its text, and the other members that a template can have."""
    entry, place = templates.pop(key), step("/templates", key)
    if not isinstance(entry, dict) or entry.get("template") is None:
        return place, entry, {}
    rest = {name: value for name, value in entry.items() if name != "template"}
    known = BY_TYPE["SoftwareSourceCode"]
    left = {name: value for name, value in rest.items() if name in known or has_keywords({name: value})}
    rest = {name: value for name, value in rest.items() if name not in left}
    if left:
        templates[key] = left
    return step(place, "template"), entry["template"], rest
