from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.regression.regress import Coefficient, Regression

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "regression.json").read_text(encoding="utf-8"))
DATA = {
    name: np.array([np.nan if one is None else one for one in values]) for name, values in REFERENCE["data"].items()
}
FITS = REFERENCE["fits"]
X = {"x1": DATA["x1"], "x2": DATA["x2"]}


def values(found, what="value"):
    return [getattr(one, what) for one in found.coefficients]


def test_as_computed_by_hand_in_r():
    """R 4.2.2 with sandwich 3.0-2: tests/reference/regression.txt. Tolerance: its solver's for the logit."""
    rows = q.regress(DATA["said"], X, DATA["right"], DATA["chance"])
    assert values(rows) == pytest.approx(FITS["rows"]["value"], rel=1e-9)
    assert values(rows, "se") == pytest.approx(FITS["rows"]["se"], rel=1e-9)
    assert values(rows, "labelled") == pytest.approx(FITS["alone"]["value"], rel=1e-9)
    assert values(rows, "labelled_se") == pytest.approx(FITS["alone"]["se"], rel=1e-9)
    authors = q.regress(DATA["said"], X, DATA["right"], DATA["chance"], cluster={"author": DATA["author"]})
    assert values(authors) == pytest.approx(FITS["authors"]["value"], rel=1e-9)
    assert values(authors, "se") == pytest.approx(FITS["authors"]["se"], rel=1e-9)
    logit = q.regress(DATA["judge"], X, DATA["yes"], DATA["chance"], link="logit")
    assert values(logit) == pytest.approx(FITS["logit"]["value"], rel=1e-7)
    assert values(logit, "se") == pytest.approx(FITS["logit"]["se"], rel=1e-7)
    assert values(logit, "judged") == pytest.approx(FITS["naive"]["value"], rel=1e-7)
    assert values(logit, "judged_se") == pytest.approx(FITS["naive"]["se"], rel=1e-6)


def test_clusters_of_two_facets_as_in_r():
    """At least the variance by each facet, which R's sum may fall below."""
    clusters = {name: DATA[name] for name in ("author", "topic")}
    both = q.regress(DATA["said"], X, DATA["right"], DATA["chance"], cluster=clusters)
    assert values(both) == pytest.approx(FITS["both"]["value"], rel=1e-9)
    most = np.max([FITS["both"][name] for name in ("variance", "by_author", "by_topic")], axis=0)
    assert np.array(values(both, "se")) ** 2 == pytest.approx(most, rel=1e-8)
    cells = q.regress(DATA["said"], X, DATA["right"], DATA["chance"], cluster=DATA["topic"] * 100 + DATA["author"])
    # of other outcomes, as other clusters are left out: alike, and what R adds and subtracts is of this size
    parts = [np.array(FITS["both"][name]) for name in ("by_author", "by_topic", "variance")]
    assert np.array(values(cells, "se")) ** 2 == pytest.approx(parts[0] + parts[1] - parts[2], rel=0.3)
    assert (both.cluster, both.clusters) == (("author", "topic"), (16, 9))


def test_where_everything_is_labelled_it_is_the_regression_of_the_labels():
    right = np.nan_to_num(DATA["right"], nan=0.3)
    found = q.regress(DATA["said"], X, right, 1.0)
    design = np.column_stack([np.ones(len(right)), X["x1"], X["x2"]])
    expected = np.linalg.lstsq(design, right, rcond=None)[0]
    assert values(found) == pytest.approx(expected)
    assert values(found, "labelled") == pytest.approx(expected)
    assert found.effective == pytest.approx(len(right))


def test_frames_arrays_and_words_are_regressors():
    words = np.where(DATA["x2"] == 1, "long", "brief")
    given = (DATA["said"], DATA["right"], DATA["chance"])
    as_words = q.regress(given[0], {"x1": DATA["x1"], "kind": words}, *given[1:])
    assert [one.name for one in as_words.coefficients] == ["intercept", "x1", "kind=long"]
    for x in (pl.DataFrame(X), np.column_stack([X["x1"], X["x2"]])):
        assert values(q.regress(given[0], x, *given[1:])) == pytest.approx(values(as_words))
    assert as_words["kind=long"].value == as_words.coefficients[2].value
    (row, *_) = as_words.to_dict()["coefficients"]
    assert row["coefficient"] == "intercept"
    assert len(as_words.to_frame("polars")) == 3
    assert as_words.sentence.startswith("x1: 0.5")


