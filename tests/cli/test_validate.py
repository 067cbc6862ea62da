"""`checkpoint-ld validate`: what is found, what is printed where, and the exit codes that pipelines act on."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from checkpoint_ld.cli.validate import FORMATS
from checkpoint_ld.dialects import reading
from checkpoint_ld.documents import files
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.documents.values import as_base64
from checkpoint_ld.errors import WriteError
from checkpoint_ld.validation import profiles, reports
from tests.cli.conftest import EXAMPLES, Run
from tests.documents import canonical, item, rating, scenario
from tests.fixes.test_fixes import FAULTS, FORMS, in_form
from tests.fixes.test_fixes import sound as fixes_sound
from tests.trials import some

BROKEN, FIXABLE = EXAMPLES / "broken.jsonld", EXAMPLES / "fixable.jsonld"

pytestmark = pytest.mark.usefixtures("here")

TEMPLATE = """class Answer(BaseAnswer):
    metal: str = VerifiedField(description="the metal", ground_truth="mercury", verify_with=ExactMatch())
"""


def sound() -> dict[str, object]:
    tree = canonical(item(identifier="urn:uuid:question-which-metal-is-liquid-at-20-°c-687325bc"))
    question = tree["dataFeedElement"][0]["item"]
    question["hasPart"]["text"] = TEMPLATE
    del question["rating"], tree["rating"]
    return dict(tree)


def write(file: str, **changes: object) -> Path:
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**sound(), **changes}, indent=2, ensure_ascii=False), encoding="utf-8")
    return path


def codes(out: bytes) -> list[str]:
    return [found["rule"] for found in json.loads(out)["findings"]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n<<<<<<< HEAD\n "name": "a"\n=======\n "name": "b"\n>>>>>>> other\n}', 2),
        ('{"name": "a",\n "creator": "b"\n=======\n "creator": "c"\n>>>>>>> other\n}', 3),
        ('{"name": "a"\n||||||| base\n}', 2),
        ('{"name": "a"}\n>>>>>>> other\n', 2),
        ('<<<<<<< HEAD\n{"name": "a"}\n=======\n{"name": "b"}\n>>>>>>> other\n', 1),
    ],
)
def test_conflict_markers_are_reported_as_such(run: Run, text: str, line: int) -> None:
    Path("a.jsonld").write_text(text)
    done = run("validate", "a.jsonld")
    assert done.out.decode().startswith(
        f"a.jsonld:{line}:1: violation KD001 json: a conflict marker of git stands here"
    )
    assert "fix: resolve the merge" in done.out.decode()
    assert b"conflict marker of git" in run("validate", "-", stdin=text.encode()).out


@pytest.mark.parametrize(
    ("text", "kind"), [('{"a": 1}', 'an object with the members "a"'), ("{}", "an object without members")]
)
def test_what_is_no_checkpoint_is_one_short_line(run: Run, text: str, kind: str) -> None:
    Path("a.json").write_text(text)
    first = run("validate", "a.json").out.decode().splitlines()[0]
    assert first == f"a.json:1:1: violation KD011 no-checkpoint: this is no checkpoint but {kind}"


def code_findings(run: Run) -> list[dict[str, str]]:
    document = json.loads(run("validate", "a.json", "--format", "json").out)
    return [one for one in document["findings"] if one["condition"] == "W-CODE"]


@pytest.mark.parametrize("kind", ["callable", "scenario"])
def test_code_is_accepted_by_its_hash_until_it_changes(run: Run, kind: str) -> None:
    def write(code: str) -> None:
        if kind == "callable":
            tree = canonical(item())
            tree["rating"] = [rating("short", "Global", callable_code=as_base64(code), kind="boolean")]
            tree["rating"][0]["additionalType"] = "karenina:GlobalCallableTrait"
        else:
            tree = scenario()
            del tree["hasPart"][0]["edges"][1]["conditionSource"]
            tree["hasPart"][0]["nodes"]["start here"]["stateUpdateSource"] = code
        Path("a.json").write_text(json.dumps(tree))

    write("import os\n\ndef short(text):\n    return len(text) < 9\n")
    [found] = code_findings(run)
    assert "import os, def short" in found["message"]
    [digest] = re.findall(r"sha256:[0-9a-f]{64}", found["message"])
    Path(".checkpoint-ld.toml").write_text(f'accepted-code = ["{digest}"]')
    assert code_findings(run) == []
    write("import os\n\ndef short(text):\n    return len(text) < 8\n")
    assert len(code_findings(run)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("form", "is_marked"), [("usual", True), *((form, False) for form in some([*FORMS], 3))])
def test_what_fix_takes_away_states_so_and_is_counted(run: Run, form: str, is_marked: bool) -> None:
    tree = fixes_sound()
    some = ("a trait type without prefix", "no format version", "a version as number", "keywords as text")
    for name in sorted(FAULTS, key=lambda one: one == "a question in an array") if form == "usual" else some:
        FAULTS[name][2](tree)
    data = json.dumps(in_form(tree, form)).encode()
    Path("a.json").write_bytes(b"\xef\xbb\xbf" * is_marked + data)
    before = json.loads(run("validate", "a.json", "--format", "json").out)["findings"]
    shown = run("validate", "a.json", "--max-per-rule", "0").out.decode()
    fixed = json.loads(run("validate", "a.json", "--fix", "--format", "json").out)["findings"]
    mended = [one["code"] for one in before if one["fixable"]]

    assert Counter(one["code"] for one in before) - Counter(one["code"] for one in fixed) == Counter(mended)
    assert not any(one["fixable"] for one in fixed)
    assert shown.count("(--fix does it)") == len(mended)
    assert (f"; --fix mends {len(mended)} finding" in shown) is bool(mended)
    assert ("KD008" in mended) is is_marked


def test_a_sound_checkpoint_gives_no_finding_and_code_0(run: Run) -> None:
    write("metals.jsonld")
    done = run("validate", "metals.jsonld")
    assert (done.code, done.err) == (0, "")
    assert b"1 file" in done.out
    assert b"metals.jsonld:" not in done.out


def test_a_finding_has_its_place_and_a_remedy(run: Run) -> None:
    write("metals.jsonld", name="")
    done = run("validate", "metals.jsonld")
    line = (Path("metals.jsonld").read_text().splitlines()).index('  "name": "",') + 1
    assert done.code == 1
    assert f"metals.jsonld:{line}:11: violation".encode() in done.out
    assert b"benchmark-name" in done.out
    assert b"give the root a name" in done.out


@pytest.mark.parametrize(
    ("changes", "fail_on", "code"),
    [
        ({"name": ""}, None, 1),
        ({"name": ""}, "violation", 1),
        ({"name": ""}, "never", 0),
        ({"creator": None}, None, 0),
        ({"creator": None}, "violation", 0),
        ({"creator": None}, "warning", 1),
        ({"version": 1}, None, 1),
        ({"version": 1}, "never", 0),
        ({"additionalProperty": []}, "warning", 0),
        ({"additionalProperty": []}, "info", 1),
        ({}, "info", 0),
    ],
)
def test_the_exit_code_depends_on_the_heaviest_finding(
    run: Run, changes: dict[str, object], fail_on: str | None, code: int
) -> None:
    write("metals.jsonld", **changes)
    options = ("--fail-on", fail_on) if fail_on else ()
    assert run("validate", "metals.jsonld", *options).code == code


def test_a_profile_may_weigh_rules_otherwise(run: Run) -> None:
    write("metals.jsonld", version=1)
    assert run("validate", "metals.jsonld", "--profile", "strict").code == 1


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("sh:property [ sh:path schema:x ; sh:minCount 1 ; sh:message 'zu kurz'@de, 'too short'@en ]", "too short"),
        ("sh:property [ sh:path schema:x ; sh:minCount 1 ; sh:message 'zu kurz'@de ]", "zu kurz"),
        (
            "sh:property [ sh:path [ sh:inversePath schema:x ] ; sh:minCount 1 ]",
            "->[ sh:inversePath <https://schema.org/x",
        ),
        ("sh:not [ sh:nodeKind sh:IRI ]", "must not conform to shape [ sh:nodeKind sh:IRI ]"),
        ("sh:sparql [ sh:select 'SELECT $this { $this ?p ?o }' ]", "does not conform to a query of <urn:my:Shape>"),
    ],
)
def test_findings_of_the_users_shapes_have_messages(run: Run, shape: str, message: str) -> None:
    write("metals.jsonld")
    Path("shapes.ttl").write_text(
        f"""@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .
        <urn:my:Shape> sh:targetClass schema:DataFeed ; {shape} ."""
    )
    done = run("validate", "metals.jsonld", "--shapes", ".", "--format", "json")
    assert done.code == 1
    [found] = {one["message"] for one in json.loads(done.out)["findings"] if one["rule"] == "shape"}
    assert message in found
    assert "zu kurz" not in found or message == "zu kurz"


@pytest.mark.parametrize("name", reports.FORMATS)
def test_every_format_is_written_to_standard_output_or_a_file(run: Run, name: str) -> None:
    write("metals.jsonld", name="")
    printed = run("validate", "metals.jsonld", "--format", name)
    assert printed.code == 1
    assert b"name" in printed.out
    kept = run("validate", "metals.jsonld", "--format", name, "--output", "report")
    assert (kept.code, kept.out) == (1, b"")
    # Reports with a time or a random name in them differ from one run to the next.
    assert len(Path("report").read_bytes()) == len(printed.out)


def test_the_command_names_the_formats_that_there_are() -> None:
    assert tuple(reports.FORMATS) == FORMATS


def test_help_names_every_profile(run: Run) -> None:
    shown = run("validate", "--help").out.decode()
    assert [name for name in profiles.names() if name not in shown] == []


def test_one_bad_file_hides_nothing_about_the_others(run: Run) -> None:
    write("a.jsonld", name="")
    Path("b.jsonld").write_text('{"broken": ')
    write("c.jsonld", version=1)
    done = run("validate", "a.jsonld", "missing.jsonld", "b.jsonld", "x*.json", "c.jsonld", "--format", "json")
    assert done.code == 2
    assert codes(done.out) == ["benchmark-name", "json", "benchmark-version"]
    assert done.err.splitlines() == [
        "x*.json: no file matches",
        "missing.jsonld: cannot be read: no such file or directory; check the path",
    ]


def test_shapes_that_fail_at_one_file_hide_nothing_about_the_others(run: Run) -> None:
    write("a.jsonld", name="")
    write("b.jsonld", name="", license="MIT")
    Path("shapes.ttl").write_text(
        """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .
        <urn:my:Licence> a sh:NodeShape ; sh:targetSubjectsOf schema:license ;
          sh:sparql [ sh:message "never" ; sh:select "SELECT $this WHERE { $this ?p ?o . BIND(?o AS $this) }" ] ."""
    )
    done = run("validate", "a.jsonld", "b.jsonld", "--shapes", "shapes.ttl", "--format", "json")
    assert (done.code, codes(done.out)) == (2, ["benchmark-name"])
    assert done.err.startswith("b.jsonld: your shapes cannot be applied")


def test_a_folder_is_searched_and_what_is_no_checkpoint_is_only_counted(run: Run) -> None:
    write("data/a.jsonld", name="")
    write("data/deep/b.json", version=1)
    Path("data/package.json").write_text('{"name": "p"}')
    done = run("validate", "data", "--format", "json")
    assert codes(done.out) == ["benchmark-name", "benchmark-version"]
    assert done.err == "1 file in a folder is no checkpoint and passed over\n"
    assert run("validate", "data", "--quiet").err == ""
    named = run("validate", "data/package.json", "--format", "json")
    assert (named.code, codes(named.out)) == (1, ["no-checkpoint"])


def test_standard_input_of_any_syntax(run: Run) -> None:
    write("metals.jsonld", name="")
    triples = reading.examine("metals.jsonld").graph.serialize(format="nt", encoding="utf-8")
    for options, data in (((), Path("metals.jsonld").read_bytes()), (("--from", "turtle"), triples)):
        done = run("validate", "-", *options, "--format", "json", stdin=data)
        assert (done.code, codes(done.out)) == (1, ["benchmark-name"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--select", "KB001"], ["benchmark-name"]),
        (["--select", "kb,E-NAME"], ["benchmark-name", "benchmark-version"]),
        (["--select", "KQ", "--select", "W-VERSION-TYPE"], ["benchmark-version"]),
        (["--ignore", "benchmark-name"], ["benchmark-version"]),
        (["--select", "KB", "--ignore", "W-VERSION-TYPE"], ["benchmark-name"]),
        (["--ignore", "KB"], []),
    ],
)
def test_rules_are_selected_and_ignored(run: Run, options: list[str], expected: list[str]) -> None:
    write("metals.jsonld", name="", version=1)
    done = run("validate", "metals.jsonld", "--format", "json", *options)
    assert codes(done.out) == expected
    assert done.code == (1 if expected else 0)


def test_an_empty_selection_is_none(run: Run) -> None:
    everything = run("validate", BROKEN)
    assert everything.code == 1
    assert run("validate", BROKEN, "--select", "", "--ignore", " , ") == everything
    assert run("rules", "").out == run("rules").out


def test_what_cannot_be_read_is_reported_whatever_is_selected(run: Run) -> None:
    Path("b.jsonld").write_text('{"broken": ')
    done = run("validate", "b.jsonld", "--select", "KQ")
    assert done.code == 1
    assert b"KD001" in done.out


CONFIGURATION = """
[tool.checkpoint-ld]
profile = "strict"
ignore = ["KB001"]
fail-on = "info"
exclude = ["drafts"]
max-per-rule = 1
[tool.checkpoint-ld.per-file-ignores]
"old/*" = ["W-VERSION-TYPE"]
"""


def test_the_configuration_of_the_project_counts(run: Run) -> None:
    Path("pyproject.toml").write_text(CONFIGURATION)
    write("a.jsonld", name="", version=1)
    write("old/b.jsonld", name="", version=1, additionalProperty=[])
    write("drafts/c.jsonld", name="")
    done = run("validate", ".", "--format", "json")
    assert [found["severity"] for found in json.loads(done.out)["findings"]] == ["violation", "warning"]
    assert codes(done.out) == ["benchmark-version", "format-version-missing"]
    assert done.code == 1
    assert json.loads(done.out)["profile"] == "strict"


def test_the_command_line_wins_over_the_configuration(run: Run) -> None:
    Path("pyproject.toml").write_text(CONFIGURATION)
    write("a.jsonld", name="", version=1)
    options = ("--profile", "karenina", "--ignore", "KB003", "--fail-on", "never", "--format", "json")
    done = run("validate", "a.jsonld", *options)
    assert (done.code, codes(done.out)) == (0, ["benchmark-name"])
    assert codes(run("validate", "a.jsonld", "--no-config", "--format", "json").out) == [
        "benchmark-name",
        "benchmark-version",
    ]


def test_another_configuration_can_be_named(run: Run) -> None:
    Path("pyproject.toml").write_text(CONFIGURATION)
    Path("other.toml").write_text('select = ["KQ"]\n')
    write("a.jsonld", name="")
    assert run("validate", "a.jsonld", "--config", "other.toml").code == 0


def test_repeats_of_a_rule_are_cut_in_text_only(run: Run) -> None:
    items = [item(f"Which metal is number {at}?", f"urn:uuid:metal-{at}") for at in range(9)]
    for one in items:
        one["item"]["text"] = ""
    write("metals.jsonld", dataFeedElement=items)
    arguments = ("validate", "metals.jsonld", "--select", "question-text")
    assert run(*arguments, "--max-per-rule", "2").out.count(b": violation ") == 2
    assert run(*arguments, "--max-per-rule", "0").out.count(b": violation ") == 9
    assert len(codes(run(*arguments, "--max-per-rule", "2", "--format", "json").out)) == 9
    Path(".checkpoint-ld.toml").write_text("max-per-rule = 3")
    assert run(*arguments).out.count(b": violation ") == 3
    assert run(*arguments, "--max-per-rule", "0").out.count(b": violation ") == 9


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_are_for_terminals_and_those_who_ask(
    run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    write("metals.jsonld", name="")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert (b"\x1b[" in run("validate", "metals.jsonld").out) is coloured


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("options", "shown"), [((), True), (("--quiet",), False)])
def test_progress_is_shown_on_a_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], shown: bool
) -> None:
    write("a.jsonld")
    write("b.jsonld")
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert run("validate", "a.jsonld", "b.jsonld", *options).code == 0
    assert isinstance(sys.stderr, Terminal)
    assert ("validating" in sys.stderr.getvalue()) is shown


def test_what_can_be_fixed_is_fixed_and_the_rest_is_reported(run: Run) -> None:
    shutil.copy(BROKEN, "broken.jsonld")
    before = codes(run("validate", "broken.jsonld", "--format", "json").out)
    done = run("validate", "broken.jsonld", "--fix", "--format", "json")
    after = codes(done.out)
    assert done.code == 1
    assert done.err == "fixed 5 places in 1 file\n"
    gone = {"benchmark-version", "finished-text", "format-version-missing"}
    assert gone <= set(before)
    assert set(after).isdisjoint(gone)
    assert {"question-text", "rating-range", "pattern-compiles", "trait-type", "class-few"} <= set(after)
    assert {"item-id-duplicate", "member-misspelt", "item-date-format"} <= set(after)
    assert run("validate", "broken.jsonld", "--fix", "--format", "json").err == "fixed 0 places in 0 files\n"
    shutil.copy(FIXABLE, "fixable.jsonld")
    assert run("validate", "fixable.jsonld", "--fix", "--fail-on", "info").code == 0


def test_the_diff_is_what_fixing_does(run: Run) -> None:
    shutil.copy(FIXABLE, "fixable.jsonld")
    before = FIXABLE.read_bytes()
    done = run("validate", "fixable.jsonld", "--diff")
    assert done.code == 1
    assert Path("fixable.jsonld").read_bytes() == before
    assert done.out.startswith(b"--- fixable.jsonld\n+++ fixable.jsonld\n@@")
    run("validate", "fixable.jsonld", "--fix")
    fixed = Path("fixable.jsonld").read_text(encoding="utf-8").splitlines()
    added = [line[1:] for line in done.out.decode().splitlines()[2:] if line.startswith("+")]
    removed = [line[1:] for line in done.out.decode().splitlines()[2:] if line.startswith("-")]
    assert added
    assert set(added) <= set(fixed)
    assert set(removed) <= set(before.decode().splitlines())
    again = run("validate", "fixable.jsonld", "--diff")
    assert (again.code, again.out) == (0, b"")


@pytest.mark.skipif(shutil.which("patch") is None, reason="the program patch is not installed")
def test_the_diff_can_be_applied_by_others(run: Run) -> None:
    tree = json.dumps(sound() | {"version": 1, "description": "one\u2028line"}, indent=1, ensure_ascii=False)
    for text in (tree, tree + "\n", json.dumps(sound() | {"version": 1})):
        Path("a.jsonld").write_text(text, encoding="utf-8")
        made = run("validate", "a.jsonld", "--diff").out
        subprocess.run(["patch", "--silent", "a.jsonld"], input=made, check=True, capture_output=True)
        assert Path("a.jsonld").read_text(encoding="utf-8") == text.replace('"version": 1', '"version": "1"')


def test_only_fixes_of_rules_that_count_are_applied(run: Run) -> None:
    write("a.jsonld", version=1, additionalProperty=[])
    done = run("validate", "a.jsonld", "--fix", "--select", "benchmark-version")
    assert done.err == "fixed 1 place in 1 file\n"
    assert json.loads(Path("a.jsonld").read_bytes())["additionalProperty"] == []
    write("a.jsonld", version=1, additionalProperty=[])
    Path(".checkpoint-ld.toml").write_text('[per-file-ignores]\n"a.*" = ["benchmark-version"]\n')
    run("validate", "a.jsonld", "--fix")
    assert json.loads(Path("a.jsonld").read_bytes())["version"] == 1


def test_what_is_sound_is_not_written(run: Run) -> None:
    file = write("a.jsonld")
    before = file.stat()
    assert run("validate", "a.jsonld", "--fix").code == 0
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_standard_input_is_fixed_to_standard_output(run: Run) -> None:
    write("a.jsonld", version=1, name="")
    done = run("validate", "-", "--fix", stdin=Path("a.jsonld").read_bytes())
    assert done.out == Path("a.jsonld").read_bytes().replace(b'"version": 1', b'"version": "1"')
    assert "benchmark-name" in done.err
    assert "fixed 1 place in 1 file" in done.err
    assert done.code == 1
    diff = run("validate", "-", "--diff", stdin=Path("a.jsonld").read_bytes())
    assert diff.code == 1
    assert b'+  "version": "1"' in diff.out


def test_a_file_that_cannot_be_written_does_not_stop_the_others(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.jsonld", version=1)
    write("b.jsonld", version=1)

    def refuse_the_first(path: str, data: bytes, **_: bool) -> None:
        if path == "a.jsonld":
            raise WriteError("a.jsonld: cannot be written: it is write-protected")
        replace_file(path, data)

    monkeypatch.setattr(files, "replace_file", refuse_the_first)
    done = run("validate", "a.jsonld", "b.jsonld", "--fix", "--format", "json")
    assert done.code == 2
    assert "a.jsonld: cannot be written" in done.err
    assert "fixed 1 place in 1 file" in done.err
    assert codes(done.out) == ["benchmark-version"]


def test_what_is_no_json_has_nothing_to_fix(run: Run) -> None:
    Path("b.jsonld").write_text('{"broken": ')
    Path("c.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
    done = run("validate", "b.jsonld", "c.ttl", "missing.jsonld", "--diff")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("missing.jsonld: cannot be read")
    assert run("validate", "b.jsonld", "c.ttl", "--diff").code == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profile = 'strikt'", 'there is no profile "strikt"; did you mean strict?'),
        ("select = ['KQ9999']", 'there is no rule "KQ9999"'),
    ],
)
def test_an_unknown_name_in_a_configuration_is_refused_with_the_name_of_the_file(
    run: Run, text: str, message: str
) -> None:
    Path(".checkpoint-ld.toml").write_text(f"\ufeff{text}", encoding="utf-8")
    benchmark = shutil.copy(EXAMPLES / "metals.jsonld", Path.cwd())

    assert f"{Path('.checkpoint-ld.toml').absolute()}: {message}" in run("validate", benchmark).err
    option = ("--profile", "strikt") if "profile" in text else ("--select", "KQ9999")
    assert run("validate", benchmark, *option).err.startswith(message)
