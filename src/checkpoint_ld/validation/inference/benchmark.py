"""What follows from a whole benchmark: roles by place, kinds of traits, settings as predicates, ways of scenarios."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from rdflib import Literal, URIRef

from checkpoint_ld.dialects.dialect import decoded
from checkpoint_ld.graph.compaction import RESIDUE, Ref
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.literals import RDF_JSON, json_of, literal_of
from checkpoint_ld.graph.store import put
from checkpoint_ld.phrases import number, numeric_text
from checkpoint_ld.validation.inference.statements import Statements, predicate_of
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCOPES, SETTINGS, TRAIT_KINDS, TRAIT_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.validation.inference.statements import Described


FAMILIES = {
    "RubricTrait": "llm",
    "LLMRubricTrait": "llm",
    "RegexTrait": "regex",
    "CallableTrait": "callable",
    "MetricRubricTrait": "metric",
    "AgenticRubricTrait": "agentic",
}
"""What evaluates a trait, by type without scope; a dynamic trait says it in `dynamic_trait_type`."""

DYNAMIC = "DynamicRubricTrait"


_DEFAULT_MIN, _DEFAULT_MAX = 1, 5
"""The min_score and max_score that Karenina writes on every boolean trait."""


@dataclass(frozen=True, slots=True)
class Trait:
    """A rating of a known type (`suffix`: without scope), its members and its settings."""

    suffix: str
    members: Mapping[str, object]
    settings: Mapping[str, object]

    @property
    def family(self) -> str | None:
        """What evaluates the trait; None for a dynamic trait that does not say so."""
        if self.suffix != DYNAMIC:
            return FAMILIES[self.suffix]
        said = self.settings.get("dynamic_trait_type")
        return said if isinstance(said, str) and said in FAMILIES.values() else None

    @property
    def explicit_kind(self) -> str | None:
        """The kind of result that the setting `kind` names, if it names one."""
        kind = self.settings.get("kind")
        if isinstance(kind, dict):
            return "template"
        if kind == "binary":
            return "boolean"
        return kind if isinstance(kind, str) and kind in TRAIT_KINDS else None

    @property
    def kind(self) -> str | None:
        """The kind of result, said or implied; None where the bounds it would follow from are missing."""
        if self.family in {"regex", "metric"}:
            return "boolean"
        if self.explicit_kind is not None:
            return self.explicit_kind
        if self.family != "llm":
            return "boolean"
        best, worst = self.members.get("bestRating"), self.members.get("worstRating")
        if number(best) is None or number(worst) is None:
            return None
        # A score trait from 0 to 1 carries these bounds; Karenina gives boolean ones 1 and 5.
        is_unit_score = (self.settings.get("min_score"), self.settings.get("max_score")) == (0, 1)
        return "boolean" if (best, worst) == (1, 0) and not is_unit_score else "score"

    @property
    def claims_a_score(self) -> bool:
        """Whether a trait taken for boolean by its bounds may have been a score trait.

        Karenina writes its meaningless bounds beside floats; beside integers somebody else meant them.
        """
        if self.family != "llm" or self.explicit_kind is not None:
            return False
        by_karenina = all(isinstance(self.members.get(member), float) for member in ("bestRating", "worstRating"))
        low, high = (number(self.settings.get(name)) for name in ("min_score", "max_score"))
        return not (by_karenina and low in {None, _DEFAULT_MIN} and high in {None, _DEFAULT_MAX})

    @property
    def implies_range(self) -> bool:
        """Whether bestRating and worstRating follow from the other settings."""
        if self.family in {"regex", "metric"}:
            return True
        match self.explicit_kind:
            case "score":
                return all(number(self.settings.get(name)) is not None for name in ("min_score", "max_score"))
            case "literal":
                return isinstance(decoded(self.settings.get("classes")), dict)
            case kind:
                return kind is not None


BOUNDS = ("bestRating", "worstRating")

TELLING = frozenset(
    ("dynamic_trait_type", "kind", "min_score", "max_score", "classes", "context_mode", "evaluation_mode")
)
"""The settings that tell the classes of a trait, beside its type and its bounds."""

REPEATABLE = frozenset({"summary"})
"""The settings that a dynamic trait may have more than once."""

_NULL = literal_of(None, "@json")
_NAME, _VALUE = named(SCHEMA + "name"), named(SCHEMA + "value")
_NONE: frozenset[str] = frozenset()
_BOUNDS = (*(named(SCHEMA + bound) for bound in BOUNDS), RESIDUE)
_PREDICATES: Mapping[str, Mapping[str, Node]] = {
    role: {name: predicate_of(name) for name in names} for role, names in SETTINGS.items()
}

_FAMILIES = {"llm": "LLM", "regex": "Regex", "callable": "Callable", "metric": "Metric", "agentic": "Agentic"}


def say_rubrics(said: Statements, holders: Sequence[Node], role: str) -> None:
    """Say what follows about the traits of a benchmark or of questions; `role` is their class for their place."""
    rubrics = said.parts_of(holders, SCHEMA + "contentRating", "Trait", role)
    ratings = [rating for rubric in rubrics for rating in rubric]
    suffixes = [suffix_of(said.terms(rating, SCHEMA + "additionalType")) for rating in ratings]
    # A dynamic rubric has names of its own.
    named_ones = zip(ratings, _names(said, ratings), suffixes, strict=True)
    said.rubric_names |= {
        one: (name, suffix == DYNAMIC) for one, name, suffix in named_ones if isinstance(name, str) and name
    }
    repeatable = [REPEATABLE if suffix == DYNAMIC else _NONE for suffix in suffixes]
    classes: dict[tuple[object, ...], list[str]] = {}
    alike: dict[tuple[object, ...], list[Node]] = defaultdict(list)
    settings = say_settings(said, ratings, "Trait", repeatable, TELLING)
    for rating, suffix, telling in zip(ratings, suffixes, settings, strict=True):
        if suffix is not None:
            bounds = _bounds(said, rating)
            # The terms of the graph and the bounds stay what they are meanwhile.
            key = suffix, id(bounds), *((name, id(value)) for name, value in telling)
            if key not in classes:
                classes[key] = classes_of(suffix, bounds, {name: json_value(value) for name, value in telling})
            alike[key].append(rating)
    for key, those in alike.items():
        said.are(those, *classes[key])
    for rubric in rubrics:
        if len(rubric) > 1:
            said.repeated((rating, said.rubric_names.get(rating)) for rating in rubric)


def _bounds(said: Statements, rating: Node) -> Mapping[str, object]:
    """Return the JSON values of the bounds of a trait; those of traits that have the same terms are read once."""
    key = tuple(map(id, map(said.index[rating].get, _BOUNDS)))
    if key not in said.bounds:
        said.bounds[key] = said.members(rating, *BOUNDS)
    return said.bounds[key]


def classes_of(suffix: str, bounds: Mapping[str, object], values: Mapping[str, object]) -> list[str]:
    """Return the classes of a trait whose type, without its scope, is `suffix`.

    `bounds` are the JSON values of its members `BOUNDS`, `values` those of its settings.
    """
    return [f"{role}Trait" for role in _roles(Trait(suffix, bounds, values))]


def say_settings(
    said: Statements,
    holders: Sequence[Node],
    role: str,
    may_repeat: Iterable[frozenset[str]] = repeat(_NONE),
    telling: frozenset[str] = _NONE,
) -> Iterator[list[tuple[str, Node | None]]]:
    """Say the settings of objects as predicates; yield those called as `telling` has it, of repeated ones the last.

    `may_repeat` are the names that each object may have more than once.
    """
    index = said.index
    known = {name: predicate for name, predicate in _PREDICATES[role].items() if said.looks_at(predicate)}
    settings = said.parts_of(holders, SCHEMA + "additionalProperty", "Setting", f"{role}Setting")
    nodes = list(chain.from_iterable(settings))
    names, terms = _names(said, nodes), [_first(index[node].get(_VALUE)) for node in nodes]
    lacks_values = any(term is None for term in terms)
    layouts: dict[tuple[object, ...], _Names] = {}
    end = 0
    for holder, found, repeatable in zip(holders, settings, may_repeat, strict=False):
        start, end = end, end + len(found)
        own, held = tuple(names[start:end]), terms[start:end]
        if own not in layouts:
            layouts[own] = _Names.of(own, known, telling)
        layout = layouts[own]
        if layout.are_repeated:
            found = said.reader.in_order(found)  # noqa: PLW2901 - the same settings
            own, held = tuple(_names(said, found)), [_first(index[node].get(_VALUE)) for node in found]
            layout = _Names.of(own, known, telling)
            said.repeated(
                (node, name if name not in repeatable else None) for node, name in zip(found, own, strict=True)
            )
        if lacks_values:
            for node, name, term in zip(found, own, held, strict=True):
                if term is None and isinstance(name, str) and not may_lack_value(name, role):
                    said.is_a(node, "ValuelessSetting")
        for at, predicate in layout.known:
            value = held[at]
            if is_told(value):
                put(said.found, holder, predicate, value)
        yield [(name, held[at]) for at, name in layout.telling]


class _Names(NamedTuple):
    """The names of an object's settings: whether one repeats, and where those stand that say something."""

    are_repeated: bool
    known: list[tuple[int, Node]]
    telling: list[tuple[int, str]]

    @classmethod
    def of(cls, own: tuple[object, ...], known: Mapping[str, Node], telling: frozenset[str]) -> _Names:
        """Return what `own` names tell; of those that repeat the last counts."""
        last = {name: at for at, name in enumerate(own) if isinstance(name, str)}
        return cls(
            len(set(own)) < len(own),
            [(at, known[name]) for name, at in last.items() if name in known],
            [(at, name) for name, at in last.items() if name in telling],
        )


