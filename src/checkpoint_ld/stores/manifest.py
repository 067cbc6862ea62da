"""The entry of a graph in a manifest: the one in a collection about its graphs, and those of pushes in stores."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from pyoxigraph import Literal, NamedNode, Triple

from checkpoint_ld.findings import Severity
from checkpoint_ld.stores.backend import FileState
from checkpoint_ld.vocabulary import SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LOADING, DONE = "loading", "done"

OURS = "urn:checkpoint-ld:collection#"
_TERMS = "http://purl.org/dc/terms/"
STATUS = NamedNode(SCHEMA + "creativeWorkStatus")
MEMBERS = {
    "root": SCHEMA + "mainEntity",
    "name": OURS + "name",
    "source": _TERMS + "source",
    "sha256": SCHEMA + "sha256",
    "triples": "http://rdfs.org/ns/void#triples",
    "family": OURS + "family",
    "dialect": SCHEMA + "encodingFormat",
    "loaded": _TERMS + "modified",
    "software": SCHEMA + "softwareVersion",
    "layers": OURS + "layers",
}
"""The predicates of the members of an entry, with texts except `root`, `triples` and `loaded`."""
FILE = {"sha256": OURS + "fileSha256", "size": OURS + "fileSize", "modified": OURS + "fileModified"}
_FINDINGS = {severity: f"{OURS}{severity.label}s" for severity in Severity}


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a manifest about the graph of one checkpoint.

    `graph` is the name of the graph, `root` its root node; they differ where a second version is kept beside the first.
    `source` is its file: the path relative to the collection's folder, or the name at a push. `file` is the state in
    which it was read, `dialect` that of the file. `sha256` is that of the graph's sorted N-Triples, `triples` the
    number of statements in the store. `loaded` is a time in ISO 8601, `software` the version of this package,
    `findings` their number by severity, `layers` the statements that a push left out or added.
    """

    graph: str
    root: str
    source: str
    sha256: str
    triples: int
    software: str
    file: FileState
    name: str = ""
    family: str = ""
    dialect: str = ""
    loaded: str = ""
    layers: str = ""
    findings: Mapping[Severity, int] = field(default_factory=dict)
    status: str = LOADING

    @property
    def is_done(self) -> bool:
        """Whether the graph is complete, as far as the manifest knows."""
        return self.status == DONE

    @classmethod
    def of_statements(cls, graph: str, statements: Iterable[Triple]) -> Self:
        """Return the entry of a graph from its statements in the manifest.

        Missing members are empty. It is done only if that is its only status. Raises ValueError for other numbers.
        """
        stated: dict[str, list[str]] = defaultdict(list)
        for statement in statements:
            if isinstance(statement.object, (NamedNode, Literal)):
                stated[statement.predicate.value].append(statement.object.value)
        text = {predicate: values[0] for predicate, values in stated.items()}
        members: dict[str, Any] = {name: text.get(predicate, "") for name, predicate in MEMBERS.items()}
        hashed, size, modified = (text.get(predicate, "") for predicate in FILE.values())
        return cls(
            graph=graph,
            **{**members, "root": members["root"] or graph, "triples": int(members["triples"] or 0)},
            file=FileState(hashed, int(size or 0), int(modified or 0)),
            findings={severity: int(text[name]) for severity, name in _FINDINGS.items() if name in text},
            status=DONE if stated[STATUS.value] == [DONE] else LOADING,
        )

    def statements(self) -> Iterator[Triple]:
        """Yield the entry as statements of the manifest."""
        values: dict[str, NamedNode | Literal] = {
            **{predicate: Literal(getattr(self, name)) for name, predicate in MEMBERS.items() if getattr(self, name)},
            **{predicate: Literal(getattr(self.file, name)) for name, predicate in FILE.items()},
            MEMBERS["root"]: NamedNode(self.root),
            MEMBERS["triples"]: Literal(self.triples),
            STATUS.value: Literal(self.status),
        }
        if self.loaded:
            values |= {predicate: Literal(self.findings.get(severity, 0)) for severity, predicate in _FINDINGS.items()}
            values[MEMBERS["loaded"]] = Literal(self.loaded, datatype=NamedNode(XSD + "dateTime"))
        for predicate, value in values.items():
            yield Triple(NamedNode(self.graph), NamedNode(predicate), value)

    def as_json(self) -> dict[str, Any]:
        """Return the entry of a collection as a JSON object."""
        findings = {severity.label: self.findings.get(severity, 0) for severity in reversed(Severity)}
        plain = {name: getattr(self, name) for name in ("graph", *MEMBERS) if name != "layers"}
        return {**plain, "status": self.status, "findings": findings}
