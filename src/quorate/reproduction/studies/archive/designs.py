"""Chatbot Arena (Fig. 6): errors of strengths by design of the judging, from battles, and what 27 submissions gain."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidData
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import tie_model
from quorate.reproduction.data import ARCHIVE, Contents, Needed, columns
from quorate.reproduction.studies.tee.best_of import prize
from quorate.reproduction.study import Drawing, Outcome, Reanalysis

DESIGNS = ((1, 1), (5, 1), (1, 3), (5, 3))
"""Prompts and judges."""
RESAMPLES = 300
NEAR = 0.5
"""Mean marks that are less far apart are a tie, as in the archived script."""
RIDGE = 1e-3
"""Weak: it only keeps strengths finite in resamples in which a model wins, or loses, every battle."""


class Marks(NamedTuple):
    """Mark of a less that of b, by every judge under every prompt, shape (battles, prompts, judges)."""

    battles: list[str]
    margin: Floats


def read_marks(path: Path) -> Marks:
    """Differences of marks; nan where one of the two is missing."""
    table = columns(path, text=("battle_id", "variant_id", "judge_model", "response_side"), numbers=("score",))
    levels, codes = zip(
        *(
            np.unique(table[name].astype(str), return_inverse=True)
            for name in ("battle_id", "variant_id", "judge_model")
        ),
        strict=True,
    )
    side = table["response_side"].astype(str)
    if not np.isin(side, ("a", "b")).all():
        raise InvalidData(f'{path}: column "response_side" holds something else than a and b')
    marks = np.full((2, *map(len, levels)), np.nan)
    marks[(side == "b").astype(int), *codes] = table["score"]
    return Marks(levels[0].tolist(), marks[0] - marks[1])


def read_models(path: Path) -> dict[str, tuple[str, str]]:
    """Models of every battle."""
    table = columns(path, text=("battle_id", "model_a", "model_b"))
    return {battle: (a, b) for battle, a, b in zip(*table.values(), strict=True)}


MARKS = Needed("data/processed/arena_likert_clean.csv", ARCHIVE, read_marks)
MODELS = Needed("data/processed/arena_battles_scored_input.csv", ARCHIVE, read_models)


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


def outcome(files: Contents, rng: np.random.Generator) -> Outcome:
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
    return Outcome(values, (Drawing("tee.fig6", "gaming-battles", title, rows, x="Elo", y="design", mark="bar"),))


STUDY = Reanalysis("tee.fig6", "What the best of 27 submissions gains, from battles", (MARKS, MODELS), outcome)
