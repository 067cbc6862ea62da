"""What is found about one template holds for every template with its outline, which is not parsed and read again."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld import templates as package
from checkpoint_ld.templates import primitives
from checkpoint_ld.templates.text_outlines import LONGEST, is_typical, known, outline_of
from checkpoint_ld.validation.constraints import templates as forms
from checkpoint_ld.validation.constraints.forms import FORMS, faulty
from tests.documents import canonical, item
from tests.templates import answer, field
from tests.templates.examples import EXAMPLES, PLACEHOLDER
from tests.trials import examples

CLASSIC = '''from pydantic import Field
from karenina.schemas.entities import BaseAnswer


class Answer(BaseAnswer):
    """What is asked about the "metal"."""

    metal: str = Field(description="The metal, or \\"none\\"")
    response: int = Field(default=0, description="How many are there?")

    def model_post_init(self, __context):
        self.correct = {"metal": "liquid gold", "response": 12}
        self.regex = {"cited": {"pattern": "gold leaf", "expected": 2, "match_type": "count"}}

    def verify(self) -> bool:
        return self.metal.lower() == self.correct["metal"] or False
'''
VERIFIED = """from typing import Literal, Optional
import karenina.schemas as k


class Base(k.BaseAnswer):
    shared: bool = VerifiedField(description="Shared (or not)", ground_truth=True, verify_with=BooleanMatch())


class Answer(Base):
    # the authority
    metal: str = VerifiedField("The metal", "gold", k.ExactMatch(normalize=["lowercase", "strip"]), weight=2.0)
    level: Literal["low", "middle", "high"] = VerifiedField(
        description="How much", ground_truth="middle", verify_with=LiteralMatch()
    )
    amount: float = VerifiedField(
        description="In grams", ground_truth=4.5, verify_with=NumericTolerance(tolerance=0.25, mode="absolute")
    )
    code: Optional[str] = VerifiedField(description="By", ground_truth="leaf", verify_with=RegexMatch(pattern="leaf"))

    class VerificationStrategy:
        verify_strategy = AllOf(conditions=[FieldCheck(field="metal"), FieldCheck(field="level")])
"""
GOOD = [CLASSIC, VERIFIED, answer(field()), *(one[3] for one in EXAMPLES)]

READERS = ("expressions", "fields", "primitives", "reading")
"""The modules that read a template."""

WORDS = (
    *("str", "int", "float", "bool", "date", "x", "y", "level", "verify", "id", "correct", "regex", "_own"),
    "ground_truth",
    *("ExactMatch", "NumericExact", "NumericTolerance", "RegexMatch", "LiteralMatch", "BooleanMatch", "DateMatch"),
    *("Answer", "BaseAnswer", "VerifiedField", "Field", "Literal", "description", "tolerance", "response", "Other"),
    *("if", "self", "n", "AtLeastN", "FieldCheck", "field", "VerificationStrategy", "model_post_init", "SynonymMap"),
)
VALUES = (
    *('""', '" "', '"Gold"', '"gold leaf"', '"x"', '"level"', '"lowercase"', '"2020-05-01"', '"May 5, 2020"', '"5"'),
    *('"The answer response"', '"str"', '"list[str]"', '"("', '"a (b"', '"a (b) c?"', '"on"', '"yes"', '"nan"'),
    'r"\\d("',
    *('"jan feb mar"', "'it is'", '"""long\ntext"""', '"a" "b"', '"low" "ercase"', 'f"{x}"', '"a" + "b"', "[]", "None"),
    *("0", "1", "2", "5", "0.0", "1.5", "2.0", "5.e5", "1e5", "0x1F", "007", "-3", "True", "10**3", "date(2020, 5, 1)"),
    *('"half \\ud800"', '"tab\\t"', "x", "# note\n", '"low"', '"middle"', '"relative"', '"IGNORECASE"', '"é à"'),
)
TOKEN = re.compile(r"\w+|\"[^\"\n]*\"|[^\w\s]")


@pytest.fixture(autouse=True, scope="module")
def _from_the_first_one() -> Iterator[None]:
    """Go by outlines however few templates there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "FEW", 0)
        yield


@st.composite
def likes(draw: st.DrawFn) -> tuple[str, str]:
    """Return two templates, of which the second has some tokens of the first exchanged for others."""
    first = draw(st.sampled_from([CLASSIC, VERIFIED]) | st.sampled_from(GOOD))
    other = st.sampled_from(WORDS) | st.sampled_from(VALUES)
    pair: list[str] = []
    for most in (2, 3):
        text = pair[0] if pair else first
        for _ in range(draw(st.integers(0 if not pair else 1, most))):
            tokens = list(TOKEN.finditer(text))
            token = draw(st.sampled_from(tokens))
            new = draw(other | st.sampled_from([one.group() for one in tokens]))
            if draw(st.booleans()):
                text = re.sub(rf"(?<!\w){re.escape(token.group())}(?!\w)", new.replace("\\", r"\\"), text)
            else:
                text = text[: token.start()] + new + text[token.end() :]
        pair.append(text)
    return pair[0], pair[1]


def outcome(source: str) -> list[object]:
    """Return what the forms say of a template."""
    about = (forms.answer_class, forms.complete, forms.written, forms.fields)
    return [forms.is_read(source), *(form(source) for form in about)]


def taught(source: str) -> None:
    """Say something of a template often enough to go by its outline from then on."""
    for _ in range(2):
        outcome(source)
        forms._known.clear()  # noqa: SLF001 - what is stated of one text is remembered


