"""Inference from a whole benchmark: roles by place, kinds of traits, settings as predicates, paths of scenarios."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import lru_cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from rdflib import Literal, URIRef

from checkpoint_ld.dialects.dialect import decoded
from checkpoint_ld.dialects.ratings import llm_kind
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES, entries_of_member, older_entries
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.literals import DOUBLE, RDF_JSON, XSD_DECIMAL, XSD_FLOAT, json_of, literal_of, typed
from checkpoint_ld.graph.residue import RESIDUE, Ref
from checkpoint_ld.phrases import number, quantity
from checkpoint_ld.validation.constraints import forms
from checkpoint_ld.validation.inference.roles import Inference, predicate_of, scalar_in
from checkpoint_ld.vocabulary import (
    DYNAMIC,
    END,
    KARENINA,
    SCHEMA,
    SCOPES,
    SETTINGS,
    TRAIT_FAMILIES,
    TRAIT_KINDS,
    TRAIT_SUFFIXES,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.validation.inference.roles import Held, InferenceSource


ELEMENT = SCHEMA + "dataFeedElement"
BOUNDS = ("bestRating", "worstRating")
_SCORES = ("min_score", "max_score")

CLASSIFYING = frozenset(
    ("dynamic_trait_type", "kind", "min_score", "max_score", "classes", "context_mode", "evaluation_mode")
)
"""The settings on which the classes of a trait depend, beside its type and its bounds."""

REPEATABLE = frozenset({"summary"})
"""The settings that a dynamic trait may have more than once."""

_NULL = literal_of(None, "@json")
_NAME, _VALUE = named(SCHEMA + "name"), named(SCHEMA + "value")
_NONE: frozenset[str] = frozenset()
_ABSENT = frozenset((type(None),))
_BOUNDS = (*(named(SCHEMA + bound) for bound in BOUNDS), RESIDUE)
_PREDICATES: Mapping[str, Mapping[str, Node]] = {
    role: {name: predicate_of(name) for name in names} for role, names in SETTINGS.items()
}

READ = frozenset(
    (
        *("KnownTrait", "LLMTrait", "RegexTrait", "CallableTrait", "MetricTrait", "AgenticTrait", "DynamicTrait"),
        *("LiteralTrait", "LLMLiteralTrait", "CallableLiteralTrait", "TemplateTrait", "ClassedTrait"),
        *("TpOnlyTrait", "FullMatrixTrait", "WorkspaceOnlyTrait"),
    )
)
"""The classes that traits have a second time, with `Read` before the name, if Karenina reads these traits."""

FAMILIES = {"llm": "LLM", "regex": "Regex", "callable": "Callable", "metric": "Metric", "agentic": "Agentic"}
"""The names of the classes of traits by what evaluates them, without `Trait`."""


def infer_traits(inference: Inference, holders: Sequence[Node], role: str) -> None:
    """Infer statements about the traits of a benchmark or of questions; `role` is their class by place."""
    rubrics = inference.parts_of(holders, SCHEMA + "contentRating", "Trait", role)
    ratings = [rating for rubric in rubrics for rating in rubric]
    suffixes = [suffix_of(inference.terms(rating, SCHEMA + "additionalType")) for rating in ratings]
    # A dynamic rubric has names of its own.
    named_ones = zip(ratings, _names([inference.index[one] for one in ratings]), suffixes, strict=True)
    inference.rubric_names |= {
        one: (name, suffix == DYNAMIC) for one, name, suffix in named_ones if isinstance(name, str) and name
    }
    repeatable = [REPEATABLE if suffix == DYNAMIC else _NONE for suffix in suffixes]
    classes: dict[tuple[object, ...], list[str]] = {}
    alike: dict[tuple[object, ...], list[Node]] = defaultdict(list)
    settings = [*infer_settings(inference, ratings, "Trait", repeatable, CLASSIFYING)]
    for rating, suffix, classifying in zip(ratings, suffixes, settings, strict=True):
        if suffix is not None:
            bounds = _bounds(inference, rating)
            is_read = role == "GlobalTrait" or (suffix != DYNAMIC and _has_scope_of_question(inference, rating))
            # Identities are keys, because the terms of the graph and the bounds do not change meanwhile.
            key = suffix, is_read, id(bounds), *((name, id(value)) for name, value in classifying)
            if key not in classes:
                found = classes_of(suffix, bounds, {name: json_value(value) for name, value in classifying})
                classes[key] = [*found, *(f"Read{name}" for name in found if is_read and name in READ)]
            alike[key].append(rating)
    for key, those in alike.items():
        inference.add_classes(those, *classes[key])
    for rubric in rubrics:
        if len(rubric) > 1:
            inference.add_repeats((rating, inference.rubric_names.get(rating)) for rating in rubric)


def _has_scope_of_question(inference: Inference, rating: Node) -> bool:
    """Return whether a trait has a type for questions; in a question Karenina reads no others."""
    types = inference.terms(rating, SCHEMA + "additionalType")
    return any(str(one).startswith(KARENINA + "QuestionSpecific") for one in types)


def _bounds(inference: Inference, rating: Node) -> Mapping[str, object]:
    """Return the JSON values of the bounds of a trait; equal terms are read once."""
    key = tuple(map(id, map(inference.index[rating].get, _BOUNDS)))
    if key not in inference.bounds:
        inference.bounds[key] = inference.members(rating, *BOUNDS)
    return inference.bounds[key]


def classes_of(suffix: str, bounds: Mapping[str, object], settings: Mapping[str, object]) -> list[str]:
    """Return the classes of a trait whose type, without its scope, is `suffix`.

    `bounds` are the JSON values of its members `BOUNDS`, `settings` those of its settings.
    """
    family = settings.get("dynamic_trait_type") if suffix == DYNAMIC else TRAIT_FAMILIES[suffix]
    family = family if isinstance(family, str) and family in FAMILIES else ""
    is_boolean = family in ("regex", "metric")
    (best, worst), (low, high) = map(bounds.get, BOUNDS), (number(settings.get(name)) for name in _SCORES)
    stated = _kind_in(settings.get("kind"))
    kind: str | None = "boolean" if is_boolean or stated is None else stated
    if stated is None and family == "llm":
        is_bounded = number(best) is not None and number(worst) is not None
        kind = llm_kind({**bounds}, {**settings, "kind": None}) if is_bounded else None
    implies_range = stated is not None
    if stated == "score":
        implies_range = low is not None and high is not None
    elif stated == "literal":
        implies_range = isinstance(decoded(settings.get("classes")), dict)
    # Karenina writes the meaningless scores 1 and 5 beside floats. Integers were written, and meant, by somebody else.
    is_idle = isinstance(best, float) and isinstance(worst, float) and low in (None, 1) and high in (None, 5)
    may_be_score = kind == "score" or (family == "llm" and stated is None and not is_idle)
    most, least = quantity(best), quantity(worst)
    is_ranged = kind not in ("literal", "template") and most is not None and least is not None
    mode = settings.get("evaluation_mode")
    found = {
        "Known": True,
        "Dynamic": suffix == DYNAMIC,
        FAMILIES.get(family, ""): bool(family),
        (kind or "").capitalize(): kind is not None,
        f"{FAMILIES.get(family, '')}Literal": kind == "literal" and bool(family),
        "PlainLiteral": kind == "literal" and family in ("callable", "agentic"),
        "Classed": family in ("llm", "agentic", "callable") and "classes" in settings and kind != "literal",
        "Implied" if is_boolean or implies_range else "Unimplied": True,
        "Ranged": is_ranged,
        "Bounded": is_ranged and may_be_score and (least or 0) < (most or 0),
        "OtherRange": most is not None
        and least is not None
        and (most, least) != _range_read(family, kind, most, least, settings),
        "WorkspaceOnly": family == "agentic" and settings.get("context_mode") == "workspace_only",
        "FullMatrix" if mode == "full_matrix" else "TpOnly": (
            family == "metric" and mode in (None, "tp_only", "full_matrix")
        ),
    }
    return [f"{name}Trait" for name, applies in found.items() if applies]


def _range_read(
    family: str, kind: str | None, most: float, least: float, settings: Mapping[str, object]
) -> tuple[float, float]:
    """Return the bounds that Karenina takes a trait to have, whatever the rating states.

    `most` and `least` are those that it states.
    """
    if not family or kind is None:
        return most, least
    if kind == "template":
        return 0, 0
    if kind == "literal":
        classes = settings.get("classes")
        return (len(classes) - 1 if isinstance(classes, dict) and 2 <= len(classes) <= forms.CLASS_LIMIT else most), 0
    if kind == "boolean":
        return 1, 0
    low, high = (number(settings.get(name)) for name in _SCORES)
    # Other rules compare the scores with the bounds.
    return (5 if high is None else most), (1 if low is None else least)


def _kind_in(stated: object) -> str | None:
    """Return the kind of result that the setting `kind` names, None if it names none."""
    if isinstance(stated, dict):
        return "template" if stated.get("type") == "template" else None
    if stated == "binary":
        return "boolean"
    return stated if isinstance(stated, str) and stated in TRAIT_KINDS else None


def infer_settings(
    inference: Inference,
    holders: Sequence[Node],
    role: str,
    may_repeat: Iterable[frozenset[str]] = repeat(_NONE),
    classifying: frozenset[str] = _NONE,
) -> Iterator[list[tuple[str, Node | None]]]:
    """Infer the settings of objects as predicates; yield those that `classifying` names.

    Of repeated settings, the last counts. `may_repeat` are the names that each object may have more than once.
    """
    index = inference.index
    known = {name: predicate for name, predicate in _PREDICATES[role].items() if inference.is_wanted(predicate)}
    settings = inference.parts_of(holders, SCHEMA + "additionalProperty", "Setting", f"{role}Setting")
    held_by = [index[node] for node in chain.from_iterable(settings)]
    names, terms = _names(held_by), _values(held_by)
    lacks_values = not _ABSENT.isdisjoint(map(type, terms))
    unstated = {at for at, term in dict(zip(map(id, terms), terms, strict=True)).items() if not is_stated(term)}
    layouts: dict[tuple[object, ...], _SettingNames] = {}
    end = 0
    for holder, found, repeatable in zip(holders, settings, may_repeat, strict=False):
        start, end = end, end + len(found)
        own, held = tuple(names[start:end]), terms[start:end]
        if own not in layouts:
            layouts[own] = _SettingNames.of(own, known, classifying)
        layout = layouts[own]
        if layout.are_repeated:
            found = inference.reader.in_order(found)  # noqa: PLW2901 - the same settings
            in_order = [index[node] for node in found]
            own, held = tuple(_names(in_order)), _values(in_order)
            layout = _SettingNames.of(own, known, classifying)
            inference.add_repeats(
                (node, name if name not in repeatable else None) for node, name in zip(found, own, strict=True)
            )
        if lacks_values:
            for node, name, term in zip(found, own, held, strict=True):
                if term is None and isinstance(name, str) and not may_lack_value(name, role):
                    inference.add_class(node, "ValuelessSetting")
        if unstated and not unstated.isdisjoint(map(id, held)):
            nulls = [node for node, term in zip(found, held, strict=True) if term is not None and not is_stated(term)]
            inference.add_classes(nulls, "NullSetting")
            _infer_unset(inference, holder, role, dict(zip(own, held, strict=True)))
        for at, name in layout.older if inference.wants("olderTrait") else ():
            _infer_older_traits(inference, found[at], older_entries(name, json_value(held[at])))
        _add_stated(inference, holder, layout, held, unstated if lacks_values or unstated else None)
        yield [(name, held[at]) for at, name in layout.classifying]


def _add_stated(
    inference: Inference,
    holder: Node,
    layout: _SettingNames,
    held: Sequence[Node | None],
    unstated: Collection[int] | None,
) -> None:
    """Add the known settings that have a value; with `unstated` as None, each of them has one."""
    stated: Held = dict(zip(layout.predicates, map(held.__getitem__, layout.known), strict=True))  # type: ignore[arg-type]  # as checked next
    if unstated is not None:
        stated = {one: term for one, term in stated.items() if term is not None and id(term) not in unstated}
    if stated:
        inference.found.setdefault(holder, {}).update(stated)


def _infer_unset(inference: Inference, holder: Node, role: str, settings: Mapping[object, Node | None]) -> None:
    """Infer the settings that are there without a value, or with null."""
    for name, term in settings.items() if inference.wants("unsetSetting") else ():
        if isinstance(name, str) and not is_stated(term) and not may_lack_value(name, role):
            inference.add(holder, "unsetSetting", literal_of(name))


def _infer_older_traits(inference: Inference, holder: Node, entries: Iterable[object]) -> None:
    """Infer the traits that older files keep in a property, or in a member of the root."""
    for entry in entries:
        inference.add(holder, "olderTrait", typed(json.dumps(entry), RDF_JSON))


class _SettingNames(NamedTuple):
    """The names of an object's settings: whether one repeats, and the indexes of known and classifying ones.

    `predicates` are those of the known ones. In `older` ones, older files keep traits.
    """

    are_repeated: bool
    known: list[int]
    predicates: list[Node]
    classifying: list[tuple[int, str]]
    older: list[tuple[int, str]]

    @classmethod
    def of(cls, own: tuple[object, ...], known: Mapping[str, Node], classifying: frozenset[str]) -> _SettingNames:
        """Return the analysis of the names `own`; of repeated names, the last counts."""
        last = {name: at for at, name in enumerate(own) if isinstance(name, str)}
        return cls(
            len(set(own)) < len(own),
            [at for name, at in last.items() if name in known],
            [known[name] for name in last if name in known],
            [(at, name) for name, at in last.items() if name in classifying],
            [(at, name) for name, at in last.items() if name in LEGACY_PROPERTIES],
        )


def _values(held_by: Iterable[Held]) -> list[Node | None]:
    """Return the values of settings, the first of several."""
    values = [held.get(_VALUE) for held in held_by]
    return [held[0] if isinstance(held, list) else held for held in values]


def _names(held_by: Sequence[Held]) -> list[object]:
    """Return the names of objects, whose statements are given; a term that many of them share is read once."""
    terms = [held.get(_NAME) for held in held_by]
    scalars = {at: scalar_in(held) for at, held in dict(zip(map(id, terms), terms, strict=True)).items()}
    texts = {at: None if isinstance(one, dict | list) else one for at, one in scalars.items()}
    return [*map(texts.__getitem__, map(id, terms))]


def may_lack_value(name: str, role: str) -> bool:
    """Return whether a setting needs no value: Karenina omits null for a trait without direction."""
    return role == "Trait" and name == "higher_is_better"


def is_stated(value: Node | None) -> TypeGuard[Node]:
    """Return whether a setting has a value; null counts as absent."""
    return value is not None and not (isinstance(value, Literal) and str(value) == "null" and value == _NULL)


def json_value(term: Node | None) -> object:
    """Return the JSON value of a setting, None if it has no value or an object."""
    if not isinstance(term, Literal):
        return None
    if term.datatype in (XSD_DECIMAL, XSD_FLOAT):
        return json_of(term, DOUBLE)
    return json_of(term, "@json" if term.datatype == RDF_JSON else None)


def suffix_of(types: Iterable[Node]) -> str | None:
    """Return the trait type among `types` without its scope."""
    return next((suffix for one in types if (suffix := _suffix(one, isinstance(one, URIRef))) is not None), None)


@lru_cache(maxsize=256)
def _suffix(one: Node, is_name: bool) -> str | None:
    name = str(one).removeprefix(KARENINA)
    found = (name.removeprefix(scope) for scope in SCOPES if is_name and name.startswith(scope))
    return next((suffix for suffix in found if suffix in TRAIT_SUFFIXES), None)


def infer(source: InferenceSource, wanted: Container[Node] | None = None) -> Index:
    """Return the inferred statements of a checkpoint alone.

    Statements with other terms than `wanted` may be left out.
    """
    return infer_whole(Inference(source, wanted), source.root)


def infer_whole(inference: Inference, root: Node) -> Index:
    """Infer all statements; return them."""
    _benchmark(inference, root)
    return inference.index_of_all()


def text_of(inference: Inference, question: Node) -> str | None:
    """Return the text of a question, None if it is empty or has a language tag."""
    text = inference.scalar_of(question, SCHEMA + "text")
    return text if isinstance(text, str) and text.strip() else None


def _benchmark(inference: Inference, root: Node) -> None:
    infer_head(inference, root)
    items = inference.reader.in_order(inference.objects(root, ELEMENT))
    questions = infer_items(inference, items)
    if inference.wants("repeats"):
        inference.add_repeats(((item, inference.reader.identifier(item)) for item in items), is_ordered=True)
    inference.add_repeats(((one, text_of(inference, one)) for one in questions), "repeatsText", is_ordered=True)
    if inference.wants("clashesWith"):
        _clashing(inference, root, questions)


def infer_head(inference: Inference, root: Node) -> None:
    """Infer statements about the benchmark itself, its global rubric, its creators and its scenarios."""
    inference.assign([root], "Benchmark")
    list(infer_settings(inference, [root], "Benchmark"))
    infer_traits(inference, [root], "GlobalTrait")
    rubric = inference.reader.content(root, "globalRubric") if inference.wants("olderTrait") else None
    if rubric is not None:
        _infer_older_traits(inference, root, entries_of_member(rubric))
    inference.parts(root, SCHEMA + "creator", "Creator")
    creator = inference.reader.content(root, "creator") if inference.wants("malformedCreator") else None
    if creator == {} or (isinstance(creator, list) and len(creator) < 2):
        form = "an array" if isinstance(creator, list) else "an empty object"
        inference.add(root, "malformedCreator", literal_of(form))
    _contents(inference, root)


def infer_items(inference: Inference, items: Sequence[Node]) -> list[Node]:
    """Infer statements about feed items and their questions, each alone; return the questions."""
    inference.assign_parts(items, ELEMENT, "Item")
    for item in items if inference.wants("itemId") else ():
        identifier = inference.reader.identifier(item)
        if identifier is not None:
            inference.add(item, "itemId", literal_of(identifier))
    questions = list(chain.from_iterable(inference.parts_of(items, SCHEMA + "item", "FeedQuestion")))
    infer_questions(inference, questions)
    list(infer_settings(inference, questions, "Question"))
    infer_traits(inference, questions, "QuestionTrait")
    return questions


def _contents(inference: Inference, root: Node) -> None:
    """Infer the kind of a benchmark from its contents: scenarios, or a feed of questions."""
    has_scenarios = False
    parts = inference.parts(root, SCHEMA + "hasPart", "Part")
    inference.add_repeats((one, inference.scalar_of(one, SCHEMA + "name")) for one in parts)
    for part in parts:
        is_typed = URIRef(KARENINA + "Scenario") in inference.terms(part, RDF_TYPE)
        if is_typed or inference.terms(part, KARENINA + "nodes"):
            has_scenarios = True
            infer_scenario(inference, part)
    is_array = len(inference.terms(root, SCHEMA + "dataFeedElement")) > 1
    elements = None if is_array else inference.members(root, "dataFeedElement").get("dataFeedElement")
    if has_scenarios:
        inference.add_class(root, "ScenarioBenchmark")
    if is_array or isinstance(elements, list | dict | Ref):
        inference.add_class(root, "FeedBenchmark")
    elif elements is not None or not has_scenarios:
        inference.add_class(root, "FeedlessBenchmark")


def _clashing(inference: Inference, root: Node, questions: Iterable[Node]) -> None:
    """Infer which traits of questions have the name of a global trait of the same kind of rubric."""
    names = {inference.rubric_names.get(one): one for one in inference.terms(root, SCHEMA + "contentRating")}
    for question in questions if names else ():
        for rating in inference.terms(question, SCHEMA + "contentRating"):
            name = inference.rubric_names.get(rating)
            if name is not None and name in names:
                inference.add(rating, "clashesWith", names[name])


def infer_questions(inference: Inference, questions: Sequence[Node]) -> None:
    """Infer statements about questions of the feed or of a scenario."""
    inference.assign(questions, "Question")
    inference.parts_of(questions, SCHEMA + "acceptedAnswer", "Answer")
    inference.parts_of(questions, SCHEMA + "hasPart", "Template")


def infer_scenario(inference: Inference, scenario: Node) -> None:
    """Infer statements about a scenario, its nodes and its edges."""
    inference.assign([scenario], "Scenario")
    members = inference.reader.shallow(scenario)
    stated = members.get("nodes")
    by_key = stated if isinstance(stated, dict) else {}
    # Other rules report a plain value in place of a node or an edge.
    wrong = {
        "nodes": isinstance(stated, list) or any(isinstance(one, list) and one for one in by_key.values()),
        "edges": isinstance(members.get("edges"), dict | Ref),
    }
    for member, is_wrong in wrong.items():
        if members.get(member) is None or is_wrong:
            inference.add(scenario, "malformedMember", literal_of(member))
    nodes = {inference.reader.map_key(node): node for node in _nodes_of(inference, scenario)}
    keys = frozenset(by_key) or frozenset(nodes)
    if any(one is None or one == [] for one in by_key.values()):
        inference.add(scenario, "nullIn", literal_of("nodes"))
    _entry(inference, scenario, nodes, keys)
    for edge in inference.parts(scenario, KARENINA + "edges", "Edge"):
        _edge(inference, edge, nodes, keys)
    criteria = inference.parts(scenario, KARENINA + "outcomeCriteria", "Criterion")
    inference.add_repeats((one, inference.scalar_of(one, SCHEMA + "name")) for one in criteria)


def _nodes_of(inference: Inference, scenario: Node) -> list[Node]:
    """Return the nodes of a scenario; nothing is inferred from the members of a node without its type."""
    kind = URIRef(KARENINA + "ScenarioNode")
    nodes = [one for one in inference.terms(scenario, KARENINA + "nodes") if one in inference.index]
    for node in nodes:
        inference.add_class(node, "NodeObject")
        if kind not in inference.terms(node, RDF_TYPE):
            inference.add_class(node, "UntypedNode")
            continue
        inference.assign([node], "Node")
        inference.add(node, "key", literal_of(inference.reader.map_key(node)))
        infer_questions(inference, inference.parts(node, KARENINA + "question", "ScenarioQuestion"))
    return nodes


def _entry(inference: Inference, scenario: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
    """Infer the entry node of a scenario."""
    entry = inference.scalar_of(scenario, KARENINA + "entryNode")
    if not keys:
        if inference.reader.shallow(scenario).get("nodes") == {}:
            inference.add(scenario, "hasNoNodes", literal_of(True))
    elif not isinstance(entry, str) or not entry:
        return
    elif entry not in keys:
        inference.add(scenario, "unresolvedEntryNode", literal_of(entry))
    elif entry in nodes:
        inference.add_class(nodes[entry], "EntryNode")
        for node in nodes.values():
            inference.add_class(node, "EnterableNode")


def _edge(inference: Inference, edge: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
    """Infer which nodes an edge links."""
    ends: dict[str, Node] = {}
    for name in ("source", "target"):
        end = inference.scalar_of(edge, KARENINA + name)
        if not isinstance(end, str):
            continue
        if end in nodes:
            ends[name] = nodes[end]
        elif keys and end not in keys and not (name == "target" and end == END):
            inference.add(edge, f"unresolved{name.capitalize()}", literal_of(end))
    if len(ends) == 2:
        inference.add(ends["source"], "leadsTo", ends["target"])
