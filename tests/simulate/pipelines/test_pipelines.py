"""Standard errors with cells and without, against closed forms."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from calibration.redrawn_battles import BattleComponents, draw_panel, simulate_battles
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.simulate.pipelines.cells import CellMargins
from quorate.simulate.pipelines.pipelines import pipelines

N = 400


def judged(*shares, copies=1, apart=False):
    """Judges of N battles between two systems; each prefers x in its share of them: of the same ones, or apart."""
    rng = np.random.default_rng(1)
    ease = np.repeat(np.arange(N // copies), copies) / (N // copies)
    eases = [rng.permutation(ease) if apart else ease for _ in shares]
    margin = np.stack([np.where(one < share, 0.5, -0.5) for one, share in zip(eases, shares, strict=True)], axis=1)
    zero = np.zeros(N, dtype=np.int64)
    levels = {"judge": tuple(f"j{i}" for i in range(len(shares)))}
    return CellMargins(("x", "y"), zero, zero + 1, margin, levels, np.arange(N) // copies, 0.05, False)


@pytest.mark.slow
def test_the_single_cell_by_its_closed_form():
    """Win rates .5 and .8 of two judges: their spread is .15, doubled in square because there are two of them."""
    found = pipelines(judged(0.5, 0.8), by="win rate", resamples=4000).of("single")
    within = np.mean([0.5 * 0.5, 0.8 * 0.2]) / N
    x = found.systems[0]
    assert (x.system, x.value) == ("x", pytest.approx(0.65))
    assert x.naive == pytest.approx(np.sqrt(within), rel=0.05)
    assert x.redrawn == pytest.approx(np.sqrt(within + 0.15**2), rel=0.03)
    assert x.aware == pytest.approx(np.sqrt(within + 2 * (0.15**2 - 0.3 * 0.7 / N / 4)), rel=0.02)


def test_the_interval_of_a_single_cell_has_few_degrees_of_freedom_where_judges_dominate():
    """Two judges whose spread is nearly all of the error: one degree of freedom, and a note."""
    found = pipelines(judged(0.2, 0.8), by="win rate", cell={"judge": "j1"}, resamples=400)
    x = found.of("single").systems[0]
    between = x.aware**2 - x.naive**2
    assert x.df == pytest.approx((x.aware**2 / between) ** 2)
    assert x.df < 1.1
    assert found.of("single").interval("x").ends == (0, 1)
    assert "Of 2 judges" in found.sentence
    assert "Of" not in pipelines(judged(0.2, 0.8, 0.5, 0.6), by="win rate", resamples=400).sentence


@pytest.mark.slow
def test_degrees_of_freedom_are_those_of_the_facet_with_fewest_levels():
    rng, components = np.random.default_rng(1), BattleComponents(judge=0.4, prompt=0.2, position=0.0)
    table = simulate_battles(draw_panel(4, 3, 5, components, rng), 300, components, rng)
    for kind in ("single", "average"):
        for one in pipelines(table, by="win rate", resamples=200).of(kind).systems:
            between = one.aware**2 - one.naive**2
            assert one.df == pytest.approx(2 * (one.aware**2 / between) ** 2 if between > 1e-12 else np.inf)


def test_a_threshold_for_votes():
    """A share of .6 wins by the usual threshold and ties by one of .2."""
    rows = [(p, j, "x", "y", "x" if j < 3 else "y") for p in range(20) for j in range(5)]
    votes = votes_table(rows, "prompt judge model_a model_b winner")
    for threshold, value in ((None, 1.0), (0.2, 0.5)):
        found = pipelines(votes, by="win rate", threshold=threshold, resamples=100).of("average").systems[0]
        assert found.value == value


@pytest.mark.slow
def test_a_named_cell_has_its_own_value_and_error():
    found = pipelines(judged(0.5, 0.8), by="win rate", cell={"judge": "j1"}, resamples=4000).of("single").systems[0]
    assert found.value == pytest.approx(0.8)
    assert found.naive == pytest.approx(np.sqrt(0.8 * 0.2 / N), rel=0.05)


@pytest.mark.slow
def test_noise_of_single_judgments_is_counted_once():
    """Judges that differ in nothing but noise, drawn apart for every battle."""
    found = pipelines(judged(0.5, 0.5, 0.5, apart=True), by="win rate", resamples=4000).of("single")
    assert found.redrawn_ratio == pytest.approx(1, abs=0.03)  # the three have exactly the same rate
    assert found.ratio == pytest.approx(1, abs=0.001)
    rng, components = np.random.default_rng(1), BattleComponents(judge=0.0, prompt=0.0, position=0.0)
    table = simulate_battles(draw_panel(20, 3, 3, components, rng), 1000, components, rng)
    noisy = pipelines(table, by="win rate")
    assert noisy.of("single").redrawn_ratio > 1.2
    assert noisy.of("single").ratio < 1.08
    assert noisy.of("average").ratio < 1.08


def test_judges_that_agree_leave_battles_alone():
    found = pipelines(judged(0.7, 0.7, 0.7), by="win rate")
    for one in found.errors:
        assert one.ratio == pytest.approx(1, abs=1e-6)
        assert one.redrawn_ratio == pytest.approx(1, abs=1e-6) if one.kind == "average" else True


@pytest.mark.slow
def test_the_mean_of_judges_who_share_their_taste_is_as_sure_as_its_panel():
    """Three judges of .3, .5 and .7 on the same battles: the panel's verdict is that of its middle judge."""
    found = pipelines(judged(0.3, 0.5, 0.7), by="win rate", resamples=4000).of("average").systems[0]
    middle = np.array([7, 13, 7]) / 27  # of three draws with replacement
    between = middle @ np.array([0.3, 0.5, 0.7]) ** 2 - 0.5**2
    naive = 0.5 / np.sqrt(N)
    assert found.naive == pytest.approx(naive, rel=0.05)
    assert found.aware == pytest.approx(np.sqrt(naive**2 + 1.5 * between), rel=0.03)
    assert found.redrawn < 1.3 * naive
    assert 2 < found.df < 3


