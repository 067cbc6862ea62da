"""Croissant: its own validator and loader over what is exported, and data sets of others read, offline."""

import hashlib
import json
import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import Benchmark, export_benchmark, import_benchmark
from checkpoint_ld.errors import LookupFailedError, ReadError, SettingsError
from tests.cli.conftest import Run
from tests.formats.benchmarks import made

METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"


@pytest.fixture(scope="module", autouse=True)
def mlc() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the library imports
        return pytest.importorskip("mlcroissant", reason="mlcroissant is not installed: make .venv/.integrations-group")


def loaded(mlc: Any, folder: Path, name: str = "questions") -> list[dict[str, Any]]:
    """Return the records as the library yields them, and what it has to say about the description."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = mlc.Dataset(jsonld=str(folder / "croissant.json"))
        assert not data.metadata.ctx.issues.errors
        assert str(data.metadata.ctx.conforms_to.value) == "http://mlcommons.org/croissant/1.1"
        return [*data.records(name)]


def validated(described: Path) -> subprocess.CompletedProcess[str]:
    """Have `mlcroissant` validate a description, as people do, without a way out of this machine."""
    nowhere = {**os.environ, "https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    command = [str(Path(sys.executable).with_name("mlcroissant")), "validate", "--jsonld", str(described)]
    return subprocess.run(command, env=nowhere, capture_output=True, text=True, check=False)


def texts(records: list[dict[str, Any]], field: str) -> list[str]:
    return [one[field].decode() for one in records]


def test_what_is_published_is_reported_and_what_has_no_place_is_named(mlc: Any, tmp_path: Path) -> None:
    tree = json.loads(METALS.read_bytes())
    tree |= {"license": {"@type": "CreativeWork", "name": "Own"}, "datePublished": "2026-03-01"}
    tree["creator"] = {"@type": "Person", "name": "A. Smith", "email": "a@example.org"}
    benchmark = Benchmark.load(json.dumps(tree).encode())
    findings = export_benchmark(benchmark, tmp_path / "metals", format="croissant")
    described = json.loads((tmp_path / "metals" / "croissant.json").read_bytes())
    assert described["datePublished"].startswith("2026-03-01")
    found = " ".join(map(str, findings))
    assert "of the license, only texts have a place" in found
    assert "of creators, only names and kinds have a place" in found
    assert len(loaded(mlc, tmp_path / "metals")) == len(benchmark)


def test_dates_that_are_none_are_left_out_and_named(tmp_path: Path) -> None:
    tree = json.loads(METALS.read_bytes())
    tree |= {"dateModified": "yesterday", "datePublished": "2026-13-41"}
    findings = export_benchmark(Benchmark.load(json.dumps(tree).encode()), tmp_path / "metals", format="croissant")
    assert any("a date that is not ISO 8601" in str(one) for one in findings)
    described = json.loads((tmp_path / "metals" / "croissant.json").read_bytes())
    assert described["datePublished"].startswith("2026-03-01")


def test_the_library_yields_the_questions(mlc: Any, tmp_path: Path) -> None:
    benchmark = checkpoint_ld.load(METALS)
    benchmark.set_metadata(license="CC-BY-4.0", keywords=["metals"], citation="On metals", funder="NSF")
    findings = export_benchmark(benchmark, tmp_path / "metals", format="croissant")
    held = loaded(mlc, tmp_path / "metals")
    described = json.loads((tmp_path / "metals" / "croissant.json").read_bytes())

    assert texts(held, "questions/question") == [one.question for one in benchmark.questions]
    assert texts(held, "questions/answer") == [one.raw_answer for one in benchmark.questions]
    assert texts(loaded(mlc, tmp_path / "metals", "answers"), "answers/answer") == texts(held, "questions/answer")
    assert len(loaded(mlc, tmp_path / "metals", "traits")) == len(benchmark.traits_records())
    assert texts(loaded(mlc, tmp_path / "metals", "keywords"), "keywords/keyword") == [
        word for one in benchmark.questions for word in one.keywords
    ]
    assert (described["license"], described["keywords"], described["citeAs"]) == ("CC-BY-4.0", "metals", "On metals")
    for one in described["distribution"]:
        assert hashlib.sha256((tmp_path / "metals" / one["contentUrl"]).read_bytes()).hexdigest() == one["sha256"]
    assert [one.condition for one in findings] == ["W-LOSS", "W-LOSS"]
    assert "the funder (NSF) has no place" in str(findings[1])
    assert checkpoint_ld.load(tmp_path / "metals" / "checkpoint.jsonld") == benchmark


def test_what_is_published_comes_back(tmp_path: Path) -> None:
    benchmark = checkpoint_ld.load(METALS)
    benchmark.set_metadata(license=["CC-BY-4.0", "MIT"], keywords=["metals", "chemistry"], version="1.10")
    export_benchmark(benchmark, tmp_path / "metals", format="croissant")
    again = import_benchmark(tmp_path / "metals").benchmark
    for name in ("name", "description", "version", "license", "keywords"):
        assert getattr(again, name) == getattr(benchmark, name)


def test_the_questions_come_back(tmp_path: Path, run: Run) -> None:
    benchmark = checkpoint_ld.load(METALS)
    assert run("export", METALS, "--to", "croissant", "-o", tmp_path / "metals").code == 0
    done = run("import", tmp_path / "metals", "-o", tmp_path / "again.jsonld")
    again = checkpoint_ld.load(tmp_path / "again.jsonld")

    assert [one.model_dump(exclude={"question_rubric"}) for one in again.questions] == [
        one.model_dump(exclude={"question_rubric"}) for one in benchmark.questions
    ]
    assert (again.get_question_ids(), again.name) == (benchmark.get_question_ids(), "Metals")
    assert "of the record sets, answers, keywords, traits are not read" in done.err
    assert "checkpoint.jsonld to have all of it" in done.err


@pytest.mark.slow
def test_the_validator_of_croissant_accepts_an_example_and_refuses_what_is_none(tmp_path: Path) -> None:
    benchmark = checkpoint_ld.load(METALS)
    benchmark.set_metadata(license="CC-BY-4.0", keywords=["metals"], citation="On metals")
    export_benchmark(benchmark, tmp_path / "metals", format="croissant")
    described = tmp_path / "metals" / "croissant.json"
    accepted = validated(described)
    assert accepted.returncode == 0, accepted.stderr
    described.write_text(described.read_text(encoding="utf-8").replace('"contentUrl"', '"url"'), encoding="utf-8")
    assert validated(described).returncode != 0


def test_texts_stay_as_they_are(mlc: Any, tmp_path: Path) -> None:
    benchmark = Benchmark("Odd ☃ name")
    unusual = ["007", "5.0", "2026-01-01", "NaN", "null", "two\nlines", ' "quoted, ☃"']
    benchmark.add_questions([{"question": one, "raw_answer": one} for one in unusual])
    export_benchmark(benchmark, tmp_path / "odd", format="croissant")
    assert texts(loaded(mlc, tmp_path / "odd"), "questions/answer") == unusual


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the description of a data set of ours."""
    folder = tmp_path_factory.mktemp("exported") / "any"
    export_benchmark(made(1), folder, format="croissant")
    return (folder / "croissant.json").read_text(encoding="utf-8")


