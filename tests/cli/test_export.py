"""`checkpoint-ld export` to one file, and `import`: benchmarks for and out of what others keep questions in."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import checkpoint_ld
from checkpoint_ld.integrations import formats
from tests.cli.conftest import Run

METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"
NAMES = {"csv": "a.csv", "markdown": "a.md", "json": "a.json", "records": "a.jsonl", "parquet": "a.parquet"}


@pytest.mark.parametrize("kind", NAMES)
def test_a_file_is_what_python_writes_and_may_be_packed(kind: str, tmp_path: Path, run: Run) -> None:
    target, packed = tmp_path / NAMES[kind], tmp_path / f"{NAMES[kind]}.gz"
    assert run("export", METALS, "--to", kind, "-o", target).code == 0
    assert run("export", METALS, "--to", kind, "-o", packed).code == 0
    checkpoint_ld.load(METALS).export_to_file(tmp_path / "theirs", kind)
    assert gzip.decompress(packed.read_bytes()) == target.read_bytes() == (tmp_path / "theirs").read_bytes()

    assert run("export", METALS, "--to", kind, "-o", target).code == 2
    assert run("export", METALS, "--to", kind, "-o", target, "--force").code == 0


def test_a_workbook_and_a_citation_may_be_packed(tmp_path: Path, run: Run) -> None:
    for kind, start in (("workbook", b"PK"), ("citation", b"cff-version")):
        assert run("export", METALS, "--to", kind, "-o", tmp_path / f"{kind}.gz", "-q").code == 0
        assert gzip.decompress((tmp_path / f"{kind}.gz").read_bytes()).startswith(start)


def test_every_format_can_be_requested(run: Run) -> None:
    result = run("export", "--help").out.decode()
    shown = "".join(result.split())
    assert "|".join((*formats.FILES, *formats.SINGLE_FILES, *formats.FOLDERS)) in shown


@pytest.mark.parametrize(
    ("name", "begins"),
    [("b.cff", "cff-version"), ("b.md", "# "), ("b.jsonl", '{"'), ("b.json", "{\n"), ("b.csv", "Question ID,")],
)
def test_the_extension_of_a_file_shows_its_format(run: Run, name: str, begins: str, tmp_path: Path) -> None:
    assert run("export", METALS, "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("name", ["crate", "b.zip", "b.jsonld", "b.ttl"])
def test_a_name_that_shows_no_format_is_refused(run: Run, name: str, tmp_path: Path) -> None:
    result = run("export", METALS, "-o", tmp_path / name)

    assert result.code == 2
    assert f"{name}: the name does not tell the format: choose from csv, " in result.err
    assert list(tmp_path.iterdir()) == []


def test_standard_output_has_what_a_file_would_have_and_holds_no_folder(run: Run, tmp_path: Path) -> None:
    assert run("export", METALS, "-o", tmp_path / "metals.csv").code == 0
    result = run("export", METALS, "--to", "csv", "-o", "-")
    assert result.out == (tmp_path / "metals.csv").read_bytes()

    refused = run("export", METALS, "--to", "inspect", "-o", "-")
    assert (refused.code, refused.out) == (2, b"")
    assert "inspect is a folder, which standard output cannot hold: name it, or a .zip" in refused.err


def test_the_command_writes_a_benchmark_that_is_valid(run: Run, tmp_path: Path) -> None:
    file, target = tmp_path / "more.csv", tmp_path / "more.jsonld"
    file.write_text('Asked,Said,Topics\nWhich metal rusts?,Iron,"metals, chemistry"\n,Gold,\n', encoding="utf-8")
    columns = ["--question", "Asked", "--answer", "Said", "--keywords", "Topics"]

    done = run("import", file, *columns, "-o", target)
    assert done.code == 0
    assert "row 3: no question is in the column 'Asked'" in done.err
    assert "1 question imported" in done.err
    [question] = checkpoint_ld.load(target).questions
    assert question.keywords == ["chemistry", "metals"]
    assert run("validate", target).code == 0

    strict = run("import", file, *columns, "--strict", "-o", tmp_path / "none.jsonld")
    assert strict.code == 2
    assert not (tmp_path / "none.jsonld").exists()


def test_a_table_of_traits_goes_into_the_rubrics(run: Run, tmp_path: Path) -> None:
    questions, traits, target = tmp_path / "q.csv", tmp_path / "t.csv", tmp_path / "made.jsonld"
    questions.write_text("question,answer\nWhich metal rusts?,Iron\n", encoding="utf-8")
    traits.write_text("question,name,min,max\n,deep,1,5\nWhich metal rusts?,own,,\nWho?,none,,\n", encoding="utf-8")

    done = run("import", questions, "--rubric", traits, "-o", target)
    assert done.code == 0
    assert "row 4, column 'question': there is no question \"Who?\"" in done.err
    assert "the rubrics have 2 traits now" in done.err
    made = checkpoint_ld.load(target)
    assert isinstance(made, checkpoint_ld.Benchmark)
    assert [made.get_rubric_trait_names(one) for one in (None, *made.get_question_ids())] == [["deep"], ["own"]]

    traits.write_text("name,pattern\ndated,[0-9]+\n", encoding="utf-8")
    again = run("import", target, "--rubric", traits, "-o", tmp_path / "again.jsonld")
    assert (again.code, "the rubrics have 3 traits now" in again.err) == (0, True)
    changed = run("diff", target, tmp_path / "again.jsonld").out.splitlines()
    assert changed == [b"+ global trait dated"]

    assert "is a checkpoint already" in run("import", target, "-o", tmp_path / "no.jsonld").err
    assert "--rubric-part is about" in run("import", questions, "--rubric-part", "x", "-o", tmp_path / "no.jsonld").err
