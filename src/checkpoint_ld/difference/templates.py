"""What is different about an answer template, as far as it can be read without running it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from dataclasses import fields as dataclass_fields
from typing import TYPE_CHECKING, Any

from checkpoint_ld.difference.change import Change, PartsDiff, changes, nested, parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.content import QuestionContent
    from checkpoint_ld.templates import PlainField, Template, TemplateField

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TemplateDiff:
    """What is different about a template.

    `source` is the change of its text. `fields` tells of the fields, `changes` of the class: how far the text is a
    template (`level`), its name, the strategy, the ground truth and regular expressions of a classic template, and
    code beside the fields. Both are empty where only the layout or the body of a method is different.
    """

    source: Change
    fields: PartsDiff
    changes: tuple[Change, ...]


def template_diff(before: QuestionContent, after: QuestionContent, *, order: bool) -> TemplateDiff | None:
    """Return what is different about the templates of two questions, None if nothing is.

    A placeholder stands for no template.
    """
    told = changes(_source(before), _source(after))
    if not told:
        return None
    fields = parts(_fields(before), _fields(after), order=order)
    return TemplateDiff(told[0], fields, tuple(nested(_class(before), _class(after))))


def _source(one: QuestionContent) -> Json:
    return {"source": one.question.answer_template} if one.has_template else {}


def _fields(one: QuestionContent) -> Iterator[tuple[str, Json]]:
    listed: list[TemplateField | PlainField] = [*one.template.fields, *one.template.plain_fields]
    for field in listed if one.has_template else ():
        members = {member.name: _json(getattr(field, member.name)) for member in dataclass_fields(field)}
        yield field.name, {key: value for key, value in members.items() if key not in ("name", "line", "unread")}


def _class(one: QuestionContent) -> Json:
    return _told(one.template) if one.has_template else {}


def _told(template: Template) -> Json:
    strategy = None if template.strategy is None else asdict(template.strategy)
    regexes = None if template.regexes is None else {name: asdict(one) for name, one in template.regexes.items()}
    code = [[one.kind, one.name] for one in template.custom_code]
    members = {"level": template.level.value, "class_name": template.class_name, "strategy": _json(strategy)}
    return {**members, "ground_truth": _json(template.ground_truth), "regexes": _json(regexes), "custom_code": code}


def _json(value: Any) -> Any:
    if isinstance(value, (str, int, float)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_json(one) for one in value]
    return {key: _json(one) for key, one in value.items()}
