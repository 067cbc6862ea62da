"""RO-Crate: its own library opens what is exported, and its validator's program passes it, offline."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
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
from checkpoint_ld.errors import (
    CheckpointLdError,
    InvalidCheckpoint,
    ReadError,
    SettingsError,
    WriteError,
    WrongTypeError,
)
from checkpoint_ld.identifiers import question_object_id
from checkpoint_ld.integrations.formats.citation import file
from checkpoint_ld.integrations.formats.credit import makers_of
from checkpoint_ld.phrases import shown
from tests.agents.documents import checkpoint, thought
from tests.benchmark.test_templates import named
from tests.cli.conftest import Run
from tests.conftest import REPOSITORY
from tests.formats.benchmarks import made

rocrate = pytest.importorskip("rocrate.rocrate", reason="rocrate is not installed: make .venv/.integrations-group")
EXAMPLES = REPOSITORY / "docs" / "examples"
METALS, ELEMENTS, ANSWERS = (EXAMPLES / one for one in ("metals.jsonld", "elements.jsonld", "answers.jsonl"))
PUBLISHED: dict[str, Any] = {
    "license": "CC-BY-4.0",
    "citation": {"@type": "ScholarlyArticle", "name": "On metals", "url": "https://example.org/metals"},
    "funder": [{"@type": "Organization", "name": "The Fund", "rating": "A"}, "Somebody"],
    "keywords": ["metals", "chemistry"],
    "identifier": ["https://doi.org/10.5281/zenodo.1234", {"@type": "PropertyValue", "value": "M-1"}],
    "creator": [
        {
            "@type": "Person",
            "name": "Ada Smith",
            "identifier": "https://orcid.org/0000-0001-2345-6789",
            "affiliation": {"@type": "Organization", "name": "The Lab", "address": {"@type": "PostalAddress"}},
        },
        "Ben Cole",
    ],
}


def published() -> Benchmark:
    benchmark: Benchmark = checkpoint_ld.load(ELEMENTS)
    benchmark.set_metadata(**PUBLISHED)
    return benchmark


def agent_file(path: Path, **members: Any) -> Path:
    path.write_text(json.dumps(checkpoint([thought("t1", created_at=1_500)], **members)), encoding="utf-8")
    return path


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two checkpoints of one execution about a question of the example, in files of one name."""
    benchmark = checkpoint_ld.load(ELEMENTS)
    about = {"benchmark": benchmark.id, "question": benchmark.get_question_ids()[0]}
    (tmp_path / "first").mkdir()
    (tmp_path / "then").mkdir()
    return [
        agent_file(tmp_path / "then" / "état 1.json", id="b", timestamp=4_000, about=about),
        agent_file(tmp_path / "first" / "état 1.json", id="a", timestamp=2_000, about=about),
    ]


def entities(folder: Path) -> dict[str, Any]:
    return {one["@id"]: one for one in json.loads((folder / "ro-crate-metadata.json").read_bytes())["@graph"]}


