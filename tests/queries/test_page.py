"""The page about queries lists those that there are."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_list_of_named_queries_is_what_the_catalogue_says() -> None:
    page = (DOCS / "queries.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(DOCS / "query_pages.py"))["with_list"](page), "run python docs/query_pages.py"
