"""Derived statements: what a checkpoint says in an encoding of its own, said once more as plain RDF, for shapes.

The role of every object by its place, the kinds of traits, the settings that stand in additional properties as
predicates (`karenina:maxTurns` for `max_turns`), what repeats what, and how the nodes of a scenario hang together.
They are never part of the graph of a checkpoint, and no mapper reads them.
"""

from checkpoint_ld.derivation.benchmark import derived
from checkpoint_ld.derivation.settings import SETTINGS, predicate_of
from checkpoint_ld.derivation.statements import Described

__all__ = ["SETTINGS", "Described", "derived", "predicate_of"]
