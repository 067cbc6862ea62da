"""The page parameters.md: `python docs/parameter_pages.py` writes it from signatures and docstrings."""

from __future__ import annotations

import inspect
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

import checkpoint_ld
from checkpoint_ld import entities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).with_name("parameters.md")
WIDTH = 100

_HEAD = """# Parameters

Everything public that takes parameters, with their types and defaults (`…` where the default is an object).
Fields of entities are in
[Entities](entities.md). This page is made from the source of the package by `docs/parameter_pages.py`.
"""


def page() -> str:
    """Return the text of the page."""
    parts = [_HEAD, "\n## Functions\n"]
    found = {name: getattr(checkpoint_ld, name) for name in sorted(checkpoint_ld.__all__)}
    parts += [_entry(name, one) for name, one in found.items() if inspect.isfunction(one)]
    held = {name: getattr(entities, name) for name in sorted(entities.__all__)}
    classes = {name: one for name, one in {**held, **found}.items() if inspect.isclass(one)}
    public = [one for one in classes.values() if not issubclass(one, BaseException)]
    shown: dict[str, str] = {}
    for name in found:
        if classes.get(name) in public:
            parts += _section(name, classes[name], public, shown)
    parts.append("\n## `checkpoint_ld.entities`\n")
    parts += [_entry(name, one) for name, one in held.items() if inspect.isfunction(one)]
    for name in held:
        if classes.get(name) in public and name not in found:
            parts += _section(name, classes[name], public, shown)
    return "".join(parts)


def _section(name: str, kind: type, public: list[type], shown: dict[str, str]) -> list[str]:
    """Return a class with its methods; those that it shares with a class before it, or has from a base, stand there."""
    made = () if issubclass(kind, BaseModel) or inspect.isabstract(kind) else _constructor(name, kind)
    bases = [one for one in kind.__mro__[1:] if one in public]
    own = [pair for pair in _methods(kind) if not any(hasattr(one, pair[0]) for one in bases)]
    shared: dict[str, list[str]] = {}
    entries = [*made]
    for method, function in own:
        holder = shown.setdefault(f"{function.__module__}.{function.__qualname__}", name)
        if holder == name:
            entries.append(_entry(f"{name}.{method}", function))
        else:
            shared.setdefault(holder, []).append(f"`{method}`")
    entries += [f"\nAs of `{holder}`: {', '.join(methods)}.\n" for holder, methods in shared.items()]
    return [f"\n## `{name}`\n", *entries] if entries else []


def _constructor(name: str, kind: type) -> Iterator[str]:
    own = vars(kind).get("__init__")
    if inspect.isfunction(own) and _given(own) and not hasattr(kind, "_is_protocol"):
        is_made = own.__doc__ is None or hasattr(kind, "__dataclass_fields__")
        yield _entry(name, own, kind.__doc__ if is_made else own.__doc__)


def _methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        function = getattr(member, "__func__", member)
        is_ours = str(getattr(function, "__module__", "")).startswith("checkpoint_ld")
        if not name.startswith("_") and is_ours and inspect.isfunction(function) and _given(function):
            yield name, function


def _given(function: Callable[..., Any]) -> list[inspect.Parameter]:
    known = inspect.signature(function).parameters.values()
    return [one for one in known if one.name not in {"self", "cls"} and not one.name.startswith("_")]


def _entry(name: str, function: Callable[..., Any], told: str | None = None) -> str:
    text = inspect.cleandoc(told or function.__doc__ or "")
    given = _given(function)
    signature = f"```text\n{_signature(name, given)}\n```\n\n" if given else ""
    return f"\n### `{name}`\n\n{signature}{text}\n"


def _signature(name: str, given: list[inspect.Parameter]) -> str:
    """Return how a function is called: in one line if that is not long, else with a line for each parameter."""
    told = [_parameter(one) for one in given]
    only_by_name = next((at for at, one in enumerate(given) if one.kind is one.KEYWORD_ONLY), None)
    if only_by_name is not None and all(one.kind is not one.VAR_POSITIONAL for one in given):
        told.insert(only_by_name, "*")
    called = name.rpartition(".")[2]
    line = f"{called}({', '.join(told)})"
    return line if len(line) <= WIDTH else "\n".join((f"{called}(", *(f"    {one}," for one in told), ")"))


def _parameter(one: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    kind = "" if one.annotation is one.empty else f": {_told(one.annotation)}"
    return f"{stars.get(one.kind, '')}{one.name}{kind}{_default(one)}"


def _told(annotation: Any) -> str:
    """Return an annotation as text; that of a parameter whose module has evaluated it is put together again."""
    if isinstance(annotation, str):
        return annotation
    if get_origin(annotation) is Annotated:
        return _told(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        return " | ".join(dict.fromkeys(map(_told, get_args(annotation))))
    return "None" if annotation is NoneType else inspect.formatannotation(annotation).rpartition(".")[2]


def _default(one: inspect.Parameter) -> str:
    if one.default is one.empty:
        return ""
    if isinstance(one.default, Enum):
        return f" = {type(one.default).__name__}.{one.default.name}"
    is_plain = one.default is None or isinstance(one.default, str | int | float | tuple)
    return f" = {one.default!r}" if is_plain else " = …"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
