"""Models of votes side by side: what each needs, how likely it makes the votes, and how well it predicts others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.bradley_terry import fitted
from quorate.estimate.ratings.contrast import Rows
from quorate.estimate.ratings.counts import VoteCounts, refuse_unrated, tally
from quorate.estimate.votes.clustered import Cluster, clustered_by
from quorate.frozen import dataclass
from quorate.numerics.ratings.bradley_terry import fit
from quorate.numerics.ratings.discrimination import discriminating
from quorate.numerics.ratings.existence import exists
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.pairs import BOTH_BAD, TIE
from quorate.table.results import Result, Row, picked
from quorate.table.votes import Votes, checked_votes
from quorate.wording import brief, counted, listed

# Whole rankings among models of votes: how well Plackett and Luce's model predicts votes of rankings not seen.
#
# A likelihood of rankings and one of the votes on their pairs are not on one scale, so that Akaike's criterion compares
# nothing. A prediction is: ratings by whole rankings say how likely each of two systems is placed before the other.


RANKING = "cluster"
"""Facet whose levels are rankings, where votes come from these."""
NAME = "Plackett and Luce, whole rankings"


def rankings_of(votes: Votes) -> VoteCounts | None:
    """The rankings of three systems or more that votes come from, as counted; None where they come from none.

    Raises
    ------
    NotEstimable
        If their model has no maximum.
    """
    if RANKING not in votes.names:
        return None
    try:
        known = tally(votes, "davidson", None, position=False, rankings=RANKING, linked_only=True)
    except InvalidInput:
        return None
    if known.ranked is None or len(known.ranked.units.size) == len(known.votes.outcome):
        return None  # rankings of two are votes
    refuse_unrated(known, shrunk=False)
    return known


def _rankings_held_out(rankings: VoteCounts, known: VoteCounts, held: Parts, folds: int, ridge: float) -> Floats:
    """Minus the log chance of the vote of every entry, by the rankings of the other parts.

    The chance is that of the model for a choice between the two alone, ties as of Davidson.

    Parameters
    ----------
    rankings : VoteCounts
        From `rankings_of`.
    known : VoteCounts
        The same votes as counted for Davidson's model, or Bradley and Terry's.
    held : Parts
        Parts of the entries.
    folds : int
        How many.
    ridge : float
        Of fits.

    Raises
    ------
    NotEstimable
        If rankings are not held out whole, or there is no fit without some part.
    """
    rows = Rows(known)
    part = np.full(known.votes.rows, -1, dtype=np.int64)
    part[np.flatnonzero(rows.used)[held.row]] = held.part
    code = known.votes.column(RANKING)
    ends = np.full((2, int(code.max()) + 1), -1, dtype=np.int64)
    ends[0, code[rows.used]] = part[rows.used]
    ends[1, code[rows.used][::-1]] = part[rows.used][::-1]
    if (ends[0] != ends[1]).any() or (part[rows.used] != ends[0, code[rows.used]]).any():
        raise NotEstimable(f"rankings are not held out whole by {held.held}")
    places = rankings.places
    entry, own = places.place[places.used], part[places.used]
    counts = np.bincount(entry * folds + own, minlength=places.size * folds).reshape(*rankings.design.shape, folds)
    train = (counts.sum(axis=-1, keepdims=True) - counts).astype(np.float64)
    if not exists(rankings.design, train, True).all():
        raise NotEstimable("without one of the parts it has no maximum")
    design = known.pairwise
    place = rows.place[held.row]
    loss = np.zeros(len(place))
    for fold in range(folds):
        at = fit(rankings.design, train[..., fold : fold + 1], ridge)
        if not at.converged[0]:
            raise NotEstimable("without one of the parts its maximum was not reached")
        theta = np.zeros((design.parameters, 1))
        theta[: design.systems] = at.theta[: design.systems]
        if design.tied:
            theta[-1] = at.theta[-1]
        chance = design.ties.log_chances(design.gap(theta), design.tie(theta))
        mine = held.part == fold
        loss[mine] = -np.moveaxis(chance[..., 0], 0, -1).ravel()[place[mine]]
    return loss


RIDGE = 0.01
"""Ridge of fits to a part of the votes, by which every system has a rating there."""
_TIED = {"davidson": "Davidson", "rao-kupper": "Rao and Kupper", "glenn-david": "Thurstone, Glenn and David"}
_UNTIED = {"davidson": "Bradley and Terry", "glenn-david": "Thurstone"}


@dataclass(frozen=True)
class VoteModel(Result):
    """A model of votes, and how it does.

    Parameters
    ----------
    name : str
        In words.
    options : mapping of str to object
        As `quorate.rank` takes them.
    parameters : int
        Free parameters.
    log_likelihood, aic : float
        Of all votes at the maximum; Akaike's criterion, less is better. Both nan of whole rankings, whose likelihood is
        none of votes.
    loss : float
        Minus the mean log chance that it gives to votes it was not fitted to.
    behind, se : float
        What that is more than the least of all, and the standard error of this difference; nan for the least itself.
    """

    name: str
    options: Mapping[str, Any]
    parameters: int
    log_likelihood: float
    aic: float
    loss: float
    behind: float
    se: float


@dataclass(frozen=True, eq=False, repr=False)
class Models(Result):
    """Models of the same votes, the one that predicts best first.

    Parameters
    ----------
    models : tuple of VoteModel
        By held-out log loss.
    refused : mapping of str to str
        Models that these votes do not allow, and why.
    n, folds : int
        Votes, and parts that were held out in turn.
    held : str
        What was held out together: a facet, or ``"vote"``.
    even : float
        Loss if every outcome had its share of all votes, whoever is compared.
    caveats : tuple of Caveat
        Of the source.
    backend : str or None
        Library of the frames.
    """

    models: tuple[VoteModel, ...]
    refused: Mapping[str, str]
    n: int
    folds: int
    held: str
    even: float
    caveats: tuple[Caveat, ...] = ()
    backend: str | None = field(default=None, repr=False)

    entries = "models=rows refused n folds held even sentence caveats"

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        return brief("Models", f"{counted(len(self), 'model')}, {self.n} votes: {self.models[0].name} first")

    def __str__(self) -> str:
        return self.sentence

    def rows(self) -> list[Row]:
        """One row for every model: model, parameters, log_likelihood, aic, loss, behind, se."""
        return [picked(one, "model=name parameters log_likelihood aic loss behind se") for one in self.models]

    @property
    def alike(self) -> tuple[str, ...]:
        """Models that predict as well as the first, as far as these votes tell at 95%."""
        return tuple(one.name for one in self.models[1:] if one.behind < 1.96 * one.se)

    @property
    def sentence(self) -> str:
        """Which model predicts votes best, which others do as well, and which Akaike's criterion prefers."""
        first = self.models[0]
        least = min((one for one in self.models if not math.isnan(one.aic)), key=lambda one: one.aic)
        said = f"Of {counted(len(self), 'model')} of {self.n:,} votes, {first.name} predicts unseen votes best"
        said += f", with a log loss of {first.loss:.4f} ({self.even:.4f} if all systems were equal)"
        if first.loss >= self.even:
            said += ", so no better than if they were"
        if self.alike:
            said += f". Not surely worse: {'; '.join(self.alike)}"
        said += f". Akaike's criterion {'agrees' if least is first else f'prefers {least.name}'}."
        if not self.refused:
            return said
        return f"{said} Not possible: {listed(f'{name} ({why})' for name, why in self.refused.items())}."


