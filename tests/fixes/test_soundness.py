"""Fixing is done once for all and never makes a finding, in every form, dialect and profile."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyld import jsonld

from checkpoint_ld import dialects, families
from checkpoint_ld.dialects import reading
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.validation import fixes, profiles
from tests.documents import SCHEMA
from tests.fixes.test_fixes import FAULTS, legacy, sound

Json = Any

OTHER = "https://example.org/k#"


def context_with(**terms: Json) -> Callable[[Json], Json]:
    return lambda tree: {**tree, "@context": {**tree["@context"], **terms}}


def without_context(tree: Json) -> Json:
    return {key: one for key, one in tree.items() if key != "@context"}


def renamed(value: Json, name: Callable[[str], str]) -> Json:
    if isinstance(value, dict):
        keys = {key: key if key.startswith("@") else name(key) for key in value}
        return {keys[key]: one if key == "@context" else renamed(one, name) for key, one in value.items()}
    return [renamed(one, name) for one in value] if isinstance(value, list) else value


def prefixed(prefix: str, namespace: str, *keys: str) -> Callable[[Json], Json]:
    """Return what writes these keys, or all of them, with a prefix that stands for `namespace`."""

    def form(tree: Json) -> Json:
        named = renamed(without_context(tree), lambda key: f"{prefix}:{key}" if key in keys or not keys else key)
        return {"@context": {**tree["@context"], prefix: namespace}, **named}

    return form


def replaced(value: Json, change: Callable[[str, Json], Json]) -> Json:
    """Return a document with each of its members changed, its contexts as they are."""
    if isinstance(value, dict):
        return {key: one if key == "@context" else change(key, replaced(one, change)) for key, one in value.items()}
    return [replaced(one, change) for one in value] if isinstance(value, list) else value


def as_value_objects(*keys: str) -> Callable[[Json], Json]:
    return lambda tree: replaced(
        tree, lambda key, one: {"@value": one} if key in keys and isinstance(one, str | int | float) else one
    )


FORMS: dict[str, Callable[[Json], Json]] = {
    "usual": lambda tree: tree,
    "expanded": lambda tree: jsonld.expand(tree, contexts.options()),
    "one expanded object": lambda tree: jsonld.expand(tree, contexts.options())[0],
    "flattened": lambda tree: jsonld.flatten(tree, None, contexts.options()),
    "in a root array": lambda tree: [tree],
    "in a graph": lambda tree: {"@context": tree["@context"], "@graph": [without_context(tree)]},
    "the graph itself": lambda tree: {"@context": tree["@context"], "@graph": without_context(tree)},
    "full IRIs": lambda tree: renamed(tree, lambda key: SCHEMA + key),
    "full IRIs with http": lambda tree: renamed(tree, lambda key: f"http://schema.org/{key}"),
    "the key of properties as IRI": lambda tree: renamed(
        tree, lambda key: SCHEMA + key if key == "additionalProperty" else key
    ),
    "the key of names as IRI": lambda tree: renamed(tree, lambda key: SCHEMA + key if key == "name" else key),
    "all prefixed": prefixed("s", SCHEMA),
    "properties prefixed": prefixed("s", SCHEMA, "additionalProperty"),
    "properties prefixed with http": prefixed("s", "http://schema.org/", "additionalProperty", "rating"),
    "names prefixed": prefixed("s", SCHEMA, "name"),
    "types prefixed": prefixed("s", SCHEMA, "additionalType"),
    "our prefix for something else": context_with(karenina=OTHER),
    "our prefix for something else, and names prefixed": lambda tree: context_with(karenina=OTHER)(
        prefixed("s", SCHEMA, "name")(tree)
    ),
    "our prefix as object": context_with(karenina={"@id": OTHER, "@prefix": True}),
    "our prefix for nothing": context_with(karenina=None),
    "our prefix for something else in a rating": lambda tree: {
        **tree,
        "rating": [{"@context": {"karenina": OTHER}, **one} for one in tree["rating"]],
    },
    "a second context": lambda tree: {**tree, "@context": [tree["@context"], {"karenina": OTHER}]},
    "another vocabulary": context_with(**{"@vocab": OTHER}),
    "no context": without_context,
    "the address of schema.org": lambda tree: {**tree, "@context": "http://schema.org/"},
    "types in arrays": lambda tree: replaced(tree, lambda key, one: [one] if key == "@type" else one),
    "arrays of one": lambda tree: replaced(
        tree, lambda key, one: one if isinstance(one, list) or key == "@id" else [one]
    ),
    "entries for arrays of one": lambda tree: replaced(
        tree, lambda _, one: one[0] if isinstance(one, list) and len(one) == 1 else one
    ),
    "names as value objects": as_value_objects("name"),
    "values as value objects": as_value_objects("value", "version", "bestRating", "additionalType"),
    "a term for properties": lambda tree: context_with(own={"@id": f"{SCHEMA}additionalProperty"})(
        renamed(tree, lambda key: "own" if key == "additionalProperty" else key)
    ),
}


def in_dialect(name: str) -> Json:
    downgrade = dialects.dialect(name).downgrade
    assert downgrade is not None
    return downgrade(sound()).value


DOCUMENTS: dict[str, Callable[[], Json]] = {
    "legacy": legacy,
    "without properties": lambda: {key: one for key, one in sound().items() if key != "additionalProperty"},
    **{one.name: partial(in_dialect, one.name) for one in dialects.DIALECTS if one.downgrade is not None},
}
PROFILES = profiles.names()
RULES = sorted({rule for rule, _, _ in FAULTS.values()})


def codes(data: bytes, profile: str) -> Counter[str]:
    return Counter(one.code for one in families.check(data, profiles.profile(profile)).findings)


def assert_sound(data: bytes, *names: str, rules: set[str] | None = None) -> None:
    """Hold that fixes, those of some rules or all, make no finding, and that nothing is left for them to do."""
    source = read_json(data)
    wanted = [one for one in fixes.fixes_of(source) if rules is None or one.rule in rules]
    if not wanted:
        return
    result = fixes.apply(source, wanted)
    left = [one for one in fixes.fixes_of(read_json(result)) if rules is None or one.rule in rules]

    assert left == []
    for profile in names:
        assert codes(result, profile) <= codes(data, profile)


@given(
    start=st.sampled_from(sorted(DOCUMENTS)),
    faults=st.sets(st.sampled_from(sorted(FAULTS)), max_size=4),
    form=st.sampled_from(sorted(FORMS)),
    profile=st.sampled_from(PROFILES),
    rules=st.none() | st.sets(st.sampled_from(RULES), min_size=1),
)
def test_fixing_is_done_once_for_all_and_makes_no_finding(
    start: str, faults: set[str], form: str, profile: str, rules: set[str] | None
) -> None:
    tree = copy.deepcopy(DOCUMENTS[start]())
    for name in sorted(faults, key=lambda name: (name.endswith("array"), name == "a question in an array")):
        with suppress(LookupError):  # a dialect has another place for it, or none
            FAULTS[name][2](tree)
    assert_sound(json.dumps(in_form(tree, form), ensure_ascii=False).encode(), profile, rules=rules)


def in_form(tree: Json, form: str) -> Json:
    """Return a document in one of the forms; as it is where it is no JSON-LD, or has no such member."""
    if "@context" not in tree or ("a rating" in form and "rating" not in tree):
        return tree
    return FORMS[form](tree)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("start", DOCUMENTS)
def test_no_form_of_a_document_without_format_version_and_prefixes_gets_worse(form: str, start: str) -> None:
    tree = copy.deepcopy(DOCUMENTS[start]())
    if "rating" in tree:
        tree["rating"][0]["additionalType"] = "GlobalRegexTrait"

    assert_sound(json.dumps(in_form(tree, form)).encode(), *PROFILES)


@pytest.mark.parametrize("form", [one for one in FORMS if "for something else" in one])
def test_no_prefix_is_put_where_the_document_gives_it_another_meaning(form: str) -> None:
    tree = {**sound(), "rating": [{**sound()["rating"][0], "additionalType": "GlobalRegexTrait"}]}
    data = json.dumps(in_form(tree, form)).encode()
    fixed = fixes.apply(read_json(data), fixes.fixes_of(read_json(data)))

    assert b"karenina:GlobalRegexTrait" not in fixed
    assert reading.examine(data).is_readable <= reading.examine(fixed).is_readable


@pytest.mark.slow
def test_no_document_of_the_corpus_gets_worse(corpus: Path) -> None:
    for file in sorted(corpus.glob("*/*.json*")):
        with suppress(ReadError):
            assert_sound(file.read_bytes(), *PROFILES)
