"""Types of prompts: judgments spread over them in proportion, or by screening first where signal is concentrated."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.votes import binomial
from quorate.numerics.votes.power import allotted, inverse_normal, screened, two_sided
from quorate.planning.power.sample_size import check_count
from quorate.streams import stream
from quorate.table.results import Result
from quorate.table.votes import Votes
from quorate.wording import at_level, counted

LEAST_VOTES = 4


@dataclass(frozen=True)
class Concentration(Result):
    """Whether a few types of prompts hold most of the signal.

    Parameters
    ----------
    ratio : float
        Signal of the top types over what as many types would hold if signal were even: types chosen by one half of the
        votes, measured on the other, noise subtracted. Nan where no signal is left after that.
    naive : float
        The same without correction: from noise alone it is well above 1.
    low : float
        Lower end of a one-sided interval for the ratio; 0 where it has none.
    p : float
        P-value that the ratio is at most ``kappa``.
    kappa : float
        What two-stage allocation takes.
    top : int
        Types that count as the top.
    level : float
        Coverage of the interval.
    """

    ratio: float
    naive: float
    low: float
    p: float
    kappa: float
    top: int
    level: float

    derived = ("recommended", "sentence")

    @property
    def recommended(self) -> bool:
        """Whether two-stage allocation is to be recommended."""
        return self.p <= 1 - self.level

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if math.isnan(self.ratio):
            ratio = "no more signal than noise"
        elif self.ratio <= 0:
            ratio = (
                f"no signal that repeats (an estimate below zero, {self.ratio:.2f} times their even share, is noise)"
            )
        else:
            ratio = f"{self.ratio:.2f} times their even share"
        sure = f"with {at_level(self.level)} confidence"
        bound = f"at least {self.low:.2f} {sure}" if self.low > 0 else f"no lower limit {sure}"
        advice = (
            f"above {self.kappa:g}: screen types first"
            if self.recommended
            else f"not shown to be above {self.kappa:g}: spread judgments in proportion"
        )
        top = "top type holds" if self.top == 1 else f"top {self.top} types hold"
        return f"The {top} {ratio} ({bound}; {self.naive:.2f} before correction), {advice}."


def concentration(
    wins: Sequence[int] | Ints,
    n: Sequence[int] | Ints,
    *,
    retained: float = 0.2,
    kappa: float = 1.5,
    level: float = 0.95,
    splits: int = 200,
    seed: int = 1,
) -> Concentration:
    """Whether signal is so concentrated in few types of prompts that screening them first pays.

    Parameters
    ----------
    wins, n : sequence of int, shape (types,)
        Wins and votes of every type in a pilot, at least 4 votes each.
    retained : float
        Part of the types that counts as the top, rounded up to whole types. If that is all of them their ratio is 1 by
        definition, and two stages are not recommended; nor if ``kappa`` times their even share is all of the signal.
    kappa : float
        Times its even share that the top must hold, above 1: 1.5, or 2 to be careful.
    level : float
        Confidence with which that must be shown.
    splits : int
        Random halves that the result is the average of.
    seed : int
        For the halves.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If a type has fewer than 4 votes.

    Notes
    -----
    The square of an estimated margin is too large by its variance ``p (1 - p) / n``, and the largest of several are
    too large once more for having been chosen. So each half of the votes chooses for the other, and the variance is
    subtracted. p-values of all halves are summed up as twice their median (Meinshausen, Meier and Bühlmann 2009).

    Examples
    --------
    >>> signal = concentration([90, 88] + [50] * 8, [100] * 10)
    >>> signal.recommended, concentration([56, 44, 52, 53, 48], [100] * 5).recommended
    (True, False)
    """
    k, votes = checked_counts(wins, n)
    rules.number("retained", retained, above=0, below=1)
    rules.number("kappa", kappa, above=1)
    if votes.min() < LEAST_VOTES:
        raise NotEstimable(f"n: a type has {votes.min():.0f} votes; concentration takes at least {LEAST_VOTES} of each")
    top = math.ceil(retained * len(k) * (1 - 1e-12))
    even = top / len(k)
    rng = stream(seed, "halves")
    half = votes.astype(int) // 2
    chosen_by = rng.hypergeometric(k.astype(int), (votes - k).astype(int), half, (splits, len(k)))
    kept = screened(chosen_by / half - 0.5, top, rng)
    n2 = votes - half
    share = (k - chosen_by) / n2
    signal = (share - 0.5) ** 2 - share * (1 - share) / (n2 - 1)  # unbiased for the squared margin
    fair = 0.25 / n2
    variance = 4 * np.maximum(signal, 0.0) * fair + 2 * fair**2
    held, whole = np.sum(signal * kept, axis=1), np.sum(signal, axis=1)
    grid = np.append(np.linspace(0, 1 / even, 201), kappa)
    p = _median_p(held, whole - held, np.sum(variance * kept, axis=1), np.sum(variance * ~kept, axis=1), grid * even)
    above = grid[:-1][np.cumprod(p[:-1] <= 1 - level).astype(bool)]
    plain = np.sort((k / votes - 0.5) ** 2)[::-1]
    total = float(whole.mean())
    return Concentration(
        ratio=min(float(held.mean()) / total, 1.0) / even if total > 0 else math.nan,
        naive=float(plain[:top].sum() / plain.sum() / even) if plain.any() else math.nan,
        low=float(above.max(initial=0.0)),
        p=float(p[-1]),
        kappa=float(kappa),
        top=top,
        level=level,
    )


def concentrated_pairs(votes: Votes, *, by: str = "prompt_type", level: float = 0.95) -> tuple[int, int]:
    """On how many pairs of systems two stages are to be recommended, of those with votes enough on every type.

    Parameters
    ----------
    votes : Votes
        Votes on any pairs; ties are left out.
    by : str
        Facet whose levels are the types.
    level : float
        Confidence with which it must be shown of each pair.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    """
    pairs, types = votes.pairs(), len(votes.facet(by).levels)
    told, value = votes.column(by), votes.encoded()
    known = (told >= 0) & np.isfinite(value)
    place = pairs.code[known].astype(np.int64) * types + told[known]
    weight = votes.weights[known].astype(float)
    n, wins = (
        np.bincount(place, each, len(pairs) * types).reshape(len(pairs), types).astype(np.int64)
        for each in (weight, weight * value[known])
    )
    enough = (n >= LEAST_VOTES).all(axis=1) & (types > 1)
    shown = [concentration(k, m, level=level).recommended for k, m in zip(wins[enough], n[enough], strict=True)]
    return sum(shown), len(shown)


def _median_p(held: Floats, other: Floats, sure: Floats, sure_of_other: Floats, share: Floats) -> Floats:
    """Twice the median, over halves, of p-values that the kept types hold at most these shares of the signal.

    From the signal of the kept types and of the others, and from the variances of both, all of shape (halves,).
    """
    from scipy.special import ndtr

    out, some = np.ones(len(share)), share < 1 - 1e-12  # they never hold more than all of it
    part, rest = share[some, None], 1 - share[some, None]
    z = (rest * held - part * other) / np.sqrt(rest**2 * sure + part**2 * sure_of_other)
    out[some] = np.minimum(1.0, 2 * np.median(ndtr(-z), axis=1))
    return out


Weights = Sequence[float] | Floats | Ints
LEAST_C = 10.0
RETAINED = (0.1, 0.3)
_LONGEST = 80  # characters of an argument in a message


@dataclass(frozen=True, eq=False)
class TwoStage:
    """A study that screens all types of prompts, then spends the rest on those with the largest margins.

    Parameters
    ----------
    weights : array, shape (types,)
        Incidence of every type; sums to 1.
    budget : int
        Judgments in all.
    per_type : int
        Judgments of every type in the first stage.
    kept : int
        Types that the second stage is spent on.
    """

    weights: Floats
    budget: int
    per_type: int
    kept: int

    @property
    def first(self) -> int:
        """Judgments of the first stage."""
        return len(self.weights) * self.per_type

    @property
    def second(self) -> int:
        """Judgments of the second stage."""
        return self.budget - self.first

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the first stage is outside of the rule of the paper, for which alone its guarantee holds."""
        m = len(self.weights)
        usual, (low, high) = math.ceil(LEAST_C * math.log(m)), (_kept(share, m) for share in RETAINED)
        few = f"Screening by {counted(self.per_type, 'vote')} of each type, fewer than {usual} (c of {LEAST_C:g})"
        kept = f"Keeping {self.kept} of {m} types, not {low} to {high}"
        said = [few] * (self.per_type < usual) + [kept] * (not low <= self.kept <= high)
        return tuple(f"{one}, is outside of the rule of Lee (2026, Algorithm 1)." for one in said)

    def focus(self, wins: Sequence[int] | Ints, *, n: Sequence[int] | Ints | None = None, seed: int = 1) -> Ints:
        """Judgments of every type in the second stage, once the first is in.

        Parameters
        ----------
        wins : sequence of int, shape (types,)
            Wins of the first stage.
        n : sequence of int, shape (types,), optional
            Judgments of the first stage that were for one of the two; `per_type` each by default. A type without any
            has a margin of 0.
        seed : int
            Types with margins of one size are put in random order, so that the order of types says nothing.

        Returns
        -------
        array of int, shape (types,)
            0 for types that are not kept; sums to `second`.

        Raises
        ------
        InvalidInput
            If these cannot be the wins of the first stage.
        """
        most = np.full(len(self.weights), float(self.per_type))
        limit = f"{self.per_type}, the judgments of each in the first stage"
        counts = most if n is None else _wins("n", n, most, limit)
        k = _wins("wins", wins, counts, limit if n is None else "its n")
        margin = np.where(counts > 0, k / np.maximum(counts, 1.0) - 0.5, 0.0)
        kept = screened(margin[None], self.kept, stream(seed, "screening"))[0]
        return allotted(self.second, np.where(kept, self.weights, 0.0))


