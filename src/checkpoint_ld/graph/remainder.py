"""What a compiled context does not cover: members that are taken out of a tree before its walk, and left to PyLD.

A document with a few such members costs little more than one without. What they say joins what the walk has said, and
their residue is found by reading it back, as everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.annotation import annotate_members, complete, name_of
from checkpoint_ld.graph.columns import Columns
from checkpoint_ld.graph.compaction import Compaction, difference, residue_of, tell_residue
from checkpoint_ld.graph.expansion import RDF_TYPE, expand, statements
from checkpoint_ld.graph.plans import NotCoveredError, compiled
from checkpoint_ld.graph.walk import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term
    from checkpoint_ld.graph.plans import KeyPlan, Plan
    from checkpoint_ld.graph.walk import Walk

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

    def object(self, source: Tree, via: Term | None = None, around: Plan | None = None, depth: int = 0) -> Tree | None:
        """Return an object with the members that are covered; None for one that is no plain node."""
        is_reference = source.keys() == {"@id"} and isinstance(source["@id"], str)
        if is_reference or source.get("@context") or any(map(_tells_more, source)) or depth > DEEPEST:
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
                found = self.member_of(key, value, plan, depth)
                if found is _LEFT:
                    keys.append(key)
                else:
                    kept[key] = found
        if keys and via is not None and via.scope is not None:
            raise NotCoveredError  # what stands alone does not have the terms of that scope
        if not keys:
            del self.left[place]
        return kept

    def member_of(self, key: str, value: Any, plan: Plan, depth: int) -> Any:
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
                return dict(zip(value, self.objects_of([*value.values()], known, plan, depth), strict=True))
            if known.has_objects and {*map(type, value if type(value) is list else [value])} == _OBJECTS:
                found = self.objects_of(value if type(value) is list else [value], known, plan, depth)
                return found if type(value) is list else found[0]
            self.member(value, known)
        except NotCoveredError:
            del self.left[count:]
            return _LEFT
        return value

    def objects(self, *_: Any) -> list[Node]:
        """Leave objects to PyLD that are not looked at one by one."""
        raise NotCoveredError

    def objects_of(self, values: list[Any], known: KeyPlan, plan: Plan, depth: int) -> list[Any]:
        """Return the objects that a member holds, each with what is covered of it."""
        found = [self.object(one, known.term, plan, depth + 1) if type(one) is dict else None for one in values]
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