def test_the_library_opens_it_with_all_that_belongs_to_it(tmp_path: Path, runs: list[Path]) -> None:
    benchmark = published()
    findings = export_benchmark(benchmark, tmp_path / "crate", format="ro-crate", answers=[ANSWERS], runs=runs)
    crate = rocrate.ROCrate(tmp_path / "crate")
    root = crate.root_dataset

    assert crate.metadata.profile == "https://w3id.org/ro/crate/1.2"
    assert (crate.name, crate.description, root["version"]) == (
        benchmark.name,
        benchmark.description,
        benchmark.version,
    )
    assert root["license"].id == "https://spdx.org/licenses/CC-BY-4.0"
    assert [(one.id, one.type, one["name"]) for one in root["author"]] == [
        ("https://orcid.org/0000-0001-2345-6789", "Person", "Ada Smith"),
        ("#author-2", "Person", "Ben Cole"),
    ]
    assert root["author"][0]["affiliation"]["name"] == "The Lab"
    assert root["citation"].id == "https://example.org/metals"
    assert [one["name"] for one in root["funder"]] == ["The Fund", "Somebody"]
    assert (root["identifier"][0], root["identifier"][1]["value"]) == (PUBLISHED["identifier"][0], "M-1")
    assert root["keywords"] == ["metals", "chemistry"]
    assert ["of the funder, rating has no place" in one.message for one in findings] == [True]

    files = {one.id: one for one in root["hasPart"]}
    assert [*files] == [
        *("checkpoint.jsonld", "checkpoint.ttl", "report.html", "answers/answers.jsonl"),
        *("runs/%C3%A9tat%201.json", "runs/%C3%A9tat%201-2.json"),
    ]
    for path in (one for one in (tmp_path / "crate").rglob("*") if one.is_file()):
        name = path.relative_to(tmp_path / "crate").as_posix().replace("é", "%C3%A9").replace(" ", "%20")
        if name != "ro-crate-metadata.json":
            assert hashlib.sha256(path.read_bytes()).hexdigest() == files[name]["sha256"]
            assert str(path.stat().st_size) == files[name]["contentSize"]
    assert files["answers/answers.jsonl"]["description"] == "200 recorded answers of aurum-1, borealis-2"
    assert (tmp_path / "crate" / "runs" / "état 1.json").read_bytes() == runs[0].read_bytes()
    assert checkpoint_ld.load(tmp_path / "crate" / "checkpoint.jsonld") == benchmark
    assert checkpoint_ld.load(tmp_path / "crate" / "checkpoint.ttl") == benchmark

    action = root["mentions"]
    assert action.type == "CreateAction"
    assert (action["startTime"], action["endTime"]) == (
        "1970-01-01T00:00:01.500+00:00",
        "1970-01-01T00:00:04.000+00:00",
    )
    assert [one.id for one in action["result"]] == ["runs/%C3%A9tat%201-2.json", "runs/%C3%A9tat%201.json"]
    assert [one["name"] for one in action["object"]] == [benchmark.name, benchmark.questions[0].question]
    assert action["instrument"].id.startswith("urn:caf:agent/")
    assert {key for one in entities(tmp_path / "crate").values() for key in one} <= TERMS


TERMS = {
    *("@id", "@type", "about", "address", "affiliation", "author", "citation", "conformsTo", "contentSize"),
    *("creditText", "dateCreated", "dateModified", "datePublished", "description", "encodingFormat", "endTime"),
    *("funder", "hasPart", "identifier", "instrument", "isBasedOn", "isPartOf", "keywords", "license"),
    *("mainEntity", "mentions", "name", "object", "result", "sha256", "startTime", "url", "value", "version"),
}
"""Terms that the context of 1.2 has. The library has the context of 1.3, by which the validator reads crates below."""


VALIDATOR = REPOSITORY / ".venv" / "published-shapes"


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """Return a function that gives what `rocrate-validator` finds in a crate at its required severity."""
    if not (VALIDATOR / "requests_cache").is_dir():
        pytest.skip("rocrate-validator is not installed: make .venv/.published-shapes")
    folder = tmp_path_factory.mktemp("validator")
    context = Path(rocrate.__file__).with_name("data") / "ro-crate.jsonld"
    own = {**os.environ, "PYTHONPATH": f"{VALIDATOR}{os.pathsep}{REPOSITORY}"}

    def validate(crate: Path, profile: str = "ro-crate-1.2") -> list[str]:
        settings = ("--offline", "--cache-path", folder / "cache", "-p", profile, "-l", "required", "-f", "json")
        command = (
            *(sys.executable, "-m", "tests.formats.crate_validator", folder / "cache", context),
            *("--no-interactive", "validate", *settings, "--output-file", folder / "report.json", crate),
        )
        code = subprocess.run([*map(str, command)], env=own, capture_output=True, check=False).returncode
        report = json.loads((folder / "report.json").read_bytes())
        assert report["passed"] is (code == 0) is (not report["issues"])
        return [one["message"] for one in report["issues"]]

    return validate


@pytest.mark.slow
def test_the_validator_passes_an_example(validated: Callable[..., list[str]], tmp_path: Path, runs: list[Path]) -> None:
    export_benchmark(published(), tmp_path / "crate", format="ro-crate", answers=[ANSWERS], runs=runs)
    assert validated(tmp_path / "crate") == []
    [own_fault] = validated(tmp_path / "crate", "process-run-crate")  # it knows no RO-Crate but 1.1
    assert "MUST have a `conformsTo` property with the RO-Crate specification version" in own_fault
    described = tmp_path / "crate" / "ro-crate-metadata.json"
    described.write_text(described.read_text(encoding="utf-8").replace('"license"', '"sha256"'), encoding="utf-8")
    assert "MUST have a `license` property" in " ".join(validated(tmp_path / "crate"))


