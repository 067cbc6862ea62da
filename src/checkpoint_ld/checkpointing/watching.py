"""A page on this machine with all runs in the stores of a manager, which follows what is saved.

The server is that of Python's `http.server`. It answers only requests that name it by a loopback address, so that no
page of another site can read it, and it changes nothing.
"""

from __future__ import annotations

import base64
import hashlib
import time
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import Template
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agents.picture import short
from checkpoint_ld.agents.timeline import instant, span
from checkpoint_ld.agents.values import ENDS
from checkpoint_ld.data import packaged
from checkpoint_ld.errors import CheckpointLdError, SettingsError
from checkpoint_ld.phrases import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.values import AgentHeader
    from checkpoint_ld.checkpointing.manager import CheckpointManager

LOOPBACK: Final = "127.0.0.1"
_SILENT_MS: Final = 60_000
"""A run that saved nothing for longer is shown as silent: it may have been cut off."""
_HEADS: Final = ("run", "agent", "status", "last saved", "steps", "calls", "failed", "tokens", "cost", "took")


@dataclass
class _RunTotals:
    """What is known of a run: its newest checkpoint, and the outcomes of its calls by their ids."""

    newest: AgentHeader | None = None
    seen: set[str] = field(default_factory=set)
    calls: dict[str, bool | None] = field(default_factory=dict)
    cost: float | None = None

    def add(self, checkpoint: AgentCheckpoint) -> None:
        self.calls.update((call.id, call.success) for call in checkpoint.snapshot.tool_state.calls)
        places: Iterable[Any] = (checkpoint.metadata.model_extra, checkpoint.snapshot.progress.model_extra)
        stated = [(place or {}).get("cost") for place in places]
        self.cost = next((one for one in stated if isinstance(one, (int, float))), self.cost)


class WatchedRuns:
    """The runs in the stores of a manager, the newest first. `price` is that of a million tokens, if it is known.

    A checkpoint is read once. Any thread may use it.
    """

    def __init__(self, manager: CheckpointManager, price: float | None = None) -> None:
        self.manager = manager
        self.price = price
        self._runs: dict[str, _RunTotals] = {}
        self._guard = Lock()

    def rows(self, now: int | None = None) -> list[dict[str, Any]]:
        """Return a row for each run, as JSON; `now` is in milliseconds since 1970. Raises what stores raise."""
        moment = int(time.time() * 1000) if now is None else now
        with self._guard:
            headers = [one for one in self.manager.store.truth.headers() if not one.is_of_writes]
            held: dict[str, list[AgentHeader]] = {}
            for header in headers:
                held.setdefault(header.execution_id, []).append(header)
            self._runs = {name: self._followed(name, those) for name, those in held.items()}
            return [self._row(name, run, moment) for name, run in self._runs.items() if run.newest is not None]

    def _followed(self, name: str, headers: list[AgentHeader]) -> _RunTotals:
        run = self._runs.get(name) or _RunTotals()
        run.newest = headers[0]
        unseen = [header for header in headers if header.id not in run.seen]
        for number, header in enumerate(unseen):
            run.seen.add(header.id)
            try:
                checkpoint = self.manager.get(header.id)
            except CheckpointLdError:  # deleted meanwhile, or damaged, which `verify` reports
                continue
            run.add(checkpoint)
            if not checkpoint.snapshot.is_partial:  # it holds all that was before it
                run.seen.update(one.id for one in unseen[number:])
                break
        return run

    def _row(self, name: str, run: _RunTotals, now: int) -> dict[str, Any]:
        newest = run.newest
        assert newest is not None  # noqa: S101 - see `rows`
        is_silent = now - newest.timestamp > _SILENT_MS
        cost = run.cost
        if cost is None and self.price is not None:
            cost = newest.tokens_used * self.price / 1e6
        return {
            "execution_id": name,
            "agent_id": newest.agent_id,
            "status": ENDS.get(newest.checkpoint_reason, "silent" if is_silent else "running"),
            "latest": newest.timestamp,
            "steps": newest.step_number,
            "calls": len(run.calls),
            "failed_calls": sum(success is False for success in run.calls.values()),
            "tokens": newest.tokens_used,
            "cost": None if cost is None else round(cost, 6),
            "duration_ms": newest.duration_ms,
        }


def table_of_runs(rows: Iterable[dict[str, Any]]) -> str:
    """Return the rows of runs as a table in HTML."""
    heads = "".join(f'<th scope="col">{one}</th>' for one in _HEADS)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(map(_row_of, rows))}</tbody></table>"


def _row_of(row: dict[str, Any]) -> str:
    cells = (
        f'<code title="{_escaped(row["execution_id"])}">{_escaped(short(row["execution_id"]))}</code>',
        _escaped(row["agent_id"]),
        row["status"],
        instant(row["latest"]),
        f"{row['steps']:,}",
        f"{row['calls']:,}",
        f"{row['failed_calls']:,}",
        f"{row['tokens']:,}",
        "" if row["cost"] is None else f"{row['cost']:.4f}",
        span(row["duration_ms"]),
    )
    marked = " failing" if row["failed_calls"] else ""
    filled = "".join(f'<td data-head="{name}">{cell}</td>' for name, cell in zip(_HEADS, cells, strict=True))
    return f'<tr class="{row["status"]}{marked}">{filled}</tr>'


def _escaped(text: str) -> str:
    return escape(harmless(text))


class WatchServer(ThreadingHTTPServer):
    """Serves the page at `url`, on this machine alone; port 0 is any free one. A context manager.

    Raises SettingsError for a port that is taken.
    """

    daemon_threads = True

    def __init__(self, runs: WatchedRuns, port: int = 0) -> None:
        self.runs = runs
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            message = f"port {port} of this machine cannot be used: {error.strerror or error}; give --port 0"
            raise SettingsError(message) from error

    @property
    def url(self) -> str:
        """The URL of the page."""
        return f"http://{LOOPBACK}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: WatchServer

    def do_GET(self) -> None:
        port = self.server.server_port
        if self.headers.get("Host") not in (f"{LOOPBACK}:{port}", f"localhost:{port}"):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return
        if self.path not in ("/", "/table"):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            table = table_of_runs(self.server.runs.rows())
        except CheckpointLdError as error:
            table = f"<p>{_escaped(str(error))}</p>"
        self._send(table if self.path == "/table" else _page(table))

    def _send(self, text: str) -> None:
        body = text.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Print nothing."""


def _page(table: str) -> str:
    from checkpoint_ld.validation.reports.page import look  # noqa: PLC0415 - loads rdflib

    script = packaged("checkpointing/watch.js")
    return Template(packaged("checkpointing/watch.html")).substitute(
        style=look() + packaged("agents/page.css") + packaged("checkpointing/watch.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        table=table,
    )
