"""The command `convert`: a checkpoint in one syntax or dialect as a file in another."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from checkpoint_ld.cli import progress, streams
from checkpoint_ld.cli.streams import Input
from checkpoint_ld.documents.files import extension_of, is_packed, replace_file
from checkpoint_ld.errors import WriteError


class Output(StrEnum):
    """What can be written: the names of `writing.SYNTAXES`."""

    JSONLD = "jsonld"
    TURTLE = "turtle"
    N_TRIPLES = "nt"
    N_QUADS = "nq"
    TRIG = "trig"
    RDF_XML = "xml"
    EXPANDED = "expanded"


class Context(StrEnum):
    """Under which context JSON-LD is written: the texts of `emission.ContextStyle`."""

    IMPROVED = "improved"
    PLAIN = "plain"


def convert(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="The checkpoint to read; - for standard input.")],
    to: Annotated[
        Output | None, typer.Option("--to", help="What to write; without it the extension of OUT tells, else jsonld.")
    ] = None,
    out: Annotated[str, typer.Option("-o", "--out", help="The file to write; - for standard output.")] = "-",
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            help="The dialect of the JSON: datafeed-ns-v3 (default), v2.0, gui-datafeed, dataset-1; "
            "for agent checkpoints canonical or second.",
        ),
    ] = None,
    context: Annotated[
        Context,
        typer.Option(
            "--context", help="improved: read alike by every JSON-LD processor. plain: as Karenina writes it."
        ),
    ] = Context.IMPROVED,
    syntax: Annotated[
        Input | None, typer.Option("--from", help="What is read, where neither extension nor content tells.")
    ] = None,
    deep_judgment: Annotated[
        bool, typer.Option("--deep-judgment/--no-deep-judgment", help="Keep the settings of deep judgment, or not.")
    ] = True,
    placeholders: Annotated[
        bool,
        typer.Option("--placeholders", help="Give questions without a template the placeholder that Karenina wants."),
    ] = False,
    round_scores: Annotated[
        bool, typer.Option("--round-scores", help="Write whole numbers for bounds of scores, as Karenina wants them.")
    ] = False,
    inferred: Annotated[
        bool, typer.Option("--inferred", help="Add to RDF what follows, for queries and for shapes in other tools.")
    ] = False,
    derived: streams.Derived = False,
    prov: Annotated[
        bool, typer.Option("--prov/--no-prov", help="Add the provenance of agent checkpoints to RDF, or not.")
    ] = True,
    force: streams.Force = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a checkpoint about which anything is odd.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            min=1,
            help="Write nt or nq some questions at a time, by so many processes; large files always are.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing about what is odd.")] = False,
) -> None:
    """Convert a checkpoint: any dialect or RDF syntax in, JSON-LD or RDF out, nothing lost on the way."""
    # Reading and writing take their time to import; --help should not wait for them.
    from checkpoint_ld.emission import ContextStyle
    from checkpoint_ld.reading import CANONICAL, Reading
    from checkpoint_ld.writing import write as writing

    inferred |= derived
    streams.check_outputs([file], out, force=force)
    wanted = to or writing.syntax_of(out)
    if dialect is not None and wanted != writing.JSONLD:
        raise WriteError(f"--dialect {dialect} is about JSON, but {wanted} is to be written: leave one of them out")
    if deep_judgment and not placeholders and not inferred:
        streaming = _Streaming(file, wanted, syntax, jobs=jobs, strict=strict, force=force, quiet=quiet)
        if streaming.done(out):
            return
    source = streams.read(file, syntax=syntax, strict=strict)
    if not isinstance(source, Reading):
        from checkpoint_ld.agent.writing import written as written_of_agent

        form = _form(wanted, dialect, is_plain=context is Context.PLAIN or extension_of(out) == ".json")
        streams.write(out, written_of_agent(source.tree, form, prov=prov, inferred=inferred), force=force)
        if not quiet:
            streams.report(source.findings)
        return
    written = writing.write(
        source.graph,
        syntax=wanted,
        dialect=dialect or CANONICAL,
        context=ContextStyle(context),
        deep_judgment=deep_judgment,
        round_scores=round_scores,
        placeholders=placeholders,
        inferred=inferred,
        source=source if source.dialect != CANONICAL else None,
        now=_now() if source.dialect != CANONICAL or dialect not in {None, CANONICAL} else None,
    )
    streams.write(out, written.data, force=force)
    if not quiet:
        streams.report((*source.findings, *written.findings))


def _now() -> str:
    """Return the date that stands for a missing one in what comes from one dialect into another."""
    from checkpoint_ld.entities.entity import now

    return now()


def _form(to: str, dialect: str | None, *, is_plain: bool) -> str:
    """Return as what of `agent.writing.FORMS` an agent checkpoint is written; a shape is a dialect."""
    from checkpoint_ld.agent.values import SHAPES

    if dialect is None:
        return SHAPES[0] if is_plain and to == Output.JSONLD else to
    shape = dialect.removeprefix("agent-")
    if shape not in SHAPES:
        raise WriteError(f"an agent checkpoint has no dialect {dialect}: write one of {', '.join(SHAPES)}")
    return shape


@dataclass(frozen=True)
class _Streaming:
    """The same work some questions at a time, for files that are large or when it is asked for."""

    file: str
    to: str
    syntax: str | None
    jobs: int | None
    strict: bool
    force: bool
    quiet: bool

    def done(self, out: str) -> bool:
        """Write statements to `out`; tell whether that could be done in this way."""
        from checkpoint_ld.streaming.entrance import Streaming

        with progress.bar("converting", quiet=self.quiet) as advance:
            streaming = Streaming(self.jobs, advance, None if self.quiet else _note)
            with streaming.statements(self.file, self.to, syntax=self.syntax) as streamed:
                if streamed is None:
                    return False
                streamed.refusing(strict=self.strict)
                if out == streams.STANDARD:
                    shutil.copyfileobj(streamed.lines, target := streams.out())
                    target.flush()
                else:
                    replace_file(out, streamed.lines, overwrite=self.force, pack=is_packed(out))
        if not self.quiet:
            streams.report(streamed.findings)
        return True


def _note(message: str) -> None:
    streams.say(message)
