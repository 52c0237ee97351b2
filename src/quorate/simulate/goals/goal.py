"""Studies with a goal, carried out again and again on scores whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.decide.goals.goal import BestGoal, CompareGoal, Goal, HalfWidthGoal, Offer, PreferGoal, Spent, StagedGoal
from quorate.decide.goals.look import UNDECIDED, Ending, Look, Pursuit
from quorate.decide.goals.parts import Parts
from quorate.decide.goals.rounds import TwoStages, method, of_votes, pilot
from quorate.decide.goals.votes import Favourite, Preference
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.published import Components
from quorate.estimate.means.targets import POPULATION
from quorate.frozen import dataclass
from quorate.planning.power.sample_size import check_count
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.simulate.goals.votes import VoteLaw, VoteWorld, vote_world
from quorate.streams import stream
from quorate.table.cells import Cells
from quorate.table.facets import OK, Facet
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.waiting import each
from quorate.wording import counted

# Worlds: a score for every call that may be bought, drawn from known components.


AXES = (ITEM, SYSTEM, PROMPT, JUDGE)

Amount = float | Mapping[str, float]
"""A number, or one for each category of items."""


@dataclass(frozen=True, eq=False)
class World:
    """Scores of everything on offer.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    score : array, shape (items, systems, prompts, judges, replicates)
        Score of each call.
    """

    offer: Offer
    score: Floats

    def nothing(self) -> NDArray[np.bool_]:
        """No calls, in the shape of the scores."""
        return np.zeros(self.score.shape, dtype=np.bool_)

    def asked(self, cells: Cells, before: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Calls that were made, with some more."""
        made = before.copy()
        place = [cells.code(name) if name in cells.levels else np.zeros(len(cells), dtype=int) for name in AXES]
        made[(*place, cells.replicate - 1)] = True
        return made

    def judgments(self, made: NDArray[np.bool_]) -> Judgments:
        """The table of the calls that were made."""
        n = made.sum(axis=-1)
        place = np.argwhere(n)
        at = tuple(place.T)
        count, score, there = n[at], self.score[at], made[at]
        mean = (score * there).sum(axis=-1) / count
        ss = (np.where(there, score - mean[:, None], 0.0) ** 2).sum(axis=-1)
        offer = self.offer
        labels = (offer.item_order, offer.systems, offer.prompts, offer.judge_order)
        grouped = offer.categories is not None
        named = [(at, name, own) for at, (name, own) in enumerate(zip(AXES, labels, strict=True)) if own]
        over = {ITEM: CATEGORY} if grouped else {}
        facets = [Facet(name, name, own, name == JUDGE, over.get(name)) for _, name, own in named]
        codes = place[:, [at for at, _, _ in named]].astype(np.int32)
        if grouped:
            names, group = np.unique(np.array(offer.group_order), return_inverse=True)
            facets.append(Facet(CATEGORY, CATEGORY, tuple(names.tolist())))
            codes = np.column_stack([codes, group[place[:, 0]].astype(np.int32)])
        table = Judgments(tuple(facets), ITEM, "score", codes, count, mean, ss, mean, mean, {OK: count})
        return table.keep(np.ones(len(count), dtype=np.bool_))


