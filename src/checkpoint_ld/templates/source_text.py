"""Program text found in documents: Python and regular expressions, looked at and never run."""

from __future__ import annotations

import ast
import hashlib
import itertools
import re
import warnings
from typing import TYPE_CHECKING

from checkpoint_ld.documents.values import base64_bytes

if TYPE_CHECKING:
    from checkpoint_ld.templates.text_outlines import Outline


LONGEST_SOURCE = 200_000
"""Longer texts are not parsed; answer templates have a few thousand characters."""

_SIMPLE_PATTERN = re.compile(r"(?:(?:[^\\\[\](){}*+?|^$]|\\[dDsSwW\[\](){}*+?|^$.\\/-])[*+?]?|\\[bB]|[|^$])*")
"""What surely compiles, which takes a hundred times as long: characters and classes of them, each perhaps repeated."""

_PICKLE_PROTOCOL = b"\x80"


FEW = 32
"""So many texts are parsed before outlines are made, which have their own price at the beginning."""
_MOST = 4096

_sound: set[Outline] = set()
"""The outlines of texts that were parsed and are Python: all texts with such an outline are."""
_parsed = itertools.count()


def python_fault(source: str) -> str | None:
    """Return what keeps `source` from being Python, with the line, or None if it parses.

    A text that is surely like one that was parsed before is not parsed again.
    """
    if next(_parsed) < FEW:
        return _fault_of(source)
    from checkpoint_ld.templates.text_outlines import has_doubtful_number, outline_of  # noqa: PLC0415 - see FEW

    outline = outline_of(source)
    if outline in _sound:
        return None
    fault = _fault_of(source)
    if outline is not None and fault is None and not has_doubtful_number(outline):
        if len(_sound) >= _MOST:
            _sound.clear()
        _sound.add(outline)
    return fault


def forget() -> None:
    """Forget all texts and lines that were seen, for measurements."""
    from checkpoint_ld.templates.text_outlines import forget_lines  # noqa: PLC0415 - as above

    _sound.clear()
    forget_lines()


def _fault_of(source: str) -> str | None:
    if len(source) > LONGEST_SOURCE:
        return f"{len(source)} characters are too many to parse ({LONGEST_SOURCE} at most)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are the author's, not the reader's
            ast.parse(source)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except ValueError as error:  # NUL in some versions of Python, lone surrogates in all
        return str(error)
    except (RecursionError, MemoryError):
        return "nested too deeply to parse"
    return None


def pattern_fault(pattern: str) -> str | None:
    """Return what keeps `pattern` from being a regular expression of Python, or None if it compiles."""
    if _SIMPLE_PATTERN.fullmatch(pattern):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        return str(error)
    except (OverflowError, ValueError) as error:
        return str(error)
    except (RecursionError, MemoryError):
        return "nested too deeply to compile"
    return None


def code_form(code: str) -> str:
    """Tell which of the known forms of callable code `code` looks like: pickle or source in base64, or source."""
    payload = base64_bytes(code)
    if payload is None:
        return "source text"
    if payload.startswith(_PICKLE_PROTOCOL):
        return "a pickled function in base64"
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes in base64"
    return "source text in base64" if text.replace("\n", " ").replace("\t", " ").isprintable() else "bytes in base64"


def code_told(code: str, *, may_be_encoded: bool = True) -> str:
    """Say what a code text is, what in it to look at (its imports and functions), and the hash to accept it by."""
    form = code_form(code) if may_be_encoded else "source text"
    source = code if form == "source text" else ""
    if form == "source text in base64":
        source = (base64_bytes(code) or b"").decode("utf-8")
    names = list(dict.fromkeys(" ".join(name.split()) for name in _TELLING.findall(source)))[:_MOST_NAMES]
    about = f" with {', '.join(names)}" if names else "" if source else ", which shows what it does only when it runs"
    return f"{form}{about} ({code_hash(code)})"


def code_hash(code: str) -> str:
    """Return the hash that a code text is accepted by: SHA-256 of its UTF-8 bytes, as `sha256:` and hexadecimal."""
    return f"sha256:{hashlib.sha256(code.encode('utf-8', 'surrogatepass')).hexdigest()}"


_TELLING = re.compile(r"^\s*((?:import|from)\s+[\w.]+|(?:async\s+)?def\s+\w+|class\s+\w+)", re.MULTILINE)
_MOST_NAMES = 5
