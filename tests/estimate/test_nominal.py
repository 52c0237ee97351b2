import json
from functools import cache

import numpy as np
import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.labels import Coefficient
from quorate.estimate.nominal import both, interval


@cache
def frame(items=40, judges=4):
    rng = np.random.default_rng(1)
    rows = [
        (f"i{i}", f"j{j}", ["fine", "rude", "spam"][i % 3 if rng.random() < 0.7 else rng.integers(3)])
        for i in range(items)
        for j in range(judges)
    ]
    return pl.DataFrame(rows, schema=["item", "judge", "verdict"], orient="row")


@cache
def found():
    return q.scores.labels(q.read(frame(), score="verdict", labels=True, announce=False), most=5)


def test_one_sentence_and_a_row_for_every_label():
    assert found().sentence.startswith('The commonest of 3 labels is "')
    assert "Two judges agree on " in found().sentence
    assert found().scope == "for judges like these"
    assert found().panel_scope == "with these 4 judges"
    frame = found().to_frame("polars")
    assert frame["share"].sum() == pytest.approx(1)
    assert (frame["low"] <= frame["panel_low"]).all()
    assert frame["judgments"].sum() == 160


def test_everything_as_plain_values(tmp_path):
    content = json.loads(json.dumps(found().to_dict()))
    assert content["judges"] == 4
    assert len(content["people"]) == 5
    assert {one["name"] for one in content["coefficients"]} >= {"Fleiss' kappa", "Gwet's AC1"}
    assert "items" not in content
    path = found().write_people(tmp_path / "people.csv")
    again = pl.read_csv(path)
    assert again.columns[:2] == ["item", "judges"]
    assert again["item"].to_list() == [one.item for one in found().people]


@pytest.mark.slow
def test_no_more_items_than_asked_and_none_on_which_all_agree():
    table = q.read(frame(), score="verdict", labels=True, announce=False)
    assert q.scores.labels(table, most=0).people == ()
    every = q.scores.labels(table, most=1000)
    assert all(one.entropy > 0 for one in every.people)
    assert len(every.people) < len(every.items) == 40


def test_one_judge_has_no_agreement():
    table = q.read(frame(judges=1), score="verdict", labels=True, announce=False)
    alone = q.scores.labels(table)
    assert (alone.coefficients, alone.pairs, alone.confusions) == ((), (), ())
    assert "agree" not in alone.sentence
    assert "one-level" in {one.code for one in alone.caveats}


def test_two_judges_count_items_alone():
    two = q.scores.labels(q.read(frame(judges=2), score="verdict", labels=True, announce=False))
    assert not two.coefficients[0].judges
    assert "agreement-of-items" in {one.code for one in two.caveats}


@pytest.mark.parametrize("judges", [2, 4])
def test_judges_without_names_agree_as_those_with_names_do(judges):
    named = q.judges(q.read(frame(judges=judges), score="verdict", labels=True, announce=False))
    found = q.judges(q.read(frame(judges=judges).drop("judge"), score="verdict", labels=True, announce=False))
    assert [one.value for one in found.coefficients] == pytest.approx([one.value for one in named.coefficients])
    assert found.confusions == pytest.approx(named.confusions)
    assert (found.judges, found.pairs, found.coefficients[0].judges) == (0, (), False)
    assert "unnamed-judges" in {one.code for one in found.caveats}


def test_judges_of_labels_are_asked_how_far_they_agree():
    found = q.judges(q.read(frame(), score="verdict", labels=True, announce=False))
    alpha, least = found.coefficient("Krippendorff's alpha"), min(found.pairs, key=lambda pair: pair.kappa)
    assert found.sentence.startswith("Two judges agree on ")
    assert f"alpha is {both(alpha, 4)}, where" in found.sentence
    assert all(one.low < one.panel_low < one.panel_high < one.high for one in found.coefficients)
    assert f"{least.first} and {least.second} agree least" in found.sentence
    assert len(found.rows()) == 6
    with pytest.raises(InvalidInput, match="group: is for scores"):
        q.judges(q.read(frame(), score="verdict", labels=True, announce=False), group="auto")


