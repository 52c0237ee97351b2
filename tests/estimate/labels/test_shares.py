import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.labels import as_score, label_means, label_shares, mean_weights
from quorate.estimate.means.intervals import limits


def table(seed=1, items=40, judges=4, missing=0.0, prior=(0.6, 0.3, 0.1), right=0.7):
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(prior), items, p=prior)
    rows = []
    for i in range(items):
        for j in range(judges):
            if rng.random() >= missing:
                said = truth[i] if rng.random() < right else rng.choice(len(prior), p=prior)
                rows.append((f"i{i}", f"j{j}", "abcdef"[said]))
    frame = pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row")
    return q.read(frame, labels=True, announce=False)


def shares_of(judgments, **options):
    return label_means(judgments, label_shares(judgments), targets=options.pop("targets", {}), **options)


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
    judgments = q.read(pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row"), labels=True, announce=False)
    found = {one.label: one for one in shares_of(judgments)}
    assert [label for label, one in found.items() if one.alone] == ["c"]
    sure = found["c"]
    assert sure.others is None
    assert sure.mean.value == pytest.approx(5 / 30)
    assert sure.mean.se == pytest.approx(np.sqrt(5 / 30 * 25 / 30 / 29), rel=1e-6)
    assert sum(one.mean.value for one in found.values()) == pytest.approx(1)


def test_judges_who_always_agree():
    rows = [(f"i{i}", f"j{j}", "abc"[i % 3]) for i in range(12) for j in range(3)]
    judgments = q.read(pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row"), labels=True, announce=False)
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


def test_prompts_that_change_nothing_for_one_label():
    rng = np.random.default_rng(4)
    rows = []
    for i in range(20):
        for j in range(3):
            rare = rng.random() < 0.15
            rows += [(f"i{i}", f"j{j}", f"p{p}", "c" if rare else "ab"[rng.integers(2)]) for p in range(2)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row")
    found = shares_of(q.read(frame, labels=True, announce=False))
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
