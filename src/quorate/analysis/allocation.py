"""What the report of adaptive allocation is made from: one replay, or one for every level of a facet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any

import numpy as np

from quorate import caveats
from quorate.analysis.words import number, shown
from quorate.arguments import argument
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable, QuorateError, UnknownColumn
from quorate.estimate.doctor.support import doctor
from quorate.estimate.votes.clustered import Cluster
from quorate.frozen import dataclass
from quorate.numerics.sequential.bandit import Variant, affordable, constants
from quorate.simulate.allocation.allocation import simulate_allocation
from quorate.simulate.allocation.arms import arms_of
from quorate.simulate.allocation.cycles import CycleComparison, Sweep, compare_cycles, sweep_allocation
from quorate.simulate.allocation.result import LEAST_RUNS, ROBIN, ROBIN_HOOD, UNIFORM, Allocation, Saved, share_text
from quorate.simulate.two_stage import AllocationStudy, replay_range, replay_two_stage
from quorate.simulate.verdicts import VerdictRates, replay_verdicts
from quorate.table.judgments import Judgments, checked
from quorate.table.notes import not_used
from quorate.table.progress import item_values
from quorate.table.results import picked, plain
from quorate.table.votes import Votes
from quorate.wording import Brief, counted, listed

DELTA = 0.007
"""The usual chance of failure."""
DELTAS = (0.0007, DELTA, 0.07, 0.3)
"""Chances of failure that a sweep compares, as far as the budget holds their warm-ups."""
MOST_LEVELS = 20
UNDECIDED = 2


@dataclass(frozen=True, eq=False)
class LevelReplay:
    """One replay, with what belongs to it.

    Parameters
    ----------
    level : str
        Level of the facet that the studies are apart by; empty for a single one.
    allocation : Allocation
        The replay.
    answers : tuple of int
        Fewest and most answers of an arm that are drawn from, of every judge in a cycle; empty where not known.
    facets : tuple of str
        What tells arms apart.
    sweep : Sweep or None
        The same with other constants.
    cycles : CycleComparison or None
        Whole cycles of the panel against single judges.
    """

    level: str
    allocation: Allocation
    answers: tuple[int, ...] = ()
    facets: tuple[str, ...] = ()
    sweep: Sweep | None = None
    cycles: CycleComparison | None = None

    @property
    def saved(self) -> Saved:
        """Part of the budget that ROBIN-HOOD saves."""
        return self.allocation.saved()

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on it; the cycles are of the same arms."""
        return self.allocation.caveats

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        sweep = None if self.sweep is None else {"sentence": self.sweep.sentence, **self.sweep.table}
        cycles = None if self.cycles is None else {"sentence": self.cycles.sentence, "rows": self.cycles.rows}
        own = {"level": self.level, "answers": self.answers, "arm": self.facets, "sweep": sweep, "cycles": cycles}
        found: dict[str, Any] = plain({**own, **self.allocation.to_dict()})
        return found


@dataclass(frozen=True, eq=False)
class AllocationAnalysis:
    """All results that the report of adaptive allocation shows.

    Parameters
    ----------
    studies : tuple of LevelReplay
        One, or one for every level.
    by : str or None
        Facet of these levels.
    reasons : mapping of str to str
        Why levels have none.
    judgments : Judgments or None
        What was replayed; None for an array.
    human : str or None
        Column of the human scores.
    caveats : tuple of Caveat
        About the judgments.
    """

    studies: tuple[LevelReplay, ...]
    by: str | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    judgments: Judgments | None = None
    human: str | None = None
    caveats: tuple[Caveat, ...] = ()

    @property
    def sure(self) -> tuple[LevelReplay, ...]:
        """Studies in which the whole interval of what ROBIN-HOOD saves is above 0."""
        return tuple(study for study in self.studies if study.saved.low > 0)

    @property
    def with_intervals(self) -> bool:
        """Whether there are runs enough for intervals of the budget saved."""
        return self.studies[0].allocation.runs >= LEAST_RUNS

    @property
    def exit_code(self) -> int:
        """0 if ROBIN-HOOD surely saves calls in every study, else 2."""
        return 0 if len(self.sure) == len(self.studies) and not self.reasons else UNDECIDED

    @property
    def sentence(self) -> str:
        """What was found, in one line."""
        if len(self.studies) == 1:
            study = self.studies[0]
            return f"{f'{shown(study.level)}: ' if study.level else ''}{study.allocation.sentence}"
        sure = f"fewer than {LEAST_RUNS} runs: no interval"
        if self.with_intervals:
            sure = f"the 95% interval is above 0 for {len(self.sure)} of {len(self.studies)}"
        ordered = sorted(self.studies, key=lambda study: study.saved.value)
        ends = [f"{share_text(one.saved.value)} ({shown(one.level)})" for one in (ordered[0], ordered[-1])]
        return (
            f"By {shown(str(self.by))}, ROBIN-HOOD saves {ends[0]} to {ends[1]} of "
            f"{self.studies[0].allocation.budget:,} calls each, at the largest error of uniform allocation; {sure}."
        )

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to know before relying on it, each once, with the levels that it is about where these are not all."""
        about: dict[str, list[str]] = {}
        for study in self.studies:
            for caveat in study.caveats:
                about.setdefault(caveat.sentence, []).append(shown(study.level, 40))
        every = len(self.studies)
        own = (
            sentence if len(levels) == every else f"{', '.join(levels)}: {sentence}"
            for sentence, levels in about.items()
        )
        return (*(caveat.sentence for caveat in self.caveats), *own)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known or not finite is None."""
        own = {"sentence": self.sentence, "by": self.by, "human": self.human, "not_estimable": self.reasons}
        found: dict[str, Any] = plain({**own, "caveats": self.caveats})
        return {**found, "studies": [study.to_dict() for study in self.studies]}


