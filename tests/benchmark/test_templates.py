"""Answer templates: looked at, given to questions, checked without being run, and exchanged in files."""

import copy
import inspect
import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark, verify
from checkpoint_ld.entities import (
    BaseAnswer,
    ExactMatch,
    Question,
    Scenario,
    ScenarioNode,
    SetContainment,
    VerifiedField,
    capture_answer_source,
)
from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec
from checkpoint_ld.errors import LookupFailedError, ReadError, SourceMissingError, WriteError
from checkpoint_ld.mapping.questions import default_template
from tests.benchmark.editing import EDITED, METAL, assert_says, load, strange
from tests.documents import Json, canonical, item, rating, scenario, setting

CLASSIC = "class Answer(BaseAnswer):\n    metal: str\n\n    def verify(self):\n        return self.metal == 'Zn'\n"
OTHER = CLASSIC.replace("Zn", "Hg")
SPEC = TemplateSpec(
    fields=[
        TemplateFieldSpec(
            name="metal",
            type="str",
            description="Which metal?",
            ground_truth="Hg",
            verify_with={"type": "ExactMatch", "normalize": ["lowercase"]},
        )
    ]
)
SECOND = "urn:uuid:question-metal-2"


def with_source(source: str | None, identifier: str = METAL, text: str = "Which metal is liquid at 20 °C?") -> Json:
    made = item(text, identifier)
    if source is None:
        del made["item"]["hasPart"]
    else:
        made["item"]["hasPart"]["text"] = source
    return made


def two(first: str | None, second: str | None) -> Benchmark:
    return load(canonical(with_source(first), with_source(second, SECOND, "Which metal is lightest?")))


# What a template is

PLACEHOLDER = default_template("a")


@pytest.mark.parametrize(
    ("source", "has"),
    [
        (None, False),
        ("", False),
        (" \n", False),
        (default_template("Which metal is liquid at 20 °C?"), False),
        (default_template("What the question was before somebody edited it"), False),
        (default_template('What does """ do?'), False),
        (f"   {default_template(chr(0))}   ", False),
        (PLACEHOLDER.replace("    # Default", "    # No default"), False),
        (PLACEHOLDER.replace('    """Answer template for: a..."""\n\n', ""), False),
        (PLACEHOLDER.replace("        # Default", '        """Says no."""\n        # Default'), False),
        (f"from pydantic import Field\n\n\n{PLACEHOLDER}", False),
        (PLACEHOLDER.replace("for: a", r"for: \d"), False),
        (PLACEHOLDER.replace("return False", "return True"), True),
        (PLACEHOLDER.replace("return False", "return 0"), True),
        (PLACEHOLDER.replace("return False", "print()\n        return False"), True),
        (PLACEHOLDER.replace("The answer response", "The answer response, please"), True),
        (PLACEHOLDER.replace("response: str", "response: int"), True),
        (PLACEHOLDER.replace("    response", "    more: int = 1\n    response"), True),
        (PLACEHOLDER + "\n    def ground_truth(self):\n        pass\n", True),
        (PLACEHOLDER + "\nprint()\n", True),
        (PLACEHOLDER + "\n(", True),
        ("# The answer response\n" + "(" * 1500, True),
        (CLASSIC, True),
        ("no Python at all (", True),
    ],
)
def test_a_text_is_a_template_unless_it_is_the_placeholder_whatever_that_is_about(
    source: str | None, has: bool
) -> None:
    benchmark = load(canonical(with_source(source)))

    assert benchmark.has_template(METAL) is has
    assert benchmark.get_missing_templates(ids_only=True) == ([] if has else [METAL])
    assert "template-syntax" not in {one.rule for one in benchmark.findings if not has}
    if has:
        assert benchmark.get_template(METAL) == source
    else:
        with pytest.raises(LookupFailedError, match=f"'{METAL}' has no template"):
            benchmark.get_template(METAL)


def test_the_questions_without_a_template_are_given_whole_or_by_name() -> None:
    benchmark = two(CLASSIC, None)

    assert benchmark.get_missing_templates() == [benchmark.get_question(SECOND)]
    assert benchmark.get_missing_templates(ids_only=True) == [SECOND]


# Edits


