"""Without trust, nothing that is stored in a checkpoint is run, imported or unpickled, however it is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.templates import read_template
from tests.documents import canonical, item, rating
from tests.workers.hostile import callables, templates

REPOSITORY = Path(__file__).resolve().parents[2]
# Read first, so that what is read lazily, some of it only for many templates, is there before anything is watched.
HARMLESS = "class Answer(BaseAnswer):\n    x: str = VerifiedField('d', 't', verify_with=RegexMatch(pattern='(a+)+$'))\n"
FIELD = "str = VerifiedField('d', 't', verify_with=ExactMatch())"
PLAIN = [f"class Answer(BaseAnswer):\n    x{number}: {FIELD}" for number in range(40)]
FUNCTION = "def judge(text): return True"


def checkpoint(sources: dict[str, str], code: dict[str, str]) -> Any:
    questions = [item(f"{name}?", f"urn:uuid:question-{number}") for number, name in enumerate(sources)]
    for question, source in zip(questions, sources.values(), strict=True):
        question["item"]["hasPart"]["text"] = source
    usual = {"kind": "boolean", "invert_result": False, "higher_is_better": True}
    traits = [rating(name, "Global", callable_code=text, **usual) for name, text in code.items()]
    return {
        **canonical(*questions),
        "rating": [{**one, "additionalType": "karenina:GlobalCallableTrait"} for one in traits],
    }


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what happened when a checkpoint full of hostile code was read, in a process that was watched."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "harmful.py").write_text("open('sentinel', 'w').close()")
    for name, tree in (
        ("hostile", checkpoint(templates(), callables())),
        ("harmless", checkpoint({text: text for text in (*PLAIN, HARMLESS)}, {"harmless": FUNCTION})),
    ):
        (folder / f"{name}.jsonld").write_text(json.dumps(tree))
    program = str(Path(__file__).with_name("hostile.py"))
    done = subprocess.run(
        [sys.executable, "-B", program, "hostile.jsonld", "harmless.jsonld"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(folder)])},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {**json.loads(done.stdout), "folder": str(folder), "files": sorted(path.name for path in folder.iterdir())}


@pytest.mark.slow
def test_everything_was_read_and_left_no_trace(seen: Any) -> None:
    assert seen["counts"]["questions"] == len(templates())
    assert seen["counts"]["refused"] == len(callables())
    assert seen["counts"]["undecided"] > len(templates())
    assert seen["files"] == ["copy.jsonld", "harmful.py", "harmless.jsonld", "hostile.jsonld"]


def test_nothing_was_imported_executed_or_unpickled_and_no_process_started_but_ours(seen: Any) -> None:
    assert seen["modules"] == []
    kinds = {event.partition(" ")[0] for event in seen["events"]}
    forbidden = {"import", "exec", "pickle.find_class", "marshal.loads", "os.system", "os.fork", "code.__new__"}
    assert kinds & forbidden == set()
    assert [kind for kind in kinds if kind.startswith(("socket.", "ctypes.", "os.exec", "os.spawn"))] == []
    started = [event for event in seen["events"] if event.startswith("subprocess.Popen ")]
    assert [event for event in started if "'checkpoint_ld.workers.patterns:start']" not in event] == []


def test_texts_were_parsed_and_not_compiled(seen: Any) -> None:
    # `ast.parse` compiles under this name, to a tree and no further; other compilations would name another file.
    assert {event for event in seen["events"] if event.startswith("compile ")} != set()
    assert [one for one in seen["events"] if one.startswith("compile ") and not one.endswith("'<unknown>']")] == []


def test_only_the_files_of_the_checkpoint_were_opened(seen: Any) -> None:
    opened = {event.split("'")[1] for event in seen["events"] if event.startswith("open ['")}
    # An open file that is given another form; what processes read that have nothing to read; and Python, which looks
    # for the file of its name to show a line of it when a text is no Python.
    opened -= {"int", "/dev/null", "<unknown>"}
    assert "hostile.jsonld" in opened
    beside = [Path(name) for name in opened - {"hostile.jsonld"}]
    written = [path for path in beside if seen["folder"] in {str(path), str(path.parent)}]
    assert written == beside
    assert [path for path in written if "harmful" in path.name] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", templates())
def test_a_hostile_template_is_read_in_no_time_and_without_a_trace(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    read_template(HARMLESS)
    before = set(sys.modules)
    template = read_template(templates()[name])
    assert template.level.value in {"classic", "verified", "mixed", "incomplete", "syntax-error", "no-answer-class"}
    assert list(tmp_path.iterdir()) == []
    assert set(sys.modules) == before
