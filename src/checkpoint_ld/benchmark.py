"""The Benchmark: a checkpoint as its authors and users see it, over the graph that holds it."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from rdflib import Graph

from checkpoint_ld import emission, rdf, reading, writing
from checkpoint_ld.arguments import renamed
from checkpoint_ld.dialects.state import DEFAULT_CREATOR, DEFAULT_VERSION
from checkpoint_ld.documents.files import is_packed, replace_file
from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.entities.entity import now
from checkpoint_ld.errors import FindingsWarning, SettingsError, WriteError
from checkpoint_ld.facets.additions import Additions
from checkpoint_ld.facets.comparison import Comparison
from checkpoint_ld.facets.exits import Exits
from checkpoint_ld.facets.exports import Exports
from checkpoint_ld.facets.facet import Facet
from checkpoint_ld.facets.metadata import Metadata
from checkpoint_ld.facets.overview import Overview
from checkpoint_ld.facets.properties import Properties
from checkpoint_ld.facets.queries import Queries
from checkpoint_ld.facets.querying import Querying
from checkpoint_ld.facets.question_edits import QuestionEdits
from checkpoint_ld.facets.rubric_edits import RubricEdits
from checkpoint_ld.facets.states import States
from checkpoint_ld.facets.templates import Templates
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.identifiers import CHECKPOINT
from checkpoint_ld.mapping.creators import checked_creator, creator_members
from checkpoint_ld.mapping.properties import property_value
from checkpoint_ld.vocabulary import FORMAT_VERSION, FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

    from checkpoint_ld.emission import ContextStyle
    from checkpoint_ld.entities import Creator, Question
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.reading import Reading

Validate = Literal["off", "warn", "strict"]
"""How much validation there is when a benchmark is loaded."""

DEFAULT_DESCRIPTION = "Benchmark containing questions"


class Benchmark(
    Metadata,
    Properties,
    Additions,
    QuestionEdits,
    States,
    Templates,
    RubricEdits,
    Queries,
    Querying,
    Exports,
    Overview,
    Comparison,
    Exits,
):
    """A benchmark of questions or of scenarios.

    The graph holds everything; what the methods return are views that are made anew at each call, so that changing
    one changes nothing here. Dates are ISO 8601 texts.
    """

    _workspace_root: Path | None = None

    def __init__(
        self,
        name: str,
        description: str = "",
        version: str = DEFAULT_VERSION,
        creator: Creator | Mapping[str, Any] | Sequence[Creator | Mapping[str, Any]] = DEFAULT_CREATOR,
        workspace_root: str | os.PathLike[str] | None = None,
    ) -> None:
        if not name:
            raise WriteError("a benchmark needs a name: give a text that is not empty")
        moment = now()
        told, properties = creator_members(checked_creator(creator))
        tree = {
            "@type": "DataFeed",
            "@id": f"{CHECKPOINT}{time.time()!r}",
            "name": name,
            "description": description or DEFAULT_DESCRIPTION,
            "version": version,
            "creator": told,
            "dateCreated": moment,
            "dateModified": moment,
            "dataFeedElement": [],
            "additionalProperty": [property_value(FORMAT_VERSION_PROPERTY, FORMAT_VERSION), *properties],
        }
        dump_json(tree)
        super().__init__(CheckpointGraph.of_tree(tree))
        self.set_workspace_root(workspace_root)

    @classmethod
    def create(
        cls,
        name: str,
        description: str = "",
        version: str = DEFAULT_VERSION,
        creator: Creator | Mapping[str, Any] | Sequence[Creator | Mapping[str, Any]] = DEFAULT_CREATOR,
        workspace_root: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Make an empty benchmark.

        Raises WriteError for an empty name and for texts that JSON cannot hold, WrongTypeError for what is no text.
        """
        return cls(name, description, version, creator, workspace_root)

    @classmethod
    @renamed(source="path")
    def load(
        cls,
        path: str | os.PathLike[str] | BinaryIO | bytes | Graph,
        workspace_root: str | os.PathLike[str] | None = None,
        *,
        syntax: str | None = None,
        strict: bool = False,
        validate: Validate = "off",
    ) -> Self:
        """Read a benchmark from a path, an open binary file, bytes or an rdflib graph.

        Every dialect, every JSON-LD form and the RDF syntaxes are recognised; `syntax` (`json`, `turtle`, `nt`, `nq`,
        `trig`, `xml`) settles what bytes leave open. What is odd about the source is in `findings`. `validate` holds
        it against the SHACL rules too: "warn" adds what they find to `findings` and gives a FindingsWarning, "strict"
        refuses what the profile `strict` calls a violation. `workspace_root` is that of the property.
        Raises ReadError with everything that keeps it from being read (if `strict`, whatever is odd about it);
        FindingsError with the violations that `validate="strict"` found; SourceMissingError.
        """
        if isinstance(path, Graph):
            read = reading.of_statements(rdf.held(path)).refusing(strict=strict)
        else:
            read = reading.read(path, syntax=syntax, strict=strict)
        benchmark = cls.of_reading(read, validate=validate)
        benchmark.set_workspace_root(workspace_root)
        return benchmark

    @classmethod
    def of_reading(cls, source: reading.Reading, *, validate: Validate = "off") -> Self:
        """Make the benchmark that was read; `validate` and what it raises is that of `load`."""
        checked = source if validate == "off" else _validated(source, validate)
        benchmark = cls.__new__(cls)
        # A graph of its own, since it will be changed; a copy where the reading has one, be it from its validation.
        known = vars(source).get("graph")
        graph = known.copy() if known is not None else CheckpointGraph.of_tree(source.tree)
        Facet.__init__(benchmark, graph, checked)
        return benchmark

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
    ) -> tuple[Finding, ...]:
        """Write the benchmark to exactly `path`, all of it or nothing; return what the file cannot say.

        The extension tells the syntax (`.jsonld`, `.json`, `.ttl`, `.nt`, `.nq`, `.trig`, `.rdf`; without one it is
        JSON), and `.gz` after it packs the file. JSON is written in the dialect that was read, if that can be written,
        else in the canonical one. As in Karenina, JSON has the settings of deep judgment of LLM traits only with
        `save_deep_judgment_config=True`; a finding counts those left out, RDF keeps them. With True, or where there are
        none, a file of a dialect that can be written comes back byte for byte without an edit. `placeholders` gives
        questions without a template the one that stands for none, since Karenina refuses a file without; `round_scores`
        allows whole numbers for bounds that Karenina would refuse. Raises WriteError, also for another extension; the
        file is then as it was.
        """
        syntax = writing.syntax_of(path)
        written = writing.write(
            self._graph,
            syntax=syntax,
            dialect=dialect or self._own_dialect(),
            context=emission.ContextStyle(context) if context is not None else None,
            deep_judgment=save_deep_judgment_config or syntax != writing.JSONLD,
            round_scores=round_scores,
            placeholders=placeholders,
            source=self._source,
            now=now(),
        )
        replace_file(path, written.data, overwrite=overwrite, pack=is_packed(path))
        return written.findings

    def _own_dialect(self) -> str:
        return self.dialect if writing.is_writable(self.dialect) else reading.CANONICAL

    @property
    def workspace_root(self) -> Path | None:
        """The folder below which questions have their `workspace_path`; no file says it."""
        return self._workspace_root

    @workspace_root.setter
    def workspace_root(self, path: str | os.PathLike[str] | None) -> None:
        self._workspace_root = None if path is None else Path(path)

    def set_workspace_root(self, path: str | os.PathLike[str] | None) -> None:
        """Set `workspace_root`; None takes it away."""
        self.workspace_root = path

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was odd about the source when it was read."""
        return self._source.findings if self._source is not None else ()

    @property
    def dialect(self) -> str:
        """The dialect of the source; the canonical one for a benchmark that was made here."""
        return self._source.dialect if self._source is not None else reading.CANONICAL

    @property
    def is_empty(self) -> bool:
        """Whether there are neither questions nor scenarios."""
        return not self.question_count and not self.is_scenario_benchmark

    def __len__(self) -> int:
        return self.scenario_count or self.question_count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self.get_question(one) for one in self.get_question_ids())

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
            raise TypeError(f"{key!r} names no question: give an identifier, a place or a slice")
        return list(self.questions[key]) if isinstance(key, slice) else self.questions[key]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        count = f"{len(self)} scenarios" if self.is_scenario_benchmark else f"{len(self)} questions"
        return f"<Benchmark {self.name!r} {self.version}: {count}>"


def _validated(source: Reading, validate: Validate) -> Reading:
    """Return `source` with what the rules of SHACL find in it."""
    from checkpoint_ld import profiles, validation  # noqa: PLC0415 - SHACL takes longer to import than to load a file

    if validate not in ("warn", "strict"):
        raise SettingsError(f'validate is {validate!r}: use "off", "warn" or "strict"')
    profile = profiles.profile("strict" if validate == "strict" else profiles.DEFAULT)
    report = validation.report_of([validation.check_reading(source, profile)], profile)
    if validate == "strict":
        report.raise_for_findings()
    elif report.findings:
        counts = ", ".join(f"{count} {severity.name.lower()}" for severity, count in report.counts.items() if count)
        warnings.warn(f"{source.source or 'the benchmark'} has findings: {counts}", FindingsWarning, stacklevel=6)
    return replace(source, findings=report.findings)
