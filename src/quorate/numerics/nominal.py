"""Agreement on labels beyond chance: coefficients, and their intervals over items and judges; derived in labels.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.chances import Items, Number, score_intervals
from quorate.numerics.distributions import t_quantile

_FEWEST = 3
"""Items or judges that a jackknife over them needs."""
MOST_ITEMS, MOST_JUDGES = 2000, 50
"""Beyond so many a jackknife leaves out equal parts of them, drawn at random and the same every time."""


class Ratings(NamedTuple):
    """Labels by item and judge, an entry for each label that a judge gave an item.

    Parameters
    ----------
    item, judge, label : array of int64, shape (entries,)
        Codes from 0.
    weight : array, shape (entries,)
        Share of what this judge said of this item; these add up to 1 for each judge of an item.
    items, judges, labels : int
        How many of each there are.
    drawn : array of int64, shape (items,), optional
        Which of the items are drawn together, such as what several systems answered to one question.
    """

    item: Ints
    judge: Ints
    label: Ints
    weight: Floats
    items: int
    judges: int
    labels: int
    drawn: Ints | None = None


class Tally(NamedTuple):
    """What judges said, by item.

    Parameters
    ----------
    judges : array, shape (items,)
        How many judged it.
    labels : array, shape (items, labels)
        How many gave it each label.
    own : array, shape (items,)
        Sum of squared weights: agreement of judges with themselves.
    """

    judges: Floats
    labels: Floats
    own: Floats

    def less(self, other: Tally) -> Tally:
        """Without some of the judges."""
        return Tally(self.judges - other.judges, self.labels - other.labels, self.own - other.own)

    @property
    def agreeing(self) -> Floats:
        """Ordered pairs of judges who agree, by item."""
        agreeing: Floats = np.maximum((self.labels**2).sum(axis=1) - self.own, 0.0)
        return agreeing


class Estimated(NamedTuple):
    """A coefficient with its interval.

    Parameters
    ----------
    value, low, high : float
        The interval is nan where items are too few, or all labels are one.
    se : float
        Standard error, by the jackknife; nan where all agree.
    judges : bool
        Whether judges count as sampled, not items alone.
    panel : tuple of float
        The interval that counts items alone.
    """

    value: float
    low: float
    high: float
    se: float
    judges: bool
    panel: tuple[float, float]


def tally(ratings: Ratings) -> Tally:
    """Labels by item."""
    place = ratings.item * ratings.labels + ratings.label
    flat: Floats = np.bincount(place, ratings.weight, ratings.items * ratings.labels).astype(float)
    count = flat.reshape(ratings.items, ratings.labels)
    own: Floats = np.bincount(ratings.item, ratings.weight**2, ratings.items).astype(float)
    return Tally(count.sum(axis=1), count, own)


def _tallies(ratings: Ratings) -> Iterator[Tally]:
    """Labels by item, of every judge."""
    order = np.argsort(ratings.judge, kind="stable")
    ends = np.searchsorted(ratings.judge[order], np.arange(1, ratings.judges))
    item, judge, label, weight = ratings[:4]
    for one in np.split(order, ends):
        yield tally(ratings._replace(item=item[one], judge=judge[one], label=label[one], weight=weight[one]))


def krippendorff(sums: Floats) -> Floats:
    """Krippendorff's alpha: one less observed over expected squared distance; nan where all labels are equal.

    Parameters
    ----------
    sums : array, shape (..., columns)
        Scores, squared distances within items, sums of squares, and sums by dimension. The squared distances of m
        points add up to 2 m times their sum of squares about the mean.
    """
    n, inside, squares, total = sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3:]
    safe = np.maximum(n, 2.0)
    expected = 2 * (squares - (total**2).sum(axis=-1) / safe) / (safe - 1)
    usable = (n > 1) & (expected > 1e-12 * np.maximum(squares / safe, 1e-300))
    return np.where(usable, 1 - inside / safe / np.where(usable, expected, 1.0), np.nan)


def alpha_within(ratings: Ratings, group: Ints) -> float:
    """Krippendorff's alpha where chance is that of each group of items by itself; nan where labels vary in none.

    Parameters
    ----------
    ratings : Ratings
        Labels.
    group : array of int, shape (items,)
        From 0.
    """
    rows = _krippendorff_rows(tally(ratings))
    sums = np.array([np.bincount(group, column) for column in rows.T]).T
    n, inside, squares, total = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    several = np.maximum(n, 2.0)
    chance = n * 2 * (squares - (total**2).sum(axis=1) / several) / (several - 1)
    return float(1 - inside.sum() / chance.sum()) if chance.sum() > 1e-9 else np.nan


def krippendorff_slopes(sums: Floats) -> Floats:
    """How `krippendorff` changes with each sum."""
    n, inside, squares, total = np.maximum(sums[..., :1], 2.0), sums[..., 1:2], sums[..., 2:3], sums[..., 3:]
    about = (total**2).sum(axis=-1, keepdims=True) / n
    expected = np.maximum(2 * (squares - about) / (n - 1), 1e-300)
    observed = inside / n
    by_n = observed / n + observed / expected * (2 * about / n / (n - 1) - expected / (n - 1))
    by_total = -4 * observed / expected * total / (n * (n - 1))
    slopes = [by_n, -np.ones_like(n) / n, 2 * observed / expected / (n - 1), by_total]
    return np.asarray(np.concatenate(slopes, axis=-1) / expected)


ALPHA = Number(krippendorff, krippendorff_slopes)


def _krippendorff_rows(found: Tally) -> Floats:
    """What every item adds to the sums of `krippendorff`."""
    n = np.where(found.judges >= 2, found.judges, 0.0)
    several = n > 0
    differing = n * (n - 1) - found.agreeing * several
    inside = 2 * differing / np.where(several, n - 1, 1.0)
    return np.column_stack([n, inside, n, found.labels * several[:, None]])


def _shared_rows(found: Tally) -> Floats:
    """What every item adds to the sums of `fleiss`, `gwet` and `agreement`."""
    n, some, several = np.maximum(found.judges, 1.0), found.judges > 0, found.judges >= 2
    agreeing = np.where(several, found.agreeing / np.maximum(n * (n - 1), 1.0), 0.0)
    return np.column_stack([agreeing, several, some, found.labels / n[:, None]])


def agreement(sums: Floats) -> Floats:
    """Chance that two judges of an item give it one label, items counted alike; nan where none has two."""
    return np.where(sums[..., 1] > 0, sums[..., 0] / np.maximum(sums[..., 1], 1.0), np.nan)


def agreement_slopes(sums: Floats) -> Floats:
    """How `agreement` changes with each sum."""
    several, out = np.maximum(sums[..., 1], 1e-300), np.zeros_like(sums)
    out[..., 0], out[..., 1] = 1 / several, -sums[..., 0] / several**2
    return out


def fleiss(sums: Floats) -> Floats:
    """Fleiss' kappa, with any number of judges for each item (Gwet, 2014, chapter 2)."""
    return _beyond(agreement(sums), (_marginal(sums) ** 2).sum(axis=-1))


