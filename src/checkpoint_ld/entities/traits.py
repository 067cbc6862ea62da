"""The five kinds of traits: judged by a language model or an agent, or decided by an expression, a function or metrics.

Those that a function decides are in `callable_trait`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    ValidationInfo,
    field_serializer,
    model_validator,
)

from checkpoint_ld.entities.entity import (
    Above0,
    Count,
    Entity,
    Kind,
    Score,
    Share,
    is_lenient,
    problem,
    serialised,
    template_fields,
)
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.host import without_warnings

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_CLASSES = 20
LEAST_CLASSES = 2
ERROR_SCORE = -1
"""The score of a literal trait for which no class could be determined."""

_LOWEST_SCORE = 0
_HIGHEST_SCORE = 5


class Trait(Entity):
    """A quality by which answers are judged."""

    name: str = Field(min_length=1, description="The name of the trait, unique in its rubric and without a dot")
    description: str | None = Field(default=None, description="What the judge of an answer looks at")
    summary: str | None = Field(default=None, description="A short label for the concept that the trait is about")

    def problem(self, rule: str, message: str, remedy: str) -> Finding:
        """Make a finding whose subject is this trait."""
        return problem(rule, f"trait {self.name!r}: {message}", remedy, subject=self.name)

    def class_problems(self, classes: dict[str, str] | None) -> tuple[Finding, ...]:
        """Report classes that are too few, too many, nameless, undescribed or alike but for upper and lower case."""
        if classes is None:
            return ()
        faults = []
        if not LEAST_CLASSES <= len(classes) <= MOST_CLASSES:
            faults.append(f"{len(classes)} classes, where {LEAST_CLASSES} to {MOST_CLASSES} are allowed")
        faults += [f"the class name {name!r} is blank" for name in classes if not name.strip()]
        faults += [f"class {name!r} has a blank description" for name, text in classes.items() if not text.strip()]
        if len({name.lower() for name in classes}) < len(classes):
            faults.append(f"the class names {', '.join(classes)} differ in upper and lower case only")
        remedy = "give each class a name of its own and a description"
        return tuple(self.problem("class-blank", fault, remedy) for fault in faults)

    def fractions(self, *fields: str) -> tuple[Finding, ...]:
        """Report the fields that hold a fraction, which Karenina refuses."""
        return tuple(
            self.problem("trait-fraction", f"{field} {getattr(self, field)} is not whole", "use a whole number")
            for field in fields
            if isinstance(getattr(self, field), float)
        )

    def range_problems(self, lowest: float | None, highest: float | None) -> tuple[Finding, ...]:
        """Report a range of scores in which no two scores fit, and bounds that no whole score can have."""
        found = [
            self.problem("trait-fraction", f"the bound {bound} of its scores is not whole", "use a whole number")
            for bound in (lowest, highest)
            if isinstance(bound, float)
        ]
        if lowest is not None and highest is not None and lowest >= highest:
            message = f"min_score {lowest} is not less than max_score {highest}"
            found.append(self.problem("rating-range", message, "set min_score below max_score"))
        return tuple(found)

    def _derive(self) -> None:
        # Derived values are not added to the set of given fields.
        if getattr(self, "kind", None) == "literal" and (classes := getattr(self, "classes", None)):
            self.__dict__.update(min_score=0, max_score=len(classes) - 1)

    @model_validator(mode="after")
    def _has_classes(self) -> Self:
        classes = getattr(self, "classes", None) or ()
        if getattr(self, "kind", None) == "literal" and len(classes) < LEAST_CLASSES:
            raise ValueError(f"a literal trait needs at least two classes, not {len(classes)}: set classes")
        return self


class ScoredTrait(Trait):
    """A trait that a language model judges: a boolean, a score, one of several classes, or a small form.

    A literal trait scores the index of its class, so that the order of `classes` counts: `min_score` and `max_score`
    follow from it. A boolean trait has neither. A template trait has no direction and no score; its `kind` is the
    object of the file, or the pydantic model that it was made with, which equals that object.
    """

    kind: Kind = Field(
        description="What results are: true or false, a score, one of several classes, or a form to fill in"
    )
    min_score: Score | None = Field(default=1, description="The lowest score; null: 0")
    max_score: Score | None = Field(default=5, description="The highest score; null: 5")
    classes: dict[str, str] | None = Field(default=None, description="Class names in order of score -> descriptions")
    higher_is_better: bool | None = Field(default=True, description="null: the trait has no direction")

    @property
    def is_template_kind(self) -> bool:
        """Whether the result is a small form (a JSON Schema object or a pydantic model) instead of a score."""
        return not isinstance(self.kind, str)

    @property
    def template_fields(self) -> tuple[str, ...]:
        """The names of the form's fields, in order; empty unless the trait is of template kind."""
        return template_fields(self.kind)

    def get_class_names(self) -> list[str]:
        """Return the names of the classes in order of score; empty unless the trait is literal."""
        return list(self.classes or ()) if self.kind == "literal" else []

    def get_class_index(self, class_name: str) -> int:
        """Return the score of the class called exactly `class_name`, or -1."""
        names = self.get_class_names()
        return names.index(class_name) if class_name in names else ERROR_SCORE

    def score_range(self) -> tuple[float, float]:
        """Return the lowest and the highest score; a missing bound stands for 0 or 5."""
        lowest = _LOWEST_SCORE if self.min_score is None else self.min_score
        return lowest, _HIGHEST_SCORE if self.max_score is None else self.max_score

    def validate_score(self, value: object) -> bool:
        """Return whether `value` is a result that the trait can have; a literal trait may also have -1 (an error)."""
        if self.is_template_kind:
            return True
        if self.kind == "boolean":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        lowest, highest = self.score_range()
        return lowest <= value <= highest or (self.kind == "literal" and value == ERROR_SCORE)

    def _shown(self) -> Iterable[tuple[str | None, Any]]:
        if self.kind != "score":
            return super()._shown()
        lowest, highest = self.score_range()
        return {**dict(super()._shown()), "min_score": lowest, "max_score": highest}.items()

    def problems(self) -> tuple[Finding, ...]:
        """Report faulty classes, an empty or broken range of scores, and a template that has a direction."""
        found = self.class_problems(self.classes)
        if self.kind == "score":
            return found + self.range_problems(*self.score_range())
        if self.is_template_kind and self.higher_is_better is not None:
            message = f"higher_is_better is {self.higher_is_better}, but a trait of template kind has no direction"
            return (*found, self.problem("template-trait-direction", message, "leave it out or set it to null"))
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoredTrait) or type(self) is not type(other):
            return NotImplemented
        mine, theirs = ({**trait.__dict__, "kind": serialised(trait.kind)} for trait in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment] # as of every model that can be changed

    def _derive(self) -> None:
        super()._derive()
        if self.kind == "boolean":
            self.__dict__.update(min_score=None, max_score=None)
        elif self.is_template_kind and "higher_is_better" not in self.model_fields_set:
            self.__dict__["higher_is_better"] = None