def _first(held: Node | list[Node] | None) -> Node | None:
    return held[0] if isinstance(held, list) else held


def _names(said: Statements, nodes: Sequence[Node]) -> list[object]:
    """Return the names of settings; a term that many of them share is read once."""
    keys = list(map(id, [said.index[node].get(_NAME) for node in nodes]))
    texts: dict[int, object] = {}
    for key, node in dict(zip(keys, nodes, strict=True)).items():
        plain = said.plain(node, SCHEMA + "name")
        texts[key] = None if isinstance(plain, dict | list) else plain
    return list(map(texts.__getitem__, keys))


def may_lack_value(name: str, role: str) -> bool:
    """Tell whether a setting is usual without a value: Karenina leaves null out where a trait has no direction."""
    return role == "Trait" and name == "higher_is_better"


def is_told(value: Node | None) -> TypeGuard[Node]:
    """Tell whether a setting says anything; null counts as absent."""
    return value is not None and not (isinstance(value, Literal) and str(value) == "null" and value == _NULL)


def json_value(term: Node | None) -> object:
    """Return the JSON value of a setting, None for one that has no value or an object."""
    if not isinstance(term, Literal):
        return None
    return json_of(term, "@json" if term.datatype == RDF_JSON else None)


def _roles(trait: Trait) -> Iterator[str]:
    """Yield the classes that a trait belongs to, without the word Trait."""
    yield "Known"
    if trait.suffix == DYNAMIC:
        yield "Dynamic"
    if trait.family is not None:
        yield _FAMILIES[trait.family]
    if trait.kind is not None:
        yield trait.kind.capitalize()
    if trait.family in ("llm", "agentic", "callable") and "classes" in trait.settings and trait.kind != "literal":
        yield "Classed"
    yield "Implied" if trait.implies_range else "Unimplied"
    best, worst = (_bound(trait.members.get(member)) for member in ("bestRating", "worstRating"))
    if trait.kind not in {"literal", "template"} and best is not None and worst is not None:
        yield "Ranged"
        if worst < best and (trait.kind == "score" or trait.claims_a_score):
            yield "Bounded"
    if trait.family == "agentic" and trait.settings.get("context_mode") == "workspace_only":
        yield "WorkspaceOnly"
    mode = trait.settings.get("evaluation_mode")
    if trait.family == "metric" and mode in (None, "tp_only", "full_matrix"):
        yield "FullMatrix" if mode == "full_matrix" else "TpOnly"


