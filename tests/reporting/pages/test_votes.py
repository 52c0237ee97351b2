from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from charts import image
from tables import votes_table

import quorate as q
from quorate.analysis.allocation import replay_pair, replay_pairs
from quorate.analysis.votes import pair_view, votes_view
from quorate.decide.stop import monitor_all
from quorate.planning.power.protocols import protocols
from quorate.reporting.pages.verdict import page as verdict_page
from quorate.reporting.pages.votes import page as votes
from quorate.reporting.pages.votes.asked import MOST_ROWS, battles_page
from quorate.reporting.pages.votes.page import (
    analyses,
    coverage,
    health,
    kind,
    methods,
    options,
    read,
    taken,
    ties,
    typical,
    used,
)
from quorate.reporting.pages.votes.standings import page as standings_page
from quorate.reporting.pages.votes.standings import pair_page, ways
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import specification
from quorate.reporting.report import page_of, report, write
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view(votes_in_twos):
    return votes_view(votes_in_twos)


def section(view, name):
    return next(one for one in votes.sections(view) if one.name == name)


def data_of(spec):
    return spec.get("datasets", {}).values() or [
        part["data"]["values"] for part in (spec, *spec["layer"]) if "data" in part
    ]


def test_sections_and_their_figures(view):
    found = {one.name: [figure.name for figure in one.figures] for one in votes.sections(view)}
    assert found == {
        "leaderboard": ["leaderboard"],
        "margins": ["margins", "pairs"],
        "decided": ["decided", "equal-budget"],
        "stability": ["stability"],
        "dependence": ["dependence"],
        "health": ["analyses"],
    }
    assert all(one.text for one in votes.sections(view)[1:])


@pytest.mark.parametrize("exhibit", [votes.margins, votes.decided, votes.equal_budget, votes.dependence])
def test_charts_are_drawn(view, exhibit):
    assert image(exhibit(view))


def test_quantiles_have_the_votes_they_need(view):
    figure = votes.margins(view)
    assert figure.caption.finding.startswith("Half of the pairs have a margin of 0.300 or less, which needs ")
    assert [row["share"] for row in figure.rows] == [0.1, 0.25, 0.5, 0.75, 0.9]
    assert [row["n"] for row in figure.rows] == list(view.quantiles.n)


def test_cumulative_shares_rise_to_one(view):
    rows = [row for data in data_of(specification(votes.margins(view))) for row in data if "law" in row]
    for law, margins in ((votes.ESTIMATED, 3), (votes.CORRECTED_LAW, 100)):
        shares = [row["share"] for row in rows if row["law"] == law]
        assert len(shares) == margins + 1
        assert shares[0] == 0
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(1)
    steps = [row["margin"] for row in rows if row["law"] == votes.ESTIMATED]
    assert steps == pytest.approx([0, 0, 0.3, 0.3])


def test_the_closest_pair_comes_first(view):
    figure = votes.pairs(view)
    assert figure.caption.finding == "All 3 pairs, the closest first"
    first, *rest = figure.rows
    assert (first["pair"], first["votes"], first["margin"], first["needed"]) == ("y vs z", 400, 0, None)
    assert all(row["margin"] == pytest.approx(0.3) for row in rest)


def test_how_many_votes_decide_half_of_the_pairs(view):
    figure = votes.decided(view)
    assert "half of the pairs are decided by" in figure.caption.finding
    assert len(figure.rows) == len(view.found.budgets)
    assert all(row["low"] <= row["decided"] <= row["high"] for row in figure.rows)
    weak = replace(view, found=replace(view.found, corrected=view.found.corrected / 10))
    assert votes.decided(weak).caption.finding == "Even 5,000 votes each decide only 7% of the pairs"


