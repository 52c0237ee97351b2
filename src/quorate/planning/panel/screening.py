"""Screening: a small crossed pilot of a large pool of judges, and the few of them that should judge the rest.

``docs/methods/screening.md`` derives what is minimised here and has the measured figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from quorate import caveats, rules
from quorate.arrays import Bools, Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.means.effects import level_labels
from quorate.estimate.panel.crossed import CrossedScores, crossed_scores
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.panel.subsets import BEYOND, Choice, exchange, exhaustive
from quorate.planning.designs.dstudy import Prices, check, cost, known
from quorate.planning.panel.shortlist import (
    ChoiceStability,
    JudgePool,
    Shortlist,
    alternatives,
    beyond_cells,
    facts,
    stability,
)
from quorate.streams import stream
from quorate.table.judgments import Judgments, checked
from quorate.table.results import Result
from quorate.wording import Brief, counted, plural

# Candidates: what the pilot says of every judge of a pool, and why it is in the recommended panel or not.


_SAME = 1.005


@dataclass(frozen=True)
class Candidate(Brief):
    """A judge of the pool, and what choosing otherwise would cost.

    Parameters
    ----------
    name : str
        The judge.
    kept : bool
        Whether it is in the recommended panel.
    price : float
        Price of one of its judgments, with the item.
    gamma, gamma_se : float
        Leniency in the pilot, against the mean of all, and its standard error.
    expected, expected_sd : float
        Its posterior mean and standard deviation, which bear being chosen by them.
    noise : float
        Variance that the judge adds to an item's score: shrunken Grubbs estimate.
    variance : float
        Variance of one of its judgments over items.
    otherwise : float
        Least half-width (with one wanted: price) that one change of the panel gives, with the judge if it is left
        out, without it if it is kept; nan if there is no such panel.
    reason : str
        The same in words.
    """

    name: str
    kept: bool
    price: float
    gamma: float
    gamma_se: float
    expected: float
    expected_sd: float
    noise: float
    variance: float
    otherwise: float
    reason: str


def candidate(pool: JudgePool, panel: Shortlist, members: Bools, judge: int) -> Candidate:
    """What is known of a judge, and what changing its place would do."""
    moved = members.copy()
    moved[judge] = not members[judge]
    changes = [moved] if pool.choice.fewest <= moved.sum() <= pool.choice.most else []
    for other in np.flatnonzero(members == moved[judge]):  # at most one other changes places with it
        swapped = moved.copy()
        swapped[other] = not moved[judge]
        changes.append(swapped)
    changed = np.array(changes).reshape(-1, len(members))
    best = pool.best("", changed, pool.choice.of(changed))
    estimates = pool.pilot.effects
    return Candidate(
        name=pool.judges[judge],
        kept=bool(members[judge]),
        price=float(pool.price[judge]),
        gamma=float(estimates.gamma[judge]),
        gamma_se=float(estimates.se[judge]),
        expected=float(estimates.mean[judge]),
        expected_sd=math.sqrt(estimates.covariance[judge, judge]),
        noise=float(pool.pilot.noise[judge]),
        variance=float(pool.pilot.spread[judge]),
        otherwise=math.nan if best is None else pool.value(best),
        reason=_reason(pool, panel, judge, best),
    )


def figure(value: float) -> str:
    """A number for people, with three digits.

    Examples
    --------
    >>> figure(0.03127), figure(18.14), figure(2068.2)
    ('0.0313', '18.1', '2,068')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _reason(pool: JudgePool, panel: Shortlist, judge: int, other: Shortlist | None) -> str:
    """Why a judge is in the panel, or is not."""
    name, kept = pool.judges[judge], pool.judges[judge] in panel.judges
    others = [pool.judges.index(member) for member in panel.judges if member != name]
    ratio = float(pool.price[judge] / np.median(pool.price[others])) if others else 1.0
    dearer = ""
    if ratio >= 1.5:
        dearer = f" costs {figure(ratio)} times as much as the panel's other judges and"
    elif ratio <= 1 / 1.5:
        dearer = f" costs {ratio:.2g} of what the panel's other judges cost and"
    start = f"{name}{dearer} is {'kept' if kept else 'left out'}"
    if other is None:
        return f"{start}: no one change of the panel {'leaves it out' if kept else 'lets it in'} within these limits"
    now, then = pool.value(panel), pool.value(other)
    little = ", which makes little difference" if then <= now * _SAME else ""
    aim, sign, same = ("interval", "±", "money") if pool.choice.budget is not None else ("price", "", "interval")
    return (
        f"{start}{little}: {'without' if kept else 'with'} it the {aim} would be {sign}{figure(then)} instead of "
        f"{sign}{figure(now)} for the same {same}"
    )


