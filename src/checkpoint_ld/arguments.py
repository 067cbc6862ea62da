"""Checks of the arguments of public functions, above all of their types.

`checked` reads the annotations of a function once, at its first call, and compares every argument with them. Numbers,
texts and truth values are not converted into each other (True is no number). The items of arrays and mappings are
checked too; iterators are left to the function.
"""

from __future__ import annotations

import builtins
import re
import typing
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import wraps
from importlib import import_module
from inspect import CO_VARARGS, formatannotation, unwrap
from io import BufferedIOBase, TextIOBase
from itertools import chain, cycle
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, BinaryIO, Final, Literal, TypeVar, Union, cast, get_args, get_origin

from checkpoint_ld.errors import SettingsError, WrongTypeError

Function = TypeVar("Function", bound=Callable[..., Any])
Check = Callable[[Any], bool] | None

_ORIGIN = re.compile(r"\b(?:\w+\.)+")
# Annotations use names that modules import for type checkers only; they are resolved there when needed.
_HOMES = ("typing", "collections.abc", "datetime", "pathlib", "checkpoint_ld", "checkpoint_ld.entities")


def checked(function: Function) -> Function:
    """Return `function`; it raises WrongTypeError for an argument of another type than its annotation."""
    code = unwrap(function).__code__
    only = code.co_posonlyargcount  # a keyword may have the name of one of these; no keyword ends in a slash
    names = (*(f"{varname}/" for varname in code.co_varnames[:only]), *code.co_varnames[only : code.co_argcount])
    others = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][: bool(code.co_flags & CO_VARARGS)]
    checks: dict[str, Check] = {}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not checks:
            checks.update(_checks_of(function))
        given = zip(names if len(args) <= len(names) else chain(names, cycle(others)), args, strict=False)
        for name, value in (*given, *kwargs.items()):
            check = checks.get(name)
            if check is not None and not check(value):
                parameter = name.removesuffix("/")
                wanted, door = _named(_hints(function)[parameter]), function.__qualname__.removesuffix(".__init__")
                raise WrongTypeError(f"{door.rpartition('.')[2]}(): {parameter} is {_described(value)}: give {wanted}")
        return function(*args, **kwargs)

    return cast("Function", call)


def _described(value: object) -> str:
    """Return a phrase for a value: a plain one itself, others by their type, since they may hold secrets."""
    if value is None or isinstance(value, str | bytes | int | float):
        return f"{value!r:.60} (of type {type(value).__name__})"
    inner = value if isinstance(value, list | tuple | set) else value.values() if isinstance(value, dict) else ()
    kinds = sorted({type(item).__name__ for item in inner})
    return f"of type {type(value).__name__}" + (f" with {', '.join(kinds)}" if kinds else "")


def _named(annotation: Any) -> str:
    if get_origin(annotation) in (Union, UnionType):
        return " | ".join(map(_named, get_args(annotation)))
    if isinstance(annotation, type):
        return "None" if annotation is NoneType else annotation.__qualname__
    return _ORIGIN.sub("", formatannotation(annotation))


LONGEST_TIMEOUT: Final = 1_000_000
"""The most seconds of a time limit; a connection takes no more than some weeks."""


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    import ipaddress  # noqa: PLC0415 - most commands need no host

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_timeout(seconds: float) -> None:
    """Raise SettingsError for a number of seconds that is no time limit."""
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise SettingsError(f"timeout is {seconds:g}: give a number of seconds above 0, {LONGEST_TIMEOUT} at most")


