"""A shapes graph, compiled: it is read once, and validates any number of data graphs."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import ShapesError, ShapesWarning, warn
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.shacl.constraints import (
    COMPILERS,
    QUALIFIED_COUNTS,
    Pattern,
    UnappliedConstraint,
    compile_qualified,
    truth,
)
from checkpoint_ld.shacl.data import DataGraph, Table, index_of
from checkpoint_ld.shacl.problems import ShapesProblem, pattern_problem, term_problems
from checkpoint_ld.shacl.shape import (
    QUERIES,
    VIOLATION,
    FunctionConstraint,
    Shape,
    ValueConstraint,
    described,
    local_name,
    path_of,
    sh,
    sh_values,
    shared,
    shown,
)
from checkpoint_ld.vocabulary import SHACL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rdflib import Graph
    from rdflib.term import Node

    from checkpoint_ld.shacl.constraints import Compiler
    from checkpoint_ld.shacl.data import PropertyPath
    from checkpoint_ld.shacl.declarations import ShapesFunction, TargetQuery
    from checkpoint_ld.shacl.rules import InferenceRule
    from checkpoint_ld.shacl.shape import Component, Constraint, Result
    from checkpoint_ld.shacl.sparql import Queries


CLASSES = (named("http://www.w3.org/2000/01/rdf-schema#Class"), named("http://www.w3.org/2002/07/owl#Class"))
"""What makes a shape its own class target. An owl:Class is an rdfs:Class, whether or not the shapes graph states it."""
TARGETS = ("targetNode", "targetClass", "targetSubjectsOf", "targetObjectsOf")
_COMPILERS: Mapping[Node, Compiler] = {sh(name): compiler for name, compiler in COMPILERS.items()}
_QUALIFIED = sh("qualifiedValueShape")
_QUALIFIED_COUNTS = frozenset(map(sh, QUALIFIED_COUNTS))
_BESIDE_COMPILERS = frozenset((_QUALIFIED, *_QUALIFIED_COUNTS, sh("sparql"), sh("expression")))
_KINDS = frozenset((sh("NodeShape"), sh("PropertyShape")))
_NONE: Mapping[str, str] = MappingProxyType({})
_DEEPEST = 100
"""How deep shapes may refer to others; each takes some calls of Python, which allows 1,000 one inside of another."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """A compiled shapes graph, which can be used again and again, also by several threads.

    `rules` infer statements first, `target_queries` give focus nodes, by the nodes of sh:target, and `declared` are the
    functions that queries call (SHACL Advanced Features). `is_for_pyshacl` is whether pySHACL applies all of them;
    `functions` is the `module:function` that registers functions of queries with rdflib for it. `problems` are doubts
    about the shapes: terms without effect, and shapes that are left out.
    """

    index: Index = field(repr=False)
    by_node: Mapping[Node, Shape] = field(repr=False)
    is_advanced: bool = False
    rules: tuple[InferenceRule, ...] = ()
    target_queries: Mapping[Node, TargetQuery] = field(default_factory=dict, repr=False)
    declared: Mapping[Node, ShapesFunction] = field(default_factory=dict, repr=False)
    is_for_pyshacl: bool = False
    functions: str = ""
    problems: tuple[ShapesProblem, ...] = ()

    @cached_property
    def targeted(self) -> tuple[Shape, ...]:
        """The shapes with targets that the engine applies itself."""
        return () if self.is_for_pyshacl else tuple(one for one in self.by_node.values() if one.targets)

    @cached_property
    def has_queries(self) -> bool:
        """Whether there are queries, by name or of a constraint, a target, a rule or a function."""
        constraints = (constraint for one in self.by_node.values() for constraint in one.constraints)
        return (
            bool(self.target_queries or self.declared)
            or any(hasattr(one, "texts") for one in self.rules)
            or any(hasattr(one, "prebound") for one in constraints)
        )

    @property
    def needs_whole(self) -> bool:
        """Whether all statements of a data graph are needed: for pySHACL, or for rules."""
        return self.is_for_pyshacl or bool(self.rules)

    def only(self, names: Iterable[str]) -> Shapes:
        """Return the same shapes, of which only those of some IRIs are applied to their targets.

        Raises ShapesError for an IRI that is none of a shape with targets.
        """
        chosen = set(map(URIRef, names))
        unknown = chosen - {node for node, one in self.by_node.items() if one.targets}
        if unknown:
            raise ShapesError(
                f"there is no shape {shown(min(unknown))} with targets: name one that the shapes graph has"
            )
        by_node = {node: one if node in chosen else replace(one, targets=()) for node, one in self.by_node.items()}
        return replace(self, by_node=by_node, rules=tuple(one for one in self.rules if one.shape in chosen))

    def for_pyshacl(self, functions: str = "") -> Shapes:
        """Return the same shapes, so that pySHACL applies all of them; `functions` registers those of their queries."""
        return replace(self, functions=functions, is_for_pyshacl=True)

    @cached_property
    def terms(self) -> frozenset[Node]:
        """The IRIs in the descriptions of the shapes, such as the properties and classes that they use."""
        found: set[Node] = set()
        left: list[Node] = list(self.by_node)
        seen = set(left)
        while left:
            terms = {term for held in self.index.get(left.pop(), {}).values() for term in terms_of(held)}
            found.update(term for term in terms if isinstance(term, URIRef))
            new = {term for term in terms if isinstance(term, BNode)} - seen
            seen |= new
            left += new
        return frozenset(found)


def compile_shapes(
    shapes_graph: Graph, *, components: Mapping[str, Component] | None = None, advanced: bool = False
) -> Shapes:
    """Compile a shapes graph, so that it is read only once for many data graphs.

    `components` maps the IRIs of constraint components, or of shapes with sh:sparql, to Python functions that replace
    their queries. With `advanced`, SHACL Advanced Features count. Gives a ShapesWarning for each of the `problems` of
    the shapes. Raises ShapesError for an ill-formed shapes graph.
    """
    found = compile_statements(index_of(shapes_graph), components or {}, advanced=advanced)
    for problem in found.problems:
        warn(ShapesWarning(str(problem)))
    return found


def compile_statements(  # noqa: PLR0913 - all but the first two are named
    index: Index,
    components: Mapping[str, Component],
    *,
    advanced: bool = False,
    own_patterns: frozenset[str] = frozenset(),
    are_ours: bool = False,
    with_doubts: bool = True,
) -> Shapes:
    """Compile the statements of a shapes graph; see `compile_shapes`.

    `own_patterns` are ours, without time limits. `are_ours` is that all queries are shipped, and need no guard. Without
    `with_doubts`, terms without effect are not looked for.
    """
    if not are_ours and any(not held.keys().isdisjoint(QUERIES) for held in index.values()):
        from checkpoint_ld.shacl.queries import guard  # noqa: PLC0415 - most shapes have no queries

        guard(index)
    found = _Compilation(index, components, advanced=advanced, own_patterns=own_patterns).shapes()
    if not with_doubts:
        return found
    return replace(found, problems=(*term_problems(index, is_advanced=advanced), *found.problems))


class _Compilation:
    """The compilation of one shapes graph."""

    def __init__(
        self, index: Index, functions: Mapping[str, Component], *, advanced: bool, own_patterns: frozenset[str]
    ) -> None:
        self.own_patterns = own_patterns
        self.index = index
        self.graph = DataGraph(index)
        self.functions = functions
        self.advanced = advanced
        self.found: dict[Node, Shape] = {}
        self.target_queries: dict[Node, TargetQuery] = {}
        self.problems: list[ShapesProblem] = []

    def shapes(self) -> Shapes:
        """Return all shapes with targets, and those that they refer to."""
        applied = {sh("Rules")} if self.advanced else set()
        for regime in (one for held in self.index.values() for one in terms_of(held.get(sh("entailment")))):
            if regime not in applied:  # SHACL 1.0 §3.2 requires a failure
                remedy = "infer its statements before" + (", or give advanced" if regime == sh("Rules") else "")
                raise ShapesError(f"the entailment regime {shown(regime)} is not applied: {remedy}, and leave it out")
        targeted = self._with_targets()
        rules = tuple(self._rules(targeted))
        left = [*targeted, *(one for rule in rules for one in rule.shapes)]
        while left:
            node = left.pop(0)
            if node not in self.found:
                self.found[node] = self._shape(node, targeted.get(node, ()))
                for one in (one for constraint in self.found[node].constraints for one in constraint.shapes):
                    if isinstance(one, Literal):
                        raise ShapesError(f"{self._shown(node)} refers to {shown(one)} as to a shape: write a shape")
                    left.append(one)
        for group, depth in self._groups():
            if depth > _DEEPEST:
                raise ShapesError(f"the shapes refer to one another more than {_DEEPEST} deep: nest them less")
            for node in group:
                self.found[node] = replace(self.found[node], is_recursive=True)
        return Shapes(
            *(self.index, self.found, self.advanced, rules, self.target_queries, self._declared),
            problems=tuple(self.problems),
        )

    def _rules(self, targeted: Iterable[Node]) -> Iterator[InferenceRule]:
        """Yield the rules of shapes with targets that are not deactivated."""
        if self.advanced and any(sh("rule") in held for held in self.index.values()):
            from checkpoint_ld.shacl.rules import rules_of  # noqa: PLC0415 - few shapes have rules

            for node in targeted:
                if not truth(self.index, node, "deactivated"):
                    yield from rules_of(self.index, node, self._declared.__contains__)

    @cached_property
    def _declared(self) -> Mapping[Node, ShapesFunction]:
        """The functions of SHACL Advanced Features that the shapes graph declares."""
        nodes = self.graph.instances(sh("SPARQLFunction")) if self.advanced else {}
        if not nodes:
            return {}
        from checkpoint_ld.shacl.declarations import functions_of  # noqa: PLC0415 - few shapes have queries

        return functions_of(self.index, nodes)

    def _shown(self, node: Node) -> str:
        return described(self.index, node)

    def _with_targets(self) -> dict[Node, tuple[tuple[str, Node], ...]]:
        """Return the shapes that have targets of their own, with these (SHACL 1.0 §2.1.3)."""
        kinds = {sh(name): name for name in TARGETS}
        classes = {node for kind in CLASSES for node in self.graph.instances(kind)}
        found: dict[Node, tuple[tuple[str, Node], ...]] = {}
        for node, held in self.index.items():
            targets = [(kinds[one], shared(term)) for one in kinds.keys() & held.keys() for term in terms_of(held[one])]
            if node in classes and (
                not _KINDS.isdisjoint(terms_of(held.get(RDF_TYPE))) or _COMPILERS.keys() & held.keys()
            ):
                targets.append(("targetClass", shared(node)))
            for kind, term in targets:
                if kind != TARGETS[0] and not isinstance(term, URIRef):
                    raise ShapesError(f"sh:{kind} of {self._shown(node)} is {shown(term)}: write an IRI")
            for term in terms_of(held.get(sh("target"))) if self.advanced else ():
                from checkpoint_ld.shacl.declarations import target_query  # noqa: PLC0415 - few shapes have queries

                self.target_queries[term] = target_query(self.graph, term)
                targets.append(("target", term))
            if targets:
                found[node] = tuple(sorted(targets))
        return found

    def _references(self, node: Node) -> dict[Node, None]:
        """Return the shapes that a shape refers to directly."""
        return dict.fromkeys(one for constraint in self.found[node].constraints for one in constraint.shapes)

    def _groups(self) -> Iterator[tuple[list[Node], int]]:
        """Yield the shapes that refer to one another in a circle, and the depth of references below each shape.

        These are the strongly connected components of the references (Tarjan 1972), each after those below it. A shape
        outside of circles has an empty group.
        """
        order: dict[Node, int] = {}
        lowest: dict[Node, int] = {}
        depths: dict[Node, int] = {}
        open_: list[Node] = []
        for start in self.found:
            way = [] if start in order else [(start, iter(self._references(start)))]
            while way:
                node, references = way[-1]
                if node not in order:
                    order[node] = lowest[node] = len(order)
                    open_.append(node)
                one = next(references, None)
                if one is not None:
                    if one not in order:
                        way.append((one, iter(self._references(one))))
                    elif one not in depths:
                        lowest[node] = min(lowest[node], order[one])
                    continue
                way.pop()
                if way:
                    above = way[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == order[node]:
                    group = [open_.pop()]
                    while group[-1] != node:
                        group.append(open_.pop())
                    below = {one for member in group for one in self._references(member)}
                    depth = 1 + max((depths[one] for one in below.difference(group)), default=0)
                    depths.update(dict.fromkeys(group, depth))
                    yield group if len(group) > 1 or node in below else [], depth

    def _shape(self, node: Node, targets: tuple[tuple[str, Node], ...]) -> Shape:
        held = self.index.get(node, {})
        paths = sh_values(self.index, node, "path")
        kinds = _KINDS & set(terms_of(held.get(RDF_TYPE)))
        if len(paths) > 1 or len(kinds) > 1:
            raise ShapesError(
                f"{self._shown(node)} has {len(paths)} values of sh:path and {len(kinds)} types: write one"
            )
        if paths and sh("NodeShape") in kinds:
            raise ShapesError(f"the node shape {self._shown(node)} has a sh:path: make it a property shape")
        if not paths and sh("PropertyShape") in kinds:
            raise ShapesError(f"the property shape {self._shown(node)} has no sh:path: write one")
        severities = sh_values(self.index, node, "severity")
        messages = tuple(one for one in sh_values(self.index, node, "message") if isinstance(one, Literal))
        if len(severities) > 1 or not all(isinstance(one, URIRef) for one in severities):
            raise ShapesError(
                f"the severity of {self._shown(node)} is {', '.join(map(shown, severities))}: write one IRI"
            )
        is_deactivated = truth(self.index, node, "deactivated")
        constraints = () if is_deactivated else tuple(self._constraints(node, held))
        unapplied = [one.reason for one in constraints if isinstance(one, UnappliedConstraint)]
        self.problems += [pattern_problem(self.index, node, reason) for reason in unapplied]
        return Shape(
            node,
            path_of(self.index, paths[0]) if paths else None,
            shared(paths[0]) if paths else None,
            described(self.index, paths[0]) if paths and not messages else "",
            shared(severities[0]) if severities else VIOLATION,
            messages,
            () if unapplied else constraints,
            targets,
        )

    def _constraints(self, node: Node, held: Mapping[Node, Node | list[Node]]) -> Iterator[Constraint]:
        for predicate, terms in held.items():
            compiler = _COMPILERS.get(predicate)
            if compiler is not None:
                found = (compiler(self.index, node, term) for term in terms_of(terms))
                yield from (self._as_ours(one) for one in found if one is not None)
            elif predicate not in _BESIDE_COMPILERS:
                continue
            elif predicate == _QUALIFIED:
                for term in terms_of(terms):
                    yield from compile_qualified(self.index, node, term)
            elif predicate in _QUALIFIED_COUNTS and _QUALIFIED not in held and sh("path") in held:
                raise ShapesError(
                    f"{self._shown(node)} has {shown(predicate)} without sh:qualifiedValueShape: write both"
                )
            elif predicate == sh("sparql"):
                yield from self._of_queries(node, terms_of(terms))
            elif self.advanced and predicate == sh("expression"):
                yield from self._of_expressions(node, terms_of(terms))
        yield from self._of_components(node, held)

    def _of_expressions(self, node: Node, expressions: Iterable[Node]) -> Iterator[Constraint]:
        """Yield the constraints of sh:expression (SHACL Advanced Features §6)."""
        from checkpoint_ld.shacl.expressions import compile_expression  # noqa: PLC0415 - few shapes have any

        for one in expressions:
            yield compile_expression(self.index, node, one, self._declared.__contains__)

    def _of_queries(self, node: Node, sources: Sequence[Node]) -> Iterator[Constraint]:
        """Yield the constraints of sh:sparql (SHACL 1.0 §5), or that of the function in their place."""
        component = sh("SPARQLConstraintComponent")
        named = described(self.index, node).replace("{", "{{").replace("}", "}}")  # the message is a format
        message = f"Value does not conform to a query of {named}"
        if str(node) in self.functions:
            yield FunctionConstraint(component, message, self.functions[str(node)], source=sources[0])
            return
        from checkpoint_ld.shacl import declarations, prebinding, sparql  # noqa: PLC0415 - most shapes have no queries

        for source in sources:
            if not truth(self.index, source, "deactivated"):
                yield sparql.QueryConstraint(
                    component,
                    message,
                    text=declarations.query_text(self.index, source, "select", self._path(node)),
                    source=shared(source),
                    messages=declarations.messages_of(self.index, source),
                    prebound=frozenset((prebinding.THIS, prebinding.SHAPE, prebinding.SHAPES_GRAPH)),
                )

    def _as_ours(self, constraint: Constraint) -> Constraint:
        is_ours = isinstance(constraint, Pattern) and constraint.stated in self.own_patterns
        return replace(constraint, is_ours=True) if is_ours else constraint  # type: ignore[call-arg]  # it is a Pattern

    def _path(self, node: Node) -> PropertyPath | None:
        paths = sh_values(self.index, node, "path")
        return path_of(self.index, paths[0]) if paths else None

    def _of_components(self, node: Node, held: Mapping[Node, Node | list[Node]]) -> Iterator[Constraint]:
        for predicate in held:
            for component, required, optional in self._components.get(predicate, ()):
                if held.keys() >= required:
                    yield from self._of_component(node, held, component, (*required, *optional))

    def _of_component(
        self, node: Node, held: Mapping[Node, Node | list[Node]], component: Node, parameters: Iterable[Node]
    ) -> Iterator[Constraint]:
        """Yield the constraints of a component; each value of a single parameter is a constraint."""
        given = [(local_name(one), [shared(term) for term in terms_of(held[one])]) for one in parameters if one in held]
        several = [name for name, terms in given if len(terms) > 1]
        if several and len(given) > 1:
            raise ShapesError(f"{self._shown(node)} has several values of {several[0]}: write one shape for each")
        function, message = self.functions.get(str(component)), self._message(component)
        names = frozenset(local_name(one) for one in parameters)
        for at in range(len(given[0][1])):
            bound = tuple((name, terms[at if several else 0]) for name, terms in given)
            if function is None:
                yield self._of_validator(node, component, message, bound, names)
            else:
                yield FunctionConstraint(component, message, function, parameters=bound)

    def _of_validator(
        self, node: Node, component: Node, message: str, bound: tuple[tuple[str, Node], ...], names: frozenset[str]
    ) -> Constraint:
        """Return the constraint of a component by the validator for this kind of shape (SHACL 1.0 §6.2.3)."""
        from checkpoint_ld.shacl import declarations, prebinding, sparql  # noqa: PLC0415 - most shapes have no queries

        path = self._path(node)
        special = sh_values(self.index, component, "nodeValidator" if path is None else "propertyValidator")
        validators = special or sh_values(self.index, component, "validator")
        if not validators:
            raise ShapesError(f"the component {shown(component)} has no validator for {self._shown(node)}: write one")
        (validator, *_), is_ask = validators, not special
        return sparql.QueryConstraint(
            component,
            message,
            parameters=bound,
            text=declarations.query_text(self.index, validator, "ask" if is_ask else "select", path),
            is_ask=is_ask,
            messages=declarations.messages_of(self.index, validator, component),
            prebound=names.intersection(name for name, _ in bound)
            | {prebinding.THIS, prebinding.SHAPE, prebinding.SHAPES_GRAPH, *((prebinding.VALUE,) if is_ask else ())},
        )

    def _message(self, component: Node) -> str:
        """Return the message of a component, or of its validators (SHACL 1.0 §6.2.3)."""
        validators = ("propertyValidator", "nodeValidator", "validator")
        nodes = (component, *(one for name in validators for one in sh_values(self.index, component, name)))
        messages = (str(text) for one in nodes for text in sh_values(self.index, one, "message"))
        message = next(messages, f"Value does not conform to {shown(component)}")
        return message.replace("{", "{{").replace("}", "}}")

    @cached_property
    def _components(self) -> dict[Node, list[tuple[Node, frozenset[Node], frozenset[Node]]]]:
        """The constraint components that the shapes graph declares, with their parameters (SHACL 1.0 §6.2).

        Each is under one of the parameters that it requires.
        """
        found = defaultdict(list)
        for component in self.graph.instances(sh("ConstraintComponent")):
            if not str(component).startswith(SHACL):
                parameters = sh_values(self.index, component, "parameter")
                optional = frozenset(
                    path
                    for one in parameters
                    if truth(self.index, one, "optional")
                    for path in sh_values(self.index, one, "path")
                )
                every = frozenset(path for one in parameters for path in sh_values(self.index, one, "path"))
                if every - optional:
                    found[min(every - optional, key=str)].append((component, every - optional, optional))
        return found


class Validation:
    """One validation of a data graph: its tables, and the nodes whose conformance is known."""

    def __init__(
        self,
        shapes: Shapes,
        data: DataGraph,
        focus_nodes: Collection[Node] | None = None,
        prefixes: Mapping[str, str] = _NONE,
        queries: Queries | None = None,
    ) -> None:
        self.shapes = shapes
        self._queries = queries
        self._prefixes = prefixes
        self.data = data
        self._focus_nodes = focus_nodes
        self._tables: dict[tuple[tuple[str, Node], ...], Table] = {}
        self._known: dict[Node, dict[Node, Sequence[Result]]] = {}
        self._judgements: dict[Node, tuple[set[Node], set[Node]]] = {}
        """The nodes that were judged by a shape, and those of them that do not conform."""
        self._unsettled: list[tuple[Shape, Node]] = []
        self._is_settling = False
        self._current: tuple[Node, Node] | None = None
        self._dependents: dict[tuple[Node, Node], dict[tuple[Node, Node], None]] = {}

    @cached_property
    def queries(self) -> Queries:
        """The queries over the data graph."""
        if self._queries is not None:
            return self._queries
        from checkpoint_ld.shacl.sparql import Queries  # noqa: PLC0415 - most shapes have no queries

        return Queries(self.data, self.shapes.index, self._prefixes, self.shapes.declared)

    def results(self) -> list[Result]:
        """Return the results of all shapes with targets. Raises ShapesError for recursive shapes without a solution."""
        return [result for shape in self.shapes.targeted for _, result in self.of_targets(shape)]

    def of_targets(self, shape: Shape) -> Iterator[tuple[Node, Result]]:
        """Yield the results of a shape for its targets, each after the focus node that the target gave."""
        table = self._tables.get(shape.targets)
        if table is None:
            nodes = self.focus_nodes(shape)
            chosen = nodes if self._focus_nodes is None else [one for one in nodes if one in self._focus_nodes]
            table = self._tables[shape.targets] = Table(self.data, chosen)
        return self.of_nodes(shape, table)

    def focus_nodes(self, shape: Shape) -> list[Node]:
        """Return the focus nodes of a shape by its targets."""
        return list(dict.fromkeys(chain.from_iterable(self._targeted(*target) for target in shape.targets)))

    def unmatched(self) -> list[Shape]:
        """Return the shapes whose targets match nothing in the data graph."""
        return [one for one in self.shapes.by_node.values() if one.targets and not self.focus_nodes(one)]

    def is_target(self, shape: Shape, node: Node) -> bool:
        """Return whether a node is a focus node of a shape by its targets."""
        data = self.data
        return any(
            node == term
            if kind == "targetNode"
            else node in data.instances(term)
            if kind == "targetClass"
            else bool(data.values(node, term))
            if kind == "targetSubjectsOf"
            else bool(data.subjects(term, node))
            for kind, term in shape.targets
        )

    def of_nodes(self, shape: Shape, table: Table) -> Iterator[tuple[Node, Result]]:
        """Yield the results of a shape for the nodes of a table, each after its node."""
        if table.nodes:
            yield from ((table.nodes[at], result) for at, result in self.results_for(shape.node, table))

    def _targeted(self, kind: str, term: Node) -> Iterable[Node]:
        """Return the focus nodes of one target (SHACL 1.0 §2.1.3)."""
        match kind:
            case "targetNode":
                return (term,)
            case "targetClass":
                return self.data.instances(term)
            case "targetSubjectsOf":
                return self.data.subjects_of(term)
            case "target":
                query = self.shapes.target_queries[term]
                return self.queries.targets(query.text, dict(query.parameters))
            case _:
                return self.data.objects_of(term)

    def results_for(self, shape: Node, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield the results of a shape for the rows of a table."""
        of = self.shapes.by_node[shape]
        if of.is_recursive:
            found = self.results_of(shape, table.nodes)
            yield from ((at, result) for at, node in enumerate(table.nodes) for result in found.get(node, ()))
        else:
            for constraint in of.constraints:
                yield from constraint.results(self, of, table)

    def results_of(self, shape: Node, nodes: Iterable[Node]) -> Mapping[Node, Sequence[Result]]:
        """Return the results of a shape for each of some nodes; a node that conforms may be absent."""
        of, nodes = self.shapes.by_node[shape], list(nodes)
        known = self._known.setdefault(shape, {})
        left = [node for node in dict.fromkeys(nodes) if node not in known]
        if of.is_recursive:
            if self._current is not None:
                for node in nodes:
                    self._dependents.setdefault((shape, node), {})[self._current] = None
            known.update(dict.fromkeys(left, ()))
            self._unsettled.extend((of, node) for node in left)
            if not self._is_settling:
                self._settle()
        elif left:
            found: dict[Node, list[Result]] = {node: [] for node in left}
            for at, result in self.results_for(shape, Table(self.data, left)):
                found[left[at]].append(result)
            known.update(found)
        return known

    def not_conforming(self, shape: Node, nodes: Sequence[Node]) -> Collection[Node]:
        """Return those of some nodes that do not conform to a shape, without the results that say why."""
        of = self.shapes.by_node[shape]
        judges = [one for one in of.constraints if isinstance(one, ValueConstraint)]
        if of.path is None and not of.is_recursive and len(judges) == len(of.constraints):
            judged, found = self._judgements.setdefault(shape, (set(), set()))
            left = [one for one in nodes if one not in judged]
            for one in judges if left else ():
                found.update(one.faulty(self, left))
            judged.update(left)
            return found
        return {node for node, results in self.results_of(shape, nodes).items() if results}

    def _settle(self) -> None:
        """Find the results of recursive shapes for the noted nodes.

        At first each node counts as conforming. When that turns out to be wrong for a node, those that asked about it
        are judged again, until nothing changes. SHACL 1.0 §3.4.3 leaves recursion to implementations.
        """
        self._is_settling = True
        times: Counter[tuple[Node, Node]] = Counter()
        at = 0  # the loop itself notes further nodes
        again: dict[tuple[Node, Node], None] = {}
        while at < len(self._unsettled) or again:
            if at < len(self._unsettled):
                of, node = self._unsettled[at]
                at += 1
            else:
                shape, node = again.popitem()[0]
                of = self.shapes.by_node[shape]
            key = of.node, node
            times[key] += 1
            if times[key] > len(self._unsettled) + 2:
                raise ShapesError("shapes refer to themselves through a negation: nothing follows for some nodes")
            known = self._known[of.node]
            found = self._judged(of, node)
            if bool(found) != bool(known[node]):
                again.update(self._dependents.get(key, {}))
            known[node] = found
        for of, node in reversed(self._unsettled):  # some were judged before all results that explain them were known
            self._known[of.node][node] = self._judged(of, node)
        self._unsettled, self._is_settling, self._current = [], False, None
        self._dependents.clear()

    def _judged(self, of: Shape, node: Node) -> list[Result]:
        self._current = of.node, node
        table = Table(self.data, [node])
        return [result for one in of.constraints for _, result in one.results(self, of, table)]
