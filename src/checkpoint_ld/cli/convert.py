"""The command `convert`: a checkpoint in one syntax or dialect as a file in another."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import Command, argument, choice, flag, jobs, output, prov, syntax, written_as
from checkpoint_ld.documents.files import extension_of, is_packed, replace_file
from checkpoint_ld.errors import WriteError

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output

OUTPUTS = ("jsonld", "turtle", "nt", "nq", "trig", "xml", "expanded")
"""What can be written: the names of `writing.SYNTAXES`."""
CONTEXTS = ("improved", "plain")
"""Under which context JSON-LD is written: the texts of `emission.ContextStyle`."""


@click.command(cls=Command)
@argument("file", "FILE", "The checkpoint to read; - for standard input.")
@written_as("--to", OUTPUTS, "What to write", "jsonld")
@output()
@click.option(
    "--dialect",
    help="The dialect of the JSON: datafeed-ns-v3 (unless given), v2.0, gui-datafeed, dataset-1; "
    "for agent checkpoints canonical or second.",
)
@choice(
    "--context",
    values=CONTEXTS,
    default="improved",
    help="improved: read alike by every JSON-LD processor. plain: as Karenina writes it.",
)
@syntax
@click.option(
    "--deep-judgment/--no-deep-judgment", default=True, help="Keep the settings of deep judgment, or leave them out."
)
@flag("--placeholders", help="Give questions without a template the placeholder that Karenina wants.")
@flag("--round-scores", help="Write whole numbers for bounds of scores, as Karenina wants them.")
@flag("--inferred", help="Add to RDF what follows, for queries and for shapes in other tools.")
@prov
@flag("--strict", help="Refuse a checkpoint about which anything is odd.")
@jobs
@flag("-q", "--quiet", help="Say nothing about what is odd.")
def convert(
    *,
    file: str,
    kind: str | None,
    output: Output,
    dialect: str | None,
    context: str,
    syntax: str | None,
    deep_judgment: bool,
    placeholders: bool,
    round_scores: bool,
    inferred: bool,
    prov: bool,
    strict: bool,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Convert a checkpoint: any dialect or RDF syntax in, JSON-LD or RDF out, nothing lost on the way."""
    # Reading and writing take their time to import; --help should not wait for them.
    from checkpoint_ld import writing
    from checkpoint_ld.emission import ContextStyle
    from checkpoint_ld.reading import CANONICAL, Reading

    output.check(file)
    wanted = kind or writing.syntax_of(output.file)
    if dialect is not None and wanted != writing.JSONLD:
        raise WriteError(f"--dialect {dialect} is about JSON, but {wanted} is to be written: leave one of them out")
    options = {"syntax": syntax, "jobs": jobs, "strict": strict, "quiet": quiet}
    if deep_judgment and not placeholders and not inferred and _streamed(file, output, wanted, options):
        return
    source = streams.read(file, syntax=syntax, strict=strict)
    if not isinstance(source, Reading):
        from checkpoint_ld.agent.writing import written as written_of_agent

        form = _form(wanted, dialect, is_plain=context == "plain" or extension_of(output.file) == ".json")
        output.write(written_of_agent(source.tree, form, prov=prov, inferred=inferred))
        if not quiet:
            streams.report(source.findings)
        return
    date = None
    if source.dialect != CANONICAL or dialect not in {None, CANONICAL}:
        from checkpoint_ld.entities.entity import now

        date = now()  # for a missing one in what comes from one dialect into another
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
        now=date,
    )
    output.write(written.data)
    if not quiet:
        streams.report((*source.findings, *written.findings))


def _form(to: str, dialect: str | None, *, is_plain: bool) -> str:
    """Return as what of `agent.writing.FORMS` an agent checkpoint is written; a shape is a dialect."""
    from checkpoint_ld.agent.values import SHAPES

    if dialect is None:
        return SHAPES[0] if is_plain and to == "jsonld" else to
    shape = dialect.removeprefix("agent-")
    if shape not in SHAPES:
        raise WriteError(f"an agent checkpoint has no dialect {dialect}: write one of {', '.join(SHAPES)}")
    return shape


def _streamed(file: str, output: Output, to: str, options: dict[str, Any]) -> bool:
    """Write statements some questions at a time, where a file is large or it is asked for; return whether it was."""
    from checkpoint_ld.batch.large_files import Streaming

    quiet = options["quiet"]
    with streams.bar("converting", quiet=quiet) as advance:
        streaming = Streaming(options["jobs"], advance, None if quiet else streams.say)
        with streaming.statements(file, to, syntax=options["syntax"]) as streamed:
            if streamed is None:
                return False
            streamed.refusing(strict=options["strict"])
            if output.is_standard:
                shutil.copyfileobj(streamed.lines, target := streams.out())
                target.flush()
            else:
                replace_file(output.file, streamed.lines, overwrite=output.force, pack=is_packed(output.file))
    if not quiet:
        streams.report(streamed.findings)
    return True
