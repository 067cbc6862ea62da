"""The inferred statements of a benchmark follow its edits."""

from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.validation.inference import infer, with_inferred
from checkpoint_ld.validation.inference.followed_graph import FollowedGraph
from checkpoint_ld.validation.inference.following import FollowedInference, Unfollowed
from tests.benchmark.edits import EDITS, applied, sample
from tests.trials import examples

RANDOM = st.lists(
    st.tuples(st.sampled_from(sorted(EDITS.keys() - {"identifier"})), st.integers(0, 50)), min_size=1, max_size=6
)


@settings(max_examples=examples(60), deadline=None)
@given(RANDOM)
def test_inferred_statements_after_each_edit_are_those_of_the_whole(edits: list[tuple[str, int]]) -> None:
    benchmark = sample()
    graph = benchmark.graph
    followed, since = FollowedInference(graph), graph.follow()
    for edit in edits:
        before = set(triples_of(followed.inferred))
        applied(benchmark, *edit)
        difference, since = graph.difference(since), graph.follow()
        assert difference is not None
        try:
            changes = followed.change(difference)
        except Unfollowed:
            return
        after = set(triples_of(followed.inferred))
        assert after == set(triples_of(infer(graph)))
        assert set(changes.inferred) == before ^ after


@settings(max_examples=examples(100), deadline=None)
@given(RANDOM)
def test_a_graph_with_inferred_statements_follows_each_edit(edits: list[tuple[str, int]]) -> None:
    benchmark = sample()
    graph = benchmark.graph
    followed, since = FollowedGraph(graph), graph.follow()
    known = set(followed.applied())
    for edit in edits:
        applied(benchmark, *edit)
        difference, since = graph.difference(since), graph.follow()
        assert difference is not None
        expected = set(with_inferred(graph))
        try:
            found = followed.change(difference)
        except Unfollowed:
            return
        known = (known - set(found.removed)) | set(found.added)
        assert known == expected
        assert known == set(followed.applied())


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
