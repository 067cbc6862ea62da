"""Ask a checkpoint a question in SPARQL: `python query.py FILE QUERY.rq`."""

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

import checkpoint_ld

benchmark = checkpoint_ld.load(sys.argv[1])
answers = benchmark.graph.query(Path(sys.argv[2]).read_text(encoding="utf-8"))
table = Table(*map(str, answers.vars or ()))
for row in answers:
    table.add_row(*(str(value).replace("urn:karenina:vocab:", "karenina:") for value in row))
Console().print(table)
