"""The list of named queries in queries.md: `python docs/query_pages.py` writes it from the catalogue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld.sparql import queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.sparql.queries import NamedQuery

PAGE = Path(__file__).with_name("queries.md")

_LIST = re.compile(r"(?P<head><!-- queries -->\n).*?(?P<tail><!-- end -->\n)", re.DOTALL)


def with_list(page: str) -> str:
    """Return the text of the page with its list written anew."""
    sections = "\n".join(line for query in queries.catalogue().values() for line in _section(query))
    return _LIST.sub(lambda found: f"{found['head']}\n{sections}\n{found['tail']}", page)


def _section(query: NamedQuery) -> Iterator[str]:
    yield f"### {query.name}\n"
    yield f"*{query.title}.* {query.description}"
    if query.needs_derived:
        yield "It looks at [inferred statements](graph.md#inferred-statements), which are added for it."
    if query.parameters:
        yield "\nParameters:\n"
        for one in query.parameters.values():
            yield f"- `{one.name}` ({one.kind}{'' if one.is_required else ', optional'}): {one.words}"
    yield "\nColumns:\n"
    yield from (f"- `{name}`: {words}" for name, words in query.columns.items())
    yield f"\n`--name {query.name} {query.example}".rstrip() + "`\n"


if __name__ == "__main__":
    PAGE.write_text(with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
