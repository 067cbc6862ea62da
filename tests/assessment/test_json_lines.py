"""Recorded answers in JSON lines: what is read, and what is stated about lines that are none."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.assessment import Assessment, RecordedAnswer, Status, read_answers
from checkpoint_ld.assessment.assessing import line_of
from checkpoint_ld.errors import ReadError, SourceMissingError

GOOD = b'{"question_id": "q", "answer": {"a": 1}}'


def read(data: bytes) -> list[RecordedAnswer]:
    return list(read_answers(io.BytesIO(data), "answers.jsonl"))


@pytest.mark.parametrize(
    ("line", "place", "fault"),
    [
        (b"metal: tin", "answers.jsonl:2:1", "the line is not JSON: a value is expected; found"),
        (b'{"question_id": "q"', "answers.jsonl:2:20", "the text ends before the document is complete"),
        (b'{"question_id": "q", }', "answers.jsonl:2:20", "a comma stands before the closing bracket"),
        (b'{"question_id": "q", "answer": {"a": NaN}}', "answers.jsonl:2:38", '"NaN" is not a JSON number'),
        (b'{"a": 1, "a": 2}', "answers.jsonl:2:10", 'the key "a" occurs 2 times'),
        (b'{"a": "\\ud800"}', "answers.jsonl:2:7", "half a surrogate pair"),
        (b'{"a": "\xff"}', "answers.jsonl:2", "not UTF-8: byte 8 is 0xff"),
        (b"[" * 100_000, "answers.jsonl:2", "nested more than 200 levels deep"),
        (b"[]", "answers.jsonl:2", "[] is no recorded answer: write an object"),
        (b"null", "answers.jsonl:2", "null is no recorded answer"),
    ],
)
def test_a_line_that_is_none_states_what_is_wrong_and_where(line: bytes, place: str, fault: str) -> None:
    found = read(GOOD + b"\n" + line + b"\n" + GOOD + b"\n")
    assert [bool(one.fault) for one in found] == [False, True, False]
    assert str(found[1].place) == place
    assert fault in found[1].fault


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"\n" + GOOD + b"\n  \r\n" + GOOD, [2, 4]),
        (b"\xef\xbb\xbf" + GOOD + b"\r\n" + GOOD + b"\r\n", [1, 2]),
    ],
    ids=["empty lines", "byte order mark and Windows"],
)
def test_empty_lines_a_byte_order_mark_and_windows_line_ends_are_taken(data: bytes, lines: list[int]) -> None:
    assert [(one.place.line, one.fault) for one in read(data)] == [(line, "") for line in lines]


def test_a_line_that_never_ends_is_not_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint_ld.assessment.answers.LONGEST_LINE", 100)
    found = read(b"x" * 1000 + b"\n" + GOOD + b"\n" + b"x" * 1000)
    assert [one.place.line for one in found] == [1, 2, 3]
    assert "more than 100 bytes" in found[0].fault
    assert (found[1].fault, found[1].values) == ("", {"a": 1})
    assert found[2].fault


def test_a_line_of_the_longest_length_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint_ld.assessment.answers.LONGEST_LINE", len(GOOD) + 1)
    assert [one.fault for one in read(GOOD + b"\n" + GOOD + b"\n")] == ["", ""]


def test_integers_of_any_size_are_kept() -> None:
    (found,) = read(b'{"question_id": "q", "answer": {"a": 123456789012345678901234567890}}')
    assert found.values == {"a": 123456789012345678901234567890}


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SourceMissingError, match=r"none\.jsonl: cannot be read: no such file or directory; check"):
        list(read_answers(tmp_path / "none.jsonl"))
    with pytest.raises(SourceMissingError, match="it is no path of a file or folder; check the path"):
        list(read_answers("a\0b.jsonl"))


def test_a_path_names_the_places_and_a_packed_file_is_read_unless_it_is_damaged(tmp_path: Path) -> None:
    plain, packed = tmp_path / "answers.jsonl", tmp_path / "answers.jsonl.gz"
    plain.write_bytes(GOOD)
    packed.write_bytes(gzip.compress(GOOD))
    for path in (plain, packed):
        assert [str(one.place) for one in read_answers(path)] == [f"{path}:1"]
    packed.write_bytes(gzip.compress(GOOD)[:-9])
    with pytest.raises(ReadError, match="the compressed data is damaged"):
        list(read_answers(packed))


texts = st.text(st.characters(codec="utf-8"), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, values, max_size=5), st.dictionaries(texts, values, max_size=5), texts)
def test_what_is_in_a_record_comes_back_in_the_line_of_results(
    answer: dict[str, Any], other: dict[str, Any], trace: str
) -> None:
    known = {"question_id": "q", "answer": answer, "trace": trace}
    named = ("context", "answer_id", "model", "replicate", "date")
    extra = {key: value for key, value in other.items() if key not in {*known, *named}}
    (found,) = read(json.dumps({**extra, **known}).encode() + b"\n")
    assert (dict(found.values), found.trace, found.fault) == (answer, trace, "")
    line = line_of(Assessment(found, Status.ERROR))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line)["extra"] == extra


def test_half_a_surrogate_pair_in_an_object_is_written_as_its_escape() -> None:
    answer = RecordedAnswer.of({"question_id": "q", "answer": {}, "note": "\ud800"})
    line = line_of(Assessment(answer, Status.ERROR))
    assert b'"note": "\\ud800"' in line
    assert json.loads(line)["extra"] == {"note": "\ud800"}


@given(st.binary(max_size=200))
def test_any_bytes_give_answers_or_faults(data: bytes) -> None:
    assert all(one.fault or one.question_id is not None for one in read(data))
