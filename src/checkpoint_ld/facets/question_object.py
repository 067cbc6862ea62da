"""A question as a feed item holds it, to change: what an edited `Question` says, brought to the members of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.datafeed import new_template_of, template_name
from checkpoint_ld.facets import entries
from checkpoint_ld.mapping.placeholder import is_placeholder
from checkpoint_ld.mapping.properties import CUSTOM, as_list
from checkpoint_ld.mapping.questions import PROPERTIES, asked_of, default_template, property_of

if TYPE_CHECKING:
    from checkpoint_ld.entities import Question

Json = dict[str, Any]

_DATES = {"date_created": "dateCreated", "date_modified": "dateModified"}


def tell(item: Json, member: str, question: Question) -> None:
    """Let the question in a feed item have what `question` has as `member`, one that is neither id nor rubric.

    Only what says the member is changed; what else is said there stays.
    """
    asked = asked_of(item)
    if member in _DATES:
        item[_DATES[member]] = getattr(question, member)
    elif member in PROPERTIES or member == "custom_metadata":
        _tell_properties(asked, member, question)
    elif member == "keywords":
        item.pop("keywords", None)  # their older place, which readers join with the new one
        asked.pop("keywords", None)
        if question.keywords:
            asked["keywords"] = question.keywords
    elif member == "raw_answer":
        set_text(asked, "acceptedAnswer", {"@type": "Answer", "text": question.raw_answer})
    elif member == "answer_template":
        if question.answer_template:
            set_text(asked, "hasPart", new_template_of(question.question, question.answer_template))
        else:
            asked.pop("hasPart", None)
    else:
        _ask(asked, question.question)


def _tell_properties(asked: Json, member: str, question: Question) -> None:
    if member == "custom_metadata":
        told = {f"{CUSTOM}{name}": value for name, value in (question.custom_metadata or {}).items()}
        entries.take_away(asked, lambda name: name.startswith(CUSTOM) and name not in told)
    else:
        value = property_of(question, member)
        told = {} if value is None else {member: value}
        if value is None:
            entries.take_away(asked, member.__eq__)
    for name, one in told.items():
        entries.set_value(asked, name, one)


def set_text(asked: Json, member: str, part: Json) -> None:
    """Give the object that is a member of a question the text of `part`, which is put there where there is none."""
    held = [one for one in as_list(asked.get(member)) if isinstance(one, dict) and one.keys() - {"@id"}]
    if held:
        held[0]["text"] = part["text"]
    else:
        asked[member] = part


def _ask(asked: Json, text: str) -> None:
    """Change the text of a question, and with it what was made from the text: the template that stands for none."""
    former, asked["text"] = asked.get("text"), text
    for template in as_list(asked.get("hasPart")):
        if isinstance(template, dict) and template.get("name") == template_name(former):
            template["name"] = template_name(text)
        if isinstance(template, dict) and is_placeholder(str(template.get("text"))):
            template["text"] = default_template(text)
