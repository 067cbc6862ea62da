"""Differences between two benchmarks, in the terms of their authors: questions, templates, traits, metadata.

`semantic_diff` compares two benchmarks. `SemanticDiff` writes the differences as text, Markdown or JSON.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, is_dataclass
from dataclasses import fields as dataclass_fields
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from checkpoint_ld.benchmark.content import (
    EXACT,
    FORMAT_PROPERTIES,
    BenchmarkContent,
    content_of,
    creator_json,
    elements_of,
    is_stated,
)
from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS, REPOSITORY
from checkpoint_ld.dialects.dialect import as_list, name_of, text_of, values
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.documents import values as json_values
from checkpoint_ld.documents.values import ABSENT, same
from checkpoint_ld.errors import WrongTypeError
from checkpoint_ld.mapping.questions import creator_of, is_scenario, question_object
from checkpoint_ld.mapping.traits import CUSTOM, custom_of, dynamic_rubric_of, family_of, is_dynamic, rubric_of
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import counted, harmless, head
from checkpoint_ld.secrets import WITHHELD, secret
from checkpoint_ld.templates import Level
from checkpoint_ld.validation.reports.text import code, escaped
from checkpoint_ld.vocabulary import BY_TYPE, CONVERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from checkpoint_ld.benchmark.benchmark import Benchmark
    from checkpoint_ld.benchmark.content import QuestionContent
    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.templates import PlainField, TemplateField

Json = dict[str, Any]
Members: TypeAlias = "Mapping[str, JsonValue]"
Kind: TypeAlias = Literal["added", "removed", "changed"]

SAME = "no differences"

_RATING = frozenset(BY_TYPE["Rating"]) - {"ratingValue", "ratingExplanation"}
_MARKS = frozenset(("kind", "dynamic_trait_type", "invert"))
"""Settings that repeat the kind of a trait."""
_MEMBERS = ("question", "raw_answer", "author", "sources", "few_shot_examples", "answer_notes", "workspace_path")
_DATES = ("date_created", "date_modified")
_ITEM = frozenset(("@type", "@id", "dateCreated", "dateModified", "keywords", "item"))
_QUESTION = frozenset(("@type", "text", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "keywords"))
_PART = frozenset(("@type", "@id", "name", "text", "programmingLanguage"))
_VALUE = frozenset(("@id", *BY_TYPE["PropertyValue"]))
_PROPERTIES = frozenset(("finished", "author", "sources", "few_shot_examples", "answer_notes", "workspace_path"))
"""The JSON members that the members of a question are read from; others are compared under their own names."""
_LISTS = frozenset(("additionalProperty", "rating", "hasPart", "keywords", "edges", "outcomeCriteria"))
"""The members that are lists however many values they have; elsewhere a list of one value is that value."""
_ROOT = frozenset(BY_TYPE["DataFeed"]) | {"globalRubric"}
_ROOT_PROPERTIES = frozenset((*LEGACY_PROPERTIES, CREATOR_DETAILS, *FORMAT_PROPERTIES, CONVERSION_PROPERTY))
"""Properties that traits and creators are read from, and those about the form of a file."""
_TEXTS = ("name", "description", "version")
_TEMPLATE = ("level", "class_name", "strategy", "ground_truth", "regexes")
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_WORDS = {sign: word for word, sign in _SIGNS.items()}
_ROOM = 60
_BEFORE = 20
"""The number of characters before the first difference of two long texts."""


@dataclass(frozen=True, slots=True)
class Change:
    """A member that was added, removed or changed; `before` and `after` are JSON values, None where there is none."""

    member: str
    kind: Kind
    before: JsonValue = None
    after: JsonValue = None


@dataclass(frozen=True, slots=True)
class PartDiff:
    """The difference of one named part: a trait, a field of a template, or a scenario."""

    name: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class PartsDiff:
    """The differences of named parts: traits, fields of a template, or scenarios."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[PartDiff, ...] = ()
    reordered: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different."""
        return not (self.added or self.removed or self.changed or self.reordered)


def changes(before: Members, after: Members) -> tuple[Change, ...]:
    """Return the changes between two objects, member by member, in the order of their members."""
    pairs = ((name, before.get(name, ABSENT), after.get(name, ABSENT)) for name in dict.fromkeys((*before, *after)))
    return tuple(_change(name, name, old, new) for name, old, new in pairs if not same(old, new))


def _change(member: str, key: str, before: Any, after: Any) -> Change:
    """Return the change of a member, whose values are under `key`; values that look like secrets are withheld."""
    old, new = (None if value is ABSENT else WITHHELD if secret({key: value}) else value for value in (before, after))
    return Change(member, "added" if before is ABSENT else "removed" if after is ABSENT else "changed", old, new)


def parts(
    before: Iterable[tuple[str, Members]], after: Iterable[tuple[str, Members]], *, order: bool = False
) -> PartsDiff:
    """Return the differences between two lists of named parts; their order counts only with `order`.

    Parts with the same name are compared in their order: the first with the first, and so on. Changes are located as
    deep as possible, such as at `parameters.tolerance`.
    """
    old, new = _counted(before), _counted(after)
    both = [key for key in old if key in new]
    found = ((key[0], tuple(nested(old[key], new[key]))) for key in both)
    return PartsDiff(
        added=tuple(key[0] for key in new if key not in old),
        removed=tuple(key[0] for key in old if key not in new),
        changed=tuple(PartDiff(name, changed) for name, changed in found if changed),
        reordered=order and both != [key for key in new if key in old],
    )


def _counted(named: Iterable[tuple[str, Members]]) -> dict[tuple[str, int], Members]:
    seen: Counter[str] = Counter()
    counted = {}
    for name, members in named:
        counted[name, seen[name]] = members
        seen[name] += 1
    return counted


def nested(before: Any, after: Any) -> Iterator[Change]:
    """Yield the changes between two JSON values, located as deep as possible; paths have dots."""
    for change in json_values.changes(before, after, by_index=False):
        key = next((step for step in reversed(change.path) if isinstance(step, str)), "")
        yield _change(".".join(map(str, change.path)), key, change.before, change.after)


def traits_diff(before: Json, after: Json, *, dynamic: bool, order: bool) -> PartsDiff:
    """Return the differences of the traits of two root or question objects, either the dynamic or the static ones."""
    return parts(_traits(before, dynamic=dynamic), _traits(after, dynamic=dynamic), order=order)


def _traits(holder: Json, *, dynamic: bool) -> Iterator[tuple[str, Json]]:
    rubric = dynamic_rubric_of(holder) if dynamic else rubric_of(holder)
    ratings = {
        rating.get("name"): rating
        for rating in as_list(holder.get("rating"))
        if isinstance(rating, dict) and is_dynamic(rating) is dynamic
    }
    for trait in rubric.traits() if rubric else ():
        members = {"type": family_of(trait), **trait.model_dump(exclude={"name"})}
        yield trait.name, {**members, **_beyond_trait(trait, ratings.get(trait.name, {}))}


def _beyond_trait(trait: AnyTrait, rating: Json) -> Json:
    """Return the members and settings of a rating that do not belong to its trait."""
    fields = type(trait).model_fields
    settings = values(rating.get("additionalProperty"))
    beyond = _beyond(rating, _RATING.union(fields)) | _beyond_values(rating.get("additionalProperty"))
    return beyond | {name: value for name, value in settings.items() if name not in fields and name not in _MARKS}


def _beyond(members: Json, known: Collection[str]) -> Json:
    """Return what an object states with other members than the `known` ones."""
    return {key: _stated(key, value) for key, value in members.items() if key not in known and is_stated(key, value)}


def _stated(key: str, value: Any) -> Any:
    """Return the value of a member without the members in it that state nothing, a list of one value as the value."""
    if key in EXACT or not isinstance(value, dict | list):
        return value
    if isinstance(value, dict):
        return _beyond(value, ())
    return _stated(key, value[0]) if len(value) == 1 and key not in _LISTS else [_stated(key, one) for one in value]


def _beyond_values(properties: Any) -> Json:
    """Return what properties have beside their names and values, such as a unit."""
    return {
        f"{f'custom.{name.removeprefix(CUSTOM)}' if name.startswith(CUSTOM) else name}.{key}": value
        for one in as_list(properties)
        if (name := name_of(one)) is not None
        for key, value in _beyond(one, _VALUE).items()
    }


@dataclass(frozen=True, slots=True)
class TemplateDiff:
    """The difference of a template.

    `source` is the change of its text, `fields` the differences of its fields. `changes` are those of the class: its
    `level`, its name, the strategy, the ground truth and regular expressions of a classic template, and code beside
    the fields. Both are empty where only the layout or the body of a method differs.
    """

    source: Change
    fields: PartsDiff
    changes: tuple[Change, ...]


def template_diff(before: QuestionContent, after: QuestionContent, *, order: bool) -> TemplateDiff | None:
    """Return the difference of the templates of two questions, None if there is none.

    A placeholder counts as no template.
    """
    sources = (
        {"source": question.members["answer_template"]} if question.has_template else {} for question in (before, after)
    )
    found = changes(*sources)
    if not found:
        return None
    fields = parts(_fields_of(before), _fields_of(after), order=order)
    return TemplateDiff(found[0], fields, tuple(nested(_class_of(before), _class_of(after))))


def _fields_of(question: QuestionContent) -> Iterator[tuple[str, Json]]:
    fields: list[TemplateField | PlainField] = [*question.template.fields, *question.template.plain_fields]
    for field in fields if question.has_template else ():
        members = {member.name: _json(getattr(field, member.name)) for member in dataclass_fields(field)}
        yield field.name, {key: value for key, value in members.items() if key not in ("name", "line", "unread")}


def _class_of(question: QuestionContent) -> Json:
    if not question.has_template:
        return {}
    template = question.template
    members = {name: _json(getattr(template, name)) for name in _TEMPLATE}
    return {**members, "custom_code": [[part.kind, part.name] for part in template.custom_code]}


def _json(value: Any) -> Any:
    """Return a part of a template as JSON: dataclasses and mappings as objects, an enumeration as its value."""
    if isinstance(value, Level):
        return value.value
    if isinstance(value, (str, int, float)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    members = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    return {key: _json(member) for key, member in members.items()}


@dataclass(frozen=True, slots=True)
class QuestionName:
    """A question by identifier and text."""

    id: str
    question: str


@dataclass(frozen=True, slots=True)
class QuestionDiff:
    """The difference of one question; `id` and `question` are those after.

    `changes` has the members of a `Question` by their names, `finished`, `custom.KEY` for custom metadata, and other
    members under their own names. There is a change of `id` where the question was matched by its text.
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


