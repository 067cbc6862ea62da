"""What pipelines ask of `checkpoint-ld validate`: known findings, counts by rule, several reports; and completion."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

BROKEN = Path(__file__).parents[2] / "docs" / "examples" / "broken.jsonld"


@pytest.fixture(autouse=True)
def file(here: Path) -> Path:
    (here / "sub").mkdir()
    return Path(shutil.copy(BROKEN, here / "broken.jsonld"))


def edited(file: Path, **members: object) -> None:
    """Write members into the head of a document, so that all else moves down."""
    tree = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**members, **tree}, indent=2), encoding="utf-8")


def test_known_findings_do_not_count_and_new_ones_do(run: Run, file: Path) -> None:
    assert run("validate", file, "--baseline", "known.json", "--write-baseline").code == 0
    before = Path("known.json").read_bytes()
    known = run("validate", file, "--baseline", "known.json")
    assert known.code == 0
    assert known.out == b"1 file: clean (profile karenina); 14 known findings left out\n"
    edited(file, version="moves all members below it")
    assert run("validate", file, "--baseline", "known.json").code == 0, "places move, findings are the same"
    tree = json.loads(file.read_text(encoding="utf-8"))
    tree["dataFeedElement"].append({"@type": "DataFeedItem", "@id": "urn:x:1", "item": {"@type": "Question"}})
    file.write_text(json.dumps(tree, indent=2), encoding="utf-8")
    new = run("validate", file, "--baseline", "known.json", "--format", "json")
    report = json.loads(new.out)
    assert new.code == 1
    assert report["summary"]["known"] == 14
    assert {one["node"].partition("#")[0] for one in report["findings"]} == {"urn:x:1"}
    assert Path("known.json").read_bytes() == before


def test_the_same_finding_once_more_is_new(run: Run, file: Path) -> None:
    tree = json.loads(file.read_text(encoding="utf-8"))
    run("validate", file, "--baseline", "known.json", "--write-baseline")
    known = json.loads(Path("known.json").read_text(encoding="utf-8"))
    entry = known["files"]["broken.jsonld"][0]
    entry["count"] -= 1
    Path("known.json").write_text(json.dumps(known), encoding="utf-8")
    found = json.loads(run("validate", file, "--baseline", "known.json", "--format", "json").out)["findings"]
    assert [one["code"] for one in found] == [entry["code"]]
    assert tree


def test_gone_findings_are_counted_and_left_out_when_it_is_written_anew(run: Run, file: Path) -> None:
    run("validate", file, "--baseline", "known.json", "--write-baseline")
    fixed = run("validate", file, "--fix", "--baseline", "known.json")
    assert fixed.err.splitlines()[-1] == "5 known findings are gone: --write-baseline leaves them out"
    assert (
        run("validate", file, "--baseline", "known.json", "--write-baseline").err == "9 known findings in known.json\n"
    )


def test_findings_of_rules_that_are_not_selected_stay_in_a_baseline(run: Run, file: Path) -> None:
    known = "--baseline", "known.json"
    run("validate", file, *known, "--write-baseline")
    before = Path("known.json").read_text(encoding="utf-8")
    for chosen in ("--select=KR", "--ignore=KR"):
        assert "gone" not in run("validate", file, *known, chosen).err
        assert run("validate", file, *known, chosen, "--write-baseline").err == "14 known findings in known.json\n"
        assert Path("known.json").read_text(encoding="utf-8") == before


def test_paths_of_a_baseline_are_those_from_its_folder(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("validate", file, "--baseline", "sub/known.json", "--write-baseline")
    assert list(json.loads(Path("sub/known.json").read_text(encoding="utf-8"))["files"]) == ["../broken.jsonld"]
    monkeypatch.chdir(tmp_path / "sub")
    assert run("validate", "../broken.jsonld", "--baseline", "known.json").code == 0


def test_a_baseline_counts_behind_a_symbolic_link(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("validate", file, "--baseline", "known.json", "--write-baseline")
    link = tmp_path / "sub" / "link"
    link.symlink_to(tmp_path)
    monkeypatch.chdir(link)
    assert run("validate", file.name, "--baseline", link / "known.json").code == 0
    assert run("validate", link / file.name, "--baseline", tmp_path / "known.json").code == 0


def test_the_configuration_names_a_baseline_and_the_pages_of_the_rules(run: Run, file: Path) -> None:
    Path("sub/.checkpoint-ld.toml").write_text(
        'baseline = "known.json"\nrules-url = "https://example.org/rules/{code}/"\n', encoding="utf-8"
    )
    config = ("--config", "sub/.checkpoint-ld.toml")
    log = json.loads(run("validate", file, "--no-config", "--format", "sarif").out)
    assert not any("helpUri" in rule for rule in log["runs"][0]["tool"]["driver"]["rules"])
    run("validate", file, *config, "--write-baseline")
    log = json.loads(run("validate", file, *config, "--format", "sarif").out)["runs"][0]
    addresses = {rule["id"]: rule["helpUri"] for rule in log["tool"]["driver"]["rules"]}
    assert addresses["KR016"] == "https://example.org/rules/KR016/"
    assert log["results"] == []


@pytest.mark.parametrize("text", ["", '<<<<<<< ours\n  "tool": "checkpoint-ld",\n'])
def test_a_baseline_is_written_over_what_is_left_of_one_and_with_force_over_all(
    run: Run, file: Path, text: str
) -> None:
    for held, more in ((text, ()), ("[]", ("--force",))):
        Path("known.json").write_text(held, encoding="utf-8")
        assert run("validate", file, "--baseline", "known.json", "--write-baseline", *more).code == 0
        assert run("validate", file, "--baseline", "known.json").code == 0


def test_a_baseline_written_for_one_file_keeps_what_is_known_of_others_that_are_there(run: Run, file: Path) -> None:
    for name in ("other.jsonld", "gone.jsonld"):
        shutil.copy(file, name)
    known = "--baseline", "known.json"
    run("validate", ".", *known, "--write-baseline")
    Path("gone.jsonld").unlink()
    assert run("validate", file, *known, "--write-baseline").err == "28 known findings in known.json\n"
    assert set(json.loads(Path("known.json").read_text(encoding="utf-8"))["files"]) == {file.name, "other.jsonld"}
    assert run("validate", ".", *known).code == 0


def test_a_baseline_survives_that_files_are_renamed_and_keeps_notes(run: Run, file: Path) -> None:
    run("validate", file, "--baseline", "known.json", "--write-baseline")
    known = json.loads(Path("known.json").read_text(encoding="utf-8"))
    known["files"]["broken.jsonld"][0]["note"] = "waits for the authors"
    Path("known.json").write_text(json.dumps(known), encoding="utf-8")
    renamed = file.rename("sub/other.jsonld")
    edited(renamed, publisher="somebody")

    assert run("validate", renamed, "--baseline", "known.json").code == 0
    assert run("validate", renamed, "--baseline", "known.json", "--write-baseline").code == 0
    files = json.loads(Path("known.json").read_text(encoding="utf-8"))["files"]
    assert [*files] == ["sub/other.jsonld"]
    assert files["sub/other.jsonld"][0]["note"] == "waits for the authors"
    shutil.copy(renamed, "copy.jsonld")
    assert run("validate", "copy.jsonld", "--baseline", "known.json").code == 1, "the first one is still there"


def test_outputs_may_be_repeated(run: Run, file: Path) -> None:
    assert run("validate", file, "-o", "a.json", "-o", "b.sarif", "-o", "c.html", "--format", "gitlab:d.json").code == 1
    assert json.loads(Path("a.json").read_text())["summary"]
    assert json.loads(Path("b.sarif").read_text())["runs"]
    assert Path("c.html").read_text().startswith("<!doctype html>")
    assert isinstance(json.loads(Path("d.json").read_text()), list)


def test_one_run_writes_several_reports(run: Run, file: Path) -> None:
    found = run("validate", file, "--format", "text", "--format", "sarif:x.sarif", "--format", "junit:x.xml")
    assert found.code == 1
    assert found.out.endswith(b"--fix mends 5 findings\n")
    assert len(json.loads(Path("x.sarif").read_bytes())["runs"][0]["results"]) == 14
    assert Path("x.xml").read_bytes().startswith(b"<?xml")
    again = run("validate", file, "--format", "sarif:x.sarif")
    assert (again.code, again.out) == (2, b"")
    assert "--force" in again.err
    alone = run("validate", file, "--format", "sarif:x.sarif", "--force", "-o", "x.md")
    assert alone.out == b""
    assert Path("x.md").read_text(encoding="utf-8").startswith("### checkpoint-ld")


def test_statistics_count_findings_by_rule(run: Run, file: Path) -> None:
    text = run("validate", file, "--statistics").out.decode().splitlines()
    assert "1  violation  KB003  benchmark-version       1 by --fix" in text
    assert text[-1].startswith("1 file: 6 violations")
    rows = json.loads(run("validate", file, "--statistics", "--format", "json").out)
    assert sum(row["number"] for row in rows) == 14
    assert rows[0] == {
        "code": "KB003",
        "rule": "benchmark-version",
        "severity": "violation",
        "number": 1,
        "fixable": 1,
        "title": rows[0]["title"],
    }
    Path("clean.jsonld").write_bytes(BROKEN.with_name("metals.jsonld").read_bytes())
    assert run("validate", "clean.jsonld", "--statistics", "--select", "KQ003").out.startswith(b"1 file: clean")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("val", "plain,validate"),
        ("validate --write-b", "plain,--write-baseline"),
        ("validate --format sa", "plain,sarif"),
        ("validate brok", "file,brok"),
        ("validate --baseline kn", "file,kn"),
        *((f"{words} kn", "file,kn") for words in ("site --answers", "verify -o", "import --rubric", "query --file")),
        ("completion z", "plain,zsh"),
    ],
)
def test_a_shell_completes_commands_options_and_files(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: str, completed: str
) -> None:
    line = ["checkpoint-ld", *words.split()]
    monkeypatch.setenv("COMP_WORDS", " ".join(line))
    monkeypatch.setenv("COMP_CWORD", str(len(line) - 1))
    monkeypatch.setenv("_CHECKPOINT_LD_COMPLETE", "bash_complete")
    found = run()
    assert (found.code, found.out.decode().splitlines()) == (0, [completed])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_of_the_shell(run: Run, shell: str) -> None:
    script = run("completion", shell).out.decode()
    assert f"_CHECKPOINT_LD_COMPLETE={shell}_complete" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have only names in Unicode")
def test_records_of_files_have_names_in_utf_8(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("good.jsonld", os.fsdecode(b"caf\xe9.jsonld")):
        (folder / name).write_bytes(BROKEN.with_name("metals.jsonld").read_bytes())
    reason = "the name is no UTF-8, so nothing can be kept about the file: rename it"

    assert run("validate", folder).code == 0
    for command in (
        ("validate", "--baseline", tmp_path / "b.json", "--write-baseline"),
        ("bulk", "validate", "-o", tmp_path / "out"),
    ):
        done = run(*command, folder)
        assert (done.code, reason in done.err) == (2, True), done.err
    added = run("store", "add", tmp_path / "store", folder)
    assert added.code == 1
    assert reason in added.err
    assert run("store", "list", tmp_path / "store").out.count(b"good.jsonld") == 1
