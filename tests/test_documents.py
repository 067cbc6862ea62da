"""Reading bytes as JSON: what is taken, what is refused, and where the fault is stated to be."""

import json
import math
import re
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checkpoint_ld.documents import document
from checkpoint_ld.documents.document import parse, read_json
from checkpoint_ld.documents.text import CANONICAL, Layout, dump_json
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.graph.literals import same
from tests.trials import examples

Json = Any


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
        *("{}", " \r\n\t[ ] ", "0", '""', "null", "1e308", "0.10000000000000001", "9" * 4300),
        '{"name": "Metals", "n": [1, 1.0, -0.0, 1e-7, true, false, null, "\\u0041\\/"]}',
        "[1, 1.0, -0.0, 123456789012345678901234567890, 5e-324, 0.1]",
        '["\\ud83d\\ude00", "\\\\ud800", "ud800", "\U0001f600"]',
        '["NaN", "1e999", "-Infinity"]',
        '{"a": {"a": 1}, "b": {"a": 1}}',
        '{"a\\u0000b": "\\u0000"}',
        '"brackets in text do not nest: ' + "[{" * 300 + '"',
    ],
)
def test_valid_json_is_read_as_python_reads_it(text: str) -> None:
    read = read_json(text.encode())
    assert repr(read.value) == repr(json.loads(text))
    assert (read.findings, read.source, read.data) == ((), None, text.encode())


@pytest.mark.parametrize("text", ["1e-999", "123456789e-400", "0.123456789012345678", "9007199254740993.0"])
def test_digits_that_a_double_does_not_keep_are_a_finding(text: str) -> None:
    read = read_json(f'{{"n": [1, {text}, {text}]}}'.encode())
    assert read.value == {"n": [1, float(text), float(text)]}
    assert [(one.rule, one.place.pointer) for one in read.findings] == [("loss", "/n/1")]
    assert "and 1 more like it" in read.findings[0].message


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
            # a file cut off inside a character is cut off, not wrongly encoded
            ('{"name": "Metalle für'.encode()[:-2], 1, 10, "ends inside the string"),
            (b"{}\xc3", 1, 3, ""),
            # an endless string full of quotes
            ('["' + '\\"' * 100_000 + "[" * 300, 1, 2, ""),
        ],
    )
    def test_text_that_is_not_json_is_refused_where_it_stops_being_so(
        self, text: str | bytes, line: int, column: int, words: str
    ) -> None:
        (found,) = refusal(text)
        assert spot(found) == ("E-JSON", "", line, column)
        assert words in found.message
        assert len(found.message) < 200


