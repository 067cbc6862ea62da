"""The literal form: a checkpoint whose keys mean what they say, and the small departures from it.

Such a document stays as it is. One object where an array is usual, `@type` as an array of one and the like are put
right in place, so that the way back into the source is kept.
"""

from __future__ import annotations

from enum import Enum, auto
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.graph.alike import TOGETHER, alike
from checkpoint_ld.graph.annotation import is_name
from checkpoint_ld.graph.contexts import ROOT_TYPE
from checkpoint_ld.graph.literals import DOUBLE, TypedText, is_language, json_text
from checkpoint_ld.graph.naming import is_iri
from checkpoint_ld.graph.terms import is_property_value
from checkpoint_ld.reading.plain_keys import MEMBERS, SCENARIO_STRUCTURE, SCENARIO_TYPES, STRUCTURE, TEXTS, TYPES, Tree
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.graph.alike import Alike
    from checkpoint_ld.graph.terms import Term, TermTable
    from checkpoint_ld.reading.plain_keys import Spelling, Tree


_STATING = frozenset(("@reverse", "@nest", "@value", "@list", "@set"))
"""Keywords that make statements of their own; all others, and what only looks like one, are kept as they stand."""
_NONE: Mapping[str, Any] = MappingProxyType({})
_VALUE_KEYWORDS = frozenset(("@value", "@id", "@list", "@set"))
_RUBRICS = frozenset(("rubric", "globalRubric"))
_SINGLES = frozenset(("item", "acceptedAnswer"))


def is_literal(tree: Tree, table: TermTable, spelling: Spelling) -> bool:
    """Tell whether all objects that make up a checkpoint are in plain keys and in their places."""
    return _is_literal(tree, None, table, spelling)


def _is_literal(tree: Tree, via: Term | None, table: TermTable, spelling: Spelling) -> bool:
    types = tree.get("@type")
    if not all(map(spelling.is_plain_type, types if isinstance(types, list) else [types])):
        return False
    known, structure = table.at(via, types).by_key, _structure_of(types)
    for key, value in tree.items():
        if not _is_plain_member(key, value, spelling):
            return False
        for one in _objects(key, value) if key in structure else ():
            is_in_place = one.keys() != {"@id"} and _has_no_context(one, known.get(key), table)
            if not is_in_place or not _is_literal(one, known.get(key), table, spelling):
                return False
    return True


def _is_plain_member(key: str, value: Any, spelling: Spelling) -> bool:
    if key.startswith("@"):
        return key not in _STATING
    if not spelling.is_plain_key(key):
        return False
    if key == "additionalType" and isinstance(value, str) and not value.startswith(KARENINA):
        return spelling.is_plain_type(value)
    if key in TEXTS and all(one is not None for one in map(_typed_text, _objects(key, value))):
        return True
    if key == "contentRating":
        return not any(isinstance(one, dict) for one in (value if isinstance(value, list) else [value]))
    return key not in MEMBERS or key in STRUCTURE or key == "value" or not _is_jsonld_value(value)


