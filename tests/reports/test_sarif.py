"""The report as SARIF, held against the published schema (see `sarif-2.1.0-rtm.5.md`)."""

import dataclasses
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pyshacl
import pytest
from rdflib import RDF, SDO, SH, BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.term import Node

from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.validation.reports import ReportSettings, programs, render
from checkpoint_ld.validation.reports.programs import FINGERPRINT, message
from checkpoint_ld.validation.results import Checked, Report
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, SHAPES
from tests.reports.samples import CLEAN, GRAPH, HOSTILE, QUESTION, RULES, TEXT, found, hostile, metals, repeated, report

SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
CHECKER = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


def run(case: Report) -> dict[str, Any]:
    log = json.loads(render(case, "sarif"))
    CHECKER.validate(log)
    (only,) = log["runs"]
    assert isinstance(only, dict)
    return only


def test_the_schema_refuses_what_is_no_sarif() -> None:
    log = json.loads(render(report(metals()), "sarif"))
    log["runs"][0]["results"][0]["level"] = "violation"

    assert list(CHECKER.iter_errors(log))


@pytest.mark.parametrize(
    "case",
    [
        report(),
        report(CLEAN),
        report(metals(None)),
        report(GRAPH),
        report(hostile()),
        report(metals(), CLEAN, GRAPH, repeated(9), hostile()),
        report(metals(), rules={}),
    ],
)
def test_every_report_is_valid_sarif(case: Report) -> None:
    assert len(run(case)["results"]) == len(case.findings)


def test_a_rule_is_described_and_every_result_points_to_its_rule() -> None:
    only = run(report(metals()))
    rules = only["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == ["KQ001", "KQ003", "KT010"]
    assert rules[1] == {
        "id": "KQ003",
        "name": "QuestionText",
        "shortDescription": {"text": "question without text"},
        "fullDescription": {"text": "The text is what is asked."},
        "help": {"text": "The text is what is asked.\ngive the question its text"},
        "helpUri": "https://example.org/questions#text",
        "defaultConfiguration": {"level": "error"},
        "properties": {"slug": "question-text", "tags": ["Questions", "E-TEXT"]},
    }
    for result in only["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert [result["level"] for result in only["results"]] == ["error", "warning", "note"]


def test_a_rule_that_is_not_in_the_profile_is_listed_all_the_same() -> None:
    only = run(report(Checked("a.json", (Finding("ZZ1", found().severity, "odd"),))))

    assert only["results"][0]["ruleIndex"] == 3
    assert only["tool"]["driver"]["rules"][3]["id"] == "ZZ1"


def test_a_result_states_where_it_is_in_the_file_and_in_the_document() -> None:
    (place,) = run(report(metals()))["results"][0]["locations"]

    assert place == {
        "physicalLocation": {
            "artifactLocation": {"uri": "metals.json", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 5, "startColumn": 69, "endColumn": 71},
        },
        "logicalLocations": [
            {"fullyQualifiedName": "/dataFeedElement/0/item/text", "kind": "value"},
            {"fullyQualifiedName": QUESTION, "kind": "resource"},
        ],
    }


def test_columns_are_stated_to_count_characters() -> None:
    assert run(report(metals()))["columnKind"] == "unicodeCodePoints"


def test_a_place_that_is_not_known_has_no_region() -> None:
    (place,) = run(report(GRAPH))["results"][0]["locations"]

    assert place["physicalLocation"] == {"artifactLocation": {"uri": "metals.ttl", "uriBaseId": "%SRCROOT%"}}


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("a b/ü#1?.json", "a%20b/%C3%BC%231%3F.json"),
        ("./a.json", "a.json"),
        ("c:d.json", "c%3Ad.json"),
        ("100%.json", "100%25.json"),
    ],
)
def test_a_name_becomes_a_uri(source: str, uri: str) -> None:
    (artifact,) = run(report(Checked(source, ())))["artifacts"]

    assert artifact["location"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}


def test_a_name_that_leads_out_of_the_repository_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    (artifact,) = run(report(Checked("../a.json", ())))["artifacts"]
    assert artifact["location"] == {"uri": (tmp_path / "a.json").as_uri()}
    (tmp_path / ".git").mkdir()
    (artifact,) = run(report(Checked("../a.json", ())))["artifacts"]
    assert artifact["location"] == {"uri": "a.json", "uriBaseId": "%SRCROOT%"}


