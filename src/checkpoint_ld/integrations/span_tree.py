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
        at: Span | None = span
        while at is not None and at.span_id not in self._owners and at.span_id not in way:
            way[at.span_id] = None
            at = self.above(at)
        found = None if at is None else self._owners.get(at.span_id)
        for name in reversed(way):
            one = self.by_id[name]
            if one.operation in (AGENT, WORKFLOW) and not self._is_same(one, found):
                found = name
            self._owners[name] = found
        return self._owners[span.span_id]

    def _is_same(self, span: Span, owner: str | None) -> bool:
        above, name = self.by_id.get(owner or ""), agent_name(span)
        if above is None or span.operation != above.operation or name is None or agent_name(above) != name:
            return False
        at = self.above(span)
        while at is not None and at is not above and at.operation != TOOL:
            at = self.above(at)
        return at is above

    def _outer(self, owner: str) -> str | None:
        above = self.above(self.by_id[owner])
        return None if above is None else self.owner(above)

    def caller(self, owner: str | None) -> str | None:
        """Return the run that calls another one; what only contains others calls none of them."""
        at = None if owner is None else self._outer(owner)
        while at in self._shells:
            at = self._outer(at)
        return at

    def outer_steps(self) -> dict[str, str]:
        """Return, for chats and calls that are stated once more below themselves, the ids of the outermost spans.

        Two instrumentations may be at work, for a framework and for the library that it calls, or for a tool and the
        protocol by which it is reached.
        """
        found: dict[str, str] = {}
        for span in self.spans:
            if (kind := _step(span)) is None:
                continue
            at = self.above(span)
            while at is not None and at.operation not in (AGENT, WORKFLOW) and _step(at) != kind:
                at = self.above(at)
            if at is not None and _step(at) == kind and at is not span:
                found[span.span_id] = found.get(at.span_id, at.span_id)
        return found

    def conversation(self, owner: str | None) -> str | None:
        """Return the conversation that the span of a run, or a span above it, states."""
        way: set[str] = set()
        at = self.by_id.get(owner or "")
        while at is not None and at.span_id not in way:
            way.add(at.span_id)
            if (found := at.first(*CONVERSATION)) is not None:
                return str(found)
            at = self.above(at)
        return None

    def runs(self) -> list[tuple[str | None, list[Span]]]:
        """Return the runs by their start, each with its spans; what only contains others is part of the first one."""
        found: dict[str | None, list[Span]] = defaultdict(list)
        for span in self.spans:
            found[self.owner(span)].append(span)
        for shell in self._shells:
            inner = next(owner for owner in found if owner is not None and self._outer(owner) == shell)
            found[inner] = [*found.pop(shell), *found[inner]]
        return sorted(found.items(), key=lambda item: item[1][0].order)


def _step(span: Span) -> tuple[str, Any] | None:
    """Return what a chat or a call has in common with itself; None for other spans."""
    if span.operation in CHATS:
        return "chat", None
    return (TOOL, span.first(*TOOL_NAME)) if span.operation == TOOL else None


def agent_name(span: Span) -> str | None:
    """Return the name of the agent, or of the workflow, that a span is about."""
    names = ("gen_ai.agent.name", "gen_ai.workflow.name", "gen_ai.agent.id", "traceloop.entity.name")
    found = span.first(*names)
    return None if found is None else str(found)
