"""Property values and template placeholders as Python values, and faults of entities in a line."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.values import copied

if TYPE_CHECKING:
    from pydantic import ValidationError

Json = dict[str, Any]

_LABEL = re.compile(r"[\w-]+\[.*\]|str|int|float|bool|bytes|none|scalar", re.DOTALL)
"""What pydantic puts into a place for the branch of a union or for a function around it; no member is called so."""
_INNER = re.compile(r"^Value error, | or instance of \w+$")
_OF_CLASS = re.compile(r"^Input should be an instance of \w+$")


def faults_of(error: ValidationError) -> str:
    """Return what is wrong with the members of an entity, each named with its place; values stay out of it.

    What pydantic says about each branch of a union is one fault.
    """
    found: dict[str, list[str]] = {}
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        found.setdefault(".".join(map(str, place_of(one["loc"]))), []).append(words_of(one["msg"]))
    return "; ".join(": ".join(filter(None, (at, " or ".join(dict.fromkeys(words))))) for at, words in found.items())


def place_of(steps: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the members and indices that lead to a fault, without the branches that pydantic took."""
    return tuple(one for one in steps if isinstance(one, int) or not _LABEL.fullmatch(one))


def words_of(message: str) -> str:
    """Return what pydantic says about a value without the names of classes that are not the reader's."""
    return _OF_CLASS.sub("Input should be of another kind", _INNER.sub("", message))


CUSTOM = "custom_"


def from_text(value: Any) -> Any:
    """Return the JSON value that a text stands for; a text that is no object or array in JSON stands for itself.

    A value that is no text is copied.
    """
    if not isinstance(value, str):
        return copied(value)
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def custom_of(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the custom metadata among a question's properties; only the first prefix belongs to the encoding.

    It shares nothing with `properties`.
    """
    return {name[len(CUSTOM) :]: copied(value) for name, value in properties.items() if name.startswith(CUSTOM)}


_DESCRIPTION = "The answer response"
_LONGEST = 2_000


def is_placeholder(source: str) -> bool:
    """Tell whether a template is the placeholder, by what it does: one field `response`, and `verify` returns False.

    What the docstring says does not count, since it has the text that the question had when it was added. The text is
    parsed, never run.
    """
    if _DESCRIPTION not in source or len(source) > _LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in a docstring are the author's matter
            module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    match [node for node in module.body if not isinstance(node, ast.Import | ast.ImportFrom)]:
        case [ast.ClassDef(bases=[_], keywords=[], decorator_list=[], body=body)]:
            return _does_nothing(_without_docstring(body))
    return False


def _does_nothing(body: list[ast.stmt]) -> bool:
    match body:
        case [
            ast.AnnAssign(target=ast.Name(id="response"), annotation=ast.Name(id="str"), value=ast.Call() as field),
            ast.FunctionDef(name="verify", decorator_list=[], body=statements),
        ]:
            match field, _without_docstring(statements):
                case (
                    ast.Call(args=[], keywords=[ast.keyword(arg="description", value=ast.Constant(value=described))]),
                    [ast.Return(value=ast.Constant(value=False))],
                ):
                    return bool(described == _DESCRIPTION)
    return False


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body
