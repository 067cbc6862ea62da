"""Files of spans and log records, whose runs of agents become checkpoints.

They are OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): one object, or one in each line,
as the file exporters of the collector and of OpenTelemetry's libraries write them. Spans may come in any order, and log
records may stand in the same file or in another one. Other signals are passed over.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from checkpoint_ld.checkpointing.exchange import Imported
from checkpoint_ld.documents.files import is_packed, read_bytes, unpacked
from checkpoint_ld.documents.text import Member, Spans
from checkpoint_ld.errors import CheckpointExists, FindingsError, ReadError, WriteError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.integrations.span_conversations import Conversations
from checkpoint_ld.integrations.span_report import SpanReport
from checkpoint_ld.integrations.span_runs import checkpoints_of
from checkpoint_ld.integrations.spans import BODY, Span, error_of, moment

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from checkpoint_ld.checkpointing.manager import CheckpointManager
    from checkpoint_ld.integrations.spans import Event

_KINDS: Final = ("", "internal", "server", "client", "producer", "consumer")
_MEMBERS: Final = frozenset(
    ("traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes")
) | {"events", "status"}
_OK: Final = 1
_ERROR: Final = 2
"""The codes of a status, which OTLP/JSON writes as a number, as all values of enumerations."""
_OTHER_SIGNALS: Final = frozenset(("resourceMetrics", "resourceProfiles"))
_SNAKES: Final = {"resource_spans": "resourceSpans", "resource_logs": "resourceLogs"}
_SCALARS: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue")


def import_spans(
    manager: CheckpointManager, *sources: str | os.PathLike[str], report: SpanReport | None = None
) -> Iterator[Imported]:
    """Keep a checkpoint for each run of an agent in files of spans; `.gz` is unpacked.

    Log records belong to the spans that they name, in whichever file these are. A run that was kept before is not kept
    again. The result of a faulty line, span or run has its fault, and the others are kept. `report` counts what was
    read. Raises ReadError for a file that cannot be read, for files without a span of an agent, and as the stores do.
    """
    counted = SpanReport() if report is None else report
    files: list[OtlpFile] = []
    for path in map(Path, sources):
        try:
            file = OtlpFile(path)
        except ReadError as error:
            if len(sources) == 1:
                raise
            yield Imported(path, None, error=error)
            continue
        files.append(file)
        yield from (Imported(path, None, error=fault) for fault in file.errors)
        counted.other_signals += file.other_signals
    records = _Records(files)
    conversations = Conversations(manager, is_alone=True)
    count = 0
    for path, spans in _traces(files, records):
        silent: set[str] = set()
        findings = tuple(_incomplete(spans, str(path)))
        try:
            for checkpoint, run in checkpoints_of(spans, conversations):
                count += 1
                silent |= run.silent
                findings += tuple(_cut_off(span, name, str(path)) for span, name in run.cut)
                try:
                    done = manager.import_(checkpoint)[0]
                except (CheckpointExists, FindingsError) as error:
                    yield Imported(path, None, error=error)
                    continue
                if done.checkpoint is not None:
                    conversations.add(done.checkpoint)
                yield Imported(path, done.checkpoint, done.created, (*findings, *done.findings))
                findings = ()
        except WriteError as error:
            yield Imported(path, None, error=error)
        counted.add(spans, silent)
    counted.log_records, counted.loose_records = records.count, records.left
    faulty = [Imported(file.path, None, error=error) for file in files for error in file.faulty]
    yield from faulty
    if not count and not faulty and not any(file.errors for file in files):
        raise _nothing_read(files, records.count)


def _nothing_read(files: Sequence[OtlpFile], records: int) -> ReadError:
    names, count = ", ".join(str(file.path) for file in files), sum(file.count for file in files)
    if not count and records:
        return ReadError(f"{names}: has {records} log records and no spans: import the file with their spans with it")
    what = f"has {count} spans, none about an agent: give spans with the attribute gen_ai.operation.name"
    return ReadError(f"{names}: {what}")


class _TextPlace(NamedTuple):
    """The position of a text in a file, with the resource and the scope that it shares with others."""

    start: int
    end: int
    resource: Mapping[str, Any]
    scope: Mapping[str, Any]


class OtlpFile:
    """The text of a file, and the positions of its spans by trace and of its log records by trace.

    They are read a trace at a time. `errors` are those of lines, `faulty` those of spans, which are known when these
    are read.
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
        self.count = self.other_signals = 0
        self.spans: dict[str, list[_TextPlace]] = defaultdict(list)
        self.records: dict[str, list[_TextPlace]] = defaultdict(list)
        self.starts: dict[str, int] = {}
        for number, start, text in _documents(self.text, is_lines=".jsonl" in path.suffixes):
            try:
                orjson.loads(text)
                self._add(text, start)
            except orjson.JSONDecodeError as error:
                place = f"{path}:{number + error.lineno - 1}:{error.colno}"
                what = f"is no JSON, perhaps half written: {error.msg}; write it again"
                if "depth limit" in error.msg:  # of orjson, 1,024 levels
                    what = "its values are nested too deeply to be read; nest them less"
                self.errors.append(ReadError(f"{place}: {what}"))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                what = "resourceSpans with scopeSpans with spans are expected"
                if isinstance(error, KeyError) and error.args[0] in _SNAKES:
                    what = f"{error.args[0]} has to be written {_SNAKES[error.args[0]]}"
                self.errors.append(ReadError(f"{path}:{number}: is not OTLP/JSON: {what}"))

    def _add(self, text: str, start: int) -> None:
        spans = Spans(text)
        members = spans.index(spans.start)
        if not {"resourceSpans", "resourceLogs"} & set(members):
            snake = next((name for name in _SNAKES if name in members), None)
            if snake is None and _OTHER_SIGNALS & set(members):
                self.other_signals += 1
                return
            raise KeyError(snake)
        for signal, scopes, items, add in (
            ("resourceSpans", "scopeSpans", "spans", self._add_span),
            ("resourceLogs", "scopeLogs", "logRecords", self._add_record),
        ):
            for resource in spans.members(members[signal].start) if signal in members else ():
                place = resource.value.start
                shared = _attributes(_object(spans, place, "resource").get("attributes"))
                for scope in _items(spans, place, scopes):
                    described = _object(spans, scope.value.start, "scope")
                    for member in _items(spans, scope.value.start, items):
                        value = orjson.loads(text[member.value.start : member.value.end])
                        add(value, _TextPlace(start + member.value.start, start + member.value.end, shared, described))

    def _add_span(self, span: Any, place: _TextPlace) -> None:
        self.count += 1
        if not (isinstance(span, dict) and span.get("traceId") and span.get("spanId")):
            self._leave_out(place, "it names no trace, or has no id")
            return
        trace = _hexadecimal(span["traceId"])
        first = _nanoseconds(span.get("startTimeUnixNano"))
        self.starts[trace] = min(first, self.starts.get(trace, first))
        self.spans[trace].append(place)

    def _add_record(self, record: Any, place: _TextPlace) -> None:
        trace = _hexadecimal(record.get("traceId") or "") if isinstance(record, dict) else ""
        self.records[trace].append(place)

    def read(self, trace: str) -> Iterator[Span]:
        """Yield the spans of a trace; a faulty one is left out."""
        for place in self.spans.pop(trace, ()):
            try:
                yield self._span(place)
            except _NotOtlpError as error:
                self._leave_out(place, str(error))
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError):  # any JSON may stand in any place
                self._leave_out(place, "its attributes, events or status are of another form")

    def events(self, trace: str) -> Iterator[tuple[str, Event]]:
        """Yield the log records of a trace as events, each with the id of its span."""
        for place in self.records.pop(trace, ()):
            source = orjson.loads(self.text[place.start : place.end])
            try:
                attributes, body = _attributes(source.get("attributes")), _value(source.get("body"))
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
                self._leave_out(place, "the attributes or the body of the log record are of another form")
                continue
            name = source.get("eventName") or attributes.get("event.name") or ""
            when = moment(source.get("timeUnixNano")) or moment(source.get("observedTimeUnixNano")) or 0
            yield (
                _hexadecimal(source.get("spanId") or ""),
                (str(name), when, attributes if body is None else {**attributes, BODY: body}),
            )

    def _leave_out(self, place: _TextPlace, why: str) -> None:
        where = f"{self.path}:{self.text.count(chr(10), 0, place.start) + 1}"
        message = f"this span is not OTLP/JSON: {why}; it is left out: correct it, and import the file again"
        self.faulty.append(ReadError(f"{where}: {message}"))

    def _span(self, place: _TextPlace) -> Span:
        source = orjson.loads(self.text[place.start : place.end])
        status, kind = source.get("status") or {}, source.get("kind")
        for value in (status.get("code"), kind):
            if isinstance(value, str):
                raise _NotOtlpError(f"{value} is a name where the number of the enumeration has to stand")
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
        more["kind"] = _KINDS[kind] if isinstance(kind, int) and 0 <= kind < len(_KINDS) else kind
        more["scope"] = place.scope
        return Span(
            trace_id=_hexadecimal(source["traceId"]),
            span_id=_hexadecimal(source["spanId"]),
            parent_id=_hexadecimal(source.get("parentSpanId") or "") or None,
            name=str(source.get("name", "")),
            start=start,
            end=moment(source.get("endTimeUnixNano")) or None,
            attributes=_attributes(source.get("attributes")),
            resource=place.resource,
            error=error_of(str(status.get("message") or ""), events) if status.get("code") == _ERROR else None,
            events=events,
            more={name: value for name, value in more.items() if value not in (None, "", {}, [])},
            is_ok=status.get("code") == _OK,
            nanoseconds=_nanoseconds(source.get("startTimeUnixNano")),
        )