def _bound(value: object) -> float | None:
    return number(value) if number(value) is not None else numeric_text(value)


def suffix_of(types: Iterable[Node]) -> str | None:
    """Return the trait type among `types` without its scope."""
    return next((suffix for one in types if (suffix := _suffix(one, isinstance(one, URIRef))) is not None), None)


@lru_cache(maxsize=256)
def _suffix(one: Node, is_name: bool) -> str | None:
    name = str(one).removeprefix(KARENINA)
    found = (name.removeprefix(scope) for scope in SCOPES if is_name and name.startswith(scope))
    return next((suffix for suffix in found if suffix in TRAIT_SUFFIXES), None)


def infer(source: Described, wanted: Container[Node] | None = None) -> Index:
    """Return the statements that follow from those of a checkpoint, and none of these.

    If `wanted` are the terms that somebody looks at, statements with others may be left out.
    """
    said = Statements(source, wanted)
    _benchmark(said, source.root)
    return said.index_of_all()


def _asked(said: Statements, question: Node) -> str | None:
    """Return the text of a question, None for one that asks nothing or says it in a language of its own."""
    text = said.plain(question, SCHEMA + "text")
    return text if isinstance(text, str) and text.strip() else None


def _benchmark(said: Statements, root: Node) -> None:
    said.plays(root, "Benchmark")
    list(say_settings(said, [root], "Benchmark"))
    say_rubrics(said, [root], "GlobalTrait")
    items = said.reader.in_order(said.parts(root, SCHEMA + "dataFeedElement", "Item"))
    if said.wants("repeats", "itemId"):
        identifiers = [(item, said.reader.identifier(item)) for item in items]
        said.repeated(identifiers, is_ordered=True)
        for item, identifier in identifiers:
            if identifier is not None:
                said.say(item, "itemId", literal_of(identifier))
    questions = list(chain.from_iterable(said.parts_of(items, SCHEMA + "item", "FeedQuestion")))
    say_questions(said, questions)
    list(say_settings(said, questions, "Question"))
    say_rubrics(said, questions, "QuestionTrait")
    said.repeated(((one, _asked(said, one)) for one in questions), "repeatsText", is_ordered=True)
    if said.wants("clashesWith"):
        _clashing(said, root, questions)
    said.parts(root, SCHEMA + "creator", "Creator")
    _contents(said, root)


