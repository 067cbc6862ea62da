"""Canonical trees as statements: a walk over the tree under compiled contexts, which also names the nodes.

PyLD expands what the compiled contexts do not cover. Both give the same statements.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts, interpreter, literals
from checkpoint_ld.graph.annotation import annotate, annotate_members, complete, name_of
from checkpoint_ld.graph.columns import TOGETHER, Alike, Column, Columns, Objects, Place, alike, stems_of
from checkpoint_ld.graph.compaction import (
    POSITION,
    Compaction,
    Residue,
    coercion_of,
    difference,
    encoded,
    put_residue,
    residue_of,
)
from checkpoint_ld.graph.contexts import IDENTIFIER, RDF_TYPE, expand, statements
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.graph.plans import NotCoveredError, Reading, compiled

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term
    from checkpoint_ld.graph.plans import KeyPlan, Plan, Plans
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]

DEEPEST = 60
"""A tree with more levels goes to PyLD as a whole, where annotation sets apart what is too deep."""
_TEXTS = {str}
_WITHOUT_STATEMENTS = frozenset(((), ("@id",)))


class Walk(Columns):
    """One walk through a tree; `inexact` lists the members that their statements do not restore, until `complete`.

    `taken` holds names that are in use elsewhere. With `is_part`, other members of the tree go to PyLD, so that an
    object that has no statements here is a node all the same.
    """

    type_key: str | None = "@type"

    def __init__(
        self,
        own_context: object,
        taken: Container[object] = (),
        plans: Plans | None = None,
        *,
        is_part: bool = False,
    ) -> None:
        super().__init__()
        self.is_part = is_part
        self.without_content = () if is_part else _WITHOUT_STATEMENTS
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
        if "@type" not in tree:
            raise NotCoveredError
        self.node(self.source, "" if "@id" in tree else minted or literals.root_of(tree))
        return self.batches[0][1][0]

    def node(self, source: Tree, name: str, via: Term | None = None, position: int | None = None) -> Node:
        """Add the statements of an object and of all objects below it; return its node.

        `name` is its name by place, `via` the term of the member that holds it.
        """
        one = Objects([source], [name], None if position is None else [position])
        [node] = self.add(one, Place(via))
        if any(name in self.owners or URIRef(name) in self.taken for name in self.mentioned):
            raise NotCoveredError  # what is a mere name would be read back as the object that has it
        return node

    def add(self, found: Objects, place: Place) -> list[Node]:
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

    def objects(self, found: Objects, place: Place) -> list[Node]:
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
        if place.depth and any("position" in keys or keys in self.without_content for _, keys, _ in groups):
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
        place: Place,
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
            terms, left = self.below(kind, values, stems, Place(known.term, plan, depth), is_set=known.is_set)
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
        self, sources: Sequence[Tree], groups: Sequence[Alike], place: Place
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

    def complete(self) -> None:
        """Add the residue of members that their statements do not restore; nested objects come first."""
        reader = Compaction(self.index, self.plans.table)
        for subject, source, inexact in self.inexact:
            left = self.residue(subject, source, inexact, reader)
            known = residue_of(self.index, subject) if self.is_part else None
            put_residue(self.index, subject, left if known is None else known.and_also(left))

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
                coercion = coercion_of(key, known.term, is_property=known.reading is Reading.PROPERTY)
                read[key] = reader.read_member(subject, known.predicate, known.term, coercion)
            left = left.and_also(difference({key: value}, read, self.names if has_objects(value) else {}, ()))
        return left


def _in_order(value: Any) -> Iterator[Tree]:
    """Yield the objects in a JSON value, each before the ones inside it."""
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, (dict, list)):
            yield from _in_order(one)


def is_texts(value: Any, known: KeyPlan) -> bool:
    """Return whether a member's value is an array of plain texts; its residue is known without reading it back."""
    return known.reading is Reading.PLAIN and type(value) is list and {*map(type, value)} == _TEXTS


def has_objects(value: Any) -> bool:
    """Return whether a member's value is an object, or an array with one."""
    return any(type(one) is dict for one in (value if isinstance(value, list) else [value]))


_LEFT = object()
"""The placeholder for a value that goes to PyLD."""
_OBJECTS = {dict}


