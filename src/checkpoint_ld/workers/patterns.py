"""Regular expressions of documents, compiled and matched within a time limit.

A short plain pattern with a bounded number of ways to match a text is matched in this process. A worker, which is
killed after a time limit, matches all others. The worker is started at its first use, serves requests in sequence, and
ends with this process. A process that has a time limit itself needs no worker (`match_here`).
"""

from __future__ import annotations

import atexit
import os
import re
import threading
import warnings
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.host import without_warnings
from checkpoint_ld.phrases import shown
from checkpoint_ld.workers.process import START_LIMIT, TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


TIME_LIMIT = 2.0
"""The seconds that a request may take."""

_lock = threading.Lock()
_match_in_process = threading.Event()
_workers: dict[int, Worker] = {}
"""The worker of this process, by the id of this process, because a fork starts another worker."""


def match_here() -> None:
    """Match all patterns in this process from now on, because the process has a time limit itself."""
    _match_in_process.set()


def evaluate(operation: str, pattern: str, flags: int, text: str | list[str]) -> Any:
    """Compile, search or find (`compile`, `search`, `findall`) a pattern in a text; return the matches.

    Raises TimeLimitError after `TIME_LIMIT`, and `EvaluationError` for an invalid pattern or if no process can be
    started.
    """
    request = (operation, pattern, int(flags), text)
    reply = answer(request) if _match_in_process.is_set() else _worker_reply(request)
    if "error" in reply:
        raise EvaluationError(str(reply["error"]))
    return reply["found"]


def end() -> None:
    """Close the worker if there is one; the next request starts another."""
    while _workers:
        _workers.popitem()[1].close()


def _worker_reply(request: tuple[str, str, int, Any]) -> Any:
    with _lock:
        try:
            if os.getpid() not in _workers:
                end()
                _workers[os.getpid()] = Worker(start, start_limit=START_LIMIT)
            return _workers[os.getpid()].call(request, TIME_LIMIT)
        except (OSError, WorkerError) as error:
            end()
            who = "the process that matches patterns " if isinstance(error, WorkerError) else ""
            raise EvaluationError(f"the pattern cannot be matched safely: {who}{error}") from error
        except BaseException:
            end()
            raise


def start(_: object, __: object) -> Callable[[Any], dict[str, Any]]:
    """Return the function that answers requests in the worker."""
    warnings.simplefilter("ignore")
    return answer


