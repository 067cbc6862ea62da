"""What is derived from a template, held against the specification that the template was written from."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from rdflib import RDF, Graph, Literal, URIRef

from checkpoint_ld.entities.template_spec import MARKER, TemplateFieldSpec, TemplateSpec
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import json_of
from checkpoint_ld.secrets import secret
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.specification import source_of
from checkpoint_ld.validation.inference import with_inferred
from checkpoint_ld.validation.inference.inferred_graph import SINGULAR, STRATEGIES
from checkpoint_ld.vocabulary import KARENINA, SCHEMA
from tests.inference.documents import document_of, question
from tests.templates.specs import specs
from tests.trials import examples

Json = Any
DERIVED = "Derived"


class Told:
    """A graph, queried by the names of the vocabulary."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def nodes(self, node: Any, name: str) -> list[Any]:
        """Return the nodes that a node is linked to, in the order of the indices in their names."""
        found = self.graph.objects(node, URIRef(KARENINA + name))
        return sorted(found, key=lambda one: int(str(one).rpartition("/")[2]) if name != "primitive" else 0)

    def values(self, node: Any, iri: str) -> list[Json]:
        found = self.graph.objects(node, URIRef(iri))
        return [json_of(one, "@json") for one in found if isinstance(one, Literal)]

    def value(self, node: Any, iri: str) -> Json:
        return next(iter(self.values(node, iri)), None)

    def kind(self, node: Any) -> str:
        names = (str(one).removeprefix(KARENINA) for one in self.graph.objects(node, RDF.type))
        return next(name for name in names if name != DERIVED)


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


def check_primitive(shown: Told, node: Any, serialised: Json) -> None:
    primitive = registry()[serialised["type"]]
    (how,) = shown.nodes(node, "primitive")
    assert shown.kind(how) == primitive.name
    for parameter in primitive.parameters:
        stated = shown.values(how, KARENINA + camel(SINGULAR.get(parameter.name, parameter.name)))
        value = serialised[parameter.name]
        expected = value if isinstance(value, list) and parameter.name in SINGULAR else [value]
        assert all(one in stated for one in expected if one is not None), parameter
        assert all(one in expected for one in stated), parameter


def check_field(shown: Told, node: Any, field: TemplateFieldSpec) -> None:
    assert shown.value(node, SCHEMA + "name") == field.name
    assert shown.value(node, SCHEMA + "description") == field.description
    assert shown.value(node, KARENINA + "fieldType") == field.type
    assert shown.value(node, KARENINA + "extractionHint") == field.extraction_hint
    assert shown.value(node, KARENINA + "weight") == field.weight
    assert shown.value(node, KARENINA + "isTrace") == field.is_trace
    assert set(shown.values(node, KARENINA + "literalValue")) == set(field.literal_values or ())
    check_primitive(shown, node, field.verify_with)
    truth: Json = field.ground_truth
    if not isinstance(truth, dict) or truth.get(MARKER) is not True:
        assert shown.value(node, KARENINA + "groundTruth") == truth
        return
    assert shown.value(node, KARENINA + "statePath") == truth["source"]
    cases = [*truth["cases"].items(), (None, truth["default"])]
    for case, (value, stated) in zip(shown.nodes(node, "groundTruthCase"), cases, strict=True):
        assert shown.value(case, KARENINA + "stateValue") == value
        assert shown.value(case, KARENINA + "groundTruth") == stated["value"]
        if stated["verify_with"] is not None:
            check_primitive(shown, case, stated["verify_with"])


def check_strategy(shown: Told, node: Any, words: Json, names: dict[Any, str]) -> None:
    assert shown.kind(node) == STRATEGIES[words.type]
    assert shown.value(node, KARENINA + "n") == words.n
    checked = [names[one] for one in shown.graph.objects(node, URIRef(KARENINA + "checksField"))]
    assert checked == ([] if words.field_name is None else [words.field_name])
    for one, condition in zip(shown.nodes(node, "verifyCondition"), words.conditions, strict=True):
        check_strategy(shown, one, condition, names)


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(specs())
def test_a_graph_states_what_the_specification_of_a_template_states(spec: TemplateSpec) -> None:
    tree = document_of(question(template=source_of(spec)))
    held = Told(with_inferred(CheckpointGraph.of_tree(tree)))
    item = URIRef("urn:uuid:Q#/item")

    nodes = held.nodes(item, "templateField")
    for node, field in zip(nodes, spec.fields, strict=True):
        check_field(held, node, field)
    root = held.graph.value(item, URIRef(KARENINA + "verifyStrategy"))
    assert (root is None) is (spec.verify_strategy is None)
    if root is not None:
        names = dict(zip(nodes, (field.name for field in spec.fields), strict=True))
        check_strategy(held, root, spec.verify_strategy, names)
    assert secret(spec.model_dump()) is None, "values that are withheld would be missing"