@pytest.mark.slow
def test_noise_of_a_panel_is_what_redrawn_battles_do_to_its_gap_to_the_mean():
    """Judges of .48, .5 and .52 on the same battles differ in 2% of them, by far less than a rate varies."""
    found = pipelines(judged(0.48, 0.5, 0.52), by="win rate", resamples=4000).of("average").systems[0]
    between, noise = 14 / 27 * 0.02**2, 14 / 27 * 0.02 / N  # the middle judge is an outer one in 14 of 27 panels
    assert found.aware == pytest.approx(np.sqrt(0.25 / N + 1.5 * (between - noise)), rel=0.03)
    assert found.ratio > 1.15


@pytest.mark.slow
def test_noise_between_two_cells_is_half_of_that_of_their_difference():
    """Judges of .5 and .54 whose verdicts are independent: half of 2 * .25 / N, where cells differ."""
    found = pipelines(judged(0.5, 0.54, apart=True), by="win rate", resamples=4000).of("single").systems[0]
    naive = np.mean([0.25, 0.54 * 0.46]) / N
    assert found.aware == pytest.approx(np.sqrt(naive + 2 * (0.02**2 - 0.5 * naive)), rel=0.03)
    assert found.ratio > 1.05


@pytest.mark.slow
def test_battles_of_one_cluster_are_not_independent():
    alone = pipelines(judged(0.5, 0.8), by="win rate").of("average").systems[0].naive
    tied = pipelines(judged(0.5, 0.8, copies=4), by="win rate").of("average").systems[0].naive
    assert tied == pytest.approx(2 * alone, rel=0.1)


def test_draws_depend_on_the_seed_alone():
    one, two, other = (pipelines(judged(0.5, 0.8), by="win rate", resamples=100, seed=seed) for seed in (1, 1, 2))
    assert one.errors == two.errors
    assert one.errors != other.errors


@pytest.mark.slow
def test_many_battles_are_drawn_in_blocks(monkeypatch):
    whole = pipelines(judged(0.5, 0.8), by="win rate")
    monkeypatch.setattr("quorate.simulate.pipelines.pipelines._AT_A_TIME", 17 * N)
    parts = pipelines(judged(0.5, 0.8), by="win rate")
    for one, other in zip(whole.errors, parts.errors, strict=True):
        assert one.systems[0].naive == pytest.approx(other.systems[0].naive, rel=0.1)
        assert one.systems[0].aware == pytest.approx(other.systems[0].aware, rel=0.1)


