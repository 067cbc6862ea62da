"""Arguments of public functions: wrong types are refused by an error of ours, and damage nothing."""

import inspect
import io
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pyoxigraph
import pytest
from pydantic import ValidationError
from rdflib import Graph

import checkpoint_ld
from checkpoint_ld import (
    AgentCheckpoint,
    Benchmark,
    Checkpointer,
    CheckpointLdError,
    CheckpointManager,
    Clock,
    Collection,
    DatabaseStore,
    FileStore,
    Filter,
    GraphStore,
    Policy,
    Retention,
    RuntimeState,
    SettingsError,
    WriteError,
    WrongTypeError,
    assessment,
    detect_shape,
    diff_checkpoints,
    entities,
    plots,
    shacl,
    sparql,
    templates,
)
from checkpoint_ld.checkpointing import upgrade
from checkpoint_ld.entities import Question, RegexRubricTrait, Rubric
from tests.trials import ALL, CI

CLASSIC = "class Answer(BaseAnswer):\n    metal: str\n\n    def verify(self):\n        return self.metal == 'Zn'\n"
WRONG: tuple[Any, ...] = (
    *(None, 5, True, 2.5, float("nan"), "nope", "\ud800", b"x", [], {}, [5], ["\ud800"], {5: 5}, {"a": object()}),
    *(object(), Benchmark, {1, 2}, date(2026, 1, 1), io.StringIO("x"), io.BytesIO(b"x"), Graph()),
)
SETTABLE = ("id", "name", "description", "version", "creator", "created_at", "modified_at")


def every_other(values: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    """Return the values for the parameter with that number: all of them, or half where not everything is tried."""
    return values if ALL and not CI else values[at % 2 :: 2]


OTHERS = {
    "set_metadata": SETTABLE,
    "update_question_metadata": (*Question.model_fields, "finished"),
    "add_question_from_object": ("author", "keywords", "question_id", "finished"),
    "query": ("value",),
    "filter_by_custom_metadata": ("level",),
}


def made() -> Benchmark:
    benchmark = Benchmark("Metals")
    benchmark.add_question("Which metal is lightest?", "Lithium", CLASSIC, question_id="a")
    benchmark.add_global_rubric_trait(RegexRubricTrait(name="r", description="d", pattern="x"))
    benchmark.set_custom_property("p", 1)
    return benchmark


MADE = made()


def usual(name: str, folder: Path) -> Any:
    """Return a value for a parameter that is not the one in question."""
    known: dict[str, Any] = {
        "question_obj": Question(question="What?", raw_answer="That."),
        "trait": RegexRubricTrait(name="z", description="d", pattern="x"),
        "rubric": Rubric(),
        "template_code": CLASSIC,
        "query": "ASK {}",
        "properties": {},
        "questions_data": [],
        "question_ids": [],
        **dict.fromkeys(("dynamic_rubric", "author", "sources")),
        **dict.fromkeys(("question_id", "from_id", "to_id"), "a"),
        **{name: str(folder / name) for name in ("path", "file_path")},
    }
    return known.get(name, "p")


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def public(kind: type) -> Iterator[str]:
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        if not name.startswith("_") and inspect.isfunction(getattr(member, "__func__", member)):
            yield name


@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in public(Benchmark) if parameters(getattr(MADE, one))])
def test_a_wrong_type_gives_an_error_of_ours_and_damages_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a text is a path, too
    known = parameters(getattr(MADE, name))
    required = [one.name for one in known if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    named = [one.name for one in known if one.kind is not one.VAR_KEYWORD]
    benchmark = made()
    before = benchmark.to_ntriples()
    for at, parameter in enumerate((*named, *OTHERS.get(name, ()))):
        for value in every_other(WRONG, at):
            arguments = {one: usual(one, tmp_path) for one in required} | {parameter: value}
            try:
                getattr(benchmark, name)(**arguments)
            except CheckpointLdError:
                assert benchmark.to_ntriples() == before, (parameter, value)
            else:
                benchmark.save(tmp_path / "c.jsonld")
                assert Benchmark.load(tmp_path / "c.jsonld") == benchmark, (parameter, value)
                benchmark = made()
                before = benchmark.to_ntriples()


@pytest.mark.parametrize("name", SETTABLE)
def test_a_property_takes_no_wrong_type(name: str) -> None:
    for value in (5, True, b"x", [5], object()):
        benchmark = made()
        with pytest.raises((WrongTypeError, WriteError)):
            setattr(benchmark, name, value)
        benchmark.to_ntriples()


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *((checkpoint_ld.load, (source,), {}) for source in (None, io.StringIO("{}"))),
    (checkpoint_ld.load, (b"{}",), {"strict": "no"}),
    (checkpoint_ld.validate, (5,), {}),
    (checkpoint_ld.validate, (), {"shapes": [5]}),
    (checkpoint_ld.read_header, (None,), {}),
    (checkpoint_ld.judge_schema, (None,), {}),
    (checkpoint_ld.json_schema, (5,), {}),
    *((checkpoint_ld.semantic_diff, (MADE, other), {}) for other in (5, Benchmark)),
    (checkpoint_ld.extract_questions_from_file, (None, "q", "a"), {}),
    (checkpoint_ld.validate(MADE.to_ntriples().encode()).at_least, ("warning",), {}),
    (Benchmark.load, (None,), {}),
    *((Benchmark.create, (name,), {}) for name in (5, True)),
    (Benchmark, ("n",), {"version": []}),
    (MADE.save, (None,), {}),
    (MADE.query, ("ASK {}",), {"timeout": "x"}),
    (Collection.open, (5,), {}),
    *((checkpoint_ld.shapes_graph, (), {"profile": profile}) for profile in (1, 1.5, b"x", None)),
]


