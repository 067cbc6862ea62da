"""A benchmark as tables and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from checkpoint_ld.arguments import renamed
from checkpoint_ld.documents.files import is_packed, replace_file
from checkpoint_ld.exports import comma_separated, curation, dictionary, files, frames, markdown, records
from checkpoint_ld.facets.contents import Contents

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from checkpoint_ld.exports.comma_separated import Formulas
    from checkpoint_ld.exports.frames import FrameLibrary
    from checkpoint_ld.exports.records import Record
    from checkpoint_ld.facets.facet import Json

Table = Literal["questions", "fields", "traits"]


class Exports(Contents):
    """Records, data frames, CSV, Markdown, plain JSON, and the table that curators work with."""

    def to_records(self) -> list[Record]:
        """Return a flat record for each question; custom metadata are columns `custom.KEY`."""
        return records.question_records(self._content())

    def fields_records(self) -> list[Record]:
        """Return a flat record for each field of a template that says how it is verified; templates are not run."""
        return records.field_records(self._content())

    def traits_records(self) -> list[Record]:
        """Return a flat record for each trait, those of the whole benchmark first."""
        return records.trait_records(self._content())

    def to_dataframe(self, table: Table = "questions", *, library: FrameLibrary = "pandas") -> Any:
        """Return the records of a table (`questions`, `fields`, `traits`) as a data frame of pandas or polars.

        Raises SettingsError for another table or library, and where the library is not installed.
        """
        return frames.data_frame(records.records_of(self._content(), table), library)

    def to_csv(self, *, extra: Collection[str] = (), formulas: Formulas = "keep") -> str:
        """Return the table of questions as comma-separated values with CRLF line ends (RFC 4180).

        Eight columns, and after them those of `extra`: `keywords`, `sources` (how many), `custom` (custom metadata).
        `formulas="escape"` puts an apostrophe before texts that a spreadsheet would run. Raises SettingsError.
        """
        return comma_separated.question_table(self._content(), extra=tuple(extra), formulas=formulas)

    def to_markdown(self) -> str:
        """Return the benchmark as a document in Markdown, with the traits of all kinds."""
        return markdown.document(self._content())

    def to_dict(self) -> Json:
        """Return metadata, statistics, questions and global rubrics as plain JSON."""
        return dictionary.dictionary(self._content())

    @renamed(path="file_path")
    def export_to_file(self, file_path: str | os.PathLike[str], format: str = "auto") -> None:  # noqa: A002 - Karenina's name
        """Write the benchmark to exactly `file_path`, all of it or nothing.

        `format` is json (that of `to_dict`), csv, markdown or jsonld; auto goes by the extension, and is json without
        one. `.gz` after it packs the file. Raises SettingsError for another format, and WriteError, also for another
        extension; the file is then as it was.
        """
        kind = files.format_of(file_path, format)
        replace_file(file_path, files.written(self._content(), self._graph, kind), pack=is_packed(file_path))

    def export_curation_workbook(self, path: str | os.PathLike[str]) -> Json:
        """Write the table that curators work with, a row for each verified field, to exactly `path`.

        `.xlsx` is a workbook with a second sheet of counts (extra `openpyxl`), `.csv` the table alone, in which
        formulas are escaped. Returns the counts. Raises SettingsError for other extensions, and WriteError.
        """
        return curation.export(self._content(), path)
