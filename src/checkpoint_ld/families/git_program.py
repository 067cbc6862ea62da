"""Runs of git, the program of the user."""

from __future__ import annotations

import subprocess
from pathlib import Path

from checkpoint_ld.errors import SettingsError

_HERE = Path()


def output_of(*arguments: str, folder: Path = _HERE) -> str:
    """Return what git prints. Raises SettingsError with its message where it fails."""
    done = run(*arguments, folder=folder)
    if done.returncode:
        raise SettingsError(f"git {arguments[0]}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")


def run(*arguments: str, folder: Path = _HERE) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder. Raises SettingsError where it cannot be run."""
    try:
        return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)  # noqa: S603, S607 - the git of the user, with arguments of ours
    except OSError as error:
        raise SettingsError(
            f"git cannot be run: {error.strerror or error}; install it, or put it on the path"
        ) from None
