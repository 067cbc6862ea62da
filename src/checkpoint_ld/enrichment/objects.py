"""Objects of a checkpoint as JSON, without a walk through all that is below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.graph.literals import json_of
from checkpoint_ld.graph.residue import RESIDUE, Ref
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.compaction import Compaction

_NAME, _VALUE, _TEXT = (URIRef(SCHEMA + name) for name in ("name", "value", "text"))

Json = dict[str, Any]


def object_of(node: Node, reader: Compaction) -> Json:
    """Return the members of a node, with its additional properties as objects; other objects are `Ref`s."""
    members = reader.shallow(node)
    told = members.get("additionalProperty")
    if told is None:
        return members
    entries = [_property(one, reader) for one in (told if isinstance(told, list) else [told])]
    return {**members, "additionalProperty": entries}


def source_of(template: Any, reader: Compaction) -> str | None:
    """Return the source in the object that `hasPart` of a question refers to, None if there is not just one."""
    told = template[0] if isinstance(template, list) and len(template) == 1 else template
    node = URIRef(told.name) if isinstance(told, Ref) else None
    text = reader.index.get(node, {}).get(_TEXT) if node is not None else None
    return str(text) if isinstance(text, Literal) and isinstance(json_of(text), str) else None


def parts_of(node: Node, predicate: str, reader: Compaction) -> list[Node]:
    """Return the nodes that a node of the graph has under a predicate."""
    held = terms_of(reader.index.get(node, {}).get(URIRef(predicate)))
    return [one for one in held if one in reader.index]


def _property(entry: Any, reader: Compaction) -> Any:
    node = URIRef(entry.name) if isinstance(entry, Ref) else None
    said = reader.index.get(node) if node is not None else None
    if node is None or said is None:
        return entry
    name, value = said.get(_NAME), said.get(_VALUE)
    if not isinstance(name, Literal) or not isinstance(value, Literal) or RESIDUE in said:
        return reader.object(node, reader.table.base.by_key["additionalProperty"])
    return {"name": json_of(name), "value": json_of(value, "@json")}
