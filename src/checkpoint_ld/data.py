"""The shipped data: the folders `contexts/` and `shapes/` and packaged files; the import of optional libraries."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from checkpoint_ld.errors import SettingsError

PACKAGE = Path(__file__).resolve().parent
"""The folder of this package."""


@cache
def folder(name: str) -> Path:
    """Return the folder of shipped data called `name`.

    A wheel carries the folders inside the package; an editable install leaves them at the top of the repository.
    """
    packaged = PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else PACKAGE.parents[1] / name


@cache
def text(name: str, file: str) -> str:
    """Return the text of `file` in the folder of shipped data called `name`."""
    return (folder(name) / file).read_text(encoding="utf-8")


@cache
def packaged(file: str) -> str:
    """Return the text of a file of this package, such as `site/site.css`."""
    return (PACKAGE / file).read_text(encoding="utf-8")


def library(name: str, extra: str | None = None) -> Any:
    """Return the library `name`, which `extra` installs, or the extra of the same name.

    Raises SettingsError, with what to install, where it is not there; with the reason where it cannot be imported.
    """
    install = f"pip install 'checkpoint-ld[{extra or name.partition('.')[0]}]'"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if name == error.name or name.startswith(f"{error.name}."):
            raise SettingsError(f"{name} is not installed: run {install}") from None
        raise SettingsError(f"{name} cannot be imported: {error.name} is missing; run {install}") from error
    except Exception as error:  # a package may be built for another Python, or for another version of a package
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        remedy = f"install it anew, by {install} --force-reinstall"
        raise SettingsError(f"{name} is installed, but cannot be imported: {reason}; {remedy}") from error
