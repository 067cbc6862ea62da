"""What comes out of a file window by window is what comes out of it in one piece."""

import hashlib
import io
import json
import os
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from checkpoint_ld import families
from checkpoint_ld.batch import discovery, outline, windows
from checkpoint_ld.batch.outline import ArrayElements, Element, UnusualFileError
from checkpoint_ld.batch.windows import Streaming
from checkpoint_ld.cli import streams
from checkpoint_ld.dialects.reading import CANONICAL, examine, examine_bytes
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.values import walk
from checkpoint_ld.errors import ReadError
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.writing import write
from tests.cli.conftest import Run
from tests.corpus import expectations
from tests.documents import Json, canonical, item, rating, setting
from tests.test_compiled import MEMBERS, VALUES
from tests.trials import examples, some

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
    for syntax in ("nt", "nq") if streaming.jobs == 1 else ("nq",):  # processes take their time to start
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


@pytest.mark.parametrize(
    ("others", "at"), [(["urn:x:2", "urn:x:3"], 0), (["urn:x:2"], -1), (["urn:x:1", "urn:x:2", "urn:x:3"], 1)]
)
def test_a_type_with_the_name_of_a_question_elsewhere_is_read_alike_in_windows(others: list[str], at: int) -> None:
    names = ["urn:x:1", *others]
    tree = canonical(*(item(f"Number {number}?", name) for number, name in enumerate(names)))
    tree["dataFeedElement"][at]["item"]["@type"] = names[at - 1]

    alone = held(json.dumps(tree, indent=2).encode(), 1)
    assert alone is None or "may refer to another question" in alone
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


