"""Forms of a verdict: how judges write one, and the look-alikes that are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.collect.judge import Expects
from quorate.collect.parse.score_forms import Hit, json_values, value_of

_SHOWN_NAMES = ("response", "assistant", "answer", "model", "candidate", "option", "output", "completion", "reply")
_SHOWN = rf"(?i:{'|'.join(_SHOWN_NAMES)})"
_TIES = (
    "tie",
    "tied",
    "a tie",
    "draw",
    "a draw",
    "equal",
    "both equal",
    "both are equal",
    "equally good",
    "it's a tie",
)
_OPEN = r"[\s\[(<{\"'“]{0,4}"
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


def json_verdicts(text: str, expects: Expects) -> Iterator[Hit]:
    """``"verdict": "A"`` of an object, whatever else is wrong with its JSON."""
    for match in json_values(text, expects.name, ("verdict", "winner", "choice", "preference")):
        value, at = value_of(match)
        yield Hit(label(value, expects), at, match.end())


def boxed_verdicts(text: str, expects: Expects) -> Iterator[Hit]:
    r"""``[[A]]``, ``<verdict>A</verdict>`` and ``\boxed{A}``."""
    names = rf"(?:verdict|winner|choice|answer|{re.escape(expects.name)})"
    pattern = (
        rf"\[\[([^\[\]\n]{{1,60}})\]\]|<{names}>([^<>\n]{{1,60}})</|\\boxed\{{(?:\\text\{{)?([^{{}}\n]{{1,60}})\}}"
    )
    for match in re.finditer(pattern, text, re.IGNORECASE):
        inside = next(group for group in match.groups() if group is not None)
        value = re.sub(rf"^\s*{names}\s*[:=]\s*", "", inside, flags=re.IGNORECASE)
        at = match.start() + match[0].index(inside) + inside.index(value.strip() or value)
        yield Hit(label(value, expects), at, match.end())


def final_verdicts(text: str, expects: Expects) -> Iterator[Hit]:
    """``Final verdict: A`` and ``Overall winner: A``."""
    yield from _named(rf"\b(?:final|overall)[ \t]+(?:{_names(expects)}|answer)\b", text, expects)


def named_verdicts(text: str, expects: Expects) -> Iterator[Hit]:
    """``Verdict: A``, ``Winner: Response B`` and ``The better response is A``."""
    better = rf"\b(?:the[ \t]+)?(?:better|best|winning|preferred|stronger)[ \t]+(?:{_SHOWN}|one)\b"
    yield from _named(rf"(?:\b(?:{_names(expects)})\b|{better})", text, expects)


def _names(expects: Expects) -> str:
    return rf"verdict|winner|choice|preference|decision|judge?ment|classification|label|{re.escape(expects.name)}"


def _named(what: str, text: str, expects: Expects) -> Iterator[Hit]:
    link = rf"[ \t]*(?::|=|：|->|→|—|–|-|\bis\b|\bgoes[ \t]+to\b)\s{{0,8}}(?:that[ \t]+)?{_OPEN}"
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
        r"(?=$|[\n.,;!:—]|because\b|since\b|as\b)",
    )
    for match in pattern.finditer(text):
        before = re.split(r"[\n.;!?]", text[max(0, match.start() - 120) : match.start()])[-1]
        group = next(name for name in ("wins", "chosen", "tie") if match[name])
        if not _DOUBT.search(before):
            yield Hit(spellings(expects).get(match[group].casefold()), match.start(group), match.end())


def standing_alone(text: str, expects: Expects) -> Hit | None:
    """A text that is nothing but a label; None where it is anything else."""
    score = label(text, expects)
    start = re.match(r"[\W_]*", text)
    return None if score is None else Hit(score, start.end() if start else 0, len(text))
