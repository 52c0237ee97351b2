from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownColumn

CHEAP = [
    *("noise-by-judge", "odd-judge", "odd-interaction", "curvature"),
    *("difficulty-by-prompt", "difficulty-by-judge", "drift"),
]
ODD = {
    "noise": "noise-by-judge",
    "judge": "odd-judge",
    "interaction": "odd-interaction",
    "difficulty": "difficulty-by-judge",
    "curvature": "curvature",
    "drift": "drift",
}


@pytest.fixture(scope="module")
def full():
    """Everything, of a study with replicates."""
    return q.diagnose(q.decompose(scores(np.random.default_rng(2), replicates=2, items=20)), resamples=99)


def test_what_needs_no_draws():
    found = q.diagnose(q.decompose(scores(np.random.default_rng(1))), resamples=0)
    assert [check.name for check in found.checks] == CHEAP
    assert not found.quantiles
    assert not found.standing_out
    assert found.sentence == "Nothing stands out in 7 checks of what the model takes for granted."


@pytest.mark.parametrize("odd", ODD)
def test_what_is_odd_stands_out(odd):
    found = q.diagnose(q.decompose(scores(np.random.default_rng(9), odd=odd, items=200, judges=9)), resamples=0)
    assert ODD[odd] in [check.name for check in found.standing_out]
    assert found.sentence.startswith("Of 7 checks ")


def test_everything(full):
    names = {check.name for check in full.checks}
    assert names == {*CHEAP, "decisive-judge", *(f"tails-of-{name}" for name in TAILS), "three-way-cell"}
    assert "odd-judge" not in full.not_looked_at
    cell = next(check for check in full.checks if check.name == "three-way-cell")
    assert cell.verdict == "in the model"
    assert 0 < cell.p <= 0.05
    assert full.rows()[0]["sentence"] in full.to_dict()["checks"][0].values()


TAILS = ("item", "item:prompt", "item:judge", "residual")


@pytest.mark.slow
def test_the_same_every_time(full):
    again = q.diagnose(full.fit, resamples=99)
    assert [check.p for check in again.checks] == pytest.approx([check.p for check in full.checks], nan_ok=True)
    other = q.diagnose(full.fit, resamples=99, rng=1)
    assert [check.p for check in other.checks] != pytest.approx([check.p for check in full.checks], nan_ok=True)


def test_what_cannot_be_looked_at_says_why():
    frame = pl.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1.0, 2, 2, 4, 3, 4.5]})
    found = q.diagnose(q.decompose(q.read(frame, announce=False)), resamples=0)
    assert found.not_looked_at["odd-judge"].startswith("2 judges")
    assert "no column says when" in found.not_looked_at["drift"]
    alone = q.diagnose(q.decompose(q.read(frame.rename({"judge": "prompt"}), announce=False)), resamples=0)
    assert alone.not_looked_at["noise-by-judge"] == "fewer than 2 judges"


def test_arguments():
    judgments = scores(np.random.default_rng(1), items=12)
    fit = q.decompose(judgments)
    with pytest.raises(InvalidInput, match="resamples: 0 or a whole number of at least 99"):
        q.diagnose(fit, resamples=50)
    with pytest.raises(UnknownColumn, match="day"):
        q.diagnose(fit, order="day", resamples=0)
    frame = judgments.origin.source.with_columns(day=pl.lit(1))
    fit = q.decompose(q.read(frame, announce=False))
    with pytest.raises(NotEstimable, match="the same on all rows of a judge"):
        q.diagnose(fit, order="day", resamples=0)


def test_components_of_log_odds_are_refused_by_name():
    rng = np.random.default_rng(3)
    item, judge = (at.ravel() for at in np.indices((20, 4)))
    frame = pl.DataFrame({"item": item, "judge": judge, "score": (rng.random(80) < 0.4 + 0.02 * item).astype(int)})
    fit = q.decompose(q.read(frame, announce=False), link="logit", method="pirls")
    with pytest.raises(InvalidInput, match=r'^fit: checks are of scores as numbers.*without link="logit".*its linear'):
        q.diagnose(fit)


def test_scores_of_two_values_have_no_tails_to_look_at(judged):
    judgments = judged({"item": 30, "judge": 3}, seed=2)
    binary = replace(judgments, **{name: (judgments.mean > 0).astype(float) for name in ("mean", "low", "high")})
    found = q.diagnose(q.decompose(binary), resamples=99)
    assert "no bell curve" in found.not_looked_at["tails"]
    assert not [one for one in found.checks if one.name.startswith("tails")]


def test_too_few_resamples_for_so_many_checks_are_said(judged):
    fit = q.decompose(judged({"item": 20, "judge": 3, "prompt": 3}, seed=2))
    few, many = (q.diagnose(fit, resamples=n).sentence for n in (99, 499))
    assert re.search(r"Nothing drawn can stand out among so many with 99 resamples; take \d+\.$", few)
    assert "resamples" not in many
