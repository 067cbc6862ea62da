"""Cards: the view of an object in a notebook, as HTML that is readable in light and dark and needs nothing else.

Everything from a document is escaped. There is no script, and nothing is fetched. Long texts and long tables are
folded. Since notebooks are shared, values that look like secrets are withheld.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from checkpoint_ld.phrases import encodable, harmless
from checkpoint_ld.secrets import WITHHELD, secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_SHORT, _LONGEST = 160, 20_000
"""The length from which on a text is folded, and the most characters that are shown."""
NOTHING = "\N{EN DASH}"
"""What a cell shows that has no value."""
_OPEN, _MOST = 10, 200
"""The numbers of rows of a table that are shown at once, and when it is unfolded."""
_STYLE = (
    ".ckld{font:13px/1.45 system-ui,sans-serif;max-width:72em;overflow-wrap:break-word}"
    ".ckld b.name{font-size:1.1em}.ckld .quiet{opacity:.7}"
    "{0} table{table-layout:auto;width:auto;border:0;border-collapse:collapse;margin:.4em 0;font:inherit;color:inherit}"
    "{0} caption{caption-side:top;padding:0;text-align:left;font-weight:600;color:inherit}"
    "{0} tr,{0} tr:nth-child(n),{0} tr:hover{background:none}"
    "{0} th,{0} td{vertical-align:top;line-height:inherit;padding:.15em .8em .15em 0;border:0;"
    "border-top:1px solid color-mix(in srgb,currentColor 25%,transparent)}"
    "{0} table.facts td{overflow-wrap:anywhere}"
    "{0} table.facts th,{0} table.facts td{border:0}{0} table.facts th{font-weight:400;opacity:.7}"
    "{0} pre{margin:.2em 0;white-space:pre-wrap;font-size:12px;background:none}{0} summary{cursor:pointer}"
).replace("{0}", ".ckld.ckld.ckld")
"""How cards look. Colours are the notebook's own, whatever its theme.

Its class stands three times, so that these rules win over those of JupyterLab, VS Code and Bootstrap.
"""
_CELL = ' style="text-align:left;max-width:24em"'
_FACT = ' style="text-align:left;max-width:none"'
_KEY = ' style="text-align:left;white-space:nowrap"'
_TABLE = '<table data-quarto-disable-processing="true"'
"""What has to hold where a notebook is not trusted: JupyterLab then drops style sheets, and keeps these attributes."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of values under their columns; `total` is their number, where it is known without making them."""

    caption: str
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """The view of an object: its kind, its name, a line about it, facts by name, tables.

    Facts without a value are left out.
    """

    kind: str
    name: object = ""
    line: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    tables: Sequence[Rows] = ()
    picture: str = ""

    def html(self) -> str:
        """Return the card as HTML; `picture`, an SVG of ours, stands in it as it is."""
        return encodable("".join(self._html()))

    def _html(self) -> Iterator[str]:
        yield f'<div class="ckld" style="overflow-x:auto"><style>{_STYLE}</style>'
        yield f'<div><b class="name">{_escaped(self.name)}</b> <span class="quiet">{_escaped(self.kind)}</span></div>'
        if self.line:
            yield f"<div>{_escaped(self.line)}</div>"
        facts = {name: value for name, value in self.facts.items() if value not in (None, "", [], (), {})}
        if facts:
            yield f'{_TABLE} class="facts">'
            for name, value in facts.items():
                yield f"<tr><th{_KEY}>{_escaped(name)}</th><td{_FACT}>{_value(value)}</td></tr>"
            yield "</table>"
        yield self.picture
        for table in self.tables:
            yield from _table(table)
        yield "</div>"


class Shown:
    """An object that notebooks show as a card."""

    __slots__ = ()

    def _card(self) -> Card:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self._card().html()


def _table(table: Rows) -> Iterator[str]:
    every = iter(table.rows)
    rows = [f"<tr>{''.join(f'<td{_CELL}>{_value(cell)}</td>' for cell in row)}</tr>" for row in islice(every, _MOST)]
    if not rows:
        return
    head = f"<caption{_KEY}>{_escaped(table.caption)}</caption>" if table.caption else ""
    head += f"<tr>{''.join(f'<th{_CELL}>{_escaped(column)}</th>' for column in table.columns)}</tr>"
    yield f"{_TABLE}>{head}{''.join(rows[:_OPEN])}</table>"
    total = table.total or len(rows) + sum(1 for _ in every)
    if len(rows) > _OPEN:
        more = f"{len(rows) - _OPEN} more" + (f" of {total - _OPEN}" if total > len(rows) else "")
        yield f"<details><summary>{more}</summary>{_TABLE}>{''.join(rows[_OPEN:])}</table></details>"
    elif total > len(rows):
        yield f'<div class="quiet">… and {total - len(rows)} more</div>'


def _value(value: object) -> str:
    """Return a value as HTML: a text of several lines or of many characters is folded, a secret is withheld."""
    if isinstance(value, str | dict | list) and secret(value) is not None:
        return f"<em>{WITHHELD}</em>"
    line = ""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            text = value
        case list() | tuple() | set() | frozenset() if all(isinstance(item, str) for item in value):
            text = ", ".join(value)
        case dict() | list():
            text = line = json.dumps(value, ensure_ascii=False, default=str)
            if len(line) > _SHORT:
                text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
        case _:
            text = str(value)
    if len(text) <= _SHORT and "\n" not in text:
        return _escaped(text)
    first = (line or text.strip().partition("\n")[0])[: _SHORT // 2]
    rest = f"\n… {len(text) - _LONGEST} more characters" if len(text) > _LONGEST else ""
    lines = "\n".join(_escaped(line) for line in text[:_LONGEST].splitlines())
    return f"<details><summary>{_escaped(first)} …</summary><pre>{lines}{rest}</pre></details>"


def _escaped(value: object) -> str:
    text = str(value)
    return escape(harmless(text if secret(text) is None else WITHHELD))
