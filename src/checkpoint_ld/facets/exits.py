"""The ways out of a benchmark: JSON-LD and the RDF syntaxes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from warnings import warn

from checkpoint_ld import emission
from checkpoint_ld.arguments import renamed
from checkpoint_ld.emission import ContextStyle
from checkpoint_ld.facets.facet import Facet, Json

if TYPE_CHECKING:
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph


class Exits(Facet):
    """The benchmark in every syntax, made from the graph alone.

    With `inferred`, an RDF syntax also holds what follows from the benchmark's statements. Reading passes it over.
    """

    def inferred_graph(self) -> CheckpointGraph:
        """Return the graph together with what follows from it, for queries: a copy, which knows of no later edit.

        Kinds of traits are classes there, their settings predicates; authors and sources, the fields of templates and
        the primitives that verify these are nodes. The vocabulary is `contexts/karenina-vocabulary.ttl`.
        """
        from checkpoint_ld.inference import with_inferred  # noqa: PLC0415 - not needed to load a benchmark

        return with_inferred(self._graph)

    def derived_graph(self) -> CheckpointGraph:
        """Return `inferred_graph()`, by its old name."""
        warn("derived_graph is called inferred_graph now: write that", DeprecationWarning, stacklevel=2)
        return self.inferred_graph()

    def _told(self, *, inferred: bool) -> CheckpointGraph:
        return self.inferred_graph() if inferred else self._graph

    @property
    def jsonld_data(self) -> Json:
        """The benchmark as a JSON-LD document; changing it changes nothing here."""
        return self.to_jsonld()

    def to_jsonld(self, context: ContextStyle | str = ContextStyle.IMPROVED) -> Json:
        """Return the JSON-LD document under our context, or (`plain`) under the document's own or Karenina's."""
        return emission.jsonld_of(self._graph, ContextStyle(context))

    @renamed(derived="inferred")
    def to_turtle(self, *, inferred: bool = False) -> str:
        """Return Turtle."""
        return emission.turtle_of(self._told(inferred=inferred)).decode()

    @renamed(derived="inferred")
    def to_ntriples(self, *, inferred: bool = False) -> str:
        """Return N-Triples, sorted."""
        return emission.ntriples_of(self._told(inferred=inferred)).decode()

    @renamed(derived="inferred")
    def to_nquads(self, *, inferred: bool = False) -> str:
        """Return N-Quads, sorted, in one graph that is named by the benchmark's IRI."""
        return emission.nquads_of(self._told(inferred=inferred)).decode()

    @renamed(derived="inferred")
    def to_trig(self, *, inferred: bool = False) -> str:
        """Return TriG, in one graph that is named by the benchmark's IRI."""
        return emission.trig_of(self._told(inferred=inferred)).decode()
