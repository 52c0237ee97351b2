"""The mean of a latent decomposition: against the raw share, and the ends of the scale."""

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable


def table(share, seed=2, marks=1):
    """Sixty items by two judges under three prompts, with effects of items."""
    rng = np.random.default_rng(seed)
    logit = np.log(share / (1 - share)) + rng.normal(0, 1, 60)
    rows = [
        (f"i{i}", f"j{j}", f"p{p}", int(rng.binomial(marks, 1 / (1 + np.exp(-logit[i] - 0.3 * j)))))
        for i in range(60) for j in range(2) for p in range(3)
    ]  # fmt: skip
    return q.read(pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row"), announce=False)


@pytest.mark.parametrize("share", [0.5, 0.97])
def test_balanced_data_have_about_their_raw_mean(share):
    judgments = table(share)
    fit = q.decompose(judgments, link="logit", random=["item", "prompt"])
    raw = float(judgments.n @ judgments.mean / judgments.n_answers)
    assert fit.mean.value == pytest.approx(raw, abs=0.005)
    low, high = fit.mean.ends
    assert 0 < low < fit.mean.value < high < 1


def test_marks():
    fit = q.decompose(table(0.9, marks=4), link="ordinal", random=["item", "prompt"])
    low, high = fit.mean.at(0.8).ends
    assert 0 < low < fit.mean.value < high < 4
    assert fit.mean.value == pytest.approx(fit.linear.mean.value, abs=0.03)


def test_products_of_fixed_facets_have_no_mean():
    rng = np.random.default_rng(3)
    rows = [(f"i{i}", f"j{j}", f"s{s}", int(rng.random() < 0.6)) for i in range(30) for j in range(2) for s in range(2)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "system", "score"], orient="row")
    judgments = q.read(frame, announce=False, fixed=("judge", "system"))
    fit = q.decompose(judgments, link="logit", random=["item"], covariates=["judge:system"])
    with pytest.raises(NotEstimable, match='the mean over "judge:system" is not known'):
        fit.mean  # noqa: B018
