import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.differences.paired import follow_scores, pairs, two_systems


def read(rows, **reading):
    return q.read(pl.DataFrame(rows), announce=False, **{"fixed": (), **reading})


def crossed(**columns):
    """Two systems, three items, two judges; all cells answered."""
    rows = [(s, i, j) for s in "ab" for i in range(3) for j in "xy"]
    system, item, judge = zip(*rows, strict=True)
    score = [float(4 * (s == "a") + 2 * i + 10 * (j == "y")) for s, i, j in rows]
    return {"system": list(system), "item": list(item), "judge": list(judge), "score": score, **columns}


def test_what_both_share_cancels():
    found = pairs(read(crossed()), "a", "b")
    assert found.judgments.names == ("item", "judge")
    assert found.judgments.mean.tolist() == [4.0] * 6
    assert pairs(read(crossed()), "b", "a").judgments.mean.tolist() == [-4.0] * 6
    assert not found.caveats


def test_replicates_are_averaged_and_their_variances_added():
    rows = {
        "system": ["a"] * 4 + ["b"] * 5,
        "item": [1, 1, 2, 2, 1, 1, 2, 2, 2],
        "score": [1.0, 3.0, 5.0, 5.0, 0.0, 4.0, 1.0, 2.0, 3.0],
    }
    found = pairs(read(rows), "a", "b")
    assert found.judgments.mean.tolist() == [0.0, 3.0]
    assert found.judgments.n.tolist() == [2, 2]  # the harmonic mean of 2 and 3 is 2.4
    assert found.judgments.ss.tolist() == [2.0 + 8.0, 0.0 + 1.0]
    assert [one.code for one in found.caveats] == ["unequal-answers"]


def test_cells_of_one_system_alone_are_left_out_and_counted():
    rows = crossed()
    kept = [not (s == "b" and i == 2) for s, i in zip(rows["system"], rows["item"], strict=True)]
    found = pairs(
        read({name: [x for x, k in zip(column, kept, strict=True) if k] for name, column in rows.items()}), "a", "b"
    )
    assert found.left_out == (2, 0)
    assert found.judgments.n_levels("item") == 2
    assert "2 cells of a and 0 cells of b, next to 4" in found.caveats[0].sentence


def test_missing_scores_are_counted_for_these_two_systems():
    rows = crossed()
    rows["score"][0] = None
    assert [one.code for one in pairs(read(rows), "a", "b").caveats] == ["missing", "unpaired-cells"]


def test_a_facet_that_names_the_system_again_does_not_keep_cells_apart():
    rows = crossed(family=["one"] * 6 + ["two"] * 6)
    facets = {"system": "system", "family": "family", "item": "item", "judge": "judge"}
    assert pairs(read(rows, facets=facets), "a", "b").judgments.names == ("item", "judge")


def test_items_nested_in_systems_are_never_shared():
    judgments = read(crossed(), nested={"item": "system"})
    assert len(two_systems(judgments, "a", "b").shared()[0]) == 0
    with pytest.raises(NotEstimable, match=r'no cell in common .* method="joint"'):
        pairs(judgments, "a", "b")


def test_cells_are_matched_by_their_labels(judged):
    judgments = judged({"item": 7, "judge": 3, "prompt": 2, "system": 3}, fixed=(), keep=0.8)
    found = pairs(judgments, "system0002", "system0000")
    by_hand = {}
    for code, mean in zip(judgments.codes.tolist(), judgments.mean.tolist(), strict=True):
        labels = {f.name: f.levels[c] for f, c in zip(judgments.facets, code, strict=True)}
        by_hand[labels.pop("system"), tuple(sorted(labels.items()))] = mean
    shared = {key for system, key in by_hand if system == "system0002"} & {
        key for system, key in by_hand if system == "system0000"
    }
    expected = sorted(by_hand["system0002", key] - by_hand["system0000", key] for key in shared)
    assert np.allclose(np.sort(found.judgments.mean), expected)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("a", "a"), InvalidInput, 'two different levels of system are compared, got "a" twice'),
        (("a", "c"), UnknownTerm, 'no system "c"; there are "a", "b"'),
    ],
)
def test_bad_systems_are_refused_in_one_line(arguments, error, words):
    with pytest.raises(error, match=words):
        pairs(read(crossed()), *arguments)


