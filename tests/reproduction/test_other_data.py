"""Studies of votes and answers that the papers do not have: on small files of their formats, and as written down."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.reproduction.studies import budget, lee

IDS = ["lee.wmt15", "lee.replay", "budget.people"]


def votes(rng):
    """Six judges on two pairs of systems, 300 times each; every other row follows from two others."""
    rows = 600
    pair, won = rng.integers(2, size=rows), rng.choice(["model_a", "model_b", "tie"], rows, p=[0.6, 0.3, 0.1])
    return pl.DataFrame(
        {
            "lang": "x-y",
            "segment": np.arange(rows) % 50,
            "judge": [f"judge{at}" for at in rng.integers(6, size=rows)],
            "ranking": np.arange(rows),
            "model_a": "one",
            "model_b": np.where(pair == 0, "two", "three"),
            "winner": won,
            "expanded": False,
        }
    )


def answers(rng):
    """Ten items, four answers each to the prompt, and one to another."""
    rows = [
        (f"i{i}", quality, budget.PROMPT, j, int(rng.integers(1, 4)), i / 10)
        for quality, i, j in product(budget.QUALITIES, range(10), range(4))
    ]
    rows.append(("i0", budget.QUALITIES[0], "another", 0, 3, 0.0))
    columns = ["item", "dimension", "prompt", "replicate", "score", "human_score"]
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(1)
    drawn = votes(rng)
    pl.concat([drawn, drawn.with_columns(expanded=True)]).write_parquet(where / lee.FILE.name)
    answers(rng).write_parquet(where / budget.SCORES.name)
    return where


def test_votes_are_those_that_somebody_looked_at(folder):
    assert lee.FILE.read(folder / lee.FILE.name).rows == 600


def test_every_figure_is_computed(folder, monkeypatch):
    """Of two pairs with 200 decisive votes; six judges are too few votes each to screen 18 of every one twice."""
    monkeypatch.setattr(budget, "RUNS", 3)
    found = q.reproduce(IDS, data=folder)
    ours = {one.what: one.ours for one in found.figures}
    assert {one.verdict for one in found.figures} <= {
        "agrees",
        "disagrees",
        "erratum",
        "not in the paper",
        "as written down",
    }
    assert ours["pairs"] == 2
    assert ours["pairs that can be screened by prompt"] == 0
    assert ours["pairs that can be screened by judge"] == 2
    assert ours["two stages spend, % of the budget"] == pytest.approx(100, abs=25)
    assert ours["naturalness: Pearson with its own means"] > 0.9


def test_another_file_of_that_name_is_one_line(folder, tmp_path):
    rest = answers(np.random.default_rng(1)).filter(pl.col("prompt") == "another")
    rest.write_parquet(tmp_path / budget.SCORES.name)
    with pytest.raises(InvalidInput, match="has no answers of coherence to prompt") as caught:
        q.reproduce(["budget.people"], data=tmp_path)
    assert "\n" not in str(caught.value)
    votes(np.random.default_rng(1)).drop("expanded").write_parquet(tmp_path / lee.FILE.name)
    with pytest.raises(InvalidInput, match="expanded"):
        q.reproduce(["lee.wmt15"], data=tmp_path)


@pytest.mark.calibration
def test_the_figures_are_those_that_were_written_down(shared):
    found = q.reproduce(IDS, data=shared / "data")
    assert found.unexplained == ()
    assert list(found.errata) == ["E1"]
    assert sum(one.verdict == "erratum" for one in found.figures) == 4


def chat(rng, pairs, questions, each, shares):
    """Votes in the columns of both data sets: a question, two models, a winner, a judge."""
    rows = []
    for (a, b), share in zip(pairs, shares, strict=True):
        for question in range(questions):
            for judge in range(each):
                won = "model_b" if rng.random() < share else "model_a"
                rows.append(
                    (f"q{question}", a, b, "tie (bothbad)" if rng.random() < 0.1 else won, f"person_{judge}", 1)
                )
    columns = ["question_id", "model_a", "model_b", "winner", "judge", "turn"]
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.fixture(scope="module")
def chats_found(tmp_path_factory):
    where, rng = tmp_path_factory.mktemp("chats"), np.random.default_rng(2)
    arena, bench = (where / needed.name.replace("*", "00000-of-00001") for needed in (lee.ARENA, lee.MT_BENCH))
    for path in (arena, bench):
        path.parent.mkdir(parents=True)
    chat(rng, [("x", "y"), ("x", "z"), ("u", "z")], 300, 1, (0.9, 0.7, 0.55)).write_parquet(arena)
    chat(rng, [("y", "x"), ("z", "x")], 120, 3, (0.2, 0.3)).write_parquet(bench)
    return q.reproduce(["lee.chats"], data=where)


def test_arena_and_mt_bench_in_the_form_of_their_files(chats_found):
    own = {one.what: one for one in chats_found.figures}
    assert chats_found.runs[0].missing == ""
    assert {one.verdict for one in chats_found.figures} <= {"agrees", "disagrees", "erratum", "not in the paper"}
    assert own["Arena: pairs"].ours == 3
    assert own["MT-Bench: pairs"].ours == 2
    assert own["pairs of both"].ours == 2
    assert own["Arena: near ties"].ours == 1
    # with one vote a question, of x against y, the variance of the rates is p (1 - p)
    assert own["Arena: variance between prompts, as it is"].ours == pytest.approx((0.09 + 0.21) / 2, abs=0.03)
    assert own["Arena: variance within prompts, as it is"].ours == 0
    assert np.isnan(own["Arena: variance between prompts, without noise"].ours)
    assert own["MT-Bench: variance between prompts, without noise"].ours == pytest.approx(0, abs=0.03)
    assert own["variance between prompts, Arena over MT-Bench"].ours > 1
