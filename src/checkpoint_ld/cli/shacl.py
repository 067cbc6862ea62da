"""The command `shacl`: any RDF validated by anybody's shapes, with the options and the reports of pySHACL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.cli import options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command
from checkpoint_ld.errors import ReadError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib import Graph

    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl import Shapes

ENGINES = ("compiled", "pyshacl")
INFERENCES = ("none", "rdfs", "owlrl", "both")
SYNTAXES = ("auto", "turtle", "xml", "json-ld", "nt", "n3", "nquads", "trig")
"""The syntaxes of inputs, by pySHACL's names."""
FORMATS = ("human", "json", "turtle", "xml", "json-ld", "nt", "n3")
_BY_EXTENSION = {".json": "json", ".ttl": "turtle", ".rdf": "xml", ".jsonld": "json-ld", ".nt": "nt", ".n3": "n3"}
_OURS = {"n3": "turtle", "nquads": "nq"}
_JSON_LD = "json-ld"
_JSON = (".json", ".jsonld")
_SCHEMES = ("http://schema.org/", "https://schema.org/")


def _syntax(*names: str, of: str) -> Any:
    return options.choice(*names, values=SYNTAXES, default="auto", help=f"The syntax of {of}; auto goes by the name.")


@click.command(cls=Command)
def shacl(
    *,
    files: tuple[str, ...] = options.argument(
        "DATA...", "Files of RDF or checkpoints, which count together; - for standard input.", nargs=-1, required=True
    ),
    shapes: tuple[str, ...] = options.file(
        "-s", "--shapes", "--shacl", multiple=True, help="A file of shapes; without it, the data hold them."
    ),
    ont_graph: str | None = options.file("-e", "--ont-graph", help="A file whose statements are added to the data."),
    inference: str = options.choice(
        "-i", "--inference", values=INFERENCES, default="none", help="What is inferred from the data before."
    ),
    metashacl: bool = options.flag("-m", "--metashacl", help="Validate the shapes by the shapes of SHACL first."),
    advanced: bool = options.flag("-a", "--advanced", help="Apply SHACL Advanced Features, such as rules."),
    iterate_rules: bool = options.flag("-it", "--iterate-rules", help="Repeat rules until nothing new follows."),
    allow_infos: bool = options.flag("--allow-infos", "--allow-info", help="Results of severity Info do not count."),
    allow_warnings: bool = options.flag(
        "-w", "--allow-warnings", "--allow-warning", help="Results of severity Warning or Info do not count."
    ),
    focus: str | None = options.value("--focus", help="The IRIs of the only focus nodes, with commas."),
    shape: str | None = options.value("--shape", help="The IRIs of the only shapes, with commas."),
    engine: str = options.choice(
        "--engine", values=ENGINES, default=ENGINES[0], help="The engine; pyshacl leaves all to pySHACL."
    ),
    kind: str | None = options.choice(
        "-f",
        "--format",
        values=FORMATS,
        help="How to write the report; without it the output's extension decides, else human.",
    ),
    data_syntax: str = _syntax("-df", "--data-file-format", of="the data"),
    shapes_syntax: str = _syntax("-sf", "--shacl-file-format", of="the shapes"),
    ont_syntax: str = _syntax("-ef", "--ont-file-format", of="the file of --ont-graph"),
    output: Output = options.output("The file to write the report to."),
) -> None:
    """Validate any RDF by SHACL, with the options of pySHACL: exit with 0 if it conforms, and with 1 if not."""
    from checkpoint_ld import shacl as engines
    from checkpoint_ld.documents.files import kind_of
    from checkpoint_ld.shacl.shapes import compile_statements

    output.check(*files, *shapes, ont_graph)
    if iterate_rules and not advanced:
        raise SettingsError("--iterate-rules is about rules, which only --advanced applies: give both")
    data = _graph((file, data_syntax) for file in files)
    given = _graph((file, shapes_syntax) for file in shapes) if shapes else data
    added = None if ont_graph is None else _graph([(ont_graph, ont_syntax)])
    if metashacl:
        _check_shapes(given)
    compiled = compile_statements(engines.index_of(given), {}, advanced=advanced)
    if shape is not None:
        compiled = compiled.only([name.strip() for name in shape.split(",")])
    compiled = compiled.for_pyshacl() if engine == ENGINES[1] else compiled
    if inference != INFERENCES[0]:
        data = _inferred(data, inference)
    for doubt in _doubts(compiled, data):
        streams.note(f"warning: {doubt}")
    conforms, report, text = engines.validate(
        data,
        compiled,
        ont_graph=added,
        iterate_rules=iterate_rules,
        allow_infos=allow_infos,
        allow_warnings=allow_warnings,
        focus_nodes=None if focus is None else [name.strip() for name in focus.split(",")],
    )
    kind = kind or kind_of(output.file, _BY_EXTENSION, "human")
    output.write_report(text if kind == "human" else _written(report, kind, conforms=conforms), kind)
    raise Exit(0 if conforms else EXIT_FOUND)


