"""The forms of JSON-LD: a checkpoint in any legal form, rewritten in the plain keys that the dialects know.

Most files have plain keys and stay as they are; `literal_form` finds and normalizes small departures. All other forms
(full IRIs, prefixes, expanded and flattened documents, other contexts) go through PyLD's expansion, with our context as
the default, and `statements` builds the tree. `Placeholders` keeps the values that expansion would change or drop.
"""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.dialects import is_v2
from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.dialects.reading.literal_form import (
    KEYWORDS,
    MEMBERS,
    NAMES,
    ROOT_TYPES,
    VALUE_OBJECT,
    Normalization,
    Plain,
    PlainNames,
    Tree,
    UnusualObjects,
    chains_in,
    is_literal,
)
from checkpoint_ld.dialects.reading.statements import of_index, roots
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.documents.text import steps_of
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts, coverage
from checkpoint_ld.graph.annotation import LARGEST_FOR_PYLD
from checkpoint_ld.graph.contexts import ESCAPED, RDF_TYPE, VERBATIM, expand, expand_name, statements
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, INTEGER, escaped, is_iri, json_text
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from checkpoint_ld.graph.store import Index


__all__ = ["Plain", "address_of", "of_index", "plain", "roots"]


def plain(value: Any) -> Plain:
    """Rewrite a JSON value in plain keys; a value that is no checkpoint stays as it is.

    Raises ReadError for invalid JSON-LD, a remote context that is not shipped, and several checkpoints.
    """
    unwrapped = _unwrapped(value)
    tree = unwrapped.tree
    if not isinstance(tree, (dict, list)) or (isinstance(tree, dict) and not _is_jsonld(tree)):
        return unwrapped
    with limited_depth():
        if isinstance(tree, dict):
            context = coverage.joined(tree.get("@context"))
            is_covered = coverage.covers(context, NAMES)
            if not is_covered or coverage.expansion() == coverage.PYLD:
                found = _expanded(value)
                if found is not None and is_covered:
                    found = replace(found, tree=_as_covered(found.tree, tree))
                return found or unwrapped
            table = contexts.table(context)
            names = PlainNames.of_context(context)
            marked = UnusualObjects(table, names).find(tree)
            if marked == {}:
                return unwrapped
            if is_literal(tree, table, names, marked) and ("@graph" not in tree or _is_root(tree)):
                normalization = Normalization(table, marked)
                tree = normalization.root(tree)
                if normalization.has_value_objects and (contexts.is_ours(context) or normalization.has_text_objects):
                    return _expanded(value) or unwrapped  # a JSON-LD processor wrote the document
                forms, changed = (*unwrapped.forms, *normalization.forms), tuple(normalization.changed)
                return Plain(tree, forms, unwrapped.origins, changed, has_typed_texts=normalization.has_typed_texts)
        return _expanded(value) or unwrapped


_CHECKPOINTS = frozenset(URIRef(namespace + name) for namespace in (SCHEMA, SCHEMA_HTTP) for name in ROOT_TYPES)


def _expanded(value: Any) -> Plain | None:
    placeholders = Placeholders(PlainNames.of_document(value), value)
    substituted = placeholders.substituted(value, is_top=True)
    index: Index = {}
    for context in _default_contexts(value):
        without_meaning: list[Any] = []
        expanded = expand(substituted, context, without_meaning.append)
        index = statements(placeholders.restored(expanded), distinct=False)
        if any(kind in _CHECKPOINTS for held in index.values() for kind in terms_of(held.get(RDF_TYPE))):
            break
    found = roots(index)
    if len(found) > 1:
        message = f"the document holds {len(found)} checkpoints: {', '.join(sorted(map(str, found)))}"
        remedy = "give each of them a file of its own"
        raise ReadError.of([finding("no-checkpoint", message, pointer="", remedy=remedy)])
    chain = next(chains_in(value), [])
    vocabulary = next((one["@vocab"] for one in reversed(chain) if isinstance(one, dict) and "@vocab" in one), None)
    is_of_today = False if vocabulary == SCHEMA_HTTP else None
    form = "JSON-LD in another form than plain keys"
    plain = of_index(index, form, as_found=True, is_of_today=is_of_today)
    names = sorted({one for one in without_meaning if isinstance(one, str) and not one.startswith("@")})
    left_out = [f"the context gives {', '.join(map(shown, names[:5]))} no meaning: left out"] if names else []
    return plain and replace(plain, changed=(*plain.changed, *placeholders.changed, *left_out))


