"""Where the shipped data (`contexts/`, `shapes/`) is at run time."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path


@cache
def folder(name: str) -> Path:
    """Return the folder of shipped data called `name`.

    A wheel carries the folders inside the package; an editable install leaves them at the top of the repository.
    """
    packaged = Path(str(resources.files("checkpoint_ld"))) / "_data" / name
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / name


@cache
def text(name: str, file: str) -> str:
    """Return the text of `file` in the folder of shipped data called `name`."""
    return (folder(name) / file).read_text(encoding="utf-8")
