"""Kills, writers and clients: what is left after each, as a table in Markdown.

python benchmarks/bad_days.py [--rounds 30]

Runs are killed (SIGKILL) at random moments, processes save agent checkpoints into one store at once, and clients query
one endpoint at once. Only loopback is used.
"""

# Names say what the functions do; what is run is ours, what is opened is loopback, and chance need not be secret.
# ruff: noqa: D103, S101, S310, S311, S603, T201

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from checkpoint_ld import Benchmark, CheckpointManager

MAIN = "from checkpoint_ld.cli import main; main()"
SAVING = """
import sys
from checkpoint_ld import CheckpointManager, RuntimeState
manager = CheckpointManager(sys.argv[1], f"{sys.argv[1]}.db")
state = RuntimeState(agent_id=f"agent-{sys.argv[2]}")
print("ready", flush=True)
for step in range(int(sys.argv[3])):
    state.thought_chain.add("reasoning", f"step {step}")
    manager.save(state)
    print(step, flush=True)
"""
QUERY = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", MAIN, *map(str, arguments)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, encoding="utf-8", check=False)


def killed(arguments: list[str], longest: float) -> None:
    """Start a command and kill it, with its children, at a random moment."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(random.uniform(0, longest))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def benchmark(number: int, questions: int) -> bytes:
    """Return a benchmark of our own making."""
    made = Benchmark(f"Made {number}")
    made.add_questions([{"question": f"Question {at} of {number}?", "raw_answer": "yes"} for at in range(questions)])
    return json.dumps(made.to_jsonld()).encode()


def seconds_of(*arguments: object) -> float:
    started = time.monotonic()
    run(*arguments)
    return time.monotonic() - started


def kills_of_conversions(folder: Path, rounds: int) -> tuple[str, str]:
    source, target = folder / "large.jsonld", folder / "out.nt"
    source.write_bytes(benchmark(0, 3000))
    longest = seconds_of("convert", source, "-o", target, "--jobs", 2, "-q")
    whole = target.read_bytes()
    target.write_bytes(b"before\n")
    faults = 0
    for _ in range(rounds):
        killed(command("convert", source, "-o", target, "--jobs", 2, "-q", "--force"), longest)
        faults += target.read_bytes() not in (whole, b"before\n")
    return f"{rounds} kills of `convert`", f"{faults} outputs that are neither the old nor the new one"


def kills_of_collections(folder: Path, rounds: int) -> tuple[str, str]:
    files = folder / "files"
    files.mkdir()
    for number in range(40):
        (files / f"{number}.jsonld").write_bytes(benchmark(number, 5))
    longest = seconds_of("store", "add", folder / "whole", files, "-q")
    faults = 0
    for number in range(rounds):
        place = folder / f"collection-{number % 5}"
        killed(command("store", "add", place, files, "-q"), longest)
        done = run("store", "add", place, files, "-q")
        listed = run("store", "list", place, "--json")
        faults += done.returncode != 0 or len(json.loads(listed.stdout)) != 40
    return f"{rounds} kills of `store add`", f"{faults} collections that the next run did not complete"


def kills_of_agents(folder: Path, rounds: int) -> tuple[str, str]:
    place, saved, lost = folder / "agents", 0, 0
    for number in range(rounds):
        arguments = [sys.executable, "-c", SAVING, str(place), str(number), "100000"]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, encoding="utf-8")
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(random.uniform(0, 0.3))
        process.kill()
        saved += len([line for line in process.stdout.read().split("\n")[:-1] if line])
        process.wait()
    manager = CheckpointManager(place)
    kept = [header.id for header in manager.list()]
    lost = max(0, saved - len(kept))
    damaged = sum(1 for one in kept if not manager.get(one).id)
    manager.close()
    return f"{rounds} kills of an agent that saves", f"of {saved} saves {lost} lost, {damaged} damaged"


def writers(folder: Path) -> tuple[str, str]:
    place, each = folder / "shared", 50
    started = time.monotonic()
    arguments = [[sys.executable, "-c", SAVING, str(place), str(one), str(each)] for one in range(8)]
    processes = [subprocess.Popen(one, stdout=subprocess.DEVNULL) for one in arguments]
    failed = sum(process.wait() != 0 for process in processes)
    took = time.monotonic() - started
    manager = CheckpointManager(place, f"{place}.db")
    kept, faults = len(manager.list()), len(manager.verify())
    manager.close()
    outcome = f"{kept} of {8 * each} checkpoints, {failed} failures, {faults} findings of `verify`, in {took:.0f} s"
    return f"8 processes save {each} checkpoints each into one folder and its database", outcome


def clients(folder: Path) -> tuple[str, str]:
    file = folder / "served.jsonld"
    file.write_bytes(benchmark(1, 200))
    server = subprocess.Popen(
        command("serve", file, "--port", 0), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    times: list[float] = []
    errors: list[str] = []

    def ask() -> None:
        address = f"{url.rstrip('/')}/sparql?{urllib.parse.urlencode({'query': QUERY})}"
        for _ in range(20):
            started = time.monotonic()
            try:
                with urllib.request.urlopen(address, timeout=60) as answer:
                    answer.read()
            except OSError as error:
                errors.append(str(error))
            times.append(time.monotonic() - started)

    threads = [threading.Thread(target=ask) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.terminate()
    server.wait()
    slowest = statistics.quantiles(times, n=20)[-1]
    outcome = f"{len(errors)} errors; {statistics.median(times):.2f} s in the middle, {slowest:.2f} s at 95 %"
    return f"50 clients send 20 queries each to `serve`, {len(times)} in all", outcome


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    print("| what | after it |\n| --- | --- |")
    jobs: list[Any] = [kills_of_conversions, kills_of_collections, kills_of_agents]
    with tempfile.TemporaryDirectory() as made:
        for number, job in enumerate([*jobs, writers, clients]):
            folder = Path(made, str(number))
            folder.mkdir()
            what, outcome = job(folder, rounds) if job in jobs else job(folder)
            print(f"| {what} | {outcome} |", flush=True)


if __name__ == "__main__":
    main()