WHOLE_SEARCH = 20
_CONTENDERS = 20
_FEW_ITEMS = 20
_MOST_MONEY, _MOST_PILOTS = 1e12, 10**9


@dataclass(frozen=True)
class Screening(Result):
    """Which judges of a pool should judge the main study.

    Parameters
    ----------
    panel : Shortlist
        The recommendation.
    corrected : bool
        Whether it was chosen for a mean from which `Shortlist.bias` is subtracted.
    candidates : tuple of Candidate
        Every judge of the pool.
    frontier : tuple of Shortlist
        The best panel of every size that is within reach.
    alternatives : tuple of Shortlist
        What is usually done instead, for the price of the recommended panel, where that pays for it.
    stability : ChoiceStability
        Of the recommendation.
    items, left_out : int
        Items of the pilot, and how many more were left out because not every judge scored them.
    tau2 : float
        Variance of the judges' leniency over the pool: unbiased, so it can be negative.
    pilot_cost : float
        Price of all that the pilot asked for: judgments, failed ones too, responses and items, also those left out.
    exact : bool
        Whether every subset was looked at; otherwise the best that exchanging judges found.
    caveats : tuple of Caveat
        What to know before relying on this.
    """

    panel: Shortlist
    corrected: bool
    candidates: tuple[Candidate, ...]
    frontier: tuple[Shortlist, ...]
    alternatives: tuple[Shortlist, ...]
    stability: ChoiceStability
    items: int
    left_out: int
    tau2: float
    pilot_cost: float
    exact: bool
    caveats: tuple[Caveat, ...]

    entries = "* half_width cost sentence"

    @property
    def half_width(self) -> float:
        """Half the 95% interval of the recommended panel's mean, as a mean for the whole pool of judges."""
        return self.panel.half_width if self.corrected else self.panel.half_width_uncorrected

    @property
    def cost(self) -> float:
        """Price of the pilot and the main study together."""
        return self.pilot_cost + self.panel.cost

    @property
    def sentence(self) -> str:
        """The recommendation in one sentence."""
        named = ", ".join(f"{name} {n}" for name, n in zip(self.panel.judges, self.panel.items_per_judge, strict=True))
        return (
            f"Use {counted(len(self.panel.judges), 'judge')} of {len(self.candidates)}, one per item ({named}): "
            f"±{figure(self.half_width)} (95% interval) for {figure(self.panel.cost)}."
        )


