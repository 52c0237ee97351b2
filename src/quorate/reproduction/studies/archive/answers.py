"""Single configurations on MMLU (Table 14): intervals of answers, as archived, against the mean of each model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.numerics.distributions import t_quantile
from quorate.reproduction.data import ARCHIVE, Contents, Needed, columns
from quorate.reproduction.study import Outcome, Reanalysis


def read(path: Path) -> dict[str, NDArray[Any]]:
    """Means and naive standard errors of configurations, what they should hold, and ends of corrected intervals."""
    return columns(path, numbers=("target_mean", "config_mean", "se_naive", "tee_ci_lo", "tee_ci_hi"))


FILE = Needed("data/processed/naive_vs_tee_mmlu.csv", ARCHIVE, read)


def outcome(files: Contents, _: np.random.Generator) -> Outcome:
    """Widths, and how many of either intervals hold the mean of their model."""
    table, z = files.of(FILE), t_quantile(np.inf, 0.975)
    off = np.abs(table["config_mean"] - table["target_mean"])
    half = (table["tee_ci_hi"] - table["tee_ci_lo"]) / 2
    return Outcome(
        {
            "configurations": float(len(off)),
            "naive width over corrected, %": 100 * float(np.mean(z * table["se_naive"] / half)),
            "naive intervals that cover, %": 100 * float(np.mean(off <= z * table["se_naive"])),
            "corrected intervals that cover, %": 100 * float(np.mean(off <= half)),
        }
    )


STUDY = Reanalysis("tee.table14-mmlu", "Single configurations on MMLU, as archived", (FILE,), outcome)