def test_the_band_and_both_curves_are_there(view):
    spec = specification(votes.decided(view))
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line", "point"]
    assert max(len({row["law"] for row in data if "law" in row}) for data in data_of(spec)) == 2
    assert spec["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"


def test_what_is_within_reach_is_said(view):
    (line,) = section(view, "decided").text
    assert line.startswith("Pairs that have power 0.9 or more at their estimated margin: 0% with 25, 67% with ")
    assert line.endswith("67% with 5,000 votes each.")


def test_votes_from_which_on_half_of_the_studies_are_clear(view):
    figure = votes.equal_budget(view)
    assert [row["votes"] for row in figure.rows] == [50, 100, 200, 500, 1000]
    assert all(row["low"] <= row["z"] <= row["high"] for row in figure.rows)
    assert [row["z"] for row in figure.rows] == sorted(row["z"] for row in figure.rows)
    found = figure.caption
    assert found.finding == "With 50 votes or fewer for each pair, half of the studies are clear of an even split"
    assert "From about 1.96 on (dashed), a test with level 0.05 finds a difference." in found.lines
    later = replace(view, equal=view.equal[:1] + tuple(replace(one, median=1.0) for one in view.equal[1:]))
    second = votes.equal_budget(replace(later, equal=(later.equal[1], view.equal[2]))).caption.finding
    assert second.startswith("With 200 votes for")
    never = votes.equal_budget(replace(later, equal=later.equal[1:])).caption.finding
    assert never == "Even with 1,000 votes for each pair, most studies cannot rule out an even split"


def test_studies_in_which_all_votes_agree_are_explained(view):
    assert "Unbounded: all votes of the study agree." not in votes.equal_budget(view).caption.lines
    certain = replace(view, equal=(replace(view.equal[0], high=np.inf),))
    assert votes.equal_budget(certain).caption.lines[-1] == "Unbounded: all votes of the study agree."


def test_early_votes_are_compared_with_what_noise_alone_does(view):
    figure = votes.stability(view.stability)
    assert [row["drift_p"] for row in figure.rows] == sorted(view.stability.drift_p.tolist())
    assert {row["others"] for row in figure.rows} == {350}
    found = figure.caption
    assert found.finding.startswith("Margins in the first 50 votes of each pair and in its others have a rank corr")
    assert "; noise alone leaves 0." in found.finding
    assert found.lines[1] == "Votes are in the order of their rows, which is time only if the file is in that order."
    assert found.lines[2].startswith("0% of 3 pairs changed at level 0.05; about 5% do by chance")
    timed = votes.stability(replace(view.stability, ordered_by="time"))
    assert "in the order of time" in timed.caption.lines[1]


def test_margins_that_cannot_be_ranked_have_no_correlation(view):
    alike = replace(view.stability, spearman=np.nan, expected=np.nan)
    assert votes.stability(alike).caption.finding == "Margins cannot be ranked: all pairs have the same"
    one = replace(view.stability, pairs=("x vs y",), drift_p=np.array([1e-9]))
    assert votes.stability(one).caption.finding.endswith("in the others (p < 0.0001 of no change)")


def test_early_and_later_margins_are_drawn_with_what_changed(view):
    figure = votes.stability(replace(view.stability, drift_p=np.array([0.001, 0.5, 0.5])))
    assert image(figure)
    (rows,) = [data for data in data_of(specification(figure)) if "which" in data[0]]
    assert [row["which"] for row in rows] == [votes.CHANGED, votes.SAME, votes.SAME]


def test_pairs_that_stay_near_ties_are_counted(view):
    said = "1 of 1 pair with a margin of 0.1 or less in the first votes has one in all votes."
    assert section(view, "stability").text == (said,)


def test_why_early_votes_are_not_compared_is_said(view):
    found = section(replace(view, stability=None, stability_reason="no order"), "stability")
    assert found.text == ("Early votes are not compared with later ones: no order.",)
    assert found.figures == ()


def test_votes_in_twos_that_agree_are_worth_half(view):
    figure = votes.dependence(view)
    (row,) = figure.rows
    assert (row["by"], row["repeated"], row["levels"]) == ("prompt", 1, 200)
    assert row["ratio"] == pytest.approx(2**0.5, abs=0.01)
    said = "By prompt, the standard error of the median pair is 1.42 times the independent one"
    assert figure.caption.finding == said


def test_no_ratio_is_said(view):
    alone = replace(view, dependence=())
    assert votes.dependence(alone).caption.finding == "No ratio of standard errors is known"
    assert section(alone, "dependence").figures == ()
    assert "taken as independent" in section(alone, "dependence").text[0]


def test_few_levels_are_not_to_be_trusted(view):
    assert len(votes.dependence(view).caption.lines) == 1
    frame = pl.DataFrame({"model_a": ["x"] * 400, "model_b": ["y"] * 400, "judge": ["p", "q"] * 200})
    few = votes_view(read_votes(frame.with_columns(winner=pl.Series(["x", "y", "x", "x"] * 100)), announce=False))
    assert votes.dependence(few).caption.lines[-1] == "Not to be trusted with fewer than 20: 2 judges."


def test_a_page_with_all_charts(view, tmp_path):
    text = report(view, tmp_path / "votes.html", note="simulated <b>").read_text(encoding="utf-8")
    drawn = ["leaderboard", "margins", "decided", "equal-budget", "stability", "dependence"]
    assert re.findall('data-chart="([^"]*)"', text) == drawn
    assert "simulated &lt;b&gt;" in text
    assert "http://" not in text.split("<script>")[0]


def test_what_is_said_around_the_figures(view):
    page = page_of(view, origin=Provenance("quorate analyze"))
    assert page.sentence == q.rank(view.votes).sentence  # of three pairs each is said by itself
    assert page.tiles[0].value == "3"
    assert "for 3 pairs with 200 decisive votes or more" in page.methods
    assert page.provenance["seed"] == "0, the default of every bootstrap"


@pytest.fixture(scope="module")
def plan():
    rows = [(f"s{i:02}", f"s{j:02}", 9 - i % 3, 3 + j % 2) for i in range(22) for j in range(i)]
    return q.votes.next_battles(votes_table(rows, "model_a model_b a b", wins=("a", "b")), 300, horizon=2000)


def test_the_page_says_who_gets_the_votes(plan):
    found = battles_page(plan)
    assert found.sentence == plan.sentence
    (figure,) = found.sections[0].figures
    assert len(figure.rows) == MOST_ROWS
    assert figure.rows[0]["chance"] == plan.chance.max()
    half = int(figure.caption.finding.split()[6].replace(",", ""))
    assert plan.chance[:half].sum() >= 0.5 > plan.chance[: half - 1].sum()
    assert "A-optimal" in found.methods
    assert figure.chart is not None
    assert len(json.dumps(figure.chart())) > 1000


def protocols_votes(seed, margins, prompts, each):
    rng = np.random.default_rng(seed)
    rows = [
        ("xyz"[k], "base", "model_b" if rng.random() < 0.5 + margin else "model_a", f"p{p}")
        for k, margin in enumerate(margins)
        for p in range(prompts)
        for _ in range(each)
    ]
    return votes_table(rows, "model_a model_b winner prompt")


@pytest.fixture(scope="module")
def found():
    return protocols(
        protocols_votes(1, (0.05, 0.1, 0.1), 120, 1),
        protocols_votes(2, (0.2, 0.3, 0.25), 40, 4),
        names=("open", "curated"),
    )


@pytest.fixture(scope="module")
def page(found):
    return page_of(found)


@pytest.mark.slow
def test_what_follows_stands_first(page, found):
    assert page.sentence == found.sentence
    assert [section.name for section in page.sections] == ["advice", "margins"]
    assert page.sections[0].text == found.advice
    assert [tile.label for tile in page.tiles] == [
        "votes decide a pair under open",
        "votes decide a pair under curated",
    ]
    assert page.tiles[1].value == f"{found.second.needed:,.0f}"


def test_the_two_beside_each_other(page, found):
    [beside] = [figure for figure in page.figures if figure.name == "protocols"]
    rows = {row["what"]: row for row in beside.rows}
    assert rows["what a vote adds to the square of z"]["second"] == found.second.signals.signal.value
    assert rows["variance of win rates between prompts"]["first"] is None
    assert beside.caption.finding == "curated decides with fewer votes"


def test_every_pair_is_counted_and_drawn(page):
    figures = {figure.name: figure for figure in page.figures}
    assert sum(row["first"] for row in figures["distribution"].rows) == 3
    assert [row["pair"] for row in figures["pairs"].rows] == ["base vs x", "base vs y", "base vs z"]
    assert len(figures["scaling"].rows) == 6
    for name in ("distribution", "pairs", "scaling"):
        assert "NaN" not in json.dumps(specification(figures[name])), name


def test_it_is_written(page, tmp_path):
    text = write(page, tmp_path / "page.md").read_text(encoding="utf-8")
    assert "To rank or to ablate under a budget, take curated, if" in text
    assert "jackknife over prompts" in text


def test_possible_analyses_come_first(view):
    figure = analyses(view.support)
    possible = [row["possible"] for row in figure.rows]
    assert possible == sorted(possible, reverse=True)
    assert len(set(possible)) == 2
    assert figure.caption.finding.endswith("analyses of these votes are possible")


def test_facts_say_what_was_left_out(view):
    said = {row["what"]: row["as_read"] for row in used(view).rows}
    assert (said["pairs used"], said["pairs left out"]) == ("3, with 200 decisive votes or more", "0, with fewer")
    assert said["levels of prompt"] == "200"


def test_what_was_read_needs_no_pair_with_enough_votes(view):
    figure = read(view.support)
    said = {row["what"]: row["as_read"] for row in figure.rows}
    assert figure.caption.finding == "1,200 votes between 3 models"
    assert said["votes"] == "1,200: 1,200 decisive, 0 ties, 0 both bad"
    assert "pairs used" not in said


def test_few_votes_of_other_pairs_are_in_data_health_alone():
    rows = [("y", "z", "y" if i % 2 else "z") for i in range(300)] + [("x", "q", "x")] * 3
    pair = pair_view(votes_table(rows, "model_a model_b winner"), "y", "z")
    assert "few-votes" in {one.code for one in pair.support.findings}
    assert pair.caveats == ()
    assert any("fewer than 30 decisive votes" in line for line in health(pair.support).text)
    assert any("fewer than 30" in caveat for caveat in votes.page(pair.every).caveats)


def test_how_often_smaller_studies_are_wrong(between):
    page = page_of(replay_pairs(between(300, 200), [50]))
    assert {row["n"] for row in page.figures[0].rows} == {50}
    assert page.sentence.startswith("Verdicts of smaller studies against all votes")


def test_ways_to_spend_votes_over_types(between):
    votes = between(200, 100, prompt_type=[f"t{i % 4}" for i in range(300)])
    page = page_of(replay_pair(votes, "x", "y", [100]))
    assert {row["test"] for row in page.figures[0].rows} >= {"proportional", "two-stage"}
    assert "by chance" in page.sections[0].text[0]


@pytest.fixture(scope="module")
def made():
    pairs = [("<b>x", "y"), ("y", "z"), ("<b>x", "z")]
    rows = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in pairs * 30]
    return standings_page(monitor_all(read_votes(pl.DataFrame(rows), announce=False)))


