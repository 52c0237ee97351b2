"""A pilot of Likert ideology (Table 12): shares of the variance of its mean, from components as archived."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from quorate.errors import InvalidData
from quorate.estimate.components.published import Components, components
from quorate.planning.designs.dstudy import project
from quorate.reproduction.data import ARCHIVE, Contents, Needed, columns
from quorate.reproduction.study import Drawing, Outcome, Reanalysis

TERMS = {
    "within-category item": "item",
    "prompt": "prompt",
    "item x prompt": "item:prompt",
    "item x judge": "item:judge",
    "item x temperature": "item:temperature",
    "prompt x judge": "prompt:judge",
    "prompt x temperature": "prompt:temperature",
    "generation": "replicate",
}
FIXED = {"judge model (sensitivity)": "judge", "temperature (design sensitivity)": "temperature"}
DESIGNS: Mapping[str, Mapping[str, Any]] = {
    "pilot": {"items": 30, "prompts": 3, "judges": 3, "temperatures": 3, "replicates": 3},
    "full": {"items": 150, "prompts": 5, "judges": 3, "temperatures": 3, "replicates": 3},
}


def read(path: Path) -> dict[str, Components]:
    """Components of the pilot and of the full run, in percent of their sum."""
    table = columns(path, text=("tle_label",), numbers=("pilot_pct", "full_pct"))
    found = {}
    for run in DESIGNS:
        values = dict(zip(table["tle_label"], table[f"{run}_pct"].tolist(), strict=True))
        unknown = (TERMS.keys() | FIXED.keys()) - values.keys()
        if unknown:
            raise InvalidData(f'{path}: has no row "{min(unknown)}"; is it another file of that name?')
        spread = {name: values[label] for label, name in FIXED.items()}
        found[run] = components({term: values[label] for label, term in TERMS.items()}, sensitivity=spread)
    return found


FILE = Needed("data/processed/pilot_vs_full_likert_cot.csv", ARCHIVE, read)


def outcome(files: Contents, _: np.random.Generator) -> Outcome:
    """Shares of the variance of either mean."""
    shares = {run: project(source, **DESIGNS[run]).shares for run, source in files.of(FILE).items()}
    values = {f"{run}: share of {term}, %": 100 * part for run, own in shares.items() for term, part in own.items()}
    rows = [
        {"run": run, "term": term, "percent": 100 * part} for run, own in shares.items() for term, part in own.items()
    ]
    title = "Shares of the variance of the mean in a pilot and in the full run (Table 12)"
    return Outcome(values, (Drawing("tee.pilot", "pilot", title, rows, x="percent", y="term", by="run", mark="point"),))


STUDY = Reanalysis("tee.pilot", "Shares of a pilot of 30 items and 3 prompts", (FILE,), outcome)