def _as_covered(read: Tree, source: Tree) -> Tree:
    """Return a tree that PyLD gave under a covered context: with that context, and with its maps in order.

    PyLD sorts the keys of index maps.
    """
    bare = {key: value for key, value in read.items() if key != "@context"}
    parts, sources = bare.get("hasPart"), source.get("hasPart")
    if isinstance(parts, list) and isinstance(sources, list) and len(parts) == len(sources):
        bare["hasPart"] = [_with_maps_of(*pair) for pair in zip(parts, sources, strict=True)]
    return {"@context": source["@context"], **bare} if "@context" in source else bare


def _with_maps_of(part: Any, source: Any) -> Any:
    nodes, before = (one.get("nodes") if isinstance(one, dict) else None for one in (part, source))
    if not isinstance(nodes, dict) or not isinstance(before, dict) or nodes.keys() != before.keys():
        return part
    return {**part, "nodes": {key: nodes[key] for key in before}}


def _default_contexts(value: Any) -> Iterator[Tree]:
    """Yield the contexts of the keys that a document's own contexts do not define, until one gives a checkpoint.

    A document without a vocabulary has only what it defines itself, if that is a checkpoint. So has one with another
    vocabulary than schema.org's at some place, or with protected terms. For others it is ours, less the coercions that
    the graph makes anyway. Its scoped contexts have none of the keys that the document defines.
    """
    parts = [part for chain in chains_in(value) for part in chain]
    is_apart = any(isinstance(part, dict) and _is_apart(part) for part in parts)
    outer = next(chains_in(value), [])
    if is_apart or (outer and all(isinstance(part, dict) and "@vocab" not in part for part in outer)):
        yield {}
    if is_apart:
        return
    defined = {key for part in parts if isinstance(part, dict) for key in part}
    yield {
        key: _without(definition, defined)
        for key, definition in contexts.improved().items()
        if not (isinstance(definition, dict) and definition.get("@type") in (DOUBLE, DATETIME, "@vocab"))
    }


def _without(definition: Any, keys: Set[str]) -> Any:
    """Return a definition without the terms `keys` in its scoped contexts."""
    if not isinstance(definition, dict) or "@context" not in definition:
        return definition
    inner = {key: _without(one, keys) for key, one in definition["@context"].items() if key not in keys}
    return {**definition, "@context": inner}


def _is_apart(context: Tree) -> bool:
    """Return whether a context has another vocabulary or protected terms, also inside of a term."""
    inner = [one["@context"] for one in context.values() if isinstance(one, dict) and "@context" in one]
    scoped = [one for held in inner for one in (held if isinstance(held, list) else [held]) if isinstance(one, dict)]
    has_own = "@vocab" in context and not contexts.is_literal(context)
    is_protected = "@protected" in context or any(
        isinstance(one, dict) and "@protected" in one for one in context.values()
    )
    return has_own or is_protected or any(map(_is_apart, scoped))


def _unwrapped(value: Any) -> Plain:
    """Take a checkpoint out of a root array or an `@graph`; the other entries become its `@included`."""
    if isinstance(value, list):
        steps = [f"/{at}" for at in range(len(value))]
        return _chosen(value, steps, {}, "a root array") or Plain(value)
    if not isinstance(value, dict) or "@graph" not in value:
        return Plain(value)
    if any(key not in ("@context", "@graph", "@id") and (key[:1] != "@" or key in KEYWORDS) for key in value):
        return Plain(value)  # a member that has an effect on the objects in the graph
    inside, steps = [value["@graph"]], ["/@graph"]
    if isinstance(value["@graph"], list):
        inside, steps = value["@graph"], [f"/@graph/{at}" for at in range(len(value["@graph"]))]
    outer = {"@context": value["@context"]} if "@context" in value else {}
    beside = sorted(value.keys() - {"@context", "@graph"})
    form = "an @graph around the checkpoint" + (f", whose {', '.join(beside)} is left out" if beside else "")
    return _chosen(inside, steps, outer, form) or Plain(value)


