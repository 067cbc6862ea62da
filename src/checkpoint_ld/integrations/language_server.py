"""A language server: the findings of `validate` while somebody types, in any editor that speaks the protocol.

It is built on pygls (https://pygls.readthedocs.io), which the extra `lsp` installs, and speaks the Language Server
Protocol 3.17 over standard input and output. Documents that show no sign of a checkpoint are left alone.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from checkpoint_ld import families
from checkpoint_ld.batch import configuration
from checkpoint_ld.batch.discovery import is_checkpoint, is_feed
from checkpoint_ld.data import library
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.errors import CheckpointLdError, ReadError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.host import uncollected
from checkpoint_ld.integrations.edited_text import EditedText
from checkpoint_ld.integrations.feed_items import FeedItems, difference
from checkpoint_ld.rules import catalogue, example
from checkpoint_ld.shacl import process
from checkpoint_ld.validation.fixes import fixes_of, selected
from checkpoint_ld.validation.reports import baseline
from checkpoint_ld.validation.selection import Selection
from checkpoint_ld.vocabulary import KEYS, SETTINGS, TRAIT_TYPES, TYPES
from checkpoint_ld.workers import patterns

library("pygls.lsp.server", extra="lsp")  # raises SettingsError, with the extra, where it is absent or too old

from lsprotocol import types  # noqa: E402 - after the sentence above
from pygls.lsp.server import LanguageServer  # noqa: E402 - as above
from pygls.uris import to_fs_path  # noqa: E402 - as above
from pygls.workspace import TextDocument  # noqa: E402 - as above

from checkpoint_ld.integrations.outline import TextOutline  # noqa: E402 - as above
from checkpoint_ld.integrations.positions import TOKEN, Positions  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.documents.text import Path as JsonPath
    from checkpoint_ld.validation.fixes import Fix

NAME = "checkpoint-ld"
_PAUSE = 0.02
"""The seconds for which a validation waits for more changes, such as those of one paste."""
_LEVELS = {
    Severity.VIOLATION: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_PYTHON_LINE = re.compile(r"\bline (\d+): ")
_STRUCTURE = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[{}\[\],:]')
_CLOSED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_REST = re.compile(r'(?:[\w:@-]*")?')
"""What is left of a word behind the cursor, with its quotation mark; nothing where the word is not closed yet."""
_ROLES = {
    "dataFeedElement": "Item",
    "item": "Question",
    "acceptedAnswer": "Answer",
    "hasPart": "Template",
    "rating": "Trait",
    "additionalProperty": "Setting",
    "edges": "Edge",
    "outcomeCriteria": "Criterion",
    "question": "Question",
}
"""The role of an object by the member that it stands in."""


@dataclass
class _OpenDocument:
    """The findings about the last text of a document, its content, its file, and the rules that count in it."""

    findings: list[tuple[types.Range, Finding]] = field(default_factory=list)
    places: Positions | None = None
    source: str | None = None
    selection: Selection = field(default_factory=Selection)

    @property
    def text(self) -> str:
        """The text; an empty one where it is no checkpoint."""
        return "" if self.places is None else self.places.text

    @cached_property
    def parsed(self) -> Document | None:
        try:
            return read_json(self.text.encode("utf-8", "surrogatepass")) if self.text else None
        except ReadError:
            return None

    @cached_property
    def fixes(self) -> Sequence[Fix]:
        return () if self.parsed is None else selected(fixes_of(self.parsed), self.selection, self.source)

    @cached_property
    def edits(self) -> list[tuple[Fix, list[types.TextEdit]]]:
        """The fixes, each with its edits."""
        if self.places is None:
            return []
        span = self.places.span
        return [
            (fix, [types.TextEdit(span(edit.start, edit.end), edit.text) for edit in fix.edits]) for fix in self.fixes
        ]


class _Texts:
    """What is known of the texts of one document, one after the other."""

    def __init__(self) -> None:
        self.verdicts = EditedText()
        self.outline = TextOutline()
        self._items: FeedItems | None = None
        self._unread = ""
        self._places: Positions | None = None

    def items(self, text: str) -> FeedItems | None:
        """Return the content of a text, None for one that shows no sign of a checkpoint or is no JSON."""
        if self._unread == text or not is_checkpoint(text.encode("utf-8", "surrogatepass")):
            return None
        found = (self._items and self._items.edited(text)) or FeedItems.of(text)
        if found is None:
            self._unread = text
        else:
            self._items = found
        return found

    def places(self, document: TextDocument) -> Positions:
        """Return the positions in the text of a document."""
        places = self._places
        if places is None or places.text != document.source:
            self._places = places = Positions(document)
        return places

    def opened(self, text: str, offset: int) -> tuple[list[_OpenContainer], int | None]:
        """Return the open containers at an offset of a text, and the start of the text literal there, if any."""
        head, begin = (0, 0) if self._items is None else self._items.begin_before(text, offset)
        return _opened(text, offset, head, begin)


class _EditedDocument(TextDocument):
    """An open document. pygls' own applies changes to other lines where a text has a U+2028, see `Positions.offset`."""

    def __init__(self, document: TextDocument, texts: _Texts) -> None:
        codec = document.position_codec
        super().__init__(document.uri, document.source, document.version, document.language_id, position_codec=codec)
        self._texts = texts

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        if isinstance(change, types.TextDocumentContentChangePartial):
            text, offset = self.source, self._texts.places(self).offset
            self._source = text[: offset(change.range.start)] + change.text + text[offset(change.range.end) :]
        else:
            self._source = change.text


