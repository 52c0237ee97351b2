"""Groups of judges, such as tiers or makers: what the variance of each is made of, and what a panel of one is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from itertools import product
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.means.targets import PANEL, POPULATION
from quorate.estimate.panel.crossed import crossed_scores
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.panel.subsets import Choice, exchange, exhaustive
from quorate.planning.designs.dstudy import Prices, project
from quorate.planning.panel.screening import WHOLE_SEARCH, priced
from quorate.planning.panel.shortlist import JudgePool, Shortlist, beyond_cells, facts
from quorate.roles import FAMILY, JUDGE
from quorate.streams import stream
from quorate.table.facets import Facet
from quorate.table.families import AUTO, families_of
from quorate.table.judgments import Judgments
from quorate.waiting import each
from quorate.wording import Brief, listed, whole_percent

GROUP = "group"
ANY, EACH = "any judges", "one of each"
"""Panels that are not of one group: the most precise of all, and the most precise with one judge of every group."""
_MOST_COMBINATIONS = 100_000
_MOST_NUMBERS = 4_000_000


@dataclass(frozen=True)
class ByGroup(Brief):
    """Which judge is of which group.

    Parameters
    ----------
    role : str
        What groups are called: the facet that was named, else "family" or "group".
    of : mapping of str to str
        Group of every judge.
    """

    role: str
    of: Mapping[str, str]

    @property
    def members(self) -> dict[str, tuple[str, ...]]:
        """Judges of every group."""
        names = sorted(set(self.of.values()))
        return {name: tuple(judge for judge, group in self.of.items() if group == name) for name in names}

    def added(self, judgments: Judgments) -> Judgments:
        """The judgments with the groups as a facet, whose judges are those there are."""
        names, judges = tuple(self.members), judgments.facet(JUDGE)
        place = np.array([names.index(self.of[judge]) for judge in judges.levels], dtype=np.int32)
        codes = np.column_stack([judgments.codes, place[judgments.column(JUDGE)]])
        facets = (*judgments.facets, Facet(self.role, judges.column, names, fixed=True))
        return replace(judgments, facets=facets, codes=codes)


@dataclass(frozen=True)
class GroupVariance:
    """The variance of the mean by the judges of one group, in the study as it was made.

    Parameters
    ----------
    group : str
        Its name.
    judges : tuple of str
        Its judges.
    mean : float
        Mean score by them.
    se : float
        Standard error of that mean, for these judges.
    se_population : float
        The same for judges like these; nan with one judge.
    shares : mapping of str to float
        Fraction of the variance by component: for judges like these, with one judge for this one.
    """

    group: str
    judges: tuple[str, ...]
    mean: float
    se: float
    se_population: float
    shares: Mapping[str, float]


@dataclass(frozen=True)
class GroupPanel:
    """The most precise panel out of some of the judges, for the price of the study.

    Parameters
    ----------
    label : str
        Whose judges: a group, "any judges" or "one of each".
    panel : Shortlist
        Who judges, on how many new items, and how precise the mean is about the average of all judges.
    precision : float
        What this money buys here, as a part of what it buys with "any judges": the ratio of squared half intervals.
    low, high : float
        Its interval, by resampled items.
    """

    label: str
    panel: Shortlist
    precision: float
    low: float
    high: float


@dataclass(frozen=True)
class Groups(Brief):
    """Groups of judges side by side, on one system.

    Parameters
    ----------
    role : str
        What groups are called.
    variances : tuple of GroupVariance
        One for each group.
    panels : tuple of GroupPanel
        Of any judges, of one of each group, and of each group alone; empty where scores are not crossed.
    reason : str
        Why there are no panels; else empty.
    cost : float
        Money for each of them: the price of the study.
    level : float
        Coverage of every interval.
    """

    role: str
    variances: tuple[GroupVariance, ...]
    panels: tuple[GroupPanel, ...]
    reason: str
    cost: float
    level: float

    @property
    def sentence(self) -> str:
        """What judges of one group alone are worth beside the best panel."""
        alone = [one for one in self.panels if one.label not in (ANY, EACH)]
        if not alone:
            return ""
        named = [f"{one.label} {whole_percent(one.precision)}" for one in sorted(alone, key=lambda p: -p.precision)]
        best = self.panels[0].panel
        return (
            f"For the price of this study ({self.cost:,.4g}) {listed(best.judges, most=6)} would be the most precise "
            f"panel (±{best.half_width:.3g}); the same money buys judges of one {self.role} alone this much of "
            f"its precision: {listed(named)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**asdict(self), "sentence": self.sentence}


def grouping(judgments: Judgments, group: str | Mapping[str, str]) -> tuple[Judgments, ByGroup]:
    """Groups of the judges, and the judgments without a facet that says no more than these.

    Parameters
    ----------
    judgments : Judgments
        With several judges.
    group : str or mapping of str to str
        Role of a facet that has one level for every judge; "auto" for the makers that names tell; or the group of each
        judge, those without one being a group alone.

    Raises
    ------
    UnknownTerm
        If there is no such facet or judge.
    InvalidInput
        If a judge is in several groups, or there are not 2 groups, one of them of several judges.
    """
    judges = judgments.facet(JUDGE).levels
    if isinstance(group, str) and group != AUTO:
        if group in (JUDGE, judgments.object):
            raise InvalidInput(f'group: "{group}" is no group of judges; name the column that groups them')
        levels = judgments.facet(group).levels
        pairs = np.unique(np.column_stack([judgments.column(JUDGE), judgments.column(group)]), axis=0)
        several = np.flatnonzero(np.bincount(pairs[:, 0], minlength=len(judges)) > 1)
        if several.size:
            judge = int(several[0])
            found = [levels[at] for at in pairs[pairs[:, 0] == judge, 1]]
            raise InvalidInput(
                f'group: judge "{judges[judge]}" is in several levels of {group} ({listed(found, most=3)}); name a '
                "column that has one for every judge, or say it, " + argument("group", {"gpt-4o": "mid"})
            )
        made = ByGroup(group, {judges[judge]: levels[at] for judge, at in pairs.tolist()})
        kept = [i for i, name in enumerate(judgments.names) if name != group]
        free = [judgments.facets[i] for i in kept]
        free = [replace(f, parent=None, fixed=True) if f.name == JUDGE else f for f in free]
        judgments = replace(judgments, facets=tuple(free), codes=judgments.codes[:, kept])
    else:
        role = FAMILY if group == AUTO else GROUP
        own = families_of(judges, AUTO if isinstance(group, str) else group)
        made = ByGroup(role, dict(zip(judges, own, strict=True)))
    if not 1 < len(made.members) < len(judges):
        raise InvalidInput(
            f"group: the {len(judges)} judges are in {len(made.members)} of {made.role}; at least two are needed, and "
            "one of them with several judges"
        )
    return judgments, made


def groups_of(judgments: Judgments, by: ByGroup, *, prices: Prices | None, level: float, resamples: int) -> Groups:
    """Groups side by side on one system: components of each by its own fit, and panels within and across groups.

    Parameters
    ----------
    judgments : Judgments
        Of one system.
    by : ByGroup
        Groups of its judges.
    prices : mapping, optional
        As for `quorate.scores.screen`.
    level : float
        Coverage of every interval.
    resamples : int
        Of the items.

    Raises
    ------
    NotEstimable
        If the judgments of a group allow no fit.
    """
    variances = []
    for name, judges in by.members.items():
        own = judgments.keep(np.isin(np.array(judgments.facet(JUDGE).levels), judges)[judgments.column(JUDGE)])
        facets = tuple(replace(f, fixed=True) if f.name == JUDGE else f for f in own.facets)
        fit = decompose(replace(own, facets=facets))
        these = project(fit, targets={JUDGE: PANEL})
        like = project(fit, targets={JUDGE: POPULATION}) if len(judges) > 1 else None
        spread, mean = math.nan if like is None else like.se, fit.mean_for(judge=PANEL).value
        variances.append(GroupVariance(name, judges, mean, these.se, spread, dict((like or these).shares)))
    try:
        panels, cost = _panels(judgments, by, prices, level, resamples)
        return Groups(by.role, tuple(variances), panels, "", cost, level)
    except (NotEstimable, InvalidInput) as error:
        return Groups(by.role, tuple(variances), (), str(error), math.nan, level)


def _panels(
    judgments: Judgments, by: ByGroup, prices: Prices | None, level: float, resamples: int
) -> tuple[tuple[GroupPanel, ...], float]:
    """The most precise panels for the price of the study, each with its precision beside that of any judges."""
    scores = crossed_scores(judgments)
    price, item_price, cost = priced(judgments, scores, prices)
    extra = beyond_cells(judgments, scores)
    groups = np.array([by.of[judge] for judge in scores.judges])
    alike = [np.flatnonzero(groups == name) for name in np.unique(groups)]
    pilot = facts(scores.x, extra, alike)
    if not pilot.spread.any():
        raise NotEstimable("every judge gave all items one score, so nothing varies")
    judges = len(scores.judges)
    choice = Choice(pilot.spread, pilot.error(corrected=True), price, cost, None, 1, judges)
    pool = JudgePool(scores.judges, price, item_price, pilot, choice, corrected=True, items=len(scores.x))
    found = dict(_best(pool, groups))
    members = np.stack(list(found.values()))
    made, items = [pool.panel(label, one) for label, one in found.items()], len(scores.x)
    redrawn = np.log(_resampled(pool, scores.x, extra, alike, members, resamples))
    error = np.std(redrawn[:, :1] - redrawn, axis=0) * math.sqrt(items / (items - 1))
    wide = np.exp(t_quantile(items - 1, (1 + level) / 2) * error)
    best = math.inf if made[0] is None else made[0].half_width
    panels = [
        GroupPanel(one.label, one, precision, float(precision / wide[i]), float(precision * wide[i]))
        for i, one in enumerate(made)
        if one is not None and (precision := (best / one.half_width) ** 2) < math.inf
    ]
    return tuple(panels), cost


def _best(pool: JudgePool, groups: np.typing.NDArray[np.str_]) -> Iterator[tuple[str, Bools]]:
    """Members of the most precise panel of any judges, of one of each group, and of each group alone."""
    everyone = np.ones(len(groups), dtype=bool)
    yield ANY, _best_of(pool, everyone)
    names = np.unique(groups)
    places = [np.flatnonzero(groups == name) for name in names]
    if math.prod(map(len, places)) <= _MOST_COMBINATIONS:
        chosen = np.array(list(product(*places)))
        members = np.zeros((len(chosen), len(groups)), dtype=bool)
        np.put_along_axis(members, chosen, values=True, axis=1)
        yield EACH, members[pool.choice.of(members).argmin()]
    for name in names:
        yield str(name), _best_of(pool, groups == name)


def _best_of(pool: JudgePool, allowed: Bools) -> Bools:
    """Members of the most precise panel out of those who are allowed."""
    at, choice = np.flatnonzero(allowed), pool.choice
    own = replace(
        choice, spread=choice.spread[at], error=choice.error[np.ix_(at, at)], price=choice.price[at], most=len(at)
    )
    members, values = exhaustive(own) if len(at) <= WHOLE_SEARCH else exchange(own)
    return np.isin(np.arange(len(allowed)), at[members[values.argmin()]])


def _resampled(pool: JudgePool, x: Floats, extra: Floats, alike: list[Ints], members: Bools, draws: int) -> Floats:
    """Variance of each panel by studies of resampled items, shape (draws, panels)."""
    rng, size = stream(0, "groups"), max(_MOST_NUMBERS // x.size, 1)

    def redrawn(studies: int) -> Floats:
        """Variances by so many studies."""
        pilots = facts(x[rng.integers(len(x), size=(studies, len(x)))], extra, alike)
        choice = replace(pool.choice, spread=pilots.spread, error=pilots.error(corrected=True))
        return np.stack([choice.of(np.broadcast_to(one, (studies, len(one)))) for one in members], axis=1)

    return np.concatenate([redrawn(min(size, draws - done)) for done in each("redrawn pilots", range(0, draws, size))])
