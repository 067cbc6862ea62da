"""Reading agent checkpoints from files of all kinds, good and bad."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
import rdflib
from pyld import jsonld

import checkpoint_ld
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.json_patch import applied
from checkpoint_ld.agents.schema import jsonld_of
from checkpoint_ld.agents.serialization import AgentReading, examine, examine_document
from checkpoint_ld.agents.shapes import to_second
from checkpoint_ld.agents.values import bytes_of, sha256_of
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.errors import ReadError, ShapeError, SourceMissingError, UnsupportedVersion
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.graph import emission
from tests.agents.documents import Json, call, checkpoint, second, thought

WRITERS: dict[str, Any] = {
    "nt": emission.ntriples_of,
    "nq": emission.nquads_of,
    "turtle": emission.turtle_of,
    "trig": emission.trig_of,
}


def violations(reading: AgentReading) -> list[Finding]:
    return [found for found in reading.findings if found.severity is Severity.VIOLATION]


def places(reading: AgentReading) -> list[tuple[str, str | None]]:
    return [(found.rule, found.place.pointer) for found in reading.findings]


def turtle(tree: Json, *, prov: bool = False) -> bytes:
    data: bytes = WRITERS["turtle"](AgentGraph.of_tree(tree, prov=prov))
    return data


def test_open_files_and_compressed_ones_are_read(tmp_path: Path) -> None:
    data = bytes_of(checkpoint())
    path = tmp_path / "one.json.gz"
    path.write_bytes(gzip.compress(data))
    assert examine(path).tree == checkpoint()
    assert examine(io.BytesIO(gzip.compress(data[:50]) + gzip.compress(data[50:]))).tree == checkpoint()


def test_damaged_compressed_files_stop() -> None:
    packed = gzip.compress(bytes_of(checkpoint()))
    for data in (packed[:-9], packed[:40], packed[:-8] + bytes(8), packed[:20] + b"\xff\xff" + packed[22:]):
        with pytest.raises(ReadError) as raised:
            examine(data)
        assert [one.rule for one in raised.value.findings] == ["agent-gzip"]


def without(tree: Json, pointer: str) -> Json:
    return applied(tree, [{"op": "remove", "path": pointer}])


def test_a_canonical_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(bytes_of(checkpoint()))
    reading = examine(path)
    assert (reading.shape, reading.version, reading.source) == ("canonical", "0.0.1", str(path))
    assert (reading.tree, reading.findings, reading.origins) == (checkpoint(), (), None)
    place = reading.place("/snapshot/thought_chain/0/id")
    assert (place.file, place.line, place.column) == (str(path), 10, 15)
    assert reading.key_place("/snapshot/thought_chain/0/id").column == 9
    with pytest.raises(SourceMissingError, match="check the path"):
        examine(tmp_path / "none.json")


def test_the_second_shape_is_read_with_places_in_the_file_as_it_is() -> None:
    text = bytes_of(second(), "second").decode()
    reading = examine(text.encode())
    place = reading.place("/snapshot/tool_state/calls/1/started_at")
    assert (reading.shape, place.pointer) == ("second", "/snapshot/tool_state/failed/0/timestamp")
    assert text.splitlines()[(place.line or 0) - 1][(place.column or 0) - 1 :] == "1738790399300"


def test_what_is_larger_than_the_limit_is_not_read_nor_unpacked() -> None:
    with pytest.raises(ReadError, match="more than the limit"):
        examine(bytes_of(checkpoint()), limits=Limits(size=100))
    with pytest.raises(ReadError, match="more than the limit of 10,000 bytes"):
        examine(gzip.compress(b" " * 1_000_000), limits=Limits(size=10_000))


@pytest.mark.parametrize(
    ("data", "rule", "line", "column", "kind"),
    [
        (b"", "json", 1, 1, ReadError),
        (b'{\n  "snapshot": {},\n  "id": }', "json", 3, 9, ReadError),
        (b'{\n  "timestamp": NaN}', "number-not-finite", 2, 16, ReadError),
        (b'{\n  "id": "a",\n  "id": "b"}', "duplicate-key", 3, 3, ReadError),
        (b'{\n  "id": "\\ud800"}', "surrogate", 2, 9, ReadError),
        (b"[" * 300 + b"]" * 300, "nesting", 1, 201, ReadError),
        (b"\n  []", "agent-shape", 2, 3, ShapeError),
        (b'"text"', "agent-shape", 1, 1, ShapeError),
        (b"{}", "agent-shape", 1, 1, ShapeError),
        (b'{"execution_id": "e",\n"snapshot": {}, "version": "0.0.1"}', "agent-shape", 2, 13, ShapeError),
        (b'{"@type": "DataFeed",\n"dataFeedElement": []}', "agent-family", 1, 1, ShapeError),
        (b'{"execution_id": "e", "snapshot": {},\n  "version": "9.0.0"}', "agent-version", 2, 14, UnsupportedVersion),
        (b'{"execution_id": "e", "snapshot": {}}', "agent-version", 1, 1, UnsupportedVersion),
    ],
)
def test_what_stops_is_reported_with_line_and_column_and_what_to_do(
    data: bytes, rule: str, line: int, column: int, kind: type[ReadError]
) -> None:
    with pytest.raises(kind) as raised:
        examine(data)
    found = raised.value.findings[0]
    assert (found.rule, found.place.line, found.place.column) == (rule, line, column)
    assert found.remedy
    assert found.severity is Severity.VIOLATION


def test_a_byte_order_mark_and_other_line_ends_are_warned_of() -> None:
    reading = examine(b"\xef\xbb\xbf" + bytes_of(checkpoint()).replace(b"\n", b"\r\n"))
    assert places(reading) == [("byte-order-mark", ""), ("agent-line-ends", "")]
    assert (reading.findings[1].place.line, reading.findings[1].place.column) == (1, 2)
    assert not violations(reading)
    assert bytes_of(reading.tree) == bytes_of(checkpoint())
    (found,) = examine('{\n"id": "é漢",\r\n'.encode() + bytes_of(without(checkpoint(), "/id"))[1:]).findings
    assert (found.place.line, found.place.column) == (2, 12)  # which counts characters


EMPTY: Json = {
    "/snapshot/context/variables": {},
    "/snapshot/context/state": {},
    "/snapshot/context/history": [],
    "/snapshot/tool_state/results": {},
    "/snapshot/progress/total_thoughts": 1,
    "/snapshot/progress/total_tool_calls": 1,
}


@pytest.mark.parametrize("pointer", EMPTY)
@pytest.mark.parametrize("is_null", [False, True])
def test_missing_members_are_read_as_empty_with_a_warning(pointer: str, is_null: bool) -> None:
    patch = [{"op": "replace", "path": pointer, "value": None}] if is_null else [{"op": "remove", "path": pointer}]
    reading = examine(bytes_of(applied(checkpoint(), patch)))
    *_, part, name = pointer.split("/")
    assert reading.tree["snapshot"][part][name] == EMPTY[pointer]
    assert places(reading) == [("agent-default", pointer)]
    assert reading.findings[0].severity is Severity.WARNING
    assert reading.findings[0].place.line is not None


def test_missing_members_of_the_second_shape_are_reported_by_their_names_there() -> None:
    reading = examine(bytes_of(without(second(), "/snapshot/context/messages"), "second"))
    assert places(reading) == [("agent-default", "/snapshot/context/messages")]
    assert "/snapshot/context/messages is absent and read as []" in reading.findings[0].message
    reading = examine(bytes_of(without(second(), "/metadata/agent_id"), "second"))
    assert places(reading) == [("agent-second-member", "/metadata/agent_id")]
    assert violations(reading)


def test_what_was_made_of_a_canonical_file_need_not_have_what_the_second_shape_requires() -> None:
    plain = without(second(), "/snapshot/context/messages/0/role")
    tree = examine(bytes_of(plain, "second")).tree
    patch = [{"op": "add", "path": "/name", "value": "original"}]
    reading = examine(bytes_of({**plain, "canonical_patch": {"sha256": sha256_of(tree), "patch": patch}}, "second"))
    assert reading.tree["name"] == "original"
    assert not violations(reading)


def test_a_stale_patch_is_warned_of_at_its_place() -> None:
    data = to_second(checkpoint([thought(type="action")]))
    data["snapshot"]["context"]["variables"]["task"] = "edited"
    reading = examine(bytes_of(data, "second"))
    assert places(reading) == [("agent-patch", "/canonical_patch")]
    assert reading.tree["snapshot"]["context"]["variables"] == {"task": "edited"}
    assert not violations(reading)


@pytest.mark.parametrize(
    ("name", "value"), [("thought_chain", None), ("tool_state", {"calls": {}}), ("thought_chain", ["a text"])]
)
def test_broken_parts_are_no_reason_to_stop(name: str, value: Json) -> None:
    tree = checkpoint()
    tree["snapshot"][name] = value
    reading = examine(bytes_of(tree))
    assert reading.tree["snapshot"][name] == ({"calls": {}, "results": {}} if name == "tool_state" else value)
    assert reading.graph.root is not None


def test_a_document_that_was_parsed_already_is_not_parsed_again() -> None:
    document = read_json(bytes_of(checkpoint()), "one.json")
    reading = examine_document(document)
    assert reading.document is document
    assert reading.source == "one.json"
    assert reading.tree["snapshot"] is document.value["snapshot"]


def test_our_json_ld_is_the_plain_file_with_a_context() -> None:
    reading = examine(json.dumps(jsonld_of(checkpoint())).encode())
    assert bytes_of(reading.tree) == bytes_of(checkpoint())
    other = examine(bytes_of(checkpoint(**{"@context": {"id": "@id"}})))
    assert other.tree["@context"] == {"id": "@id"}


@pytest.mark.parametrize("form", ["expanded", "flattened", "one node", "graph", "by rdflib"])
def test_other_forms_of_json_ld_are_read_as_statements(form: str, tmp_path: Path) -> None:
    tree = checkpoint(calls=[call(), {"id": "a b", "status": "running"}], note={"n": 1.0}, name=None)
    value: Json = emission.expanded_of(AgentGraph.of_tree(tree, prov=True))
    if form == "flattened":
        value = jsonld.flatten(value)
    if form == "graph":
        value = {"@context": {}, "@graph": value}
    if form == "one node":
        value = next(iter(jsonld.expand(jsonld.frame(value, {"@type": "urn:caf:vocab:Checkpoint"}))))
    if form == "by rdflib":
        read = rdflib.Graph().parse(data=WRITERS["nt"](AgentGraph.of_tree(tree, prov=True)), format="nt")
        value = json.loads(read.serialize(format="json-ld"))
    path = tmp_path / "one.jsonld"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(value).encode())
    reading = examine(path)
    assert bytes_of(reading.tree) == bytes_of(tree)
    assert places(reading) == [("byte-order-mark", "")]


def test_json_ld_of_something_else_is_no_agent_checkpoint() -> None:
    for value in (
        [{"@id": "urn:caf:vocab:x", "https://schema.org/name": [{"@value": "x"}]}],
        {"@id": "urn:caf:vocab:x"},
    ):
        with pytest.raises(ShapeError, match="no agent checkpoint"):
            examine(json.dumps(value).encode())


@pytest.mark.parametrize("prov", [False, True])
@pytest.mark.parametrize("syntax", list(WRITERS))
def test_rdf_syntaxes_give_the_same_checkpoint(syntax: str, prov: bool) -> None:
    tree = checkpoint(calls=[call(), {"id": "a b", "status": "running"}], note={"n": 1.0}, name=None)
    data = WRITERS[syntax](AgentGraph.of_tree(tree, prov=prov))
    reading = examine(data, syntax=syntax)
    assert bytes_of(reading.tree) == bytes_of(tree)
    assert (reading.findings, reading.syntax, reading.document) == ((), syntax, None)
    assert reading.place("/id").line is None
    if syntax == "turtle":
        assert bytes_of(examine(rdflib.Graph().parse(data=data, format=syntax)).tree) == bytes_of(tree)


def test_a_graph_that_was_edited_does_not_fit_its_hash() -> None:
    data = turtle(checkpoint(), prov=True).replace(b'"look first"', b'"look twice"')
    reading = examine(data)
    assert [found.rule for found in reading.findings] == ["agent-hash"]
    assert reading.tree["snapshot"]["thought_chain"][0]["content"] == "look twice"


def test_statements_that_no_member_can_hold_are_reported() -> None:
    data = turtle(checkpoint(extra=1), prov=True)
    assert examine(data, syntax="turtle").findings == ()
    root = AgentGraph.of_tree(checkpoint()).root
    foreign = (
        f"<urn:example:ada> <urn:example:made> <{root}> . <{root}> <urn:example:by> <urn:example:ada> . "
        '<urn:caf:thought/alone> <urn:caf:vocab:thoughtType> "reasoning" . <urn:caf:thought/t1> schema:name "first" .'
    )
    read = examine(data + foreign.encode(), syntax="turtle")
    assert read.tree == checkpoint(extra=1)
    (found,) = read.findings
    assert (found.condition, found.severity) == ("W-LOSS", Severity.WARNING)
    assert found.message == (
        f"the statement <{root}> <urn:example:by> … and 3 more have no place in an agent checkpoint"
    )
    report = checkpoint_ld.validate(data + foreign.encode())
    assert "KD015" in [one.code for one in report.findings]


def test_statements_without_a_checkpoint_or_with_two_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.ttl"
    path.write_text("<urn:a> <urn:b> <urn:c> .", encoding="utf-8")
    with pytest.raises(ShapeError, match=r"none\.ttl.*no agent checkpoint"):
        examine(path)
    with pytest.raises(ShapeError, match="2 agent checkpoints: urn:caf:checkpoint/ckpt_1, urn:caf:checkpoint/ckpt_2"):
        examine(turtle(checkpoint()) + turtle(checkpoint(id="ckpt_2")))


def test_text_that_is_no_rdf_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "broken.ttl"
    path.write_text("<urn:a> <urn:b>\n  oops .", encoding="utf-8")
    with pytest.raises(ReadError) as raised:
        examine(path)
    assert (raised.value.findings[0].place.file, raised.value.findings[0].place.line) == (str(path), 2)


@pytest.mark.slow
def test_very_many_thoughts_are_read() -> None:
    count = 20_000
    tree = checkpoint([thought(f"t{number}", confidence=1, children=[]) for number in range(count)])
    for data in (bytes_of(tree), bytes_of(to_second(tree), "second")):
        reading = examine(data)
        assert len(reading.tree["snapshot"]["thought_chain"]) == count
        assert reading.findings == ()
