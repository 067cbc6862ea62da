"""The faults that pydantic finds in an entity, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


def faults_of(error: ValidationError) -> str:
    """Return what is wrong with the members of an entity, each named with its place; values stay out of it."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(": ".join(filter(None, (".".join(map(str, one["loc"])), one["msg"]))) for one in faults)