def models(
    votes: Votes, *, covariates: Sequence[str] = (), cluster: Cluster | None = None, folds: int = 5, seed: int = 1
) -> Models:
    """Which model of votes fits, and which predicts votes that it has not seen.

    Davidson's, Rao and Kupper's and Thurstone's models of the same votes, ties included; Davidson's with ties of every
    system, with an effect of the order and slopes of judges where the votes tell, and with covariates; and Plackett and
    Luce's of whole rankings. Held out are whole clusters, such as prompts, so that a loss is of votes on new ones.

    The order needs what was shown first, slopes who voted, whole rankings votes that come from rankings of three
    systems or more (the facet ``cluster``): how likely that makes the votes of rankings that were held out.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    covariates : sequence of str
        What else the two systems of a vote differ in, such as ``length``: a column of differences, or two facets
        ``length_a`` and ``length_b``.
    cluster : str or sequence of str, optional
        Facet whose levels are held out together, the first if several; by default the first of ``"prompt"``,
        ``"judge"`` and ``"cluster"`` whose levels repeat. ``()`` holds out single votes.
    folds : int
        Parts that are held out in turn.
    seed : int
        Seed of the parts.

    Returns
    -------
    Models
        The one with the least loss first; ``options`` of each are those of `quorate.rank`.

    Raises
    ------
    InvalidInput
        If an argument breaks its rule.
    NotEstimable
        If no model can be fitted.

    References
    ----------
    Akaike (1974), IEEE Transactions on Automatic Control 19, 716-723.

    Examples
    --------
    >>> import polars, quorate as q
    >>> pairs = [("x", "y", 30, 12, 9), ("x", "z", 25, 15, 11), ("y", "z", 22, 20, 14)]
    >>> frame = polars.DataFrame(pairs, schema=["model_a", "model_b", "a", "b", "ties"], orient="row")
    >>> found = models(q.read_votes(frame, wins=("a", "b", "ties"), announce=False), folds=2)
    >>> sorted(one.name for one in found.models)[:2]
    ['Davidson', 'Davidson, ties of every system']
    """
    table = checked_votes(votes)
    rules.whole("folds", folds, 2, 100)
    trials, refused = tried(table, covariates)
    first = trials[0].counted
    held = parts(first, cluster, folds, seed)
    losses: dict[str, Floats] = {}
    for one in trials:
        try:
            losses[one.name] = held_out(one.counted, held, folds)
        except NotEstimable as error:
            refused[one.name] = str(error)
    ranked = _of_rankings(first, held, folds, losses, refused) if losses else None
    if not losses:
        raise NotEstimable("folds: no model can be fitted without a part; use fewer " + argument("folds", 2))
    mean = {name: float(held.weight @ loss / held.weight.sum()) for name, loss in losses.items()}
    best = min(mean, key=lambda name: mean[name])
    found = []
    for one in trials:
        if one.name in losses:
            behind = math.nan if one.name == best else mean[one.name] - mean[best]
            se = math.nan if one.name == best else _error(losses[one.name] - losses[best], held.weight, held.cluster)
            aic = 2 * one.parameters - 2 * one.value
            found.append(VoteModel(one.name, one.options, one.parameters, one.value, aic, mean[one.name], behind, se))
    if ranked is not None:
        behind = math.nan if best == NAME else mean[NAME] - mean[best]
        se = math.nan if best == NAME else _error(losses[NAME] - losses[best], held.weight, held.cluster)
        free = ranked.design.parameters - len(ranked.design.centred)
        found.append(VoteModel(NAME, {"rankings": RANKING}, free, math.nan, math.nan, mean[NAME], behind, se))
    share = first.counts.sum(axis=(0, 1)) / first.counts.sum()
    equal = np.array([(share[0] + share[1]) / 2] * 2 + [share[2]])
    even = -float(equal[equal > 0] @ np.log(equal[equal > 0]))
    found.sort(key=lambda one: one.loss)
    return Models(tuple(found), refused, first.n, folds, held.held, even, table.source.caveats, table.source.backend)


