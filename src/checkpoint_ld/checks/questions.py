"""Checks on questions: the elements of a feed, and what a question of a feed or of a scenario consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.checks.dates import ITEM, check_dates
from checkpoint_ld.checks.properties import check_question_properties
from checkpoint_ld.checks.ratings import QUESTION_SCOPE, check_rubric
from checkpoint_ld.checks.readings import given, local_name, shown
from checkpoint_ld.checks.sources import python_fault

if TYPE_CHECKING:
    from checkpoint_ld.checks.spot import Spot


def check_elements(spot: Spot, elements: object) -> None:
    """Check the elements of a feed, each a question with its dates and identifier."""
    seen: set[str] = set()
    for place, element in spot.entries(elements):
        if not isinstance(element, dict):
            place.report("item-object", f"the element is {shown(element)}, not an object with a question")
            continue
        question = element.get("item")
        about = place.about("question", _name_of(question) or element.get("@id"))
        _check_id(about, element.get("@id"), seen)
        check_dates(about, element, ITEM)
        if not isinstance(question, dict):
            about.at("item").report(
                "item-question", f"the question is {given(question)}", "write the question as an object"
            )
            continue
        _check_keywords(about, element.get("keywords"), question.get("keywords"))
        item = about.at("item")
        check_question(item, question)
        check_rubric(item.at("rating"), question.get("rating"), QUESTION_SCOPE)
        check_question_properties(item.at("additionalProperty"), question.get("additionalProperty"))


def check_question(spot: Spot, question: dict[str, object]) -> None:
    """Check text, answer and template, which every question has."""
    text = question.get("text")
    if not isinstance(text, str) or not text:
        spot.at("text").report("question-text", f"the text of the question is {given(text)}")
    _check_answer(spot.at("acceptedAnswer"), question.get("acceptedAnswer"))
    _check_templates(spot.at("hasPart"), question.get("hasPart"))


def _name_of(question: object) -> str | None:
    text = question.get("text") if isinstance(question, dict) else None
    return text if isinstance(text, str) else None


def _check_id(spot: Spot, identifier: object, seen: set[str]) -> None:
    if not isinstance(identifier, str) or not identifier:
        spot.at("@id").report("item-id", f"the @id is {given(identifier)}; one is computed from the text")
    elif identifier in seen:
        message = f"an earlier question has the @id {shown(identifier)}; this one gets a suffix"
        spot.at("@id").report("item-id-duplicate", message)
    else:
        seen.add(identifier)


def _check_keywords(spot: Spot, old: object, new: object) -> None:
    old_words = _words(spot.at("keywords"), old)
    new_words = _words(spot.at("item", "keywords"), new)
    if old_words and new_words and old_words != new_words:
        odd = min(old_words ^ new_words)
        message = f"the keywords of item and question differ, for one in {shown(odd)}; all of them count"
        spot.at("keywords").report("keywords-differ", message, "keep the keywords of the question only")


def _words(spot: Spot, keywords: object) -> set[str]:
    if isinstance(keywords, list) and all(isinstance(one, str) for one in keywords):
        return set(keywords)  # as below, but for the spots that nothing has to be said about
    words = set()
    for place, keyword in spot.entries(keywords):
        if isinstance(keyword, str):
            words.add(keyword)
        else:
            place.report("keyword-text", f"the keyword is {shown(keyword)}, not text", "write keywords as texts")
    return words


def _check_answer(spot: Spot, answers: object) -> None:
    found = list(spot.entries(answers))
    if len(found) != 1:
        spot.report(
            "question-answer", f"there are {len(found)} accepted answers" if found else "there is no accepted answer"
        )
        return
    place, answer = found[0]
    if not isinstance(answer, dict):
        place.report("question-answer", f"the accepted answer is {shown(answer)}, not an object")
    elif not isinstance(answer.get("text"), str):
        place.at("text").report("answer-text", f"the text of the accepted answer is {given(answer.get('text'))}")


def _check_templates(spot: Spot, templates: object) -> None:
    found = list(spot.entries(templates))
    if not found:
        spot.report("template-missing", "there is no answer template")
    elif len(found) > 1:
        spot.report("template-single", f"there are {len(found)} answer templates")
    else:
        _check_template(*found[0])


def _check_template(spot: Spot, template: object) -> None:
    if not isinstance(template, dict):
        spot.report("template-single", f"the answer template is {shown(template)}, not an object")
        return
    kind, language, source = (template.get(member) for member in ("@type", "programmingLanguage", "text"))
    kinds = [one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str) and one]
    if any(local_name(one) != "SoftwareSourceCode" for one in kinds):
        spot.at("@type").report(
            "template-type", f"the answer template is of type {shown(kind)}, not SoftwareSourceCode"
        )
    if language is not None:
        _check_language(spot.at("programmingLanguage"), language)
    if source is None:
        spot.at("text").report("template-text-missing", "the answer template has no text")
    elif isinstance(source, str):
        _check_python(spot.at("text"), source)
    else:
        spot.at("text").report("template-text", f"the text of the answer template is {shown(source)}")


def _check_language(spot: Spot, language: object) -> None:
    if language == "Python":
        return
    is_spelt_otherwise = isinstance(language, str) and language.casefold() == "python"
    spot.report(
        "template-language-spelling" if is_spelt_otherwise else "template-language",
        f"programmingLanguage is {shown(language)}",
        "write Python",
    )


def _check_python(spot: Spot, source: str) -> None:
    faults = spot.inquiry.python_faults
    if source not in faults:
        faults[source] = python_fault(source)
    if fault := faults[source]:
        spot.report("template-syntax", f"the template is no Python: {fault}")