def test_it_has_ranks_and_pairs(made):
    ranks, pairs = made.figures[:2]
    assert ranks.caption.finding == "3 systems of 3 have a known rank"
    assert [(row["system"], row["best"], row["worst"]) for row in ranks.rows] == [
        ("<b>x", 1, 1),
        ("y", 2, 2),
        ("z", 3, 3),
    ]
    assert pairs.caption.finding == "3 pairs have enough votes to be decided"
    assert {row["share"] for row in pairs.rows} == {1.0}


def test_its_charts_are_drawn_and_its_method_said(made):
    drawn = [figure.chart() for figure in made.figures if figure.chart]
    assert len(drawn) == 2
    assert (
        "at level 0.983333, or at what decided pairs leave of it (Holm, 1979), so that with a chance of 0.95"
        in made.methods
    )
    assert "3 are in a known order and 0 are undecided" in made.sentence


def test_each_way_to_count_ties_has_a_row():
    rows = {"model_a": ["x"] * 400, "model_b": ["y"] * 400, "winner": ["x"] * 90 + ["y"] * 210 + ["tie"] * 100}
    votes = q.read_votes(pl.DataFrame(rows), announce=False)
    figure = ties(q.votes.tie_sensitivity(votes))
    assert [row["ties"] for row in figure.rows] == ["ties left out", "ties as halves", "ties as losses of the first"]
    assert [round(row["margin"], 3) for row in figure.rows] == [0.2, 0.15, 0.275]
    assert figure.caption.finding == "Of 1 pair, 0 are nearly tied"
    view = q.analyze(votes).every
    assert view.ties.tie_share == 0.25
    assert "correlate" not in view.ties.sentence
    assert view.to_dict()["ties"]["tie_share"] == 0.25
    assert q.analyze(votes.keep(votes.outcome < 2)).every.ties is None


