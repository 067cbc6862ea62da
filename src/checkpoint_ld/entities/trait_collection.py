"""Collections of traits: five lists, one for each kind of trait."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Self, TypeAlias

from pydantic import Field

from checkpoint_ld.entities.agentic_trait import AgenticRubricTrait
from checkpoint_ld.entities.callable_trait import CallableRubricTrait
from checkpoint_ld.entities.entity import Entity, problem
from checkpoint_ld.entities.llm_trait import LLMRubricTrait
from checkpoint_ld.entities.metric_trait import MetricRubricTrait
from checkpoint_ld.entities.regex_trait import RegexRubricTrait

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.findings import Finding

AnyTrait: TypeAlias = LLMRubricTrait | RegexRubricTrait | CallableRubricTrait | MetricRubricTrait | AgenticRubricTrait

TRAIT_LISTS: dict[str, type[AnyTrait]] = {
    "llm_traits": LLMRubricTrait,
    "regex_traits": RegexRubricTrait,
    "callable_traits": CallableRubricTrait,
    "metric_traits": MetricRubricTrait,
    "agentic_traits": AgenticRubricTrait,
}
"""The lists of a rubric in their order, with what each holds."""


class TraitCollection(Entity):
    """Traits in five lists, in the order llm, regex, callable, metric, agentic.

    Names are unique across all lists and hold no dot. A change within one of the lists is not checked when it is
    made; `problems` sees it. A collection without traits is a value like any other, and true.
    """

    llm_traits: list[LLMRubricTrait] = Field(default_factory=list, description="Traits that a language model judges")
    regex_traits: list[RegexRubricTrait] = Field(
        default_factory=list, description="Traits that a regular expression decides"
    )
    callable_traits: list[CallableRubricTrait] = Field(
        default_factory=list, description="Traits that a Python function decides"
    )
    metric_traits: list[MetricRubricTrait] = Field(
        default_factory=list, description="Traits that are measured by metrics"
    )
    agentic_traits: list[AgenticRubricTrait] = Field(default_factory=list, description="Traits that an agent judges")

    @classmethod
    def from_traits(cls, traits: Iterable[AnyTrait] | None) -> Self | None:
        """Sort traits of any kinds into the lists; None gives None. Raises `TypeError` for what is no trait."""
        if traits is None:
            return None
        lists: dict[str, list[AnyTrait]] = {name: [] for name in TRAIT_LISTS}
        for trait in traits:
            lists[_list_of(trait)].append(trait)
        return cls.model_validate(lists)

    def traits(self) -> Iterator[AnyTrait]:
        """Go through all traits in the order of the lists."""
        for name in TRAIT_LISTS:
            yield from getattr(self, name)

    def is_empty(self) -> bool:
        """Tell whether there is no trait."""
        return next(self.traits(), None) is None

    def get_trait_names(self) -> list[str]:
        """Return the names of all traits in the order of the lists."""
        return [trait.name for trait in self.traits()]

    def problems(self) -> tuple[Finding, ...]:
        """Report names that several traits have and names with a dot."""
        names = Counter(self.get_trait_names())
        shared = [
            problem(
                "trait-name-duplicate",
                f"{count} traits are called {name!r}",
                "rename all but one of them",
                subject=name,
            )
            for name, count in names.items()
            if count > 1
        ]
        dotted = [
            problem("trait-name-dot", f"the trait name {name!r} holds a dot", "rename the trait", subject=name)
            for name in names
            if "." in name
        ]
        return (*shared, *dotted)

    def all_problems(self) -> tuple[Finding, ...]:
        """Report what is wrong with the collection and with each of its traits."""
        return (*self.problems(), *(found for trait in self.traits() for found in trait.problems()))


def _list_of(trait: AnyTrait) -> str:
    for name, cls in TRAIT_LISTS.items():
        if isinstance(trait, cls):
            return name
    raise TypeError(f"{trait!r} is no trait: pass objects of {', '.join(cls.__name__ for cls in TRAIT_LISTS.values())}")
