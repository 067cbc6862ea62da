"""The Benchmark: a checkpoint as its authors and users see it, over the graph that holds it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from pydantic import ValidationError
from rdflib import Graph

from checkpoint_ld import emission, reading, writing
from checkpoint_ld.entities import (
    Creator,
    DynamicRubric,
    Organization,
    Person,
    Question,
    QuestionRegistryEntry,
    Rubric,
    Scenario,
)
from checkpoint_ld.entities.entity import now
from checkpoint_ld.errors import LookupFailedError, WriteError
from checkpoint_ld.files import replace_file
from checkpoint_ld.graph import CheckpointGraph
from checkpoint_ld.identifiers import unique_question_id
from checkpoint_ld.mapping import questions, rubrics, scenarios
from checkpoint_ld.mapping.properties import as_list, property_value, values
from checkpoint_ld.store import Index, put
from checkpoint_ld.vocabulary import FORMAT_VERSION, FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    from rdflib.term import Node

    from checkpoint_ld.emission import ContextStyle
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.reading import Reading

Json = dict[str, Any]

DEFAULT_DESCRIPTION = "Benchmark containing questions"
DEFAULT_VERSION = "0.1.0"
DEFAULT_CREATOR = "Karenina Benchmarking System"


class Benchmark:
    """A benchmark of questions or of scenarios.

    The graph holds everything; what the methods return are views that are made anew at each call, so that changing
    one changes nothing here. Dates are ISO 8601 texts.
    """

    def __init__(
        self,
        name: str,
        description: str = "",
        version: str = DEFAULT_VERSION,
        creator: str | Person | Organization = DEFAULT_CREATOR,
    ) -> None:
        moment = now()
        self._graph = CheckpointGraph.of_tree(
            {
                "@type": "DataFeed",
                "@id": f"urn:uuid:karenina-checkpoint-{time.time()!r}",
                "name": name,
                "description": description or DEFAULT_DESCRIPTION,
                "version": version,
                "creator": creator
                if isinstance(creator, str)
                else creator.model_dump(by_alias=True, exclude_none=True),
                "dateCreated": moment,
                "dateModified": moment,
                "dataFeedElement": [],
                "additionalProperty": [property_value(FORMAT_VERSION_PROPERTY, FORMAT_VERSION)],
            }
        )
        self._source: Reading | None = None
        self._items: dict[str, Node] | None = None

    # --- life cycle

    @classmethod
    def create(
        cls,
        name: str,
        description: str = "",
        version: str = DEFAULT_VERSION,
        creator: str | Person | Organization = DEFAULT_CREATOR,
    ) -> Self:
        """Make an empty benchmark."""
        return cls(name, description, version, creator)

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str] | BinaryIO | bytes | Graph,
        *,
        syntax: str | None = None,
        strict: bool = False,
    ) -> Self:
        """Read a benchmark from a path, an open binary file, bytes or an rdflib graph.

        Every dialect, every JSON-LD form and the RDF syntaxes are recognised; `syntax` (`json`, `turtle`, `nt`, `nq`,
        `trig`, `xml`) settles what bytes leave open. What is odd about the source is in `findings`. Raises ReadError
        with everything that keeps it from being read (if `strict`, whatever is odd about it); SourceMissingError.
        """
        if isinstance(source, Graph):
            index: Index = {}
            for triple in source:
                put(index, *triple)
            return cls.of_reading(reading.of_statements(index).refusing(strict=strict))
        return cls.of_reading(reading.read(source, syntax=syntax, strict=strict))

    @classmethod
    def of_reading(cls, source: Reading) -> Self:
        """Make the benchmark that was read."""
        benchmark = cls.__new__(cls)
        benchmark._graph = source.graph  # noqa: SLF001 - the class's own
        benchmark._source = source  # noqa: SLF001 - the class's own
        benchmark._items = None  # noqa: SLF001 - the class's own
        return benchmark

    def save(
        self,
        path: str | os.PathLike[str],
        save_deep_judgment_config: bool = True,
        *,
        dialect: str | None = None,
        context: ContextStyle | str | None = None,
        overwrite: bool = True,
    ) -> tuple[Finding, ...]:
        """Write the benchmark to exactly `path`, all of it or nothing; return what the file cannot say.

        The extension tells the syntax (`.ttl`, `.nt`, `.nq`, `.trig`; anything else is JSON). JSON is written in the
        dialect that was read, if that can be written, else in the canonical one. Without an edit a file comes back
        byte for byte. `save_deep_judgment_config` false leaves out settings of deep judgment, as Karenina does.
        Raises WriteError; the file is then as it was.
        """
        syntax = writing.syntax_of(str(path)) or writing.JSONLD
        written = self._written(syntax, dialect, context, deep_judgment=save_deep_judgment_config)
        replace_file(path, written.data, overwrite=overwrite)
        return written.findings

    def _written(
        self, syntax: str, dialect: str | None, context: ContextStyle | str | None, *, deep_judgment: bool
    ) -> writing.Written:
        own = self._own_dialect()
        if (
            self._source is not None
            and syntax == writing.JSONLD
            and context is None
            and deep_judgment
            and dialect in (None, own)
        ):
            data = writing.unchanged(self._graph, self._source) if own == self._source.dialect else None
            if data is not None:
                return writing.Written(data)
        style = emission.ContextStyle(context) if context is not None else None
        return writing.write(
            self._graph,
            syntax=syntax,
            dialect=dialect or own,
            context=style,
            deep_judgment=deep_judgment,
            source=self._source,
            now=now(),
        )

    def _own_dialect(self) -> str:
        if self._source is None or not writing.is_writable(self._source.dialect):
            return reading.CANONICAL
        return self._source.dialect

    @property
    def graph(self) -> CheckpointGraph:
        """The graph that holds the benchmark: an `rdflib.Graph`, named by the benchmark's IRI."""
        return self._graph

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was odd about the source when it was read."""
        return self._source.findings if self._source is not None else ()

    @property
    def dialect(self) -> str:
        """The dialect of the source; the canonical one for a benchmark that was made here."""
        return self._source.dialect if self._source is not None else reading.CANONICAL

    @property
    def jsonld_data(self) -> Json:
        """The benchmark as a JSON-LD document; changing it changes nothing here."""
        return self.to_jsonld()

    def to_jsonld(self, context: ContextStyle | str = "improved") -> Json:
        """Return the JSON-LD document under our context, or (`plain`) under Karenina's."""
        return emission.jsonld_of(self._graph, emission.ContextStyle(context))

    def to_turtle(self) -> str:
        """Return Turtle."""
        return emission.turtle_of(self._graph).decode()

    def to_ntriples(self) -> str:
        """Return N-Triples, sorted."""
        return emission.ntriples_of(self._graph).decode()

    def to_nquads(self) -> str:
        """Return N-Quads, sorted, in one graph that is named by the benchmark's IRI."""
        return emission.nquads_of(self._graph).decode()

    def to_trig(self) -> str:
        """Return TriG."""
        return emission.trig_of(self._graph).decode()

    # --- metadata

    @property
    def id(self) -> str | None:
        """The identifier in the file, None where there is none."""
        return self._plain("@id")

    @property
    def name(self) -> str:
        """The name."""
        return self._plain("name") or ""

    @property
    def description(self) -> str:
        """The description, "" where there is none."""
        return self._plain("description") or ""

    @property
    def version(self) -> str:
        """The version of the benchmark (not of the file format)."""
        return self._plain("version") or DEFAULT_VERSION

    @property
    def creator(self) -> Creator | list[Creator] | None:
        """Who made the benchmark: a name, a Person or an Organization."""
        root = self._root()
        details = values(root.get("additionalProperty")).get("creator_details")
        found = [_creator(one, details) for one in as_list(root.get("creator"))]
        return found if len(found) > 1 else found[0] if found else None

    @property
    def created_at(self) -> str | None:
        """When the benchmark was made."""
        return self._plain("dateCreated")

    @property
    def modified_at(self) -> str | None:
        """When the benchmark was changed last."""
        return self._plain("dateModified")

    def get_custom_property(self, name: str) -> Any:
        """Return the value of the benchmark's property `name`, None where there is none."""
        return self.get_all_custom_properties().get(name)

    def get_all_custom_properties(self) -> Json:
        """Return the benchmark's properties by name, reserved ones such as the format version included."""
        return values(self._root().get("additionalProperty"))

    # --- questions

    @property
    def questions(self) -> Sequence[Question]:
        """The questions in their order; each is built when it is asked for."""
        return _Questions(self._graph, list(self._nodes().values()))

    def get_question_ids(self) -> list[str]:
        """Return the identifiers of the questions in their order.

        A question without one in the file has the one that Karenina computes; of two alike the later gets a suffix.
        """
        return list(self._nodes())

    def get_question(self, question_id: str) -> Json:
        """Return the question as a dictionary: the members of `Question`, its `id` in this benchmark, `finished`.

        Raises LookupFailedError when there is no such question.
        """
        node = self._node(question_id)
        item = self._graph.object(node)
        question = questions.question_of(item)
        rubric = rubrics.rubric_of(item.get("item", {}))
        finished = questions.is_finished(item)
        return {**question.model_dump(), "id": question_id, "question_rubric": rubric, "finished": finished}

    def get_all_questions(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return all questions as dictionaries, or only their identifiers."""
        ids = self.get_question_ids()
        return ids if ids_only else [self.get_question(one) for one in ids]

    def get_question_as_object(self, question_id: str) -> Question:
        """Return a question. Raises LookupFailedError when there is none of that identifier."""
        return questions.question_of(self._graph.object(self._node(question_id)))

    def get_registry_entry(self, question_id: str) -> QuestionRegistryEntry:
        """Return how far the work on a question is. Raises LookupFailedError."""
        return questions.registry_entry_of(self._graph.object(self._node(question_id)))

    def has_template(self, question_id: str) -> bool:
        """Tell whether a question has an answer template of its own, not just the placeholder."""
        node = self._nodes().get(question_id)
        return node is not None and questions.has_template(self._graph.object(node))

    def add_question(  # noqa: PLR0913, PLR0917 - the names and the order are Karenina's
        self,
        question: str | Mapping[str, Any] | Question,
        raw_answer: str | None = None,
        answer_template: str | None = None,
        question_id: str | None = None,
        finished: bool | None = None,
        author: Mapping[str, Any] | None = None,
        sources: Sequence[Mapping[str, Any]] | None = None,
        custom_metadata: Mapping[str, Any] | None = None,
        few_shot_examples: Sequence[Mapping[str, str]] | None = None,
        answer_notes: str | None = None,
        keywords: Sequence[str] | None = None,
    ) -> str:
        """Add a question at the end and return its identifier.

        `question` is a text (then `raw_answer` is needed), the members of a `Question` as a mapping, or a `Question`;
        what such an object says goes before the other arguments. A `Question` is identified by its own id, a text by
        the identifier that Karenina computes. A question counts as finished if it has a template of its own, unless
        `finished` says otherwise. Raises WriteError for an identifier that is taken, a question without text or
        answer, and members that no question has.
        """
        told = {
            "raw_answer": raw_answer,
            "answer_template": answer_template,
            "author": author,
            "sources": sources,
            "custom_metadata": custom_metadata,
            "few_shot_examples": few_shot_examples,
            "answer_notes": answer_notes,
            "keywords": keywords,
        }
        members = _members(question)
        extra = {name: members.pop(name, None) for name in ("question_id", "finished")}
        added = _checked({**{name: value for name, value in told.items() if value is not None}, **members})
        finished = extra["finished"] if extra["finished"] is not None else finished
        identifier = extra["question_id"] or question_id or (question.id if isinstance(question, Question) else None)
        return self._add(added, identifier, finished=bool(added.answer_template) if finished is None else finished)

    def _add(self, question: Question, identifier: str | None, *, finished: bool) -> str:
        taken = self._nodes()
        if identifier in taken:
            msg = f"there is a question {identifier!r} already: give another question_id, or none"
            raise WriteError(msg)
        if self.is_scenario_benchmark:
            msg = "a benchmark of scenarios holds no questions: put the question into a scenario"
            raise WriteError(msg)
        identifier = identifier or unique_question_id(question.question, taken)
        rubric = Rubric.model_validate(question.question_rubric) if question.question_rubric else None
        dynamic_members = question.question_dynamic_rubric
        dynamic = DynamicRubric.model_validate(dynamic_members) if dynamic_members else None
        item = questions.item_of(question, identifier, finished=finished, rubric=rubric, dynamic=dynamic)
        taken[identifier] = self._graph.append(self._graph.root, "dataFeedElement", item)
        self._graph.set_plain(self._graph.root, "dateModified", now())
        return identifier

    @property
    def question_count(self) -> int:
        """How many questions there are."""
        return len(self._nodes())

    @property
    def finished_count(self) -> int:
        """How many questions are marked as finished."""
        return sum(questions.is_finished(self._graph.object(node)) for node in self._nodes().values())

    @property
    def is_empty(self) -> bool:
        """Whether there are neither questions nor scenarios."""
        return not self._nodes() and not self.is_scenario_benchmark

    # --- rubrics and scenarios

    @property
    def global_rubric(self) -> Rubric | None:
        """The traits by which the answers to all questions are judged, None where there are none."""
        return rubrics.rubric_of(self._root())

    def get_global_rubric(self) -> Rubric | None:
        """Return `global_rubric`."""
        return self.global_rubric

    def get_global_dynamic_rubric(self) -> DynamicRubric | None:
        """Return the traits that are judged only where their concept occurs, None where there are none."""
        return rubrics.dynamic_rubric_of(self._root())

    def get_question_rubric(self, question_id: str) -> Rubric | None:
        """Return the traits of one question, None where there are none. Raises LookupFailedError."""
        return rubrics.rubric_of(self._graph.object(self._node(question_id)).get("item", {}))

    def get_question_dynamic_rubric(self, question_id: str) -> DynamicRubric | None:
        """Return the dynamic traits of one question, None where there are none. Raises LookupFailedError."""
        return rubrics.dynamic_rubric_of(self._graph.object(self._node(question_id)).get("item", {}))

    @property
    def scenarios(self) -> list[Scenario]:
        """The scenarios of a benchmark of several turns."""
        return scenarios.scenarios_of(self._root())

    @property
    def is_scenario_benchmark(self) -> bool:
        """Whether this is a benchmark of scenarios."""
        return any(scenarios.is_scenario(part) for part in as_list(self._root().get("hasPart")))

    # --- as a collection

    def __len__(self) -> int:
        return len(self.scenarios) if self.is_scenario_benchmark else len(self._nodes())

    def __iter__(self) -> Iterator[Json]:
        return (self.get_question(one) for one in self.get_question_ids())

    def __contains__(self, question_id: object) -> bool:
        return question_id in self._nodes()

    def __getitem__(self, key: str | int) -> Question:
        return self.get_question_as_object(key) if isinstance(key, str) else self.questions[key]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        count = f"{len(self)} scenarios" if self.is_scenario_benchmark else f"{len(self)} questions"
        return f"<Benchmark {self.name!r} {self.version}: {count}>"

    # --- the graph underneath

    def _root(self) -> Json:
        """Return the root's members, but for the questions."""
        return self._graph.object(self._graph.root, without=("dataFeedElement",))

    def _plain(self, key: str) -> str | None:
        value = self._graph.plain(self._graph.root, key)
        return value if isinstance(value, str) or value is None else str(value)

    def _nodes(self) -> dict[str, Node]:
        """Return the feed items by the identifiers of their questions."""
        if self._items is None:
            self._items = self._identified()
        return self._items

    def _identified(self) -> dict[str, Node]:
        nodes = self._graph.member(self._graph.root, "dataFeedElement")
        own = [(node, self._graph.plain(node, "@id")) for node in nodes]
        taken = {identifier for _, identifier in own if identifier is not None}
        identified: dict[str, Node] = {}
        for node, identifier in own:
            name = identifier
            if name is None:
                name = unique_question_id(self._text_of(node), taken)
            elif name in identified:
                name = next(one for at in range(1, len(nodes) + 1) if (one := f"{name}-{at}") not in taken)
            taken.add(name)
            identified[name] = node
        return identified

    def _text_of(self, node: Node) -> str:
        asked = self._graph.member(node, "item")
        text = self._graph.plain(asked[0], "text") if asked else None
        return text if isinstance(text, str) else ""

    def _node(self, question_id: str) -> Node:
        try:
            return self._nodes()[question_id]
        except KeyError:
            msg = f"there is no question {question_id!r} in {self.name!r}: see get_question_ids()"
            raise LookupFailedError(msg) from None


class _Questions(Sequence[Question]):
    """The questions of a benchmark, each built when it is asked for."""

    def __init__(self, graph: CheckpointGraph, nodes: list[Node]) -> None:
        self._graph = graph
        self._nodes = nodes

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | Sequence[Question]:
        if isinstance(index, slice):
            return _Questions(self._graph, self._nodes[index])
        return questions.question_of(self._graph.object(self._nodes[index]))

    def __len__(self) -> int:
        return len(self._nodes)


def _creator(value: Any, details: Any) -> Creator:
    """Return a creator; Karenina takes no object but a Person, so that the details of others stand in a property."""
    if isinstance(details, dict) and details.get("name") == value:
        value = details
    if not isinstance(value, dict):
        return str(value)
    model = Organization if value.get("@type") == "Organization" else Person
    try:
        return model.model_validate(value)
    except ValidationError:
        return str(value.get("name", ""))


def _members(question: str | Mapping[str, Any] | Question) -> Json:
    if isinstance(question, str):
        return {"question": question}
    if isinstance(question, Question):
        return {name: value for name, value in question.model_dump(exclude={"id"}).items() if value not in (None, [])}
    return dict(question)


def _checked(members: Json) -> Question:
    if not str(members.get("question") or "").strip():
        raise WriteError("a question needs a text: it is empty or blank")
    if members.get("raw_answer") is None:
        raise WriteError(f"the question {members['question']!r} needs a reference answer: give raw_answer")
    try:
        return Question.model_validate(members)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
        raise WriteError(f"the question {members['question']!r} cannot be added: {faults}") from None
