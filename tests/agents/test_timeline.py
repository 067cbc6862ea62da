"""Timelines of runs: as text, as a picture, as a page."""

import base64
import hashlib
import re
from dataclasses import replace
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import AgentCheckpoint
from checkpoint_ld.agents.picture import html_of, svg_of
from checkpoint_ld.agents.timeline import Timeline, line_to, lines_of, span, text_of, timeline_of
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import cells
from checkpoint_ld.stores.protocol import header_of
from tests.agents.runs import START, call, checkpoint, thought


@pytest.fixture
def run() -> Timeline:
    thoughts, grep = [thought(0, confidence=0.9), thought(2, confidence=0.2, parent_id="t0")], call(1, tool_id="grep")
    running, failed = call(3, success=None, completed_at=None), call(3, success=False, error="no such file")
    first = checkpoint("k1", thoughts=thoughts, calls=[grep, running], step=1)
    last = checkpoint("k2", thoughts=thoughts, calls=[grep, failed, call(19, success=None)], step=2)
    return timeline_of([last, first])


def test_moments_come_in_the_order_of_time_and_as_the_latest_checkpoint_has_them(run: Timeline) -> None:
    assert [one.id for one in run.moments] == ["t0", "c1", "t2", "c3", "k1", "c19", "k2"]
    assert run.lanes == ("thoughts", "grep", "read_file", "checkpoints")
    outcomes = {one.id: one.outcome for one in run.moments if one.kind == "call"}
    assert outcomes == {"c1": "completed", "c3": "failed", "c19": "in flight"}
    assert (run.start, run.duration_ms) == (START, 20_000)


def test_checkpoints_can_be_marked_by_their_headers_and_calls_without_a_start_are_counted() -> None:
    marks = [header_of(checkpoint("k1", step=1)), header_of(checkpoint("k2", step=2))]
    pending = {"id": "c1", "status": "pending"}
    found = timeline_of([checkpoint("k2", step=2, thoughts=[thought(1)], calls=[pending])], marks)
    assert [one.id for one in found.moments] == ["t1", "k1", "k2"]
    assert found.undated == 1
    assert "left out: 1 call whose start is not known" in text_of(found)
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
def test_no_line_is_wider_than_requested(width: int, expected: str) -> None:
    expected = expected.encode("utf-8", "replace").decode()
    calls = [call(1, tool_id=expected or "x"), {"id": "c2", "status": "pending"}]  # the second one's start is not known
    found = timeline_of([checkpoint(thoughts=[thought(1, content=expected)], calls=calls)])
    assert all(cells(line) <= max(width, 40) for line in text_of(found, width=width).splitlines())


def test_picture_and_page_are_well_formed_need_nothing_else_and_state_what_is_pointed_at(run: Timeline) -> None:
    root, page = fromstring(svg_of(run)), html_of(run)
    space = {"svg": "http://www.w3.org/2000/svg"}
    assert len(root.findall(".//svg:circle[svg:title]", space)) == 2
    titles = [one.text or "" for one in root.findall(".//svg:title", space)]
    assert any("call c3: read_file, failed" in one and "no such file" in one for one in titles)
    assert len(root.findall(".//svg:path[@class='from']", space)) == 1
    assert not re.search(r"(?:src|href)=|url\(|@import", page)
    assert page.count("<tr class=") == len(run.moments)


def test_nothing_of_a_checkpoint_becomes_markup_and_secrets_are_withheld() -> None:
    hostile, key = '<script>alert(1)</script>"&\x00\ufffe', "sk-abcdefghijklmnopqrstuvwx"
    refused = call(3, success=False, error=f"401 for the key {key}")
    calls = [call(1, tool_id=hostile, args={"<b>": 1}), call(2, args={"token": "hunter2"}), refused]
    found = timeline_of(
        [checkpoint(hostile, thoughts=[thought(1, content=hostile), thought(2, content=key)], calls=calls)]
    )
    fromstring(svg_of(found))
    page = html_of(found)
    assert [one for one in ("<script>alert", "<b>", "\x00") if one in page] == []
    assert page.count("<script") == 1
    held = text_of(found) + svg_of(found) + page + "\n".join(lines_of(checkpoint("k", calls=calls)))
    assert [one for one in (key, "hunter2") if one in held] == []


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [(0, "0 ms"), (999, "999 ms"), (3_210, "3.2 s"), (245_000, "4 min 05 s"), (7_620_000, "2 h 07 min")],
)
def test_lengths_of_time_are_reported_in_fitting_units(milliseconds: int, expected: str) -> None:
    assert span(milliseconds) == expected


