"""Edits of a benchmark: the checks of given values before any change, and the changes of JSON objects.

The methods of `Benchmark` check with functions such as `addition`, `question_edit` and `usable_template`, and then pass
functions such as `set_values` and `put_source` to `Benchmark._write`, which change the object that they are given.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import ValidationError

from checkpoint_ld import entities, templates
from checkpoint_ld.benchmark.content import creator_json
from checkpoint_ld.dialects.datafeed import new_template_of, template_name
from checkpoint_ld.dialects.dialect import ABSENT, as_list, name_of, property_value
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.documents.values import inside, now, plain
from checkpoint_ld.entities import LENIENT, DynamicRubric, Question, Rubric
from checkpoint_ld.errors import ReadError, WriteError, WrongTypeError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.mapping.questions import PROPERTIES, default_template, is_own, item_of, property_of, question_object
from checkpoint_ld.mapping.traits import CUSTOM, checked_copy, collected, faults_of, is_placeholder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.graph.store import Index

Json = dict[str, Any]

_PROPERTIES = "additionalProperty"
_TRAITS = ("question_rubric", "question_dynamic_rubric")
_OBJECTS = ("author", "sources", "custom_metadata")
_MEMBERS = (*Question.model_fields, "finished")
_REQUIRED = ("id", "name", "created_at", "modified_at")
_DATES = {"date_created": "dateCreated", "date_modified": "dateModified"}
_PREVIEW = 100
Traits = TypeVar("Traits", Rubric, DynamicRubric)


def set_values(holder: Json, properties: Mapping[str, Any]) -> None:
    """Set properties to JSON values; None is written as in Karenina, as a property without a value.

    Other members of an existing property stay. A new property is added at the end.
    """
    for name, given in properties.items():
        value = plain(given)
        entries = as_list(holder.get(_PROPERTIES))
        found = [entry for entry in entries if name_of(entry) == name]
        if not found:
            holder[_PROPERTIES] = [*entries, property_value(name, ABSENT if value is None else value)]
        elif value is None:
            found[-1].pop("value", None)
        else:
            found[-1]["value"] = value


def take_away(holder: Json, is_meant: Callable[[str], bool]) -> bool:
    """Remove the properties whose names `is_meant` accepts; return whether there were any."""
    entries = as_list(holder.get(_PROPERTIES))
    kept = [entry for entry in entries if (name := name_of(entry)) is None or not is_meant(name)]
    if len(kept) == len(entries):
        return False
    holder[_PROPERTIES] = kept
    if not kept:
        del holder[_PROPERTIES]
    return True


def question_given(members: Mapping[str, Any]) -> Question:
    """Return the question with these members; an empty answer is allowed, as in Karenina.

    Raises WriteError for invalid members, and for values that JSON cannot hold.
    """
    text = members.get("question")
    if text is None or (isinstance(text, str) and not text.strip()):
        raise WriteError(f"a question needs a text: it is {'missing' if text is None else 'empty or blank'}")
    if members.get("raw_answer") is None:
        raise WriteError(f"the question {text!r} needs a reference answer: give raw_answer")
    try:
        question = Question.model_validate(members, context=LENIENT)
    except ValidationError as error:
        dump_json({name: members.get(name) for name in _OBJECTS}, limits=inside(4))  # names what JSON cannot hold
        others = [name for name in members if name not in _MEMBERS and name not in ("id", "tags")]
        also = f"; put what a question has no member for into custom_metadata: {', '.join(others)}" if others else ""
        raise WriteError(f"the question {text!r} is refused: {faults_of(error)}{also}") from None
    dump_json({name: getattr(question, name) for name in Question.model_fields}, limits=inside(4))
    return question


def source_given(given: object) -> str:
    """Return the Python text of a template that is given as text, as a specification or as an answer class.

    Raises WrongTypeError for other types, WriteError for an invalid specification and a class without source.
    """
    if isinstance(given, str):
        return given
    if isinstance(given, entities.TemplateSpec):
        return templates.source_of(given)
    if isinstance(given, type) and any(base.__name__ == "BaseAnswer" for base in given.__mro__[1:]):
        from checkpoint_ld.templates.answer_class import template_of_class  # noqa: PLC0415 - few give a class

        return template_of_class(given)
    wanted = "Python text, a TemplateSpec or a class that derives from BaseAnswer"
    raise WrongTypeError(f"the template is {given!r:.60}: give {wanted}")


def usable_template(given: object, name: str = "the template") -> str:
    """Return the source of a given template; messages call it `name`.

    Raises WriteError, with all faults, for a template that cannot be used, and as `source_given`.
    """
    source = source_given(given)
    if found := template_faults(source):
        raise WriteError(f"{name} cannot be used: {'; '.join(found)}")
    dump_json(source)
    return source


def template_faults(source: str) -> tuple[str, ...]:
    """Return the faults that make a source unusable as a template, each with the line and a remedy."""
    from checkpoint_ld.templates import reading  # noqa: PLC0415 - not needed to load a benchmark

    return reading.faults(source)


def faults_of_own(source: str | None) -> tuple[str, ...]:
    """Return the faults of a template; a placeholder and a missing one have none."""
    return () if source is None or not is_own(source) else template_faults(source)


@dataclass(frozen=True, slots=True)
class FinishedTemplate:
    """The template of a finished question, with the data for judging answers by it.

    `template_code` is text, which is never run; `last_modified` is an ISO 8601 text. The rubrics are those of
    `Rubric.model_dump(mode="json")`, with traits of all five kinds. `question_preview` has the first 100 characters of
    the text.
    """

    question_id: str
    question_text: str
    question_preview: str
    raw_answer: str
    template_code: str
    last_modified: str
    finished: bool
    question_rubric: dict[str, Any] | None
    question_dynamic_rubric: dict[str, Any] | None
    keywords: list[str]
    few_shot_examples: list[dict[str, str]] | None
    workspace_path: str | None


def finished_template(question_id: str, question: Question, source: str) -> FinishedTemplate:
    """Return the template of a finished question."""
    text = question.question
    same = ("raw_answer", "question_rubric", "question_dynamic_rubric", "keywords", "few_shot_examples")
    return FinishedTemplate(
        question_id=question_id,
        question_text=text,
        question_preview=text if len(text) <= _PREVIEW else f"{text[:_PREVIEW]}...",
        template_code=source,
        last_modified=question.date_modified,
        finished=True,
        **{name: getattr(question, name) for name in (*same, "workspace_path")},
    )


def read_templates(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a JSON object of sources by question identifier.

    Raises SourceMissingError, and ReadError for a file without such an object.
    """
    data, name = read_bytes(os.fspath(path))
    value = read_json(data, name).value
    if not isinstance(value, dict):
        raise ReadError(f"{name}: not a JSON object; write one with identifiers of questions and their templates")
    for question_id, source in value.items():
        if not isinstance(source, str):
            raise ReadError(f"{name}: the template of {question_id!r} is no text; write its source")
    return value


