"""Limits of connections: which hosts are this machine, and which numbers of seconds are time limits."""

from __future__ import annotations

from typing import Final

from checkpoint_ld.errors import SettingsError

LONGEST_TIMEOUT: Final = 1_000_000
"""The most seconds of a time limit; a connection takes no more than some weeks."""


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    import ipaddress  # noqa: PLC0415 - most commands need no host

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_timeout(seconds: float) -> None:
    """Raise SettingsError for a number of seconds that is no time limit."""
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise SettingsError(f"timeout is {seconds:g}: give a number of seconds above 0, {LONGEST_TIMEOUT} at most")
