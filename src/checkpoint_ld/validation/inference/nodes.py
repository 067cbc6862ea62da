"""What a checkpoint holds in texts and JSON, as nodes: its makers and sources, its traits, its answer templates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel
from rdflib import Literal, URIRef

from checkpoint_ld.dialects.dialect import as_list, decoded, text_of
from checkpoint_ld.entities.template_spec import MARKER
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import literals
from checkpoint_ld.graph.compaction import RESIDUE, Ref
from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.literals import DOUBLE, json_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.mapping import traits
from checkpoint_ld.mapping.questions import creator_of
from checkpoint_ld.secrets import secret
from checkpoint_ld.templates import PlainField, TemplateField, read_template
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node

    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.graph.compaction import Compaction
    from checkpoint_ld.templates import RegexCheck, Strategy, Template
    from checkpoint_ld.validation.inference.whole import Additions

AUTHOR, CITATION = SCHEMA + "author", SCHEMA + "citation"

_MEMBERS = {
    AUTHOR: {"name": "name", "email": "email", "url": "url", "orcid": "identifier", "affiliation": "affiliation"},
    CITATION: {
        "name": "name",
        "title": "name",
        "url": "url",
        "doi": "identifier",
        "identifier": "identifier",
        "author": "author",
        "datePublished": "datePublished",
        "year": "datePublished",
        "publisher": "publisher",
    },
}
"""Members of the objects, by the names that people use, and the properties of schema.org that they are."""

_REGISTRIES = {
    "orcid": (re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?"), "https://orcid.org/"),
    "doi": (re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)", re.IGNORECASE), "https://doi.org/"),
}
"""Identifiers that registries give out, and the addresses that they make."""

_NAMING = ("orcid", "doi", "@id", "identifier", "url")

_NAME, _VALUE, _TEXT = (named(SCHEMA + name) for name in ("name", "value", "text"))

Json = dict[str, Any]


def object_of(node: Node, reader: Compaction) -> Json:
    """Return the members of a node, with its additional properties as objects; other objects are `Ref`s."""
    members = reader.shallow(node)
    told = members.get("additionalProperty")
    if told is None:
        return members
    entries = [_property(one, reader) for one in (told if isinstance(told, list) else [told])]
    return {**members, "additionalProperty": entries}


def source_of(template: Any, reader: Compaction) -> str | None:
    """Return the source in the object that `hasPart` of a question refers to, None if there is not just one."""
    told = template[0] if isinstance(template, list) and len(template) == 1 else template
    node = URIRef(told.name) if isinstance(told, Ref) else None
    text = reader.index.get(node, {}).get(_TEXT) if node is not None else None
    return str(text) if isinstance(text, Literal) and isinstance(json_of(text), str) else None


def parts_of(node: Node, predicate: str, reader: Compaction) -> list[Node]:
    """Return the nodes that a node of the graph has under a predicate."""
    held = terms_of(reader.index.get(node, {}).get(URIRef(predicate)))
    return [one for one in held if one in reader.index]


def _property(entry: Any, reader: Compaction) -> Any:
    node = URIRef(entry.name) if isinstance(entry, Ref) else None
    said = reader.index.get(node) if node is not None else None
    if node is None or said is None:
        return entry
    name, value = said.get(_NAME), said.get(_VALUE)
    if not isinstance(name, Literal) or not isinstance(value, Literal) or RESIDUE in said:
        return reader.object(node, reader.table.base.by_key["additionalProperty"])
    return {"name": json_of(name), "value": json_of(value, "@json")}


def creators_of(root: Node, additions: Additions) -> None:
    """Link a benchmark to those who made it, whether it has them as names or as objects."""
    for one in additions.graph.member(root, "creator"):
        if one in additions.index:
            additions.link(root, AUTHOR, one)
    members = object_of(root, additions.reader)
    named = [one for one in as_list(members.get("creator")) if isinstance(one, str)]
    makers = creator_of({**members, "creator": named if len(named) > 1 else named[0]}) if named else None
    for at, maker in enumerate(as_list(makers)):
        said = {"name": maker} if isinstance(maker, str) else maker.model_dump(by_alias=True, exclude_none=True)
        _maker(root, at, said, additions)


def authors_of(question: Node, value: Any, additions: Additions) -> None:
    """Link a question to its authors: an object or several, also as JSON text, or a name."""
    for at, one in enumerate(as_list(decoded(value))):
        _maker(question, at, one if isinstance(one, dict) else {"name": text_of(one)}, additions)


def sources_of(question: Node, value: Any, additions: Additions) -> None:
    """Link a question to its sources: objects, also as JSON text, addresses or titles."""
    for at, one in enumerate(as_list(decoded(value))):
        said = one if isinstance(one, dict) else {"url" if literals.is_iri(text_of(one)) else "name": text_of(one)}
        _described(question, at, said, "CreativeWork", additions)


def _maker(node: Node, at: int, said: Json, additions: Additions) -> None:
    _described(node, at, said, "Organization" if said.get("@type") == "Organization" else "Person", additions)


def _described(node: Node, at: int, said: Json, kind: str, additions: Additions) -> None:
    """Link a node to one for an object, named by what the object says of itself or else by its place."""
    link = CITATION if kind == "CreativeWork" else AUTHOR
    texts = {member: text for member in _MEMBERS[link] if (text := _text(said.get(member)))}
    if not texts:
        return
    name = _name(said) or literals.part_of(str(node), f"schema:{link.removeprefix(SCHEMA)}", at)
    part = additions.part(node, link, name, SCHEMA + kind)
    if part is not None:
        for member, text in texts.items():
            additions.say(part, SCHEMA + _MEMBERS[link][member], text)


def _text(value: Any) -> str:
    """Return the text of a member; of objects there, such as an affiliation, their names."""
    named = [one.get("name") if isinstance(one, dict) else one for one in as_list(value)]
    texts = (text_of(one).strip() for one in named if isinstance(one, (str, int, float)))
    return ", ".join(filter(None, texts))


def _name(said: Json) -> str | None:
    """Return the IRI that an object has for itself, None if it has none that may stand for it."""
    for member in _NAMING:
        text = _text(said.get(member))
        if member in _REGISTRIES:
            form, address = _REGISTRIES[member]
            found = form.fullmatch(text)
            text = address + found[1] if found else ""
        if literals.is_iri(text) and not literals.is_minted(text) and secret(text) is None:
            return text
    return None


FAMILIES = {
    "llm": "LLMTrait",
    "regex": "RegexTrait",
    "callable": "CallableTrait",
    "metric": "MetricTrait",
    "agentic": "AgenticTrait",
}
"""The classes of traits by what evaluates them."""

KINDS = {"boolean": "BooleanTrait", "score": "ScoreTrait", "literal": "LiteralTrait"}
"""The classes of traits by the kind of their results; results with a JSON Schema make a TemplateTrait."""

ELSEWHERE = frozenset(("name", "description", "classes", "callable_code", "model_override"))
"""Settings that are no predicates: nodes say more, and code and settings of models want no second copy."""


def trait_of(rating: Node, additions: Additions, scope: str) -> None:
    """Say which trait a rating is, `scope` being the class for its place; nothing of a rating that is none."""
    told = object_of(rating, additions.reader)
    if isinstance(told.get("description"), (Ref, list)):  # other nodes, of which only the names are known
        del told["description"]
    try:
        trait = traits.trait_of(told)
    except (ReadError, RecursionError):  # it breaks a rule that no file may break, so that nothing follows from it
        return
    if trait is None:
        return
    kind = getattr(trait, "kind", "boolean")
    additions.is_a(rating, "Trait", scope, FAMILIES[traits.family_of(trait)], KINDS.get(str(kind), "TemplateTrait"))
    if traits.is_dynamic(told):
        additions.is_a(rating, "DynamicTrait")
    _settings_of(rating, trait, additions)
    for at, (name, described) in enumerate((getattr(trait, "classes", None) or {}).items()):
        part = additions.part(
            rating,
            KARENINA + "traitClass",
            literals.part_of(str(rating), "karenina:traitClass", at),
            KARENINA + "TraitClass",
        )
        if part is not None:
            additions.say(part, SCHEMA + "name", name)
            additions.say(part, SCHEMA + "description", described)
            additions.tell(part, "score", at)


def _settings_of(rating: Node, trait: AnyTrait, additions: Additions) -> None:
    for name, value in BaseModel.model_dump(trait, mode="json").items():
        if name not in ELSEWHERE:
            for one in value if name in SINGULAR else (value,):
                additions.tell(rating, SINGULAR.get(name, name), one)


STRATEGIES = {"all_of": "AllOf", "any_of": "AnyOf", "at_least_n": "AtLeastN", "field_check": "FieldCheck"}
"""The classes of the nodes of a strategy."""

SINGULAR = {
    "substrings": "substring",
    "flags": "flag",
    "normalize": "normalizer",
    "metrics": "metric",
    "tp_instructions": "tp_instruction",
    "tn_instructions": "tn_instruction",
}
"""Parameters and settings that hold several values, by the names that one of these has."""

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
    name = literals.part_of(str(holder), f"karenina:{link}", *at)
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
