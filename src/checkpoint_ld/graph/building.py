"""Canonical trees as statements: a walk over the tree under compiled contexts, which also names the nodes.

PyLD expands what the compiled contexts do not cover. Both give the same statements.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rdflib import BNode, URIRef

from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.graph import contexts, coverage, key_order, literals
from checkpoint_ld.graph.annotation import annotate, complete, name_of
from checkpoint_ld.graph.columns import TOGETHER, Alike, Column, ColumnOwner, Columns, Objects, alike, stems_of
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.contexts import IDENTIFIER, REST, expand, statements
from checkpoint_ld.graph.key_order import KEY_ORDER
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.plans import NotCoveredError, PlainTerm, compiled
from checkpoint_ld.graph.residue import Residue, difference, encoded, put_residue, residue_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.host import uncollected

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.annotation import Annotated
    from checkpoint_ld.graph.contexts import Term
    from checkpoint_ld.graph.plans import KeyPlan, Plans
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]

DEEPEST = 60
"""A tree with more levels goes to PyLD as a whole, where annotation sets apart what is too deep."""
_TEXTS = {str}
_CONTAINERS = frozenset((dict, list))
_AS_JSON = frozenset((PlainTerm.JSON, PlainTerm.PROPERTY))
_WITHOUT_STATEMENTS = frozenset(((), ("@id",)))


class Walk(Columns):
    """One walk through a tree; `inexact` lists the members that their statements do not restore, until `complete`.

    `taken` holds names that are in use elsewhere.
    """

    type_key: str | None = "@type"

    def __init__(
        self,
        own_context: object,
        taken: Container[object] = (),
        plans: Plans | None = None,
    ) -> None:
        super().__init__()
        self.plans = plans or compiled(own_context)
        self.index: Index = {}
        self.taken = taken
        self.source: Tree = {}
        self.mentioned: set[str] = set()
        self.owners: dict[str, int] = {}
        """The identity of the object that each name belongs to, for objects that have an `@id`."""
        self.rivals: dict[str, set[int]] = {}
        """The identities of the objects that share an `@id`."""
        self.stems: dict[str, str] = {}
        """Names by the prefix that the names of objects below them have."""
        self.seen: set[int] = set()
        self.batches: list[tuple[Sequence[Tree], Sequence[str]]] = []
        self.inexact: list[tuple[Node, Tree, list[KeyPlan]]] = []

    def root(self, tree: Tree, minted: str | None = None) -> str:
        """Add the statements of a canonical tree; return the name of its root, `minted` if it has no `@id`."""
        if "@context" in tree:
            tree = {key: value for key, value in tree.items() if key != "@context"}
        self.source = tree
        if "@type" not in tree or str(tree.get("@id")).startswith("_:"):
            raise NotCoveredError
        self.node(self.source, "" if "@id" in tree else minted or literals.root_of(tree))
        return self.batches[0][1][0]

    def node(self, source: Tree, name: str, via: Term | None = None, position: int | None = None) -> Node:
        """Add the statements of an object and of all objects below it; return its node.

        `name` is its name by place, `via` the term of the member that holds it.
        """
        one = Objects([source], [name], None if position is None else [position])
        [node] = self.add(one, ColumnOwner(via))
        if any(name in self.owners or URIRef(name) in self.taken for name in self.mentioned):
            raise NotCoveredError  # what is a mere name would be read back as the object that has it
        return node

    def add(self, found: Objects, place: ColumnOwner) -> list[Node]:
        """Add the statements of objects and of all below them; the first of several with one `@id` gets the name."""
        nodes = self.objects(found, place)
        if not self.rivals:
            return nodes
        rivals = set().union(*self.rivals.values())
        first: dict[str, int] = {}
        for one in filter(lambda one: id(one) in rivals, _in_order(found.sources)):
            first.setdefault(name_of(one["@id"], self.plans.table), id(one))
        if first.items() <= self.owners.items():  # each name went to the first: groups of objects keep their order
            return nodes
        for held in (self.index, self.rivals, self.stems, self.seen, self.batches, self.inexact, self.mentioned):
            held.clear()
        self.owners = first
        return self.objects(found, place)

    def objects(self, found: Objects, place: ColumnOwner) -> list[Node]:
        """Add the statements of objects and of all below them; return their nodes."""
        sources, names, positions = found
        if len(sources) > TOGETHER:
            parts = (found.part(at, at + TOGETHER) for at in range(0, len(sources), TOGETHER))
            return [*chain.from_iterable(self.objects(part, place) for part in parts)]
        size = len(self.seen) + len(sources)
        self.seen.update(map(id, sources))
        if len(self.seen) < size or place.depth > DEEPEST:  # not all new: an object stands at two places
            raise NotCoveredError
        groups = alike(sources)
        if groups is None:
            raise NotCoveredError
        if place.depth and any("position" in keys or keys in _WITHOUT_STATEMENTS for _, keys, _ in groups):
            raise NotCoveredError
        beside: list[tuple[int, URIRef, Node]] = []
        own: Sequence[str | None] = ()
        if any("@id" in keys for _, keys, _ in groups):
            own = self.own_names(sources)
            names = [one or by_place for one, by_place in zip(own, names, strict=True)]
            for at, (name, one) in enumerate(zip(names, sources, strict=True)):
                if "@id" in one and not literals.restores_identifier(name, one["@id"]):
                    beside.append((at, IDENTIFIER, self.texts[one["@id"]]))
        if positions is not None and (place.is_map or any(own)):
            counted = enumerate(zip(positions, names if place.is_map else own, strict=True))
            beside += [(at, POSITION, self.scalars[int, position]) for at, (position, is_kept) in counted if is_kept]
        # URIRef's check for valid IRIs would double the time that an object takes.
        subjects: list[Node] = [*map(str.__new__, repeat(URIRef), names)]
        self.batches.append((sources, names))
        self.add_members(subjects, Objects(sources, names), groups, place, beside)
        return subjects

    def own_names(self, sources: Sequence[Tree]) -> list[str | None]:
        """Return the names that the objects' `@id`s give them, None where there is none or the name is taken."""
        names: list[str | None] = []
        for one in sources:
            if "@id" not in one:
                names.append(None)
                continue
            identifier = one["@id"]
            if type(identifier) is not str:
                raise NotCoveredError
            name = name_of(identifier, self.plans.table)
            if "#" in name or "%23" in name:  # names by place of two bases would look alike
                stem = name.replace("#", "%23")
                if self.taken or self.stems.setdefault(stem, name) != name:
                    raise NotCoveredError
            owner = self.owners.setdefault(name, id(one))
            if owner != id(one):
                self.rivals.setdefault(name, {owner}).add(id(one))
            names.append(name if owner == id(one) and str.__new__(URIRef, name) not in self.taken else None)
        return names

    def add_members(
        self,
        subjects: Sequence[Node],
        found: Objects,
        groups: Sequence[Alike],
        place: ColumnOwner,
        beside: Sequence[tuple[int, URIRef, Node]] = (),
    ) -> None:
        """Add the statements of objects, which are grouped in `groups`, and the terms `beside` their members.

        All values of one key are converted together, whatever else the objects have. Nested objects wait until all
        objects under the same terms can be added together.
        """
        depth = place.depth + 1
        described, columns = self.laid_out(found.sources, groups, place)
        inexact: dict[int, list[KeyPlan]] = {}
        waiting: dict[tuple[object, ...], list[Column]] = {}
        for column in columns:
            plain, holders = column.parted()
            if plain is not None:
                terms, left = self.column(plain, found.names, depth)
                predicate = plain.known.predicate
                if plain.known.reading in _AS_JSON and not _CONTAINERS.isdisjoint(map(type, plain.values)):
                    self.state_key_order(plain, found.sources, described)
                for at, term in zip(plain.rows, terms, strict=True):
                    described[at][predicate] = term
                for at in left:
                    inexact.setdefault(plain.rows[at], []).append(plain.known)
            for kind, nested in holders:
                holder = nested if len(groups) == 1 else nested.in_order()
                via, is_set = holder.known.term, holder.known.is_set
                scope = holder.plan if via is not None and via.scope is not None else None
                waiting.setdefault((kind, via, is_set, scope), []).append(holder)
        self.add_nested(waiting, found.names, depth, described, inexact)
        for at in inexact:
            described[at] = {predicate: term for predicate, term in described[at].items() if term is not None}
        for at, predicate, term in beside:
            described[at][predicate] = term
        pairs = zip(subjects, described, strict=True)
        self.index.update(pairs if all(described) else (pair for pair in pairs if pair[1]))
        self.inexact += [(subjects[at], found.sources[at], inexact[at]) for at in sorted(inexact)]

    def state_key_order(self, column: Column, sources: Sequence[Tree], described: list[dict[Any, Any]]) -> None:
        """State the order of keys that has a meaning in the values of one member."""
        for at, value in zip(column.rows, column.values, strict=True):
            if type(value) in _CONTAINERS:
                orders = dict(key_order.of_member(column.known.key, value, sources[at]))
                if orders:
                    orders |= key_order.orders_of(described[at].get(KEY_ORDER))
                    described[at][KEY_ORDER] = key_order.literal(orders)

    def add_nested(
        self,
        waiting: dict[tuple[object, ...], list[Column]],
        names: Sequence[str],
        depth: int,
        described: list[dict[Any, Any]],
        inexact: dict[int, list[KeyPlan]],
    ) -> None:
        """Add the statements of nested objects; those under the same terms are added together."""
        for (kind, *_), parts in waiting.items():
            values = [*chain.from_iterable(part.values for part in parts)]
            stems = [*chain.from_iterable(stems_of(map(names.__getitem__, one.rows), one.known) for one in parts)]
            known, plan = parts[0].known, parts[0].plan
            terms, left = self.below(kind, values, stems, ColumnOwner(known.term, plan, depth), is_set=known.is_set)
            rest = iter(terms)
            for part in parts:
                predicate = part.known.predicate
                for row, term in zip(part.rows, rest, strict=False):
                    described[row][predicate] = term
            holding = [(row, part.known) for part in parts for row in part.rows] if left else []
            for at in left:
                row, known = holding[at]
                inexact.setdefault(row, []).append(known)

    def laid_out(
        self, sources: Sequence[Tree], groups: Sequence[Alike], place: ColumnOwner
    ) -> tuple[list[dict[Any, Any]], Iterable[Column]]:
        """Return the predicates of each object with only its type filled in, and the values of all objects by key."""
        described: list[dict[Any, Any]] = [{}] * len(sources)
        columns: dict[int, Column] = {}
        for kind, keys, rows in groups:
            if not kind and self.type_key in keys:
                raise NotCoveredError
            plan = self.plans.at(kind, place.via, place.around)
            members = [(key, known) for key, known in zip(keys, plan.members(keys), strict=True) if known is not None]
            pattern: dict[Any, Any] = {**plan.pattern, **{known.predicate: None for _, known in members}}
            for at in rows:
                described[at] = pattern.copy()
            alike_ones = sources if len(groups) == 1 else [sources[at] for at in rows]
            for key, known in members:
                column = columns.get(id(known))
                if column is None:
                    column = columns[id(known)] = Column(known, plan, [], [])
                column.rows.extend(rows)
                column.values.extend(map(itemgetter(key), alike_ones))
        return described, columns.values()

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of all objects, by their identity."""
        return {id(one): name for batch in self.batches for one, name in zip(*batch, strict=True)}

    def in_document(self, root: str) -> None:
        """Give nodes the names that labels of blank nodes have in the document of `root`."""
        if not any(name.startswith(literals.BLANK_PREFIX) for name in (*self.owners, *self.mentioned)):
            return
        self.index = in_document(self.index, root)
        self.names = {one: literals.in_document(name, root) for one, name in self.names.items()}
        self.inexact = [(_renamed(subject, root), source, inexact) for subject, source, inexact in self.inexact]

    def complete(self) -> None:
        """Add the residue of members that their statements do not restore; nested objects come first."""
        reader = Compaction(self.index, self.plans.table)
        for subject, source, inexact in self.inexact:
            left = self.residue(subject, source, inexact, reader)
            put_residue(self.index, subject, left)

    def residue(self, subject: Node, source: Tree, inexact: list[KeyPlan], reader: Compaction) -> Residue:
        """Return the residue of some members of an object; `reader` reads its statements back."""
        left = Residue()
        for known in inexact:
            key, value = known.key, source[known.key]
            if is_texts(value, known):
                texts = sorted({*value})
                left = left.joined({key: value}, {key: texts if known.is_set or len(texts) > 1 else texts[0]})
                continue
            read: Tree = {}
            if known.predicate in reader.index.get(subject, ()):
                is_property = known.reading is PlainTerm.PROPERTY
                read[key] = reader.read_member(subject, known.predicate, known.term, is_property=is_property)
            left = left.and_also(difference({key: value}, read, self.names if has_objects(value) else {}, ()))
        return left


def with_named_lists(index: Index) -> Index:
    """Return statements in which the cells of lists have names: by the node and the member that hold the list."""
    if not any(type(subject) is BNode for subject in index):
        return index
    table = contexts.karenina().base
    names: dict[Node, Node] = {}
    waiting = [subject for subject in index if type(subject) is not BNode]
    while waiting:
        subject = waiting.pop()
        holder = str(names.get(subject, subject))
        for predicate, held in index[subject].items():
            for at, node in enumerate(terms_of(held)):
                if type(node) is BNode and node not in names:
                    key = table.key_of(str(predicate))
                    place = ("rest",) if predicate == REST else (key, *((at,) if at else ()), "@list")
                    names[node] = URIRef(literals.part_of(holder, *place))
                    waiting.append(node)
    return {
        names.get(subject, subject): {
            predicate: [names.get(one, one) for one in held] if isinstance(held, list) else names.get(held, held)
            for predicate, held in predicates.items()
        }
        for subject, predicates in index.items()
    }


def in_document(index: Index, root: str) -> Index:
    """Return statements with the names that labels of blank nodes have in the document of `root`."""
    blank = literals.BLANK_PREFIX
    terms = {str(one) for held in index.values() for value in held.values() for one in terms_of(value)}
    if not any(name.startswith(blank) for name in (*index, *terms)):  # type: ignore[attr-defined]  # terms are texts
        return index

    def renamed(held: Node | list[Node]) -> Node | list[Node]:
        return [_renamed(one, root) for one in held] if isinstance(held, list) else _renamed(held, root)

    return {
        _renamed(subject, root): {predicate: renamed(held) for predicate, held in predicates.items()}
        for subject, predicates in index.items()
    }


def _renamed(node: Node, root: str) -> Node:
    if type(node) is not URIRef or not node.startswith(literals.BLANK_PREFIX):
        return node
    return URIRef(literals.in_document(node, root))


def _in_order(value: Any) -> Iterator[Tree]:
    """Yield the objects in a JSON value, each before the ones inside it."""
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, (dict, list)):
            yield from _in_order(one)


def is_texts(value: Any, known: KeyPlan) -> bool:
    """Return whether a member's value is an array of plain texts; its residue is known without reading it back."""
    return known.reading is PlainTerm.PLAIN and type(value) is list and {*map(type, value)} == _TEXTS