class CheckpointServer(LanguageServer):
    """A language server for checkpoints."""

    def __init__(self) -> None:
        super().__init__(NAME, version(NAME), text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
        self.known: dict[str, _OpenDocument] = {}
        self.is_trusted = False
        self._validated: set[str] = set()
        self._texts: dict[str, _Texts] = {}

    def document(self, uri: str) -> TextDocument | None:
        """Return an open document; pygls knows it by its address without escapes."""
        found: TextDocument | None = self.workspace.text_documents.get(unquote(uri))
        return found

    def begin(self) -> None:
        """Let documents apply changes by their own positions, from when they are opened on."""
        workspace = self.workspace
        put = workspace.put_text_document

        def put_edited(item: types.TextDocumentItem, notebook_uri: str | None = None) -> None:
            put(item, notebook_uri)
            made = workspace.text_documents[unquote(item.uri)]
            workspace.text_documents[unquote(item.uri)] = _EditedDocument(made, self.texts(item.uri))

        setattr(workspace, "put_text_document", put_edited)  # noqa: B010 - mypy: it is a method

    def texts(self, uri: str) -> _Texts:
        """Return what is known of the texts of a document."""
        return self._texts.setdefault(uri, _Texts())

    def forget(self, uri: str) -> None:
        """Forget what is known of a document."""
        self.known.pop(uri, None)
        self._texts.pop(uri, None)

    async def validate(self, uri: str) -> None:
        """Publish the findings of a document: one validation at a time, again while the text has changed."""
        if uri in self._validated:
            return
        self._validated.add(uri)
        try:
            while (document := self.document(uri)) is not None:
                await asyncio.sleep(_PAUSE)
                version = document.version
                known = await _in_thread(partial(_examined, document, self.texts(uri), is_trusted=self.is_trusted))
                if self.document(uri) is document and document.version == version:
                    self.known[uri] = known
                    diagnostics = [_diagnostic(place, found) for place, found in known.findings]
                    self.text_document_publish_diagnostics(
                        types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
                    )
                    return
        except asyncio.CancelledError:
            return  # the server ends; pygls would print it as an error of its own
        finally:
            self._validated.discard(uri)


async def _in_thread(work: Callable[[], _OpenDocument]) -> _OpenDocument:
    """Return the result of a function of a thread; all that it waits for is ended when the server ends."""
    result = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(result)
    except asyncio.CancelledError:
        # The process ends after its threads: one that waits for a query or pattern would outlive the editor.
        while not result.done():
            patterns.end()
            process.end()
            with suppress(asyncio.CancelledError):  # the request to shut down cancels, and then the exit does
                await asyncio.sleep(_PAUSE)
        raise


def _examined(document: TextDocument, texts: _Texts, *, is_trusted: bool = False) -> _OpenDocument:
    """Validate a document by the rules that its project has chosen, without the findings that it knows."""
    places = texts.places(document)
    data = places.text.encode("utf-8", "surrogatepass")
    if not is_checkpoint(data):
        return _OpenDocument()
    path = to_fs_path(document.uri)
    try:
        chosen = configuration.find(Path(path).parent) if path else configuration.Configuration()
        profiles = configuration.profiles(chosen, is_trusted=is_trusted)
        selection = configuration.selection(chosen, profiles.first.rules)
        checked = selection.applied(replace(texts.verdicts.check(places.text, profiles), source=path))
        if chosen.baseline is not None:
            report = families.report_of([checked], profiles)
            [checked] = baseline.compared(report, Path(chosen.baseline), selection).report.checked
    except CheckpointLdError as error:
        return _OpenDocument([(places.token(1, 1), Finding("", Severity.WARNING, str(error)))], places)
    found = [(_marked(places, finding), finding) for finding in checked.findings]
    return _OpenDocument(found, places, path, selection)


def _marked(places: Positions, found: Finding) -> types.Range:
    """Return the range that a finding marks: of a template, the line of Python that its message names."""
    line, column = found.place.line or 1, found.place.column or 1
    named = _PYTHON_LINE.search(found.message) if found.rule.startswith("template-") else None
    return places.token(line, column) if named is None else places.line_within(line, column, int(named[1]))


def _diagnostic(place: types.Range, found: Finding) -> types.Diagnostic:
    text = f"{found.subject}: {found.message}" if found.subject else found.message
    return types.Diagnostic(
        range=place,
        message=f"{text}\n{found.remedy}" if found.remedy else text,
        severity=_LEVELS[found.severity],
        code=f"{found.code} {found.rule}".strip() or None,
        source=NAME,
    )


def _hover(document: TextDocument, texts: _Texts, known: _OpenDocument, position: types.Position) -> types.Hover | None:
    if known.places is not None and known.text != document.source:  # it was edited since: the findings stand elsewhere
        start, old_end, new_end = difference(known.text, document.source)
        offset = texts.places(document).offset(position)
        position = known.places.at(offset if offset <= start else max(start, offset - new_end + old_end))
    pages = {_page(found): None for place, found in known.findings if place.start <= position <= place.end}
    if not pages:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(pages)))


