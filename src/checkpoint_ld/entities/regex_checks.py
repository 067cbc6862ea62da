"""Regular expressions that a template searches for in a raw response, and what it expects of their matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from checkpoint_ld.entities.primitives.matching import find_all
from checkpoint_ld.entities.primitives.values import named
from checkpoint_ld.errors import EvaluationError

MATCH_TYPES = ("exact", "contains", "count", "all")


def check_regexes(regexes: Mapping[str, Any] | None, trace: str) -> dict[str, Any]:
    """Return what expressions find in a response: `success`, `results` by name, and `details` by name.

    An expression is an object of `pattern`, `expected` and `match_type`: *exact* (one match, which is what is
    expected), *contains* (what is expected is among the matches), *count* (as many matches as expected) and *all*
    (each of the expected is among the matches). Matches are those of Python's `findall`: the content of the group if
    there is one, a tuple if there are several. Details have `pattern`, `expected`, `match_type`, and then
    `matches_found`, `match_count` and `success_reason` or `failure_reason`, or else `error`: why the expression could
    not be searched for, which includes that it takes too long. Nothing is raised.
    """
    details = {name: _detail(said, trace) for name, said in (regexes or {}).items()}
    results = {name: "success_reason" in detail for name, detail in details.items()}
    return {"success": all(results.values()), "results": results, "details": details}


def _detail(said: Any, trace: str) -> dict[str, Any]:
    if not isinstance(said, Mapping):
        error = f"{named(said)} is no object of pattern, expected and match_type"
        return {"error": error, "pattern": "", "expected": None, "match_type": "exact"}
    pattern, expected, match_type = said.get("pattern", ""), said.get("expected"), said.get("match_type", "exact")
    detail: dict[str, Any] = {"pattern": pattern, "expected": expected, "match_type": match_type}
    try:
        if not isinstance(pattern, str) or not isinstance(trace, str):
            raise EvaluationError(f"the pattern {named(pattern)} cannot be searched for in {named(trace)}")
        matches = find_all(pattern, trace)
        passed, reason = _judged(match_type, expected, matches)
    except (EvaluationError, RecursionError) as error:
        return {"error": str(error), **detail}
    detail |= {"matches_found": matches, "match_count": len(matches)}
    return {**detail, "success_reason" if passed else "failure_reason": reason}


def _judged(match_type: Any, expected: Any, matches: list[Any]) -> tuple[bool, str]:
    count = f"{len(matches)} {'match' if len(matches) == 1 else 'matches'}"
    match match_type:
        case "exact" if len(matches) == 1:
            return matches[0] == expected, f"the one match is {named(matches[0])}, expected is {named(expected)}"
        case "exact":
            return False, f"{count}, where one is expected"
        case "contains":
            there = expected in matches
            return there, f"{named(expected)} is {'' if there else 'not '}among the {count}"
        case "count" if isinstance(expected, int):
            return len(matches) == expected, f"{count}, expected are {int(expected)}"
        case "all" if isinstance(expected, list):
            missing = [item for item in expected if item not in matches]
            return not missing, f"missing are {named(missing)}" if missing else f"all expected are among the {count}"
        case "count" | "all":
            return False, f"{match_type} cannot be compared with {named(expected)}"
    return False, f"there is no match_type {named(match_type)}: use one of {', '.join(MATCH_TYPES)}"
