"""Scoring with pathologies (Fig. 10): marks that are compressed and coarse, and labels that are rare, beside pairs.

One answer of each of three judges to one prompt, with much noise for marks and little for labels, as in the archive's
script of the figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import ndtri

from quorate.arrays import Floats
from quorate.numerics.correlation import kendall, of_pair
from quorate.reproduction.studies.tee.scoring import JUDGING, QUALITY, pairs, rated, responses
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean

COMPRESSIONS = (1.0, 0.7, 0.5, 0.3)
POINTS = {"continuous": 0, "7 points": 7, "5 points": 5, "3 points": 3}
GAMMAS = (1.0, 0.7, 0.5)
"""Powers of deviations from the middle of the scale: below one large ones count less, and small ones more."""
PREVALENCES = {"50%": 0.5, "5%": 0.05, "0.5%": 0.005, "0.05%": 0.0005}
MARKS, ANCHOR, SLOPE = 3.0, 0.2, 0.15
"""Variance of a mark's noise; standard deviations of anchors, and of how far judges stretch the scale."""
LABELS, SHIFT = 0.01, 0.05
"""Variance of a label's noise; how far thresholds of judges differ, in standard deviations of what they see."""


CONDITIONS = [
    *((kept, points, 1.0) for kept in COMPRESSIONS for points in POINTS.values()),
    *((kept, 5, gamma) for kept in (1.0, 0.3) for gamma in GAMMAS),
]
"""Compression, points of the scale and power of every way to mark."""


def marks(rng: np.random.Generator) -> list[float]:
    """Correlations of marks by compression and points, and of pairs."""
    quality, latent = responses(1, rng)
    stretched = latent * rng.normal(1, SLOPE, latent.shape[1])
    found = []
    noise = np.zeros_like(latent)
    for kept, points, gamma in CONDITIONS:
        if gamma == 1:  # else the judges of the condition before it, who use the scale in another way
            noise = np.sqrt(MARKS + ANCHOR**2) * rng.normal(size=latent.shape)
        seen = kept * (stretched + noise)
        mark = np.clip(3 + np.sign(seen) * np.abs(seen) ** gamma, 1, 5)
        if points:
            step = 4 / (points - 1)
            mark = 1 + step * np.rint((mark - 1) / step)
        found.append(of_pair(kendall, mark.mean(axis=1), quality))
    return [*found, of_pair(kendall, rated(*pairs(rng), latent, rng, noise=MARKS, repeats=1), quality)]


def labels(rng: np.random.Generator) -> list[float]:
    """Correlations of the share of judges that say yes, by prevalence, and of pairs; no yes at all counts as zero."""
    quality, latent = responses(1, rng)
    total = np.sqrt(sum(QUALITY.values()) + JUDGING["judge"] + JUDGING["prompt"] + LABELS)
    found = []
    for prevalence in PREVALENCES.values():
        threshold = total * (ndtri(1 - prevalence) + SHIFT * rng.normal(size=latent.shape[1]))
        yes = latent + np.sqrt(LABELS) * rng.normal(size=latent.shape) > threshold
        share = yes.mean(axis=1)
        found.append(of_pair(kendall, share, quality) if np.ptp(share) else 0.0)
    return [*found, of_pair(kendall, rated(*pairs(rng), latent, rng, noise=LABELS, repeats=1), quality)]


LAWS: dict[str, Callable[[np.random.Generator], list[float]]] = {"marks": marks, "labels": labels}


def replicate(scored: Callable[[np.random.Generator], list[float]], rng: np.random.Generator) -> list[float]:
    """Correlations with the true quality."""
    return scored(rng)


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Mean correlations."""
    found, labelled = draws["marks"], draws["labels"]
    plain = len(COMPRESSIONS) * len(POINTS)
    by = found[:, :plain].reshape(len(found), len(COMPRESSIONS), len(POINTS))
    bent = {condition: found[:, plain + at] for at, condition in enumerate(CONDITIONS[plain:])}
    paired, rare = mean(found[:, -1]), mean(labelled[:, -1])
    values: dict[str, Value | float] = {"pairs: Kendall's tau": paired, "pairs, little noise: Kendall's tau": rare}
    compressed, coarse, prevalent = [], [], []
    for at, kept in enumerate(COMPRESSIONS):
        tau = mean(np.nanmean(by[:, at], axis=1))
        values[f"marks, {kept:g} of deviations kept: Kendall's tau"] = tau
        compressed += [
            {"kept": kept, "tau": one.value, "scores": name} for name, one in (("marks", tau), ("pairs", paired))
        ]
    for at, points in enumerate(POINTS):
        tau = mean(by[:, -1, at])
        values[f"marks, {points}, {COMPRESSIONS[-1]:g} kept: Kendall's tau"] = tau
        coarse += [
            {"scale": points, "tau": one.value, "scores": name} for name, one in (("marks", tau), ("pairs", paired))
        ]
    for (kept, _, gamma), taus in bent.items():
        if gamma < 1:
            gain = mean(taus - bent[kept, 5, 1.0])
            values[f"marks, power {gamma:g}, {kept:g} of deviations kept: Kendall's tau gained"] = gain
    for at, (name, prevalence) in enumerate(PREVALENCES.items()):
        tau = mean(labelled[:, at])
        values[f"labels, {name} yes: Kendall's tau"] = tau
        prevalent += [
            {"prevalence": prevalence, "tau": one.value, "scores": scores}
            for scores, one in (("labels", tau), ("pairs", rare))
        ]
    study, by_scores = "mc.pathologies", "scores"
    return Outcome(
        values,
        (
            Drawing(
                study, "prevalence", "Rare labels (Fig. 10)", prevalent, "prevalence", "tau", by=by_scores, log=True
            ),
            Drawing(study, "compression", "Compressed marks (Fig. 10)", compressed, "kept", "tau", by=by_scores),
            Drawing(study, "coarse", "Coarse marks (Fig. 10)", coarse, "tau", "scale", by=by_scores, mark="point"),
        ),
    )


STUDY = MonteCarlo("mc.pathologies", "Marks and labels with pathologies, and pairs", LAWS, replicate, outcome, 200, 30)
