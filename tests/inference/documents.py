"""Documents that say everything from which something follows, and documents that say it oddly."""

import copy
import json

from hypothesis import strategies as st

from checkpoint_ld.templates.specification import source_of
from tests.documents import Json, canonical, item, rating, setting
from tests.templates.specs import specs

TEMPLATE = """class Answer(BaseAnswer):
    celsius: float = VerifiedField(
        description="The temperature",
        ground_truth=1064,
        verify_with=NumericTolerance(tolerance=0.1),
        weight=2,
    )
    metal: str = VerifiedField(
        description="The metal",
        ground_truth="Gold",
        verify_with=ContainsAny(substrings=["gold", "Au"]),
        extraction_hint="its name",
    )

    class VerificationStrategy:
        verify_strategy = AtLeastN(n=1, conditions=[FieldCheck(field="celsius"), FieldCheck(field="metal")])
"""
ADA = {"@type": "Person", "name": "Ada", "email": "ada@example.org", "orcid": "0000-0002-1825-0097"}
HANDBOOK = {"title": "Handbook of Metals", "doi": "10.1000/182", "author": [{"name": "B."}, "C."], "year": 1999}


def document_of(*questions: Json, **members: Json) -> Json:
    """Return a canonical document with these feed items and these members of the root."""
    return {**canonical(*questions), **members}


def question(
    text: str = "Q?", *, template: str | None = None, traits: tuple[Json, ...] = (), **properties: Json
) -> Json:
    """Return a feed item whose question has this template, these ratings and these additional properties."""
    one = item(text, f"urn:uuid:{text.strip('?').replace(' ', '-')}")
    inner = one["item"]
    inner["rating"] = list(traits)
    inner["additionalProperty"] += [setting(name, value) for name, value in properties.items()]
    if template is not None:
        inner["hasPart"]["text"] = template
    return one


def telling() -> Json:
    """Return a document from which something of every sort follows."""
    literal = rating("tone", kind="literal", classes={"dry": "no adjectives", "florid": "many"}, metrics=["recall"])
    literal["additionalType"] = "karenina:QuestionSpecificLLMRubricTrait"
    first = question(
        "At what temperature does gold melt?",
        template=TEMPLATE,
        traits=(rating(), literal),
        author=json.dumps(ADA),
        sources=json.dumps([HANDBOOK]),
        answer_notes="in °C",
    )
    return document_of(first, question("And silver?"), creator={"@type": "Person", "name": "A. Smith"})


NAMES = (
    *("karenina:derived", "karenina:Derived", "karenina:pattern", "karenina:templateField", "karenina:finished"),
    *("author", "citation", "karenina:primitive", "karenina:tolerance", "karenina:traitClass"),
)
TYPES = ("karenina:Derived", "karenina:Trait", "karenina:RegexTrait", "karenina:TemplateField", "Person")
VALUES = st.one_of(
    st.sampled_from(
        ["x", "", True, 1, 2.5, None, [], ["b", "a", "b"], {"@id": "https://orcid.org/0000-0002-1825-0097"}]
    ),
    st.sampled_from(
        [{"name": "Ada"}, {"@type": "Person", "@id": "urn:x:ada"}, {"@type": "karenina:Derived", "name": "n"}]
    ),
)
MAKERS = st.sampled_from(
    [
        *(None, "", "Ada", "[", "{}", "[[]]", 5, True, [], ["A", "B"], json.dumps(ADA), [ADA, "B"], {"name": None}),
        *({"url": "https://example.org/ada"}, {"@id": "urn:x#/item"}, {"name": "sk-" + "a" * 20, "url": "no iri"}),
        *(
            {"name": ["a", {"name": "b"}], "affiliation": {"name": "Lab"}},
            json.dumps({"name": "\ud83d"}),
            {"@id": "urn:uuid:Q"},
        ),
    ]
)
TRAITS = st.sampled_from(
    [
        rating(),
        rating("other", "Global", pattern="(", case_sensitive="yes"),
        rating("odd", kind=None, classes=[1], max_score=1e308),
        {"@type": "Rating", "name": "no trait"},
        {**rating("classes", kind="literal", classes={"a": "", "b": 1}), "additionalType": "GlobalLLMRubricTrait"},
        {**rating("m", metrics=["f1"], tp_instructions="x"), "additionalType": "karenina:GlobalMetricRubricTrait"},
        {**rating("d", dynamic_trait_type="regex", pattern="a"), "additionalType": "karenina:GlobalDynamicRubricTrait"},
    ]
).map(copy.deepcopy)
TEMPLATES = st.one_of(
    st.sampled_from(["", "class Answer(BaseAnswer):\n    x: int\n", "def (", TEMPLATE]), specs().map(source_of)
)


@st.composite
def documents(draw: st.DrawFn) -> Json:
    """Canonical documents from which much follows, and which use names that are derived in ways of their own."""
    tree = canonical(
        *(
            question(
                f"Q{at}?",
                template=draw(TEMPLATES),
                traits=tuple(draw(st.lists(TRAITS, max_size=2))),
                author=draw(MAKERS),
                sources=draw(MAKERS),
                finished=draw(st.sampled_from([True, "no", None, []])),
            )
            for at in range(draw(st.integers(1, 2)))
        )
    )
    tree["creator"] = draw(st.one_of(st.just("A"), st.sampled_from([ADA, ["A", ADA], None, 3, {"name": "nobody"}])))
    first = tree["dataFeedElement"][0]
    for one in (tree, first, first["item"], tree["rating"][0], first["item"]["hasPart"]):
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=2)):
            one[name] = copy.deepcopy(draw(VALUES))
        if draw(st.integers(0, 5)) == 0:
            one["@type"] = [one["@type"], draw(st.sampled_from(TYPES))]
    return tree
