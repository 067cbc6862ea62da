"""The pages about rules: `python docs/rule_pages.py` writes rules.md; the page of each rule is made with the site."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld import dialects, rules
from checkpoint_ld.rules import Example, example
from checkpoint_ld.validation import profiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.structure.files import Files

    from checkpoint_ld.rules import Rule

INDEX_HEAD = """\
# Rules

Each rule has a code that never changes its meaning. Reading a file applies the rules that decide whether it can be
understood; [`checkpoint-ld validate`](validate.md) applies them all. A *violation* is what Karenina refuses or what has
no meaning, a *warning* is a problem for other programs, an *info* deserves attention. Some
[profiles](validate.md#profiles) give some rules other severities; the page of each rule says so. Codes that begin with
K are about benchmarks, those that begin with A about [agent checkpoints](agent-checkpoints.md), which have
[profiles of their own](validate.md#agent-checkpoints).

The shapes are in the folder `shapes/`. This page is made by `python docs/rule_pages.py` from them.
"""

CONDITIONS_HEAD = """\
## Conditions

The description of the format has names for what can be wrong: `E-…` where a document is refused when it is read, `W-…`
where it is read with a warning. These are the rules behind each name.

| condition | rules |
|---|---|
"""


def index() -> str:
    """Return the page that lists all rules and all conditions."""
    return "\n".join((INDEX_HEAD, *_families(), CONDITIONS_HEAD + "\n".join(_conditions()), ""))


def page(rule: Rule) -> str:
    """Return the page of one rule."""
    told = example(rule.code)
    parts = [
        f"# {rule.code} {rule.slug}",
        f"{rule.title[:1].upper()}{rule.title[1:]}.",
        _table(rule),
        f"## Why it matters\n\n{rule.why}",
        *(_examples(told) if told is not None else ()),
        f"## What to do\n\n{rule.remedy[:1].upper()}{rule.remedy[1:]}.",
        *(("## Dialects", _dialects()) if rule.slug == "no-checkpoint" else ()),
    ]
    return "\n\n".join(parts) + "\n"


def on_files(files: Files, config: Any) -> Files:
    """Add the page of each rule to the site (a hook of mkdocs)."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - mkdocs is there when it calls this

    for rule in rules.catalogue().values():
        files.append(File.generated(config, f"rules/{rule.code}.md", content=page(rule)))
    return files


_ROW = re.compile(r'<a id="(?P<code>[A-Z]+\d+)"></a>(?P=code)(?= \|)')
_REFERENCE = re.compile(r"\]\((?:rules\.md)?#(?P<code>[A-Z]+\d+)\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Link rules to their pages, which only the site has (a hook of mkdocs); elsewhere they are rows of rules.md."""
    return _ROW.sub(r"[\g<code>](rules/\g<code>.md)", _REFERENCE.sub(r"](rules/\g<code>.md)", markdown))


def _families() -> Iterator[str]:
    by_family: dict[str, list[Rule]] = defaultdict(list)
    benchmarks_first = sorted(rules.catalogue().values(), key=_is_of_agents)
    for rule in benchmarks_first:
        by_family[rule.family].append(rule)
    for family, members in by_family.items():
        rows = (
            f'| <a id="{rule.code}"></a>{rule.code} | {rule.slug} | {rule.severity.label} | {_cell(rule.title)} |'
            for rule in members
        )
        yield "\n".join((f"## {family}", "", "| code | rule | severity | what |", "|---|---|---|---|", *rows, ""))


def _conditions() -> Iterator[str]:
    by_condition: dict[str, list[str]] = defaultdict(list)
    for rule in rules.catalogue().values():
        if rule.condition:
            by_condition[rule.condition].append(_link(rule))
    for condition, codes in sorted(by_condition.items()):
        yield f'| <a id="{condition}"></a>`{condition}` | {", ".join(codes)} |'


def _table(rule: Rule) -> str:
    weights = []
    for name in (*profiles.names(), *profiles.names(profiles.AGENT)):
        found = profiles.profile(name).rule(rule.slug)
        if found is None and _is_of_agents(rule) is not (profiles.profile(name).family == profiles.AGENT):
            continue
        weights.append(f"| profile `{name}` | {found.severity.label if found else 'not applied'} |")
    condition = [f"| condition | `{rule.condition}` |"] if rule.condition else []
    link = [f"| more about it | [{Path(rule.see).stem}](../{rule.see}) |"] if rule.see else []
    since = f"| since | {rules.since(rule.code)} |"
    return "\n".join((f"| about | {rule.family.lower()} |", "|---|---|", since, *weights, *condition, *link))


def _dialects() -> str:
    rows = (f"| `{one.name}` | {_cell(one.signs)} |" for one in dialects.DIALECTS)
    return "\n".join(("| dialect | signs |", "|---|---|", *rows))


def _examples(told: Example) -> Iterator[str]:
    language = {".ttl": "turtle", ".json": "json", ".jsonld": "json"}.get(Path(told.file).suffix, "")
    yield f"## Bad\n\n{_fenced(told.bad, language)}"
    if told.pointer:
        yield f"The finding points to `{told.pointer}`."
    yield f"## Good\n\n{_fenced(told.good, language)}"


def _fenced(text: str, language: str) -> str:
    return f"~~~~{language}\n{text}\n~~~~"


def _is_of_agents(rule: Rule) -> bool:
    return rule.code.startswith("A")


def _link(rule: Rule) -> str:
    return f"[{rule.code}](#{rule.code})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    Path(__file__).with_name("rules.md").write_text(index(), encoding="utf-8")