def world(
    offer: Offer,
    components: Mapping[str, Amount],
    effects: Sequence[Amount],
    rng: np.random.Generator,
    *,
    panel: bool = True,
    noise: Mapping[str, float] | None = None,
) -> World:
    """Scores drawn from the components of every system's own scores.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    components : mapping of str to float or mapping
        Variances by term, such as ``item``, ``item:judge``, ``cell`` and ``replicate``, of each system by itself; of a
        term by category where they are not the same on all.
    effects : sequence of float or mapping
        True mean of each system, or by category.
    rng : numpy.random.Generator
        For the draws.
    panel : bool
        Whether judges stand for themselves: their main effects then sum to 0.
    noise : mapping of str to float, optional
        By judge, how many times as large the standard deviation of its cells and replicates is.

    Raises
    ------
    InvalidInput
        If a component is none of items, prompts, judges and replicates.
    NotEstimable
        If a category has no effect, or no variance of a term.
    """
    sizes = (len(offer.order), len(effects), max(len(offer.prompts), 1), len(offer.judges))
    scale = np.array([1.0 if noise is None else noise.get(name, 1.0) for name in offer.judge_order])
    groups = offer.group_order or ("",) * sizes[0]
    place = {name: at for at, name in enumerate(dict.fromkeys(groups))}
    category = np.array([place[name] for name in groups])
    own = np.array([[truth(one, name) for one in effects] for name in place])[category]
    mean = np.broadcast_to(own[:, :, None, None], sizes).copy()
    laws = [told(terms_on(components, name), offer) for name in place]
    deviations = {term: np.sqrt([law[term] for law in laws])[category][:, None, None, None] for term in laws[0]}
    answers = deviations.pop(REPLICATE, np.zeros((1, 1, 1, 1)))
    for term, deviation in deviations.items():
        names = {ITEM, PROMPT, JUDGE} if term == "cell" else set(term.split(":"))
        shape = [size if name in names or name == SYSTEM else 1 for name, size in zip(AXES, sizes, strict=True)]
        drawn = deviation * rng.normal(0.0, 1.0, shape)
        drawn = drawn - drawn.mean(axis=-1, keepdims=True) if panel and names == {JUDGE} else drawn
        mean += drawn * scale if term == "cell" else drawn
    within = answers[..., None] * rng.normal(0.0, 1.0, (*sizes, offer.replicates))
    return World(offer, mean[..., None] + within * scale[:, None])


def truth(amount: Amount, category: str) -> float:
    """What is true of the items of a category.

    Raises
    ------
    NotEstimable
        If it is said by category, and not of this one.
    """
    if not isinstance(amount, Mapping):
        return float(amount)
    if category not in amount:
        what = f'"{category}" has none' if category else "the items have no categories"
        raise NotEstimable(f"effect, components: by category one is needed for each, and {what}")
    return float(amount[category])


def terms_on(components: Mapping[str, Amount], category: str) -> dict[str, float]:
    """Variances of the items of a category."""
    return {term: truth(variance, category) for term, variance in components.items()}


def told(components: Mapping[str, float], offer: Offer) -> dict[str, float]:
    """Components of an offer: of a facet with one level there is no effect of its own, for the study is about this one.

    Raises
    ------
    InvalidInput
        If a component is none of items, prompts, judges, cells and replicates.
    """
    single = {name for name, own in ((PROMPT, offer.prompts), (JUDGE, offer.judges)) if len(own) < 2}
    out: dict[str, float] = {}
    for term, variance in components.items():
        names = [name for name in AXES if name in term.split(":")]
        if term not in ("cell", REPLICATE) and (SYSTEM in names or len(names) != len(term.split(":"))):
            raise InvalidInput(f"components: terms are of item, prompt, judge, cell and replicate, got {term!r}")
        left = term if term in ("cell", REPLICATE) else ":".join(name for name in names if name not in single)
        if left:
            out[left] = out.get(left, 0.0) + variance
    return out


Pursued = Pursuit[Any, Any] | Parts | Preference | TwoStages | Favourite
"""How a goal is pursued, of scores or of votes."""


