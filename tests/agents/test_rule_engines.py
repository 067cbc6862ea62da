"""The SHACL engine and pySHACL find the same about agent checkpoints."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from rdflib import SH, URIRef

from checkpoint_ld.agents import rules
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.serialization import examine
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.findings import Finding
from checkpoint_ld.graph import emission
from checkpoint_ld.rules import Rule
from tests.agents.documents import Json, checkpoints
from tests.agents.rule_documents import mutilated, replaced, text, tree
from tests.agents.test_rules import SINGLE, the_example
from tests.trials import examples, some


def found(source: bytes, engine: str) -> list[Any]:
    try:
        checked = rules.check_reading(examine(source), "agent", engine=engine)
    except ReadError as error:
        return list(error.findings)
    return [
        (one.code, one.severity, one.place, one.message, one.remedy, one.subject, one.node, one.value)
        for one in checked.findings
    ]


def assert_alike(source: bytes) -> None:
    assert found(source, "compiled") == found(source, "pyshacl")


@pytest.mark.slow
@pytest.mark.parametrize("rule", some(SINGLE, 3), ids=lambda rule: rule.code)
def test_both_engines_find_the_same_in_every_example_and_so_do_its_statements(rule: Rule) -> None:
    shown = the_example(rule).invalid
    assert_alike(shown)
    assert_alike_as_statements(shown)


@pytest.mark.slow
@pytest.mark.parametrize("part", some(range(8), 3))
def test_both_engines_find_the_same_in_mutilated_checkpoints_and_so_do_their_statements(part: int) -> None:
    for seed in range(part * 10, part * 10 + 10):
        assert_alike(text(mutilated(seed)))
        assert_alike_as_statements(text(mutilated(seed + 100)))


@pytest.mark.slow
@settings(max_examples=examples(30), deadline=None)
@given(checkpoints)
def test_both_engines_find_the_same_in_any_checkpoint(document: Json) -> None:
    assert_alike(json.dumps(document).encode())


def assert_alike_as_statements(source: bytes) -> None:
    try:
        tree = examine(source).tree
        statements = examine(emission.ntriples_of(AgentGraph.of_tree(tree)), syntax="nt")
    except ReadError:
        return  # no checkpoint of which there are statements
    held = rules.check_reading(statements).findings
    assert [*map(what, held)] == [*map(what, rules.report_on(tree).findings)]


def what(found: Finding) -> Any:
    return found.code, found.severity, found.message, found.remedy, found.node, found.place.pointer, found.value


def test_the_report_holds_what_was_found_as_results_and_no_secret() -> None:
    key = "sk-abcdefghijklmnopqrstuvwxyz"
    found, secret, either = (
        rules.check_reading(examine(text(tree(change)))).results
        for change in (
            replaced("/metadata/tokens_used", -1),
            replaced("/metadata/checkpoint_reason", key),
            replaced("/about", {"replicate": 1}),
        )
    )
    assert found and secret and either  # noqa: PT018 - for the types
    [result] = found.objects(None, SH.result)
    assert found.value(result, SH.sourceShape) == URIRef("urn:caf:shape:metadata-tokens")
    assert found.value(result, SH.focusNode) == URIRef("urn:caf:checkpoint/ckpt_2#/metadata")
    assert str(found.value(result, SH.value)) == "-1"
    assert len(set(secret.objects(None, SH.result))) == 2
    assert key not in secret.serialize()
    [path] = either.objects(None, SH.resultPath)
    [members] = either.objects(path, SH.alternativePath)
    assert len([*either.items(members)]) == 2


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingsError, match="did you mean pyshacl"):
        found(text(tree()), "pyshakl")
