"""Marks: the scores of one scorer on one attempt as numbers and statuses, of every member of a panel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from quorate.frozen import dataclass
from quorate.table.exchange.foreign.records import list_at, name_at, numbered, object_at, shown

GRADED = "model_graded"
"""How the names of Inspect's own graders begin."""
MAJORITY_SINCE = (0, 3, 262)
MARKED_SINCE = (0, 3, 245)
"""Versions since which panels decide by majority, and since which a grader that failed is told from a bad grade."""


@dataclass(frozen=True)
class Scorer:
    """A scorer.

    Parameters
    ----------
    name : str
        As in the samples.
    graders : tuple of str
        Models that grade for it, in order; none if the log does not say.
    reducer : str
        How the grades of several become one.
    """

    name: str
    graders: tuple[str, ...] = ()
    reducer: str = "mode"

    @property
    def graded(self) -> bool:
        """Whether models grade for it."""
        return bool(self.graders) or self.name.startswith(GRADED)


def scorers(run: Mapping[str, Any], version: tuple[int, ...], where: str) -> dict[str, Scorer]:
    """The scorers by their names in samples: the second ``rating`` is ``rating1``, a package's prefix is left out.

    Parameters
    ----------
    run : mapping
        What the log's key ``eval`` holds.
    version : tuple of int
        Of Inspect; empty if the log does not say.
    where : str
        The log, in errors.
    """
    roles = object_at(run.get("model_roles"), f"{where}: eval.model_roles")
    usual = "majority" if version >= MAJORITY_SINCE else "mode"
    found: dict[str, Scorer] = {}
    for place, entry in enumerate(list_at(run.get("scorers"), f"{where}: eval.scorers")):
        config = object_at(entry, f"{where}: eval.scorers[{place}]")
        bare = name_at(config.get("name"), f"{where}: eval.scorers[{place}].name").rsplit("/", 1)[-1]
        options = object_at(config.get("options"), f"{where}: options of scorer {bare}")
        graders = _models(options.get("model"))
        if not graders and bare.startswith(GRADED):
            role = options.get("model_role")
            graders = _models(roles.get(role if isinstance(role, str) else "grader"))
        reducer = options.get("reducer")
        name, count = bare, 0
        while name in found:
            count += 1
            name = f"{bare}{count}"
        found[name] = Scorer(name, graders, reducer if isinstance(reducer, str) else usual)
    return found


def _models(value: Any) -> tuple[str, ...]:
    """Names of one model or several; several times the same one are numbered."""
    entries = value if isinstance(value, list) else [value]
    names = [entry.get("model") if isinstance(entry, dict) else entry for entry in entries]
    known = [name for name in names if isinstance(name, str) and name]
    if len(known) < len(entries):
        return ()
    return tuple(numbered(known))


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
