"""What typer would make of a value is what a command gets, whether or not typer is asked."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperGroup

from checkpoint_ld.cli.app import app
from checkpoint_ld.cli.parameters import taken_as_they_are


class Colour(StrEnum):
    """A choice whose names are not its values."""

    DARK = "black"
    LIGHT = "white"


def show(  # noqa: PLR0917 - one of each kind
    texts: Annotated[list[str], typer.Argument()],
    colour: Annotated[Colour, typer.Option("--colour")] = Colour.DARK,
    number: Annotated[int | None, typer.Option("--number", min=1)] = None,
    share: Annotated[float, typer.Option("--share")] = 0.5,
    text: Annotated[str, typer.Option("--text", envvar="SHOWN_TEXT")] = "5",
    more: Annotated[list[str] | None, typer.Option("--more")] = None,
    sizes: Annotated[list[int] | None, typer.Option("--size")] = None,
    parsed: Annotated[str, typer.Option("--parsed", parser=str.upper)] = "a",
    sure: Annotated[bool, typer.Option("--sure")] = False,
) -> None:
    """Print the arguments."""
    typer.echo(repr((texts, colour, number, share, text, more, sizes, parsed, sure)))


@pytest.mark.parametrize(
    "given",
    [
        ["a"],
        ["a", "", "é", "-"],
        ["a", "--colour", "white", "--number", "3", "--share", "2", "--text", "x", "--sure"],
        ["a", "--more", "1", "--more", "2", "--size", "1", "--size", "2", "--parsed", "b"],
        ["a", "--colour", "red"],
        ["a", "--colour", "LIGHT"],
        ["a", "--number", "0"],
        ["a", "--number", "one"],
        ["a", "--share", "half"],
        ["a", "--size", "big"],
        ["a", "--more"],
        ["a", "--unknown"],
        [],
        ["--help"],
    ],
)
def test_a_command_gets_what_typer_would_give_it(
    given: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHOWN_TEXT", "from outside")
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    alone.command()(show)
    usual, plain = typer.main.get_command(alone), taken_as_they_are(typer.main.get_command(alone))

    assert outcome(plain, given, capsys) == outcome(usual, given, capsys)


def outcome(command: Any, given: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[object, ...]:
    """Return the exit code of a command and what it says."""
    with pytest.raises(SystemExit) as ended:
        command(given, prog_name="show")
    return ended.value.code, *capsys.readouterr()


def all_of(command: Any, called: str = "") -> list[tuple[str, Any]]:
    """Return a command and those below it, with their names."""
    below = command.commands.items() if isinstance(command, TyperGroup) else ()
    return [(called, command), *(one for name, each in below for one in all_of(each, f"{called} {name}"))]


def test_no_default_of_any_command_has_to_be_converted() -> None:
    context = typer.Context(typer.main.get_command(app))
    for called, command in all_of(typer.main.get_command(app)):
        for parameter in command.get_params(context):
            parameter.get_runtime_param.__self__.__dict__["usual"] = None
            default = parameter.get_default(context)
            if not isinstance(default, bool):
                given = parameter.get_runtime_param().coerce(default, param=parameter, ctx=context)
                assert given in (default, ()), (called, parameter.name)
