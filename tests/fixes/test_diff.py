"""Differences: a unified diff of edits, which others can apply."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.validation.fixes import Edit, edited, lines_of, unified_diff

HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n")
TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def patched(text: str, diff: str) -> str:
    """Apply a unified diff strictly: every line it names has to be where it says."""
    before, after = lines_of(text), list[str]()
    at = 0
    entries = lines_of(diff)[2:]
    while entries:
        header = HUNK.fullmatch(entries.pop(0))
        assert header
        old, new = [], []
        while entries and not HUNK.fullmatch(entries[0]):
            line = entries.pop(0)
            if entries and entries[0].startswith("\\"):
                entries.pop(0)
                line = line.removesuffix("\n")
            old += [line[1:]] if line[0] in " -" else []
            new += [line[1:]] if line[0] in " +" else []
        first, count, new_first, new_count = (int(one) for one in header.groups())
        start = first - 1 if count else first
        assert (len(old), len(new)) == (count, new_count)
        assert before[start : start + count] == old
        after += before[at:start]
        assert len(after) == (new_first - 1 if new_count else new_first)
        after += new
        at = start + count
    return "".join((*after, *before[at:]))


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], ""),
        (
            [Edit(7, 13, "LINE 2")],
            "@@ -1,5 +1,5 @@\n line 1\n-line 2\n+LINE 2\n line 3\n line 4\n line 5\n",
        ),
        (
            [Edit(len(TEXT) - 8, len(TEXT), "end")],
            "@@ -17,4 +17,4 @@\n line 17\n line 18\n line 19\n-line 20\n+end\n\\ No newline at end of file\n",
        ),
        ([Edit(0, 0, "line 0\n")], "@@ -1,3 +1,4 @@\n+line 0\n line 1\n line 2\n line 3\n"),
        ([Edit(3, 3, "")], ""),
    ],
)
def test_what_a_diff_looks_like(edits: list[Edit], expected: str) -> None:
    assert unified_diff(TEXT, edits, "a.json") == (f"--- a.json\n+++ a.json\n{expected}" if expected else "")


def test_changes_that_are_far_apart_get_hunks_of_their_own() -> None:
    near = unified_diff(TEXT, [Edit(0, 1, "L"), Edit(7 * 7, 7 * 7 + 1, "L")], "a")
    far = unified_diff(TEXT, [Edit(0, 1, "L"), Edit(7 * 8, 7 * 8 + 1, "L")], "a")
    assert (near.count("@@ -"), far.count("@@ -")) == (1, 2)


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(alphabet="ab\n\r\u2028", max_size=60))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return text, [Edit(start, end, draw(st.text(alphabet="ab\n", max_size=6))) for start, end in pairs]


@given(texts_with_edits())
def test_a_diff_states_what_the_edits_do(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    diff = unified_diff(text, edits, "a.json")
    assert patched(text, diff) == edited(text, edits, 0, len(text))
