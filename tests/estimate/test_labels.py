import numpy as np
import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.estimate.labels import (
    as_score,
    averaged,
    coefficients,
    confusions,
    item_labels,
    judge_of,
    label_means,
    label_shares,
    mean_weights,
    pairs,
    ratings,
)
from quorate.estimate.means.intervals import limits
from quorate.numerics.nominal import COEFFICIENTS, Ratings


def table(seed=1, items=40, judges=4, missing=0.0, prior=(0.6, 0.3, 0.1), right=0.7):
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(prior), items, p=prior)
    rows = []
    for i in range(items):
        for j in range(judges):
            if rng.random() >= missing:
                said = truth[i] if rng.random() < right else rng.choice(len(prior), p=prior)
                rows.append((f"i{i}", f"j{j}", "abcdef"[said]))
    return scores_table(rows, "item judge score", labels=True)


def test_answers_that_repeat_count_as_one_share():
    rows = [(f"i{i}", j, k, "ab"[i % 2]) for i in range(4) for j in "xy" for k in range(3)]
    assert label_shares(scores_table(rows, "item judge replicate score", labels=True)).sum(axis=1).tolist() == [1.0] * 8


def shares_of(judgments, **options):
    return label_means(judgments, label_shares(judgments), targets=options.pop("targets", {}), **options)


