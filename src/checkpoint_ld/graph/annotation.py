"""Annotation: a canonical tree made explicit, so that plain JSON-LD expansion gives the checkpoint graph.

Every object gets its IRI. The JSON value of a property becomes one JSON literal. What no JSON-LD processor can read
(a malformed value object, a node that is nested too deeply) is set apart. The tree itself is not changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.graph import contexts, key_order, literals
from checkpoint_ld.graph.contexts import IDENTIFIER, ROOT_TYPE, Term, TermTable, expand_name, is_property_value
from checkpoint_ld.graph.key_order import KEY_ORDER
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import (
    DATETIME,
    DOUBLE,
    INTEGER,
    UNDECIDED,
    TypedText,
    is_datetime,
    is_language,
    literal_of,
    native_coercion,
)
from checkpoint_ld.graph.residue import RESIDUE, difference, put_residue
from checkpoint_ld.vocabulary import ID_BASE

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.compaction import Compaction


Tree = dict[str, Any]

_OURS_ALONE = frozenset((str(IDENTIFIER), str(RESIDUE), str(KEY_ORDER)))
_LOCAL_KEYWORDS = frozenset({"@id", "@type", "@context"})
LARGEST_FOR_PYLD = 10**300
"""PyLD converts every integer to a double, and no double is above about 1.8e308."""
_DEEPEST = 64
"""Members below this level are set apart. Checkpoints have about 12 levels, and the stack is limited."""
_NO_NODE = frozenset(("@list", "@set"))
"""An object with one of these keywords and no plain key is no node (JSON-LD 1.1 §4.3). In a node, every keyword is set
apart."""
_VALUE_KEYWORDS = frozenset({"@value", "@type", "@language"})


@dataclass(frozen=True, slots=True)
class Placed:
    """One object of the tree: its name, its place, and the term definitions for its keys."""

    name: str
    source: Tree
    via: Term | None
    position: int | None = None
    set_apart: tuple[str, ...] = ()


@dataclass(slots=True)
class Annotated:
    """The explicit tree, and every object of the original with its name, in document order."""

    tree: Tree
    objects: list[Placed]
    names: dict[int, str]

    def in_document(self, root: str) -> None:
        """Give the objects the names that labels of blank nodes have in the document of `root`."""
        self.objects = [replace(one, name=literals.in_document(one.name, root)) for one in self.objects]
        self.names = {one: literals.in_document(name, root) for one, name in self.names.items()}


class _SetApartError(Exception):
    """A member cannot be read as JSON-LD."""


@dataclass(slots=True)
class _Place:
    """The position of the walk: the nearest ancestor with its own name, and the JSON Pointer tokens from there."""

    base: str
    tokens: tuple[str | int, ...] = ()
    depth: int = 0

    def below(self, token: str | int) -> _Place:
        return _Place(self.base, (*self.tokens, token), self.depth + 1)


def annotate(tree: Tree, table: TermTable) -> Annotated:
    """Make a whole checkpoint explicit."""
    tree = unshared(tree)
    walk = _Walk(table, ())
    is_blank = str(tree.get("@id")).startswith("_:")  # it means nothing outside of the document
    own = None if is_blank else walk.own_name(tree)
    root = own or literals.root_of(tree)
    annotated = walk.node(tree, _Place(root), None, own)
    annotated.setdefault("@type", ROOT_TYPE)
    walk.refer()
    return Annotated(annotated, walk.objects, walk.names)


def annotate_member(
    part: Tree, table: TermTable, via: Term | None, place: tuple[str, int], taken: Container[object]
) -> Annotated:
    """Make one object explicit that is added to an existing graph.

    `place` is the name of the object that owns it and the index there, `taken` the names that are in use.
    """
    part = unshared(part)
    walk = _Walk(table, taken)
    owner, position = place
    at = _place_of(owner).below(via.key if via else "").below(position)
    annotated = walk.node(part, at, via, walk.own_name(part), position)
    walk.refer()
    return Annotated(annotated, walk.objects, walk.names)


def annotate_members(
    parts: Iterable[tuple[Tree, Term | None, str]], table: TermTable, taken: Container[object] = ()
) -> list[Annotated]:
    """Make members explicit that are added to objects of a graph; each comes with its term and the object's name.

    The first annotated object stands for the owner. It has the owner's type, because the meaning of keys depends on it.
    """
    walk = _Walk(table, taken)
    found = []
    for members, via, name in parts:
        place, before = _place_of(name), len(walk.objects)
        annotated = walk.node(unshared(members), place, via, name if not place.tokens else None)
        found.append(Annotated({**annotated, "@id": name}, walk.objects[before:], walk.names))
    walk.refer()
    return found


def set_apart_in(members: Tree, via: Term | None, table: TermTable) -> frozenset[str]:
    """Return the members of an object that cannot be read as JSON-LD, so that they become no statements."""
    [found] = annotate_members([(members, via, f"{ID_BASE}of")], table)
    return frozenset(found.objects[0].set_apart)


def complete(annotated: Annotated, objects: Sequence[Placed], reader: Compaction) -> None:
    """Add residue to the index of `reader`: what the statements about `objects` do not express.

    `objects` are some of the annotated ones.
    """
    index = reader.index
    for placed in objects:
        subject, identifier = URIRef(placed.name), placed.source.get("@id")
        if isinstance(identifier, str) and not literals.restores_identifier(placed.name, identifier):
            index.setdefault(subject, {})[IDENTIFIER] = literal_of(identifier)
        if placed.position is not None and "position" not in placed.source:
            index.setdefault(subject, {})[POSITION] = literal_of(placed.position)
        if orders := _orders(placed, reader.table):
            index.setdefault(subject, {})[KEY_ORDER] = key_order.literal(orders)
    # Children first: the residue of a child may be all that makes it a node, which its parent's reading shows.
    for placed in reversed(objects):
        subject = URIRef(placed.name)
        is_root = placed is annotated.objects[0]  # whose context is the document's
        source = {key: value for key, value in placed.source.items() if key != "@context" or not is_root}
        left = difference(source, reader.members(subject, placed.via), annotated.names, placed.set_apart)
        put_residue(index, subject, left)


def _orders(placed: Placed, table: TermTable) -> dict[str, list[str]]:
    """Return the orders of keys that have a meaning in the JSON literals of an object, by pointer."""
    source = placed.source
    is_property = is_property_value(source.get("@type"), placed.via)
    terms: Mapping[str, Term] | None = None
    orders: dict[str, list[str]] = {}
    for key, value in source.items():
        if isinstance(value, (dict, list)) and key not in placed.set_apart:
            terms = terms or table.at(placed.via, source.get("@type")).by_key
            term = terms.get(key)
            if (is_property and key == "value") or (term is not None and term.coercion == "@json"):
                orders.update(key_order.of_member(key, value, source))
    return orders


def _place_of(name: str) -> _Place:
    """Return the place of the object called `name`: the object itself, or the place in its minted name."""
    base, pointer = literals.parted(name)
    return _Place(base, pointer)


def name_of(identifier: str, table: TermTable) -> str:
    """Return the IRI for the text of an `@id`; it is escaped where a prefix of the document would expand it."""
    name = literals.iri_of(table.full(identifier))
    return name if table.full(name) == name else literals.under_base(name)


def unshared(value: Any) -> Any:
    """Return a copy of a JSON value that holds no object twice, as a value that a program made may do."""
    if isinstance(value, dict):
        return {key: unshared(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [unshared(one) for one in value]
    return value


@dataclass(slots=True)
class _Walk:
    table: TermTable
    taken: Container[object]
    objects: list[Placed] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    by_place: list[tuple[Tree, str]] = field(default_factory=list)
    """References with their texts, where these look like names by place."""

    def refer(self) -> None:
        """Let references that look like names by place refer to what has that name, unless an `@id` is that text."""
        for reference, text in self.by_place:
            if literals.is_iri(text) and not self.is_taken(reference["@id"]):
                reference["@id"] = text

    def type_names(self, kinds: Any) -> Any:
        """Return a type or types, with the names of blank nodes in place of labels."""
        if isinstance(kinds, list):
            return [self.type_names(one) for one in kinds]
        return name_of(kinds, self.table) if kinds.startswith("_:") else kinds

    def own_name(self, source: Tree) -> str | None:
        """Return the name that the object's `@id` gives it, None if another object has that name."""
        identifier = source.get("@id")
        if not isinstance(identifier, str):
            return None
        name = name_of(identifier, self.table)
        if self.is_taken(name):
            return None
        self.fresh.add(name)
        return name

    def is_taken(self, name: str) -> bool:
        return name in self.fresh or URIRef(name) in self.taken

    def minted(self, place: _Place) -> str:
        name = literals.child_of(place.base, *place.tokens) if place.tokens else place.base
        if self.is_taken(name):  # bases with and without a fragment can look alike
            name = literals.child_of(literals.under_base(place.base), *place.tokens)
        self.fresh.add(name)
        return name

    def node(self, source: Tree, place: _Place, via: Term | None, own: str | None, position: int | None = None) -> Tree:
        name = own or self.minted(place)
        inside = _Place(own, (), place.depth) if own else place
        kind = source.get("@type")
        is_property = is_property_value(kind, via)
        terms = self.table.at(via, kind).by_key
        annotated: Tree = {"@id": name}
        if _are_types(kind):
            annotated["@type"] = self.type_names(kind)
        self.names[id(source)] = name
        at = len(self.objects)
        set_apart = []
        in_map = via is not None and via.container == "@index"
        held_position = position if own or in_map else None
        self.objects.append(Placed(name, source, via, held_position))
        for key, value in source.items():
            if key in _LOCAL_KEYWORDS:
                continue
            term, walked = terms.get(key), len(self.objects)
            try:
                if not (
                    _is_predicate(key, term.iri if term else self.table.full(key))
                    or (key == "@included" and _are_objects(value))
                ):
                    raise _SetApartError
                is_json = is_property and key == "value" and (value is None or isinstance(value, (dict, list)))
                if is_json or is_undecided(value, term):
                    annotated[key] = {"@value": value, "@type": "@json"}
                else:
                    made = self.value(value, inside.below(key), term, key)
                    if key == "@included" and any(one.keys() == {"@id"} for one in made):
                        raise _SetApartError  # PyLD takes what has only an identifier for no node
                    annotated[key] = made
            except _SetApartError:
                self._forget(walked)
                set_apart.append(key)
        if set_apart:
            self.objects[at] = Placed(name, source, via, held_position, tuple(set_apart))
        return annotated

    def _forget(self, since: int) -> None:
        for placed in self.objects[since:]:
            del self.names[id(placed.source)]
            self.fresh.discard(placed.name)
        del self.objects[since:]

    def value(self, value: Any, place: _Place, via: Term | None, key: str) -> Any:
        """Make a member's value explicit."""
        coercion = via.coercion if via else None
        if coercion == "@json":
            return value
        if isinstance(value, dict) and via is not None and via.container == "@index":
            return {token: self._one(one, place.below(token), via, at) for at, (token, one) in enumerate(value.items())}
        if isinstance(value, list):
            return list(self._many(value, place, via, key))
        return self._one(value, place, via, None)

    def _many(self, values: list[Any], place: _Place, via: Term | None, key: str) -> Iterator[Any]:
        for index, one in enumerate(values):
            if place.depth > _DEEPEST:
                raise _SetApartError
            if isinstance(one, list):
                yield list(self._many(one, place.below(index), via, key))
            else:
                yield self._one(one, place.below(index), via, index)

    def _one(self, value: Any, place: _Place, via: Term | None, position: int | None) -> Any:
        if isinstance(value, dict):
            return self._object(value, place, via, position)
        if isinstance(value, list):
            return list(self._many(value, place, via, ""))
        if isinstance(value, TypedText):
            return value.value_object
        if isinstance(value, int) and abs(value) > LARGEST_FOR_PYLD:
            return {"@value": str(value), "@type": INTEGER}
        coercion = via.coercion if via is not None else None
        if coercion in _OF_NAMES and isinstance(value, str) and value.startswith("_:"):
            return {"@id": name_of(value, self.table)}
        if coercion is not None and not suits(value, coercion):
            return {"@value": value}
        return value

    def _object(self, value: Tree, place: _Place, via: Term | None, position: int | None) -> Tree:
        if "@value" in value:
            # No statement has these; the residue keeps them.
            stated = {keyword: one for keyword, one in value.items() if keyword not in ("@index", "@direction")}
            if not _is_value_object(stated):
                raise _SetApartError
            return stated
        if len(value) == 1 and not _NO_NODE.isdisjoint(value) and place.depth <= _DEEPEST:
            [(keyword, held)] = value.items()
            entries = held if isinstance(held, list) else [held]
            return {keyword: list(self._many(entries, place.below(keyword), via, ""))}
        if value.keys() == {"@id"} and isinstance(value["@id"], str):
            reference = {"@id": name_of(value["@id"], self.table)}
            if literals.is_minted(value["@id"]):
                self.by_place.append((reference, value["@id"]))
            return reference
        # A context of its own would change what the keys mean, here and below.
        is_known = not value.get("@context") and (_NO_NODE.isdisjoint(value) or any(key[:1] != "@" for key in value))
        if place.depth > _DEEPEST or not is_known:
            raise _SetApartError
        return self.node(value, place, via, self.own_name(value), position)


