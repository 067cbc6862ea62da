"""Families: benchmarks and agent checkpoints, which this package recognises by their content and treats alike.

`read`, `load` and `validate` handle a checkpoint of either family. `identity` computes fingerprints and signatures,
`merging` merges two edits, `git` has the drivers for git, and `inspection` counts the content.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from rdflib import Graph

from checkpoint_ld.agents.schema import caf
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.dialects.reading import AGENT_MEMBERS
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits, is_number
from checkpoint_ld.errors import ReadError, SettingsError, SourceMissingError
from checkpoint_ld.families import contested
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.coverage import expanding
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.phrases import unknown
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.results import Checked, Report
from checkpoint_ld.validation.validator import by_place
from checkpoint_ld.vocabulary import AGENT, BENCHMARK, CAF

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import BinaryIO

    from rdflib.term import Node

    from checkpoint_ld.agents.rules import KnownBenchmark
    from checkpoint_ld.agents.serialization import AgentReading
    from checkpoint_ld.benchmark import Validate
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.findings import Finding, Place
    from checkpoint_ld.graph.store import Index, StatementGraph
    from checkpoint_ld.validation.profiles import Profile


class Checkpoint(Protocol):
    """A checkpoint of either family that was read: the tree of its family, its source, and findings about its form."""

    @property
    def family(self) -> str:
        """The family: `benchmark` or `agent`."""

    @property
    def dialect(self) -> str:
        """The dialect of the source; for agents, `agent-canonical` or `agent-second`."""

    @property
    def name(self) -> str:
        """The name that the checkpoint states, empty if it has none."""

    @property
    def source(self) -> str | None:
        """The name of the source."""

    @property
    def syntax(self) -> str:
        """The syntax of the source: `json`, or that of its statements."""

    @property
    def document(self) -> Document | None:
        """The JSON document, None for statements."""

    @property
    def tree(self) -> dict[str, Any]:
        """The canonical tree, which must not be changed."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, with their places."""

    @property
    def graph(self) -> StatementGraph:
        """The asserted statements."""

    def place(self, pointer: str) -> Place:
        """Return the place in the source of the value at `pointer` of the tree."""


class Family(Protocol):
    """What differs between the families; each has a module, which is imported when its first checkpoint is met."""

    def examine_document(self, document: Document, *, checked: bool) -> Checkpoint:
        """Read a checkpoint of the family from a JSON document."""

    def of_statements(self, index: Index, syntax: str, source: str | None, *, checked: bool) -> Checkpoint:
        """Read a checkpoint of the family from statements."""

    def refusing(self, read: Any, *, strict: bool, validate: Validate = "off") -> Any:
        """Return a reading; raise ReadError if it cannot be used, or, if `strict`, for any finding.

        With `validate` it will be validated as well, and one verdict serves both.
        """

    def check(self, read: Any, profile: Profile, *, engine: str) -> Checked:
        """Validate a reading by the rules of a profile."""

    def loaded(self, read: Any, validate: Validate) -> Any:
        """Return the object of the family, validated as `Benchmark.load` does."""

    def exported(self, read: Any, *, prov: bool) -> StatementGraph:
        """Return the graph for export, with the provenance layer of an agent if `prov`."""

    def restored(self, index: Index, root: Node) -> StatementGraph:
        """Return the graph for the statements of a checkpoint with its root."""

    def inferred(self, graph: Any) -> StatementGraph:
        """Return a copy of a graph of the family with its inferred statements, which reading skips."""


def family(name: str) -> Family:
    """Return what a family does with its checkpoints."""
    return cast("Family", import_module(f"{__name__}.{name}s"))


def graph_of(source: Checkpoint, *, prov: bool = True) -> StatementGraph:
    """Return the graph of a checkpoint for export; that of an agent has the provenance layer unless `prov` is false.

    Raises ReadError for a checkpoint without a graph.
    """
    return family(source.family).exported(source, prov=prov)


def inferred(graph: StatementGraph) -> StatementGraph:
    """Return a copy of a graph with its inferred statements, which reading skips."""
    return family(graph.family).inferred(graph) if graph.family else graph


_TERM = CAF.encode()
_SNAPSHOT = caf("snapshot")


def read(
    source: Any,
    *,
    syntax: str | None = None,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    checked: bool = False,
) -> Checkpoint:
    """Read a checkpoint from a path, an open binary file or bytes.

    `syntax` is `json` or a name of `rdf.SYNTAXES`; by default it follows from the file's extension or the first
    characters. `checked` is that of `examine`. Raises ReadError with all findings when the source cannot be used, or,
    if `strict`, for any finding; SourceMissingError when there is no such file.
    """
    return refusing(examine(source, syntax=syntax, limits=limits, checked=checked), strict=strict)


