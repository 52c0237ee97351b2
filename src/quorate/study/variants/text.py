"""Text of a prompt taken apart: the words of its instruction, which may change, and all the rest, which may not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quorate.collect.prompt import Prompt
from quorate.errors import InvalidInput

VALUES = frozenset({"low", "high", "name"})
"""Variables that may stand inside an instruction: ends of the scale and the answer's name. All others print items."""

_FIRST = 0xE000
_PRIVATE = re.compile("[\ue000-\uf8ff]")
"""Characters that Unicode leaves free, which stand for tags while a template is apart."""
_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_VALUE = re.compile(r"\{\{-?\s*(\w+)\s*-?\}\}")
_FORM = re.compile(
    r"[{}<>]|\[\[|\bJSON\b|^(?:then |finally,? )?(?:reply|respond|answer|output|return|print|finish|end|conclude)\b",
    re.IGNORECASE,
)
"""Paragraphs that say in which form to answer."""


@dataclass(frozen=True)
class Instruction:
    """A template as parts that may be worded anew, and what stands around them.

    Parameters
    ----------
    kept : tuple of str
        What stays as it is: before, between and after the parts.
    parts : tuple of str
        The instruction; variables are written ``[[low]]``.
    tags : tuple of str
        The template's own writing of these variables, such as ``{{ low }}``, one by one.
    """

    kept: tuple[str, ...]
    parts: tuple[str, ...]
    tags: tuple[str, ...]

    def worded(self, parts: Sequence[str]) -> str:
        """The template with other parts, which have the same variables in the same order."""
        tags = iter(self.tags)
        tagged = [re.sub(r"\[\[\w+\]\]", lambda _: next(tags), part) for part in parts]
        both = zip(self.kept, [*tagged, ""], strict=True)
        return "".join(text for pair in both for text in pair)

    @property
    def words(self) -> int:
        """Words that may change."""
        return sum(len(part.split()) for part in self.parts)


def instruction(prompt: Prompt) -> Instruction:
    """The template of a prompt, taken apart.

    Kept are all tags, paragraphs that print a part of an item and the headings before them, and paragraphs that say in
    which form to answer.

    Raises
    ------
    InvalidInput
        If nothing is left to be worded anew, or the template cannot be taken apart.
    """
    tags = _TAG.findall(prompt.source)
    if len(tags) != sum(kind.endswith("_begin") for kind, _ in code(prompt.source)) or _PRIVATE.search(prompt.source):
        raise InvalidInput(
            f'prompt "{prompt.name}": has raw blocks, or braces inside its tags, and cannot be taken apart; '
            "write its variants by hand"
        )
    marks = [chr(_FIRST + place) for place in range(len(tags))]
    every = iter(marks)
    flat = _TAG.sub(lambda _: next(every), prompt.source)
    known = dict(zip(marks, tags, strict=True))
    pieces: list[tuple[str, bool]] = []
    for piece, free in _paragraphs(flat, known):  # neighbours of a kind become one, with what stays between
        whole = piece
        if free and len(pieces) > 1 and not pieces[-1][0].strip():
            between, before = pieces.pop()[0], pieces.pop()[0]
            whole = before + between + piece
        elif not free and pieces and not pieces[-1][1]:
            whole = pieces.pop()[0] + piece
        pieces.append((whole, free))
    if not any(free for _, free in pieces):
        raise InvalidInput(
            f'prompt "{prompt.name}": has no paragraph of instructions that could be worded anew; put an empty line '
            "between the instruction, the parts of the item and the form of the answer"
        )
    kept, parts, held = [""], list[str](), list[str]()
    for text, free in pieces:
        if free:
            parts.append("".join(_shown(known[letter]) if letter in known else letter for letter in text))
            held += [known[letter] for letter in text if letter in known]
            kept.append("")
        else:
            kept[-1] += "".join(known.get(letter, letter) for letter in text)
    return Instruction(tuple(kept), tuple(parts), tuple(held))


def code(source: str) -> list[tuple[str, str]]:
    """What in a template is not text: kind and value of every token of its tags."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    lexed = ImmutableSandboxedEnvironment().lex(source)
    return [(kind, value.strip()) for _, kind, value in lexed if kind not in ("data", "whitespace")]


def _paragraphs(flat: str, known: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Pieces of a template whose tags are single characters, and whether each may be worded anew."""
    borders = "".join(mark for mark, tag in known.items() if not tag.startswith("{{"))
    split = re.split(rf"(\n[ \t]*\n\s*{f'|[{borders}]' if borders else ''})", flat)
    for place, piece in enumerate(split):
        bare = piece.strip()
        if place % 2 or not bare:
            yield piece, False
            continue
        before, _, after = piece.partition(bare)
        yield before, False
        prints = any(_shown(known[letter]) == "" for letter in bare if letter in known)
        heading = bare.endswith(":") and "\n" not in bare
        words = re.search(r"[^\W\d_]{2}", bare) is not None and not _FORM.search(bare)
        yield bare, words and not heading and not prints
        yield after, False


def _shown(tag: str) -> str:
    """A variable as the judge sees it; empty for all that is not an end of the scale or the answer's name."""
    variable = _VALUE.fullmatch(tag)
    return f"[[{variable[1]}]]" if variable and variable[1] in VALUES else ""
