"""What typer makes of commands, done otherwise: summaries that are not cut, and parameters that need no conversion.

typer has every value checked by pydantic. Importing that and making its validators takes longer than reading a
checkpoint, and most values are a text or a default. These are taken as they are here; all others, and all that are
wrong, are left to typer. (Measured: a third of the time of `validate` for ten questions.)
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Callable

_UNSETTLED = object()


class WholeSummaries(TyperGroup):
    """A group of commands whose help has the summary of each as a whole."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer's signature
        """Write the names of the commands and their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(1 << 10)) for name, command in self.commands.items()])


def taken_as_they_are(command: Any) -> Any:
    """Return a command of typer, and what is below it, that has only those values converted that have to be."""
    usual = command.get_params
    command.get_params = lambda ctx: as_they_are(usual(ctx))
    for below in getattr(command, "commands", {}).values():
        taken_as_they_are(below)
    return command


def as_they_are(parameters: list[Any]) -> list[Any]:
    """Return parameters of typer that have only those values converted that have to be.

    Those of a typer that converts in another way than by `get_runtime_param` are left alone.
    """
    for parameter in parameters:
        usual = getattr(parameter, "get_runtime_param", None)
        if usual is not None and hasattr(parameter, "type_descriptor") and "get_runtime_param" not in vars(parameter):
            parameter.get_runtime_param = _Plainly(parameter.type_descriptor, usual).itself
    return parameters


class _Plainly:
    """Stands for typer's conversion of one parameter, which is made by `usual` when it is needed."""

    def __init__(self, descriptor: Any, usual: Callable[[], Any]) -> None:
        self.type = descriptor
        self.usual = usual

    def itself(self) -> _Plainly:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as the function of the command takes it. Raises typer's exceptions for what is wrong."""
        if getattr(self.type.parameter_info, "parser", None) is None:
            found = _many(value, self.type.annotation) if param.multiple or param.nargs != 1 else self._one(value)
            if found is not _UNSETTLED:
                return found
        return self.usual().coerce(value, param=param, ctx=ctx)

    def _one(self, value: Any) -> Any:
        kind = self.type.annotation
        if value is None or type(value) is kind:
            return value
        if kind is float and type(value) is int:
            return float(value)
        if type(value) is str and isinstance(kind, type) and issubclass(kind, Enum):
            return next((one for one in kind if one.value == value), _UNSETTLED)
        return _UNSETTLED


def _many(value: Any, annotation: Any) -> Any:
    if value is None:
        return ()
    is_plain = annotation == list[str] and isinstance(value, tuple | list) and all(type(one) is str for one in value)
    return list(value) if is_plain else _UNSETTLED
