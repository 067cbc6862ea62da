"""Reading: any source of a checkpoint as one canonical tree, with findings about its form.

`examine` parses bytes as JSON or as RDF statements. `json_ld` rewrites any form of JSON-LD in plain keys, with
`literal_form` for documents that need little change and `statements` for graphs. `dialects.detect` finds the dialect,
which upgrades the tree. Findings point into the source. Rules about the content are checked in `validation`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rdflib import Literal, URIRef

from checkpoint_ld import dialects
from checkpoint_ld.dialects.dialect import as_list, old_name_findings
from checkpoint_ld.dialects.reading import json_ld as forms
from checkpoint_ld.dialects.reading.literal_form import NUMBERS
from checkpoint_ld.dialects.reading.statements import ROOT_TYPES
from checkpoint_ld.documents.document import Document, read_json
from checkpoint_ld.documents.files import extension_of, read_bytes, unpacked
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.graph import contexts, coverage, emission
from checkpoint_ld.graph.literals import TypedText, loses_digits, plain_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.host import uncollected
from checkpoint_ld.phrases import given, shown, unknown
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import BENCHMARK, CAF, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.dialects import Upgrade
    from checkpoint_ld.dialects.reading.json_ld import Plain
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]
Parsed = TypeVar("Parsed")

JSON_SYNTAX = "json"
CANONICAL = "datafeed-ns-v3"

_SYNTAXES = (JSON_SYNTAX, *emission.SYNTAXES)
_BOUNDS = frozenset(URIRef(namespace + name) for namespace in (SCHEMA, SCHEMA_HTTP) for name in NUMBERS)
_CHECKPOINTS = frozenset((*ROOT_TYPES, URIRef(CAF + "Checkpoint")))
"""The classes of checkpoints."""
AGENT_MEMBERS = frozenset(("execution_id", "snapshot"))
"""Members of the root of every agent checkpoint, even of an invalid one."""
_KINDS = {list: "an array", str: "a text", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
_NODE = rb"(?:<[^<>\s]*>|_:\S+(?=\s))"
_LITERAL = rb'"(?:[^"\\]|\\.)*"(?:\^\^<[^<>\s]*>|@[\w-]+)?'
_QUAD = re.compile(rb"\s*".join((_NODE, _NODE, b"(?:" + _NODE + b"|" + _LITERAL + b")", _NODE, rb"\.")))
"""A line of N-Quads that names a graph; Turtle and TriG have no such line."""


GRAPH = "graph"
"""The key of the graph in `Reading.kept`."""


@dataclass(frozen=True)
class Reading:
    """A checkpoint that was read: its canonical tree, its source, and the findings.

    `tree` must not be changed. `dialect` is that of the source. `document` is None for a source in an RDF syntax.
    `upgrade` has led from the document in plain keys to `tree`. `origins` maps pointers into the document in plain keys
    to the source; it is None where expansion has lost the places. `unplaced` are findings about the form of the source
    whose pointers lead into the document in plain keys, `placed` others. `checked` are all findings after the rules at
    load, None before. `kept` has the graph and what validation makes of it, so that each is made once; copies of a
    reading with the same tree share it.
    """

    tree: Tree = field(repr=False)
    dialect: str
    syntax: str
    source: str | None
    document: Document | None = field(repr=False)
    upgrade: Upgrade = field(repr=False)
    origins: Mapping[str, str] | None = field(repr=False)
    placed: tuple[Finding, ...] = field(repr=False)
    unplaced: tuple[Finding, ...] = field(repr=False)
    has_typed_texts: bool
    checked: tuple[Finding, ...] | None = None
    expansion: str = coverage.PLANS
    kept: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)
    family: ClassVar[str] = BENCHMARK

    @property
    def name(self) -> str:
        """The name of the benchmark, empty if it states none."""
        name = self.tree.get("name")
        return name if isinstance(name, str) else ""

    @property
    def graph(self) -> CheckpointGraph:
        """The checkpoint as a graph."""
        graph: CheckpointGraph | None = self.kept.get(GRAPH)
        if graph is None:
            from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph  # noqa: PLC0415 - it takes long to import

            graph = self.kept[GRAPH] = CheckpointGraph.of_tree(self.tree, self.expansion)
        return graph

    @property
    def is_checked(self) -> bool:
        """Whether `findings` include those of the rules at load."""
        return self.checked is not None

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The violations and warnings, with their places."""
        if self.checked is not None:
            return self.checked
        return tuple(sorted(self._of_form(Severity.WARNING), key=by_place))

    @cached_property
    def of_form(self) -> tuple[Finding, ...]:
        """The findings about the form of the source, including those of the severity INFO."""
        return tuple(self._of_form(Severity.INFO))

    def _of_form(self, least: Severity) -> Iterator[Finding]:
        """Yield the findings about the form of the source that have at least a severity."""
        unplaced = (one for one in (*self.upgrade.findings, *self.unplaced) if one.severity >= least)
        for found in (*self.placed, *map(self._in_source, unplaced)):
            is_about_text = found.rule in ("context", "root-type")
            if found.severity >= least and not (self.document is None and is_about_text):
                yield replace(found, dialect=self.dialect)

    def _in_source(self, found: Finding) -> Finding:
        """Complete a finding whose pointer leads into the document in plain keys."""
        if self.document is None or self.origins is None:
            return replace(found, place=Place(self.source))
        pointer = dialects.source_pointer(self.origins, found.place.pointer or "")
        return replace(found, place=self.document.place(pointer))

    def with_findings(self, found: Iterable[Finding]) -> Reading:
        """Return this reading with the findings of the rules at load added to those about the form of the source."""
        return replace(self, checked=tuple(sorted((*self.findings, *found), key=by_place)))

    @property
    def is_readable(self) -> bool:
        """Whether nothing was found that makes the checkpoint unreadable."""
        # Places take long to find, and do not matter here.
        known = (*self.placed, *self.upgrade.unplaced, *self.unplaced) if self.checked is None else self.checked
        return all(found.severity < Severity.VIOLATION for found in known)

    def refusing(self, *, strict: bool = False) -> Reading:
        """Return this reading; raise ReadError if there are violations, or, if `strict`, any findings."""
        if strict or not self.is_readable:
            refused = [found for found in self.findings if strict or found.severity is Severity.VIOLATION]
            if refused:
                raise ReadError.of(refused)
        return self

    def without_types(self) -> Reading:
        """Return this reading without the languages and datatypes of texts."""
        return self._without_types if self.has_typed_texts else self

    @cached_property
    def _without_types(self) -> Reading:
        return replace(self, tree=_plain_texts(self.tree), has_typed_texts=False, kept={})

    def place(self, pointer: str, *, of_key: bool = False) -> Place:
        """Return the place in the source of the value or key at `pointer` of the canonical tree, if it is known."""
        if self.document is None or self.origins is None:
            return Place(self.source)
        source = dialects.source_pointer(self.origins, dialects.source_pointer(self.upgrade.origins, pointer))
        return self.document.key_place(source) if of_key else self.document.place(source)


