"""Chatbot Arena (Table 17, Figs. 21 and 23): agreement with people, what a D-study promised, errors of strengths."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import InvalidData
from quorate.estimate.components.published import Components, components
from quorate.numerics.correlation import of_pair, spearman
from quorate.planning.designs.dstudy import project
from quorate.reproduction.data import ARCHIVE, Contents, Needed, columns
from quorate.reproduction.study import Drawing, Outcome, Reanalysis

PIPELINES = {
    "single_likert": "one judge, marks",
    "single_pairwise": "one judge, pairs",
    "tee_likert": "panel, marks",
    "tee_pairwise": "panel, pairs",
}
CATEGORIES = {
    "creative_writing": "creative writing",
    "persuasion": "persuasion",
    "coding": "coding",
    "factual_qa": "factual questions",
}
TERMS = {
    "prompt": "prompt",
    "judge": "judge",
    "item x prompt": "item:prompt",
    "item x judge": "item:judge",
    "prompt x judge": "prompt:judge",
    "residual": "cell",
}
TIE = "tie"


def read_predictions(path: Path) -> dict[str, NDArray[Any]]:
    """What each pipeline and people said of each battle; battles that a pipeline did not judge are left out."""
    table = columns(path, text=("category_llm", "config", "pred_winner", "winner_n"))
    _has(path, table["config"], PIPELINES)
    _has(path, table["category_llm"], CATEGORIES)
    judged = ~np.isin(table["pred_winner"].astype(str), ("NA", "None"))
    return {name: column[judged].astype(str) for name, column in table.items()}


def read_components(path: Path) -> dict[str, Components]:
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


def read_agreement(path: Path) -> dict[tuple[str, str], float]:
    """Share of decisive battles on which a pipeline and people agree, by pipeline and category."""
    table = columns(path, text=("config", "category_llm"), numbers=("acc_ab",))
    _has(path, table["config"], PIPELINES)
    _has(path, table["category_llm"], CATEGORIES)
    return dict(zip(zip(table["config"], table["category_llm"], strict=True), table["acc_ab"].tolist(), strict=True))


def read_errors(path: Path) -> dict[str, Floats]:
    """Standard error of each model's strength that counts the judging, over one that does not, by pipeline."""
    table = columns(path, text=("config",), numbers=("se_naive", "se_tee"))
    _has(path, table["config"], PIPELINES)
    ratios = table["se_tee"] / table["se_naive"]
    return {name: ratios[table["config"] == name] for name in PIPELINES}


def _has(path: Path, values: Iterable[str], wanted: Iterable[str]) -> None:
    missing = sorted(set(wanted) - set(values))
    if missing:
        raise InvalidData(f'{path}: has no row of "{missing[0]}"; is it another file of that name?')


PREDICTIONS = Needed("data/processed/arena_battle_predictions.csv", ARCHIVE, read_predictions)
COMPONENTS = Needed("data/processed/arena_dstudy_per_category.csv", ARCHIVE, read_components)
AGREEMENT = Needed("data/processed/arena_agreement_summary.csv", ARCHIVE, read_agreement)
ERRORS = Needed("data/processed/arena_bt_bootstrap_se.csv", ARCHIVE, read_errors)


def agreement(files: Contents, _: np.random.Generator) -> Outcome:
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
    return Outcome(values, (drawing,))


def promised(files: Contents, _: np.random.Generator) -> Outcome:
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
    drawing = Drawing(
        "tee.fig21", "promised", title, rows, x="saved, %", y="gained, points", by="category", mark="point"
    )
    return Outcome(values, (drawing,))


def strengths(files: Contents, _: np.random.Generator) -> Outcome:
    """Errors of strengths that count the choice of judges and prompts, over those that do not: medians over models."""
    ratios = {PIPELINES[name]: own for name, own in files.of(ERRORS).items()}
    values = {f"{name}: median ratio": float(np.median(own)) for name, own in ratios.items()}
    rows = [{"pipeline": name, "ratio": float(one)} for name, own in ratios.items() for one in own]
    title = "Standard errors of strengths, with the choice of judges over without (Fig. 23)"
    return Outcome(
        values, (Drawing("tee.fig23", "strengths", title, rows, x="ratio", y="pipeline", mark="point", log=True),)
    )


TABLE_17 = Reanalysis("tee.table17", "Agreement with people on Chatbot Arena", (PREDICTIONS,), agreement)
FIG_21 = Reanalysis("tee.fig21", "What a panel was projected to save, and gained", (COMPONENTS, AGREEMENT), promised)
FIG_23 = Reanalysis("tee.fig23", "Errors of strengths on Chatbot Arena, as archived", (ERRORS,), strengths)
