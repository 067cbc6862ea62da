"""The text form of a checkpoint in pieces: thoughts, calls and results, of which each is written once, and the rest.

Most thoughts, calls and results of a checkpoint are those of the one before. Their texts are kept with them, so that
a save takes the time of what is new, and stores keep each text once.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from checkpoint_ld.agents.values import RESULT, TEXT
from checkpoint_ld.documents.packed import Piece, cut
from checkpoint_ld.documents.text import CANONICAL, Layout, dump_json
from checkpoint_ld.documents.values import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.agents.values import Snapshot, Thought, ToolCall, Tree

_INSIDE: Final = replace(DEFAULT_LIMITS, depth=DEFAULT_LIMITS.depth - 4)
"""Parts are at most so deep in a checkpoint."""
_CHAIN: Final = b'\n    "thought_chain": ['
_CALLS: Final = b'\n    "tool_state": {\n      "calls": ['
_RESULTS: Final = b',\n      "results": {'


class TextForm(NamedTuple):
    """The pieces of a text form, and those of them that are the thoughts, the calls and the results.

    `results` are by the ids of calls, `listed` are the same in a list. Each of the three lists is one of the pieces,
    unless it is empty.
    """

    pieces: list[Piece]
    thoughts: list[bytes]
    calls: list[bytes]
    results: dict[str, bytes]
    listed: list[bytes]

    @property
    def content(self) -> bytes:
        """The text form in UTF-8."""
        return b"".join(piece if isinstance(piece, bytes) else b",\n".join(piece) for piece in self.pieces)


def text_form(tree: Tree, snapshot: Snapshot) -> TextForm:
    """Return the text form of a checkpoint, given without its thoughts, calls and results, which `snapshot` has.

    Raises WriteError for values that are no JSON, whose place is one in the part.
    """
    thoughts = _texts(snapshot.thought_chain, 6)
    calls = _texts(snapshot.tool_state.calls, 8)
    results = _results(snapshot)
    listed = [*results.values()]
    text = dump_json(tree, Layout(end="\n"))
    pieces: list[Piece] = []
    for mark, parts, end in (
        (_CHAIN, thoughts, b"\n    "),
        (_CALLS, calls, b"\n      "),
        (_RESULTS, listed, b"\n      "),
    ):
        before, text = text[: (at := text.index(mark) + len(mark))], text[at:]
        pieces += cut(before + b"\n") if parts else cut(before)
        if parts:
            pieces.append(parts)
            text = end + text
    return TextForm([*pieces, *cut(text)], thoughts, calls, results, listed)


def _texts(parts: Sequence[Thought | ToolCall], indent: int) -> list[bytes]:
    try:
        return [*map(_known, map(_values, parts))]
    except KeyError:
        return [part.__dict__.get(TEXT) or _text(part, indent) for part in parts]


_values, _known = attrgetter("__dict__"), itemgetter(TEXT)


def _text(part: Thought | ToolCall, indent: int) -> bytes:
    text = part.__dict__[TEXT] = _indented(dump_json(part.tree(), CANONICAL, _INSIDE), indent)
    return text


def _results(snapshot: Snapshot) -> dict[str, bytes]:
    results: Mapping[str, Any] = snapshot.tool_state.results
    calls = dict(zip(map(attrgetter("id"), snapshot.tool_state.calls), snapshot.tool_state.calls, strict=True))
    found = {}
    for name, value in results.items():
        call = calls.get(name)
        known: tuple[Any, bytes] | None = None if call is None else call.__dict__.get(RESULT)
        if known is None or known[0] is not value:
            known = value, _indented(dump_json({name: value}, CANONICAL, _INSIDE)[4:-2], 6, first=8)
            if call is not None and _is_fixed(value):
                call.__dict__[RESULT] = known
        found[name] = known[1]
    return found


def _is_fixed(value: Any) -> bool:
    return not isinstance(value, (dict, list)) or type(value).__module__ == "checkpoint_ld.agents.changes"


def _indented(text: bytes, indent: int, first: int | None = None) -> bytes:
    margin = b" " * indent
    return (margin if first is None else b" " * first) + text.replace(b"\n", b"\n" + margin)
