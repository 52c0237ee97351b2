"""Marks: the scores of one scorer on one attempt as numbers and statuses, of every member of a panel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from quorate.table.exchange.foreign.values import shown

OK = "ok"
FAILED = "error"
STATUSES: Mapping[str, str] = {
    "grader_failed": "unparsed",
    "grade_parse_failure": "unparsed",
    "scoring_failed": FAILED,
    "refusal": "refused",
}
"""The status by the reason why there is no score; of any other reason it is only missing."""
UNSCORED = ("unparsed", "refused", FAILED, "truncated")
"""Statuses of a vote without a score, as Quorate's own panel writes them."""
OURS = "quorate"
"""Key of a score's metadata under which that panel keeps its votes."""
GRADES: Mapping[str, float] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Grades by the letter, as Inspect counts them; N is no answer."""
_WORDS: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class Mark(NamedTuple):
    """One score: a number or nan, its status, and the word that stood there, if it was one."""

    score: float
    status: str = OK
    word: str = ""

    @property
    def absent(self) -> bool:
        """Whether there is no score."""
        return math.isnan(self.score)

    @property
    def foreign(self) -> bool:
        """Whether it is a word that is no score."""
        return bool(self.word) and self.absent


ABSENT = Mark(math.nan)


class Vote(NamedTuple):
    """A mark and whose it is; prompt and replicate are empty where nothing is said of them."""

    judge: str
    mark: Mark
    prompt: str | None = None
    replicate: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What a scorer gave one attempt.

    Parameters
    ----------
    marks : mapping of str to tuple of Mark
        By key of a dictionary of scores, with a dot before it, or under an empty name where there is one score; as
        many marks as the panel has members whose scores are known.
    verdicts : mapping of str to Mark
        What a panel came to, by the same keys; empty without a panel.
    listed : bool
        Whether the marks are a list of what is left of a panel's, in which who gave none is not said.
    votes : tuple of Vote
        Those of Quorate's own panel, which asks only some of its judges: who is not among them was not asked.
    """

    marks: Mapping[str, tuple[Mark, ...]]
    verdicts: Mapping[str, Mark]
    listed: bool = False
    votes: tuple[Vote, ...] = ()

    def of(self, key: str, width: int) -> tuple[Mark, ...] | None:
        """The marks of all members of a panel; None if it cannot be told whose they are."""
        marks = self.marks.get(key) or self.marks.get("", (ABSENT,))
        if len(marks) == width and (key in self.marks or marks[0].absent):
            return marks
        unscored = len(marks) == 1 and marks[0].absent and not self.listed
        return marks * width if unscored else None


def given(score: Mapping[str, Any]) -> Given:
    """The marks in one entry of a sample's scores, as Inspect writes it.

    Examples
    --------
    >>> given({"value": "C"}).marks
    {'': (Mark(score=1.0, status='ok', word='C'),)}
    """
    value, metadata = score.get("value"), _mapping(score.get("metadata"))
    if dealt := _votes(_mapping(metadata.get(OURS)).get("votes")):
        return Given({"": tuple(vote.mark for vote in dealt)}, _by_key(value, None), votes=dealt)
    panel = _mapping(metadata.get("panel"))
    votes = panel.get("votes")
    if isinstance(votes, list) and votes:
        failures = panel.get("failures")
        failed = [_mapping(one) for one in (failures if isinstance(failures, list) else [])]
        reasons = {one["index"]: one.get("reason") for one in failed if isinstance(one.get("index"), int)}
        members = [_by_key(vote, reasons.get(place)) for place, vote in enumerate(votes)]
        return Given(_joined(members), _by_key(value, None))
    if isinstance(value, list):
        return Given(_joined([_by_key(one, None) for one in value]), {}, listed=True)
    return Given(_joined([_by_key(value, score.get("reason") or metadata.get("unscored_reason"))]), {})


def mark(value: Any, reason: Any = None) -> Mark:
    """A score as a number, as Inspect's own metrics take it, but that a word of no meaning is not 0.

    Examples
    --------
    >>> mark("P").score, mark(True).score, mark("7").score
    (0.5, 1.0, 7.0)
    >>> mark(float("nan"), "grader_failed").status, mark("good").foreign
    ('unparsed', True)
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return Mark(math.nan, STATUSES.get(reason, OK) if isinstance(reason, str) else OK)
    if isinstance(value, str) and (value in GRADES or value.lower() in _WORDS):
        return Mark(GRADES[value] if value in GRADES else _WORDS[value.lower()], OK, value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isfinite(number):
        return Mark(number)
    return Mark(math.nan, OK, value if isinstance(value, str) and value else shown(value))


def _votes(entries: Any) -> tuple[Vote, ...]:
    """Votes as `quorate.study.inspect.panel` writes them; none if they are not in that shape."""
    found = [_vote(_mapping(entry)) for entry in (entries if isinstance(entries, list) else [])]
    known = tuple(vote for vote in found if vote is not None)
    return known if len(known) == len(found) else ()


def _vote(entry: Mapping[str, Any]) -> Vote | None:
    judge, prompt, replicate = entry.get("judge"), entry.get("prompt"), entry.get("replicate")
    if not (isinstance(judge, str) and judge.strip() and isinstance(prompt, str | None)):
        return None
    status = entry.get("status")
    given = mark(entry.get("score"))
    if status in UNSCORED:
        given = Mark(math.nan, str(status))
    return Vote(judge, given, prompt, replicate if isinstance(replicate, int) else None)


def _by_key(value: Any, reason: Any) -> dict[str, Mark]:
    if isinstance(value, dict):
        return {f".{key}": mark(leaf) for key, leaf in value.items()}
    return {"": mark(value, reason)}


def _joined(members: Iterable[Mapping[str, Mark]]) -> dict[str, tuple[Mark, ...]]:
    """The marks of each key; a member without any score has none of every key."""
    held = list(members)
    keys = dict.fromkeys(key for member in held for key in member)
    if len(keys) > 1 and all(member[""].absent for member in held if "" in member):
        keys.pop("", None)
    return {key: tuple(member.get(key) or member.get("", ABSENT) for member in held) for key in keys}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
