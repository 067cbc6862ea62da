"""Files of spans in OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).

One object, or one in each line, as the file exporter of the collector writes them. Spans may come in any order.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from checkpoint_ld.arguments import checked
from checkpoint_ld.checkpointing.results import Imported
from checkpoint_ld.documents.files import is_packed, read_bytes, unpacked
from checkpoint_ld.documents.text import Spans
from checkpoint_ld.errors import CheckpointExists, FindingsError, ReadError, WriteError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.integrations.spans import Span, checkpoints_of, moment

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.checkpointing.manager import CheckpointManager

_KINDS: Final = ("", "internal", "server", "client", "producer", "consumer")
_TOLD: Final = frozenset(
    ("traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes")
) | {"events", "status"}
_SCALARS: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue")


class _Held(NamedTuple):
    """Where the text of a span stands, with what it shares with others."""

    start: int
    end: int
    resource: Mapping[str, Any]
    scope: Mapping[str, Any]


@checked
def import_spans(manager: CheckpointManager, source: str | os.PathLike[str]) -> Iterator[Imported]:
    """Keep a checkpoint for each run of an agent that a file of spans tells of; `.gz` is unpacked.

    What is kept already, from the same file, is not kept again. What is wrong with a line, or with a run, stands in its
    result, and the others are kept. Raises ReadError for a file that cannot be read or tells of no agent, and what the
    stores raise.
    """
    path = Path(source)
    file = _File(path)
    parents: dict[str, str] = {}
    yield from (Imported(path, None, error=error) for error in file.errors)
    count = 0
    for spans in file.traces():
        odd = _orphans(spans, str(path))
        try:
            for checkpoint in checkpoints_of(spans, parents):
                count += 1
                done = manager.import_(checkpoint)[0]
                yield Imported(path, done.checkpoint, done.created, (*odd, *done.findings))
                odd = ()
        except (CheckpointExists, FindingsError, WriteError) as error:
            yield Imported(path, None, error=error)
    if not count and not file.errors:
        raise ReadError(
            f"{path}: has {file.count} spans, none about an agent: give spans with the attribute gen_ai.operation.name"
        )


class _File:
    """The text of a file, and where the spans of each trace stand in it: they are read a trace at a time."""

    def __init__(self, path: Path) -> None:
        self.text = _text_of(path)
        self.path = path
        self.errors: list[ReadError] = []
        self.count = 0
        self._traces: dict[str, list[_Held]] = defaultdict(list)
        self._starts: dict[str, int] = {}
        is_lines = ".jsonl" in path.suffixes
        for number, start, text in _documents(self.text, is_lines=is_lines):
            try:
                orjson.loads(text)
            except orjson.JSONDecodeError as error:
                at = f"{path}:{number + error.lineno - 1}:{error.colno}"
                self.errors.append(ReadError(f"{at}: is no JSON, perhaps half written: {error.msg}; write it again"))
                continue
            try:
                self._document(text, start)
            except (KeyError, TypeError, ValueError, AttributeError):
                message = "is not OTLP/JSON: resourceSpans with scopeSpans with spans are expected"
                self.errors.append(ReadError(f"{path}:{number}: {message}"))

    def _document(self, text: str, start: int) -> None:
        spans = Spans(text)
        for _, resource_at in _elements(spans, spans.start, "resourceSpans"):
            resource = _attributes(_object(spans, resource_at, "resource").get("attributes"))
            for _, scope_at in _elements(spans, resource_at, "scopeSpans"):
                scope = _object(spans, scope_at, "scope")
                for held in spans.members(_at(spans, scope_at, "spans")):
                    told = orjson.loads(text[held.value.start : held.value.end])
                    trace = str(told["traceId"])
                    first = moment(told.get("startTimeUnixNano")) or 0
                    self._starts[trace] = min(first, self._starts.get(trace, first))
                    place = start + held.value.start, start + held.value.end
                    self._traces[trace].append(_Held(*place, resource, scope))
                    self.count += 1

    def traces(self) -> Iterator[list[Span]]:
        """Yield the spans of each trace, the earliest trace first."""
        for trace in sorted(self._starts, key=lambda one: (self._starts[one], one)):
            yield [self._span(held) for held in self._traces.pop(trace)]

    def _span(self, held: _Held) -> Span:
        told = orjson.loads(self.text[held.start : held.end])
        status = told.get("status") or {}
        start = moment(told.get("startTimeUnixNano")) or 0
        events = [
            (str(one.get("name", "")), moment(one.get("timeUnixNano")) or start, _attributes(one.get("attributes")))
            for one in told.get("events") or ()
        ]
        more: dict[str, Any] = {name: value for name, value in told.items() if name not in _TOLD}
        kind = told.get("kind")
        more["kind"] = _KINDS[kind] if isinstance(kind, int) and 0 <= kind < len(_KINDS) else kind
        more["scope"] = held.scope
        failed = status.get("code") in (2, "STATUS_CODE_ERROR")
        return Span(
            trace_id=told["traceId"],
            span_id=str(told.get("spanId", "")),
            parent_id=told.get("parentSpanId") or None,
            name=str(told.get("name", "")),
            start=start,
            end=moment(told.get("endTimeUnixNano")) or None,
            attributes=_attributes(told.get("attributes")),
            resource=held.resource,
            error=error_of(status.get("message"), events) if failed else None,
            events=events,
            more={name: value for name, value in more.items() if value not in (None, "", {}, [])},
        )


def error_of(message: str | None, events: list[tuple[str, int, dict[str, Any]]]) -> str:
    """Return why a span failed: what its status says, or the exception that an event tells of."""
    if message:
        return message
    held = next((held for name, _, held in events if name == "exception"), {})
    told = [str(held[one]) for one in ("exception.type", "exception.message") if held.get(one)]
    return ": ".join(told) or "failed"


def _orphans(spans: list[Span], file: str) -> tuple[Finding, ...]:
    """Say once for a trace that spans name parents that are not there."""
    ids = {one.span_id for one in spans}
    lost = [one for one in spans if one.parent_id is not None and one.parent_id not in ids]
    if not lost or len(lost) == len(spans) == 1:
        return ()
    message = f"{len(lost)} of {len(spans)} spans of trace {spans[0].trace_id} name parents that are not in the file"
    remedy = "if an agent's own span is missing, its steps are a run of their own: export whole traces"
    return (Finding("", Severity.WARNING, message, remedy, place=Place(file)),)


def _text_of(path: Path) -> str:
    data, name = read_bytes(path)
    data = unpacked(data, name) if is_packed(path) else data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: byte {error.start + 1} is no UTF-8: write the file again in UTF-8") from None


def _documents(text: str, *, is_lines: bool) -> Iterator[tuple[int, int, str]]:
    """Yield the JSON documents of a file, each with its line and where it starts: one, or one in each line."""
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


def _elements(spans: Spans, at: int, name: str) -> Iterator[tuple[str, int]]:
    for one in spans.members(_at(spans, at, name)):
        yield one.name, one.value.start


def _at(spans: Spans, at: int, name: str) -> int:
    return spans.index(at)[name].start


def _object(spans: Spans, at: int, name: str) -> dict[str, Any]:
    found = spans.index(at).get(name)
    told = {} if found is None else orjson.loads(spans.text[found.value.start : found.value.end])
    return told if isinstance(told, dict) else {}


def _attributes(told: Any) -> dict[str, Any]:
    return {str(one["key"]): _value(one.get("value")) for one in told or ()}


def _value(told: Any) -> Any:
    """Return a value of OTLP as JSON."""
    if not isinstance(told, dict):
        return told
    if "intValue" in told:
        return int(told["intValue"])
    if "arrayValue" in told:
        return [_value(one) for one in told["arrayValue"].get("values") or ()]
    if "kvlistValue" in told:
        return _attributes(told["kvlistValue"].get("values"))
    return next((told[one] for one in _SCALARS if one in told), None)