def proportional(budget: int, weights: Weights) -> Ints:
    """Judgments of every type in proportion to how often it occurs; minimax where nothing is known of the signal.

    Parameters
    ----------
    budget : int
        Judgments in all.
    weights : sequence of float, shape (types,)
        Incidence of every type; any scale.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Theorem 3.5. Its lower bound needs alternatives with
    ``mu_2 / w <= 1/16`` for the rarest type, so that margins stay within 1/4.

    Examples
    --------
    >>> proportional(10, [0.5, 0.3, 0.2]).tolist()
    [5, 3, 2]
    """
    check_count("budget", budget)
    return allotted(int(budget), _weights(weights))


def bottleneck(counts: Sequence[Sequence[int]] | Ints, weights: Weights) -> float:
    """Judgments of the type that is worst off, over its weight: what limits an allocation if signal may be anywhere.

    Parameters
    ----------
    counts : array, shape (types,) or (draws, types)
        Judgments of every type; of an adaptive policy, one row per study.
    weights : sequence of float, shape (types,)
        Incidence of every type.

    Returns
    -------
    float
        ``E[min_i N_i / w_i]``; the budget itself for an allocation that is exactly proportional, its most.

    References
    ----------
    Lee (2026), section 3.4.1.

    Examples
    --------
    >>> bottleneck([5, 3, 2], [0.5, 0.3, 0.2]), bottleneck([10, 0, 0], [0.5, 0.3, 0.2])
    (10.0, 0.0)
    """
    w = _weights(weights)
    return float(np.mean(np.min(np.atleast_2d(np.asarray(counts, dtype=float)) / w, axis=1)))


