"""Margins of battles cell by cell, by hand and against the verdicts that agreement takes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tables import votes_table

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.battles import likert_battles, pairwise_battles
from quorate.simulate.pipelines.cells import score_margins, votes_margins

NAN = float("nan")


@pytest.fixture
def votes():
    """Two battles, two judges, both orders; the first judge always takes what is shown first."""
    rows = [
        (1, "fickle", "y", "x", "y"),
        (1, "fickle", "x", "y", "x"),
        (1, "steady", "y", "x", "x"),
        (1, "steady", "x", "y", "x"),
        (2, "fickle", "x", "z", "x"),
        (2, "fickle", "z", "x", "z"),
        (2, "steady", "x", "z", "tie"),
    ]
    return votes_table(rows, "prompt judge model_a model_b winner", order="model_a")


def test_votes_are_recoded_to_the_first_system_whatever_order_they_were_shown_in(votes):
    table = votes_margins(votes)
    assert table.systems == ("x", "y", "z")
    assert (table.a.tolist(), table.b.tolist(), table.cluster.tolist()) == ([0, 0], [1, 2], [0, 1])
    assert table.levels == {
        "judge": ("fickle", "fickle", "steady", "steady"),
        "order": ("as listed", "swapped", "as listed", "swapped"),
    }
    np.testing.assert_equal(table.margin, [[-0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.0, NAN]])
    assert table.verdicts(table.margin).tolist() == [[1, 0, 0, 0], [0, 1, 2, -1]]
    np.testing.assert_allclose(table.mean, [0.25, 0])


def test_the_mean_of_cells_is_the_verdict_that_agreement_takes(votes):
    assert votes_margins(votes).mean.tolist() == pytest.approx(pairwise_battles(votes).margin.tolist())


def test_cells_are_found_by_their_labels(votes):
    table = votes_margins(votes)
    assert table.cell({"judge": "steady", "order": "swapped"}) == 3
    with pytest.raises(InvalidInput, match="got 2; give order too"):
        table.cell({"judge": "steady"})
    with pytest.raises(UnknownTerm):
        table.cell({"judge": "nobody"})
    with pytest.raises(UnknownTerm):
        table.cell({"mood": "good"})


def test_without_roles_all_votes_are_one_cell(votes):
    table = votes_margins(votes, cells=())
    assert table.n_cells == 1
    np.testing.assert_allclose(table.margin[:, 0], [0.25, 0])


def test_battles_of_one_cluster_are_drawn_together(votes):
    assert votes_margins(votes, cluster="prompt").cluster.tolist() == [0, 1]
    assert votes_margins(votes, cluster="prompt", threshold=0.3).verdicts(np.array([0.25])).tolist() == [2]


def test_votes_without_a_label_or_an_outcome_are_refused():
    rows = {"prompt": [1, 2], "judge": ["j", None], "model_a": ["x"] * 2, "model_b": ["y"] * 2, "winner": ["x", "y"]}
    with pytest.raises(InvalidInput, match="judge: 1 votes have no judge"):
        votes_margins(q.read_votes(pl.DataFrame(rows), announce=False))
    silent = pl.DataFrame({**rows, "winner": [None, None]}, schema_overrides={"winner": pl.String})
    with pytest.raises(NotEstimable, match="none has an outcome"):
        votes_margins(q.read_votes(silent, announce=False))
    with pytest.raises(InvalidInput, match="shown first"):
        votes_margins(q.read_votes(pl.DataFrame(rows), announce=False), cells=("order",))


def scores(rows):
    frame = pl.DataFrame(rows, schema=["item", "system", "judge", "score"], orient="row")
    facets = {name: name for name in ("item", "system", "judge")}
    return q.read(frame, score="score", facets=facets, announce=False)


def test_scores_give_a_battle_for_every_two_systems_of_an_item():
    rows = [(1, "x", "j", 5), (1, "y", "j", 3), (1, "z", "j", 4), (1, "x", "k", 2), (1, "y", "k", 2)]
    table = score_margins(scores([*rows, (2, "z", "j", 1), (2, "x", "j", 2)]))
    found = {
        (table.systems[a], table.systems[b], cluster): margin
        for a, b, cluster, margin in zip(table.a, table.b, table.cluster, table.margin.tolist(), strict=True)
    }
    wanted = {("x", "y", 0): [2, 0], ("x", "z", 0): [1, NAN], ("y", "z", 0): [-1, NAN], ("x", "z", 1): [1, NAN]}
    assert found.keys() == wanted.keys()
    for battle, margin in wanted.items():
        np.testing.assert_equal(found[battle], margin)
    assert table.verdicts(np.array([0.5, 0.49, -0.5])).tolist() == [0, 2, 1]


def test_the_mean_of_scores_is_the_verdict_that_agreement_takes():
    rng = np.random.default_rng(1)
    rows = [(i, s, j, int(rng.integers(1, 6))) for i in range(20) for s in "xy" for j in "jkl"]
    table = scores(rows)
    assert score_margins(table).mean.tolist() == pytest.approx(likert_battles(table).margin.tolist())


def test_a_cluster_that_varies_within_a_battle_is_refused():
    frame = pl.DataFrame(
        {"prompt": ["p", "p"], "judge": ["a", "b"], "model_a": "x", "model_b": "y", "winner": ["x", "y"]}
    )
    with pytest.raises(InvalidInput, match="cluster: a battle is in one, and judge varies within some"):
        votes_margins(q.read_votes(frame, announce=False), cluster="judge")


def test_scores_of_one_system_are_refused():
    with pytest.raises(InvalidData, match="no item has scores of two of 1 systems"):
        score_margins(scores([(1, "x", "j", 5), (2, "x", "j", 3)]))
