"""Forms of an answer: how judges write the number that is their score, or their verdict, and the look-alikes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from quorate.collect.judge import Expects

NUMBER = r"(?<![\w.,/−-])[-+−]?\d{1,9}(?:\.\d{1,9})?(?![\w])"
_VALUE = re.compile(NUMBER)
_OUT_OF = re.compile(r"[ \t]*(?:/|out[ \t]+of|of)[ \t]*(\d{1,9}(?:\.\d{1,9})?)(?!\w)", re.IGNORECASE)
_MORE = re.compile(
    r"[ \t]*(?:[.,]\d|%|\?|(?:-|–|—|−|to|or|and|~|→|->|=>|&|\+|/|,|;|\||or[ \t]+maybe)[ \t]*[-+]?\d)"
    r"|[ \t]+(?:if|unless|or)\b|[ \t]*(?:percent|%)",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"[ \t]*(?:would|could|might|should|requires?|means?|indicates?|represents?|denotes?|is[ \t]+(?:reserved|given|for)"
    r"|for[ \t]+(?:responses|answers|a|an)\b|[:=][ \t]*\w|being\b|points?[ \t]+(?:is|for)\b)",
    re.IGNORECASE,
)
_NOT_THIS = re.compile(
    r"(?:\b(?:not|never|no|without|cannot|if|rather than|instead of|previous|initial|first|maximum|minimum|max|min"
    r"|perfect|highest|lowest|average|possible|confidence|than|least|most|original|reference)|n['’]t)\W+(?:\w+\W+){0,3}$"
    r"|\b(?:response|assistant|answer|model|candidate|option|system)[ \t]+[a-z0-9](?:['’]s)?\W*$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"the|my|a|this|our|its|total|numeric|numerical|integer|single|assigned|quality|evaluation|judge|response|so"
    r"|therefore|thus|hence|and|is|following|answer|would|as|with|have|gets|receives|deserves|earns|be",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"([^\W\d_]+)[ \t'’]*$")
_END = re.compile(r"[\s.!)\]}\"',;]*$")
_REASON = r"(?:overall|because|for|since|as|from|due|given|but|and|although|though|with|which|while|where)\b"
_STOP = re.compile(rf"[ \t]*(?:$|[\n.,;:!)\]—–-]|{_REASON})", re.IGNORECASE)
_NAMED_STOP = re.compile(rf"[ \t]*(?:$|[^\w \t]|(?i:points?\b|{_REASON})|[A-Z])")
_FRACTION_STOP = re.compile(rf"[ \t]*(?:$|[\n.;:!)\]—–-]|,?[ \t]*{_REASON})", re.IGNORECASE)
_JSON_VALUE = (
    r"\s{0,40}:\s{0,40}"
    r"""(?:"(?P<text>[^"\n]{0,80})"|'(?P<single>[^'\n]{0,80})'|(?P<bare>[^\s,}"']{1,40})|(?P<none>))"""
)
_VERB = re.compile(
    r"\b(?:give|gave|giving|rate|rated|assign|assigned|award|awarded|graded|scored|deserves?|merits?|earns?)"
    r"\b(?P<between>[^\n.;:!?\d]{0,80}?)(?P<opening>[\[(]{0,2})(?=[-+]?\d)",
    re.IGNORECASE,
)
_NUMBER_LINE = re.compile(r"[\W_]*")


class Hit(NamedTuple):
    """A place where an answer is stated.

    Parameters
    ----------
    score : float, optional
        None where what is stated is no point of the scale.
    at : int
        Where in the reply the value starts.
    end : int
        Where the statement ends.
    """

    score: float | None
    at: int
    end: int


Form = Callable[[str, Expects], Iterator[Hit]]


def number(text: str, at: int, expects: Expects) -> Hit | None:
    """The number at a place of the reply, with what it is out of; None where there is no number."""
    match = _VALUE.match(text, at)
    if match is None:
        return None
    end, score = match.end(), float(match[0].replace("−", "-"))
    out_of = _OUT_OF.match(text, end)
    right = expects.allows(score) and (out_of is None or float(out_of[1]) == expects.high)
    end = out_of.end() if out_of else end
    return Hit(score if right and not _MORE.match(text, end) else None, match.start(), end)


