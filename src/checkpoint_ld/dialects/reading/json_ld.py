"""The forms of JSON-LD: a checkpoint in any legal form, rewritten in the plain keys that the dialects know.

Most files are in plain keys and stay as they are, but for small departures that are put right in place. Everything else
(full IRIs, prefixes, expanded and flattened documents, other contexts) goes through PyLD's expansion, under our context
where a document has none of its own.
"""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects import is_v2
from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.dialects.reading.literal_form import (
    KEYWORDS,
    MEMBERS,
    ROOT_TYPES,
    Plain,
    Spelling,
    Tidying,
    Tree,
    Usual,
    is_literal,
)
from checkpoint_ld.dialects.reading.statements import of_index, roots
from checkpoint_ld.documents.text import steps_of
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts, interpreter
from checkpoint_ld.graph.contexts import ESCAPED, VERBATIM, expand, expand_name, statements
from checkpoint_ld.graph.literals import DOUBLE, INTEGER, escaped, is_iri, json_text
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.graph.contexts import Expanded


__all__ = ["Plain", "address_of", "of_index", "plain", "roots"]


def plain(value: Any) -> Plain:
    """Rewrite a JSON value in plain keys; what is no checkpoint at all comes back as it is.

    Raises ReadError for what is no JSON-LD, names a remote context that is not shipped, or holds several checkpoints.
    """
    unwrapped = _unwrapped(value)
    tree = unwrapped.tree
    if not isinstance(tree, (dict, list)) or (isinstance(tree, dict) and not _is_jsonld(tree)):
        return unwrapped
    with interpreter.room():
        if isinstance(tree, dict):
            context = tree.get("@context")
            table = contexts.table(context)
            spelling = Spelling.of_context(context)
            marked = Usual(table, spelling).unusual(tree)
            if marked == {}:
                return unwrapped
            if is_literal(tree, table, spelling, marked) and ("@graph" not in tree or _is_root(tree)):
                tidying = Tidying(table, marked)
                tree = tidying.root(tree)
                forms, changed = (*unwrapped.forms, *tidying.forms), tuple(tidying.changed)
                return Plain(tree, forms, unwrapped.origins, changed, has_typed_texts=tidying.has_typed_texts)
        return _expanded(value) or unwrapped


def _expanded(value: Any) -> Plain | None:
    shield = Shield(Spelling.of_document(value), value)
    # Keys that a document gives no meaning have that of our context, but a whole number stays one.
    ours = contexts.improved().items()
    context = {key: one for key, one in ours if not (isinstance(one, dict) and one.get("@type") == DOUBLE)}
    index = statements(shield.put_back(expand(shield.taken_out(value), context)), distinct=False)
    found = roots(index)
    if len(found) > 1:
        message = f"the document holds {len(found)} checkpoints: {', '.join(sorted(map(str, found)))}"
        remedy = "give each of them a file of its own"
        raise ReadError.of([finding("no-checkpoint", message, pointer="", remedy=remedy)])
    plain = of_index(index, "JSON-LD in another form than plain keys", as_found=True)
    return plain and replace(plain, changed=(*plain.changed, *shield.changed))


def _unwrapped(value: Any) -> Plain:
    """Take a checkpoint out of a root array or an `@graph`; what else stands there becomes its `@included`."""
    if isinstance(value, list):
        steps = [f"/{at}" for at in range(len(value))]
        return _chosen(value, steps, {}, "a root array") or Plain(value)
    if not isinstance(value, dict) or "@graph" not in value:
        return Plain(value)
    if any(key not in ("@context", "@graph", "@id") and (key[:1] != "@" or key in KEYWORDS) for key in value):
        return Plain(value)  # a member that says something of the objects in the graph
    inside, steps = [value["@graph"]], ["/@graph"]
    if isinstance(value["@graph"], list):
        inside, steps = value["@graph"], [f"/@graph/{at}" for at in range(len(value["@graph"]))]
    outer = {"@context": value["@context"]} if "@context" in value else {}
    beside = sorted(value.keys() - {"@context", "@graph"})
    form = "an @graph around the checkpoint" + (f", whose {', '.join(beside)} is left out" if beside else "")
    return _chosen(inside, steps, outer, form) or Plain(value)


def _chosen(inside: list[Any], steps: list[str], outer: Tree, form: str) -> Plain | None:
    """Return the one checkpoint in an array, whose entries stand at `steps`, as a tree of its own."""
    entries = enumerate(map(_unwrapped, inside))
    found = [(at, inner) for at, inner in entries if len(inside) == 1 or _is_root(inner.tree)]
    if len(found) != 1 or not all(isinstance(one, dict) for one in (*inside, found[0][1].tree)):
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
    """Return the address that a context is given by, where it is one that we do not know."""
    parts = context if isinstance(context, list) else [context]
    return next((one for one in parts if isinstance(one, str) and one not in contexts.KNOWN_ADDRESSES), None)


