"""File names: a safe one for every id, whatever it is, on every disk."""

from __future__ import annotations

import hashlib
from typing import Final
from urllib.parse import quote

SUFFIX: Final = ".json"
PACKED: Final = ".json.gz"
"""The end of the name of a file that is compressed; such files are read, not written."""

_LONGEST = 120
_KEPT = 64
_DIGITS = 12
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})
"""Names that Windows keeps for devices, whatever follows after a full stop."""


def file_name(checkpoint_id: str) -> str:
    """Return what the file of a checkpoint is called: its id, with all but plain characters percent-encoded.

    No id leads out of a folder, makes a hidden file, or is too long for a disk.
    """
    plain = _encoded(checkpoint_id)
    if len(plain) > _LONGEST or plain.split(".")[0].lower() in _DEVICES:
        return hashed_name(checkpoint_id)
    return plain + SUFFIX


def hashed_name(checkpoint_id: str) -> str:
    """Return what a file is called whose first name is taken, by an id that differs only in case, or is not usable."""
    digest = hashlib.sha256(checkpoint_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{_encoded(checkpoint_id)[:_KEPT]}~{digest[:_DIGITS]}{SUFFIX}"


def names(checkpoint_id: str) -> tuple[str, ...]:
    """Return all names that the file of a checkpoint may have, the first choice first."""
    choices = tuple(dict.fromkeys((file_name(checkpoint_id), hashed_name(checkpoint_id))))
    return (*choices, *(name.removesuffix(SUFFIX) + PACKED for name in choices))


def is_checkpoint(name: str) -> bool:
    """Tell whether a file of that name is taken for a checkpoint."""
    return name.endswith((SUFFIX, PACKED)) and not name.startswith(".")


def _encoded(text: str) -> str:
    plain = quote(text, safe="", errors="surrogatepass").replace("~", "%7E")
    if plain.startswith("."):
        plain = "%2E" + plain[1:]
    return plain[:-1] + "%2E" if plain.endswith(".") else plain
