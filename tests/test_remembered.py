"""What a graph remembers of its tree is what it says, and is forgotten as soon as the graph says something else."""

from __future__ import annotations

import copy
import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Literal, URIRef

from checkpoint_ld import Benchmark, reading, shortcuts
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.graph import building, checkpoint_graph, contexts
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from checkpoint_ld.vocabulary import SCHEMA
from tests.corpus import DIALECTS, expectations
from tests.documents import canonical, item, rating, rich, setting
from tests.test_compiled import damaged
from tests.test_graph import JSON, documents, without_contexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Json = Any

ELEMENT = "urn:uuid:question-metal-1"
LICENCE = URIRef(SCHEMA + "license")


def by_the_index(graph: CheckpointGraph, node: URIRef) -> None:
    graph.index[node][LICENCE] = Literal("CC0")
    graph.touch()


EDITS: dict[str, Callable[[CheckpointGraph, URIRef], object]] = {
    "append": lambda graph, _: graph.append(graph.root, "dataFeedElement", item("New?", "urn:q:new")),
    "replace": lambda graph, node: graph.replace(node, "dateCreated", "2000-01-01T00:00:00"),
    "discard": lambda graph, node: graph.discard(graph.root, "dataFeedElement", node),
    "set_plain": lambda graph, node: graph.set_plain(node, "dateCreated", "2000-01-01T00:00:00"),
    "set_plain below": lambda graph, node: graph.set_plain(graph.member(node, "item")[0], "text", "Other?"),
    "add": lambda graph, node: graph.add((node, LICENCE, Literal("CC0"))),
    "remove": lambda graph, node: graph.remove((node, URIRef(SCHEMA + "dateCreated"), None)),
    "update": lambda graph, node: graph.update(f"INSERT DATA {{ <{node}> <{LICENCE}> 'CC0' }}"),
    "index": by_the_index,
    "parse": lambda graph, node: graph.parse(data=f'<{node}> <{LICENCE}> "CC0" .', format="nt"),
}


def remembering(tree: Json) -> CheckpointGraph:
    return CheckpointGraph.of_tree(tree, remembered=True)


def agrees(tree: Json) -> int:
    """Hold a graph that remembers against one that does not; return how many elements the former knows."""
    graph, other = remembering(tree), CheckpointGraph.of_tree(copy.deepcopy(tree))
    members = other.member(other.root, "dataFeedElement")
    assert graph.member(graph.root, "dataFeedElement") == members
    nodes = [one for one in members if one in other.held]
    for node in nodes:
        told = other.object(node)
        assert same(without_contexts(graph.lent(node)), without_contexts(told))
        for key in ("@id", "@type", "dateCreated", "keywords", "text", *told):
            assert same(graph.plain(node, key), other.plain(node, key))
    known = [one for one in tree.get("dataFeedElement") or () if any(one is graph.lent(node) for node in nodes)]
    return len(known)


@settings(max_examples=150)
@given(documents())
def test_what_is_remembered_is_what_the_graph_says(tree: Json) -> None:
    agrees(tree)


@settings(max_examples=150)
@given(damaged())
def test_what_is_remembered_of_damaged_documents_is_what_the_graph_says(tree: Json) -> None:
    try:
        CheckpointGraph.of_tree(copy.deepcopy(tree))
    except CheckpointLdError:
        return
    agrees(tree)


def test_every_file_is_remembered_as_its_graph_says(corpus: Path) -> None:
    files = [corpus / case["file"] for dialect in DIALECTS for case in expectations(corpus, dialect)]
    trees = [reading.examine(path, checked=False).tree for path in files]
    counts = [(agrees(tree), len(tree.get("dataFeedElement") or ())) for tree in trees]
    assert sum(known for known, _ in counts) > sum(every for _, every in counts) * 0.9


@pytest.mark.parametrize("tree", [canonical(), rich(), canonical(item(identifier=None), item("Other?"))])
def test_elements_of_usual_documents_are_remembered(tree: Json) -> None:
    assert agrees(tree) == len(tree["dataFeedElement"])


