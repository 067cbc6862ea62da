"""What can be queried of a graph with derived statements, in SPARQL as people write it."""

import json
from typing import Any

import pytest
from rdflib import URIRef

from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.validation.inference import with_inferred
from tests.documents import Json, item, rating, scenario, setting
from tests.inference.documents import TEMPLATE, document_of, question, telling

TO_FILL_IN = {"type": "template", "schema": {"type": "object"}}
PREFIXES = "PREFIX schema: <https://schema.org/> PREFIX karenina: <urn:karenina:vocab:> "

OF_RULES = frozenset(
    (
        *("Known", "Implied", "Unimplied", "Ranged", "Bounded", "Classed", "WorkspaceOnly", "FullMatrix", "TpOnly"),
        *("LLMLiteral", "CallableLiteral", "AgenticLiteral", "PlainLiteral", "OtherRange"),
    )
)
"""Classes, without the word Trait, that only shapes look at."""


def answers(tree: Json, query: str) -> list[tuple[Any, ...]]:
    rows: Json = with_inferred(CheckpointGraph.of_tree(tree)).query(PREFIXES + query)
    return sorted((tuple(None if term is None else term.toPython() for term in row) for row in rows), key=repr)


def template(*fields: str) -> str:
    return "class Answer(BaseAnswer):\n" + "".join(f"    {field}\n" for field in fields)


def field(name: str, kind: str, truth: str, how: str, **more: str) -> str:
    rest = "".join(f", {key}={value}" for key, value in more.items())
    return f"{name}: {kind} = VerifiedField(description='x', ground_truth={truth}, verify_with={how}{rest})"


def of_field(source: str, query: str) -> list[tuple[Any, ...]]:
    return answers(document_of(question(template=source)), query)


def test_which_questions_accept_a_tolerance_above_five_percent() -> None:
    def within(text: str, how: str) -> Json:
        return question(text, template=template(field("x", "float", "1.5", how)))

    tree = document_of(
        within("wide?", "NumericTolerance(tolerance=0.1)"),
        within("narrow?", "NumericTolerance(tolerance=0.05)"),
        within("absolute?", 'NumericTolerance(tolerance=3, mode="absolute")'),
        question("none?"),
    )
    query = """SELECT ?text ?tolerance WHERE {
        ?question schema:text ?text ; karenina:templateField/karenina:primitive ?how .
        ?how a karenina:NumericTolerance ; karenina:mode "relative" ; karenina:tolerance ?tolerance .
        FILTER (?tolerance > 5E-2) }"""
    assert answers(tree, query) == [("wide?", 0.1)]


def test_which_traits_use_a_pattern() -> None:
    pattern = r"\[\d+\]"
    tree = document_of(question("one?", traits=(rating("cites"), rating("loud", pattern="!"))), question("two?"))
    tree["rating"] = [rating("sources", "Global")]
    query = f"""SELECT ?name ?sensitive WHERE {{
        ?trait a karenina:RegexTrait ; schema:name ?name ; karenina:caseSensitive ?sensitive ;
               karenina:pattern {json.dumps(pattern)} }}"""
    assert answers(tree, query) == [("cites", True), ("sources", True)]


@pytest.mark.parametrize(
    ("kind", "settings", "members", "classes"),
    [
        ("RubricTrait", {"kind": "boolean"}, {}, {"LLMTrait", "BooleanTrait"}),
        ("RubricTrait", {"min_score": 0, "max_score": 9}, {"bestRating": 9.0}, {"LLMTrait", "ScoreTrait"}),
        ("LLMRubricTrait", {"kind": "literal", "classes": {"a": "1", "b": "2"}}, {}, {"LLMTrait", "LiteralTrait"}),
        (
            "LLMRubricTrait",
            {"kind": {"type": "template", "schema": {"type": "object"}}},
            {},
            {"LLMTrait", "TemplateTrait"},
        ),
        ("RegexTrait", {"pattern": "a"}, {}, {"RegexTrait", "BooleanTrait"}),
        ("CallableTrait", {"kind": "score", "callable_code": "YQ=="}, {}, {"CallableTrait", "ScoreTrait"}),
        ("MetricRubricTrait", {"metrics": ["f1"], "tp_instructions": ["x"]}, {}, {"MetricTrait", "BooleanTrait"}),
        ("AgenticRubricTrait", {"kind": "boolean"}, {}, {"AgenticTrait", "BooleanTrait"}),
        (
            "DynamicRubricTrait",
            {"dynamic_trait_type": "regex", "pattern": "a"},
            {},
            {"DynamicTrait", "RegexTrait", "BooleanTrait"},
        ),
    ],
)
@pytest.mark.parametrize("scope", ["Global", "QuestionSpecific"])
def test_the_kinds_of_a_trait_are_its_classes(
    kind: str, settings: Json, members: Json, classes: set[str], scope: str
) -> None:
    one = {**rating("t", **settings), "additionalType": f"karenina:{scope}{kind}", **members}
    tree = document_of(question(traits=(one,) if scope == "QuestionSpecific" else ()))
    tree["rating"] = [one] if scope == "Global" else []
    found = answers(
        tree, "SELECT ?class WHERE { ?trait schema:name 't' ; a ?class . FILTER (?class != schema:Rating) }"
    )
    place = "GlobalTrait" if scope == "Global" else "QuestionTrait"
    held = {str(name).removeprefix("urn:karenina:vocab:").removesuffix("Trait") for (name,) in found}
    expected = {name.removesuffix("Trait") for name in ("Trait", place, *classes)}
    assert {name for name in held - OF_RULES if not name.startswith("Read")} == expected


