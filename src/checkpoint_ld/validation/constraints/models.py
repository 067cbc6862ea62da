"""The JSON parts that Karenina reads into models of pydantic: which member it refuses, and why.

The tables name the members of a model with their types. Types are those of pydantic's lax mode: an integer may be
written as a text, a boolean as a word; a text is a text only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.phrases import given, is_boolean_like, quantity, shown
from checkpoint_ld.templates.primitives import Patterns, registry, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Type: TypeAlias = "Callable[[Any], bool]"

_STATE_CHECK = "state_check"
_COMPARISONS = ("eq", "neq", "contains", "gt", "gte", "lt", "lte")
_WHOLE = re.compile(r"\s*[+-]?\d+(?:_\d+)*(?:\.0*)?\s*")


def _text(value: Any) -> bool:
    return type(value) is str


def _some_text(value: Any) -> bool:
    return _text(value) and bool(value)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _anything(_value: Any) -> bool:
    return True


def _boolean(value: Any) -> bool:
    return isinstance(value, bool) or is_boolean_like(value)


def _integer(value: Any) -> bool:
    if isinstance(value, str):
        return _WHOLE.fullmatch(value) is not None
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _number(value: Any) -> bool:
    return isinstance(value, bool) or quantity(value) is not None


def _array_of(kind: Type) -> Type:
    return lambda value: isinstance(value, list) and all(map(kind, value))


def _map_of(kind: Type) -> Type:
    return lambda value: isinstance(value, dict) and all(map(kind, value.values()))


def _or_null(kind: Type) -> Type:
    return lambda value: value is None or kind(value)


_TEXT_OR_NULL, _OBJECT_OR_NULL, _NUMBER_OR_NULL = map(_or_null, (_text, _object, _number))
_INTEGER_OR_NULL, _TEXTS_OR_NULL = _or_null(_integer), _or_null(_map_of(_text))

QUESTION_DATA: Mapping[str, Type] = {
    "question": _some_text,
    "raw_answer": _some_text,
    "keywords": _array_of(_text),
    "tags": _anything,
    "few_shot_examples": _or_null(_array_of(_map_of(_text))),
    "date_created": _text,
    "date_modified": _text,
    "answer_template": _TEXT_OR_NULL,
    "answer_notes": _TEXT_OR_NULL,
    "author": _OBJECT_OR_NULL,
    "sources": _or_null(_array_of(_object)),
    "custom_metadata": _OBJECT_OR_NULL,
    "question_rubric": _OBJECT_OR_NULL,
    "question_dynamic_rubric": _OBJECT_OR_NULL,
    "workspace_path": _TEXT_OR_NULL,
    "id": _anything,
}
"""The members of a question in a node of a scenario; Karenina refuses any other."""

_MODEL: Mapping[str, Type] = {
    **dict.fromkeys(("id", "model_provider", "model_name", "system_prompt", "endpoint_base_url"), _TEXT_OR_NULL),
    **dict.fromkeys(("endpoint_api_key", "anthropic_base_url", "anthropic_api_key"), _TEXT_OR_NULL),
    "temperature": _number,
    **dict.fromkeys(("max_tokens", "max_retries"), _integer),
    "interface": _text,
    **dict.fromkeys(("mcp_urls_dict", "mcp_tool_description_overrides"), _TEXTS_OR_NULL),
    "mcp_tool_filter": _or_null(_array_of(_text)),
    **dict.fromkeys(("mcp_http_timeout", "mcp_sse_read_timeout", "request_timeout"), _NUMBER_OR_NULL),
    **dict.fromkeys(("agent_runtime", "extra_kwargs", "agent_middleware", "retry_policy"), _OBJECT_OR_NULL),
    **dict.fromkeys(("max_context_tokens", "agent_timeout"), _INTEGER_OR_NULL),
    "manual_traces": _anything,
}
_INTERFACES = (
    *("langchain", "openrouter", "manual", "openai_endpoint", "claude_agent_sdk", "claude_tool"),
    "langchain_deep_agents",
)


def _refused(value: Mapping[str, Any], members: Mapping[str, Type], *required: str) -> str | None:
    """Return which member of an object a model refuses, None if it takes the object."""
    for name in required:
        if name not in value:
            return f"{name} is missing"
    for name, one in value.items():
        if name in members and not members[name](one):
            return f"{name} is {given(one)}"
    return None


def question_data(value: Any, nearest: Callable[[str, tuple[str, ...]], str | None]) -> str | None:
    """Return what prevents Karenina from reading `questionData`; `nearest` finds the known name that is meant."""
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    fault = _refused(value, QUESTION_DATA, "question", "raw_answer")
    wrong = next((member for member in value if member not in QUESTION_DATA), None)
    if fault is not None or wrong is None:
        return fault
    near = nearest(wrong, tuple(QUESTION_DATA))
    return f"Karenina knows no member {shown(wrong)}" + (f"; did you mean {near}?" if near else "")


def model(value: Any, interfaces: tuple[str, ...] = _INTERFACES) -> str | None:
    """Return what prevents Karenina from reading the settings of a model."""
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    fault = _refused(value, _MODEL)
    unknown = next((name for name in value if name not in _MODEL), None)
    if fault is not None or unknown is not None:
        return fault or f"Karenina knows no member {shown(unknown)}"
    interface = value.get("interface", "langchain")
    if interface not in interfaces:
        return f"its interface is {shown(interface)}"
    if interface == "manual":
        return None if value.get("manual_traces") is not None else "the interface manual needs manual_traces"
    return next((f"{name} is {given(value.get(name))}" for name in ("id", "model_name") if not value.get(name)), None)


def models(value: Any) -> str | None:
    """Return what prevents Karenina from reading the models of a node."""
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    found = ((name, model(value.get(name))) for name in ("answering_model", "parsing_model"))
    return next((f"{name}: {fault}" for name, fault in found if fault is not None), None)


def tool_filter(value: Any) -> str | None:
    """Return what prevents Karenina from reading the filter of tools of a node."""
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    removed = value.get("remove", [])
    if not isinstance(removed, list):
        return f"remove is {shown(removed)}, not an array"
    for one in removed:
        if not isinstance(one, dict):
            return f"remove holds {shown(one)}, not an object"
        fault = _refused(one, {"server": _text, "tool": _TEXT_OR_NULL}, "server")
        if fault is not None:
            return fault
    return None


def state_check(value: Any) -> str | None:
    """Return what is wrong with the condition of an edge: a state check, an array of them, or null for no condition."""
    for check in value if isinstance(value, list) else [] if value is None else [value]:
        if not isinstance(check, dict):
            return f"it is {shown(check)}, not an object"
        if check.get("type", _STATE_CHECK) != _STATE_CHECK:
            return f"its type is {shown(check.get('type'))}, not {_STATE_CHECK}"
        fault = _compared(check)
        if fault is not None:
            return fault
    return None


def outcome_check(value: Any) -> str | None:
    """Return what is wrong with the check of an outcome criterion, None for none."""
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _CHECKS:
        return f"its type is {given(kind)}"
    return _CHECKS[kind](value)


def _compared(check: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the field, the expected value and the primitive of a check."""
    if not _some_text(check.get("field")):
        return f"its field is {given(check.get('field'))}"
    return "its expected value is missing" if "expected" not in check else _primitive(check.get("verify_with"))


