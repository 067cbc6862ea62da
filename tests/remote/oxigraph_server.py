"""A real Oxigraph server on loopback, for the tests that ask one."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

PATIENCE = 10.0
TRIES = 3


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def binary() -> str:
    """Return the program; without it, skip with what to install, or fail where CI is to have it."""
    beside = Path(sys.executable).with_name("oxigraph")
    found = str(beside) if beside.is_file() else shutil.which("oxigraph")
    if found is None:
        message = "no Oxigraph server to ask: pip install oxigraph puts one beside this Python"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return found


@contextmanager
def oxigraph(*, read_only: Path | None = None) -> Iterator[str]:
    """Start a server, in memory or over a folder that may only be read, and give its URL."""
    mode = ["serve-read-only", "--location", str(read_only)] if read_only else ["serve"]
    for _ in range(TRIES):
        url = f"http://127.0.0.1:{free_port()}"
        command = [binary(), *mode, "--bind", url.removeprefix("http://")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if is_ready(process, f"{url}/query"):
            break
        stop(process)  # somebody else took the port meanwhile
    else:
        pytest.fail("the Oxigraph server does not start")
    try:
        yield url
    finally:
        stop(process)


def is_ready(process: subprocess.Popen[bytes], url: str, patience: float = PATIENCE) -> bool:
    until = time.monotonic() + patience
    with httpx.Client(trust_env=False) as client:
        while process.poll() is None and time.monotonic() < until:
            try:
                return client.get(url).status_code == 200
            except httpx.TransportError:
                time.sleep(0.02)
    return False


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stderr is not None:
        process.stderr.close()
