"""A question in the graph, to change: what an edited `Question` says, brought to the node that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.dialects.template import new_template_of, template_name
from checkpoint_ld.facets import entries
from checkpoint_ld.facets.elements import asked_in
from checkpoint_ld.mapping.placeholder import is_placeholder
from checkpoint_ld.mapping.properties import CUSTOM
from checkpoint_ld.mapping.questions import PROPERTIES, default_template, property_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue
    from rdflib.term import Node

    from checkpoint_ld.entities import Question
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

_DATES = {"date_created": "dateCreated", "date_modified": "dateModified"}


def tell(graph: CheckpointGraph, item: Node, member: str, question: Question) -> None:
    """Let the question in a feed item have what `question` has as `member`, one that is neither id nor rubric.

    Only what says the member is changed; what else is said there stays.
    """
    asked = asked_in(graph, item)
    if member in _DATES:
        graph.set_plain(item, _DATES[member], getattr(question, member))
    elif member in PROPERTIES:
        _tell_property(graph, asked, member, property_of(question, member))
    elif member == "custom_metadata":
        _tell_custom(graph, asked, question.custom_metadata or {})
    elif member == "keywords":
        graph.replace(asked, "keywords", question.keywords or None)
        if asked != item:
            graph.replace(item, "keywords", None)  # their older place, which readers join with the new one
    elif member == "raw_answer":
        _tell_text(graph, asked, "acceptedAnswer", {"@type": "Answer", "text": question.raw_answer})
    elif member == "answer_template":
        if question.answer_template:
            _tell_text(graph, asked, "hasPart", new_template_of(question.question, question.answer_template))
        else:
            graph.replace(asked, "hasPart", None)
    else:
        _ask(graph, asked, question.question)


def _ask(graph: CheckpointGraph, asked: Node, text: str) -> None:
    """Change the text of a question, and with it what was made from the text: the template that stands for none."""
    former = graph.plain(asked, "text")
    graph.set_plain(asked, "text", text)
    for template in graph.member(asked, "hasPart"):
        if graph.plain(template, "name") == template_name(former):
            graph.set_plain(template, "name", template_name(text))
        if is_placeholder(str(graph.plain(template, "text"))):
            graph.set_plain(template, "text", default_template(text))


def _tell_text(graph: CheckpointGraph, asked: Node, member: str, part: dict[str, str]) -> None:
    held = [node for node in graph.member(asked, member) if node in graph.held]
    if held:
        graph.set_plain(held[0], "text", part["text"])
    else:
        graph.replace(asked, member, part)


def _tell_property(graph: CheckpointGraph, asked: Node, name: str, value: str | None) -> None:
    if value is None:
        entries.take_away(graph, asked, name.__eq__)
    else:
        entries.set_value(graph, asked, name, value)


def _tell_custom(graph: CheckpointGraph, asked: Node, custom: Mapping[str, JsonValue]) -> None:
    told = {f"{CUSTOM}{name}": value for name, value in custom.items()}
    entries.take_away(graph, asked, lambda name: name.startswith(CUSTOM) and name not in told)
    for name, value in told.items():
        entries.set_value(graph, asked, name, value)
