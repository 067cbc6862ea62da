"""Questions and their registry entries, and what a benchmark says about itself."""

import base64
import copy
import json
import os
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from tests.documents import canonical

from checkpoint_ld import Benchmark, ReadError, StoredCodeWarning, entities, templates
from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    BaseAnswer,
    BenchmarkMetadata,
    CallableRubricTrait,
    DynamicRubric,
    ExactMatch,
    FieldCheck,
    LLMRubricTrait,
    NumericExact,
    OrderedMatch,
    Organization,
    Person,
    Question,
    QuestionRegistryEntry,
    RegexRubricTrait,
    Rubric,
    SemanticMatch,
    SetContainment,
    SynonymMap,
    TraceContains,
    TraceLength,
    TraceRegex,
    VerifiedField,
    apply_normalizer,
    apply_normalizers,
    capture_answer_source,
    evaluate_strategy,
    merge_dynamic_rubrics,
)
from checkpoint_ld.errors import CheckpointLdError, EvaluationError, TargetUnwritableError
from checkpoint_ld.workers.trusted import Trust

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
json_objects = st.dictionaries(st.text(), json_values, max_size=3)

questions = st.builds(
    Question,
    question=st.text(min_size=1),
    raw_answer=st.text(min_size=1),
    keywords=st.lists(st.text(), max_size=3),
    few_shot_examples=st.none() | st.lists(st.dictionaries(st.text(), st.text(), max_size=2), max_size=2),
    date_created=st.text(),
    answer_template=st.none() | st.text(),
    author=st.none() | json_objects,
    sources=st.none() | st.lists(json_objects, max_size=2),
    custom_metadata=st.none() | json_objects,
)
LEAST = {"question": "a", "raw_answer": "x"}


def made(**members: Any) -> Question:
    return Question.model_validate({**LEAST, **members})


def test_id_is_the_hash_of_the_text_and_the_last_member_of_a_dump() -> None:
    question = made(id="wrong")
    assert question.id == "0cc175b9c0f1b6a831c399e269772661"
    question.question = " "
    assert list(question.model_dump().items())[-1] == ("id", "7215ee9c7d9dc229d2921a40e899ec5f")


@given(questions)
def test_a_dump_is_read_back(question: Question) -> None:
    assert Question.model_validate(question.model_dump()) == question
    assert Question.model_validate_json(question.model_dump_json()) == question


@pytest.mark.parametrize(
    ("members", "keywords"),
    [
        ({"tags": ["x", None, "y"]}, ["x", "y"]),
        ({"tags": ["x"], "keywords": ["k"]}, ["k"]),
        ({"tags": None}, []),
        ({"tags": "metal"}, ["metal"]),
        ({}, []),
    ],
)
def test_tags_are_keywords_where_there_are_none(members: dict[str, Any], keywords: list[str]) -> None:
    assert made(**members).keywords == keywords


@pytest.mark.parametrize(
    "members",
    [
        {"tags": [1]},
        {"tags": 1},
        {"question": ""},
        {"raw_answer": ""},
        {"few_shot_examples": [{"answer": 2}]},
        {"custom_metadata": {"on": datetime(2026, 1, 1)}},
    ],
)
def test_what_no_file_can_hold_is_refused(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        made(**members)


@pytest.mark.parametrize("missing", LEAST)
def test_text_and_answer_are_needed(missing: str) -> None:
    with pytest.raises(ValidationError):
        Question.model_validate({name: value for name, value in LEAST.items() if name != missing})
    assert Question.model_json_schema()["properties"][missing]["minLength"] == 1


def test_a_file_may_lack_the_answer_but_not_the_text() -> None:
    question = Question.model_validate({"question": "a", "raw_answer": ""}, context=LENIENT)
    assert [found.condition for found in question.problems()] == ["W-ANSWER-MISSING"]
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "", "raw_answer": "x"}, context=LENIENT)