def allocation_view(
    judgments: Judgments,
    budget: int,
    *,
    by: str | None = None,
    only: Mapping[str, str] | None = None,
    human: str | None = None,
    cycle: str | None = None,
    sweep: bool = False,
    delta: float = DELTA,
    variant: Variant = "experiment",
    runs: int = 50,
    seed: int = 1,
    floor: bool = True,
    scale: Iterable[float] | None = None,
) -> AllocationAnalysis:
    """Everything that the report of adaptive allocation shows.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, with replicates.
    budget : int
        Judge calls in all, for every level.
    by : str, optional
        Facet, such as a dimension that is scored, of which every level is a study of its own.
    only : mapping of str to str, optional
        Level of each of these facets that is looked at; the others are left out.
    human : str, optional
        Column of the source with the human score of every item, to correlate the means with.
    cycle : str, optional
        Facet, such as ``judge``, of which a pull asks every level once; it is compared with single levels.
    sweep : bool
        Whether to replay with other constants too.
    delta, variant, runs, seed, floor, scale
        As for `quorate.scores.simulate_allocation`.

    Raises
    ------
    InvalidInput
        If an option breaks its rule, or the budget is too small in every study.
    InvalidData
        If an item has several human scores.
    NotEstimable
        If there is nothing to allocate in any study.
    UnknownTerm
        If there is no such facet or level.
    """
    kept = checked(judgments)
    for name, level in (only or {}).items():
        kept = kept.only(name, level)
    options = {"cycle": cycle, "runs": runs, "seed": seed}
    possible = list(scale) if isinstance(scale, Iterable) else scale
    own = {"delta": delta, "variant": variant, "floor": floor, "scale": possible}
    studies, reasons, first = [], {}, None
    for level, part in _levels(kept, by, cycle):
        try:
            studies.append(_study(level, part, budget, human, options, own, sweep=sweep))
        except QuorateError as error:
            if by is None:
                raise
            first, reasons[level] = first or error, str(error)
    if first is not None and not studies:
        raise first
    wrong = [Caveat(one.code, one.sentence) for one in doctor(kept).errors]
    unused = not_used(kept.notes)
    if kept.replicate is None and unused:
        wrong.append(caveats.unnamed_replicates(unused))
    return AllocationAnalysis(tuple(studies), by, reasons, kept, human, tuple(wrong))


def view_of(allocation: Allocation) -> AllocationAnalysis:
    """A replay that was made already, as its report shows it."""
    return AllocationAnalysis((LevelReplay("", allocation),))


def _levels(judgments: Judgments, by: str | None, cycle: str | None) -> Iterator[tuple[str, Judgments]]:
    if by is None:
        yield "", judgments
        return
    levels = judgments.facet(by).levels
    if by in (judgments.object, cycle):
        raise InvalidInput(f'by: a facet that is neither measured nor cycled through, got "{by}"')
    if len(levels) > MOST_LEVELS:
        raise InvalidInput(f'by: at most {MOST_LEVELS} levels, "{by}" has {len(levels):,}; look at one with only')
    yield from ((level, judgments.only(by, level)) for level in levels)


