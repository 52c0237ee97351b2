"""Arguments in sentences: what a message says to pass, as data that every interface spells in its own way.

A message reads ``name it in facets={"judge": ...}`` in Python and ``name it in --facet judge=COLUMN`` on the command
line. It is written once, as text added to arguments::

    raise InvalidInput("facets: no column is the judge; name it, " + argument("facets", {"judge": ...}))

and is a `str` in the words of Python that remembers where its arguments stand. It keeps them through ``+``, slices and
`joined`; an f-string makes plain text of it, so a sentence is added to others and not put inside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Self, SupportsIndex

from quorate.frozen import dataclass


@dataclass(frozen=True)
class Argument:
    """An argument of a function that a sentence names.

    Parameters
    ----------
    name : str
        Name of the parameter.
    value : object
        What to pass: text, a number, a mapping, ``...`` for what the reader fills in, or None where only the name is
        meant.
    group : str
        Where ``name`` is a keyword of the reader's own, such as a role or a facet: what such keywords are, such as
        ``roles`` or ``targets``.
    """

    name: str
    value: object = None
    group: str = ""

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={_python(self.value)}"


@dataclass(frozen=True)
class Mention:
    """An argument and where a sentence names it: from ``start`` up to ``stop``."""

    start: int
    stop: int
    argument: Argument


class Sentence(str):
    """Text that knows the arguments it names.

    Parameters
    ----------
    text : str
        The sentence with its arguments in the words of Python.
    mentions : tuple of Mention
        Where they stand, in order.

    Examples
    --------
    >>> told = "give " + argument("regularisation", 1) + ", or " + argument("by", "win rate")
    >>> told
    'give regularisation=1, or by="win rate"'
    >>> told.spelled(lambda one: f"--{one.name} {one.value!r}")
    "give --regularisation 1, or --by 'win rate'"
    """

    __slots__ = ("mentions",)

    mentions: tuple[Mention, ...]

    def __new__(cls, text: str, mentions: tuple[Mention, ...] = ()) -> Self:  # noqa: D102  the class says it
        sentence = super().__new__(cls, text)
        sentence.mentions = mentions
        return sentence

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that are named, in order."""
        return tuple(mention.argument for mention in self.mentions)

    def spelled(self, spell: Callable[[Argument], str]) -> str:
        """The sentence with its arguments in other words.

        Parameters
        ----------
        spell : callable
            From an argument to what stands for it.
        """
        out, end = [], 0
        for mention in self.mentions:
            out += [self._text(end, mention.start), spell(mention.argument)]
            end = mention.stop
        return "".join([*out, self._text(end, len(self))])

    def __add__(self, other: str) -> Sentence:
        return Sentence(str.__add__(self, other), (*self.mentions, *_moved(other, len(self))))

    def __radd__(self, other: str) -> Sentence:
        return Sentence(str.__add__(other, self), _moved(self, len(other)))

    def __getitem__(self, key: SupportsIndex | slice) -> Sentence:
        text = super().__getitem__(key)
        if not isinstance(key, slice):
            return Sentence(text)
        start, stop, step = key.indices(len(self))
        kept = [one for one in self.mentions if start <= one.start and one.stop <= stop] if step == 1 else []
        return Sentence(text, tuple(replace(one, start=one.start - start, stop=one.stop - start) for one in kept))

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> tuple[type[Sentence], tuple[str, tuple[Mention, ...]]]:
        return type(self), (self._text(0, len(self)), self.mentions)

    def _text(self, start: int, stop: int) -> str:
        return super().__getitem__(slice(start, stop))


def argument(name: str, value: object = None, *, group: str = "", text: str = "") -> Sentence:
    """An argument as a sentence of its own, to be added to others.

    Examples
    --------
    >>> argument("status", ...) + " or " + argument("facets", {"judge": ...}) + " or " + argument("facets", {...: ...})
    'status="..." or facets={"judge": ...} or facets={...}'
    """
    said = Argument(name, value, group)
    text = text or str(said)
    return Sentence(text, (Mention(0, len(text), said),))


def arguments_of(text: str) -> tuple[Argument, ...]:
    """The arguments that a text names, in order; none where it is not a `Sentence`."""
    return text.arguments if isinstance(text, Sentence) else ()


def joined(separator: str, sentences: Iterable[str]) -> Sentence:
    """Sentences with text between them, as ``separator.join`` has it, with their arguments.

    Examples
    --------
    >>> joined(", or ", [argument("fixed", ()), "leave it out"]).arguments
    (Argument(name='fixed', value=(), group=''),)
    """
    out = Sentence("")
    for number, sentence in enumerate(sentences):
        out = (out + separator if number else out) + sentence
    return out


def _moved(text: str, by: int) -> tuple[Mention, ...]:
    mentions = text.mentions if isinstance(text, Sentence) else ()
    return tuple(replace(one, start=one.start + by, stop=one.stop + by) for one in mentions)


def _python(value: object) -> str:
    if value is ...:
        return '"..."'
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple) and value:
        return f"({', '.join(map(_python, value))}{',' if len(value) == 1 else ''})"
    if not isinstance(value, Mapping):
        return repr(value)
    entries = (f"{_python(key)}: {'...' if entry is ... else _python(entry)}" for key, entry in value.items())
    return "{...}" if ... in value else f"{{{', '.join(entries)}}}"
