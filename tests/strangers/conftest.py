"""The command as a user runs it."""

from tests.cli.conftest import run

__all__ = ["run"]
