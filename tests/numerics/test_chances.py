import numpy as np
import pytest
from scipy.optimize import minimize

from quorate.numerics.chances import Items, Number, score_interval, score_intervals
from quorate.numerics.distributions import t_quantile
from quorate.numerics.nominal import cohen, cohen_rows, cohen_slopes
from quorate.numerics.roots import root

KAPPA = Number(cohen, cohen_slopes)


def numeric(value):
    """A number whose slopes are small differences."""

    def slopes(sums):
        step = 1e-5 * np.eye(sums.shape[-1])
        return (value(sums[..., None, :] + step) - value(sums[..., None, :] - step)) / 2e-5

    return Number(value, slopes)


def share(sums):
    return sums[..., 1] / np.maximum(sums[..., 0], 1e-300)


@pytest.mark.parametrize("hits", [0, 1, 8, 10])
def test_of_a_share_it_is_wilsons(hits):
    """R 4.2: ``prop.test(8, 10, correct = FALSE)$conf.int`` is 0.4901625 0.9433178."""
    n, z2 = 10, 1.959963985**2
    rows = np.column_stack([np.ones(n), np.arange(n) < hits])
    found = score_interval(Items(rows, np.array([[1.0, 0.0], [1.0, 1.0]]), z2), numeric(share))
    p = hits / n
    half = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    assert found == pytest.approx((centre - half, centre + half), abs=1e-6)
    if hits == 8:
        assert found == pytest.approx((0.4901625, 0.9433178), abs=1e-6)


def extreme(items, number, side):
    """The furthest value over all chances that chi-square allows, by SciPy's general search from three starts."""
    rng, n, unseen = np.random.default_rng(0), len(items.rows), len(items.possible)
    seen, times = np.unique(items.rows, axis=0, return_counts=True)
    share, patterns = times / n, np.vstack([seen, items.possible])

    def left(chance):
        return 1 + items.limit / n - (share**2 / chance[: len(share)]).sum()

    def search(rare):
        return minimize(
            lambda chance: -side * float(number.value(chance @ patterns)),
            np.append(share * (1 - rare.sum()), rare),
            jac=lambda chance: -side * patterns @ number.slopes(chance @ patterns),
            bounds=[(1e-9, 1)] * len(patterns),
            constraints=[{"type": "eq", "fun": lambda chance: chance.sum() - 1}, {"type": "ineq", "fun": left}],
            options={"maxiter": 300, "ftol": 1e-13},
        )

    tries = [search(0.2 * rng.dirichlet(np.full(unseen, 0.3))) for _ in range(3)]
    return side * max(-one.fun for one in tries if left(one.x) > -1e-6)


def test_ends_are_the_extremes_over_all_chances():
    """A ratio of two means that is not a straight line."""
    rng = np.random.default_rng(4)
    patterns = np.array([[1.0, 0.0, 2.0], [1.0, 1.0, 1.0], [1.0, 2.0, 0.0], [1.0, 0.0, 0.0]])
    rows = patterns[rng.choice(3, 30, p=[0.5, 0.3, 0.2])]

    def value(sums):
        mean = sums / sums[..., :1]
        return mean[..., 1] / (0.3 + mean[..., 2] ** 2)

    items, number = Items(rows, patterns, 3.84), numeric(value)
    wanted = [extreme(items, number, side) for side in (-1, 1)]
    assert score_interval(items, number) == pytest.approx(tuple(wanted), abs=1e-6)


def tables(count, seed=0):
    """What two judges say of 10 to 300 items, with 2 to 5 labels."""
    rng, out = np.random.default_rng(seed), []
    while len(out) < count:
        n, size = int(10 * 30 ** rng.random()), int(rng.integers(2, 6))
        base, alike = rng.dirichlet(np.full(size, rng.choice([0.5, 1, 3]))), rng.random()
        one = rng.choice(size, n, p=base)
        other = np.where(rng.random(n) < alike, one, rng.choice(size, n, p=base))
        label = np.eye(size)
        rows = cohen_rows(label[one], label[other])
        if not np.isnan(cohen(rows.sum(axis=0))):
            possible = cohen_rows(np.repeat(label, size, axis=0), np.tile(label, (size, 1)))
            out.append(Items(rows, possible, t_quantile(n - 1, 0.975) ** 2))
    return out


def stepped(items, side):
    """The last values of many plain steps to the chances that move kappa furthest, were it a straight line from here.

    Chances are in proportion to ``share / sqrt(s + most - gain)``, as chi-square wants it; the pattern that gains most
    takes what is left.
    """
    seen, times = np.unique(items.rows, axis=0, return_counts=True)
    share, limit, mean, values = times / len(items.rows), items.limit / len(items.rows), items.rows.mean(axis=0), []
    for _ in range(500):
        slope = side * cohen_slopes(mean)
        gain, of_possible = seen @ slope, items.possible @ slope
        best = of_possible.argmax()
        short = max(gain.max(), of_possible[best]) - gain
        if short.max() < 1e-12:
            break
        some = short / short.max()

        def beyond(log, some=some):
            size = np.sqrt(np.exp(log) + some)
            return np.log((share * size).sum() * (share / size).sum()) - np.log1p(limit)

        lowest = -60.0 if some.min() < 1e-12 else -45.0
        if beyond(lowest) > 0:
            chance, total = share / np.sqrt(np.exp(root(beyond, lowest, 40.0)) + some), 1.0
        else:
            total = (share * np.sqrt(some)).sum() * (share / np.sqrt(some)).sum() / (1 + limit)
            chance = share / np.sqrt(some)
        chance = total * chance / chance.sum()
        mean = chance @ seen + (1 - total) * items.possible[best]
        values.append(float(cohen(mean)))
        if len(values) > 1 and abs(values[-1] - values[-2]) < 1e-13:
            break
    return values[-2:] or [float(cohen(mean))]


@pytest.mark.parametrize("count", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_ends_are_the_limits_of_many_plain_steps(count):
    """Or beyond them, where those stop at chances that are not the worst, or come and go between some."""
    met = 0
    for items in tables(count):
        for side, end in zip((-1, 1), score_interval(items, KAPPA), strict=True):
            values = stepped(items, side)
            assert side * end >= max(side * one for one in values) - 1e-6
            met += abs(end - values[-1]) < 1e-6
    assert met >= 1.25 * count


def test_of_two_optima_the_better_is_taken():
    """In the first table that of the search from alike chances, in the second that of the other."""
    for items in tables(24, seed=3)[22:]:
        assert score_interval(items, KAPPA)[0] == pytest.approx(extreme(items, KAPPA, -1), abs=2e-4)


def test_tables_together_are_as_each_alone():
    some = tables(6, seed=1)
    alike = [items for items in some if items.rows.shape[1] == some[0].rows.shape[1]]
    alone = [score_interval(items, KAPPA) for items in alike]
    assert score_intervals(alike, KAPPA) == pytest.approx(np.array(alone), abs=1e-7)
    assert score_intervals([], KAPPA).shape == (0, 2)
