"""Discovery: which files are meant by paths, folders and patterns."""

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from checkpoint_ld import writing
from checkpoint_ld.batch.discovery import discover, shows_a_checkpoint
from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.validation import selection, validator
from tests.documents import canonical

CHECKPOINT = json.dumps(canonical())
V2 = json.dumps({"version": "2.0", "global_rubric": None, "checkpoint": {}})
PACKAGE = json.dumps({"name": "p", "version": "2.0", "scripts": {}})
SHAPES = "@prefix schema: <https://schema.org/> . <urn:s> a <urn:Shape> ; <urn:targetClass> schema:DataFeed ."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "b.jsonld": CHECKPOINT,
        "a.json": CHECKPOINT,
        "package.json": PACKAGE,
        "notes.txt": CHECKPOINT,
        "shapes.ttl": SHAPES,
        "deep/er/c.JSONLD": CHECKPOINT,
        "deep/v2.json": V2,
        "deep/er/metals.ttl": "@prefix s: <https://schema.org/> . <urn:x> a s:DataFeed .",
        "deep/context.jsonld": json.dumps({"@context": contexts.plain()}),
        ".hidden/d.jsonld": CHECKPOINT,
        ".e.jsonld": CHECKPOINT,
        "node_modules/f.jsonld": CHECKPOINT,
        ".venv/g.jsonld": CHECKPOINT,
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ALL = ("a.json", "b.jsonld", "deep/er/c.JSONLD", "deep/er/metals.ttl", "deep/v2.json")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("paths", "files"),
    [
        (["."], ALL),
        (["deep"], ALL[2:]),
        (["deep/", "./deep"], ALL[2:]),
        (["b.jsonld", "a.json", "b.jsonld", "./b.jsonld"], ("a.json", "b.jsonld")),
        ([".", "a.json"], ALL),
        (["package.json"], ("package.json",)),
        (["missing.jsonld"], ("missing.jsonld",)),
        (["x" * 5000], ("x" * 5000,)),
        ([".e.jsonld", ".hidden"], (".e.jsonld", ".hidden/d.jsonld")),
        (["*.json"], ("a.json", "package.json")),
        (["?.json*"], ("a.json", "b.jsonld")),
        (["[ab].json*"], ("a.json", "b.jsonld")),
        (["**/*.json"], ("a.json", "deep/v2.json", "package.json")),
        (["deep/**/*"], ("deep/context.jsonld", "deep/er/c.JSONLD", "deep/er/metals.ttl", "deep/v2.json")),
        (["d*"], ALL[2:]),
        (["-"], ("-",)),
        (["a.json", "-", "-"], ("-", "a.json")),
    ],
)
def test_paths_folders_and_patterns(paths: list[str], files: tuple[str, ...]) -> None:
    found = discover(paths)
    assert found.files == files
    assert found.unmatched == ()


def test_absolute_paths_stay_absolute(folder: Path) -> None:
    for path in (folder, folder / "*.jsonld", folder / "**" / "b.jsonld"):
        assert str(folder / "b.jsonld") in discover([str(path)]).files


@pytest.mark.usefixtures("folder")
def test_what_is_no_checkpoint_is_counted_and_not_when_it_is_named() -> None:
    assert discover(["."]).passed_over == 3
    assert discover([".", "deep"]).passed_over == 3
    assert discover([".", "package.json"]).passed_over == 2
    assert discover(["a.json"]).passed_over == 0


@pytest.mark.usefixtures("folder")
def test_patterns_without_a_match_are_reported() -> None:
    found = discover(["x*.json", "a.json", "**/*.nt"])
    assert (found.files, found.unmatched) == (("a.json",), ("x*.json", "**/*.nt"))


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder: Path) -> None:
    (folder / "x[1].json").write_text(CHECKPOINT)
    assert discover(["x[1].json"]).files == ("x[1].json",)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("exclude", "left_out"),
    [
        (["deep"], ALL[2:]),
        (["deep/er"], ALL[2:4]),
        (["*.ttl"], ALL[3:4]),
        (["**/v2.json", "/nowhere"], ALL[4:]),
        (["er/*"], ()),
        (["deep/**/*.ttl"], ALL[3:4]),
    ],
)
def test_exclusions_hold_in_folders_and_for_patterns_but_not_for_names(
    exclude: list[str], left_out: tuple[str, ...]
) -> None:
    kept = tuple(one for one in ALL if one not in left_out)
    assert discover(["."], exclude).files == kept
    assert set(discover(["**/*", "*"], exclude).files).isdisjoint(left_out)
    assert discover(ALL, exclude).files == ALL


