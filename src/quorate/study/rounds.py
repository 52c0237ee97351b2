"""Rounds of an adaptive study: what to ask next follows from the answers so far, until a target or the budget."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.collect.budget import NANO, Spend, nano
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Ended, RunOutcome
from quorate.errors import InvalidInput, QuorateError
from quorate.frozen import dataclass
from quorate.numerics.sequential.bandit import floored
from quorate.planning.adaptive import adaptive
from quorate.planning.arms import Arms, arms_of, standing
from quorate.planning.policy import SLACK, Policy
from quorate.study.battles import Collect, Turn, in_turns
from quorate.study.file import Adaptive, Cap, Study
from quorate.study.goal import ReplaySettings
from quorate.study.judges import replayed
from quorate.study.questions import CATEGORY, ITEM, JUDGE, PROMPT, SYSTEM, Questions, questions
from quorate.study.quote import quote, worst
from quorate.table.cells import Cells
from quorate.table.columns.labels import label
from quorate.table.progress import Progress, Roster, crossed
from quorate.table.read_scores import read_scores

# Policy of an adaptive study: made from its settings, its items and what its judges cost.


_WORDS = {"policy: ": "name: ", "delta=": "delta: "}
_FEWEST = 2


def policy_of(asked: Questions, usual: Mapping[str, float] | None = None) -> Policy:
    """The policy of an adaptive study; every combination of its facets is an arm, or every one but those of a cycle.

    Its own budget has no end: what is left is for the ledger to say, where repeats and failures count.

    Parameters
    ----------
    asked : Questions
        Of the study.
    usual : mapping of str to float, optional
        Price of a call that goes well, by judge, where money is capped; see `expected`.

    Raises
    ------
    InvalidInput
        If the study is not adaptive, settings do not go together, or the budget is too small for the first round.
    """
    settings = asked.study.adaptive
    if settings is None:
        raise InvalidInput("adaptive: the study has a layout; give adaptive instead")
    try:
        roster = roster_of(asked)
        _check_facets(settings, roster)
        group = arms_of(roster, cycle=settings.cycle, between=settings.between)
        first, *_ = [_made(asked, settings, group, *budget) for budget in _budgets(asked, settings, usual or {})]
    except InvalidInput as error:
        reason = str(error)
        for old, new in _WORDS.items():
            reason = reason.replace(old, new)
        raise InvalidInput(f"adaptive: {reason}") from None
    return replace(first, budget=math.inf, most=_recorded(asked, roster))


def _recorded(asked: Questions, roster: Roster) -> Ints | None:
    """Answers that there are to every cell, where a judge gives recorded ones again; None where no judge does."""
    replays = {
        name: replayed(asked.study, name, settings)
        for name, settings in asked.study.judges.items()
        if isinstance(settings, ReplaySettings)
    }
    if not replays:
        return None
    most = np.full(len(roster), np.iinfo(np.int64).max // 2)
    columns = {name: np.array(labels, dtype=object)[roster.column(name)] for name, labels in roster.levels.items()}
    for at, judge in enumerate(columns[JUDGE]):
        if judge in replays:
            most[at] = replays[judge].recorded({name: column[at] for name, column in columns.items()})
    return most


def roster_of(asked: Questions) -> Roster:
    """The cells that an adaptive study may ask: all combinations, items in their category where they have one."""
    names = asked.items.names
    facets: dict[str, Iterable[object]] = {ITEM: names, PROMPT: asked.prompts, JUDGE: asked.judges, **asked.levels}
    base = crossed(facets)
    if not asked.items.categories:
        return base
    group = [asked.items.categories[name] for name in names]
    distinct, code = np.unique(np.array(group, dtype=object).astype(str), return_inverse=True)
    levels = {ITEM: base.levels[ITEM], CATEGORY: tuple(distinct.tolist())}
    codes = np.insert(base.codes, 1, code[base.codes[:, 0]], axis=1)
    return Roster({**levels, **base.levels}, codes.astype(np.int32), {ITEM: CATEGORY})


def _made(
    asked: Questions, settings: Adaptive, group: Arms, cap: str, budget: float, prices: Mapping[str, float] | None
) -> Policy:
    scales = [prompt.expects for prompt in asked.prompts.values()]
    continuous = any(each.expected or not each.points for each in scales)
    scale = None if continuous else sorted({point for each in scales for point in each.points})
    weights, given, roster = None, settings.weights, group.roster
    if given is not None:
        each = _weights_by_column(asked, given, roster) if isinstance(given, str) else _weights_by_label(given, roster)
        by_arm = each[group.cells]
        if (by_arm != by_arm[:, :1]).any():
            differ = "differ within a cycle, which is one arm; give weights of what is not its facet"
            raise InvalidInput(f"weights: {differ}")
        weights = by_arm[:, 0]
    try:
        return adaptive(
            settings.name,
            arms=Progress.start(group.roster),
            budget=budget,
            scale=scale,
            bounds=(asked.scale.low, asked.scale.high) if scale is None else None,
            floor=scale is not None,
            variances=_earlier_variances(asked, settings, group, scale),
            weights=weights,
            prices=None if prices is None else {JUDGE: prices},
            seed=asked.study.seed,
            **settings.model_dump(exclude={"name", "batch", "weights", "variances"}),
        )
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("budget=", f"{cap}: ")) from None


def _budgets(
    asked: Questions, settings: Adaptive, usual: Mapping[str, float]
) -> Iterator[tuple[str, float, Mapping[str, float] | None]]:
    """Every cap, by its name in the study, with the prices that it is in; the one that counts for the policy first."""
    cap = asked.study.budget
    if cap.money is not None:
        free = [name for name in asked.judges if not usual.get(name)]
        if not free:
            yield "budget.money", cap.money, usual
        elif cap.calls is None:
            raise InvalidInput(
                f"budget: {free[0]} costs nothing, so that money alone has no end; give budget.calls too"
            )
        elif settings.objective == "average":
            raise InvalidInput(
                f"objective: average goes by error per price, and {free[0]} costs nothing; cap calls alone, or give "
                "every judge a price"
            )
    if cap.calls is not None:
        yield "budget.calls", cap.calls, None


def expected(asked: Questions) -> dict[str, float]:
    """Price of a call that goes well, by judge, where money is capped.

    Raises
    ------
    InvalidInput
        If a price is not known.
    """
    worst(asked)
    quoted = quote(asked, dict.fromkeys(asked.judges, 1)).judges
    return {part.judge: part.money.expected for part in quoted if part.money.expected is not None}


def _check_facets(settings: Adaptive, roster: Roster) -> None:
    for argument in ("cycle", "between"):
        name = getattr(settings, argument)
        if name is not None and name not in roster.levels:
            known = ", ".join(other for other in roster.levels if other not in (ITEM, CATEGORY))
            raise InvalidInput(f"{argument}: the study has no facet {name}; it has {known}")


def _weights_by_column(asked: Questions, column: str, roster: Roster) -> Floats:
    """Weight of every cell: what a column of the items says."""
    systems = roster.levels.get(SYSTEM, ("",))
    weights = {}
    for name, fields in asked.items.fields.items():
        value: Any = fields.get(column)
        weight = math.nan
        with contextlib.suppress(TypeError, ValueError):
            weight = math.nan if isinstance(value, bool) else float(value)
        weights[tuple(map(label, name))] = weight
        if not 0 < weight < math.inf:
            raise InvalidInput(
                f'weights: "{name[0]}" has no number above 0 in the column "{column}" of {asked.study.items.file}'
            )
    table = np.array([[weights[item, system] for system in systems] for item in roster.levels[ITEM]])
    return np.asarray(table[roster.column(ITEM), roster.column(SYSTEM) if SYSTEM in roster.levels else 0])


def _weights_by_label(given: Mapping[str, Mapping[str, float]], roster: Roster) -> Floats:
    """Product of the weights of every cell's labels; what is not named weighs 1."""
    each = np.ones(len(roster))
    for facet, by in given.items():
        if facet not in roster.levels:
            raise InvalidInput(f"weights: the study has no facet {facet}; it has {', '.join(roster.levels)}")
        strange = [name for name in by if name not in roster.levels[facet]]
        if strange:
            raise InvalidInput(f'weights: {facet} has no "{strange[0]}"; name its labels as the study does')
        each *= np.array([by.get(name, 1.0) for name in roster.levels[facet]])[roster.column(facet)]
    return each


