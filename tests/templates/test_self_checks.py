"""Templates that check themselves: what is found in them, where, and that what is sound is left alone."""

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.templates import read_template
from checkpoint_ld.templates.self_checks import contradiction, is_leaked, may_be_faulty, self_faults


def template(type_: str, truth: object, check: str, description: str = "The value") -> str:
    return (
        "class Answer(BaseAnswer):\n"
        f"    x: {type_} = VerifiedField(\n"
        f"        description={description!r}, ground_truth={truth!r}, verify_with={check}\n    )\n"
    )


FAULTY = [
    ("tolerance", template("float", 23, 'NumericTolerance(tolerance=1.0, mode="relative")'), "0 passes"),
    ("tolerance", template("float", 23, 'NumericTolerance(tolerance=-1.0, mode="relative")'), "not even the ground"),
    ("tolerance", template("float", 0, 'NumericTolerance(tolerance=0.1, mode="relative")'), "only 0 passes"),
    ("tolerance", template("str", "2020-01-01", "DateTolerance(tolerance=-1)"), "not even the ground truth"),
    ("own-truth", template("float", 23, "NumericRange(min=1, max=3)"), "does not pass NumericRange"),
    ("own-truth", template("str", "Au", 'RegexMatch(pattern="Ag")'), '"Au" does not pass'),
    ("own-truth", template("str", "Au", 'ContainsAll(substrings=["Au", "Ag"])'), '"Au" does not pass'),
    ("empty-answer", template("str", "Au", 'RegexMatch(pattern="(Au)?")'), "an empty text passes"),
    ("empty-answer", template("str", "Au", 'ContainsAny(substrings=[""])'), "an empty text passes"),
    ("empty-answer", template("bool", True, 'TraceRegex(pattern="a*")'), "an empty response passes"),
    ("leaked-truth", template("str", "Au", "ExactMatch()", "The symbol (Au)"), 'contains the ground truth "Au"'),
    ("leaked-truth", template("int", 79, "NumericExact()", "The number: 79"), "contains the ground truth 79"),
    ("leaked-truth", template("list[str]", ["gold"], "SetContainment()", "Metals as gold"), 'the ground truth "gold"'),
    ("leaked-truth", template("Literal['low', 'high']", "low", "LiteralMatch()", "It is low"), 'truth "low"'),
]
SOUND = [
    template("float", 23, 'NumericTolerance(tolerance=0.05, mode="relative")'),
    template("float", 0, 'NumericTolerance(tolerance=0.1, mode="absolute")'),
    template("float", 2, "NumericRange(min=1, max=3)"),
    template("str", "Au", 'RegexMatch(pattern="A[u]+")'),
    template("str", "Au", "ExactMatch()", "The symbol, such as Ag, Au or Fe"),
    template("int", 7, "NumericExact()", "A number from 1 to 10"),
    template("bool", True, "BooleanMatch()", "True if the answer says so"),
    template("Literal['low', 'high']", "low", "LiteralMatch()", "Whether it is low or high"),
]


@pytest.mark.parametrize(("kind", "source", "words"), FAULTY)
def test_a_fault_has_its_kind_its_line_and_its_reason(kind: str, source: str, words: str) -> None:
    [found] = self_faults(read_template(source))
    assert (found.kind, found.line) == (kind, 2)
    assert words in found.message


@pytest.mark.parametrize("source", SOUND)
def test_what_is_sound_has_no_fault(source: str) -> None:
    assert [*self_faults(read_template(source))] == []


def test_faults_are_found_among_many_templates_that_are_alike() -> None:
    """Templates of one form are not read again; what depends on their values is found all the same."""
    made = Benchmark("Metals")
    for number in range(60):
        leak = " (copper 41)" if number == 41 else ""
        source = template("str", f"copper {number}", "ExactMatch()", f"The metal of {number + 100}{leak}")
        source = source.replace("RegexMatch", "ExactMatch")
        made.add_question(f"Which is it, {number}?", f"copper {number}", answer_template=source)
    found = [finding for finding in made.validate().report.findings if finding.code.startswith("KT")]
    assert [(finding.code, finding.subject) for finding in found] == [("KT019", 'question "Which is it, 41?"')]


@pytest.mark.parametrize("source", [source for kind, source, _ in FAULTY if kind in ("own-truth", "leaked-truth")])
def test_templates_whose_values_are_at_fault_are_read(source: str) -> None:
    assert may_be_faulty(source)


@pytest.mark.parametrize(
    ("source", "reference", "contradicts"),
    [
        (template("int", 23, "NumericExact()"), "24", True),
        (template("int", 23, "NumericExact()"), "24 chromosomes", True),
        (template("int", 23, "NumericExact()"), "23.", False),
        (template("int", 23, "NumericExact()"), "23 pairs, 46 in all", False),
        (template("float", 2400, "NumericExact()"), "2.4 kg", False),
        (template("str", "Paris", "ExactMatch()"), "London", True),
        (template("str", "Paris", "ExactMatch()"), "paris, France", False),
        (template("str", "Hg", "ExactMatch()"), "Mercury", False),
        (template("bool", True, "BooleanMatch()"), "No", True),
        (template("bool", True, "BooleanMatch()"), "yes", False),
        (template("Literal['low', 'high']", "low", "LiteralMatch()"), "High", True),
        ("x = 5", "24", False),
    ],
)
def test_a_reference_answer_is_held_against_the_template(source: str, reference: str, contradicts: bool) -> None:
    assert (contradiction(source, reference) is not None) is contradicts


def test_two_questions_with_one_text_and_two_answers_are_found_also_after_an_edit() -> None:
    made = Benchmark("Metals")
    for number, answer in enumerate(("Mercury", "mercury.", "Gallium")):
        made.add_question("Which metal is liquid?", answer, question_id=f"urn:q:{number}")
    assert [finding.code for finding in made.validate().report.findings].count("KQ022") == 1
    made.update_question_metadata("urn:q:0", raw_answer="Gallium")
    found = [finding for finding in made.validate().report.findings if finding.code == "KQ022"]
    assert len(found) == 1
    assert 'another answer than "mercury."' in found[0].message


@pytest.mark.parametrize(
    ("truth", "text", "is_found"),
    [
        ("Au", "AuAg", False),
        ("a", "a", False),
        (79, "79 or 80", False),
        (1.5, "about 1.5", True),
        (True, "True", False),
    ],
)
def test_only_whole_words_and_numbers_are_leaks(truth: object, text: str, is_found: bool) -> None:
    assert is_leaked(truth, text) is is_found  # type: ignore[arg-type]
