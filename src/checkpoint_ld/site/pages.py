"""The pages of a site, made from templates: overview, benchmarks, questions and runs, with the index for search."""

from __future__ import annotations

import difflib
import io
import json
import tarfile
from collections import Counter
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any

from checkpoint_ld import plots
from checkpoint_ld.agents.picture import svg_of, table_of
from checkpoint_ld.agents.timeline import instant, span
from checkpoint_ld.agents.values import EXTENSIONS
from checkpoint_ld.assessment import Status, comparing
from checkpoint_ld.assessment.answer_grid import SIGNS, answer_grid
from checkpoint_ld.assessment.comparison_tables import conclusions, tables
from checkpoint_ld.benchmark.content import traits_of
from checkpoint_ld.benchmark.editing import PUBLISHED, published_text
from checkpoint_ld.data import library, packaged
from checkpoint_ld.dialects.reading import CANONICAL
from checkpoint_ld.documents.files import MEDIA_TYPES, PACKED
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import counts_of
from checkpoint_ld.graph.literals import is_iri
from checkpoint_ld.mapping.traits import family_of
from checkpoint_ld.phrases import counted, harmless, harmless_lines, labels
from checkpoint_ld.secrets import WITHHELD, secret
from checkpoint_ld.site.contents import address_of
from checkpoint_ld.validation.reports.page import styles
from checkpoint_ld.validation.reports.text import version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

    from checkpoint_ld.assessment import Assessment
    from checkpoint_ld.assessment.answer_grid import AnswerGrid
    from checkpoint_ld.assessment.comparing import Rate
    from checkpoint_ld.assessment.statistics import Estimate
    from checkpoint_ld.benchmark.content import QuestionContent
    from checkpoint_ld.benchmark.difference import PartsDiff, QuestionDiff, SemanticDiff
    from checkpoint_ld.entities import DynamicRubric, Rubric
    from checkpoint_ld.site.contents import BenchmarkHistory, Contents, Execution

Json = dict[str, Any]

SYNTAXES = {
    ".jsonld": "JSON-LD",
    ".ttl": "Turtle",
    ".nt": "N-Triples",
    ".nq": "N-Quads",
    ".trig": "TriG",
    ".rdf": "RDF/XML",
    ".json": "JSON",
}
"""The names of the syntaxes in which checkpoints are offered, by extension; the last is for agents alone."""
SHARD = 1_000
"""The number of questions in one file of the search index."""
LISTED = 100
"""The number of questions that a page lists at first."""
_OF_RUNS = (".json", ".jsonld", ".ttl")
"""The extensions of the files of the newest checkpoint of a run; `convert` writes the others."""
_ALL = "checkpoints.tar.xz"
LARGE = 1 << 26
"""The bytes of JSON-LD from which on the other syntaxes, which take up to five times as many, are packed."""
_COLUMN = 18
"""The characters of a model's name above a column."""
_LONGEST = 20_000
_ABOUT = ("answer_notes", "author", "sources", "few_shot_examples", "custom_metadata", "workspace_path")