def screen(
    judgments: Judgments,
    *,
    prices: Prices | None = None,
    budget: float | None = None,
    half_width: float | None = None,
    most: int | None = None,
    fewest: int = 1,
    uncorrected: bool = False,
    generation: str | None = None,
    resamples: int = 200,
    rng: np.random.Generator | int | None = None,
) -> Screening:
    """Choose from a pool of judges, by a small pilot that all of them judged, those who should judge the rest.

    In the main study every item is new and gets one judge; the mean of the judges' means, less the bias that the pilot
    expects of them, estimates what the whole pool would have said on average.

    Parameters
    ----------
    judgments : Judgments
        The pilot: at least 3 judges, all of whom scored the same items. Other items are left out.
    prices : mapping, optional
        ``{"judge": {name: price}}`` with every judge of the pilot, or ``{"call": price}``; ``"item": price`` for every
        new item, and ``"generation": price`` for a response to it. Without it a judgment costs 1.
    budget : float, optional
        Most to spend on the main study; judgments where no price is given. Either this or ``half_width``.
    half_width : float, optional
        Half the 95% interval wanted, in score units.
    most : int, optional
        Most judges to use.
    fewest : int
        Fewest judges to use.
    uncorrected : bool
        The bias that the pilot expects will not be subtracted from the mean. Its square then counts as error.
    generation : str, optional
        Facet of the responses to an item. Default: generation. As for `crossed_scores`; a new item gets one.
    resamples : int
        Resampled pilots for the stability of the choice.
    rng : numpy.random.Generator or int, optional
        Where they come from.

    Returns
    -------
    Screening

    Raises
    ------
    InvalidInput
        If an option breaks a rule, a judge has no price, or no panel is within reach.
    NotEstimable
        If there are fewer than 3 judges or 2 items that all of them scored, or the scores do not vary.

    Notes
    -----
    Every subset of up to 20 judges is looked at; of more, those that adding and exchanging judges leads to.

    References
    ----------
    Zhu et al. (2026), CyclicJudge, arXiv:2603.01865, limitations; Grubbs (1948). ``docs/methods/screening.md``.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> x = np.random.default_rng(1).normal(size=(20, 1)) + [[0.5, 0.0, -0.5, 0.1]]
    >>> x = x + np.random.default_rng(2).normal(size=(20, 4)) * [0.3, 0.3, 0.3, 1.0]
    >>> rows = [{"item": i, "judge": "abcd"[l], "score": x[i, l]} for i in range(20) for l in range(4)]
    >>> pilot = q.read(polars.DataFrame(rows), announce=False)
    >>> screen(pilot, prices={"judge": {"a": 1, "b": 1, "c": 20, "d": 1}}, budget=300, rng=1).panel.judges
    ('a', 'b', 'd')
    """
    scores = crossed_scores(checked(judgments), generation=generation)
    price, item_price, pilot_cost = priced(judgments, scores, prices)
    judges, most = len(scores.judges), len(scores.judges) if most is None else most
    rules.whole("most", most, 1, judges)
    rules.whole("fewest", fewest, 1, most)
    if (budget is None) == (half_width is None):
        given = "neither" if budget is None else "both"
        raise InvalidInput(f"budget, half_width: exactly one is needed, got {given}")
    for name, value in (("budget", budget), ("half_width", half_width)):
        if value is not None:
            rules.number(name, value, above=0, most=_MOST_MONEY)
    rules.whole("resamples", resamples, 1, _MOST_PILOTS)
    money = None if budget is None else float(budget)
    goal = None if half_width is None else (float(half_width) / normal_quantile(0.975)) ** 2
    extra = beyond_cells(judgments, scores)
    pilot = facts(scores.x, extra)
    if not pilot.spread.any():
        item = judgments.object
        raise NotEstimable(f"{item}: every judge gave all items of the pilot one score, so nothing varies; add items")
    choice = Choice(pilot.spread, pilot.error(corrected=not uncorrected), price, money, goal, int(fewest), int(most))
    pool = JudgePool(scores.judges, price, item_price, pilot, choice, not uncorrected, len(scores.x), half_width)
    exact = len(scores.judges) <= WHOLE_SEARCH
    frontier = _frontier(pool, exact=exact)
    panel = min(frontier, key=pool.value)
    members = np.isin(scores.judges, panel.judges)
    draws = np.random.default_rng(stream(0, "screening") if rng is None else rng)
    return Screening(
        panel=panel,
        corrected=not uncorrected,
        candidates=tuple(candidate(pool, panel, members, judge) for judge in range(len(members))),
        frontier=frontier,
        alternatives=tuple(alternatives(pool, panel.cost, len(panel.judges))),
        stability=stability(pool, scores.x, extra, panel, int(resamples), draws),
        items=len(scores.scenarios),
        left_out=scores.left_out,
        tau2=float(pilot.effects.tau2),
        pilot_cost=pilot_cost,
        exact=exact,
        caveats=tuple(_caveats(judgments, scores, pool, panel, exact=exact)),
    )


