"""The timeline of a run: its thoughts, tool calls and checkpoints over time, as text and as a picture."""

from checkpoint_ld.agent.timeline.page import html_of
from checkpoint_ld.agent.timeline.picture import svg_of
from checkpoint_ld.agent.timeline.terminal import text_of
from checkpoint_ld.agent.timeline.timeline import Moment, Timeline, timeline_of

__all__ = ["Moment", "Timeline", "html_of", "svg_of", "text_of", "timeline_of"]
