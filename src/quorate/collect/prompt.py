"""Prompts for judges: built-in ones and the study's own, as Jinja templates over fenced material."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache, lru_cache, wraps
from importlib.resources import files
from itertools import count
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, Template, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from quorate.collect.judge import Expects, Message, Request
from quorate.collect.material import MARK, Fenced, fenced
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

# Sheet: a question as people read it, without what only a program needs to be told.


FIRST, SECOND = "first", "second"
"""Names of the two responses of a pair, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text to be judged.

    Parameters
    ----------
    name : str
        What the prompt calls it; `FIRST` and `SECOND` stand side by side.
    heading : str
        The prompt's words before it.
    text : str
        The text, as it is.
    """

    name: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A question as people read it.

    Parameters
    ----------
    instructions : str
        What to decide.
    pieces : tuple of Piece
        What to decide it on, in order.
    closing : str
        The prompt's words after the last piece.
    """

    instructions: str
    pieces: tuple[Piece, ...]
    closing: str = ""

    @property
    def paired(self) -> bool:
        """Whether two responses stand side by side."""
        return {FIRST, SECOND} <= {piece.name for piece in self.pieces}


# Templates of prompts: Jinja in a sandbox, with a limit of steps and of size, so that every one of them ends.


MOST_SOURCE = 1_000_000
MOST_TEXT = 1_000_000
_MOST_STEPS, _MOST_NUMBER, _MOST_BITS = 100_000, 100_000, 4096
_STEPS = "quorate steps"
_REFUSED_NAMES = ("format", "format_map")
_NO_FILTERS = ("format", "random", "replace")
_WIDE = re.compile(r"\d{4}|\*")
_NO_GLOBALS = ("lipsum",)
_MOST_SHAPES = 64
_PLAIN = (nodes.Template, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Extends, nodes.Block, nodes.If, nodes.Not)