def _frontier(pool: JudgePool, *, exact: bool) -> tuple[Shortlist, ...]:
    """The best panel of every size, in whole cycles.

    Raises
    ------
    InvalidInput
        If no panel is within reach.
    """
    if exact:
        members, values = exhaustive(pool.choice, _CONTENDERS)
    else:
        members, values = exchange(pool.choice)
        members = members[values < BEYOND]
        values = values[values < BEYOND]
    sizes = members.sum(axis=1)
    best = [
        pool.best(f"the best {counted(int(size), 'judge')}", members[sizes == size], values[sizes == size])
        for size in np.unique(sizes)
    ]
    if found := tuple(one for one in best if one is not None):
        return found
    choice = pool.choice
    if choice.budget is not None:
        least = float(np.sort(pool.price)[: choice.fewest].sum())
        raise InvalidInput(
            f"budget: one judgment by each of {counted(choice.fewest, 'judge')} costs at least {figure(least)}, "
            f"got {choice.budget:.4g}; allow more money or fewer judges"
        )
    raise InvalidInput(
        f"half_width: no panel of at most {counted(choice.most, 'judge')} has an interval of "
        f"±{pool.wanted or 0.0:.4g}, whatever is paid: the pilot leaves more than that of its bias; allow "
        "more judges, or enlarge the pilot"
    )


def priced(judgments: Judgments, scores: CrossedScores, prices: Prices | None) -> tuple[Floats, float, float]:
    """Price of one judgment and its new item by judge, the item's part of it, and the price of the pilot."""
    prices = {"call": 1.0} if prices is None else prices
    check(prices)
    if "prompt" in prices:
        raise InvalidInput("prices: a screening has one prompt; got a price per prompt, use call, judge and item")
    judges, of_pool, named = level_labels(judgments, "judge"), prices, prices.get("judge")
    if isinstance(named, Mapping):
        if absent := [name for name in judges if name not in named]:
            raise InvalidInput(
                f"prices: judge {', '.join(absent)} of the pilot has no price; add it, or drop the judge"
            )
        of_pool = {**prices, "judge": {name: named[name] for name in judges}}
    # all that was asked in the pilot is paid for: answered or not, used or left out
    by_judge = np.bincount(judgments.level_codes(["judge"]), judgments.rows).astype(np.float64)
    response = [judgments.object] if scores.generation is None else [judgments.object, scores.generation]
    counts = {"judge": len(judges), "item": judgments.n_levels(judgments.object)}
    counts["generation"] = int(judgments.level_codes(response).max()) + 1
    bill = known(cost(of_pool, counts, "item", int(judgments.rows.sum()), by_judge, judges))
    if bill is None:
        raise InvalidInput('prices: what a call costs is needed, such as {"call": 0.01} or {"judge": {"name": 0.01}}')
    calls = prices.get("judge", prices.get("call", 0.0))
    item = sum(float(np.asarray(prices.get(kind, 0.0))) for kind in ("item", "generation"))
    price = item + np.array([calls[name] if isinstance(calls, Mapping) else calls for name in scores.judges], float)
    if free := [name for name, each in zip(scores.judges, price, strict=True) if each <= 0]:
        raise InvalidInput(f"prices: a judgment must cost something, alone or with its item; {free[0]} costs 0")
    return price, item, bill


def _caveats(
    judgments: Judgments, scores: CrossedScores, pool: JudgePool, panel: Shortlist, *, exact: bool
) -> list[Caveat]:
    item, items = judgments.object, len(scores.scenarios)
    out = [caveats.carried_over(plural(item))]
    if items < _FEW_ITEMS:
        out.append(caveats.few_pilot_items(plural(item), items, _FEW_ITEMS))
    if scores.left_out:
        out.append(caveats.unfinished_items(counted(scores.left_out, item)))
    groups = judgments.ancestors(item)
    if groups:
        out.append(caveats.alike_by_group(groups[0]))
    # the fraction of the variance that no money for the main study removes
    members = np.isin(pool.judges, panel.judges)
    bias = pool.choice.error[np.ix_(members, members)].sum() / members.sum() ** 2
    se = panel.se if pool.corrected else panel.se_uncorrected
    left = float(bias / se**2) if se > 0 else 0.0
    if left > 0.5:
        out.append(caveats.held_by_pilot(plural(item), left))
    if not exact:
        out.append(caveats.not_exhaustive(len(pool.judges)))
    return out