_VALUE_OBJECT = frozenset(("@value", "@type", "@language", "@direction", "@index"))
_LARGEST_FOR_PYLD = 10**300
_UNSAID = frozenset(("@index", "@direction"))
_CONTAINERS = frozenset(("@list", "@set"))


class Shield:
    """The values that were taken out of one document; `changed` says what is different in plain keys."""

    def __init__(self, spelling: Spelling, document: Any) -> None:
        self._spelling = spelling
        self._token_stem = f"urn:uuid:{uuid.uuid4()}"
        self._values: dict[str, Any] = {}
        self._mentions = Counter(self._identifiers(document))
        self.changed: list[str] = []

    def taken_out(self, document: Any) -> Any:
        """Return a document with a token in place of every value that JSON-LD would take apart or lose."""
        return self._taken_out(document, "", is_top=True)

    def _taken_out(self, value: Any, at: str, *, is_property: bool = False, is_top: bool = False) -> Any:
        if isinstance(value, list):
            return [
                self._verbatim(self._in_plain_keys(one))
                if one is None or (isinstance(one, list) and self._is_apart(one) and not is_top)
                else self._taken_out(one, f"{at}/{place}", is_property=is_property, is_top=is_top)
                for place, one in enumerate(value)
            ]
        if isinstance(value, dict):
            return self._object(value, at, is_property=is_property, is_top=is_top)
        if isinstance(value, int) and abs(value) > _LARGEST_FOR_PYLD:
            return {"@value": str(value), "@type": INTEGER}
        return value

    def _object(self, value: dict[str, Any], at: str, *, is_property: bool, is_top: bool) -> Any:
        keys = {self._spelling.plain(key) for key in value}
        if "@value" in keys:
            return self._kept(value, at, keys & _UNSAID) if keys & _UNSAID or value.get("@value", "") is None else value
        if keys & _CONTAINERS:
            return self._kept(value, at, keys & _CONTAINERS)
        if not keys and not is_top:
            return self._verbatim({})
        types = self._types(value)
        is_property = is_property or "PropertyValue" in types
        may_wrap = is_top and ROOT_TYPES.isdisjoint(types)
        is_wrapper = may_wrap and all(key.startswith("@") for key in keys)
        taken = {}
        for key, one in value.items():
            name, place = self._spelling.plain(key), step(at, key)
            if not is_wrapper and self._is_unsaid(name, one, is_top=is_top, may_wrap=may_wrap):
                is_jsonld = name in KEYWORDS
                taken[ESCAPED + escaped(name)] = self._verbatim(self._in_plain_keys(one) if is_jsonld else one)
                continue
            if name in ("@reverse", "@nest"):
                self.changed.append(f"the {name} at {place} is read as what it states")
            is_inside = is_top and name in ("@graph", "@included")
            taken[self._key(key)] = self._member(key, one, place, is_property=is_property, is_top=is_inside)
        return taken

    def _is_unsaid(self, name: str, value: Any, *, is_top: bool, may_wrap: bool) -> bool:
        """Return whether a member of a node says nothing that becomes a statement about it."""
        if name == "@id":
            return isinstance(value, str) and value.startswith("_:") and self._mentions[value] < 2 and not is_top
        if name in ("@graph", "@included"):
            is_content = is_top and (self._holds_root(value) if may_wrap else name == "@included")
            return not is_content and self._is_apart(value)
        return name == "@index" or (name.startswith("@") and name not in KEYWORDS)

    def _kept(self, value: dict[str, Any], at: str, lost: set[str]) -> Any:
        """Return what stands for an object that statements cannot tell; it is kept as it is in a member of any name."""
        keys = [part for part in steps_of(at) if part and not part.isdecimal()]
        name = self._spelling.plain(keys[-1]) if keys else ""
        if name not in MEMBERS and name[:1] != "@" and self._is_apart(value):
            return self._verbatim(self._in_plain_keys(value))
        self.changed += [f"the {one} at {at} is left out" for one in sorted(lost)]
        is_list = {key: self._spelling.plain(key) in _CONTAINERS for key in value}
        return {key: self._taken_out(one, at) if is_list[key] else one for key, one in value.items()}

    def _key(self, key: str) -> str:
        iri = self._spelling.iri(key)
        return key if iri.startswith("@") or is_iri(expand_name(iri)) else ESCAPED + escaped(iri)

    def _types(self, value: dict[str, Any]) -> list[str]:
        types = [one for key, one in value.items() if self._spelling.plain(key) == "@type"]
        listed = [one for kind in types for one in (kind if isinstance(kind, list) else [kind])]
        return [self._spelling.plain(one) for one in listed if isinstance(one, str)]

    def _member(self, key: str, value: Any, at: str, *, is_property: bool, is_top: bool) -> Any:
        name = self._spelling.plain(key)
        if name in ("@context", "@value") or self._spelling.is_json(key):
            return value
        is_json = value is None or isinstance(value, (dict, list))
        if is_property and name == "value" and is_json and not self._is_jsonld(value):
            return self._token({"@value": value, "@type": "@json"})
        if (value is None or value == []) and not name.startswith("@"):
            return self._verbatim(value)
        return self._taken_out(value, at, is_property=name == "additionalProperty", is_top=is_top)

    def _token(self, value: dict[str, Any]) -> str:
        token = f"{self._token_stem}:{len(self._values)}"
        self._values[token] = value
        return token

    def _verbatim(self, value: Any) -> str:
        """Return what stands for a value that is to come back as it is."""
        return self._token({"@value": json_text(value), "@type": str(VERBATIM)})

    def _in_plain_keys(self, value: Any) -> Any:
        """Return JSON-LD without the prefixes and other names of the document's own contexts."""
        if isinstance(value, list):
            return [self._in_plain_keys(one) for one in value]
        if not isinstance(value, dict):
            return value
        plain = {}
        for key, one in value.items():
            name = self._name(key)
            is_type = name == "@type" and isinstance(one, str)
            plain[name] = self._name(one) if is_type else one if name == "@value" else self._in_plain_keys(one)
        return plain

    def _name(self, name: str) -> str:
        plain = self._spelling.plain(name)
        return plain if plain != name else self._spelling.iri(name)

    def _is_apart(self, value: Any) -> bool:
        """Return whether nothing in a value depends on the rest of the document, or the rest on it."""
        here = Counter(self._identifiers(value))
        defined = {*self._identifiers(value, of_references=False)} | {one for one in here if one.startswith("_:")}
        return all(self._mentions[one] == here[one] for one in defined) and not self._has_context(value)

    def _holds_root(self, value: Any) -> bool:
        """Return whether a checkpoint may be somewhere in a value."""
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        is_root = isinstance(value, dict) and (
            not ROOT_TYPES.isdisjoint(self._types(value)) or "dataFeedElement" in map(self._spelling.plain, value)
        )
        return is_root or any(map(self._holds_root, inner))

    def _has_context(self, value: Any) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return (isinstance(value, dict) and "@context" in value) or any(map(self._has_context, inner))

    def _identifiers(self, value: Any, *, of_references: bool = True) -> Iterator[str]:
        """Yield the identifiers in a value as often as they stand there."""
        if isinstance(value, list):
            for one in value:
                yield from self._identifiers(one, of_references=of_references)
        elif isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, str):
                    if (of_references or len(value) > 1) and self._spelling.plain(key) == "@id":
                        yield one
                else:
                    yield from self._identifiers(one, of_references=of_references)

    def _is_jsonld(self, value: Any) -> bool:
        """Return whether a value is JSON-LD already: value objects, a list, nodes with IRIs as keys, blank nodes."""
        values = value if isinstance(value, list) else [value]
        return bool(values) and all(isinstance(one, dict) and self._is_node(one, value) for one in values)

    def _is_node(self, one: dict[str, Any], value: Any) -> bool:
        keys = {self._spelling.plain(key) for key in one}
        if "@value" in keys:
            return keys <= _VALUE_OBJECT
        if keys == {"@id"}:
            return str(next(iter(one.values()))).startswith("_:")
        is_spelled_out = any(self._spelling.plain(key) != key for key in one)
        return keys == {"@list"} or is_spelled_out or (isinstance(value, list) and _is_expanded(one))

    def put_back(self, expanded: Expanded) -> Expanded:
        """Return an expanded document with the values in place of their tokens."""
        return [self._restored(one) for one in expanded]

    def _restored(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._restored(one) for one in value]
        if not isinstance(value, dict):
            return value
        token = value.get("@value", value.get("@id"))
        if isinstance(token, str) and token in self._values:
            return self._values[token]
        return {key: self._restored(one) for key, one in value.items()}


def _is_expanded(node: dict[str, Any]) -> bool:
    """Return whether an object is in expanded form (JSON-LD 1.1 §5.3): IRIs as keys, arrays as values."""
    return bool(node) and all(
        key.startswith("@") or (":" in key and isinstance(value, list)) for key, value in node.items()
    )