def _page(found: Finding) -> str:
    rule = catalogue().get(found.code)
    if rule is None:
        return found.message
    parts = [f"**{rule.code} {rule.slug}**: {rule.title}", rule.why, f"*What to do:* {found.remedy or rule.remedy}"]
    shown = example(rule.code)
    if shown is not None:
        parts += [f"Wrong:\n```json\n{shown.bad}\n```", f"Right:\n```json\n{shown.good}\n```"]
    return "\n\n".join(filter(None, parts))


def _actions(document: TextDocument, known: _OpenDocument, wanted: types.Range) -> Iterator[types.CodeAction]:
    """Yield the fixes that touch a range, and all of them as one."""
    if known.text != document.source:
        return
    lines = range(wanted.start.line, wanted.end.line + 1)
    for fix, edits in known.edits:
        # A member that is put in or taken out may begin a line before or after the finding about it.
        if any(edit.range.start.line - 1 <= lines[-1] and edit.range.end.line + 1 >= lines[0] for edit in edits):
            change = types.WorkspaceEdit(changes={document.uri: edits})
            yield types.CodeAction(fix.title, kind=types.CodeActionKind.QuickFix, edit=change)
    if known.edits:
        every = [edit for _, edits in known.edits for edit in edits]
        change = types.WorkspaceEdit(changes={document.uri: every})
        title = f"Repair all that is safe to repair ({len(known.edits)})"
        yield types.CodeAction(title, kind=types.CodeActionKind.SourceFixAll, edit=change)


