"""The Dataset dialects of summer 2025: a Dataset whose parts are the elements with the questions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.data import text
from checkpoint_ld.dialects.datafeed import clean, clean_feed
from checkpoint_ld.dialects.dialect import Downgrade, Upgrade
from checkpoint_ld.dialects.properties import name_of
from checkpoint_ld.dialects.questions import clean_element, has_lists
from checkpoint_ld.dialects.ratings import GLOBAL, QUESTION, in_order, scope_of, trait_type
from checkpoint_ld.dialects.rubric import Rubric
from checkpoint_ld.dialects.trail import Listing, Trail, step
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding

PARTS = ("hasPart", "dataFeedElement")
"""Where elements stand: in the first place by rule, in the second in some files."""
RESULTS = "rating_results"
"""Property of a question with what the repeated ratings of global traits said about this question only."""

_OWN = ("ratingValue", "ratingExplanation")
"""Members of a repeated rating that are about its question, not about the trait."""


def upgrade_first(value: dict[str, Any]) -> Upgrade:
    """Upgrade a Dataset in which every question repeats the global traits."""
    return _upgrade(value, Trail("dataset-0"), repeated=True)


def upgrade_second(value: dict[str, Any]) -> Upgrade:
    """Upgrade a Dataset with its global traits at the root."""
    return _upgrade(value, Trail("dataset-1"), repeated=False)


def _upgrade(value: dict[str, Any], trail: Trail, *, repeated: bool) -> Upgrade:
    root = {member: content for member, content in value.items() if member not in PARTS}
    root["@type"] = "DataFeed"
    set_apart = root.get("x_karenina")
    if isinstance(set_apart, dict) and set_apart.keys() == {"hasPart"}:
        root.update(root.pop("x_karenina"))
        trail.moved("/hasPart", "/x_karenina/hasPart")
    rubric = Rubric("", GLOBAL, trail)
    globals_ = _Globals(rubric) if repeated and has_lists(value) else None

    def convert(element: Any, pointer: str, trail: Trail) -> Any:
        clean = clean_element(element, pointer, trail, globals_.take if globals_ else None)
        return _dated(clean, pointer, trail)

    return trail.upgrade(clean_feed(root, _elements(value, trail), trail, convert, rubric=rubric))


def _elements(value: dict[str, Any], trail: Trail) -> Any:
    """Return the elements from both places, or what stands there if it is no array."""
    if "dataFeedElement" in value:
        message = "the elements of this Dataset stand in dataFeedElement, where a DataFeed has them"
        trail.report("json-ld-form", message, "/dataFeedElement")
    trail.moved("/dataFeedElement", "/hasPart")
    found = [member for member in PARTS if value.get(member) is not None]
    if len(found) == 1 and not isinstance(value[found[0]], list):
        trail.moved("/dataFeedElement", step("", found[0]))
        return value[found[0]]
    listing = Listing("/dataFeedElement", trail)
    for member in found:
        for index, element in enumerate(value[member] if isinstance(value[member], list) else [value[member]]):
            listing.add(element, step("", member, index))
    return listing.entries if found else None


def _dated(element: Any, pointer: str, trail: Trail) -> Any:
    """Return `element` with a date of creation, which the first files did not have."""
    if not isinstance(element, dict) or "dateCreated" in element or "dateModified" not in element:
        return element
    trail.moved(step(pointer, "dateCreated"), step(trail.source(pointer), "dateModified"))
    return in_order({**element, "dateCreated": element["dateModified"]}, "DataFeedItem")


class _Globals:
    """Global traits that are repeated in questions: each goes to the rubric of the root once."""

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self._first: list[dict[str, Any]] = []

    def take(self, rating: Any, source: str, properties: Listing) -> bool:
        """Take a global rating away from its question; what it says about the question alone becomes a property."""
        if not isinstance(rating, dict) or scope_of(rating) != GLOBAL:
            return False
        name = rating.get("name")
        special = {member: rating[member] for member in _OWN if member in rating}
        trait = {member: content for member, content in rating.items() if member not in _OWN}
        if name not in self._rubric.names():
            self._rubric.add_rating(trait, source)
        first = next((seen for seen in self._first if seen.get("name") == name), None)
        if first is None:
            self._first.append(trait)
        else:
            special |= {member: content for member, content in trait.items() if first.get(member) != content}
        if special:
            _add_result({"name": name, **special}, source, properties)
        return True


def _add_result(result: dict[str, Any], source: str, properties: Listing) -> None:
    for entry in properties.entries:
        if name_of(entry) == RESULTS and isinstance(entry.get("value"), list):
            entry["value"] = [*entry["value"], result]
            return
    properties.add_property(RESULTS, [result], source)


def downgrade(tree: dict[str, Any]) -> Downgrade:
    """Return a canonical document as a Dataset with its global traits at the root.

    Scenarios have no place there: they are set apart under the root member x_karenina.
    """
    feed = clean(tree)
    findings: list[Finding] = []
    root = {**feed, "@context": json.loads(text("contexts", "dataset.jsonld"))["@context"], "@type": "Dataset"}
    scenarios = root.pop("hasPart", None)
    elements = root.pop("dataFeedElement", None)
    if "rating" in root:
        root["rating"] = _plain_ratings(root["rating"])
    if isinstance(elements, list):
        elements = [_part(element, step("/dataFeedElement", index), findings) for index, element in enumerate(elements)]
    if elements is not None:
        root["hasPart"] = elements
    if scenarios is not None:
        root["x_karenina"] = {"hasPart": scenarios}
        findings.append(_loss("a Dataset has no place for scenarios; they are kept under x_karenina", "/hasPart"))
    return Downgrade(in_order(root, "DataFeed"), tuple(findings))


def _part(element: Any, pointer: str, findings: list[Finding]) -> Any:
    """Return an element with its keywords and with ratings of the right scope."""
    if not isinstance(element, dict) or not isinstance(element.get("item"), dict):
        return element
    part, question = dict(element), dict(element["item"])
    if "keywords" in question:
        part["keywords"] = question.pop("keywords")
    ratings = question.get("rating")
    for index, rating in enumerate(ratings if isinstance(ratings, list) else ()):
        if isinstance(rating, dict) and scope_of(rating) == GLOBAL:
            message = f'the global trait "{rating.get("name")}" of a question becomes a trait of that question'
            findings.append(_loss(message, step(pointer, "item", "rating", index)))
    if "rating" in question:
        question["rating"] = _plain_ratings(ratings, QUESTION)
    part["item"] = question
    return in_order(part, "DataFeedItem")


def _plain_ratings(ratings: Any, scope: str | None = None) -> Any:
    """Return ratings with plain types, of `scope` if one is given."""
    if not isinstance(ratings, list):
        return ratings
    return [_plain_rating(rating, scope) if isinstance(rating, dict) else rating for rating in ratings]


def _plain_rating(rating: dict[str, Any], scope: str | None) -> dict[str, Any]:
    known = trait_type(rating.get("additionalType"))
    return {**rating, "additionalType": (scope or known[0]) + known[1]} if known else rating


def _loss(message: str, pointer: str) -> Finding:
    return finding("loss", message, pointer=pointer, dialect="dataset-1")
