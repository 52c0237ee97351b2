"""A result as a page: its sections, the facts under the methods, and what is said around them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quorate.analysis.labels import shown
from quorate.reporting.markdown_page import markdown_page
from quorate.reporting.reproduce import called, made_with, read_from, titled
from quorate.table.results import plain

if TYPE_CHECKING:
    from quorate.reporting.reproduce import Provenance
    from quorate.reporting.section import Figure, Section
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    Table = Judgments | Votes

SAME_EVERY_TIME = "none was stated; without one, the random numbers are the same every time"
"""What a report says of the seed of draws whose root it was not told."""


@dataclass(frozen=True, eq=False)
class ResultPage:
    """The report of one result.

    Parameters
    ----------
    sections : tuple of Section
        All but the last, the methods' own.
    facts : Figure
        What was read, for the section on methods.
    said : mapping
        What else the page says: title, note, sentence, tiles, caveats, methods, prompts, provenance.
    content : mapping
        The result as plain values, for JSON.
    """

    sections: tuple[Section, ...]
    facts: Figure
    said: Mapping[str, Any]
    content: Mapping[str, Any]


def result_markdown(made: ResultPage) -> str:
    """The report as Markdown."""
    return markdown_page(made.sections, made.facts, made.said)


def result_json(made: ResultPage) -> str:
    """The report as JSON; what is not known or not finite is null."""
    kept = {name: made.said[name] for name in ("title", "note", "methods", "provenance") if made.said[name]}
    return json.dumps(plain({**kept, **made.content}), indent=2, allow_nan=False) + "\n"


def title_of(table: Table | None, otherwise: str) -> str:
    """The name of the file, or what it is without one."""
    return otherwise if table is None else titled(table.source, f"{otherwise}, from a")


def provenance_of(table: Table | None, origin: Provenance, seed: int | str | None, options: str) -> dict[str, str]:
    """Everything needed to do it again, by name.

    Parameters
    ----------
    table : Judgments or Votes, optional
        What was read.
    origin : Provenance
        How it was called.
    seed : int or str, optional
        Root of the random numbers, or what is known of it; that of ``origin`` goes first. None where none were drawn.
    options : str
        What was chosen.
    """
    own = origin.seed if origin.seed is not None else seed
    return {
        **made_with(),
        **({} if table is None else read_from(table)),
        "options": shown(options, 1000),
        "command": called(origin.command),
        "seed": "no random numbers were used" if own is None else str(own),
    }
