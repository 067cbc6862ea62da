"""The tree that says which fields have to pass."""

from __future__ import annotations

import pytest

from checkpoint_ld.templates import Strategy, read_template
from tests.templates import answer, field, kinds

LEAF = Strategy("field_check", field_name="gene")


def template(tree: str, assignment: str = "verify_strategy = ") -> str:
    return answer(field(), f"class VerificationStrategy:\n    {assignment}{tree}")


@pytest.mark.parametrize(
    ("tree", "read"),
    [
        ("None", None),
        ("FieldCheck(field='gene')", LEAF),
        ("AllOf()", Strategy("all_of")),
        ("AllOf(conditions=[FieldCheck(field='gene')])", Strategy("all_of", conditions=(LEAF,))),
        ("AnyOf(conditions=(FieldCheck(field='gene'),))", Strategy("any_of", conditions=(LEAF,))),
        (
            "AtLeastN(n=1, conditions=[FieldCheck(field='gene'), AllOf(conditions=[])])",
            Strategy("at_least_n", n=1, conditions=(LEAF, Strategy("all_of"))),
        ),
        ("c.AllOf(conditions=[])", Strategy("all_of")),
    ],
)
def test_a_tree_is_read(tree: str, read: Strategy | None) -> None:
    assert read_template(template(tree)).strategy == read
    assert kinds(template(tree)) == []


@pytest.mark.parametrize(
    "tree",
    [
        "pick()",
        "TREE",
        "FieldCheck('gene')",
        "FieldCheck()",
        "FieldCheck(field=5)",
        "FieldCheck(field=name)",
        "AllOf(**tree)",
        "AllOf(conditions=parts)",
        "AllOf(conditions=[*parts])",
        "AllOf(conditions=[pick()])",
        "AtLeastN(conditions=[])",
        "AtLeastN(n='1', conditions=[])",
        "AtLeastN(n=-1, conditions=[])",
    ],
)
def test_a_tree_that_cannot_be_read_is_not_taken_for_none(tree: str) -> None:
    assert read_template(template(tree)).strategy == Strategy("unknown")
    assert kinds(template(tree)) == ["strategy"]


def test_the_assignment_may_have_an_annotation() -> None:
    assert read_template(template("AllOf()", "verify_strategy: AllOf = ")).strategy == Strategy("all_of")


def test_another_inner_class_and_another_name_say_nothing() -> None:
    assert read_template(template("AllOf()", "strategy = ")).strategy is None
    assert read_template(answer(field(), "class Config:\n    verify_strategy = AllOf()")).strategy is None


def test_a_strategy_is_inherited_and_replaced() -> None:
    base = template("AllOf()").replace("class Answer", "class Base")
    inherited = answer(before=base, base="Base")
    replaced = answer("class VerificationStrategy:\n    verify_strategy = AnyOf()", before=base, base="Base")
    assert read_template(inherited).strategy == Strategy("all_of")
    assert read_template(replaced).strategy == Strategy("any_of")


def test_a_leaf_cannot_name_a_field_without_a_primitive() -> None:
    strategy = "class VerificationStrategy:\n    verify_strategy = FieldCheck(field='note')"
    source = answer(field(), "note: str = ''", strategy)
    assert kinds(source) == ["strategy"]
    assert read_template(source).strategy == Strategy("field_check", field_name="note")
