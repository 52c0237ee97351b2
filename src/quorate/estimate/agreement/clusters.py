"""Clusters of battles: shares and gains where battles of one prompt, or labels of one person, resemble each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.agreement.battles import pairwise_battles
from quorate.numerics.votes import clustered
from quorate.numerics.votes.clustered import Share
from quorate.table.votes import Votes


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


def shared_out(value: Floats, code: Ints, weight: Floats | None = None, within: Floats | None = None) -> Share | None:
    """Share of outcomes from 0 to 1 by clusters; None with fewer than two clusters.

    Parameters
    ----------
    value : array, shape (units,)
        Outcomes.
    code : array of int, shape (units,)
        Cluster of each.
    weight : array, shape (units,), optional
        How often each counts; once without it.
    within : array, shape (units,), optional
        Sum of squares about it of the outcomes that each is the mean of; 0 without it.
    """
    if not len(value):
        return None
    weight = np.ones(len(value)) if weight is None else weight
    place = np.unique(code, return_inverse=True)[1]
    square = weight * value**2 + (0.0 if within is None else within)
    wins, sizes, squares = (np.bincount(place, x).astype(np.float64) for x in (weight * value, weight, square))
    return clustered.share(wins, sizes, squares) if len(sizes) > 1 else None


def rate_interval(right: NDArray[np.bool_], code: Ints, level: float) -> tuple[float, float]:
    """Interval of a share of battles by clusters; nan with one cluster.

    Parameters
    ----------
    right : array of bool, shape (battles,)
        Whether each counts for the share.
    code : array of int, shape (battles,)
        Its cluster.
    level : float
        Coverage.
    """
    share = shared_out(right.astype(float), code)
    return (np.nan, np.nan) if share is None else clustered.interval(share, level)


def gain_interval(gain: Ints, code: Ints, level: float) -> tuple[float, float, float]:
    """Interval of the mean of gains of -1, 0 and 1 by clusters, and the p-value of none; nan with one cluster.

    Parameters
    ----------
    gain : array of int, shape (battles,)
        What each battle gains.
    code : array of int, shape (battles,)
        Its cluster.
    level : float
        Coverage.
    """
    share = shared_out((gain + 1) / 2, code)
    return (np.nan, np.nan, np.nan) if share is None else clustered.balance(share, level)
