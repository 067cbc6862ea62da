"""The commands `query` and `serve`: SPARQL queries about files, collections and triple stores."""

from __future__ import annotations

import re
import signal
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command
from checkpoint_ld.errors import SettingsError, SourceMissingError
from checkpoint_ld.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyoxigraph import Store

    from checkpoint_ld.agents.serialization import AgentReading
    from checkpoint_ld.assessment import RecordedAnswer
    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.dialects.reading import Reading
    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.store import StatementGraph
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.sparql.queries import NamedQuery, QueryRequest
    from checkpoint_ld.stores.collection import Entry

ENGINES = ("oxigraph", "rdflib")
"""The engines that evaluate a query: the names of `sparql.running.ENGINES`."""
FORMATS = ("table", "csv", "tsv", "json", "markdown", "turtle", "ntriples", "jsonld", "xml", "parquet", "arrow")
"""The formats of results: the names of `sparql.formats.FORMATS` and `sparql.formats.COLUMNS`."""
_OLD_VOCABULARY = "http://schema.org/"


@click.command(cls=Command)
def query(
    *,
    paths: tuple[str, ...] = options.argument(
        "[PATH]...", "Files, folders and patterns, or a collection; - for standard input.", nargs=-1
    ),
    text: str | None = options.value("--query", help="The query, in SPARQL 1.1."),
    file: str | None = options.file("--file", help="The file that holds it; - for standard input."),
    name: str | None = options.value("--name", help="The name of a named query."),
    parameters: tuple[str, ...] = options.value(
        "--param", metavar="NAME=VALUE", multiple=True, help="A value for ?NAME; an IRI in <>. May be repeated."
    ),
    list_: bool = options.flag(
        "--list", help="List the named queries, or with --name print one, complete for any engine, and exit."
    ),
    kind: str | None = options.written_as("--format", FORMATS, "How to write it", "table or turtle"),
    output: Output = options.output(),
    wide: bool = options.flag("--wide", help="Show full values in tables."),
    inferred: bool = options.flag("--inferred", help="Add inferred statements, as convert --inferred."),
    engine: str = options.choice(
        "--engine", values=ENGINES, default="oxigraph", help="The engine that evaluates the query."
    ),
    timeout: float | None = options.value(
        "--timeout", type=float, metavar="SECONDS", help="Stop after this number of seconds."
    ),
    max_rows: int | None = options.whole("--max-rows", help="At most this number of rows."),
    services: tuple[str, ...] = options.value(
        "--allow-service",
        metavar="HOST",
        multiple=True,
        help="Allow SERVICE to query HOST or HOST:PORT. May be repeated.",
    ),
    answers: str | None = options.one_file(
        "--answers", help="Recorded answers, as for verify. The query also covers their results."
    ),
    fail_on_rows: bool = options.flag("--fail-on-rows", help="Exit with 1 if there are rows."),
    endpoint: str | None = options.value(
        "--endpoint", metavar="URL", help="Query the triple store at this URL instead."
    ),
    identity: dict[str, Any] = options.IDENTIFIED,
    syntax: str | None = options.SYNTAX,
    wait: float | None = options.WAIT,
    quiet: bool = options.flag("-q", "--quiet", help="Print only the result and failures."),
) -> None:
    """Query checkpoints in SPARQL: each is a named graph, their union is the default graph; nothing is fetched."""
    # The engine takes its time to import; --help should not wait for it.
    from checkpoint_ld.documents.files import kind_of
    from checkpoint_ld.sparql.formats import COLUMNS, EXTENSIONS, columns, default_format, render
    from checkpoint_ld.sparql.queries import QueryRequest, named, request

    output.check(*paths, file, identity["credentials_file"], answers)
    if [*set(paths), file, answers].count(streams.STANDARD) > 1:
        raise SettingsError("only one of checkpoints, query and answers can come from standard input: name a file")
    if list_ and kind is not None:
        raise SettingsError("--format is for the result of a query: --list writes text")
    kind = kind or kind_of(output.file, EXTENSIONS, None)
    if list_:
        given = _parameters_of(parameters, typed=False)
        output.write_report(_explained(named(name), given) if name else _listed())
        return
    query_text = _text_of(text, file, name)
    values = _parameters_of(parameters, typed=name is None)
    wanted = QueryRequest(query_text, values) if name is None else request(query_text, values)
    limits = {"engine": engine, "timeout": timeout, "max_rows": max_rows, "services": services}
    is_inferred = inferred or wanted.needs_derived
    run = _QueryRun(wanted, limits, is_inferred, paths, endpoint, identity, syntax, answers, wait, quiet)
    with nullcontext() if timeout is not None or endpoint is not None else _ending_at_once():
        result = run.answer()
    if result is not None:
        kind = kind or default_format(result)
        if kind in COLUMNS:
            output.write(columns(result, kind))
        else:
            width = streams.columns() if output.is_standard else None
            output.write_report(render(result, kind, width=width, wide=wide), kind)
        if not result and _OLD_VOCABULARY in wanted.text:
            run.note(
                f"nothing fits {_OLD_VOCABULARY}: in the graphs of checkpoints the vocabulary is https://schema.org/"
            )
        run.note_gaps(result)
        if result.is_cut:
            run.fail(f"there is more: --max-rows {max_rows} cut the result")
    if run.has_failed:
        raise Exit(EXIT_FAILED)
    if fail_on_rows and result:
        raise Exit(EXIT_FOUND)


