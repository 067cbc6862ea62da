"""Serialization: any source as one canonical tree of the newest version, and a checkpoint as the bytes of a file.

Bytes become JSON or statements, the second shape becomes the canonical one, an old version the newest. A checkpoint
that breaks rules is read as far as possible: the rules report its faults, at their places in the source. It is written
in either shape, as JSON-LD or in an RDF syntax.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rdflib import Graph

from checkpoint_ld.agents import values
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.schema import CAF_EXTENSION, CONTEXT, derived, jsonld_of, without_context
from checkpoint_ld.agents.schema import context as schema_context
from checkpoint_ld.agents.shapes import PATCH, detect_shape, is_agent, of_second, origins_of, second_faults, to_second
from checkpoint_ld.agents.values import bytes_of, bytes_of_ordered, filled, sha256_of
from checkpoint_ld.dialects import source_pointer
from checkpoint_ld.dialects.reading import JSON_SYNTAX, parsed
from checkpoint_ld.dialects.reading.json_ld import address_of
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.documents.text import dump_json, pointer
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.errors import ReadError, ShapeError, WriteError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.contexts import definitions, expand, statements
from checkpoint_ld.phrases import shown, unknown
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import AGENT, CAF

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from typing import BinaryIO

    from checkpoint_ld.agents.values import Shape, Tree
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.graph.store import Index


_TERM = CAF.encode()
_SNAPSHOT = f"{CAF}snapshot"
_FORMS = frozenset(("@context", "@graph", "@id"))
"""Members of an object that is JSON-LD in another form than the plain file."""


@dataclass(frozen=True)
class AgentReading:
    """An agent checkpoint that was read: its tree, its source, and findings about its form.

    `tree` is of the canonical shape and the newest version; it may break rules. `shape` and `version` are those of the
    source, `document` is None for an RDF syntax. `findings` are about the form of the source, in no order.
    """

    tree: Tree = field(repr=False)
    shape: Shape
    version: str
    source: str | None
    syntax: str = JSON_SYNTAX
    findings: tuple[Finding, ...] = ()
    document: Document | None = field(default=None, repr=False)
    kept: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)
    """The verdicts, by profile and engine, and what they are about."""
    family: ClassVar[str] = AGENT

    @property
    def dialect(self) -> str:
        """The dialect of the source: that of its shape."""
        return f"{AGENT}-{self.shape}"

    @property
    def name(self) -> str:
        """The name of the checkpoint, empty if it has none."""
        name = self.tree.get("name")
        return name if isinstance(name, str) else ""

    @cached_property
    def graph(self) -> AgentGraph:
        """The checkpoint as a graph, without derived statements."""
        return AgentGraph.of_tree(self.tree)

    @cached_property
    def origins(self) -> Mapping[str, str] | None:
        """The places in the source of values of the tree, by JSON Pointers, where these differ; None if nowhere."""
        if self.document is None or self.shape == "canonical":
            return None
        return origins_of(self.tree, self.document.value)

    def place(self, pointer: str) -> Place:
        """Return the place in the source of the value at `pointer` of the tree; statements have no lines."""
        return Place(self.source, pointer) if self.document is None else self.document.place(self._in_source(pointer))

    def key_place(self, pointer: str) -> Place:
        """Return the place in the source of the key of the member at `pointer` of the tree."""
        if self.document is None:
            return Place(self.source, pointer)
        return self.document.key_place(self._in_source(pointer))

    def _in_source(self, pointer: str) -> str:
        return pointer if self.origins is None else source_pointer(self.origins, pointer)


def examine(
    source: str | os.PathLike[str] | BinaryIO | bytes | Graph,
    *,
    syntax: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> AgentReading:
    """Read an agent checkpoint from a path, an open binary file, bytes, or an rdflib graph.

    `syntax` is `json` or a name of `rdf.SYNTAXES`; by default it follows from the file's extension, or else from the
    first characters. Raises ReadError if it cannot be read: ShapeError, UnsupportedVersion, and SourceMissingError if
    there is no such file.
    """
    if isinstance(source, Graph):
        return of_statements(emission.held(source))
    data, name = read_bytes(source, limits)
    return examine_bytes(data, name, syntax=syntax, limits=limits)


def examine_bytes(
    data: bytes, name: str | None = None, *, syntax: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> AgentReading:
    """Read an agent checkpoint from the content of a file called `name`. Raises ReadError as `examine`."""
    return parsed(
        data,
        name,
        syntax,
        limits,
        of_document=examine_document,
        of_index=lambda index, syntax: of_statements(index, syntax, name),
    )


def examine_document(document: Document) -> AgentReading:
    """Read an agent checkpoint from a JSON document. Raises ReadError as `examine`."""
    if is_json_ld(document):
        with limited_depth():
            index = statements(expand(document.value, {}))
        stated = of_statements(index, JSON_SYNTAX, document.source)
        return replace(stated, findings=(*document.findings, *_line_ends(document), *stated.findings))
    value = document.value
    try:
        if not is_agent(value):
            detect_shape(value)
        version, shape = values.checked_version(value), detect_shape(value)
        value = without_context(value)
        tree, found = of_second(value) if shape == "second" else (value, ())
        tree, added = filled(values.migrated(tree))
    except ReadError as error:
        raise type(error).of(_placed(one, document) for one in error.findings) from error
    reading = AgentReading(tree, shape, version, document.source, document=document)
    # A file with a fitting patch was made from a canonical one, which need not have the members required here.
    is_made_up = PATCH in value and not found
    of_shape = (*found, *(second_faults(value) if shape == "second" and not is_made_up else ()))
    findings = (
        *document.findings,
        *_line_ends(document),
        *_unused_context(tree, reading),
        *(_placed(one, document) for one in of_shape),
        *(_default(path, reading) for path in added),
    )
    return replace(reading, findings=findings)


def is_json_ld(document: Document) -> bool:
    """Return whether a JSON document states an agent checkpoint in another form of JSON-LD than the plain file.

    A plain file may have a context of its own. If that gives the keys a meaning, the document means what it says.
    """
    value = document.value
    if is_agent(value):
        if CONTEXT not in value:  # as in nearly every file
            return False
        context = value[CONTEXT]
        return context != schema_context() and getattr(definitions(context).get("snapshot"), "iri", None) == _SNAPSHOT
    is_form = isinstance(value, list) or (isinstance(value, dict) and not _FORMS.isdisjoint(value))
    return is_form and _TERM in document.data


def of_statements(index: Index, syntax: str = "graph", source: str | None = None) -> AgentReading:
    """Read an agent checkpoint from statements. Raises ReadError as `examine`, and unless they contain exactly one."""
    try:
        graph = AgentGraph.of_index(index)
        read = graph.tree()
        version = values.checked_version(read)
        tree, added = filled(values.migrated(read))
    except ReadError as error:
        raise in_file(error, source) from error
    reading = AgentReading(tree, "canonical", version, source, syntax)
    found = (*_stale_hash(graph, read, source), *_foreign(graph, source), *_changed(graph, source))
    return replace(reading, findings=(*found, *(_default(one, reading) for one in added)))


def in_file(error: ReadError, name: str | None) -> ReadError:
    """Return an error with the name of its source."""
    if not error.findings:
        return ShapeError.of([replace(finding("agent-shape", str(error), remedy=""), place=Place(name))])
    return type(error).of(replace(one, place=replace(one.place, file=one.place.file or name)) for one in error.findings)


def _stale_hash(graph: AgentGraph, tree: Tree, source: str | None) -> Iterable[Finding]:
    for stored in graph.objects(graph.root, derived("sha256")):
        if str(stored) != sha256_of(tree):
            message = f"the stored hash {shown(str(stored))} does not fit: the statements were edited"
            yield replace(finding("agent-hash", message), place=Place(source))


def _foreign(graph: AgentGraph, source: str | None) -> Iterable[Finding]:
    foreign = sorted({*graph.unread()})
    if foreign:
        (subject, predicate), *others = foreign
        more = f" and {len(others)} more have" if others else " has"
        message = f"the statement <{subject}> <{predicate}> …{more} no place in an agent checkpoint"
        remedy = f"keep such in a file of their own, or as members, by predicates {CAF_EXTENSION}KEY"
        yield replace(finding("loss", message, remedy=remedy), place=Place(source))


def _changed(graph: AgentGraph, source: str | None) -> Iterable[Finding]:
    changed = sorted({*graph.changed()})
    if changed:
        (subject, predicate), *others = changed
        more = f" and of {len(others)} more" if others else ""
        message = f"the language, datatype or spelling of the literal of <{subject}> <{predicate}>{more} is not kept"
        yield replace(finding("loss", message, remedy="write texts and numbers as JSON has them"), place=Place(source))


def _unused_context(tree: Tree, reading: AgentReading) -> Iterable[Finding]:
    if CONTEXT in tree:
        address = address_of(tree[CONTEXT])
        message = "the @context gives the keys of an agent checkpoint no meaning"
        if address is not None:
            message = f"the remote context {shown(address)} is not known and is never fetched"
        remedy = "leave the @context out, or put the one of contexts/caf.jsonld into the document"
        place = reading.key_place(f"/{CONTEXT}")
        yield replace(finding("context", f"{message}; keys are read as they are", remedy=remedy), place=place)


def _line_ends(document: Document) -> Iterable[Finding]:
    at = document.data.find(b"\r")
    if at >= 0:
        start = document.data.rfind(b"\n", 0, at) + 1
        column = len(document.data[start:at].decode("utf-8-sig" if start == 0 else "utf-8")) + 1
        place = Place(document.source, "", document.data.count(b"\n", 0, at) + 1, column)
        yield replace(finding("agent-line-ends", "lines end with a carriage return"), place=place)


def _default(path: tuple[str, ...], reading: AgentReading) -> Finding:
    value = reading.tree
    for name in path:
        value = value[name]
    where = pointer(path)
    place = reading.place(where)
    return replace(finding("agent-default", f"{place.pointer or where} is absent and read as {value}"), place=place)


def _placed(found: Finding, document: Document) -> Finding:
    return replace(found, place=document.place(found.place.pointer or ""))


_PLAIN: Final[Mapping[str, Callable[[Tree], bytes]]] = MappingProxyType(
    {
        "canonical": bytes_of,
        "second": lambda tree: bytes_of(to_second(tree), "second"),
        "jsonld": lambda tree: bytes_of_ordered(jsonld_of(tree)),
    }
)
_OF_GRAPHS: Final[Mapping[str, Callable[[AgentGraph], bytes]]] = MappingProxyType(
    {
        "turtle": emission.turtle_of,
        "nt": emission.ntriples_of,
        "nq": emission.nquads_of,
        "trig": emission.trig_of,
        "xml": emission.rdf_xml_of,
        "expanded": lambda graph: dump_json(emission.expanded_of(graph)),
    }
)
FORMS: Final = (*_PLAIN, *_OF_GRAPHS)
"""The forms of a written agent checkpoint: the two shapes, our JSON-LD, and the RDF syntaxes of its graph."""


def written(tree: Tree, form: str, *, prov: bool = True, inferred: bool = False) -> bytes:
    """Return a tree in the canonical shape in one of `FORMS`.

    In RDF, `prov` adds the provenance layer and `inferred` all derived statements; plain files have neither. Raises
    WriteError for another form, and if the tree cannot be written.
    """
    form = {"nquads": "nq", "ntriples": "nt"}.get(form, form)
    if form in _PLAIN:
        if inferred:
            raise WriteError(f"inferred statements are for RDF, not for documents: write {', '.join(_OF_GRAPHS)}")
        return _PLAIN[form](tree)
    if form in _OF_GRAPHS:
        graph = AgentGraph.of_tree(tree, prov=prov)
        if inferred:
            from checkpoint_ld.agents.inference import with_inferred  # noqa: PLC0415 - few ask for it

            graph = with_inferred(graph)
        return _OF_GRAPHS[form](graph)
    raise WriteError(unknown("form", form, FORMS))
