"""Judges against labels of people: each configuration, the majority, rewordings, and what the panel is worth."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.caveats import Caveat, few_labelled, reruns_unknown
from quorate.errors import InvalidInput
from quorate.estimate.agreement.rightness import rightness, row_means
from quorate.estimate.agreement.yardsticks import (
    ConfigurationAccuracy,
    Drop,
    Flips,
    Measured,
    Tertile,
    accuracies,
    beaten,
    drops,
    flips,
    mean_of,
    share_of,
    split_half,
    tertiles,
    worth,
)
from quorate.numerics.inference import checked_level
from quorate.numerics.panel.independence import Worth, correlated
from quorate.roles import PROMPT
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.table.votes import Votes
from quorate.wording import counted, percent

_FEW = 50


@dataclass(frozen=True)
class Against(Result):
    """Judges against labels of people.

    Parameters
    ----------
    items, unlabelled, undecided : int
        Items with a label; those that were judged and have none; those of which people tie.
    roles : tuple of str
        Facets that tell configurations apart.
    configurations : tuple of ConfigurationAccuracy
        Every judge under every prompt ....
    average, majority, gain : Measured
        Share of right verdicts of configurations on average and of their majority, and the second less the first.
    beaten : Measured
        Share of configurations that the majority beats, ties as halves.
    disagreement : Measured
        Correlation over items of how far configurations disagree and how many are right.
    tertiles : tuple of Tertile
        The items by how far configurations disagree.
    apparent : float
        Share of right verdicts of the configuration that is best on half of the labels, on that half.
    chosen, lift, left : Measured
        The same on the other half; less the average of all there; and what the majority is right more often.
    flips : Flips, optional
        Verdicts under rewordings; None with one prompt.
    judges : tuple of str
        The judges.
    worth : Worth
        How many independent judges the panel is worth; nan with one judge.
    drops : tuple of Drop
        The majority without each judge, the best to drop first; empty with fewer than three judges.
    level : float
        Coverage of intervals.
    unit : str
        What items are: ``item``, or of votes ``battle``.
    clusters : int
        Clusters of items that are drawn together; as many as items where each is drawn by itself.
    """

    items: int
    unlabelled: int
    undecided: int
    roles: tuple[str, ...]
    configurations: tuple[ConfigurationAccuracy, ...]
    average: Measured
    majority: Measured
    gain: Measured
    beaten: Measured
    disagreement: Measured
    tertiles: tuple[Tertile, ...]
    apparent: float
    chosen: Measured
    lift: Measured
    left: Measured
    flips: Flips | None
    judges: tuple[str, ...]
    worth: Worth
    drops: tuple[Drop, ...]
    level: float
    unit: str
    clusters: int

    derived = ("sentence",)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What must be known to read it."""
        out = [few_labelled(self.clusters)] if self.clusters < _FEW else []
        unknown = self.flips is not None and math.isnan(self.flips.rerun.value)
        return (*out, *([reruns_unknown()] if unknown else []))

    @property
    def sentence(self) -> str:
        """The answer: what the panel is worth, whom to drop, how often verdicts flip, and how many labels settle it."""
        first = (
            f"The majority of {counted(len(self.configurations), 'configuration')} is right on "
            f"{percent(self.majority.value)} of {counted(self.items, f'labelled {self.unit}')} (ties as half), one of "
            f"them on {percent(self.average.value)}, and the one that is best on half of the labels on "
            f"{percent(self.chosen.value)} of the others"
        )
        said = [first]
        if not math.isnan(self.worth.value):
            ends = "" if math.isnan(self.worth.low) else f" ({self.worth.low:.1f} to {self.worth.high:.1f})"
            said.append(f"{counted(len(self.judges), 'judge')} are worth {self.worth.value:.1f} independent ones{ends}")
        if self.drops:
            said.append(self._dropped(self.drops[0]))
        if self.flips is not None:
            again = self.flips.rerun.value
            beside = "" if math.isnan(again) else f", asking again {percent(again)}"
            said.append(f"rewording flips {percent(self.flips.reworded.value)} of verdicts{beside}")
        return "; ".join(said) + "."

    @staticmethod
    def _dropped(best: Drop) -> str:
        """Whom to drop, if anybody, and how many more labels would settle it."""
        points = 100 * best.gain.value
        ends = f"{100 * best.gain.low:+.1f} to {100 * best.gain.high:+.1f}"
        if best.gain.low > 0:
            return f"drop {best.judge}: the majority gains {points:.1f} points without ({ends})"
        if best.gain.high < 0:
            return f"drop nobody: without {best.judge}, who is missed least, it loses {-points:.1f} points ({ends})"
        more = (
            f"about {best.more:,.0f} more labels would settle it" if math.isfinite(best.more) else "no label settles it"
        )
        return f"if anybody, drop {best.judge}: {points:+.1f} points ({ends}), and {more}"

    def rows(self) -> list[Row]:
        """One row for every configuration."""
        names = ("n", "value", "low", "high")
        return [
            dict(zip(self.roles, one.levels, strict=True)) | {name: getattr(one, name) for name in names}
            for one in self.configurations
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        worth = {name: None if math.isnan(x) else x for name, x in self.worth._asdict().items()}
        return super().to_dict() | {"worth": worth, "caveats": [str(one) for one in self.caveats]}


def against(
    judgments: Judgments | Votes,
    human: Judgments | Votes | str | Collection[str],
    *,
    key: str = PROMPT,
    splits: int = 200,
    resamples: int = 1000,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> Against:
    """How often judges say what people say, what averaging them gains, and how many independent judges they are worth.

    A configuration is a judge under a prompt, temperature ...; the majority is the verdict that most configurations
    give. Items, and of votes battles, are taken as drawn, judges and prompts as these.

    Parameters
    ----------
    judgments : Judgments or Votes
        Verdicts: labels (``quorate.read(..., labels=True)``), scores of at most 20 values, such as 0 and 1, or votes
        between two systems: for one, for the other, or a tie.
    human : Judgments, Votes, or str or collection of str
        What people said of the items or battles, or a key: a table read alike; or the levels of ``judge`` that are
        people. The label of an item is what most say.
    key : str
        Of votes, the role of what the two systems answered. A battle is two systems on one level of it; battles of one
        level are drawn together. Wordings of the judges' question are a facet ``variant``, and if most battles were
        shown both ways round, so is their order.
    splits : int
        Random halves of the labels, on which the best configuration is chosen and tested.
    resamples : int
        Bootstrap samples of items, for the share of configurations that the majority beats and the correlation.
    level : float
        Coverage of intervals.
    rng : numpy.random.Generator or int, optional
        Seed or generator; the same draws every time if left out.

    Returns
    -------
    Against

    Raises
    ------
    InvalidInput
        If an argument is out of range, or scores have more values than verdicts.
    UnknownTerm
        If there is no such judge.
    NotEstimable
        If fewer than 4 items have a label.

    References
    ----------
    Messing (2026), sections I.1 and R, Fig. 21. ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> score = [1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0]
    >>> rows = {"item": list("aaabbbcccddd"), "judge": ["x", "y", "ann"] * 4, "score": score}
    >>> found = against(q.read(polars.DataFrame(rows), announce=False), "ann")
    >>> found.majority.value, [one.value for one in found.configurations]
    (0.625, [0.75, 0.5])
    """
    checked_level(level)
    sizes: dict[str, object] = {"splits": splits, "resamples": resamples}
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 20:
            raise InvalidInput(f"{name}: a whole number of at least 20 is needed, got {value!r}")
    draws = stream(0, "against") if rng is None else np.random.default_rng(rng)
    seen = rightness(judgments, human, key)
    right, majority, cluster = seen.right, seen.majority(), seen.cluster
    average = row_means(right)
    disputed = 1 - np.sum(seen.verdicts() ** 2, axis=1)
    halves = split_half(right, majority, cluster, splits, level, draws)
    return Against(
        items=len(right),
        unlabelled=seen.unlabelled,
        undecided=seen.undecided,
        roles=seen.roles,
        configurations=tuple(accuracies(seen, level)),
        average=share_of(average, level, cluster),
        majority=share_of(majority, level, cluster),
        gain=mean_of(majority - average, level, cluster),
        beaten=beaten(right, majority, cluster, resamples, level, draws),
        disagreement=Measured(*correlated(disputed, average, level, resamples, draws, cluster)),
        tertiles=tuple(tertiles(disputed, average, majority, cluster, level)),
        apparent=halves.apparent,
        chosen=halves.chosen,
        lift=halves.lift,
        left=halves.left,
        flips=flips(seen, level),
        judges=seen.judges,
        worth=worth(seen, level),
        drops=drops(seen, majority, level),
        level=level,
        unit=seen.unit,
        clusters=int(cluster.max()) + 1,
    )
