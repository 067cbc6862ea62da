"""The commands `rules`, `schema`, `vocabulary`, `lsp` and `completion`: what is known, and help for editors."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from checkpoint_ld.cli import PROGRAM, VARIABLE, options, streams
from checkpoint_ld.cli.options import Command
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.text import Text

    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.rules import Rule

_LEFT_OPEN = re.compile(r"\{[?$]\w+\}")
"""The placeholders in the words of a rule, for values of a finding."""
_STYLES = {Severity.VIOLATION: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}


@click.command(cls=Command)
def rules(
    *,
    names: tuple[str, ...] = options.argument(
        "[RULE]...", "Codes, beginnings of codes, slugs or conditions; all rules without.", nargs=-1
    ),
    as_json: bool = options.JSON,
    profile: str | None = options.value(
        "--profile", help="The rules of this profile, with the severities that it gives."
    ),
    to: str | None = options.choice(
        "--to",
        values=("turtle", "nt"),
        help="Write all rules of a profile as SHACL shapes, with the rules of inference.",
    ),
    python: bool = options.flag(
        "--python",
        help="With --to: the shapes as checkpoint-ld applies them, whose components call functions of Python. "
        "Without it, rules that only Python can decide look at what convert --inferred writes.",
    ),
    shapes: tuple[str, ...] = options.file(
        "--shapes",
        multiple=True,
        help="A file or folder of shapes of your own, which are rules too; unless given, those of the configuration.",
    ),
    output: Output = options.output("With --to: the file to write; - for standard output."),
) -> None:
    """List the rules, or explain some: the requirement, the reason, the remedy; for one of them also examples."""
    if to is not None:
        if names or as_json or shapes:
            raise SettingsError("--to writes all rules of a profile: leave the names of rules, --json and --shapes out")
        from checkpoint_ld.validation.profiles import DEFAULT, shapes_graph

        output.check()
        graph = shapes_graph(profile=profile or DEFAULT, python=python)
        output.write(graph.serialize(format=to, encoding="utf-8"))
        return
    if python or not output.is_standard:
        raise SettingsError("--python and --output are about --to: name the syntax, such as --to turtle")
    from checkpoint_ld.validation.selection import codes_of

    known = _rules_of(profile, shapes)
    wanted = codes_of(names, known)
    chosen = [rule for code, rule in sorted(known.items()) if not wanted or code in wanted]
    if as_json:
        streams.show_json([_as_json(rule) for rule in chosen])
        return
    console = streams.console(highlight=False)
    for line in _explained(chosen) if wanted else _listed(chosen):
        console.print(line, soft_wrap=True)


def _rules_of(profile: str | None, shapes: Sequence[str]) -> Mapping[str, Rule]:
    from checkpoint_ld.batch import configuration
    from checkpoint_ld.rules import catalogue

    shapes = tuple(shapes) or tuple(map(str, configuration.find(Path()).shapes))
    if profile is None and not shapes:
        return catalogue()
    from checkpoint_ld.validation import profiles

    of_profile: Mapping[str, Rule] = profiles.profile(profile or profiles.DEFAULT, shapes).rules
    return {**catalogue(), **of_profile} if profile is None else of_profile


def _as_json(rule: Rule) -> dict[str, Any]:
    from checkpoint_ld.rules import example, since

    shown_by = example(rule.code)
    shown = {"good": shown_by.good, "bad": shown_by.bad} if shown_by else {}
    return {**rule._asdict(), "severity": rule.severity.label, "since": since(rule.code), **shown}


def _listed(rules: list[Rule]) -> Iterator[Text]:
    """Yield a line for each rule, which `grep` and people can use alike."""
    from rich.text import Text

    codes = max((len(rule.code) for rule in rules), default=0)
    slugs = max((len(rule.slug) for rule in rules), default=0)
    for rule in rules:
        severity = (f"{rule.severity.label:<9}", _STYLES[rule.severity])
        yield Text.assemble(f"{rule.code:<{codes}}  ", severity, f"  {rule.slug:<{slugs}}  {rule.title}")


def _explained(rules: list[Rule]) -> Iterator[Text]:
    from rich.text import Text

    from checkpoint_ld.rules import example, since

    for number, rule in enumerate(rules):
        if number:
            yield Text("")
        severity = (rule.severity.label, _STYLES[rule.severity])
        yield Text.assemble((f"{rule.code} {rule.slug}".strip(), "bold"), ": ", severity, f": {rule.title}")
        details = [
            ("about", rule.family),
            ("why", rule.why),
            ("message", _LEFT_OPEN.sub("…", rule.message)),
            ("remedy", _LEFT_OPEN.sub("…", rule.remedy)),
            ("condition", rule.condition),
            ("see", rule.see),
            ("since", since(rule.code)),
        ]
        if rule.slug == "no-checkpoint":
            from checkpoint_ld.dialects import DIALECTS

            details += [("dialect", f"{dialect.name}: {dialect.signs}") for dialect in DIALECTS]
        for label, words in details:
            if words:
                yield Text.assemble("  ", (f"{label:<10}", "bold"), " ".join(words.split()))
    shown_by = example(rules[0].code) if len(rules) == 1 else None
    for label, style, text in (("bad", "red", shown_by.bad), ("good", "green", shown_by.good)) if shown_by else ():
        yield Text.assemble("\n  ", (label, f"bold {style}"))
        yield Text("\n".join(f"    {line}" for line in text.splitlines()))


@click.command(cls=Command)
def schema(
    *,
    name: str | None = options.argument(
        "[NAME]", "checkpoint, or an entity such as question; without it, all are listed.", required=False
    ),
    list_all: bool = options.flag("--list", help="List the names of all schemas."),
    output: Output = options.output(),
) -> None:
    """Print the JSON Schema of the checkpoint document, or of an entity."""
    from checkpoint_ld.documents.text import dump_json
    from checkpoint_ld.entities import json_schemas

    if name is None or list_all:
        lines = (f"{known:<24}  {summary}\n" for known, summary in json_schemas.summaries().items())
        output.write_report("".join(lines))
    else:
        output.write(dump_json(json_schemas.json_schema(name)) + b"\n")


@click.command(cls=Command)
def vocabulary(
    *,
    name: str = options.argument(
        "[NAME]",
        "karenina, of benchmarks, or caf, of agents; both without it.",
        type=click.Choice(("karenina", "caf")),
        required=False,
    ),
    output: Output = options.output(
        "The file to write: Turtle, or by its extension N-Triples, JSON-LD or RDF/XML; - for standard output."
    ),
) -> None:
    """Print the vocabulary of benchmarks or of agents, in RDFS and OWL."""
    from checkpoint_ld.documents.files import kind_of
    from checkpoint_ld.sparql.formats import GRAPHS, render
    from checkpoint_ld.sparql.result import QueryResult
    from checkpoint_ld.vocabularies import NAMES, statements

    output.check()
    kinds = {".ttl": "turtle", ".nt": "ntriples", ".jsonld": "jsonld", ".rdf": "xml"}
    kind = kind_of(output.file, kinds, None) or GRAPHS[0]
    triples = (triple for known in ((name,) if name else NAMES) for triple in statements(known))
    output.write_report(render(QueryResult("construct", triples=tuple(triples)), kind))


@click.command(cls=Command)
def lsp(
    *,
    trust_config: bool = options.flag("--trust-config", help="Run queries in the shapes that a configuration names."),
) -> None:
    """Serve an editor: findings while you type, fixes, completion; over standard input and output."""
    from checkpoint_ld.integrations.language_server import server

    # The server closes its output when the editor leaves; that of the process stays open.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        server(trust_config=trust_config).start_io(stdout=output)


@click.command(cls=Command)
def completion(
    *,
    shell: str = options.argument(
        "SHELL", "bash (4.4 or newer), zsh or fish.", type=click.Choice(("bash", "zsh", "fish"))
    ),
) -> None:
    """Print the script by which a shell completes commands, options and files."""
    from click.shell_completion import get_completion_class

    complete: Any = get_completion_class(shell)
    script = complete(click.get_current_context().find_root().command, {}, PROGRAM, VARIABLE)
    streams.write(streams.STANDARD, script.source().encode())
