"""The contents of a site: benchmarks with their versions and recorded answers, and runs of agents."""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from checkpoint_ld import families
from checkpoint_ld.agents.timeline import timeline_of
from checkpoint_ld.agents.values import AgentHeader
from checkpoint_ld.agents.withholding import withheld
from checkpoint_ld.assessment.answers import read_answers
from checkpoint_ld.assessment.assessing import AssessedQuestions, Tally, assessed
from checkpoint_ld.assessment.comparing import Distinct
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.benchmark.content import content_of, elements_of
from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.documents.values import instant_of
from checkpoint_ld.errors import SettingsError, TargetUnwritableError, WriteError
from checkpoint_ld.families import Profiles, check_source
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.phrases import shown
from checkpoint_ld.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.timeline import Timeline
    from checkpoint_ld.assessment.assessing import Assessment
    from checkpoint_ld.benchmark.difference import QuestionDiff, SemanticDiff
    from checkpoint_ld.entities import Scenario

_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,98}[a-z0-9])?")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|index)(?:\..*)?")
_UUID = "urn:uuid:"
_MOST_READABLE = 60


def address_of(identifier: str) -> str:
    """Return the stable and unique name of the page for an identifier.

    After `urn:uuid:`, lower-case letters, digits, dots and hyphens stay as they are. Others get a hash after an
    underscore, since file systems differ in allowed characters and in case. An identifier that looks like a secret is
    replaced by the hash.
    """
    plain = identifier.removeprefix(_UUID)
    is_secret = secret(identifier) is not None
    if plain != identifier and _SAFE.fullmatch(plain) and not _RESERVED.fullmatch(plain) and not is_secret:
        return plain
    readable = "" if is_secret else re.sub(r"[^a-z0-9]+", "-", plain.lower())[:_MOST_READABLE].strip("-")
    return f"{readable}_{hashlib.sha256(identifier.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


@dataclass
class Version:
    """One version of a benchmark, with its findings."""

    benchmark: Benchmark
    source: str
    findings: tuple[Finding, ...]
    rules: Any = field(repr=False)

    def __post_init__(self) -> None:
        self.elements = elements_of(self.benchmark.graph)
        self.content = content_of(self.benchmark.graph, self.elements)

    @property
    def label(self) -> str:
        """The version and its date, in a few words."""
        date = (self.content.metadata["modified_at"] or "")[:10]
        return f"version {self.content.metadata['version']}" + (f", {date}" if date else "")

    @cached_property
    def scenarios(self) -> list[Scenario]:
        """The scenarios, in their order."""
        return self.benchmark.get_scenarios()

    @cached_property
    def findings_by_question(self) -> dict[str, list[Finding]]:
        """The findings about each question: about its feed item, or a part of it."""
        items = {str(node): identifier for identifier, node in self.elements.items()}
        by_question = defaultdict(list)
        for finding in self.findings:
            ends = (
                [len(finding.node), *(separator.start() for separator in re.finditer("[#/]", finding.node))]
                if finding.node
                else []
            )
            names = (items.get((finding.node or "")[:end]) for end in sorted(ends, reverse=True))
            identifier = next(filter(None, names), None)
            if identifier is not None:
                by_question[identifier].append(finding)
        return by_question


@dataclass
class BenchmarkHistory:
    """A benchmark: its versions, the oldest first, and the recorded answers to the questions of the newest one."""

    address: str
    versions: list[Version]
    answers: defaultdict[str, list[Assessment]] = field(default_factory=lambda: defaultdict(list))
    tally: Tally = field(default_factory=Tally)
    gone: dict[str, str | None] = field(default_factory=dict)
    """Former identifiers, with those that replaced them; filled by `histories`."""

    @property
    def newest(self) -> Version:
        """The version that has the pages."""
        return self.versions[-1]

    @property
    def has_secrets(self) -> bool:
        """Whether any value in any version looks like a secret."""
        return any(_has_secrets(each.findings) for each in self.versions)

    @property
    def name(self) -> str:
        """The name of the benchmark."""
        return self.newest.content.metadata["name"] or "without a name"

    @cached_property
    def questions(self) -> AssessedQuestions:
        """The questions that answers are assessed by."""
        return AssessedQuestions(self.newest.benchmark)

    @cached_property
    def steps(self) -> list[tuple[Version, Version, SemanticDiff]]:
        """The changes from version to version, the latest step first."""
        both = zip(self.versions, self.versions[1:], strict=False)
        return [(old, new, semantic_diff(old.benchmark, new.benchmark)) for old, new in both][::-1]

    @cached_property
    def histories(self) -> dict[str, list[tuple[Version, str, QuestionDiff | None]]]:
        """The history of each question, the latest first: the version, a word for the change, and the difference.

        A question with a new identifier has its history under that.
        """
        histories: defaultdict[str, list[Any]] = defaultdict(list)
        for _, new, diff in reversed(self.steps):
            for question in diff.questions_changed:
                before = next((change.before for change in question.changes if change.member == "id"), None)
                if isinstance(before, str):
                    histories[question.id] = [*histories.pop(before, [])]
                    self.gone[before] = question.id
                histories[question.id].insert(0, (new, "changed", question))
            for kind, names in (("added", diff.questions_added), ("removed", diff.questions_removed)):
                for name in names:
                    histories[name.id].insert(0, (new, kind, None))
                    self.gone[name.id] = None
        return histories


