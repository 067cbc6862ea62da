"""Rubric traits, converted between the GUI's state and the ratings of JSON-LD.

`rating_from_v2` and `trait_from_rating` convert one trait. `RubricRatings` gathers the ratings of an object from all
the places where older dialects have them; `rubric_of` writes the rubric of the state.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from checkpoint_ld.dialects.dialect import (
    ABSENT,
    Listing,
    as_list,
    decoded,
    name_of,
    property_value,
    step,
    values,
)
from checkpoint_ld.dialects.leftovers import (
    KEPT,
    PARKED,
    has_keywords,
    loss,
    losses_of,
    missing_from,
    park,
    parked_in,
    report_foreign,
    restored,
    take_foreign,
    with_order,
)
from checkpoint_ld.dialects.ratings import (
    CANONICAL,
    GLOBAL,
    GUI_MATRIX,
    IDLE_RANGE,
    LLM_SUFFIXES,
    MATRIX,
    PREFIX,
    as_float,
    as_plain,
    clean_rating,
    is_template,
    llm_kind,
    report_gui_matrix,
    trait_type,
)
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.identifiers import gui_rating_id
from checkpoint_ld.vocabulary import TRAIT_FAMILIES, TRAIT_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from checkpoint_ld.dialects.dialect import Trail
    from checkpoint_ld.findings import Finding


Family: TypeAlias = Literal["llm", "regex", "callable", "metric"]
"""The kinds of traits that the GUI's state can hold."""

_AFTER_SUMMARY = ("include_ground_truth", "min_score", "max_score", "kind", "classes")
SETTINGS: dict[Family, tuple[str, ...]] = {
    "llm": (*(name for name in TRAIT_SETTINGS["llm"] if name not in _AFTER_SUMMARY), *_AFTER_SUMMARY),
    "regex": TRAIT_SETTINGS["regex"],
    "callable": TRAIT_SETTINGS["callable"],
    "metric": TRAIT_SETTINGS["metric"],
}
"""The settings of each kind of trait that the GUI's state can hold, in the GUI's order."""

_UNRANGED = tuple(name for name in SETTINGS["llm"] if name not in IDLE_RANGE)
_GAPS: dict[Family, dict[str, Any]] = {
    "llm": {"higher_is_better": True},
    "regex": {"case_sensitive": True, "invert_result": False},
    "callable": {"kind": "boolean", "invert_result": False},
    "metric": {"tn_instructions": [], "repeated_extraction": False},
}
"""The values that the GUI assumes for missing settings."""

FAMILIES: dict[str, Family] = {
    suffix: family for suffix, known in TRAIT_FAMILIES.items() for family in SETTINGS if family == known
}
_SUFFIXES: dict[Family, str] = {family: suffix for suffix, family in reversed(FAMILIES.items())}
_CLASSES: dict[str, Family] = {**FAMILIES, "RegexRubricTrait": "regex", "CallableRubricTrait": "callable"}
_READ = {
    family: {"name", "description", *names, *(("invert",) if "invert_result" in names else ())}
    for family, names in SETTINGS.items()
}
_MADE = {"@type", "bestRating", "worstRating", "additionalType", "additionalProperty", PARKED}
"""Members of a rating that are computed from the trait."""
_TAKEN = {"invert", "type", "scale", "x_karenina", *_MADE}
"""Names that have a meaning on a trait, so that an unknown member of a rating cannot keep them there."""


def rating_from_v2(family: Family, trait: dict[str, Any], scope: str) -> dict[str, Any]:
    """Return a trait of the GUI's state as a canonical rating of `scope` (Global or QuestionSpecific).

    Only an LLM trait gets its missing kind, range and direction. Unknown members stay members. The leftovers in
    `x_karenina` are restored.
    """
    given = _given(family, trait)
    apart = {} if isinstance(given.get("description"), str) else take_foreign(given, ("description",))
    rating: dict[str, Any] = {"@type": "Rating"}
    rating |= {name: given[name] for name in ("name", "description") if name in given}
    rating["bestRating"], rating["worstRating"] = map(as_float, range_of(family, given))
    rating["additionalType"] = _type(family, given, scope)
    settings = [property_value(name, given[name]) for name in SETTINGS[family] if name in given]
    if settings:
        rating["additionalProperty"] = settings
    if not apart and _READ[family].issuperset(trait):
        return rating
    foreign = _foreign(family, trait, given)
    parked = {name: value for name, value in foreign.items() if name in _MADE or has_keywords({name: value})}
    rating.update((name, value) for name, value in foreign.items() if name not in parked)
    park(rating, {**apart, **parked})
    kept = trait.get(KEPT)
    return restored(rating, kept) if isinstance(kept, dict) else rating


