"""The notebook in docs/examples runs, and holds what it shows."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOK = DOCS / "examples" / "metals.ipynb"


def cards(text: str) -> list[str]:
    """Return what the cells show as HTML."""
    cells = [one for one in json.loads(text)["cells"] if one["cell_type"] == "code"]
    shown: list[Any] = [output["data"]["text/html"] for one in cells for output in one["outputs"]]
    assert len(shown) == len(cells)
    return ["".join(one) for one in shown]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Jupyter's own, about its sockets
def test_the_notebook_holds_what_it_shows() -> None:
    for name in ("nbclient", "ipykernel"):
        pytest.importorskip(name, reason=f"the notebook needs {name}: make .venv/.integrations-group")
    executed = runpy.run_path(str(DOCS / "notebook_example.py"))["executed"]
    assert cards(executed()) == cards(NOTEBOOK.read_text(encoding="utf-8"))
