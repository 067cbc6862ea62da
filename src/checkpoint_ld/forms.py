"""The forms of JSON-LD: a checkpoint in any legal form, rewritten in the plain keys that the dialects know.

Most files are in plain keys and stay exactly as they are. Small departures (one object where an array is usual, `@type`
as an array of one) are put right in place. Everything else (full IRIs, prefixes, expanded and flattened documents,
other contexts) goes through PyLD's expansion; the JSON values of properties are shielded on the way, since plain
JSON-LD would turn their keys into statements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld import contexts, terms
from checkpoint_ld.compaction import POSITION, RESIDUE, Compaction
from checkpoint_ld.emission import local_context
from checkpoint_ld.expansion import RDF_TYPE, expand, statements
from checkpoint_ld.store import Index, terms_of
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from rdflib.term import Node

Tree = dict[str, Any]

ROOT_TYPES = (URIRef(SCHEMA + "DataFeed"), URIRef(SCHEMA + "Dataset"))
_STRUCTURE = ("dataFeedElement", "item", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "creator")
_ARRAYS = ("dataFeedElement", "rating", "additionalProperty", "keywords")
_SINGLES = ("item", "acceptedAnswer")
_KNOWN = frozenset(
    (
        *_STRUCTURE,
        "contentRating",
        "keywords",
        "name",
        "description",
        "version",
        "text",
        "value",
        "dateCreated",
        "dateModified",
        "bestRating",
        "worstRating",
        "ratingValue",
        "additionalType",
        "programmingLanguage",
        "identifier",
        "answerTemplate",
        "codeRepository",
    )
)
_KNOWN_TYPES = frozenset(
    (
        "DataFeed",
        "Dataset",
        "DataFeedItem",
        "Question",
        "Answer",
        "SoftwareSourceCode",
        "Rating",
        "PropertyValue",
        "Person",
        "Organization",
        "karenina:Scenario",
    )
)
_PROPERTIES_WITH_LISTS = frozenset(("metrics", "tp_instructions", "tn_instructions"))


@dataclass(frozen=True, slots=True)
class Plain:
    """A document in plain keys; `forms` says what was unusual about it.

    `origins` maps pointers to those of the source; it is None when expansion has lost the way back to it.
    """

    tree: Any
    forms: tuple[str, ...] = ()
    origins: dict[str, str] | None = field(default_factory=dict)


def plain(value: Any) -> Plain:
    """Rewrite a JSON value in plain keys; what is no checkpoint at all comes back as it is.

    Raises ReadError for what is no JSON-LD, or names a remote context that is not shipped.
    """
    unwrapped = _unwrapped(value)
    tree = unwrapped.tree
    if not isinstance(tree, (dict, list)) or (isinstance(tree, dict) and not _is_jsonld(tree)):
        return unwrapped
    if isinstance(tree, list) or "@graph" in tree or not _is_plain(tree, _aliases(tree.get("@context"))):
        index = statements(expand(_shielded(value)), distinct=False)
        return of_index(index, "JSON-LD in another form than plain keys", as_found=True) or unwrapped
    forms = list(unwrapped.forms)
    context = tree.get("@context")
    if isinstance(context, list):
        forms.append("an array as @context")
        tree = {**tree, "@context": _joined(context)}
    return Plain(_tidied(tree, "", forms), tuple(forms), unwrapped.origins)


def of_index(index: Index, form: str, *, as_found: bool) -> Plain | None:
    """Rewrite the one checkpoint in a set of statements in plain keys, or return None where there is not just one."""
    index = _in_our_vocabulary(index)
    found = roots(index)
    if len(found) != 1:
        return None
    is_ours = any(RESIDUE in predicates or POSITION in predicates for predicates in index.values())
    reader = _Reader(index, terms.karenina(), as_found=as_found and not is_ours)
    tree = _with_lists(reader.object(found[0]))
    others = [reader.object(subject) for subject in index if subject not in reader.seen]
    return Plain({**tree, "@included": others} if others else tree, (form,), None)


class _Reader(Compaction):
    """Knows which nodes it has read."""

    def __init__(self, index: Index, table: terms.TermTable, *, as_found: bool) -> None:
        super().__init__(index, table, as_found=as_found)
        self.seen: set[Node] = set()

    def members(self, subject: Node, via: terms.Term | None = None) -> Tree:
        self.seen.add(subject)
        return super().members(subject, via)


def roots(index: Index) -> list[Node]:
    """Return the nodes that are the root of a checkpoint."""
    typed = [
        subject
        for subject, predicates in index.items()
        if any(kind in ROOT_TYPES for kind in terms_of(predicates.get(RDF_TYPE)))
    ]
    if typed:
        return typed
    elements = URIRef(SCHEMA + "dataFeedElement")
    return [subject for subject, predicates in index.items() if elements in predicates]


def _in_our_vocabulary(index: Index) -> Index:
    """Return the statements with http://schema.org/ read as https, and schema.org's `rating` as our own."""
    renamed: dict[Node, Node] = {URIRef(SCHEMA + "rating"): URIRef(SCHEMA + "contentRating")}

    def ours(term: Node) -> Node:
        if isinstance(term, Literal) or not str(term).startswith(SCHEMA_HTTP):
            return renamed.get(term, term)
        https = URIRef(SCHEMA + str(term)[len(SCHEMA_HTTP) :])
        return renamed.get(https, https)

    result: Index = {}
    for subject, predicates in index.items():
        into = result.setdefault(ours(subject), {})
        for predicate, held in predicates.items():
            joined = [*terms_of(into.get(ours(predicate))), *map(ours, terms_of(held))]
            into[ours(predicate)] = joined if len(joined) > 1 else joined[0]
    return result


