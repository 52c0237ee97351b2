"""Parsing: from the words of a judge to a score, or to the statement that there is none.

A reply counts when it *states* an answer: as JSON, in double brackets, after a word such as "Score" or "Verdict", as a
fraction of the scale, or on a line of its own. The form that was asked for comes first. Where statements of one form
disagree, the last line decides if it states an answer by itself, since that is where a judge that reasons concludes;
otherwise nothing is taken. What is off the scale is no answer, and neither is a number that is only mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from quorate.collect.expects import Expects
from quorate.collect.judge import MOST_TEXT, REFUSED, TRUNCATED, UNPARSED
from quorate.collect.judges.expected_score import expected_score
from quorate.collect.parse import score_forms, verdict_forms
from quorate.collect.parse.reply_text import concluded, declines, lines, plain, unquoted, without_block_quotes
from quorate.collect.parse.score_forms import Form, Hit
from quorate.table.judgments import OK

_Forms = tuple[Form, Form, tuple[Form, ...]]
_SCORES: _Forms = (
    score_forms.json_scores,
    score_forms.boxed_scores,
    (score_forms.overall_scores, score_forms.named_scores, score_forms.fractions, score_forms.verbs),
)
_VERDICTS: _Forms = (
    verdict_forms.json_verdicts,
    verdict_forms.boxed_verdicts,
    (verdict_forms.final_verdicts, verdict_forms.named_verdicts, verdict_forms.sentences),
)
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
    mean = expected_score(tokens, text, hit, expects)
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
    json, boxed, words = _VERDICTS if expects.labels else _SCORES
    bare = plain(unquoted(text))
    yield list(json(text, expects))
    yield list(boxed(unquoted(text), expects))
    for form in words:
        yield list(form(bare, expects))
    hits = [_moved(_alone(line, expects), start) for start, line in lines(without_block_quotes(text))]
    yield [hit for hit in hits if hit is not None]


def _agreed(hits: Sequence[Hit]) -> Hit:
    """The last of the statements, without a score where they disagree."""
    agree = len({hit.score for hit in hits}) == 1
    return hits[-1] if agree else hits[-1]._replace(score=None)


def _alone(text: str, expects: Expects) -> Hit | None:
    """A text that is nothing but a number or a label."""
    form = verdict_forms.standing_alone if expects.labels else score_forms.standing_alone
    return form(plain(text), expects)


def _line(line: str, expects: Expects) -> Hit | None:
    """What a line states that does nothing but state an answer."""
    json, boxed, words = _VERDICTS if expects.labels else _SCORES
    bare = plain(line)
    if line.startswith(("{", '"')) and (hits := list(json(line, expects))):
        return _agreed(hits)
    hits = [hit for form in (boxed, *words[:2]) for hit in form(bare, expects)]
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