def json_answers(text: str, expects: Expects) -> Iterator[Hit]:
    """``"score": 7`` or ``"verdict": "A"`` of an object, whatever else is wrong with its JSON."""
    others = ("verdict", "winner", "choice", "preference") if expects.labels else ("score", "rating")
    for match in _json_values(text, expects.name, others):
        value, at = value_of(match)
        yield Hit(_stated(value, expects), at, match.end())


def _stated(value: str, expects: Expects) -> float | None:
    """Score of a value that is an answer and nothing else."""
    if expects.labels:
        return label(value, expects)
    hit = number(value.strip(), 0, expects)
    return hit.score if hit and hit.end == len(value.strip()) else None


def _json_values(text: str, name: str, others: tuple[str, ...]) -> list[re.Match[str]]:
    """Members of an object by this name, or where there are none by the first other name that occurs."""
    for key in dict.fromkeys((name, *others)):
        pattern = re.compile(rf"""(?<!\\)(?P<quote>["']){re.escape(key)}(?P=quote){_JSON_VALUE}""", re.IGNORECASE)
        if members := list(pattern.finditer(text)):
            return members
    return []


def value_of(match: re.Match[str]) -> tuple[str, int]:
    """Value of a member as text, and where it starts."""
    group = next(name for name in ("text", "single", "bare", "none") if match[name] is not None)
    return match[group], match.start(group)


def boxed_answers(text: str, expects: Expects) -> Iterator[Hit]:
    r"""``[[7]]``, ``<score>7</score>`` and ``\boxed{7}``; the same with a verdict."""
    own, most, inner = (
        ("verdict|winner|choice|answer", 60, r"(?:\\text\{)?") if expects.labels else ("score|rating", 40, "")
    )
    names = rf"(?:{own}|{re.escape(expects.name)})"
    pattern = (
        rf"\[\[([^\[\]\n]{{1,{most}}})\]\]|<{names}>([^<>\n]{{1,{most}}})</|\\boxed\{{{inner}([^{{}}\n]{{1,{most}}})\}}"
    )
    for match in re.finditer(pattern, text, re.IGNORECASE):
        inside = next(group for group in match.groups() if group is not None)
        value = re.sub(rf"^\s*{names}\s*[:=]\s*", "", inside, flags=re.IGNORECASE).strip()
        at = match.start() + match[0].index(inside) + inside.index(value)
        yield Hit(_stated(value, expects), at, match.end())


def overall_scores(text: str, expects: Expects) -> Iterator[Hit]:
    """``Final score: 7`` and ``Overall: 7``."""
    name = re.escape(expects.name)
    yield from _named_scores(
        rf"\b(?:final|overall)(?:[ \t]+(?:score|rating|grade|assessment|evaluation|{name}))*\b", text, expects
    )


def named_scores(text: str, expects: Expects) -> Iterator[Hit]:
    """``Score: 7``, ``Rating = 7/10`` and ``a score of 7``."""
    yield from _named_scores(rf"\b(?:score|rating|grade|{re.escape(expects.name)})\b", text, expects)


def _named_scores(what: str, text: str, expects: Expects) -> Iterator[Hit]:
    aside = r"(?:[ \t]*(?:\([^()\n]{0,80}\)|\[[^\[\]\n]{0,80}\]))?"
    scale = r"(?:[ \t]+(?:on|from|out[ \t]+of)\b[^\n:=]{0,60}(?=[:=]))?"
    sign = r"(?::|=|：|->|→|—|–|-|\bis\b|\bof\b|\bas\b)"
    link = rf"[ \t]*(?:{sign}[ \t]*(?:(?:is|as|a|an|solid|strong)\b[ \t]*){{0,2}}\s{{0,8}}|(?<=[ \t]))"
    pattern = re.compile(rf"{what}{aside}{scale}{link}[\[(<{{\"']{{0,2}}(?=[-+−]?\d)", re.IGNORECASE)
    for match in pattern.finditer(text):
        hit = number(text, match.end(), expects)
        if not hit or not _NAMED_STOP.match(text, hit.end):
            continue
        before = re.split(r"[\n.;!?|]", text[max(0, match.start() - 60) : match.start()])[-1]
        word = _LAST_WORD.search(before)
        other = word is not None and not _BEFORE.fullmatch(word[1]) and not re.search(r"[:,(]\W*$", before)
        if not (other or _NOT_THIS.search(before) or _HYPOTHETICAL.match(text, hit.end)):
            yield hit


