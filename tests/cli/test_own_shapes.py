"""Shapes of an organisation: codes, explanations, and findings about the shapes themselves."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_validate import write

ACME = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ck: <urn:checkpoint-ld:shacl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix schema: <https://schema.org/> .
@prefix acme: <https://acme.example/shapes#> .
acme:Benchmark a sh:NodeShape ; sh:targetClass schema:DataFeed ;
  sh:property [ sh:path schema:license ; sh:minCount 1 ; sh:severity sh:Warning ; ck:code "ACME001" ;
      sh:name "a benchmark without a licence" ; sh:description "We publish with a licence only." ;
      sh:message "it has no licence" ; ck:remedy "add schema:license" ;
      rdfs:seeAlso <https://acme.example/handbook#licence> ] ,
    [ sh:path schema:name ; sh:maxLength 3 ; ck:code "ACME002" ; sh:message "the name {?value} is long" ] .
"""


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    write("a.jsonld")
    (here / "acme.ttl").write_text(ACME, encoding="utf-8")


def found(run: Run, *options: str) -> list[dict[str, Any]]:
    done = run("validate", "a.jsonld", "--format", "json", "--no-cache", *options)
    return [one for one in json.loads(done.out)["findings"] if one["code"][0] in "AS"]


def test_each_constraint_has_a_code(run: Run) -> None:
    ours = ("--shapes", "acme.ttl")
    one, two = sorted(found(run, *ours), key=lambda finding: finding["code"])

    assert (one["code"], one["severity"], one["remedy"]) == ("ACME001", "warning", "add schema:license")
    assert (two["code"], two["severity"], two["line"] is None) == ("ACME002", "violation", False)
    assert [one["code"] for one in found(run, *ours, "--ignore", "ACME002")] == ["ACME001"]
    assert {one["code"] for one in found(run, *ours, "--select", "ACME")} == {"ACME001", "ACME002"}


def test_known_findings_of_an_organisation_are_left_out(run: Run) -> None:
    options = ("--shapes", "acme.ttl", "--baseline", "known.json")
    run("validate", "a.jsonld", "--no-cache", *options, "--write-baseline")

    assert found(run, *options) == []


@pytest.mark.parametrize("is_configured", [False, True])
def test_rules_of_an_organisation_are_explained(run: Run, *, is_configured: bool) -> None:
    if is_configured:
        Path(".checkpoint-ld.toml").write_text('shapes = ["acme.ttl"]', encoding="utf-8")
    out = run("rules", "ACME001", *(() if is_configured else ("--shapes", "acme.ttl"))).out.decode()

    for words in ("a benchmark without a licence", "We publish", "add schema:license", "handbook#licence"):
        assert words in out


def test_two_constraints_with_one_code_are_refused(run: Run) -> None:
    Path("acme.ttl").write_text(ACME.replace("ACME002", "ACME001"), encoding="utf-8")
    done = run("validate", "a.jsonld", "--shapes", "acme.ttl")

    assert done.code == 2
    assert "two of your own shapes have the code ACME001" in done.err


@pytest.mark.parametrize(
    ("shape", "code", "words", "line"),
    [
        ("ex:S sh:targetClass schema:Question ;\n  sh:minCuont 1 .", "SH001", "did you mean sh:minCount?", 3),
        ('ex:S sh:targetClass schema:Question ; sh:pattern "\\\\p{IsGreek}" .', "SH002", "IsGreek", 2),
        ("ex:S sh:targetClass schema:Nothing ; sh:nodeKind sh:IRI .", "SH003", "no node of 2 files is a target", 2),
        (
            "ex:S sh:targetClass <http://schema.org/Question> ; sh:nodeKind sh:IRI .",
            *("SH004", "<https://schema.org/Question>", 2),
        ),
    ],
)
def test_a_doubt_about_shapes_is_a_finding_in_their_file(
    run: Run, shape: str, code: str, words: str, line: int
) -> None:
    prefixes = (
        "@prefix ex: <urn:ex:> . @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> ."
    )
    Path("own.ttl").write_text(f"{prefixes}\n{shape}", encoding="utf-8")
    write("b.jsonld", name="Another")
    options = ("b.jsonld", "--shapes", "own.ttl")
    (one,) = found(run, *options)

    assert (one["code"], one["file"], one["line"]) == (code, "own.ttl", line)
    assert words in one["message"] + one["remedy"]
    assert found(run, *options, "--ignore", code) == []
    assert [one["code"] for one in found(run, *options, "--jobs", "2")] == [code]


def test_a_target_that_one_file_has_is_no_doubt_also_by_the_cache(run: Run) -> None:
    prefixes = "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> ."
    shape = "<urn:ex:S> sh:targetObjectsOf schema:license ; sh:nodeKind sh:IRIOrLiteral ."
    Path("own.ttl").write_text(f"{prefixes} {shape}", encoding="utf-8")
    write("b.jsonld", license="https://acme.example/licence")

    for _ in range(2):
        done = run(
            "validate", "a.jsonld", "b.jsonld", "--shapes", "own.ttl", "--format", "json", "--cache-dir", "cache"
        )
        assert "SH003" not in done.out.decode()
        alone = run("validate", "a.jsonld", "--shapes", "own.ttl", "--format", "json", "--cache-dir", "cache")
        assert "SH003" in alone.out.decode()
