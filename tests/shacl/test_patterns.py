"""sh:pattern means what XPath says (SHACL 1.0 §4.4.3), whatever Python's regular expressions mean."""

import pytest
from rdflib import SH, Graph, Literal, Namespace

from checkpoint_ld import shacl
from checkpoint_ld.errors import ShapesWarning

EX = Namespace("http://example.org/")


def matching(pattern: str, flags: str, texts: list[str]) -> list[str]:
    data, shapes = Graph(), Graph()
    for text in texts:
        data.add((EX.a, EX.p, Literal(text)))
    shapes.add((EX.S, SH.targetNode, EX.a))
    shapes.add((EX.S, SH.path, EX.p))
    shapes.add((EX.S, SH.pattern, Literal(pattern)))
    if flags:
        shapes.add((EX.S, SH.flags, Literal(flags)))
    _, report, _ = shacl.validate(data, shapes)
    refused = set(map(str, report.objects(None, SH.value)))
    return [text for text in texts if text not in refused]


@pytest.mark.parametrize(
    ("pattern", "flags", "matched", "others"),
    [
        ("^a$", "", ["a"], ["a\n", "ab"]),
        ("^a$", "m", ["a", "a\nb"], ["ab"]),
        ("^a.b$", "", ["axb"], ["a\nb", "a\rb"]),
        ("^a.b$", "s", ["axb", "a\nb"], ["ab"]),
        ("^a b # c$", "x", ["ab#c"], ["a b # c", "ab"]),
        ("^[ ]$", "x", [" "], [""]),
        ("a.b", "q", ["xa.by"], ["axb"]),
        ("A.B", "qi", ["xa.by"], ["axb"]),
        ("^\\p{Lu}\\p{Ll}+$", "", ["\u00c4rger", "Ann"], ["ann", "ANN"]),
        ("^\\P{L}+$", "", ["12 3"], ["1a"]),
        ("^[\\p{L}\\d]+$", "", ["a\u00e41"], ["a-1"]),
        ("^[^\\P{L}]+$", "", ["ab"], ["a1"]),
        ("^[a-z-[aeiou]]+$", "", ["bcd"], ["bad"]),
        ("^[^a-[b]]$", "", ["c"], ["a", "b"]),
        ("^\\s$", "", [" ", "\t"], ["\u00a0", "\u2003"]),
        ("^\\w+$", "", ["na\u00efve1"], ["a_b", "a-b"]),
        ("^\\i\\c*$", "", ["a-b.c", "_x"], ["1a", "-a"]),
        ("^(\\d+)-\\1$", "", ["12-12"], ["12-13"]),
        ("(?i)^a(?!b)", "", ["Ac"], ["ab"]),
        (r"\bb\b", "", ["a b"], ["ab"]),
        ("^[a&&b]$", "", ["&", "a"], ["c"]),
    ],
)
def test_patterns_mean_what_xpath_says(pattern: str, flags: str, matched: list[str], others: list[str]) -> None:
    assert matching(pattern, flags, [*matched, *others]) == matched


@pytest.mark.parametrize("pattern", [r"\A", r"\x41", "a(?i)", r"\p{IsGreek}", "[a", "a)", "(a"])
def test_what_xpath_does_not_have_is_refused_with_the_name_of_the_shape(pattern: str) -> None:
    with pytest.warns(ShapesWarning, match=r"the shape <http://example\.org/S> is not applied"):
        assert matching(pattern, "", ["a"]) == ["a"]