def _study(
    level: str,
    judgments: Judgments,
    budget: int,
    human: str | None,
    options: Mapping[str, Any],
    own: Mapping[str, Any],
    *,
    sweep: bool,
) -> LevelReplay:
    scores = None
    if human is not None:
        try:
            scores = item_values(judgments, human)
        except UnknownColumn as error:
            raise UnknownColumn("human", error.column, error.columns) from None
        if not scores:
            raise NotEstimable(f'human: no {judgments.object} has a value in column "{human}"; name another')
    found = simulate_allocation(judgments, budget, human=scores, **options, **own)
    sizes = arms_of(judgments, options["cycle"]).pools.sizes
    same = (judgments.object, options["cycle"], *judgments.ancestors(judgments.object))
    varying = (name for name in judgments.names if name not in same and judgments.n_levels(name) > 1)
    return LevelReplay(
        level,
        found,
        (int(sizes.min()), int(sizes.max())),
        (judgments.object, *varying),
        _swept(judgments, found, options, own) if sweep else None,
        compare_cycles(judgments, budget, **options, **own) if options["cycle"] and options["runs"] > 1 else None,
    )


def _swept(judgments: Judgments, found: Allocation, options: Mapping[str, Any], own: Mapping[str, Any]) -> Sweep | None:
    """Other constants, as far as the budget holds their warm-ups; None if it holds none."""
    arms, pulls = len(found.labels), found.budget // found.calls_per_pull
    deltas = []
    for delta in sorted({*DELTAS, own["delta"]}):
        with suppress(InvalidInput):
            affordable("experiment", arms, pulls, delta)
            deltas.append(delta)
    if not deltas:
        return None
    usual, least = (constants("experiment", arms, pulls, delta).warmup for delta in (DELTA, deltas[-1]))
    warmups = (usual,) if least < usual <= pulls // arms else ()
    kept = {"floors": (own["floor"],), "scale": own["scale"]}
    return sweep_allocation(judgments, found.budget, deltas=deltas, warmups=warmups, **kept, **options)


# Errors, savings and arms as a reader of a replay expects them.


SHORT = {UNIFORM: "uniform", ROBIN_HOOD: "ROBIN-HOOD", ROBIN: "ROBIN"}
"""Policies in the order in which they are listed."""
COEFFICIENTS = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}


def final_error(allocation: Allocation, policy: str) -> tuple[float, float]:
    """Mean and standard deviation over runs of the largest error of any arm at the end; nan for one run."""
    errors = allocation.outcomes[policy].errors[:, -1]
    return float(errors.mean()), float(np.std(errors, ddof=1)) if len(errors) > 1 else math.nan


def with_interval(saved: Saved) -> str:
    """A part of the budget with its interval.

    Examples
    --------
    >>> from quorate.simulate.allocation.result import Saved
    >>> with_interval(Saved("robin", "uniform", 0.304, 0.24, 0.35))
    '30% (24% to 35%)'
    >>> with_interval(Saved("robin", "uniform", 0.304, float("nan"), float("nan")))
    '30%'
    """
    return f"{share_text(saved.value)}{between(saved)}"


def between(saved: Saved) -> str:
    """The interval in brackets; nothing where runs are too few for one."""
    return f" ({saved.interval})" if saved.interval else ""


def arms_text(study: LevelReplay) -> str:
    """What an arm is, how many there are, and how many answers each is drawn from.

    Examples
    --------
    >>> import numpy as np
    >>> from quorate.analysis.allocation import view_of
    >>> from quorate.simulate.allocation.allocation import simulate_allocation
    >>> found = simulate_allocation(np.tile([1.0, 2.0, 3.0], (5, 1)), 200, runs=2)
    >>> arms_text(view_of(found).studies[0])
    '5 arms; 2 runs of 200 calls.'
    """
    found = study.allocation
    count = counted(len(found.labels), "arm")
    runs = f"{counted(found.runs, 'run')} of {found.budget:,} calls"
    if not study.facets:
        return f"{count}; {runs}."
    names = [shown(name, 30) for name in study.facets]
    what = f"one {names[0]}" if len(names) == 1 else f"a combination of {' x '.join(names)}"
    least, most = min(study.answers), max(study.answers)
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    cycle = f" from every {shown(study.cycles.facet, 30)}" if study.cycles is not None else ""
    calls = f"; a pull asks {found.calls_per_pull} in turn" if found.calls_per_pull > 1 else ""
    return f"An arm is {what}: {count}, {each} answers each{cycle}{calls}; {runs}."


def settled(value: float) -> str:
    """A correlation, with three decimals."""
    return number(value, 3)


# Replays: what smaller studies of the votes at hand would have found, of all pairs of systems or of two.


