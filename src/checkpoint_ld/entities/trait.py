"""What the five kinds of trait have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from checkpoint_ld.arguments import renamed
from checkpoint_ld.entities.entity import Entity, problem
from checkpoint_ld.entities.kinds import Kind, Score, serialised, template_fields

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding

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


class ScoredTrait(Trait):
    """A trait that a language model judges: true or false, a score, one of several classes, or a small form.

    A literal trait scores the index of its class, so that the order of `classes` counts: `min_score` and `max_score`
    follow from it. A boolean trait has neither. A template trait has no direction and no score; its `kind` is the
    object that a file has, or the pydantic model that it was made with, which equals that object.
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
        """Whether the trait asks for a small form (a JSON Schema object or a pydantic model) in place of a score."""
        return not isinstance(self.kind, str)

    @property
    def template_fields(self) -> tuple[str, ...]:
        """The names of the form's fields, in order; empty unless the trait is of template kind."""
        return template_fields(self.kind)

    def get_class_names(self) -> list[str]:
        """Return the names of the classes in order of score; empty unless the trait is literal."""
        return list(self.classes or ()) if self.kind == "literal" else []

    @renamed(name="class_name")
    def get_class_index(self, class_name: str) -> int:
        """Return the score of the class called exactly `class_name`, or -1."""
        names = self.get_class_names()
        return names.index(class_name) if class_name in names else ERROR_SCORE

    def score_range(self) -> tuple[float, float]:
        """Return the lowest and the highest score; a missing bound stands for 0 or 5."""
        lowest = _LOWEST_SCORE if self.min_score is None else self.min_score
        return lowest, _HIGHEST_SCORE if self.max_score is None else self.max_score

    def validate_score(self, value: object) -> bool:
        """Tell whether `value` is a result that the trait can have; a literal trait may also have -1 (an error)."""
        if self.is_template_kind:
            return True
        if self.kind == "boolean":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        lowest, highest = self.score_range()
        return lowest <= value <= highest or (self.kind == "literal" and value == ERROR_SCORE)

    def problems(self) -> tuple[Finding, ...]:
        """Report odd classes, an empty or broken range of scores, and a template that has a direction."""
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
        mine, theirs = ({**one.__dict__, "kind": serialised(one.kind)} for one in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment] # as of every model that can be changed

    def _derive(self) -> None:
        # Written past the fields' set: what follows from other fields was not said by anybody.
        if self.kind == "boolean":
            self.__dict__.update(min_score=None, max_score=None)
        elif self.kind == "literal" and self.classes:
            self.__dict__.update(min_score=0, max_score=len(self.classes) - 1)
        elif self.is_template_kind and "higher_is_better" not in self.model_fields_set:
            self.__dict__["higher_is_better"] = None

    @model_validator(mode="after")
    def _has_classes(self) -> Self:
        require_classes(self.kind, self.classes)
        return self


def require_classes(kind: Kind, classes: dict[str, str] | None) -> None:
    """Raise `ValueError` for a literal trait with fewer than two classes, since it cannot tell anything apart."""
    if kind == "literal" and len(classes or ()) < LEAST_CLASSES:
        raise ValueError(f"a literal trait needs at least two classes, not {len(classes or ())}: set classes")
