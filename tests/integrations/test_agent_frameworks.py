"""Frameworks for agents as they run, in an environment of their own, with the settings of the docs.

They run where CHECKPOINT_LD_AGENTS names the environment that `make .venv-agents/.done` makes.
"""

import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.otlp_files import calls, thoughts

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.integrations.otlp import import_spans
from checkpoint_ld.integrations.span_report import SpanReport

SCRIPTS = Path(__file__).with_name("agents")
PAGE = Path("docs/agent-frameworks.md").read_text(encoding="utf-8")
ROWS = {
    cells[0]: cells[2]
    for line in PAGE.partition("### Content of messages")[2].splitlines()
    if line.startswith("| ") and len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 4
}
FRAMEWORKS = {
    "pydantic-ai 2.68": "pydantic_ai_run",
    "google-adk 2.13": "adk_run",
    "strands-agents 1.62": "strands_run",
    "agent-framework-core 1.23": "agent_framework_run",
    "openai-agents 0.24": "openai_agents_run",
    "langgraph 1.2, langchain 1.5": "langgraph_run",
    "langgraph 1.2, OpenLLMetry 0.62": "langgraph_run",
}
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
Kept = tuple[list[AgentCheckpoint], SpanReport]
pytestmark = pytest.mark.slow


def settings(framework: str) -> dict[str, str]:
    """Return the variables that turn content on, as the docs state them."""
    found = dict(re.findall(r"`([A-Z_]+)=(\w+)`", ROWS[framework]))
    return {name: value for name, value in found.items() if value != "false"}


def kept(framework: str, folder: Path, **environment: str) -> Kept:
    """Run a framework and return the checkpoints of what it wrote."""
    venv = os.environ.get("CHECKPOINT_LD_AGENTS")
    if not venv:
        pytest.skip("no frameworks to run: name their environment by CHECKPOINT_LD_AGENTS")
    files = [folder / "spans.jsonl", folder / "logs.jsonl"]
    openllmetry = {"INSTRUMENTATION": "openllmetry"} if "OpenLLMetry" in framework else {}
    command: list[str | Path] = [
        Path(venv, "bin", "python"),
        "-W",
        "ignore",
        SCRIPTS / f"{FRAMEWORKS[framework]}.py",
        *files,
    ]
    held = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "TRACELOOP_"))}
    subprocess.run(command, env={**held, **openllmetry, **environment}, check=True, capture_output=True, timeout=120)
    report = SpanReport()
    with CheckpointManager(folder / "kept") as manager:
        done = list(import_spans(manager, *files, report=report))
        assert [one.error for one in done] == [None] * len(done)
        return [manager.get(one.checkpoint.id) for one in done if one.checkpoint is not None], report


def conversation(found: list[AgentCheckpoint]) -> list[AgentCheckpoint]:
    """Return the runs of the agent, without those of spans that only tell that it was made."""
    return [one for one in found if one.metadata.step_number]


def assert_two_turns(found: list[AgentCheckpoint]) -> None:
    first, second = conversation(found)
    asked = [("tool_selection", "calls weather, weather"), ("reasoning", "Take a coat.")]
    system, *rest = thoughts(first)
    assert (system[0], system[1].split("\n")[0]) == ("planning", "Be brief")
    assert rest == [("observation", "Coat?"), *asked]
    assert thoughts(second) == [("observation", "Again?"), *asked]
    assert second.execution_id == first.execution_id
    assert second.parent is not None
    assert second.parent.checkpoint_id == first.id
    for one in (first, second):
        assert [(tool, args, status) for tool, args, status, _ in calls(one)] == [
            ("weather", {"city": city}, "completed") for city in ("Oslo", "Rome")
        ]
        assert all(
            f"7 °C in {city}" in str(result) for city, (*_, result) in zip(("Oslo", "Rome"), calls(one), strict=True)
        )
    assert (first.metadata.checkpoint_reason, first.agent_id, second.agent_id) == (
        "execution_completed",
        second.agent_id,
        first.agent_id,
    )
    assert (first.metadata.step_number, second.metadata.step_number) == (4, 8)
    assert 0 < (first.metadata.tokens_used or 0) < (second.metadata.tokens_used or 0)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_conversation_of_a_framework_is_read_with_the_settings_of_the_docs(framework: str, tmp_path: Path) -> None:
    found, report = kept(framework, tmp_path, **settings(framework))
    assert_two_turns(found)
    assert not any("content" in what for row in report.rows() for what in row.missing)


def test_the_docs_name_the_releases_that_are_run() -> None:
    pinned = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["agents"]
    releases = dict(one.split("==") for one in pinned)
    assert list(ROWS)[1:] == [*FRAMEWORKS]
    for name, version in (one.split(" ") for row in FRAMEWORKS for one in row.split(", ")):
        package = {"pydantic-ai": "pydantic-ai-slim", "OpenLLMetry": "opentelemetry-instrumentation-langchain"}
        assert name == "langgraph" or releases[package.get(name, name)].startswith(f"{version}."), name


@pytest.mark.parametrize("framework", ["google-adk 2.13", "openai-agents 0.24"])
def test_content_in_log_records_is_the_same_conversation(framework: str, tmp_path: Path) -> None:
    found, report = kept(framework, tmp_path, **{**settings(framework), CAPTURE: "EVENT_ONLY"})
    assert_two_turns(found)
    assert (report.log_records, report.loose_records) == (4, 0)


@pytest.mark.parametrize(
    ("framework", "remedy", "environment"),
    [
        ("pydantic-ai 2.68", "include_content=True", {"WITHOUT_CONTENT": "1"}),
        ("agent-framework-core 1.23", "enable_instrumentation(enable_sensitive_data=True)", {"WITHOUT_CONTENT": "1"}),
        ("langgraph 1.2, langchain 1.5", f"{CAPTURE}=SPAN_ONLY", {CAPTURE: "true"}),
        ("langgraph 1.2, OpenLLMetry 0.62", "TRACELOOP_TRACE_CONTENT=true", {"TRACELOOP_TRACE_CONTENT": "false"}),
    ],
)
def test_an_import_states_how_to_turn_content_on(
    framework: str, remedy: str, environment: dict[str, Any], tmp_path: Path
) -> None:
    found, report = kept(framework, tmp_path, **environment)
    assert any(remedy in what for row in report.rows() for what in row.missing)
    assert [one.metadata.checkpoint_reason for one in conversation(found)] == ["execution_completed"] * 2
