"""Effect sizes: items that a difference of scores takes before there are data, and a share against a bar."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from numbers import Real
from typing import Any

import numpy as np

from quorate import rules
from quorate.arguments import Sentence, argument
from quorate.decide.scores import ScoreStep, score_step
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.differences.difference import difference
from quorate.estimate.means.intervals import Ended
from quorate.estimate.means.targets import FEWEST_DRAWN, Target
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.reach import Effect
from quorate.numerics.roots import last
from quorate.numerics.study_power import Studies, studies
from quorate.numerics.votes.binomial import clopper_pearson, lower_tail
from quorate.planning.designs.dstudy import Prices
from quorate.planning.power.sample_size import check_alpha, check_count, check_power, check_range
from quorate.roles import JUDGE, PROMPT
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import Brief, capitalised, counted, listed, plural

_MOST = 10_000_000
"""Items beyond which nobody plans a study."""
_MOST_EXACT = 200_000
"""Answers up to which the exact test of a share is planned: its power is a saw-tooth, so all are looked at."""
_TRIED = 1000
"""Items by whose error the number that is searched for is guessed."""
_CORRELATIONS = (0.0, 0.25, 0.5, 0.75)
_JUDGES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
"""Numbers of judges that are compared where that is left open."""
_SHOWN = 6


@dataclass(frozen=True)
class _Law(Brief):
    """What scores vary by: of an item's mean or difference, and of that of judges and prompts.

    Parameters
    ----------
    shared : float
        Variance over items of what all scores of an item have in common.
    cell : float
        Variance of what each score of an item has beyond that, of both systems where there are two.
    apart : bool
        Whether each of two systems has items of its own.
    spread : mapping of str to float
        Standard deviation of true values from judge to judge, or prompt to prompt, of facets that stand for others.
    end : float or None
        The share that a mean of 0/1 scores is; None of a difference, and of other scores.
    """

    shared: float
    cell: float
    apart: bool
    spread: Mapping[str, float]
    end: float | None = None

    def studies(self, items: int, counts: Mapping[str, int]) -> Studies:
        """What studies of a design would find."""
        cells = math.prod(counts.values())
        own = self.cell / (cells * items)
        effects = [Effect(sd**2 / counts[name] + own, own, counts[name] - 1.0) for name, sd in self.spread.items()]
        beyond = sum(sd**2 / counts[name] for name, sd in self.spread.items())
        df = 2.0 * items - 2 if self.apart else items - 1.0
        return studies(max(self.shared, 0.0) / items + own, df, effects, beyond)

    def half_width(self, items: int, counts: Mapping[str, int], alpha: float) -> float:
        """Half the interval that the middle study finds."""
        half = float(np.median(self.studies(items, counts).half_width(1 - alpha / 2)))
        if self.end is None:
            return half
        return float(
            Ended(self.end, (0.0, 1.0)).half_width(np.asarray(half), np.asarray(items * math.prod(counts.values())))
        )


@dataclass(frozen=True)
class EffectPlan(Result):
    """Items that it takes to see a difference of two systems' scores, or to know a difference or a mean so well.

    Parameters
    ----------
    effect : float or None
        Difference that is to be found, in score units.
    half_width : float or None
        In its place, half the interval that half of the studies are to find.
    power, alpha : float
        Chance of finding the effect; level of the two-sided test, or 1 less that of the interval.
    systems : int
        Two, or one of which the mean is to be known.
    items, judges, prompts : int
        The design; each system has as many items, the same ones where they are paired.
    paired : bool
        Whether both systems are scored on the same items.
    correlation : float
        Of the scores of both systems on an item; 0 where they are not paired.
    spread : mapping of str to float
        Standard deviation of the difference, or mean, from judge to judge or prompt to prompt, of those that stand for
        others.
    chance : float or None
        Of finding the effect with so many items.
    reached : float
        Half the interval that the middle study of this design finds.
    alternatives : tuple of dict
        Items for other correlations and numbers of judges.
    assumed : bool
        Whether the correlation was taken for granted.
    """

    effect: float | None
    half_width: float | None
    power: float
    alpha: float
    systems: int
    items: int
    judges: int
    prompts: int
    paired: bool
    correlation: float
    spread: Mapping[str, float]
    chance: float | None
    reached: float
    alternatives: tuple[Row, ...] = field(repr=False)
    assumed: bool

    entries = "* calls alternatives=rows sentence"

    @property
    def calls(self) -> int:
        """Judgments in all."""
        return self.systems * self.items * self.judges * self.prompts

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        level = 100 * (1 - self.alpha)
        what = "a mean" if self.systems == 1 else "a difference"
        goal = (
            f"To know {what} to ±{self.half_width:g}" if self.effect is None else f"To find {what} of {self.effect:g}"
        )
        sure = f"half of such studies find a {level:.4g}% interval so narrow"
        if self.chance is not None:
            sure = f"chance {self.chance:.1%}, two-sided test at {self.alpha:g}"
        which = (
            "" if self.systems == 1 else " that both systems answer" if self.paired else " of its own for each system"
        )
        levels = {JUDGE: self.judges, PROMPT: self.prompts}
        each = [counted(n, name) for name, n in levels.items() if n > 1]
        by = f", each scored by {listed(each)}" if each else ""
        whom = f", for {listed([plural(name) for name in self.spread])} like these," if self.spread else ""
        answer = f"{goal}{whom} takes {counted(self.items, 'item')}{which}{by}: {self.calls:,} judgments ({sure})."
        if not self.assumed:
            return answer
        taken = (
            f" Scores of both on an item are taken to be correlated {self.correlation:.2g}; state what they are with "
        )
        return Sentence(answer + taken) + argument("correlation") + ", or plan from a pilot."

    def rows(self) -> list[Row]:
        """Other correlations and numbers of judges, one a row: correlation, judges, prompts, items, calls."""
        return [*self.alternatives]


def plan_effect(
    effect: float | None = None,
    *,
    half_width: float | None = None,
    rates: float | tuple[float, float] | None = None,
    sd: float | tuple[float, float] | None = None,
    unpaired: bool = False,
    correlation: float | None = None,
    judges: int | None = None,
    prompts: int = 1,
    icc: float | None = None,
    spread: Mapping[str, float] | None = None,
    alpha: float = 0.05,
    power: float = 0.9,
) -> EffectPlan:
    """How many items it takes to see a difference of scores between two systems, without any data.

    The test is that of `quorate.compare`: for these judges and prompts Student's over items, paired where both systems
    answer the same ones; with ``spread``, for judges or prompts like these.

    Parameters
    ----------
    effect : float, optional
        Difference of two systems to be found, in score units. Of two ``rates`` it is theirs. Or ``half_width``.
    half_width : float, optional
        Instead: half the interval that half of the studies are to find, of the difference with two rates or deviations,
        of one mean with one.
    rates : float or (float, float), optional
        Scores of 0 and 1: rates of both systems, such as .7,.72; or of the first, with the effect. Or ``sd``.
    sd : float or (float, float), optional
        Other scores: standard deviation of a system's scores over items, such as 1; or of each, 1,1.2.
    unpaired : bool
        Each system answers items of its own.
    correlation : float, optional
        Correlation of the scores of both on an item; by default half of ``icc``. Which is then said.
    judges : int, optional
        Judges of every item. Default: 1; with a spread of judges as many as take the fewest judgments.
    prompts : int
        Prompts of every item.
    icc : float, optional
        Correlation of two scores of an item by different judges or prompts. Of a system; needed with several.
    spread : mapping of str to float, optional
        How the true difference varies from judge to judge, or prompt to prompt, such as judge=.03,prompt=.02; the plan
        is then for others like these. Its standard deviation; of one system that of the mean.
    alpha : float
        Chance of finding a difference that is not there. Or 1 less the level of the interval.
    power : float
        Chance of finding a difference that plans are for.

    Raises
    ------
    InvalidInput
        If an argument is out of range, scores cannot be correlated so, or no number of items is enough.

    References
    ----------
    Cohen (1988), chapter 2, by the noncentral t. ``docs/methods/power.md``.

    Examples
    --------
    >>> plan_effect(0.5, sd=1, correlation=0.5).items, plan_effect(1, sd=1, unpaired=True).items
    (44, 23)
    >>> plan_effect(rates=(0.8, 0.82), correlation=0.5).items
    4046
    >>> plan_effect(half_width=0.05, rates=0.8).items
    246
    """
    effect, size = _goal(effect, half_width, rates, sd)
    check_alpha(alpha)
    check_power(power, alpha)
    alone, drawn = len(size) == 1, dict(spread or {})
    for name, sd_between in drawn.items():
        if name not in (JUDGE, PROMPT):
            raise InvalidInput(f'spread: is of "{JUDGE}" and "{PROMPT}", got {name!r}')
        rules.number("spread", sd_between, above=0)
    some = _numbers_of_judges(judges, prompts, icc, drawn)
    alike, several = 1.0 if icc is None else icc, some[-1] * prompts > 1
    both = not (unpaired or alone)
    most = _most_correlated(effect, size, alike, several, binary=rates is not None) if both else 0.0
    rho = min(alike / 2, most) if correlation is None else correlation
    if correlation is not None and not both:
        raise InvalidInput(argument("correlation") + ": is of scores on the same items; leave it out, or pair them")
    rule = f"from -1 to {most:.3g}, the most that these rates and icc allow"
    check_range("correlation", rho, rule, isinstance(rho, Real) and -1 <= rho <= most + 1e-12)
    square = sum(one**2 for one in size)
    end = None if not alone or rates is None or isinstance(rates, tuple) else float(rates)
    law = _Law(square * alike, square * (1 - alike), not (both or alone), drawn, end)

    def needed(rho: float, judges: int) -> Row:
        own = law if alone else replace(law, shared=law.shared - 2 * rho * size[0] * size[1])
        counts = {JUDGE: judges, PROMPT: prompts}
        if effect is None:
            wanted = float(half_width or 0)
            guess = _TRIED * (own.half_width(_TRIED, counts, alpha) / wanted) ** 2
            items = _fewest(lambda n: own.half_width(n, counts, alpha) <= wanted, guess)
        else:
            reach = normal_quantile(1 - alpha / 2) + normal_quantile(power)
            guess = _TRIED * (reach * own.studies(_TRIED, counts).se / effect) ** 2
            items = _fewest(lambda n: own.studies(n, counts).finds(effect, alpha) >= power, guess)
        calls = None if items is None else len(size) * items * judges * prompts
        return {"correlation": rho, "judges": judges, "prompts": prompts, "items": items, "calls": calls}

    found = [row for row in (needed(rho, count) for count in some) if row["items"] is not None]
    if not found:
        differ = [f"{sd:g} from {name} to {name}" for name, sd in drawn.items()]
        more = f"; they differ by {listed(differ)}: allow more of them" if drawn else "; no study can"
        goal = "half_width" if effect is None else "effect"
        raise InvalidInput(f"{goal}: takes more than {_MOST:,} items{more}, or state a larger one")
    best = min(found, key=lambda row: row["calls"])
    others = [needed(each, best["judges"]) for each in _CORRELATIONS if both and each <= most]
    counts = {JUDGE: best["judges"], PROMPT: prompts}
    own = law if alone else replace(law, shared=law.shared - 2 * rho * size[0] * size[1])
    return EffectPlan(
        effect=effect,
        half_width=half_width,
        power=power,
        alpha=alpha,
        systems=len(size),
        items=best["items"],
        judges=best["judges"],
        prompts=prompts,
        paired=both,
        correlation=rho,
        spread=drawn,
        chance=None if effect is None else own.studies(best["items"], counts).finds(effect, alpha),
        reached=own.half_width(best["items"], counts, alpha),
        alternatives=tuple(found[:_SHOWN] if len(found) > 1 else others),
        assumed=both and correlation is None,
    )


def _numbers_of_judges(
    judges: int | None, prompts: int, icc: float | None, drawn: Mapping[str, float]
) -> tuple[int, ...]:
    """The number of judges, or those that are compared, where these and the prompts can be planned for."""
    check_count("prompts", prompts)
    if judges is not None:
        check_count("judges", judges)
    some: tuple[int, ...] = (judges or 1,)
    if judges is None and JUDGE in drawn:
        some = tuple(n for n in _JUDGES if n >= FEWEST_DRAWN)
    for name, count in {JUDGE: some[0], PROMPT: prompts}.items():
        if name in drawn and count < FEWEST_DRAWN:
            raise InvalidInput(
                f"{name}s: fewer than {FEWEST_DRAWN} say nothing of others; give more, or leave out spread"
            )
    if icc is None and some[-1] * prompts > 1:
        raise InvalidInput(
            argument("icc") + ": with several judges or prompts the correlation of two scores of an item is needed; "
            "give " + argument("icc", 0.5)
        )
    alike = 1.0 if icc is None else icc
    rules.number("icc", alike, least=0, most=1)
    return some


def _goal(
    effect: float | None,
    half_width: float | None,
    rates: float | tuple[float, float] | None,
    sd: float | tuple[float, float] | None,
) -> tuple[float | None, tuple[float, ...]]:
    """The effect, without its sign, and standard deviations of single scores: of both systems, or of the one."""
    if (rates is None) == (sd is None):
        raise InvalidInput(
            argument("rates")
            + ": give the rates of 0/1 scores, or "
            + argument("sd")
            + " of scores; exactly one of them"
        )
    two = _numbers("sd", sd, "above 0, in score units", lambda one: 0 < one < math.inf)
    share = _numbers("rates", rates, "from 0 to 1", lambda one: 0 <= one <= 1)
    if len(share) == 2 and half_width is None:
        if effect is not None:
            raise InvalidInput("effect: is the difference of the two rates; leave it out, or give one rate")
        effect = share[1] - share[0]
    _numbers("effect", effect, "other than 0, in score units", lambda one: math.isfinite(one) and one != 0)
    _numbers("half_width", half_width, "above 0, in score units", lambda one: 0 < one < math.inf)
    if (effect is None) == (half_width is None):
        raise InvalidInput(
            "effect: give the difference to be found, or half_width, half the interval; exactly one of them"
        )
    if effect is not None and len(share) == 1:
        share = (share[0], share[0] + effect)
        rule = f"that leaves rate + effect between 0 and 1 (rate {share[0]:g})"
        check_range("effect", effect, rule, 0 <= share[1] <= 1)
    two = two if len(two) == 2 or effect is None else 2 * two
    if effect is not None and share and all(rate in (0, 1) for rate in share):
        raise InvalidInput(
            f"rates: scores of which {' or '.join(f'{rate:g}' for rate in share)} are right do not vary, and one item "
            "shows it; state rates between 0 and 1"
        )
    return effect and abs(effect), tuple(math.sqrt(rate * (1 - rate)) for rate in share) or two


def _numbers(name: str, given: Any, rule: str, allowed: Callable[[float], bool]) -> tuple[float, ...]:
    """The numbers that were given, at most two, if they keep to a rule."""
    numbers: tuple[Any, ...] = (
        () if given is None else given if isinstance(given, tuple) and len(given) == 2 else (given,)
    )
    for one in numbers:
        known = isinstance(one, Real) and not isinstance(one, bool)
        check_range(name, one, rule, known and allowed(float(one)))
    return numbers


def _most_correlated(effect: float | None, sd: tuple[float, ...], icc: float, several: bool, *, binary: bool) -> float:
    """The largest correlation of scores on an item: of 0/1 scores at least a share of the effect of items differ."""
    both = 2 * sd[0] * sd[1]
    if not both:
        return 0.0
    most, gap = icc if several else 1.0, abs(effect or 0.0)
    if binary and not several:
        most = min(most, (sd[0] ** 2 + sd[1] ** 2 - gap + gap**2) / both)
    return most if binary or several else most - 1e-6  # scores that always differ by the same need no study


def _fewest(enough: Callable[[int], bool], guess: float) -> int | None:
    """The smallest number of items from 2 on that is enough, as all larger ones then are; None where none is."""
    start = min(max(guess, 2.0), float(_MOST))
    found = int(last(lambda n: np.asarray(n < 2 or (n <= _MOST and not enough(int(n)))), start)) + 1
    return None if found > _MOST else found


@dataclass(frozen=True)
class BarPlan(Result):
    """A share against a bar: what answers so far show, and how many would.

    Parameters
    ----------
    bar : float
        Share that is to be passed.
    seen : (int, int) or None
        Right answers, and all of them.
    low, high : float or None
        Exact interval (Clopper and Pearson) of the share; None without answers.
    p_value : float or None
        Exact one-sided p-value of the share being on the other side of the bar.
    rate : float
        Share that the plan takes for true.
    needed : int or None
        Answers that show it with the chance ``power``; None where the share is the bar, or none are enough.
    alpha, power : float
        Level of the interval, 1 less alpha, which the test goes with; and the chance wanted.
    """

    bar: float
    seen: tuple[int, int] | None
    low: float | None
    high: float | None
    p_value: float | None
    rate: float
    needed: int | None
    alpha: float
    power: float

    entries = "* shown sentence"

    @property
    def shown(self) -> bool:
        """Whether the answers show on which side of the bar the share is."""
        return self.p_value is not None and self.p_value <= self.alpha / 2

    @property
    def exit_code(self) -> int:
        """2 where answers were seen that do not show it, else 0."""
        return 0 if self.seen is None or self.shown else 2

    @property
    def sentence(self) -> str:
        """The share against the bar in one line."""
        side = "above" if self.rate > self.bar else "below"
        needs = "no number of answers tells a share from itself"
        if self.needed is not None:
            rate = f"a rate of {self.rate:.3g} is shown to be {side} {self.bar:g}"
            needs = f"{rate} by {self.needed:,} answers (chance {self.power:g})"
        if self.seen is None or self.low is None or self.high is None:
            return f"{capitalised(needs)}."
        wins, n = self.seen
        found = f"{wins} of {n} is {wins / n:.1%} ({1 - self.alpha:.0%} interval {self.low:.1%} to {self.high:.1%})"
        if self.shown:
            return f"{found}: {side} {self.bar:.4g} (one-sided p {self.p_value:.2g})."
        return f"{found}: not shown to be {side} {self.bar:.4g} (one-sided p {self.p_value:.2g}). {capitalised(needs)}."


def plan_bar(
    bar: float,
    *,
    seen: tuple[int, int] | None = None,
    rate: float | None = None,
    alpha: float = 0.05,
    power: float = 0.9,
) -> BarPlan:
    """Whether a share of right answers is shown to be above a bar, or below, and how many answers would show it.

    The test is the exact binomial one, one-sided at half of ``alpha``: it shows what the interval shows.

    Parameters
    ----------
    bar : float
        Share to be passed, between 0 and 1.
    seen : (int, int), optional
        Right answers and all of them, one for each item.
    rate : float, optional
        Share that is taken for true; by default that seen. One of ``seen`` and ``rate`` is needed.
    alpha, power : float
        1 less the level of the interval, and chance wanted of showing it.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> print(plan_bar(0.9, seen=(47, 50)).sentence)
    47 of 50 is 94.0% (95% interval 83.5% to 98.7%): not shown to be above 0.9 (one-sided p 0.25). \
