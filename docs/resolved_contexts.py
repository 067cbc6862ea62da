"""Write contexts/resolved.json: what PyLD says about our own contexts, so that it is not asked at each start.

python docs/resolved_contexts.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from checkpoint_ld.dialects.reading.literal_form import MEMBERS, SCENARIO_STRUCTURE, TYPES
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.plans import NotCoveredError, Plan, Plans
from checkpoint_ld.vocabulary import TRAIT_TYPES

FILE = Path(__file__).parents[1] / "contexts" / contexts.FILE
SCENARIO = "karenina:Scenario"


def definitions(file: str) -> dict[str, list[Any]]:
    """Return what a context in a file defines."""
    context = orjson.loads((FILE.parent / file).read_bytes())["@context"]
    found = contexts.resolve(context)
    return {key: [one.iri, one.coercion, one.is_prefix] for key, one in sorted(found.items())}


def plans() -> list[Plan]:
    """Return plans for all sorts of objects that checkpoints have."""
    asked = Plans(None, contexts.Resolved())
    found = [asked.at(kind, None, None) for kind in sorted(TYPES)]
    root, scenario = found[0], asked.at(SCENARIO, None, None)
    found += [asked.at(kind, root.terms.by_key["additionalProperty"], root) for kind in (None, "PropertyValue")]
    found += [asked.at(None, scenario.terms.by_key[key], scenario) for key in ("edges", "outcomeCriteria")]
    return found


def answers(plan: Plan) -> dict[str, Any]:
    """Return the type of the objects of a plan, and the keys that PyLD reads as the plan does."""
    keys = []
    for key in sorted({*MEMBERS, *SCENARIO_STRUCTURE, *plan.terms.by_key}):
        try:
            plan.members((key,))
        except NotCoveredError:
            continue
        keys.append(key)
    return {"type": plan.type, "keys": keys}


def names() -> dict[str, str]:
    """Return the IRIs of the types of traits."""
    asked = Plans(None, contexts.Resolved())
    return {name: asked.name(name)[0] for one in TRAIT_TYPES for name in (f"karenina:{one}", one)}


def content() -> bytes:
    """Return the text of the file."""
    told = {
        "definitions": {file: definitions(file) for file in contexts.CONTEXTS},
        "places": {contexts.label(*plan.place): answers(plan) for plan in plans()},
        "names": names(),
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


if __name__ == "__main__":
    FILE.write_bytes(content())
