"""Studies of the paper from its printed components: shares, frontiers, log odds, single configurations, gaming."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from quorate.decide.gaming import elo_slope, gaming
from quorate.estimate.agreement.yardsticks import tertiles
from quorate.estimate.components.published import Components, components
from quorate.numerics.correlation import of_pair, pearson, spearman
from quorate.numerics.distributions import t_quantile
from quorate.planning.designs.dstudy import project
from quorate.reproduction.study import Drawing, Results, Study, inputs, source_of

# The AILuminate safety study: shares of the variance of its mean, and what single changes of design would do.


def safety(_: np.random.Generator) -> Results:
    """Shares, standard error and counterfactuals."""
    source, design = source_of("safety")
    whole = project(source, **design)
    shares = {f"share of {term}, %": 100 * part for term, part in whole.shares.items()}
    parts = sorted(whole.shares.items(), key=lambda one: -one[1])
    rows = [{"component": term, "share": 100 * part} for term, part in parts if part > 0]
    title = "Shares of the variance of the mean, safety (Fig. 3a)"
    drawing = Drawing("tee.safety", "safety-shares", title, rows, "share", "component", mark="bar")
    values = shares | changes(source, design) | {"standard error": whole.se}
    return Results(values, (drawing,))


SAFETY = Study("tee.safety", "Safety: shares of the variance, and changes of the design", safety)


# The cost frontier of the safety study: 360 designs, and fractional ones at the same price.


ITEMS, PROMPTS, JUDGES, REPLICATES = (20, 30, 50, 75, 100, 141), (1, 2, 3, 5), (1, 2, 3), (1, 2, 3, 5, 8)


def frontier(_: np.random.Generator) -> Results:
    """Standard errors of the grid, and of cyclic and Latin designs of one call per item."""
    source, _design = source_of("safety")
    grid = {
        (n, v, m, r): project(source, items=n, prompts=v, judges=m, replicates=r)
        for n, v, m, r in product(ITEMS, PROMPTS, JUDGES, REPLICATES)
    }
    alone, guided, whole = grid[141, 1, 1, 1], grid[141, 3, 3, 1], grid[141, 5, 3, 8]
    best = min((one for one in grid.values() if one.calls <= alone.calls), key=lambda one: one.se)
    cyclic = project(source, items=141, prompts=1, judges=3, layout="cyclic")
    latin = project(source, items=141, prompts=5, judges=3, layout="latin")
    values = {
        "designs": float(len(grid)),
        "standard error of one prompt and judge": alone.se,
        "standard error of three prompts and judges": guided.se,
        "standard error of the full factorial": whole.se,
        "three prompts and judges save, % of the standard error": 100 * (1 - guided.se / alone.se),
        "calls of three prompts and judges, over those of one": guided.calls / alone.calls,
        "calls of the full factorial, over those of one": whole.calls / alone.calls,
        "the full factorial saves of three prompts and judges, %": 100 * (1 - whole.se / guided.se),
        "the best of the grid at the price of one saves, %": 100 * (1 - best.se / alone.se),
        "three judges save at one prompt and replicate, %": 100 * (1 - grid[141, 1, 3, 1].se / alone.se),
        "standard error of the best of the grid at that price": best.se,
        "standard error of judges in turn at that price": cyclic.se,
        "standard error of prompts and judges in turn at that price": latin.se,
        "prompts and judges in turn save at that price, %": 100 * (1 - latin.se / alone.se),
    }
    kinds = [("grid", list(grid.values())), ("in turn", [cyclic, latin])]
    rows = [{"calls": one.calls, "standard error": one.se, "designs": kind} for kind, some in kinds for one in some]
    title = "Standard error against calls, safety (Fig. 3b), with designs in turn"
    x, y, by = "calls", "standard error", "designs"
    return Results(values, (Drawing("tee.frontier", "frontier", title, rows, x, y, by=by, mark="point", log=True),))


FRONTIER = Study("tee.frontier", "Safety: 360 designs, and fractional ones at the same price", frontier)


# Ideology by Likert scores and by pairs: shares of the variance of the mean, and what single changes would do.


PANEL = {"judge": "panel", "temperature": "panel"}


def changes(source: Components, design: Mapping[str, Any]) -> dict[str, float]:
    """Percent that the variance changes by: as the paper has it, without the spread of fixed facets, and by Eq. 3."""
    # Positions are no factor of the calls: each call has one of the two, drawn for its item.
    crossed = {name: count for name, count in design.items() if name != "levels"}
    bases: Mapping[str, Mapping[str, Any]] = {"": {**crossed, "targets": PANEL}, ", by Eq. 3": design}
    more = {"twice the items": {"items": 2 * design["items"]}, "two more prompts": {"prompts": design["prompts"] + 2}}
    more |= {"five more replicates": {"replicates": design["replicates"] + 5}, "one judge": {"judges": 1}}
    return {
        f"{words}{way}, %": 100
        * (project(source, **{**base, **change}).variance / project(source, **base).variance - 1)
        for way, base in bases.items()
        for words, change in more.items()
    }


def ideology(name: str, figures: str, _: np.random.Generator) -> Results:
    """Shares and counterfactuals of one way to score."""
    source, design = source_of(name)
    moved = changes(source, design)
    values = {f"share of {term}, %": 100 * part for term, part in project(source, **design).shares.items()} | moved
    rows = [
        {"change": words.removesuffix(", %").removesuffix(", by Eq. 3"), "percent": value, "by": by}
        for words, value in moved.items()
        for by in ("Eq. 3" if "Eq. 3" in words else "the paper's baseline",)
    ]
    title = f"Change of the variance by one change of the design, {name} ({figures})"
    drawing = Drawing(f"tee.{name}", f"{name}-changes", title, rows, x="percent", y="change", by="by", mark="point")
    return Results(values, (drawing,))


LIKERT = Study(
    "tee.likert", "Likert ideology: shares, and changes of the design", partial(ideology, "likert", "Fig. 13")
)
PAIRWISE = Study(
    "tee.pairwise", "Pairwise ideology: shares, and changes of the design", partial(ideology, "pairwise", "Fig. 14")
)


# Multiple choice (MMLU): components from the printed shares, and the total that the printed components give.


def mmlu(_: np.random.Generator) -> Results:
    """Shares that components of three decimals give, and those of components that the shares give."""
    content = inputs()["mmlu"]
    design = content["design"]
    sizes = {"item": design["items"], "prompt": design["prompts"], "judge": design["judges"], "temperature": 3}
    divisors = {
        term: design["items"] if term == "category" else math.prod(sizes[name] for name in term.split(":"))
        for term in content["shares"]
        if term != "cell"
    } | {"cell": math.prod(sizes.values())}
    exact = {term: share / 100 * content["variance"] * divisors[term] for term, share in content["shares"].items()}
    fixed = ("judge", "temperature")

    def projected(values: dict[str, float]) -> tuple[float, dict[str, float]]:
        source = components(
            {term: value for term, value in values.items() if term not in fixed},
            sensitivity={term: values.get(term, 0.0) for term in fixed},
        )
        found = project(source, **design)
        return found.variance, dict(found.shares)

    total, shares = projected(exact)
    printed, _shares = projected(content["printed"])
    values = {f"share of {term}, %": 100 * part for term, part in shares.items() if term in content["shares"]}
    return Results(
        values
        | {"variance of the mean, from the shares": total, "variance of the mean, from printed components": printed}
    )


MMLU = Study("tee.mmlu", "MMLU: shares, and the total of its printed components", mmlu)


# Components of log odds (Table 11): shares on both scales, and their rank correlation.


def log_odds(_: np.random.Generator) -> Results:
    """Shares of log odds, and Spearman's correlation with those of scores."""
    values: dict[str, float] = {}
    rows = []
    for study in ("safety", "pairwise"):
        linear, latent = (
            project(source, **design).shares for source, design in map(source_of, (study, f"{study} logit"))
        )
        terms = [term for term in linear if term in latent]
        for term in terms:
            values[f"{study}: share of {term} of log odds, %"] = 100 * latent[term]
            rows.append({"component": f"{study}, {term}", "scores": 100 * linear[term], "log odds": 100 * latent[term]})
        both = np.array([[shares[term] for term in terms] for shares in (linear, latent)])
        values[f"{study}: rank correlation of shares"] = of_pair(spearman, both[0], both[1])
    title = "Shares of the variance on both scales, % (Table 11)"
    return Results(
        values, (Drawing("tee.table11", "both-scales", title, rows, x="scores", y="log odds", mark="point"),)
    )


