"""Studies of the first paper's archive, on small files of its formats that were made up."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.reproduction.studies import archive as archived
from quorate.reproduction.study import Contents, publication

STUDIES = (
    archived.PILOT,
    archived.TABLE_14,
    archived.SAFETY,
    archived.LIKERT,
    archived.FIG_4,
    archived.TABLE_17,
    archived.FIG_21,
    archived.FIG_23,
)
PILOT = """tle_label,pilot_pct,full_pct
within-category item,60,50
generation,27,0
item x prompt,0,0
item x judge,0,0
judge model (sensitivity),3,50
prompt x judge,0,0
prompt,0,0
item x temperature,0,0
prompt x temperature,0,0
between-category,0,0
temperature (design sensitivity),0,0
"""
BUDGET = """researcher,budget,rmse,mean_bias,coverage
Naive,50,0.09,0,0.91
Naive,1000,0.04,0,0.94
Standard,1000,0.01,0,0.5
TEE,50,0.06,0,0.97
TEE,1000,0.01,0,1
"""
VARIANCES = {"item_response": 9, "prompt": 5, "judge": 0, "item x prompt": 0, "item x judge": 0, "prompt x judge": 0}


def csv(header, rows):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def judgments(seed):
    """Scores of two categories of items by judges, prompts, temperatures and replicates, one of them not read."""
    rng = np.random.default_rng(seed)
    cells = list(product(range(12), range(4), "abc", (0, 0.7), range(2)))
    noise = rng.normal(size=(12, 4))
    return [
        (f"i{i}", f"c{i % 2}", v, f"lab/{j}", t, r, "NA" if at == 5 else round(noise[i, v] + rng.normal(), 3))
        for at, (i, v, j, t, r) in enumerate(cells)
    ]


def marks(seed, n=110):
    """Marks of both answers of each match; the winner is what most judges say, or nobody."""
    rng = np.random.default_rng(seed)
    rows = []
    for match in range(n):
        better, winner = rng.integers(2), rng.choice(["model_a", "model_b", "tie", "tie (bothbad)"])
        for v, j in product(range(5), ("x", "y", "z")):
            rows += [(f"m{match}", winner, s, v, j, rng.integers(1, 4) + better * (s == "a")) for s in ("a", "b")]
    return rows


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    predictions = [
        ("b1", c, p, said, "a") for c, p in product(archived.CATEGORIES, archived.PIPELINES) for said in "abb"
    ] + [
        ("b2", c, p, said, "tie") for c, p in product(archived.CATEGORIES, archived.PIPELINES) for said in ("tie", "NA")
    ]
    variances = [(label, v, c) for c in archived.CATEGORIES for label, v in (*VARIANCES.items(), ("residual", 15))]
    gains = dict(zip(archived.CATEGORIES, (0.1, 0.2, 0.3, 0.4), strict=True))
    agree = [(p, c, 0.5 + gains[c] * p.startswith("tee")) for c, p in product(archived.CATEGORIES, archived.PIPELINES)]
    errors = [(p, f"m{k}", 0.1, 0.1 * k) for p in archived.PIPELINES for k in (1, 2, 6)]
    scores = csv("item_id,category,variant_id,judge_model,temperature,replication,outcome", judgments(1))
    sides = csv("battle_id,winner,response_side,variant_id,judge_model,score", marks(2))
    for name, content in {
        "pilot_vs_full_likert_cot.csv": PILOT,
        "mmlu_budget_allocation_summary.csv": BUDGET,
        "archive/pre_reparse/mmlu_budget_allocation_summary.csv": BUDGET.replace("TEE,1000,0.01", "TEE,1000,0.02"),
        "naive_vs_tee_mmlu.csv": csv(
            "target_mean,config_mean,se_naive,tee_ci_lo,tee_ci_hi",
            [(0.5, 0.52, 0.02, 0.5, 0.54), (0.5, 0.6, 0.02, 0.58, 0.62), (0.5, 0.54, 0.01, 0.44, 0.64)],
        ),
        "safety_clean.csv": scores,
        "likert_cot_clean.csv": scores,
        "arena_likert_clean.csv": sides,
        "arena_battle_predictions.csv": csv("battle_id,category_llm,config,pred_winner,winner_n", predictions),
        "arena_dstudy_per_category.csv": csv("tle_label,variance,category", variances),
        "arena_agreement_summary.csv": csv("config,category_llm,acc_ab", agree),
        "arena_bt_bootstrap_se.csv": csv("config,model,se_naive,se_tee", errors),
    }.items():
        path = folder / "data" / "processed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def found(archive):
    return q.reproduce([study.id for study in STUDIES], data=archive)


@pytest.mark.parametrize(
    ("study", "what", "value"),
    [
        # 60 / 30 items, 27 / 2,430 calls, 3 / 3 judges; 50 / 150 items against 50 / 3 judges
        ("tee.pilot", "pilot: share of item, %", 100 * 2 / (2 + 27 / 2430 + 1)),
        ("tee.pilot", "pilot: share of judge, %", 100 * 1 / (2 + 27 / 2430 + 1)),
        ("tee.pilot", "full: share of judge, %", 100 * 50 / 51),
        # off by .02, .1 and .04; naive reaches 1.96 x .02, .02 and .01, corrected .02, .02 and .1
        ("tee.table14-mmlu", "naive intervals that cover, %", 100 / 3),
        ("tee.table14-mmlu", "corrected intervals that cover, %", 200 / 3),
        ("tee.table14-mmlu", "naive width over corrected, %", 100 * 1.959964 * np.mean([1, 1, 0.1])),
        ("tee.fig4", "first parser: guided error over naive, largest budget, %", 50),
        ("tee.fig4", "strict parser: guided error over naive, largest budget, %", 25),
        ("tee.fig4", "strict parser: naive intervals that cover, most, %", 94),
        ("tee.fig4", "strict parser: guided intervals that cover, least, %", 97),
        # a, b and b where people say a, and a tie where they do: two of four, and one of three that are decisive
        ("tee.table17", "coding: panel, pairs, battles", 4),
        ("tee.table17", "coding: panel, pairs, all, %", 50),
        ("tee.table17", "pooled: one judge, marks, decisive battles", 12),
        ("tee.table17", "pooled: one judge, marks, decisive, %", 100 / 3),
        # 5 + 15 for one prompt and judge, 5/5 + 15/15 for all
        ("tee.fig21", "coding: saved, %", 100 * (1 - np.sqrt(2 / 20))),
        ("tee.fig21", "persuasion: gained, points", 20),
        ("tee.fig23", "panel, marks: median ratio", 2),
    ],
)
def test_figures_by_hand(found, study, what, value):
    [one] = [one for one in found.figures if (one.study, one.what) == (study, what)]
    assert one.ours == pytest.approx(value)


def test_nothing_is_missing_and_everything_published_is_computed(found):
    assert {run.missing for run in found.runs} == {""}
    published = {(one.id, figure.what) for one in STUDIES for figure in publication().figures[one.id]}
    assert published <= {(one.study, one.what) for one in found.figures}


def test_archived_judgments_are_fitted_with_the_terms_of_the_archive(found, archive):
    table = archived.read_judgments(archive / "data" / "processed" / "safety_clean.csv")
    assert table.n_answers == 12 * 4 * 3 * 2 * 2 - 1
    assert {facet.name for facet in table.facets if facet.fixed} == {"judge", "temperature"}
    own = {one.what: one.ours for one in found.figures if one.study == "tee.refit-safety"}
    assert own["variance of item:prompt"] == pytest.approx(1, abs=0.5)
    assert own["variance of replicate"] == pytest.approx(1, abs=0.2)


def test_intervals_from_all_judges_are_narrower_and_cover(archive, monkeypatch):
    monkeypatch.setattr(archived, "DRAWS", 4)
    monkeypatch.setattr(archived, "SIZES", (100,))
    agree = archived.read_likert(archive / "data" / "processed" / "arena_likert_clean.csv")
    assert agree.shape == (110, 5, 3)
    values = archived.coverage(Contents({archived.SCORES: agree}), np.random.default_rng(1)).values
    assert values["mean over all"] == agree.mean()
    widths = [
        values[f"100 matches, {name}: half-width"].value for name in ("all judges and prompts", "one judge and prompt")
    ]
    assert 0 < widths[0] < widths[1]
    assert values["100 matches, all judges and prompts: cover, %"].value == 100


def test_one_judge_and_prompt_are_drawn_anew_each_time(monkeypatch):
    """All but one of four say what people say, who is right by half: widths are 0 in most draws."""
    monkeypatch.setattr(archived, "DRAWS", 12)
    monkeypatch.setattr(archived, "SIZES", (40,))
    agree = np.ones((44, 2, 2), dtype=bool)
    agree[::2, 1, 1] = False
    values = archived.coverage(Contents({archived.SCORES: agree}), np.random.default_rng(1)).values
    part = values["40 matches, one judge and prompt: half-width"].value / (1.96 * np.sqrt(0.25 / 40))
    assert 0.05 < part < 0.5


def test_a_mark_that_is_not_there_is_a_tie(tmp_path, monkeypatch):
    monkeypatch.setattr(archived, "SIZES", (2,))
    header = "battle_id,winner,response_side,variant_id,judge_model,score"
    rows = [("m", "tie", "a", 0, "x", 3), ("m", "tie", "b", 0, "x", "NA"), ("n", "model_b", "a", 0, "x", 1)]
    (tmp_path / "marks.csv").write_text(csv(header, [*rows, ("n", "model_b", "b", 0, "x", 2)]), encoding="utf-8")
    assert archived.read_likert(tmp_path / "marks.csv").ravel().tolist() == [True, True]


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("pilot_vs_full_likert_cot.csv", "item x judge", "judge x item", 'no row "item x judge"'),
        ("arena_bt_bootstrap_se.csv", "tee_pairwise", "other", 'no row of "tee_pairwise"'),
        ("arena_dstudy_per_category.csv", "residual", "rest", 'no row of "residual"'),
        ("arena_likert_clean.csv", ",a,", ",left,", "something else than a and b"),
        ("arena_likert_clean.csv", ",a,", ",b,", "has 110 matches, and 2,000 are drawn"),
        ("safety_clean.csv", "outcome", "result", "outcome"),
        ("safety_clean.csv", "i1,", ",", "item"),
    ],
)
def test_another_file_of_that_name_is_one_line(archive, tmp_path, name, old, new, says):
    content = (archive / "data" / "processed" / name).read_text(encoding="utf-8")
    path = tmp_path / "data" / "processed" / name
    path.parent.mkdir(parents=True)
    path.write_text(content.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidInput, match=says) as caught:
        q.reproduce([study.id for study in (*STUDIES, archived.FIG_5)], data=tmp_path)
    assert "\n" not in str(caught.value)


def test_more_prompts_and_judges_make_strengths_surer(archive, monkeypatch):
    monkeypatch.setattr(archived, "RESAMPLES", 30)
    marks = archived.read_marks(archive / "data" / "processed" / "arena_likert_clean.csv")
    assert marks.margin.shape == (110, 5, 3)
    rng = np.random.default_rng(2)
    models = {battle: tuple(rng.choice(list("uvwx"), 2, replace=False)) for battle in marks.battles}
    held = Contents({archived.MARKS: marks, archived.MODELS: models})
    values = archived.designs(held, np.random.default_rng(1)).values
    published = {figure.what for figure in publication().figures["tee.fig6"]}
    assert set(values) == published
    one, *_, whole = values.values()
    assert 0 < whole < one


@pytest.mark.parametrize(("size", "own"), [((1, 1), 0.0), ((5, 3), 8.0)])
def test_strengths_of_battles_that_judges_see_alike_have_the_error_of_the_battles(size, own):
    """400 fair battles of two models: log odds with an error of 2 / sqrt(400), centred half of it.

    Half a mark apart is no tie. Where all judges are asked, each is, so that what they add for themselves cancels.
    """
    margin = np.repeat(np.random.default_rng(3).choice([-0.5, 0.5], 400)[:, None, None], 5, axis=1)
    pair = np.tile(np.array([[0], [1]]), 400)
    found = archived.spread(margin + np.array([own, 0, -own]), pair, 2, size, np.random.default_rng(4))
    assert found == pytest.approx(1 / np.sqrt(400), rel=0.15)
