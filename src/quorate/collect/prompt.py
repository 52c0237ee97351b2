"""Prompts for judges: built-in ones and the study's own, as Jinja templates over fenced material."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from quorate.collect.expects import Expects
from quorate.collect.judge import Message, Request
from quorate.collect.material import Fenced, fenced
from quorate.collect.sheet import FIRST, SECOND, Piece, Sheet
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from jinja2 import Template

    from quorate.collect.template import Environment, Printer

_ATTRIBUTES = ("helpfulness", "correctness", "complexity", "verbosity")
_EXPECTS = {
    "score": Expects(1, 10),
    **{name: Expects(0, 4, name=name) for name in _ATTRIBUTES},
    "safety": Expects(0, 1, labels={"safe": 1.0, "unsafe": 0.0}, name="verdict"),
    "pairwise": Expects(0, 1, labels={"A": 1.0, "tie": 0.5, "B": 0.0}, name="verdict"),
}
_REASONED = "-reasoned"
BUILT_IN = tuple(name + ending for name in _EXPECTS for ending in ("", _REASONED))
"""Names of the built-in prompts; those that end in ``-reasoned`` ask for the reasons before the answer."""

_PAIR = ("response_a", "response_b")


@dataclass(frozen=True)
class Prompt:
    """A prompt variant: a template and what counts as an answer to it.

    The fields of an item are the template's variables. Their text is printed between marks that say where it starts
    and ends, whatever the template does with it. ``response_a`` and ``response_b`` appear as ``first`` and ``second``,
    in the order in which they are to be shown. A template may have the blocks ``system`` and ``user``, or be the
    user's message as a whole, and it may extend the built-in ones (``score.j2``, ``pairwise.j2``, ...).

    Parameters
    ----------
    name : str
        Name of the variant: its level of the facet ``prompt``.
    source : str
        The template.
    expects : Expects
        What counts as an answer.
    instructions : str
        What people read in place of the template's task; models do not.
    key : str, optional
        Field of the item that holds the right label: an answer then scores 1 if it is that one, else 0.

    Raises
    ------
    InvalidInput
        If the template cannot be read, or a prompt with a key compares two responses.
    """

    name: str
    source: str = field(repr=False)
    expects: Expects
    instructions: str = field(default="", repr=False)
    key: str | None = None
    _template: Template = field(init=False, repr=False, compare=False)
    _printer: Printer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        from quorate.collect.template import Printer

        try:
            template = _environment().from_string(self.source)
            printer = Printer(template, _sources(self.source))
        except Exception as error:  # noqa: BLE001  (whatever a template does to Jinja is said in a line)
            raise InvalidInput(f'prompt "{self.name}": {_one_line(error)}') from None
        object.__setattr__(self, "_template", template)
        object.__setattr__(self, "_printer", printer)
        if self.key is not None and self.compares:
            raise InvalidInput(f'prompt "{self.name}": which of two is better has no key; leave it out')

    @property
    def digest(self) -> str:
        """SHA-256 of the template, of the built-in ones it rests on, and of what counts as an answer. 64 hex digits."""
        wanted = replace(self.expects, labels=dict(self.expects.labels))
        stated = [_sources(self.source), {**vars(wanted), "labels": list(self.expects.labels.items())}]
        stated += [] if self.key is None else [self.key]
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()

    @property
    def compares(self) -> bool:
        """Whether it shows two responses: whether its template, or one that it rests on, prints ``first``."""
        return bool({FIRST, SECOND} & _fields(self.source))

    def messages(self, fields: Mapping[str, Any], *, swapped: bool = False) -> tuple[Message, ...]:
        """What is sent to the judge about one item.

        Parameters
        ----------
        fields : mapping
            The item: ``prompt`` or ``conversation``, ``response`` or ``response_a`` and ``response_b``, and whatever
            else the template asks for.
        swapped : bool
            Whether the second response is shown first.

        Raises
        ------
        InvalidInput
            If the item lacks a field that the template needs, or there is nothing to swap.
        """
        item, values = self._values(fields, swapped)
        try:
            roles, texts = zip(*self._printer.rendered(item, values), strict=True)
            turns = zip(roles, item.filled([text.strip() for text in texts]), strict=True)
            messages = tuple(Message(role, text) for role, text in turns if text)
        except Exception as error:  # noqa: BLE001  (whatever a template does is said in a line)
            raise self._refusal(error, fields) from None
        if not messages:
            raise self._refusal(ValueError("it prints nothing, so that there is nothing to ask"), fields)
        return messages

    def sheet(self, fields: Mapping[str, Any], *, swapped: bool = False) -> Sheet:
        """What a person reads about one item: the task and the material, without the form of a program's reply.

        A template that has not the blocks ``task`` and ``material`` of the built-in ones is shown as it is.

        Raises
        ------
        InvalidInput
            As `messages` does.
        """
        from quorate.collect.template import blocks, rendered

        item, values = self._values(fields, swapped)
        try:
            parts = blocks(self._template, values, ("task", "material"))
            task, material = parts or ("", rendered(self._template, values)[-1][1])
            pieces, closing = item.split(material)
        except Exception as error:  # noqa: BLE001  (whatever a template does is said in a line)
            raise self._refusal(error, fields) from None
        plain = self.instructions and not parts  # words for people stand in place of those of the whole template
        shown = tuple(Piece(name, _heading(name) if plain else words, text) for words, name, text in pieces)
        return Sheet(self.instructions or item.plain(task), shown, "" if plain else closing)

    def _values(self, fields: Mapping[str, Any], swapped: bool) -> tuple[Fenced, dict[str, Any]]:
        """An item's texts, and what the template is filled with; the key is not."""
        self.marked(fields)
        shown = {name: value for name, value in fields.items() if name != self.key}
        pair = [shown.pop(name, None) for name in _PAIR]
        if None not in pair:
            shown[FIRST], shown[SECOND] = reversed(pair) if swapped else pair
        elif swapped:
            given = ", ".join(sorted(fields))
            raise InvalidInput(f'prompt "{self.name}": only two responses can be swapped; the item has {given}')
        item = fenced(shown)
        low, high = f"{self.expects.low:g}", f"{self.expects.high:g}"
        ours = {
            "mark": item.mark,
            "reasoned": self.expects.reasoned,
            "name": self.expects.name,
            "low": low,
            "high": high,
        }
        for taken in ours.keys() & item.values.keys():
            raise InvalidInput(f'prompt "{self.name}": the item has a field "{taken}", which is ours; rename it')
        return item, {**item.values, **ours}

    def _refusal(self, error: Exception, fields: Mapping[str, Any]) -> InvalidInput:
        given = ", ".join(sorted(fields))
        return InvalidInput(f'prompt "{self.name}": {_one_line(error)}; the item has {given}')

    def marked(self, fields: Mapping[str, Any]) -> Expects:
        """What counts as an answer about one item: with a key, its label is worth 1 and any other 0.

        Raises
        ------
        InvalidInput
            If the item's right label is none of the labels.
        """
        if self.key is None:
            return self.expects
        right, labels = str(fields.get(self.key, "")).strip(), tuple(self.expects.labels)
        if right not in labels:
            raise InvalidInput(
                f'prompt "{self.name}": {self.key} must hold the right one of {", ".join(labels)}, got "{right}"'
            )
        return replace(self.expects, labels={label: float(label == right) for label in labels})

    def request(
        self,
        fields: Mapping[str, Any],
        *,
        key: str,
        judge: str,
        params: Mapping[str, Any],
        swapped: bool = False,
        cell: Mapping[str, str] | None = None,
    ) -> Request:
        """The question about one item to one judge; see `messages`, and `Request` for the rest."""
        expects = replace(self.marked(fields), swapped=swapped)
        return Request(key, self.messages(fields, swapped=swapped), params, expects, judge, cell or {})