def _primitive(value: Any) -> str | None:
    if _is_sound(value):
        return None
    from checkpoint_ld.entities import PRIMITIVES  # noqa: PLC0415 - pydantic takes longer to import than a file to validate
    from checkpoint_ld.entities.primitives import primitive_of  # noqa: PLC0415 - as above

    if not isinstance(value, dict) or not isinstance(value.get("type"), str) or value["type"] not in PRIMITIVES:
        return "verify_with names no primitive"
    try:
        primitive_of(value)
    except (CheckpointLdError, ValueError) as error:
        return f"verify_with: {str(error).splitlines()[0]}"
    return None


def _is_sound(value: Any) -> bool:
    """Return whether a primitive is one with known parameters alone, all of which fit."""
    name = value.get("type") if isinstance(value, dict) else None
    primitive = registry().get(name) if isinstance(name, str) else None
    if primitive is None or not value.keys() <= {"type", *(one.name for one in primitive.parameters)}:
        return False
    is_plain = not any(isinstance(one, dict) for each in value.values() if isinstance(each, list) for one in each)
    parameters = {key: one for key, one in value.items() if key != "type"}
    return is_plain and not settle(primitive, parameters, Patterns())[1]


def _scope(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"its scope is {given(value)}"
    kind = value.get("type")
    if kind == "turn_at":
        return _refused(value, {"index": _integer}, "index")
    if kind in ("any_turn", "all_turns"):
        return _refused(value, {"node_id": _TEXT_OR_NULL})
    return None if kind in ("last_turn", "first_turn") else f"the type of its scope is {given(kind)}"


def _cross(check: Mapping[str, Any]) -> str | None:
    members: Mapping[str, Type] = {
        "source_field": _text,
        "target_field": _text,
        "comparison": lambda one: isinstance(one, str) and one in _COMPARISONS,
        "normalize": _or_null(_array_of(_text)),
    }
    fault = _refused(check, members, "source_turn", "source_field", "target_turn", "target_field", "comparison")
    return fault or _scope(check["source_turn"]) or _scope(check["target_turn"])


def _turns(check: Mapping[str, Any]) -> str | None:
    return _refused(check, {"node_id": _TEXT_OR_NULL, "verify_result": _or_null(_boolean)})


def _composed(check: Mapping[str, Any]) -> str | None:
    parts = check.get("conditions", [])
    if not isinstance(parts, list):
        return f"its conditions are {shown(parts)}, not an array"
    return next((fault for one in parts if (fault := outcome_check({} if one is None else one)) is not None), None)


def _at_least(check: Mapping[str, Any]) -> str | None:
    fault = _refused(check, {"n": lambda one: _integer(one) and int(float(one)) >= 0}, "n")
    return fault or _composed(check)


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], str | None]] = {
    "TurnCheck": lambda check: _scope(check.get("scope")) or _compared(check),
    "ResultCheck": _compared,
    "CrossTurnCheck": _cross,
    "CountTurns": _turns,
    "FirstMatchIndex": _turns,
    "AllOf": _composed,
    "AnyOf": _composed,
    "AtLeastN": _at_least,
}
