"""Real documents: that the Benchmark shows exactly what is in them, and what is odd about them."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from checkpoint_ld import Benchmark, VerificationResult, entities, verify
from checkpoint_ld.entities import (
    AnyTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from checkpoint_ld.entities.answer import BaseAnswer, verified_fields
from checkpoint_ld.entities.template_spec import StrategyNode, TemplateFieldSpec, TemplateSpec, VerifyStrategySpec
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.templates.specification import source_of, spec_of
from tests.corpus import DIALECTS, Json, expectations, lines, loaded, templates_of

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


# --- Templates and strategies whose results were observed: in classes of ours, and read without being run.


Row = dict[str, Any]
NODES: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)


@pytest.fixture(scope="module")
def templates(corpus: Path) -> list[Row]:
    rows: list[Row] = json.loads((corpus / "tables/templates.json").read_text(encoding="utf-8"))
    assert rows
    return rows


def samples(template: Row) -> list[Row]:
    found = [dict(zip(template["columns"], row, strict=True)) for row in template["rows"]]
    assert found
    return found


def made(code: str) -> type[BaseAnswer]:
    """Run a template that is part of the tables, so that its class is one of ours."""
    names: dict[str, Any] = {"__name__": "made"}
    names |= {name: getattr(entities, name) for name in entities.__all__}
    exec(compile(code, "made", "exec", dont_inherit=True), names)
    answer: type[BaseAnswer] = names["Answer"]
    return answer


def leaves(node: VerifyStrategySpec) -> set[str]:
    return {node.field_name or ""} - {""} | {name for part in node.conditions for name in leaves(part)}


def check_granular(score: float | None, template: Row, sample: Row, *, passed: bool) -> None:
    """Hold the granular score against what was observed, or against what it has to be like."""
    assert score is not None
    assert 0 <= score <= 1
    if template["granular_is_reference"]:
        assert score == pytest.approx(sample["granular"], abs=1e-12)
        return
    spec = spec_of(read_template(template["code"]))
    assert spec is not None
    assert spec.verify_strategy is not None
    scores = {name: sample["field_scores"][name] for name in leaves(spec.verify_strategy)}
    if all(earned == 1 for earned in scores.values()):
        assert score == 1
    if not any(scores.values()) and not passed:
        assert score == 0
    if not passed:
        assert score < 1
    if passed and spec.verify_strategy.type != "all_of" and set(scores.values()) <= {0.0, 1.0}:
        assert score == 1


def test_classes_of_ours_give_what_was_observed(templates: list[Row]) -> None:
    for template in templates:
        answer_class = made(template["code"])
        for sample in samples(template):
            answer = answer_class(**sample["fields"])
            assert answer.model_dump()["correct"] == template["correct"]
            assert answer.verify() is sample["verify"]
            assert answer.field_results() == sample["field_results"]
            assert answer.field_scores() == pytest.approx(sample["field_scores"])
            assert answer.verify_granular() == pytest.approx(sample["granular"], abs=1e-12)
            check_granular(answer.graded_score(), template, sample, passed=sample["verify"])


def test_reading_gives_what_was_observed(templates: list[Row]) -> None:
    for template in templates:
        for sample in samples(template):
            result = verify(template["code"], sample["fields"])
            assert (result.passed, result.level, result.executed) == (sample["verify"], Level.VERIFIED, False)
            assert {field.name: field.passed for field in result.fields} == sample["field_results"]
            assert {field.name: field.score for field in result.fields} == pytest.approx(sample["field_scores"])
            check_granular(result.granular_score, template, sample, passed=sample["verify"])
            assert result.karenina_granular_score == pytest.approx(sample["granular"], abs=1e-12)


def test_reading_and_classes_of_ours_agree_to_the_bit(templates: list[Row]) -> None:
    for template in templates:
        answer_class = made(template["code"])
        for sample in samples(template):
            answer = answer_class(**sample["fields"])
            result = verify(answer_class_spec(answer_class), answer)
            assert result.granular_score == answer.graded_score()
            assert _outcomes(result) == _outcomes(verify(template["code"], sample["fields"]))


def answer_class_spec(answer: type[BaseAnswer]) -> TemplateSpec:
    """Make the specification of a class by hand: only what results depend on."""
    fields = [
        TemplateFieldSpec(
            name=name,
            type=_type(answer.model_fields[name].annotation),
            description=answer.model_fields[name].description or "",
            ground_truth=meta.ground_truth,
            verify_with=meta.verify_with,
            weight=meta.weight,
        )
        for name, meta in verified_fields(answer).items()
    ]
    node = getattr(getattr(answer, "VerificationStrategy", None), "verify_strategy", None)
    return TemplateSpec(fields=fields, verify_strategy=None if node is None else VerifyStrategySpec.of(node))


def _type(annotation: Any) -> str:
    name: str = annotation.__name__
    return "list_str" if name == "list" else name


def _outcomes(result: VerificationResult) -> dict[str, Any]:
    return result.as_json()


@pytest.mark.slow
def test_strategies_give_what_was_observed(corpus: Path) -> None:
    rows = json.loads((corpus / "tables/composition.json").read_text(encoding="utf-8"))
    assert rows
    for tree, results, outcome, *mark in rows:
        spec = TemplateSpec(
            fields=[_flag(name) for name in results], verify_strategy=VerifyStrategySpec.of(NODES.validate_python(tree))
        )
        answer = {name: value is True for name, value in results.items()}
        found = {verify(spec, answer).passed}
        if not mark and not isinstance(outcome, dict):
            found.add(verify(source_of(spec), answer).passed)
            assert found == {outcome}
        else:  # the tree names a field that there is not
            assert found == {None}
            assert "names fields without a result" in verify(spec, answer).reason


def _flag(name: str) -> TemplateFieldSpec:
    return TemplateFieldSpec(
        name=name, type="bool", description="?", ground_truth=True, verify_with={"type": "BooleanMatch"}
    )


def test_ground_truths_of_real_checkpoints_pass_their_templates(corpus: Path) -> None:
    found = {text for file in sorted(corpus.glob("*/*.json*")) for text in templates_of(file)}
    outcomes = set()
    for text in found:
        template = read_template(text)
        result = verify(text, {field.name: field.ground_truth for field in template.fields})
        outcomes.add((template.level, result.passed))
        if template.level is Level.CLASSIC:
            assert result.passed is None
            assert "run it with trust=Trust()" in result.reason
    assert (Level.VERIFIED, True) in outcomes
    assert not {(Level.VERIFIED, False), (Level.VERIFIED, None)} & outcomes


# --- Traits, merged rubrics and identifiers whose behaviour was observed, row by row, and through a benchmark.


OURS: dict[str, dict[str, Any]] = {"boolean-with-bounds": {"min_score": None, "max_score": None}}
"""What is different on purpose, by mark; a marked row that is not here or kept is refused."""


def table(corpus: Path, name: str) -> Any:
    return json.loads((corpus / "tables" / name).read_text(encoding="utf-8"))


def is_refused(row: dict[str, Any]) -> bool:
    return "err" in row["result"] or row.get("ours", "").startswith("error")


def observed_traits(corpus: Path) -> list[tuple[dict[str, Any], AnyTrait]]:
    rows = [row for row in table(corpus, "trait_construction.json") if not is_refused(row)]
    return [(row, getattr(entities, row["cls"]).model_validate(row["input"])) for row in rows]


def test_traits_are_made_as_observed(corpus: Path) -> None:
    rows = observed_traits(corpus)
    assert rows
    for row, trait in rows:
        expected = {**row["result"], **OURS.get(row.get("mark", ""), {})}
        if row.get("mark") == "template-schema-rewritten":
            expected["kind"] = row["input"]["kind"]
        assert trait.model_dump(mode="json") == expected, row


def test_traits_are_refused_as_observed_or_earlier(corpus: Path) -> None:
    rows = [row for row in table(corpus, "trait_construction.json") if is_refused(row)]
    assert rows
    for row in rows:
        with pytest.raises(ValidationError):
            getattr(entities, row["cls"]).model_validate(row["input"])


def test_observed_traits_come_back_from_a_benchmark(corpus: Path) -> None:
    for row, trait in observed_traits(corpus):
        benchmark = Benchmark.create("Traits")
        question = benchmark.add_question("Which?", "This")
        benchmark.add_global_rubric_trait(trait)
        benchmark.add_question_rubric_trait(question, trait)
        read = Benchmark.load(json.dumps(benchmark.to_jsonld()).encode())
        for rubric in (read.get_global_rubric(), read.get_question_rubric(question)):
            assert rubric == Rubric.from_traits([trait]), row


def rubric_of(names: list[list[str]] | None) -> Rubric | None:
    if names is None:
        return None
    return Rubric(
        llm_traits=[LLMRubricTrait(name=name, kind="boolean") for name in names[0]],
        regex_traits=[RegexRubricTrait(name=name, pattern="x") for name in names[1]],
    )


def test_rubrics_are_merged_as_observed(corpus: Path) -> None:
    for row in table(corpus, "merge_rubrics.json"):
        general, own = rubric_of(row["global"]), rubric_of(row["question"])
        benchmark = Benchmark.create("Merged")
        question = benchmark.add_question("Which?", "This")
        benchmark.set_global_rubric(general or Rubric())
        benchmark.set_question_rubric(question, own or Rubric())
        if "err" in row["result"]:
            for merge in (
                lambda: entities.merge_rubrics_with_provenance(general, own),  # noqa: B023 - called in this round
                lambda: benchmark.get_merged_rubric_for_question(question),  # noqa: B023 - called in this round
            ):
                with pytest.raises(SettingsError, match="same name"):
                    merge()
            continue
        merged, provenance = entities.merge_rubrics_with_provenance(general, own)
        assert provenance == row["result"]["provenance"], row
        assert (merged and merged.get_trait_names()) == row["result"]["names"], row
        assert benchmark.get_merged_rubric_for_question(question) == merged, row


def test_questions_get_the_identifiers_that_were_observed(corpus: Path) -> None:
    for row in table(corpus, "ids.json")["collisions"]:
        benchmark = Benchmark.create("Identifiers")
        assert [benchmark.add_question(text, "?") for text in row["texts"]] == row["ids"]


def test_templates_have_the_identifiers_that_were_observed(corpus: Path) -> None:
    for source, expected in table(corpus, "ids.json")["template_ids"]:
        benchmark = Benchmark.create("Templates")
        tree = benchmark.to_jsonld()
        given = {"@type": "Question", "text": "Which?", "acceptedAnswer": {"@type": "Answer", "text": "This"}}
        given["hasPart"] = {"@type": "SoftwareSourceCode", "name": "t", "text": source, "programmingLanguage": "Python"}
        if source is None:
            del given["hasPart"]
        dates = {"dateCreated": "2026-01-01T00:00:00", "dateModified": "2026-01-01T00:00:00"}
        tree["dataFeedElement"] = [{"@type": "DataFeedItem", "@id": "urn:uuid:1", **dates, "item": given}]
        read = Benchmark.load(json.dumps(tree).encode())
        assert read.get_template_id("urn:uuid:1") == expected, source
