"""Records as data frames of pandas or polars, which come with optional extras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.extras import library

if TYPE_CHECKING:
    from checkpoint_ld.exports.records import Record

FrameLibrary: TypeAlias = Literal["pandas", "polars"]


def data_frame(records: list[Record], kind: FrameLibrary) -> Any:
    """Return records as a data frame; a value None is a missing one.

    Raises SettingsError for another library than pandas and polars, and for one that is not installed.
    """
    if kind not in ("pandas", "polars"):
        raise SettingsError(f'the library is {kind!r}: use "pandas" or "polars"')
    frames = library(kind)
    if kind == "pandas":
        # Without its own inference: a column of whole numbers and gaps would turn into floats.
        return frames.DataFrame(records).convert_dtypes()
    # Custom metadata may have values of several types under one key, which polars reads as text then.
    return frames.DataFrame(records, infer_schema_length=None, strict=False)