def has_objects(value: Any) -> bool:
    """Return whether a member's value is an object, or an array with one."""
    return any(type(one) is dict for one in (value if isinstance(value, list) else [value]))


def index_of(tree: Tree) -> tuple[Index, URIRef] | None:
    """Return the statements of a canonical tree and the name of its root, None if a part is not covered."""
    try:
        walk = Walk(tree.get("@context"))
        root = walk.root(tree)
        walk.in_document(root)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(root)


def index_of_part(  # noqa: PLR0913, PLR0917 - the object, where it stands, and its document
    part: Tree, via: Term, place: tuple[str, int], own_context: object, taken: Container[object], root: str
) -> tuple[Index, URIRef] | None:
    """Return the statements of an object that is to be a value of `via`, and its name; None if a part is not covered.

    `place` is the name of its owner and the index there, `taken` holds the names that are in use.
    """
    owner, at = place
    try:
        walk = Walk(own_context, taken)
        stem = _checked(owner) if "#" in owner else owner + "#"
        name = walk.node(part, literals.below(stem, via.key, at), via, at)
        walk.in_document(root)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(literals.in_document(str(name), root))


def index_of_members(
    members: Tree, owner: str, own_context: object, taken: Container[object], root: str
) -> Index | None:
    """Return the statements of members that `owner` is to have, None if one is not covered.

    `members` includes the type of `owner`.
    """
    try:
        walk = Walk(own_context, taken)
        kind = Alike(members.get("@type"), tuple(members), (0,))
        walk.add_members([URIRef(owner)], Objects([members], [_checked(owner)]), [kind], ColumnOwner())
        walk.in_document(root)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index