def test_new_dates_are_moments_and_given_dates_are_kept_as_they_are() -> None:
    for now in (made().date_created, BenchmarkMetadata(name="M").created_at):
        assert datetime.fromisoformat(now).tzinfo is not None
    assert made(date_created="last spring").date_created == "last spring"
    assert BenchmarkMetadata(name="M", modified_at="spring").modified_at == "spring"


def test_a_registry_entry_starts_unfinished() -> None:
    entry = QuestionRegistryEntry()
    assert entry.finished is False
    assert datetime.fromisoformat(entry.date_added) <= datetime.fromisoformat(entry.date_modified)
    with pytest.raises(ValidationError):
        QuestionRegistryEntry.model_validate({"done": True})


# Benchmarks

PERSON = {"@type": "Person", "name": "A. Smith", "email": "a@example.org", "affiliation": {"@type": "Organization"}}
ORGANIZATION = {"@type": "Organization", "name": "Metals Ltd", "logo": "https://example.org/logo.png"}


def created_by(creator: object) -> BenchmarkMetadata:
    return BenchmarkMetadata.model_validate({"name": "Metals", "creator": creator})


@pytest.mark.parametrize(("creator", "cls"), [(PERSON, Person), (ORGANIZATION, Organization)])
def test_a_creator_is_written_as_it_was_read(creator: dict[str, Any], cls: type) -> None:
    metadata = created_by(creator)
    assert isinstance(metadata.creator, cls)
    assert metadata.model_dump(mode="json", by_alias=True, exclude_none=True)["creator"] == creator


def test_a_creator_may_be_a_name_an_untyped_person_or_several() -> None:
    assert created_by("A. Smith").creator == "A. Smith"
    assert created_by({"name": "A. Smith"}).creator == Person(name="A. Smith")
    assert created_by(["A. Smith", ORGANIZATION]).creator == ["A. Smith", Organization.model_validate(ORGANIZATION)]


@pytest.mark.parametrize("creator", [5, {"@type": "Person"}, {"@type": "Dog", "name": "Rex"}, {"name": ""}])
def test_other_things_create_nothing(creator: object) -> None:
    with pytest.raises(ValidationError):
        created_by(creator)


@pytest.mark.parametrize("creator", [Person(name="A"), Organization(name="A")])
def test_a_creator_can_be_edited(creator: Person | Organization) -> None:
    creator.name = "B"
    assert creator.model_dump(by_alias=True, exclude_none=True) == {"@type": creator.type, "name": "B"}
    with pytest.raises(ValidationError):
        creator.type = "Dog"  # type: ignore[assignment]  # the point of the test


def test_a_benchmark_has_a_name_and_what_else_is_not_stated_is_none() -> None:
    metadata = BenchmarkMetadata(name="M")
    held = (metadata.name, metadata.id, metadata.description, metadata.version, metadata.creator)
    assert held == ("M", None, None, None, None)
    with pytest.raises(ValidationError):
        BenchmarkMetadata(name="")


# --- What holds for every entity: strict and lenient building, edits, equality, JSON Schema, names of the package.


NAMES = (
    *("LLMRubricTrait", "RegexRubricTrait", "CallableRubricTrait", "MetricRubricTrait", "AgenticRubricTrait"),
    *("Question", "QuestionRegistryEntry", "Rubric", "DynamicRubric", "RubricEvaluation"),
    *("VerificationMeta", "BaseAnswer", "GroundTruthCase", "ConditionalGroundTruth"),
    *("FieldCheck", "AllOf", "AnyOf", "AtLeastN", "SynonymMap", "TracePrimitive", "VerificationPrimitive"),
    *("TemplateSpec", "TemplateFieldSpec", "VerifyStrategySpec"),
    *("Scenario", "ScenarioNode", "ScenarioEdge", "OutcomeCriterion"),
    *("VerifiedField", "merge_rubrics", "merge_rubrics_with_provenance", "merge_dynamic_rubrics"),
    *("evaluate_strategy", "evaluate_composition", "safe_check", "primitive_of", "apply_normalizers"),
)
PRIMITIVES = (
    *("BooleanMatch", "ExactMatch", "ContainsAny", "ContainsAll", "RegexMatch", "SemanticMatch"),
    *("NumericExact", "NumericTolerance", "NumericRange", "NumericMinimum", "NumericMaximum"),
    *("NumericGraded", "NumericRangeGraded", "NumericThresholdGraded", "SetContainment", "OrderedMatch"),
    *("LiteralMatch", "DateMatch", "DateTolerance", "DateRange", "TraceRegex", "TraceContains", "TraceLength"),
)
MODELS = [
    value
    for value in (getattr(entities, name) for name in entities.__all__)
    if isinstance(value, type) and issubclass(value, BaseModel) and value is not entities.Entity
]
CLASSES = {"no": "it is not", "yes": "it is"}


