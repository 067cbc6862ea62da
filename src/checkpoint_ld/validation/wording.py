"""The words of a finding: the message of its rule with the offending value in it, and what to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.constraints import names
from checkpoint_ld.constraints.forms import FORMS, value_of
from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.graph.naming import is_minted, text_of
from checkpoint_ld.phrases import shown
from checkpoint_ld.validation.places import setting_of
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, RDF, SCHEMA, SHACL, TRAIT_TYPES

if TYPE_CHECKING:
    from checkpoint_ld.rules import Rule
    from checkpoint_ld.shacl import DataGraph
    from checkpoint_ld.validation.results import Result

_PLACEHOLDER = re.compile(r"\{[?$](\w+)\}")
_TYPE = URIRef(RDF + "type")
_UNEXPECTED_TYPE = URIRef(KARENINA + "unexpectedType")


def message_of(rule: Rule, result: Result, data: DataGraph) -> str:
    """Return the message of `rule` about one result; `data` is what was validated."""

    def filled(match: re.Match[str]) -> str:
        match match[1]:
            case "value":
                return _value(result, data)
            case "detail":
                return _detail(rule, result, data)
            case "setting":
                return _setting(result, data)
            case name:
                return _property(result, name, data)

    return _PLACEHOLDER.sub(filled, rule.message).removesuffix(": ")


def remedy_of(rule: Rule, result: Result) -> str:
    """Return what to do about a result: the nearest known name, where there is one, or what the rule says."""
    if rule.suggests and result.value is not None:
        said = str(result.value).removeprefix(KARENINA).removeprefix(SCHEMA)
        near = names.nearest(said, TRAIT_TYPES)
        if near:
            return f"did you mean karenina:{near}?"
    return rule.remedy


def shown_term(term: Any, data: DataGraph) -> str:
    """Name a term in a message."""
    if isinstance(term, Literal):
        value = value_of(term)
        if isinstance(value, str) and secret(value):
            return "what looks like a secret"
        return shown(value) + (f"@{term.language}" if term.language else "")
    text = str(term)
    if data.describes(term):
        return "an object"
    if is_minted(text):
        return "an empty object"
    if text.startswith(ID_BASE):
        return shown(text_of(text))
    if text.startswith(KARENINA):
        return f'"karenina:{text.removeprefix(KARENINA)}"'
    key = names.key_of(term)
    return f"<{text}>" if key == text else f'"{key}"'


def _value(result: Result, data: DataGraph) -> str:
    if result.value is not None:
        return shown_term(result.value, data)
    if str(result.component) == SHACL + "MaxCountConstraintComponent":
        held = [term for path in result.paths for term in data.values(result.focus, path)]
        return f"given {len(held)} times" if len(held) > 1 else shown_term(held[0], data) if held else "given"
    return "missing"


def _detail(rule: Rule, result: Result, data: DataGraph) -> str:
    if rule.form and result.value is not None:
        return FORMS[rule.form](value_of(result.value)) or ""
    roles = data.values(result.focus, _TYPE)
    return next(filter(None, (_named(result, str(role).removeprefix(KARENINA)) for role in roles)), "")


def _named(result: Result, role: str) -> str | None:
    """Say what was meant by a key or a type of an object in this role."""
    if result.value is None:
        return None
    if _UNEXPECTED_TYPE in result.paths:
        expected = names.expected_type(result.value, role)
        return f"this place asks for {expected}" if expected else None
    near = names.misspelt(str(result.value), role)
    if near:
        return f"did you mean {near}?"
    owner = names.misplaced(str(result.value), role)
    return f"it belongs to {owner}" if owner else None


def _setting(result: Result, data: DataGraph) -> str:
    """Name the setting that a result is about: of several paths the one that holds the value."""
    told = [path for path in result.paths if result.value in data.values(result.focus, path)] or list(result.paths)
    return (setting_of(told[0]) or names.key_of(told[0])) if told else ""


def _property(result: Result, name: str, data: DataGraph) -> str:
    for namespace in (SCHEMA, KARENINA):
        terms = data.values(result.focus, URIRef(namespace + name))
        if terms:
            return shown_term(terms[0], data)
    return "missing"
