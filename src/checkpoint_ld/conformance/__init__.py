"""A published suite of tests that any store of agent checkpoints can be held to.

    from checkpoint_ld.conformance import conformance

    test_my_store = conformance(lambda folder: MyStore(folder / "checkpoints"))

The cases are grouped by what a store is able to do (`CheckpointStore.capabilities`, and what the manager does with
any store). A case about something that a store declares not to do is reported as skipped, with that as its reason.
pytest is needed, which checkpoint-ld does not install.
"""

from checkpoint_ld.conformance.suite import Case, Damage, StoreFactory, Subject, cases, conformance

__all__ = ["Case", "Damage", "StoreFactory", "Subject", "cases", "conformance"]
