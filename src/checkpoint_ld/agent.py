"""The former name of the package `agents`: its documented modules can still be imported from here."""

import sys
import warnings
from importlib import import_module

warnings.warn("checkpoint_ld.agent is now called checkpoint_ld.agents", DeprecationWarning, stacklevel=2)
for _name in ("checkpoint", "serialization"):
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = import_module(f"checkpoint_ld.agents.{_name}")
