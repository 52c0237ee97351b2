from __future__ import annotations

from dataclasses import replace

import pytest
import studies
from charts import image

import quorate as q
from quorate.analysis.words import significant
from quorate.reporting.pages import gaming
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import specification
from quorate.reporting.report import page_of


@pytest.fixture(scope="module")
def fitted():
    """What gaming is worth with components that were fitted."""
    return q.scores.gaming(q.decompose(q.read(studies.scores(), announce=False)), 5, rng=1)


def test_the_first_design_and_the_one_that_leaves_least(surface):
    finding = gaming.prizes(surface()).caption.finding
    assert finding.startswith("The best of 27 attempts stands ")
    assert "Elo above the truth with 1 prompt x 1 judge, " in finding
    assert finding.endswith(" Elo with 5 prompts x 3 judges")


def test_one_row_per_design(surface):
    found = surface(prices={"call": 0.01})
    first, *_ = rows = gaming.prizes(found).rows
    assert [row["design"] for row in rows] == [one.label for one in found.prizes]
    assert (first["prize"], first["calls"], first["price"]) == (found.prizes[0].value, 170, pytest.approx(1.7))
    assert first["low"] is None  # published components come without an interval


@pytest.mark.slow
def test_intervals_are_named_only_where_they_are(surface, fitted):
    assert len(gaming.prizes(surface()).caption.lines) == 1
    assert gaming.prizes(fitted).caption.lines[1].startswith("Lines: 95% intervals")


def test_a_grid_of_prompts_and_judges(surface):
    figure = gaming.grid(surface())
    assert {(row["prompts"], row["judges"]) for row in figure.rows} == {(1, 1), (5, 1), (1, 3), (5, 3)}
    assert figure.caption.finding.startswith("5 prompts x 3 judges leave ")
    out = image(figure)
    assert all(f">{significant(one.value)}</text>" in out for one in surface().prizes)
    assert gaming.grid(surface(designs=[{"judges": 1}, {"judges": 3}])) is None
    assert gaming.grid(surface(designs=[{"prompts": 1, "judges": 1}, {"prompts": 2, "judges": 3}])) is None


def test_changes_with_the_part_that_they_take_away(surface):
    found = surface()
    figure = gaming.mitigation(found)
    for row in figure.rows:
        assert row["share"] == pytest.approx(row["reduction"] / found.prizes[0].value)
        assert row["prize"] == pytest.approx(found.prizes[0].value - row["reduction"])
    assert figure.caption.finding.startswith("3 judges in turn, one per item takes away ")
    assert figure.caption.finding.endswith(" Elo for no more calls")
    out = image(figure)
    assert ">no more calls</text>" in out
    assert ">+170 calls</text>" in out


def test_other_numbers_of_attempts(surface):
    found = surface(k=12)
    rows = {(row["design"], row["attempts"]): row["prize"] for row in gaming.attempts(found).rows}
    first = found.prizes[0]
    assert rows[first.label, 12] == pytest.approx(first.value)
    assert rows[first.label, 10] == pytest.approx(1.538753 * first.se, rel=1e-6)
    assert rows[first.label, 27] == pytest.approx(1.998269 * first.se, rel=1e-6)


def test_more_designs_than_lines(surface):
    many = surface(designs=[{"prompts": v, "judges": m} for v in range(1, 6) for m in range(1, 5)])
    figure = gaming.attempts(many)
    assert len(specification(figure)["layer"][0]["encoding"]["color"]["scale"]["domain"]) == gaming.MOST_LINES
    assert image(figure)


def test_nothing_to_gain_by_one_attempt(surface):
    found = surface(k=1)
    page = gaming.page(found)
    assert gaming.mitigation(found).caption.finding == "No change that the data tell about takes anything away"
    assert gaming.attempts(found).caption.finding.endswith("0 Elo for 1 attempt")
    assert page.facts.caption.finding == "What is played: 1 attempt, the best is reported"
    assert all(image(figure) for figure in page.figures if figure.name != "surface")


def test_what_it_rests_on(surface):
    said = {row["what"]: row["value"] for row in gaming.played(surface()).rows}
    assert said["attempts"] == 27
    assert said["largest of so many standard normals, on average"] == "1.998269"
    assert said["unit of prizes"] == "Elo points"
    assert gaming.unit(surface(scale="score")) == "score units"


def test_prizes_then_changes_then_attempts(surface):
    page = gaming.page(surface())
    assert [[one.name for one in part.figures] for part in page.sections] == [
        ["prizes", "surface"],
        ["mitigation"],
        ["attempts"],
    ]
    _, changes, _ = gaming.page(replace(surface(), mitigation=())).sections
    assert (changes.figures, changes.text[0][:42]) == ((), "The data leave the effect of every change ")


def test_what_is_said_around_the_figures(surface):
    page = page_of(surface(), origin=Provenance(seed=4))
    assert page.sentence.startswith("The best of 27 attempts is expected ")
    assert len(page.tiles) == 3
    assert page.tiles[2].label.endswith("one per item, for no more calls")
    assert page.caveats[0].startswith("attempts are taken as equally good")
    assert page.provenance["seed"] == "4"
    assert page.options.startswith("k 27, level 0.95, scale elo, redrawn ")


def test_methods(surface, fitted):
    page = gaming.page(surface())
    assert "1.9983 (by quadrature)" in page.methods
    assert "Elo points" in page.methods
    assert page.provenance["seed"] == "fixed: the same input gives the same figures"
    drawn_page = gaming.page(fitted)
    assert "parametric bootstrap" in drawn_page.methods