@lru_cache(maxsize=4096)
def _is_predicate(key: str, name: str) -> bool:
    """Return whether a key that means `name` can become a predicate of the document, and is not reserved for ours."""
    iri = expand_name(name)
    return not key.startswith("@") and literals.is_iri(iri) and iri not in _OURS_ALONE


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and "@value" not in one for one in value)


def is_undecided(value: Any, term: Term | None) -> bool:
    """Return whether a member becomes one JSON literal, because no context can express the datatypes of its numbers."""
    return (term is None or term.coercion not in ("@json", DOUBLE)) and native_coercion(value) == UNDECIDED


def is_name(value: object, *, is_type: bool) -> bool:
    """Return whether JSON-LD takes `value` as an `@type`, or as an `@id`."""
    return (_are_types(value) or value == []) if is_type else isinstance(value, str)


def _are_types(kind: object) -> bool:
    kinds = kind if isinstance(kind, list) and kind else [kind]
    return all(isinstance(one, str) and one and not one.startswith("@") for one in kinds)


def suits(value: Any, coercion: str) -> bool:
    """Return whether a scalar fits the type coercion of its key: a date, a number, an IRI."""
    if isinstance(value, dict) or value is None:
        return True
    if not isinstance(value, str):
        return coercion == DOUBLE and not isinstance(value, bool)
    if coercion == DOUBLE:
        return False
    if coercion == DATETIME:
        return is_datetime(value)
    return coercion not in _OF_NAMES or value.startswith("_:") or is_reference(value, coercion)


