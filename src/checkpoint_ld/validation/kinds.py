"""The kinds of places in a feed of questions, from the benchmark down to the settings of a trait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from checkpoint_ld.graph.expansion import named
from checkpoint_ld.roles import TYPES
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from rdflib import URIRef
    from rdflib.term import Node


@dataclass(frozen=True, eq=False)
class Place:
    """A kind of place: the role of the objects there, the member that they stand in, and their classes.

    `parts` are the kinds of places in their own members. `makes` says that values that are derived for such an object
    are made for it, and are no terms of the graph. `is_apart` says that the objects are read as if they stood alone,
    whatever they stand in.
    """

    role: str
    member: str
    classes: tuple[str, ...]
    parts: tuple[Place, ...] = ()
    makes: bool = False
    is_apart: bool = False

    @property
    def name(self) -> str:
        """The class that no other kind of place has."""
        return self.classes[-1]

    @property
    def type(self) -> str:
        """The type that the objects have."""
        return TYPES.get(self.role, "Person")

    @cached_property
    def predicate(self) -> URIRef:
        """The property whose values stand here."""
        return named(SCHEMA + self.member)

    @cached_property
    def by_predicate(self) -> dict[Node, Place]:
        """The kinds of places of the parts by their properties."""
        return {part.predicate: part for part in self.parts}


ANSWER = Place("Answer", "acceptedAnswer", ("Answer",))
TEMPLATE = Place("Template", "hasPart", ("Template",))
TRAIT_SETTING = Place("Setting", "additionalProperty", ("Setting", "TraitSetting"))
QUESTION_SETTING = Place("Setting", "additionalProperty", ("Setting", "QuestionSetting"))
BENCHMARK_SETTING = Place("Setting", "additionalProperty", ("Setting", "BenchmarkSetting"))
TRAIT = Place("Trait", "contentRating", ("Trait", "QuestionTrait"), (TRAIT_SETTING,))
GLOBAL_TRAIT = Place("Trait", "contentRating", ("Trait", "GlobalTrait"), (TRAIT_SETTING,))
QUESTION = Place(
    "Question", "item", ("Question", "FeedQuestion"), (ANSWER, TEMPLATE, TRAIT, QUESTION_SETTING), is_apart=True
)
ITEM = Place("Item", "dataFeedElement", ("Item",), (QUESTION,), makes=True)
CREATOR = Place("Creator", "creator", ("Creator",))
BENCHMARK = Place(
    "Benchmark",
    "",
    ("Benchmark", "FeedBenchmark"),
    (ITEM, GLOBAL_TRAIT, BENCHMARK_SETTING, CREATOR),
    is_apart=True,
)
BY_NAME = replace(BENCHMARK, parts=tuple(one for one in BENCHMARK.parts if one is not CREATOR))
"""A benchmark whose creator is told by a mere name, as most are."""
