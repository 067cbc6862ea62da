#!/bin/sh
# pyoxigraph 0.5.13: what it serializes it may not parse again. A literal of 16 MiB is written as N-Triples, N-Quads, Turtle
# and TriG without a word, and the same text is refused with MemoryError when it is parsed, whatever the machine's memory.
# RDF/XML of the same statement is parsed. The limit, 16,777,216 bytes, is one of the whole line in N-Triples and N-Quads:
# with a longer predicate the longest literal is shorter. It counts bytes of UTF-8, not characters.
#
# Why a good guess is wrong: RDF has no limit of length, a round trip within one library looks safe by construction, and
# MemoryError says that memory is lacking, so that people buy more of it.
# Whom it hurts: whoever keeps long texts as literals, such as traces of agents, logs and base64: dumps, backups and copies
# between stores are written and cannot be loaded.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyoxigraph==0.5.13
"$folder/venv/bin/python" - <<'PYTHON'
import pyoxigraph as ox

LIMIT = 2**24
subject, short, long = ox.NamedNode("urn:a"), ox.NamedNode("urn:b"), ox.NamedNode("urn:b" + "b" * 300)


def comes_back(triple, syntax):
    """Return whether what pyoxigraph writes of a triple is what it reads."""
    text = ox.serialize([triple], format=syntax)
    try:
        return [quad.triple for quad in ox.parse(text, format=syntax)] == [triple]
    except MemoryError as error:
        assert "buffer maximal size" in str(error), error
        return False


def longest(predicate, text="x"):
    """Return how many times a text may be repeated in a literal of N-Triples that comes back."""
    low, high = 0, LIMIT
    while high - low > 1:
        middle = (low + high) // 2
        triple = ox.Triple(subject, predicate, ox.Literal(text * middle))
        low, high = (middle, high) if comes_back(triple, ox.RdfFormat.N_TRIPLES) else (low, middle)
    return low


triple = ox.Triple(subject, short, ox.Literal("x" * LIMIT))
seen = {str(one): comes_back(triple, one) for one in (
    ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS, ox.RdfFormat.TURTLE, ox.RdfFormat.TRIG, ox.RdfFormat.RDF_XML
)}
print("a literal of 16 MiB comes back:", seen)
assert seen == {"N-Triples": False, "N-Quads": False, "Turtle": False, "TriG": False, "RDF/XML": True}, seen
lengths = longest(short), longest(long), longest(short, "é")
print("longest literal with a short predicate, with one of 300 characters more, and of two-byte characters:", lengths)
assert lengths[0] < LIMIT
assert lengths[0] - lengths[1] == 300
assert lengths[2] == lengths[0] // 2
PYTHON
