"""Parsing: from the words of a judge to a score, or to the statement that there is none.

A reply counts when it *states* an answer: as JSON, in double brackets, after a word such as "Score" or "Verdict", as a
fraction of the scale, or on a line of its own. The form that was asked for comes first. Where statements of one form
disagree, the last line decides if it states an answer by itself, since that is where a judge that reasons concludes;
otherwise nothing is taken. What is off the scale is no answer, and neither is a number that is only mentioned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from quorate.collect import forms
from quorate.collect.forms import Form, Hit
from quorate.collect.judge import MOST_TEXT, REFUSED, TRUNCATED, UNPARSED, Expects
from quorate.table.facets import OK

# Text of a raw reply: the part in which a judge states its answer, and whether it declines to.
#
# Reasoning apart, quotations and markup are replaced by blanks, so that a place in the result is the same place in the
# reply.


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


_SCORES: tuple[Form, ...] = (forms.overall_scores, forms.named_scores, forms.fractions, forms.verbs)
_VERDICTS: tuple[Form, ...] = (forms.final_verdicts, forms.named_verdicts, forms.sentences)
_HEAD = (
    "so|therefore|thus|hence|my|the|final|overall|total|better|best|response|assistant|answer|one|is|score|rating|grade"
    "|verdict|winner|choice|preference|decision|judge?ment|classification|label"
)
_CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS"})
_INVISIBLE = re.compile(r"(?<=[\d.,/])[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+(?=[\d.,/%])")
"""What cannot be seen inside a number: the reader sees one number, the program would see two."""
_FILTERED = frozenset({"content_filter", "safety", "SAFETY", "refusal"})


def judged(
    text: str, expects: Expects, *, finish: str | None = None, tokens: Sequence[Any] | None = None
) -> tuple[str, float | None, str | None]:
    """Status, score in the study's order, and what is wrong.

    Parameters
    ----------
    text : str
        What the judge said.
    expects : Expects
        What counts as an answer.
    finish : str, optional
        Why the judge stopped, as it says; ``length`` makes the reply truncated whatever it holds, since the answer, or
        its second digit, may be what is missing.
    tokens : sequence, optional
        Tokens of the reply with their log probabilities, as an endpoint gives them.
    """
    if finish in _FILTERED:
        return REFUSED, None, "the endpoint's filter withheld the reply"
    if finish in _CUT_OFF:
        return TRUNCATED, None, "the reply was cut off; allow more tokens"
    hit = answer(text, expects)
    if hit is None or hit.score is None:
        unread = "no unambiguous answer on the scale" if text.strip() else "the reply is empty"
        return (REFUSED, None, "the judge declined") if declines(text) else (UNPARSED, None, unread)
    if not expects.expected:
        return OK, expects.recoded(hit.score), None
    mean = _expected_score(tokens, text, hit, expects)
    if mean is None:
        return (
            UNPARSED,
            None,
            "expected score: the token probabilities of the answer are missing or do not cover the scale",
        )
    return OK, expects.recoded(mean), None


def answer(text: str, expects: Expects) -> Hit | None:
    """What the reply states, as it was shown and not recoded; None, or a hit without a score, where it states nothing.

    Examples
    --------
    >>> answer("It is accurate. Score: 7/10", Expects(1, 10)).score
    7.0
    >>> answer("It has 3 mistakes.", Expects(1, 10)) is None
    True
    """
    offset = max(0, len(text) - MOST_TEXT)
    text = _without_scale(_INVISIBLE.sub(lambda gap: "x" * len(gap[0]), concluded(text)[offset:]), expects)
    hit = _alone(text, expects)
    if hit is None:  # what the last line states by itself; no score where the line before it states something else
        last = [_moved(_line(line, expects), start) for start, line in lines(without_block_quotes(text))[-2:]]
        if last and last[-1] is not None:
            hit = _agreed([one for one in last if one is not None])
    if hit is None:
        hit = next((_agreed(hits) for hits in _by_form(text, expects) if hits), None)
    return _moved(hit, offset)


def _by_form(text: str, expects: Expects) -> Iterator[list[Hit]]:
    """Statements form by form, the most explicit first."""
    bare = plain(unquoted(text))
    yield list(forms.json_answers(text, expects))
    yield list(forms.boxed_answers(unquoted(text), expects))
    for form in _VERDICTS if expects.labels else _SCORES:
        yield list(form(bare, expects))
    hits = [_moved(_alone(line, expects), start) for start, line in lines(without_block_quotes(text))]
    yield [hit for hit in hits if hit is not None]


def _agreed(hits: Sequence[Hit]) -> Hit:
    """The last of the statements, without a score where they disagree."""
    agree = len({hit.score for hit in hits}) == 1
    return hits[-1] if agree else hits[-1]._replace(score=None)


def _alone(text: str, expects: Expects) -> Hit | None:
    """A text that is nothing but a number or a label."""
    form = forms.label_alone if expects.labels else forms.number_alone
    return form(plain(text), expects)


def _line(line: str, expects: Expects) -> Hit | None:
    """What a line states that does nothing but state an answer."""
    words, bare = _VERDICTS if expects.labels else _SCORES, plain(line)
    if line.startswith(("{", '"')) and (hits := list(forms.json_answers(line, expects))):
        return _agreed(hits)
    hits = [hit for form in (forms.boxed_answers, *words[:2]) for hit in form(bare, expects)]
    alone = _alone(line, expects)
    if alone is not None or not hits:
        return alone
    before, after = bare[: min(hit.at for hit in hits)], bare[max(hit.end for hit in hits) :]
    head = re.fullmatch(rf"(?:{_HEAD}|{re.escape(expects.name)}|[\W_])*", before, re.IGNORECASE)
    return _agreed(hits) if head is not None and not re.search(r"[^\W_]", after) else None


def _moved(hit: Hit | None, by: int) -> Hit | None:
    return hit and Hit(hit.score, hit.at + by, hit.end + by)


def _without_scale(text: str, expects: Expects) -> str:
    """The reply with mentions of the scale itself as blanks."""
    low, high = f"{expects.low:g}", f"{expects.high:g}"
    span = rf"{low}[ \t]*(?:-|–|—|to|and|through)[ \t]*{high}(?!\w|\.\d)"
    mention = rf"\((?:from[ \t]+|scale[ \t]*:?[ \t]*|out[ \t]+of[ \t]+)?(?:{span}|{high})\)"
    scale = rf"(?:(?:on|using|with)[ \t]+)?(?:a|the)[ \t]+(?:scale[ \t]+(?:of|from)[ \t]+{span}|{span}[ \t]+scale)"
    return re.sub(rf"{mention}|{scale}", lambda match: " " * len(match[0]), text, flags=re.IGNORECASE)


_AROUND = " \t\n\"'[](){}.,"
COVERAGE = 0.8
"""Least probability that must lie on tokens that are points of the scale."""


def _expected_score(tokens: Sequence[Any] | None, text: str, found: Hit, expects: Expects) -> float | None:
    """Mean of the scale at the token where the answer starts; None where the tokens do not say.

    A token that may be the first half of another point, such as ``1`` of ``10``, counts only where that other point is
    a token of its own. Points that are not among the alternatives have no weight; the rest is scaled to one, and must
    have been at least `COVERAGE` before.
    """
    token = _token_at(tokens, text, found.at)
    if token is None:
        return None
    likely = _alternatives(token)
    labels = {label.casefold(): score for label, score in expects.labels.items()}
    spelled = labels or {f"{point:g}": point for point in expects.points}
    weights: dict[float, float] = {}
    for written, probability in likely.items():
        begun = {point: score for point, score in spelled.items() if point.startswith(written)}
        one_point = len(set(begun.values())) == 1
        if one_point or (written in begun and all(point in likely for point in begun)):
            score = next(iter(begun.values())) if one_point else begun[written]
            weights[score] = weights.get(score, 0.0) + probability
    total = math.fsum(weights.values())
    if not COVERAGE <= total <= 1 + 1e-6:
        return None
    return math.fsum(score * weight for score, weight in weights.items()) / total


def _token_at(tokens: Sequence[Any] | None, text: str, at: int) -> Mapping[str, Any] | None:
    """The token in which the answer starts; None where the tokens do not spell the reply."""
    if not isinstance(tokens, (list, tuple)):
        return None
    end = 0
    for token in tokens:
        if not isinstance(token, Mapping) or not isinstance(token.get("token"), str):
            return None
        if not text.startswith(token["token"], end):
            return None
        end += len(token["token"])
        if at < end:
            return token
    return None


def _alternatives(token: Mapping[str, Any]) -> dict[str, float]:
    """Probability of what could have been written here, without the space around it."""
    listed = token.get("top_logprobs")
    spellings: dict[str, dict[str, float]] = {}
    for other in (*(listed if isinstance(listed, (list, tuple)) else ()), token):
        if not isinstance(other, Mapping) or not isinstance(other.get("token"), str):
            continue
        logprob = other.get("logprob")
        if not isinstance(logprob, bool) and isinstance(logprob, Real) and logprob <= 1e-6:
            written = other["token"].strip(_AROUND).casefold()
            spellings.setdefault(written, {})[other["token"]] = math.exp(logprob)
    return {written: math.fsum(raw.values()) for written, raw in spellings.items() if written}
