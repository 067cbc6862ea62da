"""The shipped vocabularies as statements: what checkpoints say beside schema.org and PROV-O, in RDFS and OWL."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, TypeAlias

from pyoxigraph import NamedNode, RdfFormat, Triple, parse

from checkpoint_ld import data

Name: TypeAlias = Literal["karenina", "caf"]
NAMES: Final[tuple[Name, ...]] = ("karenina", "caf")
"""The vocabularies: of benchmarks, and of agents."""
_ONTOLOGY: Final = NamedNode("http://www.w3.org/2002/07/owl#Ontology")


@cache
def statements(name: str) -> tuple[Triple, ...]:
    """Return the statements of a vocabulary, in their order in the file `contexts/NAME-vocabulary.ttl`."""
    text = data.text("contexts", f"{name}-vocabulary.ttl")
    return tuple(quad.triple for quad in parse(text, format=RdfFormat.TURTLE))


def iri_of(name: str) -> str:
    """Return the IRI of a vocabulary, which is the only ontology in it."""
    [ontology] = (triple.subject for triple in statements(name) if triple.object == _ONTOLOGY)
    return str(getattr(ontology, "value", ""))
