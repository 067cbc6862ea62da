"""A rubric in the making: ratings gathered from all the places where documents have kept traits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import Listing, step
from checkpoint_ld.dialects.leftovers import beyond
from checkpoint_ld.dialects.properties import name_of
from checkpoint_ld.dialects.ratings import GUI_MATRIX, clean_rating, report_gui_matrix
from checkpoint_ld.dialects.traits import Family, family_of, rating_from_v2

if TYPE_CHECKING:
    from checkpoint_ld.dialects.dialect import Trail

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
}
"""Root properties that hold traits as JSON text."""

_FROM = {"bestRating": "max_score", "worstRating": "min_score", "additionalType": "type"}


class Rubric:
    """The ratings of the root or of a question, each with a note of where it came from."""

    def __init__(self, pointer: str, scope: str, trail: Trail) -> None:
        self._listing = Listing(step(pointer, "rating"), trail)
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
        """Add a rating that the document has as one, at `source` continued by `keys`, brought to canonical form."""
        pointer = self._listing.next_pointer()
        self._listing.add(None, source, *keys)
        self.ratings[-1] = clean_rating(rating, pointer, self._trail)

    def add_trait(self, family: Family, trait: Any, source: str, *, spelled: bool = False) -> None:
        """Add a trait that stands at `source` in the form of the GUI's state.

        `spelled` tells that it stands inside a text, so that its members have no place of their own.
        """
        pointer = self._listing.next_pointer()
        if not isinstance(trait, dict):
            self._listing.add(trait, source)
            return
        if trait.get("evaluation_mode") == GUI_MATRIX:
            report_gui_matrix(trait.get("name"), source, self._trail)
        rating = rating_from_v2(family, trait, self.scope)
        self._listing.add(rating, source)
        if not self._trail.kept:
            return
        for member in rating:
            origin = _FROM.get(member, member)
            self._trail.moved(
                step(pointer, member), step(source, origin) if origin in trait and not spelled else source
            )
        entries = rating.get("additionalProperty")
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            name = name_of(entry) or ""
            place = step(pointer, "additionalProperty", index)
            self._trail.moved(place, step(source, name) if name in trait and not spelled else source)
            self._trail.moved(step(place, "value"), self._trail.source(place))

    def add_object(self, rubric: dict[str, Any], source: str, *, known: bool = False) -> dict[str, Any]:
        """Add all traits of a rubric object; return its other members.

        `known` tells to leave out traits whose name the rubric has already; those that say something else are returned.
        """
        names = self.names() if known else []
        others = {member: value for member, value in rubric.items() if member not in LISTS and value is not None}
        for member, family in LISTS.items():
            traits = rubric.get(member, [])
            place = step(source, member)
            if not isinstance(traits, list):
                traits = [] if traits is None else self._pass_on(traits, place)
            for index, trait in enumerate(traits):
                said = trait if isinstance(trait, dict) else {}
                named = family_of(said.get("type")) if member == "traits" else None
                if said.get("name") not in names:
                    self.add_trait(named or family, trait, step(place, index))
                elif "name" in said and not self.says(named or family, said):
                    others.setdefault(member, []).append(trait)
        return others

    def says(self, family: Family, trait: dict[str, Any]) -> bool:
        """Tell whether the rating of its name says all that a trait in the form of the GUI's state does."""
        named = (rating for rating in self.ratings if isinstance(rating, dict) and rating.get("name") == trait["name"])
        return not beyond(next(named, {}), rating_from_v2(family, trait, self.scope))

    def _pass_on(self, traits: Any, source: str) -> list[Any]:
        """Add what should be a list of traits and is none as if it were a trait, so that it is noticed."""
        self._listing.add(traits, source)
        return []
