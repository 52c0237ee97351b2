from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from reference.style import votes

import quorate as q


def systems(favour: float, gap: float, seed: int = 2) -> str:
    rng = np.random.default_rng(seed)
    taste = rng.normal(0, favour, (3, 4))
    lines = [
        f"s{s},i{i},j{j},{5 - gap * s + np.sin(i) + taste[s, j] + rng.normal(0, 0.5):.3f}"
        for s in range(3)
        for i in range(30)
        for j in range(4)
    ]
    return "system,item,judge,score\n" + "\n".join(lines) + "\n"


@pytest.fixture
def scored(tmp_path):
    path = tmp_path / "systems.csv"
    path.write_text(systems(0.1, 0.6))
    return path


def test_votes(run, far_ahead):
    ran = run("rank", far_ahead, "--elo", "--cluster", "prompt")
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith("x is first of 3 systems; 2 of 3 pairs of systems are told apart")
    assert "rank group system Elo 95% interval best" in said
    assert "2–3 2 z " in said
    full = " ".join(run("rank", far_ahead, "--elo", "--cluster", "prompt", "--full").out.split())
    assert "1 of 2 pairs of neighbours is not told apart. Were gaps as estimated, " in full


def test_votes_as_json(run, far_ahead):
    found = run("rank", far_ahead, "--json", "--ties", "drop", "--level", 0.9).json
    assert found["systems"][0]["system"] == "x"
    assert (found["ties"], found["level"], found["unit"]) == ("drop", 0.9, "rating, log odds")
    assert found["cluster"] == ["prompt"]
    assert run("rank", far_ahead, "--json", "--cluster", "none").json["cluster"] == []


def test_systems_are_told_apart_by_another_facet(run, far_ahead):
    found = run("rank", far_ahead, "--within", "prompt_type", "--json")
    assert [one["place"] for one in found.json["unrated"]] == ["not linked"] * 3
    assert len(run("rank", far_ahead, "--within", "prompt_type", "--regularisation", 1, "--json").json["systems"]) == 6


def test_boards_are_pooled(run, tmp_path):
    rows = [f"{a},{b},{30 + 5 * i},30,l{i}" for i in range(5) for a, b in (("x", "y"), ("y", "z"), ("x", "z"))]
    path = tmp_path / "languages.csv"
    path.write_text("model_a,model_b,a,b,language\n" + "\n".join(rows) + "\n")
    said = ["rank", path, "--wins", "a,b", "--by", "language", "--pooled"]
    shown = " ".join(run(*said, "--full").out.split())
    assert "Between 5 prompt_types the rating of a system varies " in shown
    assert "prompt_type system own pooled 95% interval shrunk" in shown
    assert len(run(*said, "--elo", "--json").json["pooled"]["pooled"]) == 15
    assert "pooled: is of boards by a facet; name it in --by language" in run(*said[:4], "--pooled").err


def test_a_board_for_every_level(run, far_ahead, tmp_path):
    page = tmp_path / "boards.html"
    ran = run("rank", far_ahead, "--by", "prompt_type", "--elo", "--report", page)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith("2 boards by prompt_type: on 2 of them one system is first")
    assert "de: x is first of 3 systems" in said
    assert "On 2 of 2 boards one system is first" in page.read_text(encoding="utf-8")
    found = run("rank", far_ahead, "--by", "prompt_type", "--json").json
    assert found["boards"].keys() == {"de", "en"}


def test_scores(run, scored):
    ran = run("rank", scored, "--target", "judge=population")
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith("s0 leads 3 systems, not surely ahead of s1; 2 of 3 pairs of systems are told apart, at 95%")
    assert "rank group system mean 95% interval best" in said
    assert " ".join(run("rank", scored).out.split()).startswith("s0 is first of 3 systems; 3 of 3 pairs")
    assert run("rank", scored, "--system", "judge", "--json").json["systems"][0]["system"].startswith("j")


