"""The AILuminate safety study: shares of the variance of its mean, and what single changes of design would do."""

from __future__ import annotations

import numpy as np

from quorate.planning.designs.dstudy import project
from quorate.reproduction.published import source_of
from quorate.reproduction.studies.tee.ideology import changes
from quorate.reproduction.study import Drawing, Outcome, Study


def outcome(_: np.random.Generator) -> Outcome:
    """Shares, standard error and counterfactuals."""
    source, design = source_of("safety")
    whole = project(source, **design)
    shares = {f"share of {term}, %": 100 * part for term, part in whole.shares.items()}
    rows = [{"component": term, "share": 100 * part} for term, part in whole.shares.items() if part > 0]
    drawing = Drawing(
        "tee.safety",
        "safety-shares",
        "Shares of the variance of the mean, safety (Fig. 3a)",
        sorted(rows, key=lambda row: -float(row["share"])),
        x="share",
        y="component",
        mark="bar",
    )
    values = shares | changes(source, design) | {"standard error": whole.se}
    return Outcome(values, (drawing,))


STUDY = Study("tee.safety", "Safety: shares of the variance, and changes of the design", outcome)