def _earlier_variances(asked: Questions, settings: Adaptive, group: Arms, scale: list[float] | None) -> Floats | None:
    """Variance of every arm in a table of earlier answers, shape (arms,); none below what equal answers leave open."""
    if settings.variances is None:
        return None
    path = asked.study.folder / settings.variances
    try:
        progress = Progress.of(read_scores(path, recognise=True, announce=False), arms=group.roster)
    except QuorateError as error:
        raise InvalidInput(f"variances: {path} does not hold answers to the same questions ({error})") from None
    step = None if scale is None else float(np.diff(scale).min())
    now = standing(group, progress, np.array([step or 1.0]), settings.give_up)
    n, variance = now.n, now.variance[:, 0]
    few = n < _FEWEST
    if few.any():
        name = group.names[int(few.argmax())]
        raise InvalidInput(f'variances: "{name}" has fewer than {_FEWEST} answers in {path}; ask again, or robin-hood')
    unbiased = floored(variance * n / (n - 1.0), n.astype(float), None if step is None else step / group.parts)
    if not unbiased.all():
        name = group.names[int((unbiased == 0).argmax())]
        raise InvalidInput(f'variances: answers to "{name}" in {path} are all equal, which says little; use robin-hood')
    return np.asarray(unbiased)


FAILING = 0.02
"""Share of a budget that may be spent on an arm before it is seen to fail, if that is not too little to see it."""