def test_what_noise_hides_is_not_rankable_and_exits_2(run, tmp_path):
    path = tmp_path / "noise.csv"
    path.write_text(systems(0.8, 0.0, seed=5))
    ran = run("rank", path, "--target", "judge=population")
    assert ran.code == 2
    assert "Not rankable: " in " ".join(ran.out.split())


def test_two_that_are_told_apart_are_enough(run, tmp_path):
    rng = np.random.default_rng(1)
    items = {"a": range(60), "b": range(60), "c": (60, 61), "d": (62, 63), "e": (64, 65)}
    hard = 2 * rng.normal(size=66)
    rows = [
        (s, i, j, (s == "a") + hard[i] * (i < 60) + rng.normal()) for s, own in items.items() for i in own for j in "jk"
    ]
    path = tmp_path / "few.csv"
    path.write_text("system,item,judge,score\n" + "".join(f"{s},i{i},{j},{score:.3f}\n" for s, i, j, score in rows))
    ran = run("rank", path)
    assert ran.out.startswith("a leads 5 systems, not surely ahead of c, d and e; 2 of 10 pairs of systems are")
    assert ran.code == 0


def test_a_report_with_charts(run, scored, tmp_path):
    page, charts = tmp_path / "board.html", tmp_path / "charts"
    ran = run("rank", scored, "--report", page, "--charts", charts)
    assert f"Report: {page}" in ran.out
    assert "Charts: 3 files" in ran.out
    text = page.read_text(encoding="utf-8")
    assert 'data-chart="leaderboard"' in text
    assert "quorate rank" in text
    assert "systems.csv" in text
    assert (charts / "leaderboard.svg").read_text(encoding="utf-8").startswith("<svg")
    assert run("rank", scored, "--json", "--report", page).json["rankable"] is True