class LLMRubricTrait(ScoredTrait):
    """A trait that a language model judges; with deep judgment in several stages, on quoted evidence."""

    deep_judgment_enabled: bool = Field(default=False, description="Judge in several stages, on quoted evidence")
    deep_judgment_excerpt_enabled: bool = Field(default=True, description="Quote the answer as evidence")
    deep_judgment_max_excerpts: Count | None = Field(
        default=None, description="How many quotations there are at most; null: as Karenina has it"
    )
    deep_judgment_fuzzy_match_threshold: Share | None = Field(default=None, description="0 to 1, by convention")
    deep_judgment_excerpt_retry_attempts: Count | None = Field(
        default=None, description="How often quoting is tried again; null: as Karenina has it"
    )
    deep_judgment_search_enabled: bool = Field(default=False, description="Search outside sources for the excerpts")
    include_ground_truth: bool = Field(default=False, description="The judge sees the reference answer")

    def problems(self) -> tuple[Finding, ...]:
        """Report faulty classes, ranges and directions, and deep judgment of a template, which does not exist."""
        found = super().problems()
        found += self.fractions("deep_judgment_max_excerpts", "deep_judgment_excerpt_retry_attempts")
        if self.is_template_kind and self.deep_judgment_enabled:
            message = "deep_judgment_enabled is true, but a trait of template kind has no deep judgment"
            return (*found, self.problem("template-trait-judgment", message, "set it to false"))
        return found


