"""Fixtures that every test may use."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
import rdflib
from hypothesis import HealthCheck, settings

from checkpoint_ld.workers import patterns
from tests.trials import ALL, CI, examples

# The tests start hundreds of processes, which would each compile the package anew; pytest keeps what it compiles, too.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Stores see to it that what they write is on the disk: in memory their tests take two thirds of the time.
MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
    shared = os.statvfs(MEMORY)
    if shared.f_bavail * shared.f_frsize > 4 * 2**30 and not shared.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None

# A shared machine is slow at times, which is no fault of a test. New examples are tried where everything is, but not in
# CI, where a change is not refused for a fault that it does not make.
settings.register_profile(
    "ours",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=examples(100),
    derandomize=not ALL or CI,
)
settings.load_profile("ours")

REPOSITORY = Path(__file__).resolve().parents[1]


def corpus_folder() -> Path:
    """Return where the corpus of real documents is expected; the folder may be absent."""
    return (REPOSITORY / os.environ.get("CHECKPOINT_LD_CORPUS", "../shared/corpus")).resolve()


@pytest.fixture(scope="session")
def corpus() -> Path:
    folder = corpus_folder()
    if not folder.is_dir():
        pytest.skip(f"no corpus of real documents at {folder}: set CHECKPOINT_LD_CORPUS to its folder to run this test")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give clients of HTTP one certificate to read: 150 take 40 ms each time, and the tests speak to loopback alone."""
    end = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    file.write_text(certifi.contents().partition(end)[0] + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certifi, "where", lambda: str(file))
        yield


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time limit of a pattern, once there is a process that matches it."""
    assert patterns.occurs("(a+)+$", "a")
    monkeypatch.setattr(patterns, "TIME_LIMIT", 0.2)


@pytest.fixture(autouse=True)
def _lexical_forms() -> Iterator[None]:
    """Keep rdflib's parsers from rewriting literals, so that texts can be compared."""
    kept, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    yield
    rdflib.NORMALIZE_LITERALS = kept