def _unwrapped(value: Any) -> Plain:
    """Take a checkpoint out of a root array or an `@graph` of one."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        inner = _unwrapped(value[0])
        return Plain(inner.tree, ("a root array", *inner.forms), {"": "/0" + (inner.origins or {}).get("", "")})
    if isinstance(value, dict) and value.keys() <= {"@context", "@graph"} and isinstance(value.get("@graph"), list):
        inside = value["@graph"]
        if len(inside) == 1 and isinstance(inside[0], dict):
            context = {"@context": value["@context"]} if "@context" in value else {}
            return Plain({**context, **inside[0]}, ("an @graph around the checkpoint",), {"": "/@graph/0"})
    return Plain(value)


def _is_jsonld(tree: Tree) -> bool:
    return any(key.startswith("@") or ":" in key for key in tree)


def _joined(context: list[Any]) -> Any:
    objects = [one for one in context if isinstance(one, dict)]
    return {key: value for one in objects for key, value in one.items()} if objects else context[0] if context else {}


def _aliases(context: Any) -> dict[str, str]:
    """Return the keys of a context that are another name for one that checkpoints know, and its prefixes."""
    parts = context if isinstance(context, list) else [context]
    definitions = {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}
    aliases = {}
    for key, definition in definitions.items():
        iri = definition.get("@id") if isinstance(definition, dict) else definition
        if isinstance(iri, str) and not key.startswith("@") and key not in _KNOWN:
            local = _local_name(iri)
            if local in _KNOWN or iri in (SCHEMA, SCHEMA_HTTP):
                aliases[key] = iri
    return aliases


def _local_name(iri: str) -> str | None:
    return next((iri[len(one) :] for one in (SCHEMA, SCHEMA_HTTP, "schema:") if iri.startswith(one)), None)


def _is_plain(value: Any, aliases: dict[str, str], *, is_root: bool = True) -> bool:
    """Tell whether an object and all that belongs to a checkpoint's structure below it is written in plain keys."""
    if isinstance(value, list):
        return all(_is_plain(one, aliases, is_root=False) for one in value)
    if not isinstance(value, dict):
        return True
    if not _has_plain_keys(value, aliases, is_root=is_root) or not _has_plain_types(value.get("@type")):
        return False
    return all(_is_plain(value[key], aliases, is_root=False) for key in _STRUCTURE if key in value)


def _has_plain_keys(value: Tree, aliases: dict[str, str], *, is_root: bool) -> bool:
    if not is_root and (value.keys() == {"@id"} or not _is_our_local_context(value)):
        return False
    for key in value:
        if key.startswith("@"):
            if key not in ("@id", "@type", "@context", "@included"):
                return False
        elif key in aliases or _local_name(key) in _KNOWN or key.partition(":")[0] in aliases:
            return False
    return True


def _has_plain_types(kind: Any) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    return not any(isinstance(one, str) and (_local_name(one) or one.startswith(KARENINA)) for one in kinds)


