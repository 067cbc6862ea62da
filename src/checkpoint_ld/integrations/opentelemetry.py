"""An exporter of OpenTelemetry: runs of instrumented agents are kept as checkpoints.

`provider.add_span_processor(BatchSpanProcessor(CheckpointSpanExporter(manager)))`. The module imports
`opentelemetry.sdk`, which the extra `otel` installs (https://opentelemetry.io/docs/languages/python/exporters/).
"""

from __future__ import annotations

import logging
import math
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.checkpointing.manager import manager_of
from checkpoint_ld.data import library
from checkpoint_ld.errors import CheckpointExists, CheckpointLdError
from checkpoint_ld.integrations.span_conversations import Conversations
from checkpoint_ld.integrations.span_runs import checkpoints_of
from checkpoint_ld.integrations.spans import BODY, Span, error_of, moment
from checkpoint_ld.phrases import encodable

library("opentelemetry.sdk.trace", extra="otel")  # raises SettingsError, with the extra, where it is absent

from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult  # noqa: E402 - as below
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult  # noqa: E402 - after the sentence above
from opentelemetry.trace import StatusCode, format_span_id, format_trace_id  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.sdk._logs import ReadableLogRecord
    from opentelemetry.sdk.trace import ReadableSpan

    from checkpoint_ld.checkpointing.manager import CheckpointManager
    from checkpoint_ld.integrations.spans import Event

_logger = logging.getLogger(__name__)
LONGEST: Final = 10_000
"""The most spans of an unfinished trace that are held before a checkpoint is made of them."""


class CheckpointSpanExporter(SpanExporter):
    """Keeps a checkpoint for each run of an agent, when the first span of its trace has ended. Any thread may use it.

    Runs that have not ended are kept when the exporter is shut down or flushed, and when a trace has LONGEST spans.
    Other spans are kept if there is a span of an agent in their trace, and left out otherwise.
    """

    def __init__(self, manager: CheckpointManager | None = None) -> None:
        """Keep them where `manager` does, by default in the files of `./checkpoints`. Raises WrongTypeError."""
        self.manager = manager_of(manager)
        self._conversations = Conversations(self.manager)
        self._open: OrderedDict[str, list[Span]] = OrderedDict()
        self._records: OrderedDict[tuple[str, str], list[Event]] = OrderedDict()
        self._guard = threading.Lock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Take in spans that have ended. A failure to keep them is logged, as exporters do, and FAILURE is returned."""
        with self._guard:
            ended: dict[str, None] = {}
            for span in map(span_of, spans):
                waiting = self._open.setdefault(span.trace_id, [])
                waiting.append(span)
                if span.parent_id is None or len(waiting) >= LONGEST:
                    ended[span.trace_id] = None
            done = [self._keep(self._open.pop(trace)) for trace in ended]
        return SpanExportResult.SUCCESS if all(done) else SpanExportResult.FAILURE

    def logs(self) -> CheckpointLogExporter:
        """Return an exporter of log records, in which several instrumentations state messages, for their spans."""
        return CheckpointLogExporter(self)

    def take_in(self, records: Sequence[ReadableLogRecord]) -> None:
        """Hold log records until their span is kept; the oldest are dropped beyond LONGEST."""
        with self._guard:
            for data in records:
                record = data.log_record
                if not record.trace_id or not record.span_id:
                    continue
                attributes = _plain(record.attributes)
                name = str(record.event_name or attributes.get("event.name") or "")
                if record.body is not None:
                    attributes[BODY] = _value(record.body)
                key = format_trace_id(record.trace_id), format_span_id(record.span_id)
                when = moment(record.timestamp or record.observed_timestamp) or 0
                self._records.setdefault(key, []).append((name, when, attributes))
            while len(self._records) > LONGEST:
                self._records.popitem(last=False)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - OpenTelemetry's signature
        """Keep the spans that are held, whether their trace has ended or not; return whether that succeeded."""
        with self._guard:
            done = [self._keep(self._open.pop(trace)) for trace in list(self._open)]
        return all(done)

    def shutdown(self) -> None:
        """Keep the spans that are held. The manager stays open: it belongs to the caller."""
        self.force_flush()

    def _keep(self, spans: Sequence[Span]) -> bool:
        is_kept = True
        try:
            for span in spans:
                span.events += self._records.pop((span.trace_id, span.span_id), ())
            for checkpoint, _ in checkpoints_of(spans, self._conversations):
                try:
                    self.manager.import_(checkpoint)
                except CheckpointExists as error:  # a part of its trace was kept before
                    trace, is_kept = spans[0].trace_id, False
                    _logger.warning("spans of trace %s came after its checkpoint was made: %s", trace, error)
        except CheckpointLdError:
            _logger.exception("the checkpoint of trace %s could not be kept", spans[0].trace_id)
            return False
        return is_kept


class CheckpointLogExporter(LogRecordExporter):
    """Takes in the log records of spans for a CheckpointSpanExporter; give it to a SimpleLogRecordProcessor.

    A record that comes after its trace was kept is of no use any more, so a processor must not hold records back.
    """

    def __init__(self, spans: CheckpointSpanExporter) -> None:
        """Take in records for `spans`."""
        self._spans = spans

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Take in log records."""
        self._spans.take_in(batch)
        return LogRecordExportResult.SUCCESS

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - OpenTelemetry's signature
        """Do nothing: the records are kept with their spans."""
        return True

    def shutdown(self) -> None:
        """Do nothing, as `force_flush`."""


def span_of(span: ReadableSpan) -> Span:
    """Return a span of the SDK as a `Span`. A parent in another process is left out."""
    start = moment(span.start_time) or 0
    events = [(event.name, moment(event.timestamp) or start, _plain(event.attributes)) for event in span.events]
    parent = None if span.parent is None or span.parent.is_remote else format_span_id(span.parent.span_id)
    more: dict[str, Any] = {"kind": span.kind.name.lower()}
    if span.parent is not None and parent is None:
        more["remote_parent_span_id"] = format_span_id(span.parent.span_id)
    if span.instrumentation_scope is not None:
        more["scope"] = {"name": span.instrumentation_scope.name, "version": span.instrumentation_scope.version or ""}
    if span.links:
        more["links"] = [
            {
                "trace_id": format_trace_id(link.context.trace_id),
                "span_id": format_span_id(link.context.span_id),
                "attributes": _plain(link.attributes),
            }
            for link in span.links
        ]
    context = span.get_span_context()
    failed = span.status.status_code is StatusCode.ERROR
    return Span(
        trace_id=format_trace_id(context.trace_id) if context else "",
        span_id=format_span_id(context.span_id) if context else "",
        parent_id=parent,
        name=span.name,
        start=start,
        end=moment(span.end_time),
        attributes=_plain(span.attributes),
        resource=_plain(span.resource.attributes),
        error=error_of(span.status.description, events) if failed else None,
        events=events,
        more=more,
        is_ok=span.status.status_code is StatusCode.OK,
        nanoseconds=span.start_time or 0,
    )


def _plain(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: _value(value) for name, value in (attributes or {}).items()}


def _value(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_value(item) for item in value]
    if isinstance(value, dict):
        return _plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return encodable(value) if isinstance(value, str) else value.hex() if isinstance(value, bytes) else value
