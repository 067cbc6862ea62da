"""Reading: any source of a checkpoint as one canonical tree."""

import contextlib
import gc
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph

from checkpoint_ld import AgentCheckpoint, Benchmark, ReadError, SourceMissingError, load
from checkpoint_ld.dialects import reading
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.findings import Place
from checkpoint_ld.validation import validator
from tests.documents import Json, canonical, item, rating, scenario


def data_of(tree: Json) -> bytes:
    return json.dumps(tree).encode()


def codes(found: reading.Reading) -> list[str]:
    return [one.condition for one in found.findings]


def state(**item: Json) -> dict[str, Json]:
    """Return a document of the GUI's state."""
    entry = {
        "question": "Which?",
        "raw_answer": "This",
        "answer_template": "",
        "last_modified": "2026-01-02",
        "finished": True,
    }
    return {"version": "2.0", "global_rubric": None, "checkpoint": {"k0": entry | item}}


def test_a_path_a_file_and_bytes_are_sources(tmp_path: Path) -> None:
    path = tmp_path / "metals.jsonld"
    path.write_bytes(data_of(canonical()))
    with path.open("rb") as file:
        for source in (path, str(path), file, path.read_bytes(), io.BytesIO(path.read_bytes())):
            read = validator.read(source)
            assert (read.dialect, read.syntax, read.tree["name"]) == ("datafeed-ns-v3", "json", "Metals")
    assert validator.read(path).source == str(path)


def test_a_graph_is_a_source() -> None:
    benchmark = Benchmark.load(data_of(canonical()))
    plain = Graph()
    for triple in benchmark.graph:
        plain.add(triple)
    assert Benchmark.load(plain).to_jsonld("plain") == canonical()


@pytest.mark.parametrize("syntax", ["turtle", "nt", "nq", "trig"])
@pytest.mark.parametrize("document", [canonical(), scenario()], ids=["questions", "scenario"])
def test_every_syntax_is_read_and_reported_by_extension_or_content(syntax: str, document: Json, tmp_path: Path) -> None:
    benchmark = Benchmark.load(data_of(document))
    extension = {"turtle": ".ttl"}.get(syntax, f".{syntax}")
    target = tmp_path / f"metals{extension}"
    benchmark.save(target)
    by_extension, by_content, by_name = (
        validator.read(target),
        validator.read(target.read_bytes()),
        validator.read(target.read_bytes(), syntax=syntax),
    )
    assert by_extension.syntax == syntax
    for read in (by_extension, by_content, by_name):
        assert Benchmark.of_reading(read).to_jsonld("plain") == document
        assert set(read.graph) == set(benchmark.graph)


def test_objects_that_all_have_identifiers_keep_their_order_without_a_position() -> None:
    keyword = {"@id": "keyword-1", "name": "chemistry"}
    answer = {"@type": "Answer", "@id": "answer-1", "text": "Mercury"}
    question = {"@type": "Question", "@id": "question-1", "text": "Which metal?", "acceptedAnswer": answer}
    elements = [{"@type": "DataFeedItem", "@id": "item-1", "item": {**question, "keywords": [keyword]}}]
    document = {"@type": "DataFeed", "@id": "feed-1", "name": "Metals", "dataFeedElement": elements}
    lines = Benchmark.load(data_of(document)).to_ntriples()
    assert Benchmark.load(lines.encode()).to_jsonld("plain")["dataFeedElement"] == elements


def test_rdf_xml_is_read() -> None:
    xml = Benchmark.load(data_of(canonical())).graph.serialize(format="xml")
    for syntax in (None, "xml"):
        assert Benchmark.load(xml.encode(), syntax=syntax).name == "Metals"


def with_entities(declared: str, name: str) -> bytes:
    xml = Benchmark.load(data_of(canonical())).graph.serialize(format="xml")
    start, _, rest = xml.partition("<rdf:RDF")
    return f"{start}<!DOCTYPE rdf:RDF [\n {declared}]>\n<rdf:RDF{rest.replace('>Metals<', f'>{name}<')}".encode()


