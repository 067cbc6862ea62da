"""The worker that runs the function of a callable trait, in a process of its own."""

from __future__ import annotations

import ast
import base64
import pickle
import types
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.workers.trusted import STORED, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

_MODULE: Final = "stored_code"
_USUAL_NAME: Final = "evaluate"
_LONGEST_EXCERPT = 100


def answer(request: dict[str, Any]) -> bool | int | float | str:
    """Return the result of the function in `code` (base64 of a pickle if `pickled`, of source otherwise) for `text`.

    Without a text the result is true if there is such a function. `name` selects the function of a source that has
    several. Raises `RefusedError` if there is no such function, or if a trait cannot have its result. Exceptions of
    the code are not caught.
    """
    code = base64.b64decode(request["code"])
    function = _unpickled(code) if request["pickled"] else _defined(code.decode(), request["name"])
    if request["text"] is None:
        return True
    result = function(request["text"])
    if not isinstance(result, bool | int | float | str):
        shown = repr(result)[:_LONGEST_EXCERPT]
        raise RefusedError(f"returned {shown}, which is no truth value, no number and no name of a class")
    return result


def _unpickled(code: bytes) -> Callable[[str], object]:
    try:
        function = pickle.loads(code)  # noqa: S301 - trusted, and in a process of its own
    except ModuleNotFoundError as error:
        if error.name != "cloudpickle":
            raise
        raise RefusedError(
            "is a cloudpickle: install the package cloudpickle to run it, or pass a function as callable_override"
        ) from error
    if not callable(function):
        raise RefusedError(f"is a pickle that holds no function but {type(function).__name__}")
    return function  # type: ignore[no-any-return]


def _defined(source: str, name: str) -> Callable[[str], object]:
    tree = ast.parse(source, STORED)
    match tree.body:
        case [ast.Expr(value=ast.Lambda() as function)]:
            return eval(compile(ast.Expression(function), STORED, "eval", dont_inherit=True))  # type: ignore[no-any-return]  # noqa: S307 - trusted
    names: dict[str, Any] = {"__name__": _MODULE}
    exec(compile(tree, STORED, "exec", dont_inherit=True), names)  # noqa: S102 - trusted, and in a process of its own
    named: dict[str, Callable[[str], object]] = {
        key: value
        for key, value in names.items()
        if not key.startswith("_")
        and getattr(value, "__module__", None) == _MODULE
        and callable(value)
        and not isinstance(value, type)
    }
    # A decorator may have made an object of a function.
    found = {key: value for key, value in named.items() if isinstance(value, types.FunctionType)} or named
    if len(found) == 1:
        return next(iter(found.values()))
    for wanted in (name, _USUAL_NAME):
        if wanted in found:
            return found[wanted]
    there = f"the functions {', '.join(found)}" if found else "no function"
    raise RefusedError(f"defines {there}: it needs one, or one called {name!r} or {_USUAL_NAME!r}")
