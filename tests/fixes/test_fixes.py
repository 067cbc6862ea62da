"""Fixes: each repairs what it is for, everything else stays as it stands, and a second run finds nothing."""

import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyld import jsonld

from checkpoint_ld import dialects, families
from checkpoint_ld.dialects import datafeed, reading
from checkpoint_ld.documents.document import Document, read_json
from checkpoint_ld.documents.values import walk
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.rules import by_slug, example
from checkpoint_ld.validation import fixes, profiles
from tests.documents import SCHEMA, Json, canonical, item, rating, setting
from tests.trials import some


def document(tree: Json, **layout: Any) -> Document:
    return read_json(json.dumps(tree, **{"indent": 2, "ensure_ascii": False, **layout}).encode(), "metals.jsonld")


def fixed(tree: Json, **layout: Any) -> Json:
    found = document(tree, **layout)
    return json.loads(fixes.apply(found, fixes.fixes_of(found)))


def sound() -> Json:
    """Return a document that needs no fix, with something of everything that fixes look at."""
    tree = canonical(item(), item("Which metal is lightest?", "urn:uuid:question-metal-2"))
    tree["rating"].append(rating("depth", "Global", kind="boolean", higher_is_better=True))
    tree["rating"][1]["additionalType"] = "karenina:GlobalRubricTrait"
    tree["version"] = "1.5"
    return tree


def at(tree: Json, *path: str | int) -> Json:
    for step in path:
        tree = tree[step]
    return tree


QUESTION = ("dataFeedElement", 1, "item")
TRAIT = (*QUESTION, "rating", 0)


def put(*path: str | int, value: Json) -> Callable[[Json], None]:
    def change(tree: Json) -> None:
        at(tree, *path[:-1])[path[-1]] = value

    return change


def wrap(*path: str | int) -> Callable[[Json], None]:
    def change(tree: Json) -> None:
        holder = at(tree, *path[:-1])
        holder[path[-1]] = [holder[path[-1]]]

    return change


def rename(*path: str | int, to: str) -> Callable[[Json], None]:
    def change(tree: Json) -> None:
        holder = at(tree, *path[:-1])
        holder[to] = holder.pop(path[-1])

    return change


FAULTS: dict[str, tuple[str, str, Callable[[Json], None]]] = {
    "a trait type without prefix": (
        "trait-prefix",
        "/rating/0/additionalType",
        put("rating", 0, "additionalType", value="GlobalRegexTrait"),
    ),
    "a trait type as IRI": (
        "json-ld-form",
        "/dataFeedElement/1/item/rating/0/additionalType",
        put(*TRAIT, "additionalType", value="urn:karenina:vocab:QuestionSpecificRegexTrait"),
    ),
    "no format version": ("format-version-missing", "/additionalProperty/0", put("additionalProperty", value=[])),
    "the http vocabulary": (
        "vocabulary-http",
        "/@context/@vocab",
        put("@context", "@vocab", value="http://schema.org/"),
    ),
    "a version as number": ("benchmark-version", "/version", put("version", value=1.5)),
    "keywords as text": (
        "json-ld-form",
        "/dataFeedElement/1/item/keywords",
        put(*QUESTION, "keywords", value="chemistry"),
    ),
    "a best rating as text": (
        "trait-bound-text",
        "/dataFeedElement/1/item/rating/0/bestRating",
        put(*TRAIT, "bestRating", value="1.0"),
    ),
    "a worst rating as text": ("trait-bound-text", "/rating/0/worstRating", put("rating", 0, "worstRating", value="0")),
    "finished as text": (
        "finished-text",
        "/dataFeedElement/1/item/additionalProperty/0/value",
        put(*QUESTION, "additionalProperty", 0, "value", value="Yes"),
    ),
    "the kind binary": (
        "trait-kind-binary",
        "/rating/1/additionalProperty/0/value",
        put("rating", 1, "additionalProperty", 0, "value", value="binary"),
    ),
    "a template in an array": ("json-ld-form", "/dataFeedElement/1/item/hasPart", wrap(*QUESTION, "hasPart")),
    "an answer in an array": (
        "json-ld-form",
        "/dataFeedElement/1/item/acceptedAnswer",
        wrap(*QUESTION, "acceptedAnswer"),
    ),
    "a question in an array": ("json-ld-form", "/dataFeedElement/1/item", wrap(*QUESTION)),
}
LAYOUTS: list[dict[str, Json]] = [
    {},
    {"indent": "\t"},
    {"indent": None},
    {"indent": None, "separators": (",", ":")},
    {"indent": 1, "separators": (" ,", " : "), "ensure_ascii": True},
]

a_fault = pytest.mark.parametrize(("rule", "pointer", "fault"), FAULTS.values(), ids=FAULTS.keys())


