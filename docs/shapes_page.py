"""The generated parts of shapes.md: `python docs/shapes_page.py` writes them.

What only Python can decide is from the shapes, the table of engines from shacl_differences.toml.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from checkpoint_ld import rules
from checkpoint_ld.validation import profiles

PAGE = Path(__file__).with_name("shapes.md")
DIFFERENCES = PAGE.with_name("shacl_differences.toml")
PREFIXES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""
"""What the data and the shapes of each case begin with."""

_TABLE = re.compile(r"(?P<head><!-- engines -->\n).*?(?P<tail><!-- end of engines -->\n)", re.DOTALL)
_LIST = re.compile(r"(?P<head><!-- only Python -->\n).*?(?P<tail><!-- end -->\n)", re.DOTALL)


def with_list(page: str) -> str:
    """Return the text of the page with its list written anew."""
    reasons = {str(shape): reason for shape, reason in profiles.reasons().items()}
    told = [rule for rule in rules.catalogue().values() if rule.shape in reasons]
    rows = "\n".join(f"| [{one.code}](rules.md#{one.code}) | {one.title} | {reasons[one.shape]} |" for one in told)
    table = f"| rule | what is wrong | what it takes |\n|---|---|---|\n{rows}\n"
    page = _TABLE.sub(lambda found: f"{found['head']}\n{_differences()}\n{found['tail']}", page)
    return _LIST.sub(lambda found: f"{found['head']}\n{table}\n{found['tail']}", page)


def _differences() -> str:
    """Return the table of the cases in which an engine finds something else than the clause requires."""
    held = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))
    engines = {"checkpoint-ld": "", **held["versions"]}
    names = " | ".join(f"{name} {version}".strip() for name, version in engines.items())
    rows = [f"| case | the Recommendation | {names} |", f"|---|---|{'---|' * len(engines)}"]
    for case in held["cases"]:
        outcomes = [_outcome(case["found"][name], case["right"]) for name in engines]
        if set(outcomes) != {"yes"}:
            rows.append(f"| {case['what']} | {case['clause']} | {' | '.join(outcomes)} |")
    return "".join(f"{row}\n" for row in rows)


def _outcome(found: int | str, right: int | str) -> str:
    if found == right:
        return "yes"
    return "error" if found == "error" else "no error" if right == "error" else f"{found} of {right}"


if __name__ == "__main__":
    PAGE.write_text(with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
