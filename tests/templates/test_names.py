"""Which names stand for the library's, and which class is the answer."""

from __future__ import annotations

import pytest

from checkpoint_ld.templates import Level, read_template
from tests.templates import answer, field


@pytest.mark.parametrize(
    ("before", "base"),
    [
        ("", "BaseAnswer"),
        ("from karenina.schemas.entities import BaseAnswer\n", "BaseAnswer"),
        ("from karenina.schemas.entities import BaseAnswer as Base\n", "Base"),
        ("import karenina.schemas.entities\n", "karenina.schemas.entities.BaseAnswer"),
        ("import karenina.schemas.entities as e\n", "e.BaseAnswer"),
        ("class Base(BaseAnswer): pass\n", "Base"),
        ("class Base(BaseAnswer): pass\nclass Part(Base): pass\n", "Part"),
        ("", "Generic[T], BaseAnswer"),
    ],
)
def test_a_base_is_found_under_its_names(before: str, base: str) -> None:
    template = read_template(answer(field(), before=before, base=base))
    assert (template.level, template.class_name, template.problems) == (Level.VERIFIED, "Answer", ())


@pytest.mark.parametrize(
    ("before", "base"),
    [
        ("from karenina.schemas.entities import VerifiedField as BaseAnswer\n", "BaseAnswer"),
        ("BaseAnswer = object\n", "BaseAnswer"),
        ("def BaseAnswer(): pass\n", "BaseAnswer"),
        ("class BaseAnswer: pass\n", "BaseAnswer"),
        ("class Base: pass\n", "Base"),
        ("", "make().BaseAnswer"),
        ("e = 1\n", "e.BaseAnswer"),
    ],
)
def test_a_name_that_means_something_else_is_no_base(before: str, base: str) -> None:
    assert read_template(answer(before=before, base=base)).level is Level.NO_ANSWER_CLASS


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("class A(BaseAnswer): pass\nclass B(A): pass", "B"),
        ("class A(BaseAnswer): pass\nclass Answer(BaseAnswer): pass\nclass B(BaseAnswer): pass", "Answer"),
        ("class B(BaseAnswer): pass\nclass A(BaseAnswer): pass", "A"),
        ("class B(BaseAnswer): pass\nclass A(BaseAnswer): pass\nclass B(BaseAnswer): pass", "B"),
        ("class A(BaseAnswer): pass\nclass A(A): pass", "A"),
        ("class BaseAnswer(BaseAnswer): pass\nclass A(BaseAnswer): pass", "A"),
    ],
)
def test_the_answer_is_the_class_that_no_other_derives_from(source: str, name: str) -> None:
    assert read_template(source).class_name == name


def test_a_later_class_of_the_same_name_replaces_the_first() -> None:
    template = read_template(answer("a: int") + answer(field()))
    assert (template.level, template.line, template.problems) == (Level.VERIFIED, 3, ())


def test_imported_names_of_fields_and_types_count() -> None:
    source = (
        "from karenina.schemas.entities import VerifiedField as VF\n"
        "from karenina.schemas.primitives import ExactMatch as Same\n"
        "from typing import Literal as L, Optional as Maybe\n"
        "class Answer(BaseAnswer):\n"
        "    x: Maybe[L['a']] = VF('d', 'a', Same())\n"
    )
    (field_read,) = read_template(source).fields
    assert (field_read.type, field_read.literal_values, field_read.nullable) == ("literal", ("a",), True)
    assert field_read.primitive == "ExactMatch"


def test_a_diamond_of_bases_gives_each_field_once() -> None:
    before = "class Root(BaseAnswer):\n    a: int\nclass Left(Root):\n    b: int\nclass Right(Root):\n    c: int\n"
    template = read_template(answer("d: int", before=before, base="Left, Right"))
    assert sorted(plain.name for plain in template.plain_fields) == ["a", "b", "c", "d"]
    assert template.plain_fields[0].name == "a"