def pairs(
    before: tuple[QuestionContent, ...], after: tuple[QuestionContent, ...]
) -> list[tuple[QuestionContent | None, QuestionContent | None]]:
    """Return each question with its former version: of the same identifier, or else of the same text.

    They are in the order of `after`; removed ones, with None after, come last.
    """
    old = {question.id: question for question in before}
    kept = {question.id for question in after} & old.keys()
    by_text: dict[str, list[QuestionContent]] = {}
    for question in before:
        if question.id not in kept:
            by_text.setdefault(question.members["question"], []).append(question)
    found: list[tuple[QuestionContent | None, QuestionContent | None]] = []
    for question in after:
        alike = by_text.get(question.members["question"]) if by_text else None
        found.append((old[question.id] if question.id in kept else alike.pop(0) if alike else None, question))
    gone = {question.id for left in by_text.values() for question in left}
    return [*found, *((question, None) for question in before if question.id in gone)]


def question_diff(before: QuestionContent, after: QuestionContent, *, dates: bool, order: bool) -> QuestionDiff:
    """Return the difference of one question."""
    holders = question_object(before.item), question_object(after.item)
    return QuestionDiff(
        id=after.id,
        question=after.members["question"],
        changes=changes(*(_members(question, dates=dates, order=order) for question in (before, after))),
        template=template_diff(before, after, order=order),
        rubric=traits_diff(*holders, dynamic=False, order=order),
        dynamic_rubric=traits_diff(*holders, dynamic=True, order=order),
    )


