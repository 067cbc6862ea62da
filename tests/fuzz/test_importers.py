"""Each importer on damaged files: an error of ours or a result, no connection, and a process that is as before.

`make test-all` tries new examples in every run. The seeds are small files of every kind and, where the corpus is there,
the inputs that failed in the past, which lie beside it.
"""

import contextlib
import io
import json
import shutil
import socket
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import urllib3  # it adds a filter of warnings when it is imported
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoint_ld import CheckpointManager, DatabaseStore, fingerprint, import_benchmark, validate
from checkpoint_ld.assessment import read_answers
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.integrations.otlp import import_spans
from tests.agents.runs import checkpoint
from tests.conftest import corpus_folder
from tests.documents import canonical, item
from tests.fuzz.mutation import damaged
from tests.test_host import state
from tests.trials import examples

Files = Mapping[str, bytes]
assert urllib3

ROWS = [
    {"question": "Which metal is liquid?", "answer": "Mercury", "keywords": ["metals", "liquids"], "level": 2},
    {"question": "Which metal rusts?", "answer": "Iron", "metadata": {"source": "a book"}, "options": ["Iron", "Gold"]},
]
SPAN = {
    "traceId": "5b8efff798038103d269b633813fc60c",
    "spanId": "eee19b7ec3c1b174",
    "name": "chat model",
    "startTimeUnixNano": "1544712660000000000",
    "endTimeUnixNano": "1544712661000000000",
    "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.input.messages", "value": {"stringValue": '[{"role":"user","parts":[{"type":"text"}]}]'}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}},
    ],
    "events": [{"name": "gen_ai.choice", "timeUnixNano": "1544712660500000000", "attributes": []}],
}
DESCRIBED = {
    "@context": {
        "@vocab": "https://schema.org/",
        "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        **{name: f"cr:{name}" for name in ("recordSet", "field", "source", "extract", "column", "fileObject")},
    },
    "@type": "sc:Dataset",
    "name": "metals",
    "distribution": [
        {"@type": "cr:FileObject", "@id": "q.csv", "name": "q.csv", "contentUrl": "q.csv", "encodingFormat": "text/csv"}
    ],
    "recordSet": [
        {
            "@type": "cr:RecordSet",
            "@id": "questions",
            "name": "questions",
            "field": [
                {
                    "@type": "cr:Field",
                    "@id": f"questions/{name}",
                    "name": name,
                    "dataType": "sc:Text",
                    "source": {
                        "fileObject": {"@id": "q.csv"},
                        "extract": {"column": name},
                        "transform": {"regex": "(.*)"},
                    },
                }
                for name in ("question", "answer")
            ],
        }
    ],
}
RESULT = {
    "metadata": {"question_id": "urn:uuid:question-metal-1", "question_text": "Which?", "answering_model": "m"},
    "template": {"raw_llm_response": "Mercury", "verify_result": True},
}
TABLE = b'question,answer,keywords\nWhich metal is liquid?,Mercury,"metals,liquids"\nWhich rusts?,Iron,\n'
LOG = {
    "version": 2,
    "status": "success",
    "eval": {
        "created": "2026-01-01T00:00:00+00:00",
        "task": "metals",
        "dataset": {"name": "metals"},
        "model": "m",
        "config": {},
    },
    "samples": [
        {
            "id": "q1",
            "epoch": 1,
            "input": "Which metal?",
            "target": "Mercury",
            "messages": [],
            "scores": {},
            "output": {"model": "m", "choices": [{"message": {"role": "assistant", "content": "Mercury"}}]},
        }
    ],
}


