"""Places in a canonical tree and where they come from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.dialects import source_pointer
from checkpoint_ld.dialects.dialect import Listing, Trail, step
from tests.dialects import prop

KEYS = st.lists(st.text(max_size=3) | st.integers(0, 9), max_size=4)


def test_the_longest_prefix_decides_and_the_rest_is_appended() -> None:
    origins = {"/a": "/x", "/a/b": "/y/z", "/a/b/0": ""}

    assert source_pointer(origins, "/a") == "/x"
    assert source_pointer(origins, "/a/c/d") == "/x/c/d"
    assert source_pointer(origins, "/a/b/1/c") == "/y/z/1/c"
    assert source_pointer(origins, "/a/b/0/c") == "/c"
    assert source_pointer(origins, "") == ""


def test_prefixes_are_whole_segments() -> None:
    assert source_pointer({"/rating/1": "/x"}, "/rating/10") == "/rating/10"
    assert source_pointer({"/ab": "/x"}, "/abc/d") == "/abc/d"


def test_the_root_may_have_moved() -> None:
    assert source_pointer({"": "/graph/0"}, "/name") == "/graph/0/name"
    assert source_pointer({"": "/graph/0"}, "") == "/graph/0"


@given(KEYS)
def test_keys_are_escaped_so_that_they_can_be_distinguished(keys: list[str | int]) -> None:
    pointer = step("", *keys)
    read = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]

    assert read == [str(key) for key in keys]


def test_a_later_note_replaces_an_earlier_one() -> None:
    trail = Trail("flat", kept=True)
    trail.moved("/a", "/b")
    trail.moved("/a", "/c")

    assert trail.source("/a/x") == "/c/x"


def test_a_listing_notes_where_its_entries_come_from() -> None:
    listing = Listing("/list", Trail("flat", kept=True))
    listing.add("x", "/list/3")
    listing.add_property("p", 1, "/q")

    assert listing.entries == ["x", prop("p", 1)]
    assert listing.trail.source("/list/0") == "/list/3"
    assert listing.trail.source("/list/1/value/a") == "/q/a"


def test_findings_name_dialect_and_place() -> None:
    trail = Trail("flat")
    trail.report("json-ld-form", "odd", "/a", "trait")
    (found,) = trail.findings

    assert (found.condition, found.place.pointer, found.subject, found.dialect) == ("W-FORM", "/a", "trait", "flat")
    assert found.remedy