def trait_from_rating(rating: Any, scope: str, *, matrix: str = MATRIX) -> tuple[Family, dict[str, Any]] | None:
    """Return a canonical rating as a trait of the GUI's state and its kind, or None if the state has no such trait.

    `scope` is that of the rubric, `matrix` the name to give to the mode full_matrix. Where a trait states its
    direction, other missing settings are filled in, as its writer states all of them.
    """
    known = trait_type(rating.get("additionalType")) if isinstance(rating, dict) else None
    family = FAMILIES.get(known[1]) if known else None
    if family is None or not isinstance(rating.get("additionalProperty"), list | None):
        return None
    settings = values(rating.get("additionalProperty"))
    if family == "llm" and not _complete_llm(rating, settings):
        return None
    members = {name: rating[name] for name in ("name", "description") if rating.get(name) is not None}
    gaps = _GAPS[family] if family == "llm" or "higher_is_better" in settings else {}
    names = _UNRANGED if family == "llm" and settings["kind"] != "score" else SETTINGS[family]
    trait = {**members, **gaps, **{name: value for name in names if (value := settings.get(name)) is not None}}
    _take_foreign(family, trait, rating)
    # A range without scores is meaningless, and so is the null direction of a metric trait.
    idle = set(IDLE_RANGE) - settings.keys()
    if family == "metric" and settings.get("higher_is_better") is None:
        idle.add("higher_is_better")
    needed = {name: value for name, value in rating.items() if name != "@id" or not is_gui_id(rating)}
    rest = missing_from(rating_from_v2(family, trait, scope), needed, lambda name, _: name in idle)
    if rest:
        trait[KEPT] = rest
    if trait.get("evaluation_mode") == MATRIX:
        trait["evaluation_mode"] = matrix
    return family, trait


def _type(family: Family, given: dict[str, Any], scope: str) -> str:
    """Return the type of the rating of a trait; an LLM trait has its `kind`."""
    newer = family == "llm" and (given["kind"] == "literal" or is_template(given["kind"]))
    return f"{PREFIX}{scope}{LLM_SUFFIXES[1] if newer else _SUFFIXES[family]}"


def as_gui_reads(family: Family, trait: dict[str, Any]) -> dict[str, Any]:
    """Return a trait of the GUI's state with the values that the GUI assumes for missing settings.

    Only a trait that states its direction is completed, as the GUI writes all settings and, in newer versions, the
    direction. A metric trait always gets repeated_extraction, because Karenina assumes the opposite of the GUI.
    """
    gaps = _GAPS[family] if trait.get("higher_is_better") is not None else {}
    if family == "metric":
        gaps = {**gaps, "repeated_extraction": False}
    missing = {name: gap for name, gap in gaps.items() if trait.get(name) is None}
    if trait.get("invert") is not None:
        missing.pop("invert_result", None)
    return {**trait, **missing} if missing else trait


def family_of(class_name: object) -> Family | None:
    """Return the kind of trait of a class name such as RegexTrait, None for any other value."""
    return _CLASSES.get(class_name) if isinstance(class_name, str) else None


def is_gui_id(rating: dict[str, Any]) -> bool:
    """Return whether a rating has the identifier that the GUI generates from its name at every export."""
    name = rating.get("name")
    return isinstance(name, str) and rating.get("@id") == gui_rating_id(name)