@pytest.mark.slow
def test_the_validator_passes_a_hundred_questions_in_an_archive(
    validated: Callable[..., list[str]], tmp_path: Path
) -> None:
    made(100).save(tmp_path / "sums.jsonld")
    fund = {"@type": "Organization", "name": "The Fund", "url": "https://example.org/"}
    tree = json.loads((tmp_path / "sums.jsonld").read_bytes()) | {
        "license": ["https://example.org/terms", {"@type": "CreativeWork", "name": "Own terms"}, "ask us"],
        "citation": ["On sums, 2026", {"@type": "Dataset", "name": "Sums", "version": "1"}],
        "funder": [fund, {"@id": "https://example.org/"}],
        "identifier": [{"@type": "PropertyValue", "name": "none"}, "10.5281/zenodo.1234"],
        "keywords": ["sums", {"@type": "DefinedTerm", "name": "addition"}],
        "creator": fund,
    }
    benchmark = Benchmark.load(json.dumps(tree).encode())
    findings = export_benchmark(benchmark, tmp_path / "sums.zip", format="ro-crate")
    found = " ".join(map(str, findings))
    assert (len(findings), "an identifier without a value" in found, "all but the name" in found) == (2, True, True)
    root = rocrate.ROCrate(tmp_path / "sums.zip").root_dataset
    assert (root["name"], root["creditText"]) == ("Sums", ["On sums, 2026", "Sums"])
    assert [one.id for one in root["funder"]] == [root["author"].id] * 2
    shutil.unpack_archive(tmp_path / "sums.zip", tmp_path / "crate")  # the validator's JSON fails for an archive
    assert validated(tmp_path / "crate") == []
    assert {key for one in entities(tmp_path / "crate").values() for key in one} <= TERMS


def test_a_licence_that_nobody_stated_is_reported(tmp_path: Path, run: Run) -> None:
    done = run("export", ELEMENTS, "--to", "ro-crate", "-o", tmp_path / "crate", "--answers", ANSWERS)
    assert (done.code, "states no licence" in done.err, "set its licence" in done.err) == (0, True, True)
    assert entities(tmp_path / "crate")["./"]["license"].startswith("No licence is stated")
    assert (tmp_path / "crate" / "answers" / "answers.jsonl").read_bytes() == ANSWERS.read_bytes()


def test_an_archive_is_the_same_bytes_each_time(tmp_path: Path, run: Run) -> None:
    for name in ("a.zip", "b.zip"):
        assert run("export", METALS, "--to", "ro-crate", "-o", tmp_path / name, "-q").code == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as opened:
        assert opened.testzip() is None
        assert {"ro-crate-metadata.json", "checkpoint.jsonld"} < {*opened.namelist()}
    assert run("export", METALS, "--to", "ro-crate", "-o", tmp_path / "a.zip").code == 2
    assert run("export", METALS, "--to", "ro-crate", "-o", tmp_path / "a.zip", "--force", "-q").code == 0


