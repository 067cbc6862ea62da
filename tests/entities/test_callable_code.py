"""The code of callable traits: kept, looked at, never run."""

from __future__ import annotations

import base64
import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from checkpoint_ld.entities import CallableCode, CallableRubricTrait

SOURCE = "def evaluate(text: str) -> bool:\n    return 'é' in text\n"
IN_BASE64 = base64.b64encode(SOURCE.encode()).decode()


class Trap:
    """Unpickling an object of this class raises SystemExit."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return SystemExit, ("unpickled",)


@pytest.mark.parametrize(
    ("code", "form", "content"),
    [
        (pickle.dumps(Trap(), 4), "pickle", pickle.dumps(Trap(), 4)),
        (base64.b64encode(pickle.dumps(1, 5)).decode(), "pickle", pickle.dumps(1, 5)),
        (IN_BASE64, "base64-source", SOURCE.encode()),
        (SOURCE.encode(), "base64-source", SOURCE.encode()),
        (SOURCE, "source", SOURCE.encode()),
        ("%%%", "source", b"%%%"),
        ("AAA", "source", b"AAA"),
        ("AAA=", "bytes", b"\x00\x00"),
        (b"\x80\x01", "bytes", b"\x80\x01"),
        (b"plain words", "bytes", b"plain words"),
        (b"", "bytes", b""),
        ("", "bytes", b""),
    ],
)
def test_code_looks_like_what_it_is(code: bytes | str, form: str, content: bytes) -> None:
    found = CallableCode(code)
    assert found.form == form
    assert bytes(found) == content


@pytest.mark.parametrize("text", [IN_BASE64, IN_BASE64[:20] + "\n" + IN_BASE64[20:] + "\n", SOURCE, "%%%", ""])
def test_text_is_kept_exactly(text: str) -> None:
    trait = CallableRubricTrait.model_validate({"name": "a", "kind": "boolean", "callable_code": text})
    assert trait.callable_code is not None
    assert trait.callable_code.text == text
    assert trait.model_dump()["callable_code"] == trait.model_dump(mode="json")["callable_code"] == text


@given(st.binary())
def test_bytes_come_back_from_their_base64(code: bytes) -> None:
    text = CallableCode(code).text
    assert text == base64.b64encode(code).decode()
    assert CallableCode(text) == code


@given(st.binary() | st.text())
def test_a_trait_with_any_code_is_read_back(code: bytes | str) -> None:
    trait = CallableRubricTrait.model_validate({"name": "a", "kind": "boolean", "callable_code": code})
    assert CallableRubricTrait.model_validate(trait.model_dump()) == trait
    assert CallableRubricTrait.model_validate_json(trait.model_dump_json()) == trait
    assert copy.deepcopy(trait) == trait
    assert pickle.loads(pickle.dumps(trait)) == trait


def test_the_same_bytes_under_another_text_are_another_code() -> None:
    plain, encoded = CallableCode(SOURCE), CallableCode(IN_BASE64)
    assert plain != encoded
    assert not plain == encoded  # noqa: SIM201  # equality and inequality are two methods
    assert plain == encoded[:]
    assert len({CallableCode(SOURCE), CallableCode(SOURCE)}) == 1


def test_a_trait_takes_code_that_is_code_already_as_it_is() -> None:
    trait = CallableRubricTrait(name="a", kind="boolean", callable_code=CallableCode(SOURCE))
    trait.description = "edited"
    assert trait.callable_code is not None
    assert trait.callable_code.form == "source"


@pytest.mark.parametrize("code", [1, ["AAA="], {}, bytearray(b"x")])
def test_other_things_are_no_code(code: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(CallableCode).validate_python(code)
