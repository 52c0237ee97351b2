"""Components of log odds (Table 11): shares on both scales, and their rank correlation."""

from __future__ import annotations

import numpy as np

from quorate.numerics.correlation import of_pair, spearman
from quorate.planning.designs.dstudy import project
from quorate.reproduction.published import source_of
from quorate.reproduction.study import Drawing, Outcome, Study


def outcome(_: np.random.Generator) -> Outcome:
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
    return Outcome(
        values, (Drawing("tee.table11", "both-scales", title, rows, x="scores", y="log odds", mark="point"),)
    )


STUDY = Study("tee.table11", "Shares of scores and of log odds", outcome)
