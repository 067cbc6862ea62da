"""Questions by what others call them: results of models, rows of tables."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from checkpoint_ld.benchmark.content import asked_in, elements_of
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.identifiers import question_object_id
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph


class QuestionNames:
    """The identifiers of the questions in a graph, by identifier, by the MD5 hash of the text, and by the text.

    The graph must not be edited meanwhile: it is read once.
    """

    def __init__(self, graph: CheckpointGraph) -> None:
        self._graph = graph
        self._elements = elements_of(graph)

    def node(self, identifier: str) -> Node:
        """Return the `schema:Question` of a question."""
        return asked_in(self._graph, self._elements[identifier])

    def identifier(self, name: str, *texts: str | None) -> str:
        """Return the identifier of the question `name`, or else of the one with one of `texts`.

        `name` is an identifier, or else the MD5 hash of a question's text, which is what Karenina's `Question` objects
        carry. Raises LookupFailedError if there is no such question, or more than one of that text.
        """
        if name in self._elements:
            return name
        for one in (name, *(_hash(text) for text in texts if text)):
            match self._hashes.get(one, []):
                case [identifier]:
                    return identifier
                case [_, *_] as found:
                    raise LookupFailedError(
                        f"{len(found)} questions have a text with the hash {one}: give one of their identifiers, "
                        f"{' or '.join(map(shown, found))}"
                    )
        where = "the benchmark has none, and turns of scenarios have no answers of their own; give another benchmark"
        if self._elements:
            where = "give the identifier of a question of this benchmark, or the MD5 hash of its text"
        raise LookupFailedError(f"there is no question {shown(name)}: {where}")

    @cached_property
    def _hashes(self) -> dict[str, list[str]]:
        hashes = dict[str, list[str]]()
        for identifier in self._elements:
            text = self._graph.plain(self.node(identifier), "text")
            hashes.setdefault(_hash(text if isinstance(text, str) else ""), []).append(identifier)
        hashes.pop("", None)
        return hashes


def _hash(text: str) -> str:
    with suppress(UnicodeEncodeError):  # half a surrogate pair has no bytes, and so the text no hash
        return question_object_id(text)
    return ""
