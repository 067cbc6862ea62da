"""The inferred statements of a benchmark follow its edits."""

from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.validation.inference import infer
from checkpoint_ld.validation.inference.following import FollowedInference, Unfollowed
from tests.benchmark.edits import EDITS, applied, sample
from tests.trials import examples


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(EDITS.keys() - {"identifier"})), st.integers(0, 50)), min_size=1, max_size=6
    )
)
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
