"""Shapes for other tools: the rules of a profile as one graph that any SHACL processor can run.

Our own shapes call functions of Python where SHACL Core has no words. As published, a form of values is a node shape
(`shapes/published/value-forms.ttl`), a relation is SPARQL alone (`sparql-components.ttl`), and what only Python tells
is a predicate that inference states (`python-only.ttl`). With them come the SHACL-AF rules that infer roles, settings
and links (`karenina-rules.ttl`, `agent-rules.ttl`), and guards, which report a graph that has none of these.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rdflib import Graph, URIRef

from checkpoint_ld import data, profiles, shape_files
from checkpoint_ld.graph.store import Index, put, terms_of, triples_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, RDF, SHACL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node

    from checkpoint_ld.profiles import Profile

FOLDER = "published"
"""The folder of `shapes/` with what is published beside the shapes of a profile."""

_COMPONENTS = "components.ttl"
_RULES = {profiles.DEFAULT: "karenina-rules.ttl", profiles.AGENT: "agent-rules.ttl"}
_PREFIXES = {
    "sh": SHACL,
    "ck": CHECKPOINT_SHACL,
    "form": "urn:checkpoint-ld:form:",
    "shape": "urn:karenina:shape:",
    "agent": "urn:caf:shape:",
    "karenina": "urn:karenina:vocab:",
    "caf": "urn:caf:vocab:",
    "cafd": "urn:caf:derived:",
    "schema": "https://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
}


def _ck(name: str) -> URIRef:
    return URIRef(CHECKPOINT_SHACL + name)


def _sh(name: str) -> URIRef:
    return URIRef(SHACL + name)


INFERRED_AS, WELL_FORMED = _ck("inferredAs"), _ck("wellFormed")
_PYTHON = (WELL_FORMED, _ck("identifies"), _ck("spelling"))
"""The constraints of which some, or all, only Python can judge."""
_NOTHING = URIRef(RDF + "nil")
_COMMENT = URIRef("http://www.w3.org/2000/01/rdf-schema#comment")


def shapes_graph(*, profile: str = profiles.DEFAULT, python: bool = False) -> Graph:
    """Return the shapes of a profile, the rules that infer what they look at, and guards, as one graph.

    The shapes have the severities of the profile. They are SHACL Core, with SPARQL-based constraints where two values
    are compared (SHACL 1.0 §5, §6); the rules are those of SHACL Advanced Features (§8). With `python`, the shapes are
    those that checkpoint-ld itself applies: their constraint components call functions that it registers with rdflib,
    and there are neither rules nor guards. Raises SettingsError for a profile that does not exist.
    """
    chosen = profiles.profile(profile)
    index = chosen.shapes() if python else _published(chosen)
    graph = Graph(bind_namespaces="none")
    for prefix, namespace in _PREFIXES.items():
        graph.bind(prefix, namespace)
    for triple in triples_of(index):
        graph.add(triple)
    return graph


@cache
def python_only() -> Mapping[Node, URIRef]:
    """Return the predicates that state the faults which only Python tells, by shape."""
    said = _shipped("python-only.ttl")
    return {shape: URIRef(str(terms_of(one[INFERRED_AS])[0])) for shape, one in said.items() if INFERRED_AS in one}


def reasons() -> Mapping[Node, str]:
    """Return why rules of inference in SPARQL cannot tell what a shape looks at, by shape."""
    said = _shipped("python-only.ttl")
    return {shape: str(terms_of(one[_COMMENT])[0]) for shape, one in said.items() if _COMMENT in one}


def _published(profile: Profile) -> Index:
    """Return the shapes of a profile without functions of Python, with rules and guards."""
    index = profile.shapes()
    replaced = [profiles.shipped_statements(file) for file in profile.files if file.name == _COMPONENTS]
    index = {subject: said for subject, said in index.items() if not any(subject in one for one in replaced)}
    forms = _shipped("value-forms.ttl")
    by_name = {str(terms_of(said[_ck("form")])[0]): form for form, said in forms.items() if _ck("form") in said}
    for shape, said in index.items():
        if shape in python_only():
            for predicate in _PYTHON:
                said.pop(predicate, None)
            said[_sh("path")] = python_only()[shape]
            said[_sh("in")] = _NOTHING
        for form in terms_of(said.pop(WELL_FORMED, None)):
            put(index, shape, _sh("node"), by_name[str(form)])
    for name in ("sparql-components.ttl", "value-forms.ttl", _RULES[profile.family]):
        for subject, said in _shipped(name).items():
            index[subject] = {**index.get(subject, {}), **said}
    return index


def _shipped(name: str) -> Index:
    return profiles.shipped_statements(data.folder(shape_files.FOLDER) / FOLDER / name)
