"""Documents: bytes that were read as JSON within limits, and where in them everything stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents import usual_layout
from checkpoint_ld.documents.decoding import decode
from checkpoint_ld.documents.layout import Layout
from checkpoint_ld.documents.limits import DEFAULT_LIMITS, Limits, too_large
from checkpoint_ld.documents.nesting import too_deep
from checkpoint_ld.documents.parsing import parse
from checkpoint_ld.documents.places import Places
from checkpoint_ld.documents.syntax import syntax_fault
from checkpoint_ld.errors import JsonSyntaxError, ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding


@dataclass(frozen=True)
class Document:
    """A JSON document: its bytes, its value, and what was odd about reading it.

    `source` is the file name shown in messages, None for what has none. `value` is plain data (dict, list, str, int,
    float, bool, None) that belongs to the document: work on a copy.
    """

    source: str | None
    data: bytes = field(repr=False)
    value: Any = field(repr=False)
    findings: tuple[Finding, ...] = ()

    @cached_property
    def layout(self) -> Layout:
        """How the text is laid out, for writing it in the same way."""
        return Layout.of(self.data.decode("utf-8"))

    def place(self, pointer: str) -> Place:
        """Return where the value at the JSON Pointer `pointer` (RFC 6901) starts.

        The line and column of a pointer that leads nowhere are those of the nearest value above it that exists.
        """
        return self._places.of_value(pointer)

    def key_place(self, pointer: str) -> Place:
        """Return where the key of the member at `pointer` starts; for what has no key, where the value starts."""
        return self._places.of_key(pointer)

    @cached_property
    def _places(self) -> Places:
        text, _ = decode(self.data, self.source)
        return Places(text, self.source, is_unrepeated=True)


def read_json(data: bytes, source: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Read `data` as one JSON document in UTF-8.

    `source` is the file name for messages. Raises ReadError, whose findings say where and why, for what is too large
    or too deep, in another encoding, not JSON, or JSON that cannot be kept without loss (E-SIZE, E-DEPTH, E-ENCODING,
    E-JSON, E-DUPKEY, E-NUMBER, E-SURROGATE). A byte order mark is the finding W-BOM of the document.
    """
    if len(data) > limits.size:
        raise too_large(len(data), source, limits)
    usual = usual_layout.value_of(data, limits.depth)
    if usual is not None:
        return Document(source, data, usual)
    text, findings = decode(data, source)
    edge = too_deep(data, limits.depth)
    if edge is not None:
        end = len(data[:edge].decode("utf-8").removeprefix("\ufeff"))
        fault = _deep(text, end, source, limits)
        raise (JsonSyntaxError if fault.rule == "json" else ReadError).of([fault])
    try:
        value = parse(text, source)
    except JSONDecodeError as error:
        raise JsonSyntaxError.of([syntax_fault(error, source)]) from None
    except RecursionError:
        fault = finding("nesting", "the document is nested deeper than Python can parse")
        raise ReadError.of([replace(fault, place=Place(source, ""))]) from None
    return Document(source, data, value, findings)


def _deep(text: str, end: int, source: str | None, limits: Limits) -> Finding:
    # The bracket at `end` is one too many, unless the text stopped being JSON before it came to that.
    before = text[:end].rstrip(" \t\r\n")
    try:
        parse(before, source)
    except JSONDecodeError as error:
        if error.pos < len(before):
            return syntax_fault(error, source)
    fault = finding("nesting", f"objects and arrays are nested deeper than {limits.depth} levels")
    return replace(fault, place=Places(text, source).at(end))