def _of_rankings(
    first: VoteCounts, held: Parts, folds: int, losses: dict[str, Floats], refused: dict[str, str]
) -> VoteCounts | None:
    """Rankings that the votes come from, with the loss of their model; or why it has none."""
    try:
        rankings = rankings_of(first.votes)
        if rankings is not None:
            losses[NAME] = _rankings_held_out(rankings, first, held, folds, RIDGE)
    except NotEstimable as error:
        refused[NAME] = str(error)
        return None
    return rankings


class Trial(NamedTuple):
    """A model fitted to all votes: name, options, votes as counted, free parameters, log likelihood."""

    name: str
    options: Mapping[str, Any]
    counted: VoteCounts
    parameters: int
    value: float


def tried(votes: Votes, covariates: Sequence[str]) -> tuple[list[Trial], dict[str, str]]:
    """Every candidate fitted to all votes, and why some cannot be.

    Raises
    ------
    NotEstimable
        If none can.
    """
    trials, refused = [], {}
    for name, options in candidates(votes, covariates).items():
        terms = {key: options[key] for key in ("covariates", "ties_by_system", "discrimination")}
        try:
            known = tally(votes, options["ties"], None, options["position"], linked_only=True, **terms)
            refuse_unrated(known, shrunk=False)
            tangent, at = fitted(known, 0.0)
        except NotEstimable as error:
            refused[name] = str(error)
            continue
        if at.converged[0]:
            free = tangent.design.parameters - len(tangent.design.centred)
            trials.append(Trial(name, options, known, free, float(at.value[0])))
        else:
            refused[name] = "its maximum was not reached"
    if not trials:
        raise NotEstimable(next(iter(refused.values())))
    return trials, refused