@dataclass(frozen=True)
class GoalRates(Result):
    """What studies with a goal spend, and how often they are right.

    Parameters
    ----------
    studies : int
        Studies carried out.
    effect : float or mapping of str to float
        Truth: the difference, or how much the best system is ahead of all others; by category if it is not the same.
    calls, money : float
        Mean of what they spend.
    calls_error, money_error : float
        Standard errors of these, from the number of studies.
    most_calls : float
        Calls that 9 of 10 studies do not exceed.
    looks : float
        Mean number of analyses.
    ended : mapping of str to float
        Share of studies by what ended them.
    outcomes : mapping of str to float
        Share of studies by what they showed.
    wrong : float
        Share that claimed something untrue.
    covered : float
        Share whose interval at the end covers the truth; of goals with parts, share of all their intervals.
    half_width : float
        Median half-width of that interval; of goals with parts, of the widest of those that are open.
    """

    studies: int
    effect: float | Mapping[str, float]
    calls: float
    money: float
    calls_error: float
    money_error: float
    most_calls: float
    looks: float
    ended: Mapping[str, float]
    outcomes: Mapping[str, float]
    wrong: float
    covered: float
    half_width: float

    derived = ("reached", "right", "sentence")

    @property
    def reached(self) -> float:
        """Share that reached the goal."""
        return self.ended.get(Ending.REACHED.value, 0.0)

    @property
    def right(self) -> float:
        """Share that reached the goal and claimed nothing untrue."""
        return self.reached - self.wrong

    def error(self, share: float) -> float:
        """Monte Carlo standard error of a share."""
        return float(np.sqrt(max(share * (1 - share), 1 / self.studies) / self.studies))

    def in_calls(self, each: int) -> GoalRates:
        """The same where a judgment takes so many calls."""
        calls = {name: each * getattr(self, name) for name in ("calls", "calls_error", "most_calls")}
        return replace(self, **calls)

    @property
    def sentence(self) -> str:
        """What to expect, in one sentence."""
        money = f", {self.money:,.2f} in money" if self.money else ""
        return (
            f"Expect {self.calls:,.0f} calls (give or take {2 * self.calls_error:,.0f}; 9 of 10 studies at most "
            f"{self.most_calls:,.0f}){money}, and the goal reached with a chance of {self.reached:.2f} "
            f"({counted(self.studies, 'simulated study')})."
        )


def simulate_goal(
    goal: Goal,
    offer: Offer,
    components: Components | Mapping[str, Amount] | VoteLaw,
    *,
    effect: Amount = 0.0,
    noise: Mapping[str, float] | None = None,
    studies: int = 200,
    seed: int = 1,
) -> GoalRates:
    """What a study with a goal would spend, and how often it would reach it, if the components are these.

    Every study is carried out as a real one is, from the pilot on: the same estimates, plans, bounds and stops, on
    normal scores or on votes.

    Parameters
    ----------
    goal : CompareGoal, HalfWidthGoal, BestGoal or PreferGoal
        What is asked.
    offer : Offer
        What may be bought.
    components : Components, mapping of str to float or mapping, or VoteLaw
        Variances by term (``item``, ``item:judge``, ``cell``, ``replicate`` ...): of the scores, or where systems are
        compared of the difference of two of them, as `quorate.compare` estimates it; of a term by category if they are
        not the same on all. Of votes, ties and how much judges agree.
    effect : float or mapping of str to float
        True difference of ``a`` and ``b``; of the best system and all others; by category if it is not the same on all.
        Of votes the share of the first less a half.
    noise : mapping of str to float, optional
        By judge, how many times as large the standard deviation of its cells and replicates is; of scores alone.
    studies : int
        Studies carried out; each takes about a tenth of a second.
    seed : int
        For the draws.

    Returns
    -------
    GoalRates

    Raises
    ------
    InvalidInput
        If the budget does not pay for a pilot, a component is of another facet, or what is given is not of the answers
        that the goal is about.
    NotEstimable
        If by category something is said of some categories alone.

    Examples
    --------
    >>> from quorate.decide.goals.goal import CompareGoal
    >>> from quorate.decide.goals.goal import Offer
    >>> offer = Offer([f"i{n}" for n in range(400)], ["a", "b", "c"], systems=["x", "y"], calls=1500)
    >>> law = {"item": 0.1, "item:judge": 0.1, "cell": 0.2}
    >>> rates = simulate_goal(CompareGoal("x", "y", margin=0.3), offer, law, effect=0.6, studies=4)
    >>> rates.outcomes["better"] > 0.5
    True
    """
    check_count("studies", studies)
    law = components.random if isinstance(components, Components) else components
    pursued = of_votes(goal, offer) or method(goal, offer)
    last = [
        _carried(goal, pursued, _drawn(goal, offer, law, effect, noise, stream(seed, f"goal/{number}")))
        for number in each("simulated studies", range(studies))
    ]
    calls, money = (np.array([getattr(one.spent, name) for one in last], dtype=float) for name in ("calls", "money"))
    shares = {name: sum(one.outcome == name for one in last) / studies for name in sorted({o.outcome for o in last})}
    truths = _truths(goal, pursued, effect)
    claims = [list(zip(one.parts or (one,), truths, strict=True)) for one in last]
    return GoalRates(
        studies=studies,
        effect=effect,
        calls=float(calls.mean()),
        money=float(money.mean()),
        calls_error=float(calls.std() / np.sqrt(studies)),
        money_error=float(money.std() / np.sqrt(studies)),
        most_calls=float(np.quantile(calls, 0.9)),
        looks=float(np.mean([one.number for one in last])),
        ended={why.value: sum(one.ending is why for one in last) / studies for why in Ending},
        outcomes=shares,
        wrong=float(np.mean([any(_wrong(goal, offer, look.outcome, true) for look, true in one) for one in claims])),
        covered=float(np.mean([look.low <= true <= look.high for one in claims for look, true in one])),
        half_width=float(np.median([(one.high - one.low) / 2 for one in last])),
    )


