"""What is different about questions: which came, which went, and what changed about the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.difference.change import Change, PartsDiff, changes
from checkpoint_ld.difference.templates import TemplateDiff, template_diff
from checkpoint_ld.difference.traits import traits_diff
from checkpoint_ld.mapping.properties import CUSTOM, as_list, custom_of, values
from checkpoint_ld.mapping.questions import asked_of

if TYPE_CHECKING:
    from checkpoint_ld.content import QuestionContent

Json = dict[str, Any]

_MEMBERS = ("question", "raw_answer", "author", "sources", "few_shot_examples", "answer_notes", "workspace_path")
_DATES = ("date_created", "date_modified")
_READ_ITEM = frozenset(("@type", "@id", "dateCreated", "dateModified", "keywords", "item"))
_READ_QUESTION = frozenset(("@type", "text", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "keywords"))
_READ_PART = frozenset(("@type", "@id", "name", "text", "programmingLanguage"))
_READ_PROPERTIES = frozenset(
    ("finished", "author", "sources", "few_shot_examples", "answer_notes", "workspace_path"),
)
"""What the members of a question are read from; all else is told under its own name."""


@dataclass(frozen=True, slots=True)
class QuestionName:
    """A question by identifier and text."""

    id: str
    question: str


@dataclass(frozen=True, slots=True)
class QuestionDiff:
    """What is different about one question; `id` and `question` are those after.

    `changes` has the members of a `Question` by their names, `finished`, `custom.KEY` for custom metadata, and under
    its own name what else there is. A change of `id` is there where the question was recognised by its text.
    """

    id: str
    question: str
    changes: tuple[Change, ...]
    template: TemplateDiff | None
    rubric: PartsDiff
    dynamic_rubric: PartsDiff

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different."""
        return not self.changes and self.template is None and self.rubric.is_empty and self.dynamic_rubric.is_empty


def name_of(one: QuestionContent) -> QuestionName:
    """Return what a question is called."""
    return QuestionName(one.id, one.question.question)


def pairs(
    before: tuple[QuestionContent, ...], after: tuple[QuestionContent, ...]
) -> list[tuple[QuestionContent | None, QuestionContent | None]]:
    """Return each question with what it was before: that of the same identifier, or else of the same text.

    They are in the order of `after`; those that are gone, with None after, come last.
    """
    old = {one.id: one for one in before}
    kept = {one.id for one in after} & old.keys()
    by_text: dict[str, list[QuestionContent]] = {}
    for one in before:
        if one.id not in kept:
            by_text.setdefault(one.question.question, []).append(one)
    found: list[tuple[QuestionContent | None, QuestionContent | None]] = []
    for one in after:
        alike = by_text.get(one.question.question)
        found.append((old[one.id] if one.id in kept else alike.pop(0) if alike else None, one))
    gone = {one.id for left in by_text.values() for one in left}
    return [*found, *((one, None) for one in before if one.id in gone)]


def question_diff(before: QuestionContent, after: QuestionContent, *, dates: bool, order: bool) -> QuestionDiff:
    """Return what is different about one question."""
    holders = asked_of(before.item), asked_of(after.item)
    return QuestionDiff(
        id=after.id,
        question=after.question.question,
        changes=changes(_members(before, dates=dates, order=order), _members(after, dates=dates, order=order)),
        template=template_diff(before, after, order=order),
        rubric=traits_diff(*holders, dynamic=False, order=order),
        dynamic_rubric=traits_diff(*holders, dynamic=True, order=order),
    )


def _members(one: QuestionContent, *, dates: bool, order: bool) -> Json:
    asked = one.question.model_dump(include={*_MEMBERS, *_DATES, "keywords"})
    told = {"id": one.id, **{name: asked[name] for name in (*_MEMBERS, *(_DATES if dates else ()))}}
    keywords = asked["keywords"] if order else sorted(asked["keywords"])
    members = {**told, "keywords": keywords or None, "finished": one.finished}
    given = {name: value for name, value in members.items() if value is not None}
    return given | _beyond(one.item)


def _beyond(item: Json) -> Json:
    """Return what an item says beyond the members of a question: custom metadata, and what nobody knows."""
    asked = asked_of(item)
    properties = values(asked.get("additionalProperty"))
    rest = {f"custom.{key}": value for key, value in custom_of(properties).items()}
    rest |= {
        name: value
        for name, value in properties.items()
        if name not in _READ_PROPERTIES and not name.startswith(CUSTOM)
    }
    rest |= {key: value for key, value in asked.items() if key not in _READ_QUESTION and key not in _READ_ITEM}
    if asked is not item:
        rest |= {key: value for key, value in item.items() if key not in _READ_ITEM}
    for slot in ("acceptedAnswer", "hasPart"):
        for part in as_list(asked.get(slot))[:1]:
            known = part.items() if isinstance(part, dict) else ()
            rest |= {f"{slot}.{key}": value for key, value in known if key not in _READ_PART}
    return rest
