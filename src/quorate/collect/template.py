"""Templates of prompts: Jinja in a sandbox, with a limit of steps and of size, so that every one of them ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import count
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, Template, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from quorate.collect.material import MARK, Fenced

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
    sources : sequence of str
        Its source, and those of all that it rests on.
    """

    def __init__(self, template: Template, sources: Sequence[str]) -> None:
        self._template = template
        self._plain = all(map(self._only_prints, sources))
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

    def _only_prints(self, source: str) -> bool:
        """Whether a source prints names, asks which are defined or whether to reason, and does nothing else."""
        tree = self._template.environment.parse(source)
        return MARK not in source and all(map(_prints, (tree, *tree.find_all(nodes.Node))))


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
