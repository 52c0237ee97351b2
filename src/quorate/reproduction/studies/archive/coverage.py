"""Coverage on Chatbot Arena (Figs. 5 and 22): intervals from one judge and prompt, and from all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quorate.arrays import Bools
from quorate.errors import InvalidData
from quorate.estimate.components.decompose import decompose
from quorate.numerics.distributions import t_quantile
from quorate.planning.designs.dstudy import project
from quorate.reproduction.data import ARCHIVE, Contents, Needed, columns
from quorate.reproduction.study import Drawing, Outcome, Reanalysis, Value, mean, share
from quorate.table.read_scores import read_scores
from quorate.table.results import frame

SIZES = (100, 250, 500, 1000, 2000)
DRAWS = 300
"""Samples of each size, as in the paper."""
TIES = ("tie", "tie (bothbad)")


def read(path: Path) -> Bools:
    """Whether each judge under each prompt says what people say, of shape (matches, prompts, judges).

    A match without one of the two marks is a tie, as in the archived script.
    """
    names = ("battle_id", "winner", "variant_id", "judge_model", "response_side")
    table = columns(path, text=names, numbers=("score",))
    (battles, first, at), (prompts, _, prompt), (judges, _, judge) = (
        np.unique(table[name].astype(str), return_index=True, return_inverse=True)
        for name in ("battle_id", "variant_id", "judge_model")
    )
    side = table["response_side"]
    if not np.isin(side.astype(str), ("a", "b")).all():
        raise InvalidData(f'{path}: column "response_side" holds something else than a and b')
    if len(battles) < max(SIZES):
        raise InvalidData(f"{path}: has {len(battles):,} matches, and {max(SIZES):,} are drawn")
    marks = np.full((2, len(battles), len(prompts), len(judges)), np.nan)
    marks[(side == "b").astype(int), at, prompt, judge] = table["score"]
    said = np.where(marks[0] > marks[1], "model_a", np.where(marks[1] > marks[0], "model_b", "tie"))
    winner = table["winner"][first].astype(str)
    return np.asarray(said == np.where(np.isin(winner, TIES), "tie", winner)[:, None, None], dtype=bool)


FILE = Needed("data/processed/arena_likert_clean.csv", ARCHIVE, read)


def outcome(files: Contents, rng: np.random.Generator) -> Outcome:
    """How often either interval holds the mean over all matches, prompts and judges, and how wide it is."""
    agree = files.of(FILE)
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
    return Outcome(values, (drawing,))


STUDY = Reanalysis("tee.fig5", "Intervals on Chatbot Arena, of one judge and of all", (FILE,), outcome)
