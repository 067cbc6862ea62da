"""Benchmarks compared."""

from __future__ import annotations

from typing import Self

from checkpoint_ld.facets.facet import Facet
from checkpoint_ld.normal_form import normal_form


class Comparison(Facet):
    """Copies and equality; what the difference is, `checkpoint_ld.difference.semantic_diff` tells."""

    def clone(self) -> Self:
        """Return a benchmark with the same content; a change of one changes nothing in the other."""
        other = type(self).__new__(type(self))
        vars(other).update({**vars(self), "_graph": self._graph.copy(), "_known": None})
        return other

    def __eq__(self, other: object) -> bool:
        """Tell whether two benchmarks make the same statements, dates and order of questions included.

        It does not matter which dialect, syntax or layout they were read from, nor the context of the document.
        """
        if not isinstance(other, Comparison):
            return NotImplemented
        return self is other or normal_form(self._graph) == normal_form(other._graph)

    __hash__ = None  # type: ignore[assignment]  # what can change cannot be a key