@pytest.fixture(scope="module")
def votes():
    """Four systems before two judges, of whom one is fond of "s", and people."""
    rng = np.random.default_rng(2)
    worth = dict(zip("pqrs", [0.9, 0.5, 0.2, -0.4], strict=True))
    rows = []
    for prompt in range(500):
        one, two = sorted(rng.choice(list(worth), 2, replace=False))
        for judge, bonus in (("fair", 0.0), ("fond", 1.5), ("person", 0.0)):
            gap = worth[one] - worth[two] + bonus * ((one == "s") - (two == "s"))
            rows.append((prompt, judge, one, two, one if rng.logistic() < gap else two))
    return votes_table(rows, "prompt judge model_a model_b winner")


def test_leaderboards_are_compared_with_that_of_people(votes):
    found = q.scores.pipelines(votes, "person", cell={"judge": "fond"}, resamples=200)
    boards = {one.board: one.pearson for one in found.leaderboards.boards}
    assert boards.keys() == {"judges, average", "judges, single"}
    assert boards["judges, single"] < boards["judges, average"] < 1
    assert found.leaderboards.differences[0].df == 1
    assert found.cells == {"judges": 2}
    favourite = {one.system: one for one in found.of("average").systems}["s"]
    assert favourite.ratio == max(one.ratio for one in found.of("average").systems)
    assert q.scores.pipelines(votes, "person", resamples=200).leaderboards.differences == ()


def test_several_tables_at_once(votes):
    judges = votes.keep(votes.column("judge") != votes.facet("judge").levels.index("person"))
    person = votes.only("judge", "person")
    found = q.scores.pipelines({"one": judges, "two": judges}, person, cell={"judge": "fair"}, resamples=100)
    assert [(one.pipeline, one.kind) for one in found.errors] == [
        (name, kind) for name in ("one", "two") for kind in ("single", "average")
    ]
    assert len(found.leaderboards.boards) == 4


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"by": "elo"}, InvalidInput, r"^by: must be one of"),
        ({"by": "win rate", "ties": "davidson"}, InvalidInput, r"^ties: expects one of half, drop for win rate"),
        ({"resamples": 99}, InvalidInput, r"^resamples: must be a whole number of at least 100"),
        ({"regularisation": -1}, InvalidInput, r"^regularisation"),
        ({"judged": "votes.csv"}, InvalidInput, r"^judged: judges must be what"),
        ({"judged": {}}, InvalidInput, r"^judged: at least one table"),
        ({"judged": {"one": judged(0.5, 0.8)}, "human": "person"}, InvalidInput, r"^human: votes of people"),
        ({"cell": {"mood": "good"}}, UnknownTerm, "mood"),
        ({"judged": judged(0.5)}, NotEstimable, "one cell"),
        (
            {"judged": judged(*np.linspace(0.2, 0.8, 30)), "resamples": 100},
            InvalidInput,
            "30 cells and needs at least 120",
        ),
        ({"judged": judged(1.0, 1.0)}, NotEstimable, r"no finite rating|two are needed"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        pipelines(**{"judged": judged(0.5, 0.8), **options})


def test_real_scores_of_a_judge_under_seven_prompts(shared):
    frame = pl.read_parquet(shared / "data" / "topical_chat_gpt35_replicates.parquet")
    some = frame.filter((pl.col("dimension") == "coherence") & (pl.col("replicate") == 0))
    facets = {"item": "context", "system": "system", "prompt": "prompt"}
    columns = some.select("context", "system", "prompt", "score")
    found = q.scores.pipelines(
        q.read(columns, score="score", facets=facets, announce=False), threshold=0.5, resamples=400
    )
    assert found.cells == {"judges": 7}
    assert found.facets == {"judges": {"prompt": 7}}
    assert 1.2 < found.of("single").redrawn_ratio < 1.6
    assert 1.0 < found.of("single").ratio < found.of("single").redrawn_ratio
    assert 1.0 < found.of("average").redrawn_ratio < 1.1
