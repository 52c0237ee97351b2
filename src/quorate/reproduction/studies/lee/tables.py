"""Sample sizes for preferences: Tables 1 to 3, the worked example, and margins of appendices D.6 to D.8."""

from __future__ import annotations

import math

import numpy as np

from quorate.planning.power.clusters import clustered_sample_size
from quorate.planning.power.sample_size import sample_size
from quorate.reproduction.study import Drawing, Outcome, Study

TABLE_1 = {"Arena": (0.082, 0.190, 0.321), "MT-Bench": (0.047, 0.187, 0.285)}
TABLE_2 = {"Arena": 0.072, "MT-Bench": 0.037}
APPENDIX = {"ties dropped": 0.133, "ties half": 0.105, "ties worst": 0.093, "images": 0.045, "code": 0.049}
APPENDIX["edge of near ties"] = 0.1
TABLE_6 = {50: 6.56, 100: 9.27}
"""Median z of MT-Bench at so many votes."""
QUANTILES = ("p10", "p25", "p50")


def normal(margin: float, alpha: float = 0.05, power: float = 0.9) -> int:
    """Judgments by the normal approximation of Eq. 8."""
    return sample_size(margin, alpha=alpha, power=power, method="normal")


def outcome(_: np.random.Generator) -> Outcome:
    """Every sample size that a printed margin gives."""
    values: dict[str, float] = {"worked example, margin .06": normal(0.06)}
    values |= {"margin .05": normal(0.05), "margin .10": normal(0.1), "margin .04, log10": math.log10(normal(0.04))}
    for protocol, margins in TABLE_1.items():
        for name, margin in zip(QUANTILES, margins, strict=True):
            for alpha in (0.05, 0.01):
                values[f"{protocol} {name}, alpha {alpha:g}"] = normal(margin, alpha)
        values[f"{protocol} near ties"] = normal(TABLE_2[protocol])
    for effective in (26, 1051):
        for icc in (0, 1e-4, 1e-3, 1e-2):
            found = clustered_sample_size(effective, icc=icc)
            values[f"{effective} judgments, ICC {icc:g}"] = float("inf") if found.n is None else found.n
    for name, margin in APPENDIX.items():
        for power in (0.9, 0.95):
            values[f"{name}, power {power:g}"] = normal(margin, power=power)
    for n, z in TABLE_6.items():
        # z = margin / sqrt((1/4 - margin^2) / n), solved for the margin
        values[f"MT-Bench median margin, by z at {n} votes"] = z / (2 * math.sqrt(n + z**2))
    grid = np.geomspace(0.03, 0.4, 40).tolist()
    rows = [{"margin": margin, "judgments": normal(margin)} for margin in grid]
    title = "Decisive judgments for 90% power, by margin (Fig. 2)"
    return Outcome(values, (Drawing("lee.tables", "sample-size", title, rows, x="judgments", y="margin", log=True),))


STUDY = Study("lee.tables", "Sample sizes of Tables 1 to 3 and appendices D.6 to D.8", outcome)
