"""Checkpoints as a format of rdflib: `Graph().parse("metals.jsonld", format="checkpoint")`, and `serialize` likewise.

rdflib finds both by entry points.

See "Plugins" in rdflib's documentation.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from rdflib.parser import Parser
from rdflib.serializer import Serializer

from checkpoint_ld import families, writing
from checkpoint_ld.agents.serialization import written
from checkpoint_ld.dialects.reading import Reading
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph import emission

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.parser import InputSource


class CheckpointParser(Parser):
    """Reads a checkpoint of any dialect, syntax and family into a graph."""

    def parse(self, source: InputSource, sink: Graph, *, inferred: bool = False, prov: bool = False, **_: Any) -> None:
        """Add the statements of a checkpoint to `sink`, with `inferred` ones and the provenance of agents (`prov`).

        Raises ReadError if the source is no checkpoint.
        """
        stream: Any = source.getByteStream() or source.getCharacterStream()
        text = stream.read()
        data = text.encode() if isinstance(text, str) else text
        name = source.getPublicId() or source.getSystemId()
        read = families.examine_bytes(data, name, syntax=None)
        graph = families.graph_of(families.refusing(read), prov=prov)
        sink.addN((*statement, sink) for statement in (families.inferred(graph) if inferred else graph))


class CheckpointSerializer(Serializer):
    """Writes a graph that holds one checkpoint as the canonical file of its family."""

    def serialize(self, stream: IO[bytes], base: str | None = None, encoding: str | None = None, **_: Any) -> None:  # noqa: ARG002 - rdflib's signature
        """Write the checkpoint. Raises ReadError for a graph that holds none, or several."""
        if encoding is not None and encoding.lower().replace("-", "") != "utf8":
            raise WriteError(f"a checkpoint is UTF-8, not {encoding}: leave the encoding out")
        read = families.refusing(families.of_statements(emission.held(self.store)))
        if isinstance(read, Reading):
            stream.write(writing.write(read.graph).data)
        else:
            stream.write(written(read.tree, "canonical"))