def test_an_absolute_name_needs_no_base(tmp_path: Path) -> None:
    (artifact,) = run(report(Checked(str(tmp_path / "a b.json"), ())))["artifacts"]

    assert artifact["location"] == {"uri": (tmp_path / "a b.json").as_uri()}


def fingerprints(*findings: Finding) -> list[str]:
    results = run(report(Checked("a.json", findings, None, TEXT)))["results"]
    return [result["partialFingerprints"][FINGERPRINT] for result in results]


TRAIT = f"{QUESTION}#/item/rating/0"
FILE = "urn:karenina:sha256:"


@pytest.mark.parametrize(
    ("pointers", "nodes"),
    [
        (("/dataFeedElement/0/@id", "/dataFeedElement/7/@id"), (QUESTION, QUESTION)),
        (("/dataFeedElement/0/item/rating/0/a/1/b", "/dataFeedElement/7/item/rating/0/a/1/b"), (TRAIT, TRAIT)),
        (("/questions/0/traits/0/b", "/questions/7/traits/0/b"), (TRAIT, TRAIT)),
        (("/name", "/name"), (f"{FILE}0123", f"{FILE}4567")),
        (("/rating/0/name", "/rating/0/name"), (f"{FILE}0123#/rating/0", f"{FILE}4567#/rating/0")),
        (("/name", "/name"), (None, None)),
    ],
)
def test_a_fingerprint_stays_when_something_else_is_edited(pointers: tuple[str, str], nodes: tuple[str, str]) -> None:
    before, after = (found(pointer=pointer, node=node) for pointer, node in zip(pointers, nodes, strict=True))

    assert fingerprints(before) == fingerprints(replace(after, place=replace(after.place, line=17, column=9)))


def test_fingerprints_differ_within_a_file() -> None:
    findings = (
        found(pointer="/a/0/text", node=QUESTION),
        found(pointer="/a/0/name", node=QUESTION),
        found("KT010", pointer="/a/0/text", node=QUESTION),
        found(pointer="/a/0/item/rating/0/b/0/value", node=TRAIT),
        found(pointer="/a/0/item/rating/0/b/1/value", node=TRAIT),
        found(pointer="/b/0/text", node=f"{FILE}0123#/b/0"),
        found(pointer="/b/1/text", node=f"{FILE}0123#/b/1"),
        found(pointer="/a/1/text"),
        found(pointer="/a/2/text"),
        found(pointer="/a/2/text"),
        found(),
    )

    assert len(set(fingerprints(*findings))) == len(findings)


def test_a_message_states_what_is_wrong_and_what_to_do() -> None:
    assert message(metals().findings[0]) == "question 1: the text is empty\ngive the question its text"


@pytest.mark.parametrize(
    ("text", "written"),
    [("{0} and {name}", "{{0}} and {{name}}"), ("[here](1)", r"\[here](1)"), ("[1, 2]", "[1, 2]")],
)
def test_what_sarif_reads_as_more_than_text_is_escaped(text: str, written: str) -> None:
    assert message(replace(found(message=text), remedy="")) == written


# --- The report as JSON, held against the schema that is shipped.


def parsed(case: Report) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(render(case, "json", ReportSettings(max_per_rule=1)))
    jsonschema.Draft202012Validator(programs.schema()).validate(tree)
    return tree


def test_the_schema_is_one_and_describes_every_member() -> None:
    schema = programs.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    tree = parsed(report(metals()))

    for members, described in (
        (tree, schema),
        (tree["summary"], schema["properties"]["summary"]),
        (tree["files"][0], schema["properties"]["files"]["items"]),
        (tree["findings"][0], schema["$defs"]["finding"]),
        (tree["rules"]["KQ003"], schema["$defs"]["rule"]),
    ):
        assert set(members) == set(described["properties"]) == set(described["required"])


def test_the_schema_refuses_what_is_no_report() -> None:
    tree = parsed(report(metals()))
    tree["findings"][0]["line"] = 0

    with pytest.raises(jsonschema.ValidationError, match="0 is less than the minimum"):
        jsonschema.Draft202012Validator(programs.schema()).validate(tree)