def examine(
    source: Any, *, syntax: str | None = None, limits: Limits = DEFAULT_LIMITS, checked: bool = False
) -> Checkpoint:
    """Read a checkpoint, valid or not; a benchmark, if `checked`, with the findings of the rules at load.

    Raises ReadError for a source that is neither JSON nor RDF, or no checkpoint.
    """
    return examine_bytes(*read_bytes(source, limits), syntax=syntax, limits=limits, checked=checked)


def examine_bytes(
    data: bytes,
    name: str | None = None,
    *,
    syntax: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    checked: bool = False,
) -> Checkpoint:
    """Read a checkpoint from bytes that came from a source called `name`; otherwise as `examine`."""
    return reading.parsed(
        data,
        name,
        syntax,
        limits,
        of_document=lambda document: _of_document(document, checked=checked),
        of_index=lambda index, syntax: of_statements(index, syntax, name, checked=checked),
    )


def examine_each(
    data: bytes, name: str | None, *, syntax: str | None = None, checked: bool = False
) -> dict[str, Checkpoint | ReadError]:
    """Read the checkpoints of a text, by the names of their graphs if several are named by a checkpoint in them.

    Otherwise it is one checkpoint, whose name is empty. What cannot be read is an error. Parameters are those of
    `examine_bytes`. Raises ReadError for a text that does not parse.
    """

    def read(graph: str, index: Index, syntax: str) -> Checkpoint | ReadError:
        label = f"{name or ''} <{graph}>" if graph else f"{name or ''} (default graph)"
        try:
            return of_statements(index, syntax, label, checked=checked)
        except ReadError as error:
            return reading.in_file(error, label)

    def each(graphs: Mapping[str, Index], syntax: str) -> dict[str, Checkpoint | ReadError]:
        return {graph: read(graph, index, syntax) for graph, index in sorted(graphs.items())}

    return reading.parsed(
        data,
        name,
        syntax,
        DEFAULT_LIMITS,
        of_document=lambda document: {"": _of_document(document, checked=checked)},
        of_index=lambda index, syntax: {"": of_statements(index, syntax, name, checked=checked)},
        of_graphs=each,
    )


def of_statements(index: Index, syntax: str = "graph", name: str | None = None, *, checked: bool = False) -> Checkpoint:
    """Read a checkpoint from the statements of one or more graphs; otherwise as `examine`."""
    # An agent checkpoint is recognised by its class, or by a property that only it has.
    kind = caf("Checkpoint")
    is_agent = any(_SNAPSHOT in held or kind in terms_of(held.get(RDF_TYPE)) for held in index.values())
    return family(AGENT if is_agent else BENCHMARK).of_statements(index, syntax, name, checked=checked)


def refusing(source: Checkpoint, *, strict: bool = False) -> Checkpoint:
    """Return a reading; raise ReadError if it cannot be used, or, if `strict`, for any finding."""
    refused: Checkpoint = family(source.family).refusing(source, strict=strict)
    return refused


def _of_document(document: Document, *, checked: bool) -> Checkpoint:
    return family(AGENT if _is_agent(document) else BENCHMARK).examine_document(document, checked=checked)


def _is_agent(document: Document) -> bool:
    """Return whether a document is an agent checkpoint, without importing its reader if possible."""
    value = document.value
    if isinstance(value, dict) and value.keys() >= AGENT_MEMBERS:
        return True
    if _TERM not in document.data:
        return False
    from checkpoint_ld.agents.serialization import is_json_ld  # noqa: PLC0415 - as above

    return is_json_ld(document)


def load(
    source: str | os.PathLike[str] | BinaryIO | bytes | Graph,
    *,
    syntax: str | None = None,
    strict: bool = False,
    validate: Validate = "off",
    expansion: str | None = None,
) -> Any:
    """Read a checkpoint and return the object of its family: a `Benchmark`, or an `AgentCheckpoint`.

    The family follows from its content; `Benchmark.load` and `AgentCheckpoint.load` accept one family only. Parameters
    and errors are those of `Benchmark.load`. An agent checkpoint that breaks rules is always refused.
    """
    with expanding(expansion):
        read = of_statements(emission.held(source)) if isinstance(source, Graph) else examine(source, syntax=syntax)
    of = family(read.family)
    return of.loaded(of.refusing(read, strict=strict, validate=validate), validate)


_CALLED = {BENCHMARK: profiles.DEFAULT, AGENT: profiles.AGENT}
"""The names of the families in `profiles.FAMILIES`."""


