"""The part of a raw reply in which a judge states its answer: no reasoning apart, no quotations, no markup.

What is taken out is replaced by blanks, so that a place in the result is the same place in the reply.
"""

from __future__ import annotations

import re

_OPEN = re.compile(r"<(think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_BLOCK_QUOTE = re.compile(r"^[ \t]*>[^\n]*", re.MULTILINE)
_QUOTED = re.compile(r'"[^"\n]{0,4000}"|“[^”]{0,4000}”|«[^»]{0,4000}»|(?<!`)`[^`\n]{1,4000}`(?!`)')
_MARKUP = re.compile(r"[*_#`~]")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def concluded(text: str) -> str:
    """The reply without reasoning that is marked as such; all blank where such reasoning never ends."""
    for close in reversed(list(_CLOSE.finditer(text))):
        text = _blank(text, 0, close.end())
        break
    opened = _OPEN.search(text)
    return _blank(text, opened.start(), len(text)) if opened else text


def unquoted(text: str) -> str:
    """The reply without what it quotes: passages in quotation marks that hold a word, and block quotes."""
    whole = text.strip()
    if len(whole) > 1 and whole[0] == whole[-1] == '"' and '"' not in whole[1:-1]:
        return text.replace('"', " ")
    return _QUOTED.sub(
        lambda match: " " * len(match[0]) if _LETTERS.search(match[0]) else match[0], without_block_quotes(text)
    )


def without_block_quotes(text: str) -> str:
    """The reply with lines that start with ``>`` as blanks."""
    return _BLOCK_QUOTE.sub(lambda match: " " * len(match[0]), text)


def plain(text: str) -> str:
    """The reply with the marks of emphasis, headings and code as blanks."""
    return _MARKUP.sub(" ", text)


def lines(text: str) -> list[tuple[int, str]]:
    """Lines that hold a letter or digit: where each starts in the reply, and what it says without space around."""
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if any(character.isalnum() for character in bare) and not bare.startswith("```"):
            found.append((start + line.index(bare), bare))
        start += len(line)
    return found


def _blank(text: str, start: int, end: int) -> str:
    kept = re.sub(r"[^\n]", " ", text[start:end])
    return text[:start] + kept + text[end:]
