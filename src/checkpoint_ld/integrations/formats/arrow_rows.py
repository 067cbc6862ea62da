"""Rows of Parquet and Arrow files, with the values that the features of `datasets` give them.

A class label is its name, a value of the feature `Json` is the value that its text has, and a date keeps its offset.
Features stand in the metadata of a file (https://huggingface.co/docs/datasets/about_dataset_features), or in the card.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any

from checkpoint_ld.data import library
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.errors import CheckpointLdError, ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SERIES = ("List", "LargeList", "Sequence", "FixedSizeList")
_OFFSETS = ("UTC", "Z", "+", "-")


def parquet_rows(
    source: str | IO[bytes], place: str, features: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file. Raises ReadError for a damaged one."""
    parquet = library("pyarrow.parquet", extra="hugging-face")
    return _rows(lambda: parquet.ParquetFile(source).read(), place, features)


def arrow_rows(path: str, place: str, features: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the rows of an Arrow file, a stream or not. Raises ReadError for a damaged one."""
    arrow = library("pyarrow", extra="hugging-face")

    def read() -> Any:
        with arrow.OSFile(path) as content:
            try:
                return arrow.ipc.open_stream(content).read_all()
            except arrow.ArrowInvalid:
                return arrow.ipc.open_file(content).read_all()

    return _rows(read, place, features)


def zones(table: list[dict[str, Any]]) -> dict[str, str]:
    """Return the named zones of dates by column, of which texts keep the offsets only."""
    zone_of = dict[str, str]()
    for row in table:
        for name, value in row.items():
            zone = str(value.tzinfo) if isinstance(value, datetime) and value.tzinfo else ""
            if zone and not zone.startswith(_OFFSETS):
                zone_of[name] = zone
    return zone_of


def _rows(read: Any, place: str, features: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    try:
        table = read()
        # Arrow's own values: images and sounds would be decoded otherwise, and fetched.
        rows: list[dict[str, Any]] = table.to_pylist()
    except Exception as error:  # Arrow raises classes of its own, and those of the codecs
        if isinstance(error, MemoryError):
            raise
        reason = str(error).partition("\n")[0]
        raise ReadError(f"{place}: the data cannot be read: {reason}") from error
    names = table.schema.names
    if twice := [name for name in names if names.count(name) > 1][:1]:
        raise ReadError(f"{place}: two columns are called {twice[0]!r}: rename one")
    known = {**_features(table.schema), **(features or {})}
    try:
        for row in rows:
            for name in row:
                row[name] = decoded(row[name], known.get(name))
    except CheckpointLdError as error:
        raise ReadError(f"{place}: a value of a column of JSON is none: {error}") from error
    return rows


def _features(schema: Any) -> dict[str, Any]:
    stated: Any = None
    with suppress(ValueError):
        stated = json.loads((schema.metadata or {}).get(b"huggingface", b"null"))
    stated = stated.get("info", {}).get("features", {}) if isinstance(stated, dict) else {}
    typed = {
        name: {"_type": "Json"}
        for name, kind in zip(schema.names, schema.types, strict=True)
        if "arrow.json" in str(kind)
    }
    return {**typed, **(stated if isinstance(stated, dict) else {})}


def decoded(value: Any, feature: Any) -> Any:
    """Return a value as its feature has it: the name of a class label, the value of a text of JSON."""
    kind = feature.get("_type") if isinstance(feature, dict) else None
    if isinstance(value, datetime) and getattr(value, "nanosecond", False):
        return value.isoformat()
    if value is None or (feature is None):
        return value
    if kind == "ClassLabel":
        return _label(value, [str(name) for name in feature.get("names") or ()])
    if kind == "Json":
        return read_json(value.encode()).value if isinstance(value, str) else value
    if kind in _SERIES or isinstance(feature, list):
        inner = feature.get("feature") if isinstance(feature, dict) else next(iter(feature), None)
        if isinstance(value, dict) and isinstance(inner, dict):  # of objects, an older release made an object of lists
            return {name: decoded(member, [inner.get(name)]) for name, member in value.items()}
        return [decoded(item, inner) for item in value] if isinstance(value, list) else value
    if isinstance(feature, dict) and kind is None and isinstance(value, dict):
        return {name: decoded(member, feature.get(name)) for name, member in value.items()}
    return value


def _label(value: Any, names: list[str]) -> Any:
    """Return the name of a class; -1 stands for none. A table of text has the number as a text, or the name."""
    if isinstance(value, str) and value not in names and value.lstrip("-").isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    return None if value == -1 else names[value] if 0 <= value < len(names) else value
