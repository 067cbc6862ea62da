"""The text form of a checkpoint in pieces: thoughts, calls and results, of which each is written once, and the rest.

Most thoughts, calls and results of a checkpoint are those of the one before. Their texts are kept with them, so that
a save takes the time of what is new, and stores keep each text once.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from checkpoint_ld.agents.values import TEXT, kept_with, kept_with_results
from checkpoint_ld.documents.packed import Piece, cut
from checkpoint_ld.documents.text import CANONICAL, Layout, dump_json
from checkpoint_ld.documents.values import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agents.values import Snapshot, Thought, ToolCall, Tree

_INSIDE: Final = replace(DEFAULT_LIMITS, depth=DEFAULT_LIMITS.depth - 4)
"""Parts are at most so deep in a checkpoint."""
_CHAIN: Final = b'\n    "thought_chain": ['
_CALLS: Final = b'\n    "tool_state": {\n      "calls": ['
_RESULTS: Final = b',\n      "results": {'


class TextForm(NamedTuple):
    """The pieces of a text form, and those of them that are the thoughts, the calls and the results.

    Each of the three lists is one of the pieces, unless it is empty.
    """

    pieces: list[Piece]
    thoughts: list[bytes]
    calls: list[bytes]
    results: list[bytes]

    @property
    def texts(self) -> Iterator[bytes]:
        """The text form in UTF-8, in long parts."""
        return (piece if isinstance(piece, bytes) else b",\n".join(piece) for piece in self.pieces)

    @property
    def content(self) -> bytes:
        """The text form in UTF-8."""
        return b"".join(self.texts)

    @property
    def size(self) -> int:
        """The number of bytes that the text form has at least."""
        return sum(len(piece) if isinstance(piece, bytes) else sum(map(len, piece)) for piece in self.pieces)

    @property
    def sha256(self) -> str:
        """The hash of the text form in hexadecimal digits."""
        made = hashlib.sha256()
        for text in self.texts:
            made.update(text)
        return made.hexdigest()


def text_form(tree: Tree, snapshot: Snapshot) -> TextForm:
    """Return the text form of a checkpoint, given without its thoughts, calls and results, which `snapshot` has.

    Raises WriteError for values that are no JSON, whose place is one in the part.
    """
    thoughts = kept_with(snapshot.thought_chain, TEXT, _thought_text)
    calls = kept_with(snapshot.tool_state.calls, TEXT, _call_text)
    results = kept_with_results(snapshot.tool_state, TEXT, _result_text)
    text = dump_json(tree, Layout(end="\n"))
    pieces: list[Piece] = []
    for mark, parts, end in (
        (_CHAIN, thoughts, b"\n    "),
        (_CALLS, calls, b"\n      "),
        (_RESULTS, results, b"\n      "),
    ):
        before, text = text[: (at := text.index(mark) + len(mark))], text[at:]
        pieces += cut(before + b"\n") if parts else cut(before)
        if parts:
            pieces.append(parts)
            text = end + text
    return TextForm([*pieces, *cut(text)], thoughts, calls, results)


def _thought_text(thought: Thought) -> bytes:
    text = thought.__dict__[TEXT] = _indented(dump_json(thought.tree(), CANONICAL, _INSIDE), 6)
    return text


def _call_text(call: ToolCall) -> bytes:
    text = call.__dict__[TEXT] = _indented(dump_json(call.tree(), CANONICAL, _INSIDE), 8)
    return text


def _result_text(name: str, value: Any) -> bytes:
    return _indented(dump_json({name: value}, CANONICAL, _INSIDE)[4:-2], 6, first=8)


def _indented(text: bytes, indent: int, first: int | None = None) -> bytes:
    margin = b" " * indent
    return (margin if first is None else b" " * first) + text.replace(b"\n", b"\n" + margin)
