"""The provenance of runs of agents for the library `prov`: PROV-JSON, PROV-N, PROV-XML and its pictures.

`prov_document` states it in the model of PROV-DM (https://www.w3.org/TR/prov-dm/), with the names that the graph of a
checkpoint has. The module imports `prov` (https://prov.readthedocs.io), which the extra `prov` installs.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.schema import escaped, iri
from checkpoint_ld.agents.values import ENDS
from checkpoint_ld.data import library
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.literals import iri_of
from checkpoint_ld.vocabulary import CAF

library("prov.model", extra="prov")  # raises SettingsError, with the extra to install, where it is absent

from prov.constants import PROV, PROV_LABEL, PROV_TYPE, PROV_VALUE  # noqa: E402 - after that check
from prov.model import ProvDocument, ProvException  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prov.identifier import Namespace, QualifiedName

    from checkpoint_ld.agents.values import Thought, ToolCall

_STEM: Final = re.compile(r".*[/#:]", re.DOTALL)
_WORD: Final = re.compile(r"[/#:]([a-z][a-z-]*)[/#:]\Z", re.ASCII)
"""The last word of such a beginning, which is its prefix."""


def prov_document(checkpoints: AgentCheckpoint | Iterable[AgentCheckpoint]) -> Any:
    """Return the provenance of the runs in checkpoints as one `prov.model.ProvDocument`.

    Entities are checkpoints, thoughts, and the arguments and results of calls; activities are executions and calls,
    with their times. A call used its arguments and the thought before it, and generated its result. A thought derives
    from its parent, and from the results since the thought before it, which informed it. A thought or call in several
    checkpoints is as in the latest. `serialize(format="json")` writes PROV-JSON, `get_provn()` is PROV-N,
    `prov.dot.prov_to_dot` draws. Raises ReadError for provenance that `prov` finds invalid.
    """
    given = (checkpoints,) if isinstance(checkpoints, AgentCheckpoint) else checkpoints
    ordered = sorted(given, key=lambda each: (each.timestamp, each.metadata.step_number, each.id))
    try:
        return _Run(ordered).document
    except ProvException as error:
        raise ReadError(f"the library prov finds the provenance invalid: {error}") from error


class _Run:
    """The provenance of checkpoints, the oldest first, while it is made."""

    def __init__(self, checkpoints: list[AgentCheckpoint]) -> None:
        self.document = ProvDocument()
        self.prefixes: dict[str, Namespace] = {}
        thoughts: dict[str, tuple[Thought, AgentCheckpoint]] = {}
        calls: dict[str, tuple[ToolCall, AgentCheckpoint]] = {}
        results: dict[str, Any] = {}
        known = {checkpoint.id for checkpoint in checkpoints}
        executions: dict[str, list[AgentCheckpoint]] = {}
        for checkpoint in checkpoints:
            executions.setdefault(checkpoint.execution_id, []).append(checkpoint)
            for thought in checkpoint.snapshot.thought_chain:
                thoughts[thought.id] = thought, thoughts.get(thought.id, (None, checkpoint))[1]
            for call in checkpoint.snapshot.tool_state.calls:
                calls[call.id] = call, calls.get(call.id, (None, checkpoint))[1]
            results.update(checkpoint.snapshot.tool_state.results)
        for name, members in executions.items():
            self._execution(name, members)
        for checkpoint in checkpoints:
            self._checkpoint(checkpoint, known)
        self._steps(thoughts, calls, results)

    def name(self, uri: str) -> QualifiedName:
        """Return a name with a prefix for all that is before its last `/`, `#` or `:`.

        `prov` would split it where a name of XML may begin, as in `urn:caf:thought/%` and `C3%BC`, and then refuses the
        first part as the namespace of PROV-XML.
        """
        match = _STEM.match(uri)
        stem = match[0] if match and match.end() < len(uri) else uri
        if stem not in self.prefixes:
            last = _WORD.search(stem)
            taken = {space.prefix for space in self.prefixes.values()} | {"prov", "xsd", "xsi", ""}
            prefix = last[1] if last and last[1] not in taken else f"n{len(self.prefixes)}"
            self.prefixes[stem] = self.document.add_namespace(prefix, stem)
        return self.prefixes[stem][uri.removeprefix(stem)]

    def _type(self, name: str) -> dict[Any, Any]:
        return {PROV_TYPE: self.name(CAF + name)}

    def _agent(self, checkpoint: AgentCheckpoint) -> QualifiedName:
        name = self.name(iri("agent", checkpoint.agent_id))
        if not self.document.get_record(name):
            self.document.agent(name, {PROV_TYPE: PROV["SoftwareAgent"], PROV_LABEL: checkpoint.agent_id})
        return name

    def _execution(self, execution: str, checkpoints: list[AgentCheckpoint]) -> None:
        name, last = self.name(iri("execution", execution)), checkpoints[-1]
        begun = min(
            [
                last.timestamp - int(last.metadata.duration_ms),
                *(thought.created_at for thought in checkpoints[0].snapshot.thought_chain[:1]),
                checkpoints[0].timestamp,
            ]
        )
        ended = _moment(last.timestamp) if last.metadata.checkpoint_reason in ENDS else None
        self.document.activity(name, _moment(max(begun, 0)), ended, self._type("Execution"))
        self.document.wasAssociatedWith(name, self._agent(last))
        if last.about is not None:
            for of in (last.about.question, last.about.benchmark):
                if of is not None:
                    self.document.used(name, self.name(iri_of(of)))

    def _checkpoint(self, checkpoint: AgentCheckpoint, known: set[str]) -> None:
        name = self.name(iri("checkpoint", checkpoint.id))
        self.document.entity(name, self._type("Checkpoint"))
        execution = self.name(iri("execution", checkpoint.execution_id))
        self.document.wasGeneratedBy(name, execution, _moment(checkpoint.timestamp))
        self.document.wasAttributedTo(name, self._agent(checkpoint))
        if checkpoint.parent is not None:
            above = self.name(iri("checkpoint", checkpoint.parent.checkpoint_id))
            if checkpoint.parent.checkpoint_id not in known:
                self.document.entity(above)
            self.document.wasDerivedFrom(name, above)

    def _steps(
        self,
        thoughts: dict[str, tuple[Thought, AgentCheckpoint]],
        calls: dict[str, tuple[ToolCall, AgentCheckpoint]],
        results: dict[str, Any],
    ) -> None:
        order = sorted(thoughts.values(), key=lambda pair: pair[0].created_at)
        for thought, checkpoint in order:
            name = self.name(iri("thought", thought.id))
            self.document.entity(name, {**self._type("Thought"), PROV_VALUE: thought.content})
            execution = self.name(iri("execution", checkpoint.execution_id))
            self.document.wasGeneratedBy(name, execution, _moment(thought.created_at))
            if thought.parent_id in thoughts and thought.parent_id != thought.id:
                self.document.wasDerivedFrom(name, self.name(iri("thought", thought.parent_id)))
        for call, checkpoint in calls.values():
            self._call(call, checkpoint, results)
            start = call.started_at
            if before := [thought.id for thought, _ in order if start is not None and thought.created_at <= start]:
                self.document.used(self.name(iri("tool-call", call.id)), self.name(iri("thought", before[-1])))
        ended = sorted(
            (call.completed_at, call.id) for call, _ in calls.values() if call.completed_at and call.id in results
        )
        since = -1
        for thought, _ in order:
            for moment, call_id in ended:
                if since < moment <= thought.created_at:
                    self.document.wasDerivedFrom(
                        self.name(iri("thought", thought.id)), self.name(_of_call("result", call_id))
                    )
            since = max(since, thought.created_at)

    def _call(self, call: ToolCall, checkpoint: AgentCheckpoint, results: dict[str, Any]) -> None:
        name = self.name(iri("tool-call", call.id))
        begun, ended = (None if time is None else _moment(time) for time in (call.started_at, call.completed_at))
        facts = {**self._type("ToolCall")}
        if call.tool_id is not None:
            facts[PROV_LABEL] = call.tool_id
        if call.success is not None:
            facts[self.name(f"{CAF}success")] = call.success
        if call.error is not None:
            facts[self.name(f"{CAF}error")] = call.error
        self.document.activity(name, begun, ended, facts)
        self.document.wasAssociatedWith(name, self._agent(checkpoint))
        self.document.wasInformedBy(name, self.name(iri("execution", checkpoint.execution_id)))
        if call.args is not None:
            arguments = self.name(_of_call("arguments", call.id))
            self.document.entity(arguments, {PROV_VALUE: json.dumps(call.args, ensure_ascii=False)})
            self.document.used(name, arguments, begun)
        if call.id in results:
            result = self.name(_of_call("result", call.id))
            self.document.entity(result, {PROV_VALUE: json.dumps(results[call.id], ensure_ascii=False)})
            self.document.wasGeneratedBy(result, name, ended)


def _of_call(part: Literal["arguments", "result"], call_id: str) -> str:
    """Return the IRI of a part of a call, which the graph of a checkpoint has as a literal."""
    return f"urn:caf:{part}/{escaped(call_id)}"


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
