"""What reports for programs share: which tool wrote them, and JSON as it is written."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import version as installed_version
from typing import Any

NAME = "checkpoint-ld"


@cache
def version() -> str:
    """Return the version of the installed package."""
    return installed_version(NAME)


def dumped(tree: dict[str, Any]) -> str:
    """Return a JSON text, indented, with a line end."""
    return json.dumps(tree, ensure_ascii=False, indent=2) + "\n"