_AGGREGATED = re.compile(r"\b(?:SUM|AVG|MIN|MAX|SAMPLE|GROUP_CONCAT)\s*\([^{}]*?\bAS\s+[?$](\w+)\s*\)", re.IGNORECASE)


@contextmanager
def _ending_at_once() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the process, which only reads here; the engine runs no Python to notice them."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in before.items():
        if callable(handler):
            signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _text_of(text: str | None, file: str | None, name: str | None) -> str:
    from checkpoint_ld.documents.files import read_bytes

    given = [source for source in (text, file, name) if source is not None]
    if len(given) != 1:
        raise SettingsError("give one query: --query TEXT, --file FILE or --name NAME; --list shows the names")
    if file is None:
        return given[0]
    data, _ = read_bytes(streams.source_of(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceMissingError(
            f"{file}: the query is no text in UTF-8, see byte {error.start}; save it as UTF-8"
        ) from error


_COMPUTED = re.compile(r"\b(?:FILTER|HAVING|BIND|SUM|AVG)\b", re.IGNORECASE)
_MANY = 50
"""The number of graphs whose inferred statements are made in about two seconds."""
_LARGE = "the data have integers that are too large for this engine, whose filters and sums leave them out"
_PATIENCE = 30.0
"""The default time limit of a service in seconds."""


@dataclass
class _QueryRun:
    """A query, and its sources: checkpoints, a collection, or a service; `has_failed` if some could not be queried."""

    request: QueryRequest
    limits: dict[str, Any]
    inferred: bool
    paths: tuple[str, ...]
    endpoint: str | None
    identity: dict[str, Any]
    syntax: str | None
    answers: str | None
    wait: float | None
    quiet: bool
    has_failed: bool = False

    def fail(self, message: str) -> None:
        streams.note(message)
        self.has_failed = True

    def note(self, message: str) -> None:
        if not self.quiet:
            streams.note(message)

    def note_gaps(self, result: QueryResult) -> None:
        """Report aggregates without a value, which a gap in what they are computed of gives (SPARQL 1.1 §18.5.1)."""
        aggregated = {*_AGGREGATED.findall(self.request.text)}
        for at, column in enumerate(result.columns):
            if column in aggregated and any(row[at] is None for row in result.rows):
                self.note(f"?{column} is empty where a value that it takes is missing or no number: see COALESCE")

    def answer(self) -> QueryResult | None:
        """Return the result, None where no source could be read; raise what `sparql.run` raises."""
        is_collection = self.endpoint is None and streams.is_collection(self.paths)
        if self.answers is not None and (self.endpoint is not None or is_collection):
            raise SettingsError(
                "--answers is for the file of a benchmark: name it in place of a collection or a service"
            )
        if self.endpoint is not None:
            return self._of_service(self.endpoint)
        if not self.paths:
            raise SettingsError("name the checkpoints to ask: files, a folder, a collection, or --endpoint URL")
        if is_collection:
            return self._of_collection()
        sources = streams.discovered(self.paths, "ask")
        self.has_failed = bool(sources.unmatched)
        return self._of(_shown(streams.graphs(sources.files, self.fail, syntax=self.syntax), self.note))

    def _of(
        self,
        checkpoints: Iterable[tuple[str, Checkpoint | None, StatementGraph]],
        entries: Mapping[str, Entry] = MappingProxyType({}),
    ) -> QueryResult | None:
        """Query checkpoints, each given by its name, its source and its graph; in a collection, `entries` are known."""
        from checkpoint_ld import families
        from checkpoint_ld.sparql import Dataset
        from checkpoint_ld.vocabulary import BENCHMARK

        data, is_joined = Dataset(), self.answers is None
        for label, source, graph in checkpoints:
            known = set(data.graphs)
            added = families.inferred(graph) if self.inferred else graph
            if self.answers is not None and source is not None and source.family == BENCHMARK:
                added, is_joined = self._with_results(cast("Reading", source), cast("CheckpointGraph", added)), True
            dialect = entries[label].dialect if source is None else source.dialect
            name = data.add(added, dialect=None if self.request.query is None else dialect)
            if name in known:
                self.note(f"{label}: this very checkpoint was read already, and counts once")
            elif name != str(graph.root):
                self.note(
                    f"{label}: another checkpoint is called <{graph.root}> too; the graph of this one is <{name}>"
                )
        if not data.graphs:
            return None
        if not is_joined:
            raise SettingsError("--answers is for the file of a benchmark: name one")
        self._note_large_integers(data.store)
        return data.query(self.request.text, parameters=self.request.parameters, **self.limits)

    def _note_large_integers(self, store: Store) -> None:
        """Report that the engine leaves some numbers out, if the query computes."""
        is_computed = self.request.query is None and _COMPUTED.search(self.request.text)
        from checkpoint_ld.sparql import large_integers

        if is_computed and self.limits["engine"] == ENGINES[0] and large_integers.leaves_out(store):
            self.note(f"{_LARGE}: --engine {ENGINES[1]} counts them")

    @cached_property
    def _recorded(self) -> list[RecordedAnswer]:
        from checkpoint_ld.assessment import read_answers

        return list(read_answers(streams.source_of(self.answers or "")))

    def _with_results(self, source: Reading, graph: CheckpointGraph) -> CheckpointGraph:
        from checkpoint_ld.assessment import Status, assess, earl
        from checkpoint_ld.benchmark import Benchmark

        answers = None if self.answers == streams.STANDARD else self.answers
        assessments = list(assess(Benchmark.of_reading(source), self._recorded))
        if unusable := sum(assessment.status is Status.ERROR for assessment in assessments):
            file, count = answers or "<stdin>", len(assessments)
            self.note(f"{file}: {unusable} of {count} answers cannot be verified: verify --answers says why")
        return earl.joined(graph, assessments, base=earl.base_of(answers))

    def _of_collection(self) -> QueryResult | None:
        from checkpoint_ld.stores.collection import Collection

        with Collection.open(self.paths[0], read_only=True, wait=self.wait) as collection:
            if self.inferred and not self.request.needs_derived:
                return self._of(((name, None, collection.get(name)) for name in collection), collection.entries)
            if self.request.needs_derived and not collection.keeps_derived and len(collection) > _MANY:
                self.note(
                    f"this query needs inferred statements, which are made for {len(collection)} graphs each time: "
                    f"'checkpoint-ld store derive {self.paths[0]}' keeps them"
                )
            self._note_large_integers(collection.holdings.directory.store)
            return collection.answer(self.request, **self.limits)

    def _of_service(self, url: str) -> QueryResult:
        from checkpoint_ld.stores import remote

        if self.paths:
            raise SettingsError("--endpoint asks a service: give no files beside it")
        if self.limits["engine"] != ENGINES[0]:
            raise SettingsError("--engine is not for services, which have their own")
        if self.limits["services"]:
            raise SettingsError(
                "--allow-service is about what this machine asks: --endpoint gets no query with SERVICE"
            )
        if self.inferred:
            self.note("this looks at derived statements, which are there if push --inferred sent them")
        with remote.connect(
            url,
            query=url if self.identity["profile"] == "generic" else None,  # that of the query service itself
            **self.identity,
            timeout=_PATIENCE if self.limits["timeout"] is None else self.limits["timeout"],
            found=lambda name: self.note(f"profile {name}"),
        ) as client:
            return client.query(self.request.text, max_rows=self.limits["max_rows"], **self.request.parameters)


def _parameters_of(given: Iterable[str], *, typed: bool) -> dict[str, Any]:
    """Return parameters by name. With `typed`, a value in `<…>` is an IRI; else the named query has the types.

    Raises SettingsError for an argument other than NAME=VALUE, and for a name that is given twice.
    """
    from pyoxigraph import NamedNode

    from checkpoint_ld.guard.terms import is_iri

    parameters: dict[str, Any] = {}
    for parameter in given:
        name, sign, value = parameter.partition("=")
        if not sign or not name:
            raise SettingsError(f"--param {parameter}: write it as NAME=VALUE")
        if name in parameters:
            raise SettingsError(f"--param {name} is given twice")
        is_named = typed and value.startswith("<") and value.endswith(">") and is_iri(value[1:-1])
        parameters[name] = NamedNode(value[1:-1]) if is_named else value
    return parameters


def _listed() -> str:
    from checkpoint_ld.sparql import queries

    known = queries.catalogue()
    longest = max(map(len, known))
    return "".join(f"{name:<{longest}}  {query.title}\n" for name, query in known.items())


def _explained(query: NamedQuery, given: Mapping[str, str]) -> str:
    """Return a named query with all that it needs, for any engine; its description is in comments."""
    from checkpoint_ld.guard.checking import complete
    from checkpoint_ld.sparql import queries

    lines = [f"{query.name}: {query.title}", query.description]
    if query.needs_derived:
        lines.append(
            "It needs inferred statements, which `query` adds to checkpoints, and `store derive` to a collection."
        )
    lines += [
        f"--param {known.name}={known.kind}{'' if known.is_required else ' (optional)'}  {known.words}"
        for known in query.parameters.values()
    ]
    longest = max(map(len, query.columns))
    lines += ["", *(f"{name:<{longest}}  {words}" for name, words in query.columns.items())]
    lines += ["", f"example: checkpoint-ld query PATH --name {query.name} {query.example}".rstrip()]
    values = {**_EXAMPLES, **given}
    missing = [name for name, known in query.parameters.items() if known.is_required and name not in given]
    if missing:
        lines.append(f"The values of {' and '.join(missing)} in VALUES are examples: --param gives them.")
    terms = queries.terms(query, {name: values[name] for name in (*given, *missing)})
    body = "".join(f"{line}\n" for line in query.text.splitlines() if not line.startswith("# "))
    return "".join(f"# {line}".rstrip() + "\n" for line in lines) + "\n" + complete(body.lstrip("\n"), terms)


_EXAMPLES = {
    "text": "gold",
    "date": "2026-03-01",
    "before": "urn:caf:checkpoint/ckpt_1",
    "after": "urn:caf:checkpoint/ckpt_2",
    "execution": "urn:caf:execution/exec_1",
}
"""Values for required parameters of named queries."""


@click.command(cls=Command)
def serve(
    *,
    paths: tuple[str, ...] = options.argument(
        "PATH", "A collection, or files, folders and patterns.", nargs=-1, required=True
    ),
    port: int = options.value(
        "--port", type=click.IntRange(0, 65535), default=7979, help="The port; 0 for any free one."
    ),
    host: str = options.value(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="The address to listen at; by default only this machine can connect.",
    ),
    inferred: bool = options.flag("--inferred", help="Add inferred statements to files, as convert --inferred."),
    timeout: float = options.real("--timeout", default=30.0, help="Seconds for one query."),
    max_rows: int | None = options.whole("--max-rows", help="At most this number of rows."),
    workers: int = options.whole("--workers", default=2, help="The number of parallel queries."),
    cors: bool = options.flag("--cors", help="Let the pages of all sites read the answers."),
    public_url: str | None = options.value(
        "--public-url", metavar="URL", help="The URL under which a proxy offers the server."
    ),
    access_log: bool = options.flag(
        "--access-log",
        help="Print a line for each request on standard error, in the Common Log Format, without queries.",
    ),
    quiet: bool = options.flag("-q", "--quiet", help="Print only the URL."),
) -> None:
    """Serve checkpoints as a read-only SPARQL endpoint, with a query page."""
    from checkpoint_ld.connections import is_loopback
    from checkpoint_ld.sparql.serving import Server, Settings

    with ExitStack() as stack:
        location = _location(paths, stack, inferred=inferred, quiet=quiet)
        log = streams.note if access_log else None
        settings = Settings(host, port, timeout, max_rows, workers, cors=cors, public_url=public_url, log=log)
        server = stack.enter_context(Server(location, settings))
        if not is_loopback(host):
            streams.note(f"whoever reaches this machine at {host} can read what is served")
        # Whoever reads the URL may end the command at once.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            streams.show(server.url)
            sys.stdout.flush()
            server.serve_forever()
        except KeyboardInterrupt:
            if not quiet:
                streams.note("stopped")


def _shown(
    sources: Iterable[tuple[str, Checkpoint, StatementGraph]], note: Callable[[str], None]
) -> Iterator[tuple[str, Checkpoint, StatementGraph]]:
    """Yield checkpoints with what is shown of them: those of agents without values that look like secrets."""
    from checkpoint_ld.vocabulary import AGENT

    for label, source, graph in sources:
        visible = None
        if source.family == AGENT:
            from checkpoint_ld.agents.withholding import shown  # it takes its time to import

            visible, count = shown(cast("AgentReading", source))
            if visible is not None:
                note(f"{label}: {counted(count, 'value')} withheld that may be a secret; the file has them")
        yield label, source, graph if visible is None else visible.to_graph()


def _location(paths: Sequence[str], stack: ExitStack, *, inferred: bool, quiet: bool) -> Path | Callable[[], str]:
    """Return the folder of a store of files, or a function that returns the newest snapshot of a collection."""
    import pyoxigraph

    from checkpoint_ld import families, sparql
    from checkpoint_ld.documents.files import working_folder
    from checkpoint_ld.sparql import large_integers
    from checkpoint_ld.stores.directory import Snapshots

    if streams.is_collection(paths):
        if inferred:
            raise SettingsError("--inferred is for files: a collection holds what was added to it")
        current = stack.enter_context(Snapshots(Path(paths[0]))).current
        if not quiet and large_integers.leaves_out(pyoxigraph.Store.read_only(current())):
            streams.note(f"{_LARGE}; select them as they are")
        return current
    dataset = sparql.Dataset()
    statements: dict[str, int] = {}
    sources = streams.graphs(streams.discovered(paths, "serve").files, streams.note)
    for _, source, graph in _shown(sources, streams.note):
        added = families.inferred(graph) if inferred else graph
        statements[dataset.add(added, dialect=source.dialect)] = len(added)
    if not dataset.graphs:
        raise SettingsError(f"nothing to serve in {', '.join(paths)}: name a checkpoint, or a folder that has some")
    if not quiet:
        streams.note(f"{counted(len(dataset.graphs), 'checkpoint')}, {sum(statements.values())} statements")
        if large_integers.leaves_out(dataset.store):
            streams.note(f"{_LARGE}; select them as they are")
    folder = stack.enter_context(working_folder())
    # On a disk, so that all workers open the same data without a copy in memory.
    stored = pyoxigraph.Store(str(folder))
    stored.bulk_load(dataset.store.dump(format=pyoxigraph.RdfFormat.N_QUADS), format=pyoxigraph.RdfFormat.N_QUADS)
    stored.flush()
    return folder
