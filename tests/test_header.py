"""Headers: the same as a full read tells, from the start of a file wherever that is enough."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import dialects
from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import ReadError, SourceMissingError
from checkpoint_ld.graph import contexts, emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.header import Header, header_of, read_header
from tests.documents import canonical, item, rating, scenario

METALS = Header(
    source=None,
    syntax="json",
    dialect="datafeed-ns-v3",
    id="urn:uuid:karenina-checkpoint-1767225600.5",
    name="Metals",
    description="Metals and their properties",
    version="0.2.0",
    creator="A. Smith",
    created="2026-01-01T00:00:00",
    modified="2026-01-02T00:00:00",
)
PERSON = {"@type": "Person", "name": "A. Smith", "email": "a@example.org"}
WRITABLE = [one.name for one in dialects.DIALECTS if one.downgrade is not None]


def written(tree: Any, **settings: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False, **settings).encode()


def fully_read(source: Any, *, counts: bool = False) -> Header:
    return header_of(reading.examine(source), counts=counts)


def cut(data: bytes) -> bytes:
    """Return no more of a document than the start of its first question."""
    return data[: data.index(b'"item": {', data.index(b'"dataFeedElement": [')) + len(b'"item": {')]


class TestFromTheStart:
    """What comes after the start of a file of Karenina's is not looked at."""

    @pytest.mark.parametrize("context", [contexts.plain(), contexts.improved()])
    @pytest.mark.parametrize("indent", [None, 4])
    def test_all_that_a_benchmark_states_about_itself_stands_before_its_questions(
        self, context: Any, indent: int | None
    ) -> None:
        data = written({**canonical(), "@context": context}, indent=indent)
        assert read_header(data) == METALS
        assert read_header(cut(data)) == METALS

    def test_a_byte_order_mark_and_a_creator_who_is_a_person_are_no_obstacles(self) -> None:
        data = b"\xef\xbb\xbf" + cut(written({**canonical(), "creator": PERSON}))
        assert read_header(data) == METALS

    def test_the_start_may_be_long(self, tmp_path: Path) -> None:
        ratings = [rating(f"trait {number} ✓", "Global") for number in range(100)]
        (tmp_path / "long.jsonld").write_bytes(cut(written({**canonical(), "rating": ratings})))
        assert read_header(tmp_path / "long.jsonld").name == "Metals"

    def test_a_benchmark_without_questions_states_as_much(self) -> None:
        data = written({**canonical(), "dataFeedElement": []})
        assert read_header(data[:-20]) == METALS

    def test_nothing_heavy_is_imported_for_it(self, tmp_path: Path) -> None:
        file = tmp_path / "metals.jsonld"
        file.write_bytes(written(canonical()))
        code = (
            "import sys; from checkpoint_ld.header import read_header; print(read_header(sys.argv[1]).name);"
            "print(*{'rdflib', 'pyld', 'pydantic', 'pyshacl', 'rich', 'click'} & set(sys.modules))"
        )
        done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, encoding="utf-8", check=True)
        assert done.stdout == "Metals\n\n"


