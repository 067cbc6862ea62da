"""The vocabulary: every term that is written is declared, every term that is declared is written."""

import json
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from pydantic import BaseModel
from rdflib import OWL, RDF, RDFS, SH, Graph, Literal, Namespace, URIRef

from checkpoint_ld import Benchmark, data, shapes_graph
from checkpoint_ld.assessment import assess, earl, read_answers
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.mapping.traits import FAMILIES
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.validation import profiles
from checkpoint_ld.validation.inference import predicate_of, with_inferred
from checkpoint_ld.validation.inference.inferred_graph import ELSEWHERE
from checkpoint_ld.validation.inference.inferred_graph import SINGULAR as SETTINGS_IN_SINGULAR
from checkpoint_ld.vocabulary import KARENINA, SCOPES, TRAIT_SUFFIXES, TRAIT_TYPES
from tests.documents import Json, item, rating, scenario, setting
from tests.inference.documents import ADA, HANDBOOK, document_of, question
from tests.inference.test_queries import answers

FILE = "karenina-vocabulary.ttl"
ONTOLOGY = URIRef(KARENINA)
DC, DCTERMS = Namespace("http://purl.org/dc/elements/1.1/"), Namespace("http://purl.org/dc/terms/")
DOCS = Path(__file__).parents[2] / "docs"

SETTINGS: Json = {
    "RubricTrait": {
        "kind": "score",
        "min_score": 1,
        "max_score": 5,
        "summary": "s",
        "include_ground_truth": True,
        "deep_judgment_max_excerpts": 2,
        "deep_judgment_fuzzy_match_threshold": 0.5,
        "deep_judgment_excerpt_retry_attempts": 1,
    },
    "LLMRubricTrait": {"kind": "literal", "classes": {"a": "1", "b": "2"}},
    "RegexTrait": {"pattern": "a"},
    "CallableTrait": {"kind": "boolean", "callable_code": "YQ=="},
    "MetricRubricTrait": {
        "metrics": ["recall"],
        "tp_instructions": ["a"],
        "tn_instructions": ["b"],
        "evaluation_mode": "full_matrix",
    },
    "AgenticRubricTrait": {"kind": {"type": "template", "schema": {"type": "object"}}},
    "DynamicRubricTrait": {"dynamic_trait_type": "regex", "pattern": "a", "summary": "s"},
}
ARGUMENTS = {
    "ContainsAny": "substrings=['a']",
    "ContainsAll": "substrings=['a']",
    "RegexMatch": "pattern='a', flags=['IGNORECASE']",
    "NumericTolerance": "tolerance=1",
    "NumericRange": "min=1, max=2",
    "NumericGraded": "cutoff=1, full_credit=0.5",
    "NumericRangeGraded": "min=1, max=2, margin=1",
    "NumericThresholdGraded": "direction='max', margin=1",
    "SetContainment": "mode='overlap', min_overlap=1",
    "DateMatch": "format='%Y'",
    "DateTolerance": "tolerance=1",
    "DateRange": "min='2000', max='2001'",
    "TraceRegex": "pattern='a', count_min=1",
    "TraceContains": "substring='a'",
    "TraceLength": "min=1, max=2",
}
ANNOTATIONS = {"bool": "bool", "int": "int", "float": "float", "str": "str", "list_str": "list[str]", "date": "str"}
CASE = "GroundTruthCase(value='c')"
CASES = f"ConditionalGroundTruth(source='a', cases={{'b': {CASE}}}, default={CASE})"


def template() -> str:
    """Return a template with every primitive, every node of a strategy and every member of a field."""
    lines = ["class Answer(BaseAnswer):"]
    for name, primitive in registry().items():
        kind = "Literal['a']" if primitive.types[0] == "literal" else ANNOTATIONS[primitive.types[0]]
        how = f"{name}({ARGUMENTS.get(name, '')})"
        truth = CASES if name == "ExactMatch" else "None" if name != "BooleanMatch" else "True"
        lines.append(f"    f_{name}: {kind} = VerifiedField(description='x', ground_truth={truth},")
        lines.append(f"        verify_with={how}, extraction_hint='h')")
    leaf = "FieldCheck(field='f_ExactMatch')"
    lines += [
        "    class VerificationStrategy:",
        f"        verify_strategy = AllOf(conditions=[AnyOf(conditions=[{leaf}]), AtLeastN(n=1, conditions=[{leaf}])])",
        "    def model_post_init(self, context):",
        "        self.regex = {'r': {'pattern': 'a', 'expected': 'a', 'match_type': 'exact'}}",
    ]
    return "\n".join(lines)


