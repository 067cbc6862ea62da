"""A benchmark with one of everything that exports tell of."""

import json

from checkpoint_ld import Benchmark
from checkpoint_ld.mapping.questions import default_template
from tests.documents import Json, canonical, item, rating, setting

VERIFIED = """\
class Answer(BaseAnswer):
    metal: str = VerifiedField(
        description="The metal", ground_truth="mercury", verify_with=ExactMatch(normalize=["lowercase"])
    )
    celsius: float = VerifiedField(
        description="Its melting point",
        ground_truth=-38.8,
        verify_with=NumericTolerance(tolerance=0.5, mode="absolute"),
        weight=2.0,
    )
"""

BROKEN = "class Answer(BaseAnswer:\n"

LIQUID, LIGHT, BLANK, NEW = (f"urn:uuid:{name}" for name in ("liquid", "light", "blank", "new"))


def load(tree: Json) -> Benchmark:
    return Benchmark.load(json.dumps(tree).encode())


def question(text: str, identifier: str, template: str | None = VERIFIED, **properties: Json) -> Json:
    made = item(text, identifier)
    given = made["item"]
    del given["rating"]
    del given["keywords"]
    given["hasPart"]["text"] = default_template(text) if template is None else template
    given["additionalProperty"] = [setting(name, value) for name, value in properties.items()]
    return made


def score(name: str, scope: str) -> Json:
    made = rating(name, scope, kind="score", higher_is_better=True)
    return {**made, "additionalType": f"karenina:{scope}RubricTrait", "bestRating": 1.0, "worstRating": 0.0}


def tree() -> Json:
    """Return three questions: a finished one with everything, a draft with a broken template, one without template."""
    first = question(
        "Which metal is liquid?",
        LIQUID,
        finished=True,
        author={"@type": "Person", "name": "Ada Smith"},
        sources=[{"@type": "Book", "name": "Metals"}],
        custom_Area="chemistry",
        custom_years=[2024, 2025],
    )
    first["item"]["keywords"] = ["metals", "liquids"]
    first["item"]["rating"] = [rating(), score("certainty", "QuestionSpecific")]
    made = canonical(
        first, question("Which is lightest?", LIGHT, BROKEN, finished=False), question("Which?", BLANK, None)
    )
    dynamic = rating("cites", "Global", pattern="x", dynamic_trait_type="regex")
    dynamic["additionalType"] = "karenina:GlobalDynamicRubricTrait"
    made["rating"] += [score("depth", "Global"), dynamic]
    return made


def benchmark() -> Benchmark:
    return load(tree())
