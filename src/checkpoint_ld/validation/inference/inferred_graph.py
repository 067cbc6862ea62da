"""A checkpoint graph together with its inferred statements, for queries, and for shapes in other tools."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel
from rdflib import BNode, Literal, URIRef

from checkpoint_ld import shacl
from checkpoint_ld.dialects.dialect import as_list, decoded, text_of, values
from checkpoint_ld.dialects.reading.statements import DERIVED, DERIVED_NODE, mark_of, without_derived
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.entities.template_spec import MARKER
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import literals
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.literals import DOUBLE, literal_of
from checkpoint_ld.graph.store import Index, put, terms_of, triples_of
from checkpoint_ld.mapping import traits
from checkpoint_ld.mapping.questions import creator_of, is_finished, source_of
from checkpoint_ld.secrets import secret
from checkpoint_ld.shacl import DataGraph
from checkpoint_ld.shacl.shapes import compile_statements
from checkpoint_ld.templates import PlainField, TemplateField, read_template
from checkpoint_ld.templates.primitives import compared_as, registry
from checkpoint_ld.validation import profiles
from checkpoint_ld.validation.constraints import forms
from checkpoint_ld.validation.constraints.components import COMPONENTS
from checkpoint_ld.validation.constraints.forms import FORMS, value_of
from checkpoint_ld.validation.inference.benchmark import FAMILIES, infer
from checkpoint_ld.validation.inference.roles import predicate_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, SCHEMA, TRAIT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.graph.compaction import Frame
    from checkpoint_ld.graph.store import Difference
    from checkpoint_ld.templates import Strategy, Template


class UsedTerms:
    """The predicates and the classes of statements, with the number of statements that use each."""

    def __init__(self, index: Index) -> None:
        self.predicates = Counter(predicate for _, predicate, _ in triples_of(index))
        self.classes = Counter(one for held in index.values() for one in terms_of(held.get(RDF_TYPE)))

    def change(self, difference: Difference) -> set[Node]:
        """Count what came and went; return the terms that came into use or went out of it."""
        before = self.predicates.keys() | self.classes.keys()
        for count, statements in ((1, difference.added), (-1, difference.removed)):
            for _, predicate, term in statements:
                self.predicates[predicate] += count
                if predicate == RDF_TYPE:
                    self.classes[term] += count
        self.predicates, self.classes = +self.predicates, +self.classes
        return before ^ (self.predicates.keys() | self.classes.keys())


class Additions:
    """The inferred statements of a graph, which itself is not changed.

    On nodes of the graph, a predicate or class is added only if the graph uses it nowhere. Values that look like
    secrets are left out, and so are those that no RDF literal can hold.
    """

    def __init__(self, graph: CheckpointGraph, terms: UsedTerms) -> None:
        self.graph = graph
        self.index = graph.held
        self.found: Index = {}
        """The inferred statements, without those in `shared`."""
        self.shared: dict[Node, Index] = {}
        """Statements about nodes that several nodes of the graph may have in common, such as authors, by the latter."""
        self.decisive: set[Node] = {DERIVED_NODE}
        """Predicates, classes and names of nodes: more or less may be inferred when the graph begins to use one."""
        self._terms = terms
        self._holders: dict[Node, Node] = {}
        self._literals: dict[tuple[type, Any, str | None], Literal | None] = {}

    def _put(self, node: Node, predicate: Node, term: Node) -> None:
        holder = self._holders.get(node)
        put(self.found if holder is None else self.shared.setdefault(holder, {}), node, predicate, term)

    def add_classes(self, node: Node, *classes: str) -> None:
        """Add classes of a node: names in our vocabulary, or IRIs of others."""
        for name in classes:
            kind = named(name if ":" in name else KARENINA + name)
            self.decisive.add(kind)
            if node not in self.index or kind not in self._terms.classes:
                self._put(node, RDF_TYPE, kind)

    def add(self, node: Node, predicate: str, value: Any, datatype: str | None = None) -> None:
        """Add a JSON value of a node: a scalar as a native literal, an array or object as one `rdf:JSON` literal.

        `predicate` is an IRI; null adds nothing.
        """
        iri = named(predicate)
        if value is not None and self._is_free(node, iri):
            term = self._literal(value, datatype)
            if term is not None:
                self._put(node, iri, term)

    def add_setting(self, node: Node, setting: str, value: Any, datatype: str | None = None) -> None:
        """Add a value under the predicate of a setting: `karenina:maxTurns` for `max_turns`."""
        self.add(node, predicate_of(setting), value, datatype)

    def add_statement(self, node: Node, predicate: Node, term: Node) -> None:
        """Add a triple about a node of the graph."""
        if predicate == RDF_TYPE:
            self.add_classes(node, str(term))
        elif self._is_free(node, named(str(predicate))) and secret(value_of(term)) is None:
            self._put(node, predicate, term)

    def link(self, node: Node, predicate: str, other: Node) -> bool:
        """Link a node to another one; return whether that is allowed."""
        may = self._is_free(node, named(predicate))
        if may:
            self._put(node, named(predicate), other)
        return may

    def add_part(self, node: Node, predicate: str, name: str, *classes: str) -> URIRef | None:
        """Link a node to a new one with these classes, which are IRIs.

        Return it, or None if nothing may be added to it: its name is that of a node of the graph, or the additions
        could not be distinguished from the graph's own statements.
        """
        part = URIRef(name)
        is_known = part in self.index
        if (DERIVED_NODE in self._terms.classes and not is_known) or not self.link(node, predicate, part) or is_known:
            if is_known:
                self.decisive.add(part)
            return None
        if not literals.is_minted(name):
            self._holders[part] = node
            self.decisive.add(part)
        for kind in (DERIVED_NODE, *map(named, classes)):
            self._put(part, RDF_TYPE, kind)
        return part

    def terms_of_own_nodes(self) -> UsedTerms:
        """Return the terms that were added to nodes of the graph."""
        return UsedTerms({node: held for node, held in self.found.items() if node in self.index})

    def mark(self, added: UsedTerms) -> Literal:
        """Return the mark that identifies additions, among them terms that were added to nodes of the graph."""
        classes = {*added.classes, *(() if DERIVED_NODE in self._terms.classes else (DERIVED_NODE,))}
        return mark_of(self.graph.root, added.predicates.keys() - {RDF_TYPE}, classes)

    def applied(self) -> CheckpointGraph:
        """Return a copy of the graph with the additions, and with the mark that identifies them."""
        return merged(self.graph, self.found, self.shared.values(), self.mark(self.terms_of_own_nodes()))

    def _is_free(self, node: Node, predicate: URIRef) -> bool:
        self.decisive.add(predicate)
        return predicate not in self._terms.predicates or node not in self.index

    def _literal(self, value: Any, datatype: str | None) -> Literal | None:
        """Return the literal of a value, None for a secret and for a value that no literal can hold."""
        if isinstance(value, (dict, list)):
            return _literal(value, "@json")
        key = (type(value), repr(value) if isinstance(value, float) else value, datatype)
        if key not in self._literals:
            self._literals[key] = _literal(value, datatype)
        return self._literals[key]


def merged(graph: CheckpointGraph, found: Index, shared: Iterable[Index], mark: Literal) -> CheckpointGraph:
    """Return a copy of a graph with additions and their mark."""
    graph = graph.copy()
    index = graph.index
    for subject, added in found.items():
        known = index.setdefault(subject, {})
        kinds = [*terms_of(known.get(RDF_TYPE)), *terms_of(added.get(RDF_TYPE))]
        known.update(added)
        if len(kinds) > 1:
            known[RDF_TYPE] = kinds
    for triple in chain.from_iterable(map(triples_of, shared)):
        put(index, *triple)
    put(index, graph.root, DERIVED, mark)
    graph.touch()
    return graph


def _literal(value: Any, datatype: str | None) -> Literal | None:
    if secret(value) is not None:
        return None
    try:
        term = literal_of(value, datatype)
        str(term).encode()
    except ValueError:  # infinity, NaN, or half a surrogate pair
        return None
    return term


AUTHOR, CITATION = SCHEMA + "author", SCHEMA + "citation"

_MEMBERS = {
    AUTHOR: {"name": "name", "email": "email", "url": "url", "orcid": "identifier", "affiliation": "affiliation"},
    CITATION: {
        "name": "name",
        "title": "name",
        "url": "url",
        "doi": "identifier",
        "identifier": "identifier",
        "author": "author",
        "datePublished": "datePublished",
        "year": "datePublished",
        "publisher": "publisher",
    },
}
"""Members of objects by the names that people use, and the properties of schema.org for them."""

_REGISTRIES = {
    "orcid": (re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?"), "https://orcid.org/"),
    "doi": (re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)", re.IGNORECASE), "https://doi.org/"),
}
"""Identifiers of registries, and the addresses that they give."""

_NAMING = ("orcid", "doi", "@id", "identifier", "url")

_ROOT: Frame = {"creator": None, "additionalProperty": traits.PROPERTY}
_OF_QUESTION: Frame = {"additionalProperty": traits.PROPERTY, "hasPart": {"text": None}}

Json = dict[str, Any]


def _members_of(nodes: Sequence[Node], graph: CheckpointGraph, only: Frame) -> list[Json]:
    """Return some members of nodes, their additional properties as a list."""
    found = graph.read_all(nodes, only=only)
    return [{**one, "additionalProperty": as_list(one.get("additionalProperty"))} for one in found]


def _parts_of(node: Node, predicate: str, index: Index) -> list[Node]:
    """Return the nodes that a node of the graph has under a predicate."""
    return [one for one in terms_of(index.get(node, {}).get(named(predicate))) if one in index]


def _creators_of(root: Node, additions: Additions) -> None:
    """Link a benchmark to its creators, whether it states them as names or as objects."""
    for one in additions.graph.member(root, "creator"):
        if one in additions.index:
            additions.link(root, AUTHOR, one)
    [members] = _members_of([root], additions.graph, _ROOT)
    named = [one for one in as_list(members.get("creator")) if isinstance(one, str)]
    makers = creator_of({**members, "creator": named if len(named) > 1 else named[0]}) if named else None
    for at, maker in enumerate(as_list(makers)):
        members = {"name": maker} if isinstance(maker, str) else maker.model_dump(by_alias=True, exclude_none=True)
        _maker(root, at, members, additions)


def _authors_of(question: Node, value: Any, additions: Additions) -> None:
    """Link a question to its authors: an object or several, also as JSON text, or a name."""
    for at, one in enumerate(as_list(decoded(value))):
        _maker(question, at, one if isinstance(one, dict) else {"name": text_of(one)}, additions)


def _sources_of(question: Node, value: Any, additions: Additions) -> None:
    """Link a question to its sources: objects, also as JSON text, addresses or titles."""
    for at, one in enumerate(as_list(decoded(value))):
        members = one if isinstance(one, dict) else {"url" if literals.is_iri(text_of(one)) else "name": text_of(one)}
        _described(question, at, members, "CreativeWork", additions)


def _maker(node: Node, at: int, members: Json, additions: Additions) -> None:
    _described(node, at, members, "Organization" if members.get("@type") == "Organization" else "Person", additions)


def _described(node: Node, at: int, members: Json, kind: str, additions: Additions) -> None:
    """Link a node to one for an object, named by an identifier of the object or else by its place."""
    link = CITATION if kind == "CreativeWork" else AUTHOR
    texts = {member: text for member in _MEMBERS[link] if (text := _text(members.get(member)))}
    if not texts:
        return
    name = _name(members) or literals.part_of(str(node), f"schema:{link.removeprefix(SCHEMA)}", at)
    part = additions.add_part(node, link, name, SCHEMA + kind)
    if part is not None:
        for member, text in texts.items():
            additions.add(part, SCHEMA + _MEMBERS[link][member], text)


def _text(value: Any) -> str:
    """Return the text of a member; for objects, such as an affiliation, their names."""
    named = [one.get("name") if isinstance(one, dict) else one for one in as_list(value)]
    texts = (text_of(one).strip() for one in named if isinstance(one, (str, int, float)))
    return ", ".join(filter(None, texts))


def _name(members: Json) -> str | None:
    """Return the IRI that identifies an object, None if it has none."""
    for member in _NAMING:
        text = _text(members.get(member))
        if member in _REGISTRIES:
            form, address = _REGISTRIES[member]
            found = form.fullmatch(text)
            text = address + found[1] if found else ""
        if literals.is_iri(text) and not literals.is_minted(text) and secret(text) is None:
            return text
    return None


ELSEWHERE = frozenset(("name", "description", "classes", "callable_code", "model_override"))
"""Settings that become no predicates: members or nodes state them already, or a copy of code is not needed."""


def _trait_of(rating: Node, members: Json, additions: Additions, scope: str) -> None:
    """Infer the classes and settings of a trait; `scope` is its class by place.

    Nothing is inferred of a rating that is no trait.
    """
    if isinstance(members.get("description"), (dict, list)):
        del members["description"]
    try:
        trait = traits.trait_of(members)
    except (ReadError, RecursionError):  # it breaks a rule of the profile `load`, so that nothing is inferred from it
        return
    if trait is None:
        return
    family, kind = FAMILIES[traits.family_of(trait)], getattr(trait, "kind", "boolean")
    result = kind if kind in TRAIT_KINDS else "template"  # a JSON Schema
    additions.add_classes(rating, "Trait", scope, f"{family}Trait", f"{result.capitalize()}Trait")
    if traits.is_dynamic(members):
        additions.add_classes(rating, "DynamicTrait")
    _settings_of(rating, trait, additions)
    for at, (name, described) in enumerate((getattr(trait, "classes", None) or {}).items()):
        part = additions.add_part(
            rating,
            KARENINA + "traitClass",
            literals.part_of(str(rating), "karenina:traitClass", at),
            KARENINA + "TraitClass",
        )
        if part is not None:
            additions.add(part, SCHEMA + "name", name)
            additions.add(part, SCHEMA + "description", described)
            additions.add_setting(part, "score", at)


def _settings_of(rating: Node, trait: AnyTrait, additions: Additions) -> None:
    for name, value in BaseModel.model_dump(trait, mode="json").items():
        if name not in ELSEWHERE:
            for one in value if name in SINGULAR else (value,):
                additions.add_setting(rating, SINGULAR.get(name, name), one)


STRATEGIES = {"all_of": "AllOf", "any_of": "AnyOf", "at_least_n": "AtLeastN", "field_check": "FieldCheck"}
"""The classes of the nodes of a strategy."""

SINGULAR = {
    "substrings": "substring",
    "flags": "flag",
    "normalize": "normalizer",
    "metrics": "metric",
    "tp_instructions": "tp_instruction",
    "tn_instructions": "tn_instruction",
}
"""Parameters and settings that hold several values, and the singular of their names."""

_Place: TypeAlias = tuple[str] | tuple[str, int]
"""A member, and the index in it if there may be several values."""


def _template_of(question: Node, source: str | None, additions: Additions) -> None:
    """Infer statements about the answer template of a question, as far as it can be read without running it."""
    if source is None:
        return
    template = read_template(source)
    additions.add_setting(question, "template_level", template.level.value)
    fields = _fields(question, template, additions)
    for at, (name, check) in enumerate((template.regexes or {}).items()):
        node = _part(question, ("regexCheck", at), "RegexCheck", additions)
        if node is not None:
            additions.add(node, SCHEMA + "name", name)
            for setting, value in asdict(check).items():
                additions.add_setting(node, setting, value)
    if template.strategy is not None:
        _strategy(question, ("verifyStrategy",), template.strategy, fields, additions)


def _part(holder: Node, place: _Place, kind: str, additions: Additions) -> Node | None:
    link, *at = place
    name = literals.part_of(str(holder), f"karenina:{link}", *at)
    return additions.add_part(holder, KARENINA + link, name, KARENINA + kind)


def _fields(question: Node, template: Template, additions: Additions) -> dict[str, Node]:
    """Add the fields of a template in their order; return their nodes by name."""
    nodes: dict[str, Node] = {}
    truths = template.ground_truth or {}
    listed: tuple[TemplateField | PlainField, ...] = (*template.fields, *template.plain_fields)
    for at, field in enumerate(listed):
        node = _part(question, ("templateField", at), "TemplateField", additions)
        if node is None:
            continue
        nodes[field.name] = node
        additions.add(node, SCHEMA + "name", field.name)
        additions.add(node, SCHEMA + "position", at)
        additions.add(node, SCHEMA + "description", field.description)
        additions.add_setting(node, "field_type", field.type if isinstance(field, PlainField) else compared_as(field))
        if isinstance(field, PlainField):
            additions.add_setting(node, "ground_truth", truths.get(field.name))
        else:
            _verified(node, field, additions)
    return nodes


def _verified(node: Node, field: TemplateField, additions: Additions) -> None:
    """Add how a field is verified, without arguments that are known only when the template runs."""
    additions.add_setting(node, "extraction_hint", field.extraction_hint or None)
    if "weight" not in field.unread:
        additions.add_setting(node, "weight", field.weight, DOUBLE)
    additions.add_setting(node, "is_trace", field.is_trace)
    for value in field.literal_values or ():
        additions.add_setting(node, "literal_value", value)
    if "verify_with" not in field.unread:
        _primitive(node, field.verify_with, additions)
    truth = field.ground_truth
    if isinstance(truth, dict) and truth.get(MARKER) is True:
        _conditional(node, truth, additions)
    else:
        additions.add_setting(node, "ground_truth", truth)


def _conditional(node: Node, truth: Mapping[str, Any], additions: Additions) -> None:
    """Add the cases of a ground truth that depends on the state of a conversation; the default has no value."""
    additions.add_setting(node, "state_path", truth.get("source"))
    cases = truth.get("cases")
    every = [*(cases.items() if isinstance(cases, dict) else ()), (None, truth.get("default"))]
    for at, (value, case) in enumerate(every):
        is_case = isinstance(case, dict)
        part = _part(node, ("groundTruthCase", at), "GroundTruthCase", additions) if is_case else None
        if part is not None:
            additions.add_setting(part, "state_value", value)
            additions.add_setting(part, "ground_truth", case.get("value"))
            _primitive(part, case.get("verify_with"), additions)


def _primitive(node: Node, serialised: Any, additions: Additions) -> None:
    """Add how a field or a case is compared: the parameters of a primitive, with its name as `type`."""
    known = registry().get(str(serialised.get("type"))) if isinstance(serialised, dict) else None
    part = None if known is None else _part(node, ("primitive",), known.name, additions)
    if known is None or part is None:
        return
    for parameter in known.parameters:
        value = serialised.get(parameter.name)
        datatype = DOUBLE if parameter.kind == "number" else None
        for one in value if parameter.name in SINGULAR and isinstance(value, list) else (value,):
            additions.add_setting(part, SINGULAR.get(parameter.name, parameter.name), one, datatype)


def _strategy(holder: Node, place: _Place, of: Strategy, fields: Mapping[str, Node], additions: Additions) -> None:
    """Add a node of a strategy and those below it, without nodes that are known only when the template runs."""
    node = _part(holder, place, STRATEGIES[of.type], additions) if of.type in STRATEGIES else None
    if node is None:
        return
    additions.add_setting(node, "n", of.n)
    if of.field_name is not None and of.field_name in fields:
        additions.link(node, KARENINA + "checksField", fields[of.field_name])
    for at, condition in enumerate(of.conditions):
        _strategy(node, ("verifyCondition", at), condition, fields, additions)


_SPELLING = named(CHECKPOINT_SHACL + "SpellingConstraintComponent")
_RATING = SCHEMA + "contentRating"
_NOTES = ("answer_notes", "workspace_path")


def with_inferred(graph: CheckpointGraph) -> CheckpointGraph:
    """Return the statements of a checkpoint together with those that follow from them."""
    own = without_derived(graph.held)
    additions = Additions(graph if own is graph.held else CheckpointGraph(own, graph.root), UsedTerms(own))
    with uncollected(), limited_depth():
        found = infer(additions.graph)
        data = DataGraph(additions.index, found)
        add_head(additions)
        add_items(additions, _parts_of(graph.root, SCHEMA + "dataFeedElement", own))
        add_statements(additions, triples_of(found), shacl.results(data, python_shapes()), data)
        return additions.applied()


def add_head(additions: Additions) -> None:
    """Add what follows from the statements about a benchmark itself, its rubric and its scenarios."""
    root = additions.graph.root
    additions.add_classes(root, SCHEMA + "Dataset")  # of which DataFeed is a subclass
    _creators_of(root, additions)
    _traits_of([root], additions, "GlobalTrait")
    turns = _parts_of_all(_parts_of(root, SCHEMA + "hasPart", additions.index), KARENINA + "nodes", additions)
    _add_questions(additions, _parts_of_all(turns, KARENINA + "question", additions))


def add_items(additions: Additions, items: Iterable[Node]) -> None:
    """Add what follows from the statements about feed items and their questions."""
    _add_questions(additions, _parts_of_all(items, SCHEMA + "item", additions))


def add_statements(
    additions: Additions, inferred: Iterable[tuple[Node, Node, Node]], faults: Iterable[shacl.Result], data: DataGraph
) -> None:
    """Add inferred statements, and the results of the shapes that only Python can apply (`python_shapes`)."""
    for subject, predicate, term in inferred:
        additions.add_statement(subject, predicate, term)
    stated_as = profiles.python_only()
    for one in faults:
        if str(one.component).startswith(CHECKPOINT_SHACL) and one.value is not None:
            additions.add(one.focus, stated_as[one.shape], _fault(one, one.value, data))


def _parts_of_all(nodes: Iterable[Node], predicate: str, additions: Additions) -> list[Node]:
    return [part for one in nodes for part in _parts_of(one, predicate, additions.index)]


def _add_questions(additions: Additions, questions: Sequence[Node]) -> None:
    _traits_of(questions, additions, "QuestionTrait")
    for question, members in zip(questions, _members_of(questions, additions.graph, _OF_QUESTION), strict=True):
        _question(question, members, additions)


def _traits_of(holders: Iterable[Node], additions: Additions, scope: str) -> None:
    ratings = _parts_of_all(holders, _RATING, additions)
    for rating, members in zip(ratings, _members_of(ratings, additions.graph, traits.RATING), strict=True):
        _trait_of(rating, members, additions, scope)


def _question(question: Node, members: Json, additions: Additions) -> None:
    properties = values(members["additionalProperty"])
    additions.add_setting(question, "finished", is_finished(members))
    for name in _NOTES:
        additions.add_setting(question, name, properties.get(name))
    _authors_of(question, properties.get("author"), additions)
    _sources_of(question, properties.get("sources"), additions)
    _template_of(question, source_of(members), additions)


def _fault(result: shacl.Result, value: Node, data: DataGraph) -> str | None:
    """Return what is wrong with a value.

    That is the fault of its form, the key that is probably meant, or else the value itself.
    """
    form = python_shapes().index[result.shape].get(profiles.WELL_FORMED)
    if form is not None:
        return FORMS[str(form)](value_of(value))
    if result.component != _SPELLING:
        return str(value)
    roles = (str(role).removeprefix(KARENINA) for role in data.values(result.focus, RDF_TYPE))
    meant = next(filter(None, (forms.misspelt(value, role) for role in roles)))
    return f"{value}: did you mean {meant}?"


@cache
def python_shapes() -> shacl.Shapes:
    """Return the shapes that only Python can apply, compiled, with the constraint components that they use."""
    kept = profiles.python_only()
    index = {
        node: held
        for node, held in profiles.profile().statements().items()
        if node in kept or isinstance(node, BNode) or str(node).startswith(CHECKPOINT_SHACL)
    }
    return compile_statements(index, COMPONENTS, are_ours=True, with_doubts=False)
