"""Template specifications: what an answer template says about its fields, as data instead of Python.

Building one checks types only, as files may hold any of them; `checkpoint_ld.templates` tells whether one makes sense.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, TypeAdapter, model_validator

from checkpoint_ld.entities.composition import FieldCheck, StrategyNode, require_shallow
from checkpoint_ld.entities.entity import Entity

MARKER = "__conditional__"
"""The member, with the value true, by which the object of a conditional ground truth is known."""

_NODES: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)


def _serialised_primitive(value: Any) -> Any:
    if not isinstance(value, BaseModel):
        return value
    return {**value.model_dump(mode="json"), "type": type(value).__name__}


def _serialised_truth(value: Any) -> Any:
    return value.serialised() if isinstance(value, ConditionalGroundTruth) else value


SerialisedPrimitive: TypeAlias = Annotated[dict[str, JsonValue], BeforeValidator(_serialised_primitive)]
"""A primitive as an object: its parameters, then `type`; made from a primitive as well."""


class GroundTruthCase(Entity):
    """A ground truth that counts in one case, with a primitive of its own if it is compared in another way."""

    value: JsonValue = Field(description="What is right in this case")
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
        """Return the conditional ground truth that a serialised one stands for, None for any other value.

        Raises `pydantic.ValidationError` for an object that is marked as one and is none.
        """
        if not isinstance(value, Mapping) or not cls.marks(value):
            return None
        return cls.model_validate({key: part for key, part in value.items() if key != MARKER})

    @staticmethod
    def marks(value: object) -> bool:
        """Tell whether a ground truth is marked as a conditional one, be it well-formed or not."""
        return isinstance(value, Mapping) and value.get(MARKER) is True

    def serialised(self) -> dict[str, JsonValue]:
        """Return the object that stands for this as a field's ground truth; what is no primitive becomes null."""
        cases: dict[str, JsonValue] = {name: _serialised_case(case) for name, case in self.cases.items()}
        return {"source": self.source, "cases": cases, "default": _serialised_case(self.default), MARKER: True}

    def resolve(self, context: Mapping[str, Any] | None) -> GroundTruthCase:
        """Return the case that counts: the one named by the text of the value in `context`, or the default."""
        value: Any = context
        for name in self.source.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return self.default if value is None else self.cases.get(str(value), self.default)


class TemplateFieldSpec(Entity):
    """A field of an answer, and how it is verified."""

    name: str = Field(description="A Python identifier")
    type: str = Field(description="bool, str, int, float, list_str, literal or date")
    description: str = Field(description="What the judge of an answer is asked for")
    extraction_hint: str | None = Field(default=None, description="How to find the value in an answer")
    ground_truth: Annotated[JsonValue, BeforeValidator(_serialised_truth)] = Field(
        description="What is right; an object with the member __conditional__ stands for a conditional ground truth"
    )
    literal_values: list[str] | None = Field(default=None, description="The values that a literal field can have")
    verify_with: SerialisedPrimitive = Field(description="The parameters of a primitive, then its name as type")
    weight: float = Field(default=1.0, description="How much the field counts in the granular score")
    is_trace: bool = Field(default=False, description="Whether the raw response is looked at instead of a value")


class VerifyStrategySpec(Entity):
    """A node of the tree that says which fields have to pass, of the type all_of, any_of, at_least_n or field_check."""

    type: str = Field(description="all_of, any_of, at_least_n or field_check")
    n: int | None = Field(default=None, description="For at_least_n: how many conditions have to pass")
    field_name: str | None = Field(default=None, description="For field_check: the name of the field")
    conditions: list["VerifyStrategySpec"] = Field(default_factory=list, description="The nodes below")

    @model_validator(mode="after")
    def _limit_depth(self) -> Self:
        require_shallow(self)
        return self

    def node(self) -> StrategyNode:
        """Return the tree to evaluate. Raises `pydantic.ValidationError` if this is none."""
        return _NODES.validate_python(_members(self))

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