def fleiss_slopes(sums: Floats) -> Floats:
    """How `fleiss` changes with each sum."""
    share = _marginal(sums)
    return _shared_slopes(sums, (share**2).sum(axis=-1), 2 * share)


def gwet(sums: Floats) -> Floats:
    """Gwet's AC1 (Gwet, 2008)."""
    share = _marginal(sums)
    chance = (share * (1 - share)).sum(axis=-1) / max(share.shape[-1] - 1, 1)
    return _beyond(agreement(sums), chance)


def gwet_slopes(sums: Floats) -> Floats:
    """How `gwet` changes with each sum."""
    share, others = _marginal(sums), max(sums.shape[-1] - 4, 1)
    return _shared_slopes(sums, (share * (1 - share)).sum(axis=-1) / others, (1 - 2 * share) / others)


def _shared_slopes(sums: Floats, chance: Floats, by_share: Floats) -> Floats:
    """Slopes of a coefficient beyond a chance that changes so with the share of every label."""
    with_chance, some = np.zeros_like(sums), np.maximum(sums[..., 2], 1.0)
    with_chance[..., 3:] = by_share / some[..., None]
    with_chance[..., 2] = -(by_share * _marginal(sums)).sum(axis=-1) / some
    return _beyond_slopes(agreement(sums), chance, agreement_slopes(sums), with_chance)


