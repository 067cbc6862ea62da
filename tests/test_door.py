"""The public door: what it offers, and that nobody waits for what they do not use."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import checkpoint_ld

HEAVY = ("rdflib", "pyld", "pydantic", "pyshacl")


def test_the_names_are_sorted_and_all_there() -> None:
    assert checkpoint_ld.__all__ == sorted(checkpoint_ld.__all__)
    assert all(getattr(checkpoint_ld, name) is not None for name in checkpoint_ld.__all__)
    assert set(checkpoint_ld.__all__) <= set(dir(checkpoint_ld))


def test_a_name_that_is_not_offered_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bench'"):
        checkpoint_ld.Bench  # type: ignore[attr-defined] # noqa: B018 - the access is the test


def test_an_exception_is_its_class() -> None:
    assert checkpoint_ld.ReadError.__module__ == "checkpoint_ld.errors"
    assert issubclass(checkpoint_ld.FindingsWarning, UserWarning)


def test_documented_modules_of_the_former_package_of_agents_are_those_of_the_new_one() -> None:
    with pytest.warns(DeprecationWarning, match=r"checkpoint_ld\.agent is now called checkpoint_ld\.agents"):
        former = import_module("checkpoint_ld.agent.checkpoint")

    assert former.AgentCheckpoint is checkpoint_ld.AgentCheckpoint
    assert import_module("checkpoint_ld.agent.serialization").__name__ == "checkpoint_ld.agents.serialization"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("import checkpoint_ld", ""),
        ("import checkpoint_ld.cli.app", ""),
        ("import checkpoint_ld; checkpoint_ld.validate", "rdflib"),
        ("import checkpoint_ld; checkpoint_ld.Benchmark", "pydantic rdflib"),
    ],
)
def test_importing_does_not_import_what_takes_long(code: str, wanted: str) -> None:
    found = f"import sys; {code}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", found], capture_output=True, encoding="utf-8", check=True)

    assert done.stdout.strip() == wanted