def everything() -> list[Json]:
    """Return documents that say whatever a term of the vocabulary stands for."""
    traits = [
        {**rating(kind, **settings), "additionalType": f"karenina:{scope}{kind}", "worstRating": 1.0, "bestRating": 5.0}
        for scope in SCOPES
        for kind, settings in SETTINGS.items()
    ]
    one = question(template=template(), traits=tuple(traits), answer_notes="n", workspace_path="p")
    one["item"]["keywords"] = ["b", "b"]
    one["item"]["additionalProperty"].append(setting("question_llm_rubric_traits", [{"name": "older"}]))
    turns = scenario()
    start = turns["hasPart"][0]["nodes"]["start here"]
    start |= {"modelOverride": {"a": 1}, "toolFilter": {}, "agentIdentity": "a", "questionData": {"question": "q"}}
    turns["hasPart"][0]["edges"][0]["handover"] = "transcript_append"
    turns["hasPart"][0]["outcomeCriteria"][0]["evaluateSource"] = "lambda s: True"
    return [document_of(one, item(identifier="no iri")), turns]


def results() -> list[pyoxigraph.Triple]:
    """Return what `verify` writes about the recorded answers of the documentation."""
    examples = DOCS / "examples"
    answers = read_answers(examples / "answers.jsonl")
    return list(earl.statements(assess(Benchmark.load(examples / "elements.jsonld"), answers), base="urn:x#"))


@cache
def written() -> frozenset[URIRef]:
    """Return the terms that graphs with derived statements use: predicates, classes, types of ratings."""
    found: set[URIRef] = set()
    for tree in everything():
        for triple in with_inferred(CheckpointGraph.of_tree(tree)):
            found |= {term for term in triple if isinstance(term, URIRef) and term.startswith(KARENINA)}
    for stated in results():
        names = (getattr(one, "value", "") for one in (stated.predicate, stated.object))
        found |= {URIRef(name) for name in names if name.startswith(KARENINA)}
    return frozenset(found)


@cache
def declared() -> Graph:
    return Graph().parse(data=data.text("contexts", FILE), format="turtle")


def terms() -> list[URIRef]:
    return sorted(one for one in set(declared().subjects()) if isinstance(one, URIRef) and one != ONTOLOGY)


def local(names: Any) -> set[str]:
    return {str(name).removeprefix(KARENINA) for name in names}


def test_every_term_that_is_written_is_declared() -> None:
    assert local(written() - set(terms())) == set()


def test_every_declared_term_is_written_or_a_class_of_some_that_are_or_published_shapes_look_at_it() -> None:
    above = {one for one in declared().objects(predicate=RDFS.subClassOf) if isinstance(one, URIRef)}
    looked_at = {*profiles.python_only().values(), *shapes_graph().all_nodes()}
    text = " ".join(map(str, shapes_graph().objects(predicate=SH.construct)))
    inferred = {URIRef(KARENINA + name) for name in re.findall(r"karenina:(\w+)", text)}
    rest = local(set(terms()) - written() - above - looked_at - inferred)
    assert rest <= {"benchmarkType", "originalAnswerTemplate"}


def test_every_name_that_a_setting_a_primitive_or_a_context_could_lead_to_is_declared() -> None:
    settings = {name for model in FAMILIES.values() for name in model.model_fields if issubclass(model, BaseModel)}
    names = {SETTINGS_IN_SINGULAR.get(name, name) for name in settings - ELSEWHERE}
    context = re.findall(r'"karenina:(\w+)"', data.text("contexts", "karenina.jsonld"))
    expected = {*map(predicate_of, names), *(URIRef(KARENINA + name) for name in (*context, *TRAIT_TYPES, *registry()))}
    assert local(expected - set(terms())) == set()
    assert len(TRAIT_TYPES) == len(SCOPES) * len(TRAIT_SUFFIXES)


def test_both_libraries_read_the_same_statements() -> None:
    quads = pyoxigraph.parse(data.text("contexts", FILE), format=pyoxigraph.RdfFormat.TURTLE)
    assert len(list(quads)) == len(declared()) > 900


