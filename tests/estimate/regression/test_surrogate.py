from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm


@pytest.fixture(scope="module")
def fit():
    """30 items by 4 prompts and 3 judges, twice."""
    rng = np.random.default_rng(3)
    item, prompt, both = rng.normal(size=30), rng.normal(0, 0.5, 4), rng.normal(0, 0.4, (30, 4))
    rows = [
        (i, p, j, r, item[i] + prompt[p] + both[i, p] + 0.2 * j + rng.normal(0, 0.5))
        for i, p, j, r in product(range(30), range(4), range(3), range(2))
    ]
    return q.decompose(scores_table(rows, "item prompt judge replicate score"))


def test_equation_15(fit):
    """Prompt terms over V, cell over V, replicate over VR; of one judge, whose own terms are no error."""
    found = q.scores.surrogate(fit, levels={"prompt": 3}, replicates=2, bias=0.1)
    of = fit.variance
    prompts = (of("prompt") + of("item:prompt") + of("prompt:judge")) / 3
    assert found.variance == pytest.approx(prompts + of("cell") / 3 + of("replicate") / 6 + 0.1)
    assert "item:judge" not in found.parts
    assert sum(row["share"] for row in found.rows()) == pytest.approx(1)
    low, high = found.estimate.ends
    assert 0.1 < low < found.variance < high
    assert "3 prompts and 1 judge" in found.sentence


def test_judges_that_might_have_been_others_count_and_panels_average(fit):
    one, panel = (q.scores.surrogate(fit, levels={"judge": count}, drawn=["prompt", "judge"]) for count in (1, 3))
    assert one.parts["item:judge"] == pytest.approx(fit.variance("item:judge"))
    assert panel.parts["item:judge"] == pytest.approx(one.parts["item:judge"] / 3)
    assert panel.parts["prompt"] == one.parts["prompt"]


def test_what_is_refused(fit):
    with pytest.raises(UnknownTerm):
        q.scores.surrogate(fit, levels={"wording": 2})
    for wrong in ({"levels": {"item": 3}}, {"levels": {"prompt": 0}}, {"replicates": 0}, {"bias": -1.0}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            q.scores.surrogate(fit, **wrong)
    once = fit.judgments.only("judge", "0")
    alone = q.decompose(once)
    assert (
        q.scores.surrogate(alone, replicates=2).variance > 0
    )  # one judge: what is only known together is averaged alike
    rows = pl.DataFrame({"item": [1, 1, 2, 2, 3, 3], "prompt": list("abababab")[:6], "score": [1.0, 2, 2, 4, 3, 3]})
    unrepeated = q.decompose(q.read(rows, announce=False))
    assert q.scores.surrogate(unrepeated).variance > 0
    with pytest.raises(NotEstimable, match="the data tell only this sum"):
        q.scores.surrogate(unrepeated, replicates=2)


def test_closed_form():
    flip = q.scores.sign_flip(-0.3, 0.2, ratio=0.25)
    assert flip.noise == pytest.approx(0.1)
    assert flip.differs == pytest.approx(norm.sf(3))
    assert flip.again == pytest.approx(norm.sf(3 / np.sqrt(2)))
    assert q.scores.sign_flip(0.3, 0.2, df=7).differs == pytest.approx(t.sf(1.5, 7))
    assert "other sign" in flip.sentence


@given(st.floats(-3, 3), st.floats(0.01, 2), st.floats(0, 1))
def test_more_error_turns_more_signs_and_another_run_more_than_none(beta, se, ratio):
    flip = q.scores.sign_flip(beta, se, ratio=ratio)
    assert 0 <= flip.differs <= flip.again <= 0.5
    assert flip.differs <= q.scores.sign_flip(beta, se).differs
    assert flip.differs == q.scores.sign_flip(-beta, se, ratio=ratio).differs


@pytest.mark.parametrize(
    ("given", "message"),
    [((np.nan, 1.0, 1.0, 5), "beta: "), ((1, 0, 1, 5), "se: "), ((1, 1, 1.2, 5), "ratio: "), ((1, 1, 1, 0), "df: ")],
)
def test_numbers_out_of_range(given, message):
    with pytest.raises(InvalidInput, match=message):
        q.scores.sign_flip(*given[:2], ratio=given[2], df=given[3])