@pytest.mark.parametrize(
    "elements",
    [
        [item(), item()],
        [item(identifier='a "b" c'), item("Other?", "a/../b"), item("More?", None)],
        [{**item(), "@id": None}],
    ],
)
def test_odd_identifiers_are_remembered_too(elements: Json) -> None:
    assert agrees(canonical(*elements)) == len(elements)


@pytest.mark.parametrize(
    "elements",
    [
        [item(), {"@id": ELEMENT}],
        [item(), {"@id": "urn:nowhere"}],
        [item(), {}],
        [item(), "text"],
        [item(), [item("Other?", None)]],
        item(),
        [],
        None,
    ],
)
def test_where_there_is_doubt_the_statements_tell(elements: Json) -> None:
    assert agrees({**canonical(), "dataFeedElement": elements}) == 0


def test_a_context_may_mean_something_else_by_the_elements() -> None:
    tree = {**canonical(item("Other?", None)), "x": [item("Really?", None)]}
    tree["@context"] = {**contexts.plain(), "dataFeedElement": "urn:x:other", "x": SCHEMA + "dataFeedElement"}
    agrees(tree)


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_the_first_change_makes_a_graph_forget(edit: Callable[[CheckpointGraph, URIRef], object]) -> None:
    tree = canonical(item(), item("Other?", "urn:q:2"))
    before = copy.deepcopy(tree)
    graph, other = remembering(tree), CheckpointGraph.of_tree(copy.deepcopy(tree))
    node = URIRef(ELEMENT)
    assert graph.lent(node) is tree["dataFeedElement"][0]
    edit(graph, node)
    edit(other, node)
    assert graph.member(graph.root, "dataFeedElement") == other.member(other.root, "dataFeedElement")
    for one in graph.member(graph.root, "dataFeedElement"):
        assert all(graph.lent(one) is not element for element in tree["dataFeedElement"])
        assert same(graph.lent(one), other.object(one))
    assert tree == before


def test_an_edit_that_fails_makes_a_graph_forget() -> None:
    tree = canonical()
    graph = remembering(tree)
    with pytest.raises((TypeError, ValueError)):
        graph.replace(URIRef(ELEMENT), "dateCreated", object())
    assert graph.lent(URIRef(ELEMENT)) is not tree["dataFeedElement"][0]


def test_a_copy_remembers_until_it_is_changed() -> None:
    tree = canonical()
    graph = remembering(tree)
    first, second = graph.copy(), copy.deepcopy(graph)
    first.set_plain(URIRef(ELEMENT), "dateCreated", "2000-01-01T00:00:00")
    third = first.copy()
    assert [one.lent(URIRef(ELEMENT)) is tree["dataFeedElement"][0] for one in (graph, first, second, third)] == [
        *(True, False, True, False)
    ]
    assert third.lent(URIRef(ELEMENT))["dateCreated"] == "2000-01-01T00:00:00"


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortcuts, "is_taken", lambda _: False)
    tree = canonical()
    assert remembering(tree).lent(URIRef(ELEMENT)) is not tree["dataFeedElement"][0]


def test_nothing_is_remembered_of_a_tree_that_a_program_made() -> None:
    tree = canonical()
    tree["dataFeedElement"][0]["item"]["keywords"] = ("a", "b")
    assert CheckpointGraph.of_tree(tree).lent(URIRef(ELEMENT))["item"]["keywords"] == ["a", "b"]