def test_what_is_refused():
    said, right, chance = DATA["said"], DATA["right"], DATA["chance"]
    n = len(said)
    hole = np.where(np.arange(n) == 3, np.nan, said)
    refusals = [
        ((hole, X, right, chance), {}, "y: 1 of 160 rows have no value"),
        ((said, X, right, 0.0), {}, "sampling_probability: numbers above 0 and up to 1 are needed, got 0"),
        ((said, X, right[:5], 0.1), {}, "labels: one value for each of the 160 rows is needed, got 5"),
        ((said, X, ["good"] * n, 0.1), {}, 'labels: numbers are needed, got "good"'),
        ((said, X, right, chance), {"link": "logit"}, "labels: 0 or 1 is needed with a logit link, got"),
        ((said, X, right, chance), {"link": "probit"}, 'link: "logit" or None'),
        ((said, {**X, "twice": 2 * X["x1"] - 1}, right, chance), {}, 'x: "twice" follows from the other regressors'),
        ((said, {"x1": hole}, right, chance), {}, "x: x1 has no value in 1 of 160 rows"),
        ((said, {"id": [f"r{i}" for i in range(n)]}, right, chance), {}, "x: id has 160 different words"),
        ((said, X, right, chance), {"cluster": ["a", None] * 80}, "cluster: cluster has no value in 80 of 160 rows"),
        ((said, X, right, chance), {"cluster": ["a"]}, "cluster: cluster has 1 values for 160 predictions"),
    ]
    for arguments, named, message in refusals:
        with pytest.raises(InvalidInput, match="^" + message.split("(")[0]):
            q.regress(*arguments, **named)
    few = np.where(np.arange(n) < 4, said, np.nan)
    with pytest.raises(NotEstimable, match="labels: 4 of 160 rows have one, and at least 5 are needed for 3 coeff"):
        q.regress(said, X, few, 0.1)
    with pytest.raises(NotEstimable, match="cluster: one level of author has all labels"):
        q.regress(said, X, right, chance, cluster={"author": np.where(np.isnan(right), "a", "b")})
    with pytest.raises(NotEstimable, match="labels: all are 1"):
        q.regress(DATA["judge"], X, np.where(DATA["yes"] == 1, 1.0, np.nan), 0.2, link="logit")


def test_caveats_say_what_the_chances_do_not():
    found = q.regress(DATA["said"], X, DATA["right"], 0.05)
    assert {one.code for one in found.caveats} >= {"labels-with-known-chance", "other-number-of-labels"}
    few = q.regress(DATA["judge"], X, DATA["yes"], DATA["chance"], link="logit")
    assert "rare-labels-in-regression" in {one.code for one in few.caveats}


def test_without_chances_all_rows_are_alike_likely():
    share = float(np.mean(~np.isnan(DATA["right"])))
    alike, stated = (q.regress(DATA["said"], X, DATA["right"], *chance) for chance in ((), (share,)))
    assert alike.coefficients == stated.coefficients
    assert alike.caveats[0].code == "labels-alike-likely"


def test_the_sign_is_compared_with_that_of_the_judge():
    one = Coefficient("length", 0.95, 10, 4, 0.2, 0.1, np.inf, 0.5, 0.1, np.inf, np.nan, np.nan, np.nan)
    assert one.other_sign == pytest.approx(0.0227501, rel=1e-5)
    turned = Coefficient("length", 0.95, 10, 4, 0.2, 0.1, np.inf, -0.5, 0.1, np.inf, np.nan, np.nan, np.nan)
    assert turned.other_sign == pytest.approx(1 - 0.0227501, rel=1e-5)
    assert all(np.isnan(one.from_labels.ends))
    constant = Coefficient("length", 0.95, 10, 4, 0.2, 0.1, np.inf, *[np.nan] * 6)
    assert np.isnan(constant.other_sign)
    assert Regression((constant,), 10, 4, "logit", 0.95, (0.4, 0.4), (), (), ()).sentence.endswith("give no solution.")
    found = Regression((one,), 10, 4, None, 0.95, (0.4, 0.4), (), (), ())
    assert np.isnan(found.effective)
    assert found.to_dict()["coefficients"][0]["labelled"] is None