@pytest.mark.slow
@settings(max_examples=examples(600), deadline=None)
@given(likes())
def test_after_a_template_was_read_the_same_is_stated_of_another(pair: tuple[str, str]) -> None:
    first, second = pair
    forms.forget()
    expected = outcome(second)
    forms.forget()
    taught(first)
    event("one outline" if outline_of(first) == outline_of(second) is not None else "two outlines")
    assert outcome(second) == expected


def test_what_is_wrong_is_found_after_everything_that_is_right_was_seen() -> None:
    wrong = [PLACEHOLDER, *(one[1] for one in EXAMPLES)]
    forms.forget()
    expected = [outcome(source) for source in wrong]
    forms.forget()
    for source in GOOD:
        taught(source)
    assert [outcome(source) for source in wrong] == expected


SOURCES = ["", " \n", "\u00a0", "(", PLACEHOLDER, *GOOD, *(one[1] for one in EXAMPLES)]
OF_TEMPLATES = ("python", "answer-class", "complete-template", "template-fields", "written-template")


@pytest.mark.parametrize("form", FORMS)
def test_the_values_that_a_form_states_something_of_are_found_among_others(form: str) -> None:
    values = [*SOURCES, "sk-" + "a" * 20, 5, {}]
    assert faulty(FORMS[form], values) == [at for at, one in enumerate(values) if FORMS[form](one) is not None]
    assert form not in {*OF_TEMPLATES, "no-secret"} or faulty(FORMS[form], GOOD) == []


def test_what_was_read_before_outlines_are_made_is_an_example_of_its_outline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "FEW", 2)
    forms.forget()
    outcome(CLASSIC)
    outcome(VERIFIED)
    monkeypatch.setattr(forms, "read_template", None)
    assert outcome(CLASSIC.replace("metal", "colour")) == [True, None, None, None, None]


def test_another_thread_may_read_a_template_while_outlines_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    others = iter(("x = 2", "x = 3"))

    def outlined(source: str) -> object:
        for other in others:
            reader = Thread(target=outcome, args=(other,))
            reader.start()
            reader.join()
        return outline_of(source)

    monkeypatch.setattr(forms, "FEW", 1)
    monkeypatch.setattr("checkpoint_ld.templates.text_outlines.outline_of", outlined)
    forms.forget()
    outcome(CLASSIC)
    assert outcome(VERIFIED) == [True, None, None, None, None]


@pytest.mark.parametrize("source", [CLASSIC, VERIFIED, answer(field()), GOOD[3]])
def test_a_template_with_other_names_and_texts_is_not_read_again(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = source.replace("metal", "colour").replace("gold", "pale blue").replace("12", "3")
    taught(source)
    monkeypatch.setattr(forms, "read_template", None)
    assert outcome(other) == [True, None, None, None, None]


@pytest.mark.parametrize(
    "source",
    [
        *('"a""b"', 'x = f"a"', 'x = b"a"', "größe = 5", "x = 'a\nb'", 'x = """a', 'x = """a\\""" b"""', "x\r\n"),
        *("x = '\ud800'", "x = 'a\x00'", "#" * (LONGEST + 1)),
    ],
)
def test_what_cannot_be_split_for_certain_has_no_outline(source: str) -> None:
    assert outline_of(source) is None


@pytest.mark.parametrize(
    "values", ['"low" "ercase"', '"low"  # so\n "ercase"', 'Name + "ercase"', "5.e5", "DateMatch()"]
)
def test_an_outline_does_not_show_values_that_are_worked_out(values: str) -> None:
    source = f"class Answer(BaseAnswer):\n x: str = Field(default=({values}))"
    assert outline_of(source) is not None
    assert not is_typical(source)


def test_an_outline_shows_which_names_and_texts_are_the_same() -> None:
    same, other = 'gene = "gene"', 'gene = "cell"'
    assert outline_of(same) == outline_of('cell = "cell"') != outline_of(other)
    assert outline_of(other) == outline_of('cell = "gene"')
    assert outline_of('x = "gene is here"') != outline_of("x = gene")


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
    forms.forget()
    taught(sound)
    assert FORMS["python"](sound) is None
    assert FORMS["python"](fault) is not None


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


@pytest.mark.parametrize("name", READERS)
def test_an_outline_keeps_every_word_that_the_reader_knows(name: str) -> None:
    module = ast.parse(Path(package.__file__).with_name(f"{name}.py").read_text(encoding="utf-8"))
    pieces = {part for node in ast.walk(module) if isinstance(node, ast.JoinedStr) for part in node.values}
    texts = [node for node in ast.walk(module) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    words = {str(node.value) for node in texts if node not in pieces}
    assert {one for one in words if re.fullmatch(r"[A-Za-z]\w*", one)} - known() <= OWN


OWN = {
    *("method", "decorator", "setting", "annotation", "statement", "Assign", "constant"),
    *("target", "choice", "integer", "text", "normalizers", "any"),
    "Converted",
    *("body", "finalbody", "handlers", "lineno", "orelse", "ignore", "replace"),
    *("choices", "name", "parameters", "required", "types", "AIMSX"),
    *("Date", *primitives._MONTHS, *primitives._DAYS, *primitives._OTHER_WORDS),  # noqa: SLF001 - what names a date has no outline
}
"""Words of the reader that are about its own values, and never compared with those of a template."""
