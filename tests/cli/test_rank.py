from __future__ import annotations

import json
import random
from pathlib import Path

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


@pytest.mark.slow
def test_votes(run, far_ahead):
    ran = run("rank", far_ahead, "--elo", "--cluster", "prompt")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("x is first of 3 systems; 2 of 3 pairs of systems are told apart")
    assert "rank group system Elo 95% interval best" in ran.said
    assert "2–3 2 z " in ran.said
    full = run("rank", far_ahead, "--elo", "--cluster", "prompt", "--full").said
    assert "1 of 2 pairs of neighbours is not told apart. Were gaps as estimated, " in full


def test_systems_are_told_apart_by_another_facet(run, far_ahead):
    found = run("rank", far_ahead, "--within", "prompt_type", "--json")
    assert [one["place"] for one in found.json["unrated"]] == ["not linked"] * 3
    assert len(run("rank", far_ahead, "--within", "prompt_type", "--regularisation", 1, "--json").json["systems"]) == 6


def test_boards_are_pooled(run, tmp_path):
    rows = [f"{a},{b},{30 + 5 * i},30,l{i}" for i in range(5) for a, b in (("x", "y"), ("y", "z"), ("x", "z"))]
    path = tmp_path / "languages.csv"
    path.write_text("model_a,model_b,a,b,language\n" + "\n".join(rows) + "\n")
    said = ["rank", path, "--wins", "a,b", "--by", "language", "--pooled"]
    shown = run(*said, "--full").said
    assert "Between 5 prompt_types the rating of a system varies " in shown
    assert "prompt_type system own pooled 95% interval shrunk" in shown
    assert len(run(*said, "--elo", "--json").json["pooled"]["pooled"]) == 15
    assert "pooled: is of boards by a facet; name it in --by language" in run(*said[:4], "--pooled").err


def test_a_board_for_every_level(run, far_ahead, tmp_path):
    page = tmp_path / "boards.html"
    ran = run("rank", far_ahead, "--by", "prompt_type", "--elo", "--report", page)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("2 boards by prompt_type: on 2 of them one system is first")
    assert "de: x is first of 3 systems" in ran.said
    assert "On 2 of 2 boards one system is first" in page.read_text(encoding="utf-8")
    found = run("rank", far_ahead, "--by", "prompt_type", "--json").json
    assert found["boards"].keys() == {"de", "en"}


def test_scores(run, scored):
    ran = run("rank", scored, "--target", "judge=population")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith(
        "s0 leads 3 systems, not surely ahead of s1; 2 of 3 pairs of systems are told apart, at 95%"
    )
    assert "rank group system mean 95% interval best" in ran.said
    assert run("rank", scored).said.startswith("s0 is first of 3 systems; 3 of 3 pairs")
    assert run("rank", scored, "--system", "judge", "--json").json["systems"][0]["system"].startswith("j")


def test_what_noise_hides_is_not_rankable_and_exits_2(run, tmp_path):
    path = tmp_path / "noise.csv"
    path.write_text(systems(0.8, 0.0, seed=5))
    ran = run("rank", path, "--target", "judge=population")
    assert ran.code == 2
    assert ran.out.count("Not rankable: ") == 1


@pytest.mark.slow
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


def test_hostile_names_are_one_line(run, tmp_path):
    path = tmp_path / "hostile.csv"
    names = ["\x1b[31mred", "=cmd", "<b>" + "x" * 300]
    path.write_text(
        "system,item,score\n" + "".join(f'"{n}",{i},{i + k}\n' for k, n in enumerate(names) for i in range(4))
    )
    ran = run("rank", path)
    assert ran.err.count("\n") <= 1
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.wide(6)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("{votes} --cluster colour", 'no role "colour"'),
        ("{scored} --system colour", 'no facet "colour"'),
        ("{scored} --score points --wins a,b", "--score: for scores, and --wins is for votes"),
    ],
)
def test_what_is_refused_in_one_line(run, far_ahead, scored, words, says):
    assert says in run("rank", *words.format(votes=far_ahead, scored=scored).split()).refused()


@pytest.mark.slow
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


@pytest.mark.slow
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
    said = run("rank", ordered, "--position", "--report", tmp_path / "p.md").said
    sentence = "Between equals, the system shown first wins 75.0% of decisive votes (95% interval "
    assert sentence in said
    assert "log odds 1.10, p < 0.0001)." in said
    assert "rank with --position" not in said
    assert sentence in (tmp_path / "p.md").read_text(encoding="utf-8")
    without = run("rank", ordered).said
    assert "the system shown first won 75.0% of 400 decisive votes" in without
    assert "rank with --position" in without


