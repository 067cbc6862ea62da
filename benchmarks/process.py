"""A small process that runs a command for some time, and tells what it took: `process.py SECONDS COMMAND…`.

Small, because Linux hands the peak of a process's memory down to those that it starts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

_KIBIBYTE = 1024
_FAILED = 2
"""The exit code from which on a command did not do its job; 1 says that there are findings."""


def main(seconds: str, *command: str) -> None:
    """Write what the command took from its start to its end, as JSON; it is run once at least."""
    cpu: list[float] = []
    wall: list[float] = []
    peak = 0
    until = time.perf_counter() + float(seconds)
    while not wall or time.perf_counter() < until:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - one of our own
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall.append(time.perf_counter() - began)
        cpu.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss * _KIBIBYTE)
        if process.returncode >= _FAILED:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    sys.stdout.write(json.dumps({"cpu": cpu, "wall": wall, "peak": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