def candidates(votes: Votes, covariates: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Models that make sense for these votes, by their names in words, with the options of `quorate.rank`."""
    plain: dict[str, Any] = {"position": False, "covariates": tuple(covariates), "ties_by_system": False}
    plain |= {"discrimination": None}
    words = _TIED if votes.totals[TIE] + votes.totals[BOTH_BAD] else _UNTIED
    base, also = words["davidson"], f" at equal {listed(covariates)}" if covariates else ""
    out = {f"{name}{also}": {"ties": ties, **plain} for ties, name in words.items()}
    simple = {"ties": "davidson", **plain}
    if words is _TIED:
        out[f"{base}{also}, ties of every system"] = {**simple, "ties_by_system": True}
    if votes.order is not None and (votes.order >= 0).all():
        out[f"{base}{also}, order"] = {**simple, "position": True}
    if JUDGE in votes.names and len(votes.facet(JUDGE).levels) > 1:
        out[f"{base}{also}, slopes of judges"] = {**simple, "discrimination": JUDGE}
    if covariates:
        out[base] = {**simple, "covariates": ()}
    return out


class Parts(NamedTuple):
    """What is held out in turn.

    Parameters
    ----------
    row : array of int, shape (entries,)
        Row, of those that count, that an entry is of; single votes are entries of their own.
    weight : array, shape (entries,)
        Votes of the entry.
    part, cluster : array of int, shape (entries,)
        Part of each, and what is held out together.
    held : str
        The facet of clusters, or ``"vote"``.
    """

    row: Ints
    weight: Floats
    part: Ints
    cluster: Ints
    held: str


def parts(known: VoteCounts, cluster: Cluster | None, folds: int, seed: int) -> Parts:
    """Parts of clusters of the first facet, or of single votes.

    Raises
    ------
    NotEstimable
        If there are fewer clusters than parts.
    """
    rows, rng = Rows(known), stream(seed, "folds")
    names, count = clustered_by(rows.votes, cluster, rows.used), rows.votes.weights[rows.used]
    row = np.arange(len(count)) if names else np.repeat(np.arange(len(count)), count)
    weight = count.astype(np.float64) if names else np.ones(len(row))
    code = rows.code(names[0]) if names else np.arange(len(row))
    levels, held = int(code.max()) + 1, names[0] if names else "vote"
    if levels < folds:
        raise NotEstimable(f"folds: {levels} levels of {held} are fewer than {folds} parts")
    return Parts(row, weight, rng.permutation(np.arange(levels) % folds)[code], code, held)


def held_out(known: VoteCounts, held: Parts, folds: int) -> Floats:
    """Minus the log chance of every entry, by the fit to the other parts.

    Raises
    ------
    NotEstimable
        If there is no fit without some part.
    """
    places, shape = known.places, known.counts.shape
    place = places.place[places.used][held.row]
    own = np.bincount(place * folds + held.part, held.weight, places.size * folds).reshape(*shape, folds)
    train = own.sum(axis=-1, keepdims=True) - own
    if not exists(known.design, train, shrunk=known.level is None).all():
        raise NotEstimable("without one of the parts it has no maximum")
    loss = np.zeros(len(place))
    for fold in range(folds):
        if known.level is None:
            design, at = known.pairwise, fit(known.design, train[..., fold : fold + 1], RIDGE)
        else:
            design, at = discriminating(known.pairwise, known.level, train[..., fold : fold + 1])
        if not at.converged[0]:
            raise NotEstimable("without one of the parts its maximum was not reached")
        chance = design.ties.log_chances(design.gap(at.theta), design.tie(at.theta))
        mine = held.part == fold
        loss[mine] = -np.moveaxis(chance[..., 0], 0, -1).ravel()[place[mine]]
    return loss


def _error(difference: Floats, weight: Floats, code: Ints) -> float:
    """Standard error of a weighted mean over rows whose clusters are independent."""
    mean = weight @ difference / weight.sum()
    sums = np.bincount(code, weight * (difference - mean))
    return float(np.sqrt(len(sums) / (len(sums) - 1) * (sums @ sums)) / weight.sum())
