"""Traits that an agent judges, with a workspace and tools at hand."""

from dataclasses import replace
from typing import Literal

from pydantic import Field, JsonValue, field_serializer

from checkpoint_ld.entities.kinds import Above0
from checkpoint_ld.entities.trait import ScoredTrait
from checkpoint_ld.findings import Finding, Severity

AGENT_INTERFACES = ("claude_agent_sdk", "langchain_deep_agents")
OTHER_INTERFACES = ("langchain", "openrouter", "manual", "openai_endpoint", "claude_tool")
MASK = "**********"
"""What stands for a secret in written form."""


class AgenticRubricTrait(ScoredTrait):
    """A trait that an agent judges from the trace of an answer, from the workspace, or from both.

    `model_override` is the settings object of the model to use, kept as it is; its keys are masked in JSON.
    """

    description: str = Field(min_length=1, description="What the agent has to judge")
    context_mode: Literal["workspace_only", "trace_and_workspace", "trace_only"] = Field(
        default="trace_and_workspace", description="What the agent sees"
    )
    materialize_trace: bool = Field(default=False, description="Write the trace to a file in the workspace")
    persist_trace: bool = Field(default=False, description="Keep that file afterwards")
    max_turns: Above0 = Field(default=15, description="How many turns the agent has")
    timeout_seconds: Above0 = Field(default=120, description="How many seconds the agent has")
    model_override: dict[str, JsonValue] | None = Field(
        default=None, repr=False, description="Settings of the model to use"
    )

    def problems(self) -> tuple[Finding, ...]:
        """Report odd classes, ranges and directions, a trace that nobody sees, and a model that runs no agents."""
        found = super().problems()
        if self.materialize_trace and self.context_mode == "workspace_only":
            message = "materialize_trace is true, but context_mode workspace_only shows no trace"
            found += (self.problem("agentic-trace", message, "change one of the two"),)
        found += self.fractions("max_turns", "timeout_seconds")
        return found + self._interface_problems()

    def _interface_problems(self) -> tuple[Finding, ...]:
        interface = (self.model_override or {}).get("interface")
        if interface is None or interface in AGENT_INTERFACES:
            return ()
        fault = "runs no agents" if interface in OTHER_INTERFACES else "is not known"
        message = f"the interface {interface!r} of model_override {fault}"
        found = self.problem("agentic-model", message, f"use {' or '.join(AGENT_INTERFACES)}")
        return (found if interface in OTHER_INTERFACES else replace(found, severity=Severity.INFO),)

    @field_serializer("model_override", when_used="json")
    def _mask_secrets(self, override: JsonValue) -> JsonValue:
        return _masked(override)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: MASK if name.endswith("api_key") and isinstance(item, str) else _masked(item)
        for name, item in value.items()
    }
