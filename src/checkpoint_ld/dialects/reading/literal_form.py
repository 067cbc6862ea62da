"""The literal form: a checkpoint in plain keys, the names that the dialects know, and small departures from it.

`PlainNames` maps the keys and types of a document to plain ones by its contexts. `UnusualObjects` finds the objects
that need attention, `is_literal` decides whether the document can be read without expansion, and `Normalization`
corrects small departures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import chain, compress, repeat
from operator import itemgetter, not_
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.graph import contexts, coverage
from checkpoint_ld.graph.annotation import is_name, set_apart_in
from checkpoint_ld.graph.columns import TOGETHER, alike
from checkpoint_ld.graph.contexts import ROOT_TYPE, expand_name, is_property_value, json_keys
from checkpoint_ld.graph.key_order import KEY, in_order, is_orders
from checkpoint_ld.graph.literals import DOUBLE, TypedText, is_iri, is_language, json_text
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCHEMA_HTTP, TEXTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.graph.columns import Alike
    from checkpoint_ld.graph.contexts import Definition, Term, TermTable

Tree = dict[str, Any]

SCENARIO_TYPES = frozenset(("karenina:Scenario", "karenina:ScenarioNode"))

ROOT_TYPES = frozenset(("DataFeed", "Dataset"))
AGENT_TYPES = frozenset(("Person", "Organization"))
PART_TYPES = frozenset(("DataFeedItem", "Question", "Answer", "SoftwareSourceCode", "Rating", "PropertyValue"))
TYPES = ROOT_TYPES | PART_TYPES | AGENT_TYPES | SCENARIO_TYPES

STRUCTURE = frozenset(
    ("dataFeedElement", "item", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "creator")
)
"""Members that hold the objects of a checkpoint."""

SCENARIO_STRUCTURE = frozenset(("nodes", "edges", "outcomeCriteria", "question"))
"""The same of a scenario."""
_PREFIXED = frozenset(f"karenina:{name}" for name in SCENARIO_STRUCTURE)

NUMBERS = frozenset(("bestRating", "worstRating", "ratingValue"))
MEMBERS = STRUCTURE | TEXTS | NUMBERS | {"contentRating", "value", "additionalType"}
"""Members that have a meaning in a checkpoint."""
NAMES = MEMBERS | TYPES | SCENARIO_STRUCTURE
"""The plain names of members and types that have a meaning in a checkpoint."""


KEYWORDS = frozenset(
    (
        *("@context", "@direction", "@graph", "@id", "@included", "@index", "@language", "@list", "@nest"),
        *("@reverse", "@set", "@type", "@value"),
    )
)
"""Keywords that may be keys of objects (JSON-LD 1.1 §9.16)."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A document in plain keys; `forms` lists its unusual forms, `changed` the differences that plain keys make.

    `origins` maps pointers to those of the source; it is None when expansion has lost the places.
    """

    tree: Any
    forms: tuple[str, ...] = ()
    origins: dict[str, str] | None = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    has_typed_texts: bool = False


_NAMESPACES = {SCHEMA: "", SCHEMA_HTTP: "", "schema:": "", KARENINA: "karenina:"}


class PlainNames:
    """The plain names of the keys and types of a document, by the term definitions of its contexts."""

    def __init__(self, definitions: dict[str, Definition] | None = None) -> None:
        self.definitions = definitions or {}

    @classmethod
    def of_context(cls, context: object) -> PlainNames:
        """Build it from one context."""
        return cls(contexts.definitions(context) if context else {})

    @classmethod
    def of_document(cls, value: Any) -> PlainNames:
        """Build it from all contexts at any depth of a document."""
        definitions: dict[str, Definition] = {}
        for nested in {json.dumps(nested): nested for nested in chains_in(value)}.values():
            definitions.update(contexts.definitions(nested))
        return cls(definitions)

    def plain(self, name: str) -> str:
        """Return the plain name of a key or type; an unknown name stays as it is.

        The alias of a keyword becomes the keyword. A plain name stays as it is even where a context redefines it,
        because Karenina matches names literally.
        """
        if name in MEMBERS or name in TYPES:
            return name
        iri = self.iri(name)
        for namespace, prefix in _NAMESPACES.items():
            if iri.startswith(namespace):
                return prefix + iri[len(namespace) :]
        return iri if iri.startswith("@") else name

    def is_json(self, key: str) -> bool:
        """Return whether the values of `key` are JSON literals."""
        definition = self.definitions.get(key)
        return key in json_keys() if definition is None else definition.coercion == "@json"

    def iri(self, name: str) -> str:
        """Return the IRI or keyword that the contexts define for `name`; an undefined name stays as it is."""
        definition = self.definitions.get(name)
        if definition is not None:
            return definition.iri
        prefix, colon, local = name.partition(":")
        definition = self.definitions.get(prefix) if colon and not local.startswith("//") else None
        return definition.iri + local if definition is not None and definition.is_prefix else name

    def is_plain_key(self, key: str) -> bool:
        """Return whether a key is plain or unknown."""
        plain = self.plain(key)
        return plain not in _PREFIXED and (plain == key or not (plain in MEMBERS or plain.startswith("@")))

    def is_plain_type(self, name: Any) -> bool:
        """Return whether a type is plain or unknown."""
        if not isinstance(name, str):
            return True
        plain = self.plain(name)
        return plain in (name, f"karenina:{name}") or not (plain in TYPES or plain.startswith("karenina:"))


def chains_in(value: Any, outer: Sequence[Any] = ()) -> Iterator[list[Any]]:
    """Yield each context of a document after the contexts around it."""
    if isinstance(value, list):
        for member in value:
            yield from chains_in(member, outer)
    elif isinstance(value, dict):
        if "@context" in value:
            context = value["@context"]
            outer = [*outer, *(context if isinstance(context, list) else [context])]
            yield outer
        for key, member in value.items():
            if key != "@context":
                yield from chains_in(member, outer)


_STATING = frozenset(("@reverse", "@nest", "@value", "@list", "@set", "@none"))
"""Keywords that make statements; others, and keys with the form of a keyword, are kept unchanged."""
_STATING_BELOW = frozenset(("@reverse", "@nest", "@set"))
_CONTAINERS = frozenset((dict, list))
_NONE: Mapping[str, Any] = MappingProxyType({})
VALUE_OBJECT = frozenset(("@value", "@type", "@language", "@direction", "@index"))
_VALUE_KEYWORDS = frozenset(("@value", "@id", "@list", "@set"))
RUBRICS = frozenset(("rubric", "globalRubric"))
_IN_SCENARIOS = STRUCTURE | SCENARIO_STRUCTURE
_SINGLES = frozenset(("item", "acceptedAnswer"))


Marks = dict[int, bool]
"""Objects that may be unusual and the objects around them, by identity; the value is whether all below is included."""


def is_literal(
    tree: Tree, table: TermTable, names: PlainNames, marked: Marks | None = None, via: Term | None = None
) -> bool:
    """Return whether all objects that make up a checkpoint are in plain keys and in their places.

    With `marked`, the result of `UnusualObjects.find`, only these objects are checked.
    """
    marked = None if marked is None or marked.get(id(tree)) else marked
    types = tree.get("@type")
    if not all(map(names.is_plain_type, types if isinstance(types, list) else [types])):
        return False
    scoped = of_root(tree.get("@context")) if via is None else {}
    if scoped and not _is_ours(scoped, tree, None, table, is_scoped=True):
        return False
    known, structure = table.at(via, types).by_key, _structure_of(types)
    is_node = any(key[:1] != "@" for key in tree)
    for key, value in tree.items():
        if is_node and key in ("@list", "@set"):
            continue  # no list or set object, in which nothing else may stand
        if not _is_plain_member(key, value, names):
            return False
        is_known = (
            (key[:1] == "@" and key != "@included")
            or key in structure
            or key in RUBRICS
            or (key == "value" and is_property_value(types, via))
        )
        if not is_known and not _is_plain_below(value, known.get(key), table):
            return False
        below = _objects(key, value) if key in structure else ()
        for holder in below if marked is None else [holder for holder in below if id(holder) in marked]:
            if holder.keys() == {"@id"} or not _has_no_context(holder, known.get(key), table):
                return False
            if not is_literal(holder, table, names, marked, known.get(key)):
                return False
    return True


def _is_plain_below(value: Any, via: Term | None, table: TermTable) -> bool:
    """Return whether objects in a member that checkpoints do not have have no contexts and keywords of their own."""
    if via is not None and via.coercion == "@json":
        return True
    if type(value) is list:
        return all(_is_plain_below(one, via, table) for one in value if type(one) in _CONTAINERS)
    if type(value) is not dict or "@value" in value:
        return True
    if via is not None and via.container == "@index":
        return all(_is_plain_below(one, None, table) for one in value.values())
    if not _STATING_BELOW.isdisjoint(value) or not _has_no_context(value, via, table):
        return False
    kind = value.get("@type")
    terms, is_property = table.at(via, kind).by_key, is_property_value(kind, via)
    return all(
        _is_plain_below(one, terms.get(key), table)
        for key, one in value.items()
        if type(one) in _CONTAINERS and key[:1] != "@" and not (is_property and key == "value")
    )


def _is_plain_member(key: str, value: Any, names: PlainNames) -> bool:
    if key.startswith("@"):
        return key not in _STATING
    if not names.is_plain_key(key):
        return False
    if type(value) is str and key != "additionalType":
        return True
    if key == "additionalType" and isinstance(value, str) and not value.startswith(KARENINA):
        return names.is_plain_type(value)
    if key in TEXTS and all(entry is not None for entry in map(_typed_text, _objects(key, value))):
        return True
    if key == "contentRating":
        return not any(isinstance(entry, dict) for entry in (value if isinstance(value, list) else [value]))
    values = value if isinstance(value, list) else [value]
    has_keyword = any(isinstance(entry, dict) and entry.keys() & _VALUE_KEYWORDS for entry in values)
    return key not in MEMBERS or key in STRUCTURE or key == "value" or not has_keyword


def _structure_of(types: Any) -> frozenset[str]:
    kinds = types if isinstance(types, list) else [types]
    return _IN_SCENARIOS if any(isinstance(kind, str) and kind in SCENARIO_TYPES for kind in kinds) else STRUCTURE


def _objects(key: str, value: Any) -> list[Tree]:
    if isinstance(value, dict):
        value = list(value.values()) if key == "nodes" and "@none" not in value else [value]
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _has_no_context(value: Tree, via: Term | None, table: TermTable) -> bool:
    """Return whether an object has no local context, or exactly the local context that we would write."""
    if not value.get("@context", True):  # an empty context is kept
        return isinstance(value["@context"], dict)
    if "@context" not in value:
        return True

    return _is_ours(value["@context"], value, via, table)


def _is_ours(own: object, value: Tree, via: Term | None, table: TermTable, *, is_scoped: bool = False) -> bool:
    """Return whether a local context of an object says no more than the one that we would write.

    `is_scoped` is that it does not apply to the objects below anyway, as the type-scoped one of a root.
    """
    from checkpoint_ld.graph.emission.json_ld import is_below, local_context  # noqa: PLC0415 - it takes long to import

    if not isinstance(own, dict):
        return False
    kind = value.get("@type")
    is_property = is_property_value(kind, via)
    members = {key: one for key, one in value.items() if key != "@context"}
    keys = {key for key in own if key != "@propagate"}
    below = {key: one for key, one in members.items() if not (is_property and key == "value")}
    if own.get("@propagate", not is_scoped) is not False and is_below(below, keys):
        return False
    apart = {key for key in keys if own[key] is None}
    if apart and not apart <= set_apart_in(members, via, table):
        return False  # a member that its context excludes from the graph is no statement
    typings = typings_of(own)
    ours = local_context(members, table.at(via, kind), is_property=is_property)
    stated = {key: own[key] for key in keys - apart - typings.keys()}
    return not stated or stated == {
        key: definition for key, definition in ours.items() if key != "@propagate" and key not in {*apart, *typings}
    }


def typings_of(context: object) -> dict[str, Tree]:
    """Return the languages and datatypes that a local context gives to texts, by key."""
    typings = {}
    for key, given in context.items() if isinstance(context, dict) else ():
        keywords = (
            {name: definition for name, definition in given.items() if name.startswith("@")}
            if isinstance(given, dict)
            else {}
        )
        typing = {name: definition for name, definition in keywords.items() if name not in ("@id", "@container")}
        is_same = keywords.get("@id", key) in (key, expand_name(key)) and keywords.get("@container") in (None, "@set")
        if is_same and (key in TEXTS or key == "value") and _typed_text({"@value": "", **typing}) is not None:
            typings[key] = typing
    return typings


def of_root(context: object) -> Tree:
    """Return the type-scoped context of the root in a document's context."""
    scoped = context.get(ROOT_TYPE) if isinstance(context, dict) else None
    local = scoped.get("@context") if isinstance(scoped, dict) else None
    return local if isinstance(local, dict) else {}


