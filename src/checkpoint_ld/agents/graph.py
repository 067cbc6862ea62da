"""The graph of an agent checkpoint, named by its root: the statements of a tree, derived statements, and reading back.

The statements in PROV-O (W3C PROV-O §3) are a separate layer, inferred from the others.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from rdflib import BNode, Graph, Literal, URIRef

from checkpoint_ld.agents import schema
from checkpoint_ld.agents.schema import CAF_EXTENSION, ID, PROV, caf, derived, prov, value_of
from checkpoint_ld.agents.values import LATEST_MS, Tree, bytes_of, sha256_of
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.errors import LookupFailedError, ReadError, WriteError
from checkpoint_ld.graph import contexts, emission, literals
from checkpoint_ld.graph.building import Walk
from checkpoint_ld.graph.columns import TOGETHER, ColumnOwner, Objects, alike, stem_of
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.layouts import POSITION, Reads, Step
from checkpoint_ld.graph.literals import DATETIME, RDF_JSON, XSD_STRING, literal_of, typed
from checkpoint_ld.graph.plans import PlainTerm
from checkpoint_ld.graph.residue import NODE, RESIDUE, Ref, decoded, encoded
from checkpoint_ld.graph.store import StatementGraph, put, terms_of
from checkpoint_ld.host import uncollected
from checkpoint_ld.vocabulary import AGENT, CAF, CAF_DERIVED, KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.agents.schema import AgentPlan
    from checkpoint_ld.graph.columns import Column
    from checkpoint_ld.graph.contexts import Term
    from checkpoint_ld.graph.members import Held
    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.store import Index

_ABOUT = URIRef(SCHEMA + "about")
_BESIDE = frozenset((_ABOUT, RDF_TYPE, POSITION, RESIDUE))
"""Held of checkpoints that no key of a document has, but those in the namespaces of derived statements."""
_DERIVED, _OWN = (CAF_DERIVED, PROV), (CAF, CAF_EXTENSION)
_SHARED = (*_DERIVED, SCHEMA, KARENINA, RDF)
"""Namespaces of the predicates of other nodes in a checkpoint's graph, and in a benchmark beside it."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATETIME = URIRef(DATETIME)


