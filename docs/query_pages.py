"""The generated parts of queries.md: `python docs/query_pages.py` writes them.

The named queries are from the catalogue, the table of engines from engine_differences.toml.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld.sparql import queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.sparql.queries import NamedQuery

PAGE = Path(__file__).with_name("queries.md")

DIFFERENCES = PAGE.with_name("engine_differences.toml")
_TABLE = re.compile(r"(?P<head><!-- engines -->\n).*?(?P<tail><!-- end of engines -->\n)", re.DOTALL)
_LIST = re.compile(r"(?P<head><!-- queries -->\n).*?(?P<tail><!-- end -->\n)", re.DOTALL)


def with_list(page: str) -> str:
    """Return the text of the page with its list written anew."""
    sections = "\n".join(line for query in queries.catalogue().values() for line in _section(query))
    page = _TABLE.sub(lambda found: f"{found['head']}\n{_differences()}\n{found['tail']}", page)
    return _LIST.sub(lambda found: f"{found['head']}\n{sections}\n{found['tail']}", page)


def _differences() -> str:
    rows = ["| query | SPARQL 1.1 | Oxigraph | rdflib |", "|---|---|---|---|"]
    for case in tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))["queries"]:
        engines = (_outcome(case[engine], case.get("right")) for engine in ("oxigraph", "rdflib"))
        query = case["query"].replace("|", "\\|")
        rows.append(f"| {case['what']}: `{query}` | {case['sparql']} | {' | '.join(engines)} |")
    return "".join(f"{row}\n" for row in rows)


def _outcome(found: list[str] | str, right: list[str] | None) -> str:
    if found == right:
        return "right"
    if isinstance(found, str):
        return found
    return ", ".join(f"`{term}`" if term else "no value" for term in found) or "no row"


def _section(query: NamedQuery) -> Iterator[str]:
    yield f"### {query.name}\n"
    yield f"*{query.title}.* {query.description}"
    if query.needs_derived:
        yield "It looks at [inferred statements](graph.md#inferred-statements), which are added for it."
    if query.parameters:
        kinds = ((one, f"{one.kind}{'' if one.is_required else ', optional'}") for one in query.parameters.values())
        yield f"\nParameters: {'; '.join(f'`{one.name}` ({kind}), {one.words}' for one, kind in kinds)}."
    yield f"\nColumns: {'; '.join(_column(*column) for column in query.columns.items())}.\n"
    if query.example:
        yield f"Example: `--name {query.name} {query.example}`\n"


def _column(name: str, words: str) -> str:
    """Return what a column holds, unless its name says it."""
    return f"`{name}`" if words in {f"the {name}", f"its {name}"} else f"`{name}`, {words}"


if __name__ == "__main__":
    PAGE.write_text(with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