def test_the_vocabulary_states_which_one_it_is_and_of_which_version() -> None:
    graph = declared()
    assert (ONTOLOGY, RDF.type, OWL.Ontology) in graph
    assert re.fullmatch(r"\d+\.\d+\.\d+", str(graph.value(ONTOLOGY, OWL.versionInfo)))
    assert str(graph.value(ONTOLOGY, OWL.versionIRI)) == KARENINA + str(graph.value(ONTOLOGY, OWL.versionInfo))


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.removeprefix(KARENINA))
def test_a_term_states_what_it_is_and_what_it_is_for(term: URIRef) -> None:
    graph = declared()
    kinds = set(graph.objects(term, RDF.type))
    assert kinds in ({OWL.Class}, {OWL.DatatypeProperty}, {OWL.ObjectProperty})
    for predicate in (RDFS.label, RDFS.comment, DC.subject):
        held = list(graph.objects(term, predicate))
        assert len(held) == 1
        assert isinstance(held[0], Literal)
        assert held[0].language == "en"
        assert held[0].strip()
    assert str(graph.value(term, RDFS.comment)).endswith(".")
    assert list(graph.objects(term, RDFS.isDefinedBy)) == [ONTOLOGY]
    if kinds == {OWL.ObjectProperty}:
        assert graph.value(term, RDFS.range) is not None
    for other in (*graph.objects(term, RDFS.subClassOf), *graph.objects(term, RDFS.domain)):
        assert not str(other).startswith(KARENINA) or (other, RDF.type, OWL.Class) in graph


def test_what_is_written_fits_the_kind_and_the_range_of_its_predicate() -> None:
    graph = declared()
    ranges: dict[Any, Any] = {term: graph.value(term, RDFS.range) for term in terms()}
    for tree in everything():
        for _, predicate, term in with_inferred(CheckpointGraph.of_tree(tree)):
            if predicate not in ranges:
                continue
            is_object = (predicate, RDF.type, OWL.ObjectProperty) in graph
            assert isinstance(term, Literal) is not is_object, predicate
            expected = ranges[predicate]
            if isinstance(term, Literal) and expected is not None and expected != RDFS.Literal:
                stated = term.datatype or URIRef("http://www.w3.org/2001/XMLSchema#string")
                assert stated == expected, predicate


def test_the_page_is_what_the_vocabulary_states() -> None:
    script = runpy.run_path(str(DOCS / "vocabulary_page.py"))
    rendered = script["page"]()
    assert (DOCS / "vocabulary.md").read_text(encoding="utf-8") == rendered, "run python docs/vocabulary_page.py"
    for _, file, _ in script["PARTS"]:
        assert (DOCS / file).read_text(encoding="utf-8") == data.text("contexts", file)  # it stands beside its page
        vocabulary = Graph().parse(data=data.text("contexts", file), format="turtle")
        for term in vocabulary.subjects(RDFS.label):
            assert f"`{vocabulary.qname(str(term))}`" in rendered


def test_the_template_with_everything_is_read_whole() -> None:
    graph = with_inferred(CheckpointGraph.of_tree(everything()[0]))
    primitives = graph.objects(predicate=URIRef(KARENINA + "primitive"))
    kinds = {kind for one in primitives for kind in graph.objects(one, RDF.type)}
    assert {URIRef(KARENINA + name) for name in registry()} <= kinds


# --- Authors, sources and creators as nodes of schema.org.


KEY = "sk-" + "a1B2" * 8
ORCID = "https://orcid.org/0000-0002-1825-0097"

MAKERS = (
    "SELECT ?name { ?question a schema:Question ; schema:author ?author . ?author a schema:Person ; schema:name ?name }"
)
NAMES = "SELECT (STR(?one) AS ?name) { ?question a schema:Question ; schema:author|schema:citation ?one }"


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Ada", ["Ada"]),
        (json.dumps({"name": "Ada"}), ["Ada"]),
        ({"name": "Ada", "email": "a@b.org"}, ["Ada"]),
        ([{"name": "Ada"}, "B."], ["Ada", "B."]),
        (None, []),
        ("", []),
        ({}, []),
        ({"name": " "}, []),
        ("[broken", ["[broken"]),
        ("[" * 5000, ["[" * 5000]),
    ],
)
def test_authors_are_persons_in_whatever_form_they_are_reported(author: Json, names: list[str]) -> None:
    assert answers(document_of(question(author=author)), MAKERS) == [(name,) for name in names]


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (ADA, ORCID),
        ({"name": "Ada", "orcid": ORCID + "/"}, ORCID),
        ({"name": "Ada", "@id": "https://example.org/#ada"}, "https://example.org/#ada"),
        ({"name": "Ada", "url": "https://example.org/ada"}, "https://example.org/ada"),
        ({"name": "Ada", "orcid": "none", "url": "example.org"}, "urn:uuid:Q#/item/schema:author/0"),
        ({"name": "Ada", "@id": "urn:x#/item"}, "urn:uuid:Q#/item/schema:author/0"),
        ({"name": "Ada", "url": f"https://example.org/?token={KEY}"}, "urn:uuid:Q#/item/schema:author/0"),
    ],
)
def test_a_person_is_named_by_an_identifier_of_her_own_or_by_the_place(author: Json, name: str) -> None:
    assert answers(document_of(question(author=author)), NAMES) == [(name,)]


