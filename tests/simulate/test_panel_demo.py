"""The simulated panel reproduces what was published."""

from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.estimate.panel.crossed import crossed
from quorate.simulate.demo import PANEL_JUDGES, SYSTEMS, panel_table, write_panel

TABLE_1 = {
    "GPT": {"Qwen": 7.91, "Llama": 8.81, "GPT": 8.67},
    "Llama": {"Qwen": 7.87, "Llama": 8.71, "GPT": 6.90},
    "Qwen": {"Qwen": 8.02, "Llama": 8.39, "GPT": 6.10},
}
"""Zhu et al. (2026), Table 1: mean score of each system by each judge."""
TABLE_2 = {
    "Qwen": (7.13, 1.530, 0.266, 0.947, 1.486, 638),
    "Llama": (7.87, 0.882, 0.238, 0.503, 1.130, 446),
    "GPT": (8.72, 0.634, 0.076, 0.339, 0.564, 602),
}
"""Zhu et al. (2026), Table 2 and section 4.2: mean, components (scenario, generation, judge, residual), F(4, 3196)."""


@pytest.fixture(scope="module")
def judgments(tmp_path_factory):
    return q.read(write_panel(tmp_path_factory.mktemp("panel") / "panel.csv"))


@pytest.mark.parametrize("system", TABLE_2)
def test_published_components_and_test(judgments, system):
    found = crossed(judgments.only("system", system), resamples=100)
    mean, alpha, beta, gamma, eps, f = TABLE_2[system]
    assert (found.n, found.m, found.k) == (80, 10, 5)
    assert found.mean == pytest.approx(mean, abs=0.005)
    assert found.paper.alpha == pytest.approx(alpha, abs=5e-4)
    assert found.paper.beta == pytest.approx(beta, abs=5e-4)
    assert found.paper.eps == pytest.approx(eps, abs=5e-4)
    assert found.paper.gamma == pytest.approx(gamma, abs=6e-4)  # .9465, .5025, .3390 unrounded
    assert (found.paper_test.df, found.paper_test.df_error) == (4, 3196)
    assert found.paper_test.f == pytest.approx(f, rel=1.2e-3)


@pytest.mark.parametrize("system", TABLE_1)
def test_published_means_by_judge(judgments, system):
    part = judgments.only("system", system)
    for judge, mean in TABLE_1[system].items():
        assert part.only("judge", judge).mean.mean() == pytest.approx(mean, abs=0.006)


def test_noise_goes_with_the_seed():
    assert panel_table(1) == panel_table(1)
    assert panel_table(1)["score"] != panel_table(2)["score"]
    assert np.mean(panel_table(2)["score"]) == pytest.approx(np.mean(panel_table(1)["score"]), abs=1e-4)


def test_what_is_hard_for_one_system_is_hard_for_another():
    score = np.array(panel_table()["score"]).reshape(len(SYSTEMS), 80, -1).mean(axis=2)
    correlation = np.corrcoef(score)[np.triu_indices(len(SYSTEMS), 1)]
    assert np.all((correlation > 0.3) & (correlation < 0.85))
    assert len(PANEL_JUDGES) == 5
