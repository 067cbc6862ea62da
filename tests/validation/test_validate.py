"""Validation as its users see it: reports, profiles, shapes of one's own, and what hostile files do to it."""

import copy
import io
import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from rdflib import Graph, URIRef

import checkpoint_ld
from checkpoint_ld import (
    Benchmark,
    FindingsError,
    FindingsWarning,
    ReadError,
    SettingsError,
    Severity,
    SourceMissingError,
    data,
    rules,
)
from checkpoint_ld.rules import document, patch
from checkpoint_ld.shacl.applying import ValidationGraph
from checkpoint_ld.validation import reports
from checkpoint_ld.validation.profiles import names, profile
from checkpoint_ld.validation.validator import ENGINES
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SHACL
from tests.documents import canonical, item
from tests.rules.broken import removed, replaced

Json = dict[str, Any]


def text(tree: Any, **layout: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False, **layout).encode()


def changed(*operations: Json, name: str = "metals") -> Json:
    tree: Json = document(name)
    patch(tree, list(operations))
    return tree


def codes(source: Any, **choices: Any) -> list[str]:
    return [found.code for found in checkpoint_ld.validate(source, **choices).findings]


@pytest.mark.parametrize("name", ["metals", "interview"])
@pytest.mark.parametrize("chosen", ["karenina", "strict"])
def test_a_valid_document_has_no_findings_at_all(name: str, chosen: str) -> None:
    assert codes(text(document(name)), profile=chosen) == []


def test_a_path_an_open_file_and_bytes_are_validated_alike(tmp_path: Path) -> None:
    data = text(changed(replaced("/rating/1/worstRating", 9)))
    path = tmp_path / "odd.jsonld"
    path.write_bytes(data)

    assert codes(path) == codes(str(path)) == codes(io.BytesIO(data)) == codes(data) == ["KR016"]


def test_a_report_shows_files_counts_and_the_worst() -> None:
    good, bad = text(document("metals")), text(changed(removed("/name"), replaced("/version", 1)))
    report = checkpoint_ld.validate(good, bad)

    assert [len(one.findings) for one in report.checked] == [0, 2]
    assert report.counts == {Severity.VIOLATION: 2, Severity.WARNING: 0, Severity.INFO: 0}
    assert not report.conforms
    assert sorted(found.code for found in report.at_least(Severity.VIOLATION)) == ["KB001", "KB003"]
    with pytest.raises(FindingsError, match="KB001") as caught:
        report.raise_for_findings()
    assert sorted(found.code for found in caught.value.findings) == ["KB001", "KB003"]
    assert checkpoint_ld.validate(good).raise_for_findings(Severity.INFO).conforms


def test_what_cannot_be_read_is_a_finding_and_hides_nothing_of_the_others() -> None:
    report = checkpoint_ld.validate(b"{", text(changed(removed("/name"))), b"\xff")

    assert [[found.code for found in one.findings] for one in report.checked] == [["KD001"], ["KB001"], ["KD002"]]


def test_a_file_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SourceMissingError, match=r"missing\.jsonld"):
        checkpoint_ld.validate("missing.jsonld")


def test_findings_stand_in_the_order_of_their_places() -> None:
    tree = changed(
        replaced("/dataFeedElement/1/item/text", ""),
        replaced("/rating/3/additionalProperty/0/value", "["),
        replaced("/name", ""),
        replaced("/dataFeedElement/0/item/acceptedAnswer/text", 5),
    )
    found = checkpoint_ld.validate(text(tree, indent=2)).findings

    places = [(one.place.line, one.place.column) for one in found]
    assert places == sorted(places)
    assert [one.code for one in found] == ["KB001", "KR034", "KQ006", "KQ003"]