def _heading(name: str) -> str:
    """A heading for a piece that the prompt gives none to people."""
    return {FIRST: "Response A", SECOND: "Response B"}.get(name, name.replace("_", " ").capitalize())


def built_in(name: str) -> Prompt:
    """A built-in prompt by name.

    Raises
    ------
    InvalidInput
        If there is none of that name.

    Examples
    --------
    >>> built_in("helpfulness-reasoned").expects.high
    4
    """
    base = name.removesuffix(_REASONED)
    if base not in _EXPECTS:
        raise InvalidInput(f'prompt: no built-in prompt "{name}"; there are {", ".join(BUILT_IN)}')
    return Prompt(name, _read(f"{base}.j2"), replace(_EXPECTS[base], reasoned=name != base))


@cache
def _environment() -> Environment:
    """What all templates of a process are compiled in: those that others rest on are compiled once."""
    from jinja2 import FunctionLoader

    from quorate.collect.template import Environment

    return Environment(FunctionLoader(_read_or_none))


def _read(name: str) -> str:
    return files("quorate.collect").joinpath("prompts", name).read_text(encoding="utf-8")


def _read_or_none(name: str) -> str | None:
    known = {f"{base}.j2" for base in (*_EXPECTS, "_base", "_single")}
    return _read(name) if name in known else None


@lru_cache(maxsize=64)
def _sources(source: str) -> tuple[str, ...]:
    """The template and every one that it extends, includes or imports, in the order they are met."""
    from jinja2 import TemplateNotFound
    from jinja2.meta import find_referenced_templates

    sources, wanted = [source], list(find_referenced_templates(_environment().parse(source)))
    for name in wanted:
        text = None if name is None else _read_or_none(name)
        if text is None:
            raise TemplateNotFound(str(name))
        sources += _sources(text)
    return tuple(sources)


@lru_cache(maxsize=64)
def _fields(source: str) -> frozenset[str]:
    """What the template, and every one that it rests on, asks to be filled in."""
    from jinja2.meta import find_undeclared_variables

    parsed = map(_environment().parse, _sources(source))
    return frozenset().union(*map(find_undeclared_variables, parsed))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
