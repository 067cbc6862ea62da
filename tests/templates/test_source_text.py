"""Program text that is like other program text is not parsed again, and the same is found about it."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given, settings

from checkpoint_ld import Benchmark
from checkpoint_ld.templates import template
from checkpoint_ld.templates.text_outlines import outline_of
from checkpoint_ld.validation.constraints import templates as forms
from tests.documents import canonical, item
from tests.templates import answer, field
from tests.templates.test_outline import CLASSIC, GOOD, VERIFIED, likes
from tests.trials import examples

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="module")
def _from_the_first_one() -> Iterator[None]:
    """Go by outlines however few texts there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(template, "FEW", 0)
        yield


def parsed_fault(source: str) -> str | None:
    """Return what is wrong with a text when nothing else was seen before."""
    template.forget()
    return template.python_fault(source)


@pytest.mark.slow
@settings(max_examples=examples(600), deadline=None)
@given(likes())
def test_after_a_text_was_parsed_the_same_is_found_about_another(pair: tuple[str, str]) -> None:
    first, second = pair
    expected = parsed_fault(second)
    parsed_fault(first)
    event("one outline" if outline_of(first) == outline_of(second) is not None else "two outlines")
    assert template.python_fault(second) == expected


@pytest.mark.parametrize(
    ("sound", "fault"),
    [
        ("x = field(ground_truth=12.e5)", "x = field(ground_truth=12.fe)"),
        ("x = 5.e5", "x = 5.g5"),
        ("hint = 5", "def = 5"),
        ("print(x)", "print x"),
        ("x = 'a word'", "x = 'a word"),
        ("x = 'a word'", r"x = 'a \N{word}'"),
        ("x = 1", "x = 1word"),
        ("x = y", "x = 'y' y"),
        ("# a note\nx = 1", "# a note\n x = 1"),
    ],
)
def test_what_is_no_python_is_found_after_what_is(sound: str, fault: str) -> None:
    assert parsed_fault(sound) is None
    assert template.python_fault(fault) is not None


@pytest.mark.parametrize("source", [CLASSIC, VERIFIED, *GOOD[:3]])
def test_a_text_with_other_names_and_texts_is_not_parsed_again(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed_fault(source)
    monkeypatch.setattr(ast, "parse", None)
    assert template.python_fault(source.replace("metal", "colour").replace("gold", "pale blue")) is None


def test_templates_that_are_alike_are_hardly_parsed_when_a_benchmark_is_loaded_and_validated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elements = [item(f"question {at}", f"urn:{at}") for at in range(60)]
    for at, element in enumerate(elements):
        element["item"]["hasPart"]["text"] = answer(
            field(f"metal_{at}", description=f'"Metal of{at}"', truth=f'"copper{at}"')
        )
    text = json.dumps(canonical(*elements)).encode()
    parsed: list[str] = []
    parse = ast.parse

    def counted(source: str) -> ast.Module:
        parsed.append(source)
        return parse(source)

    monkeypatch.setattr(forms, "FEW", 0)
    monkeypatch.setattr(ast, "parse", counted)
    forms.forget()
    Benchmark.load(text, validate="strict")
    assert 0 < len(parsed) < 8