@pytest.mark.parametrize(
    ("declared", "name", "reason"),
    [
        ('<!ENTITY a "aaaaaaaaaa">\n<!ENTITY b "&a;&a;">', "&b;" * 3, "4:1 KD009 E-RDF an XML entity is no plain text"),
        ("<!ENTITY a SYSTEM 'file:///etc/hostname'>", "&a;", "3:2 KD009 E-RDF an XML entity is no plain text"),
        (f'<!ENTITY a "{"a" * 10_000}">', "&a;" * 100, "3:2 KD009 E-RDF an XML entity makes the document many times"),
    ],
    ids=["nested", "external", "repeated"],
)
def test_entities_of_xml_that_make_a_document_grow_are_refused_at_their_place(
    declared: str, name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "metals.rdf").write_bytes(with_entities(declared, name))
    for read in (Benchmark.load, load, AgentCheckpoint.load):
        with pytest.raises(ReadError, match=reason):
            read(tmp_path / "metals.rdf")


def test_entities_of_xml_that_abbreviate_are_read() -> None:
    assert (
        Benchmark.load(with_entities('<!ENTITY metal "Heavy metal">', "&metal;s &amp; more")).name
        == "Heavy metals & more"
    )


def test_a_missing_file_is_an_error_of_ours_and_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(SourceMissingError, match=r"nothing\.jsonld: cannot be read: no such file") as missing:
        load(tmp_path / "nothing.jsonld")
    assert isinstance(missing.value, FileNotFoundError)


def test_every_problem_is_named_at_once_with_its_place() -> None:
    document = canonical(item(), item("", "urn:uuid:2"))
    document["rating"].append(rating("certainty", "GlobalRegx"))
    document["name"] = ""
    with pytest.raises(ReadError) as refused:
        validator.read(json.dumps(document, indent=2).encode())
    found = refused.value.findings
    assert [one.condition for one in found] == ["E-NAME", "E-TRAIT-TYPE", "E-TEXT"]
    assert [one.place.pointer for one in found] == ["/name", "/rating/1/additionalType", "/dataFeedElement/1/item/text"]
    assert all(one.place.line and one.dialect == "datafeed-ns-v3" for one in found)
    assert "karenina:GlobalRegxRegexTrait" in found[1].message
    assert "did you mean karenina:GlobalRegexTrait" in found[1].remedy
    assert found[1].subject == 'trait "certainty"'


def test_a_strict_reader_refuses_what_is_unusual() -> None:
    document = canonical(item(identifier=None))
    assert codes(validator.checked_at_load(validator.read(data_of(document)))) == ["W-ID-GENERATED"]
    with pytest.raises(ReadError, match="W-ID-GENERATED"):
        validator.read(data_of(document), strict=True)
    with pytest.raises(ReadError, match="W-ID-GENERATED"):
        Benchmark.load(data_of(document), strict=True)
    assert validator.read(data_of(canonical()), strict=True).is_readable


def test_examining_goes_as_far_as_there_is_a_tree() -> None:
    document = canonical(item(""))
    examined = validator.checked_at_load(reading.examine(data_of(document)))
    assert not examined.is_readable
    assert codes(examined) == ["E-TEXT"]
    assert examined.tree["name"] == "Metals"


@pytest.mark.parametrize(
    "value", [None, 5, "text", True, [], {}, {"name": "x"}, [1, 2], {"@type": "Person", "name": "x"}]
)
def test_what_is_no_checkpoint_is_refused_in_one_short_line(value: Json) -> None:
    with pytest.raises(ReadError) as refused:
        validator.read(data_of(value))
    (found,) = refused.value.findings
    assert (found.condition, found.place.line) == ("E-ROOT", 1)
    assert len(found.message) < 100
    assert "@type DataFeed" in found.remedy
    assert "checkpoint-ld rules KD011" in found.remedy


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "E-JSON"),
        (b'{"a": 1} x', "E-JSON"),
        (b'{"a": 1, "a": 2}', "E-DUPKEY"),
        (b'{"a": NaN}', "E-NUMBER"),
        (b'{"a": "\\ud800"}', "E-SURROGATE"),
        ('{"a": "é"}'.encode("latin-1"), "E-ENCODING"),
        ('{"a": 1}'.encode("utf-16"), "E-ENCODING"),
        (b"[" * 300 + b"]" * 300, "E-DEPTH"),
        (b"\x00\x01\x02", "E-JSON"),
        (b"@prefix : <x", "E-RDF"),
        (b"<urn:a> <urn:b> <urn:c> .", "E-ROOT"),
    ],
)
def test_broken_bytes_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(ReadError) as refused:
        validator.read(data)
    assert [one.condition for one in refused.value.findings] == [code]


def test_what_is_too_large_is_not_read() -> None:
    with pytest.raises(ReadError, match="E-SIZE"):
        validator.read(data_of(canonical()), limits=Limits(size=100))


