"""The DataFeed dialects: today's, which is the canonical one, its predecessor and the GUI's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import Downgrade, Listing, Trail, step
from checkpoint_ld.dialects.leftovers import has_keywords, laid_over
from checkpoint_ld.dialects.properties import decoded, is_plain, name_of
from checkpoint_ld.dialects.questions import add_rubric_members, clean_element, has_lists, listed
from checkpoint_ld.dialects.ratings import CANONICAL, GLOBAL, in_order
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES, Rubric
from checkpoint_ld.vocabulary import FORMAT_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

CREATOR_DETAILS = "creator_details"
"""Root property with a creator of which the member `creator` can only hold the name."""
VERSION = "benchmark_version"
"""Root property with the version of a benchmark, in a Dataset whose member `version` names the format."""


def identity(value: dict[str, Any], trail: Trail) -> dict[str, Any]:  # noqa: ARG001 - as in the other dialects
    """Return a canonical document as it is, whatever is unusual about it."""
    return value


def same(tree: dict[str, Any]) -> Downgrade:
    """Return a canonical document as it is: nothing is lost in its own dialect."""
    return Downgrade(tree, ())


def read(value: dict[str, Any], trail: Trail) -> dict[str, Any]:
    """Read a DataFeed of the Karenina GUI, or one from before Karenina's types had a namespace."""
    return clean_feed(value, value.get("dataFeedElement"), trail, clean_element)


def clean(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a canonical document in its usual words: what all writers start from."""
    return read(tree, Trail(CANONICAL))


def clean_feed(
    root: dict[str, Any],
    elements: Any,
    trail: Trail,
    convert: Callable[[Any, str, Trail], Any],
    rubric: Rubric | None = None,
) -> dict[str, Any]:
    """Return the canonical tree of a DataFeed with the members of `root` and `elements`, each through `convert`.

    `rubric` gathers the traits of the root; it is given when `convert` adds to it.
    """
    tree = dict(root)
    rubric = rubric or Rubric("", GLOBAL, trail)
    properties = Listing("/additionalProperty", trail)
    sound = has_lists(root)
    if sound:
        for index, rating in enumerate(tree.get("rating") or ()):
            rubric.add_rating(rating, "/rating", index)
        for index, entry in enumerate(tree.get("additionalProperty") or ()):
            source = step("/additionalProperty", index)
            if not (_move_traits(entry, source, rubric, properties) or _is_told(entry, tree, source, trail)):
                properties.add(entry, source)
        add_rubric_members(tree, "", rubric, properties)
    if isinstance(elements, list):
        elements = [convert(element, step("/dataFeedElement", index), trail) for index, element in enumerate(elements)]
    if elements is not None or "dataFeedElement" in root:
        tree["dataFeedElement"] = elements
    if sound:
        tree.update(listed(root, rubric, properties))
    return in_order(laid_over(tree, "", trail), "DataFeed")


def _move_traits(entry: Any, source: str, rubric: Rubric, properties: Listing) -> bool:
    """Move the traits that a root property holds into `rubric`; return False for a property that stays.

    What it says beyond them, and traits that say something else than the rating of their name, become a property.
    """
    family = LEGACY_PROPERTIES.get(name_of(entry) or "")
    traits = decoded(entry.get("value")) if family else None
    if family is None or not isinstance(traits, list):
        return False
    spelled = isinstance(entry["value"], str)
    place = step(source, "value")
    known = rubric.names()
    others = []
    for index, trait in enumerate(traits):
        if not isinstance(trait, dict) or trait.get("name") not in known:
            rubric.add_trait(family, trait, place if spelled else step(place, index), spelled=spelled)
        elif not rubric.says(family, trait):
            others.append(trait)
    if others or not is_plain(entry):
        kept = {name: content for name, content in entry.items() if name != "value" or others}
        properties.add({**kept, "name": f"rubric_{entry['name']}", **({"value": others} if others else {})}, source)
    return True


def _is_told(entry: Any, tree: dict[str, Any], source: str, trail: Trail) -> bool:
    """Put a person whose details are in `entry`, or a version, back in its place; return False if it is no such."""
    name, told = name_of(entry), entry.get("value") if isinstance(entry, dict) else None
    if name == CREATOR_DETAILS:
        member = "creator"
        is_told = isinstance(told, dict) and told.get("@type") == "Person" and told.get("name") == tree.get(member)
    else:
        member = "version"
        is_told = name == VERSION and tree.get(member) == FORMAT_VERSION and trail.dialect.startswith("dataset-")
    if not is_told or not trail.restored or not is_plain(entry):
        return False
    if has_keywords(told):  # JSON-LD would read it otherwise
        return False
    tree[member] = told
    trail.moved(step("", member), step(source, "value"))
    return True
