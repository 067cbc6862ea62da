"""Answers: the values that a judge found in a response, verified field by field.

Answer templates derive a class from `BaseAnswer`, and declare its fields with `VerifiedField`.
"""

from __future__ import annotations

import copy
import inspect
import logging
import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, JsonValue, PrivateAttr, model_validator

from checkpoint_ld.documents.values import means_number, means_truth_value
from checkpoint_ld.entities.class_source import CELLS, line_of, source_in_file, source_in_notebook
from checkpoint_ld.entities.entity import Entity, json_value
from checkpoint_ld.entities.primitives import PRIMITIVES, primitive_of
from checkpoint_ld.entities.template_spec import (
    ConditionalGroundTruth,
    StrategyNode,
    evaluate_strategy,
    granular_score,
    karenina_score,
)
from checkpoint_ld.entities.verification_primitive import TracePrimitive, VerificationPrimitive, safe_check
from checkpoint_ld.errors import EvaluationError, EvaluationValueError, NotVerifiableError, SettingsError
from checkpoint_ld.phrases import brief, shown
from checkpoint_ld.workers.patterns import find_all

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

_TRACES = {name for name, primitive in PRIMITIVES.items() if issubclass(primitive, TracePrimitive)}
_Answer = TypeVar("_Answer", bound=BaseModel)
_log = logging.getLogger(__name__)

KEY: Final = "__verification__"
"""The member of a field's `json_schema_extra` with its verification."""


class VerificationMeta(Entity):
    """The verification of a field, as a template states it; unknown members are dropped.

    `ground_truth` is a JSON value; an object with the member `__conditional__` is a conditional one. `verify_with` is a
    primitive in serialised form. `weight` may be any number, also 0 and negative.
    """

    model_config = ConfigDict(extra="ignore")

    ground_truth: Any = Field(
        description="What is right; an object with the member __conditional__ stands for a conditional ground truth"
    )
    verify_with: dict[str, Any] = Field(description="The parameters of a primitive, then its name as type")
    weight: float = Field(default=1.0, description="How much the field counts in the granular score")
    extraction_hint: str | None = Field(default=None, description="How to find the value in an answer")

    @classmethod
    def of(cls, field: FieldInfo) -> Self | None:
        """Return the verification of a pydantic field, None if it declares none."""
        extra = field.json_schema_extra
        stored = extra.get(KEY) if isinstance(extra, dict) else None
        return cls.model_validate(stored) if isinstance(stored, dict) else None

    def resolve(self, context: Mapping[str, Any] | None = None) -> tuple[VerificationPrimitive, JsonValue]:
        """Return the primitive and the ground truth that apply; see `resolve_truth`."""
        return resolve_truth(self.verify_with, self.ground_truth, context)


def resolve_truth(
    verify_with: Mapping[str, Any], ground_truth: JsonValue, context: Mapping[str, Any] | None
) -> tuple[VerificationPrimitive, JsonValue]:
    """Return the primitive and the ground truth of a field; if it has cases, those of the case that `context` chooses.

    Raises `SettingsError` and `pydantic.ValidationError` (both are ValueErrors) for a primitive that cannot be built,
    and the latter for an object that is marked as a conditional ground truth and is none.
    """
    conditional = ConditionalGroundTruth.read(ground_truth)
    if conditional is None:
        return primitive_of(verify_with), ground_truth
    case = conditional.resolve(context)
    return primitive_of(verify_with if case.verify_with is None else case.verify_with), case.value