class Pages:
    """Writes the pages of one site, and counts them. Raises SettingsError without the extra `site`."""

    def __init__(self, title: str, url: str | None) -> None:
        jinja2 = library("jinja2", extra="site")
        library("pygments", extra="site")
        self._title, self._url = title, f"{url.rstrip('/')}/" if url else ""
        self._written: list[str] = []
        self._environment = jinja2.Environment(
            loader=jinja2.FunctionLoader(lambda name: packaged(f"site/{name}")),
            autoescape=True,
            finalize=_clean,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self._environment.globals.update(
            address=address_of, counted=counted, highlighted=_highlighted, instant=instant, shown=_shown, span=span
        )
        self._environment.globals.update(cell_text=_cell_text, rate_text=_rate_text, share=_share)
        self._environment.globals.update(clean=_clean, site_title=title, tool=f"checkpoint-ld {version()}")
        self._templates = {
            name: self._environment.get_template(f"{name}.html")
            for name in ("overview", "benchmark", "question", "run", "answers")
        }

    @property
    def count(self) -> int:
        """The number of pages that were written."""
        return len(self._written)

    def write(self, contents: Contents, folder: Path) -> None:
        """Write all pages and the files beside them into an empty folder."""
        (folder / ".nojekyll").touch()  # GitHub Pages would leave out files whose names begin with an underscore
        (folder / "assets").mkdir()
        (folder / "assets" / "site.css").write_text(styles() + packaged("site/site.css"), encoding="utf-8")
        (folder / "assets" / "site.js").write_text(packaged("site/site.js"), encoding="utf-8")
        runs: dict[str, list[Execution]] = {}
        for run in contents.runs:
            about = run.newest.about
            if about is not None and about.question is not None:
                runs.setdefault(about.question, []).append(run)
        for collection in contents.collections:
            self._benchmark(collection, folder, runs, contents)
        known = {
            identifier: collection.address
            for collection in contents.collections
            for identifier in collection.newest.elements
        }
        for run in contents.runs:
            self._run(run, folder, known, contents)
        catalogue = {
            "@context": "https://schema.org/",
            "@type": "DataCatalog",
            "name": self._title,
            "dataset": [
                _reference(collection, f"{collection.address}/index.html") for collection in contents.collections
            ],
        }
        self._page("overview", folder, "index.html", catalogue, contents=contents, tallies=_tallies)
        if self._url:
            # The list of pages for search engines: https://www.sitemaps.org/protocol.html
            template = self._environment.get_template("sitemap.xml")
            text = template.render(pages=[f"{self._url}{page}" for page in self._written[:50_000]])
            (folder / "sitemap.xml").write_text(text, encoding="utf-8")

    def _page(self, template: str, folder: Path, name: str, described: Json, **values: Any) -> None:
        if self._url:
            described = {**described, "url": f"{self._url}{name}"}
        root = "../" * name.count("/")
        page = self._templates[template].render(described=described, root=root, own=described.get("url"), **values)
        (folder / name).write_text(page, encoding="utf-8")
        self._written.append(name)

    def _benchmark(
        self, collection: BenchmarkHistory, folder: Path, runs: dict[str, list[Execution]], contents: Contents
    ) -> None:
        own = folder / collection.address
        (own / "questions").mkdir(parents=True)
        questions, histories = collection.newest.content.questions, collection.histories
        kinds = {each.id: [*dict.fromkeys(trait["kind"] for trait in _traits(each.rubrics))] for each in questions}
        rows = [_row(each, kinds[each.id], collection) for each in questions]
        for number in range(0, len(rows), SHARD):
            # A page that was opened from a folder may read scripts there, and nothing else.
            text = f"checkpointLdQuestions({number // SHARD}, {json.dumps(rows[number : number + SHARD])});\n"
            (own / f"search-{number // SHARD}.js").write_text(text, encoding="utf-8")
        grid = answer_grid(chain.from_iterable(collection.answers.get(each.id, ()) for each in questions))
        rates = {rate.name: rate for rate in comparing.rates(_all(grid))} if grid.rows else {}
        if grid.rows:
            self._answers(collection, grid, rates, folder)
        by_question = {row.question: row for row in grid.rows}
        files = [] if collection.has_secrets else [*_saved(collection, own, contents)]
        self._page(
            "benchmark",
            folder,
            f"{collection.address}/index.html",
            self._dataset(collection, files),
            one=collection,
            rows=rows[:LISTED],
            total=len(rows),
            listed=LISTED,
            tallies=_tallies,
            shards=-(-len(rows) // SHARD),
            facets=_facets(rows, answered=bool(collection.answers)),
            files=files,
            charts=[*_drawn(collection, own)],
            published={name: published_text(collection.newest.content.root.get(name)) for name in PUBLISHED},
            rules=_by_rule(collection),
            counts=counts_of(collection.newest.findings),
            steps=[(old, new, [*_of_benchmark(diff)], diff) for old, new, diff in collection.steps],
            traits=_traits(collection.newest.content.rubrics),
            statuses=[*Status],
            rates=rates,
        )
        older = {each.id: each for earlier in collection.versions[:-1] for each in earlier.content.questions}
        newest = {each.id for each in questions}
        gone = [older[name] for name in collection.gone if name not in newest and name in older]
        around = (None, *questions, None)
        for place, each in enumerate((*questions, *gone)):
            is_gone = place >= len(questions)
            self._page(
                "question",
                folder,
                f"{collection.address}/questions/{address_of(each.id)}.html",
                _question(each, collection),
                one=collection,
                question=each,
                about={name: each.members[name] for name in _ABOUT if each.members[name]},
                traits=_traits(each.rubrics),
                is_gone=is_gone,
                moved=collection.gone.get(each.id) if is_gone else None,
                before=None if is_gone else around[place],
                after=None if is_gone else around[place + 2],
                history=[(new, kind, *_of_question(diff)) for new, kind, diff in histories.get(each.id, ())],
                findings=[] if is_gone else collection.newest.findings_by_question.get(each.id, []),
                row=by_question.get(each.id),
                models=grid.models,
                replicates=max(map(len, by_question[each.id].answers.values())) if each.id in by_question else 0,
                runs=[
                    run
                    for run in runs.get(each.id, [])
                    if run.newest.about is None or run.newest.about.benchmark in (None, collection.newest.benchmark.id)
                ],
            )

    def _answers(self, collection: BenchmarkHistory, grid: AnswerGrid, rates: Mapping[str, Rate], folder: Path) -> None:
        """Write the page of questions by models, and its rows as a script for search, filters and order."""
        rows = [
            [address_of(row.question), _clean(row.text), [*map(row.signs, grid.models)], _share(row.rate)]
            for row in grid.rows
        ]
        text = f"checkpointLdAnswers({json.dumps(rows, ensure_ascii=False)});\n"
        (folder / collection.address / "answers.js").write_text(text, encoding="utf-8")
        decided = any(rate.decided for rate in rates.values())
        compared = comparing.compare(_all(grid)) if decided else None
        self._page(
            "answers",
            folder,
            f"{collection.address}/answers.html",
            {"@context": "https://schema.org/", **_reference(collection, "index.html")},
            one=collection,
            grid=grid,
            labels=labels([*map(_clean, grid.models)], _COLUMN),
            rates=rates,
            rows=rows[:LISTED],
            total=len(rows),
            listed=LISTED,
            sentences=[] if compared is None else conclusions(compared),
            tables=[] if compared is None else tables(compared)[1:],
        )

    def _dataset(self, collection: BenchmarkHistory, files: list[tuple[str, str, str, int]]) -> Json:
        """Return a benchmark as a schema:Dataset (https://schema.org/Dataset)."""
        root, content = collection.newest.content.root, collection.newest.content
        names = ("description", "version", "creator", "dateCreated", "dateModified", *PUBLISHED)
        place = f"{self._url}{collection.address}/" if self._url else ""
        return {
            "@context": "https://schema.org/",
            **_reference(collection),
            **{name: root[name] for name in names if root.get(name) and not secret({name: root[name]})},
            "size": f"{len(content.questions)} questions",
            "distribution": [
                {"@type": "DataDownload", "name": name, "encodingFormat": media, "contentUrl": f"{place}{file}"}
                for file, name, media, _ in files
            ],
        }

    def _run(self, run: Execution, folder: Path, known: dict[str, str], contents: Contents) -> None:
        own = folder / "runs" / run.address
        own.mkdir(parents=True)
        newest = run.newest
        files = [] if run.has_secrets else list(_of_run(run, own, contents))
        place = f"{self._url}runs/{run.address}/" if self._url else ""
        described = {
            "@context": "https://schema.org/",
            "@type": "Dataset",
            "name": f"{newest.agent_id}: {newest.execution_id}",
            "description": newest.description
            or f"{counted(len(run.checkpoints), 'checkpoint')} of the agent {newest.agent_id}, with all that it did.",
            "distribution": [
                {"@type": "DataDownload", "contentUrl": f"{place}{file}", "encodingFormat": media}
                for file, _, media in files
            ],
        }
        question = None if newest.about is None else newest.about.question
        self._page(
            "run",
            folder,
            f"runs/{run.address}/index.html",
            described,
            run=run,
            files=files,
            home=known.get(question or ""),
            picture=_markup(svg_of(run.timeline)),
            table=_markup(table_of(run.timeline)),
        )


def _all(grid: AnswerGrid) -> Iterator[Assessment]:
    return (each for row in grid.rows for answers in row.answers.values() for each in answers)


def _share(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.0%}"


def _cell_text(signs: str) -> str:
    """Return how many of the decided answers passed."""
    passed = signs.count(SIGNS[Status.PASSED])
    return f"{passed}/{passed + signs.count(SIGNS[Status.FAILED])}"


def _rate_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return ""
    return f"{estimate.value:.0%} ({estimate.low:.0%} to {estimate.high:.0%})"


def _markup(text: str) -> Any:
    return library("markupsafe", extra="site").Markup(text)


def _clean(value: Any) -> Any:
    """Return a value for a page: empty for None, with pictures for control characters, without secrets."""
    if value is None:
        return ""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    if secret(value) is not None:
        return WITHHELD
    return value if value.isascii() and value.isprintable() else harmless_lines(value.replace("\r\n", "\n"))


def _shown(value: Any, key: str = "") -> str:
    """Return a JSON value as a text for people; a value that looks like a secret is withheld."""
    if value is None or value == "":
        return ""
    if secret({key: value}) is not None:
        return WITHHELD
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… {len(text) - _LONGEST} more characters"


def _highlighted(source: str) -> Any:
    """Return Python source as HTML with classes of Pygments.

    Templates share most of their lines, so lines are cached. A string of several lines is highlighted as a whole.
    """
    text = harmless_lines(_shown(source).replace("\r\n", "\n"))
    is_by_line = '"""' not in text and "'''" not in text and "\\\n" not in text
    parts = text.split("\n") if is_by_line else [text]
    return _markup("\n".join(map(_coloured, parts)))


@lru_cache(maxsize=50_000)
def _coloured(source: str) -> str:
    coloured: str = library("pygments", extra="site").highlight(source, *_highlighting())
    return coloured.removesuffix("\n")


@cache
def _highlighting() -> tuple[Any, Any]:
    lexers, formatters = (library(f"pygments.{name}", extra="site") for name in ("lexers", "formatters"))
    return lexers.PythonLexer(stripnl=False), formatters.HtmlFormatter(nowrap=True)


def _traits(rubrics: tuple[Rubric | None, DynamicRubric | None]) -> list[Json]:
    """Return traits for a page: kind, name, description and settings, without stored code."""
    traits = []
    for trait, is_dynamic in traits_of(rubrics):
        settings = trait.model_dump(
            mode="json", exclude_defaults=True, exclude_none=True, exclude={"name", "description"}
        )
        if settings.pop("callable_code", None):
            settings["callable_code"] = "stored code, not shown"
        kind = f"dynamic {family_of(trait)}" if is_dynamic else family_of(trait)
        traits.append({"name": trait.name, "kind": kind, "description": trait.description, "settings": settings})
    return traits


def _row(question: QuestionContent, kinds: list[str], collection: BenchmarkHistory) -> list[Any]:
    """Return a row of the search index: address, text, further text to search, and values to filter by."""
    states = [
        "finished" if question.finished else "unfinished",
        *([] if question.has_template else ["without template"]),
    ]
    counts = Counter(assessment.status.value for assessment in collection.answers.get(question.id, ()))
    passed, decided = counts[Status.PASSED], counts[Status.PASSED] + counts[Status.FAILED]
    share = [f"{passed} of {decided} passed"] if decided else [*counts]
    members = question.members
    return [
        address_of(question.id),
        _clean(members["question"]),
        " ".join(map(_clean, (_shown(members["raw_answer"]), question.author, question.id))),
        [[*map(_clean, members["keywords"])], states, kinds, [*counts], share],
    ]


def _facets(rows: list[list[Any]], *, answered: bool) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Return the filters for questions: key, label, and the most frequent values with their counts."""
    named = (("keyword", "Keyword"), ("state", "State"), ("trait", "Trait"), ("answer", "Answers"))
    facets = []
    for column, (key, label) in enumerate(named):
        if key != "answer" or answered:
            counts = Counter(value for row in rows for value in row[3][column])
            facets.append((key, label, sorted(counts.most_common(200))))
    return facets


def _saved(collection: BenchmarkHistory, folder: Path, contents: Contents) -> Iterator[tuple[str, str, str, int]]:
    """Write the newest version in all syntaxes; yield file, name and media type of the syntax, and size in bytes."""
    packed = ""
    for extension, name in SYNTAXES.items():
        if extension != ".json":
            file = folder / f"checkpoint{extension}{packed}"
            dialect = CANONICAL if extension == ".jsonld" else None
            with contents.noting(collection.name):
                collection.newest.benchmark.save(file, save_deep_judgment_config=True, dialect=dialect)
                size = file.stat().st_size
                packed = packed or (PACKED if size > LARGE else "")
                yield file.name, f"{name}, packed" if file.suffix == PACKED else name, MEDIA_TYPES[extension], size


def _of_run(run: Execution, folder: Path, contents: Contents) -> Iterator[tuple[str, str, str]]:
    """Write the files of a run, and yield their names, what they hold, and their media types.

    All checkpoints are in one archive, since most of a checkpoint is in the one before it.
    """
    for extension in _OF_RUNS:
        file = folder / f"newest{extension}"
        with contents.noting(run.newest.id):
            file.write_bytes(run.newest.content(EXTENSIONS[extension]))
            yield file.name, f"the newest checkpoint in {SYNTAXES[extension]}", MEDIA_TYPES[extension]
    with tarfile.open(folder / _ALL, "w:xz", preset=6) as archive:
        for checkpoint in run.checkpoints:
            with contents.noting(checkpoint.id):
                content = checkpoint.content()
                member = tarfile.TarInfo(f"{address_of(checkpoint.id)}.json")
                member.size, member.mtime = len(content), checkpoint.timestamp // 1000
                archive.addfile(member, io.BytesIO(content))
    what = f"an archive of {counted(len(run.checkpoints), 'checkpoint')} in JSON"
    yield _ALL, what, "application/x-xz"


def _tallies(findings: Iterable[Any]) -> list[tuple[str, str]]:
    return [(key.label, counted(count, key.label)) for key, count in counts_of(findings).items() if count]


def _by_rule(collection: BenchmarkHistory) -> list[tuple[Any, Any, int]]:
    """Return the rules with findings: the rule (None for an unknown one), its first finding, and their number."""
    counts = Counter(finding.code for finding in collection.newest.findings)
    first = {finding.code: finding for finding in reversed(collection.newest.findings)}
    ordered = sorted(counts, key=lambda code: (-first[code].severity, -counts[code], code))
    return [(collection.newest.rules.get(code), first[code], counts[code]) for code in ordered]


def _reference(collection: BenchmarkHistory, url: str | None = None) -> Json:
    identifier = collection.newest.benchmark.id
    named = {"@id": identifier} if identifier and is_iri(identifier) and secret(identifier) is None else {}
    return {"@type": "Dataset", **named, "name": _clean(collection.name), **({"url": url} if url else {})}


def _question(question: QuestionContent, collection: BenchmarkHistory) -> Json:
    """Return a question as a schema:Question (https://schema.org/Question)."""
    members = question.members
    dates = {"dateCreated": members["date_created"], "dateModified": members["date_modified"]}
    about = {"keywords": members["keywords"], **dates, "author": members["author"]}
    return {
        "@context": "https://schema.org/",
        "@type": "Question",
        **({"@id": question.id} if is_iri(question.id) and secret(question.id) is None else {}),
        "text": _clean(members["question"]),
        "acceptedAnswer": {"@type": "Answer", "text": _shown(members["raw_answer"])},
        **{name: value for name, value in about.items() if value and not secret({name: value})},
        "isPartOf": _reference(collection, "../index.html"),
    }


Difference = tuple[str, str, Any, Any]
"""A member that differs, the kind of change, and the values before and after."""


def _of_benchmark(diff: SemanticDiff) -> Iterator[Difference]:
    yield from _of_changes((*diff.metadata, *diff.properties))
    yield from _of_parts("global trait", diff.global_rubric)
    yield from _of_parts("global dynamic trait", diff.global_dynamic_rubric)
    yield from _of_parts("scenario", diff.scenarios)


def _of_question(diff: QuestionDiff | None) -> tuple[list[Difference], list[str]]:
    """Return the differences of a question, and the lines of the difference of its template."""
    if diff is None:
        return [], []
    source = None if diff.template is None else diff.template.source
    old, new = ("", "") if source is None else (_shown(source.before), _shown(source.after))
    lines = [harmless(line) for line in difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)][2:]
    parts = (*_of_parts("trait", diff.rubric), *_of_parts("dynamic trait", diff.dynamic_rubric))
    return [*_of_changes(diff.changes), *parts], lines


def _of_changes(changes: Iterable[Any], prefix: str = "") -> Iterator[Difference]:
    return ((f"{prefix}{change.member}", change.kind, change.before, change.after) for change in changes)


def _of_parts(what: str, parts: PartsDiff) -> Iterator[Difference]:
    yield from ((f"{what} {name}", "removed", None, None) for name in parts.removed)
    yield from ((f"{what} {name}", "added", None, None) for name in parts.added)
    for part in parts.changed:
        yield from _of_changes(part.changes, f"{what} {part.name}: ")


def _drawn(collection: BenchmarkHistory, folder: Path) -> Iterator[tuple[str, str]]:
    """Write the charts that are not empty; yield the file and the title of each.

    Without Matplotlib there are none.
    """
    if find_spec("matplotlib") is None:
        return
    benchmark, assessments = collection.newest.benchmark, [*chain.from_iterable(collection.answers.values())]
    charts: dict[str, Callable[[], Figure]] = {
        "readiness": partial(plots.readiness, benchmark),
        "traits": partial(plots.trait_coverage, benchmark),
        "keywords": partial(plots.keywords, benchmark),
        "lengths": partial(plots.lengths, benchmark),
    }
    if assessments:
        charts["models"] = partial(plots.pass_rates, assessments)
        charts["questions"] = partial(plots.pass_rates, assessments, by="question")
        models = Counter(each.answer.model_name for each in assessments if each.answer.model_name)
        names = tuple(model for model, _ in models.most_common(2))
        if len(models) == len(names) == 2:  # of more models the page of answers has all pairs
            runs = [[each for each in assessments if each.answer.model_name == model] for model in names]
            charts["comparison"] = partial(plots.comparison, *runs, names=names)
    for name, draw in charts.items():
        try:
            figure = draw()
        except SettingsError:  # nothing to draw, such as no keywords
            continue
        file = folder / "charts" / f"{name}.svg"
        file.parent.mkdir(exist_ok=True)
        file.write_text(plots.svg(figure), encoding="utf-8")
        yield f"charts/{file.name}", figure.get_suptitle()