@settings(max_examples=60)
@given(tree=documents(), value=JSON.filter(lambda one: one is not None), at=st.integers(0, 3))
def test_a_benchmark_says_the_same_of_its_questions_before_and_after_an_edit(tree: Json, value: Json, at: int) -> None:
    remembers = Benchmark.of_reading(reading.Reading(tree, "datafeed-ns-v3", "json", None, ()))
    other = Benchmark.of_reading(reading.Reading(copy.deepcopy(tree), "datafeed-ns-v3", "json", None, ()))
    other.graph.touch()
    for _ in range(2):
        ids = other.get_question_ids()
        assert remembers.get_question_ids() == ids
        assert outcome(lambda: list(remembers.questions)) == outcome(lambda: list(other.questions))
        assert outcome(remembers.get_all_questions) == outcome(other.get_all_questions)
        for benchmark in (remembers, other):
            graph = benchmark.graph
            node = (graph.member(graph.root, "dataFeedElement") or [graph.root])[0]
            key = ("description", "additionalProperty", "keywords", "rating")[at]
            graph.replace((graph.member(node, "item") or [node])[0], key, value)


@pytest.mark.filterwarnings("ignore::checkpoint_ld.errors.FindingsWarning")
def test_a_benchmark_that_was_validated_is_built_once_and_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    def counted(tree: Json) -> Any:
        built.append(tree)
        return building.built(tree)

    monkeypatch.setattr(checkpoint_graph, "built", counted)
    trees = [canonical(item(), item()), rich(), canonical({**item(), "dateCreated": "yesterday"})]
    for tree in trees:
        data = json.dumps(tree).encode()
        plain = Benchmark.load(data)
        built.clear()
        validated = Benchmark.load(data, validate="warn")
        assert len(built) <= 1
        assert validated == plain
        assert list(validated.questions) == list(plain.questions)
        assert validated.to_jsonld() == plain.to_jsonld()


def everything(benchmark: Benchmark) -> Any:
    """Return all that a benchmark says of its questions, by every way that there is."""
    ids = benchmark.get_question_ids()
    return [
        benchmark.get_all_questions_as_objects(),
        benchmark.get_all_questions(),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_properties, benchmark.get_question_metadata)),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_rubric, benchmark.get_registry_entry)),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_author, benchmark.get_question_sources)),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_dynamic_rubric, benchmark.get_question)),
        benchmark.get_finished_templates(),
        benchmark.to_dict(),
        benchmark.to_records(),
    ]


def containers(value: Any) -> Iterator[Any]:
    """Yield all lists and objects in what a benchmark says, those in entities too."""
    if isinstance(value, Entity) or is_dataclass(value):
        value = (
            vars(value) if isinstance(value, Entity) else {one.name: getattr(value, one.name) for one in fields(value)}
        )
    if isinstance(value, (dict, list, tuple)):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from containers(one)


def test_what_users_get_is_theirs_alone() -> None:
    tree = rich()
    held = {"a": [{"b": 1}], "c": {}}
    values = {"author": held, "sources": [held, held], "few_shot_examples": [held], "custom_a": held}
    for one in tree["dataFeedElement"]:
        for name, value in {**values, "custom_b": [[1], held], "other": held}.items():
            one["item"]["additionalProperty"].append(setting(name, copy.deepcopy(value)))
        form = {"type": "template", "schema": {"properties": {"a": {"type": "string"}}}}
        trait = {**rating("form", kind=form), "additionalType": "karenina:QuestionSpecificLLMRubricTrait"}
        one["item"].setdefault("rating", []).append(trait)
    before = copy.deepcopy(tree)
    benchmark = Benchmark.of_reading(reading.Reading(tree, "datafeed-ns-v3", "json", None, ()))
    first = benchmark.graph.member(benchmark.graph.root, "dataFeedElement")[0]
    assert benchmark.graph.lent(first) is tree["dataFeedElement"][0]
    said = everything(benchmark)
    expected = repr(said)
    shared = {id(one) for one in containers(tree)}
    found = list(containers(said))
    assert len(found) > 200
    assert not [one for one in found if id(one) in shared]
    for one in found:
        if not isinstance(one, tuple):
            one.clear()
    assert tree == before
    assert repr(everything(benchmark)) == expected


def outcome(ask: Callable[[], Any]) -> tuple[str, Any]:
    """Return what is said, told apart to the types of values, or which error is raised."""
    try:
        return "said", repr(ask())
    except (CheckpointLdError, ValueError) as error:
        return type(error).__name__, str(error)