def test_tools_with_names_of_other_lanes_have_lanes_of_their_own() -> None:
    tools = ("thoughts", "checkpoints", "runs")
    lasting = [call(at, tool_id=tool, completed_at=None, duration_ms=10**400) for at, tool in enumerate(tools)]
    found = timeline_of([checkpoint("k", thoughts=[thought(1)], calls=lasting)])
    assert found.lanes == ("thoughts", *(f"{tool} (tool)" for tool in tools), "checkpoints")
    assert [moment.kind for moment in found.in_lane("thoughts")] == ["thought"]
    fromstring(svg_of(found))
    assert " h " in repr(found)


def cut_off(**second: object) -> list[AgentCheckpoint]:
    """Return three checkpoints: two of a run that was cut off after 4 s, one of a run that went on 6 s later."""
    known = [thought(0), thought(2)]
    running = call(3, success=None, completed_at=None)
    more = {"execution_id": "exec_2", "parent": {"checkpoint_id": "k2"}, **second}
    return [
        _at(checkpoint("k1", thoughts=known[:1], step=1), 1_000, 1_000),
        _at(checkpoint("k2", thoughts=known, calls=[running], step=2), 4_000, 3_900),
        _at(checkpoint("k3", thoughts=[*known, thought(10)], calls=[running], step=3).but(**more), 11_000, 4_900),
    ]


def _at(one: AgentCheckpoint, after: int, ran: int) -> AgentCheckpoint:
    return one.but(timestamp=START + after, metadata=one.metadata.but(duration_ms=ran))


def test_a_run_that_was_cut_off_and_the_one_that_goes_on_from_it_are_distinguished() -> None:
    *_, last = line = cut_off()
    found = timeline_of([last], map(header_of, line))
    assert found.executions == ("exec_1", "exec_2")
    assert found.lanes[0] == "runs"
    runs = [one for one in found.moments if one.kind == "run"]
    assert [(one.id, one.start - START, one.end and one.end - START, one.outcome) for one in runs] == [
        ("exec_1", 0, 4_000, "cut off"),
        ("exec_2", 10_000, 11_000, "open"),
    ]
    assert runs[1].text == "continues from k2 of exec_1, 6.0 s after it"
    of = {one.id: one.execution for one in found.moments if one.kind != "run"}
    assert of == dict.fromkeys(("t0", "t2", "c3", "k1", "k2"), "exec_1") | dict.fromkeys(("t10", "k3"), "exec_2")
    text = text_of(found)
    assert re.search(r"^runs +▶━+↯ +▶━+…$", text, re.MULTILINE)
    assert "6.0 s after it" in text
    fromstring(svg_of(found))
    assert "↯" in svg_of(found)
    page = html_of(found)
    assert page.count("in <code>exec_1</code>") == 5
    assert page.count("in <code>exec_2</code>") == 2


