"""Members that nobody knows, in every object of a document of every dialect: each is kept, or reported as a loss."""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark
from tests.dialects import HTTPS, dataset, element, feed, prop, question, rating, state

Path_ = tuple[str | int, ...]

MARK = "mark"
CODE = "class Answer(BaseAnswer):\n    x: str\n"
REFUSED: set[Path_] = {("checkpoint",)}
"""Where any member is a question."""
WRITABLE = ("datafeed-ns-v3", "v2.0", "gui-datafeed", "dataset-1")

LLM = {"name": "clear", "description": "d", "kind": "score", "min_score": 1, "max_score": 5, "higher_is_better": True}
REGEX = {"name": "cites", "pattern": "a", "case_sensitive": True, "invert_result": False, "higher_is_better": True}
SCALE = {"traits": [{"name": "deep", "description": "e", "scale": [1, 2, 3]}]}
QUESTION = {
    "question": "What?",
    "raw_answer": "this",
    "answer_template": CODE,
    "last_modified": "2025-01-01T00:00:00Z",
    "finished": True,
    "few_shot_examples": [{"question": "a", "answer": "b"}],
    "custom_metadata": {"k": {"deep": 1}},
    "author": {"@type": "Person", "name": "x"},
    "sources": [{"@type": "CreativeWork", "name": "s"}],
}
METADATA = {"name": "n", "creator": {"@type": "Person", "name": "me"}, "custom_properties": {"p": {"q": 1}}}

DOCUMENTS: dict[str, dict[str, Any]] = {
    "v2.0": state(
        {**QUESTION, "question_rubric": {"llm_traits": [{**LLM, "name": "own"}], "regex_traits": []}},
        global_rubric={"llm_traits": [LLM], "regex_traits": [REGEX]},
        dataset_metadata=METADATA,
    ),
    "v2.0-traits-key": state({**QUESTION, "question_rubric": {"traits": [LLM]}}, global_rubric={"traits": [LLM]}),
    "v2.0-other": {
        "version": "2.0",
        "questions": [{"id": "q1", "question": "Which?", "category": "c", "isFinished": True, "rubric": SCALE}],
        "templates": {"q1": {"template": CODE}},
        "globalRubric": SCALE,
    },
}

MEMBERS: tuple[tuple[str, Any], ...] = (
    *((name, MARK) for name in ("note", "@note", "@direction", "@json", "@value", "@list", "@graph", "@index", "@id")),
    ("@type", MARK),
    ("x_v2", MARK),
    ("x_v2", {"@id": {"a": MARK}}),
    ("extra", {"@note": MARK}),
    ("extra", {"@list": [MARK]}),
    ("extra", [{"@value": {"a": MARK}}]),
    ("extra", {"@context": {"a": MARK}}),
)


def objects(value: Any, place: Path_ = ()) -> Iterator[Path_]:
    """Yield the places of all objects."""
    if isinstance(value, dict):
        yield place
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(one, (*place, key))


def marked(document: dict[str, Any], name: str, value: Any, but: Collection[Path_]) -> tuple[dict[str, Any], list[str]]:
    """Return a document with one more member in every object that lacks it, each with a mark of its own; the marks."""
    changed = copy.deepcopy(document)
    marks = []
    for place in [one for one in objects(document) if one not in but]:
        inner: Any = changed
        for step in place:
            inner = inner[step]
        if name not in inner:
            marks.append("/".join(map(str, (MARK, *place, "."))))
            inner[name] = json.loads(json.dumps(value).replace(MARK, marks[-1]))
    return changed, marks


def read(data: str | bytes, **options: Any) -> Benchmark:
    return Benchmark.load(BytesIO(data if isinstance(data, bytes) else data.encode()), **options)


def missing(marks: list[str], benchmark: Benchmark) -> list[str]:
    text = json.dumps(benchmark.to_jsonld("plain"))
    return [mark for mark in marks if mark not in text]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), MEMBERS, ids=[f"{name}={value}" for name, value in MEMBERS])
@pytest.mark.parametrize("dialect", DOCUMENTS)
def test_no_member_vanishes_without_a_word(dialect: str, name: str, value: Any, tmp_path: Path) -> None:
    document = DOCUMENTS[dialect]
    but = REFUSED | ({()} if name == "@type" else set())
    changed, marks = marked(document, name, value, but)
    benchmark = read(json.dumps(changed))

    assert len(marks) >= 5
    assert len(benchmark) == len(read(json.dumps(document)))
    assert missing(marks, benchmark) == []
    for context in ("improved", "plain"):
        assert read(json.dumps(benchmark.to_jsonld(context))) == benchmark
    assert read(benchmark.to_ntriples(), syntax="nt").to_jsonld("plain") == benchmark.to_jsonld("plain")

    for written in WRITABLE:
        losses = benchmark.save(tmp_path / "out.json", dialect=written)
        again = read((tmp_path / "out.json").read_bytes())
        assert len(again) == len(benchmark)
        assert len(missing(marks, again)) <= len(losses), written

    edited = benchmark.clone()
    edited.add_question("Really new?", "yes")
    edited.save(tmp_path / "out.json", dialect="datafeed-ns-v3")
    again = read((tmp_path / "out.json").read_bytes())
    assert len(again) == len(benchmark) + 1
    assert missing(marks, again) == []


ELEMENT = element(
    item=question(
        hasPart={"@type": "SoftwareSourceCode", "name": "t", "text": CODE, "programmingLanguage": "Python"},
        rating=[rating("deep", "QuestionSpecificRubricTrait", additionalProperty=[prop("kind", "boolean")])],
        additionalProperty=[prop("finished", True), prop("custom_a", {"deep": 1})],
    )
)
JSON_LD: dict[str, dict[str, Any]] = {
    "datafeed-legacy": feed(dataFeedElement=[ELEMENT], rating=[rating()], creator={"@type": "Person", "name": "me"}),
    "datafeed-ns-v3": feed(**{"@context": HTTPS}, dataFeedElement=[ELEMENT], additionalProperty=[prop("own", 1)]),
    "gui-datafeed": feed(dataFeedElement=[ELEMENT], additionalProperty=[prop("conversion_metadata", "{}")]),
    "dataset-1": dataset(hasPart=[ELEMENT], rating=[rating()]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["note", "@note", "@json", "@comment", "@list", "@set"])
@pytest.mark.parametrize("dialect", JSON_LD)
def test_no_member_of_json_ld_takes_a_question_with_it(dialect: str, name: str, tmp_path: Path) -> None:
    contexts = {place for place in objects(JSON_LD[dialect]) if "@context" in place}
    changed, marks = marked(JSON_LD[dialect], name, MARK, contexts)
    benchmark = read(json.dumps(changed))
    assert len(benchmark) == 1
    assert missing(marks, benchmark) == []
    for context in ("improved", "plain"):
        assert read(json.dumps(benchmark.to_jsonld(context))) == benchmark
    assert read(benchmark.to_ntriples(), syntax="nt").to_jsonld("plain") == benchmark.to_jsonld("plain")
    for written in WRITABLE:
        losses = benchmark.save(tmp_path / "out.json", dialect=written)
        again = read((tmp_path / "out.json").read_bytes())
        assert len(again) == 1
        assert len(missing(marks, again)) <= len(losses), written