def two_stage(
    budget: int, weights: Weights, *, c: float = LEAST_C, retained: float = 0.2, per_type: int | None = None
) -> TwoStage:
    """A study in two stages: ``ceil(c log m)`` judgments of each of ``m`` types, the rest where margins look largest.

    Parameters
    ----------
    budget : int
        Judgments in all.
    weights : sequence of float, shape (types,)
        Incidence of every type.
    c : float
        Size of the screening; at least 10 in the paper.
    retained : float
        Part ``q`` of the types that is kept; from 0.1 to 0.3 in the paper. `TwoStage.notes` says what is outside of it.
    per_type : int, optional
        Judgments ``b`` of each type in the first stage, instead of ``ceil(c log m)``.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or the budget is used up by screening.

    References
    ----------
    Lee (2026), Algorithm 1 and Corollary 3.7.

    Examples
    --------
    >>> plan = two_stage(2000, [1] * 20)
    >>> plan.per_type, plan.kept, plan.first, plan.second
    (30, 4, 600, 1400)
    """
    check_count("budget", budget)
    rules.number("c", c, above=0)
    rules.number("retained", retained, above=0, below=1)
    if per_type is not None:
        check_count("per_type", per_type)
    w = _weights(weights)
    if len(w) < 2:
        raise InvalidInput("weights: at least 2 types of prompts to choose from, got 1; spend the budget on it")
    each = math.ceil(c * math.log(len(w))) if per_type is None else int(per_type)
    plan = TwoStage(w, int(budget), each, _kept(retained, len(w)))
    if plan.second < 1:
        raise InvalidInput(
            f"budget: above {plan.first:,}, which screening {len(w)} types with {plan.per_type} judgments each takes, "
            f"got {budget:,}; spread judgments in proportion, or use coarser types"
        )
    return plan


