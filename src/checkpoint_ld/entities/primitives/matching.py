"""Regular expressions out of documents, compiled and matched so that none can keep the program from going on.

What cannot take long is done here: a short plain pattern in which the number of ways to match a text is bounded. All
else is done by a process that is given up after a time limit.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from checkpoint_ld.documents.values import shown
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.workers.patterns import TIME_LIMIT, ask
from checkpoint_ld.workers.process import TimeLimitError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FlagName: TypeAlias = Literal[
    "A", "I", "M", "S", "X", "ASCII", "IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE"
]  # fmt: skip

FLAGS: Final[Mapping[str, re.RegexFlag]] = MappingProxyType(
    {
        "ASCII": re.ASCII,
        "IGNORECASE": re.IGNORECASE,
        "MULTILINE": re.MULTILINE,
        "DOTALL": re.DOTALL,
        "VERBOSE": re.VERBOSE,
        "A": re.ASCII,
        "I": re.IGNORECASE,
        "M": re.MULTILINE,
        "S": re.DOTALL,
        "X": re.VERBOSE,
    }
)
"""The flags of Python's `re` that a pattern may be given, by both of their names."""

Match: TypeAlias = str | tuple[str, ...]
"""What a pattern matched: the text, that of its group, or those of its groups, as Python's `findall` has it."""

MOST_STEPS = 5_000_000
"""How many steps a match may take here; a quarter of a second."""

_LONGEST_PATTERN = 2_000
_SLOW_TO_COMPILE = re.compile(r"[^\x00-\x7f]|\\[uUN]")
"""Sets and ranges beyond ASCII are spelt out character by character when case is ignored."""
_REPEATED_GROUP = re.compile(r"\)\s*[*+?{]")
_REFERENCE = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")
_VERBOSE = re.compile(r"\(\?[aiLmsu]*x")


def refuse_faulty(pattern: str, flags: Sequence[str] = ()) -> None:
    """Raise ValueError, with the reason, for a pattern that does not compile under the flags, or not in time."""
    try:
        _compiled(pattern, _bits(flags)) if _compiles_fast(pattern) else ask("compile", pattern, _bits(flags), "")
    except TimeLimitError as error:
        raise ValueError(f"the pattern {shown(pattern)} takes too long to compile: simplify it") from error
    except (ValueError, re.error, OverflowError, RecursionError, EvaluationError) as error:
        reason = str(error) or "nested too deeply"
        raise ValueError(f"the pattern {shown(pattern)} is no regular expression ({reason}): correct it") from error


def occurs(pattern: str, text: str, flags: Sequence[str] = ()) -> bool:
    """Tell whether a pattern occurs anywhere in a text.

    Raises `EvaluationError` if that takes too long, or if the pattern does not compile.
    """
    if is_quick(pattern, text, flags):
        return _usable(pattern, flags).search(text) is not None
    return bool(_asked("search", pattern, text, flags))


def find_all(pattern: str, text: str, flags: Sequence[str] = ()) -> list[Match]:
    """Return all matches, as Python's `findall` does. Raises as `occurs` does."""
    if is_quick(pattern, text, flags):
        return _usable(pattern, flags).findall(text)
    found: list[str | list[str]] = _asked("findall", pattern, text, flags)
    return [tuple(one) if isinstance(one, list) else one for one in found]


def is_quick(pattern: str, text: str, flags: Sequence[str] = ()) -> bool:
    """Tell whether a match is sure to take a short time, judged by the characters of the pattern.

    Without repeated groups and references back, each repetition multiplies the ways to match by the length of the
    text at most, and each alternative by two. Quantifiers that are escaped or in a set are counted too, which errs on
    the safe side; so does giving up on whatever may hide a quantifier.
    """
    if not _compiles_fast(pattern) or _REPEATED_GROUP.search(pattern) or _REFERENCE.search(pattern):
        return False
    if _bits(flags) & re.VERBOSE or _VERBOSE.search(pattern):
        return False
    length = len(text) + 1
    unbounded = sum(map(pattern.count, "*+{"))
    choices = sum(map(pattern.count, "?|"))
    steps = float(length) * (len(pattern) + 1)
    for factor in (length,) * unbounded + (2,) * choices:
        if steps > MOST_STEPS:
            return False
        steps *= factor
    return steps <= MOST_STEPS


def _compiles_fast(pattern: str) -> bool:
    return len(pattern) <= _LONGEST_PATTERN and _SLOW_TO_COMPILE.search(pattern) is None


def _bits(flags: Sequence[str]) -> int:
    bits = 0
    for flag in flags:
        if flag not in FLAGS:
            raise EvaluationError(f"there is no flag {shown(flag)}: use {', '.join(FLAGS)}")
        bits |= FLAGS[flag]
    return bits


def _usable(pattern: str, flags: Sequence[str]) -> re.Pattern[str]:
    try:
        return _compiled(pattern, _bits(flags))
    except (ValueError, re.error, OverflowError, RecursionError) as error:
        raise EvaluationError(f"the pattern {shown(pattern)} does not compile: {error}") from error


@lru_cache(maxsize=500)
def _compiled(pattern: str, bits: int) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python may do with the pattern one day is not the reader's matter
        return re.compile(pattern, bits)


def _asked(what: str, pattern: str, text: str, flags: Sequence[str]) -> Any:
    try:
        return ask(what, pattern, _bits(flags), text)
    except TimeLimitError as error:
        raise EvaluationError(
            f"the pattern {shown(pattern)} takes more than {TIME_LIMIT:g} s on a text of {len(text)} characters: "
            "rewrite it without repetitions inside repetitions"
        ) from error
