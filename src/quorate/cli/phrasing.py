"""Notes of reading in the words of the command line."""

from __future__ import annotations


def columns(note: str) -> str:
    """What reading took for granted, without the word that says so each time.

    Examples
    --------
    >>> columns("judge = column judge_model")
    'judge = judge_model'
    """
    return note.replace(" = column ", " = ", 1)