def test_errors_of_rdf_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.ttl"
    path.write_text("@prefix : <urn:x#> .\n:a :b \n")
    with pytest.raises(ReadError, match=r"broken\.ttl:\d+:\d+ KD009 E-RDF"):
        validator.read(path)


def test_the_origin_of_a_value_in_another_dialect_is_known() -> None:
    read = validator.read(json.dumps(state(), indent=2).encode())
    assert read.dialect == "v2.0"
    assert read.place("/dataFeedElement/0/item/text").pointer == "/checkpoint/k0/question"
    assert read.place("/dataFeedElement/0/item/text").line == 6
    warned = validator.checked_at_load(
        validator.read(json.dumps(state(answer_template="def"), indent=2).encode())
    ).findings
    assert [(one.condition, one.place.pointer) for one in warned] == [
        ("W-TEMPLATE-SYNTAX", "/checkpoint/k0/answer_template")
    ]


def test_statements_have_no_place_in_a_file() -> None:
    read = validator.checked_at_load(
        validator.read(Benchmark.load(data_of(canonical(item(identifier=None)))).to_ntriples().encode())
    )
    assert [(one.condition, one.place.pointer, one.place.line) for one in read.findings] == [
        ("W-ID-GENERATED", None, None)
    ]
    assert read.place("/name").line is None


def test_an_older_dialect_comes_with_the_context_of_the_canonical_one() -> None:
    tree = validator.read(data_of(state())).tree
    assert tree["@type"] == "DataFeed"
    assert tree["@context"]["karenina"] == "urn:karenina:vocab:"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda tree: tree | {"@context": "https://other.example/context"}, "W-CONTEXT"),
        (
            lambda tree: tree | {"@context": {"@vocab": "https://evil.example/", "karenina": "urn:karenina:vocab:"}},
            "W-CONTEXT",
        ),
        (lambda tree: {key: value for key, value in tree.items() if key != "@context"}, "W-CONTEXT"),
        (lambda tree: {key: value for key, value in tree.items() if key != "@type"}, "W-TYPE-MISSING"),
        (lambda tree: [tree], "W-FORM"),
        (
            lambda tree: {"@context": tree["@context"], "@graph": [{k: v for k, v in tree.items() if k != "@context"}]},
            "W-FORM",
        ),
        (lambda tree: tree | {"@type": ["DataFeed"]}, "W-FORM"),
    ],
)
def test_unusual_forms_are_read_with_a_warning(change: Json, code: str) -> None:
    read = validator.read(data_of(change(canonical())))
    assert codes(read) == [code]
    assert Benchmark.of_reading(read)["urn:uuid:question-metal-1"].raw_answer == "Mercury"


def test_an_unknown_syntax_is_refused() -> None:
    with pytest.raises(ReadError, match=r'"yaml".*turtle'):
        validator.read(data_of(canonical()), syntax="yaml")


def test_several_checkpoints_in_one_graph_are_refused() -> None:
    other = canonical() | {"@id": "urn:uuid:other"}
    both = Benchmark.load(data_of(canonical())).graph + Benchmark.load(data_of(other)).graph
    with pytest.raises(ReadError, match=r"2 checkpoints: .*urn:uuid:other"):
        Benchmark.load(both)


def test_the_graphs_of_a_dataset_are_read_together() -> None:
    benchmark = Benchmark.load(data_of(canonical()))
    dataset = rdflib.Dataset()
    for at, statement in enumerate(benchmark.graph):
        dataset.graph(rdflib.URIRef(f"urn:{at % 2}")).add(statement)
    assert Benchmark.load(dataset) == benchmark == load(dataset)
    assert Benchmark.load(dataset.serialize(format="checkpoint").encode()) == benchmark


def test_loading_any_family_gives_a_benchmark() -> None:
    assert isinstance(load(data_of(canonical())), Benchmark)
    with pytest.raises(ReadError):
        load(data_of(canonical(item(identifier=None))), strict=True)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("data", [data_of(canonical()), b"{", b'{"@type": "Recipe"}'])
def test_reading_leaves_the_garbage_collector_as_it_was(data: bytes, enabled: bool) -> None:
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with contextlib.suppress(ReadError):
            validator.read(data)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


# --- Places: every JSON Pointer leads to the line and column where its value starts.


