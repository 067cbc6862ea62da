"""`AgentCheckpoint`: the state of an agent at one moment, read, compared, shown and saved."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import ValidationError

from checkpoint_ld.agents.shapes import detect_shape, to_second
from checkpoint_ld.agents.structure import is_broken
from checkpoint_ld.agents.text_form import TextForm, text_form
from checkpoint_ld.agents.values import (
    EXTENSIONS,
    ExportShape,
    Heading,
    Members,
    Shape,
    Snapshot,
    bytes_of,
    bytes_of_ordered,
    migrated,
)
from checkpoint_ld.documents.files import is_packed, kind_of, replace_file
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.errors import InvalidCheckpoint, ShapeError, WriteError
from checkpoint_ld.findings import Severity
from checkpoint_ld.mapping.traits import place_of, words_of
from checkpoint_ld.notebook import Card, Shown
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import BinaryIO

    from rdflib import Graph

    from checkpoint_ld.agents.graph import AgentGraph
    from checkpoint_ld.agents.serialization import AgentReading
    from checkpoint_ld.frames import FrameLibrary
    from checkpoint_ld.validation.results import Report


class AgentCheckpoint(Heading, Shown):
    """The complete state of an agent at one moment, in the newest version and the canonical shape.

    `timestamp` counts milliseconds since 1970 in UTC. `diff` is kept unchanged and never trusted. Unknown members are
    kept at every level. A checkpoint is frozen: do not change its JSON parts in place.
    """

    snapshot: Snapshot
    diff: Members | None = None

    def __repr__(self) -> str:
        counts = f"{len(self.snapshot.thought_chain)} thoughts, {len(self.snapshot.tool_state.calls)} calls"
        return f"<AgentCheckpoint {self.id!r} of {self.agent_id!r} in {self.execution_id!r}: {counts}>"

    def _card(self) -> Card:
        facts = {
            "agent": self.agent_id,
            "execution": self.execution_id,
            "name": self.name,
            "taken": datetime.fromtimestamp(self.timestamp / 1000, UTC),
            "reason": self.metadata.checkpoint_reason,
            "description": self.description,
        }
        return Card("AgentCheckpoint", self.id, "", facts, self.snapshot.tables())

    def to_dataframe(self, table: Literal["calls", "thoughts"] = "calls", *, library: FrameLibrary = "pandas") -> Any:
        """Return the calls of tools, or the thoughts, as a data frame of pandas or polars, a row for each.

        A call has its result; values that are no scalars are JSON texts. Raises SettingsError for another table or
        library, and where the library is not installed.
        """
        return self.snapshot.to_dataframe(table, library=library)

    @classmethod
    def load(cls, source: str | os.PathLike[str] | BinaryIO | bytes) -> Self:
        """Read a checkpoint from a path, bytes or an open binary file, in either shape and any released version.

        Compressed files (`.json.gz`) and RDF syntaxes are read as well. Raises ReadError if it cannot be read, in
        particular ShapeError, UnsupportedVersion and, if there is no such file, SourceMissingError; and
        InvalidCheckpoint with the report for a checkpoint that breaks rules.
        """
        from checkpoint_ld.agents.serialization import examine  # noqa: PLC0415 - loads rdflib

        return cls.of_reading(examine(source))

    @classmethod
    def of_reading(cls, reading: AgentReading) -> Self:
        """Return the checkpoint of a reading. Raises InvalidCheckpoint with the report on the source as `load`."""
        is_well_formed = all(found.severity is not Severity.VIOLATION for found in reading.findings)
        checkpoint = cls._of_values(reading.tree)
        if is_well_formed and isinstance(checkpoint, cls) and not is_broken(checkpoint, checkpoint.diff):
            return checkpoint
        from checkpoint_ld.agents import rules  # noqa: PLC0415 - loads rdflib

        raise _refusal(checkpoint, rules.report_on(reading))

    @classmethod
    def of_tree(cls, tree: Mapping[str, Any]) -> Self:
        """Return the checkpoint for plain JSON of the canonical shape; defaults are not filled in.

        Raises ShapeError, UnsupportedVersion, WriteError for values that are no JSON, such as NaN, and
        InvalidCheckpoint with the report if it breaks rules.
        """
        bytes_of_ordered(tree)
        return cls.of_json(tree)

    @classmethod
    def of_json(cls, tree: Mapping[str, Any]) -> Self:
        """Do as `of_tree` for values that were read from JSON, which are not looked at again."""
        if detect_shape(tree) != "canonical":
            raise ShapeError.of([finding("agent-shape", "this is the second shape, not the canonical one", pointer="")])
        checkpoint = cls._of_values(tree := migrated(dict(tree)))
        if isinstance(checkpoint, cls) and not is_broken(checkpoint, checkpoint.diff):
            return checkpoint
        from checkpoint_ld.agents import rules  # noqa: PLC0415 - loads rdflib

        raise _refusal(checkpoint, rules.report_on(tree))

    @classmethod
    def from_graph(cls, graph: Graph) -> Self:
        """Return the checkpoint that a graph states; derived statements in it are ignored.

        Raises ReadError for a graph without exactly one checkpoint in it, and InvalidCheckpoint as `load`.
        """
        from checkpoint_ld.agents.serialization import examine  # noqa: PLC0415 - loads rdflib

        return cls.of_reading(examine(graph))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, with the members of `update`, which are not checked: see `but` and `refusing`."""
        copied = super().model_copy(update=update, deep=deep)
        # pydantic copies cached properties as well; they would be those of the original.
        for name in ("sha256", "form"):
            copied.__dict__.pop(name, None)
        return copied

    def refusing(self) -> Self:
        """Return this checkpoint; raise InvalidCheckpoint with the report if it breaks a rule."""
        checkpoint = self._of_values(self.tree())
        if isinstance(checkpoint, ValidationError) or is_broken(checkpoint, checkpoint.diff):
            raise _refusal(checkpoint, self.validate())
        return self

    def content(self, shape: ExportShape = "canonical") -> bytes:
        """Return the text form in UTF-8, by default in the canonical shape; other forms are JSON-LD and RDF syntaxes.

        An RDF syntax includes the statements in PROV-O. Raises WriteError for values that are no JSON, such as NaN in a
        variable.
        """
        if shape == "second":
            return bytes_of(to_second(self.tree()), shape)
        if shape != "canonical":
            from checkpoint_ld.agents.serialization import written  # noqa: PLC0415 - loads rdflib

            return written(self.tree(), shape)
        content = self.form.content
        # The hash is made of the same text, which is not made twice.
        self.__dict__.setdefault("sha256", hashlib.sha256(content).hexdigest())
        return content

    @cached_property
    def form(self) -> TextForm:
        """The text form in the canonical shape, in pieces. Raises WriteError as `content`."""
        snapshot, tools = self.snapshot, self.snapshot.tool_state
        bare = snapshot.model_copy(
            update={"thought_chain": (), "tool_state": tools.model_copy(update={"calls": (), "results": {}})}
        )
        try:
            return text_form(self.model_copy(update={"snapshot": bare}).tree(), snapshot)
        except WriteError:
            bytes_of_ordered(self.tree())  # raises an error with the place in the checkpoint
            raise

    def dumps(self, shape: Shape = "canonical") -> str:
        """Return the text form, by default in the canonical shape. Raises WriteError as `content`."""
        return self.content(shape).decode()

    @cached_property
    def sha256(self) -> str:
        """The hash of the text form in the canonical shape, in hexadecimal digits."""
        return self.form.sha256

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a new file, wholly or not at all.

        The extension chooses the format: `.json`, `.jsonld`, or RDF in `.nq`, `.nt`, `.ttl`, `.trig` or `.rdf`; without
        one it is JSON in the canonical shape. `.gz` after that packs the file.
        Raises TargetExistsError if there is a file already, and WriteError for another extension and for a file that
        cannot be written.
        """
        content = self.content(kind_of(path, EXTENSIONS, "canonical"))
        replace_file(path, content, overwrite=False, pack=is_packed(path))

    def to_graph(self, *, prov: bool = True) -> AgentGraph:
        """Return the checkpoint as a graph, with the derived statements in PROV-O unless `prov` is false."""
        from checkpoint_ld.agents.graph import AgentGraph  # noqa: PLC0415 - loads rdflib

        return AgentGraph.of_tree(self.tree(), prov=prov)

    def validate(self, profile: str = "agent") -> Report:  # type: ignore[override] # the name is deprecated in pydantic
        """Validate the checkpoint by the rules of a profile. Raises SettingsError for an unknown profile."""
        from checkpoint_ld.agents import rules  # noqa: PLC0415 - loads rdflib

        return rules.report_on(self.tree(), profile)

    @classmethod
    def _of_values(cls, tree: Mapping[str, Any]) -> Self | ValidationError:
        try:
            return cls.model_validate(tree)
        except ValidationError as error:
            return error


def _refusal(checkpoint: AgentCheckpoint | ValidationError, report: Report) -> InvalidCheckpoint:
    """Return the error about a checkpoint that breaks rules, or whose values are of the wrong type."""
    found = report.at_least(Severity.VIOLATION)
    if not found and isinstance(checkpoint, ValidationError):
        for error in checkpoint.errors(include_url=False, include_context=False):
            given = shown(error["input"]) if isinstance(error["input"], str) else type(error["input"]).__name__
            message = f"{words_of(error['msg'])}; found {given}"
            found = (*found, finding("agent-value", message, pointer=pointer(place_of(error["loc"]))))
    return InvalidCheckpoint("\n".join(map(str, found)), found, report)
