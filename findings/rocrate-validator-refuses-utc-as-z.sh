#!/bin/sh
# The profile of Process Run Crate in roc-validator 0.13.0 demands that times of actions are ISO 8601, and says so in its
# message, but its pattern has no place for Z: 2026-01-02T03:04:05Z is refused, 2026-01-02T03:04:05+00:00 passes.
# A plain date passes, too.
# A good guess is wrong: Z is the usual way to write UTC in ISO 8601, in RFC 3339, in schema.org's examples, and in what
# JavaScript and most loggers write.
# It hurts who tests crates in CI with the recommended severity: valid times are findings.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check roc-validator==0.13.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import pyshacl
import rdflib
import rocrate_validator

profile = Path(rocrate_validator.__file__).parent / "profiles" / "process-run-crate"
shapes = rdflib.Graph().parse(profile / "should" / "1_create_action.ttl", format="turtle")
SH = rdflib.Namespace("http://www.w3.org/ns/shacl#")


def refused(time: str) -> bool:
    data = rdflib.Graph()
    action = rdflib.URIRef("https://example.org/action")
    schema = rdflib.Namespace("http://schema.org/")
    data.add((action, rdflib.RDF.type, schema.CreateAction))
    data.add((action, schema.endTime, rdflib.Literal(time)))
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes, advanced=True)
    return any("endTime in ISO 8601" in str(text) for text in report.objects(None, SH.resultMessage))


found = {time: refused(time) for time in ("2026-01-02", "2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05Z")}
print("roc-validator 0.13.0 refuses:", found)
assert [*found.values()] == [False, False, True], "the behaviour has changed"
PYTHON