_OF_NAMES = frozenset(("@id", "@vocab"))


def is_reference(text: str, coercion: str) -> bool:
    """Return whether `text` is read as an IRI by the coercion `@id` or `@vocab`, and is written back unchanged."""
    if text.startswith("@"):
        return False
    if coercion == "@id":
        return literals.iri_of(text) in (text, ID_BASE + text)
    return literals.is_iri(expand_name(text)) and text != ""


def _is_value_object(value: Tree) -> bool:
    """Return whether `value` is a value object of a kind that an RDF literal holds (JSON-LD 1.1 §9.5)."""
    if not value.keys() <= _VALUE_KEYWORDS or {"@type", "@language"} <= value.keys():
        return False
    if value.get("@type") == "@json":
        return True
    if value["@value"] is None:
        return True  # it is no value
    content, language, datatype = value["@value"], value.get("@language", "en"), value.get("@type", "urn:x")
    if not isinstance(content, str) and ("@language" in value or datatype == DATETIME):
        return False  # a number has no language, and under dates it is a number (`literal_of`)
    if isinstance(content, int) and abs(content) > LARGEST_FOR_PYLD:
        return False
    return (
        isinstance(content, (str, int, float))
        and isinstance(language, str)
        and isinstance(datatype, str)
        and literals.is_iri(expand_name(datatype))
        and is_language(language)
    )


