"""Writing: a checkpoint graph as the bytes of a file, in a syntax, dialect and layout.

`write` serializes RDF syntaxes by `graph.emission` and other dialects by `Dialect.downgrade`. For a graph that was read
from a document, `dialects.amendment` keeps the text of unchanged parts. `completion` adds what Karenina requires.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld import dialects
from checkpoint_ld.dialects.amendment import amended, changed, patched, without_contexts
from checkpoint_ld.dialects.dialect import Downgrade, as_list, name_of, step, values
from checkpoint_ld.dialects.leftovers import KEPT, loss, losses_of
from checkpoint_ld.dialects.ratings import LLM_SUFFIXES, trait_type
from checkpoint_ld.dialects.reading import CANONICAL
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph import contexts, emission, literals
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission import ContextStyle
from checkpoint_ld.graph.literals import TypedText, same
from checkpoint_ld.host import uncollected
from checkpoint_ld.phrases import shown, unknown
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import CONVERSION_PROPERTY

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from checkpoint_ld.dialects import Dialect
    from checkpoint_ld.dialects.reading import Reading
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.findings import Finding

Tree = dict[str, Any]

JSONLD, EXPANDED = "jsonld", "expanded"
RDF_WRITERS = {
    "turtle": emission.turtle_of,
    "nt": emission.ntriples_of,
    "nq": emission.nquads_of,
    "trig": emission.trig_of,
    "xml": emission.rdf_xml_of,
}
SYNTAXES = (JSONLD, *RDF_WRITERS, EXPANDED)
"""The syntaxes that can be written, by their names on the command line."""

EXTENSIONS = {".json": JSONLD, ".jsonld": JSONLD, **emission.EXTENSIONS}

_GUI, _DATASET = "gui-datafeed", "dataset-1"
_DEEP_JUDGMENT = "deep_judgment_"
_UNSET = {
    "deep_judgment_enabled": False,
    "deep_judgment_excerpt_enabled": True,
    "deep_judgment_search_enabled": False,
}
"""What the settings are where nobody set them; the others are null then."""
_DEEP_JUDGMENT_REMEDY = "keep them by save(path, save_deep_judgment_config=True), or convert without --no-deep-judgment"


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes of a file, and the findings about what it cannot hold."""

    data: bytes
    findings: tuple[Finding, ...] = ()


def syntax_of(path: str | os.PathLike[str]) -> str:
    """Return the syntax for the extension of a path, JSON for a path without extension.

    Raises WriteError for an unknown extension.
    """
    return kind_of(path, EXTENSIONS, JSONLD)


def is_writable(dialect: str) -> bool:
    """Return whether a dialect can be written."""
    return dialects.dialect(dialect).downgrade is not None


@uncollected()
def write(  # noqa: PLR0913 - each is a choice that the user makes by name
    graph: CheckpointGraph,
    *,
    syntax: str = JSONLD,
    dialect: str = CANONICAL,
    context: ContextStyle | None = None,
    deep_judgment: bool = True,
    placeholders: bool = False,
    round_scores: bool = False,
    inferred: bool = False,
    source: Reading | None = None,
    now: str | None = None,
) -> Written:
    """Return a checkpoint as bytes.

    `source` is the reading of the graph. In the same dialect, unchanged parts keep their text, and an unchanged graph
    gives the same bytes. Values that Karenina requires and older dialects lack are added; `now` replaces missing dates,
    and `round_scores` allows rounding bounds that Karenina would refuse. `deep_judgment` false leaves out these
    settings of LLM traits; a finding counts them. With `placeholders`, a question without a template gets the
    placeholder. `context` is that of the canonical dialect; None means that of the source. `inferred` adds inferred
    statements, which only RDF syntaxes can hold. Raises WriteError for what cannot be written.
    """
    adaptation = _Adaptation(deep_judgment=deep_judgment, placeholders=placeholders)
    syntax = emission.LONG_NAMES.get(syntax, syntax)
    if syntax != JSONLD:
        tree = graph.tree() if adaptation.is_wanted else None
        adapted = tree and adaptation.of(tree)
        graph = graph if adapted is tree or adapted is None else CheckpointGraph.of_tree(adapted)
        if inferred:
            from checkpoint_ld.validation.inference import with_inferred  # noqa: PLC0415 - it takes long to import

            graph = with_inferred(graph)
        return Written(_statements(graph, syntax), tuple(adaptation.findings))
    if inferred:
        raise WriteError(f"inferred statements are for RDF, not for documents: write {', '.join(SYNTAXES[1:])}")
    known = dialects.dialect(dialect)
    if known.downgrade is None:
        writable = ", ".join(other.name for other in dialects.DIALECTS if other.downgrade is not None)
        raise WriteError(f"the dialect {dialect} can be read but not written: write one of {writable}")
    document = source.document if source is not None and source.dialect == dialect else None
    tree = graph.tree() if document is not None or dialect != CANONICAL else None
    adapted = tree and adaptation.of(tree)
    edited = document is None or source is None or tree is None or not same(_bare(tree), _bare(source.tree))
    if document is not None and not edited and adapted is tree and (context is None or dialect != CANONICAL):
        return Written(document.data)
    if adapted is not None and dialect != CANONICAL:
        written = _downgraded(adapted, known, document, source, now)
        typings = _typings(adapted, "", dialect) if document is None and graph.has_typed_texts else ()
        return replace(written, findings=(*adaptation.findings, *written.findings, *typings))
    if source is not None and (source.dialect != CANONICAL or (document is not None and edited)):
        adaptation.completes = now, round_scores, None if source.dialect == CANONICAL else str(graph.root)
    value = emission.jsonld_of(graph, context or _style_of(document), adaptation.of, tree)
    if document is not None:
        value = amended(document.value, document.value, value)
    return _laid_out(value, document, tuple(adaptation.findings))


