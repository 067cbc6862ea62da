"""Linked data for AI evaluation checkpoints.

`load` reads a checkpoint of any dialect or RDF syntax; `Benchmark` is what it gives; `validate` finds what is wrong.
Everything here is public; everything else may change. The stub `__init__.pyi` lists the names.
"""

from __future__ import annotations

import logging
import re
from importlib import import_module
from typing import Any

with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as _stub:  # noqa: PTH123 - pathlib takes longer to import
    _MODULES = {
        name: module
        for module, names in re.findall(r"^from (\S+) import ([^()\n]+|\([^()]+\))", _stub.read(), re.MULTILINE)
        for name in re.findall(r"\w+(?= as )", names)
    }
"""The module of each public name."""

__all__ = sorted(_MODULES)  # noqa: PLE0605 - the names stand in the stub

# What a library logs is for programs that ask for it (docs.python.org, "Configuring Logging for a Library").
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    # RDF, JSON-LD and pydantic take half a second to import: nobody waits for what they do not use (PEP 562).
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    member = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return member


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
