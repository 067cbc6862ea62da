"""Work in a process of its own that shares what was imported, so that killing it costs little."""

import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
"""Forks processes of one that has imported what stores need, and has opened nothing."""
SERVER.set_forkserver_preload(
    ["__main__", *(f"tests.stores.{name}" for name in ("test_processes", "test_graph_store_processes"))]
)


def begun_together(folder: Path, name: str, number: int) -> None:
    """Wait in each of so many processes until all of them are there."""
    (folder / f"{name}.begun").touch()
    while len(list(folder.glob("*.begun"))) < number:
        time.sleep(0.001)


def forked(
    work: Callable[[], None], *, kill_after: float | None = None, kill_when: Callable[[], bool] = lambda: True
) -> int:
    """Do something in a process of its own; return how that ended.

    It is killed `kill_after` seconds after `kill_when` holds.
    """
    process = os.fork()
    if not process:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the process ends here, whatever it was
            traceback.print_exc()
            os._exit(1)
    if kill_after is not None:
        while not kill_when() and not os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            time.sleep(0.002)
        time.sleep(kill_after)
        os.kill(process, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
