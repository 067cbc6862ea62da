"""Files to put into collections."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from checkpoint_ld.stores.collection import Collection
from tests.documents import Json, canonical, item

Write = Callable[..., Path]


def checkpoint(number: int = 1, *texts: str) -> Json:
    """Return a small checkpoint of its own name."""
    questions = [item(text, f"urn:uuid:question-{number}-{at}") for at, text in enumerate(texts or ("What is it?",))]
    named = {"@id": f"urn:uuid:karenina-checkpoint-{number}.5", "name": f"Benchmark {number}"}
    return {**canonical(*questions), **named}


def iri(number: int = 1) -> str:
    return f"urn:uuid:karenina-checkpoint-{number}.5"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a document to a file in the folder `files`."""

    def written(name: str, document: Json) -> Path:
        file = tmp_path / "files" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document if isinstance(document, str) else json.dumps(document, indent=2), encoding="utf-8")
        return file

    return written


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a collection may be made."""
    return tmp_path / "collection"


@pytest.fixture
def collection(store: Path) -> Iterator[Collection]:
    """Return a collection that was just made."""
    with Collection.open(store) as opened:
        yield opened
