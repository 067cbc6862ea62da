"""A benchmark as an RO-Crate: what belongs to it in one folder or archive, described (https://w3id.org/ro/crate/1.2).

The crate has the checkpoint as JSON-LD and as Turtle, the report of its validation, and the recorded answers and agent
runs that are given. `ro-crate-metadata.json`, which the library `rocrate` makes, describes each file, the creators of
the benchmark and its licence. Its statements are about the crate; those about questions are in the checkpoint.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agents import schema
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.graph import moment
from checkpoint_ld.assessment.answers import open_answers, read_answers
from checkpoint_ld.benchmark.content import QuestionNames
from checkpoint_ld.benchmark.editing import published_text
from checkpoint_ld.benchmark.question_columns import lost
from checkpoint_ld.data import library
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.dialects.reading import examine_bytes
from checkpoint_ld.documents.files import MEDIA_TYPES
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import LookupFailedError, ReadError, WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.literals import iri_of, is_iri
from checkpoint_ld.integrations.formats.citation import published_on, spdx_name
from checkpoint_ld.integrations.formats.credit import makers_of
from checkpoint_ld.integrations.formats.importing import CHECKPOINT, checkpoint_of, lost_properties
from checkpoint_ld.phrases import shown
from checkpoint_ld.validation import profiles, reports, validator

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checkpoint_ld.assessment.answers import RecordedAnswer
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.findings import Finding

    Paths = Sequence[str | os.PathLike[str]]

METADATA = "ro-crate-metadata.json"
TURTLE, REPORT = "checkpoint.ttl", "report.html"
_DESCRIPTION = "the description of a crate"
_PROCESS_RUN = "https://w3id.org/ro/wfrun/process/0.5"
"""The profile of crates with runs (https://www.researchobject.org/workflow-run-crate/profiles/process_run_crate/)."""
_ORCID = re.compile(r"(?:https?://)?(?:orcid\.org/|orcid:)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.IGNORECASE)
_NO_LICENCE = "No licence is stated: ask those who made the benchmark before you use it."
_OF_THIS = "give answers and runs of this version of the benchmark"
_OF_FILES = frozenset({"File", "MediaObject", "Dataset", "DataFeed", "SoftwareSourceCode", "ComputationalWorkflow"})
_DEMANDING = _OF_FILES | {"SoftwareApplication", "ComputerLanguage", "WebSite"}
"""Types that a crate demands more of than a citation states: membership in the crate, a version, an address."""


def files(benchmark: Benchmark, *, answers: Paths = (), runs: Paths = ()) -> tuple[dict[str, bytes], list[Finding]]:
    """Return the files of the crate by name, and findings about content that its description does not hold.

    `answers` are files of recorded answers, JSON lines or logs of Inspect; `runs` are agent checkpoints: those of one
    execution are the results of one action. Both are kept byte for byte. Raises SettingsError where `rocrate` is not
    installed, SourceMissingError and ReadError for files that cannot be read, InvalidCheckpoint for agent checkpoints
    that break rules, WriteError for those of another benchmark.
    """
    crate = _Crate(benchmark)
    crate.add_checkpoint()
    for path in answers:
        crate.add_answers(os.fspath(path))
    crate.add_runs([os.fspath(path) for path in runs])
    return {**crate.files, METADATA: dump_json(crate.crate.metadata.generate())}, crate.findings


class _Crate:
    def __init__(self, benchmark: Benchmark) -> None:
        library("rocrate", extra="ro-crate")
        self.rocrate = import_module("rocrate.rocrate")
        self.terms = import_module("rocrate.vocabs").RO_CRATE["@context"]
        self.crate = self.rocrate.ROCrate(version="1.2")
        self.benchmark = benchmark
        self.files: dict[str, bytes] = {}
        self.findings = [*lost_properties(benchmark, _DESCRIPTION, f"{CHECKPOINT} has them")]
        self.values_at: dict[str | None, Mapping[str, Any]] = {}
        root = self.crate.root_dataset
        for name, value in self._head().items():
            if value not in (None, [], {}, ""):
                root[name] = value

    def _head(self) -> dict[str, Any]:
        benchmark = self.benchmark
        published, unfit = published_on(benchmark, "a crate, which states the date of modification instead")
        self.findings += unfit
        return {
            "name": benchmark.name,
            "description": benchmark.description or benchmark.name,
            "version": benchmark.version,
            "dateCreated": benchmark.created_at,
            "dateModified": benchmark.modified_at,
            "datePublished": published or _date(benchmark.modified_at) or _date(benchmark.created_at),
            **self._citations(),
            "license": self._licence(),
            "author": self.value_of(_named(makers_of(benchmark), "Person"), "author"),
            "publisher": self.value_of(_named(self._stated("publisher"), "Organization"), "publisher"),
            "funder": self.value_of(_named(benchmark.funder, "Organization"), "funder"),
            "identifier": self.value_of(self._with_values(benchmark.identifier), "identifier", "PropertyValue"),
            "keywords": self.value_of(benchmark.keywords, "keyword", "DefinedTerm"),
        }

    def _stated(self, name: str) -> Any:
        values = as_list(self.benchmark.graph.content(self.benchmark.graph.root, name))
        return [value for value in values if isinstance(value, str | dict)]

    def _citations(self) -> dict[str, Any]:
        """Return the works to cite, all with an address as a crate wants it, and texts for the others."""
        works = _named(self.benchmark.citation, "CreativeWork")
        others = [work for work in works if _address(work) is None]
        if any(other.keys() - {"@type", "name"} for other in others):
            self.findings.append(_left("of a citation without an address, all but the name"))
        cited = [work for work in works if work not in others]
        texts = [text for other in others if (text := published_text(other))]
        return {"citation": self.value_of(cited, "citation", "CreativeWork"), "creditText": _compact(texts)}

    def _licence(self) -> Any:
        stated = self.benchmark.license
        if not stated:
            message = "the benchmark states no licence, but a crate has to: the crate states that there is none"
            self.findings.append(lost(message, remedy="set its licence"))
            return _NO_LICENCE
        licences = []
        for licence in as_list(stated):
            name = spdx_name(licence) if isinstance(licence, str) else None
            if isinstance(licence, str) and (name or is_iri(licence)):
                address = licence if is_iri(licence) else f"https://spdx.org/licenses/{name}"
                about = f"The licence {name} of SPDX's list" if name else "The terms at this address"
                licences.append({"@id": address, "name": name or licence, "description": about})
            else:
                licences.append(licence)
        return self.value_of(licences, "license", "CreativeWork")

    def _with_values(self, identifiers: Any) -> list[Any]:
        kept = [
            identifier for identifier in as_list(identifiers) if isinstance(identifier, str) or identifier.get("value")
        ]
        if len(kept) < len(as_list(identifiers)):
            self.findings.append(_left("an identifier without a value"))
        return kept

    def value_of(self, value: Any, name: str, kind: str = "Thing") -> Any:
        """Return a value for the crate; an object becomes an entity of its own, `#name` (RO-Crate 1.2, flattened)."""
        value = _compact(value)
        if isinstance(value, list):
            return [self.value_of(part, f"{name}-{number}", kind) for number, part in enumerate(value, 1)]
        if not isinstance(value, Mapping):
            return value
        if "@value" in value:
            return value["@value"]
        members = {key: part for key, part in value.items() if not key.startswith("@") and part is not None}
        types = [term for term in as_list(value.get("@type")) if isinstance(term, str)]
        usable = [term for term in types if term in self.terms and term not in _DEMANDING] or [kind]
        unknown = [key for key in members if key not in self.terms]
        unknown += [term for term in types if term not in self.terms]
        if unknown:
            self.findings.append(_left(f"of the {name.rstrip('-0123456789')}, {', '.join(unknown)}"))
        address = _address(value)
        if address in self.values_at and (not members or self.values_at[address] == value):
            return self.crate.get(address)
        if address is None or self.crate.get(address) is not None:
            address = f"#{name}"
        self.values_at[address] = value
        parts = {key: self.value_of(part, f"{name}-{key}") for key, part in members.items() if key in self.terms}
        parts = {"name": published_text(dict(value)) or name, **parts}
        return self.add(address, usable[0] if len(usable) == 1 else usable, **parts)

    def add(self, identifier: str, kind: str | list[str], /, **members: Any) -> Any:
        properties = {key: _compact(part) for key, part in members.items() if part not in (None, [], {}, "")}
        return self.crate.add(self.rocrate.ContextEntity(self.crate, identifier, {"@type": kind, **properties}))

    def add_file(self, path: str, data: bytes, name: str, description: str, **members: Any) -> Any:
        self.files[path] = data
        properties = {
            "name": name,
            "description": description,
            "encodingFormat": MEDIA_TYPES.get(PurePath(path).suffix.lower(), "application/octet-stream"),
            "contentSize": str(len(data)),
            "sha256": hashlib.sha256(data).hexdigest(),
            **members,
        }
        return self.crate.add_file(dest_path=path, properties=properties)

    def add_checkpoint(self) -> None:
        graph, name = self.benchmark.graph, self.benchmark.name
        data = checkpoint_of(self.benchmark)
        self.checkpoint = self.add_file(CHECKPOINT, data, name, "The benchmark: questions, templates, rubrics")
        self.crate.root_dataset["mainEntity"] = self.checkpoint
        same = {"isBasedOn": self.checkpoint, "about": self.checkpoint}
        self.add_file(TURTLE, emission.turtle_of(graph), f"{name} (Turtle)", f"The statements of {CHECKPOINT}", **same)
        profile = profiles.profile(profiles.DEFAULT)
        report = validator.report_of([validator.check_reading(examine_bytes(data, CHECKPOINT), profile)], profile)
        verdict = "conforms" if report.conforms else "does not conform"
        description = f"{CHECKPOINT} {verdict} to the profile {profile.name}"
        page = reports.render(report, "html").encode()
        self.add_file(REPORT, page, f"Validation of {name}", description, about=self.checkpoint)

    @cached_property
    def names(self) -> QuestionNames:
        """The names that answers have for the questions."""
        return QuestionNames(self.benchmark.graph)

    def knows(self, answer: RecordedAnswer) -> bool:
        """Return whether an answer is to a question of the benchmark."""
        try:
            self.names.identifier(answer.question_id or "", answer.question_text)
        except LookupFailedError:
            return False
        return True

    def add_answers(self, path: str) -> None:
        recorded = [*read_answers(path)]
        usable = [answer for answer in recorded if not answer.fault]
        if not usable:
            first = f": {recorded[0].place}: {recorded[0].fault}" if recorded else ""
            raise ReadError(f"{path}: there are no recorded answers in it{first}")
        with open_answers(path) as opened:
            data = opened.read()
        strange = sum(not self.knows(answer) for answer in usable)
        if strange:
            message = f"{path} has answers to questions that the benchmark does not have, {strange} of {len(usable)}"
            self.findings.append(lost(message, remedy=_OF_THIS))
        models = ", ".join(sorted({answer.model_name for answer in usable if answer.model_name}))
        description = f"{len(usable)} recorded answers{f' of {models}' if models else ''}"
        target = self._free("answers", path)
        self.add_file(target, data, PurePath(target).name, description, about=self.checkpoint)

    def add_runs(self, paths: Iterable[str]) -> None:
        """Add agent checkpoints, and an action for each execution. Raises WriteError for those of another benchmark."""
        own, executions = self.benchmark.id, dict[str, list[tuple[AgentCheckpoint, Any]]]()
        for path in paths:
            checkpoint = AgentCheckpoint.load(path)
            about = checkpoint.about.benchmark if checkpoint.about else None
            if about and own and iri_of(about) != iri_of(own):
                raise WriteError(f"{path}: the agent worked on {shown(about)}, not on {shown(own)}: leave it out")
            with open_answers(path) as opened:
                data = opened.read()
            target = self._free("runs", path)
            description = f"Where agent {checkpoint.agent_id} stood: {checkpoint.metadata.checkpoint_reason}"
            file = self.add_file(target, data, checkpoint.name or checkpoint.id, checkpoint.description or description)
            executions.setdefault(checkpoint.execution_id, []).append((checkpoint, file))
        if executions:
            profile = self.add(_PROCESS_RUN, ["CreativeWork", "Profile"], name="Process Run Crate", version="0.5")
            self.crate.root_dataset["conformsTo"] = profile
        for execution, runs in executions.items():
            self._add_action(execution, sorted(runs, key=lambda run: run[0].timestamp))

    def _add_action(self, execution: str, runs: Sequence[tuple[AgentCheckpoint, Any]]) -> None:
        last, _ = runs[-1]
        snapshots = [checkpoint.snapshot for checkpoint, _ in runs]
        starts = [thought.created_at for each in snapshots for thought in each.thought_chain]
        starts += [
            call.started_at for each in snapshots for call in each.tool_state.calls if call.started_at is not None
        ]
        questions = dict.fromkeys(checkpoint.about.question for checkpoint, _ in runs if checkpoint.about)
        agent = schema.iri("agent", last.agent_id)
        count = f"{len(runs)} checkpoints" if len(runs) > 1 else "1 checkpoint"
        action = self.add(
            schema.iri("execution", execution),
            "CreateAction",
            name=f"Run {execution} of agent {last.agent_id}",
            description=f"{count}; reason of the last one: {last.metadata.checkpoint_reason}",
            startTime=_time(min(starts)) if starts else None,
            endTime=_time(last.timestamp),
            instrument=self.crate.get(agent)
            or self.add(
                agent,
                "SoftwareApplication",
                name=last.metadata.agent_name or last.agent_id,
                description="The agent that ran (software, as PROV-O has it: SoftwareAgent)",
                url=agent,
                version="not stated",  # a crate demands one, and a checkpoint does not have it
            ),
            object=[self.checkpoint, *filter(None, map(self._question, filter(None, questions)))],
            result=[file for _, file in runs],
        )
        self.crate.root_dataset.append_to("mentions", action, compact=True)

    def _question(self, identifier: str) -> Any:
        """Return the entity of a question, None for one that the benchmark does not have."""
        address = iri_of(identifier)
        if entity := self.crate.get(address):
            return entity
        if identifier not in self.benchmark.get_question_ids():
            message = f"an agent worked on the question {shown(identifier)}, which the benchmark does not have"
            self.findings.append(lost(message, remedy=_OF_THIS))
            return None
        text = self.benchmark.get_question(identifier)["question"]
        return self.add(address, ["CreativeWork", "Question"], name=text, isPartOf=self.checkpoint)

    def _free(self, folder: str, path: str) -> str:
        """Return a name in a folder of the crate that no other file has, regardless of case."""
        plain, taken = PurePath(path), {file.casefold() for file in self.files}
        tried, number = f"{folder}/{plain.name}", 1
        while tried.casefold() in taken:
            number += 1
            tried = f"{folder}/{plain.stem}-{number}{plain.suffix}"
        return tried


def _compact(value: Any) -> Any:
    """Return the only item of a list, as RO-Crate recommends it, and any other value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _left(what: str) -> Finding:
    return lost(f"{what} has no place in {_DESCRIPTION}", remedy=f"{CHECKPOINT} has it")


def _address(value: Mapping[str, Any]) -> str | None:
    """Return the public IRI of the resource that an object describes; an ORCID iD is the address of a person."""
    texts = [text for text in (value.get("@id"), value.get("identifier"), value.get("url")) if isinstance(text, str)]
    orcid = next((match[1].upper() for text in texts if (match := _ORCID.fullmatch(text))), None)
    return f"https://orcid.org/{orcid}" if orcid else next(filter(is_iri, texts), None)


def _named(value: Any, kind: str) -> list[Any]:
    """Return a list of objects; a text becomes an object of type `kind` with that name, as does an affiliation."""
    entities = list[Any]()
    for item in filter(None, as_list(value)):
        if isinstance(item, str):
            entities.append({"@type": kind, "name": item, **({"@id": item} if is_iri(item) else {})})
            continue
        members = item.model_dump(by_alias=True, exclude_none=True) if hasattr(item, "model_dump") else item
        if isinstance(place := members.get("affiliation"), str):
            members = {**members, "affiliation": {"@type": "Organization", "name": place}}
        entities.append(members)
    return entities


def _time(timestamp: int) -> str:
    """Return a time with the offset in numbers: the validator of Process Run Crate refuses a Z."""
    return str(moment(timestamp)).replace("Z", "+00:00")


def _date(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return None
    return value