def VerifiedField(  # noqa: N802 - templates call it by this name
    description: str,
    ground_truth: Any,
    verify_with: VerificationPrimitive,
    weight: float = 1.0,
    extraction_hint: str | None = None,
    **kwargs: Any,
) -> Any:
    """Return a pydantic field with its verification, for the body of a class derived from `BaseAnswer`.

    `description` is the instruction for the judge of an answer. `ground_truth` is the right answer: a value, or a
    `ConditionalGroundTruth`; sets and tuples are kept as lists, dates as ISO 8601 text. `weight` is the field's share
    in the granular score. All other arguments are those of `pydantic.Field`. Without a default the field is required; a
    field with a trace primitive, whose value is not used, has the default None. Raises `SettingsError` (a ValueError)
    for a blank description and for a `verify_with` that is no primitive. A ground truth that hardly fits the primitive
    is logged as a warning.
    """
    if not isinstance(description, str) or not description.strip():
        raise SettingsError("a verified field needs a description: state what to look for in an answer")
    if not isinstance(verify_with, VerificationPrimitive):
        raise SettingsError(f"verify_with is {brief(verify_with)}: give a primitive, such as ExactMatch()")
    given = kwargs.pop("json_schema_extra", None)
    if not isinstance(given, dict | None):
        raise SettingsError("json_schema_extra of a verified field is no dictionary: give one")
    is_conditional = isinstance(ground_truth, ConditionalGroundTruth)
    stored: dict[str, Any] = {
        "ground_truth": ground_truth.serialised() if is_conditional else json_value(ground_truth),
        "verify_with": verify_with.serialised(),
        "weight": weight,
        "extraction_hint": extraction_hint,
    }
    _warn_of_misfit(verify_with, stored["ground_truth"])
    if isinstance(verify_with, TracePrimitive) and "default_factory" not in kwargs:
        kwargs.setdefault("default", None)
    return Field(description=description, json_schema_extra={**(given or {}), KEY: stored}, **kwargs)


def _warn_of_misfit(primitive: VerificationPrimitive, truth: JsonValue) -> None:
    if ConditionalGroundTruth.marks(truth):
        return
    name = type(primitive).__name__
    if isinstance(primitive, TracePrimitive):
        fits = isinstance(truth, bool)
    elif name == "BooleanMatch":
        fits = means_truth_value(truth)
    elif name.startswith("Numeric"):
        fits = means_number(truth)
    elif name in {"SetContainment", "OrderedMatch"}:
        fits = isinstance(truth, list) and safe_check(primitive, truth, truth).error is None
    elif name in {"DateMatch", "DateTolerance"}:
        fits = not primitive.remarks(truth, truth)
    else:
        return
    if not fits:
        _log.warning("the ground truth %s hardly fits %s: correct one of them", shown(str(truth)), name)