def fractions(text: str, expects: Expects) -> Iterator[Hit]:
    """``7/10`` and ``7 out of 10`` that are not so many of ten things."""
    for match in _VALUE.finditer(text):
        out_of = _OUT_OF.match(text, match.end())
        if out_of and float(out_of[1]) == expects.high and _FRACTION_STOP.match(text, out_of.end()):
            hit = number(text, match.start(), expects)
            before = re.split(r"[\n.;!?|]", text[max(0, match.start() - 60) : match.start()])[-1]
            if hit and not _NOT_THIS.search(before):
                yield hit


def verbs(text: str, expects: Expects) -> Iterator[Hit]:
    """``I would give this a 7``, where the sentence has no other number and no condition."""
    for match in _VERB.finditer(text):
        hit = number(text, match.end(), expects)
        before = re.split(r"[\n.;!?]", text[max(0, match.start() - 120) : match.start()])[-1]
        after = re.split(r"[\n.;!?]", text[match.end() : match.end() + 120])[0] if hit else ""
        rest = after[hit.end - match.end() :] if hit else ""
        doubt = re.search(
            r"\b(?:not|never|no|cannot|if|could|might|than|except|unless)\b|n['’]t\b|\d", before + match["between"]
        )
        if hit and not doubt and not re.search(r"\d|\b(?:if|unless)\b", rest) and _STOP.match(text, hit.end):
            yield hit


def number_alone(text: str, expects: Expects) -> Hit | None:
    """A text that is nothing but a number; None where it is anything else."""
    start = _NUMBER_LINE.match(text)
    at = start.end() if start else 0
    if at and text[at - 1] in "-−":
        at -= 1
    hit = number(text, at, expects)
    return hit if hit and _END.match(text, hit.end) else None


# ---- verdicts

_SHOWN_NAMES = ("response", "assistant", "answer", "model", "candidate", "option", "output", "completion", "reply")
_SHOWN = rf"(?i:{'|'.join(_SHOWN_NAMES)})"
_TIES = (
    *("tie", "tied", "a tie", "draw", "a draw", "equal", "both equal", "both are equal", "equally good"),
    "it's a tie",
)
_OPENING = r"[\s\[(<{\"'“]{0,4}"
_CLOSED = re.compile(
    r"[ \t]*(?:$|[\n.,;:!)\]}\"'”>—–]"
    r"|\b(?:because|since|as|is[ \t]+(?:the[ \t]+)?(?:better|best|winner|stronger|preferred|superior)|wins|overall|due"
    r"|for|between)\b)",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|never|neither|nor|if|unless|cannot|whether|would|could|might|may|either)\b|n['’]t\b"
    r"|\b(?:in terms of|regarding|in (?:accuracy|clarity|style|depth|detail)|when it comes to|as for)\b",
    re.IGNORECASE,
)


def spellings(expects: Expects) -> dict[str, float]:
    """Every way to write each label, in lower case, and its score."""
    written: dict[str, float] = {}
    for label, score in expects.labels.items():
        low = label.casefold()
        written[low] = score
        if len(label) == 1:
            written |= {
                f"{shown} {low}": score for shown in ("response", "assistant", "answer", "model", "candidate", "option")
            }
        if low == "tie":
            written |= dict.fromkeys(_TIES, score)
    return written