@pytest.mark.parametrize("layout", [{}, {"indent": 4}, {"separators": (",", ":")}], ids=str)
def test_places_are_exact_whatever_the_layout(layout: Json) -> None:
    tree = changed(replaced("/description", "größer 🙂 \u2028 x"), replaced("/rating/1/worstRating", 98765.5))
    data = text(tree, **layout).decode()
    [found] = checkpoint_ld.validate(data.encode()).findings

    assert found.place.pointer == "/rating/1/worstRating"
    assert found.place.line is not None
    assert found.place.column is not None
    assert data.split("\n")[found.place.line - 1][found.place.column - 1 :].startswith("98765.5")


def test_one_wrong_value_in_two_members_is_two_findings() -> None:
    tree = changed(*(replaced(f"/dataFeedElement/0/{member}", "5 March") for member in ("dateCreated", "dateModified")))
    found = checkpoint_ld.validate(text(tree)).findings

    assert [(one.code, one.place.pointer) for one in found] == [
        ("KQ011", "/dataFeedElement/0/dateCreated"),
        ("KQ011", "/dataFeedElement/0/dateModified"),
    ]
    assert [one.message.split(" ")[0] for one in found] == ["dateCreated", "dateModified"]


def test_of_keys_that_are_alike_the_right_one_is_pointed_at() -> None:
    tree = changed(replaced("/dataFeedElement/1/item/rating/0/worstRating", 1.0))
    tree["dataFeedElement"][1]["item"]["rating"][0]["bestRating"] = 1.0
    data = text(tree).decode()
    [found] = checkpoint_ld.validate(data.encode()).findings

    assert found.place.pointer == "/dataFeedElement/1/item/rating/0/worstRating"
    assert found.place.column is not None
    assert data[: found.place.column - 1].count('"worstRating": ') == 9
    assert data[found.place.column - 1 :].startswith("1.0")


def test_a_secret_is_not_repeated_by_other_rules_about_the_same_value_either() -> None:
    secret = "sk-" + "a1B2" * 8
    tree = document("metals")
    settings = {"interface": "none such", "api_key": secret}
    properties = tree["rating"][4]["additionalProperty"]
    properties.append({"@type": "PropertyValue", "name": "model_override", "value": settings})
    properties.append({"@type": "PropertyValue", "name": "timeout_seconds", "value": secret})
    [checked] = checkpoint_ld.validate(text(tree)).checked

    assert {one.code for one in checked.findings} >= {"KR052", "KR057", "KR022"}
    assert all(secret not in f"{one} {one.value}" for one in checked.findings)
    assert checked.results is not None
    assert secret not in checked.results.serialize(format="nt")
    for name in reports.FORMATS:
        assert secret not in reports.render(checkpoint_ld.Report("karenina", (checked,), rules.catalogue()), name)


def test_texts_in_a_language_are_judged_as_texts() -> None:
    turtle = Benchmark.load(text(document("metals"))).to_turtle()
    tagged = turtle.replace('"Mercury"', '"Mercury"@en').replace('schema:name "cites"', 'schema:name "cites"@en')
    assert tagged != turtle
    found, wanted = (checkpoint_ld.validate(one.encode(), syntax="turtle").findings for one in (tagged, turtle))

    assert [one.code for one in found] == [one.code for one in wanted]


def test_a_source_in_rdf_has_findings_without_a_place_but_with_a_node() -> None:
    turtle = Benchmark.load(text(document("metals"))).to_turtle().replace('"Mercury"', "5")
    [found] = checkpoint_ld.validate(turtle.encode(), syntax="turtle").findings

    assert found.code == "KQ006"
    assert (found.place.pointer, found.place.line) == (None, None)
    assert found.node is not None
    assert found.node.endswith("#/item/acceptedAnswer")


def test_a_secret_is_found_and_not_repeated() -> None:
    secret = "sk-" + "a1B2" * 8
    tree = document("interview")
    tree["hasPart"][0]["nodes"]["ask"]["modelOverride"] = {
        "answering_model": {"id": "m", "model_name": "m", "endpoint_api_key": secret}
    }
    [checked] = checkpoint_ld.validate(text(tree)).checked
    [found] = checked.findings

    assert found.code == "KS011"
    assert secret not in str(found)
    assert found.value is None
    assert checked.results is not None
    assert secret not in checked.results.serialize(format="nt")


