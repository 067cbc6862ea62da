"""Agent checkpoints that keep all rules, changed in one place or in many, and what the rules say about them."""

import json
import random
from typing import Any

from checkpoint_ld.agents import rules
from checkpoint_ld.agents.serialization import AgentReading, examine
from checkpoint_ld.documents.values import walk
from checkpoint_ld.findings import Finding
from checkpoint_ld.rules import document, patch

Json = Any

THOUGHT = "/snapshot/thought_chain/1"
CALL = "/snapshot/tool_state/calls/0"
_ODD: Json = (None, "", "x", 7, -1, 1.5, True, False, [], {}, [1], ["a", None], {"a": 1}, [{}], {"before": 1})
_TELLING: tuple[Json, ...] = ("thought_2", "call_1", "ckpt_2", "completed", "failed", "ä/b ~", 10**30, 2**60)
_KEYS = ("foo", "reasonning", "content", "id", "status", "a/b", "metadata", "parent_id", "success")


def replaced(pointer: str, value: Json) -> Json:
    return {"op": "replace", "path": pointer, "value": value}


def removed(pointer: str) -> Json:
    return {"op": "remove", "path": pointer}


def added(pointer: str, value: Json) -> Json:
    return {"op": "add", "path": pointer, "value": value}


def tree(*operations: Json, start: str = "agent") -> Json:
    """Return a checkpoint that keeps all rules, with changes."""
    found = document(start)
    patch(found, list(operations))
    return found


def text(value: Json) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def findings(*operations: Json, start: str = "agent", **choices: Any) -> list[Finding]:
    return list(rules.check_reading(examine(text(tree(*operations, start=start))), **choices).findings)


def places(*operations: Json, start: str = "agent") -> list[tuple[str, str | None]]:
    """Return rule and place of everything that is found."""
    return [(one.rule, one.place.pointer) for one in findings(*operations, start=start)]


def mutilated(seed: int) -> Json:
    """Return a checkpoint that was changed at random, in up to eight places."""
    chance = random.Random(seed)
    found = document("agent")
    paths = [list(path) for path, _ in walk(found) if path]
    for _ in range(chance.choice([1, 2, 4, 8])):
        *steps, last = chance.choice(paths)
        holder = found
        try:
            for step in steps:
                holder = holder[step]
            _change(holder, last, chance)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    return found


def _change(holder: Json, last: Json, chance: random.Random) -> None:
    value = json.loads(json.dumps(chance.choice((*_ODD, *_TELLING))))
    match chance.randrange(10):
        case 0 | 1:
            del holder[last]
        case 2 if isinstance(holder, list):
            holder.insert(last, json.loads(json.dumps(holder[last])))
        case 3 if isinstance(holder, dict):
            holder[chance.choice(_KEYS)] = value
        case _:
            holder[last] = value


def reading_of(tree: Json) -> AgentReading:
    """Return a canonical tree as one that was read."""
    return AgentReading(tree, "canonical", "0.0.1", None)