def _contents(said: Statements, root: Node) -> None:
    """Say what the benchmark consists of: scenarios, or a feed of questions."""
    has_scenarios = False
    parts = said.parts(root, SCHEMA + "hasPart", "Part")
    said.repeated((one, said.plain(one, SCHEMA + "name")) for one in parts)
    for part in parts:
        if URIRef(KARENINA + "Scenario") in said.terms(part, RDF_TYPE) or said.terms(part, KARENINA + "nodes"):
            has_scenarios = True
            say_scenario(said, part)
    elements = said.members(root, "dataFeedElement").get("dataFeedElement")
    if has_scenarios:
        said.is_a(root, "ScenarioBenchmark")
    if isinstance(elements, list | dict | Ref):
        said.is_a(root, "FeedBenchmark")
    elif elements is not None or not has_scenarios:
        said.is_a(root, "FeedlessBenchmark")


def _clashing(said: Statements, root: Node, questions: Iterable[Node]) -> None:
    """Say of each trait of a question that it has the name of a global one of its rubric."""
    names = {said.rubric_names.get(one): one for one in said.terms(root, SCHEMA + "contentRating")}
    for question in questions if names else ():
        for rating in said.terms(question, SCHEMA + "contentRating"):
            name = said.rubric_names.get(rating)
            if name is not None and name in names:
                said.say(rating, "clashesWith", names[name])


