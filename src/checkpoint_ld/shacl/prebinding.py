"""Queries with variables that are bound before they are evaluated (SHACL 1.0 Appendix A), prepared for Oxigraph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from pyparsing import ParseResults
from rdflib import URIRef, Variable

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.guard.checking import PREFIXES
from checkpoint_ld.guard.plans import nodes
from checkpoint_ld.shacl.anchors import anchors_of
from checkpoint_ld.shacl.queries import declared, read_only, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.anchors import Anchors

THIS, VALUE, SHAPE, SHAPES_GRAPH = "this", "value", "currentShape", "shapesGraph"
KNOWN_PREFIXES = {**PREFIXES, "owl": "http://www.w3.org/2002/07/owl#", "sh": "http://www.w3.org/ns/shacl#"}
"""Prefixes that queries of shapes may use without declaring them."""

Part: TypeAlias = "str | list[str]"
"""A piece of a query, or the name of a variable for whose value it has a place."""


@dataclass(frozen=True, slots=True)
class PreboundQuery:
    """A query with variables that are bound before (SHACL 1.0 Appendix A).

    In brackets, in expressions that is, the value takes the place of the variable. Elsewhere, where a literal or a
    blank node may not be written, the engine substitutes the variables `names`, which it can if they are selected.
    `predicates` are those of the statements that the query reads, None for all. `anchors` are its patterns, if all of
    them are reached from those variables.
    """

    parts: tuple[Part, ...]
    used: tuple[str, ...]
    names: tuple[str, ...]
    is_ask: bool
    predicates: frozenset[Node] | None
    anchors: Anchors | None = None


@lru_cache(maxsize=2048)
def prepared(text: str, bound: frozenset[str], *, is_constraint: bool = True) -> PreboundQuery:
    """Return a query with pre-bound variables. Raises ShapesError for a query that SHACL does not allow.

    That of a constraint may have less than others.
    """
    checked = read_only(text)
    if checked.form not in ("select", "ask"):
        raise ShapesError("a query of the shapes is neither SELECT nor ASK")
    tree: Any = sparql_parser().Query.parse_string(checked.text, parse_all=True)
    _refuse_beyond(tree, bound, is_constraint=is_constraint)
    texts = _known_as_bound(tokens(checked.text), bound)
    parts: list[Part] = []
    used: set[str] = set()
    outside: set[str] = set()
    depth, start = 0, 0
    for before, one in pairwise(("", *texts)):
        depth += (one == "(") - (one == ")")
        if one == "{" and not start:
            start = len(parts)
        if before not in ("$", "?") or one not in bound:
            parts.append(one)
            continue
        used.add(one)
        if depth:
            parts[-1] = [one]
        else:
            outside.add(one)
            parts.append(one)
    is_grouped = checked.is_grouped or any(one.evar is not None for one in tree[1].projection or ())
    names = sorted(outside if is_grouped else used)
    if checked.form == "ask":
        at = next(at for at, text in enumerate(parts) if isinstance(text, str) and text.upper() == "ASK")
        parts[at] = f"SELECT {' '.join(f'?{name}' for name in names) or '(1 AS ?true)'} "
        parts.append(" LIMIT 1")
    else:
        selected = {str(one.var) for one in tree[1].projection or () if one.var is not None}
        missing = "".join(f" ?{name}" for name in names if name not in selected)
        if missing and tree[1].projection:
            if is_grouped:
                raise ShapesError(
                    f"a query of the shapes groups solutions without{missing}: select and group by it too"
                )
            parts.insert(_before_pattern(parts, start), missing + " ")
    predicates, anchors = _reads(tree, used)
    return PreboundQuery(tuple(parts), tuple(sorted(used)), tuple(names), checked.form == "ask", predicates, anchors)


def _before_pattern(parts: Sequence[Part], start: int) -> int:
    """Return the place after the selected variables, given that of the bracket that opens the pattern."""
    before = start
    while before and not str(parts[before - 1]).strip():
        before -= 1
    return before - 1 if before and str(parts[before - 1]).upper() == "WHERE" else start


def _known_as_bound(texts: list[str], bound: frozenset[str]) -> list[str]:
    """Return a query in which BOUND of a pre-bound variable is true."""
    places = [at for at, text in enumerate(texts) if text.strip()]
    for start, at in enumerate(places):
        parts = [texts[one] for one in places[start : start + 5]]
        if (
            len(parts) == 5
            and parts[0].upper() == "BOUND"
            and parts[1] == "("
            and parts[2] in "$?"
            and parts[3] in bound
        ):
            for one in places[start : start + 5]:
                texts[one] = ""
            texts[at] = "(true)"
    return texts


def _refuse_beyond(tree: Any, bound: frozenset[str], *, is_constraint: bool) -> None:
    """Raise ShapesError for what a query with pre-bound variables may not have (SHACL 1.0 Appendix A)."""
    for node in nodes(tree):
        if is_constraint and node.name == "MinusGraphPattern":
            raise ShapesError("a query of the shapes has MINUS, which SHACL does not allow: write FILTER NOT EXISTS")
        if node.name in ("InlineData", "ValuesClause") and (node.var or node.value):
            if is_constraint:
                raise ShapesError(
                    "a query of the shapes has VALUES, which SHACL does not allow: write FILTER (… IN (…))"
                )
            _refuse_again(node.var, bound)
        if node.name == "Bind":
            _refuse_again([node.var], bound)
        if node.name in ("SubSelect", "SelectQuery"):
            _refuse_again([one.evar for one in node.projection or ()], bound)
        if node.name == "SubSelect":
            given = {str(one.var) for one in node.projection or () if one.var is not None}
            missing = bound - given - {SHAPE, SHAPES_GRAPH}
            if not is_constraint:
                missing &= {str(one) for part in nodes(node) for one in _variables(part)}
            if missing:
                raise ShapesError(
                    f"a sub-select of the shapes does not select ?{min(missing)}, which is bound before: name it there"
                )


def _refuse_again(variables: Any, bound: frozenset[str]) -> None:
    for one in [variables] if isinstance(variables, Variable) else variables or ():
        if isinstance(one, Variable) and str(one) in bound:
            raise ShapesError(f"a query of the shapes binds ?{one}, which is bound before: take another name")


def _variables(part: Any) -> Iterator[Variable]:
    """Yield the variables that are members of a part of a parsed query."""
    left = list(part.values())
    while left:
        one = left.pop()
        if isinstance(one, Variable):
            yield one
        elif isinstance(one, (list, ParseResults)):
            left.extend(one)


def _reads(tree: Any, bound: Iterable[str]) -> tuple[frozenset[Node] | None, Anchors | None]:
    """Return the predicates of all statements that a query can match, and its anchors, None if they are not known."""
    from rdflib.plugins.sparql.algebra import translateQuery  # noqa: PLC0415 - few shapes have queries

    try:
        algebra = translateQuery(tree, initNs=KNOWN_PREFIXES).algebra
        # A list inside of EXISTS, which is not translated, has the terms of several triples.
        triples = (triple for node in nodes(algebra) for triple in dict.get(node, "triples") or ())
        paths = [path for triple in triples for path in triple[1::3]]
        return frozenset(one for path in paths for one in _followed(path)), anchors_of(algebra, bound)
    except Exception:  # noqa: BLE001 - rdflib raises any exception; Oxigraph decides about the query
        return None, None


def _followed(path: Any) -> Iterator[Node]:
    """Yield the predicates of a path. Raises ValueError for one that leads to any node."""
    if isinstance(path, URIRef):
        yield path
    elif type(path).__name__ in ("SequencePath", "AlternativePath"):
        for one in path.args:
            yield from _followed(one)
    elif getattr(path, "mod", "+") == "+" and hasattr(path, "path"):
        yield from _followed(path.path)
    elif type(path).__name__ == "InvPath":
        yield from _followed(path.arg)
    else:
        raise ValueError("a variable, a negated path, or one of no steps")


Template: TypeAlias = "tuple[tuple[Node, Node, Node], ...]"


@lru_cache(maxsize=2048)
def construct(text: str) -> tuple[PreboundQuery, Template]:
    """Return a CONSTRUCT about $this as a SELECT of what its template needs, and the template."""
    checked = read_only(text)
    if checked.form != "construct":
        raise ShapesError("its query is no CONSTRUCT")
    texts = tokens(checked.text)
    places = [at for at, one in enumerate(texts) if one.strip()]
    at, after = next(
        (at, after)
        for at, after in pairwise(places)
        if texts[at].upper() == "CONSTRUCT" and (texts[after] == "{" or texts[after].upper() == "WHERE")
    )
    opening = after if texts[after] == "{" else next(one for one in places if one > after)
    depth = 0
    for end in range(opening, len(texts)):
        depth += (texts[end] == "{") - (texts[end] == "}")
        if not depth:
            break
    head, template = "".join(texts[:at]), "".join(texts[opening : end + 1])
    pattern = texts[end + 1 :] if opening == after else texts[after:]
    stated = _triples(f"{head}CONSTRUCT {template} WHERE {{ }}")
    names = {str(one) for triple in stated for one in triple if isinstance(one, Variable)} - {THIS}
    if any(before in ("$", "?") and one == THIS for before, one in pairwise(pattern)):
        names.add(THIS)
    selected = " ".join(f"?{name}" for name in sorted(names)) or "*"
    query = prepared(f"{head}SELECT {selected} {''.join(pattern)}", frozenset((THIS,)), is_constraint=False)
    return query, stated


def _triples(text: str) -> Template:
    from rdflib.plugins.sparql.algebra import translateQuery  # noqa: PLC0415 - few shapes have queries

    tree = sparql_parser().Query.parse_string(text, parse_all=True)
    try:
        return tuple(translateQuery(tree, initNs=KNOWN_PREFIXES).algebra.template or ())
    except Exception as error:  # rdflib raises any exception
        raise ShapesError(f"its template cannot be read: {error}") from error


def with_prefixes(text: str, known: Mapping[str, str]) -> str:
    """Return a query with declarations of the known prefixes that it seems to use; its own come after, and count."""
    return declared({name: iri for name, iri in known.items() if f"{name}:" in text}) + text
