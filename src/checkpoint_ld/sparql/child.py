"""A query in a process of its own: neither parser nor engine can be interrupted, but a process can be ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, Final

import pyoxigraph

from checkpoint_ld.errors import CheckpointLdError, QueryError, QueryFailedError, SettingsError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.sparql.result_json import result_of, texts_of
from checkpoint_ld.sparql.running import answered

if TYPE_CHECKING:
    from collections.abc import Collection

    from checkpoint_ld.sparql.result import QueryResult
    from checkpoint_ld.sparql.running import Engine

START_LIMIT = 120.0
"""How long the process may take to start and to load what is queried, in seconds."""

_READY: Final = b"ready\n"
_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from checkpoint_ld.sparql.child import answer; answer(sys.stdin.buffer, sys.stdout.buffer)"
)


def run_within(  # noqa: PLR0913 - all but the first three are named
    store: pyoxigraph.Store,
    text: str,
    seconds: float,
    *,
    engine: Engine,
    max_rows: int | None,
    services: Collection[str],
    location: str | os.PathLike[str] | None,
) -> QueryResult:
    """Return the result of a query, if it takes no longer than `seconds` to read, to check and to answer it.

    The time for starting the process does not count. Raises SettingsError for a limit that is none, QueryError for what
    is refused, QueryFailedError where the time is over or the engine fails.
    """
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise SettingsError(f"timeout is {seconds}: give a number of seconds above 0")
    asked = {
        "text": text,
        "engine": engine,
        "max_rows": max_rows,
        "services": list(services),
        "location": None if location is None else os.fspath(location),
    }
    path = [os.path.abspath(entry) for entry in sys.path if entry]  # noqa: PTH100 - not every entry is a folder
    arguments = [sys.executable, "-I", "-X", "utf8", "-c", _PROGRAM, json.dumps(path)]
    with subprocess.Popen(  # noqa: S603 - the program is ours, the query only goes in as data
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            return _asked(process, asked, None if location is not None else store, seconds)
        finally:
            process.kill()


def _asked(
    process: subprocess.Popen[bytes], asked: dict[str, Any], store: pyoxigraph.Store | None, seconds: float
) -> QueryResult:
    assert process.stdin is not None  # noqa: S101 - for the type checker: both were asked for
    assert process.stdout is not None  # noqa: S101 - as above
    with _Limit(process, START_LIMIT):
        try:
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            if store is not None:
                store.dump(process.stdin, format=pyoxigraph.RdfFormat.N_QUADS)
            process.stdin.close()
        except OSError as error:
            raise QueryFailedError(f"the process of the query cannot be started: {error}") from error
        if process.stdout.readline() != _READY:
            raise QueryFailedError("the process of the query did not start")
    with _Limit(process, seconds) as limit:
        reply = process.stdout.read()
    if limit.is_over and not reply.endswith(b"\n"):
        raise QueryFailedError(f"the query took longer than {seconds:g} s: ask for less, or allow more time")
    if not reply.endswith(b"\n"):
        raise QueryFailedError("the process of the query ended without a result")
    told = json.loads(reply)
    if "fault" in told:
        raise (QueryError if told["is_refusal"] else QueryFailedError)(told["fault"])
    return result_of(told)


class _Limit:
    """Ends a process after so many seconds, unless what is done in this block is done before."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._process = process
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self.is_over = False

    def _end(self) -> None:
        self.is_over = True
        self._process.kill()

    def __enter__(self) -> _Limit:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def answer(asked: IO[bytes], reply: IO[bytes]) -> None:
    """Answer one query in this process: a line of JSON, then N-Quads unless it says where the store is."""
    sparql_parser()  # its import takes long, and no query is to blame

    told = json.loads(asked.readline())
    if told["location"] is None:
        store = pyoxigraph.Store()
        store.bulk_load(asked, format=pyoxigraph.RdfFormat.N_QUADS)
    else:
        store = pyoxigraph.Store.read_only(told["location"])
    reply.write(_READY)
    reply.flush()
    try:
        limits = {name: told[name] for name in ("engine", "max_rows", "services")}
        texts = texts_of(answered(store, told["text"], **limits))
    except CheckpointLdError as error:
        texts = {"fault": str(error), "is_refusal": isinstance(error, QueryError)}
    reply.write(json.dumps(texts).encode() + b"\n")
    reply.flush()
