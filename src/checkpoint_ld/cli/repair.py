"""What `validate --fix` and `validate --diff` do: repair files, show how they would be, tell what they mend."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from checkpoint_ld import fixes, reading
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import read_bytes, unpacked
from checkpoint_ld.errors import ReadError
from checkpoint_ld.rules import by_slug

if TYPE_CHECKING:
    from typing import BinaryIO

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.fixes import Fix
    from checkpoint_ld.report import Checked
    from checkpoint_ld.selection import Selection


@dataclass(frozen=True)
class Repair:
    """A source called `name`, its bytes `before` and `after` all `fixes`; those of a packed one are unpacked."""

    name: str
    before: bytes
    after: bytes
    fixes: tuple[Fix, ...] = ()
    is_packed: bool = False


def repair(source: str | BinaryIO, selection: Selection, syntax: str | None = None) -> Repair:
    """Return `source` with every fix of a rule that counts in `selection`.

    What is no JSON has nothing that could be fixed. Raises SourceMissingError for a file that is not there.
    """
    content, name = read_bytes(source)
    name, data = name or "<stdin>", content
    try:
        data = unpacked(content, name)
        if (syntax or reading.syntax_of(name, data)) != reading.JSON_SYNTAX:
            return Repair(name, data, data)
        document = read_json(data, name)
    except ReadError:  # what is wrong with it is for its validation to say
        return Repair(name, data, data)
    known = by_slug()
    wanted = [
        fix for fix in fixes.fixes_of(document) if any(selection.allows(known[rule].code, name) for rule in fix.rules)
    ]
    return Repair(name, data, fixes.apply(document, wanted), tuple(wanted), data is not content)


def diff(repaired: Repair) -> str:
    """Return what a repair changes, as a unified diff; empty if it changes nothing."""
    edits = [edit for fix in repaired.fixes for edit in fix.edits]
    return fixes.unified_diff(repaired.before.decode("utf-8"), edits, repaired.name) if edits else ""


def marked(checked: Checked, text: str) -> Checked:
    """Return what was found in a source of JSON text, with the findings marked that `--fix` takes away."""
    told = Counter(one.rule for one in checked.findings)
    try:
        document = read_json(text.encode("utf-8", "surrogatepass"))
        found = fixes.fixes_of(document)
        after = reading.examine_bytes(fixes.apply(document, found), syntax=reading.JSON_SYNTAX, checked=False).of_form
    except ReadError:
        found, after = (), ()
    left = {one.rule for one in after}

    def is_fixable(one: Finding) -> bool:
        if one.rule == fixes.MARK:
            return True  # the text has lost it already
        at = [fix.pointer for fix in found if one.rule in fix.rules]
        if one.rule in _OF_ALL:
            return bool(at) and one.rule not in left
        within = f"{one.place.pointer}/"
        # Where places are not those of the file, as in some forms of JSON-LD, there is a fix for each or for none.
        return len(at) >= told[one.rule] or any(f"{pointer}/".startswith(within) for pointer in at)

    return replace(checked, findings=tuple(replace(one, fixable=is_fixable(one)) for one in checked.findings))


_OF_ALL = frozenset(("json-ld-form", "vocabulary-http"))
"""The rules that are told once for all that breaks them."""
