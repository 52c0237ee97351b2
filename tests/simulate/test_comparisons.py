import numpy as np
import polars as pl
import pytest
from calibration.comparisons import OWN, Pair, draw_pair, replay_comparisons, simulate_comparisons

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.differences.methods import pairs


@pytest.mark.slow
def test_what_is_shared_is_not_in_the_difference():
    pair = Pair(400, judges=12, prompts=6, own=dict.fromkeys(OWN, 0.0), replicates=2, difference=0.5)
    fit = q.decompose(pairs(draw_pair(pair, np.random.default_rng(1)), "a", "b").judgments)
    assert fit.mean.value == pytest.approx(0.5, abs=0.02)
    assert max(fit.variance("judge"), fit.variance("prompt"), fit.variance("item")) < 0.001
    assert fit.variance("cell") == pytest.approx(2 * pair.cell**2, rel=0.05)
    assert fit.variance("replicate") == pytest.approx(2 * pair.replicate**2, rel=0.05)


def test_items_of_each_system_are_not_shared():
    table = draw_pair(Pair(20, nested=True), np.random.default_rng(1))
    assert table.n_levels("item") == 40
    fewer = draw_pair(Pair(40, nested=True, fewer=0.25, noisier=5.0), np.random.default_rng(1))
    one, two = (fewer.mean[fewer.column("system") == code] for code in (0, 1))
    assert (len(one), len(two)) == (40 * 15, 10 * 15)
    assert two.std() > 2 * one.std()
    assert draw_pair(Pair(20, missing=0.5), np.random.default_rng(1)).n_cells < 0.7 * 2 * 20 * 5 * 3


@pytest.mark.slow
def test_a_large_difference_is_always_found_and_none_rarely():
    assert simulate_comparisons(Pair(30, difference=5.0), studies=10).found == 1
    none = simulate_comparisons(Pair(40, judges=4), studies=40)
    assert none.found == pytest.approx(none.missed)
    assert none.found < 0.1 < none.naive
    assert np.isnan(none.equivalent)
    assert simulate_comparisons(Pair(30), studies=10, margin=5.0).equivalent == 1


@pytest.fixture
def pool():
    """Two systems that four judges see differently, with three answers of every judge; the systems differ by 1."""
    rng = np.random.default_rng(4)
    lenient = {0: 0.4, 1: -0.4, 2: 0.2, 3: -0.2}
    rows = [
        (s, i, j, k, (s == "x") * (1 + lenient[j]) + rng.normal())
        for s in ("x", "y")
        for i in range(60)
        for j in range(4)
        for k in range(3)
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "answer", "score"], orient="row")
    facets = {name: name for name in ("system", "item", "judge", "answer")}
    return q.read(frame, facets=facets, fixed=(), announce=False)


@pytest.mark.slow
def test_a_replay_shifts_the_difference_away(pool):
    found = replay_comparisons(pool, "x", "y", items=40, levels=4, studies=30)
    assert found.refused == 0
    assert found.found < 0.12
    assert found.naive > found.found
    few = [replay_comparisons(pool, "x", "y", items=40, levels=4, studies=5) for _ in range(2)]
    assert str(few[0]) == str(few[1])


@pytest.mark.calibration
def test_a_replay_with_judges_from_a_normal_law_has_their_variance(pool):
    """With few items the judges' part is small; with many answers of one item each, it is what estimates are off by."""
    drawn = {"items": 60, "levels": 1, "studies": 150}
    found, normal = (replay_comparisons(pool, "x", "y", **drawn, normal=law) for law in (False, True))
    assert normal.off == pytest.approx(found.off, rel=0.2)
    assert normal.found != found.found


def test_a_whole_pool_is_no_normal_law(pool):
    with pytest.raises(InvalidInput, match="normal: a pool has the judges that it has"):
        replay_comparisons(pool, "x", "y", levels=2, whole_pool=True, normal=True)


def test_hidden_cells_are_those_where_the_first_scored_lowest():
    table = draw_pair(Pair(50, judges=4, prompts=1, hidden=0.25), np.random.default_rng(1))
    first = table.keep(table.column("system") == 0)
    assert table.n_cells == 200 + 150
    seen = set(map(tuple, table.codes[table.column("system") == 1][:, 1:].tolist()))
    gone = np.array([tuple(code) not in seen for code in first.codes[:, 1:].tolist()])
    assert first.mean[gone].max() < first.mean[~gone].min()


@pytest.mark.slow
def test_a_replay_of_the_whole_pool_knows_that_no_judge_is_left(pool):
    found = replay_comparisons(pool, "x", "y", items=40, levels=4, studies=30, whole_pool=True)
    assert found.found < 0.12
    with pytest.raises(InvalidInput, match="levels: 4 of judge are in the pool, got 5"):
        replay_comparisons(pool, "x", "y", levels=5, whole_pool=True)


def test_a_pool_without_complete_items_is_refused(pool):
    first = pool.keep((pool.column("judge") == 0) | (pool.column("system") == 0))
    with pytest.raises(NotEstimable, match="no item was judged at every level of judge"):
        replay_comparisons(first, "x", "y")