@pytest.mark.parametrize(("function", "given", "named"), CALLS)
def test_the_error_names_the_function_the_argument_and_what_to_give(
    function: Callable[..., object], given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    with pytest.raises(WrongTypeError, match=rf"^{function.__name__}\(\): \w+ is .*: give \w+") as refused:
        function(*given, **named)
    assert isinstance(refused.value, TypeError)
    assert isinstance(refused.value, ValueError)


def test_a_context_that_there_is_not_is_refused(tmp_path: Path) -> None:
    for call in (made().to_jsonld, lambda context: made().save(tmp_path / "a.json", context=context)):
        with pytest.raises(SettingsError, match='no context "nope"; use one of improved, plain'):
            call("nope")
    assert list(tmp_path.iterdir()) == []


def test_what_json_cannot_hold_is_refused_at_once() -> None:
    for call in (
        lambda: Benchmark.create("\ud800"),
        lambda: Benchmark("n", "\udc00"),
        lambda: Benchmark("n", creator={"@type": "Person", "name": "\ud800"}),
        lambda: made().update_question_metadata("a", question="\ud800"),
        lambda: made().update_question_metadata("a", keywords=["\ud800"]),
        lambda: made().update_question_metadata("a", date_modified="\ud800"),
    ):
        with pytest.raises(WriteError, match=r"surrogate|unicode"):
            call()


def test_a_value_that_may_be_a_secret_is_not_repeated() -> None:
    with pytest.raises(WrongTypeError) as refused:
        made().add_question("What?", "That.", author=["secret"])  # type: ignore[arg-type]
    assert "secret" not in str(refused.value)


AGENT_WRONG = (*WRONG, 10**30, -1, "", "a\0b", {"\ud800": 1}, RuntimeState)


def answered_by_us(
    door: str, function: Callable[..., Any], known: dict[str, Any], ours: tuple[type[Exception], ...]
) -> Iterator[str]:
    """Call a function with each wrong value for each parameter; yield the name of each that raised nothing foreign."""
    takes = [one for one in parameters(function) if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    for at, parameter in enumerate(takes):
        for value in every_other(AGENT_WRONG, at):
            given = {
                one.name: value if one is parameter else known.get(one.name, "text")
                for one in takes
                if one is parameter or one.default is one.empty
            }
            bare = [given.pop(one.name) for one in takes if one.kind is one.POSITIONAL_ONLY and one.name in given]
            try:
                found = function(*bare, **given)
                if inspect.isgenerator(found):
                    list(found)
            except ours:
                pass
            except Exception as error:  # noqa: BLE001 - whatever it is, it is reported with the call that led to it
                pytest.fail(f"{door}({parameter.name}={value!r:.40}): {error!a}")
            yield parameter.name


def agent_objects(folder: Path) -> dict[str, Any]:
    """Return the objects that somebody who keeps agents' checkpoints has to do with, by names for messages."""
    state = RuntimeState("agent")
    state.thought_chain.add("reasoning", "x", id="t")
    state.tool_state.start("tool", {}, id="c")
    manager = CheckpointManager(folder / "files", folder / "agents.db", folder / "graphs")
    saved = manager.save(state)
    return {
        "state": state,
        "chain": state.thought_chain,
        "tools": state.tool_state,
        "context": state.context,
        "history": state.context.history,
        "progress": state.progress,
        "manager": manager,
        "checkpointer": Checkpointer(state, manager, Policy(triggers=frozenset())),
        "checkpoint": saved.checkpoint,
        **dict(manager.store.stores.items()),
    }


OF_CONTAINERS = {"index", "count", "tree", "but", "of_reading"}
"""What Python's own classes promise, and what is no door of users."""


def agent_doors(objects: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, one in objects.items():
        for method in sorted(vars(type(one)).keys() - OF_CONTAINERS):
            if not method.startswith(("_", "model_")) and callable(getattr(one, method)):
                yield f"{name}.{method}", getattr(one, method)
    for made in (RuntimeState, Policy, Retention, Filter, Clock, Checkpointer, CheckpointManager):
        yield made.__name__, made
    for store in (FileStore, DatabaseStore, GraphStore):
        yield store.__name__, store
    for function in (diff_checkpoints, detect_shape, upgrade, AgentCheckpoint.load):
        yield function.__name__, function


@pytest.mark.slow
def test_no_argument_of_agents_is_answered_by_a_foreign_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each parameter of each door takes each wrong value once; what is no error of ours fails the test."""
    monkeypatch.chdir(tmp_path)
    objects = agent_objects(tmp_path)
    checkpoint = objects["checkpoint"]
    known = {
        **dict.fromkeys(("id", "checkpoint_id", "source", "before", "after", "thought_id"), checkpoint.id),
        **dict.fromkeys(("to", "path", "url", "directory", "collection"), "x.json"),
        "state": objects["state"],
        "manager": objects["manager"],
        "checkpoint": checkpoint,
        "args": {},
        "values": [],
        "retention": Retention(keep_last=9),
        "tree": checkpoint.tree(),
        "steps": 1,
        "n": 1,
        "handler": lambda _: None,
    }
    calls = 0
    for door, function in agent_doors(objects):
        for _ in answered_by_us(door, function, known, (CheckpointLdError,)):
            calls += 1
            for made in (Path("x.json"), Path("nope")):
                made.unlink(missing_ok=True) if made.is_file() else None
    assert calls > 1500


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda of: of.get(5), r"get\(\): id is 5 \(of type int\): give str"),
        (lambda of: of.list(limit="5"), "limit is '5' .*: give int | None"),
        (lambda of: of.list(since=True), "since is True"),
        (lambda of: of.save("state"), "state is 'state' .*: give RuntimeState"),
        (lambda of: of.prune({"keep_last": 1}), "retention is of type dict .*: give Retention"),
        (lambda _: Retention(keep_last="x"), "keep_last is 'x'"),  # type: ignore[arg-type]
        (lambda _: Retention(keep_last=1, keep="ckpt_1"), "keep is 'ckpt_1'"),  # type: ignore[arg-type]
        (lambda _: Retention(max_age=5), "max_age is 5 .*: give timedelta"),  # type: ignore[arg-type]
        (lambda _: Policy(every_thoughts=1.5), "every_thoughts is 1.5"),  # type: ignore[arg-type]
        (lambda _: RuntimeState(5), "agent_id is 5"),  # type: ignore[arg-type]
        (lambda of: Checkpointer("state", of), "state is 'state'"),  # type: ignore[arg-type]
        (lambda _: AgentCheckpoint.load(None), "source is None"),  # type: ignore[arg-type]
    ],
)
def test_agents_programs_learn_what_type_is_wanted(tmp_path: Path, call: Callable[[Any], Any], words: str) -> None:
    with CheckpointManager(tmp_path) as manager, pytest.raises(WrongTypeError, match=words):
        call(manager)


@pytest.mark.slow
@pytest.mark.parametrize("package", [checkpoint_ld, assessment, entities, plots, shacl, sparql, templates])
def test_no_function_of_a_package_lets_a_foreign_error_out(
    package: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {
        **dict.fromkeys(("benchmark", "base", "ours", "theirs", "before", "after", "other"), MADE),
        **dict.fromkeys(("data_graph", "shapes_graph"), Graph()),
        "data": shacl.DataGraph({}),
        "shapes": shacl.compile_shapes(Graph()),
        "store": pyoxigraph.Store(),
        "template": templates.read_template(CLASSIC),
        "text": "ASK {}",
        "primitive": entities.ExactMatch(),
        "normalizer": "lowercase",
        "node": entities.FieldCheck(field="x"),
        "evaluate_leaf": bool,
        "global_rubric": Rubric(),
        "question_rubric": Rubric(),
    }
    for function in filter(inspect.isfunction, (getattr(package, name) for name in package.__all__)):
        for _ in answered_by_us(function.__name__, function, known, (CheckpointLdError, ValidationError)):
            pass


def test_functions_for_templates_and_graphs_state_what_they_take() -> None:
    for function in (templates.spec_of, templates.validate_spec, templates.source_of):
        with pytest.raises(WrongTypeError, match=rf"{function.__name__}\(\): \w+ is .*: give Template"):
            function("class Answer: ...")  # type: ignore[arg-type] # what is refused
    with pytest.raises(WrongTypeError, match=r"^\w+\(\): \w+ is 5 .*: give str"):
        checkpoint_ld.verify(5, {})  # type: ignore[arg-type] # as above
    with pytest.raises(WrongTypeError, match=r"^semantic_diff\(\): before is 'a.jsonld' .*: give Benchmark"):
        checkpoint_ld.semantic_diff("a.jsonld", "b.jsonld")  # type: ignore[arg-type] # as above
    with pytest.raises(WrongTypeError, match=r"a str is no graph: give one of rdflib, such as Graph\(\).parse\(file\)"):
        shacl.validate("data.ttl")  # type: ignore[arg-type] # what is refused
