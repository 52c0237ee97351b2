"""Equal means of groups, where rows of one cluster resemble each other: Hotelling's test, whatever the law of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.distributions import f_tail, t_cdf


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
