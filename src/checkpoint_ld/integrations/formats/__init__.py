"""Other formats that benchmarks are exported to and imported from; an export is written whole or not at all."""

from __future__ import annotations

import io
import os
import zipfile
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.exports import EXTENSIONS
from checkpoint_ld.documents.files import already_there, extension_of, is_packed, replace_file, temporary_folder
from checkpoint_ld.errors import FindingsError, SettingsError, TargetUnwritableError
from checkpoint_ld.integrations.formats.transfer import TransferReport
from checkpoint_ld.phrases import unknown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.findings import Finding

FILES = ("csv", "markdown", "json", "workbook", "records", "parquet")
"""The formats that are one file, which `Benchmark.export_to_file` writes."""
SINGLE_FILES = ("citation", "zenodo")
"""The formats that are one file and may lose something. The function `file` of the module gives file and findings."""
FOLDERS = ("croissant", "hugging-face", "inspect", "ro-crate")
"""The formats that are a folder. The function `files` of the module gives its files and findings."""
_WITH_RESULTS = "ro-crate"
"""The format that takes answers and runs."""


def export_benchmark(  # noqa: PLR0913 - what, where, how, and what a crate takes in beside
    benchmark: Benchmark,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as Benchmark.export_to_file calls it
    overwrite: bool = False,
    answers: Sequence[str | os.PathLike[str]] = (),
    runs: Sequence[str | os.PathLike[str]] = (),
    strict: bool = False,
    report: str | os.PathLike[str] | None = None,
) -> tuple[Finding, ...]:
    """Write a benchmark in another format to exactly `path`, and return findings about what is lost.

    `format` is `csv`, `markdown`, `json`, `workbook`, `records`, `parquet` (see `Benchmark.export_to_file`),
    `citation` (CITATION.cff) or `zenodo` (.zenodo.json), which are files, packed where `path` ends with `.gz`; or
    `croissant`, `hugging-face`, `inspect` or `ro-crate`, which are folders, or an archive where `path` ends with
    `.zip`. Without it, the name of `path` decides. A crate takes in files of recorded `answers` and the agent
    checkpoints of `runs`. A file appears whole or not at all, and so does a new folder. With `overwrite`, the files in
    an existing folder are replaced one by one, and others stay, also those of an older export that this one does not
    have. `report` is a file for a `TransferReport` in JSON.

    Raises FindingsError if something is lost with `strict`: nothing but the report is written then. Raises
    SettingsError for another format or extension, for answers or runs in any format but a crate, and for a missing
    extra, WriteError for content that the format cannot hold at all, ReadError for answers and runs that cannot be
    read, TargetExistsError for an existing target, TargetUnwritableError for one that cannot be written.
    """
    if format is None:
        format = _format_of(path)  # noqa: A001 - as above
    if (answers or runs) and format != _WITH_RESULTS:
        raise SettingsError(f"answers and runs have no place in {format}: export to {_WITH_RESULTS}")
    given = {"answers": answers, "runs": runs} if format == _WITH_RESULTS else {}
    files, findings = _content(benchmark, Path(path), format, overwrite=overwrite, given=given)
    if report is not None:
        made = TransferReport("export", os.fspath(path), format, len(benchmark), findings)
        made.write(report, files=sorted(files) or [Path(path).name])
    if strict and findings:
        raise FindingsError.of(findings)
    if format in FILES:
        benchmark.export_to_file(path, format, overwrite=overwrite)
    elif format in SINGLE_FILES:
        replace_file(path, files[Path(path).name], overwrite=overwrite, pack=is_packed(path))
    elif Path(path).suffix.lower() == ".zip":
        replace_file(path, _archive(files), overwrite=overwrite)
    else:
        _write(Path(path), files)
    return findings


def _content(
    benchmark: Benchmark, path: Path, kind: str, *, overwrite: bool, given: dict[str, Any]
) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """Return files by name, none of those that a benchmark writes itself, and findings about what is lost."""
    if kind in FILES:
        if not benchmark.is_scenario_benchmark or kind == "markdown":
            return {}, ()
        remedy = f"convert the benchmark, or export it to {_WITH_RESULTS}, to keep them"
        return {}, (finding("loss", f"its scenarios have no place in {kind}", remedy=remedy),)
    if kind not in (*SINGLE_FILES, *FOLDERS):
        raise SettingsError(unknown("export format", kind, (*FILES, *SINGLE_FILES, *FOLDERS)))
    writer = import_module(f"{__name__}.{kind.replace('-', '_')}")
    if kind in SINGLE_FILES:
        data, losses = writer.file(benchmark)
        return {path.name: data}, tuple(losses)
    if not overwrite and path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise already_there(str(path))
    files, losses = writer.files(benchmark, **given)
    return files, tuple(losses)


def _format_of(path: str | os.PathLike[str]) -> str:
    of_extension = "citation" if extension_of(path) == ".cff" else EXTENSIONS.get(extension_of(path))
    name = "zenodo" if Path(path).name == ".zenodo.json" else of_extension
    if name not in (*FILES, *SINGLE_FILES):
        known = ", ".join((*FILES, *SINGLE_FILES, *FOLDERS))
        raise SettingsError(f"{os.fspath(path)}: the name does not tell the format: choose from {known}")
    return name


def _archive(files: dict[str, bytes]) -> bytes:
    """Return an archive, the same bytes for the same files: its entries have a fixed date."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            opened.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def _write(folder: Path, files: dict[str, bytes]) -> None:
    is_new = not folder.is_dir() or not any(folder.iterdir())
    try:
        with temporary_folder(folder.absolute()) if is_new else nullcontext(folder) as target:
            for name, data in files.items():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                replace_file(target / name, data, overwrite=True)
            if is_new:
                target.replace(folder)
    except OSError as error:
        message = f"{folder}: cannot be written: {error.strerror}; choose another folder"
        raise TargetUnwritableError.of(message, error) from error