# Names


def test_everything_is_there_under_its_name() -> None:
    assert set(entities.__all__) >= {*NAMES, *PRIMITIVES}
    assert [getattr(entities, name).__name__ for name in (*NAMES, *PRIMITIVES)] == [*NAMES, *PRIMITIVES]
    assert {name: getattr(entities, name) for name in PRIMITIVES} == dict(entities.PRIMITIVES)
    assert set(templates.__all__) >= {"read_template", "spec_of", "source_of", "validate_spec"}


@pytest.mark.parametrize("package", [entities, templates], ids=["entities", "templates"])
def test_the_names_are_sorted_and_there(package: Any) -> None:
    # Constants, then classes, then functions, each in the order of the alphabet.
    names = package.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(hasattr(package, name) for name in names)
    assert set(names) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'Answer'"):
        package.Answer  # noqa: B018  # the point of the test


def test_templates_are_read_without_pydantic() -> None:
    program = "import sys; from checkpoint_ld.templates import read_template; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_every_entity_has_a_json_schema(model: type[BaseModel], mode: Any) -> None:
    schema = model.model_json_schema(mode=mode)
    root = schema["$defs"][model.__name__] if "$ref" in schema else schema
    assert root["type"] == "object"
    assert json.loads(json.dumps(schema)) == schema


# Edits


def test_an_edit_is_checked_and_changes_nothing_if_it_is_refused() -> None:
    trait = LLMRubricTrait(name="a", kind="score", min_score=1, max_score=5)
    trait.max_score = 9
    assert (trait.min_score, trait.max_score) == (1, 9)
    before = trait.model_copy(deep=True)
    with pytest.raises(ValidationError, match="min_score 1 is not less than max_score 0"):
        trait.max_score = 0
    assert trait == before


def test_an_edit_of_one_field_changes_what_follows_from_it() -> None:
    trait = LLMRubricTrait(name="a", kind="literal", classes=CLASSES)
    with pytest.raises(ValidationError):
        trait.classes = {"no": "it is not", "NO": "nor this"}
    assert (trait.classes, trait.max_score) == (CLASSES, 1)
    trait.classes = {"no": "it is not", "perhaps": "nobody knows", "yes": "it is"}
    assert trait.max_score == 2


def test_an_edit_leaves_the_other_values_in_place() -> None:
    question = Question(question="q", raw_answer="a", keywords=["k"])
    keywords, created = question.keywords, question.date_created
    question.raw_answer = "b"
    keywords.append("l")
    assert (question.keywords, question.date_created) == (["k", "l"], created)


def test_a_field_that_was_edited_counts_as_given() -> None:
    trait = RegexRubricTrait(name="a", pattern="x")
    trait.case_sensitive = True
    assert trait.model_dump(exclude_unset=True) == {"name": "a", "pattern": "x", "case_sensitive": True}


def test_what_is_no_field_can_be_neither_given_nor_set() -> None:
    question = Question(question="q", raw_answer="a")
    with pytest.raises(AttributeError):
        question.id = "mine"  # type: ignore[misc]  # the point of the test
    with pytest.raises(ValueError, match="colour"):
        setattr(question, "colour", "red")  # noqa: B010  # mypy would refuse the plain assignment
    with pytest.raises(ValidationError, match="colour"):
        LLMRubricTrait.model_validate({"name": "a", "kind": "boolean", "colour": "red"})