@dataclass
class _OpenContainer:
    """An object or array that is not closed yet: the member that it stands in, and its own members so far."""

    slot: str | None
    is_object: bool
    keys: list[str] = field(default_factory=list)
    key: str | None = None


def _opened(text: str, offset: int, head: int = 0, begin: int = 0) -> tuple[list[_OpenContainer], int | None]:
    """Return the open containers at an offset, from the root on, and the start of the text literal there, if any.

    All that opens between `head` and `begin` is closed there.
    """
    stack: list[_OpenContainer] = []
    for token in chain(_STRUCTURE.finditer(text, 0, head), _STRUCTURE.finditer(text, begin, offset)):
        mark = token[0]
        top = stack[-1] if stack else None
        if mark[0] == '"':
            if token.end() == offset and not _CLOSED.fullmatch(mark):
                return stack, token.start()
            if top is not None and top.is_object and top.key is None:
                top.key = mark[1:-1]
                top.keys.append(top.key)
        elif mark in "{[":
            # The objects in an array stand in the member that holds the array.
            slot = None if top is None else top.key if top.is_object else top.slot
            stack.append(_OpenContainer(slot, mark == "{"))
        elif mark in "}]":
            if stack:
                stack.pop()
        elif mark == "," and top is not None:
            top.key = None
    return stack, None


def _role(stack: Sequence[_OpenContainer]) -> str | None:
    if not stack or not stack[-1].is_object:
        return None
    slot = stack[-1].slot
    if slot is None:
        return "Benchmark"
    holder = [opened for opened in stack[:-1] if opened.is_object]
    if slot == "hasPart" and len(holder) == 1:
        return "Scenario"
    return "Node" if holder and holder[-1].slot == "nodes" and len(holder) > 1 else _ROLES.get(slot)


def _completions(document: TextDocument, texts: _Texts, position: types.Position) -> Iterator[types.CompletionItem]:
    text, places = document.source, texts.places(document)
    data = text.encode("utf-8", "surrogatepass")
    if not is_feed(data) and (is_checkpoint(data) or not unquote(document.uri).endswith(".jsonld")):
        return  # the members are those of benchmarks in JSON-LD, such as a new document may become
    offset = places.offset(position)
    stack, start = texts.opened(text, offset)
    role = _role(stack)
    if role is None:
        return
    top = stack[-1]
    kind = types.CompletionItemKind.Property if top.key is None else types.CompletionItemKind.EnumMember
    if top.key is None:
        words = [key for key in KEYS[role] if key not in top.keys]
    elif top.key == "additionalType" and role == "Trait":
        words = [f"karenina:{name}" for name in TRAIT_TYPES]
    elif top.key == "@type" and role in TYPES:
        words = [TYPES[role]]
    elif top.key == "name" and role == "Setting":
        objects = [opened for opened in stack if opened.is_object]
        words = [*SETTINGS.get(_role([*objects[:-1]]) or "", ())] if len(objects) > 1 else []
    else:
        return
    rest = None if start is None else _REST.match(text, offset)
    place = places.span(offset if start is None else start, offset if rest is None else rest.end())
    for word in words:
        yield types.CompletionItem(
            word, kind=kind, text_edit=types.TextEdit(place, f'"{word}"'), filter_text=f'"{word}"'
        )


def _outline(document: TextDocument, texts: _Texts) -> list[types.DocumentSymbol]:
    items = texts.items(document.source)
    with uncollected():
        return [] if items is None else texts.outline.symbols(items, texts.places(document))


