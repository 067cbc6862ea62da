"""Data frames; the libraries are optional, and so are the tests that need them."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from checkpoint_ld import SettingsError
from tests.benchmark.samples import LIGHT, LIQUID, benchmark, load, question
from tests.documents import canonical


def test_pandas_has_a_row_for_each_record_and_keeps_types() -> None:
    pytest.importorskip("pandas")
    made = benchmark()
    frame: Any = made.to_dataframe()
    assert list(frame.columns) == list(made.to_records()[0])
    assert frame["question"].tolist() == [one["question"] for one in made.to_records()]
    assert frame["finished"].sum() == 1
    assert made.to_dataframe("traits")["max"].dropna().tolist() == [1, 1]
    assert made.to_dataframe("fields")["weight"].mean() == 1.5


def test_polars_has_the_same() -> None:
    pytest.importorskip("polars")
    made = benchmark()
    assert made.to_dataframe(library="polars").to_dicts() == made.to_records()
    assert made.to_dataframe("traits", library="polars").to_dicts() == made.traits_records()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_one_key_may_have_values_of_several_types(library: Any) -> None:
    pytest.importorskip(library)
    made = load(canonical(question("1?", LIQUID, custom_a=1), question("2?", LIGHT, custom_a="two")))
    told = made.to_dataframe(library=library)["custom.a"]
    assert [str(one) for one in told] == ["1", "two"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, library: Any) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SettingsError, match=rf"checkpoint-ld\[{library}\]"):
        benchmark().to_dataframe(library=library)


def test_other_tables_and_libraries_are_refused() -> None:
    with pytest.raises(SettingsError, match="questions, fields, traits"):
        benchmark().to_dataframe("answers")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="polars"):
        benchmark().to_dataframe(library="arrow")  # type: ignore[arg-type]