END = "__end__"
"""The target of an edge that ends the conversation."""


def say_questions(said: Statements, questions: Sequence[Node]) -> None:
    """Say what follows about questions, be they of the feed or of a scenario."""
    said.play(questions, "Question")
    said.parts_of(questions, SCHEMA + "acceptedAnswer", "Answer")
    said.parts_of(questions, SCHEMA + "hasPart", "Template")


def say_scenario(said: Statements, scenario: Node) -> None:
    """Say what follows about a scenario, its nodes and its edges."""
    said.plays(scenario, "Scenario")
    members = said.reader.shallow(scenario)
    # A plain value is no node and no edge, which other rules say.
    for member, wrong in (("nodes", list), ("edges", dict | Ref)):
        if members.get(member) is None or isinstance(members[member], wrong):
            said.say(scenario, "malformedMember", literal_of(member))
    nodes = {said.reader.map_key(node): node for node in _nodes_of(said, scenario)}
    told = members.get("nodes")
    keys = frozenset(told) if isinstance(told, dict) else frozenset(nodes)
    if isinstance(told, dict) and any(one is None or one == [] for one in told.values()):
        said.say(scenario, "nullIn", literal_of("nodes"))
    _entry(said, scenario, nodes, keys)
    for edge in said.parts(scenario, KARENINA + "edges", "Edge"):
        _edge(said, edge, nodes, keys)
    criteria = said.parts(scenario, KARENINA + "outcomeCriteria", "Criterion")
    said.repeated((one, said.plain(one, SCHEMA + "name")) for one in criteria)


def _nodes_of(said: Statements, scenario: Node) -> list[Node]:
    """Return the nodes of a scenario; the members of one without its type mean nothing, so little is said of it."""
    kind = URIRef(KARENINA + "ScenarioNode")
    nodes = [one for one in said.terms(scenario, KARENINA + "nodes") if one in said.index]
    for node in nodes:
        said.is_a(node, "NodeObject")
        if kind not in said.terms(node, RDF_TYPE):
            said.is_a(node, "UntypedNode")
            continue
        said.plays(node, "Node")
        said.say(node, "key", literal_of(said.reader.map_key(node)))
        say_questions(said, said.parts(node, KARENINA + "question", "ScenarioQuestion"))
    return nodes


def _entry(said: Statements, scenario: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
    """Say where a scenario starts."""
    entry = said.plain(scenario, KARENINA + "entryNode")
    if not keys:
        if said.reader.shallow(scenario).get("nodes") == {}:
            said.say(scenario, "hasNoNodes", literal_of(True))
    elif not isinstance(entry, str) or not entry:
        return
    elif entry not in keys:
        said.say(scenario, "unresolvedEntryNode", literal_of(entry))
    elif entry in nodes:
        said.is_a(nodes[entry], "EntryNode")
        for node in nodes.values():
            said.is_a(node, "EnterableNode")


def _edge(said: Statements, edge: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
    """Say which nodes an edge links."""
    ends: dict[str, Node] = {}
    for name in ("source", "target"):
        end = said.plain(edge, KARENINA + name)
        if not isinstance(end, str):
            continue
        if end in nodes:
            ends[name] = nodes[end]
        elif keys and end not in keys and not (name == "target" and end == END):
            said.say(edge, f"unresolved{name.capitalize()}", literal_of(end))
    if len(ends) == 2:
        said.say(ends["source"], "leadsTo", ends["target"])