def answer(request: tuple[str, str, int, Any]) -> dict[str, Any]:
    """Return the matches, or the error."""
    operation, pattern, flags, text = request
    try:
        compiled = re.compile(pattern, flags)
        if operation == "search-all":
            return {"found": [compiled.search(one) is not None for one in text]}
        if operation == "findall":
            return {"found": compiled.findall(text)}
        if operation == "match":
            return {"found": _first_group(compiled, text)}
        return {"found": [""] if operation == "search" and compiled.search(text) else []}
    except (re.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return {"error": str(error) or "nested too deeply"}


atexit.register(end)


FlagName: TypeAlias = Literal["A", "I", "M", "S", "X", "ASCII", "IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE"]

_LONG_NAMES = ("ASCII", "IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE")
FLAGS: Final[Mapping[str, re.RegexFlag]] = MappingProxyType(
    {name: re.RegexFlag[name] for name in (*_LONG_NAMES, *"AIMSX")}
)
"""The flags of Python's `re` for a pattern, by both of their names."""

Match: TypeAlias = str | tuple[str, ...]
"""A match: the text, the text of its group, or the texts of its groups, as in Python's `findall`."""

MOST_STEPS = 5_000_000
"""The most steps of a match in this process, about a quarter of a second."""

_LONGEST_PATTERN = 2_000
_SLOW_TO_COMPILE = re.compile(r"[^\x00-\x7f]|\\[uUN]")
"""Characters beyond ASCII; their sets and ranges are expanded to characters when case is ignored."""
_REPEATED_GROUP = re.compile(r"\)\s*[*+?{]")
_REFERENCE = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")
_VERBOSE = re.compile(r"\(\?[aiLmsu]*x")


def refuse_faulty(pattern: str, flags: Sequence[str] = ()) -> None:
    """Raise ValueError with the reason for a pattern that does not compile with the flags, or not in time."""
    try:
        if _compiles_fast(pattern):
            _compiled(pattern, _bits(flags))
        else:
            evaluate("compile", pattern, _bits(flags), "")
    except TimeLimitError as error:
        raise ValueError(f"the pattern {shown(pattern)} takes too long to compile: simplify it") from error
    except (ValueError, re.error, OverflowError, RecursionError, EvaluationError) as error:
        reason = str(error) or "nested too deeply"
        raise ValueError(f"the pattern {shown(pattern)} is no regular expression ({reason}): correct it") from error


def occurs(pattern: str, text: str, flags: Sequence[str] = ()) -> bool:
    """Return whether a pattern occurs anywhere in a text.

    Raises `EvaluationError` if that takes too long, or if the pattern does not compile.
    """
    return bool(_matched("search", pattern, text, flags))


def find_all(pattern: str, text: str) -> list[Match]:
    """Return all matches, as Python's `findall` does. Raises as `occurs` does."""
    found: list[str | list[str]] = _matched("findall", pattern, text, ())
    return [tuple(match) if isinstance(match, list) else match for match in found]


def occurring(pattern: str, texts: Sequence[str], flags: int) -> list[bool]:
    """Return for each text whether a pattern occurs in it; `flags` are those of Python's `re`.

    All texts that may take long have one time limit. Raises `EvaluationError` after it.
    """
    try:
        if _match_in_process.is_set():
            search = re.compile(pattern, flags).search
            return [search(text) is not None for text in texts]
        names = [name for name in "AIMSX" if FLAGS[name] & flags]
        quick = [is_quick(pattern, text, names) for text in texts]
        found: list[bool] = [False] * len(texts)
        if any(quick):
            search = _compiled(pattern, flags).search
            found = [is_fast and search(text) is not None for is_fast, text in zip(quick, texts, strict=True)]
        slow = [at for at, is_fast in enumerate(quick) if not is_fast]
        for start in range(0, len(slow), _BATCH):
            part = slow[start : start + _BATCH]
            matched = evaluate("search-all", pattern, flags, [texts[at] for at in part])
            for at, is_found in zip(part, matched, strict=True):
                found[at] = is_found
    except TimeLimitError as error:
        raise EvaluationError(
            f"the pattern {shown(pattern)} takes more than {TIME_LIMIT:g} s: rewrite it without repetitions inside "
            "repetitions"
        ) from error
    return found


_BATCH = 500


def first_group(pattern: str, text: str) -> str | None:
    """Return the first group of a match at the beginning of a text, the text if there is no group, None if no match.

    Raises as `occurs` does.
    """
    found: list[str] = _matched("match", pattern, text, ())
    return found[0] if found else None


def _first_group(compiled: re.Pattern[str], text: str) -> list[str]:
    found = compiled.match(text)
    return [] if found is None else [next((group for group in found.groups() if group is not None), text)]


def _matched(operation: str, pattern: str, text: str, flags: Sequence[str]) -> Any:
    bits = _bits(flags)
    try:
        if is_quick(pattern, text, flags):
            compiled = _compiled(pattern, bits)
            return _first_group(compiled, text) if operation == "match" else getattr(compiled, operation)(text)
        return evaluate(operation, pattern, bits, text)
    except TimeLimitError as error:
        raise EvaluationError(
            f"the pattern {shown(pattern)} takes more than {TIME_LIMIT:g} s on a text of {len(text)} characters: "
            "rewrite it without repetitions inside repetitions"
        ) from error
    except (ValueError, re.error, OverflowError, RecursionError) as error:
        raise EvaluationError(f"the pattern {shown(pattern)} does not compile: {error}") from error


def is_quick(pattern: str, text: str, flags: Sequence[str] = ()) -> bool:
    """Return whether a match certainly takes a short time, by the characters of the pattern.

    Without repeated groups and backreferences, each repetition multiplies the ways to match by at most the length of
    the text, and each alternative by two. Escaped quantifiers and those in a set are counted too, and a pattern that
    may hide a quantifier is not quick; both err on the safe side.
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


@lru_cache(maxsize=500)
def _compiled(pattern: str, bits: int) -> re.Pattern[str]:
    with without_warnings():  # warnings about future versions of Python do not help the user
        return re.compile(pattern, bits)
