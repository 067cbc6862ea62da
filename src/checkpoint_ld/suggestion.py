"""Suggestions: what somebody may have meant by a name that does not exist."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from checkpoint_ld.documents.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 80
"""difflib is quadratic, and longer names resemble nothing anyway."""


def unknown(what: str, name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Say that there is no `what` called `name`, and which of the `known` ones are like it, in whatever case.

    If none is, `otherwise` says what to do; without it all that are known are listed.
    """
    choices = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), choices, n=3) if len(name) <= _LONGEST else []
    if near:
        advice = f"did you mean {' or '.join(choices[one] for one in near)}?"
    else:
        advice = otherwise or f"use one of {', '.join(choices.values())}"
    return f"there is no {what} {shown(name)}; {advice}"
