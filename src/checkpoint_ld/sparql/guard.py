"""What a query may do: read what was loaded and, if that was allowed, ask the named hosts.

SERVICE fetches from other machines, LOAD and rdflib's reading of FROM fetch files too, and updates change things. What
a query does is told by its parse tree: comments, strings and names that look like any of these are innocent. A query
that rdflib's parser cannot read is refused, whatever the engine would make of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.agent.names import CAF, CAF_DERIVED
from checkpoint_ld.errors import QueryError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.sparql.syntax import tokens_of
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

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
    "caf": CAF,
    "cafd": CAF_DERIVED,
}
"""Prefixes that queries may use without declaring them."""

DEEPEST = 40
"""How deep brackets may be nested: parsers and engines recurse."""

_SERVICE = re.compile(r"https?://(?P<host>[A-Za-z0-9.-]+(?::[0-9]+)?|\[[0-9A-Fa-f:.]+\](?::[0-9]+)?)(?:[/?#].*)?")
"""The URL of a service whose host cannot be mistaken: there is no name or password in front of it."""

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


def checked(text: str, services: Collection[str] = ()) -> Checked:
    """Return a query that may run.

    Raises QueryError, which says why, for an update, for SERVICE wherever it stands unless it asks one of the hosts
    `services`, and for what is no query of SPARQL 1.1.
    """
    plain = "".join(token.text for token in tokens_of(text))
    tree = _parsed(plain)
    for node in _nodes(tree):
        if node.name == "ServiceGraphPattern":
            _refuse_service(node.term, services)
    _refuse_unknown_prefixes(tree)
    query = tree[1]
    default, named = _datasets(query, tree)
    return Checked(plain, _FORMS[query.name], default, named, bool(query.groupby))


def _parsed(plain: str) -> Any:
    # Not `parseQuery`: it expands what looks like escaped code points first, also behind an escaped backslash.
    from pyparsing.exceptions import ParseBaseException  # noqa: PLC0415 - rdflib's parser takes its time to import

    _refuse_depth(plain)
    try:
        return sparql_parser().Query.parse_string(plain, parse_all=True)
    except ParseBaseException as error:
        if _is_update(plain):
            raise QueryError("this is an update, which is refused and cannot be allowed: queries only read") from error
        told = plain.splitlines()[error.lineno - 1 : error.lineno]
        near = told[0][error.column - 1 :].strip()[:40] if told else ""
        place = f"line {error.lineno}, column {error.column}"
        raise QueryError(
            f"this is no query of SPARQL 1.1 ({place}, near {near!r})" if near else f"the query is incomplete ({place})"
        ) from error
    except RecursionError as error:
        raise QueryError("the query is nested too deeply, or has too many parts: make it shorter") from error
    except Exception as error:  # rdflib raises whatever it likes for terms that it cannot make
        raise QueryError(f"the query cannot be read: {error}") from error


def _is_update(plain: str) -> bool:
    from pyparsing.exceptions import ParseBaseException  # noqa: PLC0415 - as above

    try:
        return bool(sparql_parser().UpdateUnit.parse_string(plain, parse_all=True)[0].request)
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


def _refuse_service(term: Any, services: Collection[str]) -> None:
    if not services:
        raise QueryError(
            f"the query asks another server by SERVICE ({_named(term)}), which is refused: load what it holds, and "
            "query that, or allow it by --allow-service"
        )
    # Only what stands there in full is known before the query runs: no variable, no prefix, no relative name.
    found = _SERVICE.fullmatch(str(term)) if type(term).__name__ == "URIRef" else None
    if found is None:
        raise QueryError(f"the query asks {_named(term)} by SERVICE: write the URL of the service in full, as <http…>")
    if found["host"].lower() not in {one.lower() for one in services}:
        allowed = ", ".join(services)
        raise QueryError(f"the query asks {found['host']} by SERVICE, which is refused: only {allowed} was allowed")


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
        raise QueryError("the query is nested too deeply, or has too many parts: make it shorter") from error
    except Exception as error:  # rdflib raises Exception itself for prefixes that are not declared
        raise QueryError(f"the query cannot be read: {error}") from error


def _named(term: Any) -> str:
    local = getattr(term, "localname", None)
    return f"?{term}" if type(term).__name__ == "Variable" else f"{term.prefix}:{local}" if local else str(term)
