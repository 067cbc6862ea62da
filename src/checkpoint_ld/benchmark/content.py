"""The content of a benchmark, read from its graph: its questions by identifier or name, and searches in them.

`elements_of` finds the questions; `content_of` reads them with the metadata for `overview`, `exports` and `difference`.
`matching` and `searching` are the tests of `Benchmark.filter_by_metadata` and `Benchmark.search_questions`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import count, takewhile
from operator import eq
from typing import TYPE_CHECKING, Any, overload

from checkpoint_ld import templates
from checkpoint_ld.dialects.dialect import as_list, name_of, text_of
from checkpoint_ld.dialects.state import DEFAULT_VERSION
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.entities import Question
from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.errors import LookupFailedError, SettingsError
from checkpoint_ld.frames import FrameLibrary, cell_of, data_frame
from checkpoint_ld.graph import contexts
from checkpoint_ld.identifiers import question_object_id, unique_question_id
from checkpoint_ld.mapping import questions, traits
from checkpoint_ld.mapping.questions import creator_of, is_scenario
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import shown
from checkpoint_ld.vocabulary import ANYTHING, FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.entities import AnyTrait, Creator, DynamicRubric, Rubric
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.compaction import Frame
    from checkpoint_ld.graph.contexts import TermTable
    from checkpoint_ld.templates import Template


class QuestionNames:
    """The identifiers of the questions in a graph, by identifier, by the MD5 hash of the text, and by the text.

    The graph must not be edited while this is used: it is read once.
    """

    def __init__(self, graph: CheckpointGraph) -> None:
        self._graph = graph
        self._elements = elements_of(graph)

    def node(self, identifier: str) -> Node:
        """Return the `schema:Question` of a question."""
        return question_node(self._graph, self._elements[identifier])

    def identifier(self, name: str, *texts: str | None) -> str:
        """Return the identifier of the question `name`, or else of the one with one of `texts`.

        `name` is an identifier, or else the MD5 hash of a question's text, the id of Karenina's `Question` objects.
        Raises LookupFailedError if there is no such question, or more than one of that text.
        """
        if name in self._elements:
            return name
        for key in (name, *(_hash(text) for text in texts if text)):
            match self._hashes.get(key, []):
                case [identifier]:
                    return identifier
                case [_, *_] as found:
                    raise LookupFailedError(
                        f"{len(found)} questions have a text with the hash {key}: give one of their identifiers, "
                        f"{' or '.join(map(shown, found))}"
                    )
        where = "the benchmark has none, and turns of scenarios have no answers of their own; give another benchmark"
        if self._elements:
            where = "give the identifier of a question of this benchmark, or the MD5 hash of its text"
        raise LookupFailedError(f"there is no question {shown(name)}: {where}")

    @cached_property
    def _hashes(self) -> dict[str, list[str]]:
        hashes = dict[str, list[str]]()
        for identifier in self._elements:
            text = self._graph.plain(self.node(identifier), "text")
            hashes.setdefault(_hash(text if isinstance(text, str) else ""), []).append(identifier)
        hashes.pop("", None)
        return hashes


def _hash(text: str) -> str:
    with suppress(UnicodeEncodeError):  # a text with half a surrogate pair has no bytes, and no hash
        return question_object_id(text)
    return ""


Json = dict[str, Any]

FORMAT_PROPERTIES = (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY)
"""Properties about the form of a file, not about the benchmark."""
EXACT = ANYTHING - {"nodes"}
"""Members whose values are any JSON, in which null and empty lists are statements."""
_MODES = ("exact", "contains", "in", "regex")
_TOGETHER = 512
"""The most feed items that are read together in an iteration over questions."""

_read_template = lru_cache(maxsize=4096)(templates.read_template)
"""Templates by their text, cached: reading one takes ten times as long as the other members of its question."""


class Elements(dict[str, "Node"]):
    """The feed items of a benchmark by identifier, in their order.

    `computed` holds the identifiers that the items do not state: they follow from the texts and the other items.
    """

    def __init__(self) -> None:
        super().__init__()
        self.computed: set[str] = set()


def elements_of(graph: CheckpointGraph) -> Elements:
    """Return the feed items of a benchmark.

    An item without an identifier gets the one that Karenina computes from the text of its question. If two items have
    the same identifier, the later item gets the first free suffix.
    """
    elements = Elements()
    nodes = graph.member(graph.root, "dataFeedElement")
    described = [node for node in nodes if node in graph.held]
    read = dict(zip(described, graph.read_all(described, only={}), strict=True))
    own = [own_identifier(read[node].get("@id") if node in read else graph.plain(node, "@id")) for node in nodes]
    taken = set(own)
    for node, identifier in zip(nodes, own, strict=True):
        text = "" if identifier else graph.plain(question_node(graph, node), "text")
        name = identifier or unique_question_id(text if isinstance(text, str) else "", taken)
        if name in elements:
            name = next(free for suffix in count(1) if (free := f"{name}-{suffix}") not in taken)
        if name != identifier:
            elements.computed.add(name)
        taken.add(name)
        elements[name] = node
    return elements


def own_identifier(stated: object) -> str:
    """Return the identifier that a feed item states, an empty text where that is none: anything but a text."""
    return stated if isinstance(stated, str) else ""


def keep_identifiers(graph: CheckpointGraph, elements: Elements, freed: str) -> None:
    """Write the computed identifiers of feed items that would change, now that `freed` is free.

    Only identifiers with the same stem as `freed` can change.
    """
    stems = {freed, _stem(freed)} - {None}
    if any(_stem(name) in stems for name in elements.computed):
        renamed = {node: name for name, node in elements_of(graph).items()}
        for name in [name for name in elements.computed if renamed[elements[name]] != name]:
            keep_identifier(graph, elements, name)


def keep_identifier(graph: CheckpointGraph, elements: Elements, name: str) -> None:
    """Write the identifier of a feed item, if it is computed."""
    if name in elements.computed:
        graph.replace(elements[name], "@id", name)
        elements.computed.remove(name)


def _stem(identifier: str) -> str | None:
    """Return an identifier without its suffix, None where it has none."""
    stem, _, suffix = identifier.rpartition("-")
    return stem if suffix.isdecimal() else None


def question_node(graph: CheckpointGraph, item: Node) -> Node:
    """Return the node of the question in a feed item; a bare question is its own item."""
    questions = graph.member(item, "item")
    return questions[0] if questions else item


@dataclass(frozen=True)
class QuestionContent:
    """A question with its identifier in the benchmark; `item` is the feed item that holds it, not to be changed."""

    id: str
    item: Json = field(repr=False)

    @cached_property
    def members(self) -> Json:
        """The members of a `Question` as JSON, without rubrics."""
        return questions.stated_by(self.item)

    @cached_property
    def finished(self) -> bool:
        """Whether the question is marked as finished."""
        return questions.is_finished(self.item)

    @cached_property
    def has_template(self) -> bool:
        """Whether there is an answer template other than the placeholder."""
        return questions.has_template(self.item)

    @property
    def template(self) -> Template:
        """The answer template, read without running it."""
        return _read_template(self.members["answer_template"])

    @cached_property
    def has_rubric(self) -> bool:
        """Whether there are traits that are not dynamic."""
        return traits.has_traits(questions.question_object(self.item))

    @cached_property
    def rubrics(self) -> tuple[Rubric | None, DynamicRubric | None]:
        """The traits of the question, and the dynamic ones; None where there are none."""
        return rubrics_of(questions.question_object(self.item))

    @property
    def author(self) -> str:
        """The name of the author, "" where nobody is named."""
        return text_of((self.members["author"] or {}).get("name"))


@dataclass(frozen=True)
class BenchmarkContent:
    """The metadata of a benchmark, and its questions in their order; `root` is all but the questions."""

    root: Json = field(repr=False)
    questions: tuple[QuestionContent, ...]

    @cached_property
    def metadata(self) -> dict[str, str | None]:
        """Name, description, version, names of the creators, and dates (ISO 8601), None where they are not given."""
        root, creators = self.root, as_list(creator_of(self.root))
        return {
            "name": text_of(root.get("name")),
            "description": text_of(root.get("description")),
            "version": text_of(root.get("version")) or DEFAULT_VERSION,
            "creator": ", ".join(part if isinstance(part, str) else part.name for part in creators) or None,
            "created_at": text_of(root.get("dateCreated")) or None,
            "modified_at": text_of(root.get("dateModified")) or None,
        }

    @cached_property
    def rubrics(self) -> tuple[Rubric | None, DynamicRubric | None]:
        """The traits by which the answers to all questions are judged, and the dynamic ones."""
        return rubrics_of(self.root)

    @property
    def scenarios(self) -> list[Json]:
        """The objects of the scenarios, in their order."""
        return [part for part in as_list(self.root.get("hasPart")) if is_scenario(part)]


def creator_json(creator: Creator | list[Creator] | None) -> Any:
    """Return the creators of a benchmark as JSON; an empty list for none."""
    values = [
        part if isinstance(part, str) else part.model_dump(by_alias=True, exclude_none=True)
        for part in as_list(creator)
    ]
    return values[0] if len(values) == 1 else values


def rubrics_of(holder: Json) -> tuple[Rubric | None, DynamicRubric | None]:
    """Return the traits of a root or question object, and the dynamic ones; None where there are none."""
    return traits.rubric_of(holder), traits.dynamic_rubric_of(holder)


def traits_of(rubrics: tuple[Rubric | None, DynamicRubric | None]) -> list[tuple[AnyTrait, bool]]:
    """Return the traits of a rubric and of a dynamic one, each with whether it is dynamic."""
    static, dynamic = ([*rubric.traits()] if rubric else [] for rubric in rubrics)
    return [*((trait, False) for trait in static), *((trait, True) for trait in dynamic)]


def content_of(graph: CheckpointGraph, elements: Mapping[str, Node], only: Frame | None = None) -> BenchmarkContent:
    """Return the content of a graph; `elements` are its feed items by the identifiers of their questions.

    With `only`, only the members in this frame are read of each `item`.
    """
    items = graph.read_all([*elements.values()], only=only)
    return BenchmarkContent(
        graph.read(graph.root, without=("dataFeedElement",)),
        tuple(QuestionContent(*parts) for parts in zip(elements, items, strict=True)),
    )


def question_rows(questions: Sequence[Question]) -> Rows:
    """Return questions as a table for a notebook."""
    rows = (
        (question.question, question.raw_answer, question.keywords, bool(question.answer_template))
        for question in questions
    )
    return Rows("", ("question", "answer", "keywords", "template"), rows, len(questions))


_FRAMED = ("question", "raw_answer", "keywords", "answer_template", "answer_notes", "date_created", "date_modified")


class QuestionSequence(Sequence[Question], Shown):
    """The questions of the feed items `nodes` of a graph, each made from the graph when it is read."""

    def __init__(self, graph: CheckpointGraph, nodes: list[Node]) -> None:
        self._graph = graph
        self._nodes = nodes

    def __repr__(self) -> str:
        return f"<{len(self)} questions>"

    def __eq__(self, other: object) -> bool:
        """Return whether `other` has equal questions in the same order, whatever benchmark it is of."""
        if not isinstance(other, QuestionSequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # the questions can change

    def to_dataframe(self, *, library: FrameLibrary = "pandas") -> Any:
        """Return the questions as a data frame of pandas or polars, a row for each; custom metadata are `custom.KEY`.

        `Benchmark.to_dataframe` has more columns, identifiers among them. Raises SettingsError for another library, and
        where the library is not installed.
        """
        held = [(question, question.custom_metadata or {}) for question in self]
        members = {name: [getattr(question, name) for question, _ in held] for name in _FRAMED}
        keys = dict.fromkeys(key for _, custom in held for key in custom)
        return data_frame(
            {**members, **{f"custom.{key}": [cell_of(custom.get(key)) for _, custom in held] for key in keys}}, library
        )

    def _card(self) -> Card:
        return Card("Questions", f"{len(self)} questions", tables=[question_rows(self)])

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | Sequence[Question]:
        if isinstance(index, slice):
            return QuestionSequence(self._graph, self._nodes[index])
        return questions.question_of(self._graph.read(self._nodes[index]))

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Question]:
        at, size = 0, 1
        while at < len(self):
            changes = self._graph.changes
            held = [*takewhile(self._graph.held.__contains__, self._nodes[at : at + size])]
            size = min(2 * size, _TOGETHER)
            for item in self._graph.read_all(held or self._nodes[at : at + 1], only=questions.MEMBERS):
                at += 1
                yield questions.question_of(item)
                if self._graph.changes != changes:
                    size = 1
                    break


def normal_form(graph: CheckpointGraph) -> Any:
    """Return a JSON value that is exactly equal for two graphs if and only if they make the same statements.

    The context, the version of the format, the order of members, and the difference between a value and a list of one
    value belong to the form of a file and do not count. Null and an empty list are no statement, unless they are a
    property's value. The order of lists counts; so do the types of numbers, as in RDF.
    """
    tree = graph.tree()
    tree.pop("@context", None)
    properties = tree.get("additionalProperty")
    if isinstance(properties, list):
        tree["additionalProperty"] = [entry for entry in properties if name_of(entry) not in FORMAT_PROPERTIES]
    with limited_depth():
        return _normal(tree, graph.table)


def is_stated(key: str, value: Any) -> bool:
    """Return whether a member states something; see `normal_form`."""
    # The value null of a property is a JSON literal in the graph.
    return key == "value" or not (value is None or (value == [] and key not in EXACT))


def _normal(value: Any, table: TermTable) -> Any:
    if isinstance(value, dict):
        found = {}
        for key, held in value.items():
            if is_stated(key, held):
                term = table.base.by_key.get(key)
                iri = term.iri if term else contexts.expand_name(key) or key
                found[iri] = held if key in EXACT else _normal(held, table)
        return found
    if isinstance(value, list):
        return _normal(value[0], table) if len(value) == 1 else [_normal(item, table) for item in value]
    return value


def author_of(item: Json) -> str:
    """Return the name of the author of the question in a feed item, "" where nobody is named."""
    name = at_path(questions.stated_by(item), "author.name")
    return name if isinstance(name, str) else ""


def at_path(question: Json, path: str) -> Any:
    """Return the member of a question at a path of names with dots, None where there is none."""
    value: Any = question
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def matching(value: Any, mode: str) -> Callable[[Any], bool]:
    """Return the test of `Benchmark.filter_by_metadata`. Raises SettingsError for a mode that does not exist."""
    if mode not in _MODES:
        raise SettingsError(f"there is no match_mode {mode!r}: use {', '.join(_MODES)}")
    if mode == "exact":
        return lambda member: member is not None and bool(member == value)
    if mode == "in":
        return lambda member: isinstance(member, list) and value in member
    if not isinstance(value, str) or (mode == "regex" and not _is_pattern(value)):
        return lambda _: False
    occurs = partial(_occurs, case_sensitive=False, regex=mode == "regex")
    return lambda member: isinstance(member, str) and occurs(value, member)


def searching(
    queries: list[str], *, match_all: bool, case_sensitive: bool, regex: bool
) -> Callable[[Sequence[Any]], bool] | None:
    """Return the test of `Benchmark.search_questions` for the values of fields, None where nothing can match."""
    usable = [query for query in queries if not regex or _is_pattern(query)]
    if not usable or (match_all and usable != queries):
        return None
    test, occurs = all if match_all else any, partial(_occurs, case_sensitive=case_sensitive, regex=regex)

    def found(values: Sequence[Any]) -> bool:
        text = " ".join(part for value in values for part in as_list(value) if isinstance(part, str))
        return test(occurs(part, text) for part in usable)

    return found


def _occurs(query: str, text: str, *, case_sensitive: bool, regex: bool) -> bool:
    if regex:
        from checkpoint_ld.workers.patterns import occurs  # noqa: PLC0415 - not needed to load a benchmark

        return occurs(query, text, () if case_sensitive else ("IGNORECASE",))
    return query in text if case_sensitive else query.casefold() in text.casefold()


def _is_pattern(query: Any) -> bool:
    from checkpoint_ld.workers.patterns import refuse_faulty  # noqa: PLC0415 - as above

    try:
        refuse_faulty(query)
    except (TypeError, ValueError):
        return False
    return True


def passes(custom_filter: Callable[[Json], object], question: Json) -> bool:
    """Return whether a user's filter accepts a question; a filter that raises does not."""
    try:
        return bool(custom_filter(question))
    except Exception:  # noqa: BLE001 - a filter may raise anything
        return False


def countable(value: Any) -> list[Hashable]:
    """Return the values to count for a value: the items of a list, an object as its JSON text, [] as None."""
    plain: Any = json_value(value)
    if isinstance(plain, list) and plain:
        return [found for part in plain for found in countable(part)]
    return [json.dumps(plain, sort_keys=True) if isinstance(plain, dict) else None if plain == [] else plain]
