"""The server: HTTP in front of the workers."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
import threading
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.serving.answers import Answer, Request, answer
from checkpoint_ld.serving.workers import Pool

if TYPE_CHECKING:
    import os

MOST_BYTES = 4 << 20
"""The largest body of a request; the longest query that is read is shorter."""
_LAST_WORDS = 1.0
"""Seconds that a client may be silent that was refused and still sends."""
PATIENCE = 30.0
"""Seconds that a client may be silent in the middle of a request."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen and what to allow.

    `timeout` is in seconds for each query, `workers` how many run at a time. Port 0 is any that is free.
    """

    host: str = "127.0.0.1"
    port: int = 0
    timeout: float = 30.0
    max_rows: int | None = None
    workers: int = 2


class Server:
    """Serves the store in a folder, which nobody may write to meanwhile, until it is closed.

    Raises SettingsError for an address that cannot be listened at.
    """

    def __init__(self, location: str | os.PathLike[str], settings: Settings) -> None:
        self._settings = settings
        self._http = _listening(settings)
        self._pool = Pool(str(location), size=settings.workers, timeout=settings.timeout)
        self._http.pool = self._pool
        self._http.max_rows = settings.max_rows
        self._http.names = _names(settings.host)
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The URL of the page."""
        host, port = self._http.server_address[:2]
        shown = f"[{host!s}]" if ":" in str(host) else str(host)
        return f"http://{shown}:{port}/"

    def run(self) -> None:
        """Serve until the process is interrupted."""
        self._http.serve_forever()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.server_close()
        self._pool.__exit__()

    def start(self) -> None:
        """Serve in a thread, until `stop`."""
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End what `start` began."""
        if self._thread is not None:
            self._http.shutdown()
            self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    pool: Pool
    max_rows: int | None
    names: frozenset[str] | None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a client that went away, which is no fault."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Http6(_Http):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = PATIENCE
    server: _Http

    def log_message(self, *_: Any) -> None:
        """Say nothing: what people ask is theirs."""

    def version_string(self) -> str:
        return "checkpoint-ld"

    def _handle(self) -> None:
        answered = self._answer()
        self.send_response(answered.status)
        for name, value in answered.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answered.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answered.body)
        if answered.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            self._drain()

    def _drain(self) -> None:
        """Read what a client goes on sending: it would see a broken connection in place of its answer."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_LAST_WORDS)
        left = 4 * MOST_BYTES
        with contextlib.suppress(OSError):
            while left > 0 and (part := self.connection.recv(1 << 16)):
                left -= len(part)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _handle  # noqa: N815 - http.server's names

    def _answer(self) -> Answer:
        names = self.server.names
        if names is not None and _host(self.headers.get("Host", "")) not in names:
            # A page of another site, whose name was made to lead here, must not read what is on this machine.
            self.close_connection = True
            return Answer.plain(421, "this server answers only under its own name")
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal():
            self.close_connection = True
            return Answer.plain(411, "say the length of the body")
        if int(length) > MOST_BYTES:
            self.close_connection = True
            return Answer.plain(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES} bytes")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            return Answer.plain(HTTPStatus.BAD_REQUEST, "the body ends before its end")
        request = Request(
            self.command,
            self.path,
            self.headers.get("Content-Type", ""),
            self.headers.get("Accept", ""),
            body,
        )
        return answer(request, self.server.pool.ask, self.server.max_rows)


def _listening(settings: Settings) -> _Http:
    kind = _Http6 if ":" in settings.host else _Http
    try:
        return kind((settings.host, settings.port), _Handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(
            f"cannot listen at {settings.host} port {settings.port}: {reason}; choose another --port or --host"
        ) from None


def _names(host: str) -> frozenset[str] | None:
    """Return the names under which requests may come in, None for any: beyond loopback they are not known."""
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = host == "localhost"
    return frozenset((host, "127.0.0.1", "localhost", "::1")) if is_loopback else None


def _host(header: str) -> str:
    """Return the name in a header `Host` without the port (RFC 9110 §7.2)."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
