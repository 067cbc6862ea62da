"""All of a benchmark at once, for the facets that look at all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.content import content_of
from checkpoint_ld.facets.facet import Facet

if TYPE_CHECKING:
    from checkpoint_ld.content import BenchmarkContent
    from checkpoint_ld.graph.object_reading import Frame


class Contents(Facet):
    """What the benchmark holds, read anew at each call."""

    def _content(self, only: Frame | None = None) -> BenchmarkContent:
        return content_of(self._graph, self._elements(), only)