@dataclass(frozen=True)
class Profiles:
    """The profiles of one name, one for each family, with the user's own `shapes` (files or folders).

    Raises SettingsError for a name that no family has, and for shapes that cannot be read.
    """

    name: str = profiles.DEFAULT
    shapes: Sequence[str | Path] = ()
    _held: dict[str, Profile] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.has(BENCHMARK) and not self.has(AGENT):
            known = *profiles.names(), *profiles.names(profiles.AGENT)
            raise SettingsError(unknown("profile", self.name, known))
        self.first  # noqa: B018 - raises for invalid shapes

    @property
    def first(self) -> Profile:
        """The profile for a source of unknown family: that for benchmarks, if there is one."""
        return self.of(BENCHMARK if self.has(BENCHMARK) else AGENT)

    def has(self, family: str) -> bool:
        """Return whether a family has a profile of that name."""
        try:
            profiles.of_family(self.name, _CALLED[family])
        except SettingsError:
            return False
        return True

    def of(self, family: str) -> Profile:
        """Return the profile for a family. Raises SettingsError if the family has none of that name."""
        found = self._held.get(family)
        if found is None:
            name = profiles.of_family(self.name, _CALLED[family])
            found = self._held[family] = profiles.profile(name, self.shapes)
        return found


def validate(
    *sources: str | os.PathLike[str] | BinaryIO | bytes,
    profile: str = profiles.DEFAULT,
    shapes: Sequence[str | Path] = (),
    syntax: str | None = None,
    engine: str = validator.COMPILED,
    expansion: str | None = None,
) -> Report:
    """Validate checkpoints, each by the rules of its family in `profile`, and of the user's own `shapes`.

    Each source is a path, an open binary file or bytes; `shapes` are files or folders of Turtle, `engine` is one of
    `validation.ENGINES`. With the `expansion` `pyld`, PyLD expands every JSON-LD document, with the same result. An
    unreadable source gives a finding. Raises SettingsError for a profile or an engine that does not exist or shapes
    that are none, SourceMissingError for a file that is not there.
    """
    chosen = Profiles(profile, tuple(shapes))
    validator.check_engine(engine)
    together = Together(chosen)
    with expanding(expansion):
        found = [check(source, chosen, syntax=syntax, engine=engine, together=together) for source in sources]
        return report_of(with_shapes(together.added(found), chosen), chosen)


def check(
    source: Any,
    chosen: Profiles | Profile,
    *,
    syntax: str | None = None,
    engine: str = validator.COMPILED,
    together: Together | None = None,
) -> Checked:
    """Validate a checkpoint by the rules of its family: a path, an open binary file or bytes.

    `together` records it for comparison with others. An unreadable source gives a finding with the severity of the
    profile. Raises SourceMissingError for a missing file, and SettingsError for a profile of another family or shapes
    that cannot be applied.
    """
    first = chosen.first if isinstance(chosen, Profiles) else chosen
    try:
        data, name = read_bytes(source)
    except SourceMissingError:
        raise
    except ReadError as error:
        if together is not None:
            together.note(None, b"", None)
        return validator.unread(error, next((finding.place.file for finding in error.findings), None), first)
    try:
        read = examine_bytes(data, name, syntax=syntax, checked=False)
        found = check_source(read, chosen, engine=engine)
    except ReadError as error:
        found, read = validator.unread(error, name, first, data), None
    if together is not None:
        together.note(source if isinstance(source, (str, os.PathLike)) else data, data, read)
    return found


def check_source(source: Checkpoint, chosen: Profiles | Profile, *, engine: str = validator.COMPILED) -> Checked:
    """Validate a reading by the rules of its family.

    If a single profile is of the other family, the profile of the same name applies, or else the default. Raises
    SettingsError as `check`.
    """
    return family(source.family).check(source, _profile(chosen, source.family), engine=engine)


def _profile(chosen: Profiles | Profile, family: str) -> Profile:
    if isinstance(chosen, Profiles):
        return chosen.of(family)
    return chosen if chosen.family == _CALLED[family] else Profiles(chosen.name, chosen.own_shapes).of(family)


Noted: TypeAlias = tuple[str, frozenset[str], str] | tuple[float, str]
"""What sources are compared by: root, elements and hash of a benchmark; time and syntax of an agent checkpoint."""


def _with_conflicts(checked: Checked) -> Checked:
    """Return a source with the violation of a merge that nobody decided, if there is one."""
    found = None if checked.source is None else contested.finding_of(checked.source)
    return checked if found is None else replace(checked, findings=(found, *checked.findings))