def _typed_text(value: Tree) -> TypedText | None:
    """Return the text of a value object that has a language or the IRI of a datatype; None for any other object."""
    text, language, datatype = (value.get(key) for key in ("@value", "@language", "@type"))
    if not isinstance(text, str) or len(value) != 2 or datatype == DOUBLE:
        return None
    if isinstance(language, str) and is_language(language):
        return TypedText(text, language.lower())
    return TypedText(text, None, datatype) if isinstance(datatype, str) and is_iri(datatype) else None


class Normalization:
    """Corrects small departures from the literal form; `forms` lists them.

    With `marked`, the result of `UnusualObjects.find`, other objects stay as they are.
    """

    def __init__(self, table: TermTable, marked: Marks | None = None) -> None:
        self.table = table
        self.marked = marked
        self.forms: list[str] = []
        self.changed: list[str] = []
        self.has_typed_texts = False
        self.has_text_objects = False
        """Whether a known member holds value objects, as a JSON-LD processor writes them."""
        self.has_value_objects = False
        """Whether the value of a property has the form of a value object."""

    def root(self, tree: Tree) -> Tree:
        """Return the tree of a checkpoint in its usual shape."""
        context = tree.get("@context")
        if isinstance(context, list):
            self.forms.append("an array as @context")
            tree = {**tree, "@context": _joined(context)}
        return self._object(tree, None, "", typings=typings_of(of_root(context)))

    def _object(
        self, tree: Tree, via: Term | None, pointer: str, *, is_known: bool = True, typings: Mapping[str, Tree] = _NONE
    ) -> Tree:
        """Return an object in its usual shape; below an unknown member only our local contexts are removed."""
        marked = self.marked
        if marked is not None and is_known:
            is_whole = marked.get(id(tree))
            if is_whole is None:
                return tree
            self.marked = None if is_whole else marked
        try:
            return self._normalized(tree, via, pointer, is_known=is_known, typings=typings)
        finally:
            self.marked = marked

    def _normalized(
        self, tree: Tree, via: Term | None, pointer: str, *, is_known: bool, typings: Mapping[str, Tree]
    ) -> Tree:
        kind = self._one_type(tree.get("@type"), f"{pointer}/@type") if is_known else tree.get("@type")
        known = self.table.at(via, kind).by_key
        is_property = is_property_value(kind, via)
        structure = _structure_of(kind) if is_known else frozenset()
        normalized: Tree = {}
        for key, value in tree.items():
            if key == KEY and is_orders(value):
                continue
            if key == "@context" and pointer and value and _has_no_context(tree, via, self.table):
                typings = typings_of(value)
                continue
            is_named = key == "@id" or (key == "@type" and "@value" not in tree)  # that of a JSON literal is a keyword
            # A rule about nulls reports an @id of null.
            if is_named and not (key == "@id" and value is None) and not is_name(value, is_type=key == "@type"):
                member = f"{key} at {pointer or '/'} is {json_text(value)[:40]}"
                self.changed.append(f"the {member}, which no JSON-LD processor takes; it is left out of what we write")
            term = known.get(key)
            if (
                type(value) is str
                and key != "additionalType"
                and key[:1] != "@"
                and (term is None or not term.container)
            ):
                normalized[key] = value
            elif (
                (key.startswith("@") and key != "@included")
                or (is_property and key == "value")
                or (term and term.coercion == "@json")
            ):
                normalized[key] = kind if key == "@type" else value
                self.has_value_objects |= key == "value" and "@context" not in tree and is_value_object(value)
            else:
                at = step(pointer, key)
                shaped = self._shaped(tree, key, value, term, at) if is_known else value
                normalized[key] = self._below(shaped, term, at, is_known=key in structure)
        self.has_typed_texts |= bool(typings)
        if KEY in tree and is_orders(tree[KEY]):
            normalized = in_order(normalized, tree[KEY])
        return {key: _typed_as(value, typings[key]) if key in typings else value for key, value in normalized.items()}

    def _below(self, value: Any, via: Term | None, pointer: str, *, is_known: bool) -> Any:
        if isinstance(value, list):
            return [self._below(entry, via, f"{pointer}/{at}", is_known=is_known) for at, entry in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if via is None or via.container != "@index":
            return self._object(value, via, pointer, is_known=is_known)
        return {
            key: self._object(entry, via, step(pointer, key), is_known=is_known) if isinstance(entry, dict) else entry
            for key, entry in value.items()
        }

    def _shaped(self, tree: Tree, key: str, value: Any, term: Term | None, pointer: str) -> Any:
        if key == "additionalType" and isinstance(value, str) and value.startswith(KARENINA):
            self.forms.append(f"a full IRI at {pointer}")
            return f"karenina:{value[len(KARENINA) :]}"
        if key in TEXTS and (objects := _objects(key, value)) and all(map(_typed_text, objects)):
            self.has_typed_texts = self.has_text_objects = True
            self.forms.append(f"a value object at {pointer}")
            value = (
                [_typed_text(entry) or entry if isinstance(entry, dict) else entry for entry in value]
                if isinstance(value, list)
                else _typed_text(value)
            )
        is_single = key in _SINGLES or (key == "hasPart" and "acceptedAnswer" in tree)
        if is_single and isinstance(value, list) and len(value) == 1:
            self.forms.append(f"an array of one at {pointer}")
            return value[0]
        if term is not None and term.container == "@set" and not is_single and isinstance(value, (dict, str)):
            self.forms.append(f"a single value at {pointer}")
            return [value]
        if key in RUBRICS and isinstance(value, dict):
            return {name: self._listed(name, entry, f"{pointer}/{name}") for name, entry in value.items()}
        return value

    def _listed(self, name: str, value: Any, pointer: str) -> Any:
        if not name.endswith("traits") or not isinstance(value, dict):
            return value
        self.forms.append(f"a single value at {pointer}")
        return [value]

    def _one_type(self, types: Any, pointer: str) -> Any:
        if isinstance(types, list) and len(types) == 1 and isinstance(types[0], str) and types[0] in TYPES:
            self.forms.append(f"an array as {pointer}")
            return types[0]
        return types


def _typed_as(value: Any, typing: Tree) -> Any:
    """Return a text, or an array of them, with the language or datatype that a term definition gives it."""
    if isinstance(value, list):
        return [_typed_as(text, typing) for text in value]
    return TypedText(value, typing.get("@language"), typing.get("@type")) if type(value) is str else value


def _joined(context: list[Any]) -> Any:
    whole = coverage.joined(context)
    if not isinstance(whole, list):
        return whole if context else {}
    objects = [part for part in context if isinstance(part, dict)]  # an address among them is not known
    return {key: value for part in objects for key, value in part.items()} if objects else context[0]


_SCALARS = frozenset((str, int, float, bool, type(None)))
_TEXTS, _OBJECTS = {str}, {dict}
_REFERENCE = ("@id",)


class _Holds(Enum):
    """The values of a member that are usual."""

    ANYTHING = auto()
    JSON = auto()
    PLAIN_VALUES = auto()
    VALUES = auto()
    OBJECTS = auto()
    TYPE_NAME = auto()
    NAME = auto()


class _Key(NamedTuple):
    holds: _Holds
    is_set: bool
    term: Term | None


class UnusualObjects:
    """Finds the objects of a document that may need changes, by comparing many objects of the same keys at once."""

    def __init__(self, table: TermTable, names: PlainNames) -> None:
        self._table = table
        self._names = names
        self._marked: Marks = {}
        self._around: dict[int, int] = {}
        """The identities of objects with those of the objects around them."""
        self._waiting: dict[int, tuple[Term | None, list[Tree]]] = {}
        self._keys: dict[tuple[str, str | None, int], _Key | None] = {}

    def find(self, tree: Tree) -> Marks | None:
        """Return the objects that `is_literal` may reject or `Normalization` may change, with those around them.

        None where that is the whole document.
        """
        context = tree.get("@context")
        if isinstance(context, list) or of_root(context):
            return None
        root = {key: value for key, value in tree.items() if key != "@context"}
        self._wait([root], None)
        count = 0
        while self._waiting:
            _, (via, objects) = self._waiting.popitem()
            count += len(objects)
            for at in range(0, len(objects), TOGETHER):
                self._find(objects[at : at + TOGETHER], via)
        if id(root) in self._marked:
            self._marked[id(tree)] = self._marked.pop(id(root))
        is_tree = len(self._around) == count - 1  # otherwise an object has two places
        return self._marked if is_tree else None

    def _wait(self, objects: Sequence[Tree], via: Term | None) -> None:
        """Queue objects that are values of `via`; objects of all places are processed together."""
        self._waiting.setdefault(id(via), (via, []))[1].extend(objects)

    def _mark(self, objects: Iterable[Tree], *, is_whole: bool = True) -> None:
        """Mark objects that may need changes, with `is_whole` including all objects below them."""
        for holder in objects:
            at = id(holder)
            self._marked[at] = is_whole or self._marked.get(at, False)
            while at in self._around and self._around[at] not in self._marked:
                at = self._around[at]
                self._marked[at] = False

    def _find(self, objects: list[Tree], via: Term | None) -> None:
        """Mark those of `objects` that may need changes."""
        groups = alike(objects)
        if groups is None and len(objects) > 1:
            for holder in objects:
                self._find([holder], via)
        elif groups is None:
            self._mark(objects)
        for group in groups or ():
            self._find_alike([objects[at] for at in group.members], group, via)

    def _find_alike(self, objects: Sequence[Tree], group: Alike, via: Term | None) -> None:
        """Mark those of `objects`, which have the same keys, that may need changes."""
        kind, keys = group.kind, group.keys
        is_scenario = (kind or "").startswith("karenina:Scenario")
        terms = self._table.at(via, kind).by_key
        if keys == _REFERENCE or is_scenario or not self._names.is_plain_type(kind):
            self._mark(objects)
            return
        for key in keys:
            if self._is_unknown(key, terms):
                self._mark((holder for holder in objects if _has_keywords(holder[key])), is_whole=False)
                continue
            place = key, kind, id(via)
            known = (
                self._keys[place] if place in self._keys else self._keys.setdefault(place, self._key(key, kind, via))
            )
            if known is None:
                self._mark(objects)
            elif known.holds is _Holds.NAME or known.holds is _Holds.TYPE_NAME:
                values = [*map(itemgetter(key), objects)]
                distinct: Collection[Any] = {*values} if {*map(type, values)} == _TEXTS else ()
                plain = distinct
                if plain and known.holds is _Holds.TYPE_NAME:
                    is_plain = self._names.is_plain_type
                    plain = {name for name in plain if not name.startswith(KARENINA) and is_plain(name)}
                if not plain or len(plain) < len(distinct):
                    self._mark((holder for holder in objects if holder[key] not in plain), is_whole=False)
            elif known.holds is not _Holds.ANYTHING:
                self._find_in([*map(itemgetter(key), objects)], objects, known)

    def _find_in(self, values: list[Any], objects: Sequence[Tree], known: _Key) -> None:
        """Mark those of `objects` whose values of one member are unusual."""
        kinds = {*map(type, values)}
        if kinds <= _SCALARS and not (known.is_set and str in kinds):
            return
        if known.holds is _Holds.JSON:
            self._mark(holder for value, holder in zip(values, objects, strict=True) if is_value_object(value))
            return
        others: Iterable[tuple[Any, Tree]] = zip(values, objects, strict=True)
        if known.holds is _Holds.OBJECTS:
            if known.is_set:
                fitting = [type(value) is list and {*map(type, value)} <= _OBJECTS for value in values]
                arrays = [*compress(values, fitting)]
                below = [*chain.from_iterable(arrays)]
                holders = [*chain.from_iterable(map(repeat, compress(objects, fitting), map(len, arrays)))]
            else:
                fitting = [type(value) is dict for value in values]
                below, holders = [*compress(values, fitting)], [*compress(objects, fitting)]
            self._around.update(zip(map(id, below), map(id, holders), strict=True))
            self._wait(below, known.term)
            others = compress(others, map(not_, fitting))
        for value, holder in others:
            kind = type(value)
            if kind is list:
                is_usual = known.is_set and known.holds is not _Holds.OBJECTS and _SCALARS.issuperset(map(type, value))
            elif kind is dict:
                is_usual = not known.is_set and known.holds is _Holds.VALUES and _is_json_literal(value)
            else:
                is_usual = kind in _SCALARS and not (known.is_set and kind is str)
            if not is_usual:
                self._mark([holder])

    def _is_unknown(self, key: str, terms: Mapping[str, Term]) -> bool:
        """Return whether neither checkpoints nor contexts define a key; an object may have many thousands of these."""
        is_name = ":" not in key and key[:1] != "@"
        is_known = key in terms or key in MEMBERS or key in RUBRICS or key in self._names.definitions
        return is_name and not is_known

    def _key(self, key: str, kind: str | None, via: Term | None) -> _Key | None:
        """Return the usual values of `key` at an object of the type `kind`, None if any value may need changes."""
        term = self._table.at(via, kind).by_key.get(key)
        if key in ("@id", "@type"):
            return _Key(_Holds.NAME, is_set=False, term=None)
        if (
            key == KEY
            or key.startswith("@")
            or not self._names.is_plain_key(key)
            or (term and term.container == "@index")
        ):
            return None
        if key == "additionalType":
            return _Key(_Holds.TYPE_NAME, is_set=False, term=term)
        is_literal = (is_property_value(kind, via) and key == "value") or (term and term.coercion == "@json")
        if is_literal and (key == "value" or key not in MEMBERS):
            return _Key(_Holds.JSON if key == "value" else _Holds.ANYTHING, is_set=False, term=term)
        holds = _Holds.OBJECTS if key in STRUCTURE else _Holds.PLAIN_VALUES if key in MEMBERS else _Holds.VALUES
        return _Key(holds, is_set=term is not None and term.container == "@set", term=term)


def _has_keywords(value: Any) -> bool:
    """Return whether an object in a value has a key with the form of a JSON-LD keyword."""
    if type(value) is dict:
        has_some = any(key[:1] == "@" for key in value) and not _is_json_literal(value)
        return has_some or any(map(_has_keywords, () if "@value" in value else value.values()))
    return type(value) is list and any(map(_has_keywords, value))


def is_value_object(value: Any) -> bool:
    """Return whether a value is a value object (JSON-LD 1.1 §9.5)."""
    return type(value) is dict and "@value" in value and value.keys() <= VALUE_OBJECT


def _is_json_literal(value: Tree) -> bool:
    """Return whether an object is a JSON literal (JSON-LD 1.1 §4.2.2)."""
    return value.keys() == {"@type", "@value"} and value["@type"] == "@json"
