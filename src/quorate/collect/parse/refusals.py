"""Replies in which a judge declines to judge."""

from __future__ import annotations

import re

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
    found = _DECLINES.search(start)
    return found is not None and not _UNDECIDED.match(start, found.start())
