from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.reporting.pages.verdict import all_pairs_page


@pytest.fixture(scope="module")
def found():
    """x beats y and z by far; y and z are close, on 40 prompts by 4 judges of whom one voted on few."""
    rows = []
    for a, b, wins in (("x", "y", 36), ("x", "z", 33), ("y", "z", 21)):
        for judge in range(4):
            prompts = range(40 if judge else wins // 5)
            rows += [(f"p{n}", f"j{judge}", a, b, a if (7 * n + judge) % 40 < wins else b) for n in prompts]
    frame = pl.DataFrame(rows, schema=["prompt", "judge", "model_a", "model_b", "winner"], orient="row")
    return q.votes.compare_all(q.read_votes(frame, announce=False), margin=0.05)


def test_every_pair_is_a_row_the_largest_difference_first(found):
    (section,) = all_pairs_page(found).sections
    (figure,) = section.figures
    assert [row["pair"] for row in figure.rows] == ["x against y", "x against z", "y against z"]
    for row, verdict in zip(figure.rows, found.verdicts, strict=True):
        low, high = verdict.difference.at(verdict.level).ends
        expected = [0.5 + verdict.difference.value, 0.5 + low, 0.5 + high, verdict.p_difference]
        assert [row[name] for name in ("value", "low", "high", "p")] == pytest.approx(expected)
    apart = sum(v.outcome.value in ("better", "worse") for v in found.verdicts)
    assert figure.caption.finding.startswith(f"{apart} of 3 pairs")
    assert len(figure.chart()["layer"]) > 3  # no difference, both edges of equal, and the intervals


def test_caveats_of_one_kind_are_one_line(found):
    assert len({one.sentence for v in found.verdicts for one in v.caveats if one.code == "few-clusters"}) > 1
    line = next(one.sentence for one in found.caveats if one.code == "few-clusters")
    assert line.endswith("(x against y; so it is, with other numbers, of 2 more pairs)")
    assert line in all_pairs_page(found).caveats


@pytest.mark.slow
def test_equal_systems_of_scores_are_not_told_apart():
    rows = [(s, i, j, (i * 7 + j * 3 + k) % 5) for k, s in enumerate("xyz") for i in range(12) for j in range(3)]
    scores = q.read(pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row"), announce=False)
    made = all_pairs_page(q.votes.compare_all(scores))
    assert made.tiles[0].value == "0"
    assert "mean score of the first less that of the second" in made.sections[0].figures[0].caption.lines[0].casefold()
