from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownColumn
from quorate.estimate.diagnostics.check import Check, Residuals, chance, kurtosis, quantiles, together
from quorate.estimate.diagnostics.diagnose import drift, order_column

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


@pytest.mark.slow
def test_what_needs_no_draws():
    found = q.diagnose(q.decompose(scores(np.random.default_rng(1))), resamples=0)
    assert [check.name for check in found.checks] == CHEAP
    assert not found.quantiles
    assert not found.standing_out
    assert found.sentence == "Nothing stands out in 7 checks of what the model takes for granted."


@pytest.mark.wide(4)
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
    fit = q.decompose(judged({"item": 8, "judge": 3, "prompt": 3}, seed=2))
    few, many = (q.diagnose(fit, resamples=n).sentence for n in (99, 299))
    assert re.search(r"Nothing drawn can stand out among so many with 99 resamples; take \d+\.$", few)
    assert "resamples" not in many


CHECK = Check("noise", "noise of the judges", "F", 4.2, 0.02, 0.0, "a scatters twice as much as b", "m", "r")


def test_p_values_are_read_together():
    """R: ``p.adjust(c(.02, .001, .5), "holm")``."""
    checks = together([CHECK, replace(CHECK, p=0.001), replace(CHECK, p=0.5), replace(CHECK, p=float("nan"))])
    assert [one.adjusted for one in checks] == pytest.approx([0.04, 0.003, 0.5, float("nan")], nan_ok=True)
    assert [one.verdict for one in checks] == ["stands out", "stands out", "nothing odd", "described"]
    assert together([CHECK, CHECK, CHECK])[0].verdict == "by chance"
    assert replace(CHECK, in_model=True).verdict == "in the model"


def test_sentences():
    said = "Noise of the judges: a scatters twice as much as b (F 4.2, p = 0.02"
    assert together([CHECK])[0].sentence == f"{said})."
    assert together([CHECK, replace(CHECK, p=0.5)])[0].sentence == f"{said}, p = 0.04 among all checks)."
    assert replace(CHECK, p=0.4).sentence.endswith("(F 4.2, p = 0.40); no more than chance.")
    assert chance(1e-5) == "p < 0.001"


@pytest.fixture(scope="module")
def drifting() -> pl.DataFrame:
    return pl.DataFrame(scores(np.random.default_rng(3), odd="drift", items=100).origin.source)


def residuals(frame: pl.DataFrame) -> Residuals:
    return Residuals(q.decompose(q.read(frame, announce=False)))


def test_the_judge_whose_scores_rise(drifting):
    left = residuals(drifting)
    assert order_column(left.fit.judgments) == "time"
    found = drift(left, "time")
    assert found.p < 0.001
    assert found.seen.startswith("scores of j1 rise by 0.")


def test_dates_order_as_numbers_do(drifting):
    start = datetime(2026, 3, 1, tzinfo=UTC)
    dates = [(start + timedelta(minutes=step)).isoformat().replace("+00:00", "Z") for step in drifting["time"]]
    dated = residuals(drifting.with_columns(pl.Series("time", dates)))
    assert drift(dated, "time").statistic == pytest.approx(drift(residuals(drifting), "time").statistic)


def test_words_order_nothing(drifting):
    with pytest.raises(NotEstimable, match="neither numbers nor dates"):
        drift(residuals(drifting.with_columns(time=pl.lit("monday"))), "time")


def test_fitted_and_residual_add_up_and_shifts_are_those_of_judges(judged):
    fit = q.decompose(judged({"item": 8, "prompt": 3, "judge": 3}, keep=0.9))
    left = Residuals(fit)
    np.testing.assert_allclose(left.fitted + left.residual, fit.judgments.mean)
    assert abs(left.residual.mean()) < 0.1 * left.residual.std()
    assert np.std(left.standard) == pytest.approx(1.0, abs=0.2)
    # Two cells of one judge and prompt are shifted alike, whatever the item.
    same = fit.judgments.level_codes(["prompt", "judge"]) == 0
    assert np.ptp(left.shift[same]) < 1e-12
    np.testing.assert_allclose(left.left + left.shift + fit.assembled.center, fit.judgments.mean)


REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "ranef.json").read_text())


@pytest.mark.parametrize(
    ("name", "score", "facets", "random", "reading"),
    [
        (
            *("cake", "angle", {"oven": "replicate", "recipe": "recipe", "temperature": "temperature"}, ["oven"]),
            {"object": "oven", "nested": {"oven": "recipe"}, "fixed": ("recipe", "temperature")},
        ),
        ("penicillin", "diameter", {"plate": "plate", "sample": "sample"}, ["plate", "sample"], {"object": "plate"}),
    ],
)
def test_predictions_and_residuals_are_those_of_lme4(shared, name, score, facets, random, reading):
    """R: ``ranef(lmer(...))`` and ``resid(lmer(...))``, tests/reference/ranef.R."""
    data = shared / "data" / f"lme4_{name}.parquet"
    judgments = q.read(data, score=score, facets=facets, announce=False, **{"fixed": (), **reading})
    covariates = ("recipe:temperature",) if name == "cake" else ()
    plots, _ = quantiles(q.decompose(judgments, random=random, covariates=covariates), 0, np.random.default_rng(1))
    found = {plot.term: plot for plot in plots}
    for term in random:
        np.testing.assert_allclose(found[term].effect, sorted(REFERENCE[name][term].values()), atol=2e-4)
    ends = found["residual"].effect[[*range(6), *range(-6, 0)]]
    np.testing.assert_allclose(ends, REFERENCE[name]["residual"], atol=2e-4)
    assert np.isnan(found["residual"].low).all()


def test_long_tails_stand_out():
    rng = np.random.default_rng(6)
    plots, checks = quantiles(q.decompose(scores(rng, odd="tails", items=100, judges=4)), 99, rng)
    found = {check.name: check for check in checks}
    assert found["tails-of-residual"].p == 0.01
    assert found["tails-of-residual"].p_error == pytest.approx(np.sqrt(0.01 * 0.99 / 99))
    residual = plots[-1]
    assert residual.outside > 0.05 * len(residual.effect)
    assert np.all(residual.low <= residual.high)
    assert residual.rows()[0].keys() == {"term", "level", "effect", "normal", "low", "high"}


def test_kurtosis():
    """Two values in equal numbers: 1 - 3."""
    assert kurtosis(np.array([0.0, 1, 0, 1])) == pytest.approx(-2)