def _is_jsonld_value(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(isinstance(one, dict) and one.keys() & _VALUE_KEYWORDS for one in values)


def _structure_of(types: Any) -> frozenset[str]:
    kinds = types if isinstance(types, list) else [types]
    is_scenario = any(isinstance(kind, str) and kind in SCENARIO_TYPES for kind in kinds)
    return STRUCTURE | SCENARIO_STRUCTURE if is_scenario else STRUCTURE


def _objects(key: str, value: Any) -> list[Tree]:
    if isinstance(value, dict):
        value = list(value.values()) if key == "nodes" else [value]
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _has_no_context(value: Tree, via: Term | None, table: TermTable) -> bool:
    """Tell whether an object has no context of its own, or just the one that we would write there."""
    if not value.get("@context", True):  # it says nothing, and is kept
        return isinstance(value["@context"], dict)
    if "@context" not in value:
        return True
    from checkpoint_ld.emission import local_context  # noqa: PLC0415 - usual documents need nothing of what writes them

    own, kind = value["@context"], value.get("@type")
    if not isinstance(own, dict):
        return False
    ours = local_context(value, table.at(via, kind), is_property=is_property_value(kind, via))
    passed_over = {"@propagate", *typings_of(own)}
    # What is null there is set apart from the graph, which the object alone does not tell.
    told = {key: one for key, one in own.items() if one is not None and key not in passed_over}
    if not told and len(passed_over) > 1:
        return True  # under another context than ours, nothing but the types of texts is written
    return told == {key: one for key, one in ours.items() if key not in passed_over and own.get(key, one) is not None}


def typings_of(context: object) -> dict[str, Tree]:
    """Return the keys of texts that a context of one object gives a language or a datatype, with what it says."""
    typings = {}
    for key, one in context.items() if isinstance(context, dict) else ():
        told = {name: said for name, said in one.items() if name.startswith("@")} if isinstance(one, dict) else {}
        typing = {name: said for name, said in told.items() if name not in ("@id", "@container")}
        if (key in TEXTS or key == "value") and _typed_text({"@value": "", **typing}) is not None:
            typings[key] = typing
    return typings


def of_root(context: object) -> Tree:
    """Return what a document's context says of the root alone."""
    scoped = context.get(ROOT_TYPE) if isinstance(context, dict) else None
    local = scoped.get("@context") if isinstance(scoped, dict) else None
    return local if isinstance(local, dict) else {}


def _typed_text(value: Tree) -> TypedText | None:
    """Return the text of a value object that says its language or its datatype in full, and nothing else."""
    text, language, datatype = (value.get(key) for key in ("@value", "@language", "@type"))
    if not isinstance(text, str) or len(value) != 2 or datatype == DOUBLE:
        return None
    if isinstance(language, str) and is_language(language):
        return TypedText(text, language.lower())
    return TypedText(text, None, datatype) if isinstance(datatype, str) and is_iri(datatype) else None


class Tidying:
    """Puts small departures right; `forms` says which ones there were."""

    def __init__(self, table: TermTable) -> None:
        self.table = table
        self.forms: list[str] = []
        self.changed: list[str] = []
        self.has_typed_texts = False

    def root(self, tree: Tree) -> Tree:
        """Return the tree of a checkpoint in its usual shape."""
        context = tree.get("@context")
        if isinstance(context, list):
            self.forms.append("an array as @context")
            tree = {**tree, "@context": _joined(context)}
        return self._object(tree, None, "", typings=typings_of(of_root(context)))

    def _object(
        self, tree: Tree, via: Term | None, pointer: str, *, is_known: bool = True, typings: Mapping[str, Tree] = _NONE
    ) -> Tree:
        """Return an object in its usual shape; below a member that is not known only our local contexts go."""
        kind = self._one_type(tree.get("@type"), f"{pointer}/@type") if is_known else tree.get("@type")
        known = self.table.at(via, kind).by_key
        is_property = is_property_value(kind, via)
        structure = _structure_of(kind) if is_known else frozenset()
        tidy: Tree = {}
        for key, value in tree.items():
            if key == "@context" and pointer and value and _has_no_context(tree, via, self.table):
                typings = typings_of(value)
                continue
            is_told = key == "@id" or (key == "@type" and "@value" not in tree)  # that of a JSON literal is a keyword
            if is_told and not is_name(value, is_type=key == "@type"):
                what = f"{key} at {pointer or '/'} is {json_text(value)[:40]}"
                self.changed.append(f"the {what}, which no JSON-LD processor takes; it is left out of what we write")
            term = known.get(key)
            if key.startswith("@") or (is_property and key == "value") or (term and term.coercion == "@json"):
                tidy[key] = kind if key == "@type" else value
            else:
                at = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
                shaped = self._shaped(tree, key, value, term, at) if is_known else value
                tidy[key] = self._below(shaped, term, at, is_known=key in structure)
        self.has_typed_texts |= bool(typings)
        return {key: _typed_as(value, typings[key]) if key in typings else value for key, value in tidy.items()}

    def _below(self, value: Any, via: Term | None, pointer: str, *, is_known: bool) -> Any:
        if isinstance(value, list):
            return [self._below(one, via, f"{pointer}/{at}", is_known=is_known) for at, one in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if via is None or via.container != "@index":
            return self._object(value, via, pointer, is_known=is_known)
        return {
            key: self._object(one, via, f"{pointer}/{key}", is_known=is_known) if isinstance(one, dict) else one
            for key, one in value.items()
        }

    def _shaped(self, tree: Tree, key: str, value: Any, term: Term | None, pointer: str) -> Any:
        if key == "additionalType" and isinstance(value, str) and value.startswith(KARENINA):
            self.forms.append(f"a full IRI at {pointer}")
            return f"karenina:{value[len(KARENINA) :]}"
        if key in TEXTS and (objects := _objects(key, value)) and all(map(_typed_text, objects)):
            self.has_typed_texts = True
            self.forms.append(f"a value object at {pointer}")
            value = (
                [_typed_text(one) or one if isinstance(one, dict) else one for one in value]
                if isinstance(value, list)
                else _typed_text(value)
            )
        is_single = key in _SINGLES or (key == "hasPart" and "acceptedAnswer" in tree)
        if is_single and isinstance(value, list) and len(value) == 1:
            self.forms.append(f"an array of one at {pointer}")
            return value[0]
        if term is not None and term.container == "@set" and not is_single and isinstance(value, (dict, str)):
            self.forms.append(f"a single value at {pointer}")
            return [value]
        if key in _RUBRICS and isinstance(value, dict):
            return {name: self._listed(name, one, f"{pointer}/{name}") for name, one in value.items()}
        return value

    def _listed(self, name: str, value: Any, pointer: str) -> Any:
        if not name.endswith("traits") or not isinstance(value, dict):
            return value
        self.forms.append(f"a single value at {pointer}")
        return [value]

    def _one_type(self, types: Any, pointer: str) -> Any:
        if isinstance(types, list) and len(types) == 1 and isinstance(types[0], str) and types[0] in TYPES:
            self.forms.append(f"an array as {pointer}")
            return types[0]
        return types


def _typed_as(value: Any, typing: Tree) -> Any:
    """Return a text, or an array of them, with the language or datatype that a term definition gives it."""
    if isinstance(value, list):
        return [_typed_as(one, typing) for one in value]
    return TypedText(value, typing.get("@language"), typing.get("@type")) if type(value) is str else value


def _joined(context: list[Any]) -> Any:
    objects = [one for one in context if isinstance(one, dict)]
    return {key: value for one in objects for key, value in one.items()} if objects else context[0] if context else {}


_SCALARS = frozenset((str, int, float, bool, type(None)))
_USUAL = _SCALARS | {list, dict}
_TEXTS, _OBJECTS = {str}, {dict}
_REFERENCE = ("@id",)


class _Holds(Enum):
    """What a member may hold for its object to be a usual one."""

    ANYTHING = auto()
    PLAIN_VALUES = auto()
    VALUES = auto()
    OBJECTS = auto()
    A_KIND = auto()
    A_NAME = auto()


class _Key(NamedTuple):
    holds: _Holds
    is_set: bool
    term: Term | None


class Usual:
    """Tells whether a document stays as it is; where it is in doubt it says no, and the longer way decides."""

    def __init__(self, table: TermTable, spelling: Spelling) -> None:
        self._table = table
        self._spelling = spelling

    def is_usual(self, tree: Tree) -> bool:
        """Tell whether `literal_form` would find a document literal and change nothing in it."""
        context = tree.get("@context")
        root = {key: value for key, value in tree.items() if key != "@context"}
        return not isinstance(context, list) and not typings_of(of_root(context)) and self._are_usual([root], None)

    def _are_usual(self, objects: list[Tree], via: Term | None) -> bool:
        """Tell whether objects that are values of `via`, wherever they stand, are all usual ones."""
        if len(objects) > TOGETHER:
            starts = range(0, len(objects), TOGETHER)
            return all(self._are_usual(objects[at : at + TOGETHER], via) for at in starts)
        groups = alike(objects)
        return groups is not None and all(
            self._are_usual_alike(objects if len(groups) == 1 else [objects[at] for at in group.members], group, via)
            for group in groups
        )

    def _are_usual_alike(self, objects: list[Tree], group: Alike, via: Term | None) -> bool:
        """Do what `_are_usual` does for alike objects."""
        kind, keys = group.kind, group.keys
        is_scenario = (kind or "").startswith("karenina:Scenario")
        if keys == _REFERENCE or is_scenario or not self._spelling.is_plain_type(kind):
            return False
        terms = self._table.at(via, kind).by_key
        for key in keys:
            values = [one[key] for one in objects]
            if self._is_unknown(key, terms) and _SCALARS.issuperset(map(type, values)):
                continue
            known = self._key(key, kind, via)
            if known is None:
                return False
            if known.holds is not _Holds.ANYTHING and not self._fit(values, known):
                return False
        return True

    def _is_unknown(self, key: str, terms: Mapping[str, Term]) -> bool:
        """Whether neither checkpoints nor contexts know a key, which an object may have many thousands of."""
        is_name = ":" not in key and key[:1] != "@"
        return is_name and key not in terms and key not in MEMBERS and key not in self._spelling.definitions

    def _fit(self, values: list[Any], known: _Key) -> bool:
        """Tell whether the values of one member, of several objects, are what it may hold."""
        kinds = {*map(type, values)}
        if known.holds is _Holds.A_NAME:
            return kinds == _TEXTS
        if known.holds is _Holds.A_KIND:
            return kinds == _TEXTS and all(map(self._is_plain_kind, {*values}))
        is_holder = known.holds is _Holds.OBJECTS
        below: list[Any] = []
        if list in kinds:
            members = chain.from_iterable(one for one in values if type(one) is list)
            if not known.is_set or not (is_holder or _SCALARS.issuperset(map(type, members))):
                return False
            below = [*members] if is_holder else []
        if dict in kinds:
            objects = [one for one in values if type(one) is dict]
            is_literal = known.holds is _Holds.VALUES and all(map(_is_json_literal, objects))
            if known.is_set or not (is_holder or is_literal):
                return False
            below += objects if is_holder else []
        if not _USUAL.issuperset(kinds) or (known.is_set and str in kinds):
            return False
        return not below or ({*map(type, below)} == _OBJECTS and self._are_usual(below, known.term))

    def _is_plain_kind(self, name: str) -> bool:
        return not name.startswith(KARENINA) and self._spelling.is_plain_type(name)

    def _key(self, key: str, kind: str | None, via: Term | None) -> _Key | None:
        """Return what `key` may hold at an object of the type `kind`, None if that has to be looked at closely."""
        term = self._table.at(via, kind).by_key.get(key)
        if key in ("@id", "@type"):
            return _Key(_Holds.A_NAME, is_set=False, term=None)
        if key.startswith("@") or not self._spelling.is_plain_key(key) or (term and term.container == "@index"):
            return None
        if key == "additionalType":
            return _Key(_Holds.A_KIND, is_set=False, term=term)
        is_literal = (is_property_value(kind, via) and key == "value") or (term and term.coercion == "@json")
        if is_literal and (key == "value" or key not in MEMBERS):
            return _Key(_Holds.ANYTHING, is_set=False, term=term)
        holds = _Holds.OBJECTS if key in STRUCTURE else _Holds.PLAIN_VALUES if key in MEMBERS else _Holds.VALUES
        return _Key(holds, is_set=term is not None and term.container == "@set", term=term)


def _is_json_literal(value: Tree) -> bool:
    """Tell whether an object is a JSON literal (JSON-LD 1.1 §4.2.2)."""
    return value.keys() == {"@type", "@value"} and value["@type"] == "@json"
