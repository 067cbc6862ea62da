"""Credit: authors with ORCID iDs and affiliations, publications, deposits; nobody who did not make a benchmark."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from checkpoint_ld import Benchmark, WriteError, export_benchmark, import_benchmark
from checkpoint_ld.integrations.formats.credit import orcid_in
from tests.cli.conftest import Run
from tests.formats.test_ro_crate import SCHEMA, has_schema

ADA = {
    "@type": "Person",
    "name": "Ada Smith",
    "identifier": "https://orcid.org/0000-0002-1825-0097",
    "affiliation": {"@type": "Organization", "name": "The Lab"},
}
PAPER = {
    "@type": "ScholarlyArticle",
    "name": "On metals",
    "author": [{"@type": "Person", "givenName": "Ada", "familyName": "Smith"}],
    "identifier": "https://doi.org/10.1000/metals",
    "datePublished": "2026-03-01",
    "isPartOf": {"@type": "Periodical", "name": "Metals Today"},
}


def made(**members: Any) -> Benchmark:
    benchmark = Benchmark("Metals", "About metals", "1.0.0")
    benchmark.set_metadata(
        **{"creator": [ADA, {"@type": "Organization", "name": "The Lab"}], "license": "CC-BY-4.0", **members}
    )
    return benchmark


def exported(benchmark: Benchmark, folder: Path, name: str) -> tuple[Any, list[str]]:
    findings = export_benchmark(benchmark, folder / name, overwrite=True)
    return yaml.safe_load((folder / name).read_bytes()), [finding.message for finding in findings]


def test_a_citation_states_orcid_affiliation_and_publication(tmp_path: Path) -> None:
    held, losses = exported(made(citation=PAPER), tmp_path, "CITATION.cff")
    assert held["authors"] == [
        {
            "given-names": "Ada",
            "family-names": "Smith",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
            "affiliation": "The Lab",
        },
        {"name": "The Lab"},
    ]
    assert held["preferred-citation"] == {
        "type": "article",
        "title": "On metals",
        "authors": [{"given-names": "Ada", "family-names": "Smith"}],
        "year": 2026,
        "journal": "Metals Today",
        "doi": "10.1000/metals",
    }
    assert losses == []


@has_schema
@pytest.mark.parametrize(
    "citation",
    [PAPER, "https://doi.org/10.1000/metals", "Smith, A. (2026). On metals. doi:10.1000/metals", [PAPER, "A book"]],
)
def test_the_schema_of_the_format_passes_it(tmp_path: Path, citation: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    held, _ = exported(made(citation=citation), tmp_path, "CITATION.cff")
    plain = json.loads(json.dumps(held, default=str))
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_bytes())).validate(plain)
    assert held["preferred-citation"]["authors"]


def test_a_citation_of_which_only_the_address_is_known_says_so(tmp_path: Path) -> None:
    held, (loss,) = exported(made(citation="https://doi.org/10.1000/metals"), tmp_path, "CITATION.cff")
    assert (held["preferred-citation"]["title"], held["preferred-citation"]["doi"]) == ("Metals", "10.1000/metals")
    assert loss.startswith("the citation 10.1000/metals states no title")


def test_a_deposit_at_zenodo_states_all_of_it(tmp_path: Path) -> None:
    held, losses = exported(made(citation=PAPER, keywords=["metals"]), tmp_path, ".zenodo.json")
    assert held == {
        "upload_type": "dataset",
        "title": "Metals",
        "creators": [
            {"name": "Smith, Ada", "affiliation": "The Lab", "orcid": "0000-0002-1825-0097"},
            {"name": "The Lab"},
        ],
        "description": "About metals",
        "version": "1.0.0",
        "license": "cc-by-4.0",
        "access_right": "open",
        "keywords": ["metals"],
        "related_identifiers": [
            {"identifier": "10.1000/metals", "relation": "isSupplementTo", "resource_type": "publication-article"}
        ],
    }
    assert losses == []


def test_what_a_deposit_cannot_state_is_named(tmp_path: Path) -> None:
    _, losses = exported(made(license="mine", funder="The Fund", citation="A book"), tmp_path, ".zenodo.json")
    assert losses == [
        "the licence 'mine' has no place in .zenodo.json",
        "the funder (The Fund) has no place in .zenodo.json",
    ]


@pytest.mark.parametrize("name", ["CITATION.cff", ".zenodo.json"])
def test_nobody_becomes_an_author_and_exports_ask_for_one(tmp_path: Path, run: Run, name: str) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text("question,answer\nWhich?,Au\n", encoding="utf-8")
    imported = import_benchmark(file).benchmark
    assert imported.creator is None
    for benchmark in (imported, Benchmark("Metals")):  # the second has the creator that Karenina writes
        with pytest.raises(WriteError, match=r"the benchmark has no creator, and .* needs an author: set its creator"):
            export_benchmark(benchmark, tmp_path / name)
    target = tmp_path / "sheet.jsonld"
    creator = ("--creator", "Ada Smith <https://orcid.org/0000-0002-1825-0097>", "--creator", "Bo Li <bo@example.org>")
    done = run("import", file, "-o", target, *creator, "--license", "CC-BY-4.0", "--description", "About metals")
    assert done.code == 0
    assert run("export", target, "-o", tmp_path / name).code == 0
    written = (tmp_path / name).read_text(encoding="utf-8")
    assert "0000-0002-1825-0097" in written
    assert "Karenina" not in written
    assert "About metals" in written


def test_no_format_names_the_creator_of_nothing(tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant")
    benchmark = Benchmark("Metals")
    benchmark.add_question("Which?", "Au")
    for kind, name in (
        ("croissant", "croissant.json"),
        ("ro-crate", "ro-crate-metadata.json"),
        ("hugging-face", "README.md"),
    ):
        export_benchmark(benchmark, tmp_path / kind, format=kind)
        assert "Karenina Benchmarking System" not in (tmp_path / kind / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "orcid"),
    [
        ("https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"),
        ("orcid:0000-0002-9079-593x", "0000-0002-9079-593X"),
        ("0000-0002-1825-0098", None),
        ("https://example.org/0000-0002-1825-0097", None),
    ],
)
def test_an_orcid_is_one_if_its_check_digit_is_right(text: str, orcid: str | None) -> None:
    assert orcid_in(text) == orcid


def test_a_changelog_has_versions_and_readable_names(tmp_path: Path, run: Run) -> None:
    old = made()
    identifier = old.add_question("Which metal rusts?", "Iron", keywords=["metals"])
    old.add_question("Which metal melts?", "Gold")
    old.save(tmp_path / "old.jsonld", placeholders=True)
    new = old.clone()
    new.set_metadata(version="1.1.0", modified_at="2026-05-01T00:00:00", license="MIT")
    new.update_question_metadata(identifier, raw_answer="Iron, and *steel*", keywords=["metals", "rust"])
    new.remove_question(old.get_question_ids()[1])
    new.add_question("Which metal is liquid?", "Mercury")
    new.modified_at = "2026-05-01T00:00:00"
    new.save(tmp_path / "new.jsonld", placeholders=True)
    done = run("diff", tmp_path / "old.jsonld", tmp_path / "new.jsonld", "--format", "changelog")
    assert done.code == 1
    assert done.out.decode() == (
        "# Changes of Metals\n\n## 1.1.0 - 2026-05-01\n\nSince 1.0.0:\n\n"
        "### Added\n\n- Question “Which metal is liquid?”\n\n"
        "### Changed\n\n"
        "- The benchmark: license is “MIT” (was “CC-BY-4.0”)\n"
        "- Question “Which metal rusts?”: reference answer is “Iron, and \\*steel\\*” (was “Iron”)\n"
        "- Question “Which metal rusts?”: keywords is metals, rust (was metals)\n\n"
        "### Removed\n\n- Question “Which metal melts?”\n"
    )
    same = run("diff", tmp_path / "old.jsonld", tmp_path / "old.jsonld", "--format", "changelog")
    assert same.code == 0
    assert "Nothing" in same.out.decode()
