"""The alternative annotator test: whether a model may stand in for any one of several people."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.inference import benjamini_yekutieli, checked_level
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import Brief, percent

Alignment = Literal["same", "distance"]
FEWEST = 30
"""Items of a person below which the mean of differences is not taken for normal."""


@dataclass(frozen=True)
class Stood(Brief):
    """A model in the place of one person.

    Parameters
    ----------
    person : str
        Whom it replaces.
    items : int
        Items that the person, the model and another person judged.
    model, people : float
        Share of items on which the model, and the person, agrees with the others as well as the other does or better.
    low, high : float
        Interval of ``people - model`` over items.
    p : float
        P-value of "the model is worse by ``epsilon`` or more", one-sided.
    beaten : bool
        Whether that is rejected, with a false discovery rate of ``rate`` over people.
    """

    person: str
    items: int
    model: float
    people: float
    low: float
    high: float
    p: float
    beaten: bool


@dataclass(frozen=True)
class AltTest(Result):
    """Whether a model may stand in for people.

    Parameters
    ----------
    model : str
        Which model.
    each : tuple of Stood
        By person.
    epsilon : float
        By how much it may be worse: what a person costs more, as a share of items.
    rate : float
        False discovery rate over people.
    level : float
        Coverage of the intervals.
    """

    model: str
    each: tuple[Stood, ...]
    epsilon: float
    rate: float
    level: float

    derived = ("sentence", "winning_rate", "advantage", "passes")

    @property
    def winning_rate(self) -> float:
        """Share of people whom it may replace (omega)."""
        return float(np.mean([one.beaten for one in self.each]))

    @property
    def advantage(self) -> float:
        """Share of items on which it does as well as a person, averaged over people (rho): compares models."""
        return float(np.mean([one.model for one in self.each]))

    @property
    def passes(self) -> bool:
        """Whether it may replace half of the people or more."""
        return self.winning_rate >= 1 / 2

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        won = sum(one.beaten for one in self.each)
        return (
            f"{self.model} {'may' if self.passes else 'is not shown to'} stand in for people: it does as well as "
            f"{won} of {len(self.each)} of them, worse by less than {percent(self.epsilon)} of items (half are "
            f"needed); on {percent(self.advantage)} of items it agrees with the others as well as the one it replaces."
        )

    def rows(self) -> list[Row]:
        """One row a person."""
        return [dict(vars(one)) for one in self.each]


def alt_test(
    judgments: Judgments,
    model: str,
    *,
    people: Collection[str] = (),
    epsilon: float = 0.2,
    alignment: Alignment = "same",
    rate: float = 0.05,
    level: float = 0.95,
) -> AltTest:
    """Whether a model agrees with people at least as well as each of them does with the others.

    Each person in turn is left out, and the model takes the place. On every item it is seen which of the two agrees
    with the other people at least as well; a tie counts for both.

    Parameters
    ----------
    judgments : Judgments
        Marks or labels as numbers, by people and the model on the same items.
    model : str
        The judge that is to stand in.
    people : collection of str
        Judges that are people: three or more. All others by default.
    epsilon : float
        By how much the model may be worse, as a share of items: .2 where people are experts, .15 where skilled, .1
        where many can do it, as the authors advise.
    alignment : {"same", "distance"}
        Whether agreement is the share of others who say the same, or minus the root mean square distance to them.
    rate : float
        False discovery rate over people, by Benjamini and Yekutieli's procedure.
    level : float
        Coverage of intervals.

    Raises
    ------
    InvalidInput
        If the model is not a judge, or is one of the people, or an argument is out of range.
    NotEstimable
        If there are fewer than three people, or fewer than 30 items of one of them.

    References
    ----------
    Calderon, Reichart and Dror (2025), ACL, arXiv:2501.10970, sections 3.1 to 3.4.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> import quorate as q
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 2, 200)
    >>> said = {name: np.where(rng.random(200) < share, truth, 1 - truth) for name, share in
    ...         {"ana": 0.8, "ben": 0.8, "eva": 0.8, "m": 0.9}.items()}
    >>> frame = pl.DataFrame({"item": range(200), **said})
    >>> long = frame.unpivot(index="item", variable_name="judge", value_name="score")
    >>> found = q.agreement.alt_test(q.read(long, announce=False), "m", epsilon=0.1)
    >>> found.winning_rate, found.passes
    (1.0, True)
    """
    checked_level(level)
    if not 0 <= epsilon < 1 or not 0 < rate < 1:
        raise InvalidInput(f"epsilon, rate: from 0 and below 1, and between 0 and 1; got {epsilon} and {rate}")
    judges = judgments.facet(JUDGE).levels
    chosen = [name for name in judges if name != model and (name in people or not people)]
    if model not in judges or model in people:
        raise InvalidInput(
            f'model: one of the judges that is not among people, got "{model}"; there are {list(judges)}'
        )
    if len(chosen) < 3:
        raise NotEstimable(
            f"people: three are the least, so that there are others to agree with; got {len(chosen)}; name them with "
            + argument("people", ["ana", "ben", "eva"])
        )
    table = marks(judgments)
    place = {name: at for at, name in enumerate(judges)}
    stood = [
        differences(table, place[model], place[one], [place[o] for o in chosen if o != one], alignment)
        for one in chosen
    ]
    for name, (does, _) in zip(chosen, stood, strict=True):
        if len(does) < FEWEST:
            raise NotEstimable(
                f"{name}: {FEWEST} items that this person, another and the model judged are the least for the test, "
                f"got {len(does)}; have more judged, or leave this person out"
            )
    tested = []
    for does, person in stood:
        d, n = person - does, len(does)
        gap = float(d.mean())
        error = max(float(d.std(ddof=1)), 0.5 / n) / math.sqrt(n)  # all alike: half an item apart
        tested.append((d.mean(), t_quantile(n - 1, (1 + level) / 2) * error, t_cdf(n - 1, (gap - epsilon) / error)))
    rejected = benjamini_yekutieli(np.array([p for *_, p in tested])) <= rate
    return AltTest(
        model,
        tuple(
            Stood(name, len(does), float(does.mean()), float(person.mean()), gap - reach, gap + reach, p, bool(out))
            for name, (does, person), (gap, reach, p), out in zip(chosen, stood, tested, rejected, strict=True)
        ),
        epsilon,
        rate,
        level,
    )  # fmt: skip


def marks(judgments: Judgments) -> Floats:
    """Mean score of every question by every judge, shape (questions, judges); nan where there is none."""
    used = judgments.keep(judgments.n > 0)
    question = used.level_codes([name for name in used.names if name != JUDGE])
    shape = int(question.max(initial=-1)) + 1, len(judgments.facet(JUDGE).levels)
    at = np.ravel_multi_index((question, used.column(JUDGE)), shape)
    size = shape[0] * shape[1]
    with np.errstate(invalid="ignore"):
        mean = np.bincount(at, used.n * used.mean, size) / np.bincount(at, used.n, size)
    return mean.reshape(shape)


def differences(
    table: Floats, model: int, person: int, others: list[int], alignment: Alignment
) -> tuple[Floats, Floats]:
    """Whether the model, and whether the person, agrees with the others at least as well; by item that all judged."""
    rest = table[:, others]
    whole = np.isfinite(table[:, model]) & np.isfinite(table[:, person]) & np.isfinite(rest).any(axis=1)
    rest = rest[whole]

    def agreement(judge: int) -> Floats:
        off = rest - table[whole, judge][:, None]
        if alignment == "same":
            return np.asarray(np.nanmean(np.where(np.isfinite(off), np.abs(off) < 1e-9, np.nan), axis=1))
        return np.asarray(-np.sqrt(np.nanmean(off**2, axis=1)))

    gap = np.round(agreement(model) - agreement(person), 12)
    return (gap >= 0).astype(float), (gap <= 0).astype(float)
