"""Files of spans, whose runs of agents become checkpoints.

They are OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): one object, or one in each line,
as the file exporter of the collector writes them. Spans may come in any order.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from checkpoint_ld.agents.values import AgentHeader
from checkpoint_ld.checkpointing.exchange import Imported
from checkpoint_ld.documents.files import is_packed, read_bytes, unpacked
from checkpoint_ld.documents.text import Member, Spans
from checkpoint_ld.errors import CheckpointExists, FindingsError, ReadError, WriteError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.integrations.spans import Span, checkpoints_of, error_of, moment

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.checkpointing.manager import CheckpointManager

_KINDS: Final = ("", "internal", "server", "client", "producer", "consumer")
_MEMBERS: Final = frozenset(
    ("traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes")
) | {"events", "status"}
_SCALARS: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue")


def import_spans(manager: CheckpointManager, source: str | os.PathLike[str]) -> Iterator[Imported]:
    """Keep a checkpoint for each run of an agent in a file of spans; `.gz` is unpacked.

    A run that was kept from the same file is not kept again. The result of a faulty line, span or run has its fault,
    and the others are kept. Raises ReadError for a file that cannot be read or has no span of an agent, and as the
    stores do.
    """
    path = Path(source)
    file = _File(path)
    latest: dict[str, AgentHeader] = {}
    yield from (Imported(path, None, error=error) for error in file.errors)
    count = 0
    for spans in file.traces():
        findings = _orphans(spans, str(path))
        try:
            for checkpoint in checkpoints_of(spans, latest.get):
                count += 1
                latest[checkpoint.execution_id] = AgentHeader.of(checkpoint)
                try:
                    done = manager.import_(checkpoint)[0]
                except (CheckpointExists, FindingsError) as error:
                    yield Imported(path, None, error=error)
                    continue
                yield Imported(path, done.checkpoint, done.created, (*findings, *done.findings))
                findings = ()
        except WriteError as error:
            yield Imported(path, None, error=error)
    yield from (Imported(path, None, error=error) for error in file.faulty)
    if not count and not file.errors and not file.faulty:
        raise ReadError(
            f"{path}: has {file.count} spans, none about an agent: give spans with the attribute gen_ai.operation.name"
        )


class _Held(NamedTuple):
    """The position of a span's text, with the resource and the scope that it shares with others."""

    start: int
    end: int
    resource: Mapping[str, Any]
    scope: Mapping[str, Any]