def state_given(finished: object) -> bool | None:
    """Return a given state of a question, None where it is not given. Raises WrongTypeError."""
    if finished is None or isinstance(finished, bool):
        return finished
    raise WrongTypeError(f"finished is {finished!r}: give True or False")


def rubric_given(given: object, model: type[Traits]) -> Traits | None:
    """Return a given rubric, which may be a mapping or a list of traits. Raises WriteError for faulty traits."""
    if given is None:
        return None
    try:
        rubric = model.from_traits(given) if isinstance(given, list | tuple) else model.model_validate(given)
    except ValidationError as error:
        raise WriteError(f"the rubric of the question is refused: {faults_of(error)}") from None
    return collected(model, map(checked_copy, rubric.traits()))


class Addition(NamedTuple):
    """A valid question to add; `identifier` is None where it is computed from the text."""

    question: Question
    identifier: str | None
    finished: bool | None
    rubric: Rubric | None
    dynamic: DynamicRubric | None

    def item(self, identifier: str) -> Json:
        """Return the feed item of the question. Raises WriteError for values that JSON cannot hold."""
        item = item_of(self.question, identifier, self.rubric, self.dynamic, finished=self.finished)
        dump_json(item, limits=inside(2))
        return item


def addition(given: str | Mapping[str, Any] | Question, arguments: Json) -> Addition:
    """Return a question to add, with the arguments of `add_question` that are not None.

    Raises WriteError for an invalid question.
    """
    arguments = {name: plain(value) for name, value in arguments.items() if value is not None}
    if isinstance(given, Question):
        stated = given.model_dump(mode="json", exclude={"id"}, exclude_none=True)
        members = {"question_id": given.id, **stated, **arguments}
    elif isinstance(given, str):
        members = {**arguments, "question": given}
    elif isinstance(given, Mapping):
        members = {**arguments, **plain(dict(given))}
    else:
        raise WrongTypeError(f"{given!r} is no question: give a text, a mapping or a Question")
    if members.get("raw_answer") == "":
        raise WriteError("the answer to the question is empty: give the reference answer as text")
    identifier, finished = members.pop("question_id", None), state_given(members.pop("finished", None))
    if identifier is not None and not (isinstance(identifier, str) and identifier):
        raise WriteError(f"the question_id {identifier!r} is no text: give a text that is not empty, or none")
    rubric = rubric_given(members.pop("question_rubric", None), Rubric)
    dynamic = rubric_given(members.pop("question_dynamic_rubric", None), DynamicRubric)
    if members.get("answer_template") is not None:
        members["answer_template"] = source_given(members["answer_template"])
    if members.get("date_created") is None:
        members["date_created"] = members["date_modified"] = members.get("date_modified") or now()
    question = question_given({name: value for name, value in members.items() if value is not None})
    return Addition(question, identifier, finished, rubric, dynamic)