@dataclass
class Execution:
    """An execution of an agent: its checkpoints, the oldest first."""

    address: str
    checkpoints: list[AgentCheckpoint]
    findings: tuple[Finding, ...] = ()

    @property
    def newest(self) -> AgentCheckpoint:
        """The last checkpoint."""
        return self.checkpoints[-1]

    @cached_property
    def timeline(self) -> Timeline:
        """The timeline of the run."""
        return timeline_of(self.checkpoints)

    @property
    def has_secrets(self) -> bool:
        """Whether any value looks like a secret."""
        return _has_secrets(self.findings)


class Contents:
    """The content of sources, sorted into benchmarks and runs, in the given order.

    Benchmarks with the same identifier, or the same name if they have none, are versions of one benchmark. The newest
    version has the latest date of modification, or else is the last in the sources.
    """

    def __init__(self, sources: Iterable[Any], syntax: str | None) -> None:
        self.collections: list[BenchmarkHistory] = []
        self.runs: list[Execution] = []
        self._remarks: list[str] = []
        self._distinct = Distinct()
        profiles = Profiles()
        versions: defaultdict[str, list[Version]] = defaultdict(list)
        executions: defaultdict[tuple[str, str], dict[str, AgentCheckpoint]] = defaultdict(dict)
        findings: defaultdict[tuple[str, str], list[Finding]] = defaultdict(list)
        for source in sources:
            loaded, name, findings_of, rules = _loaded(source, syntax, profiles)
            if isinstance(loaded, Benchmark):
                version = Version(loaded, name, findings_of, rules)
                versions[loaded.id or f"{loaded.name}#"].append(version)
            elif not AgentHeader.of(loaded).is_of_writes:
                loaded, _ = withheld(loaded)
                key = loaded.agent_id, loaded.execution_id
                if executions[key].setdefault(loaded.id, loaded) != loaded:
                    message = f"{shown(name)} is another checkpoint called {shown(loaded.id)}: it is shown"
                    self._remarks.append(message)
                executions[key][loaded.id] = loaded
                findings[key] += findings_of
        for identifier, group in versions.items():
            dates = [date for date in (instant_of(each.content.metadata["modified_at"]) for each in group) if date]
            places = [*range(len(group))]
            if len(dates) == len(group):
                places.sort(key=dates.__getitem__)
            self.collections.append(BenchmarkHistory(address_of(identifier), [group[place] for place in places]))
        for key, checkpoints in executions.items():
            ordered = sorted(
                checkpoints.values(), key=lambda checkpoint: (checkpoint.timestamp, checkpoint.metadata.step_number)
            )
            self.runs.append(Execution(address_of("\n".join(key)), ordered, tuple(findings[key])))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks for the author of the site."""
        files = defaultdict(list)
        for collection in self.collections:
            files[collection.name].append(collection.newest.source)
        names = (
            f"{len(sources)} benchmarks are called {shown(name)}: {', '.join(sources)}; they have different "
            "identifiers, so each has pages of its own: give versions of one benchmark one @id"
            for name, sources in files.items()
            if len(sources) > 1
        )
        secretive = [collection.name for collection in self.collections if collection.has_secrets]
        secretive += [run.newest.execution_id for run in self.runs if run.has_secrets]
        withheld = "holds what looks like a secret: it is withheld, and the files are not offered"
        return (*names, *(f"{shown(name)} {withheld}" for name in secretive), *self._remarks)

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """Add a remark if a syntax cannot hold the checkpoint called `name`, which is not offered in it then."""
        try:
            yield
        except TargetUnwritableError:
            raise
        except WriteError as error:
            self._remarks.append(f"{shown(name)} is not offered in one of the syntaxes: {error}")

    def hold(self, file: str | os.PathLike[str]) -> None:
        """Assess the recorded answers in a file. Raises SettingsError if none is about a question of the site."""
        is_used, faults = False, []
        known = len(self._distinct.findings)
        for answer in self._distinct.of(read_answers(file), os.fspath(file)):
            both = [(collection, assessed(answer, collection.questions, None)) for collection in self.collections]
            for collection, assessment in both:
                if assessment.question is not None:
                    collection.answers[assessment.question.identifier].append(assessment)
                    collection.tally.add(assessment)
            if any(assessment.question is not None for _, assessment in both):
                is_used = True
            else:
                reason = both[-1][1].reason if both else "there is no benchmark"
                faults.append(f"{answer.place}: {reason}")
        is_repeated = len(self._distinct.findings) > known
        if not is_used and not (is_repeated and not faults):
            example = f", such as {faults[0]}" if faults else ", for there are none in it"
            raise SettingsError(
                f"{os.fspath(file)}: no answer in it is about a question of these benchmarks{example}; "
                "give the benchmark that the answers are for"
            )
        self._remarks += [f"{each.place}: {each.message}" for each in self._distinct.findings[known:]]
        self._remarks += faults


def _loaded(
    source: Any, syntax: str | None, profiles: Profiles
) -> tuple[Benchmark | AgentCheckpoint, str, tuple[Finding, ...], Any]:
    """Return the content of a source, its name, its findings, and the rules of its profile."""
    if isinstance(source, Benchmark):
        report = source.validate().report
        return source, source.name, report.findings, report.rules
    if not isinstance(source, str | bytes | os.PathLike):
        return source, source.id, source.validate().findings, {}
    read = families.examine(source, syntax=syntax)
    checked = check_source(read, profiles)
    if any(finding.severity is Severity.VIOLATION for finding in checked.findings):
        families.refusing(read)  # refuses a source that cannot be loaded; other findings are shown
    name = "<bytes>" if read.source is None else os.path.basename(read.source)  # noqa: PTH119 - a name, not a path
    return families.family(read.family).loaded(read, "off"), name, checked.findings, profiles.of(read.family).rules


def _has_secrets(findings: Iterable[Finding]) -> bool:
    return any(finding.rule.endswith("-secret") for finding in findings)
