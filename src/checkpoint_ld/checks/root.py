"""Checks on the root of a checkpoint: what is said about the benchmark as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.checks.dates import ROOT, check_dates
from checkpoint_ld.checks.properties import read_properties
from checkpoint_ld.checks.questions import check_elements
from checkpoint_ld.checks.ratings import GLOBAL_SCOPE, check_rubric
from checkpoint_ld.checks.readings import given, holds_json, shown
from checkpoint_ld.checks.scenarios import check_parts
from checkpoint_ld.vocabulary import FORMAT_VERSION, FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from checkpoint_ld.checks.spot import Spot

LEGACY_TRAIT_PROPERTIES = frozenset(f"global_{kind}rubric_traits" for kind in ("", "regex_", "callable_", "metric_"))
"""Root properties in which early files kept global traits, as JSON text."""

MANUAL_TRAITS = "global_manual_rubric_traits"
"""Traits of a kind that no longer exists: kept, not interpreted."""


def check_root(spot: Spot, tree: dict[str, object]) -> None:
    """Check the root, `tree`, and everything below it."""
    _check_texts(spot, tree)
    _check_creator(spot.at("creator"), tree.get("creator"))
    check_dates(spot, tree, ROOT)
    check_rubric(spot.at("rating"), tree.get("rating"), GLOBAL_SCOPE)
    _check_contents(spot, tree.get("dataFeedElement"), tree.get("hasPart"))
    _check_properties(spot.at("additionalProperty"), tree.get("additionalProperty"))
    if tree.get("globalRubric") is not None:
        spot.at("globalRubric").report(
            "global-rubric-member", "the root has a plain globalRubric, which Karenina drops"
        )


def _check_texts(spot: Spot, tree: dict[str, object]) -> None:
    name, description, version = (tree.get(member) for member in ("name", "description", "version"))
    if not isinstance(name, str) or not name:
        spot.at("name").report("benchmark-name", f"the name of the benchmark is {given(name)}")
    if description is not None and not isinstance(description, str):
        spot.at("description").report(
            "benchmark-description", f"the description is {shown(description)}, not text", "write it as text"
        )
    if isinstance(version, list | dict):
        spot.at("version").report(
            "benchmark-version-kind", f"the version is {shown(version)}, not text", "write it as text"
        )
    elif version is not None and not isinstance(version, str):
        spot.at("version").report("benchmark-version", f"the version is {shown(version)}, not text")


def _check_creator(spot: Spot, creator: object) -> None:
    remedy = "write a name, a Person or an Organization"
    for place, agent in spot.entries(creator):
        if isinstance(agent, dict):
            if not isinstance(agent.get("name"), str):
                place.report("creator-name", "the creator has no name", remedy)
        elif not isinstance(agent, str):
            place.report("benchmark-creator", f"the creator is {shown(agent)}", remedy)


def _check_contents(spot: Spot, elements: object, parts: object) -> None:
    has_scenarios = check_parts(spot.at("hasPart"), parts)
    if isinstance(elements, list | dict):
        check_elements(spot.at("dataFeedElement"), elements)
    elif elements is not None or not has_scenarios:
        spot.at("dataFeedElement").report(
            "benchmark-feed", f"dataFeedElement is {given(elements)}", "write it as an array"
        )
    if has_scenarios and elements:
        spot.at("hasPart").report("benchmark-mixed", "there are questions in dataFeedElement and scenarios in hasPart")


def _check_properties(spot: Spot, value: object) -> None:
    properties = read_properties(spot, value)
    properties.report_repeated(spot)
    for name, setting in properties.values.items():
        if name in {FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY}:
            if not isinstance(setting, str) or not setting.startswith("3."):
                spot.report("benchmark-format-version", f"{name} is {shown(setting)}, not {FORMAT_VERSION}")
        elif name == MANUAL_TRAITS:
            message = f"{name} holds traits of a kind that no longer exists; they are kept as they are"
            spot.report("manual-traits", message, "write the traits anew as another kind")
        elif name in LEGACY_TRAIT_PROPERTIES and not _lists_traits(setting):
            spot.report("legacy-traits", f"{name} is {shown(setting)}, no list of traits; it is kept as it is")


def _lists_traits(setting: object) -> bool:
    if isinstance(setting, str):
        return holds_json(setting, list)
    return setting is None or isinstance(setting, list)
