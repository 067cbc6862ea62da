"""Three small benchmarks of which every named query has something to say; `expected.json` holds it, checked by hand."""

import copy
import json

from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.mapping.questions import default_template
from checkpoint_ld.sparql import Dataset
from checkpoint_ld.validation.inference import with_inferred
from tests.documents import Json, canonical, item, rating, scenario, setting

TEMPLATE = """class Answer(BaseAnswer):
    metal: str = VerifiedField(description="The metal", ground_truth="mercury", verify_with=ExactMatch())
    sure: bool
"""


def metals() -> Json:
    """Return a benchmark with one question that is done, and one that is not."""
    done, open_ = item(identifier="urn:q:liquid"), item("Which metal is lightest?", "urn:q:light-1")
    done["item"]["hasPart"]["text"] = TEMPLATE
    done["item"]["additionalProperty"] += [
        setting("author", json.dumps({"@type": "Person", "name": "B. Jones"})),
        setting("sources", json.dumps([{"@type": "CreativeWork", "name": "Handbook"}])),
        setting("custom_level", "easy"),
    ]
    open_["item"]["acceptedAnswer"]["text"] = "Lithium"
    open_["item"]["hasPart"]["text"] = default_template("Which metal is lightest?")
    open_["item"]["keywords"] = ["physics", "chemistry"]
    open_["item"]["additionalProperty"] = [setting("finished", False), setting("custom_level", "hard")]
    open_["item"]["rating"] = []
    open_["dateModified"] = "2026-02-01T00:30:00"
    tree = canonical(done, open_)
    tree["@id"] = "urn:b:metals"
    return tree


def elements() -> Json:
    """Return a benchmark that shares a question with the first one, and has oddities of its own."""
    light, near = item("Which metal is lightest?", "urn:q:light-2"), item("which  metal is lightest", "urn:q:light-3")
    light["item"]["acceptedAnswer"]["text"] = "Li"
    light["item"]["rating"][0].update({"bestRating": 0.0, "worstRating": 1.0})
    light["dateModified"] = "2026-02-01T00:30:00+01:00"
    del near["item"]["hasPart"], near["item"]["acceptedAnswer"], near["item"]["additionalProperty"]
    near["item"]["keyword"] = "misspelt"
    near["item"]["rating"] = []
    near["item"]["keywords"] = []
    tree = canonical(light, near)
    tree.update(
        {
            "@id": "urn:b:elements",
            "name": "Elements",
            "version": "2.0",
            "creator": {"@type": "Person", "name": "C. Lee"},
        }
    )
    tree["rating"] = [rating("tone", "Global", pattern="^[a-z]", case_sensitive=False)]
    tree["additionalProperty"].append(setting("team", ["x", "y"]))
    return tree


def dialogues() -> Json:
    """Return a benchmark of a scenario with two turns, the questions of which say nothing about being finished."""
    tree = copy.deepcopy(scenario())
    tree.update({"@id": "urn:b:dialogues", "name": "Dialogues"})
    return tree


def dataset(*, derived: bool = True) -> Dataset:
    """Return the three, each with its dialect."""
    made = Dataset()
    for tree, dialect in ((metals(), "first"), (elements(), "second"), (dialogues(), "first")):
        graph = CheckpointGraph.of_tree(tree)
        made.add(with_inferred(graph) if derived else graph, dialect=dialect)
    return made