def test_scenarios_and_no_questions_are_crates_too(tmp_path: Path) -> None:
    turns = Benchmark("Turns")
    turns.add_scenario(named("one"))
    for benchmark in (Benchmark("Empty"), turns):
        export_benchmark(benchmark, tmp_path / benchmark.name, format="ro-crate")
        assert entities(tmp_path / benchmark.name)["./"]["name"] == benchmark.name


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ('{"answer": {}}\n', ReadError, "there are no recorded answers in it: .*there is no question_id"),
        ("", ReadError, "there are no recorded answers in it"),
        (None, ReadError, "cannot be read: no such file"),
    ],
)
def test_what_are_no_answers_is_refused(
    tmp_path: Path, content: str | None, error: type[CheckpointLdError], message: str
) -> None:
    if content is not None:
        (tmp_path / "answers.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(error, match=message):
        export_benchmark(made(1), tmp_path / "crate", format="ro-crate", answers=[tmp_path / "answers.jsonl"])
    assert not (tmp_path / "crate").exists()


def test_runs_of_others_are_refused_and_questions_of_others_named(tmp_path: Path) -> None:
    benchmark = made(1)
    other = agent_file(tmp_path / "other.json", about={"benchmark": "urn:x:other"})
    with pytest.raises(WriteError, match=r'other\.json: the agent worked on "urn:x:other", not on .*: leave it out'):
        export_benchmark(benchmark, tmp_path / "crate", format="ro-crate", runs=[other])
    unknown = agent_file(tmp_path / "unknown.json", about={"question": "urn:x:question"})
    findings = export_benchmark(benchmark, tmp_path / "crate", format="ro-crate", runs=[unknown])
    assert 'the question "urn:x:question", which the benchmark does not have' in findings[-1].message
    broken = agent_file(tmp_path / "broken.json", timestamp=-1)
    with pytest.raises(InvalidCheckpoint):
        export_benchmark(benchmark, tmp_path / "none", format="ro-crate", runs=[broken])


def test_answers_to_questions_of_others_are_named(tmp_path: Path) -> None:
    benchmark = made(1)
    text = benchmark.questions[0].question
    found = [
        {"question_id": "urn:x:other"},
        {"question_id": question_object_id(text)},
        {"question_id": "1", "question_text": text},
    ]
    lines = "".join(json.dumps({**one, "trace": "1"}) + "\n" for one in found)
    (tmp_path / "answers.jsonl").write_text(lines, encoding="utf-8")
    findings = export_benchmark(benchmark, tmp_path / "a", format="ro-crate", answers=[tmp_path / "answers.jsonl"])
    assert "answers to questions that the benchmark does not have, 1 of 3" in findings[-1].message


def test_a_folder_of_runs_is_taken_in_and_a_crate_is_no_table(tmp_path: Path, run: Run, runs: list[Path]) -> None:
    done = run("export", ELEMENTS, "--to", "ro-crate", "-o", tmp_path / "crate", "-q", "--run", runs[0].parents[1])
    assert (done.code, len([*(tmp_path / "crate" / "runs").iterdir()])) == (0, 2)
    done = run("export", METALS, "--to", "ro-crate", "-o", tmp_path / "none", "--run", tmp_path / "crate" / "answers*")
    assert (done.code, "nothing to take in" in done.err) == (2, True)
    done = run("import", tmp_path / "crate", "-o", tmp_path / "again.jsonld")
    assert (done.code, "is a crate with a benchmark in it" in done.err) == (2, True)


def test_only_crates_take_answers_and_runs(tmp_path: Path, run: Run) -> None:
    done = run("export", METALS, "--to", "csv", "-o", tmp_path / "x.csv", "--answers", ANSWERS)
    assert (done.code, "answers and runs have no place in csv: export to ro-crate" in done.err) == (2, True)
    with pytest.raises(SettingsError, match="export to ro-crate"):
        export_benchmark(made(1), tmp_path / "x", format="inspect", runs=["run.json"])


def test_what_is_read_is_not_written_over(tmp_path: Path, run: Run) -> None:
    answers = shutil.copy(ANSWERS, tmp_path / "answers.zip")
    done = run("export", METALS, "--to", "ro-crate", "-o", answers, "--answers", answers, "--force")
    assert (done.code, "is read by this command" in done.err) == (2, True)


def test_without_the_library_a_sentence_states_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rocrate", None)
    with pytest.raises(SettingsError, match=r"pip install 'checkpoint-ld\[ro-crate\]'"):
        export_benchmark(made(1), tmp_path / "crate", format="ro-crate")


# --- What a benchmark says about its publication: set, shown, judged, kept in every dialect, and as CITATION.cff.


CITED_METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"
CITABLE: dict[str, Any] = {
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "citation": {"@type": "ScholarlyArticle", "name": "On metals", "url": "https://example.org/metals"},
    "funder": [{"@type": "Organization", "name": "The Fund"}, "Somebody"],
    "keywords": ["metals", "chemistry"],
    "identifier": "https://doi.org/10.5281/zenodo.1234",
}


def citable() -> Benchmark:
    benchmark: Benchmark = checkpoint_ld.load(CITED_METALS)
    benchmark.set_metadata(**CITABLE)
    return benchmark


def publishing_of(benchmark: Benchmark) -> dict[str, Any]:
    return {name: getattr(benchmark, name) for name in CITABLE}


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
    for benchmark in (citable(), checkpoint_ld.load(CITED_METALS), checkpoint_ld.load(largest), made(1000)):
        benchmark.creator = benchmark.creator if makers_of(benchmark) else "Ada"
        assert read(benchmark)["title"] == benchmark.name
    with pytest.raises(jsonschema.ValidationError):
        schema().validate(read(citable()) | {"license": "none"})


@pytest.mark.parametrize("dialect", ["datafeed-ns-v3", "v2.0", "gui-datafeed", "dataset-1"])
def test_every_dialect_keeps_it(dialect: str, tmp_path: Path) -> None:
    citable().save(tmp_path / "kept.jsonld", dialect=dialect)
    assert publishing_of(checkpoint_ld.load(tmp_path / "kept.jsonld")) == CITABLE


def test_rdf_keeps_it_and_one_may_be_taken_away(tmp_path: Path) -> None:
    benchmark = citable()
    benchmark.save(tmp_path / "kept.ttl")
    again = checkpoint_ld.load(tmp_path / "kept.ttl")
    assert {name: value for name, value in publishing_of(again).items() if name not in {"funder", "keywords"}} == {
        name: value for name, value in CITABLE.items() if name not in {"funder", "keywords"}
    }
    assert sorted(again.keywords) == sorted(CITABLE["keywords"])
    assert len(again.funder) == 2
    benchmark.license = None
    benchmark.set_metadata(keywords=[], funder="NSF")
    assert (benchmark.license, benchmark.keywords, benchmark.funder) == (None, None, "NSF")


@pytest.mark.parametrize(
    ("member", "value"),
    [("license", 4), ("keywords", [{"@type": "DefinedTerm"}]), ("funder", {"name": "no type"}), ("identifier", [1])],
)
def test_what_is_no_such_value_is_refused_and_changes_nothing(member: str, value: object) -> None:
    benchmark = citable()
    with pytest.raises(WrongTypeError, match=f"the {member} .* is of another type: give a text"):
        benchmark.set_metadata(name="Other", **{member: value})
    assert (publishing_of(benchmark), benchmark.name) == (CITABLE, "Metals")


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
    citable().save(tmp_path / "metals.jsonld")
    shown = run("inspect", str(tmp_path / "metals.jsonld")).out.decode()
    assert all(one in shown for one in ("by/4.0", "On metals", "The Fund, Somebody", "zenodo.1234"))
    assert json.loads(run("inspect", "--json", str(tmp_path / "metals.jsonld")).out)["published"] == CITABLE
    assert "The Fund, Somebody" in citable()._repr_html_()


def test_a_citation_file_states_it(tmp_path: Path, run: Run) -> None:
    citable().save(tmp_path / "metals.jsonld")
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
        "preferred-citation": {
            "type": "article",
            "title": "On metals",
            "authors": [{"name": "Ada Smith"}],
            "url": "https://example.org/metals",
        },
    }
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


