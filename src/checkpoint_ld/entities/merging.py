"""Merging the rubric of a whole benchmark with the one of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from checkpoint_ld.arguments import renamed
from checkpoint_ld.entities.entity import LENIENT
from checkpoint_ld.entities.trait_collection import TRAIT_LISTS, TraitCollection
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from checkpoint_ld.entities.dynamic_rubric import DynamicRubric
    from checkpoint_ld.entities.rubric import Rubric

Provenance: TypeAlias = Literal["global", "question_specific"]

_Collection = TypeVar("_Collection", bound=TraitCollection)


def merge_rubrics(global_rubric: Rubric | None, question_rubric: Rubric | None) -> Rubric | None:
    """Return the rubric that judges a question: the benchmark's traits, then the question's own.

    Of one rubric and None, the rubric itself comes back. The traits are the same objects, not copies. Raises
    `SettingsError` (a `ValueError`) if both have a trait of one name, be it of one kind or of two: results are known by
    the names of traits.
    """
    return _merged(global_rubric, question_rubric)


def merge_rubrics_with_provenance(
    global_rubric: Rubric | None, question_rubric: Rubric | None
) -> tuple[Rubric | None, dict[str, Provenance] | None]:
    """Return what `merge_rubrics` returns, and for each trait name the rubric that it comes from."""
    merged = _merged(global_rubric, question_rubric)
    if merged is None:
        return None, None
    of_question = set() if question_rubric is None else set(question_rubric.get_trait_names())
    return merged, {name: "question_specific" if name in of_question else "global" for name in merged.get_trait_names()}


@renamed(global_rubric="global_dynamic", question_rubric="question_dynamic")
def merge_dynamic_rubrics(
    global_dynamic: DynamicRubric | None, question_dynamic: DynamicRubric | None
) -> DynamicRubric | None:
    """Return the dynamic rubric that judges a question, merged as `merge_rubrics` does it."""
    return _merged(global_dynamic, question_dynamic)


def conflicts(global_rubric: TraitCollection, question_rubric: TraitCollection) -> list[str]:
    """Name each trait of a question that has a namesake in the benchmark, as `kind:name`, in the order of the lists."""
    taken = set(global_rubric.get_trait_names())
    return [
        f"{kind.removesuffix('_traits')}:{name}"
        for kind in TRAIT_LISTS
        for name in sorted({trait.name for trait in getattr(question_rubric, kind)} & taken)
    ]


def _merged(first: _Collection | None, second: _Collection | None) -> _Collection | None:
    if first is None or second is None:
        return second if first is None else first
    shared = conflicts(first, second)
    if shared:
        raise SettingsError(
            f"traits of the same name in the global and the question's rubric: {', '.join(shared)}; "
            "rename or remove one of each"
        )
    lists = {name: [*getattr(first, name), *getattr(second, name)] for name in TRAIT_LISTS}
    # Lenient, since what was odd about either rubric before does not keep the two from being merged.
    return type(first).model_validate(lists, context=LENIENT)
