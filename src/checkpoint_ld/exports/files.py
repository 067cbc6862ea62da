"""A benchmark as the bytes of a file in one of the formats of export."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld import emission
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.errors import SettingsError, WriteError
from checkpoint_ld.exports.comma_separated import question_table
from checkpoint_ld.exports.dictionary import dictionary
from checkpoint_ld.exports.markdown import document

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from checkpoint_ld.content import BenchmarkContent
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

FORMATS = ("json", "csv", "markdown", "jsonld")
EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown", ".jsonld": "jsonld"}
)
"""The formats by the extensions of files."""


def format_of(path: str | os.PathLike[str], wanted: str) -> str:
    """Return the format to write: `wanted`, or for `auto` that of the extension. Raises SettingsError, WriteError."""
    if wanted == "auto":
        return kind_of(path, EXTENSIONS, "json")
    wanted = "markdown" if wanted == "md" else wanted
    if wanted not in FORMATS:
        raise SettingsError(f"there is no format {wanted!r} to export to: use auto, {', '.join(FORMATS)}")
    return wanted


def written(content: BenchmarkContent, graph: CheckpointGraph, kind: str) -> bytes:
    """Return a benchmark in a format of `FORMATS`. Raises WriteError for what UTF-8 or JSON cannot hold."""
    if kind == "jsonld":
        return dump_json(emission.jsonld_of(graph, emission.ContextStyle.IMPROVED))
    if kind == "json":
        return dump_json(dictionary(content))
    text = question_table(content) if kind == "csv" else document(content)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise WriteError(f"a text holds half a surrogate pair ({error.object[error.start]!a}): correct it") from None
