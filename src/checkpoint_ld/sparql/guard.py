"""What a query may do: read what was loaded, and nothing else.

SERVICE fetches from other machines, LOAD and rdflib's reading of FROM fetch files too, and updates change things. What
a query does is told by its parse tree: comments, strings and names that look like any of these are innocent. A query
that rdflib's parser cannot read is refused, whatever the engine would make of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.errors import QueryError
from checkpoint_ld.sparql.tokens import tokens_of
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.plugins.sparql.sparql import Query as Algebra

Form: TypeAlias = Literal["select", "ask", "construct", "describe"]

PREFIXES = {
    "schema": SCHEMA,
    "karenina": KARENINA,
    "rdf": RDF,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": XSD,
    "dcterms": "http://purl.org/dc/terms/",
    "void": "http://rdfs.org/ns/void#",
    "prov": "http://www.w3.org/ns/prov#",
}
"""Prefixes that queries may use without declaring them."""

LONGEST = 1_000_000
"""How many characters a query may have."""
DEEPEST = 40
"""How deep brackets may be nested: parsers and engines recurse."""

_FORMS: dict[str, Form] = {
    "SelectQuery": "select",
    "AskQuery": "ask",
    "ConstructQuery": "construct",
    "DescribeQuery": "describe",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A query that may run: its plain text, its form, and the graphs that FROM and FROM NAMED choose, by IRI.

    `is_grouped` says that its outermost solutions are those of GROUP BY.
    """

    text: str
    form: Form
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    is_grouped: bool = False

    @property
    def chooses(self) -> bool:
        """Whether the query says itself which graphs it is about."""
        return bool(self.default_graphs or self.named_graphs)

    def algebra(self) -> Algebra:
        """Return the query as rdflib evaluates it, without its FROM clauses."""
        translated = _translated(_parsed(self.text))
        translated.algebra["datasetClause"] = None
        return translated


def checked(text: str) -> Checked:
    """Return a query that may run.

    Raises QueryError, which says why, for an update, for SERVICE wherever it stands, and for what is no query of
    SPARQL 1.1.
    """
    if len(text) > LONGEST:
        raise QueryError(f"the query has more than {LONGEST} characters")
    plain = "".join(token.text for token in tokens_of(text))
    tree = _parsed(plain)
    services = [node for node in _nodes(tree) if node.name == "ServiceGraphPattern"]
    if services:
        raise QueryError(
            f"the query asks another server by SERVICE ({_named(services[0].term)}), which is refused: load what it "
            "holds, and query that"
        )
    _refuse_unknown_prefixes(tree)
    query = tree[1]
    default, named = _datasets(query, tree)
    return Checked(plain, _FORMS[query.name], default, named, bool(query.groupby))


def _parsed(plain: str) -> Any:
    # Not `parseQuery`: it expands what looks like escaped code points first, also behind an escaped backslash.
    from pyparsing.exceptions import ParseBaseException  # noqa: PLC0415 - rdflib's parser takes its time to import
    from rdflib.plugins.sparql import parser  # noqa: PLC0415 - as above

    _refuse_depth(plain)
    try:
        return parser.Query.parse_string(plain, parse_all=True)
    except ParseBaseException as error:
        if _is_update(plain):
            raise QueryError("this is an update, which is refused: queries only read") from error
        told = plain.splitlines()[error.lineno - 1 : error.lineno]
        near = told[0][error.column - 1 :].strip()[:40] if told else ""
        place = f"line {error.lineno}, column {error.column}"
        raise QueryError(
            f"this is no query of SPARQL 1.1 ({place}, near {near!r})" if near else f"the query is incomplete ({place})"
        ) from error
    except RecursionError as error:
        raise QueryError("the query is nested too deeply") from error
    except Exception as error:  # rdflib raises whatever it likes for terms that it cannot make
        raise QueryError(f"the query cannot be read: {error}") from error


def _is_update(plain: str) -> bool:
    from pyparsing.exceptions import ParseBaseException  # noqa: PLC0415 - as above
    from rdflib.plugins.sparql import parser  # noqa: PLC0415 - as above

    try:
        return bool(parser.UpdateUnit.parse_string(plain, parse_all=True)[0].request)
    except (ParseBaseException, RecursionError):
        return False


def _refuse_depth(plain: str) -> None:
    depth = 0
    for token in tokens_of(plain):
        if token.kind == "other":
            depth += (token.text in "([{") - (token.text in ")]}")
            if depth > DEEPEST:
                raise QueryError(f"the brackets of the query are nested more than {DEEPEST} deep")


def _nodes(tree: Any) -> Iterator[Any]:
    """Yield the nodes of a parse tree that have a name."""
    from pyparsing import ParseResults  # noqa: PLC0415 - as above
    from rdflib.plugins.sparql.parserutils import CompValue  # noqa: PLC0415 - as above

    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, CompValue):
            yield one
            waiting.extend(dict.values(one))
        elif isinstance(one, list | tuple | ParseResults):
            waiting.extend(one)


def _refuse_unknown_prefixes(tree: Any) -> None:
    nodes = list(_nodes(tree))
    known = {str(one.prefix or "") for one in nodes if one.name == "PrefixDecl"} | PREFIXES.keys()
    for one in nodes:
        prefix = str(one.prefix or "")
        if one.name == "pname" and prefix not in known:
            raise QueryError(f"the prefix {prefix}: is not declared: write PREFIX {prefix}: <…> before the query")


def _datasets(query: Any, tree: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not query.datasetClause:
        return (), ()
    clauses = _translated(tree).algebra.datasetClause
    default = tuple(str(one.default) for one in clauses if one.default)
    return default, tuple(str(one.named) for one in clauses if one.named)


def _translated(tree: Any) -> Algebra:
    from rdflib.plugins.sparql.algebra import translateQuery  # noqa: PLC0415 - as above

    try:
        return translateQuery(tree, initNs=PREFIXES)
    except RecursionError as error:
        raise QueryError("the query is nested too deeply") from error
    except Exception as error:  # rdflib raises Exception itself for prefixes that are not declared
        raise QueryError(f"the query cannot be read: {error}") from error


def _named(term: Any) -> str:
    local = getattr(term, "localname", None)
    return f"?{term}" if type(term).__name__ == "Variable" else f"{term.prefix}:{local}" if local else str(term)
