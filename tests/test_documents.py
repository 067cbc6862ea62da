"""Reading bytes as JSON: what is taken, what is refused, and where the fault is said to be."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Finding, Place, Severity

if TYPE_CHECKING:
    from pathlib import Path


def refusal(data: str | bytes, **limits: int) -> tuple[Finding, ...]:
    with pytest.raises(ReadError) as caught:
        read_json(data.encode() if isinstance(data, str) else data, "metals.json", Limits(**limits))
    for found in caught.value.findings:
        assert found.severity is Severity.VIOLATION
        assert found.remedy
        assert found.place.file == "metals.json"
        assert str(found) in str(caught.value)
        str(found).encode()
    return caught.value.findings


def spot(found: Finding) -> tuple[str, str | None, int | None, int | None]:
    return found.condition, found.place.pointer, found.place.line, found.place.column


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        " \r\n\t[ ] ",
        "0",
        '""',
        "null",
        '{"name": "Metals", "n": [1, 1.0, -0.0, 1e-7, true, false, null, "\\u0041\\/"]}',
        '["\\ud83d\\ude00", "\\\\ud800", "ud800", "\U0001f600"]',
        '{"a": {"a": 1}, "b": {"a": 1}}',
        '"brackets in text do not nest: ' + "[{" * 300 + '"',
    ],
)
def test_valid_json_is_read_as_python_reads_it(text: str) -> None:
    document = read_json(text.encode())
    assert repr(document.value) == repr(json.loads(text))
    assert document.findings == ()
    assert document.source is None
    assert document.data == text.encode()


def test_numbers_keep_their_kind() -> None:
    value = read_json(b"[1, 1.0, -0.0, 123456789012345678901234567890, 5e-324, 0.1]").value
    assert [type(number) for number in value] == [int, float, float, int, float, float]
    assert math.copysign(1, value[2]) == -1
    assert value[3:] == [123456789012345678901234567890, 5e-324, 0.1]


def test_zero_characters_in_text_are_taken() -> None:
    assert read_json(b'{"a\\u0000b": "\\u0000"}').value == {"a\0b": "\0"}


def test_the_representation_of_a_document_leaves_out_its_content() -> None:
    assert "secret" not in repr(read_json(b'{"name": "secret"}', "metals.json"))


class TestSyntax:
    @pytest.mark.parametrize(
        ("text", "line", "column", "words"),
        [
            ("", 1, 1, "empty"),
            (" \n\t\r\n", 1, 1, "empty"),
            ('{"a": 1,\n "b": [1, 2', 2, 12, "ends before"),
            ('{"a":\n', 2, 1, "ends before"),
            ("[\n", 2, 1, "ends before"),
            ('{"é": "cut o', 1, 7, "ends inside the string"),
            ('{"a": 1}\n  {"b": 2}', 2, 3, "more text follows"),
            ('{"a": 1}\0', 1, 9, "more text follows"),
            ("not valid json", 1, 1, "a value is expected"),
            ("{ this is no json }", 1, 3, "a key in double quotes"),
            ("{'a': 1}", 1, 2, "a key in double quotes"),
            ('{"a" 1}', 1, 6, "a colon"),
            ('["é" 1]', 1, 6, "a comma or the closing bracket"),
            ("[1,\n]", 1, 3, "a comma stands before the closing bracket"),
            ('{"a": 1 , }', 1, 9, "a comma stands before the closing bracket"),
            ('"tab\there"', 1, 5, "control character"),
            ('["line\nbreak"]', 1, 7, "control character"),
            ("[1, ?]", 1, 5, "a value is expected"),
            ("[1, " + "?" * 1000, 1, 5, "a value is expected"),
            ('"\\x41"', 1, 2, "no such escape"),
            ('"a\\u12G4"', 1, 3, "four hexadecimal digits"),
            ("[01]", 1, 3, "a comma or the closing bracket"),
            ("[.5]", 1, 2, "a value is expected"),
            ("\ufeff\ufeff{}", 1, 1, "a value is expected"),
            ("[\u00a01]", 1, 2, "a value is expected"),
            ("\0\1\2\3\4\5", 1, 1, "a value is expected"),
        ],
    )
    def test_text_that_is_not_json_is_refused_where_it_stops_being_so(
        self, text: str, line: int, column: int, words: str
    ) -> None:
        (found,) = refusal(text)
        assert spot(found) == ("E-JSON", "", line, column)
        assert words in found.message
        assert len(found.message) < 200

    def test_a_file_cut_off_inside_a_character_is_cut_off_not_wrongly_encoded(self) -> None:
        (found,) = refusal('{"name": "Metalle für'.encode()[:-2])
        assert found.condition == "E-JSON"

    def test_a_whole_document_with_half_a_character_after_it_is_refused(self) -> None:
        (found,) = refusal(b"{}\xc3")
        assert spot(found) == ("E-JSON", "", 1, 3)


class TestEncoding:
    @pytest.mark.parametrize(
        ("data", "offset", "guess"),
        [
            ('{"a": "é"}'.encode("latin-1"), 7, "Latin-1"),
            ('{"a": "“"}'.encode("cp1252"), 7, "Windows-1252"),
            (b'{"a": "\x81\x93"}', 7, "cannot be told"),
            ('{"a": "é"}'.encode("utf-16"), 0, "UTF-16 (little-endian)"),
            (b"\xfe\xff" + '{"a": "é"}'.encode("utf-16-be"), 0, "UTF-16 (big-endian)"),
            ('{"a": "é"}'.encode("utf-16-le"), 1, "UTF-16 (little-endian)"),
            ('"→"'.encode("utf-16-be"), 0, "UTF-16 (big-endian)"),
            ("[]".encode("utf-32"), 0, "UTF-32 (little-endian)"),
            ("[]".encode("utf-32-le"), 1, "UTF-32 (little-endian)"),
            ("[]".encode("utf-32-be"), 0, "UTF-32 (big-endian)"),
            (b"\x00\x01\x02\x03\xff\xfe", 4, "binary data"),
            (b"\x1f\x8b\x08\x00", 0, "gzip"),
            (b"PK\x03\x04\x14", 0, "ZIP"),
            (b"SQLite format 3\x00\x10", 0, "SQLite"),
            (b'"\xed\xa0\x80"', 1, "CESU-8"),
            ('["fünf", "'.encode() + b'\xff"]', 11, "damaged"),
        ],
    )
    def test_other_encodings_are_refused_with_the_byte_and_a_guess(self, data: bytes, offset: int, guess: str) -> None:
        (found,) = refusal(data)
        assert (found.condition, found.place.pointer) == ("E-ENCODING", "")
        assert f"byte {offset} (0x{data[offset]:02X})" in found.message
        assert guess in found.message

    def test_the_place_counts_characters_up_to_the_byte(self) -> None:
        (found,) = refusal('{"ä": 1,\n "äö": "'.encode() + b'\xff"}')
        assert spot(found) == ("E-ENCODING", "", 2, 9)

    def test_a_byte_order_mark_is_a_warning_and_shifts_no_column(self) -> None:
        document = read_json(b'\xef\xbb\xbf{"a": 1}', "metals.json")
        assert document.value == {"a": 1}
        assert [spot(found) for found in document.findings] == [("W-BOM", "", 1, 1)]
        assert document.findings[0].severity is Severity.WARNING
        assert document.place("/a") == Place("metals.json", "/a", 1, 7)

    def test_a_byte_order_mark_shifts_no_column_of_a_fault(self) -> None:
        assert spot(refusal(b'\xef\xbb\xbf["\xff"]')[0]) == ("E-ENCODING", "", 1, 3)
        assert spot(refusal(b"\xef\xbb\xbf[NaN]")[0]) == ("E-NUMBER", "/0", 1, 2)
        assert spot(refusal(b"\xef\xbb\xbf[[]]", depth=1)[0]) == ("E-DEPTH", "", 1, 2)


class TestKeys:
    def test_every_key_that_occurs_twice_is_told_with_both_places(self) -> None:
        found = refusal('{"a": 1, "b": {"x": 1, "\\u0078": 2},\n "a": 2}')
        assert [spot(one) for one in found] == [("E-DUPKEY", "/b/x", 1, 24), ("E-DUPKEY", "/a", 2, 2)]
        assert '"x" occurs 2 times' in found[0].message
        assert "line 1 column 16 and line 1 column 24" in found[0].message
        assert "line 1 column 2 and line 2 column 2" in found[1].message

    def test_three_times_the_same_key_is_one_finding(self) -> None:
        (found,) = refusal('[{"~/": 1, "~/": 1, "~/": 1}]')
        assert spot(found) == ("E-DUPKEY", "/0/~0~1", 1, 12)
        assert "3 times" in found.message

    @pytest.mark.slow
    def test_an_object_with_very_many_doubled_keys_is_refused(self) -> None:
        text = "{" + ",".join(f'"{number // 2}": 0' for number in range(40_000)) + "}"
        assert len(refusal(text)) == 20_000

    def test_a_key_in_a_value_that_is_itself_doubled_hides_behind_the_outer_fault(self) -> None:
        (found,) = refusal('{"a": {"b": 1, "b": 2}, "a": 3}')
        assert spot(found) == ("E-DUPKEY", "/a", 1, 25)


class TestNumbers:
    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 400 + ".5"])
    def test_numbers_that_json_or_doubles_do_not_have_are_refused(self, number: str) -> None:
        (found,) = refusal(f'{{"a": [\n  "é", {number}]}}')
        assert spot(found) == ("E-NUMBER", "/a/1", 2, 8)
        assert number[:20] in found.message

    def test_an_integer_longer_than_python_takes_is_refused(self) -> None:
        (found,) = refusal("[-" + "9" * 5000 + "]")
        assert spot(found) == ("E-NUMBER", "/0", 1, 2)
        assert "5000 digits" in found.message

    def test_the_longest_integer_that_python_takes_is_read(self) -> None:
        assert read_json(b"9" * 4300).value == 10**4300 - 1

    @pytest.mark.parametrize("number", ["1e308", "1e-999", "123456789e-400"])
    def test_small_and_large_doubles_are_read(self, number: str) -> None:
        assert read_json(number.encode()).value == float(number)

    def test_the_names_of_such_numbers_inside_text_are_no_fault(self) -> None:
        assert read_json(b'["NaN", "1e999", "-Infinity"]').value == ["NaN", "1e999", "-Infinity"]

    def test_of_a_key_that_occurs_twice_the_last_one_is_looked_into(self) -> None:
        found = refusal('{"a": {"b": 1},\n"a": {"b": 1e999}}')
        assert [spot(one) for one in found] == [("E-DUPKEY", "/a", 2, 1), ("E-NUMBER", "/a/b", 2, 12)]

    def test_all_faults_of_a_document_are_told_in_order(self) -> None:
        found = refusal('{"a": NaN, "b": "\\ud800", "c": 1e999, "c": 1, "d": [Infinity]}')
        assert [one.condition for one in found] == ["E-NUMBER", "E-SURROGATE", "E-DUPKEY", "E-NUMBER"]


class TestSurrogates:
    @pytest.mark.parametrize("text", ["\\ud800", "a\\udfffb", "\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00", "\\uD800x"])
    def test_half_a_pair_in_a_text_is_refused(self, text: str) -> None:
        (found,) = refusal(f'{{"item": ["é", "{text}"]}}')
        assert spot(found) == ("E-SURROGATE", "/item/1", 1, 16)
        assert "\\ud" in found.message

    def test_a_long_text_is_shown_shortened(self) -> None:
        (found,) = refusal('["' + "x" * 10_000 + '\\ud800"]')
        assert len(found.message) < 200

    def test_half_a_pair_in_a_key_is_told_at_the_key_of_its_object(self) -> None:
        (found,) = refusal('{"a": {"ok": 1,\n "\\udc00": {"inner": "\\udc01"}}}')
        assert spot(found) == ("E-SURROGATE", "/a", 2, 2)

    def test_half_a_pair_in_a_doubled_key_is_told_without_unprintable_pointers(self) -> None:
        found = refusal('{"\\ud800": 1, "\\ud800": 2}')
        assert [spot(one) for one in found] == [("E-SURROGATE", "", 1, 2), ("E-DUPKEY", "", 1, 15)]


BRACKETS = st.recursive(
    st.text('[]{}"\\\\a', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('[{"\\\\', max_size=3), inner, max_size=3),
)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


class TestLimits:
    def test_two_hundred_levels_are_read_and_one_more_is_refused(self) -> None:
        assert read_json(b'[{"a":' * 100 + b"1" + b"}]" * 100).place("/0/a/0") == Place(None, "/0/a/0", 1, 8)
        (found,) = refusal("[" * 201 + "]" * 201)
        assert spot(found) == ("E-DEPTH", "", 1, 201)
        assert "200 levels" in found.message

    @pytest.mark.parametrize("tail", ["]" * 100_000, "", " garbage"])
    def test_very_deep_nesting_is_refused_and_exhausts_no_stack(self, tail: str) -> None:
        (found,) = refusal('{"ä":\n"[\\"[",' + '"b":' + "[" * 100_000 + tail)
        assert spot(found) == ("E-DEPTH", "", 2, 211)

    def test_nesting_beyond_what_python_parses_is_refused_too(self) -> None:
        (found,) = refusal("[" * 100_000 + "]" * 100_000, depth=1_000_000)
        assert found.condition == "E-DEPTH"

    @pytest.mark.parametrize("text", ["[x" + "[" * 300, '{"a": 1,}' + "[" * 300, '["\\z"]", ' + "[" * 300])
    def test_a_syntax_error_before_the_deep_part_is_what_is_told(self, text: str) -> None:
        assert [one.condition for one in refusal(text)] == ["E-JSON"]

    def test_an_endless_string_full_of_quotes_is_refused_at_its_start(self) -> None:
        (found,) = refusal('["' + '\\"' * 100_000 + "[" * 300)
        assert spot(found) == ("E-JSON", "", 1, 2)

    def test_the_depth_limit_can_be_set(self) -> None:
        assert read_json(b"[[]]", limits=Limits(depth=2)).value == [[]]
        assert spot(refusal("[[]]", depth=1)[0]) == ("E-DEPTH", "", 1, 2)
        assert read_json(b"1", limits=Limits(depth=0)).value == 1
        assert spot(refusal(" []", depth=0)[0]) == ("E-DEPTH", "", 1, 2)

    @settings(deadline=None)
    @given(BRACKETS)
    def test_brackets_quotes_and_escapes_inside_text_do_not_count(self, value: Any) -> None:
        text, deep = json.dumps(value), depth(value)
        assert read_json(text.encode(), limits=Limits(depth=deep)).value == value
        if deep:
            assert refusal(text, depth=deep - 1)[0].condition == "E-DEPTH"

    @pytest.mark.parametrize("text", ['"\\\\"', '"\\""', '"\\\\\\""', '""', '"["', '"]]]"'])
    def test_what_stands_before_the_deep_part_does_not_hide_it(self, text: str) -> None:
        (found,) = refusal(f'[{text}, [[1]], "x["]', depth=2)
        assert found.place.column == len(text) + 5

    def test_the_size_limit_counts_bytes(self) -> None:
        assert read_json('"é"'.encode(), limits=Limits(size=4)).value == "é"
        (found,) = refusal('"é"', size=3)
        assert spot(found) == ("E-SIZE", "", None, None)
        assert "4 bytes" in found.message
        assert "3 bytes" in found.message


JSON_LIKE = st.lists(
    st.sampled_from(
        ['{"a":', '"a":', "[", "]", "}", ",", ":", '"', "1", "1e999", "NaN", "\\ud800", "\\", "é", " ", "\n", "\0"]
    )
).map("".join)


def python_reads(text: str) -> bool:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    def finite(number: str) -> float:
        assert math.isfinite(float(number))
        return float(number)

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_float=finite, parse_constant=finite)
        json.dumps(value, ensure_ascii=False).encode()
    except (AssertionError, ValueError):
        return False
    return True


@settings(deadline=None)
@given(JSON_LIKE)
@example('{"a":{"a":1,"a":1}}')
@example('["\\ud800"]')
@example('{"a":1}}')
def test_exactly_what_is_json_without_loss_is_read(text: str) -> None:
    if python_reads(text):
        assert read_json(text.encode()).value == json.loads(text)
    else:
        assert refusal(text)


@settings(deadline=None)
@given(st.binary() | JSON_LIKE.map(str.encode), st.integers(0, 3))
def test_no_bytes_at_all_lead_to_another_error(data: bytes, depth: int) -> None:
    found: tuple[Finding, ...]
    try:
        found = read_json(data, "metals.json", Limits(depth=depth)).findings
    except ReadError as error:
        found = error.findings or (Finding("no finding", Severity.INFO, ""),)
    assert all(one.place.file == "metals.json" and one.place.line for one in found)


def expected(corpus: Path, folder: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((corpus / folder / "index.json").read_bytes())
    return entries


OURS = {"E-JSON", "E-ENCODING", "E-DUPKEY", "E-NUMBER", "E-DEPTH", "E-SURROGATE", "E-SIZE"}


def test_rejected_documents_of_the_corpus(corpus: Path) -> None:
    refused = set()
    for entry in expected(corpus, "rejected"):
        data = (corpus / entry["file"]).read_bytes()
        codes = {code: pointer for code, pointer in entry["errors"] if code in OURS}
        if not codes:
            assert read_json(data).findings == (), entry["file"]
            continue
        with pytest.raises(ReadError) as caught:
            read_json(data, entry["file"])
        assert {found.condition for found in caught.value.findings} == set(codes), entry["file"]
        for found in caught.value.findings:
            assert found.place.line
            if codes[found.condition] or found.condition in {"E-JSON", "E-ENCODING"}:
                assert found.place.pointer == codes[found.condition]
            refused.add(found.condition)
    assert refused >= {"E-JSON", "E-ENCODING", "E-DUPKEY", "E-NUMBER", "E-SURROGATE"}


def test_tricky_documents_of_the_corpus_are_read(corpus: Path) -> None:
    for entry in expected(corpus, "tricky"):
        marks = [tuple(warning) for warning in entry.get("warnings", []) if warning[0] == "W-BOM"]
        document = read_json((corpus / entry["file"]).read_bytes(), entry["file"])
        assert [(found.condition, found.place.pointer) for found in document.findings] == marks, entry["file"]
