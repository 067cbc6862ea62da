"""What a benchmark says about its publication: set, shown, judged, kept in every dialect, and as CITATION.cff."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import checkpoint_ld
from checkpoint_ld import Benchmark, export_benchmark
from checkpoint_ld.errors import WriteError, WrongTypeError
from checkpoint_ld.integrations.formats.citation import file, spdx_name
from tests.cli.conftest import Run, run
from tests.conftest import REPOSITORY
from tests.formats.benchmarks import made

__all__ = ["run"]

METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"
PUBLISHED: dict[str, Any] = {
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "citation": {"@type": "ScholarlyArticle", "name": "On metals", "url": "https://example.org/metals"},
    "funder": [{"@type": "Organization", "name": "The Fund"}, "Somebody"],
    "keywords": ["metals", "chemistry"],
    "identifier": "https://doi.org/10.5281/zenodo.1234",
}


def published() -> Benchmark:
    benchmark: Benchmark = checkpoint_ld.load(METALS)
    benchmark.set_metadata(**PUBLISHED)
    return benchmark


def publishing_of(benchmark: Benchmark) -> dict[str, Any]:
    return {name: getattr(benchmark, name) for name in PUBLISHED}


SCHEMA = REPOSITORY / ".venv" / "published-shapes" / "cffconvert" / "schemas" / "1.2.0" / "schema.json"
has_schema = pytest.mark.skipif(not SCHEMA.is_file(), reason="cffconvert is missing: make .venv/.published-shapes")


@cache
def schema() -> Any:
    return jsonschema.Draft7Validator(json.loads(SCHEMA.read_bytes()))


def read(benchmark: Benchmark) -> Any:
    """Return what the file of a benchmark says, which the schema of the format accepts where it is there."""
    held = yaml.safe_load(file(benchmark)[0])
    if SCHEMA.is_file():
        schema().validate(held)
    return held


@has_schema
@pytest.mark.slow
def test_the_schema_of_the_format_accepts_it(corpus: Path) -> None:
    largest = max((corpus / "datafeed-ns-v3").glob("*.jsonld"), key=lambda one: one.stat().st_size)
    for benchmark in (published(), checkpoint_ld.load(METALS), checkpoint_ld.load(largest), made(1000)):
        assert read(benchmark)["title"] == benchmark.name
    with pytest.raises(jsonschema.ValidationError):
        schema().validate(read(published()) | {"license": "none"})


@pytest.mark.parametrize("dialect", ["datafeed-ns-v3", "v2.0", "gui-datafeed", "dataset-1"])
def test_every_dialect_keeps_it(dialect: str, tmp_path: Path) -> None:
    published().save(tmp_path / "kept.jsonld", dialect=dialect)
    assert publishing_of(checkpoint_ld.load(tmp_path / "kept.jsonld")) == PUBLISHED


def test_rdf_keeps_it_and_one_may_be_taken_away(tmp_path: Path) -> None:
    benchmark = published()
    benchmark.save(tmp_path / "kept.ttl")
    again = checkpoint_ld.load(tmp_path / "kept.ttl")
    assert {name: value for name, value in publishing_of(again).items() if name not in {"funder", "keywords"}} == {
        name: value for name, value in PUBLISHED.items() if name not in {"funder", "keywords"}
    }
    assert sorted(again.keywords) == sorted(PUBLISHED["keywords"])
    assert len(again.funder) == 2
    benchmark.license = None
    benchmark.set_metadata(keywords=[], funder="NSF")
    assert (benchmark.license, benchmark.keywords, benchmark.funder) == (None, None, "NSF")


@pytest.mark.parametrize(
    ("member", "value"),
    [("license", 4), ("keywords", [{"@type": "DefinedTerm"}]), ("funder", {"name": "no type"}), ("identifier", [1])],
)
def test_what_is_no_such_value_is_refused_and_changes_nothing(member: str, value: object) -> None:
    benchmark = published()
    with pytest.raises(WrongTypeError, match=f"the {member} .* is of another type: give a text"):
        benchmark.set_metadata(name="Other", **{member: value})
    assert (publishing_of(benchmark), benchmark.name) == (PUBLISHED, "Metals")


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("license", "ask us first", "KB024"),
        ("license", "CC-BY-4.0", None),
        ("license", "GPL-2.0-only WITH Classpath-exception-2.0", None),
        ("license", "https://example.org/terms", None),
        ("identifier", "doi:zenodo.1234", "KB025"),
        ("identifier", "10.5281", "KB025"),
        ("identifier", "doi:10.5281/zenodo.1234", None),
        ("identifier", "https://doi.org/10.5281/zenodo.1234", None),
        ("identifier", "urn:isbn:0451450523", None),
        ("identifier", "metals-1", None),
    ],
)
def test_unusual_licences_and_dois_are_warnings(member: str, value: str, code: str | None) -> None:
    benchmark = Benchmark("Metals")
    benchmark.set_metadata(**{member: value})
    assert [one.code for one in benchmark.validate().report.findings if one.code in {"KB024", "KB025"}] == (
        [code] if code else []
    )


def test_it_is_shown(tmp_path: Path, run: Run) -> None:
    published().save(tmp_path / "metals.jsonld")
    shown = run("inspect", str(tmp_path / "metals.jsonld")).out.decode()
    assert all(one in shown for one in ("by/4.0", "On metals", "The Fund, Somebody", "zenodo.1234"))
    assert json.loads(run("inspect", "--json", str(tmp_path / "metals.jsonld")).out)["published"] == PUBLISHED
    assert "The Fund, Somebody" in published()._repr_html_()


def test_a_citation_file_states_it(tmp_path: Path, run: Run) -> None:
    published().save(tmp_path / "metals.jsonld")
    target = tmp_path / "CITATION.cff"
    done = run("export", str(tmp_path / "metals.jsonld"), "--to", "citation", "-o", str(target))
    assert done.code == 0
    assert yaml.safe_load(target.read_bytes()) == {
        "cff-version": "1.2.0",
        "message": "If you use this benchmark, please cite it as below.",
        "type": "dataset",
        "title": "Metals",
        "authors": [{"name": "Ada Smith"}],
        "version": "1.0.0",
        "abstract": "What everybody should know about metals",
        "keywords": ["metals", "chemistry"],
        "license": "CC-BY-4.0",
        "doi": "10.5281/zenodo.1234",
    }
    assert "W-LOSS the citation (On metals) has no place in CITATION.cff" in done.err
    assert "W-LOSS the funder (The Fund, Somebody) has no place in CITATION.cff" in done.err
    assert run("export", str(tmp_path / "metals.jsonld"), "--to", "citation", "-o", str(target)).code != 0


def test_people_and_other_identifiers_and_licences() -> None:
    benchmark = Benchmark("Metals")
    benchmark.set_metadata(
        creator=[
            {"@type": "Person", "name": "Ada Smith", "givenName": "Ada", "familyName": "Smith", "knows": "metals"},
            {"@type": "Organization", "name": "The Lab", "url": "https://example.org/"},
        ],
        license=["https://example.org/terms", "nobody's"],
        identifier=["urn:x:1", {"@type": "PropertyValue", "propertyID": "DOI", "value": "10.1234/a"}, "10.1234/b"],
    )
    held = read(benchmark)
    assert held["authors"] == [
        {"given-names": "Ada", "family-names": "Smith"},
        {"name": "The Lab", "website": "https://example.org/"},
    ]
    assert (held["license-url"], held["doi"]) == ("https://example.org/terms", "10.1234/a")
    assert held["identifiers"] == [{"type": "other", "value": "urn:x:1"}, {"type": "doi", "value": "10.1234/b"}]
    assert ["knows" in one.message or "nobody's" in one.message for one in file(benchmark)[1]] == [True, True]


@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_comes_back(name: str) -> None:
    benchmark = Benchmark(name)
    benchmark.set_metadata(creator="Ada")
    assert read(benchmark)["title"] == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mit", "MIT"),
        ("https://spdx.org/licenses/Apache-2.0.html", "Apache-2.0"),
        ("https://creativecommons.org/licenses/by-sa/4.0/legalcode", "CC-BY-SA-4.0"),
        ("https://creativecommons.org/licenses/none/9.0/", None),
        ("Mine", None),
    ],
)
def test_names_of_licences(text: str, name: str | None) -> None:
    assert spdx_name(text) == name


def test_without_an_author_there_is_no_citation(tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    benchmark.creator = None
    with pytest.raises(WriteError, match="set its creator"):
        export_benchmark(benchmark, tmp_path / "CITATION.cff", format="citation")
    assert not (tmp_path / "CITATION.cff").exists()


def test_a_day_of_publication_is_reported(tmp_path: Path) -> None:
    document = json.loads(METALS.read_bytes()) | {"datePublished": "2026-03-04T10:00:00"}
    (tmp_path / "dated.jsonld").write_text(json.dumps(document), encoding="utf-8")
    assert str(read(checkpoint_ld.load(tmp_path / "dated.jsonld"))["date-released"]) == str(date(2026, 3, 4))