def lines(objects: list[Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


def workbook() -> bytes:
    import openpyxl  # noqa: PLC0415 - an extra

    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in (["Question", "Answer", "Level"], ["Which?", "Mercury", 2], ["What?", "Iron", 3.5]):
        page.append(row)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def parquet() -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra

    made = io.BytesIO()
    pq.write_table(pa.table({"question": ["Which?", "What?"], "answer": ["Mercury", "Iron"]}), made)
    return made.getvalue()


def database() -> bytes:
    """Return a database of agent checkpoints as a file."""
    import tempfile  # noqa: PLC0415 - for this seed

    with tempfile.TemporaryDirectory() as folder:
        store = DatabaseStore(f"{folder}/kept.db")
        store.put(checkpoint())
        store.close()
        return Path(folder, "kept.db").read_bytes()


def beside_corpus(folder: str, endings: tuple[str, ...]) -> list[Files]:
    cases = corpus_folder().parent / "cases" / folder
    files = sorted(cases.rglob("*")) if cases.is_dir() else []
    return [{file.name: file.read_bytes()} for file in files if file.name.endswith(endings)]


def read_all(path: Path) -> None:
    for _ in islice(read_answers(path), 1000):
        pass


def keep_spans(path: Path) -> None:
    manager = CheckpointManager(path.parent / "kept")
    for _ in islice(import_spans(manager, path), 100):
        pass


def keep(path: Path) -> None:
    CheckpointManager(path.parent / "kept").import_(path)


def read_database(path: Path) -> None:
    store = DatabaseStore(str(path))
    try:
        for header in islice(store.headers(), 10):
            store.get(header.id)
    finally:
        store.close()


def judge(path: Path) -> None:
    validate(path)
    fingerprint(path)


CARD = b"---\nlicense: mit\nconfigs:\n- config_name: default\n  data_files: '*.jsonl'\n---\n# Metals\n"
Job = Callable[[Path], object]
TARGETS: dict[str, tuple[Job, Callable[[], list[Files]]]] = {
    "csv": (import_benchmark, lambda: [{"q.csv": TABLE}, *beside_corpus("tables", (".csv",))]),
    "workbook": (import_benchmark, lambda: [{"q.xlsx": workbook()}]),
    "json lines": (import_benchmark, lambda: [{"q.jsonl": lines(ROWS)}, *beside_corpus("tables", (".jsonl",))]),
    "json": (import_benchmark, lambda: [{"q.json": json.dumps(ROWS).encode()}]),
    "croissant": (
        lambda path: import_benchmark(path.parent),
        lambda: [{"croissant.json": json.dumps(DESCRIBED).encode(), "q.csv": TABLE}],
    ),
    "parquet": (import_benchmark, lambda: [{"q.parquet": parquet()}]),
    "hugging face": (
        lambda path: import_benchmark(path.parent),
        lambda: [{"README.md": CARD, "q.jsonl": lines(ROWS)}],
    ),
    "inspect": (import_benchmark, lambda: [{"log.json": json.dumps(LOG).encode()}]),
    "recorded answers": (
        read_all,
        lambda: [{"a.jsonl": lines([{"question_id": "q", "trace": "Mercury"}, {"question_id": "r", "values": {}}])}],
    ),
    "results as json": (read_all, lambda: [{"r.json": json.dumps({"results": [RESULT, RESULT]}).encode()}]),
    "results as csv": (
        read_all,
        lambda: [{"r.csv": b"question_id,question_text,raw_llm_response,verify_result\nq,Which?,Mercury,true\n"}],
    ),
    "spans": (
        keep_spans,
        lambda: [
            {"s.json": json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}).encode()},
            *beside_corpus("otel", (".json", ".jsonl")),
        ],
    ),
    "agent checkpoint": (keep, lambda: [{"c.json": json.dumps(checkpoint().tree()).encode()}]),
    "database": (read_database, lambda: [{"kept.db": database()}]),
    "benchmark": (
        judge,
        lambda: [{"b.jsonld": json.dumps(canonical(item())).encode()}, *beside_corpus("jsonld", (".jsonld",))],
    ),
    "turtle": (
        judge,
        lambda: [
            {"b.ttl": b"@prefix s: <https://schema.org/> .\n<urn:a> a s:DataFeed ; s:about _:b .\n_:b s:name 'x' .\n"},
            *beside_corpus("jsonld", (".ttl",)),
        ],
    ),
}
EXTRAS = {"workbook": "openpyxl", "parquet": "pyarrow", "hugging face": "datasets", "inspect": "inspect_ai"}
SLOW = {"hugging face", "inspect", "parquet", "database"}
"""Their packages take some hundredths of a second for each file."""


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    attempts: list[object] = []

    def refuse(_: socket.socket, address: object) -> None:
        attempts.append(address)
        raise OSError("this test is offline")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    yield
    assert not attempts


@pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")  # Inspect's own
@pytest.mark.filterwarnings("ignore:Unclosed <Memory:ResourceWarning")  # Inspect's own
@pytest.mark.parametrize("target", TARGETS)
def test_a_damaged_file_gives_a_result_or_an_error_of_ours(target: str, tmp_path: Path) -> None:
    if target in EXTRAS:
        pytest.importorskip(EXTRAS[target])
    job, seeds_of = TARGETS[target]
    seeds = seeds_of()
    for number, seed in enumerate(seeds):  # packages set up what they need, and the seeds themselves are fine
        attempt(job, seed, tmp_path / f"seed-{number}")
    before = state()

    @settings(
        max_examples=examples(100 if target in SLOW else 400), suppress_health_check=[*HealthCheck], database=None
    )
    @given(st.data())
    def check(data: st.DataObject) -> None:
        files = data.draw(st.sampled_from(seeds))
        name = data.draw(st.sampled_from(sorted(files)))
        attempt(job, {**files, name: data.draw(damaged(files[name]))}, tmp_path / "damaged")

    check()
    assert state() == before


def attempt(job: Job, files: Files, folder: Path) -> None:
    """Do a job with files; nothing but an error of ours may come out of it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with contextlib.suppress(CheckpointLdError):
        job(folder / min(files))


def test_a_foreign_database_is_refused_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
        connection.commit()
    before = file.read_bytes()
    with pytest.raises(CheckpointLdError):
        read_database(file)
    assert file.read_bytes() == before
