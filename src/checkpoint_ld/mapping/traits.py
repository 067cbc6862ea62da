"""Rubric traits and the ratings that hold them, property values, and placeholders of templates."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from checkpoint_ld.dialects.datafeed import is_default_template
from checkpoint_ld.dialects.dialect import ABSENT, as_list, decoded, name_of, property_value, text_of, values
from checkpoint_ld.dialects.ratings import (
    DEEP_DEFAULTS,
    GUI_MATRIX,
    MATRIX,
    as_float,
    as_plain,
    llm_kind,
    trait_type,
)
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES, LISTS, rating_of_entry
from checkpoint_ld.documents.values import copied, is_number
from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    AnyTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from checkpoint_ld.entities.rubric import TRAIT_LISTS
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.host import without_warnings
from checkpoint_ld.phrases import shown
from checkpoint_ld.vocabulary import DYNAMIC, SCOPES, TRAIT_FAMILIES, TRAIT_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.dialects.traits import Family
    from checkpoint_ld.graph.compaction import Frame

Json = dict[str, Any]

_LABEL = re.compile(r"[\w-]+\[.*\]|str|int|float|bool|bytes|none|scalar", re.DOTALL)
"""pydantic puts the branch of a union, or the name of a wrapping function, into a place. No member has such a name."""
_INNER = re.compile(r"^Value error, | or instance of \w+$")
_OF_CLASS = re.compile(r"^Input should be an instance of \w+$")
_HALF = "unable to parse raw data as a unicode string"
"""The end of what pydantic says about a text with half a surrogate pair."""


def faults_of(error: ValidationError) -> str:
    """Return the faults in the members of an entity, each with its place, without values.

    The errors of pydantic about the branches of a union are one fault.
    """
    found: dict[str, list[str]] = {}
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        found.setdefault(".".join(map(str, place_of(one["loc"]))), []).append(words_of(one["msg"]))
    return "; ".join(": ".join(filter(None, (at, " or ".join(dict.fromkeys(words))))) for at, words in found.items())


def place_of(steps: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the members and indexes that lead to a fault, without the branches of pydantic."""
    return tuple(one for one in steps if isinstance(one, int) or not _LABEL.fullmatch(one))


def words_of(message: str) -> str:
    """Return the message of pydantic about a value, without the names of internal classes."""
    if message.endswith(_HALF):
        return "half a surrogate pair has no form in UTF-8: leave it out"
    return _OF_CLASS.sub("Input should be of another kind", _INNER.sub("", message))


CUSTOM = "custom_"


