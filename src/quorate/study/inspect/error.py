"""Standard error of a panel's mean, from the scores that Inspect hands to a metric."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quorate.errors import NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.table.judgments import checked
from quorate.table.read import read

MEAN = ("mean", "standard_error", "low", "high")
"""What the metric reports."""


@dataclass(frozen=True)
class Scored:
    """A score of the panel, as a metric gets it.

    Parameters
    ----------
    sample : str
        Id of the sample.
    value : float
        The score of one epoch.
    metadata : mapping
        The score's, with the votes in it.
    labels : mapping
        Metadata of the sample.
    """

    sample: str
    value: float
    metadata: Mapping[str, Any]
    labels: Mapping[str, Any]


def mean_with_error(scores: Iterable[Scored]) -> dict[str, float]:
    """Mean, standard error and the ends of the 95 % interval, as `quorate.decompose` gives them for the same votes.

    Returns
    -------
    dict of str to float
        nan where the votes do not tell.
    """
    held = list(scores)
    if not held:
        return dict.fromkeys(MEAN, math.nan)
    epochs = Counter[str]()
    samples = []  # the votes as a log has them, read as a log is
    for score in held:
        epochs[score.sample] += 1
        entry = {"value": score.value, "metadata": score.metadata}
        known = {"id": score.sample, "epoch": epochs[score.sample], "metadata": score.labels}
        samples.append({**known, "scores": {"panel": entry}})
    log = {"version": 2, "status": "success", "eval": {"model": "one", "task": "one"}, "plan": {}, "samples": samples}
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "log.json"
            path.write_text(json.dumps(log, default=str), encoding="utf-8")
            estimate = decompose(checked(read(path, announce=False))).mean
    except NotEstimable:
        return dict.fromkeys(MEAN, math.nan)
    return dict(zip(MEAN, (estimate.value, estimate.se, *estimate.ends), strict=True))