def cohen_rows(first: Floats, second: Floats) -> Floats:
    """What every item adds to the sums of `cohen`: one, whether two judges agree, and what each said, by label."""
    return np.column_stack([np.ones(len(first)), (first * second).sum(axis=1), first, second])


def cohen(sums: Floats) -> Floats:
    """Cohen's kappa of two judges; nan where both give one and the same label throughout."""
    mean = sums / np.maximum(sums[..., :1], 1e-300)
    one, other = np.split(mean[..., 2:], 2, axis=-1)
    return _beyond(mean[..., 1], (one * other).sum(axis=-1))


def cohen_slopes(sums: Floats) -> Floats:
    """How `cohen` changes with each sum."""
    items = np.maximum(sums[..., :1], 1e-300)
    agreeing, out, with_chance = sums[..., 1] / items[..., 0], np.zeros_like(sums), np.zeros_like(sums)
    one, other = np.split(sums[..., 2:] / items, 2, axis=-1)
    chance = (one * other).sum(axis=-1)
    out[..., 0], out[..., 1] = -agreeing, 1
    with_chance[..., 0], with_chance[..., 2:] = -2 * chance, np.concatenate([other, one], axis=-1)
    return _beyond_slopes(agreeing, chance, out, with_chance) / items


def cohen_intervals(
    pairs: Sequence[tuple[Floats, Floats]], level: float, drawn: Sequence[Ints | None] | None = None
) -> Floats:
    """Score intervals of Cohen's kappa over items, the two judges being these, shape (pairs, 2).

    nan with too few items or one label.

    Parameters
    ----------
    pairs : sequence of two arrays, shape (items, labels)
        What each of two judges said of the same items: shares that add up to 1, of the same labels for all pairs.
    level : float
        Coverage wanted, in (0, 1).
    drawn : sequence of array of int, optional
        Items that are drawn together, as of `Ratings`, those of each pair.
    """
    out = np.full((len(pairs), 2), np.nan)
    each = [cohen_rows(first, second) for first, second in pairs]
    rows = [together(own, of) for own, of in zip(each, drawn or [None] * len(pairs), strict=True)]
    known = [k for k, own in enumerate(rows) if len(own) >= _FEWEST and not np.isnan(cohen(own.sum(axis=0)))]
    if known:
        size = pairs[0][0].shape[1]
        label = np.eye(size)
        possible = cohen_rows(np.repeat(label, size, axis=0), np.tile(label, (size, 1)))
        limits = [t_quantile(len(rows[k]) - 1, (1 + level) / 2) ** 2 for k in known]
        tables = [
            Items(rows[k], possible * round(len(each[k]) / len(rows[k])), limit)
            for k, limit in zip(known, limits, strict=True)
        ]
        out[known] = score_intervals(tables, Number(cohen, cohen_slopes))
    return out


