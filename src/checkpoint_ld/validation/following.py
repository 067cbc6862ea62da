"""The verdict on a benchmark that follows its edits: unchanged questions keep their results and their findings.

It is the verdict on the statements of the benchmark, read anew. That reading is not repeated: each part that changes is
read and built again, and if that gives the statements that are there, so does the whole. Otherwise everything is read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld import dialects
from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.annotation import Pointers
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import is_minted, part_of
from checkpoint_ld.graph.members import is_position
from checkpoint_ld.graph.store import copied, terms_of
from checkpoint_ld.host import uncollected
from checkpoint_ld.shacl.data import DataGraph
from checkpoint_ld.shacl.following import Following
from checkpoint_ld.shacl.shape import report_graph
from checkpoint_ld.validation import validator
from checkpoint_ld.validation.inference.benchmark import ELEMENT
from checkpoint_ld.validation.inference.following import FollowedInference, Unfollowed
from checkpoint_ld.validation.results import Checked, Map, compiled, located, without_secrets
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld import shacl
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph.store import Difference, Held, Index
    from checkpoint_ld.validation.profiles import Profile

_ELEMENT, _ITEM = named(ELEMENT), named(SCHEMA + "item")
_PLACES = frozenset((POSITION,))
_DATE = named(SCHEMA + "dateModified")
_LONGEST_PAUSE = 15
"""The most verdicts after which it is tried again to follow a graph that cannot be followed."""


def paired(held: Index, node: Node, other: Index, twin: Node, left_out: frozenset[Node]) -> dict[Node, Node]:
    """Return the nodes below `node` with those below `twin`, whose statements are the same but for names and positions.

    `left_out` are predicates of `node` that do not count. Raises Unfollowed if there is any other difference.
    """
    pairs: dict[Node, Node] = {}
    left = [(node, twin)]
    while left:
        one, two = left.pop()
        if pairs.setdefault(one, two) != two:
            raise Unfollowed
        first, second = held[one], other.get(two, {})
        skipped = left_out | _PLACES if one == node else _PLACES
        if first.keys() - skipped != second.keys() - skipped or _is_placed(first) != _is_placed(second):
            raise Unfollowed
        for predicate in first.keys() - skipped:
            for term, like in _in_order(held, first[predicate], other, second[predicate]):
                if term not in held:
                    if term != like:
                        raise Unfollowed
                elif term not in pairs:
                    left.append((term, like))
                elif pairs[term] != like:
                    raise Unfollowed
    return pairs


def _is_placed(held: Held) -> bool:
    """Return whether a node has a position. Raises Unfollowed for one that is none."""
    if POSITION in held and not is_position(held[POSITION]):
        raise Unfollowed
    return POSITION in held


def _in_order(
    held: Index, terms: Node | list[Node], other: Index, others: Node | list[Node]
) -> Iterator[tuple[Node, Node]]:
    """Return the values of a member in two graphs by their places. Raises Unfollowed if one graph has more."""
    table = contexts.karenina()
    first, second = (
        Compaction(index, table).in_order(terms_of(value)) for index, value in ((held, terms), (other, others))
    )
    if len(first) != len(second):
        raise Unfollowed
    return zip(first, second, strict=True)


class _PartPlaces:
    """The places of the nodes of one part, in a tree that has this part alone.

    `names` are those of nodes that have another name when they are read anew.
    """

    def __init__(self, tree: dict[str, Any], part: Node, root: Node, names: Mapping[Node, str], held: Index) -> None:
        self._names = names
        self._prefix = str(part) if part != root and is_minted(str(part)) else None
        if self._prefix is not None:  # its name has its place among all items, not the one in this tree
            [item] = tree["dataFeedElement"]
            tree = {**tree, "dataFeedElement": [{key: value for key, value in item.items() if key != "@id"}]}
            self._first = part_of(str(root), "dataFeedElement", 0)
        self._pointers = Pointers(tree, held)

    def get(self, iri: str) -> str | None:
        """Return the place of the object that `iri` names, None if it names none."""
        name = self._names.get(URIRef(iri), iri)
        if self._prefix is not None and name.startswith(self._prefix):
            name = self._first + name[len(self._prefix) :]
        return self._pointers.get(name)


def _feed(graph: CheckpointGraph) -> dict[str, Any]:
    return {"@type": "DataFeed", "@id": str(graph.root)}


class FollowedVerdict:
    """The verdict on a benchmark by the rules of a profile, for its present state."""

    def __init__(self, graph: CheckpointGraph, profile: Profile, built: int | None) -> None:
        self.graph = graph
        self.profile = profile
        self._built = built
        self._epoch = 0
        self._inference: FollowedInference | None = None
        self._rest = self._pause = 0
        self.changed: Collection[Node] | None = None
        """The parts of the benchmark that changed between the last two verdicts, None for any."""
        self.violations: tuple[str, ...] | None = None
        """The violations of the last verdict as texts, None if they have to be looked up in its findings."""

    @property
    def is_followed(self) -> bool:
        """Whether the next verdict costs what changed."""
        return self._inference is not None

    def checked(self) -> Checked:
        """Return the findings and the report. Raises ReadError if the graph can no longer be read as a benchmark."""
        with self.graph.lock, uncollected():
            difference = self.graph.difference(self._epoch) if self._inference is not None else None
            self._epoch = self.graph.follow()
            inference, self._inference = self._inference, None  # until all is done
            self.changed = self.violations = None
            try:
                if self._rest:  # the last attempts failed, so the next one waits longer
                    self._rest -= 1
                    return self._whole()
                if inference is None or difference is None:
                    inference = self._begin()
                else:
                    self.changed = self._follow(inference, difference) if difference.subjects else ()
                self._inference, self._pause = inference, 0
                return self._result()
            except (Unfollowed, ReadError):  # a part alone may be no benchmark
                self._rest, self._pause = self._pause, min(2 * self._pause + 1, _LONGEST_PAUSE)
                return self._whole()

    def _whole(self) -> Checked:
        return validator.check_reading(reading.of_statements(copied(self.graph.held)), self.profile)

    def _begin(self) -> FollowedInference:
        graph, built, shapes = self.graph, self._built, compiled(self.profile)
        changes = None if built is None else graph.difference(built)
        self._built = None
        if graph.own_context is not None or is_minted(str(graph.root)) or self.profile.dialect:
            raise Unfollowed
        inference = FollowedInference(graph)
        self._names: dict[Node, dict[Node, str]] = {}
        self._findings: dict[Node, list[Finding]] = {}
        self._sorted = _SortedFindings()
        self._reported: dict[Node, list[shacl.Result]] = {}
        changed = (
            inference.subjects.keys()
            if changes is None
            else {inference.part_of[one] for one in changes.subjects if one in inference.part_of}
        )
        self._prove(inference, {*changed, graph.root})
        data = DataGraph(graph.held, inference.inferred)
        self._following = Following(shapes, data)
        self._locate(inference, self._following.results(), data)
        return inference

    def _follow(self, inference: FollowedInference, difference: Difference) -> Collection[Node]:
        changes = inference.change(difference)
        self._prove(inference, changes.parts, is_dated=changes.is_dated)
        self._check_names(difference, inference)
        indexes = self.graph.held, inference.inferred
        statements = [*difference.removed, *difference.added, *changes.inferred]
        touched = self._following.change(indexes, statements)
        parts = (inference.subjects.get(part, ()) for part in changes.parts)
        renewed = touched.union(*parts)
        for focus in renewed:
            for one in self._findings.pop(focus, ()):
                self._sorted.remove(one)
            self._reported.pop(focus, None)
        found = self._following.about(renewed)
        self._locate(inference, found, self._following.data(*indexes))
        return changes.parts

    def _check_names(self, difference: Difference, inference: FollowedInference) -> None:
        """Raise Unfollowed if items that are named by their places may have others now."""
        root = self.graph.root
        is_shorter = any(subject == root and predicate == _ELEMENT for subject, predicate, _ in difference.removed)
        if is_shorter and any(is_minted(str(part)) for part in inference.subjects if part != root):
            raise Unfollowed

    def _prove(self, inference: FollowedInference, parts: Collection[Node], *, is_dated: bool = False) -> None:
        """Note the names of nodes in parts that are read anew. Raises Unfollowed if these are not what is there."""
        graph, root = self.graph, self.graph.root
        if is_dated:
            twin = CheckpointGraph.of_tree({**_feed(graph), "dateModified": graph.content(root, "dateModified")})
            if twin.held[root].get(_DATE) != graph.held[root].get(_DATE):
                raise Unfollowed
        for part in parts:
            self._names.pop(part, None)
        items = [part for part in parts if part in inference.subjects and part != root]
        if items:
            twin = CheckpointGraph.of_tree({**_feed(graph), "dataFeedElement": graph.read_all(items)})
            others = Compaction(twin.held, twin.table).in_order(terms_of(twin.held[root].get(_ELEMENT)))
            if len(others) != len(items) or not all(_ITEM in graph.held[item] for item in items):
                raise Unfollowed
            for item, other in zip(items, others, strict=True):
                self._pair(inference, item, twin, other)
        if root in parts:
            twin = CheckpointGraph.of_tree(graph.read(root, without=("dataFeedElement",)))
            self._pair(inference, root, twin, twin.root)
            self._reading = reading.of_statements(copied(twin.held))
            if self._reading.dialect != dialects.CANONICAL.name or self._reading.has_typed_texts:
                raise Unfollowed

    def _pair(self, inference: FollowedInference, part: Node, twin: CheckpointGraph, other: Node) -> None:
        is_head = part == self.graph.root
        pairs = paired(self.graph.held, part, twin.held, other, frozenset((_ELEMENT,)) if is_head else frozenset())
        if len(pairs) != len(inference.subjects[part]):
            raise Unfollowed
        is_placed = not is_head and is_minted(str(part))  # its own name has its place among all items
        names: dict[Node, str] = {}
        for one, two in pairs.items():
            name = str(part) + str(two)[len(str(other)) :] if is_placed else str(two)
            if name != str(one):
                if not is_minted(str(one)) or not is_minted(name):
                    raise Unfollowed
                names[one] = name
        if names:
            self._names[part] = names

    def _locate(self, inference: FollowedInference, found: list[shacl.Result], data: DataGraph) -> None:
        """Note the findings of results, by focus node."""
        by_part: dict[Node, list[shacl.Result]] = {}
        for one in found:
            part = inference.part_of.get(one.focus)
            if part is None:
                raise Unfollowed
            by_part.setdefault(part, []).append(one)
        shapes, fresh = self._following.shapes.index, []
        for part, results in by_part.items():
            tree = self._tree(part)
            names = self._names.get(part, {})
            read = replace(self._reading, tree=tree)
            nodes = Map(tree, _PartPlaces(tree, part, self.graph.root, names, self.graph.held))
            for _, finding in located(results, shapes, data, read, self.profile, nodes=nodes):
                focus = URIRef(finding.node or "")
                named_anew = replace(finding, node=names.get(focus, finding.node))
                self._findings.setdefault(focus, []).append(named_anew)
                fresh.append(named_anew)
            for result in without_secrets(results):
                self._reported.setdefault(result.focus, []).append(result)
        self._sorted.extend(fresh)

    def _tree(self, part: Node) -> dict[str, Any]:
        graph = self.graph
        if part == graph.root:
            return graph.read(part, without=("dataFeedElement",))
        return {**_feed(graph), "dataFeedElement": [graph.read(part)]}

    def _result(self) -> Checked:
        reported = [*self._reported.values()]
        of_form = [*validator.form_findings(self._reading, self.profile)]
        self._sorted.extend(of_form)
        findings, self.violations = tuple(self._sorted.findings), tuple(self._sorted.violations)
        for one in of_form:
            self._sorted.remove(one)
        results = chain.from_iterable(reported)
        report = report_graph(results, is_conforming=not reported, sources=(self._following.shapes.index,))
        return Checked(self._reading.source, findings, self._reading.dialect, None, report)


_FEW = 100
"""Up to so many findings are added one by one to those that are sorted already."""


class _SortedFindings:
    """Findings in the order of their places, and the violations among them as texts."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.violations: list[str] = []
        self._keys: list[Any] = []
        self._keys_of_violations: list[Any] = []

    def extend(self, findings: Sequence[Finding]) -> None:
        """Add findings."""
        if len(findings) <= _FEW:
            for one in findings:
                self._add(one)
            return
        self.findings = sorted((*self.findings, *findings), key=validator.by_place)
        self._keys = [*map(validator.by_place, self.findings)]
        violations = [one for one in self.findings if one.severity is Severity.VIOLATION]
        self.violations = [*map(str, violations)]
        self._keys_of_violations = [*map(validator.by_place, violations)]

    def _add(self, finding: Finding) -> None:
        key = validator.by_place(finding)
        at = bisect_right(self._keys, key)
        self._keys.insert(at, key)
        self.findings.insert(at, finding)
        if finding.severity is Severity.VIOLATION:
            at = bisect_right(self._keys_of_violations, key)
            self._keys_of_violations.insert(at, key)
            self.violations.insert(at, str(finding))

    def remove(self, finding: Finding) -> None:
        """Remove a finding, which has to be there."""
        key = validator.by_place(finding)
        at = self.findings.index(finding, bisect_left(self._keys, key))
        del self._keys[at], self.findings[at]
        if finding.severity is Severity.VIOLATION:
            at = self.violations.index(str(finding), bisect_left(self._keys_of_violations, key))
            del self._keys_of_violations[at], self.violations[at]