@pytest.fixture
def others(tmp_path: Path, exported: str) -> Any:
    """Return a function that writes a data set with a change in its description, and its folder."""

    def write(change: Any = None) -> Path:
        folder = tmp_path / "others"
        folder.mkdir()
        (folder / "q.csv").write_text("prompt,target,level\nWhat is 2 + 3?,5,easy\nWhich?,,hard\n", encoding="utf-8")
        (tmp_path / "outside.csv").touch()
        described = json.loads(exported)
        sha = hashlib.sha256((folder / "q.csv").read_bytes()).hexdigest()
        described["distribution"] = [
            {"@type": "cr:FileObject", "@id": "q.csv", "name": "q.csv", "contentUrl": "q.csv", "sha256": sha}
            | {"encodingFormat": "text/csv"}
        ]
        described["recordSet"] = [
            {"@type": "cr:RecordSet", "@id": "main", "name": "main", "field": [field(one) for one in FIELDS]}
        ]
        if change:
            change(described, folder)
        (folder / "croissant.json").write_text(json.dumps(described), encoding="utf-8")
        return folder

    return write


FIELDS = ("prompt", "target", "level")


def field(name: str) -> Any:
    source = {"fileObject": {"@id": "q.csv"}, "extract": {"column": name}}
    return {"@type": "cr:Field", "@id": f"main/{name}", "name": name, "dataType": "sc:Text", "source": source}


