"""The tables of options in cli.md: `python docs/option_tables.py` writes them from the commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from checkpoint_ld.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).with_name("cli.md")

_TABLE = re.compile(r"(?P<head><!-- options: (?P<command>[\w-]+) -->\n).*?(?P<tail><!-- end -->\n)", re.DOTALL)


_SHARED = ("query", "push")
"""The commands of `store` that are the commands of these names."""


def with_tables(page: str) -> str:
    """Return the text of the page with its tables written anew."""
    return _TABLE.sub(lambda found: f"{found['head']}\n{table(found['command'])}\n\n{found['tail']}", page)


def table(name: str) -> str:
    """Return the table of the options of a command; of a group, its commands and one table of all their options."""
    command: Any = app.get_command(click.Context(app), name)
    every = getattr(command, "commands", {}).items()
    members = {name: one for name, one in every if not one.hidden and name not in _SHARED}
    if not members:
        rows = [f"| {spelling} | {meaning} |" for spelling, meaning in _options(command)]
        return "\n".join(("| option | meaning |", "|---|---|", *rows))
    commands = [f"| `{_usage(member, one)}` | {_escaped(_summary(one))} |" for member, one in members.items()]
    users: dict[tuple[str, str], list[str]] = {}
    for member, one in members.items():
        for option in _options(one):
            users.setdefault(option, []).append(member)
    rows = [f"| {spelling} | {_users(names, len(members))} | {text} |" for (spelling, text), names in users.items()]
    head = ("| command | what it does |", "|---|---|", *commands, "", "| option | of | meaning |", "|---|---|---|")
    return "\n".join((*head, *rows))


def _usage(name: str, command: click.Command) -> str:
    return " ".join((name, *(str(one.metavar) for one in command.params if one.param_type_name == "argument")))


def _summary(command: click.Command) -> str:
    return " ".join((command.help or "").partition("\n\n")[0].split())


def _escaped(text: str) -> str:
    return re.sub(r"([|*<])", r"\\\1", text)


def _users(names: list[str], of: int) -> str:
    return "all" if len(names) == of else ", ".join(f"`{name}`" for name in names)


def _options(command: click.Command) -> Iterator[tuple[str, str]]:
    for one in command.params:
        if one.param_type_name == "option" and not getattr(one, "hidden", False):
            names = sorted((*one.opts, *one.secondary_opts), key=lambda name: not name.startswith("--"))
            yield ", ".join(f"`{name}`" for name in names), _meaning(one)


def _meaning(option: Any) -> str:
    text = _escaped(option.help)
    choices = [str(choice) for choice in getattr(option.type, "choices", ())]
    if any(choice not in text for choice in choices):
        text = f"{text.removesuffix('.')}: {', '.join(f'`{choice}`' for choice in choices)}."
    if option.secondary_opts and isinstance(option.default, bool):
        return f"{text} Default: `{(option.opts if option.default else option.secondary_opts)[0]}`."
    if not isinstance(option.default, str | int | float) or option.default in {"", 0, 1}:
        return text
    return f"{text} Default: `{option.default if isinstance(option.default, str) else f'{option.default:g}'}`."


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
