"""IRIs as people read them: with the prefixes that everybody knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from checkpoint_ld.sparql.guard import PREFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOCAL = re.compile(r"[A-Za-z_](?:[\w.-]*[\w-])?", re.ASCII)


def short(iri: str) -> str:
    """Return an IRI with a known prefix where it can be written so, else as it is."""
    for prefix, namespace in PREFIXES.items():
        if iri.startswith(namespace) and _LOCAL.fullmatch(iri, len(namespace)):
            return f"{prefix}:{iri[len(namespace) :]}"
    return iri


def prefixes_in(iris: Iterable[str]) -> Mapping[str, str]:
    """Return the known prefixes that shorten one of these IRIs at least."""
    used = {name.partition(":")[0] for iri in iris if (name := short(iri)) != iri}
    return {prefix: namespace for prefix, namespace in PREFIXES.items() if prefix in used}