LOG_ODDS = Study("tee.table11", "Shares of scores and of log odds", log_odds)


# Single configurations (Table 14): naive standard errors against those that count the pipeline.


SOURCES = {"safety": "safety", "likert": "likert", "pairwise": "pairwise recoded"}


def single(_: np.random.Generator) -> Results:
    """Standard errors, width ratios and coverages of 45 configurations of three studies."""
    values, rows = {}, []
    z = t_quantile(np.inf, 0.975)
    for study, name in SOURCES.items():
        source, design = source_of(name)
        one = {"items": design["items"], "prompts": 1, "judges": 1, "replicates": design["replicates"]}
        found = inputs()["configurations"][study]
        naive, off = np.array(found["se"]), np.abs(np.array(found["mean"]) - found["truth"])
        for words, targets in (("", PANEL), (", with the spread of judges", {})):
            alone = project(source, **one, targets=targets).se
            values[f"{study}: standard error of one configuration{words}"] = alone
            values[f"{study}: naive width over corrected{words}, %"] = 100 * float(np.mean(naive / alone))
            values[f"{study}: corrected intervals that cover{words}, %"] = 100 * float(np.mean(off <= z * alone))
        whole = {**one, "prompts": design["prompts"], "judges": design["judges"]}
        values[f"{study}: standard error of the full design"] = project(source, **whole, targets=PANEL).se
        values[f"{study}: naive intervals that cover, %"] = 100 * float(np.mean(off <= z * naive))
        kinds = {"naive": "naive intervals that cover, %", "without judges": "corrected intervals that cover, %"}
        kinds["with judges"] = "corrected intervals that cover, with the spread of judges, %"
        rows += [{"study": study, "interval": kind, "cover": values[f"{study}: {key}"]} for kind, key in kinds.items()]
    title = "Intervals of 45 configurations that cover the mean over all, % (Table 14)"
    return Results(
        values, (Drawing("tee.table14", "single", title, rows, x="cover", y="study", by="interval", mark="point"),)
    )


