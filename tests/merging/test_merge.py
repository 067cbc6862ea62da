"""Merging three versions: what goes together, what contradicts, and the laws."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import checkpoint_ld
from checkpoint_ld import (
    AgentCheckpoint,
    Benchmark,
    CheckpointLdError,
    Conflict,
    Merge,
    ReadError,
    SettingsError,
    merge,
    semantic_diff,
)
from tests.agents.documents import checkpoint
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture
from tests.documents import Json, canonical, item, rating, scenario, setting

TEXTS = ("Which metal is liquid?", "Which gas is light?", "Which stone is hard?")


def tree() -> Json:
    return canonical(*(item(text, f"urn:uuid:question-{at}") for at, text in enumerate(TEXTS)))


def data(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=4).encode()


def edited(**changes: Json) -> Json:
    """Return the benchmark with edits: members of the root, or `q0`, `q1` for members of a question."""
    found = tree()
    for name, value in changes.items():
        if name.startswith("q"):
            found["dataFeedElement"][int(name[1])]["item"].update(value)
        else:
            found[name] = value
    return found


def answer(text: str) -> Json:
    return {"acceptedAnswer": {"@type": "Answer", "text": text}}


def merged(base: Json, ours: Json, theirs: Json, **settings: Json) -> Merge:
    return merge(data(base), data(ours), data(theirs), **settings)


def same(one: Merge, other: Json, **settings: bool) -> bool:
    return not semantic_diff(one.result, Benchmark.load(data(other)), **settings)


def test_edits_of_different_things_merge_and_dates_are_no_conflict() -> None:
    ours = edited(q0=answer("Hg"), dateModified="2026-03-01T00:00:00")
    theirs = edited(q0={"text": "Which?"}, q1=answer("H"), dateModified="2026-04-01T00:00:00")
    found = merged(tree(), ours, theirs)
    assert found.is_clean
    assert same(
        found,
        edited(q0={**answer("Hg"), "text": "Which?"}, q1=answer("H"), dateModified="2026-04-01T00:00:00"),
        dates=True,
    )


def test_sets_merge_and_the_same_edit_is_no_conflict() -> None:
    ours = edited(q0={"keywords": ["chemistry", "a"], **answer("x")})
    theirs = edited(q0={"keywords": ["b"], **answer("x")})
    found = merged(tree(), ours, theirs)
    assert found.is_clean
    assert found.result.get_question("urn:uuid:question-0")["keywords"] == ["a", "b"]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "keywords"),
    [
        ("ab", "ab", "ba", "ba"),
        ("abc", "abcd", "cba", "cdba"),
        ("abc", "cba", "bac", "cba"),
        ("abc", "ac", "xcab", "xca"),
    ],
)
def test_the_order_of_a_list_is_an_edit(base: str, ours: str, theirs: str, keywords: str) -> None:
    found = merged(*(edited(q0={"keywords": [*side]}) for side in (base, ours, theirs)))
    assert "".join(found.result.questions[0].keywords) == keywords


def test_traits_and_their_settings_are_distinguished() -> None:
    one, other = (rating("cites", pattern="a", case_sensitive=True) for _ in range(2))
    one["additionalProperty"][0]["value"], other["additionalProperty"][1]["value"] = "b", False
    base = edited(q0={"rating": [rating("cites", pattern="a", case_sensitive=True)]})
    found = merged(base, edited(q0={"rating": [one]}), edited(q0={"rating": [rating("new", pattern="c"), other]}))
    assert found.is_clean
    wanted = rating("cites", pattern="b", case_sensitive=False)
    assert same(found, edited(q0={"rating": [rating("new", pattern="c"), wanted]}))


def test_bounds_that_state_something_else_than_the_settings_stay() -> None:
    base = edited(q0={"rating": [rating("cites", pattern="a", min_score=1, max_score=5)]})
    other = edited(q0={"rating": [rating("cites", pattern="b", min_score=1, max_score=5)]})
    found = merged(base, base, other)
    (held,) = found.result.graph.tree()["dataFeedElement"][0]["item"]["rating"]
    assert (found.is_clean, held["worstRating"], held["bestRating"]) == (True, 0.0, 1.0)


def test_what_contradicts_is_reported_with_both_versions_and_places() -> None:
    found = merged(tree(), edited(q0=answer("Hg"), name="A"), edited(q0=answer("Mercurius"), name="B"))
    assert not found.is_clean
    assert [one.subject for one in found.conflicts] == [
        ("name",),
        ('question urn:uuid:question-0 "Which metal is liquid?"', "answer"),
    ]
    shown = found.as_json()["conflicts"][1]
    assert (shown["base"], shown["ours"], shown["theirs"], shown["taken"]) == ("Mercury", "Hg", "Mercurius", "ours")
    assert shown["places"]["ours"]["pointer"] == "/dataFeedElement/0/item/acceptedAnswer/text"
    assert shown["places"]["theirs"]["line"] > 1
    assert found.result.name == "A"
    assert '"Which metal is liquid?": answer' in str(found)


@pytest.mark.parametrize(("prefer", "name"), [("ours", "A"), ("theirs", "B")])
def test_a_side_can_be_preferred(prefer: str, name: str) -> None:
    found = merged(tree(), edited(name="A"), edited(name="B", version="9.9.9"), prefer=prefer)
    assert (found.is_clean, found.result.name, found.result.version) == (True, name, "9.9.9")


def test_a_decision_can_be_a_value_of_ones_own() -> None:
    found = merged(tree(), edited(name="A"), edited(name="B"), decide=lambda one: f"{one.ours} and {one.theirs}")
    assert (found.is_clean, found.result.name, found.conflicts[0].taken) == (True, "A and B", "edited")


def test_a_question_that_one_side_removed_and_the_other_changed_is_a_conflict() -> None:
    ours, theirs = edited(q0=answer("Hg")), tree()
    del theirs["dataFeedElement"][0]
    found = merged(tree(), ours, theirs)
    assert ([len(one.subject) for one in found.conflicts], len(found.result)) == ([1], 3)
    assert len(merged(tree(), ours, theirs, prefer="theirs").result) == 2
    assert len(merged(tree(), tree(), theirs).result) == 2


def test_a_question_that_was_only_touched_can_be_removed() -> None:
    ours, theirs = tree(), tree()
    ours["dataFeedElement"][0]["dateModified"] = "2026-06-01T00:00:00"
    del theirs["dataFeedElement"][0]
    for sides in ((ours, theirs), (theirs, ours)):
        found = merged(tree(), *sides)
        assert (found.is_clean, len(found.result)) == (True, 2)


def test_scenarios_are_known_by_name() -> None:
    base, ours, theirs = (scenario() for _ in range(3))
    ours["hasPart"].append({**copy.deepcopy(ours["hasPart"][0]), "name": "another"})
    theirs["hasPart"][0]["description"] = "in other words"
    found = merged(base, ours, theirs)
    assert found.is_clean
    assert [one["name"] for one in found.result.graph.tree()["hasPart"]] == [base["hasPart"][0]["name"], "another"]
    assert found.result.graph.tree()["hasPart"][0]["description"] == "in other words"
    none = {**base, "hasPart": []}
    both = merged(none, base, {**none, "hasPart": ours["hasPart"][1:]})
    assert (both.is_clean, len(both.result.graph.tree()["hasPart"])) == (True, 2)


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_empty_in_a_value_or_a_scenario_is_an_edit(kept: bool) -> None:
    versions = []
    limits: Json
    for limits in ({"a": 1}, {"a": 1, "none": None, "list": [], "of": {"b": []}}):
        plain, turns = edited(additionalProperty=[setting("limits", limits)]), scenario()
        turns["hasPart"][0]["nodes"]["again"]["metadata"] = limits
        versions.append((plain, turns))
    for base, theirs in zip(*(versions if kept else versions[::-1]), strict=True):
        found = merged(base, base, theirs)
        assert (found.conflicts, found.result) == ((), Benchmark.load(data(theirs)))


def test_one_question_added_by_both_sides_is_one_question() -> None:
    ours, theirs = tree(), tree()
    ours["dataFeedElement"].append(item("New?", "urn:uuid:question-a"))
    theirs["dataFeedElement"].append(item("New?", "urn:uuid:question-b"))
    theirs["dataFeedElement"].append(item("Another?", "urn:uuid:question-c"))
    found = merged(tree(), ours, theirs)
    assert found.is_clean
    assert found.result.get_question_ids()[3:] == ["urn:uuid:question-a", "urn:uuid:question-c"]


def test_secrets_are_withheld() -> None:
    sides = [edited(additionalProperty=[setting("api_key", f"sk-{one * 32}")]) for one in "abc"]
    found = merged(*sides)
    assert len(found.conflicts) == 1
    assert "sk-" not in str(found) + json.dumps(found.as_json())


@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed", "dataset-1", "ttl"])
def test_dialects_and_syntaxes_mix(tmp_path: Path, dialect: str) -> None:
    theirs = Benchmark.load(data(edited(q1=answer("H"))))
    path = tmp_path / ("t.ttl" if dialect == "ttl" else "t.json")
    theirs.save(path, save_deep_judgment_config=True, dialect=None if dialect == "ttl" else dialect)
    found = merge(data(tree()), data(edited(q0=answer("Hg"))), path)
    assert found.is_clean
    assert same(found, edited(q0=answer("Hg"), q1=answer("H")))
    back = merge(data(tree()), path, data(edited(q0=answer("Hg"))))
    assert back.is_clean
    back.save(tmp_path / ("u" + path.suffix))
    again = Benchmark.load(tmp_path / ("u" + path.suffix))
    wanted = "datafeed-ns-v3" if dialect == "ttl" else dialect
    assert (again.dialect, again.get_question("urn:uuid:question-0")["raw_answer"]) == (wanted, "Hg")


@pytest.mark.parametrize("dialects", [("datafeed-ns-v3", "gui-datafeed"), ("gui-datafeed", "gui-datafeed")])
def test_what_saving_in_another_dialect_adds_is_no_edit(tmp_path: Path, dialects: tuple[str, str]) -> None:
    base = json.dumps(
        {"version": "2.0", "checkpoint": {"one": {"question": TEXTS[0], "raw_answer": "Mercury"}}}
    ).encode()
    ours, theirs = Benchmark.load(base), Benchmark.load(base)
    ours.creator = {"@type": "Person", "name": "Ada"}
    theirs.set_metadata(description="Metals")
    for name, side, dialect in zip(("o.json", "t.json"), (ours, theirs), dialects, strict=True):
        side.save(tmp_path / name, dialect=dialect)
    for sides in (("o.json", "t.json"), ("t.json", "o.json")):
        found = merge(base, *(tmp_path / name for name in sides))
        assert not found.conflicts
        assert (str(found.result.creator), found.result.description) == ("Ada", "Metals")


def test_the_result_keeps_the_layout_of_ours() -> None:
    text = json.dumps(tree(), ensure_ascii=False, indent=7)
    found = merge(data(tree()), text.encode(), data(edited(q0=answer("Hg"))))
    assert found.content().decode() == text.replace('"Mercury"', '"Hg"', 1)
    assert merge(data(tree()), text.encode(), data(tree())).content() == text.encode()


# Laws

EDIT = st.tuples(
    st.sampled_from(("name", "answer", "text", "keywords", "trait", "custom", "remove", "add", "date")),
    st.integers(0, 2),
    st.sampled_from("xyz"),
)


def with_edits(edits: list[tuple[str, int, str]]) -> Json:
    found = tree()
    gone = {at for kind, at, _ in edits if kind == "remove"}
    for kind, at, value in edits:
        held = found["dataFeedElement"][at]["item"]
        others = [one for one in held["rating"] if one["name"] != value]
        made = {
            "answer": answer(value),
            "text": {"text": value},
            "keywords": {"keywords": [*dict.fromkeys((*held["keywords"], value))]},
            "trait": {"rating": [*others, rating(value, pattern=value)]},
            "custom": {"additionalProperty": [setting("finished", True), setting(f"custom_{value}", at)]},
        }
        held.update(made.get(kind, {}))
        root = {"name": {"name": value}, "date": {"dateModified": f"2026-05-0{at + 1}T00:00:00"}}
        found.update(root.get(kind, {}))
    new = {(value, at) for kind, at, value in edits if kind == "add"}
    added = [item(f"New {value}?", f"urn:uuid:question-{value}{at}") for value, at in sorted(new)]
    return {
        **found,
        "dataFeedElement": [one for at, one in enumerate(found["dataFeedElement"]) if at not in gone] + added,
    }


EDITS = st.lists(EDIT, max_size=4).map(with_edits)


@pytest.mark.slow
@given(EDITS)
def test_merging_with_what_did_not_change_gives_what_did(other: Json) -> None:
    for sides in ((tree(), other, other), (tree(), tree(), other), (tree(), other, tree())):
        found = merged(*sides)
        assert not found.conflicts
        assert found.result == Benchmark.load(data(other))


@pytest.mark.slow
@given(EDITS, EDITS)
def test_edits_merged_in_either_order_state_the_same(one: Json, other: Json) -> None:
    first, second = merged(tree(), one, other), merged(tree(), other, one)
    assert {each.subject[0] for each in first.conflicts} == {each.subject[0] for each in second.conflicts}
    if first.is_clean:
        assert not semantic_diff(first.result, second.result, dates=True)
    chosen = merged(tree(), other, one, prefer="theirs"), merged(tree(), one, other, prefer="ours")
    assert not semantic_diff(chosen[0].result, chosen[1].result, dates=True)


# Agents


def agent(step: int = 1, *, thoughts: str = "a", identifier: str = "k1", **variables: Json) -> Json:
    found = checkpoint()
    found["id"], found["timestamp"] = identifier, found["timestamp"] + step
    found["metadata"]["step_number"] = step
    chain = found["snapshot"]["thought_chain"]
    chain[:] = [{**copy.deepcopy(chain[0]), "id": f"t{one}"} for one in thoughts]
    found["snapshot"]["context"]["variables"] = variables
    found["snapshot"]["progress"]["total_thoughts"] = len(chain)
    return found


def test_agents_checkpoints_merge_by_thought_and_variable() -> None:
    found = merged(
        agent(x=1, y=1),
        agent(2, thoughts="ab", identifier="k2", x=2, y=1),
        agent(3, thoughts="ac", identifier="k3", x=1, y=5),
    )
    assert found.is_clean
    result = found.result.tree()
    assert [one["id"] for one in result["snapshot"]["thought_chain"]] == ["ta", "tb", "tc"]
    assert result["snapshot"]["context"]["variables"] == {"x": 2, "y": 5}
    assert (result["id"], result["metadata"]["step_number"]) == ("k3", 3)
    assert result["snapshot"]["progress"]["total_thoughts"] == 3


def message(text: str) -> Json:
    return {"role": "user", "content": text}


def remembering(step: int, *texts: str, **context: Json) -> Json:
    """Return a checkpoint whose history has messages of these texts; `context` are other parts of its context."""
    found = agent(step)
    found["snapshot"]["context"] |= {"history": [message(one) for one in texts], **context}
    return found


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "history"),
    [
        ("a", "ab", "ac", "abc"),
        ("", "b", "c", "bc"),
        ("a", "abc", "abd", "abcd"),
        ("a", "ab", "abc", "abc"),
        ("ab", "ab", "a", "a"),
        ("a", "ab", "a", "ab"),
        ("ab", "a", "abc", None),
        ("ab", "xb", "abc", None),
        ("ab", "abc", "ba", None),
    ],
)
def test_what_both_append_to_a_list_without_ids_is_in_it(
    base: str, ours: str, theirs: str, history: str | None
) -> None:
    found = merged(remembering(1, *base), remembering(2, *ours), remembering(3, *theirs))
    result = "".join(one["content"] for one in found.result.snapshot.context.history)
    assert (found.is_clean, result) == (history is not None, ours if history is None else history)


def test_vectors_and_arguments_do_not_grow() -> None:
    base, ours, theirs = agent(at=[1], seen=["a"]), agent(2, at=[1, 2], seen=["a", "b"]), agent(3, at=[1, 3], seen="ac")
    theirs["snapshot"]["context"]["variables"]["seen"] = ["a", "c"]
    for one, files in ((base, ["x"]), (ours, ["x", "y"]), (theirs, ["x", "z"])):
        one["snapshot"]["tool_state"]["calls"][0]["args"] = {"files": files}
    found = merged(base, ours, theirs)
    assert [one.subject for one in found.conflicts] == [
        ("context", "variables", "at"),
        ("call c1", "args", "files"),
    ]
    assert found.result.snapshot.context.variables["seen"] == ["a", "b", "c"]


def test_a_conflict_of_lists_states_from_where_on_they_differ() -> None:
    found = merged(remembering(1, *"abc"), remembering(2, *"ab"), remembering(3, *"abxy"))
    base, ours, theirs = (line.split("  (")[0].strip() for line in str(found.conflicts[0]).splitlines()[1:4])
    assert base.startswith("base:   3 items, from number 3 on: [")
    assert ours == "ours:   2 items, from number 3 on: no more"
    assert theirs.startswith("theirs: 4 items, from number 3 on: [")


def test_a_conflict_shows_the_lines_that_differ_and_of_long_texts_where_they_do() -> None:
    lines = [f"    x{number}: int = 1" for number in range(40)]

    def template(at: int, line: str) -> str:
        return "\n".join(["class Answer(BaseAnswer):", *lines[:at], line, *lines[at + 1 :]])

    texts = [template(30, lines[30]), template(30, "    x30: str"), template(30, "    y: float")]
    of_template = Conflict(("question q", "template"), texts[0], texts[1], texts[2])
    shown = str(of_template)
    assert "-    x30: int = 1" in shown
    assert "+    x30: str" in shown
    assert "+    y: float" in shown
    assert "x3: int" not in shown
    long = "What everybody should always know about the metals of this world and their "
    shown = str(Conflict(("description",), long + "uses", long + "ores", long + "prices"))
    assert "…d and their ores" in shown
    assert "…d and their prices" in shown


def test_agents_checkpoints_that_contradict() -> None:
    found = merged(agent(x=1), agent(2, x=2), agent(3, x=3))
    assert [one.subject for one in found.conflicts] == [("context", "variables", "x")]
    assert found.result.snapshot.context.variables["x"] == 2


@pytest.mark.slow
@given(st.integers(1, 5), st.sets(st.sampled_from("abc"), min_size=1), st.integers(0, 3))
def test_the_laws_hold_for_agents(step: int, thoughts: set[str], value: int) -> None:
    other = agent(step, thoughts="".join(sorted(thoughts)), identifier=f"k{step + 1}", x=value)
    for sides in ((agent(), other, other), (agent(), agent(), other), (agent(), other, agent())):
        found = merged(*sides)
        assert not found.conflicts
        assert found.result.tree() == AgentCheckpoint.load(data(other)).tree()


# What cannot be merged, and the command


def unrelated() -> Json:
    return {**canonical(item("Another?", "urn:uuid:question-x")), "@id": "urn:uuid:other", "name": "Other"}


@pytest.mark.parametrize(
    ("sides", "words", "error"),
    [
        (
            (tree(), tree(), unrelated()),
            "BASE and THEIRS have no identifier, name or question in common",
            SettingsError,
        ),
        ((tree(), tree(), agent()), "THEIRS is an agent's checkpoint", SettingsError),
        (([], tree(), tree()), "E-", ReadError),
        ((agent(), agent(), {**agent(), "execution_id": "e9"}), "no execution in common", SettingsError),
    ],
)
def test_what_cannot_be_merged(sides: tuple[Json, Json, Json], words: str, error: type[CheckpointLdError]) -> None:
    with pytest.raises(error, match=words):
        merged(*sides)


def test_an_identifier_that_is_no_text_is_a_change_like_any_other() -> None:
    assert merged(tree(), tree(), {**tree(), "@id": 5, "name": "Other"}).result.name == "Other"


def test_an_empty_benchmark_is_a_version_like_any_other() -> None:
    empty = {**tree(), "dataFeedElement": []}
    assert len(merged(empty, tree(), empty).result) == 3
    assert len(merged(tree(), empty, tree()).result) == 0
    assert len(merged(empty, empty, tree()).result) == 3


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    sides = tree(), edited(name="A"), edited(name="B", q0=answer("Hg"))
    paths = [tmp_path / f"{name}.jsonld" for name in ("base", "ours", "theirs")]
    for path, side in zip(paths, sides, strict=True):
        path.write_bytes(data(side))
    return paths


def test_the_command_merges_and_lists_conflicts_beside(run: Run, files: list[Path], tmp_path: Path) -> None:  # noqa: F811
    out = tmp_path / "out.jsonld"
    done = run("merge", *files, "-o", out)
    assert (done.code, done.out) == (1, b"")
    assert 'ours:   "A"' in done.err or "ours:   A" in done.err
    listed = json.loads((tmp_path / "out.jsonld.conflicts.json").read_text())
    assert [one["subject"] for one in listed["conflicts"]] == [["name"]]
    assert run("merge", *files, "-o", out).code == 2
    assert run("merge", *files, "-o", out, "--force", "--theirs", "-q").code == 0
    assert not (tmp_path / "out.jsonld.conflicts.json").exists()
    assert (Benchmark.load(out).name, run("validate", out).code) == ("B", 0)


def test_the_command_writes_json_and_to_standard_output(run: Run, files: list[Path], tmp_path: Path) -> None:  # noqa: F811
    done = run("merge", *files, "-o", tmp_path / "o.ttl", "--json")
    assert (done.code, json.loads(done.out)["is_clean"]) == (1, False)
    assert Benchmark.load(tmp_path / "o.ttl").name == "A"
    assert Benchmark.load(run("merge", *files, "--theirs").out).name == "B"


@pytest.mark.parametrize(
    ("typed", "code", "name"), [(b"t\n", 0, b"B"), (b"theirs\n", 0, b"B"), (b"x\no\n", 0, b"A"), (b"", 2, b"")]
)
def test_the_command_asks(run: Run, files: list[Path], typed: bytes, code: int, name: bytes) -> None:  # noqa: F811
    done = run("merge", *files, "--interactive", stdin=typed)
    assert done.code == code
    assert (b'"name": "%s"' % name in done.out) is (code == 0)


def test_the_command_takes_an_edited_value(run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("EDITOR", "sed -i s/A/Edited/")
    assert b'"name": "Edited"' in run("merge", *files, "--interactive", stdin=b"e\n").out


@pytest.mark.parametrize("editor", ["false", "no-such-editor"])
def test_an_editor_that_fails_is_no_end(
    run: Run,  # noqa: F811
    files: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    editor: str,
) -> None:
    monkeypatch.setenv("VISUAL", editor)
    done = run("merge", *files, "--interactive", stdin=b"e\ntheirs\n")
    assert (done.code, b'"name": "B"' in done.out) == (0, True)
    assert "the editor did not work: " in done.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--ours", "--theirs"), "exclude one another"),
        (("--json",), "cannot both go to standard output"),
        (("-o", "{ours}"), "is read by this command"),
    ],
)
def test_the_command_refuses(run: Run, files: list[Path], arguments: tuple[str, ...], expected: str) -> None:  # noqa: F811
    before = [one.read_bytes() for one in files]
    done = run("merge", *files, *(one.format(ours=files[1]) for one in arguments))
    assert (done.code, expected in done.err, [one.read_bytes() for one in files]) == (2, True, before)


def test_a_contested_result_is_a_violation_until_somebody_decides(run: Run, files: list[Path], tmp_path: Path) -> None:  # noqa: F811
    out = tmp_path / "out.jsonld"
    assert run("merge", *files, "-o", out).code == 1
    found = run("validate", out, "--no-cache")
    assert (found.code, "KD026" in found.out.decode()) == (1, True)
    assert [finding.code for finding in checkpoint_ld.validate(out).findings][:1] == ["KD026"]
    assert run("merge", "--continue", out, "--theirs").code == 0
    assert run("validate", out, "--no-cache").code == 0
    assert run("merge", *files, "-o", out, "--force").code == 1
    assert run("merge", "--abort", out).code == 0
    assert not [*tmp_path.glob("out.jsonld*")]
    assert run("merge", "--abort", "--continue").code == 2


def test_a_broken_base_writes_nothing(run: Run, files: list[Path], tmp_path: Path) -> None:  # noqa: F811
    files[0].write_text('<<<<<<< HEAD\n{"a": 1}\n=======\n{}\n>>>>>>> b\n')
    done = run("merge", *files, "-o", tmp_path / "out.jsonld")
    assert (done.code, "conflict marker of git" in done.err) == (2, True)
    assert not (tmp_path / "out.jsonld").exists()
