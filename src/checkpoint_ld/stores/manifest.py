"""The manifest of a collection: the entry of each checkpoint, as data and as statements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode, Quad

from checkpoint_ld.findings import Severity
from checkpoint_ld.vocabulary import SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MANIFEST = NamedNode("urn:checkpoint-ld:manifest")
"""The graph of the entries; no checkpoint may have this name."""

LOADING, DONE = "loading", "done"

_OURS = "urn:checkpoint-ld:collection#"
_TERMS = "http://purl.org/dc/terms/"

STATUS = NamedNode(SCHEMA + "creativeWorkStatus")
LEXICAL_FORMS = NamedNode(_OURS + "lexicalForms")
"""The statements that the store rewrites, as they were written."""

_MEMBERS = {
    "root": SCHEMA + "mainEntity",
    "name": _OURS + "name",
    "source": _TERMS + "source",
    "sha256": SCHEMA + "sha256",
    "triples": "http://rdfs.org/ns/void#triples",
    "family": _OURS + "family",
    "dialect": SCHEMA + "encodingFormat",
    "loaded": _TERMS + "modified",
    "software": SCHEMA + "softwareVersion",
}
"""The predicates of the members of an entry."""
_FILE = {"sha256": _OURS + "fileSha256", "size": _OURS + "fileSize", "modified": _OURS + "fileModified"}
_FINDINGS = {severity: f"{_OURS}{severity.name.lower()}s" for severity in Severity}


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was when it was read: SHA-256 of its bytes, bytes, nanoseconds since 1970 of its last change."""

    sha256: str = ""
    size: int = 0
    modified: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """What a collection knows about one checkpoint.

    `graph` names its graph, `root` the node that it is about; they differ where a second version is kept beside the
    first. `source` is the path of its file relative to the collection's folder, `dialect` the one that the file is
    written in. `sha256` is that of the graph's sorted N-Triples, `triples` how many statements the store holds.
    `loaded` is a time as ISO 8601 text, `software` the version of this package, `findings` their number by severity.
    """

    graph: str
    root: str
    name: str
    source: str
    sha256: str
    triples: int
    family: str
    dialect: str
    file: FileState
    loaded: str
    software: str
    findings: Mapping[Severity, int] = field(default_factory=dict)
    status: str = LOADING

    @property
    def is_done(self) -> bool:
        """Whether the graph is there as a whole."""
        return self.status == DONE

    def quads(self) -> Iterator[Quad]:
        """Yield the entry as statements of the manifest."""
        values: dict[str, NamedNode | Literal] = {
            **{predicate: Literal(getattr(self, name)) for name, predicate in _MEMBERS.items()},
            **{predicate: Literal(getattr(self.file, name)) for name, predicate in _FILE.items()},
            **{predicate: Literal(self.findings.get(severity, 0)) for severity, predicate in _FINDINGS.items()},
            _MEMBERS["root"]: NamedNode(self.root),
            _MEMBERS["loaded"]: Literal(self.loaded, datatype=NamedNode(XSD + "dateTime")),
            STATUS.value: Literal(self.status),
        }
        for predicate, value in values.items():
            yield Quad(NamedNode(self.graph), NamedNode(predicate), value, MANIFEST)

    def as_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        plain = ("graph", "root", "name", "source", "sha256", "triples", "family", "dialect", "loaded", "software")
        findings = {severity.name.lower(): self.findings.get(severity, 0) for severity in reversed(Severity)}
        return {**{name: getattr(self, name) for name in plain}, "status": self.status, "findings": findings}


def entry_of(graph: str, quads: Iterable[Quad]) -> Entry:
    """Return the entry of a graph from its statements in the manifest.

    What an entry lacks is empty; it is done only if it says so and nothing else.
    """
    stated: dict[str, list[str]] = {}
    for quad in quads:
        if isinstance(quad.object, (NamedNode, Literal)):
            stated.setdefault(quad.predicate.value, []).append(quad.object.value)

    def text(predicate: str) -> str:
        return stated.get(predicate, [""])[0]

    members: dict[str, Any] = {name: text(predicate) for name, predicate in _MEMBERS.items()}
    size, modified = (int(text(_FILE[name]) or 0) for name in ("size", "modified"))
    return Entry(
        graph=graph,
        **{**members, "root": members["root"] or graph, "triples": int(members["triples"] or 0)},
        file=FileState(text(_FILE["sha256"]), size, modified),
        findings={severity: int(text(predicate) or 0) for severity, predicate in _FINDINGS.items()},
        status=DONE if stated.get(STATUS.value) == [DONE] else LOADING,
    )
