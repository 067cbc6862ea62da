"""The answer templates of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from checkpoint_ld import templates
from checkpoint_ld.arguments import renamed
from checkpoint_ld.dialects.datafeed import new_template_of
from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.documents.values import shown
from checkpoint_ld.errors import LookupFailedError, WriteError
from checkpoint_ld.facets import template_exchange
from checkpoint_ld.facets.given import source_given
from checkpoint_ld.facets.question_object import set_text
from checkpoint_ld.facets.questions import Questions
from checkpoint_ld.identifiers import template_id
from checkpoint_ld.mapping.properties import as_list
from checkpoint_ld.mapping.questions import TEMPLATES, has_template, is_finished, is_own, question_of, source_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from checkpoint_ld.entities import TemplateSpec
    from checkpoint_ld.facets.facet import Json
    from checkpoint_ld.facets.template_exchange import FinishedTemplate


class Templates(Questions):
    """Answer templates: Python texts that are read and written, never run.

    A question has a template if it has a text that is neither blank nor the placeholder that Karenina writes for none.
    Where a question is asked for that is not there, LookupFailedError is raised.
    """

    @renamed(code="template_code")
    def add_answer_template(self, question_id: str, template_code: str | TemplateSpec | type) -> None:
        """Give a question a template instead of the one that it has: Python source, a specification or an answer class.

        A class is written as its source, under the name `Answer`. Raises WriteError, with lines and what to do, for a
        text that is no template: what is no Python, has no class that derives from BaseAnswer, cannot tell right from
        wrong, or defines a field that cannot be made; and for a class whose source is not to be found.
        """
        self._set_source(question_id, _checked(template_code))
        self._touch(self._node(question_id))

    update_template = add_answer_template

    @renamed(from_question_id="from_id", to_question_id="to_id")
    def copy_template(self, from_id: str, to_id: str) -> None:
        """Give a question the template of another. Raises as `get_template` and `add_answer_template` do."""
        self.add_answer_template(to_id, self.get_template(from_id))

    def has_template(self, question_id: str) -> bool:
        """Tell whether a question has a template; one that is not there has none."""
        return question_id in self._elements() and is_own(self._source_text(question_id))

    def get_template(self, question_id: str) -> str:
        """Return the source of a question's template. Raises LookupFailedError if it has none."""
        source = self._source_text(question_id)
        if source is None or not is_own(source):
            raise LookupFailedError(f"the question {question_id!r} has no template: see get_missing_templates()")
        return source

    def get_template_spec(self, question_id: str) -> TemplateSpec | None:
        """Return what a question's template says as data, None if there is none or not all of it can be read as such.

        Methods of the template and fields that do not say how they are verified are left out.
        """
        return templates.spec_of(templates.read_template(self._source_text(question_id)))

    def get_template_id(self, question_id: str) -> str:
        """Return the identifier by which results of verification name the template of a question, `no_template` too.

        It is the MD5 hash of the source without what is mere layout; the placeholder has one as well.
        """
        return template_id(self._source_text(question_id))

    @overload
    def get_missing_templates(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_missing_templates(self, ids_only: Literal[True]) -> list[str]: ...
    def get_missing_templates(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return the questions that have no template, as dictionaries or only their identifiers."""
        missing = [one for one, item in self._items(TEMPLATES).items() if not has_template(item)]
        return self._listed(missing, ids_only=ids_only)

    @renamed(code="template_code")
    def apply_global_template(self, template_code: str | TemplateSpec | type) -> list[str]:
        """Give all questions without a template this one; return their identifiers. Raises as `add_answer_template`."""
        source = _checked(template_code)
        missing = self.get_missing_templates(ids_only=True)
        for question_id in missing:
            self._set_source(question_id, source)
        if missing:
            self._touch(*map(self._node, missing))
        return missing

    def validate_templates(self) -> tuple[bool, list[dict[str, str]]]:
        """Tell whether all templates can be used, and what is wrong with them.

        Each fault has the `question_id` and an `error`, with the line and what to do. Questions without a template are
        no fault. Templates are read, not run: this is what can be told from the text.
        """
        errors = [
            {"question_id": question_id, "error": error}
            for question_id, source in self._own_sources().items()
            for error in _faults(source)
        ]
        return not errors, errors

    def get_finished_templates(self, question_ids: Iterable[str] | None = None) -> list[FinishedTemplate]:
        """Return the templates of the questions that are finished, of all or of those that are named.

        Those that have only a placeholder are among them, those without any text are not.
        """
        wanted = None if question_ids is None else set(question_ids)
        for question_id in wanted or ():
            self._node(question_id)
        return [
            template_exchange.finished_template(one, question_of(item), source)
            for one, item in self._items().items()
            if (wanted is None or one in wanted) and is_finished(item) and (source := source_of(item) or "").strip()
        ]

    @renamed(path="file_path")
    def export_generated_templates(self, file_path: str | os.PathLike[str]) -> None:
        """Write all templates to a file: a JSON object of sources by question identifier, all of it or nothing.

        Raises WriteError.
        """
        template_exchange.write_templates(file_path, self._own_sources())

    @renamed(path="file_path")
    def import_generated_templates(
        self, file_path: str | os.PathLike[str], force_overwrite: bool = False
    ) -> dict[str, bool]:
        """Read templates that `export_generated_templates` wrote; return for each identifier whether it was taken.

        What names no question, or one that has a template already, is not, unless that is to be overwritten. Raises
        ReadError for what is no such file, and WriteError, with nothing changed, if one of the texts is no template.
        """
        sources = template_exchange.read_templates(file_path)
        for question_id, source in sources.items():
            _refuse_unusable(source, f"the template of {shown(question_id)}")
        taken = {one: one in self._elements() and (force_overwrite or not self.has_template(one)) for one in sources}
        for question_id in (one for one, is_taken in taken.items() if is_taken):
            self._set_source(question_id, sources[question_id])
            self._touch(self._node(question_id))
        return taken

    def _own_sources(self) -> dict[str, str]:
        """Return the sources of all templates by the identifiers of their questions, without placeholders."""
        sources = {one: source_of(item) for one, item in self._items(TEMPLATES).items()}
        return {one: source for one, source in sources.items() if source is not None and is_own(source)}

    def _source_text(self, question_id: str) -> str | None:
        (item,) = self._graph.read_all([self._node(question_id)], only=TEMPLATES)
        return source_of(item)

    def _set_source(self, question_id: str, source: str) -> None:
        with self._editing(self._asked(question_id)) as asked:
            text = asked.get("text")
            made = new_template_of(None if isinstance(text, (dict, list)) else text, source)
            if len(as_list(asked.get("hasPart"))) > 1:
                asked["hasPart"] = made
            else:
                set_text(asked, "hasPart", made)


def _checked(given: str | TemplateSpec | type) -> str:
    source = source_given(given)
    _refuse_unusable(source, "the template")
    return source


def _faults(source: str) -> tuple[str, ...]:
    from checkpoint_ld.templates import usability  # noqa: PLC0415 - not needed to load a benchmark

    return usability.faults(source)


def _refuse_unusable(source: str, name: str) -> None:
    faults = _faults(source)
    if faults:
        raise WriteError(f"{name} cannot be used: {'; '.join(faults)}")
    dump_json(source)
