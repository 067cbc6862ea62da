"""The documentation: what it shows is run, and what it lists is complete.

In README.md and docs/*.md, ```python blocks are run page by page, in order, in one namespace; a ```text block right
after one is what it prints. ```console blocks hold commands after `$ ` and what they print. Both run in a copy of
docs/examples. In an expected output `…` stands for any text, alone on a line for any lines. ```turtle blocks are
statements of metals.jsonld, ```sh blocks are for people with a network and are not run. One comment begins a part of a
page, with a folder and a namespace of its own; another one names the packages that the examples of a part need.
"""

import contextlib
import importlib.util
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO, Any

import click
import pytest

import checkpoint_ld
from checkpoint_ld import errors, rules
from checkpoint_ld.cli import main
from checkpoint_ld.cli.app import app
from checkpoint_ld.dialects import DIALECTS
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.rules import example
from tests.reports.browser import NAMES, PATIENCE, Browser, binary

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
LANGUAGES = {"python", "text", "console", "turtle", "sh", "yaml", "toml"}

FENCE = re.compile(r"^```(?P<language>\S*)\n(?P<text>.*?)^```\n", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"\s*^```text\n(?P<text>.*?)^```\n", re.MULTILINE | re.DOTALL)
ANOTHER_FOLDER = "<!-- the examples from here on run in another folder -->"
NEEDED = re.compile(r"^<!-- the examples need (?P<names>.*) -->$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\((?!https?:)(?P<target>[^)#\s]+)(?:#[^)]*)?\)")
FETCHED = re.compile(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(?:https?:)?//[^>]*>""")

a_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@dataclass(frozen=True)
class Block:
    """A code block: `line` is that of its first line of code, `output` the block of text right after it."""

    page: Path
    line: int
    language: str
    text: str
    output: str = ""
    part: int = 0

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    source = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(source):
        following = OUTPUT.match(source, match.end())
        line = source.count("\n", 0, match.start("text")) + 1
        part = source.count(ANOTHER_FOLDER, 0, match.start())
        yield Block(page, line, match["language"], match["text"], following["text"] if following else "", part)


def matches(expected: str, actual: str) -> bool:
    """Tell whether a text is what is expected, where `…` stands for anything."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"[ \t]*\n"
        for line in expected.splitlines()
    ]
    actual = actual if actual.endswith("\n") or not actual else actual + "\n"
    return re.fullmatch("".join(lines), actual) is not None


def check_output(place: str, expected: str, actual: str) -> None:
    if not matches(expected, actual):
        pytest.fail(f"{place}: expected\n{expected}\nbut got\n{actual}", pytrace=False)


def run_python(block: Block, namespace: dict[str, Any]) -> None:
    code = compile("\n" * (block.line - 1) + block.text, str(block.page), "exec", dont_inherit=True)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((frame.lineno for frame in reversed(frames) if frame.filename == str(block.page)), block.line)
        raise AssertionError(f"{block.page.relative_to(ROOT)}:{line}: {error!r}") from error
    check_output(block.place, block.output, printed.getvalue())


# A command of ours, and what a shell does with its output or its exit code.
OURS = re.compile(
    r"""checkpoint-ld(?P<arguments>(?: (?!2>)(?:"[^"$`\\]*"|'[^']*'|[\w./:=,@%+-]++)++)++)"""
    r"(?P<rest>(?: (?:\||&&|2?>)|;).*)?"
)
SERVERS = {"push", "serve"}


def run_console(block: Block, folder: Path) -> None:
    for number, command, expected in commands(block):
        ours = OURS.fullmatch(re.sub(r"\s*\\\n\s*", " ", command))
        arguments = shlex.split(ours["arguments"]) if ours else []
        if ours and arguments[0] not in SERVERS:
            printed, code = run_ours(arguments, ours["rest"] or "", folder)
        else:
            printed, code = run_shell(command, folder)
        place = f"{block.page.relative_to(ROOT)}:{number}"
        check_output(place, expected, printed)
        assert code == 0, f"{place}: {command} exits with {code}"


def run_shell(command: str, folder: Path) -> tuple[str, int]:
    """Return what a command prints and the code that it ends with."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return text_of(done.stdout), done.returncode


def run_ours(arguments: list[str], rest: str, folder: Path) -> tuple[str, int]:
    """Do as `run_shell`, in this process: to start one takes longer than most of the commands do."""
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as errors:
        code = call(arguments, out, errors if rest else out)
        if rest:
            return run_shell(f"ours() {{ cat {errors.name} >&2; cat {out.name}; return {code}; }}; ours{rest}", folder)
        out.seek(0)
        return text_of(out.read()), code


def text_of(output: bytes) -> str:
    return output.decode().replace("\r\n", "\n")


def call(arguments: list[str], out: IO[bytes], errors: IO[bytes]) -> int:
    """Call the command with these as its standard output and standard error; return its exit code."""
    kept = {number: os.dup(number) for number in (1, 2)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["checkpoint-ld", *arguments])
        for number, name, file, buffering in ((1, "stdout", out, -1), (2, "stderr", errors, 1)):
            os.dup2(file.fileno(), number)
            stream = open(number, "w", buffering, encoding="utf-8", closefd=False)  # noqa: SIM115 - flushed below
            patch.setattr(sys, name, stream)
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, copy in kept.items():
                os.dup2(copy, number)
                os.close(copy)
    return 0


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Yield line number, command and expected output; a command goes on after a backslash at the end of its line."""
    assert block.text.startswith("$ "), f"{block.place}: a console block starts with a command"
    for part in re.finditer(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        yield block.line + block.text.count("\n", 0, part.start()), part["command"], part["output"]


def no_network(*_: object) -> None:
    raise AssertionError("the documentation promises that nothing goes to the network")


@pytest.mark.slow
@a_page
@pytest.mark.filterwarnings("ignore::DeprecationWarning:pyshacl", "ignore::DeprecationWarning:rdflib")
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket.connect", no_network)
    monkeypatch.setenv("PATH", os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", ""))))
    for name, value in {"COLUMNS": "80", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    sources = page.read_text(encoding="utf-8").split(ANOTHER_FOLDER)
    left_out = set()
    for part, found in groupby(blocks(page), key=lambda block: block.part):
        needed = set(re.findall(r"\w+", " ".join(NEEDED.findall(sources[part])).replace(" and ", " ")))
        if missing := {name for name in needed if importlib.util.find_spec(name) is None}:
            left_out |= missing
            continue
        folder = tmp_path / str(part)
        shutil.copytree(EXAMPLES, folder)
        monkeypatch.chdir(folder)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        for block in found:
            assert block.language in LANGUAGES, f"{block.place}: a block in {block.language!r}, which no test looks at"
            if block.language == "python":
                run_python(block, namespace)
            elif block.language == "console":
                run_console(block, folder)
    if left_out:
        pytest.skip(f"some examples of {page.name} need {', '.join(left_out)}: make .venv/.integrations-group")


def test_statements_that_pages_show_are_in_the_example() -> None:
    graph = checkpoint_ld.load(EXAMPLES / "metals.jsonld").graph
    shown = [block for page in PAGES for block in blocks(page) if block.language == "turtle"]
    assert shown
    for block in shown:
        missing = [one for one in triples_of(emission.parse(block.text.encode(), "turtle")) if one not in graph]
        assert not missing, f"{block.place}: {missing}"


@a_page
def test_make_targets_and_files_that_a_page_leads_to_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)`", text)) <= targets
    linked = {match["target"] for match in LINK.finditer(text)}
    assert [target for target in linked if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\n", False),
        ("a\n", "a  \n", True),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nb\nc\n", False),
        ("x … z\n", "x y z\n", True),
        ("x … z\n", "x y\nz\n", False),
        ("", "a\n", False),
    ],
)
def test_an_ellipsis_stands_for_anything_and_nothing_else_does(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same


def test_the_readme_is_at_most_two_screens() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100


def test_the_page_of_commands_has_the_options_of_each() -> None:
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    context = click.Context(app)
    sections = dict(re.findall(r"^## `([\w-]+)`.*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))

    assert set(app.list_commands(context)) == sections.keys()
    assert {name for name in sections if f"<!-- options: {name} -->" not in sections[name]} == {"completion", "lsp"}
    assert text == runpy.run_path(str(DOCS / "option_tables.py"))["with_tables"](text), (
        "run python docs/option_tables.py"
    )
    assert "`--version`" in text
    assert "`--help`" in text


def test_the_page_of_the_api_explains_every_public_name() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^## `.*|^\| .*? \|", text, re.MULTILINE))))
    assert [name for name in vars(checkpoint_ld)["__all__"] if name not in explained] == []


def test_the_page_of_the_api_draws_the_exceptions_as_they_are() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    (drawn,) = (block.text for block in blocks(DOCS / "api.md") if block.text.startswith("CheckpointLdError\n"))
    parents: list[str] = []
    for line in drawn.splitlines():
        name, *others = re.findall(r"[\w.]+", line)
        depth = re.search(r"\w", line).start() // 4  # type: ignore[union-attr]  # each line has a name
        parents = [*parents[:depth], name]
        error = getattr(errors, name)
        assert [one.__name__ for one in error.__mro__ if one.__name__ in parents] == parents[::-1], line
        assert all(any(one.__name__ == other.rpartition(".")[2] for one in error.__mro__) for other in others), line
    ours = {name: one for name, one in vars(errors).items() if getattr(one, "__module__", "") == errors.__name__}
    warned = {name for name, one in ours.items() if isinstance(one, type) and issubclass(one, Warning)}
    raised = {name for name, one in ours.items() if isinstance(one, type) and issubclass(one, errors.CheckpointLdError)}
    assert set(re.findall(r"\w+", re.sub(r"\(.*?\)", "", drawn))) == {name for name in raised if name[0] != "_"}
    assert all(f"| `{name}` |" in text for name in warned)


def test_the_page_of_dialects_states_which_ones_are_written() -> None:
    text = (DOCS / "dialects.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)` \|.*\| (read|read, write) \|$", text, re.MULTILINE))
    assert rows == {one.name: "read, write" if one.downgrade else "read" for one in DIALECTS}


def test_the_page_of_rules_is_what_the_catalogue_states() -> None:
    rendered = runpy.run_path(str(DOCS / "rule_pages.py"))["index"]()
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == rendered, "run python docs/rule_pages.py"


def test_the_page_of_a_rule_states_what_why_and_what_to_do() -> None:
    page = runpy.run_path(str(DOCS / "rule_pages.py"))["page"]
    for rule in rules.catalogue().values():
        text = page(rule)
        assert text.startswith(f"# {rule.code} {rule.slug}\n")
        assert rule.why in text, rule.code
        assert rule.remedy[1:] in text, rule.code
        held = example(rule.code)
        assert held is None or (held.bad in text and held.good in text), rule.code


def test_the_page_of_the_architecture_has_every_package_at_its_level() -> None:
    package = Path(checkpoint_ld.__file__).parent
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \| (\d+) \|", text, re.MULTILINE)
    levels = {name: int(level) for names, level in rows for name in re.findall(r"`(\w+)/?`", names)}
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][
        0
    ]
    names = [set(re.findall(r"\w+", layer)) for layer in reversed(layers["layers"])]

    assert {path.parent.name for path in package.glob("*/__init__.py")} <= levels.keys()
    assert {name: level for level, layer in enumerate(names) for name in layer if level} == {
        name: level for name, level in levels.items() if level
    }
    assert {name for name, level in levels.items() if not level} < names[0]


@pytest.mark.parametrize("page", ["architecture.md", "contributing.md"])
def test_files_that_a_page_for_developers_names_exist(page: str) -> None:
    named = set(re.findall(r"`([\w./-]+/[\w-]+\.(?:py|ttl|json|jsonld))`", (DOCS / page).read_text(encoding="utf-8")))
    roots = (ROOT, Path(checkpoint_ld.__file__).parent)
    assert {name for name in named if not any((root / name).exists() for root in roots)} == set()
    assert named


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The site, and how its building ended."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    # Without --quiet: it silences the warnings that --strict counts.
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    return folder, subprocess.run(build, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_asks_nobody_for_anything(
    site: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = site
    pages = {page.name: page.read_text(encoding="utf-8") for page in folder.glob("*.html")}

    assert done.returncode == 0, done.stderr
    assert {page.with_suffix(".html").name for page in DOCS.glob("*.md")} <= pages.keys()
    assert {page.stem for page in (folder / "rules").glob("*.html")} == set(rules.catalogue())
    for name, html in pages.items():
        assert FETCHED.findall(html) == [], name


@pytest.mark.slow
def test_the_site_is_searched_when_it_is_opened_from_a_folder(
    site: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    command = binary()
    if command is None:
        pytest.skip(f"no browser to look at the site: install Chromium so that one of {', '.join(NAMES)} is on PATH")
    results = "[...document.querySelectorAll('a.md-search-result__link')].map((one) => one.href).join()"
    with Browser(command, tmp_path) as browser:
        browser.open(site[0] / "index.html")
        browser.send("Page.navigate", url=f"{(site[0] / 'index.html').as_uri()}?q=provenance")
        until = time.monotonic() + PATIENCE
        while not (found := browser.ask(results)):
            assert time.monotonic() < until, "nothing is found"
            time.sleep(0.05)
    assert "agent" in found