def test_a_rating_that_is_no_trait_has_no_settings_of_one() -> None:
    unusual = {"@type": "Rating", "name": "odd", "ratingValue": 3}
    broken = {**rating("broken"), "additionalProperty": [setting("pattern", {"no": "text"})]}
    deep = {**rating("deep", kind="literal", classes="[" * 100_000), "additionalType": "GlobalLLMRubricTrait"}
    tree = document_of(question(traits=(unusual, broken, deep)))
    tree["rating"] = []
    stated = "SELECT ?name WHERE { ?trait karenina:higherIsBetter|karenina:caseSensitive ?value ; schema:name ?name }"
    assert answers(tree, stated) == []
    assert answers(tree, "SELECT ?name WHERE { ?trait a karenina:KnownTrait ; schema:name ?name } ORDER BY ?name") == [
        ("broken",),
        ("deep",),
    ]


def test_bounds_and_metrics_are_predicates_with_numbers_and_texts() -> None:
    scored = {**rating("s", kind="score", min_score=2, max_score=8), "additionalType": "QuestionSpecificRubricTrait"}
    scored |= {"worstRating": 2.0, "bestRating": 8.0}
    counted = {**rating("m", metrics=["recall", "f1"], tp_instructions=["a", "b"])}
    counted["additionalType"] = "karenina:QuestionSpecificMetricRubricTrait"
    tree = document_of(question(traits=(scored, counted)))
    assert answers(tree, "SELECT ?low ?high { ?t karenina:minScore ?low ; karenina:maxScore ?high }") == [(2, 8)]
    assert answers(tree, "SELECT ?metric { ?t karenina:metric ?metric }") == [("f1",), ("recall",)]
    assert answers(tree, "SELECT ?text { ?t karenina:tpInstruction ?text }") == [("a",), ("b",)]


def test_the_classes_of_a_literal_trait_have_their_scores() -> None:
    query = """SELECT ?score ?name ?about WHERE { ?trait a karenina:LiteralTrait ; karenina:traitClass ?class .
        ?class schema:name ?name ; schema:description ?about ; karenina:score ?score }"""
    assert answers(telling(), query) == [(0, "dry", "no adjectives"), (1, "florid", "many")]


def test_fields_of_templates_are_nodes_with_all_that_they_state() -> None:
    query = """SELECT ?at ?name ?type ?truth ?weight ?hint WHERE {
        ?question karenina:templateLevel "verified" ; karenina:templateField ?field .
        ?field a karenina:TemplateField ; schema:position ?at ; schema:name ?name ; schema:description ?about ;
            karenina:fieldType ?type ; karenina:groundTruth ?truth ; karenina:weight ?weight ; karenina:isTrace false .
        OPTIONAL { ?field karenina:extractionHint ?hint } }"""
    assert answers(telling(), query) == [
        (0, "celsius", "float", 1064, 2.0, None),
        (1, "metal", "str", "Gold", 1.0, "its name"),
    ]


def test_the_parameters_of_a_primitive_are_predicates() -> None:
    query = "SELECT ?name ?substring { ?f schema:name ?name ; karenina:primitive [ karenina:substring ?substring ] }"
    assert answers(telling(), query) == [("metal", "Au"), ("metal", "gold")]
    synonyms = template(field("x", "str", "'a'", "ExactMatch(normalize=['strip', SynonymMap(mapping={'a': 'b'})])"))
    found = of_field(synonyms, "SELECT (STR(?how) AS ?text) { ?p a karenina:ExactMatch ; karenina:normalizer ?how }")
    assert found == [("strip",), ('{"mapping":{"a":"b"}}',)]


