from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.numerics.votes import binomial
from quorate.numerics.votes.power import exact_power
from quorate.planning.power.detectability import BUDGETS, detectability
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(9)
    wins = rng.binomial(400, rng.uniform(0.3, 0.7, 30))
    frame = {"model_a": [f"m{i:02d}" for i in range(30)], "model_b": ["z"] * 30, "a": 400 - wins, "b": wins}
    return read_votes(pl.DataFrame(frame), wins=["a", "b"], announce=False)


@pytest.fixture(scope="module")
def prompted():
    """Three pairs, 150 prompts with two votes each, which always agree."""
    rng = np.random.default_rng(10)
    won = np.repeat(rng.random((3, 150)) < np.array([[0.5], [0.6], [0.8]]), 2, axis=1)
    columns = {"model_a": np.repeat(["a", "b", "c"], 300), "model_b": ["z"] * 900}
    prompt = np.tile(np.repeat(np.arange(150), 2), 3)
    frame = pl.DataFrame({**columns, "winner": np.where(won.ravel(), "right", "left"), "prompt": prompt})
    return read_votes(frame, outcomes={"a": "left", "b": "right"}, announce=False)


def test_exact_curves(votes):
    found = detectability(votes, budgets=[400, 50, 50, 100])
    assert found.budgets.tolist() == [50, 100, 400]
    assert found.power == pytest.approx(exact_power(0.5 + found.margins.margin, [50, 100, 400], 0.05))
    assert found.decided == pytest.approx(found.power.mean(axis=0))
    assert (found.decided_low < found.decided).all()
    assert (found.decided < found.decided_high).all()
    assert found.resamples is None
    assert found.curve("m03 vs z").tolist() == found.power[3].tolist()


@pytest.mark.slow
def test_draws_agree_with_the_formula(votes):
    exact, drawn = detectability(votes), detectability(votes, method="draws", rng=1)
    assert len(BUDGETS) == len(exact.budgets) == 20
    assert drawn.power == pytest.approx(exact.power, abs=5 * np.sqrt(0.25 / 2000))
    assert drawn.power.tolist() == detectability(votes, method="draws", rng=1).power.tolist()
    assert drawn.corrected == pytest.approx(exact.corrected)


def test_reach_and_need(votes):
    found = detectability(votes)
    enough = found.power >= 0.9
    assert found.within_reach == pytest.approx(enough.mean(axis=0))
    for need, row in zip(found.needed, enough, strict=True):
        later = [bool(row[j:].all()) for j in range(20)]
        assert need == found.budgets[later.index(True)] if any(later) else np.isnan(need)


@pytest.mark.slow
def test_noise_makes_near_ties_seem_decidable():
    """All pairs are tied, so a study decides one in twenty, whatever its size."""
    rng = np.random.default_rng(11)
    wins = rng.binomial(200, 0.5, 300)
    frame = {"model_a": [f"m{i:03d}" for i in range(300)], "model_b": ["z"] * 300, "a": 200 - wins, "b": wins}
    found = detectability(read_votes(pl.DataFrame(frame), wins=["a", "b"], announce=False), budgets=[1000])
    assert found.decided[0] > 0.3
    assert found.corrected[0] < found.decided[0] - 0.1


def test_clusters_are_drawn_whole(prompted):
    found = detectability(prompted, budgets=[100, 300], method="clusters", cluster="prompt", rng=2)
    naive, robust = found.sizes
    assert naive == pytest.approx([0.166, 0.166], abs=0.03)  # 2 (1 - pnorm(1.96 / sqrt(2)))
    assert robust == pytest.approx([0.05, 0.05], abs=0.025)
    half = binomial.normal_power([50, 150], 0.5 + found.margins.margin[:, None], 0.05)
    assert found.power == pytest.approx(half, abs=0.08)  # the t test of 50 clusters is a little liberal
    assert (found.clusters.votes[:2] > found.power[:2]).all()


