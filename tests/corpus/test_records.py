"""Real documents: that the Benchmark shows exactly what is in them, and what is odd about them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.entities import (
    AnyTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from tests.corpus import DIALECTS, Json, expectations, lines, loaded

each_dialect = pytest.mark.parametrize("dialect", DIALECTS)


@pytest.mark.slow
@each_dialect
def test_a_benchmark_shows_what_its_document_states(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        benchmark = loaded(corpus / case["file"])
        wanted, shown = wanted_record(case), record_of(benchmark)
        for name, value in wanted.items():
            if name != "questions":
                assert shown[name] == value, (case["file"], name)
        assert len(shown["questions"]) == len(wanted["questions"]), case["file"]
        for question, expected in zip(shown["questions"], wanted["questions"], strict=True):
            assert question | expected == question, case["file"]
            assert empty_where_nothing_is_said(question, expected), case["file"]


@pytest.mark.slow
@each_dialect
def test_what_is_unusual_about_a_document_is_found_at_its_place(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        benchmark = loaded(corpus / case["file"])
        found = {(one.condition, one.place.pointer) for one in benchmark.findings}
        assert found == {(code, pointer) for code, pointer in case["warnings"]}, case["file"]
        assert benchmark.dialect == dialect, case["file"]
        assert all(one.dialect == dialect for one in benchmark.findings), case["file"]
        assert all(one.place.file == str(corpus / case["file"]) for one in benchmark.findings), case["file"]


@each_dialect
def test_what_state_files_state_about_the_data_set_is_kept(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        extra = case["record"].get("metadata_extra") or {}
        benchmark = loaded(corpus / case["file"])
        properties = extra.pop("custom_properties", {})
        assert benchmark.get_all_custom_properties() | properties == benchmark.get_all_custom_properties()
        root = benchmark.to_jsonld("plain")
        assert {name: root.get(name) for name in extra} == extra, case["file"]


@pytest.mark.slow
def test_a_benchmark_shows_what_karenina_shows_where_karenina_is_right(corpus: Path) -> None:
    compared = 0
    for row in lines(corpus, "tables/projections.jsonl.gz"):
        if row["ours"] == "accept" and "projection" in row:
            compared += 1
            assert list(differences(loaded(corpus / row["file"]), row["projection"], row["marks"])) == [], row["file"]
    assert compared > 100


def wanted_record(case: dict[str, Json]) -> dict[str, Json]:
    """Return what a document says in our words: how it says it may differ with its dialect."""
    record = dict(case["record"])
    record.pop("metadata_extra", None)
    creator = record.get("creator")
    if isinstance(creator, dict) and creator.keys() == {"@type", "name"} and creator["@type"] == "Person":
        record["creator"] = creator["name"]
    for name in ("global_traits", "dynamic_traits"):
        record[name] = by_name(directed(record.get(name, []), case["dialect"]))
    record["questions"] = [wanted_question(one, case["dialect"]) for one in record["questions"]]
    record.setdefault("scenarios", [])
    return record


def wanted_question(question: dict[str, Json], dialect: str) -> dict[str, Json]:
    wanted = dict(question)
    if "id" in wanted and dialect.startswith("v2.0"):
        wanted["id"] = "urn:uuid:" + wanted["id"].removeprefix("urn:uuid:")
    if "category" in wanted:
        wanted["custom"] = {"category": wanted.pop("category"), "hasGeneratedTemplate": True}
    of_question = [{**one, "scope": "question"} for one in wanted.get("traits", [])]
    wanted["traits"] = by_name(directed(of_question, dialect))
    return wanted


def directed(traits: list[dict[str, Json]], dialect: str) -> list[dict[str, Json]]:
    """Return the traits of the first dialect, which has no word for a direction, with the usual one."""
    return [{**one, "higher": True} for one in traits] if dialect == "v2.0-other" else traits


def by_name(traits: list[dict[str, Json]]) -> list[dict[str, Json]]:
    return sorted(traits, key=lambda one: (one["kind"], one["name"]))


def empty_where_nothing_is_said(question: dict[str, Json], expected: dict[str, Json]) -> bool:
    silent = ("keywords", "author", "sources", "few_shot", "notes", "workspace")
    return not any(question[name] for name in silent if name not in expected)


def record_of(benchmark: Benchmark) -> dict[str, Json]:
    creator = benchmark.creator
    return {
        "name": benchmark.name,
        "description": benchmark.description,
        "version": benchmark.version,
        "creator": creator
        if isinstance(creator, str | list | None)
        else creator.model_dump(by_alias=True, exclude_none=True),
        "dateCreated": benchmark.created_at,
        "dateModified": benchmark.modified_at,
        "global_traits": traits_of(benchmark.global_rubric, "global"),
        "dynamic_traits": traits_of(benchmark.get_global_dynamic_rubric(), "global", dynamic=True),
        "questions": [question_record(benchmark, name) for name in benchmark.get_question_ids()],
        "scenarios": [one.name for one in benchmark.scenarios],
    }


def question_record(benchmark: Benchmark, question_id: str) -> dict[str, Json]:
    question = benchmark[question_id]
    static = traits_of(benchmark.get_question_rubric(question_id), "question")
    dynamic = traits_of(benchmark.get_question_dynamic_rubric(question_id), "question", dynamic=True)
    original = benchmark.get_question_properties(question_id).get("original_answer_template")
    return {
        "id": question_id,
        "text": question.question,
        "answer": question.raw_answer,
        "finished": benchmark.get_question(question_id)["finished"],
        "created": question.date_created,
        "modified": question.date_modified,
        "keywords": question.keywords,
        "author": question.author,
        "sources": question.sources,
        "few_shot": question.few_shot_examples,
        "notes": question.answer_notes,
        "workspace": question.workspace_path,
        "custom": question.custom_metadata,
        "template_sha256_12": digest(question.answer_template),
        "original_template_sha256_12": digest(original),
        "traits": by_name(static + dynamic),
    }


def digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()[:12]


def traits_of(rubric: Rubric | DynamicRubric | None, scope: str, *, dynamic: bool = False) -> list[dict[str, Json]]:
    return by_name([trait_record(one, scope, dynamic=dynamic) for one in (rubric.traits() if rubric else ())])


def trait_record(trait: AnyTrait, scope: str, *, dynamic: bool) -> dict[str, Json]:
    held = {"description": trait.description, "summary": trait.summary, "dynamic": dynamic or None}
    record: dict[str, Json] = {"name": trait.name, "scope": scope}
    record |= {name: value for name, value in held.items() if value is not None}
    match trait:
        case RegexRubricTrait():
            record |= {"kind": "regex", "type": "boolean", "pattern": trait.pattern, "cs": trait.case_sensitive}
            record |= {"inv": trait.invert_result}
        case MetricRubricTrait():
            record |= {"kind": "metric", "type": trait.evaluation_mode, "metrics": trait.metrics}
            record |= {"tp": trait.tp_instructions, "tn": trait.tn_instructions}
        case CallableRubricTrait():
            code = trait.callable_code.text if trait.callable_code is not None else None
            record |= {"kind": "callable", "type": trait.kind, "code": code, "inv": trait.invert_result}
        case _:
            record |= {"kind": "llm" if isinstance(trait, LLMRubricTrait) else "agentic"}
            record |= {"type": "template" if trait.is_template_kind else trait.kind}
    if record["type"] == "score":
        record |= {"min": getattr(trait, "min_score", None), "max": getattr(trait, "max_score", None)}
    if record["type"] == "literal":
        record["classes"] = list(getattr(trait, "classes", None) or ())
    if record["type"] != "template" and not (record["kind"] == "metric" and trait.higher_is_better is None):
        record["higher"] = trait.higher_is_better
    return record | ({"deep_judgment": True} if getattr(trait, "deep_judgment_enabled", False) else {})


def differences(benchmark: Benchmark, projection: dict[str, Json], marks: dict[str, Json]) -> Iterator[str]:
    """Yield where a benchmark shows something else than Karenina does, but for the places where Karenina errs."""
    whole = {
        "name": benchmark.name,
        "description": benchmark.description,
        "version": benchmark.version,
        "id": benchmark.id,
        "created_at": benchmark.created_at,
        "modified_at": benchmark.modified_at,
        "question_count": benchmark.question_count,
        "finished_count": benchmark.finished_count,
        "progress": benchmark.get_progress(),
        "is_complete": benchmark.is_complete,
        "scenarios": [one.name for one in benchmark.scenarios],
    }
    hidden = ("question_count", "finished_count", "progress", "is_complete") if "questions-hidden" in marks else ()
    # What older files keep in properties of their own is read as what it is: traits, and the name of a rubric.
    properties = {
        name: one for name, one in projection["custom_properties"].items() if not name.endswith("rubric_traits")
    }
    own = {name: one for name, one in benchmark.get_all_custom_properties().items() if name in properties}
    if own != properties:
        yield "custom_properties"
    yield from (name for name, value in whole.items() if value != projection[name] and name not in hidden)
    creator = benchmark.creator
    if (creator if isinstance(creator, str) else getattr(creator, "name", None)) != projection["creator"]:
        yield "creator"
    if "/rating" not in erring(marks):
        dumped = dumped_rubric(benchmark.global_rubric), dumped_rubric(benchmark.get_global_dynamic_rubric())
        if dumped != tuple(comparable(projection[name]) for name in ("global_rubric", "global_dynamic_rubric")):
            yield "rubric"
    if not hidden:
        for at, question in enumerate(projection["questions"]):
            place = f"/dataFeedElement/{at}"
            shown = question | {"question_rubric": comparable(question["question_rubric"])}
            shown["keywords"] = question["keywords"] or None
            if isinstance(question["author"], str):
                shown["author"] = {"name": question["author"]}
            viewed = question_view(benchmark, question["id"])
            if place in erring(marks):
                del viewed["question_rubric"]
            if any(lost.startswith(place) for lost, *_ in marks.get("field-lost-on-save", [])):
                viewed = {name: viewed[name] for name in viewed if name not in ("question_rubric", "keywords")}
            yield from (f"{place} {name}" for name, value in viewed.items() if value != shown[name])


def erring(marks: dict[str, Json]) -> set[str]:
    """Return the places whose traits Karenina reads wrongly."""
    wrong = ("score-range", "score-read-as-boolean", "trait-lost")
    return {place for mark in wrong for place, *_ in marks.get(mark, [])}


def question_view(benchmark: Benchmark, question_id: str) -> dict[str, Json]:
    view = benchmark.get_question(question_id)
    del view["question_dynamic_rubric"]
    # Karenina takes the prefix out of the middle of a name, too.
    custom = {name.replace("custom_", ""): value for name, value in (view["custom_metadata"] or {}).items()}
    return view | {
        "custom_metadata": custom or None,
        "question_rubric": dumped_rubric(benchmark.get_question_rubric(question_id)),
        "has_template": benchmark.has_template(question_id),
    }


def dumped_rubric(rubric: Rubric | DynamicRubric | None) -> Json:
    return comparable(rubric.model_dump(mode="json") if rubric is not None else None)


def comparable(rubric: Json) -> Json:
    """Return a dumped rubric without what means nothing, and without the schemas, which Karenina rewrites."""
    if rubric is None:
        return None
    return {name: [comparable_trait(trait) for trait in traits] for name, traits in rubric.items()}


def comparable_trait(trait: dict[str, Json]) -> dict[str, Json]:
    kind = trait.get("kind")
    idle = kind == "boolean" and "callable_code" not in trait
    range_of = {"min_score": None, "max_score": None} if idle else {}
    # What is not there, or cannot be decoded, is empty to Karenina.
    code = {name: None for name in ("callable_code", "pattern") if trait.get(name) in ("", "%%%")}
    return trait | range_of | code | ({"kind": "template"} if isinstance(kind, dict) else {})
