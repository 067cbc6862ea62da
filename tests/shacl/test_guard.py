"""Queries of anybody's shapes: none reaches another host, whatever its spelling and wherever it stands."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import SH, Graph, URIRef

from checkpoint_ld import families, shacl
from checkpoint_ld.batch import configuration
from checkpoint_ld.errors import ShapesError
from checkpoint_ld.workers import patterns

PREFIXES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
DATA = PREFIXES + "ex:ann a ex:Person ; ex:name 'Ann' ; ex:age 7 ."


class Listener:
    """A server on this machine that counts who connects."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/"
        self.connections = 0
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join(5)


@pytest.fixture
def silent() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()
    assert listener.connections == 0


SPELLINGS = {
    "plain": "SERVICE <{url}> {{ ?x ?y ?z }}",
    "silent": "SERVICE SILENT <{url}> {{ ?x ?y ?z }}",
    "lower case": "service<{url}>{{ ?x ?y ?z }}",
    "after a comment": "# it's fine\n SERVICE # <\n <{url}> {{ ?x ?y ?z }}",
    "after a carriage return": "# comment \r SERVICE <{url}> {{ ?x ?y ?z }}",
    "escaped": "S\\u0045RVICE <{url}> {{ ?x ?y ?z }}",
    "an escaped bracket": "\\u007d SERVICE <{url}> \\u007b ?x ?y ?z",
    "by a variable": "BIND (<{url}> AS ?to) SERVICE ?to {{ ?x ?y ?z }}",
    "by a prefix": "SERVICE there: {{ ?x ?y ?z }}",
    "in a filter": "FILTER EXISTS {{ SERVICE <{url}> {{ ?x ?y ?z }} }}",
    "in a sub-select": "{{ SELECT $this {{ SERVICE <{url}> {{ $this ?y ?z }} }} }}",
}


def literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r") + '"'


def select(listener: Listener, spelling: str) -> str:
    pattern = SPELLINGS[spelling].format(url=listener.url)
    start = f"PREFIX there: <{listener.url}> " if "there:" in pattern else ""
    return f"{start}SELECT $this ?value WHERE {{ $this <http://example.org/name> ?value . {pattern} }}"


def validate(shapes: str, *, advanced: bool = False) -> None:
    shacl.validate(Graph().parse(data=DATA), Graph().parse(data=PREFIXES + shapes), advanced=advanced)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_service_reaches_a_server(silent: Listener, spelling: str) -> None:
    with pytest.raises(ShapesError, match=r"query of [\s\S]* is refused"):
        validate(f"ex:S sh:targetClass ex:Person ; sh:sparql [ sh:select {literal(select(silent, spelling))} ] .")


PLACES = {
    "a component": """ex:C a sh:ConstraintComponent ; sh:parameter [ sh:path ex:flag ] ;
        sh:validator [ a sh:SPARQLAskValidator ; sh:ask {ask} ] . ex:S sh:targetClass ex:Person ; ex:flag true .""",
    "a component of properties": """ex:C a sh:ConstraintComponent ; sh:parameter [ sh:path ex:flag ] ;
        sh:propertyValidator [ sh:select {select} ] .
        ex:S sh:targetClass ex:Person ; sh:property [ sh:path ex:name ; ex:flag true ] .""",
    "a target": "ex:S sh:target [ a sh:SPARQLTarget ; sh:select {select} ] ; sh:nodeKind sh:IRI .",
    "a rule": "ex:S sh:targetClass ex:Person ; sh:rule [ a sh:SPARQLRule ; sh:construct {construct} ] .",
    "a function": """ex:f a sh:SPARQLFunction ; sh:returnType xsd:string ; sh:select {select} .
        ex:S sh:targetClass ex:Person ; sh:expression [ ex:f () ] .""",
    "a node expression": "ex:S sh:targetClass ex:Person ; sh:expression [ sh:select {select} ] .",
    "what nothing uses": """ex:Nothing sh:sparql [ sh:select {select} ] .
        ex:S sh:targetClass ex:Person ; sh:nodeKind sh:IRI .""",
}


@pytest.mark.parametrize("place", PLACES)
def test_no_place_of_a_query_reaches_a_server(silent: Listener, place: str) -> None:
    service = f"SERVICE <{silent.url}> {{ ?x ?y ?z }}"
    texts = {
        "select": literal(f"SELECT $this WHERE {{ {service} }}"),
        "ask": literal(f"ASK {{ {service} }}"),
        "construct": literal(f"CONSTRUCT {{ $this <urn:p> ?z }} WHERE {{ {service} }}"),
    }
    with pytest.raises(ShapesError, match="SERVICE"):
        validate(PLACES[place].format(**texts), advanced=True)


@pytest.mark.parametrize("clause", ["FROM <{url}>", "FROM NAMED <{url}>"])
def test_no_graph_of_a_query_is_fetched(silent: Listener, clause: str) -> None:
    query = literal(f"SELECT $this {clause.format(url=silent.url)} WHERE {{ $this ?p ?o }}")
    with pytest.raises(ShapesError, match="FROM"):
        validate(f"ex:S sh:targetClass ex:Person ; sh:sparql [ sh:select {query} ] .")