def test_strict_makes_violations_of_warnings_that_matter() -> None:
    data = text(changed(replaced("/rating/1/worstRating", 9)))

    assert checkpoint_ld.validate(data).findings[0].severity is Severity.WARNING
    assert checkpoint_ld.validate(data, profile="strict").findings[0].severity is Severity.VIOLATION
    assert checkpoint_ld.validate(data, profile="strict").rules["KR016"].severity is Severity.VIOLATION


def test_the_profile_of_the_dataset_dialect_wants_a_dataset() -> None:
    assert "KL001" in codes(text(document("metals")), profile="legacy-dataset")


@pytest.mark.parametrize("name", names())
def test_a_profile_states_what_it_is_for_and_names_rules_only(name: str) -> None:
    chosen = profile(name)

    assert chosen.comment.endswith(".")
    assert len(chosen.rules) > 100
    assert all(code == rule.code for code, rule in chosen.rules.items())


def test_the_weights_of_a_profile_are_of_rules_that_exist() -> None:
    named = re.findall(r"\bshape:([a-z-]+)", data.text("shapes", "profiles.ttl"))

    assert len(named) > 50
    assert set(named) - rules.by_slug().keys() == set()


def test_a_profile_that_does_not_exist_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(SettingsError, match="did you mean strict"):
        checkpoint_ld.validate(b"{}", profile="strickt")


OWN = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> . @prefix ex: <urn:example#> .
ex:Licence a sh:NodeShape ; sh:targetClass schema:DataFeed ; sh:property ex:licence-needed .
ex:licence-needed a sh:PropertyShape ; sh:path schema:license ; sh:minCount 1 ; sh:severity sh:Warning ;
  sh:message "we publish with a licence only" .