class _Adaptation:
    """Adapts a canonical tree for writing; objects that need no change stay the same objects.

    `findings` report omissions and changes. `completes` has the arguments of `completion.complete`, for a document that
    Karenina has to load.
    """

    def __init__(self, *, deep_judgment: bool, placeholders: bool) -> None:
        self._deep_judgment = deep_judgment
        self._placeholders = placeholders
        self.completes: tuple[str | None, bool, str | None] | None = None
        self.findings: list[Finding] = []

    @property
    def is_wanted(self) -> bool:
        """Whether statements need an adapted tree."""
        return self._placeholders or not self._deep_judgment

    def of(self, tree: Tree) -> Tree:
        """Return the adapted tree, and set `findings`."""
        bare, findings = (tree, ()) if self._deep_judgment else _without_deep_judgment(tree)
        self.findings = [*findings]
        if not self._placeholders and self.completes is None:
            return bare
        from checkpoint_ld.writing import completion  # noqa: PLC0415 - it needs entities, which take long

        if self._placeholders:
            bare = completion.with_placeholders(bare)
        if self.completes is None:
            return bare
        now, round_scores, root = self.completes
        if root is not None and bare is not tree and "@id" not in bare:
            root = literals.root_of(without_contexts(bare))
        whole, more = completion.complete(bare, now, round_scores=round_scores, root=root)
        self.findings += more
        return whole


def _statements(graph: CheckpointGraph, syntax: str) -> bytes:
    if syntax in RDF_WRITERS:
        return RDF_WRITERS[syntax](graph)
    if syntax == EXPANDED:
        return dump_json(emission.expanded_of(graph))
    raise WriteError(unknown("syntax", syntax, SYNTAXES))


def _laid_out(value: Any, document: Document | None, findings: tuple[Finding, ...]) -> Written:
    return Written(dump_json(value) if document is None else patched(document, value), findings)


def _bare(tree: Tree) -> Tree:
    return {key: value for key, value in tree.items() if key != "@context"}


def _downgraded(
    tree: Tree, known: Dialect, document: Document | None, source: Reading | None, now: str | None
) -> Written:
    options = {} if document is None or source is None else _options(document.value, source.tree, known)
    after = _in_dialect(tree, known, now, options)
    value = after.value
    if document is not None and source is not None:
        before = _in_dialect(source.tree, known, now, options).value
        value = _in_own_words(document.value, before, after.value, known)
    return _laid_out(value, document, after.findings)


def _options(own: Any, tree: Tree, known: Dialect) -> dict[str, Any]:
    """Return the options for writing a document again: metadata of new documents only if it has them."""
    names = values(tree.get("additionalProperty"))
    options = {"include_metadata": CONVERSION_PROPERTY in names} if known.name in (_GUI, _DATASET) else {}
    if known.name == _DATASET:
        options["is_named"] = isinstance(own, dict) and "jsonld" in str(own.get("version"))
    return options


