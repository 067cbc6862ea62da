"""The ways out of a benchmark: JSON-LD and the RDF syntaxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld import emission
from checkpoint_ld.emission import ContextStyle
from checkpoint_ld.facets.facet import Facet, Json

if TYPE_CHECKING:
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph


class Exits(Facet):
    """The benchmark in every syntax, made from the graph alone.

    With `derived`, an RDF syntax also holds what follows from the benchmark's statements. Reading passes it over.
    """

    def derived_graph(self) -> CheckpointGraph:
        """Return the graph together with what follows from it, for queries: a copy, which knows of no later edit.

        Kinds of traits are classes there, their settings predicates; authors and sources, the fields of templates and
        the primitives that verify these are nodes. The vocabulary is `contexts/karenina-vocabulary.ttl`.
        """
        from checkpoint_ld.enrichment import with_derived  # noqa: PLC0415 - not needed to load a benchmark

        return with_derived(self._graph)

    def _told(self, *, derived: bool) -> CheckpointGraph:
        return self.derived_graph() if derived else self._graph

    @property
    def jsonld_data(self) -> Json:
        """The benchmark as a JSON-LD document; changing it changes nothing here."""
        return self.to_jsonld()

    def to_jsonld(self, context: ContextStyle | str = ContextStyle.IMPROVED) -> Json:
        """Return the JSON-LD document under our context, or (`plain`) under the document's own or Karenina's."""
        return emission.jsonld_of(self._graph, ContextStyle(context))

    def to_turtle(self, *, derived: bool = False) -> str:
        """Return Turtle."""
        return emission.turtle_of(self._told(derived=derived)).decode()

    def to_ntriples(self, *, derived: bool = False) -> str:
        """Return N-Triples, sorted."""
        return emission.ntriples_of(self._told(derived=derived)).decode()

    def to_nquads(self, *, derived: bool = False) -> str:
        """Return N-Quads, sorted, in one graph that is named by the benchmark's IRI."""
        return emission.nquads_of(self._told(derived=derived)).decode()

    def to_trig(self, *, derived: bool = False) -> str:
        """Return TriG, in one graph that is named by the benchmark's IRI."""
        return emission.trig_of(self._told(derived=derived)).decode()