class Environment(ImmutableSandboxedEnvironment):
    """Templates that can neither look behind their values nor run or grow without end."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self, loader: BaseLoader) -> None:
        super().__init__(loader=loader, undefined=StrictUndefined, autoescape=False)
        kept = {name: one for name, one in self.filters.items() if name not in _NO_FILTERS}
        self.filters = {"format": _formatted, "counted": _counted, "joined": _joined}
        self.filters |= {name: _bounded(one) for name, one in kept.items()}
        self.globals = {name: one for name, one in self.globals.items() if name not in _NO_GLOBALS}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """The template with every loop counted and every joining of texts measured."""
        if len(source) > MOST_SOURCE:
            raise SecurityError(f"it is longer than {MOST_SOURCE:,} characters")
        tree = super()._parse(source, name, filename)
        for loop in list(tree.find_all(nodes.For)):
            loop.iter = nodes.Filter(loop.iter, "counted", [], [], None, None, lineno=loop.lineno)
        for joined in list(tree.find_all(nodes.Concat)):
            parts = nodes.List(joined.nodes, lineno=joined.lineno)
            joined.nodes = [nodes.Filter(parts, "joined", [], [], None, None, lineno=joined.lineno)]
        tree.set_environment(self)
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:
        """An attribute; none that formats a text, whose widths have no limit."""
        return super().getattr(obj, _allowed(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """An entry, or an attribute of this name."""
        return super().getitem(obj, _allowed(obj, argument))

    def call(self, context: Context, obj: Any, /, *args: Any, **named: Any) -> Any:
        """What a function or macro gives, counted as a step, or as many as a range has numbers."""
        _refuse_large((*args, *named.values()))
        _spend(context, 1)
        made = super().call(context, obj, *args, **named)
        if isinstance(made, range):
            _spend(context, len(made))
        return _measured(made)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The result of an operator, if it is of a size that a prompt may have."""
        _spend(context, 1)
        sizes = [len(one) if isinstance(one, (str, list, tuple)) else None for one in (left, right)]
        if operator == "%" and isinstance(left, str):
            raise SecurityError("texts cannot be formatted with %")
        if operator == "**" and not (abs(left) <= _MOST_NUMBER and abs(right) <= 16):
            raise SecurityError("a power is too large")
        if operator == "*":
            times = [abs(one) for one in (left, right) if isinstance(one, int)]
            long = [size for size in sizes if size is not None]
            if (long and times and long[0] * times[0] > MOST_TEXT) or (
                len(times) == 2 and sum(one.bit_length() for one in times) > _MOST_BITS
            ):
                raise SecurityError("a product is too large")
        if operator == "+" and None not in sizes:
            _spend(context, sum(size or 0 for size in sizes) // 100)
        return _measured(super().call_binop(context, operator, left, right))


class Printer:
    """A template that is run once for all items of one shape, where it does nothing but print what it is given.

    Parameters
    ----------
    template : Template
        What is printed.
    plain : bool
        Whether that is all it does.
    """

    def __init__(self, template: Template, plain: bool) -> None:
        self._template, self._plain = template, plain
        self._printed: dict[tuple[object, ...], tuple[list[tuple[str, str]], frozenset[int]]] = {}

    def rendered(self, item: Fenced, values: dict[str, Any]) -> list[tuple[str, str]]:
        """What the function `rendered` gives; of the values, only those of the item and its mark may ever differ."""
        if not self._plain:
            return rendered(self._template, values)
        if (shape := item.shape) not in self._printed:
            if len(self._printed) >= _MOST_SHAPES:
                self._printed.clear()
            self._printed[shape] = rendered(self._template, {**values, "mark": MARK}), frozenset(item.asked)
        printed, asked = self._printed[shape]
        item.asked.update(asked)
        return [(role, text.replace(MARK, item.mark)) for role, text in printed]


def rendered(template: Template, values: dict[str, Any]) -> list[tuple[str, str]]:
    """What a template says, by its blocks as they are after inheritance; all of it is the user's where it has none."""
    context = template.new_context({**values, _STEPS: count(_MOST_STEPS, -1)})
    whole = _whole(template.root_render_func(context))
    if "user" not in context.blocks:
        return [("user", whole)]
    roles = [role for role in ("system", "user") if role in context.blocks]
    return [(role, _whole(context.blocks[role][0](context))) for role in roles]


def blocks(template: Template, values: dict[str, Any], names: tuple[str, ...]) -> list[str] | None:
    """What a template says in these blocks; None if it has not all of them."""
    context = template.new_context({**values, _STEPS: count(_MOST_STEPS, -1)})
    _whole(template.root_render_func(context))
    if not all(name in context.blocks for name in names):
        return None
    return [_whole(context.blocks[name][0](context)) for name in names]


def _whole(parts: Iterable[str]) -> str:
    kept, size = [], 0
    for part in parts:
        size += len(part)
        if size > MOST_TEXT:
            raise SecurityError(f"it prints more than {MOST_TEXT:,} characters besides the item")
        kept.append(part)
    whole = "".join(kept)
    whole.encode()  # half a character, which no judge can be sent, fails here
    return whole


def _prints(node: nodes.Node) -> bool:
    """Whether what a node does with the values of an item is no more than to print them or to ask which there are."""
    names = [child.name for child in node.iter_child_nodes() if isinstance(child, nodes.Name)]
    if isinstance(node, nodes.Test):
        return node.name in ("defined", "undefined") and bool(names)
    return isinstance(node, nodes.Output) or (isinstance(node, _PLAIN) and set(names) <= {"reasoned"})


def _allowed(obj: object, name: Any) -> Any:
    if isinstance(obj, str) and name in _REFUSED_NAMES:
        raise SecurityError("texts are formatted with the filter format")
    return name


@pass_context
def _counted(context: Context, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        _spend(context, 1)
        yield value


@pass_context
def _joined(context: Context, values: list[Any]) -> str:
    texts = [str(value) for value in values]
    _spend(context, 1 + sum(map(len, texts)) // 100)
    return str(_measured("".join(texts)))


def _formatted(text: object, *args: Any, **named: Any) -> str:
    """A text formatted in the way of ``%``, without widths of thousands."""
    if _WIDE.search(str(text)):
        raise SecurityError("a format has a width above 999")
    return str(_measured(str(text) % (named or args)))


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that takes no large number and gives no long text."""

    @wraps(function)
    def run(*args: Any, **named: Any) -> Any:
        _refuse_large((*args, *named.values()))
        return _measured(function(*args, **named))

    return run


def _spend(context: Context, steps: int) -> None:
    left = context.resolve_or_missing(_STEPS)
    for _ in range(steps if isinstance(left, count) else 0):
        if next(left) <= 0:
            raise SecurityError(f"it takes more than {_MOST_STEPS:,} steps")


def _refuse_large(values: Iterable[Any]) -> None:
    if any(isinstance(value, int) and abs(value) > _MOST_NUMBER for value in values):
        raise SecurityError(f"a function is given a number above {_MOST_NUMBER:,}")


def _measured(value: Any) -> Any:
    if isinstance(value, (str, list, tuple)) and len(value) > MOST_TEXT:
        raise SecurityError(f"a part of it is longer than {MOST_TEXT:,}")
    return value


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
        try:
            template, plain = _compiled(self.source)
        except Exception as error:  # noqa: BLE001  (whatever a template does to Jinja is said in a line)
            raise InvalidInput(f'prompt "{self.name}": {_one_line(error)}') from None
        object.__setattr__(self, "_template", template)
        object.__setattr__(self, "_printer", Printer(template, plain))
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

    return Environment(FunctionLoader(_read_or_none))


def _read(name: str) -> str:
    return files("quorate.collect").joinpath("prompts", name).read_text(encoding="utf-8")


def _read_or_none(name: str) -> str | None:
    known = {f"{base}.j2" for base in (*_EXPECTS, "_base", "_single")}
    return _read(name) if name in known else None


@lru_cache(maxsize=64)
def _compiled(source: str) -> tuple[Template, bool]:
    """A template, and whether it prints names, asks which are defined or whether to reason, and does nothing else."""
    template = _environment().from_string(source)
    trees = [(text, _environment().parse(text)) for text in _sources(source)]
    plain = all(MARK not in text and all(map(_prints, (tree, *tree.find_all(nodes.Node)))) for text, tree in trees)
    return template, plain


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
