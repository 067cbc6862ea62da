"""The list in shapes.md of what only Python can decide: `python docs/shapes_page.py` writes it from the shapes."""

from __future__ import annotations

import re
from pathlib import Path

from checkpoint_ld import rules
from checkpoint_ld.validation import profiles

PAGE = Path(__file__).with_name("shapes.md")

_LIST = re.compile(r"(?P<head><!-- only Python -->\n).*?(?P<tail><!-- end -->\n)", re.DOTALL)


def with_list(page: str) -> str:
    """Return the text of the page with its list written anew."""
    reasons = {str(shape): reason for shape, reason in profiles.reasons().items()}
    told = [rule for rule in rules.catalogue().values() if rule.shape in reasons]
    rows = "\n".join(f"| [{one.code}](rules/{one.code}.md) | {one.title} | {reasons[one.shape]} |" for one in told)
    table = f"| rule | what is wrong | what it takes |\n|---|---|---|\n{rows}\n"
    return _LIST.sub(lambda found: f"{found['head']}\n{table}\n{found['tail']}", page)


if __name__ == "__main__":
    PAGE.write_text(with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