def test_exclusions_are_relative_to_where_they_are_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "deep")
    assert discover(["."], ["deep/er"], root=folder).files == ("v2.json",)


def test_links_that_lead_round_and_round_are_harmless(folder: Path) -> None:
    for name in ("loop", "round"):  # two of them: whoever followed both would never come to an end
        (folder / "deep" / name).symlink_to(folder, target_is_directory=True)
    (folder / "deep" / "self").symlink_to("self")
    (folder / "again.json").symlink_to("a.json")
    (folder / "gone.json").symlink_to("nowhere.json")
    for paths in (["."], ["**/*.json*", "deep"]):
        files = discover(paths).files
        assert len({os.path.realpath(file) for file in files}) == len(files)
        assert {"a.json", "again.json"} & set(files) == {"a.json"}
        assert "gone.json" in files


@pytest.mark.parametrize("syntax", writing.SYNTAXES)
def test_a_checkpoint_shows_in_every_syntax(tmp_path: Path, syntax: str) -> None:
    graph = validator.read(CHECKPOINT.encode()).graph
    (tmp_path / "checkpoint").write_bytes(writing.write(graph, syntax=syntax).data)
    assert shows_a_checkpoint(tmp_path / "checkpoint")


@pytest.mark.slow
def test_a_checkpoint_shows_in_every_dialect(corpus: Path) -> None:
    for file in sorted(corpus.rglob("*.json*")):
        try:
            read = reading.examine(file)
        except ReadError:
            continue
        # A Dataset of which nothing is known could be about anything.
        assert shows_a_checkpoint(file) or not read.tree.get("dataFeedElement"), (file.name, read.dialect)


@pytest.mark.parametrize("cut", [200, 2000])
def test_a_broken_checkpoint_is_one_all_the_same(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "broken.json"
    whole = json.dumps({"@type": "DataFeed", **canonical()})
    file.write_text(whole[:cut], encoding="utf-8")
    assert shows_a_checkpoint(file)
    file.write_bytes(whole.encode("utf-16"))
    assert shows_a_checkpoint(file)
    file.write_text(whole.replace('"DataFeed"', '"DataFede"'))
    assert shows_a_checkpoint(file)


def test_what_is_called_jsonld_but_is_not_even_json_is_examined(tmp_path: Path) -> None:
    for name, shown in (("empty.jsonld", True), ("empty.json", False)):
        (tmp_path / name).write_bytes(b"")
        assert shows_a_checkpoint(tmp_path / name) is shown


def test_binary_files_are_no_checkpoints(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", CHECKPOINT)
    (tmp_path / "a.json").write_bytes(packed.getvalue())
    assert not shows_a_checkpoint(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.json", "a/b/c.json", True),
        ("/*.json", "a.json", False),
        ("a/*.json", "a/c.json", True),
        ("a/*.json", "a/b/c.json", False),
        ("a/**/c.json", "a/c.json", True),
        ("a/**/c.json", "a/b/b/c.json", True),
        ("a/**", "a/b/c.json", True),
        ("a", "b/a/c.json", True),
        ("a/", "a/c.json", True),
        ("./a/c.json", "a/c.json", True),
        ("b/c.json", "a/b/c.json", False),
        ("c.json", "c_json", False),
        ("[a-c].json", "b.json", True),
        ("[!a-c].json", "b.json", False),
        ("[]].json", "].json", True),
        ("[.json", "[.json", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("../*.json", "../a.json", True),
    ],
)
def test_globs(pattern: str, path: str, expected: bool) -> None:
    assert selection.matches(pattern, path) is expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_a_folder_is_passed_over_and_not_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe.jsonld")
    known = discover(["."])
    (folder / "pipe.jsonld").unlink()

    assert known.files == discover(["."]).files
    assert known.passed_over == discover(["."]).passed_over + 1
