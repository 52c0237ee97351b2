"""Text of a raw reply: the part in which a judge states its answer, and whether it declines to.

Reasoning apart, quotations and markup are replaced by blanks, so that a place in the result is the same place in the
reply.
"""

from __future__ import annotations

import re

_OPEN = re.compile(r"<(think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_BLOCK_QUOTE = re.compile(r"^[ \t]*>[^\n]*", re.MULTILINE)
_QUOTED = re.compile(r'"[^"\n]{0,4000}"|“[^”]{0,4000}”|«[^»]{0,4000}»|(?<!`)`[^`\n]{1,4000}`(?!`)')
_MARKUP = re.compile(r"[*_#`~]")
_LETTERS = re.compile(r"[^\W\d_]{2}")

_FIRST = 400
"""Characters in which a refusal says so."""

_DO = (
    r"(?:help|assist|comply|continue|engage|evaluate|assess|rat(?:e|ing)|scor(?:e|ing)|judg(?:e|ing)"
    r"|grade|provide|fulfil?l|do (?:that|this)|participate|complete|answer|respond|process|give|offer|compare|review"
    r"|discuss|support|produce|create|generate|take part|perform)"
)
_CANNOT = r"(?:can['’]?t|cannot|can not|won['’]t|will not|unable|not able)"
_DECLINES = re.compile(
    "|".join(
        (
            rf"\bi(?:['’]?m| am) (?:very |so |really )?(?:sorry|afraid)\b[^.\n]{{0,40}}\b{_CANNOT}",
            rf"\bi (?:{_CANNOT}|(?:must |have to )?(?:decline|refuse))\b(?: to| in good conscience| ethically)* {_DO}?",
            rf"\bi(?:['’]?m| am) (?:unable|not (?:able|comfortable|willing|going)|uncomfortable) (?:to|with)? ?{_DO}",
            rf"\bas an ai\b[^.\n]{{0,80}}\b(?:{_CANNOT}|do not)\b",
            r"\b(?:this|the) (?:request|content|prompt|material) (?:violates|goes against)\b",
            r"\bmy (?:guidelines|programming|polic(?:y|ies))\b[^.\n]{0,60}\b(?:prevent|prohibit|(?:not|n['’]t) allow)",
        )
    ),
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"i (?:can['’]?t|cannot) (?:tell|determine|decide|say|see|find|verify|be sure|choose|identify|help but)\b",
    re.IGNORECASE,
)


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
    kept, start = [], 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if any(character.isalnum() for character in bare) and not bare.startswith("```"):
            kept.append((start + line.index(bare), bare))
        start += len(line)
    return kept


def declines(text: str) -> bool:
    """Whether a reply without an answer is a refusal: one that says so in its first sentences.

    Examples
    --------
    >>> declines("I'm sorry, but I can't help with that.")
    True
    >>> declines("I cannot tell which of the two is better.")
    False
    """
    start = " ".join(text[:_FIRST].split())
    refusal = _DECLINES.search(start)
    return refusal is not None and not _UNDECIDED.match(start, refusal.start())


def _blank(text: str, start: int, end: int) -> str:
    kept = re.sub(r"[^\n]", " ", text[start:end])
    return text[:start] + kept + text[end:]
