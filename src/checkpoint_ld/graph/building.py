"""Canonical trees as statements, with the names of their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts, interpreter, naming
from checkpoint_ld.graph.annotation import annotate, annotate_members, complete, name_of
from checkpoint_ld.graph.columns import Alike, Columns, Objects, Place
from checkpoint_ld.graph.compaction import Compaction, difference, encoded, residue_of, tell_residue
from checkpoint_ld.graph.expansion import RDF_TYPE, expand, statements
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.graph.plans import NotCoveredError, compiled
from checkpoint_ld.graph.walk import DEEPEST, NOT_IN_STEM, Walk

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term
    from checkpoint_ld.graph.plans import KeyPlan, Plan
    from checkpoint_ld.graph.store import Index


Tree = dict[str, Any]

_LEFT = object()
"""What stands for a value that PyLD has to read."""
_OBJECTS = {dict}


class Left(NamedTuple):
    """Members of an object that are left to PyLD; `kept` is the object without them, `via` the member it stands in."""

    kept: Tree
    source: Tree
    keys: Sequence[str]
    via: Term | None


class Reduction(Columns):
    """Takes the members that are not covered out of a tree; `left` has them in the order of the document."""

    def __init__(self, own_context: object) -> None:
        super().__init__()
        self.plans = compiled(own_context)
        self.mentioned: set[str] = set()
        self.left: list[Left] = []

    def object(self, source: Tree, via: Term | None = None, around: Plan | None = None) -> Tree | None:
        """Return an object with the members that are covered; None for one that is no plain node."""
        is_reference = source.keys() == {"@id"} and isinstance(source["@id"], str)
        if is_reference or source.get("@context") or any(map(_tells_more, source)):
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
            raise NotCoveredError  # what stands alone does not have the terms of that scope
        if not keys:
            del self.left[place]
        return kept

    def member_of(self, key: str, value: Any, plan: Plan) -> Any:
        """Return a member of an object of which the same is kept, or what stands for one that is left."""
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
        """Leave objects to PyLD that are not looked at one by one."""
        raise NotCoveredError

    def objects_of(self, values: list[Any], known: KeyPlan, plan: Plan) -> list[Any]:
        """Return the objects that a member holds, each with what is covered of it."""
        found = [self.object(one, known.term, plan) if type(one) is dict else None for one in values]
        if None in found:
            raise NotCoveredError
        return found


def _tells_more(key: str) -> bool:
    """Tell whether a key says something of the object as a value of a member: what it is, or its place."""
    return (key[:1] == "@" and key not in ("@id", "@type", "@context")) or key == "position"


def expand_left(walk: Walk, left: Sequence[Left], own_context: object) -> None:
    """Add to the statements of a walk what members say that were left to PyLD.

    Raises NotCoveredError where a name of theirs stands in the rest of the document too.
    """
    index, table = walk.index, walk.plans.table
    parts = []
    for one in left:
        members = {key: value for key, value in one.source.items() if key in one.keys or key == "@type"}
        parts.append((members, one.via, walk.names[id(one.kept)]))
    annotated = annotate_members(parts, table)
    try:
        said = statements(expand([one.tree for one in annotated], contexts.merged(own_context)))
    except ReadError as error:
        raise NotCoveredError from error
    holders = [URIRef(name) for _, _, name in parts]
    placed = [one for part in annotated for one in part.objects[1:]]
    new = {one.name for one in placed}
    named = [(one.name, one.source["@id"]) for one in placed if isinstance(one.source.get("@id"), str)]
    for name, identifier in named:
        # Of several objects with one name, or that begin names alike, the first one of the document counts.
        if name != name_of(identifier, table) or walk.stems.setdefault(name.replace("#", "%23"), name) != name:
            raise NotCoveredError
    if not new.isdisjoint({*walk.own, *walk.mentioned}) or not {*map(str, said)} <= {*map(str, holders), *new}:
        raise NotCoveredError
    for subject, held in said.items():
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
        keys = {*part.keys, *(key_of(str(one)) for one in said.get(holder, ()) if one != RDF_TYPE)}
        read = {key: value for key, value in reader.members(holder, part.via, keys.__contains__).items() if key in keys}
        source = {key: first.source[key] for key in part.keys}
        more = difference(source, read, explicit.names, first.set_apart)
        tell_residue(index, holder, residue_of(index, holder).and_also(more))


def index_of(tree: Tree) -> tuple[Index, URIRef] | None:
    """Return the statements of a canonical tree and the name of its root, None for a tree that is not covered."""
    try:
        walk = Walk(tree.get("@context"))
        root = walk.root(tree)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(root)


def index_with_left(tree: Tree) -> tuple[Index, URIRef] | None:
    """Return what `index_of` does, of a tree with members that are not covered: these are left to PyLD."""
    own_context = tree.get("@context")
    if _levels(tree) > DEEPEST:  # annotation sets apart what is too far from the root
        return None
    try:
        reduction = Reduction(own_context)
        kept = reduction.object({key: value for key, value in tree.items() if key != "@context"})
        if kept is None:
            return None
        walk = Walk(own_context, is_part=True)
        root = walk.root(kept, naming.root_of(tree) if "@id" not in kept else None)
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
    """Return the statements of an object that is to be a value of `via`, and its name.

    `place` is the name of the object that it belongs to and its place there, `taken` holds the names that are in use.
    None for an object that is not covered.
    """
    owner, at = place
    try:
        walk = Walk(own_context, taken)
        stem = _checked(owner) if "#" in owner else owner + "#"
        name = walk.node(part, naming.below(stem, via.key, at), via, at)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(str(name))


def index_of_members(members: Tree, owner: str, own_context: object, taken: Container[object]) -> Index | None:
    """Return the statements of members that `owner` is to have; `members` has its type too. None as above."""
    try:
        walk = Walk(own_context, taken)
        kind = Alike(members.get("@type"), tuple(members), (0,))
        walk.tell([URIRef(owner)], Objects([members], [_checked(owner)]), [kind], Place())
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index


def _checked(owner: str) -> str:
    """Return the name of an object in a graph if the names below it are like those below no other object."""
    if any(one in naming.parted(owner)[0] for one in NOT_IN_STEM):
        raise NotCoveredError
    return owner


__all__ = ["built", "by_algorithm", "uncollected"]


def built(tree: Tree) -> tuple[Index, URIRef]:
    """Return the statements of a tree and the name of its root.

    Raises ReadError for a tree that no JSON-LD can be made of, or that is nested too deeply.
    """
    with interpreter.room(), uncollected():
        index, root = index_of(tree) or index_with_left(tree) or by_algorithm(tree)
        remembered = contexts.remembered(tree.get("@context"))
        if remembered is not None:
            left = residue_of(index, root).joined({"@context": encoded(remembered, {})}, {})
            tell_residue(index, root, left)
    return index, root


def by_algorithm(tree: Tree) -> tuple[Index, URIRef]:
    """Return what `built` does, but for the memory of the context, by annotation, expansion and completion."""
    own_context = tree.get("@context")
    annotated = annotate(tree, contexts.table(own_context))
    index = statements(expand(annotated.tree, contexts.merged(own_context)))
    complete(annotated, annotated.objects, Compaction(index, contexts.table(contexts.remembered(own_context))))
    return index, URIRef(annotated.objects[0].name)
