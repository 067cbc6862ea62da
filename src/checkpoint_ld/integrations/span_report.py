"""What became of the spans of an import: how many were read, of which instrumentation, and what they lack."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.integrations.span_calls import ARGUMENTS, MERGED, RESULT
from checkpoint_ld.integrations.spans import CHATS, TOOL, TOOL_NAME
from checkpoint_ld.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from checkpoint_ld.integrations.spans import Span

_OFFICIAL: Final = (
    "set OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and "
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (true is no value)"
)
CONTENT: Final[Mapping[str, str]] = {
    r"pydantic-ai": "give InstrumentationSettings(include_content=True)",
    r"gcp\.vertex\.agent|google\.adk.*": _OFFICIAL,
    r"strands\..*": "strands writes content to events: export the events of spans",
    r"agent_framework": "call enable_instrumentation(enable_sensitive_data=True)",
    r"opentelemetry\.instrumentation\.genai\..*|opentelemetry\.util\.genai.*": _OFFICIAL,
    r"opentelemetry\.instrumentation\.openai_v2": "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    r"opentelemetry\.instrumentation\..*": "set TRACELOOP_TRACE_CONTENT=true",
}
"""How content is turned on, by a pattern for the instrumentation's name; the first that fits counts."""


@dataclass(slots=True)
class Instrumentation:
    """The spans of one instrumentation: about agents, and others, which are passed over or kept beside a run."""

    name: str
    version: str
    read: int = 0
    passed_over: int = 0
    chats: int = 0
    silent_chats: int = 0
    calls: int = 0
    silent_calls: int = 0

    @property
    def missing(self) -> tuple[str, ...]:
        """What the spans lack, with a remedy."""
        reasons = []
        remedy = next((way for name, way in CONTENT.items() if re.fullmatch(name, self.name)), None)
        way = f": {remedy}" if remedy else ": turn it on in the instrumentation"
        if self.silent_chats:
            reasons.append(f"content of {self.silent_chats} of {self.chats} chats is not captured{way}")
        if self.silent_calls and not self.silent_chats:
            calls = f"{self.silent_calls} of {counted(self.calls, 'call')}"
            reasons.append(f"arguments and results of {calls} are not in their spans, but at most in messages")
        return tuple(reasons)

    def tree(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "instrumentation": self.name,
            "version": self.version,
            "read": self.read,
            "passed_over": self.passed_over,
            "missing": list(self.missing),
        }


@dataclass(slots=True)
class SpanReport:
    """What an import read, by instrumentation, and what it passed over.

    `other_signals` are documents of metrics and profiles; `loose_records` log records about no span that was read.
    """

    instrumentations: dict[tuple[str, str], Instrumentation] = field(default_factory=dict)
    other_signals: int = 0
    log_records: int = 0
    loose_records: int = 0

    def add(self, spans: Sequence[Span], silent: Set[str]) -> None:
        """Count the spans of a trace; `silent` are the ids of the chats that have no content."""
        is_about_agents = any(span.operation for span in spans)
        for span in spans:
            row = self.instrumentations.setdefault(span.instrumentation, Instrumentation(*span.instrumentation))
            if not (is_about_agents and span.operation):
                row.passed_over += 1
                continue
            row.read += 1
            if span.operation in CHATS:
                row.chats += 1
                row.silent_chats += span.span_id in silent and span.is_answered
            elif span.operation == TOOL and span.first(*TOOL_NAME) != MERGED:
                row.calls += 1
                is_stated = any(span.attributes.get(name) is not None for name in (*ARGUMENTS, *RESULT))
                row.silent_calls += not is_stated and not any(span.events)

    def rows(self) -> Iterator[Instrumentation]:
        """Yield the instrumentations, those about agents first."""
        yield from sorted(self.instrumentations.values(), key=lambda row: (not row.read, row.name, row.version))

    def lines(self) -> Iterator[str]:
        """Yield what is missing, and what was passed over beside spans."""
        yield from (f"missing in {row.name}: {what}" for row in self.rows() for what in row.missing)
        if self.loose_records:
            yield f"{self.loose_records} of {counted(self.log_records, 'log record')} are about no span that was read"
        if self.other_signals:
            yield f"{counted(self.other_signals, 'document')} of metrics or profiles passed over"

    def tree(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "instrumentations": [row.tree() for row in self.rows()],
            "log_records": self.log_records,
            "loose_log_records": self.loose_records,
            "other_signals": self.other_signals,
        }