def test_how_few_votes_decide_who_is_first(run, far_ahead):
    ran = run("rank", far_ahead, "--fragility")
    few = run("rank", far_ahead, "--fragility", "--json").json["fragility"]
    assert f"Without {few['dropped']:,} votes of" in ran.said
    assert few["top"] == "x"
    assert run("rank", far_ahead, "--json").json["fragility"] is None


def test_votes_of_a_log_are_ranked_whose_scores_are_of_one_system(run, tmp_path):
    path = tmp_path / "annotations.json"
    own = {"generator_1": "base", "generator_2": "m", "annotator": "j"}
    path.write_text(json.dumps([{**own, "instruction": f"q{i}", "preference": 1 + i / 40} for i in range(40)]))
    ran = run("rank", path)
    assert ran.err == "quorate: one system against another is compared by votes: --part votes\n"
    assert ran.code in (0, 2)
    assert run("rank", path, "--part", "votes").out == ran.out
    assert (
        run("compare", path, "--json").json["outcome"]
        == run("compare", path, "--part", "votes", "--json").json["outcome"]
    )


def test_rankings_by_their_places(run, tmp_path):
    rows = [
        f"r{r},s{i},{1 + (i + (r * 7 % 5 > 2) + r) % 4},p{r % 9}" for r in range(60) for i in range(4) if (r + i) % 5
    ]
    path, page = tmp_path / "rankings.csv", tmp_path / "board.html"
    path.write_text("\n".join(["id,model,place,prompt", *rows, *(f"t{r},s{r % 3},1,p1" for r in range(2))]))
    reading = ("--rank", "place", "--role", "cluster=id")
    ran = run("rank", path, *reading, "--rankings", "id", "--report", page)
    assert ran.err == ""
    assert "system = model; rank = place" in ran.said
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


def test_the_table_is_that_of_the_function(run, tmp_path):
    path = tmp_path / "votes.csv"
    pl.DataFrame(votes()).write_csv(path)
    ran = run("rank", "--models", path, "--covariate", "length", "--folds", "2")
    found = q.votes.models(q.read_votes(path, covariates=["length"], announce=False), covariates=["length"], folds=2)
    assert ran.code == 0
    assert ran.said.startswith(found.sentence)
    for one in found.models:
        assert f"{one.loss:.4g}" in ran.out
    assert found.to_dict()["models"][0]["loss"] == pytest.approx(found.models[0].loss)


PAIRS = [("x", "y"), ("y", "z"), ("x", "z")]


@pytest.fixture
def board(tmp_path):
    rows = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in PAIRS * 30]
    pl.DataFrame(rows).write_csv(tmp_path / "board.csv")
    return tmp_path / "board.csv"


def test_all_pairs_are_watched_with_one_chance_of_being_wrong(run, board):
    page = board.with_name("board.md")
    ran = run("rank", board, "--watch", "--report", page)
    assert ran.code == 0
    assert ran.out.startswith("Of 3 pairs of 3 systems 3 are in a known order and 0 are undecided. x is first.")
    assert ["x", "1", "1", "2", "0"] in [line.split() for line in ran.out.splitlines()]
    assert "3 systems of 3 have a known rank" in page.read_text()
    grown = run("rank", board, "--watch", "--systems", "12", "--json").json
    assert (grown["pairs"], grown["undecided"]) == (66, 0)


def test_it_says_what_the_call_says(run, board):
    options = ("--margin", ".2", "--tuned", ".2", "--ties", "half", "--cluster", "none", "--level", ".9")
    ran = run("rank", board, "--watch", *options, "--json")
    votes = q.read_votes(board, announce=False)
    found = q.votes.monitor_all(votes, margin=0.2, tuned=0.2, ties="half", cluster=(), level=0.9)
    assert ran.json["verdicts"] == found.to_dict()["verdicts"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--watch --elo", "no such option: --elo"),
        ("--watch --ties davidson", "'davidson' is not one of 'drop', 'half', 'pessimistic'"),
        ("--margin .1", "no such option: --margin"),
    ],
)
def test_what_does_not_go_together_is_refused(run, board, options, message):
    ran = run("rank", board, *options.split())
    assert (ran.code, message in ran.err) == (1, True)


@pytest.fixture
def path(tmp_path):
    """Four systems in 120 battles before three judges, of whom one is fond of the last, and a person."""
    draw = random.Random(3)
    lines = []
    for number in range(120):
        one, two = draw.sample(range(4), 2)
        gap = 0.5 * (two - one) + draw.gauss(0, 0.5)
        for judge, taste in (("a", 0.0), ("b", 0.1), ("c", 0.8), ("ann", 0.0)):
            seen = gap + taste * ((one == 3) - (two == 3)) + draw.gauss(0, 0.5)
            lines.append(f"s{one},s{two},p{number},{judge},{'model_a' if seen > 0 else 'model_b'}\n")
    out = tmp_path / "votes.csv"
    out.write_text("".join(["model_a,model_b,prompt,judge,winner\n", *lines]))
    return out


