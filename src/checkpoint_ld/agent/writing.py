"""Writing: an agent checkpoint as the bytes of a file, in either shape, as JSON-LD or in an RDF syntax."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agent.graph import AgentGraph
from checkpoint_ld.agent.schema import jsonld_of
from checkpoint_ld.agent.shapes import to_second
from checkpoint_ld.agent.text import bytes_of, bytes_of_ordered
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.phrases import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Tree = dict[str, Any]

_PLAIN: Final[Mapping[str, Callable[[Tree], bytes]]] = MappingProxyType(
    {
        "canonical": bytes_of,
        "second": lambda tree: bytes_of(to_second(tree), "second"),
        "jsonld": lambda tree: bytes_of_ordered(jsonld_of(tree)),
    }
)
_OF_GRAPHS: Final[Mapping[str, Callable[[AgentGraph], bytes]]] = MappingProxyType(
    {
        "turtle": emission.turtle_of,
        "nt": emission.ntriples_of,
        "nq": emission.nquads_of,
        "trig": emission.trig_of,
        "xml": emission.rdf_xml_of,
        "expanded": lambda graph: dump_json(emission.expanded_of(graph)),
    }
)
FORMS: Final = (*_PLAIN, *_OF_GRAPHS)
"""What an agent checkpoint can be written as: the two shapes, our JSON-LD, and what is written of its graph."""


def written(tree: Tree, form: str, *, prov: bool = True, inferred: bool = False) -> bytes:
    """Return a tree in the canonical shape as one of `FORMS`.

    With `prov`, what is written of its graph has the provenance layer in it, with `inferred` all that follows; plain
    files have no place for that. Raises WriteError for another form, and for what cannot be written.
    """
    if form in _PLAIN:
        if inferred:
            raise WriteError(f"inferred statements are for RDF, not for documents: write {', '.join(_OF_GRAPHS)}")
        return _PLAIN[form](tree)
    if form in _OF_GRAPHS:
        graph = AgentGraph.of_tree(tree, prov=prov)
        if inferred:
            from checkpoint_ld.agent.inference import with_inferred  # noqa: PLC0415 - few ask for it

            graph = with_inferred(graph)
        return _OF_GRAPHS[form](graph)
    raise WriteError(unknown("form", form, FORMS))
