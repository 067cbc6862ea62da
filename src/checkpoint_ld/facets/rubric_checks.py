"""What is wrong with rubrics, what may be written as one, and how much is in them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from checkpoint_ld.entities import DynamicRubric
from checkpoint_ld.entities.merging import conflicts
from checkpoint_ld.entities.trait import ScoredTrait
from checkpoint_ld.errors import WriteError, WrongTypeError
from checkpoint_ld.findings import Severity
from checkpoint_ld.mapping.traits import FAMILIES, family_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.entities import AnyTrait, Rubric


def faults_of(rubric: Rubric | DynamicRubric | None) -> Iterator[tuple[str, str]]:
    """Yield what keeps a rubric from being used, each with the name of the trait, and what to do about it."""
    if rubric is None:
        return
    for found in rubric.all_problems():
        if found.severity >= Severity.WARNING:
            yield found.subject, f"{found.message}; {found.remedy}"
    for trait in rubric.traits():
        if not trait.description and not isinstance(rubric, DynamicRubric):
            yield trait.name, f"trait {trait.name!r}: no description; say what it is about"
        if isinstance(trait, ScoredTrait) and trait.kind == "score" and None in (trait.min_score, trait.max_score):
            yield trait.name, f"trait {trait.name!r}: a score without both bounds; set min_score and max_score"


def refuse_problems(rubric: Rubric | DynamicRubric, current: Rubric | DynamicRubric | None = None) -> None:
    """Raise WriteError for what an author may not write, unless it is odd about the `current` rubric already."""
    known = current.all_problems() if current is not None else ()
    refused = [one for one in rubric.all_problems() if one.severity >= Severity.WARNING and one not in known]
    if refused:
        raise WriteError("; ".join(f"{one.message} ({one.remedy})" for one in refused))


def refuse_taken(name: str, taken: Iterable[str]) -> None:
    """Raise WriteError for the name of a trait that another one has."""
    if name in taken:
        raise WriteError(f"there is a trait {name!r} already: give another name, or update that trait")


def required_traits(given: Iterable[AnyTrait]) -> list[AnyTrait]:
    """Return traits that are given. Raises WrongTypeError for what is none."""
    found = list(given)
    for one in found:
        if not isinstance(one, tuple(FAMILIES.values())):
            raise WrongTypeError(
                f"the trait is of type {type(one).__name__}: give one of the traits of checkpoint_ld.entities"
            )
    return found


def merge_faults(general: Rubric | DynamicRubric | None, own: Rubric | DynamicRubric | None) -> Iterator[str]:
    """Say why the rubric of a question cannot be merged with that of the benchmark."""
    if general is not None and own is not None:
        for name in conflicts(general, own):
            yield f"the benchmark has a trait of the name too: {name}; rename or remove one of the two"


def counts_of(rubrics: Iterable[Rubric | DynamicRubric | None]) -> dict[str, Any]:
    """Return how many rubrics there are, how many traits they have, and how many of each kind."""
    there = [one for one in rubrics if one is not None]
    kinds = Counter(family_of(trait) for one in there for trait in one.traits())
    return {"rubrics": len(there), "traits": kinds.total(), "by_kind": {family: kinds[family] for family in FAMILIES}}
