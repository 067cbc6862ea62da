"""`checkpoint-ld import`: a benchmark out of what others keep questions in."""

from __future__ import annotations

from pathlib import Path

import checkpoint_ld
from tests.cli.conftest import Run


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
