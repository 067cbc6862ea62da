"""Answer templates: their fields, the primitives that verify these, and the strategy as nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from checkpoint_ld.entities.template_spec import MARKER
from checkpoint_ld.graph import naming
from checkpoint_ld.graph.literals import DOUBLE
from checkpoint_ld.templates import PlainField, TemplateField, read_template
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node

    from checkpoint_ld.enrichment.additions import Additions
    from checkpoint_ld.templates import RegexCheck, Strategy, Template

STRATEGIES = {"all_of": "AllOf", "any_of": "AnyOf", "at_least_n": "AtLeastN", "field_check": "FieldCheck"}
"""The classes of the nodes of a strategy."""

SINGULAR = {"substrings": "substring", "flags": "flag", "normalize": "normalizer"}
"""Parameters that hold several values, by the names that one of these has."""

_Place: TypeAlias = tuple[str] | tuple[str, int]
"""A member, and the index in it where there may be several."""


def template_of(question: Node, source: str | None, additions: Additions) -> None:
    """Say what the answer template of a question says, as far as it can be read without running it."""
    if source is None:
        return
    template = read_template(source)
    additions.tell(question, "template_level", template.level.value)
    fields = _fields(question, template, additions)
    for at, (name, check) in enumerate((template.regexes or {}).items()):
        _regex_check(_part(question, ("regexCheck", at), "RegexCheck", additions), name, check, additions)
    if template.strategy is not None:
        _strategy(question, ("verifyStrategy",), template.strategy, fields, additions)


def _part(holder: Node, place: _Place, kind: str, additions: Additions) -> Node | None:
    link, *at = place
    name = naming.part_of(str(holder), f"karenina:{link}", *at)
    return additions.part(holder, KARENINA + link, name, KARENINA + kind)


def _fields(question: Node, template: Template, additions: Additions) -> dict[str, Node]:
    """Say the fields of a template in their order; return their nodes by name."""
    nodes: dict[str, Node] = {}
    truths = template.ground_truth or {}
    listed: tuple[TemplateField | PlainField, ...] = (*template.fields, *template.plain_fields)
    for at, field in enumerate(listed):
        node = _part(question, ("templateField", at), "TemplateField", additions)
        if node is None:
            continue
        nodes[field.name] = node
        additions.say(node, SCHEMA + "name", field.name)
        additions.say(node, SCHEMA + "position", at)
        additions.say(node, SCHEMA + "description", field.description)
        additions.tell(node, "field_type", _type_of(field))
        if isinstance(field, PlainField):
            additions.tell(node, "ground_truth", truths.get(field.name))
        else:
            _verified(node, field, additions)
    return nodes


def _type_of(field: TemplateField | PlainField) -> str:
    """Return the type of a field: a date is a text in Python, and only its primitive tells."""
    primitive = field.primitive if isinstance(field, TemplateField) else None
    is_date = primitive is not None and field.type == "str" and "date" in registry()[primitive].types
    return "date" if is_date else field.type


def _verified(node: Node, field: TemplateField, additions: Additions) -> None:
    """Say how a field is verified; nothing of an argument that only running the template would tell."""
    additions.tell(node, "extraction_hint", field.extraction_hint or None)
    if "weight" not in field.unread:
        additions.tell(node, "weight", field.weight, DOUBLE)
    additions.tell(node, "is_trace", field.is_trace)
    for value in field.literal_values or ():
        additions.tell(node, "literal_value", value)
    if "verify_with" not in field.unread:
        _primitive(node, field.verify_with, additions)
    truth = field.ground_truth
    if isinstance(truth, dict) and truth.get(MARKER) is True:
        _conditional(node, truth, additions)
    else:
        additions.tell(node, "ground_truth", truth)


def _conditional(node: Node, truth: Mapping[str, Any], additions: Additions) -> None:
    """Say the cases of a ground truth that depends on the state of a conversation; the default is for no value."""
    additions.tell(node, "state_path", truth.get("source"))
    cases = truth.get("cases")
    told = [*(cases.items() if isinstance(cases, dict) else ()), (None, truth.get("default"))]
    for at, (value, case) in enumerate(told):
        is_case = isinstance(case, dict)
        part = _part(node, ("groundTruthCase", at), "GroundTruthCase", additions) if is_case else None
        if part is not None:
            additions.tell(part, "state_value", value)
            additions.tell(part, "ground_truth", case.get("value"))
            _primitive(part, case.get("verify_with"), additions)


def _primitive(node: Node, serialised: Any, additions: Additions) -> None:
    """Say how a field or a case is compared, from the parameters of a primitive and its name as `type`."""
    known = registry().get(str(serialised.get("type"))) if isinstance(serialised, dict) else None
    part = None if known is None else _part(node, ("primitive",), known.name, additions)
    if known is None or part is None:
        return
    for parameter in known.parameters:
        value = serialised.get(parameter.name)
        datatype = DOUBLE if parameter.kind == "number" else None
        for one in value if parameter.name in SINGULAR and isinstance(value, list) else (value,):
            additions.tell(part, SINGULAR.get(parameter.name, parameter.name), one, datatype)


def _regex_check(node: Node | None, name: str, check: RegexCheck, additions: Additions) -> None:
    if node is not None:
        additions.say(node, SCHEMA + "name", name)
        additions.tell(node, "pattern", check.pattern)
        additions.tell(node, "expected", check.expected)
        additions.tell(node, "match_type", check.match_type)


def _strategy(holder: Node, place: _Place, said: Strategy, fields: Mapping[str, Node], additions: Additions) -> None:
    """Say a node of a strategy and those below it; nothing of one that only running the template would tell."""
    node = _part(holder, place, STRATEGIES[said.type], additions) if said.type in STRATEGIES else None
    if node is None:
        return
    additions.tell(node, "n", said.n)
    if said.field_name is not None and said.field_name in fields:
        additions.link(node, KARENINA + "checksField", fields[said.field_name])
    for at, condition in enumerate(said.conditions):
        _strategy(node, ("verifyCondition", at), condition, fields, additions)