def _given(family: Family, trait: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of `trait` under their current names and, for an LLM trait, with those that it implies."""
    given = {name: value for name, value in trait.items() if value is not None}
    if "invert_result" in SETTINGS[family] and "invert" in given:
        given.setdefault("invert_result", given["invert"])
    if given.get("evaluation_mode") == GUI_MATRIX:
        given["evaluation_mode"] = MATRIX
    if family != "llm":
        return given
    scale = given.get("scale")
    if isinstance(scale, list) and _is_scale(scale):
        given = {"min_score": min(scale), "max_score": max(scale), **given}
    kind = given.setdefault("kind", "boolean" if IDLE_RANGE.keys().isdisjoint(given) else "score")
    if kind == "score":
        given = {**IDLE_RANGE, **given}
    given.setdefault("higher_is_better", ABSENT if is_template(kind) else True)
    return given


def _is_scale(scale: list[Any]) -> bool:
    """Return whether `scale` lists the steps of a range, as the earliest files do."""
    return bool(scale) and all(map(is_number, scale))


def _implies_scale(given: dict[str, Any], scale: Any) -> bool:
    """Return whether the lowest and highest score imply `scale`: its steps are one apart."""
    if not isinstance(scale, list) or not _is_scale(scale):
        return False
    ends = (given.get("min_score"), given.get("max_score"))
    return ends == (min(scale), max(scale)) and all(step == scale[0] + index for index, step in enumerate(scale))


def range_of(family: Family, given: dict[str, Any]) -> tuple[Any, Any]:
    """Return best and worst rating of a trait."""
    kind = given.get("kind", "boolean")
    if family == "llm" and kind == "literal":
        classes = given.get("classes")
        return (max(len(classes) - 1, 0) if isinstance(classes, dict | list) else 0), 0
    if family == "llm" and is_template(kind):
        return 0, 0
    if family in ("regex", "metric") or kind in ("boolean", "binary"):
        return 1, 0
    return given.get("max_score", IDLE_RANGE["max_score"]), given.get("min_score", IDLE_RANGE["min_score"])


def _foreign(family: Family, trait: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the members of `trait` that are no settings of its kind."""
    foreign = {name: value for name, value in trait.items() if name not in _READ[family]}
    if family_of(foreign.get("type")):
        del foreign["type"]
    if _implies_scale(given, foreign.get("scale")):
        del foreign["scale"]
    if isinstance(foreign.get("x_karenina"), dict):
        del foreign["x_karenina"]
    return foreign


def _complete_llm(rating: dict[str, Any], settings: dict[str, Any]) -> bool:
    """Put kind and range of an LLM trait into `settings`; return whether the GUI's state can hold the kind."""
    settings["kind"] = kind = llm_kind(rating, settings)
    if kind == "score":
        bounds = {"min_score": rating.get("worstRating"), "max_score": rating.get("bestRating")}
        settings.update((name, as_plain(bound)) for name, bound in bounds.items() if is_number(bound))
    elif all(settings.get(name) == bound for name, bound in IDLE_RANGE.items()):
        del settings["min_score"], settings["max_score"]
    return not is_template(kind)


def _take_foreign(family: Family, trait: dict[str, Any], rating: dict[str, Any]) -> None:
    """Put the members of `rating` that Karenina does not know on the trait, unless the name has a meaning there."""
    taken = _READ[family]
    trait.update((name, value) for name, value in rating.items() if name not in taken and name not in _TAKEN)
    if "@id" in trait and is_gui_id(rating):
        del trait["@id"]
    trait.update((name, value) for name, value in parked_in(rating).items() if name not in trait)


LISTS: dict[str, Family] = {
    "traits": "llm",
    "llm_traits": "llm",
    "regex_traits": "regex",
    "callable_traits": "callable",
    "metric_traits": "metric",
}
"""The lists of a rubric object; `traits` may name the class of each of its entries instead."""

LEGACY_PROPERTIES: dict[str, Family] = {
    "global_rubric_traits": "llm",
    "global_regex_rubric_traits": "regex",
    "global_callable_rubric_traits": "callable",
    "global_metric_rubric_traits": "metric",
    **{f"question_{family}_rubric_traits": family for family in SETTINGS},
}
"""Properties of the root and of questions that hold traits as JSON text."""


def rating_of_entry(family: Family, entry: Any, scope: str) -> Any:
    """Return the rating for an entry of a list of traits, which may name its own class; the entry if it is none."""
    return rating_from_v2(family_of(entry.get("type")) or family, entry, scope) if isinstance(entry, dict) else entry


def older_entries(name: str, value: Any) -> list[Any]:
    """Return the entries of one of `LEGACY_PROPERTIES`, objects as ratings.

    A value that is no list counts as one entry, a text; null and an empty text have none.
    """
    entries = decoded(value)
    if entries in (None, ""):
        return []
    if not isinstance(entries, list):
        return [entries if isinstance(entries, str) else json.dumps(entries)]
    return [rating_of_entry(LEGACY_PROPERTIES[name], entry, GLOBAL) for entry in entries]


def entries_of_member(rubric: Any) -> list[Any]:
    """Return the entries of a plain member `globalRubric`, objects as ratings."""
    lists = rubric if isinstance(rubric, dict) else {}
    return [
        rating_of_entry(family, entry, GLOBAL) for name, family in LISTS.items() for entry in as_list(lists.get(name))
    ]


_FROM = {"bestRating": "max_score", "worstRating": "min_score", "additionalType": "type"}


class RubricRatings:
    """The ratings of the root or of a question, each with its place in the document."""

    def __init__(self, pointer: str, scope: str, trail: Trail) -> None:
        self._listing = Listing(f"{pointer}/rating", trail)
        self._trail = trail
        self.scope = scope

    @property
    def ratings(self) -> list[Any]:
        """The ratings gathered so far."""
        return self._listing.entries

    def names(self) -> list[Any]:
        """Return the names of the traits gathered so far."""
        return [rating["name"] for rating in self.ratings if isinstance(rating, dict) and "name" in rating]

    def add_rating(self, rating: Any, source: str, *keys: str | int) -> None:
        """Add the canonical form of a rating, which stands at `source` continued by `keys`."""
        pointer = self._listing.next_pointer()
        self._listing.add(None, source, *keys)
        self.ratings[-1] = clean_rating(rating, pointer, self._trail)

    def add_trait(self, family: Family, trait: Any, source: str, *, is_encoded: bool = False) -> None:
        """Add a trait of the GUI's state, which stands at `source`.

        With `is_encoded`, it is part of a JSON text, so that its members have no pointers.
        """
        if not isinstance(trait, dict):
            self._listing.add(trait, source)
            return
        if trait.get("evaluation_mode") == GUI_MATRIX:
            report_gui_matrix(trait.get("name"), source, self._trail)
        rating = rating_from_v2(family, trait, self.scope)
        if PARKED in rating:
            report_foreign(parked_in(rating), {"description": "trait-description"}, source, self._trail)
        pointer = self._listing.next_pointer()
        self._listing.add(rating, source)
        if not self._trail.kept:
            return
        for member in rating:
            origin = _FROM.get(member, member)
            self._trail.moved(
                step(pointer, member), step(source, origin) if origin in trait and not is_encoded else source
            )
        entries = rating.get("additionalProperty")
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            name = name_of(entry) or ""
            place = f"{pointer}/additionalProperty/{index}"
            origin = step(source, name) if name in trait and not is_encoded else source
            self._trail.moved(place, origin)
            self._trail.moved(f"{place}/value", origin)

    def add_object(self, rubric: dict[str, Any], source: str, *, known: bool = False) -> dict[str, Any]:
        """Add all traits of a rubric object; return its other members.

        With `known`, traits whose name the rubric already has are left out; those that differ are returned.
        """
        names = self.names() if known else []
        others = {member: value for member, value in rubric.items() if member not in LISTS and value is not None}
        for member, left in others.items():
            if member.endswith("_traits") and left:
                message = f"the traits in {member} are of a kind that is not read here; a property keeps them"
                self._trail.report("traits-in-old-place", message, f"{source}/{member}")
        for member, family in LISTS.items():
            traits, place = rubric.get(member, []), f"{source}/{member}"
            if not isinstance(traits, list):
                if traits is not None:
                    # It is kept in the place of a trait, so that validation reports it; JSON-LD would read keywords.
                    self._listing.add(json.dumps(traits) if has_keywords(traits) else traits, place)
                continue
            for index, trait in enumerate(traits):
                members = trait if isinstance(trait, dict) else {}
                kind = members.get("type") if member == "traits" else None
                named = family_of(kind)
                if members.get("name") not in names:
                    self.add_trait(named or family, trait, f"{place}/{index}")
                    if named is None and isinstance(kind, str) and kind.endswith("Trait"):
                        # Validation reports the unknown class: the trait is none of a language model.
                        self.ratings[-1]["additionalType"] = kind
                elif "name" in members and not self.has_all_of(named or family, members):
                    others.setdefault(member, []).append(trait)
        return others

    def leaves_out(self, trait: Any) -> bool:
        """Return whether an entry of an older place is no trait of the canonical dialect.

        There it is left out with a warning. In an older dialect, it is kept in the place of a trait, and refused.
        """
        return self._trail.dialect == CANONICAL and name_of(trait) is None

    def parted(self, rubric: dict[str, Any]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        """Return a rubric object without what `leaves_out` is about, and this, by the names of the lists."""
        lists = {name: as_list(rubric[name]) for name in LISTS if name in rubric}
        left = {name: [one for one in entries if self.leaves_out(one)] for name, entries in lists.items()}
        left = {name: entries for name, entries in left.items() if entries}
        return {**rubric, **{name: [one for one in lists[name] if not self.leaves_out(one)] for name in left}}, left

    def has_all_of(self, family: Family, trait: dict[str, Any]) -> bool:
        """Return whether the rating of the same name has everything that a trait of the GUI's state has."""
        named = (rating for rating in self.ratings if isinstance(rating, dict) and rating.get("name") == trait["name"])
        return not missing_from(next(named, {}), rating_from_v2(family, trait, self.scope))


class WrittenRubric(NamedTuple):
    """A rubric of the state, None without traits, and the ratings that the state cannot have, in `left`."""

    written: dict[str, Any] | None
    left: dict[str, Any]
    findings: Sequence[Finding] = ()


def rubric_of(members: dict[str, Any], scope: str, matrix: str, pointer: str) -> WrittenRubric:
    """Return the rubric of the root or of a question, an object with `members` at `pointer`.

    `matrix` is the name to give to the mode full_matrix of metric traits.
    """
    ratings = members.get("rating", [])
    if not isinstance(ratings, list):
        return WrittenRubric(None, {"rating": ratings})
    traits: dict[Family, list[dict[str, Any]]] = {}
    held: dict[Family, list[Any]] = {}
    apart: list[Any] = []
    findings: list[Finding] = []
    for index, rating in enumerate(ratings):
        known = trait_from_rating(rating, scope, matrix=matrix)
        if known is None:
            apart.append(rating)
            continue
        family, trait = known
        traits.setdefault(family, []).append(trait)
        held.setdefault(family, []).append(rating)
        if KEPT in trait or family == "metric":
            findings += _losses(family, rating, trait, step(pointer, "rating", index))
    families = [family for family in SETTINGS if family in traits]
    left = with_order(
        {"rating": apart} if apart else {}, ratings, [*chain.from_iterable(map(held.__getitem__, families)), *apart]
    )
    if not traits:
        return WrittenRubric(None, left, findings)
    written = {f"{family}_traits": traits[family] for family in families}
    return WrittenRubric({"llm_traits": [], **written}, left, findings)


def _losses(family: Family, rating: dict[str, Any], trait: dict[str, Any], pointer: str) -> list[Finding]:
    findings = list(losses_of(trait.get(KEPT, {}), rating, pointer, "v2.0"))
    is_once = trait.get("repeated_extraction") in (False, None)
    if family == "metric" and is_once and "repeated_extraction" not in values(rating.get("additionalProperty")):
        message = "leaves repeated_extraction out, which the GUI takes for false"
        findings.append(loss(f'the metric trait "{trait.get("name")}" {message}', pointer, "v2.0"))
    return findings
