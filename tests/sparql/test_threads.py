"""What parses SPARQL for the first time in a process may be called from several threads at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

_SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .
<urn:long> a sh:NodeShape ; sh:targetClass schema:Question ; sh:sparql [ a sh:SPARQLConstraint ;
    sh:message "long" ; sh:select '''SELECT $this ?value WHERE { $this <https://schema.org/text> ?value .
        FILTER(STRLEN(STR(?value)) > 35 && !CONTAINS(?value, "zzz")) }''' ] .
"""

_PROGRAM = """
import json, sys, threading, traceback
import checkpoint_ld

ways, folder, shapes = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
benchmark = checkpoint_ld.Benchmark.load(folder + "/metals.jsonld")
asked = ("SELECT ?s ?n WHERE { ?s a schema:Question ; schema:text ?t . OPTIONAL { ?s schema:keywords ?n } "
         "FILTER(STRLEN(?t) > 3) } ORDER BY ?s ?n LIMIT 5")
added = 'INSERT { ?s schema:about "asked" } WHERE { ?s a schema:Question . FILTER NOT EXISTS { ?s schema:rating ?r } }'

def validated(**options):
    return [str(one) for one in checkpoint_ld.validate(folder + "/broken.jsonld", **options).findings]

def updated():
    graph = benchmark.graph.copy()
    graph.update(added)
    return len(graph)

calls = {
    "validate": validated,
    "pyshacl": lambda: validated(engine="pyshacl"),
    "shapes": lambda: validated(shapes=[shapes]),
    "query": lambda: [str(row) for row in benchmark.query(asked)],
    "rdflib": lambda: [str(row) for row in benchmark.query(asked, engine="rdflib")],
    "graph": lambda: [str(row) for row in benchmark.graph.query(asked)],
    "update": updated,
    "named": lambda: [str(row) for row in benchmark.query("keywords")],
}
barrier = threading.Barrier(8)
answers = {way: set() for way in ways}

def call(way):
    try:
        answers[way].add(json.dumps(calls[way]()))
    except Exception as error:
        answers[way].add(f"!{type(error).__name__}: {error}")

def run(way):
    barrier.wait()
    call(way)

sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=run, args=(ways[at % len(ways)],)) for at in range(8)]
for one in threads:
    one.start()
for one in threads:
    one.join()
sys.setswitchinterval(0.005)
for way in ways:
    call(way)
print(json.dumps({way: sorted(told) for way, told in answers.items()}))
"""

_WAYS = ("validate", "pyshacl", "shapes", "query", "rdflib", "graph", "update")


@pytest.mark.slow
@pytest.mark.parametrize("ways", [*((way,) for way in _WAYS), (*_WAYS, "named")], ids="-".join)
def test_the_first_calls_of_a_process_may_come_from_several_threads(ways: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "shapes.ttl").write_text(_SHAPES)
    arguments = [json.dumps(ways), str(_EXAMPLES), str(tmp_path / "shapes.ttl")]
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, timeout=300, check=True
    )
    answers = json.loads(run.stdout)
    assert set(answers) == set(ways)
    for way, told in answers.items():
        assert len(told) == 1, f"{way}: the threads have different answers: {told}"
        assert not told[0].startswith("!"), told
        assert json.loads(told[0]), f"{way}: there is no answer"