def test_a_strategy_is_a_tree_of_nodes_that_leads_to_the_fields() -> None:
    query = """SELECT ?n ?name WHERE { ?question karenina:verifyStrategy ?root . ?root a karenina:AtLeastN ;
        karenina:n ?n ; karenina:verifyCondition [ a karenina:FieldCheck ; karenina:checksField ?field ] .
        ?field schema:name ?name }"""
    assert answers(telling(), query) == [(1, "celsius"), (1, "metal")]


def test_cases_of_a_ground_truth_have_primitives_of_their_own() -> None:
    cases = """ConditionalGroundTruth(source="unit.name", cases={
        "K": GroundTruthCase(value=1337, verify_with=NumericTolerance(tolerance=0.2))},
        default=GroundTruthCase(value=1064))"""
    source = template(field("x", "float", cases, "NumericTolerance(tolerance=0.01)"))
    query = """SELECT ?path ?value ?truth ?tolerance WHERE { ?field karenina:statePath ?path ;
        karenina:groundTruthCase ?case . ?case karenina:groundTruth ?truth .
        OPTIONAL { ?case karenina:stateValue ?value }
        OPTIONAL { ?case karenina:primitive/karenina:tolerance ?tolerance } }"""
    assert of_field(source, query) == [("unit.name", "K", 1337, 0.2), ("unit.name", None, 1064, None)]


def test_a_classic_template_shows_what_it_states_plainly() -> None:
    source = """class Answer(BaseAnswer):
    metal: str = Field(description="The metal")

    def model_post_init(self, context):
        self.correct = {"metal": "gold"}
        self.regex = {"symbol": {"pattern": "Au", "expected": 1, "match_type": "count"}}

    def verify(self) -> bool:
        return self.metal == self.correct["metal"]
"""
    query = """SELECT ?level ?name ?truth ?pattern ?type ?expected WHERE { ?q karenina:templateLevel ?level ;
        karenina:templateField ?field ; karenina:regexCheck ?check .
        ?field schema:name ?name ; karenina:groundTruth ?truth .
        ?check karenina:pattern ?pattern ; karenina:matchType ?type ; karenina:expected ?expected }"""
    assert of_field(source, query) == [("classic", "metal", "gold", "Au", "count", 1)]


def test_what_only_running_a_template_would_show_is_not_stated() -> None:
    source = "import os\n" + template(field("x", "str", "os.environ['A']", "ExactMatch()", weight="len('ab')"))
    assert (
        of_field(source, "SELECT ?f { ?f a karenina:TemplateField ; karenina:primitive/a karenina:ExactMatch }") != []
    )
    assert of_field(source, "SELECT ?value { ?f karenina:groundTruth|karenina:weight ?value }") == []


@pytest.mark.parametrize("source", ["", "def (", "x = 1"])
def test_a_text_that_is_no_template_has_a_level_and_no_fields(source: str) -> None:
    tree = document_of(question(template=source))
    assert len(answers(tree, "SELECT ?level { ?q karenina:templateLevel ?level }")) == 1
    assert answers(tree, "SELECT ?f { ?q karenina:templateField ?f }") == []


def test_questions_of_scenarios_have_templates_too() -> None:
    tree = scenario()
    for node in tree["hasPart"][0]["nodes"].values():
        node["question"]["hasPart"]["text"] = TEMPLATE
    query = (
        "SELECT ?id { ?node karenina:nodeId ?id ; karenina:question/karenina:templateField [ schema:name 'celsius' ] }"
    )
    assert answers(tree, query) == [("again",), ("start here",)]


def test_whether_a_question_is_finished_is_a_boolean_beside_any_other_spelling() -> None:
    one, other = question("a?", answer_notes="in °C", workspace_path="metals/a"), question("b?")
    one["item"]["additionalProperty"][0] = setting("finished", "yes")
    del other["item"]["additionalProperty"]
    tree = document_of(one, other)
    found = answers(tree, "SELECT ?text ?done { ?q schema:text ?text ; karenina:finished ?done }")
    assert sorted(found, key=str) == [("a?", "yes"), ("a?", True), ("b?", False)]
    notes = answers(tree, "SELECT ?notes ?path { ?q karenina:answerNotes ?notes ; karenina:workspacePath ?path }")
    assert notes == [("in °C", "metals/a")]


def test_new_nodes_are_named_by_their_place_so_that_all_derivations_are_equal() -> None:
    graph = with_inferred(CheckpointGraph.of_tree(document_of(item())))
    fields = set(graph.objects(predicate=URIRef("urn:karenina:vocab:templateField")))
    assert fields == {URIRef("urn:uuid:question-metal-1#/item/karenina:templateField/0")}