A rate of 0.94 is shown to be above 0.9 by 526 answers (chance 0.9).
    """
    rules.number("bar", bar, above=0, below=1)
    check_alpha(alpha)
    check_power(power, alpha)
    if seen is None and rate is None:
        raise InvalidInput(argument("seen") + ": give the answers seen, such as 47 of 50, or the " + argument("rate"))
    if seen is not None and not 0 <= seen[0] <= max(seen[1], 1) <= seen[1]:
        raise InvalidInput(f"seen: right answers of all of them, such as 47 of 50; got {seen[0]} of {seen[1]}")
    true = rate if rate is not None else seen[0] / seen[1] if seen is not None else bar
    rules.number("rate", true, least=0, most=1)
    low = high = p = None
    if seen is not None:
        wins, n = seen
        low, high = map(float, clopper_pearson(wins, n, 1 - alpha))
        p = float(lower_tail(n - wins, n, 1 - bar) if true >= bar else lower_tail(wins, n, bar))
    return BarPlan(bar, seen, low, high, p, float(true), _answers(true, bar, alpha / 2, power), alpha, power)


def _answers(rate: float, bar: float, alpha: float, power: float) -> int | None:
    """Answers from which on the exact test keeps its power; None where no number has it."""
    if rate == bar:
        return None
    if rate < bar:
        rate, bar = 1 - rate, 1 - bar  # below a bar is above it in what is wrong
    z, w = -normal_quantile(alpha), normal_quantile(power)
    about = ((z * math.sqrt(bar * (1 - bar)) + w * math.sqrt(rate * (1 - rate))) / (rate - bar)) ** 2
    if about > _MOST_EXACT:
        return math.ceil(about)
    n = np.arange(1.0, math.ceil(2 * about + 10 * math.log(alpha) / math.log(bar)) + 50)
    guess = np.maximum(n * (1 - bar) - z * np.sqrt(n * bar * (1 - bar)), -1.0)
    most_wrong = last(lambda wrong: lower_tail(wrong, n, 1 - bar) <= alpha, guess)
    short = np.flatnonzero(lower_tail(most_wrong, n, 1 - rate) < power)
    return int(n[short[-1]]) + 1 if len(short) else 1


def plan_study(
    effect: float,
    pilot: Judgments,
    a: str | None = None,
    b: str | None = None,
    *,
    targets: Mapping[str, Target] | None = None,
    prices: Prices | None = None,
    alpha: float = 0.05,
    power: float = 0.9,
) -> ScoreStep:
    """The cheapest study that finds a difference of this size, by the components of a pilot's scores.

    Parameters
    ----------
    effect : float
        Difference to be found, in score units.
    pilot : Judgments
        Scores of both systems.
    a, b : str, optional
        The two systems; not needed where the pilot has two.
    targets, prices
        As for `quorate.compare`.
    alpha, power : float
        Level of the two-sided test, and chance wanted.

    Raises
    ------
    InvalidInput
        If the systems are not told, or an argument is out of range.
    NotEstimable
        If no study around the pilot would find it.

    Examples
    --------
    >>> import polars, quorate as q
    >>> pilot = q.read(polars.DataFrame(q.simulate.panel_table()), announce=False)
    >>> plan_study(0.1, pilot, "GPT", "Llama").sentence
    'A new study of 1,683 items, 5 judges and 2 generations ... if the difference is 0.1.'
    """
    _goal(effect, None, None, 1.0)
    check_alpha(alpha)
    check_power(power, alpha)
    if a is None or b is None:
        names = pilot.facet("system").levels if "system" in pilot.names else ()
        if len(names) != 2 or (a, b) != (None, None):
            few = "; it names fewer, and a plan without systems takes sd and no pilot"
            some = f", such as {names[0]} and {names[1]}" if len(names) > 1 else few
            raise InvalidInput("a, b: name the two systems of the pilot" + some)
        a, b = names
    found = difference(pilot, a, b, targets=targets)
    step = score_step(found, margin=None, alpha=alpha, power=power, prices=prices, effect=abs(effect))
    if step is None:
        raise NotEstimable(
            f"effect: no study of up to a hundred times the pilot's items would find {effect:g}; state a larger effect"
        )
    return step