def test_without_an_author_there_is_no_citation(tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    benchmark.creator = None
    with pytest.raises(WriteError, match="set its creator"):
        export_benchmark(benchmark, tmp_path / "CITATION.cff", format="citation")
    assert not (tmp_path / "CITATION.cff").exists()


def test_a_day_of_publication_is_reported(tmp_path: Path) -> None:
    document = json.loads(CITED_METALS.read_bytes()) | {"datePublished": "2026-03-04T10:00:00"}
    (tmp_path / "dated.jsonld").write_text(json.dumps(document), encoding="utf-8")
    assert str(read(checkpoint_ld.load(tmp_path / "dated.jsonld"))["date-released"]) == str(date(2026, 3, 4))


def test_a_text_that_only_looks_like_an_address_is_a_name(tmp_path: Path) -> None:
    benchmark = made(1)
    benchmark.set_metadata(creator="http://[x", license="MIT")
    export_benchmark(benchmark, tmp_path / "crate", format="ro-crate")
    assert rocrate.ROCrate(tmp_path / "crate").root_dataset["author"]["name"] == "http://[x"


NO_LICENCE = "https://creativecommons.org/licenses/none/9.0/"


def loaded(**members: Any) -> Benchmark:
    """Return the benchmark of the example with other members of its root."""
    return Benchmark.load(json.dumps(json.loads(CITED_METALS.read_bytes()) | members).encode())


@pytest.mark.parametrize("stated", ["2026", "1 March 2026", "2026-02-31", ["2026-03-01", "2026-04-01"]])
def test_a_date_of_publication_that_is_none_is_reported_and_not_written(stated: Any, tmp_path: Path) -> None:
    benchmark = loaded(datePublished=stated)
    content, findings = file(benchmark)
    assert "date-released" not in yaml.safe_load(content)
    assert [one.message for one in findings if "date of publication" in one.message] == [
        f"the date of publication {shown(stated)} has no place in CITATION.cff"
    ]
    for kind in ("ro-crate", "croissant"):
        findings = export_benchmark(benchmark, tmp_path / kind, format=kind)
        assert [one for one in findings if "date" in one.message]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"@id": "https://spdx.org/licenses/Apache-2.0"}, {"license": "Apache-2.0"}),
        (
            {"@type": "CreativeWork", "name": "Terms", "url": "https://example.org/terms"},
            {"license-url": "https://example.org/terms"},
        ),
        ({"@type": "CreativeWork", "name": "MIT"}, {"license": "MIT"}),
        ("mit", {"license": "MIT"}),
        ("https://spdx.org/licenses/Apache-2.0.html", {"license": "Apache-2.0"}),
        ("https://creativecommons.org/licenses/by-sa/4.0/legalcode", {"license": "CC-BY-SA-4.0"}),
        (NO_LICENCE, {"license-url": NO_LICENCE}),
        ("Mine", {}),
    ],
)
def test_a_licence_is_cited_by_its_name_or_its_address(stated: Any, expected: dict[str, str]) -> None:
    held = read(loaded(license=stated))
    assert {name: held[name] for name in ("license", "license-url") if name in held} == expected


