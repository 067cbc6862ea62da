"""The bytes of long lists of messages, in blocks that stay the same while a list grows.

LangGraph passes all messages of a thread with each checkpoint, and most are those of the checkpoint before. A list is
cut into blocks of 64 messages, the rest into blocks of 8, the rest of that into single ones. The content of a block, as
MessagePack of the plain fields of its messages, tells whether its bytes are known already; another content, and one
that is not plain, is serialized. Reading is the same the other way round: the fields of messages that were read before
are copied, which takes a fifth of the time of making them anew.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Any, Final

import ormsgpack
from langchain_core.messages import BaseMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from langgraph.checkpoint.serde.base import SerializerProtocol

_PLAIN: Final = (
    ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_TUPLE
    | ormsgpack.OPT_PASSTHROUGH_UUID
)
"""Only values that come back as they were, type by type, are packed; others raise an error."""
_SIZES: Final = (64, 8, 1)
_REMEMBERED: Final = 32 << 20
"""The most characters of texts that are remembered."""
_MODULE: Final = "langchain_core.messages."
_set: Final = object.__setattr__

_Content = tuple[tuple[type[BaseMessage], ...], bytes]
"""The classes of the messages of a block, and their fields with those that were not declared."""


class MessageBlocks:
    """Lists of messages as texts `TYPE:SHA256:BASE64` of what a serializer makes of blocks. Any thread may use it."""

    def __init__(self) -> None:
        self._texts: dict[_Content, str] = {}
        self._contents: dict[str, tuple[_Content, tuple[frozenset[str], ...]]] = {}
        self._size = 0

    def texts(self, messages: Sequence[BaseMessage], serde: SerializerProtocol) -> list[str]:
        """Return the blocks of a list. Raises what the serializer raises."""
        return [self._text(block, serde) for block in _blocks(messages)]

    def messages(self, texts: Iterable[str], serde: SerializerProtocol) -> list[Any]:
        """Return the list in blocks. Raises ValueError for damaged ones, and what the serializer raises."""
        return [message for text in texts for message in self._messages(text, serde)]

    def _text(self, block: Sequence[BaseMessage], serde: SerializerProtocol) -> str:
        content = _content(block)
        known = None if content is None else self._texts.get(content)
        if known is None:
            kind, data = serde.dumps_typed(list(block))
            known = f"{kind}:{hashlib.sha256(data).hexdigest()}:{base64.b64encode(data).decode()}"
            if content is not None:
                self._make_room(len(known) + len(content[1]))
                self._texts[content] = known
        return known

    def _messages(self, text: str, serde: SerializerProtocol) -> Iterable[Any]:
        known = self._contents.get(text)
        if known is not None:
            return _copies(*known)
        kind, sha256, data = _parts(text)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ValueError("they do not fit their hash")
        block: list[Any] = serde.loads_typed((kind, data))
        content = _content(block)
        if content is not None:
            self._make_room(len(text) + len(content[1]))
            self._contents[text] = content, tuple(frozenset(message.model_fields_set) for message in block)
        return block

    def _make_room(self, size: int) -> None:
        self._size += size
        if self._size > _REMEMBERED:
            self._texts, self._contents, self._size = {}, {}, size


def _blocks(messages: Sequence[BaseMessage]) -> Iterator[Sequence[BaseMessage]]:
    start = 0
    for size in _SIZES:
        while len(messages) - start >= size:
            yield messages[start : start + size]
            start += size


def _parts(text: object) -> tuple[str, str, bytes]:
    parts = text.split(":") if isinstance(text, str) else ()
    if len(parts) != 3:
        raise ValueError("a block of messages is no text of three parts")
    kind, sha256, encoded = parts
    try:
        return kind, sha256, base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error


def _content(block: Sequence[Any]) -> _Content | None:
    """Return the content of a block, None where it is not plain, or a message not of LangChain's own classes."""
    kinds = tuple(map(type, block))
    if not all(issubclass(kind, BaseMessage) and kind.__module__.startswith(_MODULE) for kind in {*kinds}):
        return None
    members = [(message.__dict__, message.__pydantic_extra__) for message in block]
    try:
        return kinds, ormsgpack.packb([part for pair in members for part in pair], option=_PLAIN)
    except ormsgpack.MsgpackEncodeError:
        return None


def _copies(content: _Content, fields_sets: Iterable[frozenset[str]]) -> Iterator[BaseMessage]:
    kinds, packed = content
    parts = iter(ormsgpack.unpackb(packed))
    for kind, members, extra, fields_set in zip(kinds, parts, parts, fields_sets, strict=True):
        copied = kind.__new__(kind)
        _set(copied, "__dict__", members)
        _set(copied, "__pydantic_extra__", extra)
        _set(copied, "__pydantic_fields_set__", set(fields_set))
        _set(copied, "__pydantic_private__", None)
        yield copied
