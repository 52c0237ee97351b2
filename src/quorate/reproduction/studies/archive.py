"""Studies of the files that Messing (2026) archived: scores, pilots and fits, and battles of Chatbot Arena."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidData
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import Components, components
from quorate.numerics.correlation import of_pair, spearman
from quorate.numerics.distributions import t_quantile
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import tie_model
from quorate.planning.designs.dstudy import project
from quorate.reproduction.studies.tee.printed import prize
from quorate.reproduction.study import (
    ARCHIVE,
    Contents,
    Drawing,
    Needed,
    Reanalysis,
    Results,
    Value,
    columns,
    inputs,
    mean,
    share,
)
from quorate.table.judgments import Judgments
from quorate.table.read_scores import read_scores
from quorate.table.results import frame

# Single configurations on MMLU (Table 14): intervals of answers, as archived, against the mean of each model.


_NUMBERS = ("target_mean", "config_mean", "se_naive", "tee_ci_lo", "tee_ci_hi")
ANSWERS = Needed("data/processed/naive_vs_tee_mmlu.csv", ARCHIVE, partial(columns, numbers=_NUMBERS))
"""Means and naive standard errors of configurations, what they should hold, and ends of corrected intervals."""


def answers(files: Contents, _: np.random.Generator) -> Results:
    """Widths, and how many of either intervals hold the mean of their model."""
    table, z = files.of(ANSWERS), t_quantile(np.inf, 0.975)
    off = np.abs(table["config_mean"] - table["target_mean"])
    half = (table["tee_ci_hi"] - table["tee_ci_lo"]) / 2
    return Results(
        {
            "configurations": float(len(off)),
            "naive width over corrected, %": 100 * float(np.mean(z * table["se_naive"] / half)),
            "naive intervals that cover, %": 100 * float(np.mean(off <= z * table["se_naive"])),
            "corrected intervals that cover, %": 100 * float(np.mean(off <= half)),
        }
    )


TABLE_14 = Reanalysis("tee.table14-mmlu", "Single configurations on MMLU, as archived", (ANSWERS,), answers)


# Allocations of a budget of calls on MMLU (Fig. 4), as the first and the strict parser of answers gave them.


NAIVE, GUIDED = "Naive", "TEE"


_ERRORS = partial(columns, text=("researcher",), numbers=("budget", "rmse", "coverage"))
"""Root mean square errors and coverages by strategy and budget."""
FIRST = Needed("data/processed/archive/pre_reparse/mmlu_budget_allocation_summary.csv", ARCHIVE, _ERRORS)
STRICT = Needed("data/processed/mmlu_budget_allocation_summary.csv", ARCHIVE, _ERRORS)


def budget(files: Contents, _: np.random.Generator) -> Results:
    """Coverages of the two strategies, and the error of one over that of the other at the largest budget."""
    values, rows = {}, []
    for parser, needed in {"first parser": FIRST, "strict parser": STRICT}.items():
        table = files.of(needed)
        last = table["budget"] == table["budget"].max()
        naive, guided = (table["researcher"] == name for name in (NAIVE, GUIDED))
        ratio = table["rmse"][guided & last] / table["rmse"][naive & last]
        values[f"{parser}: guided error over naive, largest budget, %"] = 100 * float(ratio.mean())
        values[f"{parser}: naive intervals that cover, least, %"] = 100 * float(table["coverage"][naive].min())
        values[f"{parser}: naive intervals that cover, most, %"] = 100 * float(table["coverage"][naive].max())
        values[f"{parser}: guided intervals that cover, least, %"] = 100 * float(table["coverage"][guided].min())
        rows += [
            {"budget": float(budget), "root mean square error": float(error), "strategy": f"{name}, {parser}"}
            for budget, error, name in zip(table["budget"], table["rmse"], table["researcher"], strict=True)
            if name in (NAIVE, GUIDED)
        ]
    title = "Error of a mean on MMLU by calls, as archived (Fig. 4)"
    y, by = "root mean square error", "strategy"
    drawing = Drawing("tee.fig4", "budgets", title, rows, "budget", y, by=by, log=True)
    return Results(values, (drawing,))


FIG_4 = Reanalysis("tee.fig4", "Allocations of a budget on MMLU, as archived", (FIRST, STRICT), budget)


# A pilot of Likert ideology (Table 12): shares of the variance of its mean, from components as archived.


PILOT_TERMS = {"within-category item": "item", "prompt": "prompt", "item x prompt": "item:prompt"}
PILOT_TERMS |= {"item x judge": "item:judge", "item x temperature": "item:temperature"}
PILOT_TERMS |= {"prompt x judge": "prompt:judge", "prompt x temperature": "prompt:temperature"}
PILOT_TERMS |= {"generation": "replicate"}
FIXED = {"judge model (sensitivity)": "judge", "temperature (design sensitivity)": "temperature"}
PILOT_DESIGNS: Mapping[str, Mapping[str, Any]] = {
    "pilot": {"items": 30, "prompts": 3, "judges": 3, "temperatures": 3, "replicates": 3},
    "full": {"items": 150, "prompts": 5, "judges": 3, "temperatures": 3, "replicates": 3},
}


def _read_pilot(path: Path) -> dict[str, Components]:
    """Components of the pilot and of the full run, in percent of their sum."""
    table = columns(path, text=("tle_label",), numbers=("pilot_pct", "full_pct"))
    found = {}
    for run in PILOT_DESIGNS:
        values = dict(zip(table["tle_label"], table[f"{run}_pct"].tolist(), strict=True))
        unknown = (PILOT_TERMS.keys() | FIXED.keys()) - values.keys()
        if unknown:
            raise InvalidData(f'{path}: has no row "{min(unknown)}"; is it another file of that name?')
        spread = {name: values[label] for label, name in FIXED.items()}
        found[run] = components({term: values[label] for label, term in PILOT_TERMS.items()}, sensitivity=spread)
    return found


PILOTS = Needed("data/processed/pilot_vs_full_likert_cot.csv", ARCHIVE, _read_pilot)


def pilot(files: Contents, _: np.random.Generator) -> Results:
    """Shares of the variance of either mean."""
    shares = {run: project(source, **PILOT_DESIGNS[run]).shares for run, source in files.of(PILOTS).items()}
    values = {f"{run}: share of {term}, %": 100 * part for run, own in shares.items() for term, part in own.items()}
    rows = [
        {"run": run, "term": term, "percent": 100 * part} for run, own in shares.items() for term, part in own.items()
    ]
    title = "Shares of the variance of the mean in a pilot and in the full run (Table 12)"
    return Results(values, (Drawing("tee.pilot", "pilot", title, rows, x="percent", y="term", by="run", mark="point"),))


PILOT = Reanalysis("tee.pilot", "Shares of a pilot of 30 items and 3 prompts", (PILOTS,), pilot)


# Archived judgments fitted again: components beside those of lme4 that the archive has.


FACETS = {"item": "item_id", "category": "category", "prompt": "variant_id", "judge": "judge_model"}
FACETS |= {"temperature": "temperature", "replicate": "replication"}


def read_judgments(path: Path) -> Judgments:
    """Judgments as the archive's scripts clean them."""
    return read_scores(
        path,
        score="outcome",
        facets=FACETS,
        nested={"item": "category"},
        fixed=("judge", "temperature"),
        missing=("NA",),
        announce=False,
    )


