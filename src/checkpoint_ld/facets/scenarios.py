"""The scenarios of a benchmark of several turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.errors import LookupFailedError, WriteError
from checkpoint_ld.facets import entries
from checkpoint_ld.facets.facet import Facet
from checkpoint_ld.mapping import scenarios

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.entities import Scenario

_TYPE, _OF_SCENARIOS = "benchmark_type", "scenario"


class Scenarios(Facet):
    """The scenarios of a benchmark of several turns, known by their names."""

    @property
    def scenarios(self) -> list[Scenario]:
        """The scenarios in their order."""
        return [scenarios.scenario_of(self._graph.read(node)) for node in self._scenario_nodes()]

    def get_scenarios(self) -> list[Scenario]:
        """Return `scenarios`."""
        return self.scenarios

    def get_scenario(self, name: str) -> Scenario:
        """Return the scenario called `name`, the first of several. Raises LookupFailedError."""
        return scenarios.scenario_of(self._graph.read(self._scenario_node(name)))

    def add_scenario(self, scenario: Scenario) -> None:
        """Add a scenario at the end. Code in it is text: it is neither read nor run.

        Raises WriteError, having added nothing, for a name that another scenario has, for anything but a `Scenario`
        with a name, and in a benchmark that has questions.
        """
        if self._elements():
            raise WriteError("a benchmark of questions holds no scenarios: make another benchmark for them")
        if not scenario.name or scenario.name in self._scenario_names():
            fault = "taken: give another one" if scenario.name else "empty: give it one"
            raise WriteError(f"the name {scenario.name!r} of the scenario is {fault}")
        part = scenarios.scenario_object(scenario)
        dump_json(part, limits=inside(2))
        self._graph.append(self._graph.root, "hasPart", part)
        with self._editing_head() as head:
            if entries.value_of(head, _TYPE) is None:
                entries.set_value(head, _TYPE, _OF_SCENARIOS)
        self._touch()

    def remove_scenario(self, name: str) -> None:
        """Take a scenario away, the first that has the name. Raises LookupFailedError."""
        self._graph.discard(self._graph.root, "hasPart", self._scenario_node(name))
        if not self._graph.member(self._graph.root, "hasPart"):
            self._graph.replace(self._graph.root, "hasPart", None)
        with self._editing_head() as head:
            if not self.is_scenario_benchmark and entries.value_of(head, _TYPE) == _OF_SCENARIOS:
                entries.take_away(head, _TYPE.__eq__)
        self._touch()

    @property
    def scenario_count(self) -> int:
        """How many scenarios there are."""
        return len(self._scenario_nodes())

    @property
    def is_scenario_benchmark(self) -> bool:
        """Whether this is a benchmark of scenarios."""
        return self.scenario_count > 0

    def _scenario_names(self) -> list[object]:
        return [self._graph.plain(node, "name") for node in self._scenario_nodes()]

    def _scenario_node(self, name: str) -> Node:
        for node in self._scenario_nodes():
            if self._graph.plain(node, "name") == name:
                return node
        raise LookupFailedError(f"there is no scenario {name!r}: see get_scenarios()")

    def _scenario_nodes(self) -> list[Node]:
        parts = self._graph.member(self._graph.root, "hasPart")
        return [one for one in parts if one in self._graph.held and self._is_scenario(one)]

    def _is_scenario(self, part: Node) -> bool:
        kind = self._graph.plain(part, "@type")
        return scenarios.is_scenario(self._graph.read(part) if kind is None else {"@type": kind})
