"""A query as Oxigraph has to be given it, so that its result is that of SPARQL 1.1.

Sort keys and the arguments of MIN and MAX become the keys of `ordering`, unless they cannot hold literals of several
kinds. An empty list of IN gets a member that no term equals, because Oxigraph takes `NOT IN ()` as an error.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from pyoxigraph import NamedNode
from rdflib import URIRef

from checkpoint_ld.guard.ordering import order_key, term_of_key
from checkpoint_ld.guard.plans import nodes
from checkpoint_ld.vocabulary import RDF, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyoxigraph import QuerySolutions, Store

    from checkpoint_ld.guard.terms import Term

_KEY, TERM_OF_KEY = NamedNode("urn:checkpoint-ld:order-key"), NamedNode("urn:checkpoint-ld:term-of-key")
FUNCTIONS: dict[NamedNode, Callable[..., Term | None]] = {_KEY: order_key, TERM_OF_KEY: term_of_key}
"""The functions that a rewritten query calls, for `Store.query(…, custom_functions=…)`."""
_NOTHING = "<urn:checkpoint-ld:nothing>"

_KINDS = {
    **dict.fromkeys(("IRI", "URI", "UUID", "DATATYPE"), ""),
    **dict.fromkeys(("STR", "CONCAT", "LCASE", "UCASE", "SUBSTR", "REPLACE", "STRBEFORE", "STRAFTER"), "text"),
    **dict.fromkeys(("GROUP_CONCAT", "ENCODE_FOR_URI", "LANG", "STRUUID", "MD5", "SHA1", "SHA256", "SHA512"), "text"),
    **dict.fromkeys(("COUNT", "STRLEN", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES"), "number"),
    **dict.fromkeys(("BOUND", "ISIRI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "CONTAINS", "STRSTARTS"), "boolean"),
    **dict.fromkeys(("STRENDS", "REGEX", "LANGMATCHES", "SAMETERM"), "boolean"),
}
"""Functions whose values Oxigraph sorts right: the kind of their literals, nothing for those that return IRIs."""


class Piece(NamedTuple):
    """A token of a query that is no space, and its place among all tokens."""

    text: str
    kind: str
    at: int


class Rewriting(NamedTuple):
    """A query for Oxigraph: `text`, which is always right, and `native`, which is faster, and right under conditions.

    For each set of `conditions`, the literals that its predicates have must be of one kind, together with the kinds in
    the set. Predicates are `<IRI>`; `kinds_of_literals` returns their kinds.
    """

    text: str
    native: str
    conditions: frozenset[frozenset[str]]


def rewritten(tokens: Sequence[Any], algebra: Any) -> Rewriting:
    """Return a query for Oxigraph, given by its tokens and its algebra, None if there is none."""
    pieces = [Piece(token.text, token.kind, at) for at, token in enumerate(tokens) if token.kind != "space"]
    texts = [token.text for token in tokens]
    kinds = {} if algebra is None else kinds_of_variables(algebra)
    spots: list[_Spot] = []
    for at, word in keywords(pieces):
        follows = [piece.text.upper() for piece in pieces[at + 1 : at + 3]]
        if word == "IN" and follows == ["(", ")"]:
            texts[pieces[at + 1].at] += _NOTHING
        elif word in ("MIN", "MAX") and follows[:1] == ["("]:
            end = _end(pieces, at + 1)
            start = at + 3 if follows[1] == "DISTINCT" else at + 2
            spots.append(_Spot(start, end - 1, _kinds_in(pieces[start : end - 1], kinds), call=(at, end)))
        elif word == "ORDER" and follows[:1] == ["BY"]:
            spots += [_Spot(*place, _kinds_in(pieces[slice(*place)], kinds)) for place in _conditions(pieces, at + 2)]
    spots = [spot for spot in spots if len(spot.kinds) > 1 or any(map(_is_predicate, spot.kinds))]
    conditional = [spot for spot in spots if not spot.kinds >= _ANY]
    return Rewriting(
        _with_keys(texts, pieces, spots),
        _with_keys(texts, pieces, [spot for spot in spots if spot.kinds >= _ANY]),
        frozenset(spot.kinds for spot in conditional),
    )


class _Spot(NamedTuple):
    """An expression of a sort key, or of MIN and MAX with the `call` around it, as ranges of pieces."""

    start: int
    end: int
    kinds: frozenset[str]
    call: tuple[int, int] | None = None


def _with_keys(texts: Sequence[str], pieces: Sequence[Piece], spots: Iterable[_Spot]) -> str:
    made = list(texts)

    def wrap(function: NamedNode, start: int, end: int) -> None:
        first, last = pieces[start].at, pieces[end - 1].at
        made[first] = f"{function}({made[first]}"
        made[last] += ")"

    for spot in reversed(list(spots)):  # those inside of others come last, and their brackets have to be inside
        wrap(_KEY, spot.start, spot.end)
        if spot.call is not None:
            wrap(TERM_OF_KEY, *spot.call)
    return "".join(made)


def keywords(pieces: Sequence[Piece]) -> Iterator[tuple[int, str]]:
    """Yield the words that are no part of a variable, a prefixed name, a blank node or a language tag, as capitals."""
    for at, piece in enumerate(pieces):
        if piece.kind != "word":
            continue
        before = pieces[at - 1] if at and pieces[at - 1].at == piece.at - 1 else None
        after = pieces[at + 1] if at + 1 < len(pieces) and pieces[at + 1].at == piece.at + 1 else None
        if (before is None or before.text not in {*"?$:.-@_%"}) and (after is None or after.text not in {*":.-"}):
            yield at, piece.text.upper()


def _end(pieces: Sequence[Piece], at: int) -> int:
    """Return the position after the bracket that closes the one at a position."""
    depth = 0
    for place in range(at, len(pieces)):
        if pieces[place].kind == "other":
            depth += (pieces[place].text in "({[") - (pieces[place].text in ")}]")
        if not depth:
            return place + 1
    return len(pieces)


def _conditions(pieces: Sequence[Piece], at: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each expression of an ORDER BY (SPARQL 1.1 grammar, rule 24)."""
    while at < len(pieces):
        text = pieces[at].text
        if text in ("?", "$"):
            yield at, at + 2
            at += 2
        elif text.upper() in ("ASC", "DESC") and pieces[at + 1].text == "(":
            at += 1
        elif text == "(":
            end = _end(pieces, at)
            yield at + 1, end - 1
            at = end
        else:
            start = at
            while at < len(pieces) and pieces[at].text not in ("(", "{", "}"):
                at += 1
            if (
                at == len(pieces)
                or pieces[at].text == "}"
                or pieces[start].text.upper() in ("LIMIT", "OFFSET", "VALUES")
            ):
                return
            end = _end(pieces, at)
            yield start, end
            at = end