def _members(content: QuestionContent, *, dates: bool, order: bool) -> Json:
    """Return all members of a question except its template and its traits, unknown ones included."""
    given, item, question = content.members, content.item, question_object(content.item)
    keywords = given["keywords"] if order else sorted(given["keywords"])
    members = {"id": content.id, **{name: given[name] for name in (*_MEMBERS, *(_DATES if dates else ()))}}
    members |= {"keywords": keywords or None, "finished": content.finished}
    found = {name: value for name, value in members.items() if value is not None}
    properties = values(question.get("additionalProperty"))
    found |= {f"custom.{key}": value for key, value in custom_of(properties).items()}
    # The web interface writes an empty original template where there is none.
    own = {name: value for name, value in properties.items() if (name, value) != ("original_answer_template", "")}
    found |= {name: value for name, value in own.items() if name not in _PROPERTIES and not name.startswith(CUSTOM)}
    found |= _beyond_values(question.get("additionalProperty"))
    found |= _beyond(question, _QUESTION | _ITEM)
    if question is not item:
        found |= _beyond(item, _ITEM)
    for slot in ("acceptedAnswer", "hasPart"):
        for part in as_list(question.get(slot))[:1]:
            others = _beyond(part, _PART) if isinstance(part, dict) else {}
            found |= {
                f"{slot}.{key}": value
                for key, value in others.items()
                if (key, value) != ("codeRepository", REPOSITORY)
            }
    return found


