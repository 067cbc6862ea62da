"""Checks on additional properties: their shape, and the settings of a question that are kept in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.checks.readings import holds_json, is_boolean_like, shown

if TYPE_CHECKING:
    from checkpoint_ld.checks.spot import Spot

_ENCODED = {"author": (dict, "an object"), "sources": (list, "an array"), "few_shot_examples": (list, "an array")}
"""Question settings that stand either as a JSON value or as JSON text of one."""

_RULES = {"author": "author", "sources": "sources", "few_shot_examples": "few-shot-examples"}

_TEXTS = ("answer_notes", "workspace_path", "original_answer_template")


@dataclass(frozen=True, slots=True)
class Properties:
    """The additional properties of one object: the last value under each name, and how often repeated ones stand."""

    values: dict[str, object]
    repeated: dict[str, int]

    def report_repeated(self, spot: Spot) -> None:
        """Report names that stand more than once: the last one counts."""
        for name, times in self.repeated.items():
            message = f"property {shown(name)} stands {times} times; the last one, {shown(self.values[name])}, counts"
            spot.report("property-repeated", message, "keep one of them")


def read_properties(spot: Spot, value: object) -> Properties:
    """Collect the properties in `value`, the member additionalProperty, and report what is none."""
    values: dict[str, object] = {}
    repeated: dict[str, int] = {}
    for index, entry in enumerate(value if isinstance(value, list) else () if value is None else (value,)):
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str):
            if name in values:
                repeated[name] = repeated.get(name, 1) + 1
            values[name] = entry.get("value")
        else:
            _report_oddity(spot.at(index) if isinstance(value, list) else spot, entry)
    return Properties(values, repeated)


def _report_oddity(spot: Spot, entry: object) -> None:
    if not isinstance(entry, dict):
        spot.report("property-object", f"the additional property is {shown(entry)}, not an object")
    else:
        name = entry.get("name")
        spot.report("property-name", f"the name of the additional property is {shown(name)}, not text")


def check_question_properties(spot: Spot, value: object) -> None:
    """Check the additional properties of a question; `spot` is that of the member."""
    properties = read_properties(spot, value)
    properties.report_repeated(spot)
    _check_finished(spot, properties.values.get("finished"))
    for name, (kind, wanted) in _ENCODED.items():
        setting = properties.values.get(name)
        if setting is None or isinstance(setting, kind) or (isinstance(setting, str) and holds_json(setting, kind)):
            continue
        spot.report(_RULES[name], f"{name} is {shown(setting)}; it is kept as it is", f"write {wanted}")
    for name in _TEXTS:
        setting = properties.values.get(name)
        if setting is not None and not isinstance(setting, str):
            spot.report("question-note", f"{name} is {shown(setting)}, not text", "write it as text")


def _check_finished(spot: Spot, finished: object) -> None:
    if finished is None or isinstance(finished, bool):
        return
    remedy = "write true or false"
    if is_boolean_like(finished):
        spot.report("finished-text", f"finished is {shown(finished)}, which is read as a boolean", remedy)
    else:
        spot.report("finished", f"finished is {shown(finished)}, not a boolean", remedy)
