"""git with our diff and merge driver: branches, rebase, cherry-pick, conflict, abort."""

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark, SettingsError
from checkpoint_ld.families import git as setup
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture
from tests.merging.test_merge import agent, answer, data, edited, tree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="these tests need git")

Json = Any
Git = Callable[..., str]
FILE = "metals.jsonld"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own: nobody's settings are read or changed."""
    for name in [one for one in os.environ if one.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def git(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:  # noqa: ARG001 - its effect is wanted
    """A repository with one benchmark, where our driver is installed."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def call(*arguments: str, code: int | None = 0) -> str:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)
        held = (done.stdout + done.stderr).decode()
        assert code is None or done.returncode == code, held
        return held

    call("init", "-q", "-b", "main")
    call("config", "user.name", "A")
    call("config", "user.email", "a@example.org")
    save(call, tree(), "base")
    setup.install()
    return call


def save(git: Git, value: Json, message: str, file: str = FILE) -> None:
    Path(file).write_bytes(data(value) if not isinstance(value, bytes) else value)
    git("add", file)
    git("commit", "-q", "-m", message)


def branches(git: Git, ours: Json, theirs: Json, file: str = FILE) -> None:
    git("checkout", "-q", "-b", "other")
    save(git, theirs, "theirs", file)
    git("checkout", "-q", "main")
    save(git, ours, "ours", file)


OURS = edited(q0=answer("Hg"), dateModified="2026-03-01T00:00:00")
THEIRS = edited(q1=answer("H"), dateModified="2026-04-01T00:00:00")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("merge", "other", "-m", "both"), ("cherry-pick", "other"), ("rebase", "other")], ids=lambda one: one[0]
)
def test_edits_of_different_questions_merge(git: Git, command: tuple[str, ...]) -> None:
    branches(git, OURS, THEIRS)
    git(*command)
    found = Benchmark.load(FILE)
    assert [found.get_question(f"urn:uuid:question-{at}")["raw_answer"] for at in (0, 1)] == ["Hg", "H"]
    assert git("status", "--porcelain") == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["merge", "cherry-pick", "rebase"])
def test_a_conflict_is_reported_and_can_be_left(git: Git, command: str) -> None:
    branches(git, edited(name="A"), edited(name="B", q1=answer("H")))
    result = git(command, "other", code=1)
    assert "checkpoint-ld merge --continue metals.jsonld" in result
    assert "UU metals.jsonld" in git("status", "--porcelain")
    found = Benchmark.load(FILE)
    assert found.get_question("urn:uuid:question-1")["raw_answer"] == "H"
    assert setup.conflicts_of(FILE).is_file()
    git(command, "--abort")
    assert Benchmark.load(FILE).name == "A"
    assert git("status", "--porcelain") == ""


@pytest.mark.slow
def test_a_conflict_is_resolved(git: Git, run: Run) -> None:  # noqa: F811
    branches(git, edited(name="A"), edited(name="B", q1=answer("H")))
    git("merge", "other", code=1)
    undecided = run("merge", "--continue", FILE)
    assert (undecided.code, "metals.jsonld still has OURS in 1 conflict" in undecided.err) == (2, True)
    assert json.loads(setup.conflicts_of(FILE).read_bytes())["conflicts"][0]["subject"] == ["name"]
    assert run("merge", "--continue", FILE, "--theirs").code == 0
    found = Benchmark.load(FILE)
    assert (found.name, found.get_question("urn:uuid:question-1")["raw_answer"]) == ("B", "H")
    assert not setup.conflicts_of(FILE).exists()
    git("commit", "-q", "-a", "-m", "both")
    assert "no conflicts are undecided" in run("merge", "--continue", FILE).err


@pytest.mark.slow
def test_a_conflict_is_not_lost_by_a_commit(git: Git, run: Run) -> None:  # noqa: F811
    branches(git, edited(name="A"), edited(name="B", q1=answer("H")))
    git("merge", "other", code=1)
    refused = git("commit", "-a", "-m", "both", code=1)
    assert "KD026 1 conflict of a merge is undecided" in refused
    git("commit", "-a", "--no-verify", "-m", "both")
    found = run("validate", FILE, "--no-cache")
    assert (found.code, "KD026" in found.out.decode()) == (1, True)
    assert run("merge", "--continue", "--theirs").code == 0  # of a merge that is committed
    assert (Benchmark.load(FILE).name, run("validate", FILE, "--no-cache").code) == ("B", 0)


@pytest.mark.slow
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_conflict_is_not_lost_by_a_rebase(git: Git, run: Run, is_empty: bool) -> None:  # noqa: F811
    """git asks no hook about a commit of which nothing is left: then validate finds what is undecided."""
    branches(git, edited(name="A", **({} if is_empty else {"q0": answer("Hg")})), edited(name="B", q1=answer("H")))
    git("rebase", "other", code=1)
    git("add", FILE)
    result = git("-c", "core.editor=true", "rebase", "--continue", code=0 if is_empty else 1)
    assert ("KD026" in result) is not is_empty
    assert "KD026" in run("validate", FILE, "--no-cache").out.decode()
    assert run("merge", "--continue", FILE, "--ours").code == 0
    git("-c", "core.editor=true", "rebase", "--continue", code=None)
    assert (Benchmark.load(FILE).name, run("validate", FILE, "--no-cache").code) == ("B", 0)


@pytest.mark.slow
def test_an_edit_is_a_decision_once_somebody_says_so(git: Git, run: Run) -> None:  # noqa: F811
    branches(git, edited(name="A"), edited(name="B"))
    git("merge", "other", code=1)
    Path(FILE).write_bytes(data(edited(name="A and B")))
    assert "KD026" in run("validate", FILE, "--no-cache").out.decode()
    Path("broken").write_bytes(Path(FILE).read_bytes())
    Path(FILE).write_bytes(b"{")
    assert run("merge", "--continue").code == 2
    Path("broken").replace(FILE)
    assert "taken as edited" in run("merge", "--continue").err
    git("commit", "-q", "-a", "-m", "both")
    assert run("validate", FILE, "--no-cache").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("by", ["git", "us"])
def test_a_merge_that_is_taken_back_leaves_nothing(git: Git, run: Run, by: str) -> None:  # noqa: F811
    branches(git, edited(name="A"), edited(name="B"))
    git("merge", "other", code=1)
    if by == "git":
        git("merge", "--abort")
    else:
        assert "the merge is taken back" in run("merge", "--abort").err
    assert run("validate", FILE, "--no-cache").code == 0
    assert run("git", "check").code == 0
    assert "there is nothing to take back" in run("merge", "--abort").err


def test_a_hook_of_somebody_else_stays(git: Git, run: Run) -> None:  # noqa: F811
    hook = Path(".git/hooks/pre-commit")
    assert "git check" in hook.read_text()
    hook.write_text("#!/bin/sh\ntrue\n")
    assert "let it call" in run("git", "install").err
    assert run("git", "uninstall").code == 0
    assert hook.read_text() == "#!/bin/sh\ntrue\n"
    git("status")


@pytest.mark.slow
def test_a_conflict_is_resolved_from_outside(
    git: Git,
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    branches(git, edited(q0=answer("Hg")), edited(q0=answer("quicksilver")))
    git("merge", "other", code=1)
    listed = setup.conflicts_of(FILE).resolve()
    monkeypatch.chdir(tmp_path)
    assert run("merge", "--continue", "--theirs", f"work/{FILE}").code == 0
    assert b"quicksilver" in (tmp_path / "work" / FILE).read_bytes()
    assert not listed.exists()


@pytest.mark.slow
def test_a_name_may_begin_with_a_hyphen(git: Git) -> None:
    save(git, tree(), "base", "./-x.jsonld")
    branches(git, OURS, THEIRS, "./-x.jsonld")
    assert "+question urn" not in git("diff", "HEAD~1")
    git("merge", "other", "-m", "both")
    assert [one.raw_answer for one in Benchmark.load("./-x.jsonld").questions][:2] == ["Hg", "H"]


@pytest.mark.slow
def test_files_that_both_have_added_and_those_of_agents(git: Git) -> None:
    branches(git, agent(2, thoughts="ab", x=1), agent(3, thoughts="ac", x=1), "run.jsonld")
    git("merge", "other", "-m", "both")
    assert '"tb"' in Path("run.jsonld").read_text()
    assert '"tc"' in Path("run.jsonld").read_text()


@pytest.mark.slow
def test_what_is_no_checkpoint_is_merged_by_git(git: Git, run: Run) -> None:  # noqa: F811
    save(git, b"a\nb\nc\nd\ne\n", "lines", "x.jsonld")
    branches(git, b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n", "x.jsonld")
    git("merge", "other", "-m", "both")
    assert Path("x.jsonld").read_text() == "A\nb\nc\nd\nE\n"
    git("checkout", "-q", "-b", "third", "HEAD~2")
    save(git, b"Z\nb\nc\nd\ne\n", "third", "x.jsonld")
    assert "merged line by line" in git("merge", "main", code=1)
    assert "<<<<<<< ours" in Path("x.jsonld").read_text()
    Path(FILE).write_text('{\n<<<<<<< a\n"name": "x"\n=======\n"name": "y"\n>>>>>>> b\n}')
    result = run("validate", FILE)
    assert (result.code != 0, b"conflict marker of git" in result.out + result.err.encode()) == (True, True)


@pytest.mark.slow
def test_packed_files_stay_packed(git: Git, run: Run) -> None:  # noqa: F811
    assert run("git", "install", "--pattern", "*.gz").code == 0
    file = "metals.jsonld.gz"
    save(git, gzip.compress(data(tree())), "packed", file)
    branches(git, gzip.compress(data(edited(name="A"))), gzip.compress(data(edited(name="B", q1=answer("H")))), file)
    git("merge", "other", code=1)
    assert json.loads(gzip.decompress(Path(file).read_bytes()))["name"] == "A"
    assert run("merge", "--continue", file, "--theirs").code == 0
    assert json.loads(gzip.decompress(Path(file).read_bytes()))["name"] == "B"


@pytest.mark.slow
def test_diff_is_in_the_terms_of_authors(git: Git) -> None:
    Path(FILE).write_bytes(data(edited(q0=answer("Hg"), dateModified="2026-03-01T00:00:00")))
    lines = [one for one in git("diff").splitlines() if one[:1] in "+-" and one[:3] not in ("+++", "---")]
    assert lines == ["-  answer: Mercury", "+  answer: Hg"]
    Path(FILE).write_text("no checkpoint")
    assert "+no checkpoint" in git("diff")


@pytest.mark.parametrize(
    ("held", "shown"), [([], []), (None, []), ([{"text": "a"}, {"text": "b"}], ["  text: a", "  text: b"])]
)
def test_every_question_of_an_item_is_shown(run: Run, tmp_path: Path, held: Json, shown: list[str]) -> None:  # noqa: F811
    document = edited(dataFeedElement=[{"@id": "urn:uuid:1", "item": held}])
    (tmp_path / FILE).write_bytes(data(document))
    result = run("git", "textconv", tmp_path / FILE)
    lines = result.out.decode().split("question urn:uuid:1\n")[1].splitlines()
    assert (result.code, [line for line in lines if line.startswith("  ")]) == (0, shown)


def test_uninstall_takes_away_what_was_installed(git: Git, run: Run) -> None:  # noqa: F811
    file = Path(".git/info/attributes")
    others = b"# caf\xe9, in Latin-1\n*.png binary\n"
    file.write_bytes(others)
    assert run("git", "install", "--pattern", "*.ckpt").code == 0
    assert run("git", "install", "--pattern", "*.ckpt").code == 0
    assert file.read_bytes().count(b"*.jsonld diff=checkpoint-ld merge=checkpoint-ld") == 1
    assert b"*.ckpt diff" in file.read_bytes()
    Path(".checkpoint-ld.toml").write_text('git-patterns = ["*.run.json"]')
    assert run("git", "install").code == 0
    assert b"*.run.json diff" in file.read_bytes()
    assert run("git", "uninstall").code == 0
    assert file.read_bytes() == others
    assert "checkpoint-ld" not in git("config", "--local", "--list")
    assert "nothing was installed" in run("git", "uninstall").err


def test_nothing_is_uninstalled_where_git_has_no_global_settings(home: Path, run: Run) -> None:  # noqa: ARG001, F811 - the effect of home is wanted
    found = run("git", "uninstall", "--global")
    assert (found.code, found.err) == (0, "nothing was installed\n")


def test_the_file_of_attributes_may_be_named_in_an_included_configuration(home: Path, run: Run) -> None:  # noqa: F811
    (home / ".gitconfig").write_text("[include]\n\tpath = ~/shared\n")
    (home / "shared").write_text("[core]\n\tattributesFile = ~/own attributes\n")
    assert run("git", "install", "--global").code == 0
    assert "*.jsonld" in (home / "own attributes").read_text()
    assert run("git", "uninstall", "--global").code == 0
    assert not (home / "own attributes").exists()


def test_global_settings_are_for_all_repositories(home: Path, run: Run) -> None:  # noqa: F811
    (home / ".gitconfig").write_text("[user]\n\tname = A\n")
    assert run("git", "install", "--global").code == 0
    assert "*.jsonld" in (home / "config" / "git" / "attributes").read_text()
    assert "textconv" in (home / ".gitconfig").read_text()
    assert run("git", "uninstall", "--global").code == 0
    assert not (home / "config" / "git" / "attributes").exists()
    assert "checkpoint-ld" not in (home / ".gitconfig").read_text()


def test_outside_of_a_repository_it_states_so(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - its effect is wanted
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="not a git repository"):
        setup.install()
    with pytest.raises(SettingsError, match="no pattern"):
        setup.install(("a b",))