@pytest.mark.slow
def test_balanced_shares_are_means_of_scores():
    """With every judge on every item weights are equal, so each is the mean that its 0/1 scores have."""
    judgments = table()
    for place, one in enumerate(shares_of(judgments)):
        fit = q.decompose(as_score(judgments, label_shares(judgments)[:, place]))
        assert one.mean.value == pytest.approx(fit.mean.value, abs=1e-9)
        assert one.mean.se == pytest.approx(fit.mean.se, rel=1e-6)
        assert one.mean.ends == pytest.approx(fit.mean.ends, abs=1e-6)
        assert one.others is not None
        assert one.others.ends == pytest.approx(fit.mean_for(judge="population").ends, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_unbalanced_shares_add_up(seed):
    judgments = table(seed, missing=0.3)
    found = shares_of(judgments)
    assert sum(one.mean.value for one in found) == pytest.approx(1, abs=1e-12)
    for place, one in enumerate(found):
        fit = q.decompose(as_score(judgments, label_shares(judgments)[:, place]))
        assert one.mean.value == pytest.approx(fit.mean.value, abs=0.3 * fit.mean.se)
        assert one.mean.se == pytest.approx(fit.mean.se, rel=0.1)


def test_a_label_on_which_judges_never_differ_counts_items():
    rows = [(f"i{i}", f"j{j}", "c" if i < 5 else "ab"[(i + j * i) % 2]) for i in range(30) for j in range(3)]
    judgments = scores_table(rows, "item judge score", labels=True)
    found = {one.label: one for one in shares_of(judgments)}
    assert [label for label, one in found.items() if one.alone] == ["c"]
    sure = found["c"]
    assert sure.others is None
    assert sure.mean.value == pytest.approx(5 / 30)
    assert sure.mean.se == pytest.approx(np.sqrt(5 / 30 * 25 / 30 / 29), rel=1e-6)
    assert sum(one.mean.value for one in found.values()) == pytest.approx(1)


@pytest.mark.slow
def test_judges_who_always_agree():
    rows = [(f"i{i}", f"j{j}", "abc"[i % 3]) for i in range(12) for j in range(3)]
    judgments = scores_table(rows, "item judge score", labels=True)
    found = shares_of(judgments, targets={"judge": "panel"})
    assert [round(one.mean.value, 9) for one in found] == pytest.approx([1 / 3] * 3)
    assert all(one.alone == ("item",) and one.others is None for one in found)


def test_rows_without_a_label_are_counted():
    judgments = table()
    gaps = q.read(
        pl.DataFrame(
            {"item": ["i0"] * 3 + ["i1"] * 3, "judge": list("xyz") * 2, "score": ["a", "b", None, "a", "a", None]}
        ),
        labels=True,
        announce=False,
    )
    assert not any(one.code == "missing" for one in shares_of(judgments)[0].mean.caveats)
    said = next(one for one in shares_of(gaps)[0].mean.caveats if one.code == "missing")
    assert said.sentence.startswith("2 of 6 judgments")


def test_targets_and_weights():
    judgments = table(missing=0.2)
    asked = shares_of(judgments, targets={"judge": "population"})
    assert all(one.others is None for one in asked)
    assert asked[0].mean.target["judge"] == "population"
    fit = q.decompose(as_score(judgments, label_shares(judgments)[:, 0]))
    weight = mean_weights(fit)
    assert weight.sum() == pytest.approx(1)
    assert weight @ fit.judgments.mean == pytest.approx(fit.mean.value)


@pytest.mark.slow
def test_prompts_that_change_nothing_for_one_label():
    rng = np.random.default_rng(4)
    rows = []
    for i in range(20):
        for j in range(3):
            rare = rng.random() < 0.15
            rows += [(f"i{i}", f"j{j}", f"p{p}", "c" if rare else "ab"[rng.integers(2)]) for p in range(2)]
    found = shares_of(scores_table(rows, "item judge prompt score", labels=True))
    assert [one.alone for one in found] == [(), (), ("item", "judge")]
    assert found[2].others is not None


def test_one_item_is_not_enough():
    with pytest.raises(NotEstimable, match="1 item"):
        shares_of(table(items=1, judges=12, right=0.2))


def test_limits_are_wilsons():
    """So of a share of .1 the upper limit is further away than the lower one; and a panel's lie within the others'."""
    for one in shares_of(table(items=80, prior=(0.5, 0.4, 0.1))):
        low, high = one.mean.ends
        assert (low, high) == limits(one.mean.value, one.mean.reach.half_width(0.95), one.mean.n, (0.0, 1.0))
        assert (high - one.mean.value > one.mean.value - low) == (one.mean.value < 0.5)
        wide = one.widest.ends
        assert wide[0] <= low < high <= wide[1]


def said(rows):
    table = scores_table(rows, "item judge score", labels=True)
    return table, ratings(table, label_shares(table))


def some(seed=3, items=30, judges=4):
    rng = np.random.default_rng(seed)
    return [
        (f"i{i}", f"j{j}", "abc"[i % 3] if rng.random() < 0.6 else "abc"[rng.integers(3)])
        for i in range(items)
        for j in range(judges)
        if rng.random() < 0.9
    ]


@pytest.mark.slow
def test_alpha_is_that_of_scores():
    rows = some()
    _, given = said(rows)
    numbers = [(item, judge, ord(label)) for item, judge, label in rows]
    table = scores_table(numbers, "item judge score")
    found = {one.name: one for one in coefficients(given, 0.95)}
    assert list(found) == list(COEFFICIENTS)
    assert found["Krippendorff's alpha"].value == pytest.approx(q.agreement.alpha(table, "nominal").value, abs=1e-12)
    assert found["Krippendorff's alpha"].judges


@pytest.mark.slow
def test_every_two_judges():
    table, given = said(some())
    found = list(pairs(given, judge_of(table)[1], table.labels, 0.95))
    assert [(one.first, one.second) for one in found][:3] == [("j0", "j1"), ("j0", "j2"), ("j0", "j3")]
    assert len(found) == 6
    assert all(one.low < one.kappa < one.high for one in found)
    assert all(one.first_says != one.second_says and one.confused >= 1 for one in found)


def test_judges_of_different_items_are_no_pair():
    table, given = said([("a", "x", "u"), ("b", "y", "v"), ("b", "x", "u"), ("c", "z", "u")])
    (one,) = pairs(given, judge_of(table)[1], table.labels, 0.95)
    assert (one.first, one.second, one.items, one.agreement, one.confused) == ("x", "y", 1, 0, 1)
    assert np.isnan(one.low)


def test_every_two_of_four_observers_as_in_r():
    """R 4.2, psych 2.2.9, on Krippendorff's 4 observers and 12 units with gaps; NA is 0 here.

    > print(cohen.kappa(t(M)), digits = 6)
             R1       R2       R3       R4
    R2 0.844828 1.000000 0.857143 0.870968
    R3 0.478261 0.542373 1.000000 0.892086
    R4 0.850000 0.870130 0.615385 1.000000
    """
    printed = {"12": 0.844828, "13": 0.478261, "14": 0.85, "23": 0.542373, "24": 0.870130, "34": 0.615385}
    observers = ("123321412000", "123322412503", "033323422510", "123324412510")
    rows = [(f"u{i}", str(1 + j), label) for j, said in enumerate(observers) for i, label in enumerate(said)]
    table = scores_table(rows, "item judge score", labels=True, missing=("0",))
    table = table.keep(table.n > 0)
    found = pairs(ratings(table, label_shares(table)), judge_of(table)[1], table.labels, 0.95)
    assert {one.first + one.second: one.kappa for one in found} == pytest.approx(printed, abs=6e-7)


def test_intervals_end_where_coefficients_do():
    """Three judges, one of whom is of another mind: two degrees of freedom, and no limit beyond what can be."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 40)
    said = np.column_stack([truth, truth, np.where(rng.random(40) < 0.6, truth, rng.integers(0, 3, 40))])
    item, judge = np.indices(said.shape).reshape(2, -1)
    found = coefficients(Ratings(item, judge, said.ravel(), np.ones(120), 40, 3, 3), 0.95)
    for one in found:
        least = 0 if one.name == "agreement" else -1
        assert least <= one.low < one.value < one.high <= 1


ROWS = {
    "item": list("aaabbbcc"),
    "judge": list("xxyxyyxy"),
    "replicate": [1, 2, 1, 1, 1, 2, 1, 1],
    "verdict": ["up", "down", "up", "up", "off", "off", None, "down"],
}


def read(rows=ROWS, **options):
    return q.read(pl.DataFrame(rows), score="verdict", labels=True, announce=False, **options)


def test_shares_of_answers_in_every_cell():
    table = read()
    assert table.labels == ("down", "off", "up")
    shares = label_shares(table)
    assert shares[table.n > 0].tolist() == [[0.5, 0, 0.5], [0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert np.isnan(shares[table.n == 0]).all()


@pytest.mark.slow
def test_one_label_as_a_score_is_what_reading_it_gives():
    table = read()
    for place, label in enumerate(table.labels):
        ours = as_score(table, label_shares(table)[:, place])
        theirs = q.read(pl.DataFrame(ROWS), score="verdict", label=label, announce=False)
        for name in ("n", "mean", "ss", "low", "high"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)


def test_several_answers_of_a_judge_are_shares():
    table = read()
    answered = table.n > 0
    said = ratings(table.keep(answered), label_shares(table)[answered])
    rows = list(zip(said.item.tolist(), said.judge.tolist(), said.label.tolist(), said.weight.tolist(), strict=True))
    assert rows == [(0, 0, 0, 0.5), (0, 0, 2, 0.5), (0, 1, 2, 1), (1, 0, 2, 1), (1, 1, 1, 1), (2, 1, 0, 1)]
    assert judge_of(table)[1] == ("x", "y")


def test_items_alone():
    table = read()
    alone = averaged(as_score(table, label_shares(table)[:, 2]), ("item",))
    assert alone.names == ("item",)
    assert alone.mean.tolist() == [0.75, 0.5, 0.0]


def test_what_has_no_labels():
    with pytest.raises(InvalidInput, match="hold scores; read words as labels"):
        label_shares(q.read(pl.DataFrame({"item": [1, 2], "score": [1, 2]}), announce=False))
    with pytest.raises(NotEstimable, match="two different labels are needed"):
        label_shares(read({"item": ["a", "b"], "judge": ["x", "x"], "verdict": ["up", "up"]}))
    with pytest.raises(InvalidData, match="the same replicate twice"):
        label_shares(read({**ROWS, "replicate": [1] * 8}))


@pytest.mark.parametrize("call", [q.decompose, q.agreement.alpha, q.scores.naive, q.scores.missing_bounds])
def test_labels_are_refused_where_scores_are_needed(call):
    with pytest.raises(InvalidInput, match="hold labels, which are no numbers"):
        call(read())


def test_labels_have_no_range():
    assert np.isnan(read().describe().scores.low)


def test_labels_are_written_as_words(tmp_path):
    table = read()
    written = table.write(tmp_path / "again.csv")
    assert [*written.notes] == ["read it again with labels=True"]
    again = q.read(written.path, labels=True, announce=False)
    assert again.labels == table.labels
    np.testing.assert_array_equal(label_shares(again), label_shares(table))


def test_pairs_of_judges_by_what_each_says():
    """Item 0: a, a, b. Item 1: b, c. One pair of judges says a and a, two say a and b, one says b and c."""
    item, judge, label = np.array([[0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [0, 0, 1, 1, 2]])
    found = confusions(Ratings(item, judge, label, np.ones(5), 2, 3, 3), ("a", "b", "c"))
    assert [(one.label, one.other, one.pairs) for one in found] == [
        ("a", "b", 2),
        ("b", "a", 2),
        ("b", "c", 1),
        ("c", "b", 1),
        ("a", "a", 1),
    ]
    assert [one.share for one in found] == pytest.approx([1 / 2, 2 / 3, 1 / 3, 1, 1 / 2])


def test_a_judge_is_not_confused_with_himself():
    """One judge of item 0 says a and b, half each; the other says a: half a pair differs."""
    item, judge, label = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    found = confusions(Ratings(item, judge, label, np.array([0.5, 0.5, 1.0]), 1, 2, 2), ("a", "b"))
    assert [(one.label, one.other, one.pairs) for one in found] == [("a", "b", 0.5), ("b", "a", 0.5), ("a", "a", 0.5)]


def test_items_by_how_far_judges_agree():
    said = {"sure": "uuuu", "most": "uuud", "split": "uudd", "apart": "udoo", "one": "d"}
    rows = [(item, f"j{j}", label) for item, labels in said.items() for j, label in enumerate(labels)]
    table = scores_table(rows, "item judge score", labels=True)
    found = item_labels(table, ratings(table, label_shares(table)))
    assert [(one.item, one.judges, one.majority) for one in found] == [
        ("apart", 4, ""),
        ("split", 4, ""),
        ("most", 4, "u"),
        ("sure", 4, "u"),
        ("one", 1, "d"),
    ]
    assert [one.entropy for one in found] == pytest.approx([1.5, 1.0, 0.811278, 0.0, 0.0], abs=1e-6)
    assert [one.share for one in found] == pytest.approx([0.5, 0.5, 0.75, 1.0, 1.0])
    assert found[0].commonest == "o"