class CheckedMethods:
    """A base of classes whose public methods, and whose construction, are `checked`."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()):
            if name.startswith("_") and name != "__init__":
                continue
            if isinstance(member, property):
                if member.fset is not None:
                    setattr(cls, name, member.setter(checked(member.fset)))
            elif isinstance(member, classmethod | staticmethod):
                setattr(cls, name, type(member)(checked(member.__func__)))
            elif callable(member) and not isinstance(member, type):
                setattr(cls, name, checked(member))


class _Unknown:
    """Stands for a type that cannot be found, and accepts every value."""

    def __class_getitem__(cls, _: Any) -> type[_Unknown]:
        return cls


class _Later(dict[str, Any]):
    """Names that modules import for type checkers only, and `_Unknown` for those that are found nowhere."""

    def __missing__(self, name: str) -> Any:
        modules = map(import_module, _HOMES)
        self[name] = next((getattr(module, name) for module in modules if hasattr(module, name)), None)
        if self[name] is None:
            self[name] = import_module(name) if name == "os" else _Unknown
        return self[name]


_LATER = _Later()


def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    function = unwrap(function)
    return typing.get_type_hints(function, None, ChainMap(function.__globals__, vars(builtins), _LATER))


def _checks_of(function: Callable[..., Any]) -> Iterable[tuple[str, Check]]:
    code = unwrap(function).__code__
    only = code.co_varnames[: code.co_posonlyargcount]
    for name, annotation in _hints(function).items():
        if name != "return":
            yield f"{name}/" if name in only else name, _check_of(annotation)
    yield "", None  # so that the checks are never empty


def _check_of(annotation: Any) -> Check:
    """Return the check whether a value is of a type, None for a type that accepts every value."""
    kind, inner = get_origin(annotation) or annotation, get_args(annotation)
    if kind is Annotated:
        return _check_of(inner[0])
    if kind in (Union, UnionType):
        return _one_of([_check_of(hint) for hint in inner])
    if kind is Literal:
        return _instance(*{type(value) for value in inner})
    if kind is BinaryIO:
        return lambda value: hasattr(value, "read") and not isinstance(value, TextIOBase)
    if kind in (int, float):
        number = Integral if kind is int else Real
        return _by_type(lambda given: issubclass(given, number) and not issubclass(given, bool))
    if kind is Callable:
        return callable
    if not isinstance(kind, type) or kind in (Any, object, _Unknown):
        return None
    if issubclass(kind, Mapping):
        return _mapping(*map(_check_of, inner))
    if issubclass(kind, Iterable) and not issubclass(kind, str | bytes) and inner:
        return _items(Iterable if kind is Iterable else Collection | Iterator, _item_of(kind, inner))
    return _instance(kind)


def _item_of(kind: type, inner: tuple[Any, ...]) -> Check:
    is_record = issubclass(kind, tuple) and inner[1:] != (...,)  # each item has a type of its own
    return None if is_record else _check_of(inner[0])


def _instance(*kinds: type) -> Check:
    if any(getattr(kind, "_is_protocol", False) for kind in kinds):  # each value is checked, not only its type
        return lambda value: isinstance(value, kinds) and not isinstance(value, type)
    return _by_type(lambda given: issubclass(given, kinds) and (type in kinds or not issubclass(given, type)))


def _by_type(check: Callable[[type], bool]) -> Check:
    """Return a check by the type of a value alone, with a cache; live agents make very many calls."""
    passed: set[type] = set()

    def fits(value: Any) -> bool:
        given = type(value)
        if given not in passed:
            if not check(given):
                return False
            passed.add(given)
        return True

    return fits


def _one_of(checks: list[Check]) -> Check:
    def fits(value: Any) -> bool:
        for check in chosen:  # noqa: SIM110 - any() takes several times as long
            if check(value):
                return True
        return False

    chosen = tuple(check for check in checks if check is not None)
    return fits if len(chosen) == len(checks) else None


def _items(kinds: Any, item: Check) -> Check:
    """Return the check of an array; a text, a mapping and a file of bytes are no arrays."""

    def check(value: Any) -> bool:
        if not isinstance(value, kinds) or isinstance(value, str | bytes | bytearray | Mapping | BufferedIOBase):
            return False
        return item is None or not isinstance(value, Collection) or all(map(item, value))

    return check


def _mapping(key: Check = None, item: Check = None) -> Check:
    return lambda value: (
        isinstance(value, Mapping)
        and (key is None or all(map(key, value)))
        and (item is None or all(map(item, value.values())))
    )
