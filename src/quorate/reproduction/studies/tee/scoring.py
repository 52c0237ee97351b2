"""Scoring: marks of five points, and a tournament of pairs, as ways to recover the order of 600 responses (E.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import ndtr, ndtri

from quorate.arrays import Floats, Ints
from quorate.estimate.components.published import components
from quorate.numerics.correlation import kendall, of_pair
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import tie_model
from quorate.reproduction.study import Drawing, MonteCarlo, Results, Value, mean
from quorate.simulate.demo import draw_judgments

ITEMS, SYSTEMS, CATEGORIES, REPEATS = 150, 4, 5, 4
QUALITY = {"category": 0.05, "item": 0.60, "system": 0.10, "item:system": 0.13}
JUDGING = {"prompt": 0.006, "judge": 0.021, "item:system:prompt": 0.034, "item:system:judge": 0.155}
JUDGING |= {"prompt:judge": 0.009}
NOISE = 0.111
WITHIN, BETWEEN = 140, 28
"""Pairs of different items within each category, and between each two categories; pairs of one item are all taken."""
RIDGE = 0.01
"""Weak: it only keeps the ratings of responses finite that win, or lose, every vote."""


def _draw_scoring(_: object, rng: np.random.Generator) -> list[float]:
    """Kendall's correlation with the true quality, of mean marks and of the ratings of the tournament."""
    quality, latent = responses(3, rng)
    noise = np.sqrt(NOISE) * rng.normal(size=(*latent.shape, REPEATS))
    marks = np.clip(np.rint(3 + latent[:, :, None] + noise), 1, 5).mean(axis=(1, 2))
    every = np.triu_indices(len(latent), 1)
    ratings = (rated(*met, latent, rng) for met in (every, pairs(rng)))
    return [of_pair(kendall, found, quality) for found in (marks, *ratings)]


def responses(prompts: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """True quality of all responses, and what three judges see under every prompt, shape (responses, cells)."""
    shape = {"item": ITEMS, "system": SYSTEMS}
    levels = shape | {"category": CATEGORIES}
    quality = draw_judgments(components(QUALITY), levels=levels, rng=rng).mean
    judged = shape | {"prompt": prompts, "judge": 3}
    effects = {"item:system": quality.reshape(ITEMS, SYSTEMS)}
    seen = draw_judgments(components(JUDGING), levels=judged, effects=effects, rng=rng).mean
    return quality, seen.reshape(ITEMS * SYSTEMS, -1)


def pairs(rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Responses that meet: all of one item, and some of different items, within and between categories."""
    response = np.arange(ITEMS * SYSTEMS)
    item = response // SYSTEMS
    category = item * CATEGORIES // ITEMS
    first, second = np.triu_indices(SYSTEMS, 1)
    starts = SYSTEMS * np.arange(ITEMS)[:, None]
    a, b = [(starts + first).ravel()], [(starts + second).ravel()]
    for one in range(CATEGORIES):
        own = response[category == one]
        drawn = rng.choice(own, (2, 3 * WITHIN))
        apart = np.flatnonzero(item[drawn[0]] != item[drawn[1]])[:WITHIN]
        a.append(drawn[0, apart])
        b.append(drawn[1, apart])
        for other in range(one + 1, CATEGORIES):
            a.append(rng.choice(own, BETWEEN))
            b.append(rng.choice(response[category == other], BETWEEN))
    return np.concatenate(a), np.concatenate(b)


def rated(
    a: Ints, b: Ints, latent: Floats, rng: np.random.Generator, *, noise: float = NOISE, repeats: int = REPEATS
) -> Floats:
    """Bradley-Terry ratings of all responses, by votes on the better of two under every prompt by every judge."""
    chance = ndtr((latent[a] - latent[b]) / np.sqrt(2 * noise))
    wins = rng.binomial(repeats, chance).sum(axis=1)
    counts = np.stack([wins, latent.shape[1] * repeats - wins, np.zeros_like(wins)], axis=1).astype(float)
    design = Design(len(latent), a, b, np.zeros(1), tie_model("drop"))
    return fit(design, counts[None, :, :, None], ridge=RIDGE, tol=1e-3).theta[: len(latent), 0]


def scoring(draws: Mapping[str, Floats]) -> Results:
    """Mean correlations."""
    numbers = draws["ideal"]
    return Results(
        {
            "marks of five points: Kendall's tau": mean(numbers[:, 0]),
            "all pairs: Kendall's tau": mean(numbers[:, 1]),
            "tournament of 1,880 pairs: Kendall's tau": mean(numbers[:, 2]),
        }
    )


SCORING = MonteCarlo(
    "mc.scoring", "Marks and pairs, without pathologies", {"ideal": None}, _draw_scoring, scoring, 200, 20, 5
)


# Scoring with pathologies (Fig. 10): marks that are compressed and coarse, and labels that are rare, beside pairs.
#
# One answer of each of three judges to one prompt, with much noise for marks and little for labels, as in the archive's
# script of the figure.


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


def _draw_pathologies(scored: Callable[[np.random.Generator], list[float]], rng: np.random.Generator) -> list[float]:
    """Correlations with the true quality."""
    return scored(rng)


def pathologies(draws: Mapping[str, Floats]) -> Results:
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
    study, beside = "mc.pathologies", "scores"
    drawings = (
        Drawing(study, "prevalence", "Rare labels (Fig. 10)", prevalent, "prevalence", "tau", by=beside, log=True),
        Drawing(study, "compression", "Compressed marks (Fig. 10)", compressed, "kept", "tau", by=beside),
        Drawing(study, "coarse", "Coarse marks (Fig. 10)", coarse, "tau", "scale", by=beside, mark="point"),
    )
    return Results(values, drawings)


PATHOLOGIES = MonteCarlo(
    "mc.pathologies", "Marks and labels with pathologies, and pairs", LAWS, _draw_pathologies, pathologies, 200, 30
)
