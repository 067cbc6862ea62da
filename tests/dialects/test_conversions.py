"""Conversions that were observed in the Karenina GUI, done by us."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.dialects import detect, dialect
from tests.dialects import Json, conversions, lacking, masked
from tests.dialects.records import record_of


def read(document: dict[str, Any]) -> dict[str, Any]:
    """Return the canonical tree of a document."""
    found = detect(document)
    assert found is not None
    return found.upgrade(document).tree


def converted(case: dict[str, Any]) -> dict[str, Any]:
    """Do the conversion of a case: from the state to the GUI's DataFeed, or from any JSON-LD to the state."""
    tree = read(case["input"])
    given = case.get("options") or {}
    options = {
        "preserve_ids": given.get("preserveIds", True),
        "include_metadata": given.get("includeMetadata", True),
        "is_creation": given.get("isCreation", False),
    }
    target = dialect("gui-datafeed" if case["op"] == "v2ToJsonLd" else "v2.0")
    assert target.downgrade is not None
    return target.downgrade(tree, **(options if target.name == "gui-datafeed" else {})).value


def known(record: dict[str, Any], *, identified: bool) -> Json:
    """Return what a record says: without what is empty, without identifiers if they were not requested."""
    empty: tuple[Json, ...] = (None, [], {}, "")
    hidden = () if identified else ("id",)

    def bare(value: Json) -> Json:
        if isinstance(value, list):
            return [bare(one) for one in value]
        if isinstance(value, dict):
            return {name: bare(held) for name, held in value.items() if held not in empty and name not in hidden}
        return value

    return bare(record)


@pytest.mark.parametrize("op", ["v2ToJsonLd", "jsonLdToV2"])
def test_the_newest_gui_s_conversions_are_matched(corpus: Path, op: str) -> None:
    cases = [case for case in conversions(corpus, "convert") if case["op"] == op]
    wrong = [
        case["id"]
        for case in cases
        if masked(converted(case), case.get("mask")) != masked(case["output"], case.get("mask"))
    ]

    assert len(cases) >= 30
    assert not wrong


def test_older_conversions_are_read_alike_on_both_sides(corpus: Path) -> None:
    cases = list(conversions(corpus, "read-both"))
    for case in cases:
        identified = (case.get("options") or {}).get("preserveIds", True)
        before, after = (record_of(read(case[side])) for side in ("input", "output"))
        assert not list(lacking(known(before, identified=identified), after)), case["id"]

    assert len(cases) >= 60


def test_nothing_that_the_gui_loses_is_lost(corpus: Path) -> None:
    cases = list(conversions(corpus, "better", "read-both", "convert"))
    for case in cases:
        identified = (case.get("options") or {}).get("preserveIds", True)
        before, after = record_of(read(case["input"])), record_of(read(converted(case)))
        if case["op"] == "v2ToJsonLd" and before.get("description") == "":
            del before["description"], before["version"]  # the GUI's defaults stand in for empty texts
        missing = list(lacking(known(before, identified=identified), after))
        assert not missing, case["id"]

    assert len(cases) >= 180


def test_what_the_gui_refuses_although_it_can_be_read_is_converted(corpus: Path) -> None:
    refused = [case for case in conversions(corpus, "better") if "output" not in case]

    for case in refused:
        assert detect(converted(case)) is not None, case["id"]
    assert refused


def test_members_that_the_gui_drops_are_still_there(corpus: Path) -> None:
    (case,) = (case for case in conversions(corpus, "better") if case["id"] == "extra/gui-2026-01/101")
    value = converted(case)

    assert value["extra_root"] == [1, 2]
    assert value["dataFeedElement"][0]["foo"] == {"a": [1, None]}
    assert value["rating"][0]["weight"] == 2