def by_place(found: Finding) -> tuple[int, int, str, str]:
    """Return the key that sorts findings by their places in the source."""
    return found.place.line or 0, found.place.column or 0, found.node or "", found.code


def examine(source: Any, *, syntax: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Reading:
    """Read a checkpoint from a path, an open binary file or bytes; its content may break rules.

    `syntax` is `json` or a name of `rdf.SYNTAXES`; by default it follows from the file's extension or the first
    characters. Raises ReadError for a source that is neither JSON nor RDF, or no checkpoint; SourceMissingError when
    there is no such file.
    """
    return examine_bytes(*read_bytes(source, limits), syntax=syntax, limits=limits)


def examine_bytes(
    data: bytes, name: str | None = None, *, syntax: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Reading:
    """Read a checkpoint from bytes that came from a source called `name`; otherwise as `examine`."""
    return parsed(
        data,
        name,
        syntax,
        limits,
        of_document=examine_document,
        of_index=lambda index, syntax: of_statements(index, syntax, name),
    )


def parsed(  # noqa: PLR0913 - the source, and what is made of either kind
    data: bytes,
    name: str | None,
    syntax: str | None,
    limits: Limits,
    *,
    of_document: Callable[[Document], Parsed],
    of_index: Callable[[Index, str], Parsed],
    of_graphs: Callable[[Mapping[str, Index], str], Parsed] | None = None,
) -> Parsed:
    """Parse the bytes of a source, packed or not, and return the result of `of_document` or `of_index`.

    `of_document` gets a JSON document, `of_index` the statements of an RDF syntax. `of_graphs` gets those of each graph
    if several are named by a checkpoint in them; such a source is refused without it. Without `syntax` it follows from
    the extension of `name` or the first characters. The findings of a ReadError get the file `name`.
    """
    syntax = emission.LONG_NAMES.get(syntax or "", syntax)
    if syntax is not None and syntax not in _SYNTAXES:
        raise ReadError(unknown("syntax", syntax, _SYNTAXES))
    try:
        data = unpacked(data, name, limits)
        syntax = syntax or syntax_of(name, data)
        with uncollected():
            if syntax == JSON_SYNTAX:
                return of_document(read_json(data, name, limits))
            graphs = emission.parse_graphs(data, syntax)
            several = [graph for graph, index in graphs.items() if len(graphs) > 1 and _is_of_checkpoint(graph, index)]
            if len(several) > 1 and of_graphs is not None:
                return of_graphs(graphs, syntax)
            if len(several) > 1:
                raise _of_several(several)
            return of_index(emission.together(graphs), syntax)
    except ReadError as error:
        if not error.findings:
            raise
        raise in_file(error, name) from error


def examine_document(document: Document, *, restored: bool = True) -> Reading:
    """Read a checkpoint from a JSON document; otherwise as `examine`, but errors may name no file.

    Without `restored`, the leftovers that our writer keeps in a Dataset are ignored.
    """
    plain = forms.plain(document.value)
    return _reading(plain, JSON_SYNTAX, document.source, document, restored=restored)


def in_file(error: ReadError, name: str | None) -> ReadError:
    """Return an error whose findings have the file `name` where they had none."""
    return type(error).of(
        replace(finding, place=replace(finding.place, file=finding.place.file or name)) for finding in error.findings
    )


def of_statements(index: Index, syntax: str = "graph", source: str | None = None) -> Reading:
    """Read a checkpoint from the statements of one or more graphs."""
    plain = forms.of_index(index, syntax, as_found=False)
    if plain is None:
        raise _of_several(forms.roots(index))
    read = _reading(replace(plain, forms=()), syntax, source, None)
    return replace(read, placed=(*read.placed, *_lost_digits(index, source)))


def _lost_digits(index: Index, source: str | None) -> Iterator[Finding]:
    """Yield a finding for each bound of a trait that has more digits than JSON's numbers keep."""
    for subject, held in index.items():
        for predicate in _BOUNDS & held.keys():
            for number in terms_of(held[predicate]):
                if isinstance(number, Literal) and loses_digits(str(number)):
                    message = f"<{predicate}> of <{subject}> is read as {float(number)!r}: {number} has more digits"
                    remedy = "write the number with the digits of a double, 17 at most"
                    yield replace(finding("loss", message, remedy=remedy), place=Place(source))


def _rounded_bounds(tree: Tree) -> Iterator[Finding]:
    """Yield a finding for each integer bound of a trait that is another number as a double, which bounds are."""
    elements = enumerate(as_list(tree.get("dataFeedElement")))
    holders = [("", tree)]
    for at, element in elements:
        item = element.get("item") if isinstance(element, dict) else None
        if isinstance(item, dict) and item.get("rating"):
            holders.append((f"/dataFeedElement/{at}/item", item))
    for place, holder in holders:
        for at, rating in enumerate(as_list(holder.get("rating"))):
            for key in ("bestRating", "worstRating") if isinstance(rating, dict) else ():
                bound = rating.get(key)
                if isinstance(bound, int) and abs(bound) < _TOO_MANY and int(float(bound)) != bound:
                    message = f"the {key} {bound} is {float(bound)!r} in the graph, where bounds are doubles"
                    remedy = "write the number with the digits of a double, 17 at most"
                    yield finding("loss", message, pointer=f"{place}/rating/{at}/{key}", remedy=remedy)


_TOO_MANY = 10**300
"""Integers from here on may be beyond doubles."""


def _of_several(found: Sequence[object]) -> ReadError:
    held = f"{len(found)} checkpoints: " + ", ".join(sorted(map(str, found))) if found else "no checkpoint"
    remedy = "give the statements of exactly one schema:DataFeed"
    remedy += "; store add, query and serve take named graphs of several" if found else ""
    return ReadError.of([finding("no-checkpoint", f"the statements hold {held}", remedy=remedy)])


def _is_of_checkpoint(graph: str, index: Index) -> bool:
    """Return whether the name of a graph is that of a checkpoint in it, with or without `#` and a hash."""
    roots = (index.get(URIRef(name), {}) for name in (graph, graph.rpartition("#")[0]))
    return any(kind in _CHECKPOINTS for root in roots for kind in terms_of(root.get(contexts.RDF_TYPE)))


def syntax_of(name: str | None, data: bytes) -> str:
    """Return the syntax of a text, which follows from its file's extension or from its start."""
    extension = extension_of(name or "")
    if extension in emission.EXTENSIONS:
        return emission.EXTENSIONS[extension]
    start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    if extension in (".json", ".jsonld") or not start or start[:1] in b'{["' or b"\x00" in start:
        return JSON_SYNTAX
    if start.startswith(b"<<<<<<<"):  # a conflict marker of git, which the JSON parser reports
        return JSON_SYNTAX
    if start.startswith((b"<?xml", b"<rdf:", b"<RDF", b"<!DOCTYPE")):
        return "xml"
    if _QUAD.match(data.lstrip().partition(b"\n")[0]):
        return "nq"
    if start.startswith((b"@prefix", b"PREFIX", b"@base", b"BASE", b"#", b"<", b"_:")):
        return "trig"
    return JSON_SYNTAX


def _reading(
    plain: Plain, syntax: str, name: str | None, document: Document | None, *, restored: bool = True
) -> Reading:
    detected = dialects.detect(plain.tree)
    if detected is None:
        raise ReadError.of([_no_checkpoint(plain.tree, document)])
    upgrade = detected.upgrade(plain.tree, restored=restored)
    tree = upgrade.tree
    if detected.name != CANONICAL:
        bare = {key: value for key, value in tree.items() if key != "@context"}
        tree = {"@context": {**contexts.plain(), **contexts.foreign_terms(tree.get("@context"))}, **bare}
    rounded = () if document is None or not isinstance(plain.tree, dict) else _rounded_bounds(plain.tree)
    is_as_written = document is not None and plain.origins is not None and detected.name == CANONICAL
    return Reading(
        tree,
        detected.name,
        syntax,
        name,
        document,
        upgrade,
        plain.origins,
        placed=(*(document.findings if document is not None else ()), *_form_findings(plain, document)),
        unplaced=(*(old_name_findings(plain.tree) if is_as_written else ()), *rounded),
        has_typed_texts=plain.has_typed_texts,
        expansion=coverage.expansion(),
    )


def _form_findings(plain: Plain, document: Document | None) -> Iterable[Finding]:
    place = Place(document.source if document else None, "", 1, 1)
    if plain.forms or plain.changed:
        more = [f"{len(plain.forms) - 3} more"] if len(plain.forms) > 3 else []
        unusual = "; ".join([*plain.forms[:3], *more, *plain.changed])
        yield replace(finding("json-ld-form", f"not the usual form of JSON-LD: {unusual}", pointer=""), place=place)
    yield from _context_findings(plain, document)


def _context_findings(plain: Plain, document: Document | None) -> Iterable[Finding]:
    tree = plain.tree
    if document is None or plain.origins is None or not any(key.startswith("@") for key in tree):
        return
    if "@type" not in tree:
        yield replace(
            finding("root-type", "the root has no @type; it is read as a DataFeed"), place=document.place("/@type")
        )
    address, context = forms.address_of(tree.get("@context")), tree.get("@context")
    if address is not None:
        message = f"the remote context {shown(address)} is not known and is never fetched; keys are read as they are"
    elif "@context" not in tree:
        message = "there is no @context; keys are read as they are"
    elif not isinstance(context, (dict, list, str)):
        message = f"the @context is {shown(context)}, not an object; keys are read as they are"
    elif isinstance(context, dict) and not contexts.is_literal(context):
        vocabulary = given(context.get("@vocab"))
        message = f"the @vocab of the @context is {vocabulary}, not schema.org's; keys are read as they are"
    else:
        return
    slug = "context" if isinstance(context, dict) else "context-not-object"
    yield replace(finding(slug, message), place=document.place("/@context"))


def _plain_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain_texts(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain_texts(member) for member in value]
    return plain_of(value) if isinstance(value, TypedText) else value


def _no_checkpoint(value: Any, document: Document | None) -> Finding:
    description = (
        f"an object with the members {', '.join(map(shown, list(value)[:8]))}"
        if isinstance(value, dict) and value
        else _KINDS.get(type(value), "an object without members")
    )
    place = Place(document.source if document else None, "", 1, 1)
    if isinstance(value, dict) and value.keys() >= AGENT_MEMBERS:
        message = f"this is an agent checkpoint, no benchmark: {description}"
        remedy = "use the commands of checkpoint-ld agent, or those that take both, such as convert, validate and query"
        return replace(finding("no-checkpoint", message, remedy=remedy), place=place)
    return replace(finding("no-checkpoint", f"this is no checkpoint but {description}"), place=place)
