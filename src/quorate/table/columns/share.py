"""Words as scores: 1 where a judge gave one label, 0 where it gave another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw

from quorate.errors import UnknownTerm
from quorate.table.exchange.format import Opened, literal, quoted
from quorate.table.notes import Note

Share = tuple[str, str]
"""A column of words, and the label whose share it is."""
_MOST = 50


def share_in(opened: Opened, share: Share | None) -> Opened:
    """The rows with 1, 0 or nothing in the place of words.

    Raises
    ------
    UnknownTerm
        If no row has the label.
    """
    if share is None:
        return opened
    column, label = share
    place = opened.columns.index(column)
    name = quoted(opened.relation.columns[place])
    text = f"nullif(trim({name}::VARCHAR), '')"
    words = opened.relation.project(f"{text} AS word").filter("word IS NOT NULL").distinct()
    if not words.filter(f"word = {literal(label)}").fetchall():
        raise UnknownTerm(label, tuple(word for (word,) in words.order("word").limit(_MOST).fetchall()), "label")
    shown = [
        f"({text} = {literal(label)})::INTEGER AS {name}" if one == place else quoted(other)
        for one, other in enumerate(opened.relation.columns)
    ]
    return replace(opened, relation=opened.relation.project(", ".join(shown)), notes=(*opened.notes, said(share)))


def share_in_frame(frame: Any, share: Share | None) -> Any:
    """A frame of narwhals, lazy or not, with 1, 0 or nothing in the place of words.

    Raises
    ------
    UnknownTerm
        If no row has the label.
    """
    if share is None:
        return frame
    column, label = share
    text = nw.col(column).cast(nw.String).str.strip_chars()
    words = [word for word in frame.lazy().select(text.alias("word")).unique().collect()["word"].to_list() if word]
    if label not in words:
        raise UnknownTerm(label, tuple(sorted(words)[:_MOST]), "label")
    given = nw.when(text.is_null() | (text == "")).then(None).otherwise((text == label).cast(nw.Float64))
    return frame.with_columns(given.alias(column))


def said(share: Share) -> Note:
    """The note that scores are the share of a label."""
    return Note(f'score: 1 where {share[0]} is "{share[1]}", 0 where it is another word')
