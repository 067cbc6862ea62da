"""What is different between two benchmarks, in the terms of their authors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from checkpoint_ld.arguments import checked
from checkpoint_ld.content import BenchmarkContent, content_of
from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.difference import outline
from checkpoint_ld.difference.change import Change, PartsDiff, changes, parts
from checkpoint_ld.difference.questions import QuestionDiff, QuestionName, name_of, pairs, question_diff
from checkpoint_ld.difference.traits import traits_diff
from checkpoint_ld.facets.comparison import FORMAT_PROPERTIES
from checkpoint_ld.facets.elements import elements_of
from checkpoint_ld.mapping.creators import creator_of
from checkpoint_ld.mapping.properties import as_list, text_of, values
from checkpoint_ld.mapping.scenarios import is_scenario
from checkpoint_ld.members import BY_TYPE

if TYPE_CHECKING:
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

Json = dict[str, Any]

_READ = frozenset(BY_TYPE["DataFeed"]) | {"globalRubric"}
_READ_PROPERTIES = frozenset((*LEGACY_PROPERTIES, CREATOR_DETAILS, *FORMAT_PROPERTIES))
"""Properties that traits and creators are read from, and those that say how a file is written."""


@runtime_checkable
class Compared(Protocol):
    """What can be compared: a Benchmark, or a checkpoint that was read."""

    @property
    def graph(self) -> CheckpointGraph:
        """The graph that holds the checkpoint."""
        ...


@dataclass(frozen=True, slots=True)
class SemanticDiff:
    """What is different between two benchmarks.

    `metadata` has `id`, `name`, `description`, `version`, `creator` and what else the benchmark says about itself,
    `properties` its custom properties. Traits and scenarios are known by their names. Empty where nothing is
    different, and false then; `str` gives lines for people.
    """

    metadata: tuple[Change, ...]
    properties: tuple[Change, ...]
    questions_added: tuple[QuestionName, ...]
    questions_removed: tuple[QuestionName, ...]
    questions_changed: tuple[QuestionDiff, ...]
    questions_reordered: bool
    global_rubric: PartsDiff
    global_dynamic_rubric: PartsDiff
    scenarios: PartsDiff

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different."""
        named = self.global_rubric, self.global_dynamic_rubric, self.scenarios
        listed = self.questions_added, self.questions_removed, self.questions_changed
        return not (
            self.metadata
            or self.properties
            or any(listed)
            or self.questions_reordered
            or not all(one.is_empty for one in named)
        )

    def __bool__(self) -> bool:
        return not self.is_empty

    def __str__(self) -> str:
        return outline.text_of(self)

    def to_markdown(self) -> str:
        """Return the differences as a nested list in Markdown."""
        return outline.markdown_of(self)

    def as_json(self) -> Json:
        """Return the differences as a JSON object, members by their names here, with `is_empty`."""
        return {"is_empty": self.is_empty, **asdict(self)}


@checked
def semantic_diff(before: Compared, after: Compared, *, dates: bool = False, order: bool = False) -> SemanticDiff:
    """Return what is different between two benchmarks, whatever dialect and layout they come from.

    Questions are held against those of the same identifier, or else of the same text. `dates` says whether dates of
    making and of changing count, `order` whether the order of questions, keywords, traits and fields does. Values that
    look like secrets are withheld.
    """
    old, new = _content(before), _content(after)
    matched = pairs(old.questions, new.questions)
    both = [(one, other) for one, other in matched if one is not None and other is not None]
    compared = (question_diff(one, other, dates=dates, order=order) for one, other in both)
    places = {one.id: place for place, one in enumerate(old.questions)}
    sequence = [places[one.id] for one, _ in both]
    return SemanticDiff(
        metadata=changes(_metadata(old, dates=dates), _metadata(new, dates=dates)),
        properties=changes(_properties(old), _properties(new)),
        questions_added=tuple(name_of(one) for was, one in matched if was is None and one is not None),
        questions_removed=tuple(name_of(was) for was, one in matched if one is None and was is not None),
        questions_changed=tuple(one for one in compared if not one.is_empty),
        questions_reordered=order and sequence != sorted(sequence),
        global_rubric=traits_diff(old.root, new.root, dynamic=False, order=order),
        global_dynamic_rubric=traits_diff(old.root, new.root, dynamic=True, order=order),
        scenarios=parts(_named(old.scenarios), _named(new.scenarios), order=order),
    )


def _content(one: Compared) -> BenchmarkContent:
    return content_of(one.graph, elements_of(one.graph))


def _metadata(content: BenchmarkContent, *, dates: bool) -> Json:
    root = content.root
    told = {
        "id": root.get("@id"),
        "name": root.get("name"),
        "description": root.get("description"),
        "version": root.get("version"),
        "creator": _creator(root),
        **({"created_at": content.created_at, "modified_at": content.modified_at} if dates else {}),
        **{key: value for key, value in root.items() if key not in _READ},
        "hasPart": [part for part in as_list(root.get("hasPart")) if not is_scenario(part)],
    }
    return {name: value for name, value in told.items() if value not in (None, "", [])}


def _properties(content: BenchmarkContent) -> Json:
    found = values(content.root.get("additionalProperty"))
    return {name: value for name, value in found.items() if name not in _READ_PROPERTIES}


def _creator(root: Json) -> Any:
    told = creator_of(root)
    makers = [
        one if isinstance(one, str) else one.model_dump(by_alias=True, exclude_none=True)
        for one in (told if isinstance(told, list) else [told])
        if one is not None
    ]
    return makers[0] if len(makers) == 1 else makers or None


def _named(scenarios: list[Json]) -> list[tuple[str, Json]]:
    return [(text_of(one.get("name")), one) for one in scenarios]
