"""Leaderboard of scores: means with intervals that count judges and prompts, ranks, groups, and who may be best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.caveats import Caveat, missing, told_apart_by_pairs
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decomposition import Method
from quorate.estimate.differences.difference import common_share, difference
from quorate.estimate.differences.homogeneity import unlike_caveats, unlike_system
from quorate.estimate.differences.joint import JointMeans, joint_means
from quorate.estimate.differences.satterthwaite import of_few
from quorate.estimate.means.intervals import ends_near
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import POPULATION, Target, of_this_panel, scope
from quorate.estimate.ratings.judges import ByJudges, by_judges
from quorate.estimate.ratings.pair_errors import MOST_SYSTEMS, PairErrors, pair_errors
from quorate.estimate.ratings.ranked import by_group, claim, rank_rows, standing, top
from quorate.numerics.inference import checked_level
from quorate.numerics.ratings.rank_intervals import (
    RankIntervals,
    agreeing,
    best,
    normal_deviations,
    rank_groups,
    rank_intervals,
)
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.frames import frame
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import brief

_DRAWS, _MOST = 40_000, 50


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """Systems by mean score, best first.

    Parameters
    ----------
    systems : tuple of str
        Labels, best first.
    means : tuple of Estimate
        Mean score of each, with what it is worth for its targets.
    covariance : array, shape (systems, systems)
        Covariance of the means about their average; what systems share has cancelled.
    df : float
        Degrees of freedom of that covariance: the fewest of any system against the average, or of any two.
    common : float
        Part of that covariance that more items do not reduce: how far judges and prompts favour systems.
    level : float
        Coverage of intervals.
    joint : JointMeans
        The model.
    caveats : tuple of Caveat
        What to know before relying on this.
    seed : int
        Of the draws.
    asked : mapping of str to str
        The targets that were asked for.
    model : mapping of str to object
        Terms, covariates, method and residuals, as they were chosen.
    pairs : PairErrors or None
        Errors of every two systems by themselves, where one varies otherwise than the rest; None where one model of all
        of them is the error.
    """

    systems: tuple[str, ...]
    means: tuple[Estimate, ...]
    covariance: Floats
    df: float
    common: float
    level: float
    joint: JointMeans
    caveats: tuple[Caveat, ...]
    seed: int
    asked: Mapping[str, Target] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    pairs: PairErrors | None = None

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        return brief("Leaderboard", f"{len(self)} systems, {self.joint.fit.judgments.n_answers} scores: {top(self)}")

    def __str__(self) -> str:
        return self.sentence

    @property
    def rating(self) -> Floats:
        """Mean scores, shape (systems,)."""
        return np.array([mean.value for mean in self.means])

    @property
    def se(self) -> Floats:
        """Standard error of each mean, shape (systems,)."""
        return np.array([mean.se for mean in self.means])

    @property
    def intervals(self) -> Floats:
        """Interval of each mean, with coverage ``level`` for that system alone; shape (systems, 2)."""
        return np.array([mean.interval(self.level) for mean in self.means])

    @cached_property
    def ranks(self) -> RankIntervals:
        """Intervals of the ranks, for all systems at once and for one chosen beforehand; rank 1 is best."""
        if self.pairs is None:
            return rank_intervals(self.rating, self.covariance, self._deviations, self.level)
        return rank_intervals(self.rating, self.covariance, self._drawn(np.inf), self.level, self.pairs.df)

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """Rank group of each system, from 1; shape (systems,)."""
        return rank_groups(self.rating, self.ranks.above)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Systems between cuts of the order: those of an earlier group are surely better than all of a later one."""
        return by_group(self.systems, self.group)

    @cached_property
    def best(self) -> dict[str, float]:
        """Probability of being the best, if means deviate as they may: never over 97.5% while others may be first.

        At another ``level`` the edge is ``(1 + level) / 2``; the one system that may be first has at least that.
        """
        chances = agreeing(best(self.rating, self._deviations), self.ranks, self.level)
        return dict(zip(self.systems, chances.tolist(), strict=True))

    @property
    def spread(self) -> float:
        """Variance of the true means of these systems, as estimated: that of the means less their noise, at least 0."""
        return max(0.0, float(np.var(self.rating, ddof=1)) - self.noise)

    @property
    def noise(self) -> float:
        """Error variance of a mean compared with the others."""
        return float(np.trace(self.covariance)) / (len(self) - 1)

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
        judgments, facet = self.joint.fit.judgments, self.joint.facet
        if self.pairs is not None:
            return difference(judgments, a, b, facet=facet, method="paired", targets=self.asked).estimate
        weights = np.zeros(len(self))
        weights[judgments.level_index(facet, a)], weights[judgments.level_index(facet, b)] = 1.0, -1.0
        return of_few(self.joint.contrast(weights))

    def differences(self, backend: str | None = None) -> Any:
        """Every two systems, the better first: a, b, difference, se, low, high, differ; all intervals hold at once."""
        gaps = []
        for i, j in combinations(range(len(self)), 2):
            value, c = float(self.rating[i] - self.rating[j]), self.covariance
            se = float(np.sqrt(max(c[i, i] + c[j, j] - 2 * c[i, j], 0.0)))
            half = float(self.ranks.limit(np.broadcast_to(self.ranks.df, c.shape)[i, j])) * se
            limits = {"difference": value, "se": se, "low": value - half, "high": value + half}
            differ = bool(self.ranks.above[i, j])
            gaps.append({"a": self.systems[i], "b": self.systems[j], **limits, "differ": differ})
        columns = {name: [gap[name] for gap in gaps] for name in gaps[0]}
        return frame(columns, backend or self._backend())

    def rows(self) -> list[Row]:
        """One row for every system, best first: system, rating, se, low, high, rank_low, rank_high, group, best.

        Intervals of means hold for each system alone; ranks and groups hold for all systems at once.
        """
        return [row | {"best": self.best[row["system"]]} for row in rank_rows(self)]

    def _backend(self) -> str | None:
        return self.joint.fit.judgments.source.backend

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "systems": self.rows(),
            "groups": [list(group) for group in self.groups],
            "level": self.level,
            "critical": None if self.pairs is not None else self.ranks.critical,
            "by_pairs": self.pairs is not None,
            "df": self.df if np.isfinite(self.df) else None,
            "spread": self.spread,
            "noise": self.noise,
            "common": self.common,
            "dependability": self.dependability,
            "rankable": self.rankable,
            "targets": {name: str(target) for name, target in self.means[0].target.items()},
            "scope": self.scope,
            "population": None if self.population is None else self.population.to_dict(),
            "by_judges": None if self.by_judges is None else self.by_judges.to_dict(),
            "seed": self.seed,
            "caveats": [caveat.sentence for caveat in self.caveats],
            "sentence": self.sentence,
        }

    @property
    def scope(self) -> str:
        """Whom the order speaks for, in the words of `quorate.compare`."""
        return scope(self.joint.fit.judgments, self.means[0].target, self.joint.facet)

    @cached_property
    def population(self) -> Leaderboard | None:
        """The same systems for judges like these, where the order is for this panel of them unasked.

        None where nothing tells, or with more than 50 systems, for which it would take long.
        """
        judgments, facet = self.joint.fit.judgments, self.joint.facet
        if len(self) > _MOST or not of_this_panel(judgments, facet, self.means[0].target, self.asked):
            return None
        try:
            targets = {**self.asked, JUDGE: POPULATION}
            return leaderboard(judgments, facet=facet, level=self.level, targets=targets, seed=self.seed, **self.model)
        except NotEstimable:
            return None

    @property
    def opinion(self) -> str:
        """Whose opinion a mean is, in a sentence; empty without judges."""
        if JUDGE not in self.joint.fit.judgments.names or self.joint.facet == JUDGE:
            return ""
        return (
            "A mean of judges is the judges' opinion; with labels of people, `corrected` says what people would find."
        )

    @cached_property
    def by_judges(self) -> ByJudges | None:
        """Who is first without each judge, by their median and trimmed mean; None where that cannot be seen."""
        return by_judges(self.joint.fit.judgments, self.joint.facet)

    @property
    def sentence(self) -> str:
        """The answer, and whether there is one."""
        others = "" if self.population is None else f"For judges like these: {claim(self.population)}."
        finding = " ".join(line for line in (standing(self, self.scope), others, self.opinion) if line)
        if self.rankable:
            return finding
        helps = "more items" if self.common < 0.5 else "more judges or prompts"
        return (
            f"{finding} Not rankable: the noise of a mean (sd {self.noise**0.5:.3g}, {self.common:.0%} of its variance "
            f"common to all items) exceeds the spread of the true means (sd {self.spread**0.5:.3g}); {helps} would "
            "help most."
        )

    @cached_property
    def _deviations(self) -> Floats:
        return self._drawn(self.df if self.pairs is None else self.pairs.df.min(axis=1))

    def _drawn(self, df: float | Floats) -> Floats:
        """Draws of the means less what they estimate."""
        return normal_deviations(self.covariance, df, _DRAWS, stream(self.seed, "ranks"))