def _is_our_local_context(value: Tree) -> bool:
    """Tell whether an object has no context of its own, or just the one that we would write there."""
    if "@context" not in value:
        return True
    own = value["@context"]
    if not isinstance(own, dict):
        return False
    table = terms.karenina()
    is_property = value.get("@type") == "PropertyValue" or value.keys() <= {"@context", "name", "value"}
    ours = local_context(value, table.at(None, value.get("@type")), is_property=is_property)
    kept = {key: one for key, one in own.items() if one is not None and key != "@propagate"}
    # What is null there is set apart from the graph, which the object alone does not tell.
    set_apart = {key for key, one in own.items() if one is None}
    return kept == {key: one for key, one in ours.items() if key != "@propagate" and key not in set_apart}


def _tidied(tree: Tree, pointer: str, forms: list[str]) -> Tree:
    """Return an object with the shapes that are usual; an object that has them already comes back itself."""
    tidy = {}
    for key, value in tree.items():
        if key == "@context" and pointer:
            continue
        tidy[key] = _tidy(tree, key, value, f"{pointer}/{key}", forms)
    return tidy


def _tidy(tree: Tree, key: str, value: Any, pointer: str, forms: list[str]) -> Any:
    if key == "@type" and isinstance(value, list):
        return _one_type(value, pointer, forms)
    if key == "additionalType" and isinstance(value, str) and value.startswith(KARENINA):
        forms.append(f"a full IRI at {pointer}")
        return f"karenina:{value[len(KARENINA) :]}"
    if key in _ARRAYS and isinstance(value, (dict, str)):
        forms.append(f"a single value at {pointer}")
        value = [value]
    is_single = key in _SINGLES or (key == "hasPart" and "acceptedAnswer" in tree)
    if is_single and isinstance(value, list) and len(value) == 1:
        forms.append(f"an array of one at {pointer}")
        value = value[0]
    if key in _STRUCTURE:
        if isinstance(value, dict):
            return _tidied(value, pointer, forms)
        if isinstance(value, list):
            return [
                _tidied(one, f"{pointer}/{at}", forms) if isinstance(one, dict) else one for at, one in enumerate(value)
            ]
    return value


def _one_type(types: list[Any], pointer: str, forms: list[str]) -> Any:
    known = [one for one in types if one in _KNOWN_TYPES] if all(isinstance(one, str) for one in types) else []
    if len(types) == 1 and known:
        forms.append(f"an array as {pointer}")
        return known[0]
    return types


def _with_lists(tree: Tree) -> Tree:
    """Put back arrays that statements cannot tell: a setting that is always one, a root without elements."""
    if tree.get("@type") == "DataFeed":
        tree.setdefault("dataFeedElement", [])
    for holder in (tree, *(one for item in _each(tree, "dataFeedElement") for one in _each(item, "item"))):
        for rating in _each(holder, "rating"):
            for setting in _each(rating, "additionalProperty"):
                if setting.get("name") in _PROPERTIES_WITH_LISTS and not isinstance(setting.get("value", []), list):
                    setting["value"] = [setting["value"]]
    return tree


def _each(tree: Tree, key: str) -> list[Tree]:
    value = tree.get(key)
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


def _shielded(value: Any) -> Any:
    """Return a document in which every JSON value of a property is a JSON literal (JSON-LD 1.1 §4.2.2)."""
    if isinstance(value, list):
        return [_shielded(one) for one in value]
    if not isinstance(value, dict) or "@value" in value:
        return value
    return {key: one if key == "@context" else _shielded_member(key, one) for key, one in value.items()}


def _shielded_member(key: str, value: Any) -> Any:
    is_value = key in ("value", SCHEMA + "value", SCHEMA_HTTP + "value", "schema:value")
    if is_value and (value is None or isinstance(value, (dict, list))) and not _is_expanded(value):
        return {"@value": value, "@type": "@json"}
    return _shielded(value)


def _is_expanded(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(isinstance(one, dict) and one.keys() & {"@value", "@id", "@list"} for one in values)


def address_of(context: Any) -> str | None:
    """Return the address that a context is given by, where it is one that we do not know."""
    parts = context if isinstance(context, list) else [context]
    return next((one for one in parts if isinstance(one, str) and one not in contexts.KNOWN_ADDRESSES), None)
