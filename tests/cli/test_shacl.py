"""`checkpoint-ld shacl`: any RDF by anybody's shapes, with pySHACL's options, report and exit status."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rdflib import SH, Graph

from tests.cli.conftest import Run

PREFIXES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix schema: <https://schema.org/> .
"""
DATA = "ex:ann a ex:Pupil ; ex:age -7 . ex:bob a ex:Person ; ex:age 40 . ex:x a schema:Person ."
SHAPES = """ex:S a sh:NodeShape ; sh:targetClass ex:Person ;
  sh:property [ sh:path ex:name ; sh:minCount 1 ] , [ sh:path ex:age ; sh:minInclusive 0 ; sh:severity sh:Warning ] ;
  sh:rule [ a sh:TripleRule ; sh:subject sh:this ; sh:predicate ex:name ; sh:object "somebody" ] .
"""


@pytest.fixture(autouse=True)
def _graphs(here: Path) -> None:
    for name, text in (("data", DATA), ("shapes", SHAPES), ("ont", "ex:Pupil rdfs:subClassOf ex:Person .")):
        (here / f"{name}.ttl").write_text(PREFIXES + text, encoding="utf-8")


def found(report: str) -> set[str]:
    graph = Graph().parse(data=report, format="turtle")
    return {str(one).rpartition("/")[2] for one in graph.objects(None, SH.focusNode)}


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-e", "ont.ttl"),
        ("-e", "ont.ttl", "-i", "rdfs"),
        ("-e", "ont.ttl", "-w"),
        ("--advanced",),
        ("--advanced", "-it", "-e", "ont.ttl"),
        ("--focus", "http://example.org/ann"),
        ("--shape", "http://example.org/S"),
        ("-m",),
    ],
)
def test_the_verdict_is_that_of_pyshacl(run: Run, options: tuple[str, ...]) -> None:
    arguments = ["data.ttl", "-s", "shapes.ttl", *options, "-f", "turtle"]
    ours = run("shacl", *arguments)
    theirs = subprocess.run([sys.executable, "-m", "pyshacl", *arguments], capture_output=True, text=True, check=False)

    assert (ours.code, found(ours.out.decode())) == (theirs.returncode, found(theirs.stdout))


def test_pyshacl_is_the_second_engine(run: Run) -> None:
    ours, theirs = (
        run("shacl", "data.ttl", "-s", "shapes.ttl", "--engine", one, "-f", "turtle") for one in ("compiled", "pyshacl")
    )

    assert (ours.code, found(ours.out.decode())) == (theirs.code, found(theirs.out.decode())) == (1, {"bob"})


def test_the_report_is_text_json_or_rdf(run: Run) -> None:
    assert run("shacl", "data.ttl", "-s", "shapes.ttl").out.startswith(
        b"Validation Report\nConforms: False\nResults (1)"
    )
    held = json.loads(run("shacl", "data.ttl", "-s", "shapes.ttl", "-f", "json").out)
    assert held["conforms"] is False
    assert [one["sourceShape"] for one in held["results"]] == ["[ sh:minCount 1 ; sh:path <http://example.org/name> ]"]
    run("shacl", "data.ttl", "-s", "shapes.ttl", "-o", "report.nt")
    assert (None, SH.conforms, None) in Graph().parse("report.nt")


def test_data_are_read_by_their_names_or_as_it_is_said(run: Run) -> None:
    graph = Graph().parse("data.ttl")
    graph.serialize("data.rdf", format="xml")
    graph.serialize("data.jsonld", format="json-ld")
    graph.serialize("data.txt", format="nt", encoding="utf-8")

    for arguments in (["data.rdf"], ["data.jsonld"], ["data.txt", "-df", "nt"], ["data.ttl", "ont.ttl"]):
        done = run("shacl", *arguments, "-s", "shapes.ttl", "-f", "turtle")
        assert done.code == 1
        assert "bob" in found(done.out.decode())


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ("ex:S sh:targetClass ex:Person ; sh:minCuont 1 .", "did you mean sh:minCount?"),
        ("ex:S sh:targetClass ex:Nobody ; sh:nodeKind sh:IRI .", "no node of the data is a target"),
        (
            "ex:S sh:targetClass <http://schema.org/Person> ; sh:nodeKind sh:IRI .",
            "the data have <https://schema.org/Person>",
        ),
        ("ex:S sh:targetClass ex:Person ; sh:rule [ ] .", "--advanced"),
    ],
)
def test_doubts_about_shapes_are_noted(run: Run, shapes: str, words: str) -> None:
    Path("shapes.ttl").write_text(PREFIXES + shapes, encoding="utf-8")
    done = run("shacl", "data.ttl", "-s", "shapes.ttl")

    assert done.code == 0
    assert words in done.err