class TestEncoding:
    @pytest.mark.parametrize(
        ("data", "offset", "guess"),
        [
            ('{"a": "é"}'.encode("latin-1"), 7, "Latin-1"),
            ('{"a": "“"}'.encode("cp1252"), 7, "Windows-1252"),
            (b'{"a": "\x81\x93"}', 7, "unknown encoding"),
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
        read = read_json(b'\xef\xbb\xbf{"a": 1}', "metals.json")
        assert read.value == {"a": 1}
        assert [spot(found) for found in read.findings] == [("W-BOM", "", 1, 1)]
        assert read.findings[0].severity is Severity.WARNING
        assert read.place("/a") == Place("metals.json", "/a", 1, 7)

    @pytest.mark.parametrize(
        ("data", "limits", "expected"),
        [
            (b'["\xff"]', {}, ("E-ENCODING", "", 1, 3)),
            (b"[NaN]", {}, ("E-NUMBER", "/0", 1, 2)),
            (b"[[]]", {"depth": 1}, ("E-DEPTH", "", 1, 2)),
        ],
    )
    def test_a_byte_order_mark_shifts_no_column_of_a_fault(
        self, data: bytes, limits: dict[str, int], expected: Json
    ) -> None:
        assert spot(refusal(b"\xef\xbb\xbf" + data, **limits)[0]) == expected


FAULTS: list[tuple[str, list[Json], list[str]]] = [
    (
        '{"a": 1, "b": {"x": 1, "\\u0078": 2},\n "a": 2}',
        [("E-DUPKEY", "/b/x", 1, 24), ("E-DUPKEY", "/a", 2, 2)],
        ['"x" occurs 2 times', "line 1 column 16 and line 1 column 24", "line 1 column 2 and line 2 column 2"],
    ),
    ('[{"~/": 1, "~/": 1, "~/": 1}]', [("E-DUPKEY", "/0/~0~1", 1, 12)], ["3 times"]),
    # a key in a value that is itself doubled hides behind the outer fault; of the doubled ones the last one counts
    ('{"a": {"b": 1, "b": 2}, "a": 3}', [("E-DUPKEY", "/a", 1, 25)], []),
    ('{"a": {"b": 1},\n"a": {"b": 1e999}}', [("E-DUPKEY", "/a", 2, 1), ("E-NUMBER", "/a/b", 2, 12)], []),
    *(
        (f'{{"a": [\n  "é", {number}]}}', [("E-NUMBER", "/a/1", 2, 8)], [number[:20]])
        for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 400 + ".5")
    ),
    ("[-" + "9" * 5000 + "]", [("E-NUMBER", "/0", 1, 2)], ["5000 digits"]),  # longer than Python takes
    *(
        (f'{{"item": ["é", "{text}"]}}', [("E-SURROGATE", "/item/1", 1, 16)], ["\\ud"])
        for text in ("\\ud800", "a\\udfffb", "\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00", "\\uD800x")
    ),
    ('["' + "x" * 10_000 + '\\ud800"]', [("E-SURROGATE", "/0", 1, 2)], []),
    # half a pair in a key is reported at the object of the key
    ('{"a": {"ok": 1,\n "\\udc00": {"inner": "\\udc01"}}}', [("E-SURROGATE", "/a", 2, 2)], []),
    ('{"\\ud800": 1, "\\ud800": 2}', [("E-SURROGATE", "", 1, 2), ("E-DUPKEY", "", 1, 15)], []),
    # all faults, in their order
    (
        '{"a": NaN, "b": "\\ud800", "c": 1e999, "c": 1, "d": [Infinity]}',
        [
            *(("E-NUMBER", "/a", 1, 7), ("E-SURROGATE", "/b", 1, 17)),
            *(("E-DUPKEY", "/c", 1, 39), ("E-NUMBER", "/d/0", 1, 53)),
        ],
        [],
    ),
    # more levels than 200, and than Python parses
    ("[" * 201 + "]" * 201, [("E-DEPTH", "", 1, 201)], ["200 levels"]),
    *(
        ('{"ä":\n"[\\"[",' + '"b":' + "[" * 100_000 + tail, [("E-DEPTH", "", 2, 211)], [])
        for tail in ("]" * 100_000, "", " garbage")
    ),
]


@pytest.mark.parametrize(("text", "spots", "words"), FAULTS)
def test_every_fault_is_reported_at_its_place(text: str, spots: list[Json], words: list[str]) -> None:
    found = refusal(text)
    assert [spot(one) for one in found] == spots
    assert all(len(one.message) < 200 for one in found)
    held = " ".join(one.message for one in found)
    assert [one for one in words if one not in held] == []


@pytest.mark.slow
def test_an_object_with_very_many_doubled_keys_is_refused() -> None:
    text = "{" + ",".join(f'"{number // 2}": 0' for number in range(40_000)) + "}"
    assert len(refusal(text)) == 20_000


BRACKETS = st.recursive(
    st.text('[]{}"\\\\a', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('[{"\\\\', max_size=3), inner, max_size=3),
)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


class TestLimits:
    def test_two_hundred_levels_are_read(self) -> None:
        assert read_json(b'[{"a":' * 100 + b"1" + b"}]" * 100).place("/0/a/0") == Place(None, "/0/a/0", 1, 8)

    def test_nesting_beyond_what_python_parses_is_refused_too(self) -> None:
        (found,) = refusal("[" * 100_000 + "]" * 100_000, depth=1_000_000)
        assert found.condition == "E-DEPTH"

    @pytest.mark.parametrize("text", ["[x" + "[" * 300, '{"a": 1,}' + "[" * 300, '["\\z"]", ' + "[" * 300])
    def test_a_syntax_error_before_the_deep_part_is_what_is_reported(self, text: str) -> None:
        assert [one.condition for one in refusal(text)] == ["E-JSON"]

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
        assert re.search("4 bytes.*3 bytes", found.message)


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
        read = read_json((corpus / entry["file"]).read_bytes(), entry["file"])
        assert [(found.condition, found.place.pointer) for found in read.findings] == marks, entry["file"]


# --- the quick way, which says exactly what the thorough one says

DEPTH = 200
LAYOUTS: list[Any] = [{"indent": 2}, {"separators": (",", ":")}]
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=12,
)


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), st.booleans(), st.sampled_from(LAYOUTS))
def test_what_is_read_quickly_is_what_the_parser_reads(value: Any, is_ascii: bool, layout: Any) -> None:
    data = json.dumps(value, **layout, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    found = document.value_of(data, DEPTH)
    assert found is None or same(found, parse(data.decode()))


@pytest.mark.parametrize("end", ["", "\n", " \r\n"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_documents_in_usual_layouts_are_read_quickly(end: str, layout: Any) -> None:
    value: dict[str, Any] = {"name": "Größe", "n": [1, -2.5, True, None, {}], "e": [], "x": {"y": 'a "quoted"\n line'}}
    text = json.dumps(value, **layout, ensure_ascii=False) + end
    assert document.value_of(text.encode(), DEPTH) == value


NINES = "9" * 5000
MEMBERS = [
    *('"a": 1,\n  "a": 1', '"a": 1e400', '"a": NaN', '"a": -0', '"a": 1.50', f'"a": {NINES}', '"a": 1,', '"a":1'),
    *('"a": 123456789012345678901234567890', r'"a": "\ud800"', r'"a": "\u0041"', '"a": "\x01"'),
]


@pytest.mark.parametrize(
    "data",
    [
        *(f"{{\n  {member}\n}}".encode() for member in MEMBERS),
        *(f"{{{member}}}".replace(" ", "").replace("\n", "").encode() for member in MEMBERS if member != '"a":1'),
        b'{"a": 1}',
        *(b"", b"{}", b"[\n  1\n]", b"\xef\xbb\xbf{\n}", b'{\n  "a": "\xff"\n}', b'{\n  "a": 1\n}\x00'),
    ],
)
def test_what_might_be_bent_and_other_texts_are_left_to_the_parser(data: bytes) -> None:
    assert document.value_of(data, DEPTH) is None


def nested(depth: int, layout: Any) -> bytes:
    """Return an object with arrays in it, `depth` of both inside one another."""
    value: Any = 1
    for _ in range(depth - 1):
        value = [value]
    return json.dumps({"a": value}, **layout).encode()


@pytest.mark.parametrize("depth", [2, 3, 10, 200])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_limit_of_depth_is_that_of_the_parser(depth: int, layout: Any) -> None:
    assert read_json(nested(depth, layout), limits=Limits(depth=depth)).value == json.loads(nested(depth, layout))
    for shape in (nested(depth + 1, layout), nested(depth, layout).replace(b"1", b"[]"), nested(depth + 40, layout)):
        with pytest.raises(ReadError, match="nested deeper"):
            read_json(shape, limits=Limits(depth=depth))


# --- Layout and writing: a value becomes the very text that `json.dumps` makes of it, or an error before any text.


SAMPLE = {"name": "Größe", "empty": [{}, []], "rating": [{"worst": 0, "best": 1.0}], "end": "\u007f\u2028\\u00e9"}

TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/\n\r\t\u2028\x7f\0\b\f\x1f{}[]:, '), max_size=8)
NUMBERS = st.integers() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
INDENTS = st.sampled_from([None, 0, 1, 2, 4, "\t", " \t"])
ANY_LAYOUTS = st.builds(
    Layout,
    indent=INDENTS,
    separators=st.sampled_from([None, (",", ":"), (", ", ": "), (" ,", " : ")]),
    ascii=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    end=st.sampled_from(["", "\n", "\r\n", "\n\n"]),
    bom=st.booleans(),
)


def test_the_canonical_layout_is_that_of_karenina() -> None:
    assert dump_json(SAMPLE) == json.dumps(SAMPLE, indent=2, ensure_ascii=False).encode()
    assert Layout.of(json.dumps(SAMPLE, indent=2, ensure_ascii=False)) == CANONICAL


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ('{"a": [1, "é"]}', Layout(indent=None)),
        ('{"a":[1,"\\u00e9"]}\n', Layout(indent=None, separators=(",", ":"), ascii=True, end="\n")),
        ('\ufeff{\r\n    "a": 1\r\n}\r\n', Layout(indent=4, newline="\r\n", end="\r\n", bom=True)),
        ('[\n\t{\n\t\t"a":1\n\t}\n]', Layout(indent="\t", separators=(",", ":"))),
        ("[1,2]", Layout(indent=None, separators=(",", ":"))),
        ("[1, 2]", Layout(indent=None)),
        ("[1]", Layout(indent=None)),
        ("[\n1\n]", Layout(indent=0)),
        ('["a{",":"]', Layout(indent=None, separators=(",", ":"))),
        ('["\\\\u00e9"]', Layout(indent=None)),
        ('["\\\\\\u00e9"]', Layout(indent=None, ascii=True)),
        ('["\\u00e9", "ö"]', Layout(indent=None)),
        ('["\\u007f"]', Layout(indent=None, ascii=True)),
        ("[\n  1,\n  2\n]", CANONICAL),
        ('{\n  "a": [1, 2],\n  "b": 3\n}', CANONICAL),
        ('{\n  "a": 1, \n  "b": 3\n}', Layout(separators=(", ", ": "))),
        ('["\\u001f\\n"]', Layout(indent=None)),
        ("{}", CANONICAL),
        ('"text"\n', Layout(end="\n")),
        ("", CANONICAL),
    ],
)
def test_the_layout_of_a_text_is_seen(text: str, layout: Layout) -> None:
    assert Layout.of(text) == layout


@settings(deadline=None)
@given(
    JSON_VALUES,
    INDENTS,
    st.booleans(),
    st.sampled_from([None, (",", ":"), (", ", ": ")]),
    st.sampled_from(["", "\n", "\r\n"]),
)
@example(1e16, 2, False, None, "")
@example(1e-05, 2, False, None, "")
@example(1e-07, 2, False, None, "")
@example([2**64 - 1, -(2**63)], 2, False, None, "")
@example([2**64, -(2**63) - 1, -(2**63), 123456789012345680.0, 0.0001, -0.0], 2, False, None, "")
@example({"": [[], {}], "\x7f": "\ud7ff\ue000"}, 2, True, None, "")
def test_what_json_writes_is_written_again_byte_for_byte(
    value: Any, indent: int | str | None, escaped: bool, separators: tuple[str, str] | None, end: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped, separators=separators) + end
    assert dump_json(value, Layout.of(text)) == text.encode()


@settings(deadline=None)
@given(JSON_VALUES, ANY_LAYOUTS)
def test_what_is_written_is_read_as_the_same_value(value: Any, layout: Layout) -> None:
    data = dump_json(value, layout)
    document = read_json(data)
    assert repr(document.value) == repr(value)  # tells 1, 1.0 and True apart, and -0.0 from 0.0
    assert dump_json(document.value, document.layout) == data


@pytest.mark.parametrize(
    ("layout", "data"),
    [
        (Layout(bom=True), b'\xef\xbb\xbf{\n  "a": [\n    "\xc3\xa9\\n"\n  ]\n}'),
        (Layout(newline="\r\n", end="\n"), b'{\r\n  "a": [\r\n    "\xc3\xa9\\n"\r\n  ]\r\n}\n'),
        (Layout(indent=None, ascii=True, end="\r\n"), b'{"a": ["\\u00e9\\n"]}\r\n'),
        (Layout(indent="\t", separators=(",", ":")), b'{\n\t"a":[\n\t\t"\xc3\xa9\\n"\n\t]\n}'),
    ],
)
def test_a_layout_shows_in_the_bytes(layout: Layout, data: bytes) -> None:
    assert dump_json({"a": ["é\n"]}, layout) == data


@pytest.mark.parametrize("layout", [CANONICAL, Layout(indent=None), Layout(indent=4, ascii=True)])
@pytest.mark.parametrize(
    ("value", "place", "words"),
    [
        ({"a": [0, math.nan]}, '"/a/1"', "nan is not a JSON number"),
        (math.inf, '""', "inf is not"),
        ([-math.inf], '"/0"', "-inf is not"),
        ({"a/b": {"c": "x\ud800"}}, '"/a~1b/c"', "half a surrogate pair"),
        ({"a": {"\udfff": 1}}, '"/a"', "half a surrogate pair"),
        ({"a": {1: 2}}, '"/a"', "key 1 is not text"),
        ([{None: 2}], '"/0"', "key None is not text"),
        ({"a": datetime(2026, 1, 1, tzinfo=UTC)}, '"/a"', "datetime is not a JSON type"),
        ([b"bytes"], '"/0"', "bytes is not a JSON type"),
        ([{1, 2}], '"/0"', "set is not a JSON type"),
        ([10**5000], '"/0"', "more digits"),
    ],
)
def test_what_json_cannot_hold_is_refused_by_its_pointer(value: Any, place: str, words: str, layout: Layout) -> None:
    with pytest.raises(WriteError) as caught:
        dump_json(value, layout)
    assert f"the value at {place} cannot be written" in str(caught.value)
    assert words in str(caught.value)
    str(caught.value).encode()


def test_the_content_of_a_foreign_object_stays_out_of_the_message() -> None:
    class Secret:
        def __repr__(self) -> str:
            return "hunter2"

    with pytest.raises(WriteError) as caught:
        dump_json({"key": Secret()})
    assert "hunter2" not in str(caught.value)


def test_what_is_nested_too_deeply_to_be_read_again_is_not_written() -> None:
    value: list[Any] = []
    for _ in range(199):
        value = [value]
    assert read_json(dump_json(value)).value == value
    with pytest.raises(WriteError, match="200 levels"):
        dump_json([value])
    assert dump_json([[]], limits=Limits(depth=2)) == b"[\n  []\n]"


def test_a_limit_deeper_than_python_goes_ends_in_an_error_all_the_same() -> None:
    value: list[Any] = []
    for _ in range(20_000):
        value = [value]
    with pytest.raises(WriteError, match="deeper than Python can go"):
        dump_json(value, limits=Limits(depth=1_000_000))


def test_nesting_beyond_the_fast_writer_is_written_alike() -> None:
    value: list[Any] = ["deep"]
    for _ in range(259):
        value = [value]
    assert dump_json(value, limits=Limits(depth=300)) == json.dumps(value, indent=2).encode()


def test_a_value_that_contains_itself_is_refused() -> None:
    value: dict[str, Any] = {}
    value["self"] = [value]
    with pytest.raises(WriteError, match="contains itself"):
        dump_json(value)


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Pair(NamedTuple):
    left: int
    right: float


class Length(float):
    pass


@pytest.mark.parametrize("layout", [CANONICAL, Layout(indent=None)])
@pytest.mark.parametrize("value", [(1, (2,)), [Colour.RED, Level.HIGH], {Colour.RED: 1}, Pair(1, 2.5), [Length(2.5)]])
def test_tuples_and_kinds_of_text_and_number_are_written_as_json_writes_them(value: Any, layout: Layout) -> None:
    assert dump_json(value, layout) == json.dumps(value, indent=layout.indent).encode()


def test_nothing_that_is_written_is_changed() -> None:
    value = {"b": [1, {"a": "é"}], "a": ()}
    dump_json(value)
    assert value == {"b": [1, {"a": "é"}], "a": ()}
    assert list(value) == ["b", "a"]


def test_documents_of_the_corpus_that_json_wrote_come_back_byte_for_byte(corpus: Path) -> None:
    same = 0
    for file in sorted((corpus / "datafeed-ns-v3").glob("gen-*.jsonld")):
        document = read_json(file.read_bytes(), file.name)
        assert dump_json(document.value, document.layout) == document.data, file.name
        same += 1
    assert same


KEYS = st.sampled_from(["name", "@id", "a", ",", ":", '"', '"name":', "na\\me", "a/b", "a~b", "", "é"]) | st.text(
    max_size=3
)
TREES = st.recursive(
    KEYS | st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
)


def members(value: Json, pointer: str = "") -> list[tuple[str, Json]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = ((f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}", one) for step, one in steps)
    return [(pointer, value), *(found for place, one in inner for found in members(one, place))]


@given(
    st.dictionaries(KEYS, TREES, max_size=4),
    st.sampled_from([Layout(), Layout(None, (",", ":")), Layout("\t", ascii=True)]),
    st.randoms(),
)
@settings(max_examples=examples(200))
def test_each_value_and_each_key_is_found_at_its_place(value: Json, layout: Layout, shuffled: Any) -> None:
    data = dump_json(value, layout)
    read, lines = read_json(data), data.decode().split("\n")
    found = members(value)
    shuffled.shuffle(found)
    for pointer, inner in found:
        place, key = read.place(pointer), read.key_place(pointer)
        assert place.line is not None
        assert place.column is not None
        assert key.line is not None
        assert key.column is not None
        text = "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])
        assert same(json.JSONDecoder().raw_decode(text)[0], inner)
        if pointer and not pointer.rpartition("/")[2].isdecimal():
            quoted = json.JSONDecoder().raw_decode(lines[key.line - 1][key.column - 1 :])[0]
            assert quoted == pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