def test_record_sets_of_others_are_read(others: Any) -> None:
    benchmark, findings = import_benchmark(others())
    [one] = benchmark.questions
    assert (one.question, float(one.raw_answer), one.custom_metadata) == ("What is 2 + 3?", 5, {"level": "easy"})
    assert "record 2 of main" in str(findings[0])


def url(text: str) -> Any:
    return lambda described, _: described["distribution"][0].update(contentUrl=text)


def renamed(described: Any, _: Path) -> None:
    described["@context"]["there"] = "sc:contentUrl"
    described["distribution"][0].pop("contentUrl")
    described["distribution"][0]["there"] = "https://example.org/q.csv"


def pointer(_: Any, folder: Path) -> None:
    (folder / "q.csv").write_text("version https://git-lfs.github.com/spec/v1\n", encoding="utf-8")


def linked(_: Any, folder: Path) -> None:
    (folder / "q.csv").unlink()
    (folder / "q.csv").symlink_to(METALS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (url("https://example.org/q.csv"), "points to 'https://example.org/q.csv', which is not in the folder"),
        (url("../outside.csv"), "points to '../outside.csv', which is not in the folder"),
        (url("/etc/passwd"), "points to '/etc/passwd', which is not in the folder"),
        (url("none.csv"), "points to 'none.csv', and there is no such file"),
        (renamed, "points to 'https://example.org/q.csv', which is not in the folder"),
        (linked, "which is not in the folder"),
        (pointer, "is a pointer of Git LFS: run git lfs pull"),
        (lambda described, _: described.update({"@context": "https://example.org/"}), "no object as its @context"),
        (lambda described, _: described["@context"].update({"@import": "https://example.org/"}), "not in the file"),
        (lambda described, _: described["recordSet"][0].update({"@context": "https://e.org/"}), "not in the file"),
        (lambda described, _: described["distribution"][0].update(sha256="0" * 64), "Hash of downloaded file"),
        (lambda described, _: described.pop("recordSet"), "it describes no record sets"),
        (
            lambda described, _: described["distribution"][0].update(containedIn={"@id": "q.csv"}),
            "record sets cannot be read|in an archive",
        ),
    ],
)
def test_what_is_not_all_there_is_refused(others: Any, change: Any, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        import_benchmark(others(change))


def test_what_cannot_be_read_is_reported(tmp_path: Path) -> None:
    export_benchmark(made(1), tmp_path / "one", format="croissant")
    with pytest.raises(LookupFailedError, match='there is no record set "x"; use one of questions, answers'):
        import_benchmark(tmp_path / "one", part="x")
    with pytest.raises(SettingsError, match="without split"):
        import_benchmark(tmp_path / "one", split="test")
    with pytest.raises(ReadError, match=r"there is no croissant\.json in it"):
        import_benchmark(tmp_path, format="croissant")


def test_logs_are_as_they_were(tmp_path: Path) -> None:
    before = logging.root.manager.disable
    export_benchmark(made(1), tmp_path / "one", format="croissant")
    assert logging.root.manager.disable == before
