"""Queries: what is asked of the tables, each of them a search by an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import literal_column, select, tuple_

from checkpoint_ld.stores.database.schema import checkpoints, thoughts, tool_calls
from checkpoint_ld.stores.header import Header, real

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Column, ColumnElement, Select

    from checkpoint_ld.stores.filters import Filter

_HEADER = [checkpoints.c[name] for name in Header.__slots__]
_KEY = (checkpoints.c.timestamp, checkpoints.c.step_number, checkpoints.c.id)


def headers(wanted: Filter) -> Select[Any]:
    """Return the query for the headers of all that fit, in order, after the cursor and up to the limit."""
    order = [column.desc() if wanted.order == "newest" else column for column in _KEY]
    return select(*_HEADER).where(*_conditions(wanted)).order_by(*order).limit(wanted.limit)


def children(checkpoint_id: str) -> Select[Any]:
    """Return the query for the headers of all that have a checkpoint as parent, the oldest first."""
    return select(*_HEADER).where(checkpoints.c.parent_checkpoint_id == checkpoint_id).order_by(*_KEY)


def holding(thought_id: str) -> Select[Any]:
    """Return the query for the headers of all that hold a thought, the oldest first."""
    held = select(thoughts.c.checkpoint_id).where(thoughts.c.id == thought_id)
    return select(*_HEADER).where(checkpoints.c.id.in_(held)).order_by(*_KEY)


def whole(checkpoint_id: str) -> Select[Any]:
    """Return the query for all columns of a checkpoint."""
    return select(checkpoints).where(checkpoints.c.id == checkpoint_id)


def held(checkpoint_id: str) -> Select[Any]:
    """Return the query for what there is to know about a checkpoint that is put again."""
    return select(*(checkpoints.c[name] for name in ("sha256", "source_sha256", "file_name"))).where(
        checkpoints.c.id == checkpoint_id
    )


def neighbours(checkpoint_id: str, number: int) -> tuple[Select[Any], Select[Any]]:
    """Return the queries for so many ids before and after one that is not there."""
    column = checkpoints.c.id
    before = select(column).where(column < checkpoint_id).order_by(column.desc()).limit(number)
    return before, select(column).where(column > checkpoint_id).order_by(column).limit(number)


def _conditions(wanted: Filter) -> Iterator[ColumnElement[bool]]:
    of = checkpoints.c
    for name, text in wanted.texts.items():
        yield of[name] == text
    if wanted.branch_of is not None:
        yield of.is_branch == 1
    if wanted.since is not None:
        yield of.timestamp >= wanted.since
    if wanted.until is not None:
        yield of.timestamp < wanted.until
    if wanted.cursor is not None:
        key, cursor = tuple_(*_KEY), tuple_(*wanted.cursor)
        yield key < cursor if wanted.order == "newest" else key > cursor
    yield from _conditions_on_parts(wanted)


def _conditions_on_parts(wanted: Filter) -> Iterator[ColumnElement[bool]]:
    calls, chain = tool_calls.c, thoughts.c
    # The checkpoints of one execution are few, and looked at one by one; otherwise those that fit are looked up.
    is_narrow = wanted.execution_id is not None
    if wanted.tool is not None:
        yield _has(calls.checkpoint_id, calls.tool_id == (wanted.tool or None), is_narrow=is_narrow)
    if wanted.failed is not None:
        # Spelt out, since the index of failed calls is not used for a value that is only bound later.
        has_failed = _has(calls.checkpoint_id, calls.success == literal_column("0"), is_narrow=is_narrow)
        yield has_failed if wanted.failed else ~has_failed
    if wanted.confidence_below is not None:
        yield _has(chain.checkpoint_id, chain.confidence < real(wanted.confidence_below), is_narrow=is_narrow)


def _has(of: Column[Any], fits: ColumnElement[bool], *, is_narrow: bool) -> ColumnElement[bool]:
    """Return the condition that a row that fits belongs to a checkpoint, by the row's column `of`."""
    if is_narrow:
        return select(of).where(of == checkpoints.c.id, fits).correlate(checkpoints).exists()
    return checkpoints.c.id.in_(select(of).where(fits))
