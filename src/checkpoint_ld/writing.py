"""Writing: a checkpoint graph as the bytes of a file, in the syntax, dialect and layout that are asked for."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from checkpoint_ld import contexts, dialects, emission
from checkpoint_ld.dialects.ratings import trait_type
from checkpoint_ld.dialects.template import template_of
from checkpoint_ld.emission import ContextStyle
from checkpoint_ld.errors import WriteError
from checkpoint_ld.json_writing import dump_json
from checkpoint_ld.layout import CANONICAL as CANONICAL_LAYOUT
from checkpoint_ld.literals import same
from checkpoint_ld.mapping.properties import as_list
from checkpoint_ld.mapping.questions import default_template
from checkpoint_ld.members import ordered
from checkpoint_ld.reading import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph import CheckpointGraph
    from checkpoint_ld.reading import Reading

Tree = dict[str, Any]

JSONLD, EXPANDED = "jsonld", "expanded"
RDF_WRITERS = {
    "turtle": emission.turtle_of,
    "nt": emission.ntriples_of,
    "nq": emission.nquads_of,
    "trig": emission.trig_of,
}
SYNTAXES = (JSONLD, *RDF_WRITERS, EXPANDED)
"""What a checkpoint can be written as, by the names that the command line has for it."""

_EXTENSIONS = {".ttl": "turtle", ".turtle": "turtle", ".nt": "nt", ".ntriples": "nt", ".nq": "nq", ".nquads": "nq"}
EXTENSIONS = {**_EXTENSIONS, ".trig": "trig", ".json": JSONLD, ".jsonld": JSONLD}


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes of a file, and what could not be said in it."""

    data: bytes
    findings: tuple[Finding, ...] = ()


def syntax_of(path: str) -> str | None:
    """Tell by the extension of a path what is to be written there."""
    return EXTENSIONS.get(PurePath(path).suffix.lower())


def write(  # noqa: PLR0913 - each is a choice that the user makes by name
    graph: CheckpointGraph,
    *,
    syntax: str = JSONLD,
    dialect: str = CANONICAL,
    context: ContextStyle | None = None,
    deep_judgment: bool = True,
    source: Reading | None = None,
    now: str | None = None,
) -> Written:
    """Return a checkpoint as bytes.

    `source` is what the graph was read from: its layout and its order of members are kept where the dialect stays the
    same, and what Karenina wants and the older dialects lack is filled in where it changes (`now` is the date that
    stands for a missing one). `deep_judgment` false leaves out the settings of that name, as Karenina does by default.
    Raises WriteError for what cannot be written.
    """
    if syntax in RDF_WRITERS:
        return Written(RDF_WRITERS[syntax](graph))
    if syntax == EXPANDED:
        return Written(dump_json(emission.expanded_of(graph)))
    if syntax != JSONLD:
        msg = f"there is no syntax {syntax!r}: use one of {', '.join(SYNTAXES)}"
        raise WriteError(msg)
    value, findings = _value(graph, dialect, context, source, now)
    if not deep_judgment:
        value = _without_deep_judgment(value)
    document = source.document if source is not None else None
    if source is None or document is None or source.dialect != dialect:
        return Written(dump_json(value, CANONICAL_LAYOUT), findings)
    return Written(dump_json(_arranged_like(value, document.value), document.layout), findings)


def is_writable(dialect: str) -> bool:
    """Tell whether a dialect can be written."""
    return dialect == CANONICAL or dialects.dialect(dialect).downgrade is not None


def unchanged(graph: CheckpointGraph, source: Reading) -> bytes | None:
    """Return the bytes that a graph was read from if it still says the same, else None."""
    if source.document is None or not same(_bare(graph.tree()), _bare(source.tree)):
        return None
    return source.document.data


def _bare(tree: Tree) -> Tree:
    return {key: value for key, value in tree.items() if key != "@context"}