class _File:
    """The text of a file and the positions of its spans by trace; they are read a trace at a time.

    `errors` are those of lines, `faulty` those of spans, which are known when these are read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        data, name = read_bytes(path)
        try:
            self.text = (unpacked(data, name) if is_packed(path) else data).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ReadError(f"{path}: byte {error.start + 1} is no UTF-8: write the file again in UTF-8") from None
        self.errors: list[ReadError] = []
        self.faulty: list[ReadError] = []
        self.count = 0
        self.held: dict[str, list[_Held]] = defaultdict(list)
        self.starts: dict[str, int] = {}
        for number, start, text in _documents(self.text, is_lines=".jsonl" in path.suffixes):
            try:
                orjson.loads(text)
                self._add(text, start)
            except orjson.JSONDecodeError as error:
                at = f"{path}:{number + error.lineno - 1}:{error.colno}"
                what = f"is no JSON, perhaps half written: {error.msg}; write it again"
                if "depth limit" in error.msg:  # of orjson, 1,024 levels
                    what = "its values are nested too deeply to be read; nest them less"
                self.errors.append(ReadError(f"{at}: {what}"))
            except (KeyError, TypeError, ValueError, AttributeError):
                message = "is not OTLP/JSON: resourceSpans with scopeSpans with spans are expected"
                self.errors.append(ReadError(f"{path}:{number}: {message}"))

    def _add(self, text: str, start: int) -> None:
        spans = Spans(text)
        for resource in spans.members(spans.index(spans.start)["resourceSpans"].start):
            at = resource.value.start
            shared = _attributes(_object(spans, at, "resource").get("attributes"))
            for scope in _items(spans, at, "scopeSpans"):
                described = _object(spans, scope.value.start, "scope")
                for member in _items(spans, scope.value.start, "spans"):
                    span = orjson.loads(text[member.value.start : member.value.end])
                    held = _Held(start + member.value.start, start + member.value.end, shared, described)
                    self.count += 1
                    if not (isinstance(span, dict) and span.get("traceId") and span.get("spanId")):
                        self._leave_out(held, "it names no trace, or has no id")
                        continue
                    trace = str(span["traceId"])
                    first = moment(span.get("startTimeUnixNano")) or 0
                    self.starts[trace] = min(first, self.starts.get(trace, first))
                    self.held[trace].append(held)

    def traces(self) -> Iterator[list[Span]]:
        """Yield the spans of each trace, the earliest trace first."""
        for trace in sorted(self.starts, key=lambda start: (self.starts[start], start)):
            yield [span for held in self.held.pop(trace) if (span := self._span_or_fault(held)) is not None]

    def _span_or_fault(self, held: _Held) -> Span | None:
        try:
            return self._span(held)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):  # any JSON may stand in any place
            self._leave_out(held, "its attributes, events or status are of another form")
            return None

    def _leave_out(self, held: _Held, why: str) -> None:
        at = f"{self.path}:{self.text.count(chr(10), 0, held.start) + 1}"
        message = f"this span is not OTLP/JSON: {why}; it is left out: correct it, and import the file again"
        self.faulty.append(ReadError(f"{at}: {message}"))

    def _span(self, held: _Held) -> Span:
        source = orjson.loads(self.text[held.start : held.end])
        status = source.get("status") or {}
        start = moment(source.get("startTimeUnixNano")) or 0
        events = [
            (
                str(event.get("name", "")),
                moment(event.get("timeUnixNano")) or start,
                _attributes(event.get("attributes")),
            )
            for event in source.get("events") or ()
        ]
        more: dict[str, Any] = {name: value for name, value in source.items() if name not in _MEMBERS}
        kind = source.get("kind")
        more["kind"] = _KINDS[kind] if isinstance(kind, int) and 0 <= kind < len(_KINDS) else kind
        more["scope"] = held.scope
        failed = status.get("code") in (2, "STATUS_CODE_ERROR")
        return Span(
            trace_id=str(source["traceId"]),
            span_id=str(source.get("spanId", "")),
            parent_id=str(source.get("parentSpanId") or "") or None,
            name=str(source.get("name", "")),
            start=start,
            end=moment(source.get("endTimeUnixNano")) or None,
            attributes=_attributes(source.get("attributes")),
            resource=held.resource,
            error=error_of(str(status.get("message") or ""), events) if failed else None,
            events=events,
            more={name: value for name, value in more.items() if value not in (None, "", {}, [])},
        )


def _orphans(spans: list[Span], file: str) -> tuple[Finding, ...]:
    """Return one finding for a trace whose spans name parents that are not there."""
    ids = {span.span_id for span in spans}
    lost = [span for span in spans if span.parent_id is not None and span.parent_id not in ids]
    if not lost or len(lost) == len(spans) == 1:
        return ()
    message = f"{len(lost)} of {len(spans)} spans of trace {spans[0].trace_id} name parents that are not in the file"
    remedy = "if an agent's own span is missing, its steps are a run of their own: export whole traces"
    return (Finding("", Severity.WARNING, message, remedy, place=Place(file)),)


def _documents(text: str, *, is_lines: bool) -> Iterator[tuple[int, int, str]]:
    """Yield the JSON documents of a file (one, or one in each line), each with its line and its offset."""
    if not is_lines:
        with suppress(orjson.JSONDecodeError):
            head, _, rest = text.lstrip().partition("\n")
            orjson.loads(head)
            is_lines = bool(rest.strip())
    if not is_lines:
        yield 1, 0, text
        return
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, start, line
        start += len(line) + 1


def _items(spans: Spans, at: int, name: str) -> Iterator[Member]:
    """Yield the elements of an array in the object at an offset; protocol buffers leave empty arrays out."""
    found = spans.index(at).get(name)
    yield from () if found is None else spans.members(found.start)


def _object(spans: Spans, at: int, name: str) -> dict[str, Any]:
    member = spans.index(at).get(name)
    found = {} if member is None else orjson.loads(spans.text[member.value.start : member.value.end])
    return found if isinstance(found, dict) else {}


def _attributes(source: Any) -> dict[str, Any]:
    return {str(attribute["key"]): _value(attribute.get("value")) for attribute in source or ()}


def _value(source: Any) -> Any:
    """Return a value of OTLP as JSON."""
    if not isinstance(source, dict):
        return source
    if "intValue" in source:
        return int(source["intValue"])
    if "arrayValue" in source:
        return [_value(item) for item in source["arrayValue"].get("values") or ()]
    if "kvlistValue" in source:
        return _attributes(source["kvlistValue"].get("values"))
    return next((source[name] for name in _SCALARS if name in source), None)
