#!/bin/sh
# roc-validator 0.13.0 knows RO-Crate 1.1, 1.2 and 1.3, and has the profile Process Run Crate 0.5 for crates with runs. That
# profile is one of RO-Crate 1.1 there, with its required shape: the descriptor has to conform to exactly 1.1. A crate with
# runs that rocrate 0.16.0 writes by default conforms to 1.3, so that no such crate passes, whatever its runs are like.
# A good guess is wrong: the same validator has RO-Crate 1.3 as a profile, in which this check is a recommendation, and
# nothing in the name of the profile of runs tells that it is bound to an older specification.
# It hurts who checks crates with runs in CI: only an older specification, or another severity, makes the check green.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check roc-validator==0.13.0 rocrate==0.16.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import pyshacl
import rdflib
import rocrate_validator
from rocrate.rocrate import ROCrate

profiles = Path(rocrate_validator.__file__).parent / "profiles"
DCT, PROF = rdflib.Namespace("http://purl.org/dc/terms/"), rdflib.Namespace("http://www.w3.org/ns/dx/prof/")
SH = rdflib.Namespace("http://www.w3.org/ns/shacl#")
process = rdflib.Graph().parse(profiles / "process-run-crate" / "profile.ttl", format="turtle")
bases = {str(base) for base in process.objects(None, PROF.isProfileOf)}
shapes = rdflib.Graph().parse(profiles / "ro-crate" / "1.1" / "must" / "1_file-descriptor_metadata.ttl", format="turtle")
[kind] = {one for one in shapes.objects(None, SH.targetClass) if str(one).endswith("FileDescriptor")}


def refused(version: str) -> bool:
    data, descriptor = rdflib.Graph(), rdflib.URIRef("https://example.org/ro-crate-metadata.json")
    data.add((descriptor, rdflib.RDF.type, kind))
    data.add((descriptor, DCT.conformsTo, rdflib.URIRef(version)))
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes, advanced=True)
    return any("`conformsTo`" in str(text) for text in report.objects(None, SH.resultMessage))


default = ROCrate().metadata["conformsTo"]
written = default if isinstance(default, str) else default.id if hasattr(default, "id") else default["@id"]
found = {version: refused(f"https://w3id.org/ro/crate/{version}") for version in ("1.1", "1.2", "1.3")}
print("rocrate 0.16.0 writes", written, "; Process Run Crate is a profile of", bases, "; refused:", found)
assert written == "https://w3id.org/ro/crate/1.3", "the default has changed"
assert bases == {"https://w3id.org/ro/crate/1.1"}, "the profile has changed"
assert found == {"1.1": False, "1.2": True, "1.3": True}, "the behaviour has changed"
PYTHON
