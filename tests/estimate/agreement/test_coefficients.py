"""Alpha and intraclass correlations against published values."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.coefficients import alpha, icc, pairwise_agreement

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, example C: 4 observers, 12 units, missing data.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}

# Shrout and Fleiss (1979), Table 2: 6 targets, 4 judges; Table 4: ICC(2,1), ICC(2,4), ICC(3,1), ICC(3,4).
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def table(rows, **reading):
    cells = [(f"i{i:02d}", f"j{j}", score) for i, row in enumerate(rows) for j, score in enumerate(row)]
    return q.read(pl.DataFrame(cells, schema=["item", "judge", "score"], orient="row"), announce=False, **reading)


@pytest.fixture(scope="module")
def example():
    rows = [[None if one[unit] == "." else int(one[unit]) for one in OBSERVERS] for unit in range(12)]
    return table(rows)


@pytest.mark.parametrize("metric", PUBLISHED)
def test_alpha_of_krippendorffs_example(example, metric):
    found = alpha(example, metric)
    assert found.value == pytest.approx(PUBLISHED[metric], abs=5e-4)
    assert (found.items, found.scores) == (11, 40)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("fixed", [(), ("judge",)])
def test_intraclass_correlations_of_shrout_and_fleiss(fixed):
    found = icc(q.decompose(table(SHROUT_FLEISS, fixed=fixed)))
    assert (found.single_absolute, found.average_absolute) == pytest.approx((0.29, 0.62), abs=0.005)
    assert (found.single_consistency, found.average_consistency) == pytest.approx((0.71, 0.91), abs=0.005)
    assert found.judges == 4
    assert found.single_absolute_se > 0


def test_more_judges_are_projected():
    fit = q.decompose(table(SHROUT_FLEISS))
    one = icc(fit, judges=1)
    assert one.average_absolute == one.single_absolute
    rho = one.single_consistency
    assert icc(fit, judges=10).average_consistency == pytest.approx(10 * rho / (1 + 9 * rho))  # Spearman-Brown


@pytest.mark.slow
@given(st.integers(0, 10**6), st.floats(-3, 3), st.floats(0.2, 4), st.sampled_from([*PUBLISHED]))
def test_alpha_does_not_depend_on_the_scale(seed, shift, scale, metric):
    scores = np.random.default_rng(seed).integers(1, 5, size=(8, 3)).astype(float)
    scores[0, 0] = 9.0  # some scores differ
    moved = scores * scale + shift
    tables = table(scores.tolist()), table(moved.tolist())
    one, two = (alpha(part, metric).value for part in tables)
    assert two == pytest.approx(one, abs=1e-9)


def test_alpha_against_its_definition():
    """Observed over expected distance, pair by pair."""
    scores = np.random.default_rng(1).integers(1, 6, size=(9, 4)).astype(float)
    flat = scores.ravel()
    observed = np.mean([(a - b) ** 2 for row in scores for i, a in enumerate(row) for j, b in enumerate(row) if i != j])
    expected = np.sum((flat[:, None] - flat) ** 2) / (len(flat) * (len(flat) - 1))
    assert alpha(table(scores.tolist())).value == pytest.approx(1 - observed / expected)


def test_a_rare_label_has_an_interval_that_says_how_little_is_known():
    """40 items, each of two judges fails one other: whether rare failures are shared is as good as unknown.

    That 2 of 40 items agree on the rare label has Wilson's upper limit; the jackknife had (-.049, .023).
    """
    found = alpha(table([[0, 1], [1, 0], *[[1, 1]] * 38]), "nominal")
    assert found.value == pytest.approx(-0.012821, abs=1e-6)
    assert found.low < found.value < 0.8 < found.high < 0.9
    as_scores = alpha(table([[0, 1], [1, 0], *[[1, 1]] * 38]))
    assert (as_scores.low, as_scores.high) == pytest.approx((found.low, found.high), abs=1e-6)


def test_perfect_agreement_and_none():
    found = alpha(table([[1, 1], [2, 2], [3, 3]]))
    assert found.value == 1
    assert -1 < found.low < found.high == 1
    with pytest.raises(NotEstimable, match="all scores are equal"):
        alpha(table([[1, 1], [1, 1]]))
    with pytest.raises(NotEstimable, match="no item has two scores"):
        alpha(table([[1, None], [None, 2]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "ratio"}, 'metric: must be one of nominal, ordinal, interval, got "ratio"'),
        ({"level": 0}, "level: must lie between 0 and 1"),
    ],
)
def test_what_is_refused(example, options, message):
    with pytest.raises(InvalidInput, match=message):
        alpha(example, **options)


def test_replicates_are_no_categories_and_judges_are_needed(judged):
    with pytest.raises(InvalidInput, match="needs single answers"):
        alpha(judged({"item": 4, "judge": 2}, replicates=2), "nominal")
    with pytest.raises(UnknownTerm):
        icc(q.decompose(judged({"item": 9, "prompt": 3})))


def test_icc_of_judgments_decomposes_them(judged):
    table_ = judged({"item": 9, "judge": 3})
    assert icc(table_) == icc(q.decompose(table_))
    with pytest.raises(q.QuorateError, match=r"fit: expects what quorate\.decompose returns"):
        icc(q.components({"item": 1.0}))


PEOPLE = ("ana", "ben", "cem")


@pytest.fixture(scope="module")
def rows():
    """Who answered what: some did not answer all, and nobody answers as another one does."""
    rng = np.random.default_rng(5)
    every = [(i, p, j) for i, p, j in product(range(12), "xy", (*PEOPLE, "m1", "m2")) if rng.random() < 0.7]
    return pl.DataFrame(
        {
            "item": f"i{i}",
            "prompt": p,
            "judge": j,
            "score": float(rng.integers(1, 6)),
            "winner": rng.choice(list("ABC")),
        }
        for i, p, j in every
    )


def counted(rows, column, distance, first, second):
    found = []
    for _, mine in rows.group_by("item", "prompt"):
        for one, two in combinations(mine.to_dicts(), 2):
            sides = {one["judge"], two["judge"]}
            if any(a in first and b in second and {a, b} == sides for a, b in (sides_of(one, two), sides_of(two, one))):
                found.append(distance(one[column], two[column]))
    return np.mean(found), len(found)


def sides_of(one, two):
    return one["judge"], two["judge"]


def test_scores_differ_as_every_pair_says(rows):
    found = {(one.first, one.second): one for one in pairwise_agreement(q.read(rows, announce=False), people=PEOPLE)}
    groups = {"people": PEOPLE, "models": ("m1", "m2"), "m1": ("m1",), "m2": ("m2",)}
    assert list(found) == [("people", "people"), ("m1", "people"), ("m2", "people"), ("models", "models")]
    for (first, second), one in found.items():
        square, pairs = counted(rows, "score", lambda x, y: (x - y) ** 2, groups[first], groups[second])
        assert (one.value, one.pairs) == (pytest.approx(np.sqrt(square)), pairs)
        assert one.low < one.value < one.high
        assert one.measure == "difference"
        assert one.items <= 12


def test_votes_are_the_same_as_every_pair_says(rows):
    frame = rows.with_columns(model_a=pl.lit("s"), model_b=pl.lit("t"), prompt=pl.col("item") + pl.col("prompt"))
    votes = q.read_votes(frame.drop("item", "score"), announce=False)
    found = {(one.first, one.second): one for one in pairwise_agreement(votes, people=PEOPLE)}
    share, pairs = counted(rows, "winner", lambda x, y: x == y, PEOPLE, PEOPLE)
    one = found["people", "people"]
    assert (one.value, one.pairs, one.measure) == (pytest.approx(share), pairs, "same")
    assert 0 < one.low < share < one.high < 1


def test_who_shares_no_question_agrees_on_nothing(rows):
    apart = rows.filter((pl.col("judge") == "ana") == (pl.col("item") < "i5"), pl.col("judge").is_in(["ana", "m1"]))
    assert pairwise_agreement(q.read(apart, announce=False), people=["ana"]) == ()
    one_item = rows.filter(pl.col("item") == "i1")
    assert all(np.isnan(one.low) for one in pairwise_agreement(q.read(one_item, announce=False), people=PEOPLE))


def test_who_always_disagrees_agrees_on_nothing_at_all():
    battles = pl.DataFrame(
        {"prompt": f"p{n}", "judge": judge, "model_a": "a", "model_b": "b", "winner": winner}
        for n in range(3)
        for judge, winner in (("ana", "model_a"), ("ben", "model_b"))
    )
    (one,) = pairwise_agreement(q.read_votes(battles, announce=False), people=("ana", "ben"))
    assert (one.value, one.pairs) == (0.0, 3)