def label(text: str, expects: Expects) -> float | None:
    """Score of a label that is all there is to the text."""
    bare = re.sub(r"^[\s\[(\"'“*]+|[\s\])\"'”*.!]+$", "", text).casefold()
    return spellings(expects).get(" ".join(bare.split()))


def final_verdicts(text: str, expects: Expects) -> Iterator[Hit]:
    """``Final verdict: A`` and ``Overall winner: A``."""
    yield from _named_verdicts(rf"\b(?:final|overall)[ \t]+(?:{_names(expects)}|answer)\b", text, expects)


def named_verdicts(text: str, expects: Expects) -> Iterator[Hit]:
    """``Verdict: A``, ``Winner: Response B`` and ``The better response is A``."""
    better = rf"\b(?:the[ \t]+)?(?:better|best|winning|preferred|stronger)[ \t]+(?:{_SHOWN}|one)\b"
    yield from _named_verdicts(rf"(?:\b(?:{_names(expects)})\b|{better})", text, expects)


def _names(expects: Expects) -> str:
    return rf"verdict|winner|choice|preference|decision|judge?ment|classification|label|{re.escape(expects.name)}"


def _named_verdicts(what: str, text: str, expects: Expects) -> Iterator[Hit]:
    link = rf"[ \t]*(?::|=|：|->|→|—|–|-|\bis\b|\bgoes[ \t]+to\b)\s{{0,8}}(?:that[ \t]+)?{_OPENING}"
    for match in re.finditer(rf"{what}{link}", text, re.IGNORECASE):
        before = re.split(r"[\n.;!?]", text[max(0, match.start() - 80) : match.start()])[-1]
        if _DOUBT.search(before):
            continue
        hit = Hit(None, match.end(), match.end())  # where there is no label: what a judge names its verdict is that
        for spelling, score in sorted(spellings(expects).items(), key=lambda pair: -len(pair[0])):
            end = match.end() + len(spelling)
            if text[match.end() : end].casefold() == spelling and not re.match(r"[\w<>=/]", text[end : end + 1]):
                hit = Hit(score if _CLOSED.match(text, end) else None, match.end(), end)
                break
        yield hit


def sentences(text: str, expects: Expects) -> Iterator[Hit]:
    """``Response A is better.`` and ``It is a tie.``, without conditions; whole sentences only."""
    if not {"a", "b"} <= spellings(expects).keys():
        return
    degree = r"(?:slightly|clearly|much|significantly|marginally|overall|therefore|the)?"
    better = rf"{degree}[ \t]*(?:better|best|superior|stronger|winner)"
    pattern = re.compile(
        rf"(?:\b(?:{_SHOWN}[ \t]+)?\b(?P<wins>[AB])[ \t]+(?:wins|is[ \t]+{better}(?:[ \t]+(?:{_SHOWN}|one))?)"
        rf"|\bI[ \t]+(?:prefer|choose|pick)[ \t]+(?:{_SHOWN}[ \t]+)?(?P<chosen>[AB])"
        rf"|\b(?i:it['’]s|it[ \t]+is|this[ \t]+is|call[ \t]+it)[ \t]+a[ \t]+(?P<tie>tie|draw))"
        rf"(?:[ \t]+than[ \t]+(?:{_SHOWN}[ \t]+)?[AB])?(?:[ \t]+overall)?[ \t]*"
        r"(?=$|[\n.,;!:—]|because\b|since\b|as\b)"
    )
    for match in pattern.finditer(text):
        before = re.split(r"[\n.;!?]", text[max(0, match.start() - 120) : match.start()])[-1]
        group = next(name for name in ("wins", "chosen", "tie") if match[name])
        if not _DOUBT.search(before):
            yield Hit(spellings(expects).get(match[group].casefold()), match.start(group), match.end())


def label_alone(text: str, expects: Expects) -> Hit | None:
    """A text that is nothing but a label; None where it is anything else."""
    score = label(text, expects)
    start = re.match(r"[\W_]*", text)
    return None if score is None else Hit(score, start.end() if start else 0, len(text))
