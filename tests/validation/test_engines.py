"""The findings are those of SHACL: of a plain run of pySHACL, and, where its words are enough, of a second engine."""

import json
import sys
from pathlib import Path

import pyshacl
import pytest
import shifty
from rdflib import Graph

from checkpoint_ld import data, families, rules, shacl
from checkpoint_ld.cli import main
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.rules import Example, example
from checkpoint_ld.shacl.shapes import Run
from checkpoint_ld.validation import profiles, results, validator
from checkpoint_ld.vocabulary import SHACL
from tests.trials import some
from tests.validation.engines import core_shapes, plain_graph, plain_run, verdicts
from tests.validation.feeds import feed

EXAMPLES = [
    told
    for code in rules.catalogue()
    if (told := example(code)) is not None and told.file.endswith("jsonld") and not code.startswith("KD")
]
SHAPES = sorted(data.folder("shapes").rglob("*.ttl"))
CORPUS_FOLDERS = ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0", "flat", "tricky")


CORE_GRAPH = core_shapes()
CORE = shacl.compile_shapes(CORE_GRAPH)


def our_run(text: bytes, profile: str) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    """Return our findings and the results that they were made from, as verdicts."""
    checked = families.check(text, profiles.profile(profile))
    iris = {severity: iri for iri, severity in rules.SEVERITIES.items()}
    held = {
        (str(one.node), f"urn:karenina:shape:{one.rule}", iris[one.severity]) for one in checked.findings if one.node
    }
    assert checked.results is not None
    return held, verdicts(checked.results)


@pytest.mark.slow
@pytest.mark.parametrize("expected", some(EXAMPLES, 6), ids=lambda expected: expected.code)
def test_findings_are_those_of_a_plain_run_of_pyshacl(expected: Example) -> None:
    chosen = profiles.profile(expected.profile)
    findings, results = our_run(expected.invalid, expected.profile)
    plain = plain_run(expected.invalid, chosen)

    assert results == plain
    assert findings <= plain
    excused = {rule.shape for rule in chosen.rules.values() if rule.excused}
    assert {shape for _, shape, _ in plain - findings} <= excused


@pytest.mark.slow
def test_a_graph_of_rdflib_as_it_comes_gives_the_same() -> None:
    made = example("KR016")

    assert made is not None
    assert our_run(made.invalid, "karenina")[1] == plain_run(made.invalid, profiles.profile(), Graph)


@pytest.mark.slow
@pytest.mark.parametrize("folder", CORPUS_FOLDERS)
def test_findings_of_the_corpus_are_those_of_a_plain_run(corpus: Path, folder: str) -> None:
    files = [path for path in sorted((corpus / folder).iterdir()) if path.name != "index.json"]
    compared = 0
    for path in some(files[:6], 3):
        text = path.read_bytes()
        checked = families.check(text, profiles.profile())
        if checked.results is not None:
            assert verdicts(checked.results) == plain_run(text, profiles.profile()), path
            compared += 1
    assert compared


@pytest.mark.slow
@pytest.mark.parametrize("expected", some(EXAMPLES, 4), ids=lambda expected: expected.code)
def test_a_second_engine_gives_the_same_verdicts_where_core_shacl_is_enough(expected: Example) -> None:
    graph = plain_graph(expected.invalid)
    _, ours, _ = shacl.validate(graph, CORE)
    _, theirs, _ = shifty.validate(graph, shacl_graph=CORE_GRAPH, infer=False)

    assert verdicts(theirs) == verdicts(ours)


@pytest.mark.slow
@pytest.mark.parametrize("path", SHAPES, ids=lambda path: path.stem)
def test_every_file_of_shapes_is_valid_shacl(path: Path) -> None:
    shapes = Graph().parse(path)

    pyshacl.validate(Graph(), shacl_graph=shapes, meta_shacl=True)  # raises an error for what is none, as the next test


def test_the_check_of_shapes_can_fail() -> None:
    broken = Graph().parse(data=f"<urn:x> a <{SHACL}NodeShape> ; <{SHACL}minCount> 'many' .", format="turtle")

    with pytest.raises(Exception, match=r"SHACL|Shape"):
        pyshacl.validate(Graph(), shacl_graph=broken, meta_shacl=True)


@pytest.mark.slow
@pytest.mark.parametrize("code", ["KB001", "KQ014", "KQ018", "KR016", "KR054", "KN001", "KS009"])
def test_pyshacl_alone_finds_the_same(code: str) -> None:
    made = example(code)
    assert made is not None
    alone = families.validate(made.invalid, profile=made.profile, engine="pyshacl")

    assert alone.findings == families.validate(made.invalid, profile=made.profile).findings
    assert code in {one.code for one in alone.findings}


def test_pyshacl_alone_is_queried_about_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    made = example("KQ003")
    assert made is not None
    monkeypatch.setattr(Run, "results_for", None)

    assert families.validate(made.valid, engine="pyshacl").conforms
    with pytest.raises(TypeError):
        families.validate(made.valid)


def test_nothing_of_ours_is_left_to_pyshacl() -> None:
    for name in profiles.names():
        assert not results.compiled(profiles.profile(name)).others


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingsError, match=r'there is no engine "pyshackl"; did you mean pyshacl\?'):
        families.validate(b"{}", engine="pyshackl")


def test_own_shapes_see_all_elements(tmp_path: Path) -> None:
    shapes = tmp_path / "own.ttl"
    shapes.write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .\n"
        "<urn:own:few> a sh:PropertyShape ; sh:targetClass schema:DataFeed ; sh:path schema:dataFeedElement ;\n"
        '  sh:maxCount 3 ; sh:message "too many" .\n'
    )
    found = families.validate(json.dumps(feed()).encode(), shapes=[shapes]).findings

    assert "too many" in {one.message for one in found}


def test_the_command_takes_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = example("KQ003")
    assert made is not None
    file = tmp_path / "broken.jsonld"
    file.write_bytes(made.invalid)
    printed = []
    for engine in validator.ENGINES:
        arguments = ["checkpoint-ld", "validate", str(file), "--engine", engine, "--no-config"]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 1
        printed.append(capsys.readouterr().out)

    assert "KQ003 question-text" in printed[0]
    assert printed[0] == printed[1]
