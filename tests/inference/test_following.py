"""A graph with the inferred statements follows the edits of its benchmark."""

from checkpoint_ld.validation.inference import with_inferred
from checkpoint_ld.validation.inference.followed_graph import FollowedGraph
from tests.benchmark.edits import applied, sample


def test_the_usual_edits_are_followed() -> None:
    benchmark = sample()
    graph = benchmark.graph
    benchmark.set_question_author(benchmark.get_question_ids()[0], {"name": "Ada", "orcid": "0000-0002-1825-0097"})
    followed, since = FollowedGraph(graph), graph.follow()
    for at, name in enumerate(("author", "metadata", "text", "template", "trait", "question", "no question", "moved")):
        applied(benchmark, name, 3 * at + 1)
        difference, since = graph.difference(since), graph.follow()
        assert difference is not None
        followed.change(difference)
        assert set(followed.applied()) == set(with_inferred(graph)), name