"""


def test_shapes_of_ones_own_bring_their_message_and_severity(tmp_path: Path) -> None:
    (tmp_path / "own.ttl").write_text(OWN, encoding="utf-8")
    report = checkpoint_ld.validate(text(document("metals"), indent=1), shapes=[tmp_path])
    [found] = report.findings

    assert (found.code, found.severity) == ("licence-needed", Severity.WARNING)
    assert found.message == "we publish with a licence only"
    assert (found.place.pointer, found.place.line) == ("/license", 1)
    assert found.code in report.rules


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("this is no turtle", "cannot be read"),
        (OWN.replace("sh:minCount 1", "sh:minCount 'x'"), "cannot be applied"),
        (OWN + "ex:mine <urn:checkpoint-ld:shacl#code> 'KR016' .", "KR016"),
    ],
    ids=["no turtle", "no shacl", "a code of ours"],
)
def test_shapes_that_are_none_are_refused(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "own.ttl").write_text(content, encoding="utf-8")

    with pytest.raises(SettingsError, match=words):
        checkpoint_ld.validate(text(document("metals")), shapes=[tmp_path / "own.ttl"])


def test_a_shape_without_a_name_has_that_of_the_shape_around_it(tmp_path: Path) -> None:
    shape = 'sh:property [ sh:path schema:license ; sh:minCount 1 ; sh:message "no licence" ] .'
    (tmp_path / "own.ttl").write_text(OWN.replace("sh:property ex:licence-needed .", shape), encoding="utf-8")
    [found] = checkpoint_ld.validate(text(document("metals")), shapes=[tmp_path]).findings

    assert (found.code, found.message, found.place.pointer) == ("Licence", "no licence", "/license")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["metals", "agent"])
def test_shapes_that_were_changed_are_read_again(tmp_path: Path, engine: str, name: str) -> None:
    path = tmp_path / "own.ttl"
    for wanted in ("license", "funder"):
        path.write_text(
            "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .\n"
            "<urn:own:shape> a sh:NodeShape ; sh:targetClass schema:DataFeed, <urn:caf:vocab:Checkpoint> ;\n"
            f'  sh:property [ sh:path schema:{wanted} ; sh:minCount 1 ; sh:message "no {wanted}" ] .'
        )
        report = checkpoint_ld.validate(text(document(name)), shapes=[path], engine=engine)

        assert [one.message for one in report.findings if one.message.startswith("no ")] == [f"no {wanted}"]


def test_shapes_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such file"):
        checkpoint_ld.validate(b"{}", shapes=[tmp_path / "none.ttl"])
    with pytest.raises(SourceMissingError, match="file name too long"):
        checkpoint_ld.validate(b"{}", shapes=["x" * 300])
    with pytest.raises(SettingsError, match=r"no file with the extension \.ttl"):
        checkpoint_ld.validate(b"{}", shapes=[tmp_path])


@pytest.mark.parametrize("query", ["FROM <http://127.0.0.1:9/x>", ""], ids=["from", "service"])
def test_shapes_of_ones_own_reach_no_server(tmp_path: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    given = f"SELECT $this {query} WHERE {{ $this a ?x }}"
    if not query:
        given = "SELECT $this WHERE { SERVICE <http://127.0.0.1:9/x> { $this a ?x } }"
    own = OWN.replace("sh:property ex:licence-needed .", f'sh:sparql [ sh:select "{given}" ] .')
    (tmp_path / "own.ttl").write_text(own, encoding="utf-8")

    with pytest.raises(SettingsError, match=r"FROM|SERVICE"):
        checkpoint_ld.validate(text(document("metals")), shapes=[tmp_path])


def test_loading_validates_as_much_as_one_requires() -> None:
    good, odd = text(document("metals")), text(changed(replaced("/rating/1/worstRating", 9)))

    assert Benchmark.load(good, validate="strict").findings == ()
    assert [one.condition for one in Benchmark.load(odd).findings] == ["W-RANGE"]
    with pytest.warns(FindingsWarning, match="1 warning"):
        warned = Benchmark.load(odd, validate="warn")
    assert [one.place.pointer for one in warned.findings] == ["/rating/1/worstRating"]
    with pytest.raises(FindingsError, match="KR016"):
        checkpoint_ld.load(odd, validate="strict")
    with pytest.raises(SettingsError, match='there is no value of validate "often"; use one of off, warn, strict'):
        Benchmark.load(good, validate="often")  # type: ignore[arg-type]


def test_validation_leaves_the_graph_as_it_is() -> None:
    source = text(document("metals"))

    assert set(Benchmark.load(source, validate="strict").graph) == set(Benchmark.load(source).graph)


HOSTILE = {
    "deep": b'{"@type": "DataFeed", "name": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "huge text": text(changed(replaced("/dataFeedElement/0/item/text", "x" * 3_000_000))),
    "enormous id": text(changed(replaced("/dataFeedElement/0/@id", "urn:uuid:question-" + "é" * 500_000))),
    "enormous keys": text(changed({"op": "add", "path": "/" + "k" * 500_000, "value": 1})),
    "catastrophic pattern": text(
        changed(
            replaced("/rating/3/additionalProperty/0/value", "(a+)+$" * 200),
            replaced("/dataFeedElement/0/item/acceptedAnswer/text", "a" * 5000 + "!"),
        )
    ),
    "huge pattern": text(changed(replaced("/rating/3/additionalProperty/0/value", "(" * 100_000))),
    "nested template": text(changed(replaced("/dataFeedElement/0/item/hasPart/text", "(" * 90_000))),
    "many keys": text(changed({"op": "add", "path": "/x", "value": {f"k{at}": at for at in range(20_000)}})),
    "code": text(changed(replaced("/dataFeedElement/0/item/hasPart/text", "import os; os.abort()"))),
}


@pytest.mark.slow
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_ends_with_findings_or_none_and_harms_nobody(data: bytes) -> None:
    report = checkpoint_ld.validate(data)

    for found in report.findings:
        assert len(str(found)) < 1_000_000
        assert len(found.message) < 2_000
    assert len(report.checked) == 1


@pytest.mark.slow
def test_two_hundred_questions_with_two_thousand_faults_end_in_a_readable_report() -> None:
    tree = document("metals")
    element = tree["dataFeedElement"][1]
    faults = [("kind", "scale"), ("min_score", "a"), ("max_score", "b"), ("higher_is_better", "perhaps")]
    tree["dataFeedElement"] = []
    for at in range(200):
        one = copy.deepcopy(element)
        one["@id"] = f"urn:uuid:item-{at}"
        one["item"]["text"] = f"Which metal is number {at}?"
        one["item"]["rating"][0].update(bestRating=0.0, worstRating=1.0, name="")
        one["item"]["rating"][0]["additionalProperty"] = [
            {"@type": "PropertyValue", "name": n, "value": v} for n, v in faults
        ]
        one["item"]["additionalProperty"] = [{"@type": "PropertyValue", "name": "finished", "value": "banana"}]
        one["item"]["acceptedAnswer"] = {"@type": "Answer"}
        one["item"]["keywords"] = [5]
        one["dateModified"] = "yesterday"
        tree["dataFeedElement"].append(one)
    report = checkpoint_ld.validate(text(tree, indent=2))
    shown = reports.render(report, "text", reports.ReportSettings(max_per_rule=2))

    assert len(report.findings) >= 2_000
    assert len(shown.splitlines()) < 300
    assert "more of KQ017" in shown


# --- The graph that shapes are held against writes names as rdflib does.


@pytest.mark.parametrize(
    "name",
    [
        *(f"{SHACL}Violation", f"{SHACL}path", SHACL, f"{SHACL}a/b", f"{SCHEMA}name", f"{KARENINA}repeats", "urn:a"),
        *("urn:uuid:question-metal#/item/rating/0", "http://example.org/", "mailto:a@example.org"),
    ],
)
def test_names_are_written_as_rdflib_writes_them_where_only_shacl_has_a_prefix(name: str) -> None:
    plain = Graph(bind_namespaces="none")
    ours = ValidationGraph({}, "urn:a")
    for graph in (plain, ours):
        graph.bind("sh", SHACL)

    assert URIRef(name).n3(ours.namespace_manager) == URIRef(name).n3(plain.namespace_manager)


@pytest.mark.parametrize("validate", ["warn", "strict"])
def test_a_benchmark_that_is_validated_as_it_is_loaded_is_refused_as_without(validate: Any) -> None:
    tree = canonical(item())
    del tree["dataFeedElement"][0]["item"]["text"]
    data = json.dumps(tree).encode()
    with pytest.raises(ReadError) as alone:
        Benchmark.load(data)
    for load in (Benchmark.load, checkpoint_ld.load):
        with pytest.raises(ReadError) as validated:
            load(data, validate=validate)
        assert str(validated.value) == str(alone.value)


# --- Editions of the rules.


def test_a_profile_of_an_edition_has_no_later_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    later = "KB002"
    first = frozenset(rules.catalogue()) - {later}
    monkeypatch.setattr(rules, "editions", lambda: {"2026.11": first, "2027.02": frozenset()})
    tree = canonical()
    tree["description"] = 5
    found = {}
    for name in ("karenina", "karenina@2026.11", "karenina@2027.02"):
        report = checkpoint_ld.validate(json.dumps(tree).encode(), profile=name)
        found[name] = later in {one.code for one in report.findings}
        assert report.profile == name

    assert found == {"karenina": True, "karenina@2026.11": False, "karenina@2027.02": True}
    assert rules.since(later) == "2027.02"
    assert later not in profile("strict@2026.11").rules
    with pytest.raises(SettingsError, match="edition"):
        checkpoint_ld.validate(b"{}", profile="karenina@2025.01")


def test_the_editions_name_rules_that_exist_and_the_changelog_names_the_editions() -> None:
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    for name, codes in rules.editions().items():
        assert codes <= {*rules.catalogue(), *rules.ABOUT_SHAPES}
        assert name in changelog
    assert profile("karenina@2026.11").rules == profile("karenina").rules