def test_a_template_takes_the_place_of_the_text_and_of_nothing_else() -> None:
    tree = strange(item(), item("Which metal is lightest?", SECOND))
    benchmark = load(tree)

    benchmark.add_answer_template(METAL, OTHER)

    expected = copy.deepcopy(tree)
    expected["dataFeedElement"][0]["item"]["hasPart"]["text"] = OTHER
    expected["dataFeedElement"][0]["dateModified"] = EDITED
    assert_says(benchmark, expected)
    assert benchmark.get_template(METAL) == OTHER


def test_a_question_without_any_gets_a_template() -> None:
    tree = canonical(with_source(None))
    benchmark = load(tree)

    benchmark.update_template(METAL, CLASSIC)

    tree["dataFeedElement"][0]["item"]["hasPart"] = {
        "@type": "SoftwareSourceCode",
        "name": "Which metal is liquid at 20 °C... Answer Template",
        "text": CLASSIC,
        "programmingLanguage": "Python",
        "codeRepository": "karenina-benchmarks",
    }
    tree["dataFeedElement"][0]["dateModified"] = EDITED
    assert_says(benchmark, tree)


def test_a_template_does_not_change_whether_a_question_is_finished() -> None:
    benchmark = Benchmark.create("Metals")
    name = benchmark.add_question("Which metal?", "Zn")
    benchmark.add_answer_template(name, CLASSIC)

    assert not benchmark.get_question(name)["finished"]


@pytest.mark.parametrize(
    "give",
    [
        lambda benchmark: benchmark.add_answer_template(METAL, SPEC),
        lambda benchmark: benchmark.update_question_metadata(METAL, answer_template=SPEC),
        lambda benchmark: (
            benchmark.remove_question(METAL) and benchmark.add_question("Which?", "Hg", SPEC, question_id=METAL)
        ),
    ],
)
def test_a_specification_becomes_a_template_and_comes_back(give: Callable[[Benchmark], object]) -> None:
    benchmark = two(None, CLASSIC)

    give(benchmark)

    read = load(benchmark.to_jsonld()).get_template_spec(METAL)
    assert read is not None
    assert [(field.name, field.ground_truth) for field in read.fields] == [("metal", "Hg")]
    assert read.fields[0].verify_with == SPEC.fields[0].verify_with
    assert "VerifiedField(" in benchmark.get_template(METAL)
    assert benchmark.get_template_spec(SECOND) is None


def test_a_template_is_copied() -> None:
    benchmark = two(CLASSIC, None)

    benchmark.copy_template(METAL, SECOND)

    assert benchmark.get_template(SECOND) == CLASSIC
    with pytest.raises(LookupFailedError, match="has no template"):
        two(None, CLASSIC).copy_template(METAL, SECOND)


REFUSED = [
    ("", "the template is empty; give the text of one"),
    (" \n\t", "the template is empty"),
    ("class Answer(BaseAnswer)\n", r"line 1: the text is not Python: .*; correct the text"),
    ("x = 1\n\ny = (\n", "line 3: the text is not Python"),
    ("class Answer:\n    metal: str\n", r"no class derives from BaseAnswer; there is Answer; derive a class"),
    ("class Answer(BaseAnswer):\n    metal: str\n", "line 1: class 'Answer' has no method verify.*define the fields"),
    (
        "class Answer(BaseAnswer):\n    m: str = VerifiedField(description='d', ground_truth='a')\n",
        "line 2: .*lacks verify_with; correct the arguments",
    ),
    (
        "class Answer(BaseAnswer):\n    m: str = VerifiedField('d', 'a', ExactMach())\n",
        "line 2: .*`ExactMach\\(\\)`, which is no known primitive; use one of the primitives",
    ),
    (
        "class Answer(BaseAnswer):\n    m: str = VerifiedField('d', 'a', RegexMatch(pattern='('))\n",
        "line 2: .*does not compile.*; correct the parameters",
    ),
    (
        "class Answer(BaseAnswer):\n    correct: str = VerifiedField('d', 'a', ExactMatch())\n",
        "line 2: .*correct.*; rename the field",
    ),
    (f"{CLASSIC}# \ud800", "the text is not Python"),
]