def test_one_cluster_says_nothing():
    """Pair a has one judge, pair b ten."""
    winner = ["right", "left", "right"] * 200
    columns = {"model_a": ["a"] * 300 + ["b"] * 300, "model_b": ["z"] * 600, "winner": winner}
    frame = pl.DataFrame({**columns, "judge": [0] * 300 + [i % 10 for i in range(300)]})
    votes = read_votes(frame, outcomes={"a": "left", "b": "right"}, announce=False)
    found = detectability(votes, budgets=[300], method="clusters", cluster="judge", rng=3)
    assert found.known.tolist() == [False, True]
    assert np.isnan(found.power[0, 0])
    assert found.decided[0] == found.power[1, 0]
    assert np.isfinite(found.sizes).all()
    assert json.loads(json.dumps(found.to_dict()))["power"][0] is None
    with pytest.raises(NotEstimable, match="of one judge"):
        detectability(votes.only("judge", "0").pair("a", "z"), budgets=[300], method="clusters", cluster="judge")


def test_table_6(votes):
    found = detectability(votes)
    assert found.z(100, (0.1, 0.5))[0] < found.z(100, (0.1, 0.5))[1] < found.z(400, (0.5,))[0]


def test_sentence_frame_and_json(votes):
    found = detectability(votes)
    assert found.sentence.startswith("406 votes each would decide")
    assert "with a chance below 0.9" in found.sentence
    assert found.to_frame().shape == (600, 4)
    plain = json.loads(json.dumps(found.to_dict()))
    assert len(plain["decided"]) == len(plain["budgets"]) == 20


def test_refusals(votes, prompted):
    for wrong, match in (
        ({"method": "loops"}, "method"),
        ({"method": "clusters"}, "cluster"),
        ({"budgets": []}, "budgets"),
        ({"budgets": [0]}, "budgets"),
        ({"alpha": 0}, "alpha"),
        ({"power": 0.01}, "power"),
        ({"level": 1}, "level"),
        ({"resamples": 0}, "resamples"),
    ):
        with pytest.raises(InvalidInput, match=match):
            detectability(votes, **wrong)
    with pytest.raises(UnknownTerm):
        detectability(prompted, method="clusters", cluster="judge")
    with pytest.raises(UnknownTerm):
        detectability(votes).curve("x vs y")


@pytest.mark.slow
def test_wmt15(shared):
    path = shared / "data" / "wmt15_human_pairwise.parquet"
    votes = read_votes(path, facets={"expanded": "expanded"}, announce=False)
    found = detectability(votes.only("expanded", "false").within("prompt_type"), budgets=[50, 200, 500])
    assert len(found) == 346
    assert (np.diff(found.decided) > 0).all()
    assert found.within_reach[-1] < found.decided[-1] < 0.9


def test_one_pair_is_not_called_a_share_of_pairs():
    rows = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "a": [210], "b": [90]})
    found = detectability(read_votes(rows, wins=["a", "b"], announce=False))
    assert found.sentence == (
        "308 votes would find the difference of the only pair with a chance of >99.9% if its margin is as estimated; "
        "5,000 are enough for 0.9."
    )


def test_several_facets_make_votes_worth_less_by_their_design_effect():
    """Prompts of 2 equal votes and judges that say nothing: half the votes, whichever facet is named first."""
    rng = np.random.default_rng(3)
    winner = np.repeat(np.where(rng.random(300) < 0.6, "x", "y"), 2)
    columns = {"model_a": ["x"] * 600, "model_b": ["y"] * 600, "winner": winner, "prompt": np.repeat(np.arange(300), 2)}
    votes = read_votes(pl.DataFrame({**columns, "judge": rng.integers(0, 40, 600)}), announce=False)
    one, two = (
        detectability(votes, budgets=[100, 400], cluster=cluster)
        for cluster in (("prompt", "judge"), ("judge", "prompt"))
    )
    assert one.power.tolist() == two.power.tolist()
    assert (one.by, two.by, one.sizes) == ("prompt and judge", "judge and prompt", None)
    assert one.power == pytest.approx(detectability(votes, budgets=[50, 200], cluster=()).power, abs=0.1)
    assert detectability(votes, budgets=[100, 400]).power.tolist() == one.power.tolist()  # the default
