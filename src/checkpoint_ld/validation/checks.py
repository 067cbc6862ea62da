"""Constraints as functions: what a shape asks of its focus nodes, as far as it is understood.

A function may call a good node doubtful, never a bad one good. What is not understood is None.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rdflib import Literal, URIRef

from checkpoint_ld.constraints import names, relations
from checkpoint_ld.constraints.forms import FORMS
from checkpoint_ld.constraints.values import value_of
from checkpoint_ld.graph.expansion import RDF_TYPE, named
from checkpoint_ld.graph.literals import XSD_STRING, text_literal
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, RDF, SCHEMA, SHACL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index


class Statements(Protocol):
    """What there is about nodes."""

    def terms(self, subject: Node, predicate: Node) -> list[Node]:
        """Return all values of a property, each once."""


class Pair(NamedTuple):
    """What has to hold between the JSON value of each value and of each at the end of `path`, from the focus node."""

    path: tuple[Node, ...]
    holds: Callable[[object, object], bool]


@dataclass(frozen=True, slots=True)
class Check:
    """One constraint: bounds for the number of values, or what is asked of them.

    `term` judges a value by itself, `form` the JSON value that it stands for; `text` asks of a text what `term` asks of
    its literal, where not every text will do. `kind` is the class that values have to have; `related` looks at other
    statements too. Where those are statements about the focus node alone, `also` are the properties that it looks at
    beside those of the path. `pair` is all that `related` asks, where it is no more than that; `is_vacuous` says that
    it asks nothing where there are no values.
    """

    least: int = 0
    most: int | None = None
    term: Callable[[Node], bool] | None = None
    text: Callable[[str], object] | None = None
    form: Callable[[object], object] | None = None
    kind: Node | None = None
    related: Callable[[Statements, Node, list[Node]], bool] | None = None
    also: tuple[Node, ...] | None = None
    pair: Pair | None = None
    is_vacuous: bool = False


def sh(name: str) -> URIRef:
    """Return a name of SHACL's vocabulary."""
    return URIRef(SHACL + name)


def ck(name: str) -> URIRef:
    """Return a name of our own constraints."""
    return URIRef(CHECKPOINT_SHACL + name)


def shared(term: Node) -> Node:
    """Return a term of the shapes as graphs have it, too."""
    return named(str(term)) if isinstance(term, URIRef) else term


def told(shapes: Index, subject: Node, name: str) -> list[Node]:
    """Return what `shapes` say of a shape under a name of SHACL's vocabulary."""
    return terms_of(shapes.get(subject, {}).get(sh(name)))


def listed(shapes: Index, at: Node) -> Iterator[Node]:
    """Yield the members of an RDF list."""
    seen = set()
    while at in shapes and at not in seen:
        seen.add(at)
        yield from map(shared, terms_of(shapes[at].get(_FIRST))[:1])
        at = next(iter(terms_of(shapes[at].get(_REST))), _NIL)


_FIRST, _REST, _NIL = (URIRef(RDF + name) for name in ("first", "rest", "nil"))


def _least(_shapes: Index, _shape: Node, term: Node) -> Check:
    return Check(least=int(str(term)))


def _most(_shapes: Index, _shape: Node, term: Node) -> Check:
    return Check(most=int(str(term)))


def _datatype(_shapes: Index, _shape: Node, term: Node) -> Check | None:
    if term != XSD_STRING:
        return None  # whether a text is in the lexical space of its datatype is for pySHACL to say
    return Check(term=_is_text)


def _is_text(value: Node) -> bool:
    return isinstance(value, Literal) and value.language is None and value.datatype in (None, XSD_STRING)


def _length(_shapes: Index, _shape: Node, term: Node) -> Check:
    least = int(str(term))
    return Check(
        term=lambda value: isinstance(value, (Literal, URIRef)) and len(value) >= least,
        text=bool if least == 1 else lambda text: len(text) >= least,
    )


def _pattern(shapes: Index, shape: Node, term: Node) -> Check | None:
    flags = "".join(map(str, told(shapes, shape, "flags")))
    if flags not in ("", "i"):
        return None
    # SPARQL's REGEX searches; pySHACL matches from the start, which is the stricter of the two.
    pattern = re.compile(str(term), re.IGNORECASE if flags else 0)
    return Check(
        term=lambda value: isinstance(value, (Literal, URIRef)) and pattern.match(value) is not None,
        text=pattern.match,
    )


def _class(_shapes: Index, _shape: Node, term: Node) -> Check:
    return Check(kind=term)


def _node_kind(_shapes: Index, _shape: Node, term: Node) -> Check | None:
    kinds: dict[Node, type] = {sh("Literal"): Literal, sh("IRI"): URIRef}
    kind = kinds.get(term)
    if kind is None:
        return None
    return Check(term=lambda value: isinstance(value, kind), text=None if kind is Literal else lambda _text: False)


def _in(shapes: Index, _shape: Node, term: Node) -> Check:
    allowed = frozenset(listed(shapes, term))
    return Check(term=allowed.__contains__, text=_texts(allowed).__contains__)


