"""Hazard: the chance that a conversation crosses a threshold at a turn, and that it never does, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat, few_scores, turns_that_end
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.dependability import averages, plausible
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level, equal_tails, satterthwaite
from quorate.numerics.mixed.information import adjustment, weights
from quorate.numerics.mixed.reml import squares
from quorate.roles import TURN
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.results import Interval, Result, Row, StatedInterval, picked
from quorate.wording import Brief, at_level, percent

_DRAWS, _NODES, _NODES_OF_DRAWS, _FEW = 4000, 151, 31, 5


@dataclass(frozen=True)
class Turn(Brief):
    """One turn of the conversations.

    Parameters
    ----------
    turn : str
        Its label.
    mean, sd : float
        Mean score, and standard deviation of single scores.
    hazard : Interval
        Chance that the score of a conversation is beyond the threshold at this turn.
    survival : Interval
        Chance that it is at none of the turns so far, if turns of a conversation are independent.
    lasting : Interval
        The same if what items, prompts and judges are like stays from turn to turn.
    observed : float
        Share of the scores of this turn that are beyond the threshold; nan where the chances are of means of several.
    n : int
        Answers.
    """

    turn: str
    mean: float
    sd: float
    hazard: Interval
    survival: Interval
    lasting: Interval
    observed: float
    n: int


@dataclass(frozen=True)
class Hazard(Result):
    """The chance that conversations cross a threshold, turn by turn.

    Parameters
    ----------
    turns : tuple of Turn
        In their order.
    threshold : float
        The score that is crossed.
    above : bool
        Whether scores beyond it are those above.
    between : float
        Share of the variance of single scores that stays from turn to turn.
    levels : mapping of str to int
        Levels of each facet that a score is the mean of.
    level : float
        Coverage of the intervals.
    caveats : tuple of Caveat
        What the reader must know.
    """

    turns: tuple[Turn, ...]
    threshold: float
    above: bool
    between: float
    levels: Mapping[str, int]
    level: float
    caveats: tuple[Caveat, ...]

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        last = self.turns[-1]
        side = "above" if self.above else "below"
        ends, lasting = ([percent(end) for end in one.ends] for one in (last.survival, last.lasting))
        return (
            f"Through turn {last.turn}, {percent(last.survival.value)} of conversations have no score {side} "
            f"{self.threshold:g} ({at_level(self.level)} interval {ends[0]} to {ends[1]}) if turns are independent. "
            f"As conversations differ it is {percent(last.lasting.value)} ({lasting[0]} to {lasting[1]})."
        )

    def rows(self) -> list[Row]:
        """One row a turn."""
        each = (
            picked(one, "turn mean sd hazard=hazard.value low=hazard.low high=hazard.high")
            | one.survival.row("survival")
            | one.lasting.row("lasting")
            | {"observed": one.observed, "n": one.n}
            for one in self.turns
        )
        return list(each)


class TurnLaw(NamedTuple):
    """Mean scores by turn, and the two parts of the variance of single scores.

    Parameters
    ----------
    mean, within : array, shape (..., turns)
        Mean, and variance of what is new at each turn.
    between : array, shape (...)
        Variance of what stays.
    """

    mean: Floats
    within: Floats
    between: Floats


def hazard(
    fit: Decomposition,
    threshold: float,
    *,
    below: bool = False,
    turns: str = TURN,
    levels: Mapping[str, int] | None = None,
    replicates: int = 1,
    level: float = 0.95,
    rng: int | np.random.Generator | None = None,
) -> Hazard:
    """At which turn conversations cross a threshold, and how many never do.

    The hazard of a turn is ``Phi((mean - threshold) / sd)``, of single scores: the sum of all components, so that a
    noisier judge sees more crossings. Its product over turns takes turns as independent. Conversations differ, though:
    one that has a high score has others, and then fewer cross at all. That is beside it, with what items, prompts
    and judges are like kept from turn to turn.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose` of scores with a facet of turns, which is fixed.
    threshold : float
        The score that is crossed.
    below : bool
        Scores below it count, not those above.
    turns : str
        Facet of turns, whose levels are numbers.
    levels : mapping of str to int, optional
        Levels of each facet that a score is the mean of, such as ``{"judge": 3}``; 1 of each that is not named.
    replicates : int
        Answers of each cell in a score.
    level : float
        Coverage of the intervals.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the draws; the same draws every time if left out.

    Returns
    -------
    Hazard

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If turns are not fixed or not numbers, or another number is out of range.
    NotEstimable
        If there is one turn, or only a sum of components is known whose parts are averaged differently.

    Notes
    -----
    A conversation that ends when it crosses has no later turns. Means and components are those of a likelihood in which
    the scores before say who is missing, so that they are of all conversations, as if each had gone on; they are right
    if scores are about normal. Intervals are quantiles of draws: means from their Student law, components from
    the chi-square law of the mean square that each is estimated from.

    References
    ----------
    Total Evaluation Error, arXiv:2604.11581, equation 12. ``docs/methods/agents.md``.

    Examples
    --------
    >>> import numpy as np, polars
    >>> import quorate as q
    >>> rng = np.random.default_rng(1)
    >>> talk, turn = np.repeat(np.arange(60), 4), np.tile([1, 2, 3, 4], 60)
    >>> score = rng.normal(0, 1, 60)[talk] + 0.4 * turn + rng.normal(0, 1, 240)
    >>> fit = q.decompose(q.read(polars.DataFrame({"item": talk, "turn": turn, "score": score}), announce=False))
    >>> [round(one.hazard.value, 2) for one in q.agents.hazard(fit, 3).turns]
    [0.02, 0.03, 0.05, 0.13]
    """
    checked_level(level)
    judgments = fit.judgments
    _check(fit, threshold, turns, replicates)
    item = judgments.object
    counts = {one: 1 for one in judgments.names if one not in (item, *judgments.ancestors(item), turns)}
    for name, count in (levels or {}).items():
        judgments.facet(name)
        if name not in counts or count < 1:
            raise InvalidInput(f"levels: a score is of 1 or more levels of {', '.join(counts)}, got {name}: {count}")
        counts[name] = count
    sign = -1.0 if below else 1.0
    generator = stream(0, "hazard") if rng is None else np.random.default_rng(rng)
    order = np.argsort([float(one) for one in judgments.facet(turns).levels], kind="stable")
    law, plausible_laws = _laws(fit, turns, counts, replicates, order, generator)
    found, drawn = (_chances(one, sign, threshold) for one in (law, plausible_laws))
    # Share of the cells of every turn whose mean is beyond the threshold, and answers.
    code, size = judgments.level_codes([turns]), len(judgments.facet(turns).levels)
    cells = np.bincount(code, minlength=size)
    beyond = np.bincount(code, sign * (judgments.mean - threshold) > 0, size)
    seen = beyond / np.maximum(cells, 1)
    n: Ints = np.rint(np.bincount(code, judgments.n, size)).astype(np.int64)
    if max([replicates, *counts.values()]) > 1 or (judgments.n > 1).any():
        seen = np.full(len(seen), np.nan)
    sd = np.sqrt(law.within + law.between)
    each = []
    for t, place in enumerate(order.tolist()):
        hazard, survival, lasting = (
            _drawn(float(one[t]), two[:, t], int(n[place]), level) for one, two in zip(found, drawn, strict=True)
        )
        about = judgments.facet(turns).levels[place], float(law.mean[t]), float(sd[t])
        each.append(Turn(*about, hazard, survival, lasting, float(seen[place]), int(n[place])))
    between = float(np.mean(law.between / sd**2))
    said = tuple(_caveats(judgments, each, threshold))
    return Hazard(tuple(each), float(threshold), not below, between, counts, level, said)


def _drawn(value: float, draws: Floats, n: int, level: float) -> Interval:
    return StatedInterval(value, float(draws.std()), n, level, lambda level: equal_tails(draws, level))


def _laws(
    fit: Decomposition,
    facet: str,
    counts: Mapping[str, int],
    replicates: int,
    order: np.ndarray[Any, Any],
    rng: np.random.Generator,
) -> tuple[TurnLaw, TurnLaw]:
    """Laws of the scores by turn: by the estimates, and what else the data make plausible."""
    stays = averages(fit, counts, replicates, lambda facets: facet not in facets, cell=False)
    fresh = averages(fit, counts, replicates, lambda facets: facet in facets)
    labels = [fit.judgments.facet(facet).levels[place] for place in order.tolist()]
    # Weights of the components in what is new at each turn, shape (turns, components), and in what stays.
    within, between = np.tile(list(fresh.values()), (len(labels), 1)), np.array(list(stays.values()))
    for column, name in enumerate(fresh):
        where, _, label = name.split(" + ")[0].partition("[")[2].removesuffix("]").partition("=")
        if where == facet:  # noise of its own for each turn
            within[:, column] *= len(labels) * np.array([label == one for one in labels])
    several = [name for name in counts if len(fit.assembled.fixed.levels.get(name, ())) > 1]
    known = sum(fit.sensitivity(name) / counts[name] for name in several)  # between other levels: it stays too
    design, values = fit.assembled.fixed.levels[facet][order], np.maximum(list(fit.variances.values()), 0.0)
    law = TurnLaw(design @ fit.beta, within @ values, between @ values + known)
    drawn = np.column_stack([plausible(fit, name, _DRAWS, rng) for name in fit.variances])
    return law, TurnLaw(_means(fit, design, rng), drawn @ within.T, drawn @ between + known)


def _means(fit: Decomposition, design: Floats, rng: np.random.Generator) -> Floats:
    """Draws of the mean scores of all turns together, by Student's law on the fewest degrees of freedom of one."""
    problem, solved, scale = fit.assembled.problem, fit.point.solved, fit.assembled.scale
    covariance = design @ fit.beta_covariance @ design.T
    known = fit.covariance / scale**4
    df = []
    for t, weight in enumerate(design):
        gradient = squares(problem, weights(problem, solved, weight))
        df.append(satterthwaite(float(covariance[t, t]), gradient, fit.covariance))
        covariance[t, t] += scale**2 * adjustment(problem, solved, weight, known)
    values, vectors = np.linalg.eigh(covariance)
    normal = rng.normal(size=(_DRAWS, len(design))) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    fewest = min(df)
    wide = np.ones(_DRAWS) if np.isinf(fewest) else np.sqrt(fewest / rng.chisquare(fewest, _DRAWS))
    out: Floats = design @ fit.beta + normal * wide[:, None]
    return out


def _chances(law: TurnLaw, sign: float, threshold: float) -> tuple[Floats, Floats, Floats]:
    """Hazards, the products of what is left, and the same where what stays is shared by all turns."""
    away = sign * (law.mean - threshold)
    hazards = ndtr(away / np.sqrt(np.maximum(law.within + law.between[..., None], 1e-300)))
    node, weight = _quadrature(_NODES if law.mean.ndim == 1 else _NODES_OF_DRAWS)
    spread, noise = np.sqrt(law.between)[..., None], np.sqrt(np.maximum(law.within, 1e-300))
    lasting = np.zeros_like(away)
    for z, share in zip(node, weight, strict=True):
        lasting += share * np.cumprod(ndtr(-(away + spread * z) / noise), axis=-1)
    survival: Floats = np.asarray(np.cumprod(1 - hazards, axis=-1), dtype=np.float64)
    return hazards, survival, lasting


@cache
def _quadrature(nodes: int) -> tuple[list[float], list[float]]:
    """Nodes of Gauss and Hermite, and their weights, which sum to 1; found once."""
    node, weight = np.polynomial.hermite_e.hermegauss(nodes)
    return node.tolist(), (weight / weight.sum()).tolist()


def _check(fit: Decomposition, threshold: float, facet: str, replicates: int) -> None:
    judgments = fit.judgments
    own = judgments.facet(facet)
    if facet not in fit.assembled.fixed.levels:
        raise InvalidInput(f"turns: they are chosen levels, and {facet} is drawn; read it with {facet} among the fixed")
    if len(own.levels) < 2:
        raise NotEstimable(f"{facet}: one level, and turns need two or more", {facet})
    if not all(_is_number(label) for label in own.levels):
        word = next(label for label in own.levels if not _is_number(label))
        raise InvalidInput(f'{facet}: levels in the order of the conversation are numbers, got "{word}"; number them')
    if not np.isfinite(threshold):
        raise InvalidInput(f"threshold: a score is needed, got {threshold}")
    if replicates < 1:
        raise InvalidInput(f"replicates: 1 or more answers of each cell are needed, got {replicates}")


def _is_number(label: str) -> bool:
    try:
        return bool(np.isfinite(float(label)))
    except ValueError:
        return False


def _caveats(judgments: Judgments, turns: list[Turn], threshold: float) -> list[Caveat]:
    out = []
    if len({one.n for one in turns}) > 1 and turns[-1].n < turns[0].n:
        out.append(turns_that_end(turns[-1].n, turns[0].n))
    scores = {float(one) for one in np.unique(np.concatenate([judgments.low, judgments.high]))[: _FEW + 1]}
    if len(scores) <= _FEW:
        out.append(few_scores(len(scores), threshold))
    return out