class QuestionEdit(NamedTuple):
    """Valid new members of a question; `rubric`, `dynamic` and `finished` are None where not given."""

    members: Json
    question: Question
    rubric: Rubric | None
    dynamic: DynamicRubric | None
    finished: bool | None

    def put(self, item: Json) -> None:
        """Change the members, and the state, in the feed item that holds the question."""
        for name in self.members:
            put_member(item, name, self.question)
        if self.finished is not None:
            set_values(question_object(item), {"finished": self.finished})


def question_edit(fields: Json, current: Callable[[], Question]) -> QuestionEdit:
    """Return the edit for `Benchmark.update_question_metadata`. Raises WriteError for invalid members."""
    if unknown := fields.keys() - set(_MEMBERS):
        raise WriteError(f"no question has {', '.join(sorted(unknown))}: choose from {', '.join(_MEMBERS)}")
    rubric = rubric_given(fields.get("question_rubric"), Rubric)
    dynamic = rubric_given(fields.get("question_dynamic_rubric"), DynamicRubric)
    finished = state_given(fields.get("finished"))
    members = {name: plain(value) for name, value in fields.items() if name not in (*_TRAITS, "finished")}
    if members.get("answer_template") is not None:
        members["answer_template"] = source_given(members["answer_template"])
    if members.get("keywords", ()) is None:
        members["keywords"] = []
    edited = question_given({**current().model_dump(exclude={"id", *_TRAITS}), **members})
    return QuestionEdit(members, edited, rubric, dynamic, finished)


PUBLISHED = ("license", "citation", "funder", "keywords", "identifier")
"""The members about the publication of a benchmark, under the same terms of schema.org."""
_ONLY_TEXTS = ("license", "keywords")


def metadata_text(field: str, value: object, settable: Sequence[str]) -> str | None:
    """Return a text for a member of a benchmark, None to remove it. Raises WriteError for an invalid value."""
    if field not in settable:
        raise WriteError(f"{field!r} cannot be set: choose from {', '.join(settable)}")
    if not isinstance(value, str | None):
        raise WrongTypeError(f"the {field} {value!r} is no text: give a text")
    if field in _REQUIRED and not value:
        raise WriteError(f"a benchmark needs a text as {field}: give one that is not empty")
    return value or None


def published(field: str, value: object) -> Any:
    """Return a value for a member about the publication of a benchmark, None to remove it; keywords are a list.

    Raises WrongTypeError unless it is a text, an object with a type, or a list of these.
    """
    if field == "keywords" and value and isinstance(value, str):
        value = [value]  # every context makes a list of them
    listed = list(value) if isinstance(value, list | tuple) else [value]
    for part in listed if value is not None else ():
        if isinstance(part, str) or (field not in _ONLY_TEXTS and isinstance(part, dict) and "@type" in part):
            continue
        wanted = "a text" if field in _ONLY_TEXTS else "a text, or a mapping with @type"
        raise WrongTypeError(f"the {field} {part!r} is of another type: give {wanted}, or a list of such")
    return (listed if isinstance(value, list | tuple) else value) or None


