"""Composition: trees that say which fields of an answer have to pass."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from checkpoint_ld.arguments import renamed
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import LookupFailedError

DEEPEST = 100
"""Trees may have this many levels."""

_CONDITIONS = "The nodes below, each with its type"


class _Node(Entity):
    """A node of a tree. In serialised form, `type` tells the nodes apart; unknown members are dropped."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="after")
    def _limit_depth(self) -> Self:
        require_shallow(self)
        return self


class FieldCheck(_Node):
    """Passes if the result of one field is true; null, which is no result, does not pass."""

    type: Literal["field_check"] = "field_check"
    field: str = Field(description="The name of the field")


class AllOf(_Node):
    """Passes if all conditions pass, and so without any."""

    type: Literal["all_of"] = "all_of"
    conditions: list["StrategyNode"] = Field(default_factory=list, description=_CONDITIONS)


class AnyOf(_Node):
    """Passes if one of the conditions passes, and so never without any."""

    type: Literal["any_of"] = "any_of"
    conditions: list["StrategyNode"] = Field(default_factory=list, description=_CONDITIONS)


class AtLeastN(_Node):
    """Passes if `n` conditions or more pass, and so never if there are fewer."""

    type: Literal["at_least_n"] = "at_least_n"
    n: int = Field(ge=0, description="How many conditions have to pass")
    conditions: list["StrategyNode"] = Field(default_factory=list, description=_CONDITIONS)


StrategyNode: TypeAlias = Annotated[AllOf | AnyOf | AtLeastN | FieldCheck, Field(discriminator="type")]
"""Any node, told by `type`, which every node but the root has to have in serialised form."""

AllOf.model_rebuild()
AnyOf.model_rebuild()
AtLeastN.model_rebuild()


@renamed(results="field_results")
def evaluate_strategy(node: StrategyNode, field_results: Mapping[str, bool | None]) -> bool:
    """Return whether a tree passes, given the result of each field by name; null counts as not passed.

    Raises `LookupFailedError` if the tree names a field without a result, whether or not it decides anything, and
    `ValueError` if the tree was edited to be deeper than `DEEPEST`.
    """
    require_shallow(node)
    missing = [name for name in dict.fromkeys(fields_of(node)) if name not in field_results]
    if missing:
        there = ", ".join(map(repr, field_results)) or "none"
        raise LookupFailedError(
            f"the strategy names fields without a result: {', '.join(map(repr, missing))}; there are {there}"
        )
    return _evaluated(node, lambda leaf: field_results[leaf.field] is True)


def evaluate_composition(node: object, evaluate_leaf: Callable[[Any], bool]) -> bool:
    """Return whether a tree passes whose leaves are anything that `evaluate_leaf` can judge.

    What is not AllOf, AnyOf or AtLeastN is a leaf. AllOf and AnyOf ask no further once they are decided. Raises
    `ValueError` if the tree is deeper than `DEEPEST`.
    """
    require_shallow(node)
    return _evaluated(node, evaluate_leaf)


def require_shallow(node: object) -> None:
    """Raise `ValueError` if a tree of objects with `conditions` is deeper than `DEEPEST`; one that holds itself is."""
    waiting = [(node, 1)]
    while waiting:
        known, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError(f"the tree has more than {DEEPEST} levels")
        waiting.extend((condition, depth + 1) for condition in getattr(known, "conditions", ()))


def _evaluated(node: object, evaluate_leaf: Callable[[Any], bool]) -> bool:
    match node:
        case AllOf(conditions=conditions):
            return all(_evaluated(condition, evaluate_leaf) for condition in conditions)
        case AnyOf(conditions=conditions):
            return any(_evaluated(condition, evaluate_leaf) for condition in conditions)
        case AtLeastN(n=needed, conditions=conditions):
            return sum(_evaluated(condition, evaluate_leaf) for condition in conditions) >= needed
    return evaluate_leaf(node)


def fields_of(node: StrategyNode) -> Iterator[str]:
    """Yield the names of the fields that a tree looks at, in its order; one may come twice."""
    if isinstance(node, FieldCheck):
        yield node.field
        return
    for condition in node.conditions:
        yield from fields_of(condition)