def _graph(files: Iterable[tuple[str, str]]) -> Graph:
    """Return the statements of files, each with its syntax, as one graph."""
    from checkpoint_ld.graph.emission import together
    from checkpoint_ld.graph.store import graph_of

    return graph_of(together({str(number): _statements(*file) for number, file in enumerate(files)}))


def _statements(file: str, syntax: str) -> Index:
    from checkpoint_ld import families
    from checkpoint_ld.documents.files import read_bytes, unpacked
    from checkpoint_ld.documents.values import DEFAULT_LIMITS
    from checkpoint_ld.graph import emission

    data, name = read_bytes(streams.source_of(file))
    data = unpacked(data, name, DEFAULT_LIMITS)
    suffixes = ["", *(suffix for suffix in Path(name or "").suffixes if suffix != ".gz")]
    if syntax == "auto":
        syntax = _JSON_LD if suffixes[-1] in _JSON else emission.EXTENSIONS.get(suffixes[-1], "turtle")
    try:
        if syntax == _JSON_LD:
            try:
                return families.graph_of(families.refusing(families.examine_bytes(data, name))).held
            except ReadError:  # it is no checkpoint
                return emission.parse(data, _JSON_LD, base=_base(file))
        return emission.parse(data, _OURS.get(syntax, syntax), base=_base(file))
    except ReadError as error:
        raise ReadError(f"{file}: {error}", error.findings) from error


def _base(file: str) -> str:
    return Path.cwd().as_uri() + "/" if file == streams.STANDARD else Path(file).absolute().as_uri()


def _check_shapes(shapes: Graph) -> None:
    """Validate shapes by the shapes of SHACL (SHACL 1.0 Appendix C). Raises SettingsError if they do not conform."""
    import pyshacl

    from checkpoint_ld import shacl as engines

    own = _graph([(str(Path(pyshacl.__file__).parent / "assets" / "shacl-shacl.ttl"), "turtle")])
    conforms, _, text = engines.validate(shapes, own)
    if not conforms:
        raise SettingsError(f"the shapes do not conform to those of SHACL:\n{text}")


def _inferred(data: Graph, inference: str) -> Graph:
    """Return a copy of a graph with what follows by RDFS, OWL 2 RL, or both, as pySHACL infers it."""
    from owlrl import DeductiveClosure, OWLRL_Semantics
    from pyshacl.inference import CustomRDFSOWLRLSemantics, CustomRDFSSemantics
    from rdflib import Graph

    copy = Graph(bind_namespaces="none")
    for triple in data:
        copy.add(triple)
    kinds = {"rdfs": CustomRDFSSemantics, "owlrl": OWLRL_Semantics, "both": CustomRDFSOWLRLSemantics}
    DeductiveClosure(kinds[inference]).expand(copy)
    return copy


def _doubts(shapes: Shapes, data: Graph) -> Iterator[str]:
    """Yield what is doubtful about shapes: parts without effect, and targets that match nothing in the data."""
    from rdflib import RDF, URIRef

    from checkpoint_ld import shacl as engines
    from checkpoint_ld.shacl.shape import described
    from checkpoint_ld.shacl.shapes import Validation

    yield from map(str, shapes.problems)
    for unmatched in Validation(shapes, engines.DataGraph(engines.index_of(data))).unmatched():
        named = described(shapes.index, unmatched.node)
        doubt = f"no node of the data is a target of {named}"
        for here, there in (_SCHEMES, _SCHEMES[::-1]):
            for term in (str(term) for _, term in unmatched.targets if str(term).startswith(here)):
                other = URIRef(there + term.removeprefix(here))
                if (None, RDF.type, other) in data or (None, other, None) in data:
                    doubt = f"{named} names <{term}>, and the data have <{other}>: write it as the data do"
        yield doubt


def _written(report: Graph, kind: str, *, conforms: bool) -> str:
    if kind != "json":
        return report.serialize(format={"xml": "pretty-xml"}.get(kind, kind), encoding="utf-8").decode()
    from rdflib import SH

    from checkpoint_ld import shacl as engines
    from checkpoint_ld.documents.text import dump_json
    from checkpoint_ld.shacl.shape import described

    index = engines.index_of(report)
    names = (SH.focusNode, SH.resultPath, SH.value, SH.sourceShape, SH.sourceConstraintComponent, SH.resultSeverity)

    results = []
    for result in report.objects(None, SH.result):
        terms = {str(name).rpartition("#")[2]: report.value(result, name) for name in names}
        members: dict[str, Any] = {
            name: None if term is None else described(index, term) for name, term in terms.items()
        }
        results.append({**members, "resultMessage": sorted(map(str, report.objects(result, SH.resultMessage)))})
    return dump_json({"conforms": conforms, "results": sorted(results, key=str)}).decode() + "\n"