class Left(NamedTuple):
    """Members of an object that go to PyLD.

    `kept` is the object without them, `via` the term of the member that holds it.
    """

    kept: Tree
    source: Tree
    keys: Sequence[str]
    via: Term | None


class Reduction(Columns):
    """Removes the members that are not covered from a tree; `left` lists them in document order."""

    def __init__(self, own_context: object) -> None:
        super().__init__()
        self.plans = compiled(own_context)
        self.mentioned: set[str] = set()
        self.left: list[Left] = []

    def object(self, source: Tree, via: Term | None = None, around: Plan | None = None) -> Tree | None:
        """Return an object with only its covered members, None for one that is no plain node."""
        is_reference = source.keys() == {"@id"} and isinstance(source["@id"], str)
        if (
            is_reference
            or source.get("@context")
            or any(key == "position" or (key[:1] == "@" and key not in ("@id", "@type", "@context")) for key in source)
        ):  # a key whose meaning depends on where the object stands
            return None
        kept: Tree = {}
        place = len(self.left)
        self.left.append(Left(kept, source, keys := [], via))
        try:
            if "@type" in source and not isinstance(source["@type"], str):
                raise NotCoveredError
            plan = self.plans.at(source.get("@type"), via, around)
        except NotCoveredError:
            kept |= {"@id": source["@id"]} if isinstance(source.get("@id"), str) else {}
            keys += [key for key in source if key not in kept]
        else:
            for key, value in source.items():
                found = self.member_of(key, value, plan)
                if found is _LEFT:
                    keys.append(key)
                else:
                    kept[key] = found
        if keys and via is not None and via.scope is not None:
            raise NotCoveredError  # PyLD, given the object alone, would not know the terms of that scope
        if not keys:
            del self.left[place]
        return kept

    def member_of(self, key: str, value: Any, plan: Plan) -> Any:
        """Return the covered part of a member's value, `_LEFT` if the whole member goes to PyLD."""
        if key in ("@id", "@type"):
            return value if isinstance(value, str) else _LEFT
        if key[:1] == "@":
            return _LEFT
        count = len(self.left)
        try:
            [known] = plan.members((key,))
            if known is None or (type(value) is str and known.is_text):
                return value
            if known.has_objects and known.container == "@index" and type(value) is dict:
                return dict(zip(value, self.objects_of([*value.values()], known, plan), strict=True))
            if known.has_objects and {*map(type, value if type(value) is list else [value])} == _OBJECTS:
                found = self.objects_of(value if type(value) is list else [value], known, plan)
                return found if type(value) is list else found[0]
            self.member(value, known)
        except NotCoveredError:
            del self.left[count:]
            return _LEFT
        return value

    def objects(self, *_: Any) -> list[Node]:
        """Raise NotCoveredError: PyLD reads objects that are not reduced one by one."""
        raise NotCoveredError

    def objects_of(self, values: list[Any], known: KeyPlan, plan: Plan) -> list[Any]:
        """Return the objects in a member, each with only its covered members."""
        found = [self.object(one, known.term, plan) if type(one) is dict else None for one in values]
        if None in found:
            raise NotCoveredError
        return found


def expand_left(walk: Walk, left: Sequence[Left], own_context: object) -> None:
    """Add the statements of members that PyLD reads to a walk.

    Raises NotCoveredError if they give a name that the rest of the document has too.
    """
    index, table = walk.index, walk.plans.table
    parts = []
    for one in left:
        members = {key: value for key, value in one.source.items() if key in one.keys or key == "@type"}
        parts.append((members, one.via, walk.names[id(one.kept)]))
    annotated = annotate_members(parts, table)
    try:
        found = statements(expand([one.tree for one in annotated], contexts.merged(own_context)))
    except ReadError as error:
        raise NotCoveredError from error
    holders = [URIRef(name) for _, _, name in parts]
    placed = [one for part in annotated for one in part.objects[1:]]
    new = {one.name for one in placed}
    named = [(one.name, one.source["@id"]) for one in placed if isinstance(one.source.get("@id"), str)]
    for name, identifier in named:
        # A name, or the prefix of minted names, belongs to the first object in the document that has it.
        if name != name_of(identifier, table) or walk.stems.setdefault(name.replace("#", "%23"), name) != name:
            raise NotCoveredError
    is_apart = new.isdisjoint({*walk.owners, *walk.mentioned}) and not any(one.has_names_by_place for one in annotated)
    if not is_apart or not {*map(str, found)} <= {*map(str, holders), *new}:
        raise NotCoveredError
    for subject, held in found.items():
        known = index.setdefault(subject, {})
        if not {RDF_TYPE} >= known.keys() & held.keys():
            raise NotCoveredError
        known.update(held)
    reader = Compaction(index, table)
    for explicit in annotated:
        complete(explicit, explicit.objects[1:], reader)
    for holder, explicit, part in reversed([*zip(holders, annotated, left, strict=True)]):
        first = explicit.objects[0]
        key_of = table.at(part.via, reader.kind(holder)).key_of
        keys = {*part.keys, *(key_of(str(one)) for one in found.get(holder, ()) if one != RDF_TYPE)}
        read = {key: value for key, value in reader.members(holder, part.via, keys.__contains__).items() if key in keys}
        source = {key: first.source[key] for key in part.keys}
        more = difference(source, read, explicit.names, first.set_apart)
        put_residue(index, holder, residue_of(index, holder).and_also(more))


