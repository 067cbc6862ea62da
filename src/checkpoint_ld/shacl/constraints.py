"""Constraints of SHACL Core (SHACL 1.0 §4): on single value nodes, on all value nodes together, and by other shapes."""

from __future__ import annotations

import operator
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import EvaluationError, ShapesError
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.shacl import xpath
from checkpoint_ld.shacl.data import Predicate
from checkpoint_ld.shacl.literals import LANG_STRING, STRING, form_of, holds
from checkpoint_ld.shacl.shape import (
    VALUES_ALONE,
    Constraint,
    ReadStatements,
    ValueConstraint,
    described,
    listed,
    plain,
    sh,
    sh_values,
    shared,
    shown,
)
from checkpoint_ld.workers import patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import PropertyPath, Table
    from checkpoint_ld.shacl.shape import Evaluation, Result, Shape


def _component_of(name: str) -> Node:
    """Return the constraint component of a parameter, by the local names of both."""
    return sh(f"{name[0].upper()}{name[1:]}ConstraintComponent")


Compiler: TypeAlias = "Callable[[Index, Node, Node], Constraint | None]"
"""Makes a constraint from the shapes graph, a shape and the value of a parameter; None if nothing is constrained."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tested(ValueConstraint):
    """A value node conforms if a function returns true for it."""

    test: Callable[[Node], object]

    def faulty(self, _run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        test = self.test
        return [one for one in values if not test(one)]

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return VALUES_ALONE


@dataclass(frozen=True, slots=True, eq=False)
class _OfClass(ValueConstraint):
    """A value node is a SHACL instance of a class."""

    kind: Node

    def faulty(self, run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        instances = run.data.instances(self.kind)
        return [one for one in values if one not in instances]

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return ReadStatements(of_values=(RDF_TYPE,))


def _compile_class(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:class (SHACL 1.0 §4.1.1)."""
    if not isinstance(term, URIRef):
        raise ShapesError(f"sh:class of {described(shapes, shape)} is {shown(term)}: write the IRI of a class")
    return _OfClass(_component_of("class"), f"Value does not have class {_braced(term)}", kind=shared(term))


_KINDS: dict[Node, tuple[type, ...]] = {
    sh("IRI"): (URIRef,),
    sh("BlankNode"): (BNode,),
    sh("Literal"): (Literal,),
    sh("BlankNodeOrIRI"): (BNode, URIRef),
    sh("BlankNodeOrLiteral"): (BNode, Literal),
    sh("IRIOrLiteral"): (URIRef, Literal),
}


