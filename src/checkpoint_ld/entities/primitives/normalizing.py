"""Normalisers: what is done to texts before they are compared."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from checkpoint_ld import suggestion
from checkpoint_ld.entities.primitives.primitive import OpenEntity
from checkpoint_ld.entities.primitives.values import text_of
from checkpoint_ld.errors import EvaluationValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NormalizerName: TypeAlias = Literal["lowercase", "strip", "remove_punctuation", "collapse_whitespace"]

_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)

NORMALIZERS: Final[Mapping[NormalizerName, Callable[[str], str]]] = {
    "lowercase": str.lower,
    "strip": str.strip,
    "remove_punctuation": lambda text: text.translate(_WITHOUT_PUNCTUATION),
    "collapse_whitespace": lambda text: " ".join(text.split()),
}
"""The normalisers that have a name.

`lowercase` leaves the German sharp s alone; `remove_punctuation` knows the punctuation of ASCII only.
"""


class SynonymMap(OpenEntity):
    """A normaliser that replaces a whole text: a key of `mapping` by its value. Other texts stay as they are."""

    mapping: dict[str, str] = Field(description="Texts and what takes their place")


Normalizer: TypeAlias = NormalizerName | SynonymMap
Normalizers: TypeAlias = Annotated[
    list[Normalizer], Field(description="What is done to both texts before they are compared, in order")
]


def apply_normalizer(normalizer: Normalizer, text: str) -> str:
    """Return `text` after one normaliser. Raises `EvaluationValueError` (a ValueError) for a name that is none."""
    if isinstance(normalizer, SynonymMap):
        return normalizer.mapping.get(text, text)
    if normalizer in NORMALIZERS:
        return NORMALIZERS[normalizer](text)
    raise EvaluationValueError(suggestion.unknown("normaliser", str(normalizer), NORMALIZERS))


def apply_normalizers(normalizers: Sequence[Normalizer], text: str) -> str:
    """Return `text` after all normalisers, from left to right; the order matters. Raises as `apply_normalizer` does."""
    for normalizer in normalizers:
        text = apply_normalizer(normalizer, text)
    return text


def same_text(extracted: Any, expected: Any, normalizers: Sequence[Normalizer]) -> bool:
    """Tell whether two JSON values have the same text after the normalisers; null equals null only."""
    if extracted is None or expected is None:
        return extracted is expected
    return apply_normalizers(normalizers, text_of(extracted)) == apply_normalizers(normalizers, text_of(expected))