def refits(name: str, file: Needed[Judgments], files: Contents, _: np.random.Generator) -> Results:
    """Variances of the terms that the archive has."""
    archived = inputs()[name]["random"]
    fit = decompose(files.of(file), random=[term for term in archived if term != "replicate"])
    values = {f"variance of {term}": fit.variance(term) for term in archived}
    rows = [{"term": term, "variance": values[f"variance of {term}"]} for term in archived]
    title = f"Components of {name}"
    return Results(
        values, (Drawing(f"tee.refit-{name}", f"refit-{name}", title, rows, "variance", "term", mark="bar"),)
    )


def study(name: str, title: str, file: str) -> Reanalysis:
    """The study of one file of judgments."""
    needed = Needed(f"data/processed/{file}", ARCHIVE, read_judgments)
    return Reanalysis(f"tee.refit-{name}", title, (needed,), partial(refits, name, needed))


SAFETY = study("safety", "Safety: components of the judgments", "safety_clean.csv")
LIKERT = study("likert", "Likert ideology: components of the judgments", "likert_cot_clean.csv")


# Coverage on Chatbot Arena (Figs. 5 and 22): intervals from one judge and prompt, and from all of them.


SIZES = (100, 250, 500, 1000, 2000)
DRAWS = 300
"""Samples of each size, as in the paper."""
TIES = ("tie", "tie (bothbad)")


class Marks(NamedTuple):
    """Mark of a less that of b, by every judge under every prompt, shape (battles, prompts, judges); who won each."""

    battles: list[str]
    margin: Floats
    winner: NDArray[np.str_]


