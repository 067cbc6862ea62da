"""LangGraph's checkpoints as bytes with their hash, made and read by a serializer, which may be anybody's."""

from __future__ import annotations

import base64
import binascii
import hashlib
from contextlib import contextmanager
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from checkpoint_ld.errors import IntegrityError, WriteError
from checkpoint_ld.integrations.message_blocks import MessageBlocks
from checkpoint_ld.phrases import error_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from langgraph.checkpoint.base import Checkpoint
    from langgraph.checkpoint.serde.base import SerializerProtocol


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's serializer that makes objects only of LangGraph's list of plain types, and of the classes `allowed`.

    The list has messages and documents of LangChain, LangGraph's own types, dates, paths, UUIDs and the like
    (`SAFE_MSGPACK_TYPES` in `langgraph.checkpoint.serde`). A value of another class comes back as the plain data that
    it was made of, and LangGraph logs a warning that names the class. Nothing else is imported or called.
    """

    def __init__(self, allowed: Iterable[type] = ()) -> None:
        """Allow these classes as well, such as dataclasses, enums and pydantic models of a state."""
        super().__init__(allowed_msgpack_modules=tuple(allowed) or None)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value in bytes. Raises ValueError for JSON that names constructors, which is never written."""
        if data[0] == "json":
            raise ValueError("bytes of the type json name constructors; this serializer does not call them")
        return super().loads_typed(data)


class ThreadBytes:
    """The bytes of checkpoints and writes of a saver; `checkpoint_id` is that of the one that they belong to."""

    def __init__(self) -> None:
        self._blocks = MessageBlocks()

    def lists(self, serde: SerializerProtocol, channels: Mapping[str, Any]) -> tuple[dict[str, int], list[str]]:
        """Return the lists of messages among channels, each with its number of blocks, and the blocks of all."""
        counts: dict[str, int] = {}
        blocks: list[str] = []
        for name, value in channels.items():
            if type(value) is list and value and all(issubclass(kind, BaseMessage) for kind in {*map(type, value)}):
                with _raising(_refusal(serde, f"the value of channel {name!r}, a list,")):
                    found = self._blocks.texts(value, serde)
                counts[name] = len(found)
                blocks += found
        return counts, blocks

    def checkpoint(self, serde: SerializerProtocol, member: Mapping[str, Any], checkpoint_id: str) -> Checkpoint:
        """Return LangGraph's checkpoint with all of its channels. Raises IntegrityError for damaged bytes."""
        found: Checkpoint = unpacked(serde, member.get("checkpoint"), checkpoint_id)
        with _raising(lambda error: damaged(checkpoint_id, error_message(error))):
            blocks = iter(member["blocks"])
            for name, count in member["lists"].items():
                found["channel_values"][name] = self._blocks.messages(islice(blocks, count), serde)
        return found


def packed(serde: SerializerProtocol, value: Any, channels: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Return a value as bytes. Raises WriteError that names the one of the `channels` in it that has none."""

    def refused(error: Exception) -> Exception:
        for name, held in channels.items():
            with _raising(_refusal(serde, f"the value of channel {name!r}, a {type(held).__name__},")):
                serde.dumps_typed(held)
        return _refusal(serde, "what is kept")(error)

    with _raising(refused):
        kind, data = serde.dumps_typed(value)
    return {"type": kind, "base64": base64.b64encode(data).decode(), "sha256": hashlib.sha256(data).hexdigest()}


def unpacked(serde: SerializerProtocol, held: Any, checkpoint_id: str) -> Any:
    """Return the value that `packed` was given. Raises IntegrityError for damaged bytes."""
    try:
        kind, data = held["type"], base64.b64decode(held["base64"], validate=True)
        fits = hashlib.sha256(data).hexdigest() == held["sha256"]
    except (TypeError, KeyError, binascii.Error, ValueError) as error:
        raise damaged(checkpoint_id, error_message(error)) from error
    if not fits:
        raise damaged(checkpoint_id, "they do not fit their hash")
    with _raising(lambda error: damaged(checkpoint_id, f"{type(serde).__name__} raises {error_message(error)}")):
        return serde.loads_typed((kind, data))


def damaged(checkpoint_id: str, why: str) -> IntegrityError:
    """Return the error for bytes that cannot be read."""
    return IntegrityError(
        f"{checkpoint_id}: LangGraph's bytes cannot be read: {why}; continue from another checkpoint of the thread, "
        "by its checkpoint_id, or put this one back from a backup"
    )


def _refusal(serde: SerializerProtocol, what: str) -> Callable[[Exception], WriteError]:
    return lambda error: WriteError(f"{type(serde).__name__} cannot serialize {what}: {error_message(error)}")


@contextmanager
def _raising(refused: Callable[[Exception], Exception]) -> Iterator[None]:
    """Turn whatever a serializer of anybody's raises into an error of ours."""
    try:
        yield
    except Exception as error:
        raise refused(error) from error
