"""Two ways to hold a tree against shapes: compiled, straight from the tree; and pySHACL, on its graph.

Both find the same. The first needs no graph and does all shapes of ours; pySHACL does those of users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import BNode, Graph, Literal, URIRef

from checkpoint_ld.agent.graph import AgentGraph
from checkpoint_ld.agent.rules.odds import odds
from checkpoint_ld.agent.rules.shapes import MEMBER, Result
from checkpoint_ld.agent.rules.values import derived_properties, located, term_of, values
from checkpoint_ld.agent.rules.wording import is_withheld
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.store import SubjectIndexStore, put, terms_of
from checkpoint_ld.rules import SEVERITIES
from checkpoint_ld.validation import results as shacl
from checkpoint_ld.vocabulary import RDF, SHACL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib.term import Node

    from checkpoint_ld.agent.rules.odds import Odd
    from checkpoint_ld.agent.rules.parts import Part, Parts
    from checkpoint_ld.agent.rules.shapes import Asked, Shapes
    from checkpoint_ld.findings import Severity
    from checkpoint_ld.graph.store import Index


def compiled(parts: Parts, shapes: Shapes) -> Iterator[Result]:
    """Yield what does not satisfy the shapes, by the tree alone."""
    found = odds(parts)
    for kind, group in shapes.by_class.items():
        for part in parts.of(kind):
            yield from _of_part(parts, part, group.doubtful(parts, part, is_odd=part in found), found.get(part, []))
    for prop, asked in shapes.by_property.items():
        for part in parts.by_name.values():
            if values(parts, part, prop):
                yield from _of_part(parts, part, asked, found.get(part, []))


def _of_part(parts: Parts, part: Part, asked: Iterable[Asked], odd: list[Odd]) -> Iterator[Result]:
    by_property: dict[str, list[Odd]] = {}
    for one in odd:
        by_property.setdefault(one.prop, []).append(one)
    for shape in asked:
        yield from shape.results(parts, part, by_property)


def statements(parts: Parts) -> Index:
    """Return the statements that pySHACL looks at: the graph of the tree, and what is derived for the shapes."""
    index = AgentGraph.of_tree(parts.tree).index
    for part in parts.by_name.values():
        subject = URIRef(part.name)
        for kind in part.classes:
            put(index, subject, RDF_TYPE, URIRef(kind))
        for prop in derived_properties(part):
            for value in values(parts, part, prop):
                put(index, subject, URIRef(prop), term_of(value))
    for part, found in odds(parts).items():
        for one in found:
            put(index, URIRef(part.name), URIRef(one.prop), term_of(one.value))
    return index


def by_pyshacl(parts: Parts, shapes: Index) -> list[Result]:
    """Hold the graph of a tree against shapes by pySHACL; return the results with their places."""
    report = shacl.validate(statements(parts), shapes, URIRef(parts.root.name))
    found = odds(parts)
    members = {shape: str(held) for shape, said in shapes.items() for held in terms_of(said.get(MEMBER))[:1]}
    return [
        one
        for told in shacl.results(report, shapes)
        for one in _placed(parts, told, found, members.get(told.shape, ""))
    ]


def _placed(parts: Parts, told: shacl.Result, found: dict[Part, list[Odd]], member: str) -> Iterator[Result]:
    """Yield a result of pySHACL once for each place that it may mean; `member` is where there is no value."""
    path = told.paths[0] if told.paths else RDF_TYPE
    said = " ".join(told.messages)
    part = parts.by_name.get(str(told.focus))
    if part is None:  # a user's shape about an execution, an agent or a tool, which has no place of its own
        yield Result(parts.root, told.shape, told.component, path, None, "", said, told.severity)
        return
    at = [
        (value, place, detail)
        for prop in map(str, told.paths)
        for value, place, detail in (
            *((value, place, "") for value, place in located(parts, part, prop)),
            *((one.value, one.place, one.detail) for one in found.get(part, ()) if one.prop == prop),
        )
    ]
    is_many = str(told.component) == SHACL + "MaxCountConstraintComponent"
    here = at[1:2] if is_many else [one for one in at if told.value is not None and term_of(one[0]) == told.value]
    for value, place, detail in here:
        one = None if is_many else value
        yield Result(part, told.shape, told.component, path, one, place, detail or said, told.severity)
    if not here:
        place = f"{part.pointer}/{member}" if member else part.pointer
        yield Result(part, told.shape, told.component, path, None, place, said, told.severity)


_SEVERITIES = {severity: URIRef(iri) for iri, severity in SEVERITIES.items()}


def report_of(results: Iterable[tuple[Result, Severity, str]]) -> Graph:
    """Return the validation report (SHACL 1.0 §3.6) of results, each with its severity and message, without secrets."""
    store = SubjectIndexStore()
    report = Graph(store, bind_namespaces="none")
    index: Index = {}
    node = BNode()
    put(index, node, _rdf("type"), _sh("ValidationReport"))
    for result, severity, message in results:
        one = BNode()
        about: dict[Node, Node | list[Node]] = {
            _rdf("type"): _sh("ValidationResult"),
            _sh("focusNode"): URIRef(result.part.name),
            _sh("sourceShape"): result.shape,
            _sh("sourceConstraintComponent"): result.component,
            _sh("resultSeverity"): _SEVERITIES[severity],
            _sh("resultMessage"): Literal(message),
        }
        if isinstance(result.path, URIRef):
            about[_sh("resultPath")] = result.path
        if result.value is not None and not is_withheld(result):
            about[_sh("value")] = term_of(result.value)
        index[one] = about
        put(index, node, _sh("result"), one)
    put(index, node, _sh("conforms"), Literal(len(index) == 1))
    store.replace(index)
    return report


def _sh(name: str) -> URIRef:
    return URIRef(SHACL + name)


def _rdf(name: str) -> URIRef:
    return URIRef(RDF + name)
