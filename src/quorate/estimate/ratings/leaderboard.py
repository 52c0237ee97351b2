"""Leaderboard of scores: means with intervals that count judges and prompts, ranks, groups, and who may be best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.caveats import Caveat, missing, ordered_by_differences
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.fit import Method
from quorate.estimate.differences.difference import difference
from quorate.estimate.differences.methods import JointMeans, joint_means
from quorate.estimate.means.mean import Estimate, aimed, mean_for, on_scale
from quorate.estimate.means.pairs import together
from quorate.estimate.means.reach import is_setup
from quorate.estimate.means.targets import POPULATION, Target, among, like_these, scope, unsaid
from quorate.estimate.ratings.pair_errors import MOST_SYSTEMS, Compared, PairErrors, pair_errors, signs
from quorate.estimate.ratings.ranked import Board, ByJudges, by_judges, claim, standing, top
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_cdf
from quorate.numerics.inference import checked_level
from quorate.numerics.ratings.highest import agreeing, best
from quorate.numerics.ratings.rank_intervals import (
    RankIntervals,
    in_student,
    normal_deviations,
    ranks_by_widths,
)
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.results import Row
from quorate.wording import brief, capitalised

_DRAWS = 40_000
_ROUNDING = 1e-9
"""Part of the largest mean by which equal ones differ through rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Board):
    """Systems by mean score, best first: in the order of their differences, where not all were judged on the same.

    Parameters
    ----------
    systems : tuple of str
        Labels, best first.
    means : tuple of Estimate
        Mean score of each, with what it is worth for its targets.
    level : float
        Coverage of intervals.
    compared : Compared
        What was judged, the model of it, and every two systems.
    caveats : tuple of Caveat
        What to know before relying on this.
    seed : int
        Of the draws.
    asked : mapping of str to str
        The targets that were asked for.
    model : mapping of str to object
        Terms, covariates, method and residuals, as they were chosen.
    pairs : PairErrors
        Differences of every two systems.
    targets : mapping of str to str
        What facets stand for.
    """

    systems: tuple[str, ...]
    means: tuple[Estimate, ...]
    level: float
    compared: Compared
    caveats: tuple[Caveat, ...]
    seed: int
    pairs: PairErrors
    targets: Mapping[str, Target]
    asked: Mapping[str, Target] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)

    entries = (
        "systems=rows groups level df spread noise common dependability rankable targets scope others "
        "others_reason=unsaid less_is_better by_judges seed caveats sentence exit_code unit=measure"
    )

    def __repr__(self) -> str:
        return brief("Leaderboard", f"{len(self)} systems, {self.n} scores: {top(self)}")

    def __str__(self) -> str:
        return self.sentence

    @property
    def joint(self) -> JointMeans:
        """The model of all systems."""
        return self.compared.joint

    @property
    def judgments(self) -> Judgments:
        """As read."""
        return self.compared.judgments

    @property
    def n(self) -> int:
        """Scores."""
        return self.joint.fit.judgments.n_answers

    @property
    def measure(self) -> str:
        """What systems are ordered by, in words."""
        return f"mean {self.judgments.score}" + ", less is better" * self.less_is_better

    @property
    def less_is_better(self) -> bool:
        """Whether the first has the lowest mean."""
        return self.judgments.less_is_better

    @property
    def rating(self) -> Floats:
        """Mean scores, shape (systems,)."""
        return np.array([mean.value for mean in self.means])

    @property
    def standing(self) -> Floats:
        """How far each is ahead of the average of all, by its differences from them; shape (systems,)."""
        return self.pairs.standing

    @property
    def se(self) -> Floats:
        """Standard error of each mean, shape (systems,)."""
        return np.array([mean.se for mean in self.means])

    @property
    def intervals(self) -> Floats:
        """Interval of each mean, with coverage ``level`` for that system alone; shape (systems, 2)."""
        return np.array([mean.at(self.level).ends for mean in self.means])

    @cached_property
    def ranks(self) -> RankIntervals:
        """Intervals of the ranks, for all systems at once and for one chosen beforehand; rank 1 is best."""
        return ranks_by_widths(self.pairs.value, self.covariance, self._drawn, self.level, self.pairs.half_width)

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the means about their average; what systems share has cancelled."""
        return self.pairs.covariance

    @property
    def df(self) -> float:
        """The fewest degrees of freedom of any difference."""
        return float(self.pairs.freedom[~np.eye(len(self), dtype=bool)].min())

    @cached_property
    def best(self) -> dict[str, float]:
        """Probability of being the best, if means deviate as they may: never over 97.5% while others may be first.

        At another ``level`` the edge is ``(1 + level) / 2``; the one system that may be first has at least that.
        """
        chance, equal = best(self.standing, self._deviations), self.pairs.copies
        chances = agreeing(equal @ chance / equal.sum(axis=1), self.ranks, self.level)
        return dict(zip(self.systems, chances.tolist(), strict=True))

    @property
    def spread(self) -> float:
        """Variance of the true means of these systems, as estimated: that of the means less their noise, at least 0."""
        return max(0.0, float(np.var(self.standing, ddof=1)) - self.noise)

    @property
    def noise(self) -> float:
        """Error variance of a mean compared with the others, for others like this study's setup where that is known."""
        widest = self.pairs if self.others is None else self.others.pairs
        return _of_means(widest.variance + widest.beyond_items)

    @property
    def common(self) -> float:
        """Part of the noise that more items do not reduce: how far judges and prompts favour systems."""
        widest = self.pairs if self.others is None else self.others.pairs
        return _of_means(widest.beyond_items) / self.noise if self.noise > 0 else 0.0

    @property
    def dependability(self) -> float:
        """Part of the variance of the means that is not noise: the generalizability coefficient of this ranking."""
        total = self.spread + self.noise
        return self.spread / total if total > 0 else np.nan

    @property
    def rankable(self) -> bool:
        """Whether the true means are estimated to differ by more than their noise."""
        return self.spread > self.noise

    def difference(self, a: str, b: str) -> Estimate:
        """Mean of ``a`` less that of ``b``, with its own interval, for two systems chosen beforehand.

        Raises
        ------
        UnknownTerm
            If a system is not there.
        InvalidInput
            If the two are one.
        """
        if a == b:
            raise InvalidInput(f'difference: "{a}" against itself; name two systems')
        if self.joint.chosen:
            found = self.joint.contrast(signs(self.joint, a, b))
        else:
            found = difference(self.judgments, a, b, facet=self.joint.facet, targets=self.asked).estimate
        return aimed(found, among(found.target, self.targets))

    @property
    def gaps(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Differences, row less column, their errors, and both limits, which hold at once; all (systems, systems)."""
        half = self.pairs.half_width(normal_cdf(self.ranks.normal))
        value = 0.0 - self.pairs.value if self.less_is_better else self.pairs.value
        return value, np.sqrt(self.pairs.square), value - half, value + half

    def rows(self) -> list[Row]:
        """One row for every system, best first: system, rating, se, low, high, rank_low, rank_high, group, best.

        Intervals of means hold for each system alone; ranks and groups hold for all systems at once.
        """
        return [row | {"best": self.best[row["system"]]} for row in super().rows()]

    @property
    def scope(self) -> str:
        """Whom the order speaks for, in the words of `quorate.compare`."""
        return scope(self.joint.fit.judgments, self.targets, self.joint.facet)

    @cached_property
    def others(self) -> Leaderboard | None:
        """The same board for others like this study's setup; None where that was asked for, or nothing tells."""
        fit, facet = self.joint.fit, self.joint.facet
        if any(self.asked.get(name) == POPULATION for name in fit.judgments.names if is_setup(fit.judgments, name)):
            return None
        drawn = {name: to for name, to in like_these(fit)[0].items() if name != facet}
        targets = {**self.targets, **drawn, **self.asked}
        if targets == self.targets:
            return None
        pairs = pair_errors(self.compared, self.systems, targets)
        means = tuple(aimed(mean, among(mean.target, targets)) for mean in together(self.means))
        return replace(self, pairs=pairs, means=means, targets=targets)

    @property
    def unsaid(self) -> str:
        """What the study is too small to say of others; empty where nothing is left out."""
        return unsaid(self.joint.fit, (*self.asked, self.joint.facet))

    @property
    def opinion(self) -> str:
        """Whose opinion a mean is, in a sentence; empty without judges."""
        if JUDGE not in self.joint.fit.judgments.names or self.joint.facet == JUDGE:
            return ""
        return "A mean of judges is the judges' opinion; labels of people on some of the items say more."

    @cached_property
    def by_judges(self) -> ByJudges | None:
        """Who is first without each judge, by their median and trimmed mean; None where that cannot be seen."""
        return by_judges(self.joint.fit.judgments, self.joint.facet)

    @property
    def sentence(self) -> str:
        """The answer, and whether there is one."""
        others = ""
        if self.others is not None:
            (lead, *_), (same, *told) = (claim(one).split("; ") for one in (self, self.others))
            whom = capitalised(self.others.scope)
            others = f"{whom}: {claim(self.others)}."
            if claim(self) == claim(self.others):
                others = f"{whom} the same."
            elif told and lead == same:
                others = f"{whom} the same, but {told[0]}."
        beyond = self.unsaid and f"{capitalised(self.unsaid)}."
        finding = " ".join(line for line in (standing(self, self.scope), others, beyond) if line)
        if self.rankable:
            return finding
        if self.pairs.copies.all():
            return f"{finding} All systems score the same on every item."
        whom = "" if self.others is None else f" {self.others.scope}"
        helps = "more items" if self.common < 0.5 else "more judges or prompts"
        return (
            f"{finding} Not rankable{whom}: the noise of a mean (sd {self.noise**0.5:.3g}, {self.common:.0%} of it "
            f"common to all items) exceeds the spread of the true means (sd {self.spread**0.5:.3g}); {helps} would "
            "help most."
        )

    @cached_property
    def _drawn(self) -> Floats:
        """Draws of the means less what they estimate, by the normal law."""
        return normal_deviations(self.covariance, np.inf, _DRAWS, self._stream)

    @cached_property
    def _stream(self) -> np.random.Generator:
        """Source of the draws, and after these of their scale."""
        return stream(self.seed, "ranks")

    @cached_property
    def _deviations(self) -> Floats:
        """The same with a scale that is as uncertain as their standard errors."""
        df = np.where(np.eye(len(self), dtype=bool), np.inf, self.pairs.freedom).min(axis=1)
        return in_student(self._drawn, df, self._stream)


def _of_means(square: Floats) -> float:
    """Variance of a mean about the average of all, from those of differences."""
    k = len(square)
    return float(square.sum() / (2 * k * (k - 1)))


def leaderboard(
    judgments: Judgments,
    *,
    system: str = "system",
    level: float = 0.95,
    targets: Mapping[str, Target] | None = None,
    seed: int = 1,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    method: Method | None = None,
    residual_by: str | None = None,
) -> Leaderboard:
    """Which systems score best, with ranks and groups that judges and prompts like these would confirm.

    Arguments and errors are those of `quorate.rank` for scores.

    Notes
    -----
    Every mean is that of its system's own scores, every difference that of `quorate.compare`; with more than twenty
    systems and a table with gaps both are those of one model, `quorate.estimate.differences.methods.joint_means`, as is
    the difference of two systems whose own scores are too few for one.
    Differences hold at once by the largest of all t statistics. Ranks and groups follow from them.

    References
    ----------
    Tukey (1953) in Hochberg and Tamhane (1987), Multiple Comparison Procedures; Mogstad, Romano, Shaikh and Wilhelm
    (2024), Review of Economic Studies 91, 476-518, for ranks.
    """
    checked_level(level)
    options = {"random": random, "covariates": covariates, "method": method, "residual_by": residual_by}
    model: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    joint = joint_means(judgments, facet=system, targets=targets, **model)
    compared = Compared(joint, judgments)
    found, pairs = _means(judgments, joint, joint.targets), pair_errors(compared, joint.systems, joint.targets)
    order = pairs.best_first()
    means, systems = tuple(found[i] for i in order), tuple(joint.systems[i] for i in order)
    rows = int(judgments.rows.sum())
    told = [missing(rows - judgments.n_answers, rows)] if rows > judgments.n_answers else []
    ahead = -1.0 if judgments.less_is_better else 1.0
    told += _against_their_means(systems, ahead * np.array([mean.value for mean in means]))
    return Leaderboard(
        systems=systems,
        means=means,
        level=level,
        compared=compared,
        caveats=tuple(dict.fromkeys((*joint.fit.caveats, *told))),
        seed=seed,
        pairs=pairs.of(order),
        targets=joint.targets,
        asked=dict(targets or {}),
        model=model,
    )


def _against_their_means(systems: Sequence[str], means: Floats) -> list[Caveat]:
    """The two systems whose own means say most the other way than their order."""
    below = means - np.minimum.accumulate(means)  # by how much each is higher than the lowest above it
    low = int(below.argmax())
    if below[low] <= _ROUNDING * np.abs(means).max():
        return []
    return [ordered_by_differences(systems[int(means[:low].argmin())], systems[low])]


def _means(judgments: Judgments, joint: JointMeans, targets: Mapping[str, Target]) -> list[Estimate]:
    """Mean of every system, in the order of the model: from its own scores, or from the model where these are alike."""
    if joint.chosen or len(joint.systems) > MOST_SYSTEMS:
        return [on_scale(one) for one in together(joint.contrasts(np.eye(len(joint.systems))))]
    out = []
    for name, row in zip(joint.systems, np.eye(len(joint.systems)), strict=True):
        own = judgments.only(joint.facet, name)
        asked = {one: to for one, to in targets.items() if one in own.names and one != joint.facet}
        try:
            out.append(mean_for(decompose(own), asked))
        except NotEstimable:
            out.append(on_scale(joint.contrast(row)))
    return out
