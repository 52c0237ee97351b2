"""Single configurations (Table 14): naive standard errors against those that count the pipeline."""

from __future__ import annotations

import numpy as np

from quorate.numerics.distributions import t_quantile
from quorate.planning.designs.dstudy import project
from quorate.reproduction.published import inputs, source_of
from quorate.reproduction.studies.tee.ideology import PANEL
from quorate.reproduction.study import Drawing, Outcome, Study

SOURCES = {"safety": "safety", "likert": "likert", "pairwise": "pairwise recoded"}


def outcome(_: np.random.Generator) -> Outcome:
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
    return Outcome(
        values, (Drawing("tee.table14", "single", title, rows, x="cover", y="study", by="interval", mark="point"),)
    )


STUDY = Study("tee.table14", "Naive and corrected errors of single configurations", outcome)
