"""The forms of JSON-LD: a checkpoint in any legal form, rewritten in the plain keys that the dialects know.

Most files are in plain keys and stay as they are, but for small departures that are put right in place. Everything else
(full IRIs, prefixes, expanded and flattened documents, other contexts) goes through PyLD's expansion, under our context
where a document has none of its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from checkpoint_ld.dialects import is_v2
from checkpoint_ld.errors import ReadError
from checkpoint_ld.forms.literal_form import Tidying, is_literal
from checkpoint_ld.forms.plain import KEYWORDS, ROOT_TYPES, Plain, Tree
from checkpoint_ld.forms.shielding import Shield
from checkpoint_ld.forms.spelling import Spelling
from checkpoint_ld.forms.statements import of_index, roots
from checkpoint_ld.forms.usual_form import Usual
from checkpoint_ld.graph import contexts, recursion, terms
from checkpoint_ld.graph.expansion import expand, statements
from checkpoint_ld.graph.literals import DOUBLE
from checkpoint_ld.rules import finding

__all__ = ["Plain", "address_of", "of_index", "plain", "roots"]


def plain(value: Any) -> Plain:
    """Rewrite a JSON value in plain keys; what is no checkpoint at all comes back as it is.

    Raises ReadError for what is no JSON-LD, names a remote context that is not shipped, or holds several checkpoints.
    """
    unwrapped = _unwrapped(value)
    tree = unwrapped.tree
    if not isinstance(tree, (dict, list)) or (isinstance(tree, dict) and not _is_jsonld(tree)):
        return unwrapped
    with recursion.room():
        if isinstance(tree, dict):
            context = tree.get("@context")
            table = terms.table(context)
            spelling = Spelling.of_context(context)
            if Usual(table, spelling).is_usual(tree):
                return unwrapped
            if is_literal(tree, table, spelling) and ("@graph" not in tree or _is_root(tree)):
                tidying = Tidying(table)
                tree = tidying.root(tree)
                forms = *unwrapped.forms, *tidying.forms
                changed = tuple(tidying.changed)
                return Plain(tree, forms, unwrapped.origins, changed, has_typed_texts=tidying.has_typed_texts)
        return _expanded(value) or unwrapped


def _expanded(value: Any) -> Plain | None:
    shield = Shield(Spelling.of_document(value), value)
    index = statements(shield.put_back(expand(shield.taken_out(value), _literal_context())), distinct=False)
    found = roots(index)
    if len(found) > 1:
        message = f"the document holds {len(found)} checkpoints: {', '.join(sorted(map(str, found)))}"
        remedy = "give each of them a file of its own"
        raise ReadError.of([finding("no-checkpoint", message, pointer="", remedy=remedy)])
    plain = of_index(index, "JSON-LD in another form than plain keys", as_found=True)
    return plain and replace(plain, changed=(*plain.changed, *shield.changed))


@cache
def _literal_context() -> Tree:
    """Return the context for keys that a document gives no meaning: ours, but a whole number stays one."""
    ours = contexts.improved().items()
    return {key: one for key, one in ours if not (isinstance(one, dict) and one.get("@type") == DOUBLE)}


def _unwrapped(value: Any) -> Plain:
    """Take a checkpoint out of a root array or an `@graph`; what else stands there becomes its `@included`."""
    if isinstance(value, list):
        steps = [f"/{at}" for at in range(len(value))]
        return _chosen(value, steps, {}, "a root array") or Plain(value)
    if not isinstance(value, dict) or "@graph" not in value or not all(map(_may_stand_beside, value)):
        return Plain(value)
    inside, steps = [value["@graph"]], ["/@graph"]
    if isinstance(value["@graph"], list):
        inside, steps = value["@graph"], [f"/@graph/{at}" for at in range(len(value["@graph"]))]
    outer = {"@context": value["@context"]} if "@context" in value else {}
    beside = sorted(value.keys() - {"@context", "@graph"})
    form = "an @graph around the checkpoint" + (f", whose {', '.join(beside)} is left out" if beside else "")
    return _chosen(inside, steps, outer, form) or Plain(value)


def _chosen(inside: list[Any], steps: list[str], outer: Tree, form: str) -> Plain | None:
    """Return the one checkpoint in an array, whose entries stand at `steps`, as a tree of its own."""
    entries = enumerate(map(_unwrapped, inside))
    found = [(at, inner) for at, inner in entries if len(inside) == 1 or _is_root(inner.tree)]
    if len(found) != 1 or not all(isinstance(one, dict) for one in (*inside, found[0][1].tree)):
        return None
    at, inner = found[0]
    tree = {**outer, **inner.tree}
    origins = {pointer: steps[at] + origin for pointer, origin in (inner.origins or {"": ""}).items()}
    others = [other for other in range(len(inside)) if other != at]
    if others:
        if "@included" in tree:
            return None
        tree["@included"] = [inside[other] for other in others]
        origins |= {f"/@included/{new}": steps[old] for new, old in enumerate(others)}
    return Plain(tree, (form, *inner.forms), origins)


def _is_root(value: Any) -> bool:
    """Tell whether a value is the root of a checkpoint in plain keys."""
    if not isinstance(value, dict):
        return False
    types = value.get("@type")
    kinds = types if isinstance(types, list) else [types]
    return "dataFeedElement" in value or any(isinstance(kind, str) and kind in ROOT_TYPES for kind in kinds)


def _may_stand_beside(key: str) -> bool:
    """Tell whether a member of an object with an `@graph` says nothing of the objects in it."""
    return key in ("@context", "@graph", "@id") or (key.startswith("@") and key not in KEYWORDS)


def _is_jsonld(tree: Tree) -> bool:
    return not is_v2(tree) and any(key.startswith("@") or ":" in key for key in tree)


def address_of(context: Any) -> str | None:
    """Return the address that a context is given by, where it is one that we do not know."""
    parts = context if isinstance(context, list) else [context]
    return next((one for one in parts if isinstance(one, str) and one not in contexts.KNOWN_ADDRESSES), None)