@runtime_checkable
class Comparable(Protocol):
    """A reading, or what else has the graph of a benchmark."""

    @property
    def graph(self) -> CheckpointGraph:
        """The graph that holds the checkpoint."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class SemanticDiff(Shown):
    """The differences between two benchmarks.

    `metadata` has `id`, `name`, `description`, `version`, `creator` and other metadata of the benchmark, `properties`
    its custom properties. Traits and scenarios are matched by name. It is empty, and false, where there is no
    difference; `str` gives lines for people.
    """

    metadata: tuple[Change, ...]
    properties: tuple[Change, ...]
    questions_added: tuple[QuestionName, ...]
    questions_removed: tuple[QuestionName, ...]
    questions_changed: tuple[QuestionDiff, ...]
    questions_reordered: bool
    global_rubric: PartsDiff
    global_dynamic_rubric: PartsDiff
    scenarios: PartsDiff

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different."""
        named = self.global_rubric, self.global_dynamic_rubric, self.scenarios
        listed = self.metadata, self.properties, self.questions_added, self.questions_removed, self.questions_changed
        return not (any(listed) or self.questions_reordered) and all(part.is_empty for part in named)

    def __bool__(self) -> bool:
        return not self.is_empty

    def __repr__(self) -> str:
        return f"<SemanticDiff: {self._line()}>"

    def _line(self) -> str:
        lists = {"added": self.questions_added, "removed": self.questions_removed, "changed": self.questions_changed}
        counts = [f"{counted(len(found), 'question')} {name}" for name, found in lists.items() if found]
        return ", ".join(counts) or (SAME if self.is_empty else "no questions differ")

    def _card(self) -> Card:
        lines = ((line,) for line in str(self).splitlines())
        return Card("SemanticDiff", "", self._line(), {}, [Rows("", ("difference",), lines)] if self else [])

    def __str__(self) -> str:
        # Control characters are replaced.
        lines = (_line(entry, entry.sign, entry.what, harmless) for entry in _entries(self))
        return "\n".join(lines) or SAME

    def to_markdown(self) -> str:
        """Return the differences as a nested list in Markdown, in which values of the document are code."""
        lines = (_line(entry, f"- {_WORDS[entry.sign]}", escaped(entry.what), code) for entry in _entries(self))
        return "\n".join(lines) or SAME

    def as_json(self) -> Json:
        """Return the differences as a JSON object: the attributes of this object, and `is_empty`."""
        return {"is_empty": self.is_empty, **asdict(self)}


def semantic_diff(
    before: Benchmark | Comparable, after: Benchmark | Comparable, *, dates: bool = False, order: bool = False
) -> SemanticDiff:
    """Return the differences between two benchmarks, regardless of dialect and layout.

    Questions are matched by identifier, or else by text. Dates of creation and modification count only with `dates`;
    the order of questions, keywords, traits and fields counts only with `order`. Values that look like secrets are
    withheld. Raises WrongTypeError for a path: `load` reads it.
    """
    for given in (before, after):
        if isinstance(given, str | bytes | os.PathLike):
            shown = f"{given!r:.60}"
            raise WrongTypeError(f"semantic_diff compares benchmarks, not {shown}: give checkpoint_ld.load({shown})")
    old, new = (content_of(benchmark.graph, elements_of(benchmark.graph)) for benchmark in (before, after))
    matched = pairs(old.questions, new.questions)
    both = [(was, question) for was, question in matched if was is not None and question is not None]
    compared = (question_diff(was, question, dates=dates, order=order) for was, question in both)
    places = {question.id: place for place, question in enumerate(old.questions)}
    sequence = [places[was.id] for was, _ in both]
    return SemanticDiff(
        metadata=changes(_metadata(old, dates=dates), _metadata(new, dates=dates)),
        properties=changes(_properties(old), _properties(new)),
        questions_added=tuple(_name(question) for was, question in matched if was is None and question is not None),
        questions_removed=tuple(_name(was) for was, question in matched if question is None and was is not None),
        questions_changed=tuple(question for question in compared if not question.is_empty),
        questions_reordered=order and sequence != sorted(sequence),
        global_rubric=traits_diff(old.root, new.root, dynamic=False, order=order),
        global_dynamic_rubric=traits_diff(old.root, new.root, dynamic=True, order=order),
        scenarios=parts(_named(old.scenarios), _named(new.scenarios), order=order),
    )