def _not(shapes: Index, _shape: Node, term: Node) -> Check | None:
    refused = _refused(shapes, term)
    if refused is None:
        return None
    texts = _texts(refused)
    return Check(term=lambda value: value not in refused, text=lambda text: text not in texts)


def _texts(terms: Iterable[Node]) -> frozenset[str]:
    """Return the texts whose literals are among `terms`."""
    return frozenset(text for text in map(str, terms) if text_literal(text) in terms)


def _refused(shapes: Index, negated: Node) -> frozenset[Node] | None:
    """Return the values that the one negation that is understood refuses: that of a list."""
    inner = shapes.get(negated, {})
    values = terms_of(inner.get(sh("in")))
    return frozenset(listed(shapes, values[0])) if inner.keys() == {sh("in")} and len(values) == 1 else None


def _qualified(shapes: Index, shape: Node, term: Node) -> Check | None:
    """Compile the one qualified shape that is understood: one value or more that is not in a list."""
    inner = shapes.get(term, {})
    negated = terms_of(inner.get(sh("not")))
    refused = _refused(shapes, negated[0]) if inner.keys() == {sh("not")} and len(negated) == 1 else None
    least = told(shapes, shape, "qualifiedMinCount")
    if refused is None or [str(one) for one in least] != ["1"]:
        return None
    return Check(related=lambda _of, _focus, values: any(value not in refused for value in values), also=())


def _qualified_least(shapes: Index, shape: Node, _term: Node) -> Check | None:
    return Check() if len(told(shapes, shape, "qualifiedValueShape")) == 1 else None


def _equals(_shapes: Index, _shape: Node, term: Node) -> Check:
    return Check(related=lambda of, focus, values: set(values) == set(of.terms(focus, term)), also=(term,))


def _has(_shapes: Index, _shape: Node, term: Node) -> Check:
    return Check(related=lambda _of, _focus, values: term in values, also=())


def _well_formed(_shapes: Index, _shape: Node, term: Node) -> Check:
    return Check(form=FORMS[str(term)])


def _pairs(holds: Callable[[object, object], bool], *beyond: Node) -> Callable[[Index, Node, Node], Check]:
    """Return a compiler for a relation between each value and those of the property that is named.

    Where there are properties `beyond` it, the values are those at the end of the path.
    """

    def compiler(_shapes: Index, _shape: Node, term: Node) -> Check:
        def related(of: Statements, focus: Node, values: list[Node]) -> bool:
            others = of.terms(focus, term) if values else []
            for step in beyond:
                others = [one for other in others for one in of.terms(other, step)]
            return all(holds(value_of(value), value_of(other)) for other in others for value in values)

        also = None if beyond else (term,)
        return Check(related=related, also=also, pair=Pair((term, *beyond), holds), is_vacuous=True)

    return compiler


def _in_role(is_odd: Callable[[Node, str], object]) -> Callable[[Index, Node, Node], Check]:
    """Return a compiler for what no value may be in any role of its node."""

    def compiler(_shapes: Index, _shape: Node, _term: Node) -> Check:
        def related(of: Statements, focus: Node, values: list[Node]) -> bool:
            roles = [str(one).removeprefix(KARENINA) for one in of.terms(focus, RDF_TYPE)] if values else []
            return not any(is_odd(value, role) for value in values for role in roles)

        return Check(related=related, is_vacuous=True)

    return compiler


def _same_in(shapes: Index, shape: Node, term: Node) -> Check | None:
    """Compile what surely holds where a part has no values, or the same ones."""
    paths = told(shapes, shape, "path")
    if len(paths) != 1 or not isinstance(paths[0], URIRef):
        return None

    def related(of: Statements, focus: Node, values: list[Node]) -> bool:
        others = [set(of.terms(part, paths[0])) for part in of.terms(focus, term)] if values else []
        return all(not one or one == set(values) for one in others)

    return Check(related=related, is_vacuous=True)


COMPILERS: dict[Node, Callable[[Index, Node, Node], Check | None]] = {
    sh("minCount"): _least,
    sh("maxCount"): _most,
    sh("datatype"): _datatype,
    sh("minLength"): _length,
    sh("pattern"): _pattern,
    sh("class"): _class,
    sh("nodeKind"): _node_kind,
    sh("in"): _in,
    sh("not"): _not,
    sh("qualifiedValueShape"): _qualified,
    sh("qualifiedMinCount"): _qualified_least,
    sh("equals"): _equals,
    sh("hasValue"): _has,
    ck("wellFormed"): _well_formed,
    ck("notBefore"): _pairs(lambda value, other: not relations.is_before(value, other)),
    ck("below"): _pairs(relations.is_below),
    ck("sameNumber"): _pairs(relations.is_same_number),
    ck("identifies"): _pairs(relations.is_identifier_of, named(SCHEMA + "text")),
    ck("spelling"): _in_role(lambda key, role: names.misspelt(str(key), role)),
    ck("placement"): _in_role(lambda key, role: names.misplaced(str(key), role)),
    ck("typed"): _in_role(names.expected_type),
    ck("sameIn"): _same_in,
}
"""The constraints that are understood (SHACL 1.0 §4, and our own)."""
