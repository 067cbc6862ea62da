"""The ways out of a benchmark: JSON-LD and the RDF syntaxes."""

from __future__ import annotations

from checkpoint_ld import emission
from checkpoint_ld.emission import ContextStyle
from checkpoint_ld.facets.facet import Facet, Json


class Exits(Facet):
    """The benchmark in every syntax, made from the graph alone."""

    @property
    def jsonld_data(self) -> Json:
        """The benchmark as a JSON-LD document; changing it changes nothing here."""
        return self.to_jsonld()

    def to_jsonld(self, context: ContextStyle | str = ContextStyle.IMPROVED) -> Json:
        """Return the JSON-LD document under our context, or (`plain`) under the document's own or Karenina's."""
        return emission.jsonld_of(self._graph, ContextStyle(context))

    def to_turtle(self) -> str:
        """Return Turtle."""
        return emission.turtle_of(self._graph).decode()

    def to_ntriples(self) -> str:
        """Return N-Triples, sorted."""
        return emission.ntriples_of(self._graph).decode()

    def to_nquads(self) -> str:
        """Return N-Quads, sorted, in one graph that is named by the benchmark's IRI."""
        return emission.nquads_of(self._graph).decode()

    def to_trig(self) -> str:
        """Return TriG, in one graph that is named by the benchmark's IRI."""
        return emission.trig_of(self._graph).decode()