def test_what_is_sound_is_left_alone() -> None:
    assert fixes.fixes_of(document(sound())) == ()


@a_fault
def test_each_fault_is_repaired_by_one_fix_that_states_where(
    rule: str, pointer: str, fault: Callable[[Json], None]
) -> None:
    broken = sound()
    fault(broken)
    (found,) = fixes.fixes_of(document(broken))
    assert (found.rule, found.pointer) == (rule, pointer)
    assert rule in by_slug()
    assert fixed(broken) == sound()


@given(faults=st.sets(st.sampled_from(sorted(FAULTS))), layout=st.sampled_from(LAYOUTS), marked=st.booleans())
def test_any_faults_together_are_repaired_at_once_and_once_for_all(
    faults: set[str], layout: dict[str, Json], marked: bool
) -> None:
    broken = sound()
    # An array around an object goes there last, or the paths of the other faults would lead past it.
    for name in sorted(faults, key=lambda name: (name.endswith("array"), name == "a question in an array")):
        FAULTS[name][2](broken)
    source = read_json(b"\xef\xbb\xbf" * marked + document(broken, **layout).data)
    result = fixes.apply(source, fixes.fixes_of(source))

    assert json.loads(result) == sound()
    assert fixes.fixes_of(read_json(result)) == ()
    for part in (one for fix in fixes.fixes_of(source) for one in fix.edits):
        assert part.text != source.data.decode()[part.start : part.end]


