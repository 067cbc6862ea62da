#!/bin/sh
# pyoxigraph 0.5.13: in a store in memory, one triple pattern with a known subject and predicate takes time in proportion
# to all statements of that subject and that predicate. The same store on disk answers it in constant time.
# A good guess is wrong: Oxigraph is known for its sorted indexes (SPO, POS, OSP and those with graphs), and memory should
# be the faster place. The store in memory has chains instead, one for each subject, predicate, object and graph, and
# walks the shortest one: a hub with 100,000 parts and a predicate that 100,000 nodes have are long chains both.
# It hurts who asks for a single value of a root (the title of a data set, the date of a feed): it takes hundreds of times
# as long with 100,000 members as with 1,000, and longer than from the disk. Other nodes are not affected.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyoxigraph==0.5.13
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import statistics
import time

from pyoxigraph import Literal, NamedNode, Quad, Store

DATE, PART = NamedNode("urn:x:date"), NamedNode("urn:x:part")


def milliseconds(store, members, subject):
    """Return the median time of a lookup in a store with a root and so many members, which all have a date."""
    root, date = NamedNode("urn:x:root"), Literal("2026-01-01")
    nodes = [NamedNode(f"urn:x:{number}") for number in range(members)]
    store.bulk_extend([*(Quad(root, PART, one) for one in nodes), *(Quad(one, DATE, date) for one in (root, *nodes))])
    query, taken = f"SELECT ?date {{ <urn:x:{subject}> <urn:x:date> ?date }}", []
    for _ in range(30):
        start = time.perf_counter()
        assert len(list(store.query(query))) == 1
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


found = {
    (place, subject): [milliseconds(Store() if place == "memory" else Store(f"{subject}{size}"), size, subject) for size in (1_000, 100_000)]
    for place in ("memory", "disk")
    for subject in ("root", "5")
}
for (place, subject), (few, many) in found.items():
    print(f"{place}, {subject}: {few:.3f} ms with 1,000 members, {many:.3f} ms with 100,000")
assert found["memory", "root"][1] > 10 * found["memory", "root"][0], "the behaviour has changed"
assert found["memory", "5"][1] < 10 * found["memory", "5"][0], "the behaviour has changed"
assert found["disk", "root"][1] < 10 * found["disk", "root"][0], "the behaviour has changed"
PYTHON
