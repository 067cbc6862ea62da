"""The questions of a benchmark as a sequence, each built when it is asked for.

Who goes through many of them gets them built some hundred ahead, since the garbage collector can be paused meanwhile:
for 1,000 questions this saves 4 to 7 ms of CPU, a tenth of all, and far more for each where there are many. None of it
shows: a question that was built ahead is built anew if the graph was changed, and raises what it raises when its turn
has come.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, overload

from checkpoint_ld import shortcuts
from checkpoint_ld.entities import Question
from checkpoint_ld.graph.collecting import uncollected
from checkpoint_ld.mapping.questions import question_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

MOST_AHEAD = 512


class LazyQuestions(Sequence[Question]):
    """The questions of the feed items `nodes` of a graph."""

    def __init__(self, graph: CheckpointGraph, nodes: list[Node]) -> None:
        self._graph = graph
        self._nodes = nodes

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | Sequence[Question]:
        if isinstance(index, slice):
            return LazyQuestions(self._graph, self._nodes[index])
        return question_of(self._graph.lent(self._nodes[index]))

    def __iter__(self) -> Iterator[Question]:
        at, ahead = 0, 1
        most = MOST_AHEAD if shortcuts.is_taken("questions-ahead") else 1
        while at < len(self._nodes):
            questions = self._built(self._nodes[at : at + ahead])
            changes = self._graph.changes
            ahead = min(2 * ahead, most)
            for question in questions:
                at += 1
                yield question
                if self._graph.changes != changes:
                    ahead = 1
                    break

    def _built(self, nodes: list[Node]) -> list[Question]:
        """Return the questions of `nodes`, fewer where a later one cannot be read."""
        with uncollected():
            questions = [question_of(self._graph.lent(nodes[0]))]
            with suppress(Exception):  # it is raised again when the turn of that question has come
                questions.extend(question_of(self._graph.lent(node)) for node in nodes[1:])
        return questions

    def __len__(self) -> int:
        return len(self._nodes)