def read_marks(path: Path) -> Marks:
    """Differences of marks; nan where one of the two is missing."""
    names = ("battle_id", "variant_id", "judge_model", "response_side", "winner")
    table = columns(path, text=names, numbers=("score",))
    levels, first, codes = zip(
        *(np.unique(table[name].astype(str), return_index=True, return_inverse=True) for name in names[:3]), strict=True
    )
    side = table["response_side"].astype(str)
    if not np.isin(side, ("a", "b")).all():
        raise InvalidData(f'{path}: column "response_side" holds something else than a and b')
    marks = np.full((2, *map(len, levels)), np.nan)
    marks[(side == "b").astype(int), *codes] = table["score"]
    return Marks(levels[0].tolist(), marks[0] - marks[1], table["winner"][first[0]].astype(str))


def read_likert(path: Path) -> Bools:
    """Whether each judge under each prompt says what people say, of shape (matches, prompts, judges).

    A match without one of the two marks is a tie, as in the archived script.
    """
    battles, margin, winner = read_marks(path)
    if len(battles) < max(SIZES):
        raise InvalidData(f"{path}: has {len(battles):,} matches, and {max(SIZES):,} are drawn")
    said = np.where(margin > 0, "model_a", np.where(margin < 0, "model_b", "tie"))
    return np.asarray(said == np.where(np.isin(winner, TIES), "tie", winner)[:, None, None], dtype=bool)


SCORES = Needed("data/processed/arena_likert_clean.csv", ARCHIVE, read_likert)


def coverage(files: Contents, rng: np.random.Generator) -> Results:
    """How often either interval holds the mean over all matches, prompts and judges, and how wide it is."""
    agree = files.of(SCORES)
    n, prompts, judges = agree.shape
    truth, z = float(agree.mean()), t_quantile(np.inf, 0.975)
    item, prompt, judge = (one.ravel() for one in np.indices(agree.shape))
    held = {"item": item, "prompt": prompt, "judge": judge, "score": agree.ravel().astype(float)}
    facets = {"item": "item", "prompt": "prompt", "judge": "judge"}
    table = read_scores(frame(held), facets=facets, fixed=(), announce=False)
    codes = np.array([int(level) for level in table.facet("item").levels])[table.column("item")]
    values: dict[str, Value | float] = {"mean over all": truth}
    rows = []
    for size in SIZES:
        covered, halves = np.empty((DRAWS, 2)), np.empty((DRAWS, 2))
        for draw in range(DRAWS):
            taken = rng.choice(n, size, replace=False)
            single = agree[taken, rng.integers(prompts), rng.integers(judges)].mean()
            fit = decompose(table.keep(np.isin(codes, taken)), random=("item", "prompt", "judge", "cell"))
            halves[draw] = z * np.sqrt(single * (1 - single) / size), z * project(fit).se
            covered[draw] = np.abs(np.array([single, agree[taken].mean()]) - truth) <= halves[draw]
        for kind, name in enumerate(("one judge and prompt", "all judges and prompts")):
            values[f"{size:,} matches, {name}: cover, %"] = share(covered[:, kind])
            values[f"{size:,} matches, {name}: half-width"] = mean(halves[:, kind])
            rows.append({"matches": size, "half-width": float(halves[:, kind].mean()), "interval": name})
    title = "Half-width of an interval by matches (Fig. 22)"
    drawing = Drawing("tee.fig5", "arena-widths", title, rows, x="matches", y="half-width", by="interval", log=True)
    return Results(values, (drawing,))


FIG_5 = Reanalysis("tee.fig5", "Intervals on Chatbot Arena, of one judge and of all", (SCORES,), coverage)


# Chatbot Arena (Fig. 6): errors of strengths by design of the judging, from battles, and what 27 submissions gain.


DESIGNS = ((1, 1), (5, 1), (1, 3), (5, 3))
"""Prompts and judges."""
RESAMPLES = 300
NEAR = 0.5
"""Mean marks that are less far apart are a tie, as in the archived script."""
RIDGE = 1e-3
"""Weak: it only keeps strengths finite in resamples in which a model wins, or loses, every battle."""


def _read_models(path: Path) -> dict[str, tuple[str, str]]:
    """Models of every battle."""
    table = columns(path, text=("battle_id", "model_a", "model_b"))
    return {battle: (a, b) for battle, a, b in zip(*table.values(), strict=True)}


MARKS = Needed("data/processed/arena_likert_clean.csv", ARCHIVE, read_marks)
MODELS = Needed("data/processed/arena_battles_scored_input.csv", ARCHIVE, _read_models)