def _drawn(
    goal: Goal,
    offer: Offer,
    law: Mapping[str, Amount] | VoteLaw,
    effect: Amount,
    noise: Mapping[str, float] | None,
    rng: np.random.Generator,
) -> World | VoteWorld:
    """Answers to everything on offer."""
    votes = isinstance(goal, PreferGoal) or bool(offer.pairs)
    if isinstance(law, VoteLaw) and isinstance(goal, PreferGoal | BestGoal) and votes and noise is None:
        if isinstance(effect, Mapping):
            raise InvalidInput("effect: of votes it is one number")
        return vote_world(goal, offer, law, effect, rng)
    if isinstance(law, VoteLaw) or isinstance(goal, PreferGoal | StagedGoal) or votes:
        wanted = "a VoteLaw, and no noise" if votes else "components"
        raise InvalidInput(f"components: {type(goal).__name__} of this offer is simulated by {wanted}, got {law!r}")
    compared = bool(offer.systems) and not isinstance(goal, HalfWidthGoal)
    own = {term: _halved(variance) if compared else variance for term, variance in law.items()}
    effects = [effect, *(0.0 for _ in offer.systems[1:])]
    panel = (goal.target or {}).get(JUDGE) != POPULATION
    return world(offer, own, effects, rng, panel=panel, noise=noise)


def _halved(variance: Amount) -> Amount:
    """Of each of two systems, where that of their difference is given."""
    if isinstance(variance, Mapping):
        return {name: one / 2 for name, one in variance.items()}
    return variance / 2


def _carried(goal: Goal, pursued: Pursued, drawn: World | VoteWorld) -> Look:
    """The last look of one study."""
    offer, past = pursued.offer, list[Look]()
    cells, made, spent = pilot(goal, offer), drawn.nothing(), Spent(0)
    while not past or past[-1].ending is None:
        made = drawn.asked(cells, made)
        spent = Spent(spent.calls + len(cells), spent.money + float(offer.price(cells).sum()))
        table: Any = drawn.judgments(made)
        found, cells = pursued.look(table, past, spent)
        past.append(found)
    return past[-1]


def _truths(goal: Goal, pursued: Pursued, effect: Amount) -> list[float]:
    """What is true of all parts; of the mean over categories where there are none."""
    offer = pursued.offer
    if isinstance(pursued, Parts):
        ahead = (not part.system or part.system == offer.systems[0] for part in pursued.each)
        return [truth(effect, part.category) * first for part, first in zip(pursued.each, ahead, strict=True)]
    if not isinstance(effect, Mapping):
        return [effect]
    shares = getattr(goal, "category_shares", None)
    if shares is None:
        raise InvalidInput("effect: by category is for goals that ask by category or have category_shares")
    return [sum(shares[name] * effect[name] for name in shares)]


def _wrong(goal: Goal, offer: Offer, outcome: str, effect: float) -> bool:
    """Whether a claim is untrue."""
    if isinstance(goal, CompareGoal | PreferGoal):
        limit = goal.margin or 0.0
        untrue = {"better": effect <= 0, "worse": effect >= 0, "equivalent": abs(effect) >= limit}
        return untrue.get(outcome, False)
    best = offer.systems[0] if offer.systems else min((name for pair in offer.pairs for name in pair), default="")
    return isinstance(goal, BestGoal) and outcome not in (UNDECIDED, best)