def moment(milliseconds: int) -> Literal:
    """Return a moment in milliseconds since 1970 as a literal such as `2025-02-05T21:20:00.000Z`."""
    text = (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
    return typed(text.replace("+00:00", "Z"), _DATETIME)


class _Provenance:
    """Adds the derived statements about one checkpoint to its index."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def add_all(self, root: Node, sha256: str | None) -> None:
        node, add = self.node, self.add
        execution, agent = node(root, prov("wasGeneratedBy")), node(root, prov("wasAttributedTo"))
        snapshot = node(root, caf("snapshot"))
        tool_state = node(snapshot, caf("toolState"))
        about = [self.value(node(root, caf("about")), caf(name)) for name in ("question", "benchmark")]
        # The names that these have in the benchmark's graph.
        subjects = [URIRef(literals.iri_of(one)) if isinstance(one, str) and one else None for one in about]
        add(root, RDF_TYPE, prov("Entity"))
        self.add_moment(root, "generatedAtTime", "timestampMs")
        add(root, prov("wasDerivedFrom"), node(node(root, caf("parent")), caf("parentCheckpoint")))
        add(root, derived("sha256"), None if sha256 is None else Literal(sha256))
        add(root, _ABOUT, subjects[0])
        add(execution, RDF_TYPE, caf("Execution"), prov("Activity"))
        add(execution, prov("wasAssociatedWith"), agent)
        add(execution, prov("used"), *subjects)
        add(agent, RDF_TYPE, caf("Agent"), prov("SoftwareAgent"))
        for thought in self.nodes(snapshot, caf("thought")):
            add(root, derived("hasThought"), thought)
            add(thought, RDF_TYPE, prov("Entity"))
            self.add_moment(thought, "generatedAtTime", "createdAtMs")
            add(thought, prov("wasGeneratedBy"), execution)
            add(thought, prov("wasDerivedFrom"), node(thought, caf("parentThought")))
        results = self.value(tool_state, caf("results"))
        for call in self.nodes(tool_state, caf("toolCall")):
            add(root, derived("hasToolCall"), call)
            add(call, RDF_TYPE, prov("Activity"))
            self.add_moment(call, "startedAtTime", "startedAtMs")
            self.add_moment(call, "endedAtTime", "completedAtMs")
            add(call, prov("wasAssociatedWith"), agent)
            identified = schema.identifier(str(call))
            if identified is not None and isinstance(results, dict) and identified[1] in results:
                add(call, derived("result"), literal_of(results[identified[1]], "@json"))

    def add(self, subject: Node | None, predicate: URIRef, *terms: Node | None) -> None:
        for term in terms:
            if subject is not None and term is not None:
                put(self.index, subject, predicate, term)

    def add_moment(self, subject: Node, predicate: str, source: str) -> None:
        at = self.value(subject, caf(source))
        if isinstance(at, int) and not isinstance(at, bool) and 0 <= at <= LATEST_MS:
            put(self.index, subject, prov(predicate), moment(at))

    def nodes(self, subject: Node | None, predicate: URIRef) -> list[Node]:
        held = None if subject is None else self.index.get(subject, {}).get(predicate)
        return [term for term in terms_of(held) if not isinstance(term, Literal)]

    def node(self, subject: Node | None, predicate: URIRef) -> Node | None:
        return next(iter(self.nodes(subject, predicate)), None)

    def value(self, subject: Node | None, predicate: URIRef) -> Any:
        held = None if subject is None else self.index.get(subject, {}).get(predicate)
        return next((value_of(term) for term in terms_of(held) if isinstance(term, Literal)), None)


class AgentGraph(StatementGraph):
    """The statements of one agent checkpoint, which may be read and changed as any rdflib graph."""

    family = AGENT
    PREFIXES: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"caf": CAF, "cafd": CAF_DERIVED, "prov": PROV, "schema": SCHEMA, "karenina": KARENINA, "xsd": XSD}
    )

    @classmethod
    def of_tree(cls, tree: Tree, *, prov: bool = False, sha256: str | None = None) -> Self:
        """Build the graph of a tree in the canonical shape, with `prov` also the derived statements.

        `sha256` is the hash of the text, where it is known already. A tree that breaks rules has a graph as well.
        Raises ReadError for a tree that is nested too deeply, and WriteError for what is no JSON, such as NaN.
        """
        with uncollected():
            index, objects, _ = built(tree)
            root = objects[0].nodes[0]
            if prov:
                try:
                    sha256 = sha256 or sha256_of(tree)
                except WriteError:
                    sha256 = None  # it has no text
                _Provenance(index).add_all(root, sha256)
            return cls(index, root)

    @classmethod
    def of_index(cls, index: Index) -> Self:
        """Return the graph of statements. Raises ReadError unless they contain exactly one checkpoint."""
        return cls(index, root_of(index))

    @classmethod
    def of_graph(cls, graph: Graph) -> Self:
        """Return a graph of the statements of any rdflib graph. Raises ReadError as `of_index` does."""
        if isinstance(graph, cls):
            return graph.copy()
        return cls.of_index(emission.held(graph))

    def tree(self) -> Tree:
        """Return the tree in the canonical shape; derived statements and unknown ones are not in it."""
        return _AgentReader(self.held).object(self.root)

    def unread(self) -> Iterator[tuple[str, str]]:
        """Yield the subject and the predicate of the statements that are neither in the tree nor derived."""
        waiting: list[tuple[Node, AgentPlan]] = [(self.root, schema.compiled().root)]
        seen: set[Node] = set()
        while waiting:
            node, plan = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            held = self.held.get(node, {})
            for key, below in plan.below.items():
                waiting += [(one, below) for one in terms_of(held.get(plan.keys[key].predicate))]
            seen |= self._outside(node)
            without_place = (str(one) for one in held if one not in _BESIDE and plan.key_of(str(one)) is None)
            yield from ((str(node), one) for one in without_place if not one.startswith(_DERIVED))
        for node in self.held.keys() - seen:
            for one in map(str, self.held[node]):
                if one.startswith(_OWN) or not one.startswith(_SHARED):
                    yield str(node), one

    def changed(self) -> Iterator[tuple[str, str]]:
        """Yield the subject and the predicate of literals whose language, datatype or spelling the tree lacks."""
        for subject, predicate, term in self:
            is_own = str(predicate).startswith((*_OWN, SCHEMA, RDF)) or predicate == prov("value")
            if is_own and isinstance(term, Literal) and term.datatype != RDF_JSON:
                value = value_of(term)
                if literal_of(value) != (literal_of(str(term)) if term.datatype == XSD_STRING else term):
                    yield str(subject), str(predicate)

    def _outside(self, node: Node) -> set[Node]:
        """Return the nodes that the unknown members of a node hold, with those below them."""
        held = self.held.get(node, {})
        waiting = [
            one for predicate in held if schema.extension_key(str(predicate)) for one in terms_of(held[predicate])
        ]
        found: set[Node] = set()
        while waiting:
            one = waiting.pop()
            if one in self.held and one not in found:
                found.add(one)
                waiting += [below for terms in self.held[one].values() for below in terms_of(terms)]
        return found

    def read(self, subject: Node) -> Tree:
        """Return the JSON object of a node with all nested objects, as in the canonical document.

        Raises LookupFailedError for a node that is no object of a checkpoint.
        """
        around, key = _holder(self._plan(subject))
        return _AgentReader(self.held).object(subject, None if around is None else around.keys[key].term)

    def write(self, subject: Node, members: Tree) -> None:
        """Replace the statements of a node, and of the nodes below it, by those of an object, as `read` gives it.

        Foreign statements about the node stay; the nodes below it are made anew. Raises LookupFailedError as `read`,
        and WriteError for an object with another id, since other objects may refer to the node.
        """
        plan = self._plan(subject)
        around, key = _holder(plan)
        walk = AgentWalk()
        identifier = members.get(ID)
        if literals.is_minted(str(subject)) and plan.kind is not None and isinstance(identifier, str):
            walk.named.add(walk.ids[plan.kind][identifier])  # an earlier object has the name
        with limited_depth(), uncollected():
            place = ColumnOwner() if around is None else ColumnOwner(around.keys[key].term, around)
            walk.objects(Objects([members], [str(subject)]), place)
            walk.complete()
        if subject not in walk.index:
            raise WriteError(f"{subject} cannot get the id {identifier!r}: write the object that holds it")
        held = self.index[subject]
        stated = walk.index[subject]
        kept = {one: terms for one, terms in held.items() if one != RESIDUE and plan.key_of(str(one)) is None}
        store = self._store
        with store.lock:
            for one in walk.index:
                store.record(one)
            self._cut(subject, plan)
            self.index.update(walk.index)
            stated.pop(POSITION, None)
            self.index[subject] = {**stated, **kept}
            store.revise()

    def _plan(self, subject: Node) -> AgentPlan:
        kinds = map(str, terms_of(self.held.get(subject, {}).get(RDF_TYPE)))
        plan = next((schema.plans()[kind] for kind in kinds if kind in schema.plans()), None)
        if plan is None:
            raise LookupFailedError(f"{subject} is no object of the checkpoint {self.root}: give the node of one")
        return plan

    def _cut(self, subject: Node, plan: AgentPlan) -> None:
        """Remove the statements about a node and about the objects below it."""
        self._store.record(subject)
        held = self.index.pop(subject, {})
        for key, below in plan.below.items():
            for node in terms_of(held.get(plan.keys[key].predicate)):
                self._cut(node, below)


def _holder(plan: AgentPlan) -> tuple[AgentPlan | None, str]:
    """Return the plan of the objects that hold those of `plan`, and the key of the latter; None at the root."""
    above = ((owner, key) for owner in schema.plans().values() for key, below in owner.below.items() if below is plan)
    return next(above, (None, ""))


class Batch(NamedTuple):
    """Objects at one place of the schema: their plan, their nodes, and the JSON Pointers of their places."""

    plan: AgentPlan
    sources: Sequence[Tree]
    nodes: Sequence[URIRef]
    places: Sequence[str]


def built(tree: Tree) -> tuple[Index, list[Batch], dict[URIRef, list[str]]]:
    """Return the statements of a tree in the canonical shape, and its objects in the order of the tree, root first.

    The third value has the places of objects that repeat the id of an earlier one, by the node of that one.

    Raises ReadError for a tree that is nested too deeply, and WriteError for what is no JSON, such as NaN.
    """
    with limited_depth(), uncollected():
        walk = AgentWalk()
        try:
            name = "" if isinstance(tree.get(ID), str) else literals.root_of(tree)
            walk.objects(Objects([tree], [name]), ColumnOwner())
            walk.complete()
        except ReadError:
            raise
        except (TypeError, ValueError) as error:
            bytes_of(tree)  # raises the WriteError that names the value
            raise WriteError(f"the checkpoint is no JSON: {error}") from error
        return walk.index, walk.objects_by_place, walk.again


class AgentWalk(Walk):
    """One walk through the tree of an agent checkpoint, which covers every tree.

    Objects are named by their ids; all values but objects, references and JSON parts are literals.
    """

    type_key = None

    def __init__(self) -> None:
        super().__init__(None, plans=schema.compiled())
        self.objects_by_place: list[Batch] = []
        self.ids = {kind: _Ids(kind) for kind in schema.KINDS}
        self.named: set[URIRef] = set()
        self.again: dict[URIRef, list[str]] = {}
        self.left: dict[Node, Tree] = {}
        """The residue that the statements do not hold, by node."""

    def objects(self, found: Objects, place: ColumnOwner) -> list[Node]:
        """Add the statements of objects and of all below them; return their nodes."""
        sources, by_place, positions = found
        if len(sources) > TOGETHER:
            parts = [found.part(at, at + TOGETHER) for at in range(0, len(sources), TOGETHER)]
            return [node for part in parts for node in self.objects(part, place)]
        plan = schema.compiled().at(None, place.via, place.around)
        nodes = [*map(self._named, sources, by_place, repeat(plan.kind))]
        places = [name.partition("#")[2] for name in by_place]
        self.objects_by_place.append(Batch(plan, sources, nodes, places))
        beside: list[tuple[int, URIRef, Node]] = []
        for at, position in enumerate(positions or ()):
            beside.append((at, POSITION, self.scalars[int, position]))
            identifier = sources[at].get(ID)
            if plan.kind is not None and isinstance(identifier, str) and str(nodes[at]) == by_place[at]:
                self.again.setdefault(self.ids[plan.kind][identifier], []).append(places[at])
        groups = alike(sources, None) or ()
        self.add_members([*nodes], Objects(sources, nodes), groups, place, beside)
        return [*nodes]

    def _named(self, source: Tree, by_place: str, kind: schema.Kind | None) -> URIRef:
        """Return the node of an object, named by its id, or by its place where it has none or another one has it."""
        if kind is None:
            return _uri(by_place)
        identifier = source.get(ID)
        if isinstance(identifier, str):
            node = self.ids[kind][identifier]
            if node not in self.named:
                self.named.add(node)
                return node
        node = _uri(by_place)
        if ID in source:
            self.left[node] = {ID: encoded(identifier, {})}
        return node

    def column(
        self, column: Column, names: Sequence[str], depth: int
    ) -> tuple[Sequence[Node | list[Node] | None], Collection[int]]:
        """Return the terms of a member, and the rows where they differ from the document; as `Columns.column`."""
        known = column.known
        if not known.holds:
            if known.reading is PlainTerm.REFERENCE and not known.is_set and {*map(type, column.values)} == {str}:
                ids = self.ids[schema.kind_of(known)]
                return [ids[text] for text in column.values], ()
            return super().column(column, names, depth)
        terms = [
            self._holder(one, column, names[row], depth) for one, row in zip(column.values, column.rows, strict=True)
        ]
        unlike_document = list if list in known.holds else type(None)
        return terms, [at for at, one in enumerate(column.values) if one is None or isinstance(one, unlike_document)]

    def _holder(self, value: Any, column: Column, name: str, depth: int) -> Node | list[Node] | None:
        """Return the terms of a member that may hold objects beside other values."""
        known = column.known
        place = ColumnOwner(known.term, column.plan, depth)
        if dict in known.holds and isinstance(value, dict):
            return self.objects(Objects([value], [stem_of(name, known)]), place)[0]
        if dict in known.holds or not isinstance(value, list):
            return self.member(value, known)[0]
        at = [at for at, one in enumerate(value) if isinstance(one, dict)]
        by_place = [f"{stem_of(name, known)}/{index}" for index in at]
        objects = Objects([value[index] for index in at], by_place, at)
        nodes = dict(zip(at, self.objects(objects, place) if at else (), strict=True))
        self.left.setdefault(_uri(name), {})[known.key] = [
            {NODE: str(nodes[at])} if at in nodes else encoded(one, {}) for at, one in enumerate(value)
        ]
        terms = [nodes[at] if at in nodes else self.member(one, known)[0] for at, one in enumerate(value)]
        return _held(term for one in terms for term in terms_of(one))

    def member(self, value: Any, known: KeyPlan) -> tuple[Node | list[Node] | None, bool]:
        """Return the terms of a value without nodes, and whether they differ from the document."""
        if known.reading is PlainTerm.JSON:
            return literal_of(value, "@json"), False
        if value is None:
            return None, True
        if known.reading is PlainTerm.REFERENCE:
            if isinstance(value, str) and not known.is_set:
                return self._reference(value, known), False
            if known.is_set and is_texts(value):
                distinct = sorted({*value})
                terms = [self._reference(item, known) for item in dict.fromkeys(value)]
                return _held(terms), not value or value != distinct
        if isinstance(value, (dict, list)):
            return literal_of(value, "@json"), False
        return self.scalars[type(value), value], False

    def _reference(self, identifier: str, known: KeyPlan) -> URIRef:
        return self.ids[schema.kind_of(known)][identifier]

    def complete(self) -> None:
        """Add the residue of the values for which the statements differ from the document."""
        for subject, source, keys in self.inexact:
            left = self.left.setdefault(subject, {})
            for known in keys:
                left.setdefault(known.key, encoded(source[known.key], {}))
        for subject, left in self.left.items():
            self.index[subject][RESIDUE] = literal_of(dict(sorted(left.items())), "@json")
        for batch in self.objects_by_place:
            for node in batch.nodes:
                self.index[node] = self.index.pop(node)  # as they stand in the document
        for node, places in self.again.items():
            for place in places:
                put(self.index, node, POSITION, literal_of(int(place.rpartition("/")[2])))


class _Ids(dict[str, URIRef]):
    """The nodes for ids of one kind, each made at its first use."""

    def __init__(self, kind: schema.Kind) -> None:
        super().__init__()
        self._kind: schema.Kind = kind

    def __missing__(self, identifier: str) -> URIRef:
        node = self[identifier] = _uri(schema.iri(self._kind, identifier))
        return node


def is_texts(value: Any) -> bool:
    """Return whether a value is an array of texts only."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _uri(name: str) -> URIRef:
    # The name is an IRI; the check of URIRef would take longer than all else about a name.
    return str.__new__(URIRef, name)


def _held(found: Iterable[Node | None]) -> Node | list[Node] | None:
    every = [*dict.fromkeys(kind for kind in found if kind is not None)]
    return every if len(every) > 1 else every[0] if every else None


_MOMENTS = (schema.caf("createdAtMs"), schema.caf("startedAtMs"))


def root_of(index: Index) -> Node:
    """Return the one node that is a checkpoint: by its class, or, where no node has one, by its snapshot.

    Raises ReadError where there is none, or more than one.
    """
    plan = schema.compiled().root
    snapshot = plan.keys["snapshot"].predicate
    typed = [subject for subject, held_by in index.items() if plan.type in terms_of(held_by.get(RDF_TYPE))]
    found = typed or [subject for subject, held_by in index.items() if snapshot in held_by]
    if len(found) != 1:
        several = ", ".join(sorted(map(str, found))[:3])
        what = f"{len(found)} agent checkpoints: {several}" if found else "no agent checkpoint"
        raise ReadError(f"the statements hold {what}; give those of exactly one caf:Checkpoint")
    return found[0]


class _AgentReads(Reads):
    """How nodes with the keys of `plan` are read; other predicates are skipped."""

    def __init__(self, via: Term | None, plan: AgentPlan) -> None:
        super().__init__(via, None, contexts.karenina())
        self.plan = plan

    def learnt(self, predicate: Node) -> Step | None:
        known = self.plan.key_of(str(predicate))
        if known is None:
            return None
        return Step(known.key, predicate, self.rank(known.key), term=known.term, is_set=known.is_set, known=known)

    @cached_property
    def heads(self) -> tuple[Step, ...]:
        return () if self.plan.kind is None else (Step(ID, None, self.rank(ID), self.plan.kind),)

    def rank(self, key: str) -> tuple[int, str]:
        order = self.plan.order
        return (order.index(key), "") if key in order else (len(order), key)


@cache
def _reads() -> dict[int, _AgentReads]:
    """Return how the values of each member are read, by the identity of its term; that of the root by None."""
    found = {}
    waiting: list[tuple[Term | None, AgentPlan]] = [(None, schema.compiled().root)]
    while waiting:
        via, plan = waiting.pop()
        found[id(via)] = _AgentReads(via, plan)
        waiting += [(plan.keys[key].term, below) for key, below in plan.below.items()]
    return found


def _known(step: Step) -> KeyPlan:
    return cast("KeyPlan", step.known)


class _AgentReader(Compaction):
    """Reads objects from an index; derived and foreign statements are skipped."""

    def __init__(self, index: Index) -> None:
        super().__init__(index, contexts.karenina())
        self.walk = AgentWalk()

    def reads_of(self, kinds: Any, via: Term | None) -> Reads:  # noqa: ARG002 - objects have no types
        return _reads()[id(via)]

    def residue_in(self, held: Held) -> None:
        """Leave the residue to `renamed`, since it has another form."""

    def name(self, subject: Node, step: Step) -> str | None:
        is_own = type(subject) is URIRef and not literals.is_minted(subject)
        return _id_of(subject, cast("schema.Kind", step.coercion)) if is_own else None

    def literal(self, term: Literal, step: Step) -> Any:  # noqa: ARG002 - as there
        return value_of(term)

    def member_value(self, held: list[Node], step: Step, values: Callable[[Iterable[Node]], list[Any]]) -> Any:
        known = _known(step)
        if len(held) == 1 and (not known.is_set or isinstance(held[0], Literal)):
            return values(held)[0]
        if known.is_set and known.holds:
            return values(sorted(held, key=self.place))
        found = values(sorted(held, key=str))
        return sorted(found, key=str) if known.is_set else found

    def other_value(self, term: Node, step: Step) -> Any:
        known = _known(step)
        return self.inside(term, step.term) if known.holds else self.one(term, known)

    def inside(self, node: Node, via: Term | None) -> Tree:
        """Return the object of a node wherever it stands, since the schema has an end."""
        return self.object_below(node, via)

    def one(self, term: Node, known: KeyPlan) -> Any:
        """Return the JSON value of a term that is no object."""
        if isinstance(term, Literal):
            return value_of(term)
        if known.reading is PlainTerm.REFERENCE:
            return _id_of(term, schema.kind_of(known))
        return self.outside(term) if known.term is None else str(term)

    def outside(self, term: Node, above: tuple[Node, ...] = ()) -> Any:
        """Return the JSON value of a term that an unknown member holds, with all nodes below it."""
        if isinstance(term, Literal):
            return value_of(term)
        members: Tree = {} if type(term) is BNode else {"@id": str(term)}
        for predicate, held in self.index.get(term, {}).items() if term not in above else ():
            key = "@type" if predicate == RDF_TYPE else schema.extension_key(str(predicate)) or str(predicate)
            values = [self.outside(one, (*above, term)) for one in terms_of(held)]
            values = [one["@id"] for one in values if "@id" in one] if key == "@type" else values
            members[key] = values[0] if len(values) == 1 else values
        return members

    def place(self, term: Node) -> tuple[float, float, str]:
        """Return the sort key of an element of an array: position, moment, name; literals come last."""
        if isinstance(term, Literal):
            return math.inf, math.inf, str(term)
        held_by = self.index.get(term, {})

        def least(*predicates: Node) -> float:
            terms = (one for name in predicates for one in terms_of(held_by.get(name)) if isinstance(one, Literal))
            return min((one for one in map(value_of, terms) if isinstance(one, (int, float))), default=math.inf)

        return least(POSITION), least(*_MOMENTS), str(term)

    def renamed(self, subject: Node, row: Tree, via: Term | None) -> Tree:
        """Apply the residue to the values of the statements, unless the statements were changed since."""
        held = self.index.get(subject, {})
        if RESIDUE not in held:
            return row
        reads = self.reads_of(None, via)
        plan, members = cast("_AgentReads", reads).plan, dict(row)
        for term in terms_of(held[RESIDUE]):
            residue = value_of(term) if isinstance(term, Literal) else None
            for name, value in residue.items() if isinstance(residue, dict) else ():
                if name == ID and plan.kind is not None:
                    members.setdefault(name, decoded(value))
                    continue
                key, meant = plan.key(name), decoded(value)
                is_array = list in key.holds and isinstance(meant, list)
                parts = meant if is_array else [meant]
                terms = [_uri(part.name) if isinstance(part, Ref) else self.walk.member(part, key)[0] for part in parts]
                if {one for held_one in terms for one in terms_of(held_one)} == {*terms_of(held.get(key.predicate))}:
                    nodes = [_uri(part.name) for part in parts if isinstance(part, Ref)]
                    below = iter([self.inside(one, key.term) if key.holds else self.one(one, key) for one in nodes])
                    filled = [next(below) if isinstance(part, Ref) else part for part in parts]
                    members[name] = filled if is_array else filled[0]
        return dict(sorted(members.items(), key=lambda item: reads.rank(item[0])))


def _id_of(subject: Node, kind: schema.Kind) -> str:
    """Return the id in the IRI of a node; an IRI of another kind is an id by itself."""
    found = schema.identifier(str(subject))
    return found[1] if found is not None and found[0] == kind else str(subject)