def _name(question: QuestionContent) -> QuestionName:
    return QuestionName(question.id, question.members["question"])


def _metadata(content: BenchmarkContent, *, dates: bool) -> Json:
    root = content.root
    found = {
        **{name: root.get(key) for name, key in (("id", "@id"), *((member, member) for member in _TEXTS))},
        "creator": creator_json(creator_of(root)),
        **({name: content.metadata[name] for name in ("created_at", "modified_at")} if dates else {}),
        **_beyond(root, _ROOT),
        "hasPart": [part for part in as_list(root.get("hasPart")) if not is_scenario(part)],
    }
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def _properties(content: BenchmarkContent) -> Json:
    own = [one for one in as_list(content.root.get("additionalProperty")) if name_of(one) not in _ROOT_PROPERTIES]
    return values(own) | _beyond_values(own)


def _named(scenarios: list[Json]) -> list[tuple[str, Json]]:
    return [(text_of(scenario.get("name")), _beyond(scenario, ())) for scenario in scenarios]


class _OutlineLine(NamedTuple):
    """A line of an outline: its depth, the kind of change, its subject, and the details, which are document values."""

    depth: int
    sign: str
    what: str
    name: str = ""
    details: tuple[str, ...] = ()


def _line(entry: _OutlineLine, sign: str, what: str, written: Callable[[str], str]) -> str:
    title = " ".join(part for part in (what, written(entry.name)) if part)
    details = " → ".join(map(written, entry.details))
    return f"{'  ' * entry.depth}{sign} {title}{f': {details}' if details else ''}"


def _entries(diff: SemanticDiff) -> Iterator[_OutlineLine]:
    yield from _of_changes(diff.metadata, 0)
    yield from _of_changes(diff.properties, 0, "property")
    yield from _of_parts(diff.global_rubric, 0, "global trait")
    yield from _of_parts(diff.global_dynamic_rubric, 0, "global dynamic trait")
    yield from _of_parts(diff.scenarios, 0, "scenario")
    if diff.questions_reordered:
        yield _OutlineLine(0, "~", "order of questions")
    yield from (_of_question("-", question) for question in diff.questions_removed)
    yield from (_of_question("+", question) for question in diff.questions_added)
    for question in diff.questions_changed:
        yield _of_question("~", question)
        yield from _of_changes(question.changes, 1)
        if question.template is not None:
            yield from _of_template(question.template)
        yield from _of_parts(question.rubric, 1, "trait")
        yield from _of_parts(question.dynamic_rubric, 1, "dynamic trait")


def _of_question(sign: str, question: QuestionName | QuestionDiff) -> _OutlineLine:
    return _OutlineLine(0, sign, "question", question.id, (head(question.question, _ROOM),))


def _of_template(template: TemplateDiff) -> Iterator[_OutlineLine]:
    source = template.source
    if source.kind != "changed":
        yield _OutlineLine(1, _SIGNS[source.kind], "template")
        return
    old, new = (Counter(str(text).splitlines()) for text in (source.before, source.after))
    counts = f"{counted((new - old).total(), 'line')} added, {counted((old - new).total(), 'line')} removed"
    yield _OutlineLine(1, "~", "template", details=(counts,))
    yield from _of_changes(template.changes, 2)
    yield from _of_parts(template.fields, 2, "field")


def _of_parts(found: PartsDiff, depth: int, what: str) -> Iterator[_OutlineLine]:
    if found.reordered:
        yield _OutlineLine(depth, "~", f"order of {what}s")
    yield from (_OutlineLine(depth, "-", what, name) for name in found.removed)
    yield from (_OutlineLine(depth, "+", what, name) for name in found.added)
    for part in found.changed:
        yield _OutlineLine(depth, "~", what, part.name)
        yield from _of_changes(part.changes, depth + 1)


def _of_changes(found: tuple[Change, ...], depth: int, what: str = "") -> Iterator[_OutlineLine]:
    return (_OutlineLine(depth, _SIGNS[change.kind], what, change.member, _shown(change)) for change in found)


def _shown(change: Change) -> tuple[str, ...]:
    """Return the values of a change; two long texts are cut so that their first difference is visible."""
    both = {"added": [change.after], "removed": [change.before]}.get(change.kind, [change.before, change.after])
    texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in both]
    start = 0
    if len(texts) == 2 and max(map(len, texts)) > _ROOM:
        start = max(0, len(commonprefix(texts)) - _BEFORE)  # noqa: RUF071 - these are no paths
    return tuple(f"{'…' if start else ''}{head(text[start:], _ROOM)}" for text in texts)
