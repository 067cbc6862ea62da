"""`validate` keeps verdicts by content, in a cache that several processes may share."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import families
from tests.cli.conftest import Run
from tests.documents import canonical, item

CACHE = ".checkpoint_ld_cache"


@pytest.fixture
def folder(here: Path) -> Path:
    tree = canonical(item(), {**item("Which one?"), "dateCreated": "yesterday"})
    for name in ("a.jsonld", "b.jsonld"):
        Path(name).write_text(json.dumps(tree, indent=1), encoding="utf-8")
    return here


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are validated, not looked up."""
    files: list[str] = []
    check = families.check

    def counted(source: Any, *arguments: Any, **options: Any) -> Any:
        files.append(Path(source).name)
        return check(source, *arguments, **options)

    monkeypatch.setattr(families, "check", counted)
    return files


def entries(folder: Path) -> list[Path]:
    return [one for one in (folder / CACHE).rglob("*") if one.is_file() and one.parent != folder / CACHE]


def test_unchanged_files_are_looked_up_and_their_findings_are_the_same(
    run: Run, folder: Path, checked: list[str]
) -> None:
    first = run("validate", ".", "--format", "json")
    assert checked == ["a.jsonld"], "both have the same bytes"
    again = run("validate", ".", "--format", "json")
    assert again == first
    assert len(checked) == 1
    assert len(entries(folder)) == 1
    Path("b.jsonld").write_text(Path("a.jsonld").read_text().replace("Metals", "Rivers"))
    assert run("validate", ".").code == first.code
    assert checked[1:] == ["b.jsonld"]


def test_other_rules_have_other_verdicts(run: Run, folder: Path, checked: list[str]) -> None:  # noqa: ARG001 - the files
    shapes = Path("own.ttl")
    text = "@prefix sh: <http://www.w3.org/ns/shacl#> . <urn:s> sh:targetNode <urn:n> ; sh:nodeKind sh:{} ."
    shapes.write_text(text.format("IRI"))
    own = ("validate", "a.jsonld", "--shapes", shapes)
    run(*own)
    run("validate", "a.jsonld")
    assert run("validate", "a.jsonld", "--profile", "load").code == 0
    assert len(checked) == 3
    before = run(*own)
    assert len(checked) == 3
    shapes.write_text(text.format("Literal"))
    assert run(*own).out != before.out
    assert len(checked) == 4


def test_the_cache_is_kept_out_of_repositories_and_backups(run: Run, folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], check=True, cwd=folder)
    run("validate", "a.jsonld")
    assert (folder / CACHE / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    status = subprocess.run(["git", "status", "--short"], check=True, capture_output=True, cwd=folder)
    assert b"cache" not in status.stdout


def test_no_cache_and_another_folder(run: Run, folder: Path, checked: list[str]) -> None:
    run("validate", "a.jsonld", "--no-cache")
    assert not (folder / CACHE).exists()
    for _ in range(2):
        run("validate", "a.jsonld", "--cache-dir", "elsewhere/deep")
    assert (folder / "elsewhere" / "deep" / ".gitignore").is_file()
    assert not (folder / CACHE).exists()
    assert len(checked) == 2


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\xfe", b"0\n{}", None])
def test_a_damaged_or_foreign_entry_is_ignored(
    run: Run, folder: Path, checked: list[str], damage: bytes | None
) -> None:
    first = run("validate", "a.jsonld")
    [entry] = entries(folder)
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-9] + b"1234567}}" if damage is None else damage)
    assert run("validate", "a.jsonld") == first
    assert len(checked) == 2
    assert entry.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_named(run: Run, folder: Path) -> None:
    Path("file").write_text("")
    found = run("validate", "a.jsonld", "--cache-dir", folder / "file" / "cache")
    assert found.code == 0
    assert "give --cache-dir, or --no-cache" in found.err


def test_clean_removes_a_cache_and_nothing_else(run: Run, folder: Path) -> None:
    run("validate", "a.jsonld")
    assert run("clean").code == 0
    assert not (folder / CACHE).exists()
    assert "there is no cache" in run("clean").err
    refused = run("clean", "--cache-dir", folder)
    assert refused.code == 2
    assert "is no cache of checkpoint-ld" in refused.err
    assert Path("a.jsonld").exists()


def test_several_processes_share_it(folder: Path) -> None:
    for number in range(8):
        Path(f"{number}.jsonld").write_text(json.dumps(canonical(item(f"What is {number}?"))), encoding="utf-8")
    command = [sys.executable, "-c", "from checkpoint_ld.cli import main; main()", "validate", ".", "--format", "json"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder) for _ in range(3)]
    outputs = {process.communicate()[0] for process in running}
    [output] = outputs
    assert len(json.loads(output)) > 1


def test_jobs_use_it_too(run: Run, folder: Path) -> None:
    first = run("validate", ".", "--jobs", "2")
    assert len(entries(folder)) == 1
    assert run("validate", ".", "--jobs", "2") == first
    assert run("validate", ".") == first


def test_a_report_as_rdf_is_made_anew(run: Run, folder: Path, checked: list[str]) -> None:  # noqa: ARG001 - the files
    run("validate", "a.jsonld")
    assert b"ValidationResult" in run("validate", "a.jsonld", "--format", "turtle").out
    assert len(checked) == 2


def test_a_collection_has_one(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("store", "add", "s", "a.jsonld")
    first = run("store", "validate", "s")
    assert entries(folder)
    monkeypatch.delattr(families, "check_source")
    assert run("store", "validate", "s") == first