def _kept(retained: float, types: int) -> int:
    """Types that are kept, of so many."""
    return math.ceil(retained * types * (1 - 1e-12))


def combined_p_value(k1: Floats, n1: Floats, k2: Floats, n2: Floats, weight: float) -> Floats:
    """P-value of both stages in one direction, weighted by a part that is fixed beforehand.

    Parameters
    ----------
    k1, n1, k2, n2 : array, broadcast
        Wins and votes of both stages.
    weight : float
        Part of the first stage, from 0 to 1.
    """
    fewer = inverse_normal(binomial.lower_tail(k1, n1, 0.5), binomial.lower_tail(k2, n2, 0.5), weight)
    more = inverse_normal(binomial.lower_tail(n1 - k1, n1, 0.5), binomial.lower_tail(n2 - k2, n2, 0.5), weight)
    return two_sided(fewer, more)


def checked_counts(wins: Sequence[int] | Ints, n: Sequence[int] | Ints) -> tuple[Floats, Floats]:
    """Wins and votes of every type, if they can be that.

    Parameters
    ----------
    wins, n : sequence of int, shape (types,)
        What was given.

    Raises
    ------
    InvalidInput
        If they are of different length, out of range, or of fewer than 2 types.
    """
    votes = _numbers("n", n)
    if votes.ndim != 1 or len(votes) < 2 or not ((votes > 0) & (votes == np.floor(votes)) & (votes < np.inf)).all():
        raise InvalidInput(f"n: whole numbers above 0, one per type, of at least 2 types, got {_shown(n)}")
    return _wins("wins", wins, votes, "its n"), votes


def _wins(name: str, given: Sequence[int] | Ints, most: Floats, limit: str) -> Floats:
    """A count for every type, at most so many."""
    k = _numbers(name, given)
    if k.shape != most.shape:
        raise InvalidInput(f"{name}: {len(most)} numbers, one per type, got {_shown(given)}")
    wrong = np.flatnonzero(~((k >= 0) & (k == np.floor(k)) & (k <= most)))
    if len(wrong):
        at = int(wrong[0])
        raise InvalidInput(f"{name}: whole numbers from 0 to {limit}, got {k[at]:g} for type {at + 1}")
    return k


def _numbers(name: str, given: Sequence[int] | Ints) -> Floats:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}: a list of whole numbers, one per type, got {_shown(given)}") from None


def _shown(given: object) -> str:
    """What was given, on one short line."""
    text = " ".join(str(given).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _weights(weights: Weights) -> Floats:
    w = np.asarray(weights, dtype=float)
    if w.ndim != 1 or not len(w) or not (np.isfinite(w) & (w > 0)).all():
        raise InvalidInput(f"weights: a list of numbers above 0, one per type of prompt, got {weights}")
    return np.asarray(w / w.sum())
