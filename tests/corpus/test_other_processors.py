"""Real documents by way of other JSON-LD processors: JSON-LD, a processor, N-Quads, and read again they evaluate alike.

jsonld.js runs where CHECKPOINT_LD_COMUNICA names a folder with the npm package jsonld.
"""

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
import rdflib
from pyld import jsonld
from pyoxigraph import RdfFormat

from checkpoint_ld import Benchmark
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.literals import is_iri
from checkpoint_ld.vocabulary import ID_BASE
from tests.trials import some

from . import DIALECTS, expectations, loaded

Json = Any
SCRIPT = Path(__file__).parent / "elsewhere" / "to_rdf.mjs"


def by_pyld(files: list[Path]) -> None:
    for file in files:
        quads = jsonld.to_rdf(json.loads(file.read_bytes()), {**contexts.options(), "format": "application/n-quads"})
        file.with_name(f"{file.name}.nq").write_text(quads, encoding="utf-8")


def by_pyoxigraph(files: list[Path]) -> None:
    for file in files:
        quads = pyoxigraph.parse(path=str(file), format=RdfFormat.JSON_LD, base_iri=ID_BASE, lenient=True)
        pyoxigraph.serialize(quads, str(file.with_name(f"{file.name}.nq")), format=RdfFormat.N_QUADS)


def by_rdflib(files: list[Path]) -> None:
    for file in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's parser uses its own old classes
            graph = rdflib.Graph().parse(file, format="json-ld")
        graph.serialize(file.with_name(f"{file.name}.nq"), format="nt", encoding="utf-8")


def by_jsonld_js(files: list[Path]) -> None:
    folder = os.environ.get("CHECKPOINT_LD_COMUNICA")
    if not folder or shutil.which("node") is None or not Path(folder, "node_modules", "jsonld").is_dir():
        pytest.skip("no jsonld.js to ask: name the folder of its npm package by CHECKPOINT_LD_COMUNICA")
    subprocess.run(["node", SCRIPT, *files], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("processor", [by_pyld, by_pyoxigraph, by_rdflib, by_jsonld_js])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_document_evaluates_alike_after_another_processor(
    corpus: Path, tmp_path: Path, dialect: str, processor: Callable[[list[Path]], None]
) -> None:
    before: dict[Path, Json] = {}
    for at, case in enumerate(some(expectations(corpus, dialect), 4)):
        benchmark = loaded(corpus / case["file"])
        document = benchmark.to_jsonld()
        if not are_names(document):
            continue
        file = tmp_path / f"{at}.jsonld"
        file.write_text(json.dumps(document), encoding="utf-8")
        before[file] = what_evaluates(benchmark)
    if dialect != "v2.0-other":  # which has one document
        assert before
    processor([*before])
    for file, expected in before.items():
        assert what_evaluates(Benchmark.load(file.with_name(f"{file.name}.nq"))) == expected, file.name


def what_evaluates(benchmark: Benchmark) -> Json:
    """Return questions, templates and traits, with the digits of numbers that processors keep.

    JSON-LD gives questions, traits, keywords and keys no order, and none has a meaning; that of a trait's classes has.
    """
    rubric = benchmark.global_rubric
    return comparable(
        [rubric and rubric.model_dump(mode="json"), [one.model_dump(mode="json") for one in benchmark.questions]]
    )


def comparable(value: Json, key: str = "") -> Json:
    if isinstance(value, dict):
        members = [[name, comparable(one, name)] for name, one in value.items()]
        return members if key == "classes" else sorted(members, key=itemgetter(0))
    if isinstance(value, list):
        return [*dict.fromkeys(sorted(json.dumps(comparable(one)) for one in value))]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def are_names(value: Json) -> bool:
    """Return whether all identifiers are IRIs, each of one object: others are dropped, or joined, by processors."""
    names: list[str] = []

    def note(node: dict[str, Json]) -> dict[str, Json]:
        if isinstance(node.get("@id"), str) and len(node) > 1:
            names.append(node["@id"])
        return node

    json.loads(json.dumps({key: one for key, one in value.items() if key != "@context"}), object_hook=note)
    return len({*names}) == len(names) and all(":" not in one or is_iri(one) for one in names)