SPREAD = """\
{
  "name": "Größe",
  "rating": [
    {"@type": "Rating", "name": "tone"},
    [],
    "two\\nlines"
  ],
  "a/b": {"m~n": true, "": {"": null}},
  "\\u0041\\"": 1, "tricky": "{\\"name\\": [1, 2]}"
}
"""


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (
            SPREAD,
            [
                *(("", 1, 1), ("/name", 2, 11), ("/rating", 3, 13), ("/rating/0", 4, 5), ("/rating/0/name", 4, 33)),
                *(("/rating/1", 5, 5), ("/rating/2", 6, 5), ("/a~1b", 8, 10), ("/a~1b/m~0n", 8, 18)),
                *(("/a~1b//", 8, 33), ('/A"', 9, 15), ("/tricky", 9, 28)),
                # what is not there has the place of the nearest value above
                *(("/rating/0/bestRating", 4, 5), ("/rating/7/name", 3, 13), ("/rating/00", 3, 13)),
                *(("/rating/-", 3, 13), ("/rating/1/0", 5, 5), ("/name/0", 2, 11), ("/A", 1, 1)),
                *(("/nothing/at/all", 1, 1), ("/tricky/name", 9, 28)),
            ],
        ),
        # columns count characters, not bytes or halves; lines end with line feeds only
        ('["é😀𝄞", 1]', [("/1", 1, 9)]),
        ('{\r\n"a": "\u2028\u0085", \r "b": 1,\r\n "c": 2}', [("/b", 2, 19), ("/c", 3, 7)]),
        # keys that look alike, and escapes of escapes
        (
            '{"name": 1, "Name": 2, "name ": 3, "n": {"name": 4}, "0": [5], "\\u006eames": 6}',
            [
                *(("/name", 1, 10), ("/Name", 1, 21), ("/name ", 1, 33), ("/n/name", 1, 50), ("/0/0", 1, 60)),
                ("/names", 1, 78),
            ],
        ),
        (
            '{"~1": 1, "/": 2, "~0": 3, "~": 4, "~01": 5}',
            [("/~01", 1, 8), ("/~1", 1, 16), ("/~00", 1, 25), ("/~0", 1, 33), ("/~001", 1, 43)],
        ),
    ],
)
def test_values_are_found_by_pointer(text: str, places: list[tuple[str, int, int]]) -> None:
    document = read_json(text.encode(), "metals.json")
    found = [document.place(wanted) for wanted, _, _ in places]
    assert found == [Place("metals.json", *place) for place in places]


def test_keys_are_found_by_pointer() -> None:
    document = read_json(SPREAD.encode())
    places = [
        *(("/name", 2, 3), ("/rating/0/name", 4, 25), ("/a~1b//", 8, 29), ('/A"', 9, 3), ("/rating/1", 5, 5)),
        *(("", 1, 1), ("/rating/0/nme", 4, 5), ("/a~1b/nothing", 8, 10)),
    ]
    found = [document.key_place(wanted) for wanted, _, _ in places]
    assert found == [Place(None, *place) for place in places]


def test_pointers_escape_what_they_are_made_of() -> None:
    assert pointer([]) == ""
    assert pointer(["a/b", 0, "m~n", "~1", ""]) == "/a~1b/0/m~0n/~01/"


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        yield from paths(inner, (*path, step))


def text_from(text: str, place: Place) -> str:
    assert place.line
    assert place.column
    lines = text.split("\n")
    return "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])


def check_all_places(text: str) -> None:
    document = read_json(text.encode())
    decoder = json.JSONDecoder()
    for path, value in paths(document.value):
        there, _ = decoder.raw_decode(text_from(text, document.place(pointer(path))))
        assert repr(there) == repr(value)
        if path and isinstance(path[-1], str):
            key, end = decoder.raw_decode(rest := text_from(text, document.key_place(pointer(path))))
            assert key == path[-1]
            assert rest[end:].lstrip().startswith(":")


TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/~\n\r\t\u2028\x7f\0{}[]:,'), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=20
)


@settings(deadline=None)
@given(
    VALUES,
    st.sampled_from([None, 0, 1, 2, "\t"]),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\r", "\n :\t")]),
)
def test_every_pointer_leads_to_the_text_of_its_value(
    value: Any, indent: int | str | None, escaped: bool, separators: tuple[str, str]
) -> None:
    check_all_places(json.dumps(value, indent=indent, ensure_ascii=escaped, separators=separators))


def test_every_pointer_of_a_real_document_leads_to_the_text_of_its_value(corpus: Path) -> None:
    check_all_places((corpus / "datafeed-ns-v3" / "gen-simple-10.jsonld").read_text(encoding="utf-8"))
