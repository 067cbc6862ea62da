"""Code out of documents, run because somebody trusts it: in a process of its own, under limits, and loudly."""

from checkpoint_ld.confinement.running import run
from checkpoint_ld.confinement.trust import Trust

__all__ = ["Trust", "run"]