class _NotOtlpError(Exception):
    """A value of a span that OTLP/JSON does not have."""


class _Records:
    """The log records of some files by their trace, which may have its spans in another file."""

    def __init__(self, files: Sequence[OtlpFile]) -> None:
        self._files = files
        self.count = sum(len(places) for file in files for places in file.records.values())
        self.left = self.count

    def add_to(self, trace: str, spans: Sequence[Span]) -> None:
        """Add the records of a trace to its spans as events."""
        by_id = {span.span_id: span for span in spans}
        for file in self._files:
            for span_id, event in file.events(trace):
                if span_id in by_id:
                    by_id[span_id].events.append(event)
                    self.left -= 1


def _traces(files: Sequence[OtlpFile], records: _Records) -> Iterator[tuple[Path, list[Span]]]:
    """Yield the spans of each trace, the earliest trace first, and the first file that has some of them."""
    starts: dict[str, tuple[int, Path]] = {}
    for file in files:
        for trace, start in file.starts.items():
            known = starts.get(trace)
            starts[trace] = (start, file.path) if known is None else (min(start, known[0]), known[1])
    for trace, (_, path) in sorted(starts.items(), key=lambda item: (item[1][0], item[0])):
        spans = [span for file in files for span in file.read(trace)]
        records.add_to(trace, spans)
        yield path, spans