def _definition(document: TextDocument, texts: _Texts, position: types.Position) -> types.Range | None:
    """Return the object named at a position: a question by its `@id`, a node of a scenario by its key."""
    places, text = texts.places(document), document.source
    offset, start = map(places.offset, (position, types.Position(position.line, 0)))
    literal = next((one for one in TOKEN.finditer(text, start) if one.end() >= offset), None)
    if literal is None or literal.start() > offset or literal[0][0] != '"':
        return None
    items = texts.items(text)
    if items is None:
        return None
    try:
        name = json.loads(literal[0])
    except ValueError:  # the cursor is between two texts
        return None

    def is_elsewhere(path: JsonPath) -> bool:
        """Return whether the object that holds the named one, such as a scenario its nodes, is another than here."""
        start, end = items.span(path[:-2])
        return not start <= offset <= end

    path = min(_places_of(items.tree, name), key=is_elsewhere, default=None)
    return None if path is None else places.span(*items.span(path))


def _places_of(value: Any, name: str) -> Iterator[JsonPath]:
    left: list[tuple[JsonPath, Any]] = [((), value)]
    while left:
        path, held = left.pop()
        if isinstance(held, dict):
            if path and held.get("@id") == name and len(held) > 1:
                yield path
            nodes = held.get("nodes")
            if isinstance(nodes, dict) and name in nodes:
                yield (*path, "nodes", name)
            left += [((*path, key), part) for key, part in held.items() if isinstance(part, dict | list)]
        elif isinstance(held, list):
            left += [((*path, at), part) for at, part in enumerate(held) if isinstance(part, dict | list)]


def server(*, trust_config: bool = False) -> CheckpointServer:
    """Return a language server with all features; `start_io()` runs it.

    With `trust_config`, queries run that are in the shapes which the configuration of a document's folder names.
    """
    made = CheckpointServer()
    made.is_trusted = trust_config

    def answered(
        method: str,
        answer: Callable[[TextDocument, _Texts, _OpenDocument, Any], Any],
        options: Any = None,
        *,
        is_list: bool = True,
    ) -> None:
        """Answer a request by a function of the document, its texts, its validation, and the parameters."""

        @made.feature(method, options)
        def handle(held: CheckpointServer, params: Any) -> Any:
            document = held.document(params.text_document.uri)
            known = held.known.get(params.text_document.uri, _OpenDocument())
            if document is None:
                return [] if is_list else None
            return answer(document, held.texts(params.text_document.uri), known, params)

    async def changed(held: CheckpointServer, params: Any) -> None:
        await held.validate(params.text_document.uri)

    @made.feature(types.INITIALIZE)
    def initialized(held: CheckpointServer, _: types.InitializeParams) -> None:
        held.begin()

    made.feature(types.TEXT_DOCUMENT_DID_OPEN)(changed)
    made.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)

    @made.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(held: CheckpointServer, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        held.forget(uri)
        held.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def definition(
        document: TextDocument, texts: _Texts, _: _OpenDocument, params: types.DefinitionParams
    ) -> types.Location | None:
        found = _definition(document, texts, params.position)
        return None if found is None else types.Location(params.text_document.uri, found)

    answered(
        types.TEXT_DOCUMENT_HOVER,
        lambda document, texts, known, params: _hover(document, texts, known, params.position),
        is_list=False,
    )
    answered(
        types.TEXT_DOCUMENT_CODE_ACTION,
        lambda document, _, known, params: [*_actions(document, known, params.range)],
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]),
    )
    answered(
        types.TEXT_DOCUMENT_COMPLETION,
        lambda document, texts, _, params: [*_completions(document, texts, params.position)],
        types.CompletionOptions(trigger_characters=['"']),
    )
    answered(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, lambda document, texts, *_: _outline(document, texts))
    answered(types.TEXT_DOCUMENT_DEFINITION, definition, is_list=False)
    return made
