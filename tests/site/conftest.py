import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.documents import Json, canonical, item

pytest.importorskip("jinja2", reason="jinja2 is not installed: make .venv/.integrations-group")
pytest.importorskip("pygments", reason="Pygments is not installed: make .venv/.integrations-group")

NAME = "karenina-checkpoint-1767225600.5"
"""Where the pages of the benchmark in `tests.documents` are."""


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., Path]:
    """Write a document to a file, and return where."""

    def store(name: str, tree: Json) -> Path:
        (tmp_path / name).write_text(json.dumps(tree), encoding="utf-8")
        return tmp_path / name

    return store


def questions(count: int) -> list[Json]:
    """Return feed items with keywords that alternate; every third question is not finished."""
    made = []
    for number in range(count):
        one = item(f"Which number follows {number}?", f"urn:uuid:question-{number}")
        one["item"]["keywords"] = ["even" if number % 2 == 0 else "odd", "Zürich"][: 1 + (number == 3)]
        one["item"]["additionalProperty"][0]["value"] = number % 3 != 0
        one["item"]["rating"] = one["item"]["rating"] if number % 5 == 0 else []
        one["item"]["acceptedAnswer"]["text"] = str(number + 1)
        made.append(one)
    return made


def benchmark(count: int = 5, **members: Json) -> Json:
    """Return a benchmark of that many questions."""
    return {**canonical(*questions(count)), **members}


def described(page: Path) -> Any:
    """Return what a page says about itself as JSON-LD."""
    text = page.read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


class Links(HTMLParser):
    """The addresses that a page leads to or loads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))
        self.local = {one for one in self.found if "://" not in one and not one.startswith("#")}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - HTMLParser's signature
        self.found |= {value for name, value in attrs if name in ("href", "src") and value}