def _possible_tallies(found: Tally) -> Tally:
    """What an item could show to as many judges as most had: any number for one label, the rest for the commonest."""
    several = found.judges[found.judges >= 2]
    judges = int(np.bincount(np.round(several if len(several) else found.judges).astype(np.int64)).argmax())
    most = int(found.labels.sum(axis=0).argmax())
    rows = np.zeros((found.labels.shape[1], judges + 1, found.labels.shape[1]))
    for label, part in enumerate(rows):
        part[:, most] = judges - np.arange(judges + 1)
        part[:, label] += np.arange(judges + 1)
    flat = rows.reshape(-1, rows.shape[-1])
    return Tally(np.full(len(flat), float(judges)), flat, np.full(len(flat), float(judges)))


class Steps(NamedTuple):
    """A coefficient of labels by many judges.

    Parameters
    ----------
    rows : callable
        From labels by item to what every item adds to sums.
    number : Number
        The coefficient of such sums.
    least : float
        The least that the coefficient can be; 1 is the most.
    """

    rows: Callable[[Tally], Floats]
    number: Number
    least: float = -1.0


COEFFICIENTS: Mapping[str, Steps] = {
    "agreement": Steps(_shared_rows, Number(agreement, agreement_slopes), 0.0),
    "Krippendorff's alpha": Steps(_krippendorff_rows, ALPHA),
    "Fleiss' kappa": Steps(_shared_rows, Number(fleiss, fleiss_slopes)),
    "Gwet's AC1": Steps(_shared_rows, Number(gwet, gwet_slopes)),
}
"""Coefficients of agreement, by what they are called: the chance that two judges agree, and those beyond chance."""


def with_interval(ratings: Ratings, steps: Steps, level: float, *, named: bool = True) -> Estimated:
    """A coefficient of sums over items, with its score interval over items, wider by what judges add.

    What judges add is by the jackknife in both directions: the variance is ``v_items + v_judges - v_both``, each from
    leaving out one (of very many, a part) or one of both, on the scale of ``log((1 - value) / (value - least))``; its
    degrees of freedom are Satterthwaite's. With two judges it is that of items alone.

    Parameters
    ----------
    ratings : Ratings
        Labels.
    steps : Steps
        The coefficient.
    level : float
        Coverage wanted.
    named : bool
        Whether the same judge is the same code at every item; else judges cannot be left out, and add nothing.
    """
    (found,) = with_intervals([ratings], steps, level, named=named)
    return found


def with_intervals(tables: Sequence[Ratings], steps: Steps, level: float, *, named: bool = True) -> list[Estimated]:
    """Coefficients as of `with_interval`, of tables with the same labels: ends of all are looked for together."""
    each = [_jackknifed(ratings, steps, level, named) for ratings in tables]
    ends = iter(score_intervals([one for found in each for one in found.sought], steps.number).tolist())
    out = []
    for found in each:
        intervals = [next(ends) for _ in found.sought] or [[np.nan, np.nan]]
        (alone_low, alone_high), (low, high) = intervals[0], intervals[-1]
        out.append(Estimated(found.value, low, high, found.se, found.judges, (alone_low, alone_high)))
    return out


class _Jackknifed(NamedTuple):
    """A coefficient, its standard error, whether judges count, and what its intervals are those of: items, then all."""

    value: float
    se: float
    judges: bool
    sought: list[Items]


def _jackknifed(ratings: Ratings, steps: Steps, level: float, named: bool) -> _Jackknifed:
    rows, number, least = steps
    value = number.value
    whole = tally(ratings)
    added = together(rows(whole), ratings.drawn)
    total = added.sum(axis=0)
    point = float(value(total))
    n, m = len(added), ratings.judges
    if n < _FEWEST or ratings.labels < 2 or np.isnan(point):
        return _Jackknifed(point, np.nan, False, [])
    of_item, of_judge = _parts(n, MOST_ITEMS), _parts(m, MOST_JUDGES)
    parts, both = [], []
    groups = ratings._replace(judge=of_judge[ratings.judge], judges=int(of_judge.max()) + 1)
    for one in _tallies(groups) if named and m >= _FEWEST else ():
        own = together(rows(whole.less(one)), ratings.drawn)
        parts.append(value(own.sum(axis=0)))
        both.append(value(own.sum(axis=0) - _summed(own, of_item)))
    left = value(total - _summed(added, of_item))
    se, wider, df, counted = _jackknife(point, left, np.array(parts), np.array(both), least)
    possible, chance = rows(_possible_tallies(whole)) * round(ratings.items / n), (1 + level) / 2
    limits = [t_quantile(n - 1.0, chance) ** 2, *([wider * t_quantile(df, chance) ** 2] if counted else [])]
    return _Jackknifed(point, se, counted, [Items(added, possible, limit) for limit in limits])