def test_leaderboards_with_both_error_bars(run, path):
    words = ["--human", "ann", "--by", "win rate", "--cell", "judge=a", "--resamples", 200]
    ran = run("rank", "--pipelines", path, *words, "--report", "page.html", "--charts", "charts")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("Error bars that hold for other levels of judge like these are ")
    assert "system value naive se aware se times 95% interval" in ran.said
    assert "Report: page.html" in ran.said
    run("rank", "--pipelines", path, *words, "--report", "page.json")
    assert json.loads(Path("page.json").read_text())["provenance"]["seed"] == "1"
    found = run("rank", "--pipelines", path, *words, "--json").json
    assert (found["by"], found["cells"], found["resamples"]) == ("win rate", {"judges": 3}, 200)
    assert [one["kind"] for one in found["errors"]] == ["single", "average"]


def test_scores_without_people(run, tmp_path):
    draw = random.Random(4)
    rows = [
        f"i{i},s{s},j{j},{min(5, max(1, round(3 + 0.6 * s + draw.gauss(0, 1))))}\n"
        for i in range(60)
        for s in range(3)
        for j in range(2)
    ]
    (tmp_path / "scores.csv").write_text("".join(["item,system,judge,score\n", *rows]))
    found = run("rank", "--pipelines", "scores.csv", "--facet", "system=system", "--resamples", 100, "--json").json
    assert [one["system"] for one in found["errors"][1]["systems"]] == ["s2", "s1", "s0"]
    assert found["leaderboards"] is None


@pytest.mark.wide(3)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--ties davidson --by=win_rate", "is not one of"),
        ("--human nobody", '"nobody"'),
        ("--cell judge", "--cell: expects a pair such as judge=gpt"),
    ],
)
def test_pipelines_what_is_refused_in_one_line(run, path, words, says):
    assert says in run("rank", "--pipelines", path, *words.split()).refused()


@pytest.fixture
def parts(tmp_path):
    path = tmp_path / "parts.json"
    random = {"item": 0.09, "item:judge": 0.04, "prompt": 0.002, "prompt:judge": 0.001}
    path.write_text(json.dumps({"random": random, "sensitivity": {"judge": 0.002}}))
    return path


@pytest.mark.slow
def test_the_surface_of_a_file(run, scores):
    ran = run("rank", "--tries", 10, scores, "--seed", 1)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("The best of 10 attempts is expected ")
    assert "design calls SE prize 95% interval" in ran.said
    assert "change prize left taken away more calls" in ran.said
    assert "attempts are taken as equally good" in ran.said


def test_published_components_in_elo_points(run, parts):
    ran = run(
        "rank",
        "--tries",
        "27",
        parts,
        "--items",
        170,
        "--scale",
        "elo",
        "--judges",
        "1,3",
        "--prompts",
        "1-2",
        "--price",
        0.01,
    )
    assert ran.code == 0
    assert "design calls SE prize 1 prompt x 1 judge 170" in ran.said
    assert "more USD" in ran.said
    assert "95% interval" not in ran.said


def test_designs_prices_and_what_is_redrawn(run, parts):
    words = ("rank", parts, "--tries", 27, "--items", 100, "--redrawn", "prompt,judge", "--json")
    found = run(*words, "--prompts", "1,2,3", "--prompt-price", 2).json
    assert [one["label"].split(" x ")[0] for one in found["prizes"]] == ["1 prompt", "2 prompts", "3 prompts"]
    assert sorted(found["redrawn"]) == ["judge", "prompt"]
    assert found["expected"] == pytest.approx(1.998269, abs=1e-6)
    assert found["mitigation"][0]["more_cost"] is not None


@pytest.mark.wide(4)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("{scores} --tries 0", "--tries: must be a whole number from 1"),
        ("{scores} --prompts 1-900", "--prompts: 900 designs, more than 400; take larger steps"),
        ("{scores} --scale elo", "scores must be outcomes of battles"),
        ("{scores} --win-rate .6", "--win-rate: goes with"),
        ("{parts}", "items"),
    ],
)
def test_gaming_what_is_refused_in_one_line(run, scores, parts, words, says):
    tries = [] if "--tries" in words else ["--tries", 27]
    assert says in run("rank", *words.format(scores=scores, parts=parts).split(), *tries).refused()
