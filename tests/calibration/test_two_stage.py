"""Allocation over types of prompts: size of every test, Figures 4 to 6 of the paper, replay, concentration."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.votes import power as of_power
from quorate.planning.power.prompt_types import concentration
from quorate.simulate.two_stage import TESTS, regime, replay_two_stage, simulate_two_stage
from quorate.table.read_votes import read_votes

BUDGETS = [700, 800, 1000, 1500, 2000, 3000]


def show(title, study):
    print(f"\n{title}: budgets {study.budgets.tolist()}")
    for test in TESTS:
        print(f"    {test}: {', '.join(f'{p:.3f}' for p in study.power[test])}")
    print(f"    Jaccard {study.jaccard.round(3).tolist()}, captured {study.captured.round(3).tolist()}")


def test_size_of_every_test_where_no_type_prefers_either():
    study = simulate_two_stage(np.zeros(20), [700, 1000, 3000], studies=40_000)
    show("no difference", study)
    for test in TESTS:
        assert (study.power[test] <= 0.05 + 0.003).all()


@pytest.mark.parametrize("weights", [None, np.arange(1, 21)], ids=["equal weights", "signal in rare types"])
def test_two_stage_wins_where_signal_is_concentrated_and_loses_where_it_is_diffuse(weights):
    """Figures 4 to 6."""
    studies = {
        kind: simulate_two_stage(regime(kind), BUDGETS, weights=weights, studies=4000)
        for kind in ("concentrated", "diffuse")
    }
    for kind, study in studies.items():
        show(kind, study)
    assert (studies["concentrated"].gain[1:] > 0.05).all()
    assert (studies["diffuse"].gain[:3] < -0.1).all()
    assert (studies["concentrated"].captured > 0.4).all()
    if weights is None:
        assert studies["diffuse"].captured == pytest.approx(np.full(6, 0.2))
        assert (studies["concentrated"].jaccard < 0.5).all()


def test_screening_gains_nothing_where_signal_is_in_common_types():
    study = simulate_two_stage(regime("concentrated"), BUDGETS, weights=np.arange(20, 0, -1), studies=4000)
    show("concentrated in common types", study)
    assert (study.gain < 0.01).all()


def test_opposite_signs_cancel_in_pooled_tests_only():
    d = regime("concentrated")
    d[:2] *= -1
    study = simulate_two_stage(d, BUDGETS, studies=4000)
    show("opposite signs", study)
    assert (study.power["proportional"] < 0.06).all()
    assert (study.power["both stages, any type"] > 0.5).all()


@pytest.mark.parametrize("n", [2, 5, 30, 300])
@pytest.mark.parametrize("types", [2, 20])
def test_size_of_the_gamma_approximation(types, n):
    k = np.random.default_rng(n).binomial(n, 0.5, (100_000, types))
    seen = float(np.mean(of_power.squares_p_value(k, np.full(types, n)) <= 0.05))
    print(f"{types} types of {n} votes: rejects {seen:.4f}")
    assert seen <= 0.065


def test_concentration_is_claimed_where_it_is():
    rng = np.random.default_rng(5)
    even = 0.08
    edge = even * np.sqrt(0.3 * 16 / (4 * 0.7))  # the top 4 of 20 hold 1.5 times their even share
    cases = {
        "no signal": np.zeros(20),
        "diffuse": np.full(20, 0.1),
        "at kappa": np.r_[np.full(4, edge), np.full(16, even)],
        "concentrated": np.r_[0.25, -0.25, np.zeros(18)],
    }
    for name, d in cases.items():
        for n in (30, 100, 300):
            found = [concentration(rng.binomial(n, 0.5 + d), np.full(20, n), splits=40) for _ in range(120)]
            claimed = float(np.mean([one.recommended for one in found]))
            ratio, naive = (np.nanmedian([getattr(one, x) for one in found]) for x in ("ratio", "naive"))
            print(f"{name}, {n} votes per type: recommended {claimed:.3f}, ratio {ratio:.2f}, uncorrected {naive:.2f}")
            if name != "concentrated":
                assert claimed <= 0.05


def test_replay_of_votes_of_translations(shared):
    """Judges stand in for types of prompts: the pairs with the most votes of which each judge gave at least 30."""
    votes = read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False).within("prompt_type")
    pairs = votes.pairs()
    found = []
    for at in np.argsort(-pairs.decisive)[:150]:
        a, b = pairs.names[at]
        pair = votes.pair(a, b)
        code = pair.column("judge")[np.isfinite(pair.encoded())]
        enough = np.flatnonzero(np.bincount(code) >= 30)
        if len(enough) < 4:
            continue
        pair = pair.keep(np.isin(pair.column("judge"), enough))
        m = len(enough)
        budget = int(min(pair.n_decisive * 0.8, 2 * m * np.ceil(10 * np.log(m))))
        study = replay_two_stage(pair, a, b, [budget], by="judge", studies=400) if budget > m * 24 else None
        if study is not None:
            found.append((study.power["proportional"][0], study.power["two-stage"][0]))
    power = np.array(found).mean(axis=0)
    print(f"{len(found)} pairs: power {power[0]:.3f} in proportion, {power[1]:.3f} in two stages")
    assert len(found) >= 10
    assert power[1] < power[0]  # judges differ too little for screening to pay
