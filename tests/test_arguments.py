"""Arguments of public functions: wrong types are refused by an error of ours, and damage nothing."""

import inspect
import io
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from rdflib import Graph

import checkpoint_ld
from checkpoint_ld import (
    Benchmark,
    CheckpointLdError,
    Retention,
    SettingsError,
    WriteError,
    WrongTypeError,
    shacl,
)
from checkpoint_ld.entities import Question, RegexRubricTrait, Rubric
from tests.trials import ALL, CI

CLASSIC = "class Answer(BaseAnswer):\n    metal: str\n\n    def verify(self):\n        return self.metal == 'Zn'\n"
WRONG: tuple[Any, ...] = (
    *(None, 5, True, 2.5, float("nan"), "nope", "\ud800", b"x", [], {}, [5], ["\ud800"], {5: 5}, {"a": object()}),
    *(object(), Benchmark, {1, 2}, date(2026, 1, 1), io.StringIO("x"), io.BytesIO(b"x"), Graph()),
)
SETTABLE = ("id", "name", "description", "version", "creator", "created_at", "modified_at")


PLAIN = (CheckpointLdError, TypeError, ValueError, AttributeError, LookupError)


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
def test_a_wrong_type_damages_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
            except PLAIN:
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


MISTAKES: list[tuple[Callable[[], object], str]] = [
    (lambda: checkpoint_ld.load(None), "NoneType is no source: give a path, bytes or an open binary file"),  # type: ignore[arg-type]
    (lambda: checkpoint_ld.load(io.StringIO("{}")), "StringIO is no source: give a path"),  # type: ignore[arg-type]
    (lambda: made().add_answer_template("a", 5), "the template is 5: give "),  # type: ignore[arg-type]
    (lambda: made().mark_finished_batch("a"), "the identifiers are the text 'a': give a list of them"),
    (lambda: Benchmark.create(5), "the name 5 is no text: give a text"),  # type: ignore[arg-type]
    (lambda: Benchmark("n", version=[]), r"the version \[\] is no text: give a text"),  # type: ignore[arg-type]
    (lambda: checkpoint_ld.semantic_diff("a.jsonld", MADE), r"give checkpoint_ld\.load\('a.jsonld'\)"),  # type: ignore[arg-type]
    (lambda: shacl.validate("data.ttl"), r"a str is no graph: give one of rdflib, such as Graph\(\).parse\(file\)"),  # type: ignore[arg-type]
    (lambda: Retention(keep_last=1, keep="ckpt_1"), "keep is the text 'ckpt_1': give a set"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "words"), MISTAKES)
def test_a_likely_mistake_is_answered_by_a_sentence(call: Callable[[], object], words: str) -> None:
    with pytest.raises(CheckpointLdError, match=words):
        call()


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
