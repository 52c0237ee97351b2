"""Arena: coverage of one cell's accuracy and of that of fifteen, by the number of battles (Fig. 5 and appendix R.1).

The judgments are not public. Battles are drawn from a law with the archived moments: the mean, and what the archived
half-widths at 100 and at 2,000 battles leave for battles and for cells. Prompts and judges share the latter as in the
archived components of scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from quorate.arrays import Floats
from quorate.estimate.components.published import components
from quorate.numerics.distributions import t_quantile
from quorate.reproduction.studies.tee.staircase import drawn_mean
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean, share
from quorate.simulate.crossed import draw_judgments
from quorate.table.judgments import Judgments

BATTLES, PROMPTS, JUDGES, AGREEMENT = 4676, 5, 3, 0.38865
FLOOR = 8.75e-5
"""Variance that no further battle lowers: squared standard errors of .0323 and .01163, extrapolated in 1/n."""
COMPONENTS = {"judge": 0.1277, "prompt": 0.0168, "prompt:judge": 0.0104}
"""Of scores, means of four categories; only their proportions are used."""
ALIKE = 0.54
"""Correlation of latent judgments of a battle; accuracies of two cells then correlate by .36, as the archive has it."""
SIZES = {f"{battles:,} battles": battles for battles in (100, 250, 500, 1000, 2000)}
KINDS = ("one cell", "all cells")


def cells() -> dict[str, Floats]:
    """Equally spaced effects of prompts, judges and both, whose mean has the variance of the floor."""
    levels = {"prompt": PROMPTS, "judge": JUDGES, "prompt:judge": PROMPTS * JUDGES}
    scale = FLOOR / sum(variance / levels[term] for term, variance in COMPONENTS.items())
    density = np.exp(-(ndtri(AGREEMENT) ** 2) / 2) / np.sqrt(2 * np.pi)
    sd = {term: np.sqrt(scale * variance) / density for term, variance in COMPONENTS.items()}
    prompt, judge = (np.arange(n) - (n - 1) / 2 for n in (PROMPTS, JUDGES))
    even = {"prompt": prompt, "judge": judge, "prompt:judge": np.outer(prompt, judge)}
    return {term: effect / effect.std(ddof=1) * sd[term] for term, effect in even.items()}


def population(rng: np.random.Generator) -> Judgments:
    """Whether every cell agrees with the people, in all battles."""
    law, levels = components({"item": ALIKE, "cell": 1 - ALIKE}), {"item": BATTLES, "prompt": PROMPTS, "judge": JUDGES}
    latent = draw_judgments(law, levels=levels, effects=cells(), rng=rng)
    agrees = (latent.mean + ndtri(AGREEMENT) > 0).astype(float)
    return replace(latent, mean=agrees, low=agrees, high=agrees)


def replicate(battles: int, rng: np.random.Generator) -> list[float]:
    """Whether the intervals of one cell and of all cells hold the truth, and their standard errors."""
    whole = population(rng)
    truth = float(whole.mean.mean())
    drawn = np.isin(whole.column("item"), rng.choice(BATTLES, battles, replace=False))
    cell = (whole.column("prompt") == rng.integers(PROMPTS)) & (whole.column("judge") == rng.integers(JUDGES))
    rate = float(whole.mean[drawn & cell].mean())
    fitted = drawn_mean(whole.keep(drawn), ("item", "prompt", "judge"))
    found = ((rate, float(np.sqrt(rate * (1 - rate) / battles))), (fitted.value, fitted.se))
    z = t_quantile(np.inf, 0.975)
    return [*(float(abs(value - truth) <= z * se) for value, se in found), *(se for _, se in found)]


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Coverage and mean standard errors by battles."""
    values: dict[str, Value | float] = {}
    covers, widths = [], []
    for name, numbers in draws.items():
        for at, kind in enumerate(KINDS):
            hits, width = share(numbers[:, at]), mean(numbers[:, at + 2])
            values[f"{kind}, {name}: cover, %"] = hits
            values[f"{kind}, {name}: standard error"] = width
            covers.append({"battles": SIZES[name], "cover, %": hits.value, "interval": kind})
            widths.append({"battles": SIZES[name], "standard error": width.value, "interval": kind})
    title = "Coverage of the mean agreement, by battles (Figs. 5 and 22)"
    drawings = (
        Drawing("mc.arena", "arena", title, covers, "battles", "cover, %", by="interval", log=True),
        Drawing(
            "mc.arena",
            "arena-widths",
            "Standard errors of the mean agreement, by battles (Figs. 5 and 22)",
            widths,
            "battles",
            "standard error",
            by="interval",
            log=True,
        ),
    )
    return Outcome(values, drawings)


STUDY = MonteCarlo("mc.arena", "Coverage of one cell and of all, by battles", SIZES, replicate, outcome, 300, 60)
