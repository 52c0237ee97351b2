"""Two systems whose scores differ by the same on every item: a verdict with its bounds, not a refusal."""

from __future__ import annotations

import polars as pl
import pytest
from scipy.stats import beta
from tables import scores_table

import quorate as q
from quorate.types import SameDifference


def two(first, second, **options):
    items = [*range(len(first))]
    rows = {"item": items * 2, "system": ["a"] * len(items) + ["b"] * len(items), "score": [*first, *second]}
    return q.read(pl.DataFrame(rows), announce=False, **options)


@pytest.mark.parametrize("n", [5, 40, 200])
def test_the_bounds_are_those_of_clopper_and_pearson(n):
    """All of n items alike; the others may differ by as much as the scale is long."""
    share = beta.ppf(0.05, n, 1)
    found = q.compare(two([1] * n, [0] * n), "a", "b")
    assert isinstance(found, SameDifference)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((1 - 2 * (1 - share), 1))
    alike = q.compare(two([1, 0] * n, [1, 0] * n), "a", "b").estimate
    assert alike.ends == pytest.approx((beta.ppf(0.05, 2 * n, 1) - 1, 1 - beta.ppf(0.05, 2 * n, 1)))


@pytest.mark.parametrize(
    ("first", "second", "options", "outcome", "code", "begins"),
    [
        ([1] * 40, [0] * 40, {}, "better", 0, "a is better than b: a scores 1 more on all 40 items."),
        ([0] * 40, [1] * 40, {}, "worse", 2, "a is worse than b: a scores 1 less on all 40 items."),
        ([0, 1] * 20, [0, 1] * 20, {}, "undecided", 2, "Undecided whether a or b scores better: both score the same"),
        ([0, 1] * 20, [0, 1] * 20, {"margin": 0.1}, "equivalent", 0, "a and b are equivalent within 0.1: both score"),
        ([0, 1] * 20, [0, 1] * 20, {"margin": 0.05}, "undecided", 2, "Undecided whether"),
        (
            [0, 1] * 20,
            [0, 1] * 20,
            {"margin": 0.1, "claim": "not worse"},
            "equivalent",
            0,
            "PASS: a is shown to be less than",
        ),
        ([0, 1] * 20, [0, 1] * 20, {"claim": "better"}, "undecided", 2, "FAIL: a is not shown to be better than b."),
        ([0.5, 9.5], [0, 9], {}, "undecided", 2, "Undecided whether a or b scores better: a scores 0.5 more on all"),
    ],
)
def test_the_verdict_is_what_the_bounds_show(first, second, options, outcome, code, begins):
    found = q.compare(two(first, second), "a", "b", **options)
    assert (found.outcome, found.exit_code) == (outcome, code)
    assert found.sentence.startswith(begins), found.sentence
    assert found.to_dict()["exit_code"] == code


def test_differences_are_the_same_though_numbers_are_rounded():
    first = [0.1, 0.7, 1.3, 2.9]
    found = q.compare(two([score + 1 for score in first], first), "a", "b")
    assert found.sentence.startswith("Undecided whether a or b scores better: a scores 1 more on all 4 items.")
    assert q.compare(two([0.1 + 0.2, 0.6], [0.3, 0.6]), "a", "b").value == 0


def test_scores_without_ends_have_a_bound_of_the_share_alone():
    found = q.compare(two([0.5, 9.5, 3.5], [0.0, 9.0, 3.0]), "a", "b")
    assert found.sentence.endswith("At 95% at least 36.8% of items like these differ by just that.")
    assert found.estimate.low != found.estimate.low


def test_it_says_for_whom():
    rows = [(i, j, s, i % 2) for i in range(20) for j in ("p", "r") for s in "ab"]
    table = scores_table(rows, "item judge system score")
    assert "both score the same on all 20 items with these 2 judges." in q.compare(table, "a", "b").sentence


def test_every_route_says_it():
    table = two([1] * 30, [0] * 30)
    sentence = q.compare(table, "a", "b").sentence
    assert q.analyze(table).sentence == sentence
    assert str(q.writeup(table)).startswith(sentence)


def test_two_files_of_one_run_pass_a_gate(tmp_path, monkeypatch, capsys):
    from quorate.cli import main

    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        (tmp_path / f"{name}.csv").write_text("id,passed\n" + "".join(f"q{n},{int(n % 5 > 0)}\n" for n in range(80)))
    words = ["compare", "new.csv", "old.csv", "--claim", "not worse", "--margin", "0.05"]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("PASS: new is shown to be less than 0.05 worse than old.")


def test_items_of_a_document_count_once_where_documents_are_drawn():
    documents = [f"d{i // 5}" for i in range(60)]
    rows = {"item": [*range(60)] * 2, "system": ["a"] * 60 + ["b"] * 60, "document": documents * 2}
    frame = pl.DataFrame({**rows, "score": [1] * 60 + [0] * 60})
    found = q.compare(q.read(frame, facets={name: name for name in rows}, announce=False), "a", "b")
    assert found.share == pytest.approx(0.05 ** (1 / 12))
    assert "on all 60 items of 12 documents" in found.sentence