def spread(margin: Floats, pair: Ints, models: int, size: tuple[int, int], rng: np.random.Generator) -> float:
    """Median over models of the standard error of a strength, battles, prompts and judges drawn anew."""
    ends, place = np.unique(pair, axis=1, return_inverse=True)
    counts = np.zeros((1, ends.shape[1], 3, RESAMPLES))
    for draw in range(RESAMPLES):
        battles = rng.integers(len(margin), size=len(margin))
        cells = [rng.choice(of, some, replace=False) for of, some in zip(margin.shape[1:], size, strict=True)]
        with np.errstate(invalid="ignore"):
            mean = np.nanmean(margin[battles][:, cells[0]][:, :, cells[1]].reshape(len(battles), -1), axis=1)
        verdict = np.where(np.abs(mean) < NEAR, 2, np.where(mean > 0, 0, 1))[np.isfinite(mean)]
        np.add.at(counts[0, :, :, draw], (place.ravel()[battles][np.isfinite(mean)], verdict), 1.0)
    design = Design(models, ends[0], ends[1], np.zeros(1), tie_model("half"))
    strengths = fit(design, counts, ridge=RIDGE, tol=1e-6).theta[:models]
    return float(np.median((strengths - strengths.mean(axis=0)).std(axis=1, ddof=1)))


def designs(files: Contents, rng: np.random.Generator) -> Results:
    """Elo points by design."""
    marks, models = files.of(MARKS), files.of(MODELS)
    known = [at for at, battle in enumerate(marks.battles) if battle in models]
    if not known:
        raise InvalidData("arena_battles_scored_input.csv: has none of the battles that were scored")
    names, code = np.unique([models[marks.battles[at]] for at in known], return_inverse=True)
    pair, margin = code.reshape(-1, 2).T, marks.margin[known]
    values = {
        f"{prompts} x {judges} prompts and judges, from battles, Elo": prize(
            spread(margin, pair, len(names), (prompts, judges), rng)
        )
        for prompts, judges in DESIGNS
    }
    rows = [{"design": name.partition(",")[0], "Elo": value} for name, value in values.items()]
    title = "Best of 27 submissions, Elo points, from battles (Fig. 6)"
    return Results(values, (Drawing("tee.fig6", "gaming-battles", title, rows, x="Elo", y="design", mark="bar"),))


FIG_6 = Reanalysis("tee.fig6", "What the best of 27 submissions gains, from battles", (MARKS, MODELS), designs)


# Chatbot Arena (Table 17, Figs. 21 and 23): agreement with people, what a D-study promised, errors of strengths.


PIPELINES = {"single_likert": "one judge, marks", "single_pairwise": "one judge, pairs", "tee_likert": "panel, marks"}
PIPELINES |= {"tee_pairwise": "panel, pairs"}
CATEGORIES = {"creative_writing": "creative writing", "persuasion": "persuasion", "coding": "coding"}
CATEGORIES |= {"factual_qa": "factual questions"}
TERMS = {"prompt": "prompt", "judge": "judge", "item x prompt": "item:prompt", "item x judge": "item:judge"}
TERMS |= {"prompt x judge": "prompt:judge", "residual": "cell"}
TIE = "tie"


def _read_predictions(path: Path) -> dict[str, NDArray[Any]]:
    """What each pipeline and people said of each battle; battles that a pipeline did not judge are left out."""
    table = columns(path, text=("category_llm", "config", "pred_winner", "winner_n"))
    _has(path, table["config"], PIPELINES)
    _has(path, table["category_llm"], CATEGORIES)
    judged = ~np.isin(table["pred_winner"].astype(str), ("NA", "None"))
    return {name: column[judged].astype(str) for name, column in table.items()}


def _read_components(path: Path) -> dict[str, Components]:
    """Components of marks by category, without that of the answers, which averaging leaves as it is."""
    table = columns(path, text=("tle_label", "category"), numbers=("variance",))
    _has(path, table["category"], CATEGORIES)
    found = {}
    for category in CATEGORIES:
        own = table["category"] == category
        values = dict(zip(table["tle_label"][own], table["variance"][own].tolist(), strict=True))
        _has(path, values, TERMS)
        found[category] = components({term: values[label] for label, term in TERMS.items()})
    return found


def _read_agreement(path: Path) -> dict[tuple[str, str], float]:
    """Share of decisive battles on which a pipeline and people agree, by pipeline and category."""
    table = columns(path, text=("config", "category_llm"), numbers=("acc_ab",))
    _has(path, table["config"], PIPELINES)
    _has(path, table["category_llm"], CATEGORIES)
    return dict(zip(zip(table["config"], table["category_llm"], strict=True), table["acc_ab"].tolist(), strict=True))


