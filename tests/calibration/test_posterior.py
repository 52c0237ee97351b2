"""Posteriors: ranks of parameters that the prior drew are uniform among draws, and medians are near REML."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import quorate as q

pytestmark = [pytest.mark.bayes, pytest.mark.slow]
ITEMS, PROMPTS, REPLICATES = 12, 4, 2
VALUES = {"identity": 50, "logit": 2, "ordinal": 4}


def cells(link: str) -> q.types.Judgments:
    """A small table, whose scores do not matter but for their values."""
    shape = ITEMS, PROMPTS, REPLICATES
    item, prompt, replicate = (axis.ravel() for axis in np.indices(shape))
    score = np.random.default_rng(0).integers(0, VALUES[link], item.size)
    columns = {"item": item, "prompt": prompt, "replicate": replicate, "score": score}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.mark.parametrize("link", VALUES)
def test_ranks_are_uniform(link):
    """200 studies; a least p-value of .01 by Bonferroni once in a hundred runs."""
    found = q.scores.check_posterior(cells(link), link=link, seed=1, on_quote=lambda _: None)
    for row in found.rows():
        print(row)
    print(f"{found.sentence} {found.unconverged} too short; {found.seconds:.0f} s")
    assert found.studies == 200
    assert found.p > 0.01


def simulated(_: Path) -> q.types.Judgments:
    """A large balanced table: 150 items by 8 prompts by 6 judges."""
    rng = np.random.default_rng(7)
    score = sum(
        sd * rng.standard_normal(shape)
        for sd, shape in (
            (0.5, (150, 1, 1)),
            (0.3, (1, 8, 1)),
            (0.4, (1, 1, 6)),
            (0.2, (150, 8, 1)),
            (0.35, (150, 1, 6)),
            (0.1, (1, 8, 6)),
            (0.6, (150, 8, 6)),
        )
    )
    item, prompt, judge = (axis.ravel() for axis in np.indices(score.shape))
    frame = pl.DataFrame({"item": item, "prompt": prompt, "judge": judge, "score": score.ravel()})
    return q.read(frame, fixed=(), announce=False)


def penicillin(shared: Path) -> q.types.Judgments:
    """24 plates by 6 samples."""
    roles = {"item": "plate", "judge": "sample"}
    return q.read(shared / "data/lme4_penicillin.parquet", score="diameter", facets=roles, fixed=(), announce=False)


def dyestuff(shared: Path) -> q.types.Judgments:
    """6 batches, 5 yields each."""
    path = shared / "data/lme4_dyestuff.parquet"
    return q.read(path, score="Yield", facets={"item": "Batch"}, announce=False)


@pytest.mark.parametrize("read", [simulated, penicillin, dyestuff])
def test_medians_are_near_reml_where_the_scores_tell(read, shared):
    """Components known to a third of their size: medians differ by less than half of their standard error."""
    table = read(shared)
    fit = q.decompose(table)
    found = q.scores.posterior(table, seed=2, on_quote=lambda _: None)
    print(read.__name__, found.checks.sentence)
    known = [one for one in fit.components if one.kind == "random" and one.se < one.variance / 3]
    assert known
    for one in known:
        print(f"  {one.name}: REML {one.variance:.5g} (se {one.se:.2g}), median {found.variance(one.name):.5g}")
        assert abs(found.variance(one.name) - one.variance) < 0.5 * one.se, one.name
    assert found.mean.value == pytest.approx(fit.mean.value, abs=0.2 * fit.mean.se)
