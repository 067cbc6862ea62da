"""The scenarios of a benchmark of several turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.facets.facet import Facet, Json
from checkpoint_ld.mapping import scenarios

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.entities import Scenario


class Scenarios(Facet):
    """The scenarios of a benchmark of several turns."""

    @property
    def scenarios(self) -> list[Scenario]:
        """The scenarios in their order."""
        return [scenarios.scenario_of(part) for part in self._scenario_objects()]

    def get_scenarios(self) -> list[Scenario]:
        """Return `scenarios`."""
        return self.scenarios

    def get_scenario(self, name: str) -> Scenario:
        """Return the scenario called `name`. Raises LookupFailedError."""
        for part in self._scenario_objects():
            if part.get("name") == name:
                return scenarios.scenario_of(part)
        raise LookupFailedError(f"there is no scenario {name!r}: see get_scenarios()")

    @property
    def scenario_count(self) -> int:
        """How many scenarios there are."""
        return len(self._scenario_nodes())

    @property
    def is_scenario_benchmark(self) -> bool:
        """Whether this is a benchmark of scenarios."""
        return self.scenario_count > 0

    def _scenario_nodes(self) -> list[Node]:
        parts = self._graph.member(self._graph.root, "hasPart")
        return [one for one in parts if one in self._graph.index and scenarios.is_scenario(self._graph.object(one))]

    def _scenario_objects(self) -> Iterator[Json]:
        return (self._graph.object(node) for node in self._scenario_nodes())
