"""A run of `query`: where the checkpoints are, and what is said beside the result."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyoxigraph import NamedNode

from checkpoint_ld import queries
from checkpoint_ld.cli import streams
from checkpoint_ld.discovery import discover
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.sparql import Dataset
from checkpoint_ld.sparql.terms import is_iri

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.graph.statement_graph import StatementGraph
    from checkpoint_ld.queries import NamedQuery, Request
    from checkpoint_ld.sparql import QueryResult

Told = tuple[str, "StatementGraph", str | None]
"""A checkpoint: what it is called, its graph, its dialect."""

_PATIENCE = 30.0
"""How long a service may take unless something else is said, in seconds."""


@dataclass(frozen=True, slots=True)
class Service:
    """A triple store elsewhere; with the profile `generic`, `url` is that of its query service itself."""

    url: str
    profile: str
    auth: str
    credentials: str | None


@dataclass
class Sources:
    """What is asked: checkpoints, a collection, or a service; and whether some of it could not be (`has_failed`)."""

    paths: tuple[str, ...]
    service: Service | None = None
    syntax: str | None = None
    quiet: bool = False
    has_failed: bool = False

    def fail(self, message: str) -> None:
        """Say what could not be done, and go on."""
        streams.say(message)
        self.has_failed = True

    def say(self, message: str) -> None:
        """Say what is good to know."""
        if not self.quiet:
            streams.say(message)

    def answer(self, told: Request, *, inferred: bool, **limits: Any) -> QueryResult | None:
        """Return the result, None where there is nothing that could be asked; raise what `sparql.run` raises."""
        inferred = inferred or told.needs_derived
        if self.service is not None:
            return self._remote(self.service, told, inferred=inferred, **limits)
        if not self.paths:
            raise SettingsError("name the checkpoints to ask: files, a folder, a collection, or --endpoint URL")
        folder = Path(self.paths[0])
        if len(self.paths) == 1 and (folder / "collection.json").is_file():
            return self._collected(folder, told, inferred=inferred and not told.needs_derived, **limits)
        return self._of(self._read(), told, inferred=inferred, **limits)

    def _of(self, checkpoints: Iterable[Told], told: Request, *, inferred: bool, **limits: Any) -> QueryResult | None:
        from checkpoint_ld import families

        data = Dataset()
        for called, graph, dialect in checkpoints:
            known = set(data.graphs)
            added = families.inferred(graph) if inferred else graph
            name = data.add(added, dialect=dialect if told.query is not None else None)
            if name in known:
                self.say(f"{called}: this very checkpoint was read already, and counts once")
            elif name != str(graph.root):
                self.say(
                    f"{called}: another checkpoint is called <{graph.root}> too; the graph of this one is <{name}>"
                )
        if not data.graphs:
            return None
        return data.query(told.text, parameters=told.parameters, **limits)

    def _read(self) -> Iterator[Told]:
        from checkpoint_ld import families

        found = discover(self.paths)
        for pattern in found.unmatched:
            self.fail(f"{pattern}: no file matches")
        if not found.files:
            raise SettingsError(f"nothing to ask in {', '.join(self.paths)}: name a checkpoint, or a folder with some")
        for file in found.files:
            try:
                source = sys.stdin.buffer if file == streams.STANDARD else file
                read = families.read(source, syntax=self.syntax)
                yield file, families.graph_of(read), families.dialect_of(read)
            except ReadError as error:
                self.fail(str(error))

    def _collected(self, folder: Path, told: Request, *, inferred: bool, **limits: Any) -> QueryResult | None:
        from checkpoint_ld.collection import Collection

        engine = limits.pop("engine")
        with Collection.open(folder, read_only=True) as collection:
            if inferred or engine != "oxigraph":
                graphs = ((name, collection.get(name), None) for name in collection)
                return self._of(graphs, told, inferred=inferred or told.needs_derived, engine=engine, **limits)
            return collection.answer(told, **limits)

    def _remote(self, service: Service, told: Request, *, inferred: bool, **limits: Any) -> QueryResult:
        from checkpoint_ld import remote

        if self.paths:
            raise SettingsError("--endpoint asks a service: give no files beside it")
        if limits["engine"] != "oxigraph":
            raise SettingsError("--engine is not for services, which have their own")
        if limits["services"]:
            raise SettingsError(
                "--allow-service is about what this machine asks: --endpoint gets no query with SERVICE"
            )
        if inferred:
            self.say("this looks at derived statements, which are there if push --inferred sent them")
        is_generic = service.profile == "generic"
        with remote.connect(
            service.url,
            profile=service.profile,
            auth=service.auth,
            credentials_file=service.credentials,
            query=service.url if is_generic else None,
            timeout=limits["timeout"] or _PATIENCE,
            found=lambda name: self.say(f"profile {name}"),
        ) as client:
            return client.query(told.text, max_rows=limits["max_rows"], **told.parameters)


def parameters_of(given: Iterable[str], *, typed: bool) -> dict[str, Any]:
    """Return parameters by name. With `typed`, a value in `<…>` is an IRI; else the named query tells.

    Raises SettingsError for what is not NAME=VALUE, and for a name that is given twice.
    """
    found: dict[str, Any] = {}
    for one in given:
        name, sign, value = one.partition("=")
        if not sign or not name:
            raise SettingsError(f"--param {one}: write it as NAME=VALUE")
        if name in found:
            raise SettingsError(f"--param {name} is given twice")
        is_named = typed and value.startswith("<") and value.endswith(">") and is_iri(value[1:-1])
        found[name] = NamedNode(value[1:-1]) if is_named else value
    return found


def listed() -> str:
    """Return a line for each named query."""
    known = queries.catalogue()
    longest = max(map(len, known))
    return "".join(f"{name:<{longest}}  {one.title}\n" for name, one in known.items())


def explained(query: NamedQuery) -> str:
    """Return all about a named query, its text included."""
    parts = [f"{query.name}: {query.title}", f"  {query.description}"]
    if query.needs_derived:
        parts.append("  It looks at derived statements, which are added for it.")
    parts += [
        f"  --param {one.name}={one.kind}{'' if one.is_required else ' (optional)'}  {one.words}"
        for one in query.parameters.values()
    ]
    longest = max(map(len, query.columns))
    parts += ["", *(f"  {name:<{longest}}  {words}" for name, words in query.columns.items())]
    example = f"checkpoint-ld query PATH --name {query.name} {query.example}".rstrip()
    return "\n".join((*parts, "", f"  example: {example}", "", _body(query), ""))


def _body(query: NamedQuery) -> str:
    """Return the query without its header, which `explained` tells in its own way."""
    return "\n".join(f"  {line}".rstrip() for line in query.text.splitlines() if not line.startswith("#")).lstrip("\n")
