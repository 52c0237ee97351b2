"""Plan of a study of votes: how many it takes for a margin or from a pilot, and what a budget of them can see."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from quorate.arguments import Sentence, argument
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.clustered import cells, clustered_by
from quorate.estimate.votes.margins import margins
from quorate.frozen import dataclass
from quorate.planning.power import clusters
from quorate.planning.power.pilot import Feasibility, feasibility
from quorate.planning.power.sample_size import (
    Method,
    check_count,
    equivalence_margin,
    equivalence_size,
    sample_size,
    seen_by,
)
from quorate.table.results import Result, picked
from quorate.table.votes import Votes
from quorate.wording import counted
from quorate.wording import margin as worded

FEWEST = 50
"""Decisive votes of a pair whose margin is borrowed: with fewer their noise cannot be taken out."""


class Borrowed(NamedTuple):
    """A margin of pairs of other systems: a quantile over them, without the noise of their votes.

    Parameters
    ----------
    probability : float
        Which quantile.
    margin : float
        That.
    needed : int
        Independent votes that it takes.
    pairs : int
        Pairs.
    """

    probability: float
    margin: float
    needed: int
    pairs: int

    @property
    def words(self) -> str:
        """Which of the pairs it is."""
        return f"the pair at {100 * self.probability:g}% of {counted(self.pairs, 'other pair')} by margin"


@dataclass(frozen=True)
class VotesPlan(Result):
    """Votes that a comparison of two systems needs, and what a budget of them would see.

    Parameters
    ----------
    margin : float or None
        Margin that is to be seen, ``|p - 1/2|``, or that is taken for true where equivalence is to be shown; None where
        a pilot was given, or a budget alone.
    pilot : Feasibility or None
        What a pilot says, carried through to numbers of votes.
    budget : int or None
        Votes that can be paid for.
    worth : int or None
        Independent votes that the budget is worth.
    needed : int or None
        Independent votes needed; None with a budget alone, and where no number would do.
    detectable : float or None
        Smallest margin that the budget sees; None without a budget, or if it sees none.
    power : float
        Chance of detection wanted.
    icc : float, dict or None
        Correlation of two votes of one cluster, by facet where there are several; None where votes are independent.
    cluster : float, dict or None
        Votes per cluster, by facet where there are several; None where all of them are one.
    clustered : Clustered or None
        Votes of such clusters that are worth the independent ones needed (of an even pilot, the least number).
    equivalence : float or None
        Margin within which the two are to be shown alike; None where a difference is to be seen.
    borrowed : tuple of Borrowed
        Margins of pairs of other systems, the second of which is ``margin``; empty where none were given.
    """

    margin: float | None
    pilot: Feasibility | None
    budget: int | None
    worth: int | None
    needed: int | None
    detectable: float | None
    power: float
    icc: clusters.Correlation | None
    cluster: clusters.Sizes | None
    clustered: clusters.Clustered | None
    equivalence: float | None = None
    borrowed: tuple[Borrowed, ...] = ()

    @property
    def exit_code(self) -> int:
        """2 where a budget is too small, or no number of votes is enough; else 0."""
        return 0 if self.enough else 2

    @property
    def enough(self) -> bool:
        """Whether some number of votes would do, and the budget, if there is one, has it."""
        if self.budget is not None and self.detectable is None:
            return False
        if self.margin is None and self.pilot is None and self.equivalence is None:
            return True
        if self.clustered is not None and not self.clustered.attainable:
            return False
        return self.worth is None or (self.needed is not None and self.worth >= self.needed)

    @property
    def sentence(self) -> str:
        """The answer in one sentence or two."""
        parts, seen = [], self.detectable
        kind = "decisive vote" if self.icc is None else "independent decisive vote"
        needed, power = counted(self.needed or 0, kind), f"power {self.power:g}"
        reach = "see nothing, even if all agreed" if seen is None else f"see a margin of {worded(seen)} or more"
        if self.equivalence is not None:
            true = f"the true margin is {self.margin:g}" if self.margin else "the two are exactly alike"
            parts.append(f"To show a margin below {self.equivalence:g} takes {needed} ({power}, if {true})")
            reach = "show equivalence within no margin" if seen is None else f"show a margin below {worded(seen)}"
        elif self.margin is not None:
            whose = f", that of {self.borrowed[1].words}" if self.borrowed else ""
            share = f"{50 + 100 * self.margin:.4g}% of the votes"
            parts.append(f"A margin of {self.margin:.4g}, {share}{whose}, needs {needed} ({power})")
        if self.worth is not None:
            parts.append(f"{counted(self.worth, 'independent vote')} would {reach}")
        answer = f"{'; '.join(parts)}." if self.pilot is None else self.pilot.sentence
        if self.icc is None:
            return answer
        parts, ceiling = [], Sentence("")
        if self.budget is not None:
            parts.append(f"the budget of {self.budget:,} is worth {counted(self.worth or 0, 'independent one')}")
        if self.clustered is not None and self.clustered.attainable:
            parts.append(f"{self.clustered.n:,} are worth the {self.clustered.effective:,} that are needed")
        elif self.clustered is not None:
            parts.append(f"no number is worth the {self.clustered.effective:,} that are needed")
            worth = f": however many, they are worth less than {self.clustered.ceiling:,.6g}. Spread them over more "
            worth += "prompts or annotators, and say with "
            ceiling = worth + argument("cluster") + " how many votes share one"
            if self.budget is None or self.pilot is None:  # else it begins with what the budget can do
                answer = f"Unattainable: {answer[0].lower()}{answer[1:]}"
        shape = f"{clusters.cluster_words(self.cluster)} with {clusters.correlation_words(self.icc)}"
        return f"{answer} Of votes {shape}, {', and '.join(parts)}" + ceiling + "."

    def rows(self) -> list[dict[str, Any]]:
        """One row for every margin planned for: case, margin, needed (independent votes), votes (of such clusters)."""
        cases: list[tuple[str, float, int | None]]
        if self.borrowed:
            cases = [(one.words, one.margin, one.needed) for one in self.borrowed]
        elif self.pilot is None:
            stated = self.margin if self.equivalence is None else self.equivalence
            cases = [] if stated is None else [("stated", stated, self.needed)]
        else:
            ends = sorted((abs(self.pilot.low), abs(self.pilot.high)))
            nearest = 0.0 if self.pilot.low <= 0 <= self.pilot.high else ends[0]
            cases = [
                ("largest", ends[1], self.pilot.needed_low),
                ("estimate", abs(self.pilot.margin), self.pilot.needed),
                ("smallest", nearest, self.pilot.needed_high),
            ]
        rows = []
        for case, margin, needed in cases:
            votes = needed
            if needed is not None and self.icc is not None:
                votes = clusters.clustered_sample_size(needed, icc=self.icc, cluster=self.cluster).n
            rows.append({"case": case, "margin": margin, "needed": needed, "votes": votes})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        if self.pilot is None:
            facts: dict[str, Any] = picked(self, "margin equivalence budget=worth needed detectable") | {
                "borrowed": [one._asdict() for one in self.borrowed],
                "sentence": self.sentence,
            }
        else:
            facts = self.pilot.to_dict()
        if self.icc is not None:
            facts |= {"budget": self.budget, "worth": self.worth, "sentence": self.sentence}
        return {**facts, "clustered": None if self.clustered is None else self.clustered.to_dict()}


def plan_votes(
    margin: float | None = None,
    *,
    equivalence: float | None = None,
    pilot: tuple[int, int] | Votes | None = None,
    a: str | None = None,
    b: str | None = None,
    margins_from: Votes | None = None,
    budget: int | None = None,
    alpha: float = 0.05,
    power: float = 0.9,
    method: Method = "exact",
    icc: float | Mapping[str, float] | None = None,
    cluster: float | Mapping[str, float] | None = None,
) -> VotesPlan:
    """How many votes are needed, for a margin or from a pilot; with a budget alone, the margin that it could see.

    Parameters
    ----------
    margin : float, optional
        Margin to be seen: the share of votes for the better system, less .5. With ``equivalence`` the one taken for
        true, 0 by default.
    equivalence : float, optional
        Instead: show that the margin is below this; the margin is then the one taken for true. As
        `quorate.votes.equivalence_size`.
    pilot : (int, int) or Votes, optional
        Votes for one system and all decisive votes of a pilot, in place of a margin; or the votes themselves, whose
        prompts and judges then say what votes that share one are worth.
    a : str, optional
        With a pilot of votes on more than two systems: the first.
    b : str, optional
        The second.
    margins_from : Votes, optional
        Votes on other systems by a protocol like the one planned, in place of a margin: that of the pair at a quarter
        of theirs is taken, without the noise of the votes; pairs of 50 decisive votes or more.
    budget : int, optional
        Votes that can be paid for.
    alpha : float
        Chance of finding a difference that is not there.
    power : float
        Chance of seeing the margin. Above ``alpha`` and below 1.
    method : {"exact", "normal", "variance"}
        The exact test; the normal formula; or that with the variance at the margin. As for `quorate.votes.sample_size`.
    icc : float or mapping of str to float, optional
        Correlation of two votes that share a prompt or an annotator; of each, where they may share either:
        prompt=.1,judge=.05. Those of the pilot too. Without it votes are independent.
    cluster : float or mapping of str to float, optional
        Votes that share one, with ``icc``, or of each such as prompt=3,judge=40. By default all of them do.

    Raises
    ------
    InvalidInput
        If an argument is out of range, a margin and a pilot are both given, or neither they nor a budget.
    NotEstimable
        If a pilot has no decisive vote on the two.

    Examples
    --------
    >>> plan_votes(0.06, icc=0.1, cluster=3).clustered.n
    899
    >>> plan_votes(0.06).sentence
    'A margin of 0.06, 56% of the votes, needs 749 decisive votes (power 0.9).'
    >>> plan_votes(equivalence=0.1).sentence
    'To show a margin below 0.1 takes 281 decisive votes (power 0.9, if the two are exactly alike).'
    """
    _check_asked(margin, equivalence, pilot, margins_from, budget, method)
    if not isinstance(pilot, Votes) and (a, b) != (None, None):
        raise InvalidInput("a, b: name two systems of a pilot of votes, and there is none; leave them out")
    if isinstance(pilot, Votes) and icc is not None:
        raise InvalidInput(argument("icc") + ": a pilot of votes says itself how alike they are; leave it out")
    if cluster is not None and icc is None:
        rule = ": votes of one cluster count less only if they are alike; give "
        raise InvalidInput(argument("cluster") + rule + argument("icc") + " too")
    borrowed = () if margins_from is None else _borrow(margins_from, alpha, power, method)
    margin = borrowed[1].margin if borrowed else margin
    worth = budget
    if budget is not None:
        check_count("budget", budget)
        worth = budget if icc is None else math.floor(_worth(budget, icc, cluster) + 1e-9)
    tests: dict[str, Any] = {"alpha": alpha, "power": power, "method": method}
    from_pilot: Feasibility | None = None
    if pilot is not None:
        if isinstance(pilot, Votes):
            from_pilot = _from_votes(pilot, a, b, budget=worth, **tests)
        else:
            seen_as = None if icc is None else _worth(pilot[1], icc, cluster)
            from_pilot = feasibility(*pilot, budget=worth, worth=seen_as, **tests)
        needed, seen = from_pilot.needed, from_pilot.detectable
    elif equivalence is not None:
        needed, seen = _alike(equivalence, margin or 0.0, worth, alpha, power, method)
    else:
        seen = None if worth is None else seen_by(worth, alpha, power, method)
        needed = None if margin is None else sample_size(margin, **tests)
    wanted = from_pilot.needed_low if from_pilot is not None and needed is None else needed
    spread = None if icc is None or wanted is None else clusters.clustered_sample_size(wanted, icc=icc, cluster=cluster)
    rho, sizes = (dict(each) if isinstance(each, Mapping) else each for each in (icc, cluster))
    return VotesPlan(margin, from_pilot, budget, worth, needed, seen, power, rho, sizes, spread, equivalence, borrowed)


def _borrow(votes: Votes, alpha: float, power: float, method: Method) -> tuple[Borrowed, ...]:
    """Margins of other pairs at 10, 25 and 50%, and what they take (Lee 2026, appendix C.4)."""
    try:
        found = margins(votes, minimum=FEWEST, alpha=alpha, power=power).quantiles()
    except NotEstimable as few:
        said = str(few).rpartition(";")[0]
        raise NotEstimable(f"margins_from: {said}; borrow from a larger study, or say which margin matters") from None
    return tuple(
        Borrowed(p, m, sample_size(m, alpha=alpha, power=power, method=method), found.pairs)
        for p, m in zip(found.probability, found.corrected, strict=True)
    )


def _check_asked(
    margin: float | None,
    equivalence: float | None,
    pilot: object,
    margins_from: object,
    budget: int | None,
    method: Method,
) -> None:
    """Refuse what excludes each other, and nothing asked."""
    if margin is not None and pilot is not None:
        raise InvalidInput(argument("margin") + ": give it or " + argument("pilot") + ", not both")
    if margins_from is not None and not (margin is None and pilot is None and equivalence is None):
        raise InvalidInput(argument("margins_from") + ": takes the place of a margin or a pilot; leave the other out")
    if equivalence is not None and (pilot is not None or method == "variance"):
        given = argument("pilot") if pilot is not None else argument("method", method)
        raise InvalidInput(argument("equivalence") + ": has no plan by " + given + "; leave one of them out")
    if margin is None and pilot is None and budget is None and equivalence is None and margins_from is None:
        fix = (
            ": give the margin to be seen, .03 for 53% of the votes, a "
            + argument("pilot")
            + ", or a "
            + argument("budget")
        )
        raise InvalidInput(argument("margin") + fix)


def _from_votes(votes: Votes, a: str | None, b: str | None, **options: Any) -> Feasibility:
    """What a pilot of votes says: `feasibility` by the facets that repeat in them, as `quorate.compare` has them."""
    if a is None or b is None:
        if len(votes.models) != 2 or (a, b) != (None, None):
            raise InvalidInput("a, b: name the two systems of the pilot, such as " + " and ".join(votes.models[:2]))
        a, b = votes.models
    pair = votes.pair(a, b)
    outcome = 1 - pair.encoded("drop")
    counts = np.isfinite(outcome)
    if not counts.any():
        raise NotEstimable(f'pilot: no decisive vote between "{a}" and "{b}"; collect some')
    weight = pair.weights[counts].astype(np.int64)
    wins = np.where(outcome[counts] > 0, weight, 0)
    by = {name: cells(pair, name)[counts] for name in clustered_by(pair, None, counts)}
    if by:
        return feasibility(wins, weight, by=by, **options)
    return feasibility(int(wins.sum()), int(weight.sum()), **options)


def _worth(n: int, icc: float | Mapping[str, float], cluster: float | Mapping[str, float] | None) -> float:
    """Independent votes that n are worth; a cluster has no more votes than there are."""
    sizes = cluster if cluster is None or isinstance(cluster, Mapping) else min(cluster, n)
    return clusters.effective_judgments(n, icc=icc, cluster=sizes)


def _alike(
    equivalence: float, true: float, worth: int | None, alpha: float, power: float, method: Method
) -> tuple[int, float | None]:
    """Votes that show a margin below this one, and the smallest that the budget could; None where it shows none."""
    options: dict[str, Any] = {"true_margin": true, "alpha": alpha, "power": power}
    needed = equivalence_size(equivalence, **options, method="normal" if method == "normal" else "exact")
    try:
        return needed, None if worth is None else equivalence_margin(worth, **options)
    except NotEstimable:
        return needed, None
