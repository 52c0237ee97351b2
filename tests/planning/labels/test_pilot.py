"""What a pilot says of variances, and what studies of a plan find."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.estimate.agreement.prediction_powered import Matched, of_sample
from quorate.numerics.prediction_powered import Sample
from quorate.numerics.stratified import Split
from quorate.planning.plan_labels import Pilot


def drawn(n, m, seed, clusters=None):
    rng = np.random.default_rng(seed)
    lean = rng.normal(size=clusters)[np.arange(n + m) % clusters] if clusters else 0.0
    y = rng.normal(size=n + m) + lean
    f = y + 0.75 * rng.normal(size=n + m)
    code = np.arange(n + m) % clusters if clusters else np.arange(n + m)
    return Sample(y[:n], f[:n], f[n:], code[:n], code[n:])


def pilot_of(sample, *, within=0.0, persons=1.0, share=False, groups=()):
    found = Matched(sample, dict.fromkeys(groups), 0, ())
    return Pilot.of(found, share=share, level=0.95, within=within, persons=np.full(len(sample.y), persons))


def test_variances_are_those_of_the_regression():
    sample = drawn(400, 800, 1)
    pilot = pilot_of(sample)
    y, f = sample.y, sample.predicted
    slope = np.cov(y, f)[0, 1] / f.var(ddof=1)
    left = y - y.mean() - slope * (f - f.mean())
    assert pilot.strata.variance == pytest.approx(y.var(ddof=1))
    assert pilot.strata.residual == pytest.approx(left @ left / 398)
    assert pilot.strata.variance == pytest.approx(pilot.strata.residual + pilot.strata.explained)
    assert pilot.correlation[0] == pytest.approx(0.8, abs=0.07)
    assert pilot.at_correlation(0.5).residual == pytest.approx(0.75 * pilot.strata.variance)


def test_predictions_on_half_the_scale_count_once_as_they_do_in_the_analysis():
    """Their slope is 2, and the analysis trusts no prediction more than a label."""
    whole = drawn(4000, 8000, 5)
    halved = Sample(whole.y, whole.y / 2, np.tile(whole.y, 2) / 2, whole.cluster, whole.others_cluster)
    pilot = pilot_of(halved)
    assert pilot.strata.residual == pytest.approx(pilot.strata.variance / 4, rel=0.001)
    promised = pilot.precision(Split(np.array([4000.0]), 1e9, np.nan))
    many = Sample(whole.y, whole.y / 2, np.tile(whole.y, 200) / 2, whole.cluster, np.arange(4000, 804_000))
    assert promised.se == pytest.approx(of_sample(many).se, rel=0.01)


def test_a_label_by_one_person_varies_more_than_the_mean_of_several():
    sample = drawn(400, 800, 1)
    one, three = pilot_of(sample), pilot_of(sample, within=0.6, persons=3.0)
    assert three.strata.variance == pytest.approx(one.strata.variance + 0.4)
    assert three.strata.residual == pytest.approx(one.strata.residual + 0.4)
    assert three.correlation[0] < one.correlation[0]


def test_a_large_study_finds_what_was_promised():
    pilot = pilot_of(drawn(4000, 8000, 2))
    for units in (900.0, 0.0):
        promised = pilot.precision(Split(np.array([300.0]), units, np.nan))
        found = of_sample(drawn(300, 600, 3))
        se, df = (found.se, found.df) if units else (found.people_se, found.people_df)
        assert promised.se == pytest.approx(se, rel=0.08)
        assert promised.df == pytest.approx(df, rel=0.2)
        assert promised.half_width(0.95) == pytest.approx(1.97 * promised.se, rel=0.01)


def test_labels_that_resemble_each_other_are_worth_less():
    alone, alike = pilot_of(drawn(400, 800, 4)), pilot_of(drawn(400, 800, 4, clusters=20), groups=("prompt",))
    assert dict(alike.clusters) == {"prompt": 20}
    assert alike.strata.variance > 5 * alone.strata.variance
    assert alike.precision(Split(np.array([800.0]), 0.0, np.nan)).df == pytest.approx(39)


def test_shares_have_the_score_interval_with_four_more_labels():
    """Of labels alone: the half-width of Wilson's interval, .0391 for 80 of 400, with Student's quantile."""
    y = np.repeat([0.0, 1.0], [80, 20])
    pilot = pilot_of(Sample(y, y[::-1].copy(), np.empty(0), np.arange(100), np.empty(0, dtype=np.int64)), share=True)
    found = pilot.precision(Split(np.array([400.0]), 0.0, np.nan))
    assert found.trials == pytest.approx(400, rel=0.02)
    assert found.half_width(0.95) == pytest.approx(0.0391, abs=0.0008)
    assert found.detectable(0.95, 0.9) == pytest.approx((1.966 + 1.284) * 0.5 / 20, rel=0.01)
