"""Derived statements: what a checkpoint says in an encoding of its own, said once more as plain RDF.

The role of every object by its place, the kinds of traits, the settings that stand in additional properties as
predicates (`karenina:maxTurns` for `max_turns`), what repeats what, and how the nodes of a scenario hang together.
Shapes and queries use them; they are never part of the graph of a checkpoint, and no mapper reads them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.checks.readings import number, numeric_text
from checkpoint_ld.checks.traits import DYNAMIC, Trait
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import RDF_JSON, json_of, literal_of
from checkpoint_ld.graph.residue import Ref
from checkpoint_ld.graph.store import Index, put, terms_of
from checkpoint_ld.graph.terms import expand_name
from checkpoint_ld.roles import ANYTHING, ARRAYS, KEYS, TYPES
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCOPES, TRAIT_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.terms import Term

END = "__end__"
"""The target of an edge that ends the conversation."""

SETTINGS = {
    "Benchmark": (
        *("benchmark_format_version", "checkpoint_format_version", "benchmark_type"),
        *("global_rubric_traits", "global_regex_rubric_traits", "global_callable_rubric_traits"),
        *("global_metric_rubric_traits", "global_manual_rubric_traits"),
    ),
    "Question": (
        *("finished", "author", "sources", "few_shot_examples", "answer_notes", "workspace_path"),
        "original_answer_template",
    ),
    "Trait": (
        *("deep_judgment_enabled", "deep_judgment_excerpt_enabled", "deep_judgment_search_enabled"),
        *("deep_judgment_max_excerpts", "deep_judgment_fuzzy_match_threshold"),
        *("deep_judgment_excerpt_retry_attempts", "higher_is_better", "summary", "min_score", "max_score"),
        *("kind", "classes", "pattern", "case_sensitive", "invert_result", "callable_code", "metrics"),
        *("repeated_extraction", "evaluation_mode", "tp_instructions", "tn_instructions", "context_mode"),
        *("materialize_trace", "persist_trace", "max_turns", "timeout_seconds", "model_override"),
        *("dynamic_trait_type", "include_ground_truth"),
    ),
}
"""The settings that become predicates, by the role of the object that has them."""

_NULL = literal_of(None, "@json")

_FAMILIES = {"llm": "LLM", "regex": "Regex", "callable": "Callable", "metric": "Metric", "agentic": "Agentic"}


def predicate_of(setting: str) -> URIRef:
    """Return the predicate that a setting is derived under: `karenina:maxTurns` for `max_turns`."""
    return URIRef(KARENINA + re.sub(r"_(\w)", lambda match: match[1].upper(), setting))


def derived(graph: CheckpointGraph) -> Index:
    """Return the statements that follow from those of `graph`, and none of these."""
    walk = _Walk(graph)
    walk.benchmark(graph.root)
    return walk.found


class _Walk:
    def __init__(self, graph: CheckpointGraph) -> None:
        self.index = graph.index
        self.reader = Compaction(graph.index, graph.table)
        self.found: Index = {}
        self.scenario_terms = graph.table.at(None, "karenina:Scenario")

    def say(self, subject: Node, name: str, term: Node) -> None:
        put(self.found, subject, URIRef(KARENINA + name), term)

    def plays(self, subject: Node, role: str, via: Term | None = None) -> None:
        """Say the role of an object, and what about its keys, its types and the form of its values does not fit."""
        self.is_a(subject, role)
        members = self.reader.shallow(subject, via)
        for key, value in members.items():
            if key[:1] == "@":
                continue
            if key not in KEYS[role]:
                self.say(subject, "unknownKey", literal_of(key))
            elif isinstance(value, list) and key not in ANYTHING:
                self.array(subject, key, value)
        kind = members.get("@type")
        if role in TYPES and "@type" in members and not isinstance(kind, str | list):
            self.say(subject, "unexpectedType", literal_of(str(kind)))
        for kind in self.terms(subject, RDF_TYPE):
            if role in TYPES and role != "Template" and str(kind) != expand_name(TYPES[role]):
                self.say(subject, "unexpectedType", kind)

    def array(self, subject: Node, key: str, entries: list[Any]) -> None:
        """Say what about an array the statements do not show."""
        if key not in ARRAYS:
            if len(entries) < 2 or len({repr(one) for one in entries}) == 1:
                self.say(subject, "arrayOf", literal_of(key))
        elif any(isinstance(one, list) for one in entries):
            self.say(subject, "nestedIn", literal_of(key))
        elif any(one is None for one in entries):
            self.say(subject, "nullIn", literal_of(key))

    def is_a(self, subject: Node, role: str) -> None:
        put(self.found, subject, RDF_TYPE, URIRef(KARENINA + role))

    def terms(self, subject: Node, iri: str) -> list[Node]:
        return terms_of(self.index.get(subject, {}).get(URIRef(iri)))

    def parts(self, subject: Node, iri: str, role: str) -> list[Node]:
        """Return the objects that stand in a member of `subject`, in order, after giving them their role and index."""
        nodes = [one for one in self.terms(subject, iri) if one in self.index]
        ordered = self.reader.in_order(nodes)
        for at, node in enumerate(ordered):
            if role in KEYS:
                self.plays(node, role, self.scenario_terms.by_iri.get(iri))
            else:
                self.is_a(node, role)
            self.say(node, "index", literal_of(at))
        return ordered

    def plain(self, subject: Node, iri: str) -> Any:
        literals = [one for one in self.terms(subject, iri) if isinstance(one, Literal)]
        return json_of(literals[0], None) if literals else None

    def repeated(self, named: Iterable[tuple[Node, object]], said: str = "repeats") -> None:
        """Say of each node whose key stood before that it repeats the node that had it first."""
        first: dict[object, Node] = {}
        for node, key in named:
            if isinstance(key, str | tuple) and first.setdefault(key, node) is not node:
                self.say(node, said, first[key])

    def asked(self, question: Node) -> str | None:
        """Return the text of a question, None for one that asks nothing or says it in a language of its own."""
        text = self.plain(question, SCHEMA + "text")
        return text if isinstance(text, str) and text.strip() else None

    def benchmark(self, root: Node) -> None:
        self.plays(root, "Benchmark")
        self.settings(root, "Benchmark")
        self.rubric(root, "GlobalTrait")
        items = self.parts(root, SCHEMA + "dataFeedElement", "Item")
        self.repeated((item, self.reader.identifier(item)) for item in items)
        questions = [question for item in items for question in self.item(item)]
        self.repeated(((one, self.asked(one)) for one in questions), "repeatsText")
        self.clashing(root, questions)
        self.parts(root, SCHEMA + "creator", "Creator")
        self.contents(root)

    def contents(self, root: Node) -> None:
        """Say what the benchmark consists of: scenarios, or a feed of questions."""
        has_scenarios = False
        parts = self.parts(root, SCHEMA + "hasPart", "Part")
        self.repeated((one, self.plain(one, SCHEMA + "name")) for one in parts)
        for part in parts:
            if URIRef(KARENINA + "Scenario") in self.terms(part, RDF_TYPE) or self.terms(part, KARENINA + "nodes"):
                has_scenarios = True
                self.scenario(part)
        elements = self.reader.shallow(root).get("dataFeedElement")
        if has_scenarios:
            self.is_a(root, "ScenarioBenchmark")
        if isinstance(elements, list | dict | Ref):
            self.is_a(root, "FeedBenchmark")
        elif elements is not None or not has_scenarios:
            self.is_a(root, "FeedlessBenchmark")

    def clashing(self, root: Node, questions: Iterable[Node]) -> None:
        """Say of each trait of a question that it has the name of a global one of its rubric."""
        names = {self.rubric_name(one): one for one in self.terms(root, SCHEMA + "contentRating")}
        for question in questions:
            for rating in self.terms(question, SCHEMA + "contentRating"):
                name = self.rubric_name(rating)
                if name is not None and name in names:
                    self.say(rating, "clashesWith", names[name])

    def item(self, item: Node) -> list[Node]:
        """Say what follows about an element of the feed; return its questions."""
        identifier = self.reader.identifier(item)
        if identifier is not None:
            self.say(item, "itemId", literal_of(identifier))
        questions = self.parts(item, SCHEMA + "item", "FeedQuestion")
        for question in questions:
            self.question(question)
            self.settings(question, "Question")
            self.rubric(question, "QuestionTrait")
        return questions

    def question(self, question: Node) -> None:
        self.plays(question, "Question")
        self.parts(question, SCHEMA + "acceptedAnswer", "Answer")
        self.parts(question, SCHEMA + "hasPart", "Template")

    def rubric(self, holder: Node, role: str) -> None:
        ratings = self.parts(holder, SCHEMA + "contentRating", "Trait")
        for rating in ratings:
            self.is_a(rating, role)
            self.trait(rating)
        self.repeated((rating, self.rubric_name(rating)) for rating in ratings)

    def rubric_name(self, rating: Node) -> tuple[str, bool] | None:
        """Return the name of a trait, and whether it is one of a dynamic rubric, which has names of its own."""
        name = self.plain(rating, SCHEMA + "name")
        if not isinstance(name, str) or not name:
            return None
        return name, _suffix(self.terms(rating, SCHEMA + "additionalType")) == DYNAMIC

    def trait(self, rating: Node) -> None:
        """Say what kind of trait a rating is."""
        suffix = _suffix(self.terms(rating, SCHEMA + "additionalType"))
        settings = self.settings(rating, "Trait", may_repeat=frozenset({"summary"} if suffix == DYNAMIC else ()))
        if suffix is None:
            return
        for role in _roles(Trait(suffix, self.reader.shallow(rating), settings)):
            self.is_a(rating, f"{role}Trait")

    def settings(self, holder: Node, role: str, may_repeat: frozenset[str] = frozenset()) -> dict[str, object]:
        """Say the settings of an object as predicates; return them by name, of repeated ones the last."""
        values: dict[str, Node | None] = {}
        named: list[tuple[Node, object]] = []
        for node in self.parts(holder, SCHEMA + "additionalProperty", "Setting"):
            self.is_a(node, f"{role}Setting")
            name = self.plain(node, SCHEMA + "name")
            if isinstance(name, str):
                told = self.terms(node, SCHEMA + "value")
                values[name] = told[0] if told else None
                named.append((node, name if name not in may_repeat else None))
        self.repeated(named)
        for name in SETTINGS[role]:
            value = values.get(name)
            if value is not None and value != _NULL:  # null counts as absent
                put(self.found, holder, predicate_of(name), value)
        return {
            name: json_of(term, "@json" if term.datatype == RDF_JSON else None) if isinstance(term, Literal) else None
            for name, term in values.items()
        }

    def scenario(self, scenario: Node) -> None:
        self.plays(scenario, "Scenario")
        said = self.reader.shallow(scenario)
        # A plain value is no node and no edge, which other rules say.
        for member, wrong in (("nodes", list), ("edges", dict | Ref)):
            if said.get(member) is None or isinstance(said[member], wrong):
                self.say(scenario, "malformedMember", literal_of(member))
        nodes = {self.reader.map_key(node): node for node in self.nodes_of(scenario)}
        told = said.get("nodes")
        keys = frozenset(told) if isinstance(told, dict) else frozenset(nodes)
        if isinstance(told, dict) and any(one is None or one == [] for one in told.values()):
            self.say(scenario, "nullIn", literal_of("nodes"))
        self.entry(scenario, nodes, keys)
        for edge in self.parts(scenario, KARENINA + "edges", "Edge"):
            self.edge(edge, nodes, keys)
        criteria = self.parts(scenario, KARENINA + "outcomeCriteria", "Criterion")
        self.repeated((one, self.plain(one, SCHEMA + "name")) for one in criteria)

    def nodes_of(self, scenario: Node) -> list[Node]:
        """Return the nodes of a scenario; the members of one without its type mean nothing, so little is said of it."""
        kind = URIRef(KARENINA + "ScenarioNode")
        nodes = [one for one in self.terms(scenario, KARENINA + "nodes") if one in self.index]
        for node in nodes:
            self.is_a(node, "NodeObject")
            if kind not in self.terms(node, RDF_TYPE):
                self.is_a(node, "UntypedNode")
                continue
            self.plays(node, "Node")
            self.say(node, "key", literal_of(self.reader.map_key(node)))
            for question in self.parts(node, KARENINA + "question", "ScenarioQuestion"):
                self.question(question)
        return nodes

    def entry(self, scenario: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
        """Say where a scenario starts."""
        entry = self.plain(scenario, KARENINA + "entryNode")
        if not keys:
            if self.reader.shallow(scenario).get("nodes") == {}:
                self.say(scenario, "hasNoNodes", literal_of(True))
        elif not isinstance(entry, str) or not entry:
            return
        elif entry not in keys:
            self.say(scenario, "unresolvedEntryNode", literal_of(entry))
        elif entry in nodes:
            self.is_a(nodes[entry], "EntryNode")
            for node in nodes.values():
                self.is_a(node, "EnterableNode")

    def edge(self, edge: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
        """Say which nodes an edge links."""
        ends: dict[str, Node] = {}
        for name in ("source", "target"):
            end = self.plain(edge, KARENINA + name)
            if not isinstance(end, str):
                continue
            if end in nodes:
                ends[name] = nodes[end]
            elif keys and end not in keys and not (name == "target" and end == END):
                self.say(edge, f"unresolved{name.capitalize()}", literal_of(end))
        if len(ends) == 2:
            self.say(ends["source"], "leadsTo", ends["target"])


def _roles(trait: Trait) -> Iterator[str]:
    """Yield the classes that a trait belongs to, without the word Trait."""
    yield "Known"
    if trait.suffix == DYNAMIC:
        yield "Dynamic"
    if trait.family is not None:
        yield _FAMILIES[trait.family]
    if trait.kind is not None:
        yield trait.kind.capitalize()
    yield "Implied" if trait.implies_range else "Unimplied"
    best, worst = (_bound(trait.members.get(member)) for member in ("bestRating", "worstRating"))
    if trait.kind not in {"literal", "template"} and best is not None and worst is not None:
        yield "Ranged"
        if worst < best and (trait.kind == "score" or trait.claims_a_score):
            yield "Bounded"
    mode = trait.settings.get("evaluation_mode")
    if trait.family == "metric" and mode in (None, "tp_only", "full_matrix"):
        yield "FullMatrix" if mode == "full_matrix" else "TpOnly"


def _bound(value: object) -> float | None:
    return number(value) if number(value) is not None else numeric_text(value)


def _suffix(types: Iterable[Node]) -> str | None:
    """Return the trait type among `types` without its scope."""
    return next(iter(_suffixes(types)), None)


def _suffixes(types: Iterable[Node]) -> Iterator[str]:
    for one in types:
        name = str(one).removeprefix(KARENINA)
        for scope in SCOPES:
            if isinstance(one, URIRef) and name.startswith(scope) and name.removeprefix(scope) in TRAIT_SUFFIXES:
                yield name.removeprefix(scope)
