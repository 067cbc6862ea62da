"""Callable traits, which a Python function decides, and the code of that function.

The code is kept and analysed; it runs only if it is trusted, in `entities.callable_worker`.
"""

from __future__ import annotations

import base64
import inspect
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from pydantic import Field, GetCoreSchemaHandler, JsonValue
from pydantic_core import core_schema

from checkpoint_ld.documents.values import base64_bytes
from checkpoint_ld.entities.entity import Score, TraitKind  # noqa: TC001 - pydantic reads annotations
from checkpoint_ld.entities.traits import Trait
from checkpoint_ld.errors import EvaluationError, SettingsError, WriteError, WrongTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.workers.trusted import Trust

CodeForm: TypeAlias = Literal["pickle", "base64-source", "source", "bytes"]

_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_FUNCTION = re.compile(r"\b(?:def|lambda)\b")


class CallableCode(bytes):
    """The code of a callable trait as opaque bytes, with the exact text that stands for it in a file.

    Made from bytes, from base64 text, or from text that is no base64 and thus taken for source code. Two codes are
    equal if bytes and texts are; compared with plain bytes, only the bytes count. `function` is the function that this
    process has made the code of, None for code that was read; it is not pickled with the code.
    """

    text: str
    function: Callable[[str], object] | None = None

    def __new__(cls, code: bytes | str) -> Self:
        """Keep `code`; text is decoded from base64 if it is well-formed, and taken as it is otherwise."""
        if isinstance(code, str):
            decoded = base64_bytes(code)
            made = super().__new__(cls, code.encode() if decoded is None else decoded)
            made.text = code
        elif not isinstance(code, bytes | bytearray | memoryview):
            raise WrongTypeError(f"the code is of type {type(code).__name__}: give bytes or str")
        else:
            made = super().__new__(cls, code)
            made.text = code.text if isinstance(code, CallableCode) else base64.b64encode(code).decode("ascii")
            made.function = code.function if isinstance(code, CallableCode) else None
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.text,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @property
    def form(self) -> CodeForm:
        """The form of the code, by its bytes.

        `source`: Python source as plain text; `base64-source`: the same in base64; `pickle`: a pickle of protocol 2 to
        5; `bytes`: anything else.
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
        code = CallableCode(cloudpickle.dumps(function))
    except Exception as error:  # values that the function refers to may raise any exception
        raise WriteError(f"{function!r} cannot be stored: {error}") from error
    code.function = function
    return code


_WORKER = "checkpoint_ld.entities.callable_worker"


class CallableRubricTrait(Trait):
    """A trait that a Python function of the answer's text decides.

    The function's code is kept as it was found, and this process never runs, unpickles or imports it. For results, make
    the trait by `from_callable`, pass a function of your own to `evaluate`, or trust in the stored function, which then
    runs in a process of its own. `callable_code` is None on an incomplete trait, as files may hold it.
    """

    kind: TraitKind = Field(description="What results are: true or false, a score, or one of several classes")
    callable_code: CallableCode | None = Field(description="Base64 text, or Python source as plain text")
    min_score: Score | None = Field(default=None, description="The lowest score; null: there is none")
    max_score: Score | None = Field(default=None, description="The highest score; null: there is none")
    invert_result: bool = Field(default=False, description="Negate the result of a boolean trait")
    classes: dict[str, str] | None = Field(default=None, description="Class names in order of score -> descriptions")
    higher_is_better: bool | None = Field(default=True, description="null: the trait has no direction")

    @property
    def is_incomplete(self) -> bool:
        """Whether there is no code."""
        return not self.callable_code

    @classmethod
    def from_callable(  # noqa: PLR0913, PLR0917 - the parameters are those of Karenina's method
        cls,
        name: str,
        func: Callable[[str], object],
        kind: Literal["boolean", "score", "literal"],
        description: str | None = None,
        summary: str | None = None,
        min_score: float | None = None,
        max_score: float | None = None,
        invert_result: bool = False,
        higher_is_better: bool | None = True,
        classes: dict[str, str] | None = None,
    ) -> Self:
        """Make a trait that stores a function of one parameter, the answer's text, in the way that Karenina can load.

        `evaluate` of this trait runs the function itself, in this process; a trait that was read has none to run.

        The package cloudpickle stores a function of a module that can be imported as its name, any other function with
        its code, which may fail under another version of Python. Raises `SettingsError` (a ValueError) for a function
        with other parameters, a score without both bounds, and a truth value with bounds; `pydantic.ValidationError` (a
        ValueError) for other arguments that do not fit; `WriteError` (a ValueError) for a function that cannot be
        stored, or if cloudpickle is not installed.
        """
        _require_one_parameter(name, func)
        if kind == "score" and (min_score is None or max_score is None):
            raise SettingsError(f"trait {name!r}: a score needs a range: give min_score and max_score")
        if kind == "boolean" and (min_score is not None or max_score is not None):
            raise SettingsError(f"trait {name!r}: a truth value has no range: leave out min_score and max_score")
        return cls(
            name=name,
            callable_code=pickled(func),
            kind=kind,
            description=description,
            summary=summary,
            min_score=min_score,
            max_score=max_score,
            invert_result=invert_result,
            higher_is_better=higher_is_better,
            classes=classes,
        )

    def evaluate(
        self, text: str, *, callable_override: Callable[[str], object] | None = None, trust: Trust | None = None
    ) -> bool | int | float:
        """Return the result of a function for `text`: a truth value, a score, or the index of a class.

        The function is `callable_override` if that is given. Otherwise it is the stored function, if `trust` is given:
        it runs in a process of its own, under the limits of `trust`, and each time with a `StoredCodeWarning`. A
        pickled function needs the package cloudpickle, and the version of Python that it was made with. Without either
        it is the function that `from_callable` was called with, which runs in this process.

        Raises `EvaluationError` without a function, if the function fails, and if its result does not fit the trait.
        """
        if not isinstance(text, str):
            raise EvaluationError(f"trait {self.name!r} cannot be evaluated on {text!r}: give a text")
        function = callable_override
        if function is None and trust is None and self.callable_code is not None:
            function = self.callable_code.function
        if function is None:
            return self._score(self._result_of_stored_code(text, trust))
        try:
            result = function(text)
        except Exception as error:
            raise EvaluationError(f"trait {self.name!r}: the function raised {error!r}") from error
        return self._score(result)

    def deserialize_callable(self, *, trust: Trust | None = None) -> Callable[[str], object]:
        """Return a function that runs the stored function, if `trust` is given; the latter never enters this process.

        Each call runs the stored function in a process of its own and returns its result unchanged: a truth value, a
        number or a text. This method and each call warn with a `StoredCodeWarning` (a UserWarning).
        Raises `EvaluationError` (a RuntimeError) without trust, and if the code holds no function.
        """
        self._result_of_stored_code(None, trust)
        return lambda text: self._result_of_stored_code(text, trust)

    def validate_score(self, value: object) -> bool:
        """Return whether `value` is a result that the trait can have."""
        if self.kind == "boolean":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int if self.kind == "literal" else int | float):
            return False
        return self._in_range(value)

    def problems(self) -> tuple[Finding, ...]:
        """Report missing code, faulty classes and an empty or broken range of scores."""
        found = self.class_problems(self.classes)
        if self.callable_code is None:
            found += (self.problem("callable-code-missing", "no callable_code", "set callable_code"),)
        if self.kind == "score":
            found += self.range_problems(self.min_score, self.max_score)
        return found

    def _result_of_stored_code(self, text: str | None, trust: Trust | None) -> object:
        from checkpoint_ld.workers.trusted import Trust, run  # noqa: PLC0415 - few who load a file run its code

        code = self.callable_code
        if trust is None:
            raise EvaluationError(
                f"trait {self.name!r}: stored code is never run; pass a function of your own as callable_override, "
                "or trust=Trust() if you have read the stored code and trust it"
            )
        if not isinstance(trust, Trust):
            raise WrongTypeError(f"trust is of type {type(trust).__name__}: give Trust()")
        if not code or code.form == "bytes":
            there = "is neither Python source nor a pickle" if code else "is missing"
            raise EvaluationError(f"trait {self.name!r}: the stored code {there}; pass a function as callable_override")
        request: dict[str, JsonValue] = {
            "code": base64.b64encode(code).decode("ascii"),
            "pickled": code.form == "pickle",
            "name": self.name,
            "text": text,
        }
        return run(_WORKER, request, trust, what=f"the function of the trait {self.name!r}")

    def _score(self, result: object) -> bool | int | float:
        if self.kind == "boolean" and isinstance(result, bool):
            return result is not self.invert_result
        if self.kind == "literal" and isinstance(result, str) and result in (self.classes or ()):
            return list(self.classes or ()).index(result)
        if self.kind == "score" and isinstance(result, int | float) and self._in_range(result):
            return result
        expected = {
            "boolean": "true or false",
            "literal": f"one of the classes {', '.join(self.classes or ())}",
            "score": "a number"
            + ("" if self.min_score is None else f" from {self.min_score}")
            + ("" if self.max_score is None else f" to {self.max_score}"),
        }
        raise EvaluationError(f"trait {self.name!r}: the function returned {result!r}, not {expected[self.kind]}")

    def _in_range(self, value: float) -> bool:
        least = -sys.float_info.max if self.min_score is None else self.min_score
        return least <= value <= (sys.float_info.max if self.max_score is None else self.max_score)


def _require_one_parameter(name: str, func: object) -> None:
    try:
        count = len(inspect.signature(func).parameters) if callable(func) else None
    except ValueError:  # some functions that are written in C have no signature
        count = None
    if count != 1:
        found = "no function" if count is None else f"a function of {count} parameters"
        raise SettingsError(f"trait {name!r}: {func!r} is {found}: give one of exactly one parameter, the text")
