"""Linear and logistic regression by estimating equations, with standard errors by clusters of several facets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.distributions import f_tail, t_cdf
from quorate.numerics.votes.clustered import by_all

_STEPS, _LONGEST, _CLOSE, _SINGULAR = 100, 2.0, 1e-10, 1e-12


class Coefficients(NamedTuple):
    """Coefficients and what each row adds to their error.

    Parameters
    ----------
    value : array, shape (p,)
        The solution of ``sum weight x (y - mean(x' beta)) = 0``.
    influence : array, shape (n, p)
        How far each row moves them.
    """

    value: Floats
    influence: Floats


class Errors(NamedTuple):
    """Standard errors and degrees of freedom of coefficients, each of shape (p,)."""

    se: Floats
    df: Floats


def dependent(x: Floats) -> list[int]:
    """Columns that are linear combinations of those before them; columns are compared in units of their own size."""
    size = np.sqrt((x**2).sum(axis=0))
    scaled = x / np.where(size > 0, size, 1.0)
    kept: list[int] = []
    out = []
    for column in range(x.shape[1]):
        basis = np.linalg.qr(scaled[:, kept])[0] if kept else np.zeros((len(x), 0))
        left = scaled[:, column] - basis @ (basis.T @ scaled[:, column])
        if np.linalg.norm(left) > 1e-9:
            kept.append(column)
        else:
            out.append(column)
    return out


def linear(y: Floats, x: Floats, weight: Floats | None = None) -> Coefficients:
    """Least squares.

    Parameters
    ----------
    y : array, shape (n,)
        Outcomes.
    x : array, shape (n, p)
        Regressors, none a combination of the others.
    weight : array, shape (n,), optional
        Weights of rows.
    """
    share = np.ones(len(y)) if weight is None else weight
    away = _away(x, share)
    value = away.T @ (share * y)
    value = value + away.T @ (share * (y - x @ value))  # again, for what rounding lost
    return Coefficients(value, away * (share * (y - x @ value))[:, None])


def logistic(y: Floats, x: Floats, weight: Floats | None = None) -> Coefficients | None:
    """Logistic regression by its score equations, which outcomes beyond 0 and 1 may have too; None without a solution.

    Parameters
    ----------
    y : array, shape (n,)
        Outcomes, of which only sums count.
    x, weight
        As for `linear`.
    """
    from scipy.special import expit

    share = np.ones(len(y)) if weight is None else weight
    size = np.sqrt((x**2).mean(axis=0))
    scaled = x / size
    value = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        chance = expit(scaled @ value)
        spread = share * chance * (1 - chance)
        if spread.sum() < _SINGULAR * share.sum() or dependent(scaled * np.sqrt(spread)[:, None]):
            return None
        step = _away(scaled, spread).T @ (share * (y - chance))
        value = value + step * min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < _CLOSE * (1 + np.abs(value).max()):
            chance = expit(scaled @ value)
            influence = _away(scaled, share * chance * (1 - chance)) * (share * (y - chance))[:, None]
            return Coefficients(value / size, influence / size)
    return None


def errors(influence: Floats, clusters: Sequence[NDArray[np.int64]] = ()) -> Errors:
    """Standard errors by the spread of rows (HC1) or of clusters (CR1), of several facets by adding and subtracting.

    Degrees of freedom are those of a variance that is as uncertain as the sum of these squares: few where few rows or
    clusters bring most of it, as labelled rows among predicted ones do.

    Parameters
    ----------
    influence : array, shape (n, p)
        How far each row moves the coefficients.
    clusters : sequence of array, shape (n,)
        Codes of the clusters of each facet; none takes rows as independent.

    References
    ----------
    MacKinnon and White (1985), Journal of Econometrics 29, 305-325 (HC1); Cameron, Gelbach and Miller (2011), Journal
    of Business & Economic Statistics 29, 238-249, equation 2.13.
    """
    if not clusters:
        variance, df = _squares(influence, None)
    else:
        variance, df = by_all(clusters, lambda code: _squares(influence, code))
    return Errors(np.sqrt(variance), df)


def _squares(influence: Floats, cluster: NDArray[np.int64] | None) -> tuple[Floats, Floats]:
    """Variance by the squares of sums over clusters, and its degrees of freedom."""
    n, p = influence.shape
    sums, factor = influence, n / (n - p)
    if cluster is not None and (groups := len(np.unique(cluster))) < n:
        code = np.unique(cluster, return_inverse=True)[1]
        sums = np.column_stack([np.bincount(code, column) for column in influence.T])
        factor = groups / (groups - 1) * (n - 1) / (n - p)
    variance = (sums**2).sum(axis=0)
    spread = (sums**4).sum(axis=0) - variance**2 / len(sums)
    df = np.divide(2 * variance**2, spread, out=np.full(p, np.inf), where=spread > 1e-12 * variance**2)
    return variance * factor, np.maximum(df, 1.0)


def _away(x: Floats, weight: Floats) -> Floats:
    """``x (x' W x)^-1`` by the QR decomposition of the weighted rows."""
    from scipy.linalg import qr, solve_triangular

    upper = qr(np.sqrt(weight)[:, None] * x, mode="r", check_finite=False)[0][: x.shape[1]]
    half = solve_triangular(upper, x.T, trans="T", check_finite=False)
    out: Floats = solve_triangular(upper, half, check_finite=False).T
    return out


# Doubly robust outcomes: predictions of all rows, corrected by labels of a few, each with a known chance.


_BLOCK = 4_000_000
"""Most numbers of the systems of equations that are solved at once."""


def doubly_robust(features: Floats, labels: Floats, probability: Floats, cluster: NDArray[np.int64]) -> Floats:
    """Outcomes whose mean, given anything known of a row, is that of its label: ``g + (label - g) / probability``.

    ``g`` predicts labels by ridge regression on the features. For the rows of a cluster it is fitted without their
    labels, so that it does not depend on whether they have one; what it gets wrong is then corrected on average,
    whatever the features are worth.

    Parameters
    ----------
    features : array, shape (n, k)
        What labels are predicted by, such as the judge's own label and the regressors.
    labels : array, shape (n,)
        Nan where there is none; at least 2.
    probability : array, shape (n,)
        Chance that the row has a label, in (0, 1].
    cluster : array of int, shape (n,)
        Rows that may resemble each other; every row on its own if they are all different.

    References
    ----------
    Egami, Hinck, Stewart and Wei (2023), NeurIPS 36, equation 4; Robins, Rotnitzky and Zhao (1994), Journal of the
    American Statistical Association 89, 846-866. ``docs/methods/regression.md``.

    Examples
    --------
    >>> import numpy as np
    >>> said, label = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, np.nan, 1.0, 1.0])
    >>> doubly_robust(said, label, np.full(4, 0.75), np.arange(4)).round(3)
    array([-0.333,  0.167,  1.051,  1.051])
    """
    known = ~np.isnan(labels)
    out: Floats = held_out(features, labels, 1 / probability, cluster)
    out[known] += (labels[known] - out[known]) / probability[known]
    return out


def held_out(features: Floats, labels: Floats, weight: Floats, cluster: NDArray[np.int64]) -> Floats:
    """Predictions of labels by ridge regression, for the rows of a cluster without the labels of that cluster.

    The penalty is worth one label, with features in units of their spread; the mean has none.

    Parameters
    ----------
    features, labels, cluster
        As for `doubly_robust`.
    weight : array, shape (n,)
        Weights of rows, of which those with a label count.
    """
    known = ~np.isnan(labels)
    design = _standardised(features, known)
    share = weight[known] / weight[known].mean()
    rows, target = design[known], labels[known]
    penalty = np.eye(design.shape[1])
    penalty[0, 0] = 1e-9
    gram = (rows * share[:, None]).T @ rows + penalty
    moment = rows.T @ (share * target)
    predicted: Floats = design @ np.linalg.solve(gram, moment)
    own, code = np.unique(cluster[known], return_inverse=True)
    place = np.minimum(np.searchsorted(own, cluster), len(own) - 1)
    inside = np.flatnonzero(own[place] == cluster)
    inside = inside[np.argsort(place[inside], kind="stable")]
    if len(own) == len(target):  # one label in each: its own part of the sums is taken out in closed form
        label = np.argsort(code)[place[inside]]
        away = share[:, None] * np.linalg.solve(gram, rows.T).T
        leverage = np.einsum("ij,ij->i", away, rows)
        error = (target - predicted[known]) / (1 - leverage)
        predicted[inside] -= np.einsum("ij,ij->i", design[inside], away[label]) * error[label]
        return predicted
    order = np.argsort(code, kind="stable")
    step = max(1, _BLOCK // gram.size)
    for first in range(0, len(own), step):
        last = min(first + step, len(own))
        block = order[np.searchsorted(code[order], first) : np.searchsorted(code[order], last)]
        left = np.repeat(gram[None], last - first, axis=0)
        right = np.repeat(moment[None], last - first, axis=0)
        scaled = rows[block] * share[block, None]
        np.subtract.at(left, code[block] - first, scaled[:, :, None] * rows[block][:, None, :])
        np.subtract.at(right, code[block] - first, scaled * target[block, None])
        slopes = np.linalg.solve(left, right[..., None])[..., 0]
        here = inside[np.searchsorted(place[inside], first) : np.searchsorted(place[inside], last)]
        predicted[here] = np.einsum("ij,ij->i", design[here], slopes[place[here] - first])
    return predicted


def _standardised(features: Floats, known: Bools) -> Floats:
    """A constant and the features in units of their spread among labelled rows; those without spread in their own."""
    middle = features[known].mean(axis=0)
    spread = features[known].std(axis=0)
    spread = np.where(spread > 1e-9 * np.maximum(np.abs(middle), 1e-300), spread, 1.0)
    return np.column_stack([np.ones(len(features)), (features - middle) / spread])


# Equal means of groups, where rows of one cluster resemble each other: Hotelling's test, whatever the law of rows.


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """Means of groups and their covariance, from clusters that are independent.

    Parameters
    ----------
    mean : array, shape (groups,)
        Nan in a group without rows.
    covariance : array, shape (groups, groups)
        From the contributions of whole clusters.
    clusters : int
        How many.
    """

    mean: Floats
    covariance: Floats
    clusters: int

    def equal(self) -> tuple[float, float]:
        """Hotelling's F that all means are equal, and the probability of a larger one; nan with too few clusters.

        References
        ----------
        Anderson (2003), An Introduction to Multivariate Statistical Analysis, section 5.3.4.
        """
        contrast = np.eye(len(self.mean))[1:] - 1 / len(self.mean)
        return self.zero(contrast)

    def zero(self, contrast: Floats) -> tuple[float, float]:
        """Hotelling's F that contrasts of the means, shape (tests, groups), are all zero, and its p-value."""
        tests, free = len(contrast), self.clusters - len(contrast)
        spread = contrast @ self.covariance @ contrast.T
        if free < 1 or np.linalg.matrix_rank(spread) < tests:
            return float("nan"), float("nan")
        value = contrast @ self.mean
        square = float(value @ np.linalg.solve(spread, value))
        f = square * free / (tests * (self.clusters - 1))
        return f, f_tail(tests, free, f)

    def odd_one(self) -> tuple[int, float, float]:
        """The group furthest from the mean of the others: its place, t, and Bonferroni's p-value over the groups."""
        groups = len(self.mean)
        contrast = (np.eye(groups) * groups - 1) / (groups - 1)
        se = np.sqrt(np.einsum("ij,jk,ik->i", contrast, self.covariance, contrast))
        if not np.all(se > 0):
            return 0, float("nan"), float("nan")
        t = contrast @ self.mean / se
        most = int(np.argmax(np.abs(t)))
        p = 2 * t_cdf(self.clusters - 1, -abs(t[most]))
        return most, float(t[most]), min(1.0, groups * p)


def group_means(values: Floats, group: Ints, cluster: Ints) -> GroupMeans:
    """Means of groups of rows, and how they vary over clusters.

    Parameters
    ----------
    values : array, shape (rows,)
        What is averaged.
    group, cluster : array of int, shape (rows,)
        Dense codes.

    Examples
    --------
    >>> found = group_means(np.array([1.0, 3, 2, 4, 0, 5]), np.array([0, 1] * 3), np.array([0, 0, 1, 1, 2, 2]))
    >>> round(found.equal()[0], 3)  # the square of the paired t, 3
    9.0
    """
    groups, clusters = int(group.max()) + 1, int(cluster.max()) + 1
    count = np.bincount(group, minlength=groups)
    mean: Floats = np.bincount(group, values, groups) / count
    part = np.bincount(cluster * groups + group, (values - mean[group]) / count[group], clusters * groups)
    # A mean takes a degree of freedom from the clusters of its own group.
    own = (np.bincount(cluster * groups + group, minlength=clusters * groups) > 0).reshape(clusters, groups).sum(axis=0)
    parts = part.astype(np.float64).reshape(clusters, groups) * np.sqrt(own / np.maximum(own - 1, 1))
    return GroupMeans(mean, parts.T @ parts, int((np.bincount(cluster) > 0).sum()))
