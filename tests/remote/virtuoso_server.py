"""A real Virtuoso on loopback. It runs where CHECKPOINT_LD_VIRTUOSO names its program, or PATH has it.

Debian's virtuoso-opensource-7-bin, unpacked by `dpkg -x` together with libpcre3 and libwbxml2-1, is enough: nothing has
to be installed, and no service starts.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.remote.oxigraph_server import free_port, stop

PATIENCE = 60.0
MOST_ROWS = 1000
SETTINGS = """[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/temporary.db
TransactionFile = {folder}/temporary.trx
[Parameters]
ServerPort = 127.0.0.1:{port}
NumberOfBuffers = 10000
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = {folder}
[SPARQL]
ResultSetMaxRows = {rows}
"""


@contextmanager
def virtuoso(folder: Path) -> Iterator[str]:
    """Start a server over a new folder, and give its URL."""
    program = os.environ.get("CHECKPOINT_LD_VIRTUOSO") or shutil.which("virtuoso-t")
    if program is None:
        pytest.skip("no Virtuoso to ask: name its program, virtuoso-t, by CHECKPOINT_LD_VIRTUOSO")
    http = free_port()
    (folder / "virtuoso.ini").write_text(SETTINGS.format(folder=folder, port=free_port(), http=http, rows=MOST_ROWS))
    libraries = [Path(program).parents[2] / one for one in ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu")]
    process = subprocess.Popen(
        [program, "+foreground", "+configfile", "virtuoso.ini"],
        cwd=folder,
        env={**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, libraries))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(f"http://127.0.0.1:{http}", process)
        yield f"http://127.0.0.1:{http}"
    finally:
        stop(process)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    with httpx.Client(trust_env=False) as client:
        while True:
            assert process.poll() is None, "Virtuoso ended at once"
            assert time.monotonic() < until, "Virtuoso does not come up"
            try:
                client.get(url)
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
