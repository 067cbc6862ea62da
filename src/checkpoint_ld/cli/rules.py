"""The commands `rules` and `schema`: what is checked, one rule in full, and JSON Schemas for other programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import Command, argument, as_json, choice, flag, output
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.rules import Rule

_LEFT_OPEN = re.compile(r"\{[?$]\w+\}")
"""What stands in the words of a rule for what each finding says in its place."""


_STYLES = {Severity.VIOLATION: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}


@click.command(cls=Command)
@argument("names", "[RULE]...", "Codes, beginnings of codes, slugs or conditions; all rules without.", nargs=-1)
@as_json
@click.option("--profile", help="The rules of this profile, with the severities that it gives.")
@choice(
    "--to", values=("turtle", "nt"), help="Write all rules of a profile as SHACL shapes, with the rules of inference."
)
@flag(
    "--python",
    help="With --to: the shapes as checkpoint-ld applies them, whose components call functions of Python. "
    "Without it, what only Python tells is looked up in what convert --inferred writes.",
)
@output("With --to: the file to write; - for standard output.")
def rules(
    *, names: tuple[str, ...], as_json: bool, profile: str | None, to: str | None, python: bool, output: Output
) -> None:
    """List the rules, or explain some: what they ask for, why, and what to do; for one of them also examples."""
    if to is not None:
        _write(to, profile, output, python=python, chosen=names or as_json)
        return
    if python or not output.is_standard:
        raise SettingsError("--python and --output are about --to: name the syntax, such as --to turtle")
    from checkpoint_ld.validation.selection import codes_of

    known = _rules_of(profile)
    wanted = codes_of(names, known)
    chosen = [rule for code, rule in sorted(known.items()) if not names or code in wanted]
    if as_json:
        streams.show_json([_as_json(rule) for rule in chosen])
        return
    console = streams.console(highlight=False)
    for line in _explained(chosen) if names else _listed(chosen):
        console.print(line, soft_wrap=True)


def _write(to: str, profile: str | None, output: Output, *, python: bool, chosen: object) -> None:
    if chosen:
        raise SettingsError("--to writes all rules of a profile: leave the names of rules and --json out")
    from checkpoint_ld.validation.profiles import DEFAULT, shapes_graph

    output.check()
    graph = shapes_graph(profile=profile or DEFAULT, python=python)
    output.write(graph.serialize(format=to, encoding="utf-8"))


def _rules_of(profile: str | None) -> Mapping[str, Rule]:
    if profile is None:
        from checkpoint_ld.rules import catalogue

        return catalogue()
    from checkpoint_ld.validation import profiles

    found: Mapping[str, Rule] = profiles.profile(profile, ()).rules
    return found


def _as_json(rule: Rule) -> dict[str, Any]:
    from checkpoint_ld.rules import example

    found = example(rule.code)
    shown = {"good": found.good, "bad": found.bad} if found else {}
    return {**rule._asdict(), "severity": rule.severity.name.lower(), **shown}


def _listed(rules: list[Rule]) -> Iterator[Text]:
    """Yield a line for each rule, which `grep` and people can use alike."""
    from rich.text import Text

    codes = max((len(rule.code) for rule in rules), default=0)
    slugs = max((len(rule.slug) for rule in rules), default=0)
    for rule in rules:
        severity = (f"{rule.severity.name.lower():<9}", _STYLES[rule.severity])
        yield Text.assemble(f"{rule.code:<{codes}}  ", severity, f"  {rule.slug:<{slugs}}  {rule.title}")


def _explained(rules: list[Rule]) -> Iterator[Text]:
    from rich.text import Text

    for at, rule in enumerate(rules):
        if at:
            yield Text("")
        severity = (rule.severity.name.lower(), _STYLES[rule.severity])
        yield Text.assemble((f"{rule.code} {rule.slug}", "bold"), ": ", severity, f": {rule.title}")
        for label, said in _details(rule):
            if said:
                yield Text.assemble("  ", (f"{label:<10}", "bold"), " ".join(said.split()))
    if len(rules) == 1:
        yield from _by_example(rules[0])


def _by_example(rule: Rule) -> Iterator[Text]:
    from rich.text import Text

    from checkpoint_ld.rules import example

    found = example(rule.code)
    for label, style, text in (("bad", "red", found.bad), ("good", "green", found.good)) if found else ():
        yield Text.assemble("\n  ", (label, f"bold {style}"))
        yield Text("\n".join(f"    {line}" for line in text.splitlines()))


def _details(rule: Rule) -> Iterator[tuple[str, str]]:
    yield "about", rule.family
    yield "why", rule.why
    yield "message", _LEFT_OPEN.sub("…", rule.message)
    yield "remedy", _LEFT_OPEN.sub("…", rule.remedy)
    yield "condition", rule.condition
    yield "see", rule.see
    if rule.slug == "no-checkpoint":
        from checkpoint_ld.dialects import DIALECTS

        yield from (("dialect", f"{one.name}: {one.signs}") for one in DIALECTS)


@click.command(cls=Command)
@argument("name", "[NAME]", "checkpoint, or an entity such as question; without it, all are listed.", required=False)
@flag("--list", "list_all", help="List the names of all schemas.")
@output()
def schema(name: str | None, list_all: bool, output: Output) -> None:
    """Print the JSON Schema of the checkpoint document, or of an entity."""
    from checkpoint_ld.documents.text import dump_json
    from checkpoint_ld.entities import json_schemas

    if name is None or list_all:
        for known, summary in json_schemas.summaries().items():
            streams.show(f"{known:<24}  {summary}")
    else:
        output.write(dump_json(json_schemas.json_schema(name)) + b"\n")
