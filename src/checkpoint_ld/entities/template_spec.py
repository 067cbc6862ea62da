"""Templates as data: the fields, which of them have to pass, and partial credit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, TypeAdapter, model_validator

from checkpoint_ld.documents.values import plain
from checkpoint_ld.entities.entity import Entity, json_value
from checkpoint_ld.errors import LookupFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


DEEPEST = 100
"""Trees may have this many levels."""

_CONDITIONS = "The nodes below, each with its type"


class _Node(Entity):
    """A node of a tree. In serialised form, `type` is the discriminator; unknown members are dropped."""

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
    """Passes if all conditions pass; without conditions it passes."""

    type: Literal["all_of"] = "all_of"
    conditions: list[StrategyNode] = Field(default_factory=list, description=_CONDITIONS)


class AnyOf(_Node):
    """Passes if one of the conditions passes; without conditions it fails."""

    type: Literal["any_of"] = "any_of"
    conditions: list[StrategyNode] = Field(default_factory=list, description=_CONDITIONS)


class AtLeastN(_Node):
    """Passes if `n` conditions or more pass; with fewer conditions it fails."""

    type: Literal["at_least_n"] = "at_least_n"
    n: int = Field(ge=0, description="How many conditions have to pass")
    conditions: list[StrategyNode] = Field(default_factory=list, description=_CONDITIONS)


StrategyNode: TypeAlias = Annotated[AllOf | AnyOf | AtLeastN | FieldCheck, Field(discriminator="type")]
"""Any node, distinguished by `type`, which every node but the root has to have in serialised form."""


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

    A node that is not AllOf, AnyOf or AtLeastN is a leaf. AllOf and AnyOf stop at the condition that decides them.
    Raises `ValueError` if the tree is deeper than `DEEPEST`.
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
    """Yield the names of the fields of a tree, in its order; a name may come twice."""
    if isinstance(node, FieldCheck):
        yield node.field
        return
    for condition in node.conditions:
        yield from fields_of(condition)


MOST_WEIGHT: Final = 1e300
"""The greatest weight that counts, so that sums of weights stay finite."""

_BELOW_ONE: Final = math.nextafter(1.0, 0.0)


def granular_score(
    node: StrategyNode | None,
    results: Mapping[str, bool | None],
    scores: Mapping[str, float | None],
    weights: Mapping[str, float],
) -> float:
    """Return how right an answer is: results, credit from 0.0 to 1.0 and weight of each field by name.

    Without a tree it is the mean of the credit, weighted. In a tree, a field is worth its credit; AllOf the mean of
    its parts, each weighted by the fields below it; AnyOf its best part; AtLeastN the mean of its `n` best parts, all
    if `n` is 0. A tree that does not pass is worth less than 1.0, and nothing if none of its fields earns anything.
    Null earns nothing, and a weight that is no positive number counts as 0.

    Raises what `checkpoint_ld.entities.template_spec.evaluate_strategy` raises.
    """
    credit = {name: score or 0.0 for name, score in scores.items()}
    shares = {name: min(weight, MOST_WEIGHT) if weight > 0 else 0.0 for name, weight in weights.items()}
    if node is None:
        return _mean([(credit[name], shares[name]) for name in credit]) if any(shares.values()) else 0.0
    passes = evaluate_strategy(node, results)
    value, _ = _worth(node, credit, shares)
    if passes:
        return value
    return min(value, _BELOW_ONE) if any(credit[name] for name in fields_of(node)) else 0.0


def karenina_score(
    node: StrategyNode | None, scores: Mapping[str, float | None], weights: Mapping[str, float]
) -> float:
    """Return the granular score as Karenina computes it, from the credit and the weight of each field by name.

    Only the root of the tree counts, and the weight of all fields, whether they are in the tree or not: the best credit
    for AnyOf, the `n` largest for AtLeastN, the sum otherwise, each times its weight and divided by that of all. So it
    may be below 1.0 for a right answer, and outside of 0.0 to 1.0 for negative weights.
    """
    total = sum(weights.values())
    if not total:
        return 0.0
    earned = sorted(((scores[name] or 0.0) * weight for name, weight in weights.items()), reverse=True)
    if isinstance(node, AnyOf):
        return max(earned, default=0.0) / total
    if isinstance(node, AtLeastN):
        return sum(earned[: node.n]) / total
    return sum(earned) / total


def _worth(node: StrategyNode, credit: Mapping[str, float], shares: Mapping[str, float]) -> tuple[float, float]:
    if isinstance(node, FieldCheck):
        return credit[node.field], shares[node.field]
    parts = [_worth(condition, credit, shares) for condition in node.conditions]
    weight = min(sum(share for _, share in parts), MOST_WEIGHT)
    best = sorted((value for value, _ in parts), reverse=True)
    if isinstance(node, AnyOf):
        return (best[0] if best else 0.0), weight
    if isinstance(node, AtLeastN):
        return (sum(best[: node.n]) / node.n if node.n else 1.0), weight
    return _mean(parts), weight


def _mean(parts: Sequence[tuple[float, float]]) -> float:
    """Return the weighted mean. If no part has a weight, all parts count alike; without parts it is 1."""
    total = sum(share for _, share in parts)
    if not total:
        return sum(value for value, _ in parts) / len(parts) if parts else 1.0
    return min(sum(value * share for value, share in parts) / total, 1.0)


MARKER = "__conditional__"
"""The member, with the value true, that identifies a conditional ground truth."""


def _serialised_primitive(value: Any) -> Any:
    if not isinstance(value, BaseModel):
        return value
    return {**value.model_dump(mode="json"), "type": type(value).__name__}


def _serialised_truth(value: Any) -> Any:
    return value.serialised() if isinstance(value, ConditionalGroundTruth) else plain(value)


SerialisedPrimitive: TypeAlias = Annotated[dict[str, JsonValue], BeforeValidator(_serialised_primitive)]
"""A primitive as an object: its parameters, then `type`; made from a primitive as well."""


class GroundTruthCase(Entity):
    """The ground truth of one case, with a primitive of its own if it is compared in another way."""

    value: Annotated[JsonValue, BeforeValidator(json_value)] = Field(description="What is right in this case")
    verify_with: SerialisedPrimitive | None = Field(
        default=None, description="The primitive to compare by in this case; null: the one of the field"
    )


class ConditionalGroundTruth(Entity):
    """A ground truth that depends on the state of a conversation: the value at a path chooses the case."""

    source: str = Field(description="Names that lead to the value, joined by dots")
    cases: dict[str, GroundTruthCase] = Field(description="The case for each value, as text")
    default: GroundTruthCase = Field(description="What counts if no case fits")

    @classmethod
    def read(cls, value: object) -> Self | None:
        """Return the conditional ground truth in serialised form, None for any other value.

        Raises `pydantic.ValidationError` for an object with the mark that is none.
        """
        if not isinstance(value, Mapping) or not cls.marks(value):
            return None
        return cls.model_validate({key: part for key, part in value.items() if key != MARKER})

    @staticmethod
    def marks(value: object) -> bool:
        """Return whether a ground truth has the mark of a conditional one, even if it is malformed."""
        return isinstance(value, Mapping) and value.get(MARKER) is True

    def serialised(self) -> dict[str, JsonValue]:
        """Return this as the JSON object of a field's ground truth; an invalid primitive becomes null."""
        cases: dict[str, JsonValue] = {name: _serialised_case(case) for name, case in self.cases.items()}
        return {"source": self.source, "cases": cases, "default": _serialised_case(self.default), MARKER: True}

    def resolve(self, context: Mapping[str, Any] | None) -> GroundTruthCase:
        """Return the case that applies: the one named by the text of the value in `context`, or the default."""
        value: Any = context
        for name in self.source.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return self.default if value is None else self.cases.get(str(value), self.default)


