"""The command `rules`: what is checked, and everything about one rule."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from checkpoint_ld.cli import streams
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from checkpoint_ld.rules import Rule

_LEFT_OPEN = re.compile(r"\{[?$]\w+\}")
"""What stands in the words of a rule for what each finding says in its place."""


class Syntax(StrEnum):
    """What shapes can be written as, by the names that rdflib has for them."""

    TURTLE = "turtle"
    N_TRIPLES = "nt"


_STYLES = {Severity.VIOLATION: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}


def rules(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RULE]...", help="Codes, beginnings of codes, slugs or conditions; all rules without."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array of objects.")] = False,
    profile: Annotated[
        str | None, typer.Option("--profile", help="The rules of this profile, with the severities that it gives.")
    ] = None,
    to: Annotated[
        Syntax | None,
        typer.Option("--to", help="Write all rules of a profile as SHACL shapes, with the rules of inference."),
    ] = None,
    python: Annotated[
        bool,
        typer.Option(
            "--python",
            help="With --to: the shapes as checkpoint-ld applies them, whose components call functions of Python. "
            "Without it, what only Python tells is looked up in what convert --inferred writes.",
        ),
    ] = False,
    out: Annotated[str, typer.Option("-o", "--out", help="With --to: the file to write; - for standard output.")] = "-",
    force: streams.Force = False,
) -> None:
    """List the rules, or explain some: what they ask for, why, and what to do; for one of them also examples."""
    if to is not None:
        _write(to, profile, out, python=python, force=force, chosen=names or as_json)
        return
    if python or out != streams.STANDARD:
        raise SettingsError("--python and --out are about --to: name the syntax, such as --to turtle")
    from checkpoint_ld.selection import codes_of

    known = _rules_of(profile)
    wanted = codes_of(names or (), known)
    chosen = [rule for code, rule in sorted(known.items()) if not names or code in wanted]
    if as_json:
        data = orjson.dumps([_as_json(rule) for rule in chosen], option=orjson.OPT_INDENT_2)
        streams.out().write(data + b"\n")
        return
    console = streams.console(highlight=False)
    for line in _explained(chosen) if names else _listed(chosen):
        console.print(line, soft_wrap=True)


def _write(  # noqa: PLR0913 - the options of the command
    to: Syntax, profile: str | None, out: str, *, python: bool, force: bool, chosen: object
) -> None:
    """Write the shapes of a profile as a file."""
    if chosen:
        raise SettingsError("--to writes all rules of a profile: leave the names of rules and --json out")
    from checkpoint_ld.profiles import DEFAULT
    from checkpoint_ld.published import shapes_graph

    streams.check_outputs([], out, force=force)
    graph = shapes_graph(profile=profile or DEFAULT, python=python)
    streams.write(out, graph.serialize(format=to.value, encoding="utf-8"), force=force)


def _rules_of(profile: str | None) -> Mapping[str, Rule]:
    if profile is None:
        from checkpoint_ld.rules import catalogue

        return catalogue()
    from checkpoint_ld import profiles

    found: Mapping[str, Rule] = profiles.profile(profile, ()).rules
    return found


def _as_json(rule: Rule) -> dict[str, Any]:
    from checkpoint_ld.examples import example

    found = example(rule.code)
    shown = {"good": found.good, "bad": found.bad} if found else {}
    return {**rule._asdict(), "severity": rule.severity.name.lower(), **shown}


def _listed(rules: list[Rule]) -> Iterator[Text]:
    """Yield a line for each rule, which `grep` and people can use alike."""
    from rich.text import Text

    codes, slugs = (max((len(one) for one in column), default=0) for column in _columns(rules))
    for rule in rules:
        severity = (f"{rule.severity.name.lower():<9}", _STYLES[rule.severity])
        yield Text.assemble(f"{rule.code:<{codes}}  ", severity, f"  {rule.slug:<{slugs}}  {rule.title}")


def _columns(rules: list[Rule]) -> tuple[list[str], list[str]]:
    return [rule.code for rule in rules], [rule.slug for rule in rules]


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

    from checkpoint_ld.examples import example

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
