"""The normal form of a benchmark: two that make the same statements have the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.properties import name_of
from checkpoint_ld.graph import contexts, interpreter
from checkpoint_ld.members import ANYTHING
from checkpoint_ld.vocabulary import FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.contexts import TermTable


FORMAT_PROPERTIES = (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY)
"""Properties of a benchmark that say how its file is written, and nothing about the benchmark."""

_EXACT = ANYTHING - {"nodes"}
"""Members whose values are JSON of any form, in which null and empty lists say something."""


def normal_form(graph: CheckpointGraph) -> Any:
    """Return a value that is equal for two graphs exactly if they state the same.

    The context, the version of the format, the order of members, and the difference between a value and a list of one
    value are how a file is written. Null and an empty list are no statement, unless they are a property's value. The
    order of lists counts; so do the types of numbers, as RDF has them.
    """
    tree = graph.tree()
    tree.pop("@context", None)
    properties = tree.get("additionalProperty")
    if isinstance(properties, list):
        tree["additionalProperty"] = [one for one in properties if name_of(one) not in FORMAT_PROPERTIES]
    with interpreter.room():
        return _normal(tree, graph.table)


def _normal(value: Any, table: TermTable) -> Any:
    if isinstance(value, dict):
        return {_iri(key, table): _member(key, held, table) for key, held in value.items() if _says(key, held)}
    if isinstance(value, list):
        return _normal(value[0], table) if len(value) == 1 else [_normal(one, table) for one in value]
    return exact(value)


def _says(key: str, held: Any) -> bool:
    # The value null of a property is JSON that the graph holds.
    return key == "value" or not (held is None or (held == [] and key not in _EXACT))


def _member(key: str, value: Any, table: TermTable) -> Any:
    return exact(value) if key in _EXACT else _normal(value, table)


def _iri(key: str, table: TermTable) -> str:
    term = table.base.by_key.get(key)
    return term.iri if term else contexts.expand_name(key) or key


def exact(value: Any) -> Any:
    """Return a JSON value so that `==` tells true from 1 and 1 from 1.0."""
    if isinstance(value, dict):
        return {key: exact(one) for key, one in value.items()}
    if isinstance(value, list):
        return [exact(one) for one in value]
    return type(value), value