def published_members(benchmark: Benchmark) -> Json:
    """Return the metadata of a benchmark as JSON under the names of `Benchmark.set_metadata`."""
    members = {name: getattr(benchmark, name) for name in ("id", "name", "description", "version", *PUBLISHED)}
    members["creator"] = creator_json(benchmark.creator)
    return {name: value for name, value in members.items() if value}


def published_text(value: Any) -> str | None:
    """Return a member about the publication of a benchmark as text for people: names of objects, with commas."""
    found = []
    for part in as_list(value):
        names = [part.get(name) for name in ("value", "name", "url", "@id")] if isinstance(part, dict) else [part]
        found += [next((name for name in names if isinstance(name, str) and name), "")]
    return ", ".join(filter(None, found)) or None


def put_members(holder: Json, members: Mapping[str, Any]) -> None:
    """Set members of an object; None removes one."""
    for key, value in members.items():
        if value is None:
            holder.pop(key, None)
        else:
            holder[key] = value


def put_source(question: Json, source: str) -> None:
    """Set the text of the answer template of a question object."""
    text = question.get("text")
    made = new_template_of(None if isinstance(text, (dict, list)) else text, source)
    if len(as_list(question.get("hasPart"))) > 1:
        question["hasPart"] = made
    else:
        _set_text(question, "hasPart", made)


def put_member(item: Json, member: str, question: Question) -> None:
    """Set a member of the question in a feed item to that of `question`; neither id nor rubric.

    Only the JSON members for it are changed.
    """
    node = question_object(item)
    if member in _DATES:
        item[_DATES[member]] = getattr(question, member)
    elif member == "custom_metadata":
        custom = {f"{CUSTOM}{name}": value for name, value in (question.custom_metadata or {}).items()}
        take_away(node, lambda name: name.startswith(CUSTOM) and name not in custom)
        set_values(node, custom)
    elif member in PROPERTIES:
        value = property_of(question, member)
        if value is None:
            take_away(node, member.__eq__)
        else:
            set_values(node, {member: value})
    elif member == "keywords":
        item.pop("keywords", None)  # their older place, which readers also use
        put_members(node, {"keywords": question.keywords or None})
    elif member == "raw_answer":
        _set_text(node, "acceptedAnswer", {"@type": "Answer", "text": question.raw_answer})
    elif member == "question":
        _put_text(node, question.question)
    elif question.answer_template:
        _set_text(node, "hasPart", new_template_of(question.question, question.answer_template))
    else:
        node.pop("hasPart", None)


def _set_text(question: Json, member: str, part: Json) -> None:
    """Set the text of an object that is a member of a question to that of `part`, or add `part` if there is none."""
    held = [stated for stated in as_list(question.get(member)) if isinstance(stated, dict) and stated.keys() - {"@id"}]
    if held:
        held[0]["text"] = part["text"]
    else:
        question[member] = part


def _put_text(question: Json, text: str) -> None:
    """Change the text of a question, and the name and the placeholder of its template, which contain the text."""
    former, question["text"] = question.get("text"), text
    for template in as_list(question.get("hasPart")):
        if isinstance(template, dict) and template.get("name") == template_name(former):
            template["name"] = template_name(text)
        if isinstance(template, dict) and is_placeholder(str(template.get("text"))):
            template["text"] = default_template(text)


def with_identifier(graph: CheckpointGraph, identifier: str) -> CheckpointGraph:
    """Return a new graph of the same benchmark with `identifier` as its `@id`.

    Foreign statements in the graph are kept; where they refer to the benchmark itself, they get its new name.
    """
    new = CheckpointGraph.of_tree({**graph.read(graph.root), "@id": identifier})
    for prefix, namespace in graph.namespaces():
        new.bind(prefix, namespace)
    for subject, predicate, term in _beside(graph.held, graph.root):
        new.add((subject, predicate, new.root if term == graph.root else term))
    return new


def _beside(index: Index, root: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the statements about nodes that cannot be reached from the root."""
    reached: set[Node] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in index and node not in reached:
            reached.add(node)
            waiting += [term for held in index[node].values() for term in terms_of(held)]
    for subject, predicates in index.items():
        if subject not in reached:
            yield from ((subject, predicate, term) for predicate, held in predicates.items() for term in terms_of(held))