def from_text(value: Any) -> Any:
    """Return the JSON value of a text; a text that is no object or array in JSON is returned itself.

    A value that is no text is copied.
    """
    if not isinstance(value, str):
        return copied(value)
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def custom_of(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the custom metadata among a question's properties; only the first prefix belongs to the encoding.

    It shares nothing with `properties`.
    """
    return {name[len(CUSTOM) :]: copied(value) for name, value in properties.items() if name.startswith(CUSTOM)}


_DESCRIPTION = "The answer response"
_LONGEST = 2_000


def is_placeholder(source: str) -> bool:
    """Return whether a template is the placeholder: it has one field `response`, and `verify` returns False.

    The docstring does not count, because it has the text that the question had when it was added. The text is parsed,
    never run.
    """
    if _DESCRIPTION not in source or len(source) > _LONGEST:
        return False
    if is_default_template(source):
        return True
    try:
        with without_warnings():  # Python warns of invalid escapes in a docstring, which do not matter here
            module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    match [node for node in module.body if not isinstance(node, ast.Import | ast.ImportFrom)]:
        case [ast.ClassDef(bases=[_], keywords=[], decorator_list=[], body=body)]:
            return _does_nothing(_without_docstring(body))
    return False


def _does_nothing(body: list[ast.stmt]) -> bool:
    match body:
        case [
            ast.AnnAssign(target=ast.Name(id="response"), annotation=ast.Name(id="str"), value=ast.Call() as field),
            ast.FunctionDef(name="verify", decorator_list=[], body=statements),
        ]:
            match field, _without_docstring(statements):
                case (
                    ast.Call(args=[], keywords=[ast.keyword(arg="description", value=ast.Constant(value=described))]),
                    [ast.Return(value=ast.Constant(value=False))],
                ):
                    return bool(described == _DESCRIPTION)
    return False


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


FAMILIES: dict[str, type[AnyTrait]] = {
    "llm": LLMRubricTrait,
    "regex": RegexRubricTrait,
    "callable": CallableRubricTrait,
    "metric": MetricRubricTrait,
    "agentic": AgenticRubricTrait,
}
"""The five kinds of traits by the names that dynamic traits and legacy properties use."""

_FAMILY_OF: dict[type, str] = {model: family for family, model in FAMILIES.items()}
_FIELDS = {model: frozenset(model.model_fields) for model in FAMILIES.values()}
_SETTING_NAMES = {"dynamic_trait_type", "invert", *(name for names in TRAIT_SETTINGS.values() for name in names)}
PROPERTY: Frame = {"name": None, "value": None}
RATING: Frame = {
    **dict.fromkeys(("name", "description", "bestRating", "worstRating", "additionalType", *DEEP_DEFAULTS)),
    "additionalProperty": PROPERTY,
}
"""The frame that `trait_of` needs of a rating."""
_LISTS = ("metrics", "tp_instructions", "tn_instructions")
_ENCODED = frozenset((*_LISTS, "classes", "kind", "model_override", "summary"))
"""Settings whose form in a file may differ from that in a trait."""
_NULLABLE = ("higher_is_better", "min_score", "max_score")
"""Settings whose null has a meaning: no direction, or an open end of the range."""


def is_dynamic(rating: Any) -> bool:
    """Return whether the type of `rating` is that of a dynamic trait."""
    known = trait_type(rating.get("additionalType")) if isinstance(rating, dict) else None
    return known is not None and known[1] == DYNAMIC


def is_static(rating: Any) -> bool:
    """Return whether the type of `rating` is that of a trait that is not dynamic."""
    known = trait_type(rating.get("additionalType")) if isinstance(rating, dict) else None
    return known is not None and known[1] != DYNAMIC


def trait_of(rating: Json) -> AnyTrait | None:
    """Return the trait of a rating, None for a rating that is no trait.

    Raises ReadError for a trait that breaks a rule of the profile `load`.
    """
    known = trait_type(rating.get("additionalType"))
    if known is None:
        return None
    settings = values(rating.get("additionalProperty"))
    for name, value in settings.items():
        if name in _ENCODED:
            settings[name] = _decoded(name, value)
    family = settings.pop("dynamic_trait_type", None) if known[1] == DYNAMIC else TRAIT_FAMILIES[known[1]]
    model = FAMILIES.get(family) if isinstance(family, str) else None
    if model is None:
        return None
    members = _members(family, rating, settings)
    for name in ("name", "description"):
        if rating.get(name) is not None:
            members[name] = text_of(rating[name])
    fields = _FIELDS[model]
    if not fields.issuperset(members):
        members = {name: value for name, value in members.items() if name in fields}
    try:
        return model.model_validate(members, context=LENIENT)
    except ValidationError as error:
        raise ReadError(f"the trait {members.get('name')!r} cannot be read: {faults_of(error)}") from None


def _decoded(name: str, value: Any) -> Any:
    if name in _LISTS:
        return [text_of(one) for one in as_list(from_text(value))]
    if name == "summary" and value is not None:
        return text_of(value)
    classes = from_text(value) if name in ("classes", "kind", "model_override") else value
    if name == "classes" and isinstance(classes, dict):
        return {label: text_of(described) for label, described in classes.items()}
    return classes


def _members(family: str, rating: Json, settings: Json) -> Json:
    members: Json = {name: value for name, value in settings.items() if value is not None or name in _NULLABLE}
    if not isinstance(members.get("model_override"), dict):
        members.pop("model_override", None)  # a rule reports these; they have no effect
    if family == "llm":
        for name, value in rating.items():
            if name in DEEP_DEFAULTS and _is_of_kind(value, DEEP_DEFAULTS[name]):
                members.setdefault(name, value)
        members["kind"] = llm_kind(rating, settings)
    elif family == "metric":
        mode = {"evaluation_mode": MATRIX} if members.get("evaluation_mode") == GUI_MATRIX else {}
        return {"higher_is_better": None, **members, **mode}
    elif family == "regex":
        return {"pattern": None, **members}
    elif family == "callable":
        members = {"callable_code": None, **members}
    if members.get("kind", "binary") == "binary":
        members["kind"] = "boolean"
    if members["kind"] == "score":
        bounds = {"min_score": rating.get("worstRating"), "max_score": rating.get("bestRating")}
        members.update(_bounds(members, {name: number_of(bound) for name, bound in bounds.items()}))
    return members


def _is_of_kind(value: Any, usual: bool | None) -> bool:
    """Return whether a setting that no rule checks has a boolean or a number, as its name requires."""
    return isinstance(value, bool) if isinstance(usual, bool) else is_number(value)


def _bounds(members: Json, ends: Json) -> Json:
    """Return the range of a score trait: the bounds of its rating, unless a setting is more exact or has no bound."""
    bounds = {}
    for name, end in ends.items():
        stated = members.get(name)
        is_open = name in members and stated is None
        if end is not None and not is_open and not (is_number(stated) and as_float(stated) == end):
            bounds[name] = as_plain(end)
    return bounds


def number_of(value: Any) -> Any:
    """Return the number that a value or its text states, None for any other value."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value if is_number(value) else None


def rating_of(trait: AnyTrait, scope: str, *, dynamic: bool = False) -> Json:
    """Return the rating that holds `trait` in `scope` (Global or QuestionSpecific), as Karenina writes it."""
    family = family_of(trait)
    described = {"name": trait.name, **({} if trait.description is None else {"description": trait.description})}
    best, worst = range_of(trait)
    settings = _settings(trait, family)
    if dynamic:
        settings += [property_value("dynamic_trait_type", family)]
        settings += [property_value("summary", trait.summary)] if trait.summary is not None else []
    return {
        "@type": "Rating",
        **described,
        "bestRating": as_float(best),
        "worstRating": as_float(worst),
        "additionalType": f"karenina:{scope}{DYNAMIC if dynamic else _suffix(trait, family)}",
        "additionalProperty": settings,
    }


def updated_rating(rating: Json, trait: AnyTrait, scope: str, *, dynamic: bool = False) -> Json:
    """Return `rating` with the content of `trait`; all that is not part of a trait stays, and so does an equal trait.

    `rating` itself is not changed.
    """
    if _held(rating) == trait:
        return rating
    made = rating_of(trait, scope, dynamic=dynamic)
    # A setting of the old trait that the new one lacks is removed.
    covered = {key for key in rating if key == "description" or key.startswith("deep_judgment_")}
    beyond = {key: value for key, value in rating.items() if key not in made and key not in covered}
    entries = [one for one in as_list(rating.get("additionalProperty")) if name_of(one) not in _SETTING_NAMES]
    return {**made, **beyond, "additionalProperty": [*made["additionalProperty"], *entries]}


def is_of_kind(rating: Json, trait: AnyTrait) -> bool:
    """Return whether `rating` holds a trait of the same one of the five kinds as `trait`."""
    held = _held(rating)
    return held is not None and family_of(held) == family_of(trait)


def _held(rating: Json) -> AnyTrait | None:
    try:
        return trait_of(rating)
    except ReadError:
        return None


def family_of(trait: AnyTrait) -> str:
    """Return the name of a trait's kind."""
    named = _FAMILY_OF.get(type(trait))
    return named or next(family for family, model in FAMILIES.items() if isinstance(trait, model))


def range_of(trait: AnyTrait) -> tuple[float, float]:
    """Return the best and the worst rating of a trait."""
    if isinstance(trait, (RegexRubricTrait, MetricRubricTrait)) or trait.kind == "boolean":
        return 1, 0
    if not isinstance(trait.kind, str):
        return 0, 0
    if isinstance(trait, CallableRubricTrait) and trait.min_score is None and trait.max_score is None:
        return 5, 1
    return 5 if trait.max_score is None else trait.max_score, 0 if trait.min_score is None else trait.min_score


def _suffix(trait: AnyTrait, family: str) -> str:
    if family == "llm":
        return "RubricTrait" if getattr(trait, "kind", None) in ("boolean", "score") else "LLMRubricTrait"
    return next(suffix for suffix, named in TRAIT_FAMILIES.items() if named == family)


def _settings(trait: AnyTrait, family: str) -> list[Json]:
    """Return the properties of a trait in Karenina's order; null is left out, unless it has a meaning."""
    dumped = BaseModel.model_dump(trait, mode="json")
    ranged = getattr(trait, "kind", "boolean") not in ("boolean", "literal")
    entries = []
    for name in TRAIT_SETTINGS[family]:
        value = dumped.get(name)
        if value is None and (name == "higher_is_better" or (name in _NULLABLE and ranged)):
            entries.append(property_value(name, ABSENT))
        elif value not in (None, []) and not (name == "include_ground_truth" and value is False):
            entries.append(property_value(name, value))
    return entries


_MEMBER = "globalRubric"


def older_ratings(holder: Json, scope: str) -> list[Json]:
    """Return ratings of `scope` for the traits in older places of a root or question object.

    A trait with the name of a rating of the object is left out, because the rating counts. So is a value that is no
    trait.
    """
    properties, rubric = values(holder.get("additionalProperty")), holder.get(_MEMBER)
    lists = [
        (family, decoded(copied(properties[name]))) for name, family in LEGACY_PROPERTIES.items() if name in properties
    ]
    if isinstance(rubric, dict):
        lists += [(family, rubric.get(name)) for name, family in LISTS.items()]
    lists = [(family, entries) for family, entries in lists if isinstance(entries, list)]
    if not lists:
        return []
    names = {text_of(one.get("name")) for one in as_list(holder.get("rating")) if is_static(one)}
    found = []
    for family, entries in lists:
        for one in entries:
            rating = _rating(family, one, scope)
            if rating is not None and text_of(rating.get("name")) not in names:
                names.add(text_of(rating.get("name")))
                found.append(rating)
    return found


def members_without(holder: Json) -> Json:
    """Return the members of an object that change when the traits in older places are removed.

    None stands for a member that is removed. Values that are no traits stay.
    """
    entries = as_list(holder.get("additionalProperty"))
    kept = [left for one in entries if (left := _without_traits(one)) is not None]
    changed: Json = {"additionalProperty": kept} if kept != entries else {}
    rubric = holder.get(_MEMBER)
    if isinstance(rubric, dict) and any(isinstance(rubric.get(name), list) for name in LISTS):
        left = {name: _rest(LISTS[name], value) if name in LISTS else value for name, value in rubric.items()}
        changed[_MEMBER] = {name: value for name, value in left.items() if name not in LISTS or value} or None
    return changed


def trait_fault(rating: Any) -> str | None:
    """Return why a rating is left out of the rubric as no trait."""
    try:
        is_trait = isinstance(rating, dict) and trait_of(rating) is not None
    except ReadError as error:
        return str(error)
    return None if is_trait else f"{shown(rating)} is no trait"


def _rating(family: Family, one: Any, scope: str) -> Json | None:
    rating = rating_of_entry(family, one, scope)
    return rating if trait_fault(rating) is None else None


def _rest(family: Family, entries: Any) -> Any:
    if not isinstance(entries, list):
        return entries
    return [one for one in entries if _rating(family, one, "Global") is None]


def _without_traits(entry: Any) -> Any:
    """Return a property without the traits in it, None if nothing is left."""
    family = LEGACY_PROPERTIES.get(name_of(entry) or "")
    entries = decoded(entry.get("value")) if family else None
    if family is None or not isinstance(entries, list):
        return entry
    rest = _rest(family, entries)
    if not rest:
        return None
    return {**entry, "value": json.dumps(rest) if isinstance(entry["value"], str) else rest}


Traits = TypeVar("Traits", Rubric, DynamicRubric)


def rubric_of(holder: Json) -> Rubric | None:
    """Return the rubric of a root or question object, None if it has no traits."""
    traits = traits_of(holder)
    return collected(Rubric, traits) if traits else None


def dynamic_rubric_of(holder: Json) -> DynamicRubric | None:
    """Return the dynamic rubric of a root or question object, None if it has no dynamic traits."""
    traits = dynamic_traits_of(holder)
    return collected(DynamicRubric, traits) if traits else None


def traits_of(holder: Json) -> list[AnyTrait]:
    """Return the traits of a root or question object that are not dynamic.

    Traits in the places of older files (JSON text in a property, a plain member of the root) are read too. Of two
    traits with one name in different places, the rating counts. Raises ReadError for a trait that breaks a rule of the
    profile `load`.
    """
    ratings = [*filter(is_static, as_list(holder.get("rating"))), *older_ratings(holder, SCOPES[0])]
    return [trait for rating in ratings if (trait := trait_of(rating)) is not None]


def dynamic_traits_of(holder: Json) -> list[AnyTrait]:
    """Return the dynamic traits of a root or question object. Raises ReadError as `traits_of`."""
    ratings = filter(is_dynamic, as_list(holder.get("rating")))
    return [trait for rating in ratings if (trait := trait_of(rating)) is not None]


def has_traits(holder: Json) -> bool:
    """Return whether there are traits that are not dynamic; only the types of the ratings are read."""
    return any(map(is_static, as_list(holder.get("rating")))) or bool(older_ratings(holder, SCOPES[0]))


def by_kind(traits: Iterable[AnyTrait]) -> dict[str, list[AnyTrait]] | None:
    """Return the five lists of traits of a rubric, None if there are no traits."""
    lists: dict[str, list[AnyTrait]] = {name: [] for name in TRAIT_LISTS}
    for trait in traits:
        lists[f"{family_of(trait)}_traits"].append(trait)
    return lists if any(lists.values()) else None


def dumped(traits: Iterable[AnyTrait]) -> Json | None:
    """Return traits as JSON in the form of a `Question`, None if there are none."""
    lists = by_kind(traits)
    return lists and {name: [one.model_dump(mode="json") for one in held] for name, held in lists.items()}


def collected(model: type[Traits], traits: Iterable[AnyTrait]) -> Traits:
    """Return a rubric of `traits`, even if they have faults."""
    return model.model_validate(by_kind(traits) or {}, context=LENIENT)


def checked_copy(trait: AnyTrait) -> AnyTrait:
    """Return a copy of a trait, whose lists and mappings may have been changed since they were checked.

    Raises WriteError for values that no file may hold.
    """
    try:
        return type(trait).model_validate(dict(trait), context=LENIENT)
    except ValidationError as error:
        raise WriteError(f"the trait {trait.name!r} is refused: {faults_of(error)}") from None
