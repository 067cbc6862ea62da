"""Timelines of runs: as text, as a picture, as a page."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.agent.timeline import Timeline, span, text_of, timeline_of
from checkpoint_ld.agent.timeline_page import html_of, svg_of
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import cells
from checkpoint_ld.stores.protocol import header_of
from tests.agent.runs import START, call, checkpoint, thought


@pytest.fixture
def run() -> Timeline:
    first = checkpoint(
        "k1",
        thoughts=[thought(0, confidence=0.9), thought(2, confidence=0.2, parent_id="t0")],
        calls=[call(1, tool_id="grep"), call(3, success=None, completed_at=None)],
        step=1,
    )
    last = checkpoint(
        "k2",
        thoughts=[thought(0, confidence=0.9), thought(2, confidence=0.2, parent_id="t0")],
        calls=[call(1, tool_id="grep"), call(3, success=False, error="no such file"), call(19, success=None)],
        step=2,
    )
    return timeline_of([last, first])


def test_moments_come_in_the_order_of_time_and_as_the_latest_checkpoint_has_them(run: Timeline) -> None:
    assert [one.id for one in run.moments] == ["t0", "c1", "t2", "c3", "k1", "c19", "k2"]
    assert run.lanes == ("thoughts", "grep", "read_file", "checkpoints")
    outcomes = {one.id: one.outcome for one in run.moments if one.kind == "call"}
    assert outcomes == {"c1": "completed", "c3": "failed", "c19": "in flight"}
    assert (run.start, run.duration_ms) == (START, 20_000)


def test_calls_without_a_start_are_counted() -> None:
    found = timeline_of([checkpoint(calls=[{"id": "c1", "status": "pending"}])])
    assert found.undated == 1
    assert "1 calls do not say when they began" in text_of(found)


def test_checkpoints_can_be_marked_by_their_headers() -> None:
    marks = [header_of(checkpoint("k1", step=1)), header_of(checkpoint("k2", step=2))]
    found = timeline_of([checkpoint("k2", step=2, thoughts=[thought(1)])], marks)
    assert [one.id for one in found.moments] == ["t1", "k1", "k2"]


def test_a_timeline_needs_a_checkpoint() -> None:
    with pytest.raises(SettingsError, match="give at least one"):
        timeline_of([])


def test_the_text_shows_lanes_and_moments(run: Timeline) -> None:
    lines = text_of(run, width=60).splitlines()
    assert lines[0] == "reader · exec_1"
    assert lines[1] == "2025-02-05 21:20:00 UTC, 20.0 s"
    lanes = {line[:16].strip(): line[17:] for line in lines[3:7]}
    assert lanes["thoughts"].startswith("●")
    assert "○" in lanes["thoughts"]
    assert lanes["grep"].strip()[-1] == "✓"
    assert "✗" in lanes["read_file"]
    assert lanes["read_file"][-1] == "…"
    assert lanes["checkpoints"].count("◆") == 2
    assert any("✗ read_file 500 ms: no such file" in line for line in lines)
    assert "2 earlier moments" not in lines


def test_the_list_can_be_limited_to_the_latest_moments(run: Timeline) -> None:
    lines = text_of(run, limit=2).splitlines()
    assert lines[-3] == "… 5 earlier moments"
    assert "k2" in lines[-1]
    assert text_of(run, limit=0).splitlines()[-1] == "… 7 earlier moments"


@given(st.integers(0, 200), st.text(max_size=80))
def test_no_line_is_wider_than_asked_for(width: int, said: str) -> None:
    said = said.encode("utf-8", "replace").decode()
    found = timeline_of([checkpoint(thoughts=[thought(1, content=said)], calls=[call(1, tool_id=said or "x")])])
    assert all(cells(line) <= max(width, 40) for line in text_of(found, width=width).splitlines())


def test_the_picture_is_well_formed_and_says_what_is_pointed_at(run: Timeline) -> None:
    root = fromstring(svg_of(run))
    space = {"svg": "http://www.w3.org/2000/svg"}
    assert len(root.findall(".//svg:circle[svg:title]", space)) == 2
    titles = [one.text or "" for one in root.findall(".//svg:title", space)]
    assert any("call c3: read_file, failed" in one and "no such file" in one for one in titles)
    assert len(root.findall(".//svg:path[@class='from']", space)) == 1


def test_nothing_of_a_checkpoint_becomes_markup() -> None:
    hostile = '<script>alert(1)</script>"&\x00'
    found = timeline_of(
        [checkpoint(hostile, thoughts=[thought(1, content=hostile)], calls=[call(1, tool_id=hostile, args={"<b>": 1})])]
    )
    fromstring(svg_of(found))
    page = html_of(found)
    assert "<script" not in page
    assert "<b>" not in page
    assert "\x00" not in page


def test_the_page_needs_nothing_else_and_lists_all_moments(run: Timeline) -> None:
    page = html_of(run)
    assert not re.search(r"(?:src|href)=|url\(|@import", page)
    assert page.count("<tr class=") == len(run.moments)


def test_secrets_are_withheld() -> None:
    key = "sk-abcdefghijklmnopqrstuvwx"
    found = timeline_of([checkpoint(thoughts=[thought(1, content=key)], calls=[call(1, args={"token": "hunter2"})])])
    for told in (text_of(found), svg_of(found), html_of(found)):
        assert key not in told
        assert "hunter2" not in told


@pytest.mark.parametrize(
    ("milliseconds", "told"),
    [(0, "0 ms"), (999, "999 ms"), (3_210, "3.2 s"), (245_000, "4 min 05 s"), (7_620_000, "2 h 07 min")],
)
def test_lengths_of_time_are_told_in_fitting_units(milliseconds: int, told: str) -> None:
    assert span(milliseconds) == told