def leaderboard(
    judgments: Judgments,
    *,
    facet: str = "system",
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
    Means and their covariance are those of `quorate.estimate.differences.joint.joint_means`, which takes all systems to
    vary alike. Where one does not, and all were judged on the same cells, every two have the error and the degrees of
    freedom that `quorate.compare` finds for them alone, and every mean that of its own scores; elsewhere the caveat
    `unlike-systems` says what one model does. Differences hold at once by the largest of all t statistics, for equal
    variances Tukey's range. Ranks and groups follow from them.

    References
    ----------
    Tukey (1953) in Hochberg and Tamhane (1987), Multiple Comparison Procedures; Mogstad, Romano, Shaikh and Wilhelm
    (2024), Review of Economic Studies 91, 476-518, for ranks.
    """
    checked_level(level)
    options = {"random": random, "covariates": covariates, "method": method, "residual_by": residual_by}
    model: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    joint = joint_means(judgments, facet=facet, targets=targets, **model)
    k = len(joint.systems)
    apart = np.eye(k) - 1 / k
    order = np.argsort(-joint.value, kind="stable")
    systems = tuple(joint.systems[i] for i in order)
    estimates = [of_few(estimate) for estimate in joint.contrasts(np.vstack([apart, np.eye(k)[order]]))]
    compared, means = estimates[:k], tuple(estimates[k:])
    unlike, pairs = unlike_system(joint.fit.judgments, joint.facet), None
    if unlike is not None and unlike.differs and not model and joint.exchangeable and k <= MOST_SYSTEMS:
        pairs = pair_errors(joint.fit.judgments, systems, joint.facet, targets or {})
    cautions, means = means[0].caveats, means if pairs is None else pairs.means
    half = max(mean.half_width(level) for mean in means)
    rows = int(judgments.rows.sum())
    lost = [missing(rows - judgments.n_answers, rows)] if rows > judgments.n_answers else []
    plain = apart @ joint.covariance @ apart
    enlarged = sum(mean.variance for mean in compared) / max(float(np.trace(plain)), 1e-300)
    said = (
        unlike_caveats(joint, unlike)
        if pairs is None or unlike is None
        else [told_apart_by_pairs(unlike.system, unlike.ratio, unlike.p_value)]
    )
    return Leaderboard(
        systems=systems,
        means=means,
        covariance=plain[np.ix_(order, order)] * enlarged if pairs is None else pairs.covariance,
        df=min(mean.df for mean in compared) if pairs is None else float(pairs.df.min()),
        common=float(np.mean([common_share(mean) for mean in compared])),
        level=level,
        joint=joint,
        caveats=(*cautions, *lost, *said, *ends_near(judgments, joint.facet, half)),
        seed=seed,
        asked=dict(targets or {}),
        model=model,
        pairs=pairs,
    )
