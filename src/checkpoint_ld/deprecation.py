"""Parameters of public functions that had another name once."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")


def renamed(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Make a function accept keyword arguments by their old names too, with a `DeprecationWarning`.

    `names` maps old names to new ones. A call with both names of a parameter is the `TypeError` of an unknown keyword.
    """

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            for old in names.keys() & kwargs.keys():
                if names[old] not in kwargs:
                    message = f"{function.__qualname__} has the parameter {names[old]} now: write it in place of {old}"
                    warnings.warn(message, DeprecationWarning, stacklevel=2)
                    kwargs[names[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return cast("Callable[_P, _R]", called)

    return decorated
