"""Content negotiation: which format a client wants its answer in (RFC 9110 §12.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checkpoint_ld.sparql.guard import Form

RESULTS = {
    "application/sparql-results+json": "json",
    "application/json": "json",
    "application/sparql-results+xml": "xml",
    "application/xml": "xml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}
"""Media types of the results of SELECT and ASK, what we prefer first."""
GRAPHS = {
    "text/turtle": "turtle",
    "application/n-triples": "ntriples",
    "application/rdf+xml": "rdfxml",
    "text/plain": "ntriples",
}
"""Media types of the results of CONSTRUCT and DESCRIBE."""


def chosen(accept: str, form: Form) -> tuple[str, str] | None:
    """Return the media type and the format that suit a header `Accept` best, None if none does."""
    offered = GRAPHS if form in ("construct", "describe") else RESULTS
    wanted = _ranges(accept) or [("*/*", 1.0)]
    weights = {media: _weight(media, wanted) for media in offered}
    best = max(offered, key=lambda media: weights[media])
    return (best, offered[best]) if weights[best] > 0 else None


def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for one in accept.split(","):
        media, *parameters = (part.strip().lower() for part in one.split(";"))
        weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        try:
            found.append((media, float(weight)))
        except ValueError:
            continue
    return [pair for pair in found if pair[0]]


def _weight(media: str, wanted: list[tuple[str, float]]) -> float:
    """Return the weight of a media type: the most precise range that it is in decides."""
    for shape in (media, f"{media.partition('/')[0]}/*", "*/*"):
        for named, weight in wanted:
            if named == shape:
                return weight
    return 0.0