def test_a_type_that_is_the_name_of_a_question_is_shown_by_its_name_at_its_place() -> None:
    tree = json.loads(json.dumps(canonical(item(), item("Another?", "urn:x:2"), item("A third?", "urn:x:3"))))
    tree["dataFeedElement"][0]["item"]["@type"] = "urn:x:3"
    data = json.dumps(tree, indent=2).encode()

    [found] = (one for one in families.check(data, profiles.profile()).findings if one.rule == "type-of-object")
    assert (found.place.pointer, found.message) == (
        "/dataFeedElement/0/item/@type",
        "the type is <urn:x:3>: this place requires Question",
    )


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
    files = [(corpus / case["file"]).read_bytes() for case in some(expectations(corpus, CANONICAL), 2)]
    streamed = [held(data, 2 + len(data) // 30_000) is None for data in files]
    assert sum(streamed) > len(files) * 0.5


# --- What users see of files that are worked on some questions at a time.


ODD = 5


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a file of questions one of which is odd."""
    tree = canonical(*(item(f"Number {number}?", f"urn:uuid:question-{number}") for number in range(12)))
    tree["dataFeedElement"][ODD]["@id"] = "urn:uuid:question-0"
    path = tmp_path / "many.jsonld"
    path.write_text(json.dumps(tree, indent=2))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("syntax", "jobs"), [("nt", 1), ("nq", 2)])
def test_convert_writes_the_same_bytes_and_messages(
    run: Run, many: Path, tmp_path: Path, syntax: str, jobs: int
) -> None:
    whole, streamed = tmp_path / "whole", tmp_path / "streamed"
    plainly = run("convert", many, "--to", syntax, "-o", whole)
    by_jobs = run("convert", many, "--to", syntax, "-o", streamed, "--jobs", jobs)
    assert (plainly.code, by_jobs.code) == (0, 0)
    assert streamed.read_bytes() == whole.read_bytes()
    assert by_jobs.err == plainly.err
    assert "item-id-duplicate" not in plainly.err
    assert "urn:uuid:question-0" in plainly.err
    assert run("convert", many, "--to", syntax, "--jobs", 1, "-q").out == whole.read_bytes()


def test_a_file_that_is_large_is_streamed_without_being_queried(
    run: Run, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = json.loads(many.read_text())
    del tree["@id"]
    many.write_text(json.dumps(tree))
    assert "one piece" not in run("convert", many, "--to", "nt").err
    monkeypatch.setattr(discovery, "LARGE", many.stat().st_size)
    assert "one piece" in run("convert", many, "--to", "nt").err


def test_what_is_refused_is_refused_the_same_way(run: Run, many: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.nt"
    strict = run("convert", many, "-o", target, "--strict", "--jobs", 1)
    assert strict == run("convert", many, "-o", target, "--strict")
    assert strict.code == 2
    assert not target.exists()
    target.write_text("mine")
    exists = run("convert", many, "-o", target, "--jobs", 1)
    assert exists == run("convert", many, "-o", target)
    assert target.read_text() == "mine"
    assert run("convert", many, "-o", target, "--jobs", 1, "--force").code == 0
    assert target.read_bytes().startswith(b"<")


def test_what_has_to_be_read_whole_states_why(run: Run, many: Path) -> None:
    tree = json.loads(many.read_text())
    del tree["@id"]
    many.write_text(json.dumps(tree))
    outcome = run("convert", many, "--to", "nt", "--jobs", 1)
    assert outcome.out == run("convert", many, "--to", "nt").out
    assert "its root has no @id, and is named by all of its content; it is worked on in one piece" in outcome.err
    assert "one piece" not in run("convert", many, "--to", "nt", "--jobs", 1, "-q").err


@pytest.mark.parametrize("options", [("--to", "turtle"), ("--to", "nt", "--inferred")])
def test_other_conversions_are_not_streamed(run: Run, many: Path, options: tuple[str, ...]) -> None:
    assert run("convert", many, *options, "--jobs", 2) == run("convert", many, *options)


def test_what_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    outcome = run("convert", tmp_path / "nothing.jsonld", "--to", "nt", "--jobs", 2)
    assert outcome.code == 2
    assert outcome.err == f"{tmp_path / 'nothing.jsonld'}: cannot be read: no such file or directory; check the path\n"


def test_progress_is_given_in_questions(many: Path) -> None:
    found: list[tuple[int, int]] = []
    streaming = Streaming(1, progress=lambda done, total: found.append((done, total)), window=5)
    assert streaming.check(str(many), profiles.profile()) is not None
    assert found == [(5, 12), (10, 12), (12, 12)]


def test_a_file_that_is_changed_meanwhile_is_refused(many: Path) -> None:
    def change(done: int, _total: int) -> None:
        if done == 5:
            os.utime(many, ns=(1, 1))

    with pytest.raises(ReadError, match="changed while it was read"):
        Streaming(1, progress=change, window=5).check(str(many), profiles.profile())


def test_a_file_that_is_cut_off_meanwhile_is_refused(many: Path) -> None:
    def change(done: int, _total: int) -> None:
        if done == 5:
            many.write_bytes(many.read_bytes()[:100])

    with pytest.raises(ReadError, match="changed while it was read"):
        Streaming(1, progress=change, window=5).check(str(many), profiles.profile())


def test_a_bar_is_shown_where_somebody_can_see_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with streams.bar("converting", quiet=False) as unseen:
        assert unseen is None
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with streams.bar("converting", quiet=True) as unwanted:
        assert unwanted is None
    with streams.bar("converting", quiet=False) as found:
        assert found is not None
        found(5, 10)
    shown = capsys.readouterr().err
    assert "converting" in shown
    assert "50%" in shown


# --- The elements of a file are found as they stand, however little of it is read at a time.


ELEMENT_TEXTS = st.text(st.sampled_from('aé☉😀"\\\n{}[],: '), max_size=8)
ELEMENT_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.just(-12), ELEMENT_TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ELEMENT_TEXTS, inner, max_size=3)),
    max_leaves=6,
)
OBJECTS = st.dictionaries(
    ELEMENT_TEXTS,
    st.one_of(ELEMENT_VALUES, st.lists(st.dictionaries(ELEMENT_TEXTS, ELEMENT_VALUES, max_size=2))),
    max_size=3,
)
ELEMENT_LAYOUTS: st.SearchStrategy[dict[str, Json]] = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t", "ensure_ascii": False}, {"separators": (" ,", ":  ")}]
)


@pytest.fixture(params=[1, 7, 1 << 22])
def chunk(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def scanned(data: bytes, chunk: int) -> tuple[ArrayElements, list[Element]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outline, "_CHUNK", chunk)
        found = ArrayElements(io.BytesIO(data), "list")
        return found, list(found)


STARTS = st.sampled_from([b"", b"\xef\xbb\xbf", b" \r\n"])
CHUNKS = st.sampled_from([1, 2, 3, 7, 30, 1 << 22])


@settings(max_examples=examples(200), deadline=None)
@given(
    st.lists(st.one_of(ELEMENT_VALUES, OBJECTS), max_size=6),
    ELEMENT_VALUES,
    ELEMENT_LAYOUTS,
    STARTS,
    CHUNKS,
    st.booleans(),
)
def test_elements_have_the_values_and_places_that_reading_gives_them(  # noqa: PLR0917 - hypothesis gives them
    entries: list[Json], other: Json, layout: dict[str, Json], start: bytes, chunk: int, returns: bool
) -> None:
    text = json.dumps({"before": entries, "other": other, "list": entries, "after": [other, entries]}, **layout)
    hold(start + (text.replace("\n", "\r\n") if returns else text).encode(), chunk)


def hold(data: bytes, chunk: int) -> None:
    """Hold the elements of a file against what reading all of it gives."""
    document = read_json(data)
    found, seen = scanned(data, chunk)
    assert [json.loads(data[one.start.offset : one.end]) for one in seen] == document.value["list"]
    assert [one.text for one in seen] == [data[one.start.offset : one.end] for one in seen]
    for at, one in enumerate(seen):
        place = document.place(f"/list/{at}")
        assert (place.line, place.column) == (one.start.line, one.start.column)
    assert read_json(data[: found.opened.offset] + data[found.closed.offset :]).value == {**document.value, "list": []}
    before = data[: found.closed.offset].decode("utf-8-sig")
    assert found.closed.line == before.count("\n") + 1
    assert found.closed.column == len(before) - before.rfind("\n")


IN_LINES = """{
  "list": [
    {
      "a": 1
    },
    {
      "é": [
    {
      "looks": "like an element"
    },
    {
      "and": "another one"
    }
      ]
    },
    {
      "a": 1}, {"a": 2
    },
    {
      "last": true
    }
  ]
}
"""


def test_what_only_looks_like_elements_is_none(chunk: int) -> None:
    hold(IN_LINES.encode(), chunk)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"[]", "no JSON"),
        (b'{"list"', "no JSON"),
        (b'{"list": [1, 2', "no JSON"),
        (b'{"list": [1 2]}', "no JSON"),
        (b'{"list": [1,]}', "no JSON"),
        (b'{"list": [\n {\n "a": 1\n },\n {\n "a": tru\n },\n {\n "a": 1\n }\n]}', "no JSON"),
        (b'{"list": [\n {\n "a": 1\n },\n {\n "a": "\xff"\n },\n {\n "a": 1\n }\n]}', "UTF-8"),
        (b'{"list": [\n {\n "a": 1\n },\n {\n "a": 1\n },\n {\n "a": 1', "no JSON"),
        (b'{"list": {}}', "no array list"),
        (b'{"other": []}', "no array list"),
        (b'{"list": ["\xff"]}', "UTF-8"),
        (b'{"list": ["\xc3', "UTF-8"),
        (b'{"list": [' + b"[" * 100_000 + b"]}", "nested"),
    ],
)
def test_what_is_unusual_is_reported(data: bytes, why: str, chunk: int) -> None:
    with pytest.raises(UnusualFileError, match=why):
        scanned(data, chunk)


def test_a_value_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "_LARGEST", 100)
    monkeypatch.setattr(outline, "_CHUNK", 16)
    data = b'{"list": ["' + b"a" * 10_000
    file = io.BytesIO(data)
    with pytest.raises(UnusualFileError, match="longer than 100 characters"):
        list(ArrayElements(file, "list"))
    assert file.tell() < 1000


# --- Runs of texts come out as one file in order.


BLOCKS = st.lists(st.text("ab\u00e9\n\u2028\U0010ffff ", max_size=3).map(lambda text: f"{text}\n"), max_size=9)


def written(folder: Path, parts: list[list[str]]) -> list[Path]:
    """Write texts as runs."""
    files = [folder / str(number) for number in range(len(parts))]
    for file, blocks in zip(files, parts, strict=True):
        windows.write_run(file, blocks)
    return files


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(BLOCKS, max_size=9), st.integers(1, 40), st.integers(1, 9))
def test_all_texts_come_in_order(tmp_path: Path, parts: list[list[str]], most: int, least: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_MOST", most)
        patch.setattr(windows, "_LEAST", least)
        with windows.in_order(written(tmp_path, parts)) as joined:
            assert joined.read() == b"".join(sorted(block.encode() for blocks in parts for block in blocks))


def test_of_many_runs_little_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "_MOST", 1 << 12)
    monkeypatch.setattr(windows, "_LEAST", 16)
    parts = [[f"{at:06} of {number}{100 * '.'}\n" for at in range(number, 100_000, 97)] for number in range(20)]
    runs, wanted = written(tmp_path, parts), hashlib.sha256("".join(sorted(chain(*parts))).encode()).digest()
    found = hashlib.sha256()
    tracemalloc.start()
    with windows.in_order(runs) as joined:
        while data := joined.read(1 << 10):
            found.update(data)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.digest() == wanted
    assert held < sum(run.stat().st_size for run in runs) / 4
