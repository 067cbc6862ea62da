"""What comes out of a file window by window is what comes out of it in one piece."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from checkpoint_ld import families
from checkpoint_ld.batch.windows import Streaming
from checkpoint_ld.dialects.reading import CANONICAL, examine, examine_bytes
from checkpoint_ld.documents.values import walk
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.writing import write
from tests.corpus import expectations
from tests.documents import canonical, item, rating, setting
from tests.test_compiled import MEMBERS, VALUES
from tests.trials import examples, some

Json = Any

WINDOWS = st.integers(1, 3)
LAYOUTS: st.SearchStrategy[Callable[[Json], bytes]] = st.sampled_from(
    [
        lambda tree: json.dumps(tree, indent=2, ensure_ascii=False).encode(),
        lambda tree: json.dumps(tree).encode(),
        lambda tree: json.dumps(tree, indent="\t", ensure_ascii=False).replace("\n", "\r\n").encode(),
        lambda tree: b"\xef\xbb\xbf" + json.dumps(tree, ensure_ascii=False).encode() + b"\n\n",
    ]
)
TEXTS = st.sampled_from(["Which metal?", "Wie heiß ist ☉?", "", "Which metal? ", '\\"@id"'])
IDENTIFIERS = st.sampled_from(
    ["urn:uuid:question-1", "urn:uuid:question-2", "no iri", "", None, "urn:uuid:karenina-checkpoint-1767225600.5"]
)


ODD_MEMBERS = st.one_of(
    MEMBERS, st.sampled_from(["@id", "@type", "@included", "additionalType", "programmingLanguage"])
)
ODD_VALUES: st.SearchStrategy[Json] = st.one_of(
    VALUES,
    TEXTS,
    IDENTIFIERS,
    st.sampled_from([{"@id": "urn:uuid:question-1"}, {"@id": "urn:uuid:question-1", "name": "x"}, "http://x/#a"]),
    st.sampled_from([{"@type": "Answer", "text": "x", "@id": "urn:b"}, ["urn:uuid:question-2"], ["Which metal?"]]),
)
"""What might lead from one question to another, or look as if it did."""


@st.composite
def questions(draw: st.DrawFn) -> Json:
    one = item(draw(TEXTS), draw(IDENTIFIERS))
    traits = draw(st.lists(st.sampled_from(["tone", "depth", "cites"]), max_size=3))
    one["item"]["rating"] = [rating(name, draw(st.sampled_from(["QuestionSpecific", "Global"]))) for name in traits]
    if draw(st.booleans()):
        one["item"]["additionalProperty"].append(setting("author", {"@type": "Person", "@id": "urn:a", "name": "A"}))
    return one


@st.composite
def feeds(draw: st.DrawFn) -> Json:
    tree = canonical(*draw(st.lists(questions(), min_size=1, max_size=7)))
    tree["rating"].append(rating("depth", "Global"))
    if draw(st.booleans()):
        tree = {key: tree[key] for key in sorted(tree, key=lambda key: key in ("dataFeedElement", "@id"))}
    return tree


@st.composite
def damaged(draw: st.DrawFn) -> Json:
    tree = draw(feeds())
    objects = [one for _, one in walk(tree) if isinstance(one, dict)]
    objects = objects if draw(st.booleans()) else [tree, *tree["dataFeedElement"]]
    for _ in range(draw(st.integers(1, 4))):
        one = draw(st.sampled_from(objects))
        if draw(st.booleans()):
            one[draw(ODD_MEMBERS)] = draw(ODD_VALUES)
        else:
            one.pop(draw(ODD_MEMBERS), None)
    return tree


def held(data: bytes, window: int, *, jobs: int = 1) -> str | None:
    """Hold both ways against each other; return why a file was not streamed, None if it was."""
    notes: list[str] = []
    streaming = Streaming(jobs, note=notes.append, window=window)
    with _file(data) as file:
        _hold_findings(file, streaming)
        _hold_statements(file, streaming)
    return notes[0] if notes else None


@contextmanager
def _file(data: bytes) -> Iterator[str]:
    handle, file = tempfile.mkstemp(suffix=".jsonld")
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(data)
        yield file
    finally:
        Path(file).unlink()


def _hold_findings(file: str, streaming: Streaming) -> None:
    profile = profiles.profile()
    streamed = streaming.check(file, profile)
    if streamed is not None:
        whole = families.check(file, profile)
        assert streamed.findings == whole.findings
        assert (streamed.source, streamed.dialect) == (whole.source, whole.dialect)
        assert streamed.results is not None
        assert whole.results is not None
        assert isomorphic(streamed.results, whole.results)


def _hold_statements(file: str, streaming: Streaming) -> None:
    for syntax in ("nt", "nq"):
        with streaming.statements(file, syntax) as streamed:
            if streamed is None:
                return
            whole = validator.checked_at_load(examine(file))
            assert streamed.lines.read() == write(whole.graph, syntax=syntax).data
            assert streamed.findings == whole.findings


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(feeds(), WINDOWS, LAYOUTS)
def test_feeds_are_streamed_and_nothing_is_different(tree: Json, window: int, layout: Callable[[Json], bytes]) -> None:
    assert held(layout(tree), window) is None


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(damaged(), WINDOWS, LAYOUTS)
def test_nothing_is_different_about_damaged_feeds(tree: Json, window: int, layout: Callable[[Json], bytes]) -> None:
    held(layout(tree), window)


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(feeds(), WINDOWS, LAYOUTS, st.data())
def test_what_is_broken_is_reported_as_in_one_piece(
    tree: Json, window: int, layout: Callable[[Json], bytes], data: st.DataObject
) -> None:
    text = layout(tree)
    at = data.draw(st.integers(0, len(text) - 1))
    broken = data.draw(st.sampled_from([b"", b",", b"NaN", b"\xff", b'"', b"]", b"\x00", b'"name": 1, "name": 2, ']))
    rest = b"" if data.draw(st.booleans()) else text[at:]
    held(text[:at] + broken + rest, window)


@pytest.mark.slow
@pytest.mark.parametrize(
    "break_",
    [
        lambda text: text.replace(b'"name": "Metals"', b'"name": "Metals", "name": "Metals"'),
        lambda text: text.replace(b'"worstRating": 0.0', b'"worstRating": NaN', 1),
        lambda text: text.replace(b'"worstRating": 0.0', b'"worstRating": 1e999', 1),
        lambda text: text.replace(b'"Mercury"', b'"\\ud800"', 1),
        lambda text: text.replace(b'"Mercury"', b"[" * 300 + b"]" * 300, 1),
        lambda text: text.replace(b'"Mercury"', b'"\xfc"', 1),
        lambda text: text.decode().encode("utf-16"),
        lambda text: text[:-20],
        lambda text: text + b"{}",
        lambda text: b"[" + text + b"]",
        lambda text: text[:0],
        lambda text: text.replace(b'"dataFeedElement"', b'"dataFeedElements"'),
        lambda text: text.replace(b'"@version": 1.1', b'"@version": 1.1, "reviewed": "urn:x:reviewed"'),
    ],
)
def test_what_cannot_be_read_in_windows_is_left_to_the_ordinary_way(break_: Callable[[bytes], bytes]) -> None:
    text = json.dumps(canonical(item(), item("Another?", "urn:uuid:question-2"), item("A third?", None))).encode()
    assert held(text, 1) is None
    assert held(break_(text), 1) is not None


@pytest.mark.parametrize("window", [1, 2, 100])
def test_questions_that_stand_far_apart_are_seen_together(window: int) -> None:
    tree = canonical(item(), item("Another?", "urn:uuid:question-2"), item("No id?", None), item())
    tree["dataFeedElement"][3]["item"]["rating"] = [rating("tone")]
    text = json.dumps(tree, indent=2).encode()
    assert held(text, window) is None
    with _file(text) as file:
        checked = Streaming(1, window=window).check(file, profiles.profile())
    assert checked is not None
    found = [(one.rule, one.place.pointer) for one in checked.findings]
    assert ("item-id-duplicate", "/dataFeedElement/3/@id") in found
    assert ("question-repeated", "/dataFeedElement/3/item/text") in found
    assert ("trait-name-clash", "/dataFeedElement/3/item/rating/0/name") in found
    assert ("item-id", "/dataFeedElement/2/@id") in found


@pytest.mark.parametrize("hidden", ["@id", "\\u0040id", "@\\u0069d", "@i\\u0064", "\\u0040\\u0069\\u0064"])
def test_a_name_is_seen_however_its_key_is_written(hidden: str) -> None:
    tree = json.loads(json.dumps(canonical(item(), item("Another?", "urn:x:2"))))
    tree["dataFeedElement"][0]["item"]["rating"][0]["id"] = "urn:x:2"
    text = json.dumps(tree, indent=2).replace('"id"', f'"{hidden}"')
    assert "has the identifier of another one" in (held(text.encode(), 1) or "")


def named_by_others() -> Iterator[Json]:
    """Yield documents in which the name of a question is stated of something that stands elsewhere."""
    for at, holder in enumerate(("element", "trait", "root's trait")):
        tree = canonical(item(), item("Another?", "urn:x:2"), item("A third?", "urn:x:3"))
        tree["rating"].append(rating("depth", "Global"))
        tree = json.loads(json.dumps(tree))
        first = tree["dataFeedElement"][2]
        found = {"element": first, "trait": first["item"]["rating"][0], "root's trait": tree["rating"][0]}
        found[holder]["additionalType"] = f"urn:x:{2 + at % 2}"
        yield tree


@pytest.mark.parametrize("window", [1, 2, 100])
@pytest.mark.parametrize("tree", [*named_by_others()])
def test_what_is_named_like_a_question_elsewhere_is_seen_in_one_piece(tree: Json, window: int) -> None:
    assert "may refer to another question" in (held(json.dumps(tree, indent=2).encode(), window) or "")


@pytest.mark.slow
@pytest.mark.parametrize("others", [["urn:x:2", "urn:x:3"], ["urn:x:1", "urn:x:2", "urn:x:3"]])
@pytest.mark.parametrize("at", [0, 1, -1])
def test_what_has_the_name_of_a_question_elsewhere_as_its_type_is_seen_in_one_piece(others: list[str], at: int) -> None:
    names = ["urn:x:1", *others]
    tree = canonical(*(item(f"Number {number}?", name) for number, name in enumerate(names)))
    tree["dataFeedElement"][at]["item"]["@type"] = names[at - 1]

    assert "may refer to another question" in (held(json.dumps(tree, indent=2).encode(), 1) or "")
    assert held(json.dumps(tree, indent=2).encode(), len(names)) is None


def test_a_text_that_reads_like_the_name_of_a_question_is_none() -> None:
    tree = canonical(*(item(f"Number {number}?", f"urn:x:{number}") for number in range(3)))
    tree["dateCreated"] = "urn:x:2"
    tree["dataFeedElement"][0]["dateModified"] = "urn:x:1"

    assert held(json.dumps(tree, indent=2).encode(), 1) is None


def test_a_text_that_reads_like_the_name_of_an_object_by_its_place_is_seen_in_one_piece() -> None:
    tree = json.loads(json.dumps(canonical(*(item(f"Number {number}?", None) for number in range(3)))))
    [name] = {
        str(one)
        for one in examine_bytes(json.dumps(tree).encode()).graph.subjects()
        if str(one).endswith("#/dataFeedElement/0")
    }
    tree["dataFeedElement"][1]["dateModified"] = name

    assert "reads like the name of an object" in (held(json.dumps(tree, indent=2).encode(), 1) or "")


@pytest.mark.parametrize("window", [1, 2, 100])
def test_what_statements_state_otherwise_than_the_document_is_reported_too(window: int) -> None:
    tree = json.loads(json.dumps(canonical(item(), item("No id?", None), item("A third?", "urn:x:3"))))
    one, two, three = tree["dataFeedElement"]
    one["item"]["keywords"], two["item"]["keywords"], tree["version"] = ["b", "a", "b"], [], None
    assert held(json.dumps(tree, indent=2).encode(), window) is None
    three["item"]["citation"], three["item"]["additionalType"] = [{"@type": "Thing"}], "https://schema.org/Thing"
    assert held(json.dumps(tree, indent=2).encode(), window) is None


@pytest.mark.slow
def test_several_processes_give_the_same() -> None:
    tree = canonical(*(item(f"Number {number % 5}?", f"urn:uuid:question-{number % 6}") for number in range(7)))
    assert held(json.dumps(tree, indent=2).encode(), 2, jobs=2) is None


def test_a_profile_of_ones_own_is_held_in_one_piece(tmp_path: Path) -> None:
    shapes = tmp_path / "own.ttl"
    shapes.write_text(
        """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .
        <urn:x:enough> a sh:PropertyShape ; sh:targetClass schema:DataFeed ;
          sh:path schema:dataFeedElement ; sh:minCount 2 ."""
    )
    notes: list[str] = []
    with _file(json.dumps(canonical(item(), item("Another?", "urn:x"))).encode()) as file:
        assert Streaming(1, note=notes.append).check(file, profiles.profile(shapes=[shapes])) is None
    assert "shapes of your own" in notes[0]


def test_the_other_profiles_give_the_same() -> None:
    tree = canonical(*(item(f"Number {number}?", None) for number in range(3)))
    with _file(json.dumps(tree).encode()) as file:
        for name in profiles.names():
            profile = profiles.profile(name)
            streamed = Streaming(1, window=2).check(file, profile)
            assert streamed is not None
            assert streamed.findings == families.check(file, profile).findings


@pytest.mark.slow
def test_real_files_give_the_same(corpus: Path) -> None:
    files = [corpus / case["file"] for case in some(expectations(corpus, CANONICAL), 2)]
    streamed = [held(path.read_bytes(), 2) is None for path in files]
    assert sum(streamed) > len(files) * 0.5