def _read_errors(path: Path) -> dict[str, Floats]:
    """Standard error of each model's strength that counts the judging, over one that does not, by pipeline."""
    table = columns(path, text=("config",), numbers=("se_naive", "se_tee"))
    _has(path, table["config"], PIPELINES)
    ratios = table["se_tee"] / table["se_naive"]
    return {name: ratios[table["config"] == name] for name in PIPELINES}


def _has(path: Path, values: Iterable[str], wanted: Iterable[str]) -> None:
    missing = sorted(set(wanted) - set(values))
    if missing:
        raise InvalidData(f'{path}: has no row of "{missing[0]}"; is it another file of that name?')


PREDICTIONS = Needed("data/processed/arena_battle_predictions.csv", ARCHIVE, _read_predictions)
COMPONENTS = Needed("data/processed/arena_dstudy_per_category.csv", ARCHIVE, _read_components)
AGREEMENT = Needed("data/processed/arena_agreement_summary.csv", ARCHIVE, _read_agreement)
ERRORS = Needed("data/processed/arena_bt_bootstrap_se.csv", ARCHIVE, _read_errors)


def agreement(files: Contents, _: np.random.Generator) -> Results:
    """How often each pipeline says what people said, over all battles and over those that both decide."""
    table = files.of(PREDICTIONS)
    same = table["pred_winner"] == table["winner_n"]
    decisive = (table["pred_winner"] != TIE) & (table["winner_n"] != TIE)
    values, rows = {}, []
    for category, words in (*CATEGORIES.items(), ("", "pooled")):
        for config, pipeline in PIPELINES.items():
            own = (table["config"] == config) & ((table["category_llm"] == category) | (not category))
            name = f"{words}: {pipeline}"
            values[f"{name}, battles"] = float(own.sum())
            values[f"{name}, all, %"] = 100 * float(same[own].mean())
            values[f"{name}, decisive battles"] = float((own & decisive).sum())
            values[f"{name}, decisive, %"] = 100 * float(same[own & decisive].mean())
            rows.append({"category": words, "pipeline": pipeline, "agree, %": values[f"{name}, decisive, %"]})
    title = "Agreement with people on decisive battles, % (Table 17)"
    drawing = Drawing("tee.table17", "pipelines", title, rows, x="agree, %", y="category", by="pipeline", mark="point")
    return Results(values, (drawing,))


def promised(files: Contents, _: np.random.Generator) -> Results:
    """What averaging five prompts and three judges was projected to save, and what it gained in agreement."""
    rate = files.of(AGREEMENT)
    rows: list[dict[str, Any]] = []
    for category, source in files.of(COMPONENTS).items():
        one, panel = (project(source, items=1, prompts=v, judges=m).se for v, m in ((1, 1), (5, 3)))
        gained = 100 * (rate["tee_likert", category] - rate["single_likert", category])
        rows.append({"category": CATEGORIES[category], "saved, %": 100 * (1 - panel / one), "gained, points": gained})
    saved, gains = (np.array([row[name] for row in rows]) for name in ("saved, %", "gained, points"))
    values = {f"{row['category']}: {name}": row[name] for row in rows for name in ("saved, %", "gained, points")}
    values["rank correlation of the two"] = of_pair(spearman, saved, gains)
    title = "Standard error that a panel saves, and agreement that it gains (Fig. 21)"
    x, y, by = "saved, %", "gained, points", "category"
    drawing = Drawing("tee.fig21", "promised", title, rows, x, y, by=by, mark="point")
    return Results(values, (drawing,))


def strengths(files: Contents, _: np.random.Generator) -> Results:
    """Errors of strengths that count the choice of judges and prompts, over those that do not: medians over models."""
    ratios = {PIPELINES[name]: own for name, own in files.of(ERRORS).items()}
    values = {f"{name}: median ratio": float(np.median(own)) for name, own in ratios.items()}
    rows = [{"pipeline": name, "ratio": float(one)} for name, own in ratios.items() for one in own]
    title = "Standard errors of strengths, with the choice of judges over without (Fig. 23)"
    return Results(
        values, (Drawing("tee.fig23", "strengths", title, rows, x="ratio", y="pipeline", mark="point", log=True),)
    )


TABLE_17 = Reanalysis("tee.table17", "Agreement with people on Chatbot Arena", (PREDICTIONS,), agreement)
FIG_21 = Reanalysis("tee.fig21", "What a panel was projected to save, and gained", (COMPONENTS, AGREEMENT), promised)
FIG_23 = Reanalysis("tee.fig23", "Errors of strengths on Chatbot Arena, as archived", (ERRORS,), strengths)
