"""Graph stores, held to the published suite: in a collection on disk."""

from __future__ import annotations

from pathlib import Path

from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.collection.directory import Directory
from checkpoint_ld.conformance import conformance


def embedded(folder: Path) -> GraphStore:
    return GraphStore(folder / "collection")


def in_collection(update: str, folder: Path, name: str) -> None:
    opened = Directory.open(folder / "collection", read_only=False, wait=5)
    opened.store.update(update.replace("GRAPH_", f"<urn:caf:checkpoint/{name}>"))
    opened.close()


def take_graph(folder: Path, name: str) -> None:
    manifest = "DELETE WHERE { GRAPH <urn:checkpoint-ld:manifest> { GRAPH_ ?p ?o } }"
    in_collection(f"DROP GRAPH GRAPH_ ; {manifest}", folder, name)


def change_graph(folder: Path, name: str) -> None:
    value = "<http://www.w3.org/ns/prov#value>"
    changed = f"DELETE {{ ?t {value} ?v }} INSERT {{ ?t {value} 'thought 9' }} WHERE {{ ?t {value} ?v }}"
    in_collection(f"WITH GRAPH_ {changed}", folder, name)


def blur_graph(folder: Path, name: str) -> None:
    in_collection("WITH GRAPH_ DELETE { ?s a ?kind } WHERE { ?s a ?kind }", folder, name)


test_embedded = conformance(embedded, damages={"missing": take_graph, "changed": change_graph, "unreadable": blur_graph})
