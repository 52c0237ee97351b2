"""Check of a draft before a user sees it: nothing but the words of the prompt has changed, and they have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from quorate.collect.prompt import Prompt
from quorate.errors import InvalidInput
from quorate.study.variants.text import Instruction, code

SAME = 0.95
"""Share of words in common, in order, from which two wordings are taken as copies."""

LEAST, MOST = 0.5, 2.0
"""Words of a draft, as a share of the original's; ten more or fewer are always allowed."""

_LONG = 6
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_LEVEL = re.compile(r"^[ \t*_•-]*(\d+)", re.MULTILINE)
_MARK = re.compile(r"\[\[\w+\]\]")
_QUOTED = re.compile(r'"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`')
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n")


@dataclass(frozen=True)
class Bounds:
    """What every draft is held against.

    Parameters
    ----------
    original : Prompt
        The prompt that is worded anew.
    text : Instruction
        Its template, taken apart.
    fields : mapping
        One item, on which drafts are tried.
    items : tuple of str
        Texts of all items, which are no part of a prompt; in small letters, with single spaces.
    """

    original: Prompt
    text: Instruction
    fields: Mapping[str, Any]
    items: tuple[str, ...]

    def refusal(self, parts: Sequence[str], others: Iterable[Sequence[str]]) -> str | None:
        """Why these parts are no variant; None if they are one."""
        for old, part in zip(self.text.parts, parts, strict=True):
            if reason := _refused(old, part, self.original):
                return reason
        n_old, n_new = self.text.words, sum(len(part.split()) for part in parts)
        if n_new < LEAST * n_old - 10 or n_new > MOST * n_old + 10:
            return f"it has {n_new} words, the original {n_old}; keep about the same length"
        words = _words(parts)
        if _alike(_words(self.text.parts), words):
            return "it hardly differs from the original"
        if any(_alike(_words(other), words) for other in others):
            return "it hardly differs from another variant"
        original, draft = plain(" ".join(self.text.parts)), plain(" ".join(parts))
        sentences = [plain(sentence) for part in parts for sentence in _SENTENCE.split(part)]
        new = [sentence for sentence in sentences if len(sentence.split()) >= _LONG and sentence not in original]
        whole = [item for item in self.items if len(item.split()) >= _LONG and item in draft and item not in original]
        quoted = whole or any(sentence in item for item in self.items for sentence in new)
        return "it quotes an item" if quoted else self._broken(parts)

    def _broken(self, parts: Sequence[str]) -> str | None:
        """What the rules above should have excluded, seen from the other end: as the template, and as it is printed."""
        source = self.text.worded(parts)
        if code(source) != code(self.original.source):
            return "it changes the template's own code"
        try:
            draft = Prompt(self.original.name, source, self.original.expects)
            shown = _fences(draft, self.fields)
        except InvalidInput as error:
            return f"it does not print: {error}"
        return None if shown == _fences(self.original, self.fields) else "it changes how items are printed"


def plain(text: str) -> str:
    """A text in small letters with single spaces, to be searched."""
    return " ".join(text.casefold().split())


def texts(fields: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an item, turns of conversations one by one."""
    for value in fields.values():
        if isinstance(value, str):
            yield plain(value)
        elif isinstance(value, Sequence):
            yield from (
                plain(str(turn["content"])) for turn in value if isinstance(turn, Mapping) and "content" in turn
            )


def _refused(old: str, new: str, prompt: Prompt) -> str | None:
    """What no wording may have whatever the original says, and what must be the same in both."""
    marks, numbers = ([find.findall(text) for text in (old, new)] for find in (_MARK, _NUMBER))
    bare = _MARK.sub("", new)
    quoted = ["".join(groups) for groups in _QUOTED.findall(old)]
    labels = [label for label in prompt.expects.labels if _has(old, label)]
    missing = next((word for word in [*quoted, *labels] if not _has(new, word)), None)
    in_brackets, in_order = ", ".join(marks[0]) or "nothing", ", ".join(numbers[0]) or "none"
    rules = {
        "a part of it is empty": not new.strip(),
        "it has braces, which are template code": re.search(r"[{}]", new),
        "it has angle brackets, which the marks around items use": re.search(r"[<>]", new),
        "it has control characters or invisible ones": not all(c.isprintable() or c in "\n\t" for c in new),
        f"what stands in double brackets must stay, in its order: {in_brackets}": (
            marks[0] != marks[1] or "[[" in bare or "]]" in bare
        ),
        f"its numbers must be these, in this order: {in_order}": numbers[0] != numbers[1],
        "levels of the scale must begin lines of their own, as in the original": (
            _LEVEL.findall(old) != _LEVEL.findall(new)
        ),
        f'it lacks "{missing}"': missing is not None,
    }
    return next((reason for reason, broken in rules.items() if broken), None)


def _has(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _words(parts: Iterable[str]) -> list[str]:
    return re.findall(r"\w+", " ".join(parts).casefold())


def _alike(one: list[str], other: list[str]) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= SAME


def _fences(prompt: Prompt, fields: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Role of every message, and the pieces of the item in it with the marks around them."""
    swapped = {"response_a", "response_b"} <= fields.keys()
    turns = prompt.messages(fields, swapped=swapped)
    return [(turn.role, re.findall(r"<<<.*?>>>", turn.content, re.DOTALL)) for turn in turns]