EvaluationMode: TypeAlias = Literal["tp_only", "full_matrix"]
Bucket: TypeAlias = Literal["tp", "tn", "fp", "fn"]

BUCKETS: dict[EvaluationMode, frozenset[Bucket]] = {
    "tp_only": frozenset({"tp", "fp", "fn"}),
    "full_matrix": frozenset({"tp", "tn", "fp", "fn"}),
}
"""The cells of the confusion matrix that each mode fills."""

METRICS: dict[str, frozenset[Bucket]] = {
    "precision": frozenset({"tp", "fp"}),
    "recall": frozenset({"tp", "fn"}),
    "specificity": frozenset({"tn", "fp"}),
    "accuracy": frozenset({"tp", "tn", "fp", "fn"}),
    "f1": frozenset({"tp", "fp", "fn"}),
}
"""The cells that each metric is computed from."""


class MetricRubricTrait(Trait):
    """A trait measured by metrics such as recall over statements that an answer should and should not hold.

    `tp_only` counts what is found, missing and beyond the instructions; `full_matrix` also needs `tn_instructions`:
    statements that should be absent.
    """

    evaluation_mode: EvaluationMode = Field(
        default="tp_only", description="Whether what should be absent is counted too"
    )
    metrics: list[str] = Field(min_length=1, description=f"Of {', '.join(METRICS)}")
    tp_instructions: list[str] = Field(default_factory=list, description="What a right answer holds")
    tn_instructions: list[str] = Field(default_factory=list, description="What a right answer does not hold")
    repeated_extraction: bool = Field(default=True, description="Count an excerpt once, whatever its case")
    higher_is_better: bool | None = Field(default=None, description="null: the trait has no direction")

    def get_required_buckets(self) -> set[Bucket]:
        """Return the cells of the confusion matrix that the mode fills, whichever of them the metrics use."""
        return set(BUCKETS[self.evaluation_mode])

    def problems(self) -> tuple[Finding, ...]:
        """Report unknown metrics, metrics that the mode cannot measure, and missing instructions for the mode."""
        cells = BUCKETS[self.evaluation_mode]
        names = ", ".join(metric for metric in METRICS if METRICS[metric] <= cells)
        found = [
            self.problem(
                "metric-mode-mismatch", f"mode {self.evaluation_mode} has no metric {metric!r}", f"use some of {names}"
            )
            for metric in self.metrics
            if metric not in METRICS or not METRICS[metric] <= cells
        ]
        if self.evaluation_mode == "full_matrix" and not self.tn_instructions:
            remedy = "state what a right answer does not contain"
            found.append(self.problem("metric-full-matrix", "mode full_matrix without tn_instructions", remedy))
        return tuple(found)

    @model_validator(mode="after")
    def _has_instructions(self) -> Self:
        if not self.tp_instructions:
            raise ValueError("no tp_instructions: state what a right answer contains")
        return self


AGENT_INTERFACES = ("claude_agent_sdk", "langchain_deep_agents")
OTHER_INTERFACES = ("langchain", "openrouter", "manual", "openai_endpoint", "claude_tool")
MASK = "**********"
"""The text that replaces a secret in written form."""


