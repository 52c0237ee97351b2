from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.cli.console import console
from quorate.cli.panel_parts import show_components, show_sharing, show_tests, show_validation
from quorate.simulate import panel_table
from quorate.simulate.strategies import validate_strategies


def interacting(systems=("one",), seed=5):
    """Judges that differ by item: 12 items, 4 generations, 3 judges."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=(len(systems), 12, 1, 3)) + 0.5 * rng.normal(size=(len(systems), 12, 4, 3)) + [-0.4, 0, 0.4]
    where = np.indices(score.shape).reshape(4, -1).tolist()
    columns = dict(zip(("system", "item", "generation", "judge"), where, strict=True))
    frame = pl.DataFrame({**columns, "score": score.ravel()})
    return frame.with_columns(pl.col("system").replace_strict(dict(enumerate(systems)), return_dtype=pl.String))


def said(capsys, show, *arguments):
    capsys.readouterr()
    show(console(), *arguments)
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture(scope="module")
def single():
    return q.panel(q.read(interacting(), announce=False), resamples=200)


@pytest.fixture(scope="module")
def several():
    return q.panel(q.read(interacting(("one", "paper", "rival", "two")), announce=False), resamples=200)


def test_both_models_where_they_disagree(capsys, single, several):
    assert single.crossed["all"].disagree
    shown = said(capsys, show_components, single)
    assert "separated as published" in shown
    assert "item:judge" in shown
    assert "The two models differ in alpha, beta, judge effect: judges differ by item" in shown
    shown = said(capsys, show_components, several)
    assert "system item generation judge residual item:judge one" in shown
    assert (
        "As published, with item x judge pooled into the residual: system item generation judge residual one" in shown
    )


def test_one_model_where_they_agree(capsys):
    frame = pl.DataFrame(panel_table()).filter(pl.col("system") == "Qwen")
    shown = said(capsys, show_components, q.panel(q.read(frame, announce=False), resamples=200))
    assert "separated" in shown
    assert "published" not in shown


def test_tests_in_words_for_one_system_and_as_a_table_for_several(capsys, single, several):
    shown = said(capsys, show_tests, single)
    assert shown.startswith("- F(2, 22) = ")
    assert "as published: F(2, 94) = " in shown
    shown = said(capsys, show_tests, several)
    assert shown.startswith("Do judges differ? system F df p as published one ")


def test_sharing_by_budget_for_one_system_and_by_system_for_several(capsys, single, several):
    shown = said(capsys, show_sharing, single)
    assert "calls per item all judges random judge cyclic 3 " in shown
    assert "one judge in turn for 36 items x 4 generations" in shown
    shown = said(capsys, show_sharing, several)
    assert "system all judges random judge cyclic one " in shown
    assert "Standard errors; calls 144, 48, 48, 144." in shown


def test_redrawn_studies(capsys, single):
    found = validate_strategies(single.judgments, repetitions=200, rng=1)
    assert "strategy calls variance ± MC predicted all judges 3" in said(capsys, show_validation, {"all": found})
    shown = said(capsys, show_validation, {"one": found, "two": found})
    assert shown.startswith("Redrawn studies - one: 200 redrawn studies")
    assert said(capsys, show_validation, {}) == ""
