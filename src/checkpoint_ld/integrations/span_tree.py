"""The spans of a trace as a tree, and the run of an agent that each of them belongs to."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from checkpoint_ld.integrations.span_messages import content_of
from checkpoint_ld.integrations.spans import AGENT, CHATS, CONVERSATION, TOOL, TOOL_NAME, WORKFLOW, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class SpanTree:
    """The spans of a trace; each belongs to the run of the nearest agent or workflow above it."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.by_id = {span.span_id: span for span in spans}
        self.spans = sorted(self.by_id.values(), key=lambda span: span.order)
        self._parents = {span.span_id: span.parent_id for span in self.spans}
        self._parents |= dict(self._adopted())
        self._owners: dict[str, str | None] = {}
        roots = [span for span in self.spans if self.owner(span) == span.span_id]
        working = {self.owner(span) for span in self.spans if span.operation in CHATS or span.operation == TOOL}
        around = {owner for span in roots if (owner := self._outer(span.span_id)) is not None}
        self._shells = [
            span.span_id
            for span in roots
            if span.span_id in around - working and (span.operation == WORKFLOW or not content_of(span).outputs)
        ]
        """The runs that do nothing but contain others: a workflow above an agent, an agent that runs others in turn."""

    def above(self, span: Span) -> Span | None:
        """Return the span above another one."""
        return self.by_id.get(self._parents[span.span_id] or "")

    def _adopted(self) -> Iterator[tuple[str, str]]:
        """Yield spans with the agent that they belong under.

        OpenLLMetry states an agent inside a tool as a span without children, and what it does in a span beside it.
        """
        parents = {span.parent_id for span in self.spans}
        lonely = [span for span in self.spans if span.operation == AGENT and span.span_id not in parents]
        beside: dict[tuple[str | None, Any], list[Span]] = defaultdict(list)
        for span in self.spans if lonely else ():
            if span.operation != AGENT and "traceloop.entity.name" in span.attributes:
                beside[span.parent_id, span.attributes["traceloop.entity.name"]].append(span)
        for agent in lonely:
            for span in beside[agent.parent_id, agent_name(agent)]:
                if span.order >= agent.order and (agent.end is None or span.start <= agent.end):
                    yield span.span_id, agent.span_id

    def owner(self, span: Span) -> str | None:
        """Return the id of the span whose run a span belongs to, None if there is none above it.

        An agent below itself, as OpenLLMetry states each one, is one run, unless a tool calls it anew.
        """
        way: dict[str, None] = {}
        above: Span | None = span
        while above is not None and above.span_id not in self._owners and above.span_id not in way:
            way[above.span_id] = None
            above = self.above(above)
        owner = None if above is None else self._owners.get(above.span_id)
        for name in reversed(way):
            inner = self.by_id[name]
            if inner.operation in (AGENT, WORKFLOW) and not self._is_same(inner, owner):
                owner = name
            self._owners[name] = owner
        return self._owners[span.span_id]

    def _is_same(self, span: Span, owner: str | None) -> bool:
        above, name = self.by_id.get(owner or ""), agent_name(span)
        if above is None or span.operation != above.operation or name is None or agent_name(above) != name:
            return False
        step = self.above(span)
        while step is not None and step is not above and step.operation != TOOL:
            step = self.above(step)
        return step is above

    def _outer(self, owner: str) -> str | None:
        above = self.above(self.by_id[owner])
        return None if above is None else self.owner(above)

    def caller(self, owner: str | None) -> str | None:
        """Return the run that calls another one; what only contains others calls none of them."""
        outer = None if owner is None else self._outer(owner)
        while outer in self._shells:
            outer = self._outer(outer)
        return outer

    def outer_steps(self) -> dict[str, str]:
        """Return, for chats and calls that are stated once more below themselves, the ids of the outermost spans.

        Two instrumentations may be at work, for a framework and for the library that it calls, or for a tool and the
        protocol by which it is reached.
        """
        outer: dict[str, str] = {}
        for span in self.spans:
            if (kind := _step(span)) is None:
                continue
            above = self.above(span)
            while above is not None and above.operation not in (AGENT, WORKFLOW) and _step(above) != kind:
                above = self.above(above)
            if above is not None and _step(above) == kind and above is not span:
                outer[span.span_id] = outer.get(above.span_id, above.span_id)
        return outer

    def conversation(self, owner: str | None) -> str | None:
        """Return the conversation that the span of a run, or a span above it, states."""
        way: set[str] = set()
        step = self.by_id.get(owner or "")
        while step is not None and step.span_id not in way:
            way.add(step.span_id)
            if (value := step.first(*CONVERSATION)) is not None:
                return str(value)
            step = self.above(step)
        return None

    def runs(self) -> list[tuple[str | None, list[Span]]]:
        """Return the runs by their start, each with its spans; what only contains others is part of the first one."""
        runs: dict[str | None, list[Span]] = defaultdict(list)
        for span in self.spans:
            runs[self.owner(span)].append(span)
        for shell in self._shells:
            inner = next(owner for owner in runs if owner is not None and self._outer(owner) == shell)
            runs[inner] = [*runs.pop(shell), *runs[inner]]
        return sorted(runs.items(), key=lambda item: item[1][0].order)


def _step(span: Span) -> tuple[str, Any] | None:
    """Return what a chat or a call has in common with itself; None for other spans."""
    if span.operation in CHATS:
        return "chat", None
    return (TOOL, span.first(*TOOL_NAME)) if span.operation == TOOL else None


def agent_name(span: Span) -> str | None:
    """Return the name of the agent, or of the workflow, that a span is about."""
    names = ("gen_ai.agent.name", "gen_ai.workflow.name", "gen_ai.agent.id", "traceloop.entity.name")
    value = span.first(*names)
    return None if value is None else str(value)
