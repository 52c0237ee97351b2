"""Stratified differences of two systems: each category of items counts for a share that is given."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.estimate.differences.difference import SystemDifference, of_pairs
from quorate.estimate.differences.paired import paired, two_systems
from quorate.estimate.means.targets import Target
from quorate.roles import SYSTEM
from quorate.table.judgments import Judgments


def stratified_difference(
    judgments: Judgments, a: str, b: str, shares: Mapping[str, float], *, targets: Mapping[str, Target] | None = None
) -> SystemDifference:
    """Mean score of one system less that of another, from the cells that both have, by categories that are given.

    Parameters
    ----------
    judgments : Judgments
        Whose items have categories.
    a, b : str
        The two systems.
    shares : mapping of str to float
        What each category counts for; they sum to 1.
    targets : mapping of str to str or Pool, optional
        What other facets stand for, as for `quorate.compare`.

    Raises
    ------
    NotEstimable
        If a category has no shared cells, or the difference never varies.
    """
    return of_pairs(paired(two_systems(judgments, a, b, facet=SYSTEM)), targets or {}, shares)
