"""Templates and callables that do harm when they are run: each leaves the file `sentinel` in its folder.

Run as a program, this module reads a checkpoint full of them in every way that needs no trust, and prints what Python's
audit events (PEP 578) tell about that.
"""

import base64
import json
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

from checkpoint_ld import EvaluationError, load, validate, verify
from checkpoint_ld.templates import read_template
from checkpoint_ld.workers import patterns

_HARM = "open('sentinel', 'w').close()"
_FIELD = "x: str = VerifiedField(description='d', ground_truth=#, verify_with=ExactMatch())"


def _large() -> dict[str, str]:
    truths = {
        "long number": "9" * 6000,
        "long hexadecimal number": "0x" + "f" * 100_000,
        "long text": repr("t" * 150_000),
        "long list": f"[{'0,' * 60_000}]",
        "deep list": "[" * 150 + "]" * 150,
        "list that is too deep": "[" * 90_000,
        "deep sum": "+".join(["1"] * 50_000),
        "deep negation": "-" * 50_000 + "1",
        "deep attribute": "a" + ".a" * 50_000,
    }
    return {name: f"class Answer(BaseAnswer):\n    {_FIELD.replace('#', truth)}\n" for name, truth in truths.items()}


def templates() -> dict[str, str]:
    """Return answer templates by what is hostile about them."""
    sections = Path(__file__).with_name("hostile_templates.txt").read_text().split("#== ")[1:]
    return {**{name: text for name, _, text in (section.partition("\n") for section in sections)}, **_large()}


class Pickled:
    """Whoever unpickles an object of this class leaves the sentinel."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return eval, (_HARM,)


def callables() -> dict[str, str]:
    """Return the stored code of callable traits by its form."""
    source = f"{_HARM}\ndef judge(text): return {_HARM}"
    pickled = base64.b64encode(pickle.dumps(Pickled(), 4)).decode()
    return {"source": source, "source in base64": base64.b64encode(source.encode()).decode(), "pickle": pickled}


def read_everything(path: str) -> dict[str, int]:
    """Read a checkpoint in every way that needs no trust; return counts of what should have been refused."""
    benchmark = load(path)
    validate(path, profile="strict")
    undecided = refused = 0
    for question in benchmark.questions:
        source = question.answer_template
        for template in (source, read_template(source)):
            undecided += verify(template, {"x": "a" * 40 + "b"}, "a trace").passed is None
    rubric = benchmark.global_rubric
    assert rubric is not None
    for trait in rubric.callable_traits:
        try:
            trait.evaluate("text")
        except EvaluationError:
            refused += 1
    benchmark.save(Path(path).with_name("copy.jsonld"))
    return {"questions": len(benchmark.questions), "undecided": undecided, "refused": refused}


def _shown(given: object) -> object:
    if isinstance(given, str | bytes):
        return given[:200]
    return [_shown(one) for one in given] if type(given) is list else type(given).__name__


def watched(path: str, harmless: str) -> dict[str, Any]:
    """Read the checkpoint at `path`, and return what happened; that at `harmless` is read first, to import all."""
    read_everything(harmless)
    modules = set(sys.modules)
    events: list[str] = []

    def note(event: str, given: tuple[Any, ...]) -> None:
        # Texts only: objects are not to be kept alive, nor to be shown by code of their own.
        events.append(f"{event} {[_shown(one) for one in given]}")

    sys.addaudithook(note)
    counts = read_everything(path)
    return {"counts": counts, "events": list(events), "modules": sorted(set(sys.modules) - modules)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    patterns.TIME_LIMIT = 0.3
    print(json.dumps(watched(*sys.argv[1:])))  # noqa: T201 - the report