def _kinds_in(pieces: Sequence[Piece], kinds: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the kinds of the literals that an expression may have."""
    while len(pieces) > 2 and pieces[0].text == "(" and _end(pieces, 0) == len(pieces):
        pieces = pieces[1:-1]
    if len(pieces) == 2 and pieces[0].text in ("?", "$"):
        return kinds.get(pieces[1].text, _ANY)
    kind = _KINDS.get(pieces[0].text.upper()) if len(pieces) > 2 and pieces[1].text == "(" else None
    return _ANY if kind is None or _end(pieces, 1) < len(pieces) else frozenset((kind,)) - {""}


_NODES = {f"Builtin_{name}": kind for name, kind in _KINDS.items()} | {
    "Aggregate_Count": "number",
    "Aggregate_GroupConcat": "text",
}
_ANY = frozenset(("text", "number"))
"""What a literal of the data may be."""
_NO_LITERALS: Final = URIRef("urn:checkpoint-ld:nothing")
"""A term that stands for any IRI or blank node."""


def kinds_of_variables(algebra: Any) -> dict[str, frozenset[str]]:
    """Return the kinds of the literals that each variable may have, `<IRI>` for the values of a predicate."""
    sources: dict[str, list[Any]] = defaultdict(list)
    for node in nodes(algebra):
        for variable, source in _bindings(node):
            sources[str(variable)].append(source)
    known: dict[str, frozenset[str]] = {}

    def kinds(name: str) -> frozenset[str]:
        if name not in known:
            known[name] = frozenset()  # what a circle adds
            known[name] = frozenset().union(*map(kinds_of, sources[name])) if sources[name] else _ANY
        return known[name]

    def kinds_of(source: Any) -> frozenset[str]:
        if isinstance(source, _Values):
            return frozenset((f"<{source.predicate}>",)) if isinstance(source.predicate, URIRef) else _ANY
        if type(source).__name__ == "Variable":
            return kinds(str(source))
        name = getattr(source, "name", "")
        if name in _CHOICES:
            return frozenset().union(*map(kinds_of, _CHOICES[name](source)))
        kind = _kind_of_constant(source) if not name else _NODES.get(name)
        return _ANY if kind is None else frozenset((kind,)) - {""}

    return {name: kinds(name) for name in list(sources)}


_CHOICES: dict[str, Callable[[Any], Iterable[Any]]] = {
    "Builtin_COALESCE": lambda node: node.arg,
    "Builtin_IF": lambda node: (node.arg2, node.arg3),
    **dict.fromkeys(("Aggregate_Min", "Aggregate_Max", "Aggregate_Sample"), lambda node: (node.vars,)),
}
"""The expressions one of which is the value of an expression."""


def _kind_of_constant(term: Any) -> str | None:
    if type(term).__name__ == "Literal":
        return "text" if term.datatype is None or str(term.datatype) == XSD + "string" else None
    return "" if type(term).__name__ == "URIRef" else None


class _Values(NamedTuple):
    """The values of a predicate, or of a path."""

    predicate: Any


def _is_predicate(kind: str) -> bool:
    return kind.startswith("<")


def _bindings(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the variables that a node of the algebra binds, with an expression, a term, or a predicate."""
    if node.name == "BGP":
        for subject, predicate, value in node.triples:
            yield from ((subject, _NO_LITERALS), (predicate, _NO_LITERALS), (value, _Values(predicate)))
    elif node.name == "Graph":
        yield node.term, _NO_LITERALS
    elif node.name == "Extend":
        yield node.var, node.expr
    elif node.name == "values":
        for row in node.res:
            yield from row.items()
    elif node.name.startswith("Aggregate_"):
        yield node.res, node


def kinds_of_literals(store: Store, predicate: str) -> frozenset[str]:
    """Return the kinds of the literals that a predicate, `<IRI>`, has in a store, all if Oxigraph sorts them wrong."""

    def values(select: str) -> list[Any]:
        found = store.query(f"{select} {{ ?s {predicate} ?o }}", use_default_graph_as_union=True)
        return [row[0] for row in cast("QuerySolutions", found)]

    types = {found.value for found in values("SELECT DISTINCT (DATATYPE(?o) AS ?d)") if found is not None}
    if types <= {XSD + "string", RDF + "langString"}:
        return frozenset(("text",)) if types else frozenset()
    if types == {XSD + "dateTime"}:
        offsets = {found is not None and found.value for found in values("SELECT DISTINCT (TZ(?o) = '' AS ?local)")}
        return frozenset(("time",)) if len(offsets) == 1 and False not in offsets else _ANY
    if len(types) == 1 and types <= {XSD + "integer", XSD + "double", XSD + "decimal"}:
        numbers = values("SELECT DISTINCT (ISNUMERIC(?o) && ?o = ?o AS ?valid)")
        return frozenset(("number",)) if [found.value for found in numbers if found is not None] == ["true"] else _ANY
    return _ANY


Known: TypeAlias = "dict[str, frozenset[str]]"
"""The kinds of the literals of predicates in a store, as far as they are known, until it changes."""


def best_text(query: Rewriting, store: Store, known: Known | None) -> str:
    """Return the faster text of a query, if it is right for a store.

    To find that takes as long as a short query, so it is found only where `known` keeps it for the next ones.
    """
    if known is None:
        return query.native if not query.conditions else query.text
    for condition in query.conditions:
        kinds: set[str] = set()
        for kind in condition:
            if _is_predicate(kind) and kind not in known:
                known[kind] = kinds_of_literals(store, kind)
            kinds |= known[kind] if _is_predicate(kind) else {kind}
        if len(kinds) > 1:
            return query.text
    return query.native