@pytest.mark.parametrize(("source", "message"), REFUSED)
def test_what_is_no_template_is_refused_with_line_and_remedy_and_changes_nothing(source: str, message: str) -> None:
    benchmark = two(CLASSIC, None)
    before = benchmark.to_jsonld()

    for edit in (
        lambda: benchmark.add_answer_template(METAL, source),
        lambda: benchmark.update_template(SECOND, source),
        lambda: benchmark.apply_global_template(source),
    ):
        with pytest.raises(WriteError, match=message) as refused:
            edit()
        assert isinstance(refused.value, ValueError)
    assert benchmark.to_jsonld() == before


@pytest.mark.parametrize("code", [None, 5, b"class Answer", SPEC.model_dump()])
def test_what_is_neither_source_nor_specification_is_of_the_wrong_type(code: Any) -> None:
    with pytest.raises(TypeError, match=r"the template is .*: give Python text, a TemplateSpec"):
        two(CLASSIC, None).add_answer_template(METAL, code)


def test_a_specification_that_is_none_is_refused() -> None:
    with pytest.raises(WriteError, match=r"no template: .*there are no fields"):
        two(CLASSIC, None).add_answer_template(METAL, TemplateSpec(fields=[]))


def test_what_only_running_would_show_is_not_refused() -> None:
    source = (
        "LIMIT = float('1')\nclass Answer(BaseAnswer):\n"
        "    m: float = VerifiedField('d', 1, NumericTolerance(tolerance=LIMIT))\n"
    )
    benchmark = two(None, CLASSIC)
    benchmark.add_answer_template(METAL, source)

    assert benchmark.get_template(METAL) == source
    assert benchmark.validate_templates() == (True, [])


