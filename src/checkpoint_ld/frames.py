"""Data frames of pandas and polars, whose columns change no value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.data import library
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

FrameLibrary: TypeAlias = Literal["pandas", "polars"]


def cell_of(value: Any) -> Any:
    """Return a value for one cell: a list or an object as JSON text, other values as they are."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | tuple) else value


def columns_of(records: list[dict[str, Any]], names: Iterable[str]) -> dict[str, list[Any]]:
    """Return records that have the same keys as columns by name; without records, the columns `names` are empty."""
    return {name: [record[name] for record in records] for name in (records[0] if records else names)}


def data_frame(columns: dict[str, list[Any]], kind: FrameLibrary) -> Any:
    """Return columns as a data frame; a value None is a missing one.

    No value is changed to fit a column: for polars a column is one of texts if its values have several types, or a
    number has more than 64 bits; for pandas one of objects. Raises SettingsError for another library than these, and
    for one that is not installed.
    """
    if kind not in ("pandas", "polars"):
        raise SettingsError(f'the library is {kind!r}: use "pandas" or "polars"')
    frames = library(kind)
    if kind == "pandas":
        # Without its own inference: a column of whole numbers and gaps would turn into floats.
        frame = frames.DataFrame(columns, dtype=object)
        return frame.convert_dtypes().assign(**{name: frame[name] for name in columns if _is_mixed(columns[name])})
    for name, values in columns.items():
        if _is_mixed(values) or any(isinstance(value, int) and abs(value) >> 63 for value in values):
            columns = {**columns, name: [None if value is None else str(value) for value in values]}
    return frames.DataFrame(columns, strict=False)


def _is_mixed(values: list[Any]) -> bool:
    """Return whether a column of numbers would change a value: a truth value, or a whole number among fractions."""
    kinds = {*map(type, values)}
    is_large = float in kinds and any(type(value) is int and abs(value) >> 53 for value in values)
    return is_large or (bool in kinds and not kinds.isdisjoint((int, float)))