def test_bad_facets_are_refused_in_one_line():
    with pytest.raises(UnknownTerm, match='no facet "model"'):
        pairs(read(crossed()), "a", "b", facet="model")
    with pytest.raises(InvalidInput, match='"system" is the object of measurement'):
        pairs(read(crossed(), object="system"), "a", "b")
    with pytest.raises(InvalidInput, match=r"read it first"):
        pairs("scores.csv", "a", "b")


def test_a_system_without_scores_is_named():
    rows = crossed()
    rows["score"][6:] = [None] * 6
    with pytest.raises(NotEstimable, match="system b: none of its judgments has a usable score"):
        pairs(read(rows), "a", "b")


def test_repeated_keys_are_still_refused_by_a_fit():
    rows = {name: column * 2 for name, column in crossed(replicate=[1] * 12).items()}
    with pytest.raises(q.InvalidData, match="repeat a key"):
        q.decompose(pairs(read(rows), "a", "b").judgments)


def test_a_cell_counts_for_the_harmonic_mean_of_its_answers_and_spans_all_their_differences():
    rows = {
        "system": ["a"] * 4 + ["b"] * 12,
        "item": [1, 1, 2, 2, *[1] * 6, *[2] * 6],
        "score": [1.0, 3.0, 5.0, 5.0, *[0.0, 4.0, 2.0, 2.0, 2.0, 2.0], *[1.0, 2.0, 3.0, 2.0, 2.0, 2.0]],
    }
    found = pairs(read(rows), "a", "b").judgments
    assert found.n.tolist() == [3, 3]
    assert (found.low.tolist(), found.high.tolist()) == ([1.0 - 4.0, 5.0 - 3.0], [3.0 - 0.0, 5.0 - 1.0])


def test_a_single_item_for_either_system_is_too_few():
    rows = {"system": ["a", "b"], "item": [1, 2], "score": [1.0, 2.0]}
    with pytest.raises(NotEstimable, match="item: either system has 1 item; at least 2 of one are needed"):
        pairs(read(rows), "a", "b")


def apart(lacks, seed=0, items=60, judges=3):
    """Systems alike; of the second, the cells are gone that ``lacks`` says, given the scores of the first."""
    rng = np.random.default_rng(seed)
    score = rng.normal(0, 1, (items, 1)) + rng.normal(0, 0.7, (2, items, judges))
    keep = np.stack([np.ones((items, judges), bool), ~lacks(score[0])])
    system, item, judge = (axis[keep] for axis in np.indices(score.shape))
    columns = {"system": np.array(["a", "b"])[system], "item": item, "judge": judge, "score": score[keep]}
    return two_systems(q.read(pl.DataFrame(columns), announce=False), "a", "b")


@pytest.mark.parametrize(
    "lacks",
    [
        lambda x: x < np.quantile(x, 0.2),  # cells
        lambda x: np.broadcast_to(x.mean(axis=1, keepdims=True) < -0.5, x.shape),  # items
        lambda x: x == x.min(axis=1, keepdims=True),  # a cell of every item
    ],
)
def test_cells_that_a_score_chose_are_seen(lacks):
    found = apart(lacks)
    assert follow_scores(found)


@pytest.mark.calibration
@pytest.mark.parametrize("whole", [False, True])
def test_cells_that_chance_chose_are_seldom_suspected(whole):
    rng = np.random.default_rng(2)
    shape = (60, 1) if whole else (60, 3)
    found = [
        follow_scores(apart(lambda x: np.broadcast_to(rng.random(shape) < 0.3, x.shape), seed)) for seed in range(200)
    ]
    assert sum(found) <= 7  # 2 expected at 1%


def test_nothing_missing_shows_nothing():
    assert not follow_scores(apart(lambda x: np.zeros(x.shape, bool)))


def test_items_that_one_of_two_systems_lacks_do_not_move_the_names_of_others():
    """Items and judges as they come in: the first item is only y's, and a judge has not seen x."""
    rows = [("q0", "y", "late", 5.0)]
    rows += [(f"q{n}", name, "a", n + (n == 3 and name == "x")) for n in range(1, 5) for name in "xy"]
    frame = pl.DataFrame(rows, schema=["item", "system", "judge", "score"], orient="row", strict=False)
    found = q.compare(q.read(frame, announce=False), "x", "y").difference
    assert [one.item for one in found.changed()] == ["q3"]
    assert [one.item for one in found.by_item][:1] == ["q3"]
    assert len(found.means) == 2