def _checked(owner: str) -> str:
    """Return the name of an object, if no other object's minted names can have the same prefix."""
    base = literals.parted(owner)[0]
    if "#" in base or "%23" in base:
        raise NotCoveredError
    return owner


__all__ = ["built", "by_algorithm", "uncollected"]


def built(tree: Tree, expansion: str = coverage.PLANS) -> tuple[Index, URIRef]:
    """Return the statements of a tree and the name of its root; `expansion` is one of `coverage.EXPANSIONS`.

    Raises ReadError for a tree that is no JSON-LD, or that is nested too deeply.
    """
    with limited_depth(), uncollected():
        index, root = (index_of(tree) if expansion == coverage.PLANS else None) or by_algorithm(tree)
        remembered = contexts.remembered(tree.get("@context"))
        if remembered is not None:
            left = residue_of(index, root).joined({"@context": encoded(remembered, {})}, {})
            put_residue(index, root, left)
    return index, root


def by_algorithm(tree: Tree) -> tuple[Index, URIRef]:
    """Return the same as `built` by annotation, PyLD's expansion and completion, without the residue of the context."""
    own_context = tree.get("@context")
    annotated = annotate(tree, contexts.table(own_context))
    root = annotated.objects[0].name
    index = expanded_in_document(annotated, own_context, root)
    complete(annotated, annotated.objects, Compaction(index, contexts.table(contexts.remembered(own_context))))
    return index, URIRef(root)


def expanded_in_document(annotated: Annotated, own_context: object, root: str) -> Index:
    """Return the statements of an explicit tree, by PyLD's expansion, for the document of `root`."""
    found = with_named_lists(statements(expand(annotated.tree, contexts.merged(own_context))))
    index = in_document(found, root)
    annotated.in_document(root)
    return index
