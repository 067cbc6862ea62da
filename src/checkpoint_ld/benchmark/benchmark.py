"""The class `Benchmark`: the public API of a checkpoint of questions or scenarios, over its RDF graph.

Its methods read and edit JSON objects of the graph. The other modules of this package do the work of larger methods:
`editing` and `rubrics` edit, `content` finds and compares, `exports`, `overview` and `table_import` are methods.
"""

from __future__ import annotations

import time
from collections import ChainMap, Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, overload

from rdflib import Graph, URIRef

from checkpoint_ld import writing
from checkpoint_ld.benchmark import (
    content,
    editing,
    exports,
    overview,
    question_columns,
    question_import,
    question_sources,
    table_import,
)
from checkpoint_ld.benchmark.content import QuestionSequence, elements_of, question_node, question_rows, rubrics_of
from checkpoint_ld.benchmark.rubrics import HeldRubric, counts_of, merge_faults, rubric_faults
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.dialects.dialect import as_list, property_value, values
from checkpoint_ld.dialects.state import DEFAULT_CREATOR, DEFAULT_VERSION
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.documents.files import is_packed, replace_file
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.documents.values import inside, now, plain
from checkpoint_ld.entities import DynamicRubric, Question, Rubric
from checkpoint_ld.entities.rubric import merge_dynamic_rubrics, merge_rubrics
from checkpoint_ld.errors import LookupFailedError, WriteError, WrongTypeError, warn
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.coverage import expanding
from checkpoint_ld.graph.emission import ContextStyle
from checkpoint_ld.graph.literals import same
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.identifiers import CHECKPOINT, question_object_id, template_id, unique_question_id
from checkpoint_ld.mapping import questions, traits
from checkpoint_ld.mapping.questions import checked_creator, creator_members, creator_of, frame, named, question_object
from checkpoint_ld.mapping.traits import CUSTOM, family_of
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import counted, harmless, shown, unknown
from checkpoint_ld.rules import finding
from checkpoint_ld.templates import read_template, spec_of
from checkpoint_ld.validation import validator
from checkpoint_ld.validation.inference import with_inferred
from checkpoint_ld.vocabulary import (
    FORMAT_VERSION,
    FORMAT_VERSION_PROPERTY,
    GUI_FORMAT_VERSION_PROPERTY,
    SCHEMA,
    SCOPES,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from rdflib.term import Node

    from checkpoint_ld.benchmark.content import BenchmarkContent, Elements
    from checkpoint_ld.benchmark.editing import FinishedTemplate
    from checkpoint_ld.benchmark.querying import Queried
    from checkpoint_ld.dialects.reading import Reading
    from checkpoint_ld.entities import AnyTrait, Creator, QuestionRegistryEntry, Scenario, TemplateSpec
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph.compaction import Frame
    from checkpoint_ld.mapping.traits import Traits
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.sparql.running import Engine
    from checkpoint_ld.validation.following import FollowedVerdict

Json = dict[str, Any]
Result = TypeVar("Result")
Absent = TypeVar("Absent", str, None)
Validate = Literal["off", "warn", "strict"]
"""How much validation there is when a benchmark is loaded."""
MatchMode = Literal["exact", "contains", "in", "regex"]

DEFAULT_DESCRIPTION = "Benchmark containing questions"

_DIGEST_SIZE = 32
"""The length of an MD5 digest in hexadecimal digits, which `Question.id` is."""

_BULK = ("dataFeedElement", "hasPart")
"""The members of the root that hold questions and scenarios."""
_ELEMENT = URIRef(SCHEMA + "dataFeedElement")
_CRITERIA = frame(
    hasPart=questions.TEXT,
    rating=questions.TYPE,
    additionalProperty=named("finished", "author", *LEGACY_PROPERTIES),
    globalRubric=None,
)
_TEXTS = {
    **{name: name for name in ("name", "description", "version")},
    "created_at": "dateCreated",
    "modified_at": "dateModified",
}
_SETTABLE = ("id", "creator", *_TEXTS, *editing.PUBLISHED)
_TYPE, _OF_SCENARIOS = "benchmark_type", "scenario"
_PROTECTED = (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY)


class _Published:
    """A descriptor of a member of the root about the publication; it is set as `set_metadata` does."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, benchmark: Benchmark | None, owner: type) -> Any:
        return self if benchmark is None else benchmark._head(self._name)[self._name]  # noqa: SLF001 - of one module

    def __set__(self, benchmark: Benchmark, value: Any) -> None:
        benchmark.set_metadata(**{self._name: value})


class _RootText(_Published, Generic[Absent]):
    """A descriptor of a text of the root, `absent` where there is none."""

    _absent: Absent

    def __init__(self, key: str, absent: Absent, doc: str) -> None:
        super().__init__(doc)
        self._key, self._absent = key, absent

    @overload
    def __get__(self, benchmark: None, owner: type) -> Self: ...
    @overload
    def __get__(self, benchmark: Benchmark, owner: type) -> str | Absent: ...
    def __get__(self, benchmark: Benchmark | None, owner: type) -> Self | str | Absent:
        if benchmark is None:
            return self
        value = benchmark.graph.plain(benchmark.graph.root, self._key)
        return self._absent if value is None or value == "" else str(value)


class Benchmark(Shown):
    """A benchmark of questions or of scenarios.

    The graph holds all content. Methods return copies that are made at each call: changing them does not change the
    benchmark. Dates are ISO 8601 texts.

    Questions have identifiers: their own, or else the one that Karenina computes. A question has a template if its text
    is neither blank nor the placeholder that Karenina writes for a missing one. Templates are Python texts that are
    read and written, never run. A rubric without traits is None, and can be given as the list of its traits. A change
    of the static traits leaves the dynamic ones as they are, and vice versa.

    A method that takes the identifier of a question raises LookupFailedError if no question has it, unless documented
    otherwise. An edit raises WriteError for values that no benchmark can hold, and WrongTypeError, a subclass, for a
    value of another type. An edit that raises has changed nothing; content that it does not concern stays as it is.
    """

    _workspace_root: Path | None = None

    # Made, loaded and saved

    def __init__(
        self,
        name: str,
        description: str = "",
        version: str = DEFAULT_VERSION,
        creator: Creator | Mapping[str, Any] | Sequence[Creator | Mapping[str, Any]] = DEFAULT_CREATOR,
        workspace_root: str | os.PathLike[str] | None = None,
    ) -> None:
        given = {"name": name, "description": description, "version": version}
        texts = {field: editing.metadata_text(field, text, _SETTABLE) for field, text in given.items()}
        moment = now()
        makers, properties = creator_members(checked_creator(creator))
        tree = {
            "@type": "DataFeed",
            "@id": f"{CHECKPOINT}{time.time()!r}",
            "name": texts["name"],
            "description": texts["description"] or DEFAULT_DESCRIPTION,
            "version": version,
            "creator": makers,
            "dateCreated": moment,
            "dateModified": moment,
            "dataFeedElement": [],
            "additionalProperty": [property_value(FORMAT_VERSION_PROPERTY, FORMAT_VERSION), *properties],
        }
        dump_json(tree)
        self._hold(CheckpointGraph.of_tree(tree))
        self.set_workspace_root(workspace_root)

    if not TYPE_CHECKING:  # type checkers refuse a misspelt member, unless there is this method

        def __setattr__(self, name: str, value: object) -> None:
            if type(self) is Benchmark and not name.startswith("_") and not hasattr(Benchmark, name):
                own = ((known, one) for known, one in vars(Benchmark).items() if not known.startswith("_"))
                members = [known for known, one in own if hasattr(one, "__set__") and getattr(one, "fset", one)]
                warn(UserWarning(f"{name} is set, but not saved: {unknown('member', name, members)}"))
            super().__setattr__(name, value)

    @classmethod
    def create(
        cls,
        name: str,
        description: str = "",
        version: str = DEFAULT_VERSION,
        creator: Creator | Mapping[str, Any] | Sequence[Creator | Mapping[str, Any]] = DEFAULT_CREATOR,
        workspace_root: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Make an empty benchmark. Raises WriteError for an empty name and for texts that JSON cannot hold."""
        return cls(name, description, version, creator, workspace_root)

    @classmethod
    def load(  # noqa: PLR0913 - each is a choice that the user makes by name
        cls,
        path: str | os.PathLike[str] | BinaryIO | bytes | Graph,
        workspace_root: str | os.PathLike[str] | None = None,
        *,
        syntax: str | None = None,
        strict: bool = False,
        validate: Validate = "off",
        expansion: str | None = None,
    ) -> Self:
        """Read a benchmark from a path, an open binary file, bytes or an rdflib graph.

        Every dialect, every JSON-LD form and the RDF syntaxes are recognised; `syntax` (`json`, `turtle`, `nt`, `nq`,
        `trig`, `xml`) decides where the bytes are ambiguous. `findings` has the faults of the source. `validate` also
        applies the SHACL rules: "warn" adds their findings to `findings` and gives a FindingsWarning, "strict" refuses
        violations under the profile `strict`. `workspace_root` sets the property of that name. With the `expansion`
        `pyld`, PyLD expands JSON-LD under every context, with the same result. Raises ReadError with
        the findings that prevent reading (if `strict`, with every finding); FindingsError with the violations that
        `validate="strict"` found; SourceMissingError.
        """
        with expanding(expansion):
            if isinstance(path, Graph):
                read = reading.of_statements(emission.held(path))
            else:
                read = reading.examine(path, syntax=syntax)
        read = validator.refusing(read, strict=strict, profile=validator.profile_for(validate))
        benchmark = cls.of_reading(read, validate=validate)
        benchmark.set_workspace_root(workspace_root)
        return benchmark

    @classmethod
    def of_reading(cls, source: reading.Reading, *, validate: Validate = "off") -> Self:
        """Make the benchmark that was read; `validate` and exceptions are those of `load`."""
        checked = _validated(source, validate)
        benchmark = cls.__new__(cls)
        # The graph will be changed: the reading makes another one when its graph is needed again.
        graph = source.graph
        source.kept.clear()
        cls._hold(benchmark, graph, checked)
        return benchmark

    def _hold(self, graph: CheckpointGraph, source: Reading | None = None) -> None:
        self._graph = graph
        self._source = source
        self._known: Elements | None = None
        self._known_at = -1
        self._queried: dict[tuple[bool, str | None], Queried] = {}
        self._followed: FollowedVerdict | None = None
        self._faults: overview.TemplateFaults | None = None
        self._built: int | None = None if source is not None and source.has_typed_texts else graph.follow()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_queried": {}, "_followed": None, "_faults": None, "_built": None}

    def save(  # noqa: PLR0913 - each is a choice that the user makes by name
        self,
        path: str | os.PathLike[str],
        save_deep_judgment_config: bool = False,
        *,
        dialect: str | None = None,
        context: ContextStyle | str | None = None,
        overwrite: bool = True,
        round_scores: bool = False,
        placeholders: bool = False,
        touch: bool = False,
    ) -> tuple[Finding, ...]:
        """Write the benchmark to exactly `path`, all of it or nothing; return findings about the losses.

        There is a finding if Karenina would refuse the JSON of a new benchmark, because questions have no template.

        The extension decides the syntax (`.jsonld`, `.json`, `.ttl`, `.nt`, `.nq`, `.trig`, `.rdf`; without one it is
        JSON), and `.gz` after it packs the file. JSON is written in the dialect that was read, if that can be written,
        else in the canonical one. As in Karenina, JSON has the settings of deep judgment of LLM traits only with
        `save_deep_judgment_config=True`; a finding counts those left out. RDF always has them. With True, or where
        there are none, a file that was not edited is written byte for byte as it was read, if its dialect can be
        written. `placeholders` writes a placeholder for each missing template, which Karenina requires. `round_scores`
        rounds bounds of scores that Karenina would refuse. `touch` sets the benchmark's date of modification to now.
        Raises WriteError, also for another extension; the file is then as it was.
        """
        syntax = writing.syntax_of(path)
        if touch:
            self._touch()
        written = writing.write(
            self._graph,
            syntax=syntax,
            dialect=dialect or (self.dialect if writing.is_writable(self.dialect) else reading.CANONICAL),
            context=emission.ContextStyle(context) if context is not None else None,
            deep_judgment=save_deep_judgment_config or syntax != writing.JSONLD,
            round_scores=round_scores,
            placeholders=placeholders,
            source=self._source,
            now=now(),
        )
        replace_file(path, written.data, overwrite=overwrite, pack=is_packed(path))
        is_new = self._source is None and syntax == writing.JSONLD and dialect in {None, reading.CANONICAL}
        missing = self.get_missing_templates(ids_only=True) if is_new and not placeholders else []
        if not missing:
            return written.findings
        message = f"{counted(len(missing), 'question')} without a template: Karenina refuses the file"
        remedy = "add templates, or save with placeholders=True"
        return (*written.findings, finding("template-missing", message, remedy=remedy))

    def clone(self) -> Self:
        """Return an independent benchmark with the same content."""
        other = type(self).__new__(type(self))
        vars(other).update(self.__getstate__(), _graph=self._graph.copy(), _known=None)
        return other

    __copy__ = clone

    def __eq__(self, other: object) -> bool:
        """Return whether two benchmarks make the same statements, dates and order of questions included.

        It does not matter which dialect, syntax or layout they were read from, nor the context of the document.
        """
        if not isinstance(other, Benchmark):
            return NotImplemented
        return self is other or same(content.normal_form(self._graph), content.normal_form(other._graph))

    __hash__ = None  # type: ignore[assignment]  # what can change cannot be a key

    @property
    def graph(self) -> CheckpointGraph:
        """The graph that holds the benchmark: an `rdflib.Graph`, named by the benchmark's IRI."""
        return self._graph

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The faults of the source when it was read."""
        if self._source is None:
            return ()
        if not self._source.is_checked:
            changes = None if self._built is None else self._graph.difference(self._built)
            is_as_read = changes is not None and not changes.subjects
            read = replace(self._source, kept={reading.GRAPH: self._graph} if is_as_read else {})
            found = validator.checked_at_load(read).findings
            self._source = replace(self._source, checked=found)
        return self._source.findings

    @property
    def dialect(self) -> str:
        """The dialect of the source; the canonical one for a benchmark that was not loaded."""
        return self._source.dialect if self._source is not None else reading.CANONICAL

    @property
    def workspace_root(self) -> Path | None:
        """The folder below which questions have their `workspace_path`; it is not in the file."""
        return self._workspace_root

    @workspace_root.setter
    def workspace_root(self, path: str | os.PathLike[str] | None) -> None:
        self._workspace_root = None if path is None else Path(path)

    def set_workspace_root(self, path: str | os.PathLike[str] | None) -> None:
        """Set `workspace_root`; None removes it."""
        self.workspace_root = path

    # As a collection of questions

    def __len__(self) -> int:
        return self.scenario_count or self.question_count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self.get_question(identifier) for identifier in self.get_question_ids())

    def __contains__(self, question_id: object) -> bool:
        return isinstance(question_id, str) and question_id in self._elements()

    @overload
    def __getitem__(self, key: str | int) -> Question: ...
    @overload
    def __getitem__(self, key: slice) -> list[Question]: ...
    def __getitem__(self, key: str | int | slice) -> Question | list[Question]:
        if isinstance(key, str):
            return self.get_question_as_object(key)
        if not isinstance(key, int | slice):
            raise WrongTypeError(f"{key!r} names no question: give an identifier, a place or a slice")
        return list(self.questions[key]) if isinstance(key, slice) else self.questions[key]

    def __repr__(self) -> str:
        count = f"{len(self)} scenarios" if self.is_scenario_benchmark else f"{len(self)} questions"
        return f"<Benchmark {self.name!r} {harmless(self.version)}: {count}>"

    def _card(self) -> Card:
        facts = {
            "version": self.version,
            "description": self.description,
            "dialect": self.dialect,
            **{name: editing.published_text(value) for name, value in self._head(*editing.PUBLISHED).items()},
            "finished": f"{self.finished_count} of {self.question_count}" if self.question_count else None,
            "scenarios": self.scenario_count or None,
        }
        rubric = self.get_global_rubric()
        tables = [question_rows(self.questions)]
        if rubric is not None:
            traits = ((one.name, family_of(one), exports.scale_of(one), one.description) for one in rubric.traits())
            tables.append(Rows("Global rubric", ("trait", "judged by", "result", "description"), traits))
        return Card("Benchmark", self.name, "", facts, tables)

    @property
    def is_empty(self) -> bool:
        """Whether there are neither questions nor scenarios."""
        return not self.question_count and not self.is_scenario_benchmark

    # Name, version, creators and dates

    id = _RootText(
        "@id",
        None,
        """The identifier in the file, None where there is none.

    Setting it rebuilds the graph, whose name it is, and the names of all nodes without an identifier of their own.
    """,
    )
    name = _RootText("name", "", "The name; it cannot be empty.")
    description = _RootText("description", "", 'The description, "" where there is none.')
    version = _RootText("version", DEFAULT_VERSION, "The version of the benchmark (not of the file format).")
    created_at = _RootText("dateCreated", None, "When the benchmark was made.")
    modified_at = _RootText("dateModified", None, "When the benchmark was changed last; every edit sets it.")

    license = _Published("The licence: the IRI of its text, or its name in SPDX's list; None where there is none.")
    citation = _Published(
        "What to cite: a text, an object of schema.org, or a list of those; None where there is none."
    )
    funder = _Published("Who paid: a text, a Person or Organization as a mapping, or a list of those, or None.")
    keywords = _Published("What the benchmark is about: a list of texts (a single text is one keyword), or None.")
    identifier = _Published("The DOI, or another name in the world: a text, a PropertyValue, or a list, or None.")

    @property
    def creator(self) -> Creator | list[Creator] | None:
        """Who made the benchmark: a name, a Person or an Organization; None where nobody is named."""
        return creator_of(self._head("creator", "additionalProperty"))

    @creator.setter
    def creator(self, creator: Creator | Mapping[str, Any] | Sequence[Creator | Mapping[str, Any]] | None) -> None:
        self.set_metadata(creator=creator)

    def set_metadata(self, /, **fields: Any) -> None:
        """Set some of `id`, `name`, `description`, `version`, `creator`, `created_at` and `modified_at`.

        All are texts; a creator may also be a `Person`, an `Organization`, such an object as a mapping, or a list of
        several. `license`, `citation`, `funder`, `keywords` and `identifier` can be set as well: texts, objects of
        schema.org as mappings, or lists of these (https://schema.org/Dataset). None or "" removes a value; only `id`,
        `name` and the dates cannot be empty.
        """
        published = {
            name: editing.published(name, value) for name, value in fields.items() if name in editing.PUBLISHED
        }
        fields = {name: value for name, value in fields.items() if name not in published}
        texts = {
            name: editing.metadata_text(name, value, _SETTABLE) for name, value in fields.items() if name != "creator"
        }
        creator, details = creator_members(checked_creator(fields["creator"]) if fields.get("creator") else "")
        dump_json([texts, creator, details, published])

        def change(head: Json) -> None:
            members = {**published, **{_TEXTS[name]: text for name, text in texts.items() if name in _TEXTS}}
            if "creator" in fields:
                members["creator"] = creator or None
                editing.take_away(head, CREATOR_DETAILS.__eq__)
                if details:
                    head["additionalProperty"] = [*as_list(head.get("additionalProperty")), *details]
            editing.put_members(head, members)

        self._write(self._graph.root, change)
        if "id" in texts and texts["id"] != self.id:
            self._graph = editing.with_identifier(self._graph, str(texts["id"]))
            self._known = self._followed = self._faults = self._built = None
            self._queried = {}
        if (fields or published) and "modified_at" not in fields:
            self._touch()

    # Custom properties: any JSON values by name. The version of the file format is one, and protected.

    def get_custom_property(self, name: str) -> Any:
        """Return the value of the benchmark's property `name`, None where there is none."""
        return self.get_all_custom_properties().get(name)

    def get_all_custom_properties(self) -> Json:
        """Return the benchmark's properties by name, reserved ones such as the format version included."""
        return values(as_list(self._graph.content(self._graph.root, "additionalProperty")))

    def set_custom_property(self, name: str, value: Any) -> None:
        """Set the benchmark's property `name` to a JSON value; None is kept as a property without a value."""
        self.set_multiple_custom_properties({name: value})

    def set_multiple_custom_properties(self, properties: Mapping[str, Any]) -> None:
        """Set properties of the benchmark, each as `set_custom_property` does: all of them or, if one fails, none."""
        for name, value in properties.items():
            if not isinstance(name, str) or not name:
                raise WriteError(f"the name {name!r} of a property is no text: give a text that is not empty")
            dump_json({name: plain(value)}, limits=inside(2))
            if name in _PROTECTED and value != self.get_custom_property(name):
                raise WriteError(f"{name} is the version of the file format and cannot be changed")
        if properties:
            self._edit(self._graph.root, partial(editing.set_values, properties=properties))

    def remove_custom_property(self, name: str) -> bool:
        """Remove a property of the benchmark, never the version of the format; return whether there was one."""
        if name in _PROTECTED:
            raise WriteError(f"{name} is the version of the file format and cannot be removed")
        return self._edit(self._graph.root, partial(editing.take_away, is_meant=lambda other: other == name))

    # Questions, read

    @property
    def questions(self) -> QuestionSequence:
        """The questions in their order, each made from the graph when it is read."""
        return QuestionSequence(self._graph, list(self._elements().values()))

    def get_question_ids(self) -> list[str]:
        """Return the identifiers in the order of the questions; the later of two equal ones has a suffix."""
        return list(self._elements())

    def get_question(self, question_id: str) -> Json:
        """Return a question as a dictionary.

        It has the members of a `Question`, with `id` as the benchmark has it and rubrics as maps of five lists of
        traits, and `finished`.
        """
        return {"id": question_id, **questions.members_of(self._item(question_id))}

    @overload
    def get_all_questions(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_all_questions(self, ids_only: Literal[True]) -> list[str]: ...
    def get_all_questions(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return all questions as dictionaries, or only their identifiers."""
        return self._listed(self.get_question_ids(), ids_only=ids_only)

    @overload
    def get_finished_questions(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_finished_questions(self, ids_only: Literal[True]) -> list[str]: ...
    def get_finished_questions(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return the questions that are marked as finished, as dictionaries or only their identifiers."""
        return self._listed(self._by_state(finished=True), ids_only=ids_only)

    @overload
    def get_unfinished_questions(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_unfinished_questions(self, ids_only: Literal[True]) -> list[str]: ...
    def get_unfinished_questions(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return the questions that are not marked as finished, as dictionaries or only their identifiers."""
        return self._listed(self._by_state(finished=False), ids_only=ids_only)

    def get_question_as_object(self, question_id: str) -> Question:
        """Return a question."""
        return questions.question_of(self._item(question_id))

    def get_all_questions_as_objects(self) -> list[Question]:
        """Return all questions."""
        return list(self.questions)

    def get_registry_entry(self, question_id: str) -> QuestionRegistryEntry:
        """Return how far the work on a question is."""
        return questions.registry_entry_of(self._item(question_id))

    def get_question_metadata(self, question_id: str) -> Json:
        """Return the members of a question and its state, without template, examples and traits."""
        item = self._item(question_id)
        stated = questions.untraited_members_of(item)
        names = ("question", "raw_answer", "date_created", "date_modified", "finished", "author", "sources")
        return {
            "id": question_id,
            **{name: stated[name] for name in (*names, "custom_metadata")},
            "has_template": questions.has_template(item),
            "has_rubric": traits.has_traits(question_object(item)),
        }

    def get_question_timestamps(self, question_id: str) -> dict[str, str]:
        """Return the dates of a question and of its entry in the benchmark."""
        entry = self.get_registry_entry(question_id)
        return {
            "created": entry.date_added,
            "modified": entry.date_modified,
            "date_added": entry.date_added,
            "registry_modified": entry.date_modified,
        }

    def get_question_properties(self, question_id: str) -> Json:
        """Return all properties of a question as the file has them, with those that `Question` does not have."""
        return values(question_object(self._item(question_id)).get("additionalProperty"))

    def get_question_author(self, question_id: str) -> Json | None:
        """Return who wrote a question, None where nobody is named."""
        return self._untraited(question_id).author

    def get_question_sources(self, question_id: str) -> list[Json] | None:
        """Return the sources of a question, None where there are none."""
        return self._untraited(question_id).sources

    def get_question_custom_property(self, question_id: str, name: str) -> Any:
        """Return a value of a question's custom metadata, None where there is none."""
        return self.get_question_properties(question_id).get(f"{CUSTOM}{name}")

    @property
    def question_count(self) -> int:
        """How many questions there are."""
        return len(self._elements())

    @property
    def finished_count(self) -> int:
        """How many questions are marked as finished."""
        return len(self._by_state(finished=True))

    @property
    def is_complete(self) -> bool:
        """Whether there are questions, and all of them are finished and have the text of a template."""
        items = self._items(overview.READINESS).values()
        return bool(items) and all(questions.is_finished(item) and questions.has_source(item) for item in items)

    def get_progress(self) -> float:
        """Return the share of finished questions in percent, 0 if there are no questions."""
        return self.finished_count / self.question_count * 100 if self.question_count else 0.0

    # Questions added, changed and removed. A benchmark of scenarios accepts none; identifiers never change.

    def add_question(  # noqa: PLR0913, PLR0917 - the names and the order are Karenina's
        self,
        question: str | Mapping[str, Any] | Question,
        raw_answer: str | None = None,
        answer_template: str | TemplateSpec | type | None = None,
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

        `question` is a text (then `raw_answer` is needed), a `Question`, whose members the other arguments override, or
        a mapping with the names of the arguments or of a `Question`, which overrides the arguments. A template is
        Python text, which is kept as it is, a specification, which is written as text, or an answer class, which is
        written as its source under the name `Answer`; it is never run. The identifier of a `Question` is its own id,
        that of other questions is the one that Karenina computes from the text. The default of `finished` is whether
        the question has a template.

        Raises WriteError for an identifier that is taken, a question without text or answer, and unknown members.
        """
        arguments = {
            "raw_answer": raw_answer,
            "answer_template": answer_template,
            "question_id": question_id,
            "finished": finished,
            "author": author,
            "sources": sources,
            "custom_metadata": custom_metadata,
            "few_shot_examples": few_shot_examples,
            "answer_notes": answer_notes,
            "keywords": keywords,
        }
        return self._add([editing.addition(question, arguments)])[0]

    def add_question_from_object(self, /, question_obj: Question, **metadata: Any) -> str:
        """Add a `Question` at the end and return its identifier; `metadata` are other arguments of `add_question`."""
        return self._add([editing.addition(question_obj, metadata)])[0]

    def add_questions(
        self, questions_data: Iterable[str | Mapping[str, Any] | Question], finished: bool | None = None
    ) -> list[str]:
        """Add questions, each a mapping or a `Question`, at the end, all or none; return their identifiers.

        Of a data frame of pandas or polars each row is a question; columns count as `import_questions` has them.
        """
        if hasattr(questions_data, "columns"):
            read = question_columns.read_questions(question_sources.of_mappings(questions_data), "the table")
            questions_data = read.questions
        return self._add([editing.addition(question, {"finished": finished}) for question in questions_data])

    add_questions_batch = add_questions

    import_questions = question_import.import_questions

    def _add(self, additions: list[editing.Addition]) -> list[str]:
        if self.is_scenario_benchmark:
            raise WriteError("a benchmark of scenarios holds no questions: put the question into a scenario")
        elements = self._elements()
        fresh: dict[str, Json] = {}
        taken = ChainMap[str, Any](fresh, elements)
        for addition in additions:
            if (identifier := addition.identifier) in taken:
                raise WriteError(
                    f"there is a question {identifier!r} already: give another question_id, or the text alone"
                )
            identifier = identifier or unique_question_id(addition.question.question, taken)
            fresh[identifier] = addition.item(identifier)
        for identifier, item in fresh.items():
            elements[identifier] = self._graph.append(self._graph.root, "dataFeedElement", item)
        if additions:
            self._touch()
        return list(fresh)

    def update_question_metadata(self, /, question_id: str, **fields: Any) -> None:
        """Set members of a question: those of a `Question`, and `finished`.

        None or an empty value removes an optional member. Custom metadata is replaced as a whole. A new text of the
        question also changes the placeholder for a missing template.
        """
        node = self._node(question_id)
        edit = editing.question_edit(fields, lambda: self._untraited(question_id))

        def change(item: Json) -> None:
            held = question_object(item)
            if "question_rubric" in fields:
                HeldRubric(held, SCOPES[1], Rubric).replace(edit.rubric or ())
            if "question_dynamic_rubric" in fields:
                HeldRubric(held, SCOPES[1], DynamicRubric).replace(edit.dynamic or ())
            edit.put(item)

        elements = self._elements()
        self._write(node, change)
        if "question" in fields and not content.own_identifier(self._graph.plain(node, "@id")):
            content.keep_identifier(self._graph, elements, question_id)
        if fields:
            self._touch(*(() if "date_modified" in fields else (node,)))

    def set_question_author(self, question_id: str, author: Mapping[str, Any] | None) -> None:
        """Set the author of a question; None removes the author."""
        self.update_question_metadata(question_id, author=author)

    def set_question_sources(self, question_id: str, sources: Sequence[Mapping[str, Any]] | None) -> None:
        """Set the sources of a question; None removes them."""
        self.update_question_metadata(question_id, sources=sources)

    def set_question_custom_property(self, question_id: str, name: str, value: Any) -> None:
        """Set one value of a question's custom metadata; None is kept as a property without a value."""
        dump_json({name: value}, limits=inside(5))
        self._edit_question(question_id, partial(editing.set_values, properties={f"{CUSTOM}{name}": value}))

    def remove_question_custom_property(self, question_id: str, name: str) -> bool:
        """Remove one value of a question's custom metadata; return whether there was one."""
        return self._edit_question(question_id, partial(editing.take_away, is_meant=f"{CUSTOM}{name}".__eq__))

    def remove_question(self, question_id: str) -> bool:
        """Remove a question, with all that belongs to it; return whether there was one."""
        elements = self._elements()
        node = elements.get(question_id)
        if node is None:
            return False
        self._graph.discard(self._graph.root, "dataFeedElement", node)
        del elements[question_id]
        elements.computed.discard(question_id)
        content.keep_identifiers(self._graph, elements, question_id)
        self._touch()
        return True

    def clear_questions(self) -> int:
        """Remove all questions; return how many there were."""
        count = self.question_count
        if count:
            self._graph.replace(self._graph.root, "dataFeedElement", [])
            self._known = None
            self._touch()
        return count

    # The state finished. The date of a question changes only if its state does.

    def mark_finished(self, question_id: str) -> None:
        """Mark a question as finished; an unknown identifier is ignored, as in Karenina."""
        self._mark((question_id,), finished=True)

    def mark_unfinished(self, question_id: str) -> None:
        """Mark a question as not finished; an unknown identifier is ignored, as in Karenina."""
        self._mark((question_id,), finished=False)

    def mark_finished_batch(self, question_ids: Iterable[str]) -> None:
        """Mark questions as finished, as `mark_finished` does."""
        self._mark(question_ids, finished=True)

    def mark_unfinished_batch(self, question_ids: Iterable[str]) -> None:
        """Mark questions as not finished, as `mark_unfinished` does."""
        self._mark(question_ids, finished=False)

    def toggle_finished(self, question_id: str) -> bool:
        """Change whether a question is marked as finished; return the new state."""
        finished = not self.get_registry_entry(question_id).finished
        self._mark((question_id,), finished=finished)
        return finished

    def _mark(self, question_ids: Iterable[str], *, finished: bool) -> None:
        if isinstance(question_ids, str):  # its letters would be taken for identifiers
            raise WrongTypeError(f"the identifiers are the text {question_ids!r:.60}: give a list of them")
        found = {self._found(identifier): None for identifier in question_ids}
        nodes = [node for node in found if node is not None]
        items = zip(nodes, self._graph.read_all(nodes, only=questions.STATES), strict=True)
        changed = [node for node, item in items if questions.is_finished(item) is not finished]
        change = partial(editing.set_values, properties={"finished": finished})
        for node in changed:
            self._write(question_node(self._graph, node), change)
        if changed:
            self._touch(*changed)

    # Questions found by their members. An invalid regular expression matches nothing.

    def filter_questions(
        self,
        finished: bool | None = None,
        has_template: bool | None = None,
        has_rubric: bool | None = None,
        author: str | None = None,
        custom_filter: Callable[[Json], object] | None = None,
    ) -> list[Json]:
        """Return the questions that meet all given criteria.

        `has_template` does not count placeholders; `author` is a part of the author's name in upper or lower case.
        `custom_filter` takes the question as a dictionary; a question for which it raises is left out.
        """
        ids = [
            identifier
            for identifier, item in self._items(_CRITERIA).items()
            if (finished is None or questions.is_finished(item) is finished)
            and (has_template is None or questions.has_template(item) is has_template)
            and (has_rubric is None or traits.has_traits(question_object(item)) is has_rubric)
            and (author is None or author.casefold() in content.author_of(item).casefold())
        ]
        found = self._dictionaries(ids)
        return [question for question in found if custom_filter is None or content.passes(custom_filter, question)]

    def filter_by_metadata(self, field_path: str, value: Any, match_mode: MatchMode = "exact") -> list[Json]:
        """Return the questions in which the member at a path of names with dots, such as `author.name`, matches.

        `exact`: is equal; `contains`: holds the text, in upper or lower case; `in`: is one of a list; `regex`: the
        pattern occurs in the text, in upper or lower case. A missing or null member never matches. Raises SettingsError
        for another mode, EvaluationError for a pattern that takes too long.
        """
        matches = content.matching(value, match_mode)
        return self._dictionaries([identifier for identifier, (at,) in self._at((field_path,)).items() if matches(at)])

    def filter_by_custom_metadata(self, /, match_all: bool = True, **criteria: Any) -> list[Json]:
        """Return the questions whose custom metadata equal all criteria, or one of them if not `match_all`.

        Questions without custom metadata never match. Without criteria all others do, and none if not `match_all`.
        """
        test = all if match_all else any
        return self._dictionaries(
            [
                identifier
                for identifier, (custom,) in self._at(("custom_metadata",)).items()
                if custom and test(name in custom and custom[name] == value for name, value in criteria.items())
            ]
        )

    def search_questions(
        self,
        query: str | Sequence[str],
        match_all: bool = True,
        fields: Sequence[str] | None = None,
        case_sensitive: bool = False,
        regex: bool = False,
    ) -> list[Json]:
        """Return the questions in whose fields a text, or all or one of several texts, occurs.

        The texts of the fields, by default that of the question, are joined by spaces; a field is a member, or a path
        such as `author.name`. With `regex` a query is a regular expression. An empty list finds nothing. Raises
        EvaluationError for a pattern that takes too long.
        """
        wanted = [query] if isinstance(query, str) else list(query)
        found = content.searching(wanted, match_all=match_all, case_sensitive=case_sensitive, regex=regex)
        if found is None:
            return []
        at = self._at(("question",) if fields is None else fields)
        return self._dictionaries([identifier for identifier, texts in at.items() if found(texts)])

    def get_questions_by_author(self, author: str) -> list[Json]:
        """Return the questions whose author's name holds a text, in upper or lower case."""
        return self.filter_questions(author=author)

    def get_questions_with_rubric(self) -> list[Json]:
        """Return the questions that have traits of their own."""
        return self.filter_questions(has_rubric=True)

    def count_by_field(self, field_path: str, questions: Iterable[Json] | None = None) -> dict[Any, int]:
        """Return how often each value of the member at a path occurs, None for questions without one.

        Each item of a list counts; an object counts under its JSON text. `questions` are those to count, as the other
        methods return them; all by default.
        """
        if questions is None:
            found = [value for (value,) in self._at((field_path,)).values()]
        else:
            found = [content.at_path(question, field_path) for question in questions]
        return dict(Counter(item for value in found for item in content.countable(value)))

    def _at(self, paths: Sequence[str]) -> dict[str, list[Any]]:
        """Return the values of members at paths, by the identifiers of the questions that have them."""
        only = questions.frame_for(path.partition(".")[0] for path in paths)
        members_of = questions.members_of if only is None else questions.untraited_members_of
        return {
            identifier: [content.at_path({**members_of(item), "id": identifier}, path) for path in paths]
            for identifier, item in self._items(only).items()
        }

    def query(
        self,
        query: str,
        *,
        inferred: bool = False,
        engine: Engine = "oxigraph",
        timeout: float | None = None,
        max_rows: int | None = None,
        **parameters: Any,
    ) -> QueryResult:
        """Return the result of a query in SPARQL 1.1, or of the named query `query`, such as `keywords`.

        `parameters` are values of variables of the query, or the parameters of the named query. With `inferred`, the
        query also sees the inferred statements; named queries that need them always do. The first query takes longest;
        after a change, only what changed is loaded. To query several benchmarks, see `checkpoint_ld.sparql.Dataset`.

        Raises QueryError for a query that is invalid or refused: only reading is allowed, and nothing is fetched.
        Raises QueryFailedError if it takes longer than `timeout` seconds. With `max_rows`, `is_cut` of the result is
        whether there are more rows.
        """
        from checkpoint_ld.benchmark.querying import Queried  # noqa: PLC0415 - few who load a benchmark query it
        from checkpoint_ld.sparql.queries import request  # noqa: PLC0415 - as above

        wanted = request(query, parameters)
        inferred = inferred or wanted.needs_derived
        dialect = self._source.dialect if self._source is not None and wanted.query is not None else None
        kind = inferred, dialect
        data = self._queried.setdefault(kind, Queried(self._graph, *kind)).data()
        return data.query(wanted.text, parameters=wanted.parameters, engine=engine, timeout=timeout, max_rows=max_rows)

    # Answer templates

    def add_answer_template(self, question_id: str, template_code: str | TemplateSpec | type) -> None:
        """Set the template of a question: Python source, a specification or an answer class.

        A class is written as its source, under the name `Answer`. Raises WriteError, with lines and remedies, for a
        text that is no template: it is not Python, has no class that derives from BaseAnswer, does not verify its
        fields, or defines a field that cannot be made. A class whose source is not found raises WriteError, too.
        """
        source = editing.usable_template(template_code)
        self._edit_question(question_id, partial(editing.put_source, source=source))

    update_template = add_answer_template

    def copy_template(self, from_id: str, to_id: str) -> None:
        """Copy the template of a question to another. Raises as `get_template` and `add_answer_template` do."""
        self.add_answer_template(to_id, self.get_template(from_id))

    def has_template(self, question_id: str) -> bool:
        """Return whether there is a question of this identifier with a template."""
        return question_id in self._elements() and questions.is_own(self._source_text(question_id))

    def get_template(self, question_id: str) -> str:
        """Return the source of a question's template. Raises LookupFailedError if it has none."""
        source = self._source_text(question_id)
        if source is None or not questions.is_own(source):
            raise LookupFailedError(f"the question {question_id!r} has no template: see get_missing_templates()")
        return source

    def get_template_spec(self, question_id: str) -> TemplateSpec | None:
        """Return a question's template as data, None if there is none or not all of it can be read without running it.

        Methods of the template and fields that are not verified are left out.
        """
        return spec_of(read_template(self._source_text(question_id)))

    def get_template_id(self, question_id: str) -> str:
        """Return the identifier that results of verification have for the template of a question, or `no_template`.

        It is the MD5 hash of the source without its layout; the placeholder has an identifier as well.
        """
        return template_id(self._source_text(question_id))

    @overload
    def get_missing_templates(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_missing_templates(self, ids_only: Literal[True]) -> list[str]: ...
    def get_missing_templates(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return the questions that have no template, as dictionaries or only their identifiers."""
        items = self._items(questions.TEMPLATES).items()
        missing = [identifier for identifier, item in items if not questions.has_template(item)]
        return self._listed(missing, ids_only=ids_only)

    def apply_global_template(self, template_code: str | TemplateSpec | type) -> list[str]:
        """Set the template of all questions without one; return their identifiers. Raises as `add_answer_template`."""
        change = partial(editing.put_source, source=editing.usable_template(template_code))
        missing = self.get_missing_templates(ids_only=True)
        nodes = [*map(self._node, missing)]
        for node in nodes:
            self._write(question_node(self._graph, node), change)
        if missing:
            self._touch(*nodes)
        return missing

    def validate_templates(self) -> tuple[bool, list[dict[str, str]]]:
        """Return whether all templates can be used, and their faults.

        Each fault has the `question_id`, or the names of a scenario and its node, and an `error`, with the line and the
        remedy. Questions without a template are no fault. Templates are read, not run.
        """
        errors = [
            {"question_id": question_id, "error": error}
            for question_id, source in {**self._own_sources(), **self._sources_in_scenarios()}.items()
            for error in editing.template_faults(source)
        ]
        return not errors, errors

    def get_finished_templates(self, question_ids: Iterable[str] | None = None) -> list[FinishedTemplate]:
        """Return the templates of the finished questions, of all or of those in `question_ids`.

        Placeholders are among them; questions without any text of a template are left out.
        """
        wanted = None if question_ids is None else set(question_ids)
        for question_id in wanted or ():
            self._node(question_id)
        return [
            editing.finished_template(identifier, questions.question_of(item), source)
            for identifier, item in self._items(questions.MEMBERS).items()
            if (wanted is None or identifier in wanted)
            and questions.is_finished(item)
            and (source := questions.source_of(item) or "").strip()
        ]

    def export_generated_templates(self, file_path: str | os.PathLike[str]) -> None:
        """Write all templates to a file, all or nothing: a JSON object by question identifier. Raises WriteError."""
        replace_file(file_path, dump_json(self._own_sources()))

    def import_generated_templates(
        self, file_path: str | os.PathLike[str], force_overwrite: bool = False
    ) -> dict[str, bool]:
        """Read templates that `export_generated_templates` wrote; return for each identifier whether it was set.

        The template of an unknown identifier is not set; a template that a question has already is replaced only with
        `force_overwrite`. Raises ReadError for another file, and WriteError, with nothing changed, if one of the texts
        is no template.
        """
        given = editing.read_templates(file_path)
        for question_id, source in given.items():
            editing.usable_template(source, f"the template of {shown(question_id)}")
        known = self._elements()
        is_set = {}
        for question_id, source in given.items():
            is_set[question_id] = question_id in known and (force_overwrite or not self.has_template(question_id))
            if is_set[question_id]:
                self._edit_question(question_id, partial(editing.put_source, source=source))
        return is_set

    def _own_sources(self) -> dict[str, str]:
        """Return the sources of all templates by the identifiers of their questions, without placeholders."""
        items = self._items(questions.TEMPLATES).items()
        sources = ((identifier, questions.source_of(item)) for identifier, item in items)
        return {key: source for key, source in sources if source is not None and questions.is_own(source)}

    def _sources_in_scenarios(self) -> dict[str, str]:
        parts = [self._graph.read(node) for node in self._scenario_nodes()]
        sources = {
            f"{part.get('name')}: {key}": questions.source_of({"item": node.get("question")})
            for part in parts
            for key, node in (part["nodes"].items() if isinstance(part.get("nodes"), dict) else ())
            if isinstance(node, dict)
        }
        return {key: source for key, source in sources.items() if source is not None and questions.is_own(source)}

    def _source_text(self, question_id: str) -> str | None:
        (item,) = self._graph.read_all([self._node(question_id)], only=questions.TEMPLATES)
        return questions.source_of(item)

    # Rubrics: the traits by which answers are judged

    @property
    def global_rubric(self) -> Rubric | None:
        """The traits by which the answers to all questions are judged."""
        return traits.rubric_of(self._head())

    def get_global_rubric(self) -> Rubric | None:
        """Return `global_rubric`."""
        return self.global_rubric

    def get_global_dynamic_rubric(self) -> DynamicRubric | None:
        """Return the traits that are judged only where their concept occurs."""
        return traits.dynamic_rubric_of(self._head())

    def get_question_rubric(self, question_id: str) -> Rubric | None:
        """Return the traits of one question, None also for an unknown identifier, as in Karenina."""
        return traits.rubric_of(question_object(self._item(question_id))) if question_id in self._elements() else None

    def get_question_dynamic_rubric(self, question_id: str) -> DynamicRubric | None:
        """Return the dynamic traits of one question."""
        return traits.dynamic_rubric_of(question_object(self._item(question_id)))

    def get_merged_rubric_for_question(self, question_id: str) -> Rubric | None:
        """Return the traits by which the answers to a question are judged: those of the benchmark, then its own.

        Raises SettingsError if both have a trait of the same name.
        """
        return merge_rubrics(self.global_rubric, traits.rubric_of(question_object(self._item(question_id))))

    def get_merged_dynamic_rubric_for_question(self, question_id: str) -> DynamicRubric | None:
        """Return the dynamic traits for a question, merged as `get_merged_rubric_for_question` does it."""
        return merge_dynamic_rubrics(self.get_global_dynamic_rubric(), self.get_question_dynamic_rubric(question_id))

    def get_rubric_trait_names(self, question_id: str | None = None) -> list[str]:
        """Return the names of the benchmark's traits, or of the traits of one question; none for an unknown one."""
        rubric = self.global_rubric if question_id is None else self.get_question_rubric(question_id)
        return rubric.get_trait_names() if rubric is not None else []

    def has_rubric(self, question_id: str | None = None) -> bool:
        """Return whether the benchmark, or one question, has traits that are not dynamic."""
        return bool(self.get_rubric_trait_names(question_id))

    def get_rubric_statistics(self) -> dict[str, Json]:
        """Return how many rubrics and traits there are.

        For each of `global`, `global_dynamic`, `question` and `question_dynamic` a mapping: `rubrics` counts those
        with traits, `traits` their traits, `by_kind` the traits of each kind, `llm` to `agentic`.
        """
        static, dynamic = rubrics_of(self._head())
        own = [rubrics_of(question_object(item)) for item in self._items(questions.TRAITS).values()]
        return {
            "global": counts_of([static]),
            "global_dynamic": counts_of([dynamic]),
            "question": counts_of(rubric for rubric, _ in own),
            "question_dynamic": counts_of(rubric for _, rubric in own),
        }

    def validate_rubrics(self) -> tuple[bool, list[dict[str, str]]]:
        """Return whether all rubrics can be used, and their faults.

        Each fault has a `source`, the name of a global trait or `question:` and the identifier of a question, and an
        `error` with the remedy. Every trait needs a description, a dynamic one a summary or a description; a score that
        is judged needs both bounds; the traits of a question have other names than the global ones.
        """
        general = rubrics_of(self._head())
        found = [fault for rubric in general for fault in rubric_faults(rubric)]
        for identifier, item in self._items(questions.TRAITS).items():
            own = rubrics_of(question_object(item))
            errors = [error for rubric in own for _, error in rubric_faults(rubric)]
            errors += [error for pair in zip(general, own, strict=True) for error in merge_faults(*pair)]
            found += [(f"question:{identifier}", error) for error in errors]
        return not found, [{"source": source, "error": error} for source, error in found]

    def add_global_rubric_trait(self, trait: AnyTrait) -> None:
        """Add a trait by which the answers to all questions are judged."""
        self._edit_rubric(None, Rubric, lambda held: held.add(trait))

    def set_global_rubric(self, rubric: Rubric | Sequence[AnyTrait]) -> None:
        """Replace the traits by which the answers to all questions are judged; an empty rubric removes them."""
        self._edit_rubric(None, Rubric, lambda held: held.replace(rubric))

    def update_global_rubric_trait(self, name: str, trait: AnyTrait) -> bool:
        """Replace the global trait `name` by `trait`; return False, with nothing changed, if there is none."""
        return self._edit_rubric(None, Rubric, lambda held: held.update(name, trait))

    def remove_global_rubric_trait(self, name: str) -> bool:
        """Remove the global trait `name`; return whether there was one."""
        return self._edit_rubric(None, Rubric, lambda held: held.remove(name))

    def clear_global_rubric(self) -> bool:
        """Remove all global traits; return whether there were any."""
        return self._edit_rubric(None, Rubric, lambda held: held.clear())

    def set_global_dynamic_rubric(self, dynamic_rubric: DynamicRubric | Sequence[AnyTrait] | None) -> None:
        """Replace the traits that are judged only where their concept occurs; None removes them."""
        self._edit_rubric(None, DynamicRubric, lambda held: held.replace(dynamic_rubric or ()))

    def add_question_rubric_trait(self, question_id: str, trait: AnyTrait) -> None:
        """Add a trait by which the answers to one question are judged."""
        self._edit_rubric(question_id, Rubric, lambda held: held.add(trait))

    def set_question_rubric(self, question_id: str, rubric: Rubric | Sequence[AnyTrait]) -> None:
        """Replace the traits of one question; an empty rubric removes them."""
        self._edit_rubric(question_id, Rubric, lambda held: held.replace(rubric))

    def remove_question_rubric(self, question_id: str) -> bool:
        """Remove the traits of one question; return whether there were any."""
        return self._edit_rubric(question_id, Rubric, lambda held: held.clear())

    def set_question_dynamic_rubric(self, question_id: str, rubric: DynamicRubric | Sequence[AnyTrait] | None) -> None:
        """Replace the dynamic traits of one question; None removes them."""
        self._edit_rubric(question_id, DynamicRubric, lambda held: held.replace(rubric or ()))

    def clear_all_rubrics(self) -> int:
        """Remove all traits but the dynamic ones, also those of questions; return how many rubrics there were."""
        return self.clear_global_rubric() + sum(self.remove_question_rubric(element) for element in self._elements())

    import_rubrics = table_import.import_rubrics

    def _edit_rubric(
        self, question_id: str | None, model: type[Traits], change: Callable[[HeldRubric[Traits]], Result]
    ) -> Result:
        of_benchmark, of_question = SCOPES
        if question_id is None:
            return self._edit(self._graph.root, lambda head: change(HeldRubric(head, of_benchmark, model)))
        return self._edit_question(question_id, lambda held: change(HeldRubric(held, of_question, model)))

    # Scenarios of several turns, identified by their names

    @property
    def scenarios(self) -> list[Scenario]:
        """The scenarios in their order."""
        return [questions.scenario_of(self._graph.read(node)) for node in self._scenario_nodes()]

    def get_scenarios(self) -> list[Scenario]:
        """Return `scenarios`."""
        return self.scenarios

    def get_scenario(self, name: str) -> Scenario:
        """Return the scenario called `name`, the first of several."""
        return questions.scenario_of(self._graph.read(self._scenario_node(name)))

    def add_scenario(self, scenario: Scenario) -> None:
        """Add a scenario at the end. Code in it is kept as text and never run.

        Raises WriteError, with nothing added, for a name that is empty or taken, and in a benchmark with questions.
        """
        if self._elements():
            raise WriteError("a benchmark of questions holds no scenarios: make another benchmark for them")
        if not scenario.name or scenario.name in [self._graph.plain(node, "name") for node in self._scenario_nodes()]:
            fault = "taken: give another one" if scenario.name else "empty: give it one"
            raise WriteError(f"the name {scenario.name!r} of the scenario is {fault}")
        part = questions.scenario_object(scenario)
        dump_json(part, limits=inside(2))
        self._graph.append(self._graph.root, "hasPart", part)
        if self.get_custom_property(_TYPE) is None:
            self._write(self._graph.root, partial(editing.set_values, properties={_TYPE: _OF_SCENARIOS}))
        self._touch()

    def remove_scenario(self, name: str) -> None:
        """Remove the first scenario of a name."""
        self._graph.discard(self._graph.root, "hasPart", self._scenario_node(name))
        if not self._graph.member(self._graph.root, "hasPart"):
            self._graph.replace(self._graph.root, "hasPart", None)
        if not self.is_scenario_benchmark and self.get_custom_property(_TYPE) == _OF_SCENARIOS:
            self._write(self._graph.root, partial(editing.take_away, is_meant=_TYPE.__eq__))
        self._touch()

    @property
    def scenario_count(self) -> int:
        """How many scenarios there are."""
        return len(self._scenario_nodes())

    @property
    def is_scenario_benchmark(self) -> bool:
        """Whether this is a benchmark of scenarios."""
        return self.scenario_count > 0

    def _scenario_node(self, name: str) -> Node:
        node = next((node for node in self._scenario_nodes() if self._graph.plain(node, "name") == name), None)
        if node is None:
            raise LookupFailedError(f"there is no scenario {name!r}: see get_scenarios()")
        return node

    def _scenario_nodes(self) -> list[Node]:
        parts = self._graph.member(self._graph.root, "hasPart")
        kinds = ((part, self._graph.plain(part, "@type")) for part in parts if part in self._graph.held)
        return [
            part
            for part, kind in kinds
            if questions.is_scenario(self._graph.read(part) if kind is None else {"@type": kind})
        ]

    # At a glance

    get_summary = overview.get_summary
    get_statistics = overview.get_statistics
    check_readiness = overview.check_readiness
    get_progress_report = overview.get_progress_report
    get_health_report = overview.get_health_report
    validate = overview.validate

    # As tables and texts

    to_records = exports.to_records
    fields_records = exports.fields_records
    traits_records = exports.traits_records
    to_dataframe = exports.to_dataframe
    to_csv = exports.to_csv
    to_markdown = exports.to_markdown
    to_dict = exports.to_dict
    export_curation_workbook = exports.export_curation_workbook

    def export_to_file(
        self,
        file_path: str | os.PathLike[str],
        format: str = "auto",  # noqa: A002 - Karenina's name
        *,
        overwrite: bool = True,
    ) -> None:
        """Write the benchmark to exactly `file_path`, all of it or nothing.

        `format` is json (that of `to_dict`), csv, markdown, jsonld, workbook (that of curators, extra `openpyxl`),
        records (`to_records`, each a line of JSON) or parquet (the same, extra `polars`). auto uses the extension, and
        is json without one; `.gz` after it packs the file. Raises SettingsError for another format and for a missing
        extra, TargetExistsError for an existing file unless `overwrite`, and WriteError, also for another extension;
        the file is then as it was.
        """
        data = exports.written(self, exports.format_of(file_path, format))
        replace_file(file_path, data, overwrite=overwrite, pack=is_packed(file_path))

    # As JSON-LD and RDF, made from the graph alone. Reading ignores inferred statements.

    def inferred_graph(self) -> CheckpointGraph:
        """Return a copy of the graph with the inferred statements, for queries; later edits do not change it.

        In it, kinds of traits are classes and their settings predicates; authors, sources, the fields of templates and
        their primitives are nodes. The vocabulary is `contexts/karenina-vocabulary.ttl`.
        """
        return with_inferred(self._graph)

    def _exported(self, *, inferred: bool) -> CheckpointGraph:
        return self.inferred_graph() if inferred else self._graph

    @property
    def jsonld_data(self) -> Json:
        """The benchmark as a JSON-LD document; changing it does not change the benchmark."""
        return self.to_jsonld()

    def to_jsonld(self, context: ContextStyle | str = ContextStyle.IMPROVED) -> Json:
        """Return the JSON-LD document with the improved context, or (`plain`) with its own or Karenina's."""
        return emission.jsonld_of(self._graph, ContextStyle(context))

    def to_turtle(self, *, inferred: bool = False) -> str:
        """Return Turtle."""
        return emission.turtle_of(self._exported(inferred=inferred)).decode()

    def to_ntriples(self, *, inferred: bool = False) -> str:
        """Return N-Triples, sorted."""
        return emission.ntriples_of(self._exported(inferred=inferred)).decode()

    def to_nquads(self, *, inferred: bool = False) -> str:
        """Return N-Quads, sorted, in one graph that is named by the benchmark's IRI."""
        return emission.nquads_of(self._exported(inferred=inferred)).decode()

    def to_trig(self, *, inferred: bool = False) -> str:
        """Return TriG, in one graph that is named by the benchmark's IRI."""
        return emission.trig_of(self._exported(inferred=inferred)).decode()

    # The graph, read and changed

    def _elements(self) -> Elements:
        # Callers may edit the graph, which may change identifiers.
        count = len(terms_of(self._graph.held.get(self._graph.root, {}).get(_ELEMENT)))
        if self._known is None or self._known_at != self._graph.revision or len(self._known) != count:
            self._known, self._known_at = elements_of(self._graph), self._graph.revision
        return self._known

    def _node(self, question_id: str) -> Node:
        node = self._found(question_id)
        if node is None:
            raise LookupFailedError(f"there is no question {question_id!r}: see get_question_ids()")
        return node

    def _found(self, question_id: str) -> Node | None:
        """Return the element with an identifier, or else the first whose question has the MD5 digest `Question.id`."""
        known = self._elements()
        if question_id in known or len(question_id) != _DIGEST_SIZE:
            return known.get(question_id)
        for node in known.values():
            question = self._graph.content(question_node(self._graph, node), "text")
            if isinstance(question, str) and question_object_id(question) == question_id:
                return node
        return None

    def _items(self, only: Frame | None = None) -> dict[str, Json]:
        """Return the feed items by the identifiers of their questions; with `only`, the members in this frame."""
        elements = self._elements()
        return dict(zip(elements, self._graph.read_all([*elements.values()], only=only), strict=True))

    def _item(self, question_id: str) -> Json:
        return self._graph.read(self._node(question_id))

    def _content(self, only: Frame | None = None) -> BenchmarkContent:
        return content.content_of(self._graph, self._elements(), only)

    def _head(self, *members: str) -> Json:
        """Return the root's object without questions and scenarios, or these members of it."""
        root = self._graph.root
        if members:
            return {name: self._graph.content(root, name) for name in members}
        return self._graph.read(root, without=_BULK)

    def _untraited(self, question_id: str) -> Question:
        return questions.untraited_question_of(self._item(question_id))

    def _listed(self, ids: list[str], *, ids_only: bool) -> list[Json] | list[str]:
        return ids if ids_only else self._dictionaries(ids)

    def _dictionaries(self, ids: list[str]) -> list[Json]:
        items = self._graph.read_all([*map(self._node, ids)], only=questions.MEMBERS)
        return [{"id": key, **questions.members_of(item)} for key, item in zip(ids, items, strict=True)]

    def _by_state(self, *, finished: bool) -> list[str]:
        items = self._items(questions.STATES)
        return [identifier for identifier, item in items.items() if questions.is_finished(item) is finished]

    def _touch(self, *items: Node) -> None:
        """Set the dates of modification of the benchmark and of the feed items to now."""
        moment = now()
        for node in (*items, self._graph.root):
            self._graph.replace(node, "dateModified", moment)

    def _write(self, node: Node, change: Callable[[Json], Result]) -> Result:
        """Read the object of a node, change it, write it; nothing is written if the change raises or returns False."""
        without = _BULK if node == self._graph.root else ()
        members = self._graph.read(node, without=without)
        result = change(members)
        if result is not False:
            self._graph.write(node, members, without=without)
        return result

    def _edit_question(self, question_id: str, change: Callable[[Json], Result]) -> Result:
        """Change the object of a question as `_write` does, and date the benchmark and the question's feed item."""
        node = self._node(question_id)
        return self._edit(question_node(self._graph, node), change, node)

    def _edit(self, node: Node, change: Callable[[Json], Result], *dated: Node) -> Result:
        """Change the object of a node as `_write` does, and date the benchmark and the feed items `dated`."""
        result = self._write(node, change)
        if result is not False:
            self._touch(*dated)
        return result


def _validated(source: Reading, validate: Validate) -> Reading:
    profile = validator.profile_for(validate)
    if profile is None:
        return source
    report = validator.report_of([validator.check_reading(source, profile)], profile)
    validator.raise_or_warn(report, validate, "the benchmark", stacklevel=6)
    return replace(source, checked=report.findings)
