"""`python docs/notebook_example.py`: execute docs/examples/metals.ipynb where it is, so that it holds what it shows."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent / "examples"
NOTEBOOK = EXAMPLES / "metals.ipynb"


def executed(notebook: Path = NOTEBOOK) -> str:
    """Return the text of a notebook after executing it beside copies of the examples.

    Raises nbclient.exceptions.CellExecutionError for a cell that raises.
    """
    held: Any = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
        NotebookClient(held, timeout=120, resources={"metadata": {"path": folder}}).execute()
    for cell in held.cells:
        cell.metadata.clear()
    held.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    # Every run has its own identifiers.
    text = re.sub(r"exec_[0-9a-f]{32}", f"exec_{'0' * 32}", nbformat.writes(held))
    return text + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(executed(), encoding="utf-8")