# What files may have


def test_a_problem_is_refused_from_authors_and_kept_from_files() -> None:
    broken = {"name": "a", "pattern": None}
    with pytest.raises(ValidationError, match="no pattern"):
        RegexRubricTrait.model_validate(broken)
    trait = RegexRubricTrait.model_validate(broken, context=LENIENT)
    assert [(found.condition, found.subject) for found in trait.problems()] == [("W-TRAIT-DEFAULT", "a")]
    with pytest.raises(ValidationError):  # a fault of type is refused from files, too
        RegexRubricTrait.model_validate({"name": "a", "pattern": 5}, context=LENIENT)


def test_a_broken_entity_can_be_repaired_step_by_step_but_not_broken_further() -> None:
    broken = {"yes": "it is", "YES": "it is as well", "no": " "}
    trait = LLMRubricTrait.model_validate({"name": "a", "kind": "literal", "classes": broken}, context=LENIENT)
    assert len(trait.problems()) == 2
    trait.description = "about something else"
    trait.classes = {**broken, "no": "it is not"}
    assert len(trait.problems()) == 1
    with pytest.raises(ValidationError, match="blank"):
        trait.classes = broken
    trait.classes = CLASSES
    assert trait.problems() == ()


def test_entities_are_equal_by_content_however_they_were_built() -> None:
    strict = Rubric(llm_traits=[LLMRubricTrait(name="a", kind="boolean")])
    assert strict == Rubric.model_validate({"llm_traits": [{"name": "a", "kind": "boolean"}]}, context=LENIENT)
    assert strict != Rubric(llm_traits=[LLMRubricTrait(name="b", kind="boolean")])


def test_entities_can_be_copied_and_pickled() -> None:
    question = Question(question="q", raw_answer="a", custom_metadata={"level": [1, None]})
    assert copy.deepcopy(question) == question == pickle.loads(pickle.dumps(question))


@pytest.mark.parametrize(
    ("model", "members"),
    [
        (Question, {"question": "q", "raw_answer": "a", "tags": ["x", None], "id": "0"}),
        (LLMRubricTrait, {"name": "a", "kind": "boolean", "higher_is_better": None}),
    ],
)
def test_validation_does_not_touch_what_it_is_given(model: type[BaseModel], members: dict[str, Any]) -> None:
    before = copy.deepcopy(members)
    model.model_validate(members)
    assert members == before


# --- Karenina's names, parameters, errors and warnings: what its documents say of entities and primitives holds.


STYLES = {"dry": "no adjectives", "florid": "many"}
TONE = LLMRubricTrait(name="tone", kind="literal", classes=STYLES)
LENGTH = CallableRubricTrait(name="length", kind="score", callable_code="lambda t: 1", min_score=2, max_score=5)  # type: ignore[arg-type]
JUDGED = Rubric(llm_traits=[TONE], callable_traits=[LENGTH])


# --- names


def test_one_normaliser_is_applied_as_several_are() -> None:
    assert apply_normalizer("lowercase", "Hg ") == "hg "
    assert apply_normalizer(normalizer=SynonymMap(mapping={"hg": "mercury"}), text="hg") == "mercury"
    assert apply_normalizers(["lowercase", "strip"], "Hg ") == "hg"


class InAFile(BaseAnswer):
    metal: str = VerifiedField("Which metal?", "mercury", ExactMatch())


def test_a_class_in_a_file_knows_its_source() -> None:
    source = InAFile.get_source_code()
    assert source is not None
    assert source.startswith("class InAFile(BaseAnswer):\n    metal: str = VerifiedField(")
    assert capture_answer_source(InAFile) is InAFile
    assert InAFile.get_source_code() == source


def test_a_class_that_a_program_made_has_no_source() -> None:
    made: Any = type("Made", (InAFile,), {})
    assert made.get_source_code() is None
    with pytest.warns(UserWarning, match="the source of Made is in none of the last 10 cells"):
        assert capture_answer_source(made) is made


