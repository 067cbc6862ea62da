"""Croissant: its own validator and loader over what is exported, and data sets of others read, offline."""

import contextlib
import hashlib
import json
import logging
import os
import socket
import subprocess
import sys
import tarfile
import threading
import time
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import Benchmark, export_benchmark, import_benchmark
from checkpoint_ld.benchmark.question_columns import DRAFT_ANSWER
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
    makers = [{"@type": "Person", "name": "Ada"}, {"@type": "Organization", "name": "The Lab"}]
    benchmark.set_metadata(creator=makers, citation="On metals")
    export_benchmark(benchmark, tmp_path / "metals", format="croissant")
    again = import_benchmark(tmp_path / "metals").benchmark
    for name in ("name", "description", "version", "license", "keywords", "creator", "citation"):
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
    one, draft = benchmark.questions
    assert draft.raw_answer == DRAFT_ANSWER
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
        (
            lambda described, _: described.update({"@context": "https://example.org/"}),
            "is never fetched",
        ),
        (
            lambda described, _: described["@context"].update({"@import": "https://example.org/"}),
            "is never fetched",
        ),
        (
            lambda described, _: described["recordSet"][0].update({"@context": "https://e.org/"}),
            "is never fetched",
        ),
        (lambda described, _: described["distribution"][0].update(sha256="0" * 64), "its sha256 is another one"),
        (lambda described, _: described.pop("recordSet"), "it describes no record sets"),
        (
            lambda described, _: described["distribution"][0].update(containedIn={"@id": "q.csv"}),
            "is no file of its distribution",
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


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a server on this machine, and what connects to it."""
    monkeypatch.undo()  # of what refuses every connection: this server has to stay silent by itself
    calls, server = list[Any](), socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.05)
    done = threading.Event()

    def listen() -> None:
        while not done.is_set():
            with contextlib.suppress(TimeoutError):
                connection, address = server.accept()
                calls.append(address)
                connection.close()

    listening = threading.Thread(target=listen)
    listening.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/context.jsonld", calls
    time.sleep(0.1)
    done.set()
    listening.join()
    server.close()


def in_odd_places(address: str) -> list[Any]:
    """Return changes that put the address of a context into each place where JSON-LD allows one."""
    scoped = {"@id": "cr:recordSet", "@context": address}
    return [
        lambda described, _: described.update({"@context": address}),
        lambda described, _: described.update({"@context": [described["@context"], address]}),
        lambda described, _: described.update({"@context": [[described["@context"], [address]]]}),
        lambda described, _: described["@context"].update({"@import": address}),
        lambda described, _: described["@context"].update({"recordSet": scoped}),
        lambda described, _: described["@context"].update({"recordSet": scoped | {"@context": [None, address]}}),
        lambda described, _: described["@context"].update({"recordSet": scoped | {"@context": {"@import": address}}}),
        lambda described, _: described["@context"].update(
            {"cr:RecordSet": {"@context": address, "@id": "cr:RecordSet"}}
        ),
        lambda described, _: described["recordSet"][0].update({"@context": address}),
        lambda described, _: described["recordSet"][0]["field"][0].update({"@context": [address]}),
        lambda described, _: described.update({"@included": [{"@context": address, "name": "x"}]}),
        lambda described, _: described.update({"@reverse": {"sc:about": {"@context": address, "name": "x"}}}),
        lambda described, _: described.update({"sc:about": {"@graph": [{"@context": address, "name": "x"}]}}),
        lambda described, _: described["@context"].update({"ctx": "@context"}) or described.update({"ctx": address}),
    ]


@pytest.mark.parametrize("place", range(14))
def test_no_context_is_fetched_wherever_it_stands(others: Any, listener: tuple[str, list[Any]], place: int) -> None:
    address, calls = listener
    folder = others(in_odd_places(address)[place])
    with contextlib.suppress(ReadError):
        import_benchmark(folder)
    time.sleep(0.1)
    assert not calls


def test_nothing_of_a_distribution_is_fetched(others: Any, listener: tuple[str, list[Any]]) -> None:
    address, calls = listener
    with pytest.raises(ReadError, match="which is not in the folder"):
        import_benchmark(others(url(address)))
    assert not calls


def described_as(folder: Path, files: list[Any], *fields: Any, name: str = "main") -> Path:
    """Write a description of files and of one record set, beside what stands in the folder."""
    described = {
        "@context": {
            "@vocab": "https://schema.org/",
            "@language": "en",
            "conformsTo": "dct:conformsTo",
            "dct": "http://purl.org/dc/terms/",
            "sc": "https://schema.org/",
            "cr": "http://mlcommons.org/croissant/",
            "data": {"@id": "cr:data", "@type": "@json"},
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            **{term: f"cr:{term}" for term in ("recordSet", "field", "subField", "source", "fileObject", "fileSet")},
            **{term: f"cr:{term}" for term in ("extract", "column", "jsonPath", "fileProperty", "transform", "regex")},
            **{term: f"cr:{term}" for term in ("includes", "repeated", "separator", "containedIn")},
        },
        "@type": "sc:Dataset",
        "name": "others",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "distribution": files,
        "recordSet": [{"@type": "cr:RecordSet", "@id": name, "name": name, "field": [*fields]}],
    }
    (folder / "croissant.json").write_text(json.dumps(described), encoding="utf-8")
    return folder


def one_file(name: str, media_type: str, **more: Any) -> Any:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": media_type,
        **more,
    }


def one_field(name: str, file: str, extract: Any, **more: Any) -> Any:
    source = {"fileObject": {"@id": file}, "extract": extract, **more.pop("source", {})}
    return {"@type": "cr:Field", "@id": f"main/{name}", "name": name, "dataType": "sc:Text", "source": source, **more}


def by_path(path: str) -> Any:
    return {"jsonPath": path}


def test_a_value_that_an_object_lacks_is_missing_and_no_other_moves_up(tmp_path: Path) -> None:
    rows = [
        {"question": "Q1", "answer": "A1"},
        {"question": "Q2"},
        {"answer": "A3"},
        {"question": "Q4", "answer": "A4"},
    ]
    (tmp_path / "q.json").write_text(json.dumps(rows), encoding="utf-8")
    file = one_file("q.json", "application/json")
    fields = [one_field(name, "q.json", by_path(f"$[*].{name}")) for name in ("question", "answer")]
    benchmark, findings = import_benchmark(described_as(tmp_path, [file], *fields))
    answers = [(each.question, each.raw_answer) for each in benchmark.questions]
    assert answers == [("Q1", "A1"), ("Q2", DRAFT_ANSWER), ("Q4", "A4")]
    found = " ".join(map(str, findings))
    assert "record 2 of main: no answer" in found
    assert "record 3 of main: no question" in found


def test_lists_of_an_object_stay_with_it(tmp_path: Path) -> None:
    rows = {
        "data": {"all": [{"q": "Q1", "a": {"of": "x"}, "c": [{"t": "x"}, {"t": "y"}]}, {"q": "Q2", "a": {"of": "z"}}]}
    }
    (tmp_path / "q.json").write_text(json.dumps(rows), encoding="utf-8")
    fields = [
        one_field("question", "q.json", by_path("$.data['all'][*].q")),
        one_field("answer", "q.json", by_path('$["data"].all[*].a.of')),
        one_field("choices", "q.json", by_path("$.data.all[*].c[*].t"), repeated=True),
        one_field("first", "q.json", by_path("$.data.all[*].c[0].t")),
    ]
    one, two = import_benchmark(
        described_as(tmp_path, [one_file("q.json", "application/json")], *fields)
    ).benchmark.questions
    assert (one.question, one.raw_answer, one.custom_metadata) == ("Q1\n\nA) x\nB) y", "x", {"first": "x"})
    assert (two.question, two.raw_answer, two.custom_metadata) == ("Q2", "z", None)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (("$.title", "$.data[*].a"), "from different levels of 'q.json'"),
        (("$.data[*].q", "$.data[*].x[*].a"), "from different levels of 'q.json'"),
        (("$..q", "$..a"), "of the path '\\$..q', '..q' is not read"),
        (("$.data[?(@.q)].q", "$.data[*].a"), "is not read"),
    ],
)
def test_paths_that_make_no_records_are_refused(tmp_path: Path, paths: tuple[str, str], message: str) -> None:
    (tmp_path / "q.json").write_text('{"title": "T", "data": [{"q": "Q", "a": "A"}]}', encoding="utf-8")
    fields = [
        one_field(name, "q.json", by_path(path)) for name, path in zip(("question", "answer"), paths, strict=True)
    ]
    with pytest.raises(ReadError, match=message):
        import_benchmark(described_as(tmp_path, [one_file("q.json", "application/json")], *fields))


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_archives_are_read_in_memory(tmp_path: Path, kind: str) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text(f"question,answer\nQ{number},A{number}\n", encoding="utf-8")
    if kind == "zip":
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            for number in (1, 2):
                archive.write(tmp_path / f"{number}.csv", f"in/{number}.csv")
    else:
        with tarfile.open(tmp_path / "a.tar", "w:gz") as packed:
            for number in (1, 2):
                packed.add(tmp_path / f"{number}.csv", f"in/{number}.csv")
    for number in (1, 2):
        (tmp_path / f"{number}.csv").unlink()
    held = one_file(f"a.{kind}", f"application/{kind}")
    several = {"@type": "cr:FileSet", "@id": "set", "containedIn": {"@id": f"a.{kind}"}, "includes": "in/*.csv"}
    several["encodingFormat"] = "text/csv"
    fields = [one_field(name, "set", {"column": name}) for name in ("question", "answer")]
    before = sorted(path.name for path in tmp_path.rglob("*"))
    benchmark = import_benchmark(described_as(tmp_path, [held, several], *fields)).benchmark
    assert [each.raw_answer for each in benchmark.questions] == ["A1", "A2"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted([*before, "croissant.json"])
    inner = one_file("in/2.csv", "text/csv", containedIn={"@id": f"a.{kind}"})
    fields = [one_field(name, "in/2.csv", {"column": name}) for name in ("question", "answer")]
    assert import_benchmark(described_as(tmp_path, [held, inner], *fields)).benchmark.questions[0].raw_answer == "A2"
    inner["contentUrl"] = "none.csv"
    with pytest.raises(ReadError, match=rf"no file is called none.csv in a.{kind}"):
        import_benchmark(described_as(tmp_path, [held, inner], *fields))


def test_the_path_of_the_disk_is_no_value(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.txt").write_text(f"answer {name}", encoding="utf-8")
    several = {"@type": "cr:FileSet", "@id": "set", "includes": "in/*.txt", "encodingFormat": "text/plain"}
    for way in ("fullpath", "filepath", "filename"):
        fields = [
            one_field("question", "set", {"fileProperty": way}),
            one_field("answer", "set", {"fileProperty": "content"}),
        ]
        questions = import_benchmark(described_as(tmp_path, [several], *fields)).benchmark.questions
        held = "a.txt" if way == "filename" else "in/a.txt"
        assert (questions[0].question, questions[0].raw_answer) == (held, "answer a")
        assert str(tmp_path) not in str(questions)


def test_patterns_have_a_time_limit_and_the_meaning_of_the_peer(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(f"question,answer\nQ1,x-12\nQ2,y\nQ3,{'a' * 60}!\n", encoding="utf-8")
    file = one_file("q.csv", "text/csv")

    def held(pattern: str) -> Any:
        source = {"transform": {"regex": pattern}}
        fields = [
            one_field("question", "q.csv", {"column": "question"}),
            one_field("answer", "q.csv", {"column": "answer"}, source=source),
        ]
        return import_benchmark(described_as(tmp_path, [file], *fields))

    found = held("x-([0-9]+)|(y)")
    assert [each.raw_answer for each in found.benchmark.questions][:2] == ["12", "y"]
    assert "do not match its pattern" in str(found.findings)
    with pytest.raises(ReadError, match="takes more than 2 s"):
        held("(a|aa|a)+$")
    with pytest.raises(ReadError, match="does not compile"):
        held("(")


def test_the_record_set_with_questions_is_read_and_of_several_the_user_chooses(others: Any) -> None:
    def with_splits(described: Any, _: Path) -> None:
        splits = {"@type": "cr:RecordSet", "@id": "splits", "dataType": "cr:Split", "data": [{"splits/name": "test"}]}
        splits["field"] = [{"@type": "cr:Field", "@id": "splits/name", "dataType": "sc:Text"}]
        described["recordSet"].insert(0, splits)
        described["recordSet"].append({**described["recordSet"][-1], "@id": "other", "field": []})

    folder = others(with_splits)
    assert len(import_benchmark(folder).benchmark) == 2
    described = json.loads((folder / "croissant.json").read_bytes())
    again = json.loads(json.dumps(described["recordSet"][1]).replace('"main', '"again'))
    described["recordSet"][-1] = again
    (folder / "croissant.json").write_text(json.dumps(described), encoding="utf-8")
    with pytest.raises(LookupFailedError, match=r"which record set .* has the questions. name one of main, again"):
        import_benchmark(folder)
    assert len(import_benchmark(folder, part="again").benchmark) == 2


def test_parts_of_fields_and_stated_data_are_read(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,answer,unit\nHow hot?,12,K\n", encoding="utf-8")
    parts = [
        one_field(f"answer/{name}", "q.csv", {"column": column})
        for name, column in (("text", "answer"), ("unit", "unit"))
    ]
    answer = {"@type": "cr:Field", "@id": "main/answer", "name": "answer", "subField": parts}
    fields = one_field("question", "q.csv", {"column": "question"}), answer
    [question] = import_benchmark(described_as(tmp_path, [one_file("q.csv", "text/csv")], *fields)).benchmark.questions
    assert (question.raw_answer, question.custom_metadata) == ("12", {"answer": {"text": "12", "unit": "K"}})
    described = json.loads((tmp_path / "croissant.json").read_bytes())
    described["recordSet"][0] |= {"data": [{"main/question": "Q", "main/answer": ["A"]}]}
    (tmp_path / "croissant.json").write_text(json.dumps(described), encoding="utf-8")
    [question] = import_benchmark(tmp_path).benchmark.questions
    assert (question.question, question.raw_answer) == ("Q", "A")


def test_what_the_peer_reads_right_is_read_alike(mlc: Any, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,answer,level\nWhich?,Iron,3\nWhat?,Tin,4\n", encoding="utf-8")
    fields = [
        one_field("question", "q.csv", {"column": "question"}),
        one_field("answer", "q.csv", {"column": "answer"}, source={"transform": {"regex": "(.).*"}}),
        one_field("level", "q.csv", {"column": "level"}, dataType="sc:Integer"),
    ]
    described_as(
        tmp_path,
        [one_file("q.csv", "text/csv", sha256=hashlib.sha256((tmp_path / "q.csv").read_bytes()).hexdigest())],
        *fields,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = [*mlc.Dataset(jsonld=str(tmp_path / "croissant.json")).records("main")]
    ours = import_benchmark(tmp_path).benchmark.questions
    assert [(each.question, each.raw_answer, (each.custom_metadata or {})["level"]) for each in ours] == [
        (row["main/question"].decode(), row["main/answer"].decode(), row["main/level"]) for row in theirs
    ]
