"""What expansion does not say about the objects of a tree: positions, texts of identifiers, residue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.expansion import IDENTIFIER
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.residue import RESIDUE, Residue, difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.annotation import Annotated, Placed
    from checkpoint_ld.graph.compaction import Compaction
    from checkpoint_ld.graph.store import Index


def complete(annotated: Annotated, objects: Sequence[Placed], reader: Compaction) -> None:
    """Add to the index of `reader` what the statements about `objects`, some of the annotated ones, leave unsaid."""
    index = reader.index
    for placed in objects:
        _tell_place(index, placed)
    # Children first: the residue of a child may be all that makes it a node, which its parent's reading shows.
    for placed in reversed(objects):
        subject = URIRef(placed.name)
        is_root = placed is annotated.objects[0]  # whose context is the document's
        source = {key: value for key, value in placed.source.items() if key != "@context" or not is_root}
        left = difference(source, reader.members(subject, placed.via), annotated.names, placed.set_apart)
        tell_residue(index, subject, left)


def _tell_place(index: Index, placed: Placed) -> None:
    subject = URIRef(placed.name)
    identifier = placed.source.get("@id")
    if isinstance(identifier, str) and not naming.tells(placed.name, identifier):
        index.setdefault(subject, {})[IDENTIFIER] = literal_of(identifier)
    if placed.position is not None and "position" not in placed.source:
        index.setdefault(subject, {})[POSITION] = literal_of(placed.position)


def tell_residue(index: Index, subject: Node, left: Residue) -> None:
    """Give a node its residue; a node of which nothing is said is none any more."""
    if left:
        index.setdefault(subject, {})[RESIDUE] = literal_of(left.as_json(), "@json")
    elif subject in index:
        index[subject].pop(RESIDUE, None)
        if not index[subject]:
            del index[subject]