def _in_dialect(tree: Tree, known: Dialect, now: str | None, options: dict[str, Any]) -> Downgrade:
    """Return a canonical document in another dialect, with the additional terms of its context."""
    assert known.downgrade is not None  # noqa: S101 - write has checked it
    value, findings = known.downgrade(tree, now=now, **options)
    foreign = contexts.foreign_terms(tree.get("@context"))
    if foreign and "@context" in value:
        value["@context"] = {**value["@context"], **foreign}
    elif foreign:
        value[KEPT] = {**value.get(KEPT, {}), "@context": foreign}
        findings += tuple(losses_of({"@context": foreign}, tree, "", known.name))
    return Downgrade(value, findings)


def _typings(value: Any, pointer: str, dialect: str) -> Iterator[Finding]:
    """Yield a loss for each language or datatype of a text, which other dialects cannot express."""
    if isinstance(value, TypedText):
        typing = f"language {value.language}" if value.language is not None else f"datatype {value.datatype}"
        yield loss(f"the {typing} of the text {shown(value)} has no place in {dialect}", pointer, dialect)
    elif isinstance(value, dict | list):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _typings(member, step(pointer, key), dialect)


def _in_own_words(own: Any, before: Tree, after: Tree, known: Dialect) -> Any:
    """Return a document with the edit that leads from `before` to `after`, in its own form if that can hold the edit.

    It cannot if the document has a value in a place that our writer never uses. Then the edited document would not be
    read as the edited tree.
    """
    value = amended(own, before, after)
    if known.recognises(own) and known.recognises(value):
        read_own, read_before, read_after = (_bare(known.upgrade(tree).tree) for tree in (own, before, after))
        if same(_bare(known.upgrade(value).tree), amended(read_own, read_before, read_after)):
            return value
    kept = {"@context": own["@context"]} if isinstance(own, dict) and "@context" in own else {}
    return amended(own, own, {**after, **kept})


def _style_of(document: Document | None) -> ContextStyle:
    """Return the context style of the document that a graph was read from; a new document gets our context."""
    own = document.value.get("@context") if document is not None and isinstance(document.value, dict) else None
    is_ours = not isinstance(own, dict) or all(key in own for key in contexts.improved())
    return ContextStyle.IMPROVED if is_ours else ContextStyle.PLAIN


def _without_deep_judgment(tree: Tree) -> tuple[Tree, tuple[Finding, ...]]:
    """Return a checkpoint without the deep-judgment settings of its LLM traits, and the finding that counts them.

    A trait whose settings nobody set does not count: nothing is lost. Dynamic traits keep theirs. A tree without such
    settings is returned itself.
    """
    counts: list[int] = []
    bare = _with_bare_ratings(tree, counts)
    if isinstance(bare.get("dataFeedElement"), list):
        elements = [
            changed(element, {"item": _with_bare_ratings(element["item"], counts)}, "dataFeedElement")
            if isinstance(element, dict) and isinstance(element.get("item"), dict)
            else element
            for element in bare["dataFeedElement"]
        ]
        bare = changed(bare, {"dataFeedElement": elements}, None)
    if not counts:
        return tree, ()
    stated = [count for count in counts if count]
    if not stated:
        return bare, ()
    message = f"{sum(stated)} settings of deep judgment are left out, of {len(stated)} LLM traits"
    return bare, (finding("loss", message, remedy=_DEEP_JUDGMENT_REMEDY),)


def _with_bare_ratings(holder: Tree, counts: list[int]) -> Tree:
    if "rating" not in holder:
        return holder
    return changed(holder, {"rating": [_bare_rating(rating, counts) for rating in as_list(holder["rating"])]}, "item")


def _bare_rating(rating: Any, counts: list[int]) -> Any:
    known = trait_type(rating.get("additionalType")) if isinstance(rating, dict) else None
    if known is None or known[1] not in LLM_SUFFIXES:
        return rating
    bare = {name: value for name, value in rating.items() if not name.startswith(_DEEP_JUDGMENT)}
    settings = as_list(rating.get("additionalProperty"))
    kept = [setting for setting in settings if not (name_of(setting) or "").startswith(_DEEP_JUDGMENT)]
    if len(rating) == len(bare) and len(settings) == len(kept):
        return rating
    left = {name: value for name, value in rating.items() if name not in bare} | values(settings)
    count = len(rating) - len(bare) + len(settings) - len(kept)
    counts.append(count if any(_is_set(name, value) for name, value in left.items()) else 0)
    return {**bare, "additionalProperty": kept} if len(kept) < len(settings) else bare


def _is_set(name: str, value: Any) -> bool:
    """Return whether a setting of deep judgment says anything that is not so without it."""
    return name.startswith(_DEEP_JUDGMENT) and value is not None and value is not _UNSET.get(name)
