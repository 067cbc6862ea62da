#!/bin/sh
# datasets 5.2.0 stores a text in a column of the feature Json as it is where the text itself can be read as JSON, and
# quoted where it cannot. Of the texts "Oslo", "4" and "007" the first comes back as a text, the others as the numbers
# 4 and 7 - in one column, without a warning. "null" comes back as None, "true" as a truth value.
# A good guess is wrong: a value that is a Python str goes in, and its type is lost; "007" is not even valid JSON.
# It hurts columns of answers: identifiers, house numbers and the answers "true" and "null" change type or vanish.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check datasets==5.2.0 pandas==3.1.1 pyarrow==26.0.1
export HF_HUB_OFFLINE=1 HF_HOME="$folder/home"
"$folder/venv/bin/python" - <<'PYTHON'
import datasets

texts = ["Oslo", "4", "007", "true", "null"]
features = datasets.Features({"answer": datasets.Json()})
held = datasets.Dataset.from_dict({"answer": texts}, features=features)["answer"][:]
print(f"datasets {datasets.__version__}: {texts} are read as {held}")
assert held == ["Oslo", 4, 7, True, None], "the behaviour has changed"
PYTHON