def test_a_finding_is_there_with_everything_that_is_known() -> None:
    first = parsed(report(metals()))["findings"][0]

    assert first == {
        "code": "KQ003",
        "rule": "question-text",
        "condition": "E-TEXT",
        "severity": "violation",
        "message": "the text is empty",
        "remedy": "give the question its text",
        "subject": "question 1",
        "value": "",
        "file": "metals.json",
        "dialect": "",
        "pointer": "/dataFeedElement/0/item/text",
        "line": 5,
        "column": 69,
        "node": QUESTION,
        "fixable": False,
    }
    known = {field.name for kind in (Finding, Place) for field in dataclasses.fields(kind)}
    assert set(first) == known - {"place"}


def test_files_are_counted_also_those_without_findings() -> None:
    tree = parsed(report(metals(), CLEAN, repeated(10)))

    assert tree["summary"] == {"files": 3, "violations": 11, "warnings": 1, "infos": 1, "known": 0}
    assert [(one["file"], one["violations"], one["warnings"]) for one in tree["files"]] == [
        ("metals.json", 1, 1),
        ("clean.json", 0, 0),
        ("many.json", 10, 0),
    ]
    assert len(tree["findings"]) == 13
    assert not tree["conforms"]
    assert list(tree["rules"]) == ["KQ001", "KQ003", "KT010"]
    assert tree["rules"]["KQ003"]["why"] == RULES["KQ003"].why


def test_an_empty_report_conforms() -> None:
    tree = parsed(report())

    assert tree["conforms"]
    assert tree["files"] == tree["findings"] == []


def test_what_is_not_known_is_null() -> None:
    first = parsed(report(GRAPH))["findings"][0]

    assert [first[name] for name in ("pointer", "line", "column", "value")] == [None] * 4


def test_hostile_text_comes_back_as_it_was() -> None:
    tree = parsed(report(hostile()))

    assert tree["findings"][0]["value"] == HOSTILE


# --- The report as SHACL validation reports, read back by rdflib and held against SHACL 1.0 §3.6.


SHAPES_GRAPH = """
@prefix schema: <https://schema.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<urn:karenina:shape:Question> a sh:NodeShape ; sh:targetClass schema:Question ;
  sh:property <urn:karenina:shape:question-text>, [ sh:path [ sh:inversePath schema:item ] ; sh:minCount 1 ] .
<urn:karenina:shape:question-text> sh:path schema:text ; sh:datatype xsd:string ; sh:message "the text is no text" .
"""
DATA = """
@prefix schema: <https://schema.org/> .
<urn:uuid:question-1> a schema:Question ; schema:text "3.14159265358979"^^<http://www.w3.org/2001/XMLSchema#double> .
<urn:uuid:question-2> a schema:Question ; schema:text true .
"""
YES, NO = Literal(True), Literal(False)
ONE = (URIRef(SH.resultSeverity), URIRef(SH.focusNode), URIRef(SH.sourceConstraintComponent))


def parsed_report(case: Report) -> Graph:
    graph = Graph().parse(data=render(case, "turtle"), format="turtle")
    results = set(graph.subjects(RDF.type, SH.ValidationResult))
    assert results == set(graph.objects(None, SH.result))
    for result in results:
        assert [len(list(graph.objects(result, predicate))) for predicate in ONE] == [1, 1, 1]
    for one in graph.subjects(RDF.type, SH.ValidationReport):
        assert list(graph.objects(one, SH.conforms)) == [Literal((one, SH.result, None) not in graph)]
    return graph


def report_on(graph: Graph, source: str) -> Node:
    """Return the validation report about the source of that name."""
    (named,) = graph.subjects(SDO.name, Literal(source))
    (one,) = graph.subjects(SDO.about, named)
    return one


def validated() -> Graph:
    """Return the report of pySHACL on `DATA`."""
    data = Graph().parse(data=DATA, format="turtle")
    _, results, _ = pyshacl.validate(data, shacl_graph=Graph().parse(data=SHAPES_GRAPH, format="turtle"))
    assert isinstance(results, Graph)
    return results


