"""Findings about the shapes of a user: terms without effect, patterns not applied, targets without a match."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.phrases import counted
from checkpoint_ld.rules import ABOUT_SHAPES, Rule, local_name
from checkpoint_ld.shacl.shape import shown
from checkpoint_ld.shacl.shapes import Validation
from checkpoint_ld.validation.results import Checked, compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from rdflib.term import Node

    from checkpoint_ld.shacl import DataGraph, Shapes
    from checkpoint_ld.validation.profiles import Profile

_HTTP, _HTTPS = "http://schema.org/", "https://schema.org/"
_TERM, _PATTERN, _TARGET, _NAMESPACE = ABOUT_SHAPES.values()


def unmatched(shapes: Shapes, data: DataGraph, profile: Profile) -> frozenset[str]:
    """Return the named shapes of the user whose targets match nothing in a graph."""
    own = {node for index in profile.own_statements for node in index if isinstance(node, URIRef)}
    of_user = replace(shapes, by_node={node: shapes.by_node[node] for node in own & shapes.by_node.keys()})
    return frozenset(str(one.node) for one in Validation(of_user, data).unmatched())


def checked_shapes(profile: Profile, checked: Iterable[Checked], *, is_whole: bool) -> list[Checked]:
    """Return the files of the user's shapes about which there are findings, given what was validated by them.

    A target counts as one without a match only if the run `is_whole`, without a source that could not be read.
    """
    known = [one.unmatched for one in checked]
    nowhere = frozenset.intersection(*(one or frozenset() for one in known)) if known and is_whole else frozenset()
    found: list[Checked] = []
    for file, index in zip(profile.own_shapes, profile.own_statements, strict=True):
        text = file.read_text(encoding="utf-8", errors="replace")
        findings = [*_of_problems(profile, index.keys(), file, text)]
        named = (node for node in index if str(node) in nowhere)
        findings += [_of_target(profile, node, len(known), file, text) for node in named]
        if findings:
            found.append(Checked(str(file), tuple(findings)))
    return found


def _of_problems(profile: Profile, nodes: Iterable[Node], file: Path, text: str) -> Iterator[Finding]:
    own = frozenset(nodes)
    try:
        problems = compiled(profile).problems
    except ShapesError:  # those who validate with them say so
        return
    for one in problems:
        if one.node in own:
            rule = _PATTERN if one.kind == "pattern" else _TERM
            is_named = rule is _PATTERN and isinstance(one.node, URIRef)
            yield _finding(
                rule, one.message, one.remedy, _place(file, text, one.node if is_named else one.term), one.node
            )


def _of_target(profile: Profile, node: Node, files: int, file: Path, text: str) -> Finding:
    terms = [term for _, term in compiled(profile).by_node[node].targets]
    place = _place(file, text, node)
    in_http = [one for one in terms if str(one).startswith(_HTTP)]
    if in_http:
        right = f"<{_HTTPS}{str(in_http[0]).removeprefix(_HTTP)}>"
        message = f"the target {shown(in_http[0])} of {shown(node)} is in {_HTTP}, and the graphs are in {_HTTPS}"
        return _finding(_NAMESPACE, message, f"write {right}", place, node)
    targets = ", ".join(map(shown, terms))
    message = f"no node of {counted(files, 'file')} is a target of {shown(node)}: {targets}"
    return _finding(_TARGET, message, _TARGET.remedy, place, node)


def _finding(rule: Rule, message: str, remedy: str, place: Place, node: Node) -> Finding:
    iri = str(node) if isinstance(node, URIRef) else None
    return Finding(rule.code, rule.severity, message, remedy, place, rule=rule.slug, node=iri)


def _place(file: Path, text: str, term: Node | None) -> Place:
    """Return where a term first stands in a text of Turtle, as far as its name tells."""
    name = re.escape(local_name(str(term)))
    found = re.search(rf"(?:(?<=[\s;,.\[(^])|^)[\w.-]*:{name}(?![\w-])|[#/:]{name}>", text, re.MULTILINE)
    if not isinstance(term, URIRef) or found is None:
        return Place(str(file))
    line = text.count("\n", 0, found.start()) + 1
    return Place(str(file), line=line, column=found.start() - (text.rfind("\n", 0, found.start()) + 1) + 1)
