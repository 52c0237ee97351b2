"""Agreement of pipelines of judges with people: how often each decides a battle as they do, and which does so more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quorate import caveats, rules
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.agreement import labelled
from quorate.estimate.agreement.battles import Battles, PositionBias, pairwise_battles, position_bias
from quorate.estimate.agreement.leaderboards import CellAccuracies, accuracy_by_cell
from quorate.estimate.shares import share_of
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level, equal_tails
from quorate.numerics.votes import clustered
from quorate.numerics.votes.binomial import p_value
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.kinds import for_kind
from quorate.table.pairs import TIE
from quorate.table.results import Result, Row
from quorate.table.votes import Votes
from quorate.wording import Brief, at_level


def battle_clusters(people: Votes, key: str, cluster: str | None) -> tuple[str | None, Ints]:
    """What battles are clustered by, and the cluster of each, in the order of the people's battles.

    Parameters
    ----------
    people : Votes
        What people said.
    key : str
        Role of what the two models answered. Battles of one level of it are a cluster unless another role is named.
    cluster : str, optional
        Role whose levels are the clusters.

    Returns
    -------
    name, code
        The role, and the number of each battle's cluster, from 0; None and as many numbers where each battle is its
        own.

    Raises
    ------
    InvalidInput
        If a battle has no cluster, or several.
    UnknownTerm
        If there is no such role.
    """
    battles = pairwise_battles(people, key=key, by=cluster)
    labels = battles.groups if cluster is not None else tuple(item for item, *_ in battles.keys)
    without = sum(label == "" for label in labels) if cluster is not None else 0
    if without:
        raise InvalidInput(f"cluster: {without:,} battles have no {cluster}; leave them out with votes.keep(...)")
    code = np.unique(np.array(labels), return_inverse=True)[1].astype(np.int64)
    shared = len(code) > int(code.max(initial=-1)) + 1
    return (cluster or key, code) if shared else (None, np.arange(len(battles)))


Kind = Literal["overall", "decisive"]
ALL = "all"
_FEW = 20
_KINDS: tuple[Kind, ...] = ("overall", "decisive")


@dataclass(frozen=True)
class Rate(Brief):
    """Share of battles that a pipeline decides as people do.

    Parameters
    ----------
    pipeline, category : str
        Whose, and of which battles; ``all`` for all categories.
    kind : {"overall", "decisive"}
        ``overall``: a tie is right where people tie. ``decisive``: battles that neither calls a tie.
    n : int
        Battles.
    value : float
        Share; nan without battles.
    low, high : float
        Its interval, by clusters where there are any; nan with fewer than two battles or clusters.
    clusters : int or None
        Clusters of the battles; None where each battle is its own.
    """

    pipeline: str
    category: str
    kind: Kind
    n: int
    value: float
    low: float
    high: float
    clusters: int | None = None


@dataclass(frozen=True)
class PipelineDifference(Brief):
    """Agreement of one pipeline less that of another, on the same battles.

    Parameters
    ----------
    first, second : str
        Pipelines.
    category : str
        Of which battles.
    kind : {"overall", "decisive"}
        As for `Rate`; decisive are here the battles that neither people nor either pipeline call a tie.
    n : int
        Battles.
    first_value, second_value : float
        Agreement of both on these battles.
    value : float
        Their difference.
    low, high : float
        Its bootstrap interval, battles drawn within categories, or Student's by clusters; nan where no battle tells the
        two apart.
    p : float
        Exact two-sided p-value that battles which one of the two gets right favour neither (McNemar), or Student's by
        clusters; nan with one cluster.
    clusters : int or None
        Clusters of the battles; None where each battle is its own.
    """

    first: str
    second: str
    category: str
    kind: Kind
    n: int
    first_value: float
    second_value: float
    value: float
    low: float
    high: float
    p: float
    clusters: int | None = None


@dataclass(frozen=True)
class Agreement(Result):
    """Agreement of pipelines of judges with people.

    Parameters
    ----------
    rates : tuple of Rate
        Of every pipeline, on all battles that it and people decided, in all and by category.
    differences : tuple of PipelineDifference
        Of every two pipelines, in all and by category.
    ties : mapping of str to float
        Share of ties of every pipeline, on the battles that it and people decided.
    thresholds : mapping of str to float
        Least margin at which each pipeline prefers a model.
    human_ties : mapping of str to float
        Share of ties of people on the same battles, by pipeline.
    level : float
        Coverage of the intervals.
    cluster : str or None
        What battles are clustered by; None where each is its own.
    cells : CellAccuracies, optional
        Right judgments in every cell.
    positions : tuple of PositionBias
        Of every judge, whether it prefers what is shown first.
    caveats : tuple of Caveat
        What to know before relying on this.
    """

    rates: tuple[Rate, ...]
    differences: tuple[PipelineDifference, ...]
    ties: Mapping[str, float]
    thresholds: Mapping[str, float]
    human_ties: Mapping[str, float]
    level: float
    cluster: str | None = None
    cells: CellAccuracies | None = None
    positions: tuple[PositionBias, ...] = ()
    caveats: tuple[Caveat, ...] = ()

    derived = ("sentence",)

    def rate(self, pipeline: str, kind: Kind = "overall", category: str = ALL) -> Rate:
        """Agreement of one pipeline.

        Raises
        ------
        UnknownTerm
            If there is no such pipeline, kind or category.
        """
        for rate in self.rates:
            if (rate.pipeline, rate.kind, rate.category) == (pipeline, kind, category):
                return rate
        raise UnknownTerm(
            f"{pipeline}, {kind}, {category}", [f"{r.pipeline}, {r.kind}, {r.category}" for r in self.rates], "rate"
        )

    @property
    def best(self) -> Rate:
        """The pipeline that decides most battles as people do, ties included."""
        whole = [rate for rate in self.rates if rate.category == ALL and rate.kind == "overall"]
        return max(whole, key=lambda rate: rate.value)

    @property
    def categories(self) -> tuple[str, ...]:
        """Categories of battles."""
        return tuple(dict.fromkeys(rate.category for rate in self.rates if rate.category != ALL))

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        best = self.best
        where = "" if best.clusters is None else f" in {best.clusters:,} clusters by {self.cluster}"
        ends = "not known" if np.isnan(best.low) else f"{best.low:.1%} to {best.high:.1%}"
        ties, of_people = self.ties[best.pipeline], self.human_ties[best.pipeline]
        halves = f"; with ties as half right {best.value + ties / 2:.1%}" if ties > of_people == 0 else ""
        return (
            f"{labelled.does(best.pipeline, 'decide')} {best.value:.1%} of {best.n:,} battles{where} as people do "
            f"({at_level(self.level)} interval {ends}), calling "
            f"{ties:.1%} a tie where people call {of_people:.1%}{halves}."
        )

    def rows(self) -> list[Row]:
        """One row for every pipeline, category and kind."""
        return [asdict(rate) for rate in self.rates]


def agreement(
    judged: labelled.Pipeline | Mapping[str, labelled.Pipeline],
    human: Votes | str | Sequence[str],
    *,
    each: str | Collection[str] | None = None,
    key: str = "prompt",
    by: str | None = None,
    cluster: str | None = None,
    threshold: float | None = None,
    calibrated: bool = False,
    cells: str | Sequence[str] | None = None,
    position: bool = False,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Agreement:
    """How often judges decide battles as people do, with ties and without, by category, and which pipeline does best.

    Parameters
    ----------
    judged : Votes, Judgments or Battles, or a mapping of names to them
        What judges said, one pipeline or several. Votes on one battle are averaged: a model wins above .55 of them,
        ties as halves. Scores of the two responses are averaged: a tie below half a point. Other rules: ``threshold``,
        and `quorate.estimate.agreement.battles`.
    human : Votes, str or sequence of str
        What people said, or the levels of ``judge`` in ``judged`` that are people.
    each : str or collection of str, optional
        Also every level of this role alone, such as judge; of several roles, every cell. Such as ``("judge", "variant",
        "order")``. ``order`` is that of the battle's first vote, or the other.
    key : str
        Role of what the two systems answered, of votes.
    by : str, optional
        Also within every level of this role of people's votes, such as category. The bootstrap draws battles within
        categories.
    cluster : str, optional
        Role of people's votes whose battles may resemble each other. Default: battles of one key between several pairs.
        Such as ``judge`` for the annotator of each.
    threshold : float, optional
        Least margin that is no tie: of votes the share above one half, .05 by default; of scores the difference, half a
        point on scales of 4 to 10 points. Other scales need it. Of ``Battles`` it is their own.
    calibrated : bool
        Move thresholds to where judges tie as often as people do. The threshold then rests on the labels that it is
        measured with; calibrate on other battles where there are few.
    cells : str or sequence of str, optional
        Votes: also how often single votes are right in every cell of these roles, such as judge and variant.
    position : bool
        Votes: also whether each judge prefers what is shown first; their order must be known.
    level : float
        Coverage of the intervals.
    resamples : int
        Bootstrap samples, of differences.
    rng : numpy.random.Generator or int, optional
        Seed or generator; the same draws every time if left out.

    Returns
    -------
    Agreement

    Raises
    ------
    InvalidInput
        If an argument is out of range or the tables do not fit.
    UnknownTerm
        If there is no such role or judge.
    NotEstimable
        If a pipeline and people share no battle.

    References
    ----------
    Messing (2026), section 4.3, appendix R and Table 17, whose differences are between pipelines on different battles.
    ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> frame = {"prompt": [1, 2, 3, 4] * 2, "judge": ["llm"] * 4 + ["person"] * 4}
    >>> frame |= {"model_a": ["x"] * 8, "model_b": ["y"] * 8, "winner": list("AABB") + ["A", "B", "B", "tie"]}
    >>> with_people = q.agreement.agreement(q.read_votes(polars.DataFrame(frame), announce=False), "person")
    >>> with_people.rate("judges").value, with_people.rate("judges", "decisive").n
    (0.5, 3)
    """
    checked_level(level)
    rules.whole("resamples", resamples, 100)
    kind = "votes" if isinstance(judged, Votes) else "scores" if isinstance(judged, Judgments) else "pipelines"
    for_kind(kind, {"cells": cells or None, "position": position or None}, votes=("cells", "position"))
    tables, people = labelled.pipelines_of(judged, human, each, key)
    truth = pairwise_battles(people, key=key, by=by)
    pipelines = {name: labelled.battles_of(table, key, threshold) for name, table in tables.items()}
    if calibrated:
        pipelines = {name: labelled.calibrated_to(truth, name, battles) for name, battles in pipelines.items()}
    verdicts = {name: labelled.verdicts_at(truth, name, battles) for name, battles in pipelines.items()}
    ties = {name: labelled.shared_ties(verdict, truth.verdicts) for name, verdict in verdicts.items()}
    source = np.random.default_rng(stream(0, "agreement") if rng is None else rng)
    groups = np.array(truth.groups)
    masks = {ALL: np.ones(len(truth), dtype=np.bool_)} | {
        name: groups == name for name in sorted({*truth.groups} - {""})
    }
    name, code = battle_clusters(people, key, cluster)
    place = None if name is None else code
    rates = [
        _rates(pipeline, verdict, truth.verdicts, mask, level, place)
        for pipeline, verdict in verdicts.items()
        for mask in masks.items()
    ]
    differences = [
        _differences(pair, (verdicts[pair[0]], verdicts[pair[1]]), truth, mask, (level, resamples, source), place)
        for pair in combinations(verdicts, 2)
        for mask in masks.items()
    ]
    votes = judged if isinstance(judged, Votes) else None
    return Agreement(
        rates=tuple(chain.from_iterable(rates)),
        differences=tuple(chain.from_iterable(differences)),
        ties={name: its for name, (its, _) in ties.items()},
        thresholds={name: battles.threshold for name, battles in pipelines.items()},
        human_ties={name: theirs for name, (_, theirs) in ties.items()},
        level=level,
        cluster=name,
        cells=accuracy_by_cell(judged, human, by=cells, key=key, level=level)
        if cells and isinstance(judged, Votes)
        else None,
        positions=position_bias(votes, key=key, level=level) if position and votes else (),
        caveats=() if name is None else _few(name, code, truth.verdicts, verdicts),
    )


def _few(
    name: str, code: Ints, people: labelled.Verdicts, verdicts: Mapping[str, labelled.Verdicts]
) -> tuple[Caveat, ...]:
    """A caveat where some pipeline has few clusters of battles."""
    worth = []
    for verdict in verdicts.values():
        sizes = np.bincount(code[_usable("overall", people, verdict)])
        sizes = sizes[sizes > 0].astype(float)
        worth.append((float(sizes.sum() ** 2 / (sizes @ sizes)), len(sizes)))
    effective, clusters = min(worth)
    return () if effective >= _FEW else (caveats.few_clusters(name, clusters, effective),)


def _usable(kind: Kind, people: labelled.Verdicts, *said: labelled.Verdicts) -> NDArray[np.bool_]:
    """Battles that count: decided by all, and for ``decisive`` a tie for none."""
    both = np.array([people, *said])
    return np.asarray(((both >= 0) & ((both != TIE) | (kind == "overall"))).all(axis=0))


def _rates(
    name: str,
    said: labelled.Verdicts,
    people: labelled.Verdicts,
    category: tuple[str, NDArray[np.bool_]],
    level: float,
    code: Ints | None,
) -> list[Rate]:
    out = []
    for kind in _KINDS:
        usable = _usable(kind, people, said) & category[1]
        drawn = (np.arange(len(usable)) if code is None else code)[usable]
        found = share_of((said == people)[usable].astype(float), drawn, level)
        clusters = None if code is None else len(np.unique(drawn))
        out.append(Rate(name, category[0], kind, found.n, found.value, *found.ends, clusters))
    return out


def _differences(
    names: tuple[str, str],
    said: tuple[labelled.Verdicts, labelled.Verdicts],
    truth: Battles,
    category: tuple[str, NDArray[np.bool_]],
    draws: tuple[float, int, np.random.Generator],
    code: Ints | None,
) -> list[PipelineDifference]:
    people, (label, mask), (level, resamples, rng) = truth.verdicts, category, draws
    strata = np.unique(np.array(truth.groups or [""] * len(truth)), return_inverse=True)[1]
    out = []
    for kind in _KINDS:
        usable = _usable(kind, people, *said) & mask
        n = int(usable.sum())
        first, second = (float((one == people)[usable].mean()) if n else np.nan for one in said)
        gain = (said[0] == people).astype(int) - (said[1] == people)
        up, down = (int(np.sum(gain[usable] == side)) for side in (1, -1))
        low, high = np.nan, np.nan
        p = float(p_value(up, up + down)) if up + down else 1.0
        if up + down and code is not None:
            low, high, p = clustered.gain_interval(gain[usable], code[usable], level)
        elif up + down:
            drawn = _gain_bootstrap(np.where(usable, gain + 2, 0)[mask], strata[mask], resamples, rng)
            low, high = equal_tails(drawn, level)
        clusters = None if code is None else len(np.unique(code[usable]))
        out.append(PipelineDifference(*names, label, kind, n, first, second, first - second, low, high, p, clusters))
    return out


def _gain_bootstrap(
    code: NDArray[np.int64], strata: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> Floats:
    """Differences over bootstrap samples: battles are 0 not usable, 1 lost, 2 alike, 3 gained, and drawn in strata."""
    total = np.zeros((resamples, 4))
    for stratum in np.unique(strata):
        counts = np.bincount(code[strata == stratum], minlength=4)
        total += rng.multinomial(int(counts.sum()), counts / counts.sum(), resamples)
    usable = total[:, 1:].sum(axis=1)
    return np.asarray((total[:, 3] - total[:, 1])[usable > 0] / usable[usable > 0])