_Way = tuple[str | int, ...]


class Pointers:
    """The JSON Pointers (RFC 6901) of the objects of a canonical tree, by the IRIs of their nodes in its graph.

    `nodes` are those of the graph; they tell which of several objects with one `@id` got the name.
    """

    def __init__(self, tree: Tree, nodes: Container[Node] = frozenset()) -> None:
        self._tree = tree
        self._nodes = nodes

    def __contains__(self, iri: object) -> bool:
        return self.get(str(iri)) is not None

    def get(self, iri: str) -> str | None:
        """Return the place of the object that `iri` names, None if it names none."""
        base, mark, rest = iri.partition("#/")
        tokens = literals.parted(iri)[1] if mark else ()
        if rest.startswith("_:"):  # the base is the label of a blank node
            label, mark, _ = rest.partition("/")
            base, tokens = f"{base}#/{label}", tokens[1:]
        if self._ways is None:
            return self.by_annotation.get(iri)
        if base == self._minted_root:
            way: _Way | None = ()
        else:
            name, way = self._ways.get(_stem(base), ("", None))
            way = way if mark or name == iri else None
        if way is not None and mark:
            way = self._below(way, tokens)
        return None if way is None else pointer(way)

    def _below(self, way: _Way, tokens: tuple[str, ...]) -> _Way | None:
        """Return the path to the object that `tokens` lead to from the one at `way`, None if there is none."""
        value = _at(self._tree, way)
        for token in tokens:
            step: Any = int(token) if isinstance(value, list) and token.isdecimal() and len(token) < _LONGEST else token
            steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            if step not in steps:
                return None
            way, value = (*way, step), value[step]
        return way if isinstance(value, dict) and value.keys() != {"@id"} else None

    @cached_property
    def _minted_root(self) -> str | None:
        identifier = self._tree.get("@id")
        has_name = isinstance(identifier, str) and not identifier.startswith("_:")
        return None if has_name else literals.root_of(self._tree)

    @cached_property
    def _ways(self) -> dict[str, tuple[str, _Way]] | None:
        """The names of objects that have ids, and the paths to them; None where two of them might share a name."""
        table = contexts.table(self._tree.get("@context"))
        is_usual = table is contexts.karenina()
        found: dict[str, tuple[str, _Way]] = {}
        root = self._minted_root
        bases: dict[_Way, str] = {(): root or ""}
        for one, way in _objects(self._tree):
            identifier = one.get("@id")
            if not isinstance(identifier, str) or len(one) == 1 or not (way or self._minted_root is None):
                continue
            name = literals.iri_of(identifier) if is_usual else name_of(identifier, table)
            root = root or name
            name = literals.in_document(name, root)
            if found.setdefault(_stem(name), (name, way))[1] == way:
                bases[way] = name
                continue
            base = next(way[:at] for at in range(len(way) - 1, -1, -1) if way[:at] in bases)
            if URIRef(literals.child_of(bases[base], *way[len(base) :])) not in self._nodes:
                return None  # it is no node, or the first one is none
        return found

    @cached_property
    def by_annotation(self) -> dict[str, str]:
        """The same for all objects, by annotation, which decides which of two objects gets a name."""
        with limited_depth():
            annotated = annotate(self._tree, contexts.table(self._tree.get("@context")))
            annotated.in_document(annotated.objects[0].name)
        ways = _objects(annotated.objects[0].source)
        return {annotated.names[id(one)]: pointer(way) for one, way in ways if id(one) in annotated.names}


_CONTAINERS = frozenset((dict, list))
_LONGEST = 16
"""No array has an index with more digits."""


def _stem(name: str) -> str:
    return name.replace("#", "%23")


def _at(value: Any, way: _Way) -> Any:
    for step in way:
        value = value[step]
    return value


def _objects(value: Any) -> Iterator[tuple[Tree, _Way]]:
    """Yield all JSON objects, in document order, with the paths to them.

    Those in contexts are left out; their `@id`s name terms.
    """
    waiting: list[tuple[Any, _Way]] = [(value, ())]
    while waiting:
        value, way = waiting.pop()
        below: list[tuple[Any, _Way]] = []
        if isinstance(value, dict):
            yield value, way
        for step, one in value.items() if isinstance(value, dict) else enumerate(value):
            kind = one.__class__
            if kind not in _CONTAINERS or step == "@context":
                continue
            if kind is dict:
                below.append((one, (*way, step)))
            else:
                # Arrays are gone through at once: most hold objects, or nothing but texts.
                below += [((inner, (*way, step, at))) for at, inner in enumerate(one) if inner.__class__ in _CONTAINERS]
        waiting += reversed(below)
