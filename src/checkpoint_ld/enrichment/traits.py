"""Traits: what evaluates them and the kind of their results as classes, their settings as predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from checkpoint_ld.enrichment.objects import object_of
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import naming
from checkpoint_ld.graph.residue import Ref
from checkpoint_ld.mapping import traits
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.enrichment.additions import Additions
    from checkpoint_ld.entities import AnyTrait

FAMILIES = {
    "llm": "LLMTrait",
    "regex": "RegexTrait",
    "callable": "CallableTrait",
    "metric": "MetricTrait",
    "agentic": "AgenticTrait",
}
"""The classes of traits by what evaluates them."""

KINDS = {"boolean": "BooleanTrait", "score": "ScoreTrait", "literal": "LiteralTrait"}
"""The classes of traits by the kind of their results; results with a JSON Schema make a TemplateTrait."""

SINGULAR = {"metrics": "metric", "tp_instructions": "tp_instruction", "tn_instructions": "tn_instruction"}
"""Settings that hold several values, by the names that one of these has."""

ELSEWHERE = frozenset(("name", "description", "classes", "callable_code", "model_override"))
"""Settings that are no predicates: nodes say more, and code and settings of models want no second copy."""


def trait_of(rating: Node, additions: Additions, scope: str) -> None:
    """Say which trait a rating is, `scope` being the class for its place; nothing of a rating that is none."""
    told = object_of(rating, additions.reader)
    if isinstance(told.get("description"), (Ref, list)):  # other nodes, of which only the names are known
        del told["description"]
    try:
        trait = traits.trait_of(told)
    except (ReadError, RecursionError):  # it breaks a rule that no file may break, so that nothing follows from it
        return
    if trait is None:
        return
    kind = getattr(trait, "kind", "boolean")
    additions.is_a(rating, "Trait", scope, FAMILIES[traits.family_of(trait)], KINDS.get(str(kind), "TemplateTrait"))
    if traits.is_dynamic(told):
        additions.is_a(rating, "DynamicTrait")
    _settings(rating, trait, additions)
    for at, (name, described) in enumerate((getattr(trait, "classes", None) or {}).items()):
        part = additions.part(
            rating,
            KARENINA + "traitClass",
            naming.part_of(str(rating), "karenina:traitClass", at),
            KARENINA + "TraitClass",
        )
        if part is not None:
            additions.say(part, SCHEMA + "name", name)
            additions.say(part, SCHEMA + "description", described)
            additions.tell(part, "score", at)


def _settings(rating: Node, trait: AnyTrait, additions: Additions) -> None:
    for name, value in BaseModel.model_dump(trait, mode="json").items():
        if name not in ELSEWHERE:
            for one in value if name in SINGULAR else (value,):
                additions.tell(rating, SINGULAR.get(name, name), one)