def test_the_command_on_judges_takes_labels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame().write_csv("labels.csv")
    assert main(["judges", "labels.csv", "--report", "page.html"]) == 0
    assert "Two judges agree on" in capsys.readouterr().out
    assert main(["judges", "labels.csv", "--validate"]) == 1
    assert "--validate: is for scores" in capsys.readouterr().err


def test_labels_that_need_a_word():
    """Of a letter alone capitals may be meant; longer labels that differ in them alone are one."""
    item, verdict = pl.col("item"), pl.col("verdict")
    said = frame().with_columns(
        verdict=pl.when(item == "i1").then(pl.lit("K")).when(item == "i2").then(pl.lit("k")).otherwise(verdict)
    )
    codes = {one.code for one in q.scores.labels(q.read(said, score="verdict", labels=True, announce=False)).caveats}
    assert {"labels-alike", "labels-alone", "rare-labels"} <= codes


@pytest.mark.slow
def test_prompts_and_targets():
    prompts = (frame().with_columns(pl.col("verdict").shift(k), prompt=pl.lit(f"p{k}")) for k in (0, 12, 24))
    twice = pl.concat(prompts)
    table = q.read(twice, score="verdict", labels=True, announce=False)
    over = q.scores.labels(table, targets={"prompt": "panel", "judge": "panel"}, level=0.9)
    assert over.scope == "with these 3 prompts and 4 judges"
    assert sum(one.share for one in over.shares) == pytest.approx(1)
    with pytest.raises(UnknownTerm, match="rater"):
        q.scores.labels(table, targets={"rater": "panel"})


@pytest.mark.parametrize(
    ("given", "told"),
    [({"most": -1}, "most: must be a whole number"), ({"most": 1.5}, "most: "), ({"level": 2}, "level: must lie")],
)
def test_arguments_out_of_range(given, told):
    with pytest.raises(InvalidInput, match=told):
        q.scores.labels(q.read(frame(), score="verdict", labels=True, announce=False), **given)


def test_intervals_in_words():
    nan = float("nan")
    assert interval(Coefficient("x", 0.5, nan, nan, nan, judges=False)) == ".50"
    assert interval(Coefficient("x", nan, nan, nan, nan, judges=False)) == "not known"
    assert interval(Coefficient("x", -0.05, 0.1, -0.25, 0.15, judges=True)) == "-.05 (-.25 to .15)"


def test_what_every_system_answered_is_labelled_by_itself():
    """Judges who always say the same of an answer agree, however the answers of systems differ."""
    words = ("yes", "no", "open")
    cells = [(f"q{i}", s, j, words[(i * 7 + k * k) % 3]) for i in range(12) for k, s in enumerate("uvw") for j in "xyz"]
    read = scores_table(cells, "item system judge label", score="label", labels=True)
    found = q.scores.labels(read)
    assert [one.value for one in found.coefficients] == pytest.approx([1.0] * 4)
    assert len(found.items) == 36
    assert found.people == ()


def test_answers_of_several_systems_to_an_item_are_drawn_together():
    """A copy of every answer under another system's name tells nothing new: the interval is that of one system."""
    rng = np.random.default_rng(3)
    said = rng.choice(["yes", "no"], (40, 3), p=[0.6, 0.4])
    cells = [(f"q{i}", s, j, said[i, k]) for i in range(40) for s in "uv" for k, j in enumerate("xyz")]
    made = pl.DataFrame(cells, schema=["item", "system", "judge", "label"], orient="row")
    two, one = (
        q.scores.labels(q.read(part, score="label", labels=True, announce=False)).coefficient("agreement")
        for part in (made, made.filter(pl.col("system") == "u"))
    )
    assert two.value == pytest.approx(one.value)
    assert (two.panel_low, two.panel_high) == pytest.approx((one.panel_low, one.panel_high), abs=2e-3)