def _value(
    graph: CheckpointGraph, dialect: str, context: ContextStyle | None, source: Reading | None, now: str | None
) -> tuple[Any, tuple[Finding, ...]]:
    known = dialects.dialect(dialect)
    if dialect != CANONICAL:
        if known.downgrade is None:
            writable = ", ".join(one.name for one in dialects.DIALECTS if one.downgrade is not None)
            msg = f"the dialect {dialect} can be read but not written: write {CANONICAL}, {writable}"
            raise WriteError(msg)
        downgrade = known.downgrade(graph.tree())
        return downgrade.value, downgrade.findings
    value = emission.jsonld_of(graph, context or _style_of(source))
    if source is not None and source.dialect != CANONICAL:
        value = _complete(value, now)
    return value, ()


def _style_of(source: Reading | None) -> ContextStyle:
    """Return the style of the document that a graph was read from; a new one is written under our own context."""
    value = source.document.value if source is not None and source.document is not None else None
    own = (
        value.get("@context")
        if isinstance(value, dict) and source is not None and source.dialect == CANONICAL
        else None
    )
    is_ours = not isinstance(own, dict) or all(key in own for key in contexts.improved())
    return ContextStyle.IMPROVED if is_ours else ContextStyle.PLAIN


def _complete(value: Tree, now: str | None) -> Tree:
    """Fill in what Karenina refuses a file without: dates, a template for each question."""
    created = value.get("dateCreated") or value.get("dateModified") or now
    dates = {"dateCreated": created, "dateModified": value.get("dateModified") or created}
    filled = {**value, **{name: date for name, date in dates.items() if date is not None}}
    items = as_list(filled.get("dataFeedElement"))
    filled["dataFeedElement"] = [_complete_item(one, filled) if isinstance(one, dict) else one for one in items]
    return _in_order(filled)


def _complete_item(item: Tree, root: Tree) -> Tree:
    modified = item.get("dateModified") or item.get("dateCreated") or root.get("dateModified")
    dates = {"dateCreated": item.get("dateCreated") or modified, "dateModified": modified}
    filled = {**item, **{name: date for name, date in dates.items() if date is not None}}
    asked = filled.get("item")
    if isinstance(asked, dict) and not asked.get("hasPart"):
        text = asked.get("text")
        template = template_of(text, default_template(text if isinstance(text, str) else ""))
        filled["item"] = _in_order({**asked, "hasPart": template})
    return _in_order(filled)


def _in_order(members: Tree) -> Tree:
    return ordered(members, None)


def _without_deep_judgment(value: Tree) -> Tree:
    """Return a document without the deep-judgment settings of its ratings; dynamic traits keep theirs."""
    stripped = copy.deepcopy(value)
    for rating in _ratings(stripped):
        known = trait_type(rating.get("additionalType"))
        settings = rating.get("additionalProperty")
        if known and known[1] in ("RubricTrait", "LLMRubricTrait") and isinstance(settings, list):
            rating["additionalProperty"] = [one for one in settings if not _is_deep_judgment(one)]
    return stripped


def _ratings(value: Tree) -> Iterator[Tree]:
    for holder in (value, *(one.get("item") for one in as_list(value.get("dataFeedElement")) if isinstance(one, dict))):
        if isinstance(holder, dict):
            yield from (one for one in as_list(holder.get("rating")) if isinstance(one, dict))


def _is_deep_judgment(setting: Any) -> bool:
    return isinstance(setting, dict) and str(setting.get("name", "")).startswith("deep_judgment_")


def _arranged_like(value: Any, model: Any) -> Any:
    """Return `value` with its members in the order of `model`, so that only what changed differs in the file."""
    if isinstance(value, dict) and isinstance(model, dict):
        return {key: _arranged_like(value[key], model.get(key)) for key in _merged_order(list(value), list(model))}
    if isinstance(value, list) and isinstance(model, list):
        by_identity = {identity: one for one in model if (identity := _identity(one)) is not None}
        return [
            _arranged_like(one, by_identity.get(_identity(one) or "", model[at] if at < len(model) else None))
            for at, one in enumerate(value)
        ]
    return value


def _merged_order(keys: list[str], model: list[str]) -> list[str]:
    known = [key for key in model if key in keys]
    merged = list(known)
    for at, key in enumerate(keys):
        if key not in model:
            merged.insert(merged.index(keys[at - 1]) + 1 if at else 0, key)
    return merged


def _identity(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    identity = value.get("@id", value.get("name"))
    return identity if isinstance(identity, str) else None
