from __future__ import annotations

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def scored(tmp_path):
    """Two systems a point apart, and a third that the judges do not agree about."""
    rng = np.random.default_rng(2)
    taste = {"s0": (0, 0, 0, 0), "s1": (-1, -1.1, -0.9, -1), "s2": (0.5, -0.4, 0.6, -0.3)}
    lines = [
        f"{name},i{i},j{j},{5 + np.sin(i) + shift + rng.normal(0, 0.5):.3f}"
        for name, shifts in taste.items()
        for j, shift in enumerate(shifts)
        for i in range(30)
    ]
    path = tmp_path / "systems.csv"
    path.write_text("system,item,judge,score\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    rows = [("x", "y", "model_a" if i % 10 < 8 else "model_b", f"p{i // 2}") for i in range(200)]
    rows += [("y", "z", "model_a" if i % 2 else "model_b", f"p{i // 2}") for i in range(100)]
    path.write_text("model_a,model_b,winner,prompt\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


@pytest.mark.slow
def test_what_would_decide_is_shown_with_its_price(run, scored):
    words = ("compare", scored, "s0", "s2", "--target", "judge=population", "--price", 0.5)
    wide = run(*words, "--margin", 2, "--claim", "better")
    assert wide.code == 2
    assert wide.out.startswith("FAIL: s0 is not shown to be better than s2. s0 and s2 are equivalent within 2")
    open_ = run(*words, "--margin", 0.6)
    assert open_.code == 2
    assert open_.said.startswith("Undecided whether s0 or s2 scores better")
    full = run(*words, "--margin", 0.6, "--full").said
    assert "A new study would " in full
    assert " price " in full


def test_votes(run, votes):
    ran = run("compare", votes, "x", "y", "--cluster", "prompt")
    assert ran.code == 0
    assert ran.out.startswith("x is better than y: x wins 80.0% of 200 decisive votes")
    open_ = run("compare", votes, "y", "z", "--margin", 0.05, "--budget", 500, "--price", 2)
    assert open_.code == 2
    assert "a new study if the margin is votes price" in open_.said
    assert "of your budget shows equivalence" in open_.said


def test_the_claim_decides_the_exit_code(run, scored):
    words = ("compare", scored, "s0", "s1", "--margin", 3, "--claim")
    assert run(*words, "not worse").code == 0
    assert run(*words, "equivalent").code == 0
    assert run("compare", scored, "s1", "s0", "--margin", 0.2, "--claim", "not worse").code == 2


@pytest.mark.wide(5)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("{scored} s0", "A, B: give both systems, or neither for all pairs"),
        ("{scored} s0 s9", 'no system "s9"'),
        ("{scored} s0 s1 --claim equivalent", "margin"),
        ("{scored} s0 s1 --price 1 --judge-price j0=2", "--price: give it or one for each judge"),
        ("{votes} x q", 'no system "q"'),
    ],
)
def test_what_is_refused_in_one_line(run, scored, votes, words, says):
    assert says in run("compare", *words.format(votes=votes, scored=scored).split()).refused()


def test_who_was_shown_first_is_noticed(run, ordered):
    said = run("compare", ordered, "x", "y").said
    assert "the system shown first won 75.0% of 400 decisive votes, both orders weighing alike: rank with" in said


def test_a_column_stands_for_the_role_that_it_was_read_as(run, ordered, tmp_path):
    path = tmp_path / "ranked.csv"
    path.write_text(ordered.read_text().replace("prompt", "ranking", 1))
    for command in (("rank", path), ("compare", path, "x", "y")):
        found = run(*command, "--role", "cluster=ranking", "--cluster", "ranking", "--json")
        assert (found.code, found.err) == (2, "")
        assert found.out == run(*command, "--role", "cluster=ranking", "--cluster", "cluster", "--json").out


@pytest.mark.slow
def test_all_pairs_without_names(run, scored, votes, tmp_path):
    page = tmp_path / "pairs.md"
    ran = run("compare", scored, "--report", page)
    assert (ran.code, ran.err) == (2, "")
    assert ran.said.startswith("Of 3 pairs of systems ")
    assert "s0 against s1 better" in ran.said
    assert "Of 3 pairs of systems" in page.read_text()
    found = run("compare", votes, "--json").json
    assert (found["counts"]["better"], found["counts"]["undecided"], found["exit_code"]) == (2, 1, 2)
    alone = 'quorate: A, B: give both systems, or neither for all pairs, got "x" alone\n'
    assert run("compare", votes, "x").refused() == alone
    for option in (("--claim", "better"), ("--price", "1"), ("--budget", "9"), ("--judge-price", "j0=1")):
        assert f"{option[0]}: is for two systems; name two" in run("compare", scored, *option).err


@pytest.fixture
def monitor_votes(tmp_path):
    path = tmp_path / "votes.csv"
    columns = {"model_a": ["x"] * 60, "model_b": ["y"] * 60, "winner": (["model_a"] * 5 + ["model_b"]) * 10}
    pl.DataFrame(columns).write_csv(path)
    return path


def test_votes_decide_as_soon_as_they_do(run, monitor_votes):
    ran = run("compare", "--watch", monitor_votes, "x", "y")
    assert ran.code == 0
    assert ran.out.startswith("Stop: x is better than y;")
    assert run("compare", "--watch", monitor_votes, "y", "x", "--json").json["outcome"] == "worse"


def test_a_stricter_level_needs_more_votes(run, monitor_votes):
    ran = run("compare", "--watch", monitor_votes, "x", "y", "--level", ".9999999")
    assert ran.code == 2
    assert ran.out.startswith("Go on: undecided")


def test_votes_on_two_systems_need_no_names(run, monitor_votes):
    assert run("compare", "--watch", monitor_votes).out == run("compare", "--watch", monitor_votes, "x", "y").out


def test_of_more_systems_two_are_named(run, tmp_path):
    rows = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in [("x", "y"), ("y", "z")]]
    pl.DataFrame(rows).write_csv(tmp_path / "board.csv")
    assert "A, B: name the two systems; which order of all is sure is said by quorate rank --watch" in (
        run("compare", "--watch", "board.csv").err
    )


def test_systems_of_one_name_are_told_apart(run, monitor_votes):
    frame = pl.read_csv(monitor_votes).with_columns(prompt_type=pl.Series(["code", "prose"] * 30))
    frame.write_csv(monitor_votes)
    ran = run("compare", "--watch", monitor_votes, "x (code)", "y (code)", "--within", "prompt_type", "--json")
    assert ran.json["n"] + ran.json["left"] == 30
