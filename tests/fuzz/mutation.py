"""Bytes of files, damaged as disks, editors and strangers damage them."""

import json
from typing import Any

from hypothesis import strategies as st

JUNK = (
    *(b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"\xef\xbb\xbf", b"\n", b"\r", b"\t", b'"', b"'", b"\\"),
    *(b"{", b"[", b"}" * 40, b"]" * 40, b'{"a":' * 300, b"[" * 1200, b"<", b"&amp;", b"<!ENTITY x 'y'>", b"-->", b"#"),
    *(b"null", b"true", b"NaN", b"1e999", b"-0", b"9" * 400, b"0x1F", b"1.", b"2026-13-45T99:99:99Z"),
    *(b",,,,", b";", b"sep=;\n", b"../../../etc/hosts", b"http://127.0.0.1:9/", b"file:///etc/hosts", b"(a+)+$"),
    *(b"self", b"@context", b"@id", b"__class__", b"=cmd()", b"%s{0}", b"\x1b[2J", b"\xe2\x80\xae"),
)
"""What is inserted."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**30, "", " ", "x" * 5000, "http://127.0.0.1:9/x", "../../etc/hosts", "\ud800"),
    *([], {}, [[]], [None], {"": ""}, {"@id": "x"}, [{"a": 1}, 2], "\x00", "self", "(a+)+$"),
)
"""What takes the place of a value in JSON."""


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Return `data` after one to four changes of bytes, or of values where it is JSON."""
    for _ in range(draw(st.integers(1, 4))):
        data = draw(st.one_of(_of_bytes(data), _of_json(data)))
    return data


@st.composite
def _of_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    start = draw(st.integers(0, len(data)))
    end = min(len(data), start + draw(st.integers(0, 40)))
    kind = draw(st.sampled_from(("cut", "drop", "insert", "repeat", "flip", "replace")))
    if kind == "cut":
        return data[:start]
    if kind == "drop":
        return data[:start] + data[end:]
    if kind == "repeat":
        return data[:end] + data[start:end] * draw(st.integers(1, 30)) + data[end:]
    if kind == "flip":
        return data[:start] + bytes([draw(st.integers(0, 255))]) + data[start + 1 :]
    return data[:start] + draw(st.sampled_from(JUNK)) + data[start if kind == "insert" else end :]


@st.composite
def _of_json(draw: st.DrawFn, data: bytes) -> bytes:
    """Replace a value, drop or rename a member; lines of JSON are changed one by one."""
    lines = data.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    for start, end in ((0, len(lines)), (at, at + 1)):
        try:
            value = json.loads(b"\n".join(lines[start:end]))
        except (ValueError, RecursionError):
            continue
        changed = json.dumps(_changed(draw, value)).encode()
        return b"\n".join((*lines[:start], changed, *lines[end:]))
    return data


def _changed(draw: st.DrawFn, value: Any) -> Any:
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(VALUES))
    if isinstance(value, list):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], _changed(draw, value[at]), *value[at + 1 :]]
    key = draw(st.sampled_from(sorted(value)))
    if draw(st.integers(0, 7)) == 0:
        other = draw(st.sampled_from(("", "@id", "@context", "self", key.upper(), "\x00")))
        return {other if name == key else name: one for name, one in value.items()}
    return {name: _changed(draw, one) if name == key else one for name, one in value.items()}