def _compile_node_kind(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:nodeKind (SHACL 1.0 §4.1.3)."""
    _single(shapes, shape, "nodeKind")
    if term not in _KINDS:
        raise ShapesError(
            f"sh:nodeKind of {described(shapes, shape)} is {shown(term)}: write one of the six of SHACL 1.0 §4.1.3"
        )
    kinds = _KINDS[term]
    return _Tested(
        _component_of("nodeKind"),
        f"Value is not of Node Kind {_braced(term)}",
        test=lambda value: isinstance(value, kinds),
    )


def _compile_datatype(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:datatype (SHACL 1.0 §4.1.2)."""
    _single(shapes, shape, "datatype")
    if not isinstance(term, URIRef):
        raise ShapesError(f"sh:datatype of {described(shapes, shape)} is {shown(term)}: write the IRI of a datatype")

    is_text, is_tagged = term == STRING, term == LANG_STRING
    name, is_well_typed = str(term), form_of(str(term))

    def is_of(value: Node) -> bool:
        if not isinstance(value, Literal):
            return False
        datatype = value.datatype
        if datatype is None:
            return is_text if value.language is None else is_tagged
        return str.__eq__(datatype, name) and is_well_typed(value)

    message = f"Value is not Literal with datatype {_braced(term)}"
    return _Tested(_component_of("datatype"), message, test=is_of)


def _range(name: str, sign: str, compare: Callable[[Any, Any], bool]) -> Compiler:
    """Return the compiler of a value range constraint (SHACL 1.0 §4.3)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        _single(shapes, shape, name)
        if not isinstance(term, Literal):
            raise ShapesError(f"sh:{name} of {described(shapes, shape)} is {shown(term)}: write a literal")
        component = _component_of(name)
        message = f"Value is not {sign} {_braced(term)}"
        return _Tested(component, message, test=lambda value: holds(compare, value, term))

    return compiler


def _length(name: str, sign: str, compare: Callable[[int, int], bool]) -> Compiler:
    """Return the compiler of sh:minLength or sh:maxLength (SHACL 1.0 §4.4.1, §4.4.2)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        bound = _whole_number(shapes, shape, name)
        return _Tested(
            _component_of(name),
            f"String length not {sign} {_braced(term)}",
            test=lambda value: not isinstance(value, BNode) and compare(len(str(value)), bound),
        )

    return compiler


@dataclass(frozen=True, slots=True, eq=False)
class Pattern(ValueConstraint):
    """A value node matches a regular expression.

    Its author may be anybody, so it has a time limit, unless `is_ours`.
    """

    stated: str
    pattern: str
    flags: int
    is_ours: bool = False

    def faulty(self, _run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        """Return the values that do not match. Raises ShapesError after the time limit."""
        texts = [str(one) for one in values]
        if self.is_ours:
            search = _compiled(self.pattern, self.flags).search
            found = [search(text) is not None for text in texts]
        else:
            try:
                found = patterns.occurring(self.pattern, texts, self.flags)
            except EvaluationError as error:
                raise ShapesError(f"sh:pattern {shown(Literal(self.stated))}: {error}") from error
        return [one for one, is_found in zip(values, found, strict=True) if isinstance(one, BNode) or not is_found]

    def reads(self, path: PropertyPath | None) -> ReadStatements:  # noqa: ARG002 - as declared
        """Return what the constraint looks at."""
        return VALUES_ALONE


@dataclass(frozen=True, slots=True, eq=False)
class UnappliedConstraint(Constraint):
    """A constraint that cannot be applied for a `reason`, so that its shape is left out."""

    reason: str = ""

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:  # noqa: ARG002 - as declared
        """Yield nothing."""
        yield from ()


@lru_cache(maxsize=500)
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _compile_pattern(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:pattern with sh:flags (SHACL 1.0 §4.4.3), which matches like REGEX of SPARQL."""
    flags = "".join(map(str, sh_values(shapes, shape, "flags")))
    text = str(term)
    try:
        if not isinstance(term, Literal) or not set(flags) <= xpath.FLAGS.keys():
            raise ValueError(f"the flags are {flags}")
        given = int(sum(xpath.FLAGS[one] for one in set(flags)))
        pattern = xpath.translated(text, flags)
        patterns.refuse_faulty(pattern, [one.upper() for one in set(flags) & set("ims")])
    except (ValueError, EvaluationError) as error:
        reason = f"its sh:pattern {shown(term)} is no regular expression that can be applied ({error})"
        return UnappliedConstraint(_component_of("pattern"), "", reason=reason)
    return Pattern(
        _component_of("pattern"),
        f"Value does not match pattern '{_braces(text)}'",
        stated=text,
        pattern=pattern,
        flags=given,
    )


def _compile_languages(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:languageIn (SHACL 1.0 §4.4.4)."""
    _single(shapes, shape, "languageIn")
    members = list(listed(shapes, term))
    if not all(isinstance(one, Literal) for one in members):
        raise ShapesError(
            f"sh:languageIn of {described(shapes, shape)} has {', '.join(map(shown, members))}: write texts"
        )
    ranges = [str(one).lower() for one in members]

    def is_in(value: Node) -> bool:
        tag = (value.language or "").lower() if isinstance(value, Literal) else ""
        return any(tag and (one in ("*", tag) or tag.startswith(f"{one}-")) for one in ranges)

    message = f"String language is not in {_braces(', '.join(ranges))}"
    return _Tested(_component_of("languageIn"), message, test=is_in)


def _compile_in(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:in (SHACL 1.0 §4.8.3)."""
    _single(shapes, shape, "in")
    members = list(listed(shapes, term))
    allowed = frozenset(map(plain, members))
    message = f"Value {{value}} not in list [{_braces(', '.join(map(shown, members)))}]"
    return _Tested(_component_of("in"), message, test=lambda value: plain(value) in allowed)


def _single(shapes: Index, shape: Node, name: str) -> None:
    """Raise ShapesError if a parameter has several values, but may have only one."""
    values = sh_values(shapes, shape, name)
    if len(values) > 1:
        raise ShapesError(f"{described(shapes, shape)} has {len(values)} values of sh:{name}: write one shape for each")


def _whole_number(shapes: Index, shape: Node, name: str) -> int:
    """Return the value of a parameter that has to be an integer. Raises ShapesError for any other value."""
    _single(shapes, shape, name)
    (term,) = sh_values(shapes, shape, name)
    value = term.value if isinstance(term, Literal) else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise ShapesError(f"sh:{name} of {described(shapes, shape)} is {shown(term)}: write a whole number")
    return value


def truth(shapes: Index, shape: Node, name: str) -> bool:
    """Return the value of a boolean parameter, false if it is absent."""
    _single(shapes, shape, name)
    terms = sh_values(shapes, shape, name)
    value = terms[0].value if terms and isinstance(terms[0], Literal) else None
    if terms and not isinstance(value, bool):
        raise ShapesError(f"sh:{name} of {described(shapes, shape)} is {shown(terms[0])}: write true or false")
    return bool(value)


def _braces(text: str) -> str:
    """Escape the braces of a text that becomes part of a message."""
    return text.replace("{", "{{").replace("}", "}}")


def _braced(term: Node) -> str:
    return _braces(shown(term))


@dataclass(frozen=True, slots=True, eq=False)
class _Count(Constraint):
    """The number of value nodes is within bounds."""

    least: int = 0
    most: int | None = None

    def results(self, _run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        column = table.column(shape.path)
        if self.most is not None:
            counted = ((at, len(values)) for at, values in column.filled()) if self.most == 0 else column.counts()
            found = [at for at, count in counted if count > self.most]
        elif self.least == 1:
            found = list(column.missing)
        else:
            found = [at for at in range(len(table.nodes)) if len(column.values(at)) < self.least]
        for at in found:
            yield at, shape.result(self, table.nodes[at])

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return VALUES_ALONE


@dataclass(frozen=True, slots=True, eq=False)
class _Grouped(Constraint):
    """A function finds the values that do not conform, from the value nodes and those of another property.

    None among them stands for a result without a value.
    """

    faulty: Callable[[Sequence[Node], Sequence[Node]], Iterable[Node | None]]
    other: Node | None = None

    def results(self, _run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        column = table.column(shape.path)
        other = None if self.other is None else column.beside(self.other)
        for at, node in enumerate(table.nodes):
            for value in self.faulty(column.values(at), () if other is None else other.values(at)):
                yield at, shape.result(self, node, value)

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return VALUES_ALONE if self.other is None else ReadStatements(beside=(Predicate(self.other),))


@dataclass(frozen=True, slots=True, eq=False)
class _Closed(Constraint):
    """Value nodes have no other properties than some."""

    allowed: frozenset[Node]

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        column = table.column(shape.path)
        for at, node in enumerate(table.nodes):
            for one in column.values(at):
                for predicate, value in run.data.statements(one):
                    if predicate not in self.allowed:
                        yield at, shape.result(self, node, value, predicate)

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return ReadStatements(of_values=None)


def _of_properties(shapes: Index, shape: Node, name: str) -> None:
    """Raise ShapesError for a parameter that a node shape may not have."""
    if not sh_values(shapes, shape, "path"):
        raise ShapesError(
            f"the node shape {described(shapes, shape)} has sh:{name}: only property shapes may, those with sh:path"
        )


def _count(name: str, words: str) -> Compiler:
    """Return the compiler of sh:minCount or sh:maxCount (SHACL 1.0 §4.2)."""

    def compiler(shapes: Index, shape: Node, _term: Node) -> Constraint:
        _of_properties(shapes, shape, name)
        bound = _whole_number(shapes, shape, name)
        least, most = (bound, None) if name == "minCount" else (0, bound)
        return _Count(_component_of(name), f"{words} than {bound} values on {{at}}", least=least, most=most)

    return compiler


def _compile_has_value(_shapes: Index, _shape: Node, term: Node) -> Constraint:
    """Compile sh:hasValue (SHACL 1.0 §4.8.2)."""
    wanted = plain(shared(term))
    return _Grouped(
        _component_of("hasValue"),
        f"Node {{at}} does not contain a value in the set: ['{_braced(term)}']",
        faulty=lambda values, _: () if any(plain(one) == wanted for one in values) else (None,),
    )


def _compile_unique_language(shapes: Index, shape: Node, term: Node) -> Constraint | None:
    """Compile sh:uniqueLang (SHACL 1.0 §4.4.5), which applies only if its value is the term `true`, not `1`."""
    _of_properties(shapes, shape, "uniqueLang")
    if not truth(shapes, shape, "uniqueLang") or str(term) != "true":
        return None
    message = "More than one String shares the same Language"
    return _Grouped(_component_of("uniqueLang"), message, faulty=_same_language)


def _same_language(values: Sequence[Node], _other: Sequence[Node]) -> list[None]:
    """Return a None for each language that several values have."""
    if len(values) < 2:
        return []
    tags = Counter(one.language.lower() for one in values if isinstance(one, Literal) and one.language)
    return [None for count in tags.values() if count > 1]


def _compile_closed(shapes: Index, shape: Node, _term: Node) -> Constraint | None:
    """Compile sh:closed with sh:ignoredProperties (SHACL 1.0 §4.8.1)."""
    ignored = [one for at in sh_values(shapes, shape, "ignoredProperties") for one in listed(shapes, at)]
    paths = [path for one in sh_values(shapes, shape, "property") for path in sh_values(shapes, one, "path")]
    allowed = frozenset(shared(one) for one in (*ignored, *paths) if isinstance(one, URIRef))
    message = "Node {focus} is closed. It cannot have value: {value}"
    is_closed = truth(shapes, shape, "closed")
    return _Closed(_component_of("closed"), message, allowed=allowed) if is_closed else None


def _not_equal(values: Sequence[Node], other: Sequence[Node]) -> Iterator[Node]:
    first, second = ({plain(one): one for one in some} for some in (values, other))
    yield from (one for key, one in (*first.items(), *second.items()) if key not in first or key not in second)


def _not_disjoint(values: Sequence[Node], other: Sequence[Node]) -> list[Node]:
    if not values or not other:
        return []
    known = set(map(plain, other))
    return [one for one in values if plain(one) in known]


def _not_below(compare: Callable[[Any, Any], bool]) -> Callable[[Sequence[Node], Sequence[Node]], list[Node]]:
    """Return a function that finds the values that are not below all of others; a pair of values is one result."""
    return lambda values, other: [one for one in values for bound in other if not holds(compare, one, bound)]


def _pair(
    name: str, sign: str, faulty: Callable[[Sequence[Node], Sequence[Node]], Iterable[Node | None]], *, of_nodes: bool
) -> Compiler:
    """Return the compiler of a property pair constraint (SHACL 1.0 §4.5)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        if not of_nodes:
            _of_properties(shapes, shape, name)
        if not isinstance(term, URIRef):
            raise ShapesError(f"sh:{name} of {described(shapes, shape)} is {shown(term)}: write the IRI of a property")
        component = _component_of(name)
        message = f"Value of {{focus}}->{_braced(term)} {sign} {{value}}"
        return _Grouped(component, message, faulty=faulty, other=shared(term))

    return compiler


@dataclass(frozen=True, slots=True, eq=False)
class _Logical(ValueConstraint):
    """A value node conforms to as many of some shapes as a function requires."""

    holds: Callable[[int], bool]

    def faulty(self, run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        found = [run.not_conforming(one, values) for one in self.shapes]
        return [one for one in values if not self.holds(sum(one not in faulty for faulty in found))]

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return VALUES_ALONE


@dataclass(frozen=True, slots=True, eq=False)
class _Conforming(ValueConstraint):
    """A value node conforms to a node shape; the results of that shape are the detail."""

    def faulty(self, run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        found = run.not_conforming(self.shapes[0], values)
        return [one for one in values if one in found]

    def detail(self, run: Evaluation, value: Node) -> Sequence[Result]:
        return run.results_of(self.shapes[0], [value]).get(value, ())

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return VALUES_ALONE


@dataclass(frozen=True, slots=True, eq=False)
class _Nested(Constraint):
    """A value node conforms to a property shape, whose results are reported themselves."""

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        if shape.path is None:
            yield from run.results_for(self.shapes[0], table)
            return
        column = table.column(shape.path)
        found = run.results_of(self.shapes[0], column.distinct)
        for at, value in column.rows_with([one for one in column.distinct if found.get(one)]):
            for result in found[value]:
                yield at, result

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return VALUES_ALONE


@dataclass(frozen=True, slots=True, eq=False)
class _Qualified(Constraint):
    """The number of value nodes that conform to the first shape, and to no sibling shape, is within bounds."""

    least: int = 0
    most: int | None = None

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        column = table.column(shape.path)
        member, *siblings = self.shapes
        found = run.not_conforming(member, column.distinct)
        others = [run.not_conforming(one, column.distinct) for one in siblings]
        counted = {one for one in column.distinct if one not in found and all(one in other for other in others)}
        for at, node in enumerate(table.nodes):
            count = sum(one in counted for one in column.values(at))
            if count < self.least or (self.most is not None and count > self.most):
                yield at, shape.result(self, node)

    def reads(self, _path: PropertyPath | None) -> ReadStatements:
        return VALUES_ALONE


def _logical(name: str, words: str, holds: Callable[[int], Callable[[int], bool]]) -> Compiler:
    """Return the compiler of a logical constraint over a list of shapes (SHACL 1.0 §4.6)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        members = tuple(listed(shapes, term))
        if not members:
            raise ShapesError(
                f"sh:{name} of {described(shapes, shape)} has an empty list: write the shapes in it, or leave it out"
            )
        component = _component_of(name)
        message = f"Node {{value}} must conform to {words} in {_names(shapes, shape, members)}"
        return _Logical(component, message, shapes=members, holds=holds(len(members)))

    return compiler


def _compile_not(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:not (SHACL 1.0 §4.6.1)."""
    message = f"Node {{value}} must not conform to shape {_names(shapes, shape, (term,))}"
    return _Logical(_component_of("not"), message, shapes=(term,), holds=lambda count: count == 0)


def _compile_node(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:node (SHACL 1.0 §4.7.1)."""
    if sh_values(shapes, term, "path"):
        raise ShapesError(
            f"sh:node of {described(shapes, shape)} is the property shape {described(shapes, term)}: write a node shape"
        )
    message = f"Value does not conform to Shape {_names(shapes, shape, (term,))}. See details for more information."
    return _Conforming(_component_of("node"), message, shapes=(term,))


def _compile_property(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:property (SHACL 1.0 §4.7.2)."""
    if not sh_values(shapes, term, "path"):
        given = f"sh:property of {described(shapes, shape)} is {described(shapes, term)}"
        raise ShapesError(f"{given}, which has no sh:path: write a property shape")
    return _Nested(sh("PropertyShapeComponent"), "", shapes=(term,))


def _qualified(name: str) -> Callable[[Index, Node, Node], Constraint]:
    """Return the compiler of sh:qualifiedMinCount or sh:qualifiedMaxCount (SHACL 1.0 §4.7.3)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        if not sh_values(shapes, shape, "path"):
            raise ShapesError(
                f"the node shape {described(shapes, shape)} has sh:qualifiedValueShape: only property shapes may"
            )
        bound = _whole_number(shapes, shape, name)
        bounds = f" {name.removeprefix('qualified')} {bound}: {_names(shapes, shape, (term,))}"
        return _Qualified(
            _component_of(name),
            f"Focus node does not conform to shape{bounds}",
            shapes=(term, *_siblings(shapes, shape, term)),
            least=bound if name == "qualifiedMinCount" else 0,
            most=bound if name == "qualifiedMaxCount" else None,
        )

    return compiler


def _siblings(shapes: Index, shape: Node, term: Node) -> tuple[Node, ...]:
    """Return the sibling shapes of a shape with a qualified value shape."""
    if not truth(shapes, shape, "qualifiedValueShapesDisjoint"):
        return ()
    parents = (properties for one in shapes if shape in (properties := sh_values(shapes, one, "property")))
    found = (
        other for properties in parents for one in properties for other in sh_values(shapes, one, "qualifiedValueShape")
    )
    return tuple(one for one in dict.fromkeys(found) if one != term)


def _names(shapes: Index, shape: Node, members: Sequence[Node]) -> str:
    """Return shapes for the message of a constraint, "" if the message of its shape stands for it."""
    if any(isinstance(one, Literal) for one in sh_values(shapes, shape, "message")):
        return ""
    return _braces(", ".join(described(shapes, one) for one in members))


QUALIFIED_COUNTS = {name: _qualified(name) for name in ("qualifiedMinCount", "qualifiedMaxCount")}


def compile_qualified(shapes: Index, shape: Node, term: Node) -> list[Constraint]:
    """Compile sh:qualifiedValueShape with its counts, without which a node shape may have it."""
    counts = [compiler for name, compiler in QUALIFIED_COUNTS.items() if sh_values(shapes, shape, name)]
    if not counts and sh_values(shapes, shape, "path"):
        bounds = " or ".join(f"sh:{name}" for name in QUALIFIED_COUNTS)
        raise ShapesError(f"{described(shapes, shape)} has sh:qualifiedValueShape without a number: write {bounds}")
    return [compiler(shapes, shape, term) for compiler in counts]


COMPILERS: dict[str, Compiler] = {
    "class": _compile_class,
    "datatype": _compile_datatype,
    "nodeKind": _compile_node_kind,
    "minExclusive": _range("minExclusive", ">", operator.gt),
    "minInclusive": _range("minInclusive", ">=", operator.ge),
    "maxExclusive": _range("maxExclusive", "<", operator.lt),
    "maxInclusive": _range("maxInclusive", "<=", operator.le),
    "minLength": _length("minLength", ">=", operator.ge),
    "maxLength": _length("maxLength", "<=", operator.le),
    "pattern": _compile_pattern,
    "languageIn": _compile_languages,
    "in": _compile_in,
    "minCount": _count("minCount", "Less"),
    "maxCount": _count("maxCount", "More"),
    "hasValue": _compile_has_value,
    "uniqueLang": _compile_unique_language,
    "closed": _compile_closed,
    "equals": _pair("equals", "!=", _not_equal, of_nodes=True),
    "disjoint": _pair("disjoint", "==", _not_disjoint, of_nodes=True),
    "lessThan": _pair("lessThan", "<=", _not_below(operator.lt), of_nodes=False),
    "lessThanOrEquals": _pair("lessThanOrEquals", "<", _not_below(operator.le), of_nodes=False),
    "not": _compile_not,
    "and": _logical("and", "all shapes", lambda size: lambda count: count == size),
    "or": _logical("or", "one or more shapes", lambda _: lambda count: count > 0),
    "xone": _logical("xone", "exactly one shape", lambda _: lambda count: count == 1),
    "node": _compile_node,
    "property": _compile_property,
}
"""The compilers by the local name of the parameter, except the one of qualified value shapes."""