class TemplateFieldSpec(Entity):
    """A field of an answer, and how it is verified."""

    name: str = Field(description="A Python identifier")
    type: str = Field(description="bool, str, int, float, list_str, literal or date")
    description: str = Field(description="The instruction for the judge of an answer")
    extraction_hint: str | None = Field(default=None, description="How to find the value in an answer")
    ground_truth: Annotated[JsonValue, BeforeValidator(_serialised_truth)] = Field(
        description="What is right; an object with the member __conditional__ stands for a conditional ground truth"
    )
    literal_values: list[str] | None = Field(default=None, description="The values that a literal field can have")
    verify_with: SerialisedPrimitive = Field(description="The parameters of a primitive, then its name as type")
    weight: float = Field(default=1.0, description="How much the field counts in the granular score")
    is_trace: bool = Field(default=False, description="Whether the raw response is looked at instead of a value")


class VerifyStrategySpec(Entity):
    """A node of the tree of fields that have to pass, of the type all_of, any_of, at_least_n or field_check."""

    type: str = Field(description="all_of, any_of, at_least_n or field_check")
    n: int | None = Field(default=None, description="For at_least_n: how many conditions have to pass")
    field_name: str | None = Field(default=None, description="For field_check: the name of the field")
    conditions: list[VerifyStrategySpec] = Field(default_factory=list, description="The nodes below")

    @model_validator(mode="after")
    def _limit_depth(self) -> Self:
        require_shallow(self)
        return self

    def node(self) -> StrategyNode:
        """Return the tree to evaluate. Raises `pydantic.ValidationError` if this is none."""
        adapter: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)
        return adapter.validate_python(_members(self))

    @classmethod
    def of(cls, node: StrategyNode) -> Self:
        """Return the specification of a tree."""
        if isinstance(node, FieldCheck):
            return cls(type=node.type, field_name=node.field)
        conditions: Iterable[StrategyNode] = node.conditions
        return cls(type=node.type, n=getattr(node, "n", None), conditions=[cls.of(child) for child in conditions])


class TemplateSpec(Entity):
    """An answer template as data: its fields in order, which of them have to pass, and the name of its class."""

    fields: list[TemplateFieldSpec] = Field(description="The fields in order")
    verify_strategy: VerifyStrategySpec | None = Field(default=None, description="null: all fields have to pass")
    class_name: str = Field(default="Answer", description="The name of the class, a Python identifier")


def _serialised_case(case: GroundTruthCase) -> JsonValue:
    primitive = case.verify_with if case.verify_with and "type" in case.verify_with else None
    return {"value": case.value, "verify_with": None if primitive is None else dict(primitive)}


def _members(spec: VerifyStrategySpec) -> dict[str, object]:
    members = {"type": spec.type, "n": spec.n, "field": spec.field_name}
    given = {key: value for key, value in members.items() if value is not None}
    return {**given, "conditions": [_members(condition) for condition in spec.conditions]}