class Why(Enum):
    """Why a policy asks nothing more, or that it goes on; the values are words for machines."""

    ON = "goes on"
    POLICY = "policy"
    BUDGET = "budget"


class Standing(NamedTuple):
    """How far the arms have come, up to which cell, and what was spent."""

    progress: Progress
    last: int
    spend: Spend

    def holds(self, ledger: Ledger) -> bool:
        """Whether nobody has planned more."""
        return ledger.last == self.last


@dataclass(frozen=True, eq=False)
class Rounds:
    """The rounds of an adaptive study: each follows from the ledger alone, so that any run goes on where one ended.

    Parameters
    ----------
    asked : Questions
        Of the study.
    """

    asked: Questions

    @property
    def cap(self) -> Cap:
        """The most that may be spent."""
        return self.asked.study.budget

    @cached_property
    def usual(self) -> dict[str, float]:
        """Price of a call that goes well, by judge, where money is capped."""
        return {} if self.cap.money is None else expected(self.asked)

    @cached_property
    def policy(self) -> Policy:
        """The policy, without a budget of its own; refused where it cannot be made, as for too small a budget."""
        return policy_of(self.asked, self.usual)

    @property
    def batch(self) -> int:
        """Calls per round."""
        return 1 if self.asked.study.adaptive is None else self.asked.study.adaptive.batch

    def read(self, ledger: Ledger, before: Standing | None) -> Standing:
        """How far the arms have come since the round before."""
        start, after = (self.policy.start(), 0) if before is None else (before.progress, before.last)
        return Standing(ledger.progress(start, after=after), ledger.last, ledger.spend())

    def next(self, _: Ledger, stand: Standing) -> Turn:
        """The next round."""
        cells, why = self.cells(stand.progress, stand.spend)
        return Turn(cells, over=why is not Why.ON)

    def cells(self, progress: Progress, spend: Spend) -> tuple[Cells, Why]:
        """The cells of the next round, as many as can be paid at the worst; or none, and why."""
        room = self.batch if self.cap.calls is None else max(self.cap.calls - spend.calls - spend.reserved, 0)
        paying = self.policy
        if self.cap.money is not None:  # with what is left of it, at worst-case prices in billionths: whole numbers
            roster = self.policy.arms.roster
            prices = worst(self.asked)
            by_judge = np.array([nano(prices[name]) or 0 for name in roster.levels[JUDGE]], dtype=np.float64)
            price = by_judge[roster.column(JUDGE)]
            left = max((nano(self.cap.money) or 0) - round((spend.money + spend.reserved_money) * NANO), 0)
            paid = float((price * progress.calls).sum())
            paying = replace(self.policy, price=price, budget=(paid + left + 0.25) / (1 + SLACK))
        cells = paying.next_cells(progress, max(min(self.batch, room), 1))
        cells = cells.keep(self._risked(cells, progress))
        if len(cells) and (self.cap.calls is None or len(cells) <= room):
            return cells, Why.ON
        none = cells.keep(np.zeros(len(cells), dtype=bool))  # what has room is a part of a cycle, which is not asked
        return none, Why.BUDGET if len(self.policy.next_cells(progress)) else Why.POLICY

    def _risked(self, cells: Cells, progress: Progress) -> NDArray[np.bool_]:
        """Which calls of a round are made: on no arm so many that they are missed if from now on all of them fail."""
        arms = self.policy.arms
        # Calls that the budget has room for in all, at prices of calls that go well.
        calls, dearest = math.inf if self.cap.calls is None else self.cap.calls, max(self.usual.values(), default=0.0)
        if self.cap.money is not None and dearest:
            calls = min(calls, self.cap.money / dearest)
        share = calls * FAILING / (self.asked.study.tries * arms.parts)
        row = progress.in_a_row[arms.cells].max(axis=1)
        most = np.empty(len(arms.roster))
        most[arms.cells] = np.maximum(max(self.policy.give_up, share) - row, 1)[:, None]
        rows = arms.roster.find(cells.levels, cells.codes)
        return np.asarray(cells.replicate - progress.issued[rows] <= most[rows])

    def sentence(self, progress: Progress, spend: Spend, why: Why) -> str:
        """What the policy has reached, in a sentence, and what ended it."""
        calls, money = f"{spend.calls:,}", f"{spend.money:,.4f}"
        of = calls if self.cap.calls is None else f"{calls} of {self.cap.calls:,}"
        paid = "" if self.cap.money is None else f" for {money} of {self.cap.money:,.4f} in money"
        reached = self.policy.sentence(progress, spent=f"{of} calls{paid}", done=why is not Why.ON)
        return reached + "; the budget has no room for more" if why is Why.BUDGET else reached