def test_the_source_of_a_class_is_found_in_the_newest_cell_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    old = "class Answer(BaseAnswer):\n    old: str"
    text = 'class Answer(BaseAnswer):\n    """A\n"""\n\n    metal: str'
    cells = ["", old, f"x = 1\n@capture_answer_source\n{text}\nprint(x)", "class Answer(", "Answer"]
    shell = SimpleNamespace(user_ns={"In": cells})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    made: Any = type("Answer", (BaseAnswer,), {})
    assert capture_answer_source(made) is made
    assert made.get_source_code() == f"{text}\n"
    other: Any = type("Answer", (made,), {})
    assert other.get_source_code() is None
    shell.user_ns["In"] += [""] * 10
    with pytest.warns(UserWarning, match="of Answer is in none"):
        other.set_source_code_from_notebook()
    shell.user_ns["In"].append(f"{old}\n{text}")
    made.set_source_code_from_notebook()
    assert made.get_source_code() == f"{text}\n"


@pytest.mark.slow
def test_a_stored_function_is_called_outside_of_this_process_if_it_is_trusted() -> None:
    source = textwrap.dedent("""
        import os
        def words(text):
            os.environ["CHECKPOINT_LD_RAN"] = "1"
            return len(text.split())
    """)
    trait = CallableRubricTrait.model_validate({"name": "w", "kind": "score", "callable_code": source})
    with pytest.raises(RuntimeError, match="stored code is never run"):
        trait.deserialize_callable()
    with pytest.warns(UserWarning, match="the function of the trait 'w'") as caught:
        function = trait.deserialize_callable(trust=Trust())
    assert [one.category for one in caught] == [StoredCodeWarning]
    with pytest.warns(StoredCodeWarning):
        assert function("one two three") == 3
    assert "CHECKPOINT_LD_RAN" not in os.environ


@pytest.mark.slow
@pytest.mark.parametrize("code", ["x = 1", "def f(:", base64.b64encode(pickle.dumps(5)).decode()])
def test_code_without_a_function_is_a_runtime_error(code: str) -> None:
    trait = CallableRubricTrait.model_validate({"name": "w", "kind": "boolean", "callable_code": code})
    with pytest.warns(StoredCodeWarning), pytest.raises(RuntimeError, match="the function of the trait 'w'"):
        trait.deserialize_callable(trust=Trust())


# --- parameters by their names


@pytest.mark.parametrize(
    ("call", "arguments", "result"),
    [
        (TONE.get_class_index, {"class_name": "florid"}, 1),
        (JUDGED.validate_evaluation, {"evaluation": {}}, False),
        (JUDGED.evaluation_problems, {"evaluation": {"tone": 1}}, ["'length' has no result"]),
        (evaluate_strategy, {"node": FieldCheck(field="a"), "field_results": {"a": True}}, True),
        (merge_dynamic_rubrics, {"global_dynamic": None, "question_dynamic": None}, None),
        (TraceRegex(pattern="a").check_trace, {"raw_trace": "b"}, False),
        (TraceContains(substring="a").check_trace, {"raw_trace": "a"}, True),
        (TraceLength(max=1).check_trace, {"raw_trace": "ab"}, False),
    ],
)
def test_parameters_have_their_documented_names(
    call: Callable[..., Any], arguments: dict[str, Any], result: Any
) -> None:
    assert call(**arguments) == result
    assert call(*arguments.values()) == result


# --- results


def test_a_score_of_a_function_may_be_a_truth_value_in_an_evaluation() -> None:
    results = {True: True, 3: True, 2.5: True, 9: False, "3": False}
    assert {value: JUDGED.validate_evaluation({"tone": 0, "length": value}) for value in results} == results


@pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait])
def test_a_template_kind_stays_a_class_in_memory_and_is_a_schema_in_a_file(
    cls: type[LLMRubricTrait | AgenticRubricTrait], tmp_path: Path
) -> None:
    class Form(BaseModel):
        grade: int
        names: list[str]
        remark: str | None = None

    trait = cls.model_validate({"name": "form", "description": "d", "kind": Form, "higher_is_better": None})
    trait.description = "edited"
    assert trait.kind is Form
    assert trait.is_template_kind
    assert trait.template_fields == ("grade", "names", "remark")
    assert trait.model_copy(deep=True) == trait != cls.model_validate({**trait.model_dump(), "kind": "boolean"})
    rubric = Rubric.from_traits([trait])
    assert rubric.validate_evaluation({"form.grade": 3, "form.names": [], "form.remark": None})
    benchmark = Benchmark.create("n")
    benchmark.add_global_rubric_trait(trait)
    benchmark.save(tmp_path / "form.jsonld")
    (read,) = Benchmark.load(tmp_path / "form.jsonld").global_rubric.traits()  # type: ignore[union-attr]
    assert (read == trait, trait == read) == (True, True)
    assert read.kind == {"type": "template", "schema": Form.model_json_schema()}  # type: ignore[union-attr]


# --- errors are of the documented types, too


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: apply_normalizers(["shout"], "a"), ValueError),  # type: ignore[list-item]
        (lambda: ExactMatch.model_construct(normalize=["shout"]).check("a", "a"), ValueError),
        (lambda: NumericExact().check("many", 1), ValueError),
        (lambda: NumericExact().check(None, 1), TypeError),
        (lambda: NumericExact().check([1], 1), TypeError),
        (lambda: SetContainment().check(None, ["a"]), TypeError),
        (lambda: SetContainment().check([["a"]], ["a"]), TypeError),
        (lambda: OrderedMatch().check(None, ["a"]), TypeError),
        (lambda: SemanticMatch().check("a", "a"), NotImplementedError),
        (lambda: TraceContains(substring="a").check("a", "a"), NotImplementedError),
        (lambda: TraceContains(substring="a").check_trace(None), TypeError),  # type: ignore[arg-type]
        (lambda: evaluate_strategy(FieldCheck(field="a"), {}), KeyError),
        (lambda: RegexRubricTrait(name="r", pattern="a").evaluate(None), RuntimeError),  # type: ignore[arg-type]
    ],
)
def test_an_error_is_of_the_documented_type(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        call()
    assert isinstance(raised.value, CheckpointLdError)


def test_a_missing_trace_is_a_value_error() -> None:
    class Answer(BaseAnswer):
        cited: bool = VerifiedField("c", ground_truth=True, verify_with=TraceContains(substring="["))

    with pytest.raises(ValueError, match="is about the raw response") as raised:
        Answer().verify()
    assert isinstance(raised.value, EvaluationError)


def test_broken_json_is_a_decode_error_with_line_and_column() -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        Benchmark.load(b'{\n  "name": }')
    error = raised.value
    assert isinstance(error, ReadError)
    assert (error.lineno, error.colno, error.findings[0].rule) == (2, 11, "json")
    assert "a value is expected" in error.msg
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.findings, copied.lineno) == (str(error), error.findings, 2)
    with pytest.raises(ReadError) as other:
        Benchmark.load(b"[]")
    assert not isinstance(other.value, json.JSONDecodeError)


def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(canonical()).encode())
    with pytest.raises(OSError, match="create the folder first") as raised:
        benchmark.save(tmp_path / "none" / "a.jsonld")
    assert isinstance(raised.value, TargetUnwritableError)
    assert raised.value.errno == 2
    with pytest.raises(FileNotFoundError):
        Benchmark.load(tmp_path / "none" / "a.jsonld")


# --- warnings


def test_a_dynamic_trait_with_a_description_for_a_summary_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    described = RegexRubricTrait(name="dose", pattern="mg", description="side effects")
    rubric = DynamicRubric(regex_traits=[described])
    assert 'the trait "dose" of a dynamic rubric has no summary' in caplog.text
    assert rubric.resolve_concept_text(described) == "side effects"
    caplog.clear()
    DynamicRubric(regex_traits=[RegexRubricTrait(name="dose", pattern="mg", summary="effects", description="d")])
    assert caplog.text == ""