def test_hostile_names_are_one_line(run, tmp_path):
    path = tmp_path / "hostile.csv"
    names = ["\x1b[31mred", "=cmd", "<b>" + "x" * 300]
    path.write_text(
        "system,item,score\n" + "".join(f'"{n}",{i},{i + k}\n' for k, n in enumerate(names) for i in range(4))
    )
    ran = run("rank", path)
    assert ran.err.count("\n") <= 1
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("{votes} --target judge=panel", "--target: for scores, and this file has votes; leave it out"),
        ("{votes} --system judge", "--system: for scores, and this file has votes"),
        ("{scored} --elo", "--elo: for votes, and this file has scores; leave it out"),
        ("{scored} --cluster item", "--cluster: for votes"),
        ("{votes} --cluster colour", 'no role "colour"'),
        ("{votes} --level 2", "level: must lie between 0 and 1"),
        ("{votes} --resamples 5", "resamples: expects 0, or a whole number of at least 100"),
        ("{scored} --system colour", 'no facet "colour"'),
        ("{scored} --score points --wins a,b", "--score: for scores, and --wins is for votes"),
        ("{scored} --report board.txt", "--report: must end in .html, .md or .json"),
        ("none.csv", "source: no such file none.csv"),
    ],
)
def test_what_is_refused_in_one_line(run, far_ahead, scored, words, says):
    ran = run("rank", *words.format(votes=far_ahead, scored=scored).split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err


@pytest.mark.shared
def test_finnish_to_english(run, shared, tmp_path):
    """Translations into English by 14 systems, as people ranked them."""
    import polars as pl

    path = tmp_path / "fin-eng.parquet"
    votes = pl.read_parquet(shared / "data" / "wmt15_human_pairwise.parquet")
    votes.filter(pl.col("lang") == "fin-eng").write_parquet(path)
    ran = run("rank", path, "--role", "cluster=ranking", "--cluster", "cluster", "--elo")
    assert ran.code == 0
    assert ran.out.startswith("online-B.0 is first of 14 systems")


@pytest.mark.shared
def test_dialogue_systems(run, shared, tmp_path):
    import polars as pl

    path = tmp_path / "coherence.parquet"
    scores = pl.read_parquet(shared / "data" / "topical_chat_gpt35_replicates.parquet")
    kept = scores.filter(pl.col("dimension") == "coherence").select("context", "system", "prompt", "replicate", "score")
    kept.write_parquet(path)
    found = run("rank", path, "--facet", "item=context", "--json").json
    assert found["groups"][0] == ["New Human Generated"]


def test_what_being_shown_first_does(run, ordered, tmp_path):
    said = " ".join(run("rank", ordered, "--position", "--report", tmp_path / "p.md").out.split())
    sentence = "Between equals, the system shown first wins 75.0% of decisive votes (95% interval "
    assert sentence in said
    assert "log odds 1.10, p < 0.0001)." in said
    assert "rank with --position" not in said
    assert sentence in (tmp_path / "p.md").read_text(encoding="utf-8")
    without = " ".join(run("rank", ordered).out.split())
    assert "the system shown first won 75.0% of 400 decisive votes" in without
    assert "rank with --position" in without


def test_how_few_votes_decide_who_is_first(run, far_ahead):
    ran = run("rank", far_ahead, "--fragility")
    said = " ".join(ran.out.split())
    few = run("rank", far_ahead, "--fragility", "--json").json["fragility"]
    assert f"Without {few['dropped']:,} votes of" in said
    assert few["top"] == "x"
    assert run("rank", far_ahead, "--json").json["fragility"] is None


def test_scores_of_one_system_name_the_votes_of_the_same_log(run, tmp_path):
    path = tmp_path / "annotations.json"
    own = {"generator_1": "base", "generator_2": "m", "annotator": "j"}
    path.write_text(json.dumps([{**own, "instruction": f"q{i}", "preference": 1 + i / 40} for i in range(40)]))
    ran = run("rank", path)
    told = (
        "system: at least 2 are needed to compare them, got 1; the same file holds votes: read them with --part votes"
    )
    assert (ran.code, ran.err) == (1, f"quorate: {told}\n")
    assert run("rank", path, "--part", "votes").code in (0, 2)


def test_rankings_by_their_places(run, tmp_path):
    rows = [
        f"r{r},s{i},{1 + (i + (r * 7 % 5 > 2) + r) % 4},p{r % 9}" for r in range(60) for i in range(4) if (r + i) % 5
    ]
    path, page = tmp_path / "rankings.csv", tmp_path / "board.html"
    path.write_text("\n".join(["id,model,place,prompt", *rows, *(f"t{r},s{r % 3},1,p1" for r in range(2))]))
    reading = ("--rank", "place", "--role", "cluster=id")
    ran = run("rank", path, *reading, "--rankings", "id", "--report", page)
    assert ran.err == ""
    assert "system = model; rank = place" in " ".join(ran.out.split())
    shown = page.read_text()
    assert "rated by 60 rankings with the model of Plackett (1975) and Luce (1959)" in shown
    found = run("rank", path, *reading, "--rankings", "id", "--json").json
    assert (found["n"], found["rankings"]) == (60, "cluster")
    assert run("rank", path, *reading, "--json").json["n"] > 60


def test_columns_of_covariates_are_named_as_roles(run, tmp_path):
    frame = pl.DataFrame(votes()).rename({"length_a": "len_a", "length_b": "len_b"})
    path = tmp_path / "votes.csv"
    frame.write_csv(path)
    named = ("--role", "length_a=len_a", "--role", "length_b=len_b")
    found = run("rank", path, "--covariate", "length", *named, "--json").json
    same = q.read_votes(path, facets={"length_a": "len_a", "length_b": "len_b"}, announce=False)
    assert found["log_likelihood"] == pytest.approx(q.rank(same, covariates=["length"]).log_likelihood)
    assert run("rank", "--models", path, "--covariate", "length", *named, "--folds", 2, "--json").json["models"]
    assert "roles: " in run("rank", path, "--covariate", "lists", *named).err