@a_fault
def test_what_was_repaired_is_read_as_before(rule: str, pointer: str, fault: Callable[[Json], None]) -> None:
    broken = sound()
    fault(broken)
    before, after = (datafeed.clean(reading.examine(document(tree).data).tree) for tree in (broken, fixed(broken)))
    holder, _, member = pointer.rpartition("/")
    for tree in (before, after):
        del tree["@context"]  # every address in it has changed
        if rule not in {"json-ld-form", "trait-prefix", "vocabulary-http"}:
            spot = tree
            for step in holder.split("/")[1:]:
                spot = spot.get(step, []) if isinstance(spot, dict) else spot[int(step)]
            spot.pop(member if isinstance(spot, dict) else 0) if spot else None
    properties = (tree.pop("additionalProperty", []) for tree in (before, after))
    assert [one for one in properties if one] in ([], [sound()["additionalProperty"]] * 2)
    assert before == after


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    # What fixes look for, in places where it may make no sense.
    | st.sampled_from(["http://schema.org/name", "http://schema.org", "GlobalRegexTrait", "5", "true", "binary"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["@type", "item", "hasPart", "value", "http://schema.org/a"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)


@given(data=st.data(), layout=st.sampled_from(LAYOUTS))
def test_whatever_stands_where_fixes_leave_json_and_leave_nothing_to_fix(
    data: st.DataObject, layout: dict[str, Json]
) -> None:
    tree = sound()
    for name in data.draw(st.sets(st.sampled_from(sorted(FAULTS)), max_size=2)):
        if not name.endswith("array"):
            FAULTS[name][2](tree)
    places = [tuple(path) for path, _ in walk(tree) if path]
    path = data.draw(st.sampled_from(places))
    put(*path, value=data.draw(VALUES))(tree)
    source = document(tree, **layout)
    found = fixes.fixes_of(source)
    result = read_json(fixes.apply(source, found))
    assert (result.data == source.data) is (not found)
    assert fixes.fixes_of(result) == ()


BY_HAND = """{ "@context": {"@vocab":"http://schema.org/",  "karenina": "urn:karenina:vocab:"},
  "@type" : "DataFeed", "name":"Metals \\u00e9",
  "version": 1.10,  "dateCreated": "5 March",
  "dataFeedElement": [
    {"@id": "urn:uuid:a", "item": {"text": "Which?", "keywords" : "a",
      "hasPart": [ {"text": ""} ],
      "additionalProperty": [{"name":"finished","value":"TRUE"}] } } ],
\t"rating": [ { "additionalType": "GlobalRegexTrait", "bestRating" : " 5 " } ]}
"""


def test_a_text_laid_out_by_hand_keeps_its_hand() -> None:
    source = read_json(BY_HAND.encode())
    result = fixes.apply(source, fixes.fixes_of(source)).decode()
    wanted = BY_HAND
    for old, new in (
        ('"http://', '"https://'),
        ("1.10", '"1.10"'),
        ('"keywords" : "a"', '"keywords" : ["a"]'),
        ('[ {"text": ""} ]', '{"text": ""}'),
        ('"TRUE"', "true"),
        ('"GlobalRegexTrait"', '"karenina:GlobalRegexTrait"'),
        ('" 5 "', "5"),
    ):
        assert wanted.count(old) == 1
        wanted = wanted.replace(old, new)
    added = '"@type": "PropertyValue", "name": "benchmark_format_version", "value": "3.0.0-jsonld"'
    kept, end = wanted[:-2], wanted[-2:]
    assert result.startswith(f"{kept},")
    assert result.endswith(end)
    assert " ".join(result[len(kept) :].split()) == f', "additionalProperty": [{{{added}}}]}}'


@pytest.mark.parametrize(
    ("entries", "wanted"),
    [
        ("[]", '[{"name": "benchmark_format_version"}]'),
        ("[ ]", '[{"name": "benchmark_format_version"}]'),
        ('[{"name": "x"}]', '[{"name": "x"}, {"name": "benchmark_format_version"}]'),
    ],
)
def test_the_format_version_comes_after_the_properties_that_are_there(entries: str, wanted: str) -> None:
    text = (
        '{"@context": {"@vocab": "https://schema.org/"}, "dataFeedElement": [], "additionalProperty": %s, "name": "n"}'
    )
    source = read_json((text % entries).encode())
    result = fixes.apply(source, fixes.fixes_of(source)).decode()
    shortened = result.replace('"@type": "PropertyValue", ', "").replace(', "value": "3.0.0-jsonld"', "")
    assert shortened == text % wanted


@pytest.mark.parametrize(
    "change",
    [
        put(*TRAIT, "additionalType", value="karenina:GlobalRegexTrait"),
        put("rating", 0, "additionalType", value="karenina:GlobalRegexTrate"),
        put("dateModified", value="2020-01-01T00:00:00"),
        put("dateModified", value="5 March"),
        put("dataFeedElement", 0, "@id", value="urn:uuid:question-of-another-text"),
        put("dataFeedElement", 0, "@id", value="urn:uuid:question-metal-2"),
        put("rating", 0, "worstRating", value=9.0),
        put("rating", 0, "bestRating", value="five"),
        put("rating", 0, "bestRating", value="1_0"),
        put("rating", 0, "bestRating", value="1e999"),
        put("version", value=True),
        put(*QUESTION, "additionalProperty", 0, "value", value="banana"),
        put(*QUESTION, "hasPart", value=[]),
        put(*QUESTION, "hasPart", value=[{"text": "a"}, {"text": "b"}]),
        put("rating", 0, "description", value="http://schema.org/ as it was"),
        put("additionalProperty", 0, "name", value="benchmark_format_version"),
        rename(*QUESTION, "acceptedAnswer", to="acceptedAnser"),
    ],
)
def test_what_the_author_has_to_decide_is_left_alone(change: Callable[[Json], None]) -> None:
    tree = sound()
    change(tree)
    assert fixes.fixes_of(document(tree)) == ()


def test_values_of_properties_belong_to_the_author() -> None:
    tree = sound()
    tree["additionalProperty"] += [setting("finished", "yes"), setting("kind", "binary")]
    at(tree, *QUESTION)["additionalProperty"].append(setting("kind", "binary"))
    at(tree, *TRAIT)["additionalProperty"].append(setting("finished", "yes"))
    tree["additionalProperty"].append(setting("custom_http", {"@type": "http://schema.org/Thing", "version": 1}))
    assert fixes.fixes_of(document(tree)) == ()


def test_keys_that_are_iris_get_https_unless_two_would_become_one() -> None:
    tree = sound()
    tree["http://schema.org/license"] = "MIT"
    tree["http://schema.org/url"], tree["https://schema.org/url"] = "a", "b"
    (found,) = fixes.fixes_of(document(tree))
    assert (found.rule, found.pointer) == ("vocabulary-http", "/http:~1~1schema.org~1license")
    result = fixed(tree)
    assert result["https://schema.org/license"] == "MIT"
    assert (result["http://schema.org/url"], result["https://schema.org/url"]) == ("a", "b")


def test_where_keys_are_iris_no_plain_key_is_added() -> None:
    tree = {(key if key.startswith("@") else f"https://schema.org/{key}"): value for key, value in sound().items()}
    del tree["https://schema.org/additionalProperty"]
    assert reading.examine(document(tree).data).dialect == "datafeed-ns-v3"
    assert fixes.fixes_of(document(tree)) == ()


def test_types_that_are_iris_get_https() -> None:
    tree = sound()
    tree["creator"] = {"@type": "http://schema.org/Person", "name": "A. Smith"}
    tree["dataFeedElement"][0]["item"]["@type"] = ["http://schema.org/Question"]
    pointers = [one.pointer for one in fixes.fixes_of(document(tree)) if one.rule == "vocabulary-http"]
    assert pointers == ["/creator/@type", "/dataFeedElement/0/item/@type/0"]
    result = fixed(tree)
    assert result["creator"]["@type"] == "https://schema.org/Person"
    assert result["dataFeedElement"][0]["item"]["@type"] == ["https://schema.org/Question"]


def test_addresses_in_escapes_are_repaired_too() -> None:
    tree = sound()
    tree["@context"]["@vocab"] = "http://schema.org/"
    text = document(tree).data.replace(b"http://schema.org/", rb"\u0068ttp:\/\/schema.org/")
    source = read_json(text)
    assert json.loads(fixes.apply(source, fixes.fixes_of(source))) == sound()


def legacy() -> Json:
    tree = sound()
    tree["@context"] = {"@vocab": "http://schema.org/"}
    text = json.dumps(tree).replace("karenina:", "")
    return json.loads(text)


FIXED = sorted({rule for rule, _, _ in FAULTS.values()} | {"byte-order-mark"})


@pytest.mark.parametrize("slug", [one for one in FIXED if one != "json-ld-form" and example(by_slug()[one].code)])
def test_the_example_of_a_rule_is_repaired_where_its_finding_points(slug: str) -> None:
    found = example(by_slug()[slug].code)
    assert found is not None
    source = read_json(found.invalid)
    (pointer,) = (fix.pointer for fix in fixes.fixes_of(source) if fix.rule == slug)
    # A fix may know better which value it is: that inside a context, or one that is missing.
    inside = slug in {"vocabulary-http", "format-version-missing"}
    assert pointer.startswith(found.pointer) if inside else pointer == found.pointer
    checked = families.check(fixes.apply(source, fixes.fixes_of(source)), profiles.profile())
    assert slug not in [one.rule for one in checked.findings]


def test_the_guide_lists_every_rule_that_has_a_fix() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "validate.md").read_text(encoding="utf-8")
    section = guide.partition("\n## Fixes\n")[2].partition("\n## ")[0]
    assert sorted(set(re.findall(r"^\| .* \| `([a-z-]+)` \|$", section, re.MULTILINE))) == FIXED


def test_an_older_dialect_stays_what_it_is() -> None:
    assert reading.examine(document(legacy()).data).dialect == "datafeed-legacy"
    assert fixes.fixes_of(document(legacy())) == ()
    tree = legacy()
    tree["additionalProperty"], tree["version"] = [], 2
    assert [one.rule for one in fixes.fixes_of(document(tree))] == ["benchmark-version"]
    assert reading.examine(json.dumps(fixed(tree)).encode()).dialect == "datafeed-legacy"


@pytest.mark.parametrize(
    "value",
    [
        {"version": "2.0", "checkpoint": {}, "global_rubric": None},
        {"@type": "Dataset", "@context": {"@vocab": "http://schema.org/"}, "version": 1, "hasPart": []},
        [sound() | {"version": 1}],
        {"@graph": [sound() | {"version": 1}]},
        {"@context": {"@vocab": "http://schema.org/", "karenina": "urn:karenina:vocab:"}, "@graph": [sound()]},
        {"name": "package", "version": 1},
        [],
        "text",
    ],
)
def test_of_other_documents_only_the_byte_order_mark_goes(value: Json) -> None:
    assert fixes.fixes_of(document(value)) == ()
    source = read_json(b"\xef\xbb\xbf" + document(value).data)
    (found,) = fixes.fixes_of(source)
    assert found.rule == "byte-order-mark"
    assert fixes.apply(source, [found]) == document(value).data


def test_some_fixes_can_be_applied_without_the_others() -> None:
    tree = sound()
    FAULTS["a version as number"][2](tree)
    FAULTS["the kind binary"][2](tree)
    source = document(tree)
    by_rule = {one.rule: one for one in fixes.fixes_of(source)}
    result = json.loads(fixes.apply(source, [by_rule["benchmark-version"]]))
    wanted = copy.deepcopy(tree)
    wanted["version"] = "1.5"
    assert result == wanted


@pytest.mark.slow
def test_the_corpus_reads_as_before(corpus: Path) -> None:
    sources = [file for file in sorted(corpus.rglob("*.json*")) if file.suffix in {".json", ".jsonld"}]
    repaired = 0
    for file in sources:
        try:
            source = read_json(file.read_bytes())
            before = reading.examine(source.data)
        except ReadError:
            continue
        found = [one for one in fixes.fixes_of(source) if one.rule != "benchmark-version"]
        after = reading.examine(fixes.apply(source, found))
        trees = [datafeed.clean(one.tree) for one in (before, after)]
        for tree in trees:
            properties = tree.get("additionalProperty", [])
            tree["additionalProperty"] = [one for one in properties if one.get("name") != "benchmark_format_version"]
        assert trees[0] == trees[1], file.name
        repaired += bool(found)
    assert repaired


# --- Fixing is done once for all and never makes a finding, in every form, dialect and profile.


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
@pytest.mark.parametrize(("form", "start"), some([*product(FORMS, DOCUMENTS)], 5))
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
