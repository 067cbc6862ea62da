#!/bin/sh
# pydantic 2.14.4 validates in Rust, and so are the bounds of Annotated[int, Ge(0), Le(1)]. Those of a union,
# Annotated[int | float, Ge(0), Le(1)], are one call of a Python function for each bound and each value: annotations
# that the schema of a type does not know become functions after it. Bounds inside the members of the union,
# Annotated[int, Ge(0), Le(1)] | Annotated[float, Ge(0), Le(1)], stay in Rust.
# A good guess is wrong: a union of numbers is a number, so its bounds look as cheap as those of one, and both ways
# accept and refuse the same values.
# It hurts who reads many records with confidences or scores: a third of the time of a model of ten fields was this.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "pydantic==2.14.4" "annotated-types"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from typing import Annotated

from annotated_types import Ge, Le
from pydantic import TypeAdapter, ValidationError

kinds = {
    "bounds of one type": Annotated[float, Ge(0), Le(1)],
    "bounds of a union": Annotated[int | float, Ge(0), Le(1)],
    "bounds inside a union": Annotated[int, Ge(0), Le(1)] | Annotated[float, Ge(0), Le(1)],
}


def calls(adapter: TypeAdapter) -> int:
    """Return the calls of Python functions of pydantic in validating 100 numbers."""
    counted = 0

    def count(frame: object, event: str, _: object) -> None:
        nonlocal counted
        counted += event == "call" and "pydantic" in frame.f_code.co_filename

    sys.setprofile(count)
    adapter.validate_python([0.5] * 100)
    sys.setprofile(None)
    return counted


found = {}
for name, kind in kinds.items():
    adapter = TypeAdapter(list[kind])
    try:
        adapter.validate_python([2])
        refused = False
    except ValidationError:
        refused = True
    found[name] = calls(adapter)
    print(f"pydantic 2.14.4, {name}: 2 is refused: {refused}, calls of Python for 100 numbers: {found[name]}")
    assert refused
assert found["bounds of one type"] < 10, "the behaviour has changed"
assert found["bounds of a union"] >= 200, "the behaviour has changed"
assert found["bounds inside a union"] < 10, "the behaviour has changed"
PYTHON
