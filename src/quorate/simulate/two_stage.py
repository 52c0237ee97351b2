"""Two-stage studies against proportional ones, simulated in regimes of signal and replayed on votes that exist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.votes import binomial
from quorate.numerics.votes import power as of_power
from quorate.numerics.votes.power import allotted, fisher, screened, supplied
from quorate.planning.power.prompt_types import TwoStage, combined_p_value, two_stage
from quorate.planning.power.sample_size import check_alpha, check_count, check_range
from quorate.streams import stream
from quorate.table.votes import Votes, checked_votes
from quorate.waiting import each
from quorate.wording import Brief

Regime = Literal["concentrated", "diffuse"]
TESTS = ("proportional", "two-stage", "both stages", "proportional, any type", "both stages, any type")
"""Pooled binomial test of all votes; of the second stage; of both, weighted; and tests over types of either policy."""


@dataclass(frozen=True, eq=False)
class AllocationStudy(Brief):
    """How often each way to spend a budget finds a difference.

    Parameters
    ----------
    budgets : array, shape (budgets,)
        Judgments in all.
    power : mapping of str to array, shape (budgets,)
        Share of studies that reject, by test.
    jaccard : array, shape (budgets,)
        Overlap of the types kept with the best ones, by ``w d^2``: their intersection over their union, on average.
    captured : array, shape (budgets,)
        Part of the signal, the sum of ``w d^2``, that types kept hold, on average.
    expected_captured : float
        The same for types kept at random: what screening has to beat.
    studies : int
        Studies per budget.
    spent : array, shape (budgets,)
        Judgments that both stages spent, on average: fewer than the budget where the types that screening keeps run out
        of votes. The tests of both stages are then compared with a policy that spends more.
    notes : tuple of str
        What of the screening is outside of the rule of the paper.
    """

    budgets: Ints
    power: dict[str, Floats]
    jaccard: Floats
    captured: Floats
    expected_captured: float
    studies: int
    spent: Floats
    notes: tuple[str, ...] = ()

    @property
    def unequal(self) -> NDArray[np.bool_]:
        """Budgets that two stages do not spend, shape (budgets,)."""
        return np.asarray(self.spent < self.budgets - 0.5)

    @property
    def gain(self) -> Floats:
        """Power of the second stage alone, less that of proportional allocation; shape (budgets,)."""
        return self.power["two-stage"] - self.power["proportional"]

    def to_frame(self) -> Any:
        """One row per budget and test: budget, test, power, error, jaccard, captured, spent."""
        from quorate.table.results import frame

        power = np.concatenate([self.power[test] for test in TESTS])
        tests = [test for test in TESTS for _ in self.budgets]
        columns: dict[str, Any] = {"budget": np.tile(self.budgets, len(TESTS)), "test": tests, "power": power}
        columns["error"] = np.sqrt(power * (1 - power) / self.studies)
        both = {name: np.tile(getattr(self, name), len(TESTS)) for name in ("jaccard", "captured")}
        both["spent"] = np.concatenate(
            [self.budgets if test.startswith("proportional") else self.spent for test in TESTS]
        )
        return frame({**columns, **both})


def regime(kind: Regime, types: int = 20, *, signal: float = 0.0045, share: float = 0.2) -> Floats:
    """Margins of types of prompts whose mean square is the same, concentrated or diffuse.

    Parameters
    ----------
    kind : {"concentrated", "diffuse"}
        Whether ``share`` of the types hold all of the signal, or every type as much.
    types : int
        Types of prompts.
    signal : float
        Mean squared margin.
    share : float
        Part of the types that hold the signal where it is concentrated.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or a margin would be above 1/2.

    Examples
    --------
    >>> regime("concentrated").max().round(3), regime("diffuse").max().round(3)
    (np.float64(0.15), np.float64(0.067))
    """
    check_count("types", types)
    rules.one_of("kind", kind, ("concentrated", "diffuse"))
    holding = math.ceil(share * types) if kind == "concentrated" else types
    margin = math.sqrt(signal * types / holding)
    check_range("signal", signal, "above 0, with margins of at most 0.5", 0 < margin <= 0.5)
    return np.where(np.arange(types) < holding, margin, 0.0)


def simulate_two_stage(
    margins: Sequence[float] | Floats,
    budgets: Sequence[int],
    *,
    weights: Sequence[float] | Floats | None = None,
    c: float = 10.0,
    retained: float = 0.2,
    per_type: int | None = None,
    alpha: float = 0.05,
    studies: int = 2000,
    seed: int = 1,
) -> AllocationStudy:
    """Power of proportional and of two-stage allocation where the margin of every type is known.

    Parameters
    ----------
    margins : sequence of float, shape (types,)
        Signed margin of every type, from -1/2 to 1/2; see `regime`.
    budgets : sequence of int
        Judgments in all.
    weights : sequence of float, optional
        Incidence of every type; equal by default.
    c, retained, per_type : float or int
        As for `quorate.planning.power.prompt_types.two_stage`.
    alpha : float
        Level of each test.
    studies : int
        Simulated studies per budget.
    seed : int
        Root of the random numbers.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or a budget is used up by screening.

    References
    ----------
    Lee (2026), How many human judgments are enough?, appendix C.1, Figures 4 to 6.

    Examples
    --------
    >>> found = simulate_two_stage(regime("concentrated"), [1000], studies=200)
    >>> [(test, round(float(found.power[test][0]), 2)) for test in ("proportional", "two-stage")]
    [('proportional', 0.5), ('two-stage', 0.75)]
    """
    d = np.asarray(margins, dtype=float)
    check_range("margins", margins, "from -0.5 to 0.5 for every type", bool(d.ndim == 1 and (np.abs(d) <= 0.5).all()))
    check_alpha(alpha)
    check_count("studies", studies)
    w = np.ones(len(d)) if weights is None else np.asarray(weights, dtype=float)
    plans = [two_stage(budget, w, c=c, retained=retained, per_type=per_type) for budget in budgets]
    return _study(plans, _Endless(0.5 + d), plans[0].weights * d**2, studies, alpha, seed)


def replay_two_stage(
    votes: Votes,
    a: str,
    b: str,
    budgets: Sequence[int],
    *,
    by: str = "prompt_type",
    c: float = 10.0,
    retained: float = 0.2,
    per_type: int | None = None,
    alpha: float = 0.05,
    studies: int = 2000,
    seed: int = 1,
) -> AllocationStudy:
    """Power of proportional and of two-stage allocation on votes that exist, drawn without replacement.

    Types are weighted by their decisive votes. A type that runs out of votes passes its share on to the others; what
    the kept types cannot supply is not spent, and ``spent`` says how much was.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    a, b : str
        The two systems.
    budgets : sequence of int
        Judgments in all, above what screening takes and at most what there is.
    by : str
        Facet of the types of prompts.
    c, retained, per_type, alpha, studies, seed
        As for `simulate_two_stage`.

    Raises
    ------
    InvalidInput
        If an argument is out of range, a budget is used up by screening, or there are fewer votes than a budget.
    NotEstimable
        If a type has fewer votes than its screening takes.
    UnknownTerm
        If a system or the facet is not there.

    References
    ----------
    Lee (2026), appendix C.2. Replay shows what a fixed pool would have given, not a live study.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> rng = np.random.default_rng(1)
    >>> chance = [0.8 if i % 4 == 0 else 0.5 for i in range(400)]
    >>> rows = [(i, f"t{i % 4}", "x", "y", "xy"[int(rng.random() > p)]) for i, p in enumerate(chance)]
    >>> frame = polars.DataFrame(rows, schema=["prompt", "prompt_type", "model_a", "model_b", "winner"], orient="row")
    >>> found = replay_two_stage(q.read_votes(frame, announce=False), "x", "y", [200], studies=200)
    >>> [(test, round(float(found.power[test][0]), 2)) for test in ("proportional", "two-stage")]
    [('proportional', 0.79), ('two-stage', 0.88)]
    """
    wins, sizes = type_counts(votes, a, b, by)
    check_alpha(alpha)
    check_count("studies", studies)
    plans = [two_stage(budget, sizes, c=c, retained=retained, per_type=per_type) for budget in budgets]
    for plan in plans:
        check_range(
            "budgets", plan.budget, f"of votes, at most the {sizes.sum():,} there are", plan.budget <= sizes.sum()
        )
        if plan.per_type > sizes.min():
            raise NotEstimable(
                f"{by}: screening takes {plan.per_type} votes of each type, and one has {sizes.min()}; "
                "use coarser types"
            )
    share = wins / sizes
    signal = (share - 0.5) ** 2 - share * (1 - share) / np.maximum(sizes - 1, 1)  # squared margins less noise
    return _study(plans, _Urn(wins, sizes), plans[0].weights * np.maximum(signal, 0.0), studies, alpha, seed)


def replay_range(
    votes: Votes, a: str, b: str, *, by: str = "prompt_type", c: float = 10.0, per_type: int | None = None
) -> tuple[int, int]:
    """The smallest and the largest budget that `replay_two_stage` can replay.

    Raises
    ------
    NotEstimable
        If the votes on the two are of fewer than two types.
    UnknownTerm
        If a system or the facet is not there.
    """
    _, sizes = type_counts(votes, a, b, by)
    each = math.ceil(c * math.log(len(sizes))) if per_type is None else per_type
    return each * len(sizes) + 1, int(sizes.sum())


@dataclass(frozen=True, eq=False)
class _Endless:
    """Votes of known shares."""

    share: Floats

    def capped(self, n: Ints, taken: Ints, weights: Floats) -> Ints:  # noqa: ARG002 - never runs out
        return n

    def draw(self, n: Ints, taken: Ints, won: Ints, rng: np.random.Generator) -> Ints:  # noqa: ARG002 - no memory
        return np.asarray(rng.binomial(n, self.share))


@dataclass(frozen=True, eq=False)
class _Urn:
    """Votes that exist, each drawn once; what a type lacks goes to the others, by weight."""

    wins: Ints
    sizes: Ints

    def capped(self, n: Ints, taken: Ints, weights: Floats) -> Ints:
        return supplied(n, self.sizes - taken, weights)

    def draw(self, n: Ints, taken: Ints, won: Ints, rng: np.random.Generator) -> Ints:
        return np.asarray(rng.hypergeometric(self.wins - won, self.sizes - taken - self.wins + won, n))


def _study(
    plans: Sequence[TwoStage], pool: _Endless | _Urn, signal: Floats, studies: int, alpha: float, seed: int
) -> AllocationStudy:
    """All tests in studies of every budget, and the types that screening kept."""
    shape = (studies, len(signal))
    none = np.zeros(shape, dtype=np.int64)
    power, kept, spent = [], [], []
    for plan in each("simulated budgets", plans):
        rng = stream(seed, f"budget/{plan.budget}")
        n = np.broadcast_to(pool.capped(allotted(plan.budget, plan.weights)[None], none[:1], plan.weights[None]), shape)
        wins = pool.draw(n, none, none, rng)
        first = np.full(shape, plan.per_type)
        k1 = pool.draw(first, none, none, rng)
        kept.append(screened(k1 / plan.per_type - 0.5, plan.kept, rng))
        weights = np.where(kept[-1], plan.weights, 0.0)
        second = pool.capped(allotted(np.full(studies, plan.second), weights), first, weights)
        k2 = pool.draw(second, first, k1, rng)
        totals = k1.sum(axis=1), first.sum(axis=1), k2.sum(axis=1), second.sum(axis=1)
        p = (
            binomial.p_value(wins.sum(axis=1), n.sum(axis=1)),
            binomial.p_value(totals[2], totals[3]),
            combined_p_value(*totals, plan.first / plan.budget),
            of_power.squares_p_value(wins, n),
            fisher(of_power.squares_p_value(k1, first), of_power.squares_p_value(k2, second)),
        )
        power.append(np.mean(np.array(p) <= alpha * binomial.SLACK, axis=1))
        spent.append(float((totals[1] + totals[3]).mean()))
    retained, total = plans[0].kept, float(signal.sum())
    best = np.zeros(len(signal), dtype=np.bool_)
    best[np.argsort(-signal, kind="stable")[:retained]] = True
    share = signal / total if total > 0 else np.full(len(signal), np.nan)
    both = np.array([np.sum(own & best, axis=1) for own in kept])
    return AllocationStudy(
        budgets=np.array([plan.budget for plan in plans]),
        power=dict(zip(TESTS, np.transpose(power), strict=True)),
        jaccard=np.mean(both / (2 * retained - both), axis=1),
        captured=np.array([float(np.mean(np.sum(own * share, axis=1))) for own in kept]),
        expected_captured=retained / len(signal),
        studies=studies,
        spent=np.array(spent),
        notes=plans[0].notes,
    )


def type_counts(votes: Votes, a: str, b: str, by: str) -> tuple[Ints, Ints]:
    """Wins of the first system, and decisive votes, of every type that has some.

    Raises
    ------
    UnknownTerm
        If a system or the facet is not there.
    NotEstimable
        If there are no two types of votes.
    """
    pair = checked_votes(votes).pair(a, b)
    outcome, code = 1 - pair.encoded("drop"), pair.column(by)
    counts = np.isfinite(outcome) & (code >= 0)
    weight = pair.weights[counts].astype(float)
    sizes = np.bincount(code[counts], weight)
    wins = np.bincount(code[counts], weight * outcome[counts])
    some = sizes > 0
    if not some.any():
        raise NotEstimable(f'votes: no decisive vote between "{a}" and "{b}" has a {by}; nothing can be screened')
    if some.sum() == 1:
        raise NotEstimable(
            f'votes: all decisive votes between "{a}" and "{b}" are of one {by}; there is nothing to screen; name a '
            "facet with several types with " + argument("by", ...)
        )
    return np.rint(wins[some]).astype(np.int64), np.rint(sizes[some]).astype(np.int64)
