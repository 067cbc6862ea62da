"""Trust is given for a time and with so much memory."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from checkpoint_ld import SettingsError
from checkpoint_ld.workers.trusted import Trust


def test_trust_has_limits() -> None:
    assert (Trust().seconds, Trust().megabytes) == (10.0, 512)
    assert Trust(seconds=2, megabytes=1024) == Trust(2.0, 1024)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf, 3601, True, "5", None])
def test_a_time_that_is_none_is_refused(seconds: Any) -> None:
    with pytest.raises(SettingsError, match=r"seconds: give more than 0, 3600 at most"):
        Trust(seconds=seconds)


@pytest.mark.parametrize("megabytes", [0, 127, -1, 512.0, True, "512", None, 10**9])
def test_an_amount_of_memory_that_is_none_is_refused(megabytes: Any) -> None:
    with pytest.raises(SettingsError, match=r"megabytes: give a whole number from 128 on"):
        Trust(megabytes=megabytes)


def test_trust_cannot_be_widened_afterwards() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Trust().seconds = 100  # type: ignore[misc]