def _cut_off(span: Span, name: str, file: str) -> Finding:
    message = f"{name} of span {span.span_id} in trace {span.trace_id} is cut off, so its messages cannot be read"
    remedy = "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT, or unset them"
    return Finding("", Severity.WARNING, message, remedy, place=Place(file))


def _incomplete(spans: Sequence[Span], file: str) -> Iterator[Finding]:
    """Yield a finding about a trace whose parents are not there, and one about lost attributes or events."""
    counts = ("droppedAttributesCount", "droppedEventsCount")
    ids = {span.span_id for span in spans}
    orphans = [span for span in spans if span.parent_id is not None and span.parent_id not in ids]
    losers = [span for span in spans if any(span.more.get(name) for name in counts)]
    for faulty, fault, remedy in (
        (
            orphans if len(spans) > 1 else [],
            "name parents that are not in the file",
            "if an agent's own span is missing, its steps are a run of their own: export whole traces",
        ),
        (
            losers,
            "have lost attributes or events",
            "raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT and OTEL_SPAN_EVENT_COUNT_LIMIT where the agent runs",
        ),
    ):
        if faulty:
            message = f"{len(faulty)} of {len(spans)} spans of trace {spans[0].trace_id} {fault}"
            yield Finding("", Severity.WARNING, message, remedy, place=Place(file))


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


def _items(spans: Spans, start: int, name: str) -> Iterator[Member]:
    members = spans.index(start).get(name)
    yield from () if members is None else spans.members(members.start)


def _object(spans: Spans, start: int, name: str) -> dict[str, Any]:
    member = spans.index(start).get(name)
    value = {} if member is None else orjson.loads(spans.text[member.value.start : member.value.end])
    return value if isinstance(value, dict) else {}


def _attributes(source: Any) -> dict[str, Any]:
    return {str(attribute["key"]): _value(attribute.get("value")) for attribute in source or ()}


def _value(source: Any) -> Any:
    if not isinstance(source, dict):
        return source
    if "intValue" in source:
        return int(source["intValue"])
    if "arrayValue" in source:
        return [_value(item) for item in source["arrayValue"].get("values") or ()]
    if "kvlistValue" in source:
        return _attributes(source["kvlistValue"].get("values"))
    return next((source[name] for name in _SCALARS if name in source), None)


def _hexadecimal(value: Any) -> str:
    """Return an id in small digits: OTLP/JSON allows digits of either case."""
    return str(value).lower()


def _nanoseconds(value: Any) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        return int(value)
    return 0