@dataclass(frozen=True)
class VerdictReplay(Brief):
    """How often verdicts of smaller studies are wrong, over all pairs of systems.

    Parameters
    ----------
    rates : tuple of VerdictRates
        By size of the study, taken as independent and clustered.
    margin : float
        Margin of equivalence.
    level : float
        Coverage of the intervals that verdicts are by.
    notes : tuple of str
        How votes were drawn, and which sizes were left out.
    """

    rates: tuple[VerdictRates, ...]
    margin: float
    level: float
    notes: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row per size and way of taking the votes."""
        return [{**vars(one), "wrong": one.wrong} for one in self.rates]


@dataclass(frozen=True)
class PairReplay(Brief):
    """How often ways to spend votes over types of prompts find the difference between two systems.

    Parameters
    ----------
    study : AllocationStudy
    notes : tuple of str
        What of the screening is unusual, and which sizes were left out.
    """

    study: AllocationStudy
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        names = "budgets power jaccard captured expected_captured studies spent"
        found: dict[str, Any] = plain(picked(self.study, names))
        return found


def replay_pairs(
    votes: Votes,
    budgets: Sequence[int] = (50, 200, 500),
    *,
    margin: float = 0.05,
    level: float = 0.95,
    cluster: Cluster | None = None,
    minimum: int = 200,
) -> VerdictReplay:
    """How often verdicts of smaller studies would be wrong, each size over the pairs that have as many votes.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    budgets : sequence of int
        Decisive votes of a study; those beyond every pair are left out.
    margin : float
        Margin of equivalence.
    level : float
        Coverage of the intervals that verdicts are by.
    cluster : str, optional
        Facet whose votes are drawn together; the prompt, if there is one, unless it is said; ``()`` for none.
    minimum : int
        Decisive votes that a pair must have.

    Raises
    ------
    InvalidInput
        If every size is left out, or an argument is out of range.
    """
    notes: list[str] = []
    facets = (cluster,) if isinstance(cluster, str) else cluster
    if facets is not None and len(facets) > 1:
        raise InvalidInput(f"cluster: studies draw whole levels of one facet, got {listed(facets)}; name one")
    if facets == ():
        notes = ["Votes are drawn one by one, and taken as independent."]
    elif facets is None and "prompt" not in votes.names:
        fix = "name a column with " + argument("prompt", ..., group="roles") + ", or another facet with "
        alone = "No prompt is known of these votes: they are drawn one by one, and taken as independent; "
        notes = [alone + fix + argument("cluster") + "."]
    drawn_by = None if notes else (facets or ("prompt",))[0]
    most = int(votes.pairs().decisive.max(initial=0))
    usable = [n for n in budgets if n <= most]
    why = f"no pair has more than {counted(most, 'decisive vote')}"
    if not usable:
        raise InvalidInput(argument("budgets") + f": {why}; a smaller study has fewer, got {min(budgets):,}")
    rates = [
        one
        for n in usable
        for one in replay_verdicts(votes, [n], cluster=drawn_by, margin=margin, level=level, least=max(minimum, n))
    ]
    return VerdictReplay(tuple(rates), margin, level, (*notes, *_left_out(budgets, usable, why)))


def replay_pair(
    votes: Votes,
    a: str,
    b: str,
    budgets: Sequence[int] = (50, 200, 500),
    *,
    by: str = "prompt_type",
    level: float = 0.95,
    c: float = 10.0,
    retained: float = 0.2,
    per_type: int | None = None,
) -> PairReplay:
    """How often studies of two systems find their difference: votes over types of prompts, or screening them first.

    Tests are at level ``1 - level``. Screening takes ``per_type`` votes of each of m types, ``ceil(c log m)`` unless
    given, and keeps the part ``retained`` of them.

    Raises
    ------
    InvalidInput
        If every size is left out.
    """
    least, most = replay_range(votes, a, b, by=by, c=c, per_type=per_type)
    usable = [n for n in budgets if least <= n <= most]
    span = f"screening takes {least - 1:,} votes of this pair, which has {most:,} decisive ones with a {by}"
    if not usable and most < least:
        raise InvalidInput(argument("budgets") + f": {span}: too few for any study; use coarser types")
    if not usable:
        asked = ", ".join(f"{n:,}" for n in budgets)
        raise InvalidInput(argument("budgets") + f": numbers from {least:,} to {most:,}, got {asked}; {span}")
    screening: dict[str, Any] = {"c": c, "retained": retained, "per_type": per_type}
    study = replay_two_stage(votes, a, b, usable, by=by, alpha=round(1 - level, 12), **screening)
    notes = (*study.notes, *_left_out(budgets, usable, span))
    if study.unequal.any():
        short = zip(study.spent[study.unequal].tolist(), study.budgets[study.unequal].tolist(), strict=True)
        listing = listed([f"{spent:,.0f} of {budget:,}" for spent, budget in short])
        why = "for the types that screening keeps have no more: they are compared with a policy that spends all"
        notes += (f"Two stages spend {listing} votes, {why}.",)
    return PairReplay(study, notes)


def _left_out(budgets: Iterable[int], usable: Iterable[int], why: str) -> tuple[str, ...]:
    left = [f"{n:,}" for n in budgets if n not in set(usable)]
    return (f"Left out: studies of {listed(left)} votes; {why}.",) if left else ()