def _chosen(inside: list[Any], steps: list[str], outer: Tree, form: str) -> Plain | None:
    """Return the only checkpoint in an array, whose entries stand at `steps`; None if there is not exactly one."""
    entries = enumerate(map(_unwrapped, inside))
    found = [(at, inner) for at, inner in entries if len(inside) == 1 or _is_root(inner.tree)]
    if len(found) != 1 or not all(isinstance(entry, dict) for entry in (*inside, found[0][1].tree)):
        return None
    at, inner = found[0]
    tree = {**outer, **inner.tree}
    origins = {pointer: steps[at] + origin for pointer, origin in (inner.origins or {"": ""}).items()}
    others = [other for other in range(len(inside)) if other != at]
    if others:
        if "@included" in tree:
            return None
        tree["@included"] = [inside[other] for other in others]
        origins |= {f"/@included/{new}": steps[old] for new, old in enumerate(others)}
    return Plain(tree, (form, *inner.forms), origins)


def _is_root(value: Any) -> bool:
    """Return whether a value is the root of a checkpoint in plain keys."""
    if not isinstance(value, dict):
        return False
    types = value.get("@type")
    kinds = types if isinstance(types, list) else [types]
    return "dataFeedElement" in value or any(isinstance(kind, str) and kind in ROOT_TYPES for kind in kinds)


def _is_jsonld(tree: Tree) -> bool:
    return not is_v2(tree) and any(key.startswith("@") or ":" in key for key in tree)


def address_of(context: Any) -> str | None:
    """Return the first address in a context that is not known, None if there is none."""
    parts = context if isinstance(context, list) else [context]
    parts = [part.get("@import") if isinstance(part, dict) else part for part in parts]
    return next((part for part in parts if isinstance(part, str) and part not in contexts.KNOWN_ADDRESSES), None)


_WITHOUT_STATEMENT = frozenset(("@index", "@direction"))
_CONTAINERS = frozenset(("@list", "@set"))
_MAPS = frozenset(("@id", "@index", "@type", "@graph"))
"""Containers of maps of objects, whose keys may be `@none` (JSON-LD 1.1 §9.8)."""