class AgenticRubricTrait(ScoredTrait):
    """A trait that an agent judges from the trace of an answer, from the workspace, or from both.

    `model_override` is the settings object of the model to use, kept as it is; its keys are masked in JSON.
    """

    description: str = Field(min_length=1, description="What the agent has to judge")
    context_mode: Literal["workspace_only", "trace_and_workspace", "trace_only"] = Field(
        default="trace_and_workspace", description="What the agent sees"
    )
    materialize_trace: bool = Field(default=False, description="Write the trace to a file in the workspace")
    persist_trace: bool = Field(default=False, description="Keep that file afterwards")
    max_turns: Above0 = Field(default=15, description="How many turns the agent has")
    timeout_seconds: Above0 = Field(default=120, description="How many seconds the agent has")
    model_override: dict[str, JsonValue] | None = Field(
        default=None, repr=False, description="Settings of the model to use"
    )

    def problems(self) -> tuple[Finding, ...]:
        """Report faulty classes, ranges and directions, a trace that is not used, and a model that runs no agents."""
        found = super().problems()
        if self.materialize_trace and self.context_mode == "workspace_only":
            message = "materialize_trace is true, but context_mode workspace_only shows no trace"
            found += (self.problem("agentic-trace", message, "change one of the two"),)
        found += self.fractions("max_turns", "timeout_seconds")
        return found + self._interface_problems()

    def _interface_problems(self) -> tuple[Finding, ...]:
        interface = (self.model_override or {}).get("interface")
        if interface is None or interface in AGENT_INTERFACES:
            return ()
        fault = "runs no agents" if interface in OTHER_INTERFACES else "is not known"
        message = f"the interface {interface!r} of model_override {fault}"
        found = self.problem("agentic-model", message, f"use {' or '.join(AGENT_INTERFACES)}")
        return (found if interface in OTHER_INTERFACES else replace(found, severity=Severity.INFO),)

    @field_serializer("model_override", when_used="json")
    def _mask_secrets(self, override: JsonValue) -> JsonValue:
        return _masked(override)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: MASK if name.endswith("api_key") and isinstance(item, str) else _masked(item)
        for name, item in value.items()
    }


def _compiling(pattern: str | None) -> str | None:
    try:
        with without_warnings():  # a deprecation concerns the author of the pattern
            re.compile(pattern or "")
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"the pattern {pattern!r} is no Python regular expression ({error}): correct it") from error
    return pattern


class RegexRubricTrait(Trait):
    """A trait that an answer has if `pattern`, a Python regular expression, occurs anywhere in it.

    `pattern` is None on an incomplete trait, as files may hold it; such a trait refuses to evaluate anything. An
    empty pattern is a pattern: it occurs in every text. Files may call `invert_result` by its older name `invert`.
    """

    pattern: Annotated[str | None, AfterValidator(_compiling)] = Field(description="A Python regular expression")
    case_sensitive: bool = Field(default=True, description="Whether upper and lower case differ")
    invert_result: bool = Field(default=False, description="Negate the result")
    higher_is_better: bool | None = Field(default=True, description="null: the trait has no direction")

    @property
    def is_incomplete(self) -> bool:
        """Whether there is no pattern."""
        return self.pattern is None

    def evaluate(self, text: str) -> bool:
        """Return whether `text` has the trait.

        Raises `EvaluationError` if the trait has no pattern, or if matching takes longer than a few seconds.
        """
        from checkpoint_ld.workers.patterns import occurs  # noqa: PLC0415 - few who load a file evaluate

        if self.pattern is None:
            raise EvaluationError(f"trait {self.name!r} has no pattern: set one before evaluating")
        if not isinstance(text, str):
            raise EvaluationError(f"trait {self.name!r} cannot be evaluated on {text!r}: give a text")
        return occurs(self.pattern, text, () if self.case_sensitive else ("IGNORECASE",)) is not self.invert_result

    def validate_score(self, value: object) -> bool:
        """Return whether `value` is a result that the trait can have."""
        return isinstance(value, bool)

    @model_validator(mode="before")
    @classmethod
    def _accept_older_member(cls, data: Any, info: ValidationInfo) -> Any:
        older = isinstance(data, Mapping) and "invert" in data and "invert_result" not in data
        if not (older and is_lenient(info)):
            return data
        return {"invert_result" if name == "invert" else name: value for name, value in data.items()}

    def problems(self) -> tuple[Finding, ...]:
        """Report a missing pattern."""
        if not self.is_incomplete:
            return ()
        return (self.problem("pattern-missing", "no pattern", "set pattern to a regular expression"),)
