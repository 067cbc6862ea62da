"""Libraries that only some users need: they come with the optional extras of the package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from checkpoint_ld.errors import SettingsError


def library(name: str) -> Any:
    """Return the library `name`, which the extra of the same name installs.

    Raises SettingsError, with what to install, where it is not there.
    """
    try:
        return import_module(name)
    except ImportError:
        raise SettingsError(f"{name} is not installed: run pip install 'checkpoint-ld[{name}]'") from None
