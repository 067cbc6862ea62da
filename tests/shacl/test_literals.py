"""Literals are judged by the patterns of their datatypes, and compared as SPARQL and XML Schema do."""

import pytest
from rdflib import SH, XSD, Graph, Literal, Namespace, URIRef

from checkpoint_ld import shacl

EX = Namespace("http://example.org/")


def conforms(value: Literal, parameter: URIRef, bound: URIRef | Literal) -> bool:
    data, shapes = Graph(), Graph()
    data.add((EX.a, EX.p, value))
    for triple in ((EX.S, SH.targetNode, EX.a), (EX.S, SH.path, EX.p), (EX.S, parameter, bound)):
        shapes.add(triple)
    return shacl.validate(data, shapes)[0]


def literal(text: str, name: str) -> Literal:
    return Literal(text, datatype=XSD[name], normalize=False)


FORMS = {
    "decimal": (["1", "-1.50", ".5", "5."], ["1e3", "", ".", "1,5", "INF", " 1"]),
    "integer": (["007", "+5", "-0", "9" * 5000], [" 5", "1_000", "1.0", "", "\u0665"]),
    "double": (["1e3", "INF", "-INF", "NaN", "5"], ["infinity", "nan", "inf", "1_0", "1e"]),
    "boolean": (["true", "0", "1", "false"], ["True", "yes", "none", ""]),
    "byte": (["127", "-128"], ["128", "-129", "a"]),
    "positiveInteger": (["1"], ["0", "-1"]),
    "unsignedLong": (["18446744073709551615"], ["18446744073709551616", "-1"]),
    "dateTime": (
        ["2026-02-28T24:00:00", "12026-01-01T00:00:00Z", "-0044-03-15T00:00:00", "2024-02-29T00:00:00.123456789+14:00"],
        ["2026-02-29T00:00:00", "2026-01-01", "2026-01-01T24:00:01", "2026-1-1T00:00:00", "02026-01-01T00:00:00"],
    ),
    "date": (["2026-11-28", "2026-11-28Z"], ["2026-11-31", "20261128"]),
    "time": (["24:00:00", "23:59:59.9Z"], ["24:00:01", "25:00:00", "12:00"]),
    "gYear": (["2026", "-0001"], ["26"]),
    "gMonthDay": (["--02-29"], ["--02-30", "02-29"]),
    "duration": (["P1Y2M3DT4H5M6.7S", "-P1D", "PT0S"], ["P", "PT", "P1DT", "1D"]),
    "hexBinary": (["", "0aFF"], ["0", "0g"]),
    "base64Binary": (["", "YQ==", "YWI=", "YWJj"], ["YQ", "Y", "YR=="]),
    "language": (["de", "en-GB"], ["", "english1"]),
    "NCName": (["a-b", "_x"], ["1a", "a:b", ""]),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_text_has_the_form_of_its_datatype(name: str) -> None:
    good, bad = FORMS[name]

    assert [text for text in good if not conforms(literal(text, name), SH.datatype, XSD[name])] == []
    assert [text for text in bad if conforms(literal(text, name), SH.datatype, XSD[name])] == []


@pytest.mark.parametrize(
    ("value", "least", "is_least"),
    [
        (("5", "integer"), ("5.0", "double"), True),
        (("9007199254740993", "integer"), ("9007199254740992", "double"), True),
        (("9007199254740993", "integer"), ("9007199254740994", "decimal"), False),
        (("1" + "0" * 400, "integer"), ("1e308", "double"), True),
        (("0.1", "float"), ("0.1", "double"), True),
        (("0.1", "decimal"), ("0.1", "float"), True),
        (("NaN", "double"), ("0", "integer"), False),
        (("12026-01-01T00:00:00Z", "dateTime"), ("2026-01-01T00:00:00Z", "dateTime"), True),
        (("2026-01-01T24:00:00", "dateTime"), ("2026-01-02T00:00:00", "dateTime"), True),
        (("2026-01-01T12:00:00+02:00", "dateTime"), ("2026-01-01T10:00:00Z", "dateTime"), True),
        (("2026-01-02T02:00:01", "dateTime"), ("2026-01-01T12:00:00Z", "dateTime"), True),
        (("2026-01-02T02:00:00", "dateTime"), ("2026-01-01T12:00:00Z", "dateTime"), False),
        (("2026-01-01T00:00:00", "dateTime"), ("2026-01-01T12:00:00Z", "dateTime"), False),
        (("1e3", "decimal"), ("0", "integer"), False),
        (("5", "string"), ("4", "integer"), False),
    ],
)
def test_values_are_compared_as_sparql_does(value: tuple[str, str], least: tuple[str, str], is_least: bool) -> None:
    assert conforms(literal(*value), SH.minInclusive, literal(*least)) is is_least
