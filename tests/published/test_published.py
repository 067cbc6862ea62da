"""The published shapes, run by pySHACL without checkpoint_ld, give our verdict on the examples of every rule."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import pyoxigraph
import pytest
from rdflib import RDF, Graph, URIRef
from rdflib.namespace import SH

import checkpoint_ld
from checkpoint_ld import families, rules
from checkpoint_ld.agents import serialization
from checkpoint_ld.agents.rules import check_reading as check_agent
from checkpoint_ld.dialects.reading import examine_bytes, examine_document
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.store import StatementGraph, graph_of
from checkpoint_ld.rules import example
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.inference import infer
from checkpoint_ld.validation.profiles import Profile
from tests.trials import some

PROGRAM = Path(__file__).with_name("elsewhere.py")
PAGE = Path(__file__).parents[2] / "docs" / "shapes.md"
GUARDS = {profiles.DEFAULT: "urn:karenina:shape:guard", profiles.AGENT: "urn:caf:shape:guard"}
EVERY = 24
"""Of the examples that need no Python, every so many is run with rules of inference by pySHACL: the others are held
against the rules by Oxigraph, which takes a twentieth of the time."""


@dataclass(frozen=True, eq=False)
class Case:
    """An example as a graph: `broken` are the shapes that we say it breaks."""

    code: str
    is_valid: bool
    profile: Profile
    graph: StatementGraph
    broken: frozenset[str]


@cache
def shapes_of_rules() -> Mapping[str, str]:
    """The codes of rules that speak of the graph, by their shapes: those that say where they look."""
    output = {**profiles.profile("legacy-dataset").shapes(), **profiles.profile("agent").shapes()}
    path, sparql = URIRef(SH.path), URIRef(SH.sparql)
    return {
        rule.shape: rule.code
        for rule in rules.catalogue().values()
        if {path, sparql} & output.get(URIRef(rule.shape), {}).keys()
    }


@cache
def cases() -> tuple[Case, ...]:
    """The examples of all rules that speak of the graph, each graph once."""
    found: dict[tuple[str, bytes], Case] = {}
    for code in shapes_of_rules().values():
        made = example(code)
        assert made is not None
        family = profiles.AGENT if code.startswith("A") else profiles.DEFAULT
        profile = profiles.profile(
            made.profile if family == profiles.DEFAULT else profiles.of_family(made.profile, family)
        )
        for is_valid, data in ((True, made.valid), (False, made.invalid)):
            try:
                graph, checked = _read(data, made.file, profile)
            except ReadError:  # there is no graph of it: an unknown version, or no snapshot
                continue
            broken = frozenset(profile.rules[one.code].shape for one in checked.findings if one.code in profile.rules)
            case = Case(code, is_valid, profile, graph, broken & shapes_of_rules().keys())
            found.setdefault((profile.name, emission.ntriples_of(graph)), case)
    return tuple(found.values())


def _read(data: bytes, file: str, profile: Profile) -> tuple[StatementGraph, Any]:
    if profile.family == profiles.AGENT:
        of_agent = serialization.examine_bytes(data, file)
        return of_agent.graph, check_agent(of_agent, profile)
    reading = examine_bytes(data, file)
    if profile.dialect and reading.document is not None:
        reading = examine_document(reading.document, restored=False)
    return reading.graph, validator.check_reading(reading, profile)


def _by_pyshacl(folder: Path, *runs: tuple[Iterable[Case], bool, bool]) -> list[dict[Case, Any]]:
    """Hold the graphs of cases against the published shapes, by one process, which parses each query once.

    Each run is of cases, whether their graphs are given with what is inferred, and whether pySHACL carries out rules.
    """
    jobs: list[dict[str, Any]] = []
    cases_of: list[tuple[int, Case, str]] = []
    for run, (chosen, inferred, advanced) in enumerate(runs):
        paths: dict[str, list[str]] = {}
        for at, case in enumerate(chosen):
            path = folder / f"{run}-{at}.nt"
            path.write_bytes(emission.ntriples_of(families.inferred(case.graph) if inferred else case.graph))
            paths.setdefault(case.profile.name, []).append(str(path))
            cases_of.append((run, case, str(path)))
        for name, data in paths.items():
            shapes = folder / f"{name}.ttl"
            checkpoint_ld.shapes_graph(profile=name).serialize(shapes, format="turtle")
            jobs.append({"shapes": str(shapes), "options": {"advanced": advanced}, "data": data})
    held = _run(jobs)
    return [{case: held[path] for of, case, path in cases_of if of == run} for run in range(len(runs))]


def _run(jobs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what pySHACL finds, by the paths of graphs."""
    done = subprocess.run(
        [sys.executable, "-I", PROGRAM], input=json.dumps(jobs), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {path: found for result in json.loads(done.stdout) for path, found in result.items()}


def _differing(results: Mapping[Case, Any]) -> set[str]:
    """Return the codes of rules on whose examples pySHACL differs: in its verdict, or about the rule itself."""
    shapes = {code: shape for shape, code in shapes_of_rules().items()}
    return {
        case.code
        for case, (conforms, sources) in results.items()
        if conforms is bool(case.broken) or (shapes[case.code] in case.broken) is not (shapes[case.code] in sources)
    }


def only_python() -> dict[str, str]:
    """The reasons why only Python can decide, by the codes of rules."""
    return {shapes_of_rules()[str(shape)]: reason for shape, reason in profiles.reasons().items()}


@pytest.mark.slow
def test_pyshacl_gives_our_verdict_of_inferred_statements_and_by_rules_of_inference_but_where_only_python_shows(
    tmp_path: Path,
) -> None:
    codes = some(sorted(only_python()), 12)
    needy = [case for case in cases() if case.code in codes]
    others = some([case for case in cases() if case.code not in only_python()][::EVERY], 2)
    inferred, by_rules = _by_pyshacl(tmp_path, (some(cases(), 40), True, False), ([*needy, *others], False, True))

    assert len(cases()) > 300
    assert _differing(inferred) == set()
    assert _differing(by_rules) == set(codes)
    assert len(only_python()) <= 51


@pytest.mark.slow
@pytest.mark.parametrize("family", profiles.FAMILIES)
def test_rules_of_inference_give_the_statements_that_python_infers(family: str) -> None:
    """Oxigraph carries the rules out; it rewrites doubles, and one class depends on how they are written."""
    constructs = _constructs(family)
    spoken_of = set(re.findall(r"\b(?:karenina|cafd):(\w+)", " ".join(constructs)))
    compared = [case for case in cases() if case.profile.family == family]
    for case in some(compared, 2):
        own, ours = _store(case.graph), _by_python(case)
        before = set(own)
        for construct in constructs:
            for one in cast("Any", own.query(construct.replace("$this", f"<{case.graph.root}>"))):
                own.add(pyoxigraph.Quad(one.subject, one.predicate, one.object))
        stated = {one for one in set(own) - before if _name(one) not in ("BoundedTrait", "derived")}
        missing = {one for one in set(ours) - set(own) if _name(one) in spoken_of - NOT_ALL_OF}
        assert (stated - set(ours), missing) == (set(), set()), case.code
    assert len(compared) > 100


NOT_ALL_OF = frozenset(("unknownKey", "BoundedTrait", "id"))
"""What the rules say a part of: of unknown keys those that belong elsewhere, of ids those that names tell."""


def _name(quad: Any) -> str:
    """Return the local name of the class or the predicate that a statement gives to a node."""
    named = quad.object if quad.predicate.value == str(RDF.type) else quad.predicate
    return re.split(r"[:#/]", named.value)[-1]


def _by_python(case: Case) -> pyoxigraph.Store:
    """Return what Python infers: for agents with the statements themselves."""
    if case.profile.family == profiles.AGENT:
        return _store(families.inferred(case.graph))
    assert isinstance(case.graph, CheckpointGraph)
    return _store(graph_of(infer(case.graph)))


def _constructs(family: str) -> list[str]:
    graph = checkpoint_ld.shapes_graph(profile=family)
    names = {
        str(graph.value(one, SH.prefix)): str(graph.value(one, SH.namespace)) for one in graph.objects(None, SH.declare)
    }
    heads = "".join(f"PREFIX {prefix}: <{namespace}>\n" for prefix, namespace in names.items())
    found = sorted(graph.subjects(RDF.type, SH.SPARQLRule), key=lambda one: int(str(graph.value(one, SH.order))))
    return [heads + str(graph.value(one, SH.construct)) for one in found]


def _store(graph: Graph) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.bulk_load(graph.serialize(format="nt", encoding="utf-8"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return store


@pytest.mark.slow
@pytest.mark.parametrize("family", profiles.FAMILIES)
def test_rules_that_are_repeated_give_the_same(family: str, tmp_path: Path) -> None:
    """An engine may repeat rules until nothing new follows."""
    fitting = [case for case in cases() if case.profile.name == family and case.code not in only_python()]
    chosen = [next(case for case in fitting if case.is_valid is is_valid) for is_valid in (True, False)]
    shapes = tmp_path / "shapes.ttl"
    checkpoint_ld.shapes_graph(profile=family).serialize(shapes, format="turtle")
    data = []
    for at, case in enumerate(chosen):
        data.append(str(tmp_path / f"{at}.nt"))
        Path(data[-1]).write_bytes(emission.ntriples_of(case.graph))
    once, repeated = (
        _run([{"shapes": str(shapes), "options": {"advanced": True, "iterate_rules": repeats}, "data": data}])
        for repeats in (False, True)
    )

    assert repeated == once
    assert repeated[data[0]] == [True, []]


@pytest.mark.slow
@pytest.mark.parametrize("family", profiles.FAMILIES)
def test_a_guard_reports_a_graph_without_what_the_shapes_look_at(family: str, tmp_path: Path) -> None:
    case = next(case for case in cases() if case.profile.family == family and case.is_valid)
    bare = _by_pyshacl(tmp_path, ([case], False, False))[0][case]
    empty = tmp_path / "empty.nt"
    empty.write_bytes(b"<urn:a> <urn:b> <urn:c> .\n")
    shapes = tmp_path / f"{case.profile.name}.ttl"
    of_nothing = _run([{"shapes": str(shapes), "options": {"advanced": True}, "data": [str(empty)]}])[str(empty)]

    assert bare[0] is False
    assert GUARDS[family] in bare[1]
    assert of_nothing == [False, [GUARDS[family]]]


@pytest.mark.parametrize("profile", [*profiles.names(), *profiles.names(profiles.AGENT)])
def test_published_shapes_have_the_severities_of_their_profile_and_call_no_python(profile: str) -> None:
    graph = checkpoint_ld.shapes_graph(profile=profile)
    text = graph.serialize(format="nt")
    chosen = profiles.profile(profile)

    for shape in set(map(str, graph.subjects(SH.severity, None))) - set(GUARDS.values()):
        rule = chosen.of_shape(shape)
        assert rule is not None
        assert rules.SEVERITIES[str(graph.value(URIRef(shape), SH.severity))] is rule.severity
    assert "shacl#is" not in text
    assert "shacl#wellFormed>" not in text


@pytest.mark.parametrize("family", profiles.FAMILIES)
def test_published_messages_are_whole_sentences_because_no_engine_fills_in_those_of_shapes(family: str) -> None:
    graph = checkpoint_ld.shapes_graph(profile=family)
    assert not [text for text in graph.objects(None, SH.message) if "{" in str(text)]
    assert [str(text) for text in graph.objects(URIRef("urn:karenina:shape:rating-range"), SH.message)] == (
        ["a range that is empty: The worst rating has to be below the best one, or no score lies between them."]
        if family == profiles.DEFAULT
        else []
    )


def test_the_shapes_as_we_apply_them_are_given_on_request() -> None:
    text = checkpoint_ld.shapes_graph(python=True).serialize(format="nt")

    assert "ck:isWellFormed" in text
    assert "SPARQLRule" not in text


def test_shapes_of_an_unknown_profile_are_refused() -> None:
    with pytest.raises(SettingsError, match="profile"):
        checkpoint_ld.shapes_graph(profile="nobody")


@pytest.mark.slow
def test_the_command_writes_the_graph_of_a_profile(tmp_path: Path) -> None:
    out = tmp_path / "shapes.ttl"
    command = "from checkpoint_ld.cli import main; main()"
    options = ("rules", "--to", "turtle", "--profile", "strict", "-o", str(out))
    subprocess.run([sys.executable, "-c", command, *options], check=True)

    assert set(Graph().parse(out)) >= {
        triple for triple in checkpoint_ld.shapes_graph(profile="strict") if not _has_blank(triple)
    }


def _has_blank(triple: Iterable[Any]) -> bool:
    return any(not isinstance(one, URIRef) for one in triple)


def test_the_page_lists_what_only_python_shows() -> None:
    rows = dict(
        re.findall(
            r"^\| \[([AK][A-Z]\d{3})\]\(.*?\) \|.*\| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
        )
    )

    assert rows == only_python()
