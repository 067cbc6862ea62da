"""Files with a fault of any kind: each importer reads them or refuses them with an error of ours."""

import io
import json
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import export_benchmark, import_benchmark
from checkpoint_ld.errors import CheckpointLdError
from tests.formats.benchmarks import made
from tests.trials import examples

JUNK: list[Any] = [None, True, 0, -1, 1.5, "", "*", "$[*]", "..", "/etc", "http://127.0.0.1:9/x", [], {}, [None]]
JUNK += [{"@id": "q"}, {"@value": 1}, {"@list": [1]}, {"@id": None}, {"@context": "http://127.0.0.1:9/x"}]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return all members of a JSON value: the object or array, and the key or index."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


def changed(value: Any, chance: random.Random) -> Any:
    """Return a JSON value in which one to three members are others, or are not there."""
    for _ in range(chance.randint(1, 3)):
        found = places(value)
        if not found:
            break
        holder, key = chance.choice(found)
        if chance.random() < 0.6:
            holder[key] = chance.choice(JUNK)
        else:
            del holder[key]
    return value


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return bytes of which some are others, or some are missing."""
    held = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(held))
        if chance.random() < 0.7:
            held[at] = chance.randrange(256)
        else:
            del held[at : at + chance.randint(1, 1 + len(held) // 8)]
            if not held:
                return b""
    return bytes(held)


@pytest.fixture(scope="module")
def croissant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mlcroissant")
    folder = tmp_path_factory.mktemp("croissant") / "made"
    export_benchmark(made(2), folder, format="croissant")
    return folder


@settings(max_examples=examples(200), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_descriptions_of_croissant(croissant: Path, seed: int) -> None:
    description = json.loads((croissant / "croissant.json").read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        other = shutil.copytree(croissant, Path(folder, "other"))
        text = json.dumps(changed(description, random.Random(seed)))
        (other / "croissant.json").write_text(text, encoding="utf-8")
        with suppress(CheckpointLdError):
            import_benchmark(other, format="croissant")


def workbook(_: Path) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book, written = openpyxl.Workbook(), io.BytesIO()
    for row in (["question", "answer", "level"], ["Which?", "Iron", 1], ["What?", True, 2.5]):
        book.active.append(row)
    book.save(written)
    plain = io.BytesIO()
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(plain, "w") as target:  # not packed: damage is in XML
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return plain.getvalue()


def parquet(_: Path) -> bytes:
    arrow, written = pytest.importorskip("pyarrow"), io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(
        arrow.table({"question": ["Which?"], "answer": ["Iron"]}), written
    )
    return written.getvalue()


def lines(_: Path) -> bytes:
    return b'{"question": "Which?", "choices": ["Iron", "Tin"], "answer": "A", "metadata": {"n": 1}}\n' * 3


def table(_: Path) -> bytes:
    return b'question,answer\r\n"Which, of ""two""?",Iron\r\nWhat?,\xc3\xa9\r\n'


def log(folder: Path) -> bytes:
    pytest.importorskip("inspect_ai")
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log

    spec = EvalSpec(created="2026-01-01", task="any", dataset=EvalDataset(), model="none/none", config=EvalConfig())
    sample = EvalSample(id=1, epoch=1, input="Which?", target="Iron")
    write_eval_log(EvalLog(eval=spec, samples=[sample], status="success"), str(folder / "made.json"))
    return (folder / "made.json").read_bytes()


KINDS: dict[str, Callable[[Path], bytes]] = {
    "a.xlsx": workbook,
    "a.parquet": parquet,
    "a.jsonl": lines,
    "a.csv": table,
    "a.json": log,
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of streams that the libraries leave open
@pytest.mark.parametrize("name", KINDS)
def test_damaged_files(tmp_path: Path, name: str) -> None:
    whole = KINDS[name](tmp_path)
    for seed in range(examples(300)):
        (tmp_path / name).write_bytes(damaged(whole, random.Random(seed)))
        with suppress(CheckpointLdError):
            import_benchmark(tmp_path / name)
