"""Emission: a checkpoint graph in the RDF syntaxes and as JSON-LD; deterministic, and in full precision.

All of it is written from the subject index, without a second copy of the graph.
"""

from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.emission.json_ld import ContextStyle, expanded_of, jsonld_of, local_context
from checkpoint_ld.graph.emission.syntaxes import nquads_of, ntriples_of, rdf_xml, rdf_xml_of, trig_of, turtle_of

__all__ = [
    "ContextStyle",
    "contexts",
    "expanded_of",
    "jsonld_of",
    "local_context",
    "nquads_of",
    "ntriples_of",
    "rdf_xml",
    "rdf_xml_of",
    "trig_of",
    "turtle_of",
]
