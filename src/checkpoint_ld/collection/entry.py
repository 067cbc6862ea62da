"""The entry of one checkpoint in the manifest of a collection, as data and as statements."""

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
_VOID = "http://rdfs.org/ns/void#"
_TERMS = "http://purl.org/dc/terms/"

STATUS = NamedNode(SCHEMA + "creativeWorkStatus")
LEXICAL_FORMS = NamedNode(_OURS + "lexicalForms")
"""The statements that the store rewrites, as they were written: `lexical_forms.kept`."""

_SOURCE = _TERMS + "source"
_SHA256 = SCHEMA + "sha256"
_TRIPLES = _VOID + "triples"
_LOADED = _TERMS + "modified"
_FORMAT = SCHEMA + "encodingFormat"
_SOFTWARE = SCHEMA + "softwareVersion"
_ROOT = SCHEMA + "mainEntity"
_NAME = _OURS + "name"
_FAMILY = _OURS + "family"
_FILE_SHA256 = _OURS + "fileSha256"
_FILE_SIZE = _OURS + "fileSize"
_FILE_MODIFIED = _OURS + "fileModified"
_FINDINGS = {severity: f"{_OURS}{severity.name.lower()}s" for severity in Severity}


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was when it was read: SHA-256 of its bytes, bytes, nanoseconds since 1970 of its last change."""

    sha256: str
    size: int
    modified: int


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
        for predicate, value in self._members():
            yield Quad(NamedNode(self.graph), NamedNode(predicate), value, MANIFEST)

    def as_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        plain = ("graph", "root", "name", "source", "sha256", "triples", "family", "dialect", "loaded", "software")
        findings = {severity.name.lower(): self.findings.get(severity, 0) for severity in reversed(Severity)}
        return {**{name: getattr(self, name) for name in plain}, "status": self.status, "findings": findings}

    def _members(self) -> Iterator[tuple[str, NamedNode | Literal]]:
        yield _ROOT, NamedNode(self.root)
        yield _NAME, Literal(self.name)
        yield _SOURCE, Literal(self.source)
        yield _SHA256, Literal(self.sha256)
        yield _TRIPLES, Literal(self.triples)
        yield _FAMILY, Literal(self.family)
        yield _FORMAT, Literal(self.dialect)
        yield _LOADED, Literal(self.loaded, datatype=NamedNode(XSD + "dateTime"))
        yield _SOFTWARE, Literal(self.software)
        yield _FILE_SHA256, Literal(self.file.sha256)
        yield _FILE_SIZE, Literal(self.file.size)
        yield _FILE_MODIFIED, Literal(self.file.modified)
        for severity, predicate in _FINDINGS.items():
            yield predicate, Literal(self.findings.get(severity, 0))
        yield STATUS.value, Literal(self.status)


def entry_of(graph: str, quads: Iterable[Quad]) -> Entry:
    """Return the entry of a graph from its statements in the manifest.

    What an entry lacks is empty; it is done only if it says so and nothing else.
    """
    said: dict[str, list[str]] = {}
    for quad in quads:
        if isinstance(quad.object, (NamedNode, Literal)):
            said.setdefault(quad.predicate.value, []).append(quad.object.value)

    def text(predicate: str) -> str:
        return said.get(predicate, [""])[0]

    return Entry(
        graph=graph,
        root=text(_ROOT) or graph,
        name=text(_NAME),
        source=text(_SOURCE),
        sha256=text(_SHA256),
        triples=int(text(_TRIPLES) or 0),
        family=text(_FAMILY),
        dialect=text(_FORMAT),
        file=FileState(text(_FILE_SHA256), int(text(_FILE_SIZE) or 0), int(text(_FILE_MODIFIED) or 0)),
        loaded=text(_LOADED),
        software=text(_SOFTWARE),
        findings={severity: int(text(predicate) or 0) for severity, predicate in _FINDINGS.items()},
        status=DONE if said.get(STATUS.value) == [DONE] else LOADING,
    )