def so_far(ledger: Ledger, policy: Policy) -> Progress:
    """How far the arms have come, by the ledger.

    Raises
    ------
    InvalidInput
        If cells of the ledger are no arms of the policy.
    """
    try:
        return ledger.progress(policy.start())
    except InvalidInput as error:
        raise InvalidInput(
            f"ledger: {ledger.path} does not fit the study's items, prompts, judges and temperatures ({error}); "
            "start a new ledger for the changed study"
        ) from None


def stand(ledger: Ledger, rounds: Rounds) -> tuple[str, Why]:
    """What the policy has reached by now, in a sentence, and why it ended, if it did."""
    progress, spend = so_far(ledger, rounds.policy), ledger.spend()
    why = Why.ON if progress.pending.any() else rounds.cells(progress, spend)[1]
    return rounds.sentence(progress, spend, why), why


def reached(ledger: Ledger, study: Study) -> tuple[str, bool]:
    """What an adaptive study has reached by now, in a sentence, and whether that is all that it was to reach."""
    try:
        rounds = Rounds(questions(study))
        sentence, why = stand(ledger, rounds)
    except QuorateError as error:
        return f"what it has reached is not known ({error})", False
    return sentence, why is Why.POLICY or (why is Why.BUDGET and not rounds.policy.precision.stops)


async def in_rounds(ledger: Ledger, asked: Questions, collect: Collect) -> tuple[RunOutcome, str]:
    """Ask in rounds until the policy is done, the budget spent, or a judge does not answer; see `in_turns`.

    Returns
    -------
    RunOutcome
        Of all rounds together.
    str
        What the policy has reached, in a sentence.
    """
    rounds = Rounds(asked)
    so_far(ledger, rounds.policy)
    total = await in_turns(ledger, rounds, asked, collect)
    sentence, why = stand(ledger, rounds)
    if total.complete and why is Why.BUDGET and rounds.policy.precision.stops:
        total = replace(total, ended=Ended.BUDGET)
    return total, sentence


def shares(ledger: Ledger | None, asked: Questions) -> dict[str, int]:
    """Cells that may still be asked, as if judges shared them equally: who gets how many is not known beforehand."""
    rounds = Rounds(asked)
    spend, waiting = (Spend(), 0) if ledger is None else (ledger.spend(), sum(ledger.unfinished().values()))
    if ledger is not None and not waiting and stand(ledger, rounds)[1] is not Why.ON:
        return {}
    room = [] if rounds.cap.calls is None else [rounds.cap.calls - spend.calls]
    if rounds.cap.money is not None and (total := sum(rounds.usual.values())):
        room.append(int((rounds.cap.money - spend.money) * len(rounds.usual) / total))
    left, judges = max(min(room), waiting), len(asked.judges)
    return {name: left // judges + (place < left % judges) for place, name in enumerate(asked.judges)}