def index_of(tree: Tree) -> tuple[Index, URIRef] | None:
    """Return the statements of a canonical tree and the name of its root, None if a part is not covered."""
    try:
        walk = Walk(tree.get("@context"))
        root = walk.root(tree)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(root)


def index_with_left(tree: Tree) -> tuple[Index, URIRef] | None:
    """Return the same as `index_of` for a tree of which PyLD reads some members."""
    own_context = tree.get("@context")
    if _levels(tree) > DEEPEST:  # annotation sets apart what is too far from the root
        return None
    try:
        reduction = Reduction(own_context)
        kept = reduction.object({key: value for key, value in tree.items() if key != "@context"})
        if kept is None:
            return None
        walk = Walk(own_context, is_part=True)
        root = walk.root(kept, literals.root_of(tree) if "@id" not in kept else None)
        expand_left(walk, reduction.left, own_context)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(root)


def _levels(value: Any) -> int:
    """Return how deeply arrays and objects are nested in a JSON value."""
    inner = value.values() if type(value) is dict else value if type(value) is list else None
    return 0 if inner is None else 1 + max(map(_levels, inner), default=0)


def index_of_part(
    part: Tree, via: Term, place: tuple[str, int], own_context: object, taken: Container[object]
) -> tuple[Index, URIRef] | None:
    """Return the statements of an object that is to be a value of `via`, and its name; None if a part is not covered.

    `place` is the name of its owner and the index there, `taken` holds the names that are in use.
    """
    owner, at = place
    try:
        walk = Walk(own_context, taken)
        stem = _checked(owner) if "#" in owner else owner + "#"
        name = walk.node(part, literals.below(stem, via.key, at), via, at)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(str(name))


def index_of_members(members: Tree, owner: str, own_context: object, taken: Container[object]) -> Index | None:
    """Return the statements of members that `owner` is to have, None if one is not covered.

    `members` includes the type of `owner`.
    """
    try:
        walk = Walk(own_context, taken)
        kind = Alike(members.get("@type"), tuple(members), (0,))
        walk.add_members([URIRef(owner)], Objects([members], [_checked(owner)]), [kind], Place())
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


def built(tree: Tree) -> tuple[Index, URIRef]:
    """Return the statements of a tree and the name of its root.

    Raises ReadError for a tree that is no JSON-LD, or that is nested too deeply.
    """
    with interpreter.room(), uncollected():
        index, root = index_of(tree) or index_with_left(tree) or by_algorithm(tree)
        remembered = contexts.remembered(tree.get("@context"))
        if remembered is not None:
            left = residue_of(index, root).joined({"@context": encoded(remembered, {})}, {})
            put_residue(index, root, left)
    return index, root


def by_algorithm(tree: Tree) -> tuple[Index, URIRef]:
    """Return the same as `built` by annotation, PyLD's expansion and completion, without the residue of the context."""
    own_context = tree.get("@context")
    annotated = annotate(tree, contexts.table(own_context))
    index = statements(expand(annotated.tree, contexts.merged(own_context)))
    complete(annotated, annotated.objects, Compaction(index, contexts.table(contexts.remembered(own_context))))
    return index, URIRef(annotated.objects[0].name)
