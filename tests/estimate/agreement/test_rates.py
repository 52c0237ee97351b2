"""Rates of judges against people: by counting, by closed forms, and where they differ."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.agreement.rates import passing


def table(said, gold, **more):
    """Verdicts of judges by name on items, and the label of each."""
    n = len(gold)
    rows = [pl.DataFrame({"item": range(n), "judge": [judge] * n, "score": own} | more) for judge, own in said.items()]
    frame = pl.concat(rows)
    read = q.read(frame, facets={name: name for name in ("item", "judge", *more)}, announce=False)
    return read, q.read(pl.DataFrame({"item": range(n), "score": gold}), announce=False)


def against(said, gold, *, bar=None, **more):
    judged, people = table(said, gold, **more)
    return q.agreement.against(judged, people, bar=bar, splits=20, resamples=20)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=6, max_size=30))
def test_they_are_what_counting_says(pairs):
    said, gold = (list(column) for column in zip(*pairs, strict=True))
    if len(set(gold)) < 2 or len(set(said)) < 2:
        return
    [one] = against({"j": said}, gold).rates
    said, gold = np.array(said), np.array(gold)
    counted = {
        "right": said == gold,
        "sensitivity": said[gold == 1] == 1,
        "specificity": said[gold == 0] == 0,
        "false_passes": gold[said == 1] == 0,
    }
    for name, of in counted.items():
        rate = getattr(one, name)
        assert rate.value == pytest.approx(np.mean(of))
        if len(of) > 1:
            assert 0 <= rate.low <= rate.value <= rate.high <= 1
        else:  # one item says nothing of others
            assert np.isnan([rate.low, rate.high]).all()


@pytest.mark.slow
def test_they_have_wilsons_interval_and_cohens_kappa():
    """8 of 10: .427 to .955 by Wilson's form with Student's 2.262 and 9 for 10 (CR2).

    Cohen's kappa of 45, 15, 25, 15: (.60 - .54) / (1 - .54).
    """
    said = [1] * 8 + [0] * 2 + [0] * 9 + [1]
    gold = [1] * 10 + [0] * 10
    [one] = against({"j": said}, gold).rates
    assert (one.sensitivity.low, one.sensitivity.high) == pytest.approx((0.4270, 0.9555), abs=0.0001)
    counts = {(1, 1): 45, (1, 0): 15, (0, 1): 25, (0, 0): 15}
    both = [pair for pair, n in counts.items() for _ in range(n)]
    [one] = against({"j": [a for a, _ in both]}, [b for _, b in both]).rates
    assert one.kappa.value == pytest.approx((0.60 - 0.54) / (1 - 0.54))


def test_two_judges_are_compared_on_the_same_items():
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 2, 200)
    shares = {"a": 0.9, "b": 0.7}
    said = {name: np.where(rng.random(200) < share, gold, 1 - gold).tolist() for name, share in shares.items()}
    found = against(said, gold.tolist(), bar={"right": 0.8})
    [gap] = found.gaps
    right = {name: np.equal(own, gold).astype(float) for name, own in said.items()}
    assert gap.gap.value == pytest.approx((right["a"] - right["b"]).mean())
    assert gap.gap.low > 0
    assert [one.fit_for({"right": 0.8}) for one in found.rates] == [True, False]
    assert (found.exit_code, against(said, gold.tolist()).exit_code) == (2, 0)
    assert found.sentence.startswith("By the bar of right 0.8, a is fit and b is not fit. a is right on 8")
    assert "a is right more often than b" in found.sentence


def test_a_segment_in_which_the_judge_is_lenient_is_named():
    rng = np.random.default_rng(5)
    gold, long = rng.integers(0, 2, 400), rng.integers(0, 900, 400)
    said = np.where((rng.random(400) < 0.4) & (long > 450), 1, np.where(rng.random(400) < 0.95, gold, 1 - gold))
    found = against({"j": said.tolist()}, gold.tolist(), length=long.tolist())
    assert {one.by for one in found.segments} == {"length"}
    short, longer = found.segments
    assert short.items + longer.items == 400
    assert longer.p_lean < 0.001
    assert longer.lean.value > 0.1
    assert "of length beyond" in found.sentence
    assert "judges pass" in found.sentence


def test_marks_are_cut_where_they_tell_best_and_rates_are_of_other_items():
    rng = np.random.default_rng(8)
    gold = rng.integers(0, 2, 300)
    marks = np.clip(np.round(5.5 + 2 * (2 * gold - 1) + rng.normal(0, 1, 300)), 1, 10)
    [one] = against({"j": marks.tolist()}, gold.tolist()).rates
    assert one.threshold in (4.5, 5.5, 6.5)
    assert one.right.value > 0.9
    noise = rng.integers(1, 11, 300).tolist()
    [one] = against({"j": noise}, gold.tolist()).rates
    assert one.right.low < 0.5 < one.right.high  # on the items that chose it a mark of noise looks better than chance


def test_what_passes_is_told_by_the_words():
    assert passing(("no", "yes")) == 1
    assert passing(("pass", "fail")) == 0
    assert passing(("0", "1")) == 1
    assert passing(("a", "b", "c")) is None


def test_bars_that_cannot_be():
    with pytest.raises(InvalidInput, match="bar: is for one of right, sensitivity, specificity, kappa"):
        against({"j": [0, 1, 1, 0]}, [0, 1, 1, 0], bar={"recall": 0.9})
    with pytest.raises(InvalidInput, match="bar: right is between 0 and 1"):
        against({"j": [0, 1, 1, 0]}, [0, 1, 1, 0], bar={"right": 90})
    with pytest.raises(InvalidInput, match="bar: is for judges who pass or fail"):
        against({"j": [1, 2, 3, 1]}, [1, 2, 3, 2], bar={"right": 0.9})


def test_people_of_whom_three_judge_and_prompts_of_one_judge():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    rows = []
    for name, share in {"ana": 0.85, "ben": 0.8, "eva": 0.8, "model": 0.85}.items():
        for prompt in "pq" if name == "model" else "p":
            said = np.where(rng.random(120) < share, truth, 1 - truth)
            rows += [(f"i{i}", name, prompt, int(one)) for i, one in enumerate(said)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row")
    found = q.agreement.against(q.read(frame, announce=False), ["ana", "ben", "eva"], splits=20, resamples=20)
    [test] = found.stand_ins
    assert (test.model, test.passes) == ("model", True)
    assert "model may stand in for people" in found.sentence
    own = frame.filter(pl.col("judge") == "model")
    expected = q.agreement.alpha(q.read(own, announce=False), "nominal").value
    assert found.stability["model"].value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("column", "by"), [("n_tokens", "n_tokens"), ("response_len", "response_len"), ("answer", "words of answer")]
)
def test_a_column_of_lengths_or_the_responses_themselves_are_looked_at_without_being_asked_for(column, by):
    rng = np.random.default_rng(5)
    gold, long = rng.integers(0, 2, 300), rng.integers(1, 90, 300)
    said = np.where((rng.random(300) < 0.5) & (long > 45), 1, gold)
    held = ["so " * size for size in long.tolist()] if column == "answer" else long
    items = [f"q{place}" for place in range(300)]
    rows = {"item": items * 2, "judge": ["j"] * 300 + ["ann"] * 300, "score": [*said, *gold], column: [*held, *held]}
    table = q.read(pl.DataFrame(rows), announce=False)
    assert column not in table.names
    found = q.agreement.against(table, "ann")
    assert found.length == column
    assert [one.by for one in found.segments] == [by, by]
    assert found.segments[1].p_lean < 0.001


@pytest.mark.parametrize("held", [[*range(59), None], ["a", *range(59)], [1, 2] * 30])
def test_lengths_that_some_items_lack_or_that_are_none_are_left(held):
    rows = {"item": range(60), "score": [0, 1] * 30, "length": [None if one is None else str(one) for one in held]}
    gold = {"item": range(60), "score": [0, 1, 1] * 20}
    found = q.agreement.against(*(q.read(pl.DataFrame(one), announce=False) for one in (rows, gold)))
    assert (found.length, found.segments) == ("", ())


def test_a_table_whose_only_number_is_a_length_asks():
    with pytest.raises(InvalidInput, match="name it with score="):
        q.read(pl.DataFrame({"item": ["a", "b", "c"], "length": [12, 40, 31]}), announce=False)