class TestFromTheWholeFile:
    """Where the start is not enough, or may not be, a full read tells."""

    @pytest.mark.parametrize("name", WRITABLE)
    def test_every_dialect_that_can_be_written(self, name: str) -> None:
        downgrade = dialects.dialect(name).downgrade
        assert downgrade is not None
        data = written(downgrade(canonical()).value)
        assert read_header(data) == fully_read(data)
        assert (read_header(data).dialect, read_header(data).name) == (name, "Metals")

    @pytest.mark.parametrize("member", ["@context", "@type", "@id", "name", "version", "creator", "dateModified"])
    def test_what_stands_after_the_questions_or_nowhere(self, member: str) -> None:
        tree = canonical()
        value = tree.pop(member)
        assert read_header(written(tree)) == fully_read(written(tree))
        assert read_header(written({**tree, member: value})) == METALS

    @pytest.mark.parametrize("question", [{"@type": "Question"}, {"answerTemplate": "x"}, {"item": {}}, "none"])
    def test_bare_questions_are_distinguished(self, question: Any) -> None:
        data = written({**canonical(), "dataFeedElement": [question]})
        assert read_header(data) == fully_read(data)

    @pytest.mark.parametrize("syntax", ["ttl", "nt"])
    def test_statements(self, syntax: str, tmp_path: Path) -> None:
        file = tmp_path / f"metals.{syntax}"
        graph = CheckpointGraph.of_tree(canonical())
        file.write_bytes(emission.turtle_of(graph) if syntax == "ttl" else emission.ntriples_of(graph))
        assert read_header(file) == fully_read(file)
        assert read_header(file).name == "Metals"

    def test_questions_and_scenarios_are_counted_on_request(self) -> None:
        data = written(canonical(item(), item("Which metal is lightest?", None)))
        assert (read_header(data).questions, read_header(data).scenarios) == (None, None)
        held = read_header(data, counts=True)
        assert (held.questions, held.scenarios) == (2, 0)
        assert read_header(written(scenario()), counts=True).scenarios == 1

    def test_a_file_that_is_open_is_read_whole(self) -> None:
        assert read_header(io.BytesIO(written(canonical()))) == METALS

    @pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"@type": "Recipe"}', b'{"name": "x", "name": "y"}', b"\xff"])
    def test_what_is_no_checkpoint_is_refused_in_the_words_of_a_full_read(self, data: bytes, tmp_path: Path) -> None:
        (tmp_path / "odd.json").write_bytes(data)
        with pytest.raises(ReadError) as fully:
            fully_read(tmp_path / "odd.json")
        with pytest.raises(ReadError) as found:
            read_header(tmp_path / "odd.json")
        assert str(found.value) == str(fully.value)

    def test_a_file_that_is_missing_is_reported_to_be(self, tmp_path: Path) -> None:
        with pytest.raises(SourceMissingError, match="check the path"):
            read_header(tmp_path / "none.jsonld")


@pytest.mark.parametrize(
    ("before", "after"),
    [('"0.2.0"', '"\\ud800"'), ('"0.2.0"', "NaN"), ('"version"', '"name"'), ('"0.2.0"', "[" * 300 + "]" * 300)],
)
def test_what_is_refused_at_the_start_is_refused_here_too(before: str, after: str) -> None:
    data = written(canonical()).replace(before.encode(), after.encode())
    with pytest.raises(ReadError) as fully:
        fully_read(data)
    with pytest.raises(ReadError) as found:
        read_header(data)
    assert str(found.value) == str(fully.value)


ODD = st.sampled_from(
    [None, True, 2, 1.5, "", "x", "2.0", [], ["x"], {}, {"@value": "x"}, {"@id": "urn:x"}, PERSON, [PERSON, "B"]]
)
CONTEXTS = st.sampled_from(
    [
        contexts.plain(),
        contexts.improved(),
        {"@vocab": "https://schema.org/"},
        {"@vocab": "http://schema.org/"},
        {"@vocab": "https://schema.org/", "name": "schema:alternateName"},
        {**contexts.plain(), "title": "https://schema.org/name"},
        {key: value for key, value in contexts.plain().items() if key != "@vocab"},
        [contexts.plain()],
        "https://schema.org/",
    ]
)
MEMBERS = st.sampled_from([*canonical(), "schema:version", "title", "@included", "license", "hasPart", "checkpoint"])
ELEMENTS = st.lists(
    st.sampled_from([item(), {**item(), "@type": "Question"}, item()["item"], {"schema:item": {}}, "none", 1]),
    max_size=2,
)


@given(st.permutations(list(canonical())), st.dictionaries(MEMBERS, ODD, max_size=3), CONTEXTS, ELEMENTS, st.data())
def test_a_header_states_what_a_full_read_states(
    order: list[str], unusual: dict[str, Any], context: Any, elements: list[Any], data: st.DataObject
) -> None:
    whole = {**canonical(), "@context": context, "dataFeedElement": elements}
    if data.draw(st.booleans()):
        order = list(whole)
    changed = {**{key: whole[key] for key in order}, **unusual}
    for dropped in data.draw(st.sets(st.sampled_from(order), max_size=2)):
        changed.pop(dropped, None)
    source = written(changed, indent=data.draw(st.sampled_from([None, 2])))
    try:
        expected = fully_read(source)
    except ReadError:
        return
    assert read_header(source) == expected


@pytest.mark.slow
def test_headers_of_the_corpus_are_those_of_full_reads(corpus: Path) -> None:
    seen = set()
    for file in sorted(corpus.rglob("*.json*")):
        if file.suffix not in (".json", ".jsonld"):
            continue
        try:
            expected = fully_read(file, counts=True)
        except ReadError:
            continue
        assert read_header(file, counts=True) == expected
        uncounted = read_header(file)
        assert uncounted == fully_read(file)
        seen.add(uncounted.dialect)
    assert len(seen) >= 8