def test_a_creator_without_a_name_is_no_author() -> None:
    content, findings = file(loaded(creator=[{"@type": "Person", "name": ""}, {"@type": "Person", "name": "Ada"}]))
    assert yaml.safe_load(content)["authors"] == [{"name": "Ada"}]
    assert [one.message for one in findings if "creator" in one.message]
    with pytest.raises(WriteError, match="set its creator"):
        file(loaded(creator=""))


def test_unusual_keywords_are_left_out_or_named(tmp_path: Path) -> None:
    benchmark = loaded(keywords=["a", None, {"@type": "DefinedTerm", "name": "b"}, "a"])
    assert read(benchmark)["keywords"] == ["a", "b"]
    export_benchmark(benchmark, tmp_path / "set", format="hugging-face")
    card = yaml.safe_load((tmp_path / "set" / "README.md").read_text(encoding="utf-8").split("---")[1])
    assert card["tags"][-2:] == ["a", "b"]


def test_people_publishers_licences_and_runs_are_entities(tmp_path: Path, runs: list[Path]) -> None:
    tree = json.loads(ELEMENTS.read_bytes()) | {
        "creator": [
            {"@type": "Person", "name": "Ada", "identifier": "0000-0002-1825-0097", "affiliation": "KIT"},
            {"@type": "Person", "name": "Bo", "@id": "https://orcid.org/0000-0001-5109-3700"},
        ],
        "publisher": "The Press",
        "license": "MIT",
    }
    export_benchmark(Benchmark.load(json.dumps(tree).encode()), tmp_path / "crate", format="ro-crate", runs=runs)
    held = entities(tmp_path / "crate")
    root = held["./"]
    ada = held["https://orcid.org/0000-0002-1825-0097"]
    assert held[ada["affiliation"]["@id"]] | {"@id": ""} == {"@id": "", "@type": "Organization", "name": "KIT"}
    assert held["https://orcid.org/0000-0001-5109-3700"]["name"] == "Bo"
    assert held[root["publisher"]["@id"]]["name"] == "The Press"
    assert held["https://spdx.org/licenses/MIT"]["description"] == "The licence MIT of SPDX's list"
    assert held["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
    assert held[root["conformsTo"]["@id"]]["name"] == "Process Run Crate"
    [action] = [one for one in held.values() if one["@type"] == "CreateAction"]
    assert held[action["instrument"]["@id"]]["@type"] == "SoftwareApplication"
    assert action["endTime"] == "1970-01-01T00:00:04.000+00:00"