class Placeholders:
    """The values of a document that expansion would change or drop, each replaced by a token.

    `changed` lists the differences that plain keys make.
    """

    def __init__(self, names: PlainNames, document: Any) -> None:
        self._names = names
        self._token_stem = f"urn:uuid:{uuid.uuid4()}"
        self._values: dict[str, Any] = {}
        self._mentions = Counter(self._identifiers(document))
        self.changed: list[str] = []
        self._keeps_form = all(
            coverage.covers(chain if len(chain) > 1 else chain[0], NAMES) for chain in chains_in(document) if chain
        )
        """Whether nested arrays, lists and value objects keep their form, as no context changes what is in them."""
        containers = [pair for chain in chains_in(document) for pair in _containers(chain)]
        self._lists = {key for key, container in containers if container == "@list"}
        self._maps = {key for key, container in containers if container in _MAPS}

    def substituted(self, value: Any, at: str = "", *, is_property: bool = False, is_top: bool = False) -> Any:
        """Return a value with a token in place of every one in it that expansion would change or drop."""
        if isinstance(value, list):
            if not (self._keeps_form or is_top) and any(isinstance(entry, list) for entry in value):
                self.changed.append(f"arrays inside of the array at {at} are read as JSON-LD does: as their values")
            return [
                self._verbatim(self._in_plain_keys(entry))
                if entry is None
                or (isinstance(entry, list) and self._keeps_form and self._is_independent(entry) and not is_top)
                else self.substituted(entry, f"{at}/{place}", is_property=is_property, is_top=is_top)
                for place, entry in enumerate(value)
            ]
        if isinstance(value, dict):
            return self._object(value, at, is_property=is_property, is_top=is_top)
        if isinstance(value, int) and abs(value) > LARGEST_FOR_PYLD:
            return {"@value": str(value), "@type": INTEGER}
        return value

    def _object(self, value: dict[str, Any], at: str, *, is_property: bool, is_top: bool) -> Any:
        keys = {self._names.plain(key) for key in value}
        if "@value" in keys:
            return (
                self._kept_object(value, at, keys & _WITHOUT_STATEMENT)
                if keys & _WITHOUT_STATEMENT or value.get("@value", "") is None
                else value
            )
        if keys & _CONTAINERS:
            return self._kept_object(value, at, keys & _CONTAINERS)
        if not keys and not is_top:
            return self._verbatim({})
        if keys == {"@none"} and at.endswith("/nodes"):  # a map whose objects have their keys elsewhere
            return {key: self.substituted(member, at) for key, member in value.items()}
        types = self._types(value)
        is_property = is_property or "PropertyValue" in types
        may_wrap = is_top and ROOT_TYPES.isdisjoint(types)
        is_wrapper = may_wrap and all(key.startswith("@") for key in keys)
        taken = {}
        for key, member in value.items():
            name, place = self._names.plain(key), step(at, key)
            if not is_wrapper and self._makes_no_statement(name, member, is_top=is_top, may_wrap=may_wrap):
                is_jsonld = name in KEYWORDS
                taken[ESCAPED + escaped(name)] = self._verbatim(self._in_plain_keys(member) if is_jsonld else member)
                continue
            if name in ("@reverse", "@nest"):
                self.changed.append(f"the {name} at {place} is read as what it states")
            is_inside = is_top and name in ("@graph", "@included")
            taken[self._key(key)] = self._member(key, member, place, is_property=is_property, is_top=is_inside)
        return taken

    def _makes_no_statement(self, name: str, value: Any, *, is_top: bool, may_wrap: bool) -> bool:
        """Return whether a member of a node object becomes no statement."""
        if name == "@id":
            return isinstance(value, str) and value.startswith("_:") and self._mentions[value] < 2 and not is_top
        if name in ("@graph", "@included"):
            is_content = is_top and (self._holds_root(value) if may_wrap else name == "@included")
            return not is_content and (name == "@graph" or self._keeps_form) and self._is_independent(value)
        return name == "@index" or (
            name.startswith("@") and name not in KEYWORDS and self._names.iri(name).startswith("@")
        )

    def _kept_object(self, value: dict[str, Any], at: str, lost: set[str]) -> Any:
        """Return the replacement of an object that statements cannot represent.

        A token keeps it unchanged in unknown members; elsewhere the members `lost` are left out.
        """
        keys = [part for part in steps_of(at) if part and not part.isdecimal()]
        name = self._names.plain(keys[-1]) if keys else ""
        is_unknown = name not in MEMBERS and name[:1] != "@"
        keeps_form = self._keeps_form or lost.isdisjoint(_CONTAINERS)  # contexts do not change a value object
        if is_unknown and keeps_form and self._is_independent(value):
            return self._verbatim(self._in_plain_keys(value))
        self.changed += [f"the {keyword} at {at} is left out" for keyword in sorted(lost)]
        is_list = {key: self._names.plain(key) in _CONTAINERS for key in value}
        return {key: self.substituted(content, at) if is_list[key] else content for key, content in value.items()}

    def _key(self, key: str) -> str:
        iri = self._names.iri(key)
        return key if iri.startswith("@") or is_iri(expand_name(iri)) else ESCAPED + escaped(iri)

    def _types(self, value: dict[str, Any]) -> list[str]:
        types = [kind for key, kind in value.items() if self._names.plain(key) == "@type"]
        listed = [name for kind in types for name in (kind if isinstance(kind, list) else [kind])]
        return [self._names.plain(name) for name in listed if isinstance(name, str)]

    def _member(self, key: str, value: Any, at: str, *, is_property: bool, is_top: bool) -> Any:
        name = self._names.plain(key)
        if name in ("@context", "@type", "@value") or self._names.is_json(key):
            return value
        is_json = value is None or isinstance(value, (dict, list))
        if is_property and name == "value" and is_json and not self._is_jsonld(value):
            return self._token({"@value": value, "@type": "@json"})
        if (value is None or (value == [] and key not in self._lists)) and not name.startswith("@"):
            return self._verbatim(value)
        if key in self._lists and name in MEMBERS:
            self.changed.append(f"the list at {at} is read as its values")
        if key in self._maps and isinstance(value, dict) and {*map(self._names.plain, value)}.isdisjoint(KEYWORDS):
            return {token: self.substituted(one, step(at, token)) for token, one in value.items()}
        return self.substituted(value, at, is_property=name == "additionalProperty", is_top=is_top)

    def _token(self, value: dict[str, Any]) -> str:
        token = f"{self._token_stem}:{len(self._values)}"
        self._values[token] = value
        return token

    def _verbatim(self, value: Any) -> str:
        """Return the token of a value that has to be restored unchanged."""
        return self._token({"@value": json_text(value), "@type": str(VERBATIM)})

    def _in_plain_keys(self, value: Any) -> Any:
        """Return JSON-LD in plain keys, without the prefixes and terms of the document's contexts."""
        if isinstance(value, list):
            return [self._in_plain_keys(member) for member in value]
        if not isinstance(value, dict):
            return value
        plain = {}
        for key, member in value.items():
            name = self._name(key)
            is_type = name == "@type" and isinstance(member, str)
            plain[name] = self._name(member) if is_type else member if name == "@value" else self._in_plain_keys(member)
        return plain

    def _name(self, name: str) -> str:
        plain = self._names.plain(name)
        return plain if plain != name else self._names.iri(name)

    def _is_independent(self, value: Any) -> bool:
        """Return whether a value and the rest of the document do not refer to each other."""
        inside = Counter(self._identifiers(value))
        defined = {*self._identifiers(value, of_references=False)} | {
            identifier for identifier in inside if identifier.startswith("_:")
        }
        return all(
            self._mentions[identifier] == inside[identifier] for identifier in defined
        ) and not self._has_context(value)

    def _holds_root(self, value: Any) -> bool:
        """Return whether a checkpoint may be somewhere in a value."""
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        is_root = isinstance(value, dict) and (
            not ROOT_TYPES.isdisjoint(self._types(value)) or "dataFeedElement" in map(self._names.plain, value)
        )
        return is_root or any(map(self._holds_root, inner))

    def _has_context(self, value: Any) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return (isinstance(value, dict) and "@context" in value) or any(map(self._has_context, inner))

    def _identifiers(self, value: Any, *, of_references: bool = True) -> Iterator[str]:
        """Yield the identifiers in a value, each as often as it occurs."""
        if isinstance(value, list):
            for member in value:
                yield from self._identifiers(member, of_references=of_references)
        elif isinstance(value, dict):
            for key, member in value.items():
                if isinstance(member, str):
                    if (of_references or len(value) > 1) and self._names.plain(key) == "@id":
                        yield member
                    elif of_references and member.startswith("_:"):
                        yield member  # a key may say that its texts are names
                else:
                    yield from self._identifiers(member, of_references=of_references)

    def _is_jsonld(self, value: Any) -> bool:
        """Return whether a value is JSON-LD: value objects, a list, node objects with IRIs as keys, blank nodes."""
        values = value if isinstance(value, list) else [value]
        return bool(values) and all(isinstance(one, dict) and self._is_node(one, value) for one in values)

    def _is_node(self, entry: dict[str, Any], value: Any) -> bool:
        keys = {self._names.plain(key) for key in entry}
        if "@value" in keys:
            return keys <= VALUE_OBJECT
        if keys == {"@id"}:
            return str(next(iter(entry.values()))).startswith("_:")
        is_spelled_out = any(self._names.plain(key) != key for key in entry)
        return keys == {"@list"} or is_spelled_out or (isinstance(value, list) and _is_expanded(entry))

    def restored(self, value: Any) -> Any:
        """Return a part of an expanded document with the values in place of their tokens."""
        if isinstance(value, list):
            return [self.restored(member) for member in value]
        if not isinstance(value, dict):
            return value
        token = value.get("@value", value.get("@id"))
        if isinstance(token, str) and token in self._values:
            return self._values[token]
        return {key: self.restored(member) for key, member in value.items()}


def _containers(context: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a context with their containers.

    In a list, an empty array is a statement; the keys of a map are no names.
    """
    if isinstance(context, list):
        for one in context:
            yield from _containers(one)
    elif isinstance(context, dict):
        for key, definition in context.items():
            if isinstance(definition, dict):
                container = definition.get("@container")
                yield from ((key, one) for one in (container if isinstance(container, list) else [container]))
                yield from _containers(definition.get("@context"))


def _is_expanded(node: dict[str, Any]) -> bool:
    """Return whether an object is in expanded form (JSON-LD 1.1 §5.3): IRIs as keys, arrays as values."""
    return bool(node) and all(
        key.startswith("@") or (":" in key and isinstance(value, list)) for key, value in node.items()
    )
