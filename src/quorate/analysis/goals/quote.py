"""Quote of a goal: what a study will spend and how likely it is to decide, simulated before it is paid for."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.analysis.words import drawn_share
from quorate.arrays import Floats, Ints
from quorate.collect.ledger.facts import JudgeStatus
from quorate.collect.ledger.ledger import Ledger
from quorate.decide.goals.goal import (
    MOST_NAMED,
    BestGoal,
    CompareGoal,
    Goal,
    HalfWidthGoal,
    Offer,
    PreferGoal,
    StagedGoal,
)
from quorate.decide.goals.parts import without_facet
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.rightness import VARIANT
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.published import Components
from quorate.estimate.differences.difference import difference, stratified_difference
from quorate.estimate.means.effects import strata
from quorate.frozen import dataclass
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.simulate.goals.fixed import fixed_cost
from quorate.simulate.goals.goal import Amount, GoalRates, simulate_goal, terms_on, truth
from quorate.simulate.goals.votes import VoteLaw
from quorate.study.file import Study, load
from quorate.study.offer import measured, offer_of, question_of, turns
from quorate.study.questions import Questions, questions
from quorate.study.status import standing
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.table.votes import Votes
from quorate.wording import listed

# Law of a goal of votes: shares, ties and how much judges agree, from the votes of a study.


class _Votes(NamedTuple):
    """A vote of every judge on every battle in every wording, both orders together."""

    value: Floats
    pair: Ints
    battle: Ints
    human: NDArray[np.bool_]


def law_of_votes(goal: PreferGoal | BestGoal, votes: Votes, people: Collection[str]) -> tuple[VoteLaw, float]:
    """How votes come about, and the margin for the first of two systems, or for the best against the nearest.

    The margin is that of people, where there are any among the judges. Votes of both orders of a pair are one vote, and
    its ties are those that give its variance: with the share ``s`` it is ``s (1 - s) - ties / 4``.

    Raises
    ------
    NotEstimable
        If there are no votes on the systems of the goal.
    """
    if isinstance(goal, PreferGoal):
        if not {goal.a, goal.b} <= set(votes.models):
            raise NotEstimable(f"{goal.a} and {goal.b} have no votes yet")
        votes = votes.pair(goal.a, goal.b)
    if not votes.n:
        raise NotEstimable("the systems have no votes yet")
    one = _collapsed(votes, people)
    kind = 2 * one.pair + one.human
    mean = (np.bincount(kind, one.value) / np.maximum(np.bincount(kind), 1))[kind]
    off = one.value - mean
    ties = float(np.clip(4 * np.mean(mean * (1 - mean) - off**2), 0.0, 1.0))
    voted = one.human if one.human.any() else ~one.human
    shares = np.bincount(one.pair[voted], one.value[voted]) / np.maximum(np.bincount(one.pair[voted]), 1)
    effect = float(shares[0] - 0.5) if isinstance(goal, PreferGoal) else _ahead(votes, shares - 0.5)
    limit = (1 - ties) / 2
    icc, effect = _icc(off, one.battle), float(np.clip(effect, -limit, limit))
    models = None
    if isinstance(goal, PreferGoal) and one.human.any() and not one.human.all() and icc < 1:
        follows = float(np.sqrt(icc))
        alone = (float(one.value[~one.human].mean()) - follows * (0.5 + effect)) / (1 - follows)
        models = float(np.clip(alone, ties / 2, 1 - ties / 2))
    return VoteLaw(ties, icc, models), effect


def _collapsed(votes: Votes, people: Collection[str]) -> _Votes:
    """Votes for the first of two systems, of which those of one judge on one battle in one wording are one."""
    value = 1 - votes.encoded("half")
    known = np.isfinite(value) & (votes.column(PROMPT) >= 0)
    pair = np.unique(np.column_stack([votes.model_a, votes.model_b])[known], axis=0, return_inverse=True)[1].reshape(-1)
    item = votes.column(PROMPT)[known].astype(np.int64)
    battle = np.unique(np.column_stack([pair, item]), axis=0, return_inverse=True)[1].reshape(-1)
    judge, wording = (
        votes.column(name)[known].astype(np.int64) if name in votes.names else np.zeros_like(item)
        for name in (JUDGE, VARIANT)
    )
    given = np.column_stack([battle, judge, wording])
    unit, first, code = np.unique(given, axis=0, return_index=True, return_inverse=True)
    code = code.reshape(-1)
    mean = np.bincount(code, value[known]) / np.bincount(code)
    names = votes.facet(JUDGE).levels if JUDGE in votes.names else ("",)
    human = np.isin(np.array(names, dtype=object), list(people))[unit[:, 1]]
    return _Votes(mean, pair[first], battle[first], human)


def _ahead(votes: Votes, margins: Floats) -> float:
    """Margin of the system that does best where it does worst, against the one that is nearest to it."""
    known = np.isfinite(votes.encoded("half")) & (votes.column(PROMPT) >= 0)
    pairs = np.unique(np.column_stack([votes.model_a, votes.model_b])[known], axis=0)
    worst = np.full(len(votes.models), np.inf)
    for (a, b), margin in zip(pairs.tolist(), margins.tolist(), strict=True):
        worst[a], worst[b] = min(worst[a], margin), min(worst[b], -margin)
    return float(worst[np.isfinite(worst)].max())


def _icc(off: Floats, battle: Ints) -> float:
    """Correlation of two votes on one battle, from 0 to 1: the mean product of two deviations, over their variance.

    Where every battle has one vote it is 0: nothing is known of it, nor does it matter.
    """
    total, square, count = (np.bincount(battle, part) for part in (off, off**2, np.ones(len(off))))
    twos, variance = float(np.sum(count * (count - 1))), float(np.mean(off**2))
    return float(np.clip(np.sum(total**2 - square) / twos / variance, 0.0, 1.0)) if twos and variance else 0.0


# Law of a goal: the components of what it is about, and its effect, from the answers of a study.


_KNOWN = frozenset({ITEM, PROMPT, JUDGE, REPLICATE, "cell"})


class GoalLaw(NamedTuple):
    """What a goal is about: variances by term, or of votes how they come about, and the true difference; 0 if none.

    Of a goal by category, each variance and the difference may be by category.
    """

    components: Mapping[str, Amount] | VoteLaw
    effect: Amount


def law_of(goal: Goal, table: Judgments | Votes, people: Collection[str] = ()) -> GoalLaw:
    """Components and effect as the answers of a study have them.

    Where only a sum of components is known, it is taken for the first of them: with one prompt, what items and their
    prompts bring is what items bring. Every category of a goal by category has its own; of a half-width of several
    systems it is the average over these.

    Raises
    ------
    InvalidInput
        If the goal is one of two stages, or the answers are not those of the goal.
    NotEstimable
        If there are too few answers to tell.
    """
    if isinstance(table, Votes) and isinstance(goal, PreferGoal | BestGoal):
        return GoalLaw(*law_of_votes(goal, table, people))
    if isinstance(table, Votes) or not isinstance(goal, CompareGoal | HalfWidthGoal | BestGoal):
        raise InvalidInput("goal: one of two stages, or of other answers than these, is not simulated")
    if isinstance(goal, CompareGoal | HalfWidthGoal) and goal.by is not None:
        return _by_category({name: law_of(replace(goal, by=None), part) for name, part in _levels(table, CATEGORY)})
    if isinstance(goal, HalfWidthGoal):
        if SYSTEM in table.names and table.n_levels(SYSTEM) > 1:
            laws = [law_of(goal, part) for _, part in _levels(table, SYSTEM)]
            return GoalLaw({term: float(np.mean(own)) for term, own in _terms_of(laws).items()}, 0.0)
        shares = goal.category_shares
        return GoalLaw(_terms(decompose(strata(table), covariates=[CATEGORY]) if shares else decompose(table)), 0.0)
    if isinstance(goal, CompareGoal) and goal.category_shares is not None:
        apart = stratified_difference(table, goal.a, goal.b, goal.category_shares, targets=goal.target)
        return GoalLaw(_terms(apart.fit), apart.value)
    a, b = (goal.a, goal.b) if isinstance(goal, CompareGoal) else best_two(table)
    found = difference(table, a, b, method="paired", targets=goal.target)
    return GoalLaw(_terms(found.fit), found.value)


def _levels(table: Judgments, name: str) -> Iterator[tuple[str, Judgments]]:
    """Every level of a facet with its judgments, without the facet."""
    for level in table.facet(name).levels:
        yield level, without_facet(table.only(name, level), name)


def _by_category(laws: Mapping[str, GoalLaw]) -> GoalLaw:
    """Components and effect, each by category; no effect where there is none on any."""
    variances = {term: dict(zip(laws, own, strict=True)) for term, own in _terms_of(laws.values()).items()}
    effects = {name: truth(law.effect, "") for name, law in laws.items()}
    return GoalLaw(variances, effects if any(effects.values()) else 0.0)


def _terms_of(laws: Collection[GoalLaw]) -> dict[str, list[float]]:
    """Variances of every term in all laws; 0 where one of them has none."""
    own = [terms_on(law.components, "") for law in laws if not isinstance(law.components, VoteLaw)]
    names = dict.fromkeys(name for each in own for name in each)
    return {name: [each.get(name, 0.0) for each in own] for name in names}


def best_two(table: Judgments) -> tuple[str, str]:
    """The two systems with the highest means, the best first."""
    code, names = table.column(SYSTEM), table.facet(SYSTEM).levels
    sums = np.bincount(code, table.mean * table.n, len(names))
    means = sums / np.maximum(np.bincount(code, table.n, len(names)), 1)
    first, second, *_ = np.argsort(-means, kind="stable")
    return names[first], names[second]


def _terms(fit: Decomposition) -> dict[str, float]:
    """Variances of single terms."""
    first = {name.split(" + ")[0]: value for name, value in fit.variances.items()}
    return {term: value for term, value in first.items() if set(term.split(":")) <= _KNOWN}


_NOTHING = 'nothing is answered yet; assume some, such as {"item": 0.2, "item:judge": 0.1, "cell": 0.3}'
_ICC = 0.5


@dataclass(frozen=True)
class GoalQuote(Result):
    """What a study with a goal will spend, and how likely it is to reach it.

    Parameters
    ----------
    rates : GoalRates
        Of simulated studies, each carried out as the real one is.
    components : mapping of str to float or mapping
        The variances that they were drawn from, by term, of which each may be by category; none of votes.
    effect : float or mapping of str to float
        The difference that they were drawn with; 0 where there is none, by category if that is not the same on all. Of
        votes the share less a half.
    assumed : bool
        Whether all of it was given, and not estimated from the answers so far.
    unit : {"money", "calls"}
        What the budget is counted in.
    budget : float
        The most that may be spent, in that unit.
    fixed : float or None
        What the cheapest study of one look costs that shows the same, if all this is known beforehand; None where none
        does.
    promised : float or None
        The chance that the goal asks for, if the difference is one that it is about; where it asks by category that
        of all of them. None where it asks for none.
    tie_share, icc : float or None
        Of votes: the share of ties, and the correlation of two votes on one battle, that they were drawn with.
    """

    rates: GoalRates
    components: Mapping[str, Amount]
    effect: Amount
    assumed: bool
    unit: Literal["money", "calls"]
    budget: float
    fixed: float | None
    promised: float | None = None
    tie_share: float | None = None
    icc: float | None = None

    derived = ("spent", "chance", "out_of_reach", "sentence")

    @property
    def spent(self) -> float:
        """What a study spends on average, from its pilot to its end, in the unit of the budget."""
        return self.rates.money if self.unit == "money" else self.rates.calls

    @property
    def chance(self) -> float:
        """Chance that the goal is reached."""
        return self.rates.reached

    @property
    def out_of_reach(self) -> bool:
        """Whether the goal is reached less often than it asks for, by more than chance explains."""
        return self.promised is not None and self.chance + 2 * self.rates.error(self.promised) < self.promised

    @property
    def sentence(self) -> str:
        """What to expect, in a few sentences."""
        law = "components"
        if self.tie_share is not None:
            law = f"{self.tie_share:.0%} ties and a correlation of {self.icc:.2g} between votes on one battle"
        basis = f"{law} as assumed" if self.assumed else f"{law} as in the answers so far"
        spend = f"{_money(self.spent)} of {_money(self.budget)} in money"
        if self.unit == "calls":
            spend = f"{self.spent:,.0f} of {self.budget:,.0f} calls"
        fixed = ""
        if self.fixed is not None:
            one = _money(self.fixed) if self.unit == "money" else f"{self.fixed:,.0f}"
            fixed = f" A study of one look would cost {one}, if all this were known beforehand."
        short = ""
        if self.out_of_reach:
            short = (
                f" The chance is less than the {self.promised:.0%} asked for: offer more items, "
                f"{'' if self.tie_share is not None else 'more prompts or judges where they stand for others, '}"
                "or a larger budget."
            )
        return (
            f"With {basis}{_difference(self.effect)}, expect to spend {spend}, and to reach the goal with a chance of "
            f"{drawn_share(self.chance)}; {self.rates.looks:.1f} looks on average ({self.rates.studies:,} simulated "
            f"studies).{short}{fixed}"
        )


def _money(amount: float) -> str:
    """An amount to the cent, and a smaller one to three digits."""
    return f"{amount:,.2f}" if amount >= 1 or amount == 0 else f"{amount:.3g}"


def quote(
    study: str | os.PathLike[str],
    *,
    components: Components | Mapping[str, float] | None = None,
    effect: Amount | None = None,
    tie_share: float | None = None,
    icc: float | None = None,
    studies: int = 100,
) -> GoalQuote:
    """What a study with a goal will spend, and how likely it is to reach it, before it is paid for.

    The study is carried out again and again on simulated scores or votes, from its pilot to its end, by the rules and
    prices by which the real one is carried out. Nothing is asked.

    Parameters
    ----------
    study : path
        The study file, which has a goal, but none of two stages.
    components : Components or mapping of str to float, optional
        Variances to assume, by term (``item``, ``item:judge``, ``cell``, ``replicate`` ...): of the scores, or where
        systems are compared of the difference of two of them. Without them those of the answers so far, such as of the
        pilot.
    effect : float or mapping of str to float, optional
        The difference to assume: of the two systems, or of the best one and the others; of a goal by category by
        category, if it is not the same on all. Without it the difference so far, of a goal by category that of each, or
        before the first answer the margin of the goal. Of votes the share for the first of two systems less a
        half; for the best of several, its share against each of the others less a half.
    tie_share : float, optional
        Of votes: share of ties to assume; as so far, or 0 where ``icc`` is assumed.
    icc : float, optional
        Of votes: correlation to assume of two votes on one battle, of people or of models. As so far, or .5 where
        ``tie_share`` is assumed.
    studies : int
        Simulated studies; each takes about a tenth of a second.

    Returns
    -------
    GoalQuote

    Raises
    ------
    InvalidInput
        If the file breaks a rule or has no goal that is simulated, nothing is assumed and nothing answered, or what is
        assumed is not of the answers that it is about.
    NotEstimable
        If there are too few answers to estimate components.
    """
    assumed: dict[str, Any] = {"components": components, "effect": effect, "tie_share": tie_share, "icc": icc}
    return quoted(load(study), **assumed, studies=studies)


class _Assumed(NamedTuple):
    """What is assumed of answers, as for `quote`; all else is as in the answers so far."""

    components: Components | Mapping[str, float] | None = None
    effect: Amount | None = None
    tie_share: float | None = None
    icc: float | None = None


def quoted(
    study: Study,
    *,
    components: Components | Mapping[str, float] | None = None,
    effect: Amount | None = None,
    tie_share: float | None = None,
    icc: float | None = None,
    studies: int = 100,
) -> GoalQuote:
    """As `quote`, for a study that is loaded."""
    assumed = _Assumed(components, effect, tie_share, icc)
    asked = questions(study)
    goal = question_of(asked)
    if isinstance(goal, StagedGoal):
        raise InvalidInput("goal.stages: two stages spend the whole budget whatever the votes are; none are simulated")
    seen: tuple[JudgeStatus, ...] = ()
    if Ledger.exists(study.database):
        with Ledger.open(study.database) as ledger:
            seen = ledger.status()
    offer = offer_of(asked, seen)
    law = _law(asked, goal, assumed)
    own = law.components
    rates = simulate_goal(goal, offer, own, effect=law.effect, studies=studies, seed=study.seed)
    unit: Literal["money", "calls"] = "calls" if offer.money is None else "money"
    each = turns(asked)  # a judgment of both orders takes two
    budget = float(study.budget.calls or 0) if offer.money is None else offer.money
    fixed = one_look(goal, offer, law)
    promised = goal.power if isinstance(goal, CompareGoal | PreferGoal) and is_sized(goal, law.effect) else None
    if promised is not None and isinstance(goal, CompareGoal) and goal.by is not None:
        promised **= len(set(offer.categories or ()))
    return GoalQuote(
        rates.in_calls(each),
        {} if isinstance(own, VoteLaw) else own,
        law.effect,
        any(given is not None for given in (assumed.components, assumed.icc, assumed.tie_share)),
        unit,
        budget,
        None if fixed is None else fixed * (each if unit == "calls" else 1),
        promised,
        own.ties if isinstance(own, VoteLaw) else None,
        own.icc if isinstance(own, VoteLaw) else None,
    )


def is_sized(goal: Goal, effect: Amount) -> bool:
    """Whether a study is large enough for a difference: none, or one of the margin or more, on every category."""
    margin = goal.margin if isinstance(goal, CompareGoal | PreferGoal) else None
    each = effect.values() if isinstance(effect, Mapping) else [effect]
    return margin is not None and all(one == 0 or abs(one) >= margin for one in each)


def one_look(goal: Goal, offer: Offer, law: GoalLaw) -> float | None:
    """What the cheapest study of one look costs that shows what is true; None where none does, or it is not known."""
    if isinstance(goal, StagedGoal):
        return None
    power = goal.power if isinstance(goal, CompareGoal | PreferGoal) else 0.9
    own = law.components
    if not isinstance(own, VoteLaw):
        own = {"item:judge": 0.0, "item:prompt": 0.0, **own}  # so that both facets are known to be there
    try:
        return fixed_cost(goal, offer, own, law.effect, power=power)
    except NotEstimable:
        return None


def _law(asked: Questions, goal: Goal, assumed: _Assumed) -> GoalLaw:
    """What is assumed, or else what the answers so far say."""
    votes = asked.items.pairs
    if votes and assumed.components is not None:
        raise InvalidInput("components: are those of scores; of votes assume effect, icc and tie_share")
    if not votes and not (assumed.icc is None and assumed.tie_share is None):
        raise InvalidInput("icc, tie_share: are those of votes; of scores assume components and effect")
    if assumed.components is None and assumed.icc is None and assumed.tie_share is None:
        if not standing(asked.study).finished:
            what = "icc: nothing is answered yet; assume some, such as 0.5" if votes else f"components: {_NOTHING}"
            raise InvalidInput(what)
        found = law_of(goal, measured(asked), asked.study.people)
        return found if assumed.effect is None else GoalLaw(found.components, assumed.effect)
    effect = _effect(goal) if assumed.effect is None else assumed.effect
    if votes:
        return GoalLaw(VoteLaw(assumed.tie_share or 0.0, _ICC if assumed.icc is None else assumed.icc), effect)
    own = assumed.components
    terms: Mapping[str, Any] = own.random if isinstance(own, Components) else own or {}
    return GoalLaw({name: float(value) for name, value in terms.items()}, effect)


def _difference(effect: Amount) -> str:
    """The difference that was assumed, in words; nothing where there is none."""
    if isinstance(effect, Mapping):
        own = [f"{one:.3g} on {name}" for name, one in effect.items()]
        return f" and differences of {listed(own, most=MOST_NAMED)}"
    return f" and a difference of {effect:.3g}" if effect else ""


def _effect(goal: Goal) -> float:
    """The difference that is assumed where none is given: the margin."""
    margin = goal.margin if isinstance(goal, CompareGoal | PreferGoal) else None
    if margin is None and not isinstance(goal, HalfWidthGoal):
        raise InvalidInput("effect: the difference to assume is needed, since the goal has no margin")
    return margin or 0.0
