"""Evidence that a mean lies on one side of a value, or of another mean, that holds however often one looks.

It is that of `quorate.numerics.sequential.confidence_sequence.log_evidence`, for scores between 0 and 1.
``docs/methods/adaptive-live.md`` says why the two of a difference may be added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats
from quorate.numerics.sequential.confidence_sequence import log_evidence

_SEGMENTS = 64
_TINY = 1e-9
_OUTWARD = 1 - np.logspace(0, -4, 8)


class Moments(NamedTuple):
    """Scores between 0 and 1 of some arms.

    Parameters
    ----------
    n, mean, ss : array, shape (arms,)
        Scores, which may be 0, their mean (any number where there are none), and their sum of squares about it.
    """

    n: Floats
    mean: Floats
    ss: Floats

    def of(self, arms: NDArray[np.int64]) -> Moments:
        """Of some arms."""
        return Moments(self.n[arms], self.mean[arms], self.ss[arms])


def against_mean(moments: Moments, share: ArrayLike) -> Floats:
    """Log evidence against every true mean at ``share`` or beyond it, as seen from the mean found; shape (arms,).

    Beyond it in 8 places, between which the least may be a little lower. Infinite where no mean is there: beyond 0
    or 1.
    """
    share = np.broadcast_to(np.asarray(share, dtype=float), moments.n.shape)
    least = _evidence(moments, _outward(moments, np.clip(share, 0, 1))).min(axis=0)
    return np.where((share >= 0) & (share <= 1), least, np.inf)


def against_difference(first: Moments, second: Moments, shift: float) -> Floats:
    """Log evidence against every difference, first minus second, at ``shift`` or beyond it; shape (arms,).

    Hardly above the least evidence against a pair of true means of such a difference. That is sought between the two
    means found, where the evidence against one mean falls and that against the other rises; on each of 64 segments
    both are taken at their smaller end. Where a mean found is next to an end of the scale, its evidence beyond is
    looked at in 8 places only: for extreme scores the least can lie between them.
    """
    low, high = max(0.0, -shift), min(1.0, 1.0 - shift)
    ends = np.clip(second.mean, low, high), np.clip(first.mean - shift, low, high)
    share = ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, _SEGMENTS + 1)[:, None]
    falls = _to_the_mean(first, share + shift)
    rises = _to_the_mean(second, share[::-1])[::-1]
    seen = first.mean - second.mean
    possible = np.where(seen < shift, shift <= 1, shift >= -1)
    return np.where(possible, (falls[1:] + rises[:-1]).min(axis=0), np.inf)


def _to_the_mean(moments: Moments, share: Floats) -> Floats:
    """Least evidence at each share or farther from the mean, as far as `_outward` looks; shape (shares, arms).

    The mean is at the last share. The evidence jumps there, so that at it, and at the first one, both sides count.
    """
    part = _evidence(moments, share)
    for place in (0, -1):
        part[place] = np.minimum(*(_evidence(moments, share[place] + step) for step in (-_TINY, _TINY)))
    part[0] = np.minimum(part[0], _evidence(moments, _outward(moments, share[0])).min(axis=0))
    return np.asarray(np.minimum.accumulate(part))


def _outward(moments: Moments, share: Floats) -> Floats:
    """Shares from one to the end of the scale, away from the mean; shape (shares, arms).

    Evidence mostly rises on the way, but not between a mean that is close to the end of the scale and that end.
    """
    return np.asarray(share + (np.where(share >= moments.mean, 1.0, 0.0) - share) * _OUTWARD[:, None])


def _evidence(moments: Moments, share: Floats) -> Floats:
    return np.array(log_evidence(*moments, np.clip(share, 0.0, 1.0)))