@pytest.fixture(scope="module")
def words_votes():
    """Votes of a prompt come in twos that agree."""
    columns = {"model_a": ["x"] * 400, "model_b": ["y"] * 400, "prompt": [f"p{i // 2}" for i in range(400)]}
    winner = ["model_a" if i // 2 % 10 < 6 else "model_b" for i in range(400)]
    return read_votes(pl.DataFrame({**columns, "winner": winner}), announce=False)


@pytest.mark.slow
def test_how_votes_are_taken_is_said_everywhere(words_votes):
    view, alone = votes_view(words_votes), votes_view(words_votes, cluster=())
    assert taken(view) == "clustered by prompt, so many being worth fewer"
    assert typical(view) == " Votes clustered by prompt: of the median pair 2.01 are worth one independent vote."
    assert (taken(alone), typical(alone)) == ("taken as independent", "")
    assert kind(view).startswith("by Student's t")
    assert (kind(alone), coverage(alone)) == ("exact", "95%")
    assert options(view).endswith("votes clustered by prompt")
    assert "Votes are clustered by prompt: a number of them counts as so many over" in methods(view)
    assert methods(alone).endswith("Votes are taken as independent.")


@pytest.fixture(scope="module")
def pair_votes():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    return votes_table(rows, "model_a model_b winner prompt")


@pytest.mark.slow
def test_the_verdict_comes_before_all_pairs(pair_votes):
    page = pair_page(pair_view(pair_votes, "x", "y"))
    first, second, *_ = page.sections
    assert (first.name, second.name) == ("verdict", "leaderboard")
    assert page.sentence.startswith("x is worse than y: x wins 20.0% of 400 decisive votes")
    assert [figure.name for figure in first.figures] == ["verdict", "ways"]


def test_the_exhibits_are_those_of_the_page_on_the_verdict():
    frame = pl.DataFrame({"model_a": ["x"] * 300, "model_b": ["y"] * 300, "winner": ["x"] * 160 + ["y"] * 140})
    view = pair_view(read_votes(frame, announce=False), "x", "y")
    alone, among = page_of(view.verdict), page_of(view)
    shared = [figure.name for figure in alone.figures]
    assert shared == ["verdict", "next-step"]
    for name in shared:
        one, other = (next(figure for figure in page.figures if figure.name == name) for page in (alone, among))
        assert (one.caption, one.rows, one.headers) == (other.caption, other.rows, other.headers)
    assert alone.sentence == among.sentence
    assert among.methods.startswith(alone.methods)


def test_without_other_pairs_the_reason_is_said(pair_votes):
    parts = pair_page(pair_view(pair_votes, "x", "y", minimum=1000)).sections
    assert [part.name for part in parts] == ["verdict", "margins", "health"]
    assert parts[1].text[0].startswith("All pairs are not compared: ")


def test_every_way_to_count_has_its_interval_and_outcome(pair_votes):
    figure = ways(pair_view(pair_votes, "y", "x", margin=0.05))
    asked, other = figure.rows
    assert (asked["way"], other["way"]) == ("by prompt", "votes independent")
    assert asked["low"] < asked["wins"] < asked["high"]
    assert asked["outcome"] == "better"
    assert asked["p_equal"] > 0.9
    assert figure.caption.finding == "Counted in 2 ways, the votes say better in each"


def test_facts_of_a_pilot_are_what_was_read(pair_votes):
    pilot, study = (pair_page(pair_view(pair_votes, "x", "y", minimum=minimum)) for minimum in (1000, 200))
    assert "pairs used" not in {row["what"] for row in pilot.facts.rows}
    assert "pairs used" in {row["what"] for row in study.facts.rows}


@pytest.mark.slow
def test_pair_what_is_said_around_the_figures(pair_votes):
    view = pair_view(pair_votes, "y", "z", margin=0.05, cluster="prompt")
    page = page_of(view, origin=Provenance(note="a note"))
    clustered = "standard errors clustered by prompt (Liang and Zeger, 1986), 200 clusters; ties were left out"
    assert clustered in page.methods
    assert "Equivalence is shares from 0.45 to 0.55, by two one-sided tests" in page.methods
    assert page.options.startswith("level 0.95, power 0.9, margin 0.05, ties drop, cluster prompt; all pairs: minimum ")
    alone = pair_view(pair_votes, "x", "y", cluster=())
    assert page_of(alone).caveats[0] == verdict_page(alone.verdict).caveats[0]