def test_each_source_has_one_report() -> None:
    graph = parsed_report(report(metals(), CLEAN, GRAPH, hostile()))

    assert len(list(graph.subjects(RDF.type, SH.ValidationReport))) == 4
    assert graph.value(report_on(graph, "clean.json"), SH.conforms) == YES
    assert graph.value(report_on(graph, "metals.json"), SH.conforms) == NO
    assert len(list(graph.objects(report_on(graph, "metals.json"), SH.result))) == 3


def test_a_finding_is_a_result() -> None:
    graph = parsed_report(report(GRAPH))
    (result,) = graph.objects(None, SH.result)

    assert dict(graph.predicate_objects(result)) == {
        RDF.type: SH.ValidationResult,
        SH.focusNode: URIRef(QUESTION),
        SH.resultSeverity: SH.Violation,
        SH.resultMessage: Literal("the text is empty"),
        SH.sourceShape: URIRef(SHAPES + "question-text"),
        SH.sourceConstraintComponent: URIRef(CHECKPOINT_SHACL + "RuleConstraintComponent"),
    }


@pytest.mark.parametrize("node", [None, "", "not an IRI", "_:b"])
def test_what_is_about_no_node_is_about_the_source(node: str | None) -> None:
    graph = parsed_report(report(Checked("a.json", (found("KX001", "not JSON", node=node),))))

    (result,) = graph.objects(report_on(graph, "a.json"), SH.result)
    assert graph.value(result, SH.focusNode) == graph.value(None, SDO.name, Literal("a.json"))


def test_severities_are_those_of_shacl() -> None:
    graph = parsed_report(report(metals()))

    assert set(graph.objects(None, SH.resultSeverity)) == {SH.Violation, SH.Warning, SH.Info}


def test_what_pyshacl_reported_stands_as_it_is_and_its_findings_are_not_reported_twice() -> None:
    results = validated()

    graph = parsed_report(report(Checked("a.json", (found(node=QUESTION),), results=results)))

    graph.remove((None, SDO.about, None))
    graph.remove((None, SDO.name, None))
    assert isomorphic(graph, results)


def test_what_was_found_without_a_shape_is_added() -> None:
    findings = (found(node=QUESTION), found("KX001", "a key twice", severity=Severity.WARNING))

    graph = parsed_report(report(Checked("a.json", findings, results=validated())))

    (added,) = graph.subjects(SH.resultMessage, Literal("a key twice"))
    assert graph.value(added, SH.resultSeverity) == SH.Warning
    assert len(list(graph.objects(report_on(graph, "a.json"), SH.result))) == 5


def test_a_finding_without_a_shape_makes_a_report_that_conformed_not_conform() -> None:
    data, shapes = Graph(), Graph().parse(data=SHAPES_GRAPH, format="turtle")
    conforms, results, _ = pyshacl.validate(data, shacl_graph=shapes)
    assert conforms
    assert isinstance(results, Graph)

    graph = parsed_report(report(Checked("a.json", (found("KX001", "a key twice"),), results=results)))

    assert [str(one) for one in graph.objects(None, SH.conforms)] == ["false"]


def test_numbers_keep_all_their_digits() -> None:
    assert "3.14159265358979" in render(report(Checked("a.json", (), results=validated())), "turtle")


def test_the_same_report_is_the_same_text_whatever_its_blank_nodes_are_called() -> None:
    lines = validated().serialize(format="nt")

    graphs = [Graph().parse(data=lines, format="nt") for _ in range(2)]

    assert not set(graphs[0].subjects(RDF.type, SH.ValidationReport)) & set(graphs[1].subjects())
    first, second = (render(report(Checked("a.json", (), results=graph)), "turtle") for graph in graphs)
    assert first == second


def test_reports_of_several_sources_share_no_blank_node() -> None:
    graph = parsed_report(report(*(Checked(f"{name}.json", (), results=validated()) for name in "ab")))

    def reached(start: Node) -> set[Node]:
        return {term for term in graph.transitive_objects(start, None) if isinstance(term, BNode)}

    one, other = (reached(report_on(graph, name)) for name in ("a.json", "b.json"))
    assert one
    assert not one & other
