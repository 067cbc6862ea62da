"""What the tests of the dialects share: real documents, what a reader finds in them, and ways to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