def test_a_person_is_one_node_for_all_her_questions() -> None:
    tree = document_of(question("a?", author=ADA), question("b?", author=json.dumps(ADA)))
    assert answers(tree, "SELECT ?mail ?id { ?author schema:email ?mail ; schema:identifier ?id }") == [
        ("ada@example.org", "0000-0002-1825-0097")
    ]
    assert len(answers(tree, "SELECT ?question { ?question schema:author <" + ORCID + "> }")) == 2


@pytest.mark.parametrize(
    ("sources", "name"),
    [
        ([HANDBOOK], "https://doi.org/10.1000/182"),
        (json.dumps([{**HANDBOOK, "doi": "https://dx.doi.org/10.1000/182"}]), "https://doi.org/10.1000/182"),
        (["https://example.org/metals"], "https://example.org/metals"),
        ([{"name": "Metals", "url": "https://example.org/metals"}], "https://example.org/metals"),
        (["Handbook of Metals"], "urn:uuid:Q#/item/schema:citation/0"),
    ],
)
def test_sources_are_works_that_a_question_cites(sources: Json, name: str) -> None:
    assert answers(document_of(question(sources=sources)), NAMES) == [(name,)]


def test_a_work_states_who_wrote_it_and_when() -> None:
    query = """SELECT ?title ?by ?year ?id WHERE { ?question schema:citation ?work . ?work a schema:CreativeWork ;
        schema:name ?title ; schema:author ?by ; schema:datePublished ?year ; schema:identifier ?id }"""
    assert answers(document_of(question(sources=[HANDBOOK])), query) == [
        ("Handbook of Metals", "B., C.", "1999", "10.1000/182")
    ]


@pytest.mark.parametrize(
    ("creator", "kind"),
    [
        ("A. Smith", "Person"),
        ({"@type": "Person", "name": "A. Smith"}, "Person"),
        (["A. Smith"], "Person"),
        ([{"@type": "Person", "name": "A. Smith", "email": "a@example.org"}], "Person"),
        ({"@type": "Organization", "name": "A. Smith"}, "Organization"),
    ],
)
def test_who_made_a_benchmark_is_queried_in_one_way(creator: Json, kind: str) -> None:
    query = (
        f"SELECT ?name {{ ?benchmark a schema:DataFeed ; schema:author ?by . ?by a schema:{kind} ; schema:name ?name }}"
    )
    assert answers(document_of(creator=creator), query) == [("A. Smith",)]


def test_an_organisation_that_only_a_property_shows_of_is_found() -> None:
    tree = document_of(creator="The Lab")
    tree["additionalProperty"].append(
        setting("creator_details", {"@type": "Organization", "name": "The Lab", "url": "https://lab.example.org"})
    )
    query = "SELECT ?name { <https://lab.example.org> a schema:Organization ; schema:name ?name }"
    assert answers(tree, query) in ([("The Lab",)], [])


def test_a_node_of_the_document_is_linked_and_left_as_it_is() -> None:
    maker = {"@type": "Person", "@id": ORCID, "name": "A. Smith"}
    tree = document_of(question(author=ADA), creator=maker)
    assert answers(tree, f"SELECT ?name {{ <{ORCID}> schema:name ?name }}") == [("A. Smith",)]
    assert len(answers(tree, f"SELECT ?one {{ ?one schema:author <{ORCID}> }}")) == 2


def test_what_looks_like_a_secret_is_reported_no_more_often_than_before() -> None:
    agentic = rating("agent", kind="boolean", model_override={"api_key": KEY}, summary=KEY)
    agentic |= {"additionalType": "karenina:QuestionSpecificAgenticRubricTrait", "description": "x"}
    literal = rating("classes", kind="literal", classes={"a": KEY, KEY: "b"})
    literal["additionalType"] = "karenina:QuestionSpecificLLMRubricTrait"
    source = f"""class Answer(BaseAnswer):
    x: str = VerifiedField(description="{KEY}", ground_truth=["{KEY}"], verify_with=ContainsAny(substrings=["{KEY}"]))
"""
    properties: Json = {
        "author": {"name": "Ada", "email": KEY, "url": f"https://example.org/{KEY}", "api_key": KEY},
        "sources": [f"https://example.org/{KEY}", KEY],
        "answer_notes": f"use {KEY}",
        "workspace_path": KEY,
    }
    tree = document_of(question(template=source, traits=(agentic, literal, rating("r", pattern=KEY)), **properties))
    benchmark = Benchmark.load(json.dumps(tree).encode())

    assert KEY in benchmark.to_ntriples()
    assert benchmark.to_ntriples(inferred=True).count(KEY) == benchmark.to_ntriples().count(KEY)
    assert "modelOverride" not in benchmark.to_ntriples(inferred=True)