_NAMED_SCHEMAS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMAS: Final = (
    *("items", "prefixItems", "additionalItems", "contains", "additionalProperties", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "anyOf", "allOf", "oneOf", "not", "if", "then", "else"),
)
_PLAIN: Final = (
    *("$schema", "$ref", "type", "title", "description", "enum", "const", "format"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties"),
    *("required", "dependentRequired", "contentEncoding", "contentMediaType", "discriminator"),
)
"""The keywords of JSON Schema 2020-12 that describe a value, and the one of OpenAPI that pydantic uses."""


def without_ground_truths(schema: Any) -> Any:
    """Return a copy of a JSON Schema with only the keywords that describe values.

    Examples are removed, and so are additions such as `__verification__`. A default stays only if it is null, and never
    in a verified field. Names of properties are names, whatever they are.
    """
    if isinstance(schema, list):
        return [without_ground_truths(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED_SCHEMAS and isinstance(value, dict):
            kept[key] = {name: without_ground_truths(part) for name, part in value.items()}
        elif key in _SCHEMAS:
            kept[key] = without_ground_truths(value)
        elif key in _PLAIN or (key == "default" and value is None and KEY not in schema):
            kept[key] = value
    return kept


MATCH_TYPES = ("exact", "contains", "count", "all")


def check_regexes(regexes: Mapping[str, Any] | None, trace: str) -> dict[str, Any]:
    """Return what expressions find in a response: `success`, `results` by name, and `details` by name.

    An expression is an object of `pattern`, `expected` and `match_type`: *exact* (there is one match, the expected
    text), *contains* (the expected text is among the matches), *count* (there are as many matches as expected) and
    *all* (each expected text is among the matches). Matches are those of Python's `findall`: the content of the group
    if there is one, a tuple if there are several. Details have `pattern`, `expected` and `match_type`. They also have
    `matches_found`, `match_count` and `success_reason` or `failure_reason`, or else `error`: the reason why the search
    failed, such as the time limit. Nothing is raised.
    """
    details = {name: _detail(regex, trace) for name, regex in (regexes or {}).items()}
    results = {name: "success_reason" in detail for name, detail in details.items()}
    return {"success": all(results.values()), "results": results, "details": details}


def _detail(stated: Any, trace: str) -> dict[str, Any]:
    if not isinstance(stated, Mapping):
        error = f"{brief(stated)} is no object of pattern, expected and match_type"
        return {"error": error, "pattern": "", "expected": None, "match_type": "exact"}
    pattern, expected, match_type = stated.get("pattern", ""), stated.get("expected"), stated.get("match_type", "exact")
    detail: dict[str, Any] = {"pattern": pattern, "expected": expected, "match_type": match_type}
    try:
        if not isinstance(pattern, str) or not isinstance(trace, str):
            raise EvaluationError(f"the pattern {brief(pattern)} cannot be searched for in {brief(trace)}")
        matches = find_all(pattern, trace)
        passed, reason = _judged(match_type, expected, matches)
    except (EvaluationError, RecursionError) as error:
        return {"error": str(error), **detail}
    detail |= {"matches_found": matches, "match_count": len(matches)}
    return {**detail, "success_reason" if passed else "failure_reason": reason}


def _judged(match_type: Any, expected: Any, matches: list[Any]) -> tuple[bool, str]:
    count = f"{len(matches)} {'match' if len(matches) == 1 else 'matches'}"
    match match_type:
        case "exact" if len(matches) == 1:
            return matches[0] == expected, f"the one match is {brief(matches[0])}, expected is {brief(expected)}"
        case "exact":
            return False, f"{count}, where one is expected"
        case "contains":
            there = expected in matches
            return there, f"{brief(expected)} is {'' if there else 'not '}among the {count}"
        case "count" if isinstance(expected, int):
            return len(matches) == expected, f"{count}, expected are {int(expected)}"
        case "all" if isinstance(expected, list):
            missing = [item for item in expected if item not in matches]
            return (
                not missing,
                f"missing are {brief(missing)}" if missing else f"all expected are among the {count}",
            )
        case "count" | "all":
            return False, f"{match_type} cannot be compared with {brief(expected)}"
    return False, f"there is no match_type {brief(match_type)}: use one of {', '.join(MATCH_TYPES)}"


@dataclass(slots=True)
class _Judged:
    """The cached result and score of each field, which do not count when answers are compared."""

    fields: dict[str, tuple[bool | None, float | None]] | None = field(default=None, compare=False)


class BaseAnswer(BaseModel):
    """The values that a judge found in a response: derive from it, and declare the fields with `VerifiedField`.

    Members that are not declared are kept. `verify` and `verify_granular` use the verified fields and the tree in
    `VerificationStrategy.verify_strategy`, an inner class; a derived class may define its own. If a derived class
    defines `ground_truth(self)` and no `model_post_init`, `ground_truth` is called when an answer is built. Otherwise
    `correct` becomes the ground truth of each field by name. It is a member of the answer: leave it out of what others
    read by `model_dump(exclude={"correct"})`. The JSON Schema of a class contains no ground truth.

    A field cannot be called `correct`: `TypeError` when the class is made.
    """

    model_config = ConfigDict(extra="allow")

    id: str | None = None

    _has_ground_truth_hook: ClassVar[bool] = False
    _source_code: ClassVar[str | None] = None
    _line: ClassVar[int] = 0
    _raw_trace: str | None = PrivateAttr(default=None)
    _scenario_context: Mapping[str, Any] | None = PrivateAttr(default=None)
    _null_fields: frozenset[str] = PrivateAttr(default=frozenset())
    _judged: _Judged = PrivateAttr(default_factory=_Judged)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse reserved names, and prepare the hook `ground_truth`."""
        super().__pydantic_init_subclass__(**kwargs)
        if "correct" in cls.model_fields:
            raise TypeError(f"{cls.__name__} has a field 'correct', a reserved name: call it something else")
        cls._source_code, cls._line = None, line_of(cls.__module__)
        _warn_of_strangers(cls)
        if inspect.isfunction(vars(cls).get("ground_truth")):
            own = inspect.unwrap(cls.model_post_init)  # pydantic wraps it in each class
            bases = [base for base in cls.__mro__[1:] if issubclass(base, BaseAnswer)]
            cls._has_ground_truth_hook = any(own is inspect.unwrap(base.model_post_init) for base in bases)
            if cls._has_ground_truth_hook:
                cls.model_post_init = BaseAnswer.model_post_init  # type: ignore[method-assign] # not that of a base

    @model_validator(mode="before")
    @classmethod
    def _without_unused_nulls(cls, data: Any) -> Any:
        """Leave out null for fields that are about the raw response: their value is not used, and the default is."""
        if not isinstance(data, Mapping) or all(value is not None for value in data.values()):
            return data
        traces = {name for name, meta in verified_fields(cls).items() if meta.verify_with.get("type") in _TRACES}
        return {name: value for name, value in data.items() if value is not None or name not in traces}

    @classmethod
    def get_source_code(cls) -> str | None:
        """Return the Python text of the class, None if it is not known, such as for a class made by a program.

        It is the text that `set_source_code_from_notebook` found, or that of the file with the class. The decorator
        `capture_answer_source` is left out.
        """
        if cls._source_code is None and cls is not BaseAnswer:
            cls._source_code = source_in_file(cls, cls._line)
        return cls._source_code

    @classmethod
    def set_source_code_from_notebook(cls) -> None:
        """Take the text of the class from the last ten cells of the notebook (IPython) that defines it.

        The newest cell that defines a class of that name counts. A text that cannot be found is a `UserWarning`.
        """
        source = source_in_notebook(cls.__name__, cls._line)
        if source is not None:
            cls._source_code = source
        elif cls.get_source_code() is None:
            message = f"the source of {cls.__name__} is in none of the last {CELLS} cells: give it as text"
            warnings.warn(message, UserWarning, stacklevel=2)

    def model_post_init(self, context: Any, /) -> None:
        """Run the hook `ground_truth`, or set `correct`."""
        del context
        if self._has_ground_truth_hook:
            getattr(self, "ground_truth")()  # noqa: B009 - only derived classes have it
        elif getattr(self, "correct", None) is None:
            metas = verified_fields(type(self))
            if metas:
                self.correct = {
                    name: copy.deepcopy(meta.ground_truth)  # which is that of the class
                    for name, meta in metas.items()
                    if not ConditionalGroundTruth.marks(meta.ground_truth)
                }

    def set_question_id(self, question_id: str) -> None:
        """Set the identifier of the question that this answers."""
        self.id = question_id

    def attach(
        self, trace: str | None = None, *, context: Mapping[str, Any] | None = None, null_fields: Iterable[str] = ()
    ) -> Self:
        """Set the evidence that verification needs beside the fields, and return the answer.

        `trace` is the raw response, which trace primitives and regular expressions search. `context` chooses the case
        of conditional ground truths. `null_fields` are names of fields for which the judge found nothing: their result
        and their score are None, whatever their values.
        """
        self._raw_trace, self._scenario_context, self._null_fields = trace, context, frozenset(null_fields)
        return self

    def attached(self) -> tuple[str | None, Mapping[str, Any] | None, frozenset[str]]:
        """Return the raw response, the context and the null fields that were attached."""
        return self._raw_trace, self._scenario_context, self._null_fields

    def field_results(self) -> dict[str, bool | None]:
        """Return whether each verified field passes, by name in order; None for those that are null.

        Results are cached until a member is assigned or `clear_field_results` is called, which is needed after a change
        inside a value. Raises `EvaluationError` for a value that its primitive cannot judge, and for a trace primitive
        without a raw response.
        """
        return {name: result for name, (result, _) in self._fields_judged().items()}

    def field_scores(self) -> dict[str, float | None]:
        """Return the credit of each verified field, from 0.0 to 1.0, as `field_results` does."""
        return {name: score for name, (_, score) in self._fields_judged().items()}

    def clear_field_results(self) -> None:
        """Discard the results of the fields, so that they are computed again."""
        self._judged = _Judged()

    def verify(self) -> bool:
        """Return whether the answer is right: all verified fields pass, or the strategy of the class does.

        Raises `NotVerifiableError` if there is no verified field, `EvaluationError` as `field_results` does, and
        `LookupFailedError` if the strategy names a field that is not verified.
        """
        results = self._verifiable()
        node = strategy_of(type(self))
        if node is None:
            return all(result is True for result in results.values())
        return evaluate_strategy(node, results)

    def verify_granular(self) -> float:
        """Return how right the answer is, by Karenina's formula; see `graded_score` for one from 0.0 to 1.0.

        Of a strategy only the root counts, and the weight of all fields: AnyOf gives the largest credit times weight of
        a field, AtLeastN the sum of the `n` largest, anything else the sum of all, each divided by that weight. So it
        may be below 1.0 for a right answer. Raises as `verify` does.
        """
        self._verifiable()
        weights = {name: meta.weight for name, meta in verified_fields(type(self)).items()}
        return karenina_score(strategy_of(type(self)), BaseAnswer.field_scores(self), weights)

    def graded_score(self) -> float:
        """Return how right the answer is, from 0.0 to 1.0, by the whole strategy.

        See `checkpoint_ld.entities.template_spec.granular_score`. Raises as `verify` does.
        """
        results = self._verifiable()
        weights = {name: meta.weight for name, meta in verified_fields(type(self)).items()}
        return granular_score(strategy_of(type(self)), results, BaseAnswer.field_scores(self), weights)

    def verify_regex(self, raw_trace: str) -> dict[str, Any]:
        """Return the results of the expressions in the member `regex` for a raw response.

        See `checkpoint_ld.entities.answer.check_regexes`; without expressions the result is success.
        """
        regexes = getattr(self, "regex", None)
        if regexes is not None and not isinstance(regexes, Mapping):
            raise EvaluationError("the member regex is no object of expressions by name: make it one")
        return check_regexes(regexes, raw_trace)

    def _verifiable(self) -> dict[str, bool | None]:
        results = BaseAnswer.field_results(self)  # a field may have the name of the method
        if not results:
            raise NotVerifiableError(
                f"{type(self).__name__} has no field that says how it is verified: declare one with VerifiedField, "
                "or define verify"
            )
        return results

    def _fields_judged(self) -> dict[str, tuple[bool | None, float | None]]:
        if self._judged.fields is None:
            metas = verified_fields(type(self))
            self._judged.fields = {name: self._field_judged(name, meta) for name, meta in metas.items()}
        return self._judged.fields

    def _field_judged(self, name: str, meta: VerificationMeta) -> tuple[bool | None, float | None]:
        primitive, truth = meta.resolve(self._scenario_context)
        if name in self._null_fields:
            return None, None
        if isinstance(primitive, TracePrimitive):
            if self._raw_trace is None:
                raise EvaluationValueError(f"field {name!r} is about the raw response: attach it")
            passed = primitive.check_trace(self._raw_trace) is bool(truth)
            return passed, float(passed)
        value = json_value(self.__dict__.get(name))
        passed = primitive.check(value, truth)
        return passed, _score(primitive, value, truth, passed=passed)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy without the results of the fields."""
        copied = super().model_copy(update=update, deep=deep)
        copied.clear_field_results()
        return copied

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return pydantic's JSON Schema without anything that could reveal a ground truth.

        Defaults, examples and all keywords that describe no value are left out.
        """
        schema: dict[str, Any] = without_ground_truths(super().model_json_schema(*args, **kwargs))
        return schema

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        """Keep ground truths out of the schemas of models that have answers as fields, too."""
        schema = handler(core_schema)
        found = handler.resolve_ref_schema(schema)
        cleaned = without_ground_truths(found)
        found.clear()
        found.update(cleaned)
        return schema

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name != "_judged":
            super().__setattr__("_judged", _Judged())


def capture_answer_source(answer_class: type[_Answer]) -> type[_Answer]:
    """Take the source of a class from a notebook, and return the class: a function, or a decorator of answer classes.

    See `BaseAnswer.set_source_code_from_notebook`. Any other class is returned unchanged.
    """
    if issubclass(answer_class, BaseAnswer):
        answer_class.set_source_code_from_notebook()
    return answer_class


def verified_fields(answer: type[BaseModel]) -> dict[str, VerificationMeta]:
    """Return the verifications of the verified fields of a class, by name in order, inherited ones first."""
    found = {name: VerificationMeta.of(field) for name, field in answer.model_fields.items()}
    return {name: meta for name, meta in found.items() if meta is not None}


def strategy_of(answer: type[BaseModel]) -> StrategyNode | None:
    """Return the tree in the inner class `VerificationStrategy`, None if all verified fields have to pass."""
    node: StrategyNode | None = getattr(getattr(answer, "VerificationStrategy", None), "verify_strategy", None)
    return node


def _score(primitive: VerificationPrimitive, value: Any, truth: Any, *, passed: bool) -> float:
    try:
        score = primitive.score(value, truth)
    except EvaluationError:
        return float(passed)
    return min(max(score, 0.0), 1.0) if math.isfinite(score) else float(passed)


def _warn_of_strangers(answer: type[BaseAnswer]) -> None:
    """Log each ground truth that is not among the literals of its field."""
    for name, meta in verified_fields(answer).items():
        annotation = answer.model_fields[name].annotation
        if get_origin(annotation) is Literal and meta.ground_truth not in get_args(annotation):
            message = "the ground truth %s of %s is none of the values of the field: correct one of them"
            _log.warning(message, shown(str(meta.ground_truth)), name)