def together(rows: Floats, drawn: Ints | None) -> Floats:
    """Rows of items, those that are drawn together added up."""
    return rows if drawn is None else _summed(rows, np.unique(drawn, return_inverse=True)[1])


def _parts(size: int, most: int) -> Ints:
    """The part that each of so many belongs to: its own, or one of as many equal ones as there may be."""
    if size <= most:
        return np.arange(size)
    return np.asarray(np.random.default_rng(0).permutation(size) * most // size)


def _summed(rows: Floats, part: Ints) -> Floats:
    """Rows added up by the part that they belong to."""
    if int(part.max()) + 1 == len(rows):
        return rows[np.argsort(part)]
    return np.column_stack([np.bincount(part, column) for column in rows.T])


def _jackknife(
    point: float, left: Floats, parts: Floats, both: Floats, least: float
) -> tuple[float, float, float, bool]:
    """Standard error, variance over that of items, its degrees of freedom, and whether judges are counted.

    From what is left without every item, every judge, and each pair of the two.
    """
    n, m = len(left), len(parts)
    counted = bool(m) and not (np.isnan(parts).any() or np.isnan(both).any())
    if np.isnan(left).any():
        return np.nan, 1.0, float(n - 1), False
    every = np.concatenate([[point], left, *([parts, both.ravel()] if counted else [])])
    logs = bool((every < 1 - 1e-12).all() and (every > least + 1e-12).all())  # else a part is at an end

    def scaled(values: Floats) -> Floats:
        return np.log((1 - values) / (values - least)) if logs else values

    of_items = (n - 1) / n * _squares(scaled(left))
    variance, spread = of_items, of_items**2 / (n - 1)
    if counted:
        each = scaled(both)
        apart = each - each.mean(axis=0) - each.mean(axis=1)[:, None] + each.mean()
        of_judges = (m - 1) / m * _squares(scaled(parts))
        of_both = (n - 1) * (m - 1) / (n * m) * float((apart**2).sum())
        variance = max(of_items + of_judges - of_both, of_items, of_judges)
        spread += of_judges**2 / (m - 1) + of_both**2 / ((n - 1) * (m - 1))
    if not of_items > 1e-24:
        return np.nan, 1.0, float(n - 1), counted
    se = float(np.sqrt(variance)) * ((1 - point) * (point - least) / (1 - least) if logs else 1.0)
    return se, variance / of_items, max(1.0, variance**2 / spread), counted


def _squares(values: Floats) -> float:
    return float(((values - values.mean()) ** 2).sum())


def _marginal(sums: Floats) -> Floats:
    """Share of each label, items counted alike."""
    share: Floats = sums[..., 3:] / np.maximum(sums[..., 2:3], 1.0)
    return share


def _beyond(observed: Floats, chance: Floats) -> Floats:
    """Agreement beyond chance; nan where chance alone would agree always."""
    usable = chance < 1 - 1e-12
    return np.where(usable, (observed - chance) / np.where(usable, 1 - chance, 1.0), np.nan)


def _beyond_slopes(observed: Floats, chance: Floats, of_observed: Floats, of_chance: Floats) -> Floats:
    """Slopes of `_beyond`, from those of both."""
    left = np.maximum(1 - chance, 1e-12)[..., None]
    return np.asarray(of_observed / left - (1 - observed[..., None]) * of_chance / left**2)
