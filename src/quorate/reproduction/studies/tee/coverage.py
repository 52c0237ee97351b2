"""Coverage of intervals: as parts of the pipeline are left out, for ambiguous items, and by the number of battles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from quorate.arrays import Floats
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import Components, components
from quorate.estimate.means.effects import configurations
from quorate.estimate.means.mean import Estimate, plain_mean
from quorate.numerics.correlation import of_pair, spearman
from quorate.numerics.distributions import normal_cdf, t_quantile
from quorate.reproduction.studies.tee.components import variance_of
from quorate.reproduction.study import Drawing, MonteCarlo, Results, Value, largest, mean, share
from quorate.simulate.demo import draw_judgments
from quorate.table.judgments import Judgments

# The staircase: coverage of intervals that leave out more and more of the pipeline (Table 8, Figs. 1 and 11).


TABLE_8 = {"item": 0.055, "prompt": 0.015, "item:prompt": 0.008, "item:temperature": 0.008, "item:judge": 0.020}
TABLE_8 |= {"prompt:temperature": 0.003, "prompt:judge": 0.003, "replicate": 0.030}
"""Its residual is read as the replicate, item and category together as the item."""
LEVELS = (-0.15, 0.0, 0.15)
"""Means of three temperatures, and of three judges: they add up to zero, so that the true mean is zero."""
ITEMS = {f"{items:,} items": items for items in (20, 50, 100, 200, 500, 1000, 2000)}
SCENARIOS = ("A", "B", "C", "D", "E")
OURS = ("ours for these judges", "ours for judges like these")


def drawn(
    rng: np.random.Generator, items: int, *, prompts: int, all_of: tuple[str, ...], fixed: bool = False
) -> Judgments:
    """A table of all levels of some fixed facets and of one level, drawn, of the others."""
    levels = {name: LEVELS if name in all_of else (LEVELS[rng.integers(3)],) for name in ("temperature", "judge")}
    sizes = {"item": items, "prompt": prompts} | {name: len(own) for name, own in levels.items()}
    return draw_judgments(_law(fixed), levels=sizes, replicates=5 if prompts > 1 else 1, effects=levels, rng=rng)


def _law(fixed: bool) -> Components:
    """Table 8, with temperatures and judges fixed or, as the paper fits them, random."""
    spread = float(np.var(LEVELS))
    return components(TABLE_8, sensitivity={"temperature": spread, "judge": spread} if fixed else None)


def covers(value: float, se: float) -> float:
    """Whether the normal interval holds the true mean, zero."""
    return float(abs(value) <= t_quantile(np.inf, 0.975) * se)


def _draw_staircase(items: int, rng: np.random.Generator) -> list[float]:
    """Whether the intervals of the five scenarios hold the truth, and ours of the table of scenario D."""
    [alone] = configurations(drawn(rng, items, prompts=1, all_of=()), ("prompt", "temperature", "judge"))
    found = [covers(alone.value, alone.se)]
    three = drawn(rng, items, prompts=3, all_of=())
    found.append(_wald(three, ("item", "prompt")))
    judges = drawn(rng, items, prompts=3, all_of=("judge",))
    found.append(_wald(judges, ("item", "prompt", "judge")))
    whole = drawn(rng, items, prompts=3, all_of=("judge", "temperature"))
    terms = ("item", "prompt", "judge", "temperature")
    found += [_wald(whole, terms), _wald(whole, (*terms, "prompt:judge", "prompt:temperature"))]
    ours = decompose(drawn(rng, items, prompts=3, all_of=("judge", "temperature"), fixed=True))
    drawn_too = ours.mean_for(prompt="population", judge="population", temperature="population")
    return [*found, _held(ours.mean_for(prompt="population")), _held(drawn_too)]


def _wald(table: Judgments, terms: tuple[str, ...]) -> float:
    mean = _drawn_mean(table, terms)
    return covers(mean.value, mean.se)


def _drawn_mean(table: Judgments, terms: tuple[str, ...]) -> Estimate:
    """The mean with the standard error that the paper gives it: by the components, every facet of the model drawn."""
    return plain_mean(decompose(table, random=terms), {name: "population" for name in terms if ":" not in name})


def _held(mean: Estimate) -> float:
    low, high = mean.ends
    return float(low <= 0 <= high)


def staircase(draws: Mapping[str, Floats]) -> Results:
    """Coverage of every scenario at every number of items."""
    values: dict[str, Value | float] = {}
    rows = []
    for name, numbers in draws.items():
        for kind, hits in zip((*SCENARIOS, *OURS), numbers.T, strict=True):
            found = share(hits)
            values[f"{kind}, {name}: cover, %"] = found
            rows.append({"items": ITEMS[name], "cover, %": found.value, "interval": kind})
    title = "Coverage of 95% intervals by number of items (Figs. 1a and 11b), and of ours"
    drawing = Drawing("mc.staircase", "staircase", title, rows, "items", "cover, %", by="interval", log=True)
    return Results(values, (drawing,))


STAIRCASE = MonteCarlo(
    "mc.staircase", "Coverage where parts of the pipeline are left out", ITEMS, _draw_staircase, staircase
)


# Latent ambiguity: items that vary more by prompt and by judge, some with a three-way interaction (Table 10).


AMBIGUOUS_SIZES = {"item": 30, "prompt": 3, "temperature": 2, "judge": 3, "category": 5}
REPLICATES = 3
AMBIGUOUS_DESIGN = {"items": 30, "prompts": 3, "temperatures": 1, "judges": 3, "categories": 5}
AMBIGUOUS_DESIGN |= {"replicates": REPLICATES}
TEMPERATURES, AMBIGUOUS_JUDGES = (0.0, -0.03), (0.0, 0.03, -0.02)
DRAWN = {"category": 0.03, "item": 0.05, "prompt": 0.04, "item:temperature": 0.015, "prompt:temperature": 0.005}
DRAWN |= {"prompt:judge": 0.005, "replicate": 0.06}
SCALED = {"item:prompt": 0.02, "item:judge": 0.025}
THREE_WAY = 0.01
"""Variance of item by prompt by judge for items whose ambiguity is above one."""
TERMS = (*(term for term in DRAWN if term != "replicate"), *SCALED)
LARGE = ("category", "item", "prompt", "item:prompt", "item:judge", "replicate")
"""Components whose bias Table 10 looks at."""
STRENGTHS = {"none": 0.0, "mild": 0.5, "moderate": 1.0, "strong": 2.0}
CHANGES: list[dict[str, int]] = [{}, {"items": 60}, {"prompts": 6}, {"judges": 6}, {"replicates": 6}, {"judges": 1}]


def truth(strength: float) -> dict[str, float]:
    """Components on average over items; what is left out counts as replicates."""
    residual = DRAWN["replicate"] + THREE_WAY * normal_cdf(-1.0)
    return DRAWN | {term: value * (1 + strength) for term, value in SCALED.items()} | {"replicate": residual}


def variances(found: Mapping[str, float]) -> Floats:
    """Variance of the mean of every change of the design, at one temperature and without the spread of judges."""
    source = components(dict(found))
    return np.array([variance_of(source, AMBIGUOUS_DESIGN | change) for change in CHANGES])


def _draw_ambiguity(strength: float, rng: np.random.Generator) -> list[float]:
    """Coverage of the paper's interval and of ours, components over the true ones, and Spearman's correlation."""
    items, prompts, judges = AMBIGUOUS_SIZES["item"], AMBIGUOUS_SIZES["prompt"], AMBIGUOUS_SIZES["judge"]
    ambiguity = rng.normal(size=items)
    spread = np.sqrt(1 + strength * ambiguity**2)[:, None]
    effects = {
        "temperature": np.array(TEMPERATURES),
        "judge": np.array(AMBIGUOUS_JUDGES),
        "item:prompt": np.sqrt(SCALED["item:prompt"]) * spread * rng.normal(size=(items, prompts)),
        "item:judge": np.sqrt(SCALED["item:judge"]) * spread * rng.normal(size=(items, judges)),
        "item:prompt:judge": np.where(ambiguity > 1, np.sqrt(THREE_WAY), 0.0)[:, None, None]
        * rng.normal(size=(items, prompts, judges)),
    }
    law = components(
        DRAWN, sensitivity={"temperature": float(np.var(TEMPERATURES)), "judge": float(np.var(AMBIGUOUS_JUDGES))}
    )
    drawn = draw_judgments(law, levels=AMBIGUOUS_SIZES, replicates=REPLICATES, effects=effects, rng=rng)
    fit = decompose(drawn, random=TERMS)
    found = {term: float(value) for term, value in fit.variances.items()}
    own, true = variances(found), variances(truth(strength))
    middle = float(np.mean(TEMPERATURES) + np.mean(AMBIGUOUS_JUDGES))
    low, high = fit.mean_for(prompt="population").ends
    covered = [float(abs(fit.mean.value) <= 1.96 * np.sqrt(own[0])), float(low <= middle <= high)]
    order = of_pair(spearman, own[1:] / own[0], true[1:] / true[0])
    return [*covered, order, *(found[term] / truth(strength)[term] for term in LARGE)]


def ambiguity(draws: Mapping[str, Floats]) -> Results:
    """Coverage, the largest bias and the order of designs by strength."""
    values: dict[str, Value | float] = {}
    rows = []
    for name, numbers in draws.items():
        wald, ours = share(numbers[:, 0]), share(numbers[:, 1])
        values[f"{name}: the paper's intervals cover, %"] = wald
        values[f"{name}: ours cover, %"] = ours
        values[f"{name}: Spearman's correlation of the designs"] = mean(numbers[:, 2])
        biases = [mean(column - 1, 100) for column in numbers[:, 3:].T]
        values[f"{name}: largest bias of a component, %"] = largest(biases)
        rows += [
            {"strength": STRENGTHS[name], "cover, %": found.value, "interval": kind}
            for kind, found in (("the paper's", wald), ("ours", ours))
        ]
    title = "Coverage by strength of the ambiguity of items (Table 10)"
    drawing = Drawing("mc.ambiguity", "ambiguity", title, rows, "strength", "cover, %", by="interval")
    return Results(values, (drawing,))


AMBIGUITY = MonteCarlo("mc.ambiguity", "Items that are ambiguous", STRENGTHS, _draw_ambiguity, ambiguity)


# Arena: coverage of one cell's accuracy and of that of fifteen, by the number of battles (Fig. 5 and appendix R.1).
#
# The judgments are not public. Battles are drawn from a law with the archived moments: the mean, and what the archived
# half-widths at 100 and at 2,000 battles leave for battles and for cells. Prompts and judges share the latter as in the
# archived components of scores.


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


def _draw_arena(battles: int, rng: np.random.Generator) -> list[float]:
    """Whether the intervals of one cell and of all cells hold the truth, and their standard errors."""
    whole = population(rng)
    truth = float(whole.mean.mean())
    drawn = np.isin(whole.column("item"), rng.choice(BATTLES, battles, replace=False))
    cell = (whole.column("prompt") == rng.integers(PROMPTS)) & (whole.column("judge") == rng.integers(JUDGES))
    rate = float(whole.mean[drawn & cell].mean())
    fitted = _drawn_mean(whole.keep(drawn), ("item", "prompt", "judge"))
    found = ((rate, float(np.sqrt(rate * (1 - rate) / battles))), (fitted.value, fitted.se))
    z = t_quantile(np.inf, 0.975)
    return [*(float(abs(value - truth) <= z * se) for value, se in found), *(se for _, se in found)]


def arena(draws: Mapping[str, Floats]) -> Results:
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
    wide = "Standard errors of the mean agreement, by battles (Figs. 5 and 22)"
    drawings = (
        Drawing("mc.arena", "arena", title, covers, "battles", "cover, %", by="interval", log=True),
        Drawing("mc.arena", "arena-widths", wide, widths, "battles", "standard error", by="interval", log=True),
    )
    return Results(values, drawings)


ARENA = MonteCarlo("mc.arena", "Coverage of one cell and of all, by battles", SIZES, _draw_arena, arena, 300, 60)
