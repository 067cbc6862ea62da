"""The guard of queries: they may only read the loaded statements and, if allowed, query the named hosts.

SERVICE fetches from other machines, LOAD and rdflib's FROM also fetch files, and updates change data. The parse tree
decides what a query does, so comments, strings and names with these words are allowed. A query that rdflib's parser
cannot read is refused, even if the engine could read it.

Two parsers read each query: rdflib's, whose tree decides whether it may run, and that of the engine. They must read it
alike. So both get a plain text, without the parts that parsers read differently: comments, carriage returns, long and
single-quoted strings, and escaped code points (SPARQL 1.1 §19.2), which rdflib expands before anything else. Parameters
are bound by a block of VALUES at the start of the pattern (SPARQL 1.1 §10.2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.documents.values import lone_surrogate
from checkpoint_ld.errors import QueryError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.guard.engine_faults import keeps_by_minus, path_ends
from checkpoint_ld.guard.plans import nodes, plan_of
from checkpoint_ld.guard.rewriting import rewritten
from checkpoint_ld.guard.terms import quoted, written
from checkpoint_ld.vocabulary import CAF, CAF_DERIVED, KARENINA, RDF, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rdflib.plugins.sparql.sparql import Query as Algebra

    from checkpoint_ld.guard.engine_faults import PathEnd
    from checkpoint_ld.guard.plans import SelectPlan
    from checkpoint_ld.guard.rewriting import Rewriting
    from checkpoint_ld.guard.terms import Term


LONGEST = 1_000_000
"""The most characters in a query."""

_CODE_POINT = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_TOKEN = re.compile(
    rf"""
    (?P<comment> \#[^\n\r]* )
  | (?P<iri> <(?: [^\x00-\x20<>"{{}}|^`\\] | {_CODE_POINT} )*> )
  | (?P<long> \"\"\"(?: (?:\"|\"\")? (?: [^"\\] | \\. ) )*\"\"\" | '''(?: (?:'|'')? (?: [^'\\] | \\. ) )*''' )
  | (?P<short> "(?: [^"\\\n\r] | \\. )*" | '(?: [^'\\\n\r] | \\. )*' )
  | (?P<escape> \\[_~.\-!$&'()*+,;=/?\#@%] )
  | (?P<space> [\x20\t\n\r]+ )
  | (?P<word> [^\W\d]\w* )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(rf"{_CODE_POINT}|\\.", re.DOTALL)
_VARIABLE = re.compile(r"[?$](\w+)")
_PLAIN_IRI = re.compile(r'<[^\x00-\x20<>"{}|^`\\]*>')
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "\\": "\\", '"': '"', "'": "'"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query; `kind` is `iri`, `string`, `space`, `word` or `other`."""

    kind: str
    text: str


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens of a query, in a form that all parsers read alike; comments become spaces.

    Raises QueryError for an invalid token (a string without an end, an escape outside of strings), and for a text of
    more than `LONGEST` characters.
    """
    if len(text) > LONGEST:
        raise QueryError(f"the query has more than {LONGEST} characters")
    if lone_surrogate(text) is not None:
        raise QueryError("the query holds half of a surrogate pair, which is no character")
    for found in _TOKEN.finditer(text):
        kind, piece = str(found.lastgroup), found[0]
        if kind in ("long", "short"):
            quotes = 3 if kind == "long" else 1
            # Line breaks are kept, so that messages have the right line.
            yield Token("string", quoted(_unescaped(piece[quotes:-quotes])))
            yield from (Token("space", "\n") for _ in range(piece.count("\n")))
        elif kind == "iri":
            iri = _unescaped(piece)
            if not _PLAIN_IRI.fullmatch(iri):
                raise QueryError(f"{piece} is no IRI: it holds an escaped character that no IRI may hold")
            yield Token(kind, iri)
        elif kind in ("comment", "space"):
            yield Token("space", piece.replace("\r\n", "\n").replace("\r", "\n") if kind == "space" else " ")
        elif piece in ('"', "'"):
            raise QueryError(f"line {_line(text, found)} of the query has a string that does not end")
        elif piece == "\\":
            raise QueryError(f"line {_line(text, found)} of the query has an escape outside of strings: spell it out")
        else:
            yield Token("word" if kind == "word" else "other", piece)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    name = found[0][1:]
    if len(name) > 1:
        number = int(name[1:], 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise QueryError(f"{found[0]} is no character")
        return chr(number)
    if name not in _CHARACTERS:
        raise QueryError(f"{found[0]} is no escape of SPARQL: write a backslash in a string as two")
    return _CHARACTERS[name]


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1


def _depths(tokens: Iterable[Token]) -> Iterator[int]:
    """Yield for each token the number of brackets that are open before it."""
    depth = 0
    for token in tokens:
        yield depth
        if token.kind == "other":
            depth += (token.text in "({[") - (token.text in ")}]")


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def bound(text: str, parameters: Mapping[str, Term]) -> str:
    """Return a query with the values of `parameters` for its variables.

    The values hold in the outermost pattern and in its filters. Inside a sub-select, or in a filter of MINUS, a
    variable of the same name is another variable. Raises QueryError if the query lacks the variable or a pattern.
    """
    if not parameters:
        return text
    tokens = list(tokens_of(text))
    known = {after.text for before, after in pairwise(tokens) if after.kind == "word" and before.text in ("?", "$")}
    for name in parameters:
        if not _NAME.fullmatch(name) or name not in known:
            raise QueryError(f"the query has no variable ?{name} that could be given a value")
    start = _start_of_pattern(tokens)
    if start is None:
        raise QueryError("the query has no pattern { … } in which parameters could be given values")
    if [token.text.upper() for token in tokens[:start] if token.kind != "space"][-2:] == ["CONSTRUCT", "WHERE"]:
        raise QueryError("the pattern of CONSTRUCT WHERE holds no values: write CONSTRUCT { … } WHERE { … }")
    names = " ".join(f"?{name}" for name in parameters)
    values = " ".join(map(written, parameters.values()))
    texts = [token.text for token in tokens]
    texts[start] += f" VALUES ({names}) {{ ({values}) }}"
    if re.match(r"\s*SELECT\b(?![:.-])", "".join(texts[start + 1 :]), re.IGNORECASE):
        # A sub-select that is the whole pattern stands alone in its brackets.
        depths = enumerate(_depths(tokens))
        end = next(at for at, depth in depths if at > start and depth == 1 and texts[at] == "}")
        texts[start] += " {"
        texts[end] += " }"
    return "".join(texts)


def complete(text: str, parameters: Mapping[str, Term]) -> str:
    """Return a query for any engine of SPARQL 1.1: as `bound`, with declarations of all prefixes that it uses.

    Raises QueryError as `bound` and `checked`.
    """
    found = list(nodes(_parsed("".join(token.text for token in tokens_of(text)))))
    declared = {str(node.prefix or "") for node in found if node.name == "PrefixDecl"}
    used = {str(node.prefix or "") for node in found if node.name == "pname"} - declared
    lines = (f"PREFIX {prefix}: <{PREFIXES[prefix]}>\n" for prefix in sorted(used & PREFIXES.keys()))
    return "".join(lines) + bound(text, parameters)


def limited(text: str, most: int) -> str:
    """Return a query with a LIMIT of `most`, or with its own LIMIT if that is smaller."""
    found = [*tokens_of(text)]
    tokens, end = [token.text for token in found], len(found)
    for at, (token, depth) in enumerate(zip(found, _depths(found), strict=True)):
        is_of_name = tokens[at - 1] in {*"?$:.-"} or tokens[at + 1 : at + 2] in ([":"], ["."], ["-"])
        if token.kind == "word" and depth == 0 and not is_of_name:
            if token.text.upper() == "LIMIT":
                start = at + 1 if found[at + 1].kind != "space" else at + 2
                after = next((index for index in range(start, end) if not tokens[index].isdecimal()), len(tokens))
                number = min(most, int("".join(tokens[start:after])))
                return "".join((*tokens[:start], str(number), *tokens[after:]))
            if token.text.upper() == "VALUES":
                end = at
    return "".join((*tokens[:end], f" LIMIT {most} ", *tokens[end:]))


def _start_of_pattern(tokens: Sequence[Token]) -> int | None:
    """Return the position of the brace that opens the pattern, not of a template or of an expression."""
    last = Token("space", "")
    for at, (token, depth) in enumerate(zip(tokens, _depths(tokens), strict=True)):
        is_template = last.kind == "word" and last.text.upper() == "CONSTRUCT"
        if depth == 0 and token == Token("other", "{") and not is_template:
            return at
        if token.kind != "space":
            last = token
    return None


Form: TypeAlias = Literal["select", "ask", "construct", "describe"]

PREFIXES = {
    "schema": SCHEMA,
    "karenina": KARENINA,
    "rdf": RDF,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": XSD,
    "dcterms": "http://purl.org/dc/terms/",
    "void": "http://rdfs.org/ns/void#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "spdx": "http://spdx.org/rdf/terms#",
    "prov": "http://www.w3.org/ns/prov#",
    "caf": CAF,
    "cafd": CAF_DERIVED,
}
"""Prefixes that queries may use without declaring them."""

DEEPEST = 40
"""The greatest depth of nested brackets: parsers and engines recurse."""
MOST_TOKENS = 5_000
"""The most tokens outside of VALUES: Oxigraph recurses along chains of operators, and its stack can overflow."""

_SERVICE = re.compile(r"https?://(?P<host>[A-Za-z0-9.-]+(?::[0-9]+)?|\[[0-9A-Fa-f:.]+\](?::[0-9]+)?)(?:[/?#].*)?")
"""The URL of a service with an unambiguous host, without a name or password before it."""

_FORMS: dict[str, Form] = {
    "SelectQuery": "select",
    "AskQuery": "ask",
    "ConstructQuery": "construct",
    "DescribeQuery": "describe",
}


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that may run: its plain text, its form, and the IRIs of the graphs of FROM and FROM NAMED.

    `is_grouped` is whether its outermost solutions are those of GROUP BY. `order` are the variables of a `SELECT *` in
    the order of the text, empty for any other query. `plan` is that of a SELECT that can be evaluated graph by graph.
    `rewritten` is the query for Oxigraph (`checkpoint_ld.guard.rewriting`). `path_ends` and `keeps_by_minus` say what
    Oxigraph may answer wrongly (`checkpoint_ld.guard.engine_faults`).
    """

    text: str
    form: Form
    rewritten: Rewriting
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    is_grouped: bool = False
    order: tuple[str, ...] = ()
    plan: SelectPlan | None = None
    path_ends: tuple[PathEnd, ...] = ()
    keeps_by_minus: bool = False
    asks_services: bool = False

    @property
    def chooses(self) -> bool:
        """Whether the query chooses its graphs by FROM or FROM NAMED."""
        return bool(self.default_graphs or self.named_graphs)

    def algebra(self) -> Algebra:
        """Return the algebra of the query, without its FROM clauses."""
        translated = _translated(_parsed(self.text))
        translated.algebra["datasetClause"] = None
        return translated


def checked(text: str, services: Collection[str] = ()) -> GuardedQuery:
    """Return a query that may run.

    Raises QueryError with the reason for an update, for SERVICE with a host that is not in `services`, and for a text
    that is no query of SPARQL 1.1.
    """
    return _checked(text, frozenset(services))


# rdflib takes a tenth of a second to parse a query, and the same ones come again and again.
@lru_cache(maxsize=128)
def _checked(text: str, services: Collection[str]) -> GuardedQuery:
    tokens = list(tokens_of(text))
    if any(depth > DEEPEST for depth in _depths(tokens)):
        raise QueryError(f"the brackets of the query are nested more than {DEEPEST} deep")
    if _outside_of_values(tokens) > MOST_TOKENS:
        raise QueryError(
            f"the query has more than {MOST_TOKENS} words and signs: make it shorter, with long lists in VALUES"
        )
    plain = "".join(token.text for token in tokens)
    tree = _parsed(plain)
    service_terms = [node.term for node in nodes(tree) if node.name == "ServiceGraphPattern"]
    for term in service_terms:
        _refuse_service(term, services)
    _refuse_unknown_prefixes(tree)
    query = tree[1]
    form, is_grouped, clauses = _FORMS[query.name], bool(query.groupby), query.datasetClause
    order: tuple[str, ...] = ()
    if form == "select" and not query.projection:
        bare = "".join(token.text for token in tokens if token.kind not in ("iri", "string"))
        order = tuple(dict.fromkeys(_VARIABLE.findall(bare)))
    try:
        algebra = _translated(tree).algebra
    except QueryError:  # rdflib parses it but has no algebra for it: the engine decides
        if clauses:
            raise
        return GuardedQuery(
            plain, form, rewritten(tokens, None), is_grouped=is_grouped, order=order, asks_services=bool(service_terms)
        )
    clauses = algebra.datasetClause or ()
    default = tuple(str(clause.default) for clause in clauses if clause.default)
    named = tuple(str(clause.named) for clause in clauses if clause.named)
    plan = plan_of(algebra.p) if form == "select" else None
    return GuardedQuery(
        *(plain, form, rewritten(tokens, algebra), default, named, is_grouped, order, plan),
        path_ends=path_ends(algebra),
        keeps_by_minus=keeps_by_minus(algebra),
        asks_services=bool(service_terms),
    )


def _outside_of_values(tokens: Sequence[Token]) -> int:
    """Return the number of tokens that are neither spaces nor in the data of VALUES."""
    count, last, is_data = 0, "", False
    for token in tokens:
        if token.kind == "space":
            continue
        if token.text == "}" and token.kind == "other":
            is_data = False
        count += not is_data
        if token.text == "{" and token.kind == "other" and last == "VALUES":
            is_data = True
        if token.kind == "word" and token.text.upper() == "VALUES":
            last = "VALUES"
        elif token.text in "{}":
            last = ""
    return count


def _parsed(plain: str) -> Any:
    # `parseQuery` would expand escaped code points first, even after an escaped backslash.
    from pyparsing.exceptions import ParseBaseException  # noqa: PLC0415 - rdflib's parser takes its time to import

    try:
        return sparql_parser().Query.parse_string(plain, parse_all=True)
    except ParseBaseException as error:
        if _is_update(plain):
            raise QueryError("this is an update, which is refused and cannot be allowed: queries only read") from error
        line = plain.splitlines()[error.lineno - 1 : error.lineno]
        near = line[0][error.column - 1 :].strip()[:40] if line else ""
        place = f"line {error.lineno}, column {error.column}"
        raise QueryError(
            f"this is no query of SPARQL 1.1 ({place}, near {near!r})" if near else f"the query is incomplete ({place})"
        ) from error
    except RecursionError as error:
        raise QueryError("the query is nested too deeply, or has too many parts: make it shorter") from error
    except Exception as error:  # rdflib raises any exception for terms that it cannot make
        raise QueryError(f"the query cannot be read: {error}") from error


def _is_update(plain: str) -> bool:
    from pyparsing.exceptions import ParseBaseException  # noqa: PLC0415 - as above

    try:
        return bool(sparql_parser().UpdateUnit.parse_string(plain, parse_all=True)[0].request)
    except (ParseBaseException, RecursionError):
        return False


def _refuse_service(term: Any, services: Collection[str]) -> None:
    if not services:
        raise QueryError(
            f"the query asks another server by SERVICE ({_named(term)}), which is refused: load what it holds, and "
            "query that; the command query allows a host by --allow-service"
        )
    # Only a full IRI is known before the query runs, not a variable, prefixed name or relative IRI.
    found = _SERVICE.fullmatch(str(term)) if type(term).__name__ == "URIRef" else None
    if found is None:
        raise QueryError(f"the query asks {_named(term)} by SERVICE: write the URL of the service in full, as <http…>")
    if found["host"].lower() not in {service.lower() for service in services}:
        allowed = ", ".join(services)
        raise QueryError(f"the query asks {found['host']} by SERVICE, which is refused: only {allowed} was allowed")


def _refuse_unknown_prefixes(tree: Any) -> None:
    found = list(nodes(tree))
    known = {str(node.prefix or "") for node in found if node.name == "PrefixDecl"} | PREFIXES.keys()
    for node in found:
        prefix = str(node.prefix or "")
        if node.name == "pname" and prefix not in known:
            raise QueryError(f"the prefix {prefix}: is not declared: write PREFIX {prefix}: <…> before the query")


def _translated(tree: Any) -> Algebra:
    from rdflib.plugins.sparql.algebra import translateQuery  # noqa: PLC0415 - as above

    try:
        return translateQuery(tree, initNs=PREFIXES)
    except RecursionError as error:
        raise QueryError("the query is nested too deeply, or has too many parts: make it shorter") from error
    except Exception as error:  # rdflib raises Exception for undeclared prefixes
        raise QueryError(f"the query cannot be read: {error}") from error


def _named(term: Any) -> str:
    local = getattr(term, "localname", None)
    return f"?{term}" if type(term).__name__ == "Variable" else f"{term.prefix}:{local}" if local else str(term)
