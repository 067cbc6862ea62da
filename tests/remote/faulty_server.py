"""A server on loopback that does whatever a test wants it to do wrong."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Seen:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """What to answer: `lacking` bytes fewer than announced, after `delay` seconds, or a reset in place of an answer."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    lacking: int = 0
    delay: float = 0.0
    drip: float = 0.0
    resets: bool = False


Choice = Callable[[Seen], Reply]


class FaultyServer:
    """Gives replies one after the other, the last one for ever; a callable reply is queried each time."""

    def __init__(self, replies: Sequence[Reply | Choice]) -> None:
        self.seen: list[Seen] = []
        self.connections = 0
        self._replies = list(replies)
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                outer.connections += 1

            def log_message(self, *_: Any) -> None:
                pass

            def _handle(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer._answer(self, Seen(self.command, self.path, headers, body))

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _handle  # noqa: N815 - names of http.server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, handler: BaseHTTPRequestHandler, seen: Seen) -> None:
        with self._lock:
            self.seen.append(seen)
            chosen = self._replies[0] if len(self._replies) == 1 else self._replies.pop(0)
        reply = chosen if isinstance(chosen, Reply) else chosen(seen)
        time.sleep(reply.delay)
        if reply.resets:
            # Closing with a linger of 0 s sends RST in place of FIN.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.close_connection = True
            handler.connection.close()
            return
        try:
            self._write(handler, reply)
        except OSError:  # the client had enough
            handler.close_connection = True

    def _write(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(reply.body) + reply.lacking))
        handler.end_headers()
        if reply.drip:
            for one in reply.body:
                handler.wfile.write(bytes((one,)))
                handler.wfile.flush()
                time.sleep(reply.drip)
        else:
            handler.wfile.write(reply.body)
        handler.close_connection = handler.close_connection or bool(reply.lacking)
