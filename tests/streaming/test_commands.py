"""What users see of files that are worked on some questions at a time."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from checkpoint_ld.batch import windows
from checkpoint_ld.batch.windows import Streaming
from checkpoint_ld.cli import streams
from checkpoint_ld.errors import ReadError
from checkpoint_ld.validation import profiles
from tests.cli.conftest import Run
from tests.documents import canonical, item

ODD = 5


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a file of questions one of which is odd."""
    tree = canonical(*(item(f"Number {number}?", f"urn:uuid:question-{number}") for number in range(12)))
    tree["dataFeedElement"][ODD]["@id"] = "urn:uuid:question-0"
    path = tmp_path / "many.jsonld"
    path.write_text(json.dumps(tree, indent=2))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("syntax", ["nt", "nq"])
def test_convert_writes_the_same_bytes_and_messages(run: Run, many: Path, tmp_path: Path, syntax: str) -> None:
    whole, streamed = tmp_path / "whole", tmp_path / "streamed"
    plainly = run("convert", many, "--to", syntax, "-o", whole)
    by_two = run("convert", many, "--to", syntax, "-o", streamed, "--jobs", 2)
    assert (plainly.code, by_two.code) == (0, 0)
    assert streamed.read_bytes() == whole.read_bytes()
    assert by_two.err == plainly.err
    assert "item-id-duplicate" not in plainly.err
    assert "urn:uuid:question-0" in plainly.err
    assert run("convert", many, "--to", syntax, "--jobs", 1, "-q").out == whole.read_bytes()


def test_a_file_that_is_large_is_streamed_without_being_queried(
    run: Run, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = json.loads(many.read_text())
    del tree["@id"]
    many.write_text(json.dumps(tree))
    assert "one piece" not in run("convert", many, "--to", "nt").err
    monkeypatch.setattr(windows, "LARGE", many.stat().st_size)
    assert "one piece" in run("convert", many, "--to", "nt").err


def test_what_is_refused_is_refused_the_same_way(run: Run, many: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.nt"
    strict = run("convert", many, "-o", target, "--strict", "--jobs", 1)
    assert strict == run("convert", many, "-o", target, "--strict")
    assert strict.code == 2
    assert not target.exists()
    target.write_text("mine")
    exists = run("convert", many, "-o", target, "--jobs", 1)
    assert exists == run("convert", many, "-o", target)
    assert target.read_text() == "mine"
    assert run("convert", many, "-o", target, "--jobs", 1, "--force").code == 0
    assert target.read_bytes().startswith(b"<")


def test_what_has_to_be_read_whole_states_why(run: Run, many: Path) -> None:
    tree = json.loads(many.read_text())
    del tree["@id"]
    many.write_text(json.dumps(tree))
    outcome = run("convert", many, "--to", "nt", "--jobs", 1)
    assert outcome.out == run("convert", many, "--to", "nt").out
    assert "its root has no @id, and is named by all of its content; it is worked on in one piece" in outcome.err
    assert "one piece" not in run("convert", many, "--to", "nt", "--jobs", 1, "-q").err


@pytest.mark.parametrize("options", [("--to", "turtle"), ("--to", "nt", "--inferred"), ("--no-deep-judgment",)])
def test_other_conversions_are_not_streamed(run: Run, many: Path, options: tuple[str, ...]) -> None:
    assert run("convert", many, *options, "--jobs", 2) == run("convert", many, *options)


def test_what_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    outcome = run("convert", tmp_path / "nothing.jsonld", "--to", "nt", "--jobs", 2)
    assert outcome.code == 2
    assert outcome.err == f"{tmp_path / 'nothing.jsonld'}: cannot be read: no such file or directory; check the path\n"


def test_progress_is_given_in_questions(many: Path) -> None:
    found: list[tuple[int, int]] = []
    streaming = Streaming(1, progress=lambda done, total: found.append((done, total)), window=5)
    assert streaming.check(str(many), profiles.profile()) is not None
    assert found == [(5, 12), (10, 12), (12, 12)]


def test_a_file_that_is_changed_meanwhile_is_refused(many: Path) -> None:
    def change(done: int, _total: int) -> None:
        if done == 5:
            os.utime(many, ns=(1, 1))

    with pytest.raises(ReadError, match="changed while it was read"):
        Streaming(1, progress=change, window=5).check(str(many), profiles.profile())


def test_a_file_that_is_cut_off_meanwhile_is_refused(many: Path) -> None:
    def change(done: int, _total: int) -> None:
        if done == 5:
            many.write_bytes(many.read_bytes()[:100])

    with pytest.raises(ReadError, match="changed while it was read"):
        Streaming(1, progress=change, window=5).check(str(many), profiles.profile())


def test_a_bar_is_shown_where_somebody_can_see_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with streams.bar("converting", quiet=False) as unseen:
        assert unseen is None
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with streams.bar("converting", quiet=True) as unwanted:
        assert unwanted is None
    with streams.bar("converting", quiet=False) as found:
        assert found is not None
        found(5, 10)
    shown = capsys.readouterr().err
    assert "converting" in shown
    assert "50%" in shown
