#!/bin/sh
# deepeval 4.3.1 writes the list of contexts of a golden as one text, joined by "|", into JSON lines, although JSON has
# lists, and although the same method writes a list into .json. Read back, a context that has a "|" in it is several.
# A good guess is wrong: JSON and JSON lines hold the same values everywhere else; the separator belongs to CSV.
# It hurts contexts with tables in Markdown, shell pipes or formulas: metrics of retrieval see other documents.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deepeval==4.3.1
export DEEPEVAL_TELEMETRY_OPT_OUT=YES
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json

from deepeval.dataset import EvaluationDataset, Golden

contexts = ["a | b", "c"]
data = EvaluationDataset(goldens=[Golden(input="Which?", expected_output="Iron", context=contexts)])
for kind in ("json", "jsonl"):
    data.save_as(file_type=kind, directory=".", file_name="made")
plain = json.load(open("made.json"))[0]["context"]
line = json.loads(open("made.jsonl").readline())["context"]
again = EvaluationDataset()
again.add_goldens_from_jsonl_file(file_path="made.jsonl")
print("deepeval 4.3.1: .json", plain, "; .jsonl", repr(line), "; read back", again.goldens[0].context)
assert plain == contexts, "JSON has changed"
assert line == "a | b|c", "the behaviour has changed"
assert again.goldens[0].context != contexts, "the behaviour has changed"
PYTHON