SINGLE = Study("tee.table14", "Naive and corrected errors of single configurations", single)


# The gaming surface (Fig. 6): what the best of 27 submissions gains, by design of the judging.


def prize(sd: float) -> float:
    """What the best of 27 gains in Elo points, from the standard deviation of log odds."""
    source = components({"item": (sd * 400 / math.log(10) / elo_slope(0.5)) ** 2})
    return gaming(source, items=1, designs=[{}], scale="elo").prizes[0].value


def _best_of(_: np.random.Generator) -> Results:
    """Prizes in Elo points, from archived standard deviations of log odds."""
    values = {}
    for name, sd in inputs()["gaming"].items():
        prompts, _, judges = name.partition(",")
        values[f"{prompts} x {judges} prompts and judges, Elo" if judges else "votes of people, Elo"] = prize(sd)
    rows = [{"design": name.removesuffix(", Elo"), "Elo": value} for name, value in values.items()]
    title = "Best of 27 submissions, Elo points (Fig. 6)"
    return Results(values, (Drawing("tee.gaming", "gaming", title, rows, "Elo", "design", mark="bar"),))


BEST_OF = Study("tee.gaming", "What the best of 27 submissions gains", _best_of)


# Propaganda items: where configurations disagree, they are wrong (section I.1).


def propaganda(_: np.random.Generator) -> Results:
    """Correlation of an item's variance with its accuracy, and accuracy by tertiles of the variance."""
    content = inputs()["propaganda"]
    n, yes = np.array(content["n"], dtype=float), np.array(content["n"]) * 0.0 + content["yes"]
    rate = yes / n
    variance = rate * (1 - rate) * n / (n - 1)
    right = np.where(content["people say yes"], rate, 1 - rate)
    majority = np.array(right > 0.5, dtype=float)
    values = {"items": float(len(n)), "correlation of variance and accuracy": of_pair(pearson, variance, right)}
    values |= {"average accuracy of judgments, %": 100 * float(right.mean())}
    values |= {"accuracy of the majority, %": 100 * float(majority.mean())}
    thirds = tertiles(variance, right, majority, np.arange(len(n)), 0.95)
    for name, third in zip(("low", "medium", "high"), thirds, strict=True):
        values[f"accuracy at {name} variance, %"] = 100 * third.average.value
    rows = [{"variance": float(v), "accuracy": float(a)} for v, a in zip(variance, right, strict=True)]
    title = "Accuracy of an item's judgments against their variance (Fig. 17)"
    return Results(
        values, (Drawing("tee.propaganda", "propaganda", title, rows, x="variance", y="accuracy", mark="point"),)
    )


PROPAGANDA = Study("tee.propaganda", "Disagreement of configurations and their errors, 50 items", propaganda)
