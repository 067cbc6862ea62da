"""The code of callable traits: bytes that are kept and looked at, never run, unpickled or imported here."""

from __future__ import annotations

import base64
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from pydantic_core import core_schema

from checkpoint_ld.documents.values import base64_bytes
from checkpoint_ld.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler

CodeForm: TypeAlias = Literal["pickle", "base64-source", "source", "bytes"]

_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_FUNCTION = re.compile(r"\b(?:def|lambda)\b")


class CallableCode(bytes):
    """The code of a callable trait as opaque bytes, with the exact text that stands for it in a file.

    Made from bytes, from base64 text, or from text that is no base64 and thus taken for source code. Two codes are
    equal if bytes and texts are; compared with plain bytes, only the bytes count.
    """

    text: str

    def __new__(cls, code: bytes | str) -> Self:
        """Keep `code`; text is decoded from base64 if it is well-formed, and taken as it is otherwise."""
        if isinstance(code, str):
            made = super().__new__(cls, _decoded(code))
            made.text = code
        else:
            made = super().__new__(cls, code)
            made.text = code.text if isinstance(code, CallableCode) else base64.b64encode(code).decode("ascii")
        return made

    @property
    def form(self) -> CodeForm:
        """What the code looks like, judged by its bytes.

        `source`: Python source as plain text; `base64-source`: the same in base64; `pickle`: a pickle of protocol 2
        to 5; `bytes`: anything else.
        """
        if base64_bytes(self.text) is None:
            return "source"
        if _PICKLE.match(self):
            return "pickle"
        try:
            source = self.decode()
        except UnicodeDecodeError:
            return "bytes"
        return "base64-source" if _FUNCTION.search(source) else "bytes"

    def __eq__(self, other: object) -> bool:
        same_text = not isinstance(other, CallableCode) or self.text == other.text
        return same_text and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = bytes.__hash__

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Read bytes or text, write the text."""
        del source, handler
        text = core_schema.str_schema()
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.json_or_python_schema(
                json_schema=text,
                python_schema=core_schema.union_schema(
                    [
                        core_schema.is_instance_schema(cls),
                        core_schema.bytes_schema(strict=True),
                        core_schema.str_schema(strict=True),
                    ],
                    mode="left_to_right",
                ),
            ),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda code: code.text, return_schema=core_schema.str_schema()
            ),
        )


def pickled(function: Callable[[str], object]) -> CallableCode:
    """Return a function as the cloudpickle that Karenina stores.

    Raises `WriteError` if the package cloudpickle is not installed, or if it cannot pickle the function.
    """
    try:
        cloudpickle = import_module("cloudpickle")
    except ImportError as error:
        raise WriteError(
            "a function can be stored only with the package cloudpickle: install it, "
            "or give the function's source as callable_code"
        ) from error
    try:
        return CallableCode(cloudpickle.dumps(function))
    except Exception as error:  # whatever the values that the function refers to may raise
        raise WriteError(f"{function!r} cannot be stored: {error}") from error


def _decoded(text: str) -> bytes:
    decoded = base64_bytes(text)
    return text.encode() if decoded is None else decoded
