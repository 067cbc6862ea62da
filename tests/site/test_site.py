"""A site as a folder: its pages, what they say to machines, where they are, and what is never overwritten."""

import json
import re
import sys
import tarfile
import time
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from checkpoint_ld import Benchmark, SettingsError, TargetExistsError, load, write_site
from checkpoint_ld.entities import RegexRubricTrait
from checkpoint_ld.errors import ReadError, SourceMissingError
from checkpoint_ld.secrets import WITHHELD
from checkpoint_ld.site import Site
from checkpoint_ld.site.contents import address_of
from tests.agents.runs import call, thought, tree
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture
from tests.documents import canonical, item, scenario, setting
from tests.site.conftest import NAME, Links, benchmark, described
from tests.trials import some

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
Store = Callable[..., Path]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def page_of(folder: Path, question: str, name: str = NAME) -> Path:
    return folder / name / "questions" / f"{address_of(question)}.html"


@pytest.fixture
def charts() -> None:
    """Have charts drawn, which takes most of the time of a small site."""


@pytest.fixture(autouse=True)
def no_charts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "charts" not in request.fixturenames:
        monkeypatch.setattr("checkpoint_ld.site.pages.find_spec", lambda _: None)


GOOD = ["good.jsonld"]


@pytest.fixture
def given(tmp_path: Path, stored: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, which is the current one, with files of which not all make a site."""
    stored("good.jsonld", benchmark())
    stored("list.json", [1, 2])
    stored("others.jsonl", {"question_id": "another", "answer": {"metal": "tin"}})
    (tmp_path / "empty.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Write the site of the examples, of recorded answers and of a run."""
    pytest.importorskip("statsmodels", reason="rates need the extra statistics: make .venv/.integrations-group")
    folder = tmp_path_factory.mktemp("examples")
    files = [EXAMPLES / one for one in ("metals.jsonld", "elements.jsonld", "metals-v2.json")]
    for step, key in ((1, "k1"), (2, "k2")):
        files.append(folder / f"{key}.json")
        files[-1].write_text(json.dumps(tree(key, step=step)), encoding="utf-8")
    return write_site(files, folder / "site", answers=[EXAMPLES / "answers.jsonl"])


def test_every_link_of_a_site_leads_to_a_file_of_it(examples: Site) -> None:
    site, folder = examples, Path(examples.folder)
    assert (site.benchmarks, site.questions, site.runs, site.remarks) == (3, 26, 1, ())
    pages = sorted(folder.rglob("*.html"))
    assert len(pages) == site.pages == 32
    for page in pages:
        for link in Links(page).found:
            parts = urlsplit(link)
            assert not parts.scheme, "nothing is fetched"
            assert not parts.path or (page.parent / unquote(parts.path)).is_file(), f"{page}: {link}"


def test_a_benchmark_is_offered_in_every_syntax_and_each_file_states_the_same(tmp_path: Path, stored: Store) -> None:
    file = stored("metals.jsonld", benchmark())
    write_site([file], tmp_path / "site")
    files = sorted((tmp_path / "site" / NAME).glob("checkpoint.*"))
    assert [one.suffix for one in files] == [".jsonld", ".nq", ".nt", ".rdf", ".trig", ".ttl"]
    assert all(load(one) == load(file) for one in files)
    offered = described(tmp_path / "site" / NAME / "index.html")["distribution"]
    assert {one["contentUrl"] for one in offered} == {one.name for one in files}


def test_large_benchmarks_are_offered_packed(tmp_path: Path, stored: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file = stored("metals.jsonld", benchmark())
    monkeypatch.setattr("checkpoint_ld.site.pages.LARGE", 1_000)
    write_site([file], tmp_path / "site")
    assert load(tmp_path / "site" / NAME / "checkpoint.jsonld") == load(file)
    assert load(tmp_path / "site" / NAME / "checkpoint.trig.gz") == load(file)
    assert "Turtle, packed" in text_of(tmp_path / "site" / NAME / "index.html")


def test_pages_state_to_machines_what_they_show(tmp_path: Path, stored: Store) -> None:
    about: dict[str, Any] = {"license": "https://spdx.org/licenses/MIT", "creator": {"@type": "Person", "name": "Ada"}}
    file, site, url = stored("metals.jsonld", {**canonical(), **about}), tmp_path / "site", "https://example.org/bench"
    write_site([file], site, url=url, title="All of ours")
    catalogue = described(site / "index.html")
    named = {"@type": "DataCatalog", "name": "All of ours", "url": f"{url}/index.html"}
    assert {name: catalogue[name] for name in named} == named
    (entry,) = catalogue["dataset"]
    dataset = described(site / entry["url"])
    named = {"@type": "Dataset", "@id": f"urn:uuid:{NAME}", "name": "Metals", **about}
    assert {name: dataset[name] for name in named} == named
    assert dataset["distribution"][0] == {
        "@type": "DataDownload",
        "name": "JSON-LD",
        "encodingFormat": "application/ld+json",
        "contentUrl": f"{url}/{NAME}/checkpoint.jsonld",
    }
    question = described(page_of(site, "urn:uuid:question-metal-1"))
    assert question["url"] == f"{url}/{NAME}/questions/question-metal-1.html"
    assert (question["text"], question["acceptedAnswer"]["text"]) == ("Which metal is liquid at 20 °C?", "Mercury")
    assert question["isPartOf"]["@id"] == dataset["@id"]
    assert f"<loc>{question['url']}</loc>" in text_of(site / "sitemap.xml")


ADDRESSES = [
    ("urn:uuid:question-what-is-it-c2f8f355", "question-what-is-it-c2f8f355"),
    ("question-what-is-it-c2f8f355", "question-what-is-it-c2f8f355_"),
    ("urn:uuid:Question", "question_"),
    ("urn:uuid:question", "question"),
    ("urn:uuid:con", "con_"),
    ("urn:uuid:con.txt", "con-txt_"),
    ("urn:uuid:index", "index_"),
    ("../../etc/passwd", "etc-passwd_"),
    ("wörter 'und' <b>", "w-rter-und-b_"),
    ("x" * 500, "x" * 60 + "_"),
    ("\ud800", "_"),
    ("", "_"),
]


def test_an_address_follows_from_the_identifier_alone_and_suits_every_file_system() -> None:
    for identifier, address in ADDRESSES:
        found = address_of(identifier)
        assert found.startswith(address), identifier
        assert len(found) == len(address) + (12 if address.endswith("_") else 0), identifier
        assert set(found) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")
    names = ["urn:uuid:a", "urn:uuid:A", "a", "A", "urn:a", "urn:uuid:a.", "urn:uuid:-a", "a_b", "urn:uuid:a_b"]
    assert len({address_of(one) for one in names}) == len(names)


@pytest.mark.usefixtures("charts")
def test_what_documents_state_is_text_and_never_markup(tmp_path: Path, stored: Store) -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \u202e\x1b[31m"
    one = item(hostile, "urn:uuid:q")
    one["item"]["keywords"] = [hostile]
    one["item"]["hasPart"]["text"] = f'class Answer(BaseAnswer):\n    """{hostile}"""\n'
    one["item"]["rating"][0]["description"] = hostile
    one["item"]["additionalProperty"].append(setting("custom_note", {"a": [hostile]}))
    file = stored("hostile.jsonld", {**canonical(one), "name": hostile, "description": hostile})
    site = write_site([file], tmp_path / "site", title=hostile)
    (remark,) = site.remarks
    assert "RDF/XML cannot hold the character U+001B" in remark
    for page in (tmp_path / "site").rglob("*.html"):
        text = text_of(page)
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "\x1b" not in text
        assert described(page)


def test_a_page_of_a_question_has_all_that_is_stated_about_it(tmp_path: Path) -> None:
    made = Benchmark.create("Made here")
    code = "class Answer(BaseAnswer):\n    x: int  # how many\n"
    identifier = made.add_question(
        "How many?", "Three", answer_template=code, author={"name": "Ada"}, keywords=["numbers"]
    )
    made.set_question_custom_property(identifier, "api_key", "sk-abcdefghijklmnopqrstuvwxyz0123")
    made.set_question_custom_property(identifier, "level", {"of": ["hard", "fair"]})
    site = write_site([made], tmp_path / "site")
    (page,) = (tmp_path / "site").glob("*/questions/*.html")
    text = text_of(page)
    for stated in ("How many?", "Three", "Ada", "numbers", "hard", '<span class="nc">Answer</span>', "# how many"):
        assert stated in text
    assert "sk-abcdefghijk" not in text
    assert "withheld" in text
    assert site.remarks == (
        '"Made here" holds what looks like a secret: it is withheld, and the files are not offered',
    )
    assert not list((tmp_path / "site").rglob("checkpoint.*"))


def test_versions_of_one_benchmark_are_its_history(tmp_path: Path, stored: Store) -> None:
    first, second = benchmark(4), benchmark(5, version="0.3.0", dateModified="2026-05-01T00:00:00Z")
    second["dataFeedElement"].pop(2)
    changed = second["dataFeedElement"][0]["item"]
    changed["acceptedAnswer"]["text"] = "one <b>"
    changed["hasPart"]["text"] = "class Answer(BaseAnswer):\n    number: int\n"
    second["dataFeedElement"][1]["@id"] = "urn:uuid:question-renamed"
    folder = tmp_path / "site"
    site = write_site((stored("new.jsonld", second), stored("old.jsonld", first)), folder)
    assert (site.benchmarks, site.questions) == (1, 4)
    overview = text_of(folder / NAME / "index.html")
    assert "since version 0.2.0, 2026-01-02: 1 question added, 2 questions changed, 1 question removed" in overview
    text, renamed, gone, same = (text_of(page_of(folder, f"urn:uuid:question-{number}")) for number in range(4))
    for stated in (
        *("<del>1</del>", "<ins>one &lt;b&gt;</ins>", "version 0.3.0, 2026-05-01"),
        *('<span class="less">-    metal: str</span>', '<span class="more">+    number: int</span>'),
    ):
        assert stated in text
    assert "does not have this question" in gone
    assert 'href="question-renamed.html">go to it' in renamed
    assert "History" not in same


def test_recorded_answers_stand_with_their_questions(examples: Site) -> None:
    folder = Path(examples.folder) / "karenina-checkpoint-1775034000.0"
    assert "borealis-2" in text_of(folder / "index.html")
    text = text_of(folder / "questions" / "question-what-is-the-chemical-symbol-of-gold-c2f8f355.html")
    assert text.count("response</summary>") == 10
    assert "1 of 1 fields do not pass: symbol" in text


def test_answers_that_cannot_be_verified_and_verdicts_of_judges_are_shown_and_others_named(
    tmp_path: Path, stored: Store
) -> None:
    held = {"tact": {"value": True, "judge": "iudex-1", "reason": "it does"}}
    lines = [
        {"question_id": "urn:uuid:question-0", "answer": "no object", "model": {"name": "aurum", "key": "value"}},
        {"question_id": "urn:uuid:question-77", "answer": {"metal": "tin"}},
        {"question_id": "urn:uuid:question-0", "answer": {"metal": None}, "trace": "<b>1</b> [2]", "traits": held},
    ]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(map(json.dumps, lines)))
    (remark,) = write_site([stored("a.jsonld", benchmark())], tmp_path / "site", answers=[answers]).remarks
    assert remark.startswith(f"{answers}:2: there is no question")
    text = text_of(page_of(tmp_path / "site", "urn:uuid:question-0"))
    for stated in ("answer is &#34;no object&#34;: write an object", "&lt;b&gt;1&lt;/b&gt; [2]", "by iudex-1"):
        assert stated in text


def test_another_checkpoint_of_one_name_is_reported(tmp_path: Path, stored: Store) -> None:
    files = [stored(f"{number}.json", tree(thoughts=[thought(max(number, 1))])) for number in range(3)]
    (remark,) = write_site(files, tmp_path / "site").remarks
    assert remark == '"2.json" is another checkpoint called "k1": it is shown'


def test_a_run_has_its_timeline_and_leads_to_its_question(tmp_path: Path, stored: Store) -> None:
    about = {"benchmark": "urn:uuid:karenina-checkpoint-1767225600.5", "question": "urn:uuid:question-0"}
    done = tree("k2", thoughts=[thought(1)], calls=[call(1)], step=2, about=about)
    files = [stored("a.json", tree("k1")), stored("b.json", done), stored("bench.jsonld", benchmark())]
    write_site(files, tmp_path / "site")
    (page,) = (tmp_path / "site" / "runs").glob("*/index.html")
    text = text_of(page)
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="timeline"' in text
    assert f'href="../../{NAME}/questions/question-0.html"' in text
    assert "exec_1" in text_of(page_of(tmp_path / "site", "urn:uuid:question-0"))
    assert {one.name for one in page.parent.iterdir() if one.name.startswith("newest")} == {
        "newest.json", "newest.jsonld", "newest.ttl"
    }  # fmt: skip
    assert load(page.parent / "newest.ttl").id == "k2"
    with tarfile.open(page.parent / "checkpoints.tar.xz") as archive:
        assert [json.loads(archive.extractfile(one).read())["id"] for one in archive] == ["k1", "k2"]  # type: ignore[union-attr]


def test_scenarios_and_empty_benchmarks_have_pages(tmp_path: Path, stored: Store) -> None:
    empty = {**canonical(), "dataFeedElement": [], "@id": "urn:uuid:empty"}
    files = [stored("s.jsonld", scenario()), stored("e.jsonld", empty)]
    site = write_site(files, tmp_path / "site")
    assert site.questions == 0
    assert "start here" in text_of(tmp_path / "site" / NAME / "index.html")
    assert "This benchmark has no questions yet." in text_of(tmp_path / "site" / "empty" / "index.html")


@pytest.mark.parametrize(
    ("sources", "settings", "error", "message"),
    [
        ([], {}, SettingsError, "there is nothing to show on a site"),
        (["no.jsonld"], {}, SourceMissingError, "no.jsonld: cannot be read"),
        (["list.json"], {}, ReadError, "list.json"),
        (GOOD, {"answers": ["others.jsonl"]}, SettingsError, "no answer in it is about a question of these benchmarks"),
        (GOOD, {"answers": ["empty.jsonl"]}, SettingsError, "for there are none in it"),
        (GOOD, {"answers": ["no.jsonl"]}, SourceMissingError, "no.jsonl: cannot be read"),
        *(
            (GOOD, {"url": url}, SettingsError, "is no address of a site: give one such as https://bench")
            for url in ("", "ftp://x", "https://bench example.org/", 'https://x/"<')
        ),
    ],
)
def test_what_makes_no_site_is_reported_and_nothing_is_written(
    given: Path, sources: Any, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    before = sorted(given.iterdir())
    with pytest.raises(error, match=message):
        write_site(sources, "site", **settings)
    assert sorted(given.iterdir()) == before


def test_nothing_of_others_is_overwritten_and_an_older_site_is_replaced(tmp_path: Path, stored: Store) -> None:
    folder, file = tmp_path / "site", stored("a.jsonld", benchmark())
    folder.mkdir()
    write_site([file], folder)  # an empty folder may be there
    (folder / "CNAME").write_text("bench.example.org")
    (tmp_path / "mine.html").write_text("mine")
    listed = json.loads((folder / ".checkpoint-ld-site.json").read_bytes())
    (folder / ".checkpoint-ld-site.json").write_text(json.dumps([*listed, "../mine.html", str(tmp_path / "mine.html")]))
    with pytest.raises(TargetExistsError, match=r"exists already, and is not empty; .*--force"):
        write_site([file], folder)
    stored("a.jsonld", benchmark(3))
    write_site([file], folder, overwrite=True)
    assert (folder / "CNAME").read_text() == "bench.example.org"
    assert (tmp_path / "mine.html").read_text() == "mine"
    assert len(list(folder.rglob("questions/*.html"))) == 3
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.jsonld", "mine.html", "site"]


@pytest.mark.usefixtures("charts")
def test_what_looks_like_a_secret_is_withheld_wherever_it_stands(tmp_path: Path) -> None:
    key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    made = Benchmark(f"Of {key}", creator=key, description=key)
    made.add_question(f"Whose is {key}?", key, keywords=[key], author={"name": key}, answer_template=key)
    made.add_global_rubric_trait(RegexRubricTrait(name=key, description=key, pattern=key))
    write_site([made], tmp_path / "site")
    pages = [one for one in (tmp_path / "site").rglob("*") if one.suffix in {".html", ".js", ".svg"}]
    assert len(pages) >= 5
    assert [one.name for one in pages if key[:20] in one.read_text(encoding="utf-8") + one.name] == []


def test_a_keyword_leads_to_the_choice_of_its_questions(tmp_path: Path) -> None:
    made = Benchmark("Words")
    made.add_question(
        "Which?", "This", keywords=["deep\u00a0learning", "a\tb", "C++ & C#", "Bearer abcdefghijklmnopqrstu"]
    )
    write_site([made], tmp_path / "site")
    (page,), (own,) = (tmp_path / "site").glob("*/questions/*.html"), (tmp_path / "site").glob("*/index.html")
    chosen = {unquote(link.partition("#keyword=")[2]) for link in Links(page).found if "#keyword=" in link}
    offered = {unescape(value) for value in re.findall('<option value="([^"]+)">', text_of(own))}
    assert chosen == {"deep learning", "a b", "C++ & C#", WITHHELD}
    assert chosen <= offered


@pytest.mark.usefixtures("charts")
def test_two_sites_of_the_same_checkpoints_are_the_same(tmp_path: Path, examples: Site) -> None:
    write_site([EXAMPLES / "metals.jsonld"], tmp_path / "site")
    (own,) = (tmp_path / "site").glob("karenina-*")
    files = [one for one in own.rglob("*") if one.is_file()]
    assert len(files) > 10
    for one in files:
        assert one.read_bytes() == (Path(examples.folder) / one.relative_to(tmp_path / "site")).read_bytes(), one


def test_the_command_states_what_it_wrote(run: Run, tmp_path: Path, stored: Store) -> None:  # noqa: F811 - the fixture
    stored("a.jsonld", benchmark())
    stored("b.jsonld", {**benchmark(), "@id": "urn:uuid:other"})
    done = run("site", tmp_path, "-o", tmp_path / "site", "--title", "Ours")
    assert done.code == 0
    assert done.out.decode() == f"{tmp_path}/site: 13 pages about 2 benchmarks, 10 questions\n"
    assert '2 benchmarks are called "Metals": a.jsonld, b.jsonld; they have different identifiers' in done.err
    again = run("site", tmp_path / "a.jsonld", "-o", tmp_path / "site")
    assert (again.code, "--force" in again.err) == (2, True)
    (tmp_path / "b.jsonld").unlink()
    again = run("site", tmp_path, "-o", tmp_path / "site", "--force")
    assert again.out.decode() == f"{tmp_path}/site: 7 pages about 1 benchmark, 5 questions\n"
    assert not (tmp_path / "site" / "other").exists()  # of a benchmark that is gone no folder is left
    assert run("site", tmp_path, "-o", tmp_path / "site", "--force", "--quiet").out == b""


@pytest.mark.parametrize("name", ["jinja2", "pygments"])
def test_without_the_extra_it_is_reported_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SettingsError, match=rf"{name} is not installed: run pip install 'checkpoint-ld\[site\]'"):
        write_site([EXAMPLES / "metals.jsonld"], tmp_path / "site")


@pytest.mark.slow
def test_real_benchmarks_have_a_site(corpus: Path, tmp_path: Path) -> None:
    folders = [one for one in corpus.iterdir() if one.is_dir() and one.name not in ("rejected", "results", "tables")]
    readable = []
    files = [one for folder in sorted(folders) for one in sorted(folder.glob("*.json*")) if one.name != "index.json"]
    for file in some(files[::3], 2):
        with suppress(ReadError):
            load(file)
            readable.append(file)
    site = write_site(readable, tmp_path / "site")
    assert len(readable) > 15
    assert site.benchmarks > 7
    for page in (tmp_path / "site").rglob("*.html"):
        assert described(page)
        assert all((page.parent / unquote(urlsplit(one).path)).exists() for one in Links(page).local)


@pytest.mark.slow
def test_a_site_grows_with_its_questions_and_no_faster(tmp_path: Path, stored: Store) -> None:
    took = []
    for count in (50, 500):
        file = stored("many.jsonld", benchmark(count))
        started = time.process_time()
        write_site([file], tmp_path / f"site-{count}")
        took.append(time.process_time() - started)
    assert took[1] < 20 * took[0]


@pytest.mark.parametrize("folder", ["\0", "\ud800"])
def test_a_text_that_is_no_path_is_refused_as_a_folder(folder: str) -> None:
    with pytest.raises(SettingsError, match="is no path of a folder"):
        write_site([Benchmark("b")], folder)
