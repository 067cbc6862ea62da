"""The shipped vocabularies as statements: what checkpoints say beside schema.org and PROV-O, in RDFS and OWL."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, TypeAlias

from pyoxigraph import RdfFormat, Triple, parse

from checkpoint_ld import data

Name: TypeAlias = Literal["karenina", "caf"]
NAMES: Final[tuple[Name, ...]] = ("karenina", "caf")
"""The vocabularies: of benchmarks, and of agents."""


@cache
def statements(name: str) -> tuple[Triple, ...]:
    """Return the statements of a vocabulary, in their order in the file `contexts/NAME-vocabulary.ttl`."""
    text = data.text("contexts", f"{name}-vocabulary.ttl")
    return tuple(quad.triple for quad in parse(text, format=RdfFormat.TURTLE))
