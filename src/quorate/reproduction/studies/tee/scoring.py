"""Scoring: marks of five points, and a tournament of pairs, as ways to recover the order of 600 responses (E.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr

from quorate.arrays import Floats, Ints
from quorate.estimate.components.published import components
from quorate.numerics.correlation import kendall, of_pair
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import tie_model
from quorate.reproduction.study import MonteCarlo, Outcome, mean
from quorate.simulate.crossed import draw_judgments

ITEMS, SYSTEMS, CATEGORIES, REPEATS = 150, 4, 5, 4
QUALITY = {"category": 0.05, "item": 0.60, "system": 0.10, "item:system": 0.13}
JUDGING = {"prompt": 0.006, "judge": 0.021, "item:system:prompt": 0.034, "item:system:judge": 0.155}
JUDGING |= {"prompt:judge": 0.009}
NOISE = 0.111
WITHIN, BETWEEN = 140, 28
"""Pairs of different items within each category, and between each two categories; pairs of one item are all taken."""
RIDGE = 0.01
"""Weak: it only keeps the ratings of responses finite that win, or lose, every vote."""


def replicate(_: object, rng: np.random.Generator) -> list[float]:
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


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Mean correlations."""
    numbers = draws["ideal"]
    return Outcome(
        {
            "marks of five points: Kendall's tau": mean(numbers[:, 0]),
            "all pairs: Kendall's tau": mean(numbers[:, 1]),
            "tournament of 1,880 pairs: Kendall's tau": mean(numbers[:, 2]),
        }
    )


STUDY = MonteCarlo(
    "mc.scoring", "Marks and pairs, without pathologies", {"ideal": None}, replicate, outcome, 200, 20, 5
)
