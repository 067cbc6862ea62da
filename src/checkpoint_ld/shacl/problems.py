"""What is doubtful about shapes that can be applied: terms that have no effect, and shapes that have to be left out."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from rdflib import SH, URIRef

from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.shacl.shape import described, sh
from checkpoint_ld.vocabulary import SHACL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

_DEFINED = frozenset(str(one).removeprefix(SHACL) for one in dir(SH)) | {"and", "class", "in", "not", "or", "Rules"}
"""The terms of SHACL 1.0, of its Advanced Features and of SHACL JavaScript Extensions, by their local names."""
_LATER = frozenset(
    (
        *("memberShape", "minListLength", "maxListLength", "uniqueMembers", "singleLine", "subsetOf", "rootClass"),
        *("reifierShape", "reificationRequired", "someValue", "targetWhere", "shape", "ShapeClass", "ByTypes"),
        *("Debug", "Trace", "nodeByExpression", "values", "if", "then", "else", "count", "distinct", "exists"),
    )
)
"""Terms of the drafts of SHACL 1.2."""
_ADVANCED = frozenset(map(sh, ("rule", "target", "expression")))
_SCRIPTS = frozenset(map(sh, ("js",)))


class ShapesProblem(NamedTuple):
    """A doubt about a shapes graph that can be applied.

    `kind` is `term` for a term of SHACL's namespace without effect, and `pattern` for a shape that is left out because
    of its pattern. `node` is the node of the shapes graph, `term` the term, if it is about one.
    """

    kind: str
    node: Node
    term: Node | None
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.message}: {self.remedy}"


def term_problems(shapes: Index, *, is_advanced: bool) -> Iterator[ShapesProblem]:
    """Yield the terms of SHACL's namespace that have no effect, each with the node that uses it."""
    for node, held in shapes.items():
        if str(node).startswith(SHACL):  # the vocabulary itself is among the shapes
            continue
        for predicate, values in held.items():
            terms = [predicate, *(one for one in terms_of(values) if isinstance(one, URIRef))]
            for term in dict.fromkeys(terms):
                if str(term).startswith(SHACL):
                    yield from _of_term(shapes, node, term, is_advanced=is_advanced)


def _of_term(shapes: Index, node: Node, term: Node, *, is_advanced: bool) -> Iterator[ShapesProblem]:
    name = str(term).removeprefix(SHACL)
    is_defined = not name or name in _DEFINED
    if is_defined and term not in _SCRIPTS and (is_advanced or term not in _ADVANCED):
        return
    uses = f"{described(shapes, node)} uses sh:{name}"
    if name and name not in _DEFINED:
        if name in _LATER:
            yield ShapesProblem("term", node, term, f"{uses}, which SHACL 1.2 defines", "it has no effect here")
            return
        folded = {one.casefold(): one for one in _DEFINED}
        near = get_close_matches(name.casefold(), folded, 1)
        remedy = f"did you mean sh:{folded[near[0]]}?" if near else "it has no effect; take it out"
        yield ShapesProblem("term", node, term, f"{uses}, which SHACL does not define", remedy)
    elif term in _SCRIPTS:
        message = f"{uses} of SHACL JavaScript Extensions, which are not applied"
        yield ShapesProblem("term", node, term, message, "write a query instead")
    elif term in _ADVANCED and not is_advanced:
        message = f"{uses} of SHACL Advanced Features, which are not applied"
        remedy = "apply them by advanced=True, or by checkpoint-ld shacl --advanced"
        yield ShapesProblem("term", node, term, message, remedy)


def pattern_problem(shapes: Index, node: Node, reason: str) -> ShapesProblem:
    """Return that a shape is left out because of its pattern."""
    message = f"the shape {described(shapes, node)} is not applied, because {reason}"
    return ShapesProblem("pattern", node, sh("pattern"), message, "write a pattern of XPath that has no such part")