def test_a_call_that_was_cut_off_ends_with_its_run_and_downtime_is_folded() -> None:
    day = 86_400_000
    running = call(3, success=None, completed_at=None)
    late = call(2, success=False, error="cancelled", completed_at=START + day)
    on = {"execution_id": "exec_2", "parent": {"checkpoint_id": "k2"}}
    line = [
        _at(checkpoint("k1", thoughts=[thought(0)], step=1), 1_000, 1_000),
        _at(checkpoint("k2", thoughts=[thought(0)], calls=[running, late], step=2), 4_000, 3_900),
        _at(checkpoint("k3", thoughts=[thought(0)], calls=[running, late], step=3).but(**on), day, 4_500),
    ]
    found = timeline_of(line)
    ends = {one.id: (one.end, one.outcome) for one in found.moments if one.kind == "call"}
    assert ends == {"c3": (START + 4_000, "cut off"), "c2": (START + 4_000, "failed")}
    assert found.breaks == ((START + 4_000, START + day),)
    assert found.share(START + day) - found.share(START + 4_000) < 0.05
    assert (found.share(found.start), round(found.share(found.end), 9)) == (0, 1)
    drawn = svg_of(found)
    assert "23 h 59 min off</text>" in drawn or "24 h 00 min off</text>" in drawn
    assert 'class="cut-off"' in drawn


def test_arguments_and_results_of_calls_can_be_opened() -> None:
    refused = call(1, success=False, error="401", args={"url": "a"})
    page = html_of(timeline_of([checkpoint("k", calls=[refused, call(2, args={"n": 1})], results={"c2": {"rows": 2}})]))
    assert "<summary>arguments</summary><pre>{&quot;url&quot;: &quot;a&quot;}</pre>" in page
    assert "<summary>result</summary><pre>{&quot;rows&quot;: 2}</pre>" in page
    digest = base64.b64encode(hashlib.sha256(re.search("<script>(.*)</script>", page, re.DOTALL)[1].encode()).digest())  # type: ignore[index]
    assert f"script-src 'sha256-{digest.decode()}'" in page


ON = "continues from k2 of exec_1, 6.0 s after it"
BRANCH = {"parent": {"checkpoint_id": "k2", "is_branch": True}}


@pytest.mark.parametrize(
    ("reason", "second", "outcomes", "text"),
    [
        ("execution_completed", {}, ["completed", "open"], ON),
        ("execution_failed", {}, ["failed", "open"], ON),
        ("paused", {}, ["paused", "open"], ON),
        ("manual", {"execution_id": "exec_1"}, ["cut off", "open"], "continues from k2, 7.0 s after it"),
        ("manual", BRANCH, ["open", "open"], "another way from k2 of exec_1"),
    ],
)
def test_how_a_run_ended_is_recognised_by_its_last_checkpoint(
    reason: str, second: dict[str, object], outcomes: list[str], text: str
) -> None:
    first, before, last = cut_off(**second)
    before = before.but(metadata=before.metadata.but(checkpoint_reason=reason))
    runs = [one for one in timeline_of([first, before, last]).moments if one.kind == "run"]
    assert ([one.outcome for one in runs], runs[1].text) == (outcomes, text)


def test_an_execution_that_was_never_silent_is_one_run() -> None:
    first, before, last = cut_off(execution_id="exec_1")
    for ran in (7_400, 0, 6_500):  # a clock that was set; nobody counted; all but half a second
        found = timeline_of([first, before, _at(last, 11_000, 3_900 + ran)])
        assert "runs" not in found.lanes, ran
    # Where the duration is less than the time all along, it does not tell when the agent ran.
    assert "runs" not in timeline_of([first, _at(before, 4_000, 1_100), _at(last, 11_000, 1_200)]).lanes


def test_what_leads_to_a_checkpoint_is_a_line_through_executions() -> None:
    first, before, last = map(header_of, cut_off())
    aside = replace(before, id="k2b", timestamp=START + 5_000)  # exec_1, after exec_2 continued from k2
    strange = replace(first, id="s", execution_id="exec_9", parent_checkpoint_id="gone")
    marks = [first, strange, before, aside, last]
    assert line_to("k3", marks) == [first, before, last]
    assert line_to("k2b", marks) == [first, before, aside]
    assert line_to("s", marks) == [strange]
    assert line_to("nobody", marks) == []
    turned = [replace(first, parent_checkpoint_id="k3"), before, last]
    assert line_to("k3", turned) == turned[:2] + turned[2:]