def test_an_update_is_refused(silent: Listener) -> None:
    with pytest.raises(ShapesError, match="update"):
        validate(
            f"ex:S sh:targetClass ex:Person ; sh:sparql [ sh:select {literal(f'LOAD <{silent.url}>')} ] ;"
            "sh:nodeKind sh:IRI ."
        )


def test_a_declared_prefix_is_no_way_into_a_query(silent: Listener) -> None:
    namespace = f"http://x/> SELECT $this WHERE {{ SERVICE <{silent.url}> {{ ?x ?y ?z }} }} #"
    with pytest.raises(ShapesError, match="write one prefix"):
        validate(f"""ex:O sh:declare [ sh:prefix "x" ; sh:namespace {literal(namespace)}^^xsd:anyURI ] .
            ex:S sh:targetClass ex:Person ;
              sh:sparql [ sh:prefixes ex:O ; sh:select "SELECT $this WHERE {{ $this ?p ?o }}" ] .""")


def test_a_path_is_no_way_into_a_query(silent: Listener) -> None:
    shapes = Graph().parse(
        data=PREFIXES + "ex:S sh:targetClass ex:Person ; sh:property [ sh:path ex:P ; sh:sparql [ sh:select "
        '"SELECT $this ?value WHERE { $this $PATH ?value }" ] ] .'
    )
    (node,) = shapes.subjects(SH.path, None)
    path = URIRef(f"http://x> ?value . SERVICE <{silent.url}> {{ ?x ?y ?z }} $this <http://x")
    shapes.set((node, SH.path, path))
    with pytest.raises(ShapesError):
        shacl.validate(Graph().parse(data=DATA), shapes)


def test_the_word_alone_is_no_fault() -> None:
    text = 'SELECT $this WHERE { $this <http://example.org/service> "SERVICE" } # FROM <x>'
    validate(f"ex:S sh:targetClass ex:Person ; sh:sparql [ sh:select {literal(text)} ] .")


def test_shapes_of_a_command_and_of_python_reach_no_server(silent: Listener, tmp_path: Path) -> None:
    query = literal(select(silent, "plain"))
    (tmp_path / "own.ttl").write_text(
        PREFIXES + f"ex:S sh:targetClass <https://schema.org/DataFeed> ; sh:sparql [ sh:select {query} ] .",
        encoding="utf-8",
    )
    source = tmp_path / "empty.jsonld"
    source.write_text('{"@context": {"@vocab": "https://schema.org/"}, "@type": "DataFeed", "name": "x"}')
    command = [
        sys.executable,
        "-c",
        "from checkpoint_ld.cli import main; main()",
        "validate",
        "--shapes",
        str(tmp_path / "own.ttl"),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "SERVICE" in done.stderr
    with pytest.raises(ShapesError, match="SERVICE"):
        families.validate(str(source), shapes=[str(tmp_path / "own.ttl")])


SHAPES = """ex:S sh:targetClass <https://schema.org/DataFeed> ; sh:message "of a query" ;
  sh:sparql [ sh:select "SELECT $this { $this ?p ?o }" ] ."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of anybody, whose configuration names shapes with a query."""
    (tmp_path / "own.ttl").write_text(PREFIXES + SHAPES, encoding="utf-8")
    (tmp_path / ".checkpoint-ld.toml").write_text('shapes = ["own.ttl"]\n', encoding="utf-8")
    document = {"@context": {"@vocab": "https://schema.org/"}, "@type": "DataFeed", "name": "x"}
    (tmp_path / "feed.jsonld").write_text(json.dumps(document), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "is_run"),
    [
        ([], False),
        (["--trust-config"], True),
        (["--config", ".checkpoint-ld.toml"], True),
        (["--shapes", "own.ttl"], True),
    ],
)
def test_queries_of_a_found_configuration_run_only_on_the_word_of_the_user(
    project: Path, options: list[str], is_run: bool
) -> None:
    command = [sys.executable, "-c", "from checkpoint_ld.cli import main; main()", "validate", *options, "feed.jsonld"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=project)

    assert ("of a query" in done.stdout) is is_run
    assert ("--trust-config" in done.stderr) is not is_run
    assert done.returncode == (1 if is_run else 2)


def test_shapes_that_declare_need_no_trust(project: Path) -> None:
    declaring = SHAPES.partition("sh:sparql")[0] + "sh:nodeKind sh:Literal ."
    (project / "own.ttl").write_text(PREFIXES + declaring, encoding="utf-8")
    chosen = configuration.find(project)

    assert configuration.profiles(chosen).shapes == (str(project / "own.ttl"),)


def test_a_pattern_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "TIME_LIMIT", 0.5)
    data = Graph().parse(data=PREFIXES + f"ex:ann ex:name '{'a' * 40}!', 'aa', 7 .")
    shapes = Graph().parse(
        data=PREFIXES + "ex:S sh:targetSubjectsOf ex:name ; sh:path ex:name ; sh:pattern '^(a+)+$' ."
    )

    with pytest.raises(ShapesError, match=r"takes more than 0\.5 s"):
        shacl.validate(data, shapes)