class Together:
    """The sources of one run, which are compared with each other if the profile has rules for that.

    It records the time and the source of each agent checkpoint, and the questions of benchmarks.
    """

    def __init__(self, chosen: Profiles) -> None:
        profile = chosen.of(AGENT) if chosen.has(AGENT) else None
        self._profile = profile if profile is not None and profile.rule("agent-parent-absent") is not None else None
        self._agents: list[tuple[float, int, Any, str]] = []
        self._benchmarks: dict[str, KnownBenchmark] = {}
        self._count = 0
        self.last: Noted | None = None

    def note(self, source: Any, data: bytes, read: Checkpoint | None) -> None:
        """Record the next source: `source` can be read again, `data` are its bytes, `read` is its reading, if any."""
        if self._profile is None or read is None:
            self.record(source, None)
        elif read.family == BENCHMARK:
            elements = [
                item["@id"]
                for item in as_list(read.tree.get("dataFeedElement"))
                if isinstance(item, dict) and isinstance(item.get("@id"), str)
            ]
            self.record(source, (str(read.tree.get("@id")), frozenset(elements), sha256(data).hexdigest()))
        else:
            taken = read.tree.get("timestamp")
            self.record(source, (taken if is_number(taken) else 0, read.syntax))

    def record(self, source: Any, noted: Noted | None) -> None:
        """Record the next source by what `note` found in it, perhaps in another process."""
        at, self._count = self._count, self._count + 1
        self.last = noted
        if noted is None:
            return
        if len(noted) == 3:
            from checkpoint_ld.agents.rules import KnownBenchmark  # noqa: PLC0415 - benchmarks need none of it

            self._benchmarks[noted[0]] = KnownBenchmark(*noted[1:])
        else:
            self._agents.append((noted[0], at, source, noted[1]))

    def added(self, checked: Iterable[Checked]) -> list[Checked]:
        """Return the sources with findings about undecided merges, and about contradictions between them, added."""
        found = [_with_conflicts(each) for each in checked]
        if self._profile is None or len(self._agents) < 2:
            return found
        from checkpoint_ld.agents.rules import check_collection  # noqa: PLC0415 - benchmarks need none of it

        texts: dict[int, str] = {}
        oldest_first = sorted(self._agents, key=lambda agent: agent[:2])
        readings = (self._again(*agent[1:], texts) for agent in oldest_first)
        for contradiction in check_collection(readings, self._benchmarks):
            at = int((contradiction.place.file or "").partition(".")[0])
            rule = self._profile.rule(contradiction.rule)
            if rule is None:
                continue
            place = replace(contradiction.place, file=found[at].source)
            findings = (*found[at].findings, replace(contradiction, place=place, severity=rule.severity))
            found[at] = replace(found[at], findings=findings, text=found[at].text or texts[at])
        return [
            replace(contradiction, findings=tuple(sorted(contradiction.findings, key=by_place)))
            for contradiction in found
        ]

    def _again(self, at: int, source: Any, syntax: str, texts: dict[int, str]) -> AgentReading:
        """Read an agent checkpoint again under its number, because sources may share a name or have none."""
        from checkpoint_ld.agents import serialization  # noqa: PLC0415 - as above

        data, name = read_bytes(source)
        read = serialization.examine_bytes(data, f"{at}{''.join(Path(name or '').suffixes[-2:])}", syntax=syntax)
        if read.document is not None:
            texts[at] = read.document.data.decode("utf-8-sig", "replace")
        return read


def with_shapes(checked: Sequence[Checked], chosen: Profiles, *, is_whole: bool = True) -> Sequence[Checked]:
    """Return what was validated by `chosen`, and the files of the user's shapes about which there are findings.

    `is_whole` is whether no source is missing.
    """
    if not chosen.first.own_shapes:
        return checked
    from checkpoint_ld.validation.own_shapes import checked_shapes  # noqa: PLC0415 - most have no shapes of their own

    return [*checked, *checked_shapes(chosen.first, checked, is_whole=is_whole)]


def report_of(checked: Iterable[Checked], chosen: Profiles) -> Report:
    """Return the report on sources that were validated by `chosen`."""
    found = tuple(checked)
    families = {
        AGENT if source.dialect.startswith(AGENT) else BENCHMARK for source in found if source.dialect is not None
    }
    used = [chosen.of(family) for family in sorted(families)] or [chosen.first]
    rules = {code: rule for profile in used for code, rule in profile.rules.items()}
    return Report(", ".join(profile.name for profile in used), found, MappingProxyType(rules))
