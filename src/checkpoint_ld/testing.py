"""For the tests of others: the suite that any store of agent checkpoints can be held to."""

from checkpoint_ld.conformance import conformance

__all__ = ["conformance"]
