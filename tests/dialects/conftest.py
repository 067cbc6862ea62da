"""What the tests of the dialects share: real documents, what a reader finds in them, and ways to compare."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
