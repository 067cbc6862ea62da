"""The named queries, as `query --list --name` prints them, in Jena and in Comunica: the same rows.

They run where CHECKPOINT_LD_COMUNICA names a folder with the npm packages @comunica/query-sparql-rdfjs and n3, and
where Debian's libapache-jena-java and libxerces2-java are installed, with a JDK.
"""

import json
import os
import shutil
import subprocess
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import QuerySolutions, RdfFormat, Store

import checkpoint_ld
from checkpoint_ld.guard.checking import complete
from checkpoint_ld.sparql import Dataset, queries
from checkpoint_ld.sparql.formats import render

from . import test_agent_queries
from .benchmarks import dataset

HERE = Path(__file__).with_name("elsewhere")
EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))
PAIR = {"before": "urn:caf:checkpoint/k1", "after": "urn:caf:checkpoint/k2"}
GIVEN = {
    "agent-confidence-changes": PAIR,
    "agent-thoughts-added": PAIR,
    "agent-timeline": {"execution": "urn:caf:execution/exec_1"},
}
JARS = Path("/usr/share/java")
JENA = (
    *("jena-arq", "jena-base", "jena-core", "jena-iri", "jena-shaded-guava", "slf4j-api", "slf4j-nop", "commons-io"),
    *("commons-lang3", "commons-cli", "commons-codec", "commons-csv", "commons-compress", "caffeine", "thrift"),
    *("titanium-json-ld", "dexx.collection", "protobuf", "guava", "failureaccess", "gson", "httpclient", "httpcore"),
)


def texts() -> Store:
    """Return a store with texts whose letters are not all of ASCII, and that languages sort unlike code points."""
    made = Dataset()
    for name in ("Ä", "b"):
        benchmark = checkpoint_ld.Benchmark(name)
        for text in ("Größe, in m?", "größe in m", "Grösse in m?", "x² = 4?", "x = 4?", "水は、", "水は"):
            benchmark.add_question(
                text, name, keywords=["b", "B", "a-1", "a_2", "Ü"], custom_metadata={"unit": text[:3]}
            )
        made.add(benchmark.graph)
    return made.store


@cache
def stores() -> dict[str, Store]:
    return {"benchmarks": dataset().store, "texts": texts(), "agents": test_agent_queries.store(with_benchmark=True)}


def jobs(folder: Path) -> list[tuple[str, str, list[str]]]:
    """Write all queries and data into a folder; return the names, and the paths of data, query and result."""
    found = []
    for label, store in stores().items():
        (folder / f"{label}.nq").write_bytes(store.dump(format=RdfFormat.N_QUADS) or b"")
        for name, query in queries.catalogue().items():
            if name.startswith("agent-") is (label == "agents"):
                terms = queries.terms(query, GIVEN.get(name) or EXPECTED.get(name, {}).get("parameters", {}))
                (folder / f"{name}.rq").write_text(complete(query.text, terms), encoding="utf-8")
                paths = (f"{label}.nq", f"{name}.rq", f"{label}-{name}.json")
                found.append((label, name, [str(folder / path) for path in paths]))
    return found


def with_comunica(jobs: Path) -> None:
    if not os.environ.get("CHECKPOINT_LD_COMUNICA") or shutil.which("node") is None:
        pytest.skip("no Comunica to ask: name its folder by CHECKPOINT_LD_COMUNICA")
    subprocess.run(["node", HERE / "comunica.mjs", jobs], check=True)


def class_path(folder: Path, *jars: str) -> str:
    """Return the class path of Debian's Jena and more of its jars; skip without it."""
    if not (JARS / "jena-arq.jar").exists() or not (JARS / "xercesImpl.jar").exists() or not shutil.which("javac"):
        pytest.skip("no Jena to ask: install libapache-jena-java, libxerces2-java and a JDK")
    # Debian moved classes of Xerces inside of Jena's archive, without the files of messages that they need.
    for jar, start in (("jena-core", "org/apache/jena/ext/xerces/"), ("xercesImpl", "org/apache/xerces/")):
        with zipfile.ZipFile(JARS / f"{jar}.jar") as archive:
            for name in archive.namelist():
                if name.startswith(start) and name.endswith(".properties"):
                    target = folder / "xerces" / name.removeprefix(start)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(name))
    return os.pathsep.join([*(str(JARS / f"{jar}.jar") for jar in (*JENA, *jars)), str(folder)])


def with_jena(jobs: Path) -> None:
    subprocess.run(["java", "-cp", class_path(jobs.parent), HERE / "Jena.java", jobs], check=True)


def rows(document: dict[str, Any]) -> Counter[tuple[Any, ...]]:
    return Counter(
        tuple(sorted((name, _comparable(term)) for name, term in row.items()))
        for row in document["results"]["bindings"]
    )


def _comparable(term: dict[str, str]) -> Any:
    kind = term.get("datatype", "").rpartition("#")[2]
    if kind in ("integer", "decimal", "double"):
        return float(term["value"])
    return term["value"].replace("+00:00", "Z") if kind == "dateTime" else (term["value"], term.get("xml:lang"))


@pytest.mark.slow
@pytest.mark.parametrize("answer", [with_comunica, with_jena])
def test_named_queries_have_the_same_rows_elsewhere(answer: Any, tmp_path: Path) -> None:
    found = jobs(tmp_path)
    listed = tmp_path / "jobs.txt"
    listed.write_text("".join(f"{path}\n" for _, _, paths in found for path in paths), encoding="utf-8")
    answer(listed)
    for label, name, paths in found:
        parameters = GIVEN.get(name) or EXPECTED.get(name, {}).get("parameters", {})
        ours = json.loads(render(queries.run(stores()[label], name, parameters), "json"))
        theirs = json.loads(Path(paths[2]).read_text(encoding="utf-8"))
        assert rows(theirs) == rows(ours), (label, name)


def test_the_printed_query_is_complete() -> None:
    for query in queries.catalogue().values():
        given = GIVEN.get(query.name) or EXPECTED.get(query.name, {}).get("parameters", {})
        found = Store().query(complete(query.text, queries.terms(query, given)))
        assert isinstance(found, QuerySolutions)
        assert {variable.value for variable in found.variables} == set(query.columns)
