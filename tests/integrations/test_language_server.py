"""The language server, as an editor meets it: over standard input and output."""

import asyncio
import functools
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pygls", reason="the language server needs pygls: make .venv/.integrations-group")

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from tests.integrations.test_edited_text import EDITS, document, texts_of
from tests.trials import examples

from checkpoint_ld import CheckpointManager, RuntimeState

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
COMMAND = "from checkpoint_ld.cli import main; import sys; sys.argv = ['checkpoint-ld', 'lsp']; main()"

pytestmark = pytest.mark.filterwarnings("default")  # asyncio's own, about pipes of a process that ended


class Editor(LanguageClient):
    """An editor with one document open."""

    def __init__(self) -> None:
        super().__init__("tests", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.uri = ""
        self.edition = 0
        self.opened: set[str] = set()
        self.text = ""

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]  # pygls' own
        def _(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    async def close(self) -> None:
        """Close what is open, with all that was published of it."""
        for uri in self.opened:
            self.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        self.opened.clear()
        self.edition += 1
        self.published = asyncio.Queue()

    async def open(self, file: Path) -> list[types.Diagnostic]:
        self.uri = file.as_uri()
        self.opened.add(self.uri)
        self.text = text = file.read_text(encoding="utf-8")
        item = types.TextDocumentItem(self.uri, "json", self.edition, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def diagnostics(self) -> list[types.Diagnostic]:
        async with asyncio.timeout(30):
            while True:
                found = await self.published.get()
                if found.version == self.edition:
                    return list(found.diagnostics)

    async def write(self, text: str) -> list[types.Diagnostic]:
        """Replace the whole text."""
        self.replace(text)
        return await self.diagnostics()

    def replace(self, text: str) -> None:
        """Replace what differs in the text, every third time all, and do not wait for what is found in it."""
        self.edition += 1
        named = types.VersionedTextDocumentIdentifier(self.edition, self.uri)
        start = alike(self.text, text)
        end = alike(self.text[start:][::-1], text[start:][::-1])
        replaced = types.Range(placed(self.text, start), placed(self.text, len(self.text) - end))
        changes: list[Any] = [types.TextDocumentContentChangePartial(replaced, text[start : len(text) - end])]
        if self.edition % 3 == 0:
            changes = [types.TextDocumentContentChangeWholeDocument(text)]
        self.text = text
        self.text_document_did_change(types.DidChangeTextDocumentParams(named, changes))

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)


@pytest.fixture(scope="module")
def session() -> Iterator[tuple[asyncio.Runner, Editor]]:
    """Start a server for an editor, and end it as the protocol says."""
    editor = Editor()

    async def begin() -> None:
        await editor.start_io(sys.executable, "-c", COMMAND)
        began = await editor.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        assert isinstance(began.capabilities.text_document_sync, types.TextDocumentSyncOptions)
        assert began.capabilities.text_document_sync.change == types.TextDocumentSyncKind.Incremental
        editor.initialized(types.InitializedParams())

    async def end() -> None:
        try:
            await editor.shutdown_async(None)
        finally:
            editor.exit(None)
            await editor.stop()  # type: ignore[no-untyped-call]  # pygls' own

    with asyncio.Runner() as runner:
        runner.run(begin())
        yield runner, editor
        runner.run(end())


def edited(work: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Work with the server as an editor that has no document open yet."""

    @functools.wraps(work)
    def test(session: tuple[asyncio.Runner, Editor], **fixtures: Any) -> None:
        runner, editor = session
        runner.run(editor.close())
        runner.run(work(editor, **fixtures))  # type: ignore[arg-type]  # a coroutine

    _, *others = inspect.signature(work).parameters.values()
    needed = inspect.Parameter("session", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    test.__signature__ = inspect.Signature([needed, *others])  # type: ignore[attr-defined] # what pytest gives
    return test


def alike(one: str, other: str) -> int:
    """Return with how many characters both texts begin, not with half a line end."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    while same and one[same - 1] in "\r\n":
        same -= 1
    return same


def placed(text: str, offset: int) -> types.Position:
    """Return the position of an offset, as the protocol counts."""
    lines = re.split(r"\r\n?|\n", text[:offset])
    return types.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2)


def at(text: str, words: str, after: int = 0) -> types.Position:
    """Return the position of the first of some words, and `after` characters behind it."""
    offset = text.index(words) + after
    line = text.count("\n", 0, offset)
    return types.Position(line, offset - (text.rfind("\n", 0, offset) + 1))


def applied(text: str, edits: list[types.TextEdit]) -> str:
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
    for one in sorted(edits, key=lambda one: one.range.start, reverse=True):
        start = starts[one.range.start.line] + one.range.start.character
        end = starts[one.range.end.line] + one.range.end.character
        text = text[:start] + one.new_text + text[end:]
    return text


@edited
async def test_diagnostics_have_the_places_of_validate_and_go_when_the_fault_goes(editor: Editor) -> None:
    found = await editor.open(EXAMPLES / "broken.jsonld")
    (range_,) = (one for one in found if one.code == "KR016 rating-range")
    assert (range_.range.start.line + 1, range_.range.start.character + 1) == (41, 22)
    assert range_.severity == types.DiagnosticSeverity.Warning
    assert "make worstRating less than bestRating" in range_.message
    text = (EXAMPLES / "broken.jsonld").read_text(encoding="utf-8")
    assert text.splitlines()[40][range_.range.start.character : range_.range.end.character] == "5.0"
    later = await editor.write(text.replace('"worstRating": 5.0', '"worstRating": 0.0'))
    assert {one.code for one in found} - {one.code for one in later} == {"KR016 rating-range"}
    (syntax,) = await editor.write(text[:200])
    assert str(syntax.code).startswith("KD")


@edited
async def test_a_finding_about_a_template_marks_the_line_of_python(editor: Editor) -> None:
    text = (EXAMPLES / "metals.jsonld").read_text(encoding="utf-8")
    await editor.open(EXAMPLES / "metals.jsonld")
    source = (
        'class Answer(BaseAnswer):\r\n    a: int = 1\n    x: float = VerifiedField(description="é", ground_truth=0,\n'
    )
    source += '        verify_with=NumericTolerance(tolerance=0.1, mode="relative"))\n'
    tree = json.loads(text)
    tree["dataFeedElement"][0]["item"]["hasPart"]["text"] = source
    written = json.dumps(tree, ensure_ascii=False, indent=2)
    (found,) = (one for one in await editor.write(written) if one.code == "KT018 template-tolerance")
    line = written.splitlines()[found.range.start.line]
    marked = line[found.range.start.character : found.range.end.character]
    assert json.loads(f'"{marked}"') == 'x: float = VerifiedField(description="é", ground_truth=0,'


@edited
async def test_whoever_types_while_a_document_is_validated_gets_what_is_in_the_last_text(editor: Editor) -> None:
    text = (EXAMPLES / "broken.jsonld").read_text(encoding="utf-8")
    await editor.open(EXAMPLES / "broken.jsonld")
    for number in range(20):
        editor.replace(text.replace('"worstRating": 5.0', f'"worstRating": {number + 6}.0'))
        await asyncio.sleep(0.01 * (number % 3))
    found = await editor.diagnostics()
    assert "25" in next(one.message for one in found if one.code == "KR016 rating-range")
    assert not [one for one in await editor.write(text[:200]) if one.code == "KR016 rating-range"]


@edited
async def test_columns_are_those_of_the_protocol_whatever_stands_before_them(editor: Editor) -> None:
    tree = json.loads((EXAMPLES / "broken.jsonld").read_text(encoding="utf-8"))
    tree["name"] = "Metals \U0001f600 é"
    text = json.dumps(tree, ensure_ascii=False)
    await editor.open(EXAMPLES / "broken.jsonld")
    found = await editor.write("\r\n" + text)
    (range_,) = (one.range for one in found if one.code == "KR016 rating-range")
    before = text[: text.index("5.0", text.index('"worstRating": 5.0'))]
    assert range_.start == types.Position(1, len(before.encode("utf-16-le")) // 2)
    assert range_.end.character - range_.start.character == len("5.0")


@edited
async def test_hover_shows_the_rule_and_actions_mend_the_text(editor: Editor) -> None:
    found = await editor.open(EXAMPLES / "fixable.jsonld")
    text = (EXAMPLES / "fixable.jsonld").read_text(encoding="utf-8")
    position = found[0].range.start
    hover = await editor.text_document_hover_async(types.HoverParams(editor.document, position))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert str(found[0].code).split()[0] in hover.contents.value
    assert "Right:" in hover.contents.value
    whole = types.Range(types.Position(0, 0), types.Position(text.count("\n"), 0))
    context = types.CodeActionContext([])
    actions = await editor.text_document_code_action_async(types.CodeActionParams(editor.document, whole, context))
    assert actions
    every = actions[-1]
    assert isinstance(every, types.CodeAction)
    assert every.kind == types.CodeActionKind.SourceFixAll
    assert every.edit is not None
    assert every.edit.changes is not None
    after = await editor.write(applied(text, list(every.edit.changes[editor.uri])))
    assert len(after) < len(found)
    none = types.HoverParams(editor.document, types.Position(0, 0))
    assert await editor.text_document_hover_async(none) is None


FEED = '"dataFeedElement": ['
COMPLETIONS = [
    ('{"item": {"', '"acceptedAnswer"'),
    ('{"item": {"rating": [{"additionalType": "', '"karenina:GlobalRegexTrait"'),
    ('{"item": {"rating": [{"additionalProperty": [{"@type": "PropertyValue", "name": "', '"min_score"'),
    ('{"item": {"text": "x", "@type": "', '"Question"'),
]


@edited
async def test_members_types_and_settings_are_completed(editor: Editor) -> None:
    await editor.open(EXAMPLES / "metals.jsonld")
    for typed, word in COMPLETIONS:
        text = (EXAMPLES / "metals.jsonld").read_text(encoding="utf-8").replace(FEED, f"{FEED}\n{typed}\n", 1)
        await editor.write(text)
        position = at(text, "\n" + typed, len(typed) + 1)
        found = await editor.text_document_completion_async(types.CompletionParams(editor.document, position))
        assert isinstance(found, list)
        edits = [one.text_edit for one in found if isinstance(one.text_edit, types.TextEdit)]
        [start] = [one.range.start for one in edits if one.new_text == word]
        assert text.splitlines()[start.line][start.character] == '"'


@edited
async def test_a_completion_replaces_the_whole_word_at_the_cursor(editor: Editor) -> None:
    await editor.open(EXAMPLES / "metals.jsonld")
    for typed, word, wanted in (
        ('{"item": {"na|me": 3}}', "text", '{"item": {"text": 3}}'),
        ('{"item": {"rating": [{"additionalType": "karenina:Glo|bal"}]}}', "karenina:GlobalRegexTrait", None),
        ('{"item": {"na|, "keywords": []}}', "text", '{"item": {"text", "keywords": []}}'),
    ):
        before, after = typed.split("|")
        text = f'{{"@type": "DataFeed", "name": "x", "dataFeedElement": [{before}{after}]}}'
        await editor.write(text)
        params = types.CompletionParams(editor.document, at(text, before, len(before)))
        found = await editor.text_document_completion_async(params)
        assert isinstance(found, list)
        [edit] = [one.text_edit for one in found if one.label == word]
        assert isinstance(edit, types.TextEdit)
        new = wanted or typed.replace("karenina:Glo|bal", word)
        assert applied(text, [edit]) == text.replace(before + after, new)


@edited
async def test_the_names_of_nodes_are_not_completed(editor: Editor) -> None:
    await editor.open(EXAMPLES / "metals.jsonld")
    for typed, is_node in (('{"', False), ('{"first": {"', True)):
        text = f'{{"@type": "DataFeed", "name": "x", "dataFeedElement": [], "hasPart": [{{"nodes": {typed}'
        await editor.write(text)
        params = types.CompletionParams(editor.document, types.Position(0, len(text)))
        found = await editor.text_document_completion_async(params)
        assert isinstance(found, list)
        assert ("nodeId" in {one.label for one in found}) is is_node


@edited
async def test_other_checkpoints_are_not_completed(editor: Editor, tmp_path: Path) -> None:
    state = RuntimeState("agent-1", "run-1")
    state.thought_chain.add("observation", "It rains.")
    with CheckpointManager(tmp_path / "store") as manager:
        run = manager.get(manager.save(state).id)
    run.save(tmp_path / "run.jsonld")
    others = (tmp_path / "run.jsonld", EXAMPLES / "metals-v2.json")
    texts = [run.dumps("canonical"), run.dumps("second"), *(one.read_text(encoding="utf-8") for one in others)]
    file = tmp_path / "other.jsonld"
    for text in texts:
        file.write_text(text, encoding="utf-8")
        await editor.open(file)
        typed = text.replace("{", '{"', 1)
        await editor.write(typed)
        params = types.CompletionParams(editor.document, at(typed, '{"', 2))
        assert await editor.text_document_completion_async(params) == []
        await editor.close()


@edited
async def test_questions_and_traits_are_the_outline_and_names_lead_to_what_they_name(editor: Editor) -> None:
    validated = asyncio.ensure_future(editor.open(EXAMPLES / "metals.jsonld"))
    await asyncio.sleep(0)  # the document is sent, and not validated yet
    symbols = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    assert not validated.done()
    assert symbols is not None
    await validated
    names = {one.name: [below.name for below in one.children or ()] for one in symbols if hasattr(one, "children")}
    assert "Which metal is liquid at 20 °C?" in names
    assert any(names.values())
    nodes = {"first": {"@type": "karenina:ScenarioNode", "nodeId": "first"}}
    walk = {"@type": "karenina:Scenario", "name": "walk", "entryNode": "first", "nodes": nodes}
    text = json.dumps({"@type": "DataFeed", "name": "s", "hasPart": [walk], "dataFeedElement": []}, indent=1)
    await editor.write(text)
    params = types.DefinitionParams(editor.document, at(text, '"entryNode": "first"', 16))
    found = await editor.text_document_definition_async(params)
    assert isinstance(found, types.Location)
    assert found.range.start == at(text, '{\n     "@type": "karenina:ScenarioNode"')
    last = types.Position(text.count("\n") + 1, 0)
    await editor.write(f"{text}\n")
    for place in (at(text, '"walk"', 2), last):
        assert await editor.text_document_definition_async(types.DefinitionParams(editor.document, place)) is None


@edited
async def test_names_lead_to_nodes_of_their_own_scenario_however_they_are_written(editor: Editor) -> None:
    await editor.open(EXAMPLES / "metals.jsonld")
    name = 'erster "Schritt" für alle'
    walks = [{"@type": "karenina:Scenario", "name": f"{at}", "entryNode": name, "nodes": {name: {}}} for at in range(3)]
    text = json.dumps({"@type": "DataFeed", "name": "s", "hasPart": walks, "dataFeedElement": []}, indent=1)
    await editor.write(text)
    lines = text.split("\n")
    entries = [at for at, line in enumerate(lines) if "entryNode" in line]
    for entry in entries:
        place = types.Position(entry, lines[entry].index(": ") + 4)
        found = await editor.text_document_definition_async(types.DefinitionParams(editor.document, place))
        assert isinstance(found, types.Location)
        assert found.range.start.line == entry + 2


@edited
async def test_lines_are_those_of_the_protocol_where_a_text_has_a_line_separator(editor: Editor) -> None:
    typed = '{"item": {"'
    text = (EXAMPLES / "metals.jsonld").read_text(encoding="utf-8").replace(FEED, f"{FEED}\n{typed}\n", 1)
    text = text.replace('"name": "', '"name": "\u2028\x85', 1)
    await editor.open(EXAMPLES / "metals.jsonld")
    await editor.write(text)
    place = at(text, "\n" + typed, len(typed) + 1)
    found = await editor.text_document_completion_async(types.CompletionParams(editor.document, place))
    assert isinstance(found, list)
    assert '"acceptedAnswer"' in {one.label if one.text_edit is None else one.text_edit.new_text for one in found}


@edited
async def test_other_documents_are_left_alone_and_configurations_count(editor: Editor, tmp_path: Path) -> None:
    other = tmp_path / "package.json"
    other.write_text('{"name": "no checkpoint", "version": 1}', encoding="utf-8")
    assert await editor.open(other) == []
    place = types.CompletionParams(editor.document, types.Position(0, 1))
    assert await editor.text_document_completion_async(place) == []
    (tmp_path / ".checkpoint-ld.toml").write_text('ignore = ["KR016"]\n', encoding="utf-8")
    file = tmp_path / "broken.jsonld"
    file.write_bytes((EXAMPLES / "broken.jsonld").read_bytes())
    assert "KR016 rating-range" not in {one.code for one in await editor.open(file)}
    (tmp_path / ".checkpoint-ld.toml").write_text("ignor = 1\n", encoding="utf-8")
    (found,) = await editor.write(file.read_text(encoding="utf-8"))
    assert "did you mean ignore?" in found.message


async def mended(editor: Editor) -> set[str]:
    """Return the titles of all repairs that are offered for the document."""
    whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
    params = types.CodeActionParams(editor.document, whole, types.CodeActionContext([]))
    return {one.title for one in await editor.text_document_code_action_async(params) or ()}


@edited
async def test_repairs_are_those_of_rules_that_the_project_selects(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "fixable.jsonld"
    file.write_bytes((EXAMPLES / "fixable.jsonld").read_bytes())
    (tmp_path / ".checkpoint-ld.toml").write_text('select = ["benchmark-version"]\n', encoding="utf-8")
    await editor.open(file)
    assert await mended(editor) == {'write the version as the text "1.10"', "Repair all that is safe to repair (1)"}


@edited
async def test_known_findings_of_the_project_are_left_out(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonld"
    file.write_bytes((EXAMPLES / "broken.jsonld").read_bytes())
    (tmp_path / ".checkpoint-ld.toml").write_text('baseline = "known.json"\n', encoding="utf-8")
    [absent] = await editor.open(file)
    assert "the baseline cannot be read" in absent.message
    command = "from checkpoint_ld.cli import main; main()"
    subprocess.run([sys.executable, "-c", command, "validate", file.name, "--write-baseline"], cwd=tmp_path, check=True)
    assert await editor.write(file.read_text(encoding="utf-8")) == []
    text = file.read_text(encoding="utf-8").replace('"worstRating": 0', '"worstRating": 9', 1)
    assert {one.code for one in await editor.write(text)} == {"KR016 rating-range", "KR065 trait-range-read"}


@edited
async def test_patterns_of_a_project_count_behind_a_link_too(editor: Editor, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "archive").mkdir(parents=True)
    (project / "archive" / "old.jsonld").write_bytes((EXAMPLES / "broken.jsonld").read_bytes())
    chosen = '[per-file-ignores]\n"archive/**" = ["KR016"]\n'
    (project / ".checkpoint-ld.toml").write_text(chosen, encoding="utf-8")
    (tmp_path / "link").symlink_to(project)
    for folder in (project, tmp_path / "link"):
        found = {one.code for one in await editor.open(folder / "archive" / "old.jsonld")}
        assert found
        assert "KR016 rating-range" not in found


@pytest.mark.slow
@edited
async def test_any_name_of_a_file_will_do(editor: Editor, tmp_path: Path) -> None:
    text = (EXAMPLES / "broken.jsonld").read_text(encoding="utf-8")
    for name in ("a folder/Métal.jsonld", "c%20d.jsonld", "e:f.jsonld"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        assert "KR016 rating-range" in {one.code for one in await editor.open(file)}, name
        mended = await editor.write(text.replace('"worstRating": 5.0', '"worstRating": 0.0'))
        assert "KR016 rating-range" not in {one.code for one in mended}, name


@pytest.mark.slow
@edited
async def test_a_document_that_is_closed_has_nothing(editor: Editor) -> None:
    await editor.open(EXAMPLES / "broken.jsonld")
    editor.text_document_did_close(types.DidCloseTextDocumentParams(editor.document))
    for uri in (editor.uri, "untitled:Untitled-1"):
        held, place = types.TextDocumentIdentifier(uri), types.Position(0, 1)
        assert await editor.text_document_completion_async(types.CompletionParams(held, place)) == []
        assert await editor.text_document_definition_async(types.DefinitionParams(held, place)) is None
        assert await editor.text_document_document_symbol_async(types.DocumentSymbolParams(held)) == []
        context = types.CodeActionContext([])
        given = types.CodeActionParams(held, types.Range(place, place), context)
        assert not await editor.text_document_code_action_async(given)


def message(**members: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **members}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.slow
def test_the_command_ends_without_a_word_when_the_editor_leaves() -> None:
    start = message(id=1, method="initialize", params={"capabilities": {}})
    typed = start + message(id=2, method="shutdown") + message(method="exit")
    done = subprocess.run([sys.executable, "-c", COMMAND], input=typed, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'"id": 2' in done.stdout or b'"id":2' in done.stdout


def test_a_pygls_that_is_too_old_is_answered_by_what_to_install() -> None:
    old = f"import sys; sys.modules['pygls.lsp.server'] = None; {COMMAND}"  # pygls 1 has it elsewhere
    done = subprocess.run([sys.executable, "-c", old], capture_output=True, check=False)
    assert (done.returncode, b"run pip install 'checkpoint-ld[lsp]'" in done.stderr) == (2, True), done.stderr


LEAVING = {
    "as the protocol says": message(id=9, method="shutdown") + message(method="exit"),
    "without a request to shut down": message(method="exit"),
    "by closing the pipe": b"",
}
SHAPES = """@prefix sh: <http://www.w3.org/ns/shacl#> .
<urn:shape> sh:targetClass <https://schema.org/DataFeed> ; sh:sparql [ sh:select "SELECT $this { $this ?p ?o }" ] .
"""


@pytest.mark.slow
@pytest.mark.parametrize("leaving", LEAVING)
def test_a_query_of_shapes_holds_up_neither_other_documents_nor_the_end(tmp_path: Path, leaving: str) -> None:
    slow, quick = tmp_path / "slow" / "feed.jsonld", tmp_path / "quick" / "feed.jsonld"
    for file in (slow, quick):
        file.parent.mkdir()
        file.write_bytes((EXAMPLES / "broken.jsonld").read_bytes())
    (slow.parent / "own.ttl").write_text(SHAPES, encoding="utf-8")
    (slow.parent / ".checkpoint-ld.toml").write_text('shapes = ["own.ttl"]\n', encoding="utf-8")

    def opened(file: Path) -> bytes:
        document = {"uri": file.as_uri(), "languageId": "json", "version": 1, "text": file.read_text(encoding="utf-8")}
        return message(method="textDocument/didOpen", params={"textDocument": document})

    asleep = "from checkpoint_ld.shacl import process; from tests.integrations import sleeping"
    trusting = COMMAND.replace("'lsp'", "'lsp', '--trust-config'")
    with subprocess.Popen(
        [sys.executable, "-c", f"{asleep}; process.start = sleeping.start; {trusting}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(message(id=1, method="initialize", params={"capabilities": {}}))
        server.stdin.write(opened(slow) + opened(quick))
        server.stdin.flush()
        published: set[str] = set()
        while quick.as_uri() not in published:
            length = int(server.stdout.readline().partition(b":")[2])
            while server.stdout.readline().strip():
                pass
            published.add(json.loads(server.stdout.read(length)).get("params", {}).get("uri", ""))
        assert slow.as_uri() not in published
        server.stdin.write(LEAVING[leaving])
        server.stdin.close()
        try:
            assert server.wait(30) in (0, 1)  # 1: an exit without a request to shut down
            assert server.stderr.read() == b""
        finally:
            server.kill()


async def shown(editor: Editor, found: list[types.Diagnostic], places: list[types.Position]) -> list[Any]:
    """Return what an editor shows of a text: diagnostics, outline, and what it says at some places."""
    outline = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    said: list[Any] = [sorted(found, key=str), outline]
    for place in places:
        said.append(await editor.text_document_hover_async(types.HoverParams(editor.document, place)))
        said.append(await editor.text_document_completion_async(types.CompletionParams(editor.document, place)))
        where = await editor.text_document_definition_async(types.DefinitionParams(editor.document, place))
        said.append(where.range if isinstance(where, types.Location) else where)
    return said


@settings(max_examples=examples(15), deadline=None)
@given(indent=st.sampled_from([2, None]), edits=EDITS)
def test_after_each_edit_an_editor_shows_what_a_fresh_one_shows(
    session: tuple[asyncio.Runner, Editor],
    tmp_path_factory: pytest.TempPathFactory,
    indent: int | None,
    edits: list[Any],
) -> None:
    runner, editor = session
    folder = tmp_path_factory.mktemp("edited")

    async def compare() -> None:
        await editor.close()
        edited, before = folder / "edited.jsonld", None
        for number, text in enumerate(texts_of(edits, indent)):
            offsets = [len(text) * part // 3 for part in range(3)]
            places = [at(text, text[:offset], offset) for offset in offsets]
            if before is None:
                edited.write_text(text, encoding="utf-8")
                found = await editor.open(edited)
            else:
                # A completion is wanted before the text is validated.
                editor.replace(text)
                await editor.text_document_completion_async(types.CompletionParams(editor.document, places[1]))
                found = await editor.diagnostics()
            before = await shown(editor, found, places)
            name, edition = editor.uri, editor.edition
            fresh = folder / f"fresh{number}.jsonld"
            fresh.write_text(text, encoding="utf-8")
            assert before == await shown(editor, await editor.open(fresh), places)
            editor.uri, editor.edition = name, edition

    runner.run(compare())


@edited
async def test_a_finding_is_explained_where_it_stands_before_the_edited_text_is_validated(
    editor: Editor, tmp_path: Path
) -> None:
    file, text = tmp_path / "edited.jsonld", document()
    file.write_text(text, encoding="utf-8")
    place = max(one.range.start for one in await editor.open(file))
    editor.replace(text.replace("{", "{\n\n", 1))
    hovered = types.HoverParams(editor.document, types.Position(place.line + 2, place.character))
    page = await editor.text_document_hover_async(hovered)
    assert page is not None
    await editor.diagnostics()
    assert await editor.text_document_hover_async(hovered) == page
