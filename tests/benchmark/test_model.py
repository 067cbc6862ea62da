"""Edits of a benchmark against a plain model, saved and read again after every step."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.entities import Organization
from checkpoint_ld.identifiers import unique_question_id
from checkpoint_ld.mapping.questions import default_template
from tests.benchmark.editing import load, plain_item, strange
from tests.documents import Json, canonical, item
from tests.mapping import json_values, texts
from tests.trials import examples

Edit = tuple[str, dict[str, Json]]

MEMBERS = ("question", "raw_answer", "answer_template", "keywords", "few_shot_examples", "answer_notes")
VIEW = (*MEMBERS, "workspace_path", "author", "sources", "custom_metadata", "finished")
TEXT = "What is 2+2?"
ACME = Organization(name="ACME", url="https://acme.example")


@dataclass
class Model:
    """What a benchmark holds, as plain values: members of questions by identifier, in their order."""

    questions: dict[str, Json]
    metadata: Json
    properties: Json
    unknown: Json = field(default_factory=dict)

    @classmethod
    def of(cls, benchmark: Benchmark) -> Model:
        shown = {one["id"]: {name: one[name] for name in VIEW} for one in benchmark.get_all_questions()}
        metadata = {name: getattr(benchmark, name) for name in ("name", "description", "version", "creator", "id")}
        return cls(shown, metadata, benchmark.get_all_custom_properties(), dict(_unknown(benchmark)))

    def target(self, at: int) -> str:
        return list(self.questions)[at % len(self.questions)]

    def tell(self, name: str, members: Json) -> None:
        held = self.questions[name]
        text = members.get("question", held["question"])
        if held["answer_template"] == default_template(held["question"]):
            held["answer_template"] = default_template(text)
        held.update({member: value or None for member, value in members.items()})
        held["question"], held["raw_answer"] = text, members.get("raw_answer", held["raw_answer"])


def _unknown(benchmark: Benchmark) -> Json:
    """Yield what is stated about the benchmark and about each question that nobody knows, by identifier."""
    tree = benchmark.to_jsonld("plain")
    known = set(canonical()) | {"dateModified", "hasPart"}
    yield "", {key: value for key, value in tree.items() if key not in known}
    for name, element in zip(benchmark.get_question_ids(), tree["dataFeedElement"], strict=True):
        wanted = element["item"]
        below = [wanted["acceptedAnswer"], wanted.get("hasPart", {}), *wanted.get("additionalProperty", ())]
        found = [
            {key: value for key, value in one.items() if ":" in key or key == "unknown"} for one in (element, wanted)
        ]
        yield (
            name,
            found + [{key: value for key, value in one.items() if ":" in key} for one in below if "ex:by" in one],
        )


# --- the edits, on a benchmark and on the model


def add(benchmark: Benchmark, model: Model, *, identifier: str | None, stated: Json) -> None:
    name = identifier or unique_question_id(stated["question"], model.questions)
    if name in model.questions:
        return
    assert benchmark.add_question(stated, question_id=identifier) == name
    model.questions[name] = dict.fromkeys(VIEW) | {"question": ""}
    model.tell(name, {"answer_template": None, **stated})
    has_template = bool((stated.get("answer_template") or "").strip())
    own = has_template and stated["answer_template"] != default_template(stated["question"])
    model.questions[name]["finished"] = stated.get("finished", own)
    model.unknown[name] = [{}, {}]


def update(benchmark: Benchmark, model: Model, *, at: int, stated: Json) -> None:
    name = model.target(at)
    benchmark.update_question_metadata(name, **stated)
    model.tell(name, stated)
    model.questions[name]["finished"] = bool(model.questions[name]["finished"])


def tell_custom(benchmark: Benchmark, model: Model, *, at: int, key: str, value: Json) -> None:
    name = model.target(at)
    benchmark.set_question_custom_property(name, key, value)
    model.questions[name]["custom_metadata"] = (model.questions[name]["custom_metadata"] or {}) | {key: value}


def drop_custom(benchmark: Benchmark, model: Model, *, at: int, which: int) -> None:
    name = model.target(at)
    custom = model.questions[name]["custom_metadata"] or {"level": None}
    key = list(custom)[which % len(custom)]
    held = model.questions[name]["custom_metadata"] is not None
    assert benchmark.remove_question_custom_property(name, key) is held
    del custom[key]
    model.questions[name]["custom_metadata"] = custom or None


def mark(benchmark: Benchmark, model: Model, *, places: list[int], finished: bool) -> None:
    names = [model.target(at) for at in places]
    (benchmark.mark_finished_batch if finished else benchmark.mark_unfinished_batch)([*names, "nothing at all"])
    for name in names:
        model.questions[name]["finished"] = finished


def toggle(benchmark: Benchmark, model: Model, *, at: int) -> None:
    name = model.target(at)
    model.questions[name]["finished"] = not model.questions[name]["finished"]
    assert benchmark.toggle_finished(name) is model.questions[name]["finished"]


def remove(benchmark: Benchmark, model: Model, *, at: int) -> None:
    name = model.target(at)
    assert benchmark.remove_question(name)
    del model.questions[name], model.unknown[name]


def clear(benchmark: Benchmark, model: Model) -> None:
    assert benchmark.clear_questions() == len(model.questions)
    model.questions.clear()
    model.unknown = {"": model.unknown[""]}


def describe(benchmark: Benchmark, model: Model, *, fields: Json) -> None:
    benchmark.set_metadata(**fields)
    defaults = {"description": "", "version": "0.1.0", "creator": None}
    model.metadata |= {name: value or defaults[name] for name, value in fields.items()}
    if "creator" in fields:
        model.properties.pop("creator_details", None)


def tell_property(benchmark: Benchmark, model: Model, *, stated: Json) -> None:
    benchmark.set_multiple_custom_properties(stated)
    model.properties |= stated


def drop_property(benchmark: Benchmark, model: Model, *, which: int) -> None:
    kept = ("benchmark_format_version", "creator_details")
    names = [name for name in model.properties if name not in kept] or ["nothing"]
    name = names[which % len(names)]
    assert benchmark.remove_custom_property(name) is (name in model.properties)
    model.properties.pop(name, None)


EDITS: dict[str, Callable[..., None]] = {
    one.__name__: one
    for one in (
        add,
        update,
        tell_custom,
        drop_custom,
        mark,
        toggle,
        remove,
        clear,
        describe,
        tell_property,
        drop_property,
    )
}

filled = texts.filter(str.strip)
places = st.integers(0, 5)
objects = st.dictionaries(texts, json_values, min_size=1, max_size=2)
members = {
    "keywords": st.none() | st.lists(texts, max_size=3),
    "few_shot_examples": st.none() | st.lists(st.fixed_dictionaries({"question": texts, "answer": texts}), max_size=2),
    "answer_notes": st.none() | texts,
    "workspace_path": st.none() | texts,
    "author": st.none() | objects,
    "sources": st.none() | st.lists(objects, max_size=2),
    "custom_metadata": st.none() | st.dictionaries(texts, json_values, max_size=3),
    "answer_template": st.none() | texts,
    "finished": st.booleans(),
}
identifiers = st.none() | st.sampled_from(["urn:x", "a b", 'q"<>', "é", "%41", "ex:q", "#/item"]) | texts.filter(bool)
new = st.fixed_dictionaries({"question": filled | st.just(TEXT), "raw_answer": filled}, optional=members)
changed = st.fixed_dictionaries({}, optional={"question": filled | st.just(TEXT), "raw_answer": texts, **members})
metadata = st.fixed_dictionaries(
    {}, optional={"name": filled, "description": texts, "version": texts, "creator": texts, "id": filled}
)
edits: st.SearchStrategy[Edit] = st.one_of(
    st.tuples(st.just("add"), st.fixed_dictionaries({"identifier": identifiers, "stated": new})),
    st.tuples(st.just("update"), st.fixed_dictionaries({"at": places, "stated": changed})),
    st.tuples(st.just("tell_custom"), st.fixed_dictionaries({"at": places, "key": texts, "value": json_values})),
    st.tuples(st.just("drop_custom"), st.fixed_dictionaries({"at": places, "which": places})),
    st.tuples(
        st.just("mark"), st.fixed_dictionaries({"places": st.lists(places, max_size=3), "finished": st.booleans()})
    ),
    st.tuples(st.just("toggle"), st.fixed_dictionaries({"at": places})),
    st.tuples(st.just("remove"), st.fixed_dictionaries({"at": places})),
    st.tuples(st.just("clear"), st.just({})),
    st.tuples(st.just("describe"), st.fixed_dictionaries({"fields": metadata})),
    st.tuples(
        st.just("tell_property"),
        st.fixed_dictionaries({"stated": st.dictionaries(texts.filter(bool), json_values, max_size=2)}),
    ),
    st.tuples(st.just("drop_property"), st.fixed_dictionaries({"which": places})),
)
NEEDS_QUESTIONS = ("update", "tell_custom", "drop_custom", "mark", "toggle", "remove")

STARTS: dict[str, Callable[[], Benchmark]] = {
    "fresh": lambda: Benchmark("Fresh"),
    "usual": lambda: load(canonical(item(), plain_item("Other?", "urn:uuid:2"))),
    "strange": lambda: load(strange(item(), item("Other?", "ex:other"), item("a b", "a b"))),
    "without ids": lambda: load(strange(item(TEXT, None), item(TEXT, None), item("Other?", None))),
    "alike": lambda: load(strange(item(), item("Other?"), item("Third?", "urn:uuid:question-metal-1-1"), item(TEXT))),
    "organized": lambda: load(Benchmark("Metals", creator=ACME).to_jsonld("plain")),
    "compact": lambda: Benchmark.load(json.dumps(strange(item(), item(TEXT, None)), separators=(",", ":")).encode()),
    "turtle": lambda: Benchmark.load(load(strange(item(), item(TEXT, None))).to_turtle().encode(), syntax="turtle"),
}


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(start=st.sampled_from(sorted(STARTS)), script=st.lists(edits, min_size=1, max_size=5))
def test_edits_do_what_a_plain_model_does_and_every_step_is_saved(start: str, script: list[Edit]) -> None:
    benchmark = STARTS[start]()
    model = Model.of(benchmark)
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in script:
            if name in NEEDS_QUESTIONS and not model.questions:
                continue
            EDITS[name](benchmark, model, **copy.deepcopy(arguments))
            path = Path(folder, "benchmark.jsonld")
            benchmark.save(path)
            for one in (benchmark, Benchmark.load(path), _through_statements(benchmark)):
                assert Model.of(one) == model
                assert list(one.get_question_ids()) == list(model.questions)


def _through_statements(benchmark: Benchmark) -> Benchmark:
    return Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")
