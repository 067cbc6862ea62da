"""Checkpoints and literals to send round by stores: agents, benchmarks, numbers of all sizes, dates, ids."""

import json
import sys

import pyoxigraph

from checkpoint_ld import families
from checkpoint_ld.stores.remote import Outgoing, outgoing
from checkpoint_ld.vocabulary import XSD
from tests import documents
from tests.agents.documents import call, checkpoint, second, thought

NUMBERS = (
    0.32383276483316237,
    0.8512345678,
    0.1,
    4.35,
    1e-7,
    1e21,
    123456.5,
    123456789.12345678,
    sys.float_info.max,
    5e-324,
)
"""Doubles of which six digits, or sixteen, are not enough."""
INTEGERS = (0, 2**31 - 1, 2**31, -(2**31) - 1, 1795839218123, 2**53 + 1, 2**63 - 1)
LITERALS = [
    *(("double", repr(number)) for number in (*NUMBERS, 1.0, -0.0, 3e9, 1e15, 0.5)),
    *(("integer", str(number)) for number in INTEGERS),
    *(("decimal", text) for text in ("0.5", "5.0", "12345678901234567890.123456789012345", "-0.25", "3000000000.5")),
    *(("float", text) for text in ("0.1", "1.5", "16777216")),
    *(("boolean", text) for text in ("true", "false")),
    *(("long", text) for text in ("5", "5000000000")),
    ("dateTime", "2026-11-28T12:00:00.123456Z"),
    ("dateTime", "2026-11-28T12:00:00"),
    ("dateTime", "2026-11-28T12:00:00.120-05:30"),
    ("dateTime", "0001-01-01T00:00:00Z"),
    ("dateTime", "9999-12-31T23:59:59.999999Z"),
    ("date", "2026-11-28"),
    ("time", "12:00:00"),
    ("anyURI", "https://example.org/ä"),
    ("duration", "P1D"),
]
CHANGED = [
    ("integer", "abc"),
    ("integer", "1.5"),
    ("integer", "1" + "0" * 40),
    ("decimal", "0.1234567890123456"),
    ("dateTime", "2026-11-28T12:00:00.1234567Z"),
    ("dateTime", "-0044-03-15T12:00:00Z"),
    ("dateTime", "2026-11-28"),
    ("integer", str(2**63)),
    ("integer", str(-(10**39))),
]
"""Literals that some store keeps under another value; most are invalid."""
TEXTS = ('"', "\\", "\n\r\t", "\\n", "\x07", "\ufffe\U0010ffff", "😀 é", " a ", "", "INF", "x" * 20_000)


def literals(pairs: list[tuple[str, str]], texts: tuple[str, ...] = ()) -> Outgoing:
    """Return a graph with these literals, each of its own property."""
    lines = [f'<urn:s> <urn:p:{at}> "{text}"^^<{XSD}{kind}> .' for at, (kind, text) in enumerate(pairs)]
    lines += [f"<urn:s> <urn:text:{at}> {pyoxigraph.Literal(text)} ." for at, text in enumerate(texts)]
    if texts:
        lines += [
            '<urn:s> <urn:lang> "colour"@en-GB .',
            "<urn:s> <urn:iri> <urn:q:a%20b%22%3C%23/%25?ä#/item/rating/0> .",
        ]
    data = "".join(f"{line}\n" for line in sorted(lines)).encode()
    return Outgoing(f"urn:literals:{len(pairs)}", data, len(lines), str(len(data)), "literals")


def benchmark() -> Outgoing:
    """Return a benchmark with odd numbers and ids."""
    tree = documents.canonical(
        *(documents.item(f"Is it {number!r}?", f"urn:uuid:question-{at}") for at, number in enumerate(NUMBERS))
    )
    for number, held in zip(NUMBERS, tree["dataFeedElement"], strict=True):
        held["item"]["rating"] = [documents.rating(threshold=number, count=1795839218123)]
    read = families.examine_bytes(json.dumps({**tree, "@id": "urn:uuid:karenina-checkpoint-odd"}).encode())
    return outgoing(families.graph_of(read), "benchmark.jsonld")


def agents() -> list[Outgoing]:
    """Return agent checkpoints of both shapes, with odd numbers."""
    thoughts = [thought(f"t{at}", confidence=number) for at, number in enumerate(NUMBERS) if 0 <= number <= 1]
    given = {"numbers": [*NUMBERS, *INTEGERS], "odd": {"a <1>": [None, True, {}], "ä": "\u0007"}}
    first = checkpoint(thoughts, [call(arguments=given)], id="ckpt odd <1>", timestamp=1795839218123)
    trees = [first, second(id="ckpt_2", timestamp=2**53 - 1)]
    read = [families.examine_bytes(json.dumps(tree).encode()) for tree in trees]
    return [outgoing(families.graph_of(one), f"agent-{at}.json") for at, one in enumerate(read)]
