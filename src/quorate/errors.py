"""Exceptions that Quorate raises on purpose.

::

    QuorateError
    ├── InvalidInput        (also ValueError)  an argument, option or file breaks a rule
    │   ├── UnknownColumn                      the data have no such column
    │   ├── UnknownTerm     (also KeyError)    the model has no such facet or term
    │   └── InvalidData                        the data themselves cannot be used as they are
    ├── NotEstimable                           the data cannot answer the question, however it is asked
    └── NotConverged                           the optimiser stopped early; carries the partial result

Messages are one line: the argument, the rule, the value got, and the fix.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from quorate.arguments import Argument, argument, arguments_of

JOINERS = "\u200c\u200d"
"""Characters that cannot be seen and that words of some scripts need."""

_MOST_TERMS = 10
_MOST_CHARACTERS, _HEAD, _TAIL = 2000, 1500, 400


class QuorateError(Exception):
    """Base of every error that is meant for the user; the command line prints it without a traceback."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(_one_line(one) if isinstance(one, str) else one for one in args))

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that the message names, in order."""
        return arguments_of(self.args[0]) if self.args else ()


class InvalidInput(QuorateError, ValueError):
    """An argument, option or file breaks a rule."""


class UnknownColumn(InvalidInput):
    """The data have no such column.

    Parameters
    ----------
    role : str
        What the column was wanted for.
    column : str
        The name that is not there.
    columns : iterable of str
        The names that are.
    names : str, optional
        What names the column: ``argument`` if the role is an argument, else the argument that maps roles to columns,
        such as ``facets``.
    """

    def __init__(self, role: str, column: str, columns: Iterable[str], names: str = "") -> None:
        self.role = role
        self.column = column
        self.columns = tuple(columns)
        self.names = names
        rule = f'{role}: no column "{column}"; the data have {_listed(self.columns)}'
        close = _close(column, self.columns)
        if not names:
            super().__init__(rule + (f'; did you mean "{close}"?' if close else ""))
            return
        meant = close or ...
        fix = argument(role, meant) if names == "argument" else argument(names, {role: meant})
        fix = argument(role, meant, group=names) if names == "roles" else fix
        super().__init__(rule + ("; did you mean " if close else "; name it with ") + fix + "?" * bool(close))

    def __reduce__(self) -> tuple[type[UnknownColumn], tuple[str, str, tuple[str, ...], str]]:
        return type(self), (self.role, self.column, self.columns, self.names)


class UnknownTerm(InvalidInput, KeyError):
    """The model has no such facet or term.

    Parameters
    ----------
    term : str
        The name asked for.
    terms : iterable of str
        The names that exist.
    kind : str
        What they are names of, such as systems.
    """

    def __init__(self, term: str, terms: Iterable[str], kind: str = "term") -> None:
        self.term = term
        self.terms = tuple(terms)
        self.kind = kind
        have = f"{'the model has' if kind == 'term' else 'there are'} {_listed(self.terms, _MOST_TERMS)}"
        rule = f'no {kind} "{term}"; {have}'
        if (kind, term) == ("facet", "system"):  # what is compared, which a column says under another name
            super().__init__(rule + "; name its column with " + argument("facets", {term: ...}))
            return
        super().__init__(rule + _meant(term, self.terms))

    def __reduce__(self) -> tuple[type[UnknownTerm], tuple[str, tuple[str, ...], str]]:
        return type(self), (self.term, self.terms, self.kind)

    def __str__(self) -> str:  # KeyError would show the repr of the message
        return str(self.args[0])


class InvalidData(InvalidInput):
    """The data cannot be used as they are: scores that are not numbers, repeated keys, a broken file."""


class NotEstimable(QuorateError):
    """The data cannot answer the question.

    Parameters
    ----------
    message : str
        What is missing, and what would supply it.
    names : iterable of str, optional
        The components that cannot be told apart.
    bounds : (float, float), optional
        The range of the quantity over every non-negative split of what is known.
    """

    def __init__(self, message: str, names: Iterable[str] = (), bounds: tuple[float, float] | None = None) -> None:
        self.names = frozenset(names)
        self.bounds = bounds
        super().__init__(message)


class NotConverged(QuorateError):
    """The optimiser stopped before the criterion was flat.

    Parameters
    ----------
    message : str
        Where it stopped and why.
    partial : object
        The best result so far.
    """

    def __init__(self, message: str, partial: object = None) -> None:
        self.partial = partial
        super().__init__(message)


class Unbalanced(NotEstimable):
    """An analysis of variance of judgments that are not balanced; ``reason`` says what is uneven.

    Examples
    --------
    >>> str(Unbalanced("some levels have more cells"))
    'balanced data are needed: some levels have more cells; use REML'
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"balanced data are needed: {reason}; use REML")
        self.reason = reason

    def __reduce__(self) -> tuple[type[Unbalanced], tuple[str]]:
        return type(self), (self.reason,)


def _one_line(text: str) -> str:
    r"""A message as one line of bounded length, whatever the names in it hold: control characters become escapes.

    Examples
    --------
    >>> print(_one_line("no term \x1b[2J"))
    no term \x1b[2J
    """
    if len(text) > _MOST_CHARACTERS:
        text = text[:_HEAD] + " ... " + text[-_TAIL:]
    if text.isprintable():
        return text
    line, last = text[:0], 0
    for place, character in enumerate(text):
        if not character.isprintable() and character not in JOINERS:
            line, last = line + text[last:place] + character.encode("unicode_escape").decode("ascii"), place + 1
    return line + text[last:]


def _listed(names: tuple[str, ...], most: int = 20) -> str:
    if not names:
        return "none"
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def _close(name: str, names: tuple[str, ...]) -> str | None:
    same = [one for one in names if one.casefold() == name.casefold()]
    return next(iter(same or get_close_matches(name, names, 1)), None)


def _meant(name: str, names: tuple[str, ...]) -> str:
    close = _close(name, names)
    return f'; did you mean "{close}"?' if close else ""
