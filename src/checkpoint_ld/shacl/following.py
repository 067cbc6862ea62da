"""Validation that follows a graph: after a change, only the focus nodes that it can reach are evaluated again."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING

from rdflib import Graph, URIRef
from rdflib.graph import ConjunctiveGraph

from checkpoint_ld.errors import CheckpointLdError, ReadError
from checkpoint_ld.graph.store import Index, SubjectIndexStore, drop, put
from checkpoint_ld.shacl.data import DataGraph, Table, index_of
from checkpoint_ld.shacl.dependencies import dependencies
from checkpoint_ld.shacl.live import LiveGraph
from checkpoint_ld.shacl.running import results as whole_results
from checkpoint_ld.shacl.shape import conforms, report_graph, report_text
from checkpoint_ld.shacl.shapes import Shapes, Validation, compile_statements

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.dependencies import Statement
    from checkpoint_ld.shacl.shape import Component, Result


class Following:
    """The results of the targeted shapes of one shapes graph for statements that change, by focus node.

    Rules, and what pySHACL finds, are not among them.
    """

    def __init__(self, shapes: Shapes, data: DataGraph) -> None:
        self.shapes = shapes
        self._live: LiveGraph | None = None
        self._of = dependencies(shapes.targeted, shapes.by_node)
        run = Validation(shapes, data)
        self.found: dict[Node, dict[Node, list[Result]]] = {}
        for shape in shapes.targeted:
            by_focus: dict[Node, list[Result]] = {}
            for focus, result in run.of_targets(shape):
                by_focus.setdefault(focus, []).append(result)
            self.found[shape.node] = by_focus
        self._elsewhere: dict[Node, dict[tuple[Node, Node], None]] = {}
        """The shapes and targets with results about another node than the target, by that node; some may be gone."""
        for node, by_focus in self.found.items():
            for focus, results in by_focus.items():
                self._note(node, focus, results)

    def _note(self, shape: Node, focus: Node, results: Iterable[Result]) -> None:
        for one in results:
            if one.focus != focus:
                self._elsewhere.setdefault(one.focus, {})[shape, focus] = None

    def about(self, nodes: Collection[Node]) -> list[Result]:
        """Return the results whose focus nodes are among some nodes."""
        found = [
            one
            for by_focus in self.found.values()
            for node in (nodes if len(nodes) < len(by_focus) else by_focus)
            if node in by_focus and node in nodes
            for one in by_focus[node]
            if one.focus == node
        ]
        for node in nodes:
            for shape, focus in self._elsewhere.get(node, ()):
                found += [one for one in self.found[shape].get(focus, ()) if one.focus == node]
        return found

    def results(self, chosen: Container[Node] | None = None) -> list[Result]:
        """Return all results, or those for some focus nodes."""
        return [
            one
            for by_focus in self.found.values()
            for focus, results in by_focus.items()
            if chosen is None or focus in chosen
            for one in results
        ]

    def data(self, *indexes: Index) -> LiveGraph:
        """Return the statements, which are those of the indexes."""
        if self._live is None:
            self._live = LiveGraph(*indexes)
            self._live.prepare(self._of.walked())
        return self._live

    def change(self, indexes: Sequence[Index], changed: Sequence[Statement]) -> set[Node]:
        """Evaluate anew what changed statements reach; return the focus nodes of the results that went and came.

        The indexes are those of the present state.
        """
        data = self.data(*indexes)
        data.change(indexes, changed)
        if not changed:
            return set()
        reached, every = self._of.affected(changed, data)
        run = Validation(self.shapes, data)
        tables: dict[tuple[Node, ...], Table] = {}
        touched: set[Node] = set()
        for shape in self.shapes.targeted:
            known = self.found[shape.node]
            if shape.node in every:
                gone = list(known.values())
                known.clear()
                found = run.of_targets(shape)
            elif shape.node in reached:
                candidates = reached[shape.node]
                gone = [known.pop(node) for node in candidates if node in known]
                nodes = tuple(one for one in candidates if run.is_target(shape, one))
                if nodes not in tables:
                    tables[nodes] = Table(data, nodes)
                found = run.of_nodes(shape, tables[nodes])
            else:
                continue
            touched.update(one.focus for results in gone for one in results)
            for focus, result in found:
                known.setdefault(focus, []).append(result)
                self._note(shape.node, focus, (result,))
                touched.add(result.focus)
        return touched


_AGAIN = "call it again when nothing else changes the graph"


class Validator:
    """Validates a graph again and again, in the time that its changes need.

    `results` and `validate` give what the functions of these names give for the present state of the graph. After a
    change, only the focus nodes are evaluated that a changed statement can reach. This needs a graph that notes what
    changes: that of a benchmark, or one over a `SubjectIndexStore`. The statements of another graph are compared with
    those of before, which takes longer, and no more than that is validated. Shapes with rules are applied to the whole
    graph each time. An edit in another thread waits, or is refused with ReadError.

    If `shapes` is a graph, it is compiled again when it has changed; compiled shapes never change.
    """

    def __init__(
        self,
        shapes: Graph | Shapes,
        graph: Graph,
        *,
        components: Mapping[str, Component] | None = None,
        advanced: bool = False,
    ) -> None:
        self._graph = graph
        self._shapes = shapes
        self._options = components or {}, advanced
        self._compiled = shapes if isinstance(shapes, Shapes) else None
        self._stated: frozenset[Statement] | None = None
        self._following: Following | None = None
        self._epoch = 0
        self._own: tuple[frozenset[Statement], Index] | None = None
        self._lock = threading.RLock()

    def results(self, *, focus_nodes: Iterable[str] | None = None) -> list[Result]:
        """Return the results for the present state of the graph, or for some of its nodes.

        Raises ShapesError as `shacl.validate`, and ReadError for a graph that changes meanwhile or cannot be read.
        """
        chosen = None if focus_nodes is None else set(map(URIRef, focus_nodes))
        store = self._graph.store
        with store.lock if isinstance(store, SubjectIndexStore) else nullcontext(), self._lock:
            try:
                return self._results(chosen or None)
            except BaseException:
                self._following = None  # it may be half done
                raise

    def validate(
        self, *, allow_infos: bool = False, allow_warnings: bool = False, focus_nodes: Iterable[str] | None = None
    ) -> tuple[bool, Graph, str]:
        """Return the verdict, the report as RDF and the report as text; otherwise as `results`."""
        with self._lock:
            found = self.results(focus_nodes=focus_nodes)
            shapes, index = self._current_shapes().index, self._index()
            is_conforming = conforms(found, allow_infos=allow_infos, allow_warnings=allow_warnings)
            report = report_graph(found, is_conforming=is_conforming, sources=(shapes, index))
            return is_conforming, report, report_text(found, is_conforming=is_conforming, shapes=shapes)

    def _results(self, chosen: set[URIRef] | None) -> list[Result]:
        shapes = self._current_shapes()
        changed = self._changed()
        if shapes.rules or shapes.is_for_pyshacl:
            return whole_results(DataGraph(self._index()), shapes, focus_nodes=chosen, prefixes=self._prefixes())
        following = self._following
        if following is None or changed is None or following.shapes is not shapes:
            following = self._following = Following(shapes, DataGraph(self._index()))
        elif changed:
            following.change((self._index(),), changed)
        return following.results(chosen)

    def _prefixes(self) -> dict[str, str]:
        return {prefix: str(namespace) for prefix, namespace in self._graph.namespaces()}

    def _current_shapes(self) -> Shapes:
        if not isinstance(self._shapes, Graph):
            return self._shapes
        triples = [*_read(self._shapes)]
        stated = frozenset(triples)
        if self._compiled is None or stated != self._stated:
            components, advanced = self._options
            index: Index = {}
            for triple in triples:
                put(index, *triple)
            self._compiled, self._stated = compile_statements(index, components, advanced=advanced), stated
        return self._compiled

    def _is_noted(self) -> bool:
        store = self._graph.store
        return isinstance(store, SubjectIndexStore) and len(store) == len(self._graph)

    def _changed(self) -> list[Statement] | None:
        """Return the statements that came or went since the last time, None if anything may have changed."""
        store = self._graph.store
        if isinstance(store, SubjectIndexStore) and self._is_noted():
            was_own, self._own = self._own, None
            difference = None if was_own is not None or not self._epoch else store.difference(self._epoch)
            self._epoch = store.follow()
            return None if difference is None else [*difference.removed, *difference.added]
        self._epoch = 0
        stated = frozenset(_read(self._graph))
        before = self._own
        if before is None:
            index: Index = {}
            for triple in stated:
                put(index, *triple)
            self._own = stated, index
            return None
        known, index = before
        for subject, predicate, term in known - stated:
            drop(index, subject, predicate, {term})
        for triple in stated - known:
            put(index, *triple)
        self._own = stated, index
        return list(known ^ stated)

    def _index(self) -> Index:
        return index_of(self._graph) if self._own is None else self._own[1]


def _read(graph: Graph) -> Iterator[Statement]:
    """Yield the statements of a graph, those of all graphs of a dataset."""
    try:
        if isinstance(graph, ConjunctiveGraph):
            yield from ((subject, predicate, term) for subject, predicate, term, *_ in graph.quads())
        else:
            yield from graph
    except CheckpointLdError:
        raise
    except Exception as error:  # stores of others raise any exception when they are closed or change meanwhile
        raise ReadError(f"the statements of the graph cannot be read ({error}): open it, and {_AGAIN}") from error
