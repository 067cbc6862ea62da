"""A checkpoint of any family is read as what it is, and distinguished by its content alone."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rdflib import Graph

from checkpoint_ld import Benchmark, families, load
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.serialization import FORMS, AgentReading, written
from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.reading import Reading
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import FindingsError, FindingsWarning, ReadError, SettingsError
from checkpoint_ld.families import inspection
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from tests.agents.graphs import FULL
from tests.agents.runs import call, thought, tree
from tests.documents import canonical

# XML 1.0 has no U+0000, so that the full example cannot be RDF/XML.
FORMS_OF_ALL = tuple(form for form in FORMS if form != "xml")
AGENT = tree("k1", thoughts=[thought(1, confidence=0.5)], calls=[call(1)], results={"c1": [1.0, None]})
BENCHMARK = canonical()


def data(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("form", FORMS_OF_ALL)
def test_an_agent_checkpoint_is_known_in_every_form_that_we_write_and_comes_back(form: str) -> None:
    read = families.examine_bytes(written(FULL, form))
    assert isinstance(read, AgentReading)
    assert same(read.tree, json.loads(bytes_of(FULL).decode()))
    assert read.family == "agent"
    assert read.dialect == ("agent-second" if form == "second" else "agent-canonical")


@pytest.mark.parametrize("form", FORMS_OF_ALL)
def test_the_provenance_layer_is_left_out_on_request(form: str) -> None:
    bare = written(FULL, form, prov=False)
    assert b"wasAssociatedWith" not in bare
    assert same(families.examine_bytes(bare).tree, json.loads(bytes_of(FULL).decode()))


def test_a_benchmark_is_read_as_before() -> None:
    for one in (data(BENCHMARK), Benchmark.load(data(BENCHMARK)).graph.serialize(format="nt").encode()):
        read = families.examine_bytes(one)
        assert isinstance(read, Reading)
        assert read.tree == reading.examine_bytes(one).tree
        assert read.dialect == "datafeed-ns-v3"
        assert read.name == "Metals"


def test_compressed_files_are_unpacked(tmp_path: Path) -> None:
    for name, document in (("agent.json.gz", AGENT), ("benchmark.jsonld.gz", BENCHMARK)):
        (tmp_path / name).write_bytes(gzip.compress(data(document)))
        assert families.read(tmp_path / name).source == str(tmp_path / name)


def test_every_finding_states_in_which_file_it_is(tmp_path: Path) -> None:
    file = tmp_path / "agent.json"
    for content in (b"{", data({**AGENT, "version": "9.0.0"}), data({**AGENT, "timestamp": "x"}), b'{"a": 1}'):
        file.write_bytes(content)
        with pytest.raises(ReadError) as refused:
            families.read(file)
        assert {one.place.file for one in refused.value.findings} == {str(file)}


def test_what_is_only_unusual_is_refused_if_strict() -> None:
    unusual = data({**AGENT, "agent": "x"})
    assert families.read(unusual).tree["agent"] == "x"
    with pytest.raises(ReadError, match="agent"):
        families.read(unusual, strict=True)


def test_a_syntax_that_there_is_not_is_refused() -> None:
    with pytest.raises(ReadError, match='there is no syntax "ttl"'):
        families.examine(data(AGENT), syntax="ttl")


def test_a_benchmark_file_given_as_an_agent_and_the_reverse_name_what_to_do() -> None:
    with pytest.raises(ReadError, match="this is an agent checkpoint"):
        Benchmark.load(data(AGENT))
    with pytest.raises(ReadError, match="checkpoint-ld"):
        AgentCheckpoint.load(data(BENCHMARK))


def test_load_returns_the_object_of_the_family() -> None:
    for source in (data(AGENT), io.BytesIO(data(AGENT)), AgentGraph.of_tree(AGENT), _copied(AgentGraph.of_tree(AGENT))):
        loaded = load(source)
        assert isinstance(loaded, AgentCheckpoint)
        assert loaded.tree() == AGENT
    assert isinstance(load(data(BENCHMARK)), Benchmark)
    assert isinstance(load(Benchmark.load(data(BENCHMARK)).graph), Benchmark)


def _copied(graph: Graph) -> Graph:
    copied = Graph()
    for triple in graph:
        copied.add(triple)
    return copied


def test_load_validates_agents_as_it_does_benchmarks() -> None:
    unusual = data(tree("k", thoughts=[thought(1, type="musing")]))
    with pytest.warns(FindingsWarning, match="1 warning"):
        assert load(unusual, validate="warn").id == "k"
    with pytest.raises(FindingsError, match="musing"):
        load(unusual, validate="strict")
    with pytest.raises(ReadError, match="musing"):
        load(unusual, strict=True)
    with pytest.raises(SettingsError, match='there is no value of validate "loud"'):
        load(unusual, validate="loud")  # type: ignore[arg-type]


def test_graphs_leave_with_their_provenance_and_inferred_statements() -> None:
    agent, benchmark = families.examine_bytes(data(AGENT)), families.examine_bytes(data(BENCHMARK))
    whole = families.graph_of(agent)
    assert len(whole) > len(families.graph_of(agent, prov=False)) == len(agent.graph)
    assert len(families.inferred(whole)) > len(whole)
    assert AgentGraph(families.inferred(whole).index, whole.root).tree() == agent.tree
    assert len(families.inferred(families.graph_of(benchmark))) > len(families.graph_of(benchmark))
    assert isinstance(families.family("agent").restored(whole.index, whole.root), AgentGraph)
    assert isinstance(
        families.family("benchmark").restored(benchmark.graph.index, benchmark.graph.root), CheckpointGraph
    )


def test_a_name_of_a_profile_means_one_for_each_family() -> None:
    both = families.Profiles()
    assert (both.of("benchmark").name, both.of("agent").name) == ("karenina", "agent")
    assert (families.Profiles("strict").of("benchmark").name, families.Profiles("strict").of("agent").name) == (
        "strict",
        "agent-strict",
    )
    only = families.Profiles("agent-strict")
    assert only.first.name == only.of("agent").name == "agent-strict"
    with pytest.raises(SettingsError, match="agent-strict"):
        only.of("benchmark")
    for name, remedy in {"strickt": "strict", "agent-strikt": "agent-strict"}.items():
        with pytest.raises(SettingsError, match=f"did you mean {remedy}"):
            families.Profiles(name)
    with pytest.raises(SettingsError, match="nowhere"):
        families.Profiles(shapes=["nowhere.ttl"])


def test_a_report_names_the_profiles_of_what_was_validated() -> None:
    broken = data({**AGENT, "timestamp": "x"})
    assert families.validate(data(AGENT)).profile == "agent"
    assert families.validate(data(BENCHMARK)).profile == "karenina"
    report = families.validate(data(BENCHMARK), broken, b"{", profile="strict")
    assert report.profile == "agent-strict, strict"
    assert [one.dialect for one in report.checked] == ["datafeed-ns-v3", "agent-canonical", None]
    assert [one.place.pointer for one in report.checked[1].findings] == ["/timestamp"]
    assert report.checked[2].findings
    with pytest.raises(SettingsError, match="engine"):
        families.validate(data(AGENT), engine="none")


def test_a_single_profile_stands_for_that_of_the_same_name() -> None:
    strict = families.Profiles("strict")
    read = families.examine_bytes(data(tree("k", thoughts=[thought(1, type="musing")])))
    by_one, by_all = (families.check_source(read, one) for one in (strict.first, strict))
    assert by_one.findings == by_all.findings != ()


def test_an_agent_checkpoint_is_inspected() -> None:
    found = inspection.inspect(families.read(data(FULL)))
    assert isinstance(found, inspection.AgentInspection)
    assert found.thoughts == {"reasoning": 3}
    assert found.calls == {"read_file": 2, "a:b": 1}
    assert (found.failed, found.in_flight) == (1, 1)
    held = json.loads(dump_json(found.as_json()))
    assert held["checkpoint"]["about"] == FULL["about"]
    assert "snapshot" not in held["checkpoint"]
    assert held["triples"] == len(AgentGraph.of_tree(FULL, prov=True))