def test_giving_a_template_runs_nothing(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    source = f"open({str(trace)!r}, 'w')\n{CLASSIC}"
    benchmark = two(None, CLASSIC)
    benchmark.add_answer_template(METAL, source)

    assert benchmark.validate_templates()[0]
    assert benchmark.get_template_spec(METAL) is None
    assert not trace.exists()


def test_one_template_for_all_questions_that_have_none() -> None:
    benchmark = two(None, CLASSIC)

    assert benchmark.apply_global_template(OTHER) == [METAL]
    assert (benchmark.get_template(METAL), benchmark.get_template(SECOND)) == (OTHER, CLASSIC)
    modified = benchmark.modified_at
    assert benchmark.apply_global_template(OTHER) == []
    assert benchmark.modified_at == modified


# What is wrong with templates


def test_templates_are_checked_without_being_run() -> None:
    benchmark = two("class Answer(BaseAnswer)\n", CLASSIC)

    sound, errors = benchmark.validate_templates()

    assert not sound
    assert [one["question_id"] for one in errors] == [METAL]
    assert errors[0]["error"].startswith("line 1: the text is not Python")
    assert two(CLASSIC, None).validate_templates() == (True, [])
    assert two(default_template("a"), "").validate_templates() == (True, [])


# Finished templates


def test_finished_templates_have_all_that_judging_needs() -> None:
    tree = canonical(with_source(CLASSIC, text="W" * 120), with_source(CLASSIC, SECOND), with_source(None, "urn:3"))
    agentic = rating("agent", "QuestionSpecific", kind="boolean", context_mode="trace_only")
    tree["dataFeedElement"][0]["item"]["rating"].append(
        {**agentic, "additionalType": "karenina:QuestionSpecificAgenticRubricTrait"}
    )
    tree["dataFeedElement"][1]["item"]["additionalProperty"][0]["value"] = False
    benchmark = load(tree)

    (found,) = benchmark.get_finished_templates()

    assert (found.question_id, found.template_code, found.finished) == (METAL, CLASSIC, True)
    assert (found.question_text, found.question_preview) == ("W" * 120, "W" * 100 + "...")
    assert (found.raw_answer, found.keywords) == ("Mercury", ["chemistry"])
    assert found.last_modified == "2026-01-02T00:00:00.123456"
    assert found.question_rubric is not None
    assert [trait["name"] for trait in found.question_rubric["agentic_traits"]] == ["agent"]
    assert found.question_dynamic_rubric is None
    json.dumps(found.question_rubric)


def test_finished_templates_are_those_that_are_requested() -> None:
    benchmark = two(CLASSIC, default_template("a"))

    assert [one.question_id for one in benchmark.get_finished_templates()] == [METAL, SECOND]
    assert [one.question_id for one in benchmark.get_finished_templates([SECOND])] == [SECOND]
    assert benchmark.get_finished_templates([]) == []
    assert benchmark.get_finished_templates([SECOND])[0].question_preview == "Which metal is lightest?"


# Exchange


def test_templates_are_exchanged_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "templates.json"
    two(CLASSIC, default_template("a")).export_generated_templates(file)
    benchmark = two(None, OTHER)

    assert json.loads(file.read_text(encoding="utf-8")) == {METAL: CLASSIC}
    assert benchmark.import_generated_templates(file) == {METAL: True}
    assert (benchmark.get_template(METAL), benchmark.get_template(SECOND)) == (CLASSIC, OTHER)


def test_a_template_that_is_there_is_replaced_only_on_demand(tmp_path: Path) -> None:
    file = tmp_path / "templates.json"
    file.write_text(json.dumps({METAL: OTHER, SECOND: OTHER, "nothing": OTHER}), encoding="utf-8")
    benchmark = two(CLASSIC, None)

    assert benchmark.import_generated_templates(file) == {METAL: False, SECOND: True, "nothing": False}
    assert (benchmark.get_template(METAL), benchmark.get_template(SECOND)) == (CLASSIC, OTHER)
    assert benchmark.import_generated_templates(file, force_overwrite=True) == {
        METAL: True,
        SECOND: True,
        "nothing": False,
    }
    assert benchmark.get_template(METAL) == OTHER


@pytest.mark.parametrize("bad", ["class Answer(BaseAnswer)", ""])
def test_one_bad_template_keeps_all_of_a_file_out(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "templates.json"
    file.write_text(json.dumps({METAL: OTHER, "nothing": bad}), encoding="utf-8")
    benchmark = two(None, None)
    before = benchmark.to_jsonld()

    with pytest.raises(WriteError, match='the template of "nothing" cannot be used: '):
        benchmark.import_generated_templates(file)
    assert benchmark.to_jsonld() == before


@pytest.mark.parametrize(
    ("text", "message"), [("[]", "not a JSON object"), ('{"a": 5}', "'a' is no text"), ("{", "JSON"), ("", "JSON")]
)
def test_a_file_that_holds_no_templates_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "templates.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(ReadError, match=message):
        two(None, None).import_generated_templates(file)


def test_a_file_of_templates_that_is_not_there_or_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(SourceMissingError):
        two(None, None).import_generated_templates(tmp_path / "missing.json")
    with pytest.raises(WriteError):
        two(CLASSIC, None).export_generated_templates(tmp_path / "missing" / "templates.json")


# Identifiers


def test_a_template_is_known_by_its_text_without_its_layout() -> None:
    indented = "\r\n".join(f"    {line}  " for line in CLASSIC.split("\n"))
    benchmark = two(CLASSIC, indented)

    assert benchmark.get_template_id(METAL) == benchmark.get_template_id(SECOND)
    assert two(None, " ").get_template_id(METAL) == "no_template"
    assert two(None, " ").get_template_id(SECOND) == "no_template"


@capture_answer_source
class ZincAnswer(BaseAnswer):
    """An answer whose name Karenina does not know."""

    metal: str

    def verify(self) -> bool:
        return ZincAnswer.model_fields.keys() == {"metal"} and self.metal == "Zn"


class LightZincAnswer(ZincAnswer):
    light: bool


def test_an_answer_class_is_written_as_its_source_under_the_name_that_karenina_wants() -> None:
    class Answer(BaseAnswer):
        metal: str

        def verify(self) -> bool:
            raise AssertionError("nothing of a template is run")

    benchmark = Benchmark("Metals")
    added = benchmark.add_question("Which?", "Zinc", answer_template=ZincAnswer)
    from_mapping = benchmark.add_question({"question": "Who?", "raw_answer": "Z", "answer_template": ZincAnswer})
    source = inspect.getsource(ZincAnswer).removeprefix("@capture_answer_source\n").replace("ZincAnswer", "Answer")
    assert [benchmark.get_template(one) for one in (added, from_mapping)] == [source, source]
    assert benchmark.validate_templates() == (True, [])
    benchmark.update_template(added, Answer)
    assert benchmark.get_template(added) == textwrap.dedent(inspect.getsource(Answer))
    benchmark.add_answer_template(added, ZincAnswer)
    assert benchmark.get_template(added) == source
    benchmark.update_question_metadata(from_mapping, answer_template=Answer)
    assert benchmark.get_template(from_mapping) == textwrap.dedent(inspect.getsource(Answer))
    assert verify(source, {"metal": "Zn"}).passed is None


def test_of_several_classes_of_one_name_each_has_its_own_source() -> None:
    benchmark = two(CLASSIC, CLASSIC)

    class Answer(BaseAnswer):
        metal: str = VerifiedField("The metal", "zinc", ExactMatch())

    benchmark.add_answer_template(METAL, Answer)

    class Answer(BaseAnswer):  # type: ignore[no-redef]
        metal: str = VerifiedField("The metal", "lead", ExactMatch(normalize=["strip"]))

    benchmark.add_answer_template(SECOND, Answer)
    specs = [benchmark.get_template_spec(one) for one in (METAL, SECOND)]
    assert [spec and spec.fields[0].ground_truth for spec in specs] == ["zinc", "lead"]


TRUTH = "zinc"


def test_texts_in_an_indented_class_keep_their_lines() -> None:
    lines = "Zn\n        or zinc\nor Zink"

    class Lined(BaseAnswer):
        metal: str = VerifiedField(
            description="the metal",
            ground_truth="""Zn
        or zinc
or Zink""",
            verify_with=ExactMatch(),
        )

    benchmark = Benchmark("Metals")
    spec = benchmark.get_template_spec(benchmark.add_question("Which?", "Zinc", answer_template=Lined))
    assert spec is not None
    assert (spec.class_name, spec.fields[0].ground_truth) == ("Answer", lines)


def test_a_class_that_is_no_answer_or_has_no_source_is_refused() -> None:
    class Outside(BaseAnswer):
        metal: str = VerifiedField("The metal", TRUTH, ExactMatch())
        tags: list[str] = VerifiedField("Tags", [str(at) for at in range(2)], SetContainment())

    benchmark = two(CLASSIC, None)
    before = benchmark.to_jsonld()
    for other in (int, BaseAnswer):
        with pytest.raises(TypeError, match="a class that derives from BaseAnswer"):
            benchmark.update_template(METAL, other)
    with pytest.raises(
        WriteError, match="the class LightZincAnswer derives from ZincAnswer, which is not in its source"
    ):
        benchmark.add_question("Which?", "Zinc", answer_template=LightZincAnswer)
    with pytest.raises(WriteError, match="Outside uses TRUTH, which is not in its source: give the text"):
        benchmark.update_template(METAL, Outside)
    for name, module in (("Made", "nowhere"), ("ZincAnswer", __name__)):  # the file has another class of that name
        with pytest.raises(WriteError, match=f"the source of the class {name} is not to be found"):
            benchmark.update_template(METAL, type(name, (BaseAnswer,), {"__module__": module}))
    assert benchmark.to_jsonld() == before


# --- Scenarios, added to a benchmark and taken away.


TYPE = setting("benchmark_type", "scenario")


def named(name: str) -> Scenario:
    """Return a scenario of one turn."""
    node = ScenarioNode.asking("ask", Question(question="Which?", raw_answer="this", custom_metadata={"k": None}))
    return Scenario(name=name, entry_node="ask", nodes={"ask": node}, edges=[])


def test_scenarios_are_added_in_their_order() -> None:
    benchmark = Benchmark("Turns")
    benchmark.add_scenario(named("one"))
    benchmark.add_scenario(named("two"))
    assert benchmark.get_custom_property("benchmark_type") == "scenario"
    for one in (benchmark, load(benchmark.to_jsonld("plain")), load(benchmark.to_jsonld())):
        assert one.get_scenarios() == [named_like(one, "one"), named_like(one, "two")]
        assert (one.scenario_count, one.is_scenario_benchmark, len(one)) == (2, True, 2)
        assert one.get_scenario("two").nodes["ask"].question.custom_metadata == {"k": None}


def named_like(benchmark: Benchmark, name: str) -> Scenario:
    """Return the scenario `name` as it was added: the dates of its question are those of its making."""
    made, held = named(name), benchmark.get_scenario(name)
    made.nodes["ask"].question_data = held.nodes["ask"].question_data
    return made


def test_the_templates_of_scenarios_are_checked_too() -> None:
    benchmark = Benchmark("Turns")
    for name, template in (("sound", CLASSIC), ("broken", "class Answer("), ("bare", None)):
        made = named(name)
        made.nodes["ask"].question = Question(question="Which?", raw_answer="this", answer_template=template)
        benchmark.add_scenario(made)
    verdict = benchmark.validate()
    assert [one["question_id"] for one in verdict.template_errors] == ["broken: ask"]
    assert (verdict.ok, benchmark.check_readiness()["templates_valid"]) == (False, False)


def test_a_scenario_joins_those_of_a_file() -> None:
    tree = scenario()
    tree["hasPart"][0]["ex"] = {"unknown": [1, None]}
    benchmark = load(tree)
    other = Scenario.model_validate({**tree["hasPart"][0], "name": "other"})
    benchmark.add_scenario(other)
    tree["hasPart"].append({**copy.deepcopy(tree["hasPart"][0]), "name": "other"})
    tree["additionalProperty"].append(TYPE)
    assert_says(benchmark, tree)
    assert benchmark.get_scenario("other").model_extra == {"ex": {"unknown": [1, None]}}


def test_a_scenario_is_removed_with_all_that_belongs_to_it() -> None:
    tree = scenario()
    tree["hasPart"].append({**copy.deepcopy(tree["hasPart"][0]), "name": "other"})
    tree["additionalProperty"].append(TYPE)
    benchmark = load(tree)
    benchmark.remove_scenario("retry")
    del tree["hasPart"][0]
    assert_says(benchmark, tree)
    assert not any("retry" in str(term) for triple in benchmark.graph for term in triple)
    benchmark.remove_scenario("other")
    del tree["hasPart"]
    tree["additionalProperty"].remove(TYPE)
    assert_says(benchmark, tree)
    assert benchmark.add_question("Q?", "a", question_id="urn:x") == "urn:x"


def test_other_parts_stay() -> None:
    tree = scenario()
    tree["hasPart"].insert(0, {"@type": "CreativeWork", "name": "retry"})
    benchmark = load(tree)
    benchmark.remove_scenario("retry")
    del tree["hasPart"][1]
    assert_says(benchmark, tree)
    assert not benchmark.is_scenario_benchmark


def test_a_name_is_taken_once() -> None:
    tree = scenario()
    benchmark = load(tree)
    with pytest.raises(WriteError, match="the name 'retry' of the scenario is taken"):
        benchmark.add_scenario(named("retry"))
    with pytest.raises(WriteError, match="the name '' of the scenario is empty"):
        benchmark.add_scenario(named(""))
    assert_says(benchmark, tree, edited=False)


def test_a_value_that_json_cannot_hold_adds_nothing() -> None:
    tree = scenario()
    benchmark = load(tree)
    hostile = named("other")
    hostile.metadata = {"x": float("nan")}
    with pytest.raises(WriteError, match="nan is not a JSON number"):
        benchmark.add_scenario(hostile)
    assert_says(benchmark, tree, edited=False)


def test_a_scenario_that_could_not_be_read_again_adds_nothing() -> None:
    tree = scenario()
    benchmark = load(tree)
    hostile = named("other")
    hostile.nodes["end"] = None  # type: ignore[assignment]
    with pytest.raises(WriteError, match=r"'other' .*nodes\.end: "):
        benchmark.add_scenario(hostile)
    assert_says(benchmark, tree, edited=False)


def test_a_benchmark_holds_questions_or_scenarios() -> None:
    tree = strange()
    benchmark = load(tree)
    with pytest.raises(WriteError, match="a benchmark of questions holds no scenarios"):
        benchmark.add_scenario(named("one"))
    assert_says(benchmark, tree, edited=False)


def test_what_cannot_be_read_is_reported_without_the_inner_names_of_pydantic() -> None:
    tree = scenario()
    tree["hasPart"][0]["edges"][0]["condition"] = 5
    benchmark = load(tree)
    with pytest.raises(ReadError) as refused:
        benchmark.get_scenario("retry")

    found = "edges.0.condition: Input should be a valid dictionary or Input should be a valid list"
    assert str(refused.value) == f"the scenario 'retry' cannot be read: {found}"
